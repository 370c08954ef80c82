"""Apply a policy to a file of any size: split it into a file to accept and a file to verify."""

from __future__ import annotations

import math
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac._core.checks import require_type
from fastarac._core.files import path_of
from fastarac._core.text import quoted
from fastarac.io._cells import around_query
from fastarac.io._delimited import Delimited
from fastarac.io._formats import JsonLines, Parquet, RowsOfArrays, open_source
from fastarac.io._picks import Confidence, Label, Rejected, has_missed
from fastarac.io._sources import DataFileError, connect, copied_to, explained, sql_name, sql_text
from fastarac.operation.application_results import AppliedPolicy, applied_fields, applied_policy
from fastarac.operation.documents import Requirements, is_never
from fastarac.operation.policy import Policy
from fastarac.operation.shifts import MOST_GROUPS, PROBABILITIES, Seen, quantiles_of, shift_of

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from fastarac.io._sources import FileSource
    from fastarac.operation.absences import FieldAbsence
    from fastarac.operation.shifts import ConfidenceShift, Reference

JSON = "FORMAT json"
WRITTEN_FORMATS = {
    ".csv": "FORMAT csv, HEADER true, DELIMITER ','",
    ".tsv": "FORMAT csv, HEADER true, DELIMITER '\t'",
    ".jsonl": JSON,
    ".ndjson": JSON,
    ".parquet": "FORMAT parquet",
}
# Confidences are rounded to this many significant digits before their quantiles are computed.
DIGITS = 4
PERCENT = 100.0
# Confidences may be on another scale if the largest one differs from that of the fit by at least this
# factor.
OTHER_SCALE = 10.0
# But another scale is assumed only if at most this share of the confidences is in the fitted range.
MOST_INSIDE = 0.05
INTEGERS = frozenset({
    "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT",
})  # fmt: skip


def apply_policy(
    policy: Policy,
    path: str | os.PathLike[str],
    *,
    accepted: str | os.PathLike[str],
    review: str | os.PathLike[str],
    confidence: str = "confidence",
    by: str | None = None,
    documents: str | None = None,
    groups: str | None = None,
    types: str | None = None,
    empty_confidence: bool = False,
) -> AppliedPolicy:
    r"""Split the outputs in a file into accepted outputs and outputs that people verify.

    Parameters
    ----------
    policy : Policy
        A policy for single outputs or for whole documents.
    path : str or path-like
        A file in a format of :func:`.read_outputs`; no truth is needed.
    accepted, review : str or path-like
        The files to write: ``.csv``, ``.tsv``, ``.jsonl``, ``.ndjson`` or ``.parquet``. Both have all
        columns of the input, and keep the order of its rows. They appear only when both are complete.
        If a CSV file is made from a CSV file, the separator stays the same.
    confidence : str, default="confidence"
        The column of confidences.
    by : str, optional
        The column of fields, if the policy has thresholds by field.
    documents : str, optional
        The column of documents, if the policy accepts whole documents; the rows of a document need not
        be adjacent. A document without a required field is never accepted. Rows of fields that the
        policy does not know are counted, but do not affect the decision.
    groups : str, optional
        The column of pages or other groups of dependent outputs, if the policy was fitted with groups.
        The test for shifted confidences then uses whole groups.
    types : str, optional
        The column of document types, if the policy was fitted with types.
    empty_confidence : bool, default=False
        Whether confidences may be null or empty. Such outputs are never accepted. A document lacks a
        field if none of its outputs of the field has a confidence. This is always allowed if the file
        has a column `kind`, in which ``fastarac ocr`` marks missed words and fields.

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

    Returns
    -------
    AppliedPolicy
        Counts, and the expected number of errors. For a file without rows, all counts are 0 and both
        written files have only column names.

    Raises
    ------
    DataFileError
        As :func:`.read_outputs`. Also if the file changes while it is read. Also if the confidences are
        clearly on another scale than at the fit: they have shifted, at most one in twenty lies in the
        fitted range, and the largest one is at least ten times as large as at the fit, or at most a
        tenth of it. Nothing is written in these cases.
    ValueError
        If two of the three files are the same, or a file name has an unknown extension.
    TypeError
        If `by` or `documents` is missing or superfluous, or if `groups` is given although
        :func:`.fit_policy` was called without groups.
    ModuleNotFoundError
        If DuckDB is not installed.

    See Also
    --------
    fit_policy : fit thresholds that keep one limit on new outputs
    Policy : which outputs are accepted, under one limit
    fastarac.results.AppliedPolicy : counts of accepted and rejected outputs in a file

    Notes
    -----
    The file is read three times. The memory used grows only with the number of documents and groups. If
    the policy was fitted with groups, the interval of the expected errors accounts for them
    (:meth:`.Policy.expected_errors`). The test for a shift is :meth:`.Policy.shift`. If nothing has
    shifted, the probability of a false warning is at most the policy's failure probability. Fields of
    text files are copied verbatim. If a JSON line lacks a key, the written field is null or empty.
    """
    require_policy(policy)
    source_path = path_of(path)
    goals = {"accepted": path_of(accepted, "accepted"), "review": path_of(review, "review")}
    check_goals(goals, [source_path])
    policy.require_columns(by=by, documents=documents, groups=groups, types=types)
    with connect(alone=True) as connection:
        source = open_source(source_path, connection)
        given = {"by": by, "documents": documents, "groups": groups, "types": types}
        source.refuse_missing([confidence, *given.values()])
        source.require(confidence)
        labels = []
        for argument, column in given.items():
            if column is not None:
                source.require(column, is_label=True)
            labels.append(None if column is None else Label(argument, column))
        with explained(source):
            if isinstance(source, JsonLines):
                source.find_all_columns()
            for column in source.columns:
                source.require(column, is_label=isinstance(source, JsonLines))
            number = Confidence("confidence", confidence, empty_confidence, has_missed(source))
            rule = _Rule(policy, source, number, labels)
            done = _counted(source, rule, policy)
            with ExitStack() as stack:
                for name, goal in goals.items():
                    target = stack.enter_context(copied_to(goal))
                    _copy(source, rule.condition(accepts=name == "accepted"), target, goal)
                source.require_unchanged()
    return done


