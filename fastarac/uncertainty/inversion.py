"""Intervals of shares, and of the largest acceptance rate within a limit, by inverting binomial tests.

Weighted or grouped items count as fewer independent ones: the effective number n* = p(1 − p)/s² of a
share p with the standard error s (Korn and Graubard 1998), times the squared ratio of the normal to
Student's quantile with the degrees of freedom of s, so that the formulas of whole items go on to hold.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac._core.quantiles import normal_quantile, student_quantile
from fastarac._core.special import binomial_cdf, binomial_interval, binomial_quantile
from fastarac.operating_points.limits import last_accepted, most_accepted
from fastarac.operating_points.points import acceptance_at_error_rate

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from fastarac.sweep import ThresholdSweep
    from fastarac.uncertainty.influence import PlacedItems
    from fastarac.uncertainty.statistics import Statistic

MORE_DEGREES = 2.0  # than groups of one size that would say as much; fewer are too wide with few errors
PARTS = 10  # bisections of a tie
ROUNDING = 1e-12  # of a share that is computed


class Share(NamedTuple):
    """A share of items, as `part` of `whole` independent ones; neither need be a whole number."""

    part: float
    whole: float

    def interval(self, level: float) -> tuple[float, float]:
        """Clopper and Pearson's; all that is possible of nothing."""
        return binomial_interval(self.part, self.whole, level) if self.whole > 0.0 else (0.0, 1.0)


class ItemSample(NamedTuple):
    """Items as intervals see them: a sweep of all and, with weights or groups, each of them."""

    sweep: ThresholdSweep
    items: PlacedItems | None
    codes: NDArray[Any] | None

    @property
    def counted(self) -> bool:
        """Whether items are independent and of one weight, so that counts of them are binomial."""
        return self.items is None or (self.codes is None and self.items.weight is None)

    def share(self, in_part: NDArray[Any], in_whole: NDArray[Any], level: float) -> Share:
        """A share, from where its items are: tables (2, m) by correctness and by point.

        The first row is of incorrect items, the second of correct ones.
        """
        if self.items is None or self.counted:
            counts = np.stack([np.diff(self.sweep.false_accepts), np.diff(self.sweep.true_accepts)])
            return Share(float(np.sum(counts * in_part)), float(np.sum(counts * in_whole)))
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
    """A share of n items from what is in it of each item, or group of them, and from their weights."""
    total, units = float(np.sum(wholes)), len(wholes)
    if not total > 0.0:
        return Share(0.0, 0.0)
    p = float(np.sum(parts)) / total
    squared = (parts - p * wholes) ** 2
    squares = float(np.sum(squared)) / total**2
    least = total**2 / float(np.sum(wholes**2))  # where all items of a group are alike
    if not 0.0 < p < 1.0 or units < 2:
        return Share(p * least, least)
    spread = squares * units / (units - 1)  # 0 where all groups have the same share
    effective = p * (1.0 - p) / spread if spread > 0.0 else n
    degrees = units - 1.0
    if grouped and spread > 0.0:
        contributors = float(np.sum(squared)) ** 2 / float(np.sum(squared**2))
        degrees = min(degrees, contributors + MORE_DEGREES)
    reach = normal_quantile(level) / student_quantile(level, degrees)
    effective = min(effective * reach**2, n)
    return Share(p * effective, effective)


def rate(sample: ItemSample, statistic: Statistic, level: float) -> tuple[float, float]:
    """Ends of a rate at a given threshold, or of the recognition rate."""
    thresholds = sample.sweep.thresholds[1:]
    shape = (2, len(thresholds))
    of = statistic.definition.rate
    if of is None:
        raise AssertionError(statistic)
    accepted = np.asarray(
        thresholds >= dict(statistic.parameters).get("threshold", -math.inf), np.bool_
    )
    part, whole = np.empty(shape, np.bool_), np.empty(shape, np.bool_)
    for right in (False, True):
        for side in (False, True):
            part[int(right), accepted == side], whole[int(right), accepted == side] = of(side, right)
    return sample.share(part, whole, level).interval(level)


