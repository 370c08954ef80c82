"""Speed of `optimize_cascade` with four stages: three models on correlated items, then people.

``python -m bench.cascades`` prints the seconds of `optimize_cascade` at a million items, with a limit
alone, with prices of errors, and with a guarantee; ``--size`` and ``--rounds`` set how many items there
are and how often each is timed, in turns. Target: at most one second for the first two.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

import numpy as np

import fastarac as fa
from bench.timing import summarize, timed

if TYPE_CHECKING:
    from collections.abc import Callable

SIZE = 10**6
TARGET = 1.0  # seconds
LIMIT = 0.01
COSTS = fa.VerificationCosts(40, 5, 200)
MODELS = ((1.5, 0.1), (2.0, 1.0), (2.6, 3.0))  # skill, and price of an item


def stages(n: int) -> list[fa.costs.Stage]:
    """Return three models, each better and more expensive than the model before, and people."""
    rng = np.random.default_rng(0)
    hard = rng.normal(size=n)
    found = []
    for place, (skill, price) in enumerate(MODELS):
        sure = skill - 0.8 * hard + 0.6 * rng.normal(size=n)
        correct = rng.random(n) < 1.0 / (1.0 + np.exp(-2.2 * sure))
        confidence = 1.0 / (1.0 + np.exp(-(sure + 0.4 * rng.normal(size=n))))
        found.append(fa.costs.Stage(f"m{place}", price, correct=correct, confidence=confidence))
    return [*found, fa.costs.Stage("people", None)]


def works(n: int) -> dict[str, Callable[[], Any]]:
    """Each work by name, on the same n items."""
    chosen = stages(n)
    optimize = fa.costs.optimize_cascade
    promise: dict[str, Any] = {"max_error_rate": LIMIT, "failure_probability": 0.05}
    return {
        "limit": lambda: optimize(chosen, max_error_rate=LIMIT, costs=COSTS),
        "prices alone": lambda: optimize(chosen, costs=COSTS),
        "guarantee": lambda: optimize(chosen, costs=COSTS, **promise),
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.cascades", description=__doc__)
    parser.add_argument("--size", type=lambda text: int(float(text)), default=SIZE)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    times = timed(works(options.size), options.rounds)
    print(f"{options.size:,} items, four stages; medians of {options.rounds} rounds")
    for name, seconds in times.items():
        median = summarize(seconds).median
        met = "" if name == "guarantee" else f"   target {TARGET:g} s: {median <= TARGET}"
        print(f"{name:14}{median:8.3f} s{met}")


if __name__ == "__main__":
    main()
