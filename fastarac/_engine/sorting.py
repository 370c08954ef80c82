"""Drives the kernels: from items to pair counts, or to the arrays of a sweep.

Several ways lead there, chosen by the number of items and a sample of their confidences: a few items
are sorted by one kernel in one go; few distinct values are counted (`counted`); where one class is
small, pairs are counted around it (`minority`); where the processor lets numpy sort well
(`numpy_sort`), it sorts the others, by half of their bits where those tell nearly all apart
(`places`); elsewhere they are spread over buckets that fit the cache, and the buckets are sorted by
several threads. All give the same numbers to the last bit.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastarac import _kernels
from fastarac._engine import parallel, weighted
from fastarac._engine.counting import (
    SweepArrays,
    count_values,
    has_few_values,
    sample_of,
    starts_of,
    thresholds_of,
)
from fastarac._engine.inputs import CHUNK
from fastarac._engine.numpy_sort import numpy_sorts_well
from fastarac._engine.quantized import (
    PLACE,
    ends_of_places,
    new_marks,
    pick_marked,
    places_in_buckets,
    shares_of_keys,
)
from fastarac._engine.smaller_class import count_around_few

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastarac._engine.inputs import Items, Layout

Array = NDArray[Any]
Exact = int | Fraction

FEW = 1 << 11  # up to so many items are sorted and counted by one kernel
SINGLE = CHUNK  # up to so many items are read as one chunk and sorted as one bucket
MAX_THREADS = 2  # up to so many leave the sort of many items to numpy, where that is fast
HALVES = 1 << 21  # so many items do any number of threads
COUNTS_A_SORT = 16  # so many keys are counted in the time in which one is sorted
BUCKET = 1 << 13  # items that a bucket aims at
MAX_BUCKETS = 1 << 9
TASK = 8  # buckets that a thread takes at a time


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


class Buckets(NamedTuple):
    """Keys in buckets of rising value, of which the first so many are below zero."""

    keys: Array
    bounds: NDArray[np.int64]
    below: int
    weights: Array  # empty where the items are not weighted
    by_numpy: bool = False  # whether np.sort sorts the buckets, which then are few


class SortedItems(NamedTuple):
    """Sorted buckets of items without weights."""

    buckets: Buckets
    layout: Layout
    above: NDArray[np.int64]
    """Distinct confidences, correct and incorrect items above each bucket, of shape (n_buckets, 3)."""
    n_thresholds: int
    """Distinct confidences."""
    pairs: PairCounts


def count_pairs(items: Items) -> PairCounts:
    """Count the pairs of one correct and one incorrect item by their order."""
    if items.weight is not None:
        return weighted.count_weighted_pairs(items)
    if items.n <= FEW:
        _, _, bits, labels = next(items.chunks(0, items.n))
        bad, seen, correct, incorrect, doubled = _kernels.threshold.small_pairs(
            bits, labels, items.layout.kind, items.layout.exponent
        )
        items.check(not_finite=bad, seen_labels=seen)
        return PairCounts(int(correct), int(incorrect), int(doubled))
    if items.n > SINGLE:
        few = count_around_few(items)
        if few is not None:
            return PairCounts(*few)
        pairs = _count_places(items) if numpy_sorts_well(PLACE) else None
        if pairs is not None:
            return pairs
    buckets = count_or_spread(items)
    if isinstance(buckets, SweepArrays):
        return pairs_of_sweep(buckets)
    return _pairs_of_rows(_sorted_rows(buckets))


def _count_places(items: Items) -> PairCounts | None:
    """`count_pairs` by a sort of places; None where too many items share one, or threads are many."""
    kernels = _kernels.quantized_keys
    layout = items.layout
    sample = sample_of(items)
    ends = ends_of_places(items, sample)
    if ends is None:
        return None
    keys, moved, bounds = places_in_buckets(items, ends, sample)
    marks = new_marks(items.n)
    if len(bounds) == 2:
        buckets = _halves(moved, 0, by_numpy=True)
        rows = np.empty((len(buckets.bounds) - 1, 4), np.int64)
        sort_buckets(buckets, kernels.count_places, rows, marks)
    else:
        rows = np.empty((len(bounds) - 1, 4), np.int64)

        def step(first: int, last: int) -> None:
            for b in range(first, last):
                moved[bounds[b] : bounds[b + 1]].sort()
            kernels.count_places(moved, bounds, first, last, rows, marks)

        over_buckets(len(rows), items.n, lambda: step)
    pairs = _pairs_of_rows(rows)
    if not rows[:, 0].any():
        return pairs
    picked = pick_marked(items, keys, marks)
    if picked is None:
        return None
    bits, labels, keys = picked
    keys.sort()
    kernels.count_places(keys, np.array([0, len(keys)]), 0, 1, rows, marks)
    exactly = _kernels.threshold.small_pairs(bits, labels, layout.kind, layout.exponent)[4]
    return pairs._replace(doubled_pairs=pairs.doubled_pairs + int(exactly) - int(rows[0, 3]))


def _sorted_rows(buckets: Buckets) -> NDArray[np.int64]:
    """Sort every bucket; for each, a row of distinct confidences, correct, incorrect, doubled pairs."""
    rows = np.empty((len(buckets.bounds) - 1, 4), np.int64)
    sort_buckets(buckets, _kernels.threshold.count_range, rows)
    return rows


def _pairs_of_rows(rows: NDArray[np.int64]) -> PairCounts:
    correct = incorrect = doubled = 0
    for _, p, q, pairs in rows.tolist():
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
        return weighted.weighted_sweep(items, plan_buckets(items))
    if items.n <= FEW:
        _, _, bits, labels = next(items.chunks(0, items.n))
        bad, seen, raw, true_accepts, false_accepts = _kernels.threshold.small_sweep(
            bits, labels, items.layout.kind, items.layout.exponent
        )
        items.check(not_finite=bad, seen_labels=seen)
        return SweepArrays(thresholds_of(raw, items.layout), true_accepts, false_accepts)
    buckets = count_or_spread(items)
    if isinstance(buckets, SweepArrays):
        return buckets
    n_buckets = len(buckets.bounds) - 1
    rows = _sorted_rows(buckets)
    starts = _above(rows)
    size = 1 + int(rows[:, 0].sum())
    raw = np.empty(size, items.layout.bits)
    true_accepts = np.empty(size, np.int64)
    false_accepts = np.empty(size, np.int64)
    true_accepts[0] = false_accepts[0] = 0

    def write(first: int, last: int) -> None:
        _kernels.threshold.write_buckets(
            buckets.keys, buckets.bounds, first, last, buckets.below, items.layout.kind, starts,
            raw, true_accepts, false_accepts,
        )  # fmt: skip

    over_buckets(n_buckets, len(buckets.keys), lambda: write)
    return SweepArrays(thresholds_of(raw, items.layout), true_accepts, false_accepts)


def rank(items: Items) -> SweepArrays | SortedItems:
    """Sort the items for sums over the thresholds; the sweep itself where it is small or weighted."""
    if items.weight is not None or items.n <= SINGLE:
        return sweep_arrays(items)
    buckets = count_or_spread(items)
    if isinstance(buckets, SweepArrays):
        return buckets
    rows = _sorted_rows(buckets)
    pairs = _pairs_of_rows(rows)
    return SortedItems(buckets, items.layout, _above(rows), int(rows[:, 0].sum()), pairs)


def _above(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """From the counts of each bucket, a row each: the sums of all higher buckets but of the pairs."""
    above = np.zeros((len(rows), 3), np.int64)
    np.cumsum(rows[:0:-1, :3], axis=0, out=above[-2::-1])
    return above


class Plan(NamedTuple):
    """How the items are spread over buckets."""

    n_buckets: int  # on either side of zero
    table: NDArray[np.uint16]  # cell -> bucket
    ends: tuple[float, float, float, int]


def count_or_spread(items: Items) -> SweepArrays | Buckets:
    """Count items without weights where they are many with few distinct values, else spread them."""
    by_numpy = items.n > FEW and numpy_sorts_well(items.layout.bits)
    if items.n <= SINGLE:
        return halve(items, by_numpy=by_numpy)
    sample = sample_of(items)
    counted = count_values(items) if has_few_values(sample) else None
    if counted is not None:
        return counted
    one_sided = (sample[0] < 0) == (sample[-1] < 0)  # else `halve` may need twice the memory
    if by_numpy and (items.n <= HALVES or (one_sided and _by_numpy(items.n))):
        return halve(items, by_numpy=True)
    return spread(items, plan_buckets(items, sample))


def halve(items: Items, *, by_numpy: bool) -> Buckets:
    """Write the keys of all items into two buckets or three, for numpy or for one thread."""
    layout = items.layout
    n = items.n
    keys = np.empty(n, layout.bits)

    def encode(share: tuple[int, int]) -> list[tuple[Array, Array]]:
        parts = []
        for offset, _, bits, labels in items.chunks(*share):
            part = keys[offset : offset + len(bits)]
            bad, seen, lower = _kernels.threshold.encode_two_ended(
                bits, labels, layout.kind, layout.exponent, part
            )
            items.check(not_finite=bad, seen_labels=seen)
            parts.append((part[:lower], part[lower:]))
        return parts

    parts = [part for parts in parallel.run(encode, shares_of_keys(n)) for part in parts]
    lower = sum(len(below) for below, _ in parts)
    if 0 < lower < n and len(parts) > 1:
        keys = np.concatenate([part[side] for side in (0, 1) for part in parts])
    return _halves(keys, lower, by_numpy=by_numpy)


def _by_numpy(n: int) -> bool:
    """Whether numpy sorts so many keys, where it sorts well."""
    return n <= HALVES or parallel.n_threads(n) <= MAX_THREADS


def _halves(keys: Array, lower: int, *, by_numpy: bool) -> Buckets:
    """Two buckets of keys: the first `lower`, which are of values below zero, and the others.

    Where several threads are worth it, the larger one is divided in the middle: equal values may then
    be on both sides, and `sort_buckets` brings them together.
    """
    n = len(keys)
    bounds = [0, lower, n]
    if by_numpy and parallel.n_threads(n) > 1:
        start, stop = (lower, n) if 2 * lower <= n else (0, lower)
        middle = (stop - start) // 2
        keys[start:stop].partition(middle)
        bounds.append(start + middle)
    bounds.sort()
    below = bounds.index(lower)
    return Buckets(keys, np.array(bounds), below, NO_WEIGHTS, by_numpy)


def plan_buckets(items: Items, sample: Array | None = None) -> Plan:
    if items.n <= SINGLE:
        return Plan(1, np.zeros(_n_cells(), np.uint16), (0.0, 0.0, 0.0, 0))
    sample = (sample_of(items) if sample is None else sample).astype(np.float64)
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
    cells = np.empty(size, np.int32)
    threshold.fill_cells(sample, ends, cells)
    filled = np.bincount(cells, minlength=threshold.N_CELLS)
    below = np.cumsum(filled) - filled
    table = (below * n_buckets // size).astype(np.uint16)
    return Plan(n_buckets, table, ends)


def _n_cells() -> int:
    return int(_kernels.threshold.N_CELLS)


def spread(items: Items, plan: Plan) -> Buckets:
    """Write the keys of all items into buckets."""
    threshold = _kernels.threshold
    layout = items.layout
    shares = parallel.shares(items.n)
    counts = np.zeros((len(shares), 2 * plan.n_buckets), np.int64)

    def count(index: int) -> None:
        for _, values, bits, labels in items.chunks(*shares[index]):
            bad, seen = threshold.histogram(
                values, bits, labels, layout.kind, plan.table, plan.n_buckets, plan.ends,
                layout.exponent, counts[index],
            )  # fmt: skip
            items.check(not_finite=bad, seen_labels=seen)

    parallel.run(count, range(len(shares)))
    bounds, positions = starts_of(counts)
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
    return Buckets(keys, bounds, plan.n_buckets, weights)


def over_buckets(
    n_buckets: int, n_items: int, worker: Callable[[], Callable[[int, int], None]]
) -> None:
    """Call what `worker` returns for ranges of buckets, each thread taking the next free range.

    Every thread calls `worker` once, for work space of its own.
    """
    threads = parallel.n_threads(n_items)
    if threads == 1 and n_buckets <= TASK:
        worker()(0, n_buckets)
        return
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

    parallel.run(work, range(threads))


def sort_buckets(buckets: Buckets, kernel: Callable[..., None], results: Array, *options: Any) -> None:
    """Sort every bucket and let `kernel` write its row of `results`.

    Of small buckets while each is in the cache. Of halves that numpy has sorted the bounds move first.
    """
    keys, bounds, _, _, by_numpy = buckets
    threshold = _kernels.threshold
    n_buckets = len(bounds) - 1

    def worker() -> Callable[[int, int], None]:
        largest = len(keys) if n_buckets <= TASK else np.diff(bounds).max()
        typical = 4 * (len(keys) // n_buckets + 1)
        spare = np.empty(min(largest, typical), keys.dtype)
        counts = np.empty(threshold.counts_needed(largest), np.int32)

        def step(first: int, last: int) -> None:
            threshold.sort_range(keys, bounds, first, last, spare, counts)
            kernel(keys, bounds, first, last, results, *options)

        return step

    if not by_numpy:
        over_buckets(n_buckets, len(keys), worker)
        return

    def sort(first: int, last: int) -> None:
        for b in range(first, last):
            keys[bounds[b] : bounds[b + 1]].sort()

    def count(first: int, last: int) -> None:
        kernel(keys, bounds, first, last, results, *options)

    over_buckets(n_buckets, len(keys), lambda: sort)
    _move_bounds_past_ties(buckets)
    over_buckets(n_buckets, len(keys) // COUNTS_A_SORT, lambda: count)


def _move_bounds_past_ties(buckets: Buckets) -> None:
    """Move the bounds between sorted buckets of one sign so that no value is on both sides."""
    keys, bounds = buckets.keys, buckets.bounds
    zero = bounds[buckets.below]
    for b in range(1, len(bounds) - 1):
        bound = bounds[b]
        if b != buckets.below and bound not in (0, zero):
            end = zero if bound < zero else len(keys)
            highest = keys[bound - 1] | keys.dtype.type(1)
            bounds[b] += np.searchsorted(keys[bound:end], highest, side="right")


def scale_of(largest: float) -> float:
    """Power of two that brings `largest` into [0.5, 1), as far as there is one."""
    return math.ldexp(1.0, max(-1021, min(1021, -math.frexp(largest)[1])))
