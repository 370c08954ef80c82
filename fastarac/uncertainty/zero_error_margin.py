"""Widen intervals for kinds of errors that the sample happens to lack.

A standard error reflects only the items in the sample. If half the words are wrong on 3% of the pages,
thirty pages often contain no such page. If a few errors have a hundred times the usual weight, 300
items often contain none of them. So the statistic is computed again with a small share of the correct
items made incorrect, at unchanged confidences. For the other end, incorrect items are made correct. The
new half-width is √(h² + c²), where h is the old half-width and c the change of the statistic.
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

# This share of an average group is made wrong, to allow for unseen groups.
PART_OF_GROUP = 0.5
# With at least this many errors, intervals are not widened. Weighted errors count as their total weight
# divided by the largest weight.
MANY = 30.0


def unseen_share(sample: ItemSample, statistic: Statistic, level: float) -> float:
    """Return the share of items to make incorrect (or correct); 0 if no widening is needed.

    For few errors, the share is −ln(α/2) (a Poisson bound) times the heaviest item's share of the
    weight. With G groups, it is at least 1/(2G) times the normal quantile.
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
    """Return the interval, widened for kinds of errors and correct items that the sample may lack."""
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
    """Return the share by which a few errors of unequal weight may overstate an error rate.

    The share is 1 − μ/n for n effective errors, where μ is the lower bound of the Poisson mean. It is 0
    for statistics without a limit.
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
    """Return the sweeps with a share of correct items made wrong, and of errors made correct."""
    right = sweep.true_accepts.astype(np.float64)
    wrong = sweep.false_accepts.astype(np.float64)
    return (
        ThresholdSweep(sweep.thresholds, right * (1.0 - share), wrong + right * share),
        ThresholdSweep(sweep.thresholds, right + wrong * of_errors, wrong * (1.0 - of_errors)),
    )


def _of_fractions(statistic: Statistic) -> Statistic:
    """Return the statistic, in its version for fractions of items if it needs whole items."""
    parameters = dict(statistic.parameters)
    if parameters.get("estimator") == "mean":
        parameters["estimator"] = "exact"
    if "optimum" in statistic.definition.parameters:
        parameters["optimum"] = "asymptotic"
    if parameters == dict(statistic.parameters):
        return statistic
    return Statistic(statistic.name, **parameters)
