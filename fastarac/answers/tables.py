"""Sentences and tables of an answer, before anybody prints or shows them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

TABLE = "none"  # the style of figures that are laid out as text
ABBREVIATED = {"recog.": "recognition", "norm.": "normalised", "confid.": "confidence"}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    header : str
        What stands above it.
    cells : list of str
        One a row.
    values : list of float or None
        Of which the largest is best.
    below : list of str or None
        What stands below each cell.
    justify : {"left", "right"}
        Where its cells are.
    broken : list of bool or None
        Which cells break a limit.
    """

    header: str
    cells: list[str]
    values: list[float] | None = None
    below: list[str] | None = None
    justify: Literal["left", "right"] = "right"
    broken: list[bool] | None = None

    def best(self) -> list[bool]:
        """Return which cells are best; none where all are alike."""
        if self.values is None:
            return [False] * len(self.cells)
        largest = max((value for value in self.values if not math.isnan(value)), default=None)
        best = [value == largest for value in self.values]
        return [False] * len(best) if all(best) else best


class AnswerTable(NamedTuple):
    """A table of which each row has a name; columns of one block stay together."""

    names: Sequence[str]
    blocks: Iterable[Sequence[Column]]
    title: str = "model"

    @property
    def has_lines_below(self) -> bool:
        """Whether something stands below the cells of each row."""
        return any(column.below is not None for block in self.blocks for column in block)


class Said(NamedTuple):
    """A paragraph; empty for an empty line.

    It is ``"bold"`` above a table, ``"yellow"`` where it warns, ``"dim"`` where it explains, and
    ``"none"`` where it is a table itself.
    """

    text: str = ""
    style: str = ""


Part: TypeAlias = AnswerTable | Said


def in_whole_words(header: str) -> str:
    """Return what stands above a column on one line, without abbreviations."""
    whole = header.replace("-\n", "-").replace("\n", " ")
    for short, long in ABBREVIATED.items():
        whole = whole.replace(short, long)
    return whole
