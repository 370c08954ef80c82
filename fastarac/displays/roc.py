"""The ROC curve: true against false positive rates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fastarac._core.pairs import value_of_pairs
from fastarac.areas.arac import pair_counts
from fastarac.displays._bands import BandedDisplay
from fastarac.displays._base import legend_label
from fastarac.displays._scored import SquareDisplay
from fastarac.sklearn.curves import roc_curve

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from fastarac.displays._base import FloatArray
    from fastarac.displays._scored import Label
    from fastarac.sweep import ThresholdSweep


class RocCurveDisplay(BandedDisplay, SquareDisplay):
    """ROC curve visualization.

    Make it with ``from_predictions`` or ``from_sweep``, which draw it as well.

    Parameters
    ----------
    fpr : array_like of shape (n,)
        False positive rates, rising.
    tpr : array_like of shape (n,)
        True positive rates.
    roc_auc : float, optional
        The area under the curve, for the legend.
    name : str, optional
        The name of the model, for the legend.
    pos_label : int, float, bool or str, optional
        Label of the positive class, for the names of the axes.

    Attributes
    ----------
    line_ : matplotlib Line2D
        The curve. Of a long curve, it has the vertices that make a visible difference.
    chance_level_ : matplotlib Line2D or None
        The chance level, where it is asked for.
    band_ : matplotlib PolyCollection
        The band around the curve, once :meth:`.plot_band` has drawn it.
    ax_ : matplotlib Axes
        The axes with the curve.
    figure_ : matplotlib Figure
        The figure with the axes.

    See Also
    --------
    roc_curve : Computes the curve.
    roc_auc_score : Computes the area.

    Notes
    -----
    It looks like scikit-learn's, but for the number of decimals in the legend, and takes the same
    keywords for one curve.

    Examples
    --------
    >>> import fastarac as fa
    >>> y_true, y_score = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> display = fa.displays.RocCurveDisplay.from_predictions(y_true, y_score, name="model")
    >>> display.line_.get_label()
    'model (ROC-AUC = 0.750)'
    >>> from matplotlib import pyplot as plt
    >>> plt.close(display.figure_)
    """

    _band_of = "roc"
    _labels = ("False Positive Rate", "True Positive Rate")
    _legend = "lower right"

    def __init__(
        self,
        *,
        fpr: ArrayLike,
        tpr: ArrayLike,
        roc_auc: float | None = None,
        name: str | None = None,
        pos_label: Label = None,
    ) -> None:
        self.fpr = np.asarray(fpr, np.float64)
        self.tpr = np.asarray(tpr, np.float64)
        self.roc_auc = roc_auc
        self.name = name
        self.pos_label = pos_label

    @classmethod
    def _of(cls, sweep: ThresholdSweep, name: str | None, **options: Any) -> Self:
        fpr, tpr, _ = roc_curve(sweep, **options)
        area = value_of_pairs("roc_auc", pair_counts(sweep, None, None))
        return cls(fpr=fpr, tpr=tpr, roc_auc=area, name=name)

    def _curve(self) -> tuple[FloatArray, FloatArray]:
        return self.fpr, self.tpr

    def _label(self, name: str | None) -> dict[str, str]:
        return legend_label(name, "ROC-AUC", self.roc_auc)

    def _chance_level(self) -> tuple[tuple[float, float], str]:
        return (0.0, 1.0), "Chance level (ROC-AUC = 0.5)"
