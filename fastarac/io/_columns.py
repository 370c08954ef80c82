"""The columns that are read: what each may hold, and how it becomes an array."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from fastarac._core.text import quoted
from fastarac.io._labels import FIELDS, TextColumn, Texts, hashes
from fastarac.io._sources import (
    BOOLEAN,
    COMMA_HINT,
    DECIMAL_COMMA,
    FLOATS_AND_INTEGERS,
    NUMBER,
    TEXT,
    DataFileError,
    FileSource,
)

Array = NDArray[Any]

EXACT_FLOAT_LIMIT = 2.0**53
WRITTEN_TRUE = r"\s*((?i:true)|\+?0*1(\.0*)?([eE][+-]?0+)?)\s*"
WRITTEN_FALSE = r"\s*((?i:false)|[+-]?(0+(\.0*)?|\.0+)([eE][+-]?[0-9]+)?)\s*"

#: The column in which `fastarac ocr -o` says what became of a word or a field, and what it says of one
#: without an output: missed, or rightly empty.
KIND, MISSED = "kind", ("missed", "empty")


@dataclass(frozen=True)
class Pick(ABC):
    """A field of `Outputs` and the column that fills it."""

    field: str
    column: str
    expected: ClassVar[str]

    def expectation(self, source: FileSource) -> str:  # noqa: ARG002
        """Return what is expected of a value."""
        return self.expected

    def hint(self, value: str | None) -> str:  # noqa: ARG002
        """Return what a value, or none, that is not as expected may have been meant for."""
        return ""

    @abstractmethod
    def expression(self, source: FileSource) -> str:
        """Return the SQL expression of the values; it is null where a value is not as expected."""

    def is_valid(self, values: Array) -> Array:
        """Return which values are as expected, of those that are not null."""
        return np.ones(len(values), np.bool_)

    def unsuitable(self, source: FileSource) -> DataFileError:
        """Return an error about the type of the column."""
        found = source.kind_of(self.column)
        problem = f"column {quoted(self.column)} holds {found}; expected {self.expected} a row"
        return DataFileError(source.path, problem)


class Number(Pick):
    expected = "a finite number"

    def expression(self, source: FileSource) -> str:
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
        return (
            f"CASE WHEN contains({name}, '_') THEN NULL "
            f"WHEN contains({name}, ',') THEN CASE WHEN regexp_full_match({name}, '{DECIMAL_COMMA}') "
            f"THEN TRY_CAST(replace({name}, ',', '.') AS DOUBLE) END "
            f"ELSE TRY_CAST({name} AS DOUBLE) END"
        )

    def hint(self, value: str | None) -> str:
        return COMMA_HINT if value is not None and "," in value else ""

    def is_valid(self, values: Array) -> Array:
        return np.isfinite(values)


@dataclass(frozen=True)
class Confidence(Number):
    """The confidence of an output.

    Attributes
    ----------
    empty : bool
        Whether an output may have none; it is 0 there until all others are known.
    missed : bool
        Whether a missed word, or a field without an output, may have none.
    """

    empty: bool
    missed: bool = False

    def expression(self, source: FileSource) -> str:
        number = super().expression(source)
        if not self.empty and not self.missed:
            return number
        return f"CASE WHEN {_never_accepted(source, self)} THEN 0 ELSE {number} END"

    def expectation(self, source: FileSource) -> str:  # noqa: ARG002
        if self.empty:
            return "a finite number or nothing"
        return self.expected

    def hint(self, value: str | None) -> str:
        if value is None or not value.strip('" '):
            takes = "empty_confidence=True takes what is empty for never accepted"
            return "" if self.empty else f" ({takes})"
        if value.strip('" ').endswith("%"):
            return " (without %)"
        return super().hint(value)


@dataclass(frozen=True)
class Rejected(Pick):
    """Which outputs lack a confidence that may lack it."""

    expected = "a finite number or nothing"
    confidence: Confidence

    def expression(self, source: FileSource) -> str:
        return _never_accepted(source, self.confidence)


class Weight(Number):
    expected = "a finite number that is not negative"

    def expression(self, source: FileSource) -> str:
        return f"CAST({super().expression(source)} AS DOUBLE)"

    def is_valid(self, values: Array) -> Array:
        return np.isfinite(values) & (values >= 0)


class Correct(Pick):
    expected = "true or false, or 1 or 0"

    def hint(self, value: str | None) -> str:  # noqa: ARG002
        return (
            " for an output that is right or wrong; where columns have the output and what it should "
            "be, name them as prediction=COLUMN and truth=COLUMN"
        )

    def expression(self, source: FileSource) -> str:
        name = source.identifier(self.column)
        kind = source.kind_of(self.column)
        if kind == BOOLEAN:
            return name
        if kind == NUMBER:
            return f"CASE WHEN {name} = 1 THEN true WHEN {name} = 0 THEN false END"
        if kind != TEXT:
            raise self.unsuitable(source)
        # not by its value as a number, to which 1e-400 and 0_1 would be rounded or read; what nearly
        # all files hold is told without a pattern, which takes as long as all the rest
        return (
            f"CASE WHEN {name} IN ('1', 'true', 'True') THEN true "
            f"WHEN {name} IN ('0', 'false', 'False') THEN false "
            f"WHEN regexp_full_match({name}, '{WRITTEN_TRUE}') THEN true "
            f"WHEN regexp_full_match({name}, '{WRITTEN_FALSE}') THEN false END"
        )


@dataclass(frozen=True)
class Truth(Pick):
    """What the outputs should be, as texts.

    Attributes
    ----------
    empty : bool
        Whether a truth that is missing is the empty text.
    """

    empty: bool
    expected = "what the output should be"

    def expression(self, source: FileSource) -> str:
        name = f"CAST({source.identifier(self.column)} AS VARCHAR)"
        return f"coalesce({name}, '')" if self.empty else name

    def expectation(self, source: FileSource) -> str:
        ways = [] if source.empty_text is None else [f"an empty text is written {source.empty_text}"]
        ways.append("empty_truth=True takes what is empty for one")
        return f"{self.expected} ({', or '.join(ways)})"


@dataclass(frozen=True)
class Equal(Truth):
    prediction: str

    def expression(self, source: FileSource) -> str:
        truth, prediction = source.identifier(self.column), source.identifier(self.prediction)
        kinds = source.kind_of(self.column), source.kind_of(self.prediction)
        if kinds[0] != kinds[1]:
            problem = (
                f"column {quoted(self.column)} holds {kinds[0]}, but column "
                f"{quoted(self.prediction)} holds {kinds[1]}; expected the same of both"
            )
            raise DataFileError(source.path, problem)
        if kinds[0] == TEXT:
            return f"coalesce({prediction}, '') = {super().expression(source)}"
        if self.empty:
            return f"{prediction} IS NOT DISTINCT FROM {truth}"
        return f"CASE WHEN {truth} IS NOT NULL THEN {prediction} IS NOT DISTINCT FROM {truth} END"


class Label(Pick):
    expected = "a name"

    def expression(self, source: FileSource) -> str:
        return source.label(self.column)

    def expectation(self, source: FileSource) -> str:
        return source.expected_label(self.column)


#: Columns of its tables of fields, of which services leave some without a confidence; and of those
#: that `fastarac apply` writes of documents, with a row for each field that one lacks.
FIELDS_OF_OCR = frozenset({KIND, "document", "field"})
FIELDS_OF_APPLY = frozenset({"id", "document", "field", "page", "box", "prediction", "accepted"})


def has_missed(source: FileSource) -> bool:
    """Whether a column says what became of each word, as in a file of `fastarac ocr -o`."""
    if FIELDS_OF_APPLY.issubset(source.columns):
        return True
    if source.columns.count(KIND) != 1:
        return False
    source.require(KIND)
    return source.kind_of(KIND) == TEXT


def _never_accepted(source: FileSource, confidence: Confidence) -> str:
    name = source.identifier(confidence.column)
    blank = f" OR trim({name}) = ''" if source.kind_of(confidence.column) == TEXT else ""
    empty = f"({name} IS NULL{blank})"
    if confidence.empty:
        return empty
    if FIELDS_OF_APPLY.issubset(source.columns):
        return empty
    if FIELDS_OF_OCR.issubset(source.columns):
        return f"({empty} AND {source.identifier(KIND)} IS NOT NULL)"
    # a comparison with null is null, which no row is to be
    kinds = ", ".join(f"'{each}'" for each in MISSED)
    return f"({empty} AND coalesce({source.identifier(KIND)} IN ({kinds}), false))"


@dataclass(frozen=True)
class Columns:
    """Which columns of a file are read, as :func:`fastarac.io.read_outputs` takes them."""

    confidence: str
    correct: str | None
    prediction: str | None
    truth: str | None
    model: str | None = None
    by: str | None = None
    weight: str | None = None
    item: str | None = None
    keep_truth: bool = False
    empty_truth: bool = False
    group: str | None = None
    empty_confidence: bool = False
    crossed: str | None = None

    def __post_init__(self) -> None:
        if self.correct is not None and (self.prediction is not None or self.truth is not None):
            raise ValueError(
                "name either the column that says whether an output is correct, or the columns of "
                "prediction and truth, not both"
            )
        if (self.prediction is None) != (self.truth is None):
            named, missing = ("prediction", "truth") if self.truth is None else ("truth", "prediction")
            raise ValueError(f"the {named} column is named, but not the {missing} column")

    def read(self, source: FileSource, texts: Mapping[str, Texts]) -> dict[str, Any]:
        """Return the fields of `Outputs` in a file; of texts, their number in `texts`."""
        return _fetch(source, self._known(source).picks(source), texts)

    def batches(self, source: FileSource, size: int) -> Iterator[tuple[Array, Array]]:
        """Yield whether outputs are correct, and their confidences, of so many rows at a time."""
        picks = self._known(source).picks(source, missed=False)
        yield from _stream(source, picks, size)

    def _known(self, source: FileSource) -> Columns:
        """Return the columns with those that are read where none says what is correct."""
        if self.correct or self.prediction:
            return self
        if "correct" in source.columns:
            return replace(self, correct="correct")
        if "prediction" in source.columns and "truth" in source.columns:
            return replace(self, prediction="prediction", truth="truth")
        problem = (
            'there is neither a column "correct" nor the two columns "prediction" and "truth"; '
            f"the columns are {', '.join(map(quoted, source.columns))}"
        )
        raise DataFileError(source.path, problem)

    def picks(self, source: FileSource, *, missed: bool = True) -> list[Pick]:
        """Return what is read of a file, or raise where it lacks a column.

        `missed` says whether missed words may lack a confidence.
        """
        if self.empty_truth and self.truth is None:
            problem = (
                f"empty_truth is True, but column {quoted(str(self.correct))} says what is correct; a "
                "column of truths is expected"
            )
            raise DataFileError(source.path, problem)
        for name in (self.confidence, self.correct, self.prediction, self.truth, self.weight):
            if name is not None:
                source.require(name)
        confidence = Confidence(
            "confidence", self.confidence, self.empty_confidence, missed and has_missed(source)
        )
        picks: list[Pick] = [confidence]
        if confidence.empty or confidence.missed:
            picks.append(Rejected("rejected", self.confidence, confidence))
        if self.correct is not None:
            picks.append(Correct("correct", self.correct))
        if self.prediction is not None and self.truth is not None:
            picks.append(Equal("correct", self.truth, self.empty_truth, self.prediction))
            if self.keep_truth:
                picks.append(Truth("truth", self.truth, self.empty_truth))
        if self.weight is not None:
            picks.append(Weight("weight", self.weight))
        labels = {"model": self.model, "by": self.by, "item": self.item}
        labels |= {"group": self.group, "crossed": self.crossed}
        for field, name in labels.items():
            if name is not None:
                source.require(name, is_label=True)
                picks.append(Label(field, name))
        return picks


def _fetch(source: FileSource, picks: Sequence[Pick], texts: Mapping[str, Texts]) -> dict[str, Any]:
    """Return the fields of `Outputs`; raise where a value is not as expected."""
    import duckdb

    expressions = {pick.field: pick.expression(source) for pick in picks}
    columns = [
        hashes(expression, field) if field in FIELDS else f'{expression} AS "{field}"'
        for field, expression in expressions.items()
    ]
    try:
        found = source.select(", ".join(columns)).fetchnumpy()
        arrays = cast("dict[str, Array]", found)  # none of them is a Categorical
        _refuse_invalid(source, picks, arrays)
        fields: dict[str, Any] = {
            pick.field: np.ma.getdata(arrays[pick.field]) for pick in picks if pick.field not in FIELDS
        }
        fields["confidence"] = _exact(source, picks[0].column, fields["confidence"])
    except duckdb.Error as failure:
        raise source.explain(failure) from None
    for field in FIELDS:
        if field in expressions:
            first, second = arrays[field], arrays[f"{field} too"]
            fields[field] = texts[field].add(TextColumn(source, expressions[field], first, second))
    return fields


def _stream(source: FileSource, picks: Sequence[Pick], size: int) -> Iterator[tuple[Array, Array]]:
    """Yield the batches of `Columns.batches`; raise where a value is not as expected."""
    import duckdb

    column = picks[0].column
    may_round = source.type_of(column) not in ("FLOAT", "DOUBLE")
    begin = 0
    try:
        found = source.select(", ".join(pick.expression(source) for pick in picks))
        while rows := found.fetchmany(size):
            values = np.ma.masked_invalid(np.array(rows, np.float64))  # None becomes NaN
            arrays = {pick.field: values[:, place] for place, pick in enumerate(picks)}
            _refuse_invalid(source, picks, arrays, begin)
            correct, confidence = values.data[:, 1] == 1.0, values.data[:, 0]
            if may_round and np.abs(confidence).max() >= EXACT_FLOAT_LIMIT:
                row = begin + int(np.abs(confidence).argmax())
                problem = (
                    f"column {quoted(column)} holds {source.shown(column, row)}; expected numbers "
                    "below 2**53, which doubles hold, where a file is streamed"
                )
                raise source.error_in_row(row, problem)
            yield correct, confidence
            begin += len(rows)
    except duckdb.Error as failure:
        raise source.explain(failure) from None
    if not begin:
        raise DataFileError(source.path, "there are no rows")


def _refuse_invalid(
    source: FileSource, picks: Sequence[Pick], arrays: Mapping[str, Array], begin: int = 0
) -> None:
    """Raise an error about the first row with a value that is not as expected, if there is one.

    The first row of the arrays is that of the index `begin` in the file.
    """
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
    expected = f"expected {pick.expectation(source)}"
    raise source.unexpected(pick.column, index + begin, expected, pick.hint)


def _exact(source: FileSource, column: str, confidence: Array) -> Array:
    """Return the confidences of a text file, as integers where float64 would merge some of them."""
    if source.kind_of(column) != TEXT or np.abs(confidence).max() < EXACT_FLOAT_LIMIT:
        return confidence
    name = source.identifier(column)
    for integer in ("BIGINT", "UBIGINT"):
        value = f"TRY_CAST({name} AS {integer})"
        written = f"CASE WHEN regexp_full_match({name}, '[+-]?[0-9]+') THEN {value} END AS whole"
        whole = source.select(written).fetchnumpy()["whole"]
        source.require_unchanged()
        if not np.ma.is_masked(whole):
            return np.ma.getdata(whole)
    return confidence
