"""How often thresholds exceed the limit for which they were chosen, and how much they accept.

``python -m bench.simulations.guarantees`` simulates, prints the tables with their Monte-Carlo errors
and writes docs/_data/guarantees.json, from which the page on guarantees is made. ``--table`` names a
part, and ``--samples`` another number of samples. Every sample has a seed of its own.

Items: z ~ N(μ, 1.5), confidence expit(z), P(correct) = expit(0.9z + 0.2), with μ such that 8.2 % are
errors. "falling": in the twentieth of the largest z, a fifth is wrong, so that the risk first falls as
the threshold is lowered. "flat": 5.5 % are wrong, whatever the confidence. "pages" have 1 to 20 items,
and the log-odds of their errors are shifted by N(0.1(size − 20), 1.5), alike for all items of a page.
"documents": as in bench/coverage.py. "giants": 2 % of the pages have 400 items in place of 20, half of
them wrong. "unequal" pages have lognormal sizes around 30 items, and the log-odds of their errors are
shifted by N(0, 0.7); "bursts" are such pages of which 2 % are wrong throughout; "halves": of 3 % every
second item is wrong; "thirds": of a tenth every third; "equal bursts": pages of 40 items. The rate of
the source at a threshold comes from numerical integration.

Few items: "normal" and "confident" have z ~ N(2.2, 1.3) and z ~ N(3, 1.3), with errors as above;
"smooth" has uniform confidences t, and the probability of an error is 0.3(1 − t)⁴. "bad top" is
"confident", but half of the fiftieth with the largest z is wrong. "steep": 1 % of the upper third is
wrong, and 40 % of the others. "alike": 1 % is wrong, whatever the confidence; "at the limit": a little
more than 5 %. "tied" is "confident" with confidences rounded down to hundredths.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import fastarac as fa
from bench.rows import run
from bench.simulations import coverage
from bench.simulations.coverage import SPREAD, chance, expit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LIMIT, DELTA = 0.05, 0.05
ERROR_RATE = 0.082
PILOT = 1000
OUTPUT = Path(__file__).parents[2] / "docs" / "_data" / "guarantees.json"
NORMAL_95 = 1.6448536269514722
TOP, TOP_WRONG = 1.6448536269514722, 0.2  # of z, in standard deviations: one in twenty lies above
FLAT = 0.055
LARGEST, GIANT, GIANTS, TYPICAL = 20, 400, 0.02, 20
STEEPNESS, PAGE_SPREAD = 0.1, 1.5  # of the log-odds of errors, by an item more, and between pages
UNEQUAL_LOG, UNEQUAL_SPREAD, UNEQUAL_SHIFT, EQUAL = 3.4, 0.8, 0.7, 40
# Share of the pages that have bursts, and of their items that are wrong.
BURSTS = {
    "unequal": (0.0, 0.0),
    "bursts": (0.02, 1.0),
    "halves": (0.03, 0.5),
    "thirds": (0.1, 1.0 / 3.0),
    "equal bursts": (0.02, 1.0),
}
NODES = np.linspace(-8.0, 8.0, 20_001)
# Mean and standard deviation of z of the sources of few items; "smooth" has no normal z.
FEW = {
    "normal": (2.2, 1.3),
    "smooth": (math.nan, math.nan),
    **dict.fromkeys(("confident", "bad top", "steep", "alike", "at the limit", "tied"), (3.0, 1.3)),
}
BAD_TOP, UPPER = 2.0537489106318225, 0.43072729929545744  # of a normal number: a fiftieth, a third


class Source(NamedTuple):
    """Items of a source."""

    correct: NDArray[np.bool_]
    confidence: Floats
    pages: NDArray[np.intp] | None = None
    largest: int | None = None


class Rates(NamedTuple):
    """Shares of all items of a source, from high to low z: accepted, and accepted and wrong."""

    z: Floats
    accepted: Floats
    wrong: Floats

    def at(self, threshold: float, criterion: str) -> float:
        """Error rate or risk at a threshold of the confidence; 0 where nothing is accepted."""
        if threshold == math.inf:
            return 0.0
        inner = min(max(threshold, 1e-300), 1.0 - 1e-16)
        z = math.log(inner) - math.log1p(-inner)
        wrong, accepted = (float(np.interp(-z, -self.z, of)) for of in (self.wrong, self.accepted))
        if criterion == "max_error_rate":
            return wrong
        return wrong / accepted if accepted > 0.0 else 0.0


def rates_of(z: Floats, wrong: Floats) -> Rates:
    """From the chance of an error at the nodes of z."""
    density = np.exp(-(NODES**2) / 2.0)
    density /= density.sum()
    return Rates(z[::-1], np.cumsum(density[::-1]), np.cumsum((density * wrong)[::-1]))


def centre() -> float:
    """The mean of z."""
    return coverage.centre(ERROR_RATE)


def wrong_of_items(z: Floats, source: str = "items") -> Floats:
    """Chance of an error."""
    if source == "flat":
        return np.full(z.shape, FLAT)
    wrong = 1.0 - chance(z)
    return np.where(z > centre() + TOP * SPREAD, TOP_WRONG, wrong) if source == "falling" else wrong


def few_items(source: str, normal: Floats) -> tuple[Floats, Floats]:
    """The z and the chances of an error of a source of few items, at values of a normal number."""
    if source == "smooth":
        below = np.array([math.erfc(-value / math.sqrt(2.0)) / 2.0 for value in normal.tolist()])
        inner = np.clip(below, 1e-300, 1.0 - 1e-16)
        return np.log(inner) - np.log1p(-inner), 0.3 * (1.0 - below) ** 4
    mean, spread = FEW[source]
    z = mean + spread * normal
    wrong = 1.0 - chance(z)
    if source == "bad top":
        wrong = np.where(normal > BAD_TOP, 0.5, wrong)
    elif source == "steep":
        wrong = np.where(normal > UPPER, 0.01, 0.4)
    elif source in ("alike", "at the limit"):
        wrong = np.full(z.shape, 0.01 if source == "alike" else LIMIT * (1.0 + 1e-5))
    return z, wrong


def wrong_of_pages(z: Floats, mean: float, spread: float) -> Floats:
    """The same where what decides is shifted by N(mean, spread)."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(41)
    shifts = mean + spread * nodes
    right = expit(coverage.SLOPE * z[:, None] + coverage.OFFSET - shifts)
    found: Floats = 1.0 - right @ (weights / weights.sum())
    return found


