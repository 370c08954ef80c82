"""The ARAC curve: accuracy after people correct the rejected outputs, against the acceptance rate."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fastarac._core.text import percent, rounded
from fastarac.answers.limits import at_least, threshold
from fastarac.areas.arac import arac_auc_score
from fastarac.bounds.bounded import BoundedSweep
from fastarac.displays._banded import AcceptanceDisplay
from fastarac.displays._base import require_items, with_margin
from fastarac.displays._labels import label_marks
from fastarac.displays._style import GUIDE, FloatArray, draw_legend, draw_marks
from fastarac.operating_points.points import OperatingPoint, operating_point

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D

    from fastarac.displays.decimation import Range
    from fastarac.sweep import ThresholdSweep

LIMIT = "_limit"  # matplotlib's label of a line for an allowed error rate begins with this
NAME_HEIGHT = 0.035  # height of the text beside such a line, as a share of the axes' height
THRESHOLDS = "Confidence threshold"
BELOW_LIMITS = 1.5  # the y-axis begins at this multiple of the largest allowed error rate
UPPER_OPACITY, LOWER_OPACITY = 0.3, 0.12
LOWER_HEIGHT = 0.6  # visible height of the lower shaded area, relative to the upper one
LABEL_PLACE = 0.3  # acceptance rate (x) at which the names of the shaded areas are written


@dataclass(eq=False, repr=False)
class ARACDisplay(AcceptanceDisplay):
    """ARAC curve, created and drawn by ``from_predictions`` or ``from_sweep``.

    Parameters
    ----------
    acceptance_rate, accuracy_after_correction : array_like of shape (n,)
        The acceptance rate X (share of outputs accepted without a check), in increasing order, and the
        accuracy Y after people have corrected all other outputs.
    name, area : str and float, optional
        The name of the model and the ARAC-AUC, for the legend.
    max_error_rate : tuple of float, default=()
        Allowed error rates, each drawn as a dashed line.
    operating_points : tuple of OperatingPoint, default=()
        Points to mark on the curve.
    point_labels : tuple of str, default=()
        Labels of these points, such as their thresholds.

    Attributes
    ----------
    line_ : matplotlib Line2D
        The curve. Of a long curve, only the vertices that make a visible difference are kept.
    points_ : matplotlib Line2D or None
        The marks of the operating points, if there are any.
    shades_ : tuple of two matplotlib PolyCollection, or None
        The two areas A_U and A_L, if they are shaded.
    chance_level_, best_ : matplotlib Line2D or None
        The curves for items in random order and in the best order, if they are drawn.
    band_ : matplotlib PolyCollection
        The band around the curve, once :meth:`.plot_band` has drawn it.
    ax_, figure_ : matplotlib Axes and Figure
        The axes with the curve, and their figure.

    See Also
    --------
    arac_curve : Computes the curve.
    displays.draw_curves : Draws the curves of several models.

    Notes
    -----
    ``ylim="fit"`` shows the curve down to 1.5 times the largest allowed error rate.

    Examples
    --------
    >>> import fastarac as fa
    >>> sweep = fa.threshold_sweep([1, 1, 0, 1], [0.9, 0.8, 0.7, 0.6])
    >>> display = fa.displays.ARACDisplay.from_sweep(sweep, name="model", max_error_rate=0.1)
    >>> display.line_.get_label()
    'model (ARAC-AUC = 0.906)'
    >>> display.points_.get_xdata()
    array([0.5])
    >>> from matplotlib import pyplot as plt
    >>> plt.close(display.figure_)
    """

    acceptance_rate: FloatArray
    accuracy_after_correction: FloatArray
    _: KW_ONLY
    max_error_rate: tuple[float, ...] = ()
    operating_points: tuple[OperatingPoint, ...] = ()
    point_labels: tuple[str, ...] = ()

    points_: Line2D | None = field(init=False)
    shades_: tuple[PolyCollection, PolyCollection] | None = field(init=False)

    _arrays = ("acceptance_rate", "accuracy_after_correction")
    _labels = ("Acceptance rate", "Accuracy after correction")
    _measure = "ARAC-AUC"
    _band_of = "arac"
    _bounds = "arac_auc"
    _best = 1.0

    @classmethod
    def from_sweep(
        cls,
        sweep: ThresholdSweep | BoundedSweep,
        *,
        name: str | None = None,
        ax: Axes | None = None,
        max_error_rate: float | Sequence[float] = (),
        **options: Any,
    ) -> Self:
        """Draw the ARAC curve of a threshold sweep.

        Parameters
        ----------
        sweep : ThresholdSweep or BoundedSweep
            The counts at every threshold. For a :class:`.BoundedSweep`, draw the curve that the items
            have in the worst possible order, and a band up to the curve in the best order; no operating
            points are marked.
        name, ax : str and matplotlib Axes, optional
            The name of the model, for the legend, and the axes to draw on; by default a new figure.
        max_error_rate : float or sequence of float, default=()
            Allowed error rates: each is drawn as a dashed line. On the curve, the point of highest
            acceptance within each limit is marked with its threshold.
        **options
            Keywords of :meth:`.plot`.

        Returns
        -------
        display : ARACDisplay
        """
        rates = tuple(np.atleast_1d(max_error_rate).tolist())
        if isinstance(sweep, BoundedSweep):
            display = cls._of(sweep.order(best=False))
            display.name, display.max_error_rate = name, rates
            return display._plot_bounded(sweep, ax, options)  # noqa: SLF001
        display = cls._of(require_items(sweep, cls))
        display.name, display.max_error_rate = name, rates
        display.operating_points = tuple(
            operating_point(sweep, max_error_rate=rate) for rate in display.max_error_rate
        )
        display.point_labels = tuple(
            at_least(threshold(point.threshold, sweep)) for point in display.operating_points
        )
        return display.plot(ax, **options)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        shade_areas: bool = False,
        plot_thresholds: bool = True,
        **options: Any,
    ) -> Self:
        """Draw the curve and the marks of its operating points.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            The axes to draw on; by default a new figure.
        shade_areas : bool, default=False
            Whether to shade the two parts of the ARAC-AUC: A_U between the curve and β, and the
            rectangle A_L below β, where β is the share of correct items. The axes show only the top of
            A_L.
        plot_thresholds : bool, default=True
            Whether to write the thresholds of the operating points beside their marks, if they fit.
        **options
            `plot_best_possible`, and the keywords of :meth:`.RocCurveDisplay.plot`.

        Returns
        -------
        display : ARACDisplay
        """
        super().plot(ax, **options)
        self.points_ = None
        with_thresholds = plot_thresholds and any(self.point_labels)
        if self.operating_points:
            x = [point.acceptance_rate for point in self.operating_points]
            y = [point.accuracy_after_correction for point in self.operating_points]
            self.points_ = draw_marks(
                self.ax_, self.line_, x, y, THRESHOLDS if with_thresholds else "_points"
            )
            self._draw_legend()
        self.shades_ = None
        if shade_areas:
            self.shades_ = self._shade()
            draw_legend(self.ax_, "lower right")  # elsewhere, the legend would cover the curve
        draw_limits(self.ax_, self.max_error_rate)
        if self.points_ is not None and with_thresholds:
            label_marks(self.ax_, self.points_, self.point_labels)
        return self

    @classmethod
    def _of(cls, sweep: ThresholdSweep) -> Self:
        return cls(sweep.acceptance_rate, sweep.accuracy_after_correction, area=arac_auc_score(sweep))

    @staticmethod
    def _height(x: FloatArray, correct: FloatArray) -> FloatArray:
        return 1 - (x - correct)

    def _fitted(self) -> Range:
        if not self.max_error_rate:
            return super()._fitted()
        limit = 1 - max(self.max_error_rate)
        lowest = 1 - BELOW_LIMITS * max(self.max_error_rate)
        lowest = min([lowest, *(at.accuracy_after_correction for at in self.operating_points)])
        lowest = max(float(self.accuracy_after_correction.min()), lowest)
        # The line of the allowed error rate is in view even if the whole curve is above it.
        return with_margin(min(lowest, limit), 1.0)

    def _draw_band(
        self, x: FloatArray, low: FloatArray, high: FloatArray, style: dict[str, Any]
    ) -> None:
        super()._draw_band(x, low, high, style)
        draw_limits(self.ax_)

    def _shade(self) -> tuple[PolyCollection, PolyCollection]:
        """Shade and name the areas A_U and A_L of Kimura et al. 2024, figure 5."""
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


def draw_limits(ax: Axes, error_rates: Sequence[float] = ()) -> None:
    """Draw a dashed line for each allowed error rate, and write the rate beside it.

    Existing lines are drawn again, because each new curve may change the axis and move the texts.
    """
    rates = set(error_rates)
    for artist in [*ax.lines, *ax.texts]:
        label = str(artist.get_label())
        if label.startswith(LIMIT):
            rates.add(float(label.removeprefix(LIMIT)))
            artist.remove()
    low, high = ax.get_ylim()
    height_of_name = 1.0 + NAME_HEIGHT
    for rate in sorted(rates):
        # A line outside the view has no text; later curves may extend the view to it.
        guide = GUIDE | {"linewidth": 0.8, "linestyle": (0, (4, 3)), "zorder": 1}
        ax.axhline(1 - rate, label=f"{LIMIT}{rate!r}", **guide)
        if 1 - rate <= low:
            continue
        height_of_name = min((1 - rate - low) / (high - low), height_of_name - NAME_HEIGHT)
        ax.annotate(
            f"{percent(rate)} errors",
            (1, height_of_name),
            xycoords="axes fraction",
            xytext=(4, 0),
            textcoords="offset points",
            verticalalignment="center",
            color=GUIDE["color"],
            label=f"{LIMIT}{rate!r}",
        )
