"""Count pairs, and the items at each threshold, in one pass over the ties of sorted keys.

A pair is one correct and one incorrect item. `doubled_pairs` counts a pair twice if the correct item is
above, and once if the two items are tied.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fastarac._kernels._jit import Array, kernel, linear_kernel
from fastarac._kernels.keys import encode_two_ended, one_and_sign, threshold_bits
from fastarac._kernels.sort import counts_needed, sort_keys


@kernel
def count_keys(keys: Array) -> tuple[int, int, int, int]:
    """Return (distinct confidences, correct, incorrect, doubled_pairs) of sorted keys."""
    n = len(keys)
    one = keys.dtype.type(1)
    distinct = 1 if n else 0
    mixed = 0  # number of ties with items of both labels
    for i in range(1, n):
        differ = keys[i] ^ keys[i - 1]
        distinct += 1 if differ > one else 0
        mixed += 1 if differ == one else 0
    correct = 0
    positions = 0  # the sum of the positions of the correct items
    for i in range(n):
        label = np.int64(keys[i] & one)
        correct += label
        positions += label * i
    # The correct items have correct·(correct − 1)/2 correct items below them; subtract these twice.
    doubled = 2 * positions - correct * (correct - 1)
    for i in range(1, n if mixed else 0):
        if keys[i] ^ keys[i - 1] == one:  # the incorrect items of the tie end here
            first = i
            while first > 0 and keys[first - 1] == keys[i - 1]:
                first -= 1
            last = i
            while last < n and keys[last] == keys[i]:
                last += 1
            doubled -= (i - first) * (last - i)
    return distinct, correct, n - correct, doubled


@kernel
def count_range(keys: Array, bounds: Array, first: int, last: int, results: Array) -> None:
    """Write the counts of `count_keys` for the sorted buckets from `first` up to `last`."""
    for b in range(first, last):
        row = results[b]
        row[0], row[1], row[2], row[3] = count_keys(keys[bounds[b] : bounds[b + 1]])


@kernel
def sorted_halves(
    bits: Array, labels: Array, kind: int, exponent: Any
) -> tuple[bool, int, Array, Array]:
    """Return (whether a value is not finite, OR of the labels, sorted keys below zero, the others)."""
    n = len(bits)
    keys = np.empty(n, bits.dtype)
    bad, seen, lower = encode_two_ended(bits, labels, kind, exponent, keys)
    spare = np.empty(n, bits.dtype)
    counts = np.empty(counts_needed(n), np.int32)
    sort_keys(keys[:lower], spare, counts)
    sort_keys(keys[lower:], spare, counts)
    return bad, seen, keys[:lower], keys[lower:]


@linear_kernel
def small_pairs(
    bits: Array, labels: Array, kind: int, exponent: Any
) -> tuple[bool, int, int, int, int]:
    """Return (whether a value is not finite, OR of the labels, correct, incorrect, doubled_pairs)."""
    bad, seen, lower, upper = sorted_halves(bits, labels, kind, exponent)
    _, p, q, below = count_keys(lower)
    _, correct, incorrect, doubled = count_keys(upper)
    return bad, seen, p + correct, q + incorrect, below + doubled + 2 * correct * q


@kernel
def write_sweep(keys: Array, upper: bool, kind: int, above: Any, out: Any) -> None:
    """Write the thresholds of sorted keys, highest first, and the counts at each.

    `upper` tells whether the values are >= 0, which the keys do not show. `above` holds the number of
    thresholds, correct items and incorrect items above these keys. `out` receives the thresholds as
    bits of the values, and the accepted correct and incorrect items, all from index 1 on.
    """
    thresholds, true_accepts, false_accepts = out
    j, correct, incorrect = above
    one, sign = one_and_sign(keys)
    for r in range(len(keys)):
        i = len(keys) - 1 - r
        value = keys[i] >> one
        label = np.int64(keys[i] & one)
        correct += label
        incorrect += 1 - label
        thresholds[j + 1] = threshold_bits(value, upper, kind, sign)
        true_accepts[j + 1] = correct
        false_accepts[j + 1] = incorrect
        if i > 0 and keys[i - 1] >> one != value:
            j += 1


@linear_kernel
def small_sweep(
    bits: Array, labels: Array, kind: int, exponent: Any
) -> tuple[bool, int, Array, Array, Array]:
    """Return the sweep of a few items.

    The result is (whether a value is not finite, OR of the labels, thresholds as bits, true_accepts,
    false_accepts).
    """
    bad, seen, lower, upper = sorted_halves(bits, labels, kind, exponent)
    above = count_keys(upper)
    size = 1 + count_keys(lower)[0] + above[0]
    out = np.zeros(size, bits.dtype), np.zeros(size, np.int64), np.zeros(size, np.int64)
    # Literals are converted to numpy types, because numba would compile another version for them.
    yes: Any = np.bool_(1)
    no: Any = np.bool_(0)
    zero = np.int64(0)
    write_sweep(upper, yes, kind, (zero, zero, zero), out)
    write_sweep(lower, no, kind, above[:3], out)
    return bad, seen, *out


@kernel
def write_buckets(
    keys: Array, bounds: Array, first: int, last: int, below: int, kind: int, starts: Array, out: Any
) -> None:
    """Call `write_sweep` for buckets `first` up to `last`; from `below` on, values are not negative.

    `starts` (n_buckets, 3) holds the thresholds, correct items and incorrect items above each bucket.
    """
    for b in range(first, last):
        above = starts[b, 0], starts[b, 1], starts[b, 2]
        write_sweep(keys[bounds[b] : bounds[b + 1]], b >= below, kind, above, out)
