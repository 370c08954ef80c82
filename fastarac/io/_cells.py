"""Cells of written CSV files that a spreadsheet would take for formulas."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

# What begins so is a formula, or hides one; numbers with a sign are none.
FORMULA = r"^([=@\t\r]|[+-](?:[^0-9.]|.*[^0-9.eE+-]))"
_SAFE: ContextVar[bool] = ContextVar("safe", default=False)


@contextmanager
def safe_cells(*, safe: bool) -> Iterator[None]:
    """Write an apostrophe before cells in CSV files that a spreadsheet would take for formulas."""
    token = _SAFE.set(safe)
    try:
        yield
    finally:
        _SAFE.reset(token)


def safe_cell(text: str) -> str:
    """Return a cell as it is written."""
    return f"'{text}" if _SAFE.get() and re.match(FORMULA, text, re.DOTALL) else text


def around_query(goal: Path) -> tuple[str, str]:
    """Return SQL to stand before and behind the query of a COPY to this file."""
    if not (_SAFE.get() and goal.suffix.lower() in (".csv", ".tsv")):
        return "", ""
    cell = rf"regexp_replace(CAST(COLUMNS(*) AS VARCHAR), '{FORMULA}', '''\1', 's')"
    return f"SELECT {cell} FROM (", ")"
