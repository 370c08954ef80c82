"""Count pairs where one label is rare: most items of the other one pass by without being sorted.

The range of the values is divided into cells. An item in a cell without rare ones is above the same
of them as the whole cell; only what shares a cell with a rare item has to be sorted. `table`
(n_cells,) holds for each cell twice the number of rare items below, which is even, or 1 where there
are rare items in the cell.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastarac._kernels._jit import kernel
from fastarac._kernels.codes import FLOAT
from fastarac._kernels.threshold import ordered

Array = NDArray[Any]

BLOCK = 1 << 11  # items that are looked at together, in the cache


@kernel
def cells_between(values: Array, ends: Any, n_cells: int, cells: Array) -> None:
    """Write the number of each value's cell: nowhere decreasing in it.

    `ends` are (low, high, scale, shift, base). The cells are of equal width 1/`scale`, or, where that
    is 0, finer and finer towards the high end: by the bits of the distance from it.
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
    """Fill the table from the rare values, in any order."""
    table[:] = 0
    cells = np.empty(len(rare), np.int32)
    cells_between(rare, ends, len(table), cells)
    for i in range(len(rare)):
        table[cells[i]] += 1
    before = 0
    for cell in range(len(table)):
        count = np.int64(table[cell])
        table[cell] = 1 if count else 2 * before
        before += count


@kernel
def pass_by(
    values: Array,
    bits: Array,
    labels: Array,
    kind: int,
    exponent: Any,
    ends: Any,
    table: Array,
    rare_label: int,
    keys: Array,
) -> tuple[bool, int, int, int, int, int]:
    """Write the keys of the items with the other label that share a cell with a rare one.

    Returns whether a float is not finite, the union of the labels, whether all values are below zero
    (0), none is (1) or some are (2), the number of keys, the number of items that share no cell with a
    rare one, and twice the number of pairs of such an item and a rare one below it.
    """
    T = bits.dtype.type
    one = T(1)
    sign = one << T(8 * bits.itemsize - 1)
    bad = False
    seen = np.uint8(0)
    some = sign ^ sign
    every = ~some
    n_keys = 0
    passed = 0
    doubled = 0
    cells = np.empty(BLOCK, np.int32)
    places = np.empty(BLOCK, np.int32)
    for start in range(0, len(bits), BLOCK):
        b = bits[start : start + BLOCK]
        label = labels[start : start + BLOCK]
        cells_between(values[start : start + BLOCK], ends, len(table), cells)
        for i in range(len(b)):
            bad |= (b[i] & exponent) == exponent
            seen |= label[i]
            o = ordered(b[i], sign, kind)
            some |= o
            every &= o
        shared = 0
        for i in range(len(b)):
            entry = np.int64(table[cells[i]])
            doubled += entry
            places[shared] = i
            shared += entry & 1
        doubled -= shared
        passed += len(b) - shared
        for j in range(shared):
            i = places[j]
            keys[n_keys] = (ordered(b[i], sign, kind) << one) | T(label[i])
            n_keys += 1 if label[i] != rare_label else 0
    side = 2 if (some ^ every) & sign else 1 if every & sign else 0
    return bad and kind == FLOAT, np.int64(seen), side, n_keys, passed, doubled
