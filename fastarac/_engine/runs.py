"""Counts at the points between runs (see `_kernels.runs`); pairs depend on these points only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastarac import _kernels
from fastarac._engine.buckets import Buckets, over_buckets, sort_buckets
from fastarac._engine.counts import AcceptedCounts, PointCounts, ThresholdCounts

CORRECT, MIXED = 1, 3  # Codes for the labels of a tie: only correct items, or items of both labels.


def of_buckets(buckets: Buckets) -> PointCounts:
    """Sort the buckets, and return the counts at the points between runs."""
    found = np.empty((len(buckets.bounds) - 1, 6), np.int64)
    sort_buckets(buckets, _kernels.runs.count_range, found)
    return _written(buckets, found)


def of_sorted(buckets: Buckets) -> PointCounts:
    """Return the counts at the points between runs of buckets that are sorted already."""
    found = np.empty((len(buckets.bounds) - 1, 6), np.int64)

    def count(first: int, last: int) -> None:
        _kernels.runs.count_range(buckets.keys, buckets.bounds, first, last, found)

    over_buckets(len(found), len(buckets.keys), lambda: count)
    return _written(buckets, found)


def _written(buckets: Buckets, found: NDArray[np.int64]) -> PointCounts:
    """Return the counts at the points between runs of sorted buckets; `found` is from `count_range`."""
    keys, bounds = buckets.keys, buckets.bounds
    rows, n_points = _places(found)
    true_accepts, false_accepts = np.zeros((2, n_points), np.int64)

    def write(first: int, last: int) -> None:
        _kernels.runs.write_range(keys, bounds, first, last, rows, true_accepts, false_accepts)

    over_buckets(len(rows), len(keys), lambda: write)
    return PointCounts(true_accepts, false_accepts)


def _places(found: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """Return the argument `rows` of `write_range`, and the number of points."""
    points, some = found[:, 0].copy(), np.flatnonzero(found[:, 0])
    last, first = found[some[1:], 4], found[some[:-1], 3]
    # If a run continues in the next lower bucket, the point after it belongs to the lower bucket.
    points[some[1:]] -= (last == first) & (last != MIXED)
    rows = np.zeros((len(found), 5), np.int64)
    for column, counts in ((0, points), (2, found[:, 1]), (3, found[:, 2])):
        rows[:-1, column] = np.cumsum(counts[:0:-1])[::-1]
    rows[:, 0] += 1
    rows[:, 1] = rows[:, 0] + points
    rows[:, 4] = found[:, 5]
    return rows, 1 + int(points.sum())


def merged(counts: AcceptedCounts) -> PointCounts:
    """Reduce counts at every threshold, or at corners, to those at the points between runs."""
    true_accepts, false_accepts = counts.true_accepts, counts.false_accepts
    merged = np.empty_like(true_accepts), np.empty_like(false_accepts)
    n = _kernels.runs.merge(true_accepts, false_accepts, *merged)
    return PointCounts(*(array[:n] for array in merged))


def corners_among(arrays: ThresholdCounts) -> ThresholdCounts:
    """Return an unweighted sweep without the thresholds inside runs of correct items."""
    right, wrong = (np.diff(counts) > 0 for counts in arrays[1:])
    labels = right + np.int64(2) * wrong  # for each tie, 1 (correct), 2 (incorrect) or MIXED
    kept = np.ones(len(labels) + 1, np.bool_)
    kept[1:-1] = (labels[:-1] != CORRECT) | (labels[1:] != CORRECT)
    return ThresholdCounts(*(array[kept] for array in arrays))
