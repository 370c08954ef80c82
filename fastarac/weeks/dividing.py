"""Divide the files of a week by a policy, and draw audits of the outputs that it accepts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from fastarac.io._formats import open_source
from fastarac.io._sources import connect, sql_name
from fastarac.operation.application import apply_policy
from fastarac.operation.logs import DRAWN, OF_AUDIT
from fastarac.partial_truth.sample_files import (
    opened_tables,
    refuse_columns,
    sample_outputs,
    write_rows,
)
from fastarac.station.table import ANSWERS
from fastarac.weeks.ledger import LOG
from fastarac.weeks.logs import ID, WEEK, WeekLog

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from fastarac.operation.application_results import AppliedPolicy
    from fastarac.operation.policy import Policy
    from fastarac.results import AppliedPages
    from fastarac.weeks.ledger import Week

# Columns that are added to a table, so it must not have them already.
ADDED = ["row", DRAWN, OF_AUDIT, "correct", ID, WEEK]
ACCEPTED, REVIEW, AUDITS = "accepted.csv", "review.csv", "audits.csv"


class Divided(NamedTuple):
    """Counts of accepted outputs, the pages (for files of an OCR engine), and notes on the files."""

    applied: AppliedPolicy
    pages: AppliedPages | None = None
    notes: Sequence[str] = ()


class TableColumns(NamedTuple):
    """The column names of a table of outputs; None if there is no such column."""

    confidence: str = "confidence"
    by: str | None = None
    groups: str | None = None
    documents: str | None = None
    types: str | None = None


def divide(
    policy: Policy,
    paths: Sequence[Path],
    folder: Path,
    columns: TableColumns,
    read_options: Mapping[str, Any],
) -> Divided:
    """Write the accepted outputs and those to review, as ``fastarac apply`` does.

    `read_options` are further arguments of :func:`.apply_to_files` or of :func:`.apply_to_fields`. With
    several engines, `read_options["output"]` replaces `paths`.
    """
    from fastarac import ocr
    from fastarac.ocr.application import are_engine_outputs
    from fastarac.ocr.fields.application import are_documents

    goals = {"accepted": folder / ACCEPTED, "review": folder / REVIEW}
    if policy.fields and any(are_documents(path, policy) for path in paths):
        fields = ocr.apply_to_fields(policy, paths, **read_options)
        fields.save(**goals)
        return Divided(fields.applied, None, fields.notes)
    if are_engine_outputs(paths):
        pages = ocr.apply_to_files(policy, **{"output": paths, **read_options})
        pages.save(**goals)
        return Divided(pages.applied, pages, pages.notes)
    if len(paths) > 1:
        raise ValueError(f"files must be one table, or files of an OCR engine, got {len(paths)} tables")
    with connect() as connection:
        refuse_columns(open_source(paths[0], connection), [*ADDED, *ANSWERS])
    options: dict[str, Any] = goals | columns._asdict()
    return Divided(apply_policy(policy, paths[0], empty_confidence=True, **options))


def draw_audits(
    policy: Policy, folder: Path, week: Week, seed: int, budget: float, n_accepted: int
) -> WeekLog:
    """Draw the audits of a week; write its log and its audits, and add ids to the review file.

    ``fastarac sample --audit`` writes the same log if its seed is the sum of `seed` and the week's
    number.
    """
    both, columns = [folder / ACCEPTED, folder / REVIEW], cast("dict[str, Any]", week.columns)
    sample_outputs(
        both, folder / LOG, budget, policy=policy, random_state=seed + week.number, **columns
    )
    with connect() as connection:
        log = WeekLog.read(folder, week, connection)
    of_review = np.arange(n_accepted + 1, rows_of(both) + 1)
    _write_questions(both, folder / AUDITS, week, log.row[log.audits])
    _write_questions(both, folder / REVIEW, week, of_review)
    return log


def _write_questions(paths: Sequence[Path], goal: Path, week: Week, rows: NDArray[np.intp]) -> None:
    """Write the given rows of the tables, with ids and an empty column for answers."""
    with connect() as connection:
        source = opened_tables(paths, connection)
        ids = np.array([week.id_of(row) for row in rows.tolist()], np.str_)
        table = {"row": rows, ID: ids, WEEK: np.full(len(rows), week.number, np.int32)}
        added = [f"drawn.{sql_name(ID)}", f"drawn.{sql_name(WEEK)}", 'NULL AS "correct"']
        write_rows(source, goal, table, added, first=False)


def rows_of(paths: Sequence[Path]) -> int:
    """Return the number of rows in tables."""
    with connect() as connection:
        ((n,),) = opened_tables(paths, connection).select("count(*)").fetchall()
    return int(n)
