"""The simulation of guarantees: its populations, its rules, and what it writes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

from bench.rows import rows_of
from bench.simulations import guarantees

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "source", ["items", "falling", "flat", "pages", "giants", "documents 0.5", *guarantees.FEW]
)
def test_rates_are_those_of_a_large_sample(source: str) -> None:
    """At any threshold, of all items and of the accepted ones."""
    sample = guarantees.draw(source, 30_000, np.random.default_rng(0))
    rates = guarantees.rates("items" if source.startswith("documents") else source)
    # of 30,000 pages, or of as few as 600 giant ones
    tolerance = 0.02 if source == "giants" else 0.004
    for threshold in (0.0, 0.5, 0.9, 0.99):
        accepted = sample.confidence >= threshold
        wrong = accepted & ~sample.correct
        found = rates.at(threshold, "max_error_rate")
        assert found == pytest.approx(np.mean(wrong), abs=tolerance)
        found = rates.at(threshold, "max_risk")
        assert found == pytest.approx(wrong.sum() / accepted.sum(), abs=tolerance)
    assert rates.at(np.inf, "max_risk") == 0.0


def test_wilsons_bound_solves_its_equation() -> None:
    """The share from which the one observed is 1.645 standard errors away."""
    wrong, n = np.array([0.0, 3.0, 50.0]), np.array([20.0, 100.0, 1000.0])
    bound = guarantees.wilson_upper(wrong, n)
    z = (bound - wrong / n) / np.sqrt(bound * (1 - bound) / n)
    assert z == pytest.approx(np.full(3, guarantees.NORMAL_95), rel=1e-12)


def test_rules_that_are_not_the_librarys() -> None:
    """The lowest threshold that passes, whatever fails above it."""
    correct = np.array([0] + [1] * 60 + [0, 0, 1] + [0] * 9, np.bool_)
    confidence = np.linspace(0.99, 0.01, len(correct))
    source = guarantees.Source(correct, confidence)
    assert guarantees.plug_in(source) == confidence[63]  # 3 errors of 64, though 1 of 1 above
    assert guarantees.plug_in_rate(source) == confidence[63]
    assert guarantees.conformal(source) == confidence[61]  # 2 + 1 of 74
    assert guarantees.wilson(source) == np.inf
    assert guarantees.from_the_top(source) == np.inf  # one error of 59 to 61
    assert guarantees.from_the_top(guarantees.Source(correct[1:], confidence[1:])) == confidence[60]


def test_the_boundary_keeps_its_promise_and_accepts_more() -> None:
    """Of up to 300 items, at least what the fallback sequence accepts, less two points."""
    rows = [row for row in rows_of(guarantees.Row, guarantees.OUTPUT) if row.table.startswith("few")]
    fallback = {(r.table, r.source, r.n): r.accepted for r in rows if r.rule == "fallback"}
    for row in rows:
        if row.rule.startswith("pocock"):
            assert row.samples >= 1000
            assert row.share <= guarantees.DELTA + 2.0 * row.error
            if row.n <= 300:
                assert row.accepted >= fallback[row.table, row.source, row.n] - 0.02


def test_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """One table, then another beside it, each with its own seeds."""
    path = tmp_path / "g.json"
    for table in ("giants", "pages", "giants"):
        options = ["--table", table, "--samples", "1", "--output", str(path)]
        monkeypatch.setattr(sys, "argv", ["guarantees", *options])
        guarantees.main()
    assert "Monte-Carlo error" in capsys.readouterr().out
    rows = rows_of(guarantees.Row, path)
    assert [row.table for row in rows[:1] + rows[-1:]] == ["pages", "giants"]
    assert len(rows) == 8 * 4 + 2 * 2
    assert all(row.samples == 1 and 0 <= row.accepted <= 1 for row in rows)
