"""Make the study: pages, what engines read of them, the items that are kept, and all figures.

Run it with ``python -m bench.study FOLDER``; the README says how long it takes and what it needs. What
is there is not made again, so that the same command goes on after an interruption.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

from bench.study import collecting, datasheets, evaluating, reading, together
from bench.study.kept import DATA, Study

STEPS = ("read", "keep", "evaluate", "combine")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.study", description=__doc__)
    parser.add_argument("folder", type=Path, help="for pages and what engines read: 2 GB")
    parser.add_argument("--steps", nargs="+", choices=STEPS, default=STEPS)
    parser.add_argument(
        "--pages", type=int, default=reading.Settings().rounds, help="of each language, layout, quality"
    )
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--hours", type=float, help="after which no further page is begun")
    parser.add_argument("--data", type=Path, default=DATA, help="where items are kept")
    parser.add_argument("--results", type=Path, default=evaluating.RESULTS)
    given = parser.parse_args()
    settings = reading.Settings(rounds=given.pages)
    if "read" in given.steps:
        until = None if given.hours is None else time.time() + 3600 * given.hours
        reading.run(settings, given.folder, given.workers, until)
    if "keep" in given.steps:
        for name, size in collecting.write(settings, given.folder, given.data).items():
            print(f"{name}: {size:,} items")
        datasheets.write(Study(given.data))
    if "evaluate" in given.steps:
        evaluating.save(evaluating.compute(Study(given.data)), given.results)
    if "combine" in given.steps:
        together.save(together.compute(settings, given.folder), given.results.with_name(together.NAME))


if __name__ == "__main__":
    main()
