"""Guarantees from groups of dependent items: betting, and one item a group."""

from __future__ import annotations

import itertools
import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastarac._core.checks import whole_number
from fastarac.guarantees.fallback import Start, last_proved

BOLDNESS = 0.9  # of the largest bet that cannot lose everything
LARGEST_LOG = 700.0  # of a capital that a double holds
FEW = 128  # groups that are tried first, at least


class GroupedItems(NamedTuple):
    """Groups in random order, with their items from high to low confidence."""

    group: NDArray[np.intp]
    """Of each item, numbered in random order."""
    place: NDArray[np.intp]
    """Of each item, its point in the sweep of all, from 0 for the highest confidence."""
    wrong: NDArray[np.bool_]
    sizes: NDArray[np.int64]
    largest: int
    """Items that a group may have."""

    @classmethod
    def of(
        cls,
        codes: NDArray[Any],
        place: NDArray[np.intp],
        correct: NDArray[np.bool_],
        largest: int | None,
        rng: np.random.Generator,
    ) -> GroupedItems:
        """Put groups into a random order; raises where one is larger than any may be."""
        sizes = np.bincount(codes)
        order = rng.permutation(len(sizes))
        rank = np.empty(len(sizes), np.intp)
        rank[order] = np.arange(len(sizes))
        seen = int(sizes.max())
        most = seen if largest is None else whole_number(largest, "max_group_size", 1)
        if seen > most:
            raise ValueError(
                f"max_group_size must be at least {seen}, the size of the largest group, got {most}"
            )
        return cls(rank[codes], place, ~correct, sizes[order], most)

    def without(self, items: NDArray[np.bool_]) -> GroupedItems:
        """The same without the items of the first groups."""
        first = int(self.group[items].max()) + 1 if items.any() else 0
        return GroupedItems(
            self.group[~items] - first, self.place[~items], self.wrong[~items], self.sizes[first:],
            self.largest,
        )  # fmt: skip

    def needed(self, limit: float, delta: float) -> int:
        """Groups without an error from which a limit can be proved, about."""
        if limit <= 0.0:
            return 0
        mean = float(self.sizes.mean())
        return math.ceil(math.log(1.0 / delta) / limit * self.largest / mean)

    def one_each(self, rng: np.random.Generator) -> NDArray[np.intp]:
        """Numbers of items, one of each group that is kept: in proportion to its size."""
        order = rng.permutation(len(self.group))
        _, first = np.unique(self.group[order], return_index=True)
        kept = rng.random(len(self.sizes)) < self.sizes / self.largest
        return np.asarray(order[first][kept], np.intp)


def wealth(outcomes: NDArray[np.float64], largest: float | NDArray[np.int64], limit: float) -> float:
    """The largest capital on the way of bets against a mean above 0 (Waudby-Smith and Ramdas 2024).

    `outcomes` are those of the groups in their order, each at most (1 − limit)·largest, which may
    differ by group. Bets are on the mean and the spread of the groups before, and begin as if one group
    had been without an error.
    """
    grown = float(np.max(_growth(outcomes, largest, limit), initial=0.0))
    return math.exp(min(grown, LARGEST_LOG))


def _growth(
    outcomes: NDArray[np.float64], largest: float | NDArray[np.int64], limit: float
) -> NDArray[np.float64]:
    """Logarithms of the capital after each group, which depend on no later one."""
    n = len(outcomes)
    highest = BOLDNESS / ((1.0 - limit) * largest)
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
    """After how many groups the capital is 1/δ for the first time; None where it never is.

    Twice the `guess` are tried first, then twice as many, and so on.
    """
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
    """Points accepted in a row while the error rate of all is proved to be within the limit.

    Only an error among the groups by which the limit was proved changes the test: the capital is looked
    at after each group, and later ones have no part in it.
    """
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
        if of_these.min() < needed:
            needed = _groups_needed(outcomes, pages.largest, limit, delta, needed)
            if needed is None:
                return int(places[start])
    return n_points


def bet_on_risk(
    pages: GroupedItems, ends: NDArray[np.intp], starts: list[Start], limit: float, delta: float
) -> int:
    """Index of the lowest fixed threshold with a proved risk; `ends` are the points each accepts."""

    def proves(index: int, level: float) -> bool:
        accepted = pages.place < ends[index]
        weights = pages.wrong[accepted] - limit
        outcomes = np.bincount(pages.group[accepted], weights, len(pages.sizes)).astype(np.float64)
        return bool(accepted.any()) and wealth(outcomes, pages.largest, limit) >= 1.0 / level

    return last_proved(proves, starts, len(ends), delta)
