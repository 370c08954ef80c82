"""Thresholds that keep a limit on new items with a stated probability."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastarac._core.checks import choice, exactly_one, failure_of, fraction_of, real_scalar
from fastarac._core.exceptions import collected, warn_too_small
from fastarac._core.random_state import RandomState, generator_for, key_of
from fastarac._core.results import Result
from fastarac._core.special import binomial_cdf, binomial_upper_bound
from fastarac._core.text import percent
from fastarac._engine.factors import read_outermost
from fastarac._engine.inputs import read_items, vector
from fastarac.areas.order import question_sweep
from fastarac.guarantees.betting import GroupedItems, bet_on_error_rate, bet_on_risk
from fastarac.guarantees.fallback import (
    FIXED,
    HOW_TO_FIX,
    PILOT,
    Scale,
    counts_at,
    fixed_thresholds,
    pilot_shares,
    points_at,
    rejected,
    rejected_by_rank,
    require_on_scale,
    require_within_reach,
    set_aside,
    starts_of,
)
from fastarac.guarantees.gamma import (
    FEWEST_GROUPS,
    gamma_on_error_rate,
    gamma_on_risk,
    groups_needed,
    upper_bound,
)
from fastarac.guarantees.partial import proved_of, refuse_grades
from fastarac.guarantees.pocock import FEW_ERRORS, within
from fastarac.operating_points.limits import last_accepted
from fastarac.operating_points.points import OperatingPoint, operating_point
from fastarac.reviewer import Reviewer, limit_of_found, premise_of
from fastarac.samples.door import answers_of, as_sweep, require_confidence
from fastarac.sweep import ThresholdSweep

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastarac.samples.partial import PartialTruth

Method = Literal["auto", "exact", "pocock", "fallback", "sgr", "betting", "one_per_group", "gamma"]
METHODS: tuple[Method, ...] = get_args(Method)
# If the proved acceptance rate is below this share of the rate by "gamma", both rates are reported.
MUCH_LESS = 0.5
# The items among which each limit counts errors, as named in sentences.
_WHOLE = {"max_error_rate": "all items", "max_risk": "accepted items"}


@dataclass(frozen=True, slots=True, eq=False)
class GuaranteedOperatingPoint(Result):
    """A threshold that keeps its limit on new items from the same source.

    ``print`` shows it as a sentence. :func:`.guaranteed_operating_point` defines the promise.

    Attributes
    ----------
    point : OperatingPoint
        Threshold, counts and rates on the given items. The threshold is ``inf`` if nothing can be
        guaranteed.
    bound : float
        The upper bound of the limited rate at this threshold, in [0, `limit`]: by Clopper and Pearson
        or, for "gamma", by the gamma approximation. NaN for "betting" and "one_per_group"; 0 if the
        threshold accepts no item.
    limit : float
        The limit on the error rate or risk.
    failure_probability : float
        δ, the largest probability that a sample of this size leads to a threshold that exceeds the
        limit.
    criterion : {"max_error_rate", "max_risk"}
        Whether errors are limited as a share of all items, or of the accepted items.
    max_group_size : int or None
        For grouped items, the largest size of a group for which the guarantee holds.
    certified : bool
        Whether the guarantee is proved; False for the approximation "gamma".
    approximate_acceptance_rate : float or None
        The acceptance rate of the approximation "gamma", if "auto" can prove less than half of it.
    assumed_probability : float or None
        None unless a `PartialTruth` has unknown inclusion probabilities. Otherwise, the smallest
        declared probability, or else the smallest known one. The guarantee holds only if no output was
        chosen with a smaller probability.
    truth_reader : Reviewer or None
        The people who gave the answers, if they may overlook errors. `bound` then includes the errors
        that they overlook.
    faultless_acceptance_rate : float or None
        The acceptance rate that would be guaranteed if `truth_reader` overlooked nothing.

    See Also
    --------
    fastarac.guaranteed_operating_point : choose a threshold that keeps a limit on new items
    """

    point: OperatingPoint
    bound: float
    limit: float
    failure_probability: float
    criterion: str
    max_group_size: int | None = None
    certified: bool = True
    approximate_acceptance_rate: float | None = None
    assumed_probability: float | None = None
    truth_reader: Reviewer | None = None
    faultless_acceptance_rate: float | None = None

    @property
    def threshold(self) -> Any:
        """The threshold: accept an item iff its confidence is at or above it."""
        return self.point.threshold

    @property
    def acceptance_rate(self) -> float:
        """The share of the given items that is accepted, X."""
        return self.point.acceptance_rate

    def __str__(self) -> str:
        confidence = percent(1.0 - self.failure_probability)
        promise = f"at most {percent(self.limit)} errors remain among {_WHOLE[self.criterion]}"
        instead = ""
        if self.approximate_acceptance_rate is not None:
            share = percent(self.approximate_acceptance_rate, 4)
            instead = f"; method='gamma', an approximation without proof, would accept {share}"
        if self.threshold == math.inf:
            what = (
                "no threshold guarantees" if self.certified else "by approximation, no threshold keeps"
            )
            return f"{what} with {confidence} confidence that {promise}: accept nothing{instead}"
        seen = "observed"
        observed = self.point.error_rate if self.criterion == "max_error_rate" else self.point.risk
        provided = ""
        if self.max_group_size is not None:
            provided = f", if no group has more than {self.max_group_size} items"
        if self.assumed_probability is not None:
            least = f"none was chosen with a probability below {self.assumed_probability:.4g}"
            provided += f"{' and' if provided else ', if'} {least}"
        if not self.certified:
            provided = ", by an approximation that is not proved"
        if self.truth_reader is not None:
            premise = premise_of(self.truth_reader)
            provided += f" and {premise}" if provided and self.certified else f", {premise}"
            seen = "found"
            if self.faultless_acceptance_rate is not None:
                share = percent(self.faultless_acceptance_rate, 4)
                instead += f"; if they overlooked nothing, {share} would be accepted"
        return (
            f"accept {percent(self.acceptance_rate, 4)} at confidence >= {self.threshold}: with "
            f"{confidence} confidence {promise}{provided} ({seen} {percent(observed, 4)}){instead}"
        )


def guaranteed_operating_point(
    correct: ArrayLike | ThresholdSweep,
    confidence: ArrayLike | None = None,
    *,
    max_error_rate: float | None = None,
    max_risk: float | None = None,
    failure_probability: float = 0.05,
    groups: ArrayLike | None = None,
    max_group_size: int | None = None,
    thresholds: ArrayLike | None = None,
    scale: Scale | None = None,
    pilot: ArrayLike | None = None,
    method: Method = "auto",
    truth_reader: Reviewer | None = None,
    never_accepted: float | None = None,
    random_state: RandomState = 0,
) -> GuaranteedOperatingPoint:
    """Choose a threshold that keeps a limit on new items from the same source, with high probability.

    The threshold of :func:`.operating_point` keeps its limit on new items only about half of the time.
    This function adds a margin for chance, which is larger if there are fewer items.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,), or a ThresholdSweep alone
        Whether each output was right (bool, or 0 and 1), and its confidence (real and finite).
    max_error_rate, max_risk : float, optional
        Limit, in [0, 1], of undetected errors among *all* items, or of errors among *accepted* ones.
    failure_probability : float, default=0.05
        δ, in (0, 0.5]: the largest allowed probability that the threshold exceeds the limit.
    groups : array_like of shape (n,), optional
        Label of each item's group, such as a page or document. Items of a group may depend on each
        other.
    max_group_size : int, optional
        Largest possible size of a group. By default, no group is assumed to be larger than the largest
        one seen.
    thresholds : array_like of shape (m,), optional
        Thresholds to test for ``max_risk``. They must have been fixed without looking at these items.
    scale : {"percent", "unit"}, optional
        The scale of the confidences, which replaces `thresholds` by fixed ones: the integers from 0 to
        100 for "percent", and a grid on [0, 1] for "unit".
    pilot : array_like of shape (k,), optional
        Other confidences from the same source, used to choose the first thresholds to test. By default,
        a tenth of the items is set aside for this choice. "pocock" needs no pilot, and sets no items
        aside.
    method : {"auto", "exact", "pocock", "fallback", "sgr", "betting", "one_per_group", "gamma"}
        "auto", the default, uses "betting" with groups, and for a :class:`.PartialTruth` unless all
        outputs were drawn with the same probability and there is no judge. Otherwise it uses "exact"
        for ``max_error_rate``. For ``max_risk``, it uses "pocock" with a scale if the limit allows at
        most 50 errors among all items, and otherwise "fallback". "pocock", "fallback" and "sgr" can
        take their thresholds from the items. "one_per_group" draws at most one item from each group,
        and suits ``max_error_rate`` with small groups. "gamma" is an approximation for groups, which
        accepts far more but is not proved.
    truth_reader : Reviewer, optional
        The people who gave the answers in `correct`, if they may overlook errors.
    never_accepted : float, optional
        Items with this confidence or less are never accepted, such as items without an output.
    random_state : int, SeedSequence, Generator or None, default=0
        Seed for the choice of the items set aside, for the order of groups, and for the items drawn
        from groups.

    Examples
    --------
    >>> import fastarac as fa
    >>> from fastarac.datasets import load_digits_ocr
    >>> items = load_digits_ocr()["knn-votes"]
    >>> point = fa.guaranteed_operating_point(*items, max_error_rate=0.01)
    >>> point.threshold, round(point.bound, 4)
    (0.75, 0.0087)
    >>> print(point)  # doctest: +NORMALIZE_WHITESPACE
    accept 92.54% at confidence >= 0.75: with 95% confidence at most 1% errors remain among all
    items (observed 0.5008%)
    >>> people = fa.Reviewer(detection_rate=0.8)
    >>> fa.guaranteed_operating_point(*items, max_error_rate=0.01, truth_reader=people).threshold
    0.8

    Returns
    -------
    GuaranteedOperatingPoint
        The lowest threshold that the method guarantees; ``inf`` if there is none.

    Raises
    ------
    TypeError
        If not exactly one limit is given. Also for weighted sweeps, because weights are not counts.
    ValueError, TypeError
        As :func:`.threshold_sweep`. Also for arguments outside their ranges, and for thresholds that do
        not fit the confidences.

    Warns
    -----
    SampleTooSmallWarning
        If the items are too few to guarantee any threshold, even without errors. "gamma" also warns
        with fewer than 20 groups.
    QuestionableInputWarning
        For a limit of 1, which may have been meant as 1%. Also for reversed or constant confidences.

    See Also
    --------
    operating_point : the threshold for one criterion, with its acceptance and error rates
    fastarac.operation.fit_policy : fit thresholds that keep one limit on new outputs

    Notes
    -----
    Over repeated samples of independent items (or groups) from a source, the true rate at the threshold
    exceeds the limit with probability at most δ. `bound` is computed as for a threshold fixed
    beforehand.

    The guarantee assumes that `correct` is true, unless a `truth_reader` is given. If the reader finds
    the share d of the errors above the threshold, the errors found are tested against ε·d, where ε is
    the limit. If d is estimated, a lower confidence bound for d is used, which fails with probability
    δ/4. Have a second person confirm each output that was called wrong, because the tests do not allow
    for false alarms. The page "Formulas of intervals, tests and guarantees" of the documentation
    describes the tests.

    References
    ----------
    Clopper, Pearson 1934; Fay, Feuer 1997 (gamma); Geifman, El-Yaniv 2017 (SGR); Pocock 1977;
    Waudby-Smith, Ramdas 2024 (betting); Wiens, Dmitrienko 2005 (fallback).
    """
    criterion = exactly_one(max_error_rate=max_error_rate, max_risk=max_risk)
    given = max_error_rate if max_risk is None else max_risk
    limit = fraction_of(given, criterion)
    delta = failure_of(failure_probability)
    grid = fixed_thresholds(thresholds, scale)
    # Large integers stay integers, because floats would round them.
    if never_accepted is not None and not isinstance(never_accepted, int):
        never_accepted = real_scalar(never_accepted, "never_accepted")
    labels, truth, people = answers_of(correct, truth_reader)
    tested = limit_of_found(limit, delta, people)
    # This choice depends on how the outputs were drawn, never on their errors.
    is_plain = truth is None or (groups is None and truth.drawn_evenly and method != "betting")
    how = _method_of(
        method, criterion, grouped=groups is not None, fixed=grid is not None, some=not is_plain
    )
    sweep = as_sweep(labels, confidence)
    n_tested = float(sweep.total) if truth is None else truth.n_verified
    if grid is not None:
        _require_fitting(sweep, grid, scale, pilot)
    # With few given thresholds, a fallback sequence loses little. So "auto" uses Pocock's boundary only
    # for the fine grid of a scale.
    if method == "auto" and how == "fallback" and scale and limit * n_tested <= FEW_ERRORS:
        how = "pocock"
    asked = _Asked(
        labels, confidence, truth, sweep, groups, max_group_size, (grid, pilot), method, how, criterion,
        never_accepted, key_of(random_state),
    )  # fmt: skip
    found = _guaranteed(asked, tested.limit, tested.failure_probability)
    if people is None:
        return found
    with collected([]):
        faultless = _guaranteed(asked, limit, delta).acceptance_rate
    return replace(
        found, bound=min(limit, tested.rates(0.0, found.bound)[1]), limit=limit,
        failure_probability=delta, truth_reader=people, faultless_acceptance_rate=faultless,
    )  # fmt: skip


class _Asked(NamedTuple):
    """The data and options of a guarantee, except for the limit and δ."""

    labels: Any
    confidence: Any
    truth: PartialTruth | None
    sweep: ThresholdSweep
    groups: ArrayLike | None
    max_group_size: int | None
    fixed: tuple[NDArray[np.float64] | None, ArrayLike | None]
    """Thresholds fixed without the items, and the pilot confidences."""
    method: str
    how: str
    """The method to use, never "auto"."""
    criterion: str
    never_accepted: float | None
    key: NDArray[np.uint64]


def _guaranteed(asked: _Asked, limit: float, delta: float) -> GuaranteedOperatingPoint:
    """Return the lowest guaranteed threshold, taking the answers as true."""
    sweep, criterion, how, key = asked.sweep, asked.criterion, asked.how, asked.key
    if asked.truth is not None:
        if asked.never_accepted is not None:
            raise TypeError("never_accepted cannot go with a PartialTruth: leave it out")
        refuse_grades(asked.truth)
        by = _of_verified if how == "betting" else _of_random_sample
        return by(asked, asked.truth, limit, delta)
    if sweep.false_accepts.dtype != np.int64:
        raise TypeError("the sweep is weighted, but a guarantee needs counts of items")
    if asked.groups is not None:
        return _by_groups(asked, limit, delta)
    question_sweep(sweep)
    grid, pilot = asked.fixed
    if how in ("pocock", "fallback") and grid is None:
        return _by_own_thresholds(asked, limit, delta)
    if how == "pocock" and grid is not None:
        return _by_pocock(sweep, grid, limit, delta, asked.never_accepted)
    if how == "fallback" and grid is not None:
        return _by_fallback(sweep, grid, pilot, limit, delta, asked.never_accepted, key)
    last, n = last_accepted(sweep, asked.never_accepted), int(sweep.total)
    if how == "exact":
        index = min(last, _last_by_errors(sweep.false_accepts, n, limit, delta))
        trials, share = n, delta
    else:
        n = int(sweep.true_accepts[last] + sweep.false_accepts[last])
        share = delta / max(last, 1).bit_length()
        index = _last_by_risk(sweep, limit, share, last)
        trials = int(sweep.true_accepts[index] + sweep.false_accepts[index])
    least = binomial_upper_bound(0, n, share)
    if least > limit:
        _warn_few(n, least, criterion, limit, share)
    bound = binomial_upper_bound(int(sweep.false_accepts[index]), trials, share) if index else 0.0
    point = operating_point(sweep, threshold=sweep.thresholds[index])
    return GuaranteedOperatingPoint(point, bound, limit, delta, criterion)


def _of_random_sample(
    asked: _Asked, truth: PartialTruth, limit: float, delta: float
) -> GuaranteedOperatingPoint:
    """Return the guarantee from verified outputs that are a simple random sample of all outputs."""
    verified, scores = truth.verified, vector(require_confidence(asked.confidence), "confidence")
    labels, own = truth.correct[verified], scores[verified]
    grid, pilot = asked.fixed
    if grid is not None and pilot is None and len(own) < len(scores):
        pilot = scores[~verified]  # so that no verified output has to be set aside
    found = _guaranteed(
        asked._replace(
            labels=labels, confidence=own, truth=None, sweep=as_sweep(labels, own), fixed=(grid, pilot)
        ),
        limit,
        delta,
    )
    threshold = found.threshold
    if asked.how == "exact" and threshold < math.inf:
        # All thresholds above the next verified output accept the same verified errors.
        rejected = own[own < threshold]
        threshold = scores[scores > rejected.max()].min() if len(rejected) else scores.min()
    return replace(found, point=operating_point(asked.sweep, threshold=threshold))


def _of_verified(
    asked: _Asked, truth: PartialTruth, limit: float, delta: float
) -> GuaranteedOperatingPoint:
    """Return the guarantee from partly verified outputs."""
    found, assumed = proved_of(
        truth, require_confidence(asked.confidence), asked.groups, criterion=asked.criterion,
        limit=limit, failure_probability=delta, max_group_size=asked.max_group_size,
        fixed=asked.fixed, key=asked.key,
    )  # fmt: skip
    return GuaranteedOperatingPoint(
        operating_point(asked.sweep, threshold=found.threshold),
        math.nan if found.threshold < math.inf else 0.0, limit, delta, asked.criterion,
        None if asked.groups is None and truth.groups is None else found.max_group_size,
        assumed_probability=assumed,
    )  # fmt: skip


def _by_groups(asked: _Asked, limit: float, delta: float) -> GuaranteedOperatingPoint:
    """Return the guarantee for items that depend on each other within groups."""
    sweep, criterion, how = asked.sweep, asked.criterion, asked.how
    if isinstance(asked.labels, ThresholdSweep):
        raise TypeError("groups needs single items, but a ThresholdSweep has only counts: give arrays")
    pages, rng = _pages_of(
        asked.labels, asked.confidence, asked.groups, asked.max_group_size, asked.key
    )
    question_sweep(sweep, asked.groups)
    _warn_few_groups(pages, limit, delta, how)
    if how == "one_per_group":
        drawn = pages.one_each(rng)
        chosen = _one_of_each(pages, drawn, sweep)
        threshold = math.inf
        if chosen is not None:
            index = _last_by_errors(chosen.false_accepts, int(chosen.total), limit, delta)
            threshold = chosen.thresholds[min(index, last_accepted(chosen, asked.never_accepted))]
    else:
        threshold = _of_groups(pages, asked, how, limit, delta)
    point = operating_point(sweep, threshold=threshold)
    bound = math.nan if threshold < math.inf else 0.0
    if how == "gamma":
        reached = int(points_at(sweep, np.array([threshold]))[0])
        bound = upper_bound(pages, reached, criterion, delta)
        return GuaranteedOperatingPoint(point, bound, limit, delta, criterion, certified=False)
    approximate = None
    # The approximate rate is at most 1, so it is not needed if the proved rate is at least MUCH_LESS.
    if asked.method == "auto" and point.acceptance_rate < MUCH_LESS:
        would = _of_groups(pages, asked, "gamma", limit, delta)
        other = operating_point(sweep, threshold=would).acceptance_rate
        approximate = other if point.acceptance_rate < MUCH_LESS * other else None
    return GuaranteedOperatingPoint(
        point, bound, limit, delta, criterion, pages.largest, approximate_acceptance_rate=approximate
    )


def _method_of(method: str, criterion: str, *, grouped: bool, fixed: bool, some: bool) -> str:
    """Resolve "auto", and return the method; raise if it does not fit the limit or the items."""
    choice(method, "method", METHODS)
    by_rate = criterion == "max_error_rate"
    fitting = ["exact"] if by_rate else ["fallback", "pocock", "sgr"]
    if grouped:
        fitting = ["betting", "one_per_group", "gamma"] if by_rate else ["betting", "gamma"]
    fitting = ["betting"] if some else fitting  # only betting supports unequal probabilities
    if not (by_rate or fixed) and (grouped or some or method == "auto"):
        raise TypeError(
            f"max_risk needs {FIXED}: {HOW_TO_FIX}"
            + ("" if grouped or some else ", or method='pocock', or method='fallback'")
        )
    if method == "auto":
        return fitting[0]
    if method not in fitting:
        raise ValueError(
            f"method must be {' or '.join(map(repr, fitting))} for {criterion}, got {method!r}"
        )
    return method


def _require_fitting(
    sweep: ThresholdSweep, grid: NDArray[np.float64], scale: str | None, pilot: ArrayLike | None
) -> None:
    """Raise if fixed thresholds, or their scale, do not fit the confidences."""
    own = sweep.thresholds[:0:-1]
    others = own[:0]
    if pilot is not None:
        others = np.unique(vector(pilot, "pilot"))
        others = others[np.isfinite(others)]
    if scale is None:
        require_within_reach(np.union1d(own, others), grid)
        return
    require_on_scale(own, "confidence", scale)
    if len(others):
        require_on_scale(others, "pilot", scale)


def _by_fallback(
    sweep: ThresholdSweep,
    grid: NDArray[np.float64],
    pilot: ArrayLike | None,
    limit: float,
    delta: float,
    never_accepted: float | None,
    key: NDArray[np.uint64],
) -> GuaranteedOperatingPoint:
    tested, shares = _tested(sweep, grid, pilot, key)
    n = int(tested.total)
    starts = starts_of(shares, n, limit, delta)
    accepted, errors = counts_at(tested, _above(grid, never_accepted))
    proved = rejected(accepted, errors, starts, limit, delta)
    return _proved_risk(sweep, n, grid, (accepted, errors), proved, limit, delta)


def _by_pocock(
    sweep: ThresholdSweep,
    grid: NDArray[np.float64],
    limit: float,
    delta: float,
    never_accepted: float | None,
) -> GuaranteedOperatingPoint:
    """Return the guarantee of the lowest fixed threshold that Pocock's boundary proves."""
    n, thresholds = int(sweep.total), _above(grid, never_accepted)
    counts = counts_at(sweep, thresholds)
    return _proved_risk(sweep, n, thresholds, counts, within(*counts, n, limit, delta), limit, delta)


