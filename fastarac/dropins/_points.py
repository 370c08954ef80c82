"""Compute the points of a curve from items.

Weights are added one by one in score order, as in scikit-learn: rounding decides whether a point lies
on a line and is dropped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from fastarac import _kernels
from fastarac._engine.buckets import Buckets, over_buckets, sort_buckets
from fastarac._engine.counts import CountsAtThresholds, ThresholdCounts
from fastarac._engine.ranked import ordered
from fastarac._engine.weighted import sort_with_weights
from fastarac._kernels.codes import CORNERS, COUNTS, EVERY, MISSES, PRECISION, TP_CHANGES_ONLY

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fastarac._engine.inputs import Items
    from fastarac.dropins._arrays import Array, Scores


class Shape(NamedTuple):
    """Which points of a curve to compute, with which coordinates and in which order."""

    rule: int
    """Which distinct scores become points: EVERY, CORNERS, TP_CHANGES or TP_CHANGES_ONLY."""
    mode: int
    """What x and y mean: RATES, PRECISION, MISSES or COUNTS."""
    falling: bool
    """Whether the highest score comes first."""


class Points(NamedTuple):
    """Points of a curve, including one above the highest score, where nothing is accepted."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    thresholds: Array
    """The thresholds in the type of the scores; undefined for the added point."""
    positives: float
    negatives: float
    tn: NDArray[np.float64]
    """True negatives. This array and `fn` are empty unless counts were requested."""
    fn: NDArray[np.float64]


def points_of_items(items: Scores, shape: Shape) -> Points:
    """Return the points of the curve of these items."""
    found = ordered(items, "curve", {"weighted": lambda items: _weighted_points(items, shape)})
    if isinstance(found, Points):
        return found
    if isinstance(found, ThresholdCounts):
        return points_of_counts(found, shape)
    return _points_of_buckets(items, found, shape)


def _points_of_buckets(items: Scores, buckets: Buckets, shape: Shape) -> Points:
    dropin = _kernels.curve_points
    n_buckets = len(buckets.bounds) - 1
    rows = np.empty((n_buckets, 9), np.int64)

    sort_buckets(buckets, dropin.describe_buckets, rows, shape.rule)
    starts = np.zeros((n_buckets, 5), np.int64)
    size, positives, negatives = dropin.place_buckets(rows, shape.rule, starts)
    raw, x, y = np.empty(size + 1, items.layout.bits), np.empty(size + 1), np.empty(size + 1)
    tn, fn = (np.empty(size + 1 if shape.mode == COUNTS else 0) for _ in range(2))
    out, kind = (raw, x, y, tn, fn), items.layout.kind
    options = buckets.below, kind, shape.rule, shape.mode, shape.falling, positives, negatives

    def write(first: int, last: int) -> None:
        dropin.write_points(buckets.keys, buckets.bounds, first, last, starts, options, out)

    over_buckets(n_buckets, items.n, lambda: write)
    # numpy warns about the division 0/0 here, as it does in scikit-learn.
    if shape.mode == MISSES and not (positives and negatives):
        x[-1] = y[-1] = 0.0
        x = x if negatives else x / negatives
        y = y if positives else y / positives
    return Points(x, y, raw.view(items.layout.values), positives, negatives, tn, fn)


def _weighted_points(items: Items, shape: Shape) -> Points:
    (keys, weights, bounds, _), sums = sort_with_weights(items)
    size = int(sums[:, 0].sum())
    raw = np.empty(size, items.layout.bits)
    tp = np.empty(size)
    fp = np.empty(size)
    _kernels.curve_points.add_up_weights(keys, weights, bounds, items.layout.kind, raw, tp, fp)
    return _points_of_sums(raw.view(items.layout.values), tp, fp, shape)


def points_of_counts(counts: CountsAtThresholds, shape: Shape) -> Points:
    tp, fp = (of[1:].astype(np.float64) for of in (counts.true_accepts, counts.false_accepts))
    return _points_of_sums(counts.thresholds[1:], tp, fp, shape)


def _points_of_sums(thresholds: Array, tp: Array, fp: Array, shape: Shape) -> Points:
    positives, negatives = tp[-1].item(), fp[-1].item()
    if shape.rule != EVERY:
        kept = _kept(tp, fp, shape.rule)
        thresholds, tp, fp = thresholds[kept], tp[kept], fp[kept]
    size = len(tp) + 1
    x, y = np.empty(size), np.empty(size)
    all_thresholds = np.empty(size, thresholds.dtype)
    body = slice(1, None) if shape.falling else slice(size - 2, None, -1)
    all_thresholds[body] = thresholds
    if shape.mode == COUNTS:
        x[body], y[body] = fp, tp
        x[0] = y[0] = 0.0
        return Points(x, y, all_thresholds, positives, negatives, negatives - x, positives - y)
    quiet: Literal["ignore"] | None = None if shape.mode == MISSES else "ignore"
    with np.errstate(invalid=quiet, divide=quiet):
        if shape.mode == PRECISION:
            x[body] = 0.0
            accepted = tp + fp
            np.divide(tp, accepted, out=x[body], where=accepted != 0)
        else:
            np.divide(fp, negatives, out=x[body])
        np.divide(positives - tp if shape.mode == MISSES else tp, positives, out=y[body])
    return Points(x, y, all_thresholds, positives, negatives, x[:0], y[:0])


def _kept(tp: Array, fp: Array, rule: int) -> NDArray[np.bool_]:
    """Return which points a rule keeps, given the cumulative counts or weights of both classes."""
    kept = np.ones(len(tp), np.bool_)
    if rule == TP_CHANGES_ONLY:
        changes = np.diff(tp, prepend=0.0) != 0
        kept[:-1] = changes[:-1] | changes[1:]
    elif len(tp) > 2:
        steps = np.diff(tp)
        if rule == CORNERS:
            other_steps = np.diff(fp)
            kept[1:-1] = (steps[1:] != steps[:-1]) | (other_steps[1:] != other_steps[:-1])
        else:
            changes = steps != 0
            kept[1:-1] = changes[:-1] | changes[1:]
    return kept
