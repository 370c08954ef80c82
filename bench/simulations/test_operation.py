"""The simulation of the promises in operation runs, and its table says what the page says."""

from __future__ import annotations

import json
import math
import sys
from typing import TYPE_CHECKING

import pytest

from bench.simulations import operation

if TYPE_CHECKING:
    from pathlib import Path

DATA = json.loads(operation.OUTPUT.read_text(encoding="utf-8"))
KEPT = {(row["promise"], row["words"]): row for row in DATA["promises"]}


def chance(share: float, runs: int) -> float:
    """What chance alone adds to a share."""
    return 3.0 * math.sqrt(share * (1.0 - share) / runs)


def test_the_table_has_every_situation() -> None:
    """In the order of the bench."""
    assert list(KEPT) == [(each.promise, each.words) for each in operation.SITUATIONS]


@pytest.mark.parametrize("index", range(len(operation.SITUATIONS)))
def test_promises(index: int) -> None:
    """Kept where what they need is true, and the damage elsewhere is that of the table: a small cut."""
    situation = operation.SITUATIONS[index]
    row = KEPT[situation.promise, situation.words]
    known = row["happened"] / row["runs"]
    if situation.holds and situation.counted == "broken":
        assert known <= operation.DELTA + chance(operation.DELTA, row["runs"])
    runs = 25
    found = operation.simulate(situation, 1000 + index, runs)
    share = min(max(known, 0.02), 0.98)
    assert abs(found.happened / runs - known) <= chance(share, runs) + 1.0 / runs


def test_order_of_the_thresholds() -> None:
    """One limit over both fields accepts most from 4,000 outputs on, but for the strictest limit."""
    for row in DATA["acceptance"]:
        assert row["raw"] < min(row["each"], row["merged"] + 3.0 * row["error"])
        if row["limit"] > 0.01 and row["n"] > 2000:
            assert row["merged"] > row["each"]


def test_table(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What is written can be read again."""
    monkeypatch.setattr(operation, "SITUATIONS", operation.SITUATIONS[:1])
    monkeypatch.setattr(operation, "SIZES", (2000,))
    monkeypatch.setattr(sys, "argv", ["operation", "--quick"])
    operation.main()
    path = tmp_path / "found.json"
    monkeypatch.setattr(sys, "argv", ["operation", "--table", "--output", str(path)])
    monkeypatch.setattr(operation, "acceptance", lambda n, limit, _: {"n": n, "limit": limit})
    few = operation.SITUATIONS[0]._replace(runs=3)
    monkeypatch.setattr(operation, "SITUATIONS", (few,))
    operation.main()
    found = json.loads(path.read_text(encoding="utf-8"))
    assert found["promises"][0]["runs"] == 3
    assert len(found["acceptance"]) == 3
