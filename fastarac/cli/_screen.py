"""The screen of a result on a page: answer, table, notes, next command; or all of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from fastarac._core.text import printable
from fastarac.answers.screen import Weight, wrapped
from fastarac.cli._tables import print_parts, tables

if TYPE_CHECKING:
    from fastarac.answers.screen import Screen
    from fastarac.cli._tables import Page

BULLET = "- "


def screen_text(screen: Screen, page: Page, *, details: bool = False) -> str:
    """Return what is printed of a result: one screen, or with `details` everything."""
    with page.capture() as captured:
        if screen.about:
            page.print(Text(printable(screen.about), style="dim"))
        for sentence in screen.answer:
            page.print(Text(printable(sentence)))
        page.print()
        if screen.table is not None:
            names, blocks, title = screen.table
            for each in tables(names, blocks, page, title):
                page.print(each)
            if screen.caption:
                page.print(Text(screen.caption, style="dim"))
            page.print()
    text = captured.get()
    with page.capture() as captured:
        _print_rest(screen, page, text.count("\n"), details=details)
    return "".join(f"{line.rstrip()}\n" for line in (text + captured.get()).rstrip().split("\n"))


def _print_rest(screen: Screen, page: Page, used: int, *, details: bool) -> None:
    ranked = screen.ranked_notes()
    closing = [*screen.written, *([f"Next: {screen.command}"] if screen.command else [])]
    room = screen.room_for_notes(used + len(closing) + bool(closing and ranked))
    notes = (
        [note.text for note in ranked]
        if details
        else screen.shown_notes(page.width - len(BULLET), None if page.markdown else room)
    )
    for number, note in enumerate(notes):
        decides = number < len(ranked) and ranked[number].weight is Weight.DECIDES
        lines = wrapped(printable(note), page.width - len(BULLET))
        text = BULLET + f"\n{' ' * len(BULLET)}".join(lines)
        page.print(Text(text, style="yellow" if decides else ""))
    if closing and ranked and not page.markdown:
        page.print()
    for line in closing:
        page.print(Text(printable(line)), soft_wrap=True)
    if not details:
        return
    for section in screen.details:
        page.print()
        page.print(Text(section.title, style="bold"))
        page.print()
        print_parts(section.parts, page)
