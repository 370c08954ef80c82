"""Intervals of parts of the ROC curve inside of which there are few items.

A standard error comes from what was seen, and six errors show nothing of the tenth of all errors that
are surest. What is known of any errors is how much of their population lies in the gaps between them:
of k errors the k + 1 gaps hold shares with the law of Dirichlet(1, …, 1) (Wilks 1941). Within a gap the
curve is between its heights at the ends. So shares are drawn, the least and the largest area that they
leave are computed, and the interval reaches from the lower quantile of the least ones to the upper one
of the largest. Errors that are weighted or come in groups say as much as fewer; the gap above all of
them has the share that this number leaves. Between errors of one confidence the curve is a line.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastarac._core.quantiles import student_quantile
from fastarac.areas.partial import roc_partial_auc_score
from fastarac.uncertainty import influence

if TYPE_CHECKING:
    from fastarac.sweep import ThresholdSweep
    from fastarac.uncertainty.inversion import ItemSample
    from fastarac.uncertainty.statistics import Statistic

FloatArray = NDArray[np.float64]

FEW_INSIDE = 5.0  # items of a class, independent ones, from which on a standard error is one
DRAWN, SEED = 400_000, 1941  # shares, in at most 8,000 draws
TINY = 1e-300
GAPS = 128  # more are joined


class ItemsOfClass(NamedTuple):
    """Items of one class, from the highest confidence down."""

    weight: FloatArray
    """At each threshold."""
    items: FloatArray
    others: FloatArray
    """Share of the other class at and above each threshold, from 0."""
    effective: float
    """Independent items of equal weight that would say as much."""
    inside: float
    """Of these, how many are expected inside the part."""
    error: float
    """The standard error that is due to them."""


def has_few_inside(classes: tuple[ItemsOfClass, ItemsOfClass]) -> bool:
    """Whether one of the classes is too small, or too small inside the part, for a standard error."""
    return any(of.inside < FEW_INSIDE for of in classes)


def part_interval(
    sweep: ThresholdSweep,
    classes: tuple[ItemsOfClass, ItemsOfClass],
    statistic: Statistic,
    value: float,
    level: float,
) -> tuple[float, float]:
    """Ends of the interval of a partial ROC-AUC; classes add independent distances."""
    low, high, of_errors = _part(statistic)
    parameters: dict[str, Any] = dict(statistic.parameters)
    plain = float(roc_partial_auc_score(sweep, **{**parameters, "standardize": None}))
    scale = 1.0
    if parameters.get("standardize") is not None:
        chance = (high - low) * (high + low) / 2.0
        scale = 0.5 / (high - low - chance if of_errors else chance)
    down, up = 0.0, 0.0
    for errors, of in zip((True, False), classes, strict=True):
        if of.inside < FEW_INSIDE:
            least, most = _areas(of, (low, high), errors=errors, own=errors == of_errors, level=level)
            distances = scale * max(0.0, plain - least), scale * max(0.0, most - plain)
        else:
            distances = (of.error * student_quantile(level, of.effective - 1.0),) * 2
        down, up = math.hypot(down, distances[0]), math.hypot(up, distances[1])
    first, last = statistic.range
    return max(first, value - down), min(last, value + up)


def _part(statistic: Statistic) -> tuple[float, float, bool]:
    """Its two ends, and whether they are false positive rates."""
    ranges = dict(statistic.parameters)
    of_errors = ranges.get("fpr_range") is not None
    low, high = map(float, ranges.get("fpr_range") or ranges.get("tpr_range") or (0.0, 1.0))
    return low, high, of_errors


def classes_of(
    sample: ItemSample, statistic: Statistic, *, heavy: bool
) -> tuple[ItemsOfClass, ItemsOfClass]:
    """The incorrect and the correct items.

    Of few `heavy` items that were seen, one that was not may weigh as much as the heaviest: then there
    are as many items as would have the weight of the class if each had that.
    """
    sweep, items, codes = sample
    low, high, of_errors = _part(statistic)
    counts = np.diff(sweep.false_accepts), np.diff(sweep.true_accepts)
    rates = sweep.recall, sweep.false_positive_rate
    at = influence.point_influence(sweep, statistic)
    found = []
    for k, values in enumerate((at.incorrect, at.correct)):
        weight: FloatArray = counts[k].astype(np.float64)
        many, effective, total = weight, float(weight.sum()), float(sweep.total)
        squares, units = weight * (values / total) ** 2, effective
        if items is not None:
            own = items.is_correct == bool(k)
            own &= True if items.weight is None else items.weight > 0.0
            many = np.bincount(items.point[own], minlength=len(weight)).astype(np.float64)
            each = np.ones(len(own)) if items.weight is None else items.weight
            moved, each = values[items.point[own]] * each[own] / total, each[own]
            units = float(len(each))
            if codes is not None:
                groups = np.unique(codes[own], return_inverse=True)[1]
                moved, each = (np.bincount(groups, x).astype(np.float64) for x in (moved, each))
                units = float(len(each))
            effective, squares = influence.effective(each), np.square(moved)
            if heavy and items.weight is not None:
                effective = min(effective, float(weight.sum() / items.weight.max()))
        error = math.sqrt(float(squares.sum()) * units / (units - 1.0)) if units > 1.0 else math.inf
        inside = effective * (high - low) if of_errors == (k == 0) else effective
        found.append(ItemsOfClass(weight, many, rates[k], effective, inside, error))
    return found[0], found[1]


def _areas(
    of: ItemsOfClass, part: tuple[float, float], *, errors: bool, own: bool, level: float
) -> tuple[float, float]:
    """The lower quantile of the least areas, and the upper one of the largest.

    The area is the mean over the class of what the other class adds at the place of each item, of
    those inside the part where this is a part of the class's `own` rate.
    """
    low, high = part

    def added(rate: FloatArray) -> FloatArray:
        """By an item where the other class has this rate."""
        if own:
            return rate if errors else 1.0 - rate
        rate = np.clip(rate, low, high)
        return rate - low if errors else high - rate

    areas = []
    for least in (True, False):
        share, rate, line, start, stop = _shares(of, least=least)
        draws = min(DRAWN // len(share), 8000)
        ends = np.random.default_rng(SEED).gamma(share, size=(draws, len(share)))
        np.cumsum(ends, axis=1, out=ends)
        ends /= ends[:, -1:]
        starts = np.concatenate((np.zeros((draws, 1)), ends[:, :-1]), axis=1)
        first, last = (np.clip(x, low, high) for x in (starts, ends)) if own else (starts, ends)
        along = ((first + last) / 2.0 - starts) / np.maximum(ends - starts, TINY)
        heights = np.where(line, added(start + (stop - start) * along), added(rate))
        areas.append(np.sum((last - first) * heights, axis=1))
    least, most = areas if errors else areas[::-1]
    tail = (1.0 - level) / 2.0
    return float(np.quantile(least, tail)), float(np.quantile(most, 1.0 - tail))


class _Shares(NamedTuple):
    """Of a class, from above; those of several items of one confidence lie along a line."""

    concentration: FloatArray
    rate: FloatArray
    """The other class's, at each share: the least it may be, or the largest."""
    line: NDArray[np.bool_]
    start: FloatArray
    stop: FloatArray


