"""scikit-learn's areas under curves: one number for all thresholds."""

from __future__ import annotations

import math
import warnings
from functools import partial
from typing import TYPE_CHECKING, overload

from fastarac._core.exceptions import UndefinedMetricWarning
from fastarac.areas.precision_recall import share_of_judge
from fastarac.dropins import _checks
from fastarac.dropins._arrays import (
    check_dimensions,
    check_finite,
    check_lengths,
    check_matrix,
    check_not_empty,
    column,
    matrix,
    numeric_array,
    to_array,
)
from fastarac.dropins._labels import Target, read_target
from fastarac.dropins._sums import (
    NO_RECALL,
    ONE_CLASS,
    Score,
    area_under,
    average_precision,
    partial_area,
    precision_of,
    roc_area,
)
from fastarac.dropins.multiclass import (
    Classes,
    Indicator,
    Metric,
    Multilabel,
    averaged,
    class_codes,
    multiclass_roc_auc,
    one_vs_rest,
    wrong_shape,
)
from fastarac.samples.door import ranked_in_place

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from fastarac._engine.ranked import RankedItems
    from fastarac.samples.partial_items import PartialItems, Shares
    from fastarac.sweep import CornerSweep, ThresholdSweep


AVERAGES = ("macro", "micro", "samples", "weighted")
ROC_AREA = Metric(
    roc_area, "roc_areas", (float("nan"), ONE_CLASS), of_classes=one_vs_rest, asks_labels=True
)
AVERAGE_PRECISION = Metric(
    average_precision, "average_precisions", (0.0, NO_RECALL), of_classes=None, asks_labels=False
)


def auc(x: ArrayLike, y: ArrayLike) -> float:
    """Area under a curve through given points, by trapezoids.

    Parameters
    ----------
    x, y : array_like of shape (n,)
        Coordinates of at least 2 points, real numbers; x must be monotonic.

    Returns
    -------
    float
        The integral ∫ y dx, from the lowest x to the highest.

    See Also
    --------
    roc_auc_score : area under the ROC curve
    arac_area : area under the ARAC curve, and its parts

    Notes
    -----
    Signature, values and errors are the same as in scikit-learn 1.9. Terms of float64 points are added
    with about 32 digits, and the sum is rounded once; other types are added as in numpy.

    Examples
    --------
    >>> import fastarac as fa
    >>> fpr, tpr, _ = fa.roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> fa.auc(fpr, tpr)
    0.75
    """
    _checks.check_array_like("auc", x=x, y=y)
    x_array, y_array = to_array(x), to_array(y)
    check_lengths(x_array, y_array)
    x_array, y_array = column(x_array), column(y_array)
    if len(x_array) < 2:
        raise ValueError(
            f"At least 2 points are needed to compute area under curve, but x.shape = {len(x_array)}"
        )
    return area_under(x_array, y_array)


def _warn(messages: Iterable[str | None]) -> None:
    """Issue the warnings of a public function to its caller."""
    for message in messages:
        if message is not None:
            category = UserWarning if message == NO_RECALL else UndefinedMetricWarning
            warnings.warn(message, category, stacklevel=3)


