"""Run the whole study: make pages, run engines on them, save the items, compute all figures.

Run it with ``python -m bench.study FOLDER``; the README says how long it takes and what it needs.
Existing results are not computed again, so that the same command continues after an interruption.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bench.study import collecting, datasheets, evaluating, paper, reading, together
from bench.study.kept import DATA, Study
from bench.study.languages import LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Sequence

STEPS = ("read", "keep", "evaluate", "combine", "paper")


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.study", description=__doc__)
    parser.add_argument("folder", type=Path, help="for pages and what engines read: 2 GB")
    parser.add_argument("--steps", nargs="+", choices=STEPS, default=STEPS)
    parser.add_argument(
        "--pages", type=int, default=reading.Settings().rounds, help="of each language, layout, quality"
    )
    parser.add_argument("--languages", nargs="+", choices=LANGUAGES, default=list(LANGUAGES))
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--hours", type=float, help="after which no further page is begun")
    parser.add_argument("--data", type=Path, default=DATA, help="where items are kept")
    parser.add_argument(
        "--results", type=Path, default=evaluating.RESULTS, help="the JSON of all figures"
    )
    given = parser.parse_args(arguments)
    settings = reading.Settings(rounds=given.pages, languages=given.languages)
    if "read" in given.steps:
        until = None if given.hours is None else time.time() + 3600 * given.hours
        reading.run(settings, given.folder, given.workers, until)
    if "keep" in given.steps:
        for name, size in collecting.write(settings, given.folder, given.data).items():
            print(f"{name}: {size:,} items")
        datasheets.write(Study(given.data))
    if "evaluate" in given.steps:
        evaluating.save(evaluating.compute(Study(given.data), given.results), given.results)
    if "combine" in given.steps:
        path = given.results.with_name(together.NAME)
        together.save(together.compute(settings, given.folder, path), path)
    if "paper" in given.steps:
        for path in paper.write(given.results.parent, given.folder / "paper"):
            print(path)


if __name__ == "__main__":
    main()
