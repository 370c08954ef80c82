"""The command ``fastarac``: evaluate outputs with confidences in files."""

from __future__ import annotations

import signal
import sys
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from fastarac._core.extras import missing
from fastarac.cli._exit import (
    INTERRUPTED,
    REFUSED,
    discard_output,
    end_interrupted,
    interrupts_end_at_once,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

REQUIRED = ("typer", "rich", "duckdb")
MOMENT = 0.05  # seconds


def main() -> None:
    """Run the command line; the exit status is 0, 2 after an error, or 130 when interrupted."""
    sys.unraisablehook = _interrupt_again
    with interrupts_end_at_once():
        problem = missing(REQUIRED, "cli")
        if problem is not None:
            sys.exit(_refuse(problem))
        from fastarac.cli._app import app

    try:
        with _without_linear_algebra():
            app(prog_name="fastarac")
    except SystemExit as end:
        if end.code == INTERRUPTED:
            end_interrupted()
        raise
    except KeyboardInterrupt:
        end_interrupted()
    except OSError as error:  # help and version are written by typer
        discard_output()
        sys.exit(_refuse(f"the standard output cannot be written: {error.strerror}"))


@contextmanager
def _without_linear_algebra() -> Iterator[None]:
    """Hide scipy's linear algebra from numba, which would import it to see whether it finds BLAS.

    It does so where a kernel has to be compiled. Commands multiply no matrices.
    """
    modules: dict[str, Any] = sys.modules
    hidden = "scipy.linalg" not in modules
    if hidden:
        modules["scipy.linalg"] = None
    try:
        yield
    finally:
        if hidden:
            del modules["scipy.linalg"]


def _interrupt_again(unraisable: sys.UnraisableHookArgs) -> None:
    """Send an interrupt once more that arose where it cannot pass, such as in a callback of numba."""
    if unraisable.exc_type is KeyboardInterrupt:
        again = threading.Timer(MOMENT, _interrupt_main)
        again.daemon = True
        again.start()
    else:
        sys.__unraisablehook__(unraisable)


def _interrupt_main() -> None:
    """Send an interrupt to the main thread itself, which wakes it where it waits."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:
        signal.raise_signal(signal.SIGINT)


def _refuse(problem: str) -> int:
    """Tell on stderr why nothing was done, and return the exit status that goes with it."""
    with suppress(OSError):
        print(f"fastarac: error: {problem}", file=sys.stderr)
    return REFUSED
