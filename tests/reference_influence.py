"""Influence values by their definition, and DeLong's test pair by pair; nothing here from fastarac."""

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
    """Ω times the derivative of the statistic by the weight of each item, as a difference quotient.

    The step is so small beside the weights that its error is far below that of a double.
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
    """Sandwich: Σ (ω·ψ/Ω)², times n/(n − 1)."""
    total, n = sum(item.weight for item in items), len(items)
    squares = ((i.weight * value / total) ** 2 for i, value in zip(items, values, strict=True))
    return sum(squares, Fraction(0)) * Fraction(n, n - 1)


def won(a: Any, b: Any) -> Fraction:
    """1 where a is above b, half where they are tied."""
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
    """As a closed test: the largest Bonferroni p-value of all sets of hypotheses with this one."""
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
    """By the delta method on the log-odds, for a range from 0 to 1."""
    centre = math.log(estimate / (1 - estimate))
    reach = quantile * error / (estimate * (1 - estimate))
    low, high = (1 / (1 + math.exp(-(centre + side * reach))) for side in (-1, 1))
    return low, high