@cache
def rates(source: str) -> Rates:
    """Of a source by its name."""
    z = centre() + SPREAD * NODES
    if source == "pages":
        sizes = np.arange(1.0, LARGEST + 1.0)
        of_sizes = [
            s * wrong_of_pages(z, STEEPNESS * (s - LARGEST), PAGE_SPREAD) for s in sizes.tolist()
        ]
        return rates_of(z, np.sum(of_sizes, axis=0) / sizes.sum())
    if source in BURSTS:
        share, level = BURSTS[source]
        return rates_of(z, 1.0 - (1.0 - share * level) * (1.0 - wrong_of_pages(z, 0.0, UNEQUAL_SHIFT)))
    if source == "giants":
        in_giants = GIANTS * GIANT / (GIANTS * GIANT + (1.0 - GIANTS) * TYPICAL)
        wrong = in_giants * 0.5 + (1.0 - in_giants) * wrong_of_items(z)
        return rates_of(z, wrong)
    if source in FEW:
        return rates_of(*few_items(source, NODES))
    return rates_of(z, wrong_of_items(z, source))


def draw(source: str, n: int, rng: np.random.Generator) -> Source:
    """Draw n items, or n pages of them."""
    if source.startswith("documents"):
        design = coverage.DESIGNS[source]
        items = coverage.draw(design, ERROR_RATE, n * coverage.DOCUMENT, rng)
        return Source(items.correct, items.confidence, items.documents, coverage.DOCUMENT)
    if source == "pages":
        sizes = rng.integers(1, LARGEST + 1, n)
        pages = np.repeat(np.arange(n), sizes)
        shift = (STEEPNESS * (sizes - LARGEST) + PAGE_SPREAD * rng.normal(size=n))[pages]
        z = rng.normal(centre(), SPREAD, len(pages))
        right = rng.random(len(pages)) < expit(coverage.SLOPE * z + coverage.OFFSET - shift)
        return Source(right, expit(z), pages, LARGEST)
    if source in BURSTS:
        share, level = BURSTS[source]
        sizes = np.maximum(1, rng.lognormal(UNEQUAL_LOG, UNEQUAL_SPREAD, n).astype(np.intp))
        if source == "equal bursts":
            sizes = np.full(n, EQUAL)
        pages = np.repeat(np.arange(n), sizes)
        shift = (UNEQUAL_SHIFT * rng.normal(size=n))[pages]
        z = rng.normal(centre(), SPREAD, len(pages))
        right = rng.random(len(pages)) < expit(coverage.SLOPE * z + coverage.OFFSET - shift)
        burst = (rng.random(n) < share)[pages] & (rng.random(len(pages)) < level)
        return Source(right & ~burst, expit(z), pages)
    if source == "giants":
        giant = rng.random(n) < GIANTS
        pages = np.repeat(np.arange(n), np.where(giant, GIANT, TYPICAL))
        z = rng.normal(centre(), SPREAD, len(pages))
        wrong = np.where(giant[pages], 0.5, wrong_of_items(z))
        return Source(rng.random(len(pages)) >= wrong, expit(z), pages, GIANT)
    if source in FEW:
        z, wrong = few_items(source, rng.normal(size=n))
        confidence = np.floor(100.0 * expit(z)) / 100.0 if source == "tied" else expit(z)
        return Source(rng.random(n) >= wrong, confidence)
    z = rng.normal(centre(), SPREAD, n)
    wrong = wrong_of_items(z, source)
    return Source(rng.random(n) >= wrong, expit(z))


