"""CSV and TSV files."""

from __future__ import annotations

from contextlib import closing
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from fastarac.io._limits import MAX_LINE, longest_line, too_long
from fastarac.io._sources import QUOTED_NOTHING, DataFileError, FileSource, compression, text_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from duckdb import DuckDBPyConnection

DELIMITERS = {".csv": ",;\t|", ".tsv": "\t"}
QUOTE = '"'


class MalformedRowError(ValueError):
    """A row is too long or has a malformed quote; `line` is the line on which the row begins."""

    def __init__(self, problem: str, line: int) -> None:
        self.line = line
        super().__init__(problem)


class DelimitedRow(NamedTuple):
    """A row of a delimited file: the line on which it begins, and its fields."""

    line: int
    fields: list[str]


class Delimited(FileSource):
    """A CSV or TSV file, whose fields are texts.

    In TSV files, quotes are ordinary characters, as OCR engines write them, unless the first line
    begins with a quote.
    """

    def __init__(self, path: Path, connection: DuckDBPyConnection) -> None:
        super().__init__(path, connection)
        ending = path.name.lower().removesuffix(".gz")[-4:]
        with closing(text_lines(path)) as lines:
            header = next(lines, "")
            self.delimiter = max(DELIMITERS[ending], key=lambda mark: len(header.split(mark)))
            self.is_quoted = ending == ".csv" or header.startswith(QUOTE)
            try:
                first = next(self._rows(chain([header], lines)), None)
            except MalformedRowError as error:
                raise DataFileError(path, f"the header is malformed: {error}") from None
        self.columns = [] if first is None or first.line > 1 else first.fields
        if not any(self.columns):
            raise DataFileError(path, "the first line is empty; it should name the columns")

    @property
    def table(self) -> str:
        types = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(self.columns)))
        quote = QUOTE if self.is_quoted else ""
        return (
            "read_csv(?, auto_detect = false, header = true, allow_quoted_nulls = false, "
            f"delim = '{self.delimiter}', quote = '{quote}', escape = '{quote}', "
            # The buffer is half of DuckDB's default, which takes a gigabyte if a quote is never closed.
            f"max_line_size = {longest_line()}, buffer_size = {max(longest_line(), MAX_LINE)}, "
            f"columns = {{{types}}}, "
            f"hive_partitioning = false{compression(self.path)})"
        )

    @property
    def empty_text(self) -> str | None:
        return QUOTED_NOTHING if self.is_quoted else None

    def identifier(self, column: str) -> str:
        return f"c{self.columns.index(column)}"

    def lines_of_rows(self) -> Iterator[int]:
        number = 0
        with closing(text_lines(self.path)) as lines:
            try:
                for number, (line, found) in enumerate(self._rows(lines)):
                    if len(found) != len(self.columns):
                        problem = f"the header has {len(self.columns)} fields, the row has {len(found)}"
                        raise DataFileError(self.path, problem, row=number, line=line)
                    if number:  # row 0 is the header
                        yield line
            except MalformedRowError as error:
                raise DataFileError(self.path, str(error), row=number + 1, line=error.line) from None

    def _rows(self, lines: Iterable[str]) -> Iterator[DelimitedRow]:
        """Yield the rows that are not empty.

        Python's csv module is not used: it limits fields to 131,072 characters in the whole process.
        """
        fields: list[str] = []
        # The parts so far of a quoted field, which may span lines; None outside such a field.
        begun: list[str] | None = None
        size = first = 0
        for number, line in enumerate(lines, start=1):
            if begun is None:
                fields, size, first = [], 0, number
            size += len(line.encode())
            if size > longest_line():
                raise MalformedRowError(too_long("the row"), first)
            rest = line.rstrip("\r\n")
            if begun is None and not rest:
                continue
            if not self.is_quoted or (begun is None and QUOTE not in rest):
                yield DelimitedRow(first, rest.split(self.delimiter))
                continue
            begun = self._split(line, rest, fields, begun, first)
            if begun is None:
                yield DelimitedRow(first, fields)
        if begun is not None:
            raise MalformedRowError("a quote is not closed", first)

    def _split(
        self, line: str, text: str, fields: list[str], begun: list[str] | None, first: int
    ) -> list[str] | None:
        """Add a line's fields to `fields`; return the parts of the last field if its quote is open."""
        place = 0
        while True:
            if begun is None and not text.startswith(QUOTE, place):
                end = text.find(self.delimiter, place)
                fields.append(text[place : len(text) if end < 0 else end])
            else:
                if begun is None:
                    begun = []
                    place += 1
                end = line.find(QUOTE, place)
                if end < 0:
                    begun.append(line[place:])
                    return begun
                begun.append(line[place:end])
                place = end + 1
                # Inside quotes, a doubled quote means one quote character.
                if line.startswith(QUOTE, place):
                    begun.append(QUOTE)
                    place += 1
                    continue
                fields.append("".join(begun))
                begun = None
                end = place if place < len(text) else -1
                if end >= 0 and not text.startswith(self.delimiter, place):
                    raise MalformedRowError(
                        f"a delimiter must follow the closing {QUOTE} of a field, got {text[place]!r}",
                        first,
                    )
            if end < 0:
                return None
            place = end + len(self.delimiter)

    def explain(self, failure: Exception) -> DataFileError:
        error = super().explain(failure)
        if error.row is not None:
            return error
        ends = {line.endswith("\r\n") for line in text_lines(self.path) if line.endswith("\n")}
        if len(ends) < 2:
            return error
        problem = (
            "some of its lines end in CR LF and others only in LF; give all lines the same end with "
            "`sed -i 's/\\r$//' FILE` or dos2unix"
        )
        return DataFileError(self.path, problem)
