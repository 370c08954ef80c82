"""Read the table of a station's rows, and choose the columns to show."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from fastarac._core.text import quoted
from fastarac.io._delimited import Delimited
from fastarac.io._formats import open_source
from fastarac.io._picks import Correct
from fastarac.io._sources import DataFileError, connect, explained
from fastarac.operation.logs import column_of
from fastarac.partial_truth.sample_files import refuse_columns

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from fastarac.io._sources import FileSource

#: Columns that the saved file adds to the table, besides ``correct``.
ANSWERS = "truth", "answered_by", "answered_at", "station"
OUTPUTS = "prediction", "text", "output"  # names of the column of outputs; the first one found is used
PICTURES = "crop", "image"
DESIGN = (  # hidden: uninformative, or apt to influence the answer
    *("row", "correct", "drawn", "drawn_by", "accepted", "inclusion_probability"),
    *("least_probability", "audit_probability", "sample_size", "search_batch", "number", "box"),
    *("rules", "audit_id", "drawn_at"),
)
MOST = 100_000  # maximum number of rows on a page


@dataclass(frozen=True)
class Questions:
    """The rows of a table, and the indices of the rows that need an answer.

    Attributes
    ----------
    path : Path
    columns : tuple of str
    rows : list of tuple of (str or None)
        The cells of all rows as in a CSV file; None for an empty cell.
    asked : list of int
        The indices of the rows to ask about.
    output : str or None
        The column whose value is right or wrong, if there is one.
    delimiter : str
        The delimiter of a saved file.
    """

    path: Path
    columns: tuple[str, ...]
    rows: list[tuple[str | None, ...]]
    asked: list[int]
    output: str | None
    delimiter: str

    @classmethod
    def read(cls, path: Path, prediction: str | None) -> Questions:
        """Read a table; raise if no row needs an answer, or if it already has a column for answers."""
        with connect() as connection:
            source = open_source(path, connection)
            refuse_columns(source, list(ANSWERS))
            for name in source.columns:
                source.require(name, is_label=True)
            if prediction is not None:
                source.refuse_missing([prediction])
            cells = ", ".join(_as_text(source, name) for name in source.columns)
            with explained(source):
                rows = source.select(cells, rest=f"LIMIT {MOST + 1}").fetchall()
            if len(rows) > MOST:
                raise DataFileError(path, f"it has more than {MOST:,} rows, the maximum for one page")
            asked = _asked(source, rows)
            source.require_unchanged()
            delimiter = source.delimiter if isinstance(source, Delimited) else ","
        output = prediction or next((name for name in OUTPUTS if name in source.columns), None)
        return cls(path, tuple(source.columns), rows, asked, output, delimiter)

    def column(self, name: str) -> list[str | None]:
        """Return the cells of a column; all are None if the table lacks it."""
        if name not in self.columns:
            return [None] * len(self.rows)
        place = self.columns.index(name)
        return [row[place] for row in self.rows]

    def facts(self, hidden: Collection[str | None]) -> list[int]:
        """Return the indices of the columns to show beside an output."""
        left_out = {*DESIGN, *PICTURES, *hidden, self.output}
        return [i for i, name in enumerate(self.columns) if name not in left_out]

    @cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal digits that identify the table in a saved file."""
        content = json.dumps([self.columns, self.rows, self.asked])
        return hashlib.sha256(content.encode()).hexdigest()[:16]


def _as_text(source: FileSource, name: str) -> str:
    value = source.identifier(name)
    # The text of a 32-bit float would be read back as a different 64-bit float.
    if source.type_of(name) == "FLOAT":
        value = f"CAST({value} AS DOUBLE)"
    return f"CAST({value} AS VARCHAR)"


def _asked(source: FileSource, rows: Sequence[Sequence[str | None]]) -> list[int]:
    """Return the rows without an answer; if there is a column `drawn`, only the drawn ones."""
    asked = list(range(len(rows)))
    if "correct" in source.columns:
        place = source.columns.index("correct")
        asked = [i for i in asked if not (rows[i][place] or "").strip()]
    if "drawn" in source.columns:
        drawn = column_of(source, Correct("drawn", "drawn"), empty=True) == 1
        asked = [i for i in asked if drawn[i]]
    if not asked:
        problem = f"there is nothing to answer: column {quoted('correct')} has no empty cell"
        raise DataFileError(source.path, problem if rows else "there are no rows")
    return asked
