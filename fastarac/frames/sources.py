"""Sources of items: arrays of a frame in memory, or an engine that answers queries."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastarac._engine.inputs import Items, read_groups, read_items
from fastarac.bounds.bins import Range, bin_numbers
from fastarac.frames.ranges import CHANGED, Cells, RangeSums, merged, sums_of_items
from fastarac.samples.door import sweep_of_items, threshold_sweep
from fastarac.sweep import ThresholdSweep, whole_sweep

if TYPE_CHECKING:
    import narwhals as nw


Array = NDArray[Any]
Groups = Mapping[Any, Cells]
Sweeps = dict[Any, ThresholdSweep]

NAMES = ("correct", "confidence", "weight")


class Problem(NamedTuple):
    """A problem that items may have, such as a missing value."""

    role: str
    what: str
    expected: str

    def reject(self, column: str, n: int, where: str = "") -> NoReturn:
        """Raise the error for `n` items with this problem."""
        rows = f"{n} {'row' if n == 1 else 'rows'}{where}"
        role = "by" if keys_of([self.role]) else self.role
        raise ValueError(f"{role} (column {column!r}) is {self.what} in {rows}; {self.expected}")


PROBLEMS = (
    Problem("correct", "neither 0 nor 1", "use 0 (incorrect) or 1 (correct)"),
    Problem("confidence", "not finite", "use a finite number"),
    Problem("weight", "negative or not finite", "use a finite number of at least 0"),
)


class ItemSource(ABC):
    """A frame and the columns to read.

    `columns` maps "confidence", "correct" and, if given, "weight" and "by" to column names.
    """

    batch = 1 << 25  # maximum number of items for a worker to hold at a time

    def __init__(self, columns: dict[str, str]) -> None:
        self.columns = columns

    @property
    def keys(self) -> list[str]:
        """Return the roles of the label columns: [], ["by"], or ["by_0", "by_1", …] for several."""
        return keys_of(self.columns)

    @property
    def grouped(self) -> bool:
        """Whether items have group labels; if not, all items form one group with the label None."""
        return bool(self.keys)

    @property
    def weighted(self) -> bool:
        """Whether the items have weights."""
        return "weight" in self.columns

    def problems(self) -> list[Problem]:
        """Return the problems to check for in these columns."""
        return [
            *(Problem(role, "null", "each item needs a value") for role in self.columns),
            *(problem for problem in PROBLEMS if problem.role in self.columns),
        ]

    def refuse_weights(self, most: int) -> None:
        """If there are weights, raise: there are more than `most` pairs of confidence and weight."""
        if self.weighted:
            raise ValueError(
                f"confidence and weight have more than {most} distinct pairs of values; round the "
                "weights, because sums of so many weights depend on the order of the rows"
            )

    @abstractmethod
    def sweeps(self, most: int | None) -> Sweeps | None:
        """Return each group's sweep; None if there are more than `most` distinct confidences."""

    @abstractmethod
    def bins(self) -> Groups:
        """Return the counts of items in each bin, by group, from one pass."""

    @abstractmethod
    def within(self, ranges: Sequence[Range]) -> Self:
        """Return a source of the items in these ranges only."""

    @abstractmethod
    def sums(self, groups: Groups) -> dict[Any, RangeSums]:
        """Return the exact sums of each group, computed by compiled code (on the workers, if any)."""


class ArraySource(ItemSource):
    """A frame in memory, read as arrays."""

    def __init__(self, frame: nw.DataFrame[Any], columns: dict[str, str]) -> None:
        super().__init__(columns)
        native = {role: frame.get_column(name).to_native() for role, name in columns.items()}
        self.items = read_items(native["correct"], native["confidence"], native.get("weight"), NAMES)
        self.by = numbered((native[key] for key in self.keys), self.items.n, self.keys)

    def parts(self) -> Iterator[tuple[Any, Items]]:
        """Yield each group with its items."""
        items = self.items
        if self.by is None:
            yield None, items
            return
        for label, mine in positions(self.by):
            weight = None if items.weight is None else items.weight[mine]
            yield label, read_items(items.correct[mine], items.confidence[mine], weight, NAMES)

    def sweeps(self, most: int | None) -> Sweeps | None:
        """Return each group's sweep; None if there are more than `most` distinct confidences."""
        found = {label: sweep_of_items(part) for label, part in self.parts()}
        distinct = sum(len(sweep.thresholds) - 1 for sweep in found.values())
        return found if most is None or self.weighted or distinct <= most else None

    def bins(self) -> Groups:
        """Return the counts of items in each bin, by group."""
        # Building the sweep also checks the values and sorts them.
        return {label: cells_of_sweep(sweep_of_items(part)) for label, part in self.parts()}

    def within(self, ranges: Sequence[Range]) -> Self:
        """Return a source of the items in these ranges only."""
        items = self.items
        chosen = rows_within(ranges, items.confidence, positions(self.by))
        part = copy(self)
        part.items = read_items(items.correct[chosen], items.confidence[chosen], None, NAMES)
        if self.by is not None:
            labels, codes = self.by
            present, codes = np.unique(codes[chosen], return_inverse=True)
            part.by = labels[present], codes
        return part

    def sums(self, groups: Groups) -> dict[Any, RangeSums]:
        """Return the exact sums of each group, computed by compiled code."""
        return {
            label: sums_of_items(part.confidence, part.correct, groups[label])
            for label, part in self.parts()
        }


