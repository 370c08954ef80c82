"""Pairs, curve points and areas of a bootstrap replicate, from the number of draws of each unit.

In the code of a unit, the bit CORRECT marks correct units, and the bit STARTS the first unit of a tie.
Units are sorted from the highest confidence down; within a tie, correct units come first. They are
divided into contiguous lanes of equal length; the first lanes may be longer by 1. The lanes are
interleaved in memory: unit r of lane k is at index ``r * lanes + k``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from fastarac._kernels._jit import Array, kernel
from fastarac._kernels.codes import (
    ARAC,
    CORRECT,
    GENERALIZED_RC,
    PRECISION_MEANS,
    PRECISION_TRAPEZOIDS,
    RC,
    RECALL_INTEGRALS,
    RECALL_STEPS,
    ROC,
    STARTS,
)

LANES = 16
ROWS = 4  # Number of rows added to the sums of a lane between loading and storing the sums.
BLOCK = 256  # Number of rows summed in 32 bits: 2 * (255 * BLOCK / 2)**2 < 2**32, so no sum overflows.
U = np.uint32


@kernel
def codes_of_counts(true_accepts: Array, false_accepts: Array, codes: Array) -> None:
    """Write the code of each item, in one lane; `codes` has n + 1 entries, the last one unused."""
    codes[:] = 0
    for i in range(1, len(true_accepts)):
        codes[true_accepts[i - 1] + false_accepts[i - 1]] ^= np.uint8(CORRECT | STARTS)
        codes[true_accepts[i] + false_accepts[i - 1]] ^= np.uint8(CORRECT)
    label = np.uint8(0)
    for i in range(len(codes)):
        label ^= codes[i] & np.uint8(CORRECT)
        codes[i] = (codes[i] & np.uint8(STARTS)) | label


@kernel
def add_unit(
    count: Any, code: Any, above: Any, before: Any, wrong: Any, doubled: Any, in_first: Any, first: Any
) -> tuple[Any, Any, Any, Any, Any, Any]:
    """Return the six sums of a lane (see `lane_rows`) after adding one unit, without branches."""
    p = U(count * (code & U(CORRECT)))
    q = U(count - p)
    before = above if code >= U(STARTS) else before
    in_first = U(0) if code >= U(STARTS) else in_first
    above = U(above + p)
    doubled = U(doubled + U(q * U(above + before)))
    return above, before, U(wrong + q), doubled, in_first, U(first + (q & in_first))


@kernel
def lane_rows(counts: Array, codes: Array, s: Array) -> None:
    """Add units to the sums `s` of their lanes.

    The sums of a lane are:

    - correct items;
    - correct items above the current tie;
    - incorrect items;
    - doubled pairs (see `ties`);
    - a mask, with all bits set during the first tie and 0 afterwards;
    - incorrect items in the first tie.
    """
    step = ROWS * LANES
    for r in range(len(counts) // step):
        row = counts[step * r : step * (r + 1)]
        code = codes[step * r : step * (r + 1)]
        for k in range(LANES):
            above, before, wrong = s[k], s[LANES + k], s[2 * LANES + k]
            doubled, in_first, first = s[3 * LANES + k], s[4 * LANES + k], s[5 * LANES + k]
            for j in range(ROWS):
                above, before, wrong, doubled, in_first, first = add_unit(
                    U(row[j * LANES + k]), U(code[j * LANES + k]),
                    above, before, wrong, doubled, in_first, first,
                )  # fmt: skip
            s[k], s[LANES + k], s[2 * LANES + k] = above, before, wrong
            s[3 * LANES + k], s[4 * LANES + k], s[5 * LANES + k] = doubled, in_first, first


@kernel
def join(x: Array, y: Array) -> None:
    """Join two adjacent ranges of units: add the sums `y` of the lower range to the sums `x`.

    The sums are (correct, incorrect, doubled, before, tied, first). `before` counts the correct items
    above the last tie. `tied` is 1 if no tie begins in the range; `first` counts the incorrect items of
    the tie that continues from above. `doubled` counts only pairs within the range.
    """
    x[2] += y[2] + 2 * x[0] * y[1] - y[5] * (x[0] - x[3])
    if y[4] == 0:
        x[3] = x[0] + y[3]
    if x[4] == 1:
        x[5] += y[5]
        x[4] = y[4]
    x[0] += y[0]
    x[1] += y[1]


@kernel
def pairs_of_lanes(counts: Array, codes: Array, pairs: Array) -> None:
    """Write the correct items, incorrect items and doubled pairs of each row of `counts` (bytes)."""
    n = len(codes)
    rows = n // LANES // ROWS * ROWS  # `lane_rows` adds these rows; the loop below adds the rest
    sums = np.empty(6 * LANES, np.uint32)
    of_lane = np.empty((LANES, 6), np.int64)
    part = np.empty(6, np.int64)
    for replicate in range(len(counts)):
        row = counts[replicate]
        for k in range(LANES):
            for j in range(6):
                of_lane[k, j] = 1 if j == 4 else 0
        for start in range(0, rows, BLOCK):
            stop = min(start + BLOCK, rows)
            for j in range(6 * LANES):
                sums[j] = U(0xFFFFFFFF) if 4 * LANES <= j < 5 * LANES else U(0)
            lane_rows(row[start * LANES : stop * LANES], codes[start * LANES : stop * LANES], sums)
            for k in range(LANES):
                part[0] = np.int64(sums[k])
                part[1] = np.int64(sums[2 * LANES + k])
                part[2] = np.int64(sums[3 * LANES + k])
                part[3] = np.int64(sums[LANES + k])
                part[4] = 1 if sums[4 * LANES + k] else 0
                part[5] = np.int64(sums[5 * LANES + k])
                join(of_lane[k], part)
        for k in range(LANES):
            for i in range(rows * LANES + k, n, LANES):
                c = np.int64(row[i])
                part[0] = c * np.int64(codes[i] & CORRECT)
                part[1] = c - part[0]
                starts = np.int64(codes[i] & STARTS)
                part[2] = part[1] * part[0]
                part[3] = 0
                part[4] = 0 if starts else 1
                part[5] = 0 if starts else part[1]
                join(of_lane[k], part)
            if k > 0:
                join(of_lane[0], of_lane[k])
        for j in range(3):
            pairs[replicate, j] = of_lane[0, j]


@kernel
def pairs_in_order(counts: Array, codes: Array, lanes: int, weights: Array, pairs: Array) -> None:
    """Write the same as `pairs_of_lanes`, for any type of counts; `weights` has 1 or n entries."""
    n = len(codes)
    zero = weights[0] - weights[0]
    for r in range(len(counts)):
        row = counts[r]
        correct, incorrect, doubled, before = zero, zero, zero, zero
        for k in range(lanes):
            for i in range(k, n, lanes):
                weight = weights[i] if len(weights) > 1 else weights[0]
                c = np.int64(row[i]) * weight
                if codes[i] & STARTS:
                    before = correct
                if codes[i] & CORRECT:
                    correct += c
                else:
                    incorrect += c
                    doubled += c * (correct + before)
        pairs[r, 0] = correct
        pairs[r, 1] = incorrect
        pairs[r, 2] = doubled


@kernel
def points_of_counts(
    row: Array, codes: Array, lanes: int, weights: Array, ta: Array, fa: Array, which: Array
) -> int:
    """Write the points of the replicate's sweep; return their number.

    `ta` and `fa` receive the numbers of accepted correct and incorrect items, `which` receives the
    number of the tie. The first point accepts nothing and has the number 0. A tie without drawn units
    has no point.
    """
    # Indices are unsigned, so that numba emits no checks for negative ones.
    n = np.uint64(len(codes))
    nothing = weights[0] - weights[0]  # zero, with the type of the weights
    ta[0] = nothing
    fa[0] = nothing
    which[0] = 0
    correct, incorrect = nothing, nothing
    tie = np.int64(0)
    last = np.uint64(0)
    alike = len(weights) == 1
    first_weight = weights[0]
    if alike and len(ta) == len(codes) + 1:  # without ties, each drawn unit is a point
        last = np.uint64(1)
        for k in range(lanes):
            for i in range(np.uint64(k), n, np.uint64(lanes)):
                tie += 1
                c = np.int64(row[i]) * first_weight
                p = c if codes[i] & CORRECT else nothing
                correct += p
                incorrect += c - p
                ta[last] = correct
                fa[last] = incorrect
                which[last] = tie
                last += np.uint64(row[i] > 0)
        return np.int64(last)
    # 0 while no unit of the current tie is drawn, so that the next tie overwrites its point.
    in_use = np.uint64(1)
    for k in range(lanes):
        # The loop has no branches on the draws, because the processor would mispredict them.
        for i in range(np.uint64(k), n, np.uint64(lanes)):
            code = np.int64(codes[i])
            count = np.int64(row[i])
            c = count * (first_weight if alike else weights[i])
            starts = code >> 1
            tie += starts
            last += np.uint64(starts) & in_use
            in_use = (in_use & np.uint64(1 - starts)) | np.uint64(count > 0)
            correct += c if code & CORRECT else nothing
            incorrect += nothing if code & CORRECT else c
            ta[last] = correct
            fa[last] = incorrect
            which[last] = tie
    return np.int64(last + in_use)


@kernel
def out_of_bag(
    row: Array, codes: Array, lanes: int, weights: Array, last: int
) -> tuple[float, float, float, float]:
    """Return TA, FA, n⁺ and n⁻ of the units that were not drawn, if ties 1 to `last` are accepted."""
    n = np.uint64(len(codes))
    alike = len(weights) == 1
    first_weight = float(weights[0])
    tie = np.int64(0)
    correct = incorrect = ta = fa = 0.0
    for k in range(lanes):
        for i in range(np.uint64(k), n, np.uint64(lanes)):
            code = np.int64(codes[i])
            tie += code >> 1
            weight = first_weight if alike else float(weights[i])
            left = weight if row[i] == 0 else 0.0
            correct += left if code & CORRECT else 0.0
            incorrect += 0.0 if code & CORRECT else left
            if tie <= last:
                ta, fa = correct, incorrect
    return ta, fa, correct, incorrect


@kernel
def polygon_of_counts(
    row: Array, codes: Array, lanes: int, weights: Array, quantity: int, of_risk: bool
) -> tuple[float, float, float]:
    """Return the area under a polygonal curve, summed in doubles, and the correct and incorrect items.

    `quantity` is PRECISION_TRAPEZOIDS, RECALL_TRAPEZOIDS or RECALL_STEPS; `of_risk` replaces the
    precision by the risk.
    """
    n = len(codes)
    alike = len(weights) == 1
    first_weight = float(weights[0])
    step, of_acceptance = quantity == RECALL_STEPS, quantity == PRECISION_TRAPEZOIDS
    flat = of_acceptance
    positive = 0 if of_risk else 1
    t = f = t0 = f0 = doubled = 0.0
    height = 1.0
    for k in range(lanes):
        # A tie is added when the next tie begins. One extra step after the end adds the last tie.
        for i in range(k, n + lanes if k + 1 == lanes else n, lanes):
            if (i >= n or codes[i] & STARTS) and t + f > 0.0:  # adds 0 if no unit of the tie is drawn
                here = t / (t + f)
                if flat:
                    height = here
                    flat = False
                width = t - t0 + (f - f0 if of_acceptance else 0.0)
                doubled += width * (here + (here if step else height))
                height = here
                t0, f0 = t, f
            if i < n:
                c = float(row[i]) * (first_weight if alike else float(weights[i]))
                is_positive = (codes[i] & CORRECT) == positive
                t += c if is_positive else 0.0
                f += 0.0 if is_positive else c
    whole = t + f if of_acceptance else t
    area = doubled / (2.0 * whole) if whole > 0.0 else math.nan
    return area, (f if of_risk else t), (t if of_risk else f)


@kernel
def area_of_points(ta: Array, fa: Array, points: int, quantity: int) -> tuple[float, float, float]:
    """Return an area that involves logarithms, from points; for areas of the risk, swap `ta` and `fa`.

    `quantity`: PRECISION_MEANS, PRECISION_INTEGRALS or RECALL_INTEGRALS.
    """
    total = 0.0
    for i in range(1, points):
        t0, f0 = float(ta[i - 1]), float(fa[i - 1])
        p, q = float(ta[i]) - t0, float(fa[i]) - f0
        n0, g = t0 + f0, p + q
        slope = (t0 * q - p * f0) / g if g > 0.0 else 0.0
        term = p
        if quantity == PRECISION_MEANS:
            term += slope * (harmonic(n0, g) if g > 1.0 else 1.0 / (n0 + 1.0))
        elif n0 > 0.0:
            term += slope * math.log1p(g / n0)
        if quantity == RECALL_INTEGRALS:
            term = p / g * term if p > 0.0 else 0.0
        total += term
    t, f = float(ta[points - 1]), float(fa[points - 1])
    whole = t if quantity == RECALL_INTEGRALS else t + f
    return (total / whole if whole > 0.0 else math.nan), t, f


@kernel
def harmonic(start: float, length: float) -> float:
    """Return Σ 1/k over start < k <= start + length, both whole numbers, with an error below 1e-13."""
    total = 0.0
    k = start
    stop = start + length
    while k < stop and (k < 32.0 or length <= 8.0):
        k += 1.0
        total += 1.0 / k
    if k < stop:
        total += math.log1p((stop - k) / k) + (0.5 / stop - 0.5 / k)
        a, b = 1.0 / (k * k), 1.0 / (stop * stop)
        total += (a - b) / 12.0 - (a * a - b * b) / 120.0 + (a * a * a - b * b * b) / 252.0
    return total


@kernel
def area_between(
    ta: Array,
    fa: Array,
    points: int,
    along: tuple[float, float],
    height: tuple[float, float],
    low: float,
    high: float,
) -> float:
    """Return ∫ y dx for low <= x <= high along the points, summed in doubles.

    With (a, b) = `along` and (c, d) = `height`, x = a·TA + b·FA and y = c·TA + d·FA.
    """
    a, b = along
    c, d = height
    begin, end = 0, points - 1
    while end - begin > 1:  # bisection for the last point with x <= `low`
        middle = (begin + end) // 2
        if a * float(ta[middle]) + b * float(fa[middle]) <= low:
            begin = middle
        else:
            end = middle
    t, f = float(ta[begin]), float(fa[begin])
    x0, y0 = a * t + b * f, c * t + d * f
    total = 0.0
    for i in range(begin + 1, points):
        t, f = float(ta[i]), float(fa[i])
        x, y = a * t + b * f, c * t + d * f
        if low <= x0 and x <= high:
            total += 0.5 * (x - x0) * (y + y0)
        elif x0 < x:
            left, right = max(low, x0), min(high, x)
            middle_height = y0 + (y - y0) * ((0.5 * (left + right) - x0) / (x - x0))
            total += max(0.0, right - left) * middle_height
        if x > high:
            break
        x0, y0 = x, y
    return total


@kernel
def acceptance_within(ta: Array, fa: Array, points: int, limit: float, interpolate: bool) -> float:
    """Return the largest acceptance rate with at most `limit` false accepts per item.

    With `interpolate`, the part of the next tie that keeps the limit is accepted as well.
    """
    total = float(ta[points - 1]) + float(fa[points - 1])
    begin, end = 0, points
    while end - begin > 1:
        middle = (begin + end) // 2
        if float(fa[middle]) / total <= limit:
            begin = middle
        else:
            end = middle
    accepted = float(ta[begin]) + float(fa[begin])
    if interpolate and end < points:
        slack = limit * total - float(fa[begin])
        share = min(max(slack / (float(fa[end]) - float(fa[begin])), 0.0), 1.0)
        accepted += share * (float(ta[end]) + float(fa[end]) - accepted)
    return accepted / total


@kernel
def squares_of_points(ta: Array, fa: Array, points: int, squares: Array) -> None:
    """Write Σ u² over the correct items, and Σ v² over the incorrect ones.

    u is the share of the incorrect items above a correct item, and v is the share of the correct items
    above an incorrect item. Tied items count half.
    """
    correct, incorrect = float(ta[points - 1]), float(fa[points - 1])
    of_correct = of_incorrect = 0.0
    for i in range(1, points):
        t0, f0, t, f = float(ta[i - 1]), float(fa[i - 1]), float(ta[i]), float(fa[i])
        u = (f0 + f) / 2.0
        v = (t0 + t) / 2.0
        of_correct += (t - t0) * u * u
        of_incorrect += (f - f0) * v * v
    squares[0] = of_correct / (incorrect * incorrect) if incorrect > 0.0 else 0.0
    squares[1] = of_incorrect / (correct * correct) if correct > 0.0 else 0.0


@kernel
def curve_heights(ta: Array, fa: Array, points: int, curve: int, grid: Array, heights: Array) -> None:
    """Write the heights of a curve at the rising positions `grid`, by linear interpolation.

    At a jump of the ROC curve, the upper height is written.
    """
    correct, incorrect = float(ta[points - 1]), float(fa[points - 1])
    total = correct + incorrect
    if curve == ROC and (correct == 0.0 or incorrect == 0.0):
        for j in range(len(grid)):
            heights[j] = math.nan
        return
    along = incorrect if curve == ROC else total
    i = 0
    for j in range(len(grid)):
        place = grid[j] * along
        whole = float(round(place))
        # Rounding must not move the position to the other side of a jump.
        if abs(place - whole) <= 1e-12 * along:
            place = whole
        end = points
        while end - i > 1:  # bisection for the last point with x <= place
            middle = (i + end) // 2
            x = float(fa[middle]) if curve == ROC else float(ta[middle]) + float(fa[middle])
            if x <= place:
                i = middle
            else:
                end = middle
        x0, y0 = curve_point(ta, fa, i, curve, correct, total)
        heights[j] = y0
        if i + 1 < points and place > x0:
            x1, y1 = curve_point(ta, fa, i + 1, curve, correct, total)
            heights[j] = y0 + (y1 - y0) * ((place - x0) / (x1 - x0))


@kernel
def curve_point(
    ta: Array, fa: Array, i: int, curve: int, correct: float, total: float
) -> tuple[float, float]:
    """Return a point (x, y) of a curve, where x is a number of items instead of a rate."""
    t, f = float(ta[i]), float(fa[i])
    if curve == ROC:
        return f, t / correct
    x = t + f
    if curve == ARAC:
        return x, (total - f) / total
    if curve == GENERALIZED_RC:
        return x, f / total
    if i == 0:  # 0/0 at the first point, so use the ratio at the next point
        t, f = float(ta[1]), float(fa[1])
    if curve == RC:
        return x, f / (t + f)
    return x, t / (t + f)
