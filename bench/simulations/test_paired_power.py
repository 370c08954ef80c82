"""The simulation of differences that there are: how large they are, and what it writes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

import fastarac as fa
from bench.rows import rows_of
from bench.simulations import paired_groups, paired_power

if TYPE_CHECKING:
    from pathlib import Path


def test_one_engine_has_so_many_more_errors() -> None:
    """A share of its right words, at any confidence."""
    design = paired_groups.DESIGNS["equal pages"]
    models, _ = paired_groups.engines(design, 2000, np.random.default_rng(0), 0.1)
    rates = [np.mean(correct) for correct, _ in models.values()]
    assert rates[1] == pytest.approx(0.9 * rates[0], abs=0.005)
    assert fa.roc_auc_score(*models["b"]) < fa.roc_auc_score(*models["a"]) - 0.1


def test_the_true_error_is_that_of_the_samples() -> None:
    """Of a large difference all tests find it; of none about as many as they say."""
    (row,) = paired_power.simulate("equal pages", 0.3, 40, ["recognition_rate"])
    assert (row.rejected, row.by_pages, row.known) == (40, 40, 40)
    assert row.ratio == pytest.approx(1.0, abs=0.3)
    (row,) = paired_power.simulate("equal pages", 0.0, 100, ["recognition_rate"])
    assert row.known <= 12
    assert row.rejected <= row.by_pages <= 16


def test_it_goes_on_where_it_ended(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """What is known is left out."""
    monkeypatch.setattr(paired_power, "RESAMPLES", 20)
    path = tmp_path / "p.json"
    for said in (True, False):
        options = ["--samples", "2", "--output", str(path)]
        monkeypatch.setattr(sys, "argv", ["paired_power", *options])
        paired_power.main()
        assert ("spoiled" in capsys.readouterr().out) == said
    rows = rows_of(paired_power.Row, path)
    assert len(rows) == len(paired_groups.TESTS) * len(paired_power.CHOSEN) * len(paired_power.SPOILED)
