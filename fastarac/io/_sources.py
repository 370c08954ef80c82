"""Files as tables of DuckDB, and errors about them."""

from __future__ import annotations

import codecs
import difflib
import gzip
import os
import re
import shlex
import zlib
from abc import ABC, abstractmethod
from collections import deque
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastarac._core.extras import require
from fastarac._core.files import whole_file
from fastarac._core.text import listed, quoted
from fastarac.io._limits import MAX_COLUMNS, expands_too_far, largest_expansion, longest_line, too_long

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

    from duckdb import DuckDBPyConnection, DuckDBPyRelation

QUOTED_NOTHING = '""'
TEXT, NUMBER, BOOLEAN = "text", "numbers", "true and false"
FLOATS_AND_INTEGERS = frozenset(
    {
        *("TINYINT", "SMALLINT", "INTEGER", "BIGINT"),
        *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"),
        *("FLOAT", "DOUBLE"),
    }
)
# Bytes to read from a file at a time, and maximum number of bytes to expand at a time.
READ, HELD = 1 << 16, 1 << 20
OTHER_NUMBERS = frozenset({"HUGEINT", "UHUGEINT", "DECIMAL"})
# Types of columns that may hold names, in addition to texts, numbers, Booleans and timestamps.
OTHER_NAMES = frozenset({"DATE", "TIME", "UUID", "INTERVAL"})


