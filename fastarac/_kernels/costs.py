"""Number labels that take several machine words, without sorting them."""

from __future__ import annotations

import numpy as np

from fastarac._kernels._jit import Array, kernel


@kernel
def encode_rows(words: Array, slots: Array, examples: Array, codes: Array) -> int:
    """Number the distinct rows of `words` in the order of their first appearance.

    `slots` (-1: empty): a hash table of numbers whose size is a power of two; `examples` takes a row's
    index for each number. Returns how many there are, or -1 where the table is too full to go on.
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
