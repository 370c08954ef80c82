"""Buckets of keys: numpy sorts a few large buckets, the library's kernel sorts many small ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastarac import _kernels
from fastarac._engine import parallel, strategy
from fastarac._engine.pairs import PairCounts

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastarac._engine.inputs import Items, Layout

Array = NDArray[Any]


class Buckets(NamedTuple):
    """Keys in buckets of rising value; the first `below` buckets hold the negative values."""

    keys: Array
    bounds: NDArray[np.int64]
    below: int
    by_numpy: bool = False  # whether numpy sorts the buckets; they are then few and large


class SortedItems(NamedTuple):
    """Sorted buckets of items without weights."""

    buckets: Buckets
    layout: Layout
    above: NDArray[np.int64]
    """Distinct confidences, correct items and incorrect items above each bucket, (n_buckets, 3)."""
    n_thresholds: int
    """The number of distinct confidences."""
    pairs: PairCounts

    def below(self, correct: int, incorrect: int) -> SortedItems:
        """Add items with a confidence above all others; the pairs are not counted, but set to 0."""
        totals = self.pairs.correct + correct, self.pairs.incorrect + incorrect
        above = self.above + np.array([0, correct, incorrect])
        return self._replace(above=above, pairs=PairCounts(*totals, 0))


def sorted_rows(buckets: Buckets) -> NDArray[np.int64]:
    """Sort all buckets, and return one row of counts per bucket, as `ties.count_range` writes it."""
    rows = np.empty((len(buckets.bounds) - 1, 4), np.int64)
    sort_buckets(buckets, _kernels.ties.count_range, rows)
    return rows


def pairs_of_rows(rows: NDArray[np.int64]) -> PairCounts:
    correct = incorrect = doubled = 0
    for _, p, q, pairs in rows.tolist():
        doubled += pairs + 2 * p * incorrect
        correct += p
        incorrect += q
    return PairCounts(correct, incorrect, doubled)


def counts_above(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return, for each bucket, the first three columns of `rows` summed over all higher buckets."""
    above = np.zeros((len(rows), 3), np.int64)
    np.cumsum(rows[:0:-1, :3], axis=0, out=above[-2::-1])
    return above


class Plan(NamedTuple):
    """How items are distributed over buckets."""

    n_buckets: int  # number of buckets for negative values; the other values have as many
    table: NDArray[np.uint16]  # the bucket of each cell
    ends: tuple[float, float, float, int]


