"""Variances and intervals for items that depend on each other through several crossed factors."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac._core.quantiles import student_quantile
from fastarac._engine.factors import codes_of_terms, n_groups, terms

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from fastarac._core.interval import Interval
    from fastarac.uncertainty.influence import PlacedItems
    from fastarac.uncertainty.inversion import ItemSample
    from fastarac.uncertainty.statistics import Statistic

    Codes = NDArray[Any]

NO_ERROR = 1e-13  # smaller standard errors are treated as rounding errors


def variance_of_factors(of_terms: Sequence[float], n_factors: int) -> float:
    """Return the variance V₁ + V₂ − V₁₂ (Cameron, Gelbach and Miller), but at least max(V₁, V₂).

    Parameters
    ----------
    of_terms : sequence of float
        Variance of each term of the sum, in the order of `terms`. Single factors come first.
    n_factors : int
        Number of factors.
    """
    signed = math.fsum(
        sign * variance for (sign, _), variance in zip(terms(n_factors), of_terms, strict=True)
    )
    return max(signed, *of_terms[:n_factors])


def error_of_factors(items: PlacedItems, factors: Sequence[Codes], statistic: Statistic) -> float:
    """Return the standard error of a statistic for items with crossed factors."""
    found = [
        float(np.sum(items.contributions_of_groups(statistic, codes) ** 2))
        for codes in codes_of_terms(factors)
    ]
    return math.sqrt(variance_of_factors(found, len(factors)))


def interval_of_factors(
    sample: ItemSample,
    factors: Sequence[Codes],
    statistic: Statistic,
    interval_by: Callable[[ItemSample], tuple[Interval, str | None]],
) -> tuple[Interval, str | None]:
    """Return the widened interval of the factor with the largest variance, and a warning (or None).

    The interval allows for the standard error of all factors together, and for Student's quantile of
    the factor with the fewest groups. Acceptance rates at a limit have no standard error. Their
    variances are replaced by the squared distances of the ends from the estimate.
    """
    if sample.items is None:
        raise AssertionError(statistic)
    found = [interval_by(sample._replace(codes=codes)) for codes in factors]
    intervals = [interval for interval, _ in found]
    warning = next((said for _, said in found if said), None)
    value, level = intervals[0].estimate, intervals[0].confidence_level
    if math.isnan(value):
        return intervals[0], warning
    errors = [interval.standard_error for interval in intervals]
    if any(math.isnan(error) for error in errors):
        in_common = codes_of_terms(factors)[len(factors) :]
        every = intervals + [interval_by(sample._replace(codes=codes))[0] for codes in in_common]
        low, high = (
            math.sqrt(variance_of_factors(squares, len(factors)))
            for squares in (
                [(value - interval.low) ** 2 for interval in every],
                [(interval.high - value) ** 2 for interval in every],
            )
        )
        return _within(replace(intervals[0], low=value - low, high=value + high), statistic), warning
    widest = max(range(len(factors)), key=errors.__getitem__)
    own = intervals[widest]
    if not errors[widest] > NO_ERROR:
        low, high = min(each.low for each in intervals), max(each.high for each in intervals)
        return replace(own, low=low, high=high), warning
    error = error_of_factors(sample.items, factors, statistic)
    groups = [groups_present(sample.items, codes) for codes in factors]
    reach = [student_quantile(level, n - 1.0) if n > 1 else math.inf for n in groups]
    ratio = error / errors[widest] * (max(reach) / reach[widest])
    stretched = replace(own, standard_error=error)
    return _stretched(stretched, max(ratio, 1.0), statistic), warning


def groups_present(items: PlacedItems, codes: Codes) -> int:
    """Count the groups with positive weight."""
    return n_groups(codes if items.weight is None else codes[items.weight > 0.0])


def _stretched(found: Interval, ratio: float, statistic: Statistic) -> Interval:
    """Stretch an interval about its estimate by a ratio, on the log-odds scale if possible."""
    least, most = statistic.range
    value = found.estimate
    ends = []
    for end in (found.low, found.high):
        inside = all(math.isfinite(x) for x in (least, most)) and all(
            least < x < most for x in (value, end)
        )
        if not inside or found.method == "wald" or math.isinf(ratio):
            ends.append(value + ratio * (end - value) if end != value else value)
            continue
        width = most - least
        centre, odds = (math.log((x - least) / (most - x)) for x in (value, end))
        ends.append(least + width / (1.0 + math.exp(-(centre + ratio * (odds - centre)))))
    return _within(replace(found, low=ends[0], high=ends[1]), statistic)


def _within(found: Interval, statistic: Statistic) -> Interval:
    least, most = statistic.range
    return replace(found, low=min(max(found.low, least), most), high=min(max(found.high, least), most))
