"""Simulate how often a policy for whole documents breaks its limit if fields are absent.

``python -m bench.simulations.absent_fields`` simulates, prints each row and writes
docs/_data/absent_fields.json; an interrupted run goes on where it ended, and ``--absent`` names a part.

Documents have four fields and a hardness h, uniform. Confidences t are uniform, errors have the
probability 0.06·(1 − t)·(½ + h), date and total are missed in 2 % of the documents, and po and vat are
absent "at random", each in 25 %, rightly in 97 % of these; "together", both in 30 %, rightly in 97 %;
or "in hard documents", each with the probability 0.8·h², rightly in 85 %. Samples are drawn from a
large population, in which the rate of documents that are accepted with an error, or without a true
value, is counted.
"""

from __future__ import annotations

import math
import warnings
import zlib
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest import mock

import numpy as np

import fastarac as fa
from bench.rows import fill_ways
from fastarac import operation
from fastarac.operation.absences import Tried

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from fastarac.operation.absences import OptionalSetting
    from fastarac.operation.policy import Policy

OUTPUT = Path(__file__).parents[2] / "docs" / "_data" / "absent_fields.json"
SAMPLES, SIZES, POPULATION = 1000, (500, 2000), 4000
LIMIT, DELTA = 0.05, 0.05
FIELDS = np.array(["date", "po", "total", "vat"])
MAY_LACK = np.array([1, 3])
ABSENT = ("at random", "together", "in hard documents")
OF_ALL = 20  # one sample of so many is also fitted in all ways
#: Ways to choose what is optional, and whether the promise holds of them.
WAYS = {
    "all fields are required": True,
    "as fit advises": True,
    "the best of sixteen fits": False,
}


class Items(NamedTuple):
    """Documents in rows, their fields in columns."""

    correct: NDArray[np.bool_]
    confidence: NDArray[np.float64]
    absent: NDArray[np.bool_]

    def columns(self) -> dict[str, Any]:
        """What a policy takes beside (correct, confidence)."""
        n = len(self.correct)
        return {
            "by": np.tile(FIELDS, n),
            "documents": np.repeat(np.arange(n), len(FIELDS)),
            "rejected": self.absent.ravel(),
        }

    def take(self, chosen: NDArray[np.intp]) -> Items:
        """Some documents."""
        return Items(*(each[chosen] for each in self))


@dataclass(frozen=True)
class Row:
    """How often the limit was broken, and what was accepted on average."""

    absent: str
    n: int
    way: str
    holds: bool
    samples: int
    fits: int
    broken: int
    accepted: float


def draw(n: int, rng: np.random.Generator, absent: str) -> Items:
    """Draw documents."""
    hardness = rng.random((n, 1))
    confidence = rng.random((n, len(FIELDS)))
    correct = rng.random(confidence.shape) >= 0.06 * (1.0 - confidence) * (0.5 + hardness)
    missed = rng.random(confidence.shape) < 0.02
    empty = np.zeros_like(missed)
    shape = (n, len(MAY_LACK))
    if absent == "at random":
        lacks, rightly = rng.random(shape) < 0.25, 0.97
    elif absent == "together":
        lacks, rightly = np.broadcast_to(rng.random((n, 1)) < 0.3, shape), 0.97
    else:
        lacks, rightly = rng.random(shape) < 0.8 * hardness**2, 0.85
    empty[:, MAY_LACK] = lacks & (rng.random(shape) < rightly)
    missed[:, MAY_LACK] = lacks & ~empty[:, MAY_LACK]
    return Items((correct | empty) & ~missed, confidence, missed | empty)


def fitted(items: Items, optional: Sequence[str] = (), *, advises: bool = True) -> Policy:
    """The policy of a sample, with or without the advice, which takes most of the time."""
    with warnings.catch_warnings(), ExitStack() as stack:
        if not advises:
            stack.enter_context(mock.patch.object(Tried, "settings", return_value=()))
        warnings.simplefilter("ignore", fa.SampleTooSmallWarning)
        return operation.fit_policy(
            items.correct.ravel(), items.confidence.ravel(), optional=optional, max_error_rate=LIMIT,
            **items.columns(),
        )  # fmt: skip


@cache
def population(absent: str) -> Items:
    """All documents that there are."""
    return draw(POPULATION, np.random.default_rng([2026, zlib.crc32(absent.encode())]), absent)


def sample(n: int, absent: str, rng: np.random.Generator) -> Items:
    """Documents of the population."""
    return population(absent).take(rng.integers(0, POPULATION, n))


def shares(policy: Policy, absent: str) -> tuple[float, float]:
    """The share of the population that is accepted, and that with an error that nobody sees."""
    every = population(absent)
    taken = policy.apply(every.confidence.ravel(), **every.columns())[:: len(FIELDS)]
    return float(taken.mean()), float((taken & ~every.correct.all(axis=1)).mean())


def best_of(settings: Sequence[OptionalSetting]) -> tuple[str, ...]:
    """The optional fields with which most documents go through, as a fit advises."""
    return max(settings, key=lambda each: each.straight_through_rate).optional


def best_of_all(items: Items) -> Policy:
    """Of all sixteen settings the one that accepts most, by the half that proves."""
    every = [set_ for k in range(len(FIELDS) + 1) for set_ in combinations(FIELDS.tolist(), k)]
    policies = (fitted(items, each, advises=False) for each in every)
    return max(policies, key=lambda each: each.acceptance_rate)


def followed(n: int, absent: str, rng: np.random.Generator) -> float:
    """The true rate of the best setting that a fit advises."""
    items = sample(n, absent, rng)
    chosen = best_of(fitted(items).settings)
    return shares(fitted(items, chosen, advises=False), absent)[1]


def simulate(absent: str, n: int, samples: int) -> Iterator[Row]:
    """Fit samples with all fields required, as that fit advises, and some in all sixteen ways."""
    rng = np.random.default_rng([2026, zlib.crc32(f"{absent}, {n}".encode())])
    found: dict[str, list[tuple[float, float]]] = {way: [] for way in WAYS}
    for number in range(samples):
        items = sample(n, absent, rng)
        first = fitted(items)
        chosen = best_of(first.settings)
        policies = [first, fitted(items, chosen, advises=False) if chosen else first]
        if number % OF_ALL == 0:
            policies.append(best_of_all(items))
        for way, policy in zip(WAYS, policies, strict=False):
            found[way].append(shares(policy, absent))
    for (way, holds), pairs in zip(WAYS.items(), found.values(), strict=True):
        accepted, rates = np.array(pairs).T
        broken = int((rates > LIMIT).sum())
        yield Row(absent, n, way, holds, samples, len(rates), broken, float(accepted.mean()))


def line(row: Row) -> str:
    """A row in words."""
    error = math.sqrt(DELTA * (1.0 - DELTA) / row.fits)
    mark = " " if row.holds else "!"
    broken, most = row.broken / row.fits, DELTA + 2 * error
    return (
        f"{mark} {row.absent}, {row.n:,} documents, {row.way}: broken in {broken:.1%} (at most "
        f"{most:.1%}), {row.accepted:.1%} accepted\n"
    )


def main() -> None:
    """Simulate what is not known yet, print and save."""
    fill_ways(
        "python -m bench.simulations.absent_fields", __doc__, SAMPLES, OUTPUT, Row, "absent",
        dict.fromkeys(ABSENT, SIZES), WAYS, simulate, line,
    )  # fmt: skip


if __name__ == "__main__":
    main()
