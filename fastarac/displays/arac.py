"""The ARAC curve: how many outputs are right in the end, over how many go through unchecked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fastarac.areas import arac_auc_score
from fastarac.displays._base import axes_or_new, decimate, legend_name, line_style, percent
from fastarac.operating import OperatingPoint, operating_point
from fastarac.sweep import ThresholdSweep, threshold_sweep

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D
    from numpy.typing import ArrayLike

X_LABEL, Y_LABEL = "Acceptance rate", "Accuracy after correction"
MARGIN = 0.04  # of the range of each axis
SMALLEST_RANGE = 1e-4  # of the vertical axis
GUIDE_COLOR = "0.45"
NAME_HEIGHT = 0.035  # of the name of an allowed error rate, in heights of the axes
MOST_NAMES_INSIDE = 6  # that a legend inside the axes has room for


class ARACDisplay:
    """ARAC curve visualization.

    Make it with :meth:`from_predictions` or :meth:`from_sweep`, which draw it as well.

    Parameters
    ----------
    acceptance_rate : array_like of shape (n,)
        X, the share that goes through unchecked, rising.
    accuracy_after_correction : array_like of shape (n,)
        Y, the share that is right once people have corrected the rest.
    name : str, optional
        The name of the model, for the legend.
    area : float, optional
        The ARAC-AUC, for the legend.
    operating_points : sequence of OperatingPoint, default=()
        Points to mark on the curve.

    Attributes
    ----------
    line_ : matplotlib Line2D
        The curve. Of a long curve, it has the vertices that make a visible difference.
    points_ : matplotlib Line2D or None
        The marks of the operating points, where there are any.
    ax_ : matplotlib Axes
        The axes with the curve.
    figure_ : matplotlib Figure
        The figure with the axes.

    See Also
    --------
    arac_curve : Computes the curve.
    fastarac.displays.draw_arac_curves : Draws the curves of several models.

    Examples
    --------
    >>> import fastarac as fa
    >>> sweep = fa.threshold_sweep([1, 1, 0, 1], [0.9, 0.8, 0.7, 0.6])
    >>> display = fa.ARACDisplay.from_sweep(sweep, name="model")  # doctest: +SKIP
    """

    def __init__(
        self,
        acceptance_rate: ArrayLike,
        accuracy_after_correction: ArrayLike,
        *,
        name: str | None = None,
        area: float | None = None,
        operating_points: Sequence[OperatingPoint] = (),
    ) -> None:
        self.acceptance_rate = np.asarray(acceptance_rate)
        self.accuracy_after_correction = np.asarray(accuracy_after_correction)
        self.name = name
        self.area = area
        self.operating_points = tuple(operating_points)

    @classmethod
    def from_predictions(
        cls,
        correct: ArrayLike,
        confidence: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        error_rates: Sequence[float] = (),
        **kwargs: Any,
    ) -> Self:
        """Draw the ARAC curve of items.

        Parameters
        ----------
        correct : array_like of shape (n,)
            Whether each output is right: bool, or 0 and 1.
        confidence : array_like of shape (n,)
            The confidence of each output, finite.
        sample_weight : array_like of shape (n,), optional
            The weight of each item.
        name : str, optional
            The name of the model, for the legend.
        ax : matplotlib Axes, optional
            Where to draw; a new figure if left out.
        error_rates : sequence of float, default=()
            Allowed error rates: the points of largest acceptance within them are marked.
        **kwargs : dict
            Passed on to matplotlib's ``plot``.

        Returns
        -------
        display : ARACDisplay
            The display, drawn.
        """
        sweep = threshold_sweep(correct, confidence, sample_weight=sample_weight)
        return cls.from_sweep(sweep, name=name, ax=ax, error_rates=error_rates, **kwargs)

    @classmethod
    def from_sweep(
        cls,
        sweep: ThresholdSweep,
        *,
        name: str | None = None,
        ax: Axes | None = None,
        error_rates: Sequence[float] = (),
        **kwargs: Any,
    ) -> Self:
        """Draw the ARAC curve of a threshold sweep.

        Parameters
        ----------
        sweep : ThresholdSweep
            The counts at every threshold.
        name : str, optional
            The name of the model, for the legend.
        ax : matplotlib Axes, optional
            Where to draw; a new figure if left out.
        error_rates : sequence of float, default=()
            Allowed error rates: the points of largest acceptance within them are marked.
        **kwargs : dict
            Passed on to matplotlib's ``plot``.

        Returns
        -------
        display : ARACDisplay
            The display, drawn.
        """
        display = cls(
            sweep.acceptance_rate,
            sweep.accuracy_after_correction,
            name=name,
            area=arac_auc_score(sweep),
            operating_points=[operating_point(sweep, max_error_rate=rate) for rate in error_rates],
        )
        return display.plot(ax, **kwargs)

    def plot(self, ax: Axes | None = None, *, name: str | None = None, **line_kwargs: Any) -> Self:
        """Draw the curve and the marks of its operating points.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if left out.
        name : str, optional
            The name of the model, for the legend, instead of the display's own.
        **line_kwargs : dict
            Passed on to matplotlib's ``plot``.

        Returns
        -------
        display : ARACDisplay
            The display itself.
        """
        ax = axes_or_new(ax)
        name = self.name if name is None else name
        x, y = self.acceptance_rate, self.accuracy_after_correction
        vertices = decimate(x, y)
        label = legend_name(name, "ARAC-AUC", self.area)
        kwargs = {"label": label} if label is not None else {}
        (self.line_,) = ax.plot(x[vertices], y[vertices], **(kwargs | line_kwargs))
        self.points_: Line2D | None = None
        if self.operating_points:
            (self.points_,) = ax.plot(
                [point.acceptance_rate for point in self.operating_points],
                [point.accuracy_after_correction for point in self.operating_points],
                linestyle="none",
                marker="o",
                markersize=6,
                markerfacecolor="white",
                markeredgecolor=self.line_.get_color(),
                markeredgewidth=1.5,
                zorder=self.line_.get_zorder() + 1,
            )
        ax.set(xlabel=X_LABEL, ylabel=Y_LABEL, xlim=(-MARGIN / 2, 1 + MARGIN / 2))
        _fit_height(ax)
        if not str(self.line_.get_label()).startswith("_"):
            ax.legend(loc="best")
        self.ax_: Axes = ax
        self.figure_: Figure | SubFigure = ax.figure
        return self


def draw_arac_curves(
    sweeps: Mapping[str, ThresholdSweep],
    *,
    error_rates: Sequence[float] = (0.01, 0.05),
    ax: Axes | None = None,
) -> dict[str, ARACDisplay]:
    """Draw the ARAC curves of several models, with what each accepts at allowed error rates.

    Parameters
    ----------
    sweeps : mapping of str to ThresholdSweep
        The models by name, in the order of the legend.
    error_rates : sequence of float, default=(0.01, 0.05)
        Allowed error rates. Each is a dashed line, and the point of largest acceptance within it is
        marked on each curve.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if left out.

    Returns
    -------
    displays : dict of str to ARACDisplay
        The displays by the names of their models.
    """
    ax = axes_or_new(ax)
    displays = {
        name: ARACDisplay.from_sweep(
            sweep, name=name, ax=ax, error_rates=error_rates, **line_style(index)
        )
        for index, (name, sweep) in enumerate(sweeps.items())
    }
    if len(sweeps) > MOST_NAMES_INSIDE:
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=2)
    _draw_allowed_error_rates(ax, error_rates)
    return displays


def _draw_allowed_error_rates(ax: Axes, error_rates: Sequence[float]) -> None:
    """Draw a dashed line for each rate that is in sight, and its name on the right."""
    low, high = ax.get_ylim()
    height_of_name = 1.0 + NAME_HEIGHT
    for rate in sorted(error_rates):
        if 1 - rate <= low:
            continue
        ax.axhline(1 - rate, color=GUIDE_COLOR, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
        height_of_name = min((1 - rate - low) / (high - low), height_of_name - NAME_HEIGHT)
        ax.annotate(
            f"{percent(rate)} errors",
            (1, height_of_name),
            xycoords="axes fraction",
            xytext=(4, 0),
            textcoords="offset points",
            verticalalignment="center",
            color=GUIDE_COLOR,
        )


def _fit_height(ax: Axes) -> None:
    """Let the vertical axis end just above 1 and just below the lowest curve."""
    low = ax.dataLim.y0
    if low > 1 - SMALLEST_RANGE:
        low = 1 - SMALLEST_RANGE
    margin = MARGIN * (1 - low)
    ax.set_ylim(low - margin, 1 + margin)
    ax.ticklabel_format(axis="y", useOffset=False)
