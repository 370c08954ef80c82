"""Quantiles and p-values of the normal and of Student's t distribution."""

from __future__ import annotations

import math
from statistics import NormalDist

MANY = 200.0  # Degrees of freedom above which Hill's approximation has full precision.
# Degrees of freedom are rounded up if they are this close to the next whole number.
ROUNDING = 1e-9
# Tails below this are computed directly, because 1 minus the central probability would lose digits.
FAR = 1e-4


def normal_pvalue(z: float) -> float:
    """Return the probability that a standard normal variable is at least as far from 0 as `z`."""
    return math.erfc(abs(z) / math.sqrt(2.0))


def normal_quantile(level: float) -> float:
    """Return b such that a standard normal variable is in [−b, b] with probability `level`."""
    return -NormalDist().inv_cdf((1.0 - level) / 2.0)


def student_pvalue(t: float, degrees: float) -> float:
    """Return the probability that Student's t is at least as far from 0 as `t`.

    The error is below 1e-14: a relative error for probabilities below 1e-4, otherwise an absolute one.
    `degrees` may be infinite; otherwise they are rounded down, but not below 1. The probability is a
    finite sum (Abramowitz and Stegun, 26.7.3 and 26.7.4). For many degrees, Hill's normal deviate
    (1970, algorithm 395) is used.
    """
    t = abs(t)
    if math.isinf(degrees) or math.isinf(t):
        return normal_pvalue(t)
    if degrees > MANY:
        a = degrees - 0.5
        b = 48.0 * a * a
        y = a * math.log1p(t * t / degrees)
        late = (((4.0 * y + 33.0) * y + 240.0) * y + 855.0) / (10.0 * b * (0.8 * y * y + 100.0 + b))
        return normal_pvalue(math.sqrt(y) * (1.0 + (y + 3.0) / b - late))
    whole = max(1, int(degrees + ROUNDING))
    angle = math.atan2(t, math.sqrt(whole))
    sine, square = math.sin(angle), whole / (whole + t * t)
    odd = whole % 2
    term = total = math.sqrt(square) if odd else 1.0
    if whole == 1:
        total = 0.0
    for k in range(2 + odd, whole - 1, 2):
        term *= square * (k - 1) / k
        total += term
    inside = 2.0 / math.pi * (angle + sine * total) if odd else sine * total
    return 1.0 - inside if 1.0 - inside > FAR else _student_tail(t, whole)


def _student_tail(t: float, degrees: int) -> float:
    """Return the p-value of `student_pvalue` by a power series (Abramowitz and Stegun, 26.5.4)."""
    a, x = degrees / 2.0, degrees / (degrees + t * t)
    if x == 0.0:
        return 0.0
    log_beta = math.lgamma(a) + math.lgamma(0.5) - math.lgamma(a + 0.5)
    term = math.exp(a * math.log(x) + 0.5 * math.log1p(-x) - math.log(a) - log_beta)
    total, k = 0.0, 0.0
    while term > total * 1e-17:
        total += term
        term *= x * (a + 0.5 + k) / (a + 1.0 + k)
        k += 1.0
    return total


def student_quantile(level: float, degrees: float) -> float:
    """Return b such that Student's t is in [−b, b] with probability `level`."""
    low = normal_quantile(level)
    if math.isinf(degrees):
        return low
    target = 1.0 - level
    high = 2.0 * low
    while student_pvalue(high, degrees) > target:
        low, high = high, 2.0 * high
    for _ in range(200):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        if student_pvalue(middle, degrees) > target:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)
