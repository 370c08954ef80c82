"""The sweep at the points between runs (`_kernels.runs`): of pairs it says as much as the whole one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fastarac import _kernels
from fastarac._core import sorting
from fastarac._core.counted import SweepArrays

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fastarac._core.inputs import Items


def sweep_of_runs(items: Items) -> SweepArrays:
    """The points between runs of items without weights; their thresholds are not known, but NaN."""
    arrays = sorting.sweep_arrays(items) if items.n <= sorting.FEW else sorting.count_or_spread(items)
    if isinstance(arrays, SweepArrays):
        return merged(arrays)
    keys, bounds = arrays.keys, arrays.bounds
    found = np.empty((len(bounds) - 1, 6), np.int64)
    sorting.sort_buckets(arrays, _kernels.runs.count_range, found)
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
    points[some[1:]] -= (last == first) & (last != _kernels.runs.MIXED)
    rows = np.zeros((len(found), 5), np.int64)
    for column, counts in ((0, points), (2, found[:, 1]), (3, found[:, 2])):
        rows[:-1, column] = np.cumsum(counts[:0:-1])[::-1]
    rows[:, 0] += 1
    rows[:, 1] = rows[:, 0] + points
    rows[:, 4] = found[:, 5]
    return rows, 1 + int(points.sum())


def merged(arrays: SweepArrays) -> SweepArrays:
    """The same from a sweep."""
    labels = (np.diff(arrays.true_accepts) > 0) + 2 * (np.diff(arrays.false_accepts) > 0)
    kept = np.ones(len(labels) + 1, np.bool_)
    kept[1:-1] = (labels[1:] != labels[:-1]) | (labels[1:] == _kernels.runs.MIXED)
    counts = arrays.true_accepts[kept], arrays.false_accepts[kept]
    return SweepArrays(np.broadcast_to(np.nan, len(counts[0])), *counts)
