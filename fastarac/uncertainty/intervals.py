"""Intervals from bootstrap replicates, by four methods."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac._core.exceptions import undefined_is_nan
from fastarac._kernels.codes import CORRECT, STARTS
from fastarac.sweep import ThresholdSweep
from fastarac.uncertainty import influence
from fastarac.uncertainty.replicates import is_of_pairs, pair_values, value_of
from fastarac.uncertainty.statistics import Statistic

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from fastarac.areas.gradients import PointInfluence
    from fastarac.uncertainty.resampling import Members, Population

    FloatArray = NDArray[np.float64]

# Maximum number of kinds of items for a jackknife that computes the statistic once per kind.
MAX_LEFT_OUT = 2000
# Maximum number of items for the closed-form jackknife. Larger samples use influence values.
CLOSED_FORM = 1 << 20
SAME = 1e-12  # relative difference below which two replicates count as equal
_NORMAL = NormalDist()


class Ends(NamedTuple):
    """The two ends of a closed interval."""

    low: float
    high: float


UNKNOWN = Ends(math.nan, math.nan)


def percentile(replicates: FloatArray, level: float) -> Ends:
    """Return quantiles of the replicates as an interval."""
    tail = (1.0 - level) / 2.0
    return _quantiles(replicates, tail, 1.0 - tail)


def _quantiles(replicates: FloatArray, low: float, high: float) -> Ends:
    """Return two quantiles of the replicates, interpolated linearly.

    Between two replicates of which one is infinite, the outer one is returned.
    """
    if np.isfinite(replicates).all():
        ends = np.quantile(replicates, [low, high])
        return Ends(float(ends[0]), float(ends[1]))
    ordered, found = np.sort(replicates), []
    for share, outer in ((low, 0), (high, 1)):
        place = share * (len(ordered) - 1)
        first = math.floor(place)
        between = ordered[first : first + 2].tolist()
        if first == place or not all(map(math.isfinite, between)):
            found.append(between[outer if first < place else 0])
        else:
            found.append(between[0] + (place - first) * (between[1] - between[0]))
    return Ends(*found)


def basic(replicates: FloatArray, estimate: float, level: float) -> Ends:
    """Return the percentile interval mirrored at the estimate."""
    low, high = percentile(replicates, level)
    ends = Ends(2.0 * estimate - high, 2.0 * estimate - low)
    return UNKNOWN if any(map(math.isnan, ends)) else ends


def studentized(
    replicates: FloatArray, errors: FloatArray, estimate: float, error: float, level: float
) -> Ends:
    """Return the interval from quantiles of (replicate − estimate)/error of the replicate."""
    if not error > 0.0:
        return UNKNOWN
    with np.errstate(divide="ignore", invalid="ignore"):
        t = (replicates - estimate) / errors
        t = t[~np.isnan(t)]
        low, high = percentile(t, level) if len(t) else UNKNOWN
    if not (math.isfinite(low) and math.isfinite(high)):
        return UNKNOWN
    return Ends(estimate - error * high, estimate - error * low)


def bca(replicates: FloatArray, estimate: float, acceleration: float, level: float) -> Ends:
    """Return percentiles corrected for bias and skewness (Efron 1987).

    The ends are NaN if all replicates lie on one side of the estimate.
    """
    slack = SAME * abs(estimate) if math.isfinite(estimate) else 0.0
    below = np.count_nonzero(replicates < estimate - slack)
    share = (below + np.count_nonzero(replicates <= estimate + slack)) / (2 * len(replicates))
    if not 0.0 < share < 1.0 or math.isnan(acceleration):
        return UNKNOWN
    bias = _NORMAL.inv_cdf(share)
    ends = []
    for tail in ((1.0 - level) / 2.0, (1.0 + level) / 2.0):
        z = bias + _NORMAL.inv_cdf(tail)
        room = 1.0 - acceleration * z
        if room <= 0.0:
            return UNKNOWN
        ends.append(_NORMAL.cdf(bias + z / room))
    return _quantiles(replicates, ends[0], ends[1])


def acceleration(
    population: Population, statistic: Callable[[ThresholdSweep], float], name: str
) -> float:
    """Return the acceleration of BCa: a sixth of the skewness of the influence values.

    For pair-based statistics of small samples, the effects of leaving out each item replace the
    influence values. For statistics without influence values, one item of each kind (class and
    confidence) is left out in turn.
    """
    values, sizes = _contributions(population, statistic, name)
    squares = cubes = 0.0
    for value, size in zip(values, sizes, strict=True):
        if not np.isfinite(value).all():
            return math.nan
        if len(value):
            centred = value - np.sum(size * value) / size.sum()
            squares += float(np.sum(size * centred**2))
            cubes += float(np.sum(size * centred**3))
    return cubes / (6.0 * squares**1.5) if squares != 0.0 else 0.0


def _contributions(
    population: Population, statistic: Callable[[ThresholdSweep], float], name: str
) -> tuple[list[FloatArray], list[NDArray[Any]]]:
    """Return, for each stratum, the effect of an item of each kind, and the number of such items."""
    sweep, members = population.sweep, population.members
    counts = [np.diff(sweep.true_accepts), np.diff(sweep.false_accepts)]
    if not isinstance(statistic, Statistic) or not statistic.definition.is_smooth:
        return _leave_out(population, statistic, counts, name)
    if members is None and sweep.total <= CLOSED_FORM and is_of_pairs(statistic):
        return _leave_out_pairs(sweep, statistic, counts, stratified=population.stratified)
    both = influence.point_influence(sweep, statistic)
    if members is None:
        return _by_class(list(both), counts, stratified=population.stratified)
    parts = [of_members(members, both)]
    if population.stratified:
        correct = (members.codes & CORRECT).astype(np.bool_)
        parts = [parts[0][correct], parts[0][~correct]]
    return parts, [np.ones(len(part), np.int64) for part in parts]


def of_members(members: Members, both: PointInfluence) -> FloatArray:
    """Return the weighted influence of each item or group on the statistic."""
    point = np.cumsum((members.codes & STARTS) > 0) - 1
    correct = (members.codes & CORRECT).astype(np.bool_)
    of_item: FloatArray = np.where(correct, both.correct[point], both.incorrect[point])
    if members.weights is not None:
        of_item *= members.weights
    if members.groups is None:
        return of_item
    return np.bincount(members.groups, weights=of_item).astype(np.float64)


def _by_class(
    values: list[FloatArray], sizes: list[NDArray[Any]], *, stratified: bool
) -> tuple[list[FloatArray], list[NDArray[Any]]]:
    used = [size > 0 for size in sizes]
    values = [value[u] for value, u in zip(values, used, strict=True)]
    sizes = [size[u] for size, u in zip(sizes, used, strict=True)]
    if stratified:
        return values, sizes
    return [np.concatenate(values)], [np.concatenate(sizes)]


def _leave_out_pairs(
    sweep: ThresholdSweep, statistic: Statistic, counts: list[NDArray[Any]], *, stratified: bool
) -> tuple[list[FloatArray], list[NDArray[Any]]]:
    """Return the effects of `_contributions` on a pair-based statistic, exactly."""
    ta, fa = sweep.true_accepts.astype(np.float64), sweep.false_accepts.astype(np.float64)
    correct, incorrect = ta[-1], fa[-1]
    doubled = float(np.sum(np.diff(fa) * (ta[1:] + ta[:-1])))
    # Twice the number of ordered pairs that are lost by leaving out one correct item (first array) or
    # one incorrect item (second array).
    in_pairs = 2.0 * incorrect - (fa[1:] + fa[:-1]), ta[1:] + ta[:-1]
    values = []
    for of_correct, lost in zip((True, False), in_pairs, strict=True):
        pairs = np.empty((len(lost), 3))
        pairs[:, 0] = correct - of_correct
        pairs[:, 1] = incorrect - (not of_correct)
        pairs[:, 2] = doubled - lost
        whole = correct if of_correct else incorrect
        # In a stratum of fixed size n, an item's effect shrinks by the factor (n − 1)/n.
        factor = (whole - 1.0) / whole if stratified and whole else 1.0
        with np.errstate(divide="ignore", invalid="ignore"):
            values.append(-factor * _values(statistic, pairs))
    return _by_class(values, counts, stratified=stratified)


def _values(statistic: Statistic, pairs: FloatArray) -> FloatArray:
    values = np.full(len(pairs), np.nan)
    some = (pairs[:, 0] >= 0) & (pairs[:, 1] >= 0) & (pairs[:, 0] + pairs[:, 1] > 0)
    values[some] = pair_values(statistic, pairs[some])
    return values


def _leave_out(
    population: Population,
    statistic: Callable[[ThresholdSweep], float],
    counts: list[NDArray[Any]],
    name: str,
) -> tuple[list[FloatArray], list[NDArray[Any]]]:
    """Return the effects of `_contributions` by leaving out one item of each kind in turn."""
    if population.members is not None:
        raise ValueError(
            f"method must be 'percentile' with weights or groups, because {name} has no influence "
            "values, got 'bca'"
        )
    kinds = sum(int(np.count_nonzero(count)) for count in counts)
    if kinds > MAX_LEFT_OUT:
        raise ValueError(
            f"method is 'bca', but {name} has no influence values, so one item of each of {kinds} "
            f"kinds would be left out in turn; use method='percentile', or at most {MAX_LEFT_OUT} "
            "kinds"
        )
    sweep = population.sweep
    values = [np.full(len(count), np.nan) for count in counts]
    for kind, (value, count) in enumerate(zip(values, counts, strict=True)):
        whole = int(count.sum())
        for i in np.flatnonzero(count):
            left = [part.copy() for part in counts]
            left[kind][i] -= 1
            if whole + int(counts[1 - kind].sum()) > 1:
                smaller = _sweep_of(sweep.thresholds, left)
                factor = (whole - 1) / whole if population.stratified else 1.0
                with undefined_is_nan():
                    value[i] = -factor * value_of(statistic, smaller, "the items but one")
    return _by_class(values, counts, stratified=population.stratified)


def _sweep_of(thresholds: NDArray[Any], counts: list[NDArray[Any]]) -> ThresholdSweep:
    used = np.concatenate([[True], counts[0] + counts[1] > 0])
    accepted = (np.concatenate([[0], np.cumsum(count)])[used] for count in counts)
    return ThresholdSweep(thresholds[used], *accepted)
