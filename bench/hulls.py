"""Speed of ROC hulls and cost curves, next to the sweep and the sort with which they begin.

``python -m bench.hulls`` prints the seconds of each at ten million items, and their ratios to
``threshold_sweep`` and to ``np.sort`` of the scores; ``--size`` and ``--rounds`` set how many items
there are and how often each is timed, in turns. Target: the hull takes about as long as the sort that
it begins with, at most 1.75 times the sweep.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

import numpy as np

import fastarac as fa
from bench import inputs
from bench.timing import ratio, summarize, timed
from bench.works import LARGE, SORT

if TYPE_CHECKING:
    from collections.abc import Callable

SWEEP = "threshold_sweep"
TARGET = 1.75


def works(n: int) -> dict[str, Callable[[], Any]]:
    """The benchmarks by name, on the same n items; the last ones start from existing sweeps."""
    items = inputs.continuous(n)
    scored = items.correct, items.confidence
    sweep = fa.threshold_sweep(*scored)
    better = fa.threshold_sweep(items.correct, items.confidence + 0.001 * items.correct)
    return {
        SORT: lambda: np.sort(items.confidence),
        SWEEP: lambda: fa.threshold_sweep(*scored),
        "roc_convex_hull": lambda: fa.costs.roc_convex_hull({"": scored}),
        "cost_curve": lambda: fa.costs.cost_curve(*scored),
        "roc_convex_hull of a sweep": lambda: fa.costs.roc_convex_hull({"": sweep}),
        "cost_curve_band of a sweep": lambda: fa.costs.cost_curve_band(sweep, random_state=0),
        "dominates, true, of sweeps": lambda: fa.costs.dominates(better, sweep),
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.hulls", description=__doc__)
    parser.add_argument("--size", type=lambda text: int(float(text)), default=LARGE)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    times = timed(works(options.size), options.rounds)
    print(f"{options.size:,} items; medians of {options.rounds} rounds, and their least and greatest")
    print(f"{'':28}{'ms':>8}   ÷ {SWEEP:22}÷ {SORT}")
    for name, seconds in times.items():
        ratios = [
            f"{middle:5.2f} ({low:.2f}-{high:.2f})"
            for middle, low, high in (ratio(seconds, times[other]) for other in (SWEEP, SORT))
        ]
        print(f"{name:28}{1e3 * summarize(seconds).median:8.1f}   {ratios[0]:24}{ratios[1]}")
    if options.size >= LARGE:
        met = ratio(times["roc_convex_hull"], times[SWEEP]).median <= TARGET
        print(f"target: roc_convex_hull ÷ {SWEEP} <= {TARGET}: {'met' if met else 'missed'}")


if __name__ == "__main__":
    main()
