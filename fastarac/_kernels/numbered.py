"""Keys that contain their item's number: sorting the keys gives the order of the items.

The lowest of the 64 bits says whether the item is marked. The other bits of the lower `shift` bits hold
the number of the item. The upper bits hold the leading bits of the confidence (by `keys.ordered`). The
number is inverted, so that items of equal confidence have rising numbers when the sorted keys are read
from the end.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fastarac._kernels._intrinsics import prefetch
from fastarac._kernels._jit import Array, kernel
from fastarac._kernels.keys import one_and_sign, ordered
from fastarac._kernels.sort import BLOCK, counts_needed, fill_buckets, sort_keys

AHEAD = 24  # Number of values that are prefetched before they are read in random order.
SHORT = 32  # Maximum number of keys with equal upper bits that are sorted by insertion.


@kernel
def number_of(key: Any, shift: int) -> int:
    """Return the number of the item of a key."""
    low = (np.uint64(1) << np.uint64(shift)) - np.uint64(1)
    return np.int64((low - (key & low)) >> np.uint64(1))


@kernel
def scatter_numbered(
    part: Any, kind: int, plan: Any, shift: int, offset: int, positions: Array, keys: Array
) -> None:
    """Write each item's key to the next free position of its bucket.

    `part` is (values, bits, marks); its first item has the number `offset`.
    """
    values, bits, marks = part
    sign = one_and_sign(bits)[1]
    lift = np.uint64(64 - 8 * bits.itemsize)
    low = (np.uint64(1) << np.uint64(shift)) - np.uint64(1)
    cells = np.empty(BLOCK, np.int32)
    buckets = np.empty(BLOCK, np.uint16)
    for start in range(0, len(bits), BLOCK):
        some = bits[start : start + BLOCK]
        mark = marks[start : start + BLOCK]
        fill_buckets(values[start : start + BLOCK], some, kind, plan, cells, buckets)
        for i in range(len(some)):
            p = positions[buckets[i]]
            positions[buckets[i]] = p + 1
            if p < len(keys):
                upper = (np.uint64(ordered(some[i], sign, kind)) << lift) & ~low
                number = np.uint64(offset + start + i) << np.uint64(1)
                keys[p] = upper | (low - number - np.uint64(1) + np.uint64(mark[i] & np.uint8(1)))


@kernel
def sort_in_full(keys: Array, start: int, end: int, shift: int, bits: Array, kind: int) -> None:
    """Sort keys with equal upper bits by all bits of their confidences."""
    sign = one_and_sign(bits)[1]
    if end - start <= SHORT:
        for i in range(start + 1, end):
            key = keys[i]
            own = ordered(bits[number_of(key, shift)], sign, kind)
            j = i
            while j > start and ordered(bits[number_of(keys[j - 1], shift)], sign, kind) > own:
                keys[j] = keys[j - 1]
                j -= 1
            keys[j] = key
        return
    before = ordered(bits[number_of(keys[start], shift)], sign, kind)
    rising = True
    for i in range(start + 1, end):
        own = ordered(bits[number_of(keys[i], shift)], sign, kind)
        rising &= before <= own
        before = own
    if rising:  # already sorted, for example if all values are equal
        return
    low = (np.uint64(1) << np.uint64(shift)) - np.uint64(1)
    # Sort keys that hold the lower bits of a value, followed by the present position of the value.
    places = np.empty(end - start, np.uint64)
    for i in range(end - start):
        own = np.uint64(ordered(bits[number_of(keys[start + i], shift)], sign, kind))
        places[i] = ((own & low) << np.uint64(64 - shift)) | np.uint64(i)
    sort_keys(places, np.empty(0, np.uint64), np.empty(counts_needed(len(places)), np.int32))
    given = keys[start:end].copy()
    of_place = ~(low << np.uint64(64 - shift))
    for i in range(end - start):
        keys[start + i] = given[np.int64(places[i] & of_place)]


@kernel
def order_buckets(
    keys: Array, bounds: Array, first: int, last: int, rows: Array, shift: int, bits: Array, kind: int,
    order: Array,
) -> None:  # fmt: skip
    """Write the items of the sorted buckets from `first` up to `last` into `order`, by falling value.

    `rows` (n_buckets, 2) receives the number of distinct values and of marked items of each bucket.
    Each key is replaced by a number: 1 if its item is marked, plus 2 if its item is the first one with
    its value.
    """
    n = len(order)
    sign = one_and_sign(bits)[1]
    width = np.uint64(shift)
    whole = bits.itemsize == 4  # the key of a 32-bit value holds all of its bits
    for b in range(first, last):
        distinct = marked = 0
        end = bounds[b + 1]
        while end > bounds[b]:
            start = end - 1
            upper = keys[start] >> width
            while start > bounds[b] and keys[start - 1] >> width == upper:
                start -= 1
            alone = whole or end - start == 1
            if not alone:
                sort_in_full(keys, start, end, shift, bits, kind)
            before = bits[0]
            for r in range(end - start):
                p = end - 1 - r
                item = number_of(keys[p], shift)
                order[n - 1 - p] = item
                new = r == 0
                if not alone:
                    own = ordered(bits[item], sign, kind)
                    new |= own != before
                    before = own
                mark = keys[p] & np.uint64(1)
                distinct += 1 if new else 0
                marked += np.int64(mark)
                keys[p] = mark | (np.uint64(2) if new else np.uint64(0))
            end = start
        rows[b, 0], rows[b, 1] = distinct, marked


@kernel
def write_ties(
    keys: Array, bounds: Array, first: int, last: int, above: Array, starts: Array, places: Array
) -> None:
    """Write where each tie begins, by falling value, and the positions of the marked items.

    `keys` holds the numbers that `order_buckets` wrote; `above` holds the `rows` of `order_buckets`,
    summed over all higher buckets.
    """
    n = len(keys)
    for b in range(first, last):
        m, k = above[b, 0], above[b, 1]
        for p in range(bounds[b + 1] - 1, bounds[b] - 1, -1):
            if keys[p] & np.uint64(2):
                starts[m] = n - 1 - p
                m += 1
            if keys[p] & np.uint64(1):
                places[k] = n - 1 - p
                k += 1


@kernel
def fetch_values(
    values: Array, order: Array, starts: Array, first: int, last: int, thresholds: Array
) -> None:
    """Write the values of the ties from `first` up to `last`; minus zero becomes zero."""
    for m in range(first, last):
        # The values are read in random order, so prefetch them.
        prefetch(values, order[starts[min(m + AHEAD, last - 1)]])
        thresholds[m] = values[order[starts[m]]] + 0.0
