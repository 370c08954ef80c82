"""A lock that lets only one of the processes that share a cache compile a kernel.

Otherwise, if 64 workers start with an empty cache, each would compile every kernel.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from pathlib import Path

WAIT = 60.0  # seconds, longer than any compilation; limits all unsuccessful waits of a process together
PAUSE = 0.02  # seconds between two attempts


class ProcessLock:
    """A file lock that ends with its process; the file is removed on release."""

    _in_vain: ClassVar[float] = 0.0  # seconds that this process has waited without getting a lock

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor = -1

    def acquire(self) -> None:
        """Wait for the lock; give up after a minute, or at once where files cannot be locked.

        The process has one minute for all its locks together, because a process that hangs may hold
        many. Only unsuccessful waits count; otherwise the end of a long queue would give up together.
        """
        try:
            fcntl: Any = import_module("fcntl")
        except ImportError:  # Windows
            return
        begin = time.monotonic()
        while self._descriptor < 0:
            try:
                descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666)
            except OSError:  # nothing can be written here
                return
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.path.samestat(self.path.stat(), os.fstat(descriptor)):
                    self._descriptor = descriptor
                    return
            except (BlockingIOError, FileNotFoundError):  # held by another process, or just removed
                pass
            except OSError:  # a file system without locks
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
