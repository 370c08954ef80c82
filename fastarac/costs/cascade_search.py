"""Search for the cheapest thresholds of all stages, on finer and finer grids."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain, combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastarac import _kernels
from fastarac.costs.stages import MODEL, PEOPLE, SILENT, ErrorLimit, Stages
from fastarac.costs.verification import cheapest_corner
from fastarac.samples.door import threshold_sweep

# Up to this number of combinations of thresholds, all are compared. Otherwise, grids are searched.
ALL = 1 << 20
FIRST = 1 << 18  # number of combinations on the first grid
FINER = 1 << 14  # number of combinations on each finer grid
PAIRED = 1 << 16  # number of combinations on a grid over two stages
REACH = 2  # the next grid covers this number of cells on each side of the best cut
MOST_GRIDS = 8
ROUNDS = 3  # number of passes over all pairs of stages, up to MANY items
MANY = 200_000  # with more items, only one pass is made
SHOWN = 400  # maximum number of thresholds in a plot
FEW = 20_000  # with more items, the items outside the ranges still searched are merged
ENDS = 4  # 1/ENDS of the candidates are spaced geometrically near each end

Floats = NDArray[np.float64]


class CheapestThresholds(NamedTuple):
    """The cheapest thresholds of all stages but the last; ``inf`` if a stage decides nothing."""

    thresholds: tuple[float, ...]
    excess: float
    """Items beyond the limits; 0 if all limits are kept."""
    exact: bool
    """Whether all possible thresholds were compared."""


_Ends = tuple[float, float] | None  # the lowest and highest threshold of a stage


class _Tried(NamedTuple):
    """Candidate thresholds of one stage, in increasing order. `nothing` adds ``inf`` as a candidate."""

    values: Floats
    nothing: bool

    def heard(self) -> _Tried:
        """Drop the candidate at which the stage would accept items without a confidence."""
        if not len(self.values) or self.values[0] > SILENT:
            return self
        return _Tried(self.values[1:], self.nothing or len(self.values) == 1)


class _Grid(NamedTuple):
    """Item counts between candidate thresholds, in the form that ``best_cuts`` needs."""

    points: list[Floats]
    """Cut points of each model."""
    window: NDArray[np.int64]
    """Least and greatest cut of each stage as indices into the points, of shape (2, stages − 1)."""
    counts: NDArray[np.int64]
    layout: NDArray[np.int64]


class _CountedItems(NamedTuple):
    """Items with weights: an entry of weight w stands for w items that no candidate separates."""

    values: tuple[Floats, ...]
    correct: NDArray[np.uint8]
    weight: NDArray[np.int64]


class _Best(NamedTuple):
    """The best thresholds on a grid."""

    grid: _Grid
    cuts: list[int]
    thresholds: tuple[float, ...]
    excess: float
    cost: Floats
    """Cost as a sum of parts, for exact comparison."""

    def is_better_than(self, other: _Best) -> bool:
        """Compare the excess over the limits first, then the cost."""
        cheaper = math.fsum((self.cost - other.cost).tolist()) < 0.0
        return self.excess < other.excess or (self.excess == other.excess and cheaper)


class _Goal(NamedTuple):
    """The costs to minimize, and the limit on errors, in the form that ``best_cuts`` needs."""

    weights: Floats
    limit: Floats


class CascadeSearch:
    """Search for the cheapest thresholds of all stages, for one or several limits."""

    def __init__(
        self, stages: Stages, every: int = ALL, first: int = FIRST, finer: int = FINER
    ) -> None:
        self.stages = stages
        self.finer = finer
        # For each stage with a threshold: the model whose confidence is compared with the threshold.
        self.cutting = [stages.model[s] for s in range(stages.free)]
        models = sorted(set(self.cutting))
        self.rising = {m: np.sort(stages.values[m]) for m in models}
        self.distinct = {m: 1 + int(np.count_nonzero(v[1:] != v[:-1])) for m, v in self.rising.items()}
        all_of_them = math.prod(self.distinct[m] + 1 for m in self.cutting)
        self.exact = all_of_them <= every
        points = self._first_points(all_of_them if self.exact else first)
        self.capacities = stages.capacities()
        self.items = _CountedItems(stages.values, stages.correct, np.ones(stages.n_items, np.int64))
        self.grid = self._grid([_Tried(points[m], nothing=True) for m in self.cutting])

    def cheapest(self, limit: ErrorLimit | None) -> CheapestThresholds:
        """Return the cheapest thresholds within a limit and all capacities."""
        return self._search(_Goal(*self.stages.weights(limit)))

    def fewest_errors(self) -> CheapestThresholds:
        """Return the thresholds that leave the fewest errors within all capacities."""
        weights, limit = self.stages.weights(None)
        weights[:2] = weights[2:]
        return self._search(_Goal(weights, limit))

    def over_threshold(self, thresholds: Sequence[float], stage: int) -> tuple[Floats, Floats, Floats]:
        """Return the share that a stage decides, the cost and the error rate, for falling thresholds.

        The thresholds of the other stages stay as given.
        """
        stages, n = self.stages, self.stages.n_items
        tried = []
        for s, threshold in enumerate(thresholds):
            values = np.array([threshold]) if threshold < np.inf else np.empty(0)
            if s == stage:
                places = np.linspace(0, n - 1, min(n, SHOWN)).astype(np.intp)
                values = np.unique(np.concatenate([self.rising[self.cutting[s]][places], values]))
            tried.append(_Tried(values, nothing=s == stage or threshold == np.inf))
        grid = self._grid(tried)
        each = stages.of_each(written=False)
        prices = [[float(number) for number in row] for row in each]
        own = [float(s == stage) for s in range(len(stages.stages))]
        goals = [own, own], [prices[0], prices[1]], [prices[2], prices[3]]
        nobody = np.full(len(own), n, np.int64)
        found: list[list[float]] = [[], [], []]
        low, high = grid.window[:, stage].tolist()
        for cut in range(high, low - 1, -1):
            window = grid.window.copy()
            window[:, stage] = cut
            for rows, values_of in zip(goals, found, strict=True):
                weights = np.array([*rows, *np.zeros((2, len(own)))])[:, :, None]
                cost = _kernels.cascades.best_cuts(
                    grid.counts, grid.layout, weights, nobody, np.array([np.inf]), window
                )[1]
                values_of.append(cost.item())
        # The cost is infinite if the threshold of people exceeds that of the model before them.
        reachable = np.isfinite(found[0])
        decided, costs, errors = (np.array(values)[reachable] / n for values in found)
        return decided, costs, errors

    def _search(self, goal: _Goal) -> CheapestThresholds:
        """Search the first grid, then finer grids around its optimum, then each pair of stages."""
        everyone = range(self.stages.free)
        best = self._best_on(self.grid, goal)
        if not self.exact:
            best = self._refined(best, everyone, goal)
            pairs = list(combinations(everyone, 2)) if len(everyone) > 2 else []
            for _ in range(1 if self.stages.n_items > MANY else ROUNDS):
                before = best
                for pair in pairs:
                    found = self._refined(self._best_on(self._of_pair(best, pair), goal), pair, goal)
                    if found.is_better_than(best):
                        best = found
                if best is before:
                    break
        return CheapestThresholds(self._without_idle(best.thresholds), best.excess, self.exact)

    def _best_on(self, grid: _Grid, goal: _Goal) -> _Best:
        cuts, cost, excess = _kernels.cascades.best_cuts(
            grid.counts, grid.layout, goal.weights, self.capacities, goal.limit, grid.window
        )
        chosen = cuts[:-1].tolist()
        thresholds = tuple(
            float(grid.points[m][cut]) if cut < len(grid.points[m]) else np.inf
            for m, cut in zip(self.cutting, chosen, strict=True)
        )
        return _Best(grid, chosen, thresholds, excess, cost)

    def _refined(self, best: _Best, moving: Sequence[int], goal: _Goal) -> _Best:
        """Search finer and finer grids around the best thresholds, until no candidate is new."""
        items, ends = self.items, list[_Ends]()
        for _ in range(MOST_GRIDS):
            tried = [
                self._around(best, s) if s in moving else _only(best, s) for s in range(len(best.cuts))
            ]
            if all(
                np.isin(each.values, best.grid.points[m]).all()
                for m, each in zip(self.cutting, tried, strict=True)
            ):
                break
            if self.stages.n_items > FEW and not _lie_within(tried, ends):
                ends = [
                    (each.values[0], each.values[-1]) if len(each.values) else None for each in tried
                ]
                items = self._summed_up(ends)
            best = self._best_on(self._grid(tried, items), goal)
        return best

    def _summed_up(self, ends: list[_Ends]) -> _CountedItems:
        """Merge the items outside the ranges `ends` that no threshold in these ranges can separate."""
        stages = self.stages
        n, n_keys = stages.n_items, 1
        key, kept = np.zeros(n, np.int32), np.zeros(n, np.uint8)
        for m, values in enumerate(stages.values):
            own = [each for of, each in zip(self.cutting, ends, strict=True) if of == m and each]
            limits = np.array(list(chain.from_iterable(_merged(own))), np.float64)
            _kernels.cascades.mark_zones(values, limits, stages.correct[m], key, kept)
            n_keys *= 2 * (len(limits) + 1)
        number, example = np.zeros(n_keys, np.int64), np.zeros(n_keys, np.intp)
        taken = np.empty(n, np.intp)
        inside = _kernels.cascades.sum_up(key, kept, number, example, taken)
        present = np.flatnonzero(number)
        taken = np.concatenate([taken[:inside], example[present]])
        some = stages.of_items(taken)
        weight = np.concatenate([np.ones(inside, np.int64), number[present]])
        return _CountedItems(some.values, some.correct, weight)

    def _around(self, best: _Best, stage: int) -> _Tried:
        """Return candidates for a stage within a few grid cells of the best threshold."""
        m, cut = self.cutting[stage], best.cuts[stage]
        points, rising = best.grid.points[m], self.rising[m]
        first, last = best.grid.window[:, stage].tolist()
        last = min(last, len(points) - 1)
        start, stop = np.searchsorted(rising, points[[first, last]]).tolist()
        # items by which to extend the range if the best cut is near an end of the grid
        beyond = REACH * (stop - start) // max(1, last - first) + REACH
        low, high = cut - REACH, cut + REACH
        begin = max(0, start - beyond) if low < first else int(np.searchsorted(rising, points[low]))
        end = stop + beyond if high > last else int(np.searchsorted(rising, points[high], "right"))
        number = max(8, int(self.finer ** (1.0 / len(best.cuts))))
        values = distinct_up_to(rising[begin:end], number)
        return _Tried(values, nothing=end >= len(rising))

    def _of_pair(self, best: _Best, pair: Sequence[int]) -> _Grid:
        """Return a grid over all thresholds of two stages; the other thresholds stay fixed."""
        number = int(PAIRED**0.5)
        tried = []
        for s, m in enumerate(self.cutting):
            if s not in pair:
                tried.append(_only(best, s))
                continue
            rising = self.rising[m]
            values = _spread(rising, number) if self.distinct[m] > number else distinct_of(rising)
            own = _only(best, s).values
            tried.append(_Tried(np.unique(np.concatenate([values, own])), nothing=True))
        return self._grid(tried)

    def _without_idle(self, chosen: Sequence[float]) -> tuple[float, ...]:
        """Set the threshold of people to ``inf`` if their stage decides no item."""
        found = list(chosen)
        for s in range(1, len(chosen)):
            if self.stages.stages[s].kind == PEOPLE and chosen[s] >= chosen[s - 1]:
                found[s] = np.inf
        return tuple(found)

    def _first_points(self, n_combinations: int) -> dict[int, Floats]:
        """Choose cut points for each model: all confidences if there are few, else a selection."""
        left, room = list(self.cutting), float(n_combinations)
        points: dict[int, Floats] = {}
        for m in sorted(set(self.cutting), key=lambda m: self.distinct[m]):
            number = max(2, int(room ** (1.0 / len(left))))
            number = self.distinct[m] if self.exact else min(self.distinct[m], number)
            rising = self.rising[m]
            points[m] = _spread(rising, number) if number < self.distinct[m] else distinct_of(rising)
            room /= float(number + 1) ** left.count(m)
            left = [other for other in left if other != m]
        return points

    def _grid(self, tried: list[_Tried], items: _CountedItems | None = None) -> _Grid:
        """Count the items in the cells between candidate thresholds."""
        stages, items = self.stages, items or self.items
        tried = [each.heard() for each in tried]
        points = []
        for m in range(len(stages.values)):
            own = [each.values for of, each in zip(self.cutting, tried, strict=True) if of == m]
            least = self.rising[m][:1] if m in self.rising else np.array([-np.inf])
            points.append(np.unique(np.concatenate([least, *own])))
        window = np.array([
            [np.searchsorted(points[m], each.values[0]) if len(each.values) else len(points[m])
             for m, each in zip(self.cutting, tried, strict=True)],
            [len(points[m]) if each.nothing else np.searchsorted(points[m], each.values[-1])
             for m, each in zip(self.cutting, tried, strict=True)],
        ])  # fmt: skip
        tops = np.array([len(each) for each in points], np.int64)
        cells = np.zeros((len(tops), len(items.weight)), np.uint32)
        tables, begins, begin = [], [], 0
        for m, values in enumerate(items.values):
            if m in self.rising:
                _kernels.cascades.find_cells(values, points[m], cells[m])
            shape = tuple((tops[: m + 1] + 1).tolist())
            table = np.zeros((2, int(np.prod(shape))), np.int64)
            _kernels.cascades.count_cells(cells[: m + 1], tops, items.correct[m], items.weight, table)
            summed = table.reshape(2, *shape)
            for axis in range(1, m + 2):
                np.cumsum(summed, axis=axis, out=summed)
            tables.append(table)
            begins.append(begin)
            begin += table.shape[1]
        rows = (
            [stage.kind == MODEL for stage in stages.stages],
            [begins[m] for m in stages.model],
            [tops[m] for m in stages.model],
        )
        return _Grid(points, window, np.concatenate(tables, axis=1), np.array(rows, np.int64))


def _lie_within(tried: list[_Tried], ends: list[_Ends]) -> bool:
    """Return whether each stage's candidates lie within its range in `ends`."""
    return bool(ends) and all(
        len(each.values) == 0
        or (own is not None and own[0] <= each.values[0] <= each.values[-1] <= own[1])
        for each, own in zip(tried, ends, strict=True)
    )


