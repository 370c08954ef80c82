"""Base classes of curves with bands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from fastarac._core.exceptions import undefined_is_nan
from fastarac._core.text import rounded, significant
from fastarac.bounds.bounded import BoundedSweep
from fastarac.curves import steps_of
from fastarac.displays._base import MARGIN, SIDES, SMALLEST_RANGE, ItemDisplay, with_margin
from fastarac.displays._style import FloatArray, draw_guide

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D

    from fastarac.bounds.extremes import Bounds
    from fastarac.displays.decimation import Range
    from fastarac.sweep import ThresholdSweep
    from fastarac.uncertainty.bands import ConfidenceBand

Band = tuple[FloatArray, FloatArray, FloatArray]  # x, lower edge, upper edge

ENOUGH_ACCEPTED = 0.01  # the axis need not show lower acceptance rates, where few items decide


@dataclass(eq=False, repr=False)
class BoundedDisplay(ItemDisplay):
    """A curve that can also be drawn from counts in bins, as a band that contains the true curve."""

    band_: PolyCollection | None = field(init=False)

    # The attribute of `BoundedSweep` with the bounds of the area, which the legend shows.
    _bounds: ClassVar[str] = ""

    @classmethod
    def from_sweep(
        cls,
        sweep: ThresholdSweep | BoundedSweep,
        *,
        name: str | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Draw the display of a threshold sweep.

        Parameters
        ----------
        sweep : ThresholdSweep or BoundedSweep
            The counts at every threshold. For a :class:`.BoundedSweep`, draw the curve that the items
            have in the worst possible order, and a band (`band_`) up to the curve in the best order.
            The true curve is inside this band.
        name, ax : str and matplotlib Axes, optional
            The name of the model, and the axes to draw on; by default a new figure.
        **options
            Keywords of :meth:`.plot`; for curves of two classes also `pos_label`.

        Returns
        -------
        display
        """
        if not isinstance(sweep, BoundedSweep):
            return super().from_sweep(sweep, name=name, ax=ax, **options)
        display = cls._of_worst(sweep)
        display.name = name
        if "pos_label" in options:
            vars(display)["pos_label"] = options.pop("pos_label")
        return display._plot_bounded(sweep, ax, options)  # noqa: SLF001

    @classmethod
    def _of_worst(cls, sweep: BoundedSweep) -> Self:
        return cls._of(sweep.order(best=False, steps=steps_of(sweep)))

    def _plot_bounded(self, sweep: BoundedSweep, ax: Axes | None, options: dict[str, Any]) -> Self:
        """Draw the curve for the worst order of the items, and a band up to that for the best order."""
        best = self._of(sweep.order(best=True, steps=steps_of(sweep)))
        said = "between the bounds"
        if self._measure:
            area = self._area_between(sweep)
            said = f"{self._measure} {area}" if area.width else f"{self._measure} = {area}"
            # In the legend, the band has the bounds of the area, and the curve has none.
            setattr(self, self._area, None)
        self.plot(ax, **options)
        self._draw_band(*self._between(sweep, best), {"label": said})
        return self

    def _area_between(self, sweep: BoundedSweep) -> Bounds:
        with undefined_is_nan():
            area: Bounds = getattr(sweep, self._bounds)
        return area

    def _between(self, sweep: BoundedSweep, best: Self) -> Band:  # noqa: ARG002
        """Return x, and the lowest and the highest possible value of the curve at each x."""
        return between(self._curve()[:2], best._curve()[:2])

    def _draw_band(
        self, x: FloatArray, low: FloatArray, high: FloatArray, style: dict[str, Any]
    ) -> None:
        self.band_ = self._fill(x, low, high, style)
        self._draw_legend()


def between(*curves: tuple[FloatArray, ...]) -> Band:
    """Return x, and the lower and the higher of the two curves at each x."""
    ends = np.concatenate([x for x, _ in curves])
    # Include both ends of each vertical step.
    places = np.union1d(ends, np.clip(np.nextafter(ends, -1.0), 0.0, 1.0))
    heights = [np.interp(places, x, y) for x, y in curves]
    return places, np.minimum(*heights), np.maximum(*heights)


