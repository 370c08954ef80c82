"""How often a cascade exceeds its limit on new items, with and without a failure probability.

``python -m bench.simulations.cascades`` simulates, prints each row and writes docs/_data/cascades.json,
of which the page on cascades is made; an interrupted run goes on where it ended. Every sample has a
seed of its own.

Items have a difficulty h ~ N(0, 1), of pages half of it the page's; a model of skill s has z ~ N(s − h,
0.7), is correct with the probability expit(2z), and its confidence is expit(z + N(0, 0.4)). Two models,
of skills 1.2 and 1.6, come before a clerk and an expert.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np

import fastarac as fa
from bench.rows import fill, parser_of
from bench.simulations.coverage import expit

OUTPUT = Path(__file__).parents[2] / "docs" / "_data" / "cascades.json"
SAMPLES, LARGE = 1000, 400_000
LIMIT, DELTA = 0.02, 0.1
PAGE = 10  # items
CASES = (
    ("limit alone", 1000), ("limit alone", 4000), ("costs as well", 1000),
    ("imperfect expert", 1000), ("pages", 4000),
)  # fmt: skip


@dataclass
class Row:
    """How often the limit was exceeded, and what was accepted without people, on average."""

    case: str
    n: int
    samples: int
    exceeded: int
    exceeded_without: int
    unseen: float


def draw(case: str, n: int, rng: np.random.Generator) -> tuple[Any, Any]:
    """The correctness and the confidence of n items by both models."""
    hard = rng.normal(size=n)
    if case == "pages":
        hard = math.sqrt(0.5) * (hard + rng.normal(size=n // PAGE)[np.arange(n) // PAGE])
    models = []
    for skill in (1.2, 1.6):
        z = skill - hard + rng.normal(size=n) * 0.7
        models.append((rng.random(n) < expit(2.0 * z), expit(z + rng.normal(size=n) * 0.4)))
    return models[0], models[1]


def stages_of(case: str, models: tuple[Any, Any]) -> list[fa.costs.Stage]:
    """Two models, a clerk and an expert."""
    expert = fa.Reviewer(detection_rate=0.99) if case == "imperfect expert" else None
    return [
        *(
            fa.costs.Stage(name, price, correct=model[0], confidence=model[1])
            for name, price, model in zip(("quick", "thorough"), (0.1, 0.5), models, strict=True)
        ),
        fa.costs.Stage("clerk", 2, reviewer=fa.Reviewer(detection_rate=0.95)),
        fa.costs.Stage("expert", 20, reviewer=expert),
    ]


@cache
def source(case: str) -> list[fa.costs.Stage]:
    """Stages with so many items that they stand for the source."""
    return stages_of(case, draw(case, LARGE, np.random.default_rng([51, len(case)])))


def simulate(case: str, n: int, samples: int) -> Row:
    """Choose thresholds by samples, and look how many errors they leave in the source."""
    costs = fa.VerificationCosts(2, 5, 300) if case == "costs as well" else None
    exceeded = [0, 0]
    unseen = 0.0
    for k in range(samples):
        rng = np.random.default_rng([52, len(case), n, k])
        stages = stages_of(case, draw(case, n, rng))
        groups = np.arange(n) // PAGE if case == "pages" else None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for i, promise in enumerate((DELTA, None)):
                found = fa.costs.optimize_cascade(
                    stages, max_error_rate=LIMIT, costs=costs, failure_probability=promise,
                    groups=groups if promise else None, random_state=k if promise else None,
                    max_group_size=PAGE if promise and groups is not None else None,
                )  # fmt: skip
                new = fa.costs.evaluate_cascade(source(case), thresholds=found, costs=costs)
                exceeded[i] += new.error_rate > LIMIT
                if promise:
                    unseen += new.acceptance_rate
    return Row(case, n, samples, *exceeded, unseen / samples)


def main() -> None:
    """Simulate what is not known yet, print and save."""
    options = parser_of("python -m bench.simulations.cascades", __doc__, SAMPLES, OUTPUT).parse_args()
    cells = [*CASES]
    cell = attrgetter("case", "n")
    fill(
        options, Row, cells, cell, lambda case, n, samples: [simulate(case, n, samples)], "{}\n".format,
        order=lambda row: cells.index(cell(row)),
    )  # fmt: skip


if __name__ == "__main__":
    main()
