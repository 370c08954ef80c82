"""Make the pages of the study and run the engines on them, page by page; skip existing results.

Pages come in rounds: the first page of every language, layout and quality, then the second, so that
whatever is there when time is over holds as many pages of each.
"""

from __future__ import annotations

import json
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING

from bench.study import engines, pages
from bench.study.composing import Vocabulary
from bench.study.degrading import QUALITIES
from bench.study.languages import LANGUAGES
from bench.study.typesetting import LAYOUTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

SEED = 2026
EVERY = {"rapidocr": 4}  # reads every fourth page: it takes as long for one as Tesseract for five
FOLDERS = ("images", "truth", "lines", "page", "made")


@dataclass(frozen=True)
class Settings:
    """Which pages there are.

    Attributes
    ----------
    rounds : int
        How many pages there are of each language, layout and quality.
    languages, layouts, qualities : sequence of str
        All by default.
    """

    rounds: int = 12
    languages: Sequence[str] = tuple(LANGUAGES)
    layouts: Sequence[str] = tuple(LAYOUTS)
    qualities: Sequence[str] = tuple(QUALITIES)

    def round(self, number: int) -> Iterator[pages.Recipe]:
        """Return the pages of a round: one of each language, layout and quality."""
        for language in self.languages:
            for layout in self.layouts:
                for quality in self.qualities:
                    yield pages.Recipe(language, layout, quality, number, SEED)

    def complete(self, folder: Path) -> Iterator[pages.Recipe]:
        """Return the pages of all rounds before the first that is not finished."""
        for number in range(self.rounds):
            found = list(self.round(number))
            if not all(finished(each, folder) for each in found):
                return
            yield from found


def engines_of(recipe: pages.Recipe) -> list[str]:
    """Return the engines that read a page."""
    return [
        engine
        for engine in engines.ENGINES
        if engines.reads(engine, recipe.language) and recipe.number % EVERY.get(engine, 1) == 0
    ]


def finished(recipe: pages.Recipe, folder: Path) -> bool:
    """Return whether a page is made and read."""
    inside = folder / recipe.language
    if not (inside / "made" / f"{recipe.name}.json").exists():
        return False
    return all(task.outputs[-1].exists() for task in _tasks(recipe, inside))


def make_and_read(recipe: pages.Recipe, folder: Path) -> float:
    """Make a page and have it read, as far as that was not done; return the seconds it took."""
    start = time.perf_counter()
    inside = folder / recipe.language
    for name in FOLDERS:
        (inside / name).mkdir(parents=True, exist_ok=True)
    row = inside / "made" / f"{recipe.name}.json"
    if not row.exists():
        found = pages.make(recipe, _vocabulary(recipe.language), inside)
        part = row.with_suffix(".part")
        part.write_text(json.dumps(found), encoding="utf-8")
        part.replace(row)
    for task in _tasks(recipe, inside):
        if not task.outputs[-1].exists():
            engines.read(task)
    return time.perf_counter() - start


def _tasks(recipe: pages.Recipe, inside: Path) -> list[engines.Task]:
    end = "png" if recipe.quality == "clean" else "jpg"
    image = inside / "images" / f"{recipe.name}.{end}"
    return [engines.Task(each, image, inside, recipe.language, "tsv") for each in engines_of(recipe)]


@cache
def _vocabulary(code: str) -> Vocabulary:
    return Vocabulary.load(LANGUAGES[code])


def run(settings: Settings, folder: Path, workers: int, until: float | None = None) -> None:
    """Make and read all pages, in parallel processes.

    Parameters
    ----------
    settings : Settings
        Which pages.
    folder : Path
        Where a folder for each language is made.
    workers : int
        How many processes there are.
    until : float, optional
        The time (of `time.time`) from which on no further page is begun.
    """
    # RapidOCR's libraries look at this when they are first imported
    os.environ["OMP_NUM_THREADS"] = "1"
    for number in range(settings.rounds):
        # a round's pages are given out together, and none of the next before they are read
        wanted = [r for r in settings.round(number) if not finished(r, folder)]
        if not wanted:
            continue
        start = time.perf_counter()
        with ProcessPoolExecutor(workers) as pool:
            taken = list(pool.map(partial(_timely, folder=folder, until=until), wanted))
        done = [seconds for seconds in taken if seconds is not None]
        print(
            f"round {number + 1} of {settings.rounds}: {len(done)} of {len(wanted)} pages, "
            f"{time.perf_counter() - start:.0f} s",
            file=sys.stderr,
            flush=True,
        )
        if len(done) < len(wanted):
            print("the time is over; the same command goes on from here", file=sys.stderr)
            return


def _timely(recipe: pages.Recipe, folder: Path, until: float | None) -> float | None:
    if until is not None and time.time() > until:
        return None
    return make_and_read(recipe, folder)
