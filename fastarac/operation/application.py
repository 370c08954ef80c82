"""Apply a policy to a file of any size: one file of what is accepted, one of what people verify."""

from __future__ import annotations

import math
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastarac._core.files import whole_file
from fastarac._core.results import Result
from fastarac._core.text import percent
from fastarac.io._columns import Label, Number
from fastarac.io._formats import JsonLines, Parquet, open_source
from fastarac.io._sources import DataFileError, connect, sql_name, sql_text

if TYPE_CHECKING:
    import os

    from fastarac.io._sources import Source
    from fastarac.operation.policy import Policy

JSON = "FORMAT json"
FORMATS = {
    ".csv": "FORMAT csv, HEADER true, DELIMITER ','",
    ".tsv": "FORMAT csv, HEADER true, DELIMITER '\t'",
    ".jsonl": JSON,
    ".ndjson": JSON,
    ".parquet": "FORMAT parquet",
}
INTEGERS = frozenset({
    "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT",
})  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class AppliedPolicy(Result):
    """Counts of the outputs in a file that were accepted and not. Printed, it is a sentence.

    Attributes
    ----------
    n_items, accepted : int
        Outputs, and accepted ones among them.
    expected_errors : float
        How many errors the calibration expects among the accepted ones: the sum of their p̂.
    unknown_fields : int
        Outputs of fields that the policy does not know, which are all rejected.
    """

    n_items: int
    accepted: int
    expected_errors: float
    unknown_fields: int = 0

    @property
    def rejected(self) -> int:
        """Outputs that people are to verify."""
        return self.n_items - self.accepted

    def __str__(self) -> str:
        share = percent(self.accepted / self.n_items, 4)
        errors = percent(self.expected_errors / self.n_items, 3)
        unknown = ""
        if self.unknown_fields:
            unknown = f" ({self.unknown_fields:,} of them of fields that the policy does not know)"
        return (
            f"{self.accepted:,} of {self.n_items:,} outputs are accepted ({share}), {self.rejected:,} "
            f"are to be verified{unknown}; about {self.expected_errors:.4g} errors are expected among "
            f"the accepted ones, {errors} of all outputs"
        )


def apply_policy(
    policy: Policy,
    path: str | os.PathLike[str],
    *,
    accepted: str | os.PathLike[str],
    review: str | os.PathLike[str],
    confidence: str = "confidence",
    by: str | None = None,
) -> AppliedPolicy:
    r"""Divide the outputs in a file into those that are accepted and those that people verify.

    Parameters
    ----------
    policy : Policy
        Of thresholds; one of whole documents is applied to arrays (:meth:`.Policy.apply`).
    path : str or path-like
        A file as :func:`.read_outputs` takes it; no truth is needed.
    accepted, review : str or path-like
        The files to write, in the order of the rows and with all columns of the file: ``.csv``,
        ``.tsv``, ``.jsonl``, ``.ndjson`` or ``.parquet``. Both appear once they are complete.
    confidence : str, default="confidence"
        The column of confidences.
    by : str, optional
        The column of fields, where the policy has thresholds by field.

    Returns
    -------
    AppliedPolicy
        Counts, and the errors that are expected.

    Raises
    ------
    DataFileError
        As :func:`.read_outputs`. Nothing is written then.
    ValueError
        Where the three files are not different ones, or a name says no known format.
    TypeError
        Where `by` is missing or superfluous, or the policy is one of whole documents.
    ModuleNotFoundError
        If DuckDB is not installed.

    Notes
    -----
    The file is read three times, in a memory that does not depend on its size: once to check and count,
    and once for each file that is written. Fields of text files are written as they were read; keys
    that an object of JSON lines lacks are null, or empty.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import fastarac as fa
    >>> policy = fa.operation.fit_policy([1] * 400, range(400), max_error_rate=0.01)
    >>> with TemporaryDirectory() as folder:
    ...     path, yes, no = (Path(folder, name) for name in ("a.csv", "yes.csv", "no.csv"))
    ...     _ = path.write_text("id,confidence\n7,300\n8,-1\n9,0\n")
    ...     found = fa.operation.apply_policy(policy, path, accepted=yes, review=no)
    ...     print(yes.read_text())
    id,confidence
    7,300
    9,0
    <BLANKLINE>
    >>> found.n_items, found.accepted
    (3, 2)
    """
    source_path, goals = Path(path), [Path(accepted), Path(review)]
    _check_paths(source_path, goals)
    if policy.documents is not None:
        message = "policy accepts whole documents; one of thresholds is expected (see Policy.apply)"
        raise TypeError(message)
    if (by is None) == bool(policy.fields):
        found = "is missing; the policy was fitted with by"
        if by is not None:
            found = "is given, but the policy was fitted without by"
        message = f"by {found}"
        raise TypeError(message)
    with connect() as connection:
        import duckdb

        source = open_source(source_path, connection)
        number = Number("confidence", confidence)
        source.require(confidence)
        label = None
        if by is not None:
            source.require(by, is_label=True)
            label = Label("by", by)
        try:
            if isinstance(source, JsonLines):
                source.find_all_columns()
            for column in source.columns:
                source.require(column, is_label=isinstance(source, JsonLines))
            rule = _Rule(policy, source, number, label)
            done = _counted(source, rule, policy)
            with ExitStack() as stack:
                for goal, condition in zip(goals, (rule.accepts, f"NOT {rule.accepts}"), strict=True):
                    partial = stack.enter_context(whole_file(goal))
                    _copy(source, condition, partial, goal)
        except duckdb.Error as failure:
            raise source.explain(failure) from None
    return done


