"""The benchmark of cascades runs, on few items."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from bench import cascades

if TYPE_CHECKING:
    import pytest


def test_table(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A line for each work."""
    monkeypatch.setattr(sys, "argv", ["cascades", "--size", "3000", "--rounds", "1"])
    cascades.main()
    lines = capsys.readouterr().out.splitlines()
    assert [line[:14].strip() for line in lines[1:]] == list(cascades.works(100))
