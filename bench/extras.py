"""Cost of each extra: megabytes installed, and processor seconds to import its packages.

``python -m bench.extras`` installs each extra into a separate environment and writes
docs/_data/extras.json, which the page on installing shows.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from importlib.metadata import distribution
from pathlib import Path

from bench.floor import ROOT

DATA = ROOT / "docs" / "_data" / "extras.json"
IMPORTS = {  # what each extra adds, as the package imports it
    "": "numpy, numba",
    "report": "jinja2",
    "plot": "matplotlib.figure",
    "frames": "narwhals",
    "cli": "typer, rich.table, duckdb, jinja2",
    "ocr": "lxml.etree, rapidfuzz, regex, PIL.Image, scipy.optimize",
    "combine": "sklearn.linear_model",
}


def installed(extra: str, folder: Path) -> Path:
    """Install the package with `extra` into a new environment; return the environment's Python."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python = folder / "bin" / "python"
    wanted = f"{ROOT}[{extra}]" if extra else str(ROOT)
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-compile", wanted], check=True)
    return python


def packages_and_bytes(python: Path) -> tuple[int, int]:
    """Count the packages other than pip and setuptools, and the bytes of their files as installed."""
    code = (
        "import importlib.metadata as m, json, os\n"
        "found = [d for d in m.distributions() if d.name not in ('pip', 'setuptools')]\n"
        "files = {os.path.realpath(f.locate()) for d in found for f in d.files or ()}\n"
        "files = {f for f in files if not f.endswith('.pyc') and os.path.exists(f)}\n"
        "print(json.dumps([len(found), sum(map(os.path.getsize, files))]))"
    )
    done = subprocess.run([python, "-c", code], check=True, text=True, stdout=subprocess.PIPE)
    n, size = json.loads(done.stdout)
    return n, size


def processor_seconds(python: Path, code: str) -> float:
    """Return the processor time of a new process that runs `code`, as the system counts it."""
    before = os.times()
    subprocess.run([python, "-c", code], check=True, cwd=python.parent)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def import_seconds(python: Path, modules: str, *, rounds: int) -> float:
    """Return the median processor time of importing `modules`, beyond that of an empty process."""
    processor_seconds(python, f"import {modules}")  # compiles to byte code
    taken = [
        processor_seconds(python, f"import {modules}") - processor_seconds(python, "pass")
        for _ in range(rounds)
    ]
    return statistics.median(taken)


def measured(extra: str, *, rounds: int) -> dict[str, str | int | float]:
    """Install one extra and return its row."""
    with tempfile.TemporaryDirectory() as folder:
        python = installed(extra, Path(folder) / "environment")
        n, size = packages_and_bytes(python)
        seconds = import_seconds(python, IMPORTS[extra], rounds=rounds)
    return {"extra": extra, "packages": n, "megabytes": round(size / 1e6), "seconds": round(seconds, 2)}


def main() -> None:
    """Measure the extras that are named, or all, and record them."""
    parser = argparse.ArgumentParser("python -m bench.extras", description=__doc__)
    parser.add_argument("--rounds", type=int, default=7, help="imports of each extra; default: 7")
    rounds = parser.parse_args().rounds
    rows = []
    for extra in IMPORTS:
        rows.append(measured(extra, rounds=rounds))
        print(rows[-1], flush=True)
    facts = {name: distribution(name).version for name in ("numpy", "numba")}
    document = {"python": sys.version.split()[0], **facts, "extras": rows}
    DATA.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
