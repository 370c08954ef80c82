"""Thresholds that are best or nearly best by an objective, and their variation in resamples."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastarac._core.checks import (
    MOST_VALUES,
    choice,
    exactly_one,
    fraction_of,
    inner_fraction,
    positive_scalar,
    whole_number,
)
from fastarac._core.exceptions import warn_undefined, warn_unreliable
from fastarac._core.interval import Interval
from fastarac._core.random_state import key_of
from fastarac._core.results import Result, Sheet, Table, TupleResult
from fastarac._core.text import percent, rounded_percent
from fastarac.costs.verification import (
    VerificationCosts,
    cheapest_corner,
    marginal_costs,
    require_costs,
)
from fastarac.measures._tables import GOALS, LOSSES, ConfusionTables
from fastarac.operating_points.limits import last_with_risk, last_within
from fastarac.samples.door import as_sweep
from fastarac.samples.partial import INSTEAD
from fastarac.uncertainty.bootstrap import ends_of, reliability_warning_of
from fastarac.uncertainty.replicates import BATCH, Resample
from fastarac.uncertainty.resampling import population_of
from fastarac.uncertainty.thread_batches import run_batches, threads_for

if TYPE_CHECKING:
    from fastarac._core.random_state import RandomState
    from fastarac.sweep import ThresholdSweep
    from fastarac.uncertainty.resampling import Population

FloatArray = NDArray[np.float64]

# Two metrics that differ by less than this share of the larger one differ only by rounding.
ROUNDING = 1e-14


class _Objective(NamedTuple):
    """A way to choose a threshold, and a metric of the threshold."""

    metric: str
    lower_is_better: bool
    best: Callable[[Any], int]
    """Returns the chosen point's index in a sweep, or −1 if the metric is undefined at all points."""
    values: Callable[[Any, Any, Any, Any], FloatArray]
    """Returns the metric from TA, FA, n⁺ and n⁻."""


def _objective_of(
    measure: str | None,
    costs: VerificationCosts | None,
    **limits: float | None,
) -> _Objective:
    criterion = exactly_one(measure=measure, costs=costs, **limits)
    if measure is not None:
        choice(measure, "measure", GOALS)
        return _Objective(
            measure, measure in LOSSES, partial(_best_by, measure), partial(_measured, measure)
        )
    if costs is not None:
        saved, lost = marginal_costs(require_costs(costs), None)
        cheapest = partial(cheapest_corner, saved=saved, lost=lost)
        return _Objective("cost", lower_is_better=True, best=cheapest, values=partial(_cost, costs))
    limit = fraction_of(limits[criterion], criterion)
    if criterion == "max_error_rate":
        within = partial(last_within, max_error_rate=limit)
        return _Objective("error_rate", lower_is_better=True, best=within, values=_error_rate)
    within = partial(last_with_risk, max_risk=limit)
    return _Objective("risk", lower_is_better=True, best=within, values=_risk)


def _best_by(measure: str, sweep: Any) -> int:
    return ConfusionTables.of_sweep(sweep).best([measure])[measure][1]


def _measured(measure: str, ta: Any, fa: Any, correct: Any, incorrect: Any) -> FloatArray:
    cells = np.broadcast_arrays(ta, fa, correct - ta, incorrect - fa)
    values: FloatArray = ConfusionTables.of_cells(cells).evaluate([measure])[0]
    return values


def _cost(costs: VerificationCosts, ta: Any, fa: Any, correct: Any, incorrect: Any) -> FloatArray:
    """Return L, the mean cost of an item (equation 9 of Kimura et al. 2024)."""
    corrected = incorrect - fa
    verified = correct - ta + corrected
    sums = costs.verification * verified + costs.correction * corrected + costs.error * fa
    return _ratio(sums, correct + incorrect)


def _error_rate(_: Any, fa: Any, correct: Any, incorrect: Any) -> FloatArray:
    return _ratio(fa, correct + incorrect)


def _risk(ta: Any, fa: Any, _: Any, __: Any) -> FloatArray:
    return _ratio(fa, ta + fa)


def _ratio(part: Any, whole: Any) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient: FloatArray = np.divide(part, whole)
    return quotient


