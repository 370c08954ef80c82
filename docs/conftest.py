"""The examples of the guide as tests: ``pytest docs --doctest-glob='*.md'``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib as mpl
import pytest
from matplotlib import pyplot as plt

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let each page write its files into a folder of its own, and draw without a screen."""
    monkeypatch.chdir(tmp_path)
    mpl.use("Agg")
    yield
    plt.close("all")
