"""ROC hulls and cost curves from their definitions: in fractions, by trying all pairs and lines."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any, NamedTuple


class Point(NamedTuple):
    fpr: Fraction
    tpr: Fraction
    threshold: Any
    name: Any


def roc_points(y_true: Any, y_score: Any, sample_weight: Any = None, name: Any = None) -> list[Point]:
    """The ROC curve, from no positive predictions to all: one point for each distinct score."""
    weights = [1] * len(y_true) if sample_weight is None else [float(w) for w in sample_weight]
    items = [
        (bool(y), score.item(), Fraction(w))
        for y, score, w in zip(y_true, y_score, weights, strict=True)
        if w
    ]
    positive = sum(w for y, _, w in items if y)
    negative = sum(w for y, _, w in items if not y)
    points = [Point(Fraction(0), Fraction(0), math.inf, name)]
    for threshold in sorted({score for _, score, _ in items}, reverse=True):
        tp = sum(w for y, score, w in items if y and score >= threshold)
        fp = sum(w for y, score, w in items if not y and score >= threshold)
        points.append(Point(fp / negative, tp / positive, threshold, name))
    return points


def cost(point: Any, p: Fraction) -> Fraction:
    """Cost p·(1 − TP) + (1 − p)·FP: an error costs p for a positive and 1 − p for a negative item."""
    return p * (1 - point[1]) + (1 - p) * point[0]


def optimal_range(point: Point, points: list[Point]) -> tuple[Fraction, Fraction] | None:
    """The weights p from 0 to 1 at which no other point costs less."""
    low, high = Fraction(0), Fraction(1)
    for other in points:
        right, up = other.fpr - point.fpr, other.tpr - point.tpr
        if right + up > 0:  # p·(right + up) <= right
            high = min(high, right / (right + up))
        elif right + up < 0:
            low = max(low, right / (right + up))
        elif right < 0:
            return None
    return (low, high) if low <= high else None


def hull(points: list[Point]) -> list[tuple[Point, Fraction, Fraction]]:
    """The corners of the hull, each with the range of p where it is optimal; of equal points, one."""
    distinct: dict[tuple[Fraction, Fraction], Point] = {}
    for point in points:
        distinct.setdefault(point[:2], point)
    corners = []
    for point in distinct.values():
        found = optimal_range(point, list(distinct.values()))
        trivial = point.fpr == point.tpr and point.fpr in (0, 1)
        if found and (found[0] < found[1] or trivial):
            corners.append((point, *found))
    return sorted(corners)


def envelope(points: list[Point], p: Fraction) -> Fraction:
    """The lowest cost at p, over all points and both trivial classifiers."""
    return min(cost(point, p) for point in [*points, (0, 0), (1, 1)])


def ends_at(points: list[Point], x: Fraction) -> tuple[Fraction, Fraction]:
    """Lower and upper end of the piecewise linear curve at one FPR."""
    heights = [point.tpr for point in points if point.fpr == x]
    for a, b in pairwise(points):
        if a.fpr < x < b.fpr:
            heights.append(a.tpr + (x - a.fpr) * (b.tpr - a.tpr) / (b.fpr - a.fpr))
    return min(heights), max(heights)


def dominates(a: list[Point], b: list[Point]) -> bool:
    """Whether one curve is never below the other and above it somewhere; tested where either bends."""
    places = {point.fpr for point in [*a, *b]}
    pairs = [pair for x in places for pair in zip(ends_at(a, x), ends_at(b, x), strict=True)]
    return all(mine >= other for mine, other in pairs) and any(mine > other for mine, other in pairs)


def better_ranges(a: list[Point], b: list[Point]) -> list[tuple[Fraction, Fraction]]:
    """Open intervals of p in which a costs less, between all crossings of any two cost lines."""
    lines = [(point.fpr, 1 - point.tpr - point.fpr) for point in [*a, *b]]  # height at 0, and slope
    lines += [(Fraction(0), Fraction(1)), (Fraction(1), Fraction(-1))]
    places = {Fraction(0), Fraction(1)}
    for (height, slope), (other_height, other_slope) in combinations(set(lines), 2):
        if slope != other_slope:
            places.add((other_height - height) / (slope - other_slope))
    rising = sorted(p for p in places if 0 <= p <= 1)

    def is_better(p: Fraction) -> bool:
        return envelope(a, p) < envelope(b, p)

    found: list[tuple[Fraction, Fraction]] = []
    for low, high in pairwise(rising):
        if is_better((low + high) / 2):
            joins = found and found[-1][1] == low and is_better(low)
            found.append((found.pop()[0] if joins else low, high))
    return found
