"""Influence values at the points of a sweep, and sums of their powers."""

from __future__ import annotations

import math
from typing import Any

from fastarac._kernels._jit import Array, kernel, linear_kernel

Line = tuple[float, float, float, float]


@kernel
def on_line(line: Line, doubled: float) -> float:
    """Return offset + slope·(M/divisor − centre); `doubled` is 2·M."""
    offset, slope, divisor, centre = line
    return offset + slope * (doubled / (2.0 * divisor) - centre)


@linear_kernel
def line_powers(
    true_accepts: Array, false_accepts: Array, start: int, stop: int, lines: Any, sums: Array
) -> None:
    """Write sums of powers of influence values over the points from `start` to `stop` into `sums` (5,).

    The sums are: squares and fourth powers for correct items, the same for incorrect items, and the
    number of tied pairs of a correct and an incorrect item. An item's influence is offset +
    slope·(M/divisor − centre), where M is the number of items of the other class above it; ties count
    half. `lines` holds (offset, slope, divisor, centre) for the correct and for the incorrect items.
    """
    of_correct, of_incorrect = lines
    second = fourth = of_second = of_fourth = tied = 0.0
    for i in range(max(start, 1), stop):
        t0, f0 = float(true_accepts[i - 1]), float(false_accepts[i - 1])
        t, f = float(true_accepts[i]), float(false_accepts[i])
        p = float(true_accepts[i] - true_accepts[i - 1])
        q = float(false_accepts[i] - false_accepts[i - 1])
        value = on_line(of_correct, f + f0)
        square = value * value
        second += p * square
        fourth += p * (square * square)
        value = on_line(of_incorrect, t + t0)
        square = value * value
        of_second += q * square
        of_fourth += q * (square * square)
        tied += p * q
    sums[0], sums[1], sums[2], sums[3], sums[4] = second, fourth, of_second, of_fourth, tied


@linear_kernel
def precision_influence(
    ta: Array, fa: Array, over_accepted: bool, trapezoids: bool, first: float, out: Array
) -> float:
    """Write the gradient of an area under the precision, and return the area as a mean.

    With `over_accepted`, the precision is integrated over the accepted items, else over the correct
    ones. `first` is the precision where the curve begins; NaN stands for the precision of the first
    point. `out` (2, m) receives the influence of a correct and of an incorrect item at each point. It
    is the curve's height (only for items that add to the width), plus the change of all precisions from
    its point on.
    """
    correct = incorrect = width = area = 0.0
    here = ta[-1] / (float(ta[-1]) + float(fa[-1]))
    for r in range(len(ta) - 1):
        i = len(ta) - 1 - r
        t = float(ta[i])
        f = float(fa[i])
        accepted = t + f
        later = width
        width = t - float(ta[i - 1])
        if over_accepted:
            width += f - float(fa[i - 1])
        before = first
        if i > 1:
            before = ta[i - 1] / (float(ta[i - 1]) + float(fa[i - 1]))
        elif first != first:
            before = here
            later += width
        weight = 0.5 * (width + later) if trapezoids else width
        height = 0.5 * (here + before) if trapezoids else here
        area += width * height
        correct += weight / accepted * (f / accepted)
        incorrect -= weight / accepted * (t / accepted)
        out[0, i - 1] = height + correct
        out[1, i - 1] = incorrect + height if over_accepted else incorrect
        here = before
    return area / (float(ta[-1]) + float(fa[-1]) if over_accepted else float(ta[-1]))


@linear_kernel
def integral_influence(ta: Array, fa: Array, over_accepted: bool, scale: float, out: Array) -> float:
    """Write the gradient of an area that is integrated inside the ties, and return the area as a mean.

    A tie has g items, p of them correct. N₀ items are above it, T₀ of them correct, and N = N₀ + g. It
    adds p + (T₀ − p·N₀/g)·ln(N/N₀) to the area. Without `over_accepted`, this term is multiplied by
    p/g. `out` (2, m) receives the derivatives of the tie's own term by p and by g − p, plus the
    derivatives of all later terms by T₀ and by N₀ − T₀. Counts are multiplied by the power of two
    `scale`, so that no product overflows.
    """
    correct = incorrect = area = 0.0
    for r in range(len(ta) - 1):
        i = len(ta) - 1 - r
        t0, f0 = float(ta[i - 1]) * scale, float(fa[i - 1]) * scale
        p, q = float(ta[i]) * scale - t0, float(fa[i]) * scale - f0
        n0, g = t0 + f0, p + q
        n = n0 + g
        term, own, of_other, above, of_other_above = p, 1.0, 0.0, 0.0, 0.0
        if n0 != 0.0 and g != 0.0:  # g is 0 if the weight of the tie is too small to change the sum
            log = math.log1p(g / n0)
            slope = (t0 * q - p * f0) / g
            term = p + slope * log
            own = 1.0 - log * (f0 + slope) / g + slope / n
            of_other = log * (t0 - slope) / g + slope / n
            later = slope / n * (g / n0)
            above, of_other_above = log * q / g - later, -log * p / g - later
        if not over_accepted:
            share, move = (p / g, term / g) if g != 0.0 else (0.0, 0.0)
            own = share * own + move * (1.0 - share)
            of_other = share * of_other - move * share
            above, of_other_above, term = share * above, share * of_other_above, share * term
        out[0, i - 1] = own + correct
        out[1, i - 1] = of_other + incorrect
        correct += above
        incorrect += of_other_above
        area += term
    return area / (scale * (float(ta[-1]) + float(fa[-1]) if over_accepted else float(ta[-1])))