def _merged(ends: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Merge overlapping intervals, and sort them."""
    found: list[tuple[float, float]] = []
    for low, high in sorted(ends):
        if found and low <= found[-1][1]:
            found[-1] = found[-1][0], max(high, found[-1][1])
        else:
            found.append((low, high))
    return found


def _only(best: _Best, stage: int) -> _Tried:
    """Return the best threshold of a stage as its only candidate."""
    threshold = best.thresholds[stage]
    if threshold == np.inf:
        return _Tried(np.empty(0), nothing=True)
    return _Tried(np.array([threshold]), nothing=False)


def cheapest_single(stages: Stages) -> CheapestThresholds | None:
    """Return the cheapest threshold for a model followed by people; None for other stages.

    The corners of the convex hull are compared exactly, as in :func:`.optimal_operating_point`.
    """
    alone = len(stages.stages) == 2 and stages.stages[1].kind == PEOPLE
    alone = alone and bool((stages.values[0] > SILENT).all())
    if not alone or any(stage.max_share is not None for stage in stages.stages):
        return None
    each = stages.of_each(written=True)
    saved, lost = each.correct[1] - each.correct[0], each.wrong[0] - each.wrong[1]
    sweep = threshold_sweep(stages.correct[0], stages.values[0])
    best = float(sweep.thresholds[cheapest_corner(sweep, saved, lost)])
    return CheapestThresholds((best,), excess=0.0, exact=True)


def distinct_of(rising: Floats) -> Floats:
    """Return the distinct values of a sorted array."""
    found: Floats = rising[np.concatenate([[True], rising[1:] != rising[:-1]])]
    return found


def distinct_up_to(rising: Floats, number: int) -> Floats:
    """Return the distinct values of a sorted array, or about `number` of them, spaced by rank."""
    if len(rising) > 64 * number:
        places = np.linspace(0, len(rising) - 1, 8 * number).astype(np.intp)
        few = distinct_of(rising[places])
    else:
        few = distinct_of(rising)
    if len(few) <= number:
        return few
    return few[np.linspace(0, len(few) - 1, number).astype(np.intp)]


def _spread(rising: Floats, number: int) -> Floats:
    """Return about `number` of the values: evenly spaced by rank, but denser near both ends."""
    n = len(rising)
    ends = np.geomspace(1.0, max(2.0, n / 2), max(2, number // ENDS)).astype(np.intp)
    middle = np.linspace(0, n - 1, max(2, number - 2 * len(ends))).astype(np.intp)
    places = np.unique(np.concatenate([middle, ends, n - 1 - ends]))
    return distinct_of(rising[places[(places >= 0) & (places < n)]])
