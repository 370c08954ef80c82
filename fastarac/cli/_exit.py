"""Exit statuses, and what is left in the buffer of the standard output."""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

REFUSED = 2
INTERRUPTED = 130
SHOW_CURSOR = "\x1b[?25h"
KILLED_BY_CLOSED_PIPE = 141  # as the shell counts it


def end_interrupted() -> NoReturn:
    """End the process with the status of an interrupt.

    `sys.exit` would not do: Python ends by a signal where a string of code was interrupted that some
    module executed, even if that was caught; and another interrupt may come on the way out.
    """
    with suppress(OSError, AttributeError):
        if sys.stderr.isatty():
            sys.stderr.write(SHOW_CURSOR)  # which a status may have hidden
        sys.stderr.flush()
    os._exit(INTERRUPTED)


def discard_output() -> None:
    """Forget what is left in the buffer of stdout, which would otherwise fail again at exit."""
    with suppress(OSError, AttributeError):  # of a stdout that is closed, or no file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def interrupts_end_at_once() -> Iterator[None]:
    """End the process at SIGINT, where an exception could come to nothing good.

    Modules that are being imported raise anything then, and DuckDB may abort.
    """

    def end(signum: int, frame: FrameType | None) -> None:  # noqa: ARG001
        end_interrupted()

    in_thread = threading.current_thread() is not threading.main_thread()
    if in_thread or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:  # under nohup
        yield
        return
    signal.signal(signal.SIGINT, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
