"""A confidence sequence of an error rate: bounds that hold at all looks simultaneously.

The sequence is a mixture of bets (Robbins 1970; Howard and others 2021). The evidence that the rate is
below r is a weighted mean, over all rates q < r, of the likelihood ratio of q to r. The weights are a
beta distribution with a = 3 and b = 3/limit, cut off at r. The evidence that the rate is above r is the
same mean over all rates above r. If the evidence is for a false claim, it is a supermartingale that
starts at 1. So the probability that it ever reaches 1/δ is at most δ (Ville 1939).

The values of a and b were chosen by simulations with limits of 1 to 5%, and with rates from a quarter
of the limit to twice the limit.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from fastarac._core.special import binomial_cdf, log_beta, log_beta_tail
from fastarac.operation.critical_sample_sizes import bisected, first_true

if TYPE_CHECKING:
    from collections.abc import Callable

A = 3.0
# Rates are tried as bounds only if they are at least this far from 0 and from 1.
LOWEST = 1e-9
# Maximum number of steps, and tolerance, of the search for an interval's end.
STEPS, TINY = 100, 1e-9
# The number of trials that is reported as needed may be too large, by at most this factor.
PRECISION = 1.005


def log_below(errors: int, trials: int, rate: float, limit: float) -> float:
    """Return the log evidence against a true rate of `rate` or more."""
    a, b = A, A / limit
    after = log_beta(a + errors, b + trials - errors)
    # I_r(a, b) = 1 − I_{1−r}(b, a), where I is the regularized incomplete beta function.
    within = log_beta_tail(b + trials - errors, a + errors, 1.0 - rate)
    before = log_beta(a, b) + log_beta_tail(b, a, 1.0 - rate)
    return after + within - before - _log_likelihood(errors, trials, rate)


def log_above(errors: int, trials: int, rate: float, limit: float, a: float = A) -> float:
    """Return the log evidence against a true rate of `rate` or less."""
    b = a / limit
    after = log_beta(a + errors, b + trials - errors)
    within = log_beta_tail(a + errors, b + trials - errors, rate)
    before = log_beta_tail(a, b, rate)
    return after + within - log_beta(a, b) - before - _log_likelihood(errors, trials, rate)


def sequence_ends(errors: int, trials: int, limit: float, delta: float) -> tuple[float, float]:
    """Return the lower and upper bound on the rate after all trials, each at level `delta`.

    The bounds are not intersected with earlier ones, because these might exclude the observed rate if
    outputs have changed.
    """
    if not trials:
        return 0.0, 1.0
    goal = -math.log(delta)
    observed = min(max(errors / trials, LOWEST), 1.0 - LOWEST)
    low, high = 0.0, 1.0
    if errors:
        low = _end(lambda rate: log_above(errors, trials, rate, limit) - goal, LOWEST, observed)
    if errors < trials:
        high = _end(lambda rate: log_below(errors, trials, rate, limit) - goal, 1 - LOWEST, observed)
    return low, high


def needed_by_sequence(
    errors: int, trials: int, limit: float, delta: float, power: float, furthest: int
) -> int | None:
    """Return the smallest total of trials at which the sequence decides with probability `power`."""
    rate = errors / trials
    if rate == limit:
        return None
    goal = -math.log(delta)

    def decided(n: int) -> bool:
        more = n - trials
        if rate < limit:
            if log_below(0, n, limit, limit) < goal:
                return False
            # `most` is the largest number of errors that still proves a rate below the limit.
            middle = max(1, math.ceil(n * limit))
            most = bisected(lambda s: log_below(s, n, limit, limit) < goal, 0, middle) - 1
            return most >= errors and binomial_cdf(most - errors, more, rate) >= power
        least = bisected(lambda s: log_above(s, n, limit, limit) >= goal, int(n * limit), n)
        if log_above(least, n, limit, limit) < goal:
            return False
        return least <= errors or 1.0 - binomial_cdf(least - errors - 1, more, rate) >= power

    return first_true(decided, trials, furthest, PRECISION)


def _log_likelihood(errors: int, trials: int, rate: float) -> float:
    found = (trials - errors) * math.log1p(-rate)
    return found + errors * math.log(rate) if errors else found


def _end(excess: Callable[[float], float], outside: float, inside: float) -> float:
    """Return the rate between `outside` and `inside` at which `excess` falls below 0.

    The search is the Illinois method of false position, on the log-odds.
    """
    u, v = (math.log(r) - math.log1p(-r) for r in (outside, inside))
    f, g = excess(outside), excess(inside)
    if f < 0.0:  # Not even the outermost rate is refuted.
        return float(round(outside))
    if g >= 0.0:
        return inside
    last = 0
    for _ in range(STEPS):
        if f < TINY or abs(u - v) < TINY:
            break
        middle = (u * g - v * f) / (g - f)
        found = excess(1.0 / (1.0 + math.exp(-middle)))
        if found >= 0.0:
            u, f, g = middle, found, g / 2.0 if last > 0 else g
            last = 1
        else:
            v, g, f = middle, found, f / 2.0 if last < 0 else f
            last = -1
    return 1.0 / (1.0 + math.exp(-u))
