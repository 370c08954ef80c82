"""Data frames of Dask: workers count the items of each partition; exact sums need one shuffle."""

# The type stubs of pandas lack some of its own types.
# pyright: reportArgumentType=false, reportCallIssue=false, reportInvalidTypeArguments=false
# pyright: reportReturnType=false

from __future__ import annotations

from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd

from fastarac._engine.inputs import LAYOUTS, vector
from fastarac.bounds.bins import Range, bin_numbers
from fastarac.frames.ranges import Planned, RangeSums, dropped, plan_of, totals_of_rows
from fastarac.frames.sources import (
    ItemSource,
    cells_of_bins,
    keys_of,
    numbered,
    positions,
    reject_empty,
    rows_within,
    sweeps_of_kinds,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from fastarac.frames.sources import Groups, Problem, Sweeps

    Array = NDArray[Any]

TREE = 8  # number of tables of counts that are added in one step


class DaskSource(ItemSource):
    """A DataFrame of Dask."""

    batch = 1 << 22

    def __init__(self, frame: Any, columns: dict[str, str]) -> None:
        super().__init__(columns)
        self.frame = frame[list(dict.fromkeys(columns.values()))].map_partitions(_renamed, columns)
        meta = self.frame._meta  # noqa: SLF001 # an empty frame with the types of the columns
        kind = LAYOUTS[vector(meta["confidence"], "confidence").dtype.str[1:]].values
        self.types = dict.fromkeys(("confidence", "low", "high"), kind)
        self.types |= {"weight": np.dtype(np.float64), "bin": np.dtype(np.float64)}
        self.types |= {key: meta[key].dtype for key in self.keys}

    def _added_up(
        self, function: Callable[..., pd.DataFrame], keys: list[str], **how: str
    ) -> pd.DataFrame:
        """Call `function` on each partition, and aggregate its rows with equal group and `keys`.

        `how` maps the other columns to aggregations, such as "sum".
        """
        keys = [*self.keys, *keys]
        meta = pd.DataFrame(
            {name: pd.Series([], dtype=self.types.get(name, "int64")) for name in (*keys, *how)}
        )
        checked = partial(_check_and_count, self.columns, self.problems(), function)
        parts = self.frame.map_partitions(checked, meta=meta)
        added = parts.groupby(keys, dropna=False).agg(how, split_every=TREE)
        table: pd.DataFrame = added.reset_index().compute()
        if table.empty:
            reject_empty()
        return table

    def sweeps(self, most: int | None) -> Sweeps | None:
        """Return each group's sweep; None if there are more than `most` distinct confidences."""
        kinds = ["confidence", *(["weight"] if self.weighted else [])]
        few = most is None or int(self.frame["confidence"].nunique_approx().compute()) <= 2 * most
        table = self._added_up(_kinds, kinds, p="sum", q="sum") if few else None
        if table is None or (most is not None and len(table) > most):
            if most is not None:
                self.refuse_weights(most)
            return None
        weight = table["weight"].to_numpy() if self.weighted else None
        counts = table["p"].to_numpy(), table["q"].to_numpy()
        return sweeps_of_kinds(self._by(table), table["confidence"].to_numpy(), weight, *counts)

    def bins(self) -> Groups:
        """Return the counts of items in each bin, by group."""
        table = self._added_up(_bins, ["bin"], low="min", high="max", p="sum", q="sum")
        bins = (table[name].to_numpy() for name in ("low", "high", "p", "q"))
        return cells_of_bins(self._by(table), *bins)

    def within(self, ranges: Sequence[Range]) -> Self:
        """Return a source of the items in these ranges only."""
        part = copy(self)
        part.frame = self.frame.map_partitions(_within, list(ranges), meta=self.frame._meta)  # noqa: SLF001
        return part

    def _by(self, table: pd.DataFrame) -> tuple[Array, Array] | None:
        return numbered([table[key] for key in self.keys], len(table), self.keys)

    def sums(self, groups: Groups) -> dict[Any, RangeSums]:
        """Return the exact sums of each group, computed on the workers."""
        plan = plan_of(groups, self.batch)
        n_segments = sum(len(planned.starts) for planned in plan.values())
        meta = self.frame._meta.assign(segment=np.zeros(0, np.int64))  # noqa: SLF001
        items = self.frame.map_partitions(partial(_numbered, plan, self.batch), meta=meta)
        shuffled = items.shuffle("segment", npartitions=max(1, n_segments))
        names = ["number", *RangeSums._fields]
        meta = pd.DataFrame({name: pd.Series([], dtype="object") for name in names})
        rows = shuffled.map_partitions(partial(_work, plan), meta=meta).compute()
        return totals_of_rows(rows.to_dict("records"), groups, self.batch)


def _renamed(part: pd.DataFrame, columns: dict[str, str]) -> pd.DataFrame:
    return pd.DataFrame({role: part[name] for role, name in columns.items()})


def _within(part: pd.DataFrame, ranges: list[Range]) -> pd.DataFrame:
    confidence, _ = _arrays(part)
    return part[rows_within(ranges, confidence, _groups(part))]


def _check_and_count(
    columns: dict[str, str],
    problems: list[Problem],
    count: Callable[[pd.DataFrame], pd.DataFrame],
    part: pd.DataFrame,
) -> pd.DataFrame:
    """Raise if items of a partition are invalid; otherwise return the result of `count`."""
    for problem in problems:
        if n := int(_has(part[problem.role], problem).sum()):
            problem.reject(columns[problem.role], n, " of a partition")
    return count(part)


def _has(column: pd.Series[Any], problem: Problem) -> Array:
    """Return which items of a partition have a problem."""
    missing: Array = column.isna().to_numpy()
    if not keys_of([problem.role]) and isinstance(column.dtype, np.dtype) and column.dtype.kind == "f":
        # In a column of NumPy floats, NaN is an invalid number and not a missing value.
        missing = np.zeros(len(column), np.bool_)
    if problem.what == "null":
        return missing
    values = vector(column[~missing], problem.role)
    if problem.role == "correct":
        return np.asarray(~np.isin(values, (0, 1)))
    return np.asarray(~(np.isfinite(values) & (problem.role != "weight" or values >= 0)))


def _arrays(part: pd.DataFrame) -> tuple[Array, Array]:
    """Return the confidences, in a dtype for the compiled code, and whether items are correct."""
    confidence = vector(part["confidence"], "confidence")
    kind = LAYOUTS[confidence.dtype.str[1:]].values
    return confidence.astype(kind, copy=False), vector(part["correct"], "correct").astype(np.bool_)


def _kinds(part: pd.DataFrame) -> pd.DataFrame:
    """Count the correct and incorrect items of a partition by confidence (and weight)."""
    confidence, correct = _arrays(part)
    table = pd.DataFrame({"confidence": confidence})
    if "weight" in part:
        table["weight"] = vector(part["weight"], "weight").astype(np.float64)
    return _counted(part, table, correct)


def _bins(part: pd.DataFrame) -> pd.DataFrame:
    confidence, correct = _arrays(part)
    table = pd.DataFrame({"bin": bin_numbers(confidence), "low": confidence, "high": confidence})
    return _counted(part, table, correct, low="min", high="max")


def _counted(part: pd.DataFrame, table: pd.DataFrame, correct: Array, **how: str) -> pd.DataFrame:
    for place, key in enumerate(keys_of(part)):
        table.insert(place, key, part[key].array)
    keys = [name for name in table if name not in how]
    table["p"], table["q"] = correct.astype(np.int64), (~correct).astype(np.int64)
    return table.groupby(keys, dropna=False).agg({**how, "p": "sum", "q": "sum"}).reset_index()


def _numbered(plan: Mapping[Any, Planned], most: int, part: pd.DataFrame) -> pd.DataFrame:
    """Leave out items of `dropped` bins; add a column with the segment number of each other item."""
    kept = np.ones(len(part), np.bool_)
    confidence, _ = _arrays(part)
    segment = np.zeros(len(part), np.int64)
    for label, mine in _groups(part):
        _, cells, starts, first_segment = plan[label]
        kept[mine] = ~np.isin(confidence[mine], cells.low[dropped(cells, most)])
        inside = np.searchsorted(starts, confidence[mine], side="right")
        segment[mine] = inside + (first_segment - 1)
    return part.assign(segment=segment)[kept]


def _groups(part: pd.DataFrame) -> Iterator[tuple[Any, Any]]:
    keys = keys_of(part)
    if len(part):
        yield from positions(numbered((part[key] for key in keys), len(part), keys))


def _work(plan: Mapping[Any, Planned], part: pd.DataFrame) -> pd.DataFrame:
    """Return one row of sums for each group of a partition."""
    rows = []
    if len(part):
        confidence, correct = _arrays(part)
        rows = [plan[label].row(confidence[mine], correct[mine]) for label, mine in _groups(part)]
    return pd.DataFrame(rows, columns=["number", *RangeSums._fields], dtype="object")
