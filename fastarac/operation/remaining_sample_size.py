"""How many more outputs a check needs: so many that it is decided in four of five cases."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Protocol

import numpy as np

from fastarac._core.special import binomial_cdf
from fastarac.operation.critical_sample_sizes import CriticalSampleSizes, bisected

if TYPE_CHECKING:
    from collections.abc import Callable

PROBABILITY = 0.8  # with which so many outputs decide
FURTHEST = 10**10  # outputs beyond which none can be asked for
MOST_WAVES = 50  # teeth that are looked at below the one that bisection finds
MOST_UNITS, MOST_TIMES = 2**18, 4  # groups, or outputs of a log, and times those there are, at most
MOST_DRAWS, LEAST_DRAWS, DRAWN_UNITS = 200, 60, 2**20  # samples of a size, and units of all of them
PRECISION = 1.03  # of a number that draws find


class RateEvidence(Protocol):
    """Units that refute a rate by their order."""

    @property
    def n_units(self) -> int:
        """How many there are."""
        ...

    def drawn(self, n: int, rng: np.random.Generator) -> RateEvidence:
        """Return n units in random order: these, and others drawn from them with replacement."""
        ...

    def is_below(self, rate: float, delta: float) -> bool:
        """Whether it is refuted that the rate is so high."""
        ...

    def is_above(self, rate: float, delta: float) -> bool:
        """Whether it is refuted that the rate is so low."""
        ...


def needed_by_counts(
    errors: int, trials: int, limit: float, delta: float, *, afresh: bool = False
) -> int | None:
    """Fewest trials in all at which the exact test decides with `PROBABILITY`, if the rate stays.

    The errors so far count, unless it begins `afresh`, and those to come are binomial with their rate.
    The power over the trials
    is a saw, whose teeth have one number c of errors that still prove that the limit holds, or that
    are just enough to prove that it fails. It is largest at one end of a tooth, where it rises with c
    but for what whole numbers of trials add: the tooth is found by bisection, and then among a few.
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
    # one trial more or less matters as much as so many teeth
    waves = min(MOST_WAVES, math.ceil(2.0 * limit * rate / abs(limit - rate)))
    c = next(c for c in range(max(first, c - 2 - waves), c + 1) if decided(best(c), c))
    return best(c) if keeps else bisected(partial(decided, c=c), sizes.start(c - 1) - 1, best(c))


def needed_by_draws(evidence: RateEvidence, rate: float, limit: float, delta: float) -> int | None:
    """Units in all at which a limit is refuted in `PROBABILITY` of samples drawn from these units."""
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
    return _least(decided, evidence.n_units, furthest, PRECISION)


def _least(
    decided: Callable[[int], bool], low: int, furthest: int, precision: float = 1.0
) -> int | None:
    """A number above `low` from which on something is decided, but not before; None beyond a number."""
    n = low + 1
    while not decided(n):
        low, n = n, 2 * n
        if n > furthest:
            return None
    return bisected(decided, low, n, precision)
