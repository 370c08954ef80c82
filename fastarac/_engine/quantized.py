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
from fastarac._engine import parallel
from fastarac._engine.counting import starts_of
from fastarac._engine.smaller_class import ends_of

if TYPE_CHECKING:
    from fastarac._engine.inputs import Items

Array = NDArray[Any]

PLACE = np.dtype(np.uint32)  # of a key
LOOK_BITS = 16  # of a place, by which those of a sample are compared
MAX_ALIKE = 1 / 8  # of them, next to one that is the same in these bits
MAX_REPEATS = 2  # of them, at the same place as another
EXACT_ENDS = 1 << 19  # up to so many items the places are between the least and the greatest value
MAX_MARK_BITS = 22
MAX_ITEMS = 1 << 26  # with more, too many share a place whatever their distribution
MARK_ITEMS = 4  # the logarithm of how many items there are to a mark
MAX_PICKED = 1 / 8  # of the items
MIN_PICKED = 64
TWO_THREADS = 1 << 19  # from so many on, keys that numpy sorts are made by several threads
SPREAD = 1 << 20  # from so many on, keys are spread over buckets before they are sorted
BUCKET = 1 << 15  # items that a bucket aims at
MAX_BUCKETS = 1 << 8


def ends_of_places(items: Items, sample: Array) -> Any:
    """Ends of the places for `cells_between`; None where too many items would share one.

    `sample`: some of the confidences, in rising order.
    """
    if items.layout.bits.itemsize != 8 or items.n > MAX_ITEMS:  # keys of 4 bytes are no longer
        return None
    sample = np.ascontiguousarray(sample, items.layout.values)
    if items.n <= EXACT_ENDS:
        sample[0], sample[-1] = items.confidence.min(), items.confidence.max()
    kernels = _kernels.quantized_keys
    cells = np.empty(len(sample), np.int32)
    for linear in (True, False):
        ends = ends_of(float(sample[0]), float(sample[-1]), kernels.PLACE_BITS, linear=linear)
        if ends is None:
            return None
        _kernels.smaller_class.cells_between(sample, ends, kernels.N_PLACES, cells)
        differ = cells[1:] ^ cells[:-1]
        alike = len(differ) - np.count_nonzero(differ >> (kernels.PLACE_BITS - LOOK_BITS))
        if alike <= MAX_ALIKE * len(differ):
            repeats = len(differ) - np.count_nonzero(differ)
            return ends if repeats <= MAX_REPEATS else None
    return None


def places_in_buckets(
    items: Items, ends: Any, sample: Array
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.int64]]:
    """The keys of the items in their order, the same in buckets of rising place, and their bounds."""
    kernels, layout = _kernels.quantized_keys, items.layout
    keys = np.empty(items.n, PLACE)
    buckets, n_buckets = _ranges(sample, ends, items.n)
    shares = shares_of_keys(items.n)
    counts = np.zeros((len(shares), n_buckets), np.int64)

    def encode(index: int) -> None:
        for offset, values, bits, labels in items.chunks(*shares[index]):
            bad, seen = kernels.encode_places(
                values, bits, labels, layout.kind, layout.exponent, ends,
                keys[offset : offset + len(bits)], buckets, counts[index],
            )  # fmt: skip
            items.check(not_finite=bad, seen_labels=seen)

    parallel.run(encode, range(len(shares)))
    if n_buckets == 1:
        return keys, keys.copy(), np.array([0, items.n])
    bounds, positions = starts_of(counts)
    moved = np.empty_like(keys)

    def move(index: int) -> None:
        kernels.spread(keys[slice(*shares[index])], buckets, positions[index], moved)

    parallel.run(move, range(len(shares)))
    return keys, moved, bounds


def _ranges(sample: Array, ends: Any, n: int) -> tuple[NDArray[np.uint16], int]:
    """The bucket of each range of keys, and the number of buckets, of about the same size."""
    if n < SPREAD:
        return np.empty(0, np.uint16), 1
    n_buckets = min(MAX_BUCKETS, n // BUCKET)
    kernels = _kernels.quantized_keys
    cells = np.empty(len(sample), np.int32)
    _kernels.smaller_class.cells_between(sample, ends, kernels.N_PLACES, cells)
    n_ranges = 1 << (32 - kernels.RANGE_BITS)
    filled = np.bincount(cells >> (kernels.RANGE_BITS - 1), minlength=n_ranges)
    below = np.cumsum(filled) - filled
    return (below * n_buckets // len(sample)).astype(np.uint16), n_buckets


def shares_of_keys(n: int) -> list[tuple[int, int]]:
    """Who makes the keys that numpy sorts."""
    return parallel.shares(n) if n >= TWO_THREADS else [(0, n)]


def new_marks(n: int) -> NDArray[np.uint8]:
    """No marks yet, for the places of n items."""
    return np.zeros(1 << min(MAX_MARK_BITS, max(3, n.bit_length() - MARK_ITEMS)), np.uint8)


def pick_marked(
    items: Items, keys: NDArray[np.uint32], marks: NDArray[np.uint8]
) -> tuple[Array, NDArray[np.uint8], NDArray[np.uint32]] | None:
    """Bits, labels and keys of the items at marked places; None where they are too many."""
    packed = np.packbits(marks, bitorder="little")
    marked = np.flatnonzero(marks).astype(np.uint32)

    def pick(share: tuple[int, int]) -> list[tuple[Array, Array]] | None:
        parts = []
        for offset, _, bits, _ in items.chunks(*share):
            part = keys[offset : offset + len(bits)]
            numbers = np.empty(MIN_PICKED + int(MAX_PICKED * len(bits)), np.int64)
            n = _kernels.quantized_keys.pick(part, packed, marked, numbers)
            if n < 0:
                return None
            parts.append((bits[numbers[:n]], part[numbers[:n]]))
        return parts

    found = parallel.run(pick, parallel.shares(items.n))
    picked = [parts for parts in found if parts is not None]
    if len(picked) < len(found):
        return None
    bits, keys = map(np.concatenate, zip(*chain.from_iterable(picked), strict=True))
    labels = (keys & 1).astype(np.uint8)
    for array in (bits, labels):
        array.flags.writeable = False  # as those of all items: one type for the compiler
    return bits, labels, keys
