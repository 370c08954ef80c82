"""How often a cascade of judges that may abstain exceeds a limit on its risk, beside the paper's rule.

``python -m bench.simulations.cascade_risks`` simulates, prints each row and writes
docs/_data/cascade_risks.json, of which the page on coverage is made; an interrupted run goes on where
it ended. Every sample has a seed of its own.

Items have a difficulty h ~ N(0, 1). A judge of skill a and slope b has a quality
q = 0.8 N(0, 1) − 0.6 h, is correct with the probability expit(a + b q), and its confidence is
expit(2 q + N(0, 0.3)). The limit is 15%, the failure probability 10%, as in the example of the code of
Jung, Brahman and Choi (2025).
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import binom

import fastarac as fa
from bench.rows import fill, parser_of
from bench.simulations.coverage import expit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Judge = tuple[NDArray[np.bool_], NDArray[np.float64]]

OUTPUT = Path(__file__).parents[2] / "docs" / "_data" / "cascade_risks.json"
SAMPLES, LARGE = 1000, 100_000
LIMIT, DELTA = 0.15, 0.1
# Risk by eighth of the confidences: that of all accepted items crosses the limit several times.
WAVE = 0.05, 0.4, 0.05, 0.1, 0.2, 0.05, 0.3, 0.1
JUDGES = {  # skill and slope of each judge
    "one judge": [(1.4, 1.2)],
    "one good judge": [(1.8, 1.6)],
    "three judges": [(0.6, 0.9), (0.9, 1.0), (1.5, 1.3)],
    "three good judges": [(1.0, 1.5), (1.3, 1.5), (1.8, 1.6)],
    "first uninformative": [(0.6, 0.0), (1.5, 1.3)],
    "first reversed": [(0.8, 1.0), (1.5, 1.3)],
    "strong ties": [(0.9, 1.2), (1.5, 1.3)],
    "all reversed": [(0.8, 1.0), (1.3, 1.3)],
}
CASES = *JUDGES, "risk at the limit", "risk in waves", "one, in waves with ties"
SIZES = 250, 1000
FEWEST = 30  # the paper's rule looks at thresholds that accept at least so many items
GRID = np.linspace(0.0, 1.0, 5000)  # its thresholds


@dataclass
class Row:
    """How often the limit was exceeded, and what was accepted, on average; and by the paper's rule."""

    case: str
    n: int
    samples: int
    exceeded: int
    accepted: float
    exceeded_stagewise: int
    accepted_stagewise: float


def draw(case: str, n: int, rng: np.random.Generator) -> list[Judge]:
    """Whether each judge is right about n items, and its confidence."""
    if case == "risk at the limit":
        right = rng.random((2, n)) >= LIMIT + 0.005
        return list(zip(right, rng.random((2, n)), strict=True))
    if case.endswith(("waves", "waves with ties")):
        judges = []
        for _ in range(1 if case.startswith("one") else 2):
            rank = rng.random(n)
            right = rng.random(n) >= np.array(WAVE)[(8 * rank).astype(int)]
            judges.append((right, 1.0 - (np.round(20 * rank) / 20 if "ties" in case else rank)))
        return judges
    hard = rng.normal(size=n)
    judges = []
    for skill, slope in JUDGES[case]:
        quality = 0.8 * rng.normal(size=n) - 0.6 * hard
        right = rng.random(n) < expit(skill + slope * quality)
        sure = expit(2.0 * quality + 0.3 * rng.normal(size=n))
        if case == "strong ties":
            sure = np.round(5.0 * sure) / 5.0
        if case == "all reversed" or (case == "first reversed" and not judges):
            sure = 1.0 - sure
        judges.append((right, sure))
    return judges


@cache
def source(case: str) -> list[Judge]:
    """So many items that they stand for the source."""
    return draw(case, LARGE, np.random.default_rng([61, CASES.index(case)]))


def cascade(judges: Sequence[Judge], seed: int, limit: float = LIMIT) -> list[float]:
    """Thresholds of the library; items that no judge accepts get no answer."""
    stages = [
        fa.costs.Stage(f"judge {s}", 10.0**s, correct=right, confidence=sure)
        for s, (right, sure) in enumerate(judges)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = fa.costs.optimize_cascade(
            [*stages, fa.costs.Stage("no answer", None, abstains=True)],
            max_risk=limit, failure_probability=DELTA, random_state=seed,
        )  # fmt: skip
    return list(found.thresholds[:-1])


def stagewise(judges: Sequence[Judge], limit: float = LIMIT, *, passed: bool = False) -> list[float]:
    """Thresholds by the rule of Jung, Brahman and Choi, as their code has it.

    Each judge has its own sequence of tests at δ, on the items that the judges before it left over. The
    highest threshold is taken even if it does not pass; with `passed`, the judge then accepts nothing.
    """
    found: list[float] = []
    left = np.ones(len(judges[0][0]), np.bool_)
    for right, sure in judges:
        order = np.sort(sure[left])
        wrong = np.sort(sure[left & ~right])
        accepted = len(order) - np.searchsorted(order, GRID)
        errors = len(wrong) - np.searchsorted(wrong, GRID)
        highest = int(np.count_nonzero(accepted >= FEWEST)) - 1
        if highest < 0:
            found.append(np.inf if passed else found[-1] if found else 0.0)
        else:
            failed = binom.cdf(errors[: highest + 1], accepted[: highest + 1], limit) > DELTA
            lowest = int(np.flatnonzero(failed)[-1]) + 1 if failed.any() else 0
            found.append(np.inf if passed and lowest > highest else float(GRID[min(lowest, highest)]))
        left &= sure < found[-1]
    return found


def outcome(
    source: Sequence[Judge], thresholds: Sequence[float], limit: float = LIMIT
) -> tuple[bool, float]:
    """Whether the risk exceeds the limit in the source, and the share that is accepted."""
    left, wrong = np.ones(len(source[0][0]), np.bool_), 0
    for (right, sure), threshold in zip(source, thresholds, strict=True):
        taken = left & (sure >= threshold)
        wrong += int(np.count_nonzero(taken & ~right))
        left &= ~taken
    accepted = int(np.count_nonzero(~left))
    return wrong > limit * accepted, accepted / len(left)


def simulate(case: str, n: int, samples: int) -> Row:
    """Choose thresholds by samples, and look how much of the source they accept wrongly."""
    exceeded, accepted = [0, 0], [0.0, 0.0]
    for k in range(samples):
        judges = draw(case, n, np.random.default_rng([62, CASES.index(case), n, k]))
        for way, thresholds in enumerate((cascade(judges, k), stagewise(judges))):
            above, share = outcome(source(case), thresholds)
            exceeded[way] += above
            accepted[way] += share / samples
    return Row(case, n, samples, exceeded[0], accepted[0], exceeded[1], accepted[1])


def main() -> None:
    """Simulate what is not known yet, print and save."""
    program = "python -m bench.simulations.cascade_risks"
    options = parser_of(program, __doc__, SAMPLES, OUTPUT).parse_args()
    cells = [(case, n) for case in CASES for n in SIZES]
    cell = attrgetter("case", "n")
    fill(
        options, Row, cells, cell, lambda case, n, samples: [simulate(case, n, samples)], "{}\n".format,
        order=lambda row: cells.index(cell(row)),
    )  # fmt: skip


if __name__ == "__main__":
    main()
