"""Items of which some are verified: their order, predictions of their errors, and estimated counts."""

from __future__ import annotations

import numpy as np

from fastarac._kernels._jit import Array, kernel
from fastarac._kernels.keys import ordered

SHORT = 64  # so many items that share their upper bits are sorted by insertion
BLOCK = 4096  # terms that are added by themselves, so that a sum of millions keeps its digits


@kernel
def pack_keys(bits: Array, kind: int, shift: int, keys: Array) -> None:
    """Write 64 bits that fall with the value, the lowest `shift` of them the number of the item."""
    sign = bits.dtype.type(1) << bits.dtype.type(8 * bits.itemsize - 1)
    upper = np.uint64(0xFFFFFFFFFFFFFFFF) << np.uint64(shift)
    for i in range(len(bits)):
        key = np.uint64(~ordered(bits[i], sign, kind))
        if bits.itemsize == 4:
            key <<= np.uint64(32)
        keys[i] = (key & upper) | np.uint64(i)


@kernel
def unpack_keys(keys: Array, shift: int, bits: Array, kind: int, order: Array, runs: Array) -> int:
    """Write the number of each item, after a sort of the keys; short runs of one key are put in order.

    `runs` (k, 2) takes the ends of those that are longer and not in order; the number of them.
    """
    n = len(keys)
    mask = (np.uint64(1) << np.uint64(shift)) - np.uint64(1)
    for i in range(n):
        order[i] = np.int64(keys[i] & mask)
    found = 0
    if bits.itemsize == 4:  # a key holds all of it
        return found
    sign = bits.dtype.type(1) << bits.dtype.type(8 * bits.itemsize - 1)
    width = np.uint64(shift)
    start = 0
    for stop in range(1, n + 1):
        if stop < n and keys[stop] >> width == keys[start] >> width:
            continue
        if stop - start > SHORT:
            before = ordered(bits[order[start]], sign, kind)
            for i in range(start + 1, stop):
                here = ordered(bits[order[i]], sign, kind)
                if here > before:
                    runs[found, 0], runs[found, 1] = start, stop
                    found += 1
                    break
                before = here
        else:
            for i in range(start + 1, stop):
                item = order[i]
                own = ordered(bits[item], sign, kind)
                j = i
                while j > start and ordered(bits[order[j - 1]], sign, kind) < own:
                    order[j] = order[j - 1]
                    j -= 1
                order[j] = item
        start = stop
    return found


@kernel
def find_ties(
    values: Array, order: Array, known: Array, starts: Array, places: Array, thresholds: Array
) -> int:
    """Write where each run of one value begins, its value, and where the known items are.

    `thresholds` has one entry before the first run. Returns the number of runs.
    """
    m = k = 0
    before = values[order[0]]
    for i in range(len(order)):
        item = order[i]
        value = values[item]
        if i == 0 or value != before:
            before = value
            starts[m] = i
            m += 1
            thresholds[m] = value
        places[k] = i
        k += int(known[item])
    return m


@kernel
def pool_folds(
    score: Array,
    error: Array,
    weight: Array,
    fold: Array,
    mean: float,
    prior: float,
    edges: Array,
    rates: Array,
    weights: Array,
    ends: Array,
) -> None:
    """Pool neighbours, by rising score, until the error rate never falls: from all folds but one each.

    `edges` takes the highest score of each block and `rates` its error rate, with `prior` items of the
    mean beside its own; the blocks that leave out fold k are those from ``ends[k]`` to ``ends[k + 1]``.
    """
    n = len(score)
    m = 0
    ends[0] = 0
    for k in range(len(ends) - 1):
        first = m
        total, counted = 0.0, 0
        i = 0
        while i < n:
            value, e, w = score[i], 0.0, 0.0
            while i < n and score[i] == value:
                if fold[i] != k:
                    e += weight[i] * error[i]
                    w += weight[i]
                    counted += 1
                i += 1
            if w == 0.0:
                continue
            total += w
            while m > first and rates[m - 1] * w >= e * weights[m - 1]:
                m -= 1
                e += rates[m]
                w += weights[m]
            edges[m], rates[m], weights[m] = value, e, w
            m += 1
        if m == first:
            edges[m], rates[m] = 0.0, mean
            m += 1
        else:
            beside = prior * total / counted
            for b in range(first, m):
                rates[b] = (rates[b] + beside * mean) / (weights[b] + beside)
        ends[k + 1] = m


