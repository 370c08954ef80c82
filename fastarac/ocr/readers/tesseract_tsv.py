"""Read Tesseract's table: fields separated by tabs, one row per page, block, line and word."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fastarac.ocr.readers._builder import NAN, Builder
from fastarac.ocr.readers._files import InputFile, OcrFileError, decoded, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fastarac.ocr.words.words import Words

COLUMNS = (
    *("level", "page_num", "block_num", "par_num", "line_num", "word_num"),
    *("left", "top", "width", "height", "conf", "text"),
)
# The row of page 1, with which a table without a header begins.
BARE_ROW = re.compile(r"1\t\d+(\t0){4}(\t\d+){4}\t-1(\.0+)?\t?\r?$", re.ASCII)
# A quoted text that contains a doubled quotation mark.
QUOTED = re.compile(r'"(?=.*"".*")(?:[^"]|"")*"')
NO_WORD = -1.0  # the value of `conf` in rows of pages, blocks and lines


def read(file: InputFile) -> Words:
    """Read a table of Tesseract.

    Tesseract never quotes fields. However, pandas and similar tools quote a text that contains
    quotation marks, and double these marks. The quoting is recognized and undone.
    """
    # Split at line feeds only: `splitlines` also splits at characters that a text may contain.
    rows = decoded(file).split("\n")
    header = rows[0].rstrip("\r").split("\t")
    if BARE_ROW.match(rows[0]):  # tesserocr's `GetTSVText` writes no header
        rows.insert(0, "")
    elif tuple(header) != COLUMNS:
        problem = f"the columns must be {', '.join(COLUMNS)}, got {shown(header)}"
        raise OcrFileError(file.path, problem, place="line 1")
    builder = Builder[int](file, "tesseract-tsv", lambda number: f"line {number}")
    read_rows(builder, _fields_of(rows, builder))
    return builder.finish()


def _fields_of(rows: list[str], builder: Builder[int]) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the fields of each row after the header."""
    quoted = _is_quoted(rows)
    unquoted = 0
    for number, row in enumerate(rows[1:], start=2):
        row = row.removesuffix("\r")  # noqa: PLW2901, Windows line ends
        if not row:
            continue
        fields = row.split("\t")
        if len(fields) == len(COLUMNS) - 1:  # some tools leave out the tab before an empty text
            fields.append("")
        if len(fields) != len(COLUMNS):
            problem = f"the row must have {len(COLUMNS)} fields, got {len(fields)}"
            raise builder.error(problem, number)
        if quoted and '"' in fields[-1]:
            unquoted += 1
            fields[-1] = fields[-1][1:-1].replace('""', '"')
        yield number, fields
    builder.note(
        unquoted,
        "text is quoted, with doubled quotation marks, as pandas writes it: the quoting is undone",
        "texts are quoted, with doubled quotation marks, as pandas writes them: the quoting is undone",
    )


def read_rows(builder: Builder[int], rows: Iterable[tuple[int, list[str]]]) -> None:
    """Add the words of rows; a row is (number in the file, fields in the order of `COLUMNS`)."""
    place: tuple[str, ...] = ()
    pages: set[str] = set()
    last_page: str | None = None
    for number, fields in rows:
        level, page = fields[0], fields[1]
        if page != last_page:
            if page in pages:
                raise builder.error(f"page_num is {shown(page)} again, after another page", number)
            pages.add(page)
            last_page = page
            builder.new_page(_size(builder, fields, number))
        if level != "5":
            if level not in ("1", "2", "3", "4"):
                problem = f"level must be a whole number from 1 to 5, got {shown(level)}"
                raise builder.error(problem, number)
            continue
        if place != (line := tuple(fields[1:5])):
            builder.new_line()
            place = line
        text = fields[11]
        if not text.strip():
            continue  # Tesseract writes an image or a ruled line as a blank word with confidence 95
        try:
            left, top, width, height, confidence = map(float, fields[6:11])
        except ValueError:
            raise _not_a_number(builder, fields, number) from None
        if confidence == NO_WORD:
            confidence = NAN
        builder.add(text, confidence, (left, top, left + width, top + height), number)


def _is_quoted(rows: list[str]) -> bool:
    """Return whether all texts with a quotation mark are quoted and have doubled marks inside."""
    last_cells = (row.removesuffix("\r").rpartition("\t")[2] for row in rows if '"' in row)
    marked = [text for text in last_cells if '"' in text]
    return bool(marked) and all(QUOTED.fullmatch(text) for text in marked)


def _size(builder: Builder[int], fields: list[str], number: int) -> tuple[float, float]:
    if fields[0] != "1":  # a table with only some of its rows may lack the row of the page
        return NAN, NAN
    try:
        return float(fields[8]), float(fields[9])
    except ValueError:
        raise _not_a_number(builder, fields, number) from None


def _not_a_number(builder: Builder[int], fields: list[str], number: int) -> OcrFileError:
    """Return an error about the first field from `left` to `conf` that is not a number."""
    for name, text in zip(COLUMNS[6:11], fields[6:11], strict=True):
        try:
            float(text)
        except ValueError:
            return builder.error(f"{name} must be a number, got {shown(text)}", number)
    raise AssertionError
