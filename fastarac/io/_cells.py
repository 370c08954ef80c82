"""Protect written CSV cells that a spreadsheet would run as formulas."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

# Matches cells that a spreadsheet would run as a formula. Signed numbers do not match.
FORMULA = r"^([=@\t\r]|[+-](?:[^0-9.]|.*[^0-9.eE+-]))"
_SAFE: ContextVar[bool] = ContextVar("safe", default=False)


@contextmanager
def safe_cells(*, safe: bool) -> Iterator[None]:
    """If `safe`, put an apostrophe before CSV cells that a spreadsheet would run as formulas."""
    token = _SAFE.set(safe)
    try:
        yield
    finally:
        _SAFE.reset(token)


def safe_cell(text: str) -> str:
    """Return a cell, with an apostrophe before it if :func:`safe_cells` asks for one."""
    return f"'{text}" if _SAFE.get() and re.match(FORMULA, text, re.DOTALL) else text


def around_query(goal: Path) -> tuple[str, str]:
    """Return SQL to put before and after the query of a COPY to this file."""
    if not (_SAFE.get() and goal.suffix.lower() in (".csv", ".tsv")):
        return "", ""
    cell = rf"regexp_replace(CAST(COLUMNS(*) AS VARCHAR), '{FORMULA}', '''\1', 's')"
    return f"SELECT {cell} FROM (", ")"
