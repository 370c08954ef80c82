"""Places for confidences of 64 bits: a sort of half the bits, where hardly any two share a place.

A double says more than it takes to order some million items. Only those at places that correct and
incorrect items share are looked at in full.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fastarac import _kernels
from fastarac._core import parallel
from fastarac._core.minority import ends_of

if TYPE_CHECKING:
    from fastarac._core.inputs import Items

Array = NDArray[Any]

LOOK_BITS = 16  # of a place, by which those of a sample are compared
MAX_ALIKE = 1 / 8  # of them, next to one that is the same in these bits
MAX_REPEATS = 2  # of them, at the same place as another
EXACT_ENDS = 1 << 19  # up to so many items the places are between the least and the greatest value
MAX_MARK_BITS = 22
MAX_ITEMS = 1 << 26  # with more, too many share a place whatever their distribution
MARK_ITEMS = 4  # the logarithm of how many items there are to a mark
MAX_PICKED = 1 / 8  # of the items
MIN_PICKED = 64


def ends_of_places(items: Items, sample: Array) -> Any:
    """Ends of the places for `cells_between`; None where too many items would share one.

    `sample`: some of the confidences, in rising order.
    """
    if items.layout.bits.itemsize != 8 or items.n > MAX_ITEMS:  # keys of 4 bytes are no longer
        return None
    sample = np.ascontiguousarray(sample, items.layout.values)
    if items.n <= EXACT_ENDS:
        sample[0], sample[-1] = items.confidence.min(), items.confidence.max()
    kernels = _kernels.places
    cells = np.empty(len(sample), np.int32)
    for linear in (True, False):
        ends = ends_of(float(sample[0]), float(sample[-1]), kernels.PLACE_BITS, linear=linear)
        if ends is None:
            return None
        _kernels.minority.cells_between(sample, ends, kernels.N_PLACES, cells)
        differ = cells[1:] ^ cells[:-1]
        alike = len(differ) - np.count_nonzero(differ >> (kernels.PLACE_BITS - LOOK_BITS))
        if alike <= MAX_ALIKE * len(differ):
            repeats = len(differ) - np.count_nonzero(differ)
            return ends if repeats <= MAX_REPEATS else None
    return None


def new_marks(n: int) -> NDArray[np.uint8]:
    """No marks yet, for the places of n items."""
    return np.zeros(1 << min(MAX_MARK_BITS, max(0, n.bit_length() - MARK_ITEMS)), np.uint8)


def pick_marked(
    items: Items, ends: Any, marks: NDArray[np.uint8]
) -> tuple[Array, Array, NDArray[np.uint32]] | None:
    """Bits, labels and keys of the items at marked places; None where they are too many."""

    def pick(share: tuple[int, int]) -> list[tuple[Array, Array, Array]] | None:
        parts = []
        for _, values, bits, labels in items.chunks(*share):
            room = MIN_PICKED + int(MAX_PICKED * len(labels))
            numbers = np.empty(room, np.int64)
            keys = np.empty(room, np.uint32)
            n = _kernels.places.pick(values, labels, ends, marks, numbers, keys)
            if n < 0:
                return None
            parts.append((bits[numbers[:n]], labels[numbers[:n]], keys[:n]))
        return parts

    found = parallel.run(pick, parallel.shares(items.n))
    picked = [parts for parts in found if parts is not None]
    if len(picked) < len(found):
        return None
    bits, labels, keys = map(np.concatenate, zip(*chain.from_iterable(picked), strict=True))
    for array in (bits, labels):
        array.flags.writeable = False  # as those of all items: one type for the compiler
    return bits, labels, keys
