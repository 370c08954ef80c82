"""A confidence sequence of an error rate: bounds that hold at every look, however often one looks.

A mixture of bets (Robbins 1970; Howard and others 2021): against the rates from r on, the likelihood
ratio of S errors in t trials is averaged over lower rates, by a beta distribution with the parameters
a = 3 and b = 3/ε cut off at r, ε the limit, and likewise against the rates up to r. Either average has
a mean of at most 1, whatever the rate refuted, at every look: it ever reaches 1/δ with a probability of
at most δ (Ville 1939). The parameters were chosen by simulation: limits of 1 to 5% are decided in four
of five cases with 1.8 to 2.4 times the trials of one exact look, at a quarter to twice the limit.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from fastarac._core.special import binomial_cdf, log_beta, log_beta_tail
from fastarac.operation.critical_sample_sizes import bisected

if TYPE_CHECKING:
    from collections.abc import Callable

A = 3.0
LOWEST = 1e-9  # rate that is told from 0, and from 1
STEPS, TINY = 100, 1e-9  # of a search for an end
PRECISION = 1.005  # of a number of trials


def log_below(errors: int, trials: int, rate: float, limit: float) -> float:
    """Logarithm of what refutes that the true rate is this one or higher."""
    a, b = A, A / limit
    after = log_beta(a + errors, b + trials - errors)
    within = log_beta_tail(b + trials - errors, a + errors, 1.0 - rate)  # I_r(a, b) = 1 − I_{1−r}(b, a)
    before = log_beta(a, b) + log_beta_tail(b, a, 1.0 - rate)
    return after + within - before - _log_likelihood(errors, trials, rate)


def log_above(errors: int, trials: int, rate: float, limit: float) -> float:
    """Logarithm of what refutes that the true rate is this one or lower."""
    a, b = A, A / limit
    after = log_beta(a + errors, b + trials - errors)
    within = log_beta_tail(a + errors, b + trials - errors, rate)
    before = log_beta(a, b) + log_beta_tail(a, b, rate)
    return after + within - before - _log_likelihood(errors, trials, rate)


def sequence_ends(errors: int, trials: int, limit: float, delta: float) -> tuple[float, float]:
    """Return the rates that all trials so far do not refute, each end with `delta`.

    Earlier looks may have refuted more: ends that were as narrow as the narrowest look would miss the
    observed rate where outputs become better or worse.
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
    """Fewest trials in all at which the sequence decides with that power, if the rate stays."""
    rate = errors / trials
    if rate == limit:
        return None
    goal = -math.log(delta)

    def decided(n: int) -> bool:
        more = n - trials
        if rate < limit:
            if log_below(0, n, limit, limit) < goal:
                return False
            # the most errors that still refute the limit
            middle = max(1, math.ceil(n * limit))
            most = bisected(lambda s: log_below(s, n, limit, limit) < goal, 0, middle) - 1
            return most >= errors and binomial_cdf(most - errors, more, rate) >= power
        least = bisected(lambda s: log_above(s, n, limit, limit) >= goal, int(n * limit), n)
        if log_above(least, n, limit, limit) < goal:
            return False
        return least <= errors or 1.0 - binomial_cdf(least - errors - 1, more, rate) >= power

    low, n = trials, trials + 1
    while not decided(n):
        low, n = n, 2 * n
        if n > furthest:
            return None
    return bisected(decided, low, n, PRECISION)


def _log_likelihood(errors: int, trials: int, rate: float) -> float:
    found = (trials - errors) * math.log1p(-rate)
    return found + errors * math.log(rate) if errors else found


def _end(excess: Callable[[float], float], outside: float, inside: float) -> float:
    """Where refuted rates end, of which the excess is not below 0, between one and the observed one.

    By false positions of the log-odds, the weight of an end that stays halved (the Illinois method).
    """
    u, v = (math.log(r) - math.log1p(-r) for r in (outside, inside))
    f, g = excess(outside), excess(inside)
    if f < 0.0:  # nothing is refuted
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
