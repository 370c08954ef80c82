"""Exact areas under curves, from sums that workers compute for ranges of confidence.

A worker holds the items of some confidence ranges, and the counts of all items in bins (`Cells`). From
the counts, the worker knows how many items have higher confidences than its own items. It can therefore
compute the part of each sum that belongs to its own thresholds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastarac._engine.counts import PointCounts
from fastarac._engine.inputs import read_items
from fastarac._engine.pairs import AREAS, PairCounts, value_of_pairs
from fastarac._engine.ranked import RankedItems
from fastarac._kernels.codes import PRECISION_TRAPEZOIDS, RECALL_STEPS

Array = NDArray[Any]
Counts = NDArray[np.int64]

CHANGED = "frame must give the same rows each time it is read, but reading it again gave other items"


class Cells(NamedTuple):
    """Counts of correct and incorrect items in increasing, disjoint bins of confidence."""

    low: Array
    """Lowest confidence in each bin."""
    high: Array
    """Highest confidence in each bin."""
    correct: Counts
    incorrect: Counts

    @property
    def size(self) -> Counts:
        """Number of items in each bin."""
        return self.correct + self.incorrect

    @property
    def single_valued(self) -> NDArray[np.bool_]:
        """Whether each bin holds a single confidence."""
        return np.asarray(self.low == self.high)


class RangeSums(NamedTuple):
    """Sums over the thresholds in some ranges of confidence."""

    correct: int
    incorrect: int
    doubled: int
    """Twice the number of pairs of a correct item in these ranges and an incorrect item below it (in
    any range), plus the number of tied pairs."""
    trapezoids: Fraction
    """Sum of trapezoids of the precision, or of the risk if most items are correct."""
    steps: Fraction
    """Sum of the steps of the precision over the recall."""

    def plus(self, other: RangeSums) -> RangeSums:
        """Return the sums of both sets of ranges together."""
        return RangeSums(
            self.correct + other.correct,
            self.incorrect + other.incorrect,
            self.doubled + other.doubled,
            self.trapezoids + other.trapezoids,
            self.steps + other.steps,
        )

    def areas(self) -> dict[str, float]:
        """Return the areas under curves, each rounded once, from the sums over all ranges."""
        pairs = PairCounts(self.correct, self.incorrect, self.doubled)
        area = self.trapezoids / (2 * (self.correct + self.incorrect))
        precision, risk = (1 - area, area) if self.incorrect < self.correct else (area, 1 - area)
        figures = {name: value_of_pairs(name, pairs) for name in AREAS}
        figures |= {"arp_auc": float(precision), "aurc": float(risk)}
        figures["average_precision"] = (
            float(self.steps / self.correct) if self.correct else float("nan")
        )
        return figures


NOTHING = RangeSums(0, 0, 0, Fraction(0), Fraction(0))


def merged(low: Array, high: Array, correct: Counts, incorrect: Counts) -> Cells:
    """Return bins in increasing order, with overlapping ones merged."""
    order = np.argsort(low, kind="stable")
    low, high, correct, incorrect = (array[order] for array in (low, high, correct, incorrect))
    reached = np.maximum.accumulate(high)
    starts = np.flatnonzero(np.concatenate([[True], low[1:] > reached[:-1]]))
    return Cells(
        low[starts],
        np.maximum.reduceat(high, starts),
        np.add.reduceat(correct, starts),
        np.add.reduceat(incorrect, starts),
    )


def segments_of(cells: Cells, most: int) -> list[tuple[int, int]]:
    """Return segments of bins as (first, last + 1): at most `most` items each, no `dropped` bins."""
    runs = []
    first = total = 0
    apart_of = dropped(cells, most).tolist()
    for i, (n, apart) in enumerate(zip(cells.size.tolist(), apart_of, strict=True)):
        if i > first and (apart or total + n > most):
            runs.append((first, i))
            first, total = i, 0
        total += n
        if apart:
            first, total = i + 1, 0
    if first < len(cells.low):
        runs.append((first, len(cells.low)))
    return runs


def dropped(cells: Cells, most: int) -> NDArray[np.bool_]:
    """Return a mask of the large bins with a single confidence: counts suffice for their sums."""
    return cells.single_valued & (cells.size > most // 64)


def sums_of_dropped(cells: Cells, most: int) -> RangeSums:
    """Return the sums of the dropped bins, computed from the counts alone."""
    total = NOTHING
    above = counts_above(cells)
    for i in np.flatnonzero(dropped(cells, most)).tolist():
        counts = np.array([0, cells.correct[i]]), np.array([0, cells.incorrect[i]])
        tie = RankedItems(None, PointCounts(*counts))
        total = total.plus(_sums_of(tie, tuple(above[i].tolist()), cells))
    return total


def sums_of_items(
    confidence: Array, correct: Array, cells: Cells, starts: Array | None = None
) -> RangeSums:
    """Return the sums of a worker's items; each bin's items must be on one worker.

    `starts` holds the lowest confidence of each segment, in increasing order. Without `starts`, all
    items must be in one segment.
    """
    total = NOTHING
    above = counts_above(cells)
    for mine in _parts(confidence, starts):
        items = read_items(correct[mine], confidence[mine])
        first, last = items.confidence.min(), items.confidence.max()
        i = int(np.searchsorted(cells.low, first, side="right")) - 1
        j = int(np.searchsorted(cells.low, last, side="right")) - 1
        if i < 0 or items.n != cells.size[i : j + 1].sum():
            raise ValueError(CHANGED)
        sums = _sums_of(RankedItems(items), tuple(above[j].tolist()), cells)
        if sums.correct != cells.correct[i : j + 1].sum():
            raise ValueError(CHANGED)
        total = total.plus(sums)
    return total


def _parts(confidence: Array, starts: Array | None) -> Iterator[slice | NDArray[np.bool_]]:
    """Yield the positions of the items of each segment."""
    if starts is None:
        yield slice(None)
        return
    segment = np.searchsorted(starts, confidence, side="right")
    present = np.unique(segment)
    for number in present.tolist():
        yield slice(None) if len(present) == 1 else segment == number


def counts_above(cells: Cells) -> Counts:
    """Return an array (n_bins, 2): the numbers of correct and of incorrect items above each bin."""
    counts = np.stack([cells.correct, cells.incorrect], axis=1)
    return np.asarray(counts.sum(axis=0) - np.cumsum(counts, axis=0))


def _sums_of(ranked: RankedItems, above: tuple[int, int], cells: Cells) -> RangeSums:
    n_correct, n_incorrect = int(cells.correct.sum()), int(cells.incorrect.sum())
    of_risk = n_incorrect < n_correct
    trapezoids = ranked.sum_below(above, PRECISION_TRAPEZOIDS, of_risk=of_risk)
    steps = ranked.sum_below(above, RECALL_STEPS)
    pairs = ranked.pairs  # pairs of items within this range
    p, q = int(pairs.correct), int(pairs.incorrect)
    below = n_incorrect - above[1] - q
    return RangeSums(p, q, int(pairs.doubled_pairs) + 2 * p * below, trapezoids, steps)


def total_of(parts: Iterable[RangeSums], cells: Cells) -> RangeSums:
    """Return the sums of all `parts` together; raise unless they contain all items in `cells`."""
    total = reduce(RangeSums.plus, parts, NOTHING)
    if (total.correct, total.incorrect) != (int(cells.correct.sum()), int(cells.incorrect.sum())):
        raise ValueError(CHANGED)
    return total


class Planned(NamedTuple):
    """What workers need to know about a group."""

    number: int
    cells: Cells
    starts: Array
    first_segment: int
    """Number of segments in the groups before this one."""

    def row(self, confidence: Array, correct: Array) -> dict[str, str]:
        """Return the sums of some items as a row of strings, because integers may exceed 64 bits."""
        sums = sums_of_items(confidence, correct, self.cells, self.starts)
        return {"number": str(self.number)} | {
            name: str(value) for name, value in sums._asdict().items()
        }


def plan_of(groups: Mapping[Any, Cells], most: int) -> dict[Any, Planned]:
    """Return a plan for each group, with segments of at most `most` items."""
    plan: dict[Any, Planned] = {}
    n_segments = 0
    for number, (label, cells) in enumerate(groups.items()):
        starts = cells.low[[first for first, _ in segments_of(cells, most)]]
        plan[label] = Planned(number, cells, starts, n_segments)
        n_segments += len(starts)
    return plan


def totals_of_rows(
    rows: Iterable[dict[str, str]], groups: Mapping[Any, Cells], most: int
) -> dict[Any, RangeSums]:
    """Return each group's total sums, from the workers' rows and the counts of `dropped` bins."""
    labels = list(groups)
    found = {label: [sums_of_dropped(cells, most)] for label, cells in groups.items()}
    for row in rows:
        p, q, doubled = (int(row[name]) for name in ("correct", "incorrect", "doubled"))
        sums = RangeSums(p, q, doubled, Fraction(row["trapezoids"]), Fraction(row["steps"]))
        found[labels[int(row["number"])]].append(sums)
    return {label: total_of(parts, groups[label]) for label, parts in found.items()}
