"""Draw the resamples of the bootstrap: how often each unit is drawn.

Identical items are counted in cells: `draw_cells` draws from few cells, `draw_from_tables` from many
small ones. Random numbers come from SplitMix64 (Steele, Lea and Flood 2014). Each replicate has its own
stream, so the results do not depend on the number of threads.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from fastarac._kernels._jit import Array, kernel
from fastarac._kernels.codes import CORRECT

# Increment of the generator's state at each step (the constant of SplitMix64).
STEP = np.uint64(0x9E3779B97F4A7C15)
BUFFER = 512  # Number of 64-bit random words generated at a time.
# Largest Poisson(1) count that can be drawn. Counts of 12 or more have probability 8e-10 in all.
N_LIMITS = 12
DIRECT = 10.0  # Binomial counts with at least this mean are drawn by rejection.

_TAIL = np.array(
    [
        math.lgamma(k + 1) - ((k + 0.5) * math.log(k + 1) - (k + 1) + 0.5 * math.log(2 * math.pi))
        for k in range(10)
    ]
)


@kernel
def mix(state: Any) -> Any:
    """Return the random word that the generator gives for `state`."""
    z = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@kernel
def start_of(key: Array, replicate: int) -> Any:
    """Return the initial state of a replicate's stream of random words."""
    return mix(key[0] + mix(key[1] + np.uint64(replicate) * STEP))


@kernel
def next_word(state: Array) -> Any:
    """Return the next random word of a stream."""
    state[0] += STEP
    return mix(state[0])


@kernel
def uniform(state: Array) -> float:
    """Return a random number, uniform in (0, 1)."""
    return (float(next_word(state) >> np.uint64(11)) + 0.5) * 2.0**-53


@kernel
def below(n: int, state: Array) -> int:
    """Return an exactly uniform integer in 0 … n − 1 for n < 2**32, by rejection (Lemire 2019)."""
    wide = np.uint64(n)
    low_bits = np.uint64(0xFFFFFFFF)
    product = (next_word(state) >> np.uint64(32)) * wide
    if product & low_bits < wide:
        least = (low_bits - wide + np.uint64(1)) % wide
        while product & low_bits < least:
            product = (next_word(state) >> np.uint64(32)) * wide
    return np.int64(product >> np.uint64(32))


@kernel
def fill(state: Any, words: Array) -> None:
    """Fill `words` with the random words that follow `state`."""
    for i in range(len(words)):
        words[i] = mix(state + np.uint64(i + 1) * STEP)


@kernel
def poisson_counts(halves: Array, limits: Array, counts: Array) -> int:
    """Turn 32-bit random numbers into Poisson counts, and return their sum."""
    t0, t1, t2, t3 = limits[0], limits[1], limits[2], limits[3]
    t4, t5, t6, t7 = limits[4], limits[5], limits[6], limits[7]
    t8, t9, t10, t11 = limits[8], limits[9], limits[10], limits[11]
    byte = np.uint8
    for i in range(len(counts)):
        u = halves[i]
        counts[i] = (
            byte(u >= t0) + byte(u >= t1) + byte(u >= t2) + byte(u >= t3)
            + byte(u >= t4) + byte(u >= t5) + byte(u >= t6) + byte(u >= t7)
            + byte(u >= t8) + byte(u >= t9) + byte(u >= t10) + byte(u >= t11)
        )  # fmt: skip
    total = np.uint32(0)
    for i in range(len(counts)):
        total += np.uint32(counts[i])
    return np.int64(total)


