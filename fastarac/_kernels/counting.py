"""Count the items of each confidence instead of sorting them, if there are few distinct confidences."""

from __future__ import annotations

from typing import Any

import numpy as np

from fastarac._kernels._jit import Array, kernel, linear_kernel

TABLE_BITS = 15
N_SLOTS = 1 << TABLE_BITS
MAX_DISTINCT = 1 << 12
NONE = MAX_DISTINCT  # value that marks an empty slot of the hash table
BLOCK = 1 << 11  # Number of items processed together, so that they stay in the cache.


@kernel
def home_of(value: Any) -> int:
    """Return the slot of the hash table where the search for `value` begins."""
    h = (np.uint64(value) ^ (np.uint64(value) >> np.uint64(32))) & np.uint64(0xFFFFFFFF)
    h = (h * np.uint64(0x9E3779B1)) >> np.uint64(13)  # the product is below 2**64
    return np.int64((h ^ (h >> np.uint64(TABLE_BITS))) & np.uint64(N_SLOTS - 1))


@kernel
def count_items(
    bits: Array, labels: Array, is_float: bool, exponent: Any, table: Any, distinct: int
) -> tuple[bool, int, int]:
    """Add the items to the counts of their values; the table already holds `distinct` values.

    In `table` = (slots, values, counts), `slots` (N_SLOTS,) holds indices into `values`, or NONE;
    `counts` is (MAX_DISTINCT + 1, 2). Return (1) whether a float is not finite, (2) the bitwise OR of
    the labels, (3) the number of distinct values, or -1 as soon as there are too many.
    """
    slots, values, counts = table
    T = bits.dtype.type
    sign = T(1) << T(8 * bits.itemsize - 1)
    bad = False
    seen = np.uint8(0)
    block = np.empty(BLOCK, bits.dtype)
    homes = np.empty(BLOCK, np.uint16)
    missed = np.empty(BLOCK, np.int32)
    for start in range(0, len(bits), BLOCK):
        b = bits[start : start + BLOCK]
        label = labels[start : start + BLOCK]
        for i in range(len(b)):
            value = b[i] ^ b[i] if is_float and b[i] == sign else b[i]
            bad |= (value & exponent) == exponent
            seen |= label[i]
            block[i] = value
            homes[i] = home_of(value)
        n_missed = 0
        for i in range(len(b)):
            number = slots[homes[i]]
            found = (number != NONE) & (values[number] == block[i])
            counts[number, label[i] & np.uint8(1)] += 1 if found else 0
            missed[n_missed] = i
            n_missed += 0 if found else 1
        for m in range(n_missed):
            i = missed[m]
            slot = np.int64(homes[i])
            while slots[slot] != NONE and values[slots[slot]] != block[i]:
                slot = (slot + 1) & (N_SLOTS - 1)
            if slots[slot] == NONE:
                if distinct == MAX_DISTINCT:
                    return bad and is_float, np.int64(seen), -1
                slots[slot] = distinct
                values[distinct] = block[i]
                distinct += 1
            counts[slots[slot], label[i] & np.uint8(1)] += 1
    return bad and is_float, np.int64(seen), distinct


@linear_kernel
def doubled_area(x: Array, y: Array) -> int:
    """Return twice the area under the polygonal line through integer points."""
    total = np.int64(0)
    for i in range(1, len(x)):
        total += (x[i] - x[i - 1]) * (y[i] + y[i - 1])
    return total


@kernel
def error_points(
    true_accepts: Array, false_accepts: Array, total: float, right: bool, start: int, stop: int,
    x: Array, y: Array,
) -> None:  # fmt: skip
    """Write each point's acceptance rate and error rate, or 1 minus the error rate if `right`."""
    for i in range(start, stop):
        x[i] = float(true_accepts[i] + false_accepts[i]) / total
        wrong = float(false_accepts[i])
        y[i] = (total - wrong if right else wrong) / total


@kernel
def share_points(
    counts: Array, others: Array, total: float, rejected: bool, start: int, stop: int,
    x: Array, y: Array,
) -> None:  # fmt: skip
    """Write x = acceptance rate (or rejection rate if `rejected`) and y = counts/(counts + others)."""
    for i in range(max(start, 1), stop):
        accepted = float(counts[i] + others[i])
        x[i] = (total - accepted if rejected else accepted) / total
        y[i] = float(counts[i]) / accepted
    if start == 0:  # 0/0 at the first point, so use the share at the next point
        x[0] = 1.0 if rejected else 0.0
        y[0] = float(counts[1]) / float(counts[1] + others[1])
