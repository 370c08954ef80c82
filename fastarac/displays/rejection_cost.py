"""Cost curves with a reject option: over the relative cost of rejecting, and in three dimensions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fastarac.costs.rejection import accuracy_rejection_cost_curve, rejection_cost_curve
from fastarac.displays._base import (
    MARGIN,
    WHOLE,
    ItemDisplay,
    add_legend,
    axes_or_new,
    canonical,
    draw_line,
    legend_label,
)
from fastarac.displays._decimation import decimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from numpy.typing import ArrayLike

    from fastarac.costs.verification import VerificationCosts
    from fastarac.sweep import ThresholdSweep

GUIDE: dict[str, Any] = {"color": "0.45", "linewidth": 0.9, "zorder": 1}
GUIDES = {"reject everything": ":", "accept everything": "--"}
HEADROOM = 1.15  # of the highest curve


class RejectionCostDisplay(ItemDisplay):
    """Cost curve visualization, over the relative cost of rejecting.

    Make it with ``from_predictions`` or ``from_sweep``, which draw it as well.

    Parameters
    ----------
    reject_cost : array_like of shape (k,)
        λ, from 0 to 1, rising.
    cost : array_like of shape (k,)
        The least cost of all thresholds.
    error_rate : float, optional
        1 − β, the error rate where everything is accepted; for the line of that.
    name : str, optional
        The name of the model, for the legend.

    Attributes
    ----------
    line_ : matplotlib Line2D
        The curve.
    guides_ : tuple of matplotlib Line2D
        What it costs to reject everything, and to accept everything where `error_rate` is known.
    ax_ : matplotlib Axes
        The axes with the curve.
    figure_ : matplotlib Figure
        The figure with the axes.

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

    def __init__(
        self,
        reject_cost: ArrayLike,
        cost: ArrayLike,
        *,
        error_rate: float | None = None,
        name: str | None = None,
    ) -> None:
        self.reject_cost = np.asarray(reject_cost, np.float64)
        self.cost = np.asarray(cost, np.float64)
        self.error_rate = error_rate
        self.name = name

    @classmethod
    def _of(cls, sweep: ThresholdSweep, name: str | None) -> Self:
        curve = rejection_cost_curve(sweep)
        error_rate = sweep.n_incorrect / sweep.total
        return cls(curve.reject_cost, curve.cost, error_rate=error_rate, name=name)

    def _draw(self, name: str | None, kwargs: dict[str, Any]) -> None:
        top = HEADROOM * max(float(self.cost.max()), 1e-4)
        if self.ax_.has_data():
            top = max(top, self.ax_.get_ylim()[1])
        style = legend_label(name, "", None) | kwargs
        self.line_ = draw_line(self.ax_, self.reject_cost, self.cost, style, WHOLE, (0.0, top))
        heights = {"reject everything": (0.0, 1.0)}
        if self.error_rate is not None:
            heights["accept everything"] = (self.error_rate, 0.0)
        self.guides_ = tuple(self._guide(label, ends, GUIDES[label]) for label, ends in heights.items())
        self.ax_.set(
            xlabel="Relative cost of rejecting",
            ylabel="Least cost",
            xlim=(-MARGIN / 2, 1 + MARGIN / 2),
            ylim=(0.0, top),
        )
        self._add_legend()

    def _guide(self, label: str, heights: tuple[float, float], dashes: str) -> Line2D:
        """Draw a straight line, once for all models in the axes, and name it once."""
        alike = [line for line in self.ax_.lines if line.get_label() in (label, f"_{label}")]
        for line in alike:
            if np.array_equal(line.get_ydata(), heights):
                return line
        name = f"_{label}" if alike else label
        (line,) = self.ax_.plot(WHOLE, heights, linestyle=dashes, label=name, **GUIDE)
        return line

    def _add_legend(self) -> None:
        """Name the models first, and then the straight lines."""
        handles = list(zip(*self.ax_.get_legend_handles_labels(), strict=True))
        handles.sort(key=lambda handle: handle[1] in GUIDES)
        self.ax_.legend(*zip(*handles, strict=True), loc="best")


