"""Fit a policy: one threshold, or one per field, that keeps a single limit on new outputs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from fastarac._core.checks import choice, exactly_one, fraction_of
from fastarac._core.dtype_comparison import at_or_above
from fastarac._core.exceptions import unquestioned
from fastarac._core.random_state import RandomState, generator_for, key_of
from fastarac._core.single_items import takes_items_only
from fastarac._engine.factors import read_outermost
from fastarac._engine.inputs import read_groups, read_items
from fastarac.areas.order import question_labels, question_sweep
from fastarac.guarantees.exact import GuaranteedOperatingPoint, guaranteed_operating_point
from fastarac.operating_points.points import operating_point
from fastarac.operation.absences import Tried, absences_of
from fastarac.operation.calibration import (
    Calibration,
    calibration_of,
    confidences,
    weighted_calibration,
)
from fastarac.operation.documents import (
    Documents,
    DocumentType,
    Requirements,
    given_of,
    never,
    optional_of,
    require_documents,
)
from fastarac.operation.fingerprints import FEWEST, fingerprint_of
from fastarac.operation.policy import Policy
from fastarac.operation.policy_files import RULES
from fastarac.operation.shifts import Reference
from fastarac.samples.door import answers_of, threshold_sweep
from fastarac.samples.partial import PartialTruth, truth_of_some

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from numpy.typing import ArrayLike, NDArray

    from fastarac.guarantees.fallback import Scale
    from fastarac.operation.acceptance import Rule
    from fastarac.reviewer import Reviewer

    # the references of the fields, and the fingerprint of the outputs
    _References: TypeAlias = tuple[tuple[Reference, ...], str | None]

METHODS = ("auto", "gamma")
UNKNOWN = 2.0  # error probability assigned to items of fields without a calibration


class _Columns(NamedTuple):
    """The items as arrays."""

    right: NDArray[np.bool_]
    """Whether each item is right; with partial truth, meaningless where the truth is unknown."""
    confidence: NDArray[Any]
    field: NDArray[Any]
    groups: NDArray[Any] | None
    documents: NDArray[Any] | None
    truth: PartialTruth | None = None
    given: NDArray[np.bool_] | None = None
    """Which items have a confidence; None if all do. The others hold the lowest confidence."""

    @property
    def with_confidence(self) -> NDArray[np.bool_]:
        """Which items have a confidence."""
        return np.ones(len(self.right), np.bool_) if self.given is None else self.given

    @property
    def weight(self) -> NDArray[np.float64] | None:
        """1/π for verified items, 0 for others; None if all are verified."""
        if self.truth is None:
            return None
        weight = np.zeros(len(self.right))
        known = self.truth.verified
        weight[known] = 1.0 / self.truth.inclusion_probability[known]
        return weight

    def in_order(self) -> NDArray[np.intp]:
        """Return the indices that sort the items by their values."""
        more = [each for each in (self.given, self.weight) if each is not None]
        return np.lexsort((*more, self.right, self.confidence, self.field))


@takes_items_only("it draws items at random, and tells them apart by field, group and document")
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
        Whether each output was right (bool, or 0 and 1), and its confidence (real and finite). Or a
        :class:`.PartialTruth`, without `documents` and `method`.
    by : array_like of shape (n,), optional
        The field of each output (name, date, amount). Each gets its own threshold, under one limit.
    max_error_rate, max_risk : float
        The limit on undetected errors among all outputs, or among the accepted ones; give one.
    failure_probability : float, default=0.05
        δ, in (0, 0.5]: the largest probability with which the policy exceeds the limit.
    groups : array_like of shape (n,), optional
        Labels of outputs that depend on each other, such as those of a page.
    max_group_size : int, optional
        The largest possible group size; by default that of the given groups.
    thresholds : array_like of shape (m,), optional
        For ``max_risk`` without `by` and `documents`: thresholds fixed without using these items, all
        of which then serve as proof.
    scale : {"percent", "unit"}, optional
        In place of `thresholds`: a declared scale, as for :func:`.guaranteed_operating_point`.
    method : {"auto", "gamma"}, default="auto"
        "gamma", for groups: an approximation, see :func:`.guaranteed_operating_point`.
    documents : array_like of shape (n,), optional
        The document of each output. Documents are accepted as a whole, and right if all outputs are.
    rule : {"product", "least"}, default="product"
        The confidence of a document: the product or the least of 1 − p̂ over its outputs.
    rejected : array_like of shape (n,), bool, optional
        With `documents`, rows for fields without an output: missed (not correct) or rightly empty
        (correct), with any finite `confidence`. A document without any output has one such row.
    optional : sequence of str or int, default=()
        Fields that an accepted document may lack. A missed value is an undetected error.
    types : array_like of shape (n,), optional
        The type of each output's document, which needs only the fields of its type.
    fields_complete : bool, default=False
        Whether a field without a row is known to have no true value.
    truth_reader : Reviewer, optional
        The people who gave `correct`, if they overlook errors (with documents: wrong documents).
    random_state : int, SeedSequence, Generator or None, default=0
        Seed for splitting the halves and for the order of groups.

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
        As :func:`.threshold_sweep` and :func:`.guaranteed_operating_point`; if `by` lacks a field of
        `optional`, the truth does not list one, or document options are given without documents.

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
    :func:`.guaranteed_operating_point` on all items. Otherwise a random half of the items estimates the
    error probability p̂ for each field, and the limit is proved on the other half, ranked by p̂. A poor
    p̂ lowers acceptance but never breaks the promise.

    Following ``Policy.advice`` on optional fields with the same `random_state` keeps the promise;
    choosing among several fits by how much they accept breaks it.

    References
    ----------
    Neyman and Pearson 1933, "On the problem of the most efficient tests of statistical hypotheses".
    """
    return fitted(request_of(**locals()))


