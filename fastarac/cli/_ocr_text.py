"""Read and align the texts of pages for ``fastarac ocr``."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from fastarac.answers.engine_texts import EngineTexts
from fastarac.cli._options import RefusalError, in_words_of_options
from fastarac.evaluation.sources import Beside

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from fastarac.answers.models import Model
    from fastarac.cli._ocr import BesideItems, EngineFiles, OcrRequest
    from fastarac.cli._ocr_settings import OcrSettings
    from fastarac.evaluation.limits import Limit
    from fastarac.ocr import Engine
    from fastarac.results import Pairing

PATIENCE = 2.0  # seconds until a progress bar appears


def read_engines(request: OcrRequest, limits: Sequence[Limit], given: BesideItems) -> EngineTexts:
    from fastarac.ocr import read_attributes
    from fastarac.ocr.words.regions import checked_parts
    from fastarac.report.images import images_in

    with _refused(""):
        pictures = {} if given.images is None else images_in(given.images)
        attributes = None
        if given.attributes is not None:
            skip = request.files.skip_unmatched
            attributes = read_attributes(given.attributes, skip_unmatched=skip)
    beside = Beside(pictures, not given.no_text, attributes)
    alignment = request.aligned()
    pairings = _pairings(request.files, request.settings)
    engines = request.combining.texts(_read(pairings, alignment), alignment)
    sources = {}
    for name, each in engines.items():
        with _refused(name):
            if attributes is not None:
                attributes.rows_of(each.aligned.records.page_names)
            sources[name] = each.__report__(limits, beside)
    every = {name: source for name, (_, source) in sources.items()}
    sources = {name: (items, own.beside_others(every)) for name, (items, own) in sources.items()}
    parts = checked_parts(alignment["within_truth"], alignment["ignore_regions"])
    return EngineTexts(engines, pairings, sources, str(parts))


def write_pages(folder: Path, engines: EngineTexts, models: Sequence[Model]) -> int:
    """Write the texts of all pages; return the number of pages."""
    from fastarac.ocr import compare_texts
    from fastarac.report import write_review_pages

    thresholds = {model.name: model.point(0).threshold for model in models if model.limits}
    read = {model.name: engines.engines[model.name] for model in models}
    return len(write_review_pages(folder, compare_texts(read, thresholds=thresholds)))


def _read(pairings: Mapping[str, Pairing], alignment: Mapping[str, Any]) -> dict[str, Engine]:
    from fastarac.ocr import align_files

    total = sum(len(pairing.pairs) for pairing in pairings.values())
    engines = {}
    with _progress(total) as advance:
        for name, pairing in pairings.items():
            with _refused(name):
                engines[name] = align_files(pairing, **alignment, n_workers=None, progress=advance)
    return engines


def _pairings(files: EngineFiles, settings: OcrSettings) -> dict[str, Pairing]:
    """Return each engine's pairs of true text and output, as files."""
    from fastarac.ocr import WordColumns, pair_files, pair_table, read_pairs

    skip, of_truth = files.skip_unmatched, settings.truth_pattern
    if files.pair is not None:
        with _refused(""):
            return read_pairs(files.pair, skip_unmatched=skip)
    assert files.truth is not None  # noqa: S101, checked
    found = {}
    for name, folder in files.named().items():
        with _refused(name):
            if settings.columns:
                columns = WordColumns.of(settings.columns)
                found[name] = pair_table(files.truth, folder, columns, truth_pattern=of_truth)
                continue
            found[name] = pair_files(
                files.truth,
                folder,
                pattern=settings.pattern,
                truth_pattern=of_truth,
                skip_unmatched=skip,
            )
    return found


@contextmanager
def _refused(name: str) -> Iterator[None]:
    """Refuse files that cannot be read; the message names the engine."""
    try:
        yield
    except (ValueError, OSError, ModuleNotFoundError) as error:
        said = in_words_of_options(error)
        said = f"{said}; {_how_to_pair(error)}" if _unmatched(error) else said
        said = said.replace("skip_unmatched=True", "--skip-unmatched")
        said = said.removeprefix("words has ")  # users do not know `align`'s argument "words"
        raise RefusalError(f"{name}: {said}" if name else said) from None


@contextmanager
def _progress(total: int) -> Iterator[Callable[[int], None]]:
    """Yield a function that counts pages; terminals show a bar if the reading takes `PATIENCE`."""
    start = time.monotonic()
    console = Console(stderr=True)
    columns = TextColumn("Reading and aligning"), BarColumn(), MofNCompleteColumn()
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_interactive)
    task = bar.add_task("", total=total)

    def advance(number: int) -> None:
        bar.advance(task, number)
        if time.monotonic() - start > PATIENCE:
            bar.start()

    try:
        yield advance
    finally:
        bar.stop()


def _how_to_pair(error: Exception) -> str:
    """Return an error message with advice on options for files that have no partner."""
    n_paired = getattr(error, "n_paired", None)
    if n_paired == 0:
        return (
            "no names match: list the pairs of files in a table for --pair; or, if one table has all "
            "words, name its columns in the file of --settings"
        )
    skip = "--skip-unmatched leaves them out"
    if n_paired is None:
        return skip
    return f"list the pairs in a table for --pair; or {skip}"


def _unmatched(error: Exception) -> bool:
    return bool(getattr(error, "without_output", ()) or getattr(error, "without_truth", ()))
