"""How far chosen thresholds scatter from sample to sample, and what ``fa.bootstrap_threshold`` says.

``python -m bench.simulations.thresholds`` simulates, prints each row and writes
docs/_data/thresholds.json, from which the page on coverage is made; an interrupted run goes on where it
ended. Every sample has a seed of its own. Confidences are N(d, 1) for correct items and N(0, 1) for
incorrect ones.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import fastarac as fa
from bench.rows import fill, parser_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

OUTPUT = Path(__file__).parents[2] / "docs" / "_data" / "thresholds.json"
SAMPLES = 1000
RESAMPLES = 500
SIZES = (100, 300, 1000)
NORMAL = NormalDist()
PRICES = fa.VerificationCosts(verification=1, correction=2, error=9)
LIMIT = 0.02


class Population(NamedTuple):
    """Items, and how a threshold is chosen."""

    beta: float
    distance: float  # between the mean confidences of correct and of incorrect items
    chosen_by: dict[str, Any]

    def sample(self, n: int, seed: int) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """Draw items."""
        rng = np.random.default_rng([n, seed])
        correct = rng.random(n) < self.beta
        return correct, rng.normal(size=n) + self.distance * correct

    def accepted(self, threshold: float) -> tuple[float, float]:
        """TA/Ω and FA/Ω of a threshold."""
        of_correct = 1.0 - NORMAL.cdf(threshold - self.distance)
        return self.beta * of_correct, (1.0 - self.beta) * (1.0 - NORMAL.cdf(threshold))

    def metric(self, threshold: float) -> float:
        """The metric by which thresholds are chosen, in the population."""
        ta, fa_ = self.accepted(threshold)
        if "measure" in self.chosen_by:
            return ta / self.beta - fa_ / (1.0 - self.beta)
        if "costs" in self.chosen_by:
            corrected = 1.0 - self.beta - fa_
            verified = PRICES.verification * (self.beta - ta + corrected)
            return verified + PRICES.correction * corrected + PRICES.error * fa_
        return fa_

    def best(self) -> float:
        """The threshold that is chosen in the population."""
        if "max_error_rate" in self.chosen_by:
            return NORMAL.inv_cdf(1.0 - LIMIT / (1.0 - self.beta))
        # Accepting a correct item saves `saved`, and an incorrect one costs `lost`.
        saved, lost = 1.0 / self.beta, 1.0 / (1.0 - self.beta)
        if "costs" in self.chosen_by:
            saved, lost = PRICES.verification, PRICES.error - PRICES.correction - PRICES.verification
        odds = lost * (1.0 - self.beta) / (saved * self.beta)
        return self.distance / 2.0 + math.log(odds) / self.distance


POPULATIONS = {
    "Youden's index": Population(0.5, 1.0, {"measure": "youden_index"}),
    "cost": Population(0.9, 1.5, {"costs": PRICES}),
    "error rate": Population(0.9, 1.5, {"max_error_rate": LIMIT}),
}


@dataclass
class Row:
    """A way to choose, at one number of items; figures are means over the samples."""

    chosen_by: str
    n: int
    samples: int
    covered: int
    best: float
    threshold: float
    deviation: float
    bootstrap_deviation: float
    apparent: float
    out_of_bag: float
    true: float


def simulate(name: str, n: int, samples: int) -> Iterator[Row]:
    """Simulate one row."""
    population = POPULATIONS[name]
    best = population.best()
    covered, rows = 0, []
    for seed in range(samples):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = fa.bootstrap_threshold(
                *population.sample(n, seed), **population.chosen_by, midpoints=True,
                n_resamples=RESAMPLES, random_state=seed,
            )  # fmt: skip
        interval = found.threshold
        covered += interval.low <= best <= interval.high
        outside = float(np.nanmean(found.out_of_bag))
        true = population.metric(interval.estimate)
        rows.append((interval.estimate, interval.standard_error, found.value, outside, true))
    threshold, spread, apparent, outside, true = np.nanmean(rows, axis=0).tolist()
    deviation = float(np.std([row[0] for row in rows], ddof=1))
    yield Row(name, n, samples, covered, best, threshold, deviation, spread, apparent, outside, true)


def line(row: Row) -> str:
    """A row in words."""
    return (
        f"{row.chosen_by}, {row.n:,} items: {row.covered} of {row.samples} cover {row.best:.3f}; "
        f"threshold {row.threshold:.3f}, SD {row.deviation:.3f}, in bag {row.bootstrap_deviation:.3f}; "
        f"metric {row.apparent:.4f}, out of bag {row.out_of_bag:.4f}, true {row.true:.4f}\n"
    )


def main() -> None:
    """Simulate what is not known yet, print and save."""
    parser = parser_of("python -m bench.simulations.thresholds", __doc__, SAMPLES, OUTPUT)
    options = parser.parse_args()
    cells = [(name, n) for name in POPULATIONS for n in SIZES]
    fill(
        options, Row, cells, lambda row: (row.chosen_by, row.n), simulate, line,
        order=lambda row: ([*POPULATIONS].index(row.chosen_by), row.n),
    )  # fmt: skip


if __name__ == "__main__":
    main()
