"""Intervals of partial ROC-AUCs with few items inside the part.

A standard error reflects only items in the sample. But a sample of six errors may contain none of the
10% of all errors with the highest confidences. The k errors of a sample leave k + 1 gaps between them,
including both ends. The shares of the population's errors in these gaps follow Dirichlet(1, …, 1)
(Wilks 1941). Within a gap, the height of the curve is between its heights at the two ends.

The method draws these shares at random, and computes the smallest and the largest possible area for
each draw. The interval reaches from the lower quantile of the smallest areas to the upper quantile of
the largest areas. For weighted or grouped errors, k is their effective number, which also determines
the share of the gap above all errors. Between errors of equal confidence, the curve is a straight line.
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

# Minimum effective number of items in each class for a reliable standard error.
FEW_INSIDE = 5.0
# Maximum number of random shares in all draws together (there are at most 8,000 draws), and the seed.
DRAWN, SEED = 400_000, 1941
TINY = 1e-300
GAPS = 128  # maximum number of gaps between items; if there are more, neighbouring gaps are merged


class ItemsOfClass(NamedTuple):
    """Items of one class, in order of decreasing confidence."""

    weight: FloatArray
    """Total weight at each threshold."""
    items: FloatArray
    others: FloatArray
    """Share of the other class at or above each threshold, starting with 0."""
    effective: float
    """Effective number of independent, equally weighted items."""
    inside: float
    """Effective number of items expected inside the part."""
    error: float
    """This class's part of the standard error."""


def has_few_inside(classes: tuple[ItemsOfClass, ItemsOfClass]) -> bool:
    """Return whether a class has too few items, overall or inside the part, for a standard error."""
    return any(of.inside < FEW_INSIDE for of in classes)


def part_interval(
    sweep: ThresholdSweep,
    classes: tuple[ItemsOfClass, ItemsOfClass],
    statistic: Statistic,
    value: float,
    level: float,
) -> tuple[float, float]:
    """Return the interval of a partial ROC-AUC, combining the variation of both classes."""
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
    """Return the bounds of the part, and whether they are false positive rates."""
    ranges = dict(statistic.parameters)
    of_errors = ranges.get("fpr_range") is not None
    low, high = map(float, ranges.get("fpr_range") or ranges.get("tpr_range") or (0.0, 1.0))
    return low, high, of_errors


def classes_of(
    sample: ItemSample, statistic: Statistic, *, heavy: bool
) -> tuple[ItemsOfClass, ItemsOfClass]:
    """Return the incorrect and the correct items.

    `heavy` means that few items of large weight were seen. Then the effective number is at most the
    class's weight divided by the largest weight, because an unseen item may be as heavy.
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
    """Return the lower quantile of the smallest areas, and the upper quantile of the largest areas.

    The area is the mean height of the curve at the items of one class. If the bounds of the part
    are rates of this class (`own`), only items inside the part contribute.
    """
    low, high = part

    def added(rate: FloatArray) -> FloatArray:
        """Return the area that an item adds, given the other class's rate at its confidence."""
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
    """The gaps between a class's items, by decreasing confidence; `line` marks gaps inside ties."""

    concentration: FloatArray
    rate: FloatArray
    """The least, or the largest, possible rate of the other class in each gap."""
    line: NDArray[np.bool_]
    start: FloatArray
    stop: FloatArray


def _shares(of: ItemsOfClass, *, least: bool) -> _Shares:
    """Return the gaps with the smallest (`least`), or the largest, possible rates of the other class.

    k items have k + 1 gaps. For the smallest rates, the gap of an item reaches down from the item, and
    the extra gap is above all items. For the largest rates, the gap of an item reaches up from the
    item, and the extra gap is below all items.
    """
    present: NDArray[np.intp] = np.flatnonzero(of.weight > 0.0)
    items = of.items[present]
    each = of.effective * of.weight[present] / of.weight[present].sum()
    above, at = of.others[present], of.others[present + 1]
    # An item alone at its confidence gets the smallest (`least`) or the largest rate there. For tied
    # items, the line of the tie already covers all rates at their confidence.
    alone = items == 1.0
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
