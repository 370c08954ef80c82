"""Number the distinct labels (integers, or rows of several machine words) without sorting them."""

from __future__ import annotations

from typing import Any

import numpy as np

from fastarac._kernels._jit import Array, kernel


@kernel
def number_range(values: Array, lowest: Any, codes: Array, present: Array) -> bool:
    """Number integers by their distance from `lowest`, and set `present` at the numbers that occur.

    Return False if a value is out of range; another thread must then have changed `values`.
    """
    for i in range(len(values)):
        code = np.uint64(values[i] - lowest)
        if code >= np.uint64(len(present)):
            return False
        codes[i] = np.int64(code)
        present[np.int64(code)] = True
    return True


@kernel
def encode_groups(values: Array, slots: Array, slot_codes: Array, found: Array, codes: Array) -> int:
    """Number the distinct integers of `values` in the order of their first appearance; return how many.

    Return -1 if the table becomes too full. `slots` and `slot_codes` (-1: empty) are a hash table whose
    size is a power of two; `found` receives the distinct values.
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


@kernel
def encode_rows(words: Array, slots: Array, examples: Array, codes: Array) -> int:
    """Number the distinct rows of `words` in the order of their first appearance; return how many.

    Return -1 if the table becomes too full. `slots` (-1: empty) is a hash table of numbers whose size
    is a power of two; `examples` receives, for each number, the index of a row.
    """
    n, width = words.shape
    mask = len(slots) - 1
    low = np.uint64(0xFFFFFFFF)
    distinct = 0
    for i in range(n):
        h = np.uint64(0)
        for k in range(width):
            word = words[i, k]
            h = (
                ((h ^ word) & low) * np.uint64(0x9E3779B1)
                ^ (h >> np.uint64(32))
                ^ (word >> np.uint64(32))
            )
        slot = np.int64((h ^ (h >> np.uint64(29))) & np.uint64(mask))
        code = slots[slot]
        while code >= 0:
            same = True
            for k in range(width):
                same &= words[examples[code], k] == words[i, k]
            if same:
                break
            slot = (slot + 1) & mask
            code = slots[slot]
        if code < 0:
            if 2 * distinct >= len(slots):
                return -1
            code = distinct
            slots[slot] = code
            examples[code] = i
            distinct += 1
        codes[i] = code
    return distinct
