"""Bootstrap intervals for the expected cost of a classifier, and for the difference between two."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastarac._core.checks import MOST_VALUES, inner_fraction, positive_scalar, whole_number
from fastarac._core.exceptions import FEW_GROUPS, few_groups_of, warn_unreliable
from fastarac._core.interval import Interval
from fastarac._core.random_state import RandomState, key_of
from fastarac._core.results import Table
from fastarac._core.text import percent
from fastarac._engine.factors import read_outermost
from fastarac.costs._labels import classify
from fastarac.costs._matrices import read_costs, read_counts
from fastarac.costs.classification import CostMatrix

FloatArray = NDArray[np.float64]

Values = Any  # a float, or an array with one value per cost matrix
# Maximum number of cells that are resampled at once, to limit memory.
MOST_CELLS = 1 << 22
# If smoothing shifts the cost by more than this number of standard errors, a warning is given.
LARGEST_BIAS = 0.25


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CostInterval(Table, Interval):
    """An expected cost with its bootstrap interval: an :class:`.Interval`.

    For a stack of cost matrices of shape (..., K, K), all attributes are arrays.

    Attributes
    ----------
    estimate, low, high : float or ndarray of shape (...)
        Mean cost per item for the observed counts M, Σ M·c/n with the costs c, and the ends of its
        interval.
    standard_error : float or ndarray of shape (...)
        Exact standard deviation of the resampled cost, √((Σ P̂·c² − (Σ P̂·c)²)/n). For groups, it is
        √(Σ(C − m·c̄)²)/n to first order, with the number of items m and the total cost C of each group,
        and the mean cost c̄.
    confidence_level : float
        As given, in (0, 1).
    method : str
        "bcost" or "bcost_delta".
    distribution : ndarray of shape (..., n_resamples)
        The cost of each resampled confusion matrix, in the order drawn.

    See Also
    --------
    fastarac.costs.bcost : bootstrap interval of the expected cost (BCOST)
    CostDifference : expected cost of one classifier minus that of another

    Examples
    --------
    >>> import fastarac as fa
    >>> interval = fa.costs.bcost([[850, 30], [50, 70]], [[0, 5], [1, 0]], random_state=0)
    >>> interval.low < interval.estimate < interval.high
    True
    """

    estimate: Values
    low: Values
    high: Values
    standard_error: Values

    def to_columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns of a table, one row for each cost matrix."""
        names = ("estimate", "low", "high", "standard_error")
        return {name: np.ravel(getattr(self, name)) for name in names}

    def __repr__(self) -> str:
        shape = np.shape(self.estimate)
        if not shape:
            return Interval.__repr__(self)
        return f"{type(self).__name__}(shape {shape}, {percent(self.confidence_level)})"


