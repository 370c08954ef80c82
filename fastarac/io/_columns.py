"""The columns that are read: what each may hold, and how it becomes an array."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from fastarac._core.checks import choice
from fastarac._core.text import plural, quoted
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
    explained,
    sql_text,
)

EXAMPLES = 3  # outputs that are shown where none is right
Array = NDArray[Any]
Compare = Literal["text", "number"]

EXACT_FLOAT_LIMIT = 2.0**53
EXACT_DIGITS = 15  # numbers of so many digits are different in float64, too
CAST = "cast the column to DOUBLE where it is rounded on purpose"
DECIMAL = r"\s*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)\s*"
WRITTEN_TRUE = r"\s*((?i:true)|\+?0*1(\.0*)?([eE][+-]?0+)?)\s*"
WRITTEN_FALSE = r"\s*((?i:false)|[+-]?(0+(\.0*)?|\.0+)([eE][+-]?[0-9]+)?)\s*"

#: The column in which `fastarac ocr -o` says what became of a word, and what it says of a missed one.
KIND, MISSED = "kind", "missed"
#: What the column says of words and of fields; of either a confidence may be missing.
KINDS = (
    *("right", "wrong", "merged", "split", "moved", "inserted", "missed"),
    *("found", "empty", "invented"),
)


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

    def refusal(self, source: FileSource, index: int) -> DataFileError:
        """Return an error about a row, counted from 0, whose value is not as expected."""
        return source.unexpected(self.column, index, f"expected {self.expectation(source)}", self.hint)

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
        Whether a word or a field may have none whose kind is told.
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
    """Whether an output is equal to its truth.

    Attributes
    ----------
    prediction : str
        The column of outputs.
    compare : {"text", "number"} or None
        As which texts are compared that are numbers; without a choice it is null where that decides.
    """

    prediction: str
    compare: Compare | None = None

    def expression(self, source: FileSource) -> str:
        truth, prediction = source.identifier(self.column), source.identifier(self.prediction)
        kinds = source.kind_of(self.column), source.kind_of(self.prediction)
        if kinds[0] != kinds[1] and self.compare != "number":
            problem = (
                f"column {quoted(self.column)} holds {kinds[0]}, but column "
                f"{quoted(self.prediction)} holds {kinds[1]}; expected the same of both"
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
            f"CASE WHEN {read} = {true} THEN true WHEN {' = '.join(doubles)} "  # which takes less time
            f"THEN CASE WHEN {same} THEN {decided} ELSE false END "
            f"WHEN {true} IS NOT NULL THEN false END"
        )

    def _texts(self, source: FileSource) -> tuple[str, str]:
        """Return the SQL expressions of the output and of its truth, as texts."""
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
            f"the output {quoted(row[0])} and the truth {quoted(row[1])} differ as texts and are the "
            f"same number, as in {differ:,} {plural('row', differ)}; compare='number' takes such "
            "outputs for right, compare='text' for wrong"
        )
        return source.error_in_row(index, problem)


def _number_in(text: str) -> str:
    """Return the SQL expression of the shortest form of the decimal number in a text; null of others.

    It is exact: as doubles, long numbers that differ would be equal.
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
    kinds = ", ".join(f"'{kind}'" for kind in KINDS)
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
    item: str | Literal[False] | None = None
    keep_truth: bool = False
    empty_truth: bool = False
    group: str | None = None
    empty_confidence: bool = False
    crossed: str | None = None
    compare: Compare | None = None

    def __post_init__(self) -> None:
        if self.compare is not None:
            choice(self.compare, "compare", get_args(Compare))
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

    def first_texts(self, source: FileSource, model: str | None = None) -> list[tuple[str, str]]:
        """Return the first outputs of a model, with their truths; none where no columns have them."""
        known = self._known(source)
        if known.prediction is None or known.truth is None:
            return []
        names = known.prediction, known.truth
        for name in names:
            source.require(name)
        of_model = ""
        if known.model is not None and model is not None:
            source.require(known.model, is_label=True)
            of_model = f"WHERE {source.label(known.model)} = {sql_text(model)}"
        texts = (f"coalesce(CAST({source.identifier(name)} AS VARCHAR), '')" for name in names)
        rows = source.select(", ".join(texts), rest=f"{of_model} LIMIT {EXAMPLES}").fetchall()
        return [(str(read), str(true)) for read, true in rows]

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
        if self.compare is not None and self.truth is None:
            problem = (
                f"compare is {self.compare!r}, but column {quoted(str(self.correct))} says what is "
                "correct; columns of outputs and of truths are expected"
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
            equal = Equal("correct", self.truth, self.empty_truth, self.prediction, self.compare)
            picks.append(equal)
            if self.keep_truth:
                picks.append(Truth("truth", self.truth, self.empty_truth))
        if self.weight is not None:
            picks.append(Weight("weight", self.weight))
        item = None if self.item is False else self.item
        labels = {"model": self.model, "by": self.by, "item": item}
        labels |= {"group": self.group, "crossed": self.crossed}
        for field, name in labels.items():
            if name is not None:
                source.require(name, is_label=True)
                picks.append(Label(field, name))
        return picks


def _fetch(source: FileSource, picks: Sequence[Pick], texts: Mapping[str, Texts]) -> dict[str, Any]:
    """Return the fields of `Outputs`; raise where a value is not as expected."""
    expressions = {pick.field: pick.expression(source) for pick in picks}
    columns = [
        hashes(expression, field) if field in FIELDS else f'{expression} AS "{field}"'
        for field, expression in expressions.items()
    ]
    with explained(source):
        found = source.select(", ".join(columns)).fetchnumpy()
        arrays = cast("dict[str, Array]", found)  # none of them is a Categorical
        _refuse_invalid(source, picks, arrays)
        fields: dict[str, Any] = {
            pick.field: np.ma.getdata(arrays[pick.field]) for pick in picks if pick.field not in FIELDS
        }
        some_lack_it = fields.get("rejected", np.zeros(1)).any()
        fields["confidence"] = _exact(source, picks[0].column, fields["confidence"], some_lack_it)
    for field in FIELDS:
        if field in expressions:
            first, second = arrays[field], arrays[f"{field} too"]
            fields[field] = texts[field].add(TextColumn(source, expressions[field], first, second))
    return fields


def _stream(source: FileSource, picks: Sequence[Pick], size: int) -> Iterator[tuple[Array, Array]]:
    """Yield the batches of `Columns.batches`; raise where a value is not as expected."""
    column = picks[0].column
    may_round = source.type_of(column) not in ("FLOAT", "DOUBLE")
    begin = 0
    with explained(source):
        _require_few_digits(source, column)
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
    raise pick.refusal(source, index + begin)


def _exact(source: FileSource, column: str, confidence: Array, some_lack_it: bool) -> Array:
    """Return the confidences, as integers where float64 would merge some of them.

    Raises DataFileError where they are no integers of 64 bits, or some outputs have no confidence, for
    which float64 has a number below all others.
    """
    values = confidence.astype(np.float64) if some_lack_it else confidence
    if not may_merge(source, column, values):
        return confidence
    whole = whole_number(source, column)
    for integer in () if some_lack_it else ("BIGINT", "UBIGINT"):
        found = source.select(f"TRY_CAST({whole} AS {integer}) AS whole").fetchnumpy()["whole"]
        source.require_unchanged()
        if not np.ma.is_masked(found):
            return np.ma.getdata(found)
    require_apart(source, column)
    return confidence


def may_merge(source: FileSource, column: str, values: Array) -> bool:
    """Return whether float64, in which these values of a column were read, may not tell them apart.

    Of texts, this is looked at where they are integers: those of fractions have any number of digits.
    """
    of = source.type_of(column)
    if values.dtype.kind != "f" or of in ("FLOAT", "DOUBLE"):
        return False
    if np.abs(values).max() >= EXACT_FLOAT_LIMIT:
        return True
    return of.startswith("DECIMAL") and _digits(of) > EXACT_DIGITS


def require_apart(source: FileSource, column: str) -> None:
    """Raise where values of a column that are not the same would be as float64."""
    name = source.identifier(column)
    if source.kind_of(column) == TEXT:
        name = f"TRY_CAST({whole_number(source, column)} AS HUGEINT)"
    ends = f"CAST(min({name}) AS VARCHAR), CAST(max({name}) AS VARCHAR)"
    merged = f"GROUP BY CAST({name} AS DOUBLE) HAVING min({name}) < max({name}) LIMIT 1"
    if found := source.select(ends, rest=merged).fetchall():
        low, high = found[0]
        problem = (
            f"column {quoted(column)} holds {low} and {high}, which are one number in double precision"
            f"; expected numbers that it tells apart, or integers of 64 bits ({CAST})"
        )
        raise DataFileError(source.path, problem)


def whole_number(source: FileSource, column: str) -> str:
    """Return the SQL expression of the digits of integers; null of others."""
    text = f"CAST({source.identifier(column)} AS VARCHAR)"
    if source.kind_of(column) != TEXT:
        text = f"regexp_replace({text}, '[.]0*$', '')"
    return f"CASE WHEN regexp_full_match({text}, '[+-]?[0-9]+') THEN {text} END"


def _digits(decimal: str) -> int:
    """Return how many digits the numbers of a type such as DECIMAL(18,3) have."""
    return int(decimal.partition("(")[2].partition(",")[0])


def _require_few_digits(source: FileSource, column: str) -> None:
    """Raise where a number has more digits than float64 tells apart for sure."""
    of = source.type_of(column)
    if not of.startswith("DECIMAL") or _digits(of) <= EXACT_DIGITS:
        return
    text = f"CAST({source.identifier(column)} AS VARCHAR)"
    digits = f"length(trim(regexp_replace({text}, '[-.]', '', 'g'), '0'))"
    ((most, longest),) = source.select(f"max({digits}), arg_max({text}, {digits})").fetchall()
    if most is not None and most > EXACT_DIGITS:
        problem = (
            f"column {quoted(column)} holds {longest}; expected numbers of at most {EXACT_DIGITS} "
            f"digits, which doubles tell apart, where a file is streamed ({CAST})"
        )
        raise DataFileError(source.path, problem)
