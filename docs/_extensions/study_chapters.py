"""Two chapters of the study, beside other people's methods: their tables and pictures."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from figures import BLUE, GREEN, GREY, ORANGE, STYLE, as_svg
from matplotlib.figure import Figure
from study_tables import found
from tables import markdown

if TYPE_CHECKING:
    from collections.abc import Callable

LEVEL, DELTA = 0.95, 0.1
MIDDLE, ELSEWHERE = 300, ", labels elsewhere"
DRAWN = 500  # outputs, of the picture of limits
PANELS = {
    "90% right, judge knows 85%": "10,000 simulated outputs, judge knows 85%",
    "90% right, judge knows 95%": "10,000 simulated outputs, judge knows 95%",
    "breast cancer, naive Bayes by logistic": "breast cancer, judged by a regression",
}
METHODS = {
    "labels": ("labels alone", GREY, "s"),
    "corrected": ("Lee et al.", ORANGE, "^"),
    "verdicts": ("PartialTruth, verdicts", GREEN, "D"),
    "aimed": ("PartialTruth, aimed", BLUE, "o"),
}
COLUMNS = (*list(METHODS)[:3], "probabilities", "aimed")
WAYS = {
    "stagewise": ("Trust or Escalate", ORANGE, "^"),
    "stagewise, passed": ("the same, passed tests only", GREY, "s"),
    "cascade": ("optimize_cascade", BLUE, "o"),
}

Cell = dict[str, dict[str, Any]]


def _cells(name: str, *keys: str) -> dict[tuple[Any, ...], Cell]:
    """The rows of each cell, by the last of the keys."""
    cells: dict[tuple[Any, ...], Cell] = {}
    *place, by = keys
    for row in found(name):
        cells.setdefault(tuple(row[key] for key in place), {})[row[by]] = row
    return cells


def _judges() -> dict[tuple[Any, ...], Cell]:
    return _cells("study_judges", "source", "n", "verified", "method")


def _bold(text: str, *, bold: bool) -> str:
    return f"**{text}**" if bold else text


def _width(row: dict[str, Any]) -> str:
    """The width in points, and the coverage: bold if two standard errors short of the level."""
    share = row["covered"] / row["samples"]
    short = share < LEVEL - 2.0 * math.sqrt(LEVEL * (1.0 - LEVEL) / row["samples"])
    return f"{100 * row['width']:.1f} ({_bold(f'{100 * share:.1f}', bold=short)})"


def judges() -> str:
    """Widths and coverage with 300 labels."""
    rows = [
        [source, f"{n:,}", *(_width(cell[name]) for name in COLUMNS),
         f"{cell['aimed']['width'] / cell['corrected']['width']:.2f}"]
        for (source, n, verified), cell in _judges().items()
        if verified == MIDDLE and not source.endswith(ELSEWHERE)
    ]  # fmt: skip
    head = ["labels alone", "Lee et al.", "verdicts", "probabilities", "aimed", "aimed / Lee et al."]
    return markdown(["source", "outputs", *head], rows)


def elsewhere() -> str:
    """What comes of labels of other outputs, in words."""
    parts = [
        f"{_width(cell['corrected'])} and {_width(cell['known rates'])} with a {judge}"
        for (source, *_), cell in _judges().items()
        if source.endswith(ELSEWHERE)
        for judge in [source.removesuffix(ELSEWHERE).partition(", ")[2].replace("knows", "who knows")]
    ]
    return f"Widths and coverage are {', and '.join(parts)}.\n"


def few() -> str:
    """How often intervals from 100 labels of the best simulated judge come with a warning, in words."""
    cell = _judges()["90% right, judge knows 95%", 10_000, 100]
    warned = 100 * cell["aimed"]["warned"] / cell["aimed"]["samples"]
    aimed, alone = (f"{100 * cell[name]['width']:.1f}" for name in ("aimed", "labels"))
    return (
        "With 100 labels and a judge who knows 95%, the labels contain few errors. Then "
        f"{warned:.0f}% of the aimed intervals come with a warning, and they are {aimed} points wide; "
        f"those of the labels alone are {alone} points wide.\n"
    )


def widths() -> str:
    """Median widths by the number of labels, a panel each source."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(4.6, 6.6), layout="constrained")
        axes = figure.subplots(len(PANELS), 1, sharex=True)
        for ax, (source, title) in zip(axes, PANELS.items(), strict=True):
            largest = max(key[1] for key in _judges() if key[0] == source)
            cells = {key[2]: cell for key, cell in _judges().items() if key[:2] == (source, largest)}
            for name, (label, colour, mark) in METHODS.items():
                points = [100 * cell[name]["width"] for cell in cells.values()]
                ax.plot(list(cells), points, mark, ls="-", color=colour, label=label, ms=5)
            ax.set_title(title, fontsize=10)
            ax.set_ylim(0, None)
            ax.set_ylabel("width, points")
            ax.set_xticks(list(cells))
        axes[-1].set_xlabel("labels")
        handles, labels = axes[-1].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False)
        return as_svg(figure)


