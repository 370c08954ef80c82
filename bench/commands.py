"""Time of whole commands on files, as users experience it, including the start of the process.

The files have just been written, so they are read from the cache in memory; compiled kernels and byte
code are on disk.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bench.floor import ROOT
from bench.ocr import write_pages

if TYPE_CHECKING:
    from collections.abc import Sequence

FIELDS = 12
WORDS = 400  # a page
ENGINES = "plain", "enlarged"


@dataclass(frozen=True)
class Command:
    """A command on files of outputs.

    Parameters
    ----------
    name
        As in the table.
    arguments
        What stands before the names of the files.
    rows
        Of each file; words of each engine.
    limit
        Of the median of the seconds.
    files
        How many there are: of the same items, each in an order of its own; or engines.
    of_pages
        Whether the files are pages: a folder of true texts, and one of each engine.
    report
        Whether a report is written, too.
    """

    name: str
    arguments: tuple[str, ...]
    rows: int
    limit: float
    files: int = 1
    of_pages: bool = False
    report: bool = False


# fmt: off
COMMANDS = (
    Command(
        "compare --id, texts in two files of 2·10⁶ rows", ("compare", "--id", "id"), 2 * 10**6, 3.0,
        files=2,
    ),
    Command(
        f"evaluate --by, {FIELDS} groups, 5·10⁶ rows", ("evaluate", "--by", "field"), 5 * 10**6, 2.5
    ),
    Command("evaluate --ci, two limits, 10⁶ rows", ("evaluate", "--ci", "0.95"), 10**6, 2.0),
    Command(
        "ocr with intervals, two engines, 1,000 pages of 400 words", ("ocr",), 400 * 1000, 20.0,
        files=2, of_pages=True,
    ),
    Command(
        "ocr --report, two engines, 1,000 pages of 400 words", ("ocr",), 400 * 1000, 25.0,
        files=2, of_pages=True, report=True,
    ),
)
# fmt: on
LIMITS = {command.name: command.limit for command in COMMANDS}


def write_files(command: Command, n: int, folder: Path) -> list[Path]:
    """Write the files of a command, n rows each; of pages, n words of each engine."""
    if command.of_pages:
        names = [f"engine-{number}" for number in range(command.files)]
        for name, engine in zip(names, ENGINES, strict=False):
            write_pages(folder, max(2, n // WORDS), WORDS, name, engine)
        return [folder / name for name in ("truth", *names)]
    paths = [folder / f"engine-{number}.csv" for number in range(command.files)]
    for number, path in enumerate(paths):
        _write(path, n, number)
    return paths


def _write(path: Path, n: int, number: int) -> None:
    """Write n outputs with ids and fields, all confidences distinct, 95 % correct."""
    import duckdb

    uniform = [f"(hash(3 * i + {3 * n * number + k}) >> 11)::DOUBLE / 9007199254740992" for k in (0, 1)]
    items = (
        f"SELECT i, i % {FIELDS} AS field, {uniform[0]} AS u, {uniform[1]} AS v FROM range({n}) AS t(i)"
    )
    columns = (
        "format('page-{:07d}/word-{:03d}', i // 400, i % 400) AS id, 'field ' || field AS field, "
        "(v < 0.9 + u / 10)::INTEGER AS correct, u AS confidence"
    )
    query = f"SELECT {columns} FROM ({items}) ORDER BY hash(3 * i + {3 * n * number + 2})"
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({query}) TO '{path}' (FORMAT csv, HEADER)")
    with path.open("rb+") as file:
        os.fsync(file.fileno())  # or it would be written to the disk while commands are timed


def run(command: Command, files: Sequence[Path]) -> tuple[float, str]:
    """Return the seconds that a process takes from start to end, and what it prints."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}  # as installed packages have byte code
    report = ("--report", str(files[0].parent / "report.html")) if command.report else ()
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "fastarac", *command.arguments, *map(str, files), *report],
        cwd=ROOT, env=environment, check=True, text=True, stdout=subprocess.PIPE,
    )  # fmt: skip
    return time.perf_counter() - start, done.stdout


def times(rounds: int) -> dict[str, list[float]]:
    """Seconds by command, one value per round, after a first run that may compile."""
    found = {}
    for command in COMMANDS:
        with tempfile.TemporaryDirectory() as folder:
            files = write_files(command, command.rows, Path(folder))
            run(command, files)
            found[command.name] = [run(command, files)[0] for _ in range(rounds)]
    return found
