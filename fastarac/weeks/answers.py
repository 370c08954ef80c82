"""Take people's answers on audits and on reviewed outputs; count each file and answer once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fastarac._core.text import quoted
from fastarac.io._formats import open_source
from fastarac.io._picks import Correct
from fastarac.io._sources import DataFileError, connect
from fastarac.operation.application import WRITTEN_FORMATS
from fastarac.operation.logs import read_columns
from fastarac.weeks.dividing import ACCEPTED
from fastarac.weeks.ledger import LOG, digest_of
from fastarac.weeks.logs import ID

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from fastarac.weeks.ledger import Ledger, Week
    from fastarac.weeks.logs import WeekLog

OURS = LOG, ACCEPTED  # files in a week's folder that hold no answers


class Taken(NamedTuple):
    """Numbers of answers that are new, that were known, or that came after their week was counted."""

    audits: int = 0
    reviewed: int = 0
    known: int = 0
    late: int = 0
    known_files: int = 0

    def plus(self, other: Taken) -> Taken:
        """Return the sums."""
        return Taken(*map(sum, zip(self, other, strict=True)))


class _RowsOfWeek(NamedTuple):
    """A week, with the numbers of the rows that are audits, and of the accepted rows."""

    week: Week
    audits: set[int]
    accepted: set[int]


def take_answers(
    ledger: Ledger, root: Path, given: Sequence[Path], logs: Sequence[WeekLog]
) -> tuple[Taken, list[WeekLog]]:
    """Take answers from the files `given` and from the weeks' folders; return counts and new logs.

    Raises
    ------
    DataFileError
        If a given file has no column of ids, or an id that no week has. Also if an answer contradicts
        an earlier one, or belongs to an output that was accepted and not drawn.
    """
    taken = Taken()
    resolved = {path.resolve() for path in given}
    inside = [path for path in _files_in(ledger, root) if path.resolve() not in resolved]
    every = [(path, True) for path in given] + [(path, False) for path in inside]
    rows: list[_RowsOfWeek] = []
    for path, is_given in every:
        digest = digest_of(path)
        if digest in ledger.answer_files:
            taken = taken.plus(Taken(known_files=int(is_given)))
            continue
        # Collect the rows of all weeks only if there is a new file.
        rows = rows or _rows_of(ledger, logs)
        found = _take(ledger, path, rows, is_given=is_given)
        if found.audits or found.reviewed or found.known or found.late:
            ledger.answer_files.append(digest)
            taken = taken.plus(found)
    return taken, [log.joined(week) for log, week in zip(logs, ledger.weeks, strict=True)]


def _files_in(ledger: Ledger, root: Path) -> list[Path]:
    """Return the tables in the weeks' folders that may hold answers."""
    return [
        path
        for week in ledger.weeks
        for path in sorted((root / week.name).iterdir())
        if path.suffix.lower() in WRITTEN_FORMATS and path.name not in OURS
    ]


def _rows_of(ledger: Ledger, logs: Sequence[WeekLog]) -> list[_RowsOfWeek]:
    """Return the rows of audits and of accepted outputs in each week."""
    return [
        _RowsOfWeek(week, set(log.row[log.audits].tolist()), set(log.row[log.accepted].tolist()))
        for week, log in zip(ledger.weeks, logs, strict=True)
    ]


def _take(ledger: Ledger, path: Path, rows: Sequence[_RowsOfWeek], *, is_given: bool) -> Taken:
    """Take the answers of one file; skip a file without ids, or raise if the user gave it."""
    weeks = {each.week.prefix: each for each in rows}
    with connect() as connection:
        source = open_source(path, connection)
        if not is_given and not {ID, "correct"} <= set(source.columns):
            return Taken()
        if ID not in source.columns:
            raise DataFileError(
                path, f"there is no column {quoted(ID)}: give the audits or the review of a week"
            )
        answers = {"correct": Correct("correct", "correct")}
        found = read_columns(source, answers, {"ids": ID}, ["correct"])
        counts = dict.fromkeys(Taken._fields, 0)
        for place in np.flatnonzero(~np.isnan(found["correct"])).tolist():
            name, answer = str(found["ids"][place]), int(found["correct"][place])
            prefix, _, number = name.partition("-")
            of_week, row = weeks.get(prefix), int(number) if number.isdecimal() else 0
            if of_week is None or (row in of_week.accepted and row not in of_week.audits):
                raise source.unexpected(
                    ID, place, "expected the id of an audit or of an output to review"
                )
            week, is_audit = of_week.week, row in of_week.audits
            before = week.answers.get(row)
            if is_audit and before is None and week.number <= ledger.counted:
                counts["late"] += 1
            elif before is None:
                week.answers[row] = answer
                counts["audits" if is_audit else "reviewed"] += 1
            elif before == answer:
                counts["known"] += 1
            else:
                raise source.unexpected(
                    "correct", place, f"{name} already has the answer {before}, which is kept"
                )
    return Taken(**counts)
