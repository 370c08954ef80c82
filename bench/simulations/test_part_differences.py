"""The simulation of parts: its populations, and what it writes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

import fastarac as fa
from bench.rows import rows_of
from bench.simulations import part_differences

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("lead", part_differences.LEADS)
def test_the_parts_have_the_errors_and_the_leads_that_are_said(lead: str) -> None:
    """On many items: equal models, a tenth spoiled everywhere, or in the last part."""
    design = part_differences.Design(3, 60_000)
    models, options = part_differences.sample(design, lead, np.random.default_rng(0))
    found = fa.compare_parts(models, statistic="recognition_rate", **options)
    rates = [0.1, 0.1, 0.1] if lead == "same lead" else [0.05, 0.1, 0.15]
    spoiled = {"equal": (0, 0, 0), "same lead": (1, 1, 1), "one part": (0, 0, 1)}[lead]
    for comparison, rate, bad in zip(found.comparisons, rates, spoiled, strict=True):
        a, b = comparison.estimates
        assert a == pytest.approx(1.0 - rate, abs=0.005)
        assert b == pytest.approx((1.0 - rate) * (1.0 - part_differences.SPOILED * bad), abs=0.006)


def test_it_goes_on_where_it_ended(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Designs that are known are left out."""
    path = tmp_path / "p.json"
    for said in (True, False):
        options = ["--design", "5 fields of 100 documents", "--samples", "1", "--output", str(path)]
        monkeypatch.setattr(sys, "argv", ["part_differences", *options])
        part_differences.main()
        assert ("between parts" in capsys.readouterr().out) == said
    rows = rows_of(part_differences.Row, path)
    assert len(rows) == len(part_differences.STATISTICS) * len(part_differences.LEADS)
