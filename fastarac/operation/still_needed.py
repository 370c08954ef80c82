"""How many more outputs a check needs: so many that it is decided in four of five cases."""

from __future__ import annotations

import math
from bisect import bisect_right
from typing import TYPE_CHECKING, Protocol

import numpy as np

from fastarac._core.special import binomial_cdf

if TYPE_CHECKING:
    from collections.abc import Callable

PROBABILITY = 0.8  # with which so many outputs decide
FURTHEST = 2**50  # outputs beyond which none can be asked for
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


def needed_by_counts(errors: int, trials: int, limit: float, delta: float) -> int | None:
    """Trials in all at which the exact test decides with `PROBABILITY`, if the rate stays.

    The errors so far count, and those to come are binomial with their rate.
    """
    rate = errors / trials
    if rate == limit:
        return None

    def decided(n: int) -> bool:
        more = n - trials
        if rate < limit:  # at most so many errors prove that the limit holds
            allowed = _most(n, limit, delta)
            return allowed >= errors and binomial_cdf(allowed - errors, more, rate) >= PROBABILITY
        right = _most(n, 1.0 - limit, delta)  # at most so many right ones prove that it fails
        fine = trials - errors
        return right >= fine and binomial_cdf(right - fine, more, 1.0 - rate) >= PROBABILITY

    return _least(decided, trials, FURTHEST)


def _most(n: int, p: float, delta: float) -> int:
    """The largest number that a binomial variable is at or below with a probability within delta."""
    return bisect_right(range(n + 1), delta, key=lambda k: binomial_cdf(k, n, p)) - 1


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


def bisected(holds: Callable[[int], bool], low: int, high: int, precision: float = 1.0) -> int:
    """Return where between `low` and `high` a property begins that holds at `high` alone of the two."""
    while high - low > 1 and high > precision * low:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
