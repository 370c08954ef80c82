"""Select the columns of a file and convert them to arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast, get_args

import numpy as np

from fastarac._core.checks import choice
from fastarac._core.text import quoted
from fastarac.io._labels import FIELDS, TextColumn, Texts, hashes
from fastarac.io._picks import (
    Array,
    Compare,
    Confidence,
    Equal,
    KnownCorrect,
    Label,
    Open,
    Pick,
    Rejected,
    Truth,
    WeightPick,
    count_open,
    has_missed,
    warn_of_open,
)
from fastarac.io._sources import TEXT, DataFileError, FileSource, explained, sql_text
from fastarac.io._streams import numbers

EXAMPLES = 3  # number of rows to show in the error when no output is right
EXACT_FLOAT_LIMIT = 2.0**53
EXACT_DIGITS = 15  # float64 keeps apart any two numbers with at most this many digits
CAST = "cast the column to DOUBLE if it may be rounded"


@dataclass(frozen=True)
class Columns:
    """The columns to read from a file, as the parameters of :func:`fastarac.io.read_outputs`."""

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
    open: Open = "refuse"

    def __post_init__(self) -> None:
        if self.compare is not None:
            choice(self.compare, "compare", get_args(Compare))
        choice(self.open, "open", get_args(Open))
        if self.correct is not None and (self.prediction is not None or self.truth is not None):
            raise ValueError("give either correct, or both prediction and truth, but not all three")
        if (self.prediction is None) != (self.truth is None):
            named, missing = ("prediction", "truth") if self.truth is None else ("truth", "prediction")
            raise ValueError(f"{named} is given without {missing}; give both columns")

    def read(self, source: FileSource, texts: Mapping[str, Texts]) -> dict[str, Any]:
        """Return the fields of `Outputs`; for labels, the number under which `texts` has the column."""
        known = self._known(source)
        found = _fetch(source, known.picks(source), texts)
        if known.correct is not None and self.open == "wrong":
            warn_of_open(source, known.correct, *count_open(source, known.correct))
        return found

    def first_texts(self, source: FileSource, model: str | None = None) -> list[tuple[str, str]]:
        """Return a model's first outputs with their truths; none if the file lacks the columns."""
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
        """Yield the correctness and the confidence of outputs, `size` rows at a time."""
        picks = self._known(source).picks(source, missed=False)
        yield from _stream(source, picks, size)

    def _known(self, source: FileSource) -> Columns:
        """Return the columns, with default columns if none says which outputs are correct."""
        if self.correct or self.prediction:
            return self
        if "correct" in source.columns:
            return replace(self, correct="correct")
        if "prediction" in source.columns and "truth" in source.columns:
            return replace(self, prediction="prediction", truth="truth")
        problem = 'there is neither a column "correct" nor the two columns "prediction" and "truth"'
        if lacks := source.lacks([self.confidence, self.weight, *self._labels.values()]):
            problem += f", and {lacks}"
        names = (
            "confidence=COLUMN, correct=COLUMN, prediction=COLUMN and truth=COLUMN name other columns"
        )
        raise DataFileError(source.path, f"{problem}; {source.listed_columns} ({names})")

    @property
    def _labels(self) -> dict[str, str | None]:
        """The column of each field of `Outputs` that holds labels, or None."""
        item = None if self.item is False else self.item
        labels = {"model": self.model, "by": self.by, "item": item}
        return labels | {"group": self.group, "crossed": self.crossed}

    def picks(self, source: FileSource, *, missed: bool = True) -> list[Pick]:
        """Return how to read each column; raise if the file lacks one.

        `missed` is whether rows of missed words may lack a confidence.
        """
        if self.empty_truth and self.truth is None:
            problem = (
                f"empty_truth needs a column of truths, but column {quoted(str(self.correct))} "
                "says what is correct"
            )
            raise DataFileError(source.path, problem)
        if self.compare is not None and self.truth is None:
            problem = (
                f"compare={self.compare!r} needs columns of outputs and of truths, but column "
                f"{quoted(str(self.correct))} says what is correct"
            )
            raise DataFileError(source.path, problem)
        if self.open == "wrong" and self.correct is None:
            problem = (
                f"open='wrong' needs a column of answers, but columns {quoted(str(self.prediction))} "
                f"and {quoted(str(self.truth))} say what is correct"
            )
            raise DataFileError(source.path, problem)
        labels = self._labels
        values = self.confidence, self.correct, self.prediction, self.truth, self.weight
        source.refuse_missing([*values, *labels.values()])
        for name in values:
            if name is not None:
                source.require(name)
        confidence = Confidence(
            "confidence", self.confidence, self.empty_confidence, missed and has_missed(source)
        )
        picks: list[Pick] = [confidence]
        if confidence.empty or confidence.missed:
            picks.append(Rejected("rejected", self.confidence, confidence))
        if self.correct is not None:
            picks.append(KnownCorrect("correct", self.correct, self.open))
        if self.prediction is not None and self.truth is not None:
            equal = Equal("correct", self.truth, self.empty_truth, self.prediction, self.compare)
            picks.append(equal)
            if self.keep_truth:
                picks.append(Truth("truth", self.truth, self.empty_truth))
        if self.weight is not None:
            picks.append(WeightPick("weight", self.weight))
        for field, name in labels.items():
            if name is not None:
                source.require(name, is_label=True)
                picks.append(Label(field, name))
        return picks


