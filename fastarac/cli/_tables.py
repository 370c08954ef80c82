"""Print sentences, and tables whose columns stay together in blocks."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from fastarac._core.text import printable
from fastarac.answers.tables import PART, Said, broken, in_whole_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fastarac.answers.tables import Column, Part

BEST = "bold green"
BROKEN = "bold red"
UNLIMITED = 100_000  # characters per line, in place of no limit
WIDEST = 80  # default width of tables, in characters


class Page(Console):
    """A console: sentences are as wide as the terminal, and tables at most `WIDEST` characters.

    With `markdown`, tables have any width, and each text is a paragraph.
    """

    def __init__(self, *, markdown: bool = False) -> None:
        super().__init__(
            file=sys.stdout, highlight=False, markup=False, emoji=False, no_color=markdown or None
        )
        self.markdown = markdown
        if markdown and not self.is_terminal:
            self.width = UNLIMITED
        elif not self.is_terminal:
            columns = os.environ.get("COLUMNS", "")
            self.width = int(columns) if columns.isdecimal() and int(columns) else WIDEST

    def print(self, *objects: Any, **options: Any) -> None:
        if not self.markdown:
            super().print(*objects, **options)
            return
        for each in objects:
            text = _in_markdown(each)
            if text:
                super().print(Text(text), soft_wrap=True, end="\n\n")


def texts(column: Column) -> list[Text]:
    """Return the cells of a column as rich text, with marks on the best ones and on broken limits."""
    found = []
    for row, (cell, is_best) in enumerate(zip(column.cells, column.best(), strict=True)):
        shown, style = cell, BEST if is_best else ""
        if column.broken is not None:
            shown, style = (f"{cell} !", BROKEN) if column.broken[row] else (f"{cell}  ", style)
        text = Text(shown, style=style)
        if column.below is not None:
            margin = "" if column.broken is None else "  "
            text = Text.assemble((shown, style), (f"\n{column.below[row]}{margin}", "dim"))
        found.append(text)
    return found


def tables(
    names: Sequence[str], blocks: Iterable[Sequence[Column]], console: Console, title: str = "model"
) -> list[Table]:
    """Return one table, or several if the console is too narrow for one.

    A block stays in one table if it fits beside the longest part of a name.
    """
    done: list[Table] = []
    columns: list[Column] = []
    limit = console.width if getattr(console, "markdown", False) else min(console.width, WIDEST)
    unlimited = console.options.update(width=UNLIMITED)
    names = [printable(name) for name in names]
    whole = max((len(line) for name in [*names, title] for line in name.split("\n")), default=0)
    longest = max((len(part) for name in [*names, title] for part in PART.findall(name)), default=0)
    least = min(longest, limit // 2)

    def room(shown: Sequence[Column]) -> int:
        """Return the width that the columns leave for the names."""
        unnamed = table([""] * len(names), shown, "")
        return limit - Measurement.get(console, unlimited, unnamed).maximum

    def finish() -> None:
        width = room(columns)
        done.append(table([broken(name, width) for name in names], columns, broken(title, width)))
        if whole > width:
            done[-1].width = limit
        columns.clear()

    for block in blocks:
        if columns and room([*columns, *block]) < whole:
            finish()
        for column in block:
            if columns and room([*columns, column]) < least:
                finish()
            columns.append(column)
    finish()
    return done


def printable_parts(parts: Iterable[Part], console: Console) -> Iterator[Any]:
    """Yield the printable parts of an answer, with an empty line after each table."""
    for part in parts:
        if isinstance(part, Said):
            yield Text(part.text, style=part.style)
            continue
        for made in tables(part.names, part.blocks, console, part.title):
            yield from (made, "")


def print_parts(parts: Iterable[Part], console: Console) -> None:
    for each in printable_parts(parts, console):
        console.print(each)


def table(names: Sequence[str], columns: Sequence[Column], title: str = "model") -> Table:
    """Return a table with a name for each row."""
    made = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    made.add_column(title, overflow="fold", vertical="bottom")
    for column in columns:
        made.add_column(Text(column.header), justify=column.justify, no_wrap=True, overflow="fold")
    two_lines = any(column.below is not None for column in columns)
    for name, *cells in zip(names, *map(texts, columns), strict=True):
        made.add_row(Text(name + "\n" * (two_lines and "\n" not in name)), *cells)
    return made


def _in_markdown(printed: Any) -> str:
    """Return a table or text as Markdown, with a cell's second line in parentheses."""
    if not isinstance(printed, Table):
        text = str(printed).strip()
        return f"**{text}**" if text and getattr(printed, "style", "") == "bold" else text
    titles = [in_whole_words(str(column.header)) for column in printed.columns]
    rows = [list(map(_escaped, titles))]
    rows.append(["---:" if column.justify == "right" else "---" for column in printed.columns])
    rows += map(list, zip(*(map(_cell, column.cells) for column in printed.columns), strict=True))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _cell(cell: Any) -> str:
    first, *below = [_escaped(line) for line in str(cell).strip().split("\n")]
    styles = {str(cell.style), *(str(span.style) for span in cell.spans)}
    shown = f"**{first}**" if BEST in styles else first
    return f"{shown} ({below[0]})" if below and below[0] else shown


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").strip()
