"""What ``--format json`` prints: one object, which schema.json describes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastarac._core.export import plain
from fastarac._core.text import json_text
from fastarac._version import __version__
from fastarac.cli import _html
from fastarac.cli._screen import screen_text
from fastarac.cli._standard import tell, write
from fastarac.cli._tables import Page

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from fastarac.answers.answer import Answer
    from fastarac.cli._options import Printing

FORMAT = 2  # one more wherever a name goes or means something else


def write_object(
    command: str,
    about: Mapping[str, Any],
    *,
    comparisons: Iterable[Mapping[str, Any]] = (),
    decisions: Iterable[str] = (),
    warnings: Iterable[str] = (),
) -> None:
    """Write what a command has found.

    Parameters
    ----------
    command : str
    about : mapping
        What the command is about by its name, such as ``"models"`` or ``"policy"``.
    comparisons : iterable of mapping
        Models side by side: a statistic, and its difference of each pair.
    decisions : iterable of str
        What people read beside tables.
    warnings : iterable of str
        The notes, which go to the standard error output as well.
    """
    content = {
        "format": FORMAT,
        "command": command,
        "version": __version__,
        **about,
        "comparisons": list(comparisons),
        "decisions": list(decisions),
        "warnings": list(warnings),
    }
    write(json_text(_values(content), indent=2) + "\n")


def deliver(
    printing: Printing,
    command: str,
    found: Answer,
    *,
    about: str | None = None,
    report: Path | None = None,
) -> None:
    """Write an answer, for people or for programs, which have its warnings on stderr, too.

    In JSON the figures are named after the command, or as `about`.
    """
    if report is not None:
        found = found.closing(found.screen.command, _html.WRITTEN.format(path=report))
    if printing.form != "json":
        write(screen_text(found.screen, Page(), details=printing.details))
        return
    figures = {about or command: found.figures}
    write_object(command, figures, decisions=found.sentences(), warnings=found.warnings)
    tell(found.warnings)


def _values(content: Any) -> Any:
    """Return content as JSON has it: numbers that are not finite are null."""
    if isinstance(content, dict):
        return {name: _values(value) for name, value in content.items()}
    if isinstance(content, list | tuple):
        return [_values(each) for each in content]
    return plain(content)
