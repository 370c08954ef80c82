"""How often eight looks at one growing sample give a wrong verdict on a limit, by simulation.

``python -m bench.simulations.repeated_looks`` simulates, prints each row and writes
docs/_data/repeated_looks.json; an interrupted run goes on where it ended.

Each of eight looks has 500 more outputs, all accepted, as outputs by themselves or on pages of 10 lines
that are wrong as a whole or not at all. The limit is 2 %, and the true rate is the limit, where "fails"
is wrong, just above it, where "holds" is wrong, or three quarters of it, where "holds" is right.
"""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from unittest import mock

import numpy as np

from bench.rows import fill, parser_of
from fastarac.operation import rate_bets
from fastarac.operation.checked_outputs import Checked, LookRule
from fastarac.operation.checking import CheckedPromise, check_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

OUTPUT = Path(__file__).parents[2] / "docs" / "_data" / "repeated_looks.json"
SAMPLES, LOOKS, NEW, LINES = 1000, 8, 500, 10
LIMIT, DELTA = 0.02, 0.05
PROMISE = CheckedPromise.of("max_error_rate", LIMIT, DELTA, None)
FEW_RATES = np.array([0.001, 0.5, 1.0])  # and the limit: what the verdict depends on


class Case(NamedTuple):
    """A true rate, in words, and the verdict that is counted."""

    rate: float
    words: str
    counted: str
    is_wrong: bool


CASES = {
    "at the limit": Case(LIMIT, "at the limit", "fails", is_wrong=True),
    "just above it": Case(LIMIT * 1.0001, "just above it", "holds", is_wrong=True),
    "three quarters of it": Case(0.75 * LIMIT, "three quarters of it", "holds", is_wrong=False),
}
UNITS = ("outputs", "pages")
RULES = ("one look", "declared", "sequence", "the exact test at each look")


@dataclass(frozen=True)
class Row:
    """In how many samples a verdict was given at any of the looks."""

    rule: str
    units: str
    rate: str
    counted: str
    is_wrong: bool
    samples: int
    happened: int


def rule_of(name: str, look: int) -> LookRule:
    """The rule of a look, from 1 on."""
    if name == "declared":
        return LookRule("declared", look, LOOKS)
    return LookRule("sequence", look) if name == "sequence" else LookRule()


def verdicts(rule: str, wrong: NDArray[np.bool_], lines: int) -> Iterator[str]:
    """The verdict of each look, or of the one at all outputs."""
    for look in (LOOKS,) if rule == "one look" else range(1, LOOKS + 1):
        n = look * NEW
        codes, looks, sizes = None, np.repeat(np.arange(look), NEW), None
        if lines > 1:
            codes, sizes = np.arange(n) // lines, (lines,) * look
        if rule in ("one look", "the exact test at each look"):
            looks = None
        items = Checked(
            np.ones(n, np.bool_), wrong[:n], codes, lines, looks=looks, sizes=sizes,
            rule=rule_of(rule, look),
        )  # fmt: skip
        yield check_of(items, (), PROMISE).verdict


def simulate(rule: str, units: str, rate: str, samples: int, seed: int = 0) -> Iterator[Row]:
    """Draw samples, and look at each of them again and again."""
    rng = np.random.default_rng([2026, zlib.crc32(f"{units}, {rate}".encode()), seed])
    case, lines = CASES[rate], LINES if units == "pages" else 1
    happened = 0
    with (
        mock.patch.object(Checked, "needed", return_value=None),
        mock.patch.object(rate_bets, "RATES", FEW_RATES),
    ):
        for _ in range(samples):
            wrong = np.repeat(rng.random(LOOKS * NEW // lines) < case.rate, lines)
            happened += case.counted in verdicts(rule, wrong, lines)
    yield Row(rule, units, rate, case.counted, case.is_wrong, samples, happened)


def line(row: Row) -> str:
    """A row in words."""
    most = DELTA + 2.0 * math.sqrt(DELTA * (1.0 - DELTA) / row.samples)
    share = row.happened / row.samples
    goal = f" (at most {most:.1%})" if row.is_wrong else ""
    return f"{row.rule}, {row.units}, the rate {row.rate}: {row.counted!r} in {share:.1%}{goal}\n"


def main() -> None:
    """Simulate what is not known yet, print and save."""
    parser = parser_of("python -m bench.simulations.repeated_looks", __doc__, SAMPLES, OUTPUT)
    options = parser.parse_args()
    cells = [(rule, units, rate) for units in UNITS for rate in CASES for rule in RULES]
    # the exact test of pages is by bets, of which only the order changes
    cells = [cell for cell in cells if cell[:2] != ("declared", "pages")]
    fill(
        options, Row, cells, lambda row: (row.rule, row.units, row.rate), simulate, line,
        order=lambda row: cells.index((row.rule, row.units, row.rate)),
    )  # fmt: skip


if __name__ == "__main__":
    main()
