"""What a step-by-step search accepts after each number of labels; how often it exceeds its limit.

``python -m bench.simulations.adaptive_search`` simulates, prints each row and writes
docs/_data/adaptive_search.json, from which docs/coverage.md has its tables; an interrupted run goes on
where it ended, and ``--again`` recomputes the populations that are named by ``--population``. Every
search has a seed of its own. A search exceeds its limit if it did so after any batch.

``--data tacred.csv`` adds a file with the columns label and proxy_score, which is not shipped: the data
of SUPG, on which BARGAIN is measured.
"""

from __future__ import annotations

import argparse
import csv
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import fastarac as fa
from bench.rows import rows_of, save
from fastarac.partial_truth import AdaptiveThresholdSearch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

OUTPUT = Path(__file__).parents[2] / "docs" / "_data" / "adaptive_search.json"
SEARCHES = 1000
OF_LARGE = 200  # searches among a million outputs
BATCH = 10
N = 20_000


class Population(NamedTuple):
    """Outputs, a limit, and the numbers of labels at which is looked."""

    make: Callable[[], tuple[Floats, NDArray[np.bool_]]]
    criterion: str
    limit: float
    failure: float
    budgets: tuple[int, ...]
    lies: bool | None = None
    """Of the judge; None without one."""
    hostile: bool = False


def drawn(rate: Callable[[Floats], Floats], n: int = N) -> tuple[Floats, NDArray[np.bool_]]:
    """Outputs with evenly spread confidences, and errors with these probabilities."""
    confidence = (np.arange(n) + 0.5) / n
    return confidence, np.random.default_rng(1).random(n) < rate(confidence)


def judged(wrong: NDArray[np.bool_], *, lies: bool) -> Floats:
    """A judge that doubts a twentieth of the right outputs, and 4 of 5 errors; one that lies, none."""
    chance = np.where(wrong, 0.0 if lies else 0.8, 0.05)
    return np.where(np.random.default_rng(4).random(len(wrong)) < chance, 0.1, 0.95)


def marked(n: int, accepted: float, limit: float, *, top: bool = False) -> tuple[Any, Any]:
    """Errors just below a threshold, or at the very top, one more than may be."""
    confidence, wrong = (np.arange(n) + 0.5) / n, np.zeros(n, np.bool_)
    errors = int(limit * n) + 1
    end = n if top else n - int(accepted * n)
    wrong[end - errors : end] = True
    return confidence, wrong


def even(n: int, limit: float, *, ties: int = 0) -> tuple[Any, Any]:
    """As many errors as may be and one more, everywhere alike."""
    confidence, wrong = (np.arange(n) + 0.5) / n, np.zeros(n, np.bool_)
    places = np.random.default_rng(2).permutation(n)[: int(limit * n) + 1]
    wrong[places] = True
    return (np.floor(confidence * ties) if ties else confidence), wrong


def upside_down(n: int, limit: float) -> tuple[Any, Any]:
    """As many errors as may be and one more, the more the higher the confidence."""
    confidence = (np.arange(n) + 0.5) / n
    wrong = np.zeros(n, np.bool_)
    chosen = np.random.default_rng(5).choice(
        n, int(limit * n) + 1, replace=False, p=confidence**3 / np.sum(confidence**3)
    )
    wrong[chosen] = True
    return confidence, wrong


def smooth(x: Floats) -> Floats:
    """Errors that grow as the confidence falls."""
    return 0.3 * (1.0 - x) ** 4


def steep(x: Floats) -> Floats:
    """Nearly all errors at the lowest confidences."""
    return 0.5 * np.exp(-40.0 * x)


def poor(x: Floats) -> Floats:
    """A confidence that says little."""
    return (0.5 - 0.5 * x) ** 1.5


RATE, RISK = "max_error_rate", "max_risk"
MODEST = (200, 400, 600)
POPULATIONS: dict[str, Population] = {
    "errors at low confidences": Population(lambda: drawn(steep), RATE, 0.02, 0.05, MODEST),
    "errors that grow evenly": Population(lambda: drawn(smooth), RATE, 0.02, 0.05, MODEST),
    "the same, with a judge": Population(lambda: drawn(smooth), RATE, 0.02, 0.05, MODEST, lies=False),
    "a confidence that says little": Population(lambda: drawn(poor), RATE, 0.02, 0.05, MODEST),
    "errors at low confidences, of those accepted": Population(
        lambda: drawn(steep), RISK, 0.02, 0.05, MODEST
    ),
    "errors that grow evenly, of those accepted": Population(
        lambda: drawn(smooth), RISK, 0.02, 0.05, MODEST
    ),
    "errors just below the middle": Population(
        lambda: marked(N, 0.5, 0.02), RATE, 0.02, 0.05, (600,), hostile=True
    ),
    "errors at the top": Population(
        lambda: marked(N, 0.0, 0.02, top=True), RATE, 0.02, 0.05, (600,), hostile=True
    ),
    "more errors at higher confidences": Population(
        lambda: upside_down(N, 0.02), RATE, 0.02, 0.05, (600,), hostile=True
    ),
    "errors everywhere alike": Population(
        lambda: even(N, 0.02), RATE, 0.02, 0.05, (600,), hostile=True
    ),
    "errors everywhere alike, of those accepted": Population(
        lambda: even(N, 0.02), RISK, 0.02, 0.05, (600,), hostile=True
    ),
    "a judge that lies": Population(
        lambda: even(N, 0.02), RATE, 0.02, 0.05, (600,), lies=True, hostile=True
    ),
    "7 confidences": Population(
        lambda: even(N, 0.02, ties=7), RATE, 0.02, 0.05, (600,), hostile=True
    ),
    "200 outputs, 3 errors": Population(
        lambda: even(200, 0.01), RATE, 0.01, 0.05, (150,), hostile=True
    ),
    "40 outputs": Population(lambda: even(40, 0.1), RATE, 0.1, 0.05, (40,), hostile=True),
    "40 outputs, of those accepted": Population(
        lambda: marked(40, 0.25, 0.1), RISK, 0.1, 0.05, (40,), hostile=True
    ),
    "a million outputs": Population(
        lambda: even(1_000_000, 0.02), RATE, 0.02, 0.05, (400,), hostile=True
    ),
}  # fmt: skip


