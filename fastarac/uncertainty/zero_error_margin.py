"""Room in an interval for errors of a kind that the sample happens to lack.

A standard error comes from what was seen. Thirty pages often have none of the 3% on which half of the
words are wrong, and 300 items none of the few wrong ones with a hundred times the weight of the others:
the spread among the rest does not show it. So the statistic is also computed as if a small share of all
correct items, at the confidences they have, were incorrect (and, for the other end, the other way
round), and an interval reaches from the estimate at least as far as both distances together, as those
of independent errors: the root of the sum of their squares.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from fastarac._core.quantiles import normal_quantile
from fastarac._core.special import chi_square_quantile
from fastarac.sweep import ThresholdSweep
from fastarac.uncertainty import influence, inversion
from fastarac.uncertainty.statistics import Statistic

if TYPE_CHECKING:
    from fastarac._core.interval import Interval
    from fastarac.uncertainty.inversion import ItemSample

PART_OF_GROUP = 0.5  # of an average group, wrong throughout, that counts as one standard error
MANY = 30.0  # errors of the largest weight, from which on the standard error of items has room enough


def unseen_share(sample: ItemSample, statistic: Statistic, level: float) -> float:
    """Share of the items that may be of the other class unseen; 0 where it would change nothing.

    Of items, −ln(α/2) times the share of the heaviest, the Poisson bound where none was seen; of groups
    half an average one for each unit of the normal quantile, where that is more.
    """
    sweep, items, codes = sample
    total, largest = float(sweep.total), 1.0
    if items is not None and items.weight is not None:
        largest = float(items.weight.max())
    share = 0.0
    limited = statistic.definition.has_limit
    part = inversion.errors_within if limited else influence.smaller_part
    if part(sweep, statistic)[1] < MANY * largest:
        share = -math.log((1.0 - level) / 2.0) * largest / total
    if items is not None and codes is not None:
        n_groups = np.count_nonzero(np.bincount(codes, items.weight))
        share = max(share, PART_OF_GROUP * normal_quantile(level) / n_groups)
    return min(share, 1.0)


def with_unseen(found: Interval, sample: ItemSample, statistic: Statistic) -> Interval:
    """The interval with room for errors, and for correct items, of a kind that was not seen."""
    share = unseen_share(sample, statistic, found.confidence_level)
    if not share > 0.0:
        return found
    continuous = _of_fractions(statistic)
    value, low, high = found.estimate, found.low, found.high
    at_sample = continuous(sample.sweep)
    least, most = statistic.range
    of_errors = max(share, _overstated(sample, statistic, found.confidence_level))
    for turned in _turned(sample.sweep, share, of_errors):
        change = continuous(turned) - at_sample
        if change < 0.0:
            low = min(low, max(least, value - math.hypot(value - found.low, change)))
        elif change > 0.0:
            high = max(high, min(most, value + math.hypot(found.high - value, change)))
    return replace(found, low=low, high=high)


def _overstated(sample: ItemSample, statistic: Statistic, level: float) -> float:
    """Share by which few errors of unequal weight may be too many, where a limit is asked for.

    As many as the effective number of errors n exceeds the least Poisson mean that makes n probable.
    """
    items = sample.items
    if not statistic.definition.has_limit or items is None or items.weight is None:
        return 0.0
    wrong = items.weight[~items.is_correct & (items.weight > 0.0)]
    if not len(wrong) or np.ptp(items.weight[items.weight > 0.0]) == 0.0:
        return 0.0
    n = influence.effective(wrong)
    if n >= MANY:
        return 0.0
    return max(0.0, 1.0 - chi_square_quantile((1.0 - level) / 2.0, 2.0 * n) / (2.0 * n))


def _turned(
    sweep: ThresholdSweep, share: float, of_errors: float
) -> tuple[ThresholdSweep, ThresholdSweep]:
    """The share of the correct items made incorrect at each threshold, and of errors made correct."""
    right = sweep.true_accepts.astype(np.float64)
    wrong = sweep.false_accepts.astype(np.float64)
    return (
        ThresholdSweep(sweep.thresholds, right * (1.0 - share), wrong + right * share),
        ThresholdSweep(sweep.thresholds, right + wrong * of_errors, wrong * (1.0 - of_errors)),
    )


def _of_fractions(statistic: Statistic) -> Statistic:
    """The statistic, or where it knows whole items alone its limit of many."""
    parameters = dict(statistic.parameters)
    if parameters.get("estimator") == "mean":
        parameters["estimator"] = "exact"
    if "optimum" in statistic.definition.parameters:
        parameters["optimum"] = "asymptotic"
    if parameters == dict(statistic.parameters):
        return statistic
    return Statistic(statistic.name, **parameters)
