"""The figures of the page on costs, as SVG."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from figures import BLUE, ORANGE, STYLE, as_svg, digits_sweeps
from matplotlib.figure import Figure

import fastarac as fa

if TYPE_CHECKING:
    from collections.abc import Callable

COSTS = fa.VerificationCosts(verification=2, correction=5, error=200)


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


MAKERS: dict[str, Callable[[], str]] = {
    "spending.svg": spending,
    "preferences.svg": preferences,
}
