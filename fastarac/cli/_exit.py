"""Exit statuses, interrupts, and output left in the buffer of stdout.

This module imports almost nothing: until it is loaded, an interrupt prints a traceback.
`end_interrupted` imports nothing, because it may run in the middle of an import.
"""

from __future__ import annotations

import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import NoReturn

DEBUG = "FASTARAC_DEBUG"  # environment variable; if set, an internal error shows its traceback

FAILED = 1  # a limit fails, a monitor raises an alarm, or a --fail-if condition holds
REFUSED = 2
UNDECIDED = 3  # too few outputs to decide, or to accept any
INTERNAL = 70  # an internal error: EX_SOFTWARE in sysexits.h
INTERRUPTED = 130
SHOW_CURSOR = "\x1b[?25h"
KILLED_BY_CLOSED_PIPE = 141  # 128 + SIGPIPE, as a shell reports it


def end_interrupted() -> NoReturn:
    """End the process at once with the status of an interrupt.

    After a caught interrupt in code run by `exec`, `sys.exit` would end Python by a signal.
    """
    try:
        if sys.stderr.isatty():
            sys.stderr.write(SHOW_CURSOR)  # a progress display may have hidden it
        sys.stderr.flush()
    except (OSError, AttributeError):
        pass
    os._exit(INTERRUPTED)


def refuse(problem: str) -> int:
    """Print on stderr why nothing was done, and return the exit status for it."""
    from contextlib import suppress

    with suppress(OSError):
        print(f"fastarac: error: {problem}", file=sys.stderr)
    return REFUSED


def fail(error: BaseException) -> int:
    """Print on stderr that fastarac has a defect and how to report it; return the exit status."""
    import traceback
    from contextlib import suppress

    from fastarac._core.text import printable
    from fastarac._version import __version__

    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({frames[-1].filename}, line {frames[-1].lineno})" if frames else ""
    found = printable(f"{type(error).__name__}: {error}"[:1000]).removesuffix(": ")
    with suppress(OSError):
        if os.environ.get(DEBUG):
            traceback.print_exception(error)
        print(
            f"fastarac: internal error: {found}{where}. fastarac {__version__} has a bug: do not "
            "rely on any result. Please report it where you got fastarac from, with the command and "
            f"the traceback, which {DEBUG}=1 in the environment shows",
            file=sys.stderr,
        )
    return INTERNAL


def discard_output() -> None:
    """Discard the rest of stdout's buffer, because writing it at exit would fail again."""
    from contextlib import suppress

    with suppress(OSError, AttributeError):  # stdout may be closed or have no file descriptor
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class interrupts_end_at_once:  # noqa: N801  # a context, as those of contextlib
    """A context in which SIGINT ends the process instead of raising a KeyboardInterrupt.

    Interrupted imports raise arbitrary errors, and an interrupted DuckDB may abort.
    """

    def __enter__(self) -> None:
        # Do nothing if SIGINT is ignored, for example by nohup: it must stay ignored.
        self.is_set = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if self.is_set:
            try:
                signal.signal(signal.SIGINT, _end)
            except ValueError:  # only the main thread can set handlers
                self.is_set = False

    def __exit__(self, *exception: object) -> None:
        if self.is_set:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def _end(signum: int, frame: FrameType | None) -> None:  # noqa: ARG001
    end_interrupted()
