"""Simulate what a policy under a risk limit accepts with half of the sample, and with all of it.

``python -m bench.simulations.risk_scales`` simulates, prints each row and writes
docs/_data/risk_scales.json; an interrupted run goes on where it ended.

The confidence is σ(z) with z normal (mean 2.2, standard deviation 1.3), an output is wrong with the
probability 1 − σ(0.9z + 0.2), and at most 5 % of the accepted ones may be; outputs by themselves, or
pages of 4, of which a quarter repeats one output.
"""

from __future__ import annotations

import math
import warnings
import zlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import fastarac as fa
from bench.rows import fill_ways
from fastarac.operation import fit_policy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

OUTPUT = Path(__file__).parents[2] / "docs" / "_data" / "risk_scales.json"
SAMPLES, LIMIT, DELTA, LINES, REPEATED = 1000, 0.05, 0.05, 4, 0.25
UNITS, SIZES = ("outputs", "pages"), (2000, 6000)
WAYS: dict[str, dict[str, Any]] = {"half chooses the thresholds": {}, "scale": {"scale": "unit"}}


@dataclass(frozen=True)
class Row:
    """How often the limit was broken, and what was accepted on average."""

    units: str
    n: int
    way: str
    samples: int
    broken: int
    accepted: float
    error: float


def draw(units: str, n: int, rng: np.random.Generator) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Whether outputs are right, and their confidences."""
    z = rng.normal(2.2, 1.3, n)
    right = rng.random(n) < 1.0 / (1.0 + np.exp(-0.9 * z - 0.2))
    if units == "pages":
        same = np.repeat(rng.random(n // LINES) < REPEATED, LINES)
        first = np.arange(n) // LINES * LINES
        source = np.where(same, first, np.arange(n))
        z, right = z[source], right[source]
    return right, 1.0 / (1.0 + np.exp(-z))


@cache
def truth() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Confidences of many outputs, from high to low, and the risk of accepting down to each."""
    z = np.sort(np.random.default_rng(2026).normal(2.2, 1.3, 1_000_000))[::-1]
    wrong = 1.0 - 1.0 / (1.0 + np.exp(-0.9 * z - 0.2))
    return 1.0 / (1.0 + np.exp(-z)), np.cumsum(wrong) / np.arange(1, len(z) + 1)


def simulate(units: str, n: int, samples: int, seed: int = 0) -> Iterator[Row]:
    """Fit samples both ways."""
    rng = np.random.default_rng([2026, zlib.crc32(f"{units}, {n}".encode()), seed])
    found = np.zeros((len(WAYS), samples, 2))
    confidences, risks = truth()
    more = {"groups": np.arange(n) // LINES, "max_group_size": LINES} if units == "pages" else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fa.SampleTooSmallWarning)
        for run in range(samples):
            sample = draw(units, n, rng)
            for i, fixed in enumerate(WAYS.values()):
                policy = fit_policy(*sample, max_risk=LIMIT, random_state=run, **fixed, **more)
                k = int(np.searchsorted(-confidences, -policy.thresholds[0], side="right"))
                found[i, run] = k / len(confidences), risks[k - 1] if k else 0.0
    for way, each in zip(WAYS, found, strict=True):
        accepted, broken = each[:, 0], int((each[:, 1] > LIMIT).sum())
        error = float(accepted.std()) / math.sqrt(samples)
        yield Row(units, n, way, samples, broken, float(accepted.mean()), error)


def line(row: Row) -> str:
    """A row in words."""
    return (
        f"{row.n:,} {row.units}, {row.way}: {row.accepted:.3f} accepted (± {row.error:.3f}), broken in "
        f"{row.broken / row.samples:.1%}\n"
    )


def main() -> None:
    """Simulate what is not known yet, print and save."""
    fill_ways(
        "python -m bench.simulations.risk_scales", __doc__, SAMPLES, OUTPUT, Row, "units",
        dict.fromkeys(UNITS, SIZES), WAYS, simulate, line,
    )  # fmt: skip


if __name__ == "__main__":
    main()
