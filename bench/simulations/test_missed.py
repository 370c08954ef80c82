"""The simulation of intervals where items are missed: its populations, and what it writes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

import fastarac as fa
from bench.rows import rows_of
from bench.simulations import missed

if TYPE_CHECKING:
    from pathlib import Path


def test_the_shares_of_the_populations_are_those_of_large_samples() -> None:
    """Of each design and limit, as the statistic has them."""
    rng = np.random.default_rng(0)
    for design in missed.SIZES:
        items = missed.draw(design, 2_000 if "pages" in design else 40_000, 0.06, rng)
        sweep = fa.threshold_sweep(items.correct, items.confidence, sample_weight=items.weight)
        for name in missed.NAMES:
            for limit in ("generous", "in between", "tight"):
                found = missed.statistic_of(name, limit, 0.06)(sweep)
                assert found == pytest.approx(missed.truth(name, limit, 0.06), abs=0.05), design


def test_it_goes_on_where_it_ended(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Cells that are known are left out."""
    monkeypatch.setattr(missed, "SHARES", (0.06,))
    monkeypatch.setattr(missed, "remember", lambda _: None)
    path = tmp_path / "m.json"
    for said in (True, False):
        monkeypatch.setattr(sys, "argv", ["missed", "--samples", "1", "--output", str(path)])
        missed.main()
        assert ("covered" in capsys.readouterr().out) == said
    found = rows_of(missed.Cell, path)
    sizes = sum(map(len, missed.SIZES.values()))
    assert len(found) == sizes * len(missed.LIMITS) * len(missed.NAMES)
