"""Intervals of shares, and of acceptance rates at a limit, by inverting binomial tests.

The formulas for independent items take an effective number of items if items are weighted or grouped.
For a share p with the standard error s, this number is (z/t)²·p(1 − p)/s² (Korn and Graubard 1998),
where z is the normal and t Student's quantile.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac._core.quantiles import normal_quantile, student_quantile
from fastarac._core.special import binomial_cdf, binomial_interval, binomial_quantile
from fastarac.operating_points.limits import last_accepted, most_accepted
from fastarac.operating_points.points import acceptance_at_error_rate
from fastarac.uncertainty import derivatives

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from fastarac.sweep import ThresholdSweep
    from fastarac.uncertainty.influence import PlacedItems
    from fastarac.uncertainty.statistics import Statistic

# Added to the effective number of groups to give degrees of freedom. The effective number alone is too
# small if errors are few.
MORE_DEGREES = 2.0
PARTS = 10  # maximum number of times that a group of tied items is halved

ROUNDING = 1e-12  # relative rounding error allowed in a computed share


class Share(NamedTuple):
    """A share: `part` out of `whole` independent items; both may be fractional."""

    part: float
    whole: float

    def interval(self, level: float) -> tuple[float, float]:
        """Return Clopper and Pearson's interval, or (0, 1) if there are no items."""
        return binomial_interval(self.part, self.whole, level) if self.whole > 0.0 else (0.0, 1.0)


class ItemSample(NamedTuple):
    """The sample of an interval: a sweep and, with weights or groups, single items."""

    sweep: ThresholdSweep
    items: PlacedItems | None
    codes: NDArray[Any] | None

    @property
    def counted(self) -> bool:
        """Whether the items are independent and unweighted, so that their counts are binomial."""
        return self.items is None or (self.codes is None and self.items.weight is None)

    def share(self, in_part: NDArray[Any], in_whole: NDArray[Any], level: float) -> Share:
        """Return the share of items marked in `in_part` among those marked in `in_whole`.

        The items must be weighted or grouped. Both tables, of shape (2, m), mark incorrect items (row
        0) and correct items (row 1) by point.
        """
        if self.items is None:
            raise AssertionError(self)
        right = self.items.is_correct.astype(np.intp)
        part, whole = in_part[right, self.items.point], in_whole[right, self.items.point]
        weight = self.items.weight
        if weight is None:
            weight = np.ones(len(right))
        weight = weight / weight.max()
        parts, wholes = part * weight, whole * weight
        n = float(np.sum(whole & (weight > 0)))
        if self.codes is not None:
            parts, wholes = (
                np.bincount(self.codes, values).astype(np.float64) for values in (parts, wholes)
            )
        some = weight > 0.0 if self.codes is None else wholes > 0.0
        return share_of_units(parts[some], wholes[some], n, level, grouped=self.codes is not None)


def share_of_units(
    parts: NDArray[np.float64], wholes: NDArray[np.float64], n: float, level: float, *, grouped: bool
) -> Share:
    """Return a share, given the weight of each item or group inside the part (`parts`) and overall."""
    total, units = float(np.sum(wholes)), len(wholes)
    if not total > 0.0:
        return Share(0.0, 0.0)
    p = float(np.sum(parts)) / total
    squared = (parts - p * wholes) ** 2
    squares = float(np.sum(squared)) / total**2
    # The effective number of items in the worst case, in which all items of a group are alike.
    least = total**2 / float(np.sum(wholes**2))
    if not 0.0 < p < 1.0 or units < 2:
        return Share(p * least, least)
    spread = squares * units / (units - 1)  # 0 if the share is the same in all groups
    effective = p * (1.0 - p) / spread if spread > 0.0 else n
    degrees = units - 1.0
    if grouped and spread > 0.0:
        contributors = float(np.sum(squared)) ** 2 / float(np.sum(squared**2))
        degrees = min(degrees, contributors + MORE_DEGREES)
    reach = normal_quantile(level) / student_quantile(level, degrees)
    effective = min(effective * reach**2, n)
    return Share(p * effective, effective)


def rate(sample: ItemSample, statistic: Statistic, level: float) -> tuple[float, float]:
    """Return the interval for the rate at a given threshold, or for the recognition rate."""
    of = statistic.definition.rate
    if of is None:
        raise AssertionError(statistic)
    threshold = dict(statistic.parameters).get("threshold", -math.inf)
    if sample.counted:
        return Share(*derivatives.parts(sample.sweep, threshold, of)).interval(level)
    thresholds = sample.sweep.thresholds[1:]
    shape = (2, len(thresholds))
    accepted = np.asarray(thresholds >= threshold, np.bool_)
    part, whole = np.empty(shape, np.bool_), np.empty(shape, np.bool_)
    for right in (False, True):
        for side in (False, True):
            part[int(right), accepted == side], whole[int(right), accepted == side] = of(side, right)
    return sample.share(part, whole, level).interval(level)