@dataclass(eq=False, repr=False)
class BandedDisplay(BoundedDisplay):
    """A curve around which a bootstrap band can be drawn."""

    _band_of: ClassVar[str]

    def plot_band(self, band: ConfidenceBand, **kwargs: Any) -> Self:
        """Draw a bootstrap band around the curve; call :meth:`.plot` first.

        The vertical axis is extended to show the band at acceptance rates of at least 1%, unless the
        axis cuts off the curve.

        Parameters
        ----------
        band : ConfidenceBand
            The result of :func:`.bootstrap_band` for the same curve.
        **kwargs
            Keywords of matplotlib's ``fill_between``.

        Returns
        -------
        display
            The display itself, with the band in its attribute `band_`.

        Raises
        ------
        ValueError
            If the band was computed for another kind of curve.
        AttributeError
            If the curve has not been drawn.
        """
        if band.curve != self._band_of:
            raise ValueError(
                f"band must belong to the curve {self._band_of!r} for {type(self).__name__}, but "
                f"belongs to {band.curve!r}"
            )
        name = f"{100 * band.confidence_level:g}% band, {band.kind}"
        self._draw_band(band.x, band.low, band.high, {"label": name} | kwargs)
        return self

    def _draw_band(
        self, x: FloatArray, low: FloatArray, high: FloatArray, style: dict[str, Any]
    ) -> None:
        bottom, top = self.ax_.get_ylim()
        margin = MARGIN * (top - bottom)
        super()._draw_band(x, low, high, style)
        shown = x >= ENOUGH_ACCEPTED
        across, up, *_ = self._curve()
        heights = np.interp(x, across, up)[shown]
        if not ((heights >= bottom) & (heights <= top)).all():
            return  # the user's axis cuts off part of the curve, so it may cut off the band, too
        self.ax_.set_ylim(
            min(bottom, np.nanmin(low[shown], initial=np.inf) - margin),
            max(top, np.nanmax(high[shown], initial=-np.inf) + margin),
        )


@dataclass(eq=False, repr=False)
class AcceptanceDisplay(BandedDisplay):
    """A curve over the acceptance rate."""

    _: KW_ONLY
    area: float | None = None

    best_: Line2D | None = field(init=False)

    _area = "area"
    _best: ClassVar[float]

    def plot(
        self,
        ax: Axes | None = None,
        *,
        plot_best_possible: Literal["own"] | bool = False,
        **options: Any,
    ) -> Self:
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            The axes to draw on; by default a new figure.
        plot_best_possible : bool or "own", default=False
            Whether to draw the curve of the best possible order of the same items, with all correct
            items first. "own" means in the colour of the curve.
        **options
            `name`, `curve_kwargs`, `plot_chance_level`, `chance_level_kw`, `despine` and `ylim` as for
            :meth:`.RocCurveDisplay.plot`. The chance level is the curve that results from accepting
            items at random.

        Returns
        -------
        display
        """
        super().plot(ax, **options)
        self.best_ = None
        if plot_best_possible:
            points = self._curve_of_order(np.minimum)
            style = {"label": "Best possible", "linestyle": ":", "linewidth": 1.3}
            if plot_best_possible == "own":
                style["color"] = self.line_.get_color()
            self.best_ = draw_guide(self.ax_, points, style)
            self._draw_legend()
        return self

    @staticmethod
    def _height(x: FloatArray, correct: FloatArray) -> FloatArray:
        """Return y at acceptance rate `x`; `correct` is the share of accepted, correct items."""
        raise NotImplementedError

    def _curve_of_order(
        self, right: Callable[[FloatArray, float], FloatArray]
    ) -> tuple[FloatArray, ...]:
        """Return the curve for an order of the items, such as the best one.

        ``right(x, beta)`` is the share of items that are accepted and correct at acceptance rate x, if
        beta is the share of correct items.
        """
        beta = float(self._curve()[1][-1])
        beta = beta if self._best else 1 - beta
        x = np.union1d(np.linspace(0, 1, 501), beta)
        x[0] = 1e-300  # gives the limit for x → 0 instead of 0/0
        return x, self._height(x, right(x, beta))

    def _chance_level(self) -> dict[str, tuple[FloatArray, ...]]:
        x, y = self._curve_of_order(np.multiply)
        area = self._text(float(np.trapezoid(y, x)))
        return {f"Chance level ({self._measure} = {area})": (x, y)}

    def _text(self, value: float) -> str:
        return rounded(value) if self._best else significant(value)

    def _view(self) -> tuple[Range, Range]:
        low, high = self._heights()
        # A perfect curve is constant, but an axis needs a length.
        low = min(low, 1 - SMALLEST_RANGE) if self._best else 0.0
        high = 1.0 if self._best else max(high, SMALLEST_RANGE)
        return SIDES, with_margin(low, high)

    def _fitted(self) -> Range:
        low, high = self._heights()
        if self._best:
            low = min(low, high - SMALLEST_RANGE)
        return with_margin(low, max(high, low + SMALLEST_RANGE))

    def _heights(self) -> Range:
        """Return the range of y at acceptance rates of at least `ENOUGH_ACCEPTED`."""
        x, y = self._curve()
        first, shown = float(np.interp(ENOUGH_ACCEPTED, x, y)), y[np.searchsorted(x, ENOUGH_ACCEPTED) :]
        return (
            float(np.nanmin(shown, initial=first)),
            float(np.nanmax(shown, initial=first)),
        )
