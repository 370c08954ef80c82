"""Predicted errors and estimated counts of partly verified items."""

from __future__ import annotations

import math

from fastarac._kernels._jit import Array, kernel
from fastarac._kernels.influence import Line, on_line
from fastarac._kernels.smaller_class import first_from

# Number of terms per partial sum. Short partial sums keep the rounding error of long sums small.
BLOCK = 4096


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
    """Fit isotonic error rates to rising scores by pooling neighbours; each fit leaves out one fold.

    `edges` receives the highest score of each block, and `rates` its error rate. `prior` pseudo-items
    with the error rate `mean` are added to each block. The blocks fitted without fold k are those from
    ``ends[k]`` to ``ends[k + 1]``.
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
def blocks_by_score(
    score: Array, first: int, last: int, edges: Array, table: Array, blocks: Array
) -> None:
    """Write the block of each item from `first` up to `last`, by its score in [0, 1].

    Higher scores have lower blocks, because `edges` holds negated scores. Scores are divided into cells
    of equal width; ``table[c]`` is the number of edges in the cells before c.
    """
    cells = len(table) - 1
    for i in range(first, last):
        own = -score[i]
        block = table[int((1.0 + own) * cells)]
        while block < len(edges) and edges[block] < own:
            block += 1
        blocks[i] = block


@kernel
def add_up_errors(
    first: int,
    last: int,
    confidence_blocks: Array,
    judge_blocks: Array,
    by_confidence: Array,
    by_judge: Array,
    starts: Array,
    places: Array,
    corrected: Array,
    errors: Array,
    false_accepts: Array,
    sums: Array,
) -> None:
    """Write each item's estimated error ẽ, and sums over each block of `BLOCK` ties.

    `false_accepts` receives the errors from the beginning of the block down to each tie. For unverified
    items, ẽ is the sum of the values of two calibration blocks; for verified items, `corrected` holds
    ẽ.

    With c̃ = 1 − ẽ, a row of `sums` (n_blocks, 5) receives sums over the items of a block:

    - the errors;
    - the pairs of a correct item above an incorrect one (ties count half, pairs of an item with itself
      are excluded);
    - Σc̃ẽ;
    - for each tie, its number of items times (errors above the tie + errors down to its end);
    - the number of items.
    """
    n_ties = len(starts) - 1
    k = first_from(places, starts[first * BLOCK], 0, len(places), False)
    for block in range(first, last):
        begin, end = block * BLOCK, min((block + 1) * BLOCK, n_ties)
        before = above = alone = doubled = 0.0
        offset = starts[begin]
        for tie in range(begin, end):
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
            of_one = here - own
            alone += of_one
            right = stop - start - here
            above += here * (start - offset - before) + (right * here - of_one) / 2.0
            doubled += (stop - start) * (before + wrong)
            before = wrong
        row = sums[block]
        row[0], row[1], row[2], row[3], row[4] = before, above, alone, doubled, starts[end] - offset


@kernel
def add_up_blocks(sums: Array, before: Array) -> tuple[float, float, float]:
    """Return columns 1 to 3 of `sums` for all blocks together; write the errors before each block.

    Pairs of items in different blocks are added to the `sums` of `add_up_errors`.
    """
    wrong = right = 0.0
    above = alone = doubled = 0.0
    for b in range(len(sums)):
        row = sums[b]
        before[b] = wrong
        above += row[1] + row[0] * right
        alone += row[2]
        doubled += row[3] + 2.0 * row[4] * wrong
        wrong += row[0]
        right += row[4] - row[0]
    return above, alone, doubled


@kernel
def finish_counts(
    first: int,
    last: int,
    before: Array,
    starts: Array,
    anchor: float,
    true_accepts: Array,
    false_accepts: Array,
) -> None:
    """Add the errors of earlier blocks to blocks `first` up to `last`; write the correct items.

    Adding and subtracting `anchor` rounds the errors to the precision of the total number of items, so
    that errors and correct items add up to the number of items exactly.
    """
    n_ties = len(starts) - 1
    for block in range(first, last):
        for tie in range(block * BLOCK, min((block + 1) * BLOCK, n_ties)):
            wrong = false_accepts[tie + 1] + before[block] + anchor - anchor
            false_accepts[tie + 1] = wrong
            true_accepts[tie + 1] = starts[tie + 1] - wrong


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
    """Write the sums of the first four powers of the items' contributions, for ties `first` to `last`.

    The contribution of an item of tie t is (1 − ẽ)·C + ẽ·W, where C = `correct[t]`, W = `incorrect[t]`,
    and ẽ is its estimated error.
    """
    sums[:] = 0.0
    for begin in range(first, last, BLOCK):
        part = 0.0, 0.0, 0.0, 0.0
        for tie in range(begin, min(begin + BLOCK, last)):
            rise = incorrect[tie] - correct[tie]
            part = _add_powers(part, correct[tie], rise, errors, starts[tie], starts[tie + 1])
        for power in range(4):
            sums[power] += part[power]


@kernel
def add_up_along_lines(
    correct: Line,
    incorrect: Line,
    true_accepts: Array,
    false_accepts: Array,
    starts: Array,
    errors: Array,
    first: int,
    last: int,
    sums: Array,
) -> None:
    """Write the sums of `add_up_contributions`, with C and W computed by `on_line`.

    For C, M is the number of incorrect items above; for W, the number of correct items above.
    """
    sums[:] = 0.0
    for begin in range(first, last, BLOCK):
        part = 0.0, 0.0, 0.0, 0.0
        for tie in range(begin, min(begin + BLOCK, last)):
            value = on_line(correct, false_accepts[tie] + false_accepts[tie + 1])
            rise = on_line(incorrect, true_accepts[tie] + true_accepts[tie + 1]) - value
            part = _add_powers(part, value, rise, errors, starts[tie], starts[tie + 1])
        for power in range(4):
            sums[power] += part[power]


@kernel
def _add_powers(
    part: tuple[float, float, float, float],
    value: float,
    rise: float,
    errors: Array,
    start: int,
    stop: int,
) -> tuple[float, float, float, float]:
    """Add the first four powers of value + rise · ẽ for the items from `start` up to `stop`."""
    one, two, three, four = part
    for i in range(start, stop):
        own = value + rise * errors[i]
        square = own * own
        one += own
        two += square
        three += square * own
        four += square * square
    return one, two, three, four


@kernel
def possible_counts(
    true_accepts: Array, false_accepts: Array, n_incorrect: float, right: Array, wrong: Array
) -> None:
    """Write the possible counts nearest to the estimated ones, if `n_incorrect` of all items are wrong.

    Wrong accepted items cannot outnumber the accepted items, and the other wrong items cannot outnumber
    the rejected ones.
    """
    last = len(true_accepts) - 1
    total = true_accepts[last] + false_accepts[last]
    for i in range(last + 1):
        accepted = true_accepts[i] + false_accepts[i]
        errors = max(false_accepts[i], accepted - (total - n_incorrect), 0.0)
        errors = min(errors, accepted, n_incorrect)
        wrong[i] = errors
        right[i] = accepted - errors


@kernel
def rising_counts(true_accepts: Array, false_accepts: Array, right: Array, wrong: Array) -> None:
    """Write counts in which the errors never fall.

    The rejected errors never outnumber the rejected items.
    """
    last = len(true_accepts) - 1
    most = 0.0
    for i in range(last + 1):
        most = max(most, false_accepts[i])
        wrong[i] = min(most, true_accepts[i] + false_accepts[i])
    total = true_accepts[last] + false_accepts[last]
    n_correct = total - wrong[last]
    for i in range(last + 1):
        accepted = true_accepts[i] + false_accepts[i]
        errors = max(wrong[i], accepted - n_correct)
        wrong[i] = errors
        right[i] = accepted - errors


@kernel
def precision_sum(true_accepts: Array, false_accepts: Array, errors: Array, steps: bool) -> float:
    """Return ∫ P dT, where P is the precision and T the number of accepted correct items.

    With `steps`, each tie has the precision at its threshold. Otherwise, the precision changes within a
    tie while its items are accepted gradually.
    """
    total = 0.0
    n_ties = len(true_accepts) - 1
    for begin in range(0, n_ties, BLOCK):
        part = 0.0
        for i in range(begin, min(begin + BLOCK, n_ties)):
            t, f = true_accepts[i], false_accepts[i]
            p, q = true_accepts[i + 1] - t, false_accepts[i + 1] - f
            n, g = t + f, true_accepts[i + 1] + false_accepts[i + 1] - (t + f)
            squares = 0.0
            for k in range(int(n), int(n + g)):  # these sums of estimated counts are whole numbers
                squares += errors[k] * errors[k]
            # Σc̃ᵢc̃ⱼ over i ≠ j, plus Σc̃, for c̃ = 1 − ẽ: this is p² + Σc̃ẽ.
            pairs = p * p + (q - squares)
            if steps:
                part += (p * t + pairs) / (n + g)
            elif i == 0:
                part += pairs / g
            else:
                log = math.log1p(g / n)
                part += (pairs * (1.0 - n / g * log) + p * t * log) / g
        total += part
    return total
