"""Coverage of intervals for hard populations: bursts, unequal documents, heavy items, large ties.

``python -m bench.simulations.hard_populations`` simulates, prints the cells that fall short and writes
docs/_data/hard_populations.json, from which the page on coverage is made; an interrupted run goes on
where it ended, and ``--again`` recomputes what is named by ``--design``. Every sample has a seed of its
own.

Items follow the law of `bench.simulations.coverage`: z ~ N(μ, 1.5), confidence expit(z), P(correct) =
expit(0.9z + 0.2), with μ such that 8.2 % or 1.9 % are errors. Documents have 30 items, which share a
part of what decides their z and their correctness, by the correlation of the design; sizes are fixed,
lognormal with a standard deviation of 0.8 of the logarithm, or such and larger the more errors there
are (their logarithm has a correlation of 0.7 with what decides the correctness). Bursts: on 3 % of the
documents each item is wrong with a probability of ½ more. Batches: of four documents of 10 items each,
half of what a document shares being the batch's. Weights of 1 : 100: every tenth item by chance has the
weight 100, with the same law as the others or twice as often wrong; or weights are 100 to the power of
u, which is uniform. Saturated: the upper 60 % have the confidence 1.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import fastarac as fa
from bench.simulations.coverage import (
    EXCESS,
    SPREAD,
    STATISTICS,
    Cell,
    Items,
    by_formula,
    centre,
    chance,
    expit,
    line,
    quantile_of_normal,
    read,
    remember,
    write,
)
from fastarac._core import special
from fastarac.uncertainty import inversion

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

OUTPUT = Path(__file__).parents[2] / "docs" / "_data" / "hard_populations.json"
SAMPLES = 1000
DOCUMENT, BURSTS, SATURATED = 30, 0.03, 0.4
LARGE = 100_000  # documents of the sample that stands for the population; of items 30 times as many
LEAST, WARNED = 0.93, 0.9
SHORT_Z = 2.326  # one-sided 99 %


class Design(NamedTuple):
    """How samples are drawn."""

    places: tuple[tuple[float, int], ...]
    """Error rates, and numbers of documents or items."""
    correlation: float | None = None
    """Of items of a document; None of independent items."""
    sizes: str = "equal"
    bursts: bool = False
    batches: bool = False
    weights: str = ""
    saturated: bool = False


def places(rates: tuple[float, ...], sizes: tuple[int, ...]) -> tuple[tuple[float, int], ...]:
    """All pairs."""
    return tuple((rate, n) for rate in rates for n in sizes)


BOTH, MANY = (0.082, 0.019), (0.082,)
DESIGNS = {
    "few documents": Design(places(BOTH, (5, 10, 15)), 0.2),
    "few unequal documents": Design(places(BOTH, (5, 10, 15)), 0.2, "lognormal"),
    "few documents, bursts": Design(places(BOTH, (5, 10, 15)), 0.05, "lognormal", bursts=True),
    "unequal documents": Design(((0.082, 30), (0.019, 60)), 0.2, "lognormal"),
    "sizes that go with the errors": Design(places(MANY, (30, 60)), 0.2, "with errors"),
    "bursts": Design((*places(BOTH, (30, 60)), (0.082, 200)), 0.05, bursts=True),
    "bursts, unequal documents": Design(places(BOTH, (60,)), 0.05, "lognormal", bursts=True),
    "batches": Design(places(BOTH, (25,)), 0.3, batches=True),
    "a tenth of weight 100": Design(places(BOTH, (300, 2000)), weights="tenth"),
    "a tenth of weight 100, twice as often wrong": Design(
        (*places(MANY, (300, 2000)), (0.019, 300)), weights="worse"
    ),
    "weights from 1 to 100": Design(((0.082, 300), (0.019, 2000)), weights="spread"),
    "saturated": Design((*places(BOTH, (300,)), (0.082, 100), (0.019, 2000)), saturated=True),
}


def draw(design: Design, error_rate: float, n: int, rng: np.random.Generator) -> Items:
    """Draw a sample of n documents, batches or items."""
    if design.correlation is None:
        return _independent(design, error_rate, n, rng)
    share = design.correlation
    common = rng.normal(size=(2, n))
    if design.batches:  # half of what is shared is a document's own
        common = np.repeat(common, 4, axis=1)
        common = math.sqrt(0.5) * common + math.sqrt(0.5) * rng.normal(size=common.shape)
    sizes = np.full(common.shape[1], 10.0 if design.batches else float(DOCUMENT))
    if design.sizes != "equal":
        normal = rng.normal(size=n)
        if design.sizes == "with errors":
            normal = 0.7 * common[1] + math.sqrt(1.0 - 0.7**2) * normal
        sizes *= np.exp(0.8 * normal - 0.32)
    document = np.repeat(np.arange(len(sizes)), np.maximum(1, np.round(sizes)).astype(np.intp))
    own = rng.normal(size=(2, len(document)))
    z, latent = math.sqrt(share) * common[:, document] + math.sqrt(1.0 - share) * own
    z = centre(error_rate) + SPREAD * z
    correct = quantile_of_normal(latent) < chance(z)
    if design.bursts:
        correct &= ~((rng.random(n) < BURSTS)[document] & (rng.random(len(document)) < 0.5))
    return Items(correct, expit(z), None, document // 4 if design.batches else document)


def _independent(design: Design, error_rate: float, n: int, rng: np.random.Generator) -> Items:
    z = centre(error_rate) + SPREAD * rng.normal(size=n)
    uniform, weight = rng.random(n), None
    if design.weights == "spread":
        weight = 100.0 ** rng.random(n)
    elif design.weights:
        weight = np.where(rng.random(n) < 0.1, 100.0, 1.0)
    wrong = 1.0 - chance(z)
    if design.weights == "worse":
        wrong = np.where(weight == 100.0, np.minimum(2.0 * wrong, 1.0), wrong)
    confidence = expit(z)
    if design.saturated:
        confidence[z > centre(error_rate) + SPREAD * _LOWER] = 1.0
    return Items(uniform >= wrong, confidence, weight)


_LOWER = statistics.NormalDist().inv_cdf(SATURATED)


@cache
def truths(name: str, error_rate: float) -> dict[str, float]:
    """All statistics of the population, from a sample so large that it stands for it."""
    design = DESIGNS[name]
    n = LARGE if design.correlation is not None else LARGE * DOCUMENT
    place = [len(DESIGNS), list(DESIGNS).index(name), round(1000 * error_rate)]
    items = draw(design, error_rate, n, np.random.default_rng(place))
    sweep = fa.threshold_sweep(items.correct, items.confidence, sample_weight=items.weight)
    return {name: at_limit(name)(sweep) for name in STATISTICS}


def at_limit(name: str) -> fa.Statistic:
    """The statistic, in its limit of many items."""
    statistic = STATISTICS[name]
    if statistic.name in EXCESS:
        return fa.Statistic(statistic.name, optimum="asymptotic")
    return statistic


def simulate(
    name: str, error_rate: float, n: int, samples: int, names: Iterable[str] = STATISTICS
) -> list[Cell]:
    """Simulate the cells of one design, error rate and size."""
    names = list(names)
    cells = {s: Cell(name, error_rate, n, s, "auto") for s in names}
    place = [list(DESIGNS).index(name), round(1000 * error_rate), n]
    of_population = truths(name, error_rate)
    for k in range(samples):
        items = draw(DESIGNS[name], error_rate, n, np.random.default_rng([*place, k]))
        for statistic, _, ends, warned in by_formula(items, names, ("auto",)):
            cells[statistic].add(ends, of_population[statistic], warned=warned)
    for cell in cells.values():
        cell.width = statistics.median(cell.widths) if cell.widths else math.nan
    return list(cells.values())


def short(cell: Cell) -> bool:
    """Whether it is below 93 % by a one-sided test at 99 %, and fewer than 90 % of the samples warn."""
    least = LEAST - SHORT_Z * math.sqrt(LEAST * (1.0 - LEAST) / max(cell.defined, 1))
    return cell.coverage < least and cell.warned < WARNED * cell.samples


def main() -> None:
    """Simulate what is not known yet, print and save."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.simulations.hard_populations", description=__doc__
    )
    parser.add_argument("--design", choices=DESIGNS, action="append")
    parser.add_argument("--statistic", choices=STATISTICS, action="append")
    parser.add_argument("--samples", type=int, default=SAMPLES, help="of each cell")
    parser.add_argument("--again", action="store_true", help="recompute what the file has")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    options = parser.parse_args()
    quantiles = ((special, "binomial_cdf"), (inversion, "binomial_cdf"))
    remember((*quantiles, (inversion, "binomial_interval"), (inversion, "binomial_quantile")))
    names = options.statistic or list(STATISTICS)
    order = {name: k for k, name in enumerate([*DESIGNS, *STATISTICS])}
    for name in options.design or DESIGNS:
        for error_rate, n in DESIGNS[name].places:
            cells = read(options.output)
            here = [c for c in cells if (c.design, c.error_rate, c.n) == (name, error_rate, n)]
            known = {c.statistic for c in here if c.samples >= options.samples}
            wanted = [s for s in names if options.again or s not in known]
            if not wanted:
                continue
            found = simulate(name, error_rate, n, options.samples, wanted)
            sys.stdout.writelines(line(cell) for cell in found if short(cell))
            sys.stdout.flush()
            cells = [c for c in cells if c not in here or c.statistic not in wanted] + found
            cells.sort(key=lambda c: (order[c.design], order[c.statistic], -c.error_rate, c.n))
            write(cells, options.output)


if __name__ == "__main__":
    main()
