"""Areas and points of the precision–recall curve, and the equal error rate."""

from __future__ import annotations

import math
from bisect import bisect_left
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from fastarac._core.checks import MOST_VALUES, choice, fractions_of, whole_number
from fastarac._core.exceptions import warn_undefined
from fastarac._core.results import TupleResult
from fastarac._engine.inputs import SCORED_NAMES
from fastarac.areas.gradients import (
    PointInfluence,
    by_integrals,
    by_precision,
    differences,
    from_here_on,
)
from fastarac.samples.door import as_ranked, as_sweep
from fastarac.samples.estimated import plain

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from fastarac._engine.counts import AcceptedCounts
    from fastarac.samples.partial_items import PartialItems, Shares
    from fastarac.sweep import CornerSweep, ThresholdSweep

Interpolation = Literal["davis-goadrich", "linear", "step"]


class _BreakEvenPoint(NamedTuple):
    value: float
    threshold: Any


class BreakEvenPoint(TupleResult, _BreakEvenPoint):
    """The point where precision and recall are equal.

    See Also
    --------
    fastarac.break_even_point : where precision equals recall
    EqualErrorRate : where the false positive and the false negative rate are equal

    Examples
    --------
    >>> import fastarac as fa
    >>> found = fa.break_even_point([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6])
    >>> found.value, found.threshold
    (0.5, 0.8)
    """

    __slots__ = ()


class _EqualErrorRate(NamedTuple):
    rate: float
    threshold: Any


class EqualErrorRate(TupleResult, _EqualErrorRate):
    """The point where the false positive and the false negative rate are equal.

    See Also
    --------
    fastarac.equal_error_rate : where both error rates are equal
    BreakEvenPoint : where precision and recall are equal

    Examples
    --------
    >>> import fastarac as fa
    >>> found = fa.equal_error_rate([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6])
    >>> found.rate, found.threshold
    (0.5, 0.8)
    """

    __slots__ = ()


