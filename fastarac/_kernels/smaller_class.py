"""Count pairs without sorting the larger class, if one label is rare.

Items of the smaller class are called rare. The range of the values is divided into cells. All items of
a cell without rare items are above the same rare items; only other items are looked up among the rare
ones. `table` (n_cells + 1,) holds for each cell twice the number of rare values below it, plus 1 if
the cell holds any.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fastarac._kernels._jit import Array, kernel
from fastarac._kernels.codes import FLOAT
from fastarac._kernels.keys import one_and_sign, ordered

BLOCK = 1 << 11  # Number of items processed together, so that they stay in the cache.


@kernel
def cells_between(values: Array, ends: Any, n_cells: int, cells: Array) -> None:
    """Write the number of each value's cell; cells are numbered by rising value.

    `ends` is (low, high, scale, shift, base). The cells have equal width 1/`scale`. If `scale` is 0,
    the upper bits of a value's distance from the high end give its cell, so that cells become finer
    there.
    """
    low, high, scale, shift, base = ends
    if scale > 0.0:
        last = np.float64(n_cells - 1)
        for i in range(len(values)):
            place = (np.float64(values[i]) - low) * scale
            place = max(0.0, place)
            place = min(last, place)
            cells[i] = np.int32(place)
        return
    for i in range(len(values)):
        distance = high - np.float64(values[i])
        distance = max(0.0, distance)
        k = (np.float64(distance).view(np.int64) >> shift) - base
        cells[i] = np.int32(n_cells - 1 - min(max(k, 0), n_cells - 1))


@kernel
def fill_table(rare: Array, ends: Any, table: Array) -> None:
    """Fill `table` from the rare values, with or without repetitions, in any order."""
    table[:] = 0
    cells = np.empty(len(rare), np.int32)
    cells_between(rare, ends, len(table) - 1, cells)
    for i in range(len(rare)):
        table[cells[i]] += 1
    before = 0
    for cell in range(len(table)):
        count = np.int64(table[cell])
        table[cell] = 2 * before + (1 if count else 0)
        before += count


@kernel
def first_from(rare: Array, key: Any, start: Any, end: Any, beyond: bool) -> Any:
    """Return the first index in the rising `rare[start:end]` with a value >= `key` (> if `beyond`)."""
    while start < end:
        middle = (start + end) >> 1
        if rare[middle] < key or (beyond and rare[middle] == key):
            start = middle + 1
        else:
            end = middle
    return start


@kernel
def count_below(
    part: Any, kind: int, exponent: Any, ends: Any, table: Array, rare_label: int, rare: Array
) -> tuple[bool, int, int, int]:
    """Count the pairs of an item without `rare_label` and a rare item below it.

    `part` holds the values of the items, the bits of the values, and the labels. `rare` holds the
    values of the rare items as written by `to_ordered_bits`, rising, with repetitions. Return (1)
    whether a float is not finite, (2) the bitwise OR of the labels, (3) the number of items with the
    other label, (4) the sum over these items of 2·(rare items below) + (rare items of the same value).
    """
    values, bits, labels = part
    sign = bits.dtype.type(np.uint64(1) << np.uint64(8 * bits.itemsize - 1))
    bad = False
    seen = np.uint8(0)
    others = np.int64(0)
    doubled = np.int64(0)
    cells = np.empty(BLOCK, np.int32)
    places = np.empty(BLOCK, np.int32)
    for start in range(0, len(bits), BLOCK):
        b = bits[start : start + BLOCK]
        label = labels[start : start + BLOCK]
        cells_between(values[start : start + BLOCK], ends, len(table) - 1, cells)
        for i in range(len(b)):
            bad |= (b[i] & exponent) == exponent
            seen |= label[i]
        shared = 0
        for i in range(len(b)):
            entry = np.int64(table[cells[i]])
            doubled += entry
            places[shared] = i
            shared += entry & 1
        doubled -= shared
        others += len(b)
        for j in range(shared):
            i = places[j]
            first, end = np.int64(table[cells[i]] >> 1), np.int64(table[cells[i] + 1] >> 1)
            if label[i] == rare_label:
                doubled -= 2 * first
                others -= 1
                continue
            key = ordered(b[i], sign, kind)
            found = first_from(rare, key, first, end, False)
            doubled += 2 * (found - first)
            if found < end and rare[found] == key:
                doubled += first_from(rare, key, found, end, True) - found
    return bad and kind == FLOAT, np.int64(seen), others, doubled


@kernel
def count_gaps(
    part: Any, kind: int, exponent: Any, ends: Any, table: Array, rare_label: int, rare: Array, out: Any
) -> tuple[bool, int]:
    """Count the items with the other label between the rare values, and at each rare value.

    `part` and `table` are as in `count_below`; `rare` (m,) holds the distinct values of the rare items
    as written by `to_ordered_bits`, rising. `out` is (gaps, ties). A row of `gaps` (m + 1, 2) receives
    the number of items between two rare values, and the lowest value of these items. `ties` (m,)
    receives the number of items at each rare value. Return whether a float is not finite, and the
    bitwise OR of the labels.
    """
    (values, bits, labels), (gaps, ties) = part, out
    _, sign = one_and_sign(bits)
    bad = False
    seen = np.uint8(0)
    cells = np.empty(BLOCK, np.int32)
    keys = np.empty(BLOCK, rare.dtype)
    places = np.empty(BLOCK, np.int32)
    gap_of = np.empty(BLOCK, np.int32)
    key_of = np.empty(BLOCK, rare.dtype)
    for start in range(0, len(bits), BLOCK):
        b = bits[start : start + BLOCK]
        label = labels[start : start + BLOCK]
        cells_between(values[start : start + BLOCK], ends, len(table) - 1, cells)
        for i in range(len(b)):
            bad |= (b[i] & exponent) == exponent
            seen |= label[i]
            keys[i] = ordered(b[i], sign, kind)
        shared = alone = 0
        for i in range(len(b)):
            entry = table[cells[i]]
            places[shared] = i
            shared += entry & 1
            gap_of[alone] = entry >> 1
            key_of[alone] = keys[i]
            alone += 1 - (entry & 1)
        for j in range(alone):  # a separate loop, so that loads do not wait for stores
            gaps[gap_of[j], 0] += np.uint64(1)
        for j in range(alone):
            gap = gap_of[j]
            if key_of[j] < gaps[gap, 1]:
                gaps[gap, 1] = key_of[j]
        for j in range(shared):
            i = places[j]
            if label[i] == rare_label:
                continue
            cell, key = cells[i], keys[i]
            first, end = np.int64(table[cell] >> 1), np.int64(table[cell + 1] >> 1)
            gap = first_from(rare, key, first, end, False)
            if gap < len(rare) and rare[gap] == key:
                ties[gap] += 1
                continue
            gaps[gap, 0] += np.uint64(1)
            if key < gaps[gap, 1]:
                gaps[gap, 1] = key
    return bad and kind == FLOAT, np.int64(seen)
