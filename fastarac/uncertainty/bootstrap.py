"""The bootstrap: intervals and standard errors of statistics from resamples of the items."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypedDict, overload

import numpy as np

from fastarac._core.checks import MOST_VALUES, choice, inner_fraction, whole_number
from fastarac._core.exceptions import (
    UndefinedMetricWarning,
    undefined_is_nan,
    warn_undefined,
    warn_unreliable,
)
from fastarac._core.interval import Interval
from fastarac._core.random_state import key_of
from fastarac.samples.door import split_grades
from fastarac.uncertainty import asymptotic, influence, intervals
from fastarac.uncertainty.estimates import Estimate, within
from fastarac.uncertainty.exact_variance import interval_of_pairs, read_pairs
from fastarac.uncertainty.replicates import (
    Evaluator,
    is_of_pairs,
    name_of,
    standard_error,
    value_of,
)
from fastarac.uncertainty.resampling import population_of
from fastarac.uncertainty.statistics import Statistic, as_statistic

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Unpack

    from numpy.typing import ArrayLike, NDArray

    from fastarac._core.random_state import RandomState
    from fastarac._engine.counts import PointCounts
    from fastarac.sweep import ThresholdSweep
    from fastarac.uncertainty.resampling import Population

    StatisticLike = str | Statistic | Callable[[ThresholdSweep], float]
    Several = list[str] | list[Statistic] | list[StatisticLike] | tuple[StatisticLike, ...]

    class _Options(TypedDict, total=False):
        """Options shared by both overloads."""

        n_resamples: int
        confidence_level: float
        stratified: bool
        random_state: RandomState
        n_threads: int | None
        progress: bool
        method: Method
        groups: ArrayLike | None
        sample_weight: ArrayLike | None
        graded: bool


Method = Literal["percentile", "basic", "bca", "studentized", "exact-variance"]
METHODS = ("percentile", "basic", "bca", "studentized", "exact-variance")


@overload
def bootstrap(
    correct: ArrayLike | ThresholdSweep,
    confidence: ArrayLike | None = None,
    *,
    statistic: StatisticLike = ...,
    **options: Unpack[_Options],
) -> Interval: ...
@overload
def bootstrap(
    correct: ArrayLike | ThresholdSweep,
    confidence: ArrayLike | None = None,
    *,
    statistic: Several,
    **options: Unpack[_Options],
) -> dict[str, Interval]: ...
def bootstrap(
    correct: ArrayLike | ThresholdSweep,
    confidence: ArrayLike | None = None,
    *,
    statistic: StatisticLike | Sequence[StatisticLike] = "arac_auc",
    n_resamples: int = 2000,
    confidence_level: float = 0.95,
    method: Method = "percentile",
    stratified: bool = False,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    graded: bool = False,
    random_state: RandomState = None,
    n_threads: int | None = None,
    progress: bool = False,
) -> Interval | dict[str, Interval]:
    """Interval and standard error of a statistic, from resamples of the items.

    Each resample consists of n items, drawn with replacement from the n given items.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,), or a ThresholdSweep of unweighted items alone
        Whether each output was right (bool, or 0 and 1), and its confidence (real and finite).
    statistic : str, Statistic or callable, or a sequence of these, default="arac_auc"
        A name in ``Statistic.names()``, a :class:`.Statistic` with parameters, or a function of a
        :class:`.ThresholdSweep` that returns a number. Several statistics are computed on the same
        resamples.
    n_resamples : int, default=2000
        At least 2.
    confidence_level : float, default=0.95
        Strictly between 0 and 1.
    method : {"percentile", "basic", "bca", "studentized", "exact-variance"}, default="percentile"
        "percentile" uses quantiles of the replicates, and "basic" mirrors this interval at the
        estimate. "bca" corrects the quantiles for bias and skewness. "studentized" uses quantiles of
        (replicate − estimate)/(standard error of the replicate). "exact-variance" gives a normal
        interval from the variance over all possible resamples. It supports only ``"roc_auc"``,
        ``"arac_auc"`` and ``"augrc"``, and needs `stratified`.
    stratified : bool, default=False
        Draw correct and incorrect items separately, so that their numbers are fixed.
    groups : array_like of shape (n,), optional
        Label of each item's group, such as its document. Whole groups are drawn.
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum. Items (or groups) are drawn with equal
        probability and keep their weights.
    graded : bool, default=False
        Whether `correct` holds grades in [0, 1] (:func:`.threshold_sweep`).
    random_state : int, SeedSequence, Generator or None, default=None
        An integer gives the same resamples on any number of threads, but another version of fastarac
        may give different ones. None gives different resamples on each call.
    n_threads : int, optional
        By default ``FASTARAC_NUM_THREADS`` or else the number of processors. Small tasks use fewer.
    progress : bool, default=False
        Show progress on stderr.

    Returns
    -------
    Interval or dict of str to Interval
        The standard error is the standard deviation of the replicates. `distribution` holds the
        replicates, which are NaN where the statistic is undefined. With "exact-variance", it is None.
        Several statistics give a dictionary. Its keys are the names of the statistics, the ``repr`` of
        a statistic with parameters, and the ``__name__`` of a function.

    Warns
    -----
    UndefinedMetricWarning
        If replicates are NaN, such as the ROC-AUC of a resample with one class. The interval then uses
        the other replicates. If the estimate is NaN or the method fails, the interval is NaN. If some
        replicates are infinite, the interval includes them, but the standard error is not finite.
    UnreliableIntervalWarning
        With fewer than 10 correct items, 10 incorrect items or 20 groups; if the standard error
        depends on fewer than 5 items; or if all resamples give the same value.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`. Also for arguments outside their ranges, for weighted sweeps, and
        for combinations that a method does not support. `groups` cannot be combined with a sweep or
        with `stratified`. "studentized" supports neither groups nor weights, and needs influence
        values. If a statistic has no influence values, "bca" supports at most 2,000 kinds of items.

    See Also
    --------
    asymptotic_interval : confidence interval of a statistic, without resampling
    bootstrap_band : band around a curve, from resamples of the items
    Statistic : A number that is read off a threshold sweep, by name and with its parameters

    Notes
    -----
    The page "Formulas of intervals, tests and guarantees" of the documentation explains the corrections
    of "bca" (Efron 1987), the exact variance, and how resamples are drawn. Quantiles are
    interpolated as in ``numpy.quantile``. Each resample takes at most O(n) time, and each thread takes
    O(n) memory.

    References
    ----------
    Efron 1987, "Better bootstrap confidence intervals".

    Examples
    --------
    >>> import fastarac as fa
    >>> correct, confidence = fa.synthetic.PAPER_CASES[1].sample(200, random_state=0)
    >>> fa.bootstrap(correct, confidence, n_resamples=200, random_state=1)
    Interval(0.93245 [0.904151, 0.958547], 95%, percentile)
    >>> names = ["roc_auc", "recognition_rate"]
    >>> both = fa.bootstrap(correct, confidence, statistic=names, n_resamples=200, random_state=1)
    >>> both["roc_auc"]
    Interval(0.908836 [0.863385, 0.945644], 95%, percentile)
    """
    resamples = whole_number(n_resamples, "n_resamples", 2, MOST_VALUES)
    level = inner_fraction(confidence_level, "confidence_level")
    choice(method, "method", METHODS)
    statistics = _by_name(statistic)
    if method == "exact-variance":
        beside = {"groups": groups, "sample_weight": sample_weight}
        sweep = read_pairs(correct, confidence, stratified=stratified, **beside)
        exact = _by_exact_variance(sweep, statistics, level)
        return exact if _is_several(statistic) else next(iter(exact.values()))
    key = key_of(random_state)
    if graded:
        correct, confidence, sample_weight, groups = split_grades(
            correct, confidence, sample_weight, groups
        )
    population = population_of(
        correct, confidence, sample_weight, groups, stratified=stratified,
        of_pairs=all(is_of_pairs(one) for one in statistics.values()),
    )  # fmt: skip
    estimates = {name: _estimate(one, population) for name, one in statistics.items()}
    errors, accelerations = (dict.fromkeys(statistics, math.nan) for _ in range(2))
    for name, one in statistics.items():
        if method == "studentized":
            errors[name] = _error(one, name, population)
        elif method == "bca":
            accelerations[name] = intervals.acceleration(population, one, name)
    evaluator = Evaluator(
        population, key, list(statistics.values()), resamples, errors=method == "studentized"
    )
    evaluator.run(n_threads, progress=progress)
    values = evaluator.values()
    spreads = evaluator.errors() if method == "studentized" else values
    results = {}
    for j, (name, one) in enumerate(statistics.items()):
        estimate = estimates[name]
        given = estimate, errors[name], accelerations[name]
        ends, error = ends_of(values[j], spreads[j], *given, method, level, name)
        if isinstance(one, Statistic) and method in ("basic", "studentized"):
            ends = intervals.Ends(*within(one, *ends))
        known = error if math.isfinite(error) else math.nan
        results[name] = Interval(estimate, *ends, known, level, method, values[j])
        warning = reliability_warning_of(population, one, name, error)
        if warning and not math.isnan(estimate):
            warn_unreliable(warning)
    return results if _is_several(statistic) else next(iter(results.values()))


def _by_exact_variance(
    sweep: PointCounts, statistics: dict[str, Callable[[ThresholdSweep], float]], level: float
) -> dict[str, Interval]:
    """Return intervals of pair-based statistics from the exact variance, without resamples."""
    intervals_of_pairs = {}
    for name, one in statistics.items():
        intervals_of_pairs[name], warning = interval_of_pairs(sweep, one, name, level)
        if math.isnan(intervals_of_pairs[name].estimate):
            warn_undefined(name, "so is its interval")
        elif warning:
            warn_unreliable(warning)
    return intervals_of_pairs


def ends_of(
    replicates: NDArray[np.float64],
    spreads: NDArray[np.float64],
    estimate: float,
    error: float,
    acceleration: float,
    method: str,
    level: float,
    name: str,
) -> tuple[intervals.Ends, float]:
    """Return the interval and the standard error; warn if replicates or the interval are undefined."""
    some = ~np.isnan(replicates)
    missing = len(replicates) - int(some.sum())
    if math.isnan(estimate):
        _warn(f"{name} is undefined for the original items, and so is its interval")
        return intervals.UNKNOWN, math.nan
    if missing:
        first = "" if missing == len(replicates) else f" (the first is resample {some.argmin() + 1:,})"
        _warn(
            f"{name} is undefined for {missing} of {len(replicates)} resamples{first}; the interval "
            "and the standard error use the others"
        )
        replicates, spreads = replicates[some], spreads[some]
    if len(replicates) < 2:
        return intervals.UNKNOWN, math.nan
    if method == "percentile":
        interval = intervals.percentile(replicates, level)
    elif method == "basic":
        interval = intervals.basic(replicates, estimate, level)
    elif method == "bca":
        interval = intervals.bca(replicates, estimate, acceleration, level)
    else:
        interval = intervals.studentized(replicates, spreads, estimate, error, level)
    if math.isnan(interval.low):
        _warn(f"the {method} interval of {name} is undefined for these items; try 'percentile'")
    infinite = int(np.isinf(replicates).sum())
    if not infinite:
        return interval, float(np.std(replicates, ddof=1))
    if (replicates == replicates[0]).all():
        return interval, 0.0
    _warn(
        f"{name} is infinite in {infinite:,} of {len(replicates):,} resamples; the interval includes "
        "them, and the standard error is infinite"
    )
    return interval, math.inf


def _warn(message: str) -> None:
    warnings.warn(message, UndefinedMetricWarning, stacklevel=4)


def reliability_warning_of(
    population: Population,
    statistic: Callable[[ThresholdSweep], float] | None,
    name: str,
    standard_error: float,
) -> str | None:
    """Return a warning if an interval is unreliable by the rules of `asymptotic`, else None."""
    named = statistic if isinstance(statistic, Statistic) else None
    without_spread = "the interval is a single value"
    members = population.members
    grouped = members is not None and members.groups is not None
    items, contributors = float(population.n_items), math.inf
    if named is not None and named.definition.is_smooth:
        without_spread += ", and asymptotic_interval allows for items that the sample may lack"
        if members is None:
            contributors = influence.sweep_spread(population.sweep, named).effective_contributors
        else:
            both = influence.point_influence(population.sweep, named)
            error, contributors = influence.spread_of(intervals.of_members(members, both))
            if grouped:
                alone = intervals.of_members(replace(members, groups=None), both)
                items /= asymptotic.design_effect(error, influence.spread_of(alone).standard_error)
    n = float(population.n_drawn) if grouped else items
    estimate = Estimate(
        population.sweep, math.nan, standard_error, contributors, n, math.inf, items, grouped
    )
    return asymptotic.reliability_warning(estimate, named, name=name, without_spread=without_spread)


def _is_several(statistic: object) -> bool:
    return isinstance(statistic, Sequence) and not isinstance(statistic, str)


def _by_name(
    statistic: StatisticLike | Sequence[StatisticLike],
) -> dict[str, Callable[[ThresholdSweep], float]]:
    several: Sequence[StatisticLike]
    several = statistic if _is_several(statistic) else [statistic]  # type: ignore[assignment,list-item]
    if not several:
        raise ValueError("statistic is empty; give at least one")
    named: dict[str, Callable[[ThresholdSweep], float]] = {}
    for one in several:
        if isinstance(one, str | Statistic) or not callable(one):
            read: Callable[[ThresholdSweep], float] = as_statistic(one)
        else:
            read = one
        name = name_of(read)
        if name in named:
            raise ValueError(f"statistic must have distinct names, got {name!r} twice")
        named[name] = read
    return named


def _estimate(statistic: Callable[[ThresholdSweep], float], population: Population) -> float:
    with undefined_is_nan():
        return value_of(statistic, population.sweep, "the items themselves")


def _error(statistic: Callable[[ThresholdSweep], float], name: str, population: Population) -> float:
    """Return the standard error of the estimate; raise if a resample's error cannot be computed."""
    if population.members is not None:
        raise ValueError(
            "method must be 'percentile', 'basic' or 'bca' with groups or weights, got 'studentized'"
        )
    if not isinstance(statistic, Statistic):
        raise TypeError(f"method='studentized' needs a Statistic, but {name} is a function")
    with undefined_is_nan():
        return standard_error(population.sweep, statistic, stratified=population.stratified)
