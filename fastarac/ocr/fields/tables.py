"""Read tables of form fields: JSON lines, CSV, TSV and Parquet, recognized by their content."""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from fastarac._core.extras import needed_by_ocr
from fastarac._core.text import few_of
from fastarac.io import DataFileError
from fastarac.io._formats import Parquet
from fastarac.io._sources import connect
from fastarac.io._spellings import NumberSpelling
from fastarac.ocr.fields.comparisons import Written
from fastarac.ocr.fields.rows import Row
from fastarac.ocr.fields.services import JsonNumber, written_of
from fastarac.ocr.readers._files import OcrFileError, decoded, encoding_of, open_file, shown
from fastarac.ocr.readers._json import parsed

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator
    from typing import TypeAlias

    from fastarac.ocr.readers._files import InputFile

    Records: TypeAlias = Iterator[tuple[str, dict[str, Written | None]]]

KEYS = ("document", "field")
WANTED = {
    "truth": ("truth",),
    "prediction": ("prediction", "confidence"),
    "both": ("prediction", "confidence", "truth"),
}
DELIMITERS = ",;\t|"
PARQUET = b"PAR1"
LISTED = 20
ROWS = 1 << 12  # number of rows of a Parquet file fetched at once


def is_field_table(path: str | os.PathLike[str]) -> bool:
    r"""Return whether a file is a table of fields, with columns `document` and `field`.

    See Also
    --------
    read_fields : read fields of documents and their truth
    has_fields : return whether a file or folder has fields

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from fastarac.ocr import is_field_table
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "fields.csv")
    ...     _ = path.write_text("document,field,prediction,confidence\n")
    ...     is_field_table(path)
    True
    """
    return is_table(open_file(path))


def is_table(file: InputFile) -> bool:
    """Return whether a file is a table of fields."""
    try:
        return set(KEYS) <= set(columns_of(file))
    except OcrFileError:
        return False


def columns_of(file: InputFile) -> list[str]:
    """Return the names of the columns of a table."""
    return _table(file)[0]


def field_rows(file: InputFile, role: str) -> list[Row]:
    """Return the rows of a table of fields; `role` is "truth", "prediction" or "both".

    Raises
    ------
    OcrFileError
        If the file is not a table of fields, or lacks a column.
    """
    wanted = WANTED[role]
    names, records = _table(file)
    missing = [name for name in (*KEYS, *wanted) if name not in names]
    if missing:
        problem = (
            f"there is no column {', '.join(map(shown, missing))}; "
            f"the columns are {few_of(map(shown, names), LISTED)}"
        )
        raise OcrFileError(file.path, problem)
    rows: list[Row] = []
    for place, record in records:
        document, field = (_name(record.get(name)) for name in KEYS)
        if not document or not field:
            problem = (
                f"document and field must both have a name, got {shown(document)} and {shown(field)}"
            )
            raise OcrFileError(file.path, problem, place=place)
        confidence, truth = record.get("confidence"), record.get("truth")
        if truth == record.get("prediction"):  # store equal strings once, to save memory
            truth = record.get("prediction")
        rows.append(
            Row(
                document,
                field,
                file.path,
                place,
                record.get("prediction") if "prediction" in wanted else None,
                confidence.text if confidence is not None and "confidence" in wanted else None,
                truth if "truth" in wanted else None,
            )
        )
    if not rows:
        raise OcrFileError(file.path, "there are no rows")
    return rows


def _name(written: Written | None) -> str | None:
    return None if written is None else written.text


def as_confidence(row: Row) -> float:
    """Return the confidence of a row as a number; NaN if it has none."""
    written = str(row.confidence) if row.confidence is not None else ""
    if not written.strip():
        return math.nan
    try:
        value = float(written)
    except ValueError:
        value = math.inf
    if math.isinf(value) or "_" in written:
        raise row.error(f"confidence must be a finite number, got {shown(written)}")
    return value


def with_points(rows: list[Row]) -> list[Row]:
    """Convert confidences with decimal commas or percent signs, so that `float` can parse them.

    Raises
    ------
    OcrFileError
        If the confidences have different notations.
    """
    texts = [each.confidence if isinstance(each.confidence, str) else "" for each in rows]
    spelling = NumberSpelling.of_texts(texts)
    found = []
    for row, text in zip(rows, texts, strict=True):
        number = spelling.with_point(text) if text.strip() else text
        if number is None:
            hint = spelling.hint(shown(text))
            raise row.error(f"confidence must be a finite number, got {shown(text)}{hint}")
        found.append(row if number == text else replace(row, confidence=number))
    return found


