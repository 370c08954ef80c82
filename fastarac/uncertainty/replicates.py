"""Bootstrap replicates: values of statistics on resamples, and their standard errors."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fastarac import _kernels
from fastarac._core.exceptions import undefined_is_nan
from fastarac._engine.counts import PointCounts, ThresholdCounts
from fastarac._engine.pairs import values_of_pairs
from fastarac._kernels.codes import (
    OF_ESTIMATOR,
    OF_INTERPOLATION,
    PRECISION_TRAPEZOIDS,
    RECALL_STEPS,
    RECALL_TRAPEZOIDS,
)
from fastarac.sweep import ThresholdSweep, trusted_sweep
from fastarac.uncertainty import influence
from fastarac.uncertainty.statistics import Statistic
from fastarac.uncertainty.thread_batches import run_batches, threads_for

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fastarac._engine.counts import AcceptedCounts
    from fastarac.uncertainty.resampling import Population

    Read = Callable[[Any], float]
    Quick = Callable[["Resample"], float]
    Range = tuple[float, float]
    Weights = tuple[float, float]  # numbers of correct and of incorrect items

Array = NDArray[Any]
FloatArray = NDArray[np.float64]

WITHOUT_THRESHOLDS = ("acceptance_at_risk", "roc_partial_auc")
# A variance is treated as a rounding error if it is below this share of the sum of its terms.
NO_SPREAD = 1e-13
# Maximum number of units for the jackknife. More groups than this are merged into batches.
MOST_LEFT_OUT = 400
_NO_KEY = np.empty(0, np.uint64)  # the random key if nothing is drawn
# Number of counts that are drawn together, so that they fit the cache. At least one whole resample is
# drawn, even if it has more counts.
BATCH = 1 << 18

_POLYGONS = {PRECISION_TRAPEZOIDS, RECALL_TRAPEZOIDS, RECALL_STEPS}
_CORRECT, _INCORRECT, _ALL = (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)


class Resample:
    """Values of one resample at a time, computed in arrays that the next resample reuses."""

    def __init__(self, population: Population) -> None:
        self._population = population
        self._counts: Array = np.empty(0, np.uint8)
        size = len(population.sweep.true_accepts)
        dtype = population.weights.dtype
        self._ta, self._fa = np.empty(size, dtype), np.empty(size, dtype)
        self._which = np.empty(size, np.int64)
        self._n = 0

    def take(self, counts: Array) -> None:
        """Set how often each unit (item or cell) was drawn."""
        self._counts, self._n = counts, 0

    def _points(self) -> tuple[Array, Array, int]:
        """Return arrays of TA and FA by point, and the number of points that are in use."""
        if not self._n:
            p = self._population
            self._n = _kernels.bootstrap.points_of_counts(
                self._counts, p.codes, p.lanes, p.weights, self._ta, self._fa, self._which
            )
        return self._ta, self._fa, self._n

    def sweep(self) -> ThresholdSweep:
        """Return the threshold sweep of the drawn items."""
        population = self._population
        ta, fa, n = self._points()
        ta, fa = ta[:n].copy(), fa[:n].copy()
        # These counts are floats only because numbers of pairs could overflow int64.
        if population.members is None and ta.dtype != np.int64:
            ta, fa = ta.astype(np.int64), fa.astype(np.int64)
        if population.scale != 1.0:
            ta /= population.scale
            fa /= population.scale
        thresholds = self._population.sweep.thresholds[self._which[:n]]
        # These thresholds are a subset of the population's, so they need no check.
        return trusted_sweep(ThresholdSweep, ThresholdCounts(thresholds, ta, fa))

    def counts(self) -> AcceptedCounts:
        """Return the counts without thresholds, in arrays that the next resample overwrites."""
        if self._population.weights.dtype != np.int64:
            return self.sweep()
        ta, fa, n = self._points()
        return PointCounts(ta[:n], fa[:n])

    def accepted(self, point: int) -> tuple[Any, Any, Any, Any]:
        """Return TA, FA, n⁺ and n⁻ of the drawn items at a point."""
        ta, fa, n = self._points()
        return ta[point], fa[point], ta[n - 1], fa[n - 1]

    def accepted_out_of_bag(self, tie: int) -> tuple[float, float, float, float]:
        """Return TA, FA, n⁺ and n⁻ of the items not drawn, at point `tie` of the population."""
        p = self._population
        return _kernels.bootstrap.out_of_bag(self._counts, p.codes, p.lanes, p.weights, tie)

    def tie(self, point: int) -> int:
        """Return the population's number for `point`, or for the last point if `point` is larger."""
        _, _, n = self._points()
        return int(self._which[min(point, n - 1)])

    def area(self, quantity: int, *, of_risk: bool = False) -> tuple[float, float, float]:
        """Return an area, and the numbers of correct and incorrect items (see `_kernels.bootstrap`)."""
        if quantity in _POLYGONS:
            p = self._population
            return _kernels.bootstrap.polygon_of_counts(
                self._counts, p.codes, p.lanes, p.weights, quantity, of_risk
            )
        ta, fa, n = self._points()
        if not of_risk:
            return _kernels.bootstrap.area_of_points(ta, fa, n, quantity)
        area, incorrect, correct = _kernels.bootstrap.area_of_points(fa, ta, n, quantity)
        return area, correct, incorrect

    def totals(self) -> tuple[float, float]:
        """Return the numbers of correct and incorrect items that were drawn."""
        ta, fa, n = self._points()
        return float(ta[n - 1]), float(fa[n - 1])

    def area_between(self, along: Weights, height: Weights, low: float, high: float) -> float:
        """Return the area between two points (see `_kernels.bootstrap.area_between`)."""
        return _kernels.bootstrap.area_between(*self._points(), along, height, low, high)

    def acceptance_within(self, limit: float, *, interpolate: bool) -> float:
        """Return an acceptance rate (see `_kernels.bootstrap.acceptance_within`)."""
        return _kernels.bootstrap.acceptance_within(*self._points(), limit, interpolate)

    def most_accepted(self, never_accepted: float) -> float:
        """Return the share of the drawn items with a confidence above `never_accepted`."""
        ta, fa, n = self._points()
        last = n - 1
        while last and self._population.sweep.thresholds[self._which[last]] <= never_accepted:
            last -= 1
        return float(ta[last] + fa[last]) / float(ta[n - 1] + fa[n - 1])

    def squares(self, out: FloatArray) -> None:
        """Write the sums of squares from `_kernels.bootstrap.squares_of_points`."""
        _kernels.bootstrap.squares_of_points(*self._points(), out)

    def heights(self, curve: int, grid: FloatArray, out: FloatArray) -> None:
        """Write the heights of a curve (see `_kernels.bootstrap.curve_heights`)."""
        _kernels.bootstrap.curve_heights(*self._points(), curve, grid, out)


