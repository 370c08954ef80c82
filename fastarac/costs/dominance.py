"""Exact test whether one ROC curve is nowhere below another."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac import _kernels
from fastarac._core.results import read_only
from fastarac.costs.corners import WIDE
from fastarac.costs.hulls import fractions, two_class_sweep

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fastarac.models import Model
    from fastarac.sweep import ThresholdSweep


def dominates(a: Model, b: Model) -> bool:
    """Return whether the ROC curve of `a` is nowhere below that of `b`, and somewhere above it.

    Then `a` is at least as good as `b` for all prices and prevalences. Often neither dominates the
    other; :func:`.better_ranges` then returns the ranges in which one is cheaper.

    Parameters
    ----------
    a, b : (y_true, y_score) or ThresholdSweep
        y_true: bool, or 0 and 1. y_score: real and finite, higher for the positive class. The two
        models may have been tested on different items.

    Returns
    -------
    bool

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`; also if a class is missing.

    See Also
    --------
    better_ranges : cost ratios at which one model is cheaper
    roc_convex_hull : convex hull of the ROC curves of any number of models

    Notes
    -----
    Suzuki 2003, on ROC curves. Points are connected by straight lines. The comparison is exact. A curve
    does not dominate itself.

    References
    ----------
    Suzuki 2003, on ROC curves.

    Examples
    --------
    >>> import fastarac as fa
    >>> y_true = [1, 1, 0, 1, 0]
    >>> a, b = (y_true, [0.9, 0.8, 0.7, 0.6, 0.2]), (y_true, [0.9, 0.6, 0.7, 0.5, 0.8])
    >>> fa.costs.dominates(a, b), fa.costs.dominates(b, a)
    (True, False)
    """
    first, second = two_class_sweep(a, "a"), two_class_sweep(b, "b")
    return _nowhere_below(first, second) and not _nowhere_below(second, first)


def _whole_counts(sweep: ThresholdSweep) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the false and true accepts; as integers if all are whole numbers."""
    x, y = sweep.false_accepts, sweep.true_accepts
    if x.dtype == np.float64 and max(x[-1], y[-1]) <= 1 << 53:
        whole = x.astype(np.int64), y.astype(np.int64)
        if np.array_equal(whole[0], x) and np.array_equal(whole[1], y):
            return whole
    return x, y


def _nowhere_below(a: ThresholdSweep, b: ThresholdSweep) -> bool:
    """Return whether the ROC curve of a is nowhere below that of b."""
    (ax, ay), (bx, by) = _whole_counts(a), _whole_counts(b)
    (ax, bx), (ay, by) = _in_common_units(ax, bx), _in_common_units(ay, by)
    if not _is_under(bx, by, ax, ay):
        return False
    return _is_under(*(counts[-1] - counts[::-1] for counts in (ax, ay, bx, by)))


def _in_common_units(p: NDArray[Any], q: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Scale both arrays to the same last value; use integers, or fractions if integers overflow."""
    if p.dtype == q.dtype == np.int64:
        ends = p[-1].item(), q[-1].item()
        unit = math.lcm(*ends)
        if unit < WIDE:
            return _times(p, unit // ends[0]), _times(q, unit // ends[1])
    p_rates, q_rates = (
        np.array([count / Fraction(counts[-1].item()) for count in fractions(counts)], object)
        for counts in (p, q)
    )
    return p_rates, q_rates


def _times(counts: NDArray[Any], factor: int) -> NDArray[Any]:
    """Return the product, without a copy if the factor is 1."""
    return counts if factor == 1 else counts * factor


def _is_under(*points: NDArray[Any]) -> bool:
    """Return whether no point (x, y) of the first two arrays is above the curve of the last two."""
    if all(counts.dtype == np.int64 for counts in points):
        # The kernel is compiled for read-only arrays.
        return bool(_kernels.hulls.is_under(*(read_only(np.ascontiguousarray(p)) for p in points)))
    x, y, above_x, above_y = (counts.tolist() for counts in points)
    j, last = 0, len(above_x) - 1
    for u, v in zip(x, y, strict=True):
        while j < last and above_x[j + 1] <= u:
            j += 1
        rise, run = v - above_y[j], u - above_x[j]
        if rise > 0 and (
            run == 0 or rise * (above_x[j + 1] - above_x[j]) > run * (above_y[j + 1] - above_y[j])
        ):
            return False
    return True