def _table(file: InputFile) -> tuple[list[str], Records]:
    """Return the column names, and an iterator that yields each row with its place in the file."""
    if file.head.startswith(PARQUET):
        return _parquet(file)
    begin = file.head.decode(encoding_of(file.head), errors="ignore").lstrip()
    if not begin:
        raise OcrFileError(file.path, "the file is empty, but must be a table of fields")
    return _json_lines(file) if begin[0] in "{[" else _delimited(file)


def _delimited(file: InputFile) -> tuple[list[str], Records]:
    text = decoded(file)
    header = text.partition("\n")[0]
    delimiter = max(DELIMITERS, key=header.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        names = next(reader)
    except csv.Error as error:
        raise OcrFileError(file.path, f"the header is malformed: {error}", place="line 1") from None
    if len(set(names)) < len(names):
        repeated = Counter(names).most_common(1)[0][0]
        raise OcrFileError(file.path, f"two columns are named {shown(repeated)}", place="line 1")

    def records() -> Records:
        while True:
            place = f"line {reader.line_num + 1}"
            try:
                fields = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                raise OcrFileError(file.path, f"{error}", place=place) from None
            if not fields:
                continue
            if len(fields) != len(names):
                problem = f"the header has {len(names)} fields, the row has {len(fields)}"
                raise OcrFileError(file.path, problem, place=place)
            yield place, dict(zip(names, map(Written, fields), strict=True))

    return names, records()


def _json_lines(file: InputFile) -> tuple[list[str], Records]:
    text = decoded(file)
    records: list[tuple[str, dict[str, Written | None]]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        place = f"line {number}"
        # Keep numbers as written, because a comparison of texts distinguishes 12.50 from 12.5.
        value = parsed(line, file.path, place, parse_float=JsonNumber, parse_int=JsonNumber)
        if not isinstance(value, dict):
            problem = 'expected an object on each line, such as {"document": "a1", "field": "total"}'
            raise OcrFileError(file.path, problem, place=place)
        records.append((place, {key: _text(file, place, key, each) for key, each in value.items()}))
    names = list(dict.fromkeys(key for _, record in records for key in record))
    return names, iter(records)


def _text(file: InputFile, place: str, key: str, value: object) -> Written | None:
    if value is None or isinstance(value, str | bool):
        return written_of(value)
    # Only NaN and Infinity arrive as float; all other numbers arrive as written.
    if isinstance(value, float):
        return None if math.isnan(value) else Written(str(value))
    if key in (*KEYS, "prediction", "truth", "confidence"):
        problem = f"{key} must be a text or a number, got {shown(value)}"
        raise OcrFileError(file.path, problem, place=place)
    return None


def _parquet(file: InputFile) -> tuple[list[str], Records]:
    with _parquet_of(file) as source:
        names = source.columns

    def records() -> Records:
        with _parquet_of(file) as source:
            found = source.select("*")
            number = 0
            while rows := found.fetchmany(ROWS):
                for row in rows:
                    number += 1
                    yield f"row {number}", dict(zip(names, map(_of_parquet, row), strict=True))

    return names, records()


def _of_parquet(value: object) -> Written | None:
    """Return a column's value as text; of a number or date, this text is the normalized value, too."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    # A data frame stores a date as midnight of that day.
    if isinstance(value, datetime) and not value.time():
        value = value.date()
    by_machine = isinstance(value, int | float | Decimal) and not isinstance(value, bool)
    by_machine = by_machine or type(value) is date
    return Written(str(value), str(value) if by_machine else None)


@contextmanager
def _parquet_of(file: InputFile) -> Iterator[Parquet]:
    """Open a Parquet file; `fastarac.io.reading_limits` limits its uncompressed size."""
    with needed_by_ocr("reading Parquet files needs DuckDB"):
        import duckdb
    with connect() as connection:
        try:
            yield Parquet(file.path, connection)
        except OcrFileError:
            raise
        except (duckdb.Error, DataFileError) as error:
            problem = "it is not a Parquet file, or it is damaged"
            if isinstance(error, DataFileError):
                problem = error.problem
            raise OcrFileError(file.path, problem) from None