def _check_paths(source: Path, goals: list[Path]) -> None:
    names = [each.resolve() for each in (source, *goals)]
    if len(set(names)) < 3:
        message = (
            f"accepted is {str(goals[0])!r} and review is {str(goals[1])!r}; two files apart from "
        )
        message += f"{str(source)!r} are expected"
        raise ValueError(message)
    for name, goal in zip(("accepted", "review"), goals, strict=True):
        if goal.suffix.lower() not in FORMATS:
            endings = ", ".join(FORMATS)
            message = f"{name} is {str(goal)!r}; a name that ends in one of {endings} is expected"
            raise ValueError(message)


class _Rule:
    """The policy as expressions of SQL."""

    def __init__(self, policy: Policy, source: Source, number: Number, label: Label | None) -> None:
        self.number, self.label = number, label
        self.value = number.expression(source)
        self.written = f"CAST({source.identifier(number.column)} AS VARCHAR)"
        self.by = None if label is None else label.expression(source)
        self.is_integer = source.type_of(number.column) in INTEGERS
        accepts = [self._at_or_above(threshold) for threshold in policy.thresholds]
        errors = [
            self._steps(each.thresholds, each.error_probability.tolist())
            for each in policy.calibrations
        ]
        fields = [sql_text(str(field)) for field in policy.fields]
        self.accepts = f"({self._by_field(fields, accepts, 'false')})"
        self.error = f"({self._by_field(fields, errors, '1.0')})"
        self.known = "true" if self.by is None else f"({self.by} IN ({', '.join(fields)}))"
        # not by isfinite alone, which has no form for integers
        self.valid = f"({self.value} IS NOT NULL AND isfinite(CAST({self.value} AS DOUBLE)))"
        if self.by is not None:
            self.valid = f"({self.valid} AND {self.by} IS NOT NULL)"

    def _by_field(self, fields: list[str], each: list[str], otherwise: str) -> str:
        if self.by is None:
            return each[0]
        cases = " ".join(f"WHEN {f} THEN {e}" for f, e in zip(fields, each, strict=True))
        return f"CASE {self.by} {cases} ELSE {otherwise} END"

    def _at_or_above(self, threshold: float) -> str:
        if math.isinf(threshold):
            return "true" if threshold < 0 else "false"
        if self.is_integer:
            return f"{self.value} >= {math.ceil(threshold)}"
        least = f"{self.value} >= CAST('{float(threshold)!r}' AS DOUBLE)"
        if isinstance(threshold, int):  # one that float64 would round
            whole = f"regexp_full_match({self.written}, '[+-]?[0-9]+')"
            exact = f"CASE WHEN {whole} THEN TRY_CAST({self.written} AS HUGEINT) >= {threshold} END"
            return f"coalesce({exact}, {least})"
        return least

    def _steps(self, thresholds: tuple[float, ...], probabilities: list[float]) -> str:
        cases = " ".join(
            f"WHEN {self._at_or_above(threshold)} THEN CAST('{p!r}' AS DOUBLE)"
            for threshold, p in zip(thresholds[:-1], probabilities[:-1], strict=True)
        )
        last = f"CAST('{probabilities[-1]!r}' AS DOUBLE)"
        return f"CASE {cases} ELSE {last} END" if cases else last


def _counted(source: Source, rule: _Rule, policy: Policy) -> AppliedPolicy:
    """Check and count all rows."""
    accepts = f"CASE WHEN {rule.valid} THEN {rule.accepts} END AS accepts"
    error = f"CASE WHEN {rule.valid} AND {rule.accepts} THEN {rule.error} END AS error"
    known = f"{rule.known} AS known"
    rows = source.select(f"{accepts}, {error}, {known}, count(*)", rest="GROUP BY ALL").fetchall()
    if not rows:
        raise DataFileError(source.path, "there are no rows")
    if any(row[0] is None for row in rows):
        raise _invalid(source, rule)
    n = sum(row[3] for row in rows)
    taken = [row for row in rows if row[0]]
    return AppliedPolicy(
        n_items=n,
        accepted=sum(row[3] for row in taken),
        expected_errors=math.fsum(row[1] * row[3] for row in taken),
        unknown_fields=sum(row[3] for row in rows if not row[2]) if policy.fields else 0,
    )


def _invalid(source: Source, rule: _Rule) -> DataFileError:
    """An error about the first row with a confidence or a field that is none."""
    numbered = source.select(
        f"row_number() OVER () - 1 AS place, {rule.valid} AS valid",
        into="SELECT min(place) FROM (",
        rest=") WHERE NOT valid OR valid IS NULL",
    )
    (place,) = numbered.fetchall()[0]
    pick: Any = rule.number
    if rule.label is not None:
        value = source.select(rule.value, rest=f"LIMIT 1 OFFSET {place}").fetchall()[0][0]
        if value is not None and math.isfinite(float(value)):
            pick = rule.label
    shown = source.shown(pick.column, place)
    found = "is empty" if shown is None else f"holds {shown}"
    problem = f'column "{pick.column}" {found}; expected {pick.expectation(source)}'
    return source.error_in_row(place, problem)


def _all_columns(source: Source, goal: Path) -> str:
    """All columns as expressions of SQL, with their names; values of JSON stay such in JSON."""
    if isinstance(source, Parquet):
        return "*"
    expression = source.identifier
    if isinstance(source, JsonLines) and FORMATS[goal.suffix.lower()] == JSON:
        expression = source.value
    return ", ".join(f"{expression(name)} AS {sql_name(name)}" for name in source.columns)


def _copy(source: Source, condition: str, partial: Path, goal: Path) -> None:
    written = sql_text(partial.absolute().as_posix())
    source.select(
        _all_columns(source, goal),
        into="COPY (",
        rest=f"WHERE {condition}) TO {written} ({FORMATS[goal.suffix.lower()]})",
    )
