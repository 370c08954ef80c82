"""Looks, choices and risk scales: each row runs and goes on, and tables say what is promised."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any

import pytest

from bench.rows import rows_of
from bench.simulations import choices, repeated_looks, risk_scales

if TYPE_CHECKING:
    from pathlib import Path

DELTA = 0.05


def most(samples: int) -> float:
    """How often a promise may be broken in so many samples."""
    return DELTA + 2.0 * math.sqrt(DELTA * (1.0 - DELTA) / samples)


@pytest.mark.parametrize("module", [repeated_looks, choices, risk_scales])
def test_it_goes_on_where_it_ended(
    module: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Rows that are known are left out."""
    if module is not repeated_looks:
        first = next(iter(module.SIZES)) if module is choices else None
        monkeypatch.setattr(module, "SIZES", {first: (500,)} if first else (500,))
    else:
        monkeypatch.setattr(module, "UNITS", ("outputs",))
        monkeypatch.setattr(module, "NEW", 50)
    path = tmp_path / "rows.json"
    printed = []
    for _ in range(2):
        monkeypatch.setattr(sys, "argv", ["it", "--samples", "2", "--output", str(path)])
        module.main()
        printed.append(capsys.readouterr().out.count("\n"))
    assert printed == [len(rows_of(module.Row, path)), 0]


def test_looks_keep_their_promise() -> None:
    """Eight looks are wrong no more often than one; the exact test at each look is."""
    rows = rows_of(repeated_looks.Row, repeated_looks.OUTPUT)
    for row in rows:
        assert row.samples >= 1000
        if row.is_wrong and not row.rule.startswith("the exact test"):
            assert row.happened / row.samples <= most(row.samples)
    naive = [row for row in rows if row.is_wrong and row.rule.startswith("the exact test")]
    assert max(row.happened / row.samples for row in naive) > 0.1


def test_choices_keep_their_promise() -> None:
    """They accept within three points of a single fit; the best of three fits breaks its limit."""
    rows = {(row.kind, row.n, row.way): row for row in rows_of(choices.Row, choices.OUTPUT)}
    for (kind, n, way), row in rows.items():
        assert row.samples >= 1000
        if row.holds:
            assert row.broken / row.samples <= most(row.samples)
        one = rows[kind, n, "one fit"]
        if way == "the chosen one of three" and n >= 2000:
            assert row.accepted > one.accepted - 0.03
    assert max(row.broken / row.samples for row in rows.values() if not row.holds) > 0.08


def test_a_scale_accepts_more() -> None:
    """At least .19 of 2,000 outputs and .37 of 6,000."""
    rows = {(row.units, row.n, row.way): row for row in rows_of(risk_scales.Row, risk_scales.OUTPUT)}
    for (units, n, _), row in rows.items():
        assert row.samples >= 1000
        assert row.broken / row.samples <= most(row.samples)
        half, whole = (rows[units, n, way].accepted for way in risk_scales.WAYS)
        assert whole >= half
    for n, goal in ((2000, 0.19), (6000, 0.37)):
        row = rows["outputs", n, "scale"]
        assert row.accepted >= goal - 2.0 * row.error
