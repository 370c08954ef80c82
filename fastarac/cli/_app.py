"""The root command and the options that precede a subcommand."""

from __future__ import annotations

from typing import Annotated

import typer

from fastarac._version import __version__
from fastarac.cli import _options as options  # noqa: TC001
from fastarac.cli._help import ByTask

EXIT_CODES = """
\b
Exit codes (fastarac COMMAND --help shows the options of a command):
  0    done; check: the limit holds
  1    check: the limit fails; monitor, week, drift: an alarm; --fail-if holds
  2    an option or a file was refused, or the output could not be written
  3    too few outputs: check cannot tell, fit accepts nothing
  70   an error of fastarac itself; 130: interrupted; 141: output closed by its reader
"""

app = typer.Typer(
    help="How much of a machine's output to accept unchecked, and at which confidence.",
    cls=ByTask,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"fastarac {__version__}")
        raise typer.Exit


@app.callback(epilog=EXIT_CODES)
def _common(
    context: typer.Context,
    max_line: options.MaxLine = None,
    max_ratio: options.MaxRatio = None,
    safe_csv: options.SafeCsv = False,
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """How much of a machine's output to accept unchecked, and at which confidence."""
    from fastarac.io import reading_limits
    from fastarac.io._cells import safe_cells

    context.with_resource(reading_limits(max_line=max_line, max_ratio=max_ratio))
    context.with_resource(safe_cells(safe=safe_csv))
