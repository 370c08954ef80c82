"""Comparison of models on the same items: paired differences, intervals, p-values."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from fastarac._core.checks import MOST_VALUES, choice, inner_fraction, whole_number
from fastarac._core.exceptions import FEW_GROUPS, few_groups_of, warn_undefined, warn_unreliable
from fastarac._core.interval import Interval
from fastarac._core.quantiles import student_pvalue, student_quantile
from fastarac._core.random_state import key_of
from fastarac._core.results import TupleResult
from fastarac._engine.inputs import read_groups
from fastarac.models import named_models
from fastarac.sweep import ThresholdSweep
from fastarac.uncertainty import asymptotic, influence
from fastarac.uncertainty.asymptotic import NO_SPREAD, Estimate
from fastarac.uncertainty.comparison_results import ModelComparison, PairDifference, letters_of
from fastarac.uncertainty.intervals import percentile
from fastarac.uncertainty.inversion import ItemSample
from fastarac.uncertainty.replicates import Evaluator
from fastarac.uncertainty.resampling import population_of
from fastarac.uncertainty.statistics import LOWER_IS_BETTER, Statistic, as_statistic

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from fastarac._core.random_state import RandomState
    from fastarac.costs.verification import VerificationCosts
    from fastarac.models import Items
    from fastarac.reviewer import Reviewer
    from fastarac.uncertainty.influence import PlacedItems

Method = Literal["asymptotic", "bootstrap"]
Correction = Literal["holm", "bonferroni"]

DRAWS = 100_000  # from the normal distribution of the estimates


class _DeLongTest(NamedTuple):
    statistic: float
    """z, the difference over its standard error."""
    pvalue: float
    """Two-sided."""
    difference: float
    """ROC-AUC of `score_a` less that of `score_b`."""
    interval: Interval
    """Of the difference."""
    degrees_of_freedom: float
    """Of Student's law, from which p-value and interval are; infinite: the normal law."""


class DeLongTest(TupleResult, _DeLongTest):
    """Test whether two scores of the same items have the same ROC-AUC (DeLong et al. 1988)."""

    __slots__ = ()


class _Paired(NamedTuple):
    interval: Interval
    statistic: float
    pvalue: float
    degrees: float = math.nan


def _paired(
    a: Estimate, b: Estimate, error: float, degrees: float, statistic: Statistic, level: float
) -> _Paired:
    """Test and interval of a difference; where there is no spread, what could have gone unseen."""
    difference = a.value - b.value
    low, high = statistic.range
    method = "wald"
    if error > NO_SPREAD:
        ratio = difference / error
        reach = student_quantile(level, degrees) * error if degrees > 0.0 else math.inf
        ends = difference - reach, difference + reach
        pvalue = student_pvalue(ratio, degrees) if degrees > 0.0 else 1.0
    elif math.isnan(difference) or math.isnan(error):
        ratio = pvalue = math.nan
        ends = math.nan, math.nan
    else:
        ratio = math.copysign(math.inf, difference) if difference else 0.0
        pvalue = math.nan if difference else 1.0
        of_a, of_b = (asymptotic.unseen_values(one, statistic, level) for one in (a, b))
        ends = min(of_a) - max(of_b), max(of_a) - min(of_b)
        method = "unseen"
    clipped = [min(max(end, low - high), high - low) for end in ends]
    interval = Interval(difference, clipped[0], clipped[1], error, level, method)
    return _Paired(interval, ratio, pvalue, degrees)


