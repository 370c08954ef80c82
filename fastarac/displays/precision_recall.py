"""The precision–recall curve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from fastarac._core.sorting import SweepArrays
from fastarac._core.text import rounded
from fastarac.displays._base import legend_label
from fastarac.displays._scored import SquareDisplay
from fastarac.sklearn._sums import precision_of
from fastarac.sklearn.curves import precision_recall_curve

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from fastarac.displays._base import FloatArray
    from fastarac.displays._scored import Label
    from fastarac.sweep import ThresholdSweep


class PrecisionRecallDisplay(SquareDisplay):
    """Precision–recall curve visualization.

    Make it with ``from_predictions`` or ``from_sweep``, which draw it as well.

    Parameters
    ----------
    precision : array_like of shape (n,)
        Precision at each threshold.
    recall : array_like of shape (n,)
        Recall at each threshold, falling or rising.
    average_precision : float, optional
        The average precision, for the legend.
    name : str, optional
        The name of the model, for the legend.
    pos_label : int, float, bool or str, optional
        Label of the positive class, for the names of the axes.
    prevalence_pos_label : float, optional
        Share of the positive class, the height of the chance level.

    Attributes
    ----------
    line_ : matplotlib Line2D
        The curve. Of a long curve, it has the vertices that make a visible difference.
    chance_level_ : matplotlib Line2D or None
        The chance level, where it is asked for.
    ax_ : matplotlib Axes
        The axes with the curve.
    figure_ : matplotlib Figure
        The figure with the axes.

    See Also
    --------
    precision_recall_curve : Computes the curve.
    average_precision_score : Computes the average precision.

    Notes
    -----
    It looks like scikit-learn's, but for the number of decimals in the legend, and takes the same
    keywords for one curve. The curve goes in steps, below which the average precision is the area;
    ``drawstyle="default"`` draws straight lines from point to point.

    Examples
    --------
    >>> import fastarac as fa
    >>> y_true, y_score = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> display = fa.displays.PrecisionRecallDisplay.from_predictions(y_true, y_score, name="model")
    >>> display.line_.get_label()
    'model (AP = 0.833)'
    >>> from matplotlib import pyplot as plt
    >>> plt.close(display.figure_)
    """

    _labels = ("Recall", "Precision")
    _legend = "lower left"
    _style: ClassVar = {"drawstyle": "steps-post"}

    def __init__(
        self,
        precision: ArrayLike,
        recall: ArrayLike,
        *,
        average_precision: float | None = None,
        name: str | None = None,
        pos_label: Label = None,
        prevalence_pos_label: float | None = None,
    ) -> None:
        self.precision = np.asarray(precision, np.float64)
        self.recall = np.asarray(recall, np.float64)
        self.average_precision = average_precision
        self.name = name
        self.pos_label = pos_label
        self.prevalence_pos_label = prevalence_pos_label

    @classmethod
    def _of(cls, sweep: ThresholdSweep, name: str | None, **options: Any) -> Self:
        precision, recall, _ = precision_recall_curve(sweep, **options)
        arrays = SweepArrays(sweep.thresholds, sweep.true_accepts, sweep.false_accepts)
        return cls(
            precision,
            recall,
            average_precision=precision_of(arrays)[0],
            name=name,
            prevalence_pos_label=sweep.recognition_rate,
        )

    def _curve(self) -> tuple[FloatArray, FloatArray]:
        return self.recall, self.precision

    def _label(self, name: str | None) -> dict[str, str]:
        return legend_label(name, "AP", self.average_precision)

    def _chance_level(self) -> tuple[tuple[float, float], str]:
        height = self.prevalence_pos_label
        if height is None:
            message = "prevalence_pos_label is None; the chance level is drawn at that height"
            raise ValueError(message)
        return (height, height), f"Chance level (AP = {rounded(height)})"
