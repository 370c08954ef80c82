"""Read small tables, such as data about pages, as texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastarac.io._formats import JsonLines, open_source
from fastarac.io._sources import DataFileError, connect, explained

if TYPE_CHECKING:
    from pathlib import Path


def read_texts(path: Path, required: str) -> dict[str, tuple[str | None, ...]]:
    """Return all columns of a table as texts; a missing value is None.

    Raises
    ------
    DataFileError
        If the file cannot be read, has no rows, lacks the column, has a column name twice, or holds a
        value that is not a text, number, date or Boolean.
    """
    with connect() as connection:
        source = open_source(path, connection)
        with explained(source):
            if isinstance(source, JsonLines):
                source.find_all_columns()
            source.require(required)
            for name in source.columns:
                source.require(name)
            json = isinstance(source, JsonLines)
            texts = [source.identifier(name) if json else source.label(name) for name in source.columns]
            rows = source.select(", ".join(texts)).fetchall()
        source.require_unchanged()
        if not rows:
            raise DataFileError(path, "there are no rows")
        return dict(zip(source.columns, zip(*rows, strict=True), strict=True))