# --- Rules: from items to a threshold ---------------------------------------------------------------


class Counts(NamedTuple):
    """Items from high to low confidence: those accepted at each, and the errors among them."""

    thresholds: Floats
    accepted: Floats
    wrong: Floats

    @classmethod
    def of(cls, source: Source, grid: Floats | None = None) -> Counts:
        """At every confidence, or at thresholds of a grid from high to low."""
        sweep = fa.threshold_sweep(source.correct, source.confidence)
        accepted = (sweep.true_accepts + sweep.false_accepts).astype(np.float64)
        wrong = sweep.false_accepts.astype(np.float64)
        if grid is None:
            return cls(sweep.thresholds[1:], accepted[1:], wrong[1:])
        at = np.searchsorted(-sweep.thresholds[1:], -grid, side="right")
        return cls(grid, accepted[at], wrong[at])

    def lowest(self, passes: NDArray[np.bool_]) -> float:
        """The lowest threshold that passes: the largest coverage."""
        last = np.flatnonzero(passes & (self.accepted > 0))
        return float(self.thresholds[last[-1]]) if len(last) else math.inf


def wilson_upper(wrong: Floats, n: Floats) -> Floats:
    """Wilson's upper bound at 95 %, of one side."""
    n = np.maximum(n, 1.0)
    p, z = wrong / n, NORMAL_95
    middle = p + z * z / (2.0 * n)
    reach = z * np.sqrt(p * (1.0 - p) / n + z * z / (4.0 * n * n))
    found: Floats = (middle + reach) / (1.0 + z * z / n)
    return found


def of_items(source: Source) -> Counts:
    """At every confidence."""
    return Counts.of(source)


def on_grid(source: Source) -> Counts:
    """At a hundred thresholds that are evenly spaced."""
    return Counts.of(source, np.linspace(0.99, 0.0, 100))


def plug_in(source: Source, counts: Callable[[Source], Counts] = of_items) -> float:
    """The largest coverage whose risk in the sample is within the limit."""
    at = counts(source)
    return at.lowest(at.wrong <= LIMIT * at.accepted)


def wilson(source: Source, counts: Callable[[Source], Counts] = of_items) -> float:
    """The largest coverage at which Wilson's bound is within the limit."""
    at = counts(source)
    return at.lowest(wilson_upper(at.wrong, at.accepted) <= LIMIT)


def clopper_pearson(source: Source) -> float:
    """The largest coverage at which the exact bound of one threshold is within the limit."""
    at = on_grid(source)
    tails = [
        coverage.special.binomial_cdf(int(wrong), int(n), LIMIT) if n else 1.0
        for wrong, n in zip(at.wrong.tolist(), at.accepted.tolist(), strict=True)
    ]
    return at.lowest(np.array(tails) <= DELTA)


