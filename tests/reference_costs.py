"""Costs, their intervals and guarantees, computed slowly and exactly; nothing here comes from fastarac.

Matrices are lists of rows of fractions: rows predicted, columns actual.
"""

from __future__ import annotations

import itertools
import math
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

Matrix = list[list[Fraction]]


def exact(matrix: Any) -> Matrix:
    """Convert a nested sequence of numbers to fractions, without rounding."""
    return [[Fraction(*float(value).as_integer_ratio()) for value in row] for row in matrix]


# --- Counts and costs ----------------------------------------------------------------------------


def counts(labels: Sequence[Any], *columns: Sequence[Any]) -> dict[tuple[int, ...], int]:
    """How often each combination of positions in `labels` occurs."""
    found: dict[tuple[int, ...], int] = {}
    for row in zip(*columns, strict=True):
        key = tuple(list(labels).index(label) for label in row)
        found[key] = found.get(key, 0) + 1
    return found


def risk(costs: Any, probabilities: Any) -> list[list[Fraction]]:
    """Suzuki 2003, equation 1, for each row of probabilities."""
    costs, probabilities = exact(costs), exact(probabilities)
    return [
        [sum(p * c for p, c in zip(row, prices, strict=True)) for prices in costs]
        for row in probabilities
    ]


def cost_with_rejection(
    costs: Any, predicted: Sequence[int], actual: Sequence[int], confidence: Any, price: Any
) -> dict[float, Fraction]:
    """Mean cost at each threshold: an item below it is rejected at this price."""
    costs, n = exact(costs), len(actual)
    return {
        threshold: sum(
            costs[i][j] if t >= threshold else Fraction(price)
            for i, j, t in zip(predicted, actual, confidence, strict=True)
        )
        / n
        for threshold in [math.inf, *sorted(set(confidence), reverse=True)]
    }


def expected_cost(costs: Any, table: Any) -> Fraction:
    """Mean cost per item of a table of counts."""
    costs, table = exact(costs), exact(table)
    cells = [(m, c) for ms, cs in zip(table, costs, strict=True) for m, c in zip(ms, cs, strict=True)]
    return sum(m * c for m, c in cells) / sum(m for m, _ in cells)


def dominated_rows(costs: Any) -> tuple[int, ...]:
    """The dominated rows: another row costs no more in any column."""
    costs = exact(costs)
    return tuple(
        i
        for i, row in enumerate(costs)
        if any(
            all(a <= b for a, b in zip(other, row, strict=True))
            for k, other in enumerate(costs)
            if k != i
        )
    )


def threshold(costs: Any) -> Fraction:
    """Suzuki 2003, equation 2."""
    (tn, fn), (fp, tp) = exact(costs)
    return (fp - tn) / (fp - tn + fn - tp)


# --- BCOST ---------------------------------------------------------------------------------------


def rank(confidence_level: str, n_resamples: int) -> int:
    """μ in line 8 of the pseudocode; the level is taken as the decimal number that is written."""
    return math.floor((1 - Fraction(Decimal(confidence_level))) / 2 * n_resamples) + 1


def smoothed(table: Any, laplace: float) -> list[Fraction]:
    """Equation 3 for all cells of a flattened table, which may have any number of axes."""
    cells = [Fraction(int(m)) for m in table.ravel()]
    extra = Fraction(*float(laplace).as_integer_ratio())
    return [(m + extra) / (sum(cells) + len(cells) * extra) for m in cells]


def moments(probabilities: list[Fraction], prices: list[float], n: int) -> tuple[float, float]:
    """Mean and variance of the mean cost of n items drawn from the cells."""
    values = [Fraction(*float(price).as_integer_ratio()) for price in prices]
    mean = sum(p * v for p, v in zip(probabilities, values, strict=True))
    square = sum(p * v * v for p, v in zip(probabilities, values, strict=True))
    return float(mean), float((square - mean * mean) / n)


def naive_bcost(
    probabilities: list[Fraction],
    prices: list[float],
    n: int,
    n_resamples: int,
    rng: np.random.Generator,
) -> list[float]:
    """The pseudocode as written: for each resample, n items are drawn one by one."""
    edges = []
    total = Fraction(0)
    for p in probabilities:
        total += p
        edges.append(float(total))
    edges[-1] = 1.0
    costs = []
    for _ in range(n_resamples):
        total_cost = 0.0
        for u in rng.random(n).tolist():
            cell = next(i for i, edge in enumerate(edges) if u < edge)
            total_cost += prices[cell]
        costs.append(total_cost / n)
    return costs


def grouped_costs(
    tables: list[Any], prices: Any, labels: list[Any]
) -> tuple[list[tuple[Fraction, int]], Fraction, float]:
    """Cost and size of each group, the mean cost of an item, and its first-order standard error."""
    found: dict[Any, tuple[Fraction, int]] = {}
    for table, label in zip(tables, labels, strict=True):
        cells = list(zip(table.ravel().tolist(), prices.ravel().tolist(), strict=True))
        cost = sum((m * Fraction(*float(c).as_integer_ratio()) for m, c in cells), Fraction(0))
        before, size = found.get(label, (Fraction(0), 0))
        found[label] = before + cost, size + sum(m for m, _ in cells)
    every = [group for group in found.values() if group[1]]
    n = sum(size for _, size in every)
    mean = sum((cost for cost, _ in every), Fraction(0)) / n
    square = sum(((cost - size * mean) ** 2 for cost, size in every), Fraction(0))
    return every, mean, math.sqrt(square) / n


