"""The choice of the method that sorts or counts the items, and the sizes that it depends on.

All methods ("ways") give the same numbers, to the last bit.
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
        """The attributes of items on which the choice of a method depends."""

        n: int
        weight: NDArray[np.float64] | None
        layout: Any

        @property
        def sample(self) -> Array: ...


Need = Literal["pairs", "corners", "runs", "thresholds", "sums", "curve", "precision"]
"""The result that is needed: pair counts; the points at which a curve may bend; the points between
runs; every threshold; sums over the thresholds; the curve points that scikit-learn keeps; only the
average precision."""

Way = Literal[
    "few",  # few items: one kernel sorts and counts them
    "one bucket",  # the library's kernel sorts all items together
    "smaller class",  # the smaller class is sorted, and the larger class is counted around it
    "quantized",  # confidences are quantized to 32 bits and sorted
    "counted",  # the items at each distinct value are counted in a table
    "numpy",  # numpy sorts two halves
    "buckets",  # the items are distributed over buckets that fit the cache
    "weighted",  # like "buckets", but each key moves together with its weight
]


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes at which methods change: numbers or shares of items, unless stated otherwise."""

    few: int = 1 << 11
    """Up to this many items are sorted and counted by one kernel."""
    single: int = 1 << 16
    """Up to this many items are read as one chunk and sorted as one bucket."""
    chunk: int = 1 << 16
    """Number of items converted at a time, if the arrays do not have the form that the kernels need."""
    per_thread: int = 1 << 16
    """Minimum number of items per thread; for fewer items, another thread is not worthwhile."""
    points: int = 1 << 18
    """Number of points of a sweep that are summed at a time."""

    sample: int = 1 << 12
    """Size of the sample of confidences by which a way is chosen."""
    repeats: float = 4
    """Values are counted if each distinct value of the sample occurs at least this often on average."""

    buckets_of: int = 1 << 13
    """Intended number of items in a bucket."""
    max_buckets: int = 1 << 9
    coarser: int = 4
    """Weighted pairs use fewer buckets by this factor: only the smaller class must fit the cache."""
    task: int = 8
    """Number of buckets that a thread takes at a time."""
    blocks_of: int = 1 << 15
    """Intended number of items in a block of groups."""
    max_blocks: int = 1 << 9
    max_block_shift: int = 15
    """Logarithm (base 2) of the maximum number of groups in a block. Each group has two halves, and the
    halves in a block are numbered in 16 bits."""
    table_bits: int = 12
    """Logarithm (base 2) of the number of slots of the smallest hash table for labels. At most half of
    the slots are used."""

    trial: int = 1 << 12
    """Number of keys sorted to measure how fast numpy sorts."""
    as_fast: float = 1.5
    """numpy counts as fast if it takes less than this multiple of the time of the library's kernel. The
    kernel must also distribute large inputs over buckets before it can sort them."""
    halves: int = 1 << 21
    """Up to this many items are sorted by numpy with any number of threads, if numpy is fast."""
    max_threads: int = 2
    """With at most this many threads, numpy sorts even more than `halves` items."""
    threaded_keys: int = 1 << 19
    """From this many items on, several threads make the keys that numpy sorts."""
    counts_a_sort: int = 16
    """Number of keys counted in the time in which one key is sorted."""

    max_share: float = 3 / 100
    """Largest share of the smaller class for counting pairs around it."""
    max_corner_share: float = 3 / 200
    """Largest share of the smaller class for finding corners around it, which takes longer."""
    max_shared: float = 1 / 2
    """Largest share of the sample in cells that hold items of the smaller class."""
    pair_cells: tuple[int, int] = (8, 20)
    """Number of cells per item of the smaller class, and logarithm (base 2) of the maximum number of
    cells."""
    corner_cells: tuple[int, int] = (16, 20)

    look_bits: int = 16
    """Number of upper bits of the keys that are compared to find sample values close to each other."""
    max_alike: float = 1 / 8
    """Largest share of sample values that agree with their neighbour in the upper `look_bits` bits."""
    max_repeats: float = 2
    """Largest number of sample values with the same key as their neighbour."""
    exact_ends: int = 1 << 19
    """Up to this many items, the cells span exactly the range of the confidences."""
    max_quantized: int = 1 << 26
    """Maximum number of items for quantized keys. With more items, too many would share a key."""
    max_mark_bits: int = 22
    mark_items: int = 4
    """Logarithm (base 2) of the number of items per mark."""
    max_picked: float = 1 / 8
    min_picked: int = 64
    quantized_spread: int = 1 << 20
    """From this many items on, quantized keys are distributed over buckets before they are sorted."""
    quantized_buckets_of: int = 1 << 15
    max_quantized_buckets: int = 1 << 8


sizes = Sizes()
"""The sizes in use. Tests replace this object to send small data along any way."""

QUANTIZED_KEY = np.dtype(np.uint32)
_FEW: tuple[Way] = ("few",)
_WEIGHTED: tuple[Way] = ("weighted",)


def choose(items: Choosable, need: Need) -> Iterable[Way]:
    """Return the methods for a needed result, in the order of trying; the last one always works."""
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
    """Return the method to try first."""
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
        # numpy sorts two halves. If values of both signs occur, making the halves may need twice the
        # memory.
        one_sided = (sample[0] < 0) == (sample[-1] < 0)
        many = one_sided and n_threads(items.n) <= sizes.max_threads
        if items.n <= sizes.halves or many:
            yield "numpy"
    yield "buckets"


def sample_of(confidence: Array) -> Array:
    """Return a sorted sample of the confidences."""
    return np.sort(confidence[:: len(confidence) // sizes.sample or 1])


def has_few_values(sample: Array) -> bool:
    """Return whether the values of a sample repeat so often that counting beats sorting."""
    return 1 + int(np.count_nonzero(sample[1:] != sample[:-1])) < len(sample) // sizes.repeats


def n_threads(n_items: int) -> int:
    """Return how many threads to use for `n_items`."""
    worth = n_items // sizes.per_thread
    return max(1, min(processors(), worth)) if worth > 1 else 1


def processors() -> int:
    """Return ``FASTARAC_NUM_THREADS`` if it is set, else the number of processors for this process."""
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
    """Return whether numpy sorts keys of this type about as fast as our kernel sorts 64-bit keys."""
    return slowness(key) < sizes.as_fast


@cache
def slowness(key: np.dtype[Any]) -> float:
    """Return numpy's sorting time divided by the sorting time of `sort_keys`."""
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
    for _ in range(4):  # the first run may include compilation; the minimum ignores it
        copy = keys.copy()
        start = perf_counter()
        sort(copy)
        times.append(perf_counter() - start)
    return min(times)
