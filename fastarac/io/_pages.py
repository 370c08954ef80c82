"""Look at files: which columns they have, which hold pages, and which command wrote them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from fastarac.io._formats import open_source
from fastarac.io._picks import KIND, MISSED, has_missed
from fastarac.io._sources import DataFileError, FileSource, connect, sql_text, versions_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from pathlib import Path

    from fastarac.io._columns import Columns

T = TypeVar("T")

# Nouns for things that contain several outputs. A column with such a name may group the outputs.
UNITS = frozenset(
    {
        *("page", "document", "doc", "file", "filename", "image", "img", "scan", "sheet", "folio"),
        *("batch", "invoice", "receipt", "letter", "newspaper", "book", "volume", "writer"),
    }
)
BESIDE = frozenset({"id", "ids", "name", "key", "no", "nr", "num", "number", "index", "path", "uuid"})
FEW = 10  # a coarser column is preferred to a finer one if it has at least this many groups
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


# Column in which `fastarac ocr -o` names the page of an item.
PAGE = "page"
ID = "id"
MODEL = "model"
#: The column in which `fastarac ocr -o` names the parts of pages that were read, and how many of its
#: characters to show.
REGIONS, MOST_SAID = "regions", 500
OF_OCR = frozenset({"id", PAGE, "kind", "truth", "prediction", "correct", "confidence"})
OF_KINDS = frozenset({"kind", "correct", "confidence"})
OF_LOG = frozenset({"audit_probability", "drawn"})  # columns that fastarac sample --audit writes
BATCH = "search_batch"  # column that fastarac search writes
OF_SAMPLE = frozenset({"inclusion_probability", "correct"})  # columns that fastarac sample writes


class Candidate(NamedTuple):
    """A column whose values repeat."""

    column: str
    values: int
    rows: int


def column_of_pages(path: Path, used: Collection[str], only: str | None = None) -> Candidate | None:
    """Return the column of a readable file that looks most like pages or documents, or None.

    Its name, such as "page", "doc_id" or "imagePath", is not in `used`. It has at least two rows per
    value on average. Of several such columns with at least `FEW` values, take the one with the fewest;
    if all have fewer values, take the one with the most. If `only` is given, count only the rows of
    this model.
    """

    def repeating(source: FileSource) -> list[Candidate]:
        named = [name for name in source.columns if names_pages(name) and name not in used]
        counted = (count_values(source, name, only) for name in named)
        return [each for each in counted if each is not None and 2 <= each.values <= each.rows / 2]

    if not any(map(names_pages, columns_in(path))):
        return None
    found = _looked_at(path, repeating) or []
    many = [candidate for candidate in found if candidate.values >= FEW]
    if many:
        return min(many, key=lambda candidate: candidate.values)
    return max(found, key=lambda candidate: candidate.values, default=None)


def repeated_ids(path: Path, used: Collection[str], only: str | None = None) -> Candidate | None:
    """Return the column "id" of a readable file if a value repeats and the column is not in `used`."""
    if ID in used:
        return None
    found = _ids(path, only)
    return found if found is not None and found.values < found.rows else None


def has_unique_ids(path: Path) -> bool:
    """Return whether a readable file has a column "id" without gaps or repeated values."""
    found = _ids(path)
    return found is not None and found.values == found.rows


def _ids(path: Path, only: str | None = None) -> Candidate | None:
    if ID not in columns_in(path):
        return None
    return _looked_at(path, lambda source: count_values(source, ID, only))


def first_texts(path: Path, columns: Columns, model: str | None = None) -> list[tuple[str, str]]:
    """Return a model's first outputs with their truths; none if a readable file lacks the columns."""
    return _looked_at(path, lambda source: columns.first_texts(source, model)) or []


def is_of_ocr(path: Path) -> bool:
    """Return whether a readable file has the columns that fastarac ocr writes for pages."""
    return OF_OCR.issubset(columns_in(path))


def says_kinds(path: Path, item: str) -> bool:
    """Return whether a readable file has the columns of kinds that fastarac ocr writes, and `item`."""
    return {item, *OF_KINDS}.issubset(columns_in(path))


def count_words(path: Path, model: str | None = None) -> tuple[int, int] | None:
    """Return the numbers of missed words and of true words in a file of fastarac ocr, else None."""

    def count(source: FileSource) -> tuple[int, int] | None:
        if not OF_OCR.issubset(source.columns) or not has_missed(source):
            return None
        kind, of_model = source.identifier(KIND), "true"
        if model is not None:
            source.require(MODEL, is_label=True)
            of_model = f"{source.label(MODEL)} = {sql_text(model)}"
        counted = (
            f"count(*) FILTER ({each} AND {of_model})"
            for each in (f"{kind} = '{MISSED}'", f"{kind} <> 'inserted'")
        )
        ((missed, true),) = source.select(", ".join(counted)).fetchall()
        return int(missed), int(true)

    return _looked_at(path, count)


