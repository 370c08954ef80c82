"""What is said of models and people one behind the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastarac._core.text import money, percent
from fastarac.answers.answer import Answer
from fastarac.answers.tables import Column
from fastarac.costs.cascade import FIGURES, UNIT

if TYPE_CHECKING:
    from fastarac.costs.cascade import Cascade


def cascade_answer(cascade: Cascade) -> Answer:
    """Say what each stage decides, and what all of them cost."""
    cells = zip(*cascade.rows_in_words(), strict=True)
    whole = (
        f"{UNIT:,} outputs cost {money(UNIT * cascade.cost)}; {percent(cascade.error_rate, 3)} of all "
        f"outputs are wrong in the end, {percent(cascade.acceptance_rate, 3)} are seen by no one."
    )
    return Answer(
        [whole, *cascade.sentences()],
        cascade.to_dict(),
        names=cascade.names,
        columns=[
            Column(header.replace("of ", "of\n"), list(column))
            for header, column in zip(FIGURES, cells, strict=True)
        ],
        title="stage",
    )
