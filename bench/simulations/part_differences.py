"""Type I errors of comparisons within parts of the data, and of differences between parts.

``python -m bench.simulations.part_differences`` simulates, prints each row and writes
docs/_data/part_differences.json, from which the page on coverage is made; an interrupted run goes on
where it ended. Each row has a seed of its own.

Items follow the law of the other simulations: z ~ N(μ, 1.5), confidence expit(z), P(correct) =
expit(0.9z + 0.2). The parts' error rates rise evenly from a half to three halves of the mean, but are
equal for "same lead", as a difference depends on the rate. The two models share half of the variance of
z and of what decides the correctness, and a fifth of both is common to the items of a group. Designs
say how many parts there are, and whether groups lie within parts (pages of a language) or across them
(the fields of a document). The second model is equal to the first one, worse by the same share of
spoiled outputs everywhere, or spoiled in the last part only. "any part" counts the samples in which the
models are told apart in some part, at 5% for all parts together (Holm), "between parts" those in which
their difference is found to depend on the part.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import fastarac as fa
from bench.rows import fill, parser_of
from bench.simulations.coverage import SPREAD, centre, chance, expit, quantile_of_normal
from bench.simulations.rejections import LEVEL, without_intervals_of_models

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

OUTPUT = Path(__file__).parents[2] / "docs" / "_data" / "part_differences.json"
SAMPLES = 1000
OF_GROUP, SPOILED = 0.2, 0.1
STATISTICS = ("recognition_rate", "arac_auc", "roc_auc")
LEADS = ("equal", "same lead", "one part")


class Design(NamedTuple):
    """How many items each part has, and in which groups."""

    parts: int
    items: int
    """Of each part."""
    groups: int = 0
    """Of all parts if they lie across, otherwise of each part; 0 for none."""
    across: bool = False
    error_rate: float = 0.1
    verified: float = 1.0
    """Share of items that are verified."""


DESIGNS = {
    "2 parts of 200 items": Design(2, 200),
    "5 parts of 200 items": Design(5, 200),
    "5 parts of 1,000 items, 2% errors": Design(5, 1000, error_rate=0.02),
    "20 parts of 200 items": Design(20, 200),
    "5 parts of 20 pages of 20 items": Design(5, 400, 20),
    "5 fields of 100 documents": Design(5, 100, 100, across=True),
    "20 fields of 60 documents": Design(20, 60, 60, across=True),
    "5 parts of 1,000 items, 30% verified": Design(5, 1000, verified=0.3),
}


@dataclass
class Row:
    """What came of the tests of one statistic."""

    design: str
    lead: str
    statistic: str
    samples: int
    any_part: int = 0
    between: int = 0


def sample(design: Design, lead: str, rng: np.random.Generator) -> tuple[dict[str, tuple], dict]:
    """Return two models of the same items, and the options of their comparison."""
    part = np.repeat(np.arange(design.parts), design.items)
    n = len(part)
    number = np.arange(n) % max(1, design.groups)
    group = number if design.across else part * max(1, design.groups) + number
    if not design.groups:
        group = np.arange(n)
    spread = 0.0 if lead == "same lead" else 0.5
    rates = design.error_rate * np.linspace(1.0 - spread, 1.0 + spread, design.parts)
    means = np.array([centre(rate) for rate in rates])[part]
    shared = rng.normal(size=(2, n))
    half, known = math.sqrt(0.5), rng.permutation(n) < design.verified * n
    models = {}
    for name in ("a", "b"):
        by_item = half * (shared + rng.normal(size=(2, n)))
        by_group = rng.normal(size=(2, int(group.max()) + 1))[:, group]
        normal = math.sqrt(OF_GROUP) * by_group + math.sqrt(1.0 - OF_GROUP) * by_item
        z = means + SPREAD * normal[0]
        correct = quantile_of_normal(normal[1]) < chance(z)
        if name == "b" and lead != "equal":
            where = part == design.parts - 1 if lead == "one part" else np.ones(n, np.bool_)
            correct &= ~(where & (rng.random(n) < SPOILED))
        labels: NDArray | fa.PartialTruth = correct
        if design.verified < 1.0:
            labels = fa.PartialTruth(
                np.where(known, correct, np.nan), inclusion_probability=np.full(n, design.verified)
            )
        models[name] = labels, expit(z)
    return models, {"by": part, "groups": group if design.groups else None}


def simulate(name: str, lead: str, samples: int) -> Iterator[Row]:
    """Simulate all statistics of a design, on the same samples."""
    rows = [Row(name, lead, statistic, samples) for statistic in STATISTICS]
    for k in range(samples):
        rng = np.random.default_rng([list(DESIGNS).index(name), LEADS.index(lead), k])
        models, options = sample(DESIGNS[name], lead, rng)
        for row in rows:
            with without_intervals_of_models(), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = fa.compare_parts(models, statistic=row.statistic, **options)
            row.any_part += any(each.pairs[0].adjusted_pvalue < LEVEL for each in found.comparisons)
            row.between += found.leads[0].pvalue < LEVEL
    yield from rows


def line(row: Row) -> str:
    """A row in words."""
    any_part, between = (f"{100 * count / row.samples:.1f}%" for count in (row.any_part, row.between))
    where = f"{row.design}, {row.lead}, {row.statistic}"
    return f"{where}: any part {any_part}, between parts {between}\n"


def main() -> None:
    """Simulate what is not known yet, print and save."""
    parser = parser_of("python -m bench.simulations.part_differences", __doc__, SAMPLES, OUTPUT)
    parser.add_argument("--design", choices=DESIGNS, action="append")
    options = parser.parse_args()
    order = [(design, lead) for design in DESIGNS for lead in LEADS]
    cells = [(design, lead) for design in options.design or DESIGNS for lead in LEADS]
    cell_of = attrgetter("design", "lead")
    fill(options, Row, cells, cell_of, simulate, line, order=lambda row: order.index(cell_of(row)))


if __name__ == "__main__":
    main()
