"""The simulation of models that cost the same: their laws, and what it writes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

import fastarac as fa
from bench.rows import rows_of
from bench.simulations import coverage, equal_costs

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("law", equal_costs.LAWS)
def test_models_have_one_law(law: str) -> None:
    """As many errors as are said, as good areas; and errors in common where they are shared."""
    size = equal_costs.Size(100_000, 5000)
    for shared in equal_costs.SHARED:
        found = equal_costs.models(law, size, shared, np.random.default_rng(0))
        wrong = [~correct for correct, _ in found.values()]
        assert [np.mean(of) for of in wrong] == pytest.approx([0.05] * 2, abs=0.003)
        areas = [fa.roc_auc_score(*model) for model in found.values()]
        assert areas[0] == pytest.approx(areas[1], abs=0.015)
        if law in ("as above", "whole percents"):
            whole = coverage.truth("arac_auc", 0.05, ties=False)
            assert fa.arac_auc_score(*found["a"]) == pytest.approx(whole, abs=0.003)
        if law == "any confidence":
            assert areas[0] == pytest.approx(0.5, abs=0.02)
        together = np.mean(wrong[0] & wrong[1])
        if shared:
            assert together > 2 * 0.05**2
        elif law not in ("as above", "whole percents"):
            assert together == pytest.approx(0.05**2, abs=0.001)


def test_it_goes_on_where_it_ended(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """What is known is left out."""
    path = tmp_path / "c.json"
    for said in (True, False):
        options = ["--items", "100", "--samples", "1", "--output", str(path)]
        monkeypatch.setattr(sys, "argv", ["equal_costs", *options])
        equal_costs.main()
        assert ("Monte-Carlo error" in capsys.readouterr().out) == said
    rows = rows_of(equal_costs.Row, path)
    assert {row.n for row in rows} == {100}
    assert len(rows) == 4 * len(equal_costs.LAWS) * sum(size.n == 100 for size in equal_costs.SIZES)
