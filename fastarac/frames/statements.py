"""SQL queries for the counts of `threshold_sweep`, for engines without a data frame."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple, cast

from fastarac._core.checks import choice
from fastarac.bounds.bins import ABOVE_HALF, ABOVE_ONE, BELOW_ZERO, LEAST, PER_OCTAVE

Dialect = Literal["duckdb", "spark", "bigquery", "postgres"]


class Spelling(NamedTuple):
    """The spelling of names, types and expressions in a SQL dialect."""

    quote: str
    real: str
    whole: str
    text: str
    number: str
    """Expression for a confidence in its own numeric type, with 0.0 instead of -0.0."""
    known: str
    """Condition that is true if a column has a supported type."""

    def quoted(self, column: str, role: str) -> str:
        """Return the name of a column as the dialect quotes it."""
        if not isinstance(column, str):
            raise TypeError(f"{role} must be the name of a column, got type {type(column).__name__}")
        if self is SPELLINGS["bigquery"] and set(column) & set("`\\\n"):
            raise ValueError(f"{role} must be a name that BigQuery can quote, got {column!r}")
        return f"{self.quote}{column.replace(self.quote, 2 * self.quote)}{self.quote}"

    def numbers(self, label: str) -> str:
        """Return the SELECT of the items; `correct` is NULL if a column has an unsupported type."""
        known = " AND ".join(self.known.format(column) for column in ("confidence", "correct"))
        labels = f"CASE WHEN {known} THEN correct END AS correct"
        return f"  SELECT {label}{labels},\n    {self.number} AS number"

    def counts(self) -> str:
        """Return expressions for a group's two counts, which are NULL if an item is invalid."""
        p, q, n = (f"SUM(counts.{name})" for name in "pqn")
        whole = f"CASE WHEN {p} + {q} = {n}"
        return (
            f"{whole} THEN CAST({p} AS {self.whole}) END AS correct_counts,\n"
            f"  {whole} THEN CAST({q} AS {self.whole}) END AS incorrect_counts"
        )

    def labelled(self, name: str, label: str) -> str:
        """Return an expression that is n if ``correct`` is in `label` and the row is valid, else 0."""
        text = f"LOWER(CAST(correct AS {self.text}))"
        finite = "low - low = 0 AND high - high = 0"
        return f"CASE WHEN {text} IN {label} AND {finite} THEN n ELSE 0 END AS {name}"


_DUCKDB_TYPES = (
    "'BOOLEAN', 'TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'UTINYINT', 'USMALLINT', 'UINTEGER', "
    "'UBIGINT', 'FLOAT', 'DOUBLE'"
)
_SPARK_TYPES = "'boolean', 'tinyint', 'smallint', 'int', 'bigint', 'float', 'double'"
_POSTGRES_TYPES = "'boolean', 'smallint', 'integer', 'bigint', 'real', 'double precision'"
SPELLINGS = {
    # Only in DuckDB can an expression convert Booleans to numbers and yet keep the types of numbers.
    "duckdb": Spelling(
        '"', "DOUBLE", "BIGINT", "VARCHAR",
        "COALESCE(confidence, CAST(NULL AS UTINYINT)) + CAST(0 AS UTINYINT)",
        f"TYPEOF({{}}) IN ({_DUCKDB_TYPES})",
    ),
    "spark": Spelling(
        "`", "DOUBLE", "BIGINT", "STRING", "confidence + 0", f"TYPEOF({{}}) IN ({_SPARK_TYPES})"
    ),
    # The pattern excludes decimals and strings: FORMAT writes a type before the digits of a decimal,
    # and quotes around a string.
    "bigquery": Spelling(
        "`", "FLOAT64", "INT64", "STRING", "confidence + 0",
        "REGEXP_CONTAINS(FORMAT('%T', {}), '^(-?[0-9]|true$|false$)')",
    ),
    "postgres": Spelling(
        '"', "DOUBLE PRECISION", "BIGINT", "TEXT", "confidence + 0",
        f"CAST(PG_TYPEOF({{}}) AS TEXT) IN ({_POSTGRES_TYPES})",
    ),
}  # fmt: skip
TRUE = "('true', '1', '1.0')"
FALSE = "('false', '0', '0.0', '-0.0')"


