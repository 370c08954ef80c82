"""The mean of the curves of several folds, with a band as wide as they differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fastarac.displays._base import (
    MARGIN,
    WHOLE,
    add_legend,
    axes_or_new,
    draw_line,
    fit_height,
    legend_label,
)
from fastarac.measures.folds import AverageCurve, average_curves

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D
    from numpy.typing import ArrayLike

    from fastarac.sweep import ThresholdSweep

POINTS = 1001  # of the grid where none is given
BAND_OPACITY = 0.2
LABELS = {
    "arac": "Accuracy after correction",
    "generalized_rc": "Error rate",
    "arp": "Precision",
    "rc": "Risk",
}


class AverageCurveDisplay:
    """Visualization of the mean curve of several folds, and of their standard deviation.

    Make it with ``from_sweeps``, which draws it as well.

    Parameters
    ----------
    average : AverageCurve
        What :func:`.average_curves` has computed.
    name : str, optional
        The name of the model, for the legend.
    curve : {"arac", "generalized_rc", "arp", "rc"}
        Which curve it is, for the name of the vertical axis.

    Attributes
    ----------
    line_ : matplotlib Line2D
        The mean curve.
    band_ : matplotlib PolyCollection or None
        One standard deviation on either side of it, within [0, 1]; None for a single fold.
    folds_ : list of matplotlib Line2D
        The curves of the folds, where they are drawn.
    ax_ : matplotlib Axes
        The axes with the curve.
    figure_ : matplotlib Figure
        The figure with the axes.

    See Also
    --------
    average_curves : Computes mean and standard deviation.

    Examples
    --------
    >>> import fastarac as fa
    >>> folds = [
    ...     fa.threshold_sweep([1, 1, 0, 1], [0.9, 0.8, 0.4, 0.6]),
    ...     fa.threshold_sweep([1, 0, 1, 0], [0.9, 0.7, 0.6, 0.3]),
    ... ]
    >>> display = fa.displays.AverageCurveDisplay.from_sweeps(folds, name="model")
    >>> display.line_.get_label()
    'model (mean of 2 folds)'
    >>> from matplotlib import pyplot as plt
    >>> plt.close(display.figure_)
    """

    line_: Line2D
    band_: PolyCollection | None
    folds_: list[Line2D]
    ax_: Axes
    figure_: Figure | SubFigure

    def __init__(self, average: AverageCurve, *, name: str | None = None, curve: str = "arac") -> None:
        self.average = average
        self.name = name
        self.curve = curve

    @classmethod
    def from_sweeps(
        cls,
        sweeps: Iterable[ThresholdSweep],
        grid: ArrayLike | None = None,
        *,
        along: str = "acceptance",
        curve: str = "arac",
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the mean curve of several folds.

        Parameters
        ----------
        sweeps : iterable of ThresholdSweep
            One for each fold.
        grid : array_like of shape (g,), optional
            Acceptance rates or thresholds; where it is left out, 1001 acceptance rates, or the
            thresholds of all folds.
        along : {"acceptance", "threshold"}
            As for :func:`.average_curves`.
        curve : {"arac", "generalized_rc", "arp", "rc"}
            As for :func:`.average_curves`.
        name : str, optional
            The name of the model, for the legend.
        ax : matplotlib Axes, optional
            Where to draw; a new figure if left out.
        **kwargs : dict
            What :meth:`.plot` takes by keyword.

        Returns
        -------
        display : AverageCurveDisplay
            The display, drawn.
        """
        folds = list(sweeps)
        if grid is None:
            grid = np.linspace(0, 1, POINTS)
            if along == "threshold":
                grid = np.unique(np.concatenate([fold.thresholds for fold in folds]))[::-1]
        average = average_curves(folds, grid, along, curve)
        return cls(average, name=name, curve=curve).plot(ax, **kwargs)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        plot_folds: bool = False,
        **kwargs: Any,
    ) -> Self:
        """Draw the mean curve and its band.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if left out.
        name : str, optional
            The name of the model, for the legend, instead of the display's own.
        plot_folds : bool, default=False
            Whether to draw the curve of each fold as well, at the mean acceptance rates.
        **kwargs : dict
            Passed on to matplotlib's ``plot`` for the mean curve.

        Returns
        -------
        display : AverageCurveDisplay
            The display itself.
        """
        self.ax_ = axes_or_new(ax)
        self.figure_ = self.ax_.figure
        average = self.average
        x, n = average.acceptance_rate, len(average.values)
        low = np.clip(average.mean - average.standard_deviation, 0, 1)
        high = np.clip(average.mean + average.standard_deviation, 0, 1)
        shown = average.values if plot_folds else np.array([average.mean, low, high])
        heights = float(np.nanmin(shown)), float(np.nanmax(shown))
        before = self.ax_.get_ylim() if self.ax_.has_data() else heights
        folds = f"mean of {n} folds" if n > 1 else "1 fold"
        label = legend_label(self.name if name is None else name, "", None).get("label")
        style = {"label": folds if label is None else f"{label} ({folds})"} | kwargs
        self.line_ = draw_line(self.ax_, x, average.mean, style, WHOLE, heights)
        color = self.line_.get_color()
        self.folds_ = []
        if plot_folds:
            thin = {"color": color, "linewidth": 0.6, "alpha": 0.6, "label": "_fold"}
            self.folds_ = [
                draw_line(self.ax_, x, values, dict(thin), WHOLE, heights) for values in average.values
            ]
        self.band_ = None
        if n > 1:
            self.band_ = self.ax_.fill_between(
                x, low, high, color=color, alpha=BAND_OPACITY, linewidth=0
            )
        self.ax_.set(
            xlabel="Acceptance rate", ylabel=LABELS[self.curve], xlim=(-MARGIN / 2, 1 + MARGIN / 2)
        )
        fit_height(self.ax_, heights, before)
        add_legend(self.ax_, self.line_)
        return self
