"""The convex hull of ROC curves, and the lines of equal cost that touch it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fastarac.costs.hulls import ROCConvexHull, roc_convex_hull
from fastarac.displays._binary import SquareDisplay
from fastarac.displays._style import GUIDE, FloatArray, draw_marks
from fastarac.displays.rates import DIAGONAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

    from fastarac.sweep import ThresholdSweep


@dataclass(eq=False, repr=False)
class ROCHullDisplay(SquareDisplay):
    """The convex hull of ROC curves.

    For one classifier, ``from_predictions`` or ``from_sweep`` create and draw it. For several
    classifiers, create it from the hull of their curves, and draw it with :meth:`.plot`.

    Parameters
    ----------
    hull : ROCConvexHull
        The result of :func:`.roc_convex_hull`.
    name : str, optional
        The name of the hull, for the legend.
    pos_label : int, float, bool or str, optional
        Label of the positive class, for the names of the axes.

    Attributes
    ----------
    iso_performance_lines_ : list of matplotlib Line2D
        Lines of equal cost, if slopes are given.
    best_ : matplotlib Line2D or None
        The marks where these lines touch the hull.
    line_, chance_level_, ax_, figure_
        As in :class:`.RocCurveDisplay`.

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

    hull: ROCConvexHull

    iso_performance_lines_: list[Line2D] = field(init=False)
    best_: Line2D | None = field(init=False)

    _labels = ("False Positive Rate", "True Positive Rate")
    _area = "_auc"
    _measure = "ROC-AUC"
    _legend = "lower right"

    def plot(self, ax: Axes | None = None, *, slopes: Sequence[float] = (), **options: Any) -> Self:
        """Draw the hull, and the iso-performance lines that touch it.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            The axes, for example the axes with the ROC curves; by default a new figure.
        slopes : sequence of float, default=()
            Slopes of lines of equal cost, for example from :func:`.iso_performance_slope`. The best
            vertex for each slope is marked.
        **options
            Keywords of :meth:`.RocCurveDisplay.plot`.

        Returns
        -------
        display : ROCHullDisplay
        """
        super().plot(ax, **options)
        found = [self.hull.best(slope) for slope in slopes]
        guide = {"color": GUIDE["color"], "linewidth": GUIDE["linewidth"]}
        self.iso_performance_lines_ = [
            self.ax_.axvline(vertex.fpr, **guide)
            if slope == np.inf
            else self.ax_.axline((vertex.fpr, vertex.tpr), slope=slope, **guide)
            for slope, vertex in zip(slopes, found, strict=True)
        ]
        self.best_ = None
        if found:
            fpr, tpr = [vertex.fpr for vertex in found], [vertex.tpr for vertex in found]
            self.best_ = draw_marks(self.ax_, self.line_, fpr, tpr)
        return self

    @property
    def _auc(self) -> float:
        return self.hull.auc

    @classmethod
    def _of(cls, sweep: ThresholdSweep, **_points: bool) -> Self:
        return cls(roc_convex_hull({"": sweep}))

    def _curve(self) -> tuple[FloatArray, ...]:
        return self.hull.fpr, self.hull.tpr

    def _chance_level(self) -> dict[str, tuple[FloatArray, ...]]:
        return {"Chance level (ROC-AUC = 0.5)": (DIAGONAL, DIAGONAL)}
