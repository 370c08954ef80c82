"""Spread items over groups, so that each group is sorted and summed on its own.

A group has two buckets, one for the confidences below zero and one for the others, so that the
kernels of `threshold` serve for groups as they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastarac._kernels import FLOAT
from fastarac._kernels._jit import kernel
from fastarac._kernels.threshold import ordered

Array = NDArray[Any]


@kernel
def histogram_groups(
    bits: Array, labels: Array, codes: Array, kind: int, exponent: Any, counts: Array
) -> tuple[bool, int]:
    """Count the items of each half group; returns what `threshold.histogram` returns."""
    one = bits.dtype.type(1)
    sign = one << bits.dtype.type(8 * bits.itemsize - 1)
    bad = False
    seen = np.uint8(0)
    for i in range(len(bits)):
        b = bits[i]
        bad |= (b & exponent) == exponent
        seen |= labels[i]
        upper = np.int64(1) if ordered(b, sign, kind) & sign else np.int64(0)
        counts[2 * np.int64(codes[i]) + upper] += 1
    return bad and kind == FLOAT, np.int64(seen)


@kernel
def scatter_groups(
    bits: Array, labels: Array, codes: Array, kind: int, positions: Array, keys: Array
) -> None:
    """Write each item's key at the next free position of its half group."""
    T = bits.dtype.type
    one = T(1)
    sign = one << T(8 * bits.itemsize - 1)
    for i in range(len(bits)):
        o = ordered(bits[i], sign, kind)
        upper = np.int64(1) if o & sign else np.int64(0)
        c = 2 * np.int64(codes[i]) + upper
        p = positions[c]
        keys[p] = (o << one) | T(labels[i])
        positions[c] = p + 1


@kernel
def encode_groups(values: Array, slots: Array, slot_codes: Array, found: Array, codes: Array) -> int:
    """Number the distinct integers of `values` in the order of their first appearance.

    `slots`, `slot_codes` (-1: empty): a hash table whose size is a power of two; `found` takes the
    distinct values. Returns their number, or -1 where the table is too full to go on.
    """
    mask = len(slots) - 1
    distinct = 0
    for i in range(len(values)):
        value = values[i]
        h = np.uint64(value) & np.uint64(0xFFFFFFFF)
        h ^= np.uint64(value) >> np.uint64(32)
        h = (h & np.uint64(0xFFFFFFFF)) * np.uint64(0x9E3779B1)
        slot = np.int64((h ^ (h >> np.uint64(29))) & np.uint64(mask))
        while slot_codes[slot] >= 0 and slots[slot] != value:
            slot = (slot + 1) & mask
        if slot_codes[slot] < 0:
            if 2 * distinct >= len(slots):
                return -1
            slots[slot] = value
            slot_codes[slot] = distinct
            found[distinct] = value
            distinct += 1
        codes[i] = slot_codes[slot]
    return distinct
