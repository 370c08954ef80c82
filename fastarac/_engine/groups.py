"""Pair counts within many groups at once, by sorting blocks of groups instead of single groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fastarac import _kernels
from fastarac._engine import parallel, strategy
from fastarac._engine.buckets import over_buckets, starts_of

if TYPE_CHECKING:
    from fastarac._engine.inputs import Items

Array = NDArray[Any]


def count_pairs_of_groups(items: Items, codes: Array, n_groups: int) -> NDArray[np.int64]:
    """Return the pair counts of every group: an array of shape (n_groups, 3)."""
    groups = _kernels.groups
    layout = items.layout
    sizes = strategy.sizes
    n_blocks = max(1, min(sizes.max_blocks, items.n // sizes.blocks_of))
    shift = min(((n_groups - 1) // n_blocks).bit_length(), sizes.max_block_shift)
    n_blocks = ((n_groups - 1) >> shift) + 1
    shares = parallel.shares(items.n)
    counts = np.zeros((len(shares), n_blocks), np.int64)

    def count(index: int) -> None:
        first, last = shares[index]
        groups.histogram_blocks(codes[first:last], shift, counts[index])

    parallel.run(count, range(len(shares)))
    bounds, positions = starts_of(counts)
    ends = positions + counts
    keys = np.empty(items.n, layout.bits)
    halves = np.empty(items.n, np.uint16)

    def move(index: int) -> None:
        for offset, (_, bits, labels) in items.chunks(*shares[index]):
            bad, seen = groups.scatter_blocks(
                bits, labels, codes[offset : offset + len(bits)], shift, layout.kind,
                layout.exponent, positions[index], keys, halves,
            )  # fmt: skip
            items.check(not_finite=bad, seen_labels=seen)

    parallel.run(move, range(len(shares)))
    if not np.array_equal(positions, ends):
        items.reject()
    pairs = np.empty((n_groups, 3), np.int64)

    def step(first: int, last: int) -> None:
        groups.pairs_of_blocks(keys, halves, bounds, first, last, shift, pairs)

    over_buckets(n_blocks, items.n, lambda: step)
    return pairs
