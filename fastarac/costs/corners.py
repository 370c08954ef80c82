"""Exact vertices of the convex hull of the ARAC curve: the thresholds that can be optimal."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastarac import _kernels
from fastarac._core.results import Table, TupleResult
from fastarac._engine import parallel
from fastarac._engine.counts import AcceptedCounts, CountsAtThresholds, ThresholdCounts
from fastarac.samples.door import as_ranked

if TYPE_CHECKING:
    from fastarac.sweep import CornerSweep, ThresholdSweep

FloatArray = NDArray[np.float64]
Indices = NDArray[np.int64]  # indices into the points of a sweep

# Maximum total for which the product of a correct and an incorrect count is at most 2**62.
SMALL = 1 << 32
WIDE = 1 << 62  # totals of this size and above need Python integers
LARGEST_SCALE = 1000  # maximum exponent of the power of two by which counts are scaled


class _ARACHull(NamedTuple):
    acceptance_rate: FloatArray
    accuracy_after_correction: FloatArray
    thresholds: NDArray[Any]
    ratio_low: FloatArray
    ratio_high: FloatArray


class ARACHull(Table, TupleResult, _ARACHull):
    """Vertices of the ARAC curve's upper convex hull, and the cost ratios for which each is optimal.

    See Also
    --------
    fastarac.costs.arac_convex_hull : thresholds that can be optimal
    HullVertex : A vertex of the hull

    Examples
    --------
    >>> import fastarac as fa
    >>> correct, confidence = [1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2]
    >>> hull = fa.costs.arac_convex_hull(correct, confidence)
    >>> hull.thresholds
    array([0.8, 0.6, 0.2])
    """

    __slots__ = ()


def arac_convex_hull(
    correct: ArrayLike | ThresholdSweep | CornerSweep,
    confidence: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
) -> ARACHull:
    r"""Find the thresholds that can be optimal, and the cost ratios for which each is optimal.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,), or a ThresholdSweep alone
        Whether each output was right (bool, or 0 and 1), and its confidence (real and finite).
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum.

    Returns
    -------
    acceptance_rate, accuracy_after_correction : ndarray of shape (h,)
        X and Y of the vertices of the upper convex hull: X increases to 1, and Y decreases to the
        recognition rate β. The first X is the largest acceptance rate without an accepted error, or 0.
    thresholds : ndarray of shape (h,)
        Decreasing; an item is accepted iff ``confidence >= threshold``.
    ratio_low, ratio_high : ndarray of shape (h,)
        The interval of γ/δ for which the vertex is optimal; 0 and ``inf`` at the ends. At the boundary
        between two intervals, both vertices are optimal; :func:`.optimal_operating_point` takes the one
        that accepts more.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`.

    See Also
    --------
    roc_convex_hull : convex hull of the ROC curves of any number of models
    optimal_operating_point : threshold of least total cost
    fastarac.results.ARACHull : upper convex hull of an ARAC curve

    Notes
    -----
    If δ > 0, maximising W = γX + β − δR_E (equation 15 of Kimura et al. 2024) means maximising γ/δ·X +
    Y. At the maximum, a line of slope −γ/δ touches the curve from above. Two neighbouring vertices are
    equally good at the ratio −ΔY/ΔX. This ratio is the share of errors among the items that only the
    second vertex accepts, so it is at most 1. Accepting everything is optimal if γ ≥ δ or δ ≤ 0.

    The vertices are exact, for any counts or weights. The ratios are rounded once. The time is O(m) for
    m thresholds. If people make errors (:class:`.Reviewer`), only the ratios change, because costs stay
    linear in TA and FA.

    References
    ----------
    Kimura, Kubota, Wada and Hashimoto 2024, equation 15.

    Examples
    --------
    >>> import fastarac as fa
    >>> hull = fa.costs.arac_convex_hull([1, 1, 0, 1, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3])
    >>> hull.thresholds
    array([0.8, 0.5, 0.3])
    >>> hull.ratio_low, hull.ratio_high
    (array([0.        , 0.33333333, 1.        ]), array([0.33333333, 1.        ,        inf]))
    """
    sweep = as_ranked(correct, confidence, sample_weight, corners=True).corners.rising
    corners = hull_corners(sweep)
    ratios = [float(errors / (errors + others)) for errors, others in hull_steps(sweep, corners)]
    at = part_of(sweep, corners)
    return ARACHull(
        at.acceptance_rate,
        at.accuracy_after_correction,
        at.thresholds,
        np.array([0.0, *ratios]),
        np.array([*ratios, math.inf]),
    )


def hull_corners(sweep: AcceptedCounts) -> Indices:
    """Return the vertices of the ARAC curve's upper hull, as indices into the sweep's thresholds."""
    right, wrong = sweep.true_accepts, sweep.false_accepts
    if right.dtype.kind == "i" and sweep.total < WIDE:
        small = sweep.total <= SMALL
        found = candidates(_kernels.hulls.count_corners, sweep, small)
        kept = np.empty(len(found), np.int64)
        n = _kernels.hulls.count_corners(right[found], wrong[found], 0, len(found), small, kept)
        return found[kept[:n]]
    found = candidates(_kernels.hulls.weight_corners, sweep, power_of_scale(sweep))
    up, across = exact_counts(sweep, found)

    def below(a: int, b: int, c: int) -> bool:
        return (up[b] - up[a]) * (across[c] - across[b]) <= (up[c] - up[b]) * (across[b] - across[a])

    return found[chain(len(found), below)]


def part_of(sweep: CountsAtThresholds, points: Indices) -> ThresholdCounts:
    """Return the counts at some thresholds; `points` must include the index of the last one."""
    return ThresholdCounts(
        sweep.thresholds[points], sweep.true_accepts[points], sweep.false_accepts[points]
    )


def hull_steps(sweep: AcceptedCounts, corners: Indices) -> list[tuple[Fraction, Fraction]]:
    """Return the exact increase of (incorrect, correct) accepted items from each corner to the next."""
    right, wrong = (
        [Fraction(count) for count in counts[corners].tolist()]
        for counts in (sweep.true_accepts, sweep.false_accepts)
    )
    return [(wrong[i] - wrong[i - 1], right[i] - right[i - 1]) for i in range(1, len(corners))]


def candidates(scan: Callable[..., int], sweep: AcceptedCounts, option: float) -> Indices:
    """Find points that include all vertices, in parallel parts of the sweep.

    The search starts at the last point without an error, because earlier points are never better.
    """
    right, wrong = sweep.true_accepts, sweep.false_accepts
    start = int(np.searchsorted(wrong, 0, side="right")) - 1
    edges = [start + edge for edge in parallel.edges(len(wrong) - start)]

    def of_part(part: int) -> Indices:
        kept = np.empty(edges[part + 1] - edges[part], np.int64)
        return kept[: scan(right, wrong, edges[part], edges[part + 1], option, kept)]

    parts = parallel.run(of_part, range(len(edges) - 1))
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def power_of_scale(sweep: AcceptedCounts) -> float:
    """Return a power of two p, so that p times the total is about 1."""
    exponent = math.frexp(sweep.total)[1]
    return math.ldexp(1.0, min(max(-exponent, -LARGEST_SCALE), LARGEST_SCALE))


def exact_counts(sweep: AcceptedCounts, points: Indices) -> tuple[list[int], list[int]]:
    """Return the true and false accepts at `points`, times a common factor, as integers."""
    ratios = [
        count.as_integer_ratio()
        for counts in (sweep.true_accepts, sweep.false_accepts)
        for count in counts[points].tolist()
    ]
    scale = max(denominator for _, denominator in ratios)
    scaled = [numerator * (scale // denominator) for numerator, denominator in ratios]
    return scaled[: len(points)], scaled[len(points) :]


def chain(n: int, below: Callable[[int, int, int], bool]) -> list[int]:
    """Return which of n points are vertices; `below` tests if b is not above the line from a to c."""
    kept: list[int] = []
    for c in range(n):
        while len(kept) > 1 and below(kept[-2], kept[-1], c):
            kept.pop()
        kept.append(c)
    return kept
