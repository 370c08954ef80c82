"""The simulation of chosen thresholds: its populations, and what it writes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

import fastarac as fa
from bench.rows import rows_of
from bench.simulations import thresholds

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("name", thresholds.POPULATIONS)
def test_populations_have_these_metrics(name: str) -> None:
    """Of a large sample, the metric of a threshold; no other threshold is better."""
    population = thresholds.POPULATIONS[name]
    best = population.best()
    sweep = fa.threshold_sweep(*population.sample(400_000, 0))
    found = fa.bootstrap_threshold(sweep, **population.chosen_by, n_resamples=2, random_state=0)
    assert found.value == pytest.approx(population.metric(best), abs=0.005)
    if name == "error rate":
        assert population.metric(best) == pytest.approx(thresholds.LIMIT)
        return
    values = [population.metric(threshold) for threshold in (best, best - 0.01, best + 0.01)]
    chosen = np.argmax(values) if name == "Youden's index" else np.argmin(values)
    assert chosen == 0


def test_it_writes_rows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """One of each cell."""
    path = tmp_path / "t.json"
    monkeypatch.setattr(thresholds, "RESAMPLES", 20)
    monkeypatch.setattr(sys, "argv", ["thresholds", "--samples", "2", "--output", str(path)])
    thresholds.main()
    rows = rows_of(thresholds.Row, path)
    assert [(row.chosen_by, row.n) for row in rows] == [
        (name, n) for name in thresholds.POPULATIONS for n in thresholds.SIZES
    ]
