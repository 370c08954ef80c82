"""The command ``fastarac``: evaluate outputs with confidences in files.

`main` sets up the handling of interrupts before it imports the parts of the command.
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
MOMENT = 0.05  # seconds before a lost interrupt is sent again


def main() -> None:
    """Run the command line, and exit with a status from `_exit`."""
    sys.unraisablehook = _interrupt_again
    status: int | str | None
    try:
        status = _run()
    except SystemExit as end:
        status = end.code
    except KeyboardInterrupt:
        end_interrupted()
    except OSError as error:  # typer writes --help and --version outside `main`'s error handling
        discard_output()
        what = error.filename or "the standard output cannot be written"
        status = refuse(f"{what}: {error.strerror or error}")
    except MemoryError:
        status = refuse("there is not enough memory")
    except Exception as error:  # noqa: BLE001 # all unexpected errors end here
        status = fail(error)
    if status == INTERRUPTED:
        end_interrupted()
    sys.exit(status)


def _run() -> int:
    with interrupts_end_at_once():
        from fastarac._core.extras import missing

        problem = missing(REQUIRED, "cli")
        if problem is not None:
            return refuse(problem)
        import typer

        from fastarac.cli._app import app

    try:
        # In standalone mode, typer would end an EOFError with status 1, which means a failed limit.
        return int(app(prog_name="fastarac", standalone_mode=False) or 0)
    except SystemExit as end:
        if end.code == 1:  # typer exits with 1 if the reader has closed the pipe
            discard_output()
            return KILLED_BY_CLOSED_PIPE
        raise
    except typer.Abort as end:
        raise (end.__cause__ or end) from None
    except Exception as error:
        # Depending on typer's version, usage errors come from typer or from click; both have `show`.
        show = getattr(error, "show", None)
        if show is None:
            raise
        show()
        return REFUSED


def _interrupt_again(unraisable: sys.UnraisableHookArgs) -> None:
    """Repeat an interrupt that Python dropped, for example one that came in a numba callback."""
    if unraisable.exc_type is KeyboardInterrupt:
        import threading

        again = threading.Timer(MOMENT, _interrupt_main)
        again.daemon = True
        again.start()
    else:
        sys.__unraisablehook__(unraisable)


def _interrupt_main() -> None:
    """Send SIGINT to the main thread, which wakes it if it is waiting."""
    import threading

    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:
        signal.raise_signal(signal.SIGINT)
