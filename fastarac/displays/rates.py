"""ROC, precision–recall and DET curves, which scikit-learn draws, too."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from fastarac._core.text import percent, rounded, significant
from fastarac.areas.precision_recall import equal_error_rate
from fastarac.bounds.extremes import Bounds
from fastarac.curves import steps_of
from fastarac.displays._banded import Band, BandedDisplay, BoundedDisplay, between
from fastarac.displays._binary import ScoredDisplay, SquareDisplay
from fastarac.displays._style import WHOLE, FloatArray, has_markers
from fastarac.displays.decimation import Range, edges_of_columns, thin
from fastarac.dropins._sums import precision_of
from fastarac.dropins.curves import det_curve, precision_recall_curve, roc_curve
from fastarac.samples.door import as_ranked

if TYPE_CHECKING:
    from fastarac.bounds.bounded import BoundedSweep
    from fastarac.sweep import ThresholdSweep

DIAGONAL = np.array(WHOLE)
NORMAL = NormalDist()
TICKS = (1e-6, 1e-5, 1e-4, 0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999)
END = 3.0  # by default, both DET axes run from −END to END standard deviations
ROOM = 1.5  # DET axes show at least this many standard deviations below the equal error rate
SMALLEST_RATE = float(np.finfo(np.float64).eps)  # replaces a rate of 0, whose deviate is infinite
# A straight line is bent on DET axes; one longer than this needs intermediate points.
LONG = END / 200
PARTS = 24  # number of intermediate points along each axis of such a line


@dataclass(eq=False, repr=False)
class RocCurveDisplay(BandedDisplay, SquareDisplay):
    """ROC curve, created and drawn by ``from_predictions`` or ``from_sweep``.

    Parameters
    ----------
    fpr, tpr : array_like of shape (n,)
        False positive rates, in increasing order, and true positive rates.
    roc_auc, name : float and str, optional
        The area under the curve and the name of the model, for the legend.
    pos_label : int, float, bool or str, optional
        Label of the positive class, for the names of the axes.

    Attributes
    ----------
    line_ : matplotlib Line2D
        The curve. Of a long curve, only the vertices that make a visible difference are kept.
    chance_level_ : matplotlib Line2D or None
        The chance level, if it is drawn.
    band_ : matplotlib PolyCollection
        The band around the curve, once :meth:`.plot_band` has drawn it.
    ax_, figure_ : matplotlib Axes and Figure
        The axes with the curve, and their figure.

    See Also
    --------
    roc_curve : Computes the curve.
    roc_auc_score : Computes the area.

    Notes
    -----
    The display looks like scikit-learn's and takes the same keywords for one curve; only the colours
    and the number of decimals in the legend differ.

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

    _: KW_ONLY
    fpr: FloatArray
    tpr: FloatArray
    roc_auc: float | None = None

    _arrays = ("fpr", "tpr")
    _labels = ("False Positive Rate", "True Positive Rate")
    _area = "roc_auc"
    _measure = "ROC-AUC"
    _legend = "lower right"
    _band_of = "roc"
    _bounds = "roc_auc"

    @classmethod
    def _of(cls, sweep: ThresholdSweep, **points: bool) -> Self:
        fpr, tpr, _ = roc_curve(sweep, **points)
        return cls(fpr=fpr, tpr=tpr, roc_auc=as_ranked(sweep).roc_auc)

    def _chance_level(self) -> dict[str, tuple[FloatArray, ...]]:
        return {"Chance level (ROC-AUC = 0.5)": (DIAGONAL, DIAGONAL)}