class CostDifference(CostInterval):
    """The expected cost of one classifier minus that of another, with its bootstrap interval.

    The attributes are those of :class:`.CostInterval`.

    See Also
    --------
    fastarac.costs.bcost_delta : bootstrap test of two expected costs (BCOSTDELTA)
    CostInterval : an expected cost and its bootstrap interval
    """

    __slots__ = ()

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
    laplace: float | None = None,
    groups: ArrayLike | None = None,
    random_state: RandomState = None,
) -> CostInterval:
    r"""Compute a confidence interval for the expected cost of a classifier (BCOST).

    Parameters
    ----------
    counts : array_like of int of shape (K, K)
        Numbers of items by predicted (row) and actual class (column), as from
        :func:`.prediction_counts`. With `groups`, one such table for each label, of shape (m, K, K).
    costs : CostMatrix or array_like of shape (..., K, K)
        Cost per item in each cell; finite, negative for a benefit. All matrices of a stack use the same
        resamples.
    confidence_level : float, default=0.95
        ρ, in (0, 1). It is read as a decimal number: 0.9 is exactly 9/10.
    n_resamples : int, default=1000
        B, at least 1.
    laplace : float, default=1.0, with groups 0
        λ ≥ 0, the number of items added to each cell. With 0, cells without items stay empty.
    random_state : int, SeedSequence, Generator or None
        The same integer gives the same interval; None gives a new one each time.
    groups : array_like of shape (m,), optional
        A label for each table, such as its page, if items of a page depend on each other. Whole pages
        are then drawn. Tables with the same label are one group. Labels without items are ignored.

    Examples
    --------
    >>> import fastarac as fa
    >>> interval = fa.costs.bcost([[850, 30], [50, 70]], [[0, 5], [1, 0]], random_state=0)
    >>> interval.estimate, round(interval.low, 2), round(interval.high, 2)
    (0.2, 0.15, 0.26)

    The cost of verification at a threshold. Rows count rejected and accepted items, columns incorrect
    and correct items:

    >>> sweep = fa.threshold_sweep([1, 1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4])
    >>> sweep.at(0.7).matrix
    array([[2, 1],
           [0, 3]])
    >>> prices = fa.VerificationCosts(verification=1, correction=2, error=20)
    >>> fa.costs.bcost(sweep.at(0.7).matrix, prices.matrix, laplace=0, random_state=0).estimate
    1.1666666666666667

    Every third of 30 pages is hard to read, so that errors are clustered:

    >>> tables = [[[4, 0], [0, 6]], [[5, 1], [0, 4]], [[2, 3], [1, 4]]] * 10
    >>> pages = range(30)
    >>> fa.costs.bcost(tables, [[0, 5], [1, 0]], groups=pages, random_state=0)
    CostInterval(0.7 [0.466667, 0.95], 95%, bcost)

    Returns
    -------
    CostInterval

    Raises
    ------
    ValueError, TypeError
        If counts are negative, sum to 0, are not integers, or differ in shape from the costs. If costs
        are not finite, or are given per item. If an option is out of range.

    Warns
    -----
    UnreliableIntervalWarning
        If smoothing moves the centre of the interval by more than a quarter of its standard error, if
        the estimate is outside its own interval, or if there are fewer than 20 groups.

    See Also
    --------
    bcost_delta : bootstrap test of two expected costs (BCOSTDELTA)
    prediction_counts : count the items by predicted and actual class
    fastarac.results.CostInterval : an expected cost and its bootstrap interval

    Notes
    -----
    The cells are smoothed to

    .. math:: \hat P(i, j) = \frac{M(i, j) + \lambda}{n + s^2 \lambda}

    with s² cells. A resample consists of n items that are drawn from this distribution. With μ = ⌊(1 −
    ρ)/2·B⌋ + 1, the interval goes from the μ-th smallest to the (B + 1 − μ)-th smallest of the B costs.
    (The paper prints "largest" for both.) λ = 1 is too much for many classes: it adds 2,500 items for
    50 classes. λ = 1/s² adds one item in total. With λ = 0, an error that was not observed occurs in no
    resample.

    With groups, each resample draws as many whole groups as there are, with replacement. The cost of a
    resample is the total cost of its items, divided by their number.

    References
    ----------
    Suzuki 2003, equation 3 and procedure BCOST; Margineantu and Dietterich 2000, "Bootstrap methods for
    the cost-sensitive evaluation of classifiers".
    """
    prices = _read_prices(costs)
    plan = _plan(confidence_level, n_resamples, laplace, random_state, groups)
    counted = _read_tables(counts, prices.shape[-2:], groups)
    return CostInterval(*_interval(*_resample(counted, prices, plan), plan, "bcost"))