def delong_test(
    y_true: ArrayLike,
    score_a: ArrayLike,
    score_b: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
) -> DeLongTest:
    r"""Test whether two scores of the same items have the same area under the ROC curve.

    Parameters
    ----------
    y_true : array_like of shape (n,)
        Bool, or 0 and 1; the same for both scores.
    score_a, score_b : array_like of shape (n,)
        Real and finite; higher for the positive class.
    groups : array_like of shape (n,), optional
        Label of each item's group (page, document), within which items may depend on each other.
    confidence_level : float, default=0.95
        Strictly between 0 and 1.

    Returns
    -------
    DeLongTest
        Statistic (z), p-value, difference (a − b) and its confidence interval in [-1, 1].

    Warns
    -----
    UnreliableIntervalWarning
        With fewer than 10 items of a class, fewer than 20 groups, where the error comes from fewer than
        5 items (see :func:`.compare_models`), and where the scores put all pairs in the same order.
    UndefinedMetricWarning
        With one class only; all is NaN then.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`.

    Notes
    -----
    DeLong, DeLong and Clarke-Pearson 1988. With V of each item the share of the other class that it
    is on the right side of (ties half), the variance of the difference is

    .. math:: \frac{S^2(V_a^+ - V_b^+)}{n^+} + \frac{S^2(V_a^- - V_b^-)}{n^-}

    with sample variances of each class. Ranks give all V in O(n log n) (Sun and Xu 2014). The law of z
    is taken to be normal, as published, which rejects too often with few items of a class (about 10 %
    in place of 5 with 6); :func:`.compare_models` takes Student's for the same z, and weights.

    With `groups` the variance is that of the sums d within each of the G groups, G/(G − 1)·Σd². This
    follows Obuchowski 1997, who has one such factor for the groups with positive and one for those
    with negative items; so groups of one item do not give the variance above exactly. The law is
    Student's with as many degrees of freedom as groups of one size would say as much, (Σd²)²/Σd⁴, but
    2 to G − 1; the p-value takes their whole part.

    Examples
    --------
    >>> import fastarac as fa
    >>> y_true, score = fa.synthetic.PAPER_CASES[2].sample(200, random_state=0)
    >>> test = fa.delong_test(y_true, score, score.round(1))
    >>> print(f"{test.difference:.4f}, z = {test.statistic:.2f}, p = {test.pvalue:.3f}")
    0.0200, z = 2.12, p = 0.034
    """
    level = inner_fraction(confidence_level, "confidence_level")
    statistic = Statistic("roc_auc")
    found = [
        influence.items_of(y_true, score, None, ("y_true", name, "sample_weight"))
        for score, name in ((score_a, "score_a"), (score_b, "score_b"))
    ]
    codes = None if groups is None else read_groups(groups, len(found[0].point))[1]
    samples, contributions, (a, b) = _estimated(found, codes, statistic)
    if math.isnan(a.value):
        warn_undefined("ROC-AUC", "y_true has one class only")
        nothing = Interval(math.nan, math.nan, math.nan, math.nan, level, "wald")
        return DeLongTest(math.nan, math.nan, math.nan, nothing, math.nan)
    error, contributors = influence.spread_of(contributions[0] - contributions[1])
    degrees = math.inf
    if codes is not None:
        degrees = asymptotic.degrees_of(samples[0], statistic.name, contributors, a.n)
    paired = _paired(a, b, error, degrees, statistic, level)
    fewest = min(found[0].of_class(correct=True), found[0].of_class(correct=False))
    if not error > NO_SPREAD:
        warn_unreliable(
            "both scores put the items in the same order, or each separates them: the data leave no "
            "spread to estimate the error of the difference from"
        )
    elif codes is not None and a.n < FEW_GROUPS:
        warn_unreliable(few_groups_of(a.n))
    elif fewest < asymptotic.FEW_ITEMS:
        warn_unreliable(
            f"there are {fewest:g} items of one class; the test can be relied on from "
            f"{asymptotic.FEW_ITEMS} on"
        )
    elif a.groups_of_class < asymptotic.FEW_ITEMS:
        warn_unreliable(
            f"{a.groups_of_class:g} groups have items of the rarer class; the test can be relied on "
            f"from {asymptotic.FEW_ITEMS} on"
        )
    elif contributors < asymptotic.FEW_CONTRIBUTORS and codes is None:
        warn_unreliable(
            f"the error of the difference is estimated from as few as {contributors:.2g} items; the "
            f"test can be relied on from {asymptotic.FEW_CONTRIBUTORS} on"
        )
    return DeLongTest(
        paired.statistic, paired.pvalue, paired.interval.estimate, paired.interval, paired.degrees
    )