def from_the_top(source: Source, limit: float = LIMIT) -> float:
    """A fixed sequence with the whole δ, from the fewest items that can prove the limit."""
    at = of_items(source)
    lowest, fewest = math.inf, math.log(DELTA) / math.log1p(-limit)
    for k, n, wrong in zip(at.thresholds, at.accepted, at.wrong, strict=True):
        if n >= fewest:
            if coverage.special.binomial_cdf(int(wrong), int(n), limit) > DELTA:
                break
            lowest = float(k)
    return lowest


def conformal(source: Source) -> float:
    """Conformal risk control (Angelopoulos et al. 2024): (FA + 1)/(n + 1) within the limit."""
    at = of_items(source)
    return at.lowest((at.wrong + 1.0) / (len(source.correct) + 1.0) <= LIMIT)


def plug_in_rate(source: Source) -> float:
    """The largest coverage whose error rate in the sample is within the limit."""
    at = of_items(source)
    return at.lowest(at.wrong / len(source.correct) <= LIMIT)


RISK, RATE = {"max_risk": LIMIT}, {"max_error_rate": LIMIT}
Rule = Callable[[Source, np.random.Generator], float]


class Table(NamedTuple):
    """Sources, sizes and rules that are compared on the same samples."""

    criterion: str
    sources: dict[str, tuple[int, ...]]
    rules: dict[str, Rule]
    samples: int
    limit: float = LIMIT


def pilot(rng: np.random.Generator) -> Floats:
    """Confidences without truth, in the law of all sources of independent items."""
    return expit(rng.normal(centre(), SPREAD, PILOT))


def library(
    criterion: dict[str, Any], *, with_pilot: bool = False, pages: bool = False, **options: Any
) -> Rule:
    """A rule of the library; what is random in it depends on the sample."""

    def rule(source: Source, rng: np.random.Generator) -> float:
        given: dict[str, Any] = {**criterion, "random_state": int(rng.integers(2**32)), **options}
        if with_pilot:
            given["pilot"] = pilot(rng)
        if pages:
            given = {"groups": source.pages, "max_group_size": source.largest, **given}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", fa.SampleTooSmallWarning)
            point = fa.guaranteed_operating_point(source.correct, source.confidence, **given)
        return float(point.threshold)

    return rule


def plainly(rule: Callable[..., float], **options: Any) -> Rule:
    """A rule without random numbers."""
    return lambda source, _rng: rule(source, **options)


def one_of_each(source: Source, rng: np.random.Generator) -> float:
    """The exact test of one item of each page, whatever the size: of the rate of the average page."""
    order = rng.permutation(len(source.correct))
    first = order[np.unique(np.asarray(source.pages)[order], return_index=True)[1]]
    return library(RATE)(Source(source.correct[first], source.confidence[first]), rng)


def of_few(limit: float, sources: tuple[str, ...], sizes: tuple[int, ...]) -> Table:
    """Rules for a limit on the risk that few items are to prove."""
    given = {"max_risk": limit}
    rules = {
        "pocock": library(given, method="pocock"),
        "pocock, scale": library(given, scale="unit"),
        "fallback": library(given, scale="unit", method="fallback"),
        "SGR": library(given, method="sgr"),
        "from the top": plainly(from_the_top, limit=limit),
    }
    return Table("max_risk", dict.fromkeys(sources, sizes), rules, 1000, limit)


