"""The points of a sweep that matter for pairs: those between runs.

A run is one tie with items of both labels, or all adjacent ties whose items have one and the same
label. No pair of a correct and an incorrect item lies inside such ties, so that their items may as well
share one confidence. Keys are those of `threshold`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastarac._kernels._jit import kernel

Array = NDArray[Any]

MIXED = 3  # labels of a tie: 1 where it has correct items, and 2 where it has incorrect ones


@kernel
def write_changes(
    keys: Array,
    start: int,
    stop: int,
    correct: int,
    incorrect: int,
    true_accepts: Array,
    false_accepts: Array,
) -> None:
    """Write what `write_runs` does where no tie has both labels: a point wherever the label changes."""
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
def write_runs(
    keys: Array,
    start: int,
    stop: int,
    correct: int,
    incorrect: int,
    true_accepts: Array,
    false_accepts: Array,
) -> tuple[int, int, int, int, int]:
    """Write the points of sorted keys, highest first, from `start` up to `stop`: the counts at each.

    `correct` and `incorrect` items are above. Returns how many points, correct and incorrect items the
    keys have, and the labels of their first and last tie.
    """
    one = keys.dtype.type(1)
    n = len(keys)
    right = mixed = changes = np.int64(0)
    for i in range(n):
        right += np.int64(keys[i] & one)
    for i in range(1, n):
        differ = keys[i] ^ keys[i - 1]
        mixed += 1 if differ == one else 0
        changes += np.int64(differ & one)
    if mixed == 0 and n > 0:
        if start < stop:
            write_changes(keys, start, stop, correct, incorrect, true_accepts, false_accepts)
        first, last = 2 - np.int64(keys[n - 1] & one), 2 - np.int64(keys[0] & one)
        return changes + 1, right, n - right, first, last
    j = start - 1
    labels = first = last = np.int64(0)
    for r in range(n):
        i = n - 1 - r
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
    return j + 1 - start, right, n - right, first, last


@kernel
def count_range(keys: Array, bounds: Array, first: int, last: int, rows: Array) -> None:
    """Write what `write_runs` returns for the sorted buckets from `first` up to `last`."""
    none = np.empty(0, np.int64)
    for b in range(first, last):
        row = rows[b]
        row[0], row[1], row[2], row[3], row[4] = write_runs(
            keys[bounds[b] : bounds[b + 1]], 0, 0, 0, 0, none, none
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
    """`write_runs` for the sorted buckets from `first` up to `last`.

    `rows` (n_buckets, 4): where the points begin and end, correct and incorrect items above.
    """
    for b in range(first, last):
        write_runs(
            keys[bounds[b] : bounds[b + 1]], rows[b, 0], rows[b, 1], rows[b, 2], rows[b, 3],
            true_accepts, false_accepts,
        )  # fmt: skip