def compare_models(
    models: Mapping[str, Items],
    *,
    statistic: str | Statistic | None = None,
    costs: VerificationCosts | None = None,
    reviewer: Reviewer | None = None,
    method: Method = "asymptotic",
    correction: Correction | None = "holm",
    confidence_level: float = 0.95,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    n_resamples: int = 2000,
    random_state: RandomState = None,
    progress: bool = False,
) -> ModelComparison:
    """Compare models that were evaluated on the same items, in the same order.

    Parameters
    ----------
    models : mapping of str to (correct, confidence) or (correct, confidence, ids)
        At least two, each with arrays of shape (n,). Where the identifiers of the items are given,
        they must be the same in all models, in the same order.
    statistic : str or Statistic, optional
        What is compared, by default ``"arac_auc"``; for ``"asymptotic"`` one with influence values.
    costs : VerificationCosts, optional
        In place of a statistic: what an item costs, each model at its own cheapest threshold.
    reviewer : Reviewer, optional
        The people behind these costs; by default they find and correct every error.
    method : {"asymptotic", "bootstrap"}, default="asymptotic"
        "asymptotic": from influence values, what the models have in common cancels. "bootstrap":
        items, or groups of them, are drawn with replacement, the same for all models.
    correction : {"holm", "bonferroni"} or None, default="holm"
        For the number of pairs that are tested.
    confidence_level : float, default=0.95
        Of every interval by itself; differences are significant at 1 less that.
    groups : array_like of shape (n,), optional
        Label of each item's group (page, document), within which items may depend on each other.
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum; the same for all models.
    n_resamples : int, default=2000
        Of the bootstrap.
    random_state : int, numpy.random.Generator or None, default=None
        For the bootstrap, None draws anew on each call. For ``"asymptotic"`` it only serves
        `share_of_best` of three models or more, and None stands for 0.
    progress : bool, default=False
        Show on stderr how far the bootstrap is, for each model in turn.

    Returns
    -------
    ModelComparison
        ``print`` shows it as a table.

    Warns
    -----
    UnreliableIntervalWarning
        As :func:`.asymptotic_interval`; also where the error of a difference comes from fewer than 5
        items, by (Σd²)²/Σd⁴ of what each item adds to it.
    UndefinedMetricWarning
        Where the statistic of a model is undefined.

    Raises
    ------
    ValueError, TypeError
        For fewer than two models, models with other numbers of items or other identifiers, and
        sweeps, in which it is lost which item is which; also as :func:`.asymptotic_interval`.

    Notes
    -----
    Intervals of single models are those of :func:`.asymptotic_interval` by "auto". With ψ the influence
    values of two models, the squared standard error of their difference is the sample variance of
    ψ_a − ψ_b over n; intervals and p-values take Student's t, with Satterthwaite's degrees of freedom
    from ψ_a − ψ_b, for ``"roc_auc"`` and the normalised areas one less than the smaller class, and with
    groups as :func:`.asymptotic_interval` has them. For ``"roc_auc"`` and the same labels difference
    and standard error are those of :func:`.delong_test`, which without groups takes the normal
    distribution, so that p-values differ a little. Weights are sampling weights, never frequencies.

    At the cheapest threshold the cost does not change to first order with the threshold, so that
    differences in cost have the error of a mean over items at thresholds that are fixed.

    P-values of the bootstrap are twice the share of resamples on the other side of 0, at least
    2/(`n_resamples` + 1); its intervals are percentiles. For acceptance rates at a limit it rejects
    less often than it may.

    Examples
    --------
    >>> import fastarac as fa
    >>> from fastarac.datasets import load_digits_ocr
    >>> print(fa.compare_models(load_digits_ocr(), statistic="recognition_rate"))
    model                        recognition_rate  95 % interval       best in   letters
    svm-rbf                      0.9822            0.9750 to 0.9878    0.914     a
    knn-votes                    0.9772            0.9692 to 0.9836    0.086     a
    naive-bayes                  0.9071            0.8927 to 0.9201    < 0.001   b
    logistic-pca5                0.8564            0.8394 to 0.8723    < 0.001   c
    <BLANKLINE>
    difference                   by                95 % interval       p (holm)
    svm-rbf − knn-votes          +0.0050           -0.0022 to +0.0123  0.17
    svm-rbf − naive-bayes        +0.0751           +0.0620 to +0.0883  7.1e-25
    svm-rbf − logistic-pca5      +0.1258           +0.1095 to +0.1420  8.9e-45
    knn-votes − naive-bayes      +0.0701           +0.0576 to +0.0827  7.3e-24
    knn-votes − logistic-pca5    +0.1208           +0.1050 to +0.1365  1.2e-43
    naive-bayes − logistic-pca5  +0.0506           +0.0343 to +0.0670  4.7e-09
    <BLANKLINE>
    best in: the share of samples like this one in which a model would be the best.
    Models that share a letter do not differ significantly at 5 %.
    """
    compared = _compared(statistic, costs, reviewer)
    level = inner_fraction(confidence_level, "confidence_level")
    choice(method, "method", ("asymptotic", "bootstrap"))
    if correction is not None:
        choice(correction, "correction", ("holm", "bonferroni"))
    columns = _columns(models)
    names = tuple(columns)
    n = len(columns[names[0]][0])
    codes = None if groups is None else read_groups(groups, n)[1]
    draw = _bootstrapped if method == "bootstrap" else _asymptotic
    resamples = whole_number(n_resamples, "n_resamples", 2, MOST_VALUES)
    options = _ComparisonOptions(
        compared, level, codes, sample_weight, resamples, random_state, progress
    )
    intervals, paired, shares, reliability_warnings = draw(columns, options)
    if any(math.isnan(interval.estimate) for interval in intervals):
        warn_undefined(compared.name, "there are items of one kind only")
    if reliability_warnings:
        more = len(reliability_warnings) - 3
        rest = f"; and {more} more of that kind" if more > 0 else ""
        warn_unreliable("; ".join(reliability_warnings[:3]) + rest)
    pvalues = [pair.pvalue for pair in paired.values()]
    pairs = tuple(
        PairDifference(names[a], names[b], pair.interval, pair.pvalue, corrected, pair.degrees)
        for ((a, b), pair), corrected in zip(
            paired.items(), adjusted_pvalues(pvalues, correction), strict=True
        )
    )
    differing = {
        key for key, pair in zip(paired, pairs, strict=True) if pair.adjusted_pvalue < 1.0 - level
    }
    worse = 1.0 if compared.name in LOWER_IS_BETTER else -1.0
    order = sorted(range(len(names)), key=lambda k: worse * intervals[k].estimate)
    return ModelComparison(
        statistic=compared,
        method=method,
        correction=correction,
        confidence_level=level,
        n=n,
        names=names,
        intervals=tuple(intervals),
        share_of_best=tuple(shares),
        letters=letters_of(order, differing),
        pairs=pairs,
    )


