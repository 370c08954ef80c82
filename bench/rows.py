"""Rows of simulations, as the documentation shows them: JSON with one a line."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

Row = TypeVar("Row")


def rows_of(kind: type[Row], path: Path) -> list[Row]:
    """Rows of a file; none where there is no file."""
    return (
        [kind(**row) for row in json.loads(path.read_text(encoding="utf-8"))] if path.exists() else []
    )


def save(rows: Iterable[Any], path: Path) -> None:
    """Save dataclasses, one a line, with four digits of each fraction, in place of those there were."""
    lines = [
        json.dumps(
            {
                key: float(f"{value:.4g}") if isinstance(value, float) else value
                for key, value in asdict(row).items()
            },
            ensure_ascii=False,
        )
        for row in rows
    ]
    unfinished = path.with_suffix(".part")
    unfinished.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")
    unfinished.replace(path)
