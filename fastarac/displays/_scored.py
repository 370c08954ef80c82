"""What the displays that scikit-learn has too share: labels of any two classes, and two rates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from fastarac._core.sorting import sweep_arrays
from fastarac.displays._base import WHOLE, Display, add_legend, canonical, draw_line
from fastarac.sklearn.curves import read_binary, read_scores
from fastarac.sweep import ThresholdSweep, trusted_sweep

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from numpy.typing import ArrayLike

    from fastarac.displays._base import FloatArray, LegendPlace

    Label = float | str | None

SQUARE = (-0.01, 1.01)


class ScoredDisplay(Display):
    """A curve of scores for two classes."""

    pos_label: Label
    line_: Line2D

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        pos_label: Label = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the curve of items.

        Parameters
        ----------
        y_true : array_like of shape (n,)
            Labels of two classes.
        y_score : array_like of shape (n,)
            Real and finite; higher for the positive class.
        sample_weight : array_like of shape (n,), optional
            The weight of each item.
        pos_label : int, float, bool or str, optional
            Label of the positive class. May be left out where the labels are 0 and 1, or -1 and 1.
        **kwargs : dict
            What ``from_sweep`` takes by keyword.

        Returns
        -------
        display
            The display, drawn.
        """
        labels = read_binary(y_true, pos_label)[1]
        sweep = trusted_sweep(*sweep_arrays(read_scores(labels, y_score, sample_weight)))
        return cls.from_sweep(sweep, pos_label=1 if pos_label is None else pos_label, **kwargs)

    @classmethod
    def from_sweep(
        cls,
        sweep: ThresholdSweep,
        *,
        name: str | None = None,
        ax: Axes | None = None,
        pos_label: Label = None,
        drop_intermediate: bool | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the curve of a threshold sweep.

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
        drop_intermediate : bool, optional
            Whether the arrays of the display leave out points, as the function that computes the
            curve does; as scikit-learn's display if left out. The picture is the same.
        **kwargs : dict
            What :meth:`.plot` takes by keyword.

        Returns
        -------
        display
            The display, drawn.
        """
        options = {} if drop_intermediate is None else {"drop_intermediate": drop_intermediate}
        display = cls._of(sweep, name, **options)
        display.pos_label = pos_label
        return display.plot(ax, **kwargs)

    def _label_of_axis(self, rate: str) -> str:
        return rate if self.pos_label is None else f"{rate} (Positive label: {self.pos_label})"


class SquareDisplay(ScoredDisplay):
    """A curve of two rates from 0 to 1, in a square."""

    _labels: ClassVar[tuple[str, str]]
    _legend: ClassVar[LegendPlace]
    _style: ClassVar[dict[str, Any]] = {}

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        curve_kwargs: dict[str, Any] | None = None,
        plot_chance_level: bool = False,
        chance_level_kw: dict[str, Any] | None = None,
        despine: bool = False,
        **kwargs: Any,
    ) -> Self:
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if left out.
        name : str, optional
            The name of the model, for the legend, instead of the display's own.
        curve_kwargs : dict, optional
            Passed on to matplotlib's ``plot``, for the curve; scikit-learn's name for `kwargs`.
        plot_chance_level : bool, default=False
            Whether to draw the curve of scores that say nothing. Where it is in the axes already, it
            is not drawn again.
        chance_level_kw : dict, optional
            Passed on to matplotlib's ``plot``, for the chance level.
        despine : bool, default=False
            Whether to leave out the upper and the right side of the frame.
        **kwargs : dict
            Passed on to matplotlib's ``plot``, for the curve.

        Returns
        -------
        display
            The display itself.
        """
        super().plot(ax, name=name, **(curve_kwargs or {}), **kwargs)
        self.chance_level_: Line2D | None = None
        if plot_chance_level:
            self.chance_level_ = self._draw_chance_level(chance_level_kw or {})
            add_legend(self.ax_, self.chance_level_, self._legend)
        if despine:
            for side in ("top", "right"):
                self.ax_.spines[side].set_visible(False)
            for side in ("bottom", "left"):
                self.ax_.spines[side].set_bounds(0, 1)
        return self

    def _curve(self) -> tuple[FloatArray, FloatArray]:
        raise NotImplementedError

    def _label(self, name: str | None) -> dict[str, str]:
        raise NotImplementedError

    def _chance_level(self) -> tuple[tuple[float, float], str]:
        """Return the heights of the chance level on the left and on the right, and its name."""
        raise NotImplementedError

    def _draw(self, name: str | None, kwargs: dict[str, Any]) -> None:
        style = self._style | self._label(name) | canonical(kwargs)
        self.line_ = draw_line(self.ax_, *self._curve(), style, WHOLE, WHOLE)
        x_label, y_label = (self._label_of_axis(rate) for rate in self._labels)
        self.ax_.set(xlabel=x_label, ylabel=y_label, xlim=SQUARE, ylim=SQUARE, aspect="equal")
        add_legend(self.ax_, self.line_, self._legend)

    def _draw_chance_level(self, kwargs: dict[str, Any]) -> Line2D:
        heights, name = self._chance_level()
        style = {"color": "k", "linestyle": "--", "label": name} | canonical(kwargs)
        for line in self.ax_.lines:
            same = (line.get_label(), line.get_color()) == (style["label"], style["color"])
            if same and np.array_equal(line.get_ydata(), heights):
                return line
        (line,) = self.ax_.plot(WHOLE, heights, **style)
        return line
