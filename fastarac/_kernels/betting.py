"""Bets on outputs of which some are verified, each known truth weighted by one over its probability."""

from __future__ import annotations

import math

from fastarac._kernels._jit import Array, kernel

LARGEST_SHARE = 0.95  # of the largest bet that cannot lose everything
MARGIN = 1.05  # what is aimed at, over what is needed
LOOKS = 256  # how often the bet is chosen anew, at most
ROOT_TWO_PI = 2.5066282746310002


@kernel
def _mills(p: float) -> float:
    """φ(u)/p at the normal quantile u of p; the quantile by Abramowitz and Stegun, 26.2.23."""
    if p >= 1.0:
        return 0.0
    p = max(p, 1e-300)
    t = math.sqrt(-2.0 * math.log(min(p, 1.0 - p)))
    u = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (
        1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308))
    )
    return math.exp(-0.5 * u * u) / (ROOT_TWO_PI * p)


@kernel
def reaches(
    place: Array,
    items: Array,
    units: Array,
    end: int,
    begin: int,
    limit: float,
    of_accepted: bool,
    largest_bet: float,
    prior: float,
    goal: float,
) -> bool:
    """Whether bets against a rate above `limit` ever make 1 into `goal`, accepting places below `end`.

    `items` (n, 1) has V·e/π of each item, or (n, 4) with ĵ(1 − V/π), and V(1 − π)/π² times eĵ and ĵ²,
    of which κ is made; `units` has where each unit of items ends. Units before `begin` are looked at
    without a bet. `prior` is the square of the gain of one unit that is thought to be before the first.
    """
    with_judge = items.shape[1] > 1
    n = len(units)
    every = max(1, n // LOOKS)
    capital, bet = 1.0, 0.0
    squares = prior
    products = squared_judge = kappa = 0.0
    first = 0
    for unit in range(n):
        if unit >= begin and (unit - begin) % every == 0:
            variance = squares / (unit + 1.0) * (n - unit)
            bet = min(
                _mills(capital / (goal * MARGIN)) / math.sqrt(variance), LARGEST_SHARE * largest_bet
            )
        gain = 0.0
        for i in range(first, units[unit]):
            if place[i] < end:
                gain += limit - items[i, 0]
                if with_judge:
                    gain -= kappa * items[i, 1]
            elif not of_accepted:
                gain += limit
        if unit >= begin:
            capital *= 1.0 + bet * gain
            if capital >= goal:
                return True
        squares += gain * gain
        if with_judge:
            for i in range(first, units[unit]):
                if place[i] < end and items[i, 3] > 0.0:
                    products += items[i, 2]
                    squared_judge += items[i, 3]
                    kappa = min(products / squared_judge, 1.0)
        first = units[unit]
    return False


@kernel
def pool_weighted(errors: Array, weights: Array, last: Array) -> int:
    """Pool neighbours until the rate of errors rises from block to block; the number of blocks.

    Both arrays are overwritten by those of the blocks, `last` by the index of the last point of each.
    """
    m = 0
    for i in range(len(errors)):
        e, w = errors[i], weights[i]
        while m > 0 and errors[m - 1] * w >= e * weights[m - 1]:
            m -= 1
            e += errors[m]
            w += weights[m]
        errors[m], weights[m], last[m] = e, w, i
        m += 1
    return m
