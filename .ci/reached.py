"""With the kernels as plain Python, how many lines of them, and of what calls them, tests reach.

``reached.py run FOLDER`` runs the tests that are marked for it, ``reached.py report FOLDER`` says what
they reached and writes what ``python -m bench.trust`` reads. SlipCover takes its marks out of the code
once a line has run, so that a loop is hardly slower for being watched.
"""

from __future__ import annotations

import json
import runpy
import sys
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

LEAST = 95.0  # percent
WATCHED = (
    *(
        f"fastarac/{name}/*"
        for name in (
            "_kernels",
            "_core",
            "_engine",
            "samples",
            "areas",
            "uncertainty",
            "dropins",
            "measures",
        )
    ),
    "fastarac/sweep.py",
    "fastarac/curves.py",
)
UNWATCHED = (  # among them: the compiler and its cache, texts and tables of results, the scorer
    *(f"fastarac/_kernels/_{name}.py" for name in ("jit", "once")),
    *(f"fastarac/_core/{name}.py" for name in ("extras", "files", "locks", "results")),
    *(f"fastarac/_core/{name}.py" for name in ("saved", "export", "text")),
    "fastarac/_engine/grades.py",
    *(f"fastarac/dropins/{name}.py" for name in ("_responses", "correctness", "scorer")),
)
PYTEST = (
    *("-m", "pytest", "--quiet", "-m", "interpreted and not slow and not compiled"),
    *("--override-ini=addopts=", "--import-mode=importlib", "--strict-markers"),
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),  # of SlipCover itself
)


def run(folder: Path) -> None:
    """Run the tests, and end the process as pytest does."""
    from slipcover.importer import SlipcoverLoader

    def get_data(loader: Any, path: str) -> bytes:
        return loader.orig_loader.get_data(path)

    SlipcoverLoader.get_data = get_data  # which it lacks: what lies beside a module is read with it
    output = f"--out={folder / 'lines.json'}"
    junit = f"--junitxml={folder / 'without_compiler.xml'}"
    files = sorted(Path("tests").rglob("test_*.py"))  # others need not be collected
    marked = [str(path) for path in files if "pytest.mark.interpreted" in path.read_text("utf-8")]
    sys.argv = ["slipcover", "--source=fastarac", "--json", output, *PYTEST, junit, *marked]
    runpy.run_module("slipcover", run_name="__main__")


def report(folder: Path) -> str:
    """Print which lines did not run; return why that is too many, or nothing."""
    ran = missed = 0
    files = json.loads((folder / "lines.json").read_text(encoding="utf-8"))["files"]
    for name, found in files.items():
        if name in UNWATCHED or not any(fnmatch(name, pattern) for pattern in WATCHED):
            continue
        missing = found["missing_lines"]
        ran += len(found["executed_lines"])
        missed += len(missing)
        if missing:
            print(f"{name}: {len(missing)} lines did not run:", *missing)
    percent = 100 * ran / (ran + missed)
    print(f"{percent:.1f} % of {ran + missed:,} lines ran")
    totals = {"totals": {"percent_covered": percent}}
    (folder / "coverage.json").write_text(json.dumps(totals), encoding="utf-8")
    return "" if percent >= LEAST else f"{LEAST} % of the lines are to run"


if __name__ == "__main__":
    task, place = sys.argv[1:]
    if task == "run":
        run(Path(place))
    else:
        sys.exit(report(Path(place)) or 0)
