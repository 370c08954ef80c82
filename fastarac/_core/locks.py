"""A file lock: only one process at a time reads, changes and writes a file."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WAIT = 600.0  # Maximum waiting time for a lock, in seconds; then an error is raised.
PAUSE = 0.02  # Time between two attempts to get the lock, in seconds.


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of `path` in this block; `path` itself need not exist.

    The operating system locks a second file beside `path`, so that `path` can be replaced in the block.
    The system releases the lock if the process dies.
    """
    target = path.resolve()
    beside = target.with_name(f".{target.name}.lock")
    try:
        descriptor = _acquire(beside)
    except OSError as error:
        error.filename = str(path)  # the caller knows this file, not the lock file
        raise
    try:
        yield
    finally:
        with suppress(OSError):  # Windows cannot remove an open file, so it stays
            beside.unlink()
        os.close(descriptor)


def _acquire(beside: Path) -> int:
    deadline = time.monotonic() + WAIT
    while True:
        descriptor = os.open(beside, os.O_RDWR | os.O_CREAT, 0o666)
        held = False
        try:
            held = try_lock(descriptor) and is_there(beside, descriptor)
        finally:
            if not held:
                os.close(descriptor)
        if held:
            return descriptor
        if time.monotonic() >= deadline:
            raise TimeoutError(0, f"another process has held its lock for {WAIT:.0f} seconds")
        time.sleep(PAUSE)


def try_lock(descriptor: int) -> bool:
    """Lock an open file; return False if another process has locked it."""
    try:
        fcntl: Any = import_module("fcntl")
    except ImportError:  # Windows has no fcntl, so msvcrt locks the file
        msvcrt: Any = import_module("msvcrt")
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_there(path: Path, descriptor: int) -> bool:
    """Return whether `path` still names the open file; another process may have removed it."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False
