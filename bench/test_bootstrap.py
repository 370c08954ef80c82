"""The benchmark of the bootstrap runs, on few items."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from bench import bootstrap

if TYPE_CHECKING:
    import pytest


def test_table(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A line each, and peers below the row that they are compared with."""
    monkeypatch.setattr(sys, "argv", ["bootstrap", "--size", "4000", "--rounds", "2"])
    monkeypatch.setattr(bootstrap, "PEER_RESAMPLES", 20)
    bootstrap.main()
    lines = capsys.readouterr().out.splitlines()[2:]
    assert bootstrap.SCIPY in lines[1]
    shown = [text[:40].strip() for text in lines if not text.startswith("    ")]
    assert shown == [row.name for row in bootstrap.ROWS]
    assert all("ns a draw" in text or "target ≤ 0.5 s" in text for text in lines if text[0] != " ")
