"""The logs of the weeks: which outputs were drawn for audits, and the answers so far."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac.io._formats import open_source
from fastarac.io._picks import Correct, Number
from fastarac.ocr.fields.rules import rule_columns, rules_of_policy
from fastarac.operation.application import write_tables
from fastarac.operation.audit_numbers import UnlikelyNumberError
from fastarac.operation.document_logs import without_confidence
from fastarac.operation.logs import (
    DRAWN,
    OF_AUDIT,
    PROBABILITY,
    ROUNDING,
    AuditColumns,
    read_columns,
)
from fastarac.operation.monitoring.audit_files import audited_rows, uniform, units_of
from fastarac.weeks.ledger import LABELS, LOG

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from duckdb import DuckDBPyConnection
    from numpy.typing import NDArray

    from fastarac.operation.monitoring.monitor import ErrorRateMonitor
    from fastarac.operation.policy import Policy
    from fastarac.operation.verdicts import PolicyCheck
    from fastarac.weeks.ledger import Ledger, Week

ID = "audit_id"
WEEK = "drawn_at"


class WeekLog(NamedTuple):
    """The log of one week: its outputs with a confidence; `correct` is NaN without an answer.

    If the policy accepts whole documents, the log also has the rows without a confidence.
    """

    row: NDArray[np.intp]
    confidence: NDArray[np.float64]
    accepted: NDArray[np.bool_]
    drawn: NDArray[np.bool_]
    probability: NDArray[np.float64]
    by: NDArray[Any] | None
    documents: NDArray[Any] | None
    types: NDArray[Any] | None
    correct: NDArray[np.float64]
    ids: NDArray[Any]
    number: int

    @classmethod
    def read(cls, folder: Path, week: Week, connection: DuckDBPyConnection) -> WeekLog:
        """Read the log of a week from its folder, and join the answers so far."""
        picks: dict[str, Any] = {
            "row": Number("row", "row"),
            "confidence": Number("confidence", str(week.columns["confidence"])),
            "accepted": Correct("accepted", "accepted"),
            DRAWN: Correct(DRAWN, DRAWN),
            OF_AUDIT: Number(OF_AUDIT, OF_AUDIT),
        }
        source = open_source(folder / LOG, connection)
        labels = {name: week.columns[name] for name in LABELS}
        found = read_columns(source, picks, labels, ["confidence"] if labels["documents"] else [])
        rows = found["row"].astype(np.intp)
        ids = np.char.add(f"{week.prefix}-", rows.astype(np.str_))
        log = cls(
            rows, found["confidence"], found["accepted"] == 1, found[DRAWN] == 1, found[OF_AUDIT],
            found["by"], found["documents"], found["types"], np.full(len(rows), np.nan), ids,
            week.number,
        )  # fmt: skip
        return log.joined(week)

    def joined(self, week: Week) -> WeekLog:
        """Return the log with the answers so far."""
        told = np.isin(self.row, list(week.answers))
        correct = np.full(len(self.row), np.nan)
        correct[told] = [week.answers[row] for row in self.row[told].tolist()]
        return self._replace(correct=correct)

    @property
    def columns(self) -> AuditColumns:
        """The log in the form of :class:`.AuditColumns`."""
        return AuditColumns(
            self.correct, self.confidence, self.probability, self.accepted, self.audits, self.by,
            self.drawn, None, self.documents, self.types,
        )  # fmt: skip

    @property
    def drawn_documents(self) -> int | None:
        """The number of documents that were drawn for audits; None for single outputs."""
        return None if self.documents is None else len(np.unique(self.documents[self.audits]))

    @property
    def audits(self) -> NDArray[np.bool_]:
        """Whether each output was accepted and drawn for an audit."""
        return self.accepted & self.drawn

    @property
    def open(self) -> int:
        """The number of audits without an answer."""
        return int(np.isnan(self.correct[self.audits]).sum())

    @property
    def least(self) -> float:
        """The smallest audit probability of an accepted output; 1 without accepted outputs."""
        return float(self.probability[self.accepted].min(initial=1.0))


class PooledLogs(NamedTuple):
    """The columns of several weeks, one after the other."""

    logs: Sequence[WeekLog]

    @property
    def probability(self) -> NDArray[np.float64]:
        """Each output's audit probability, without rounding errors between weeks."""
        found, first = self.column("probability"), self.logs[0].least
        return np.where(np.abs(found - first) <= ROUNDING * first, first, found)

    def column(self, name: str) -> Any:
        """Return a column of all weeks; None if the weeks do not have it."""
        parts = [getattr(each, name) for each in self.logs]
        return None if parts[0] is None else np.concatenate(parts)

    @property
    def documents(self) -> Any:
        """The documents as "week/name", because names may recur; None without documents."""
        if self.logs[0].documents is None:
            return None
        labels = [() if each.documents is None else each.documents.tolist() for each in self.logs]
        weeks = [each.number for each in self.logs]
        return np.array([f"{k}/{name}" for k, part in zip(weeks, labels, strict=True) for name in part])

    @property
    def correct(self) -> NDArray[np.float64]:
        """The answers to audits; NaN for all other outputs, because a log does not use their truth."""
        return np.where(self.column("audits"), self.column("correct"), np.nan)

    def to_columns(self) -> dict[str, Any]:
        """Return the log that ``fastarac check --log`` and ``fastarac monitor`` take."""
        flags = {name: self.column(name).astype(np.int8) for name in ("accepted", "drawn")}
        labels = {
            "document": self.documents, "type": self.column("types"), "field": self.column("by")
        }  # fmt: skip
        weeks = np.repeat([each.number for each in self.logs], [len(each.row) for each in self.logs])
        return {
            ID: self.column("ids"), WEEK: weeks.astype(np.int32),
            **{name: column for name, column in labels.items() if column is not None},
            "confidence": self.column("confidence"), **flags, OF_AUDIT: self.probability,
            "correct": self.correct,
        }  # fmt: skip

    def to_verified(self, policy: Policy) -> dict[str, Any]:
        """Return the outputs for a new fit: those that are verified, with their probabilities.

        Audits and rejected outputs without an answer count as wrong, so that new thresholds cannot
        profit from missing answers.
        """
        if policy.documents is not None:
            return self._rows_of_documents(policy)
        columns, accepted = self.to_columns(), self.column("accepted")
        told, correct = self.column("drawn") | ~accepted, self.column("correct")
        kept = ID, WEEK, "field", "confidence"
        rules = _rules(policy, len(columns[ID]))
        return (
            {name: columns[name] for name in kept if name in columns}
            | rules
            | {
                PROBABILITY: np.where(accepted, self.probability, 1.0),
                "drawn": told.astype(np.int8),
                "correct": np.where(told, np.nan_to_num(correct, nan=0.0), np.nan),
            }
        )

    def verified_documents(self) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
        """Return a mask of the documents in a uniform sample, and the document of each row.

        A rejected document is in the sample with the probability at which accepted documents are drawn.
        """
        accepted = self.column("accepted")
        names, first, of_item = np.unique(self.documents, return_index=True, return_inverse=True)
        chance = float(self.probability[accepted].min(initial=1.0))
        kept = np.where(
            accepted[first], self.column("drawn")[first], uniform(names, len(names)) < chance
        )
        return kept, of_item

    def _rows_of_documents(self, policy: Policy) -> dict[str, Any]:
        """Return the rows of a uniform sample of whole documents."""
        columns, (kept, of_item) = self.to_columns(), self.verified_documents()
        rows = kept[of_item]
        taken = ID, WEEK, "document", "type", "field", "confidence"
        rules = _rules(policy, int(rows.sum()))
        return (
            {name: columns[name][rows] for name in taken if name in columns}
            | rules
            | {"correct": np.nan_to_num(self.column("correct")[rows], nan=0.0)}
        )


