"""The simulation of logs of audits: its source, and that each cell runs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

from bench.rows import rows_of
from bench.simulations import audits
from bench.simulations.coverage import SPREAD

if TYPE_CHECKING:
    from pathlib import Path


def test_the_source_allows_as_much_as_is_said() -> None:
    """73 % at a limit of 2 %, and a log has as many audits as planned."""
    threshold = audits.CENTRE + SPREAD * -0.6128129910166273  # of 73 %
    accepted, rate = audits.accepted_and_rate(threshold)
    assert accepted == pytest.approx(0.73, abs=0.002)
    assert rate == pytest.approx(audits.LIMIT, abs=3e-4)
    for share in audits.SHARES:
        _, pi, found, _ = audits.log_of(share, audits.LOGGED, audits.AUDITS, np.random.default_rng(0))
        assert pi.sum() == pytest.approx(audits.AUDITS, rel=1e-3)
        assert np.isfinite(found).sum() == pytest.approx(audits.AUDITS, rel=0.1)


def test_it_goes_on_where_it_ended(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Cells that are known are left out."""
    monkeypatch.setattr(audits, "RATES", audits.RATES[1:2])
    monkeypatch.setattr(audits, "SHARES", audits.SHARES[:1])
    path = tmp_path / "a.json"
    n = sum(1 for table in audits.TABLES for _ in audits.cases(table))
    for expected in (n, 0):
        monkeypatch.setattr(sys, "argv", ["audits", "--samples", "1", "--output", str(path)])
        audits.main()
        assert capsys.readouterr().out.count("\n") == expected
    assert len(rows_of(audits.Row, path)) == n
