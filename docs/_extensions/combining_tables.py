"""The tables of the page on several engines: what was reached, as it was recorded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tables import markdown

from fastarac._core.text import rounded_percent

if TYPE_CHECKING:
    from collections.abc import Callable

DATA = Path(__file__).parents[1] / "_data" / "combining.json"


def reached() -> str:
    """Return what is accepted at 1 % errors, and by how much the combination accepts more."""
    rows = []
    for each in json.loads(DATA.read_text(encoding="utf-8")):  # by python -m bench.study.combining
        what = f"{each['pages']} ({each['n_pages']} pages, {each['true_words']:,} words)"
        for row in each["rows"]:
            interval = f"{100 * row['low']:.1f} to {100 * row['high']:.1f}"
            cells = [rounded_percent(row["right"]), rounded_percent(row["missed"])]
            rows.append(
                [what, row["name"], *cells, rounded_percent(row["accepted"]), interval, _more(row)]
            )
            what = ""
    header = [
        "pages",
        "engine",
        "right",
        "missed",
        "accepted at 1 %",
        "95 % interval",
        "combined accepts more by (points)",
    ]
    return markdown(header, rows)


def _more(row: dict[str, Any]) -> str:
    if "more" not in row:
        return ""
    more, low, high = (100 * value for value in row["more"])
    return f"{more:+.1f} ({low:+.1f} to {high:+.1f})"


MAKERS: dict[str, Callable[[], str]] = {"combining_reached.md": reached}
