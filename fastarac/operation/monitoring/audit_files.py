"""Read files of audits for a monitor: lists of audits with their times, or logs of all outputs.

In a log, each accepted output was drawn for an audit with probability π. Rejected outputs need no
audit, because they cannot be undetected errors. But if the limit is a share of all outputs, rejected
outputs must be counted with the same probability as accepted ones. So each rejected output counts as an
audit without an error with probability π, decided by a hash of its id.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac._core.files import path_of
from fastarac.io._formats import open_source
from fastarac.io._picks import Correct, Number
from fastarac.io._sources import connect, explained
from fastarac.operation.document_logs import DocumentLog
from fastarac.operation.logs import DRAWN, OF_AUDIT, ROUNDING, read_audits, read_columns

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from fastarac.operation.policy import Policy


class ReadAudits(NamedTuple):
    """Audits of a file, with their row numbers; `error` is NaN for audits without an answer.

    `details` distinguish audits. For a log, `logged` and `logged_by` are the confidences and fields of
    all its outputs with a confidence.
    """

    rows: NDArray[np.intp]
    error: NDArray[Any]
    details: Sequence[Any]
    ids: NDArray[Any] | None
    groups: NDArray[Any] | None
    drawn_at: NDArray[Any] | None = None
    logged: NDArray[Any] | None = None
    logged_by: NDArray[Any] | None = None


def read_drawn(
    path: str | os.PathLike[str],
    policy: Policy,
    *,
    ids: str,
    drawn_at: str,
    correct: str,
    confidence: str,
    by: str | None,
    groups: str | None,
) -> ReadAudits:
    """Read audits and the times at which they were drawn; raise as :func:`.read_outputs` does."""
    with connect() as connection:
        source = open_source(path_of(path), connection)
        picks = {
            "correct": Correct("correct", correct), "confidence": Number("confidence", confidence)
        }  # fmt: skip
        labels = {"ids": ids, "drawn_at": drawn_at, "by": by, "groups": groups}
        found = read_columns(source, picks, labels, ["correct"])
    found["drawn_at"] = _times(found["drawn_at"])
    accepted = policy.apply(found["confidence"], by=found["by"])
    rows = np.flatnonzero(accepted | (policy.criterion == "max_error_rate"))
    error = np.where(accepted, 1.0 - found["correct"], 0.0)[rows]  # 0 for a rejected output
    chosen: dict[str, Any] = {
        name: None if each is None else each[rows] for name, each in found.items()
    }
    details = details_of_audits(chosen["confidence"], chosen["by"])
    return ReadAudits(rows, error, details, chosen["ids"], chosen["groups"], chosen["drawn_at"])


def has_rows(path: str | os.PathLike[str]) -> bool:
    """Whether a file has any row; a week without outputs has a file without rows."""
    with connect() as connection:
        source = open_source(path_of(path), connection)
        with explained(source):
            return bool(source.columns) and bool(source.select("1", rest="LIMIT 1").fetchall())


def is_drawn_log(path: str | os.PathLike[str]) -> bool:
    """Whether a file has the columns of a log that records draws for audits."""
    with connect() as connection:
        return {OF_AUDIT, DRAWN}.issubset(open_source(path_of(path), connection).columns)


def read_logged_audits(
    path: str | os.PathLike[str],
    policy: Policy,
    *,
    confidence: str,
    correct: str,
    by: str | None,
    ids: str | None,
    groups: str | None,
    drawn_at: str | None = None,
    documents: str | None = None,
    types: str | None = None,
    fields_complete: bool = False,
) -> ReadAudits:
    """Read the audits of outputs, or of whole documents, from a log of the system that uses `policy`.

    Raises
    ------
    DataFileError
        As :func:`.read_audits`; also if audit probabilities differ.
    """
    log = read_audits(
        path, policy=policy, confidence=confidence, correct=correct, by=by, groups=groups,
        documents=documents, types=types,
    )  # fmt: skip
    if log.drawn is None:
        raise AssertionError
    named = {"ids": documents if ids is None else ids, "groups": groups, "drawn_at": drawn_at}
    with connect() as connection:
        source = open_source(path_of(path), connection)
        labels = read_columns(source, {}, named)
        probability = log.audit_probability[log.accepted]
        least = float(probability.min(initial=1.0))
        uneven = log.accepted & (log.audit_probability > least * (1.0 + ROUNDING))
        if uneven.any():
            expected = (
                f"other rows have {least:g}; use a log in which all audits have one probability, as "
                "fastarac sample --audit writes it without --judge and --mix"
            )
            raise source.unexpected(OF_AUDIT, int(uneven.argmax()), expected)
    units = units_of(policy, log, fields_complete=fields_complete)
    labels = {name: None if each is None else each[units.rows] for name, each in labels.items()}
    chosen = audited_rows(policy, units.accepted, units.drawn, labels["ids"], least)
    labels = {name: None if each is None else each[chosen] for name, each in labels.items()}
    if labels["drawn_at"] is not None:
        labels["drawn_at"] = _times(labels["drawn_at"])
    given = ~np.isnan(log.confidence)
    return ReadAudits(
        units.rows[chosen], units.error[chosen], [units.details[int(i)] for i in chosen], **labels,
        logged=log.confidence[given], logged_by=None if log.by is None else log.by[given],
    )  # fmt: skip


class LoggedUnits(NamedTuple):
    """The outputs of a log, or its whole documents, with their first rows.

    `error` is NaN for audits without an answer, and 0 for rejected outputs or documents.
    """

    rows: NDArray[np.intp]
    accepted: NDArray[np.bool_]
    drawn: NDArray[np.bool_]
    error: NDArray[np.float64]
    details: Sequence[str]


def units_of(policy: Policy, log: Any, *, fields_complete: bool = False) -> LoggedUnits:
    """Return the outputs, or whole documents, of a log with the columns of :class:`.AuditColumns`."""
    details = details_of_audits(log.confidence, log.by)
    if policy.documents is None:
        error = np.where(log.accepted, 1.0 - log.correct, 0.0)
        return LoggedUnits(np.arange(len(error)), log.accepted, log.drawn, error, details)
    found = DocumentLog.of(
        policy.rule, log.correct, log.outputs, log.audit_probability, log.drawn,
        fields_complete=fields_complete,
    )  # fmt: skip
    inside = details_of_documents(details, found.of_item)
    order = np.argsort(found.first)  # Keep the documents in the order of the file.
    error = np.where(found.accepted, 1.0 - found.correct, 0.0)
    drawn = np.zeros(len(order), np.bool_) if found.drawn is None else found.drawn
    return LoggedUnits(
        found.first[order], found.accepted[order], drawn[order], error[order],
        [inside[i] for i in order.tolist()],
    )  # fmt: skip


def audited_rows(
    policy: Policy,
    accepted: NDArray[np.bool_],
    drawn: NDArray[np.bool_],
    ids: NDArray[Any] | None,
    probability: float,
) -> NDArray[np.intp]:
    """Return the rows of a log that count as audits, each drawn with the same probability.

    If the limit is a share of all outputs, each rejected output counts as an audit with this
    probability, too.
    """
    taken = accepted & drawn
    if policy.criterion == "max_error_rate":
        taken |= ~accepted & (uniform(ids, len(taken)) < probability)
    return np.flatnonzero(taken)


def details_of_audits(confidence: NDArray[Any], by: NDArray[Any] | None) -> list[str]:
    """Return a text for each audit, made from its confidence and field, to distinguish audits."""
    columns = [each.tolist() for each in (confidence, by) if each is not None]
    return [repr(each) for each in zip(*columns, strict=True)]


def details_of_documents(details: Sequence[Any], of_item: NDArray[np.intp]) -> list[str]:
    """Return a text for each document, made from the details of its rows, to distinguish documents."""
    inside: list[list[Any]] = [[] for _ in range(int(of_item.max(initial=-1)) + 1)]
    for code, each in zip(of_item.tolist(), details, strict=True):
        inside[code].append(each)
    return [repr(sorted(each)) for each in inside]


def uniform(ids: NDArray[Any] | None, n: int) -> NDArray[np.float64]:
    """Return a number in [0, 1) for each output, (n,), computed from its id or else its row number."""
    names = range(n) if ids is None else ids.tolist()
    digests = [
        hashlib.sha256(f"fastarac {name}".encode(errors="surrogatepass")).digest() for name in names
    ]
    return np.array([int.from_bytes(each[:7], "big") for each in digests], np.float64) / 2.0**56


def _times(labels: NDArray[Any]) -> NDArray[Any]:
    """Return times as numbers; leave dates as texts, which the monitor can read."""
    try:
        return labels.astype("float64")
    except ValueError:
        return labels
