"""Exit statuses, and what is left in the buffer of the standard output.

It imports next to nothing: an interrupt during these imports is the only one that the command does not
see. Nor may `end_interrupted` import anything, since it may interrupt the import of just that.
"""

from __future__ import annotations

import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import NoReturn

DEBUG = "FASTARAC_DEBUG"  # set to anything, errors of the program show their traceback

FAILED = 1  # a verdict: a limit fails, an alarm, a condition of --fail-if
REFUSED = 2
UNDECIDED = 3  # a verdict: too few outputs to tell, or to accept any
INTERNAL = 70  # EX_SOFTWARE of sysexits.h: never that of a verdict
INTERRUPTED = 130
SHOW_CURSOR = "\x1b[?25h"
KILLED_BY_CLOSED_PIPE = 141  # as the shell counts it


def end_interrupted() -> NoReturn:
    """End the process with the status of an interrupt.

    `sys.exit` would not do: Python ends by a signal where a string of code was interrupted that some
    module executed, even if that was caught; and another interrupt may come on the way out.
    """
    try:
        if sys.stderr.isatty():
            sys.stderr.write(SHOW_CURSOR)  # which a status may have hidden
        sys.stderr.flush()
    except (OSError, AttributeError):
        pass
    os._exit(INTERRUPTED)


def refuse(problem: str) -> int:
    """Tell on stderr why nothing was done, and return the exit status that goes with it."""
    from contextlib import suppress

    with suppress(OSError):
        print(f"fastarac: error: {problem}", file=sys.stderr)
    return REFUSED


def fail(error: BaseException) -> int:
    """Tell on stderr that the program is wrong, where and how to report it; returns the status."""
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
            f"fastarac: internal error: {found}{where}. fastarac {__version__} has a defect: no result "
            "can be relied on. Please report it where you got fastarac from, with the command and the "
            f"traceback, which {DEBUG}=1 in the environment shows",
            file=sys.stderr,
        )
    return INTERNAL


def discard_output() -> None:
    """Forget what is left in the buffer of stdout, which would otherwise fail again at exit."""
    from contextlib import suppress

    with suppress(OSError, AttributeError):  # of a stdout that is closed, or no file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class interrupts_end_at_once:  # noqa: N801  # a context, as those of contextlib
    """End the process at SIGINT, where an exception could come to nothing good.

    Modules that are being imported raise anything then, and DuckDB may abort.
    """

    def __enter__(self) -> None:
        self.is_set = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # not under nohup
        if self.is_set:
            try:
                signal.signal(signal.SIGINT, _end)
            except ValueError:  # in another thread than the main one
                self.is_set = False

    def __exit__(self, *exception: object) -> None:
        if self.is_set:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def _end(signum: int, frame: FrameType | None) -> None:  # noqa: ARG001
    end_interrupted()
