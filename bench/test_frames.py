"""Frames of DuckDB, small ones, so that the benchmark does not rot."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from bench import frames

if TYPE_CHECKING:
    from pathlib import Path


def test_each_way_is_measured_and_written(tmp_path: Path) -> None:
    """Rows of the same kind are replaced; the bounds contain the exact area."""
    rows = {way: frames.measure("duckdb", 5_000, way) for way in frames.WAYS}
    assert all(row["seconds"] > 0 and row["peak_bytes"] > 1 << 20 for row in rows.values())
    low, high = rows["bounds"]["roc_auc"]
    exact, same = rows["exact"]["roc_auc"]
    assert low < exact == same < high
    path = tmp_path / "frames.json"
    for _ in range(2):
        frames.write(list(rows.values()), path)
    found = json.loads(path.read_text(encoding="utf-8"))
    assert [row["way"] for row in found["measured"]] == sorted(frames.WAYS)
    assert list(found["machine"]["load"]) == ["duckdb"]
