"""Losses as sums over the incorrect items, and their intervals where these are few.

Given the acceptance rates, an area below 1 loses a fixed weight for each error: y = Σwᵢ over the
incorrect items. With few errors y is far from normal, but a weighted sum of Poisson counts, for which
Fay and Feuer (1997, "Confidence intervals for directly standardized rates", Statistics in Medicine 16)
give an interval that is that of Garwood where all weights are the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac._core.special import chi_square_quantile

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fastarac.sweep import ThresholdSweep
    from fastarac.uncertainty.influence import PlacedItems
    from fastarac.uncertainty.statistics import Statistic

    FloatArray = NDArray[np.float64]


class Moments(NamedTuple):
    """Of a loss that the incorrect items add up to."""

    total: float
    """y = Σwᵢ."""
    variance: float
    """v = Σwᵢ²; of groups, the sum of squares of what each adds."""
    largest: float
    """w, the largest weight that an error could have; of groups, that the errors of one could have."""

    @property
    def errors(self) -> float:
        """As many errors of one weight would say as much: y²/v."""
        return self.total**2 / self.variance if self.variance else 0.0

    def interval(self, level: float) -> tuple[float, float]:
        """Ends for the loss (Fay and Feuer 1997, equation 5)."""
        y, v, w = self
        return gamma_ends((y, v), (w, w * w), level)


def gamma_ends(
    seen: tuple[float, float], further: tuple[float, float], level: float
) -> tuple[float, float]:
    """Ends of a weighted sum of Poisson counts, from sums of weights and of their squares.

    `further` are those of one more error: of the largest weight (Fay and Feuer 1997), or its mean and
    mean square (Tiwari, Clegg and Zou 2006).
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
    """Moments of the loss of a statistic whose value is given; None where errors add up to none."""
    definition = statistic.definition
    if definition.error_weights is None:
        return None
    weights = definition.error_weights(sweep, **dict(statistic.parameters))
    loss = value if definition.lower_is_better else 1.0 - value
    largest = float(weights[0])
    if definition.lines is not None:  # of pairs
        largest = 1.0 / float(sweep.total)
    if items is None:
        counts = np.diff(sweep.false_accepts).astype(np.float64)
        total, variance = float(counts @ weights), float(counts @ weights**2)
    else:
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
            # a group of errors as large as any seen, or an average one that is wrong throughout
            largest = max(largest, float(of_errors.max()), float(np.sum(of_items)) / n_groups)
        variance = float(np.sum(of_errors**2))
    # but for rounding both losses are the same, or, of interpolated precision, in the limit
    scale = loss / total if total > 0.0 else 1.0
    return Moments(loss if total > 0.0 else 0.0, variance * scale**2, largest * scale)