class DataFileError(ValueError):
    """A data file that cannot be read, or that holds something invalid.

    The parameters are also attributes.

    Parameters
    ----------
    path : str or path-like
        The file.
    problem : str
        What was found, and what should be there.
    row : int, optional
        The row with the problem, counted from 1 without the header.
    line : int, optional
        The line of the text file on which the row begins, counted from 1.

    See Also
    --------
    read_outputs : read outputs and their confidences from a file
    reading_limits : change the limits on line length and decompressed size of files

    Examples
    --------
    >>> import fastarac as fa
    >>> print(fa.io.DataFileError("a.csv", "expected a number", row=2))
    a.csv, row 2: expected a number
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


class _Database:
    """A database that connections share, because a new one takes 20 ms."""

    def __init__(self) -> None:
        # DuckDB's threads do not survive a fork, so a forked process needs its own database.
        self.process = os.getpid()
        self.first: DuckDBPyConnection | None = None

    def connection(self) -> DuckDBPyConnection:
        if self.first is None:
            self.first = _database()
        return self.first.cursor()


_DATABASE: ContextVar[_Database | None] = ContextVar("database", default=None)


def _shared() -> _Database | None:
    database = _DATABASE.get()
    return None if database is None or database.process != os.getpid() else database


@contextmanager
def one_database() -> Iterator[None]:
    """Let all connections in this block share a database; nested blocks share it, too."""
    if _shared() is not None:
        yield
        return
    database = _Database()
    token = _DATABASE.set(database)
    try:
        yield
    finally:
        _DATABASE.reset(token)
        if database.first is not None and database.process == os.getpid():
            database.first.close()


@contextmanager
def connect(*, alone: bool = False) -> Iterator[DuckDBPyConnection]:
    """Open a connection without extensions; turn DuckDB's interrupt into KeyboardInterrupt.

    With `alone`, the connection gets its own database, so that its settings do not affect others.
    """
    require("duckdb", "cli")
    shared = None if alone else _shared()
    try:
        with _database() if shared is None else shared.connection() as connection:
            # DuckDB would draw the progress bar on standard output.
            connection.execute("SET enable_progress_bar = false")
            yield connection
    except RuntimeError as failure:
        if "interrupted" in str(failure):
            raise KeyboardInterrupt from None
        raise


def _database() -> DuckDBPyConnection:
    import duckdb

    config: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "temp_directory": "",
    }
    return duckdb.connect(":memory:", config=config)


@contextmanager
def copied_to(goal: Path) -> Iterator[str]:
    """Yield the path of a temporary file as SQL text; the file replaces `goal` if nothing fails.

    COPY to this path needs the option USE_TMP_FILE false, or DuckDB writes another temporary file.
    """
    import duckdb

    with whole_file(goal) as partial:
        try:
            yield sql_text(partial.as_posix())
        except duckdb.IOException as failure:
            reason = re.search(rf"{partial.name}[^:]*: ([^\"{{\n]+)", str(failure))
            if reason is None:
                raise
            raise OSError(reason[1].strip()) from None


class FileSource(ABC):
    """A file as a table of DuckDB."""

    #: Column names in the order of the file.
    columns: list[str]

    def __init__(self, path: Path, connection: DuckDBPyConnection) -> None:
        self.path = path
        self.connection = connection
        self._versions = versions_of(path)

    @property
    @abstractmethod
    def table(self) -> str:
        """The SQL that reads the file: a table function whose only parameter is the path."""

    @abstractmethod
    def identifier(self, column: str) -> str:
        """Return the SQL name of a column."""

    def type_of(self, column: str) -> str:  # noqa: ARG002
        return "VARCHAR"

    def kind_of(self, column: str) -> str:
        """Return words for a column's values, such as text or numbers."""
        name = self.type_of(column)
        family = name.partition("(")[0]
        # A column of type NULL has no values, so reading it as text is harmless.
        if family in ("VARCHAR", '"NULL"'):
            return TEXT
        if family == "BOOLEAN":
            return BOOLEAN
        return NUMBER if family in FLOATS_AND_INTEGERS | OTHER_NUMBERS else name

    def select(self, expressions: str, *, into: str = "", rest: str = "") -> DuckDBPyConnection:
        """Run a SELECT over the file, with `into` before it and `rest` after it."""
        query = f"{into} SELECT {expressions} FROM {self.table} {rest}"
        return self.connection.execute(query, [self.literal])

    def relation(self, expressions: str) -> DuckDBPyRelation:
        """Return a SELECT over the file that runs when its rows are read."""
        query = f"SELECT {expressions} FROM {self.table}"
        return self.connection.sql(query, params=[self.literal])

    @property
    def literal(self) -> str:
        """The path, escaped because DuckDB reads paths as patterns."""
        text = self.path.absolute().as_posix()
        try:
            text.encode()
        except UnicodeEncodeError:
            raise DataFileError(self.path, "it cannot be read: its path is not UTF-8 text") from None
        return "".join(f"[{mark}]" if mark in "*?[" else mark for mark in text)

    @property
    def empty_text(self) -> str | None:
        """How the file writes an empty text; None if it cannot be told from a missing value."""
        return QUOTED_NOTHING

    def label(self, column: str) -> str:
        """Return the SQL expression of the names in a column, which is null where there is no name."""
        name, kind = self.identifier(column), self.kind_of(column)
        text = f"CAST({name} AS VARCHAR)"
        # NaN is not a name, and adding 0 turns -0.0 into 0.0.
        if self.type_of(column) in ("FLOAT", "DOUBLE"):
            # isnan() would be false for all rows if the file's statistics report no NaN.
            return f"nullif(CAST({name} + 0 AS VARCHAR), 'nan')"
        if kind in (TEXT, NUMBER, BOOLEAN, *OTHER_NAMES) or kind.startswith("TIMESTAMP"):
            return text
        raise DataFileError(
            self.path, f"column {quoted(column)} holds {kind}; expected a name in each row"
        )

    def expected_label(self, column: str) -> str:  # noqa: ARG002
        """Return a description of valid names for error messages."""
        return "a name"

    def shown(self, column: str, index: int) -> str | None:
        """Return the text of a value for an error message; None if it is missing."""
        text = f"CAST({self.identifier(column)} AS VARCHAR)"
        (value,) = self.select(text, rest=f"LIMIT 1 OFFSET {index}").fetchall()[0]
        return None if value is None else quoted(value)

    def first_text(self, column: str, pattern: str) -> str | None:
        """Return the first text of a column that matches a pattern; None if there is none."""
        name = self.identifier(column)
        with explained(self):
            rest = f"WHERE regexp_matches({name}, '{pattern}') LIMIT 1"
            found = self.select(name, rest=rest).fetchall()
        return str(found[0][0]) if found else None

    def lines_of_rows(self) -> Iterator[int]:
        """Yield the number of the line on which each row begins; raise if a row is malformed."""
        yield from ()

    def require(self, column: str, *, is_label: bool = False) -> None:  # noqa: ARG002
        """Raise unless the file has exactly one column of this name."""
        self.refuse_missing([column])
        count = self.columns.count(column)
        if count > 1:
            raise DataFileError(self.path, f"{count} columns are named {quoted(column)}")

    def refuse_missing(self, columns: Iterable[str | None]) -> None:
        """Raise if the file lacks any of these columns; the message names all that are missing."""
        if lacks := self.lacks(columns):
            raise DataFileError(self.path, f"{lacks}; {self.listed_columns}")

    def lacks(self, columns: Iterable[str | None]) -> str:
        """Return a message on missing columns and similar names; empty if none is missing."""
        wanted = (name for name in dict.fromkeys(columns) if name is not None)
        missing = [name for name in wanted if name not in self.columns]
        if not missing:
            return ""
        names = {name.lower(): name for name in self.columns}
        each = []
        for column in missing:
            close = difflib.get_close_matches(column.lower(), names, 1)
            hint = f" (did you mean {quoted(names[close[0]])}?)" if close else ""
            if "," in column and set(column.split(",")).issubset(self.columns):
                hint = " (several columns are not possible here: name one)"
            each.append(f"{quoted(column)}{hint}")
        return f"there {'is no column' if len(each) == 1 else 'are no columns'} {listed(each)}"

    @property
    def listed_columns(self) -> str:
        """The last part of an error message: a list of the columns."""
        return f"the columns are {', '.join(map(quoted, self.columns))}"

    def require_few_columns(self) -> None:
        """Raise if there are more than `MAX_COLUMNS` columns."""
        if len(self.columns) > MAX_COLUMNS:
            problem = f"it must have at most {MAX_COLUMNS:,} columns, got {len(self.columns):,}"
            raise DataFileError(self.path, problem)

    def require_unchanged(self) -> None:
        """Raise if the file has changed since it was opened, because it is read several times."""
        try:
            unchanged = versions_of(self.path) == self._versions
        except OSError:
            unchanged = False
        if not unchanged:
            problem = "it changed while it was read; use a copy that nobody writes to"
            raise DataFileError(self.path, problem)

    def error_in_row(self, index: int, problem: str) -> DataFileError:
        """Return an error about the row with this index, counted from 0."""
        try:
            line = next(islice(self.lines_of_rows(), index, None), None)
        except DataFileError as error:
            return error
        return DataFileError(self.path, problem, row=index + 1, line=line)

    def unexpected(
        self, column: str, index: int, expected: str, hint: Callable[[str | None], str] = lambda _: ""
    ) -> DataFileError:
        """Return an error about a column's value in a row, with a hint on what it may mean."""
        self.require_unchanged()
        value = self.shown(column, index)
        found = "is empty" if value is None else f"holds {value}"
        problem = f"column {quoted(column)} {found}; {expected}{hint(value)}"
        return self.error_in_row(index, problem)

    def explain(self, failure: Exception) -> DataFileError:
        """Return an error that explains why DuckDB could not read the file."""
        try:
            self.require_unchanged()
            deque(self.lines_of_rows(), maxlen=0)
        except DataFileError as error:
            return error
        return DataFileError(self.path, f"it cannot be read; it seems to be damaged{cause(failure)}")


