"""Cost curves with a reject option."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fastarac.costs.rejection import accuracy_rejection_cost_curve, rejection_cost_curve
from fastarac.costs.verification import VerificationCosts, require_costs
from fastarac.displays._banded import BoundedDisplay
from fastarac.displays._base import SIDES, SMALLEST_RANGE, ItemDisplay, require_items
from fastarac.displays._style import WHOLE, FloatArray, draw_guide
from fastarac.displays.decimation import Range, decimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

    from fastarac.sweep import ThresholdSweep

GUIDES = {"reject everything": ":", "accept everything": "--"}
HEADROOM = 1.15  # axis height relative to the highest point of the curve
LABEL_PAD = 10  # distance in points between axis labels and tick labels of three-dimensional axes
ROOM_FOR_LABELS = 0.85  # zoom of three-dimensional axes; a zoom of 1 would cut off the labels


@dataclass(eq=False, repr=False)
class RejectionCostDisplay(BoundedDisplay):
    """Cost against the relative cost of rejecting, created by ``from_predictions`` or ``from_sweep``.

    Parameters
    ----------
    reject_cost, cost : array_like of shape (k,)
        Relative cost λ of rejecting, increasing from 0 to 1, and for each λ the lowest cost over all
        thresholds.
    error_rate : float, optional
        Error rate if everything is accepted; without it, the line "accept everything" is not drawn.
    name : str, optional
        The name of the model, for the legend.

    Attributes
    ----------
    guides_ : tuple of matplotlib Line2D
        The costs of rejecting everything and, if `error_rate` is known, of accepting everything; drawn
        unless ``plot_chance_level=False``.
    line_, chance_level_, ax_, figure_
        As in :class:`.ARACDisplay`; the chance level is the first line of `guides_`.

    See Also
    --------
    rejection_cost_curve : Computes the curve.

    Examples
    --------
    >>> import fastarac as fa
    >>> display = fa.displays.RejectionCostDisplay.from_predictions([1, 1, 0, 1], [0.9, 0.8, 0.7, 0.6])
    >>> float(display.line_.get_ydata().max().round(3))
    0.167
    >>> from matplotlib import pyplot as plt
    >>> plt.close(display.figure_)
    """

    reject_cost: FloatArray
    cost: FloatArray
    _: KW_ONLY
    error_rate: float | None = None

    guides_: tuple[Line2D, ...] = field(init=False)

    _arrays = ("reject_cost", "cost")
    _labels = ("Relative cost of rejecting", "Least cost")
    _plots_chance_level = True

    @classmethod
    def _of(cls, sweep: ThresholdSweep) -> Self:
        curve = rejection_cost_curve(sweep)
        return cls(curve.reject_cost, curve.cost, error_rate=sweep.n_incorrect / sweep.total)

    def _view(self) -> tuple[Range, Range]:
        return SIDES, (0.0, HEADROOM * max(float(self.cost.max()), SMALLEST_RANGE))

    def _chance_level(self) -> dict[str, tuple[FloatArray, ...]]:
        prices = {"reject everything": (0.0, 1.0)}
        if self.error_rate is not None:
            prices["accept everything"] = (self.error_rate, 0.0)
        return {name: (np.array(WHOLE), np.array(heights)) for name, heights in prices.items()}

    def _draw_chance_level(self, style: dict[str, Any]) -> None:
        self.guides_ = tuple(
            draw_guide(self.ax_, points, {"label": name, "linestyle": GUIDES[name]} | style)
            for name, points in self._chance_level().items()
        )
        self.chance_level_ = self.guides_[0]


@dataclass(eq=False, repr=False)
class AccuracyRejectionCostDisplay(ItemDisplay):
    """Accuracy and normalised cost over the rejection rate, as a curve in three dimensions.

    ``from_predictions`` and ``from_sweep`` create and draw it.

    Parameters
    ----------
    rejection_rate, accuracy, normalized_cost : array_like of shape (n,)
        Share of items that people check, in increasing or in decreasing order; share of correct items
        among the accepted ones; cost of errors and rejections, divided by the highest possible cost.
    name : str, optional
        The name of the model, for the legend.

    Attributes
    ----------
    line_, shadow_ : mpl_toolkits.mplot3d Line3D
        The curve, and below it the accuracy–rejection curve, on the floor of the axes. Of a long curve,
        only the vertices that make a visible difference are kept.
    chance_level_, ax_, figure_
        As in :class:`.ARACDisplay`; the axes have three dimensions.

    See Also
    --------
    accuracy_rejection_cost_curve : Computes the curve.

    Examples
    --------
    >>> import fastarac as fa
    >>> display = fa.displays.AccuracyRejectionCostDisplay.from_predictions(
    ...     [1, 1, 0, 1], [0.9, 0.8, 0.7, 0.6], costs=fa.VerificationCosts(1, 1, 4)
    ... )
    >>> display.ax_.get_zlabel()
    'Normalised cost'
    >>> from matplotlib import pyplot as plt
    >>> plt.close(display.figure_)
    """

    rejection_rate: FloatArray
    accuracy: FloatArray
    normalized_cost: FloatArray

    shadow_: Line2D = field(init=False)

    _arrays = ("rejection_rate", "accuracy", "normalized_cost")
    _labels = ("Rejection rate", "Accuracy of the accepted", "Normalised cost")
    _projection = "3d"

    @classmethod
    def from_sweep(
        cls,
        sweep: ThresholdSweep,
        *,
        name: str | None = None,
        ax: Axes | None = None,
        costs: VerificationCosts | None = None,
        **options: Any,
    ) -> Self:
        """Draw the curve of a threshold sweep.

        Parameters
        ----------
        sweep : ThresholdSweep
            The counts at every threshold.
        name : str, optional
            The name of the model, for the legend.
        ax : matplotlib Axes, optional
            The axes to draw on, which must have three dimensions; by default a new figure.
        costs : VerificationCosts
            The prices of an error and of a verification.
        **options
            Keywords of :meth:`.plot`; `ylim` is the range of the accuracy.

        Returns
        -------
        display : AccuracyRejectionCostDisplay
        """
        curve = accuracy_rejection_cost_curve(require_items(sweep, cls), costs=require_costs(costs))
        return cls(*curve[:3], name=name).plot(ax, **options)

    def _draw(self, label: dict[str, str], style: dict[str, Any], ylim: Any) -> None:
        """Draw the visible vertices of the curve, and its projection on the floor of the axes."""
        ax: Any = self.ax_
        rates = self.rejection_rate
        heights = self.accuracy, self.normalized_cost
        kept = np.unique(np.concatenate([decimate(rates, h) for h in heights]))
        x, y, z = rates[kept], *(height[kept] for height in heights)
        (self.line_,) = ax.plot(x, y, z, **label | style)
        floor = {"color": self.line_.get_color(), "linewidth": 0.9, "alpha": 0.5}
        (self.shadow_,) = ax.plot(x, y, np.zeros(len(z)), **floor)
        ax.set_xlim(*WHOLE)
        ax.set_zlim(0.0, None)
        if isinstance(ylim, tuple):
            ax.set_ylim(*ylim)
        ax.set_box_aspect(None, zoom=ROOM_FOR_LABELS)
        for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
            axis.labelpad = LABEL_PAD

    def _chance_level(self) -> dict[str, tuple[FloatArray, ...]]:
        """Return the line for accepting at random: its cost is linear and its accuracy constant."""
        order = np.argsort(self.rejection_rate)[[0, -1]]
        accuracy = np.full(2, self.accuracy[order[0]])
        return {"Chance level": (self.rejection_rate[order], accuracy, self.normalized_cost[order])}
