"""Speed with a partial truth (5% of the outputs verified, all judged), next to a complete truth.

``python -m bench.partial_truth`` prints times at a million items: of the ROC-AUC with its interval
(target: at most three times that of whole truth), and of `evaluate` with intervals (target: half a
second). ``--size`` and ``--rounds`` set how many items there are and how often each is timed, in turns.
"""

from __future__ import annotations

import argparse
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

import fastarac as fa
from bench.timing import summarize, timed

if TYPE_CHECKING:
    from collections.abc import Callable

SIZE = 10**6
SHARE = 0.05
TIMES, SECONDS = 3.0, 0.5  # targets: × whole truth, and of evaluate
WHOLE, PARTIAL = "ROC-AUC, whole truth", "ROC-AUC, 5 % verified"
EVALUATION = "the same with intervals"


def works(n: int) -> dict[str, Callable[[], Any]]:
    """Each work by name, on the same n items, of which a tenth are wrong."""
    rng = np.random.default_rng(0)
    confidence = rng.random(n)
    right = rng.random(n) >= 0.2 * (1.0 - confidence)
    judge = 1.0 / (1.0 + np.exp(-(4.0 * (right - 0.5) + 1.0 + rng.logistic(size=n))))
    answers = np.where(rng.random(n) < SHARE, right, np.nan)
    truth = fa.PartialTruth(answers, inclusion_probability=SHARE, judge=judge)
    alone = fa.PartialTruth(answers, inclusion_probability=SHARE)
    area = {"statistic": "roc_auc"}
    return {
        WHOLE: lambda: fa.asymptotic_interval(right, confidence, **area),
        PARTIAL: lambda: fa.asymptotic_interval(truth, confidence, **area),
        "the same without judge": lambda: fa.asymptotic_interval(alone, confidence, **area),
        "evaluate, whole truth": lambda: fa.evaluate(right, confidence),
        "evaluate, 5 % verified": lambda: fa.evaluate(truth, confidence),
        EVALUATION: lambda: fa.evaluate(truth, confidence, intervals=True),
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.partial_truth", description=__doc__)
    parser.add_argument("--size", type=lambda text: int(float(text)), default=SIZE)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fa.UnreliableIntervalWarning)  # of few items
        times = timed(works(options.size), options.rounds)
    medians = {name: summarize(seconds).median for name, seconds in times.items()}
    print(f"{options.size:,} items; medians of {options.rounds} rounds")
    ratio = medians[PARTIAL] / medians[WHOLE]
    notes = {
        PARTIAL: f"{ratio:.1f} × whole truth   target {TIMES:g}: {ratio <= TIMES}",
        EVALUATION: f"target {SECONDS:g} s: {medians[EVALUATION] <= SECONDS}",
    }
    for name, median in medians.items():
        print(f"{name:24}{1e3 * median:9.1f} ms   {notes.get(name, '')}".rstrip())


if __name__ == "__main__":
    main()
