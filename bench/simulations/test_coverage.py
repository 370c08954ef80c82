"""The simulation of coverage runs, goes on where it was interrupted, and counts what is returned."""

from __future__ import annotations

import sys
from contextlib import nullcontext as nothing
from typing import TYPE_CHECKING

import numpy as np
import pytest

import fastarac as fa
from bench.simulations import coverage

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("arac_auc", "roc_auc", "acceptance_at_risk, 5 %", "risk at 0.9")


def test_an_interrupted_table_goes_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The same cells as of one run, saved after each design and size."""
    monkeypatch.setattr(coverage, "RATES", (0.082,))
    few = {name: design._replace(sizes=(100,)) for name, design in coverage.DESIGNS.items()}
    monkeypatch.setattr(coverage, "DESIGNS", few)
    monkeypatch.setattr(coverage, "RESAMPLES", 20)
    whole, parts = tmp_path / "whole.json", tmp_path / "parts.json"

    def samples(_design: coverage.Design) -> int:
        return 2

    coverage.table(whole, few, NAMES, again=False, samples=samples)
    coverage.table(parts, few, NAMES[:2], again=False, samples=samples)
    coverage.table(parts, ["items"], NAMES[:2], again=True, samples=samples)
    coverage.table(parts, few, NAMES, again=False, samples=samples)
    assert whole.read_text() == parts.read_text()
    cells = coverage.read(whole)
    assert {cell.design for cell in cells} == set(few)
    assert all(cell.samples == 2 for cell in cells)


def test_intervals_are_those_of_the_library() -> None:
    """Of each design, with its weights and groups."""
    for name, design in coverage.DESIGNS.items():
        items = coverage.draw(design, 0.082, 300, np.random.default_rng(1))
        if "auto" not in design.methods:
            continue
        for statistic, method, ends, warned in coverage.by_formula(items, NAMES, design.methods):
            if method != "auto":
                continue
            with pytest.warns(fa.UnreliableIntervalWarning) if warned else nothing():
                found = fa.asymptotic_interval(
                    items.correct, items.confidence, statistic=coverage.at_scale(statistic, items),
                    sample_weight=items.weight, groups=items.documents,
                )  # fmt: skip
            assert ends == pytest.approx((found.low, found.high), rel=1e-12), name


def test_populations() -> None:
    """Values on the grid are those of a large sample, of every design alike."""
    rng = np.random.default_rng(0)
    for name in ("items", "weights", "documents 0.5"):
        items = coverage.draw(coverage.DESIGNS[name], 0.082, 200_000, rng)
        for statistic in ("recognition_rate", "arac_auc"):
            found = coverage.STATISTICS[statistic](
                fa.threshold_sweep(items.correct, items.confidence, sample_weight=items.weight)
            )
            assert found == pytest.approx(coverage.truth(statistic, 0.082, ties=False), abs=0.005)


def test_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Prints with --quick, and writes the file with --table."""
    options = ["--statistic", "arac_auc", "--samples", "2"]
    monkeypatch.setattr(coverage, "remember", lambda _: None)
    monkeypatch.setattr(sys, "argv", ["coverage", "--quick", *options])
    coverage.main()
    assert capsys.readouterr().out.startswith("items, arac_auc, auto: 8.2% of n=300: covered ")
    path = tmp_path / "c.json"
    options += ["--design", "items", "--output", str(path)]
    monkeypatch.setattr(sys, "argv", ["coverage", "--table", *options])
    coverage.main()
    assert "cells of auto under 93% without a warning" in capsys.readouterr().out
    assert len(coverage.read(path)) == 2 * 2 * 3
    monkeypatch.setattr(sys, "argv", ["coverage"])
    with pytest.raises(SystemExit):
        coverage.main()
