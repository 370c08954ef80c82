"""The benchmark of partial truth runs, on few items."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from bench import partial_truth

if TYPE_CHECKING:
    import pytest


def test_table(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A line for each work."""
    monkeypatch.setattr(sys, "argv", ["partial_truth", "--size", "3000", "--rounds", "1"])
    partial_truth.main()
    lines = capsys.readouterr().out.splitlines()
    assert [line[:24].strip() for line in lines[1:]] == list(partial_truth.works(1000))
