"""Quantized keys for confidences of 64 bits: sort 32 bits instead, if few items are tied.

Only correct and incorrect items that share a key are compared by all of their bits.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fastarac import _kernels
from fastarac._core.results import read_only
from fastarac._engine import parallel, strategy
from fastarac._engine.buckets import (
    halves_of,
    over_buckets,
    pairs_of_rows,
    shares_of_keys,
    sort_buckets,
    starts_of,
)
from fastarac._engine.smaller_class import ends_of

if TYPE_CHECKING:
    from fastarac._engine.inputs import Items
    from fastarac._engine.pairs import PairCounts

Array = NDArray[Any]


def count_quantized(items: Items) -> PairCounts | None:
    """Return the pair counts by sorting quantized keys; None if too many items share a key."""
    kernels = _kernels.quantized_keys
    layout = items.layout
    sample = items.sample.astype(layout.values)
    ends = ends_of_cells(items, sample)
    if ends is None:
        return None
    keys, moved, bounds = keys_in_buckets(items, ends, sample)
    marks = new_marks(items.n)
    if len(bounds) == 2:
        buckets = halves_of(moved, 0, by_numpy=True)
        rows = np.empty((len(buckets.bounds) - 1, 4), np.int64)
        sort_buckets(buckets, kernels.count_quantized, rows, marks)
    else:
        rows = np.empty((len(bounds) - 1, 4), np.int64)

        def step(first: int, last: int) -> None:
            for b in range(first, last):
                moved[bounds[b] : bounds[b + 1]].sort()
            kernels.count_quantized(moved, bounds, first, last, rows, marks)

        over_buckets(len(rows), items.n, lambda: step)
    pairs = pairs_of_rows(rows)
    if not rows[:, 0].any():
        return pairs
    picked = pick_marked(items, keys, marks)
    if picked is None:
        return None
    bits, labels, keys = picked
    keys.sort()
    kernels.count_quantized(keys, np.array([0, len(keys)]), 0, 1, rows, marks)
    exactly = _kernels.ties.small_pairs(bits, labels, layout.kind, layout.exponent)[4]
    return pairs._replace(doubled_pairs=pairs.doubled_pairs + int(exactly) - int(rows[0, 3]))


def ends_of_cells(items: Items, sample: Array) -> Any:
    """Return the `ends` argument of `cells_between`; None if too many items would share a cell.

    If there are at most `exact_ends` items, the first and last value of `sample` are replaced by the
    extremes of all confidences.
    """
    sizes = strategy.sizes
    # Quantization only saves time for confidences of 64 bits.
    if items.layout.bits.itemsize != 8 or items.n > sizes.max_quantized:
        return None
    if items.n <= sizes.exact_ends:
        sample[0], sample[-1] = items.confidence.min(), items.confidence.max()
    kernels = _kernels.quantized_keys
    cells = np.empty(len(sample), np.int32)
    for linear in (True, False):
        ends = ends_of(float(sample[0]), float(sample[-1]), kernels.QUANTIZED_BITS, linear=linear)
        if ends is None:
            return None
        _kernels.smaller_class.cells_between(sample, ends, kernels.N_QUANTIZED, cells)
        differ = cells[1:] ^ cells[:-1]
        alike = len(differ) - np.count_nonzero(differ >> (kernels.QUANTIZED_BITS - sizes.look_bits))
        if alike <= sizes.max_alike * len(differ):
            repeats = len(differ) - np.count_nonzero(differ)
            return ends if repeats <= sizes.max_repeats else None
    return None


def keys_in_buckets(
    items: Items, ends: Any, sample: Array
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.int64]]:
    """Return the keys in the order of the items, the keys in buckets, and the bounds of the buckets."""
    kernels, layout = _kernels.quantized_keys, items.layout
    keys = np.empty(items.n, strategy.QUANTIZED_KEY)
    buckets, n_buckets = _ranges(items, ends, sample)
    shares = shares_of_keys(items.n)
    counts = np.zeros((len(shares), n_buckets), np.int64)

    def encode(index: int) -> None:
        for offset, part in items.chunks(*shares[index]):
            own = keys[offset : offset + len(part[0])]
            bad, seen = kernels.encode_quantized(
                part, layout.kind, layout.exponent, ends, own, buckets, counts[index]
            )
            items.check(not_finite=bad, seen_labels=seen)

    parallel.run(encode, range(len(shares)))
    if n_buckets == 1:
        return keys, keys.copy(), np.array([0, items.n])
    bounds, positions = starts_of(counts)
    moved = np.empty_like(keys)

    def move(index: int) -> None:
        kernels.copy_to_buckets(keys[slice(*shares[index])], buckets, positions[index], moved)

    parallel.run(move, range(len(shares)))
    return keys, moved, bounds


def _ranges(items: Items, ends: Any, sample: Array) -> tuple[NDArray[np.uint16], int]:
    """Return the bucket of each range of keys, and the number of buckets, which have similar sizes."""
    sizes = strategy.sizes
    if items.n < sizes.quantized_spread:
        return np.empty(0, np.uint16), 1
    n_buckets = min(sizes.max_quantized_buckets, items.n // sizes.quantized_buckets_of)
    kernels = _kernels.quantized_keys
    cells = np.empty(len(sample), np.int32)
    _kernels.smaller_class.cells_between(sample, ends, kernels.N_QUANTIZED, cells)
    n_ranges = 1 << (32 - kernels.RANGE_BITS)
    filled = np.bincount(cells >> (kernels.RANGE_BITS - 1), minlength=n_ranges)
    below = np.cumsum(filled) - filled
    return (below * n_buckets // len(sample)).astype(np.uint16), n_buckets


def new_marks(n: int) -> NDArray[np.uint8]:
    """Return flags, all 0; the kernel sets the flag of a cell with both labels to 1.

    There is one flag per few of the `n` items, so several cells share a flag.
    """
    sizes = strategy.sizes
    bits = min(sizes.max_mark_bits, max(3, n.bit_length() - sizes.mark_items))
    return np.zeros(1 << bits, np.uint8)


def pick_marked(
    items: Items, keys: NDArray[np.uint32], marks: NDArray[np.uint8]
) -> tuple[Array, NDArray[np.uint8], NDArray[np.uint32]] | None:
    """Return bits, labels and keys of the items in flagged cells; None if there are too many."""
    sizes = strategy.sizes
    packed = np.packbits(marks, bitorder="little")
    marked = np.flatnonzero(marks).astype(np.uint32)

    def pick(share: tuple[int, int]) -> list[tuple[Array, Array]] | None:
        parts = []
        for offset, (_, bits, _) in items.chunks(*share):
            part = keys[offset : offset + len(bits)]
            numbers = np.empty(sizes.min_picked + int(sizes.max_picked * len(bits)), np.int64)
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
    # Read-only like the chunks of items: for writable arrays, numba would compile another version.
    return read_only(bits), read_only(labels), keys
