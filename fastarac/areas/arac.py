"""Areas under the curves: one number for all thresholds.

The areas of the ARAC and the ROC curve follow from the count of pairs of one correct and one
incorrect item by their order (`sorting.PairCounts`): exact integers, divided once at the end.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, cast, overload

import numpy as np

from fastarac import _kernels
from fastarac._core import parallel, sorting
from fastarac._core.inputs import NAMES, positive_scalar, read_items
from fastarac._core.pairs import fraction_of_pairs, value_of_pairs
from fastarac._core.results import TupleResult
from fastarac._core.sorting import PairCounts, SortedItems, SweepArrays
from fastarac.sweep import ThresholdSweep, reject_beside_sweep, require_confidence

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

Ranked = SortedItems | SweepArrays
CHUNK = 1 << 18  # points that are summed at a time


class _CurveArea(NamedTuple):
    auc: float
    """The whole area, A = A_U + A_L (equation 17)."""
    upper: float
    """A_U, the part above the recognition rate β (equation 18)."""
    lower: float
    """A_L = β, the part below it."""
    improved: float
    """A′ = γ·A_U/(1 − β) + A_L (equation 19), γ + 1 where β = 1."""
    normalized: float
    """A″ = A′/(γ + 1) (equation 20), at most 1."""
    gamma: float
    """γ, what verifying costs relative to correcting."""


class CurveArea(TupleResult, _CurveArea):
    """An area under a curve over the acceptance rate, and its parts (Kimura et al. 2024, 3.3)."""

    __slots__ = ()


def pair_counts(
    correct: ArrayLike | ThresholdSweep,
    confidence: ArrayLike | None,
    sample_weight: ArrayLike | None,
) -> PairCounts:
    """Return the counts of pairs from items, on the way that writes no thresholds, or from a sweep."""
    if isinstance(correct, ThresholdSweep):
        reject_beside_sweep(confidence, sample_weight)
        return sorting.pairs_of_sweep(
            SweepArrays(correct.thresholds, correct.true_accepts, correct.false_accepts)
        )
    return sorting.count_pairs(read_items(correct, require_confidence(confidence), sample_weight))


def ranked(
    correct: ArrayLike | ThresholdSweep,
    confidence: ArrayLike | None,
    sample_weight: ArrayLike | None,
    names: tuple[str, str, str] = NAMES,
) -> Ranked:
    """Return what `sum_over` sums: the sorted items, or the counts of a sweep."""
    if isinstance(correct, ThresholdSweep):
        reject_beside_sweep(confidence, sample_weight, names[1])
        return SweepArrays(correct.thresholds, correct.true_accepts, correct.false_accepts)
    confidence = require_confidence(confidence, names)
    return sorting.rank(read_items(correct, confidence, sample_weight, names))


def totals(items: Ranked) -> PairCounts:
    """Numbers of correct and incorrect items, or their weights, without the pairs."""
    if isinstance(items, SortedItems):
        return PairCounts(items.correct, items.incorrect, 0)
    correct, incorrect = items.true_accepts[-1].item(), items.false_accepts[-1].item()
    if is_weighted(items):
        return PairCounts(Fraction(correct), Fraction(incorrect), 0)
    return PairCounts(correct, incorrect, 0)


def is_weighted(items: Ranked) -> bool:
    """Whether the counts are sums of weights."""
    return isinstance(items, SweepArrays) and items.true_accepts.dtype != np.int64


def quotient_digits(total: int) -> int:
    """Binary digits of a quotient that the kernels sum at a time, s in `_kernels.areas`."""
    return min(26, 51 - total.bit_length())


def rounding_of_sums(items: Ranked) -> Fraction:
    """Bound of the error of a mean of precisions or risks from `sum_over`; 0 where there is none.

    The difference of two such means is 0 where it is no larger: it may be rounding alone.
    """
    total = int(sum(totals(items)[:2]))
    if is_weighted(items) or total >= _kernels.areas.MAX_TOTAL:
        return Fraction(0)
    return Fraction(1, 1 << (2 * quotient_digits(total) + 38))


def sum_over(items: Ranked, quantity: int, *, of_risk: bool = False) -> Fraction:
    """Sum over the thresholds for one of the areas of `_kernels.codes`, far closer than a double.

    Points are summed in chunks of one size, so that the number of threads changes nothing. Risk is
    precision with the incorrect items in the place of the correct ones.
    """
    areas = _kernels.areas
    correct, incorrect, _ = totals(items)
    total = int(correct + incorrect)
    if isinstance(items, SweepArrays) and (is_weighted(items) or total >= areas.MAX_TOTAL):
        return _sum_by_points(items, quantity, of_risk=of_risk)
    digits = quotient_digits(total)
    scale = 2.0**digits
    if isinstance(items, SortedItems):
        n_buckets = len(items.above)
        rows = np.empty((n_buckets, 5))

        def add_buckets(first: int, last: int) -> None:
            areas.sums_of_buckets(
                items.keys, items.bounds, first, last, items.above, quantity, of_risk, scale, rows
            )

        sorting.over_buckets(n_buckets, total, lambda: add_buckets)
    else:
        _, true_accepts, false_accepts = items
        starts = range(1, len(true_accepts), CHUNK)
        rows = np.empty((len(starts), 5))

        def add_points(i: int) -> None:
            stop = min(starts[i] + CHUNK, len(true_accepts))
            areas.sums_of_points(
                true_accepts, false_accepts, starts[i], stop, quantity, of_risk, scale, rows[i]
            )

        _in_turns(add_points, len(starts), len(true_accepts))
    *columns, highs, lows = rows.T.tolist()
    first, second, rest = (Fraction(math.fsum(column)) for column in columns)
    high = math.fsum(highs)
    low = math.fsum([*highs, *lows, -high])
    unit = Fraction(1, 1 << digits)
    return (first + (second + rest) * unit) * unit + Fraction(high) + Fraction(low)


def _sum_by_points(items: SweepArrays, quantity: int, *, of_risk: bool) -> Fraction:
    """`sum_over` for weights, whatever their unit, and for vast counts."""
    scale = 1.0
    _, ta, fa = items
    if is_weighted(items):
        scale = sorting.scale_of(max(ta[-1], fa[-1]))
        ta, fa = ta * scale, fa * scale
    if of_risk:
        ta, fa = fa, ta
    sums: dict[int, tuple[float, float]] = {}

    def add_points(i: int) -> None:
        stop = min((i + 1) * CHUNK, len(ta))
        sums[i] = _kernels.areas.add_up_points(ta, fa, i * CHUNK, stop, quantity)

    _in_turns(add_points, -(-len(ta) // CHUNK), len(ta))
    return sum((Fraction(x) for pair in sums.values() for x in pair), Fraction(0)) / Fraction(scale)


def _in_turns(task: Callable[[int], None], n_tasks: int, n_items: int) -> None:
    """Call `task` with the numbers up to `n_tasks`, by as many threads as the items are worth."""
    threads = min(n_tasks, parallel.n_threads(n_items))

    def work(first: int) -> None:
        for i in range(first, n_tasks, threads):
            task(i)

    parallel.run(work, range(threads))


def curve_area(
    auc: Fraction, loss: Fraction, pairs: PairCounts, gamma: float, rounding: Fraction = Fraction(0)
) -> CurveArea:
    """The parts of an area, from it and from 1 minus it, each as exact as it can be had.

    Weighted, neither is exact: what is small of the two then says more about the small parts. Of an
    area that is off by `rounding` at most, a part that is no larger than that is 0.
    """
    correct, incorrect = Fraction(pairs.correct), Fraction(pairs.incorrect)
    beta, rest = correct / (correct + incorrect), incorrect / (correct + incorrect)
    upper = rest - loss if loss < auc else auc - beta
    ratio = Fraction(gamma)
    improved = ratio * upper / rest + beta if rest else ratio + 1
    if rounding and rest:
        upper = upper if abs(upper) > rounding else Fraction(0)
        improved = improved if abs(improved) > ratio * rounding / rest else Fraction(0)
    normalized = improved / (ratio + 1)
    return CurveArea(float(auc), float(upper), float(beta), float(improved), float(normalized), gamma)


def arac_area_of(pairs: PairCounts, gamma: float) -> CurveArea:
    """ARAC-AUC from the pairs, with its parts."""
    loss = cast("Fraction", fraction_of_pairs("augrc", pairs))
    return curve_area(1 - loss, loss, pairs, gamma)


@overload
def arac_area(sweep: ThresholdSweep, /, *, gamma: float = 1.0) -> CurveArea: ...
@overload
def arac_area(
    correct: ArrayLike,
    confidence: ArrayLike,
    *,
    gamma: float = 1.0,
    sample_weight: ArrayLike | None = None,
) -> CurveArea: ...
def arac_area(
    correct: ArrayLike | ThresholdSweep,
    confidence: ArrayLike | None = None,
    *,
    gamma: float = 1.0,
    sample_weight: ArrayLike | None = None,
) -> CurveArea:
    r"""Area under the ARAC curve, and its parts.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,), or a ThresholdSweep alone
        Whether each output was right (bool, or 0 and 1), and its confidence (real and finite).
    gamma : float, default=1.0
        What verifying an output costs relative to correcting it, γ = C_R/C_C, at least 0
        (equation 13).
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum.

    Returns
    -------
    CurveArea
        `auc`, `upper`, `lower`, `improved`, `normalized`, `gamma`. Unweighted, each is the exact
        value rounded once.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`; also for a negative `gamma`.

    Notes
    -----
    With the acceptance rate X and the accuracy after correction Y,

    .. math:: A = \int_0^1 Y\,dX = A_U + A_L,\qquad A_L = \beta,\qquad
              A'' = \frac{\frac{\gamma}{1-\beta} A_U + A_L}{\gamma + 1}

    by trapezoids from (0, 1) to (1, β); equations 17 to 20 of Kimura et al. 2024. Equal confidences
    are a straight segment, as if accepted in random order. Defined for every non-empty input.

    Examples
    --------
    >>> import fastarac as fa
    >>> area = fa.arac_area([1, 1, 0, 1], [0.9, 0.8, 0.4, 0.6])
    >>> area.auc, area.upper, area.lower
    (0.96875, 0.21875, 0.75)
    >>> area.normalized
    0.8125
    """
    gamma = positive_scalar(gamma, "gamma")
    return arac_area_of(pair_counts(correct, confidence, sample_weight), gamma)


@overload
def arac_auc_score(sweep: ThresholdSweep, /) -> float: ...
@overload
def arac_auc_score(
    correct: ArrayLike, confidence: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float: ...
def arac_auc_score(
    correct: ArrayLike | ThresholdSweep,
    confidence: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Area under the ARAC curve: the mean accuracy after correction over all acceptance rates.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,), or a ThresholdSweep alone
        Whether each output was right (bool, or 0 and 1), and its confidence (real and finite).
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum.

    Returns
    -------
    float
        In [0.5, 1]; higher is better. Unweighted, the exact value rounded once; weighted, within a
        relative error of 1e-12.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`.

    Notes
    -----
    A_ARAC = ∫ Y dX (Kimura et al. 2024, 3.3 §1). With β the recognition rate it equals
    1 − β(1 − β)(1 − ROC-AUC) − (1 − β)²/2, and 1 − A_ARAC is the area under the generalised
    risk–coverage curve, AUGRC (Traub et al. 2024).

    Examples
    --------
    >>> import fastarac as fa
    >>> fa.arac_auc_score([1, 1, 0, 1], [0.9, 0.8, 0.4, 0.6])
    0.96875
    """
    return value_of_pairs("arac_auc", pair_counts(correct, confidence, sample_weight))


@overload
def normalized_arac_auc_score(sweep: ThresholdSweep, /, *, gamma: float = 1.0) -> float: ...
@overload
def normalized_arac_auc_score(
    correct: ArrayLike,
    confidence: ArrayLike,
    *,
    gamma: float = 1.0,
    sample_weight: ArrayLike | None = None,
) -> float: ...
def normalized_arac_auc_score(
    correct: ArrayLike | ThresholdSweep,
    confidence: ArrayLike | None = None,
    *,
    gamma: float = 1.0,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Normalised ARAC-AUC: automation and recognition rate, weighted as their costs are.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,), or a ThresholdSweep alone
        Whether each output was right (bool, or 0 and 1), and its confidence (real and finite).
    gamma : float, default=1.0
        What verifying an output costs relative to correcting it, γ = C_R/C_C, at least 0.
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum.

    Returns
    -------
    float
        In [0, 1]; higher is better; 1 where every item is correct. Unweighted, the exact value
        rounded once.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`; also for a negative `gamma`.

    Notes
    -----
    A″ = (γ·A_U/(1 − β) + A_L)/(γ + 1), equation 20 of Kimura et al. 2024. Unlike the ARAC-AUC it tells
    good models with β near 1 apart.

    Examples
    --------
    >>> import fastarac as fa
    >>> fa.normalized_arac_auc_score([1, 1, 0, 1], [0.9, 0.8, 0.4, 0.6])
    0.8125
    """
    gamma = positive_scalar(gamma, "gamma")
    return arac_area_of(pair_counts(correct, confidence, sample_weight), gamma).normalized


@overload
def augrc_loss(sweep: ThresholdSweep, /) -> float: ...
@overload
def augrc_loss(
    correct: ArrayLike, confidence: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float: ...
def augrc_loss(
    correct: ArrayLike | ThresholdSweep,
    confidence: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Area under the generalised risk–coverage curve: the mean error rate over all acceptance rates.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,), or a ThresholdSweep alone
        Whether each output was right (bool, or 0 and 1), and its confidence (real and finite).
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum.

    Returns
    -------
    float
        In [0, 0.5]; lower is better. 1 − ARAC-AUC, rounded once.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`.

    Notes
    -----
    AUGRC of Traub et al. 2024, "Overcoming common flaws in the evaluation of selective classification
    systems". Their package prints it times 1000.

    Examples
    --------
    >>> import fastarac as fa
    >>> fa.augrc_loss([1, 1, 0, 1], [0.9, 0.8, 0.4, 0.6])
    0.03125
    """
    return value_of_pairs("augrc", pair_counts(correct, confidence, sample_weight))
