"""The command ``fastarac``: evaluate outputs with confidences in files.

Its parts are imported inside `main`, after the handler of interrupts is in place.
"""

from __future__ import annotations

import signal
import sys

from fastarac.cli._exit import (
    INTERRUPTED,
    REFUSED,
    discard_output,
    end_interrupted,
    interrupts_end_at_once,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

REQUIRED = ("typer", "rich", "duckdb")
MOMENT = 0.05  # seconds


def main() -> None:
    """Run the command line; the exit status is 0, 2 after an error, or 130 when interrupted."""
    sys.unraisablehook = _interrupt_again
    with interrupts_end_at_once():
        from fastarac._core.extras import missing

        problem = missing(REQUIRED, "cli")
        if problem is not None:
            sys.exit(_refuse(problem))
        from fastarac.cli._app import app

    try:
        with _WithoutLinearAlgebra():
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


class _WithoutLinearAlgebra:
    """Hide scipy's linear algebra from numba, which would import it to see whether it finds BLAS.

    It does so where a kernel has to be compiled. Commands multiply no matrices.
    """

    def __enter__(self) -> None:
        modules: dict[str, Any] = sys.modules
        self.hidden = "scipy.linalg" not in modules
        if self.hidden:
            modules["scipy.linalg"] = None

    def __exit__(self, *exception: object) -> None:
        if self.hidden:
            del sys.modules["scipy.linalg"]


def _interrupt_again(unraisable: sys.UnraisableHookArgs) -> None:
    """Send an interrupt once more that arose where it cannot pass, such as in a callback of numba."""
    if unraisable.exc_type is KeyboardInterrupt:
        import threading

        again = threading.Timer(MOMENT, _interrupt_main)
        again.daemon = True
        again.start()
    else:
        sys.__unraisablehook__(unraisable)


def _interrupt_main() -> None:
    """Send an interrupt to the main thread itself, which wakes it where it waits."""
    import threading

    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:
        signal.raise_signal(signal.SIGINT)


def _refuse(problem: str) -> int:
    """Tell on stderr why nothing was done, and return the exit status that goes with it."""
    from contextlib import suppress

    with suppress(OSError):
        print(f"fastarac: error: {problem}", file=sys.stderr)
    return REFUSED
