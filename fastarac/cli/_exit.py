"""Exit statuses, and what is left in the buffer of the standard output."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

REFUSED = 2
INTERRUPTED = 130
KILLED_BY_CLOSED_PIPE = 141  # as the shell counts it


def discard_output() -> None:
    """Forget what is left in the buffer of stdout, which would otherwise fail again at exit."""
    with suppress(OSError, AttributeError):  # of a stdout that is closed, or no file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
