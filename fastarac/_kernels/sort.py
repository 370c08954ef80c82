"""Sort keys: distribute them over buckets if they are many, and sort each bucket.

A table assigns the cells of confidences to buckets; it is made from a sample, so that the buckets have
similar sizes. Each bucket fits the cache and is sorted on its own (`sort_keys`), by one thread.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fastarac._kernels._jit import Array, kernel
from fastarac._kernels.codes import FLOAT
from fastarac._kernels.keys import one_and_sign, ordered

# Cells become finer towards both ends of the values: each doubling (octave) of the distance from an end
# is divided into 2**CELL_BITS cells.
CELL_BITS = 7
HALF_CELLS = 32 << CELL_BITS  # Number of cells for the 32 octaves near an end.
N_CELLS = 2 * HALF_CELLS
MANTISSA_SHIFT = 52 - CELL_BITS

BLOCK = 1 << 11  # Number of items whose cells are found together, so that they stay in the cache.
SMALL = 24  # Maximum number of keys that are sorted by insertion.
# Keys are sorted within their cells, by insertion, if at most this many share a key's cell, averaged
# over all keys (Σ count²/n). Otherwise, a radix sort of all keys is faster.
MAX_COST = 16


@kernel
def cell_of(value: Any, ends: Any) -> Any:
    """Return the cell of `value`; cells are numbered by rising value and finest near both ends."""
    low, middle, high, base = ends
    below = value < middle
    distance = value - low if below else high - value
    distance = max(distance, 0.0)
    k = (np.float64(distance).view(np.int64) >> np.int64(MANTISSA_SHIFT)) - base
    k = min(max(k, np.int64(0)), np.int64(HALF_CELLS - 1))
    return k if below else np.int64(N_CELLS - 1) - k


@kernel
def fill_cells(values: Array, ends: Any, cells: Array) -> None:
    """Write `cell_of` for each value."""
    for i in range(len(values)):  # a separate loop, which the compiler can vectorise
        cells[i] = np.int32(cell_of(np.float64(values[i]), ends))


@kernel
def fill_buckets(
    values: Array, bits: Array, kind: int, plan: Any, cells: Array, buckets: Array
) -> None:
    """Write the bucket of each value, in loops that the compiler can vectorise.

    `plan` holds the number of buckets for negative values (the other values have as many), a table with
    the bucket of each cell, and the ends of the cells.
    """
    n_buckets, table, ends = plan
    sign = bits.dtype.type(1) << bits.dtype.type(8 * bits.itemsize - 1)
    fill_cells(values, ends, cells)
    for i in range(len(values)):
        upper = n_buckets if ordered(bits[i], sign, kind) & sign else 0
        buckets[i] = np.int64(table[cells[i]]) + upper


@kernel
def histogram(part: Any, kind: int, exponent: Any, plan: Any, counts: Array) -> tuple[bool, int]:
    """Count the items of each bucket; `part` holds their values, bits of the values, and labels.

    `counts` has an entry for each bucket; buckets of values below zero come first. Return whether a
    float is not finite (all bits of `exponent` set), and the bitwise OR of the labels.
    """
    values, bits, labels = part
    bad = False
    seen = np.uint8(0)
    cells = np.empty(BLOCK, np.int32)
    buckets = np.empty(BLOCK, np.uint16)
    for start in range(0, len(bits), BLOCK):
        some = bits[start : start + BLOCK]
        label = labels[start : start + BLOCK]
        value = values[start : start + BLOCK]
        for i in range(len(some)):
            bad |= (some[i] & exponent) == exponent
            seen |= label[i]
        fill_buckets(value, some, kind, plan, cells, buckets)
        for i in range(len(some)):
            counts[buckets[i]] += 1
    return bad and kind == FLOAT, np.int64(seen)


@kernel
def scatter(part: Any, kind: int, plan: Any, positions: Array, keys: Array) -> None:
    """Write each item's key to the next free position of its bucket, and advance `positions`.

    Another thread may have changed the arrays since the keys were counted, so nothing is written beyond
    the end of `keys`. The final positions show whether each bucket received the counted number of keys.
    """
    values, bits, labels = part
    one, sign = one_and_sign(bits)
    cells = np.empty(BLOCK, np.int32)
    buckets = np.empty(BLOCK, np.uint16)
    for start in range(0, len(bits), BLOCK):
        some = bits[start : start + BLOCK]
        label = labels[start : start + BLOCK]
        value = values[start : start + BLOCK]
        fill_buckets(value, some, kind, plan, cells, buckets)
        for i in range(len(some)):
            p = positions[buckets[i]]
            positions[buckets[i]] = p + 1
            if p < len(keys):
                keys[p] = (ordered(some[i], sign, kind) << one) | bits.dtype.type(label[i])


@kernel
def insert_sorted(source: Array, keys: Array) -> None:
    """Sort `source` into `keys`, fast if all keys are nearly in place; both may be the same array."""
    for i in range(len(keys)):
        key = source[i]
        j = i
        while j > 0 and keys[j - 1] > key:
            keys[j] = keys[j - 1]
            j -= 1
        keys[j] = key


@kernel
def radix_sort(keys: Array, spare: Array, counts: Array, low: Any, differ: Any) -> None:
    """Sort by digits from the lowest up; the number of passes is bounded for any distribution.

    `differ` is the bitwise OR of ``key - low`` over all keys.
    """
    T = keys.dtype.type
    n = len(keys)
    width = 8 if n < 512 else 11
    size = 1 << width
    digit_mask = T(size - 1)
    shift = 0
    in_spare = False
    while shift < 8 * keys.itemsize and differ >> T(shift) != T(0):
        s = T(shift)
        shift += width
        if (differ >> s) & digit_mask == T(0):
            continue
        source = spare if in_spare else keys
        target = keys if in_spare else spare
        counts[:size] = 0
        for i in range(n):
            counts[((source[i] - low) >> s) & digit_mask] += 1
        total = 0
        for d in range(size):
            count = counts[d]
            counts[d] = total
            total += count
        for i in range(n):
            d = ((source[i] - low) >> s) & digit_mask
            target[counts[d]] = source[i]
            counts[d] += 1
        in_spare = not in_spare
    if in_spare:
        for i in range(n):  # a loop, because a slice assignment adds 2 seconds of compilation
            keys[i] = spare[i]


@kernel
def span_of(keys: Array) -> tuple[Any, Any, int]:
    """Return the lowest key, the distance to the highest one, and the bit length of the distance."""
    T = keys.dtype.type
    low = keys[0] if len(keys) else T(0)
    high = low
    for i in range(len(keys)):
        low = min(low, keys[i])
        high = max(high, keys[i])
    span = high - low
    bits = 0
    while bits < 8 * keys.itemsize and span >> T(bits) != T(0):
        bits += 1
    return low, span, bits


@kernel
def sort_keys(keys: Array, spare: Array, counts: Array) -> None:
    """Sort `keys` in place.

    `counts` (int32) has at least `counts_needed` entries; `spare` is used if it is long enough. One
    pass distributes the keys over about as many cells of equal width as there are keys, and insertion
    finishes the sort.
    """
    n = len(keys)
    T = keys.dtype.type
    if n <= SMALL:
        insert_sorted(keys, keys)
        return
    low, span, span_bits = span_of(keys)
    count_bits = 0
    while (2 << count_bits) < 3 * n and count_bits < 18:
        count_bits += 1
    shift = T(max(0, span_bits - count_bits))
    n_cells = np.int64(span >> shift) + 1
    counts[:n_cells] = 0
    for i in range(n):
        counts[(keys[i] - low) >> shift] += 1
    total = 0
    cost = 0
    for c in range(n_cells):
        count = np.int64(counts[c])
        counts[c] = total
        total += count
        cost += count * count
    if shift == T(0):  # each cell holds one value: write the value as often as it was counted
        first = 0
        for c in range(n_cells):
            last = np.int64(counts[c + 1]) if c + 1 < n_cells else n
            keys[first:last] = low + T(c)
            first = last
        return
    if len(spare) < n:
        spare = np.empty(n, keys.dtype)
    if cost > MAX_COST * n:
        differ = low ^ low
        for i in range(n):
            differ |= keys[i] - low
        radix_sort(keys, spare, counts, low, differ)
        return
    for i in range(n):
        key = keys[i]
        c = (key - low) >> shift
        p = counts[c]
        counts[c] = p + 1
        spare[p] = key
    insert_sorted(spare, keys)


@kernel
def counts_needed(n_keys: int) -> int:
    """Return the number of entries that `sort_keys` needs in `counts`."""
    n = 2048
    while 2 * n < 3 * n_keys and n < (1 << 18):
        n *= 2
    return n


@kernel
def sort_range(keys: Array, bounds: Array, first: int, last: int, spare: Array, counts: Array) -> None:
    """Sort the buckets from `first` up to `last`."""
    for b in range(first, last):
        sort_keys(keys[bounds[b] : bounds[b + 1]], spare, counts)
