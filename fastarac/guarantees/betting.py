"""Guarantees for groups of dependent items: by betting, and by drawing one item per group."""

from __future__ import annotations

import itertools
import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastarac._core.checks import largest_group
from fastarac.guarantees.fallback import Start, last_proved

BOLDNESS = 0.9  # largest bet, as a share of the bet that risks the whole capital
LARGEST_LOG = 700.0  # largest logarithm of a capital that still fits a double
FEW = 128  # minimum number of groups with which `_groups_needed` begins


class GroupedItems(NamedTuple):
    """Items whose groups are in random order."""

    group: NDArray[np.intp]
    """Group number of each item; groups are numbered in random order."""
    place: NDArray[np.intp]
    """Index of each item's confidence in the sweep of all items. The highest confidence has index 0."""
    wrong: NDArray[np.bool_]
    sizes: NDArray[np.int64]
    largest: int
    """Most items that a group may have."""

    @classmethod
    def of(
        cls,
        codes: NDArray[Any],
        place: NDArray[np.intp],
        correct: NDArray[np.bool_],
        largest: int | None,
        rng: np.random.Generator,
    ) -> GroupedItems:
        """Put the groups into a random order; raise if one has more than `largest` items."""
        sizes = np.bincount(codes)
        order = rng.permutation(len(sizes))
        rank = np.empty(len(sizes), np.intp)
        rank[order] = np.arange(len(sizes))
        most = largest_group(int(sizes.max()), largest)
        return cls(rank[codes], place, ~correct, sizes[order], most)

    def without(self, items: NDArray[np.bool_]) -> GroupedItems:
        """Return the groups after the first ones; `items` marks the items of the first groups."""
        first = int(self.group[items].max()) + 1 if items.any() else 0
        return GroupedItems(
            self.group[~items] - first, self.place[~items], self.wrong[~items], self.sizes[first:],
            self.largest,
        )  # fmt: skip

    def needed(self, limit: float, delta: float) -> int:
        """Return the approximate number of groups that prove a limit if no item is wrong."""
        if limit <= 0.0:
            return 0
        mean = float(self.sizes.mean())
        return math.ceil(math.log(1.0 / delta) / limit * self.largest / mean)

    def one_each(self, rng: np.random.Generator) -> NDArray[np.intp]:
        """Keep each group with probability size/largest, and draw one item from each kept group."""
        order = rng.permutation(len(self.group))
        _, first = np.unique(self.group[order], return_index=True)
        kept = rng.random(len(self.sizes)) < self.sizes / self.largest
        return np.asarray(order[first][kept], np.intp)


def wealth(outcomes: NDArray[np.float64], largest: float | NDArray[np.int64], limit: float) -> float:
    """Return the largest capital reached by betting that the mean outcome is below 0.

    The bets are those of Waudby-Smith and Ramdas (2024). `outcomes` holds one outcome per group, of at
    most (1 − `limit`)·`largest`.
    """
    grown = float(np.max(_growth(outcomes, largest, limit), initial=0.0))
    return math.exp(min(grown, LARGEST_LOG))


def _growth(
    outcomes: NDArray[np.float64], largest: float | NDArray[np.int64], limit: float
) -> NDArray[np.float64]:
    """Return the logarithm of the capital after each group; each bet depends only on earlier groups."""
    n = len(outcomes)
    highest = BOLDNESS / ((1.0 - limit) * largest)
    # The first bet assumes that one group without an error came before.
    prior = -limit * float(np.ravel(largest)[0]) / 2.0
    before = np.concatenate([[0.0], np.cumsum(outcomes)[:-1]])
    squares = np.concatenate([[0.0], np.cumsum(outcomes**2)[:-1]])
    weight = np.arange(n) + 1.0
    mean = (before + prior) / weight
    second = (squares + prior**2) / weight
    bets = np.clip(-mean / second, 0.0, highest)
    return np.asarray(np.cumsum(np.log1p(-bets * outcomes)))


def _groups_needed(
    outcomes: NDArray[np.float64], largest: float, limit: float, delta: float, guess: int
) -> int | None:
    """Return how many groups the capital needs to reach 1/δ; None if all groups are not enough."""
    n, goal = len(outcomes), -math.log(delta)
    tried = min(n, max(FEW, 2 * guess))
    while True:
        enough = np.flatnonzero(_growth(outcomes[:tried], largest, limit) >= goal)
        if len(enough):
            return int(enough[0]) + 1
        if tried == n:
            return None
        tried = min(n, 2 * tried)


def bet_on_error_rate(pages: GroupedItems, n_points: int, limit: float, delta: float) -> int:
    """Return how many thresholds, from the highest down, provably keep a limit on the error rate."""
    errors = np.flatnonzero(pages.wrong)
    errors = errors[np.argsort(pages.place[errors], kind="stable")]
    outcomes = -limit * pages.sizes.astype(np.float64)
    needed = _groups_needed(outcomes, pages.largest, limit, delta, 0)
    if needed is None:
        return 0
    places, groups = pages.place[errors], pages.group[errors]
    starts = np.flatnonzero(np.diff(places, prepend=-1)).tolist()
    for start, stop in itertools.pairwise([*starts, len(places)]):
        of_these = groups[start:stop]
        np.add.at(outcomes, of_these, 1.0)
        # The first `needed` groups prove the limit, so only a new error in one of them requires new
        # bets.
        if of_these.min() < needed:
            needed = _groups_needed(outcomes, pages.largest, limit, delta, needed)
            if needed is None:
                return int(places[start])
    return n_points


def bet_on_risk(
    pages: GroupedItems, ends: NDArray[np.intp], starts: list[Start], limit: float, delta: float
) -> int:
    """Return the index of the lowest fixed threshold with a risk proved to be low enough; −1 for none.

    `ends` holds the number of distinct confidences that each threshold accepts.
    """

    def proves(index: int, level: float) -> bool:
        accepted = pages.place < ends[index]
        weights = pages.wrong[accepted] - limit
        outcomes = np.bincount(pages.group[accepted], weights, len(pages.sizes)).astype(np.float64)
        return bool(accepted.any()) and wealth(outcomes, pages.largest, limit) >= 1.0 / level

    return last_proved(proves, starts, len(ends), delta)
