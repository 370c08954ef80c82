"""Check whether a policy keeps its limit on new verified outputs."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from fastarac._core.checks import same_number
from fastarac._core.interval import Interval
from fastarac._engine.factors import read_outermost
from fastarac._engine.inputs import read_items
from fastarac.operation.audit_logs import AuditLog, LogError, log_of
from fastarac.operation.calibration import confidences
from fastarac.operation.checked_outputs import Checked, LookRule, RateBounds
from fastarac.operation.document_logs import DocumentLog
from fastarac.operation.documents import given_of
from fastarac.operation.fingerprints import was_fitted_on
from fastarac.operation.verdicts import CheckedField, PolicyCheck
from fastarac.operation.verified_rates import KnownErrors
from fastarac.reviewer import FoundLimit, Reviewer, limit_of_found
from fastarac.samples.door import threshold_sweep

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike, NDArray

    from fastarac.operation.acceptance import AcceptanceRule, NewOutputs
    from fastarac.operation.looks import LookRequest
    from fastarac.operation.shifts import Reference
    from fastarac.samples.partial import PartialTruth
    from fastarac.uncertainty.shares import Verdict


class CheckedPromise(NamedTuple):
    """The limit of a policy, and the corresponding limit for the errors that people find."""

    criterion: str
    limit: float
    delta: float
    people: Reviewer | None
    tested: FoundLimit

    @classmethod
    def of(cls, criterion: str, limit: float, delta: float, people: Reviewer | None) -> CheckedPromise:
        """Create the promise from a policy's limit and failure probability."""
        return cls(criterion, limit, delta, people, limit_of_found(limit, delta, people))

    def ends(self, items: Checked) -> RateBounds:
        """Return two bounds on the rate of all errors; each is wrong with probability δ at most."""
        found = items.ends(self.criterion, self.tested.limit, self.tested.failure_probability)
        if self.people is None:
            return found
        return RateBounds(*self.tested.rates(found.low, found.high), found.method)

    def rate(self, items: Checked) -> float:
        """Return the estimated rate of all errors, found or overlooked."""
        rate = items.rate(self.criterion)
        return (
            rate if self.people is None else float(np.minimum(1.0, rate / self.people.detection_rate))
        )

    def needed(self, items: Checked, *, afresh: bool = False) -> int | None:
        """Call :meth:`.Checked.needed` with the limit for errors that people find."""
        above = self.rate(items) > self.limit
        limit = self.tested.highest if above else self.tested.limit
        return items.needed(self.criterion, limit, self.tested.failure_probability, afresh=afresh)


class Audits(NamedTuple):
    """How many outputs of a log were audited, and how many were drawn but have no result, if known."""

    audited: int
    unanswered: int | None

    @classmethod
    def of(cls, log: AuditLog) -> Self:
        """Count the audits of a log."""
        return cls(int((log.accepted & log.known).sum()) - (log.unanswered or 0), log.unanswered)


