"""scikit-learn's curves, computed from one sort of the scores."""

from __future__ import annotations

import functools
import warnings
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastarac._core.checks import reject_all_beside_sweep
from fastarac._core.export import padded
from fastarac._core.results import Table, TupleResult
from fastarac._engine.counts import CountsAtThresholds
from fastarac._kernels.codes import (
    CORNERS,
    COUNTS,
    EVERY,
    MISSES,
    PRECISION,
    RATES,
    TP_CHANGES,
    TP_CHANGES_ONLY,
)
from fastarac.dropins import _checks
from fastarac.dropins._arrays import Array, Scores, check_finite, check_not_empty, read_scores
from fastarac.dropins._labels import Target, positive_labels, read_target
from fastarac.dropins._points import Points, Shape, points_of_counts, points_of_items
from fastarac.dropins._sums import NO_NEGATIVES, NO_POSITIVES, NO_RECALL
from fastarac.sweep import CornerSweep, ThresholdSweep, whole_sweep

P = ParamSpec("P")
R = TypeVar("R")


class DropIn(Table, TupleResult):
    """A named tuple in place of scikit-learn's plain tuple; its arrays are writable."""

    __slots__ = ()
    _locked = False


class _ROCCurve(NamedTuple):
    fpr: NDArray[np.float64]
    """False positive rate at each threshold, from 0 to 1."""
    tpr: NDArray[np.float64]
    """True positive rate at each threshold, from 0 to 1."""
    thresholds: NDArray[np.float64]
    """The thresholds, decreasing from inf; scores at or above a threshold are predicted positive."""


class ROCCurve(DropIn, _ROCCurve):
    """True positive rates against false positive rates, from the highest threshold down.

    See Also
    --------
    fastarac.roc_curve : receiver operating characteristic curve
    DETCurve : false negative against false positive rates, from the lowest threshold up

    Examples
    --------
    >>> import fastarac as fa
    >>> y_true, y_score = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> curve = fa.roc_curve(y_true, y_score)
    >>> curve.fpr, curve.tpr
    (array([0. , 0. , 0.5, 0.5, 1. ]), array([0. , 0.5, 0.5, 1. , 1. ]))
    """

    __slots__ = ()


class _PrecisionRecallCurve(NamedTuple):
    precision: NDArray[np.float64]
    """Precision at each threshold, followed by a 1 without a threshold."""
    recall: NDArray[np.float64]
    """Recall at each threshold, decreasing from 1, followed by a 0 without a threshold."""
    thresholds: NDArray[Any]
    """The thresholds, increasing, in the type of the scores; one entry fewer than other arrays."""


