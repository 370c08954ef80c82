"""Run a target in a separate process, so that a crash is noticed like any other failure.

The attempt with number k of a run draws from ``random.Random(seed + k)`` alone. So what fails in a run
is repeated by ``--seed``, with the seed of that attempt, and ``--attempts 1``.
"""

from __future__ import annotations

import contextlib
import faulthandler
import multiprocessing
import pkgutil
import random
import signal
import sys
import tempfile
import time
import traceback
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from bench import memory

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.connection import Connection

PACKAGE = __package__ or "bench.fuzz"
PATIENCE = 120.0  # seconds for one attempt, the compilation of kernels included
ADDRESSES = 16 << 30  # bytes that a process may reserve, so that no input takes the machine down
LONGEST_TRACE = 20  # calls, the innermost
ALLOWED_RATIO, ALLOWED_MEMORY = 20, 64 << 20


class Outcome(NamedTuple):
    """What came of the attempts of one target."""

    target: str
    about: str
    attempts: int
    seconds: float
    failure: str | None
    """What happened and the seed that repeats it; None where nothing failed."""


@contextlib.contextmanager
def memory_watched(size: int) -> Iterator[None]:
    """Fail where what is done inside takes more than 20 times the file and 64 MiB.

    Parameters
    ----------
    size : int
        Of the file, in bytes.

    Raises
    ------
    AssertionError
        If the peak of the process rises further. The peak is the system's, so that memory of compiled
        code counts as well; where the system tells none, nothing is watched.
    """
    if not memory.available():
        yield
        return
    memory.reset_peak()
    before = memory.peak()
    yield
    grown = memory.peak() - before
    if grown > ALLOWED_RATIO * size + ALLOWED_MEMORY:
        message = f"{grown:,} bytes of memory for a file of {size:,} bytes"
        raise AssertionError(message)


def targets() -> list[str]:
    """Return the names of the modules of this folder that have attempts."""
    names = [module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)])]
    return [name for name in names if name != "__main__" and hasattr(_module(name), "attempt")]


def _module(name: str) -> Any:
    return import_module(f"{PACKAGE}.{name}" if "." not in name else name)


def run(target: str, *, seconds: float, seed: int, attempts: int | None = None) -> Outcome:
    """Try a target until its time is over, all attempts are made, or one fails.

    Parameters
    ----------
    target : str
        A module of this folder, or the dotted name of one elsewhere.
    seconds : float
        Counted from the end of the first attempt, which loads and compiles what the others use.
    seed : int
        Of the first attempt.
    attempts : int, optional
        The most that are made.
    """
    context = multiprocessing.get_context("spawn")  # nothing of this process is in the other
    begun = context.RawValue("Q", 0)
    result, theirs = context.Pipe(duplex=False)
    about = (_module(target).__doc__ or "").partition("\n")[0].rstrip(".")
    with tempfile.TemporaryDirectory() as folder:
        given = (target, seed, seconds, attempts, folder, begun, theirs)
        process = context.Process(target=_attempts, args=given)
        process.start()
        theirs.close()
        start = time.monotonic()
        seen, since, problem = 0, start, None
        while process.is_alive():
            process.join(0.1)
            problem = problem or _received(result)
            if begun.value != seen:
                seen, since = begun.value, time.monotonic()
            elif time.monotonic() - since > PATIENCE:
                process.kill()
                process.join()
                return _outcome(target, about, start, begun.value, seed, "no end was seen", seen)
        problem = problem or _received(result)
        if problem is None and process.exitcode:
            problem = f"the process ended with {_exit_name(process.exitcode)}"
        return _outcome(target, about, start, begun.value, seed, problem, begun.value)


def _received(result: Connection) -> str | None:
    with contextlib.suppress(EOFError):
        return str(result.recv()) if result.poll() else None


def _outcome(
    target: str, about: str, start: float, made: int, seed: int, problem: str | None, failed: int
) -> Outcome:
    failure = None
    if problem is not None:
        repeated = f"--target {target} --seed {seed + max(failed - 1, 0)} --attempts 1"
        failure = f"{problem.rstrip()}\n  repeated by: python -m bench.fuzz {repeated}"
    return Outcome(target, about, made, time.monotonic() - start, failure)


def _exit_name(code: int) -> str:
    if code < 0:
        with contextlib.suppress(ValueError):
            return signal.Signals(-code).name
    return f"status {code}"


def _attempts(
    target: str,
    seed: int,
    seconds: float,
    most: int | None,
    folder: str,
    begun: Any,
    result: Connection,
) -> None:
    """Make the attempts; what fails is sent as its traceback."""
    faulthandler.enable()
    tempfile.tempdir = folder  # left behind by a crash, too, it goes with the run
    _limit_memory()
    attempt = _module(target).attempt
    end: float | None = None
    while (most is None or begun.value < most) and (end is None or time.monotonic() < end):
        begun.value += 1
        try:
            attempt(random.Random(seed + begun.value - 1))
        except BaseException:  # noqa: BLE001, an exit or an interrupt out of the library, too
            result.send(traceback.format_exc(limit=-LONGEST_TRACE))
            return
        if end is None:
            end = time.monotonic() + seconds


def _limit_memory() -> None:
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