def bcost_delta(
    predicted_1: ArrayLike,
    predicted_2: ArrayLike | None = None,
    actual: ArrayLike | None = None,
    costs: ArrayLike | CostMatrix | None = None,
    *,
    labels: ArrayLike | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 1000,
    laplace: float | None = None,
    groups: ArrayLike | None = None,
    random_state: RandomState = None,
) -> CostDifference:
    r"""Test whether two classifiers have the same cost on the same items (BCOSTDELTA).

    Parameters
    ----------
    predicted_1, predicted_2, actual : array_like of shape (n,)
        Labels of the same items, as in :func:`.prediction_counts`. Alternatively, as the only
        positional argument: the counts of :func:`.paired_prediction_counts`, of shape (K, K, K) or,
        with `groups`, (m, K, K, K).
    costs : CostMatrix or array_like of shape (..., K, K)
        ``costs[i, j]``: cost of predicting i when j is true. All matrices of a stack use the same
        resamples.
    labels : array_like of shape (K,), optional
        The label of each row and column; by default, all labels that occur, sorted.
    confidence_level, n_resamples, laplace, random_state
        As in :func:`.bcost`.
    groups : array_like of shape (n,) or (m,), optional
        A label for each item, or for each table, as in :func:`.bcost`.

    Returns
    -------
    CostDifference
        Cost of the first minus cost of the second. `rejected` tells whether the interval excludes 0.

    Raises
    ------
    ValueError, TypeError
        As :func:`.prediction_counts` and :func:`.bcost`; also if labels are given with counts.

    Warns
    -----
    UnreliableIntervalWarning
        As :func:`.bcost`, with s³ cells.

    See Also
    --------
    bcost : bootstrap interval of the expected cost (BCOST)
    paired_prediction_counts : count items by the predictions of two models
    fastarac.results.CostDifference : expected cost of one classifier minus that of another

    Notes
    -----
    An item of class j that the models predict as i₁ and i₂ has the difference Δ = c(i₁|j) − c(i₂|j).
    The s³ cells M′(i₁, i₂|j) are smoothed to (M′ + λ)/(n + s³·λ) and resampled as in :func:`.bcost`.
    Resampling the two confusion matrices separately would ignore their correlation and lose most of the
    power. The paper prints that the null hypothesis is rejected if the interval *includes* 0, which is
    a misprint. Results below the rounding error of the sum are set to 0. The s³·λ items that smoothing
    adds pull the difference towards 0.

    References
    ----------
    Suzuki 2003, procedure BCOSTDELTA; Margineantu and Dietterich 2000, "Bootstrap methods for the cost-
    sensitive evaluation of classifiers".

    Examples
    --------
    >>> import fastarac as fa
    >>> actual = [0] * 50 + [1] * 50
    >>> first = [0] * 45 + [1] * 55
    >>> second = [0] * 60 + [1] * 40
    >>> costs = [[0, 5], [1, 0]]
    >>> difference = fa.costs.bcost_delta(first, second, actual, costs=costs, random_state=0)
    >>> difference.estimate, difference.rejected
    (-0.45, True)
    >>> counts = fa.costs.paired_prediction_counts(first, second, actual)
    >>> fa.costs.bcost_delta(counts, costs=costs, random_state=0) == difference
    True
    """
    if costs is None:
        raise TypeError("costs is missing: give a CostMatrix or an array of shape (K, K)")
    prices = _read_prices(costs)
    plan = _plan(confidence_level, n_resamples, laplace, random_state, groups)
    n_rows, n_classes = prices.shape[-2:]
    if predicted_2 is None and actual is None:
        if labels is not None:
            raise TypeError(
                "labels cannot go with counts: give labels only with predictions and actual"
            )
        counted = _read_tables(predicted_1, (n_rows, n_rows, n_classes), groups)
    elif predicted_2 is None or actual is None:
        raise TypeError("give both predicted_2 and actual, or counts alone")
    else:
        found = classify(labels, predicted_1=predicted_1, predicted_2=predicted_2, actual=actual)
        if not len(found.classes) == n_rows == n_classes:
            raise ValueError(
                f"there are {len(found.classes)} classes, but the costs have shape "
                f"{prices.shape[-2:]}; give `labels`, one for each row and column of the costs"
            )
        counted = matrix = found.counts()
        if groups is not None:
            numbers = read_outermost(groups, found.n, "bcost_delta", beside="predicted_1")
            pairs, times = np.unique(numbers * matrix.size + found.cells(), return_counts=True)
            counted = _Table(*np.divmod(pairs, matrix.size), times, matrix.shape)
    differences = prices[..., :, np.newaxis, :] - prices[..., np.newaxis, :, :]
    moments, distribution = _resample(counted, differences, plan)
    # Set results to 0 if they differ from 0 only by rounding errors.
    terms = n_rows**2 * n_classes + moments.n_groups
    noise = terms * np.finfo(np.float64).eps * abs(differences).max(axis=(-3, -2, -1))
    estimate = np.where(abs(moments.estimate) > noise, moments.estimate, 0.0)
    distribution[abs(distribution) <= noise[..., np.newaxis]] = 0.0
    moments = moments._replace(estimate=estimate)
    return CostDifference(*_interval(moments, distribution, plan, "bcost_delta"))


