"""How many more outputs a check needs to decide with a probability of 80%."""

from __future__ import annotations

import math
from functools import partial
from typing import Protocol

import numpy as np

from fastarac._core.special import binomial_cdf
from fastarac.operation.critical_sample_sizes import CriticalSampleSizes, bisected, first_true

# The check must decide with this probability.
PROBABILITY = 0.8
# Maximum number of outputs that is suggested.
FURTHEST = 10**10
# Maximum number of smaller error counts that are tried after bisection has found one.
MOST_WAVES = 50
# Maximum number of units in a drawn sample: the larger of MOST_UNITS and MOST_TIMES·(units present).
MOST_UNITS, MOST_TIMES = 2**18, 4
# For each size, about DRAWN_UNITS units are drawn in all, in LEAST_DRAWS to MOST_DRAWS samples.
MOST_DRAWS, LEAST_DRAWS, DRAWN_UNITS = 200, 60, 2**20
# Stop the bisection over random draws when its upper end is at most this multiple of its lower end.
PRECISION = 1.03


class RateEvidence(Protocol):
    """Units in random order, with tests that refute a rate."""

    @property
    def n_units(self) -> int:
        """The number of units."""
        ...

    def drawn(self, n: int, rng: np.random.Generator) -> RateEvidence:
        """Return n units in random order: all units present, and random repetitions of them."""
        ...

    def is_below(self, rate: float, delta: float) -> bool:
        """Whether the test refutes that the true rate is `rate` or more."""
        ...

    def is_above(self, rate: float, delta: float) -> bool:
        """Whether the test refutes that the true rate is `rate` or less."""
        ...


def needed_by_counts(
    errors: int, trials: int, limit: float, delta: float, *, afresh: bool = False
) -> int | None:
    """Return the smallest total of trials at which the exact test decides with `PROBABILITY`.

    Future errors are assumed to be binomial with the observed rate. With `afresh`, the test uses no
    past trials.

    The test decides by comparing the number of errors with a critical number c, which depends on the
    number of trials. For each c, the power is highest at the smallest or at the largest possible number
    of trials. This highest power increases with c, apart from rounding, so bisection finds c.
    """
    rate = errors / trials
    if rate == limit:
        return None
    keeps = rate < limit
    if afresh:
        errors = trials = 0
    sizes = (CriticalSampleSizes.that_keep if keeps else CriticalSampleSizes.that_break)(limit, delta)

    def best(c: int) -> int:
        return sizes.start(c) if keeps else sizes.start(c) - 1

    def decided(n: int, c: int) -> bool:
        more, allowed = n - trials, c - errors
        if more <= 0:
            return False
        if keeps:
            return binomial_cdf(allowed, more, rate) >= PROBABILITY
        return more >= allowed and 1.0 - binomial_cdf(allowed - 1, more, rate) >= PROBABILITY

    first = errors if keeps else max(errors + 1, 2)
    low, c = first - 1, first
    while not decided(best(c), c):
        if best(c) > FURTHEST:
            return None
        low, c = c, 2 * c - first + 1
    c = bisected(lambda c: decided(best(c), c), low, c)
    # Because trials are whole numbers, slightly smaller values of c may also decide. So try about
    # `waves` of them.
    waves = min(MOST_WAVES, math.ceil(2.0 * limit * rate / abs(limit - rate)))
    c = next(c for c in range(max(first, c - 2 - waves), c + 1) if decided(best(c), c))
    return best(c) if keeps else bisected(partial(decided, c=c), sizes.start(c - 1) - 1, best(c))


def needed_by_draws(evidence: RateEvidence, rate: float, limit: float, delta: float) -> int | None:
    """Return the smallest total of units at which a sample decides with probability `PROBABILITY`.

    A sample decides if it proves that the true rate is on the same side of the limit as the observed
    rate.
    """
    if rate == limit:
        return None

    def decided(n: int) -> bool:
        rng = np.random.default_rng(0)
        draws = int(np.clip(DRAWN_UNITS // n, LEAST_DRAWS, MOST_DRAWS))
        most_open, is_open = math.floor((1.0 - PROBABILITY) * draws), 0
        for _ in range(draws):
            sample = evidence.drawn(n, rng)
            refuted = sample.is_below if rate < limit else sample.is_above
            is_open += not refuted(limit, delta)
            if is_open > most_open:
                return False
        return True

    furthest = max(MOST_UNITS, MOST_TIMES * evidence.n_units)
    return first_true(decided, evidence.n_units, furthest, PRECISION)
