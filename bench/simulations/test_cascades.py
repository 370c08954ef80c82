"""The simulation of cascades: that each row runs, and goes on where it ended."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from bench.rows import rows_of
from bench.simulations import cascades

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_it_goes_on_where_it_ended(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Rows that are known are left out."""
    monkeypatch.setattr(cascades, "LARGE", 4000)
    monkeypatch.setattr(cascades, "CASES", (("limit alone", 400), ("pages", 400)))
    cascades.source.cache_clear()
    path = tmp_path / "c.json"
    for expected in (2, 0):
        monkeypatch.setattr(sys, "argv", ["cascades", "--samples", "3", "--output", str(path)])
        cascades.main()
        assert capsys.readouterr().out.count("\n") == expected
    cascades.source.cache_clear()
    rows = rows_of(cascades.Row, path)
    assert [row.case for row in rows] == ["limit alone", "pages"]
    assert all(0 <= row.exceeded <= row.samples == 3 for row in rows)