def _by_own_thresholds(asked: _Asked, limit: float, delta: float) -> GuaranteedOperatingPoint:
    """Return the guarantee if the thresholds to test are the items' own confidences."""
    sweep = asked.sweep
    n, end = int(sweep.total), last_accepted(sweep, asked.never_accepted) + 1
    thresholds, errors = sweep.thresholds[1:end], sweep.false_accepts[1:end]
    accepted = errors + sweep.true_accepts[1:end]
    if asked.how == "pocock":
        proved = within(accepted, errors, n, limit, delta)
    else:
        rng = generator_for(asked.key, sweep.true_accepts, sweep.false_accepts)
        proved = rejected_by_rank(accepted, errors, n, limit, delta, rng)
    return _proved_risk(sweep, n, thresholds, (accepted, errors), proved, limit, delta)


def _proved_risk(
    sweep: ThresholdSweep,
    n: int,
    thresholds: NDArray[Any],
    counts: tuple[NDArray[np.int64], NDArray[np.int64]],
    proved: Sequence[int] | NDArray[np.intp],
    limit: float,
    delta: float,
) -> GuaranteedOperatingPoint:
    """Return the guarantee of the lowest proved threshold; if none is proved, accept nothing."""
    least = binomial_upper_bound(0, n, delta)
    if least > limit:
        _warn_few(n, least, "max_risk", limit, delta)
    threshold, bound = math.inf, 0.0
    if len(proved):
        accepted, errors = (int(each[proved[-1]]) for each in counts)
        threshold, bound = thresholds[proved[-1]], binomial_upper_bound(errors, accepted, delta)
    point = operating_point(sweep, threshold=threshold)
    return GuaranteedOperatingPoint(point, bound, limit, delta, "max_risk")