def require_policy(policy: Any) -> None:
    """Raise a TypeError unless `policy` is a Policy."""
    expected = "a Policy, as Policy.load reads it from a file"
    require_type(policy, Policy, "policy", expected)


def require_format(goal: Path, name: str) -> None:
    """Raise unless the file name has the extension of a known format."""
    if goal.suffix.lower() not in WRITTEN_FORMATS:
        endings = ", ".join(WRITTEN_FORMATS)
        raise ValueError(f"{name} must end in one of {endings}, got {str(goal)!r}")


def check_goals(goals: Mapping[str, Path], files: Iterable[str | os.PathLike[str]]) -> None:
    """Raise if two written files are the same, if one is also read, or if an extension is unknown."""
    read_from = {Path(file).resolve() for file in files}
    seen: dict[Path, str] = {}
    for name, goal in goals.items():
        other = seen.setdefault(goal.resolve(), name)
        if other != name:
            raise ValueError(f"{other} and {name} must be different files, got {str(goal)!r} for both")
        if goal.resolve() in read_from:
            raise ValueError(
                f"{name} is {str(goal)!r}, which is also an input file: choose another name"
            )
        require_format(goal, name)


class _Rule:
    """SQL expressions that make the decisions of a policy."""

    def __init__(
        self,
        policy: Policy,
        source: FileSource,
        number: Confidence,
        labels: Sequence[Label | None],
    ) -> None:
        self.picks = [number, *filter(None, labels)]
        self.value = number.expression(source)
        self.given = "true"
        if number.empty or number.missed:
            empty = Rejected("rejected", number.column, number).expression(source)
            self.given = f"(NOT {empty})"
        self.written = f"CAST({source.identifier(number.column)} AS VARCHAR)"
        names = [None if label is None else label.expression(source) for label in labels]
        self.by, self.document, self.group, self.type = names
        self.is_integer = source.type_of(number.column) in INTEGERS
        accepts = [self._at_or_above(threshold) for threshold in policy.thresholds]
        errors = [
            self._steps(each.thresholds, each.error_probability.tolist())
            for each in policy.calibrations
        ]
        fields = [sql_text(str(field)) for field in policy.fields]
        self.accepts = f"({self.given} AND {self._by_field(fields, accepts, 'false')})"
        self.error = f"({self._by_field(fields, errors, '1.0')})"
        self.known = "true" if self.by is None else f"({self.by} IN ({', '.join(fields)}))"
        cells = [self._cell(each.edges, 0, len(each.edges)) for each in policy.references]
        self.cell = self._by_field(fields, cells, "NULL")
        self.rounded = self._rounded()
        # Cast to DOUBLE, because isfinite does not accept integers.
        each = [f"{self.value} IS NOT NULL", f"isfinite(CAST({self.value} AS DOUBLE))"]
        each += [f"{name} IS NOT NULL" for name in names if name is not None]
        self.valid = f"({' AND '.join(each)})"
        self.hopeless = self._one_of(
            [f for f, e in zip(policy.fields, policy.calibrations, strict=False) if is_never(e)]
        )
        needs = Requirements.of(policy.fields, policy.optional, policy.types)
        required = [
            [f for f, one in zip(policy.fields, row, strict=False) if one] for row in needs.required
        ]
        names_of_types = [sql_text(str(each.type)) for each in policy.types]
        self.required = self._by_type(names_of_types, [self._one_of(each) for each in required])
        # For each optional field: an SQL test for its rows, and the factor by which the confidence of a
        # document without it is multiplied.
        self.factors = [
            (self._one_of([each.field]), self._by_type(names_of_types, _factors(each, has)))
            for each, has in zip(policy.absences, needs.has.T, strict=False)
            if each.field in policy.optional
        ]
        self.n_required = self._by_type(names_of_types, [str(len(each)) for each in required])

    def _one_of(self, fields: Sequence[Any]) -> str:
        """Return an SQL condition that a row belongs to one of these fields."""
        if self.by is None or not fields:
            return "false"
        return f"({self.by} IN ({', '.join(sql_text(str(field)) for field in fields)}))"

    def _by_type(self, types: list[str], each: list[str]) -> str:
        """Return SQL that selects one of `each` by document type; unknown types get the last one."""
        if self.type is None:
            return each[-1]
        cases = " ".join(f"WHEN {t} THEN {e}" for t, e in zip(types, each[:-1], strict=True))
        return f"CASE {self.type} {cases} ELSE {each[-1]} END"

    def condition(self, *, accepts: bool) -> str:
        """Return an SQL condition for the accepted or the rejected rows."""
        if self.document is None:
            return self.accepts if accepts else f"NOT {self.accepts}"
        chosen = "accepts" if accepts else "NOT accepts"
        return f"{self.document} IN (SELECT name FROM decided WHERE {chosen})"

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
        # A threshold is an int only if float64 would round it, so compare it exactly.
        if isinstance(threshold, int):
            whole = f"regexp_full_match({self.written}, '[+-]?[0-9]+')"
            exact = f"CASE WHEN {whole} THEN TRY_CAST({self.written} AS HUGEINT) >= {threshold} END"
            return f"coalesce({exact}, {least})"
        return least

    def _cell(self, edges: Sequence[float], first: int, end: int) -> str:
        """Return SQL that finds the cell of a confidence (its range between `edges`) by bisection."""
        if end - first == 1:
            return str(first)
        middle = (first + end) // 2
        above, below = self._cell(edges, middle, end), self._cell(edges, first, middle)
        return f"CASE WHEN {self._at_or_above(edges[middle])} THEN {above} ELSE {below} END"

    def _rounded(self) -> str:
        number = f"CAST({self.value} AS DOUBLE)"
        before_point = f"CAST(floor(log10(greatest(abs({number}), 1e-300))) AS INTEGER)"
        return f"round({number}, {DIGITS - 1} - {before_point})"

    def _steps(self, thresholds: tuple[float, ...], probabilities: list[float]) -> str:
        cases = " ".join(
            f"WHEN {self._at_or_above(threshold)} THEN CAST('{p!r}' AS DOUBLE)"
            for threshold, p in zip(thresholds[:-1], probabilities[:-1], strict=True)
        )
        last = f"CAST('{probabilities[-1]!r}' AS DOUBLE)"
        return f"CASE {cases} ELSE {last} END" if cases else last


