"""Sums over the points of a sweep, for the areas that are not counts of pairs.

Whole counts are summed by `sums_of_points`, from a sweep or directly from sorted buckets. A precision
t/a, for t correct items among a accepted items, is split into groups of s binary digits. With rounded
quotients Q and R, and remainder r,

    t/a = Q/2**s + R/2**(2s) + r/(a·2**(2s)),    |r| <= a/2·(1 + 2**-20)

All products needed for Q, R and r are whole numbers that a double holds exactly. The sums of Q and of R
are whole numbers below 2**53 as well, hence exact in any order. Only the sum of the remainders is
rounded. Its error is at most 2**-(2s + 40) times the sum of the factors of the nonzero t/a; in
practice, rounding errors cancel to about 2**-(2s + 50). s is 26 up to 2**25 items, and 16 at
`MAX_TOTAL`. The result is the double nearest to the exact value, except for fewer than one value in
10**12 (values near the middle between two doubles). Sums that involve logarithms are added up as
doubles.

Weights, and counts beyond `MAX_TOTAL`, are summed point by point as double-doubles (see
`double_double`); the result misses the nearest double for 1 value in 10**13.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from fastarac._kernels._jit import Array, kernel, linear_kernel
from fastarac._kernels.codes import (
    PRECISION_AND_STEPS,
    PRECISION_INTEGRALS,
    PRECISION_MEANS,
    PRECISION_TRAPEZOIDS,
    RECALL_INTEGRALS,
    RECALL_STEPS,
    RECALL_TRAPEZOIDS,
    RISK_AND_STEPS,
)
from fastarac._kernels.double_double import add, divide, multiply
from fastarac._kernels.runs import merge

DIRECT = 12  # Maximum number of terms for which a whole harmonic sum is added term by term.
FROM = 1 << 8  # Number of the first term for which the asymptotic series is precise enough.
TINY = 2.0**-106
LN_2, LN_2_LOW = 0.6931471805599453, 2.3190468138462996e-17

MAX_TOTAL = 1 << 35
BLOCK = 1 << 11  # Number of points processed together, so that they stay in the cache.
LANES = 1 << 8  # Number of independent partial sums, so that additions need not wait for each other.
ROUNDER = 1.5 * 2.0**52  # Adding and then subtracting this number rounds to a whole number.
# Largest size of a tie, as a share of the items above it, for which a series replaces log1p.
NARROW = 2.0**-8


@kernel
def log_of_ratio(a: float, b: float) -> tuple[float, float]:
    """Return ln(b/a) of whole numbers 0 < a < b < 2**51, as a double-double."""
    twos = 0
    while b > 1.5 * a:
        a *= 2.0
        twos += 1
    # ln(b/a) = 2·(z + z**3/3 + z**5/5 + …) with z = (b - a)/(b + a) <= 1/5.
    high, low = divide(b - a, 0.0, b + a, 0.0)
    square_high, square_low = multiply(high, low, high, low)
    power_high, power_low = 2.0 * high, 2.0 * low
    high, low = power_high, power_low
    k = 1.0
    least = TINY * abs(high)
    while abs(power_high) > least:
        k += 2.0
        power_high, power_low = multiply(power_high, power_low, square_high, square_low)
        term_high, term_low = divide(power_high, power_low, k, 0.0)
        high, low = add(high, low, term_high, term_low)
    if twos:
        more_high, more_low = multiply(LN_2, LN_2_LOW, float(twos), 0.0)
        high, low = add(more_high, more_low, high, low)
    return high, low


@kernel
def beyond_log(doubled: float) -> tuple[float, float]:
    """Return H(k) − ln(k + 1/2) − γ as a double-double, given `doubled` = 2k + 1 with k >= `FROM`."""
    square, square_low = multiply(doubled, 0.0, doubled, 0.0)
    u, u_low = divide(4.0, 0.0, square, square_low)  # u = 1/(k + 1/2)**2
    tail = 31.0 / 8064.0 - u * (127.0 / 30720.0 - u * (511.0 / 67584.0 - u * 0.02108271643))
    high, low = divide(-7.0, 0.0, 960.0, 0.0)
    high, low = add(high, low, u * tail, 0.0)
    high, low = multiply(high, low, u, u_low)
    first_high, first_low = divide(1.0, 0.0, 24.0, 0.0)
    high, low = add(first_high, first_low, high, low)
    return multiply(high, low, u, u_low)


@linear_kernel
def harmonic(start: Any, stop: Any) -> tuple[float, float]:
    """Return Σ 1/k over start < k <= stop, as a double-double.

    Terms up to `FROM`, or all if they are few, are added one by one. The others are summed by the
    asymptotic series H(k) ~ γ + ln x + 1/(24x²) − 7/(960x⁴) + 31/(8064x⁶) − … with x = k + 1/2.
    """
    high = low = 0.0
    k = start
    while k < stop and (stop - start <= DIRECT or k < FROM):
        k += 1
        term_high, term_low = divide(1.0, 0.0, float(k), 0.0)
        high, low = add(high, low, term_high, term_low)
    if k < stop:
        a, b = 2.0 * float(k) + 1.0, 2.0 * float(stop) + 1.0
        log_high, log_low = log_of_ratio(a, b)
        high, low = add(high, low, log_high, log_low)
        at_a, low_at_a = beyond_log(a)
        at_b, low_at_b = beyond_log(b)
        high, low = add(high, low, -at_a, -low_at_a)
        high, low = add(high, low, at_b, low_at_b)
    return high, low


@kernel
def mean_over_tie(t0: Any, n0: Any, p: Any, g: Any) -> tuple[float, float]:
    """Return the expected precision, summed over the items of a tie, minus p, as a double-double.

    The tie has g items, p of them correct; t0 of the n0 items above are correct. The sum is Σ (t0 +
    j·p/g)/(n0 + j) = p + (t0 − p·n0/g)·Σ 1/(n0 + j). The caller adds p.
    """
    high, low = multiply(float(p), 0.0, float(n0), 0.0)
    high, low = divide(high, low, float(g), 0.0)
    high, low = add(float(t0), 0.0, -high, -low)
    if high != 0.0:
        h_high, h_low = harmonic(np.int64(n0), np.int64(n0 + g))
        high, low = multiply(high, low, h_high, h_low)
    return high, low


@kernel
def add_up_points(
    true_accepts: Array, false_accepts: Array, start: int, stop: int, quantity: int
) -> tuple[float, float]:
    """Return the sum of `quantity` over the points from `start` up to `stop`, as a double-double.

    For trapezoids, the sum is twice the area. The caller divides by the total: all items for areas over
    the acceptance rate, correct items for areas over the recall.
    """
    first = max(start, 1)
    if quantity == PRECISION_MEANS:
        return add_up_means(true_accepts, false_accepts, first, stop)
    if quantity in (PRECISION_INTEGRALS, RECALL_INTEGRALS):
        of_recall = quantity == RECALL_INTEGRALS
        return add_up_integrals(true_accepts, false_accepts, first, stop, of_recall)
    return add_up_polygon(true_accepts, false_accepts, first, stop, quantity)


@kernel
def add_up_means(
    true_accepts: Array, false_accepts: Array, first: int, stop: int
) -> tuple[float, float]:
    """Return Σ (expected precision after each item), if ties are in random order."""
    high = low = 0.0
    for i in range(first, stop):
        t0 = true_accepts[i - 1]
        n0 = t0 + false_accepts[i - 1]
        p = true_accepts[i] - t0
        g = p + false_accepts[i] - false_accepts[i - 1]
        term_high, term_low = mean_over_tie(t0, n0, p, g)
        high, low = add(high, low, term_high, term_low)
        high, low = add(high, low, float(p), 0.0)
    return high, low


@kernel
def add_up_integrals(
    true_accepts: Array, false_accepts: Array, first: int, stop: int, of_recall: bool
) -> tuple[float, float]:
    """Return the area under the precision if ties are accepted continuously and in random order.

    The area is over the recall (Davis and Goadrich) if `of_recall`, else over the acceptance rate.
    """
    high = low = 0.0
    for i in range(first, stop):
        t0, f0 = float(true_accepts[i - 1]), float(false_accepts[i - 1])
        p, q = float(true_accepts[i]) - t0, float(false_accepts[i]) - f0
        if of_recall and p <= 0.0:
            continue
        n0, g = t0 + f0, p + q
        term = p
        if n0 > 0.0 and g > 0.0:  # g is 0 if the weight of the tie is too small to change the sum
            # This is (t0 − p·n0/g)·ln(1 + g/n0). In this form, nothing cancels if the tie and the items
            # above it have the same precision, and no product of two small weights underflows.
            term += (t0 * (q / g) - f0 * (p / g)) * math.log1p(g / n0)
        high, low = add(high, low, term * (p / g) if of_recall else term, 0.0)
    return high, low


@kernel
def add_up_polygon(
    true_accepts: Array, false_accepts: Array, first: int, stop: int, quantity: int
) -> tuple[float, float]:
    """Return Σ width · precision over the ties; for trapezoids, twice the area."""
    of_recall = quantity != PRECISION_TRAPEZOIDS
    steps = quantity == RECALL_STEPS
    high = low = 0.0
    t0 = float(true_accepts[first - 1])
    b_high, b_low = add(t0, 0.0, float(false_accepts[first - 1]), 0.0)
    h_high, h_low = 1.0, 0.0  # a curve over the recall begins at precision 1
    if b_high > 0.0 and not steps:
        h_high, h_low = divide(t0, 0.0, b_high, b_low)
    for i in range(first, stop):
        t = float(true_accepts[i])
        if steps and t <= t0:
            continue
        a_high, a_low = add(t, 0.0, float(false_accepts[i]), 0.0)
        p_high, p_low = divide(t, 0.0, a_high, a_low)
        if of_recall:
            w_high, w_low = add(t, 0.0, -t0, 0.0)
        else:
            w_high, w_low = add(a_high, a_low, -b_high, -b_low)
            b_high, b_low = a_high, a_low
            if i == 1:  # the curve is flat up to the first point
                h_high, h_low = p_high, p_low
        if steps:
            term_high, term_low = multiply(w_high, w_low, p_high, p_low)
        else:
            h_high, h_low = add(p_high, p_low, h_high, h_low)
            term_high, term_low = multiply(w_high, w_low, h_high, h_low)
            h_high, h_low = p_high, p_low
        high, low = add(high, low, term_high, term_low)
        t0 = t
    return high, low


@kernel
def factors(t: Array, a: Array, m: int, quantity: int, w: Array, row: Array, scale: float) -> None:
    """Write into `w[0]` … `w[m]` the factor of each precision t/a in the sum of `quantity`.

    t[0] and a[0] count the items above point 1; a[0] is set to 1 if it is 0, to avoid 0/0.
    """
    for j in range(m):
        w[j] = 0.0
    t[m + 1] = t[m]
    a[m + 1] = a[m]
    above = a[0]
    if quantity == PRECISION_TRAPEZOIDS:
        w[0] = a[1] - a[0]
        for j in range(1, m + 1):
            w[j] = a[j + 1] - a[j - 1]
        if above == 0.0:  # the curve is flat up to the first point
            w[1] += w[0]
    elif quantity == RECALL_TRAPEZOIDS:
        w[0] = t[1] - t[0]
        for j in range(1, m + 1):
            w[j] = t[j + 1] - t[j - 1]
        if above == 0.0:  # the curve begins at precision 1
            row[0] += w[0] * scale
    elif quantity == RECALL_STEPS:
        for j in range(1, m + 1):
            w[j] = t[j] - t[j - 1]
    else:
        for j in range(1, m + 1):
            w[j] = 1.0 if a[j] - a[j - 1] == 1.0 else 0.0
        for j in range(1, m + 1):
            if w[j] == 0.0:
                p = t[j] - t[j - 1]
                high, low = mean_over_tie(t[j - 1], a[j - 1], p, a[j] - a[j - 1])
                row[3], row[4] = add(row[3], row[4], high, low)
                row[3], row[4] = add(row[3], row[4], p, 0.0)
    if above == 0.0:
        w[0] = 0.0
        a[0] = 1.0


@kernel
def add_quotients(t: Array, a: Array, w: Array, scale: float, sums: Array) -> None:
    """Add w·t/a of all points to `sums` (3·LANES,): first digits, next digits, remainders."""
    for start in range(0, len(t), LANES):
        for j in range(min(LANES, len(t) - start)):
            i = start + j
            by = 1.0 / a[i]
            rest = t[i] * scale
            first = (rest * by + ROUNDER) - ROUNDER
            rest = (rest - first * a[i]) * scale
            second = (rest * by + ROUNDER) - ROUNDER
            rest -= second * a[i]
            sums[j] += w[i] * first
            sums[LANES + j] += w[i] * second
            sums[2 * LANES + j] += (w[i] * rest) / a[i]


@kernel
def lost_to_log(x: float) -> float:
    """Return 1 − ln(1 + x)/x for x > 0, accurately even for small x, where the terms nearly cancel."""
    if x >= 1.0:
        return 1.0 - math.log1p(x) / x
    r = x / (2.0 + x)  # ln(1 + x) = 2·(r + r**3/3 + r**5/5 + …), and x = 2·r/(1 − r)
    square = r * r
    tail = 0.0
    for k in range(33, 1, -2):  # the first omitted term is below 2**-58 of the result
        tail = square * (1.0 / k + tail)
    return r - (1.0 - r) * tail


@kernel
def integral(t0: float, p: float, g: float, of_recall: bool, by: float) -> float:
    """Return the area under the precision over one tie; `by` is 1/n0 for the n0 items above the tie.

    The tie has g items, p of them correct; t0 of the items above are correct. The area is p + (t0 −
    p·n0/g)·ln(1 + g/n0), computed as a sum of non-negative terms, so that nothing cancels. With
    `of_recall`, the area is over the recall.
    """
    x = g * by
    value = p * lost_to_log(x) + t0 * math.log1p(x)
    return value * (p / g) if of_recall else value


@kernel
def add_integrals(t: Array, a: Array, m: int, of_recall: bool, sums: Array, row: Array) -> None:
    """Add the areas over the ties 1 to m: wide ties to `row`, all others to `sums` (3·LANES,).

    `t` counts the correct (or, for the risk, the incorrect) items.
    """
    wide = 0
    for start in range(0, m, LANES):
        n = min(LANES, m - start)
        # LLVM does not vectorise loops with an index j + 1, so the loop below uses slices.
        before, after = t[start : start + n], t[start + 1 : start + 1 + n]
        above, down_to = a[start : start + n], a[start + 1 : start + 1 + n]
        for j in range(n):
            t0 = before[j]
            n0 = above[j]
            p = after[j] - t0
            g = down_to[j] - n0
            x = g / max(n0, 1.0)
            # Series of lost_to_log(x)/x; the first omitted term is below x**7/9.
            lost = 1.0 / 5.0 - x * (1.0 / 6.0 - x * (1.0 / 7.0 - x * (1.0 / 8.0)))
            lost = 1.0 / 2.0 - x * (1.0 / 3.0 - x * (1.0 / 4.0 - x * lost))
            log = x * (1.0 - x * lost)
            # If t counts all items of the tie, its area is p − (n0 − t0)·ln(1 + p/n0). If t also counts
            # at least half of the items above, p is summed separately, so that no digits are lost.
            whole = p if p == g and n0 <= 2.0 * t0 else 0.0
            value = x * p * lost + t0 * log
            value *= p / g if of_recall else 1.0
            value = (t0 - n0) * log if whole > 0.0 else value
            sums[j] += value if x <= NARROW else 0.0
            sums[LANES + j] += whole if x <= NARROW else 0.0
            wide += 1 if x > NARROW else 0
    for i in range(m if wide else 0):
        n0 = a[i]
        g = a[i + 1] - n0
        if g > NARROW * max(n0, 1.0):
            p = t[i + 1] - t[i]
            if n0 == 0.0:
                value = p * (p / g) if of_recall else p
            elif p == g and n0 <= 2.0 * t[i]:
                row[3], row[4] = add(row[3], row[4], p, 0.0)
                value = (t[i] - n0) * math.log1p(g / n0)
            else:
                value = integral(t[i], p, g, of_recall, 1.0 / n0)
            row[3], row[4] = add(row[3], row[4], value, 0.0)


@kernel
def point_sums(
    c: Array, a: Array, j: int, before: float, of_risk: bool, scale: float, row: Array
) -> None:
    """Add point j, with the width a[j + 1] − `before`, to the six sums of `row` (see `gather`)."""
    t = a[j] - c[j] if of_risk else c[j]
    rest = t * scale
    first = (rest / a[j] + ROUNDER) - ROUNDER
    rest = (rest - first * a[j]) * scale
    second = (rest / a[j] + ROUNDER) - ROUNDER
    rest = (rest - second * a[j]) / a[j]
    width = a[j + 1] - before
    step = c[j] - c[j - 1] if j > 0 else 0.0
    row[0] += width * first
    row[1] += width * second
    row[2] += width * rest
    row[3] += step * first
    row[4] += step * second
    row[5] += step * rest


@kernel
def add_both(c: Array, a: Array, m: int, of_risk: bool, scale: float, sums: Array, row: Array) -> None:
    """Add the sums of two quantities over the points 1 to m to `sums` (6·LANES,).

    `c` and `a` hold the correct and the accepted items. One quotient per point serves for both
    `PRECISION_TRAPEZOIDS` and `RECALL_STEPS`. With `of_risk`, the quotients are risks, and the
    precision of the steps is 1 minus the risk.
    """
    last_c = c[m]
    last_a = a[m]
    a[m + 1] = a[m]
    flat = a[0] == 0.0  # the curve begins here, and is flat up to the first point
    for j in range(1 if flat else 0, 2):
        point_sums(c, a, j, -a[1] if flat else a[0], of_risk, scale, row)
    for start in range(2, m + 1, LANES):
        n = min(LANES, m + 1 - start)
        t = c[start : start + n]
        t_before = c[start - 1 : start - 1 + n]
        here = a[start : start + n]
        before = a[start - 1 : start - 1 + n]
        after = a[start + 1 : start + 1 + n]
        for j in range(n):
            by = 1.0 / here[j]
            rest = (here[j] - t[j] if of_risk else t[j]) * scale
            first = (rest * by + ROUNDER) - ROUNDER
            rest = (rest - first * here[j]) * scale
            second = (rest * by + ROUNDER) - ROUNDER
            rest = (rest - second * here[j]) * by
            width = after[j] - before[j]
            step = t[j] - t_before[j]
            sums[j] += width * first
            sums[LANES + j] += width * second
            sums[2 * LANES + j] += width * rest
            sums[3 * LANES + j] += step * first
            sums[4 * LANES + j] += step * second
            sums[5 * LANES + j] += step * rest
    c[0] = last_c
    a[0] = last_a


@kernel
def add_points(
    t: Array, a: Array, w: Array, m: int, quantity: int, scale: float, sums: Array, row: Array
) -> None:
    """Add the sum over the points 1 to m, then move the counts at m to index 0."""
    last_t = t[m]
    last_a = a[m]
    if quantity in (PRECISION_INTEGRALS, RECALL_INTEGRALS):
        add_integrals(t, a, m, quantity == RECALL_INTEGRALS, sums, row)
    else:
        factors(t, a, m, quantity, w, row, scale)
        add_quotients(t[: m + 1], a[: m + 1], w[: m + 1], scale, sums)
    t[0] = last_t
    a[0] = last_a


@kernel
def gather(quantity: int, sums: Array, row: Array) -> None:
    """Add the lanes of `sums` to `row` (6,) and clear them.

    A row holds the first digits, the next digits and the remainders of a sum, then a double-double sum
    (high and low); or first digits, next digits and remainders of two sums.
    """
    logarithms = quantity in (PRECISION_INTEGRALS, RECALL_INTEGRALS)
    both = quantity in (PRECISION_AND_STEPS, RISK_AND_STEPS)
    for j in range(LANES):
        if logarithms:
            row[3], row[4] = add(row[3], row[4], sums[j], 0.0)
            row[3], row[4] = add(row[3], row[4], sums[LANES + j], 0.0)
        else:
            row[0] += sums[j]
            row[1] += sums[LANES + j]
            row[2] += sums[2 * LANES + j]
        if both:
            row[3] += sums[3 * LANES + j]
            row[4] += sums[4 * LANES + j]
            row[5] += sums[5 * LANES + j]
    sums[:] = 0.0


@kernel
def next_points(
    keys: Array, first: int, end: int, j: int, stop: int, flip: Any, t: Array, a: Array
) -> tuple[int, int]:
    """Write the correct and accepted items down to each tie of `keys[first:end]`, highest first.

    The counts are written at the indices from j up to `stop`; index j - 1 holds the counts above.
    `flip` (0 or 1) swaps the labels. Return the start of the lowest tie written, and the next j.
    """
    one = keys.dtype.type(1)
    correct = np.int64(t[j - 1])
    accepted = np.int64(a[j - 1])
    n = min(stop - j, end - first)
    some = keys[end - n : end]
    lower = keys[max(first, end - n - 1) : end - 1]
    upper = keys[end - len(lower) : end]
    ties = 0
    for r in range(len(lower)):
        ties += 1 if upper[r] ^ lower[r] <= one else 0
    if ties == 0:  # each key is a tie of its own, and so a point
        to_t = t[j : j + n]
        to_a = a[j : j + n]
        for r in range(n):
            correct += np.int64((some[n - 1 - r] ^ flip) & one)
            to_t[r] = correct
            to_a[r] = accepted + 1 + r
        return end - n, j + n
    i = end
    while i > first and j < stop:
        i -= 1
        key = keys[i]
        correct += np.int64((key ^ flip) & one)
        accepted += 1
        t[j] = correct
        a[j] = accepted
        below = keys[i - 1] if i > first else ~key
        j += 1 if (below ^ key) > one else 0
    return i, j


@kernel
def go_to(
    x: Array, y: Array, above: Array | None, start: int, of_risk: bool, t: Array, a: Array
) -> tuple[int, int]:
    """Write the counts above point `start` to index 0; return the point's position for `read_points`.

    For a sweep, `x` and `y` are the true and false accepts, and `above` is None. For sorted buckets,
    `x` and `y` are the keys and bounds, and `above` (n_buckets, 3) holds the points, correct items and
    incorrect items above each bucket. The position is then a bucket and the end of its unread keys.
    """
    if above is None:
        t[0] = y[start - 1] if of_risk else x[start - 1]
        a[0] = x[start - 1] + y[start - 1]
        return 0, start
    b = len(y) - 2
    while b > 0 and above[b - 1, 0] < start:
        b -= 1
    t[0] = above[b, 2 if of_risk else 1]
    a[0] = above[b, 1] + above[b, 2]
    end = y[b + 1]
    skip = start - 1 - above[b, 0]  # number of points of the bucket before point `start`
    flip = x.dtype.type(1 if of_risk else 0)
    while skip > 0:
        end, j = next_points(x, y[b], end, 1, 1 + min(BLOCK, skip), flip, t, a)
        skip -= j - 1
        t[0] = t[j - 1]
        a[0] = a[j - 1]
    return b, end


@kernel
def read_points(
    x: Array, y: Array, above: Array | None, b: int, at: int, m: int, of_risk: bool, t: Array, a: Array
) -> tuple[int, int]:
    """Write the counts at the next m points to indices 1 to m; return the position after them."""
    if above is None:
        for j in range(m):
            t[j + 1] = y[at + j] if of_risk else x[at + j]
            a[j + 1] = x[at + j] + y[at + j]
        return 0, at + m
    flip = x.dtype.type(1 if of_risk else 0)
    j = 1
    while j <= m:
        while at == y[b]:
            b -= 1
        at, j = next_points(x, y[b], at, j, m + 1, flip, t, a)
    return b, at


@linear_kernel
def sums_of_points(
    x: Array,
    y: Array,
    above: Array | None,
    start: int,
    stop: int,
    chunk: int,
    quantity: int,
    of_risk: bool,
    scale: float,
    rows: Array,
) -> None:
    """Write sums over the points from `start` (>= 1) up to `stop`, with the columns of `gather`.

    Each of the `rows` (n_chunks, 6) sums the next `chunk` points. A sweep and sorted buckets (see
    `go_to`) give the same points in the same blocks, hence the same sums.
    """
    t = np.empty(BLOCK + 2)
    a = np.empty(BLOCK + 2)
    w = np.empty(BLOCK + 2)
    both = quantity in (PRECISION_AND_STEPS, RISK_AND_STEPS)
    sums = np.zeros((6 if both else 3) * LANES)
    b, at = go_to(x, y, above, start, of_risk, t, a)
    for r in range(len(rows)):
        rows[r, :] = 0.0
        end = min(start + chunk, stop)
        while start < end:
            m = min(BLOCK, end - start)
            b, at = read_points(x, y, above, b, at, m, of_risk, t, a)
            if both:
                add_both(t, a, m, quantity == RISK_AND_STEPS, scale, sums, rows[r])
            else:
                add_points(t, a, w, m, quantity, scale, sums, rows[r])
            start += m
        gather(quantity, sums, rows[r])


@linear_kernel
def integrals_of_runs(true_accepts: Array, false_accepts: Array) -> tuple[float, float]:
    """Return the sum of the recall integrals over the runs of a few points, as a double-double."""
    some_true = np.empty_like(true_accepts)
    some_false = np.empty_like(false_accepts)
    n = merge(true_accepts, false_accepts, some_true, some_false)
    rows = np.empty((1, 6))
    # Literals are converted to numpy types, because numba would compile other versions for them.
    one: Any = np.int64(1)
    quantity: Any = np.int64(RECALL_INTEGRALS)
    of_risk: Any = np.bool_(0)
    sums_of_points(some_true, some_false, None, one, n, n, quantity, of_risk, 1.0, rows)
    return rows[0, 3], rows[0, 4]
