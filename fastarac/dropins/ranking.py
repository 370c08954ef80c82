"""Discounted cumulative gain, as in scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastarac import _kernels
from fastarac._engine import parallel
from fastarac.dropins import _checks
from fastarac.dropins._arrays import (
    Array,
    check_lengths,
    check_sum,
    numeric_array,
    readable,
    sortable,
    to_array,
)
from fastarac.dropins._labels import read_target
from fastarac.dropins.multiclass import shares_of

_KINDS = ("multilabel-indicator", "continuous-multioutput", "multiclass-multioutput")


def dcg_of_rows(
    y_true: Array,
    y_score: Array,
    k: int | None = None,
    log_base: float = 2,
    *,
    ignore_ties: bool = False,
) -> NDArray[np.float64]:
    """Return the discounted cumulative gain of each row."""
    discounts = _discounts(y_true.shape[1], k, log_base)
    if ignore_ties:
        order = np.argsort(y_score)[:, ::-1]
        return discounts.dot(np.take_along_axis(y_true, order, axis=1).T)  # type: ignore[no-any-return]
    gains = readable(y_true, np.float64)
    ranks, _ = sortable(y_score)
    wide = ranks.dtype.kind in "iu" and ranks.dtype.itemsize == 8
    scores = readable(ranks, ranks.dtype.newbyteorder("=") if wide else np.float64)
    cumulative = np.cumsum(discounts)
    results = np.empty(len(gains))

    def work(share: tuple[int, int]) -> None:
        part = slice(*share)
        _kernels.curve_points.discounted_gains(gains[part], scores[part], cumulative, results[part])

    parallel.run(work, shares_of(len(gains), gains.size))
    return results


def _discounts(n: int, k: int | None, log_base: float) -> NDArray[np.float64]:
    """Return the discounts of n ranks, with 0 for all ranks above k."""
    discounts: NDArray[np.float64] = 1 / (np.log(np.arange(n) + 2) / np.log(log_base))
    if k is not None:
        discounts[k:] = 0
    return discounts


def ndcg_of_rows(
    y_true: Array, y_score: Array, k: int | None = None, *, ignore_ties: bool = False
) -> NDArray[np.float64]:
    """Return each row's discounted cumulative gain divided by its maximum, or 0 if the maximum is 0."""
    gains = dcg_of_rows(y_true, y_score, k, ignore_ties=ignore_ties)
    discounts = _discounts(y_true.shape[1], k, 2)
    best = discounts.dot(np.sort(y_true)[:, ::-1].T)
    return np.asarray(np.divide(gains, best, out=np.zeros_like(gains), where=best != 0))


def _read(
    name: str, y_true: Any, y_score: Any, k: Any, log_base: Any, sample_weight: Any, ignore_ties: Any
) -> tuple[Array, Array, Array | None]:
    _checks.check_array_like(name, y_true=y_true, y_score=y_score)
    _checks.check_count(name, "k", k)
    if not _checks.is_in(log_base, 0.0, np.inf, "neither"):
        _checks.reject_parameter(name, "log_base", "a float in the range (0.0, inf)", log_base)
    _checks.check_array_like(name, optional=True, sample_weight=sample_weight)
    _checks.check_boolean(name, "ignore_ties", ignore_ties)
    gains = numeric_array(y_true)
    scores = numeric_array(y_score)
    weight = None if sample_weight is None else to_array(sample_weight)
    check_lengths(gains, scores, weight)
    if weight is not None:
        check_sum(weight)
    return gains, scores, weight


def _check_shapes(gains: Array, scores: Array) -> None:
    if gains.ndim != 2 or gains.shape[1] < 2:
        kind = read_target(gains).kind
        raise ValueError(f"Only {_KINDS} formats are supported. Got {kind} instead")
    if scores.shape != gains.shape:
        raise ValueError(f"y_score must have the shape of y_true, {gains.shape}, got {scores.shape}")


