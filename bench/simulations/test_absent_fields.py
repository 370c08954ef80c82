"""The simulation of documents whose fields are absent: that each row runs, and goes on."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np

from bench.rows import rows_of
from bench.simulations import absent_fields

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_it_goes_on_where_it_ended(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Rows that are known are left out."""
    monkeypatch.setattr(absent_fields, "SIZES", (200,))
    path = tmp_path / "a.json"
    for expected in (3, 0):
        command = ["absent_fields", "--samples", "2", "--absent", "together", "--output", str(path)]
        monkeypatch.setattr(sys, "argv", command)
        absent_fields.main()
        assert capsys.readouterr().out.count("\n") == expected
    rows = rows_of(absent_fields.Row, path)
    assert [row.way for row in rows] == list(absent_fields.WAYS)
    assert [row.fits for row in rows] == [2, 2, 1]


def test_fields_are_absent_as_they_should_be() -> None:
    """In these shares, together or apart."""
    rng = np.random.default_rng(0)
    for absent, both in (("at random", 0.0625), ("together", 0.3)):
        items = absent_fields.draw(20_000, rng, absent)
        lacks = items.absent[:, absent_fields.MAY_LACK].all(axis=1)
        assert abs(lacks.mean() - both) < 0.01
        assert items.correct[items.absent].mean() > 0.8
