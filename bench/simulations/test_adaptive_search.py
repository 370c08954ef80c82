"""The simulation of the search: that it runs, and goes on where it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.rows import rows_of
from bench.simulations import adaptive_search

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_it_goes_on_where_it_ended(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Rows that are known are left out."""
    path = tmp_path / "s.json"
    for name, expected in (("40 outputs", 1), ("40 outputs", 0), ("40 outputs, of those accepted", 1)):
        adaptive_search.main(["--searches", "3", "--output", str(path), "--population", name])
        assert capsys.readouterr().out.count("\n") == expected
    rows = rows_of(adaptive_search.Row, path)
    assert [row.labels for row in rows] == [40, 40]
    assert all(0 <= row.exceeded <= row.searches == 3 for row in rows)
    assert all(row.accepted <= row.best for row in rows if row.exceeded == 0)