def _fetch(source: FileSource, picks: Sequence[Pick], texts: Mapping[str, Texts]) -> dict[str, Any]:
    """Return the fields of `Outputs`; raise if a value is invalid."""
    expressions = {pick.field: pick.expression(source) for pick in picks}
    columns = [
        hashes(expression, field) if field in FIELDS else f'{expression} AS "{field}"'
        for field, expression in expressions.items()
    ]
    with explained(source):
        found = source.select(", ".join(columns)).fetchnumpy()
        # DuckDB returns a Categorical only for an ENUM column, and none of these columns is one.
        arrays = cast("dict[str, Array]", found)
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
    """Yield correctness and confidence, `size` rows at a time; raise if a value is invalid."""
    column = picks[0].column
    may_round = source.type_of(column) not in ("FLOAT", "DOUBLE")
    begin = 0
    with explained(source):
        _require_few_digits(source, column)
        doubles = (f"CAST({pick.expression(source)} AS DOUBLE)" for pick in picks)
        for rows in numbers(source.relation(", ".join(doubles)), size):
            values = np.ma.masked_invalid(rows)
            arrays = {pick.field: values[:, place] for place, pick in enumerate(picks)}
            _refuse_invalid(source, picks, arrays, begin)
            correct, confidence = values.data[:, 1] == 1.0, values.data[:, 0]
            if may_round and np.abs(confidence).max() >= EXACT_FLOAT_LIMIT:
                row = begin + int(np.abs(confidence).argmax())
                problem = (
                    f"column {quoted(column)} holds {source.shown(column, row)}; expected numbers "
                    "below 2**53, because a streamed file is read as doubles"
                )
                raise source.error_in_row(row, problem)
            yield correct, confidence
            begin += len(rows)
    if not begin:
        raise DataFileError(source.path, "there are no rows")


def _refuse_invalid(
    source: FileSource, picks: Sequence[Pick], arrays: Mapping[str, Array], begin: int = 0
) -> None:
    """Raise an error about the first row with an invalid value, if there is one.

    `begin` is the index of the arrays' first row in the file.
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
    """Return the confidences, as integers if float64 could make different ones equal.

    Raise DataFileError if they must stay float64 and different ones are equal.
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
    """Return whether different values may have become equal when they were read as float64.

    Fractions in text columns are ignored, because they may have any number of digits.
    """
    of = source.type_of(column)
    if values.dtype.kind != "f" or of in ("FLOAT", "DOUBLE"):
        return False
    if max(-values.min(), values.max()) >= EXACT_FLOAT_LIMIT:
        return True
    return of.startswith("DECIMAL") and _digits(of) > EXACT_DIGITS


def require_apart(source: FileSource, column: str) -> None:
    """Raise if different values of a column are equal as float64."""
    name = source.identifier(column)
    if source.kind_of(column) == TEXT:
        name = f"TRY_CAST({whole_number(source, column)} AS HUGEINT)"
    ends = f"CAST(min({name}) AS VARCHAR), CAST(max({name}) AS VARCHAR)"
    merged = f"GROUP BY CAST({name} AS DOUBLE) HAVING min({name}) < max({name}) LIMIT 1"
    if found := source.select(ends, rest=merged).fetchall():
        low, high = found[0]
        problem = (
            f"column {quoted(column)} holds {low} and {high}, which are the same number in double "
            f"precision; expected numbers that stay different there, or 64-bit integers ({CAST})"
        )
        raise DataFileError(source.path, problem)


def whole_number(source: FileSource, column: str) -> str:
    """Return the SQL expression of an integer's digits; it is null for other values."""
    text = f"CAST({source.identifier(column)} AS VARCHAR)"
    if source.kind_of(column) != TEXT:
        text = f"regexp_replace({text}, '[.]0*$', '')"
    return f"CASE WHEN regexp_full_match({text}, '[+-]?[0-9]+') THEN {text} END"


def _digits(decimal: str) -> int:
    """Return the number of digits of a type such as DECIMAL(18,3)."""
    return int(decimal.partition("(")[2].partition(",")[0])


def _require_few_digits(source: FileSource, column: str) -> None:
    """Raise if a number has more digits than float64 can tell apart."""
    of = source.type_of(column)
    if not of.startswith("DECIMAL") or _digits(of) <= EXACT_DIGITS:
        return
    text = f"CAST({source.identifier(column)} AS VARCHAR)"
    digits = f"length(trim(regexp_replace({text}, '[-.]', '', 'g'), '0'))"
    ((most, longest),) = source.select(f"max({digits}), arg_max({text}, {digits})").fetchall()
    if most is not None and most > EXACT_DIGITS:
        problem = (
            f"column {quoted(column)} holds {longest}; expected numbers of at most {EXACT_DIGITS} "
            f"digits, because a streamed file is read as doubles ({CAST})"
        )
        raise DataFileError(source.path, problem)
