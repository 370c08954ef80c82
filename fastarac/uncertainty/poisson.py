"""Lookup tables from which the bootstrap draws Poisson counts for many small cells."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

# The largest table draws counts for a cell of 2**TOP items. Larger cells use it repeatedly.
TOP = 10
SCALE = 64  # number of bits of a probability, equal to the bits of a random word
# The mean of the summed counts is this many standard deviations below n, so only 2% of sums exceed n.
DEVIATIONS = 2.0
MAX_GUIDE = 1 << 16


class PoissonTables(NamedTuple):
    """Tables for the cells of a stratum, in the layout of `bootstrap_draws.draw_from_tables`."""

    cells: NDArray[np.int64]
    ends: NDArray[np.int64]
    guide: NDArray[np.int32]
    levels: NDArray[np.int64]
    limits: NDArray[np.uint64]
    others: NDArray[np.uint16]
    places: NDArray[np.int32]


def lookups(sizes: NDArray[np.int64]) -> int:
    """Count the table lookups that cells of these sizes need."""
    ones = np.bitwise_count(sizes & ((1 << TOP) - 1))
    return int(np.sum(ones, dtype=np.int64) + np.sum(sizes >> TOP))


def tables_of(cells: NDArray[np.int64], sizes: NDArray[np.int64]) -> PoissonTables:
    """Return the tables for cells with these sizes, all positive."""
    ends = np.cumsum(sizes)
    n = int(ends[-1])
    shift = max(0, (n - 1).bit_length() - max(1, min(2 * len(sizes), MAX_GUIDE)).bit_length())
    guide = np.searchsorted(ends, np.arange(((n - 1) >> shift) + 1) << shift, "right")
    places = [np.flatnonzero(sizes >> level & 1) for level in range(TOP)]
    places.append(np.repeat(np.arange(len(sizes)), sizes >> TOP))
    share = Fraction(max(0.0, 1.0 - DEVIATIONS / math.sqrt(n)))
    columns = [alias_table(share * (1 << level)) for level in range(TOP + 1)]
    stops = np.cumsum([len(place) for place in places])
    levels = [
        (start, len(limits).bit_length() - 1, least, stop - len(place), stop)
        for start, (least, limits, _), place, stop in zip(
            np.cumsum([0, *(len(limits) for _, limits, _ in columns)]), columns, places, stops,
            strict=False,
        )
    ]  # fmt: skip
    return PoissonTables(
        cells,
        ends,
        guide.astype(np.int32),
        np.array(levels, np.int64),
        np.concatenate([limits for _, limits, _ in columns]),
        np.concatenate([others for _, _, others in columns]),
        np.concatenate(places).astype(np.int32),
    )


def poisson_masses(mean: Fraction) -> tuple[int, list[int]]:
    """Return the smallest count with positive probability, and all probabilities times 2**64.

    Each is rounded down, and the mode gets the remainder, so that they sum to 2**64.
    """
    mode = int(mean)
    top, bottom = mean.as_integer_ratio()
    weights = {mode: 1 << (2 * SCALE)}
    k = mode
    while weights[k]:
        weights[k + 1] = weights[k] * top // (bottom * (k + 1))
        k += 1
    for k in range(mode, 0, -1):
        weights[k - 1] = weights[k] * (bottom * k) // top
    total = sum(weights.values())
    masses = {k: (weight << SCALE) // total for k, weight in sorted(weights.items())}
    masses = {k: mass for k, mass in masses.items() if mass}
    masses[mode] += (1 << SCALE) - sum(masses.values())
    least = min(masses)
    return least, [masses.get(k, 0) for k in range(least, max(masses) + 1)]


@lru_cache(32)
def alias_table(mean: Fraction) -> tuple[int, NDArray[np.uint64], NDArray[np.uint16]]:
    """Return the smallest count, and each column's limit and other count, of a Poisson alias table.

    All columns have equal probability (Walker 1977), and their number is a power of two. Limits are in
    units of 2**-64.
    """
    least, masses = poisson_masses(mean)
    log_columns = max(1, (len(masses) - 1).bit_length())
    n = 1 << log_columns
    width = 1 << (SCALE - log_columns)
    masses += [0] * (n - len(masses))
    limits, others = [0] * n, [least + c for c in range(n)]
    small = [c for c in range(n) if masses[c] < width]
    large = [c for c in range(n) if masses[c] >= width]
    while small:
        c, giver = small.pop(), large[-1]
        limits[c], others[c] = masses[c] << log_columns, least + giver
        masses[giver] -= width - masses[c]
        if masses[giver] < width:
            small.append(large.pop())
    return least, np.array(limits, np.uint64), np.array(others, np.uint16)
