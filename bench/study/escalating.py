"""Compute ``docs/_data/study_escalating.json``: limits on the risk of cascades that may abstain.

``python -m bench.study.escalating`` draws n of the outputs of one to three classifiers, with
replacement, chooses thresholds by the library and by the rule of Trust or Escalate (Jung, Brahman and
Choi 2025), and looks whether they exceed the limit on all outputs. An interrupted run goes on where it
ended, and each sample has a seed of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bench.rows import fill, parser_of
from bench.simulations.cascade_risks import cascade, outcome, stagewise
from bench.study import classifiers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.simulations.cascade_risks import Judge

OUTPUT = Path(__file__).parents[2] / "docs" / "_data" / "study_escalating.json"
SAMPLES = 1000
SIZES = 250, 500, 1000
LIMITS = 0.03, 0.05
JUDGES = {
    "digits": ("naive-bayes", "neighbours", "forest"),
    "breast_cancer": ("naive-bayes", "forest", "logistic"),
}  # from the worst to the best
CASES = [(data, limit, k) for data in JUDGES for limit in LIMITS for k in (1, 2, 3)]


@dataclass
class Row:
    """How often a way exceeded the limit, and the share that it accepts, on average."""

    data: str
    limit: float
    judges: int
    n: int
    way: str
    samples: int
    exceeded: int
    accepted: float


@cache
def source(data: str) -> list[Judge]:
    """Whether each classifier is right about each output, and its confidence."""
    found = {
        title: (right, np.asarray(sure, np.float64)) for title, right, sure in classifiers.items(data)
    }
    return [found[name] for name in JUDGES[data]]


def simulate(data: str, limit: float, k: int, n: int, samples: int) -> Iterator[Row]:
    """Choose thresholds by samples of the first k judges' outputs."""
    judges = source(data)[:k]
    rows: dict[str, Row] = {}
    for sample in range(samples):
        place = list(JUDGES).index(data), k, n, sample
        chosen = np.random.default_rng([72, *place]).integers(len(judges[0][0]), size=n)
        drawn = [(right[chosen], sure[chosen]) for right, sure in judges]
        ways = {
            "cascade": cascade(drawn, sample, limit),
            "stagewise": stagewise(drawn, limit),
            "stagewise, passed": stagewise(drawn, limit, passed=True),
        }
        for way, thresholds in ways.items():
            row = rows.setdefault(way, Row(data, limit, k, n, way, samples, 0, 0.0))
            above, share = outcome(judges, thresholds, limit)
            row.exceeded += above
            row.accepted += share / samples
    yield from rows.values()


def main() -> None:
    """Simulate what is not known yet, print and save."""
    options = parser_of("python -m bench.study.escalating", __doc__, SAMPLES, OUTPUT).parse_args()
    cells = [(*case, n) for case in CASES for n in SIZES]
    fill(
        options, Row, cells, lambda row: (row.data, row.limit, row.judges, row.n), simulate,
        line="{0}\n".format,
        order=lambda row: cells.index((row.data, row.limit, row.judges, row.n)),
    )  # fmt: skip


if __name__ == "__main__":
    main()
