"""The binomial distribution: its tail, and the bound for a probability that follows from it.

With as many as 10¹² items, formulas through the logarithm of the gamma function lose half their
digits. Probabilities of single counts are therefore computed from deviances (Loader 2000, "Fast and
accurate computation of binomial probabilities"), and tails from a continued fraction of the
incomplete beta function (DiDonato and Morris 1992, "Algorithm 708", section 3).
"""

from __future__ import annotations

import math

_EPSILON = 2.0**-53


def binomial_cdf(k: int, n: int, p: float) -> float:
    """Probability of at most `k` successes in `n` independent trials, each with probability `p`.

    Relative error below 1e-11, also of small values, for 0 ≤ k ≤ n ≤ 10¹² and 0 ≤ p ≤ 1.
    """
    if k >= n or p <= 0.0:
        return 1.0
    if p >= 1.0:
        return 0.0
    if k == 0:
        return math.exp(n * math.log1p(-p))
    if k + 1 == n:
        return -math.expm1(n * math.log(p))
    at_k = _probability(k, n, p)
    if (k + 2) < p * (n + 3):  # below the mean, where this fraction converges
        return at_k * (n - k) * p * _fraction(n - k, k + 1, 1.0 - p, p, (n + 1) * p - (k + 1))
    return 1.0 - at_k * (n - k) * p * _fraction(k + 1, n - k, p, 1.0 - p, (k + 1) - (n + 1) * p)


def binomial_upper_bound(k: int, n: int, failure_probability: float) -> float:
    """The p at which at most `k` successes in `n` trials have exactly that probability.

    The one-sided upper bound of Clopper and Pearson 1934: whatever the true probability of success,
    the bound falls below it with at most `failure_probability`, in (0, 1). 1 where all succeeded.
    """
    if k >= n:
        return 1.0
    target = math.log(failure_probability)
    if k == 0:
        return -math.expm1(target / n)
    low, high = 0.0, 1.0
    # Newton's method for log cdf, whose slope falls all the way; kept between the bounds found so far
    p = (k + 1) / (n + 1)
    for _ in range(200):
        tail = binomial_cdf(k, n, p)
        excess = (math.log(tail) if tail > 0.0 else -math.inf) - target
        if excess > 0.0:
            low = p
        else:
            high = p
        step = math.inf
        if tail > 0.0:
            # d cdf/dp = −n·P(k successes in n − 1 trials) = −(n − k)·P(k in n)/(1 − p)
            slope = (n - k) * _probability(k, n, p) / ((1.0 - p) * tail)
            step = excess / slope if slope > 0.0 else math.inf
        following = p + step
        if not low < following < high:
            following = 0.5 * (low + high)
        if abs(following - p) <= 4.0 * _EPSILON * p or not low < following < high:
            return following
        p = following
    return high


def _probability(k: int, n: int, p: float) -> float:
    """Probability of exactly `k` successes, for 0 < k < n and 0 < p < 1."""
    rest = n - k
    exponent = (
        (_stirling_error(n) - _stirling_error(k) - _stirling_error(rest))
        - _deviance(k, n * p)
        - _deviance(rest, n * (1.0 - p))
    )
    return math.exp(exponent) * math.sqrt(n / k / (2.0 * math.pi * rest))


def _stirling_error(n: int) -> float:
    """The logarithm of n! less Stirling's approximation of it, ln(√(2πn)·(n/e)ⁿ)."""
    if n < 16:
        return math.lgamma(n + 1.0) - (n + 0.5) * math.log(n) + n - 0.5 * math.log(2.0 * math.pi)
    square = 1.0 / (float(n) * n)
    return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - square / 1188) * square) * square) * square) / n


def _deviance(count: int, mean: float) -> float:
    """count·ln(count/mean) + mean − count, without cancellation where both are close."""
    difference = count - mean
    if abs(difference) >= 0.1 * (count + mean):
        return count * math.log(count / mean) - difference
    ratio = difference / (count + mean)
    total = difference * ratio
    term = 2.0 * count * ratio
    ratio *= ratio
    for odd in range(3, 2000, 2):
        term *= ratio
        following = total + term / odd
        if following == total:
            break
        total = following
    return total


def _fraction(a: int, b: int, x: float, y: float, excess: float) -> float:
    """I_x(a, b)·B(a, b)/(xᵃ·yᵇ) of the incomplete beta function, with `excess` = a − (a + b)·x > −1.

    The terms take `excess` and y = 1 − x as they are given, so that nothing is lost where x is close
    to 1. Numerators and denominators are scaled to a denominator of 1 at every step.
    """
    ratio = (1.0 + 1.0 / a) / (1.0 + excess)
    last_numerator, last_denominator = 0.0, ratio
    m = 0
    while True:
        m += 1
        product = m * (b - m) * x
        s = a + (2.0 * m - 1.0)
        alpha = (a + (m - 1.0)) * (a + b + (m - 1.0)) * product * x / (s * s)
        beta = m + product / s + (a + m) / (s + 2.0) * (1.0 + excess + m * (1.0 + y))
        numerator = alpha * last_numerator + beta * ratio
        denominator = alpha * last_denominator + beta
        following = numerator / denominator
        if abs(following - ratio) <= 4.0 * _EPSILON * following:
            return following
        last_numerator, last_denominator = ratio / denominator, 1.0 / denominator
        ratio = following
