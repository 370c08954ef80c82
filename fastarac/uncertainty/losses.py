"""Losses as sums over the incorrect items, and their intervals with few errors.

Given the acceptance rates, each incorrect item i lowers an area by a fixed weight wᵢ. So the loss 1 −
area is y = Σwᵢ. With few errors, the distribution of y is far from normal, but close to a weighted sum
of Poisson counts. Fay and Feuer (1997, "Confidence intervals for directly standardized rates",
Statistics in Medicine 16) give an interval for such sums.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac._core.shared_results import shared
from fastarac._core.special import chi_square_quantile
from fastarac.areas.gradients import differences

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fastarac.sweep import ThresholdSweep
    from fastarac.uncertainty.influence import PlacedItems
    from fastarac.uncertainty.statistics import Statistic

    FloatArray = NDArray[np.float64]


class Moments(NamedTuple):
    """Moments of a loss that is a sum over the incorrect items."""

    total: float
    """The loss, y = Σwᵢ."""
    variance: float
    """v = Σwᵢ²; with groups, the sum of the groups' squared losses."""
    largest: float
    """w, the largest weight that a further error (or wrong group) could have."""

    @property
    def errors(self) -> float:
        """Effective number of errors, y²/v, where v is the sum of squared weights."""
        return self.total**2 / self.variance if self.variance else 0.0

    def interval(self, level: float) -> tuple[float, float]:
        """Return the interval for the loss (Fay and Feuer 1997, equation 5)."""
        y, v, w = self
        return gamma_ends((y, v), (w, w * w), level)


def gamma_ends(
    seen: tuple[float, float], further: tuple[float, float], level: float
) -> tuple[float, float]:
    """Return the interval for a weighted sum of Poisson counts.

    `seen` holds the sums of the weights and of the squared weights of the errors seen. `further` holds
    the weight and the squared weight of one more error: the largest ones (Fay and Feuer 1997), or their
    means (Tiwari, Clegg and Zou 2006).
    """
    tail = (1.0 - level) / 2.0
    y, v = seen
    low = v / (2.0 * y) * chi_square_quantile(tail, 2.0 * y * y / v) if v else 0.0
    y, v = y + further[0], v + further[1]
    ratio = v / y
    return low, ratio / 2.0 * chi_square_quantile(1.0 - tail, 2.0 * y / ratio)


def moments_of(
    sweep: ThresholdSweep,
    statistic: Statistic,
    value: float,
    items: PlacedItems | None,
    codes: NDArray[Any] | None,
) -> Moments | None:
    """Return the moments of a statistic's loss; None if the loss is not a sum over errors."""
    definition = statistic.definition
    if definition.error_weights is None:
        return None
    key, weights_of = definition.error_weights, partial(definition.error_weights, sweep)
    loss, options = value if definition.lower_is_better else 1.0 - value, dict(statistic.parameters)
    # Statistics with `lines` are computed from pairs of items. One error adds at most 1/total to them.
    of_pair = None if definition.lines is None else 1.0 / float(sweep.total)
    if items is None:
        total, variance, largest = shared(
            sweep, (key, statistic.parameters), lambda: _of_sweep(sweep, weights_of(**options))
        )
        largest = of_pair or largest
    else:
        weights = weights_of(**options)
        total, variance, largest = _of_items(items, codes, weights, of_pair or float(weights[0]))
    # Rescale, because with interpolated precision the sum equals the exact loss only for many items.
    scale = loss / total if total > 0.0 else 1.0
    return Moments(loss if total > 0.0 else 0.0, variance * scale**2, largest * scale)


def _of_items(
    items: PlacedItems, codes: NDArray[Any] | None, weights: FloatArray, largest: float
) -> Moments:
    """Return the moments of weighted or grouped items.

    `largest` is the largest possible loss of an error of weight 1.
    """
    of_errors = np.where(items.is_correct, 0.0, weights[items.point])
    if items.weight is not None:
        of_errors *= items.weight
        largest *= float(items.weight.max())
    total = float(np.sum(of_errors))
    if codes is not None:
        of_items = weights[items.point]
        if items.weight is not None:
            of_items = of_items * items.weight
        n_groups = np.count_nonzero(np.bincount(codes, items.weight))
        of_errors = np.bincount(codes, of_errors)
        # An unseen group may add as much as the worst group in the sample, or as much as an average
        # group would if all its items were wrong.
        largest = max(largest, float(of_errors.max()), float(np.sum(of_items)) / n_groups)
    return Moments(total, float(np.sum(of_errors**2)), largest)


def _of_sweep(sweep: ThresholdSweep, weights: FloatArray) -> Moments:
    """Return the moments of unweighted items; an error at threshold i costs `weights[i]`."""
    counts, largest = differences(sweep.false_accepts), float(weights[0])
    total = float(counts @ weights)
    weights *= weights
    return Moments(total, float(counts @ weights), largest)
