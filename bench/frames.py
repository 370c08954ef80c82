"""Time and memory of each way to count the rows of a frame, next to a plain count and a sort.

The rows are generated inside the engine, anew in each pass, so that no file limits their number:

    python -m bench.frames --engine duckdb --largest 9 --write

Each measurement runs in a separate process, whose peak memory includes memory allocated outside Python.
"""

from __future__ import annotations

import argparse
import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import fastarac as fa
from bench.floor import ROOT
from bench.machine import processor_name, version_of
from bench.memory import peak

if TYPE_CHECKING:
    from collections.abc import Iterator

RESULTS = ROOT / "docs" / "_data" / "frames.json"
MEMORY = "2GB"  # that DuckDB may take
WAYS = ("count", "sort", "counts", "bounds", "exact")
LARGEST = {"duckdb": {}, "spark": {"sort": 7, "exact": 7}}  # of 10**…
COLUMNS: dict[str, Any] = {"confidence": "score", "correct": "good"}
# A score of 53 bits, and a label that is correct with a probability of half the score and a half.
UNIFORM = {
    "duckdb": "(hash(i) >> 11)::DOUBLE / 9007199254740992",
    "spark": "shiftrightunsigned(xxhash64(id), 11) / 9007199254740992D",
}
LABEL = {
    "duckdb": "(hash(i + 1000000000000) >> 11)::DOUBLE / 9007199254740992 < 0.5 + score / 2",
    "spark": "shiftrightunsigned(xxhash64(id, 7), 11) / 9007199254740992D < 0.5 + score / 2",
}


def frame_of(engine: str, n: int, decimals: int | None) -> tuple[Any, Any]:
    """Return the engine's session, and n rows in it: scores, rounded if asked for, and labels."""
    score = UNIFORM[engine] if decimals is None else f"round({UNIFORM[engine]}, {decimals})"
    if engine == "duckdb":
        import duckdb

        folder = tempfile.mkdtemp(prefix="fastarac-bench-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        session: Any = duckdb.connect(config={"memory_limit": MEMORY, "temp_directory": folder})
        scores = f"SELECT i, {score} AS score FROM range({n}) AS t(i)"
        query = f"SELECT score, {LABEL[engine]} AS good FROM ({scores})"
        session.sql(query).create_view("items")
        return session, session.sql("SELECT * FROM items")
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.driver.memory", MEMORY.lower().removesuffix("b"))
        .config("spark.ui.enabled", "false")
        .config("spark.log.level", "ERROR")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .getOrCreate()
    )
    rows = session.range(0, n, 1, max(2, n >> 22)).selectExpr("id", f"{score} AS score")
    frame = rows.selectExpr("score", f"{LABEL[engine]} AS good")
    frame.createOrReplaceTempView("items")
    return session, frame


def measure(engine: str, n: int, way: str) -> dict[str, Any]:
    """Measure one way of counting in this process, which does nothing else."""
    few = way == "counts"
    session, frame = frame_of(engine, n, 4 if few else None)
    if way not in ("count", "sort"):  # what is compiled and imported on first use
        method: Any = "auto" if few else way
        fa.frames.threshold_sweep(frame_of(engine, 1 << 17, 4)[1], **COLUMNS, method=method)
        fa.frames.threshold_sweep(frame_of(engine, 1 << 17, None)[1], **COLUMNS, method="exact")
    row: dict[str, Any] = {"engine": engine, "rows": n, "way": way}
    start = time.perf_counter()
    if way in ("count", "sort"):
        read = "SELECT count(*) FROM items WHERE score >= 0 AND good IS NOT NULL"
        numbered = "SELECT row_number() OVER (ORDER BY score) AS r, good FROM items"
        query = (
            read if way == "count" else f"SELECT count(*) FROM ({numbered}) AS t WHERE good OR r > 1"
        )
        found = session.sql(query)
        (found.fetchall if engine == "duckdb" else found.collect)()
    else:
        sweep = fa.frames.threshold_sweep(frame, **COLUMNS, method="auto" if few else way)
        if sweep.total != n:
            message = f"{sweep.total} items were counted of {n}"
            raise RuntimeError(message)
        if isinstance(sweep, fa.frames.BoundedSweep):
            row |= {"bins": len(sweep.single_valued), "roc_auc": list(sweep.roc_auc)}
    row["seconds"] = time.perf_counter() - start
    row["peak_bytes"] = peak() if engine == "duckdb" else peak_of_all()
    return row


def peak_of_all() -> int:
    """Return the largest resident memory of this process and of those that it started, added up."""
    parents, peaks = {}, {}
    for status in Path("/proc").glob("[0-9]*/status"):
        with suppress(OSError):  # of a process that has just ended
            facts = dict(line.split(":", 1) for line in status.read_text().splitlines())
            if "VmHWM" in facts:
                pid = int(status.parent.name)
                parents[pid], peaks[pid] = int(facts["PPid"]), int(facts["VmHWM"].split()[0]) << 10
    own = {os.getpid()}
    while new := {pid for pid, parent in parents.items() if parent in own} - own:
        own |= new
    return sum(peaks[pid] for pid in own)


def measured(
    engine: str, smallest: int, largest: int, ways: tuple[str, ...]
) -> Iterator[dict[str, Any]]:
    """Measure each way for so many rows, powers of ten, each in a process of its own."""
    for power in range(smallest, largest + 1):
        for way in ways:
            if power > LARGEST[engine].get(way, largest):
                continue
            one = [engine, str(10**power), way]
            done = subprocess.run(
                [sys.executable, "-m", "bench.frames", "--one", *one],
                cwd=ROOT, check=True, text=True, stdout=subprocess.PIPE,
            )  # fmt: skip
            row = json.loads(done.stdout.splitlines()[-1])
            print(f"{engine:8} {10**power:>14,} {way:8} {row['seconds']:9.2f} s "
                  f"{row['peak_bytes'] / 2**20:8.0f} MiB", flush=True)  # fmt: skip
            yield row


def write(rows: list[dict[str, Any]], path: Path) -> None:
    """Put the rows into the file of results, in the place of older ones of the same kind."""
    old: dict[str, Any] = {"machine": {"load": {}}, "measured": []}
    if path.exists():
        old = json.loads(path.read_text(encoding="utf-8"))
    kind = ("engine", "rows", "way")
    kept = {tuple(row[name] for name in kind): row for row in [*old["measured"], *rows]}
    machine = {
        "processor": processor_name(), "processors": os.cpu_count(), "memory_limit": MEMORY,
        "load": old["machine"]["load"] | {row["engine"]: os.getloadavg()[1] for row in rows},
        "duckdb": version_of("duckdb"), "pyspark": version_of("pyspark"),
    }  # fmt: skip
    text = json.dumps({"machine": machine, "measured": [kept[key] for key in sorted(kept)]}, indent=1)
    path.write_text(text + "\n", encoding="utf-8")


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--engine", choices=tuple(UNIFORM), default="duckdb")
    parser.add_argument("--smallest", type=int, default=6, help="10**… rows")
    parser.add_argument("--largest", type=int, default=7, help="10**… rows")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    parser.add_argument("--write", action="store_true", help=f"into {RESULTS.relative_to(ROOT)}")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        engine, n, way = given.one
        print(json.dumps(measure(engine, int(n), way)))
        return
    for row in measured(given.engine, given.smallest, given.largest, tuple(given.ways)):
        if given.write:
            write([row], RESULTS)


if __name__ == "__main__":
    main()
