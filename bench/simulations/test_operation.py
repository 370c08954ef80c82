"""The simulation of the promises in operation runs, and its table says what the page says."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING

import pytest

from bench.rows import rows_of
from bench.simulations import operation

if TYPE_CHECKING:
    from pathlib import Path

KEPT = {(row.promise, row.words): row for row in rows_of(operation.Row, operation.OUTPUT)}


def chance(share: float, runs: int) -> float:
    """What chance alone adds to a share."""
    return 3.0 * math.sqrt(share * (1.0 - share) / runs)


def test_the_table_has_every_situation() -> None:
    """In the order of the bench."""
    assert list(KEPT) == [(each.promise, each.words) for each in operation.SITUATIONS]


@pytest.mark.parametrize(
    "situation", [each for each in operation.SITUATIONS if each.promise != operation.POLICY_PLAN]
)
def test_promises(situation: operation.Situation) -> None:
    """Kept where what they need is true, and the damage elsewhere is that of the table: a small cut."""
    row = KEPT[situation.promise, situation.words]
    known = row.happened / row.samples
    if situation.holds and situation.counted == "broken":
        assert known <= operation.DELTA + chance(operation.DELTA, row.samples)
    samples = 25
    found = operation.simulate(situation, samples, seed=1)
    share = min(max(known, 0.02), 0.98)
    assert abs(found.happened / samples - known) <= chance(share, samples) + 1.0 / samples


def test_plans_keep_their_power() -> None:
    """Within five points, with pages and fields and without; tests of the package run such trials."""
    rows = [row for row in KEPT.values() if row.promised is not None and row.holds]
    assert {row.promise for row in rows} == {operation.PLAN, operation.POLICY_PLAN, operation.AUDIT}
    for row in rows:
        assert row.samples >= 1000
        assert row.happened / row.samples == pytest.approx(row.promised, abs=0.05)


def test_order_of_the_thresholds() -> None:
    """One limit over both fields accepts most from 4,000 outputs on, but for the strictest limit."""
    for row in rows_of(operation.Accepted, operation.OUTPUT.with_name(operation.FIELDS)):
        assert row.raw < min(row.each, row.merged + 3.0 * row.error)
        if row.limit > 0.01 and row.n > 2000:
            assert row.merged > row.each


def test_it_goes_on_where_it_ended(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Rows that are known are left out, in both files."""
    monkeypatch.setattr(operation, "SITUATIONS", operation.SITUATIONS[:1])
    monkeypatch.setattr(operation, "SIZES", (2000,))
    path = tmp_path / "found.json"
    for expected in (4, 0):
        monkeypatch.setattr(sys, "argv", ["operation", "--samples", "3", "--output", str(path)])
        operation.main()
        assert capsys.readouterr().out.count("\n") == expected
    assert [row.samples for row in rows_of(operation.Row, path)] == [3]
    assert len(rows_of(operation.Accepted, path.with_name(operation.FIELDS))) == 3
