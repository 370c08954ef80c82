"""Write the file of ``--report``, whole or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastarac._core import files
from fastarac._core.extras import missing

if TYPE_CHECKING:
    from pathlib import Path

TITLE = "How much can go through unchecked?"
WRITTEN = "{path} has the report: open it in a browser."
LEVEL = 0.95  # default confidence level of intervals


def problem_with(path: Path) -> str | None:
    """Return why the report cannot be written to this file, or None."""
    return files.problem_with(path, "report", files.PAGES) or missing(["jinja2"], "report")