def _factors(absence: FieldAbsence, has: Iterable[bool]) -> list[str]:
    """Return, for each type, the factor by which a missing field reduces a document's confidence."""
    factor = f"CAST('{1.0 - absence.missed_share!r}' AS DOUBLE)"
    return [factor if one else "1.0::DOUBLE" for one in has]


def _counted(source: FileSource, rule: _Rule, policy: Policy) -> AppliedPolicy:
    """Check all rows, and count what the policy accepts."""
    if policy.documents is not None:
        return _documents(source, rule, policy)
    accepts = f"CASE WHEN {rule.valid} THEN {rule.accepts} END AS accepts"
    rows = source.select(
        f"{accepts}, {rule.known} AS known, {_seen_columns(rule)}, count(*)",
        rest="GROUP BY ALL",
    ).fetchall()
    if any(row[0] is None for row in rows):
        raise _invalid(source, rule)

    def counts(of: list[Any]) -> tuple[int, int]:
        return sum(row[-1] for row in of), sum(row[-1] for row in of if row[0])

    n_groups, by_group = _groups(source, rule, policy)
    ((unread,),) = source.select(f"count(*) FILTER (NOT {rule.given})").fetchall()
    parts = [[row for row in rows if row[2] == str(field)] for field in policy.fields]
    by_field = [counts(part) for part in parts]
    return applied_policy(
        policy, *counts(rows), [accepted for _, accepted in by_field or [counts(rows)]],
        unknown_fields=sum(row[-1] for row in rows if not row[1]) if policy.fields else 0,
        fields=applied_fields(policy, by_field),
        n_groups=n_groups, shift=_shift(source, policy, [row[2:] for row in rows], by_group),
        n_unread=unread, of_outputs_read="" if unread else policy.of_outputs_read,
    )  # fmt: skip


