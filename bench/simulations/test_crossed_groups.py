"""The simulation of nested and crossed groups: their law, and what it writes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

import fastarac as fa
from bench.rows import rows_of
from bench.simulations import coverage, crossed_groups

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("name", crossed_groups.DESIGNS)
def test_items_have_one_law_and_groups_a_part_of_the_variance(name: str) -> None:
    """That of the simulation of intervals; and as many groups of either kind as are named."""
    design = crossed_groups.DESIGNS[name]
    first, second = crossed_groups.columns(design)
    assert len(first) == design.first * design.second * design.words
    assert [len(np.unique(of)) for of in (first, second)] == [
        design.first,
        design.second * (1 if design.crossed else design.first),
    ]
    many = design._replace(first=3000 if not design.crossed else 300, second=design.second)
    found = crossed_groups.models(many, np.random.default_rng(1))
    whole = coverage.truth("arac_auc", crossed_groups.ERROR_RATE, ties=False)
    for model in found.values():
        assert fa.arac_auc_score(*model) == pytest.approx(whole, abs=0.02)
    codes = crossed_groups.columns(many)
    values = crossed_groups.normal(codes, many.parts, np.random.default_rng(2))
    assert np.var(values) == pytest.approx(1.0, abs=0.1)
    means = np.bincount(codes[0], values) / np.bincount(codes[0])
    # the other factor adds a part of its own: to nested groups, and by one form in so many to crossed
    of_means = many.parts[0] + (1.0 - sum(many.parts)) / (many.second * many.words)
    of_means += 0.0 if many.crossed else many.parts[1] / many.second
    assert np.var(means) == pytest.approx(of_means, rel=0.25)


def test_it_goes_on_where_it_ended(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Designs that are known are left out, and all figures of a design are simulated."""
    monkeypatch.setattr(
        crossed_groups,
        "DESIGNS",
        {
            "few batches": crossed_groups.Design(4, 3, 15, (0.15, 0.05), crossed=False),
            "few writers": crossed_groups.Design(4, 5, 9, (0.08, 0.04), crossed=True),
        },
    )
    path = tmp_path / "c.json"
    for said in (True, False):
        monkeypatch.setattr(sys, "argv", ["crossed_groups", "--samples", "2", "--output", str(path)])
        crossed_groups.main()
        assert ("rejected" in capsys.readouterr().out) == said
    rows = rows_of(crossed_groups.Row, path)
    assert len(rows) == 2 * 3 * (len(crossed_groups.OF_INTERVALS) + len(crossed_groups.OF_TESTS))
    assert {row.groups for row in rows} == {"batch", "document", "writer", "form", "both"}
    assert all(row.samples == 2 and row.hits <= 2 for row in rows)
    assert all(row.warned == 2 for row in rows if row.groups == "both" and row.kind == "interval")
