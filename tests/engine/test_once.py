"""One compilation at a time among the processes that share a cache."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time

import pytest
from strategies import COMPILED

from fastarac._kernels import _once
from fastarac._kernels._jit import kernel
from fastarac._kernels._once import ProcessLock

fcntl = pytest.importorskip("fcntl", reason="this platform has no locks on files")


@pytest.fixture
def lock(tmp_path, monkeypatch):
    monkeypatch.setattr(ProcessLock, "_in_vain", 0.0)
    lock = ProcessLock(tmp_path / "kernel.lock")
    yield lock
    lock.release()


@pytest.fixture
def holder(lock):
    """Another process that holds the lock, and another one, until it is ended."""
    code = """
import fcntl, sys
files = [open(path, "w") for path in sys.argv[1:]]
for file in files:
    fcntl.flock(file, fcntl.LOCK_EX)
print(flush=True)
input()
"""
    with subprocess.Popen(
        [sys.executable, "-c", code, str(lock.path), str(lock.path.with_name("other.lock"))],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdout.read(1)
        yield process
        process.kill()


def held(lock) -> bool:
    """Whether others find the lock taken."""
    with lock.path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def test_it_is_held_and_leaves_no_file(lock):
    lock.acquire()
    assert held(lock)
    lock.acquire()  # by who has it
    lock.release()
    assert not lock.path.exists()
    lock.release()


def test_it_ends_with_its_process(lock, holder, monkeypatch):
    pauses = []

    def end(seconds: float) -> None:
        pauses.append(seconds)
        holder.kill()
        holder.wait()

    monkeypatch.setattr(_once.time, "sleep", end)
    lock.acquire()
    assert held(lock)
    assert pauses == [_once.PAUSE]
    assert ProcessLock._in_vain == 0


def test_a_file_that_was_removed_just_now_is_no_lock(lock, monkeypatch):
    flock = fcntl.flock

    def removed_meanwhile(descriptor: int, operation: int) -> None:
        lock.path.unlink(missing_ok=True)
        monkeypatch.setattr(fcntl, "flock", flock)

    monkeypatch.setattr(fcntl, "flock", removed_meanwhile)
    lock.acquire()
    assert held(lock)


def test_who_holds_it_for_too_long_is_not_waited_for(lock, holder, monkeypatch):
    monkeypatch.setattr(_once, "WAIT", 0.05)
    begin = time.monotonic()
    lock.acquire()
    assert time.monotonic() - begin >= 0.05
    assert lock._descriptor == -1
    lock.release()
    assert held(lock)  # by the other one


def test_who_holds_many_is_waited_for_once(lock, holder, monkeypatch):
    monkeypatch.setattr(_once, "WAIT", 0.2)
    other = ProcessLock(lock.path.with_name("other.lock"))
    free = ProcessLock(lock.path.with_name("free.lock"))
    begin = time.monotonic()
    for held_by_the_other in [lock, other, lock] * 5:
        held_by_the_other.acquire()
        assert held_by_the_other._descriptor == -1
    assert 0.2 <= time.monotonic() - begin < 0.4
    free.acquire()  # what nobody holds is taken all the same
    assert held(free)
    free.release()


@pytest.mark.parametrize("reason", ["directory", "file system", "platform"])
def test_where_there_are_no_locks_work_goes_on_without(reason, lock, monkeypatch):
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    if reason == "directory":
        lock.path = lock.path / "missing" / "kernel.lock"
    elif reason == "file system":
        monkeypatch.setattr(fcntl, "flock", refuse)
    else:
        monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setattr(_once.time, "sleep", refuse)
    lock.acquire()
    assert lock._descriptor == -1
    lock.release()


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_a_compilation_that_fails_keeps_nothing(monkeypatch):
    taken = []
    acquire = ProcessLock.acquire

    def note(lock: ProcessLock) -> None:
        acquire(lock)
        taken.append(lock)

    monkeypatch.setattr(ProcessLock, "acquire", note)

    def double(x: int) -> int:
        return 2 * x

    from numba.core.errors import TypingError

    with pytest.raises(TypingError):
        kernel(double)(object())
    (lock,) = taken
    assert lock._descriptor == -1
    assert not lock.path.exists()
