"""Type I errors for two engines with the same distribution on the same pages, at a nominal 5%.

``python -m bench.simulations.paired_groups`` simulates, prints each row and writes
docs/_data/paired_groups.json, from which the page on coverage is made; an interrupted run goes on where
it ended, and ``--again`` recomputes what is named by ``--pages``, ``--design`` and ``--test``. Every
sample has a seed of its own.

Words follow the law of the other simulations: z ~ N(μ, 1.5), confidence expit(z), P(correct) =
expit(0.9z + 0.2), 8.2 % errors where nothing else is said. A page is 0.2 of the variance of z and of
what decides the correctness, and both engines share half of each, of pages and of words. An engine
lacks 3 % of the words of a page, times a lognormal factor of the page and the engine, so that no two
have the same items. Pages have 60 words, or lognormal numbers of them with a mean of 60 and a standard
deviation of 0.8 of the logarithm. Bursts: on 3 % of the pages each word is wrong with a probability of
½ more; on the same pages for both engines, or on pages of each engine's own.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import fastarac as fa
from bench.rows import parser_of, rows_of, save
from bench.simulations.coverage import SPREAD, centre, chance, expit, quantile_of_normal
from bench.simulations.rejections import LEVEL, Rejections, without_intervals_of_models

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from numpy.typing import NDArray

    Models = dict[str, tuple[NDArray[np.bool_], NDArray[np.float64]]]
    Labels = dict[str, NDArray[np.intp]]

OUTPUT = Path(__file__).parents[2] / "docs" / "_data" / "paired_groups.json"
PAGES = (5, 12, 25, 60, 100)
WORDS, OF_PAGE, MISSED, BURSTS = 60, 0.2, 0.03, 0.03
RESAMPLES = 400
SAMPLES = 1000
PRICES = fa.VerificationCosts(error=20.0, verification=1.0, correction=2.0)


class Design(NamedTuple):
    """How pages differ."""

    spread: float = 0.8
    """Standard deviation of the logarithm of their numbers of words."""
    bursts: bool = False
    own: bool = False
    """Whether each engine has bursts on pages of its own."""
    error_rate: float = 0.082
    """Without the bursts."""


DESIGNS = {
    "equal pages": Design(0.0),
    "unequal pages": Design(),
    "unequal pages, bursts": Design(bursts=True),
    "unequal pages, bursts of each engine": Design(bursts=True, own=True),
    "equal pages, 1.9 % errors, bursts of each engine": Design(
        0.0, bursts=True, own=True, error_rate=0.019
    ),
    "unequal pages, 0.5 % errors, bursts of each engine": Design(
        bursts=True, own=True, error_rate=0.005
    ),
}
AT_ERRORS = fa.Statistic("acceptance_at_error_rate", max_error_rate=0.01, interpolate=True)
TESTS: dict[str, dict[str, Any]] = {
    "arac_auc": {"statistic": "arac_auc"},
    "recognition_rate": {"statistic": "recognition_rate"},
    "aurc": {"statistic": "aurc"},
    "roc_auc": {"statistic": "roc_auc"},
    "normalized_arac_auc": {"statistic": "normalized_arac_auc"},
    "normalized_aurc": {"statistic": "normalized_aurc"},
    "costs=": {"costs": PRICES},
    "arac_auc, bootstrap": {"statistic": "arac_auc", "method": "bootstrap"},
    "roc_auc, bootstrap": {"statistic": "roc_auc", "method": "bootstrap"},
    "acceptance at 1 % errors, bootstrap": {"statistic": AT_ERRORS, "method": "bootstrap"},
}


def engines(
    design: Design, pages: int, rng: np.random.Generator, spoiled: float = 0.0
) -> tuple[Models, Labels]:
    """Two readings of the same pages, and the page of each word.

    A share of the second one's words is `spoiled`: wrong at any confidence.
    """
    sizes = np.full(pages, float(WORDS))
    if design.spread:
        sizes *= np.exp(design.spread * rng.normal(size=pages) - design.spread**2 / 2.0)
    page = np.repeat(np.arange(pages), np.maximum(1, np.round(sizes)).astype(int))
    n = len(page)
    of_pages, of_words = rng.normal(size=(2, pages)), rng.normal(size=(2, n))
    bad = rng.random(pages) < BURSTS
    half = math.sqrt(0.5)
    models, labels = {}, {}
    for name in ("a", "b"):
        by_page = half * (of_pages + rng.normal(size=(2, pages)))
        by_word = half * (of_words + rng.normal(size=(2, n)))
        normal = math.sqrt(OF_PAGE) * by_page[:, page] + math.sqrt(1.0 - OF_PAGE) * by_word
        z = centre(design.error_rate) + SPREAD * normal[0]
        correct = quantile_of_normal(normal[1]) < chance(z)
        if design.own:
            bad = rng.random(pages) < BURSTS
        in_bursts = rng.random(n) < 0.5
        if design.bursts:
            correct &= ~(bad[page] & in_bursts)
        if spoiled and name == "b":
            correct &= rng.random(n) >= spoiled
        found = rng.random(n) >= MISSED * np.exp(rng.normal(size=pages))[page]
        models[name], labels[name] = (correct[found], expit(z)[found]), page[found]
    return models, labels


@dataclass
class Row(Rejections):
    """What came of a test."""

    test: str
    design: str
    pages: int
    samples: int
    rejected: int = 0
    warned: int = 0
    rejected_warned: int = 0


def rejects(models: Models, **options: Any) -> bool:
    """Whether a test finds a difference."""
    with without_intervals_of_models():
        return fa.compare_models(models, paired="groups", **options).pairs[0].pvalue < LEVEL


def simulate(
    design: str, pages: int, samples: int, tests: Collection[str] = tuple(TESTS)
) -> Iterator[Row]:
    """Simulate tests of a design, on the same samples."""
    rows = [Row(test, design, pages, samples) for test in tests]
    for k in range(samples):
        rng = np.random.default_rng([list(DESIGNS).index(design), pages, k])
        models, labels = engines(DESIGNS[design], pages, rng)
        options: dict[str, Any] = {"groups": labels, "n_resamples": RESAMPLES, "random_state": k}
        for row in rows:
            row.count(partial(rejects, models, **options, **TESTS[row.test]))
    yield from rows


def line(row: Row) -> str:
    """A row in words."""
    return f"{row.test}: {row.pages} pages, {row.design}: {row.found}\n"


def main() -> None:
    """Simulate what is not known yet, print and save."""
    parser = parser_of("python -m bench.simulations.paired_groups", __doc__, SAMPLES, OUTPUT)
    parser.add_argument("--pages", type=int, choices=PAGES, action="append")
    parser.add_argument("--design", choices=DESIGNS, action="append")
    parser.add_argument("--test", choices=TESTS, action="append")
    options = parser.parse_args()
    for pages in options.pages or PAGES:
        for design in options.design or DESIGNS:
            known, tests = rows_of(Row, options.output), options.test or list(TESTS)
            own = [
                row for row in known if (row.design, row.pages) == (design, pages) and row.test in tests
            ]
            others = [row for row in known if row not in own]
            whole = {row.test for row in own if row.samples >= options.samples} >= set(tests)
            if whole and not options.again:
                continue
            rows = list(simulate(design, pages, options.samples, tests))
            sys.stdout.write("".join(map(line, rows)))
            sys.stdout.flush()
            order, of_tests = list(DESIGNS), list(TESTS)
            found = sorted(
                others + rows,
                key=lambda row: (row.pages, order.index(row.design), of_tests.index(row.test)),
            )
            save(found, options.output)


if __name__ == "__main__":
    main()
