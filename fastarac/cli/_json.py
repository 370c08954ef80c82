"""Print the object of ``--format json``, which schema.json describes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastarac._core.export import plain
from fastarac._core.text import json_text
from fastarac._version import __version__
from fastarac.cli import _html
from fastarac.cli._screen import screen_text
from fastarac.cli._standard import csv_text, tell, write
from fastarac.cli._tables import Page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from fastarac.answers.answer import Answer
    from fastarac.answers.screen import Screen
    from fastarac.cli._options import Delivery, Printing

FORMAT = 2  # version of the JSON format; increase it when you remove a name or change its meaning


def write_object(
    command: str,
    about: Mapping[str, Any],
    *,
    comparisons: Iterable[Mapping[str, Any]] = (),
    decisions: Iterable[str] = (),
    warnings: Iterable[str] = (),
) -> None:
    """Write the results of a command.

    Parameters
    ----------
    command : str
    about : mapping
        The subject of the command by its name, such as ``"models"`` or ``"policy"``.
    comparisons : iterable of mapping
        Comparisons of models: a statistic and its difference for each pair.
    decisions : iterable of str
        The sentences that the text output shows above the tables.
    warnings : iterable of str
        The notes, which also go to stderr.
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
    """Write an answer as text, or as JSON with the figures under the key `about` or else `command`."""
    if report is not None:
        found = found.closing(found.screen.command, _html.WRITTEN.format(path=report))
    if printing.form != "json":
        write(screen_text(found.screen, Page(), details=printing.details))
        return
    figures = {about or command: found.figures}
    write_object(command, figures, decisions=found.sentences(), warnings=found.warnings)
    tell(found.warnings)


def print_models(
    delivery: Delivery,
    command: str,
    screen: Screen,
    warnings: Sequence[str],
    *,
    models: Callable[[], Any],
    rows: Callable[[], Sequence[dict[str, Any]]],
    comparisons: Callable[[], Iterable[Mapping[str, Any]]] = tuple,
) -> None:
    """Print figures of models as a screen, or as JSON or CSV with the warnings on stderr."""
    if delivery.form.is_for_people:
        write(delivery.text(screen))
        return
    if delivery.form == "json":
        write_object(
            command, {"models": models()}, comparisons=comparisons(), decisions=screen.sentences(),
            warnings=warnings,
        )  # fmt: skip
    else:
        write(csv_text(rows()))
    tell(warnings)


def _values(content: Any) -> Any:
    """Return values that JSON can hold, with null for numbers that are not finite."""
    if isinstance(content, dict):
        return {name: _values(value) for name, value in content.items()}
    if isinstance(content, list | tuple):
        return [_values(each) for each in content]
    return plain(content)
