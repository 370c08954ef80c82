"""The cheapest threshold of a sample, on an item that did not help to choose it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fastarac.uncertainty.derivatives import cost_of_verified

if TYPE_CHECKING:
    from fastarac.sweep import ThresholdSweep
    from fastarac.uncertainty.statistics import Statistic


def left_out_cost(sweep: ThresholdSweep, statistic: Statistic, n_items: float) -> float:
    """Mean cost of each item at the threshold that is cheapest for all others.

    The items are `n_items` in number; of weighted ones, as many of one weight as say as much.

    Without an item that costs v verified and a accepted, thresholds above it are v cheaper and the
    others a, so that the cheapest is one of two: the cheapest above it and the cheapest at or below it;
    of two that cost the same, the one that is dearer for the item.
    The costs at the cheapest threshold of the sample itself are too low by about as much as these are
    too high.
    """
    parameters = dict(statistic.parameters)
    costs = parameters["costs"]
    verified = cost_of_verified(costs, parameters.get("reviewer"))
    scale = n_items / float(sweep.total)
    counts = [
        scale * np.diff(accepts).astype(np.float64)
        for accepts in (sweep.true_accepts, sweep.false_accepts)
    ]
    accepted = (0.0, float(costs.error))
    saved = sum(
        n * (a - v) for n, a, v in zip(counts, accepted, verified, strict=True)
    )  # by not accepting
    total = np.concatenate([[0.0], np.cumsum(saved)])
    above = np.minimum.accumulate(total)[:-1]
    below = np.minimum.accumulate(total[::-1])[::-1][1:]
    whole = 0.0
    for n, a, v in zip(counts, accepted, verified, strict=True):
        difference = (below - a) - (above - v)
        paid = np.where(difference < 0.0, a, np.where(difference > 0.0, v, max(a, v)))
        whole += float(np.sum(n * paid))
    return whole / n_items
