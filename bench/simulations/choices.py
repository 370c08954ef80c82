"""Simulate how often a policy chosen among several breaks its limit, and what it accepts.

``python -m bench.simulations.choices`` simulates, prints each row and writes docs/_data/choices.json;
an interrupted run goes on where it ended.

Three models of one law, with outputs of their own for each item. Outputs: confidences t are uniform,
errors have the probability 0.3·(1 − t)⁴, and the limit is 1 %. Fields: two fields in equal parts,
errors with the probability 0.05·(1 − t) in one and 0.5·(1 − t) in the other, and the limit is 3 %.
"""

from __future__ import annotations

import math
import warnings
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import fastarac as fa
from bench.rows import fill_ways
from bench.simulations import operation as fields_of_two
from fastarac.operation import fit_policies, fit_policy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastarac.operation import Policy

OUTPUT = Path(__file__).parents[2] / "docs" / "_data" / "choices.json"
SAMPLES, MODELS, DELTA = 1000, 3, 0.05
LIMITS = {"outputs": 0.01, "fields": 0.03}
SIZES = {"outputs": (500, 2000, 6000), "fields": (2000, 6000)}
#: Ways to come to a policy, and whether the promise holds of it.
WAYS = {"one fit": True, "the chosen one of three": True, "the best of three fits": False}


@dataclass(frozen=True)
class Row:
    """How often the limit was broken, and what was accepted on average."""

    kind: str
    n: int
    way: str
    holds: bool
    samples: int
    broken: int
    accepted: float


def draw(kind: str, n: int, rng: np.random.Generator) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """What each model has of its own, and what all share."""
    if kind == "outputs":
        confidence = rng.random((MODELS, n))
        correct = rng.random((MODELS, n)) >= 0.3 * (1.0 - confidence) ** 4
        return [{"correct": a, "confidence": b} for a, b in zip(correct, confidence, strict=True)], {}
    field = rng.integers(0, 2, n)
    models = []
    for _ in range(MODELS):
        confidence = rng.random(n)
        wrong = rng.random(n) < fields_of_two.SLOPES[field] * (1.0 - confidence)
        models.append({"correct": ~wrong, "confidence": confidence})
    return models, {"by": field}


def shares(policy: Policy, kind: str) -> tuple[float, float]:
    """The true error rate, and the share that is accepted."""
    rejected = np.clip(np.array(policy.thresholds, np.float64), 0.0, 1.0)
    if kind == "fields":
        return fields_of_two.rate_of(policy), float(1.0 - rejected.mean())
    accepted = 1.0 - float(rejected[0])
    return 0.06 * accepted**5, accepted


def simulate(kind: str, n: int, samples: int, seed: int = 0) -> Iterator[Row]:
    """Fit samples of three models, one by one and together."""
    rng = np.random.default_rng([2026, zlib.crc32(f"{kind}, {n}".encode()), seed])
    limit, found = LIMITS[kind], np.zeros((len(WAYS), samples, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fa.SampleTooSmallWarning)
        for run in range(samples):
            models, common = draw(kind, n, rng)
            common |= {"max_error_rate": limit, "random_state": run}
            alone = [fit_policy(**each, **common) for each in models]
            together = fit_policies(dict(zip("abc", models, strict=True)), paired=True, **common)
            best = max(alone, key=lambda each: each.acceptance_rate)
            for way, policy in enumerate((alone[0], together.policy, best)):
                found[way, run] = shares(policy, kind)
    for (way, holds), each in zip(WAYS.items(), found, strict=True):
        broken = int((each[:, 0] > limit).sum())
        yield Row(kind, n, way, holds, samples, broken, float(each[:, 1].mean()))


def line(row: Row) -> str:
    """A row in words."""
    most = DELTA + 2.0 * math.sqrt(DELTA * (1.0 - DELTA) / row.samples)
    mark = " " if row.holds else "!"
    return (
        f"{mark} {row.n:,} {row.kind}, {row.way}: broken in {row.broken / row.samples:.1%} (at most "
        f"{most:.1%}), {row.accepted:.1%} accepted\n"
    )


def main() -> None:
    """Simulate what is not known yet, print and save."""
    fill_ways(
        "python -m bench.simulations.choices", __doc__, SAMPLES, OUTPUT, Row, "kind",
        SIZES, WAYS, simulate, line,
    )  # fmt: skip


if __name__ == "__main__":
    main()