def _seen_columns(rule: _Rule) -> str:
    """Return SQL for the columns to group by: field, range of confidences, rounded confidence."""
    field = "NULL" if rule.by is None else f"CASE WHEN {rule.known} THEN {rule.by} END"
    valid = f"{rule.valid} AND {rule.given}"
    cell, rounded = (f"CASE WHEN {valid} THEN {each} END" for each in (rule.cell, rule.rounded))
    return f"{field} AS field, {cell} AS cell, {rounded} AS rounded"


def _groups(
    source: FileSource, rule: _Rule, policy: Policy
) -> tuple[int | None, dict[str | None, NDArray[np.int64]]]:
    """Count the groups; for up to 500 random groups per field, count confidences by cell."""
    if rule.group is None:
        return None, {}
    source.select(
        f"{_seen_columns(rule)}, {rule.group} AS name",
        into="CREATE TEMP TABLE paged AS SELECT field, name, cell, count(*) AS n FROM (",
        rest=") GROUP BY ALL",
    )
    run = source.connection.execute
    (n_groups,) = run("SELECT count(DISTINCT name) FROM paged").fetchall()[0]
    rows = run(
        "SELECT field, dense_rank() OVER (PARTITION BY field ORDER BY md5(name), name) - 1 AS place, "
        "cell, n FROM paged WHERE cell IS NOT NULL QUALIFY place < ?",
        [MOST_GROUPS],
    ).fetchall()
    found: dict[str | None, NDArray[np.int64]] = {}
    fields = [str(field) for field in policy.fields] if rule.by is not None else [None]
    for name, reference in zip(fields, policy.references, strict=True):
        own = np.array([row[1:] for row in rows if row[0] == name], np.int64).reshape(-1, 3)
        found[name] = np.zeros((own[:, 0].max(initial=-1) + 1, len(reference.edges)), np.int64)
        found[name][own[:, 0], own[:, 1]] = own[:, 2]
    return n_groups, found


def _shift(
    source: FileSource,
    policy: Policy,
    rows: Iterable[tuple[Any, ...]],
    by_group: Mapping[str | None, NDArray[np.int64]],
) -> ConfidenceShift | None:
    """Test whether the confidences have shifted; raise if they are on another scale."""
    known = [row for row in rows if row[1] is not None]
    if not known:
        return None
    seen: list[Seen | None] = []
    inside, now, references = 0, [], []
    for i, reference in enumerate(policy.references):
        field = policy.fields[i] if policy.fields else None
        own = sorted(
            (value, cell, n) for name, cell, value, n in known if field is None or name == str(field)
        )
        if not own:
            seen.append(None)
            continue
        values, cells, counts = (np.array(each) for each in zip(*own, strict=True))
        in_cells = np.bincount(cells, counts, minlength=len(reference.edges)).astype(np.int64)
        groups = by_group.get(None if field is None else str(field))
        seen.append(Seen(field, in_cells, quantiles_of(values, counts), groups))
        least, *_, largest = reference.quantiles
        inside += int(counts[(values >= least) & (values <= largest)].sum())
        now += [values[0], values[-1]]
        references.append(reference)
    shift = shift_of(policy.references, seen, policy.failure_probability)
    _require_scale(source.path, shift, inside / sum(row[-1] for row in known), now, references)
    return shift


