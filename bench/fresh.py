"""Time that a new process needs for the import, and until its first result."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING

import numpy as np

from bench.floor import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping

IMPORT = """
import time, numpy
start = time.perf_counter()
import fastarac
print(time.perf_counter() - start)
"""
NOTHING = "import numpy; print(0)"
FIRST = """
import numpy
import fastarac
n = 1000
print(fastarac.arac_auc_score(numpy.arange(n) % 5 > 0, numpy.arange(n) * 7 % n / n))
"""
FIRST_VALUE = 0.9004

IMPORT_ROW = "import fastarac, beyond numpy"
WARM_ROW = "process with a first result at 10³, cache warm"
COLD_ROW = "process with a first result at 10³, cache cold"
NUMPY_ROW = "process that imports numpy, for comparison"
LIMITS = {IMPORT_ROW: 0.030, WARM_ROW: 0.5, COLD_ROW: 1.0}


def run(code: str, cache: str) -> tuple[float, float]:
    """Run `code` in a new process; the seconds it took from start to end, and the number it printed.

    numba keeps its machine code in the directory `cache`, and Python its byte code beside the sources.
    """
    environment: Mapping[str, str] = {
        **os.environ,
        "NUMBA_CACHE_DIR": cache,
        "PYTHONDONTWRITEBYTECODE": "",  # as installed packages have byte code
    }
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, check=True, text=True,
        stdout=subprocess.PIPE,
    )  # fmt: skip
    return time.perf_counter() - start, float(done.stdout)


def first_result(cache: str) -> float:
    """Return the seconds that a whole process with one result takes; its value is checked."""
    seconds, value = run(FIRST, cache)
    if not np.isclose(value, FIRST_VALUE, rtol=1e-12, atol=0):
        message = f"the first result must be {FIRST_VALUE!r}, got {value!r}"
        raise RuntimeError(message)
    return seconds


def start_times(processes: int) -> dict[str, list[float]]:
    """Seconds by row, one value for each process; the rows take turns."""
    times: dict[str, list[float]] = {row: [] for row in (IMPORT_ROW, NUMPY_ROW, WARM_ROW, COLD_ROW)}
    with tempfile.TemporaryDirectory() as warm:
        run(IMPORT, warm)  # compiles the modules to bytecode
        first_result(warm)
        for _ in range(processes):
            times[IMPORT_ROW].append(run(IMPORT, warm)[1])
            times[NUMPY_ROW].append(run(NOTHING, warm)[0])
            times[WARM_ROW].append(first_result(warm))
            with tempfile.TemporaryDirectory() as cold:
                times[COLD_ROW].append(first_result(cold))
    return times