class _Plan(NamedTuple):
    """The validated options of an interval."""

    confidence_level: float
    rank: int
    """μ: rank of the lower end among the sorted costs, from 1."""
    n_resamples: int
    laplace: float
    rng: np.random.Generator


def _plan(
    confidence_level: float,
    n_resamples: int,
    laplace: float | None,
    random_state: RandomState,
    groups: ArrayLike | None = None,
) -> _Plan:
    level = inner_fraction(confidence_level, "confidence_level")
    n_resamples = whole_number(n_resamples, "n_resamples", 1, MOST_VALUES)
    # Use the decimal value of the level, so that (1 − 0.9)/2·1000 is exactly 50.
    beyond = (1 - Fraction(str(confidence_level))) / 2
    rank = int(beyond * n_resamples) + 1
    if laplace is None:
        laplace = 1.0 if groups is None else 0.0
    added = positive_scalar(laplace, "laplace")
    if added and groups is not None:
        raise ValueError(
            f"laplace must be 0 with groups, because groups are not smoothed, got {laplace}"
        )
    rng = np.random.default_rng(key_of(random_state))
    return _Plan(level, rank, n_resamples, added, rng)


def _read_prices(costs: ArrayLike | CostMatrix) -> NDArray[np.float64]:
    if not isinstance(costs, CostMatrix):
        return read_costs(costs)
    if costs.per_item:
        raise TypeError(
            "costs must be one matrix for all items, or a stack of these, got costs by item"
        )
    return costs.costs


class _Moments(NamedTuple):
    """Moments of the cost, each with the shape of the stack of cost matrices."""

    n_cells: int
    estimate: FloatArray
    bias: FloatArray
    """Shift of the mean cost by smoothing."""
    standard_error: FloatArray
    n_groups: int = 0
    """0 if single items are drawn."""


class _Table(NamedTuple):
    """The positive counts of all groups, with group and cell index for each; arrays of shape (r,)."""

    groups: NDArray[np.intp]
    cells: NDArray[np.intp]
    times: NDArray[np.int64]
    shape: tuple[int, ...]
    """Shape of one group's table."""


def _read_tables(
    counts: ArrayLike, shape: tuple[int, ...], groups: ArrayLike | None
) -> NDArray[np.int64] | _Table:
    """Read one table of counts or, with `groups`, one table for each label in `groups`."""
    tables = read_counts(counts, shape, stacked=groups is not None)
    if groups is None:
        return tables
    numbers = read_outermost(groups, len(tables), "bcost", beside="counts")
    flat = tables.reshape(len(tables), -1)
    rows, cells = np.nonzero(flat)
    return _Table(numbers[rows], cells, flat[rows, cells], tables.shape[1:])


def _resample(
    counts: NDArray[np.int64] | _Table, prices: NDArray[np.float64], plan: _Plan
) -> tuple[_Moments, FloatArray]:
    """Return the moments of the cost, and its value in each resample, of shape (..., n_resamples)."""
    if isinstance(counts, _Table):
        return _resample_groups(counts, prices, plan)
    n = int(counts.sum())
    stack = prices.shape[: prices.ndim - counts.ndim]
    by_cell = prices.reshape(-1, counts.size)
    cells = counts.reshape(-1)
    weights = cells + plan.laplace
    # Draw the rarest cells first. After a frequent cell, the remaining probability would be the
    # difference of two nearly equal numbers, and would lose digits.
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
    centre = by_drawn @ probabilities
    spread = np.sqrt((by_drawn - centre[:, np.newaxis]) ** 2 @ probabilities / n)
    added = plan.laplace * (by_cell - estimate[:, np.newaxis]).sum(axis=1) / weights.sum()
    moments = _Moments(
        counts.size, estimate.reshape(stack), added.reshape(stack), spread.reshape(stack)
    )
    return moments, distribution.reshape(*stack, plan.n_resamples)


