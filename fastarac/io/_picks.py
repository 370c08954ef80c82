"""For each kind of column, its valid values and the SQL expression that reads them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from fastarac._core.exceptions import warn_questionable
from fastarac._core.text import plural, quoted
from fastarac.io._sources import (
    BOOLEAN,
    FLOATS_AND_INTEGERS,
    NUMBER,
    TEXT,
    DataFileError,
    FileSource,
)
from fastarac.io._spellings import DECIMAL_COMMA, LabelSpelling, NumberSpelling

Array = NDArray[Any]
Compare = Literal["text", "number"]
Open = Literal["refuse", "wrong"]
COUNT_OPEN = "open='wrong' counts outputs without an answer as wrong"
OFFER = f"If people were to verify all rows, {COUNT_OPEN}"

DECIMAL = r"\s*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)\s*"

#: In files of `fastarac ocr -o`: the column for each item's kind, and the value for a missed word.
KIND, MISSED = "kind", "missed"
#: Kinds of words, then kinds of fields. Rows with one of these kinds may lack a confidence.
KINDS = (
    *("right", "wrong", "merged", "split", "moved", "inserted", "missed"),
    *("found", "empty", "invented"),
)


@dataclass(frozen=True)
class Pick(ABC):
    """A field of `Outputs`, and how to read it from a column."""

    field: str
    column: str
    expected: ClassVar[str]

    def expectation(self, source: FileSource) -> str:  # noqa: ARG002
        """Return a description of valid values, for error messages."""
        return self.expected

    def hint(self, source: FileSource, value: str | None) -> str:  # noqa: ARG002
        """Return a hint on what an invalid or missing value may mean."""
        return ""

    @abstractmethod
    def expression(self, source: FileSource) -> str:
        """Return the SQL expression of the values; it is null for invalid values."""

    def refusal(self, source: FileSource, index: int) -> DataFileError:
        """Return an error about the invalid value in row `index`, counted from 0."""
        expected = f"expected {self.expectation(source)}"
        return source.unexpected(self.column, index, expected, partial(self.hint, source))

    def is_valid(self, values: Array) -> Array:
        """Return which of the non-null values are valid."""
        return np.ones(len(values), np.bool_)

    def unsuitable(self, source: FileSource) -> DataFileError:
        """Return an error about the column's unsuitable type."""
        found = source.kind_of(self.column)
        problem = f"column {quoted(self.column)} holds {found}; expected {self.expected} in each row"
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
        return NumberSpelling.of_column(source, self.column).expression(name)

    def hint(self, source: FileSource, value: str | None) -> str:
        if value is None or source.kind_of(self.column) != TEXT:
            return ""
        return NumberSpelling.of_column(source, self.column).hint(value)

    def is_valid(self, values: Array) -> Array:
        return np.isfinite(values)


