"""Describe outputs that are read as a stream; only bounds of their figures are known."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from fastarac._core.text import count, printable
from fastarac.answers import decisions
from fastarac.answers.figures import FiguresOfModel
from fastarac.answers.screen import WIDTH, Note, Screen, Section, Weight
from fastarac.answers.tables import AnswerTable, Column, Said

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from fastarac._core.interval import Interval
    from fastarac.evaluation.bounds import BoundedEvaluation
    from fastarac.evaluation.limits import Limit

# Splits a line of a printed evaluation into the name and the value of a figure.
CELLS = re.compile(r"( *\S.*?) {2,}(.*)")
BETWEEN = (
    "{n} outputs were counted in a stream. Each exact figure lies between the two ends shown, and the "
    "limits hold over all these outputs."
)


class BoundedPoint(NamedTuple):
    """An operating point: a lower bound on the accepted share, and an upper bound on the errors."""

    threshold: float
    acceptance_rate: float
    error_rate: float


class BoundedLimit(NamedTuple):
    """The bounds at one limit."""

    limit: Limit
    point: BoundedPoint
    guaranteed: None = None


@dataclass(frozen=True, slots=True)
class StreamedModel(FiguresOfModel):
    """A model whose outputs were read as a stream."""

    takes_guarantee = False

    @property
    def intervals(self) -> Mapping[str, Interval]:
        """Always empty: the figures are bounds already."""
        return {}

    @property
    def cost_evaluation(self) -> None:
        """Always None: costs need all outputs in memory."""
        return

    def at(self, index: int) -> Any:
        """Return the bounds at the limit with this index."""
        found = self.evaluation.limits[index]
        at = found.point
        point = BoundedPoint(at.threshold, at.acceptance_rate.low, at.error_rate.high)
        return BoundedLimit(found.limit, point)


def between(figures: BoundedEvaluation) -> str:
    """Return a sentence on the number of outputs, and on the meaning of the bounds."""
    return BETWEEN.format(n=count(figures.n))


def screen(
    found: Mapping[str, BoundedEvaluation], notes: Iterable[Note] = (), width: int = WIDTH
) -> Screen:
    """Return the answer about the outputs in several files."""
    models: Any = [StreamedModel(name, figures) for name, figures in found.items()]
    details = []
    for name, figures in found.items():
        rows = [CELLS.fullmatch(line) for line in str(figures).splitlines()]
        names, values = zip(*(row.groups() for row in rows if row is not None), strict=True)
        every = AnswerTable(names, [[Column("value", list(values))]], "figure")
        details.append(Section(printable(name), [every, Said(between(figures))]))
    said = [Note(each, Weight.ASIDE) for each in dict.fromkeys(map(between, found.values()))]
    remarks = [*notes, *decisions.notes(models), *said]
    table = decisions.table(models, width)
    return Screen(decisions.sentences(models), table, notes=remarks, details=details)
