"""The page of benchmarks: a picture and a table of what `python -m bench` measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from figures import BLUE, GREY, ORANGE, STYLE, as_svg
from matplotlib.figure import Figure
from tables import markdown

if TYPE_CHECKING:
    from collections.abc import Callable

DATA = Path(__file__).parents[1] / "_data" / "benchmarks.json"  # by python -m bench --record FILE
COLORS = {"fastarac": BLUE, "np.sort": GREY, "scikit-learn": ORANGE, "scipy": "#009E73"}
OTHERS = ("#CC79A7", "#56B4E9", "#F0E442", "#882255")
SHOWN = (
    "arac_auc_score, float64",
    "arac_auc_score, 1 % errors",
    "arac_auc_score, weighted",
    "arac_curve",
    "evaluate",
    "arac_auc_score, 101 distinct",
)


def read() -> Any:
    return json.loads(DATA.read_text(encoding="utf-8"))


def times() -> str:
    """Time per item over the number of items, a part for each work."""
    data = read()
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(8, 5.4), layout="constrained")
        parts = figure.subplots(2, 3, sharex=True, sharey=True)
        others = iter(OTHERS)
        colors = dict(COLORS)
        for ax, name in zip(parts.flat, SHOWN, strict=True):
            cells = sorted(
                (cell for cell in data["cells"] if cell["work"] == name), key=lambda c: c["n"]
            )
            for who in dict.fromkeys(who for cell in cells for who in cell["seconds"]):
                if who not in colors:
                    colors[who] = next(others)
                points = [(c["n"], c["seconds"][who]) for c in cells if who in c["seconds"]]
                n, seconds = zip(*points, strict=True)
                per_item = [1e9 * s / k for s, k in zip(seconds, n, strict=True)]
                ax.plot(n, per_item, marker="o", markersize=3, color=colors[who], label=who)
            ax.set(xscale="log", yscale="log", title=name)
        for ax in parts[-1]:
            ax.set_xlabel("Items")
        for ax in parts[:, 0]:
            ax.set_ylabel("Nanoseconds an item")
        handles = {line.get_label(): line for ax in parts.flat for line in ax.get_lines()}
        figure.legend(handles.values(), handles, loc="outside lower center", ncols=4, frameon=False)
        return as_svg(figure)


def facts() -> str:
    """Machine and versions."""
    return "".join(f"- {name}: {fact}\n" for name, fact in read()["facts"].items())


def targets() -> str:
    """Every target beside what was measured."""
    rows = [
        [row["work"], f"{row['n']:,}", row["measure"], row["found"], row["limit"], row["met"]]
        for row in read()["targets"]
    ]
    return markdown(["work", "items", "measure", "found", "at most", "met"], rows)


def processes() -> str:
    """Whole processes: from the start of Python to the first result, and commands on files."""
    rows = [
        [row["what"], row["found"], row["limit"], row["met"]] for row in read().get("processes", ())
    ]
    return _table_or_none(["what", "time", "at most", "met"], rows)


def memory() -> str:
    """Peak memory of an area over its inputs."""
    rows = [
        [row["name"], row["n"], row["extra"], row["found"], row["limit"], row["met"]]
        for row in read().get("memory", ())
    ]
    return _table_or_none(["area by", "items", "extra", "÷ confidences", "at most", "met"], rows)


def _table_or_none(header: list[str], rows: list[list[str]]) -> str:
    return markdown(header, rows) if rows else "Not measured in this run.\n"


MAKERS: dict[str, Callable[[], str]] = {
    "benchmarks.svg": times,
    "benchmark_facts.md": facts,
    "benchmark_targets.md": targets,
    "benchmark_processes.md": processes,
    "benchmark_memory.md": memory,
}
