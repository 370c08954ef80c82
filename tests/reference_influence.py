"""Influence values by definition, and DeLong's test pair by pair; no code comes from fastarac."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import reference as ref

if TYPE_CHECKING:
    from collections.abc import Callable

Items = tuple[ref.Item, ...]
STEP = Fraction(1, 10**20)


def influence_values(items: Items, statistic: Callable[[Items], Fraction]) -> list[Fraction]:
    """Ω times the derivative of the statistic by each item's weight, as a difference quotient.

    The step is so small compared with the weights that its error is far below double precision.
    """
    total = sum(item.weight for item in items)
    value = statistic(items)
    values = []
    for k, item in enumerate(items):
        heavier = item._replace(weight=item.weight + STEP)
        moved = statistic((*items[:k], heavier, *items[k + 1 :]))
        values.append(total * (moved - value) / STEP)
    return values


def squared_error(items: Items, values: list[Fraction]) -> Fraction:
    """Sandwich variance: Σ (ω·ψ/Ω)², times n/(n − 1)."""
    total, n = sum(item.weight for item in items), len(items)
    squares = ((i.weight * value / total) ** 2 for i, value in zip(items, values, strict=True))
    return sum(squares, Fraction(0)) * Fraction(n, n - 1)


def won(a: Any, b: Any) -> Fraction:
    """1 if a is above b, 1/2 if they are tied, else 0."""
    return Fraction((a > b) + (a >= b), 2)


def delong(y_true: list[int], scores: list[list[Any]]) -> tuple[list[Fraction], list[list[Fraction]]]:
    """AUCs and their covariances: DeLong, DeLong and Clarke-Pearson 1988, equations 4 to 6."""
    positive = [i for i, y in enumerate(y_true) if y]
    negative = [i for i, y in enumerate(y_true) if not y]
    m, n = len(positive), len(negative)
    v10 = [[sum(won(s[i], s[j]) for j in negative) / n for i in positive] for s in scores]
    v01 = [[sum(won(s[i], s[j]) for i in positive) / m for j in negative] for s in scores]
    areas = [sum(v) / m for v in v10]

    def covariance(v: list[list[Fraction]], r: int, s: int) -> Fraction:
        pairs = zip(v[r], v[s], strict=True)
        return sum((a - areas[r]) * (b - areas[s]) for a, b in pairs) / (len(v[r]) - 1)

    models = range(len(scores))
    return areas, [
        [covariance(v10, r, s) / m + covariance(v01, r, s) / n for s in models] for r in models
    ]


def holm(pvalues: list[float]) -> list[float]:
    """Holm's p-value as a closed test: the largest Bonferroni p-value of all sets that contain it."""
    numbers = range(len(pvalues))
    sets = [s for size in numbers for s in itertools.combinations(numbers, size + 1)]
    return [max(min(1.0, len(s) * min(pvalues[k] for k in s)) for s in sets if i in s) for i in numbers]


def generated(seed: int, n: int) -> list[tuple[int, int, int]]:
    """(y_true, score_a, score_b) from Park and Miller's generator: the same everywhere."""
    rows = []
    state = seed
    for _ in range(n):
        draws = []
        for _ in range(4):
            state = state * 48271 % 2147483647
            draws.append(state)
        y = int(draws[0] % 100 < 30)
        common = draws[1] % 60
        rows.append((y, common + draws[2] % 60 + 25 * y, common + draws[3] % 90 + 15 * y))
    return rows


def logit_interval(estimate: float, error: float, quantile: float) -> tuple[float, float]:
    """Interval for a statistic in [0, 1], by the delta method on the log-odds."""
    centre = math.log(estimate / (1 - estimate))
    reach = quantile * error / (estimate * (1 - estimate))
    low, high = (1 / (1 + math.exp(-(centre + side * reach))) for side in (-1, 1))
    return low, high
