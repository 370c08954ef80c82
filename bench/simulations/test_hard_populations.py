"""The simulation of populations that are made to fail: their law, and what it writes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

from bench.simulations import coverage, hard_populations

if TYPE_CHECKING:
    from pathlib import Path


def test_populations() -> None:
    """Bursts add errors, sizes that go with them too; weights and ties are as said."""
    rng = np.random.default_rng(0)
    rates = {}
    for name, design in hard_populations.DESIGNS.items():
        n = 4000 if design.correlation is not None else 100_000
        items = hard_populations.draw(design, 0.082, n, rng)
        rates[name] = 1.0 - items.correct.mean()
        if items.documents is not None:
            assert len(np.unique(items.documents)) == 4000
            assert len(items.correct) == pytest.approx(4000 * (40 if design.batches else 30), rel=0.05)
        if design.weights:
            assert items.weight is not None
            assert items.weight.max() == pytest.approx(100.0, rel=0.01)
        if design.saturated:
            assert np.mean(items.confidence == 1.0) == pytest.approx(0.6, abs=0.01)
    assert rates["few documents"] == pytest.approx(0.082, abs=0.005)
    assert rates["bursts"] == pytest.approx(0.082 + 0.015 * 0.918, abs=0.005)
    assert rates["sizes that go with the errors"] > 0.1
    assert rates["a tenth of weight 100, twice as often wrong"] == pytest.approx(0.09, abs=0.004)


def test_it_goes_on_where_it_ended(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Cells that are known are left out, and those that are short are printed."""
    monkeypatch.setattr(hard_populations, "LARGE", 200)
    monkeypatch.setattr(hard_populations, "remember", lambda _: None)
    path = tmp_path / "h.json"
    options = ["--design", "few documents", "--samples", "2", "--output", str(path)]
    monkeypatch.setattr(sys, "argv", ["hard_populations", *options])
    hard_populations.main()
    cells = coverage.read(path)
    assert len(cells) == 6 * len(coverage.STATISTICS)
    assert not any(cell.warned for cell in cells if cell.statistic == "recognition_rate")
    before = path.stat().st_mtime_ns
    hard_populations.main()
    assert path.stat().st_mtime_ns == before
    short = coverage.Cell("bursts", 0.082, 30, "cost", "auto", samples=1000, covered=900)
    assert hard_populations.short(short)
    short.warned = 900
    assert not hard_populations.short(short)
    capsys.readouterr()