def _tested(
    sweep: ThresholdSweep, grid: NDArray[np.float64], pilot: ArrayLike | None, key: NDArray[np.uint64]
) -> tuple[ThresholdSweep, NDArray[np.float64]]:
    """Return the items to test, and the share of the pilot that each fixed threshold accepts.

    Without a `pilot`, a random tenth of the items serves as the pilot and is not tested.
    """
    if pilot is not None:
        return sweep, pilot_shares(pilot, grid)
    rng = generator_for(key, sweep.true_accepts, sweep.false_accepts)
    tested, drawn = set_aside(sweep, rng)
    others = ThresholdSweep.from_counts(
        sweep.thresholds[1:], drawn.astype(np.int64), 0 * drawn.astype(np.int64)
    )
    return tested, counts_at(others, grid)[0] / max(float(others.total), 1.0)


def _pages_of(
    correct: Any, confidence: Any, groups: Any, largest: int | None, key: NDArray[np.uint64]
) -> tuple[GroupedItems, np.random.Generator]:
    """Return the groups in a random order, and the generator for further random numbers."""
    items = read_items(correct, confidence, None)
    place = np.unique(items.confidence, return_inverse=True)[1]
    codes = read_outermost(groups, items.n, "a guarantee")
    right = items.correct.astype(np.bool_)
    own = np.bincount(codes, ~right), np.bincount(place[~right]), np.bincount(codes, place)
    rng = generator_for(key, *own)
    return GroupedItems.of(codes, place.max() - place, right, largest, rng), rng


