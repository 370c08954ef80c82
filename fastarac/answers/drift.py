"""Describe whether a judge (a model that grades outputs) has changed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from fastarac._core.text import UNDEFINED, sentence, share
from fastarac.answers.answer import Answer
from fastarac.answers.screen import Note, Screen, Weight
from fastarac.answers.tables import AnswerTable, Column

if TYPE_CHECKING:
    from fastarac.operation.judged_releases import JudgeDrift


def drift_answer(drift: JudgeDrift) -> Answer:
    """Describe whether a judge's new releases agree with people less often than its first release."""
    rows = drift.releases
    columns = [
        Column("agrees", [share(each.agreement) for each in rows]),
        Column("errors\nfound", [share(each.errors_found) for each in rows]),
        Column("false\nalarms", [share(each.false_alarms) for each in rows]),
        Column("kappa", [_number(each.kappa) for each in rows]),
        Column("worse", [f"{each.worse:,}" for each in rows]),
        Column("better", [f"{each.better:,}" for each in rows]),
        Column("evidence", [f"{each.evidence:.3g}" for each in rows]),
    ]
    table = AnswerTable([str(each.name) for each in rows], [columns], "release")
    notes = [
        Note(
            f"The alarm is raised at an evidence of {1.0 / drift.failure_probability:.4g}.",
            Weight.ASSUMES,
        ),
        Note(
            "Worse: anchors on which the first release agreed with people and this release does not. "
            "Better: the reverse."
        ),
    ]
    figures = {
        "n": drift.n, "releases": [each.to_dict() for each in rows],
        "failure_probability": drift.failure_probability, "alarm": drift.alarm,
        "alarm_at": drift.alarm_at,
    }  # fmt: skip
    return Answer(Screen([sentence(str(drift))], table, notes=notes), figures)


def _number(value: float) -> str:
    return UNDEFINED if math.isnan(value) else f"{value:.2f}"
