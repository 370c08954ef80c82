"""Areas over part of the ARAC, the ROC and the precision–recall curve."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastarac import _kernels
from fastarac._core.checks import choice, exactly_one, fraction_of, real_scalar
from fastarac._core.exceptions import warn_undefined
from fastarac._engine.counts import PointCounts
from fastarac._engine.inputs import SCORED_NAMES
from fastarac._engine.pairs import doubled_area
from fastarac._engine.sums import sum_over
from fastarac._kernels.codes import OF_INTERPOLATION
from fastarac.samples.door import as_ranked

if TYPE_CHECKING:
    from fastarac._engine.counts import AcceptedCounts
    from fastarac.areas.precision_recall import Interpolation
    from fastarac.sweep import CornerSweep, ThresholdSweep

# Largest relative rounding error of an area that is computed from integrals.
ROUNDING = Fraction(1, 10**13)
# A quantity that increases along the sweep: the sum of one or two arrays of counts.
Counts = tuple["NDArray[Any]", ...]


def _at(counts: Counts, index: int) -> int | Fraction:
    if counts[0].dtype == np.int64:
        return sum(int(part[index]) for part in counts)
    return sum((Fraction(part[index].item()) for part in counts), Fraction(0))


def area_between(x: Counts, y: Counts, low: Fraction, high: Fraction) -> Fraction:
    """Return ∫ y dx along the curve for low <= x <= high; the limits are in the units of x."""
    if len(x) == 1 and x[0].dtype == np.int64:
        first = int(x[0].searchsorted(ceil(low), "left"))
        last = int(x[0].searchsorted(floor(high), "right")) - 1
    else:
        points = range(len(x[0]))
        first = bisect_left(points, low, key=lambda i: Fraction(_at(x, i)))
        last = bisect_right(points, high, key=lambda i: Fraction(_at(x, i))) - 1

    def height(at: Fraction, index: int) -> Fraction:
        """Return the height y at x = `at`, on the segment that ends at `index`."""
        x0, x1, y0, y1 = _at(x, index - 1), _at(x, index), _at(y, index - 1), _at(y, index)
        return y0 + (y1 - y0) * (at - x0) / (x1 - x0)

    if first > last:  # no point of the sweep is between `low` and `high`
        return (high - low) * (height(low, first) + height(high, first)) / 2
    area: int | Fraction = 0
    for a in x:
        for b in y:
            if a is b:
                area += _at((a,), last) ** 2 - _at((a,), first) ** 2
            else:
                area += doubled_area(a[first : last + 1], b[first : last + 1])
    if low < (start := _at(x, first)):
        area += (start - low) * (height(low, first) + _at(y, first))
    if high > (end := _at(x, last)):
        area += (high - end) * (height(high, last + 1) + _at(y, last))
    return Fraction(area) / 2


def _range(values: Any, name: str) -> tuple[Fraction, Fraction]:
    """Return the ends of a range; raise unless it lies within [0, 1] and is not empty."""
    try:
        low, high = values
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} must be two numbers (low, high), got {values!r}") from error
    ends = [fraction_of(end, name) for end in (low, high)]
    if not ends[0] < ends[1]:
        raise ValueError(f"{name} must be (low, high) with low < high, got {values!r}")
    return Fraction(ends[0]), Fraction(ends[1])


def arac_partial_auc_score(
    correct: ArrayLike | ThresholdSweep | CornerSweep,
    confidence: ArrayLike | None = None,
    *,
    acceptance_range: tuple[float, float] | None = None,
    max_error_rate: float | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Mean height of the ARAC curve over part of it.

    Give exactly one of `acceptance_range` and `max_error_rate`.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,), or a ThresholdSweep alone
        Whether each output was right (bool, or 0 and 1), and its confidence (real and finite).
    acceptance_range : tuple of two float, optional
        (a, b) with 0 <= a < b <= 1. The accuracy after correction is averaged over acceptance rates
        from a to b.
    max_error_rate : float, optional
        ε in (0, 1]. The acceptance rate is averaged over allowed error rates from 0 to ε.
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum.

    Returns
    -------
    float
        In [0, 1]; higher is better. Without weights, this is the exact value, rounded once.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`; also unless exactly one of `acceptance_range` and `max_error_rate`
        is given, and is in its range.

    See Also
    --------
    arac_auc_score : area under the ARAC curve
    roc_partial_auc_score : area under part of the ROC curve

    Notes
    -----
    Let X be the acceptance rate and Y the accuracy after correction. The value is (1/(b − a))∫ Y dX
    over X in [a, b], or (1/ε)∫ X dY over Y in [1 − ε, 1]. If the curve has the height Y at several X,
    the largest X is taken. At heights below the whole curve, X is 1.

    References
    ----------
    Kimura, Kubota, Wada and Hashimoto 2024, 3.3, for the whole area; McClish 1989, "Analyzing a portion
    of the ROC curve".

    Examples
    --------
    >>> import fastarac as fa
    >>> correct, confidence = [1, 1, 0, 1], [0.9, 0.8, 0.6, 0.4]
    >>> fa.arac_partial_auc_score(correct, confidence, acceptance_range=(0.5, 1))
    0.8125
    >>> fa.arac_partial_auc_score(correct, confidence, max_error_rate=0.25)
    0.625
    """
    exactly_one(acceptance_range=acceptance_range, max_error_rate=max_error_rate)
    limit = low = high = Fraction(0)
    if max_error_rate is not None:
        # Convert the limit to a float, because the integer 1, which is harmless here, would raise a
        # warning.
        number = real_scalar(max_error_rate, "max_error_rate")
        limit = Fraction(fraction_of(number, "max_error_rate"))
        if not limit:
            raise ValueError("max_error_rate must be a number in (0, 1], got 0")
    else:
        low, high = _range(acceptance_range, "acceptance_range")
    items = as_ranked(correct, confidence, sample_weight, corners=True)
    sweep = items.corners
    if max_error_rate is not None:
        sweep = sweep.rising
    ta, fa = sweep.true_accepts, sweep.false_accepts
    # As fractions, the products below are exact.
    total = Fraction(sweep.n_correct) + Fraction(sweep.n_incorrect)
    if max_error_rate is not None:
        errors = min(limit, Fraction(sweep.n_incorrect) / total)
        area = area_between((fa,), (ta, fa), Fraction(0), errors * total) / total**2
        return float((area + limit - errors) / limit)
    below = area_between((ta, fa), (fa,), low * total, high * total) / total**2
    return items.within(float(1 - below / (high - low)), float(1 - (low + high) / 2), 1.0)


