"""The simulation of tests: models of one law, and what it writes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

import fastarac as fa
from bench.rows import rows_of
from bench.simulations import coverage, type_one

if TYPE_CHECKING:
    from pathlib import Path


def test_models_have_one_law() -> None:
    """That of the simulation of intervals, in documents too; and they depend on each other."""
    for documents in (False, True):
        place = type_one.Place(0.082, 200_000, documents)
        pair = type_one.models(2, place, np.random.default_rng(0))
        for correct, confidence in pair.values():
            found = fa.arac_auc_score(correct, confidence)
            assert found == pytest.approx(coverage.truth("arac_auc", 0.082, ties=False), abs=0.002)
        wrong = [~correct for correct, _ in pair.values()]
        assert np.mean(wrong[0] & wrong[1]) > 2 * 0.082**2
        labels, first, second = type_one.scores(place, np.random.default_rng(1))
        areas = fa.roc_auc_score(labels, first), fa.roc_auc_score(labels, second)
        assert areas[0] == pytest.approx(areas[1], abs=0.01)


def test_every_test_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once, of few items."""
    monkeypatch.setattr(type_one, "RESAMPLES", 20)
    for name, kind in type_one.TESTS.items():
        small = kind.places[-1]._replace(n=400)
        monkeypatch.setitem(type_one.TESTS, name, kind._replace(places=(small,)))
        (row,) = type_one.simulate(name, 1)
        assert (row.samples, row.n) == (1, 400)


def test_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """One test, then another beside it."""
    path = tmp_path / "t.json"
    for test in ("delong_test, groups=", "delong_test"):
        options = ["--test", test, "--samples", "1", "--output", str(path)]
        monkeypatch.setattr(sys, "argv", ["type_one", *options])
        type_one.main()
    assert "Monte-Carlo error" in capsys.readouterr().out
    rows = rows_of(type_one.Row, path)
    assert [row.test for row in rows] == ["delong_test"] * 4 + ["delong_test, groups="] * 4
