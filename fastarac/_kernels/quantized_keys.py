"""Sort items by confidences quantized to 32 bits; this takes half the time of sorting 64 bits.

The range of the values is divided into `N_QUANTIZED` cells (see `smaller_class.cells_between`). A key
is the cell of an item, shifted left by one, with the label in the lowest bit. The few cells that hold
both correct and incorrect items are marked, and their items are sorted by all of their bits. The number
of `marks` is a power of two; the last bits of a cell's number select its mark, so that neighbouring
cells have different marks.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fastarac._kernels._intrinsics import prefetch
from fastarac._kernels._jit import Array, kernel
from fastarac._kernels.codes import FLOAT
from fastarac._kernels.smaller_class import BLOCK, cells_between

QUANTIZED_BITS = 31
N_QUANTIZED = 1 << QUANTIZED_BITS
# Number of keys per cache line. The next line of a bucket is prefetched before it is written to.
LINE = 16
RANGE_BITS = 20  # Logarithm (base 2) of the number of keys in a range; there are 4,096 ranges.
FEW_MARKS = 8  # Maximum number of marks that each key is compared with one by one.


@kernel
def encode_quantized(
    part: Any, kind: int, exponent: Any, ends: Any, keys: Array, buckets: Array, counts: Array
) -> tuple[bool, int]:
    """Write the keys of the items in `part`, which holds values, bits of the values, and labels.

    Return whether a float is not finite, and the bitwise OR of the labels. If `counts` has more than
    one entry, add to it the number of keys in each bucket; `buckets` holds the bucket of each range of
    2**`RANGE_BITS` keys.
    """
    values, bits, labels = part
    bad = False
    seen = np.uint8(0)
    cells = np.empty(BLOCK, np.int32)
    for start in range(0, len(bits), BLOCK):
        b = bits[start : start + BLOCK]
        label = labels[start : start + BLOCK]
        target = keys[start : start + BLOCK]
        cells_between(values[start : start + BLOCK], ends, N_QUANTIZED, cells)
        for i in range(len(b)):
            bad |= (b[i] & exponent) == exponent
            seen |= label[i]
            target[i] = (np.uint32(cells[i]) << np.uint32(1)) | np.uint32(label[i])
        if len(counts) > 1:
            for i in range(len(b)):
                counts[buckets[target[i] >> np.uint32(RANGE_BITS)]] += 1
    return bad and kind == FLOAT, np.int64(seen)


@kernel
def copy_to_buckets(keys: Array, buckets: Array, positions: Array, moved: Array) -> None:
    """Copy the keys into their buckets; `positions` holds where the next key of each bucket goes."""
    for i in range(len(keys)):
        bucket = buckets[keys[i] >> np.uint32(RANGE_BITS)]
        position = positions[bucket]
        positions[bucket] = position + 1
        moved[position] = keys[i]
        prefetch(moved, position + LINE)


@kernel
def count_quantized(
    keys: Array, bounds: Array, first: int, last: int, results: Array, marks: Array
) -> None:
    """Write counts of each sorted bucket from `first` up to `last`, and mark the shared cells.

    A row of `results` holds: cells shared by correct and incorrect items; correct items; incorrect
    items; doubled pairs. In a shared cell, correct items are counted as above the incorrect ones.
    """
    one = np.uint32(1)
    last_mark = np.uint32(len(marks) - 1)
    for b in range(first, last):
        part = keys[bounds[b] : bounds[b + 1]]
        correct = 0
        positions = 0  # the sum of the positions of the correct items
        for i in range(len(part)):
            label = np.int64(part[i] & one)
            correct += label
            positions += label * i
        row = results[b]
        row[0] = 0
        row[1] = correct
        row[2] = len(part) - correct
        # `positions` also counts pairs of two correct items: subtract correct·(correct − 1)/2, twice.
        row[3] = 2 * positions - correct * (correct - 1)
        for start in range(1, len(part), BLOCK):
            upper = part[start : start + BLOCK]
            lower = part[start - 1 : start - 1 + len(upper)]
            shared = 0
            for i in range(len(upper)):
                shared += 1 if upper[i] ^ lower[i] == one else 0
            row[0] += shared
            for i in range(len(upper) if shared else 0):
                if upper[i] ^ lower[i] == one:
                    marks[(upper[i] >> one) & last_mark] = 1


@kernel
def pick(keys: Array, marks: Array, marked: Array, numbers: Array) -> int:
    """Write the indices of the keys whose cell is marked; a byte of `marks` holds eight marks.

    Return the number of indices, or -1 as soon as `numbers` is full. `marked` holds the numbers of the
    set marks.
    """
    last_mark = np.uint32(8 * len(marks) - 1)
    n = 0
    hits = np.empty(BLOCK, np.uint8)
    some = hits.view(np.uint64)  # view for checking eight bytes at a time, because hits are rare
    for start in range(0, len(keys), BLOCK):
        block = keys[start : start + BLOCK]
        hits[:] = 0
        if len(marked) <= FEW_MARKS:
            for j in range(len(marked)):
                for i in range(len(block)):
                    hits[i] |= (block[i] >> np.uint32(1)) & last_mark == marked[j]
        else:
            for i in range(len(block)):
                mark = (block[i] >> np.uint32(1)) & last_mark
                hits[i] = (marks[mark >> np.uint32(3)] >> (mark & np.uint32(7))) & np.uint32(1)
        for group in range(len(some)):
            if some[group] != 0:
                for i in range(8 * group, 8 * group + 8):
                    if hits[i]:
                        if n == len(numbers):
                            return -1
                        numbers[n] = start + i
                        n += 1
    return n
