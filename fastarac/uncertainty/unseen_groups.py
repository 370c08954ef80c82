"""Widen intervals for groups that are wrong throughout and missing from the sample.

If two pages in a hundred are wrong throughout, 45% of the samples of 40 pages contain none of them. If
none of G groups is wrong, the share of wrong groups is at most u = 1 − α^(1/G) with confidence 1 − α.
So a share u of wrong items is added, once at the highest and once at the lowest confidences. A
half-width h becomes √(h² + c²). For the lower end, c is the largest decrease of the estimate; for the
upper end, it is the largest increase.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fastarac.uncertainty.estimates import values_with

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fastarac.sweep import ThresholdSweep
    from fastarac.uncertainty.statistics import Statistic

# If none of so many groups is wrong throughout, at most 1% of the source's groups are: no note then.
MANY = 300

# Minimum number of items in a group that counts as wrong throughout. All items of a smaller group are
# often wrong by chance.
ENOUGH_ITEMS = 5


class WrongGroups(NamedTuple):
    """The number of groups in a sample in which all items are wrong."""

    n_wrong: int
    n_groups: int
    n_large_wrong: int
    """The number of wrong groups with at least 5 items."""

    @classmethod
    def of(
        cls, correct: NDArray[np.bool_], codes: NDArray[np.intp], weight: NDArray[np.float64] | None
    ) -> WrongGroups:
        """Count the groups with positive weight, and how many of them have no correct item."""
        present = np.bincount(codes, weight) > 0.0
        right = correct if weight is None else correct & (weight > 0.0)
        some_right = np.bincount(codes[right], minlength=len(present)) > 0
        wrong = present & ~some_right
        large = wrong & (np.bincount(codes) >= ENOUGH_ITEMS)
        return cls(*(int(np.count_nonzero(each)) for each in (wrong, present, large)))


def largest_unseen_share(n_groups: float, level: float) -> float:
    """Return the share u of wrong groups at which a sample has none with probability 1 − level."""
    return -math.expm1(math.log1p(-level) / n_groups)


def room(
    sweep: ThresholdSweep, statistic: Statistic, n_groups: float, level: float
) -> tuple[float, float]:
    """Return how far unseen groups in which all items are wrong may lower and raise a statistic."""
    share = largest_unseen_share(n_groups, level)
    value = statistic(sweep)
    changes = [each - value for each in values_with(sweep, statistic, share, (0,))]
    return max(0.0, *(-change for change in changes)), max(0.0, *changes)