class FitRequest(NamedTuple):
    """The items as arrays, and the checked arguments of the fit."""

    columns: _Columns
    settings: _Settings
    criterion: str
    limits: dict[str, Any]
    fixed: dict[str, Any]
    """Thresholds, or a scale, fixed without the items."""
    groups: ArrayLike | None
    documents: ArrayLike | None
    random_state: RandomState
    key: NDArray[np.uint64]

    @property
    def splits(self) -> bool:
        """Whether one half of the items ranks the outputs and the other half tests the limit."""
        is_whole = self.documents is not None or bool(self.settings.fields)
        return is_whole or (self.criterion == "max_risk" and not self.fixed)


def request_of(
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
) -> FitRequest:
    """Check the arguments of :func:`.fit_policy`."""
    criterion = exactly_one(max_error_rate=max_error_rate, max_risk=max_risk)
    choice(rule, "rule", RULES)
    choice(method, "method", METHODS)
    require_documents(
        documents, by, rejected=rejected, optional=optional, types=types,
        fields_complete=fields_complete or None,
    )  # fmt: skip
    answers = answers_of(correct, truth_reader)
    columns, fields = _columns_of(answers[:2], confidence, by, groups, documents, method, rejected)
    settings = _Settings(fields, optional_of(optional, fields), None, rule, fields_complete)
    if types is not None:
        names, of_type = read_groups(types, len(columns.right), "types")
        settings = settings._replace(types=(tuple(names.tolist()), of_type.astype(np.intp)))
    limits: dict[str, Any] = {criterion: max_risk if max_error_rate is None else max_error_rate}
    limits |= {"failure_probability": failure_probability, "max_group_size": max_group_size}
    limits |= {"method": method, "truth_reader": answers[2]}
    fixed = _fixed(by=by, documents=documents, thresholds=thresholds, scale=scale)
    key = key_of(random_state)
    return FitRequest(columns, settings, criterion, limits, fixed, groups, documents, random_state, key)


def fitted(request: FitRequest, ranks: NDArray[np.bool_] | None = None) -> Policy:
    """Return the fitted policy; `ranks` marks the ranking half, which is drawn here by default."""
    columns, settings, limits = request.columns, request.settings, request.limits
    references = _references(columns, max(1, len(settings.fields)))
    if columns.truth is None:
        question_labels(int(columns.right.sum()), len(columns.right))
    if not request.splits:
        given = limits | request.fixed
        return _one_threshold(columns, request.groups, given, request.random_state, references)
    fraction_of(limits[request.criterion], request.criterion)
    _question_fields(columns, settings.fields)
    return _ranked(columns, settings, request.documents, limits, request.key, references, ranks)


def _fixed(*, by: object, documents: object, **fixed: Any) -> dict[str, Any]:
    """Return the arguments that fix thresholds, or a scale, without the items."""
    given = {name: value for name, value in fixed.items() if value is not None}
    for name, column in (("by", by), ("documents", documents)):
        if given and column is not None:
            raise TypeError(
                f"{next(iter(given))} cannot go with {name}, of which error probabilities are ranked: "
                "leave out one of the two"
            )
    return given


