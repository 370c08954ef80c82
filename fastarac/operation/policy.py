"""A policy: the thresholds that a system in use accepts by, and what was promised about them."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from fastarac._core.checks import fraction_of, inner_fraction, require_type, same_number, whole_number
from fastarac._core.dtype_comparison import at_or_above
from fastarac._core.export import fields_of
from fastarac._core.files import read_saved, write_whole
from fastarac._core.results import Result
from fastarac._core.text import json_text, listed, percent, quoted
from fastarac._engine.factors import read_outermost
from fastarac._engine.inputs import read_groups, read_items
from fastarac.operation.absences import FieldAbsence, OptionalSetting, advice
from fastarac.operation.audit_logs import log_of
from fastarac.operation.calibration import Calibration, confidences
from fastarac.operation.checking import Audits, Checked, CheckedPromise, PolicyCheck, check_of
from fastarac.operation.documents import (
    HELD_BACK,
    Documents,
    DocumentType,
    Requirements,
    given_of,
    is_never,
    places_among,
)
from fastarac.operation.expected_errors import all_of_found, errors_expected, expected_rates
from fastarac.operation.fingerprints import was_fitted_on
from fastarac.operation.looks import LookRequest
from fastarac.operation.policy_files import (
    KIND,
    VERSION,
    fields_of_policy,
    written_groups,
    written_reader,
)
from fastarac.operation.shifts import ConfidenceShift, Reference, Seen, shift_of
from fastarac.operation.verified_rates import KnownErrors
from fastarac.reviewer import Reviewer, premise_of
from fastarac.samples.door import answers_of, threshold_sweep

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

    from fastarac._core.interval import Interval
    from fastarac.operation.looks import Looks
    from fastarac.samples.partial import PartialTruth

Rule = Literal["product", "least"]
MOST_SHOWN = 5  # fields that a sentence names
_WHOLE = {"max_error_rate": "all outputs", "max_risk": "the accepted outputs"}
_DOCUMENTS = {"max_error_rate": "all documents", "max_risk": "the accepted documents"}


@dataclass(frozen=True, slots=True, eq=False)
class Policy(Result):
    """Which outputs are accepted, under one limit, with the guarantee that came with it.

    :func:`.fit_policy` makes it; it is saved as a JSON file. Printed, it is a sentence.

    Attributes
    ----------
    fields : tuple of str or int
        The labels of the fields, in rising order; empty where there is one threshold for all.
    thresholds : tuple of float
        The threshold of each field, or the one of all: accept iff confidence >= threshold.
    criterion : {"max_error_rate", "max_risk"}
        What is limited: errors among all outputs, or among the accepted ones.
    limit : float
        The error rate or risk that is kept.
    failure_probability : float
        δ of the guarantee.
    bound : float
        The upper bound at these thresholds, where the method has one; NaN otherwise.
    max_group_size : int or None
        Of dependent items, how many a group may have at most for the guarantee to hold.
    certified : bool
        Whether the promise is proved; False where an approximation chose the thresholds.
    approximate_acceptance_rate : float or None
        What the approximation ``method="gamma"`` would accept, where less than half of it is proved.
    n_items, accepted, errors : int
        Counts of the items (or whole documents) that the guarantee was tested on. Where some are
        verified, `errors` is an estimate.
    accepted_by_field, errors_by_field : tuple of int
        The same of each field; one element without fields, or of whole documents.
    errors_per_group : float
        How many errors an accepted error's group has on average, Σy²/Σy of y errors a group, each
        counted 1/π where some are verified; 1 without groups.
    n_verified : int or None
        Of the `n_items`, how many are verified; None where all are.
    least_probability : float or None
        What unknown probabilities of being verified are taken to be at least, for the guarantee.
    fitted_on : str or None
        A fingerprint of the outputs that it was fitted on, of which :meth:`check` is no check.
    n_unread : int
        Items beside those that it was fitted on, without an output or a confidence: never accepted.
    missed_rate : float or None
        Of words, the share of the true ones that had no output in what it was fitted on, if known.
    regions : str or None
        Of which parts of pages the outputs were, such as "inside the regions of the truth"; None of
        all.
    calibrations : tuple of Calibration
        The error probability of each field, or of all.
    references : tuple of Reference
        The confidences that the policy was fitted on, of each field, or of all.
    documents : {"product", "least"} or None
        How the fields' 1 − p̂ make the confidence of a whole document, where only whole ones are
        accepted.
    document_threshold : float
        The least confidence of an accepted document.
    optional : tuple of str or int
        The fields that an accepted document may lack.
    types : tuple of DocumentType
        The document types with the fields of each; documents of other types must have all.
    absences : tuple of FieldAbsence
        How often documents lack each field, and how often rightly, in the half that ranked the outputs.
    truth_reader : Reviewer or None
        Who gave the truth, where they err: `errors` are those found, `bound` is of all.
    faultless_acceptance_rate : float or None
        What the same answers would have accepted if `truth_reader` overlooked nothing.
    settings : tuple of OptionalSetting
        What would be accepted with other optional fields: the present ones, each field's other setting,
        and the best found.

    See Also
    --------
    fit_policy : fit the thresholds of a policy
    apply_policy : divide the outputs in a file into those that are accepted
    fastarac.results.PolicyCheck : whether the limit holds on new verified outputs
    """

    fields: tuple[Any, ...]
    thresholds: tuple[float, ...]
    criterion: str
    limit: float
    failure_probability: float
    bound: float
    max_group_size: int | None
    n_items: int
    accepted: int
    errors: float
    calibrations: tuple[Calibration, ...]
    references: tuple[Reference, ...]
    documents: Rule | None = None
    document_threshold: float = math.inf
    accepted_by_field: tuple[int, ...] = ()
    errors_by_field: tuple[float, ...] = ()
    errors_per_group: float = 1.0
    certified: bool = True
    approximate_acceptance_rate: float | None = None
    n_verified: int | None = None
    least_probability: float | None = None
    fitted_on: str | None = None
    n_unread: int = 0
    missed_rate: float | None = None
    regions: str | None = None
    optional: tuple[Any, ...] = ()
    types: tuple[DocumentType, ...] = ()
    absences: tuple[FieldAbsence, ...] = ()
    settings: tuple[OptionalSetting, ...] = ()
    truth_reader: Reviewer | None = None
    faultless_acceptance_rate: float | None = None

    def __repr__(self) -> str:
        by = f"{len(self.fields)} fields" if self.fields else f"threshold={self.thresholds[0]:g}"
        if self.documents:
            by = f"whole documents of {by}"
        return f"Policy({by}, {self.criterion}={self.limit:g}, accepted {self.accepted}/{self.n_items})"

    def __str__(self) -> str:
        text = f"{self.decision}{self._verified_words()}"
        if self.approximate_acceptance_rate is not None:
            share = percent(self.approximate_acceptance_rate, 3)
            text += f"; without proof, method='gamma' would accept {share}"
        return text

    @property
    def decision(self) -> str:
        """Which outputs to accept, and what is promised of them."""
        if self.accepted == 0:
            sure = percent(1.0 - self.failure_probability)
            limit = percent(self.limit)
            return f"no threshold keeps the limit of {limit} with {sure} confidence: review everything"
        return f"accept {self._share_words()} {self._where()}: {self.promise}"

    def _where(self) -> str:
        """Which outputs or documents are accepted."""
        if self.documents:
            if self.document_threshold <= 0.0:
                return "(all that have every required field)"
            right = "each output is right" if self.documents == "least" else "all outputs are right"
            least = f"{self.document_threshold:.4g}"
            return f"(where {right} with an estimated probability >= {least})"
        if len(self.fields) > MOST_SHOWN:
            return f"by {len(self.fields)} thresholds, one a field"
        if self.fields:
            each = [
                f"{field} {shown_threshold(threshold)}"
                for field, threshold in zip(self.fields, self.thresholds, strict=True)
            ]
            return f"by field ({', '.join(each)})"
        return f"at confidence {shown_threshold(self.thresholds[0])}"

    def _share_words(self) -> str:
        """The share of all items, and of those that have an output, where some have none."""
        if self.n_unread:
            return shares_in_words(
                self.share_of_all_items, self.acceptance_rate, self.n_read, self.n_unread
            )
        whole = "documents" if self.documents else "outputs"
        return f"{percent(self.acceptance_rate, 3)} of the {whole}"

    def _verified_words(self) -> str:
        """How much truth it is from, where that is not all."""
        if self.n_verified is None:
            return ""
        words = f", from {self.n_verified:,} verified of {self.n_items:,} outputs"
        if self.least_probability is None:
            return words
        return f"{words}, if each was drawn with a probability of at least {self.least_probability:.4g}"

    @property
    def promise(self) -> str:
        """What is guaranteed, in words."""
        whole = (_DOCUMENTS if self.documents else _WHOLE)[self.criterion]
        if self.regions:
            whole += f" {self.regions}"
        if self.criterion == "max_risk":
            wrong = "have an error" if self.documents else "are wrong"
        else:
            wrong = "go through with an error" if self.documents else "are accepted and wrong"
        unproved = "" if self.certified else ", by an approximation without proof"
        sure = percent(1.0 - self.failure_probability)
        if self.truth_reader is not None:
            unproved += f", {premise_of(self.truth_reader)}"
        return f"with {sure} confidence, at most {percent(self.limit)} of {whole} {wrong}{unproved}"

    @property
    def advice(self) -> tuple[str, ...]:
        """How often documents lack fields, and what other optional ones would change, in sentences."""
        return advice(self.absences, self.settings)

    @property
    def acceptance_rate(self) -> float:
        """The share that is accepted of the items that the guarantee was tested on."""
        return self.accepted / self.n_items

    @property
    def expected_rates(self) -> list[float]:
        """The share of errors among accepted outputs of each field, of :meth:`expected_errors`."""
        d = 1.0 if self.truth_reader is None else self.truth_reader.detection_rate
        return [min(1.0, rate / d) for rate in expected_rates(*self._tested)]

    @property
    def _tested(self) -> tuple[tuple[int, ...], tuple[float, ...], float, bool]:
        is_all = self.accepted == self.n_items
        return self.accepted_by_field, self.errors_by_field, self.errors_per_group, is_all

    @property
    def n_read(self) -> int:
        """How many outputs with a confidence it was fitted on, whichever half tested the guarantee."""
        return sum(int(each.counts.sum()) for each in self.references)

    @property
    def by_halves(self) -> bool:
        """Whether one half of the sample ranked the outputs, and the other one tested the limit."""
        return self.documents is not None or self.n_items < self.n_read

    @property
    def share_of_all_items(self) -> float:
        """The share that is accepted of all items, those without an output among them."""
        return self.acceptance_rate * self.n_read / (self.n_read + self.n_unread)

    @property
    def of_outputs_read(self) -> str:
        """What shares of new outputs are of, where words may be missing, as a sentence; else empty."""
        said = []
        if self.regions:
            said.append(
                f"The limit is for outputs {self.regions}; a new page does not show these regions."
            )
        if self.missed_rate:
            said.append(
                "Shares are of the outputs read. In the reference, the engine missed "
                f"{percent(self.missed_rate, 3)} of the true words; nobody sees missed words here."
            )
        return " ".join(said)

    def with_unread(
        self, n_unread: int, missed_rate: float | None = None, regions: str | None = None
    ) -> Policy:
        """Return the policy with what is known of the items beside those that it was fitted on.

        Parameters
        ----------
        n_unread : int
            How many items there are beside the outputs that it was fitted on.
        missed_rate : float, optional
            Of words, the share of the true ones that are among them, in [0, 1].
        regions : str, optional
            Of which parts of pages the outputs were, such as "inside the regions of the truth".

        Returns
        -------
        Policy
        """
        n = whole_number(n_unread, "n_unread", 0)
        rate = None if missed_rate is None else fraction_of(missed_rate, "missed_rate")
        if regions is not None:
            require_type(regions, str, "regions", "a text")
        return replace(self, n_unread=n, missed_rate=rate, regions=regions)

    def apply(
        self,
        confidence: ArrayLike,
        *,
        by: ArrayLike | None = None,
        documents: ArrayLike | None = None,
        rejected: ArrayLike | None = None,
        types: ArrayLike | None = None,
    ) -> NDArray[np.bool_]:
        """Say which outputs are accepted.

        Parameters
        ----------
        confidence : array_like of shape (n,)
            Of each output, finite.
        by : array_like of shape (n,), optional
            The field of each output, where the policy has thresholds by field. An output of a field
            that the policy does not know is rejected; of a document it is ignored.
        documents : array_like of shape (n,), optional
            The document of each output, where the policy accepts whole documents. One that lacks a
            required field is never accepted, whatever outputs it has.
        rejected : array_like of shape (n,), bool, optional
            Outputs without a confidence, which are never accepted; what stands in `confidence` there is
            not looked at, but finite. A document lacks a field of which all its outputs are such, and
            one without any output is one such row, of any field. By a policy without fields, documents
            with such outputs are not accepted.
        types : array_like of shape (n,), optional
            The type of each output's document, where the policy was fitted with types.

        Returns
        -------
        accepted : ndarray of shape (n,), bool
            True where the output goes through unchecked.

        Raises
        ------
        TypeError
            Where `by` or `documents` is missing or superfluous, or the labels are of another type than
            the policy's.
        """
        values = confidences(confidence)
        if self.documents is not None:
            whole, accepted, _ = self._decided(values, by, documents, rejected, types)
            return np.asarray(accepted[whole.of_item])
        self.require_columns(by=by, documents=documents, types=types)
        accepted = self._accepted(values, self._codes(by, len(values)))
        given = given_of(rejected, len(values))
        return accepted if given is None else accepted & given

    def error_probability(
        self, confidence: ArrayLike, *, by: ArrayLike | None = None
    ) -> NDArray[np.float64]:
        """Return the calibrated error probability p̂ of each output, (n,); 1 for unknown fields."""
        values = confidences(confidence)
        return self._error_probability(values, self._codes(by, len(values)))

    def expected_errors(self, accepted: Sequence[int], *, confidence_level: float = 0.95) -> Interval:
        """Return how many errors are expected among accepted new outputs, from the same source.

        Parameters
        ----------
        accepted : sequence of int
            Accepted outputs of each field; one number where the policy has no fields, or of documents
            where whole ones are accepted.
        confidence_level : float, default=0.95
            Of the interval, in (0, 1).

        Returns
        -------
        Interval
            The mean number; what these outputs have scatters around it.

        Raises
        ------
        ValueError
            For another number of counts.

        Notes
        -----
        From the items that the guarantee was tested on, which the calibrations have not seen. Going
        down stops where one error more would be too many, so that FA accepted errors stand for FA + 1:
        of n items, the true error rate just above the error that is one too many has the mean
        (FA + 1)/(n + 1). With groups, errors come d at a time, and FA + d takes its place. The
        interval is that of a gamma variable of shape (FA + d)/d. The rates of fields are drawn
        towards that of all as if each had three errors more at that rate, and add up to it.
        """
        level = inner_fraction(confidence_level, "confidence_level")
        found = errors_expected(tuple(accepted), *self._tested, level=level)
        return all_of_found(self.truth_reader, found, float(sum(accepted)))

    def check(
        self,
        correct: ArrayLike,
        confidence: ArrayLike,
        *,
        by: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        max_group_size: int | None = None,
        documents: ArrayLike | None = None,
        audit_probability: ArrayLike | None = None,
        drawn: ArrayLike | None = None,
        rejected: ArrayLike | None = None,
        types: ArrayLike | None = None,
        fields_complete: bool = False,
        looks: Looks | None = None,
        once: bool = False,
        ids: ArrayLike | None = None,
        truth_reader: Reviewer | None = None,
    ) -> PolicyCheck:
        """Test on new verified outputs, drawn at random, or on a log of audits whether the limit holds.

        Parameters
        ----------
        correct, confidence : array_like of shape (n,)
            Whether each output was right, and its confidence; a :class:`.PartialTruth` where some of
            them are verified, without `documents` and `rejected`. With `audit_probability`, all outputs
            of a time: the truth is NaN where nobody looked; of a rejected one it does not matter.
        by, documents : array_like of shape (n,), optional
            As :meth:`apply` takes them.
        groups : array_like of shape (n,), optional
            Labels of outputs that depend on each other, such as those of a page.
        max_group_size : int, optional
            Items that a group has at most, known beforehand; by default the largest group seen, which
            is an assumption.
        audit_probability : float or array_like of shape (n,), optional
            π, with which probability each accepted output was audited, in [0, 1], decided before its
            truth was known; without `documents`. With `groups`, single outputs or whole groups were
            drawn.
        drawn : array_like of shape (n,), bool, optional
            Beside `audit_probability`, which outputs were drawn for an audit, with or without a result
            so far: without it no verdict is "holds".
        rejected, types : array_like of shape (n,), optional
            As :meth:`apply` takes them; not of a log. The limit is one of the other outputs, as where
            the policy was fitted and is applied. A document that may be accepted without an optional
            field is wrong where that was missed: a rejected output that is not correct.
        fields_complete : bool, default=False
            Whether a field that a document has no row of has no true value.
        looks : Looks, optional
            The looks so far, to which this one is added: then all outputs so far are tested, and the
            verdicts of all looks are right together. Without it this is one exact test, for one look.
        once : bool, default=False
            Beside `looks`: the exact test of these outputs alone, which were in no look before.
        ids : array_like of shape (n,), optional
            Beside `looks`, the name of each output, by which it counts once; without `documents`, whose
            labels are their names.
        truth_reader : Reviewer, optional
            The people whose answers `correct` is, as :func:`.fit_policy` takes it; by default those of
            the policy. ``Reviewer()`` overlooks nothing.

        Returns
        -------
        PolicyCheck
            Holds, fails or too few, with the interval and the items still needed.

        Raises
        ------
        ValueError, TypeError
            As :func:`.threshold_sweep`; for a log that contradicts itself, such as a truth of what was
            not drawn, or whose audits are too few or too many for their probabilities;
            where `documents` or `rejected` is given beside a :class:`.PartialTruth`; where the truth
            does not say whether an optional field is empty; where
            `audit_probability` is given beside `documents` or `rejected`; where `drawn`
            is given without it; and as :meth:`.Looks.add`.

        Notes
        -----
        Accepted errors among n outputs drawn at random are binomial, and the interval is that of
        Clopper and Pearson; with `groups`, of bets for and against each rate. In a log, errors that
        were audited are binomial with π times the rate; where π differs, or with `groups`, bets are on
        outputs weighted by 1/π, those of a group together. So it is of a :class:`.PartialTruth`:
        binomial where all items had one probability and there is neither a judge nor groups, and else
        of bets with the judge as a control variate. Outputs that were drawn and have no result count as
        errors: cut a log at a date of the outputs, answered or not. Of outputs that the policy was
        fitted on no verdict is "holds".
        """
        log = LookRequest.of(looks, once=once, ids=ids, documents=documents, groups=groups)
        if truth_reader is None and getattr(correct, "truth_reader", None) is None:
            truth_reader = self.truth_reader
        correct, truth, people = answers_of(correct, truth_reader)
        promise = self._promise(people)
        if audit_probability is not None:
            beside = {"documents": documents, "rejected": rejected}
            if name := next((name for name, given in beside.items() if given is not None), None):
                raise TypeError(f"{name} cannot go with audit_probability, which is of single outputs")
            of_groups = groups, max_group_size
            return self._check_log(
                correct if truth is None else truth, confidence, by, audit_probability, drawn,
                of_groups, promise, log,
            )  # fmt: skip
        if drawn is not None:
            raise TypeError("drawn needs audit_probability, which only a log of audits has")
        if truth is not None:
            if documents is not None or rejected is not None:
                name = "rejected" if documents is None else "documents"
                raise TypeError(f"{name} cannot go with a PartialTruth: give outputs alone")
            return self._check_verified(truth, confidence, by, groups, max_group_size, promise, log)
        threshold_sweep(correct, confidence)  # refuses what is not 0, 1 or finite
        items = read_items(correct, confidence)
        right = np.not_equal(items.correct, 0)
        codes = _pages_of(groups, items.n)
        fields = self._codes(by, items.n)
        given = given_of(rejected, items.n)  # what a policy is fitted on
        with_confidence = slice(None) if given is None else given
        of_fit = was_fitted_on(*self._of_fit, items.confidence, fields, right, with_confidence)
        if documents is None:
            accepted = self.apply(items.confidence, by=by, rejected=rejected, types=types)
            wrong = ~right
        else:
            accepted, wrong, first = self.of_documents(
                right, items.confidence, by=by, documents=documents, rejected=rejected, types=types,
                fields_complete=fields_complete,
            )  # fmt: skip
            codes = None if codes is None else codes[first]
        checked, n_unread = Checked(accepted, accepted & wrong, codes, max_group_size), 0
        if documents is None and given is not None:  # as where it was fitted, and is applied
            checked, n_unread = checked.only(given), int(np.count_nonzero(~given))
            fields = None if fields is None else fields[given]
        rows = np.arange(items.n) if given is None or documents is not None else np.flatnonzero(given)
        if documents is not None:
            rows, told = first, None
        else:
            told = fields
        if log is not None and not of_fit:
            columns = items.confidence, self._codes(by, items.n), right
            sample = log.sample(checked, told, n_unread, rows, columns)
            checked, told, n_unread = log.looks.add(self.digest, sample, once=log.once)
        found = check_of(
            checked, self._of_fields(told), promise,
            documents=documents is not None, of_fit=of_fit, n_unread=n_unread,
        )  # fmt: skip
        seen = fields if documents is not None else told
        unknown = 0 if seen is None else int(np.sum(seen < 0))
        return replace(found, unknown_fields=unknown)

    def of_documents(
        self,
        correct: NDArray[np.bool_],
        confidence: ArrayLike,
        *,
        by: ArrayLike | None,
        documents: ArrayLike,
        rejected: ArrayLike | None,
        types: ArrayLike | None,
        fields_complete: bool,
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.intp]]:
        """Return which documents are accepted and which are wrong, and the first output of each.

        The arguments are those of :meth:`check`, which raises as this does.
        """
        values = confidences(confidence)
        whole, accepted, fields = self._decided(values, by, documents, rejected, types)
        if not fields_complete:
            needs = Requirements.of(self.fields, self.optional, self.types)
            whole.require_told(accepted, needs, self.fields, np.asarray(documents))
        right = correct if fields is None else correct | (fields < 0)  # nobody asked for the others
        return accepted, ~whole.right(right), whole.first

    def _check_log(
        self,
        correct: ArrayLike,
        confidence: ArrayLike,
        by: ArrayLike | None,
        probability: ArrayLike,
        drawn: ArrayLike | None,
        of_groups: tuple[ArrayLike | None, int | None],
        promise: CheckedPromise,
        looks: LookRequest | None,
    ) -> PolicyCheck:
        values, codes, accepted = self._single(confidence, by)
        groups, largest = of_groups
        pages = _pages_of(groups, len(values))
        log = log_of(correct, values, accepted, probability, drawn=drawn, groups=pages)
        checked = Checked(
            log.accepted, log.accepted & log.wrong, pages, largest, probability=log.probability
        )
        if looks is not None:
            columns = values, codes, log.accepted, log.wrong, log.known, log.probability
            checked = looks.weighted(self.digest, checked, columns)
        audits = Audits(int((log.accepted & log.known).sum()) - (log.unanswered or 0), log.unanswered)
        return check_of(checked, self._of_fields(codes), promise, audits=audits)

    def _check_verified(
        self,
        truth: PartialTruth,
        confidence: ArrayLike,
        by: ArrayLike | None,
        groups: ArrayLike | None,
        max_group_size: int | None,
        promise: CheckedPromise,
        looks: LookRequest | None,
    ) -> PolicyCheck:
        values = confidences(confidence)
        same_number("correct", len(truth), "confidence", len(values))
        values, codes, accepted = self._single(values, by)
        pages = truth.groups if groups is None else _pages_of(groups, len(values))
        seen = KnownErrors.of(truth, values, accepted, pages)
        checked = Checked(
            accepted, accepted & (seen.error == 1.0), pages, max_group_size, verified=seen
        )
        of_fit = was_fitted_on(*self._of_fit, values, codes, None)
        if looks is not None and not of_fit:
            columns = values, codes, seen.error, seen.probability
            checked = looks.weighted(self.digest, checked, columns)
        return check_of(checked, self._of_fields(codes), promise, of_fit=of_fit)

    def _single(
        self, confidence: ArrayLike, by: ArrayLike | None
    ) -> tuple[NDArray[Any], NDArray[np.intp] | None, NDArray[np.bool_]]:
        """Return the values and the fields of single outputs, and which of them are accepted."""
        values = confidences(confidence)
        codes = self._codes(by, len(values))
        self._require(None, "documents", needed=self.documents is not None)
        return values, codes, self._accepted(values, codes)

    @property
    def _of_fit(self) -> tuple[str | None, tuple[Reference, ...]]:
        return self.fitted_on, self.references

    def _promise(self, people: Reviewer | None) -> CheckedPromise:
        """What is tested, from the answers of these people."""
        return CheckedPromise.of(self.criterion, self.limit, self.failure_probability, people)

    def _of_fields(self, codes: NDArray[np.intp] | None) -> Iterator[tuple[Any, NDArray[np.bool_]]]:
        if codes is not None:
            yield from ((field, codes == i) for i, field in enumerate(self.fields))

    def shift(
        self,
        confidence: ArrayLike,
        *,
        by: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> ConfidenceShift:
        """Test whether the confidences have moved since the policy was fitted; no truth is needed.

        Parameters
        ----------
        confidence : array_like of shape (n,)
            Of new outputs, finite.
        by : array_like of shape (n,), optional
            The field of each output, where the policy has thresholds by field.
        groups : array_like of shape (n,), optional
            Labels of outputs that depend on each other, such as those of a page, where the policy was
            fitted with groups.

        Returns
        -------
        ConfidenceShift
            The p-value, and where the change is largest.

        Raises
        ------
        TypeError
            Where `by` is missing or superfluous; where `groups` is given, but was not to
            :func:`.fit_policy`.

        Notes
        -----
        Without `groups`, outputs are permuted between before and now, with them whole groups, since
        outputs of a page that go up and down together look like a shift. Of more than 500 groups on
        either side, 500 random ones are compared.
        """
        values = confidences(confidence)
        codes = self._codes(by, len(values))
        pages = None
        if groups is not None:
            self._require(groups, "groups", needed=self.has_groups)
            pages = read_groups(groups, len(values))[1]
        parts = list(self._of_fields(codes)) or [(None, np.ones(len(values), np.bool_))]
        seen = [
            Seen.of(field, reference, values[own], None if pages is None else pages[own])
            if own.any()
            else None
            for reference, (field, own) in zip(self.references, parts, strict=True)
        ]
        return shift_of(self.references, seen, self.failure_probability)

    def to_json(self) -> str:
        """Return the policy as the text of a JSON file."""
        written = {
            "thresholds": [_written(value) for value in self.thresholds],
            "bound": None if math.isnan(self.bound) else self.bound,
            "calibrations": [
                {
                    "thresholds": list(each.thresholds),
                    "n_items": each.n_items.tolist(),
                    "errors": each.errors.tolist(),
                }
                for each in self.calibrations
            ],
            "references": [
                {**each.to_dict(), "groups": written_groups(each.groups)} for each in self.references
            ],
            "document_threshold": _written(self.document_threshold),
            "types": [each._asdict() for each in self.types],
            "absences": [each._asdict() for each in self.absences],
            "settings": [each._asdict() for each in self.settings],
        }
        content = {"kind": KIND, "version": VERSION, **fields_of(self), **written}
        if self.truth_reader is None:  # so that files without one stay as they were, and their digests
            del content["truth_reader"], content["faultless_acceptance_rate"]
        else:
            content["truth_reader"] = written_reader(self.truth_reader)
        return json_text(content, indent=1) + "\n"

    @property
    def has_groups(self) -> bool:
        """Whether it is known how confidences go together within groups, as :meth:`shift` needs."""
        return all(each.groups is not None for each in self.references)

    @property
    def digest(self) -> str:
        """What tells the policy from others: the SHA-256 of its JSON text."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the policy to a JSON file, whole or not at all."""
        write_whole(path, self.to_json())

    @classmethod
    def from_json(cls, text: str) -> Policy:
        """Return the policy that :meth:`to_json` wrote.

        Raises
        ------
        ValueError
            Where the text is not that of a policy, or that of another version, and where a field is
            missing, unknown, of another type, out of its range or contradicts another one: the message
            names it.
        """
        return cls(**fields_of_policy(text))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Policy:
        """Read the policy that :meth:`save` wrote."""
        return read_saved(path, cls.from_json)

    def _decided(
        self,
        values: NDArray[Any],
        by: ArrayLike | None,
        documents: ArrayLike | None,
        rejected: ArrayLike | None,
        types: ArrayLike | None,
    ) -> tuple[Documents, NDArray[np.bool_], NDArray[np.intp] | None]:
        """Return documents, which of them are sure and complete enough to accept, and fields."""
        self.require_columns(by=by, documents=documents, types=types)
        n = len(values)
        codes, given = self._codes(by, n), given_of(rejected, n)
        of_item = read_groups(documents, n, "documents")[1]
        kinds = None
        if types is not None:
            kinds, _ = places_among([each.type for each in self.types], types, n, "types")
        whole = Documents.of(of_item, codes, given, len(self.calibrations), kinds)
        counts = given
        if codes is not None and (codes < 0).any():
            counts = codes >= 0 if given is None else given & (codes >= 0)
        right = 1.0 - self._error_probability(values, codes)
        needs = Requirements.of(self.fields, self.optional, self.types)
        missed = [each.missed_share for each in self.absences]
        sure = whole.confidence(right, counts, self.documents or "product", needs.has, missed)
        unknown = whole.found[:, [is_never(each) for each in self.calibrations]].any(axis=1)
        sure[unknown | whole.lacking(needs.required)] = HELD_BACK
        return whole, np.asarray(sure >= self.document_threshold), codes

    def _accepted(self, values: NDArray[Any], codes: NDArray[Any] | None) -> NDArray[np.bool_]:
        rules = [partial(at_or_above, threshold=threshold) for threshold in self.thresholds]
        return _by_field(rules, values, codes, unknown=False)

    def _error_probability(
        self, values: NDArray[Any], codes: NDArray[Any] | None
    ) -> NDArray[np.float64]:
        return _by_field([each.at for each in self.calibrations], values, codes, unknown=1.0)

    def _codes(self, by: ArrayLike | None, n: int) -> NDArray[np.intp] | None:
        """The index of each item's field in the policy; -1 where it has none."""
        self._require(by, "by", needed=bool(self.fields))
        if by is None:
            return None
        codes, given = places_among(self.fields, by, n, "by")
        kinds = {type(label).__name__ for label in given} - {
            type(each).__name__ for each in self.fields
        }
        if kinds and (codes < 0).all():
            known = listed([quoted(str(field)) for field in self.fields[:3]])
            raise TypeError(
                f"by must hold fields of type {type(self.fields[0]).__name__}, such as {known}, "
                f"got type {min(kinds)}"
            )
        return codes

    def require_columns(
        self, *, by: object, documents: object, groups: object = None, types: object = None
    ) -> None:
        """Raise a TypeError where labels are missing or superfluous."""
        if not self.has_groups:
            self._require(groups, "groups", needed=False)
        self._require(by, "by", needed=bool(self.fields))
        self._require(documents, "documents", needed=self.documents is not None)
        self._require(types, "types", needed=bool(self.types))

    def _require(self, given: object, name: str, *, needed: bool) -> None:
        if needed and given is None:
            raise TypeError(f"{name} is missing: the policy was fitted with {name}")
        if not needed and given is not None:
            raise TypeError(f"{name} is given, but the policy was fitted without {name}")


