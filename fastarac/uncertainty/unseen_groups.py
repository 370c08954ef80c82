"""Groups that are wrong throughout, of which a sample may have none.

Two in a hundred pages that are wrong throughout are missing from 45% of the samples of 40 pages, and a
sample without one looks harmless: no spread shows what it lacks. With the probability 1 − α a sample of
G groups has none only where at most a share u = 1 − α^(1/G) of the groups are such (about 3/G). So an
interval reaches as far from the estimate as that share of further items moves it, all of them wrong, at
the highest confidences or at the lowest, whichever is farther.
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

MANY = 300  # groups from which on hardly 1% can be of a kind that none of them is


class WrongGroups(NamedTuple):
    """How many groups of a sample are wrong throughout."""

    n_wrong: int
    n_groups: int

    @classmethod
    def of(
        cls, correct: NDArray[np.bool_], codes: NDArray[np.intp], weight: NDArray[np.float64] | None
    ) -> WrongGroups:
        """Count the groups that have any weight, and those of them without a correct item."""
        present = np.bincount(codes, weight) > 0.0
        right = correct if weight is None else correct & (weight > 0.0)
        some_right = np.bincount(codes[right], minlength=len(present)) > 0
        return cls(int(np.count_nonzero(present & ~some_right)), int(np.count_nonzero(present)))


def largest_unseen_share(n_groups: float, level: float) -> float:
    """The largest share of groups of which a sample has none with a probability of 1 less the level."""
    return -math.expm1(math.log1p(-level) / n_groups)


def room(
    sweep: ThresholdSweep, statistic: Statistic, n_groups: float, level: float
) -> tuple[float, float]:
    """How far groups wrong throughout, of which none was seen, may lower and raise a statistic."""
    share = largest_unseen_share(n_groups, level)
    value = statistic(sweep)
    changes = [each - value for each in values_with(sweep, statistic, share, (0,))]
    return max(0.0, *(-change for change in changes)), max(0.0, *changes)
