"""What all displays share: where they draw, what they call a curve, and how they draw it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from fastarac._core.extras import require
from fastarac._core.text import printable, rounded, significant
from fastarac.displays._bands import BandedDisplay
from fastarac.displays._decimation import decimate, decimate_steps
from fastarac.sweep import ThresholdSweep, threshold_sweep

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D
    from numpy.typing import ArrayLike, NDArray

    from fastarac.displays._decimation import Range

    FloatArray = NDArray[np.float64]
    LegendPlace = Literal["best", "lower left", "lower right", "upper right"]

# Okabe and Ito's colours, which people with any colour vision can tell apart; without yellow, which
# is too pale for a line.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
LINE_STYLES = ("-", "--", "-.", ":")

WHOLE = (0.0, 1.0)
MARGIN = 0.04  # of the range of an axis
SMALLEST_RANGE = 1e-4  # of a vertical axis
ENOUGH_ACCEPTED = 0.01  # for shares of the accepted items not to be those of a few


class Display:
    """What all displays share: they are made of items or of a sweep, and drawn in axes."""

    name: str | None
    ax_: Axes
    figure_: Figure | SubFigure

    @classmethod
    def from_sweep(
        cls, sweep: ThresholdSweep, *, name: str | None = None, ax: Axes | None = None, **kwargs: Any
    ) -> Self:
        """Draw the display of a threshold sweep.

        Parameters
        ----------
        sweep : ThresholdSweep
            The counts at every threshold.
        name : str, optional
            The name of the model.
        ax : matplotlib Axes, optional
            Where to draw; a new figure if left out.
        **kwargs : dict
            What :meth:`.plot` takes by keyword.

        Returns
        -------
        display
            The display, drawn.
        """
        return cls._of(sweep, name).plot(ax, **kwargs)

    def plot(self, ax: Axes | None = None, *, name: str | None = None, **kwargs: Any) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if left out.
        name : str, optional
            The name of the model, instead of the display's own.
        **kwargs : dict
            Passed on to what draws it in matplotlib, such as ``plot`` for a line.

        Returns
        -------
        display
            The display itself.
        """
        self.ax_ = axes_or_new(ax)
        self.figure_ = self.ax_.figure
        self._draw(self.name if name is None else name, kwargs)
        return self

    @classmethod
    def _of(cls, sweep: ThresholdSweep, name: str | None) -> Self:
        raise NotImplementedError

    def _draw(self, name: str | None, kwargs: dict[str, Any]) -> None:
        raise NotImplementedError


