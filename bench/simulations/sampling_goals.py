"""Results of sampling for a goal: the share accepted at a 1% limit, by sampling design and guarantee.

``python -m bench.simulations.sampling_goals`` simulates, prints each row and writes
docs/_data/sampling_goals.json, from which docs/coverage.md has its table; an interrupted run goes on
where it ended. Each sample has a seed of its own.

Each time 20,000 outputs are made: "smooth" has even confidences and errors with probability
0.3(1 − t)⁴; "lognormal" has z ~ N(3, 1.3), confidence σ(z) and errors with probability
1 − σ(0.9z + 0.2). The judge is σ(N(0, 1) + 4) of right outputs and σ(N(0, 1) − 1.5) of wrong ones.

Ways: "search" asks in batches of 50, "search, judge" with the judge; their promise is of these outputs.
"guarantee-new" draws exactly the budget evenly, and fits the answers as a sample of their own; the same
draw is looked at as a promise of these outputs, too. "chance" draws each output by itself with one
probability, and "aimed" half evenly and half where the judge, or without one the confidence, is least
sure; both are read as a `PartialTruth`.
"""

from __future__ import annotations

import math
import sys
import warnings
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import fastarac as fa
from bench.rows import fill, parser_of
from fastarac.partial_truth import AdaptiveThresholdSearch, draw_verification_sample

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

OUTPUT = Path(__file__).parents[2] / "docs" / "_data" / "sampling_goals.json"
SAMPLES = 1000
N, LIMIT = 20_000, 0.01
BATCH = 50
BUDGETS = 300, 600, 1000
WAYS = "search", "search, judge", "guarantee-new", "chance", "aimed", "aimed, judge"
POPULATIONS = "smooth", "lognormal"
NODES = np.linspace(-8.0, 8.0, 20_001)


class Outputs(NamedTuple):
    """Outputs, whether each is wrong, and a judge's probability that it is right."""

    confidence: Floats
    wrong: NDArray[np.bool_]
    judge: Floats


@dataclass
class Row:
    """What came of the samples of a population."""

    population: str
    budget: int
    way: str
    samples: int
    accepted: float
    """The share accepted, on average."""
    nothing: float
    """The share of samples from which no more is accepted than the limit allows anyway."""
    broken_these: float
    """The share of samples whose threshold exceeds the limit on these outputs."""
    broken_new: float
    """The share whose threshold exceeds it on the source."""


def sigmoid(x: Floats) -> Floats:
    """The logistic function."""
    found: Floats = 1.0 / (1.0 + np.exp(-x))
    return found


def error_rate(population: str, confidence: Floats) -> Floats:
    """The probability that an output is wrong."""
    if population == "smooth":
        return 0.3 * (1.0 - confidence) ** 4
    return 1.0 - sigmoid(0.9 * np.log(confidence / (1.0 - confidence)) + 0.2)


def draw(population: str, rng: np.random.Generator) -> Outputs:
    """Draw outputs of the source."""
    confidence = rng.random(N) if population == "smooth" else sigmoid(rng.normal(3.0, 1.3, N))
    wrong = rng.random(N) < error_rate(population, confidence)
    noise = rng.standard_normal(N)
    return Outputs(confidence, wrong, sigmoid(np.where(wrong, noise - 1.5, noise + 4.0)))


def true_rate(population: str, threshold: float) -> float:
    """The share of the source's outputs that are accepted and wrong."""
    if threshold == math.inf:
        return 0.0
    if population == "smooth":
        return 0.06 * (1.0 - max(threshold, 0.0)) ** 5
    density = np.exp(-(NODES**2) / 2.0)
    confidence = sigmoid(3.0 + 1.3 * NODES)
    wrong = density / density.sum() * error_rate(population, confidence)
    return float(wrong[confidence >= threshold].sum())


def threshold_of(way: str, outputs: Outputs, budget: int, seed: int) -> Any:
    """The threshold that is proved in one of the ways."""
    confidence, wrong, judge = outputs
    of_judge = judge if way.endswith("judge") else None
    if way.startswith("search"):
        search = AdaptiveThresholdSearch(
            confidence, max_error_rate=LIMIT, judge=of_judge, budget=budget, random_state=seed
        )
        while search.n_verified < budget and not search.done:
            asked = search.ask(min(BATCH, budget - search.n_verified))
            search.tell(asked, ~wrong[asked])
        return search.threshold
    options: dict[str, Any] = {"random_state": seed, "judge": of_judge}
    if way == "guarantee-new":
        options["purpose"] = way
    elif way.startswith("aimed"):
        options["mix"] = 0.5
    drawn = draw_verification_sample(confidence, budget, **options)
    if way == "guarantee-new":
        known = drawn.selected
        return fa.guaranteed_operating_point(
            ~wrong[known], confidence[known], max_error_rate=LIMIT, random_state=seed
        ).threshold
    truth = fa.PartialTruth(
        np.where(drawn.selected, ~wrong, np.nan),
        inclusion_probability=drawn.inclusion_probability, judge=of_judge,
    )  # fmt: skip
    return fa.guaranteed_operating_point(
        truth, confidence, max_error_rate=LIMIT, random_state=seed
    ).threshold


def simulate(population: str, budget: int, samples: int) -> Iterator[Row]:
    """Yield a row of each way, all from the same outputs."""
    seed = zlib.crc32(population.encode()), budget
    accepted, these, new = np.zeros((3, len(WAYS), samples))
    for k in range(samples):
        outputs = draw(population, np.random.default_rng([*seed, k]))
        for place, way in enumerate(WAYS):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", fa.SampleTooSmallWarning)
                threshold = threshold_of(way, outputs, budget, k)
            taken = outputs.confidence >= threshold
            accepted[place, k] = taken.mean()
            these[place, k] = (taken & outputs.wrong).mean() > LIMIT
            new[place, k] = true_rate(population, threshold) > LIMIT
    for place, way in enumerate(WAYS):
        yield Row(
            population, budget, way, samples, float(accepted[place].mean()),
            float((accepted[place] <= LIMIT).mean()), float(these[place].mean()),
            float(new[place].mean()),
        )  # fmt: skip


def main(arguments: list[str] | None = None) -> int:
    """Simulate what is not in the file yet."""
    parser = parser_of("python -m bench.simulations.sampling_goals", __doc__, SAMPLES, OUTPUT)
    fill(
        parser.parse_args(arguments), Row, [(name, b) for name in POPULATIONS for b in BUDGETS],
        lambda row: (row.population, row.budget), simulate, lambda row: f"{row}\n",
        lambda row: (POPULATIONS.index(row.population), row.budget, WAYS.index(row.way)),
    )  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
