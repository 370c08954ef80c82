"""Speed of the bootstrap, in nanoseconds per draw, next to scipy, MLstatkit and confidenceinterval.

``python -m bench.bootstrap`` prints the table; ``--size`` limits the number of items, ``--only`` the
rows. The peers resample and compute scikit-learn's ROC-AUC; the ARAC-AUC of a resample follows from it
at no cost. They are timed with fewer resamples than fastarac, and times per resample are compared,
because all resamples of a loop take the same time. Their intervals are not compared; the spread of
scipy's replicates is compared with ours.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import time
import warnings
from dataclasses import dataclass, field
from importlib import import_module
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

import fastarac as fa
from bench import inputs
from bench.peers import processors
from bench.works import LARGE

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.inputs import Inputs

    Peer = Callable[[Inputs, int], float]

PEER_SIZE = 10**4
PEER_RESAMPLES = 30
SCIPY = "scipy + scikit-learn"


@dataclass(frozen=True)
class Row:
    """A bootstrap at one size, with its limit in seconds or in nanoseconds per draw."""

    name: str
    size: int
    n_resamples: int
    keywords: dict[str, Any] = field(default_factory=dict)
    make: Callable[[int], Inputs] = inputs.continuous
    draw: Callable[[Inputs, dict[str, Any]], Any] = lambda items, keywords: fa.bootstrap(
        items.correct, items.confidence, random_state=0, **keywords
    )
    most_nanoseconds: float = 0.0
    most_seconds: float = 0.0
    least_ratio: float = 0.0  # to scipy, at PEER_SIZE


def _groups(items: Inputs, keywords: dict[str, Any]) -> Any:
    groups = np.arange(len(items.correct)) // 100
    return fa.bootstrap(items.correct, items.confidence, groups=groups, random_state=0, **keywords)


def _band(items: Inputs, keywords: dict[str, Any]) -> Any:
    return fa.bootstrap_band(items.correct, items.confidence, random_state=0, **keywords)


def _threshold(items: Inputs, keywords: dict[str, Any]) -> Any:
    return fa.bootstrap_threshold(items.correct, items.confidence, random_state=0, **keywords)


def _counts(items: Inputs, keywords: dict[str, Any]) -> Any:
    """Counts of a billion items at 101 distinct confidences."""
    sweep = fa.threshold_sweep(items.correct, np.round(items.confidence, 2))
    scale = 10**9 // len(items.correct)
    counts = (np.diff(sweep.true_accepts) * scale, np.diff(sweep.false_accepts) * scale)
    return fa.bootstrap(
        fa.ThresholdSweep.from_counts(sweep.thresholds[1:], *counts), random_state=0, **keywords
    )


ROWS = (
    Row("ARAC-AUC", PEER_SIZE, 1000, most_nanoseconds=1.0, least_ratio=300.0),
    Row("ARAC-AUC", 10**6, 1000, most_nanoseconds=1.0),
    Row("ARAC-AUC", LARGE, 300, most_nanoseconds=1.3),
    Row("ARAC-AUC, 1 % errors", LARGE, 300, make=inputs.one_percent, most_nanoseconds=0.3),
    Row("ARAC-AUC, 0.2 % errors", LARGE, 300, make=inputs.two_in_a_thousand, most_nanoseconds=0.1),
    Row("ARAC-AUC, 10⁹ items of 101 confidences", 10**6, 10_000, draw=_counts, most_seconds=0.5),
    Row("ARAC-AUC, stratified", 10**6, 300, {"stratified": True}),
    Row("ARAC-AUC, BCa", 10**6, 300, {"method": "bca"}),
    Row("ARAC-AUC, studentized", 10**6, 300, {"method": "studentized"}),
    Row("ARAC-AUC, groups of 100", 10**6, 300, draw=_groups),
    Row("AURC", 10**6, 300, {"statistic": "aurc"}),
    Row("average precision", 10**6, 300, {"statistic": "average_precision"}),
    Row(
        "X at 1 % errors", 10**6, 300,
        {"statistic": fa.Statistic("acceptance_at_error_rate", max_error_rate=0.01)},
    ),
    Row("ARAC band", 10**6, 300, draw=_band),
    Row("threshold by Youden's index", 10**6, 300, {"measure": "youden_index"}, draw=_threshold),
    Row("threshold at 1 % errors", 10**6, 300, {"max_error_rate": 0.01}, draw=_threshold),
)  # fmt: skip


def of_scipy(items: Inputs, n_resamples: int) -> float:
    """Resample with scipy; returns the standard error of the ROC-AUC."""
    from scipy.stats import bootstrap
    from sklearn.metrics import roc_auc_score

    result = bootstrap(
        (items.correct, items.confidence), roc_auc_score, paired=True,
        vectorized=False, n_resamples=n_resamples, method="percentile", rng=0,
    )  # fmt: skip
    return float(result.standard_error)


def of_mlstatkit(items: Inputs, n_resamples: int) -> float:
    """Resample with MLstatkit, which prints a progress bar."""
    with contextlib.redirect_stderr(io.StringIO()):
        import_module("MLstatkit").Bootstrapping(
            items.correct.astype(int), items.confidence, "roc_auc", n_bootstraps=n_resamples
        )
    return float("nan")


def of_confidenceinterval(items: Inputs, n_resamples: int) -> float:
    """Resample with confidenceinterval."""
    import_module("confidenceinterval").roc_auc_score(
        items.correct, items.confidence, method="bootstrap_percentile", n_resamples=n_resamples
    )
    return float("nan")


PEERS: dict[str, tuple[str, Peer]] = {
    SCIPY: ("scipy", of_scipy),
    "MLstatkit": ("MLstatkit", of_mlstatkit),
    "confidenceinterval": ("confidenceinterval", of_confidenceinterval),
}


def found_peers() -> dict[str, Peer]:
    """The peers that can be imported."""
    found = {}
    for name, (module, peer) in PEERS.items():
        with contextlib.suppress(ImportError):
            import_module(module)
            found[name] = peer
    return found


def seconds(call: Callable[[], Any]) -> float:
    """Time one call."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def line(row: Row, items: Inputs, rounds: int) -> str:
    """Time a row and return a line with the result."""
    keywords = {"n_resamples": row.n_resamples, **row.keywords}
    row.draw(items, keywords | {"n_resamples": 20})
    times = [seconds(lambda: row.draw(items, keywords)) for _ in range(rounds)]
    middle = median(times)
    a_draw = [1e9 * t / (len(items.correct) * row.n_resamples) for t in times]
    text = f"{row.name:40}{len(items.correct):12,}{row.n_resamples:8,}{middle:9.3f} s"
    if row.most_seconds:
        text += f"   target ≤ {row.most_seconds:g} s {mark(middle <= row.most_seconds)}"
        return text
    text += f"{median(a_draw):7.2f} ns a draw ({min(a_draw):.2f}–{max(a_draw):.2f})"
    if row.most_nanoseconds and len(items.correct) == row.size:
        met = median(a_draw) <= row.most_nanoseconds
        text += f", target ≤ {row.most_nanoseconds:g} {mark(met)}"
    return text