@kernel
def draw_units(key: Array, first: int, limits: Array, units: Any, largest: int, counts: Array) -> bool:
    """Draw n of n units with replacement, and write the counts; each replicate has a row of `counts`.

    Every unit gets a Poisson count. Then random single draws are added or removed until the sum is n.
    The result has the distribution of a draw with replacement, because Poisson counts are multinomial
    given their sum.

    `units` is (codes, strata, bounds). `strata` (n,) lists the units of each stratum in turn, the
    incorrect units first; it is empty for a single stratum. `bounds` holds the ends of the strata.
    `limits` are 2**32 times the Poisson distribution function. Return False if a count would exceed
    `largest`; the caller then repeats the draw with a wider type.
    """
    codes, strata, bounds = units
    replicates, n = counts.shape
    words = np.empty(BUFFER, np.uint64)
    halves = words.view(np.uint32)
    state = np.empty(1, np.uint64)
    for r in range(replicates):
        row = counts[r]
        state[0] = start_of(key, first + r)
        total = 0
        for start in range(0, n, 2 * BUFFER):
            size = min(2 * BUFFER, n - start)
            fill(state[0], words[: (size + 1) // 2])
            state[0] += np.uint64(BUFFER) * STEP
            total += poisson_counts(halves, limits, row[start : start + size])
        odd = 0
        if len(strata) > 0:
            for i in range(n):
                odd += np.int64(row[i]) * np.int64(codes[i] & CORRECT)
        for s in range(len(bounds) - 1):
            begin, end = bounds[s], bounds[s + 1]
            missing = end - begin - (odd if s == 1 else total - odd)
            while missing > 0:
                i = begin + below(end - begin, state)
                if len(strata) > 0:
                    i = strata[i]
                if np.int64(row[i]) >= largest:
                    return False
                row[i] += np.uint8(1)
                missing -= 1
            while missing < 0:
                i = begin + below(end - begin, state)
                if len(strata) > 0:
                    i = strata[i]
                # Rejection picks a unit with probability proportional to its count, which is below 16.
                if np.int64(next_word(state) >> np.uint64(60)) < np.int64(row[i]):
                    row[i] -= np.uint8(1)
                    missing += 1
    return True


@kernel
def expand_groups(group_counts: Array, codes: Array, counts: Array) -> None:
    """Give each item the count of its group."""
    for r in range(len(counts)):
        row, of_groups = counts[r], group_counts[r]
        for i in range(len(codes)):
            row[i] = of_groups[codes[i]]


@kernel
def tail(k: float) -> float:
    """Return the error of Stirling's formula for ln k!."""
    if k < 10.0:
        return _TAIL[int(k)]
    z = 1.0 / (k + 1.0)
    return (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - z * z / 1680.0) * z * z) * z * z) * z


@kernel
def binomial(n: int, weight: int, whole: int, state: Array) -> int:
    """Draw a binomial count: n trials with probability `weight`/`whole`.

    Use inversion if the mean is small, else Hörmann's transformed rejection (BTRS, 1993). Probabilities
    are computed relative to the probability of the mode, so that errors stay small even for large n.
    """
    if 2 * weight > whole:
        return n - binomial_part(n, whole - weight, whole, state)
    return binomial_part(n, weight, whole, state)


@kernel
def binomial_part(n: int, weight: int, whole: int, state: Array) -> int:
    """Draw as `binomial` does, for a probability of at most 1/2."""
    if n == 0 or weight == 0:
        return 0
    p = weight / whole
    q = (whole - weight) / whole
    odds = weight / (whole - weight)
    size = float(n)
    if size * p < DIRECT:
        none = math.exp(size * math.log1p(-p))
        while True:
            u = uniform(state)
            mass = none
            k = 0
            while u > mass and k < 128:
                u -= mass
                k += 1
                mass *= odds * ((size + 1.0 - k) / k)
            if k <= n and k < 128:
                return k
    root = math.sqrt(size * p * q)
    b = 1.15 + 2.53 * root
    a = -0.0873 + 0.0248 * b + 0.01 * p
    alpha = (2.83 + 5.1 / b) * root
    mode = math.floor((size + 1.0) * p)
    above, beneath = mode + 1.0, size - mode + 1.0
    # Approximately ln(P(mode)/P(mode + 1)).
    lean = math.log(above / (odds * beneath))
    at_mode = tail(mode) + tail(size - mode)
    while True:
        u = uniform(state) - 0.5
        v = uniform(state)
        us = 0.5 - abs(u)
        x = math.floor((2.0 * a / us + b) * u + size * p + 0.5)
        if us >= 0.07 and v <= 0.92 - 4.2 / b:
            return min(n, np.int64(x))  # rounding of n to a float may have made x too large
        if x < 0.0 or x > size:
            continue
        d = x - mode
        ratio = at_mode - tail(x) - tail(size - x) - d * lean
        ratio -= (size - x + 0.5) * math.log1p(-d / beneath) + (x + 0.5) * math.log1p(d / above)
        if math.log(v * alpha / (a / (us * us) + b)) <= ratio:
            return min(n, np.int64(x))


