"""The simulation of coverage runs, and counts what the library returns."""

from __future__ import annotations

import csv
import sys
from typing import TYPE_CHECKING

import numpy as np

import fastarac as fa
from bench import coverage

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_table(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The same table from blocks of any order, and all cells in it."""
    monkeypatch.setattr(coverage, "SIZES", (60,))
    monkeypatch.setattr(coverage, "RESAMPLES", 20)
    monkeypatch.setattr(coverage, "BLOCK", 2)
    tasks = coverage.tasks(3, coverage.FAMILIES)
    cells = coverage.combined(cell for task in tasks for cell in coverage.block(*task))
    again = coverage.combined(cell for task in tasks[::-1] for cell in coverage.block(*task))
    key = {(cell.statistic, cell.method, cell.case): cell.covered for cell in cells}
    assert key == {(cell.statistic, cell.method, cell.case): cell.covered for cell in again}
    methods = sum(len(f.methods) * len(f.statistics) for f in coverage.FAMILIES.values())
    assert len(cells) == 5 * methods
    with (tmp_path / "table.csv").open("w") as file:
        coverage.write(cells, file)
    with (tmp_path / "table.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [int(row["simulations"]) for row in rows] == [cell.simulations for cell in cells]


def test_intervals_are_those_of_the_library() -> None:
    """The four methods of the bootstrap from the same replicates, as if each had been called for."""
    sample = fa.synthetic.PAPER_CASES[1].sample(150, random_state=0)
    for family in (coverage.FAMILIES["arac_auc"], coverage.FAMILIES["others"]):
        for statistic, found in coverage.intervals_of(sample, family, 7):
            for method in ("percentile", "basic", "bca", "studentized"):
                if method in found:
                    expected = fa.bootstrap(
                        *sample, statistic=statistic, n_resamples=coverage.RESAMPLES, random_state=7,
                        method=method,
                    )  # fmt: skip
                    assert np.allclose(found[method], (expected.low, expected.high), rtol=1e-14)


def test_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Prints with --quick, and writes a file otherwise."""
    calls: list[int] = []

    def simulate(simulations: int, _names: object) -> list[coverage.Cell]:
        calls.append(simulations)
        return [coverage.Cell("x", "bca", 1, 10, 4, 0, 1, 3, 1, 0.5)]

    monkeypatch.setattr(coverage, "simulate", simulate)
    monkeypatch.setattr(sys, "argv", ["coverage", "--quick"])
    coverage.main()
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == "x,bca,1,10,4,0,1,3,1,0.5"
    output = tmp_path / "c.csv"
    monkeypatch.setattr(sys, "argv", ["coverage", "--simulations", "9", "--output", str(output)])
    coverage.main()
    assert output.read_text().splitlines() == lines
    assert calls == [coverage.QUICK, 9]