def _quick(statistic: Statistic) -> Quick | None:
    """Return a function that computes a statistic of a resample without a sweep, if there is one."""
    parameters = dict(statistic.parameters)
    estimator = OF_ESTIMATOR[parameters.get("estimator", "trapezoid")]
    interpolation = OF_INTERPOLATION[parameters.get("interpolation", "davis-goadrich")]
    gamma = float(parameters.get("gamma", 1.0))
    if statistic.name == "acceptance_at_error_rate":
        limit, interpolate = float(parameters["max_error_rate"]), parameters.get("interpolate", False)
        never = parameters.get("never_accepted")

        def within(resample: Resample) -> float:
            share = resample.acceptance_within(limit, interpolate=bool(interpolate))
            return share if never is None else min(share, resample.most_accepted(never))

        return within
    if parameters.get("never_accepted") is not None:
        return lambda resample: statistic(resample.sweep())
    if statistic.name == "arac_partial_auc":
        return _arac_part(**parameters)
    if statistic.name == "roc_partial_auc" and parameters.get("standardize") is None:
        return _roc_part(parameters.get("fpr_range"), parameters.get("tpr_range"))
    if statistic.name in WITHOUT_THRESHOLDS:
        return lambda resample: statistic(resample.counts())
    ways: dict[str, Quick] = {
        "arp_auc": lambda resample: resample.area(estimator)[0],
        "aurc": lambda resample: resample.area(estimator, of_risk=True)[0],
        "normalized_arp_auc": lambda resample: _normalized(
            *resample.area(estimator, of_risk=True), gamma
        ),
        "average_precision": lambda resample: resample.area(RECALL_STEPS)[0],
        "pr_auc": lambda resample: resample.area(interpolation)[0],
    }
    return ways.get(statistic.name)