def _one_of_each(
    pages: GroupedItems, drawn: NDArray[np.intp], sweep: ThresholdSweep
) -> ThresholdSweep | None:
    if not len(drawn):
        return None
    points = np.unique(pages.place[drawn])
    right, wrong = (
        np.bincount(pages.place[drawn][of], minlength=len(sweep.thresholds) - 1)[points]
        for of in (~pages.wrong[drawn], pages.wrong[drawn])
    )
    return ThresholdSweep.from_counts(sweep.thresholds[1:][points], right, wrong)


def _above(grid: NDArray[np.float64], never_accepted: float | None) -> NDArray[np.float64]:
    """Return the fixed thresholds that accept no item with a confidence of `never_accepted` or less.

    Their tests do not depend on lower thresholds. So the guarantee holds even if `never_accepted` was
    chosen with these items.
    """
    return grid if never_accepted is None else grid[grid > never_accepted]


def _of_groups(pages: GroupedItems, asked: _Asked, how: str, limit: float, delta: float) -> Any:
    """Return the lowest guaranteed threshold for items in groups, by betting or by gamma."""
    sweep = asked.sweep
    if asked.criterion == "max_error_rate":
        if how == "gamma":
            index = gamma_on_error_rate(pages, limit, delta)
        else:
            index = bet_on_error_rate(pages, len(sweep.thresholds) - 1, limit, delta)
        return sweep.thresholds[min(index, last_accepted(sweep, asked.never_accepted))]
    grid, pilot = asked.fixed
    if grid is None:
        raise AssertionError(limit)
    ends = points_at(sweep, grid)
    if pilot is None:  # set a tenth of the groups aside to choose the starts
        few = pages.group < max(1, len(pages.sizes) // PILOT)
        places = pages.place[few]
        shares = np.array([np.mean(places < end) for end in ends.tolist()])
        pages = pages.without(few)
    else:
        shares = pilot_shares(pilot, grid)
    sizes = pages.sizes.astype(np.float64)
    # The starts are chosen for groups of this size: the mean over all items for the approximation, the
    # largest size for proofs.
    each = float(sizes @ sizes / sizes.sum()) if how == "gamma" else float(pages.largest)
    starts = starts_of(shares, max(1, int(sizes.sum() / each)), limit, delta)
    ends = ends[: len(_above(grid, asked.never_accepted))]
    last = (gamma_on_risk if how == "gamma" else bet_on_risk)(pages, ends, starts, limit, delta)
    return float(grid[last]) if last >= 0 else math.inf


def _warn_few_groups(pages: GroupedItems, limit: float, delta: float, how: str) -> None:
    n, approximate = len(pages.sizes), how == "gamma"
    needed = groups_needed(pages, limit, delta) if approximate else pages.needed(limit, delta)
    there = "is 1 group" if n == 1 else f"are {n} groups"
    if n < needed:
        warn_too_small(
            f"there {there}, but a limit of {percent(limit)} needs about {needed} without an error"
        )
    elif approximate and n < FEWEST_GROUPS:
        warn_too_small(
            f"there {there}, but the approximation by gamma was only tested with {FEWEST_GROUPS} "
            "or more"
        )


def _last_by_errors(errors: NDArray[np.int64], n: int, limit: float, delta: float) -> int:
    """Return the index of the lowest threshold whose bound on the error rate is within the limit."""
    if limit >= 1.0:
        return len(errors) - 1
    # With k errors, the upper bound is within the limit iff P(at most k errors) <= delta at that limit.
    allowed = bisect_right(range(n + 1), delta, key=lambda k: binomial_cdf(k, n, limit)) - 1
    return max(0, int(np.searchsorted(errors, allowed, side="right")) - 1)


def _last_by_risk(sweep: ThresholdSweep, limit: float, share: float, last: int) -> int:
    """Return the index of the lowest threshold whose risk passes its test, by bisection; 0 for none."""
    if limit >= 1.0:
        return last
    passed, failed = 0, last + 1
    while failed - passed > 1:
        index = (passed + failed) // 2
        errors = int(sweep.false_accepts[index])
        accepted = errors + int(sweep.true_accepts[index])
        if binomial_cdf(errors, accepted, limit) <= share:
            passed = index
        else:
            failed = index
    return passed


def _warn_few(n: int, least: float, name: str, limit: float, share: float) -> None:
    expected = f"no number of items proves {name}=0"
    if limit > 0.0:
        needed = math.ceil(math.log(share) / math.log1p(-limit))
        expected = f"{name}={limit:g} needs at least {needed} items"
    still = percent(least, 4)
    warn_too_small(
        f"{n} items are too few: even without an error they prove no limit below {still}; {expected}"
    )