def _shares(of: ItemsOfClass, *, least: bool) -> _Shares:
    """With one more item above all others, and each one's share at its confidence or below it.

    For the largest rates it is below all others, and each one's share at its confidence or above it.
    """
    present: NDArray[np.intp] = np.flatnonzero(of.weight > 0.0)
    items = of.items[present]
    each = of.effective * of.weight[present] / of.weight[present].sum()
    above, at = of.others[present], of.others[present + 1]
    alone = items == 1.0  # elsewhere the line says what is at the confidence
    edge = np.where(alone == least, above, at)
    order = slice(None) if least else slice(None, None, -1)

    def joined(of_line: Any, of_edge: Any, of_more: float) -> NDArray[Any]:
        pairs = np.stack(np.broadcast_arrays(of_line, of_edge), axis=1)[:, order].ravel()
        return np.concatenate(([of_more], pairs) if least else (pairs, [of_more]))

    share = joined(each * (1.0 - 1.0 / items), each / items, 1.0)
    rate = joined(above if least else at, edge, float(not least))
    line = joined(np.ones(len(each)), 0.0, 0.0) > 0.0
    start, stop = joined(above, edge, 0.0), joined(at, edge, 0.0)
    kept = share > 0.0
    share, rate, start, stop = (x[kept] for x in (share, rate, start, stop))
    line = line[kept]
    if len(share) > GAPS:
        block = (np.cumsum(share) * (GAPS / share.sum())).astype(np.intp)
        firsts = np.flatnonzero(np.diff(block, prepend=-1))
        lasts = np.append(firsts[1:], len(share)) - 1
        share, rate = np.add.reduceat(share, firsts), rate[firsts if least else lasts]
        line, start, stop = line[firsts] & (firsts == lasts), start[firsts], stop[lasts]
    return _Shares(share, rate, line, start, stop)
