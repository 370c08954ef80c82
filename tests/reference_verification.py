"""Exact costs of verification by definition: every price is tried at every threshold.

Points are the counts at the thresholds of a sweep, in decreasing order of threshold. No code comes from
fastarac. Results that the library gets from hulls and envelopes are computed here without them.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Counts(NamedTuple):
    """Counts of accepted items and of all items."""

    true_accepts: Fraction
    false_accepts: Fraction
    n_correct: Fraction
    n_incorrect: Fraction

    @property
    def total(self) -> Fraction:
        return self.n_correct + self.n_incorrect

    @property
    def accepted(self) -> Fraction:
        return self.true_accepts + self.false_accepts

    @property
    def false_rejects(self) -> Fraction:
        return self.n_correct - self.true_accepts

    @property
    def true_rejects(self) -> Fraction:
        return self.n_incorrect - self.false_accepts


def to_points(true_accepts: Iterable, false_accepts: Iterable) -> list[Counts]:
    """The points of a sweep; the last one accepts everything."""
    right, wrong = ([Fraction(count) for count in counts] for counts in (true_accepts, false_accepts))
    return [Counts(t, f, right[-1], wrong[-1]) for t, f in zip(right, wrong, strict=True)]


def error_rate(point: Counts, detected: Any = 1, spoiled: Any = 0) -> Fraction:
    """[FA + (1 − d)TR + a·FR]/Ω."""
    d, a = Fraction(detected), Fraction(spoiled)
    errors = point.false_accepts + (1 - d) * point.true_rejects + a * point.false_rejects
    return errors / point.total


def correction_rate(point: Counts, detected: Any = 1, spoiled: Any = 0) -> Fraction:
    """[d·TR + a·FR]/Ω."""
    d, a = Fraction(detected), Fraction(spoiled)
    return (d * point.true_rejects + a * point.false_rejects) / point.total


def cost(point: Counts, prices: Sequence[Any], detected: Any = 1, spoiled: Any = 0) -> Fraction:
    """L = C_R(1 − X) + C_C·R_C + C_E·R_E for prices (C_R, C_C, C_E)."""
    verification, correction, error = map(Fraction, prices)
    return (
        verification * (1 - point.accepted / point.total)
        + correction * correction_rate(point, detected, spoiled)
        + error * error_rate(point, detected, spoiled)
    )


def normalized_cost(
    point: Counts, prices: Sequence[Any], detected: Any = 1, spoiled: Any = 0
) -> Fraction:
    """L' = [L − (C_R + C_C)]/C_C, its definition."""
    verification, correction, _ = map(Fraction, prices)
    whole = cost(point, prices, detected, spoiled)
    return (whole - (verification + correction)) / correction


def last_of_least(values: Sequence[Fraction]) -> int:
    """Index of the smallest value; the last index in a tie."""
    return max(i for i, value in enumerate(values) if value == min(values))


def cheapest(
    points: Sequence[Counts], prices: Sequence[Any], detected: Any = 1, spoiled: Any = 0
) -> int:
    """Index of the cheapest point; a tie goes to the point that accepts more items."""
    return last_of_least([cost(point, prices, detected, spoiled) for point in points])


def intervals_of_ratios(points: Sequence[Counts]) -> dict[int, tuple[Any, Any]]:
    """For each point, the range of ratios r = γ/δ >= 0 in which no other point has a larger r·X − R_E.

    Compared with a point that accepts fewer items, r must be at least the share of errors among the
    additional items; compared with a point that accepts more items, at most this share.
    """
    found = {}
    for i, point in enumerate(points):
        low, high = Fraction(0), math.inf
        for j, other in enumerate(points):
            more_items = point.accepted - other.accepted
            more_errors = point.false_accepts - other.false_accepts
            if more_items > 0:
                low = max(low, more_errors / more_items)
            elif more_items < 0:
                high = min(high, more_errors / more_items)
            elif j > i:
                high = Fraction(-1)  # the same counts again
        if low < high:
            found[i] = (low, high)
    return found


def rejection_cost(point: Counts, reject_cost: Any) -> Fraction:
    """(1 − λ)·risk + λ·(1 − X), without risk where nothing is accepted."""
    rate = Fraction(reject_cost)
    risk = point.false_accepts / point.accepted if point.accepted else Fraction(0)
    return (1 - rate) * risk + rate * (1 - point.accepted / point.total)


def least_rejection_cost(points: Sequence[Counts], reject_cost: Any) -> tuple[Fraction, int]:
    """The minimum over all points, and the index of the last point that has it."""
    costs = [rejection_cost(point, reject_cost) for point in points]
    best = last_of_least(costs)
    return costs[best], best


def best_performance(
    points: Sequence[Counts], gamma: Any, delta: Any, detected: Any = 1, spoiled: Any = 0
) -> Fraction:
    """The largest W = −L' of all points if a correction costs 1."""
    prices = Fraction(gamma), Fraction(1), Fraction(delta) + 1
    return max(-normalized_cost(point, prices, detected, spoiled) for point in points)
