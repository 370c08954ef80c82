"""Whether numpy or our own kernel sorts keys faster: that depends on the processor."""

from __future__ import annotations

from functools import cache
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac import _kernels

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Array = NDArray[Any]

TRIAL = 1 << 12  # keys that are sorted to find out
AS_FAST = 1.5  # times as long as `sort_keys`: with more keys that one has to have spread them before


def numpy_sorts_well(key: np.dtype[Any]) -> bool:
    """Whether numpy sorts keys of this type about as fast as `sort_keys` those of 64 bits."""
    return slowness(key) < AS_FAST


@cache
def slowness(key: np.dtype[Any]) -> float:
    """How many times as long as `sort_keys` numpy takes: measured once a process, in some 100 µs."""
    keys = np.arange(TRIAL, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    spare = np.empty_like(keys)
    counts = np.empty(_kernels.threshold.counts_needed(TRIAL), np.int32)
    shorter = (keys >> np.uint64(64 - 8 * key.itemsize)).astype(key)

    def by_numpy(copy: Array) -> None:
        copy.partition(TRIAL // 2)
        for half in (copy[: TRIAL // 2], copy[TRIAL // 2 :]):
            half.sort()

    own = _seconds(lambda copy: _kernels.threshold.sort_keys(copy, spare, counts), keys)
    return _seconds(by_numpy, shorter) / own


def _seconds(sort: Callable[[Array], None], keys: Array) -> float:
    times = []
    for _ in range(4):  # the first time, a kernel may have to be compiled
        copy = keys.copy()
        start = perf_counter()
        sort(copy)
        times.append(perf_counter() - start)
    return min(times)