def mark(met: bool) -> str:
    """✓ or ✗."""
    return "✓" if met else "✗"


def peer_lines(row: Row, items: Inputs, rounds: int) -> list[str]:
    """Time peers for one resample, in turns with ours for all, and compare the spread."""
    ours, theirs, errors = [], {name: [] for name in found_peers()}, {}
    for peer in found_peers().values():
        peer(items, 2)
    for _ in range(rounds):
        keywords = {"n_resamples": row.n_resamples, **row.keywords}
        ours.append(seconds(lambda k=keywords: row.draw(items, k)) / row.n_resamples)
        for name, peer in found_peers().items():
            start = time.perf_counter()
            errors[name] = peer(items, PEER_RESAMPLES)
            theirs[name].append((time.perf_counter() - start) / PEER_RESAMPLES)
    result = fa.bootstrap(items.correct, items.confidence, statistic="roc_auc", random_state=0)
    if not 0.5 < errors[SCIPY] / result.standard_error < 2.0:  # of so few replicates
        message = f"scipy's standard error is {errors[SCIPY]}, ours {result.standard_error}"
        raise AssertionError(message)
    lines = []
    for name, times in theirs.items():
        ratios = [b / a for a, b in zip(ours, times, strict=True)]
        text = f"    {name} takes {median(ratios):,.0f} × ({min(ratios):,.0f}–{max(ratios):,.0f})"
        if name == SCIPY and row.least_ratio and len(items.correct) == PEER_SIZE:
            text += f", target ≥ {row.least_ratio:g} {mark(median(ratios) >= row.least_ratio)}"
        lines.append(text)
    return lines


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.bootstrap", description=__doc__)
    parser.add_argument("--size", type=lambda text: int(float(text)), default=LARGE)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", metavar="TEXT", help="rows with this in their names")
    options = parser.parse_args()
    warnings.simplefilter("ignore", fa.UnreliableIntervalWarning)  # of few items
    print(f"{processors()} processors, {options.rounds} rounds; median (least–greatest)")
    print(f"{'statistic':40}{'items':>12}{'drawn':>8}")
    for row in ROWS:
        if options.only in row.name:
            items = row.make(min(row.size, options.size))
            print(line(row, items, options.rounds), flush=True)
            if row.least_ratio:
                print("\n".join(peer_lines(row, items, options.rounds)), flush=True)


if __name__ == "__main__":
    main()