def limit(sample: ItemSample, statistic: Statistic, value: float, level: float) -> tuple[float, float]:
    """Return the interval for the largest acceptance rate within a limit, estimated as `value`.

    One interval contains the acceptance rates at which a test does not reject the limit (Woodruff
    1952). Another one is for the acceptance rate at a fixed threshold. The squared distances of their
    ends from the estimate are added. If few thresholds are possible, `both` widens the interval
    further.
    """
    sweep = sample.sweep
    name, parameters = statistic.name, dict(statistic.parameters)
    if name == "acceptance_at_error_rate":
        n = float(sweep.total) if sample.counted else _effective_total(sample, value, level)
        low, high = by_error_rate(sweep, parameters, n, level)
    else:
        design = 1.0 if sample.counted else _effective_per_item(sample, value, level)
        low, high = by_risk(sweep, parameters, design, level)
    most = most_accepted(sweep, parameters.get("never_accepted"))

    def accepted(point: int) -> float:
        return float((sweep.true_accepts[point] + sweep.false_accepts[point]) / sweep.total)

    ties = None if parameters.get("interpolate", False) else (accepted, len(sweep.thresholds))
    return both(value, (low, high), most, lambda rate: of_threshold(sample, rate, level), ties)


def _effective_total(sample: ItemSample, value: float, level: float) -> float:
    """Return the effective number of all items for the share of errors accepted within the limit."""
    inside = _within(sample.sweep, value)
    return sample.share(_wrong(inside), np.ones(inside.shape, np.bool_), level).whole


def _effective_per_item(sample: ItemSample, value: float, level: float) -> float:
    """Return the effective number of the accepted items, divided by their number."""
    sweep, inside = sample.sweep, _within(sample.sweep, value)
    accepted = np.add(sweep.true_accepts, sweep.false_accepts)[1:]
    n = float(accepted[inside[0]].max(initial=0))
    if n:
        return sample.share(_wrong(inside), inside, level).whole / n
    # Nothing is accepted, so all items determine the effective number.
    everything = np.ones(inside.shape, np.bool_)
    return sample.share(everything, everything, level).whole / float(sweep.total)


