"""Points of curves and sums over ties for scikit-learn's metrics.

Keys are as in `keys`: sorted, with the label in the lowest bit. A *tie* is all items of one score: `p`
positive and `q` negative items. Ties are visited from the highest score down, that is, from the end of
the keys. `tp` and `fp` count the positive and negative items down to the end of the tie.

Points of a curve are written directly from the sorted buckets, so that omitted ties need no memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fastarac._kernels._jit import Array, kernel
from fastarac._kernels.codes import CORNERS, COUNTS, EVERY, MISSES, PRECISION, TP_CHANGES
from fastarac._kernels.double_double import add, multiply
from fastarac._kernels.keys import next_tie, one_and_sign, threshold_bits
from fastarac._kernels.sort import HALF_CELLS, MANTISSA_SHIFT, N_CELLS
from fastarac._kernels.ties import small_pairs, sorted_halves

BLOCK = 1 << 12  # After this many labels, `encode` checks that each was one of two values.
ROWS = 1 << 11  # Number of rows processed together, so that the index of a column stays in the cache.
HALF_PLACES = HALF_CELLS << MANTISSA_SHIFT


@kernel
def first_other(values: Array) -> int:
    """Return the index of the first value unlike `values[0]`; if all are equal, their number."""
    k = 1
    while k < len(values) and values[k] == values[0]:
        k += 1
    return k


@kernel
def encode(values: Array, low: Any, high: Any, codes: Array) -> bool:
    """Write 1 for `high` and 0 for all other values; return whether all others equal `low`."""
    start = 0
    while start < len(values):
        stop = min(start + BLOCK, len(values))
        block = values[start:stop]
        block_codes = codes[start:stop]
        known = 0
        for i in range(len(block)):
            is_high = 1 if block[i] == high else 0
            block_codes[i] = is_high
            known += is_high + (1 if block[i] == low else 0)
        if known < len(block):
            return False
        start = stop
    return True


@kernel
def is_kept(rule: int, p: int, q: int, next_p: int, next_q: int) -> bool:
    """Return whether a tie becomes a point; `next_p` and `next_q` belong to the tie below."""
    if rule == EVERY or next_p < 0:  # next_p is -1 at the lowest tie
        return True
    if rule == CORNERS:
        return p != next_p or q != next_q
    return p > 0 or next_p > 0


@kernel
def describe_buckets(
    keys: Array,
    bounds: Array,
    first: int,
    last: int,
    results: Array,
    rule: int,
) -> None:
    """Write a row of counts for each sorted bucket from `first` up to `last` into `results`.

    A row (9,) holds: ties; positives; negatives; kept ties, without the lowest tie; whether the highest
    tie is kept and there are others; p and q of the highest tie; p and q of the lowest tie.
    """
    for b in range(first, last):
        bucket = keys[bounds[b] : bounds[b + 1]]
        row = results[b]
        row[:] = 0
        end = len(bucket)
        if end == 0:
            continue
        end, p, q = next_tie(bucket, end)
        ties = 1
        positives = p
        row[5] = p
        row[6] = q
        kept = 0
        while end > 0:
            end, next_p, next_q = next_tie(bucket, end)
            keep = is_kept(rule, p, q, next_p, next_q)
            if ties == 1:
                row[4] = keep
            kept += 1 if keep else 0
            ties += 1
            p = next_p
            q = next_q
            positives += p
        row[0] = ties
        row[1] = positives
        row[2] = len(bucket) - positives
        row[3] = kept
        row[7] = p
        row[8] = q


@kernel
def place_buckets(rows: Array, rule: int, starts: Array) -> tuple[int, int, int]:
    """Write into `starts` where the points of each bucket begin; return (points, positives, negatives).

    `rows` is the output of `describe_buckets`. A row (5,) of `starts` receives:

    - the position of the bucket's first point (positions start at 1);
    - the positives and the negatives above the bucket;
    - p and q of the tie below the bucket, or -1 without such a tie.
    """
    position = 1
    tp = 0
    fp = 0
    higher = -1  # the last bucket visited; the tie below it is not known yet
    for r in range(len(rows) + 1):
        b = len(rows) - 1 - r
        if b >= 0 and rows[b, 0] == 0:
            continue
        if higher >= 0:
            below_p: Any = rows[b, 5] if b >= 0 else np.int64(-1)
            below_q: Any = rows[b, 6] if b >= 0 else np.int64(-1)
            starts[higher, 3] = below_p
            starts[higher, 4] = below_q
            lowest = is_kept(rule, rows[higher, 7], rows[higher, 8], below_p, below_q)
            position += rows[higher, 3] + (1 if lowest else 0)
            highest = rows[higher, 4] > 0 if rows[higher, 0] > 1 else lowest
            if starts[higher, 1] + starts[higher, 2] == 0 and keeps_first(rule) and not highest:
                position += 1
            tp += rows[higher, 1]
            fp += rows[higher, 2]
        if b >= 0:
            starts[b, 0] = position
            starts[b, 1] = tp
            starts[b, 2] = fp
            higher = b
    return position - 1, tp, fp


@kernel
def keeps_first(rule: int) -> bool:
    """Return whether the highest tie always becomes a point."""
    return rule in (CORNERS, TP_CHANGES)


@kernel
def write_points(
    keys: Array, bounds: Array, first: int, last: int, starts: Array, options: Any, out: Any
) -> None:
    """Write the points of the buckets from `first` up to `last`.

    `options` is (below, kind, rule, mode, falling, positives, negatives). The first `below` buckets
    hold the negative scores; if `falling`, the highest score is written first. `out` is (thresholds as
    bits of the scores, x, y) and, for COUNTS only, also TN and FN.
    """
    thresholds, x, y, tn, fn = out
    below, kind, rule, mode, falling, positives, negatives = options
    by_p = np.float64(max(positives, 1))
    by_n = np.float64(max(negatives, 1))
    one, sign = one_and_sign(keys)
    final = len(x) - 1
    for b in range(first, last):
        bucket = keys[bounds[b] : bounds[b + 1]]
        upper = b >= below
        position = starts[b, 0]
        tp = starts[b, 1]
        fp = starts[b, 2]
        keep_this = keeps_first(rule) and tp + fp == 0
        end = len(bucket)
        if end == 0:
            continue
        start, p, q = next_tie(bucket, end)
        while end > 0:
            tp += p
            fp += q
            if start > 0:
                next_start, next_p, next_q = next_tie(bucket, start)
            else:
                next_start, next_p, next_q = start, starts[b, 3], starts[b, 4]
            if keep_this or is_kept(rule, p, q, next_p, next_q):
                i = position if falling else final - position
                thresholds[i] = threshold_bits(bucket[start] >> one, upper, kind, sign)
                if mode == COUNTS:
                    x[i] = fp
                    y[i] = tp
                    tn[i] = negatives - fp
                    fn[i] = positives - tp
                else:
                    x[i] = np.float64(tp) / np.float64(tp + fp) if mode == PRECISION else fp / by_n
                    y[i] = (positives - tp if mode == MISSES else tp) / by_p
                position += 1
            keep_this = False
            end = start
            start = next_start
            p = next_p
            q = next_q


@kernel
def add_up_weights(
    keys: Array, weights: Array, bounds: Array, kind: int, thresholds: Array, tp: Array, fp: Array
) -> None:
    """Write the sums of the weights from the highest score down to each tie, added one by one.

    Items of a tie are added in their given order, as in a cumulative sum over stably sorted items.
    """
    one, sign = one_and_sign(keys)
    positive = 0.0
    negative = 0.0
    j = 0
    n_buckets = len(bounds)
    for r in range(n_buckets):
        b = n_buckets - 1 - r
        bucket = keys[bounds[b, 0] : bounds[b, 1]]
        bucket_weights = weights[bounds[b, 0] : bounds[b, 1]]
        end = len(bucket)
        while end > 0:
            start, _, _ = next_tie(bucket, end)
            for i in range(start, end):
                if bucket[i] & one:
                    positive += bucket_weights[i]
                else:
                    negative += bucket_weights[i]
            thresholds[j] = threshold_bits(bucket[start] >> one, 2 * b >= n_buckets, kind, sign)
            tp[j] = positive
            fp[j] = negative
            j += 1
            end = start


@kernel
def add_precision(high: float, low: float, p: float, tp: float, accepted: float) -> tuple[float, float]:
    """Add p·tp/accepted to the sum high + low; the counts are whole numbers.

    The rounding errors of `high` are collected in `low`, so that only one addition per step waits for
    the previous step.
    """
    term = tp / accepted
    product, error = multiply(term, 0.0, accepted, 0.0)
    rest = ((tp - product) - error) / accepted
    if p != 1.0:
        term, rest = multiply(term, rest, p, 0.0)
    total = high + term
    part = total - high
    low += (high - (total - part)) + (term - part) + rest
    return total, low


@kernel
def quotient(high: float, low: float, by: float) -> float:
    """Return (high + low)/by, rounded once; `by` is a whole number."""
    result = high / by
    product, error = multiply(result, 0.0, by, 0.0)
    return result + (((high - product) - error) + low) / by


@kernel
def precision_sum(keys: Array, tp: int, fp: int) -> tuple[float, float]:
    """Return Σ p·tp/(tp + fp) over the ties of sorted keys, as a double-double.

    The arguments `tp` and `fp` count the items above `keys`.
    """
    high = 0.0
    low = 0.0
    end = len(keys)
    while end > 0:
        end, p, q = next_tie(keys, end)
        tp += p
        fp += q
        if p > 0:
            accepted = np.float64(tp + fp)
            high, low = add_precision(high, low, np.float64(p), np.float64(tp), accepted)
    return high, low


@kernel
def small_precision(
    bits: Array, labels: Array, kind: int, exponent: Any
) -> tuple[bool, int, float, float]:
    """Return (whether a score is not finite, positives, high and low `precision_sum`) of few items."""
    bad, _, lower, upper = sorted_halves(bits, labels, kind, exponent)
    one = bits.dtype.type(1)
    tp = 0
    for key in upper:
        tp += np.int64(key & one)
    positives = tp
    for key in lower:
        positives += np.int64(key & one)
    high, low = precision_sum(upper, 0, 0)
    other_high, other_low = precision_sum(lower, tp, len(upper) - tp)
    high, low = add(high, low, other_high, other_low)
    return bad, positives, high, low


@kernel
def roc_areas(bits: Array, labels: Array, kind: int, exponent: Any, areas: Array) -> None:
    """Write the ROC area of each row; NaN if it has one class only."""
    for r in range(len(bits)):
        _, _, correct, incorrect, doubled = small_pairs(bits[r], labels[r], kind, exponent)
        areas[r] = np.nan
        if correct > 0 and incorrect > 0:
            areas[r] = np.float64(doubled) / np.float64(2 * correct * incorrect)


@kernel
def average_precisions(bits: Array, labels: Array, kind: int, exponent: Any, values: Array) -> None:
    """Write the average precision of each row; NaN if it has no positive item."""
    for r in range(len(bits)):
        _, positives, high, low = small_precision(bits[r], labels[r], kind, exponent)
        values[r] = np.nan
        if positives > 0:
            values[r] = quotient(high, low, np.float64(positives))


@kernel
def ends_of(low: float, high: float) -> Any:
    """Return the `ends` argument of `sort.cell_of` for values from `low` to `high`."""
    middle = low / 2 + high / 2
    base = (np.float64(middle - low).view(np.int64) >> np.int64(MANTISSA_SHIFT)) - HALF_CELLS + 1
    return low, middle, high, base


@kernel
def place_of(value: float, ends: Any) -> Any:
    """Return one number that holds the cell of `value` (see `sort.cell_of`) and its offset there."""
    low, middle, high, base = ends
    value = min(max(value, low), high)
    below = value < middle
    distance = np.float64(value - low if below else high - value)
    place = distance.view(np.int64) - (base << np.int64(MANTISSA_SHIFT))
    place = min(max(place, np.int64(0)), np.int64(HALF_PLACES - 1))
    return place if below else np.int64(2 * HALF_PLACES - 1) - place


@kernel
def part_of(place: Any, cells: Array) -> Any:
    """Return the number of the part (see `index_columns`) that holds a `place` (see `place_of`)."""
    cell = cells[place >> np.int64(MANTISSA_SHIFT)]
    inside = place & np.int64((1 << MANTISSA_SHIFT) - 1)
    return (cell >> np.int64(8)) + (inside >> (cell & np.int64(255)))


@kernel
def index_columns(
    values: Array, bounds: Array, first: int, last: int, highest: Any, index: Any
) -> None:
    """Prepare the lookup of scores among the sorted columns `values[bounds[c]:bounds[c + 1]]`.

    No column may be empty. `index` is (levels, below, limits, cells, starts). From `bounds[c] + 2·c`
    on, `levels` receives the distinct values of column c, then the sentinel `highest`, which no score
    exceeds. `below` receives the number of column values below each.

    A cell (see `sort.cell_of`) is divided into parts of equal width, at least two per distinct value.
    `cells` (last - first, N_CELLS) receives, for each cell, the number of its first part and a number
    of bits. An offset in the cell, shifted right by these bits, is the number of its part within the
    cell. `starts` receives the index of each part's first distinct value. `limits` (last - first, 2)
    receives the range of each column.
    """
    levels, below, limits, cells, starts = index
    for c in range(first, last):
        own = values[bounds[c] : bounds[c + 1]]
        n = len(own)
        offset = bounds[c] + 2 * c
        size = 0
        for i in range(n):
            if i == 0 or own[i] != own[i - 1]:
                levels[offset + size] = own[i]
                below[offset + size] = i
                size += 1
        levels[offset + size] = highest
        below[offset + size] = n
        below[offset + size + 1] = n
        low = np.float64(own[0])
        high = np.float64(own[n - 1])
        limits[c - first, 0] = low
        limits[c - first, 1] = high
        ends = ends_of(low, high)
        own_cells = cells[c - first]
        own_cells[:] = 0
        for i in range(offset, offset + size):
            own_cells[place_of(np.float64(levels[i]), ends) >> np.int64(MANTISSA_SHIFT)] += 1
        begin = np.int64((c - first) * (N_CELLS + 1) + 4 * (bounds[c] - bounds[first]))
        end = begin
        for k in range(N_CELLS):
            bits = 0
            while (1 << bits) < 2 * own_cells[k]:
                bits += 1
            own_cells[k] = (end << 8) | (MANTISSA_SHIFT - bits)
            end += 1 << bits
        starts[begin : end + 1] = 0
        for i in range(offset, offset + size):
            starts[part_of(place_of(np.float64(levels[i]), ends), own_cells) + 1] += 1
        starts[begin] = offset
        for k in range(begin, end):
            starts[k + 1] += starts[k]


@kernel
def rank_rows(
    scores: Array, codes: Array, columns: Array, start: int, stop: int, index: Any, sums: Array
) -> None:
    """Look up the scores of rows `start` to `stop` in the columns that `index` was made for.

    The count of a score is 2·(column values below it) + (column values equal to it). It is added to
    `sums` (len(columns), n_classes) at the row's class, or to the only entry if `sums` has one column.
    """
    levels, below, limits, cells, starts = index
    by_class = sums.shape[1] > 1
    column = np.empty(ROWS, scores.dtype)
    places = np.empty(ROWS, np.int64)
    unfinished = np.empty(ROWS + 1, np.int64)
    for top in range(start, stop, ROWS):
        size = min(ROWS, stop - top)
        for c in range(len(columns)):
            for i in range(size):
                column[i] = scores[top + i, columns[c]]
            ends = ends_of(limits[c, 0], limits[c, 1])
            for i in range(size):
                places[i] = place_of(np.float64(column[i]), ends)
            own_cells = cells[c]
            rest = 0
            for i in range(size):
                value = column[i]
                k = np.int64(starts[part_of(places[i], own_cells)])
                # Three steps nearly always reach the score. They have no branches, because the
                # processor would mispredict them.
                k += 1 if levels[k] < value else 0
                k += 1 if levels[k] < value else 0
                k += 1 if levels[k] < value else 0
                places[i] = 2 * k + (1 if levels[k] == value else 0)
                unfinished[rest] = i
                rest += 1 if levels[k] < value else 0
            for r in range(rest):
                i = unfinished[r]
                value = column[i]
                k = places[i] >> 1
                end = np.int64(starts[part_of(place_of(np.float64(value), ends), own_cells) + 1])
                while k < end:
                    middle = (k + end) >> 1
                    if levels[middle] < value:
                        k = middle + 1
                    else:
                        end = middle
                places[i] = 2 * k + (1 if levels[k] == value else 0)
            for i in range(size):
                k = places[i] >> 1
                places[i] = np.int64(below[k]) + np.int64(below[k + (places[i] & 1)])
            if by_class:
                for i in range(size):
                    sums[c, np.int64(codes[top + i])] += places[i]
            else:
                total = np.int64(0)
                for i in range(size):
                    total += places[i]
                sums[c, 0] += total


@kernel
def discounted_gains(gains: Array, scores: Array, cumulative_discounts: Array, results: Array) -> None:
    """Write the discounted cumulative gain of each row; tied scores share their mean gain."""
    for r in range(len(gains)):
        order = np.argsort(scores[r], kind="mergesort")
        total = 0.0
        rank = 0
        used = 0.0  # sum of the discounts of the ranks above this tie
        i = len(order) - 1
        while i >= 0:
            value = scores[r, order[i]]
            gain = gains[r, order[i]]
            size = 1
            i -= 1
            while i >= 0 and scores[r, order[i]] == value:
                gain += gains[r, order[i]]
                size += 1
                i -= 1
            rank += size
            total += gain / size * (cumulative_discounts[rank - 1] - used)
            used = cumulative_discounts[rank - 1]
        results[r] = total


@kernel
def trapezoid(x: Array, y: Array) -> tuple[bool, bool, float]:
    """Return whether x rises anywhere, whether it falls anywhere, and twice the area, rounded once."""
    rises = False
    falls = False
    high = 0.0
    low = 0.0
    for i in range(1, len(x)):
        width = x[i] - x[i - 1]
        rises |= width > 0.0
        falls |= width < 0.0
        if width != 0.0:
            product, error = multiply(width, 0.0, y[i] + y[i - 1], 0.0)
            high, low = add(high, low, product, error)
    return rises, falls, high
