"""Intervals for the cost of a classifier, and for the difference between two."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac._core.inputs import positive_scalar, real_scalar
from fastarac._core.random_state import RandomState, key_of
from fastarac._core.text import percent
from fastarac.costs._matrices import read_costs, read_counts
from fastarac.costs.classification import CostMatrix, paired_prediction_counts

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Values = Any  # a float, or an array where there is a stack of cost matrices
MOST_CELLS = 1 << 22  # cells of resampled matrices that are held at a time


@dataclass(frozen=True, slots=True, eq=False)
class CostInterval:
    """An expected cost with its bootstrap interval.

    Where a stack of cost matrices of shape (..., K, K) was given, all are arrays.

    Attributes
    ----------
    estimate : float or ndarray of shape (...)
        Mean cost per item of the counts as they are, Σ M·c/n.
    low, high : float or ndarray of shape (...)
        Ends of the interval.
    distribution : ndarray of shape (..., n_resamples)
        The cost of each resampled confusion matrix, in the order drawn.
    confidence_level : float
        What the interval was made for.
    """

    estimate: Values
    low: Values
    high: Values
    distribution: NDArray[np.float64] = field(repr=False)
    confidence_level: float

    def __str__(self) -> str:
        level = percent(self.confidence_level)
        if self.distribution.ndim == 1:
            return f"{self.estimate:.6g}, {level} interval [{self.low:.6g}, {self.high:.6g}]"
        return f"{level} intervals of shape {np.shape(self.estimate)}"


@dataclass(frozen=True, slots=True, eq=False)
class CostDifference(CostInterval):
    """The difference between the expected costs of two classifiers, first less second.

    The attributes are those of :class:`.CostInterval`.
    """

    @property
    def rejected(self) -> Any:
        """Whether the interval excludes 0, so that equal costs are rejected; bool or array of bool."""
        excluded = (np.asarray(self.low) > 0.0) | (np.asarray(self.high) < 0.0)
        return excluded if excluded.ndim else bool(excluded)


def bcost(
    counts: ArrayLike,
    costs: ArrayLike | CostMatrix,
    *,
    confidence_level: float = 0.95,
    n_resamples: int = 1000,
    laplace: float = 1.0,
    random_state: RandomState = None,
) -> CostInterval:
    r"""Confidence interval for the expected cost of a classifier (BCOST).

    Parameters
    ----------
    counts : array_like of int of shape (K, K)
        Items by predicted (row) and actual class (column), as from :func:`.prediction_counts`.
    costs : CostMatrix or array_like of shape (..., K, K)
        What each cell costs per item; finite, negative where it is a benefit. A stack of matrices is
        evaluated on the same resamples.
    confidence_level : float, default=0.95
        ρ, in (0, 1). It is read as the decimal number that it is written as.
    n_resamples : int, default=1000
        B, at least 1.
    laplace : float, default=1.0
        λ ≥ 0: how many items are added to each cell. With 0, cells without items stay empty.
    random_state : int, numpy.random.Generator or None
        Passed to `numpy.random.default_rng`; the same seed gives the same interval.

    Returns
    -------
    CostInterval

    Raises
    ------
    ValueError
        Where the counts are negative, sum to 0, or have another shape than the costs, costs are not
        finite, or an option is outside its range.
    TypeError
        Where the counts are not whole numbers, or the costs are those of single items.

    Notes
    -----
    Suzuki 2003 (equation 3 and procedure BCOST), after Margineantu and Dietterich 2000, "Bootstrap
    methods for the cost-sensitive evaluation of classifiers". The cells are smoothed to

    .. math:: \hat P(i, j) = \frac{M(i, j) + \lambda}{n + s^2 \lambda}

    with s² cells; each resampled matrix is one draw from the multinomial distribution with n items, the
    same law as n items drawn one by one, but in a time that does not depend on n. With
    μ = ⌊(1 − ρ)/2·B⌋ + 1, the interval reaches from the μ-th smallest to the (B + 1 − μ)-th smallest of
    the B costs. (The source prints "largest" for both, see the list of misprints.)

    With λ > 0 the resampled costs are centred on the cost of the smoothed matrix, not on the
    `estimate`. That is negligible while n is much larger than s²·λ; with hundreds of classes and few
    items it is not, and `laplace` should be lowered.

    Examples
    --------
    >>> import fastarac as fa
    >>> interval = fa.costs.bcost([[850, 30], [50, 70]], [[0, 5], [1, 0]], random_state=0)
    >>> interval.estimate, round(interval.low, 2), round(interval.high, 2)
    (0.2, 0.15, 0.26)

    The cost of verification at a threshold: rows are rejected and accepted, columns incorrect and
    correct.

    >>> sweep = fa.threshold_sweep([1, 1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4])
    >>> sweep.at(0.7).matrix
    array([[2, 1],
           [0, 3]])
    >>> verify, correct, overlook = 1.0, 2.0, 20.0
    >>> costs = [[verify + correct, verify], [overlook, 0.0]]
    >>> fa.costs.bcost(sweep.at(0.7).matrix, costs, random_state=0).estimate
    1.1666666666666667
    """
    prices = _read_prices(costs)
    matrix = read_counts(counts, prices.shape[-2:])
    plan = _plan(confidence_level, n_resamples, laplace, random_state)
    return CostInterval(*_summary(*_resample(matrix, prices, plan), plan))


def bcost_delta(
    predicted_1: ArrayLike,
    predicted_2: ArrayLike | None = None,
    actual: ArrayLike | None = None,
    costs: ArrayLike | CostMatrix | None = None,
    *,
    labels: ArrayLike | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 1000,
    laplace: float = 1.0,
    random_state: RandomState = None,
) -> CostDifference:
    r"""Test whether two classifiers cost the same on the same items (BCOSTDELTA).

    Parameters
    ----------
    predicted_1, predicted_2, actual : array_like of shape (n,)
        Labels of the same items, as in :func:`.prediction_counts`. In place of all three, as the only
        positional argument: the counts of :func:`.paired_prediction_counts`, of shape (K, K, K).
    costs : CostMatrix or array_like of shape (..., K, K)
        ``costs[i, j]``: predicting i when j is true. A stack is evaluated on the same resamples.
    labels : array_like of shape (K,), optional
        The label of each row and column; without it, the labels that occur, sorted.
    confidence_level, n_resamples, laplace, random_state
        As in :func:`.bcost`.

    Returns
    -------
    CostDifference
        Of the costs of the first less those of the second, with `rejected`: the interval excludes 0.

    Raises
    ------
    ValueError, TypeError
        As :func:`.prediction_counts` and :func:`.bcost`; also where costs are missing, or labels are
        given beside counts.

    Notes
    -----
    Suzuki 2003 (procedure BCOSTDELTA), after Margineantu and Dietterich 2000. An item of class j that
    the models take for i₁ and i₂ has Δ = c(i₁|j) − c(i₂|j); the s³ cells M′(i₁, i₂|j) are smoothed to
    (M′ + λ)/(n + s³·λ) and resampled as in :func:`.bcost`. Resampling the models' matrices apart would
    lose what both have in common, and with it most of the power. The source prints that the null
    hypothesis is rejected if the interval *includes* 0; it is if it excludes 0. Differences below the
    rounding error of the sum are 0.

    With λ = 1, s³ items are added: with many classes and few items, lower `laplace`.

    Examples
    --------
    >>> import fastarac as fa
    >>> actual = [0] * 50 + [1] * 50
    >>> first = [0] * 45 + [1] * 55
    >>> second = [0] * 60 + [1] * 40
    >>> difference = fa.costs.bcost_delta(first, second, actual, [[0, 5], [1, 0]], random_state=0)
    >>> difference.estimate, difference.rejected
    (-0.45, True)
    >>> counts = fa.costs.paired_prediction_counts(first, second, actual)
    >>> fa.costs.bcost_delta(counts, costs=[[0, 5], [1, 0]], random_state=0).low == difference.low
    True
    """
    if costs is None:
        message = "costs is missing; a CostMatrix or an array of shape (K, K) is expected"
        raise TypeError(message)
    prices = _read_prices(costs)
    n_rows, n_classes = prices.shape[-2:]
    if predicted_2 is None and actual is None:
        if labels is not None:
            message = "labels is given with counts; it belongs to predictions and actual labels"
            raise TypeError(message)
        counts = predicted_1
    elif predicted_2 is None or actual is None:
        message = "predicted_2 and actual are expected both, or neither, beside counts"
        raise TypeError(message)
    else:
        counts = paired_prediction_counts(predicted_1, predicted_2, actual, labels=labels)
        if counts.shape != (n_rows, n_rows, n_classes):
            message = (
                f"the labels are of {len(counts)} classes and the costs have shape "
                f"{prices.shape[-2:]}; give the label of each row and column as labels"
            )
            raise ValueError(message)
    matrix = read_counts(counts, (n_rows, n_rows, n_classes))
    differences = prices[..., :, np.newaxis, :] - prices[..., np.newaxis, :, :]
    plan = _plan(confidence_level, n_resamples, laplace, random_state)
    estimate, distribution = _resample(matrix, differences, plan)
    # sums that are 0 but for their rounding
    noise = matrix.size * np.finfo(np.float64).eps * abs(differences).max(axis=(-3, -2, -1))
    estimate = np.where(abs(estimate) > noise, estimate, 0.0)
    distribution[abs(distribution) <= noise[..., np.newaxis]] = 0.0
    return CostDifference(*_summary(estimate, distribution, plan))


class _Plan(NamedTuple):
    """The options of an interval, checked."""

    confidence_level: float
    rank: int
    """μ: which of the sorted costs is the lower end, counted from 1."""
    n_resamples: int
    laplace: float
    rng: np.random.Generator


def _plan(
    confidence_level: float, n_resamples: int, laplace: float, random_state: RandomState
) -> _Plan:
    level = real_scalar(confidence_level, "confidence_level")
    if not 0.0 < level < 1.0:
        message = f"confidence_level is {confidence_level!r}; a number in (0, 1) is expected"
        raise ValueError(message)
    if isinstance(n_resamples, bool) or not isinstance(n_resamples, int | np.integer):
        message = f"n_resamples is {n_resamples!r}; a whole number of at least 1 is expected"
        raise TypeError(message)
    if n_resamples < 1:
        message = f"n_resamples is {n_resamples}; a whole number of at least 1 is expected"
        raise ValueError(message)
    # 0.9 means 9/10 here, not the double next to it: (1 − 0.9)/2·1000 must not come out below 50
    beyond = (1 - Fraction(str(confidence_level))) / 2
    rank = int(beyond * int(n_resamples)) + 1
    added = positive_scalar(laplace, "laplace")
    rng = np.random.default_rng(key_of(random_state))
    return _Plan(level, rank, int(n_resamples), added, rng)


def _read_prices(costs: ArrayLike | CostMatrix) -> NDArray[np.float64]:
    if not isinstance(costs, CostMatrix):
        return read_costs(costs)
    if costs.per_item:
        message = "costs are those of single items; one matrix for all items, or a stack, is expected"
        raise TypeError(message)
    return costs.costs


def _resample(
    counts: NDArray[np.int64], prices: NDArray[np.float64], plan: _Plan
) -> tuple[Values, NDArray[np.float64]]:
    """Return the mean price of the counts (...), and that of each resample (..., n_resamples)."""
    n = int(counts.sum())
    stack = prices.shape[: prices.ndim - counts.ndim]
    by_cell = prices.reshape(-1, counts.size)
    cells = counts.reshape(-1)
    weights = cells + plan.laplace
    # the rarest first: what remains for the later cells is then never a difference of close numbers
    order = np.argsort(weights, kind="stable")
    order = order[weights[order] > 0.0]
    probabilities = weights[order] / weights.sum()
    by_drawn = by_cell[:, order]
    distribution = np.empty((len(by_cell), plan.n_resamples))
    step = max(1, MOST_CELLS // len(order))
    for start in range(0, plan.n_resamples, step):
        stop = min(start + step, plan.n_resamples)
        drawn = plan.rng.multinomial(n, probabilities, size=stop - start)
        np.matmul(by_drawn, drawn.T.astype(np.float64), out=distribution[:, start:stop])
    distribution /= n
    estimate = (by_cell @ cells.astype(np.float64)) / n
    return estimate.reshape(stack), distribution.reshape(*stack, plan.n_resamples)


def _summary(
    estimate: Values, distribution: NDArray[np.float64], plan: _Plan
) -> tuple[Values, Values, Values, NDArray[np.float64], float]:
    low, high = plan.rank - 1, plan.n_resamples - plan.rank
    ordered = np.partition(distribution, (low, high), axis=-1)
    ends: tuple[Values, Values, Values] = estimate, ordered[..., low], ordered[..., high]
    if not np.ndim(estimate):
        ends = float(ends[0]), float(ends[1]), float(ends[2])
    return *ends, distribution, plan.confidence_level
