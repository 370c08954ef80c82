"""Distribute items over groups, so that each group is counted separately.

Writing to all groups at once would miss the cache at every item. So items go first to blocks of
neighbouring groups that fit the cache, then to the groups of each block. A group has four consecutive
streams of keys (see `keys`): incorrect and correct items with confidences below zero, then incorrect
and correct items with the other confidences.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fastarac._kernels._jit import Array, kernel
from fastarac._kernels.codes import FLOAT
from fastarac._kernels.keys import one_and_sign, ordered
from fastarac._kernels.sort import counts_needed, sort_keys
from fastarac._kernels.ties import count_keys

# Maximum number of comparisons per item for which comparing all pairs is faster than sorting.
MAX_COMPARED = 40


@kernel
def histogram_blocks(codes: Array, shift: int, counts: Array) -> None:
    """Count the items of each block of 2**shift groups."""
    for i in range(len(codes)):
        counts[np.int64(codes[i]) >> shift] += 1


@kernel
def scatter_blocks(
    bits: Array,
    labels: Array,
    codes: Array,
    shift: int,
    kind: int,
    exponent: Any,
    positions: Array,
    keys: Array,
    halves: Array,
) -> tuple[bool, int]:
    """Write each item's key to the next free position of its block.

    `halves` receives twice the group's number within the block, plus one for values not below zero.
    Return whether a float is not finite, and the bitwise OR of the labels.
    """
    one, sign = one_and_sign(bits)
    mask = (1 << shift) - 1
    bad = False
    seen = np.uint8(0)
    for i in range(len(bits)):
        b = bits[i]
        bad |= (b & exponent) == exponent
        seen |= labels[i]
        o = ordered(b, sign, kind)
        upper = np.int64(1) if o & sign else np.int64(0)
        code = np.int64(codes[i])
        block = code >> shift
        p = positions[block]
        positions[block] = p + 1
        if p >= len(keys):  # true only if another thread has changed the codes meanwhile
            break
        keys[p] = (o << one) | bits.dtype.type(labels[i])
        halves[p] = 2 * (code & mask) + upper
    return bad and kind == FLOAT, np.int64(seen)


@kernel
def compare_pairs(keys: Array, middle: int) -> int:
    """Count the doubled pairs by comparing all pairs; the items in `keys[:middle]` are incorrect."""
    one = keys.dtype.type(1)
    incorrect = keys[:middle]
    correct = keys[middle:]
    doubled = 0
    for i in range(len(incorrect)):
        equal = incorrect[i]
        above = equal | one  # the key of a correct item with the same confidence
        for j in range(len(correct)):
            doubled += np.int64(correct[j] > equal) + np.int64(correct[j] > above)
    return doubled


@kernel
def pairs_of_half(keys: Array, middle: int, spare: Array, counts: Array) -> int:
    """Count the doubled pairs by the faster of two methods; items in `keys[:middle]` are incorrect."""
    n = len(keys)
    if middle * (n - middle) <= MAX_COMPARED * n:
        return compare_pairs(keys, middle)
    sort_keys(keys, spare, counts)
    return count_keys(keys)[3]


@kernel
def pairs_of_blocks(
    keys: Array, halves: Array, bounds: Array, first: int, last: int, shift: int, pairs: Array
) -> None:
    """Write (correct, incorrect, doubled_pairs) of each group of the blocks from `first` to `last`.

    `bounds` holds where the blocks begin in `keys`; `pairs` has a row per group.
    """
    largest = 0
    for b in range(first, last):
        largest = max(largest, bounds[b + 1] - bounds[b])
    moved = np.empty(largest, keys.dtype)
    spare = np.empty(0, keys.dtype)
    counts = np.empty(0, np.int32)
    positions = np.empty(4 << shift, np.int64)
    one = keys.dtype.type(1)
    for b in range(first, last):
        positions[:] = 0
        for i in range(bounds[b], bounds[b + 1]):
            positions[2 * np.int64(halves[i]) + np.int64(keys[i] & one)] += 1
        total = 0
        for s in range(len(positions)):
            count = positions[s]
            positions[s] = total
            total += count
        for i in range(bounds[b], bounds[b + 1]):
            s = 2 * np.int64(halves[i]) + np.int64(keys[i] & one)
            p = positions[s]
            moved[p] = keys[i]
            positions[s] = p + 1
        start = 0
        for g in range(b << shift, min((b + 1) << shift, len(pairs))):
            s = 4 * (g - (b << shift))
            # The loop above has advanced each position to the end of its stream.
            low, middle, high, end = positions[s], positions[s + 1], positions[s + 2], positions[s + 3]
            if end - start > len(spare):
                spare = np.empty(2 * (end - start), keys.dtype)
                counts = np.empty(counts_needed(len(spare)), np.int32)
            doubled = pairs_of_half(moved[start:middle], low - start, spare, counts)
            doubled += pairs_of_half(moved[middle:end], high - middle, spare, counts)
            pairs[g, 0] = middle - low + end - high
            pairs[g, 1] = low - start + high - middle
            pairs[g, 2] = doubled + 2 * (end - high) * (low - start)
            start = end
