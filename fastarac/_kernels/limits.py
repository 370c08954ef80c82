"""Find the threshold that keeps a limit, from sorted keys and without writing the whole sweep.

A point of the sweep is given by the position of the first accepted key; all later keys are accepted,
too. `above` (n_buckets, 3) holds the thresholds, correct items and incorrect items above each bucket.
"""

from __future__ import annotations

import numpy as np

from fastarac._kernels._jit import Array, kernel
from fastarac._kernels.keys import one_and_sign, threshold_bits


@kernel
def tie_below(keys: Array, bounds: Array, b: int, end: int) -> tuple[int, int, int]:
    """Return (bucket, start, incorrect items) of the tie that ends at `end`, in bucket `b` or lower."""
    while end == bounds[b]:
        b -= 1
    one = keys.dtype.type(1)
    value = keys[end - 1] >> one
    incorrect = 0
    start = end
    while start > bounds[b] and keys[start - 1] >> one == value:
        start -= 1
        incorrect += 1 - np.int64(keys[start] & one)
    return b, start, incorrect


@kernel
def write_point(keys: Array, bounds: Array, b: int, start: int, incorrect: int, row: Array) -> None:
    """Write a point and the next one into `row` (4,): (position, incorrect items) of each.

    If there is no next point, the point itself is repeated.
    """
    row[0], row[1] = start, incorrect
    row[2], row[3] = start, incorrect
    if start > 0:
        _, next_start, more = tie_below(keys, bounds, b, start)
        row[2], row[3] = next_start, incorrect + more


@kernel
def within_errors(keys: Array, bounds: Array, above: Array, most: int, row: Array) -> None:
    """Find the last point with at most `most` incorrect items; `write_point` writes it."""
    b = len(above) - 1
    while b > 0 and above[b - 1, 2] <= most:
        b -= 1
    point_b = b
    point = bounds[b + 1]
    incorrect = above[b, 2]
    while point > 0:
        next_b, start, more = tie_below(keys, bounds, point_b, point)
        if incorrect + more > most:
            break
        point_b, point = next_b, start
        incorrect += more
    write_point(keys, bounds, point_b, point, incorrect, row)


@kernel
def within_risk(
    keys: Array, bounds: Array, above: Array, incorrect: int, max_risk: float, row: Array
) -> None:
    """Find the last point with a risk of at most `max_risk`; `write_point` writes it.

    If no point keeps the limit, the point that accepts nothing is written. `incorrect` counts all
    incorrect items.
    """
    one = keys.dtype.type(1)
    n = len(keys)
    for b in range(len(above)):
        if bounds[b] < n and float(above[b, 2]) / float(n - bounds[b]) > max_risk:
            incorrect = above[b, 2]  # all points of this bucket exceed the limit, so skip the bucket
            continue
        start = bounds[b]
        while start < bounds[b + 1]:
            if float(incorrect) / float(n - start) <= max_risk:
                write_point(keys, bounds, b, start, incorrect, row)
                return
            value = keys[start] >> one
            while start < bounds[b + 1] and keys[start] >> one == value:
                incorrect -= 1 - np.int64(keys[start] & one)
                start += 1
    write_point(keys, bounds, len(above) - 1, n, 0, row)


@kernel
def write_thresholds(keys: Array, starts: Array, first_above: int, kind: int, bits: Array) -> None:
    """Write the bits of the thresholds at positions `starts`; keys from `first_above` on are >= 0."""
    one, sign = one_and_sign(keys)
    for i in range(len(starts)):
        start = starts[i]
        bits[i] = threshold_bits(keys[start] >> one, start >= first_above, kind, sign)
