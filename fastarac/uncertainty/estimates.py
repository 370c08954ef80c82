"""Estimates with their standard errors, and the intervals around them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fastarac._core.interval import Interval
from fastarac._core.quantiles import normal_quantile, student_quantile
from fastarac.sweep import ThresholdSweep

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fastarac.uncertainty.statistics import Statistic

NO_SPREAD = 1e-13  # smaller standard errors are treated as rounding errors


class Estimate(NamedTuple):
    """The value of a statistic, its standard error, and the amount of data for that error."""

    sweep: ThresholdSweep
    value: float
    standard_error: float
    effective_contributors: float
    """Effective number of items or groups that contribute to the error, see `influence.Spread`."""
    n: float
    """Number of independent items or groups; for weighted items the effective number."""
    degrees: float
    """Degrees of freedom of the standard error."""
    items: float
    """Effective number of independent items; with groups it is divided by the design effect."""
    grouped: bool = False
    heavy: float = math.inf
    """Number of items of the rarer class among the heavy ones, see `asymptotic.heavy_items`."""
    groups_of_class: float = math.inf
    """Number of groups with items of the rarer class."""


def interval_of(estimate: Estimate, statistic: Statistic, level: float, method: str) -> Interval:
    """Return the interval by method "wald" or "logit", within the range of the statistic."""
    value, error = estimate.value, estimate.standard_error
    if math.isnan(value):
        return Interval(value, math.nan, math.nan, math.nan, level, method)
    if not error > NO_SPREAD:
        return _unseen(estimate, statistic, level)
    low, high = statistic.range
    if method != "wald" and statistic.definition.is_skewed and value > 0.0:
        low, high = 0.0, math.inf
    if method == "wald" or not (math.isfinite(low) or math.isfinite(high)):
        reach = normal_quantile(level)
        if estimate.grouped or method != "wald":
            reach = student_quantile(level, estimate.degrees)
        ends = value - reach * error, value + reach * error
        return Interval(value, *within(statistic, *ends), error, level, "wald")
    above, below = value - low, high - value
    if not (above > 0.0 and below > 0.0):  # the odds are undefined at either end of the range
        return _unseen(estimate, statistic, level)
    reach = student_quantile(level, estimate.degrees) * error
    # If one end of the range is infinite, use the logarithm of the distance from the finite end.
    if math.isinf(low) or math.isinf(high):
        distance = below if math.isinf(low) else above
        factor = math.exp(min(reach / distance, 700.0))
        nearer, farther = distance / factor, distance * factor
        ends = (high - farther, high - nearer) if math.isinf(low) else (low + nearer, low + farther)
        return Interval(value, *within(statistic, *ends), error, level, "logit")
    width = high - low
    odds = math.log(above / below)
    reach *= width / (above * below)
    ends = low + width * _expit(odds - reach), low + width * _expit(odds + reach)
    return Interval(value, *ends, error, level, "logit")


def within(statistic: Statistic, low: float, high: float) -> tuple[float, float]:
    """Return both ends, clipped to the range of the statistic."""
    least, most = statistic.range
    return min(max(low, least), most), min(max(high, least), most)


def _expit(x: float) -> float:
    if x < 0.0:
        odds = math.exp(x)
        return odds / (1.0 + odds)
    return 1.0 / (1.0 + math.exp(-x))


def _unseen(estimate: Estimate, statistic: Statistic, level: float) -> Interval:
    values = unseen_values(estimate, statistic, level)
    return Interval(estimate.value, min(values), max(values), estimate.standard_error, level, "unseen")


def unseen_values(estimate: Estimate, statistic: Statistic, level: float) -> list[float]:
    """Return the statistic's value, and its values after adding items that the sample may lack."""
    share = -math.expm1(math.log((1.0 - level) / 2.0) / estimate.n)  # the share u solves (1 − u)ⁿ = α/2
    values = [estimate.value, *values_with(estimate.sweep, statistic, share, (1, 0))]
    return [within(statistic, value, value)[0] for value in values]


def values_with(
    sweep: ThresholdSweep, statistic: Statistic, share: float, kinds: Iterable[int]
) -> list[float]:
    """Return the values of the statistic after adding items with the highest or the lowest confidence.

    The added items make up `share` of all items. `kinds` holds 1 for correct and 0 for incorrect
    items. Undefined values are left out.
    """
    weight = float(sweep.total) * share / (1.0 - share)
    if sweep.true_accepts.dtype == np.int64:
        weight = math.ceil(weight)
    ends = np.finfo(np.float64)
    added = (
        ThresholdSweep.from_counts([place], [weight * right], [weight * (1 - right)])
        for place in (float(ends.max), float(ends.min))
        for right in kinds
    )
    values = (statistic(sweep + kind) for kind in added)
    return [value for value in values if not math.isnan(value)]


def with_room(interval: Interval, statistic: Statistic, room: tuple[float, float]) -> Interval:
    """Return the interval with half-widths √(h² + r²) instead of h; r is `room` (below, above)."""
    if not any(room):
        return interval
    value = interval.estimate
    low = value - math.hypot(value - interval.low, room[0])
    high = value + math.hypot(interval.high - value, room[1])
    ends = within(statistic, low, high)
    return replace(interval, low=min(ends[0], value), high=max(ends[1], value))
