"""Read JSON lines and Parquet files, and determine the format of a file."""

from __future__ import annotations

import json
import stat
from bisect import bisect_right
from contextlib import closing
from itertools import accumulate, islice
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from fastarac._core.saved import problem_of_json
from fastarac._core.text import quoted
from fastarac.io._delimited import DELIMITERS, Delimited
from fastarac.io._limits import expands_too_far, largest_expansion, longest_line
from fastarac.io._sources import (
    DataFileError,
    FileSource,
    cause,
    compression,
    explained,
    require_modest,
    sql_name,
    sql_text,
    text_lines,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from duckdb import DuckDBPyConnection
    from numpy.typing import NDArray

JSON_SUFFIXES = (".jsonl", ".ndjson")
PARQUET_SUFFIX = ".parquet"
JSON_RECORDS_SEARCHED_FOR_COLUMNS = 1000
BYTES_OF_A_ROW = 8  # least memory per row: a confidence
BYTE_ORDER_MARK = "\ufeff"
# JSON types that may hold names: what messages call them, and their DuckDB types.
NAMES_IN_JSON = {
    "a text": ("VARCHAR",),
    "a number": ("BIGINT", "UBIGINT", "DOUBLE", "HUGEINT", "UHUGEINT"),
    "true or false": ("BOOLEAN",),
}


class JsonLines(FileSource):
    """A file with a JSON object on each line, whose values are read as texts."""

    def __init__(self, path: Path, connection: DuckDBPyConnection) -> None:
        super().__init__(path, connection)
        first: dict[str, Any] | None = None
        names: dict[str, None] = {}
        for _, record in islice(self._records(), JSON_RECORDS_SEARCHED_FOR_COLUMNS):
            first = dict(record) if first is None else first
            names.update(dict.fromkeys(key for key, _ in record))
        if first is None:
            raise DataFileError(path, "there are no rows")
        self._first, self.columns = first, list(names)
        self._types: dict[str, str] = {}

    def require(self, column: str, *, is_label: bool = False) -> None:
        super().require(column, is_label=is_label)
        if is_label or column not in self._types:
            self._types[column] = "JSON" if is_label else "VARCHAR"

    def find_all_columns(self) -> None:
        """Find the columns of all records; the new ones follow the known ones, in sorted order."""
        objects = f"read_ndjson_objects(?{self._options})"
        query = f"SELECT DISTINCT unnest(json_keys(json)) FROM {objects}"
        with explained(self):
            rows = self.connection.execute(query, [self.literal]).fetchall()
        self.columns += sorted({row[0] for row in rows} - set(self.columns))
        self.require_few_columns()

    @property
    def _options(self) -> str:
        return f", maximum_object_size = {longest_line()}{compression(self.path)}"

    @property
    def _by_pointer(self) -> bool:
        """Whether DuckDB rejects the names of columns: one is empty, or two differ only in case."""
        distinct = {name.lower() for name in self._types}
        return "" in distinct or len(distinct) < len(self._types)

    @property
    def table(self) -> str:
        if self._by_pointer:
            return f"read_ndjson_objects(?, hive_partitioning = false{self._options})"
        types = ", ".join(f"{sql_text(name)}: '{type_}'" for name, type_ in self._types.items())
        return (
            f"read_json(?, format = 'newline_delimited', records = 'true', columns = {{{types}}}, "
            f"hive_partitioning = false{self._options})"
        )

    def identifier(self, column: str) -> str:
        if not self._by_pointer and self._types[column] == "VARCHAR":
            return sql_name(column)
        return f"({self.value(column)} ->> '$')"

    def value(self, column: str) -> str:
        """Return the SQL expression of a column's JSON values."""
        if not self._by_pointer:
            return sql_name(column)
        pointer = "/" + column.replace("~", "~0").replace("/", "~1")
        return f"(json -> {sql_text(pointer)})"

    def label(self, column: str) -> str:
        types = NAMES_IN_JSON.get(self._names_in(column), ())
        listed = ", ".join(map(sql_text, types)) or "NULL"
        kind = f"json_type({self.value(column)})"
        return f"CASE WHEN {kind} IN ({listed}) THEN {self.identifier(column)} END"

    def expected_label(self, column: str) -> str:
        kind = self._names_in(column)
        return f"{kind}, as in row 1" if kind in NAMES_IN_JSON else kind

    def _names_in(self, column: str) -> str:
        """Return the JSON type of the names in a column, which is that of the first row."""
        value = self._first.get(column)
        if isinstance(value, bool):
            return "true or false"
        if isinstance(value, int | float):
            return "a number"
        return "a text" if isinstance(value, str) else "a text or a number"

    def shown(self, column: str, index: int) -> str | None:
        found = super().shown(column, index)
        if found is None or self._types[column] != "JSON":
            return found
        value = f"CAST({self.value(column)} AS VARCHAR)"
        (written,) = self.select(value, rest=f"LIMIT 1 OFFSET {index}").fetchall()[0]
        return found if written.startswith('"') else found[1:-1]  # remove the quotes around numbers

    def lines_of_rows(self) -> Iterator[int]:
        return (line for line, _ in self._records())

    def _records(self) -> Iterator[tuple[int, list[tuple[str, Any]]]]:
        """Yield each record's line number, and its keys and values."""
        row = 0
        with closing(text_lines(self.path, encoding="utf-8")) as lines:
            for number, line in enumerate(lines, start=1):
                if line.startswith(BYTE_ORDER_MARK):
                    problem = "a line begins with a byte order mark, which JSON lines must not contain"
                    raise DataFileError(self.path, problem)
                if not line.strip():
                    continue
                row += 1
                try:
                    record = json.loads(line, object_pairs_hook=_Object)
                except (json.JSONDecodeError, RecursionError) as error:
                    problem = f"it is not valid JSON: {problem_of_json(error)}"
                    raise DataFileError(self.path, problem, row=row, line=number) from None
                if not isinstance(record, _Object):
                    problem = 'expected an object, such as {"correct": true, "confidence": 0.9}'
                    raise DataFileError(self.path, problem, row=row, line=number)
                keys = [key for key, _ in record]
                if len(set(keys)) < len(keys):
                    repeated = next(key for key in keys if keys.count(key) > 1)
                    problem = f"the key {quoted(repeated)} occurs twice"
                    raise DataFileError(self.path, problem, row=row, line=number)
                yield number, record


class _Object(list[tuple[str, Any]]):
    """The key-value pairs of a JSON object; the type distinguishes it from an array."""


class RowsOfArrays(FileSource):
    """Arrays in memory as columns; in arrays of texts, None is a missing value."""

    TABLE = "rows_of_arrays"

    def __init__(
        self, named: str, connection: DuckDBPyConnection, columns: Mapping[str, NDArray[Any]]
    ) -> None:
        connection.register("arrays", dict(columns))
        connection.execute(f"CREATE TEMP TABLE {self.TABLE} AS SELECT * FROM arrays")
        self._describe(named, connection)

    def _describe(self, named: str, connection: DuckDBPyConnection) -> None:
        self.path, self.connection = Path(named), connection
        described = connection.execute(f"DESCRIBE {self.TABLE}").fetchall()
        self._types = {str(row[0]): str(row[1]) for row in described}
        self.columns = list(self._types)

    @property
    def table(self) -> str:
        """The SQL name of the table."""
        return self.TABLE

    def identifier(self, column: str) -> str:
        return sql_name(column)

    def type_of(self, column: str) -> str:
        return self._types[column]

    def select(self, expressions: str, *, into: str = "", rest: str = "") -> DuckDBPyConnection:
        return self.connection.execute(f"{into} SELECT {expressions} FROM {self.table} {rest}")

    def require_unchanged(self) -> None:
        """Do nothing: arrays in memory do not change."""


class RowsOfFiles(RowsOfArrays):
    """The rows of several files with the same columns, one file after the other."""

    def __init__(self, sources: Sequence[FileSource]) -> None:

        first, connection = sources[0], sources[0].connection
        of_json = all(isinstance(source, JsonLines) for source in sources)
        self.sources = sources
        self._rows: list[int] = []
        for source in sources:
            value = source.value if of_json and isinstance(source, JsonLines) else source.identifier
            if isinstance(source, JsonLines):
                source.find_all_columns()
            if sorted(source.columns) != sorted(first.columns):
                found, expected = (", ".join(map(quoted, each.columns)) for each in (source, first))
                problem = f"its columns must be those of {first.path}, {expected}, got {found}"
                raise DataFileError(source.path, problem)
            for column in first.columns:
                source.require(column, is_label=of_json)
            into = f"INSERT INTO {self.TABLE}" if self._rows else f"CREATE TEMP TABLE {self.TABLE} AS"
            names = (f"{value(name)} AS {sql_name(name)}" for name in first.columns)
            with explained(source):
                ((n,),) = source.select(", ".join(names), into=into).fetchall()
            self._rows.append(int(n))
        self._describe(" and ".join(str(source.path) for source in sources), connection)

    def identifier(self, column: str) -> str:
        """Return the quoted name or, for JSON, an expression that gives the value as text."""
        name = sql_name(column)
        return f"({name} ->> '$')" if self._types[column] == "JSON" else name

    def type_of(self, column: str) -> str:
        return self._types[column].replace("JSON", "VARCHAR")

    def require_unchanged(self) -> None:
        """Raise if a file has changed."""
        for source in self.sources:
            source.require_unchanged()

    def error_in_row(self, index: int, problem: str) -> DataFileError:
        """Return an error about row `index` of all files, with its number in its own file."""
        ends = list(accumulate(self._rows))
        which = bisect_right(ends, index)
        return self.sources[which].error_in_row(index - ends[which] + self._rows[which], problem)


class Parquet(FileSource):
    """A Parquet file, or a directory of Parquet files with the same typed columns."""

    def __init__(self, path: Path, connection: DuckDBPyConnection) -> None:
        super().__init__(path, connection)

        with explained(self):
            described = self.select("*", into="DESCRIBE").fetchall()
            self.columns = self._names()
            self._require_modest()
        self._described = [(str(row[0]), str(row[1])) for row in described]

    def _require_modest(self) -> None:
        """Raise if the footers state more data than the limits allow for the size of the file."""
        footer = (
            "SELECT sum(total_uncompressed_size), sum(row_group_num_rows) FILTER (column_id = 0) "
            "FROM parquet_metadata(?)"
        )
        found = self.connection.execute(footer, [self.literal]).fetchall()[0]
        pages, rows = (int(each or 0) for each in found)
        size = sum(size for _, _, size, _ in self._versions)
        if max(pages, rows * BYTES_OF_A_ROW) > largest_expansion(size):
            raise DataFileError(self.path, expands_too_far(size))

    def _names(self) -> list[str]:
        """Return the column names in the file, because DuckDB renames some."""
        kind = "type, converted_type, logical_type, scale, precision"
        schema = f"SELECT file_name, name, num_children, {kind} FROM parquet_schema(?)"
        files: dict[str, list[tuple[Any, ...]]] = {}
        for file, *node in self.connection.execute(schema, [self.literal]).fetchall():
            files.setdefault(str(file), []).append(tuple(node))
        (first, nodes), *others = files.items()
        # Columns must match exactly, because DuckDB would silently cast them to the first file's types.
        for other, of_other in others:
            if of_other[1:] != nodes[1:]:  # element 0 is the root, whose name may differ
                file, like = (quoted(PurePath(name).name) for name in (other, first))
                problem = f"{file} and {like} differ in the names or types of their columns"
                raise DataFileError(self.path, problem)
        names = []
        place = 1  # element 0 is the root
        while place < len(nodes):
            names.append(str(nodes[place][0]))
            left = 1
            while left:  # skip the nodes nested in the column
                left += (nodes[place][1] or 0) - 1
                place += 1
        return names

    @property
    def literal(self) -> str:
        return super().literal + f"/*{PARQUET_SUFFIX}" * self.path.is_dir()

    @property
    def table(self) -> str:
        return "read_parquet(?, hive_partitioning = false)"

    def type_of(self, column: str) -> str:
        return self._described[self.columns.index(column)][1]

    def identifier(self, column: str) -> str:
        return sql_name(self._described[self.columns.index(column)][0])

    def explain(self, failure: Exception) -> DataFileError:
        return DataFileError(self.path, f"it is not a Parquet file, or it is damaged{cause(failure)}")


def _require_parquet_alone(directory: Path) -> None:
    """Raise unless a directory holds only Parquet files, apart from files such as _SUCCESS."""
    names = sorted(entry.name for entry in directory.iterdir())
    for log in ("_delta_log", ".hoodie"):
        if log in names:
            problem = f"it is a table with a log ({log}), whose files may hold deleted rows"
            raise DataFileError(directory, f"{problem}; export the table to a Parquet file")
    shown = [name for name in names if name.endswith(PARQUET_SUFFIX) or name[0] not in "._"]
    for name in shown:
        path = directory / name
        if name[0] in "._" or not (name.endswith(PARQUET_SUFFIX) and path.is_file()):
            problem = (
                f"it is a directory that contains {quoted(name)}, but must hold only Parquet files"
            )
            raise DataFileError(directory, problem)
    if not shown:
        raise DataFileError(directory, "it is a directory without Parquet files; name a file")


def open_source(path: Path, connection: DuckDBPyConnection) -> FileSource:
    """Return a file as a table, in the format that its name tells; raise if it cannot be opened."""
    try:
        kind = path.stat().st_mode
        if stat.S_ISDIR(kind):
            _require_parquet_alone(path)
            return Parquet(path, connection)
        if not stat.S_ISREG(kind):  # a pipe can be read only once, but the file is read several times
            raise DataFileError(path, "it is a pipe or a device; write its data to a file first")
        with path.open("rb") as file:
            is_empty = not file.read(1)
    except (OSError, ValueError) as error:
        if isinstance(error, DataFileError):
            raise
        reason = error.strerror if isinstance(error, OSError) else error
        hint = ""
        if str(path) == "-":
            hint = " (standard input cannot be read; write its data to a file first)"
        if set(path.name) & set("*?["):
            hint = " (patterns cannot be read; a directory of Parquet files is read as one table)"
        raise DataFileError(path, f"it cannot be opened: {reason}{hint}") from None
    name = path.name.lower()
    text_name = name.removesuffix(".gz")
    if not (text_name.endswith((*DELIMITERS, *JSON_SUFFIXES)) or name.endswith(PARQUET_SUFFIX)):
        problem = (
            "its name must end in .csv, .tsv, .jsonl or .ndjson, each of them possibly followed by "
            ".gz, or in .parquet"
        )
        if text_name.endswith((".xlsx", ".xls", ".ods")):
            problem = "it is a spreadsheet, which cannot be read; save it as CSV"
        raise DataFileError(path, problem)
    if is_empty:
        raise DataFileError(path, "the file is empty")
    source: FileSource
    if name.endswith(PARQUET_SUFFIX):
        source = Parquet(path, connection)
    else:
        require_modest(path)
        is_json = text_name.endswith(JSON_SUFFIXES)
        source = (JsonLines if is_json else Delimited)(path, connection)
    source.require_few_columns()
    return source
