"""The cost curve: the lowest expected cost for all misclassification costs and prevalences."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fastarac.bounds.bounded import BoundedSweep, refuse_of_bounds
from fastarac.costs.curves import CostCurveBand, cost_curve, cost_curve_band
from fastarac.costs.hulls import roc_convex_hull
from fastarac.displays._banded import BoundedDisplay
from fastarac.displays._base import MARGIN, SIDES
from fastarac.displays._binary import ScoredDisplay

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection

    from fastarac.displays._binary import Label
    from fastarac.displays._style import FloatArray
    from fastarac.displays.decimation import Range
    from fastarac.sweep import ThresholdSweep

HIGHEST = 0.5  # highest cost of the better trivial classifier (always positive or always negative)
ROOM = MARGIN * HIGHEST / 2


@dataclass(eq=False, repr=False)
class CostCurveDisplay(BoundedDisplay, ScoredDisplay):
    """Cost curve, created and drawn by ``from_predictions`` or ``from_sweep``.

    Parameters
    ----------
    probability_cost, normalized_expected_cost : array_like of shape (n,)
        Probability cost PCF(+) of each vertex, increasing from 0 to 1, and the lowest normalised
        expected cost there.
    name : str, optional
        The name of the model, for the legend.
    rates : tuple of two array_like of shape (m,), optional
        False and true positive rates (fpr, tpr) at the thresholds, from which cost lines can be drawn.
    band : CostCurveBand, optional
        Confidence intervals to shade.
    pos_label : int, float, bool or str, optional
        Label of the positive class, for the names of the axes.

    Attributes
    ----------
    chance_level_ : matplotlib Line2D or None
        The lower envelope of the two trivial classifiers, which predict only one class; drawn unless
        ``plot_chance_level=False``.
    cost_lines_ : matplotlib LineCollection or None
        The cost lines of single thresholds, if they are drawn.
    band_ : matplotlib PolyCollection or None
        The shaded confidence intervals, or the shaded area between bounds, if there are any.
    line_, ax_, figure_
        As in :class:`.RocCurveDisplay`.

    See Also
    --------
    cost_curve : Computes the curve.
    cost_curve_band : Computes the confidence intervals.
    displays.draw_curves : Draws the curves of several models.

    Examples
    --------
    >>> import fastarac as fa
    >>> y_true, y_score = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> display = fa.displays.CostCurveDisplay.from_predictions(y_true, y_score, name="model")
    >>> display.line_.get_ydata()
    array([0.  , 0.25, 0.  ])
    >>> from matplotlib import pyplot as plt
    >>> plt.close(display.figure_)
    """

    probability_cost: FloatArray
    normalized_expected_cost: FloatArray
    _: KW_ONLY
    rates: tuple[FloatArray, FloatArray] | None = None
    band: CostCurveBand | None = None

    cost_lines_: LineCollection | None = field(init=False)
    _arrays = ("probability_cost", "normalized_expected_cost")
    _labels = ("Probability cost function PCF(+)", "Normalised expected cost")
    _plots_chance_level = True

    @classmethod
    def from_sweep(
        cls,
        sweep: ThresholdSweep | BoundedSweep,
        *,
        name: str | None = None,
        ax: Axes | None = None,
        pos_label: Label = None,
        confidence_level: float | None = None,
        n_resamples: int = 2000,
        random_state: int | np.random.Generator | None = None,
        **options: Any,
    ) -> Self:
        """Draw the cost curve of a threshold sweep.

        Parameters
        ----------
        sweep : ThresholdSweep or BoundedSweep
            The counts at every threshold. For a :class:`.BoundedSweep`, draw the curve that the items
            have in the worst possible order, and a band (`band_`) down to the curve in the best order.
        name, ax : str and matplotlib Axes, optional
            The name of the model, for the legend, and the axes to draw on; by default a new figure.
        pos_label : int, float, bool or str, optional
            Label of the positive class, for the names of the axes.
        confidence_level : float, optional
            The confidence level, in (0, 1), of intervals to shade; see :func:`.cost_curve_band`.
        n_resamples, random_state
            As for :func:`.cost_curve_band`.
        **options
            Keywords of :meth:`.plot`.

        Returns
        -------
        display : CostCurveDisplay
        """
        if isinstance(sweep, BoundedSweep):
            refuse_of_bounds(confidence_level=confidence_level)
            return super().from_sweep(sweep, name=name, ax=ax, pos_label=pos_label, **options)
        display = cls._of(sweep)
        display.name, display.pos_label = name, pos_label
        if confidence_level is not None:
            display.band = cost_curve_band(
                sweep,
                n_resamples=n_resamples,
                confidence_level=confidence_level,
                random_state=random_state,
            )
        return display.plot(ax, **options)

    def plot(self, ax: Axes | None = None, *, plot_cost_lines: bool = False, **options: Any) -> Self:
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            The axes to draw on; by default a new figure.
        plot_cost_lines : bool, default=False
            Whether to draw the cost line of each threshold; the curve is the lower envelope of these
            lines.
        **options
            Keywords of :meth:`.RocCurveDisplay.plot`.

        Returns
        -------
        display : CostCurveDisplay
        """
        super().plot(ax, **options)
        self.band_ = None
        if self.band is not None:
            places, _, low, high = self.band
            style = {"label": "Confidence intervals"}
            self.band_ = self._fill(places, low, high, style)
            self.ax_.set_ylim(top=max(self.ax_.get_ylim()[1], float(high.max()) + 2 * ROOM))
            self._draw_legend()
        self.cost_lines_ = self._draw_cost_lines() if plot_cost_lines else None
        return self

    @classmethod
    def _of(cls, sweep: ThresholdSweep, **_points: bool) -> Self:
        hull = roc_convex_hull({"": sweep})
        x, y, _ = cost_curve(hull)
        return cls(x, y, rates=(hull.fpr, hull.tpr))

    def _axis_labels(self) -> tuple[str, ...]:
        return super()._axis_labels()[0], self._labels[1]

    def _view(self) -> tuple[Range, Range]:
        highest = max(HIGHEST, float(self.normalized_expected_cost.max()))
        return SIDES, (-ROOM, highest + 2 * ROOM)

    def _chance_level(self) -> dict[str, tuple[FloatArray, ...]]:
        envelope = np.array([0.0, HIGHEST, 1.0]), np.array([0.0, HIGHEST, 0.0])
        return {"Trivial classifiers": envelope}

    def _draw_cost_lines(self) -> LineCollection:
        from matplotlib.collections import LineCollection

        if self.rates is None:
            raise ValueError(
                "the display has no rates, which the cost lines need; give rates= or use from_sweep"
            )
        fpr, tpr = (np.asarray(rate, np.float64) for rate in self.rates)
        segments = [[(0.0, fp), (1.0, 1 - tp)] for fp, tp in zip(fpr, tpr, strict=True)]
        lines = LineCollection(
            segments, colors=[self.line_.get_color()], linewidths=0.6, alpha=0.5, zorder=1
        )
        self.ax_.add_collection(lines, autolim=False)
        return lines
