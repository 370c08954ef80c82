"""Read and align all files of an engine, in this process or in worker processes."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from fastarac._engine.strategy import processors
from fastarac.ocr.formats import require_confidence
from fastarac.ocr.pairing import read_pair
from fastarac.ocr.readers._files import check_level
from fastarac.ocr.readers.alto import wrote_digits
from fastarac.ocr.words.folding import checked_foldings
from fastarac.ocr.words.items import AlignedOutputs
from fastarac.ocr.words.policies import AlignmentPolicy
from fastarac.ocr.words.records import Reading, Records, records_of
from fastarac.ocr.words.regions import checked_parts, require_types
from fastarac.ocr.words.units import check_unit
from fastarac.ocr.words.words import Words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

    from fastarac.evaluation.limits import Limit
    from fastarac.evaluation.sources import Beside
    from fastarac.io import Outputs
    from fastarac.ocr.pairing import Pair, Pairing
    from fastarac.ocr.readers._files import Hyphenated, Level
    from fastarac.ocr.report_extras import ReportedPages
    from fastarac.ocr.words.policies import InsertedPolicy, MissedPolicy, MovedPolicy
    from fastarac.ocr.words.units import Join, Unit

#: Number of files in one batch for a worker process.
AT_A_TIME = 16
#: Minimum number of files for which workers are started.
FEW = 64
ENDED = "a worker process has ended before its work was done: it was killed, or could not start"


@dataclass(frozen=True, slots=True, eq=False)
class Engine:
    """The outputs of one engine on all pages, aligned with the truth.

    Attributes
    ----------
    aligned : AlignedOutputs
        The items.
    words : Words
        All words of the engine, in the order of the pages: `aligned.records.output_begin` and
        `output_end` are indices into them.
    truth : Words
        The true words of the same pages, in the same order.
    pairs : tuple of Pair
        The pairs of files that were read; empty if engines were combined.

    See Also
    --------
    align_files : read and align pairs of files
    AlignedOutputs : the items of an engine's outputs

    Examples
    --------
    >>> import fastarac as fa
    >>> folders = fa.ocr.sample_folders()
    >>> pairing = fa.ocr.pair_files(folders.truth, folders.outputs["plain"])
    >>> engine = fa.ocr.align_files(pairing)
    >>> engine.aligned
    AlignedOutputs(2190 items on 20 pages, 1915 right; 62 of 2180 true words missed, 'reject')
    >>> len(engine.pairs)
    20
    """

    aligned: AlignedOutputs
    words: Words
    truth: Words
    pairs: tuple[Pair, ...] = ()

    def __report__(self, limits: Iterable[Limit], beside: Beside) -> tuple[Outputs, ReportedPages]:
        """Return the items, and the object that makes the report's sections on pages."""
        return self.aligned.__report__(limits, beside, self.words)


class _Part(NamedTuple):
    words: Words
    truth: Words
    records: Records


def align_files(
    pairing: Pairing,
    *,
    unit: Unit = "word",
    missed: MissedPolicy = "reject",
    inserted: InsertedPolicy = "wrong",
    moved: MovedPolicy = "right",
    fold: str | Iterable[str] = (),
    join: Join = "min",
    level: Level = "auto",
    hyphenated: Hyphenated = "whole",
    within_truth: bool = False,
    ignore_regions: str | Iterable[str] = (),
    n_workers: int | None = 1,
    progress: Callable[[int], None] | None = None,
) -> Engine:
    """Read and align pairs of files; worker processes can share the work if there are many files.

    Parameters
    ----------
    pairing : Pairing
        The pairs, from :func:`pair_files`.
    unit, missed, inserted, moved, fold, join
        As for :func:`align`.
    level : {"auto", "region", "line", "word"}, default="auto"
        The level to read if regions, lines and words each carry text, as for :func:`read`.
    hyphenated : {"whole", "parts"}, default="whole"
        As for :func:`read`.
    within_truth : bool, default=False
        Whether to leave out outputs outside the regions of the truth, for example if the truth covers
        only some articles of a page. The figures then hold for such regions only; on a new page without
        truth, these regions are unknown.
    ignore_regions : str or iterable of str, default=()
        Types of regions whose text is ignored in truth and outputs: the kind of a PAGE region or an
        ALTO block, or its type attribute, such as ``"image"``, ``"advert"`` or ``"page-number"``.
    n_workers : int or None, default=1
        Number of processes; None means one per core. The result does not depend on this number. A small
        number of files is read without workers. As always with ``multiprocessing``, a script that uses
        workers must keep its own code under ``if __name__ == "__main__":``.
    progress : callable, optional
        Function that is called with the number of files just finished, after each part of the work.

    Returns
    -------
    Engine

    Raises
    ------
    OcrFileError
        If a file cannot be read, or lacks the coordinates that `within_truth` or `ignore_regions`
        needs.
    ValueError
        As for :func:`align`; also if files have confidences of different scales.
    ChildProcessError
        If a worker process is killed, or cannot start.

    See Also
    --------
    align : align an engine's words with the true ones
    pair_files : pair files of the truth and of an engine by name
    Engine : the outputs of one engine on all pages, aligned with the truth

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from fastarac.ocr import align_files, pair_files
    >>> with TemporaryDirectory() as folder:
    ...     truth, output = Path(folder, "p1.gt.txt"), Path(folder, "p1.json")
    ...     _ = truth.write_text("Total 12,50")
    ...     _ = output.write_text('[[[[0, 0], [9, 0], [9, 9], [0, 9]], "Total 12,5O", 0.93]]')
    ...     engine = align_files(pair_files(truth, output))
    >>> engine.aligned
    AlignedOutputs(2 items on 1 page, 1 right; 0 of 2 true words missed, 'reject')
    """
    check_unit(unit, join)
    policy = AlignmentPolicy(missed, inserted, moved)
    policy.check()
    check_level(level)
    reading = Reading(unit, checked_foldings(fold), join)
    digits = wrote_digits(pair.output for pair in pairing.pairs)
    of_pages = checked_parts(within_truth, ignore_regions)
    require_types(of_pages, (pair.truth for pair in pairing.pairs))
    align_pair = partial(
        _part, reading=reading, level=level, hyphenated=hyphenated, digits=digits, parts=of_pages
    )
    parts = _parts(pairing.pairs, align_pair, n_workers, progress or (lambda _: None))
    words = Words.concatenate(part.words for part in parts)
    require_confidence(words)
    records = Records.concatenate([part.records for part in parts])
    truth = Words.concatenate(part.truth for part in parts)
    return Engine(AlignedOutputs.of(records, reading, policy), words, truth, pairing.pairs)