def limit(sample: ItemSample, statistic: Statistic, value: float, level: float) -> tuple[float, float]:
    """Ends of the largest acceptance rate within a limit, whose estimate is `value`.

    As far as tests of the limit at other acceptance rates do not reject (Woodruff 1952), and as far as
    the acceptance rate of a fixed threshold may be off, both distances in one. Where they do not reject
    that all is accepted which any threshold accepts, the upper end is that of the share of these items.
    """
    sweep = sample.sweep
    name, parameters = statistic.name, dict(statistic.parameters)
    accepted = np.add(sweep.true_accepts, sweep.false_accepts)[1:]
    inside = _within(sweep, value)
    everything = np.ones(inside.shape, np.bool_)
    wrong = inside & np.array([[True], [False]])
    if name == "acceptance_at_error_rate":
        n = float(sweep.total) if sample.counted else sample.share(wrong, everything, level).whole
        low, high = by_error_rate(sweep, parameters, n, level)
    else:
        design = 1.0
        if not sample.counted:
            n = float(accepted[inside[0]].max(initial=0))
            if n:
                design = sample.share(wrong, inside, level).whole / n
            else:  # nothing is accepted: all items say how few a unit of weight is
                design = sample.share(everything, everything, level).whole / float(sweep.total)
        low, high = by_risk(sweep, parameters, design, level)
    most = most_accepted(sweep, parameters.get("never_accepted"))
    return both(value, (low, high), most, lambda accepted: of_threshold(sample, accepted, level))


def both(
    value: float,
    of_errors: tuple[float, float],
    most: float,
    of_threshold: Callable[[float], tuple[float, float]],
) -> tuple[float, float]:
    """Ends by both distances of `limit`; `most` is the largest share that a threshold accepts."""
    low, high = min(of_errors[0], value), max(min(of_errors[1], most), value)
    a, b = of_threshold(value)
    end = min(1.0, value + math.hypot(high - value, b - value))
    if value < most < 1.0 and high >= most * (1.0 - ROUNDING):
        end = of_threshold(most)[1]
    return max(0.0, value - math.hypot(value - low, value - a)), end


def of_threshold(sample: ItemSample, accepted: float, level: float) -> tuple[float, float]:
    """Ends of the acceptance rate of a threshold that accepts such a share of the sample."""
    if sample.counted:  # a part of a tie may be accepted
        whole = float(sample.sweep.total)
    else:
        inside = _within(sample.sweep, accepted)
        whole = sample.share(inside, np.ones(inside.shape, np.bool_), level).whole
    return Share(accepted * whole, whole).interval(level)


def _within(sweep: ThresholdSweep, accepted: float) -> NDArray[np.bool_]:
    """Where at most such a share is accepted: a table of `ItemSample.share`."""
    counts = np.add(sweep.true_accepts, sweep.false_accepts)[1:]
    return np.broadcast_to(counts <= accepted * sweep.total * (1.0 + ROUNDING), (2, len(counts)))


def errors_within(sweep: ThresholdSweep, statistic: Statistic) -> tuple[str, float]:
    """The errors that the limit allows: how they are called, and their weight."""
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
    """Acceptance rates at which so few, or so many, errors would be improbable at the limit."""
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
    """The last acceptance rate whose risk is surely within the limit, and the last that may be."""
    allowed = float(parameters["max_risk"])
    thresholds = slice(1, last_accepted(sweep, parameters.get("never_accepted")) + 1)
    errors = sweep.false_accepts[thresholds].astype(np.float64)
    accepted = errors + sweep.true_accepts[thresholds]
    wrong, n = errors * design, accepted * design
    tail, reach = (1.0 - level) / 2.0, normal_quantile(level)
    spread = np.sqrt(np.maximum(allowed * (1.0 - allowed) * n, 1e-300))
    z = (wrong - allowed * n) / spread
    slack = 2.0 / np.minimum(spread, 1e6)  # of the normal approximation, skewness included

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
    if last + 1 < len(n) and parameters.get("interpolate", False):  # a part of the next tie
        start = (float(wrong[last]), float(n[last])) if last >= 0 else (0.0, 0.0)
        tie = float(wrong[last + 1]) - start[0], float(n[last + 1]) - start[1]
        part = 0.0
        for step in 0.5 ** np.arange(1.0, min(math.log2(max(tie[1], 1.0)), PARTS) + 1.0):
            if not_many(start[0] + (part + step) * tie[0], start[1] + (part + step) * tie[1]):
                part += float(step)
        high += part * tie[1] / design
    total = float(sweep.total)
    return low / total, high / total