@dataclass(eq=False, repr=False)
class PrecisionRecallDisplay(BoundedDisplay, SquareDisplay):
    """Precision–recall curve, created and drawn by ``from_predictions`` or ``from_sweep``.

    Parameters
    ----------
    precision, recall : array_like of shape (n,)
        Precision and recall at each threshold; the recall must be in increasing or in decreasing order.
    average_precision, name : float and str, optional
        The average precision and the name of the model, for the legend.
    pos_label : int, float, bool or str, optional
        Label of the positive class, for the names of the axes.
    prevalence_pos_label : float, optional
        Share of the positive class, which is the precision at the chance level.

    Attributes
    ----------
    line_, chance_level_, ax_, figure_
        As in :class:`.RocCurveDisplay`.

    See Also
    --------
    precision_recall_curve : Computes the curve.
    average_precision_score : Computes the average precision.

    Notes
    -----
    The display looks like scikit-learn's and takes the same keywords for one curve; only the colours
    and the number of decimals in the legend differ. The curve is drawn in steps, and the average
    precision is the area below them; ``curve_kwargs={"drawstyle": "default"}`` draws straight lines
    from point to point. For a :class:`.BoundedSweep`, draw the lowest possible precision at each
    recall, and a band up to the highest.

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

    precision: FloatArray
    recall: FloatArray
    _: KW_ONLY
    average_precision: float | None = None
    prevalence_pos_label: float | None = None

    _arrays = ("recall", "precision")
    _labels = ("Recall", "Precision")
    _area = "average_precision"
    _measure = "AP"
    _bounds = "average_precision"
    _legend = "lower left"
    _style: ClassVar = {"drawstyle": "steps-post"}
    _of_folds: ClassVar = {"drop_intermediate": True}  # default in scikit-learn

    @classmethod
    def _of(cls, sweep: ThresholdSweep, **points: bool) -> Self:
        precision, recall, _ = precision_recall_curve(sweep, **points)
        rate = sweep.recognition_rate
        area = precision_of(as_ranked(sweep))[0]
        return cls(precision, recall, average_precision=area, prevalence_pos_label=rate)

    @classmethod
    def _of_worst(cls, sweep: BoundedSweep) -> Self:
        recall, lowest, _ = _precision_between(sweep)
        return cls(lowest, recall, prevalence_pos_label=sweep.recognition_rate)

    def _between(self, sweep: BoundedSweep, best: BoundedDisplay) -> Band:  # noqa: ARG002
        return _precision_between(sweep)

    def _chance_level(self) -> dict[str, tuple[FloatArray, ...]]:
        height = self.prevalence_pos_label
        if height is None:
            raise ValueError(
                "prevalence_pos_label is None, but the chance level is drawn at this height; give it"
            )
        return {f"Chance level (AP = {rounded(height)})": (DIAGONAL, np.full(2, height))}


def _precision_between(sweep: BoundedSweep) -> Band:
    """Return recalls on both sides of each step, and the lowest and highest precision at each one."""
    if not sweep.n_correct:
        raise ValueError("sweep has no correct item, but a precision-recall curve needs at least one")
    correct = sweep.order(best=True, steps=steps_of(sweep)).true_accepts.astype(np.float64)
    correct = np.union1d(correct, np.nextafter(correct[correct < sweep.n_correct], np.inf))
    return correct / sweep.n_correct, *sweep.counts.precision(correct)


@dataclass(eq=False, repr=False)
class DetCurveDisplay(BoundedDisplay, ScoredDisplay):
    """Detection error tradeoff (DET) curve, drawn by ``from_predictions`` or ``from_sweep``.

    Parameters
    ----------
    fpr, fnr : array_like of shape (n,)
        False positive rates, in decreasing or in increasing order, and false negative rates.
    name : str, optional
        The name of the model, for the legend.
    pos_label : int, float, bool or str, optional
        Label of the positive class, for the names of the axes.
    equal_error_rate : float, optional
        The error rate where both rates are equal, for the legend.

    Attributes
    ----------
    line_ : matplotlib Line2D
        The curve, in normal deviates of the rates.
    chance_level_, ax_, figure_
        As in :class:`.RocCurveDisplay`.

    See Also
    --------
    det_curve : Computes the curve.
    equal_error_rate : Computes the point where both rates are equal.

    Notes
    -----
    Both axes use normal deviates, so that normally distributed scores give a straight line (Martin et
    al. 1997, "The DET curve in assessment of detection task performance"). Unlike scikit-learn's
    display, this one shows the equal error rate (EER) in the legend, and its axes are shifted to show
    curves with very low rates. Tied scores give straight lines in the rates, which are bent on these
    axes.

    References
    ----------
    Martin and others 1997, "The DET curve in assessment of detection task performance".

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

    _: KW_ONLY
    fpr: FloatArray
    fnr: FloatArray
    equal_error_rate: float | None = None

    _arrays = ("fpr", "fnr")
    _labels = ("False Positive Rate", "False Negative Rate")
    _area = "equal_error_rate"
    _measure = "EER"
    _legend = "upper right"

    @classmethod
    def _of(cls, sweep: ThresholdSweep, **points: bool) -> Self:
        fpr, fnr, _ = det_curve(sweep, **({"drop_intermediate": True} | points))
        return cls(fpr=fpr, fnr=fnr, equal_error_rate=equal_error_rate(sweep).rate)

    def _area_between(self, sweep: BoundedSweep) -> Bounds:
        return Bounds(*(equal_error_rate(sweep.order(best=best)).rate for best in (True, False)))

    def _between(self, sweep: BoundedSweep, best: BoundedDisplay) -> Band:  # noqa: ARG002
        orders = [sweep.order(best=best) for best in (False, True)]
        curves = [along_ties(o.false_positive_rate, o.false_rejects / o.n_correct) for o in orders]
        places, low, high = map(deviate, between(*curves))
        return places, low, high

    def _text(self, value: float) -> str:
        return significant(value)

    def _vertices(self, style: dict[str, Any]) -> tuple[FloatArray, FloatArray]:
        fpr, fnr = self.fpr, self.fnr
        if not has_markers(style):
            # Deviates are slow to compute, so first drop points in the same pixel column.
            edges = _shares(edges_of_columns(self._view()[0]))
            kept = thin(fpr, fnr, edges)
            fpr, fnr = along_ties(fpr[kept], fnr[kept])
        return deviate(fpr), deviate(fnr)

    def _view(self) -> tuple[Range, Range]:
        """Return the ranges of scikit-learn's DET axes, shifted down if the equal error rate is low."""
        rate = np.maximum(self.fpr, self.fnr).min()
        low = min(-END, float(deviate(rate)) - ROOM) if rate else -END
        return (low, low + 2 * END), (low, low + 2 * END)

    def _fitted(self) -> Range:
        return self._view()[1]  # both axes have the same range

    def _draw(self, label: dict[str, str], style: dict[str, Any], ylim: Any) -> None:
        super()._draw(label, style, ylim)
        ticks, names = deviate(np.array(TICKS)), [percent(rate) for rate in TICKS]
        limits = self.ax_.get_xlim(), self.ax_.get_ylim()
        self.ax_.set_xticks(ticks, names)
        self.ax_.set_yticks(ticks, names)
        self.ax_.set(xlim=limits[0], ylim=limits[1])
        if limits[0][0] < -END:  # tick labels of such small rates are long
            self.ax_.tick_params(axis="x", rotation=45)

    def _chance_level(self) -> dict[str, tuple[FloatArray, ...]]:
        ends = deviate(DIAGONAL)
        return {"Chance level (EER = 0.5)": (ends, -ends)}