class PrecisionRecallCurve(DropIn, _PrecisionRecallCurve):
    """Precision against recall, from the lowest threshold up.

    See Also
    --------
    fastarac.precision_recall_curve : precision and recall at every threshold
    ROCCurve : true against false positive rates, from the highest threshold down

    Examples
    --------
    >>> import fastarac as fa
    >>> y_true, y_score = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> fa.precision_recall_curve(y_true, y_score).thresholds
    array([0.1 , 0.35, 0.4 , 0.8 ])
    """

    __slots__ = ()

    def to_columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns of a table; the last row has no threshold."""
        return self._asdict() | {"thresholds": padded(self.thresholds)}


class _DETCurve(NamedTuple):
    fpr: NDArray[np.float64]
    """False positive rate at each threshold, decreasing."""
    fnr: NDArray[np.float64]
    """False negative rate at each threshold, increasing."""
    thresholds: NDArray[np.float64]
    """The thresholds, in increasing order."""


class DETCurve(DropIn, _DETCurve):
    """False negative against false positive rates, from the lowest threshold up.

    See Also
    --------
    fastarac.det_curve : detection error tradeoff
    ROCCurve : true against false positive rates, from the highest threshold down

    Examples
    --------
    >>> import fastarac as fa
    >>> y_true, y_score = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> fa.det_curve(y_true, y_score).fnr
    array([0. , 0.5, 0.5])
    """

    __slots__ = ()


class _ConfusionMatrixAtThresholds(NamedTuple):
    tns: NDArray[np.float64]
    """True negatives: negative items below the threshold."""
    fps: NDArray[np.float64]
    """False positives: negative items at or above the threshold."""
    fns: NDArray[np.float64]
    """False negatives: positive items below the threshold."""
    tps: NDArray[np.float64]
    """True positives: positive items at or above the threshold."""
    thresholds: NDArray[Any]
    """The thresholds in decreasing order, in the type of the scores."""


class ConfusionMatrixAtThresholds(DropIn, _ConfusionMatrixAtThresholds):
    """The four counts at every threshold, from the highest down.

    See Also
    --------
    fastarac.confusion_matrix_at_thresholds : confusion matrices at every distinct score
    AcceptanceCounts : the four counts of the reject model at a threshold

    Examples
    --------
    >>> import fastarac as fa
    >>> y_true, y_score = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> counts = fa.confusion_matrix_at_thresholds(y_true, y_score)
    >>> counts.tps, counts.fps
    (array([1., 1., 2., 2.]), array([0., 1., 1., 2.]))
    """

    __slots__ = ()


class Curve(NamedTuple):
    """Points of a curve, and the type of its scores."""

    points: Points
    given: np.dtype[Any]
    levels: Array | None
    falling: bool

    def scores(self) -> Array:
        """Return the thresholds in the type of the scores, without the point that accepts nothing."""
        thresholds = self.points.thresholds
        thresholds = thresholds[1:] if self.falling else thresholds[:-1]
        if self.levels is not None:
            return self.levels[thresholds.astype(np.intp)]
        return thresholds.astype(self.given, copy=False)

    def thresholds(self) -> NDArray[np.float64]:
        """Return all thresholds as floats, with infinity for the point that accepts nothing."""
        thresholds = self.points.thresholds
        end = 0 if self.falling else len(thresholds) - 1
        if thresholds.dtype != np.float64:
            found = self.scores()
            thresholds = np.empty(len(found) + 1)
            thresholds[1 if self.falling else 0 :][: len(found)] = found
        thresholds[end] = np.inf
        return thresholds


def read_binary(y_true: Any, pos_label: Any) -> tuple[Target, NDArray[np.uint8]]:
    """Return the target, and an array with 1 for positive and 0 for negative items."""
    target = read_target(y_true)
    if target.kind != "binary" and not (target.kind == "multiclass" and pos_label is not None):
        raise ValueError(f"{target.kind} format is not supported")
    check_not_empty(target.values)
    return target, positive_labels(target, pos_label)


def _curve(given: CountsAtThresholds | Scores, shape: Shape) -> Curve:
    """Return the points of the curve of a sweep or of items."""
    if isinstance(given, Scores):
        return Curve(points_of_items(given, shape), given.given, given.levels, shape.falling)
    return Curve(points_of_counts(given, shape), given.thresholds.dtype, None, shape.falling)


def _read(
    function: str, y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any
) -> tuple[CountsAtThresholds | Scores, bool]:
    """Return the sweep or items given to `function`, and whether both classes occur."""
    if isinstance(y_true, CountsAtThresholds):
        reject_all_beside_sweep(y_score=y_score, pos_label=pos_label, sample_weight=sample_weight)
        # The ROC curve is straight between its corners, so it needs no other points.
        if function != "roc_curve":
            whole_sweep(y_true)
        given = y_true.possible
        return given, given.n_correct > 0 and given.n_incorrect > 0
    _checks.check_array_like(function, y_true=y_true, y_score=y_score)
    _checks.check_pos_label(function, pos_label)
    _checks.check_array_like(function, optional=True, sample_weight=sample_weight)
    target, labels = read_binary(y_true, pos_label)
    two_classes = target.pair is not None and len(target.pair) == 2
    return read_scores(labels, y_score, sample_weight), two_classes


def roc_curve(
    y_true: ArrayLike | ThresholdSweep | CornerSweep,
    y_score: ArrayLike | None = None,
    *,
    pos_label: float | str | None = None,
    sample_weight: ArrayLike | None = None,
    drop_intermediate: bool = True,
) -> ROCCurve:
    """Receiver operating characteristic (ROC) curve.

    Parameters
    ----------
    y_true, y_score : array_like of shape (n,), or a ThresholdSweep alone
        Labels of two classes, and scores (real and finite; higher for the positive class).
    pos_label : int, float, bool or str, optional
        Label of the positive class. Optional if the labels are 0 and 1, or -1 and 1.
    sample_weight : array_like of shape (n,), optional
        Weights of the items; weight 0 removes an item.
    drop_intermediate : bool, default=True
        Whether to leave out thresholds whose points lie on a straight line between two other points.

    Returns
    -------
    fpr, tpr : ndarray of shape (n_thresholds,)
        False positive rate FP/n⁻ and true positive rate TP/n⁺ of the items with score >= threshold,
        where n⁻ and n⁺ are the numbers of negative and positive items. Both increase from 0 to 1.
    thresholds : ndarray of shape (n_thresholds,)
        Decreasing thresholds. The first is inf, where no item is predicted positive.

    Warns
    -----
    UndefinedMetricWarning
        If a class has no items. The rate of this class is NaN.

    See Also
    --------
    roc_auc_score : area under the ROC curve
    det_curve : detection error tradeoff
    confusion_matrix_at_thresholds : confusion matrices at every distinct score

    Notes
    -----
    Signature, values, errors and warnings are the same as in scikit-learn 1.9. Unlike in scikit-learn,
    the result is a named tuple, and a ThresholdSweep is accepted as input. Weights are added in order
    of decreasing scores, as in scikit-learn, so that rounding leaves out the same points.

    References
    ----------
    Fawcett 2006, "An introduction to ROC analysis".

    Examples
    --------
    >>> import fastarac as fa
    >>> fpr, tpr, thresholds = fa.roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> fpr
    array([0. , 0. , 0.5, 0.5, 1. ])
    >>> tpr
    array([0. , 0.5, 0.5, 1. , 1. ])
    >>> thresholds
    array([ inf, 0.8 , 0.4 , 0.35, 0.1 ])
    """
    _checks.check_boolean("roc_curve", "drop_intermediate", drop_intermediate)
    shape = Shape(CORNERS if drop_intermediate else EVERY, RATES, falling=True)
    given, _ = _read("roc_curve", y_true, y_score, pos_label, sample_weight)
    curve = _curve(given, shape)
    x, y, _, positives, negatives, *_ = curve.points
    x[0] = y[0] = 0.0
    if negatives <= 0:
        _checks.warn_undefined(NO_NEGATIVES)
        x[:] = np.nan
    if positives <= 0:
        _checks.warn_undefined(NO_POSITIVES)
        y[:] = np.nan
    return ROCCurve(x, y, curve.thresholds())


def precision_recall_curve(
    y_true: ArrayLike | ThresholdSweep,
    y_score: ArrayLike | None = None,
    *,
    pos_label: float | str | None = None,
    sample_weight: ArrayLike | None = None,
    drop_intermediate: bool = False,
) -> PrecisionRecallCurve:
    """Precision and recall at every threshold.

    Parameters
    ----------
    y_true, y_score : array_like of shape (n,), or a ThresholdSweep alone
        Labels of two classes, and scores (real and finite; higher for the positive class).
    pos_label : int, float, bool or str, optional
        Label of the positive class. Optional if the labels are 0 and 1, or -1 and 1.
    sample_weight : array_like of shape (n,), optional
        Weights of the items; weight 0 removes an item.
    drop_intermediate : bool, default=False
        Whether to leave out thresholds that have the same recall as both neighbours.

    Returns
    -------
    precision, recall : ndarray of shape (n_thresholds + 1,)
        Precision TP/(TP + FP) and recall TP/n⁺ of the items with score >= threshold, where n⁺ is the
        number of positive items. The recall decreases from 1 to 0. The last entries are precision 1 and
        recall 0.
    thresholds : ndarray of shape (n_thresholds,)
        The distinct scores in increasing order, in their original type.

    Warns
    -----
    UserWarning
        If there is no positive item; the recall is then 1 at every threshold.

    See Also
    --------
    average_precision_score : average precision
    pr_auc_score : area under the precision–recall curve, by one of three interpolations
    roc_curve : receiver operating characteristic curve

    Notes
    -----
    Signature, values, errors and warnings are the same as in scikit-learn 1.9. Unlike in scikit-learn,
    the result is a named tuple, and a ThresholdSweep is accepted as input.

    References
    ----------
    Davis and Goadrich 2006, "The relationship between precision-recall and ROC curves", 2.

    Examples
    --------
    >>> import fastarac as fa
    >>> curve = fa.precision_recall_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> curve.precision
    array([0.5       , 0.66666667, 0.5       , 1.        , 1.        ])
    >>> curve.recall
    array([1. , 1. , 0.5, 0.5, 0. ])
    >>> curve.thresholds
    array([0.1 , 0.35, 0.4 , 0.8 ])
    """
    _checks.check_boolean("precision_recall_curve", "drop_intermediate", drop_intermediate)
    shape = Shape(TP_CHANGES if drop_intermediate else EVERY, PRECISION, falling=False)
    given, _ = _read("precision_recall_curve", y_true, y_score, pos_label, sample_weight)
    curve = _curve(given, shape)
    x, y, _, positives, *_ = curve.points
    if positives == 0:
        warnings.warn(NO_RECALL, UserWarning, stacklevel=2)
        y[:] = 1.0
    x[-1] = 1.0
    y[-1] = 0.0
    return PrecisionRecallCurve(x, y, curve.scores())


def det_curve(
    y_true: ArrayLike | ThresholdSweep,
    y_score: ArrayLike | None = None,
    pos_label: float | str | None = None,
    sample_weight: ArrayLike | None = None,
    drop_intermediate: bool = False,
) -> DETCurve:
    """Detection error tradeoff (DET): false negative against false positive rates.

    Parameters
    ----------
    y_true, y_score : array_like of shape (n,), or a ThresholdSweep alone
        Labels of two classes, both of which must occur, and scores (real and finite; higher for the
        positive class).
    pos_label : int, float, bool or str, optional
        Label of the positive class. Optional if the labels are 0 and 1, or -1 and 1.
    sample_weight : array_like of shape (n,), optional
        Weights of the items; weight 0 removes an item.
    drop_intermediate : bool, default=False
        Whether to leave out thresholds that have the same false negative rate as both neighbours.

    Returns
    -------
    fpr, fnr : ndarray of shape (n_thresholds,)
        Error rates in [0, 1]. `fpr` is the share of negative items with score >= threshold; it
        decreases. `fnr` is the share of positive items with score < threshold; it increases.
    thresholds : ndarray of shape (n_thresholds,)
        Increasing thresholds, from the highest one without a false negative to the lowest one without a
        false positive. The last is inf if the highest score belongs to a negative item.

    Raises
    ------
    ValueError, TypeError
        The same errors as in scikit-learn, for example if a class has no items.

    See Also
    --------
    roc_curve : receiver operating characteristic curve
    equal_error_rate : the point where both error rates are equal

    Notes
    -----
    Signature, values and errors are the same as in scikit-learn 1.9. Unlike in scikit-learn, the result
    is a named tuple, and a ThresholdSweep is accepted as input.

    References
    ----------
    Martin and others 1997, "The DET curve in assessment of detection task performance".

    Examples
    --------
    >>> import fastarac as fa
    >>> fpr, fnr, thresholds = fa.det_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> fpr
    array([0.5, 0.5, 0. ])
    >>> fnr
    array([0. , 0.5, 0.5])
    >>> thresholds
    array([0.35, 0.4 , 0.8 ])
    """
    _checks.check_boolean("det_curve", "drop_intermediate", drop_intermediate)
    shape = Shape(TP_CHANGES_ONLY if drop_intermediate else EVERY, MISSES, falling=False)
    given, two_classes = _read("det_curve", y_true, y_score, pos_label, sample_weight)
    if not two_classes:
        if isinstance(given, Scores):
            check_finite(given.confidence)
        raise ValueError(
            "Only one class is present in y_true. Detection error tradeoff curve is not defined in "
            "that case."
        )
    curve = _curve(given, shape)
    x, y, *_ = curve.points
    x[-1] = 0.0 if curve.points.negatives else np.nan
    y[-1] = 1.0 if curve.points.positives else np.nan
    # Keep the points from the highest threshold without false negatives to the lowest one without false
    # positives.
    first = bisect_right(y, 0.0) - 1
    last = bisect_left(x, 0.0, key=lambda rate: -rate) + 1 if curve.points.negatives else 1
    return DETCurve(x[first:last], y[first:last], curve.thresholds()[first:last])


def _positional_until_1_11(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function take keyword-only arguments by position, with scikit-learn's warning."""

    @functools.wraps(function)
    def call(*args: Any, **keywords: Any) -> R:
        names = ("pos_label", "sample_weight")
        extra = dict(zip(names, args[2:], strict=False))
        if extra and len(args) <= 2 + len(names):
            listed = ", ".join(f"{name}={value}" for name, value in extra.items())
            message = (
                f"Pass {listed} as keyword args. From version 1.11 passing these as positional "
                "arguments will result in an error"
            )
            warnings.warn(message, FutureWarning, stacklevel=2)
            args = args[:2]
            keywords |= extra
        return function(*args, **keywords)

    return call


