"""The list of commands in ``fastarac --help``, by what one wants to do."""

from __future__ import annotations

from typing import Any

from typer import BadParameter
from typer.core import TyperGroup

TASKS = {
    "Measure and compare": ("demo", "evaluate", "compare", "ocr"),
    "Verify a few": ("sample", "search"),
    "Choose a threshold that holds": ("plan", "fit", "check", "cascade"),
    "Operate": ("apply", "monitor"),
    "Files and installation": ("inspect", "doctor"),
}
WORDS = {  # of pydantic, which reads the options
    "Value error, ": "",
    "Input should be ": "it should be ",
    ", unable to parse string as an integer": "",
    ", unable to parse string as a number": "",
    "a valid integer": "an integer",
    "a valid number": "a number",
    "greater than or equal to": "at least",
}
LONGEST = 300  # characters of what a command does


class ByTask(TyperGroup):
    """Commands in groups, each with its whole first sentence."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command; what is wrong with an option is said without another library's words."""
        try:
            return super().invoke(ctx)
        except BadParameter as error:
            for library, words in WORDS.items():
                error.message = error.message.replace(library, words)
            raise

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002, as typer has it
        """Write the groups one after the other."""
        for task, names in TASKS.items():
            rows = [(name, self.commands[name].get_short_help_str(LONGEST)) for name in names]
            with formatter.section(task):
                formatter.write_dl(rows)
