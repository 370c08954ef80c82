"""Tables for people: columns of cells, of which the best stand out, in blocks that stay together."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rich.box import SIMPLE_HEAD
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from fastarac._core.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import Console

BEST = "bold green"
BROKEN = "bold red"
UNLIMITED = 100_000  # characters a line


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

    def texts(self) -> list[Text]:
        """Return the cells as they are printed."""
        found = []
        for row, (cell, is_best) in enumerate(zip(self.cells, self.best(), strict=True)):
            shown, style = cell, BEST if is_best else ""
            if self.broken is not None:
                shown, style = (f"{cell} !", BROKEN) if self.broken[row] else (f"{cell}  ", style)
            text = Text(shown, style=style)
            if self.below is not None:
                margin = "" if self.broken is None else "  "
                text = Text.assemble((shown, style), (f"\n{self.below[row]}{margin}", "dim"))
            found.append(text)
        return found


def tables(
    names: Sequence[str], blocks: Iterable[Sequence[Column]], console: Console, title: str = "model"
) -> list[Table]:
    """Return one table, or several where the console is too narrow for all blocks in one."""
    done: list[Table] = []
    columns: list[Column] = []
    unlimited = console.options.update(width=UNLIMITED)
    for block in blocks:
        wider = table(names, [*columns, *block], title)
        if columns and Measurement.get(console, unlimited, wider).maximum > console.width:
            done.append(table(names, columns, title))
            columns = []
        columns += block
    return [*done, table(names, columns, title)]


def table(names: Sequence[str], columns: Sequence[Column], title: str = "model") -> Table:
    """Return a table whose rows have names."""
    made = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    made.add_column(title, overflow="fold", vertical="bottom")
    for column in columns:
        made.add_column(Text(column.header), justify=column.justify, no_wrap=True, overflow="fold")
    two_lines = any(column.below is not None for column in columns)
    for name, *cells in zip(names, *(column.texts() for column in columns), strict=True):
        made.add_row(Text(printable(name) + "\n" * two_lines), *cells)
    return made