def _roc_part(fpr_range: Range | None, tpr_range: Range | None) -> Quick:
    """Return a function that computes the area of `roc_partial_auc_score`, not standardized."""
    low, high = map(float, fpr_range or tpr_range or ())
    along, height = (_INCORRECT, _CORRECT) if fpr_range else (_CORRECT, _INCORRECT)

    def of(resample: Resample) -> float:
        correct, incorrect = resample.totals()
        whole = correct * incorrect
        if not whole:
            return math.nan
        x = incorrect if fpr_range else correct
        area = resample.area_between(along, height, low * x, high * x) / whole
        return area if fpr_range else high - low - area

    return of


def _arac_part(acceptance_range: Range | None = None, max_error_rate: float | None = None) -> Quick:
    """Return a function that computes the mean height of `arac_partial_auc_score`."""
    low, high = map(float, acceptance_range or (0.0, max_error_rate or 0.0))

    def of(resample: Resample) -> float:
        correct, incorrect = resample.totals()
        total = correct + incorrect
        if acceptance_range:
            below = resample.area_between(_ALL, _INCORRECT, low * total, high * total)
            return 1.0 - below / (total * total * (high - low))
        area = resample.area_between(_INCORRECT, _ALL, 0.0, high * total) / (total * total)
        return (area + max(0.0, high - incorrect / total)) / high

    return of


def _normalized(risk_area: float, correct: float, incorrect: float, gamma: float) -> float:
    total = correct + incorrect
    upper = 1.0 - risk_area * total / incorrect if incorrect > 0.0 else 1.0
    return (gamma * upper + correct / total) / (gamma + 1.0)


def is_of_pairs(statistic: Read) -> bool:
    """Return whether the counts of correctly ordered pairs determine the statistic."""
    return isinstance(statistic, Statistic) and statistic.definition.lines is not None


def name_of(statistic: Read) -> str:
    """Return the name of a statistic or of a function."""
    if isinstance(statistic, Statistic):
        return repr(statistic) if statistic.parameters else statistic.name
    return str(getattr(statistic, "__name__", repr(statistic)))


def value_of(statistic: Read, sweep: ThresholdSweep, of: str) -> float:
    """Return a statistic's value; if a function raises, add a note to the error that names `of`."""
    try:
        return float(statistic(sweep))
    except Exception as error:
        if not isinstance(statistic, Statistic):
            error.add_note(f"raised by the statistic {name_of(statistic)}, of {of}")
        raise


