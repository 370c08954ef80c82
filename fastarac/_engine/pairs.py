"""All formulas over pairs of one correct and one incorrect item.

Let p and q be the numbers of correct and incorrect items. Let d be the number of tied pairs plus twice
the number of pairs whose correct item is above. Every area under the ARAC and the ROC curve is then a
quotient of integers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from fastarac import _kernels

Counts = NDArray[Any]
Exact = int | Fraction
Quotient = tuple[int, int]  # (numerator, denominator), with a denominator above 0, not in lowest terms

EXACT_PRODUCTS = 1 << 30  # Below this number of items, the product 4·p·q fits int64.


class PairCounts(NamedTuple):
    """The exact counts that determine the areas under the ARAC and the ROC curve.

    They are integers, or fractions if the items are weighted.
    """

    correct: Exact
    incorrect: Exact
    doubled_pairs: Exact
    """Twice the weight of the pairs with the correct item above, plus the weight of the tied pairs."""


_QUOTIENTS: dict[str, Callable[[Any, Any, Any], tuple[Any, Any]]] = {
    "recognition_rate": lambda p, q, _: (p, p + q),
    "arac_auc": lambda p, q, d: (2 * (p + q) ** 2 - 2 * p * q + d - q * q, 2 * (p + q) ** 2),
    "augrc": lambda p, q, d: (2 * p * q - d + q * q, 2 * (p + q) ** 2),
    "roc_auc": lambda p, q, d: (d, 2 * p * q),
}

AREAS = tuple(name for name in _QUOTIENTS if name != "recognition_rate")
METRICS = ("n", "n_correct", *_QUOTIENTS, "normalized_arac_auc")


def value_of_pairs(metric: str, pairs: PairCounts) -> float:
    """Return a metric of one sample, rounded once; NaN for 0/0."""
    numerator, denominator = quotient_of_pairs(metric, pairs)
    return float(numerator / denominator) if denominator else math.nan


def quotient_of_pairs(metric: str, pairs: PairCounts) -> tuple[int, int]:
    """Return a metric of one sample as numerator and denominator, not in lowest terms."""
    return cast("tuple[int, int]", _QUOTIENTS[metric](*whole_pairs(pairs)))


def whole_pairs(pairs: PairCounts) -> tuple[int, int, int]:
    """Return the counts multiplied by a common denominator, as integers; quotients stay the same."""
    p, q, doubled = pairs
    if isinstance(p, int) and isinstance(q, int) and isinstance(doubled, int):
        return p, q, doubled
    unit = math.lcm(p.denominator, q.denominator, doubled.denominator)
    correct = p.numerator * (unit // p.denominator)
    incorrect = q.numerator * (unit // q.denominator)
    above = doubled.numerator * (unit // doubled.denominator) * unit
    # The rounding of weights may make `above` exceed its largest possible value, 2·correct·incorrect.
    return correct, incorrect, min(above, 2 * correct * incorrect)


def values_of_pairs(metric: str, pairs: Counts, gamma: float = 1.0) -> NDArray[Any]:
    """Return a metric of many samples, each rounded once, from their pairs of shape (n, 3)."""
    if pairs.dtype == np.int64 and (pairs[:, 0] + pairs[:, 1]).max(initial=0) >= EXACT_PRODUCTS:
        pairs = pairs.astype(object)  # Python integers do not overflow
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
    """Return quotients of integers, each rounded once; NaN for 0/0."""
    quotient = np.full(len(numerator), np.nan)
    some = denominator != 0
    a, b = numerator[some], denominator[some]
    # If doubles hold the integers exactly, divide as doubles, which is fast. Otherwise, Python divides
    # the integers and rounds correctly.
    quotient[some] = a.astype(np.float64) / b if _fits(a) and _fits(b) else a.astype(object) / b
    return quotient


def _fits(counts: Counts) -> bool:
    return not len(counts) or abs(int(counts.max())) <= 1 << 53


def pairs_between(true_accepts: Counts, false_accepts: Counts) -> PairCounts:
    """Return the pair counts that follow from the accepted items at all thresholds."""
    correct, incorrect = true_accepts[-1].item(), false_accepts[-1].item()
    doubled = doubled_area(false_accepts, true_accepts)
    if true_accepts.dtype == np.int64:
        return PairCounts(correct, incorrect, doubled)
    return PairCounts(Fraction(correct), Fraction(incorrect), doubled)


def doubled_area(x: Counts, y: Counts) -> Exact:
    """Return twice the area under the line through the points (x, y); x and y are >= 0 and never fall.

    For integers, the area is exact; for floats, it is a fraction with an error below 1e-15.
    """
    if x.dtype == np.int64:
        if x[-1].item() * y[-1].item() < 1 << 61:
            return int(_kernels.counting.doubled_area(x, y))
        a: list[int] = x.tolist()
        b: list[int] = y.tolist()
        return sum((a[i] - a[i - 1]) * (b[i] + b[i - 1]) for i in range(1, len(a)))
    scale = scale_of(max(x[-1], y[-1]))
    high, low = _kernels.weighted.doubled_area(x, y, scale)
    return (Fraction(high) + Fraction(low)) / Fraction(scale) ** 2


def scale_of(largest: float) -> float:
    """Return a power of two that brings `largest` into [0.5, 1), or as close as doubles allow."""
    return math.ldexp(1.0, max(-1021, min(1021, -math.frexp(largest)[1])))
