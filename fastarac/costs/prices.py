"""Expected cost, iso-performance slope and PCF(+) from prices and prevalence (Suzuki 2003)."""

from __future__ import annotations

from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastarac._core.checks import fractions_of

FloatArray = NDArray[np.float64]


@overload
def iso_performance_slope(p_positive: float, cost_fn: float, cost_fp: float) -> float: ...
@overload
def iso_performance_slope(p_positive: ArrayLike, cost_fn: ArrayLike, cost_fp: ArrayLike) -> Any: ...
def iso_performance_slope(p_positive: ArrayLike, cost_fn: ArrayLike, cost_fp: ArrayLike) -> Any:
    """Compute the slope of lines of equal expected cost in the ROC plane.

    Parameters
    ----------
    p_positive, cost_fn, cost_fp : float or array_like
        P(+), the prevalence: the share of positives where the classifier is used, in [0, 1]; c(−|+) and
        c(+|−), the costs of a false negative and of a false positive, at least 0.

    Returns
    -------
    float or ndarray
        The slope, between 0 and ``inf``, in the common shape of the arguments:
        P(−)·c(+|−)/(P(+)·c(−|+)), equation 5 of Suzuki 2003, in which correct predictions cost nothing.

    Raises
    ------
    ValueError, TypeError
        If an argument is out of range, or if both P(+)·c(−|+) and P(−)·c(+|−) are 0, because the cost
        of every classifier is then 0.

    See Also
    --------
    expected_cost : expected cost of an item, from the two rates of a classifier
    roc_convex_hull : convex hull of the ROC curves of any number of models

    References
    ----------
    Suzuki 2003, equation 5.

    Examples
    --------
    >>> import fastarac as fa
    >>> fa.costs.iso_performance_slope(p_positive=1 / 11, cost_fn=1, cost_fp=1)  # P(−) = 10 P(+)
    10.0
    >>> round(fa.costs.iso_performance_slope(p_positive=1 / 11, cost_fn=100, cost_fp=1), 12)
    0.1
    """
    positive, negative = _class_costs(p_positive, cost_fn, cost_fp)
    with np.errstate(divide="ignore", over="ignore"):
        return _plain(np.divide(negative, positive))


@overload
def probability_cost(p_positive: float, cost_fn: float, cost_fp: float) -> float: ...
@overload
def probability_cost(p_positive: ArrayLike, cost_fn: ArrayLike, cost_fp: ArrayLike) -> Any: ...
def probability_cost(p_positive: ArrayLike, cost_fn: ArrayLike, cost_fp: ArrayLike) -> Any:
    """Compute PCF(+), the position on the horizontal axis of cost curves, from prices and prevalence.

    Parameters
    ----------
    p_positive, cost_fn, cost_fp : float or array_like
        As for :func:`.iso_performance_slope`.

    Returns
    -------
    float or ndarray
        PCF(+), in [0, 1] and in the common shape of the arguments: P(+)·c(−|+)/(P(+)·c(−|+) +
        P(−)·c(+|−)), equations 6 to 8 of Suzuki 2003. It is 1/(1 + s), where s is the slope of the
        iso-performance lines.

    See Also
    --------
    cost_curve : least normalised expected cost over the probability cost function
    expected_cost : expected cost of an item, from the two rates of a classifier

    References
    ----------
    Suzuki 2003, equations 6 to 8.

    Examples
    --------
    >>> import fastarac as fa
    >>> fa.costs.probability_cost(p_positive=0.1, cost_fn=9, cost_fp=1)
    0.5
    """
    positive, negative = _class_costs(p_positive, cost_fn, cost_fp)
    # Division by the larger cost avoids overflow and underflow.
    largest = np.maximum(positive, negative)
    positive, negative = positive / largest, negative / largest
    return _plain(positive / (positive + negative))


def _class_costs(
    p_positive: ArrayLike, cost_fn: ArrayLike, cost_fp: ArrayLike
) -> tuple[FloatArray, FloatArray]:
    """Return w₊ = P(+)·c(−|+) and w₋ = P(−)·c(+|−), equation 6; raise if both are 0."""
    positive, negative = _weights(p_positive, cost_fn, cost_fp)
    if np.any((positive == 0) & (negative == 0)):
        raise ValueError(
            "p_positive*cost_fn and (1 - p_positive)*cost_fp are both 0, but at least one kind of "
            "error must occur and cost something"
        )
    return positive, negative


def _weights(
    p_positive: ArrayLike, cost_fn: ArrayLike, cost_fp: ArrayLike
) -> tuple[FloatArray, FloatArray]:
    share = fractions_of(p_positive, "p_positive")
    fn, fp = _prices(cost_fn, "cost_fn"), _prices(cost_fp, "cost_fp")
    return np.asarray(share * fn), np.asarray((1 - share) * fp)


def _prices(values: ArrayLike, name: str) -> FloatArray:
    array = np.asarray(values)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} must hold numbers of at least 0, got type {array.dtype}")
    prices = array.astype(np.float64)
    bad = ~((prices >= 0) & (prices < np.inf))
    if bad.any():
        raise ValueError(f"{name} must be a finite number of at least 0, got {prices[bad].flat[0]}")
    return prices


def _plain(values: Any) -> float | FloatArray:
    """Return a zero-dimensional array as a float; other arrays unchanged."""
    return float(values) if np.ndim(values) == 0 else values


@overload
def expected_cost(
    fpr: float, tpr: float, *, p_positive: float, cost_fn: float, cost_fp: float
) -> float: ...
@overload
def expected_cost(
    fpr: ArrayLike, tpr: ArrayLike, *, p_positive: ArrayLike, cost_fn: ArrayLike, cost_fp: ArrayLike
) -> Any: ...
def expected_cost(
    fpr: ArrayLike, tpr: ArrayLike, *, p_positive: ArrayLike, cost_fn: ArrayLike, cost_fp: ArrayLike
) -> Any:
    """Compute the expected cost of an item from the two rates of a classifier.

    Parameters
    ----------
    fpr, tpr : float or array_like
        False and true positive rate, in [0, 1].
    p_positive, cost_fn, cost_fp : float or array_like
        As for :func:`.iso_performance_slope`.

    Returns
    -------
    float or ndarray
        The cost in the unit of the prices, in the common shape of the arguments: P(+)·(1 − TP)·c(−|+) +
        P(−)·FP·c(+|−), equation 4 of Suzuki 2003, in which correct predictions cost nothing.

    Raises
    ------
    ValueError, TypeError
        If an argument is out of range, or the shapes do not broadcast.

    See Also
    --------
    iso_performance_slope : slope of lines of equal expected cost in the ROC plane
    probability_cost : PCF(+), the horizontal axis of cost curves
    CostMatrix : costs of predicting one class when another one is true

    References
    ----------
    Suzuki 2003, equation 4.

    Examples
    --------
    >>> import fastarac as fa
    >>> fa.costs.expected_cost(0.25, 0.5, p_positive=0.5, cost_fn=4, cost_fp=2)
    1.25
    >>> fa.costs.expected_cost([0, 0.25, 1], [0, 0.5, 1], p_positive=0.5, cost_fn=4, cost_fp=2)
    array([2.  , 1.25, 1.  ])
    """
    positive, negative = _weights(p_positive, cost_fn, cost_fp)
    fp, tp = fractions_of(fpr, "fpr"), fractions_of(tpr, "tpr")
    with np.errstate(over="ignore"):
        return _plain(positive * (1 - tp) + negative * fp)
