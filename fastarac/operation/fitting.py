"""Fit a policy: one threshold, or one per field, that keeps a single limit on new outputs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from inspect import Signature, signature
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from fastarac._core.checks import choice, exactly_one, fraction_of
from fastarac._core.dtype_comparison import at_or_above
from fastarac._core.exceptions import unquestioned
from fastarac._core.random_state import RandomState, key_of
from fastarac._core.single_items import takes_items_only
from fastarac._engine.inputs import read_groups
from fastarac.areas.order import question_labels, question_sweep
from fastarac.guarantees.exact import GuaranteedOperatingPoint, guaranteed_operating_point
from fastarac.operation.documents import never, optional_of, require_documents
from fastarac.operation.expected_errors import TestedCounts
from fastarac.operation.fingerprints import FEWEST, fingerprint_of
from fastarac.operation.item_columns import (
    ItemColumns,
    calibration_of_items,
    calibrations_of,
    columns_of,
    error_probabilities,
)
from fastarac.operation.policy import Policy
from fastarac.operation.policy_files import RULES
from fastarac.operation.ranked_documents import DocumentSettings, RankedDocuments
from fastarac.operation.ranking_half import random_half, source_of_halves
from fastarac.operation.shifts import Reference
from fastarac.samples.door import answers_of, threshold_sweep

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from fastarac.guarantees.fallback import Scale
    from fastarac.operation.acceptance import Rule
    from fastarac.reviewer import Reviewer

METHODS = ("auto", "gamma")


@takes_items_only("it draws items at random and needs their fields, groups and documents")
def fit_policy(
    correct: ArrayLike,
    confidence: ArrayLike,
    *,
    by: ArrayLike | None = None,
    max_error_rate: float | None = None,
    max_risk: float | None = None,
    failure_probability: float = 0.05,
    groups: ArrayLike | None = None,
    max_group_size: int | None = None,
    thresholds: ArrayLike | None = None,
    scale: Scale | None = None,
    method: Literal["auto", "gamma"] = "auto",
    documents: ArrayLike | None = None,
    rule: Rule = "product",
    rejected: ArrayLike | None = None,
    optional: Sequence[Any] = (),
    types: ArrayLike | None = None,
    fields_complete: bool = False,
    truth_reader: Reviewer | None = None,
    random_state: RandomState = 0,
) -> Policy:
    r"""Fit thresholds that keep one limit over all outputs, including new ones, with high probability.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,)
        Whether each output was right (bool, or 0 and 1), and its confidence (real and finite).
        `correct` may be a :class:`.PartialTruth` if neither `documents` nor `method` is given.
    by : array_like of shape (n,), optional
        The field of each output, such as name, date or amount. Each field gets its own threshold, but
        the limit is for all fields together.
    max_error_rate, max_risk : float
        The limit on undetected errors, as a share of all outputs or of the accepted outputs. Give one
        of the two.
    failure_probability : float, default=0.05
        δ, in (0, 0.5]: the largest probability with which the policy exceeds the limit.
    groups : array_like of shape (n,), optional
        Labels of outputs that depend on each other, such as those of a page.
    max_group_size : int, optional
        The largest possible group size; by default the size of the largest given group.
    thresholds : array_like of shape (m,), optional
        For ``max_risk`` without `by` and `documents`: candidate thresholds that were fixed without
        using these items. Then all items can test the limit.
    scale : {"percent", "unit"}, optional
        In place of `thresholds`: a declared scale, as for :func:`.guaranteed_operating_point`.
    method : {"auto", "gamma"}, default="auto"
        "gamma" is an approximation for groups; see :func:`.guaranteed_operating_point`.
    documents : array_like of shape (n,), optional
        The document of each output. A document is accepted as a whole, and it is right if all its
        outputs are right.
    rule : {"product", "least"}, default="product"
        The confidence of a document: the product, or the least, of the estimated probabilities that its
        outputs are right.
    rejected : array_like of shape (n,), bool, optional
        With `documents`: marks rows for fields without an output. Such a row is correct if the field is
        rightly empty, and not correct if a value was missed. Its `confidence` may be any finite number.
        A document without any output has one such row.
    optional : sequence of str or int, default=()
        Fields that an accepted document may lack. If the value of such a field is missed, this is an
        undetected error.
    types : array_like of shape (n,), optional
        The type of each output's document. A document needs only the fields of its type.
    fields_complete : bool, default=False
        Whether a field without a row is known to have no true value.
    truth_reader : Reviewer, optional
        The people who gave `correct`, if they overlook errors. With `documents`, their detection
        rate is the share of wrong documents that they notice.
    random_state : int, SeedSequence, Generator or None, default=0
        Seed for the random halves and for the random order of groups.

    Examples
    --------
    >>> import numpy as np
    >>> import fastarac as fa
    >>> rng = np.random.default_rng(0)
    >>> field = rng.choice(["date", "name"], 4000)
    >>> confidence = rng.random(4000)
    >>> p = np.where(field == "date", 0.05, 0.5) * (1 - confidence)
    >>> correct = rng.random(4000) >= p
    >>> policy = fa.operation.fit_policy(correct, confidence, by=field, max_error_rate=0.03)
    >>> policy.fields, round(policy.acceptance_rate, 2)
    (('date', 'name'), 0.63)
    >>> policy.apply([0.9, 0.2], by=["date", "name"])
    array([ True, False])

    Returns
    -------
    Policy
        The thresholds, the guarantee, and the distribution of the confidences.

    Raises
    ------
    TypeError
        Unless exactly one limit is given.
    ValueError, TypeError
        As :func:`.threshold_sweep` and :func:`.guaranteed_operating_point`. Also if `by` lacks a field
        of `optional`, if the truth does not list an optional field, or if options for documents are
        given without `documents`.

    Warns
    -----
    SampleTooSmallWarning
        If the outputs are too few to prove anything.
    QuestionableInputWarning
        If the confidences are reversed (by more than chance), or all the same.

    See Also
    --------
    Policy : which outputs are accepted, under one limit
    fastarac.guaranteed_operating_point : choose a threshold that keeps a limit on new items

    Notes
    -----
    A single threshold under ``max_error_rate``, or with `thresholds` or `scale`, comes from
    :func:`.guaranteed_operating_point` on all items. Otherwise the fit uses two random halves of the
    items. One half serves to estimate the error probability p̂ of each output, field by field. The
    other half is ranked by p̂ and tests the limit. A poor p̂ lowers acceptance but never breaks the
    promise.

    You may follow ``Policy.advice`` on optional fields: if you fit again with the same `random_state`,
    the promise is kept. But if you choose among several fits by how much they accept, the promise is
    broken; use :func:`.fit_policies` instead.

    References
    ----------
    Neyman and Pearson 1933, "On the problem of the most efficient tests of statistical hypotheses".
    """
    return PolicyFit.of(request_of(**locals())).policy()


def request_of(**arguments: Any) -> SimpleNamespace:
    """Add the defaults of :func:`.fit_policy` to its arguments; raise TypeError for unknown names."""
    bound = _parameters().bind(**arguments)
    bound.apply_defaults()
    return SimpleNamespace(**bound.arguments)


@cache
def _parameters() -> Signature:
    return signature(fit_policy)  # which takes as long as many a fit inside a plan


@dataclass(frozen=True, slots=True)
class PolicyFit:
    """A fit with checked arguments and the items as arrays."""

    columns: ItemColumns
    settings: DocumentSettings
    criterion: str
    limits: dict[str, Any]
    fixed: dict[str, Any]
    """`thresholds` or `scale`, if given."""
    groups: ArrayLike | None
    random_state: RandomState
    key: NDArray[np.uint64]

    @classmethod
    def of(cls, request: SimpleNamespace) -> PolicyFit:
        """Check the arguments of :func:`.fit_policy`, as :func:`.request_of` returns them."""
        maxima = {"max_error_rate": request.max_error_rate, "max_risk": request.max_risk}
        criterion = exactly_one(**maxima)
        choice(request.rule, "rule", RULES)
        choice(request.method, "method", METHODS)
        require_documents(
            request.documents, request.by, rejected=request.rejected, optional=request.optional,
            types=request.types, fields_complete=request.fields_complete or None,
        )  # fmt: skip
        labels, truth, people = answers_of(request.correct, request.truth_reader)
        columns, fields = columns_of(
            (labels, truth), request.confidence, request.by, request.groups, request.documents,
            request.method, request.rejected,
        )  # fmt: skip
        types = None
        optional = optional_of(request.optional, fields)
        if request.types is not None:
            names, of_type = read_groups(request.types, columns.n, "types")
            types = tuple(names.tolist()), of_type.astype(np.intp)
        settings = DocumentSettings(
            fields, optional, types, request.rule, request.fields_complete, request.documents
        )
        limits = {
            criterion: maxima[criterion],
            "failure_probability": request.failure_probability,
            "max_group_size": request.max_group_size,
            "method": request.method,
            "truth_reader": people,
        }
        return cls(
            columns, settings, criterion, limits, _fixed(request), request.groups,
            request.random_state, key_of(request.random_state),
        )  # fmt: skip

    @property
    def splits(self) -> bool:
        """Whether half of the items are used to rank the outputs, and the others to test the limit."""
        is_whole = self.columns.documents is not None or bool(self.settings.fields)
        return is_whole or (self.criterion == "max_risk" and not self.fixed)

    @property
    def limit(self) -> dict[str, Any]:
        """The limit, as a mapping from its name to its value."""
        return {self.criterion: self.limits[self.criterion]}

    def policy(self, ranks: NDArray[np.bool_] | None = None) -> Policy:
        """Return the fitted policy; `ranks` marks the half used for ranking, by default at random."""
        columns = self.columns
        references, fingerprint = _references(columns, self.settings.n_fields)
        if columns.all_verified:
            question_labels(int(columns.right.sum()), columns.n)
        if self.splits:
            _question_fields(columns, self.settings.fields)
        return Policy(references=references, fitted_on=fingerprint, **self._tested(ranks))

    def acceptance_rate(self) -> float:
        """Return the acceptance rate of the fitted policy, without making the policy."""
        tested = self._tested(None)
        return float(tested["accepted"] / tested["n_items"])

    def _tested(self, ranks: NDArray[np.bool_] | None) -> dict[str, Any]:
        """Return the thresholds, the guarantee and the tested counts, as attributes of a policy."""
        if not self.splits:
            return self._one_threshold()
        fraction_of(self.limits[self.criterion], self.criterion)
        return self._by_halves(ranks)

    def _one_threshold(self) -> dict[str, Any]:
        """Return the attributes of a policy with one threshold; all items are used to test it."""
        columns = self.columns
        point = guaranteed_operating_point(
            columns.answers(), columns.confidence, groups=self.groups, random_state=self.random_state,
            **self.limits, **self.fixed,
        )  # fmt: skip
        taken = at_or_above(columns.confidence, point.threshold)
        field = np.zeros(columns.n, np.intp)
        tested = TestedCounts.of(columns.right, taken, field, columns.groups, 1, columns.weight)
        every = calibration_of_items(columns, np.arange(columns.n)) or never()
        return {
            "fields": (), "thresholds": (point.threshold,), "calibrations": (every,),
            **_of_point(point), **_of_counts(tested),
        }  # fmt: skip

    def _by_halves(self, ranks: NDArray[np.bool_] | None) -> dict[str, Any]:
        """Rank the outputs by one half of the items, and test the limit on the other half."""
        columns, settings = self.columns, self.settings
        rng = source_of_halves(columns, self.key)
        ranking = random_half(columns, rng) if ranks is None else ranks
        known = calibrations_of(columns, ranking, settings.n_fields)
        right, score = columns.right, -error_probabilities(columns, known)
        codes, tested = columns.groups, ~ranking
        weight, field, limits = columns.weight, columns.field, dict(self.limits)
        whole: dict[str, Any] = {}
        if columns.documents is not None:
            documents = RankedDocuments(columns, ranking, self.key, settings)
            first = documents.documents.first
            score, right, tested = documents.score(known), documents.right, tested[first]
            codes = None if codes is None else codes[first]
            weight, field = None, np.zeros(len(right), np.intp)
            whole = documents.settings_of_policy(limits | ({} if codes is None else {"groups": codes}))
        if self.criterion == "max_risk":
            # Take the candidate thresholds and the pilot only from the half that ranks, because the
            # other half must prove the limit.
            fixed = score[~tested]
            if whole:  # Leave out documents that are held back, so that no threshold accepts them.
                fixed = np.append(fixed[fixed >= 0.0], [] if (fixed >= 0.0).any() else [1.0])
            limits |= {"thresholds": np.unique(fixed), "pilot": score[~tested]}
        with unquestioned():  # The fit has already warned of reversed or constant confidences.
            point = guaranteed_operating_point(
                right[tested] if whole else columns.answers(tested), score[tested],
                groups=None if codes is None else codes[tested], random_state=rng, **limits,
            )  # fmt: skip
        least = max(float(point.threshold), 0.0 if whole else -1.0)
        thresholds = tuple(
            math.inf if calibration is None or whole else calibration.accepted_down_to(-least)
            for calibration in known
        )
        counts = TestedCounts.of(
            right[tested], score[tested] >= least, field[tested],
            None if codes is None else codes[tested], 1 if whole else settings.n_fields,
            None if weight is None else weight[tested],
        )  # fmt: skip
        return {
            "fields": settings.fields, "thresholds": thresholds, "document_threshold": least,
            "calibrations": tuple(calibration or never() for calibration in known),
            **whole, **_of_point(point), **_of_counts(counts),
        }  # fmt: skip


def _fixed(request: SimpleNamespace) -> dict[str, Any]:
    """Return `thresholds` or `scale`, if given; raise if `by` or `documents` is given, too."""
    given = {"thresholds": request.thresholds, "scale": request.scale}
    given = {name: value for name, value in given.items() if value is not None}
    for name, column in (("by", request.by), ("documents", request.documents)):
        if given and column is not None:
            raise TypeError(
                f"{next(iter(given))} cannot go with {name}, because the fit then chooses its own "
                "thresholds: leave out one of the two"
            )
    return given


def _question_fields(columns: ItemColumns, fields: tuple[Any, ...]) -> None:
    """Warn of fields in which low confidences are right more often, or all confidences are equal."""
    if not columns.all_verified:
        return
    for i in range(max(1, len(fields))):
        own = columns.field == i
        groups = None if columns.groups is None else columns.groups[own]
        of = f" of {fields[i]!r}" if fields else ""
        question_sweep(threshold_sweep(columns.right[own], columns.confidence[own]), groups, of)


def _references(columns: ItemColumns, n_fields: int) -> tuple[tuple[Reference, ...], str | None]:
    """Return each field's distribution of confidences, and the fingerprint of the outputs."""
    given, groups = columns.with_confidence, columns.groups
    found = []
    for i in range(n_fields):
        own = given & (columns.field == i)
        if own.any():
            found.append(Reference.of(columns.confidence[own], None if groups is None else groups[own]))
        else:  # No output of this field has a confidence, so use a single 0 as a placeholder.
            found.append(Reference.of(np.zeros(1), None if groups is None else np.zeros(1, np.intp)))
    if max(len(each.edges) for each in found) < FEWEST:
        return tuple(found), None
    verified = columns.right[given] if columns.all_verified else None
    return tuple(found), fingerprint_of(columns.confidence[given], columns.field[given], verified)


def _of_point(point: GuaranteedOperatingPoint) -> dict[str, Any]:
    """Return the attributes of a policy that come from its guaranteed operating point."""
    names = (
        "criterion", "limit", "failure_probability", "bound", "max_group_size", "certified",
        "approximate_acceptance_rate", "truth_reader", "faultless_acceptance_rate",
    )  # fmt: skip
    return {"least_probability": point.assumed_probability} | {
        name: getattr(point, name) for name in names
    }


def _of_counts(tested: TestedCounts) -> dict[str, Any]:
    """Return the attributes of a policy that count the tested items."""
    return {
        "n_items": tested.n_items,
        "accepted": sum(tested.accepted),
        "errors": sum(tested.errors) if tested.n_verified is None else math.fsum(tested.errors),
        "accepted_by_field": tested.accepted,
        "errors_by_field": tested.errors,
        "errors_per_group": tested.errors_per_group,
        "n_verified": tested.n_verified,
    }