class AccuracyRejectionCostDisplay(ItemDisplay):
    """Visualization of accuracy and normalised cost over the rejection rate, in three dimensions.

    Make it with ``from_predictions`` or ``from_sweep``, which draw it as well and take `costs`.

    Parameters
    ----------
    rejection_rate : array_like of shape (n,)
        1 − X, the share that people look at, rising or falling.
    accuracy : array_like of shape (n,)
        Share of correct ones among the accepted.
    normalized_cost : array_like of shape (n,)
        What errors and rejections cost, over what they cost at most.
    name : str, optional
        The name of the model, for the legend.

    Attributes
    ----------
    line_ : mpl_toolkits.mplot3d Line3D
        The curve. Of a long curve, it has the vertices that make a visible difference.
    shadow_ : mpl_toolkits.mplot3d Line3D
        The accuracy–rejection curve below it, on the floor.
    ax_ : matplotlib Axes
        The axes with the curve, three-dimensional ones.
    figure_ : matplotlib Figure
        The figure with the axes.

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

    def __init__(
        self,
        rejection_rate: ArrayLike,
        accuracy: ArrayLike,
        normalized_cost: ArrayLike,
        *,
        name: str | None = None,
    ) -> None:
        self.rejection_rate = np.asarray(rejection_rate, np.float64)
        self.accuracy = np.asarray(accuracy, np.float64)
        self.normalized_cost = np.asarray(normalized_cost, np.float64)
        self.name = name

    @classmethod
    def from_sweep(
        cls,
        sweep: ThresholdSweep,
        *,
        costs: VerificationCosts | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the curve of a threshold sweep.

        Parameters
        ----------
        sweep : ThresholdSweep
            The counts at every threshold.
        costs : VerificationCosts
            The prices of an error and of a verification.
        name : str, optional
            The name of the model, for the legend.
        ax : matplotlib Axes, optional
            Where to draw, with three dimensions; a new figure if left out.
        **kwargs : dict
            What :meth:`.plot` takes by keyword.

        Returns
        -------
        display : AccuracyRejectionCostDisplay
            The display, drawn.
        """
        curve = accuracy_rejection_cost_curve(sweep, costs=costs)
        return cls(*curve[:3], name=name).plot(ax, **kwargs)

    def plot(self, ax: Axes | None = None, *, name: str | None = None, **kwargs: Any) -> Self:
        """Draw the curve, and its shadow on the floor.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw, with three dimensions; a new figure if left out.
        name : str, optional
            The name of the model, for the legend, instead of the display's own.
        **kwargs : dict
            Passed on to matplotlib's ``plot``, for the curve.

        Returns
        -------
        display : AccuracyRejectionCostDisplay
            The display itself.
        """
        if ax is None:
            ax = axes_or_new(None, "3d")
        elif ax.name != "3d":
            message = f"ax has the projection {ax.name!r}; '3d' is expected"
            raise ValueError(message)
        return super().plot(ax, name=name, **kwargs)

    def _draw(self, name: str | None, kwargs: dict[str, Any]) -> None:
        ax: Any = self.ax_
        x, y, z = self._vertices()
        style = legend_label(name, "", None) | canonical(kwargs)
        (self.line_,) = ax.plot(x, y, z, **style)
        floor = {"color": self.line_.get_color(), "linewidth": 0.9, "alpha": 0.5}
        (self.shadow_,) = ax.plot(x, y, np.zeros(len(z)), **floor)
        ax.set(
            xlabel="Rejection rate", ylabel="Accuracy of the accepted", zlabel="Normalised cost",
            xlim=WHOLE,
        )  # fmt: skip
        ax.set_zlim(0.0, None)
        add_legend(ax, self.line_)

    def _vertices(self) -> tuple[Any, Any, Any]:
        """The vertices that either height needs: the curve is within half a pixel from all sides."""
        heights = self.accuracy, self.normalized_cost
        kept = np.unique(np.concatenate([decimate(self.rejection_rate, h) for h in heights]))
        return self.rejection_rate[kept], *(height[kept] for height in heights)
