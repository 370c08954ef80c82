"""`fastarac doctor`: check whether fastarac works here, and list installed and missing packages."""

from __future__ import annotations

import typer

from fastarac.answers import installation
from fastarac.cli._exit import FAILED, interrupts_end_at_once
from fastarac.cli._json import write_object
from fastarac.cli._option_groups import PrintingOptions, grouped
from fastarac.cli._screen import screen_text
from fastarac.cli._standard import write
from fastarac.cli._tables import Page


@grouped
def doctor(printing: PrintingOptions) -> None:
    """Check the installation."""
    with interrupts_end_at_once():
        found = installation.examine()
    screen = installation.screen(found)
    if printing.form == "json":
        write_object("doctor", {"doctor": found}, decisions=screen.sentences())
    else:
        write(screen_text(screen, Page(), details=printing.details))
    if not installation.is_right(found):
        raise typer.Exit(FAILED)