def _compared(
    statistic: str | Statistic | None, costs: VerificationCosts | None, reviewer: Reviewer | None
) -> Statistic:
    """The statistic that is compared: the one given, what an item costs, or the ARAC-AUC."""
    if costs is not None:
        if statistic is not None:
            raise TypeError("statistic and costs are both given; one of them is expected")
        return Statistic("cost", costs=costs, reviewer=reviewer)
    if reviewer is not None:
        raise TypeError("reviewer is given without costs; a reviewer changes what errors cost")
    return as_statistic("arac_auc" if statistic is None else statistic)


def _estimated(
    found: list[PlacedItems], codes: NDArray[Any] | None, statistic: Statistic
) -> tuple[list[ItemSample], list[NDArray[np.float64]], list[Estimate]]:
    """Of each model's items: the sample, what each item or group adds to its error, the estimate."""
    samples = [ItemSample(items.sweep, items, codes) for items in found]
    contributions = [asymptotic.error_contributions(items, codes, statistic) for items in found]
    estimates = [
        asymptotic.estimate_of(sample, statistic, own)
        for sample, own in zip(samples, contributions, strict=True)
    ]
    return samples, contributions, estimates


class _ComparisonOptions(NamedTuple):
    statistic: Statistic
    level: float
    codes: NDArray[Any] | None
    sample_weight: ArrayLike | None
    n_resamples: int
    random_state: RandomState
    progress: bool


class _Findings(NamedTuple):
    intervals: list[Interval]
    paired: dict[tuple[int, int], _Paired]
    shares: list[float]
    reliability_warnings: list[str]


def _columns(models: Any) -> dict[str, tuple[Any, Any]]:
    """Check that the models are of the same items; return (correct, confidence) of each."""
    columns: dict[str, Any] = {}
    for name, model in named_models(models, 2).items():
        if isinstance(model, ThresholdSweep):
            raise TypeError(
                f"model {name!r} is a ThresholdSweep, in which it is lost which item is which; "
                "(correct, confidence) is expected"
            )
        if not isinstance(model, tuple | list) or len(model) not in (2, 3):
            raise TypeError(
                f"model {name!r} is not (correct, confidence) or (correct, confidence, ids)"
            )
        columns[name] = tuple(model)
    names = list(columns)
    first = columns[names[0]]
    for name in names[1:]:
        model = columns[name]
        if len(model[1]) != len(first[1]):
            raise ValueError(
                f"model {names[0]!r} has {len(first[1])} items and model {name!r} has {len(model[1])}; "
                "all models must be evaluated on the same items"
            )
        if len(model) != len(first):
            raise ValueError(f"only one of {names[0]!r} and {name!r} has ids; all or none are expected")
        if len(model) == 3:
            _check_ids(names[0], first[2], name, model[2], len(first[1]))
    return {name: (model[0], model[1]) for name, model in columns.items()}