def _by_field(
    rules: Sequence[Callable[[NDArray[Any]], NDArray[Any]]],
    values: NDArray[Any],
    codes: NDArray[Any] | None,
    *,
    unknown: float,
) -> NDArray[Any]:
    """Return what the rule of each value's field makes of it; without fields there is one rule."""
    if codes is None:
        return rules[0](values)
    found = np.full(len(values), unknown)
    for i, rule in enumerate(rules):
        own = np.flatnonzero(codes == i)
        if len(own):
            found[own] = rule(values[own])
    return found


def _pages_of(groups: ArrayLike | None, n: int) -> NDArray[np.intp] | None:
    return None if groups is None else read_outermost(groups, n, "check").astype(np.intp)


def shares_in_words(of_all: float, of_read: float, n_read: int, n_unread: int) -> str:
    """Return the share of all items, and that of those that have an output, in words."""
    return (
        f"{percent(of_all, 3)} of {n_read + n_unread:,} items ({percent(of_read, 3)} of the {n_read:,} "
        "with an output)"
    )


def shown_threshold(threshold: float) -> str:
    """Return the rule of a threshold as people read it: all digits, as fewer decide otherwise."""
    if math.isinf(threshold):
        return "always" if threshold < 0 else "never"
    return f">= {repr(threshold).removesuffix('.0')}"


def _written(value: float) -> float | str:
    return str(value) if math.isinf(value) else value