def _rules(policy: Policy, n: int) -> dict[str, Any]:
    """Return the policy's rules for fields as columns of the log, from which a new fit reads them."""
    columns = rule_columns([""] * n, rules_of_policy(policy), {})
    return {name: np.array(values, np.str_) for name, values in columns.items()}


def write_columns(path: Path, columns: Mapping[str, Any]) -> None:
    """Write columns to a file, with null for NaN."""
    query = (
        "SELECT * REPLACE (nullif(confidence, 'nan'::DOUBLE) AS confidence, "
        "CAST(nullif(correct, 'nan'::DOUBLE) AS TINYINT) AS correct) FROM rows_"
    )
    write_tables({"rows": path}, {"rows_": dict(columns)}, {"rows": query})


def count_audits(monitor: ErrorRateMonitor, policy: Policy, log: WeekLog) -> None:
    """Give the audits of a week to the monitor, with the answers so far."""
    units = units_of(policy, log.columns, fields_complete=policy.fields_complete)
    ids = log.ids[units.rows]
    chosen = audited_rows(policy, units.accepted, units.drawn, ids, log.least)
    if not len(chosen):
        return
    details = [units.details[i] for i in chosen.tolist()]
    monitor.count(units.error[chosen], details=details, ids=ids[chosen], drawn_at=float(log.number))


def weigh(policy: Policy, ledger: Ledger, logs: Sequence[WeekLog]) -> tuple[PolicyCheck | None, bool]:
    """Count the weeks whose audits are answered or overdue, and check all weeks counted so far.

    Return the latest check, and whether the last counted week could not be checked because its number
    of audits is too unlikely.
    """
    for log in logs[ledger.counted :]:
        count_audits(ledger.monitor, policy, log)
    before, last = ledger.counted, len(logs)
    while ledger.counted + 1 < last:  # like a monitor, count a week only after the next draw
        number = ledger.counted + 1
        if logs[ledger.counted].open and last < number + ledger.settings.deadline:
            break
        ledger.counted = number
    found, left_out = None, False
    for number in range(max(before, 1), ledger.counted + 1):
        try:
            found, left_out = _checked(policy, ledger, logs[:number]), False
        except UnlikelyNumberError:
            left_out = True
    return found, left_out


def _checked(policy: Policy, ledger: Ledger, logs: Sequence[WeekLog]) -> PolicyCheck:
    pooled = PooledLogs(logs)
    confidence, missing = without_confidence(pooled.column("confidence"))
    return policy.check(
        pooled.correct, confidence, by=pooled.column("by"), documents=pooled.documents,
        types=pooled.column("types"), rejected=missing, fields_complete=policy.fields_complete,
        audit_probability=pooled.probability, drawn=pooled.column("drawn"), looks=ledger.looks,
    )  # fmt: skip
