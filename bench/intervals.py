"""Speed of asymptotic intervals, DeLong's test and BCOST, in one run.

``python -m bench.intervals`` prints the table; ``--size`` limits the number of items. The time of an
interval is compared with the time of the same area without an interval. R's pROC is the peer where
Rscript finds it: its curve and its interval are timed within R, so that starting R and reading the data
cost nothing.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

import fastarac as fa
from bench import inputs
from bench.peers import processors
from bench.timing import seconds_per_call

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.inputs import Inputs

SIZES = (10**3, 10**6)
MOST = 4.0  # times the area itself
AREAS: dict[str, Callable[..., float]] = {
    "arac_auc": fa.arac_auc_score,
    "roc_auc": fa.roc_auc_score,
    "aurc": fa.aurc_loss,
    "average_precision": fa.average_precision_score,
}
BCOST_MOST = 0.05  # seconds
PROC = """
suppressMessages(library(pROC)); folder <- commandArgs(trailingOnly = TRUE)[1]; n <- {n}
y <- readBin(file.path(folder, "y"), "integer", n); a <- readBin(file.path(folder, "a"), "double", n)
curve <- function() roc(y, a, levels = c(0, 1), direction = "<", quiet = TRUE)
cat(system.time(r <- curve())[["elapsed"]], system.time(i <- ci.auc(r))[["elapsed"]], i, "\\n")
"""


def ratio_line(
    name: str, call: Callable[[], Any], area: Callable[[], Any], rounds: int, *, judged: bool
) -> str:
    """Time of a call, and its ratio to the time of the area alone."""
    call(), area()  # compiled and loaded
    inner = max(1, int(0.02 / max(seconds_per_call(area, 1), 1e-6)))
    times, ratios = [], []
    for _ in range(rounds):
        alone = seconds_per_call(area, inner)
        times.append(seconds_per_call(call, inner))
        ratios.append(times[-1] / alone)
    spread = f"{median(ratios):6.2f} × the area ({min(ratios):.2f}–{max(ratios):.2f})"
    verdict = f", target ≤ {MOST:g} {'✓' if median(ratios) <= MOST else '✗'}" if judged else ""
    return f"{name:58}{1e3 * median(times):10.3f} ms {spread}{verdict}"


def proc_line(items: Inputs, rounds: int) -> str:
    """Time of pROC for the same interval, after a check that both intervals agree."""
    rscript = shutil.which("Rscript")
    if rscript is None:
        return "    pROC: no Rscript here"
    ours = [seconds_per_call(lambda: _roc_interval(items), 1) for _ in range(rounds)]
    with TemporaryDirectory() as folder:
        items.correct.astype(np.int32).tofile(Path(folder, "y"))
        items.confidence.astype(np.float64).tofile(Path(folder, "a"))
        script = Path(folder, "proc.R")
        script.write_text(PROC.format(n=len(items.correct)), encoding="utf-8")
        done = subprocess.run(
            [rscript, str(script), folder], capture_output=True, text=True, check=False, timeout=600
        )
    if done.returncode:
        return "    pROC: not installed in R"
    curve, interval, low, area, high = map(float, done.stdout.split())
    found = _roc_interval(items)
    np.testing.assert_allclose(
        [low, area, high],
        [found.low, found.estimate, found.high],
        rtol=1e-6,
    )
    return (
        f"    pROC: curve {curve:.3f} s, interval {interval:.3f} s; together "
        f"{(curve + interval) / median(ours):,.0f} × ours"
    )


def _roc_interval(items: Inputs) -> fa.results.AsymptoticInterval:
    return fa.asymptotic_interval(items.correct, items.confidence, statistic="roc_auc", method="wald")


def lines(size: int, rounds: int) -> list[str]:
    """All lines for one number of items."""
    items = inputs.continuous(size)
    data = items.correct, items.confidence
    text = []
    for statistic, area in AREAS.items():
        name = f"asymptotic_interval, {statistic}, {size:,} items"
        text.append(
            ratio_line(
                name,
                lambda s=statistic: fa.asymptotic_interval(*data, statistic=s),  # type: ignore[misc]
                lambda a=area: a(*data),  # type: ignore[misc]
                rounds,
                judged=size == SIZES[-1],
            )
        )
    text.append(proc_line(items, rounds))
    return text


def bcost_line(rounds: int) -> str:
    """Five classes, a billion items, ten thousand resamples."""
    rng = np.random.default_rng(0)
    counts = rng.integers(1, 10**6, (5, 5)) + np.diag([4 * 10**7] * 5)
    counts = counts * (10**9 // int(counts.sum()) + 1)
    costs = rng.random((5, 5)) * (1 - np.eye(5))

    def call() -> Any:
        return fa.costs.bcost(counts, costs, n_resamples=10_000, random_state=0)

    call()
    middle = median(seconds_per_call(call, 1) for _ in range(rounds))
    verdict = "✓" if middle <= BCOST_MOST else "✗"
    name = f"bcost, 5 classes, {counts.sum():,} items"
    return f"{name:58}{1e3 * middle:10.3f} ms, target ≤ {1e3 * BCOST_MOST:g} ms {verdict}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.intervals", description=__doc__)
    parser.add_argument("--size", type=lambda text: int(float(text)), default=SIZES[-1])
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    print(f"{processors()} processors, {options.rounds} rounds; median (least–greatest)")
    for size in sorted({min(size, options.size) for size in SIZES}):
        print("\n".join(lines(size, options.rounds)), flush=True)
    print(bcost_line(options.rounds))


if __name__ == "__main__":
    main()