@kernel
def blocks_by_tie(starts: Array, edges: Array, blocks: Array) -> None:
    """Write the block of each item by the number of its tie: the first whose edge is no lower."""
    block = 0
    for tie in range(len(starts) - 1):
        while block < len(edges) and edges[block] < tie:
            block += 1
        for i in range(starts[tie], starts[tie + 1]):
            blocks[i] = block


@kernel
def blocks_by_score(
    score: Array, order: Array, edges: Array, table: Array, given: Array, blocks: Array
) -> None:
    """Write the block of each item by a score in [0, 1], the higher the lower, in the order of items.

    Edges are of the negative score; ``table[c]`` is the number of those in the cells before c. `given`
    takes the blocks of the items as they were given.
    """
    cells = len(table) - 1
    for i in range(len(score)):
        own = -score[i]
        block = table[int((1.0 + own) * cells)]
        while block < len(edges) and edges[block] < own:
            block += 1
        given[i] = block
    for i in range(len(order)):
        blocks[i] = given[order[i]]


@kernel
def add_up_errors(
    confidence_blocks: Array,
    judge_blocks: Array,
    by_confidence: Array,
    by_judge: Array,
    starts: Array,
    places: Array,
    corrected: Array,
    errors: Array,
    true_accepts: Array,
    false_accepts: Array,
    squares: Array,
) -> tuple[float, float, float]:
    """Write ẽ of each item, the counts at each threshold, and Σẽ² at each but the first.

    A prediction is the sum of the values of two blocks; verified items have ẽ of their own. Returns
    pairs of a correct item above an incorrect one, ties half, but none of an item with itself; Σc̃ẽ
    over the items; and the items of each tie times the errors before and at it, summed.
    """
    wrong = before = 0.0
    above = alone = doubled = 0.0
    k = 0
    true_accepts[0] = false_accepts[0] = 0.0
    n_ties = len(starts) - 1
    for first in range(0, n_ties, BLOCK):
        of_above = of_alone = of_doubled = 0.0
        for tie in range(first, min(first + BLOCK, n_ties)):
            here = own = 0.0
            start, stop = starts[tie], starts[tie + 1]
            for i in range(start, stop):
                value = by_confidence[confidence_blocks[i]] + by_judge[judge_blocks[i]]
                if places[k] == i:
                    value = corrected[k]
                    k += 1
                errors[i] = value
                here += value
                own += value * value
            wrong = before + here
            false_accepts[tie + 1] = wrong
            true_accepts[tie + 1] = stop - wrong
            squares[tie] = own
            of_one = here - own
            of_alone += of_one
            right = stop - start - here
            of_above += here * (start - before) + (right * here - of_one) / 2.0
            of_doubled += (stop - start) * (before + wrong)
            before = wrong
        above += of_above
        alone += of_alone
        doubled += of_doubled
    return above, alone, doubled


@kernel
def add_up_contributions(
    correct: Array,
    incorrect: Array,
    starts: Array,
    errors: Array,
    first: int,
    last: int,
    sums: Array,
) -> None:
    """Write sums of the first four powers of what items add to an error, of the ties from `first` on.

    An item adds the value of a correct item at its threshold, and ẽ times what an incorrect one has
    above it.
    """
    sums[:] = 0.0
    for begin in range(first, last, BLOCK):
        one = two = three = four = 0.0
        for tie in range(begin, min(begin + BLOCK, last)):
            value, rise = correct[tie], incorrect[tie] - correct[tie]
            for i in range(starts[tie], starts[tie + 1]):
                own = value + rise * errors[i]
                square = own * own
                one += own
                two += square
                three += square * own
                four += square * square
        sums[0] += one
        sums[1] += two
        sums[2] += three
        sums[3] += four