def starts_of(counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the bounds of the buckets, and where each thread starts to write in each bucket.

    `counts` (n_threads, n_buckets) holds the number of items that a thread writes into a bucket.
    """
    bounds = np.zeros(counts.shape[1] + 1, np.int64)
    np.cumsum(counts.sum(axis=0), out=bounds[1:])
    return bounds, bounds[:-1] + np.cumsum(counts, axis=0) - counts


def shares_of_keys(n: int) -> list[tuple[int, int]]:
    """Return (start, stop) of the items whose keys each thread makes before numpy sorts all keys."""
    return parallel.shares(n) if n >= strategy.sizes.threaded_keys else [(0, n)]


def halve(items: Items, *, by_numpy: bool) -> Buckets:
    """Write the keys of all items into two or three buckets, to be sorted by numpy or by one thread."""
    layout = items.layout
    n = items.n
    keys = np.empty(n, layout.bits)

    def encode(share: tuple[int, int]) -> list[tuple[Array, Array]]:
        parts = []
        for offset, (_, bits, labels) in items.chunks(*share):
            part = keys[offset : offset + len(bits)]
            bad, seen, lower = _kernels.keys.encode_two_ended(
                bits, labels, layout.kind, layout.exponent, part
            )
            items.check(not_finite=bad, seen_labels=seen)
            parts.append((part[:lower], part[lower:]))
        return parts

    parts = [part for parts in parallel.run(encode, shares_of_keys(n)) for part in parts]
    lower = sum(len(below) for below, _ in parts)
    if 0 < lower < n and len(parts) > 1:
        keys = np.concatenate([part[side] for side in (0, 1) for part in parts])
    return halves_of(keys, lower, by_numpy=by_numpy)


def halves_of(keys: Array, lower: int, *, by_numpy: bool) -> Buckets:
    """Return two buckets of keys: the first `lower` keys, whose values are negative, and the others.

    If several threads are worthwhile, the larger bucket is divided in the middle. Equal values may then
    be on both sides; `sort_buckets` brings them together.
    """
    n = len(keys)
    bounds = [0, lower, n]
    if by_numpy and strategy.n_threads(n) > 1:
        start, stop = (lower, n) if 2 * lower <= n else (0, lower)
        middle = (stop - start) // 2
        keys[start:stop].partition(middle)
        bounds.append(start + middle)
    bounds.sort()
    below = bounds.index(lower)
    return Buckets(keys, np.array(bounds), below, by_numpy)


def plan_buckets(items: Items) -> Plan:
    """Plan buckets of about equal size, balanced by a sample; a single bucket if the items are few."""
    if items.n <= strategy.sizes.single:
        n_cells = int(_kernels.sort.N_CELLS)
        return Plan(1, np.zeros(n_cells, np.uint16), (0.0, 0.0, 0.0, 0))
    sample = items.sample.astype(np.float64)
    size = len(sample)
    # Ignore a few outliers: they would stretch the range, and most cells would be empty.
    low, high = float(sample[size // 1000]), float(sample[-1 - size // 1000])
    middle = low / 2 + high / 2
    with np.errstate(over="ignore"):
        reach = np.float64(middle) - np.float64(low)
    sort = _kernels.sort
    base = int(reach.view(np.int64) >> sort.MANTISSA_SHIFT) - sort.HALF_CELLS + 1
    ends = (low, middle, high, base)
    n_buckets = max(1, min(strategy.sizes.max_buckets, items.n // strategy.sizes.buckets_of))
    cells = np.empty(size, np.int32)
    sort.fill_cells(sample, ends, cells)
    filled = np.bincount(cells, minlength=sort.N_CELLS)
    below = np.cumsum(filled) - filled
    table = (below * n_buckets // size).astype(np.uint16)
    return Plan(n_buckets, table, ends)


def partition(items: Items, plan: Plan) -> Buckets:
    """Write the keys of all items into buckets."""
    layout = items.layout

    def write(_: int, part: Any, positions: NDArray[np.int64], keys: Array) -> None:
        _kernels.sort.scatter(part, layout.kind, tuple(plan), positions, keys)

    return partition_by(items, plan, layout.bits, write)


def partition_by(
    items: Items, plan: Plan, dtype: Any, write: Callable[[int, Any, NDArray[np.int64], Array], None]
) -> Buckets:
    """Fill buckets with keys of type `dtype`; each call of `write` writes the keys of some items."""
    layout = items.layout
    shares = parallel.shares(items.n)
    counts = np.zeros((len(shares), 2 * plan.n_buckets), np.int64)

    def count(index: int) -> None:
        for _, part in items.chunks(*shares[index]):
            bad, seen = _kernels.sort.histogram(
                part, layout.kind, layout.exponent, tuple(plan), counts[index]
            )
            items.check(not_finite=bad, seen_labels=seen)

    parallel.run(count, range(len(shares)))
    bounds, positions = starts_of(counts)
    ends = positions + counts
    keys = np.empty(items.n, dtype)

    def move(index: int) -> None:
        for offset, part in items.chunks(*shares[index]):
            write(offset, part, positions[index], keys)

    parallel.run(move, range(len(shares)))
    if not np.array_equal(positions, ends):
        items.reject()
    return Buckets(keys, bounds, plan.n_buckets)


def over_buckets(
    n_buckets: int, n_items: int, worker: Callable[[], Callable[[int, int], None]]
) -> None:
    """Process ranges of buckets in threads; each thread takes the next free range.

    Each thread calls `worker` once, which allocates scratch memory and returns the function that
    processes a range.
    """
    threads, task = strategy.n_threads(n_items), strategy.sizes.task
    if threads == 1 and n_buckets <= task:
        worker()(0, n_buckets)
        return
    size = max(1, min(task, n_buckets // 128), n_buckets // 256)
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
    """Sort every bucket, then call `kernel`, which writes one row of `results` per bucket."""
    keys, bounds, _, by_numpy = buckets
    kernels = _kernels.sort
    n_buckets = len(bounds) - 1

    def worker() -> Callable[[int, int], None]:
        largest = len(keys) if n_buckets <= strategy.sizes.task else np.diff(bounds).max()
        typical = 4 * (len(keys) // n_buckets + 1)
        spare = np.empty(min(largest, typical), keys.dtype)
        counts = np.empty(kernels.counts_needed(largest), np.int32)

        def step(first: int, last: int) -> None:
            kernels.sort_range(keys, bounds, first, last, spare, counts)
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
    over_buckets(n_buckets, len(keys) // strategy.sizes.counts_a_sort, lambda: count)


def _move_bounds_past_ties(buckets: Buckets) -> None:
    """Move the bounds between sorted buckets so that no bound splits a tie."""
    keys, bounds = buckets.keys, buckets.bounds
    zero = bounds[buckets.below]
    for b in range(1, len(bounds) - 1):
        bound = bounds[b]
        if b != buckets.below and bound not in (0, zero):
            end = zero if bound < zero else len(keys)
            highest = keys[bound - 1] | keys.dtype.type(1)
            bounds[b] += np.searchsorted(keys[bound:end], highest, side="right")
