"""Large tables: what commands on them take, in time and memory, beside DuckDB's reading of them.

``python -m bench.wide`` writes 50 files of Parquet with a million rows each, and ten million rows of
Parquet and CSV (700 MB in all), and prints for each command the seconds of the wall and of the
processor, the peak memory, the targets, and the seconds in which DuckDB alone reads the columns as
arrays. ``--share .01`` takes so many of the rows, ``--rounds`` repeats.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from bench.floor import ROOT
from bench.timing import summarize

MODELS, ROWS = 50, 10**7
WIDE, PARQUET, CSV = "wide", "parquet", "csv"
READ = "import duckdb; duckdb.execute({query!r}).fetchnumpy()"
COLUMNS = "SELECT correct, confidence FROM '{path}'"


@dataclass(frozen=True)
class Table:
    """A command on large files.

    Parameters
    ----------
    name
        As in the table.
    files
        Which files it reads.
    options
        After the names of the files.
    seconds, megabytes
        Targets; of CSV, `times_reading` DuckDB's time instead of seconds.
    """

    name: str
    files: str
    options: tuple[str, ...]
    seconds: float | None = None
    megabytes: float | None = None
    times_reading: float | None = None


# fmt: off
TABLES = (
    Table("evaluate, 50 files of 10⁶ rows", WIDE, ("--ci", "none"), 4.4, 400.0),
    Table("evaluate --ci, 10⁷ rows", PARQUET, ("--ci", "0.95"), 9.0, 800.0),
    Table("evaluate --max-memory 500MB, 10⁷ rows", PARQUET, ("--max-memory", "500MB"), 10.0, 500.0),
    Table("evaluate, 10⁷ rows of CSV", CSV, ("--ci", "none"), times_reading=2.0),
)
# fmt: on


class Spent(NamedTuple):
    """What a process has taken: seconds, seconds of the processor, megabytes at the peak."""

    wall: float
    processor: float
    megabytes: float


def write(folder: Path, share: float) -> dict[str, list[Path]]:
    """Write all files with a share of their rows, and return their paths."""
    import duckdb

    def rows(number: int, n: int) -> str:
        draws = [
            f"(hash(3 * i + {3 * ROWS * number + k}) >> 11)::DOUBLE / 9007199254740992" for k in (0, 1)
        ]
        drawn = f"SELECT {draws[0]} AS u, {draws[1]} AS v FROM range({n}) AS t(i)"
        return f"SELECT (v < 0.9 + u / 10)::INTEGER AS correct, u AS confidence FROM ({drawn})"

    n = max(100, int(share * ROWS))
    paths = {
        WIDE: [folder / f"model-{number:02}.parquet" for number in range(MODELS)],
        PARQUET: [folder / "large.parquet"],
        CSV: [folder / "large.csv"],
    }
    with duckdb.connect() as connection:
        for number, path in enumerate(paths[WIDE]):
            connection.execute(f"COPY ({rows(number, max(100, n // 10))}) TO '{path}'")
        for path in (*paths[PARQUET], *paths[CSV]):
            connection.execute(f"COPY ({rows(MODELS, n)}) TO '{path}'")
    return paths


def spent(*arguments: str) -> Spent:
    """Run Python with these arguments, and return what the process has taken."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}  # as installed packages have byte code
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *arguments], cwd=ROOT, env=environment, stdout=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, arguments)
    unit = 1e6 if sys.platform == "darwin" else 1e3  # of ru_maxrss, a megabyte
    seconds = usage.ru_utime + usage.ru_stime
    return Spent(time.perf_counter() - start, seconds, usage.ru_maxrss / unit)


def line(table: Table, paths: list[Path], rounds: int) -> str:
    """Measure a command and DuckDB in turns, and return the line of the table."""
    command = ["-m", "fastarac", "evaluate", *map(str, paths), *table.options]
    reading = "\n".join(READ.format(query=COLUMNS.format(path=path)) for path in paths)
    spent(*command)  # which may have to compile
    ours, peer = zip(*((spent(*command), spent("-c", reading)) for _ in range(rounds)), strict=True)
    wall, processor, megabytes = (
        summarize([getattr(each, name) for each in ours]).median for name in Spent._fields
    )
    read = summarize([each.wall for each in peer]).median
    seconds = table.seconds if table.times_reading is None else table.times_reading * read
    marks = [(wall, seconds, "s"), (megabytes, table.megabytes, "MB")]
    targets = [
        f"≤ {limit:.3g} {unit} {'✓' if found <= limit else '✗'}"
        for found, limit, unit in marks
        if limit is not None
    ]
    return (
        f"{table.name:40}{wall:7.2f} s{processor:7.2f} s CPU{megabytes:6.0f} MB   "
        f"{wall / read:5.1f} × DuckDB's reading ({read:.2f} s)   {', '.join(targets)}"
    )


def main(arguments: list[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.wide", description=__doc__)
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        paths = write(Path(folder), options.share)
        for table in TABLES:
            print(line(table, paths[table.files], options.rounds), flush=True)


if __name__ == "__main__":
    main()
