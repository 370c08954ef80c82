"""Gradients of areas with respect to the counts at each threshold."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastarac import _kernels
from fastarac._engine.pairs import scale_of

if TYPE_CHECKING:
    from fastarac.sweep import ThresholdSweep

FloatArray = NDArray[np.float64]


class PointInfluence(NamedTuple):
    """Influence of one item on an area, at each threshold except inf: arrays of shape (m,)."""

    correct: FloatArray
    """The influence of a correct item at that threshold."""
    incorrect: FloatArray
    """The influence of an incorrect item at that threshold."""


def differences(counts: NDArray[Any]) -> FloatArray:
    """Return the differences of neighbouring counts as floats."""
    found: FloatArray = np.subtract(counts[1:], counts[:-1], dtype=np.float64)
    return found


def from_here_on(terms: FloatArray) -> FloatArray:
    """Return, for each term, the sum of this term and all later ones; `terms` is overwritten."""
    np.cumsum(terms[::-1], out=terms[::-1])
    return terms


def by_precision(
    sweep: ThresholdSweep, *, over_accepted: bool, trapezoids: bool, first: float = math.nan
) -> tuple[float, PointInfluence]:
    """Return the area under a precision curve that begins at precision `first`, and its gradient.

    If `first` is NaN, the curve is flat up to the first point.
    """
    ta, fa = sweep.true_accepts, sweep.false_accepts
    out = np.empty((2, len(ta) - 1))
    area = _kernels.influence.precision_influence(ta, fa, over_accepted, trapezoids, first, out)
    return area, PointInfluence(out[0], out[1])


def by_integrals(sweep: ThresholdSweep, *, over_accepted: bool) -> tuple[float, PointInfluence]:
    """Return the exact area under the curve of the precision, and its gradient.

    The x-axis is the acceptance rate if `over_accepted`, else the recall.
    """
    ta, fa = sweep.true_accepts, sweep.false_accepts
    out = np.empty((2, len(ta) - 1))
    scale = scale_of(max(sweep.n_correct, sweep.n_incorrect))
    area = _kernels.influence.integral_influence(ta, fa, over_accepted, scale, out)
    return area, PointInfluence(out[0], out[1])
