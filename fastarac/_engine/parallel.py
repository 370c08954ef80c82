"""A few threads for kernels that run without the GIL.

The threads live only for one call, so that no thread is lost in a forked child or blocks the
interpreter's exit. The calling thread does not wait for the other threads to start, as
`threading.Thread` would do. This wait would cost as much as sorting 20,000 items.
"""

from __future__ import annotations

from _thread import LockType, allocate_lock, start_new_thread
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TypeVar

from fastarac._engine import strategy

T = TypeVar("T")
R = TypeVar("R")


def edges(n_items: int) -> list[int]:
    """Return the ends of contiguous shares of `n_items`, one per thread, including 0 and `n_items`."""
    k = strategy.n_threads(n_items)
    return [n_items * i // k for i in range(k + 1)]


def shares(n_items: int) -> list[tuple[int, int]]:
    """Return the (start, stop) of each thread's share of `n_items`."""
    return list(pairwise(edges(n_items)))


def each(task: Callable[[T], R], arguments: Sequence[T], n_items: int) -> list[R]:
    """Call `task` with each argument, in threads if there are many items."""
    if strategy.n_threads(n_items) == 1:
        return [task(argument) for argument in arguments]
    return run(task, arguments)


def run(task: Callable[[T], R], arguments: Sequence[T]) -> list[R]:
    """Call `task` with each argument: the first one in this thread, every other one in a new thread."""
    if len(arguments) == 1:
        return [task(arguments[0])]
    results: dict[int, R] = {}
    errors: dict[int, BaseException] = {}

    def work(index: int, done: LockType) -> None:
        try:
            results[index] = task(arguments[index])
        except BaseException as error:  # noqa: BLE001 (raised below, in the caller's thread)
            errors[index] = error
        finally:
            done.release()

    running: list[LockType] = []
    try:
        for index in range(1, len(arguments)):
            done = allocate_lock()
            done.acquire()
            start_new_thread(work, (index, done))
            running.append(done)
        results[0] = task(arguments[0])
    finally:
        for done in running:
            done.acquire()
    if errors:
        raise errors[min(errors)]
    return [results[index] for index in range(len(arguments))]
