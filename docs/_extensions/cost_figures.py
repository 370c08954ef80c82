"""The figures of the page on costs, as SVG."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from figures import BLUE, GREY, ORANGE, STYLE, as_svg, digits_sweeps
from matplotlib.figure import Figure

import fastarac as fa
from fastarac.displays import draw_curves

if TYPE_CHECKING:
    from collections.abc import Callable

COSTS = fa.VerificationCosts(verification=2, correction=5, error=200)
PEOPLE = fa.Reviewer(detection_rate=0.9, false_alarm_rate=0.005)


def spending() -> str:
    """What 1,000 outputs cost over the acceptance rate, with the cheapest point of each model."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(7.2, 3.8), layout="constrained")
        ax = figure.subplots()
        for (name, sweep), color in zip(
            digits_sweeps().items(), (BLUE, ORANGE, "#009E73", "#CC79A7"), strict=True
        ):
            point = fa.costs.optimal_operating_point(sweep, costs=COSTS)
            ax.plot(sweep.acceptance_rate, 1000 * COSTS.cost(sweep), color=color, label=name)
            ax.plot(
                [point.acceptance_rate], [1000 * COSTS.cost(point)], "o", color="white",
                markeredgecolor=color, markeredgewidth=1.5, clip_on=False, zorder=3,
            )  # fmt: skip
        ax.set(xlim=(0, 1), ylim=(0, 5000), xlabel="Acceptance rate", ylabel="Cost of 1,000 outputs")
        ax.legend(frameon=False, loc="lower left")
        return as_svg(figure)


def hull() -> str:
    """The ARAC curve, the corners of its hull, and the line of equal cost that touches it."""
    sweep = digits_sweeps()["knn-votes"]
    corners = fa.costs.arac_convex_hull(sweep)
    point = fa.costs.optimal_operating_point(sweep, costs=COSTS)
    slope = COSTS.gamma / COSTS.delta
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(6.4, 3.6), layout="constrained")
        ax = figure.subplots()
        curve = fa.arac_curve(sweep)
        ax.plot(*curve[:2], color=BLUE, marker=".", markersize=8, label="thresholds")
        ax.plot(
            *corners[:2], "o", color="white", markeredgecolor=ORANGE, markeredgewidth=1.5,
            markersize=8, linestyle="none", label="best for some prices",
        )  # fmt: skip
        x = np.array([0.6, 1.02])
        y = point.accuracy_after_correction - slope * (x - point.acceptance_rate)
        ax.plot(x, y, "--", color=GREY, linewidth=1, label="equal cost at these prices")
        ax.set(xlim=(0.64, 1.01), ylim=(0.976, 1.003))
        ax.set(xlabel="Acceptance rate", ylabel="Accuracy after correction")
        ax.legend(frameon=False, loc="lower left")
        return as_svg(figure)


def preferences() -> str:
    """The map of the models of the digits, with the prices of the page."""
    with mpl.rc_context({**STYLE, "axes.spines.top": True, "axes.spines.right": True}):
        figure = Figure(figsize=(6.4, 4.4), layout="constrained")
        ax = figure.subplots()
        fa.displays.PreferenceMapDisplay.from_models(
            digits_sweeps(),
            gammas=np.geomspace(0.002, 2, 150),
            deltas=np.geomspace(0.1, 1000, 150),
            ax=ax,
        )
        ax.plot([COSTS.gamma], [COSTS.delta], "x", color="black", markersize=8)
        return as_svg(figure)


def reviewers() -> str:
    """ARAC curves of one model with perfect people and with others."""
    sweep = digits_sweeps()["knn-votes"]
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(6.4, 3.6), layout="constrained")
        ax = figure.subplots()
        for people, label, color in (
            (None, "every error found", BLUE),
            (fa.Reviewer(0.9), "nine in ten found", ORANGE),
            (PEOPLE, "and 5 in 1,000 right ones spoiled", "#009E73"),
        ):
            curve = fa.arac_curve(sweep, reviewer=people)
            ax.plot(*curve[:2], color=color, label=label)
        ax.set(xlim=(0, 1), ylim=(0.976, 1.001))
        ax.set(xlabel="Acceptance rate", ylabel="Accuracy after correction")
        ax.legend(frameon=False, loc="lower left")
        return as_svg(figure)


def rejection() -> str:
    """Cost curves over the relative cost of rejecting."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(6.4, 3.8), layout="constrained")
        draw_curves(digits_sweeps(), display=fa.displays.RejectionCostDisplay, ax=figure.subplots())
        return as_svg(figure)


def three_axes() -> str:
    """Accuracy, rejection and normalised cost of two models."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(6.4, 5.2), layout="constrained")
        ax = figure.add_subplot(projection="3d")
        sweeps = {name: digits_sweeps()[name] for name in ("knn-votes", "logistic-pca5")}
        costs = fa.VerificationCosts(verification=1, correction=1, error=4)
        draw_curves(sweeps, display=fa.displays.AccuracyRejectionCostDisplay, ax=ax, costs=costs)
        return as_svg(figure)


MAKERS: dict[str, Callable[[], str]] = {
    "spending.svg": spending,
    "cost_hull.svg": hull,
    "preferences.svg": preferences,
    "reviewers.svg": reviewers,
    "rejection_costs.svg": rejection,
    "three_axes.svg": three_axes,
}
