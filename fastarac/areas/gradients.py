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

CHUNK = 1 << 16  # Number of points processed together. Their intermediate arrays fit the cache.


class PointInfluence(NamedTuple):
    """Influence of one item of weight 1 at each threshold except the first: arrays of shape (m,)."""

    correct: FloatArray
    """The influence of a correct item at that threshold."""
    incorrect: FloatArray
    """The influence of an incorrect item at that threshold."""


class CountsOfTies(NamedTuple):
    """Counts for each threshold except the first: above its tie, in its tie, and in both."""

    true_before: FloatArray
    false_before: FloatArray
    correct: FloatArray
    incorrect: FloatArray
    tie: FloatArray
    accepted: FloatArray


def points_of(sweep: ThresholdSweep, start: int, stop: int) -> CountsOfTies:
    """Return the counts from tie `start` to `stop`, scaled so that no product of weights overflows."""
    scale = scale_of(max(sweep.n_correct, sweep.n_incorrect))
    ta, fa = sweep.true_accepts[start : stop + 1] * scale, sweep.false_accepts[start : stop + 1] * scale
    p, q = np.diff(ta), np.diff(fa)
    return CountsOfTies(ta[:-1], fa[:-1], p, q, p + q, ta[1:] + fa[1:])


def differences(counts: NDArray[Any]) -> FloatArray:
    """Return the differences of neighbouring counts as floats."""
    found: FloatArray = np.subtract(counts[1:], counts[:-1], dtype=np.float64)
    return found


def from_here_on(terms: FloatArray) -> FloatArray:
    """Replace each term by the sum of this term and all later ones, and return the sums."""
    np.cumsum(terms[::-1], out=terms[::-1])
    return terms


def by_precision(
    sweep: ThresholdSweep, *, over_accepted: bool, trapezoids: bool, first: float = math.nan
) -> PointInfluence:
    """Return the influence on the area under a precision curve that begins at precision `first`.

    If `first` is NaN, the curve is flat up to the first point.
    """
    ta, fa = sweep.true_accepts, sweep.false_accepts
    out = np.empty((2, len(ta) - 1))
    _kernels.influence.precision_influence(ta, fa, over_accepted, trapezoids, first, out)
    return PointInfluence(out[0], out[1])


def integrals(at: CountsOfTies) -> tuple[FloatArray, PointInfluence, PointInfluence]:
    """Return the term of each tie in the area under the precision, and its derivatives.

    A tie has g items, p of them correct. N₀ items are above it, T₀ of them correct, and N = N₀ + g. The
    term is p + (T₀ − p·N₀/g)·ln(N/N₀). The first `PointInfluence` holds the derivatives by the counts
    of the tie itself, the second one by the counts of all items above the tie.
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
    # The formulas divide by zero at the first point, and where a weight is too small to change a sum.
    alone = (n0 == 0.0) | (g == 0.0)
    term[alone] = p[alone]
    for values, value in ((own.correct, 1.0), (own.incorrect, 0.0), *((b, 0.0) for b in before)):
        values[alone] = value
    return term, own, before


def by_integrals(sweep: ThresholdSweep, *, over_accepted: bool) -> PointInfluence:
    """Return the influence on an area under the precision, integrated also inside the ties.

    With `over_accepted`, the precision is integrated over the accepted items, otherwise over the
    correct items. The influence of an item is the derivative of the term of its own tie, plus the
    derivatives of the terms of all later ties. The points are processed in chunks, from the last to the
    first, because each chunk needs many arrays.
    """
    n = len(sweep.true_accepts) - 1
    out, later = np.empty((2, n)), [0.0, 0.0]
    for stop in range(n, 0, -CHUNK):
        start = max(stop - CHUNK, 0)
        at = points_of(sweep, start, stop)
        term, own, before = integrals(at)
        if not over_accepted:
            own, before = _over_correct(at, term, own, before)
        for k in range(2):
            sums = np.cumsum(np.concatenate([[later[k]], before[k][::-1]]))
            np.add(own[k], sums[-2::-1], out=out[k, start:stop])
            later[k] = float(sums[-1])
    return PointInfluence(out[0], out[1])


def _over_correct(
    at: CountsOfTies, term: FloatArray, own: PointInfluence, before: PointInfluence
) -> tuple[PointInfluence, PointInfluence]:
    """Multiply the terms by the shares of correct items in ties; return the products' derivatives."""
    with np.errstate(invalid="ignore"):
        share = np.nan_to_num(at.correct / at.tie)
        move = np.nan_to_num(term / at.tie)
    return (
        PointInfluence(
            share * own.correct + move * (1.0 - share), share * own.incorrect - move * share
        ),
        PointInfluence(share * before.correct, share * before.incorrect),
    )