def _check_ids(name: str, ids: Any, other_name: str, other_ids: Any, n: int) -> None:
    a, b = np.asarray(ids), np.asarray(other_ids)
    for label, array in ((name, a), (other_name, b)):
        if array.shape != (n,):
            raise ValueError(f"ids of {label!r} have shape {array.shape}; ({n},) is expected")
    different = np.flatnonzero(np.asarray(a != b))
    if len(different):
        i = int(different[0])
        raise ValueError(
            f"ids of {name!r} and {other_name!r} differ at {i}: {a[i]} and {b[i]}; the same items in "
            "the same order are expected"
        )


def _asymptotic(columns: Mapping[str, tuple[Any, Any]], options: _ComparisonOptions) -> _Findings:
    statistic, level, codes = options.statistic, options.level, options.codes
    asymptotic.check_method(statistic, "wald")
    names, found = list(columns), []
    for name, pair in columns.items():
        arguments = f"models[{name!r}]: correct", f"models[{name!r}]: confidence", "sample_weight"
        found.append(influence.items_of(*pair, options.sample_weight, arguments))
    samples, contributions, estimates = _estimated(found, codes, statistic)
    of_models = [asymptotic.interval_and_warning(each, statistic, level, "auto") for each in samples]
    intervals = [interval for interval, _ in of_models]
    reliability_warnings = [
        f"{name!r}: {warning}" for name, (_, warning) in zip(names, of_models, strict=True) if warning
    ]
    paired = {}
    for a, b in itertools.combinations(range(len(names)), 2):
        error, contributors = influence.spread_of(contributions[a] - contributions[b])
        degrees = min(
            asymptotic.degrees_of(sample, statistic.name, contributors, estimates[a].n)
            for sample in (samples[a], samples[b])
        )
        paired[a, b] = _paired(estimates[a], estimates[b], error, degrees, statistic, level)
        if not error > NO_SPREAD:
            if not math.isnan(error):
                reliability_warnings.append(f"no item tells {names[a]!r} and {names[b]!r} apart")
        elif contributors < asymptotic.FEW_CONTRIBUTORS and codes is None:
            reliability_warnings.append(
                f"the error of the difference of {names[a]!r} and {names[b]!r} is estimated from as "
                f"few as {contributors:.2g} items"
            )
    values = np.array([estimate.value for estimate in estimates])
    if np.isnan(values).any():
        return _Findings(intervals, paired, [math.nan] * len(names), reliability_warnings)
    if len(names) == 2 and paired[0, 1].interval.standard_error > NO_SPREAD:
        first = 0.5 * math.erfc(-paired[0, 1].statistic / math.sqrt(2.0))
        if statistic.name in LOWER_IS_BETTER:
            first = 1.0 - first
        return _Findings(intervals, paired, [first, 1.0 - first], reliability_warnings)
    draws = values[:, None] + _normal_draws(np.array(contributions), options.random_state)
    return _Findings(intervals, paired, _shares_of_best(draws, statistic), reliability_warnings)


def _normal_draws(contributions: NDArray[np.float64], random_state: RandomState) -> NDArray[np.float64]:
    """Errors of all models at once, of shape (K, DRAWS), with the covariances that they have."""
    covariance = np.array([[float(np.sum(a * b)) for b in contributions] for a in contributions])
    values, vectors = np.linalg.eigh(np.nan_to_num(covariance))
    seed = key_of(0 if random_state is None else random_state)
    standard = np.random.default_rng(seed).standard_normal((len(contributions), DRAWS))
    values[values <= 1e-12 * abs(values[-1])] = 0.0  # rounding, where models are the same
    draws: NDArray[np.float64] = (vectors * np.sqrt(values)) @ standard
    return draws


