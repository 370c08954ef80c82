"""Sample sizes at which an exact binomial test of a limit allows, or requires, one more error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastarac._core.special import binomial_cdf

if TYPE_CHECKING:
    from collections.abc import Callable


class CriticalSampleSizes:
    """For each number c of errors, the smallest sample size n at which `has(n, c)` is true."""

    def __init__(self, limit: float, has: Callable[[int, int], bool]) -> None:
        self.limit = limit
        self.has = has
        self.known: dict[int, int] = {}

    @classmethod
    def that_keep(cls, limit: float, delta: float) -> CriticalSampleSizes:
        """Find the smallest n at which c errors prove that the rate is below `limit`."""
        return cls(limit, lambda n, c: binomial_cdf(c, n, limit) <= delta)

    @classmethod
    def that_break(cls, limit: float, delta: float) -> CriticalSampleSizes:
        """Find the smallest n at which c errors no longer prove that the rate is above `limit`."""
        return cls(limit, lambda n, c: c > 0 and 1.0 - binomial_cdf(c - 1, n, limit) > delta)

    def start(self, c: int) -> int:
        """Return the smallest sample size for c errors."""
        if c not in self.known:
            guess = self.known.get(c - 1, 0) or max(1, int(c / self.limit))
            self.known[c] = self._search(c, guess)
        return self.known[c]

    def _search(self, c: int, guess: int) -> int:
        low, high, step = guess, guess, max(1, int(1.0 / self.limit))
        while self.has(low, c) and low > 0:
            low, high, step = max(0, low - step), low, 2 * step
        step = max(1, int(1.0 / self.limit))
        while not self.has(high, c):
            low, high, step = high, high + step, 2 * step
        return bisected(lambda n: self.has(n, c), low, high)


def first_true(
    holds: Callable[[int], bool], low: int, furthest: int, precision: float = 1.0
) -> int | None:
    """Return the first number above `low` at which `holds` is true; None if it is beyond `furthest`."""
    n = low + 1
    while not holds(n):
        low, n = n, 2 * n
        if n > furthest:
            return None
    return bisected(holds, low, n, precision)


def bisected(holds: Callable[[int], bool], low: int, high: int, precision: float = 1.0) -> int:
    """Return the first number at which `holds` is true; it must be false at `low`, true at `high`.

    With a `precision` above 1, the result may be larger, by at most this factor.
    """
    while high - low > 1 and high > precision * low:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
