"""The examples of the guide as tests: ``pytest docs --doctest-glob='*.md'``."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib as mpl
import pytest
from matplotlib import pyplot as plt

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGES = Path(__file__).parent / "_data" / "german_pages.zip"


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let each page write its files into a folder of its own, and draw without a screen."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(PAGES, tmp_path)  # which a page offers for download
    mpl.use("Agg")
    yield
    plt.close("all")
