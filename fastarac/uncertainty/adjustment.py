"""Corrections of p-values, and of the levels of intervals, for the number of tests."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

Correction = Literal["holm", "bonferroni"]


def adjusted_pvalues(pvalues: Sequence[float], correction: Correction | None) -> list[float]:
    """Return p-values adjusted for multiple testing. NaN stays NaN, but still counts as a test."""
    n = len(pvalues)
    if correction is None:
        return list(pvalues)
    if correction == "bonferroni":
        return [p if math.isnan(p) else min(1.0, n * p) for p in pvalues]
    adjusted = list(pvalues)
    largest = 0.0
    for rank, k in enumerate(
        sorted((k for k in range(n) if pvalues[k] == pvalues[k]), key=pvalues.__getitem__)
    ):
        largest = max(largest, min(1.0, (n - rank) * pvalues[k]))
        adjusted[k] = largest
    return adjusted


def adjusted_levels(
    pvalues: Sequence[float], correction: Correction | None, level: float
) -> list[float]:
    """Return interval levels such that 0 is excluded iff the adjusted p-value is below 1 − level.

    Let α = 1 − `level`, and let m be the number of tests. With Bonferroni, each level is 1 − α/m. With
    Holm, it is 1 − α/k. For a test that rejects, k is the number of tests with a p-value at least as
    large. For any other test, k is the number of tests that do not reject. A p-value of NaN does not
    reject.
    """
    alpha, n = 1.0 - level, len(pvalues)
    if correction is None:
        return [level] * n
    if correction == "bonferroni":
        return [1.0 - alpha / n] * n
    rejects = [p < alpha for p in adjusted_pvalues(pvalues, correction)]
    left = [
        sum(not other < p for other in pvalues) if own else n - sum(rejects)
        for p, own in zip(pvalues, rejects, strict=True)
    ]
    return [1.0 - alpha / k for k in left]
