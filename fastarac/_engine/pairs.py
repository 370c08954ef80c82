"""The one place of the formulas over pairs of one correct and one incorrect item.

With p correct and q incorrect items, and d twice the number of pairs whose correct item is above, tied
pairs counted once, every area of the ARAC and the ROC curve is a quotient of integers. The formulas
hold for numbers and, elementwise, for arrays of them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, cast

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from fastarac._engine.sorting import PairCounts

    Counts = NDArray[Any]
    Quotient = tuple[Any, Any]

EXACT_PRODUCTS = 1 << 30  # up to so many items, four times a product of counts fits int64

_QUOTIENTS: dict[str, Callable[[Any, Any, Any], Quotient]] = {
    "recognition_rate": lambda p, q, _: (p, p + q),
    "arac_auc": lambda p, q, d: (2 * (p + q) ** 2 - 2 * p * q + d - q * q, 2 * (p + q) ** 2),
    "augrc": lambda p, q, d: (2 * p * q - d + q * q, 2 * (p + q) ** 2),
    "roc_auc": lambda p, q, d: (d, 2 * p * q),
}

METRICS = ("n", "n_correct", "recognition_rate", "arac_auc", "normalized_arac_auc", "augrc", "roc_auc")


def value_of_pairs(metric: str, pairs: PairCounts) -> float:
    """The figure of one sample, rounded once; NaN for 0/0."""
    numerator, denominator = quotient_of_pairs(metric, pairs)
    return float(numerator / denominator) if denominator else math.nan


def quotient_of_pairs(metric: str, pairs: PairCounts) -> tuple[int, int]:
    """The figure of one sample as numerator and denominator, not in lowest terms."""
    return cast("tuple[int, int]", _QUOTIENTS[metric](*whole_pairs(pairs)))


def whole_pairs(pairs: PairCounts) -> tuple[int, int, int]:
    """The counts in a unit of weight that makes integers of them: quotients do not depend on it."""
    p, q, doubled = pairs
    if isinstance(p, int) and isinstance(q, int) and isinstance(doubled, int):
        return p, q, doubled
    unit = math.lcm(p.denominator, q.denominator, doubled.denominator)
    return (
        p.numerator * (unit // p.denominator),
        q.numerator * (unit // q.denominator),
        doubled.numerator * (unit // doubled.denominator) * unit,
    )


def values_of_pairs(metric: str, pairs: Counts, gamma: float = 1.0) -> NDArray[Any]:
    """The figure of many samples, each rounded once, from their pairs of shape (n, 3)."""
    if pairs.dtype == np.int64 and (pairs[:, 0] + pairs[:, 1]).max(initial=0) >= EXACT_PRODUCTS:
        pairs = pairs.astype(object)  # integers of Python
    p, q, d = pairs.T
    if metric == "n":
        return cast("Counts", (p + q).astype(np.int64))
    if metric == "n_correct":
        return cast("Counts", p.astype(np.int64))
    if metric != "normalized_arac_auc":
        return _divided(*_QUOTIENTS[metric](p, q, d))
    g, h = gamma.as_integer_ratio()
    if g + h > 4:
        p, q, d = (x.astype(object) for x in (p, q, d))
    normalized = _divided(g * (q * q + d) + 2 * h * p * q, 2 * (p + q) * q * (g + h))
    normalized[(q == 0).astype(bool)] = 1.0
    return normalized


def _divided(numerator: Counts, denominator: Counts) -> NDArray[np.float64]:
    """Quotients of integers, each rounded once; NaN for 0/0."""
    quotient = np.full(len(numerator), np.nan)
    some = denominator != 0
    a, b = numerator[some], denominator[some]
    # what a double holds is divided as doubles; beyond, Python's division rounds correctly as well
    quotient[some] = a.astype(np.float64) / b if _fits(a) and _fits(b) else a.astype(object) / b
    return quotient


def _fits(counts: Counts) -> bool:
    return not len(counts) or abs(int(counts.max())) <= 1 << 53