def _one_threshold(
    columns: _Columns,
    groups: ArrayLike | None,
    limits: dict[str, Any],
    random_state: RandomState,
    references: _References,
) -> Policy:
    """Return the policy with one threshold, guaranteed by all items."""
    n = len(columns.right)
    point = guaranteed_operating_point(
        columns.right if columns.truth is None else columns.truth, columns.confidence, groups=groups,
        random_state=random_state, **limits,
    )  # fmt: skip
    taken = at_or_above(columns.confidence, point.threshold)
    tested = _Tested.of(columns.right, taken, np.zeros(n, np.intp), columns.groups, 1, columns.weight)
    every = _calibration(columns, np.arange(n)) or never()
    return _policy((), (point.threshold,), point, tested, (every,), references)


def _ranked(
    columns: _Columns,
    settings: _Settings,
    documents: ArrayLike | None,
    limits: dict[str, Any],
    key: NDArray[np.uint64],
    references: _References,
    ranks: NDArray[np.bool_] | None,
) -> Policy:
    """Return the policy that one half ranks by error probability and the other half proves."""
    truth, n_fields = columns.truth, max(1, len(settings.fields))
    limits = dict(limits)
    rng = _source_of_halves(columns, key)
    fitting = _random_half(columns, rng) if ranks is None else ranks
    known = _calibrations(columns, fitting, n_fields)
    right, score, codes, tested = columns.right, -_probability(columns, known), columns.groups, ~fitting
    whole: dict[str, Any] = {}
    if columns.documents is not None:
        halves = _Halves(columns, fitting, key, settings, documents)
        score, right = halves.score(known), halves.right
        tested = tested[halves.documents.first]
        codes = None if codes is None else codes[halves.documents.first]
        whole = {"documents": settings.rule, "optional": settings.optional, "types": halves.types}
        whole |= halves.advice(limits | ({} if codes is None else {"groups": codes}))
    if "max_risk" in limits:
        # these thresholds and the pilot come from the ranking half only
        fixed = score[~tested]
        if whole:  # leave out documents that are held back, so that no threshold accepts them
            fixed = np.append(fixed[fixed >= 0.0], [] if (fixed >= 0.0).any() else [1.0])
        limits |= {"thresholds": np.unique(fixed), "pilot": score[~tested]}
    with unquestioned():  # the underlying confidences were questioned already
        point = guaranteed_operating_point(
            right[tested] if truth is None else truth_of_some(truth, tested), score[tested],
            groups=None if codes is None else codes[tested], random_state=rng, **limits,
        )  # fmt: skip
    least = max(float(point.threshold), 0.0 if whole else -1.0)
    thresholds = tuple(
        math.inf if calibration is None or whole else calibration.accepted_down_to(-least)
        for calibration in known
    )
    calibrations = tuple(calibration or never() for calibration in known)
    counts = _Tested.of(
        right[tested], score[tested] >= least,
        np.zeros(int(tested.sum()), np.intp) if whole else columns.field[tested],
        None if codes is None else codes[tested], 1 if whole else n_fields,
        None if columns.weight is None else columns.weight[tested],
    )  # fmt: skip
    return _policy(
        settings.fields, thresholds, point, counts, calibrations, references,
        document_threshold=least, **whole,
    )  # fmt: skip


def half_that_ranks(requests: Sequence[FitRequest]) -> NDArray[np.bool_]:
    """Return the ranking half that requests for the same items share."""
    own = [_source_of_halves(each.columns, each.key).integers(0, 2**63, 2) for each in requests]
    return _random_half(requests[0].columns, np.random.default_rng(np.concatenate(own)))


def share_in_half(request: FitRequest, ranks: NDArray[np.bool_]) -> float:
    """Return the share that the ranking half would accept at the limit, ranked by itself.

    That share is too optimistic, but equally for all candidates. In simulations, it chose the better of
    two models more often than ranking one part of the half by the other did. The half that tests the
    limit is not used, so the choice breaks no promise.
    """
    columns = request.columns
    known = _calibrations(columns, ranks, max(1, len(request.settings.fields)))
    right, chosen, worst = columns.right, ranks, -1.0  # lowest score that may be accepted
    if columns.documents is None:
        score = -_probability(columns, known)
    else:
        halves = _Halves(columns, ranks, request.key, request.settings, request.documents)
        score, right, chosen, worst = halves.score(known), halves.right, halves.chosen, 0.0
    limit = {request.criterion: request.limits[request.criterion]}
    truth = right[chosen] if columns.truth is None else truth_of_some(columns.truth, chosen)
    with unquestioned():
        point = operating_point(truth, score[chosen], **limit)
    if point.threshold >= worst:
        return float(point.acceptance_rate)
    return float(np.mean(score[chosen] >= worst))


