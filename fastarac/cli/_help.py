"""The list of commands in ``fastarac --help``, by what one wants to do."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

TASKS = {
    "Measure and compare": ("demo", "evaluate", "compare", "ocr"),
    "Choose a threshold that holds": ("plan", "fit", "check"),
    "Operate": ("apply", "monitor"),
    "This installation": ("doctor",),
}
LONGEST = 300  # characters of what a command does


class ByTask(TyperGroup):
    """Commands in groups, each with its whole first sentence."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002, as typer has it
        """Write the groups one after the other."""
        for task, names in TASKS.items():
            rows = [(name, self.commands[name].get_short_help_str(LONGEST)) for name in names]
            with formatter.section(task):
                formatter.write_dl(rows)