class Evaluator:
    """Evaluates statistics on resamples in several threads; the random key determines the resamples.

    `errors` also estimates the standard error of each value. The heights of the curve with number
    `curve` are stored at the points of `grid`.
    """

    def __init__(
        self,
        population: Population,
        key: NDArray[np.uint64],
        statistics: Sequence[Read],
        n_resamples: int,
        *,
        errors: bool = False,
        curve: int = 0,
        grid: FloatArray | None = None,
    ) -> None:
        self._population, self._key = population, key
        self._statistics = list(statistics)
        self.n_resamples = n_resamples
        self._of_pairs = [s for s in statistics if is_of_pairs(s)]
        self._others = [
            (j, s, _quick(s) if isinstance(s, Statistic) else None)
            for j, s in enumerate(statistics)
            if not is_of_pairs(s)
        ]
        self._pairs = np.zeros((n_resamples if self._of_pairs else 0, 3), population.weights.dtype)
        self._values = np.empty((len(self._statistics), n_resamples))
        self._errors = np.empty((len(self._statistics) if errors else 0, n_resamples))
        self._squares = np.empty((n_resamples if errors and self._of_pairs else 0, 2))
        self._empty = np.zeros(n_resamples, np.bool_)  # marks resamples without items
        self._curve, self._grid = curve, grid
        self.heights = np.empty(
            (n_resamples if grid is not None else 0, 0 if grid is None else len(grid))
        )
        self.batch = max(1, min(BATCH // population.work, n_resamples))

    def run(self, n_threads: int | None, *, progress: bool) -> None:
        """Evaluate all resamples; in a single thread if a statistic is a Python function."""
        threads = threads_for(n_threads, self._population.work * self.n_resamples)
        if not all(isinstance(one, Statistic) for one in self._statistics):
            threads = 1
        run_batches(self.worker, self.n_resamples, self.batch, threads, progress=progress)

    def worker(self) -> Callable[[int, int], None]:
        """Return a function for one thread that evaluates a range of resample numbers."""
        population = self._population
        one_by_one = bool(self._others or len(self._squares) or self._grid is not None)
        resample = Resample(population) if one_by_one else None
        dtype = np.uint8 if population.in_bytes else np.int64
        space = np.empty((self.batch, len(population.codes)), dtype)

        def work(first: int, last: int) -> None:
            counts = population.draw(self._key, first, space[: last - first])
            if population.may_be_empty:
                self._empty[first:last] = ~counts.any(axis=1)
            if self._of_pairs:
                self._count_pairs(counts, self._pairs[first:last])
            if resample is None:
                return
            with undefined_is_nan():
                for row, r in zip(counts, range(first, last), strict=True):
                    resample.take(row)
                    if not self._empty[r]:
                        self._read(resample, r)

        return work

    def _count_pairs(self, counts: Array, pairs: Array) -> None:
        p = self._population
        if counts.dtype == np.uint8 and p.weights.dtype == np.int64:
            _kernels.bootstrap.pairs_of_lanes(counts, p.codes, pairs)
        else:
            _kernels.bootstrap.pairs_in_order(counts, p.codes, p.lanes, p.weights, pairs)

    def _read(self, resample: Resample, r: int) -> None:
        if len(self._squares):
            resample.squares(self._squares[r])
        if self._grid is not None:
            resample.heights(self._curve, self._grid, self.heights[r])
        sweep = None
        for j, statistic, quick in self._others:
            if quick is not None:
                self._values[j, r] = quick(resample)
            if quick is None or len(self._errors):
                sweep = resample.sweep() if sweep is None else sweep
            if quick is None and sweep is not None:
                self._values[j, r] = value_of(
                    statistic, sweep, f"resample {r + 1:,} of {self.n_resamples:,}"
                )
            if len(self._errors) and sweep is not None and isinstance(statistic, Statistic):
                self._errors[j, r] = standard_error(
                    sweep, statistic, stratified=self._population.stratified
                )

    def values(self) -> FloatArray:
        """Return the values in shape (n_statistics, n_resamples); call `run` before."""
        for j, statistic in enumerate(self._statistics):
            if isinstance(statistic, Statistic) and statistic.definition.lines is not None:
                self._values[j] = pair_values(statistic, self._pairs)
        self._values[:, self._empty] = math.nan
        return self._values

    def errors(self) -> FloatArray:
        """Return the standard errors of the values, in the same shape, if they were requested."""
        for j, statistic in enumerate(self._statistics):
            if isinstance(statistic, Statistic) and statistic.definition.lines is not None:
                self._errors[j] = pair_errors(
                    statistic, self._pairs, self._squares, stratified=self._population.stratified
                )
        return self._errors


def without_each(population: Population, statistic: Statistic) -> FloatArray:
    """Return the statistic without each group in turn; many groups are left out in batches."""
    at_a_time = -(-population.n_drawn // MOST_LEFT_OUT)
    rest = replace(population, left_out=at_a_time, may_be_empty=True)
    evaluator = Evaluator(rest, _NO_KEY, [statistic], -(-population.n_drawn // at_a_time))
    evaluator.run(None, progress=False)
    values: FloatArray = evaluator.values()[0]
    return values


def pair_values(statistic: Statistic, pairs: Array) -> FloatArray:
    """Return values from `pairs` (n, 3): correct items, incorrect items, and doubled pairs."""
    gamma = float(dict(statistic.parameters).get("gamma", 1.0))
    return values_of_pairs(statistic.name, pairs, gamma)


def pair_errors(
    statistic: Statistic, pairs: Array, squares: FloatArray, *, stratified: bool
) -> FloatArray:
    """Return standard errors of pair-based values, from the same influence values as `influence`.

    The influence is a + b·x for a correct item, and c + d·y for an incorrect one. Here x and y are the
    shares of the other class above the item, and `squares` holds Σx² and Σy².
    """
    p, q, doubled = pairs.astype(np.float64).T
    n = p + q
    with np.errstate(divide="ignore", invalid="ignore"):
        area = np.where((p > 0) & (q > 0), doubled / (2 * p * q), 1.0)
        beta, rest = p / n, q / n
        loss = (2 * p * q - doubled + q * q) / (2 * n * n)
        zero = np.zeros(len(n))
        rate = (rest, zero, -beta, zero)
        arac = (2 * loss, -rest, 2 * loss - 1.0, beta)
        if statistic.name == "recognition_rate":
            lines = rate
        elif statistic.name == "roc_auc":
            lines = ((1 - area) / beta, -1 / beta, -area / rest, 1 / rest)
        elif statistic.name == "normalized_arac_auc":
            gamma = float(dict(statistic.parameters).get("gamma", 1.0))
            by_area = gamma / rest / (gamma + 1)
            by_rate = (1 - gamma * loss / rest**2) / (gamma + 1)
            lines = tuple(
                np.where(rest > 0, by_area * a + by_rate * r, 0.0)
                for a, r in zip(arac, rate, strict=True)
            )  # type: ignore[assignment]
        else:
            lines = arac
        a, b, c, d = lines
        mean_x, mean_y = 1 - area, area
        of_correct = p * (a * a + 2 * a * b * mean_x) + b * b * squares[:, 0]
        of_incorrect = q * (c * c + 2 * c * d * mean_y) + d * d * squares[:, 1]
        if stratified:
            of_correct -= p * (a + b * mean_x) ** 2
            of_incorrect -= q * (c + d * mean_y) ** 2
        if stratified:
            variance = of_correct * p / np.maximum(p - 1, 1) + of_incorrect * q / np.maximum(q - 1, 1)
        elif statistic.name == "roc_auc":
            variance = of_correct * p / (p - 1) + of_incorrect * q / (q - 1)
        else:
            variance = (of_correct + of_incorrect) * n / (n - 1)
        variance[variance < NO_SPREAD * (p * (a * a + b * b) + q * (c * c + d * d))] = 0.0
        errors: FloatArray = np.sqrt(variance) / n
    return errors


def standard_error(sweep: ThresholdSweep, statistic: Statistic, *, stratified: bool) -> float:
    """Return a statistic's standard error; if `stratified`, from the variation within each class."""
    if not stratified:
        return influence.standard_error(sweep, statistic)
    variance = 0.0
    counts = np.diff(sweep.true_accepts), np.diff(sweep.false_accepts)
    for sizes, values in zip(counts, influence.point_influence(sweep, statistic), strict=True):
        size = int(sizes.sum())
        if size > 1:
            mean = float(np.sum(sizes * values)) / size
            variance += float(np.sum(sizes * (values - mean) ** 2)) * size / (size - 1)
    return math.sqrt(variance) / sweep.total