def _question_fields(columns: _Columns, fields: tuple[Any, ...]) -> None:
    """Warn if confidences are reversed, or all the same, in each field."""
    if columns.truth is not None:
        return
    for i in range(max(1, len(fields))):
        own = columns.field == i
        groups = None if columns.groups is None else columns.groups[own]
        of = f" of {fields[i]!r}" if fields else ""
        question_sweep(threshold_sweep(columns.right[own], columns.confidence[own]), groups, of)


class _Settings(NamedTuple):
    """The fields of documents, and how they combine."""

    fields: tuple[Any, ...]
    optional: tuple[Any, ...]
    types: tuple[tuple[Any, ...], NDArray[np.intp]] | None
    rule: Rule
    complete: bool


class _Halves:
    """Whole documents, one half of which ranks and the other half of which proves."""

    def __init__(
        self,
        columns: _Columns,
        fitting: NDArray[np.bool_],
        key: NDArray[np.uint64],
        settings: _Settings,
        labels: ArrayLike | None,
    ) -> None:
        self.columns, self.fitting, self.key, self.settings = columns, fitting, key, settings
        n_fields = max(1, len(settings.fields))
        names, codes = settings.types or ((), None)
        of_item: Any = columns.documents
        field = columns.field if settings.fields else None
        documents = Documents.of(of_item, field, columns.given, n_fields, codes)
        self.types, places = self._types(names, documents)
        self.documents = documents._replace(type=places[documents.type])
        self.right = self.documents.right(columns.right)
        self.needs = Requirements.of(settings.fields, settings.optional, self.types)
        self.lacking = self.documents.lacking(self.needs.required)
        wrong = np.zeros_like(documents.told)
        of_wrong = np.flatnonzero(~columns.right)
        wrong[documents.of_item[of_wrong], columns.field[of_wrong]] = True
        self.chosen = fitting[documents.first]
        self.absences = absences_of(
            self.documents, self.chosen, wrong, settings.fields, settings.optional, self.types,
            complete=settings.complete,
        )  # fmt: skip
        if not settings.complete:
            self.documents.require_told(~self.lacking, self.needs, settings.fields, np.asarray(labels))

    def _types(
        self, names: tuple[Any, ...], documents: Documents
    ) -> tuple[tuple[DocumentType, ...], NDArray[np.intp]]:
        """Return the types in the ranking half with their fields, and each label's type number.

        A type has each field with a true value or an output. Numbers are -1 for labels that do not
        occur there; a last -1 stands for no type.
        """
        columns, fields = self.columns, self.settings.fields
        there = self.fitting & (columns.with_confidence | ~columns.right)
        kind = documents.type[documents.of_item]
        found: list[DocumentType] = []
        places = np.full(len(names) + 1, -1, np.intp)
        for i, name in enumerate(names):
            own = np.unique(columns.field[there & (kind == i)])
            if len(own):
                places[i] = len(found)
                found.append(DocumentType(name, tuple(fields[j] for j in own.tolist())))
        return tuple(found), places

    def score(self, calibrations: list[Calibration | None]) -> NDArray[np.float64]:
        """Return the confidence of each document, negative if a person must open it."""
        score, hopeless = self._ranked(_probability(self.columns, calibrations))
        score[self.lacking | hopeless] = -UNKNOWN
        return score

    def _ranked(
        self, probability: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return each document's confidence, and whether it has outputs of uncalibrated fields."""
        given, documents = self.columns.given, self.documents
        missed = [each.missed_share for each in self.absences]
        score = documents.confidence(
            1.0 - probability, given, self.settings.rule, self.needs.has, missed
        )
        unknown = self.columns.with_confidence & (probability == UNKNOWN)
        return score, np.bincount(documents.of_item, unknown) > 0

    def advice(self, limits: dict[str, Any]) -> dict[str, Any]:
        """Return how often fields are absent, and the effect of other optional fields.

        Only the ranking half is used, so that following the advice and fitting again breaks no promise.
        Within it, each part is ranked by the other part.
        """
        columns, found = self.columns, self.absences
        if not any(each.absent for each in found):
            return {"absences": found}
        blocks: Any = columns.documents if columns.groups is None else columns.groups
        inside = np.unique(blocks[self.fitting])
        if len(inside) < 2:
            return {"absences": found}
        rng = np.random.default_rng([*self.key.tolist(), len(inside)])
        part = self.fitting & np.isin(blocks, inside[rng.permutation(len(inside)) < len(inside) // 2])
        probability = np.full(len(columns.right), UNKNOWN)
        n_fields = len(self.settings.fields)
        for ranked, by in ((part, self.fitting & ~part), (self.fitting & ~part, part)):
            known = _calibrations(columns, by, n_fields)
            probability[ranked] = _probability(columns, known)[ranked]
        score, hopeless = self._ranked(probability)
        groups = limits.pop("groups", None)
        tried = Tried(self.documents, self.chosen, self.right, hopeless, score, groups, limits)
        return {"absences": found, "settings": tried.settings(found, self.types)}


def _references(columns: _Columns, n_fields: int) -> _References:
    """Return each field's distribution of confidences, and the fingerprint of the outputs."""
    given, groups = columns.with_confidence, columns.groups
    found = []
    for i in range(n_fields):
        own = given & (columns.field == i)
        if own.any():
            found.append(Reference.of(columns.confidence[own], None if groups is None else groups[own]))
        else:  # no document has an output of this field
            found.append(Reference.of(np.zeros(1), None if groups is None else np.zeros(1, np.intp)))
    if max(len(each.edges) for each in found) < FEWEST:
        return tuple(found), None
    verified = columns.right[given] if columns.truth is None else None
    return tuple(found), fingerprint_of(columns.confidence[given], columns.field[given], verified)


def _probability(columns: _Columns, calibrations: list[Calibration | None]) -> NDArray[np.float64]:
    """Return the error probability of each item by its field's calibration."""
    probability = np.full(len(columns.right), UNKNOWN)
    for i, calibration in enumerate(calibrations):
        of_field = np.flatnonzero(columns.field == i)
        if calibration is not None:
            probability[of_field] = calibration.at(columns.confidence[of_field])
    return probability


def _source_of_halves(columns: _Columns, key: NDArray[np.uint64]) -> np.random.Generator:
    """Return a random generator seeded by the seed and the items, whatever their order."""
    order = columns.in_order()
    changes = np.diff(columns.confidence[order].astype(np.float64), prepend=math.nan) != 0.0
    return generator_for(
        key, columns.field[order].astype("<i8"), columns.right[order], changes,
        None if columns.given is None else columns.given[order],
        None if columns.weight is None else columns.weight[order].astype("<f8"),
    )  # fmt: skip


def _columns_of(
    answers: tuple[Any, PartialTruth | None],
    confidence: ArrayLike,
    by: ArrayLike | None,
    groups: ArrayLike | None,
    documents: ArrayLike | None,
    method: str,
    rejected: ArrayLike | None,
) -> tuple[_Columns, tuple[Any, ...]]:
    """Check the items; return them as arrays, with the labels of the fields."""
    labels, truth = answers
    if truth is not None:
        if documents is not None:
            raise TypeError(
                "documents cannot go with a PartialTruth: give outputs alone, or one item for "
                "each document, right if all its outputs are"
            )
        if method != "auto":
            raise TypeError(f"method must be 'auto' for a PartialTruth, got {method!r}")
        threshold_sweep(truth, confidence)  # raises unless all are finite
        right = np.asarray(truth.correct != 0)
        values = confidences(confidence)
        if groups is None and truth.groups is not None:
            groups = truth.groups
    else:
        threshold_sweep(labels, confidence)
        items = read_items(labels, confidence)
        right, values = np.not_equal(items.correct, 0), items.confidence
    n = len(right)
    given = given_of(rejected, n)
    if given is not None:
        if not given.any():
            raise ValueError("rejected marks every output: at least one must have a confidence")
        values = np.where(given, values, values[given].min())
    fields: tuple[Any, ...] = ()
    field = np.zeros(n, np.intp)
    if by is not None:
        names, field = read_groups(by, n, "by")
        fields = tuple(names.tolist())
    columns = _Columns(
        right,
        values,
        field,
        None if groups is None else read_outermost(groups, n, "fit_policy"),
        None if documents is None else read_groups(documents, n, "documents")[1],
        truth,
        given,
    )
    return columns, fields


def _random_half(columns: _Columns, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return the half of the items, groups or documents that the calibrations are fitted on.

    Items are sorted by their values first, so that their given order does not matter.
    """
    blocks = columns.groups if columns.groups is not None else columns.documents
    if blocks is None:
        n = len(columns.right)
        drawn = np.empty(n, np.bool_)
        drawn[columns.in_order()] = _half(n, rng)
        return drawn
    if columns.groups is not None and columns.documents is not None:
        pages = np.unique(np.column_stack([columns.documents, columns.groups]), axis=0)[:, 0]
        if len(np.unique(pages)) < len(pages):
            raise ValueError("documents must each lie within one group, but one lies in several")
    return np.asarray(_half(int(blocks.max()) + 1, rng)[blocks])


def _half(n: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    if n < 2:
        raise ValueError(
            "correct must have at least two items, groups or documents, one for each half, got one"
        )
    return np.asarray(rng.permutation(n) < n // 2)


def _calibrations(
    columns: _Columns, fitting: NDArray[np.bool_], n_fields: int
) -> list[Calibration | None]:
    return [
        _calibration(columns, np.flatnonzero(fitting & columns.with_confidence & (columns.field == i)))
        for i in range(n_fields)
    ]


def _calibration(columns: _Columns, own: NDArray[np.intp]) -> Calibration | None:
    """Return the calibration of some items; None if none of them is verified."""
    weight = columns.weight
    if weight is None:
        if not len(own):
            return None
        return calibration_of(threshold_sweep(columns.right[own], columns.confidence[own]))
    own = own[weight[own] > 0.0]
    if not len(own):
        return None
    return weighted_calibration(~columns.right[own], columns.confidence[own], weight[own])


class _Tested(NamedTuple):
    """Counts of the tested items; accepted outputs and errors by field."""

    n_items: int
    accepted: tuple[int, ...]
    errors: tuple[float, ...]
    errors_per_group: float
    n_verified: int | None = None

    @classmethod
    def of(
        cls,
        right: NDArray[np.bool_],
        accepted: NDArray[np.bool_],
        field: NDArray[np.intp],
        groups: NDArray[Any] | None,
        n_fields: int,
        weight: NDArray[np.float64] | None = None,
    ) -> _Tested:
        """Count outputs and errors; with weights, estimate the errors by ratios (Hájek 1971).

        A verified error stands for 1/π errors, which are treated as one group.
        """
        wrong = accepted & ~right
        per_group = 1.0
        taken, errors = (np.bincount(field[of], minlength=n_fields) for of in (accepted, wrong))
        if weight is None:
            if groups is not None and wrong.any():
                in_groups = np.bincount(groups[wrong])
                per_group = float(np.sum(in_groups**2) / in_groups.sum())
            return cls(len(right), tuple(taken.tolist()), tuple(errors.tolist()), per_group)
        known, found = (np.bincount(field[of], weight[of], n_fields) for of in (accepted, wrong))
        rates = np.divide(found, known, out=np.zeros(n_fields), where=known > 0.0)
        # without accepted errors, use the weights of all accepted outputs, any of which might be wrong
        of = wrong if wrong.any() else accepted & (weight > 0.0)
        if of.any():
            together = weight[of] if groups is None else np.bincount(groups[of], weight[of])
            per_group = float(np.sum(together**2) / together.sum())
        return cls(
            len(wrong), tuple(taken.tolist()), tuple((taken * rates).tolist()), max(1.0, per_group),
            int(np.sum(weight > 0.0)),
        )  # fmt: skip


def _policy(
    fields: tuple[Any, ...],
    thresholds: tuple[float, ...],
    point: GuaranteedOperatingPoint,
    tested: _Tested,
    calibrations: tuple[Calibration, ...],
    references: _References,
    **of_documents: Any,
) -> Policy:
    return Policy(
        fields=fields,
        thresholds=thresholds,
        criterion=point.criterion,
        limit=point.limit,
        failure_probability=point.failure_probability,
        bound=point.bound,
        max_group_size=point.max_group_size,
        n_items=tested.n_items,
        accepted=sum(tested.accepted),
        errors=sum(tested.errors) if tested.n_verified is None else math.fsum(tested.errors),
        accepted_by_field=tested.accepted,
        errors_by_field=tested.errors,
        errors_per_group=tested.errors_per_group,
        calibrations=calibrations,
        references=references[0],
        certified=point.certified,
        approximate_acceptance_rate=point.approximate_acceptance_rate,
        n_verified=tested.n_verified,
        least_probability=point.assumed_probability,
        truth_reader=point.truth_reader,
        faultless_acceptance_rate=point.faultless_acceptance_rate,
        fitted_on=references[1],
        **of_documents,
    )
