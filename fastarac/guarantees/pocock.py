"""Guarantees of a risk at all thresholds at once, by a boundary like Pocock's for repeated looks.

The boundary allows c errors as soon as m(c) items are accepted. It is calibrated for items that are
wrong independently, each with a probability equal to the limit. If such items are accepted one by one,
the probability that the errors are ever within the boundary is at most δ.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from functools import lru_cache, partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fastarac._core.special import binomial_cdf, stirling_error

# "auto" uses the boundary if the limit allows at most this number of errors among all items. Above this
# number, fallback sequences accept more items.
FEW_ERRORS = 50
# Up to this number of allowed errors, the calibration takes less than about a tenth of a second.
QUICK_ERRORS = 100
# Maximum number of allowed errors. The time of the calibration is proportional to its square.
MOST_ERRORS = 500
# The nominal levels δ·2^(−k/STEPS) are tried, for k = 0, 1, …
STEPS = 8
# Relative rounding error of computed probabilities.
ROUNDING = 1e-9
_FEW = 16  # for n below this number, a table holds the error of Stirling's formula


@lru_cache(maxsize=64)
def boundary(n: int, limit: float, delta: float) -> tuple[int, ...]:
    """Return m(0) < m(1) < …: c errors prove the limit if at least m(c) of the n items are accepted.

    For a nominal level, m(c) is the smallest m with P(Bin(m, limit) ≤ c) at most that level. Of the
    tried levels with a `crossing` of at most δ, the largest one is used. Then m(0) is lowered until
    `crossing` returns about δ, because m(0) decides whether anything is accepted.
    """
    if limit <= 0.0:
        return ()
    allowed = delta * (1.0 + ROUNDING)

    def looks_at(step: int) -> list[int]:
        return _looks(n, limit, allowed * 2.0 ** (-step / STEPS))

    # The last level to try is δ divided by the number of looks, which certainly suffices (Bonferroni).
    most = math.ceil(STEPS * math.log2(max(1, len(looks_at(0))))) + 1
    looks = looks_at(
        bisect_left(range(most), -allowed, key=lambda step: -crossing(looks_at(step), limit))
    )
    if looks:
        looks[0] = 1 + bisect_left(
            range(1, looks[0]), -allowed, key=lambda m: -crossing([m, *looks[1:]], limit)
        )
    return tuple(looks)


def method_of_own_thresholds(limit: float, n: float) -> Literal["pocock", "fallback"]:
    """Return the method to prove a limit on the risk if thresholds are taken from the n items.

    "pocock" accepts more if the limit allows few errors. Otherwise, "fallback" accepts more and is much
    faster.
    """
    return "pocock" if limit * n <= QUICK_ERRORS else "fallback"


def _looks(n: int, limit: float, level: float) -> list[int]:
    """Return the smallest m ≤ n with P(Bin(m, limit) ≤ c) ≤ level for c = 0, 1, … while one exists."""
    looks: list[int] = []
    m = 0
    while m <= n:
        sizes, c = range(m + 1, n + 1), len(looks)
        m += 1 + bisect_left(sizes, -level, key=partial(_minus_cdf, c, limit))
        looks.append(m)
    return looks[:-1]


def _minus_cdf(c: int, limit: float, m: int) -> float:
    return -binomial_cdf(c, m, limit)


def crossing(looks: list[int], limit: float) -> float:
    """Return the probability that, for at least one c, at most c of the first looks[c] items are wrong.

    The items are wrong independently with the probability `limit`. Let f(c) be the probability that c
    is the smallest such number. Then exactly c of the first looks[c] items are wrong, because at least
    c of the first looks[c − 1] items are wrong. So with m(c) = looks[c] and p(m, k) = P(Bin(m, limit) =
    k),

        p(m(c), c) = f(c) + Σ_{j<c} f(j)·p(m(c) − m(j), c − j).
    """
    m, c = np.array(looks, np.int64), np.arange(len(looks))
    later, first = np.tril_indices(len(looks), -1)
    between = np.eye(len(looks))
    between[later, first] = _probability(m[later] - m[first], later - first, limit)
    return float(np.sum(np.linalg.solve(between, _probability(m, c, limit))))


def _probability(m: NDArray[np.int64], k: NDArray[np.int64], p: float) -> NDArray[np.float64]:
    """Return P(Bin(m, p) = k) for 0 < p < 1; 0 where k exceeds m.

    Deviances keep the digits of large m (Loader 2000), as in `_core.special`.
    """
    inner = (k > 0) & (k < m)
    n, hits = np.where(inner, m, 2).astype(np.float64), np.where(inner, k, 1).astype(np.float64)
    rest, mean, mean_rest = n - hits, n * p, n * (1.0 - p)
    off = (mean - hits) / mean_rest
    deviance = hits * np.log(hits / mean) + mean - hits
    deviance += mean_rest * ((1.0 + off) * np.log1p(off) - off)
    errors = _stirling_error(n) - _stirling_error(hits) - _stirling_error(rest)
    log = errors - deviance + 0.5 * np.log(n / (2.0 * math.pi * hits * rest))
    ends = [inner, k == 0, k == m]
    return np.exp(np.select(ends, [log, m * math.log1p(-p), m * math.log(p)], -math.inf))


def _stirling_error(n: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ln n! minus Stirling's approximation ln(√(2πn)·(n/e)ⁿ), for whole n ≥ 1."""
    large = np.maximum(n, _FEW)
    square = 1.0 / (large * large)
    series = (1 / 12 - (1 / 360 - (1 / 1260 - square / 1680) * square) * square) / large
    return np.where(n < _FEW, _ERRORS[np.minimum(n, _FEW - 1).astype(np.intp)], series)


_ERRORS = np.array([0.0, *(stirling_error(float(n)) for n in range(1, _FEW))])


def within(
    accepted: NDArray[np.int64], errors: NDArray[np.int64], n: int, limit: float, delta: float
) -> NDArray[np.intp]:
    """Return the indices of the thresholds with few enough errors to prove the limit."""
    if limit >= 1.0:
        return np.arange(len(accepted))
    if limit * n > MOST_ERRORS:
        raise ValueError(
            f"method='pocock' needs a limit that allows at most {MOST_ERRORS} errors among all items, "
            f"got {limit:g} of {n:,} items; use method='fallback' with thresholds or a scale"
        )
    looks = np.array(boundary(n, limit, delta), np.int64)
    return np.flatnonzero(errors < np.searchsorted(looks, accepted, side="right"))
