"""The cost of each item at the threshold that is cheapest for all other items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac import _kernels
from fastarac.uncertainty.derivatives import cost_of_verified

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fastarac.sweep import ThresholdSweep
    from fastarac.uncertainty.influence import PlacedItems
    from fastarac.uncertainty.statistics import Statistic

    FloatArray = NDArray[np.float64]


def left_out_cost(sweep: ThresholdSweep, statistic: Statistic, n_items: float) -> float:
    """Return the mean cost of an item at the threshold that is cheapest for all other items.

    `n_items` is the number of items, or the effective number of weighted items. On average, the cost at
    the sample's own cheapest threshold is too low, and this mean is too high by about the same amount.
    """
    verified, accepted = _prices(statistic)
    scale = n_items / float(sweep.total)
    above, below = _least(scale * _totals(sweep, verified, accepted))
    whole = 0.0
    for of, a, v in zip((sweep.true_accepts, sweep.false_accepts), accepted, verified, strict=True):
        # Without an item, totals fall by v at thresholds that reject it, and by a at the others.
        difference = (below - a) - (above - v)
        # If thresholds are equally cheap, the higher cost of the removed item is used.
        paid = np.where(difference < 0.0, a, np.where(difference > 0.0, v, max(a, v)))
        whole += float(np.sum(scale * np.diff(of) * paid))
    return whole / n_items


def left_out_contributions(
    items: PlacedItems, statistic: Statistic, codes: NDArray[Any] | None
) -> FloatArray:
    """Return the contribution of each item or group to the mean cost at the cheapest threshold.

    The contribution is the lowest cost of all items, minus the lowest cost without this item or group.
    It is centred, and divided by the weight of all items. Influence values would keep the threshold
    fixed. Then all items between the thresholds of two models would contribute, even if a single error
    determines these thresholds.
    """
    verified, accepted = (np.array(prices) for prices in _prices(statistic))
    totals = _totals(items.sweep, verified, accepted)
    kind = np.where(items.is_correct, 0, 1)
    weight = np.ones(len(kind)) if items.weight is None else items.weight
    if codes is None:
        above, below = _least(totals)
        of_verified, of_accepted = (weight * of[kind] for of in (verified, accepted))
        least = np.minimum(above[items.point] - of_verified, below[items.point] - of_accepted)
    else:
        order = np.lexsort((items.point, codes))
        n_groups = int(codes.max(initial=-1)) + 1
        starts = np.searchsorted(codes[order], np.arange(n_groups + 1))
        paid = np.array([(weight * of[kind])[order] for of in (verified, accepted)])
        least, tree = np.empty(n_groups), np.empty(2 * len(totals))
        _kernels.left_out.least_without(totals, tree, items.point[order], paid, starts, least)
        weight = np.bincount(codes, weight, n_groups).astype(np.float64)
    added = totals.min() - least
    found: FloatArray = (added - np.sum(added) * (weight / np.sum(weight))) / float(items.sweep.total)
    return found


def _prices(statistic: Statistic) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the costs of verifying, and of accepting, a (correct, incorrect) item."""
    parameters = dict(statistic.parameters)
    costs = parameters["costs"]
    return cost_of_verified(costs, parameters.get("reviewer")), (0.0, float(costs.error))


def _totals(sweep: ThresholdSweep, verified: Any, accepted: Any) -> FloatArray:
    """Return the total cost at each threshold, relative to verifying everything."""
    of_correct, of_incorrect = (float(a - v) for a, v in zip(accepted, verified, strict=True))
    found: FloatArray = of_correct * sweep.true_accepts + of_incorrect * sweep.false_accepts
    return found


def _least(totals: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return, by point, the lowest total at thresholds that reject its items, and that accept them."""
    above = np.minimum.accumulate(totals)[:-1]
    return above, np.minimum.accumulate(totals[::-1])[::-1][1:]