def _parts(
    pairs: tuple[Pair, ...],
    align_pair: Callable[[Pair], _Part],
    n_workers: int | None,
    progress: Callable[[int], None],
) -> list[_Part]:
    n_workers = processors() if n_workers is None else n_workers
    if n_workers == 1 or len(pairs) < FEW:
        parts = []
        for pair in pairs:
            parts.append(align_pair(pair))
            progress(1)
        return parts
    batches = [pairs[i : i + AT_A_TIME] for i in range(0, len(pairs), AT_A_TIME)]
    found = _in_workers(batches, align_pair, min(n_workers, len(batches)), progress)
    return [part for batch in found for part in batch]


def _part(pair: Pair, reading: Reading, **options: Any) -> _Part:
    truth, words = read_pair(pair, **options)
    return _Part(words, truth, records_of(truth, words, reading))


def _in_workers(
    batches: Sequence[Sequence[Pair]],
    align_pair: Callable[[Pair], _Part],
    n_workers: int,
    progress: Callable[[int], None],
) -> list[list[_Part]]:
    """Align the pairs of each batch in worker processes.

    All processes have ended when this function returns or raises. Each process has its own pipe,
    because an interrupt could leave the lock of a shared queue locked.
    """
    context = get_context("spawn")
    found: list[list[_Part]] = [[] for _ in batches]
    waiting = iter(range(len(batches)))
    busy: dict[Connection[Any, Any], int] = {}
    workers: list[tuple[SpawnProcess, Connection[Any, Any]]] = []

    def give(pipe: Connection[Any, Any]) -> None:
        busy.pop(pipe, None)
        number = next(waiting, None)
        if number is not None:
            try:
                pipe.send((batches[number], align_pair))
            except OSError:
                raise ChildProcessError(ENDED) from None
            busy[pipe] = number

    try:
        for _ in range(n_workers):
            pipe, other = context.Pipe()
            worker = context.Process(target=_work, args=(other,), daemon=True)
            workers.append((worker, pipe))
            with _interrupts_wait():
                worker.start()
            other.close()
            give(pipe)
        while busy:
            for ready in wait(list(busy)):
                pipe = cast("Connection[Any, Any]", ready)
                found[busy[pipe]] = _received(pipe)
                progress(len(found[busy[pipe]]))
                give(pipe)
    finally:
        for worker, pipe in workers:
            pipe.close()
            if worker.pid is not None:
                worker.terminate()
                worker.join()
    return found


@contextmanager
def _interrupts_wait() -> Iterator[None]:
    """Block Ctrl-C while workers start, because a new worker does not ignore it yet."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # Start the resource tracker before SIGINT is blocked, because its start unblocks SIGINT.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _received(pipe: Connection[Any, Any]) -> list[_Part]:
    try:
        answer = pipe.recv()
    except (EOFError, OSError):
        raise ChildProcessError(ENDED) from None
    if isinstance(answer, BaseException):
        raise answer
    parts: list[_Part] = answer
    return parts


def _work(pipe: Connection[Any, Any]) -> None:
    """Align batches in a worker process; ignore Ctrl-C, and exit when the parent process ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    while True:
        try:
            pairs, align_pair = pipe.recv()
        except EOFError:
            return
        try:
            pipe.send(list(map(align_pair, pairs)))
        except Exception as error:  # noqa: BLE001, the parent raises it
            pipe.send(error)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
