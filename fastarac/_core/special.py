"""Tails of the binomial and the gamma distribution, and bounds and quantiles derived from them.

With 10¹² items, formulas with the logarithm of the gamma function lose half of their digits.
Probabilities of single counts are therefore computed from deviances (Loader 2000, "Fast and accurate
computation of binomial probabilities"). Tails come from a continued fraction of the incomplete beta
function (DiDonato and Morris 1992, "Algorithm 708", section 3).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from statistics import NormalDist

_EPSILON = 2.0**-53
# Degrees of freedom from which the formula of Wilson and Hilferty has an error below 1e-11.
MANY_DEGREES = 1e9
# Largest shape for which the gamma distribution is summed; the sum has about √shape terms.
LARGEST_SHAPE = 1e12


def binomial_cdf(k: float, n: float, p: float) -> float:
    """Return the probability of at most `k` successes in `n` independent trials of probability `p`.

    The relative error is below 1e-11, even for small values, for 0 ≤ k ≤ n ≤ 10¹² and 0 ≤ p ≤ 1.
    `k` and `n` may be fractional, such as effective sample sizes. NaN gives NaN.
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
    if (k + 2) < p * (n + 3):  # the continued fraction converges fast below the mean
        return at_k * (n - k) * p * _fraction(n - k, k + 1, 1.0 - p, p, (n + 1) * p - (k + 1))
    return 1.0 - at_k * (n - k) * p * _fraction(k + 1, n - k, p, 1.0 - p, (k + 1) - (n + 1) * p)


def binomial_quantile(probability: float, n: int, p: float) -> int:
    """Return the smallest number of successes whose cdf is at least `probability`."""
    return bisect_left(range(n), probability, key=lambda k: binomial_cdf(k, n, p))


def binomial_interval(k: float, n: float, level: float) -> tuple[float, float]:
    """Return Clopper and Pearson's two-sided interval for a probability, given `k` of `n` successes."""
    tail = (1.0 - level) / 2.0
    return 1.0 - binomial_upper_bound(n - k, n, tail), binomial_upper_bound(k, n, tail)


def binomial_upper_bound(k: float, n: float, failure_probability: float) -> float:
    """Return the p at which P(at most `k` successes in `n` trials) is `failure_probability`.

    This is the one-sided upper bound of Clopper and Pearson 1934. The bound is 1 if all trials
    succeeded; NaN gives NaN.
    """
    if math.isnan(k + n):
        return math.nan
    if k >= n:
        return 1.0
    target = math.log(failure_probability)
    if k == 0:
        return -math.expm1(target / n)
    low, high = 0.0, 1.0
    # Newton's method on the logarithm of the cdf, which is concave in p. A step outside the bounds
    # found so far is replaced by bisection.
    p = (k + 1) / (n + 1)
    for _ in range(200):
        tail = binomial_cdf(k, n, p)
        excess = (math.log(tail) if tail > 0.0 else -math.inf) - target
        if excess > 0.0:
            low = p
        else:
            high = p
        step = math.inf
        above = (1.0 - p) * tail  # may underflow to 0
        if above > 0.0:
            # The derivative of the cdf by p is −(n − k)·P(k successes in n trials)/(1 − p).
            slope = (n - k) * _probability(k, n, p) / above
            step = excess / slope if slope > 0.0 else math.inf
        following = p + step
        if not low < following < high:
            following = 0.5 * (low + high)
        if abs(following - p) <= 4.0 * _EPSILON * p or not low < following < high:
            return following
        p = following
    return high


def chi_square_quantile(probability: float, degrees: float) -> float:
    """Return the quantile of the chi-square distribution for a probability in (0, 1).

    The relative error is below 1e-9; NaN gives NaN.
    """
    shape = degrees / 2.0
    # Start with the approximation of Wilson and Hilferty (1931), which is within a few percent. Then
    # use Newton's method; bisection replaces steps that leave the bounds.
    ninth = 1.0 / 9.0 / shape if shape > 0.0 else math.inf
    cube = 1.0 - ninth + NormalDist().inv_cdf(probability) * math.sqrt(ninth)
    if not degrees < MANY_DEGREES:
        return degrees * cube**3
    x = shape * cube**3 if cube > 0.05 else shape * 1e-4
    low, high = 0.0, math.inf
    for _ in range(400):
        below = gamma_cdf(shape, x)
        if below < probability:
            low = x
        else:
            high = x
        density = _poisson(shape, x) * shape / x if x > 0.0 else math.inf
        following = x - (below - probability) / density if density > 0.0 else math.nan
        if not low < following < high:
            following = 2.0 * low if math.isinf(high) else 0.5 * (low + high)
        if abs(following - x) <= 1e-14 * x:
            break
        x = following
    return 2.0 * x


