"""The convex hull of ROC curves, and the lines of equal cost that touch it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fastarac.costs.hulls import ROCConvexHull, roc_convex_hull
from fastarac.displays._base import legend_label
from fastarac.displays._scored import SquareDisplay

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

    from fastarac.displays._base import FloatArray
    from fastarac.displays._scored import Label
    from fastarac.sweep import ThresholdSweep

GUIDE: dict[str, Any] = {"color": "0.45", "linewidth": 1}
MARK: dict[str, Any] = {"linestyle": "none", "marker": "o", "markersize": 7, "markerfacecolor": "white"}


class ROCHullDisplay(SquareDisplay):
    """ROC convex hull visualization.

    Make it of a hull of several classifiers and draw it over their curves with :meth:`.plot`; or, for
    one classifier, with ``from_predictions`` or ``from_sweep``, which draw it as well.

    Parameters
    ----------
    hull : ROCConvexHull
        What :func:`.roc_convex_hull` returns.
    name : str, optional
        Its name, for the legend.
    pos_label : int, float, bool or str, optional
        Label of the positive class, for the names of the axes.

    Attributes
    ----------
    line_ : matplotlib Line2D
        The hull.
    iso_performance_lines_ : list of matplotlib Line2D
        Lines of equal cost, where slopes are given.
    best_ : matplotlib Line2D or None
        The marks where these lines touch the hull.
    chance_level_ : matplotlib Line2D or None
        The chance level, where it is asked for.
    ax_ : matplotlib Axes
        The axes with the hull.
    figure_ : matplotlib Figure
        The figure with the axes.

    See Also
    --------
    roc_convex_hull : Computes the hull.
    RocCurveDisplay : Draws a curve.

    Examples
    --------
    >>> import fastarac as fa
    >>> hull = fa.costs.roc_convex_hull({"A": ([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])})
    >>> display = fa.displays.ROCHullDisplay(hull, name="hull").plot(slopes=[0.5, 2])
    >>> display.line_.get_label()
    'hull (ROC-AUC = 0.875)'
    >>> display.best_.get_xdata()
    array([0.5, 0. ])
    >>> from matplotlib import pyplot as plt
    >>> plt.close(display.figure_)
    """

    _labels = ("False Positive Rate", "True Positive Rate")
    _legend = "lower right"

    def __init__(
        self, hull: ROCConvexHull, *, name: str | None = None, pos_label: Label = None
    ) -> None:
        self.hull = hull
        self.name = name
        self.pos_label = pos_label

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        slopes: Sequence[float] = (),
        **kwargs: Any,
    ) -> Self:
        """Draw the hull, and the iso-performance lines that touch it.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw, over the ROC curves for example; a new figure if left out.
        name : str, optional
            The name of the hull, for the legend, instead of the display's own.
        slopes : sequence of float, default=()
            Slopes of lines of equal cost, as :func:`.iso_performance_slope` gives them; the best
            vertex for each is marked.
        **kwargs : dict
            `plot_chance_level`, `chance_level_kw`, `despine` as for :class:`.RocCurveDisplay`;
            everything else is passed on to matplotlib's ``plot``, for the hull.

        Returns
        -------
        display : ROCHullDisplay
            The display itself.
        """
        super().plot(ax, name=name, **kwargs)
        found = [self.hull.best(slope) for slope in slopes]
        self.iso_performance_lines_: list[Line2D] = [
            self.ax_.axvline(vertex.fpr, **GUIDE)
            if slope == np.inf
            else self.ax_.axline((vertex.fpr, vertex.tpr), slope=slope, **GUIDE)
            for slope, vertex in zip(slopes, found, strict=True)
        ]
        self.best_: Line2D | None = None
        if found:
            (self.best_,) = self.ax_.plot(
                [vertex.fpr for vertex in found],
                [vertex.tpr for vertex in found],
                markeredgecolor=self.line_.get_color(),
                zorder=self.line_.get_zorder() + 1,
                **MARK,
            )
        return self

    @classmethod
    def _of(cls, sweep: ThresholdSweep, name: str | None) -> Self:
        return cls(roc_convex_hull({"" if name is None else name: sweep}), name=name)

    def _curve(self) -> tuple[FloatArray, FloatArray]:
        return self.hull.fpr, self.hull.tpr

    def _label(self, name: str | None) -> dict[str, str]:
        return legend_label(name, "ROC-AUC", self.hull.auc)

    def _chance_level(self) -> tuple[tuple[float, float], str]:
        return (0.0, 1.0), "Chance level (ROC-AUC = 0.5)"
