"""Sorting, pair counts and sweeps for weighted items: each key is moved together with its weight.

Sums are double-doubles, so that whole weights are summed exactly and the order of the items has no
effect. `scale` is a power of two that brings the largest weight into [0.5, 1), so that no sum or
product overflows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fastarac._kernels._jit import Array, kernel
from fastarac._kernels.codes import FLOAT
from fastarac._kernels.double_double import add, multiply, two_product, two_sum
from fastarac._kernels.keys import one_and_sign, ordered, threshold_bits
from fastarac._kernels.sort import span_of


@kernel
def sort_pairs(keys: Array, weights: Array) -> None:
    """Sort the keys in place, and the weights with them."""
    sort_pairs_in_cells(keys, weights, 0)


@kernel
def sort_pairs_in_cells(keys: Array, weights: Array, more_bits: int) -> tuple[Any, Any, Array]:
    """Sort the keys in place, and the weights with them, by the algorithm of `sort.sort_keys`.

    Return (low, shift, table): `table[c]` is the number of keys k with (k - low) >> shift below c, for
    c from 0 to the number of cells. There are about 2**`more_bits` times as many cells as keys.
    """
    n = len(keys)
    T = keys.dtype.type
    low, span, span_bits = span_of(keys)
    count_bits = 0
    while (1 << count_bits) < n and count_bits < 18:
        count_bits += 1
    shift = T(max(0, span_bits - count_bits - more_bits))
    n_cells = np.int64(span >> shift) + 1
    table = np.zeros(n_cells + 2, np.int32)
    for i in range(n):
        table[np.int64((keys[i] - low) >> shift) + 2] += 1
    total = 0
    cost = 0
    for c in range(2, n_cells + 2):
        count = np.int64(table[c])
        total += count
        table[c] = total
        cost += count * count
    if shift != T(0) and cost > 8 * n:
        order = np.argsort(keys, kind="mergesort")
        sorted_keys = keys[order]
        sorted_weights = weights[order]
        for i in range(n):  # a loop, because slice assignments add 2 seconds of compilation
            keys[i] = sorted_keys[i]
            weights[i] = sorted_weights[i]
        for c in range(n_cells + 1):
            table[c] = table[c + 1]
        return low, shift, table
    moved = np.empty(n, keys.dtype)
    moved_weights = np.empty(n, np.float64)
    for i in range(n):  # from here on, `table[c]` is the position of the next key of cell c − 1
        c = np.int64((keys[i] - low) >> shift) + 1
        p = table[c]
        table[c] = p + 1
        moved[p] = keys[i]
        moved_weights[p] = weights[i]
    for i in range(n):
        key = moved[i]
        weight = moved_weights[i]
        j = i
        while j > 0 and keys[j - 1] > key:
            keys[j] = keys[j - 1]
            weights[j] = weights[j - 1]
            j -= 1
        keys[j] = key
        weights[j] = weight
    return low, shift, table


@kernel
def sum_bucket(keys: Array, weights: Array, scale: float, result: Array) -> None:
    """Write the sums of a sorted bucket as double-doubles.

    `result` (7,) receives the number of distinct confidences; then, each as high and low, the weight of
    the correct items, the weight of the incorrect items, and the doubled pairs.
    """
    one = keys.dtype.type(1)
    # Each sum is a double. Its rounding errors are summed separately, so that no addition waits for
    # them.
    correct = correct_lost = 0.0
    incorrect = incorrect_lost = 0.0
    below = below_lost = 0.0  # incorrect weight below the current tie
    twice = twice_lost = 0.0  # 2·(incorrect weight below the tie) + (incorrect weight in the tie)
    pairs = pairs_lost = 0.0
    distinct = 0
    previous = ~keys[0] >> one if len(keys) else one
    for i in range(len(keys)):
        value = keys[i] >> one
        if value != previous:
            previous = value
            distinct += 1
            below, below_lost = incorrect, incorrect_lost
            twice, twice_lost = 2.0 * incorrect, 2.0 * incorrect_lost
        weight = scale * weights[i]
        if keys[i] & one:
            correct, lost = two_sum(correct, weight)
            correct_lost += lost
            product, lost = two_product(twice, weight)
            lost += twice_lost * weight
            pairs, more = two_sum(pairs, product)
            pairs_lost += lost + more
        else:
            incorrect, lost = two_sum(incorrect, weight)
            incorrect_lost += lost
            twice, lost = two_sum(below, incorrect)
            twice_lost = below_lost + incorrect_lost + lost
    result[0] = distinct
    result[1], result[2] = two_sum(correct, correct_lost)
    result[3], result[4] = two_sum(incorrect, incorrect_lost)
    result[5], result[6] = two_sum(pairs, pairs_lost)


@kernel
def combine(results: Array) -> Array:
    """Return the sums of `sum_bucket` over all buckets together; the lowest bucket comes first."""
    out = np.zeros(7)
    for b in range(len(results)):
        r = results[b]
        high, low = multiply(r[1], r[2], 2.0 * out[3], 2.0 * out[4])
        high, low = add(high, low, r[5], r[6])
        out[0] += r[0]
        out[1], out[2] = add(out[1], out[2], r[1], r[2])
        out[3], out[4] = add(out[3], out[4], r[3], r[4])
        out[5], out[6] = add(out[5], out[6], high, low)
    return out


@kernel
def small_pairs(
    bits: Array, labels: Array, weights: Array, kind: int, exponent: Any, scale: float
) -> tuple[bool, int, Array]:
    """Return (whether a value is not finite, OR of the labels, sums as in `combine`) of a few items."""
    n = len(bits)
    one, sign = one_and_sign(bits)
    keys = np.empty(n, bits.dtype)
    moved = np.empty(n, np.float64)
    bad = False
    seen = np.uint8(0)
    lower = 0  # keys of negative values are written from the front, others from the back
    back = n - 1
    for i in range(n):
        b = bits[i]
        bad |= (b & exponent) == exponent
        seen |= labels[i]
        o = ordered(b, sign, kind)
        upper = np.int64(1) if o & sign else np.int64(0)
        p = back if upper else lower
        keys[p] = (o << one) | bits.dtype.type(labels[i])
        moved[p] = weights[i]
        lower += 1 - upper
        back -= upper
    results = np.zeros((2, 7))
    sort_pairs(keys[:lower], moved[:lower])
    sort_pairs(keys[lower:], moved[lower:])
    sum_bucket(keys[:lower], moved[:lower], scale, results[0])
    sum_bucket(keys[lower:], moved[lower:], scale, results[1])
    return bad and kind == FLOAT, np.int64(seen), combine(results)


@kernel
def write_weighted(
    keys: Array, weights: Array, scale: float, upper: bool, kind: int, above: Array, out: Any
) -> None:
    """Write the sweep of a sorted bucket as `ties.write_sweep` does, with weights.

    `above` is the row of `sums_above` for the bucket.
    """
    thresholds, true_accepts, false_accepts = out
    one, sign = one_and_sign(keys)
    j = np.int64(above[0]) + 1
    correct_high, correct_low, incorrect_high, incorrect_low = (
        above[1],
        above[2],
        above[3],
        above[4],
    )
    for r in range(len(keys)):
        i = len(keys) - 1 - r
        value = keys[i] >> one
        if keys[i] & one:
            correct_high, correct_low = add(correct_high, correct_low, scale * weights[i], 0.0)
        else:
            incorrect_high, incorrect_low = add(incorrect_high, incorrect_low, scale * weights[i], 0.0)
        if i == 0 or keys[i - 1] >> one != value:
            thresholds[j] = threshold_bits(value, upper, kind, sign)
            true_accepts[j] = correct_high
            false_accepts[j] = incorrect_high
            j += 1


@kernel
def sums_above(results: Array) -> Array:
    """Return, for each bucket, the first five columns of `results` summed over all higher buckets."""
    out = np.zeros((len(results), 5))
    for r in range(1, len(results)):
        b = len(results) - 1 - r
        out[b, 0] = out[b + 1, 0] + results[b + 1, 0]
        for k in (1, 3):
            out[b, k], out[b, k + 1] = add(
                out[b + 1, k], out[b + 1, k + 1], results[b + 1, k], results[b + 1, k + 1]
            )
    return out


@kernel
def write_buckets_weighted(
    buckets: Any, first: int, last: int, kind: int, above: Array, out: Any
) -> None:
    """Call `write_weighted` for each bucket from `first` up to `last`."""
    keys, weights, bounds, scale = buckets
    for b in range(first, last):
        bucket, bucket_weights = keys[bounds[b, 0] : bounds[b, 1]], weights[bounds[b, 0] : bounds[b, 1]]
        write_weighted(bucket, bucket_weights, scale, 2 * b >= len(bounds), kind, above[b], out)


@kernel
def doubled_area(x: Array, y: Array, scale: float) -> tuple[float, float]:
    """Return twice the area under the polygonal line through scaled points, as a double-double."""
    high = low = 0.0
    for i in range(1, len(x)):
        w_high, w_low = add(scale * x[i], 0.0, -scale * x[i - 1], 0.0)
        h_high, h_low = add(scale * y[i], 0.0, scale * y[i - 1], 0.0)
        w_high, w_low = multiply(w_high, w_low, h_high, h_low)
        high, low = add(high, low, w_high, w_low)
    return high, low
