"""Plans for policies, and fits to fresh samples of the planned size.

Pages differ in how often their outputs are wrong, by a factor with a gamma distribution; errors have
the probability 0.1 or, in the second field, 0.2, times 1 − confidence. Without a pilot, pages share a
probability of an error, whose mean is 1 %.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac import QuestionableInputWarning, operation

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from fastarac.operation.pilot_plans import PolicySampleSize

RATE = 0.01  # of the errors of a model
RUNS = 1000  # at the answer of a plan


class Items(NamedTuple):
    """Verified outputs, their fields and their pages."""

    correct: NDArray[np.bool_]
    confidence: NDArray[np.float64]
    by: NDArray[np.intp]
    groups: NDArray[np.intp]


def source(size: int | Sequence[int], n_pages: int, rng: np.random.Generator, fields: int = 2) -> Items:
    """Pages of equal size, or of sizes at random, that differ in how often they are wrong."""
    sizes = np.full(n_pages, size) if np.isscalar(size) else rng.choice(size, n_pages)
    page = np.repeat(np.arange(n_pages), sizes)
    confidence = rng.random(len(page))
    of_field = rng.integers(0, fields, len(page))
    worse = np.repeat(rng.gamma(2.0, 0.5, n_pages), sizes)
    correct = rng.random(len(page)) >= 0.1 * (1 + of_field) * (1 - confidence) * worse
    return Items(correct, confidence, of_field, page)


def again(pilot: Items, n_pages: int, rng: np.random.Generator) -> Items:
    """Pages drawn from a pilot with replacement."""
    ends = np.flatnonzero(np.diff(pilot.groups)) + 1
    members = np.split(np.arange(len(pilot.groups)), ends)
    drawn = [members[page] for page in rng.integers(0, len(members), n_pages).tolist()]
    items = np.concatenate(drawn)
    pages = np.repeat(np.arange(n_pages), [len(each) for each in drawn])
    return Items(pilot.correct[items], pilot.confidence[items], pilot.by[items], pages)


def of_model(icc: float, sizes: Sequence[int], n_pages: int, rng: np.random.Generator) -> Items:
    """Outputs of pages that share a probability of an error, one page by one."""
    correct = []
    for _ in range(n_pages):
        p = rng.beta(RATE * (1 / icc - 1), (1 - RATE) * (1 / icc - 1)) if icc else RATE
        correct.append(rng.random(int(rng.choice(sizes))) >= p)
    n = [len(each) for each in correct]
    page = np.repeat(np.arange(n_pages), n)
    return Items(np.concatenate(correct), np.ones(sum(n)), np.zeros(sum(n), np.intp), page)


@dataclass(frozen=True)
class Case:
    """A plan: how samples are drawn, what it is planned from, and what a fit is given."""

    words: str
    draw: Callable[[int, np.random.Generator], Items]
    planned_from: dict[str, Any]
    labels: tuple[str, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)

    def columns(self, items: Items) -> dict[str, Any]:
        """Those of the items that a fit is given beside the outputs."""
        return {name: getattr(items, name) for name in self.labels}

    def plan(self, n_runs: int) -> PolicySampleSize:
        """Find the number of pages."""
        return operation.sample_size_for_policy(**self.planned_from, **self.options, n_runs=n_runs)

    def succeeds(self, plan: PolicySampleSize, rng: np.random.Generator) -> bool:
        """Whether a fit to a fresh sample of the planned size accepts enough."""
        items = self.draw(plan.n_groups or 0, rng)
        with warnings.catch_warnings():  # a stated model has no confidences
            warnings.simplefilter("ignore", QuestionableInputWarning)
            policy = operation.fit_policy(
                items.correct, items.confidence, **self.columns(items), **self.options, random_state=rng
            )
        return bool(policy.acceptance_rate >= plan.accept)


def modelled(words: str, icc: float, sizes: Sequence[int], **options: Any) -> Case:
    """A plan from a stated model, with a limit of 5 %."""
    stated: dict[str, Any] = {"expected_error_rate": RATE}
    if icc:
        stated |= {"icc": icc, "group_sizes": sizes}
    labels = ("groups",) if icc else ()
    draw = partial(of_model, icc, sizes)
    return Case(words, draw, stated, labels, {"max_error_rate": 0.05, **options})


def piloted(
    words: str, n_pages: int, size: int | Sequence[int], labels: tuple[str, ...], accept: float,
    **options: Any,
) -> Case:  # fmt: skip
    """A plan from a pilot."""
    pilot = source(size, n_pages, np.random.default_rng(0))
    columns = {name: getattr(pilot, name) for name in labels}
    given = {"correct": pilot.correct, "confidence": pilot.confidence, "accept": accept, **columns}
    return Case(words, partial(again, pilot), given, labels, options)


GAMMA: dict[str, Any] = {"max_error_rate": 0.08, "method": "gamma"}
CASES = {
    "single": modelled("single outputs, 1 % errors expected at a limit of 5 %", 0.0, (1,)),
    "pages": modelled("the same, on pages of 10 whose errors correlate by 0.1", 0.1, (10,)),
    "unequal pages": modelled(
        "the same, on pages of 2, 5 or 30, by approximation", 0.1, (2, 5, 30), method="gamma"
    ),
    "fields": piloted(
        "two fields, from a pilot of 1,000 outputs", 1000, 1, ("by",), 0.5, max_error_rate=0.06
    ),
    "pages by proof": piloted(
        "pages, from a pilot of 200 pages of 4", 200, 4, ("groups",), 0.4, max_error_rate=0.08
    ),
    "pages and fields": piloted(
        "pages and fields, from a pilot of 150 pages of 2, 5 or 20, by approximation", 150, (2, 5, 20),
        ("by", "groups"), 0.4, **GAMMA,
    ),
    "pages and fields by proof": piloted(
        "pages and fields, from a pilot of 200 pages of 4", 200, 4, ("by", "groups"), 0.4,
        max_error_rate=0.08,
    ),
}  # fmt: skip


@cache
def planned(name: str, n_runs: int = RUNS) -> PolicySampleSize:
    """Return the plan of a case."""
    return CASES[name].plan(n_runs)
