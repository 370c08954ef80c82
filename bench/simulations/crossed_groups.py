"""Coverage of intervals and type I errors of comparisons for nested or crossed groups.

``python -m bench.simulations.crossed_groups`` simulates, prints each row and writes
docs/_data/crossed_groups.json, from which the page on coverage is made; an interrupted run goes on
where it ended, and ``--again`` recomputes what is named by ``--design``. Every sample has a seed of its
own.

Words follow the law of the other simulations: z ~ N(μ, 1.5), confidence expit(z), P(correct) =
expit(0.9z + 0.2), 8.2 % errors. A part of the variance of z and of what decides the correctness is that
of the batch and of the document in it, or that of the writer and of the form. Two models of the same
words share half of everything.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import fastarac as fa
from bench.rows import fill, parser_of
from bench.simulations.coverage import (
    SPREAD,
    STATISTICS,
    centre,
    chance,
    expit,
    quantile_of_normal,
    truth,
)
from bench.simulations.rejections import LEVEL, without_intervals_of_models

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Codes = NDArray[np.intp]

OUTPUT = Path(__file__).parents[2] / "docs" / "_data" / "crossed_groups.json"
ERROR_RATE, SAMPLES = 0.082, 1000


class Design(NamedTuple):
    """Two factors, and the part of the variance that is theirs."""

    first: int
    """Batches, or writers."""
    second: int
    """Documents of a batch, or forms."""
    words: int
    """Of a document, or of a writer's form."""
    parts: tuple[float, float]
    crossed: bool

    @property
    def names(self) -> tuple[str, str]:
        """What the columns are."""
        return ("writer", "form") if self.crossed else ("batch", "document")


DESIGNS = {
    "30 batches of 5 documents": Design(30, 5, 15, (0.15, 0.05), crossed=False),
    "10 batches of 15 documents": Design(10, 15, 15, (0.15, 0.05), crossed=False),
    "30 writers of 40 forms": Design(30, 40, 2, (0.08, 0.04), crossed=True),
    "100 writers of 25 forms": Design(100, 25, 1, (0.04, 0.08), crossed=True),
    "10 writers of 100 forms": Design(10, 100, 2, (0.08, 0.04), crossed=True),
}
OF_INTERVALS = (
    "arac_auc", "roc_auc", "recognition_rate", "acceptance_at_error_rate, 5 %",
)  # fmt: skip
OF_TESTS = ("arac_auc", "roc_auc")


def normal(codes: tuple[Codes, Codes], parts: tuple[float, float], rng: np.random.Generator) -> Floats:
    """A standard normal of each item, of which these parts are those of the groups."""
    found = math.sqrt(1.0 - sum(parts)) * rng.normal(size=len(codes[0]))
    for of, part in zip(codes, parts, strict=True):
        found += math.sqrt(part) * rng.normal(size=int(of.max()) + 1)[of]
    return found


def columns(design: Design) -> tuple[Codes, Codes]:
    """The two groups of each item."""
    first, second, _ = np.indices((design.first, design.second, design.words)).reshape(3, -1)
    return first, second if design.crossed else first * design.second + second


def models(design: Design, rng: np.random.Generator) -> dict[str, tuple[NDArray[np.bool_], Floats]]:
    """Two models of one law on the same items."""
    codes, half, found = columns(design), math.sqrt(0.5), {}
    shared = [normal(codes, design.parts, rng) for _ in range(2)]
    for name in ("a", "b"):
        of_z, latent = (half * (of + normal(codes, design.parts, rng)) for of in shared)
        z = centre(ERROR_RATE) + SPREAD * of_z
        found[name] = quantile_of_normal(latent) < chance(z), expit(z)
    return found


@dataclass
class Row:
    """What came of intervals, or of a test."""

    design: str
    figure: str
    groups: str
    """Columns that were given."""
    kind: str
    """"interval", of which `hits` contain the true value, or "test", which finds a difference."""
    samples: int
    hits: int = 0
    warned: int = 0
    hits_warned: int = 0


def simulate(name: str, samples: int) -> Iterator[Row]:
    """Simulate a design, all figures on the same samples."""
    design = DESIGNS[name]
    codes, words = columns(design), design.names
    of_columns = {words[0]: codes[0], words[1]: codes[1], "both": codes}
    rows = {
        (kind, figure, groups): Row(name, figure, groups, kind, samples)
        for kind, figures in (("interval", OF_INTERVALS), ("test", OF_TESTS))
        for figure in figures
        for groups in of_columns
    }

    def covers(figure: str, given: Any, found: dict[str, Any]) -> bool:
        interval = fa.asymptotic_interval(*found["a"], statistic=STATISTICS[figure], groups=given)
        return interval.low <= truth(figure, ERROR_RATE, ties=False) <= interval.high

    def rejects(figure: str, given: Any, found: dict[str, Any]) -> bool:
        with without_intervals_of_models():
            pair = fa.compare_models(found, statistic=STATISTICS[figure], groups=given).pairs[0]
        return pair.pvalue < LEVEL

    of_kinds: dict[str, Callable[..., bool]] = {"interval": covers, "test": rejects}
    for k in range(samples):
        found = models(design, np.random.default_rng([list(DESIGNS).index(name), k]))
        for (kind, figure, groups), row in rows.items():
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                hit = of_kinds[kind](figure, of_columns[groups], found)
            warned = any(issubclass(w.category, fa.UnreliableIntervalWarning) for w in caught)
            row.hits += hit
            row.warned += warned
            row.hits_warned += hit and warned
    yield from rows.values()


def line(row: Row) -> str:
    """A row in words."""
    what = "covered" if row.kind == "interval" else "rejected"
    return (
        f"{row.design}, {row.figure}, groups={row.groups}: {what} {row.hits / row.samples:.1%} of "
        f"{row.samples:,}, warned {row.warned / row.samples:.0%}\n"
    )


def main() -> None:
    """Simulate what is not known yet, print and save."""
    parser = parser_of("python -m bench.simulations.crossed_groups", __doc__, SAMPLES, OUTPUT)
    parser.add_argument("--design", choices=DESIGNS, action="append")
    options = parser.parse_args()
    cells = [(design,) for design in options.design or DESIGNS]
    order = list(DESIGNS)
    fill(
        options, Row, cells, lambda row: (row.design,), simulate, line,
        order=lambda row: order.index(row.design),
    )  # fmt: skip


if __name__ == "__main__":
    main()
