"""Error rates behind the labels of a judge who errs, by definition: every rate is tried.

No code comes from fastarac.
"""

from __future__ import annotations

import math

STEPS = 20_000


def binomial_tail(k: int, n: int, p: float) -> float:
    """P(X <= k), term by term."""
    return math.fsum(math.comb(n, i) * p**i * (1.0 - p) ** (n - i) for i in range(k + 1))


def share_interval(k: int, n: int, tail: float) -> tuple[float, float]:
    """Clopper and Pearson's interval: neither k or more nor k or fewer are too rare."""

    def bound(k: int) -> float:
        low, high = 0.0, 1.0
        for _ in range(60):
            p = (low + high) / 2.0
            low, high = (p, high) if binomial_tail(k, n, p) > tail else (low, p)
        return low

    return (1.0 - bound(n - k) if k else 0.0), (bound(k) if k < n else 1.0)


def error_rates(
    called: tuple[int, int], found: tuple[int, int], alarms: tuple[int, int], level: float
) -> tuple[float, float]:
    """The smallest and the largest error rate p for which q − p·d − (1 − p)·a may have the mean 0.

    Each argument is a count and its total: outputs called wrong, errors found, and right outputs called
    wrong. The distances of the three estimates from their bounds are added as squares.
    """
    pairs = called, found, alarms
    q, d, a = (k / n for k, n in pairs)
    (q_low, q_high), (d_low, d_high), (a_low, a_high) = (
        share_interval(*pair, (1.0 - level) / 2.0) for pair in pairs
    )
    kept = []
    for step in range(STEPS + 1):
        p = step / STEPS
        mean = q - p * d - (1.0 - p) * a
        below = (q - q_low) ** 2 + (p * (d_high - d)) ** 2 + ((1.0 - p) * (a_high - a)) ** 2
        above = (q_high - q) ** 2 + (p * (d - d_low)) ** 2 + ((1.0 - p) * (a - a_low)) ** 2
        if -math.sqrt(above) <= mean <= math.sqrt(below):
            kept.append(p)
    return min(kept), max(kept)
