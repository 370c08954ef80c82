"""Sentences and tables of an answer."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

TABLE = "none"  # style of a text that is laid out as a table
PART = re.compile(r"[^\s\-_./]*(?:[\-_./]+|\s+|$)")  # a part of a name; lines may break after a part
ABBREVIATED = {"recog.": "recognition", "norm.": "normalised", "confid.": "confidence"}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    header : str
        The header.
    cells : list of str
        One text per row.
    values : list of float or None
        Values of the cells, to mark the largest as best.
    below : list of str or None
        A second line below each cell.
    justify : {"left", "right"}
        The alignment of the cells.
    broken : list of bool or None
        Whether each cell exceeds a limit.
    """

    header: str
    cells: list[str]
    values: list[float] | None = None
    below: list[str] | None = None
    justify: Literal["left", "right"] = "right"
    broken: list[bool] | None = None

    def best(self) -> list[bool]:
        """Return which cells have the largest value; none if all are equal."""
        if self.values is None:
            return [False] * len(self.cells)
        largest = max((value for value in self.values if not math.isnan(value)), default=None)
        best = [value == largest for value in self.values]
        return [False] * len(best) if all(best) else best


class AnswerTable(NamedTuple):
    """A table with a name for each row, and columns in blocks that stay together."""

    names: Sequence[str]
    blocks: Iterable[Sequence[Column]]
    title: str = "model"

    @property
    def has_lines_below(self) -> bool:
        """Whether cells have a second line."""
        return any(column.below is not None for block in self.blocks for column in block)


class Said(NamedTuple):
    """A paragraph, or an empty line if the text is empty.

    `style` is ``"bold"`` for a title, ``"yellow"`` for a warning, ``"dim"`` for an explanation, and
    `TABLE` for text that is laid out as a table.
    """

    text: str = ""
    style: str = ""


Part: TypeAlias = AnswerTable | Said


def in_whole_words(header: str) -> str:
    """Return a header on one line, without abbreviations."""
    whole = header.replace("-\n", "-").replace("\n", " ")
    for short, long in ABBREVIATED.items():
        whole = whole.replace(short, long)
    return whole


def broken(name: str, width: int) -> str:
    """Return a name with line breaks between its parts; parts longer than `width` are not broken."""
    lines = [""]
    for part in filter(None, PART.findall(name)):
        if lines[-1] and len(lines[-1]) + len(part.rstrip()) > width:
            lines.append("")
        lines[-1] += part
    return "\n".join(line.rstrip(" ") for line in lines)
