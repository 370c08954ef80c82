"""What the simulation of little truth found: widths by the number verified and the judge, coverage."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import matplotlib as mpl
from figures import BLUE, GREEN, GREY, ORANGE, STYLE, as_svg
from matplotlib.figure import Figure
from tables import markdown

if TYPE_CHECKING:
    from collections.abc import Callable

DATA = Path(__file__).parents[1] / "_data" / "partial_truth.json"
# by python -m bench.simulations.partial_truth
N, RATE = 10_000, 0.02
JUDGES = {
    "none": ("no judge", GREY, "o"),
    "useless": ("useless judge", ORANGE, "s"),
    "blind": ("judge blind to half of the errors", BLUE, "^"),
    "good": ("good judge", GREEN, "D"),
}
NAMES = {
    "recognition_rate": "recognition rate",
    "X(1 %)": "accepted at 1 % errors",
    "arac_auc": "ARAC-AUC",
    "roc_auc": "ROC-AUC",
}
OTHERS = {
    "recognition_rate": "recognition rate",
    "risk at 0.9": "risk at 0.9",
    "X(1 %)": "X at 1 % errors",
    "X(half the risk)": "X at half the risk",
    "arac_auc": "ARAC-AUC",
    "normalized_arp_auc": "normalised ARP-AUC",
    "roc_auc": "ROC-AUC",
    "average_precision": "average precision",
}
LEAST, SURELY, WARNED = 0.93, 2.326, 0.9  # one-sided 99 %


class Found(NamedTuple):
    """Of one statistic of one cell, see `Tally` of the simulation."""

    samples: int
    undefined: int
    warned: int
    hits: int
    hits_warned: int
    above: int
    width: float
    width_unwarned: float

    @property
    def share(self) -> float:
        return self.hits / max(self.samples - self.undefined, 1)

    @property
    def short(self) -> bool:
        defined = max(self.samples - self.undefined, 1)
        least = LEAST - SURELY * math.sqrt(LEAST * (1.0 - LEAST) / defined)
        return self.share < least and self.warned < WARNED * self.samples


def rows_of(kind: str) -> list[dict[str, Any]]:
    rows = json.loads(DATA.read_text(encoding="utf-8"))
    for row in rows:
        row["found"] = {name: Found(*values) for name, values in row["found"].items()}
    return [row for row in rows if row["kind"] == kind]


def intervals(**wanted: Any) -> list[dict[str, Any]]:
    """Cells of intervals with these values."""
    return [
        row for row in rows_of("intervals") if all(row[name] == value for name, value in wanted.items())
    ]


def widths_figure() -> str:
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(7.2, 3.6), layout="constrained")
        axes = figure.subplots(1, 2)
        for ax, name in zip(axes, ("recognition_rate", "X(1 %)"), strict=True):
            for judge, (label, colour, marker) in JUDGES.items():
                cells = intervals(n=N, error_rate=RATE, draw="aimed", judge=judge)
                points = sorted((row["verified"], row["found"][name].width) for row in cells)
                ax.plot(*zip(*points, strict=True), marker=marker, color=colour, label=label, ms=5)
            ax.set_xscale("log")
            ax.set_yscale("log")
            ax.set_xticks((200, 500, 1000, 2000, 5000), ("200", "500", "1,000", "2,000", "5,000"))
            ax.minorticks_off()
            ticks = (0.005, 0.01, 0.02, 0.05) if name == "recognition_rate" else (0.1, 0.2, 0.5, 1.0)
            ax.set_yticks(ticks, [f"{100 * tick:g} %" for tick in ticks])
            ax.grid(visible=True, color="0.9")
            ax.set_title(NAMES[name], fontsize=10)
            ax.set_xlabel("verified of 10,000")
        axes[0].set_ylabel("mean width of the 95 % interval")
        figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
        return as_svg(figure)


def points_of(width: float) -> str:
    """A width in percentage points."""
    return f"{100 * width:.2g}" if width < 0.0995 else f"{100 * width:.0f}"


def widths_table(draw: str = "aimed") -> str:
    """Verified and judges down, statistics across."""
    lines = []
    for row in sorted(
        intervals(n=N, error_rate=RATE, draw=draw),
        key=lambda r: (r["verified"], list(JUDGES).index(r["judge"]) if r["judge"] in JUDGES else 9),
    ):
        if row["judge"] not in JUDGES:
            continue
        cells = [
            with_warnings(row["found"][name], points_of(row["found"][name].width)) for name in NAMES
        ]
        lines.append([f"{row['verified']:,}", JUDGES[row["judge"]][0], *cells])
    return markdown(["verified", "judge", *NAMES.values()], lines)


def with_warnings(found: Found, text: str) -> str:
    warned = 100 * found.warned / found.samples
    return f"{text} ⚠{warned:.0f}" if warned >= 5 else text


def ratios_table() -> str:
    """Widths with an informative judge, over those without, of the same draw."""
    lines = []
    for row in intervals(judge="good") + intervals(judge="flags"):
        without = intervals(
            judge="none", **{k: row[k] for k in ("n", "verified", "error_rate", "draw")}
        )
        if not without:
            continue
        cells = [
            f"{row['found'][name].width / without[0]['found'][name].width:.2f}"
            if without[0]["found"][name].width
            else "–"
            for name in NAMES
        ]
        where = [row["judge"], f"{row['verified']:,} of {row['n']:,}"]
        lines.append([*where, f"{100 * row['error_rate']:g} %", row["draw"], *cells])
    return markdown(["judge", "verified", "errors", "draw", *NAMES.values()], lines)


def coverage_table(draw: str) -> str:
    """Cells down, statistics across: how many intervals contain the value, and how many warn."""
    lines = []
    for row in intervals(draw=draw):
        cells = []
        for name in OTHERS:
            found = row["found"][name]
            text = f"{100 * found.share:.0f}"
            cells.append(with_warnings(found, f"**{text}**" if found.short else text))
        where = [row["judge"], f"{row['verified']:,} of {row['n']:,}", f"{100 * row['error_rate']:g} %"]
        lines.append([*where, *cells])
    return markdown(["judge", "verified", "errors", *OTHERS.values()], lines)


def short_table() -> str:
    """Cells below 93 % in which fewer than 90 % of the samples warn; all statistics."""
    lines = []
    for row in intervals() + rows_of("parts"):
        for name, found in row["found"].items():
            if not found.short:
                continue
            silent = found.samples - found.warned
            without = (found.hits - found.hits_warned) / silent if silent else math.nan
            where = [row["judge"], row["draw"], f"{row['verified']:,} of {row['n']:,}"]
            shares = [f"{100 * x:.1f} %" for x in (found.share, without, found.warned / found.samples)]
            lines.append([*where, f"{100 * row['error_rate']:g} %", name.replace("_", " "), *shares])
    if not lines:
        return "No cell does.\n"
    header = [
        "judge",
        "draw",
        "verified",
        "errors",
        "statistic",
        "covered",
        "without warning",
        "warned",
    ]
    return markdown(header, lines)


def comparisons_table() -> str:
    """Of samples without a difference, those in which one is found."""
    lines = []
    for row in rows_of("comparison"):
        cells = [with_warnings(found, f"{100 * found.share:.1f} %") for found in row["found"].values()]
        where = [row["judge"], row["draw"], f"{row['verified']:,}", f"{100 * row['error_rate']:g} %"]
        lines.append([*where, *cells])
    first = next(iter(rows_of("comparison")), {"found": {}})
    names = [name.replace("_", " ") for name in first["found"]]
    return markdown(["judge", "draw", "verified", "errors", *names], lines)


def guarantees_table() -> str:
    """How often the limit is exceeded, and how much is accepted of what the limit allows."""
    lines = []
    for row in rows_of("guarantee"):
        found = row["found"]["error rate"]
        shares = [f"{100 * found.share:.1f} %", f"{found.width:.2f}", f"{found.samples:,}"]
        lines.append([row["judge"], row["draw"], *shares])
    return markdown(["judge", "draw", "exceeded", "accepted of what is allowed", "samples"], lines)


MAKERS: dict[str, Callable[[], str]] = {
    "truth_widths.svg": widths_figure,
    "truth_widths.md": widths_table,
    "truth_ratios.md": ratios_table,
    "truth_coverage_aimed.md": lambda: coverage_table("aimed"),
    "truth_coverage_uniform.md": lambda: coverage_table("uniform"),
    "truth_coverage_pages.md": lambda: coverage_table("pages"),
    "truth_short.md": short_table,
    "truth_comparisons.md": comparisons_table,
    "truth_guarantees.md": guarantees_table,
}