def _poisson(count: float, mean: float) -> float:
    """Return mᶜ·e⁻ᵐ/Γ(c + 1), the probability of a count c > 0 with mean m; c need not be whole."""
    if mean <= 0.0:
        return 0.0
    exponent = -stirling_error(count) - _deviance(count, mean)
    return math.exp(exponent) / math.sqrt(2.0 * math.pi * count)


def gamma_cdf(shape: float, x: float) -> float:
    """Return the regularised incomplete gamma function P(shape, x); NaN gives NaN.

    Shapes above 10¹² use Wilson and Hilferty's cube-root approximation, with an error below 1e-11.
    """
    if math.isnan(shape + x):
        return math.nan
    if x <= 0.0:
        return 0.0
    if math.isinf(x):
        return 1.0
    if shape > LARGEST_SHAPE:
        beyond = (x - shape) / shape
        root = math.expm1(math.log1p(beyond) / 3.0) if beyond > -1.0 else -1.0
        return NormalDist().cdf((root * 9.0 * shape + 1.0) / (3.0 * math.sqrt(shape)))
    at = _poisson(shape, x)
    if x < shape + 1.0:
        term = total = 1.0
        k = shape
        while term > _EPSILON * total:
            k += 1.0
            term *= x / k
            total += term
        return at * total
    # Evaluate the continued fraction of Q = 1 − P by Lentz's method.
    b = x + 1.0 - shape
    c, d = 1e300, 1.0 / b
    fraction = d
    k = 0.0
    while True:
        k += 1.0
        a = -k * (k - shape)
        b += 2.0
        d = 1.0 / (a * d + b)
        c = b + a / c
        step = c * d
        fraction *= step
        if abs(step - 1.0) <= 4.0 * _EPSILON:
            return 1.0 - at * shape * fraction


def _probability(k: float, n: float, p: float) -> float:
    """Return the probability of exactly `k` successes, for 0 < k < n and 0 < p < 1."""
    rest = n - k
    exponent = (
        (stirling_error(n) - stirling_error(k) - stirling_error(rest))
        - _deviance(k, n * p)
        - _deviance(rest, n * (1.0 - p))
    )
    return math.exp(exponent) * math.sqrt(n / k / (2.0 * math.pi * rest))


def stirling_error(n: float) -> float:
    """Return ln n! minus Stirling's approximation ln(√(2πn)·(n/e)ⁿ)."""
    if n < 16:
        return math.lgamma(n + 1.0) - (n + 0.5) * math.log(n) + n - 0.5 * math.log(2.0 * math.pi)
    square = 1.0 / (float(n) * n)
    return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - square / 1188) * square) * square) * square) / n


def _deviance(count: float, mean: float) -> float:
    """Return count·ln(count/mean) + mean − count, without cancellation if count ≈ mean."""
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


def _fraction(a: float, b: float, x: float, y: float, excess: float) -> float:
    """Return I_x(a, b)·B(a, b)/(xᵃ·yᵇ) by a continued fraction; `excess` = a − (a + b)·x > −1.

    B is the beta function, and I the regularised incomplete beta function. `excess` and y = 1 − x are
    arguments, so that no digits are lost if x is close to 1.
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
        # Numerators and denominators are divided by the last denominator, to avoid overflow.
        numerator = alpha * last_numerator + beta * ratio
        denominator = alpha * last_denominator + beta
        following = numerator / denominator
        # `not … >` also ends the loop for NaN.
        if not abs(following - ratio) > 4.0 * _EPSILON * following:
            return following
        last_numerator, last_denominator = ratio / denominator, 1.0 / denominator
        ratio = following


def log_beta(a: float, b: float) -> float:
    """Return the logarithm of the beta function, for a and b above 0."""
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def log_beta_tail(a: float, b: float, x: float) -> float:
    """Return the logarithm of 1 − I_x(a, b), the probability of a beta distribution above x.

    x is in (0, 1). If x < (a + 1)/(a + b + 2), the continued fraction converges fast for the tail below
    x, otherwise for the tail above x (Numerical Recipes, 6.4). With the mean a/(a + b) as the boundary,
    the fraction could need a million steps at x = 1 − 10⁻¹³.
    """
    excess = a - (a + b) * x
    front = a * math.log(x) + b * math.log1p(-x) - log_beta(a, b)
    if excess > 2.0 * x - 1.0:
        below = math.exp(front) * _fraction(a, b, x, 1.0 - x, excess)
        return math.log1p(-below) if below < 1.0 else -math.inf
    return front + math.log(_fraction(b, a, 1.0 - x, x, -excess))