def midpoint(upper: Any, lower: Any) -> Any:
    """Return the value halfway between two thresholds, or `upper` if no number is between them."""
    if isinstance(upper, int):
        return -((upper + lower) // -2)  # rounds up, so that the result is above `lower`
    middle = upper / 2 + lower / 2
    return middle if middle > lower else upper


def _midpoints(thresholds: NDArray[Any], points: NDArray[np.intp]) -> NDArray[Any]:
    """Return the midpoint between the threshold of each point and the next lower threshold."""
    upper = thresholds[points]
    lower = thresholds[np.minimum(points + 1, len(thresholds) - 1)]
    pairs = zip(upper.tolist(), lower.tolist(), strict=True)
    return np.array([midpoint(*pair) for pair in pairs], thresholds.dtype)


class _NearOptimalThresholds(NamedTuple):
    thresholds: NDArray[Any]
    """The thresholds in decreasing order, of shape (k,)."""
    midpoints: NDArray[Any]
    """Midpoints between each threshold and the next lower confidence of the sample."""
    values: FloatArray
    """The metric at each threshold."""
    acceptance_rate: FloatArray
    """The share of items that each threshold accepts."""


class NearOptimalThresholds(Table, TupleResult, _NearOptimalThresholds):
    """All thresholds whose metric is nearly as good as the best one.

    See Also
    --------
    fastarac.near_optimal_thresholds : find these thresholds
    """

    __slots__ = ()


def near_optimal_thresholds(
    correct: ArrayLike | ThresholdSweep,
    confidence: ArrayLike | None = None,
    *,
    tolerance: float,
    measure: str | None = None,
    costs: VerificationCosts | None = None,
    sample_weight: ArrayLike | None = None,
) -> NearOptimalThresholds:
    """Find all thresholds whose metric is within a tolerance of the best value.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,), or a ThresholdSweep alone
        Whether each output was right (bool, or 0 and 1), and its confidence (real and finite).
    tolerance : float
        The largest difference from the best value, at least 0, in the unit of the metric. With 0, only
        thresholds with the best value are returned. Differences due to rounding are ignored.
    measure : str, optional
        Name of a measure, as for :meth:`.SweepMeasures.best`. Accepted items are predicted positive.
    costs : VerificationCosts, optional
        Prices; the metric is then the mean cost of an item. Give exactly one of `measure` and `costs`.
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum.

    Returns
    -------
    thresholds : ndarray of shape (k,)
        Decreasing; ``inf``, which accepts nothing, may be among them.
    midpoints : ndarray of shape (k,)
        The midpoints between each threshold and the next lower confidence of the sample. They split the
        sample as `thresholds` do. Below the lowest confidence there is none, so its midpoint is this
        confidence itself.
    values : ndarray of shape (k,)
        The metric at each threshold.
    acceptance_rate : ndarray of shape (k,)
        The share of items that each threshold accepts, in [0, 1].

    Warns
    -----
    UndefinedMetricWarning
        If the measure is NaN at all thresholds; all arrays are then empty.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`; also unless exactly one of `measure` and `costs` is given, for an
        unknown measure, and for a negative `tolerance`.

    See Also
    --------
    bootstrap_threshold : how far a chosen threshold scatters from sample to sample
    fastarac.results.SweepMeasures.best : the best threshold, without arrays of all values
    fastarac.costs.optimal_operating_point : the threshold of lowest cost, and its rates

    Notes
    -----
    Among all numbers that split the sample in the same way, a confidence of the sample is the largest.
    So a threshold that is taken from the sample tends to be too high for new items. The midpoint avoids
    this. In cutpointr, `midpoints` and `tolerance` are called `use_midpoints` and `tol_metric`.

    References
    ----------
    Thiele and Hirschfeld 2021, "cutpointr: Improved estimation and validation of optimal cutpoints in
    R".

    Examples
    --------
    >>> import fastarac as fa
    >>> correct, confidence = [0, 0, 0, 1, 1, 1, 1], [1, 2, 3, 8, 11, 11, 12]
    >>> near = fa.near_optimal_thresholds(correct, confidence, measure="youden_index", tolerance=0.25)
    >>> near.thresholds, near.midpoints, near.values
    (array([11.,  8.]), array([9.5, 5.5]), array([0.75, 1.  ]))
    """
    room = positive_scalar(tolerance, "tolerance")
    objective = _objective_of(measure, costs)
    sweep = as_sweep(correct, confidence, sample_weight, instead=INSTEAD)
    counts = sweep.true_accepts, sweep.false_accepts, sweep.n_correct, sweep.n_incorrect
    values = objective.values(*counts)
    defined = values[~np.isnan(values)]
    if len(defined):
        best = defined.min() if objective.lower_is_better else defined.max()
        slack = room + ROUNDING * abs(best) if math.isfinite(best) else 0.0
        with np.errstate(invalid="ignore"):
            points = np.flatnonzero((values == best) | (abs(values - best) <= slack))
    else:
        warn_undefined(objective.metric, "at all thresholds")
        points = np.empty(0, np.intp)
    return NearOptimalThresholds(
        sweep.thresholds[points], _midpoints(sweep.thresholds, points), values[points],
        sweep.acceptance_rate[points],
    )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ThresholdBootstrap(Sheet, Table, Result):
    """A chosen threshold, and the thresholds that are chosen in the same way from resamples.

    Attributes
    ----------
    threshold : Interval
        The threshold chosen from all items, with percentiles and standard deviation of the resamples'
        thresholds. Its `distribution` holds the threshold of each resample; NaN if the metric is
        undefined at all thresholds of the resample.
    metric : str
        The name of the metric: the measure, "cost", "error_rate" or "risk".
    value : float
        The metric of all items, at the threshold chosen from all items.
    in_bag, out_of_bag : ndarray of shape (n_resamples,)
        The metric at each resample's threshold, for the items of the resample (in bag), and for the
        items that it lacks (out of bag).
    acceptance_rate : ndarray of shape (n_resamples,)
        The share of the items out of bag that each resample's threshold accepts, in [0, 1].

    See Also
    --------
    fastarac.bootstrap_threshold : how far a chosen threshold scatters from sample to sample
    fastarac.Interval : an estimate and the confidence interval around it
    """

    threshold: Interval
    metric: str
    value: float
    in_bag: FloatArray
    out_of_bag: FloatArray
    acceptance_rate: FloatArray

    _derived = ("optimism",)

    @property
    def optimism(self) -> float:
        """Mean of `in_bag` − `out_of_bag`: the bias of testing on the items used for the choice.

        It is usually positive if the choice maximizes the metric, and negative if it minimizes the
        metric. Resamples in which either value is NaN are left out.
        """
        return _mean(self.in_bag - self.out_of_bag)

    def __repr__(self) -> str:
        low, high = self.threshold.low, self.threshold.high
        return (
            f"ThresholdBootstrap({self.threshold.estimate:.6g} [{low:.6g}, {high:.6g}], "
            f"{self.metric} in bag {_mean(self.in_bag):.6g}, out of bag {_mean(self.out_of_bag):.6g})"
        )

    def to_columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns of a table with a row per resample."""
        return {
            "threshold": np.asarray(self.threshold.distribution),
            "in_bag": self.in_bag,
            "out_of_bag": self.out_of_bag,
            "acceptance_rate": self.acceptance_rate,
        }

    def _rows(self) -> list[tuple[str, str]]:
        interval = self.threshold
        share = percent(interval.confidence_level)
        accepted = _mean(self.acceptance_rate)
        return [
            ("threshold", str(interval.estimate)),
            (f"{share} of resamples", f"{_in_short(interval.low)} to {_in_short(interval.high)}"),
            (self.metric, f"{self.value:.4g}"),
            ("in bag", f"{_mean(self.in_bag):.4g}"),
            ("out of bag", f"{_mean(self.out_of_bag):.4g}"),
            ("accepted out of bag", "nan" if math.isnan(accepted) else rounded_percent(accepted)),
        ]


def _in_short(threshold: float) -> str:
    """Return a threshold with six digits, or with more if six make it look like a whole number."""
    text = f"{threshold:.6g}"
    looks_whole = float(text).is_integer() and not threshold.is_integer()
    return f"{threshold:.15g}" if looks_whole else text


def _mean(values: FloatArray) -> float:
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else math.nan


def bootstrap_threshold(
    correct: ArrayLike | ThresholdSweep,
    confidence: ArrayLike | None = None,
    *,
    measure: str | None = None,
    costs: VerificationCosts | None = None,
    max_error_rate: float | None = None,
    max_risk: float | None = None,
    midpoints: bool = False,
    n_resamples: int = 2000,
    confidence_level: float = 0.95,
    stratified: bool = False,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    random_state: RandomState = None,
    n_threads: int | None = None,
    progress: bool = False,
) -> ThresholdBootstrap:
    """Choose a threshold in each of many resamples, and test it on the items that the resample lacks.

    The thresholds show how far the choice scatters from sample to sample. The metric *out of bag* is
    from that test, and the metric *in bag* from the resample itself.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,), or a ThresholdSweep of unweighted items alone
        Whether each output was right (bool, or 0 and 1), and its confidence (real and finite).
    measure : str, optional
        Choose the best threshold by this measure, as :meth:`.SweepMeasures.best` does. Give exactly one
        of `measure`, `costs`, `max_error_rate` and `max_risk`.
    costs : VerificationCosts, optional
        Choose the threshold of lowest cost, as :func:`.optimal_operating_point` does. The metric is the
        mean cost of an item.
    max_error_rate, max_risk : float, optional
        Choose the threshold that accepts the most within this limit in [0, 1], as
        :func:`.operating_point` does. The metric is the error rate among all items, or the risk.
    midpoints : bool, default=False
        Choose the midpoint between the threshold and the next lower confidence of the resample.
    n_resamples : int, default=2000
        At least 2.
    confidence_level : float, default=0.95
        The share of the resamples' thresholds within the interval; above 0 and below 1.
    stratified : bool, default=False
        Draw correct and incorrect items separately, so that their numbers are fixed.
    groups : array_like of shape (n,), optional
        Label of each item's group, such as its document. Whole groups are drawn, so the items out of
        bag are those of other groups.
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum.
    random_state : int, SeedSequence, Generator or None, default=None
        Seed of the resamples. The number of threads does not affect them.
    n_threads : int, optional
        By default chosen from the amount of work.
    progress : bool, default=False
        Show progress on stderr.

    Returns
    -------
    ThresholdBootstrap
        Fields `threshold`, `value`, `in_bag`, `out_of_bag` and `acceptance_rate`; ``to_frame()`` has a
        row per resample.

    Warns
    -----
    UndefinedMetricWarning
        If the metric is undefined in some resamples, in bag or out of bag. Percentiles and means use
        the others. If some thresholds are infinite, their standard deviation is not finite.
    UnreliableIntervalWarning
        With fewer than 10 correct items, 10 incorrect items, or 20 groups.

    Raises
    ------
    ValueError, TypeError
        As :func:`.bootstrap`; also unless exactly one way to choose is given, for an unknown measure,
        for limits outside [0, 1], and for 2**31 items or more.

    See Also
    --------
    near_optimal_thresholds : all thresholds that are nearly as good as the best one
    guaranteed_operating_point : choose a threshold that keeps a limit on new items
    bootstrap : interval and standard error of a statistic, from resamples of the items

    Notes
    -----
    A resample draws n of n items with replacement, and lacks a share of (1 − 1/n)ⁿ ≈ 36.8% of them. Its
    threshold rests on fewer distinct items than the one chosen from all items, so the mean out of bag
    is slightly worse than the metric to expect on new items.

    The interval is between percentiles of the thresholds. It is not a confidence interval of the best
    threshold of the population. A threshold that maximizes a smooth metric converges only at the rate
    n^(−1/3) (Kim and Pollard 1990). At this rate, the bootstrap is not consistent (Abrevaya and Huang
    2005). In simulations, on the page "Coverage of intervals and promises, simulated", 87% to 97% of
    the 95% intervals contained the best threshold.

    Each resample takes O(n) time, each thread O(n) memory, and the result O(n_resamples).

    References
    ----------
    Thiele and Hirschfeld 2021, "cutpointr: Improved estimation and validation of optimal cutpoints in
    R"; Kim and Pollard 1990, "Cube root asymptotics"; Abrevaya and Huang 2005, "On the bootstrap of the
    maximum score estimator".

    Examples
    --------
    >>> import fastarac as fa
    >>> from fastarac.datasets import load_digits_ocr
    >>> correct, confidence = load_digits_ocr()["knn-votes"]
    >>> print(fa.bootstrap_threshold(correct, confidence, measure="youden_index", random_state=0))
    threshold            0.95
    95% of resamples     0.75 to 0.95
    youden_index         0.7808
    in bag               0.791
    out of bag           0.736
    accepted out of bag  82.3%
    """
    objective = _objective_of(measure, costs, max_error_rate=max_error_rate, max_risk=max_risk)
    resamples = whole_number(n_resamples, "n_resamples", 2, MOST_VALUES)
    level = inner_fraction(confidence_level, "confidence_level")
    key = key_of(random_state)
    population = population_of(
        correct, confidence, sample_weight, groups, stratified=stratified, single_items=True
    )
    run = _Resampled(population, key, objective, resamples, midpoints=midpoints)
    run.start(n_threads, progress=progress)
    estimate, value = _chosen(population.sweep, objective, midpoints=midpoints)
    ends, error = ends_of(
        run.thresholds, run.thresholds, estimate, math.nan, math.nan, "percentile", level,
        "the threshold",
    )  # fmt: skip
    in_bag, out_of_bag = (objective.values(*counts) for counts in run.counts)
    missing = int(np.isnan(out_of_bag[~np.isnan(run.thresholds)]).sum())
    if missing:
        reason = f"out of bag, in {missing:,} of {resamples:,} resamples; means use the others"
        warn_undefined(objective.metric, reason)
    warning = reliability_warning_of(population, None, "the threshold", math.inf)
    if warning:
        warn_unreliable(warning)
    ta, fa, n_correct, n_incorrect = run.counts[1]
    return ThresholdBootstrap(
        Interval(
            estimate, *ends, error if math.isfinite(error) else math.nan, level, "percentile",
            run.thresholds,
        ),
        objective.metric, value, in_bag, out_of_bag, _ratio(ta + fa, n_correct + n_incorrect),
    )  # fmt: skip


def _chosen(sweep: ThresholdSweep, objective: _Objective, *, midpoints: bool) -> tuple[float, float]:
    """Return the threshold that is chosen from all items, and its metric."""
    point = objective.best(sweep)
    if point < 0:
        return math.nan, math.nan
    counts = sweep.true_accepts[point], sweep.false_accepts[point], sweep.n_correct, sweep.n_incorrect
    value = float(np.ravel(objective.values(*map(np.asarray, counts)))[0])
    if midpoints:
        return float(_midpoints(sweep.thresholds, np.array([point]))[0]), value
    return float(sweep.thresholds[point]), value


class _Resampled:
    """The threshold of each resample, and the numbers of items that it accepts in and out of bag."""

    def __init__(
        self,
        population: Population,
        key: NDArray[np.uint64],
        objective: _Objective,
        n_resamples: int,
        *,
        midpoints: bool,
    ) -> None:
        self._population, self._key, self._objective = population, key, objective
        self._midpoints = midpoints
        self.thresholds = np.full(n_resamples, np.nan)
        dtype = np.int64 if population.members is None else np.float64
        # TA, FA, n⁺ and n⁻ in bag, then out of bag.
        self.counts = np.zeros((2, 4, n_resamples), dtype)

    def start(self, n_threads: int | None, *, progress: bool) -> None:
        """Evaluate all resamples."""
        n, work = len(self.thresholds), self._population.work
        threads = threads_for(n_threads, work * n)
        self._batch = max(1, min(BATCH // work, n))
        run_batches(self._worker, n, self._batch, threads, progress=progress)

    def _worker(self) -> Callable[[int, int], None]:
        """Return a function for one thread that evaluates a range of resample numbers."""
        population = self._population
        resample = Resample(population)
        space = np.empty((self._batch, len(population.codes)), np.uint8)

        def work(first: int, last: int) -> None:
            rows = population.draw(self._key, first, space[: last - first])
            for row, r in zip(rows, range(first, last), strict=True):
                resample.take(row)
                self._read(resample, r)

        return work

    def _read(self, resample: Resample, r: int) -> None:
        point = self._objective.best(resample.counts())
        if point < 0:
            return
        thresholds, tie = self._population.sweep.thresholds, resample.tie(point)
        threshold = thresholds[tie]
        if self._midpoints:
            below = resample.tie(point + 1)
            threshold = midpoint(threshold, thresholds[below])
            # Items out of bag may lie between the midpoint and the threshold.
            tie = bisect_right(range(below), -threshold, tie + 1, key=lambda k: -thresholds[k]) - 1
        scale = self._population.scale
        self.thresholds[r] = threshold
        for kind, counts in enumerate((resample.accepted(point), resample.accepted_out_of_bag(tie))):
            for k, count in enumerate(counts):
                self.counts[kind, k, r] = count / scale if scale != 1.0 else count
