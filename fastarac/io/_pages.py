"""A column of pages or documents that nobody named, told by its name and by values that repeat."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from fastarac.io._formats import open_source
from fastarac.io._sources import DataFileError, FileSource, connect

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path


# What outputs come from several at a time, and the words that may stand beside it in a name.
UNITS = frozenset(
    {
        *("page", "document", "doc", "file", "filename", "image", "img", "scan", "sheet", "folio"),
        *("batch", "invoice", "receipt", "letter", "newspaper", "book", "volume", "writer"),
    }
)
BESIDE = frozenset({"id", "ids", "name", "key", "no", "nr", "num", "number", "index", "path", "uuid"})
FEW = 10  # groups, of which a coarser column has to have as many to be named in place of a finer one
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


# What fastarac ocr -o writes of pages, and the column of these.
PAGE = "page"
ID = "id"
OF_OCR = frozenset({"id", PAGE, "kind", "truth", "prediction", "correct", "confidence"})
OF_SAMPLE = frozenset({"inclusion_probability", "correct"})  # what fastarac sample writes


class Candidate(NamedTuple):
    """A column whose values repeat."""

    column: str
    values: int
    rows: int


def column_of_pages(path: Path, used: Collection[str]) -> Candidate | None:
    """Find the column of a readable file that looks most like pages or documents, if any does.

    Its name is one of `UNITS`, perhaps with a word beside it ("page", "doc_id", "imagePath"); it is not
    `used` for anything else; and its values are at least two, each of two rows on average. Of several
    such columns the coarsest of at least `FEW` values is taken, or else the finest.
    """
    if not (path.is_file() or path.is_dir()):  # what can be read but once
        return None
    try:
        with connect() as connection:
            source = open_source(path, connection)
            named = [name for name in source.columns if names_pages(name) and name not in used]
            found = [candidate for name in named if (candidate := _counted(source, name))]
    except DataFileError:
        return None
    many = [candidate for candidate in found if candidate.values >= FEW]
    if many:
        return min(many, key=lambda candidate: candidate.values)
    return max(found, key=lambda candidate: candidate.values, default=None)


def repeated_ids(path: Path, used: Collection[str]) -> Candidate | None:
    """Return the column "id" of a readable file, if it is not `used` and has a value more than once."""
    if ID in used or not (path.is_file() or path.is_dir()):
        return None
    try:
        with connect() as connection:
            source = open_source(path, connection)
            found = _counts_of(source, ID) if ID in source.columns else None
    except DataFileError:
        return None
    return found if found is not None and found.values < found.rows else None


def is_of_ocr(path: Path) -> bool:
    """Whether a readable file has the columns that fastarac ocr writes of pages."""
    return _has_columns(path, OF_OCR)


def is_of_sample(path: Path) -> bool:
    """Whether a readable file has the columns of outputs that were drawn to be verified."""
    return _has_columns(path, OF_SAMPLE)


def _has_columns(path: Path, columns: Collection[str]) -> bool:
    if not (path.is_file() or path.is_dir()):  # what can be read but once
        return False
    try:
        with connect() as connection:
            return set(open_source(path, connection).columns) >= set(columns)
    except DataFileError:
        return False


def names_pages(name: str) -> bool:
    """Whether a column of this name is one of pages or documents."""
    words = [word.lower() for word in _WORDS.findall(name)]
    words = [word[:-1] if word[:-1] in UNITS else word for word in words]
    return any(word in UNITS for word in words) and all(word in UNITS | BESIDE for word in words)


def _counted(source: FileSource, column: str) -> Candidate | None:
    found = _counts_of(source, column)
    return found if found is not None and 2 <= found.values <= found.rows / 2 else None


def _counts_of(source: FileSource, column: str) -> Candidate | None:
    """Count the values of a column of names that is filled throughout; None of any other."""
    import duckdb

    try:
        source.require(column, is_label=True)
        label = source.label(column)
        row = source.select(f"count(DISTINCT {label}), count({label}), count(*)").fetchall()[0]
    except (DataFileError, duckdb.Error):  # no names, such as lists
        return None
    values, filled, rows = map(int, row)
    return Candidate(column, values, rows) if filled == rows else None
