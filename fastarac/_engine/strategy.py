"""Which way the items go, and the sizes and shares that decide on it.

All ways give the same numbers, to the last bit. :func:`choose` names them for what is needed, the
best one first; a way that turns out to be impossible while it is tried leaves the items to the next.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from fastarac import _kernels

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    Array = NDArray[Any]

    class Choosable(Protocol):
        """What a choice looks at."""

        n: int
        weight: NDArray[np.float64] | None
        layout: Any

        @property
        def sample(self) -> Array: ...


Need = Literal["pairs", "corners", "runs", "thresholds", "sums", "curve", "precision"]
"""What is needed of the items: the counts of pairs; the points at which a curve may bend; those
between runs; every threshold; sums over the thresholds; the points of a curve that scikit-learn keeps;
average precision alone."""

Way = Literal[
    "few",  # one kernel in one go
    "one bucket",  # one sort by our own kernel
    "smaller class",  # the larger class is counted around the smaller one
    "quantized",  # a sort of half the bits of each confidence
    "counted",  # distinct values are counted in a table
    "numpy",  # numpy sorts two halves
    "buckets",  # buckets that fit the cache are sorted one by one
    "weighted",  # the same, with the weights beside the keys
]


@dataclass(frozen=True, slots=True)
class Sizes:
    """Numbers of items, unless something else is said, and shares of them."""

    few: int = 1 << 11
    """Up to so many are sorted and counted by one kernel."""
    single: int = 1 << 16
    """Up to so many are read as one chunk and sorted as one bucket."""
    chunk: int = 1 << 16
    """Converted at a time where the arrays are not as the kernels want them."""
    per_thread: int = 1 << 16
    """So many are worth a thread."""
    points: int = 1 << 18
    """Points of a sweep that are summed at a time."""

    sample: int = 1 << 12
    """Confidences that are looked at before a way is chosen."""
    repeats: float = 4
    """How often a value of the sample is there on average where values are counted."""

    buckets_of: int = 1 << 13
    """What a bucket aims at."""
    max_buckets: int = 1 << 9
    coarser: int = 4
    """Times fewer buckets for pairs with weights: only the smaller class has to fit the cache."""
    task: int = 8
    """Buckets that a thread takes at a time."""
    blocks_of: int = 1 << 15
    """What a block of groups aims at."""
    max_blocks: int = 1 << 9
    max_block_shift: int = 15
    """The logarithm of the most groups of a block: half a group is numbered in 16 bits."""
    table_bits: int = 12
    """Of places in the smallest hash table of labels, which half fills them."""

    trial: int = 1 << 12
    """Keys that are sorted to find out whether numpy sorts them well."""
    as_fast: float = 1.5
    """Times as long as our own kernel: with more keys that one has to have spread them before."""
    halves: int = 1 << 21
    """Up to so many are left to numpy whatever the number of threads, where it sorts well."""
    max_threads: int = 2
    """Up to so many threads leave more than that to numpy."""
    threaded_keys: int = 1 << 19
    """From so many on, keys that numpy sorts are made by several threads."""
    counts_a_sort: int = 16
    """Keys that are counted in the time in which one is sorted."""

    max_share: float = 3 / 100
    """Of the smaller class, where pairs are counted around it."""
    max_corner_share: float = 3 / 200
    """The same where corners are, which takes more."""
    max_shared: float = 1 / 2
    """Of the larger class, as a sample tells, in a cell with an item of the smaller one."""
    pair_cells: tuple[int, int] = (8, 20)
    """Cells for each item of the smaller class, and the logarithm of the most."""
    corner_cells: tuple[int, int] = (16, 20)

    look_bits: int = 16
    """Of a quantized key, by which those of a sample are compared."""
    max_alike: float = 1 / 8
    """Of the sample, next to one that is the same in these bits."""
    max_repeats: float = 2
    """Of the sample, with the same key as another."""
    exact_ends: int = 1 << 19
    """Up to so many, keys are between the least and the greatest confidence."""
    max_quantized: int = 1 << 26
    """With more, too many share a key whatever their distribution."""
    max_mark_bits: int = 22
    mark_items: int = 4
    """The logarithm of how many items there are to a mark."""
    max_picked: float = 1 / 8
    min_picked: int = 64
    quantized_spread: int = 1 << 20
    """From so many on, quantized keys are spread over buckets before they are sorted."""
    quantized_buckets_of: int = 1 << 15
    max_quantized_buckets: int = 1 << 8


sizes = Sizes()
"""Those in use. A test replaces this one object to send small data any way."""

QUANTIZED_KEY = np.dtype(np.uint32)
_FEW: tuple[Way] = ("few",)
_WEIGHTED: tuple[Way] = ("weighted",)


def choose(items: Choosable, need: Need) -> Iterable[Way]:
    """The ways to what is needed, in the order in which to try them; the last one always leads there.

    For corners or runs, ways other than "smaller class" begin with every threshold or sorted items.
    """
    n = items.n
    if items.weight is not None:
        return _FEW if need == "pairs" and n <= sizes.single else _WEIGHTED
    if n <= sizes.few and need != "curve":
        return _FEW
    if n <= sizes.single:
        if need in ("sums", "precision"):
            return _FEW
        return ("numpy",) if n > sizes.few and numpy_sorts_well(items.layout.bits) else ("one bucket",)
    return _ways_of_many(items, need)


def first_way(items: Choosable, need: Need) -> Way:
    """The best way."""
    return next(iter(choose(items, need)))


def _ways_of_many(items: Choosable, need: Need) -> Iterator[Way]:
    if need in ("pairs", "corners", "runs"):
        yield "smaller class"
    if need == "pairs" and numpy_sorts_well(QUANTIZED_KEY):
        yield "quantized"
    sample = items.sample
    if has_few_values(sample):
        yield "counted"
    if numpy_sorts_well(items.layout.bits):
        one_sided = (sample[0] < 0) == (sample[-1] < 0)  # else two halves may need twice the memory
        many = one_sided and n_threads(items.n) <= sizes.max_threads
        if items.n <= sizes.halves or many:
            yield "numpy"
    yield "buckets"


def sample_of(confidence: Array) -> Array:
    """Some of the confidences, in rising order."""
    return np.sort(confidence[:: len(confidence) // sizes.sample or 1])


def has_few_values(sample: Array) -> bool:
    """Whether the values of a sample repeat so often that they are counted rather than sorted."""
    return 1 + int(np.count_nonzero(sample[1:] != sample[:-1])) < len(sample) // sizes.repeats


def n_threads(n_items: int) -> int:
    """Return how many threads `n_items` are worth, of those that this process may use.

    The environment variable ``FASTARAC_NUM_THREADS`` sets the upper limit; without it, it is the
    number of processors that the process may run on.
    """
    worth = n_items // sizes.per_thread
    return max(1, min(processors(), worth)) if worth > 1 else 1


def processors() -> int:
    """Return how many processors this process may use: ``FASTARAC_NUM_THREADS``, or all."""
    setting = os.environ.get("FASTARAC_NUM_THREADS", "")
    if setting:
        if not setting.isdecimal() or int(setting) < 1:
            raise ValueError(
                f"FASTARAC_NUM_THREADS must be a whole number of at least 1, got {setting!r}"
            )
        return int(setting)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def numpy_sorts_well(key: np.dtype[Any]) -> bool:
    """Whether numpy sorts keys of this type about as fast as our kernel those of 64 bits."""
    return slowness(key) < sizes.as_fast


@cache
def slowness(key: np.dtype[Any]) -> float:
    """How many times as long as `sort_keys` numpy takes: measured once a process, in some 100 µs.

    It depends on the processor.
    """
    n = sizes.trial
    keys = np.arange(n, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    spare = np.empty_like(keys)
    counts = np.empty(_kernels.sort.counts_needed(n), np.int32)
    shorter = (keys >> np.uint64(64 - 8 * key.itemsize)).astype(key)

    def by_numpy(copy: Array) -> None:
        copy.partition(n // 2)
        for half in (copy[: n // 2], copy[n // 2 :]):
            half.sort()

    own = _seconds(lambda copy: _kernels.sort.sort_keys(copy, spare, counts), keys)
    return _seconds(by_numpy, shorter) / own


def _seconds(sort: Callable[[Array], None], keys: Array) -> float:
    times = []
    for _ in range(4):  # the first time, a kernel may have to be compiled
        copy = keys.copy()
        start = perf_counter()
        sort(copy)
        times.append(perf_counter() - start)
    return min(times)
