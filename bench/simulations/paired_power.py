"""Power to find a difference between two engines on the same 25 pages, at a nominal 5%.

``python -m bench.simulations.paired_power`` simulates, prints each row and writes
docs/_data/paired_power.json, from which the page on coverage is made; an interrupted run goes on where
it ended. Every sample has a seed of its own.

Engines and pages are those of `paired_groups`; of the second engine's words a share is spoiled, which
makes them wrong at any confidence. Beside the test stands what Student's law with one degree of
freedom less than pages makes of the same standard error, and what nobody has: the test by the normal
law and the true standard error, the spread of the differences over all samples.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import fastarac as fa
from bench.rows import fill, parser_of
from bench.simulations.paired_groups import DESIGNS, RESAMPLES, TESTS, engines
from bench.simulations.rejections import LEVEL, without_intervals_of_models
from fastarac._core.quantiles import normal_quantile, student_quantile

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

OUTPUT = Path(__file__).parents[2] / "docs" / "_data" / "paired_power.json"
PAGES, SAMPLES = 25, 1000
SPOILED = (0.02, 0.035)
CHOSEN = (
    "equal pages", "unequal pages", "unequal pages, bursts", "unequal pages, bursts of each engine",
)  # fmt: skip


@dataclass
class Row:
    """What came of a test."""

    test: str
    design: str
    spoiled: float
    samples: int
    rejected: int = 0
    by_pages: int = 0
    """With one degree of freedom less than pages."""
    known: int = 0
    """With the true standard error."""
    ratio: float = 0.0
    """Of the root mean square of the standard errors to the true one."""


def simulate(
    design: str, spoiled: float, samples: int, tests: Collection[str] = tuple(TESTS)
) -> Iterator[Row]:
    """Simulate tests of a design, on the same samples."""
    found: dict[str, list[tuple[float, float, float]]] = {test: [] for test in tests}
    for k in range(samples):
        rng = np.random.default_rng([list(DESIGNS).index(design), round(1000 * spoiled), k])
        models, labels = engines(DESIGNS[design], PAGES, rng, spoiled)
        options: dict[str, Any] = {"groups": labels, "n_resamples": RESAMPLES, "random_state": k}
        for test, of_test in found.items():
            with without_intervals_of_models():
                pair = fa.compare_models(models, paired="groups", **options, **TESTS[test]).pairs[0]
            of_test.append((pair.difference, pair.standard_error, pair.pvalue))
    for test, of_test in found.items():
        difference, error, pvalue = np.array(of_test).T
        true = float(np.std(difference))
        yield Row(
            test,
            design,
            spoiled,
            samples,
            int(np.sum(pvalue < LEVEL)),
            int(np.sum(np.abs(difference) > student_quantile(1.0 - LEVEL, PAGES - 1.0) * error)),
            int(np.sum(np.abs(difference) > normal_quantile(1.0 - LEVEL) * true)),
            float(np.sqrt(np.mean(error**2))) / true,
        )


def line(row: Row) -> str:
    """A row in words."""
    found = (f"{count / row.samples:.1%}" for count in (row.rejected, row.by_pages, row.known))
    return f"{row.test}: {row.spoiled:.1%} spoiled, {row.design}: found {', '.join(found)}\n"


def main() -> None:
    """Simulate what is not known yet, print and save."""
    parser = parser_of("python -m bench.simulations.paired_power", __doc__, SAMPLES, OUTPUT)
    parser.add_argument("--design", choices=CHOSEN, action="append")
    options = parser.parse_args()
    cells = [(design, spoiled) for spoiled in SPOILED for design in options.design or CHOSEN]
    of_tests = list(TESTS)
    fill(
        options, Row, cells, lambda row: (row.design, row.spoiled), simulate, line,
        order=lambda row: (of_tests.index(row.test), CHOSEN.index(row.design), row.spoiled),
    )  # fmt: skip


if __name__ == "__main__":
    main()