SIZES = (500, 2000, 10_000)
FEWER = (100, 200, 300, 500)
TABLES = {
    "risk": Table(
        "max_risk",
        {"items": SIZES, "falling": SIZES, "flat": SIZES},
        {
            "fallback, pilot of 1,000": library(RISK, scale="unit", method="fallback", with_pilot=True),
            "fallback, a tenth set aside": library(RISK, scale="unit", method="fallback"),
            "fallback, own thresholds": library(RISK, method="fallback"),
            "SGR": library(RISK, method="sgr"),
        },
        1000,
    ),
    "others": Table(
        "max_risk",
        {"items": SIZES, "falling": SIZES, "flat": SIZES},
        {
            "risk of the sample, every confidence": plainly(plug_in),
            "risk of the sample, 100 fixed thresholds": plainly(plug_in, counts=on_grid),
            "Wilson's bound, every confidence": plainly(wilson),
            "Wilson's bound, 100 fixed thresholds": plainly(wilson, counts=on_grid),
            "exact bound of each, 100 fixed thresholds": plainly(clopper_pearson),
        },
        2000,
    ),
    "error rate": Table(
        "max_error_rate",
        {"items": SIZES},
        {
            "exact": library(RATE),
            "error rate of the sample": plainly(plug_in_rate),
            "conformal risk control": plainly(conformal),
        },
        2000,
    ),
    "pages": Table(
        "max_error_rate",
        {
            "pages": (300, 1000),
            "documents 0.05": (100, 500),
            "documents 0.2": (100, 500),
            "documents 0.5": (100, 500),
        },
        {
            "betting": library(RATE, pages=True),
            "one per group": library(RATE, pages=True, method="one_per_group"),
            "one per group, not thinned": one_of_each,
            "groups ignored": library(RATE),
        },
        1000,
    ),
    "risk of pages": Table(
        "max_risk",
        {"pages": (1000, 3000), "documents 0.2": (500,)},
        {
            "betting": library(RISK, pages=True, scale="unit"),
            "groups ignored": library(RISK, scale="unit"),
        },
        400,
    ),
    "approximation": Table(
        "max_error_rate",
        dict.fromkeys(BURSTS, (60, 200, 600)),
        {"gamma": library(RATE, pages=True, method="gamma")},
        1000,
    ),
    "approximation of risk": Table(
        "max_risk",
        dict.fromkeys(BURSTS, (200, 600)),
        {"gamma": library(RISK, pages=True, method="gamma", scale="unit")},
        1000,
    ),
    "giants": Table(
        "max_error_rate",
        {"giants": (100, 1000)},
        {
            "max_group_size given": library(RATE, pages=True),
            "the largest group seen": library(RATE, pages=True, max_group_size=None),
        },
        2000,
    ),
    "few": of_few(LIMIT, tuple(FEW), FEWER),
    "few, 10 %": of_few(0.1, ("normal", "confident", "smooth", "bad top"), FEWER),
    "few, 15 %": of_few(0.15, ("normal", "confident", "smooth", "bad top"), FEWER),
}


@dataclass
class Row:
    """What came of a rule."""

    table: str
    source: str
    n: int
    rule: str
    samples: int
    exceeded: int
    """Samples whose threshold exceeds the limit on the source."""
    accepted: float
    """Mean share of the sample that is accepted."""
    rate: float
    """Mean rate of the source at the threshold."""

    @property
    def share(self) -> float:
        """Of samples that exceed the limit."""
        return self.exceeded / self.samples

    @property
    def error(self) -> float:
        """Monte-Carlo standard error of that share."""
        return math.sqrt(max(self.share * (1.0 - self.share), DELTA * (1.0 - DELTA)) / self.samples)


def simulate(name: str, samples: int | None = None) -> Iterator[Row]:
    """Simulate a table, all rules of a source and size on the same samples."""
    table = TABLES[name]
    samples = samples or table.samples
    for source, sizes in table.sources.items():
        true = rates("items" if source.startswith("documents") else source)
        for n in sizes:
            rows = [Row(name, source, n, rule, samples, 0, 0.0, 0.0) for rule in table.rules]
            for k in range(samples):
                place = [list(TABLES).index(name), list(table.sources).index(source), n, k]
                sample = draw(source, n, np.random.default_rng(place))
                for row, rule in zip(rows, table.rules.values(), strict=True):
                    threshold = rule(sample, np.random.default_rng([*place, 1]))
                    rate = true.at(threshold, table.criterion)
                    row.exceeded += rate > table.limit * (1.0 + 1e-6)
                    row.accepted += float(np.mean(sample.confidence >= threshold)) / samples
                    row.rate += rate / samples
            yield from rows


def line(row: Row) -> str:
    """A row in words."""
    return (
        f"{row.table}: {row.source}, n={row.n:,}, {row.rule}: limit exceeded in {row.share:.1%} of "
        f"{row.samples:,} samples (Monte-Carlo error {row.error:.1%}), accepted {row.accepted:.3f}, "
        f"mean rate {row.rate:.2%}\n"
    )


def main() -> None:
    """Simulate, print and save."""
    run("python -m bench.simulations.guarantees", __doc__, Row, "table", TABLES, simulate, line, OUTPUT)


if __name__ == "__main__":
    main()
