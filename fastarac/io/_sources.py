"""The kinds of files that can be read, as tables of DuckDB."""

from __future__ import annotations

import csv
import difflib
import gzip
import json
import zlib
from abc import ABC, abstractmethod
from collections import deque
from contextlib import closing
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import os
    from collections.abc import Generator, Iterable, Iterator

    from duckdb import DuckDBPyConnection

DELIMITERS = {".csv": ",;\t|", ".tsv": "\t"}
JSON_SUFFIXES = (".jsonl", ".ndjson")
PARQUET_SUFFIX = ".parquet"
JSON_RECORDS_SEARCHED_FOR_COLUMNS = 1000
LONGEST_VALUE_SHOWN = 60
BYTE_ORDER_MARK = "\ufeff"

TEXT, NUMBER, BOOLEAN = "text", "numbers", "true and false"
FLOATS_AND_INTEGERS = frozenset(
    {
        *("TINYINT", "SMALLINT", "INTEGER", "BIGINT"),
        *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"),
        *("FLOAT", "DOUBLE"),
    }
)
OTHER_NUMBERS = frozenset({"HUGEINT", "UHUGEINT", "DECIMAL"})


class DataFileError(ValueError):
    """A data file that cannot be read, or that holds something other than it should.

    Parameters
    ----------
    path : str or path-like
        The file.
    problem : str
        What was found and what is expected.
    row : int, optional
        The row the problem is in, counted from 1; a header is not counted.
    line : int, optional
        The line of the text file that the row begins on, counted from 1.

    Attributes
    ----------
    path : Path
        The file.
    row : int or None
        The row the problem is in, counted from 1; a header is not counted.
    line : int or None
        The line of the text file that the row begins on, counted from 1.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        problem: str,
        *,
        row: int | None = None,
        line: int | None = None,
    ) -> None:
        self.path = Path(path)
        self.problem = problem
        self.row = row
        self.line = line
        place = ""
        if row is not None:
            place = f", row {row}" if line is None else f", row {row} (line {line})"
        super().__init__(f"{self.path}{place}: {problem}")

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild_error, (self.path, self.problem, self.row, self.line)


def _rebuild_error(path: Path, problem: str, row: int | None, line: int | None) -> DataFileError:
    return DataFileError(path, problem, row=row, line=line)


def connect() -> DuckDBPyConnection:
    try:
        import duckdb
    except ModuleNotFoundError as error:
        message = "reading files needs DuckDB: install fastarac[cli]"
        raise ModuleNotFoundError(message, name="duckdb") from error

    return duckdb.connect(
        ":memory:",
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "temp_directory": "",
        },
    )


class Source(ABC):
    """A file as DuckDB sees it."""

    #: The names of the columns, in the order of the file.
    columns: list[str]

    def __init__(self, path: Path, connection: DuckDBPyConnection) -> None:
        self.path = path
        self.connection = connection

    @property
    @abstractmethod
    def table(self) -> str:
        """The SQL table function that reads the file; its one parameter is the path."""

    @abstractmethod
    def identifier(self, column: str) -> str:
        """Return the SQL identifier of a column."""

    def type_of(self, column: str) -> str:  # noqa: ARG002
        """Return the SQL type of a column."""
        return "VARCHAR"

    def kind_of(self, column: str) -> str:
        """Return what a column holds: text, numbers, true and false, or the name of its type."""
        name = self.type_of(column)
        family = name.partition("(")[0]
        if family in ("VARCHAR", '"NULL"'):  # a column of type NULL has no values to misread
            return TEXT
        if family == "BOOLEAN":
            return BOOLEAN
        return NUMBER if family in FLOATS_AND_INTEGERS | OTHER_NUMBERS else name

    def select(self, expressions: str, *, into: str = "", rest: str = "") -> DuckDBPyConnection:
        """Run a SELECT over the file; `into` may precede it and `rest` follow it."""
        query = f"{into} SELECT {expressions} FROM {self.table} {rest}"  # noqa: S608, names are quoted
        return self.connection.execute(query, [_literal(self.path)])

    def lines_of_rows(self) -> Iterator[int]:
        """Yield the line that each row begins on; raise DataFileError where a row is malformed."""
        yield from ()

    def require(self, column: str) -> None:
        """Raise unless the file has exactly one column of this name."""
        found = self.columns.count(column)
        if found > 1:
            raise DataFileError(self.path, f"{found} columns are named {quoted(column)}")
        if found == 0:
            names = {name.lower(): name for name in self.columns}
            close = difflib.get_close_matches(column.lower(), names, 1)
            hint = f" (did you mean {quoted(names[close[0]])}?)" if close else ""
            listed = ", ".join(map(quoted, self.columns))
            problem = f"there is no column {quoted(column)}{hint}; the columns are {listed}"
            raise DataFileError(self.path, problem)

    def error_in_row(self, index: int, problem: str) -> DataFileError:
        """Return an error about the row of this index, which is counted from 0."""
        try:
            line = next(islice(self.lines_of_rows(), index, None), None)
        except DataFileError as error:
            return error
        return DataFileError(self.path, problem, row=index + 1, line=line)

    def explain(self, failure: Exception) -> DataFileError:
        """Return an error that tells why DuckDB could not read the file."""
        try:
            deque(self.lines_of_rows(), maxlen=0)
        except DataFileError as error:
            return error
        return DataFileError(self.path, f"it cannot be read: {_first_line(failure)}")


class _Delimited(Source):
    """A CSV or TSV file, all of whose fields are text."""

    def __init__(self, path: Path, connection: DuckDBPyConnection, delimiters: str) -> None:
        super().__init__(path, connection)
        with closing(_text_lines(path)) as lines:
            header = next(lines, "")
            self.delimiter = max(delimiters, key=lambda mark: len(header.split(mark)))
            try:
                self.columns = next(self._reader(chain([header], lines)))
            except csv.Error as error:
                raise DataFileError(path, f"the header is malformed: {error}") from None
        if not any(self.columns):
            raise DataFileError(path, "the first line is empty; it should name the columns")

    @property
    def table(self) -> str:
        types = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(self.columns)))
        return (
            "read_csv(?, auto_detect = false, header = true, allow_quoted_nulls = false, "
            f"""delim = '{self.delimiter}', quote = '"', escape = '"', columns = {{{types}}}, """
            f"hive_partitioning = false{_compression(self.path)})"
        )

    def identifier(self, column: str) -> str:
        return f"c{self.columns.index(column)}"

    def _reader(self, lines: Iterable[str]) -> Any:  # the type of csv readers has no public name
        return csv.reader(lines, delimiter=self.delimiter, strict=True)

    def lines_of_rows(self) -> Iterator[int]:
        with closing(_text_lines(self.path)) as lines:
            yield from self._begin_of_each(self._reader(lines))

    def _begin_of_each(self, reader: Any) -> Iterator[int]:
        row = -1  # the header's
        while True:
            begins = reader.line_num + 1
            try:
                fields = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                raise DataFileError(self.path, f"{error}", row=row + 1, line=begins) from None
            if not fields:
                continue
            row += 1
            if row == 0:
                continue
            if len(fields) != len(self.columns):
                problem = f"the header has {len(self.columns)} fields, the row has {len(fields)}"
                raise DataFileError(self.path, problem, row=row, line=begins)
            yield begins

    def explain(self, failure: Exception) -> DataFileError:
        error = super().explain(failure)
        if error.row is not None:
            return error
        ends = {line.endswith("\r\n") for line in _text_lines(self.path) if line.endswith("\n")}
        if len(ends) < 2:
            return error
        problem = "some of its lines end in CR LF and some in LF alone; expected the same of all"
        return DataFileError(self.path, problem)


class _JsonLines(Source):
    """A file with one JSON object a line, all of whose values are read as text."""

    def __init__(self, path: Path, connection: DuckDBPyConnection) -> None:
        super().__init__(path, connection)
        first = islice(self._records(), JSON_RECORDS_SEARCHED_FOR_COLUMNS)
        keys_of_records = [keys for _, keys in first]
        if not keys_of_records:
            raise DataFileError(path, "there are no rows")
        self.columns = list(dict.fromkeys(chain.from_iterable(keys_of_records)))
        self._required: list[str] = []

    def require(self, column: str) -> None:
        super().require(column)
        if column not in self._required:
            self._required.append(column)

    @property
    def table(self) -> str:
        types = ", ".join(f"{_sql_text(name)}: 'VARCHAR'" for name in self._required)
        return (
            f"read_json(?, format = 'newline_delimited', columns = {{{types}}}, "
            f"hive_partitioning = false{_compression(self.path)})"
        )

    def identifier(self, column: str) -> str:
        return _sql_name(column)

    def lines_of_rows(self) -> Iterator[int]:
        return (line for line, _ in self._records())

    def _records(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the line and the keys of each record."""
        with closing(_text_lines(self.path, encoding="utf-8")) as lines:
            yield from self._records_of(lines)

    def _records_of(self, lines: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
        row = 0
        for number, line in enumerate(lines, start=1):
            if line.startswith(BYTE_ORDER_MARK):
                problem = "it begins with a byte order mark, which JSON lines may not"
                raise DataFileError(self.path, problem)
            if not line.strip():
                continue
            row += 1
            try:
                record = json.loads(line, object_pairs_hook=_Object)
            except (json.JSONDecodeError, RecursionError) as error:
                problem = f"it is not valid JSON: {error}"
                raise DataFileError(self.path, problem, row=row, line=number) from None
            if not isinstance(record, _Object):
                problem = 'expected an object, such as {"correct": true, "confidence": 0.9}'
                raise DataFileError(self.path, problem, row=row, line=number)
            keys = [key for key, _ in record]
            if len(set(keys)) < len(keys):
                repeated = next(key for key in keys if keys.count(key) > 1)
                problem = f"the key {quoted(repeated)} occurs twice"
                raise DataFileError(self.path, problem, row=row, line=number)
            yield number, keys


class _Object(list[tuple[str, Any]]):
    """A JSON object as its pairs of key and value, told apart from an array."""


class _Parquet(Source):
    """A Parquet file, whose columns have types."""

    def __init__(self, path: Path, connection: DuckDBPyConnection) -> None:
        super().__init__(path, connection)
        import duckdb

        try:
            described = self.select("*", into="DESCRIBE").fetchall()
        except duckdb.Error as failure:
            raise self.explain(failure) from None
        self._types = {str(row[0]): str(row[1]) for row in described}
        self.columns = list(self._types)

    @property
    def table(self) -> str:
        return "read_parquet(?, hive_partitioning = false)"

    def type_of(self, column: str) -> str:
        return self._types[column]

    def identifier(self, column: str) -> str:
        return _sql_name(column)

    def explain(self, failure: Exception) -> DataFileError:
        problem = f"it is not a Parquet file, or a damaged one: {_first_line(failure)}"
        return DataFileError(self.path, problem)


def open_source(path: Path, connection: DuckDBPyConnection) -> Source:
    """Return the source that a file of this name calls for, once it is known to open."""
    if path.is_dir():
        raise DataFileError(path, "it is a directory; name the files in it")
    try:
        with path.open("rb") as file:
            is_empty = not file.read(1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise DataFileError(path, f"it cannot be opened: {reason}") from None
    name = path.name.lower()
    text_name = name.removesuffix(".gz")
    if not (text_name.endswith((*DELIMITERS, *JSON_SUFFIXES)) or name.endswith(PARQUET_SUFFIX)):
        problem = (
            "the kind of file is told by the end of its name: .csv, .tsv, .jsonl or .ndjson, "
            "each also with .gz after it, or .parquet"
        )
        raise DataFileError(path, problem)
    if is_empty:
        raise DataFileError(path, "the file is empty")
    if name.endswith(PARQUET_SUFFIX):
        return _Parquet(path, connection)
    if text_name.endswith(JSON_SUFFIXES):
        return _JsonLines(path, connection)
    return _Delimited(path, connection, DELIMITERS[text_name[-4:]])


def _text_lines(path: Path, encoding: str = "utf-8-sig") -> Generator[str]:
    """Yield the lines of a text file, with their ends."""
    opener = gzip.open if path.name.lower().endswith(".gz") else open
    read = 0
    try:
        with opener(path, "rt", encoding=encoding, newline="") as file:
            for line in file:
                yield line
                read += 1
    except UnicodeDecodeError:
        raise DataFileError(path, f"it is not UTF-8 text (near line {read + 1})") from None
    except (OSError, EOFError, zlib.error) as error:
        raise DataFileError(path, f"it cannot be read: {error}") from None


def _compression(path: Path) -> str:
    return ", compression = 'gzip'" if path.name.lower().endswith(".gz") else ""


def _literal(path: Path) -> str:
    """Return what DuckDB, which takes paths for patterns, understands as this path alone."""
    text = path.absolute().as_posix()
    try:
        text.encode()
    except UnicodeEncodeError:
        raise DataFileError(path, "it cannot be read: its path is not UTF-8 text") from None
    return "".join(f"[{mark}]" if mark in "*?[" else mark for mark in text)


def _sql_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _sql_text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def quoted(text: str) -> str:
    """Return a value from a file, cut where it is long, on one line and in double quotes."""
    shown = text if len(text) <= LONGEST_VALUE_SHOWN else text[:LONGEST_VALUE_SHOWN] + "…"
    return json.dumps(shown, ensure_ascii=False)


def _first_line(failure: Exception) -> str:
    return str(failure).strip().partition("\n")[0]
