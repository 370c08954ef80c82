"""``python -m bench floor``: an area as a multiple of one read of the data, beside its own steps.

For each way of sorting (fastarac chooses by how well numpy sorts on this processor), the table shows
what the unavoidable steps cost by themselves: one read of the data, one pass that writes the keys into
buckets, and one sort of all buckets in cache, counted. Their sum is the floor of this way; what an area
takes beyond it goes to checks and threads.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest import mock

import numpy as np

import fastarac as fa
from bench import inputs
from bench.timing import Contestant, Summary, ratio, take_turns
from fastarac._engine import buckets, quantized, strategy
from fastarac._engine.inputs import read_items
from fastarac._kernels import quantized_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from fastarac._engine.inputs import Items

SMALLEST = 10**5  # with fewer items, one kernel sorts and counts them all
TARGETS = {10**5: 18.0, 10**6: 14.0, 10**7: 10.0}  # reads that an area may take
READ, PARTITION, SORT, AREA = "one read", "write keys into buckets", "sort in cache, count", "ROC-AUC"
WAYS = {"numpy's sort of 32 bits": 1e9, "own sort of 64 bits": 0.0}  # `as_fast` that leads there


class Row(NamedTuple):
    """A step, or the area, at one size."""

    n: int
    way: str
    step: str
    seconds: Summary
    reads: Summary


@contextmanager
def forced(as_fast: float) -> Iterator[None]:
    """Let fastarac believe that numpy sorts well, or that it does not."""
    with mock.patch.object(strategy, "sizes", replace(strategy.sizes, as_fast=as_fast)):
        yield


def repeated(prepare: Callable[[], Any], step: Callable[[Any], Any], calls: int) -> float:
    """Return the seconds of one step, without its preparation."""
    total = 0.0
    for _ in range(calls):
        prepared = prepare()
        start = time.perf_counter()
        step(prepared)
        total += time.perf_counter() - start
    return total / calls


def by_numpy(items: Items) -> tuple[Callable[[], Any], Callable[[Any], Any]]:
    """Return the functions that write 32-bit keys into buckets, and that sort and count them."""
    sample = items.sample.astype(items.layout.values)
    ends = quantized.ends_of_cells(items, sample)

    def write() -> tuple[Any, Any]:
        return quantized.keys_in_buckets(items, ends, sample)[1:]

    def sort(written: tuple[Any, Any]) -> None:
        keys, bounds = written
        rows, marks = np.empty((len(bounds) - 1, 4), np.int64), quantized.new_marks(items.n)

        def step(first: int, last: int) -> None:
            for b in range(first, last):
                keys[bounds[b] : bounds[b + 1]].sort()
            quantized_keys.count_quantized(keys, bounds, first, last, rows, marks)

        if len(rows) > 1:
            buckets.over_buckets(len(rows), items.n, lambda: step)
        else:
            halves = buckets.halves_of(keys, 0, by_numpy=True)
            rows = np.empty((len(halves.bounds) - 1, 4), np.int64)
            buckets.sort_buckets(halves, quantized_keys.count_quantized, rows, marks)

    return write, sort


def by_own_kernel(items: Items) -> tuple[Callable[[], Any], Callable[[Any], Any]]:
    """Return the functions that write 64-bit keys into buckets, and that sort and count them."""
    return lambda: buckets.partition(items, buckets.plan_buckets(items)), buckets.sorted_rows


def measure(n: int, rounds: int) -> list[Row]:
    """Time one read, and each way's steps and area, in turns."""
    correct, confidence, _ = inputs.continuous(n)
    contestants = {
        ("", READ): Contestant.of(READ, lambda: (confidence.sum(), correct.sum())),
    }
    for (way, as_fast), steps in zip(WAYS.items(), (by_numpy, by_own_kernel), strict=True):
        items = read_items(correct, confidence)
        write, sort = steps(items)

        def area(as_fast: float = as_fast) -> float:
            with forced(as_fast):
                return fa.roc_auc_score(correct, confidence)

        contestants[way, PARTITION] = Contestant.of(PARTITION, write)
        contestants[way, SORT] = Contestant(SORT, partial(repeated, write, sort))
        contestants[way, AREA] = Contestant.of(AREA, area)
    for contestant in contestants.values():
        contestant.warm_up()
    take_turns(contestants.values(), rounds, 60.0)
    read = contestants["", READ].times
    return [
        Row(n, way, step, _summary(each.times), ratio(each.times, read))
        for (way, step), each in contestants.items()
    ]


def _summary(times: Sequence[float]) -> Summary:
    return Summary(float(np.median(times)), min(times), max(times))


def table(sizes: Sequence[int], rounds: int) -> str:
    """Measure all sizes; return the table as text."""
    chosen = list(WAYS)[0 if strategy.numpy_sorts_well(strategy.QUANTIZED_KEY) else 1]
    lines = [f"fastarac chooses {chosen} here; medians of {rounds} rounds, best round in brackets"]
    for n in sizes:
        rows = measure(n, rounds)
        lines += ["", f"{n:,} items", _line(rows[0])]
        for way in WAYS:
            steps = [row for row in rows if row.way == way]
            floor = 1.0 + sum(row.reads.median for row in steps if row.step != AREA)
            lines += [
                f"  {way}",
                *map(_line, steps),
                f"    {'floor: read, write and sort':30}{floor:27.1f}",
            ]
        if n in TARGETS:
            lines.append(f"  target: {TARGETS[n]:g} reads")
    return "\n".join(lines)


def _line(row: Row) -> str:
    ms, reads = 1e3 * row.seconds.median, row.reads
    return f"    {row.step:30}{ms:10.3f} ms{reads.median:14.1f} ({reads.low:.1f}) reads"
