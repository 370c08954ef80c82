"""The textbook bootstrap: draw items one by one, evaluate each resample, take quantiles.

It shares no code with the library: it uses numpy's random numbers, and counts pairs of items for the
statistic.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


def resampled_rows(
    n: int, rng: np.random.Generator, strata: np.ndarray | None = None, groups: np.ndarray | None = None
) -> np.ndarray:
    """Draw the rows of one resample: from all items, from each stratum, or as whole groups."""
    if groups is not None:
        names = np.unique(groups)
        drawn = rng.choice(names, len(names))
        return np.concatenate([np.flatnonzero(groups == name) for name in drawn])
    if strata is not None:
        parts = [np.flatnonzero(strata == name) for name in np.unique(strata)]
        return np.concatenate([rng.choice(part, len(part)) for part in parts])
    return rng.choice(n, n)


def arac_auc(correct: np.ndarray, confidence: np.ndarray, weight: np.ndarray | None = None) -> float:
    """ARAC-AUC: 1 minus the weight of pairs (incorrect item, item not above it), ties half."""
    weight = np.ones(len(correct)) if weight is None else weight
    wrong = ~correct.astype(bool)
    below = confidence[wrong][:, None] > confidence[None, :]
    tied = confidence[wrong][:, None] == confidence[None, :]
    pairs = weight[wrong][:, None] * weight[None, :] * (below + 0.5 * tied)
    return 1.0 - float(pairs.sum()) / float(weight.sum()) ** 2


def replicates(
    correct: np.ndarray,
    confidence: np.ndarray,
    n_resamples: int,
    seed: int,
    weight: np.ndarray | None = None,
    strata: np.ndarray | None = None,
    groups: np.ndarray | None = None,
) -> np.ndarray:
    """ARAC-AUC of this number of resamples."""
    rng = np.random.default_rng(seed)
    values = []
    for _ in range(n_resamples):
        rows = resampled_rows(len(correct), rng, strata, groups)
        w = None if weight is None else weight[rows]
        values.append(arac_auc(correct[rows], confidence[rows], w))
    return np.array(values)


def multinomial(sizes: Sequence[int]) -> Iterator[tuple[tuple[int, ...], Fraction]]:
    """Every outcome of n draws from cells with n items in all, with its probability."""
    n = sum(sizes)

    def outcomes(left: int, cells: int) -> Iterator[tuple[int, ...]]:
        if cells == 1:
            yield (left,)
            return
        for first in range(left + 1):
            for rest in outcomes(left - first, cells - 1):
                yield (first, *rest)

    for counts in outcomes(n, len(sizes)):
        chance = Fraction(math.factorial(n))
        for count, size in zip(counts, sizes, strict=True):
            chance *= Fraction(size**count, n**count * math.factorial(count))
        yield counts, chance


def natural_order(n: int, lanes: int) -> np.ndarray:
    """Positions of the units in memory, in decreasing order of confidence."""
    return np.concatenate([np.arange(lane, n, lanes) for lane in range(lanes)])


def quantile(values: Sequence[float], share: float) -> float:
    """Quantile by linear interpolation between order statistics, the first at 0 and the last at 1."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


Item = tuple[bool, float, float]  # correct, confidence, weight


def thresholds_of(items: Sequence[Item]) -> list[float]:
    """All thresholds of these items: infinity, and their confidences from the highest down."""
    return [math.inf, *sorted({confidence for _, confidence, weight in items if weight}, reverse=True)]


def cells_at(items: Sequence[Item], threshold: float) -> tuple[Fraction, ...]:
    """TP, FP, FN and TN of the items if those at or above the threshold are accepted."""
    cells = [Fraction(0)] * 4
    for correct, confidence, weight in items:
        cells[(0 if confidence >= threshold else 2) + (not correct)] += Fraction(weight)
    return tuple(cells)


def youden(tp: Fraction, fp: Fraction, fn: Fraction, tn: Fraction) -> Fraction | None:
    """TPR + TNR − 1; None if a class is absent."""
    if not (tp + fn and fp + tn):
        return None
    return tp / (tp + fn) + tn / (fp + tn) - 1


