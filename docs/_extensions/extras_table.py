"""What each extra costs: megabytes and seconds, as they were recorded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from tables import markdown

if TYPE_CHECKING:
    from collections.abc import Callable

DATA = Path(__file__).parents[1] / "_data" / "extras.json"  # by python -m bench.extras


def costs() -> str:
    """Return packages, size and import time of each extra; sizes include the library's own needs."""
    rows = []
    for each in json.loads(DATA.read_text(encoding="utf-8"))["extras"]:
        name = f"`{each['extra']}`" if each["extra"] else "none"
        cells = [str(each["packages"]), f"{each['megabytes']} MB", f"{each['seconds']:.1f} s"]
        rows.append([name, *cells])
    return markdown(["extra", "packages", "installed", "import of what it adds"], rows)


MAKERS: dict[str, Callable[[], str]] = {"extras_costs.md": costs}
