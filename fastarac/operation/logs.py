"""Read logs of audits from files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac._core.checks import exactly_one, real_scalar
from fastarac._core.dtype_comparison import at_or_above
from fastarac._core.exceptions import warn_unreliable
from fastarac._core.files import path_of
from fastarac._core.results import Table, TupleResult
from fastarac._core.text import percent, quoted
from fastarac.io._columns import may_merge, require_apart
from fastarac.io._formats import open_source
from fastarac.io._picks import Correct, Label, Number, is_empty
from fastarac.io._sources import DataFileError, connect, explained
from fastarac.operation.acceptance import NewOutputs
from fastarac.operation.audit_logs import LogError, log_of
from fastarac.operation.document_logs import without_confidence
from fastarac.samples.partial import PartialTruth

if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from fastarac.io._picks import Pick
    from fastarac.io._sources import FileSource
    from fastarac.operation.policy import Policy


OF_AUDIT = "audit_probability"
PROBABILITY = "inclusion_probability"
DRAWN = "drawn"
PLAIN = "use a uniform sample, as fastarac sample --for guarantee-new draws it"
# Two probabilities in a file count as equal up to this relative difference.
ROUNDING = 1e-9
# Warn about a log without rejected outputs if a complete log has none with less than this probability.
CHANCE = 0.001


class _AuditColumns(NamedTuple):
    correct: NDArray[np.float64]
    confidence: NDArray[Any]
    audit_probability: NDArray[np.float64]
    accepted: NDArray[np.bool_]
    audited: NDArray[np.bool_]
    by: NDArray[Any] | None
    drawn: NDArray[np.bool_] | None
    groups: NDArray[Any] | None
    documents: NDArray[Any] | None = None
    types: NDArray[Any] | None = None


class AuditColumns(Table, TupleResult, _AuditColumns):
    """A log of audits, read into arrays.

    `by`, `groups`, `documents` and `types` are the labels of fields, groups, documents and document
    types; each is None if the file has no such column. `drawn` says which outputs were drawn for an
    audit; it is None if the file does not say. In a log of whole documents, `confidence` is NaN in rows
    without a confidence.

    See Also
    --------
    fastarac.operation.read_audits : read a log of audits
    fastarac.PartialTruth : truth of those items that people verified
    """

    __slots__ = ()

    @property
    def truth(self) -> PartialTruth:
        """The log as a :class:`.PartialTruth`, for rates and guarantees at any threshold.

        Rejected outputs count as verified with probability 1, so their truth must be known. Outputs
        that were drawn but have no result count as wrong. If `drawn` is None, outputs without a result
        count as not drawn.
        """
        known = ~np.isnan(self.correct)
        return PartialTruth(
            self.correct,
            inclusion_probability=np.where(self.accepted, self.audit_probability, 1.0),
            drawn=None if self.drawn is None else np.where(self.accepted, self.drawn, known),
            open="wrong",
            groups=self.documents if self.groups is None else self.groups,
        )

    @property
    def outputs(self) -> NewOutputs:
        """The outputs, as the rule of a policy takes them."""
        confidence, missing = without_confidence(self.confidence)
        return NewOutputs(confidence, self.by, self.documents, missing, self.types)

    @property
    def unanswered(self) -> int:
        """The number of accepted rows that were drawn for an audit but have no result."""
        if self.drawn is None:
            return 0
        return int(np.sum(self.drawn & self.accepted & np.isnan(self.correct)))

    @property
    def has_one_threshold(self) -> bool:
        """Whether the log can test other thresholds than the one in use.

        It must have no fields, groups or documents, and all rejected outputs must be verified.
        """
        alone = self.by is None and self.groups is None and self.documents is None
        return alone and not bool(np.isnan(self.correct[~self.accepted]).any())


def read_audits(
    path: str | os.PathLike[str],
    *,
    threshold: float | None = None,
    policy: Policy | None = None,
    confidence: str = "confidence",
    correct: str = "correct",
    audit_probability: str = OF_AUDIT,
    accepted: str = "accepted",
    audited: str | None = None,
    drawn: str | None = None,
    by: str | None = None,
    groups: str | None = None,
    documents: str | None = None,
    types: str | None = None,
) -> AuditColumns:
    r"""Read a log of a system in use from a file; raise if it contradicts itself.

    Parameters
    ----------
    path : str or path-like
        A file in a format of :func:`.read_outputs`.
    threshold : float, optional
        The threshold in use: outputs with this confidence or more were accepted.
    policy : Policy, optional
        The policy that accepted the outputs or whole documents, instead of `threshold`.
    confidence, correct, audit_probability, accepted : str
        Names of columns. `correct` is empty where the truth is unknown. With `threshold`, however, the
        truth of all rejected outputs is required. The audit probability of rejected outputs may be
        empty.
    audited, drawn : str, optional
        The columns that mark outputs with an audit result, and outputs that were drawn for an audit. By
        default, these are `audited` and `drawn`, if the file has them. At least one of the two columns
        is required. A check of the log can have the verdict "holds" only with `drawn`.
    by : str, optional
        The column of fields, if the policy has thresholds by field.
    groups : str, optional
        The column of pages or other groups of dependent outputs.
    documents, types : str, optional
        The columns of documents and of their types, if the policy accepts whole documents. All rows of
        an accepted document must then have the same `drawn` and `audit_probability`.

    Returns
    -------
    AuditColumns
        The columns as arrays.

    Raises
    ------
    TypeError
        Unless exactly one of `threshold` and `policy` is given. Also if `by`, `documents` or `types` is
        missing or superfluous.
    DataFileError
        As :func:`.read_outputs`. Also if a row contradicts the log: it was accepted below the
        threshold, or audited with probability 0, or has a truth although it was not audited or drawn.
        The message names the row. Also if the number of audits does not fit the probabilities.
    ModuleNotFoundError
        If DuckDB is not installed.

    See Also
    --------
    fastarac.PartialTruth : truth of those items that people verified
    ErrorRateMonitor : alarms where an error rate is above its limit

    Notes
    -----
    For each distinct probability π, the number of audits (or of draws, if the log has them) must lie in
    the central 99.9% of its binomial distribution. If there are more than ten distinct probabilities,
    they are sorted, and ten parts are tested instead. Bonferroni's correction accounts for the number
    of tests. With several probabilities, the sum of 1/π over all audits must also be close to the
    number of accepted outputs: the largest allowed difference is 3.29·√Σ((1 − π)/π), or slightly more
    if the distribution is skewed. These tests refuse about 0.1% of honest logs with one π, and up to
    0.2% of honest logs with several.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import fastarac as fa
    >>> header = "confidence,accepted,drawn,audit_probability,correct"
    >>> rows = [header, "0.9,1,1,0.5,1", "0.8,1,0,0.5,", "0.3,0,0,,0"]
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "log.csv")
    ...     _ = path.write_text("\n".join(rows))
    ...     log = fa.operation.read_audits(path, threshold=0.5)
    >>> log.correct
    array([ 1., nan,  0.])
    >>> log.truth
    PartialTruth(2 of 3 verified)
    """
    exactly_one(threshold=threshold, policy=policy)
    if threshold is not None:
        threshold = real_scalar(threshold, "threshold", finite=False)
    _require_fields(policy, by=by, documents=documents, types=types)
    picks: dict[str, Pick] = {
        "confidence": Number("confidence", confidence),
        "correct": Correct("correct", correct),
        "audit_probability": Number("audit_probability", audit_probability),
        "accepted": Correct("accepted", accepted),
    }
    with connect() as connection:
        source = open_source(path_of(path), connection)
        if drawn is not None or "drawn" in source.columns:
            picks["drawn"] = Correct("drawn", drawn or "drawn")
        if audited is not None or "audited" in source.columns or "drawn" not in picks:
            picks["audited"] = Correct("audited", audited or "audited")
        may_be_empty = ["correct", "audit_probability", "drawn"]
        if documents is not None:
            may_be_empty.append("confidence")
        labels = {"by": by, "groups": groups, "documents": documents, "types": types}
        columns = read_columns(source, picks, labels, may_be_empty)
        above = columns["accepted"] == 1
        _require_filled(source, picks, columns, above)
        flags = {name: columns[name] == 1 for name in ("audited", "drawn") if name in picks}
        given = columns["audit_probability"]
        log = AuditColumns(
            columns["correct"],
            columns["confidence"],
            np.where(np.isnan(given), 1.0, given),
            above,
            flags.get("audited", above & ~np.isnan(columns["correct"])),
            columns["by"],
            flags.get("drawn"),
            *(columns[name] for name in ("groups", "documents", "types")),
        )
        _require_consistent(source, picks, log, threshold, policy)
    return log


def _require_fields(policy: Policy | None, **columns: str | None) -> None:
    """Raise if a column of fields, documents or types is missing or superfluous."""
    if policy is not None:
        policy.rule.require_columns(**columns)
        return
    for name, column in columns.items():
        if column is not None:
            raise TypeError(f"{name} cannot go with a single threshold: leave out {name}")


def _require_filled(
    source: FileSource,
    picks: dict[str, Pick],
    columns: Mapping[str, Any],
    accepted: NDArray[np.bool_],
) -> None:
    """Raise if an accepted output has an empty audit probability or an empty `drawn`."""
    for name, expected in (
        ("audit_probability", "expected a probability above 0"),
        ("drawn", "expected true or false, or 1 or 0"),
    ):
        if name in picks and (missing := accepted & np.isnan(columns[name])).any():
            problem = f"column {quoted(picks[name].column)} is empty; {expected}"
            raise source.error_in_row(int(missing.argmax()), problem)


def _require_consistent(
    source: FileSource,
    picks: Mapping[str, Pick],
    log: AuditColumns,
    threshold: float | None,
    policy: Policy | None,
) -> None:
    """Raise if rows contradict each other, or if the audits do not fit the probabilities."""
    told = log.audit_probability, log.accepted, log.audited, log.drawn
    codes = None
    if log.groups is not None:
        codes = np.unique(log.groups, return_inverse=True)[1].astype(np.intp)
    try:
        if threshold is not None:
            side = f"the threshold of {threshold:g}"
            reasons = f"confidence is below {side}", f"confidence is at or above {side}"
            above = at_or_above(log.confidence, threshold)
            log_of(log.correct, log.confidence, above, *told, reasons, rejected_known=True)
        elif policy is not None:
            if log.documents is not None:
                codes = np.unique(log.documents, return_inverse=True)[1].astype(np.intp)
            above = policy.rule.apply(log.outputs)
            log_of(log.correct, log.confidence, above, *told, groups=codes)
            warn_of_accepted_alone(policy, log.accepted)
    except LogError as error:
        name = quoted(picks["correct"].column)
        why = error.why.replace("correct is NaN", f"column {name} is empty")
        raise source.unexpected(picks[error.name].column, error.row, why) from None
    except ValueError as error:
        raise DataFileError(source.path, str(error)) from None


def warn_of_accepted_alone(policy: Policy, accepted: NDArray[np.bool_]) -> None:
    """Warn if all outputs are accepted, but a complete log would almost surely have rejected ones."""
    n, share = len(accepted), policy.accepted / policy.n_items
    if accepted.all() and share**n < CHANCE:
        warn_unreliable(
            f"all {n:,} outputs are accepted, but the policy accepted {percent(share, 3)} when it was "
            "fitted. Add the outputs that it rejected: without them, rates refer to accepted "
            "outputs alone, and confidences seem to have shifted"
        )


def require_one_probability(path: Path, *, of_all: bool) -> None:
    """Raise if the columns of a file show that its audits are not a simple random sample."""
    with connect() as connection:
        source = open_source(path, connection)
        if of_all and OF_AUDIT in source.columns:
            problem = (
                f"it has the column {quoted(OF_AUDIT)} but no column {quoted(DRAWN)}, and the "
                "limit is a share of all outputs: use the whole log, as fastarac sample --audit "
                f"writes it; or {PLAIN} without --audit"
            )
            raise DataFileError(path, problem)
        for name in (OF_AUDIT, PROBABILITY):
            if name not in source.columns:
                continue
            found = read_columns(source, {name: Number(name, name)}, {}, [name])[name]
            known = found[~np.isnan(found)]
            if known.size and known.max() > known.min() * (1.0 + ROUNDING):
                row = int(np.flatnonzero(~np.isnan(found) & (found != known[0]))[0])
                raise source.unexpected(name, row, f"other rows have {known[0]:g}; {PLAIN}")


def read_columns(
    source: FileSource,
    picks: Mapping[str, Pick],
    labels: Mapping[str, str | None] = {},
    may_be_empty: Collection[str] = (),
) -> dict[str, Any]:
    """Return columns by name: numbers and labels.

    An empty number is NaN in the columns that `may_be_empty` names, and an error in others. Labels
    without a column are None.
    """
    named = {name: Label(name, column) for name, column in labels.items() if column is not None}
    source.refuse_missing(pick.column for pick in (*picks.values(), *named.values()))
    for pick in picks.values():
        source.require(pick.column)
    for label in named.values():
        source.require(label.column, is_label=True)
    found: dict[str, Any] = dict.fromkeys(labels)
    for name, pick in picks.items():
        found[name] = column_of(source, pick, empty=name in may_be_empty)
    for name, label in named.items():
        found[name] = labels_of(source, label)
    source.require_unchanged()
    return found


def labels_of(source: FileSource, pick: Label) -> NDArray[Any]:
    """Return the labels in a column; raise if one is empty."""
    with explained(source):
        rows = source.select(pick.expression(source)).fetchall()
    missing = next((row for row, (name,) in enumerate(rows) if name is None), None)
    if missing is not None:
        problem = f"column {quoted(pick.column)} is empty; expected {pick.expectation(source)}"
        raise source.error_in_row(missing, problem)
    return np.array([name for (name,) in rows])


def column_of(source: FileSource, pick: Any, *, empty: bool) -> NDArray[Any]:
    """Return the numbers in a column; an empty cell is NaN if `empty`, and an error otherwise."""
    value = f"CAST({pick.expression(source)} AS DOUBLE) AS value"
    written = f"{is_empty(source, pick.column)} AS bare"
    with explained(source):
        found = source.select(f"{value}, {written}").fetchnumpy()
    values = np.ma.filled(found["value"], np.nan)
    bare = np.asarray(np.ma.getdata(found["bare"]), np.bool_)
    if not len(values):
        raise DataFileError(source.path, "there are no rows")
    bad = ~np.isfinite(values) & ~(bare if empty else np.zeros(len(values), np.bool_))
    if bad.any():
        raise pick.refusal(source, int(bad.argmax()))
    if pick.field == "confidence" and may_merge(source, pick.column, np.where(bare, 0.0, values)):
        require_apart(source, pick.column)
    return values
