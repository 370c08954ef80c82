"""One compilation of a kernel at a time among the processes that share a cache.

Sixty-four workers that start on an empty cache would otherwise each compile every kernel.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from pathlib import Path

WAIT = 60.0  # seconds, longer than any kernel is compiled for; all waits in vain of a process together
PAUSE = 0.02  # seconds between two looks


class ProcessLock:
    """A lock on a file, which ends with its process and leaves no file behind."""

    _in_vain: ClassVar[float] = 0.0  # seconds that this process waited for locks that it did not get

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor = -1

    def acquire(self) -> None:
        """Wait for the lock; give up after a minute, or at once where files cannot be locked.

        The minute is one for all locks of the process, as who keeps one may keep many; waiting for
        those who let go in time takes nothing of it, or a long queue would end in one rush.
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
            except (BlockingIOError, FileNotFoundError):  # held; let go and removed just now
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
        """Let the next process go on; without the lock, do nothing."""
        if self._descriptor >= 0:
            with suppress(OSError):
                self.path.unlink()
            os.close(self._descriptor)
            self._descriptor = -1
