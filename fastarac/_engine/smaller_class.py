"""Count without sorting the larger class, if errors (or correct items) are few.

The range of confidences is divided into small cells. Most cells hold no item of the smaller class; for
their items, it is enough to know how many items of the smaller class are below the cell.
"""

from __future__ import annotations

import math
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastarac import _kernels
from fastarac._engine import parallel, strategy
from fastarac._engine.counts import ThresholdCounts, thresholds_of
from fastarac._engine.pairs import PairCounts

if TYPE_CHECKING:
    from fastarac._engine.inputs import Items

# Cells that become finer towards one end are grouped in 2**OCTAVE_BITS octaves.
OCTAVE_BITS = 5

Array = NDArray[Any]


class Gaps(NamedTuple):
    """Counts of the larger class between the m distinct values of the smaller class.

    Values are unsigned integers, as written by `to_ordered_bits` of the kernels.
    """

    rare_label: int
    rare: Array
    """The m distinct values of the smaller class, rising."""
    rare_counts: NDArray[np.int64]
    """The number of items of the smaller class at each value."""
    ties: NDArray[np.int64]
    """The number of items of the larger class at each value."""
    counts: NDArray[np.int64]
    """The number of items of the larger class between two values, and beyond the ends: (m + 1,)."""
    lowest: Array
    """The least value of the items in each gap; meaningless for an empty gap."""


class SmallerClass(NamedTuple):
    """The items of the smaller class, and a sample of all confidences."""

    label: int
    rare: Array
    """The values of the smaller class, as written by `to_ordered_bits` of the kernels, rising."""
    sample: Array


def _few(items: Items, max_share: float) -> SmallerClass | None:
    """Return the smaller class; None if its share exceeds `max_share` or the items have few values."""
    n, layout = items.n, items.layout
    if not items.direct or items.weight is not None:
        return None
    correct = int(np.count_nonzero(items.correct.view(np.bool_)))
    few = min(correct, n - correct)
    if not 0 < few <= max_share * n:
        return None
    sample = items.sample
    if strategy.has_few_values(sample):
        return None
    label = int(correct < n - correct)
    _, (_, bits, labels) = next(items.chunks(0, n))
    where = np.flatnonzero(labels == label)
    if len(where) != few:  # the bytes of some labels are neither 0 nor 1
        items.reject()
    rare = np.empty(few, layout.bits)
    _kernels.keys.to_ordered_bits(bits[where], layout.kind, rare)
    rare.sort()
    sample = np.ascontiguousarray(sample, layout.values)
    return SmallerClass(label, rare, sample)


def count_around_few(items: Items) -> PairCounts | None:
    """Return the pair counts; None if another method is better."""
    few = _few(items, strategy.sizes.max_share)
    if few is None:
        return None
    cells = _cells(few.rare, few.sample, items, strategy.sizes.pair_cells)
    if cells is None:
        return None
    layout, (ends, table) = items.layout, cells

    def count(share: tuple[int, int]) -> tuple[int, int]:
        _, part = next(items.chunks(*share))
        bad, seen, others, doubled = _kernels.smaller_class.count_below(
            part, layout.kind, layout.exponent, ends, table, few.label, few.rare
        )
        items.check(not_finite=bad, seen_labels=seen)
        return int(others), int(doubled)  # Python integers, because later products exceed 64 bits

    found = parallel.run(count, parallel.shares(items.n))
    others, doubled = (sum(column) for column in zip(*found, strict=True))
    n_rare = len(few.rare)
    if others != items.n - n_rare:
        items.reject()
    if few.label == 0:
        return PairCounts(others, n_rare, doubled)
    return PairCounts(n_rare, others, 2 * n_rare * others - doubled)


