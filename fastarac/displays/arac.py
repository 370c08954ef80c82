"""The ARAC curve: how many outputs are right in the end, over how many go through unchecked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fastarac._core.text import percent, rounded
from fastarac.areas.arac import arac_auc_score
from fastarac.displays._base import AcceptanceDisplay, add_legend
from fastarac.displays._several import draw_curves
from fastarac.operating.points import OperatingPoint, operating_point

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D
    from numpy.typing import ArrayLike

    from fastarac.displays._base import FloatArray
    from fastarac.sweep import ThresholdSweep

GUIDE_COLOR = "0.45"
NAME_HEIGHT = 0.035  # of the name of an allowed error rate, in heights of the axes
UPPER_OPACITY, LOWER_OPACITY = 0.3, 0.12
LOWER_HEIGHT = 0.6  # of what is seen of the lower area, in heights of the upper one
LABEL_PLACE = 0.3  # of the areas' names, in acceptance rates


class ARACDisplay(AcceptanceDisplay):
    """ARAC curve visualization.

    Make it with ``from_predictions`` or ``from_sweep``, which draw it as well.

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
    shades_ : tuple of two matplotlib PolyCollection, or None
        The upper and the lower area, where they are shaded.
    band_ : matplotlib PolyCollection
        The band around the curve, once :meth:`.plot_band` has drawn it.
    ax_ : matplotlib Axes
        The axes with the curve.
    figure_ : matplotlib Figure
        The figure with the axes.

    See Also
    --------
    arac_curve : Computes the curve.
    displays.draw_arac_curves : Draws the curves of several models.

    Examples
    --------
    >>> import fastarac as fa
    >>> sweep = fa.threshold_sweep([1, 1, 0, 1], [0.9, 0.8, 0.7, 0.6])
    >>> display = fa.displays.ARACDisplay.from_sweep(sweep, name="model", error_rates=[0.1])
    >>> display.line_.get_label()
    'model (ARAC-AUC = 0.906)'
    >>> display.points_.get_xdata()
    array([0.5])
    >>> from matplotlib import pyplot as plt
    >>> plt.close(display.figure_)
    """

    _band_of = "arac"
    _measure = "ARAC-AUC"
    _labels = ("Acceptance rate", "Accuracy after correction")
    _best = 1.0

    def __init__(
        self,
        acceptance_rate: ArrayLike,
        accuracy_after_correction: ArrayLike,
        *,
        name: str | None = None,
        area: float | None = None,
        operating_points: Sequence[OperatingPoint] = (),
    ) -> None:
        self.acceptance_rate = np.asarray(acceptance_rate, np.float64)
        self.accuracy_after_correction = np.asarray(accuracy_after_correction, np.float64)
        self.name = name
        self.area = area
        self.operating_points = tuple(operating_points)

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
            What :meth:`.plot` takes by keyword.

        Returns
        -------
        display : ARACDisplay
            The display, drawn.
        """
        display = cls._of(sweep, name)
        display.operating_points = tuple(
            operating_point(sweep, max_error_rate=rate) for rate in error_rates
        )
        return display.plot(ax, **kwargs)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        shade_areas: bool = False,
        **kwargs: Any,
    ) -> Self:
        """Draw the curve and the marks of its operating points.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if left out.
        name : str, optional
            The name of the model, for the legend, instead of the display's own.
        shade_areas : bool, default=False
            Whether to shade the two parts of the ARAC-AUC: A_U between the curve and the recognition
            rate β, and below it A_L, a rectangle, of which the axes show the upper end.
        **kwargs : dict
            Passed on to matplotlib's ``plot``.

        Returns
        -------
        display : ARACDisplay
            The display itself.
        """
        super().plot(ax, name=name, **kwargs)
        self.shades_: tuple[PolyCollection, PolyCollection] | None = None
        if shade_areas:
            self.shades_ = self._shade()
            add_legend(self.ax_, self.line_, "lower right")  # above the curve, it would cover it
        return self

    @classmethod
    def _of(cls, sweep: ThresholdSweep, name: str | None) -> Self:
        return cls(
            sweep.acceptance_rate,
            sweep.accuracy_after_correction,
            name=name,
            area=arac_auc_score(sweep),
        )

    def _curve(self) -> tuple[FloatArray, FloatArray]:
        return self.acceptance_rate, self.accuracy_after_correction

    def _draw(self, name: str | None, kwargs: dict[str, Any]) -> None:
        super()._draw(name, kwargs)
        self.points_: Line2D | None = None
        if self.operating_points:
            (self.points_,) = self.ax_.plot(
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

    def _shade(self) -> tuple[PolyCollection, PolyCollection]:
        """Shade the areas of Kimura et al. 2024, figure 5, and name them where they are in sight."""
        ax, beta = self.ax_, float(self.accuracy_after_correction[-1])
        x, y = np.asarray(self.line_.get_data(), np.float64)
        bottom, top = ax.get_ylim()
        bottom = min(bottom, max(0.0, beta - LOWER_HEIGHT * (1 - beta)))
        color = self.line_.get_color()
        shades = (
            ax.fill_between(x, beta, y, color=color, alpha=UPPER_OPACITY, linewidth=0),
            ax.fill_between([0, 1], 0, beta, color=color, alpha=LOWER_OPACITY, linewidth=0),
        )
        ax.set_ylim(bottom, top)
        names = ["$A_U$", r"$A_L = \beta$"]
        if self.area is not None:
            names = [
                f"{name} = {rounded(value)}"
                for name, value in zip(names, (self.area - beta, beta), strict=True)
            ]
        middles = (float(np.interp(LABEL_PLACE, x, y)) + beta) / 2, (max(bottom, 0) + beta) / 2
        for name, height in zip(names, middles, strict=True):
            ax.text(LABEL_PLACE, height, name, ha="center", va="center")
        return shades


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
    displays = draw_curves(ARACDisplay, sweeps, ax=ax, error_rates=error_rates)
    for display in displays.values():
        _draw_allowed_error_rates(display.ax_, error_rates)
        break
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
