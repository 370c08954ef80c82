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
    from collections.abc import Iterator, Sequence


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
