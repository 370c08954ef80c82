"""The sweep at the points between runs (`_kernels.runs`): of pairs it says as much as the whole one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fastarac import _kernels
from fastarac._engine import sorting
from fastarac._engine.counting import SweepArrays
from fastarac._engine.smaller_class import corners_around_few

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fastarac._engine.inputs import Items
    from fastarac._engine.sorting import Buckets

CORRECT, MIXED = 1, 3  # labels of a tie


def sweep_of_runs(items: Items) -> SweepArrays:
    """The points between runs of items without weights; their thresholds are not known, but NaN."""
    corners = corners_around_few(items)
    if corners is not None:
        return merged(corners)
    arrays = sorting.sweep_arrays(items) if items.n <= sorting.FEW else sorting.count_or_spread(items)
    if isinstance(arrays, SweepArrays):
        return merged(arrays)
    found = np.empty((len(arrays.bounds) - 1, 6), np.int64)
    sorting.sort_buckets(arrays, _kernels.runs.count_range, found)
    return _written(arrays, found)


def of_sorted(buckets: Buckets) -> SweepArrays:
    """The same from buckets that are sorted."""
    found = np.empty((len(buckets.bounds) - 1, 6), np.int64)

    def count(first: int, last: int) -> None:
        _kernels.runs.count_range(buckets.keys, buckets.bounds, first, last, found)

    sorting.over_buckets(len(found), len(buckets.keys), lambda: count)
    return _written(buckets, found)


def _written(buckets: Buckets, found: NDArray[np.int64]) -> SweepArrays:
    """The points of sorted buckets, from what is `found` in each."""
    keys, bounds = buckets.keys, buckets.bounds
    rows, n_points = _places(found)
    true_accepts, false_accepts = np.zeros((2, n_points), np.int64)

    def write(first: int, last: int) -> None:
        _kernels.runs.write_range(keys, bounds, first, last, rows, true_accepts, false_accepts)

    sorting.over_buckets(len(rows), len(keys), lambda: write)
    return SweepArrays(np.broadcast_to(np.nan, n_points), true_accepts, false_accepts)


def _places(found: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """The rows of `write_range` from what is `found` in each bucket, and the number of points."""
    points, some = found[:, 0].copy(), np.flatnonzero(found[:, 0])
    last, first = found[some[1:], 4], found[some[:-1], 3]
    # where a run goes on in the next lower bucket, its point is there
    points[some[1:]] -= (last == first) & (last != MIXED)
    rows = np.zeros((len(found), 5), np.int64)
    for column, counts in ((0, points), (2, found[:, 1]), (3, found[:, 2])):
        rows[:-1, column] = np.cumsum(counts[:0:-1])[::-1]
    rows[:, 0] += 1
    rows[:, 1] = rows[:, 0] + points
    rows[:, 4] = found[:, 5]
    return rows, 1 + int(points.sum())


def merged(arrays: SweepArrays) -> SweepArrays:
    """The same from a sweep, whether it has every threshold or corners only."""
    counts = np.empty_like(arrays.true_accepts), np.empty_like(arrays.false_accepts)
    n = _kernels.runs.merge(*arrays[1:], *counts)
    return SweepArrays(np.broadcast_to(np.nan, n), counts[0][:n], counts[1][:n])


def corners_of(items: Items) -> SweepArrays:
    """The sweep of items without weights, of each run of correct items the last point alone."""
    return corners_around_few(items) or _corners(sorting.sweep_arrays(items))


def _corners(arrays: SweepArrays) -> SweepArrays:
    labels = _labels_of(arrays)
    kept = np.ones(len(labels) + 1, np.bool_)
    kept[1:-1] = (labels[:-1] != CORRECT) | (labels[1:] != CORRECT)
    return SweepArrays(*(array[kept] for array in arrays))


def _labels_of(arrays: SweepArrays) -> NDArray[np.int64]:
    """Of each tie: 1 where it has correct items, and 2 more where it has incorrect ones."""
    right, wrong = (np.diff(counts) > 0 for counts in arrays[1:])
    return right + np.int64(2) * wrong
