"""`fastarac doctor`: check whether fastarac works here, and list installed and missing packages."""

from __future__ import annotations

import typer

from fastarac.answers import installation
from fastarac.answers.answer import Answer
from fastarac.cli._exit import FAILED, interrupts_end_at_once
from fastarac.cli._json import deliver
from fastarac.cli._option_groups import PrintingOptions, grouped


@grouped
def doctor(printing: PrintingOptions) -> None:
    """Check the installation."""
    with interrupts_end_at_once():
        found = installation.examine()
    deliver(printing, "doctor", Answer(installation.screen(found), found))
    if not installation.is_right(found):
        raise typer.Exit(FAILED)
