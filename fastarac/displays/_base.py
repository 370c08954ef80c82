"""Base classes of all displays."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from fastarac._core.text import rounded
from fastarac.bounds.bounded import BoundedSweep
from fastarac.displays._folds import FoldsDisplay, draw_folds, name_folds
from fastarac.displays._style import (
    BAND_OPACITY,
    axes_or_new,
    canonical,
    draw_guide,
    draw_legend,
    draw_line,
    legend_name,
    next_style,
)
from fastarac.dropins._responses import folds_of, scores_of
from fastarac.dropins.correctness import correctness
from fastarac.samples.door import threshold_sweep
from fastarac.sweep import ThresholdSweep, whole_sweep

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from numpy.typing import ArrayLike

    from fastarac.displays._style import FloatArray, LegendPlace
    from fastarac.displays.decimation import Range

MARGIN = 0.04  # total margin of an axis, as a share of its range
SIDES = (-MARGIN / 2, 1 + MARGIN / 2)
SMALLEST_RANGE = 1e-4  # minimum range of a vertical axis


def require_items(sweep: ThresholdSweep, display: type) -> ThresholdSweep:
    """Return `sweep`; raise unless it has the counts at all thresholds."""
    if isinstance(sweep, BoundedSweep):
        raise TypeError(
            f"sweep is a BoundedSweep, but {display.__name__} draws only a ThresholdSweep; displays of "
            "curves, such as ARACDisplay, draw bounds"
        )
    return whole_sweep(sweep)


@dataclass(eq=False, repr=False)
class Display:
    """Base class of all displays."""

    _: KW_ONLY
    name: str | None = None

    ax_: Axes = field(init=False)
    figure_: Figure = field(init=False)
    line_: Line2D = field(init=False)
    chance_level_: Line2D | None = field(init=False)

    _arrays: ClassVar[tuple[str, ...]] = ()
    _labels: ClassVar[tuple[str, ...]]
    _area: ClassVar[str] = ""
    _measure: ClassVar[str] = ""
    _legend: ClassVar[LegendPlace] = "best"
    _style: ClassVar[dict[str, Any]] = {}
    _projection: ClassVar[str | None] = None
    _plots_chance_level: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for array in self._arrays:
            setattr(self, array, np.asarray(getattr(self, array), np.float64))

    def __repr__(self) -> str:
        label = (self._label(self.name) or "").replace(r"\$", "$")
        drawn = ", drawn" if hasattr(self, "ax_") else ""
        return f"<{type(self).__name__}{label and f' {label!r}'}{drawn}>"

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        plot_chance_level: Literal["own"] | bool | None = None,
        chance_level_kw: Mapping[str, Any] | None = None,
        despine: bool = False,
        ylim: Literal["fit"] | Range | None = None,
    ) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            The axes to draw on; by default a new figure.
        name : str, optional
            The name of the model in the legend; by default, the display's own `name`.
        curve_kwargs : dict, optional
            Keywords for the matplotlib function that draws the curve (``plot`` for a line). By default,
            use the first colour and line style of the cycle that no line in the axes has.
        plot_chance_level : bool or "own", optional
            Whether to draw the curve of an uninformative confidence; several displays in the same axes
            draw it once. By default, only cost displays draw it. "own" means in the colour of the
            curve.
        chance_level_kw : dict, optional
            Keywords of matplotlib's ``plot`` for the chance level.
        despine : bool, default=False
            Whether to leave out the upper and right sides of the frame.
        ylim : "fit" or tuple of two float, optional
            The range of the vertical axis; "fit" shows only the range of the curve.

        Returns
        -------
        display
        """
        self.ax_ = axes_or_new(ax, self._projection)
        self.figure_ = self.ax_.figure.canvas.figure
        label = self._label(self.name if name is None else name)
        style = canonical(curve_kwargs)
        cycle = {} if "color" in style else self._cycle()
        self._draw({} if label is None else {"label": label}, cycle | self._style | style, ylim)
        self.ax_.set(**dict(zip(("xlabel", "ylabel", "zlabel"), self._axis_labels(), strict=False)))
        self.chance_level_ = None
        if self._plots_chance_level if plot_chance_level is None else plot_chance_level:
            chance = canonical(chance_level_kw)
            if plot_chance_level == "own":
                chance = {"color": self.line_.get_color(), "label": "Chance levels"} | chance
            self._draw_chance_level(chance)
        if despine:
            self._despine()
        self._draw_legend()
        return self

    def _label(self, name: str | None) -> str | None:
        return legend_name(name, self._measure, getattr(self, self._area, None), self._text)

    def _cycle(self) -> dict[str, Any]:
        return next_style(self.ax_)

    def _draw_legend(self) -> None:
        draw_legend(self.ax_, self._legend)

    def _curve(self) -> tuple[FloatArray, ...]:
        return tuple(getattr(self, array) for array in self._arrays)

    def _vertices(self, _style: dict[str, Any]) -> tuple[FloatArray, FloatArray]:
        """Return the vertices to draw, in units of the axes."""
        x, y = self._curve()[:2]
        return x, y

    def _axis_labels(self) -> tuple[str, ...]:
        return self._labels

    def _text(self, value: float) -> str:
        return rounded(value)

    def _view(self) -> tuple[Range, Range]:
        """Return the axis ranges needed to show the curve."""
        raise NotImplementedError

    def _fitted(self) -> Range:
        """Return the range of the vertical axis for ``ylim="fit"``."""
        heights = self._curve()[1]
        return with_margin(float(np.nanmin(heights)), float(np.nanmax(heights)))

    def _chance_level(self) -> dict[str, tuple[FloatArray, ...]]:
        """Return the lines of the chance level by their names in the legend."""
        raise NotImplementedError

    def _draw(
        self, label: dict[str, str], style: dict[str, Any], ylim: Literal["fit"] | Range | None
    ) -> None:
        xlim, view = self._view()
        if ylim is not None:
            view = self._fitted() if ylim == "fit" else ylim
        before = (self.ax_.get_xlim(), self.ax_.get_ylim()) if self.ax_.has_data() else (xlim, view)
        x, y = self._vertices(style)
        self.line_ = draw_line(self.ax_, x, y, label | style, xlim, view)
        self.ax_.set_xlim(_union(xlim, before[0]))
        self.ax_.set_ylim(ylim if isinstance(ylim, tuple) else _union(view, before[1]))
        plain_numbers(self.ax_)

    def _draw_chance_level(self, style: dict[str, Any]) -> None:
        lines = [
            draw_guide(self.ax_, points, {"label": name} | style)
            for name, points in self._chance_level().items()
        ]
        self.chance_level_ = lines[0]

    def _fill(
        self, x: FloatArray, low: FloatArray, high: FloatArray, style: dict[str, Any]
    ) -> PolyCollection:
        """Shade the area between two curves in the line's colour; the axes' legend lists it once."""
        names = {str(band.get_label()) for band in self.ax_.collections}
        if style["label"] in names:
            style = style | {"label": f"_{style['label']}"}
        behind = self.line_.get_zorder() - 0.4
        plain = {
            "color": self.line_.get_color(),
            "alpha": BAND_OPACITY,
            "linewidth": 0,
            "zorder": behind,
        }
        return self.ax_.fill_between(x, low, high, **plain | style)

    def _despine(self) -> None:
        for side in ("top", "right"):
            self.ax_.spines[side].set_visible(False)