def law_of_grouped_costs(groups: list[tuple[Fraction, int]]) -> dict[Fraction, Fraction]:
    """Probability of each mean cost per item, by enumeration of all draws of whole groups."""
    law: dict[Fraction, Fraction] = {}
    for drawn in itertools.product(groups, repeat=len(groups)):
        value = sum((cost for cost, _ in drawn), Fraction(0)) / sum(size for _, size in drawn)
        law[value] = law.get(value, Fraction(0)) + Fraction(1, len(groups) ** len(groups))
    return law


# --- Guarantees ----------------------------------------------------------------------------------


def binomial_cdf(k: int, n: int, p: Fraction) -> Fraction:
    """Binomial probability of at most k successes in n trials."""
    q = 1 - p
    return sum((math.comb(n, i) * p**i * q ** (n - i) for i in range(k + 1)), Fraction(0))


def upper_bound_within(k: int, n: int, delta: Fraction, limit: Fraction) -> bool:
    """Whether the Clopper–Pearson upper bound of k errors in n is at most the limit."""
    if limit >= 1:
        return True
    return k < n and binomial_cdf(k, n, limit) <= delta


def points(correct: Sequence[int], confidence: Sequence[float]) -> list[tuple[float, int, int]]:
    """(threshold, accepted, errors) at inf and at every distinct confidence, in decreasing order."""
    found = [(math.inf, 0, 0)]
    for k in sorted(set(confidence), reverse=True):
        accepted = [c for c, t in zip(correct, confidence, strict=True) if t >= k]
        found.append((k, len(accepted), len(accepted) - sum(accepted)))
    return found


def guaranteed_by_error_rate(
    correct: Sequence[int], confidence: Sequence[float], limit: Fraction, delta: Fraction
) -> float:
    """The lowest threshold at which, as at all higher thresholds, the bound is within the limit."""
    n = len(correct)
    lowest = math.inf
    for k, _, errors in points(correct, confidence)[1:]:
        if not upper_bound_within(errors, n, delta, limit):
            break
        lowest = k
    return lowest


def guaranteed_by_risk(
    correct: Sequence[int], confidence: Sequence[float], limit: Fraction, delta: Fraction
) -> float:
    """SGR: bisection between the last threshold that passed and the first that failed."""
    found = points(correct, confidence)
    tests = math.ceil(math.log2(len(found)))
    low, high = 0, len(found)
    used = 0
    while high - low > 1:
        used += 1
        middle = (low + high) // 2
        _, accepted, errors = found[middle]
        if upper_bound_within(errors, accepted, delta / tests, limit):
            low = middle
        else:
            high = middle
    assert used <= tests
    return found[low][0]


def ever_within(looks: Sequence[int], limit: Fraction) -> Fraction:
    """P(for any c, at most c of the first looks[c] items are wrong); each is with chance `limit`."""
    met, outside = Fraction(0), {0: Fraction(1)}
    for m in range(1, max(looks, default=0) + 1):
        moved: dict[int, Fraction] = {}
        for errors, chance in outside.items():
            moved[errors] = moved.get(errors, Fraction(0)) + chance * (1 - limit)
            moved[errors + 1] = moved.get(errors + 1, Fraction(0)) + chance * limit
        allowed = sum(look <= m for look in looks) - 1
        met += sum((chance for errors, chance in moved.items() if errors <= allowed), Fraction(0))
        outside = {errors: chance for errors, chance in moved.items() if errors > allowed}
    return met


def pocock_looks(n: int, limit: Fraction, delta: float) -> list[int]:
    """Fewest accepted items for 0, 1, … errors: one level for all, then the first as low as δ allows.

    Probabilities that are equal except for rounding errors pass.
    """
    most = Fraction(delta * (1 + 1e-9))

    def at(level: Fraction) -> list[int]:
        found: list[int] = []
        for m in range(1, n + 1):
            if binomial_cdf(len(found), m, limit) <= level:
                found.append(m)
        return found

    step = 0
    while ever_within(looks := at(most * Fraction(2.0 ** (-step / 8))), limit) > most:
        step += 1
    while looks and looks[0] > 1 and ever_within([looks[0] - 1, *looks[1:]], limit) <= most:
        looks[0] -= 1
    return looks


def guaranteed_at_all_thresholds(
    correct: Sequence[int], confidence: Sequence[float], limit: Fraction, delta: float
) -> float:
    """The lowest of all thresholds at which the accepted items suffice for the errors among them."""
    found = points(correct, confidence)
    if limit >= 1:
        return found[-1][0]
    looks = pocock_looks(len(correct), limit, delta)
    return min(k for k, m, c in found if m == 0 or (c < len(looks) and m >= looks[c]))
