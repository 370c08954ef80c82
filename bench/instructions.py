"""``python -m bench.instructions``: how many instructions each call executes, by Callgrind.

Times vary, but instruction counts hardly do: they show the cost of an edit even on a busy machine. They
say nothing about caches, threads, or the time that an instruction takes. Kernels are compiled for a
processor with AVX2 on any machine, and run in one thread. np.sort is treated as given, because another
benchmark measures it.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.floor import ROOT
from bench.works import WORKS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ENVIRONMENT = {
    "FASTARAC_NUM_THREADS": "1",
    "NUMBA_CPU_FEATURES": "",
    "NUMBA_CPU_NAME": "x86-64-v3",  # Valgrind knows no AVX-512
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
}
VALGRIND = ("valgrind", "-q", "--tool=callgrind", "--instr-atstart=no", "--smc-check=all-non-file")


def parser() -> argparse.ArgumentParser:
    """Describe the command line."""
    parser = argparse.ArgumentParser("python -m bench.instructions", description=__doc__)
    add = parser.add_argument
    add("--sizes", default="1e3,1e5", metavar="N,N,…", help="numbers of items; default: 1e3,1e5")
    add("--works", default="", metavar="TEXT", help="only works with this in their names")
    add("--counted", action="store_true", help=argparse.SUPPRESS)
    return parser


def control(*options: str) -> None:
    """Send a command to Callgrind, which runs this process."""
    command = ["callgrind_control", *options, str(os.getpid())]
    subprocess.run(command, check=True, capture_output=True)


def instructions(call: Callable[[], Any], directory: Path) -> int:
    """Instructions of a call, including the overhead of starting and stopping the count."""
    control("-z")
    call()
    known = set(directory.iterdir())
    control("-d")
    (dump,) = set(directory.iterdir()) - known
    lines = dump.read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("totals:"))


def count(sizes: Sequence[int], works: str) -> list[tuple[str, int, int]]:
    """Name, number of items and instructions of each work: where Callgrind runs this process."""
    from fastarac._engine import strategy

    strategy.slowness = lambda _: 1.0  # type: ignore[assignment]  # a clock decides otherwise
    cases = [(work, n, work.inputs(n)) for work in WORKS if works in work.name for n in sizes]
    for work, _, items in cases:
        work.run(items)
    directory = os.environ.get("BENCH_DUMPS")
    if directory is None:  # only to compile
        return []
    control("-i", "on")
    counts = [instructions(lambda: None, Path(directory)) for _ in range(2)]
    found = []
    for work, n, items in cases:
        total = instructions(lambda work=work, items=items: work.run(items), Path(directory))
        found.append((work.name, n, total - counts[-1]))
    return found


def counted(sizes: Sequence[int], works: str) -> list[tuple[str, int, int]]:
    """`count` in a process that Callgrind runs, after one that compiles."""
    if shutil.which("valgrind") is None:
        raise SystemExit("valgrind is not installed: it counts the instructions")
    some = ",".join(map(str, sizes))
    child = [sys.executable, "-m", "bench.instructions", "--counted", "--sizes", some, "--works", works]
    with tempfile.TemporaryDirectory() as directory:
        dumps = Path(directory, "dumps")
        dumps.mkdir()
        environment = {**os.environ, **ENVIRONMENT, "NUMBA_CACHE_DIR": directory}
        subprocess.run(child, cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)
        done = subprocess.run(
            [*VALGRIND, f"--callgrind-out-file={dumps / 'out'}", *child],
            cwd=ROOT, env={**environment, "BENCH_DUMPS": str(dumps)}, check=True, text=True,
            stdout=subprocess.PIPE,
        )  # fmt: skip
    return [(name, n, found) for name, n, found in json.loads(done.stdout)]


def main(arguments: Sequence[str] | None = None) -> None:
    """Count, then print."""
    options = parser().parse_args(arguments)
    sizes = [int(float(size)) for size in options.sizes.split(",")]
    if options.counted:
        print(json.dumps(count(sizes, options.works)))
        return
    for name, n, found in counted(sizes, options.works):
        print(f"{name:<32}{n:>12,} items{found:>16,} instructions{found / n:>10.1f} an item")


if __name__ == "__main__":
    main()