def adjusted_geometric_mean(tp: Fraction, fp: Fraction, fn: Fraction, tn: Fraction) -> Fraction | None:
    """(√(TPR·TNR) + TN)/(1 + FP + TN), and 0 if TP = 0; None if a class is absent."""
    if not tp + fn or (tp and not fp + tn):
        return None
    root = math.sqrt(tp * tn / ((tp + fn) * (fp + tn))) if tp else 0.0
    return (Fraction(root) + tn) / (1 + fp + tn) if tp else Fraction(0)


def error_rate(tp: Fraction, fp: Fraction, fn: Fraction, tn: Fraction) -> Fraction | None:
    """FP/Ω; None without items."""
    return fp / (tp + fp + fn + tn) if tp + fp + fn + tn else None


def risk(tp: Fraction, fp: Fraction, _: Fraction, __: Fraction) -> Fraction | None:
    """FP/(TP + FP); None if nothing is accepted."""
    return fp / (tp + fp) if tp + fp else None


def cost(tp: Fraction, fp: Fraction, fn: Fraction, tn: Fraction) -> Fraction | None:
    """Mean cost of an item if a verification costs 1, a correction 2, an undetected error 9."""
    n = tp + fp + fn + tn
    return ((fn + tn) + 2 * tn + 9 * fp) / n if n else None


def largest(metric: Callable[..., Fraction | None], items: Sequence[Item]) -> float | None:
    """Return the lowest threshold with the largest metric; None if it is undefined everywhere."""
    values = [(metric(*cells_at(items, t)), -t) for t in thresholds_of(items)]
    known = [(value, place) for value, place in values if value is not None]
    return -max(known)[1] if known else None


def smallest(metric: Callable[..., Fraction | None], items: Sequence[Item]) -> float | None:
    """Return the lowest threshold with the smallest metric."""
    return largest(lambda *cells: -metric(*cells), items)


def lowest_within(
    metric: Callable[..., Fraction | None], limit: Fraction, items: Sequence[Item]
) -> float:
    """Return the lowest threshold at which the metric is within the limit, or undefined."""
    return min(t for t in thresholds_of(items) if (metric(*cells_at(items, t)) or 0) <= limit)


def between(threshold: float, items: Sequence[Item]) -> float:
    """Return the midpoint of a threshold and the next lower confidence of the items, if any."""
    lower = [t for t in thresholds_of(items) if t < threshold]
    return (threshold + lower[0]) / 2 if lower else threshold


def bagged(
    items: Sequence[Item],
    counts: Sequence[int],
    choose: Callable[[Sequence[Item]], float | None],
    metric: Callable[..., Fraction | None],
    *,
    midpoints: bool = False,
) -> tuple[float | Fraction | None, ...]:
    """Threshold, metric in bag and out of bag, acceptance out of bag, if items are drawn so often."""
    bag = [(c, t, w * count) for (c, t, w), count in zip(items, counts, strict=True) if count]
    rest = [item for item, count in zip(items, counts, strict=True) if not count]
    threshold = choose(bag)
    if threshold is None:
        return None, None, None, None
    inside = metric(*cells_at(bag, threshold))
    if midpoints:
        threshold = between(threshold, bag)
    cells = cells_at(rest, threshold)
    accepted = (cells[0] + cells[1]) / sum(cells) if sum(cells) else None
    return threshold, inside, metric(*cells), accepted


def law_of_thresholds(
    items: Sequence[Item],
    groups: Sequence[int],
    choose: Callable[[Sequence[Item]], float | None],
    metric: Callable[..., Fraction | None],
    *,
    midpoints: bool = False,
) -> dict[tuple[float | Fraction | None, ...], Fraction]:
    """Every outcome of `bagged` over all equally probable draws of groups, with its probability."""
    found: dict[tuple[float | Fraction | None, ...], Fraction] = {}
    n = max(groups) + 1
    for counts, chance in multinomial([1] * n):
        of_items = [counts[group] for group in groups]
        outcome = bagged(items, of_items, choose, metric, midpoints=midpoints)
        found[outcome] = found.get(outcome, Fraction(0)) + chance
    return found