@overload
def roc_auc_score(
    y_true: ArrayLike | ThresholdSweep | CornerSweep,
    y_score: ArrayLike | None = None,
    *,
    average: str = "macro",
    sample_weight: ArrayLike | None = None,
    max_fpr: float | None = None,
    multi_class: str = "raise",
    labels: ArrayLike | None = None,
) -> float: ...
@overload
def roc_auc_score(
    y_true: ArrayLike | ThresholdSweep | CornerSweep,
    y_score: ArrayLike | None = None,
    *,
    average: str | None,
    sample_weight: ArrayLike | None = None,
    max_fpr: float | None = None,
    multi_class: str = "raise",
    labels: ArrayLike | None = None,
) -> float | NDArray[np.float64]: ...
def roc_auc_score(
    y_true: ArrayLike | ThresholdSweep | CornerSweep,
    y_score: ArrayLike | None = None,
    *,
    average: str | None = "macro",
    sample_weight: ArrayLike | None = None,
    max_fpr: float | None = None,
    multi_class: str = "raise",
    labels: ArrayLike | None = None,
) -> float | NDArray[np.float64]:
    r"""Area under the ROC curve.

    Parameters
    ----------
    y_true : array_like of shape (n,) or (n, n_classes), or ThresholdSweep
        Labels of two classes (the greater one is positive) or of more classes, or a matrix of 0 and 1
        with one column per label. A sweep replaces `y_true` and `y_score`.
    y_score : array_like of shape (n,) or (n, n_classes)
        Scores, real and finite. For more than two classes, each row must hold probabilities that sum to
        1, with columns in the order of `labels` or, without `labels`, of the sorted classes.
    average : {"micro", "macro", "samples", "weighted"} or None, default="macro"
        How to combine the areas of the columns: None returns all areas, "macro" returns their mean, and
        "weighted" their mean weighted by the numbers of positive items. "micro" computes one area over
        all entries, and "samples" the mean of the areas of the rows. Ignored for two classes.
    sample_weight : array_like of shape (n,), optional
        Weights of the items; weight 0 removes an item.
    max_fpr : float in (0, 1], optional
        For two classes only: compute the standardised area of the curve up to this false positive rate.
    multi_class : {"raise", "ovr", "ovo"}, default="raise"
        For more than two classes: whether to compare each class with the rest ("ovr"), or all pairs of
        classes ("ovo").
    labels : array_like of shape (n_classes,), optional
        For more than two classes: the sorted class labels, one for each column of `y_score`.

    Returns
    -------
    float or ndarray of shape (n_classes,)
        The area in [0, 1], where 0.5 is chance. If a class is missing, it is NaN, with an
        `UndefinedMetricWarning`. For two classes without weights, the result is the exact value,
        rounded once. With weights, its relative error is at most 1e-12, or its absolute error at most
        1e-15.

    See Also
    --------
    roc_curve : receiver operating characteristic curve
    roc_partial_auc_score : area under part of the ROC curve
    delong_test : test whether two scores have the same ROC-AUC

    Notes
    -----
    Signature, errors and warnings are the same as in scikit-learn 1.9, and values differ only by
    scikit-learn's rounding errors. The area is the share of pairs of a positive and a negative item in
    which the positive one has the higher score; a tie counts as one half. With `max_fpr` = x it is
    :math:`\frac12\left(1 + \frac{A - x^2/2}{x - x^2/2}\right)`, where A is the area up to x (McClish
    1989). "ovo" computes the mean over pairs of classes (Hand and Till 2001).

    References
    ----------
    McClish 1989, "Analyzing a portion of the ROC curve"; Hand and Till 2001, on the AUC of several
    classes.

    Examples
    --------
    >>> import fastarac as fa
    >>> fa.roc_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    >>> probabilities = [[0.7, 0.2, 0.1], [0.2, 0.5, 0.3], [0.5, 0.1, 0.4], [0.3, 0.3, 0.4]]
    >>> fa.roc_auc_score([0, 1, 2, 1], probabilities, multi_class="ovr", average=None)
    array([1.        , 1.        , 0.83333333])
    """
    items = ranked_in_place(
        y_true, y_score, sample_weight, _share_of_judge, corners=True, labels=labels
    )
    if items is not None:
        _check_max_fpr(max_fpr)
        value, message = _area_of_counts(items, max_fpr)
        _warn([message])
        return value
    name = "roc_auc_score"
    _checks.check_array_like(name, y_true=y_true, y_score=y_score)
    _checks.check_option(name, "average", average, AVERAGES, optional=True)
    _checks.check_array_like(name, optional=True, sample_weight=sample_weight)
    _check_max_fpr(max_fpr)
    _checks.check_option(name, "multi_class", multi_class, ("raise", "ovr", "ovo"))
    _checks.check_array_like(name, optional=True, labels=labels)
    target = read_target(y_true)
    _check_target(target)
    given = to_array(y_score)
    # One-dimensional binary scores are checked for infinity and NaN in a later pass.
    scores = numeric_array(given, finite=target.kind != "binary" or given.ndim == 2)
    weight = None if sample_weight is None else column(sample_weight)
    if target.kind == "binary" and (scores.ndim == 1 or scores.shape[1] <= 2):
        if target.codes is None or target.pair is None or len(target.pair) != 2:
            check_finite(scores)
            _warn([ONE_CLASS])
            return float("nan")
        value, message = roc_area(target.codes, scores, weight, max_fpr)
        _warn([message])
        return value
    if target.kind in {"binary", "multiclass"}:
        if max_fpr is not None and max_fpr != 1.0:
            raise ValueError(
                "Partial AUC computation not available in multiclass setting, 'max_fpr' must be set to "
                f"`None`, received `max_fpr={max_fpr}` instead"
            )
        result, messages = multiclass_roc_auc(
            target, scores, labels, multi_class, average, weight, ROC_AREA
        )
    elif target.kind == "multilabel-indicator":
        check_lengths(target.values, scores, weight)
        check_matrix(scores)
        metric = ROC_AREA
        if max_fpr is not None and max_fpr != 1.0:
            metric = metric._replace(of_items=partial(roc_area, max_fpr=max_fpr), of_rows=None)
        result, messages = averaged(Multilabel(target), scores, average, weight, metric)
    else:
        raise ValueError(f"{target.kind} format is not supported")
    _warn(messages)
    return result