def _wrong(inside: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return a copy of the table in which only incorrect items are selected."""
    wrong: NDArray[np.bool_] = inside & np.array([[True], [False]])
    return wrong


def both(
    value: float,
    of_errors: tuple[float, float],
    most: float,
    of_threshold: Callable[[float], tuple[float, float]],
    ties: tuple[Callable[[int], float], int] | None,
) -> tuple[float, float]:
    """Combine two intervals of an acceptance rate: from the errors, and at a fixed threshold.

    `most` is the largest share of items that a threshold may accept. `ties` holds a function that
    returns the share accepted at a point, and the number of points; None if ties may be split.

    If few thresholds are possible, the population's threshold is often the one at an end of the first
    interval. Its acceptance rate is uncertain, too. Let g be the share of the items at this threshold,
    and d the distance of the end from `value`. The end then moves at least min(1, g/d) of the way to
    the end of the second interval for this threshold.
    """
    low, high = min(of_errors[0], value), max(min(of_errors[1], most), value)
    a, b = of_threshold(value)
    lowest = max(0.0, value - math.hypot(value - low, value - a))
    highest = min(1.0, value + math.hypot(high - value, b - value))
    if ties is not None:
        accepted, n_points = ties
        at, to = (
            bisect_left(range(n_points), end * (1.0 - ROUNDING), key=accepted) for end in (low, high)
        )
        if 0.0 < low < value:
            part = min(1.0, (accepted(at) - accepted(at - 1)) / (value - low))
            lowest = min(lowest, low - part * (low - of_threshold(low)[0]))
        if value < high < 1.0:
            part = min(1.0, (accepted(to + 1) - accepted(to)) / (high - value))
            highest = max(highest, high + part * (of_threshold(high)[1] - high))
    if value < most < 1.0 and high >= most * (1.0 - ROUNDING):
        highest = of_threshold(most)[1]
    return lowest, highest


def of_threshold(sample: ItemSample, accepted: float, level: float) -> tuple[float, float]:
    """Return the interval for the acceptance rate at a fixed threshold, estimated as `accepted`."""
    if sample.counted:  # do not count points: interpolation may accept only some tied items
        whole = float(sample.sweep.total)
    else:
        inside = _within(sample.sweep, accepted)
        whole = sample.share(inside, np.ones(inside.shape, np.bool_), level).whole
    return Share(accepted * whole, whole).interval(level)


def _within(sweep: ThresholdSweep, accepted: float) -> NDArray[np.bool_]:
    """Mark, for `ItemSample.share`, the points at which at most this share of items is accepted."""
    counts = np.add(sweep.true_accepts, sweep.false_accepts)[1:]
    return np.broadcast_to(counts <= accepted * sweep.total * (1.0 + ROUNDING), (2, len(counts)))


def errors_within(sweep: ThresholdSweep, statistic: Statistic) -> tuple[str, float]:
    """Return the name and the weight of the errors that are allowed within the limit."""
    parameters, total = dict(statistic.parameters), float(sweep.total)
    if statistic.name == "acceptance_at_error_rate":
        allowed = float(parameters["max_error_rate"]) * total
    else:
        allowed = float(parameters["max_risk"]) * statistic(sweep) * total
    most = float(sweep.false_accepts[last_accepted(sweep, parameters.get("never_accepted"))])
    return "incorrect items within the limit", min(allowed, most)


def by_error_rate(
    sweep: ThresholdSweep, parameters: dict[str, Any], n: float, level: float
) -> tuple[float, float]:
    """Return the interval of the largest acceptance rate within `max_error_rate`, by binomial tests."""
    allowed = float(parameters["max_error_rate"])
    whole = max(1, round(n))
    tail = (1.0 - level) / 2.0
    few, many = binomial_quantile(tail, whole, allowed), binomial_quantile(1.0 - tail, whole, allowed)
    interpolate = parameters.get("interpolate", False)
    low, high = (
        float(acceptance_at_error_rate(sweep, max_error_rate=errors / whole, interpolate=interpolate))
        for errors in (max(few - 1, 0), min(many + 1, whole))
    )
    return (low if few else 0.0), high


def by_risk(
    sweep: ThresholdSweep, parameters: dict[str, Any], design: float, level: float
) -> tuple[float, float]:
    """Return the interval of the largest acceptance rate within a risk, by a binomial test."""
    allowed = float(parameters["max_risk"])
    thresholds = slice(1, last_accepted(sweep, parameters.get("never_accepted")) + 1)
    errors = sweep.false_accepts[thresholds].astype(np.float64)
    accepted = errors + sweep.true_accepts[thresholds]
    wrong, n = errors * design, accepted * design
    tail, reach = (1.0 - level) / 2.0, normal_quantile(level)
    spread = np.sqrt(np.maximum(allowed * (1.0 - allowed) * n, 1e-300))
    z = (wrong - allowed * n) / spread
    # Allowance for the error of the normal approximation, including skewness.
    slack = 2.0 / np.minimum(spread, 1e6)

    def few(j: int) -> bool:
        return binomial_cdf(math.floor(wrong[j]), math.floor(n[j]), allowed) <= tail

    def not_many(wrong: float, n: float) -> bool:
        k = math.ceil(wrong)
        return k == 0 or 1.0 - binomial_cdf(k - 1, max(k, math.ceil(n)), allowed) > tail

    low = high = 0.0
    for j in np.flatnonzero(z <= -reach + slack)[::-1].tolist():
        if z[j] < -reach - slack[j] or few(j):
            low = float(accepted[j])
            break
    last = -1
    for j in np.flatnonzero(z <= reach + slack)[::-1].tolist():
        if z[j] < reach - slack[j] or not_many(float(wrong[j]), float(n[j])):
            last = j
            high = float(accepted[j])
            break
    # Interpolation may also accept some of the tied items at the next threshold.
    if last + 1 < len(n) and parameters.get("interpolate", False):
        start = (float(wrong[last]), float(n[last])) if last >= 0 else (0.0, 0.0)
        tie = float(wrong[last + 1]) - start[0], float(n[last + 1]) - start[1]
        part = 0.0
        for step in 0.5 ** np.arange(1.0, min(math.log2(max(tie[1], 1.0)), PARTS) + 1.0):
            if not_many(start[0] + (part + step) * tie[0], start[1] + (part + step) * tie[1]):
                part += float(step)
        high += part * tie[1] / design
    total = float(sweep.total)
    return low / total, high / total
