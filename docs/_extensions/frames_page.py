"""What frames cost as rows grow: a picture and a table of what was measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from figures import BLUE, GREEN, GREY, ORANGE, STYLE, as_svg
from matplotlib.figure import Figure
from tables import markdown

if TYPE_CHECKING:
    from collections.abc import Callable

MEASURED = Path(__file__).parents[1] / "_data" / "frames.json"  # by python -m bench.frames
WAYS = {
    "count": ("count(*), both columns read", GREY),
    "sort": ("one global sort", "black"),
    "counts": ("counts, 10⁴ distinct confidences", GREEN),
    "bounds": ('method="bounds"', BLUE),
    "exact": ('method="exact"', ORANGE),
}
NAMES = {"duckdb": "DuckDB", "spark": "Spark"}
WHOSE = {"duckdb": "the process", "spark": "all processes"}


def measured(engine: str) -> dict[str, list[dict[str, Any]]]:
    """The rows of each way, by rising numbers of items."""
    rows = json.loads(MEASURED.read_text(encoding="utf-8"))["measured"]
    return {way: [row for row in rows if (row["engine"], row["way"]) == (engine, way)] for way in WAYS}


def picture(engine: str) -> str:
    """Time and memory over the number of rows."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(8, 3.6), layout="constrained")
        seconds, memory = figure.subplots(1, 2)
        for way, rows in measured(engine).items():
            label, color = WAYS[way]
            n = [row["rows"] for row in rows]
            seconds.loglog(n, [row["seconds"] for row in rows], "o-", color=color, label=label)
            memory.semilogx(n, [row["peak_bytes"] / 2**30 for row in rows], "o-", color=color)
        seconds.set(xlabel="rows", ylabel="seconds")
        seconds.legend(frameon=False, fontsize=8)
        memory.set(xlabel="rows", ylabel=f"peak memory of {WHOSE[engine]}, GiB", ylim=(0, None))
        return as_svg(figure)


def table(engine: str) -> str:
    """Rows down, ways across: seconds, and times those of the count and of the sort."""
    found = {way: {row["rows"]: row for row in rows} for way, rows in measured(engine).items()}
    lines = []
    for n in sorted(found["count"]):
        line = [f"{n:,}"]
        for way, rows in found.items():
            if n not in rows:
                line.append("")
                continue
            taken = rows[n]["seconds"]
            cell = f"{taken:,.1f} s" if taken >= 0.95 else f"{taken:.2f} s"
            if way not in ("count", "sort"):
                ratios = [f"{taken / found['count'][n]['seconds']:,.1f}"]
                ratios += [f"{taken / found['sort'][n]['seconds']:.1f}"] if n in found["sort"] else []
                cell += f" ({', '.join(ratios)})"
            line.append(cell)
        peaks = [rows[n]["peak_bytes"] for rows in found.values() if n in rows]
        lines.append([*line, f"{max(peaks) / 2**20:,.0f} MiB"])
    names = [f"`{label}`" if label.startswith("method") else label for label, _ in WAYS.values()]
    return markdown(["rows", *names, "peak memory, at most"], lines)


def machine() -> str:
    """What it was measured on."""
    facts = json.loads(MEASURED.read_text(encoding="utf-8"))["machine"]
    loads = " and ".join(f"{load:.0f} with {NAMES[e]}" for e, load in facts["load"].items())
    return (
        f"DuckDB {facts['duckdb']} with a memory limit of {facts['memory_limit']}, and Spark "
        f"{facts['pyspark']} in local mode with as much for its driver, on {facts['processors']} "
        f"processors ({facts['processor']}); the load at the end was {loads}, of "
        "which some is other work.\n"
    )


MAKERS: dict[str, Callable[[], str]] = {
    "frames.svg": lambda: picture("duckdb"),
    "frames_spark.svg": lambda: picture("spark"),
    "frames_duckdb.md": lambda: table("duckdb"),
    "frames_spark.md": lambda: table("spark"),
    "frames_machine.md": machine,
}
