"""Areas as sums over the sorted items, without computing the points of a curve."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from fastarac import _kernels
from fastarac._engine.inputs import MAX_SPAN, least_positive
from fastarac._engine.pairs import value_of_pairs
from fastarac._engine.ranked import RankedItems
from fastarac._engine.strategy import first_way
from fastarac._kernels.codes import CORNERS, EVERY, PRECISION, RATES
from fastarac.areas.partial import area_between
from fastarac.dropins._arrays import Array, Scores, read_scores, readable
from fastarac.dropins._points import Shape, points_of_items

if TYPE_CHECKING:
    from fastarac._engine.counts import AcceptedCounts
    from fastarac.dropins._labels import Codes

Score = tuple[float, str | None]  # a value, and the message of a warning or None

ONE_CLASS = "Only one class is present in y_true. ROC AUC score is not defined in that case."
NO_NEGATIVES = "No negative samples in y_true, false positive value should be meaningless"
NO_POSITIVES = "No positive samples in y_true, true positive value should be meaningless"
NO_RECALL = "No positive class found in y_true, recall is set to one for all thresholds."


def roc_area(labels: Codes, scores: Array, weight: Array | None, max_fpr: float | None = None) -> Score:
    """Return the area under the ROC curve, or the standardised partial area up to `max_fpr`."""
    if weight is not None and (labels.all() or not labels.any()):
        return float("nan"), ONE_CLASS
    items = read_scores(labels, scores, weight)
    if max_fpr is None or max_fpr == 1:
        if _only_as_points(items):
            return _area_by_points(items)
        pairs = RankedItems(items).pairs
        correct, incorrect = bool(pairs.correct), bool(pairs.incorrect)
        area = value_of_pairs("roc_auc", pairs)
    else:
        if items.weight_range[0] < 0:
            raise ValueError("sample_weight must not be negative if max_fpr is given")
        points = RankedItems(items).points
        correct, incorrect = bool(points.n_correct), bool(points.n_incorrect)
        area = partial_area(points, max_fpr)
    if items.weight is None:
        return area, None if correct and incorrect else ONE_CLASS
    if not incorrect:
        return area, NO_NEGATIVES
    return area, None if correct else NO_POSITIVES


def _only_as_points(items: Scores) -> bool:
    """Return whether weights are negative or differ too much for an area from sums."""
    if items.weight is None:
        return False
    lowest, greatest = items.weight_range
    return lowest < 0 or (lowest or least_positive(items.weight)) < greatest / MAX_SPAN


def partial_area(counts: AcceptedCounts, max_fpr: float) -> float:
    """Return McClish's standardised area up to `max_fpr` < 1; NaN if a class is missing."""
    correct, incorrect = Fraction(counts.n_correct), Fraction(counts.n_incorrect)
    if not (correct and incorrect):
        return float("nan")
    limit = Fraction(float(max_fpr))
    area = area_between((counts.false_accepts,), (counts.true_accepts,), Fraction(0), limit * incorrect)
    chance = limit * limit / 2
    return float((1 + (area / (correct * incorrect) - chance) / (limit - chance)) / 2)


def _area_by_points(items: Scores) -> Score:
    """Return the ROC area from points; raise if negative weights make the curve turn back."""
    x, y, _, positives, negatives, *_ = points_of_items(items, Shape(CORNERS, RATES, falling=True))
    x[0] = y[0] = 0.0
    if negatives <= 0 or positives <= 0:
        return float("nan"), NO_NEGATIVES if negatives <= 0 else NO_POSITIVES
    return area_under(x, y), None


def average_precision(labels: Codes, scores: Array, weight: Array | None) -> Score:
    """Return the average precision: the mean precision, weighted by the increases of the recall."""
    items = read_scores(labels, scores, weight)
    if _only_as_points(items):
        return _precision_by_points(items)
    if first_way(items, "precision") == "few":
        _, (_, bits, codes) = next(items.chunks(0, items.n))
        layout = items.layout
        dropin = _kernels.curve_points
        bad, positives, high, low = dropin.small_precision(bits, codes, layout.kind, layout.exponent)
        items.check(not_finite=bad, seen_labels=0)
        if not positives:
            return 0.0, NO_RECALL
        return float(dropin.quotient(high, low, float(positives))), None
    return precision_of(RankedItems(items))


def precision_of(items: RankedItems) -> Score:
    """Return the average precision of sorted items, or of the counts of a sweep."""
    value = items.precision_area("step")
    return (0.0, NO_RECALL) if math.isnan(value) else (value, None)


def _precision_by_points(items: Scores) -> Score:
    x, y, _, positives, *_ = points_of_items(items, Shape(EVERY, PRECISION, falling=False))
    y[-1] = 0.0
    if positives == 0:
        return 0.0, NO_RECALL
    return max(0.0, float(-(np.diff(y) * x[:-1]).sum())), None


def area_under(x: Array, y: Array) -> float:
    """Return the area below the points by trapezoids; x must be monotonic."""
    if x.dtype == np.float64 == y.dtype:
        rises, falls, doubled = _kernels.curve_points.trapezoid(readable(x), readable(y))
        area = float(doubled) / 2
    else:
        steps = np.diff(x)
        falls = bool((steps < 0).any())
        rises = falls and not (steps <= 0).all()
        area = float("nan")
    if rises and falls:
        raise ValueError(f"x is neither increasing nor decreasing : {x}.")
    if area != area:  # `area` is NaN if an array is not float64, or if a coordinate is infinite or NaN
        dtype = y.dtype if y.dtype.kind == "f" else np.dtype(np.float64)
        area = float((np.diff(x) * (y[1:] + y[:-1]) / 2.0).sum(dtype=dtype))
    return -area if falls else area
