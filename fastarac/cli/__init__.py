"""The command ``fastarac``: evaluate outputs with confidences in files."""

from __future__ import annotations

import sys
from importlib.util import find_spec

REQUIRED = ("typer", "rich", "duckdb")


def main() -> None:
    """Run the command line; the exit status is 0, 2 after an error, or 130 when interrupted."""
    missing = [package for package in REQUIRED if find_spec(package) is None]
    if missing:
        sys.exit(_refuse(f'{", ".join(missing)} not installed; run: pip install "fastarac[cli]"'))
    try:
        from fastarac.cli._app import app

        app(prog_name="fastarac")
    except KeyboardInterrupt:
        sys.exit(130)


def _refuse(problem: str) -> int:
    """Tell on stderr why nothing was done, and return the exit status that goes with it."""
    print(f"fastarac: error: {problem}", file=sys.stderr)
    return 2
