"""Lazy frames of narwhals: the frame's engine runs queries that count items."""

from __future__ import annotations

from copy import copy
from functools import reduce
from operator import and_, or_
from typing import TYPE_CHECKING, Any, NoReturn, Self

import narwhals as nw
import numpy as np

from fastarac.bounds.bins import Range, Split, bin_expression, is_in_range, is_in_split, part_expression
from fastarac.frames.ranges import (
    Cells,
    RangeSums,
    merged,
    segments_of,
    sums_of_dropped,
    sums_of_items,
    total_of,
)
from fastarac.frames.sources import (
    ItemSource,
    cells_of_bins,
    numbered,
    positions,
    reject_changed,
    reject_empty,
    sweeps_of_kinds,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from fastarac.frames.sources import Groups, Problem, Sweeps

SPLITS = 64  # maximum number of bins to split in one query
SHARE = 12  # bins with fewer than 2**-SHARE of all items are not split
BAD = -1e300  # marks invalid items in place of a bin number


class QuerySource(ItemSource):
    """A lazy frame, whose engine runs the queries."""

    def __init__(self, frame: nw.LazyFrame[Any], columns: dict[str, str]) -> None:
        super().__init__(columns)
        types = frame.collect_schema()
        self.types = {role: types[name] for role, name in columns.items()}
        self.frame = renamed(frame, columns)
        whole = [nw.col(role).cast(nw.Int32) for role in columns if self.types[role] == nw.Boolean]
        if whole:
            self.frame = self.frame.with_columns(*whole)
        self.by = self.is_group if self.grouped else None
        self.splits: list[list[Split]] = []

    def approximate_distinct(self) -> int:
        """Return an estimate of the number of distinct confidences; 0 if the engine has no estimate."""
        native: Any = self.frame.to_native()
        if self.frame.implementation is nw.Implementation.DUCKDB:
            return int(native.aggregate("approx_count_distinct(confidence)").fetchall()[0][0])
        if self.frame.implementation is nw.Implementation.POLARS:
            import polars as pl

            return int(native.select(pl.col("confidence").approx_n_unique()).collect().item())
        return 0

    def sweeps(self, most: int | None) -> Sweeps | None:
        """Return each group's sweep; None if there are more than `most` distinct confidences."""
        if most is not None and self.approximate_distinct() > 2 * most:
            self.refuse_weights(most)
            return None
        kinds = [*self.keys, "confidence", *(["weight"] if self.weighted else [])]
        size = nw.len().alias("n")
        counted = self.frame.group_by(*kinds).agg(size, *_correct_and_incorrect())
        table = (counted if most is None else counted.head(most + 1)).collect()
        if most is not None and len(table) > most:
            self.refuse_weights(most)
            return None
        if not len(table):
            reject_empty()
        if any(table[kind].null_count() for kind in kinds):
            self.find_and_reject()
        confidence, n, p, q = (table[name].to_numpy() for name in ("confidence", "n", "p", "q"))
        weight = table["weight"].to_numpy() if self.weighted else None
        finite = np.isfinite(confidence).all() and (p + q == n).all()
        if not finite or (weight is not None and not ((weight >= 0) & (weight < np.inf)).all()):
            self.find_and_reject()
        return sweeps_of_kinds(self._numbered(table), confidence, weight, p, q)

    def _numbered(self, table: nw.DataFrame[Any]) -> tuple[NDArray[Any], NDArray[Any]] | None:
        return numbered([table[key].to_list() for key in self.keys], len(table), self.keys)

    def is_group(self, label: Any) -> nw.Expr:
        """Return an expression that is true for items of the group `label`."""
        values = (label,) if self.keys == ["by"] else label
        columns = map(nw.col, self.keys)
        conditions: Iterator[nw.Expr] = (x == value for x, value in zip(columns, values, strict=True))
        return reduce(and_, conditions)

    def is_any_group(self, labels: list[Any]) -> nw.Expr:
        """Return an expression that is true for items of these groups."""
        if self.keys == ["by"]:
            return nw.col("by").is_in(labels)
        return reduce(or_, map(self.is_group, labels))

    def bins(self) -> Groups:
        """Return the counts of items in each bin, by group."""
        bad = reduce(or_, map(self.items_with, self.problems()))
        query = self.frame.with_columns(
            nw.when(bad).then(nw.lit(BAD)).otherwise(self.bin_number()).alias("bin")
        )
        table = self._binned(query, "bin").collect()
        if not len(table):
            reject_empty()
        if (table["bin"].to_numpy() == BAD).any():
            self.find_and_reject()
        return self._refined(self._cells(table))

    @staticmethod
    def bin_number() -> nw.Expr:
        """Return the bin number of each confidence."""
        return bin_expression(nw.col("confidence").cast(nw.Float64))

    def _binned(self, frame: nw.LazyFrame[Any], *keys: str) -> nw.LazyFrame[Any]:
        """Return a query of the counts and of the lowest and highest confidence in each bin."""
        x = nw.col("confidence")
        low, high = x.min().alias("low"), x.max().alias("high")
        return frame.group_by(*self.keys, *keys).agg(low, high, *_correct_and_incorrect())

    def _cells(self, table: nw.DataFrame[Any]) -> dict[Any, Cells]:
        low, high, p, q = (table[name].to_numpy() for name in ("low", "high", "p", "q"))
        if low.dtype.kind == "f":
            low, high = low + 0.0, high + 0.0  # adding 0.0 turns -0.0 into 0.0
        return cells_of_bins(self._numbered(table), low, high, p.astype(np.int64), q.astype(np.int64))

    def _refined(self, groups: dict[Any, Cells]) -> Groups:
        """Split bins that are too large for a worker, unless they hold a single confidence."""
        x = nw.col("confidence")
        total = sum(int(cells.size.sum()) for cells in groups.values())
        most = max(self.batch, total >> SHARE)
        while True:
            splits = [
                Split(label, cells.low[i].item(), cells.high[i].item())
                for label, cells in groups.items()
                for i in np.flatnonzero((cells.size > most) & ~cells.single_valued).tolist()
            ][:SPLITS]
            if not splits:
                return groups
            self.splits.append(splits)
            number = nw.lit(0)
            for i, split in enumerate(splits):
                number = nw.when(is_in_split(split, x, self.by)).then(nw.lit(i)).otherwise(number)
            inside = reduce(or_, (is_in_split(split, x, self.by) for split in splits))
            parts = self.frame.filter(inside).with_columns(
                number.alias("split"), part_expression(splits, x, self.by).alias("part")
            )
            found = self._cells(self._binned(parts, "split", "part").collect())
            before = sum(len(groups[label].low) for label in found)
            for label, new in found.items():
                old = groups[label]
                kept = ~np.isin(old.low, [split.low for split in splits if split.group == label])
                if new.size.sum() != old.size[~kept].sum():
                    reject_changed()
                joined = (np.concatenate([a[kept], b]) for a, b in zip(old, new, strict=True))
                groups[label] = merged(*joined)
            if before == sum(len(groups[label].low) for label in found):
                return groups  # the last query split no bin

    def within(self, ranges: Sequence[Range]) -> Self:
        """Return a source of the items in these ranges only."""
        part = copy(self)
        x = nw.col("confidence")
        part.frame = self.frame.filter(reduce(or_, (is_in_range(r, x, self.by) for r in ranges)))
        return part

    def sums(self, groups: Groups) -> dict[Any, RangeSums]:
        """Return the exact sums of each group, computed by compiled code from chunks of items."""
        found: dict[Any, list[RangeSums]] = {label: [] for label in groups}
        for labels in self._small_groups(groups):
            table = self.frame.filter(self.is_any_group(labels)).collect()
            confidence, correct = _arrays(table)
            for label, mine in positions(self._numbered(table)):
                found[label].append(sums_of_items(confidence[mine], correct[mine], groups[label]))
        for label, cells in groups.items():
            if not found[label]:
                found[label].append(sums_of_dropped(cells, self.batch))
                found[label].extend(self._sums_of_ranges(label, cells))
        return {label: total_of(parts, groups[label]) for label, parts in found.items()}

    def _small_groups(self, groups: Groups) -> Iterator[list[Any]]:
        """Yield lists of labels; the groups of a list are small enough to be fetched together."""
        labels: list[Any] = []
        total = 0
        # Maximum number of labels in a query's condition.
        most = len(groups) if self.keys == ["by"] else SPLITS
        for label, cells in groups.items():
            size = int(cells.size.sum())
            if not self.grouped or size > self.batch:
                continue
            if labels and (total + size > self.batch or len(labels) == most):
                yield labels
                labels, total = [], 0
            labels.append(label)
            total += size
        if labels:
            yield labels

    def _sums_of_ranges(self, label: Any, cells: Cells) -> Iterator[RangeSums]:
        for first, last in segments_of(cells, self.batch):
            split = Split(label, cells.low[first].item(), cells.high[last - 1].item())
            chosen = self.frame.filter(is_in_split(split, nw.col("confidence"), self.by))
            yield sums_of_items(*_arrays(chosen.select("confidence", "correct").collect()), cells)

    def items_with(self, problem: Problem) -> nw.Expr:
        """Return an expression that is true for items with this problem."""
        x = nw.col(problem.role)
        if problem.what == "null":
            return x.is_null()
        if problem.role == "correct":
            return ~x.is_null() & ~((x == 0) | (x == 1))
        x = x.cast(nw.Float64)
        right = x.is_finite() & (x >= 0.0) if problem.role == "weight" else x.is_finite()
        return ~x.is_null() & ~right

    def find_and_reject(self) -> NoReturn:
        """Raise an error about the first problem found, or else that the frame has changed."""
        for problem in self.problems():
            items = self.frame.filter(self.items_with(problem)).select(nw.len().alias("n"))
            if n := int(items.collect()["n"].to_numpy()[0]):
                problem.reject(self.columns[problem.role], n)
        reject_changed()


def renamed(frame: nw.LazyFrame[Any], columns: dict[str, str]) -> nw.LazyFrame[Any]:
    """Return the chosen columns of a lazy frame, named by their roles, such as "confidence".

    Columns are selected by position, because names such as ``*``, ``^a$`` and ``a.b`` have a special
    meaning in some engines, and DuckDB ignores case.
    """
    native: Any = frame.to_native()
    place = {name: number for number, name in enumerate(frame.collect_schema())}
    places = {role: place[name] for role, name in columns.items()}
    engine = frame.implementation
    if engine is nw.Implementation.POLARS:
        import polars as pl

        chosen = native.select(pl.nth(number).alias(role) for role, number in places.items())
    elif engine is nw.Implementation.DUCKDB:
        chosen = native.project(", ".join(f'#{at + 1} AS "{role}"' for role, at in places.items()))
    elif engine in (nw.Implementation.PYSPARK, nw.Implementation.PYSPARK_CONNECT):
        from pyspark.sql import functions

        numbers = native.toDF(*(f"column_{number}" for number in place.values()))
        chosen = numbers.select(
            *(functions.col(f"column_{number}").alias(role) for role, number in places.items())
        )
    else:
        return frame.select(*(nw.col(name).alias(role) for role, name in columns.items()))
    found: nw.LazyFrame[Any] = nw.from_native(chosen)
    return found


def _correct_and_incorrect() -> Iterator[nw.Expr]:
    for name, label in (("p", 1), ("q", 0)):
        yield nw.when(nw.col("correct") == label).then(nw.lit(1)).otherwise(nw.lit(0)).sum().alias(name)


def _arrays(table: nw.DataFrame[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    return table["confidence"].to_numpy(), table["correct"].to_numpy()