def parts_of_pages(path: Path) -> str | None:
    """Return the names of the page parts in a file of fastarac ocr; None if whole pages were read."""

    def parts(source: FileSource) -> str | None:
        if REGIONS not in source.columns or not OF_OCR.issubset(source.columns):
            return None
        rows = source.select(f"DISTINCT {source.label(REGIONS)}").fetchall()
        return " or ".join(sorted(str(row[0]) for row in rows if row[0]))[:MOST_SAID] or None

    return _looked_at(path, parts)


def names_in(path: Path, column: str) -> list[str]:
    """Return up to a hundred names in a column of a readable file; none without the column."""

    def names(source: FileSource) -> list[str]:
        if column not in source.columns:
            return []
        rows = source.select(f"DISTINCT {source.label(column)} AS name", rest="ORDER BY name LIMIT 100")
        return [str(row[0]) for row in rows.fetchall() if row[0] is not None]

    return _looked_at(path, names) or []


def is_of_search(path: Path) -> bool:
    """Return whether a readable file has outputs requested by fastarac search."""
    return BATCH in columns_in(path)


def is_of_audits(path: Path) -> bool:
    """Return whether a readable file has the columns of an audit log."""
    return OF_LOG.issubset(columns_in(path))


def count_unseen(path: Path, confidence: str, model: tuple[str, str] | None) -> int:
    """Return the number of missed words in a file that have a confidence.

    `fastarac ocr --missed residual` gives missed words a confidence, although nobody checks them. If
    `model` is (column, name), count only the rows with this name.
    """

    def count(source: FileSource) -> int:
        if not has_missed(source):
            return 0
        of_model = "true"
        if model is not None:
            source.require(model[0], is_label=True)
            of_model = f"{source.label(model[0])} = {sql_text(model[1])}"
        given = f"nullif(trim(CAST({source.identifier(confidence)} AS VARCHAR)), '') IS NOT NULL"
        missed = f"{source.identifier(KIND)} = '{MISSED}'"
        return int(
            source.select(f"count(*) FILTER ({missed} AND {given} AND {of_model})").fetchall()[0][0]
        )

    return (_looked_at(path, count) or 0) if is_of_ocr(path) else 0


def columns_of_sample(path: Path) -> Sequence[str] | None:
    """Return the columns of a file of outputs drawn for verification; None for other files."""
    found = columns_in(path)
    return found if OF_SAMPLE.issubset(found) else None


def columns_in(path: Path) -> tuple[str, ...]:
    """Return the columns of a readable table; none for other files."""
    try:
        versions = tuple(versions_of(path))
    except (OSError, ValueError):  # ValueError: the operating system allows no such file name
        return ()
    return _columns_in(path.absolute(), versions)


@lru_cache(maxsize=1024)  # cached, because a command asks for the columns of a file many times
def _columns_in(path: Path, versions: tuple[object, ...]) -> tuple[str, ...]:  # noqa: ARG001
    return tuple(_looked_at(path, lambda source: source.columns) or ())


def _looked_at(path: Path, look: Callable[[FileSource], T]) -> T | None:
    """Return the result of `look` for a readable table; None for other files and for pipes."""
    if not (path.is_file() or path.is_dir()):
        return None
    try:
        with connect() as connection:
            return look(open_source(path, connection))
    except DataFileError:
        return None


def names_pages(name: str) -> bool:
    """Return whether a column's name suggests pages or documents."""
    words = [word.lower() for word in _WORDS.findall(name)]
    words = [word[:-1] if word[:-1] in UNITS else word for word in words]
    return any(word in UNITS for word in words) and all(word in UNITS | BESIDE for word in words)


def count_values(source: FileSource, column: str, only: str | None = None) -> Candidate | None:
    """Count the rows and distinct values of a column; None if some are missing or no labels."""
    import duckdb

    try:
        source.require(column, is_label=True)
        label = source.label(column)
        rest = ""
        if only is not None:
            source.require(MODEL, is_label=True)
            rest = f"WHERE {source.label(MODEL)} = {sql_text(only)}"
        row = source.select(f"count(DISTINCT {label}), count({label}), count(*)", rest=rest).fetchall()[
            0
        ]
    # The query fails if the column holds something other than labels, for example lists.
    except (DataFileError, duckdb.Error):
        return None
    values, filled, rows = map(int, row)
    return Candidate(column, values, rows) if filled == rows else None