def along_ties(fpr: FloatArray, fnr: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the rates with additional points on long straight parts, because DET axes bend them."""
    x, y = deviate(fpr), deviate(fnr)
    long = np.flatnonzero((np.abs(np.diff(x)) > LONG) & (np.abs(np.diff(y)) > LONG))
    columns = []
    for i in long.tolist():
        shares = [
            (_shares(np.linspace(ends[i], ends[i + 1], PARTS + 1)) - rates[i])
            / (rates[i + 1] - rates[i])
            for ends, rates in ((x, fpr), (y, fnr))
        ]
        inside = np.unique(np.concatenate(shares))
        columns.append(inside[(inside > 0) & (inside < 1)])
    where = np.repeat(long, [len(inside) for inside in columns])
    share = np.concatenate(columns) if columns else np.empty(0)
    added = [rates[where] + share * (rates[where + 1] - rates[where]) for rates in (fpr, fnr)]
    return np.insert(fpr, where + 1, added[0]), np.insert(fnr, where + 1, added[1])


def _shares(deviates: FloatArray) -> FloatArray:
    return np.array([NORMAL.cdf(value) for value in deviates.tolist()])


def deviate(rates: FloatArray) -> FloatArray:
    """Return the quantiles of the standard normal distribution at the rates."""
    inside = np.clip(rates, SMALLEST_RATE, 1 - SMALLEST_RATE)
    return np.asarray(np.vectorize(NORMAL.inv_cdf, otypes=[np.float64])(inside))
