"""Type I errors of comparisons: how often they find a difference that does not exist, at a nominal 5%.

``python -m bench.simulations.type_one`` simulates, prints the table with its Monte-Carlo errors and
writes docs/_data/type_one.json, from which the page on coverage is made. ``--test`` names a part, and
``--samples`` another number of samples. Every sample has a seed of its own.

Models: z ~ N(μ, 1.5), confidence expit(z), P(correct) = expit(0.9z + 0.2), with μ such that 8.2 % or
1.9 % are errors. All models have the same law; on an item, their z have the correlation 0.5, and so has
what decides whether they are right. Scores of the same labels are z and noise of the same size. In
documents of 20 items, all these have the correlation 0.2 within a document. Of two models with
different error rates, the interval of the difference is to miss it in 5 % of the samples.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import fastarac as fa
from bench.rows import run
from bench.simulations.coverage import (
    DOCUMENT,
    SPREAD,
    centre,
    chance,
    expit,
    quantile_of_normal,
    truth,
)
from bench.simulations.rejections import LEVEL, Rejections, without_intervals_of_models
from fastarac.uncertainty.statistics import DEFINITIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Models = dict[str, tuple[NDArray[np.bool_], Floats]]

OUTPUT = Path(__file__).parents[2] / "docs" / "_data" / "type_one.json"
SHARED, OF_DOCUMENT = 0.5, 0.2
RESAMPLES = 400
SAMPLES = 1000
FEW, MANY = 0.019, 0.082
PRICES = fa.VerificationCosts(error=20.0, verification=1.0, correction=2.0)
CLASSES = np.array([[0.0, 1.0, 4.0], [1.0, 0.0, 1.0], [4.0, 1.0, 0.0]])


class Place(NamedTuple):
    """Items that a test gets."""

    error_rate: float
    n: int
    documents: bool = False
    other: float | None = None
    """Error rate of the second model, if it is another one."""


Test = Callable[[Place, np.random.Generator], bool]
PLACES = (Place(FEW, 300), Place(MANY, 300), Place(FEW, 2000), Place(MANY, 2000))
UNEQUAL = (
    Place(0.005, 300, other=FEW), Place(FEW, 300, other=MANY), Place(0.005, 2000, other=FEW),
    Place(FEW, 2000, other=MANY),
)  # fmt: skip
DOCUMENTS = tuple(Place(MANY, n, documents=True) for n in (100, 240, 600, 2000))


def normal(place: Place, rng: np.random.Generator) -> Floats:
    """A standard normal of each item, dependent within documents."""
    if not place.documents:
        return rng.normal(size=place.n)
    documents = rng.normal(size=-(-place.n // DOCUMENT))[documents_of(place)]
    found: Floats = math.sqrt(OF_DOCUMENT) * documents
    return found + math.sqrt(1.0 - OF_DOCUMENT) * rng.normal(size=place.n)


def documents_of(place: Place) -> NDArray[np.intp]:
    """The document of each item."""
    return np.arange(place.n) // DOCUMENT


def models(count: int, place: Place, rng: np.random.Generator) -> Models:
    """Models of the same law on the same items."""
    of_z, of_chance = normal(place, rng), normal(place, rng)
    shared, own, found = math.sqrt(SHARED), math.sqrt(1.0 - SHARED), {}
    for name in "abcde"[:count]:
        rate = place.other if place.other is not None and name == "b" else place.error_rate
        z = shared * of_z + own * normal(place, rng)
        latent = shared * of_chance + own * normal(place, rng)
        z = centre(rate) + SPREAD * z
        found[name] = quantile_of_normal(latent) < chance(z), expit(z)
    return found


def scores(place: Place, rng: np.random.Generator) -> tuple[NDArray[np.bool_], Floats, Floats]:
    """Labels, and two scores that are as good."""
    z = centre(place.error_rate) + SPREAD * normal(place, rng)
    labels = quantile_of_normal(normal(place, rng)) < chance(z)
    return labels, z + SPREAD * normal(place, rng), z + SPREAD * normal(place, rng)


def delong(place: Place, rng: np.random.Generator, *, grouped: bool = False) -> bool:
    """Two scores of the same labels."""
    groups = documents_of(place) if grouped else None
    return fa.delong_test(*scores(place, rng), groups=groups).pvalue < LEVEL


def pair(
    place: Place, rng: np.random.Generator, *, statistic: str | fa.Statistic | None,
    method: str = "asymptotic", grouped: bool = False,
) -> bool:  # fmt: skip
    """Two models, by p-value; of different ones, whether the interval misses the difference."""
    found = fa.compare_models(
        models(2, place, rng),
        **({"costs": PRICES} if statistic is None else {"statistic": statistic}),
        method=method, n_resamples=RESAMPLES, random_state=int(rng.integers(2**32)),
        groups=documents_of(place) if grouped else None,
    )  # fmt: skip
    if place.other is not None:
        if statistic is None or isinstance(statistic, fa.Statistic):
            raise AssertionError(statistic)
        a, b = (truth(statistic, rate, ties=False) for rate in (place.error_rate, place.other))
        interval = found.pairs[0].interval
        return not interval.low <= a - b <= interval.high
    return found.pairs[0].pvalue < LEVEL


def five(place: Place, rng: np.random.Generator, *, statistic: str, letters: bool = False) -> bool:
    """Five models: any difference by corrected p-values, or any two without a common letter."""
    found = fa.compare_models(models(5, place, rng), statistic=statistic, random_state=0)
    if letters:
        own = [set(text) for text in found.letters]
        return any(not a & b for a in own for b in own)
    return any(pair.adjusted_pvalue < LEVEL for pair in found.pairs)


def uncorrected(place: Place, rng: np.random.Generator, *, statistic: str) -> bool:
    """Five models without a correction, to show what it is for."""
    found = fa.compare_models(
        models(5, place, rng), statistic=statistic, correction=None, random_state=0
    )
    return any(pair.pvalue < LEVEL for pair in found.pairs)


def priced(place: Place, rng: np.random.Generator, *, laplace: float | None) -> bool:
    """Two classifiers of three classes, by BCOSTDELTA."""
    actual = rng.integers(0, 3, place.n)
    hard = normal(place, rng)
    predicted = []
    for _ in range(2):
        latent = math.sqrt(SHARED) * hard + math.sqrt(1.0 - SHARED) * rng.normal(size=place.n)
        wrong = quantile_of_normal(latent) < place.error_rate
        predicted.append(np.where(wrong, (actual + rng.integers(1, 3, place.n)) % 3, actual))
    found = fa.costs.bcost_delta(
        *predicted, actual, CLASSES, labels=range(3), laplace=laplace, n_resamples=RESAMPLES,
        random_state=int(rng.integers(2**32)),
    )  # fmt: skip
    return bool(found.rejected)


class Kind(NamedTuple):
    """A test, and where it is tried."""

    rejects: Test
    places: tuple[Place, ...] = PLACES


AT_ERRORS = fa.Statistic("acceptance_at_error_rate", max_error_rate=0.05, interpolate=True)
AT_RISK = fa.Statistic("acceptance_at_risk", max_risk=0.05, interpolate=True)
NAMES = (
    "recognition_rate", "arac_auc", "normalized_arac_auc", "roc_auc", "arp_auc", "normalized_aurc",
)  # fmt: skip
TESTS: dict[str, Kind] = {
    "delong_test": Kind(delong),
    **{f"compare_models, {name}": Kind(partial(pair, statistic=name)) for name in NAMES},
    "compare_models, average_precision": Kind(partial(pair, statistic="average_precision")),
    "compare_models, costs=": Kind(partial(pair, statistic=None)),
    **{
        f"compare_models, {name}, bootstrap": Kind(
            partial(pair, statistic=statistic, method="bootstrap")
        )
        for name, statistic in (
            ("arac_auc", "arac_auc"),
            ("roc_auc", "roc_auc"),
            ("acceptance at 5 % errors", AT_ERRORS),
            ("acceptance at a risk of 5 %", AT_RISK),
        )
    },
    "five models, Holm, recognition_rate": Kind(partial(five, statistic="recognition_rate")),
    "five models, Holm, arac_auc": Kind(partial(five, statistic="arac_auc")),
    "five models, Holm, roc_auc": Kind(partial(five, statistic="roc_auc")),
    "five models, letters, arac_auc": Kind(partial(five, statistic="arac_auc", letters=True)),
    "five models, uncorrected, arac_auc": Kind(partial(uncorrected, statistic="arac_auc")),
    "bcost_delta": Kind(partial(priced, laplace=None)),
    "bcost_delta, laplace=0": Kind(partial(priced, laplace=0.0)),
    "delong_test, groups=": Kind(partial(delong, grouped=True), DOCUMENTS),
    "delong_test, groups ignored": Kind(delong, DOCUMENTS),
    **{
        name: Kind(
            partial(pair, statistic=name), places=UNEQUAL[DEFINITIONS[name].of_one_class :]
        )  # of 1.5 errors they are often undefined
        for name in NAMES
    },
    **{
        f"compare_models, {name}, bootstrap, groups=": Kind(
            partial(pair, statistic=statistic, method="bootstrap", grouped=True), DOCUMENTS
        )
        for name, statistic in (("arac_auc", "arac_auc"), ("acceptance at 5 % errors", AT_ERRORS))
    },
    **{
        f"compare_models, {name}, groups{'=' if grouped else ' ignored'}": Kind(
            partial(pair, statistic=name, grouped=grouped), DOCUMENTS
        )
        for name in ("recognition_rate", "arac_auc", "roc_auc")
        for grouped in (True, False)
    },
}


@dataclass
class Row(Rejections):
    """What came of a test."""

    test: str
    error_rate: float
    n: int
    documents: bool
    samples: int
    rejected: int = 0
    warned: int = 0
    rejected_warned: int = 0
    other: float | None = None


def simulate(name: str, samples: int | None = None) -> Iterator[Row]:
    """Simulate a test."""
    kind = TESTS[name]
    for place in kind.places:
        row = Row(
            name, place.error_rate, place.n, place.documents, samples or SAMPLES, other=place.other
        )
        for k in range(row.samples):
            # tests that differ only in what they do get the same samples
            seed = [round(1000 * place.error_rate), place.n, k]
            rng = np.random.default_rng([*seed, 1] if place.other is not None else seed)
            with without_intervals_of_models():
                row.count(partial(kind.rejects, place, rng))
        yield row


def line(row: Row) -> str:
    """A row in words."""
    return (
        f"{row.test}: {row.error_rate:.1%} of n={row.n:,}{' in documents' if row.documents else ''}: "
        f"{row.found}\n"
    )


def main() -> None:
    """Simulate, print and save."""
    run("python -m bench.simulations.type_one", __doc__, Row, "test", TESTS, simulate, line, OUTPUT)


if __name__ == "__main__":
    main()
