"""The simulation of pages that are wrong throughout: their law, and what it writes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

from bench.rows import rows_of
from bench.simulations import wrong_pages
from bench.simulations.wrong_pages import POPULATIONS, Population, Row

if TYPE_CHECKING:
    from pathlib import Path


def test_samples_are_of_the_population() -> None:
    """Wrong pages are wrong throughout, at their quantile; the rest are as ever."""
    population = Population(0.05, 0.75, 4000)
    correct, z, pages, wrong = wrong_pages.draw(population, np.random.default_rng(0))
    there = wrong[pages]
    assert wrong.mean() == pytest.approx(0.05, abs=0.01)
    assert not correct[there].any()
    assert 1.0 - correct[~there].mean() == pytest.approx(0.019, abs=0.003)
    assert np.mean(z[~there] < z[there].min()) == pytest.approx(0.75, abs=0.02)
    truth = wrong_pages.truths(population)
    assert truth["recognition_rate"] == pytest.approx(correct.mean(), abs=0.01)


def test_the_differences_are_of_listed_populations() -> None:
    """Each population is simulated once."""
    assert set(wrong_pages.COMPARED) <= set(POPULATIONS)
    assert len(set(POPULATIONS)) == len(POPULATIONS)


def test_it_goes_on_where_it_ended(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Cells that are known are left out."""
    path = tmp_path / "w.json"
    monkeypatch.setattr(wrong_pages, "POPULATIONS", (wrong_pages.COMPARED[0],))
    monkeypatch.setattr(wrong_pages.coverage, "remember", lambda _: None)
    monkeypatch.setattr(sys, "argv", ["wrong_pages", "--samples", "2", "--output", str(path)])
    wrong_pages.main()
    assert [row.samples for row in rows_of(Row, path)] == [2] * 8
    before = path.stat().st_mtime_ns
    wrong_pages.main()
    assert path.stat().st_mtime_ns == before
    capsys.readouterr()