def roc_partial_auc_score(
    y_true: ArrayLike | ThresholdSweep | CornerSweep,
    y_score: ArrayLike | None = None,
    *,
    fpr_range: tuple[float, float] | None = None,
    tpr_range: tuple[float, float] | None = None,
    standardize: Literal["mcclish"] | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Area under part of the ROC curve, over a range of false or of true positive rates.

    Parameters
    ----------
    y_true, y_score : array_like of shape (n,), or a ThresholdSweep alone
        Labels (bool, or 0 and 1), and scores (real and finite), higher for the positive class.
    fpr_range : tuple of two float, optional
        (low, high) with 0 <= low < high <= 1. The area is ∫ TPR dFPR over these false positive rates.
    tpr_range : tuple of two float, optional
        (low, high) as in `fpr_range`. The area is ∫ (1 − FPR) dTPR over these true positive rates.
    standardize : {None, "mcclish"}, default=None
        None: the plain area, at most high − low. "mcclish": the area rescaled to ½ for a random order
        of the items and to 1 for the best order.
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum.

    Returns
    -------
    float
        Without weights, this is the exact value, rounded once. NaN if undefined.

    Warns
    -----
    UndefinedMetricWarning
        With one class only; with "mcclish", also if the area is smaller than the area of a random
        order.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`; also unless exactly one range is given, and for a range that is
        empty or not within [0, 1].

    See Also
    --------
    roc_auc_score : area under the ROC curve
    arac_partial_auc_score : mean height of the ARAC curve over part of it

    Notes
    -----
    For an area A, the rescaled area of McClish 1989 is

    .. math:: \frac12\left(1 + \frac{A - A_{\min}}{A_{\max} - A_{\min}}\right)

    Here A_min is the area under the diagonal, which is the ROC curve of a random order. A_max is the
    width of the range. The two kinds of range correspond to ``partial.auc.focus="specificity"`` and
    ``"sensitivity"`` in pROC.

    References
    ----------
    McClish 1989, "Analyzing a portion of the ROC curve".

    Examples
    --------
    >>> import fastarac as fa
    >>> y_true, y_score = [1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2]
    >>> fa.roc_partial_auc_score(y_true, y_score, fpr_range=(0, 0.5))
    0.3333333333333333
    >>> fa.roc_partial_auc_score(y_true, y_score, fpr_range=(0, 0.5), standardize="mcclish")
    0.7777777777777778
    """
    exactly_one(fpr_range=fpr_range, tpr_range=tpr_range)
    if standardize is not None:
        choice(standardize, "standardize", ("mcclish",))
    if fpr_range is not None:
        low, high = _range(fpr_range, "fpr_range")
    else:
        low, high = _range(tpr_range, "tpr_range")
    advice = "use arac_partial_auc_score, the only partial area that can be estimated"
    items = as_ranked(y_true, y_score, sample_weight, SCORED_NAMES, corners=True, instead=advice)
    sweep = items.corners
    tp, fp = (sweep.true_accepts,), (sweep.false_accepts,)
    positive, negative = _at(tp, -1), _at(fp, -1)
    if not (positive and negative):
        warn_undefined("partial ROC-AUC", "y_true has one class only")
        return math.nan
    width = high - low
    if fpr_range is not None:
        area = area_between(fp, tp, low * negative, high * negative) / (positive * negative)
    else:
        area = width - area_between(tp, fp, low * positive, high * positive) / (positive * negative)
    area = items.within(area, Fraction(0), width)
    if standardize is None:
        return float(area)
    chance = (high**2 - low**2) / 2
    chance = chance if fpr_range is not None else width - chance
    return _mcclish("ROC", area, chance, width)


def _mcclish(curve: str, area: Fraction, chance: Fraction, width: Fraction) -> float:
    """Return the area rescaled to ½ at the area by chance and to 1 at `width`; NaN if impossible."""
    if not chance < width or area < chance:
        cause = "the area is below the area expected by chance"
        warn_undefined(
            f"McClish's partial {curve}-AUC",
            cause if chance < width else "y_true has no negative item",
        )
        return math.nan
    return float((1 + (area - chance) / (width - chance)) / 2)


def pr_partial_auc_score(
    y_true: ArrayLike | ThresholdSweep | CornerSweep,
    y_score: ArrayLike | None = None,
    *,
    recall_range: tuple[float, float],
    interpolation: Interpolation = "davis-goadrich",
    standardize: Literal["width", "mcclish"] | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Area under part of the precision–recall curve, over a range of recall.

    Parameters
    ----------
    y_true, y_score : array_like of shape (n,), or a ThresholdSweep alone
        Labels (bool, or 0 and 1), and scores (real and finite), higher for the positive class.
    recall_range : tuple of two float
        (low, high) with 0 <= low < high <= 1. The area is ∫ P dR over these recalls R, where P is the
        precision.
    interpolation : {"davis-goadrich", "linear", "step"}, default="davis-goadrich"
        The curve between its points, as in :func:`.pr_auc_score`.
    standardize : {None, "width", "mcclish"}, default=None
        None: the plain area, at most high − low. "width": the area divided by high − low, which is the
        mean precision over the range. "mcclish": the area rescaled to ½ for a random order of the items
        and to 1 for the best order.
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum.

    Returns
    -------
    float
        NaN if undefined. Without weights, this is the exact value, rounded once. With weights, and with
        "davis-goadrich", the relative error is at most 1e-12 (or the absolute error at most 1e-15).

    Warns
    -----
    UndefinedMetricWarning
        If no item is positive. With "mcclish", also if no item is negative, or if the area is smaller
        than the area of a random order.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`; also for an unknown `interpolation`, and for a range that is empty
        or not within [0, 1].

    See Also
    --------
    pr_auc_score : area under the precision–recall curve, by one of three interpolations
    roc_partial_auc_score : area under part of the ROC curve

    Notes
    -----
    An end of the range may lie between two points of the curve, with :math:`T_0` and :math:`T` true
    positives. Of that segment, only the part with recall inside the range is added. In this part,
    "step" has the precision at :math:`T`, "linear" has the precision on the straight line, and
    "davis-goadrich" accepts a share of the tie, in which true and false positives grow linearly.
    Therefore, the areas over adjacent ranges add up to the area over both.

    The area of a random order is :math:`\pi\,(\mathit{high} - \mathit{low})`, where π is the share of
    positive items. "mcclish" takes this area as A_min in the formula of :func:`.roc_partial_auc_score`.
    The R package precrec has both standardizations, for a grid of points on the curve.

    References
    ----------
    Davis and Goadrich 2006, "The relationship between precision-recall and ROC curves"; McClish 1989,
    "Analyzing a portion of the ROC curve".

    Examples
    --------
    >>> import fastarac as fa
    >>> y_true, y_score = [1, 0, 1, 1], [0.9, 0.8, 0.7, 0.6]
    >>> fa.pr_partial_auc_score(y_true, y_score, recall_range=(0.5, 1), interpolation="step")
    0.3611111111111111
    >>> mean = fa.pr_partial_auc_score(y_true, y_score, recall_range=(0.5, 1), standardize="width")
    >>> round(mean, 6)
    0.686664
    """
    choice(interpolation, "interpolation", tuple(OF_INTERPOLATION))
    if standardize is not None:
        choice(standardize, "standardize", ("width", "mcclish"))
    low, high = _range(recall_range, "recall_range")
    advice = "use pr_auc_score, the area under the whole curve, which can be estimated"
    corners = interpolation == "davis-goadrich"
    items = as_ranked(y_true, y_score, sample_weight, SCORED_NAMES, corners=corners, instead=advice)
    sweep = (items.corners if corners else items.points).possible
    positive = Fraction(sweep.n_correct)
    if not positive:
        warn_undefined("partial PR-AUC", "y_true has no positive item")
        return math.nan
    width = high - low
    area = _under_precision(sweep, interpolation, low * positive, high * positive) / positive
    if standardize is None:
        return float(area)
    if standardize == "width":
        return float(area / width)
    chance = width * positive / (positive + Fraction(sweep.n_incorrect))
    if chance * (1 - ROUNDING) <= area < chance:  # only `area` is rounded
        area = chance
    return _mcclish("PR", area, chance, width)


def _under_precision(
    sweep: AcceptedCounts, interpolation: Interpolation, low: Fraction, high: Fraction
) -> Fraction:
    """Return ∫ P dT for low <= T <= high, where T counts the true positives and P is the precision."""
    tp, fp = (sweep.true_accepts,), (sweep.false_accepts,)
    points = range(len(tp[0]))
    first = bisect_left(points, low, key=lambda i: Fraction(_at(tp, i)))
    last = bisect_right(points, high, key=lambda i: Fraction(_at(tp, i))) - 1

    def part(index: int, start: Fraction, stop: Fraction) -> Fraction:
        """Return the area over part of the segment that ends at `index`."""
        t0, f0, t, f = (Fraction(_at(c, i)) for i in (index - 1, index) for c in (tp, fp))
        if interpolation == "step":
            return (stop - start) * t / (t + f)
        if interpolation == "linear":
            above = t0 / (t0 + f0) if t0 + f0 else Fraction(1)
            middle = ((start + stop) / 2 - t0) / (t - t0)
            return (stop - start) * (above + (t / (t + f) - above) * middle)
        # Treat the part of a tie from `start` to `stop` as a tie of its own, which has the same area.
        per_positive = (t + f - t0 - f0) / (t - t0)
        n0, p = t0 + f0 + (start - t0) * per_positive, stop - start
        if not n0:
            return p / per_positive
        of_recall, g = True, p * per_positive
        return Fraction(
            _kernels.sums.integral(float(start), float(p), float(g), of_recall, float(1 / n0))
        )

    if first > last:  # no point of the curve is between `low` and `high`
        return part(first, low, high)
    area = Fraction(0)
    if first < last:
        inside = PointCounts(*(counts[0][first : last + 1] for counts in (tp, fp)))
        area = sum_over(inside, OF_INTERPOLATION[interpolation])
        area = area / 2 if interpolation == "linear" else area
    if low < (start := _at(tp, first)):
        area += part(first, low, Fraction(start))
    if high > (end := _at(tp, last)):
        area += part(last + 1, Fraction(end), high)
    return area
