"""Sums over the points of a sweep, for the areas that are not counts of pairs.

Sums are double-doubles (see `weighted`): rounded to a double once at the end, they are the exact
value's nearest but for accidents of 1 in 10**13.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastarac._kernels._jit import kernel
from fastarac._kernels.weighted import add, multiply

Array = NDArray[Any]

DIRECT = 1 << 10  # so many terms of a harmonic sum are added one by one


@kernel
def divide(high: float, low: float, by_high: float, by_low: float) -> tuple[float, float]:
    """Quotient of two double-doubles."""
    q = high / by_high
    p_high, p_low = multiply(by_high, by_low, q, 0.0)
    r_high, r_low = add(high, low, -p_high, -p_low)
    r = (r_high + r_low) / by_high
    s = q + r
    return s, r - (s - q)


@kernel
def harmonic(start: Any, stop: Any) -> tuple[float, float]:
    """Σ 1/k over start < k <= stop, as a double-double.

    Beyond `DIRECT` terms from 256 on by Euler and Maclaurin: within 1e-17, no longer to all digits.
    """
    high = low = 0.0
    k = start
    while k < stop and (stop - start <= DIRECT or k < 256):
        k += 1
        term_high, term_low = divide(1.0, 0.0, float(k), 0.0)
        high, low = add(high, low, term_high, term_low)
    if k < stop:
        a = float(k)
        b = float(stop)
        rest = math.log1p((b - a) / a) + (0.5 / b - 0.5 / a)
        rest -= (1.0 / (b * b) - 1.0 / (a * a)) / 12.0
        rest += (1.0 / (b * b * b * b) - 1.0 / (a * a * a * a)) / 120.0
        high, low = add(high, low, rest, 0.0)
    return high, low


@kernel
def precision_trapezoids(
    true_accepts: Array, false_accepts: Array, start: int, stop: int
) -> tuple[float, float]:
    """Twice Ω times the area under the precision over the acceptance rate, points start to stop."""
    high = low = 0.0
    for i in range(max(start, 1), stop):
        t0, f0 = float(true_accepts[i - 1]), float(false_accepts[i - 1])
        t, f = float(true_accepts[i]), float(false_accepts[i])
        accepted_high, accepted_low = add(t, 0.0, f, 0.0)
        p_high, p_low = divide(t, 0.0, accepted_high, accepted_low)
        if i == 1:  # flat from nothing accepted to the first point
            before_high, before_low = p_high, p_low
            b_high, b_low = 0.0, 0.0
        else:
            b_high, b_low = add(t0, 0.0, f0, 0.0)
            before_high, before_low = divide(t0, 0.0, b_high, b_low)
        w_high, w_low = add(accepted_high, accepted_low, -b_high, -b_low)
        p_high, p_low = add(p_high, p_low, before_high, before_low)
        p_high, p_low = multiply(w_high, w_low, p_high, p_low)
        high, low = add(high, low, p_high, p_low)
    return high, low


@kernel
def precision_means(
    true_accepts: Array, false_accepts: Array, start: int, stop: int
) -> tuple[float, float]:
    """Expected sum over items of the precision of the items down to each, ties in random order."""
    high = low = 0.0
    for i in range(max(start, 1), stop):
        t0 = true_accepts[i - 1]
        n0 = t0 + false_accepts[i - 1]
        p = true_accepts[i] - t0
        g = p + false_accepts[i] - false_accepts[i - 1]
        # Σ (t0 + j·p/g)/(n0 + j) over the tie = p + (t0 − p·n0/g)·Σ 1/(n0 + j)
        a_high, a_low = multiply(float(p), 0.0, float(n0), 0.0)
        a_high, a_low = divide(a_high, a_low, float(g), 0.0)
        a_high, a_low = add(float(t0), 0.0, -a_high, -a_low)
        if a_high != 0.0:
            h_high, h_low = harmonic(np.int64(n0), np.int64(n0 + g))
            a_high, a_low = multiply(a_high, a_low, h_high, h_low)
        high, low = add(high, low, a_high, a_low)
        high, low = add(high, low, float(p), 0.0)
    return high, low


@kernel
def precision_integrals(
    true_accepts: Array, false_accepts: Array, start: int, stop: int
) -> tuple[float, float]:
    """Ω times the area under the precision where ties are accepted in continuous random order."""
    high = low = 0.0
    for i in range(max(start, 1), stop):
        t0, f0 = float(true_accepts[i - 1]), float(false_accepts[i - 1])
        p, q = float(true_accepts[i]) - t0, float(false_accepts[i]) - f0
        high, low = add(high, low, p, 0.0)
        n0 = t0 + f0
        if n0 > 0.0 and p + q > 0.0:  # a weight may be lost beside the sum of those before
            # t0 − p·n0/g, written so that nothing cancels where the tie is as precise as before
            slope = (t0 * q - p * f0) / (p + q)
            high, low = add(high, low, slope * math.log1p((p + q) / n0), 0.0)
    return high, low


@kernel
def recall_integrals(
    true_accepts: Array, false_accepts: Array, start: int, stop: int
) -> tuple[float, float]:
    """n⁺ times the area under the precision over the recall, counts growing linearly in between."""
    high = low = 0.0
    for i in range(max(start, 1), stop):
        t0, f0 = float(true_accepts[i - 1]), float(false_accepts[i - 1])
        p, q = float(true_accepts[i]) - t0, float(false_accepts[i]) - f0
        if p <= 0.0:
            continue
        n0 = t0 + f0
        precision = p / (p + q)
        term = p
        if n0 > 0.0:
            term += (t0 * q - p * f0) / (p + q) * math.log1p((p + q) / n0)
        high, low = add(high, low, precision * term, 0.0)
    return high, low


@kernel
def recall_trapezoids(
    true_accepts: Array, false_accepts: Array, start: int, stop: int
) -> tuple[float, float]:
    """Twice n⁺ times the area under straight lines, from precision 1 at recall 0."""
    high = low = 0.0
    for i in range(max(start, 1), stop):
        t0, f0 = float(true_accepts[i - 1]), float(false_accepts[i - 1])
        t, f = float(true_accepts[i]), float(false_accepts[i])
        if t <= t0:
            continue
        a_high, a_low = add(t, 0.0, f, 0.0)
        p_high, p_low = divide(t, 0.0, a_high, a_low)
        if i == 1:
            b_high, b_low = 1.0, 0.0
        else:
            a_high, a_low = add(t0, 0.0, f0, 0.0)
            b_high, b_low = divide(t0, 0.0, a_high, a_low)
        p_high, p_low = add(p_high, p_low, b_high, b_low)
        w_high, w_low = add(t, 0.0, -t0, 0.0)
        p_high, p_low = multiply(w_high, w_low, p_high, p_low)
        high, low = add(high, low, p_high, p_low)
    return high, low


@kernel
def recall_steps(
    true_accepts: Array, false_accepts: Array, start: int, stop: int
) -> tuple[float, float]:
    """n⁺ times the sum of the gains in recall, each times the precision reached: average precision."""
    high = low = 0.0
    for i in range(max(start, 1), stop):
        t0, t, f = float(true_accepts[i - 1]), float(true_accepts[i]), float(false_accepts[i])
        if t <= t0:
            continue
        a_high, a_low = add(t, 0.0, f, 0.0)
        p_high, p_low = divide(t, 0.0, a_high, a_low)
        w_high, w_low = add(t, 0.0, -t0, 0.0)
        p_high, p_low = multiply(w_high, w_low, p_high, p_low)
        high, low = add(high, low, p_high, p_low)
    return high, low
