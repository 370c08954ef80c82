"""Compute a metric at every threshold, from the four counts of the confusion matrix there."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastarac.dropins.curves import DropIn, confusion_matrix_at_thresholds

TRUTH, PREDICTION = (
    np.array([0, 0, 1, 1]),
    np.array([0, 1, 0, 1], np.int32),
)  # labels of the four cells, in the order of the counts from `confusion_matrix_at_thresholds`


class _MetricAtThresholds(NamedTuple):
    metric_values: NDArray[Any]
    """The metric at each threshold; a matrix if the metric returns several numbers."""
    thresholds: NDArray[Any]
    """The thresholds in decreasing order, in the type of the scores."""


class MetricAtThresholds(DropIn, _MetricAtThresholds):
    """A metric at every threshold, from the highest down.

    See Also
    --------
    fastarac.metric_at_thresholds : compute a metric at every threshold
    ConfusionMatrixAtThresholds : the four counts at every threshold

    Examples
    --------
    >>> import fastarac as fa
    >>> from sklearn.metrics import accuracy_score
    >>> fa.metric_at_thresholds([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], accuracy_score).metric_values
    array([0.75, 0.5 , 0.75, 0.5 ])
    """

    __slots__ = ()

    def to_columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns of a table: the thresholds, and one for each number the metric returns."""
        values = self.metric_values
        if values.ndim == 1:
            return self._asdict()
        columns = {f"metric_values_{i}": column for i, column in enumerate(values.T)}
        return columns | {"thresholds": self.thresholds}


def metric_at_thresholds(
    y_true: ArrayLike,
    y_score: ArrayLike,
    metric_func: Callable[..., Any],
    *,
    sample_weight: ArrayLike | None = None,
    metric_params: Mapping[str, Any] | None = None,
) -> MetricAtThresholds:
    """Compute a metric of the predictions at every distinct score.

    Parameters
    ----------
    y_true, y_score : array_like of shape (n,)
        Labels 0 and 1, and scores (real and finite; higher for label 1).
    metric_func : callable
        Called as ``metric_func(y_true, y_pred, **metric_params)``, where `y_pred` is 1 for scores at or
        above the threshold and 0 for the others. If it has a parameter `sample_weight`, it must treat
        an item of weight w like w equal items, as scikit-learn's metrics do.
    sample_weight : array_like of shape (n,), optional
        Weights of the items; weight 0 removes an item.
    metric_params : mapping, optional
        Further arguments of `metric_func`.

    Examples
    --------
    >>> import fastarac as fa
    >>> from sklearn.metrics import f1_score
    >>> curve = fa.metric_at_thresholds([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], f1_score)
    >>> curve.thresholds
    array([0.8 , 0.4 , 0.35, 0.1 ])
    >>> curve.metric_values
    array([0.66666667, 0.5       , 0.8       , 0.66666667])

    Returns
    -------
    metric_values : ndarray of shape (n_thresholds,) or (n_thresholds, n_outputs)
        The metric at each threshold; a matrix if the metric returns several numbers.
    thresholds : ndarray of shape (n_thresholds,)
        The distinct scores in decreasing order, in their original type.

    Raises
    ------
    ValueError
        If there are labels other than 0 and 1.
    TypeError
        If `metric_func` is not callable, or if weights are given but it has no parameter
        `sample_weight`.

    See Also
    --------
    confusion_matrix_at_thresholds : count true and false negatives and positives at every threshold

    Notes
    -----
    Signature and values are the same as in scikit-learn 1.9, which passes all n items to the metric at
    each threshold. Here, a metric with `sample_weight` gets only four weighted items, one for each cell
    of the confusion matrix, so its cost does not depend on n.
    """
    if not callable(metric_func):
        raise TypeError(f"metric_func must be callable, got {type(metric_func).__name__}")
    counts = confusion_matrix_at_thresholds(y_true, y_score, sample_weight=sample_weight)
    labels = np.unique(np.asarray(y_true))
    if not np.isin(labels, (0, 1)).all():
        found = labels.tolist()
        raise ValueError(f"y_true must hold only 0 and 1, because predictions are 0 or 1, got {found}")
    params = metric_params or {}
    if sample_weight is None and not _takes_weights(metric_func):
        truth, scores = np.ravel(y_true), np.ravel(y_score)
        predictions = ((scores >= threshold).astype(np.int32) for threshold in counts.thresholds)
        values = [metric_func(truth, prediction, **params) for prediction in predictions]
        return MetricAtThresholds(np.asarray(values), counts.thresholds)
    values = []
    for weight in np.column_stack([counts.tns, counts.fps, counts.fns, counts.tps]):
        there = weight > 0.0
        items = TRUTH[there], PREDICTION[there]
        values.append(metric_func(*items, sample_weight=weight[there], **params))
    return MetricAtThresholds(np.asarray(values), counts.thresholds)


def _takes_weights(function: Callable[..., Any]) -> bool:
    """Return whether a function takes `sample_weight` by name."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):  # some built-in functions do not reveal their parameters
        return True
    kinds = [each.kind for each in parameters.values()]
    return "sample_weight" in parameters or inspect.Parameter.VAR_KEYWORD in kinds
