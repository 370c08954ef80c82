"""Betting on partly verified outputs; verified outputs are weighted by their inverse probability."""

from __future__ import annotations

import math

import numpy as np

from fastarac._kernels._jit import Array, kernel

LARGEST_SHARE = 0.95  # Largest allowed bet, divided by the bet that could lose the whole capital.
MARGIN = 1.05  # Bets are planned to reach this multiple of the goal.
# Approximate number of times that the bet is adapted: every max(1, n // LOOKS) of n units.
LOOKS = 256
# The value at which 1/π is clipped has the largest expected gain at an error rate of (1 − AIM)·limit.
AIM = 0.4
ROOT_TWO_PI = 2.5066282746310002


@kernel
def _mills(p: float) -> float:
    """Return φ(u)/p, for the normal density φ and p-quantile u (Abramowitz and Stegun, 26.2.23)."""
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
    probability: Array,
    clipped_from: Array,
    clips: Array,
    units: Array,
    end: int,
    begin: int,
    limit: float,
    of_accepted: bool,
    goal: float,
) -> bool:
    """Return whether bets against an error rate above `limit` turn a capital of 1 into `goal`.

    Items with `place` below `end` are accepted. V is 1 for verified items and 0 for others, and e is 1
    for errors. π is the probability of verification, and ĵ is the judge's prediction of e.

    `items` (n, 1) holds V·e/π of each item. With four columns, `items` also holds ĵ(1 − V/π), V(1 −
    π)/π²·eĵ and V(1 − π)/π²·ĵ². The last two determine κ, the weight of the judge. A unit is one item,
    or several consecutive ones; `units` holds the end of each unit. One bet is placed on each unit from
    `begin` on.

    The inverse probability 1/π may be clipped at c. `clips` (k, 4) has a row for each possible c, in
    falling order. A row holds c, the largest bet that this c allows, and the squared gain and the bias
    of a pseudo-unit before the first unit. Y = V·e/π + κĵ(1 − V/π) is an estimate of e. If cπ < 1, Y is
    replaced by 1 − cπ + cπY. `clipped_from` holds the index of the first c with cπ < 1. Whenever the
    bet is adapted, the c with the largest expected gain in the earlier units is chosen (see `AIM`).
    """
    with_judge = items.shape[1] > 1
    n, n_clips = len(units), len(clips)
    every = max(1, n // LOOKS)
    # For each clip c: the number of earlier items that are clipped at c but not at the next larger
    # clip, and the sum of their probabilities π.
    clipped, of_clipped = np.zeros(n_clips), np.zeros(n_clips)
    counted = 0.0
    capital, bet, clip = 1.0, 0.0, clips[0, 0]
    squares = products = squared_judge = kappa = 0.0
    first = 0
    for unit in range(n):
        if unit >= begin and (unit - begin) % every == 0:
            reach = _mills(capital / (goal * MARGIN))
            best = -math.inf
            m, sum_of_m = 0.0, 0.0
            for k in range(n_clips):
                m += clipped[k]
                sum_of_m += of_clipped[k]
                variance = (squares + clips[k, 2]) / (unit + 1.0) * (n - unit)
                size = min(reach / math.sqrt(variance), LARGEST_SHARE * clips[k, 1])
                added = clips[k, 3] + m - clips[k, 0] * sum_of_m
                grown = size * (AIM * abs(limit) * counted - added)
                if grown > best or n_clips == 1:
                    best, bet, clip = grown, size, clips[k, 0]
        gain = 0.0
        for i in range(first, units[unit]):
            if place[i] < end:
                found = items[i, 0]
                if with_judge:
                    found += kappa * items[i, 1]
                if clip * probability[i] < 1.0:
                    found = 1.0 - clip * probability[i] * (1.0 - found)
                gain += limit - found
                counted += 1.0
                if clipped_from[i] < n_clips:
                    clipped[clipped_from[i]] += 1.0
                    of_clipped[clipped_from[i]] += probability[i]
            elif not of_accepted:
                gain += limit
                counted += 1.0
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
    """Pool neighbours until the error rate rises from block to block; return the number of blocks.

    `errors`, `weights` and `last` receive the sums and the last index of each block.
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
