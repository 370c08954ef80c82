"""Counts at the points between runs of a sweep; pair counts depend on these points only.

A run is one tie with items of both labels, or all adjacent ties whose items have the same label. A run
with a single label contains no pair, so its ties can be merged. Keys are as in `keys`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fastarac._kernels._jit import Array, kernel, linear_kernel

MIXED = 3  # The labels of a tie are coded as 1 (correct), 2 (incorrect) or 3 (both).


@linear_kernel
def merge(true_accepts: Array, false_accepts: Array, to_true: Array, to_false: Array) -> int:
    """Write the counts at the points of a sweep that lie between runs; return their number."""
    to_true[0] = true_accepts[0]
    to_false[0] = false_accepts[0]
    j = 0
    last = 0
    for i in range(1, len(true_accepts)):
        labels = 1 if true_accepts[i] > true_accepts[i - 1] else 0
        labels += 2 if false_accepts[i] > false_accepts[i - 1] else 0
        j += 0 if labels == last and labels != MIXED else 1
        to_true[j] = true_accepts[i]
        to_false[j] = false_accepts[i]
        last = labels
    return j + 1


@kernel
def write_changes(keys: Array, place: Any, true_accepts: Array, false_accepts: Array) -> None:
    """Write the counts at the points of sorted keys, highest first; no tie may have both labels.

    There is a point at each change of the label. `place` is (start, stop, correct, incorrect): the
    range of the points in the outputs, and the numbers of items above these keys.
    """
    start, stop, correct, incorrect = place
    one = keys.dtype.type(1)
    j = start
    accepted = correct + incorrect
    for r in range(len(keys)):
        i = len(keys) - 1 - r
        key = keys[i]
        correct += np.int64(key & one)
        accepted += 1
        if j < stop:
            true_accepts[j] = correct
            false_accepts[j] = accepted - correct
        j += np.int64((key ^ keys[max(i - 1, 0)]) & one)


@kernel
def write_ties(
    keys: Array, place: Any, true_accepts: Array, false_accepts: Array
) -> tuple[int, int, int]:
    """Write as `write_changes`, for any keys; return (points, labels of first tie, of last tie)."""
    start, stop, correct, incorrect = place
    one = keys.dtype.type(1)
    j = start - 1
    labels = first = last = np.int64(0)
    for r in range(len(keys)):
        i = len(keys) - 1 - r
        key = keys[i]
        label = np.int64(key & one)
        correct += label
        incorrect += 1 - label
        labels |= 2 - label
        if i == 0 or (key ^ keys[i - 1]) > one:  # the tie ends here
            j += 0 if labels == last and labels != MIXED else 1
            if j < stop:
                true_accepts[j] = correct
                false_accepts[j] = incorrect
            first = first if last else labels
            last = labels
            labels = np.int64(0)
    return j + 1 - start, first, last


@kernel
def count_range(keys: Array, bounds: Array, first: int, last: int, rows: Array) -> None:
    """Count the runs, and the items, of the sorted buckets from `first` up to `last`.

    `rows` (n_buckets, 6) receives: points, correct items, incorrect items, labels of the first and of
    the last tie, and the number of ties with both labels.
    """
    one = keys.dtype.type(1)
    none = np.empty(0, np.int64)
    for b in range(first, last):
        some, row = keys[bounds[b] : bounds[b + 1]], rows[b]
        row[:] = 0
        if len(some) == 0:
            continue
        right = np.int64(some[0] & one)
        mixed = changes = np.int64(0)
        for i in range(1, len(some)):
            differ = some[i] ^ some[i - 1]
            right += np.int64(some[i] & one)
            mixed += 1 if differ == one else 0
            changes += np.int64(differ & one)
        row[1], row[2], row[5] = right, len(some) - right, mixed
        if mixed:
            row[0], row[3], row[4] = write_ties(some, (0, 0, 0, 0), none, none)
        else:
            row[0], row[3], row[4] = (
                changes + 1,
                2 - np.int64(some[-1] & one),
                2 - np.int64(some[0] & one),
            )


@kernel
def write_range(
    keys: Array,
    bounds: Array,
    first: int,
    last: int,
    rows: Array,
    true_accepts: Array,
    false_accepts: Array,
) -> None:
    """Write the points of the sorted buckets from `first` up to `last`.

    `rows` (n_buckets, 5) holds: where the points begin and end, correct and incorrect items above, and
    the number of ties with both labels.
    """
    for b in range(first, last):
        some = keys[bounds[b] : bounds[b + 1]]
        place = rows[b, 0], rows[b, 1], rows[b, 2], rows[b, 3]
        if rows[b, 4]:
            write_ties(some, place, true_accepts, false_accepts)
        else:
            write_changes(some, place, true_accepts, false_accepts)