@dataclass(eq=False, repr=False)
class IntervalDisplay(Display):
    """A line with an interval around each point; its arrays are, in order, x, y, low and high."""

    band_: PolyCollection = field(init=False)

    _band: ClassVar[str]
    _plots_chance_level = True

    def plot(self, ax: Axes | None = None, **options: Any) -> Self:
        """Draw the line and its intervals, with the keywords of :meth:`.RocCurveDisplay.plot`."""
        super().plot(ax, **options)
        x, _, low, high = self._curve()
        # Without an outline, the band of a single point would be invisible.
        alone = {"linewidth": 2} if len(x) == 1 else {}
        self.band_ = self._fill(x, low, high, {"label": self._band} | alone)
        self._draw_legend()
        return self


@dataclass(eq=False, repr=False)
class ItemDisplay(Display):
    """A display of items that are either correct or incorrect."""

    _fills_axes: ClassVar[bool] = False
    # Options with other defaults for the folds of a cross-validation.
    _of_folds: ClassVar[dict[str, Any]] = {}

    @classmethod
    def from_predictions(
        cls,
        correct: ArrayLike,
        confidence: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        **options: Any,
    ) -> Self:
        """Draw the display of items.

        Parameters
        ----------
        correct, confidence : array_like of shape (n,)
            Whether each output is right (bool, or 0 and 1), and its confidence, a finite number.
        sample_weight : array_like of shape (n,), optional
            The weight of each item.
        **options
            Keywords of ``from_sweep``.

        Returns
        -------
        display
        """
        sweep = threshold_sweep(correct, confidence, sample_weight=sample_weight)
        return cls.from_sweep(sweep, **options)

    @classmethod
    def from_sweep(
        cls, sweep: ThresholdSweep, *, name: str | None = None, ax: Axes | None = None, **options: Any
    ) -> Self:
        """Draw the display of a threshold sweep.

        Parameters
        ----------
        sweep : ThresholdSweep
            The counts at every threshold.
        name, ax : str and matplotlib Axes, optional
            The name of the model, and the axes to draw on; by default a new figure.
        **options
            Keywords of :meth:`.plot`.

        Returns
        -------
        display
        """
        display = cls._of(require_items(sweep, cls))
        display.name = name
        return display.plot(ax, **options)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        response_method: Literal["auto", "predict_proba", "decision_function"] = "auto",
        name: str | None = None,
        **options: Any,
    ) -> Self:
        """Draw the display for a classifier's predictions, as scikit-learn's displays do.

        Parameters
        ----------
        estimator : estimator
            A fitted classifier, or a pipeline that ends in one.
        X : array_like of shape (n, n_features)
            The rows of features.
        y : array_like of shape (n,)
            Their true classes.
        sample_weight : array_like of shape (n,), optional
            The weight of each row.
        response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
            The method that gives the scores; "auto" uses the first of them that the estimator has.
        name : str, optional
            The name of the model; by default the name of the estimator's class.
        **options
            Keywords of ``from_predictions``; for curves of two classes also `pos_label`, which is the
            second of ``classes_`` by default.

        Returns
        -------
        display

        Raises
        ------
        ValueError, TypeError
            If the estimator gives no scores, or if a curve for two classes gets another number of
            classes.

        Notes
        -----
        :func:`.correctness` turns the scores into correctness and confidence.
        """
        items, options = cls._of_estimator(estimator, X, y, response_method, options)
        name = type(estimator).__name__ if name is None else name
        return cls.from_predictions(*items, sample_weight=sample_weight, name=name, **options)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        response_method: Literal["auto", "predict_proba", "decision_function"] = "auto",
        name: str | Sequence[str] | None = None,
        ax: Axes | None = None,
        curve_kwargs: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
        chance_level_kwargs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> FoldsDisplay:
        """Draw one display per cross-validation fold, as scikit-learn's displays do.

        Parameters
        ----------
        cv_results : dict
            The result of scikit-learn's ``cross_validate`` with ``return_estimator=True`` and
            ``return_indices=True``.
        X : array_like of shape (n, n_features)
            The rows given to ``cross_validate``.
        y : array_like of shape (n,)
            Their true classes.
        sample_weight : array_like of shape (n,), optional
            The weight of each row.
        response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
            The method that gives the scores.
        name : str or sequence of str, optional
            The name of the model; or, with a list of `curve_kwargs`, one name per fold.
        ax : matplotlib Axes, optional
            The axes to draw on; by default a new figure.
        curve_kwargs : dict or list of dict, optional
            As for :meth:`.FoldsDisplay.plot`.
        chance_level_kwargs : dict, optional
            The same keywords that other methods take as `chance_level_kw`.
        **options
            Keywords of ``from_estimator``.

        Returns
        -------
        display : FoldsDisplay
            The displays of all folds, drawn.

        Raises
        ------
        ValueError, TypeError
            If the results have no estimators or indices, or were computed on another number of rows.
            Also the errors of ``from_estimator``.
        """
        if cls._fills_axes:
            raise TypeError(f"{cls.__name__} fills its axes and cannot draw several folds in them")
        draw = [
            partial(
                cls.from_estimator, estimator, rows, truth, sample_weight=weight,
                response_method=response_method, chance_level_kw=chance_level_kwargs,
            )
            for estimator, rows, (truth, weight) in folds_of(cv_results, X, y, sample_weight)
        ]  # fmt: skip
        folds = draw_folds(draw, name, curve_kwargs, ax, cls._of_folds | options)
        found = [area for fold in folds if (area := getattr(fold, cls._area, None)) is not None]
        shown = FoldsDisplay(folds, measure=cls._measure, area=found, name=name)
        name_folds(shown, name, curve_kwargs)
        return shown

    @classmethod
    def _of_estimator(
        cls, estimator: Any, X: Any, y: ArrayLike, response_method: str, options: dict[str, Any]
    ) -> tuple[tuple[ArrayLike, ArrayLike], dict[str, Any]]:
        """Return the two arrays and the options with which to call ``from_predictions``."""
        scores, threshold = scores_of(estimator, X, response_method)
        return correctness(y, scores, classes=estimator.classes_, threshold=threshold), options

    @classmethod
    def _of(cls, sweep: ThresholdSweep) -> Self:
        raise NotImplementedError


def _union(one: Range, other: Range) -> Range:
    return min(one[0], other[0]), max(one[1], other[1])


def with_margin(low: float, high: float) -> Range:
    margin = MARGIN * max(high - low, SMALLEST_RANGE)
    return low - margin, high + margin


def level(name: str, ends: Range, height: float) -> dict[str, tuple[FloatArray, ...]]:
    """Return a horizontal line as a chance level."""
    return {name: (np.array(ends), np.full(2, height))}


def diagonal(name: str, ends: Range) -> dict[str, tuple[FloatArray, ...]]:
    """Return the diagonal y = x as a chance level."""
    return {name: (np.array(ends), np.array(ends))}


def plain_numbers(ax: Axes) -> None:
    """Turn off the offset notation on the vertical axis."""
    from matplotlib.ticker import ScalarFormatter

    if isinstance(ax.yaxis.get_major_formatter(), ScalarFormatter):
        ax.ticklabel_format(axis="y", useOffset=False)