def require_scale(
    name: str | os.PathLike[str], policy: Policy, shift: ConfidenceShift, confidence: NDArray[Any]
) -> None:
    """Raise a DataFileError that names the file if its confidences are on another scale."""
    if not len(confidence):
        return
    least = min(reference.quantiles[0] for reference in policy.references)
    largest = max(reference.quantiles[-1] for reference in policy.references)
    inside = float(np.mean((confidence >= least) & (confidence <= largest)))
    now = [float(confidence.min()), float(confidence.max())]
    _require_scale(name, shift, inside, now, policy.references)


def _require_scale(
    name: str | os.PathLike[str],
    shift: ConfidenceShift,
    inside: float,
    now: Sequence[float],
    references: Sequence[Reference],
) -> None:
    """Raise if the new confidences have another scale than the confidences of the fit.

    `inside` is the share of confidences in the fitted range, and `now` holds the lowest and highest
    confidence of each field.
    """
    before = [end for reference in references for end in reference.quantiles[:: len(PROBABILITIES) - 1]]
    furthest, expected = max(map(abs, now)), float(max(map(abs, before)))
    if not (expected and furthest):
        return
    low = min(reference.quantiles[PROBABILITIES.index(MOST_INSIDE)] for reference in references)
    ratio = furthest / expected
    is_larger = ratio >= OTHER_SCALE and inside <= MOST_INSIDE
    is_smaller = ratio <= 1.0 / OTHER_SCALE and (inside <= MOST_INSIDE or furthest < low)
    if shift.shifted and (is_larger or is_smaller):
        problem = (
            f"the confidences run from {min(now):.4g} to {max(now):.4g}, but the policy was fitted "
            f"on another scale, {min(before):.4g} to {max(before):.4g}; use the policy's scale, or "
            "fit a policy to outputs like these"
        )
        raise DataFileError(name, problem)
    if min(before) >= 0.0 and expected <= 1.0 and OTHER_SCALE <= max(now) <= PERCENT:
        problem = (
            "some confidences have another scale than the policy's: the largest is "
            f"{max(now):.4g}, but was {expected:.4g} at the fit; are some of them percentages?"
        )
        raise DataFileError(name, problem)


def _decide_documents(source: FileSource, rule: _Rule, policy: Policy) -> None:
    """Check all rows, and create the table `decided` with one row per document."""
    counts = f"({rule.known} AND {rule.given})"
    right = f"CASE WHEN NOT {counts} THEN 1.0::DOUBLE ELSE 1.0::DOUBLE - {rule.error} END"
    # Without fields, a document is incomplete if one of its rows has no confidence.
    whole = "true" if rule.by is not None else rule.given
    worth = "".join(
        f", {counts} AND {own} AS own_{i}, {factor} AS worth_{i}"
        for i, (own, factor) in enumerate(rule.factors)
    )
    factors = [
        f"CASE WHEN bool_or(own_{i}) THEN 1.0::DOUBLE ELSE any_value(worth_{i}) END"
        for i in range(len(rule.factors))
    ]
    # Multiply in the same order as Policy.apply, so that both round alike: first the outputs'
    # probabilities in increasing order, then the factors of absent fields.
    sure = " * ".join(["product(chance ORDER BY chance)", *factors])
    if policy.documents == "least":
        sure = f"least({', '.join(['min(chance)', *factors])})"
    source.select(
        f"{rule.document} AS name, CASE WHEN {rule.valid} THEN {right} END AS chance, "
        f"{rule.known} AS known, {counts} AS counts, {whole} AS whole, "
        f"{counts} AND {rule.hopeless} AS hopeless, {rule.n_required} AS needed, "
        f"CASE WHEN {counts} AND {rule.required} THEN {rule.by or 'NULL'} END AS has, "
        f"{rule.type or 'NULL'} AS kind{worth}",
        into="CREATE TEMP TABLE decided AS SELECT name, count_if(NOT known) AS unknown, count(*) AS n, "
        "count(chance) AS valid, count(DISTINCT kind) AS kinds, bool_or(counts) AND bool_and(whole) "
        "AND count(DISTINCT has) = any_value(needed) AS has_all, has_all AND NOT bool_or(hopeless) "
        f"AND {sure} >= CAST('{policy.document_threshold!r}' AS DOUBLE) AS accepts FROM (",
        rest=") GROUP BY name",
    )
    run = source.connection.execute
    if run("SELECT count(*) FROM decided WHERE name IS NULL OR valid < n").fetchall()[0][0]:
        raise _invalid(source, rule)
    if several := run("SELECT name FROM decided WHERE kinds > 1 ORDER BY name LIMIT 1").fetchall():
        problem = f"document {quoted(several[0][0])} has several types, but must have one"
        raise DataFileError(source.path, problem)


