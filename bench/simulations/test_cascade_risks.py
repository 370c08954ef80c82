"""The simulation of cascades that abstain: that each population runs, and that it goes on."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np

from bench.rows import rows_of
from bench.simulations import cascade_risks

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_it_goes_on_where_it_ended(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Rows that are known are left out."""
    monkeypatch.setattr(cascade_risks, "LARGE", 4000)
    monkeypatch.setattr(cascade_risks, "SIZES", (120,))
    cascade_risks.source.cache_clear()
    path = tmp_path / "c.json"
    for expected in (len(cascade_risks.CASES), 0):
        monkeypatch.setattr(sys, "argv", ["cascade_risks", "--samples", "2", "--output", str(path)])
        cascade_risks.main()
        assert capsys.readouterr().out.count("\n") == expected
    cascade_risks.source.cache_clear()
    rows = rows_of(cascade_risks.Row, path)
    assert [row.case for row in rows] == list(cascade_risks.CASES)
    assert all(0 <= row.exceeded <= row.samples == 2 for row in rows)


def test_the_rule_of_the_paper_takes_its_highest_threshold_if_no_test_passes() -> None:
    """It is the highest one that accepts at least 30 items; a judge after it sees the rest."""
    sure = np.linspace(0.0, 1.0, 101)
    wrong = np.zeros(101, np.bool_), sure
    right = np.ones(101, np.bool_), sure
    assert np.allclose(cascade_risks.stagewise([wrong, right]), [0.71, 0.0], atol=3e-4)
    assert cascade_risks.stagewise([wrong, right], passed=True) == [np.inf, 0.0]
    half = sure > 0.6
    (threshold,) = cascade_risks.stagewise([(half, sure)])
    accepted = sure >= threshold
    assert 0.5 < threshold < 0.6
    assert 0.0 < np.mean(~half[accepted]) < cascade_risks.LIMIT