class ItemDisplay(Display):
    """A display of items that are correct or not."""

    @classmethod
    def from_predictions(
        cls,
        correct: ArrayLike,
        confidence: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the display of items.

        Parameters
        ----------
        correct : array_like of shape (n,)
            Whether each output is right: bool, or 0 and 1.
        confidence : array_like of shape (n,)
            The confidence of each output, finite.
        sample_weight : array_like of shape (n,), optional
            The weight of each item.
        **kwargs : dict
            What ``from_sweep`` takes by keyword.

        Returns
        -------
        display
            The display, drawn.
        """
        sweep = threshold_sweep(correct, confidence, sample_weight=sample_weight)
        return cls.from_sweep(sweep, **kwargs)


class AcceptanceDisplay(BandedDisplay, ItemDisplay):
    """A curve over the acceptance rate.

    The vertical axis shows the curve where at least `ENOUGH_ACCEPTED` of the items are accepted, and
    the best value.
    """

    _measure: ClassVar[str]
    _labels: ClassVar[tuple[str, str]]
    _best: ClassVar[float]

    area: float | None
    line_: Line2D

    def _curve(self) -> tuple[FloatArray, FloatArray]:
        raise NotImplementedError

    def _draw(self, name: str | None, kwargs: dict[str, Any]) -> None:
        x, y = self._curve()
        heights = _heights(x, y, self._best)
        before = self.ax_.get_ylim() if self.ax_.has_data() else heights
        label = legend_label(name, self._measure, self.area, rounded if self._best else significant)
        self.line_ = draw_line(self.ax_, x, y, label | kwargs, WHOLE, heights)
        x_label, y_label = self._labels
        self.ax_.set(xlabel=x_label, ylabel=y_label, xlim=(-MARGIN / 2, 1 + MARGIN / 2))
        fit_height(self.ax_, heights, before)
        add_legend(self.ax_, self.line_)


def _heights(x: FloatArray, y: FloatArray, best: float) -> Range:
    shown = y[np.searchsorted(x, ENOUGH_ACCEPTED) :]
    first = np.interp(ENOUGH_ACCEPTED, x, y)
    if best:
        return float(np.nanmin(shown, initial=min(first, best - SMALLEST_RANGE))), best
    return best, float(np.nanmax(shown, initial=max(first, SMALLEST_RANGE)))


def fit_height(ax: Axes, heights: Range, before: tuple[float, float]) -> None:
    """Let the vertical axis end just outside these heights and those that it showed before."""
    from matplotlib.ticker import ScalarFormatter

    margin = MARGIN * (heights[1] - heights[0])
    ax.set_ylim(min(heights[0] - margin, *before), max(heights[1] + margin, *before))
    if isinstance(ax.yaxis.get_major_formatter(), ScalarFormatter):
        ax.ticklabel_format(axis="y", useOffset=False)


def draw_line(
    ax: Axes, x: FloatArray, y: FloatArray, kwargs: dict[str, Any], xlim: Range, ylim: Range
) -> Line2D:
    """Draw a curve with few vertices, as it looks where the axes show at least these ranges.

    A curve with markers keeps all vertices, as does one that is not finite or that turns back.
    """
    kwargs = canonical(kwargs)
    if not has_markers(kwargs) and _is_curve(x, y):
        style = kwargs.pop("drawstyle", kwargs.pop("ds", "default"))
        if style == "default":
            vertices = decimate(x, y, xlim=xlim, ylim=ylim)
            x, y = x[vertices], y[vertices]
        else:
            x, y = decimate_steps(x, y, style, xlim=xlim, ylim=ylim)
    (line,) = ax.plot(x, y, **kwargs)
    return line


def canonical(kwargs: dict[str, Any]) -> dict[str, Any]:
    """Return the keywords for a line with matplotlib's abbreviations, such as "c", in full."""
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    return normalize_kwargs(kwargs, Line2D)


def has_markers(kwargs: dict[str, Any]) -> bool:
    """Return whether a line has markers, where these keywords are in full."""
    from matplotlib import rcParams

    return kwargs.get("marker", rcParams["lines.marker"]) not in (None, "None", "none", "", " ")


def _is_curve(x: FloatArray, y: FloatArray) -> bool:
    steps = x[1:] >= x[:-1]
    one_way = steps.all() or (x[1:] <= x[:-1]).all()
    return bool(one_way and np.isfinite(x).all() and np.isfinite(y).all())


def axes_or_new(ax: Axes | None, projection: str | None = None) -> Axes:
    """Return `ax`, or the axes of a new pyplot figure."""
    if ax is not None:
        return ax
    require("matplotlib", "plot")
    from matplotlib import pyplot as plt

    figure = plt.figure(layout="constrained")
    return figure.add_subplot(projection=projection)


def line_style(index: int) -> dict[str, Any]:
    """Return the colour and the dashes of the curve of this index."""
    rounds, color = divmod(index, len(COLORS))
    return {"color": COLORS[color], "linestyle": LINE_STYLES[rounds % len(LINE_STYLES)]}


def add_legend(ax: Axes, line: Line2D, loc: LegendPlace = "best") -> None:
    """Draw the legend if this line has a name to show in it."""
    if not str(line.get_label()).startswith("_"):
        ax.legend(loc=loc)


def legend_name(
    name: str | None, measure: str, value: float | None, text: Callable[[float], str] = rounded
) -> str | None:
    """Return the name of a curve with its area, such as ``"svm (ARAC-AUC = 0.987)"``."""
    if name is not None:
        # matplotlib sets text between dollars as formulas, and hides names that begin with "_".
        name = printable(name).replace("$", r"\$")
        name = f" {name}" if name.startswith("_") else name
    if value is None:
        return name
    area = f"{measure} = {text(value)}"
    return area if name is None else f"{name} ({area})"


def legend_label(
    name: str | None, measure: str, value: float | None, text: Callable[[float], str] = rounded
) -> dict[str, str]:
    """Return the keyword for the name of a curve, if it has one."""
    label = legend_name(name, measure, value, text)
    return {} if label is None else {"label": label}
