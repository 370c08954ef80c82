"""Print a result: answer, table, notes and next command, or all details."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from rich.text import Text

from fastarac._core.text import printable
from fastarac.answers.screen import Weight, wrapped
from fastarac.cli._tables import print_parts, tables

if TYPE_CHECKING:
    from fastarac.answers.screen import Screen
    from fastarac.cli._tables import Page

ALIKE = "--for", "guarantee-new"  # options with which `sample` draws a simple random sample
BULLET = "- "
CONTINUED = " \\"  # ends a line of a command that continues on the next line


def screen_text(screen: Screen, page: Page, *, details: bool = False) -> str:
    """Return a result as text: what fits on a screen or, with `details`, everything."""
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
    command = f"Next: {printable(screen.command)}" if screen.command else ""
    if not page.markdown:  # in Markdown, each line would become a paragraph
        command = continued(command, page.width)
    ranked = screen.ranked_notes()
    closing = [*map(printable, screen.written), *command.splitlines()]
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
        page.print(Text(line), soft_wrap=True)
    if not details:
        return
    for section in screen.details:
        page.print()
        page.print(Text(section.title, style="bold"))
        page.print()
        print_parts(section.parts, page)


def command_line(command: str, *arguments: object) -> str:
    """Return a command quoted for a shell, without arguments that are None or ""."""
    given = [str(each) for each in arguments if each is not None and each != ""]
    return f"fastarac {shlex.join([command, *given])}"


def continued(command: str, width: int) -> str:
    """Break a command into lines of this width; an option stays with its value."""
    words: list[str] = []
    for word in re.findall(r"""(?:'[^']*'|"[^"]*"|\S)+""", command):  # do not split quoted text
        if words and not word.startswith("-") and words[-1].startswith("-") and " " not in words[-1]:
            words[-1] += f" {word}"
        else:
            words.append(word)
    lines = words[:1]
    for word in words[1:]:
        if len(lines[-1]) + len(word) + len(CONTINUED) < width:
            lines[-1] += f" {word}"
        else:
            lines.append(f"    {word}")
    return f"{CONTINUED}\n".join(lines)
