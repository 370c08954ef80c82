"""The simulation of intervals where items are missed: its populations, and what it prints."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import fastarac as fa
from bench.simulations import missed


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


def test_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A line a cell, of those that are asked for."""
    monkeypatch.setattr(missed, "remember", lambda _: None)
    options = [
        "--samples",
        "1",
        "--limit",
        "generous",
        "--design",
        "fields",
        "--design",
        "verified items",
    ]
    monkeypatch.setattr(sys, "argv", ["missed", *options])
    missed.main()
    said = capsys.readouterr().out.splitlines()
    sizes = len(missed.SIZES["fields"]) + len(missed.SIZES["verified items"])
    assert len(said) == sizes * len(missed.SHARES) * len(missed.NAMES)
    assert all("covered" in each for each in said)