def _documents(source: FileSource, rule: _Rule, policy: Policy) -> AppliedPolicy:
    """Check all rows, decide on documents, and count."""
    _decide_documents(source, rule, policy)
    run = source.connection.execute
    found = run(
        "SELECT sum(n), sum(n) FILTER (accepts), sum(unknown), count(*), count_if(accepts), "
        "count_if(NOT has_all) FROM decided"
    ).fetchall()[0]
    n, taken, unknown, documents, accepted, lacking = (int(number or 0) for number in found)
    rows = source.select(f"{_seen_columns(rule)}, count(*)", rest="GROUP BY ALL").fetchall()
    n_groups, by_group = _groups(source, rule, policy)
    shift = _shift(source, policy, rows, by_group)
    # To keep the order of the rows, use one thread, and do not let the optimizer swap the sides of a
    # join.
    run("SET disabled_optimizers = 'join_order,build_side_probe_side'; SET threads = 1")
    return applied_policy(
        policy, n, taken, [accepted], unknown_fields=unknown if policy.fields else 0,
        n_documents=documents, accepted_documents=accepted, lacking_documents=lacking,
        n_groups=n_groups, shift=shift,
    )  # fmt: skip


def _invalid(source: FileSource, rule: _Rule) -> DataFileError:
    """Return an error about the first row with an invalid confidence, field or document."""
    source.require_unchanged()
    numbered = source.select(
        f"row_number() OVER () - 1 AS place, {rule.valid} AS valid",
        into="SELECT min(place) FROM (",
        rest=") WHERE NOT valid OR valid IS NULL",
    )
    (place,) = numbered.fetchall()[0]
    at = f"LIMIT 1 OFFSET {place}"
    pick = rule.picks[0]
    value = source.select(rule.value, rest=at).fetchall()[0][0]
    if value is not None and math.isfinite(float(value)):
        others = [(each, each.expression(source)) for each in rule.picks[1:]]
        pick = next(
            each
            for each, expression in others
            if source.select(expression, rest=at).fetchall()[0][0] is None
        )
    return pick.refusal(source, place)


def all_columns(source: FileSource, goal: Path) -> str:
    """Return all columns as named SQL expressions; JSON values stay JSON in JSON files."""
    if isinstance(source, Parquet):
        return "*"
    expression: Callable[[str], str] = source.identifier
    if WRITTEN_FORMATS[goal.suffix.lower()] == JSON:
        if isinstance(source, JsonLines):
            expression = source.value
        elif isinstance(source, RowsOfArrays):
            expression = sql_name
    return ", ".join(f"{expression(name)} AS {sql_name(name)}" for name in source.columns)


def copy_options(source: FileSource, goal: Path) -> str:
    """Return the options of SQL's COPY; a CSV file keeps the separator of a CSV source."""
    ending = goal.suffix.lower()
    if ending == ".csv" and isinstance(source, Delimited) and ".tsv" not in source.path.name.lower():
        return WRITTEN_FORMATS[ending].replace("','", sql_text(source.delimiter))
    return WRITTEN_FORMATS[ending]


def write_tables(
    goals: Mapping[str, Path], tables: Mapping[str, Mapping[str, Any]], queries: Mapping[str, str]
) -> None:
    """Write the result of each query to its file; write all files or none.

    The queries read `tables`, which maps the name of each table to its columns.
    """
    with connect() as connection, ExitStack() as stack:
        for name, columns in tables.items():
            connection.register(name, columns)
        for name, goal in goals.items():
            target = stack.enter_context(copied_to(goal))
            query = queries[name].join(around_query(goal))
            form = WRITTEN_FORMATS[goal.suffix.lower()]
            connection.execute(f"COPY ({query}) TO {target} ({form}, USE_TMP_FILE false)")


def _copy(source: FileSource, condition: str, target: str, goal: Path) -> None:
    before, behind = around_query(goal)
    source.select(
        all_columns(source, goal),
        into=f"COPY ({before}",
        rest=f"WHERE {condition}{behind}) TO {target} "
        f"({copy_options(source, goal)}, USE_TMP_FILE false)",
    )