def dcg_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int | None = None,
    log_base: float = 2,
    sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False,
) -> float:
    r"""Discounted cumulative gain of rankings, averaged over them.

    For rankings that are already sorted by score, or for other discounts, use
    :func:`.discounted_cumulative_gain`.

    Parameters
    ----------
    y_true, y_score : array_like of shape (n, n_labels)
        Gain of each label (or 1 if it is relevant, else 0), and scores that rank the labels of each
        row, highest first; at least 2 columns.
    k : int, optional
        Count only the first k ranks.
    log_base : float, default=2
        Base of the logarithm of the discount, above 0.
    sample_weight : array_like of shape (n,), optional
        Weights of the rows in the mean.
    ignore_ties : bool, default=False
        Whether to ignore ties. This is suitable if `y_score` has none, or if their order does not
        matter.

    Returns
    -------
    float
        The mean gain; not negative if no gain is negative.

    See Also
    --------
    ndcg_score : discounted cumulative gain divided by its maximum
    fastarac.measures.discounted_cumulative_gain : sum of discounted gains of the first k items

    Notes
    -----
    Signature, values and errors are the same as in scikit-learn 1.9:

    .. math:: \text{DCG} = \sum_{r=1}^{k} \frac{g_r}{\log_b(r + 1)}

    where g_r is the gain at rank r and b is `log_base` (Järvelin and Kekäläinen 2002, with the discount
    of Burges et al. 2005). Tied labels share their mean gain (McSherry and Najork 2008). Unlike in
    scikit-learn, unsigned integer scores are ranked by their values.

    References
    ----------
    Järvelin and Kekäläinen 2002, "Cumulated gain-based evaluation of IR techniques"; Burges and others
    2005, "Learning to rank using gradient descent"; McSherry and Najork 2008, on tied scores.

    Examples
    --------
    >>> import fastarac as fa
    >>> gains = [[10, 0, 0, 1, 5]]
    >>> round(fa.dcg_score(gains, [[0.1, 0.2, 0.3, 4, 70]]), 3)
    9.499
    >>> round(fa.dcg_score(gains, [[1, 0, 0, 0, 1]], k=1), 3)
    7.5
    """
    given = y_true, y_score, k, log_base, sample_weight, ignore_ties
    gains, scores, weight = _read("dcg_score", *given)
    _check_shapes(gains, scores)
    values = dcg_of_rows(gains, scores, k, log_base, ignore_ties=bool(ignore_ties))
    return float(np.average(values, weights=weight))


def ndcg_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int | None = None,
    sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False,
) -> float:
    """Discounted cumulative gain divided by its maximum, averaged over rankings.

    For rankings that are already sorted by score, or for other discounts, use :func:`.normalized_dcg`.

    Parameters
    ----------
    y_true, y_score : array_like of shape (n, n_labels)
        Gain of each label, at least 0 (or 1 if it is relevant, else 0), and scores that rank the labels
        of each row, highest first; at least 2 columns.
    k : int, optional
        Count only the first k ranks.
    sample_weight : array_like of shape (n,), optional
        Weights of the rows in the mean.
    ignore_ties : bool, default=False
        Whether to ignore ties. This is suitable if `y_score` has none, or if their order does not
        matter.

    Returns
    -------
    float
        The mean over rows, in [0, 1]. A row whose gains are all 0 counts as 0.

    See Also
    --------
    dcg_score : discounted cumulative gain of rankings, averaged over them
    fastarac.measures.discounted_cumulative_gain : sum of discounted gains of the first k items

    Notes
    -----
    Signature, values and errors are the same as in scikit-learn 1.9. Each row has the value
    :func:`.dcg_score`, divided by the value that the row would have if its labels were ranked by their
    gains (Järvelin and Kekäläinen 2002; Wang et al. 2013).

    References
    ----------
    Järvelin and Kekäläinen 2002, "Cumulated gain-based evaluation of IR techniques"; Wang and others
    2013, on NDCG as a consistent measure.

    Examples
    --------
    >>> import fastarac as fa
    >>> gains = [[10, 0, 0, 1, 5]]
    >>> round(fa.ndcg_score(gains, [[0.1, 0.2, 0.3, 4, 70]]), 3)
    0.696
    >>> round(fa.ndcg_score(gains, [[0.05, 1.1, 1.0, 0.5, 0.0]], k=4), 3)
    0.352
    """
    gains, scores, weight = _read("ndcg_score", y_true, y_score, k, 2, sample_weight, ignore_ties)
    if gains.min() < 0:
        raise ValueError("ndcg_score should not be used on negative y_true values.")
    if gains.ndim > 1 and gains.shape[1] <= 1:
        raise ValueError(
            "Computing NDCG is only meaningful when there is more than 1 document. Got "
            f"{gains.shape[1]} instead."
        )
    _check_shapes(gains, scores)
    values = ndcg_of_rows(gains, scores, k, ignore_ties=bool(ignore_ties))
    return float(np.average(values, weights=weight))
