"""A lock by which only one process at a time compiles a kernel, if several share a cache.

Without the lock, each of 64 workers that start with an empty cache would compile every kernel.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from pathlib import Path

# Maximum total time, in seconds, that a process waits for locks in vain. No compilation takes longer.
WAIT = 60.0
PAUSE = 0.02  # Time between two attempts to get the lock, in seconds.


class ProcessLock:
    """A file lock that is released when its process ends; `release` also removes the file."""

    _in_vain: ClassVar[float] = 0.0  # total seconds of waits that ended without the lock

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor = -1

    def acquire(self) -> None:
        """Wait for the lock, at most a minute; do not wait if files cannot be locked.

        The minute is shared by all locks, because another process that hangs may hold many of them.
        Waits that end with the lock do not count, so that the last processes of a long queue do not
        give up.
        """
        try:
            fcntl: Any = import_module("fcntl")
        except ImportError:  # Windows has no fcntl, so each process compiles for itself
            return
        begin = time.monotonic()
        while self._descriptor < 0:
            try:
                descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666)
            except OSError:  # the folder is not writable
                return
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.path.samestat(self.path.stat(), os.fstat(descriptor)):
                    self._descriptor = descriptor
                    return
            # Another process holds the lock, or has just removed the file.
            except (BlockingIOError, FileNotFoundError):
                pass
            except OSError:  # this file system does not support locks
                return
            finally:
                if self._descriptor < 0:
                    os.close(descriptor)
            waited = time.monotonic() - begin
            if ProcessLock._in_vain + waited >= WAIT:
                ProcessLock._in_vain += waited
                return
            time.sleep(PAUSE)

    def release(self) -> None:
        """Release the lock if this process holds it."""
        if self._descriptor >= 0:
            with suppress(OSError):
                self.path.unlink()
            os.close(self._descriptor)
            self._descriptor = -1