def sql(
    dialect: Dialect,
    table: str,
    *,
    confidence: str,
    correct: str,
    by: str | Sequence[str] | None = None,
    method: Literal["counts", "bounds"] = "counts",
) -> str:
    """Write the query that counts correct and incorrect items at each confidence, or in bins.

    Parameters
    ----------
    dialect : {"duckdb", "spark", "bigquery", "postgres"}
        The SQL dialect.
    table : str
        The text after FROM, inserted unquoted: a table, or a query in parentheses with an alias.
    confidence, correct : str
        The columns that hold the confidence of each item, and whether the item is right (Boolean, or 0
        and 1). Their types must be integers or floats up to 64 bits; in DuckDB, confidences may also be
        Boolean. Cast decimals, text and, in other dialects, Boolean confidences within `table`. The
        query quotes the names.
    by : str or sequence of str, optional
        The column of labels, or a list of columns; each group is counted separately.
    method : {"counts", "bounds"}, default="counts"
        "counts" gives one row per distinct confidence, for :meth:`.ThresholdSweep.from_counts`;
        integers stay integers. "bounds" gives one row per bin, for :meth:`.BoundedSweep.from_bins`,
        with the 10,000 to 100,000 bins of :func:`.frames.threshold_sweep`.

    Returns
    -------
    str
        The query. Its first columns are the columns `by`, if given. The next column is `confidence` for
        "counts"; for "bounds", `low` and `high` hold the lowest and highest confidence in each bin.
        Rows are in increasing order of confidence. The last columns are `correct_counts` and
        `incorrect_counts`. Counts are NULL if a confidence is NULL, NaN or infinite, or a label is not
        0 or 1. All counts are NULL if a column has an unsupported type, such as DECIMAL or HUGEINT.
        The two methods that take the counts raise an error for NULL.

    Raises
    ------
    ValueError, TypeError
        If the dialect or method is unknown, if the dialect cannot quote a column's name, or if a name
        is not a string.

    See Also
    --------
    threshold_sweep : count accepted items inside the engine that holds the frame
    evaluate : compute all metrics inside the engine that holds the frame

    Examples
    --------
    >>> import duckdb
    >>> import fastarac as fa
    >>> outputs = duckdb.sql("SELECT i % 3 / 4 AS score, i % 5 > 0 AS good FROM range(60) AS t(i)")
    >>> columns = {"confidence": "score", "correct": "good"}
    >>> query = fa.frames.sql("duckdb", "outputs", **columns)
    >>> fa.ThresholdSweep.from_counts(*zip(*duckdb.sql(query).fetchall()))
    ThresholdSweep(3 thresholds, 48 correct, 12 incorrect)
    >>> query = fa.frames.sql("duckdb", "outputs", **columns, method="bounds")
    >>> low, high, *counts = zip(*duckdb.sql(query).fetchall())
    >>> single = [a == b for a, b in zip(low, high)]
    >>> fa.frames.BoundedSweep.from_bins([*low, float("inf")], *counts, single_valued=single)
    BoundedSweep(3 bins, 48 correct, 12 incorrect)
    """
    choice(dialect, "dialect", tuple(SPELLINGS))
    choice(method, "method", ("counts", "bounds"))
    words = SPELLINGS[dialect]
    labels = _Labels.of(words, by)
    read = f"{words.quoted(confidence, 'confidence')} AS confidence"
    read += f", {words.quoted(correct, 'correct')} AS correct"
    numbers = f"""\
WITH fastarac_items AS (
  SELECT {read}{labels.read}
  FROM {table}
), numbers AS (
{words.numbers(labels.names)}
  FROM fastarac_items
)"""
    return numbers + (_by_confidence if method == "counts" else _by_bin)(words, labels)


