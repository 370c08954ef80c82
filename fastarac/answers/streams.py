"""The answer about outputs that were counted in a stream: the figures are bounds, the limits hold."""

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

CELLS = re.compile(r"( *\S.*?) {2,}(.*)")  # a name and its value, as `print` shows them
BETWEEN = (
    "{n} outputs were counted in a stream. Each exact figure lies between the two ends shown, and the "
    "limits hold over all these outputs."
)


class BoundedPoint(NamedTuple):
    """An operating point with what is surely accepted, and at most wrong."""

    threshold: float
    acceptance_rate: float
    error_rate: float


class BoundedLimit(NamedTuple):
    """What one limit surely lets through."""

    limit: Limit
    point: BoundedPoint
    guaranteed: None = None


@dataclass(frozen=True, slots=True)
class StreamedModel(FiguresOfModel):
    """A model whose outputs were counted in a stream."""

    takes_guarantee = False

    @property
    def intervals(self) -> Mapping[str, Interval]:
        """Nothing: figures are bounds."""
        return {}

    @property
    def cost_evaluation(self) -> None:
        """Nothing: costs need all outputs."""
        return

    def at(self, index: int) -> BoundedLimit:
        """Return what the limit of this index surely lets through."""
        found = self.evaluation.limits[index]
        at = found.point
        point = BoundedPoint(at.threshold, at.acceptance_rate.low, at.error_rate.high)
        return BoundedLimit(found.limit, point)


def between(figures: BoundedEvaluation) -> str:
    """Say how many outputs were counted, and what bounds are."""
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
