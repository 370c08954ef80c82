"""The benchmark of hulls runs, on few items."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from bench import hulls

if TYPE_CHECKING:
    import pytest


def test_table(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A line each, and what is said to be true is."""
    monkeypatch.setattr(sys, "argv", ["hulls", "--size", "2000", "--rounds", "2"])
    hulls.main()
    lines = capsys.readouterr().out.splitlines()
    assert [line[:28].strip() for line in lines[2:]] == list(hulls.works(100))
    works = hulls.works(1000)
    assert works["dominates, true, of sweeps"]() is True
    assert works["roc_convex_hull"]().exact == works["roc_convex_hull of a sweep"]().exact
