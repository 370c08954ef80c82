"""Describe a cascade of models and people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastarac._core.text import money, percent
from fastarac.answers.answer import Answer
from fastarac.answers.screen import Note, Screen, Weight
from fastarac.answers.tables import AnswerTable, Column
from fastarac.costs.cascade import FIGURES, UNIT

if TYPE_CHECKING:
    from fastarac.costs.cascade import Cascade


def cascade_answer(cascade: Cascade) -> Answer:
    """Describe a cascade's stages in a table, and its cost in a sentence."""
    cells = zip(*cascade.rows_in_words(), strict=True)
    columns = [
        Column(header.replace("of ", "of\n"), list(column))
        for header, column in zip(FIGURES, cells, strict=True)
    ]
    accepted, wrong = (
        percent(cascade.acceptance_rate, 3),
        f"{percent(cascade.error_rate, 3)} of all outputs",
    )
    if cascade.max_risk is not None and cascade.acceptance_rate > 0.0:
        wrong = f"{percent(cascade.risk, 3)} of these"
    whole = (
        f"{UNIT:,} outputs cost {money(UNIT * cascade.cost)}: {accepted} are accepted unverified, "
        f"and {wrong} remain wrong."
    )
    table = AnswerTable(cascade.names, [columns], "stage")
    notes = [Note(each, Weight.ASSUMES) for each in cascade.sentences()]
    return Answer(Screen([whole], table, notes=notes), cascade.to_dict())
