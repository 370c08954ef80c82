"""The simulation of little truth: its judges, what it counts, and what it writes."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

from bench.simulations import partial_truth as simulation
from bench.simulations.partial_truth import Design, Tally

if TYPE_CHECKING:
    from pathlib import Path


def test_judges() -> None:
    """A good one has its correlation among what is accepted; others are what is made of it."""
    design = Design("intervals", 200_000, 1000, 0.02, "good", "aimed")
    items = simulation.draw(design, np.random.default_rng(0))
    assert 1.0 - items.correct.mean() == pytest.approx(0.02, abs=0.001)
    order = np.argsort(-items.confidence)
    errors = np.cumsum(~items.correct[order])
    accepted = order[: np.flatnonzero(errors <= 2000)[-1] + 1]  # at 1 %
    said = {
        kind: simulation.judged(kind, items.correct, 0.02, np.random.default_rng(1))
        for kind in simulation.JUDGES
    }
    assert said["none"] is None
    found = {
        kind: np.corrcoef(opinion[accepted], items.correct[accepted])[0, 1]
        for kind, opinion in said.items()
        if opinion is not None
    }
    assert found["good"] == pytest.approx(simulation.CORRELATION, abs=0.03)
    assert found["useless"] == pytest.approx(0.0, abs=0.01)
    assert found["lying"] == pytest.approx(-found["good"], abs=1e-6)
    assert 0.3 < found["blind"] < 0.6
    for kind in ("biased", "overconfident"):
        rising = said[kind][np.argsort(said["good"])]
        assert (np.diff(rising) >= 0.0).all()
    assert said["biased"].mean() < 0.96
    assert (said["blind"][~items.correct] == 0.9999).mean() == pytest.approx(0.5, abs=0.02)


def test_tallies() -> None:
    """Undefined intervals count as warned; widths are means over those that are defined."""
    tally = Tally()
    for hit, warned, width in ((True, False, 1.0), (False, True, 3.0), (True, False, math.nan)):
        tally = tally.add(hit=hit, warned=warned, width=width)
    assert tally == Tally(3, 1, 2, 1, 0, 0, 2.0, 1.0)
    assert tally.share == 0.5
    assert Tally(1000, 0, 899, 910, 0).short
    assert not Tally(1000, 0, 900, 910, 0).short
    assert not Tally(1000, 0, 0, 912, 0).short
    assert Tally(1000, 0, 101, 940, 0).needless
    assert not Tally(1000, 0, 100, 940, 0).needless


def test_it_goes_on_where_it_ended(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Cells of each kind; more samples are added to those that are there, as if made at once."""
    cells = [
        Design("intervals", 600, 300, 0.1, "good", "pages"),
        Design("comparison", 600, 300, 0.1, "blind", "aimed"),
        Design("guarantee", 600, 300, 0.1, "lying", "uniform"),
    ]
    monkeypatch.setattr(simulation, "designs", lambda: cells)
    monkeypatch.setattr(simulation, "remember", lambda _: None)

    def run(path: Path, samples: int) -> None:
        options = ["--samples", str(samples), "--output", str(path)]
        monkeypatch.setattr(sys, "argv", ["partial_truth", *options])
        simulation.main()

    for samples in (1, 3):
        run(tmp_path / "a.json", samples)
    run(tmp_path / "b.json", 3)
    found, at_once = (simulation.read(tmp_path / name) for name in ("a.json", "b.json"))
    assert list(found) == cells
    for design, (done, tallies) in found.items():
        assert done == 3
        for name, tally in tallies.items():
            assert tally == pytest.approx(at_once[design][1][name], rel=1e-4)
            assert tally.samples == 3
    before = (tmp_path / "a.json").stat().st_mtime_ns
    run(tmp_path / "a.json", 3)
    assert (tmp_path / "a.json").stat().st_mtime_ns == before
    assert "guarantee" in capsys.readouterr().out
