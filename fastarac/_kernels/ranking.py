"""Loops over a batch of rankings: query q has the items from offsets[q] to offsets[q + 1].

Each kernel processes the queries from `first` up to `last` and writes their rows of `out`.
"""

from __future__ import annotations

import numpy as np

from fastarac._kernels._jit import Array, kernel
from fastarac._kernels.sort import counts_needed, sort_keys
from fastarac._kernels.weighted import sort_pairs

MAX_GRADE = 63  # Largest whole-number gain for which gains are sorted by counting.


@kernel
def hits(relevance: Array, offsets: Array, ranks: Array, first: int, last: int, out: Array) -> None:
    """Write the number of relevant items up to each of the rising `ranks`."""
    for q in range(first, last):
        start = offsets[q]
        length = offsets[q + 1] - start
        found = 0
        rank = 0
        for j in range(len(ranks)):
            stop = min(ranks[j], length)
            while rank < stop:
                found += np.int64(relevance[start + rank])
                rank += 1
            out[q, j] = found


@kernel
def precision_sums(relevance: Array, offsets: Array, first: int, last: int, out: Array) -> None:
    """Write the sum of the precisions at the relevant items, their number, and the first one's rank.

    The rank is 0 if no item is relevant.
    """
    for q in range(first, last):
        start = offsets[q]
        found = 0
        total = 0.0
        top = 0
        for i in range(start, offsets[q + 1]):
            if relevance[i]:
                found += 1
                total += found / (i - start + 1)
                if found == 1:
                    top = i - start + 1
        out[q, 0] = total
        out[q, 1] = found
        out[q, 2] = top


@kernel
def discounted_sums(
    gains: Array, offsets: Array, discounts: Array, first: int, last: int, out: Array
) -> None:
    """Write the sum of gains times discounts, down to the last rank that has a discount."""
    for q in range(first, last):
        start = offsets[q]
        total = 0.0
        for rank in range(min(len(discounts), offsets[q + 1] - start)):
            total += gains[start + rank] * discounts[rank]
        out[q] = total


@kernel
def best_sums(
    gains: Array, offsets: Array, discounts: Array, first: int, last: int, out: Array
) -> None:
    """Write the `discounted_sums` of the best ranking, with gains (>= 0) in falling order."""
    most = 0
    for q in range(first, last):
        most = max(most, offsets[q + 1] - offsets[q])
    grades = np.empty(MAX_GRADE + 1, np.int64)
    sorted_gains = np.empty(most)
    bits = sorted_gains.view(np.uint64)  # for floats >= 0, the bits sort like the values
    spare = np.empty(most, np.uint64)
    counts = np.empty(counts_needed(most), np.int32)
    for q in range(first, last):
        start = offsets[q]
        length = offsets[q + 1] - start
        shown = min(len(discounts), length)
        grades[:] = 0
        whole = 0
        while whole < length:
            gain = gains[start + whole]
            if not (0 <= gain <= MAX_GRADE and gain == np.int64(gain)):
                break
            grades[np.int64(gain)] += 1
            whole += 1
        total = 0.0
        rank = 0
        if whole == length:
            grade = MAX_GRADE
            while grade > 0 and rank < shown:
                stop = min(rank + grades[grade], shown)
                while rank < stop:
                    total += grade * discounts[rank]
                    rank += 1
                grade -= 1
        else:
            for i in range(length):
                sorted_gains[i] = gains[start + i] + 0.0  # adding 0.0 turns minus zero into zero
            sort_keys(bits[:length], spare, counts)
            while rank < shown:
                total += sorted_gains[length - 1 - rank] * discounts[rank]
                rank += 1
        out[q] = total


@kernel
def ranks_by_key(keys: Array, offsets: Array, first: int, last: int, order: Array) -> None:
    """Write into `order` each query's items by rising key; equal keys stay in order."""
    for q in range(first, last):
        start = offsets[q]
        length = offsets[q + 1] - start
        rising = np.empty(length, np.uint64)
        places = np.empty(length)
        for i in range(length):
            rising[i] = keys[start + i]
            places[i] = i
        sort_pairs(rising, places)
        for rank in range(length):
            order[start + rank] = start + np.int64(places[rank])