def _shares_of_best(draws: NDArray[np.float64], statistic: Statistic) -> list[float]:
    """In what share of the draws each model is the best; those as good share it."""
    if statistic.name in LOWER_IS_BETTER:
        draws = -draws
    best = draws.max(axis=0)
    # alike but for rounding
    is_best = draws >= best - 1e-9 * max(float(draws.std(axis=1).max()), NO_SPREAD)
    shares: list[float] = np.mean(is_best / is_best.sum(axis=0), axis=1).tolist()
    return shares


def _bootstrapped(columns: Mapping[str, tuple[Any, Any]], options: _ComparisonOptions) -> _Findings:
    statistic, level, codes = options.statistic, options.level, options.codes
    key = key_of(options.random_state)
    populations, rows = [], []
    for correct, confidence in columns.values():
        # each item a group of its own: which groups are drawn depends on the key alone
        groups = np.arange(len(confidence)) if codes is None else codes
        population = population_of(correct, confidence, options.sample_weight, groups, stratified=False)
        evaluator = Evaluator(population, key, [statistic], options.n_resamples)
        evaluator.run(None, progress=options.progress)
        populations.append(population)
        rows.append(evaluator.values()[0])
    values = np.array(rows)
    values = values[:, ~np.isnan(values).any(axis=0)]
    missing = options.n_resamples - values.shape[1]
    if values.shape[1] < 2:
        values = np.full((len(rows), 2), math.nan)
    names = list(columns)
    estimates: list[Estimate] = []
    intervals: list[Interval] = []
    reliability_warnings: list[str] = []
    for name, population, row in zip(names, populations, values, strict=True):
        error = float(np.std(row, ddof=1))
        sweep, n = population.sweep, float(population.n_drawn)
        estimate = Estimate(
            sweep, statistic(sweep), error, math.inf, n, math.inf, population.n_items, codes is not None
        )
        interval = Interval(estimate.value, *percentile(row, level), error, level, "percentile", row)
        if not error > NO_SPREAD:
            interval = asymptotic.interval_of(estimate, statistic, level, "wald")
        estimates.append(estimate)
        intervals.append(interval)
        warning = asymptotic.reliability_warning(estimate, statistic)
        if warning and not math.isnan(estimate.value):
            reliability_warnings.append(f"{name!r}: {warning}")
    defined = not any(math.isnan(estimate.value) for estimate in estimates)
    if missing and defined:
        reliability_warnings.append(
            f"{statistic.name} is undefined in {missing} of {options.n_resamples} resamples, which are "
            "left out"
        )
    paired = {}
    for a, b in itertools.combinations(range(len(names)), 2):
        differences = values[a] - values[b]
        difference, error = estimates[a].value - estimates[b].value, float(np.std(differences, ddof=1))
        if error > NO_SPREAD:
            fewer = min(int(np.sum(differences <= 0.0)), int(np.sum(differences >= 0.0)))
            pvalue = min(1.0, 2.0 * (fewer + 1) / (len(differences) + 1))
            ends = percentile(differences, level)
            interval = Interval(difference, *ends, error, level, "percentile", differences)
            paired[a, b] = _Paired(interval, difference / error, pvalue)
            continue
        paired[a, b] = _paired(estimates[a], estimates[b], error, math.inf, statistic, level)
        if defined:
            reliability_warnings.append(
                f"{names[a]!r} and {names[b]!r} differ by the same in all resamples"
            )
    if np.isnan(values).any():
        return _Findings(intervals, paired, [math.nan] * len(names), reliability_warnings)
    return _Findings(intervals, paired, _shares_of_best(values, statistic), reliability_warnings)


def adjusted_pvalues(pvalues: Sequence[float], correction: Correction | None) -> list[float]:
    """P-values with the correction for as many tests; what is undefined stays so, but counts."""
    n = len(pvalues)
    if correction is None:
        return list(pvalues)
    if correction == "bonferroni":
        return [p if math.isnan(p) else min(1.0, n * p) for p in pvalues]
    adjusted = list(pvalues)
    largest = 0.0
    for rank, k in enumerate(
        sorted((k for k in range(n) if pvalues[k] == pvalues[k]), key=pvalues.__getitem__)
    ):
        largest = max(largest, min(1.0, (n - rank) * pvalues[k]))
        adjusted[k] = largest
    return adjusted
