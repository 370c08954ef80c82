"""The benchmark of measures runs, on few items."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np

from bench import measures

if TYPE_CHECKING:
    import pytest


def test_table(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A line each, and the works agree with each other."""
    monkeypatch.setattr(sys, "argv", ["measures", "--size", "2000", "--rounds", "2"])
    measures.main()
    lines = capsys.readouterr().out.splitlines()
    works = measures.works(1000)
    assert [line[:28].strip() for line in lines[2:]] == list(works)
    best = works[measures.BEST]()
    assert works["best threshold by F1"]() == best["f1"]
    arrays = works["all, as arrays"]()
    assert len(arrays) == len(works[measures.ZEROS]()) == works["all, in blocks"]()
    assert best["matthews_correlation"].value == np.nanmax(works["Matthews correlation"]())