def _escalating() -> dict[tuple[Any, ...], Cell]:
    return _cells("study_escalating", "data", "limit", "judges", "n", "way")


def _accepted(row: dict[str, Any]) -> str:
    """The share accepted, and how often the limit is exceeded: bold if two standard errors above δ."""
    share = row["exceeded"] / row["samples"]
    above = share > DELTA + 2.0 * math.sqrt(DELTA * (1.0 - DELTA) / row["samples"])
    return f"{100 * row['accepted']:.1f} ({_bold(f'{100 * share:.1f}', bold=above)})"


def _case(data: str, limit: float, judges: int) -> str:
    return f"{data.replace('_', ' ')}, {100 * limit:g}%, {judges} judge" + "s" * (judges > 1)


def limits() -> str:
    """Shares accepted and exceeded by each number of outputs and way."""
    rows, before = [], ""
    for (*case, n), cell in _escalating().items():
        name = _case(*case)
        shown = [_accepted(cell[way]) for way in WAYS]
        rows.append(["" if name == before else name, f"{n:,}", *shown])
        before = name
    return markdown(["", "outputs", *(title for title, *_ in WAYS.values())], rows)


def exceeded() -> str:
    """How often limits are exceeded, and what is accepted, from 500 outputs."""
    cells = {key[:-1]: cell for key, cell in _escalating().items() if key[-1] == DRAWN}
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(5.6, 5.8), layout="constrained")
        left, right = figure.subplots(1, 2, sharey=True)
        for k, (way, (title, colour, mark)) in enumerate(WAYS.items()):
            rows = {y + 0.2 * (k - 1): each[way] for y, each in enumerate(cells.values())}
            shares = [100 * row["exceeded"] / row["samples"] for row in rows.values()]
            left.plot(shares, list(rows), mark, color=colour, label=title, ms=5, clip_on=False)
            right.plot(
                [100 * row["accepted"] for row in rows.values()], list(rows), mark, color=colour, ms=5
            )
        left.axvline(100 * DELTA, color="black", ls="--", lw=1, zorder=0)
        left.set_yticks(range(len(cells)), [_case(*case) for case in cells])
        left.set_ylim(len(cells) - 0.5, -0.5)
        left.set_xlim(0, None)
        left.set_xlabel("limit exceeded, %")
        right.set_xlim(0, 102)
        right.set_xlabel("accepted, %")
        for ax in (left, right):
            ax.tick_params(axis="y", length=0)
            for y in range(1, len(cells)):
                ax.axhline(y - 0.5, color="0.85", lw=0.6, zorder=0)
        figure.legend(loc="outside lower center", ncols=2, frameon=False)
        return as_svg(figure)


MAKERS: dict[str, Callable[[], str]] = {
    "study_judges.md": judges,
    "study_judges_elsewhere.md": elsewhere,
    "study_judges_few.md": few,
    "study_judges.svg": widths,
    "study_escalating.md": limits,
    "study_escalating.svg": exceeded,
}