def pr_auc_score(
    y_true: ArrayLike | ThresholdSweep | CornerSweep,
    y_score: ArrayLike | None = None,
    *,
    interpolation: Interpolation = "davis-goadrich",
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Area under the precision–recall curve, by one of three interpolations.

    Parameters
    ----------
    y_true, y_score : array_like of shape (n,), or a ThresholdSweep alone
        Labels (bool, or 0 and 1), and scores (real and finite), higher for the positive class.
    interpolation : {"davis-goadrich", "linear", "step"}, default="davis-goadrich"
        "davis-goadrich": true and false positives grow linearly between points, and the precision is
        integrated in closed form. The precision is constant from recall 0 to the first point. "linear":
        straight lines between the points, from precision 1 at recall 0; this is too optimistic. "step":
        average precision.
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum.

    Returns
    -------
    float
        In [0, 1]; NaN if no item is positive. Without weights, this is the exact value, rounded once;
        with "davis-goadrich", the error is at most 4 units in the last place. With weights, the
        relative error is at most 1e-12 (or, with "davis-goadrich", the absolute error at most 1e-15).

    Warns
    -----
    UndefinedMetricWarning
        If no item is positive.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`; also for an unknown `interpolation`.

    See Also
    --------
    average_precision_score : average precision
    interpolated_precision : largest precision at each level of recall or above it
    precision_recall_curve : precision and recall at every threshold

    Notes
    -----
    The default is from Davis and Goadrich 2006. Let n⁺ be the number of positive items. If N₀ items are
    accepted, T₀ of them positive, the next g items, p of them positive, add

    .. math:: \int P\,dR = \frac{p}{g\,n^+}\left[p +
              \left(T_0 - \frac{p N_0}{g}\right)\ln\frac{N_0+g}{N_0}\right]

    "linear" equals scikit-learn's ``auc(recall, precision)`` for its precision–recall curve, and "step"
    equals its ``average_precision_score``. The R packages PRROC and precrec have the same default.

    References
    ----------
    Davis and Goadrich 2006, "The relationship between precision-recall and ROC curves".

    Examples
    --------
    >>> import fastarac as fa
    >>> y_true, y_score = [1, 0, 1, 1], [0.9, 0.8, 0.7, 0.6]
    >>> round(fa.pr_auc_score(y_true, y_score), 6)
    0.768951
    >>> round(fa.pr_auc_score(y_true, y_score, interpolation="step"), 6)
    0.805556
    """
    choice(interpolation, "interpolation", ("davis-goadrich", "linear", "step"))
    corners = interpolation == "davis-goadrich"
    share = partial(share_of_judge, interpolation=interpolation)
    items = as_ranked(
        y_true, y_score, sample_weight, SCORED_NAMES, corners=corners, share_of_judge=share
    )
    area = items.precision_area(interpolation)
    if math.isnan(area):
        warn_undefined("area under the precision-recall curve", "y_true has no positive item")
    return area


def interpolated_precision(
    y_true: ArrayLike | ThresholdSweep | CornerSweep,
    y_score: ArrayLike | None = None,
    *,
    recall_levels: int | ArrayLike = 11,
    sample_weight: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """Largest precision at each recall level or at any higher recall.

    Parameters
    ----------
    y_true, y_score : array_like of shape (n,), or a ThresholdSweep alone
        Labels (bool, or 0 and 1), and scores (real and finite), higher for the positive class.
    recall_levels : int or array_like of shape (k,), default=11
        The number of equidistant levels from 0 to 1 (at least 2), or the levels themselves.
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum.

    Returns
    -------
    ndarray of shape (k,)
        In [0, 1]; NaN if no item is positive.

    Warns
    -----
    UndefinedMetricWarning
        If no item is positive.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`; also for levels outside [0, 1].

    See Also
    --------
    eleven_point_average_precision : mean of the interpolated precision at the recall levels 0, 0.1, …
    pr_auc_score : area under the precision–recall curve, by one of three interpolations

    Notes
    -----
    At the recall level r, this is max {P(r') : r' >= r}, where P(r') is the precision at recall r'.
    Recall and levels are compared as doubles.

    References
    ----------
    Manning, Raghavan and Schütze 2008, "Introduction to information retrieval", 8.4.

    Examples
    --------
    >>> import fastarac as fa
    >>> fa.interpolated_precision([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6], recall_levels=[0, 0.5, 1])
    array([1.        , 1.        , 0.66666667])
    """
    if isinstance(recall_levels, int | np.integer):
        n_levels = whole_number(recall_levels, "recall_levels", 2, MOST_VALUES)
        levels = np.arange(n_levels) / (n_levels - 1)
    else:
        levels = np.atleast_1d(fractions_of(recall_levels, "recall_levels"))
    sweep = as_ranked(y_true, y_score, sample_weight, SCORED_NAMES, corners=True).corners.rising
    if not sweep.n_correct:
        warn_undefined("interpolated precision", "y_true has no positive item")
        return np.full(len(levels), np.nan)
    return _interpolated(sweep, levels)


def _interpolated(sweep: AcceptedCounts, levels: NDArray[np.float64]) -> NDArray[np.float64]:
    best = np.maximum.accumulate(sweep.precision[:0:-1])[::-1]
    return best[np.searchsorted(sweep.recall[1:], levels, side="left")]


def eleven_point_average_precision(
    y_true: ArrayLike | ThresholdSweep | CornerSweep,
    y_score: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Mean of the interpolated precision at the recall levels 0, 0.1, …, 1.

    Parameters
    ----------
    y_true, y_score : array_like of shape (n,), or a ThresholdSweep alone
        Labels (bool, or 0 and 1), and scores (real and finite), higher for the positive class.
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum.

    Returns
    -------
    float
        In [0, 1]; NaN if no item is positive.

    Warns
    -----
    UndefinedMetricWarning
        If no item is positive.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`.

    See Also
    --------
    interpolated_precision : largest precision at each level of recall or above it
    average_precision_score : average precision

    Notes
    -----
    This was the standard measure of the early TREC conferences; see :func:`.interpolated_precision`.

    References
    ----------
    Manning, Raghavan and Schütze 2008, "Introduction to information retrieval", 8.4.

    Examples
    --------
    >>> import fastarac as fa
    >>> round(fa.eleven_point_average_precision([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6]), 6)
    0.848485
    """
    sweep = as_ranked(y_true, y_score, sample_weight, SCORED_NAMES, corners=True).corners.rising
    if not sweep.n_correct:
        warn_undefined("11-point average precision", "y_true has no positive item")
        return math.nan
    return math.fsum(_interpolated(sweep, np.arange(11) / 10)) / 11


def break_even_point(
    y_true: ArrayLike | ThresholdSweep,
    y_score: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
) -> BreakEvenPoint:
    """The point where precision equals recall: as many items are accepted as there are positive ones.

    Parameters
    ----------
    y_true, y_score : array_like of shape (n,), or a ThresholdSweep alone
        Labels (bool, or 0 and 1), and scores (real and finite), higher for the positive class.
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum.

    Returns
    -------
    value : float
        The common value of precision and recall, in [0, 1]. If the point is inside a tie, this is the
        mean over random orders of the tied items.
    threshold : float
        The threshold of the tie that contains the point. `value` and `threshold` are NaN if no item is
        positive.

    Warns
    -----
    UndefinedMetricWarning
        If no item is positive.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`.

    See Also
    --------
    equal_error_rate : where both error rates are equal
    interpolated_precision : largest precision at each level of recall or above it
    fastarac.results.BreakEvenPoint : where precision and recall are equal

    Notes
    -----
    Precision TP/(TP + FP) and recall TP/n⁺ are equal where TP + FP = n⁺, the number of positive items.

    References
    ----------
    Manning, Raghavan and Schütze 2008, "Introduction to information retrieval", 8.4.

    Examples
    --------
    >>> import fastarac as fa
    >>> fa.break_even_point([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6])
    BreakEvenPoint(value=0.5, threshold=0.8)
    """
    sweep = as_sweep(y_true, y_score, sample_weight, SCORED_NAMES).rising
    if not sweep.n_correct:
        warn_undefined("break-even point", "y_true has no positive item")
        return BreakEvenPoint(math.nan, math.nan)
    ta, fa, positive = sweep.true_accepts, sweep.false_accepts, sweep.n_correct
    i = bisect_left(range(len(ta) - 1), positive, key=lambda k: ta[k] + fa[k])
    before = Fraction(ta[i - 1].item()) + Fraction(fa[i - 1].item())
    here = Fraction(ta[i].item()) + Fraction(fa[i].item())
    part = (Fraction(positive) - before) / (here - before)
    value = _between(ta, i, part) / Fraction(positive)
    return BreakEvenPoint(float(value), _plain(sweep.thresholds[i]))


def equal_error_rate(
    y_true: ArrayLike | ThresholdSweep,
    y_score: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
) -> EqualErrorRate:
    """The rate at which the false positive and false negative rate are equal, interpolated linearly.

    Parameters
    ----------
    y_true, y_score : array_like of shape (n,), or a ThresholdSweep alone
        Labels (bool, or 0 and 1), and scores (real and finite), higher for the positive class.
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum.

    Returns
    -------
    rate : float
        In [0, 1]; lower is better.
    threshold : float
        The threshold of the tie that contains the point. `rate` and `threshold` are NaN with one class
        only.

    Warns
    -----
    UndefinedMetricWarning
        With one class only.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`.

    See Also
    --------
    break_even_point : where precision equals recall
    det_curve : detection error tradeoff
    fastarac.results.EqualErrorRate : where the false positive and the false negative rate are equal

    Notes
    -----
    This is the EER of biometrics: FPR = FNR = 1 − TPR on the linearly interpolated DET curve.

    Examples
    --------
    >>> import fastarac as fa
    >>> fa.equal_error_rate([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6])
    EqualErrorRate(rate=0.5, threshold=0.8)
    """
    sweep = as_sweep(y_true, y_score, sample_weight, SCORED_NAMES).rising
    if not (sweep.n_correct and sweep.n_incorrect):
        warn_undefined("equal error rate", "y_true has one class only")
        return EqualErrorRate(math.nan, math.nan)
    ta, fa = sweep.true_accepts, sweep.false_accepts
    positive, negative = Fraction(sweep.n_correct), Fraction(sweep.n_incorrect)

    def both(k: int) -> Fraction:
        return Fraction(fa[k].item()) / negative + Fraction(ta[k].item()) / positive

    i = bisect_left(range(len(ta) - 1), Fraction(1), key=both)
    part = (1 - both(i - 1)) / (both(i) - both(i - 1))
    return EqualErrorRate(float(_between(fa, i, part) / negative), _plain(sweep.thresholds[i]))


def _between(counts: NDArray[Any], index: int, part: Fraction) -> Fraction:
    """Return the count after accepting a share `part` of the tie at `index`."""
    before, here = (Fraction(counts[k].item()) for k in (index - 1, index))
    return before + part * (here - before)


def _plain(threshold: Any) -> Any:
    return threshold if isinstance(threshold, int) else float(threshold)


def area_gradient(sweep: ThresholdSweep, interpolation: Interpolation) -> PointInfluence:
    """Return the influence of a correct and of an incorrect item on the area, at each threshold."""
    if interpolation == "step":
        area, gradient = by_precision(sweep, over_accepted=False, trapezoids=False)
    elif interpolation == "linear":
        area, gradient = by_precision(sweep, over_accepted=False, trapezoids=True, first=1.0)
    else:
        area, gradient = by_integrals(sweep, over_accepted=False)
    ratio = float(sweep.total / sweep.n_correct)
    correct, incorrect = gradient
    correct -= area
    correct *= ratio
    incorrect *= ratio
    return gradient


def weights_of_errors(sweep: ThresholdSweep, interpolation: str = "step") -> NDArray[np.float64]:
    """Return how much one error at a threshold reduces the average precision; inf is left out.

    This is Σ 1/(n⁺·N) over the correct items at the threshold and below, where n⁺ counts all correct
    items. N counts the items at or above the confidence of the summed item.
    """
    del interpolation  # in large samples, all interpolations agree
    terms = differences(sweep.true_accepts)
    terms /= np.add(sweep.true_accepts[1:], sweep.false_accepts[1:], dtype=np.float64)
    weights = from_here_on(terms)
    weights /= float(sweep.n_correct)
    return weights


def share_of_judge(items: PartialItems, interpolation: Interpolation) -> Shares | None:
    """Return the weights of the judges' predictions for the least variance of the estimated area."""
    sweep = plain(items.beginning.sweep)
    if not sweep.n_correct:
        return ()
    at = area_gradient(sweep, interpolation)
    return items.share_by_tie(at.incorrect - at.correct, linear=False)