@kernel
def draw_cells(
    key: Array, first: int, sizes: Array, strata: Array, bounds: Array, counts: Array
) -> None:
    """Draw items with replacement, as many from each stratum as its cells hold.

    `sizes` (n_cells,) holds the number of items of each cell; stratum s consists of the cells
    ``strata[bounds[s]:bounds[s + 1]]``.
    """
    state = np.empty(1, np.uint64)
    for r in range(len(counts)):
        row = counts[r]
        state[0] = start_of(key, first + r)
        for s in range(len(bounds) - 1):
            whole = 0
            for i in range(bounds[s], bounds[s + 1]):
                whole += int(sizes[strata[i]])
            left = whole
            for i in range(bounds[s], bounds[s + 1]):
                cell = strata[i]
                size = int(sizes[cell])
                drawn = left if size == whole else binomial(left, size, whole, state)
                row[cell] = drawn
                left -= drawn
                whole -= size


@kernel
def draw_from_tables(key: Array, first: int, tables: Any, counts: Array) -> None:
    """Draw as `draw_cells` does, for many small cells of one stratum, by table lookup.

    Every cell gets a Poisson count whose mean is its size times a number just below 1. If the sum of
    the counts exceeds the number of items, all counts are drawn again. Otherwise, single draws are
    added until the sum is right. As in `draw_units`, the counts are distributed like a draw with
    replacement.

    A cell's Poisson count is a sum of Poisson counts, one for each power of two in its size. Each of
    these counts is drawn from an alias table (Walker 1977). The high bits of a random word choose a
    column c of the table. If the other bits are below ``limits[c]``, the column's own count is drawn,
    else ``others[c]``.

    `tables` is (cells, ends, guide, levels, limits, others, places). A row of `levels` describes an
    alias table: its first column, the base-2 logarithm of the number of columns, the count at the first
    column, and the range of `places` with the indices of the cells that use the table. `ends`
    (n_cells,) holds the cumulative sizes. `guide` holds the cell in which each block of items begins.
    """
    cells, ends, guide, levels, limits, others, places = tables
    n = ends[-1]
    shift = 0
    while (n - 1) >> shift >= len(guide):
        shift += 1
    state = np.empty(1, np.uint64)
    drawn = np.empty(len(cells), np.int64)
    for r in range(len(counts)):
        state[0] = start_of(key, first + r)
        total = n + 1
        while total > n:
            drawn[:] = 0
            total = 0
            for table in range(len(levels)):
                column, log_columns, least, begin, end = levels[table]
                limit = limits[column : column + (1 << log_columns)]
                other = others[column : column + (1 << log_columns)]
                left, right = np.uint64(log_columns), np.uint64(64 - log_columns)
                here = state[0]
                for i in range(begin, end):
                    word = mix(here + np.uint64(i - begin + 1) * STEP)
                    c = np.int64(word >> right)
                    count = least + c if (word << left) < limit[c] else np.int64(other[c])
                    drawn[places[i]] += count
                    total += count
                state[0] = here + np.uint64(end - begin) * STEP
        for _ in range(n - total):
            item = below(n, state)
            cell = np.int64(guide[item >> shift])
            while ends[cell] <= item:
                cell += 1
            drawn[cell] += 1
        row = counts[r]
        for i in range(len(cells)):
            row[cells[i]] = drawn[i]