def keys_of(columns: Iterable[str]) -> list[str]:
    """Return the roles of label columns among `columns`: "by", or "by_0", "by_1", … for several."""
    return [name for name in columns if name.startswith("by")]


def numbered(columns: Iterable[ArrayLike], n: int, keys: Sequence[str]) -> tuple[Array, Array] | None:
    """Return the sorted distinct labels (tuples for several columns), and each item's index into them.

    Without `keys`, return None: all items form one group.
    """
    if not keys:
        return None
    read = [read_groups(column, n, "by") for column in columns]
    if list(keys) == ["by"]:
        return read[0]
    distinct, codes = np.unique(np.stack([codes for _, codes in read]), axis=1, return_inverse=True)
    parts = [labels[chosen].tolist() for (labels, _), chosen in zip(read, distinct, strict=True)]
    labels = np.fromiter(zip(*parts, strict=True), dtype=object, count=distinct.shape[1])
    return labels, codes.ravel()


def positions(by: tuple[Array, Array] | None) -> Iterator[tuple[Any, Any]]:
    """Yield each label and the positions of its items; without `by`, yield None and all positions."""
    if by is None:
        yield None, slice(None)
        return
    labels, codes = by
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes, minlength=len(labels)))
    yield from zip(labels.tolist(), np.split(order, ends[:-1]), strict=True)


def rows_within(
    ranges: Sequence[Range], confidence: Array, groups: Iterable[tuple[Any, Any]]
) -> NDArray[np.bool_]:
    """Return a mask of the items in one of the ranges; `groups` has the pairs from `positions`."""
    chosen = np.zeros(len(confidence), np.bool_)
    for label, mine in groups:
        for group, low, below in ranges:
            if group == label:
                chosen[mine] |= (confidence[mine] >= low) & (confidence[mine] < below)
    return chosen


def cells_of_bins(by: tuple[Array, Array] | None, *bins: Array) -> dict[Any, Cells]:
    """Return the bins of each group; `bins` has the columns low, high, correct and incorrect."""
    return {label: merged(*(array[mine] for array in bins)) for label, mine in positions(by)}


def cells_of_sweep(sweep: ThresholdSweep) -> Cells:
    """Return counts in bins from the counts at every threshold."""
    whole_sweep(sweep)
    values = sweep.thresholds[:0:-1]
    counts = [np.diff(a)[::-1] for a in (sweep.true_accepts, sweep.false_accepts)]
    numbers = bin_numbers(values)
    starts = np.flatnonzero(np.concatenate([[True], numbers[1:] != numbers[:-1]]))
    p, q = (np.add.reduceat(array, starts) for array in counts)
    return merged(values[starts], values[np.append(starts[1:], len(values)) - 1], p, q)


def sweeps_of_kinds(
    by: tuple[Array, Array] | None,
    confidence: Array,
    weight: Array | None,
    correct: Array,
    incorrect: Array,
) -> Sweeps:
    """Return each group's sweep, from counts of items with equal confidence and weight."""
    counts = correct.astype(np.int64), incorrect.astype(np.int64)
    return {
        label: _sweep_of_kinds(
            confidence[mine], None if weight is None else weight[mine], *(n[mine] for n in counts)
        )
        for label, mine in positions(by)
    }


def _sweep_of_kinds(
    confidence: Array, weight: Array | None, correct: Array, incorrect: Array
) -> ThresholdSweep:
    if weight is None:
        return ThresholdSweep.from_counts(confidence, correct, incorrect)
    # A double may be too short for the product of a count n and a weight. But n is a sum of powers of
    # two, and the product of each power and the weight is a double. Adding these products, with one
    # rounding, gives the same sum as adding single items.
    rows, weights, labels = [], [], []
    for label, counts in ((1, correct), (0, incorrect)):
        for k in range(int(counts.max()).bit_length()):
            where = np.flatnonzero(counts >> k & 1)
            rows.append(where)
            weights.append(weight[where].astype(np.float64) * 2.0**k)
            labels.append(np.full(len(where), label))
    chosen = confidence[np.concatenate(rows)]
    return threshold_sweep(np.concatenate(labels), chosen, sample_weight=np.concatenate(weights))


def reject_empty() -> NoReturn:
    """Raise the error for a frame without rows."""
    raise ValueError("correct and confidence are empty; give at least one item")


def reject_changed() -> NoReturn:
    """Raise the error for a frame whose rows have changed between two passes."""
    raise ValueError(CHANGED)