def versions_of(path: Path) -> list[tuple[str, int, int, int]]:
    """Return properties of a file, or of the files in a directory, that change with the content."""
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    stats = [(file.name, file.stat()) for file in files]
    return [(name, at.st_ino, at.st_size, at.st_mtime_ns) for name, at in stats]


def require_modest(path: Path) -> None:
    """Raise if a .gz file is damaged or expands too far, or if a file's last line is too long.

    A .gz file is decompressed, because the size stored in it may be forged. DuckDB accepts wrong
    checksums and truncated files, and silently drops a last line that is too long.
    """
    (version,) = versions_of(path)
    if path.name.lower().endswith(".gz"):
        _decompress_within(path, version, (largest_expansion(version[2]), longest_line()))
    else:
        _require_short_end(path, version[2])


def _require_short_end(path: Path, size: int) -> None:
    longest = longest_line()
    with path.open("rb") as file:
        # Reading `READ` bytes is enough for nearly all files.
        for read in sorted({min(READ, longest), longest}):
            file.seek(max(size - read - 1, 0))
            if size <= read or _unfinished(file.read()) <= read:
                return
    raise DataFileError(path, too_long("the last line"))


def _unfinished(block: bytes) -> int:
    """Return the number of bytes after the last line end."""
    return len(block) - 1 - max(block.rfind(b"\n"), block.rfind(b"\r"))


