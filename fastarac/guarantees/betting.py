"""Guarantees from groups of dependent items: betting, and one item a group."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastarac._core.checks import whole_number
from fastarac.guarantees.fallback import Start, last_proved

BOLDNESS = 0.9  # of the largest bet that cannot lose everything
LARGEST_LOG = 700.0  # of a capital that a double holds


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
            raise ValueError(f"max_group_size is {most}, but a group has {seen} items")
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


def wealth(outcomes: NDArray[np.float64], largest: float, limit: float) -> float:
    """The largest capital on the way of bets against a mean above 0 (Waudby-Smith and Ramdas 2024).

    `outcomes` are those of the groups in their order, each at most (1 − limit)·largest. Bets are on the
    mean and the spread of the groups before, and begin as if one group had been without an error.
    """
    n = len(outcomes)
    highest = BOLDNESS / ((1.0 - limit) * largest)
    prior = -limit * largest / 2.0
    before = np.concatenate([[0.0], np.cumsum(outcomes)[:-1]])
    squares = np.concatenate([[0.0], np.cumsum(outcomes**2)[:-1]])
    weight = np.arange(n) + 1.0
    mean = (before + prior) / weight
    second = (squares + prior**2) / weight
    bets = np.clip(-mean / second, 0.0, highest)
    grown = float(np.max(np.cumsum(np.log1p(-bets * outcomes)), initial=0.0))
    return math.exp(min(grown, LARGEST_LOG))


def bet_on_error_rate(pages: GroupedItems, n_points: int, limit: float, delta: float) -> int:
    """Points accepted in a row while the error rate of all is proved to be within the limit.

    Only an error changes the test, so that there is one for each number of accepted errors.
    """
    errors = np.flatnonzero(pages.wrong)
    errors = errors[np.argsort(pages.place[errors], kind="stable")]
    outcomes = -limit * pages.sizes.astype(np.float64)
    if wealth(outcomes, pages.largest, limit) < 1.0 / delta:
        return 0
    places = pages.place[errors]
    for start in np.flatnonzero(np.diff(places, prepend=-1)).tolist():
        stop = start + int(np.sum(places[start:] == places[start]))
        np.add.at(outcomes, pages.group[errors[start:stop]], 1.0)
        if wealth(outcomes, pages.largest, limit) < 1.0 / delta:
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
