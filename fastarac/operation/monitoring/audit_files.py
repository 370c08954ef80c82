"""Read files of audits for a monitor: audits with times of drawing, or logs.

A log holds all outputs of a period. Each accepted output was drawn for an audit with probability π.
Rejected outputs need no audit, because they cannot be undetected errors. To give all outputs the same
chance, each rejected output counts as an audit without an error with probability π; a hash of its id
decides.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac._core.files import path_of
from fastarac._core.text import quoted
from fastarac.io._formats import open_source
from fastarac.io._picks import Correct, Number
from fastarac.io._sources import DataFileError, connect, explained
from fastarac.operation.logs import DRAWN, OF_AUDIT, PLAIN, ROUNDING, read_audits, read_columns

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from fastarac.operation.policy import Policy


class DrawnColumns(NamedTuple):
    """Audits and the times at which they were drawn; `correct` is NaN where an answer is open."""

    ids: NDArray[Any]
    drawn_at: NDArray[Any]
    correct: NDArray[np.float64]
    confidence: NDArray[np.float64]
    by: NDArray[Any] | None
    groups: NDArray[Any] | None


def read_drawn(
    path: str | os.PathLike[str],
    *,
    ids: str,
    drawn_at: str,
    correct: str,
    confidence: str,
    by: str | None,
    group: str | None,
) -> DrawnColumns:
    """Read the columns of audits; raise DataFileError as :func:`.read_outputs` does."""
    with connect() as connection:
        source = open_source(path_of(path), connection)
        picks = {
            "correct": Correct("correct", correct), "confidence": Number("confidence", confidence)
        }  # fmt: skip
        labels = {"ids": ids, "drawn_at": drawn_at, "by": by, "groups": group}
        found = read_columns(source, picks, labels, ["correct"])
    return DrawnColumns(**found | {"drawn_at": _times(found["drawn_at"])})


class LoggedAudits(NamedTuple):
    """The audits of a log, with their row numbers; `error` is NaN where an answer is open.

    `logged` and `logged_by` hold the confidences and fields of all outputs of the log.
    """

    rows: NDArray[np.intp]
    error: NDArray[np.float64]
    confidence: NDArray[Any]
    by: NDArray[Any] | None
    ids: NDArray[Any] | None
    groups: NDArray[Any] | None
    drawn_at: NDArray[Any] | None
    logged: NDArray[Any]
    logged_by: NDArray[Any] | None


def has_rows(path: str | os.PathLike[str]) -> bool:
    """Whether a file has any row; the file of a week without outputs has none."""
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
) -> LoggedAudits:
    """Read the audits of a log whose outputs were accepted by `policy`.

    Raises
    ------
    DataFileError
        As :func:`.read_audits`; also for a policy of documents, or if audit probabilities differ.
    """
    if policy.documents is not None:
        problem = (
            f"it is a log of single outputs (by its columns {quoted(OF_AUDIT)} and "
            f"{quoted(DRAWN)}), but the policy accepts whole documents: use verified documents, "
            "drawn at random"
        )
        raise DataFileError(path_of(path), problem)
    log = read_audits(path, policy=policy, confidence=confidence, correct=correct, by=by, groups=groups)
    if log.drawn is None:
        raise AssertionError
    names = {"ids": ids, "groups": groups, "drawn_at": drawn_at}
    with connect() as connection:
        source = open_source(path_of(path), connection)
        labels = read_columns(source, {}, names)
        probability = log.audit_probability[log.accepted]
        least = float(probability.min(initial=1.0))
        uneven = log.accepted & (log.audit_probability > least * (1.0 + ROUNDING))
        if uneven.any():
            raise source.unexpected(
                OF_AUDIT, int(uneven.argmax()), f"others have {least:g}; {PLAIN} with --audit"
            )
    rows = audited_rows(policy, log.accepted, log.drawn, labels["ids"], least)
    error = np.where(log.accepted, 1.0 - log.correct, 0.0)[rows]
    labels = {name: None if each is None else each[rows] for name, each in labels.items()}
    if labels["drawn_at"] is not None:
        labels["drawn_at"] = _times(labels["drawn_at"])
    own = None if log.by is None else log.by[rows]
    return LoggedAudits(
        rows, error, log.confidence[rows], own, **labels, logged=log.confidence, logged_by=log.by
    )


def audited_rows(
    policy: Policy,
    accepted: NDArray[np.bool_],
    drawn: NDArray[np.bool_],
    ids: NDArray[Any] | None,
    probability: float,
) -> NDArray[np.intp]:
    """Return the rows of a log that count as audits, each drawn with the same probability.

    If the limit is a share of all outputs, rejected outputs count as audits with this probability, too.
    """
    taken = accepted & drawn
    if policy.criterion == "max_error_rate":
        taken |= ~accepted & (_uniform(ids, len(taken)) < probability)
    return np.flatnonzero(taken)


def details_of_audits(confidence: NDArray[Any], by: NDArray[Any] | None) -> list[str]:
    """Return a text for each audit from its confidence and field, to tell audits apart."""
    columns = [each.tolist() for each in (confidence, by) if each is not None]
    return [repr(each) for each in zip(*columns, strict=True)]


def _uniform(ids: NDArray[Any] | None, n: int) -> NDArray[np.float64]:
    """Return a number in [0, 1) for each output, (n,), determined by its id or else by its row."""
    names = range(n) if ids is None else ids.tolist()
    digests = [
        hashlib.sha256(f"fastarac {name}".encode(errors="surrogatepass")).digest() for name in names
    ]
    return np.array([int.from_bytes(each[:7], "big") for each in digests], np.float64) / 2.0**56


def _times(labels: NDArray[Any]) -> NDArray[Any]:
    """Return times as numbers; dates stay dates, because the monitor reads them."""
    try:
        return labels.astype("float64")
    except ValueError:
        return labels
