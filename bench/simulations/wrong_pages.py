"""How often intervals cover where some pages are wrong throughout, at one quantile of the confidences.

``python -m bench.simulations.wrong_pages`` simulates, prints each row and writes
docs/_data/wrong_pages.json, from which the page on coverage is made; an interrupted run goes on where
it ended, and ``--samples`` names another number of samples. Every sample has a seed of its own.

Pages are the documents of `bench.simulations.hard_populations`: z ~ N(μ, 1.5), confidence expit(z),
P(correct) = expit(0.9z + 0.2), of which documents share a fifth; 30 items each, or lognormal numbers of
them. On a share of the pages all items are wrong and stand at one quantile of z: 1 is above all others,
0 below. The value of the population is that of the mixture, on a fine grid.

Differences are of two engines that read the same pages, each with errors of its own of the same law;
the second one has no page that is wrong throughout.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import fastarac as fa
from bench.rows import fill, parser_of
from bench.simulations import coverage, hard_populations
from bench.simulations.coverage import SPREAD, STATISTICS, centre, chance
from fastarac._core.exceptions import collected
from fastarac.uncertainty import asymptotic, inversion, unseen_groups
from fastarac.uncertainty.estimates import with_room
from fastarac.uncertainty.influence import items_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

OUTPUT = Path(__file__).parents[2] / "docs" / "_data" / "wrong_pages.json"
SAMPLES, LEVEL, ROUNDING = 1000, 0.95, 1e-9
CORRELATION, FAR = 0.2, 9.0  # of the items of a page; standard deviations of z that are beyond all
NAMES = (
    "recognition_rate", "arac_auc", "roc_auc", "arp_auc", "acceptance_at_error_rate, 1 %",
    "acceptance_at_error_rate, 5 %",
)  # fmt: skip
DIFFERENCES = ("arac_auc", "roc_auc")


class Population(NamedTuple):
    """What samples are drawn from, and how many pages they have."""

    share: float
    """Of the pages that are wrong throughout."""
    place: float
    """The quantile at which their items stand."""
    pages: int
    sizes: str = "equal"
    error_rate: float = 0.019
    """Of the other items."""


TOP = 1.0
POPULATIONS = (
    Population(0.0, TOP, 40),
    Population(0.0, TOP, 100, "lognormal"),
    Population(0.005, TOP, 200),
    Population(0.01, TOP, 100, "lognormal"),
    Population(0.02, TOP, 25),
    Population(0.02, TOP, 40),
    Population(0.02, TOP, 40, "equal", 0.082),
    Population(0.02, TOP, 100, "lognormal"),
    Population(0.05, TOP, 25, "lognormal"),
    Population(0.05, TOP, 60),
    Population(0.05, TOP, 100, "lognormal"),
    Population(0.02, 0.95, 40),
    Population(0.02, 0.75, 40),
    Population(0.02, 0.5, 40),
    Population(0.02, 0.25, 40),
    Population(0.02, 0.0, 40),
    Population(0.05, 0.95, 60, "lognormal", 0.082),
    Population(0.05, 0.5, 60, "lognormal"),
    Population(0.05, 0.0, 60, "lognormal"),
)
COMPARED = Population(0.02, TOP, 40), Population(0.01, TOP, 100, "lognormal")


@dataclass
class Row:
    """What came of the intervals of one statistic, or of a difference in it."""

    share: float
    place: float
    pages: int
    sizes: str
    error_rate: float
    statistic: str
    samples: int
    defined: int = 0
    covered: int = 0
    """By the default interval."""
    covered_wide: int = 0
    """With ``unseen_pages=True``."""
    shown: int = 0
    """Samples that have a page wrong throughout, where the interval is defined."""
    covered_shown: int = 0
    """Of these, by the default interval, or warned of."""
    width: float = 0.0
    """Median of the default intervals."""
    width_wide: float = 0.0

    @property
    def population(self) -> Population:
        """What the samples were drawn from."""
        return Population(self.share, self.place, self.pages, self.sizes, self.error_rate)


def place_of(population: Population) -> float:
    """Where the items of wrong pages stand, on the scale of z."""
    mean, place = centre(population.error_rate), population.place
    if not 0.0 < place < 1.0:
        return mean + (FAR if place else -FAR) * SPREAD
    return mean + SPREAD * statistics.NormalDist().inv_cdf(place)


def draw(population: Population, rng: np.random.Generator) -> tuple[Any, ...]:
    """Draw labels, confidences (on the scale of z), pages, and whether each page is wrong."""
    design = hard_populations.Design((), CORRELATION, population.sizes)
    items = hard_populations.draw(design, population.error_rate, population.pages, rng)
    wrong = rng.random(population.pages) < population.share
    there = wrong[items.documents]
    z = np.log(items.confidence) - np.log1p(-items.confidence)
    near = place_of(population) + 1e-3 * rng.random(len(z))
    return items.correct & ~there, np.where(there, near, z), items.documents, wrong


@cache
def truths(population: Population) -> dict[str, float]:
    """All statistics of the population."""
    z = centre(population.error_rate) + SPREAD * coverage._NODES  # noqa: SLF001
    density = np.exp(-(coverage._NODES**2) / 2.0)  # noqa: SLF001
    density *= (1.0 - population.share) * 1e9 / density.sum()
    places = np.append(z, place_of(population))
    right = np.append(density * chance(z), 0.0)
    wrong = np.append(density * (1.0 - chance(z)), population.share * 1e9)
    order = np.argsort(places, kind="stable")
    sweep = fa.ThresholdSweep.from_counts(places[order], right[order], wrong[order])
    return {name: hard_populations.at_limit(name)(sweep) for name in NAMES}


class _Counter:
    """Counts the intervals of one statistic."""

    def __init__(self, population: Population, name: str, truth: float) -> None:
        self.row = Row(*population, name, 0)
        self.truth = truth
        self.widths: tuple[list[float], list[float]] = ([], [])

    def add(self, default: fa.Interval, wide: fa.Interval, *, shown: bool, warned: bool) -> None:
        """Count an interval of a sample."""
        self.row.samples += 1
        if math.isnan(default.low):
            return
        covers, covers_wide = (
            bool(each.low - ROUNDING <= self.truth <= each.high + ROUNDING) for each in (default, wide)
        )
        self.row.defined += 1
        self.row.covered += covers
        self.row.covered_wide += covers_wide
        self.row.shown += shown
        self.row.covered_shown += shown and (covers or warned)
        for widths, each in zip(self.widths, (default, wide), strict=True):
            widths.append(each.high - each.low)

    def done(self) -> Row:
        """Return the row with its widths."""
        self.row.width, self.row.width_wide = (
            float(statistics.median(widths)) if widths else 0.0 for widths in self.widths
        )
        return self.row


def simulate(*cell: Any) -> Iterator[Row]:
    """Simulate the statistics of a population, and differences of those that are compared."""
    *parts, samples = cell
    population = Population(*parts)
    truth = truths(population)
    counters = {name: _Counter(population, name, truth[name]) for name in NAMES}
    if population in COMPARED:
        other = truths(population._replace(share=0.0))
        for name in DIFFERENCES:
            key = f"difference of {name}"
            counters[key] = _Counter(population, key, truth[name] - other[name])
    place = [round(1e4 * population.share), round(100 * population.place), population.pages]
    place += [len(population.sizes), round(1000 * population.error_rate)]
    for k in range(samples):
        rng = np.random.default_rng([*place, k])
        correct, z, pages, wrong = draw(population, rng)
        shown = bool(wrong.any())
        placed = items_of(correct, z, None)
        sample = inversion.ItemSample(placed.sweep, placed, pages)
        for name in NAMES:
            statistic = STATISTICS[name]
            found, warning = asymptotic.interval_and_warning(sample, statistic, LEVEL, "auto")
            room = unseen_groups.room(placed.sweep, statistic, population.pages, LEVEL)
            wide = with_room(found, statistic, room)
            counters[name].add(found, wide, shown=shown, warned=warning is not None)
        if len(counters) > len(NAMES):
            other_items = draw(population._replace(share=0.0), rng)[:3]
            _compare((correct, z, pages), other_items, counters, shown=shown)
    yield from (counter.done() for counter in counters.values())


def _compare(
    one: tuple[Any, ...], other: tuple[Any, ...], counters: dict[str, _Counter], *, shown: bool
) -> None:
    """Count the differences of two engines that read the same pages."""
    models: dict[str, Any] = {"a": one[:2], "b": other[:2]}
    groups = {"a": one[2], "b": other[2]}
    for name in DIFFERENCES:
        found: list[fa.Interval] = []
        notes: list[str] = []
        for unseen in (False, True):
            with collected(notes):
                compared = fa.compare_models(
                    models, statistic=name, groups=groups, paired="groups", unseen_pages=unseen
                )
            found.append(compared.pairs[0].interval)
        counters[f"difference of {name}"].add(*found, shown=shown, warned=bool(notes))


def line(row: Row) -> str:
    """A row in words."""
    n, shown = max(row.defined, 1), max(row.shown, 1)
    return (
        f"{row.share:.1%} of {row.pages} {row.sizes} pages at {row.place}, {row.error_rate:.1%} else, "
        f"{row.statistic}: covered {row.covered / n:.1%}, wide {row.covered_wide / n:.1%}, "
        f"where one is shown {row.covered_shown / shown:.1%} of {row.shown}; width {row.width:.3g}, "
        f"wide {row.width_wide:.3g}\n"
    )


def main() -> None:
    """Simulate what is not known yet, print and save."""
    parser = parser_of("python -m bench.simulations.wrong_pages", __doc__, SAMPLES, OUTPUT)
    options = parser.parse_args()
    coverage.remember(
        (inversion, name) for name in ("binomial_cdf", "binomial_interval", "binomial_quantile")
    )
    names = [*NAMES, *(f"difference of {name}" for name in DIFFERENCES)]
    fill(
        options, Row, POPULATIONS, lambda row: row.population, simulate, line,
        lambda row: (POPULATIONS.index(row.population), names.index(row.statistic)),
    )  # fmt: skip


if __name__ == "__main__":
    main()