@dataclass
class Row:
    """What came of the searches of a population, at a number of labels."""

    population: str
    criterion: str
    limit: float
    failure: float
    labels: int
    hostile: bool
    best: float
    """The share that could be accepted, if all were known."""
    accepted: float
    """By the search, on average."""
    budgeted: float
    """By a search that knows beforehand how many answers there will be, on average."""
    uniform: float | None
    """By `guaranteed_operating_point` of as many labels of a uniform sample, on average.

    With `max_risk`, its tests start where the confidences of all outputs say.
    """
    exceeded: int
    """Searches that exceeded the limit after any batch so far."""
    exceeded_budgeted: int
    """Of those that know the number."""
    searches: int


def real(path: Path) -> tuple[Floats, NDArray[np.bool_]]:
    """Labels and scores of a binary proxy: right where score > 0.5 is the label."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    score = np.array([float(row["proxy_score"]) for row in rows])
    label = np.array([row["label"] == "True" for row in rows])
    return np.maximum(score, 1.0 - score), (score > 0.5) != label


def simulate(name: str, population: Population, searches: int) -> Iterator[Row]:
    """Search a population again and again."""
    confidence, wrong = population.make()
    n = len(confidence)
    searches = min(searches, OF_LARGE) if n > N * 10 else searches
    order = np.argsort(-confidence, kind="stable")
    errors = np.concatenate([[0], np.cumsum(wrong[order])])
    ends = np.append(np.flatnonzero(np.diff(confidence[order])) + 1, n)
    counted = n if population.criterion == RATE else ends
    best = ends[errors[ends] <= population.limit * counted].max(initial=0) / n
    judge = None if population.lies is None else judged(wrong, lies=population.lies)
    limit: dict[str, Any] = {population.criterion: population.limit}
    known: dict[str, Any] = (
        {"scale": "unit", "pilot": confidence} if population.criterion == RISK else {}
    )
    budgets = population.budgets
    accepted, exceeded = np.zeros((2, len(budgets))), np.zeros((2, len(budgets)), np.int64)

    def go_on(search: AdaptiveThresholdSearch, budget: int) -> bool:
        """Whether it exceeds its limit on the way."""
        too_many = False
        while search.n_verified < budget:
            indices = search.ask(min(BATCH, budget - search.n_verified))
            search.tell(indices, ~wrong[indices])
            m = round(search.acceptance_rate * n)
            allowed = population.limit * (n if population.criterion == RATE else m)
            too_many |= bool(errors[m] > allowed)
        return too_many

    for k in range(searches):
        given: dict[str, Any] = {
            "judge": judge, "failure_probability": population.failure, "random_state": k, **limit
        }  # fmt: skip
        search = AdaptiveThresholdSearch(confidence, **given)
        too_many = False
        for place, budget in enumerate(budgets):
            too_many |= go_on(search, budget)
            accepted[0, place] += search.acceptance_rate
            exceeded[0, place] += too_many
            planned = AdaptiveThresholdSearch(confidence, budget=budget, **given)
            exceeded[1, place] += go_on(planned, budget)
            accepted[1, place] += planned.acceptance_rate
    for place, labels in enumerate(budgets):
        uniform = None
        if not population.hostile:
            shares = []
            for k in range(searches):
                sample = np.random.default_rng([3, k]).choice(n, labels, replace=False)
                point = fa.guaranteed_operating_point(
                    ~wrong[sample], confidence[sample], failure_probability=population.failure,
                    **limit, **known,
                )  # fmt: skip
                shares.append(float((confidence >= point.threshold).mean()))
            uniform = float(np.mean(shares))
        yield Row(
            name, population.criterion, population.limit, population.failure, labels,
            population.hostile, float(best), *(accepted[:, place] / searches).tolist(), uniform,
            *exceeded[:, place].tolist(), searches,
        )  # fmt: skip


def main(arguments: list[str] | None = None) -> int:
    """Simulate what is not in the file yet."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.simulations.adaptive_search", description=__doc__
    )
    parser.add_argument("--searches", type=int, default=SEARCHES)
    parser.add_argument("--population", action="append", help="only these")
    parser.add_argument("--data", type=Path, help="a file with label and proxy_score")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    options = parser.parse_args(arguments)
    populations = dict(POPULATIONS)
    if options.data is not None:
        for limit, labels in ((0.05, (46, 77, 123, 185)), (0.01, (230, 291, 614, 922))):
            name = f"{options.data.stem}, {100 * limit:g} %"
            populations[name] = Population(lambda: real(options.data), RATE, limit, 0.1, labels)
    chosen = options.population or list(populations)
    rows = rows_of(Row, options.output)
    for name in chosen:
        here = [row for row in rows if row.population == name]
        if here and not options.again:
            continue
        found = list(simulate(name, populations[name], options.searches))
        rows = [row for row in rows if row.population != name] + found
        save(rows, options.output)
        for row in found:
            sys.stdout.write(f"{row}\n")
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