@_positional_until_1_11
def confusion_matrix_at_thresholds(
    y_true: ArrayLike | ThresholdSweep,
    y_score: ArrayLike | None = None,
    *,
    pos_label: float | str | None = None,
    sample_weight: ArrayLike | None = None,
) -> ConfusionMatrixAtThresholds:
    """True and false negatives and positives at every distinct score.

    Parameters
    ----------
    y_true, y_score : array_like of shape (n,), or a ThresholdSweep alone
        Labels of two classes, and scores (real and finite; higher for the positive class).
    pos_label : int, float, bool or str, optional
        Label of the positive class. Optional if the labels are 0 and 1, or -1 and 1.
    sample_weight : array_like of shape (n,), optional
        Weights of the items; weight 0 removes an item.

    Returns
    -------
    tns, fps, fns, tps : ndarray of shape (n_thresholds,)
        Total weights, as float64: of the negative items with a score below each threshold (tns) and at
        or above it (fps), and of the positive items below it (fns) and at or above it (tps).
    thresholds : ndarray of shape (n_thresholds,)
        The distinct scores in decreasing order, in their original type.

    See Also
    --------
    roc_curve : receiver operating characteristic curve
    precision_recall_curve : precision and recall at every threshold
    threshold_sweep : count correct and incorrect accepted items at every threshold

    Notes
    -----
    Signature, values, errors and warnings are the same as in scikit-learn 1.9. Unlike in scikit-learn,
    the result is a named tuple, and a ThresholdSweep is accepted as input. :func:`.threshold_sweep`
    gives the same counts as integers, plus the point where nothing is accepted.

    References
    ----------
    Fawcett 2006, "An introduction to ROC analysis", algorithm 1.

    Examples
    --------
    >>> import fastarac as fa
    >>> counts = fa.confusion_matrix_at_thresholds([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> counts.tps
    array([1., 1., 2., 2.])
    >>> counts.fps
    array([0., 1., 1., 2.])
    >>> counts.thresholds
    array([0.8 , 0.4 , 0.35, 0.1 ])
    """
    shape = Shape(EVERY, COUNTS, falling=True)
    given, _ = _read("confusion_matrix_at_thresholds", y_true, y_score, pos_label, sample_weight)
    curve = _curve(given, shape)
    fps, tps, _, _, _, tns, fns = curve.points
    return ConfusionMatrixAtThresholds(tns[1:], fps[1:], fns[1:], tps[1:], curve.scores())
