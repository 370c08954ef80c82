"""Results as text: a screen that begins with the answer, and sections that ``--details`` adds."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

from fastarac._core.text import printable
from fastarac.answers.tables import TABLE, AnswerTable, Said

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastarac.answers.tables import Column, Part

LINES = 24  # maximum number of printed lines for up to `ROWS` rows and `SENTENCES` sentences
ROWS = 4
MANY = 12  # beyond this number of rows, limits share one sentence, and only decisive notes appear
SENTENCES = 2
NOTES = 3
LINES_OF_NOTE = 2
WIDTH = 80
THRESHOLD = "threshold"  # header of the columns that a narrow screen shortens or leaves out
NAME = 12  # number of characters to which a long name is shortened
GAP = 2  # number of spaces between columns


class Weight(IntEnum):
    """How much a note matters to the reader's decision; notes with the lowest number come first."""

    DECIDES = 0  #: A fact that would change the decision, such as a different best model.
    ASSUMES = 1  #: An assumption without which the answer does not hold.
    LITTLE = 2  #: A warning of too few data, or a minor doubt.
    ASIDE = 3  #: Background information.


class Note(NamedTuple):
    """A note, with its importance and a shorter text for screens."""

    text: str
    weight: Weight = Weight.ASIDE
    brief: str = ""


class Section(NamedTuple):
    """A part of the details, under a title."""

    title: str
    parts: Sequence[Part]


@dataclass(frozen=True, slots=True)
class Screen:
    """The text of a result, in parts.

    Attributes
    ----------
    answer : sequence of str
        One sentence per limit, the decision first.
    table : AnswerTable or None
    caption : str
        An explanation of the table, shown below it; empty for none.
    notes : sequence of Note
        Notes in any order; `shown_notes` ranks them.
    written : sequence of str
        A sentence on each file written.
    command : str
        The next command, ready to copy; empty for none.
    details : sequence of Section
        The sections of details.
    about : str
        A line above the answer, on the data of the figures; empty for none.
    """

    answer: Sequence[str]
    table: AnswerTable | None = None
    caption: str = ""
    notes: Sequence[Note] = ()
    written: Sequence[str] = ()
    command: str = ""
    details: Sequence[Section] = ()
    about: str = ""

    def with_notes(self, *notes: Note) -> Screen:
        """Return the screen with further notes."""
        return replace(self, notes=[*self.notes, *notes])

    def ranked_notes(self) -> list[Note]:
        """Return the notes without duplicates, most important first."""
        return sorted(dict.fromkeys(self.notes), key=lambda note: note.weight)

    def shown_notes(self, width: int = WIDTH, lines: int | None = None) -> list[str]:
        """Return at least one note, more notes that fit on `lines` lines, and a hint at any others."""
        ranked = self.ranked_notes()
        few = self.table is None or len(self.table.names) <= MANY
        first = [note for note in ranked[:NOTES] if few or note.weight is Weight.DECIDES]
        shown: list[str] = []
        used = 0
        for note in first:
            text = shortened(note, width)
            length = lines_of(text, width)
            # keep one line for the hint that there are more notes
            more = len(shown) + 1 < len(ranked)
            if shown and lines is not None and used + length + more > lines:
                break
            shown.append(text)
            used += length
        left = len(ranked) - len(shown)
        cut = any(text != note.text for text, note in zip(shown, ranked, strict=False))
        if left:
            more_notes = f"{'more ' * bool(shown)}{'note' if left == 1 else 'notes'}"
            shown.append(f"{left} {more_notes}: --details")
        elif cut:
            shown.append("Notes in full: --details")
        return shown

    def sentences(self) -> list[str]:
        """Return all sentences for JSON, including those of the details."""
        first = [self.about, *self.answer, self.caption]
        first += [*(note.text for note in self.ranked_notes()), *self.written]
        said = [
            part.text.strip()
            for section in self.details
            for part in section.parts
            if isinstance(part, Said) and part.style not in ("bold", "yellow", TABLE)
        ]
        return list(filter(None, dict.fromkeys([*first, *said])))

    def room_for_notes(self, used: int) -> int:
        """Return the number of lines for notes after `used` lines of other text."""
        rows = 0 if self.table is None else len(self.table.names)
        taller = 1 + (self.table is not None and self.table.has_lines_below)
        beyond = taller * max(0, rows - ROWS) + LINES_OF_NOTE * max(0, len(self.answer) - SENTENCES)
        return LINES + beyond - used


def wrapped(text: str, width: int) -> list[str]:
    """Return the lines of a paragraph."""
    return textwrap.wrap(text, width, break_on_hyphens=False) or [""]


def lines_of(text: str, width: int) -> int:
    """Return the number of lines of a paragraph."""
    return len(wrapped(text, width))


def shortened(note: Note, width: int) -> str:
    """Return a note in at most two lines: whole, brief, or cut."""
    for text in filter(None, (note.text, note.brief)):
        if lines_of(text, width) <= LINES_OF_NOTE:
            return text
    sentences = (note.brief or note.text).split(". ")
    for n in range(len(sentences) - 1, 0, -1):
        text = f"{'. '.join(sentences[:n])}."
        if lines_of(text, width) <= LINES_OF_NOTE:
            return text
    lines = textwrap.wrap(sentences[0], width, max_lines=LINES_OF_NOTE, placeholder=" …")
    return " ".join(lines)


def one_table(names: Sequence[str], columns: Sequence[Column], title: str, width: int) -> AnswerTable:
    """Return a table that fits `width`: shorten thresholds, then names, then leave out thresholds."""
    shown = [printable(name) for name in names]
    longest = max(map(len, [*shown, title]))
    short = [_cut(column) if column.header == THRESHOLD else column for column in columns]
    without = [column for column in columns if column.header != THRESHOLD]
    ways = ((columns, longest), (short, longest), (short, NAME), (without, NAME))
    every = next((way for way, least in ways if _room(way, width) >= least), without)
    room = max(_room(every, width), NAME)
    return AnswerTable([middle_cut(name, room) for name in shown], [every], title)


def middle_cut(text: str, length: int) -> str:
    """Return a text of at most this length; an ellipsis replaces the middle of a longer one."""
    if len(text) <= length:
        return text
    end = (length - 1) // 2
    return f"{text[: length - 1 - end]}…{text[len(text) - end :]}"


def _cut(column: Column) -> Column:
    """Return the column with short thresholds; a threshold of almost 1 is shown as ">0.999999"."""
    most = len(THRESHOLD)
    cells = []
    for cell in column.cells:
        cut = cell[: most - 1]
        short = f">{cut}" if cut.startswith("0.9999") else f"{cut}…"
        cells.append(cell if len(cell) <= most else short)
    return replace(column, cells=cells)


def _room(columns: Sequence[Column], width: int) -> int:
    """Return the width that the columns leave for names."""
    lines = [[*column.header.split("\n"), *column.cells, *(column.below or ())] for column in columns]
    return width - sum(max(map(len, each)) + GAP for each in lines)
