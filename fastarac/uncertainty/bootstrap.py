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
        """What both overloads take."""

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

    A resample has as many items as there are, drawn from them with replacement.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,), or a ThresholdSweep of unweighted items alone
        Whether each output was right (bool, or 0 and 1), and its confidence (real and finite). A sweep
        made by ``from_counts`` can stand for billions of items.
    statistic : str, Statistic or callable, or a sequence of these, default="arac_auc"
        A name in ``Statistic.names()``, a :class:`.Statistic` with parameters, or a function of a
        :class:`.ThresholdSweep` that returns a number. Several are computed on the same resamples.
    n_resamples : int, default=2000
        At least 2.
    confidence_level : float, default=0.95
        Probability with which the interval is to cover the statistic of the population, above 0 and
        below 1; half of what is left on either side.
    method : {"percentile", "basic", "bca", "studentized", "exact-variance"}, default="percentile"
        "percentile": quantiles of the replicates. "basic": those mirrored at the estimate. "bca":
        quantiles corrected for bias and skewness. "studentized": quantiles of the replicates' distances
        from the estimate in units of their own standard errors. "exact-variance": estimate ± normal
        quantile × standard deviation over all resamples that there could be, without drawing any: of
        ``"roc_auc"``, ``"arac_auc"`` and ``"augrc"`` of items, with `stratified`.
    stratified : bool, default=False
        Draw the correct and the incorrect items apart, so that their numbers are fixed.
    groups : array_like of shape (n,), optional
        Label of the group of each item, such as its document: whole groups are drawn, as many as there
        are. Items that are alike within groups need that; taken one by one, their intervals are too
        narrow.
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum. All items (or groups) are drawn with the same
        probability, and bring their weights along. An item of weight 0 is as if absent.
    graded : bool, default=False
        Whether `correct` holds grades in [0, 1] (:func:`.threshold_sweep`); an item stays whole.
    random_state : int, SeedSequence, Generator or None, default=None
        Decides over the resamples: the same integer gives the same ones on any number of threads, as
        long as the version of fastarac is the same. Where all statistics are of pairs, they may be
        other ones than for other statistics. None: different ones each time.
    n_threads : int, optional
        By default as many as are worth it, at most ``FASTARAC_NUM_THREADS`` or the processors there
        are. Functions of your own are called by one thread at a time.
    progress : bool, default=False
        Show on stderr how far it is: a bar where `rich` is installed, else a line now and then.

    Returns
    -------
    Interval or dict of str to Interval
        With the standard deviation of the replicates (with n − 1) and, as its `distribution`, the
        replicates themselves in the order of their numbers, NaN where one is undefined; None with
        "exact-variance". Of a sequence of statistics, a dictionary by their names; by ``repr`` for
        those with parameters, by ``__name__`` for functions.

    Warns
    -----
    UndefinedMetricWarning
        Where replicates are NaN, such as ROC-AUCs of resamples of one class: interval and standard
        error are those of the others. Where the estimate is NaN, or the method has no interval (all
        replicates on one side of the estimate with "bca", resamples without spread with
        "studentized"): the interval is NaN. Where replicates are infinite, such as the thresholds of
        resamples of which nothing can be accepted: they count in the interval, one end of which may be
        infinite, and the standard error is NaN.

    UnreliableIntervalWarning
        As :func:`.asymptotic_interval`: with fewer than 10 correct or incorrect items, fewer than 20
        groups, an error that comes from fewer than 5 items (of statistics with influence values), and
        where the resamples are all alike. Resamples of few items know nothing of what they lack.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`; also for arguments outside their ranges, for weighted sweeps, for
        groups beside a sweep or with `stratified`, for "studentized" with groups, weights or a
        statistic without influence values, for "exact-variance" with what it does not take, and for
        "bca" with a statistic without influence values where its items are of more than 2,000 kinds.

    See Also
    --------
    asymptotic_interval : confidence interval of a statistic, without resampling
    bootstrap_band : band around a curve, from resamples of the items
    Statistic : A number that is read off a threshold sweep, by name and with its parameters

    Notes
    -----
    Quantiles are those of ``numpy.quantile``, linear between replicates. "basic" and "studentized"
    intervals are cut at the ends of a named statistic's range. The corrections of "bca" are Efron's
    (1987): replicates equal to the estimate count half for the bias; the acceleration is that of the
    jackknife, over groups where there are any. The standard errors of "studentized" are those of
    :func:`.asymptotic_interval`.

    "exact-variance", over all resamples of m correct and n incorrect items: with ψ the score of a pair
    (1, ½, 0), S the sum of all, R its row and C its column sums, the variance of the ROC-AUC A is
    [(1 − 1/m)(1 − 1/n)S² + (1 − 1/n)ΣR² + (1 − 1/m)ΣC² + Σψ²]/(mn)² − A², here as a sum of positive
    terms; that of ARAC-AUC and AUGRC is (β(1 − β))² times it. `n_resamples` and `random_state` have no
    part in it.

    Items are sorted once. A resample is then a count for each: Poisson counts, of which single draws
    are added or taken back until the sum is right, which gives the law of drawing one by one, to the
    32 bits of each random number. Where that is less work, it is a count for each kind of item: those
    of one confidence and label or, where all statistics are of pairs (the recognition rate, ARAC-AUC,
    normalized ARAC-AUC, AUGRC, ROC-AUC), all adjacent ones of one label, so that k errors make at most
    2k + 1 kinds. Counts of many kinds come from tables of Poisson's distribution, to 64 bits, and are
    made up to n by single draws; those of few kinds are multinomial, one binomial after the other.
    Time is O(n + sorting) and at most O(n) for a resample, memory O(n) a thread and O(n_resamples).

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
        ends, error = _ends(values[j], spreads[j], *given, method, level, name)
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
    """Intervals from the exact variance of statistics of pairs, without resamples."""
    intervals_of_pairs = {}
    for name, one in statistics.items():
        intervals_of_pairs[name], warning = interval_of_pairs(sweep, one, name, level)
        if math.isnan(intervals_of_pairs[name].estimate):
            warn_undefined(name, "so is its interval")
        elif warning:
            warn_unreliable(warning)
    return intervals_of_pairs


def _ends(
    replicates: NDArray[np.float64],
    spreads: NDArray[np.float64],
    estimate: float,
    error: float,
    acceleration: float,
    method: str,
    level: float,
    name: str,
) -> tuple[intervals.Ends, float]:
    """The interval and the standard error; warns where replicates or the interval are undefined."""
    some = ~np.isnan(replicates)
    missing = len(replicates) - int(some.sum())
    if math.isnan(estimate):
        _warn(f"{name} is undefined for the items themselves, and so is its interval")
        return intervals.UNKNOWN, math.nan
    if missing:
        first = "" if missing == len(replicates) else f" (the first is resample {some.argmin() + 1:,})"
        _warn(
            f"{name} is undefined for {missing} of {len(replicates)} resamples{first}; interval and "
            "standard error are those of the others"
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
        f"{name} is infinite in {infinite:,} of {len(replicates):,} resamples, which count in the "
        "interval; it has no standard error"
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
    """Say why an interval from resamples is not to be relied on, by the rule of `asymptotic`."""
    named = statistic if isinstance(statistic, Statistic) else None
    without_spread = "the interval is a single value"
    members = population.members
    grouped = members is not None and members.groups is not None
    items, contributors = float(population.n_items), math.inf
    if named is not None and named.definition.is_smooth:
        without_spread += ", and asymptotic_interval says what could have gone unseen"
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
        raise ValueError("statistic is empty; at least one is expected")
    named: dict[str, Callable[[ThresholdSweep], float]] = {}
    for one in several:
        if isinstance(one, str | Statistic) or not callable(one):
            read: Callable[[ThresholdSweep], float] = as_statistic(one)
        else:
            read = one
        name = name_of(read)
        if name in named:
            raise ValueError(f"statistic has {name!r} twice; different names are expected")
        named[name] = read
    return named


def _estimate(statistic: Callable[[ThresholdSweep], float], population: Population) -> float:
    with undefined_is_nan():
        return value_of(statistic, population.sweep, "the items themselves")


def _error(statistic: Callable[[ThresholdSweep], float], name: str, population: Population) -> float:
    """Standard error of the estimate; raises where there is none of a replicate either."""
    if population.members is not None:
        raise ValueError(
            "method is 'studentized' with groups or weights; 'percentile', 'basic' or 'bca' is expected"
        )
    if not isinstance(statistic, Statistic):
        raise TypeError(f"method is 'studentized', but {name} is a function; a Statistic is expected")
    with undefined_is_nan():
        return standard_error(population.sweep, statistic, stratified=population.stratified)
