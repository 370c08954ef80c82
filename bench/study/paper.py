"""Write the tables and figures of the study's pages, which the documentation makes in the same way."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

MAKERS = Path(__file__).parents[2] / "docs" / "_extensions"
PICTURE = "study.png"  # of the README, in docs/_static


def makers(*names: str) -> tuple[Any, ...]:
    """Return modules of the documentation that make its tables and figures."""
    sys.path.insert(0, str(MAKERS))
    try:
        return tuple(map(import_module, names))
    finally:
        sys.path.remove(str(MAKERS))


def write(results: Path, goal: Path) -> Iterator[Path]:
    """Write every table and figure, and the picture of the README.

    Parameters
    ----------
    results : Path
        The folder of ``study.json`` and ``study_combined.json``.
    goal : Path
        The folder to write to.
    """
    tables, summary = makers("study_tables", "study_summary")
    goal.mkdir(parents=True, exist_ok=True)
    before = tables.folder.set(results)
    try:
        for name, maker in (tables.MAKERS | summary.MAKERS).items():
            path = goal / name
            path.write_text(maker(), encoding="utf-8", newline="\n")
            yield path
        path = goal / PICTURE
        path.write_bytes(summary.bitmap())
        yield path
    finally:
        tables.folder.reset(before)