@dataclass(frozen=True)
class Confidence(Number):
    """The confidence of an output.

    Attributes
    ----------
    empty : bool
        Whether a confidence may be empty. It is read as 0 and later replaced by a number below all
        others.
    missed : bool
        Whether a word or field with a known kind may have no confidence.
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

    def hint(self, source: FileSource, value: str | None) -> str:
        if value is None or not value.strip('" '):
            takes = "empty_confidence=True means that these outputs are never accepted"
            return "" if self.empty else f" ({takes})"
        return super().hint(source, value)


@dataclass(frozen=True)
class Rejected(Pick):
    """Whether each output lacks a confidence, if the file may lack some."""

    expected = "a finite number or nothing"
    confidence: Confidence

    def expression(self, source: FileSource) -> str:
        return _never_accepted(source, self.confidence)


class WeightPick(Number):
    expected = "a finite number that is not negative"

    def expression(self, source: FileSource) -> str:
        return f"CAST({super().expression(source)} AS DOUBLE)"

    def is_valid(self, values: Array) -> Array:
        return np.isfinite(values) & (values >= 0)


class Correct(Pick):
    expected = "true or false, or 1 or 0"

    def expectation(self, source: FileSource) -> str:
        if source.kind_of(self.column) != TEXT:
            return self.expected
        return LabelSpelling.of_column(source, self.column).expected

    def expression(self, source: FileSource) -> str:
        name = source.identifier(self.column)
        kind = source.kind_of(self.column)
        if kind == BOOLEAN:
            return name
        if kind == NUMBER:
            return f"CASE WHEN {name} = 1 THEN true WHEN {name} = 0 THEN false END"
        if kind != TEXT:
            raise self.unsuitable(source)
        return LabelSpelling.of_column(source, self.column).expression(name)


@dataclass(frozen=True)
class KnownCorrect(Correct):
    """Whether each output is right; missing values are invalid or, with ``open="wrong"``, wrong."""

    open: Open = "refuse"

    def expression(self, source: FileSource) -> str:
        known = super().expression(source)
        if self.open == "refuse":
            return known
        return f"CASE WHEN {is_empty(source, self.column)} THEN false ELSE {known} END"

    def hint(self, source: FileSource, value: str | None) -> str:
        is_text = source.kind_of(self.column) == TEXT
        if value is None or (is_text and LabelSpelling.of_column(source, self.column).is_known):
            return ""
        return (
            " for an output that is right or wrong; if columns hold the output and its truth, name "
            "them as prediction=COLUMN and truth=COLUMN"
        )

    def refusal(self, source: FileSource, index: int) -> DataFileError:
        empty = is_empty(source, self.column)
        ((is_open,),) = source.select(empty, rest=f"LIMIT 1 OFFSET {index}").fetchall()
        n_empty, n = count_open(source, self.column)
        if not is_open or n_empty == n:
            return super().refusal(source, index)
        problem = (
            f"column {quoted(self.column)} is empty in {n_empty:,} of {n:,} rows; expected "
            f"{self.expectation(source)}. If people verified only some of the rows, these must "
            "have been drawn at random: fastarac sample draws them, and "
            "read_verified(inclusion_probability=COLUMN) reads all rows with the answers. " + OFFER
        )
        return source.error_in_row(index, problem)


def is_empty(source: FileSource, column: str) -> str:
    """Return an SQL expression that is true for null or blank cells."""
    return f"nullif(trim(CAST({source.identifier(column)} AS VARCHAR)), '') IS NULL"


def count_open(source: FileSource, column: str) -> tuple[int, int]:
    """Return the number of rows without an answer, and the number of all rows."""
    empty = is_empty(source, column)
    ((n_empty, n),) = source.select(f"count(*) FILTER ({empty}), count(*)").fetchall()
    return int(n_empty), int(n)


def warn_of_open(source: FileSource, column: str, n_open: int, n: int) -> None:
    """Warn that `n_open` of `n` outputs lack an answer and count as wrong; raise if all lack one."""
    if n_open == n > 0:
        problem = f"column {quoted(column)} has no answer in any row; expected at least one"
        raise DataFileError(source.path, problem)
    if n_open:
        verbs = "has no answer and counts" if n_open == 1 else "have no answer and count"
        warn_questionable(f"{n_open:,} of {n:,} outputs in {source.path} {verbs} as wrong")


@dataclass(frozen=True)
class Truth(Pick):
    """The true outputs, as texts.

    Attributes
    ----------
    empty : bool
        Whether a missing truth counts as empty text.
    """

    empty: bool
    expected = "the true output"

    def expression(self, source: FileSource) -> str:
        name = f"CAST({source.identifier(self.column)} AS VARCHAR)"
        return f"coalesce({name}, '')" if self.empty else name

    def expectation(self, source: FileSource) -> str:
        ways = [] if source.empty_text is None else [f"an empty text is written {source.empty_text}"]
        ways.append("empty_truth=True reads a missing truth as an empty text")
        return f"{self.expected} ({', or '.join(ways)})"


@dataclass(frozen=True)
class Equal(Truth):
    """Whether an output equals its truth.

    Attributes
    ----------
    prediction : str
        The column of outputs.
    compare : {"text", "number"} or None
        How to compare two texts that are numbers. With None, the result is null if it depends on this.
    """

    prediction: str
    compare: Compare | None = None

    def expression(self, source: FileSource) -> str:
        truth, prediction = source.identifier(self.column), source.identifier(self.prediction)
        kinds = source.kind_of(self.column), source.kind_of(self.prediction)
        if kinds[0] != kinds[1] and self.compare != "number":
            problem = (
                f"column {quoted(self.column)} holds {kinds[0]}, but column "
                f"{quoted(self.prediction)} holds {kinds[1]}; expected the same type in both"
            )
            raise DataFileError(source.path, problem)
        if kinds[0] == kinds[1] != TEXT:
            if self.empty:
                return f"{prediction} IS NOT DISTINCT FROM {truth}"
            return f"CASE WHEN {truth} IS NOT NULL THEN {prediction} IS NOT DISTINCT FROM {truth} END"
        read, true = self._texts(source)
        if self.compare == "text":
            return f"{read} = {true}"
        decided = "true" if self.compare == "number" else "NULL"
        doubles = (f"TRY_CAST(replace({text}, ',', '.') AS DOUBLE)" for text in (read, true))
        same = f"coalesce({_number_in(read)} = {_number_in(true)}, false)"
        return (
            # Comparing doubles first is faster than comparing digits.
            f"CASE WHEN {read} = {true} THEN true WHEN {' = '.join(doubles)} "
            f"THEN CASE WHEN {same} THEN {decided} ELSE false END "
            f"WHEN {true} IS NOT NULL THEN false END"
        )

    def _texts(self, source: FileSource) -> tuple[str, str]:
        """Return the SQL expressions of the output and its truth, as texts."""
        read = f"coalesce(CAST({source.identifier(self.prediction)} AS VARCHAR), '')"
        return read, super().expression(source)

    def refusal(self, source: FileSource, index: int) -> DataFileError:
        read, true = self._texts(source)
        (row,) = source.select(f"{read}, {true}", rest=f"LIMIT 1 OFFSET {index}").fetchall()
        if row[1] is None:
            return super().refusal(source, index)
        same = f"{read} <> {true} AND {_number_in(read)} = {_number_in(true)}"
        differ = source.select("count(*)", rest=f"WHERE {same}").fetchall()[0][0]
        problem = (
            f"the output {quoted(row[0])} and the truth {quoted(row[1])} differ as texts but are the "
            f"same number, as in {differ:,} {plural('row', differ)}; compare='number' counts such "
            "outputs as right, compare='text' as wrong"
        )
        return source.error_in_row(index, problem)


def _number_in(text: str) -> str:
    """Return the SQL expression of a decimal number's shortest form; it is null for other texts.

    Different long numbers could be equal as doubles, but not in this form.
    """
    is_comma = f"regexp_full_match({text}, '{DECIMAL_COMMA}')"
    point = f"CASE WHEN {is_comma} THEN replace({text}, ',', '.') ELSE {text} END"
    digits = f"ltrim(trim({point}), '+-0')"
    short = f"CASE WHEN contains({digits}, '.') THEN rtrim(rtrim({digits}, '0'), '.') ELSE {digits} END"
    sign = f"CASE WHEN contains({text}, '-') AND {short} <> '' THEN '-' ELSE '' END"
    return f"CASE WHEN regexp_full_match({point}, '{DECIMAL}') THEN {sign} || {short} END"


class Label(Pick):
    expected = "a name"

    def expression(self, source: FileSource) -> str:
        return source.label(self.column)

    def expectation(self, source: FileSource) -> str:
        return source.expected_label(self.column)


#: Columns of tables of fields, in which a row may lack a confidence. In a table of `fastarac ocr -o`,
#: the OCR service gave none; in a table of `fastarac apply`, the document lacks the field.
FIELDS_OF_OCR = frozenset({KIND, "document", "field"})
FIELDS_OF_APPLY = frozenset({"id", "document", "field", "page", "box", "prediction", "accepted"})


def has_missed(source: FileSource) -> bool:
    """Return whether fastarac wrote the file with missed items, which may lack a confidence."""
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
    # Comparing null with a text gives null, so `coalesce` turns it into false.
    kinds = ", ".join(f"'{kind}'" for kind in KINDS)
    return f"({empty} AND coalesce({source.identifier(KIND)} IN ({kinds}), false))"
