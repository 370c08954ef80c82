"""Coverage of intervals for the accepted share if some items are never accepted.

``python -m bench.simulations.missed`` prints each cell. Every sample has a seed of its own, so that
leaving some out (``--design``, ``--limit``, ``--statistic``) changes no others.

An item that is read follows the law of `bench.simulations.coverage`, with 1.9 % errors: of items alone,
or of pages and documents, within which z and the correctness have a correlation of 0.2. The others are
missed, and no threshold accepts them: each item alike; or on a third of the pages none, on a third a
third of the mean, on a third eight thirds; or whole pages; or one field of three of a document. Of
verified items and pages the truth of a third is known, drawn uniformly, and all confidences. A limit is
a multiple of the errors that are made if all that was read is accepted: twice as many are generous, as
many are just kept, three tenths are tight.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import fastarac as fa
from bench.simulations.coverage import (
    LEVEL,
    SPREAD,
    centre,
    chance,
    expit,
    remember,
)
from fastarac._core import special
from fastarac.uncertainty import asymptotic, estimated, inversion
from fastarac.uncertainty.estimated_samples import PartialSample
from fastarac.uncertainty.influence import items_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

SAMPLES = 1000
ERRORS, SHARED = 0.019, 0.2
WORDS, FIELDS = 60, 3
VERIFIED = 1 / 3
NEVER = -1.0
SHARES = (0.0, 0.02, 0.06, 0.2)
SIZES = {
    "items": (300, 1500),
    "weights": (300, 1500),
    "equal pages": (25, 100),
    "unequal pages": (25, 100),
    "blank pages": (25, 100),
    "fields": (100, 400),
    "verified items": (1500,),
    "verified pages": (100,),
}
LIMITS = {"generous": 2.0, "just kept": 1.0, "in between": 0.8, "tight": 0.3}
NAMES = ("acceptance_at_error_rate", "acceptance_at_risk")
OF_PAGES = np.array([0.0, 1.0, 8.0]) / 3.0
_NODES = np.linspace(-8.0, 8.0, 40_001)


class Items(NamedTuple):
    """A sample."""

    correct: NDArray[np.bool_]
    confidence: Floats
    weight: Floats | None = None
    groups: NDArray[np.intp] | None = None
    verified: NDArray[np.bool_] | None = None


def draw(design: str, size: int, missed: float, rng: np.random.Generator) -> Items:
    """Draw so many items, pages or documents."""
    if design.startswith("verified"):
        kind = "items" if design.endswith("items") else "unequal pages"
        items, chosen = draw(kind, size, missed, rng), rng.random(size) < VERIFIED
        return items._replace(verified=chosen if items.groups is None else chosen[items.groups])
    mean = centre(ERRORS)
    if design in ("items", "weights"):
        z, weight = mean + SPREAD * rng.normal(size=size), None
        if design == "weights":  # items below the median are drawn thrice as often
            z = mean + np.abs(z - mean) * np.where(rng.random(size) < 0.75, -1.0, 1.0)
            weight = np.where(z < mean, 1.0, 3.0)
        correct, chances = rng.random(size) < chance(z), np.full(size, missed)
        return _without(Items(correct, z, weight), chances, rng)
    if design == "fields":
        group = np.repeat(np.arange(size), FIELDS)
        chances = np.tile([*[0.0] * (FIELDS - 1), FIELDS * missed], size)
    else:
        words = np.full(size, float(WORDS))
        if design == "unequal pages":
            words *= np.exp(0.8 * rng.normal(size=size) - 0.32)
        group = np.repeat(np.arange(size), np.maximum(1, np.round(words)).astype(int))
        of_pages = missed * rng.choice(OF_PAGES, size)
        if design == "blank pages":
            of_pages = np.where(rng.random(size) < missed, 1.0, 0.0)
        chances = of_pages[group]
    shared = math.sqrt(SHARED) * rng.normal(size=(2, size))[:, group]
    z, latent = shared + math.sqrt(1.0 - SHARED) * rng.normal(size=(2, len(group)))
    z = mean + SPREAD * z
    below = np.cumsum(np.exp(-(_NODES**2) / 2.0))
    uniform = np.interp(latent, _NODES, below / below[-1])
    return _without(Items(uniform < chance(z), z, None, group), chances, rng)


def _without(items: Items, chances: Floats, rng: np.random.Generator) -> Items:
    """The same with some of them missed: wrong, at the confidence that no threshold accepts."""
    missed = rng.random(len(chances)) < chances
    confidence = np.where(missed, NEVER, expit(items.confidence))
    return items._replace(correct=items.correct & ~missed, confidence=confidence)


def limit_of(name: str, limit: str, missed: float) -> float:
    """The limit: a share of the errors that are made if all that was read is accepted."""
    whole = ERRORS if name == "acceptance_at_risk" else ERRORS * (1.0 - missed)
    return LIMITS[limit] * whole


def statistic_of(name: str, limit: str, missed: float) -> fa.Statistic:
    """The statistic of that limit, as an evaluation has it."""
    options: dict[str, Any] = {
        f"max_{name.removeprefix('acceptance_at_')}": limit_of(name, limit, missed)
    }
    return fa.Statistic(name, interpolate=False, never_accepted=NEVER, **options)


@cache
def truth(name: str, limit: str, missed: float) -> float:
    """The share of the population, from the law of z on a fine grid."""
    nodes = _NODES[::-1]
    z, density = centre(ERRORS) + SPREAD * nodes, np.exp(-(nodes**2) / 2.0)
    read = np.cumsum(density) / density.sum()
    wrong = np.cumsum(density * (1.0 - chance(z))) / density.sum()
    if LIMITS[limit] >= 1.0:
        return 1.0 - missed
    allowed = LIMITS[limit] * ERRORS
    kept = wrong <= (allowed * read if name == "acceptance_at_risk" else allowed)
    return float((1.0 - missed) * read[np.flatnonzero(kept)[-1]])


@dataclass
class Cell:
    """What came of the intervals of one kind."""

    design: str
    size: int
    missed: float
    limit: str
    statistic: str
    samples: int = 0
    covered: int = 0
    above: int = 0  # the interval lies above the truth
    warned: int = 0
    width: float = math.nan  # the median

    def add(self, found: fa.Interval, value: float, *, warned: bool) -> None:
        """Count an interval."""
        self.samples += 1
        self.covered += bool(found.low - 1e-9 <= value <= found.high + 1e-9)
        self.above += bool(value < found.low - 1e-9)
        self.warned += warned


def intervals_of(items: Items) -> Callable[[fa.Statistic], tuple[fa.Interval, str | None]]:
    """What finds the interval of a statistic of these items, and why it is not to be relied on."""
    if items.verified is not None:
        known = np.where(items.verified, items.correct, np.nan)
        partial = PartialSample.of(
            fa.PartialTruth(known, inclusion_probability=VERIFIED, groups=items.groups),
            items.confidence,
        )
        return lambda statistic: estimated.interval_and_warning(partial, statistic, LEVEL, "auto")
    placed = items_of(items.correct, items.confidence, items.weight)
    plain = items.weight is None and items.groups is None
    sample = inversion.ItemSample(placed.sweep, None if plain else placed, items.groups)
    return lambda statistic: asymptotic.interval_and_warning(sample, statistic, LEVEL, "auto")


def simulate(
    design: str,
    size: int,
    missed: float,
    samples: int,
    limits: Iterable[str] = tuple(LIMITS),
    names: Iterable[str] = NAMES,
) -> Iterator[Cell]:
    """Simulate limits of a design, on the same samples."""
    cells = [Cell(design, size, missed, limit, name) for limit, name in product(limits, names)]
    widths: list[list[float]] = [[] for _ in cells]
    place = [list(SIZES).index(design), size, round(1000 * missed)]
    for k in range(samples):
        items = draw(design, size, missed, np.random.default_rng([*place, k]))
        interval = intervals_of(items)
        for cell, of_cell in zip(cells, widths, strict=True):
            statistic = statistic_of(cell.statistic, cell.limit, missed)
            found, warning = interval(statistic)
            value = truth(cell.statistic, cell.limit, missed)
            cell.add(found, value, warned=warning is not None)
            of_cell.append(found.high - found.low)
    for cell, of_cell in zip(cells, widths, strict=True):
        cell.width = statistics.median(of_cell)
    yield from cells


def line(cell: Cell) -> str:
    """A cell in words."""
    return (
        f"{cell.design} {cell.size}, {cell.missed:.0%} missed, {cell.limit}, {cell.statistic}: covered "
        f"{cell.covered / cell.samples:.1%} of {cell.samples:,}, "
        f"too high {cell.above / cell.samples:.1%}, warned {cell.warned / cell.samples:.0%}, "
        f"median width {cell.width:.4g}\n"
    )


def main() -> None:
    """Simulate what is asked for, and print it."""
    parser = argparse.ArgumentParser("python -m bench.simulations.missed", description=__doc__)
    parser.add_argument("--samples", type=int, default=SAMPLES, help="of each cell")
    parser.add_argument("--design", choices=SIZES, action="append")
    parser.add_argument("--limit", choices=LIMITS, action="append")
    parser.add_argument("--statistic", choices=NAMES, action="append")
    options = parser.parse_args()
    remember(
        [(inversion, f"binomial_{name}") for name in ("cdf", "interval", "quantile")]
        + [(inversion, "student_quantile"), (special, "binomial_cdf")]
    )
    asked = options.samples, options.limit or tuple(LIMITS), options.statistic or NAMES
    for design in options.design or SIZES:
        for size, missed in product(SIZES[design], SHARES):
            for cell in simulate(design, size, missed, *asked):
                sys.stdout.write(line(cell))
                sys.stdout.flush()


if __name__ == "__main__":
    main()
