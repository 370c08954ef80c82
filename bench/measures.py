"""Speed of all confusion-table measures at all thresholds, next to the sweep with which they begin.

``python -m bench.measures`` prints the seconds of each at ten million items, and their ratios to
``threshold_sweep`` and to as many arrays of zeros; ``--size`` and ``--rounds`` set how many items there
are and how often each is timed, in turns. Target: all measures at all thresholds, for the best of each,
in at most 1.5 times the sweep. Computing all arrays at once is limited by memory bandwidth.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

import numpy as np

import fastarac as fa
from bench import inputs
from bench.timing import ratio, summarize, timed
from bench.works import LARGE

if TYPE_CHECKING:
    from collections.abc import Callable

SWEEP = "threshold_sweep"
BEST = "best threshold by each"
ZEROS = "as many arrays of zeros"
TARGET = 1.5


def works(n: int) -> dict[str, Callable[[], Any]]:
    """Each work by name, on the same n items; all but the first on a sweep that is there already."""
    items = inputs.continuous(n)
    sweep = fa.threshold_sweep(items.correct, items.confidence)
    measures = fa.measures.confusion_measures(sweep)
    n_measures, n_thresholds = len(measures.names), len(sweep.thresholds)

    def blocks() -> int:
        return sum(len(found) for _, found in measures.blocks())

    return {
        SWEEP: lambda: fa.threshold_sweep(items.correct, items.confidence),
        BEST: measures.best,
        "best threshold by F1": lambda: measures.best("f1"),
        "Matthews correlation": lambda: measures.matthews_correlation,
        "all, in blocks": blocks,
        "all, as arrays": measures.compute,
        ZEROS: lambda: [np.full(n_thresholds, 0.0) for _ in range(n_measures)],
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.measures", description=__doc__)
    parser.add_argument("--size", type=lambda text: int(float(text)), default=LARGE)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    times = timed(works(options.size), options.rounds)
    print(f"{options.size:,} items; medians of {options.rounds} rounds, and their least and greatest")
    print(f"{'':28}{'ms':>8}   ÷ {SWEEP:22}÷ {ZEROS}")
    for name, seconds in times.items():
        ratios = [
            f"{middle:5.2f} ({low:.2f}-{high:.2f})"
            for middle, low, high in (ratio(seconds, times[other]) for other in (SWEEP, ZEROS))
        ]
        print(f"{name:28}{1e3 * summarize(seconds).median:8.1f}   {ratios[0]:24}{ratios[1]}")
    if options.size >= LARGE:
        met = ratio(times[BEST], times[SWEEP]).median <= TARGET
        print(f"target: {BEST} ÷ {SWEEP} <= {TARGET}: {'met' if met else 'missed'}")


if __name__ == "__main__":
    main()
