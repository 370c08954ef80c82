"""How often ``costs=`` finds a difference between two models of equal cost, at a nominal 5%.

``python -m bench.simulations.equal_costs`` simulates, prints each row and writes
docs/_data/equal_costs.json, from which the page on coverage is made; an interrupted run goes on where
it ended. Every sample has a seed of its own, and all prices get the same.

Two models of one law on the same independent items; where they share errors, z and what decides the
correctness have a correlation of 0.5. The laws:

as above: that of the other simulations, z ~ N(μ, 1.5), P(correct) = expit(0.9z + 0.2).
whole percents: the same, with confidences rounded to whole percents, so that there are ties.
any confidence: errors are as frequent at every confidence.
low confidences: of errors z ~ N(0, 1), of the other items z ~ N(2.5, 1).
half anywhere: half of the errors are at any confidence, half as above.

A verification costs 1, a correction 2, an error that nobody sees 5, 20 or 100; independent errors are
tried at 20 alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import fastarac as fa
from bench.rows import fill, parser_of
from bench.simulations.coverage import SPREAD, centre, chance, expit, quantile_of_normal
from bench.simulations.rejections import LEVEL, Rejections, without_intervals_of_models

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Models = dict[str, tuple[NDArray[np.bool_], Floats]]

OUTPUT = Path(__file__).parents[2] / "docs" / "_data" / "equal_costs.json"
LAWS = ("as above", "whole percents", "any confidence", "low confidences", "half anywhere")
PRICES = (5.0, 20.0, 100.0)
SHARED = {0.5: PRICES, 0.0: (20.0,)}
SAMPLES = 1000


class Size(NamedTuple):
    """How many items, and errors on average."""

    n: int
    errors: float


SIZES = (
    Size(100, 3), Size(100, 5), Size(100, 8), Size(300, 3), Size(300, 15), Size(2000, 20),
    Size(2000, 100),
)  # fmt: skip


def models(law: str, size: Size, shared: float, rng: np.random.Generator) -> Models:
    """Two models of the same law on the same items."""
    n, rate = size.n, size.errors / size.n
    of_z, of_chance = rng.normal(size=(2, n))
    both, own = math.sqrt(shared), math.sqrt(1.0 - shared)
    found = {}
    for name in ("a", "b"):
        z = both * of_z + own * rng.normal(size=n)
        latent = quantile_of_normal(both * of_chance + own * rng.normal(size=n))
        if law in ("as above", "whole percents"):
            z = centre(rate) + SPREAD * z
            correct = latent < chance(z)
        else:
            correct = latent >= rate
        if law == "low confidences":
            z = z + np.where(correct, 2.5, 0.0)
        elif law == "half anywhere":
            z = z + np.where(correct | (latent >= rate / 2.0), 2.5, 0.0)
        confidence = expit(z)
        found[name] = correct, confidence.round(2) if law == "whole percents" else confidence
    return found


@dataclass
class Row(Rejections):
    """What came of a test."""

    law: str
    n: int
    errors: float
    shared: float
    price: float
    samples: int
    rejected: int = 0
    warned: int = 0
    rejected_warned: int = 0


def rejects(found: Models, price: float) -> bool:
    """Whether the test finds a difference."""
    costs = fa.VerificationCosts(error=price, verification=1.0, correction=2.0)
    with without_intervals_of_models():
        return fa.compare_models(found, costs=costs).pairs[0].pvalue < LEVEL


def simulate(law: str, size: Size, samples: int) -> Iterator[Row]:
    """Simulate all prices of a law and a size."""
    for shared, prices in SHARED.items():
        rows = [Row(law, size.n, size.errors, shared, price, samples) for price in prices]
        for k in range(samples):
            found = models(
                law, size, shared, np.random.default_rng([LAWS.index(law), *map(int, size), k])
            )
            for row in rows:
                row.count(partial(rejects, found, row.price))
        yield from rows


def line(row: Row) -> str:
    """A row in words."""
    return (
        f"{row.law}, {row.errors:g} errors of {row.n:,}, {row.shared:g} shared, an error at "
        f"{row.price:g}: {row.found}\n"
    )


def main() -> None:
    """Simulate what is not known yet, print and save."""
    parser = parser_of("python -m bench.simulations.equal_costs", __doc__, SAMPLES, OUTPUT)
    parser.add_argument("--law", choices=LAWS, action="append")
    parser.add_argument(
        "--items", type=int, choices=sorted({size.n for size in SIZES}), action="append"
    )
    options = parser.parse_args()
    sizes = [size for size in SIZES if size.n in (options.items or [size.n])]
    cells = [(law, size) for size in sizes for law in options.law or LAWS]
    fill(
        options, Row, cells, lambda row: (row.law, Size(row.n, row.errors)), simulate, line,
        order=lambda row: (LAWS.index(row.law), row.n, row.errors),
    )  # fmt: skip


if __name__ == "__main__":
    main()
