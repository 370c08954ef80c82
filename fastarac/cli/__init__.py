"""The command ``fastarac``: evaluate outputs with confidences in files.

Its parts are imported inside `main`, after the handler of interrupts is in place.
"""

from __future__ import annotations

import signal
import sys

from fastarac.cli._exit import (
    INTERRUPTED,
    KILLED_BY_CLOSED_PIPE,
    REFUSED,
    discard_output,
    end_interrupted,
    fail,
    interrupts_end_at_once,
    refuse,
)

REQUIRED = ("typer", "rich", "duckdb")
MOMENT = 0.05  # seconds


def main() -> None:
    """Run the command line, and end with its status: 0, that of a verdict, 2 after an error, or others.

    Whatever goes wrong, the status is none of a verdict: an error of the program itself ends with 70.
    """
    sys.unraisablehook = _interrupt_again
    status: int | str | None
    try:
        status = _run()
    except SystemExit as end:
        status = end.code
    except KeyboardInterrupt:
        end_interrupted()
    except OSError as error:  # help and version are written by typer
        discard_output()
        what = error.filename or "the standard output cannot be written"
        status = refuse(f"{what}: {error.strerror or error}")
    except MemoryError:
        status = refuse("there is not enough memory")
    except Exception as error:  # noqa: BLE001  # this is where they all end
        status = fail(error)
    if status == INTERRUPTED:
        end_interrupted()
    sys.exit(status)


def _run() -> int:
    """Run the command, and return the status that it ends with; errors pass."""
    with interrupts_end_at_once():
        from fastarac._core.extras import missing

        problem = missing(REQUIRED, "cli")
        if problem is not None:
            return refuse(problem)
        import typer

        from fastarac.cli._app import app

    try:
        # standalone, an unexpected end of a file would end with 1, the status of a verdict
        return int(app(prog_name="fastarac", standalone_mode=False) or 0)
    except SystemExit as end:
        if end.code == 1:  # typer's, where who reads its output has closed it
            discard_output()
            return KILLED_BY_CLOSED_PIPE
        raise
    except typer.Abort as end:
        raise (end.__cause__ or end) from None
    except Exception as error:
        # an error of usage is of one of two packages, depending on the version of typer
        show = getattr(error, "show", None)
        if show is None:
            raise
        show()
        return REFUSED


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