@lru_cache  # cached, because a command opens a file several times
def _decompress_within(
    path: Path, version: tuple[str, int, int, int], limits: tuple[float, int]
) -> None:
    most, longest = limits
    expanded = line = 0
    member = zlib.decompressobj(zlib.MAX_WBITS | 16)
    with path.open("rb") as file:
        try:
            while read := file.read(READ):
                while read:
                    # Another gzip member or zero padding may follow the end of one.
                    if member.eof:
                        read = read.lstrip(b"\0")
                        if not read:
                            break
                        member = zlib.decompressobj(zlib.MAX_WBITS | 16)
                    block = member.decompress(read, HELD)
                    expanded += len(block)
                    unfinished = _unfinished(block)
                    line = line + unfinished if unfinished == len(block) else unfinished
                    if expanded > most:
                        raise DataFileError(path, expands_too_far(version[2]))
                    if line > longest:
                        raise DataFileError(path, too_long("a line"))
                    read = member.unused_data if member.eof else member.unconsumed_tail
        except zlib.error as error:
            raise DataFileError(path, _damage(str(error), at_start=not expanded)) from None
    if not member.eof:
        raise DataFileError(path, "it is damaged: its compressed data are cut off")


def _damage(error: str, *, at_start: bool) -> str:
    """Return a description of a .gz file's damage, from the message of zlib."""
    if "incorrect header check" in error:
        if at_start:
            return "it is not a gzip file, though its name ends in .gz"
        return "it is damaged: bytes that are not gzip data follow its compressed data"
    if "incorrect data check" in error or "incorrect length check" in error:
        return "it is damaged: its checksum is wrong"
    return f"it is damaged: {error}"


def text_lines(path: Path, encoding: str = "utf-8-sig") -> Generator[str]:
    """Yield the lines of a text file with their line ends; raise if one is too long."""
    longest = longest_line()
    opener = gzip.open if path.name.lower().endswith(".gz") else open
    read = 0
    try:
        with opener(path, "rt", encoding=encoding, newline="") as file:
            while line := file.readline(longest + 1):
                if len(line) > longest:
                    raise DataFileError(path, too_long(f"line {read + 1}"))
                yield line
                read += 1
    except UnicodeDecodeError:
        problem = f"it is not UTF-8 text (near line {read + 1}); {to_utf8(path)}"
        raise DataFileError(path, problem) from None
    except (OSError, EOFError, zlib.error) as error:
        raise DataFileError(path, f"it cannot be read: {error}") from None


def to_utf8(path: Path) -> str:
    """Return a hint on how to convert a file to UTF-8, for an error message."""
    opener = gzip.open if path.name.lower().endswith(".gz") else open
    is_utf16 = False
    # If the file cannot be read, the hint assumes cp1252.
    with suppress(OSError, EOFError, zlib.error), opener(path, "rb") as file:
        is_utf16 = file.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    encoding, found = (
        ("utf-16", "it is UTF-16") if is_utf16 else ("cp1252", "Excel often writes cp1252")
    )
    names = f"{shlex.quote(path.name)} > {shlex.quote(f'utf8-{path.name}')}"
    return f"{found}, which `iconv -f {encoding} -t utf-8 {names}` converts"


def compression(path: Path) -> str:
    return ", compression = 'gzip'" if path.name.lower().endswith(".gz") else ""


def sql_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def sql_text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def cause(failure: Exception) -> str:
    """Return the reason for a failure, from DuckDB's message; empty if it has none."""
    found = str(failure)
    if "Out of Memory" in found or isinstance(failure, MemoryError):
        return ", or too large for the memory"
    line = re.search(r"Line: (\d+)", found)
    return "" if line is None else f" (near line {line[1]})"


@contextmanager
def explained(source: FileSource) -> Iterator[None]:
    """Turn errors of DuckDB into errors that name the file."""
    import duckdb

    try:
        yield
    except duckdb.Error as failure:
        raise source.explain(failure) from None
