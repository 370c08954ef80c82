"""The columns that are read: what each may hold, and how it becomes an array."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fastarac.io._sources import (
    BOOLEAN,
    FLOATS_AND_INTEGERS,
    NUMBER,
    TEXT,
    DataFileError,
    Source,
    quoted,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

Array = NDArray[Any]

EXACT_FLOAT_LIMIT = 2.0**53


@dataclass(frozen=True)
class Pick(ABC):
    """A field of `Outputs` and the column that fills it."""

    field: str
    column: str
    expected: ClassVar[str]

    @abstractmethod
    def expression(self, source: Source) -> str:
        """Return the SQL expression of the values; it is null where a value is not as expected."""

    def is_valid(self, values: Array) -> Array:
        """Return which values are as expected, of those that are not null."""
        return np.ones(len(values), np.bool_)

    def unsuitable(self, source: Source) -> DataFileError:
        """Return an error about the type of the column."""
        found = source.kind_of(self.column)
        problem = f"column {quoted(self.column)} holds {found}; expected {self.expected} a row"
        return DataFileError(source.path, problem)


class Number(Pick):
    expected = "a finite number"

    def expression(self, source: Source) -> str:
        name = source.identifier(self.column)
        kind = source.kind_of(self.column)
        if kind not in (TEXT, NUMBER, BOOLEAN):
            raise self.unsuitable(source)
        native = kind == BOOLEAN or source.type_of(self.column) in FLOATS_AND_INTEGERS
        if native:
            return name
        if kind != TEXT:
            return f"TRY_CAST({name} AS DOUBLE)"
        # DuckDB takes 1_000 for a number; in the output of a reader it is a misread text
        return f"CASE WHEN contains({name}, '_') THEN NULL ELSE TRY_CAST({name} AS DOUBLE) END"

    def is_valid(self, values: Array) -> Array:
        return np.isfinite(values)


class Weight(Number):
    expected = "a finite number that is not negative"

    def expression(self, source: Source) -> str:
        return f"CAST({super().expression(source)} AS DOUBLE)"

    def is_valid(self, values: Array) -> Array:
        return np.isfinite(values) & (values >= 0)


class Correct(Pick):
    expected = "true or false, or 1 or 0"

    def expression(self, source: Source) -> str:
        name = source.identifier(self.column)
        kind = source.kind_of(self.column)
        if kind == BOOLEAN:
            return name
        if kind == NUMBER:
            return f"CASE WHEN {name} = 1 THEN true WHEN {name} = 0 THEN false END"
        if kind != TEXT:
            raise self.unsuitable(source)
        number = f"TRY_CAST({name} AS DOUBLE)"
        return (
            f"CASE WHEN lower({name}) = 'true' OR {number} = 1 THEN true "
            f"WHEN lower({name}) = 'false' OR {number} = 0 THEN false END"
        )


@dataclass(frozen=True)
class Equal(Pick):
    prediction: str
    expected = 'what the output should be (a truth that is the empty text is written "")'

    def expression(self, source: Source) -> str:
        truth, prediction = source.identifier(self.column), source.identifier(self.prediction)
        kinds = source.kind_of(self.column), source.kind_of(self.prediction)
        if kinds[0] != kinds[1]:
            problem = (
                f"column {quoted(self.column)} holds {kinds[0]}, but column "
                f"{quoted(self.prediction)} holds {kinds[1]}; expected the same of both"
            )
            raise DataFileError(source.path, problem)
        if kinds[0] == TEXT:
            return f"coalesce({prediction}, '') = {truth}"
        return f"CASE WHEN {truth} IS NOT NULL THEN {prediction} IS NOT DISTINCT FROM {truth} END"


class Label(Pick):
    expected = "a name"

    def expression(self, source: Source) -> str:
        return f"CAST({source.identifier(self.column)} AS VARCHAR)"


class Item(Label):
    expected = "what identifies the item"


class Truth(Label):
    expected = Equal.expected


def fetch(source: Source, picks: Sequence[Pick]) -> dict[str, Any]:
    """Return the fields of `Outputs`; raise where a value is not as expected."""
    import duckdb

    expressions = ", ".join(f'{pick.expression(source)} AS "{pick.field}"' for pick in picks)
    labels = [pick.field for pick in picks if isinstance(pick, Label)]
    try:
        if labels:
            source.select(expressions, into="CREATE TEMP TABLE picked AS")
            names = {label: _encode_labels(source, label) for label in labels}
            arrays = source.connection.execute("SELECT * FROM picked").fetchnumpy()
        else:
            arrays = source.select(expressions).fetchnumpy()
        _refuse_invalid(source, picks, arrays)
        fields: dict[str, Any] = {name: np.ma.getdata(array) for name, array in arrays.items()}
        fields["confidence"] = _exact(source, picks[0].column, fields["confidence"])
    except duckdb.Error as failure:
        raise source.explain(failure) from None
    except RuntimeError as failure:
        if "interrupted" in str(failure):  # DuckDB's word for a signal that Python has caught
            raise KeyboardInterrupt from None
        raise
    for label in labels:
        fields[label] = names[label], fields[label].astype(np.intp)
    return fields


def _encode_labels(source: Source, label: str) -> tuple[str, ...]:
    """Replace the texts of a picked column by their codes, and return the distinct texts."""
    run = source.connection.execute
    text, names = f'"{label}"', f"{label}_names"
    distinct = f"SELECT DISTINCT {text} FROM picked WHERE {text} IS NOT NULL ORDER BY 1"  # noqa: S608
    run(f"CREATE TYPE {names} AS ENUM ({distinct})")
    run(f"ALTER TABLE picked ALTER {text} TYPE UINTEGER USING enum_code({text}::{names})")
    rows = run(f"SELECT unnest(enum_range(NULL::{names}))").fetchall()
    return tuple(str(row[0]) for row in rows)


def _refuse_invalid(source: Source, picks: Sequence[Pick], arrays: dict[str, Array]) -> None:
    """Raise an error about the first row with a value that is not as expected, if there is one."""
    if not len(arrays["confidence"]):
        raise DataFileError(source.path, "there are no rows")
    invalid = []
    for pick in picks:
        values = arrays[pick.field]
        valid = pick.is_valid(np.ma.getdata(values)) & ~np.ma.getmaskarray(values)
        if not valid.all():
            invalid.append((int(valid.argmin()), pick))
    if not invalid:
        return
    index, pick = min(invalid, key=lambda found: found[0])
    text = f"CAST({source.identifier(pick.column)} AS VARCHAR)"
    value = source.select(text, rest=f"LIMIT 1 OFFSET {index}").fetchall()[0][0]
    found = "is empty" if value is None else f"holds {quoted(value)}"
    problem = f"column {quoted(pick.column)} {found}; expected {pick.expected}"
    raise source.error_in_row(index, problem)


def _exact(source: Source, column: str, confidence: Array) -> Array:
    """Return the confidences of a text file, as integers where float64 would merge some of them."""
    if source.kind_of(column) != TEXT or np.abs(confidence).max() < EXACT_FLOAT_LIMIT:
        return confidence
    name = source.identifier(column)
    for integer in ("BIGINT", "UBIGINT"):
        value = f"TRY_CAST({name} AS {integer})"
        written = f"CASE WHEN regexp_full_match({name}, '[+-]?[0-9]+') THEN {value} END AS whole"
        whole = source.select(written).fetchnumpy()["whole"]
        if not np.ma.is_masked(whole):
            return np.ma.getdata(whole)
    return confidence