class PolicyTest(NamedTuple):
    """A test of a policy's rule and promise on new outputs."""

    rule: AcceptanceRule
    promise: CheckedPromise
    fitted_on: str | None
    references: tuple[Reference, ...]
    looks: LookRequest | None
    """The log of looks that this test is added to, if there is one."""

    def of_all_verified(
        self, correct: ArrayLike, outputs: NewOutputs, *, fields_complete: bool
    ) -> PolicyCheck:
        """Test outputs or whole documents that are all verified."""
        # Raises unless all labels are 0 or 1, and all confidences are finite.
        threshold_sweep(correct, outputs.confidence)
        items = read_items(correct, outputs.confidence)
        values, right, n = items.confidence, np.not_equal(items.correct, 0), items.n
        pages, codes = _pages_of(outputs.groups, n), self.rule.codes(outputs.by, n)
        given, documents = given_of(outputs.rejected, n), outputs.documents is not None
        with_confidence = slice(None) if given is None else given
        of_fit = was_fitted_on(self.fitted_on, self.references, values, codes, right, with_confidence)
        outputs, n_unread = outputs._replace(confidence=values), 0
        if documents:
            accepted, wrong, rows = self.rule.of_documents(
                right, outputs, fields_complete=fields_complete
            )
            pages, fields = None if pages is None else pages[rows], None
        else:
            accepted = self.rule.apply(outputs)
            wrong, rows, fields = ~right, np.arange(n), codes
        checked = Checked(accepted, accepted & wrong, pages, outputs.max_group_size)
        # A policy is fitted only to outputs with a confidence, so only such outputs can check it.
        if given is not None and not documents:
            checked, rows, n_unread = checked.only(given), np.flatnonzero(given), int(np.sum(~given))
            fields = None if fields is None else fields[given]
        if self.looks is not None and not of_fit:
            columns = values, codes, right
            checked, fields, n_unread, *_ = self.looks.add(checked, fields, n_unread, rows, columns)
        found = check_of(
            checked, self.rule.parts(fields), self.promise,
            documents=documents, of_fit=of_fit, n_unread=n_unread,
        )  # fmt: skip
        seen = codes if documents else fields
        return replace(found, unknown_fields=0 if seen is None else int(np.sum(seen < 0)))

    def of_partly_verified(self, truth: PartialTruth, outputs: NewOutputs) -> PolicyCheck:
        """Test outputs of which only some are verified."""
        values = confidences(outputs.confidence)
        same_number("correct", len(truth), "confidence", len(values))
        values, codes, accepted = self.rule.of_outputs(values, outputs.by)
        pages = truth.groups if outputs.groups is None else _pages_of(outputs.groups, len(values))
        seen = KnownErrors.of(truth, values, accepted, pages)
        wrong = accepted & (seen.error == 1.0)
        checked = Checked(accepted, wrong, pages, outputs.max_group_size, verified=seen)
        of_fit = was_fitted_on(self.fitted_on, self.references, values, codes, None)
        if self.looks is not None and not of_fit:
            checked = self.looks.weighted(checked, (values, codes, seen.error, seen.probability))
        return check_of(checked, self.rule.parts(codes), self.promise, of_fit=of_fit)

    def of_log(
        self,
        correct: ArrayLike,
        outputs: NewOutputs,
        probability: ArrayLike,
        drawn: ArrayLike | None,
        *,
        fields_complete: bool,
    ) -> PolicyCheck:
        """Test a log of audits of accepted outputs, or of whole documents."""
        self.rule.require_columns(by=outputs.by, documents=outputs.documents, types=outputs.types)
        if self.rule.documents is not None:
            units = DocumentLog.of(
                self.rule, correct, outputs, probability, drawn, fields_complete=fields_complete
            )
            return self._of_document_log(units, outputs)
        values, codes, accepted = self.rule.of_outputs(outputs.confidence, outputs.by)
        pages = _pages_of(outputs.groups, len(values))
        log = log_of(correct, values, accepted, probability, drawn=drawn, groups=pages)
        wrong, largest = log.accepted & log.wrong, outputs.max_group_size
        checked = Checked(log.accepted, wrong, pages, largest, probability=log.probability)
        if self.looks is not None:
            columns = values, codes, log.accepted, log.wrong, log.known, log.probability
            checked = self.looks.weighted(checked, columns)
        return check_of(checked, self.rule.parts(codes), self.promise, audits=Audits.of(log))

    def _of_document_log(self, units: DocumentLog, outputs: NewOutputs) -> PolicyCheck:
        """Test a log of documents, if each document was drawn and answered as a whole."""
        first, accepted = units.first, units.accepted
        pages = _pages_of(outputs.groups, len(units.of_item))
        pages = None if pages is None else pages[first]
        try:
            log = log_of(
                units.correct, units.correct, accepted, units.probability, drawn=units.drawn,
                groups=pages,
            )  # fmt: skip
        except LogError as error:
            raise LogError(error.name, int(first[error.row]), error.found, error.why) from None
        wrong, largest = accepted & log.wrong, outputs.max_group_size
        checked = Checked(accepted, wrong, pages, largest, probability=log.probability)
        if self.looks is not None:
            names, groups = (
                None if each is None else each[first] for each in (self.looks.names, self.looks.groups)
            )
            columns = names, accepted, log.wrong, log.known, log.probability
            checked = self.looks._replace(groups=groups).weighted(checked, columns)
        return check_of(checked, (), self.promise, audits=Audits.of(log), documents=True)


def check_of(
    items: Checked,
    fields: Iterable[tuple[Any, NDArray[np.bool_]]],
    promise: CheckedPromise,
    *,
    audits: Audits | None = None,
    documents: bool = False,
    of_fit: bool = False,
    n_unread: int = 0,
) -> PolicyCheck:
    """Test at level δ whether the rate is below its limit, and whether it is above."""
    audited, unanswered = (None, None) if audits is None else audits
    # If a log does not say which outputs were drawn, missing results may hide errors. Such a log can
    # prove a rate above the limit, but never a rate within the limit.
    may_hold = (audits is None or unanswered is not None) and not of_fit
    criterion, limit = promise.criterion, promise.limit
    rate, ends = promise.rate(items), promise.ends(items)
    verified = None
    if items.verified is not None:
        verified = int(np.sum(~np.isnan(items.verified.error)))
    verdict: Verdict = "too few"
    if ends.high <= limit and may_hold:
        verdict = "holds"
    elif ends.low > limit:
        verdict = "fails"
    can_be_decided = verdict == "too few" and not of_fit and (may_hold or rate > limit)
    # With groups, a single look needs as many outputs as a confidence sequence, so do not suggest one.
    first_of_many = can_be_decided and items.rule == LookRule("sequence") and items.codes is None
    return PolicyCheck(
        verdict,
        Interval(
            rate,
            ends.low,
            ends.high,
            math.nan,
            1.0 - 2.0 * promise.delta,
            ends.method,
        ),
        criterion,
        limit,
        n_items=len(items.accepted),
        accepted=int(items.accepted.sum()),
        errors=int(items.wrong.sum()),
        still_needed=promise.needed(items) if can_be_decided else None,
        audited=audited,
        unanswered=unanswered,
        fields=tuple(_checked_field(field, items.only(chosen), promise) for field, chosen in fields),
        documents=documents,
        verified=verified,
        of_fit=of_fit,
        n_unread=n_unread,
        look_rule=items.rule.name,
        look=items.rule.look,
        looks_declared=items.rule.declared,
        needs_new=items.rule.logged,
        needed_once=promise.needed(items, afresh=True) if first_of_many and items.pools else None,
        truth_reader=promise.people,
    )


def _checked_field(field: Any, items: Checked, promise: CheckedPromise) -> CheckedField:
    counts = len(items.accepted), int(items.accepted.sum()), int(items.wrong.sum())
    ends = promise.ends(items)
    return CheckedField(field, *counts, promise.rate(items), ends.low, ends.high)


def _pages_of(groups: ArrayLike | None, n: int) -> NDArray[np.intp] | None:
    return None if groups is None else read_outermost(groups, n, "check").astype(np.intp)