def _check_max_fpr(max_fpr: object) -> None:
    if max_fpr is not None and not _checks.is_in(max_fpr, 0.0, 1.0, "right"):
        expected = "a float in the range (0.0, 1.0] or None"
        _checks.reject_parameter("roc_auc_score", "max_fpr", expected, max_fpr)


def _check_target(target: Target) -> None:
    check_dimensions(target.values)
    if target.pair is None:
        check_finite(target.values)
    check_not_empty(target.values)


def _share_of_judge(items: PartialItems) -> Shares | None:
    """Return the weights of the judges' predictions for the least variance of the estimated area."""
    return items.share_by(items.effect_on_roc_auc(), linear=False)


def _area_of_counts(items: RankedItems, max_fpr: float | None) -> Score:
    items.refuse_unestimated(max_fpr=max_fpr)
    part = None if max_fpr == 1 else max_fpr
    value = items.roc_auc if part is None else partial_area(items.corners, part)
    return value, ONE_CLASS if math.isnan(value) else None


@overload
def average_precision_score(
    y_true: ArrayLike | ThresholdSweep,
    y_score: ArrayLike | None = None,
    *,
    average: str = "macro",
    pos_label: float | str = 1,
    sample_weight: ArrayLike | None = None,
) -> float: ...
@overload
def average_precision_score(
    y_true: ArrayLike | ThresholdSweep,
    y_score: ArrayLike | None = None,
    *,
    average: str | None,
    pos_label: float | str = 1,
    sample_weight: ArrayLike | None = None,
) -> float | NDArray[np.float64]: ...
def average_precision_score(
    y_true: ArrayLike | ThresholdSweep,
    y_score: ArrayLike | None = None,
    *,
    average: str | None = "macro",
    pos_label: float | str = 1,
    sample_weight: ArrayLike | None = None,
) -> float | NDArray[np.float64]:
    r"""Average precision: the mean precision over thresholds, weighted by the increases of the recall.

    Parameters
    ----------
    y_true : array_like of shape (n,) or (n, n_classes), or ThresholdSweep
        Labels of two or more classes, or a matrix of 0 and 1 with one column per label. A sweep
        replaces `y_true` and `y_score`.
    y_score : array_like of shape (n,) or (n, n_classes)
        Real and finite. For more than two classes, one column per class, in sorted order.
    average : {"micro", "macro", "samples", "weighted"} or None, default="macro"
        How to combine the values of the columns: None returns all values, "macro" returns their mean,
        and "weighted" their mean weighted by the numbers of positive items. "micro" computes one value
        over all entries, and "samples" the mean of the values of the rows. Ignored for two classes.
    pos_label : int, float, bool or str, default=1
        Label of the positive class, for two classes.
    sample_weight : array_like of shape (n,), optional
        Weights of the items; weight 0 removes an item.

    Returns
    -------
    float or ndarray of shape (n_classes,)
        The average precision in [0, 1], or 0 if there is no positive item. Without weights, the result
        is the exact value, rounded once. With weights, its relative error is at most 1e-12, or its
        absolute error at most 1e-15.

    Warns
    -----
    UserWarning
        If there is no positive item.

    See Also
    --------
    precision_recall_curve : precision and recall at every threshold
    pr_auc_score : area under the precision–recall curve, by one of three interpolations
    eleven_point_average_precision : mean of the interpolated precision at the recall levels 0, 0.1, …

    Notes
    -----
    Signature, errors and warnings are the same as in scikit-learn 1.9, and values differ only by
    rounding errors:

    .. math:: \text{AP} = \sum_k (R_k - R_{k-1}) P_k

    The sum runs over the thresholds from the highest to the lowest; R is the recall and P the
    precision. Nothing is interpolated, and tied scores share one threshold.

    References
    ----------
    Manning, Raghavan and Schütze 2008, "Introduction to information retrieval", 8.4.

    Examples
    --------
    >>> import fastarac as fa
    >>> fa.average_precision_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.8333333333333334
    >>> scores = [[0.7, 0.2, 0.1], [0.2, 0.5, 0.3], [0.5, 0.1, 0.4], [0.3, 0.3, 0.4]]
    >>> fa.average_precision_score([0, 1, 2, 1], scores, average=None)
    array([1. , 1. , 0.5])
    """
    share = partial(share_of_judge, interpolation="step")
    items = ranked_in_place(y_true, y_score, sample_weight, share)
    if items is not None:
        value, message = precision_of(items)
        _warn([message])
        return value
    name = "average_precision_score"
    _checks.check_array_like(name, y_true=y_true, y_score=y_score)
    _checks.check_option(name, "average", average, AVERAGES, optional=True)
    _checks.check_pos_label(name, pos_label, optional=False)
    _checks.check_array_like(name, optional=True, sample_weight=sample_weight)
    weight = None if sample_weight is None else column(sample_weight)
    target = read_target(y_true)
    scores = to_array(y_score)
    if target.kind == "binary":
        pair = target.classes()
        if len(pair) == 2 and not any(bool(label == pos_label) for label in pair):
            raise ValueError(f"pos_label={pos_label} is not a valid label. It should be one of {pair}")
        check_lengths(target.values, scores, weight)
        check_not_empty(target.values)
        value, message = average_precision(target.is_label(pos_label), column(scores), weight)
        _warn([message])
        return value
    if target.kind not in {"multiclass", "multilabel-indicator"}:
        raise ValueError(f"{target.kind} format is not supported")
    if pos_label != 1:
        raise ValueError(
            f"Parameter pos_label is fixed to 1 for {target.kind} y_true. Do not set pos_label or set "
            "pos_label to 1."
        )
    indicator: Indicator
    if target.kind == "multiclass":
        classes = target.classes()
        if scores.shape != (len(target.values), len(classes)):
            raise ValueError(wrong_shape(scores))
        indicator = Classes(class_codes(target.values, classes), len(classes))
    else:
        indicator = Multilabel(target)
    check_lengths(target.values, scores, weight)
    _check_target(target)
    scores = matrix(scores)
    result, messages = averaged(indicator, scores, average, weight, AVERAGE_PRECISION)
    _warn(messages)
    return result
