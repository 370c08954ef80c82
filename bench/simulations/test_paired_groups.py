"""The simulation of engines that are compared by pages: their law, and what it writes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

import fastarac as fa
from bench.rows import rows_of
from bench.simulations import coverage, paired_groups

if TYPE_CHECKING:
    from pathlib import Path


def test_engines_have_one_law_and_items_of_their_own() -> None:
    """That of the simulation of intervals where there are no bursts; more errors where there are."""
    for name, design in paired_groups.DESIGNS.items():
        whole = coverage.truth("arac_auc", design.error_rate, ties=False)
        models, labels = paired_groups.engines(design, 4000, np.random.default_rng(0))
        found = [fa.arac_auc_score(*model) for model in models.values()]
        if design.bursts:
            assert all(area < whole - 0.003 for area in found), name
        else:
            assert found == pytest.approx([whole] * 2, abs=0.004), name
        assert found[0] == pytest.approx(found[1], abs=0.004), name
        sizes = [np.bincount(of, minlength=4000) for of in labels.values()]
        assert np.mean(sizes) == pytest.approx(60 * 0.95, rel=0.05)
        assert np.any(sizes[0] != sizes[1])


def test_it_goes_on_where_it_ended(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Designs that are known are left out."""
    monkeypatch.setattr(paired_groups, "RESAMPLES", 20)
    path = tmp_path / "p.json"
    for said in (True, False):
        options = ["--pages", "12", "--samples", "1", "--output", str(path)]
        monkeypatch.setattr(sys, "argv", ["paired_groups", *options])
        paired_groups.main()
        assert ("Monte-Carlo error" in capsys.readouterr().out) == said
    rows = rows_of(paired_groups.Row, path)
    assert len(rows) == len(paired_groups.TESTS) * len(paired_groups.DESIGNS)