def _resample_groups(
    table: _Table, prices: NDArray[np.float64], plan: _Plan
) -> tuple[_Moments, FloatArray]:
    """Draw whole groups, and return results like `_resample`."""
    sizes = np.bincount(table.groups, weights=table.times)
    present = sizes > 0
    stack = prices.shape[: prices.ndim - len(table.shape)]
    by_cell = prices.reshape(-1, math.prod(table.shape))
    sums = np.stack(
        [np.bincount(table.groups, weights=table.times * row[table.cells])[present] for row in by_cell]
    )
    sizes = sizes[present]
    n, n_groups = sizes.sum(), len(sizes)
    distribution = np.empty((len(sums), plan.n_resamples))
    step = max(1, MOST_CELLS // n_groups)
    for start in range(0, plan.n_resamples, step):
        stop = min(start + step, plan.n_resamples)
        drawn = np.empty((n_groups, stop - start))
        for replicate in range(stop - start):
            chosen = plan.rng.integers(0, n_groups, n_groups)
            drawn[:, replicate] = np.bincount(chosen, minlength=n_groups)
        distribution[:, start:stop] = (sums @ drawn) / (sizes @ drawn)
    estimate = sums.sum(axis=1) / n
    error = np.sqrt(((sums - sizes * estimate[:, np.newaxis]) ** 2).sum(axis=1)) / n
    moments = _Moments(
        len(by_cell[0]), estimate.reshape(stack), np.zeros(stack), error.reshape(stack), n_groups
    )
    return moments, distribution.reshape(*stack, plan.n_resamples)


Figures = tuple[Values, Values, Values, Values, float, str, "FloatArray"]


def _interval(moments: _Moments, distribution: FloatArray, plan: _Plan, method: str) -> Figures:
    """Return the fields of the result, and warn if it is unreliable."""
    ranks = plan.rank - 1, plan.n_resamples - plan.rank
    ordered = np.partition(distribution, ranks, axis=-1)
    figures: list[Values] = [moments.estimate, *(ordered[..., rank] for rank in ranks)]
    warning = _smoothing_warning(moments, figures[1], figures[2], plan.laplace)
    if 0 < moments.n_groups < FEW_GROUPS:
        warning = few_groups_of(moments.n_groups)
    if warning:
        warn_unreliable(warning)
    figures.append(moments.standard_error)
    if not np.ndim(moments.estimate):
        figures = [float(figure) for figure in figures]
    estimate, low, high, error = figures
    return estimate, low, high, error, plan.confidence_level, method, distribution


def _smoothing_warning(moments: _Moments, low: FloatArray, high: FloatArray, laplace: float) -> str:
    """Return a warning if smoothing shifts the cost too much, else ""."""
    n_cells, estimate, bias, error, _ = moments
    outside = (estimate < low) | (estimate > high)
    doubtful = outside | (abs(bias) > LARGEST_BIAS * error)
    if not laplace or not doubtful.any():
        return ""
    i = int(np.argmax(doubtful))
    where = f" of costs[{i}]" if np.ndim(estimate) == 1 else ""
    outcome = ", so that the estimate is outside its own interval" if outside.flat[i] else ""
    return (
        f"laplace={laplace:g} adds {laplace * n_cells:g} items and moves the cost{where} by "
        f"{bias.flat[i]:.3g}, with a standard error of {error.flat[i]:.3g}{outcome}; laplace=0 adds "
        f"none, and laplace={1 / n_cells:.3g} (1/{n_cells}) adds one item in total"
    )
