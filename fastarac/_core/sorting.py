"""Drives the kernels: from items to pair counts, or to the arrays of a sweep.

Three ways lead there, chosen by a sample of the confidences: few items are sorted by one kernel in
one go; few distinct values are counted; everything else is spread over buckets that fit the cache,
and the buckets are sorted by several threads. All give the same numbers to the last bit.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastarac import _kernels
from fastarac._core import parallel
from fastarac._core.inputs import CHUNK
from fastarac._kernels.codes import FLOAT

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastarac._core.inputs import Items

Array = NDArray[Any]
Exact = int | Fraction

SINGLE = CHUNK  # up to so many items are read as one chunk and sorted as one bucket
BUCKET = 1 << 13  # items that a bucket aims at
MAX_BUCKETS = 1 << 10
SAMPLE = 1 << 12
TASK = 8  # buckets that a thread takes at a time
BLOCK = 1 << 15  # items that a block of groups aims at
MAX_BLOCKS = 1 << 9
MAX_BLOCK_SHIFT = 15  # a half group of a block is numbered in 16 bits


NO_WEIGHTS = np.empty(0)
NO_WEIGHTS.flags.writeable = False  # as the weights are: one type for the compiler


class PairCounts(NamedTuple):
    """All that an area of the ARAC or the ROC curve needs, without rounding.

    Integers; fractions where the items are weighted.
    """

    correct: Exact
    incorrect: Exact
    doubled_pairs: Exact
    """Weight of the pairs with the correct item above, twice, and of the tied pairs, once."""


class SweepArrays(NamedTuple):
    """Thresholds from +inf downwards, and the accepted correct and incorrect items at each."""

    thresholds: Array
    true_accepts: Array
    false_accepts: Array


class Buckets(NamedTuple):
    """Keys in buckets of rising value; the first half of the buckets is below zero."""

    keys: Array
    bounds: NDArray[np.int64]
    weights: Array  # empty where the items are not weighted


class SortedItems(NamedTuple):
    """Sorted buckets of items without weights."""

    keys: Array
    bounds: NDArray[np.int64]
    above: NDArray[np.int64]
    """Correct and incorrect items above each bucket, of shape (n_buckets, 2)."""
    correct: int
    incorrect: int


def count_pairs(items: Items) -> PairCounts:
    """Count the pairs of one correct and one incorrect item by their order."""
    if items.weight is not None:
        return _count_weighted_pairs(items)
    if items.n <= SINGLE:
        _, _, bits, labels = next(items.chunks(0, items.n))
        bad, seen, correct, incorrect, doubled = _kernels.threshold.small_pairs(
            bits, labels, items.layout.kind, items.layout.exponent
        )
        items.check(not_finite=bad, seen_labels=seen)
        return PairCounts(int(correct), int(incorrect), int(doubled))
    buckets = count_or_spread(items)
    if isinstance(buckets, SweepArrays):
        return pairs_of_sweep(buckets)
    results = np.empty((len(buckets.bounds) - 1, 3), np.int64)
    sort_buckets(buckets, _kernels.threshold.pairs_of_buckets, results)
    correct = incorrect = doubled = 0
    for p, q, pairs in results.tolist():
        doubled += pairs + 2 * p * incorrect
        correct += p
        incorrect += q
    return PairCounts(correct, incorrect, doubled)


def pairs_of_sweep(arrays: SweepArrays) -> PairCounts:
    """`count_pairs` from the arrays of a sweep."""
    _, true_accepts, false_accepts = arrays
    correct, incorrect = true_accepts[-1].item(), false_accepts[-1].item()
    doubled = doubled_area(false_accepts, true_accepts)
    if true_accepts.dtype == np.int64:
        return PairCounts(correct, incorrect, doubled)
    return PairCounts(Fraction(correct), Fraction(incorrect), doubled)


def doubled_area(x: Array, y: Array) -> Exact:
    """Twice the area under the line through the points (x, y), both of them rising from 0 or more.

    Exact for integers; a fraction within 1e-15 of it for floats.
    """
    if x.dtype == np.int64:
        if x[-1].item() * y[-1].item() < 1 << 61:
            return int(_kernels.counting.doubled_area(x, y))
        a: list[int] = x.tolist()
        b: list[int] = y.tolist()
        return sum((a[i] - a[i - 1]) * (b[i] + b[i - 1]) for i in range(1, len(a)))
    scale = scale_of(max(x[-1], y[-1]))
    high, low = _kernels.weighted.doubled_area(x, y, scale)
    return (Fraction(high) + Fraction(low)) / Fraction(scale) ** 2


def sweep_arrays(items: Items) -> SweepArrays:
    """Return every threshold with the counts at it."""
    if items.weight is not None:
        return _weighted_sweep(items, plan_buckets(items))
    if items.n <= SINGLE:
        _, _, bits, labels = next(items.chunks(0, items.n))
        bad, seen, raw, true_accepts, false_accepts = _kernels.threshold.small_sweep(
            bits, labels, items.layout.kind, items.layout.exponent
        )
        items.check(not_finite=bad, seen_labels=seen)
        return SweepArrays(_thresholds(raw, items), true_accepts, false_accepts)
    buckets = count_or_spread(items)
    if isinstance(buckets, SweepArrays):
        return buckets
    n_buckets = len(buckets.bounds) - 1
    results = np.empty((n_buckets, 3), np.int64)
    sort_buckets(buckets, _kernels.threshold.values_of_buckets, results)
    starts = _above(results) + np.array([1, 0, 0])
    size = 1 + int(results[:, 0].sum())
    raw = np.empty(size, items.layout.bits)
    true_accepts = np.empty(size, np.int64)
    false_accepts = np.empty(size, np.int64)
    true_accepts[0] = false_accepts[0] = 0

    def write(first: int, last: int) -> None:
        _kernels.threshold.write_buckets(
            buckets.keys, buckets.bounds, first, last, items.layout.kind, starts,
            raw, true_accepts, false_accepts,
        )  # fmt: skip

    over_buckets(n_buckets, len(buckets.keys), lambda: write)
    return SweepArrays(_thresholds(raw, items), true_accepts, false_accepts)


def rank(items: Items) -> SweepArrays | SortedItems:
    """Sort the items for sums over the thresholds; the sweep itself where it is small or weighted."""
    if items.weight is not None or items.n <= SINGLE:
        return sweep_arrays(items)
    buckets = count_or_spread(items)
    if isinstance(buckets, SweepArrays):
        return buckets
    counts = np.empty((len(buckets.bounds) - 1, 3), np.int64)
    sort_buckets(buckets, _kernels.threshold.values_of_buckets, counts)
    counts = counts[:, 1:]
    correct, incorrect = counts.sum(axis=0).tolist()
    return SortedItems(buckets.keys, buckets.bounds, _above(counts), correct, incorrect)


def _above(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """From the counts of each bucket, a row each: the sums of all higher buckets."""
    above = np.zeros_like(counts)
    above[:-1] = np.cumsum(counts[:0:-1], axis=0)[::-1]
    return above


class Plan(NamedTuple):
    """How the items are spread over buckets."""

    n_buckets: int  # on either side of zero
    table: NDArray[np.uint16]  # cell -> bucket
    ends: tuple[float, float, float, int]
    try_counting: bool


def count_or_spread(items: Items) -> SweepArrays | Buckets:
    """Count many items without weights where they have few distinct confidences, else spread them."""
    plan = plan_buckets(items)
    counted = count_values(items) if plan.try_counting else None
    return spread(items, plan) if counted is None else counted


def plan_buckets(items: Items) -> Plan:
    if items.n <= SINGLE:
        return Plan(1, np.zeros(_n_cells(), np.uint16), (0.0, 0.0, 0.0, 0), try_counting=False)
    step = items.n // SAMPLE or 1
    sample = np.sort(items.confidence[::step].astype(np.float64))
    if not (math.isfinite(sample[0]) and math.isfinite(sample[-1])):
        items.reject()
    size = len(sample)
    # a few outliers must not stretch the cells over the empty space between them and the rest
    low, high = float(sample[size // 1000]), float(sample[-1 - size // 1000])
    middle = low / 2 + high / 2
    with np.errstate(over="ignore"):
        reach = np.float64(middle) - np.float64(low)
    threshold = _kernels.threshold
    base = int(reach.view(np.int64) >> threshold.MANTISSA_SHIFT) - threshold.HALF_CELLS + 1
    ends = (low, middle, high, base)
    n_buckets = max(1, min(MAX_BUCKETS, items.n // BUCKET))
    filled = np.bincount(threshold.cells_of(sample, ends), minlength=threshold.N_CELLS)
    below = np.cumsum(filled) - filled
    table = (below * n_buckets // size).astype(np.uint16)
    distinct = 1 + int(np.count_nonzero(sample[1:] != sample[:-1]))
    return Plan(n_buckets, table, ends, try_counting=distinct < size // 4)


def _n_cells() -> int:
    return int(_kernels.threshold.N_CELLS)


def _shares(items: Items) -> list[tuple[int, int]]:
    """Split the items evenly, one contiguous share a thread."""
    edges = parallel.edges(items.n)
    return list(itertools.pairwise(edges))


def _places(counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """From the items of each share in each bucket: the bounds of the buckets, and where shares begin.

    An item of a later share comes after those of earlier shares in the same bucket.
    """
    bounds = np.zeros(counts.shape[1] + 1, np.int64)
    np.cumsum(counts.sum(axis=0), out=bounds[1:])
    return bounds, bounds[:-1] + np.cumsum(counts, axis=0) - counts


def spread(items: Items, plan: Plan) -> Buckets:
    """Write the keys of all items into buckets."""
    threshold = _kernels.threshold
    layout = items.layout
    shares = _shares(items)
    counts = np.zeros((len(shares), 2 * plan.n_buckets), np.int64)

    def count(index: int) -> None:
        for _, values, bits, labels in items.chunks(*shares[index]):
            bad, seen = threshold.histogram(
                values, bits, labels, layout.kind, plan.table, plan.n_buckets, plan.ends,
                layout.exponent, counts[index],
            )  # fmt: skip
            items.check(not_finite=bad, seen_labels=seen)

    parallel.run(count, range(len(shares)))
    bounds, positions = _places(counts)
    ends = positions + counts
    keys = np.empty(items.n, layout.bits)
    given = NO_WEIGHTS if items.weight is None else items.weight
    weights = np.empty(len(given), np.float64)

    def move(index: int) -> None:
        for offset, values, bits, labels in items.chunks(*shares[index]):
            threshold.scatter(
                values, bits, labels, given[offset : offset + len(bits)], layout.kind, plan.table,
                plan.n_buckets, plan.ends, positions[index], keys, weights,
            )  # fmt: skip

    parallel.run(move, range(len(shares)))
    if not np.array_equal(positions, ends):
        items.reject()
    return Buckets(keys, bounds, weights)


def count_pairs_of_groups(items: Items, codes: Array, n_groups: int) -> NDArray[np.int64]:
    """`count_pairs` of every group: an array of shape (n_groups, 3)."""
    groups = _kernels.groups
    layout = items.layout
    n_blocks = max(1, min(MAX_BLOCKS, items.n // BLOCK))
    shift = min(((n_groups - 1) // n_blocks).bit_length(), MAX_BLOCK_SHIFT)
    n_blocks = ((n_groups - 1) >> shift) + 1
    shares = _shares(items)
    counts = np.zeros((len(shares), n_blocks), np.int64)

    def count(index: int) -> None:
        first, last = shares[index]
        groups.histogram_blocks(codes[first:last], shift, counts[index])

    parallel.run(count, range(len(shares)))
    bounds, positions = _places(counts)
    ends = positions + counts
    keys = np.empty(items.n, layout.bits)
    halves = np.empty(items.n, np.uint16)

    def move(index: int) -> None:
        for offset, _, bits, labels in items.chunks(*shares[index]):
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


def over_buckets(
    n_buckets: int, n_items: int, worker: Callable[[], Callable[[int, int], None]]
) -> None:
    """Call what `worker` returns for ranges of buckets, each thread taking the next free range.

    Every thread calls `worker` once, for work space of its own.
    """
    size = max(1, min(TASK, n_buckets // 16), n_buckets // 256)
    todo = list(range(0, n_buckets, size))

    def work(_: int) -> None:
        step = worker()
        while True:
            try:
                first = todo.pop()
            except IndexError:
                return
            step(first, min(first + size, n_buckets))

    parallel.run(work, range(parallel.n_threads(n_items)))


def sort_buckets(buckets: Buckets, kernel: Callable[..., None], results: Array) -> None:
    """Sort every bucket and let `kernel` write its row of `results`."""
    sizes = np.diff(buckets.bounds)
    largest = int(sizes.max())
    typical = 4 * (len(buckets.keys) // len(sizes) + 1)

    def worker() -> Callable[[int, int], None]:
        spare = np.empty(min(largest, typical), buckets.keys.dtype)
        counts = np.empty(_kernels.threshold.counts_needed(largest), np.int32)

        def step(first: int, last: int) -> None:
            kernel(buckets.keys, buckets.bounds, first, last, spare, counts, results)

        return step

    over_buckets(len(sizes), len(buckets.keys), worker)


def count_values(items: Items) -> SweepArrays | None:
    """Return the sweep by counting, or None where there are too many distinct confidences."""
    counting = _kernels.counting
    layout = items.layout

    def count(share: tuple[int, int]) -> tuple[Array, Array] | None:
        slots = np.zeros(counting.N_SLOTS, layout.bits)
        used = np.zeros(counting.N_SLOTS, np.bool_)
        counts = np.zeros((counting.N_SLOTS, 2), np.int64)
        distinct = 0
        for _, _, bits, labels in items.chunks(*share):
            bad, seen, distinct = counting.count_items(
                bits, labels, layout.kind == FLOAT, layout.exponent, slots, used, counts, distinct
            )
            items.check(not_finite=bad, seen_labels=seen)
            if distinct < 0:
                return None
        return slots[used], counts[used]

    parts = parallel.run(count, _shares(items))
    found = [part for part in parts if part is not None]
    if len(found) < len(parts):
        return None
    values = np.concatenate([slots for slots, _ in found]).view(layout.values)
    counts = np.concatenate([count for _, count in found])
    values, where = np.unique(values, return_inverse=True)
    sums = np.zeros((len(values) + 1, 2), np.int64)
    np.add.at(sums, len(values) - where, counts)  # highest first, after an empty first row
    sums = np.cumsum(sums, axis=0)
    raw = np.empty(len(values) + 1, layout.values)
    raw[1:] = values[::-1]
    thresholds = _thresholds(raw.view(layout.bits), items)
    return SweepArrays(thresholds, sums[:, 1].copy(), sums[:, 0].copy())


def _thresholds(raw: Array, items: Items) -> Array:
    """Thresholds from the bits of the values; the first is +inf.

    Floats, but for integers that no float holds: those stay Python integers.
    """
    raw[0] = 0  # what was in memory may not be a number
    values = raw.view(items.layout.values)
    if items.layout.kind == FLOAT:
        thresholds = values.astype(np.float64, copy=False)
        thresholds[0] = np.inf
        return thresholds
    return integer_thresholds(values)


def integer_thresholds(values: Array) -> Array:
    """`values` (highest first, the first entry free) with +inf in front, as floats if they fit."""
    highest = int(values[1]) if len(values) > 1 else 0
    lowest = int(values[-1]) if len(values) > 1 else 0
    exact = max(abs(highest), abs(lowest)) <= 1 << 53
    thresholds = values.astype(np.float64 if exact else object)
    thresholds[0] = np.inf
    return thresholds


def scale_of(largest: float) -> float:
    """Power of two that brings `largest` into [0.5, 1), as far as there is one."""
    return math.ldexp(1.0, max(-1021, min(1021, -math.frexp(largest)[1])))


def _sum_buckets(items: Items, plan: Plan) -> tuple[Buckets, NDArray[np.float64], float]:
    """Sorted buckets of weighted items, the sums of each, and the scale of these sums."""
    buckets = spread(items, plan)
    scale = scale_of(float(buckets.weights.max()))
    n_buckets = len(buckets.bounds) - 1
    results = np.empty((n_buckets, 7))

    def step(first: int, last: int) -> None:
        _kernels.weighted.sums_of_buckets(
            buckets.keys, buckets.weights, scale, buckets.bounds, first, last, results
        )

    over_buckets(n_buckets, items.n, lambda: step)
    return buckets, results, scale


def _count_weighted_pairs(items: Items) -> PairCounts:
    if items.weight is not None and items.n <= SINGLE:
        scale = scale_of(float(items.weight.max()))
        _, _, bits, labels = next(items.chunks(0, items.n))
        bad, seen, sums = _kernels.weighted.small_pairs(
            bits, labels, items.weight, items.layout.kind, items.layout.exponent, scale
        )
        items.check(not_finite=bad, seen_labels=seen)
    else:
        _, results, scale = _sum_buckets(items, plan_buckets(items))
        sums = _kernels.weighted.combine(results)
    _, p_high, p_low, q_high, q_low, high, low = sums.tolist()
    unit = Fraction(scale)
    return PairCounts(
        _exact(p_high, p_low, unit), _exact(q_high, q_low, unit), _exact(high, low, unit * unit)
    )


def _exact(high: float, low: float, unit: Fraction) -> Fraction:
    """The value of a double-double in this unit, faster than by sums of fractions."""
    a, b = high.as_integer_ratio()
    c, d = low.as_integer_ratio()
    common = max(b, d)  # both are powers of two
    numerator = a * (common // b) + c * (common // d)
    return Fraction(numerator * unit.denominator, common * unit.numerator)


def _weighted_sweep(items: Items, plan: Plan) -> SweepArrays:
    buckets, results, scale = _sum_buckets(items, plan)
    n_buckets = len(buckets.bounds) - 1
    above = _kernels.weighted.sums_above(results)
    size = 1 + int(results[:, 0].sum())
    raw = np.empty(size, items.layout.bits)
    true_accepts = np.zeros(size)
    false_accepts = np.zeros(size)

    def step(first: int, last: int) -> None:
        _kernels.weighted.write_buckets_weighted(
            buckets.keys, buckets.weights, scale, buckets.bounds, first, last, items.layout.kind,
            above, raw, true_accepts, false_accepts,
        )  # fmt: skip

    over_buckets(n_buckets, items.n, lambda: step)
    true_accepts /= scale
    false_accepts /= scale
    return SweepArrays(_thresholds(raw, items), true_accepts, false_accepts)
