"""Base classes of displays that scikit-learn has, too."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Self

from fastarac.displays._base import ItemDisplay, require_items
from fastarac.displays._style import WHOLE, draw_legend
from fastarac.dropins._arrays import read_scores
from fastarac.dropins._responses import scores_of_positives
from fastarac.dropins.curves import read_binary
from fastarac.samples.door import sweep_of_items

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

    from fastarac.displays.decimation import Range
    from fastarac.sweep import ThresholdSweep

    Label = float | str | None

SQUARE = (-0.01, 1.01)


@dataclass(eq=False, repr=False)
class ScoredDisplay(ItemDisplay):
    """A curve of scores for two classes."""

    _: KW_ONLY
    pos_label: Label = None

    @classmethod
    def from_predictions(  # type: ignore[override]  # its arguments are named as scikit-learn's
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        pos_label: Label = None,
        **options: Any,
    ) -> Self:
        """Draw the curve of items.

        Parameters
        ----------
        y_true, y_score : array_like of shape (n,)
            Labels of two classes, and scores (real and finite; higher for the positive class).
        sample_weight : array_like of shape (n,), optional
            The weight of each item.
        pos_label : int, float, bool or str, optional
            Label of the positive class. Optional if the labels are 0 and 1, or -1 and 1.
        **options
            Keywords of ``from_sweep``.

        Returns
        -------
        display
        """
        labels = read_binary(y_true, pos_label)[1]
        sweep = sweep_of_items(read_scores(labels, y_score, sample_weight))
        return cls.from_sweep(sweep, pos_label=1 if pos_label is None else pos_label, **options)

    @classmethod
    def from_sweep(
        cls,
        sweep: ThresholdSweep,
        *,
        name: str | None = None,
        ax: Axes | None = None,
        pos_label: Label = None,
        drop_intermediate: bool | None = None,
        **options: Any,
    ) -> Self:
        """Draw the curve of a threshold sweep.

        Parameters
        ----------
        sweep : ThresholdSweep
            The counts at every threshold.
        name, ax : str and matplotlib Axes, optional
            The name of the model, for the legend, and the axes to draw on; by default a new figure.
        pos_label : int, float, bool or str, optional
            Label of the positive class, for the names of the axes.
        drop_intermediate : bool, optional
            Whether to leave out points from the display's arrays, as for the function that computes the
            curve. The default is that of scikit-learn's display. The picture is the same either way.
        **options
            Keywords of :meth:`.plot`.

        Returns
        -------
        display
        """
        points = {} if drop_intermediate is None else {"drop_intermediate": drop_intermediate}
        display = cls._of(require_items(sweep, cls), **points)
        display.name, display.pos_label = name, pos_label
        return display.plot(ax, **options)

    @classmethod
    def _of_estimator(
        cls, estimator: Any, X: Any, y: ArrayLike, response_method: str, options: dict[str, Any]
    ) -> tuple[tuple[ArrayLike, ArrayLike], dict[str, Any]]:
        positive = options.get("pos_label")
        scores, label = scores_of_positives(estimator, X, response_method, positive)
        return (y, scores), options | {"pos_label": label}

    @classmethod
    def _of(cls, sweep: ThresholdSweep, **points: bool) -> Self:
        raise NotImplementedError

    def _axis_labels(self) -> tuple[str, ...]:
        if self.pos_label is None:
            return self._labels
        return tuple(f"{rate} (Positive label: {self.pos_label})" for rate in self._labels)


@dataclass(eq=False, repr=False)
class SquareDisplay(ScoredDisplay):
    """A curve of two rates, each from 0 to 1, drawn in a square."""

    def _view(self) -> tuple[Range, Range]:
        return SQUARE, SQUARE

    def _draw(self, label: dict[str, str], style: dict[str, Any], ylim: Any) -> None:
        super()._draw(label, style, ylim)
        self.ax_.set_aspect("equal" if ylim is None else "auto")

    def _draw_legend(self) -> None:
        # In a part of the square, the curve may run through the legend's usual position.
        draw_legend(self.ax_, "best" if self.ax_.get_aspect() == "auto" else self._legend)

    def _despine(self) -> None:
        super()._despine()
        for side, (low, high) in (("bottom", self.ax_.get_xlim()), ("left", self.ax_.get_ylim())):
            self.ax_.spines[side].set_bounds(max(low, WHOLE[0]), min(high, WHOLE[1]))
