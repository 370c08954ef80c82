"""The DET curve: false negative against false positive rates, on the scale of the normal deviate."""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fastarac._core.text import percent, significant
from fastarac.areas.precision_recall import equal_error_rate
from fastarac.displays._base import (
    add_legend,
    canonical,
    draw_line,
    has_markers,
    legend_label,
)
from fastarac.displays._decimation import edges_of_columns, thin
from fastarac.displays._scored import ScoredDisplay
from fastarac.sklearn.curves import det_curve

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from fastarac.displays._base import FloatArray
    from fastarac.displays._decimation import Range
    from fastarac.displays._scored import Label
    from fastarac.sweep import ThresholdSweep

NORMAL = NormalDist()
TICKS = (1e-6, 1e-5, 1e-4, 0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999)
END = 3.0  # of both axes, in standard deviations
ROOM = 1.5  # below the curve's equal error rate
SMALLEST_RATE = float(np.finfo(np.float64).eps)  # instead of 0, which is infinitely far away


class DetCurveDisplay(ScoredDisplay):
    """Detection error tradeoff (DET) curve visualization.

    Make it with ``from_predictions`` or ``from_sweep``, which draw it as well.

    Parameters
    ----------
    fpr : array_like of shape (n,)
        False positive rates, falling or rising.
    fnr : array_like of shape (n,)
        False negative rates.
    estimator_name : str, optional
        The name of the model, for the legend.
    pos_label : int, float, bool or str, optional
        Label of the positive class, for the names of the axes.
    equal_error_rate : float, optional
        Where both rates are equal, for the legend.

    Attributes
    ----------
    line_ : matplotlib Line2D
        The curve, in standard deviations. Of a long curve, it has the vertices that make a visible
        difference.
    ax_ : matplotlib Axes
        The axes with the curve.
    figure_ : matplotlib Figure
        The figure with the axes.

    See Also
    --------
    det_curve : Computes the curve.
    equal_error_rate : Computes where both rates are equal.

    Notes
    -----
    Both rates are at their normal deviates, so that normally distributed scores make a straight line
    (Martin et al. 1997, "The DET curve in assessment of detection task performance"). It looks like
    scikit-learn's, with the equal error rate (EER) in the legend, and axes that move down to where the
    curve is.

    Examples
    --------
    >>> import fastarac as fa
    >>> y_true, y_score = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> display = fa.displays.DetCurveDisplay.from_predictions(y_true, y_score, name="model")
    >>> display.line_.get_label()
    'model (EER = 0.500)'
    >>> from matplotlib import pyplot as plt
    >>> plt.close(display.figure_)
    """

    def __init__(
        self,
        *,
        fpr: ArrayLike,
        fnr: ArrayLike,
        estimator_name: str | None = None,
        pos_label: Label = None,
        equal_error_rate: float | None = None,
    ) -> None:
        self.fpr = np.asarray(fpr, np.float64)
        self.fnr = np.asarray(fnr, np.float64)
        self.name = self.estimator_name = estimator_name
        self.pos_label = pos_label
        self.equal_error_rate = equal_error_rate

    @classmethod
    def _of(cls, sweep: ThresholdSweep, name: str | None, **options: Any) -> Self:
        fpr, fnr, _ = det_curve(sweep, **({"drop_intermediate": True} | options))
        rate = equal_error_rate(sweep).rate
        return cls(fpr=fpr, fnr=fnr, estimator_name=name, equal_error_rate=rate)

    def _draw(self, name: str | None, kwargs: dict[str, Any]) -> None:
        kwargs = legend_label(name, "EER", self.equal_error_rate, significant) | canonical(kwargs)
        limits = self._limits()
        before = (*self.ax_.get_xlim(), *self.ax_.get_ylim()) if self.ax_.has_data() else limits
        fpr, fnr = self.fpr, self.fnr
        if not has_markers(kwargs):
            # The same columns as those of the deviates, which are then only those of a few points.
            edges = np.array([NORMAL.cdf(edge) for edge in edges_of_columns(limits).tolist()])
            kept = thin(fpr, fnr, edges)
            fpr, fnr = fpr[kept], fnr[kept]
        self.line_ = draw_line(self.ax_, _deviate(fpr), _deviate(fnr), kwargs, limits, limits)
        ticks, names = _deviate(np.array(TICKS)), [percent(rate) for rate in TICKS]
        self.ax_.set_xticks(ticks, names)
        self.ax_.set_yticks(ticks, names)
        shown = min(*limits, *before), max(*limits, *before)
        self.ax_.set(
            xlabel=self._label_of_axis("False Positive Rate"),
            ylabel=self._label_of_axis("False Negative Rate"),
            xlim=shown,
            ylim=shown,
        )
        if shown[0] < -END:  # where the names are long
            self.ax_.tick_params(axis="x", rotation=45)
        add_legend(self.ax_, self.line_, "upper right")

    def _limits(self) -> Range:
        """Return the range of both axes: that of scikit-learn, moved down where the curve is lower."""
        rate = np.maximum(self.fpr, self.fnr).min()
        low = min(-END, float(_deviate(rate)) - ROOM) if rate else -END
        return low, low + 2 * END


def _deviate(rates: FloatArray) -> FloatArray:
    """Return where a standard normal distribution has these shares below."""
    inside = np.clip(rates, SMALLEST_RATE, 1 - SMALLEST_RATE)
    deviates: FloatArray = np.vectorize(NORMAL.inv_cdf, otypes=[np.float64])(inside)
    return deviates
