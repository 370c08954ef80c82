"""Columns of texts, represented by numbers: equal texts have equal numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from fastarac._engine.numbering import number_few
from fastarac.io._outputs import Labels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from fastarac.io._sources import FileSource

    Hashes = NDArray[np.uint64]

# The fields of `Outputs` that hold labels.
FIELDS = ("model", "by", "item", "truth", "group", "crossed")


def hashes(expression: str, name: str) -> str:
    """Return SQL for two hashes of a text, which are null if the text is null.

    Texts with equal pairs of hashes (128 bits) count as equal.
    """
    some = f"CASE WHEN {expression} IS NOT NULL THEN"
    return (
        f'{some} hash({expression}) END AS "{name}", '
        f"{some} hash('#' || {expression}) END AS \"{name} too\""
    )


class TextColumn(NamedTuple):
    """The texts of one column in one file."""

    source: FileSource
    expression: str
    first: Hashes
    second: Hashes


class Texts:
    """The texts of one field in all files, represented by numbers.

    DuckDB hashes the texts while it reads the files, because fetching all texts would be slow.
    """

    def __init__(self) -> None:
        self._parts: list[TextColumn] = []
        self._numbers: Numbers | None = None
        self._names: tuple[tuple[str, ...], NDArray[np.intp]] | None = None

    def __len__(self) -> int:
        return len(self._encoded().first)

    def add(self, part: TextColumn) -> int:
        """Add the texts of a file, and return the number under which `labels` finds them."""
        self._parts.append(part)
        return len(self._parts) - 1

    def labels(self, part: int) -> Labels:
        """Return the codes of a file's texts, without names; equal texts in two files share a code."""
        return Labels((), self._encoded().codes[part])

    def text(self, code: int) -> str:
        """Return the text of a code."""
        for part, codes in zip(self._parts, self._encoded().codes, strict=True):
            rows = np.flatnonzero(codes == code)
            if len(rows):
                rest = f"LIMIT 1 OFFSET {rows[0]}"
                return str(part.source.select(part.expression, rest=rest).fetchall()[0][0])
        raise KeyError(f"no text has the code {code}")

    def named(self, labels: Labels | None) -> Labels | None:
        """Return the labels with names, renumbered so that the names are sorted."""
        if labels is None:
            return None
        if self._names is None:
            self._names = self._sorted_names()
        names, rank = self._names
        return Labels(names, rank[labels.codes])

    def _encoded(self) -> Numbers:
        if self._numbers is None:
            self._numbers = numbered([(part.first, part.second) for part in self._parts])
        return self._numbers

    def _sorted_names(self) -> tuple[tuple[str, ...], NDArray[np.intp]]:
        """Return the distinct texts in sorted order, and the position of each code among them."""
        numbers = self._encoded()
        selects = []
        for part, codes in zip(self._parts, numbers.codes, strict=True):
            first = np.zeros(len(self), np.intp)
            first[codes[::-1]] = np.arange(len(codes))[::-1]
            needed = int(first.max()) + 1  # later rows only repeat texts of earlier rows
            query = f"SELECT {part.expression} AS name FROM {part.source.table} LIMIT {needed}"
            selects.append(f"({query})")
        every = " UNION ALL ".join(selects)
        read = (
            self._parts[0]
            .source.connection.execute(
                f"SELECT name, {hashes('name', 'hash')} FROM (SELECT DISTINCT name FROM ({every})) "
                "ORDER BY name",
                [part.source.literal for part in self._parts],
            )
            .fetchnumpy()
        )
        # DuckDB returns a Categorical only for an ENUM column, and none of these columns is one.
        found = cast("dict[str, NDArray[Any]]", read)
        of_names = found["hash"], found["hash too"]
        of_codes, places = numbered([(numbers.first, numbers.second), of_names]).codes
        place = np.empty(len(self), np.intp)
        place[places] = np.arange(len(self))
        return tuple(found["name"].tolist()), place[of_codes]


class Numbers(NamedTuple):
    """The code of each row in each column, and the pair of hashes of each code."""

    codes: list[NDArray[np.intp]]
    first: Hashes
    second: Hashes


def numbered(pairs: Sequence[tuple[Hashes, Hashes]]) -> Numbers:
    """Return a code for each row of each column in `pairs`; equal pairs of hashes have equal codes."""
    first = np.concatenate([np.ma.getdata(one) for one, _ in pairs])
    second = np.concatenate([np.ma.getdata(other) for _, other in pairs])
    ends = np.cumsum([len(one) for one, _ in pairs])
    few = number_few(first)
    if few is not None:
        distinct, codes = few
        others = np.empty_like(distinct)
        others[codes] = second
        if np.array_equal(others[codes], second):
            return Numbers(np.split(codes, ends[:-1]), distinct, others)
    order = np.argsort(first)
    one, other = first[order], second[order]
    starts = _starts(one)
    # If two different texts have the same first hash, sort by the second hash, too.
    if np.any(_starts(other) > starts):
        order = np.lexsort((second, first))
        one, other = first[order], second[order]
        starts = _starts(one) | _starts(other)
    codes = np.empty(len(order), np.intp)
    codes[order] = np.cumsum(starts) - 1
    return Numbers(np.split(codes, ends[:-1]), one[starts], other[starts])


def _starts(column: Hashes) -> NDArray[np.bool_]:
    """Return which rows differ from the previous row."""
    starts = np.ones(len(column), np.bool_)
    np.not_equal(column[1:], column[:-1], out=starts[1:])
    return starts
