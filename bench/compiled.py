"""``python -m bench.compiled``: the kernels that a first evaluation and a first demo compile.

Times are processor seconds, so that other processes hardly matter. The time of a kernel excludes the
kernels that it compiles in turn, which have separate lines.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

from bench.floor import ROOT

WORKS = {
    "evaluate, 1,797 items": """
import numpy, fastarac
rng = numpy.random.default_rng(1)
confidence = rng.random(1797)
fastarac.evaluate(rng.random(1797) < 0.3 + 0.7 * confidence, confidence)
""",
    "fastarac demo": """
from fastarac.cli import main
sys.argv[1:] = ["demo"]
main()
""",
}
RECORD = """
import atexit, sys, time
from numba.core import event
times, found, standard_output = [], [], sys.stdout

class Recorder(event.Listener):
    def on_start(self, event):
        times.append([time.process_time(), 0.0])

    def on_end(self, event):
        begin, inner = times.pop()
        seconds = time.process_time() - begin
        if times:
            times[-1][1] += seconds
        kernel = event.data["dispatcher"].py_func
        name = f"{kernel.__module__.rpartition('.')[2]}.{kernel.__name__}"
        types = ", ".join(map(str, event.data["args"]))
        found.append((seconds - inner, f"{name}({types})"))

event.register("numba:compile", Recorder())

def tell():
    for seconds, name in sorted(found, reverse=True):
        print(f"{seconds:6.2f}  {name}", file=sys.stderr)
    print(f"{sum(seconds for seconds, _ in found):6.2f}  {len(found)} in all", file=sys.stderr)

atexit.register(tell)
"""


def compiled(code: str) -> str:
    """Return a line for each kernel that `code` compiles in a fresh process, the slowest first."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
        done = subprocess.run(
            [sys.executable, "-c", RECORD + code], cwd=ROOT, env=environment,
            check=False, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )  # fmt: skip
    return done.stderr


if __name__ == "__main__":
    for work, code in WORKS.items():
        print(f"{work}\n{compiled(code)}")
