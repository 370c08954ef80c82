"""Gradients of areas with respect to the counts at each threshold."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastarac import _kernels
from fastarac._engine.pairs import scale_of

if TYPE_CHECKING:
    from fastarac.sweep import ThresholdSweep

FloatArray = NDArray[np.float64]


class PointInfluence(NamedTuple):
    """Influence of one item of weight 1 at each threshold except the first: arrays of shape (m,)."""

    correct: FloatArray
    """The influence of a correct item at that threshold."""
    incorrect: FloatArray
    """The influence of an incorrect item at that threshold."""


class CountsOfTies(NamedTuple):
    """Counts for each threshold except the first: before it, in its tie, and accepted at it."""

    true_before: FloatArray
    false_before: FloatArray
    correct: FloatArray
    incorrect: FloatArray
    tie: FloatArray
    accepted: FloatArray


def points_of(sweep: ThresholdSweep) -> CountsOfTies:
    """Return the counts of a sweep, scaled so that no product of weights overflows."""
    scale = scale_of(max(sweep.n_correct, sweep.n_incorrect))
    ta, fa = sweep.true_accepts * scale, sweep.false_accepts * scale
    p, q = np.diff(ta), np.diff(fa)
    return CountsOfTies(ta[:-1], fa[:-1], p, q, p + q, ta[1:] + fa[1:])


def from_here_on(terms: FloatArray) -> FloatArray:
    """Return, for each term, the sum from it to the last."""
    sums: FloatArray = np.cumsum(terms[::-1])[::-1]
    return sums


def by_precision(
    sweep: ThresholdSweep, *, over_accepted: bool, trapezoids: bool, first: float = math.nan
) -> PointInfluence:
    """Return the influence on an area under the precision; the curve begins at precision `first`.

    If `first` is NaN, the curve is flat up to the first point.
    """
    ta, fa = sweep.true_accepts, sweep.false_accepts
    out = np.empty((2, len(ta) - 1))
    _kernels.influence.precision_influence(ta, fa, over_accepted, trapezoids, first, out)
    return PointInfluence(out[0], out[1])


def integrals(at: CountsOfTies) -> tuple[FloatArray, PointInfluence, PointInfluence]:
    """Return the terms p + (T₀ − p·N₀/g)·ln(N/N₀), and their derivatives.

    The derivatives are with respect to the counts of the tie itself, and of all items before it.
    """
    t0, f0, p, q, g, n = (
        at.true_before, at.false_before, at.correct, at.incorrect, at.tie, at.accepted,
    )  # fmt: skip
    n0 = t0 + f0
    with np.errstate(divide="ignore", invalid="ignore"):
        log = np.log1p(g / n0)
        slope = (t0 * q - p * f0) / g
        term = p + slope * log
        later = slope * g / (n * n0)
        own = PointInfluence(
            1.0 - log * (f0 + slope) / g + slope / n, log * (t0 - slope) / g + slope / n
        )
        before = PointInfluence(log * q / g - later, -log * p / g - later)
    # The formulas fail at the first point, and where a weight is lost to rounding.
    alone = (n0 == 0.0) | (g == 0.0)
    term[alone] = p[alone]
    for values, value in ((own.correct, 1.0), (own.incorrect, 0.0), *((b, 0.0) for b in before)):
        values[alone] = value
    return term, own, before


def sum_of_terms(own: PointInfluence, before: PointInfluence) -> PointInfluence:
    """Return the influence of an item: the derivatives by its own tie and by all later ties, summed."""
    correct, incorrect = (
        at + np.concatenate([from_here_on(b)[1:], [0.0]]) for at, b in zip(own, before, strict=True)
    )
    return PointInfluence(correct, incorrect)