class _Labels(NamedTuple):
    """The label columns as lists in SQL: as read, as named, as shown and as grouped."""

    read: str
    names: str
    shown: str
    groups: str

    @classmethod
    def of(cls, words: Spelling, by: str | Sequence[str] | None) -> _Labels:
        several: list[str] = []
        if by is not None:
            several.extend(by if isinstance(by, list | tuple) else [cast("str", by)])
        if by is not None and not several:
            raise ValueError("by must name at least one column")
        quoted = [words.quoted(name, "by") for name in several]
        names = ["label"] if len(quoted) == 1 else [f"label_{i}" for i in range(len(quoted))]
        pairs = list(zip(quoted, names, strict=True))
        return cls(
            "".join(f", {column} AS {name}" for column, name in pairs),
            "".join(f"{name}, " for name in names),
            # Name the table, because an output column may have the same name as a grouping column.
            "".join(f"counts.{name} AS {column}, " for column, name in pairs),
            "".join(f"counts.{name}, " for name in names),
        )


def _sums(words: Spelling) -> str:
    return f"{words.labelled('p', TRUE)},\n    {words.labelled('q', FALSE)}"


def _by_confidence(words: Spelling, labels: _Labels) -> str:
    """Return the end of a query that counts items at each confidence; `sql` writes the beginning."""
    return f"""\
, kinds AS (
  SELECT {labels.names}correct, number AS low, number AS high, COUNT(*) AS n
  FROM numbers
  GROUP BY {labels.names}correct, number
), counts AS (
  SELECT {labels.names}low, n,
    {_sums(words)}
  FROM kinds
)
SELECT {labels.shown}counts.low AS confidence,
  {words.counts()}
FROM counts
GROUP BY {labels.groups}counts.low
ORDER BY {labels.groups}counts.low"""


def _by_bin(words: Spelling, labels: _Labels) -> str:
    """Return the end of a query that counts items in bins and merges overlapping bins."""
    label = labels.names
    over = f"OVER ({'PARTITION BY ' + label[:-2] + ' ' if label else ''}ORDER BY low, bin, correct"
    return f"""\
, doubles AS (
  SELECT {label}correct, number, CAST(number AS {words.real}) AS x
  FROM numbers
), numbered AS (
  SELECT {label}correct, number,
    {_BIN} AS bin
  FROM doubles
), kinds AS (
  SELECT {label}correct, bin, MIN(number) AS low, MAX(number) AS high, COUNT(*) AS n
  FROM numbered
  GROUP BY {label}correct, bin
), starts AS (
  SELECT {label}correct, bin, low, high, n,
    CASE WHEN low <= MAX(high) {over}
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) THEN 0 ELSE 1 END AS is_start
  FROM kinds
), counts AS (
  SELECT {label}low, high, n,
    SUM(is_start) {over}
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS number,
    {_sums(words)}
  FROM starts
)
SELECT {labels.shown}MIN(counts.low) AS low, MAX(counts.high) AS high,
  {words.counts()}
FROM counts
GROUP BY {labels.groups}counts.number
ORDER BY {labels.groups}counts.number"""


_DISTANCE = "CASE WHEN x < 0 THEN -x WHEN x < 0.5 THEN x WHEN x <= 1 THEN 1 - x ELSE x END"
_OCTAVES = f"FLOOR({PER_OCTAVE / math.log(2)!r} * LN(GREATEST({LEAST},\n      {_DISTANCE})))"
_BIN = f"""CASE WHEN x < 0 THEN {BELOW_ZERO:.0f} ELSE 0 END
    + CASE WHEN x < 0 OR (x >= 0.5 AND x <= 1) THEN -1 ELSE 1 END
    * {_OCTAVES}
    + CASE WHEN x > 1 THEN {ABOVE_ONE:.0f} WHEN x >= 0.5 THEN {ABOVE_HALF:.0f} ELSE 0 END"""
