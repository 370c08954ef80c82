"""Areas under the curves: one number for all thresholds.

The areas of the ARAC and the ROC curve follow from the count of pairs of one correct and one
incorrect item by their order (`sorting.PairCounts`): exact integers, divided once at the end.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac import _kernels
from fastarac._core.checks import positive_scalar
from fastarac._core.results import TupleResult
from fastarac._engine import parallel, runs, sorting
from fastarac._engine.counting import SweepArrays
from fastarac._engine.inputs import NAMES, read_items
from fastarac._engine.pairs import quotient_of_pairs, value_of_pairs, whole_pairs
from fastarac._engine.smaller_class import corners_around_few
from fastarac._engine.sorting import PairCounts, SortedItems
from fastarac._engine.weighted import exact_quotient
from fastarac._kernels.codes import (
    PRECISION_INTEGRALS,
    PRECISION_TRAPEZOIDS,
    RECALL_INTEGRALS,
    RECALL_STEPS,
)
from fastarac.sweep import (
    ThresholdSweep,
    every_threshold,
    reject_beside_sweep,
    require_confidence,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

Ranked = SortedItems | SweepArrays
Quotient = tuple[int, int]  # not in lowest terms, the denominator above 0
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
        return pairs_of(ranked(correct, confidence, sample_weight, corners=True))
    confidence = require_confidence(confidence, beside=correct)
    return sorting.count_pairs(read_items(correct, confidence, sample_weight))


def ranked(
    correct: ArrayLike | ThresholdSweep,
    confidence: ArrayLike | None,
    sample_weight: ArrayLike | None,
    names: tuple[str, str, str] = NAMES,
    *,
    corners: bool = False,
) -> Ranked:
    """Return what `sum_over` sums: the sorted items, or the counts of a sweep.

    With `corners`, those at the corners will do where there are few errors.
    """
    if isinstance(correct, ThresholdSweep):
        reject_beside_sweep(confidence, sample_weight, names[1])
        sweep = correct if corners else every_threshold(correct)
        return SweepArrays(sweep.thresholds, sweep.true_accepts, sweep.false_accepts)
    items = read_items(
        correct, require_confidence(confidence, names, beside=correct), sample_weight, names
    )
    return (corners_around_few(items) if corners else None) or sorting.rank(items)


def runs_of(items: Ranked) -> SweepArrays:
    """The counts at the points between runs, of items without weights."""
    return runs.of_sorted(items.buckets) if isinstance(items, SortedItems) else runs.merged(items)


def totals(items: Ranked) -> PairCounts:
    """Numbers of correct and incorrect items, or their weights; the pairs may be left out."""
    if isinstance(items, SortedItems):
        return items.pairs
    correct, incorrect = items.true_accepts.item(-1), items.false_accepts.item(-1)
    if is_weighted(items):
        return PairCounts(Fraction(correct), Fraction(incorrect), 0)
    return PairCounts(correct, incorrect, 0)


def pairs_of(items: Ranked) -> PairCounts:
    """`totals` with the pairs."""
    return items.pairs if isinstance(items, SortedItems) else sorting.pairs_of_sweep(items)


def is_weighted(items: Ranked) -> bool:
    """Whether the counts are sums of weights."""
    return isinstance(items, SweepArrays) and items.true_accepts.dtype.kind == "f"


def quotient_digits(total: int) -> int:
    """Binary digits of a quotient that the kernels sum at a time, s in `_kernels.areas`."""
    return min(26, 51 - total.bit_length())


def rounding_of_sums(items: Ranked) -> Quotient:
    """Bound of the error of a mean of precisions or risks from `sum_over`; 0 where there is none.

    The difference of two such means is 0 where it is no larger: it may be rounding alone.
    """
    correct, incorrect, _ = totals(items)
    total = int(correct + incorrect)
    if is_weighted(items) or total >= _kernels.areas.MAX_TOTAL:
        return 0, 1
    return 1, 1 << (2 * quotient_digits(total) + 38)


def sum_over(items: Ranked, quantity: int, *, of_risk: bool = False) -> Fraction:
    """Sum over the thresholds for one of the areas of `_kernels.codes`, far closer than a double.

    Points are summed in chunks of one size, so that the number of threads changes nothing. Risk is
    precision with the incorrect items in the place of the correct ones. Integrals, which are rounded at
    each term, are summed over runs, whatever the items are given as: what lies inside a run changes
    nothing, to the last bit.
    """
    areas = _kernels.areas
    correct, incorrect, _ = totals(items)
    total = int(correct + incorrect)
    if quantity in (PRECISION_INTEGRALS, RECALL_INTEGRALS) and not is_weighted(items):
        items = runs_of(items)
    if isinstance(items, SweepArrays) and (is_weighted(items) or total >= areas.MAX_TOTAL):
        return _sum_by_points(items, quantity, of_risk=of_risk)
    digits = quotient_digits(total)
    kernels = areas.sums_of_points, areas.sums_of_buckets
    rows = _rows_of(items, kernels, (quantity, of_risk, 2.0**digits), 5)
    *columns, highs, lows = rows.T.tolist()
    return Fraction(*_joined(columns, digits)) + Fraction(*_exact_sum(highs, lows))


class Figures(NamedTuple):
    """Areas with sums over the thresholds in them; the last two need a correct item."""

    aurc: Quotient
    """By trapezoids."""
    average_precision: Quotient
    pr_auc: Quotient
    """By the interpolation of Davis and Goadrich."""


def figures_of(items: Ranked) -> Figures:
    """Three areas by few passes over the thresholds, the same as three times `sum_over`."""
    areas = _kernels.areas
    correct, incorrect, _ = totals(items)
    total = correct + incorrect
    of_risk = incorrect < correct
    if is_weighted(items) or total >= areas.MAX_TOTAL:
        trapezoids = sum_over(items, PRECISION_TRAPEZOIDS, of_risk=of_risk) / (2 * total)
        steps = sum_over(items, RECALL_STEPS) / (correct or 1)
        integral = sum_over(items, RECALL_INTEGRALS) / (correct or 1)
        found = (trapezoids if of_risk else 1 - trapezoids, steps, integral)
        return Figures(*(area.as_integer_ratio() for area in found))
    n, n_correct = int(total), int(correct)
    digits = quotient_digits(n)
    kernels = _kernels.figures.figures_of_points, _kernels.figures.figures_of_buckets
    columns = _rows_of(items, kernels, (of_risk, 2.0**digits), 6).T.tolist()
    (area, unit), (mean, of_mean) = _joined(columns[:3], digits), _joined(columns[3:], digits)
    if isinstance(items, SweepArrays) and len(items.true_accepts) <= CHUNK:
        under_curve, of_curve = exact_quotient(*_kernels.figures.integrals_of_runs(*items[1:]))
    else:
        under_curve, of_curve = sum_over(items, RECALL_INTEGRALS).as_integer_ratio()
    return Figures(
        (area if of_risk else 2 * n * unit - area, 2 * n * unit),
        # the precision is 1 less the risk
        (n_correct * of_mean - mean if of_risk else mean, n_correct * of_mean),
        (under_curve, n_correct * of_curve),
    )


def _rows_of(
    items: Ranked, kernels: tuple[Any, Any], options: tuple[Any, ...], n_columns: int
) -> NDArray[np.float64]:
    """A row of sums for each chunk of points, from a sweep or from buckets."""
    data: tuple[Any, ...]
    if isinstance(items, SweepArrays):
        n_points, data, kernel = len(items.thresholds), items[1:], kernels[0]
    else:
        n_points, data = 1 + items.n_thresholds, (*items.buckets[:2], items.above)
        kernel = kernels[1]
    rows = np.empty((-(-(n_points - 1) // CHUNK), n_columns))
    threads = min(len(rows), parallel.n_threads(n_points))
    edges = [len(rows) * i // threads for i in range(threads + 1)]

    def add_points(i: int) -> None:
        start, stop = (1 + edge * CHUNK for edge in edges[i : i + 2])
        some = rows[edges[i] : edges[i + 1]]
        kernel(*data, start, min(stop, n_points), CHUNK, *options, some)

    parallel.run(add_points, range(threads))
    return rows


def _joined(columns: Sequence[list[float]], digits: int) -> Quotient:
    """What the first digits of quotients, the next ones and the remainders sum up to."""
    first, second, rest = map(math.fsum, columns)
    last, unit = rest.as_integer_ratio()
    return ((int(first) << digits) + int(second)) * unit + last, unit << 2 * digits


def _exact_sum(highs: list[float], lows: list[float]) -> Quotient:
    """Sum of double-doubles, to twice the digits of a double."""
    high = math.fsum(highs)
    return exact_quotient(high, math.fsum([*highs, *lows, -high]))


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
    auc: Quotient, loss: Quotient, pairs: PairCounts, gamma: float, rounding: Quotient = (0, 1)
) -> CurveArea:
    """The parts of an area, from it and from 1 minus it, each as exact as it can be had.

    Weighted, neither is exact: what is small of the two then says more about the small parts. Of an
    area that is off by `rounding` at most, a part that is no larger than that is 0.
    """
    p, q, _ = whole_pairs(pairs)  # integers without common factors taken out: fractions are slow
    n = p + q
    (a, b), (c, d) = auc, loss
    g, h = gamma.as_integer_ratio()
    upper, by = (q * d - c * n, d * n) if c * b < a * d else (a * n - p * b, b * n)
    improved, by_improved = g * upper * n * n + p * h * by * q, h * by * q * n
    if not q:
        improved, by_improved = g + h, h
    elif rounding[0]:
        most, unit = rounding
        if abs(improved) * h * q * unit <= g * most * n * by_improved:
            improved = 0
        if abs(upper) * unit <= most * by:
            upper = 0
    normalized = improved * h / (by_improved * (g + h))
    return CurveArea(a / b, upper / by, p / n, improved / by_improved, normalized, gamma)


def arac_area_of(pairs: PairCounts, gamma: float) -> CurveArea:
    """ARAC-AUC from the pairs, with its parts."""
    loss, unit = quotient_of_pairs("augrc", pairs)
    return curve_area((unit - loss, unit), (loss, unit), pairs, gamma)


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