def gaps_around_few(items: Items, rare_labels: tuple[int, ...] = (0, 1)) -> Gaps | None:
    """Return counts of the larger class around the smaller one; None if another method is better.

    Return None also if the label of the smaller class is not in `rare_labels`.
    """
    few = _few(items, strategy.sizes.max_corner_share)
    if few is None or few.label not in rare_labels:
        return None
    n, layout, rare_label = items.n, items.layout, few.label
    rare, rare_counts = np.unique(few.rare, return_counts=True)
    cells = _cells(rare, few.sample, items, strategy.sizes.corner_cells)
    if cells is None:
        return None
    ends, table = cells

    def count(share: tuple[int, int]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        _, part = next(items.chunks(*share))
        gaps = np.zeros((len(rare) + 1, 2), np.uint64)
        gaps[:, 1] = np.iinfo(np.uint64).max
        out = gaps, np.zeros(len(rare), np.int64)
        bad, seen = _kernels.smaller_class.count_gaps(
            part, layout.kind, layout.exponent, ends, table, rare_label, rare, out
        )
        items.check(not_finite=bad, seen_labels=seen)
        return out

    found = parallel.run(count, parallel.shares(n))
    counts = np.sum([gaps[:, 0] for gaps, _ in found], axis=0).astype(np.int64)
    ties = np.sum([ties for _, ties in found], axis=0)
    if counts.sum() + ties.sum() != n - len(few.rare):
        items.reject()
    lowest = np.min([gaps[:, 1] for gaps, _ in found], axis=0)
    return Gaps(rare_label, rare, rare_counts, ties, counts, lowest.astype(layout.bits))


def corners_around_few(items: Items) -> ThresholdCounts | None:
    """Return the sweep without thresholds inside runs of correct items; None if errors are many."""
    found = gaps_around_few(items, (0,))
    if found is None:
        return None
    layout, m = items.layout, len(found.rare)
    raw = np.empty(2 * m + 2, layout.bits)
    steps = np.zeros((2, 2 * m + 2), np.int64)
    # From the highest value down, two kinds of steps alternate: the items between the values of two
    # errors, and the items at the value of an error.
    raw[1::2], raw[2::2] = found.lowest[::-1], found.rare[::-1]
    steps[0, 1::2], steps[0, 2::2] = found.counts[::-1], found.ties[::-1]
    steps[1, 2::2] = found.rare_counts[::-1]
    kept = steps[0] + steps[1] > 0
    kept[0] = True
    accepts = np.cumsum(steps[:, kept], axis=1)
    raw = raw[kept]
    _kernels.keys.from_ordered_bits(raw, layout.kind)
    return ThresholdCounts(thresholds_of(raw, layout), *accepts)


def ends_of(low: float, high: float, bits: int, *, linear: bool) -> Any:
    """Return the ends of 2**bits cells for `cells_between`; None if the range is empty or too wide."""
    n_cells = 1 << bits
    with np.errstate(all="ignore"):
        span = np.float64(high) - np.float64(low)
        scale = n_cells / span if linear else np.float64(0.0)
    if not (0.0 < span < math.inf and scale < math.inf):
        return None
    shift = 52 - bits + OCTAVE_BITS
    return low, high, float(scale), shift, int(span.view(np.int64) >> shift) - n_cells + 1


def _cells(rare: Array, sample: Array, items: Items, to_most: tuple[int, int]) -> Any:
    """Return (ends, table) of the kind of cells in which fewer items share a cell with rare items.

    Return None if these items are still too many. `to_most` holds the number of cells per rare item,
    and the logarithm (base 2) of the maximum number of cells.
    """
    some = rare.copy()
    _kernels.keys.from_ordered_bits(some, items.layout.kind)
    some = some.view(items.layout.values)
    maps = [_map(some, sample, to_most, linear=linear) for linear in (True, False)]
    shared, ends, table = min(maps, key=itemgetter(0))
    return (ends, table) if shared <= strategy.sizes.max_shared else None


def _map(
    rare: Array, sample: Array, to_most: tuple[int, int], *, linear: bool
) -> tuple[float, Any, Array]:
    """Return (share of the sample in cells with rare items, ends, table) of one kind of cells."""
    kernels = _kernels.smaller_class
    low, high = float(min(rare.min(), sample[0])), float(max(rare.max(), sample[-1]))
    bits = min(to_most[1], (to_most[0] * len(rare)).bit_length())
    ends = ends_of(low, high, bits, linear=linear)
    if ends is None:
        return math.inf, ends, rare
    table = np.empty((1 << bits) + 1, np.int32)
    kernels.fill_table(rare, ends, table)
    cells = np.empty(len(sample), np.int32)
    kernels.cells_between(sample, ends, 1 << bits, cells)
    return np.count_nonzero(table[cells] & 1) / len(cells), ends, table
