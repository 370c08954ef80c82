"""The cost curve: the least expected cost over prices and prevalence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fastarac.costs.curves import CostCurveBand, cost_curve, cost_curve_band
from fastarac.costs.hulls import roc_convex_hull
from fastarac.displays._base import MARGIN, add_legend, canonical, draw_line, legend_name
from fastarac.displays._scored import ScoredDisplay

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection, PolyCollection
    from matplotlib.lines import Line2D
    from numpy.typing import ArrayLike

    from fastarac.displays._scored import Label
    from fastarac.sweep import ThresholdSweep

TRIVIAL = "Trivial classifiers"
HIGHEST = 0.5  # of the trivial classifiers' lower envelope
BAND_OPACITY = 0.2


class CostCurveDisplay(ScoredDisplay):
    """Cost curve visualization.

    Make it with ``from_predictions`` or ``from_sweep``, which draw it as well.

    Parameters
    ----------
    probability_cost : array_like of shape (n,)
        PCF(+) of the vertices, rising from 0 to 1.
    normalized_expected_cost : array_like of shape (n,)
        The least normalised expected cost at the vertices.
    name : str, optional
        The name of the model, for the legend.
    rates : tuple of two array_like of shape (m,), optional
        (fpr, tpr) of the thresholds whose cost lines can be drawn.
    band : CostCurveBand, optional
        Confidence intervals to shade.
    pos_label : int, float, bool or str, optional
        Label of the positive class, for the names of the axes.

    Attributes
    ----------
    line_ : matplotlib Line2D
        The curve.
    trivial_ : matplotlib Line2D or None
        The lower envelope of the two trivial classifiers, where it is drawn.
    cost_lines_ : matplotlib LineCollection or None
        The lines of the single thresholds, where they are drawn.
    band_ : matplotlib PolyCollection or None
        The shaded confidence intervals, where there are any.
    ax_ : matplotlib Axes
        The axes with the curve.
    figure_ : matplotlib Figure
        The figure with the axes.

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

    def __init__(
        self,
        probability_cost: ArrayLike,
        normalized_expected_cost: ArrayLike,
        *,
        name: str | None = None,
        rates: tuple[ArrayLike, ArrayLike] | None = None,
        band: CostCurveBand | None = None,
        pos_label: Label = None,
    ) -> None:
        self.probability_cost = np.asarray(probability_cost, np.float64)
        self.normalized_expected_cost = np.asarray(normalized_expected_cost, np.float64)
        self.name = name
        self.rates = rates
        self.band = band
        self.pos_label = pos_label

    @classmethod
    def from_sweep(
        cls,
        sweep: ThresholdSweep,
        *,
        name: str | None = None,
        ax: Axes | None = None,
        pos_label: Label = None,
        confidence_level: float | None = None,
        n_resamples: int = 1000,
        random_state: int | np.random.Generator | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the cost curve of a threshold sweep.

        Parameters
        ----------
        sweep : ThresholdSweep
            The counts at every threshold.
        name : str, optional
            The name of the model, for the legend.
        ax : matplotlib Axes, optional
            Where to draw; a new figure if left out.
        pos_label : int, float, bool or str, optional
            Label of the positive class, for the names of the axes.
        confidence_level : float, optional
            In (0, 1): shade confidence intervals, as :func:`.cost_curve_band` computes them.
        n_resamples : int, default=1000
            Number of bootstrap samples for them.
        random_state : int, numpy.random.Generator or None
            Where the random numbers for them come from.
        **kwargs : dict
            What :meth:`.plot` takes by keyword.

        Returns
        -------
        display : CostCurveDisplay
            The display, drawn.
        """
        display = cls._of(sweep, name)
        display.pos_label = pos_label
        if confidence_level is not None:
            display.band = cost_curve_band(
                sweep,
                n_resamples=n_resamples,
                confidence_level=confidence_level,
                random_state=random_state,
            )
        return display.plot(ax, **kwargs)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        plot_trivial: bool = True,
        plot_cost_lines: bool = False,
        **kwargs: Any,
    ) -> Self:
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if left out.
        name : str, optional
            The name of the model, for the legend, instead of the display's own.
        plot_trivial : bool, default=True
            Whether to draw the two trivial classifiers, which call everything negative or everything
            positive, whichever is cheaper. Where they are in the axes already, they stay the only ones.
        plot_cost_lines : bool, default=False
            Whether to draw the lines of the single thresholds, of which the curve is the envelope.
        **kwargs : dict
            Passed on to matplotlib's ``plot``, for the curve.

        Returns
        -------
        display : CostCurveDisplay
            The display itself.
        """
        super().plot(ax, name=name, **kwargs)
        self.trivial_ = self._draw_trivial() if plot_trivial else None
        self.cost_lines_ = self._draw_cost_lines() if plot_cost_lines else None
        if plot_trivial:
            _put_last(self.ax_, TRIVIAL)
        return self

    @classmethod
    def _of(cls, sweep: ThresholdSweep, name: str | None) -> Self:
        hull = roc_convex_hull({"": sweep})
        x, y, _ = cost_curve(hull)
        return cls(x, y, name=name, rates=(hull.fpr, hull.tpr))

    def _draw(self, name: str | None, kwargs: dict[str, Any]) -> None:
        x, y = self.probability_cost, self.normalized_expected_cost
        before = self.ax_.get_ylim() if self.ax_.has_data() else (0.0, 0.0)
        label = legend_name(name, "", None)
        style = ({} if label is None else {"label": label}) | canonical(kwargs)
        highest = max(HIGHEST, float(y.max()))
        self.line_ = draw_line(self.ax_, x, y, style, (0.0, 1.0), (0.0, highest))
        self.band_: PolyCollection | None = None
        if self.band is not None:
            places, _, low, high = self.band
            self.band_ = self.ax_.fill_between(
                places, low, high, color=self.line_.get_color(), alpha=BAND_OPACITY, linewidth=0
            )
        margin = MARGIN * HIGHEST / 2
        self.ax_.set(
            xlabel=self._label_of_axis("Probability cost function PCF(+)"),
            ylabel="Normalised expected cost",
            xlim=(-MARGIN / 2, 1 + MARGIN / 2),
            ylim=(min(-margin, before[0]), max(highest + 2 * margin, before[1])),
        )
        add_legend(self.ax_, self.line_)

    def _draw_trivial(self) -> Line2D:
        for line in self.ax_.lines:
            if line.get_label() == TRIVIAL:
                return line
        (line,) = self.ax_.plot(
            [0, HIGHEST, 1], [0, HIGHEST, 0], color="0.45", linewidth=1, linestyle="--", label=TRIVIAL
        )
        return line

    def _draw_cost_lines(self) -> LineCollection:
        from matplotlib.collections import LineCollection

        if self.rates is None:
            message = "the display has no rates; those of the thresholds are needed for their lines"
            raise ValueError(message)
        fpr, tpr = (np.asarray(rate, np.float64) for rate in self.rates)
        segments = [[(0.0, fp), (1.0, 1 - tp)] for fp, tp in zip(fpr, tpr, strict=True)]
        lines = LineCollection(
            segments, colors=[self.line_.get_color()], linewidths=0.6, alpha=0.5, zorder=1
        )
        self.ax_.add_collection(lines, autolim=False)
        return lines


def _put_last(ax: Axes, label: str) -> None:
    """Draw the legend with this label at its end."""
    handles, labels = ax.get_legend_handles_labels()
    order = sorted(range(len(labels)), key=lambda i: labels[i] == label)
    ax.legend([handles[i] for i in order], [labels[i] for i in order], loc="best")
