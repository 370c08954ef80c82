"""The benchmark of intervals runs, on few items."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from bench import intervals

if TYPE_CHECKING:
    import pytest


def test_table(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A line for each statistic at each size, and those of pROC and BCOST."""
    monkeypatch.setattr(sys, "argv", ["intervals", "--size", "3000", "--rounds", "2"])
    intervals.main()
    shown = capsys.readouterr().out.splitlines()[1:]
    assert sum(text.startswith("asymptotic_interval") for text in shown) == 2 * len(intervals.AREAS)
    assert sum("pROC" in text for text in shown) == 2
    assert shown[-1].startswith("bcost")
