"""The figures of Suzuki 2003, as SVG. The source's curves are sketches; these are too, with counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from figures import BLUE, GREEN, GREY, ORANGE, STYLE, as_svg
from matplotlib.figure import Figure

import fastarac as fa
from fastarac.displays import draw_curves

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes

RATES = {  # per cent: false and true positives down to each threshold
    "A": ([2, 5, 10, 20, 40, 60, 80, 100], [30, 48, 60, 67, 76, 85, 93, 100]),
    "B": ([4, 10, 20, 35, 55, 75, 100], [15, 33, 54, 70, 82, 90, 100]),
    "C": ([8, 15, 22, 30, 45, 60, 100], [20, 45, 68, 84, 93, 99, 100]),
    "D": ([10, 20, 35, 50, 70, 85, 100], [12, 28, 48, 64, 80, 90, 100]),
}
SOLID = ([30, 100], [70, 100])
DOTTED = ([12, 50, 100], [50, 88, 100])
SLOPES = {"d": 10.0, "e": 0.1}  # of the article's iso-performance lines
CORNER = (-0.02, 1.02)
DOT = {"marker": "o", "linestyle": "none", "color": "white", "markersize": 8}


def sweep(fpr: list[int], tpr: list[int]) -> fa.ThresholdSweep:
    """A classifier with these rates, tested on a hundred items of each class."""
    falling = np.arange(len(fpr))[::-1] / len(fpr)
    return fa.ThresholdSweep.from_counts(falling, np.diff(tpr, prepend=0), np.diff(fpr, prepend=0))


def sweeps() -> dict[str, fa.ThresholdSweep]:
    return {name: sweep(*rates) for name, rates in RATES.items()}


def roc_axes(ax: Axes) -> None:
    ax.set(xlim=CORNER, ylim=CORNER, aspect="equal")
    ax.set(xlabel="False positive rate FP", ylabel="True positive rate TP")


def name_point(ax: Axes, place: tuple[float, float], text: str, offset: tuple[int, int]) -> None:
    ax.annotate(text, place, xytext=offset, textcoords="offset points", fontsize=12)


def roc_curves() -> str:
    """Figure 1."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(5.2, 5), layout="constrained")
        ax = figure.subplots()
        draw_curves(sweeps(), display=fa.displays.RocCurveDisplay, ax=ax, plot_chance_level=True)
        roc_axes(ax)
        return as_svg(figure)


def hull() -> str:
    """Figure 2."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(5.2, 5), layout="constrained")
        ax = figure.subplots()
        for name, display in draw_curves(sweeps(), display=fa.displays.RocCurveDisplay, ax=ax).items():
            display.line_.set(linewidth=1.2, label=name)
        corners = fa.costs.roc_convex_hull(sweeps())
        fa.displays.ROCHullDisplay(corners).plot(
            ax,
            slopes=list(SLOPES.values()),
            curve_kwargs={"color": "k", "linestyle": ":", "linewidth": 3.5, "label": "ROC convex hull"},
        )
        for name, slope in SLOPES.items():
            best = corners.best(slope)
            name_point(ax, (best.fpr, best.tpr), name, (9, -14))
        roc_axes(ax)
        ax.legend(frameon=False, loc="lower right")
        return as_svg(figure)


def envelope() -> str:
    """Figure 3."""
    classifier = sweeps()["A"]
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(6, 4.4), layout="constrained")
        ax = figure.subplots()
        for fpr, tpr in zip(classifier.false_positive_rate, classifier.recall, strict=True):
            ax.plot([0, 1], [fpr, 1 - tpr], color=GREY, linewidth=0.9)
        display = fa.displays.CostCurveDisplay.from_sweep(
            classifier,
            ax=ax,
            plot_chance_level=False,
            curve_kwargs={"color": BLUE, "linewidth": 3, "label": "lower envelope"},
        )
        display.ax_.set(ylim=CORNER)
        ax.legend(frameon=True, loc="upper center")
        return as_svg(figure)


def duality() -> str:
    """Figure 4."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(10, 4.4), layout="constrained")
        roc, cost = figure.subplots(1, 2)
        styles = (("solid", SOLID, BLUE, "-"), ("dotted", DOTTED, ORANGE, ":"))
        for name, rates, color, line in styles:
            style = {"color": color, "linestyle": line, "linewidth": 2, "label": name}
            fa.displays.RocCurveDisplay.from_sweep(sweep(*rates), ax=roc, curve_kwargs=style)
            fa.displays.CostCurveDisplay.from_sweep(sweep(*rates), ax=cost, curve_kwargs=style)
        roc.plot([0.3], [0.7], markeredgecolor=BLUE, markeredgewidth=1.5, **DOT)
        name_point(roc, (0.3, 0.7), "B", (8, -14))
        name_point(cost, (0.5, 0.3), "B", (-4, 8))
        for p in (0.3, 0.7):
            cost.plot([p, p], [0, 0.3], color=GREY, linewidth=0.8, linestyle=(0, (4, 3)))
        roc_axes(roc)
        roc.legend(frameon=False, loc="lower right")
        cost.set_xticks([0, 0.3, 0.5, 0.7, 1])
        return as_svg(figure)


def extremes() -> str:
    """Figure 5."""
    lines = {
        "always wrong": ((1, 1), ORANGE, "-"),
        "always positive": ((1, 0), GREEN, "--"),
        "always negative": ((0, 1), BLUE, "--"),
        "always right": ((0, 0), "k", "-"),
    }
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(6.6, 4.2), layout="constrained")
        ax = figure.subplots()
        ax.fill_between([0, 0.5, 1], [0, 0.5, 0], color=GREY, alpha=0.18, linewidth=0)
        for name, (heights, color, line) in lines.items():
            ax.plot(
                [0, 1], heights, color=color, linestyle=line, linewidth=2, label=name, clip_on=False
            )
        ax.set(xlim=(0, 1), ylim=(0, 1), ylabel="Normalised expected cost")
        ax.set_xlabel("Probability cost function PCF(+)")
        figure.legend(frameon=False, loc="outside right center")
        return as_svg(figure)


MAKERS: dict[str, Callable[[], str]] = {
    "suzuki_figure_1.svg": roc_curves,
    "suzuki_figure_2.svg": hull,
    "suzuki_figure_3.svg": envelope,
    "suzuki_figure_4.svg": duality,
    "suzuki_figure_5.svg": extremes,
}
