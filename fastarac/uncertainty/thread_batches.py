"""Run many small tasks in threads, with progress on stderr, until done or interrupted."""

from __future__ import annotations

import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from fastarac._core.checks import whole_number
from fastarac._engine import strategy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Work = Callable[[int, int], None]

PATIENCE = 0.1  # seconds between progress updates
SECONDS_PER_LINE = 5.0


def threads_for(n_threads: int | None, work: int) -> int:
    """Return the given number of threads; for None, a number that suits the amount of work."""
    if n_threads is None:
        return strategy.n_threads(work)
    return whole_number(n_threads, "n_threads", 1)


def run_batches(
    worker: Callable[[], Work], n: int, batch: int, threads: int, *, progress: bool = False
) -> None:
    """Let threads process the numbers 0 to n − 1, `batch` at a time.

    Each thread calls `worker` once. It calls the result for each batch, with the batch's first number
    and the number after its last. A keyboard interrupt stops the threads after their current batches.
    """
    starts = iter(range(0, n, batch))
    lock = threading.Lock()
    stop = threading.Event()
    finished = [0]

    def next_start() -> int | None:
        with lock:
            return None if stop.is_set() else next(starts, None)

    def run() -> None:
        work = worker()
        while (start := next_start()) is not None:
            end = min(start + batch, n)
            work(start, end)
            with lock:
                finished[0] += end - start

    with display(n, progress=progress) as show:
        if threads == 1 and not progress:
            run()
            return
        from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait

        with ThreadPoolExecutor(threads) as pool:
            try:
                futures = [pool.submit(run) for _ in range(threads)]
                waiting = set(futures)
                while waiting:
                    done, waiting = wait(waiting, PATIENCE, FIRST_EXCEPTION)
                    show(finished[0])
                    for future in done:
                        future.result()
            finally:
                stop.set()


@contextmanager
def display(
    n: int | None, *, progress: bool, what: str = "resamples"
) -> Iterator[Callable[[int], None]]:
    """Yield a function that shows how many of n (None if unknown) are done, as a bar or as lines."""
    if not progress:
        yield lambda _: None
        return
    try:
        from rich.console import Console
        from rich.progress import Progress
    except ImportError:
        with _lines(n, what) as show:
            yield show
        return
    console = Console(stderr=True)
    if not console.is_terminal:
        with _lines(n, what) as show:
            yield show
        return
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task(what, total=n)

        def show_bar(done: int) -> None:
            if n is None:
                bar.update(task, completed=done, description=f"{done:,} {what}")
            else:
                bar.update(task, completed=done)

        yield show_bar


@contextmanager
def _lines(n: int | None, what: str) -> Iterator[Callable[[int], None]]:
    start = time.monotonic()
    said = [start]
    last = [0]

    def say(done: int) -> None:
        seconds = time.monotonic() - start
        number = f"{done:,}" if n is None else f"{done:,} of {n:,}"
        print(f"{what}: {number} after {seconds:.0f} s", file=sys.stderr, flush=True)

    def show(done: int) -> None:
        last[0] = done
        if (n is None or done < n) and time.monotonic() - said[0] >= SECONDS_PER_LINE:
            said[0] = time.monotonic()
            say(done)

    yield show
    say(last[0] if n is None else n)
