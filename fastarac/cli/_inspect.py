"""`fastarac inspect`: show the contents of files as text or JSON."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fastarac.cli._json import write_object
from fastarac.cli._option_groups import PrintingOptions, grouped
from fastarac.cli._options import refused
from fastarac.cli._screen import command_line, screen_text
from fastarac.cli._standard import write
from fastarac.cli._tables import Page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastarac.ocr.inspection import FileInspection

Files = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE...",
        help="Files of OCR engines or services, true texts, tables, or folders of pages.",
        show_default=False,
    ),
]


@grouped
def inspect(paths: Files, *, printing: PrintingOptions) -> None:
    """Show what files hold, and how they would be read."""
    from fastarac.answers.inspection import inspection_screen
    from fastarac.ocr import inspect_file

    with refused(ValueError, OSError, ModuleNotFoundError):
        found = [inspect_file(path) for path in paths]
    screen = replace(inspection_screen(found), command=_next(found))
    if printing.form == "json":
        files = {"files": [each.to_dict() for each in found]}
        write_object("inspect", files, decisions=screen.sentences())
    else:
        write(screen_text(screen, Page(), details=printing.details))


def _next(found: Sequence[FileInspection]) -> str:
    """Return the command to suggest for a file, or "" for several files."""
    if len(found) > 1:
        return ""
    (file,) = found
    if file.holds == "true words":
        return command_line("ocr", file.path, "ocr/")
    if file.holds != "rows":
        return command_line("ocr", "truth/", file.path)
    names = {column.partition(" ")[0] for column in file.columns}
    if {"correct", "confidence"} <= names:
        return command_line("evaluate", file.path)
    if "confidence" in names:
        return command_line("sample", file.path, "--budget", 500, "-o", "to_verify.csv")
    return ""
