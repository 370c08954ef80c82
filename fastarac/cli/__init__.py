"""The command ``fastarac``: evaluate outputs with confidences in files."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from fastarac._core.extras import missing
from fastarac.cli._exit import INTERRUPTED, REFUSED, discard_output

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

REQUIRED = ("typer", "rich", "duckdb")


def main() -> None:
    """Run the command line; the exit status is 0, 2 after an error, or 130 when interrupted."""
    with _interrupts_end_at_once():
        problem = missing(REQUIRED, "cli")
        if problem is not None:
            sys.exit(_refuse(problem))
        from fastarac.cli._app import app

    try:
        app(prog_name="fastarac")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except OSError as error:  # help and version are written by typer
        discard_output()
        sys.exit(_refuse(f"the standard output cannot be written: {error.strerror}"))


@contextmanager
def _interrupts_end_at_once() -> Iterator[None]:
    """End the process at SIGINT, which may raise any error inside modules that are being imported."""

    def end(signum: int, frame: FrameType | None) -> None:  # noqa: ARG001
        os._exit(INTERRUPTED)

    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:  # such as under nohup
        yield
        return
    signal.signal(signal.SIGINT, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _refuse(problem: str) -> int:
    """Tell on stderr why nothing was done, and return the exit status that goes with it."""
    with suppress(OSError):
        print(f"fastarac: error: {problem}", file=sys.stderr)
    return REFUSED
