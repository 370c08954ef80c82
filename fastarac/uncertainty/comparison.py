"""Models on the same items: how much they differ, and how sure that is."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from fastarac._core import parallel
from fastarac._core.exceptions import warn_undefined, warn_unreliable
from fastarac._core.inputs import choice, read_groups, whole_number
from fastarac._core.quantiles import student_pvalue, student_quantile
from fastarac._core.random_state import key_of
from fastarac.sweep import ThresholdSweep
from fastarac.uncertainty import asymptotic, influence
from fastarac.uncertainty.asymptotic import NO_SPREAD, Estimate
from fastarac.uncertainty.batches import run_batches
from fastarac.uncertainty.compared import ModelComparison, PairDifference, letters_of
from fastarac.uncertainty.intervals import percentile
from fastarac.uncertainty.replicates import Evaluator
from fastarac.uncertainty.resampling import population_of
from fastarac.uncertainty.results import ConfidenceInterval
from fastarac.uncertainty.statistics import Statistic, as_statistic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from fastarac._core.random_state import RandomState

Method = Literal["asymptotic", "bootstrap"]
Correction = Literal["holm", "bonferroni"]

DRAWS = 100_000  # from the normal distribution of the estimates
LOWER_IS_BETTER = frozenset(
    {
        "augrc",
        "aurc",
        "excess_aurc",
        "normalized_aurc",
        "equal_error_rate",
        "error_rate",
        "correction_rate",
        "risk",
    }
)


class DeLongTest(NamedTuple):
    """Whether two scores of the same items have the same ROC-AUC (DeLong et al. 1988)."""

    statistic: float
    """z, the difference over its standard error."""
    pvalue: float
    """Two-sided."""
    difference: float
    """ROC-AUC of `score_a` less that of `score_b`."""
    confidence_interval: ConfidenceInterval
    """Of the difference."""


class _Paired(NamedTuple):
    standard_error: float
    statistic: float
    pvalue: float
    confidence_interval: ConfidenceInterval


def _paired(
    a: Estimate, b: Estimate, standard_error: float, statistic: Statistic, level: float
) -> _Paired:
    """Test and interval of a difference; where there is no spread, what could have gone unseen."""
    difference = a.value - b.value
    low, high = statistic.range
    if standard_error > NO_SPREAD:
        ratio = difference / standard_error
        reach = student_quantile(level, a.degrees) * standard_error
        ends = difference - reach, difference + reach
        pvalue = student_pvalue(ratio, a.degrees)
    elif math.isnan(difference):
        ratio = pvalue = math.nan
        ends = math.nan, math.nan
    else:
        ratio = math.copysign(math.inf, difference) if difference else 0.0
        pvalue = math.nan if difference else 1.0
        of_a, of_b = (asymptotic.unseen_values(one, statistic, level) for one in (a, b))
        ends = min(of_a) - max(of_b), max(of_a) - min(of_b)
    clipped = [min(max(end, low - high), high - low) for end in ends]
    return _Paired(standard_error, ratio, pvalue, ConfidenceInterval(*clipped))


def delong_test(
    y_true: ArrayLike, score_a: ArrayLike, score_b: ArrayLike, *, confidence_level: float = 0.95
) -> DeLongTest:
    r"""Test whether two scores of the same items have the same area under the ROC curve.

    Parameters
    ----------
    y_true : array_like of shape (n,)
        Bool, or 0 and 1; the same for both scores.
    score_a, score_b : array_like of shape (n,)
        Real and finite; higher for the positive class.
    confidence_level : float, default=0.95
        Strictly between 0 and 1.

    Returns
    -------
    DeLongTest
        Statistic (z), p-value, difference (a − b) and its confidence interval in [-1, 1].

    Warns
    -----
    UnreliableIntervalWarning
        With fewer than 10 items of a class, where the error comes from fewer than 5 items (see
        :func:`.compare_models`), and where the scores put all pairs in the same order.
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

    with sample variances of each class. Ranks give all V in O(n log n) (Sun and Xu 2014).

    Examples
    --------
    >>> import fastarac as fa
    >>> y_true, score = fa.synthetic.PAPER_CASES[2].sample(200, random_state=0)
    >>> test = fa.delong_test(y_true, score, score.round(1))
    >>> print(f"{test.difference:.4f}, z = {test.statistic:.2f}, p = {test.pvalue:.3f}")
    0.0200, z = 2.12, p = 0.034
    """
    level = asymptotic.level_of(confidence_level)
    statistic = Statistic("roc_auc")
    found = [
        influence.item_influence(y_true, score, statistic, None, ("y_true", name, "sample_weight"))
        for score, name in ((score_a, "score_a"), (score_b, "score_b"))
    ]
    estimates = [asymptotic.estimate_of(items, statistic, None) for items in found]
    if math.isnan(estimates[0].value):
        warn_undefined("ROC-AUC", "y_true has one class only")
        nothing = ConfidenceInterval(math.nan, math.nan)
        return DeLongTest(math.nan, math.nan, math.nan, nothing)
    error, carriers = influence.spread_of(found[0].corrected(statistic) - found[1].corrected(statistic))
    paired = _paired(estimates[0], estimates[1], error, statistic, level)
    if not error > NO_SPREAD:
        warn_unreliable(
            "both scores put the items in the same order, or each separates them: the data leave no "
            "spread to estimate the error of the difference from"
        )
    else:
        fewest = min(found[0].n_correct, found[0].n_incorrect)
        if fewest < asymptotic.FEW_ITEMS:
            warn_unreliable(
                f"there are {fewest} items of one class; the test can be relied on from "
                f"{asymptotic.FEW_ITEMS} on"
            )
        elif carriers < asymptotic.FEW_CARRIERS:
            warn_unreliable(
                f"the error of the difference is estimated from as few as {carriers:.2g} items; the "
                f"test can be relied on from {asymptotic.FEW_CARRIERS} on"
            )
    difference = estimates[0].value - estimates[1].value
    return DeLongTest(paired.statistic, paired.pvalue, difference, paired.confidence_interval)


def compare_models(
    models: Mapping[str, tuple[Any, ...]],
    *,
    statistic: str | Statistic = "arac_auc",
    method: Method = "asymptotic",
    correction: Correction | None = "holm",
    confidence_level: float = 0.95,
    groups: Any = None,
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
    statistic : str or Statistic, default="arac_auc"
        What is compared; for ``"asymptotic"`` one with influence values.
    method : {"asymptotic", "bootstrap"}, default="asymptotic"
        "asymptotic": normal approximation with the covariances of the influence values.
        "bootstrap": items, or groups of them, are drawn with replacement, the same for all models.
    correction : {"holm", "bonferroni"} or None, default="holm"
        For the number of pairs that are tested.
    confidence_level : float, default=0.95
        Of every interval by itself; differences are significant at 1 less that.
    groups : array_like of shape (n,), optional
        What the items belong to (documents, writers): items of a group may depend on each other,
        groups do not.
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum; the same for all models.
    n_resamples : int, default=2000
        Of the bootstrap.
    random_state : int, numpy.random.Generator or None, default=None
        For the bootstrap, None draws anew on each call. For ``"asymptotic"`` it only serves the
        probabilities of being best of three models or more, and None stands for 0.
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
    With ψ the influence values of two models, the squared standard error of their difference is
    the sample variance of ψ_a − ψ_b over n: what the models have in common cancels. For
    ``"roc_auc"`` and the same labels this is :func:`.delong_test`.

    P-values of the bootstrap are twice the share of resamples on the other side of 0, at least
    2/(`n_resamples` + 1); its intervals are percentiles.

    Examples
    --------
    >>> import fastarac as fa
    >>> from fastarac.datasets import load_digits_ocr
    >>> print(fa.compare_models(load_digits_ocr(), statistic="recognition_rate"))
    model                        recognition_rate  95 % interval       P(best)   letters
    svm-rbf                      0.9822            0.9761 to 0.9883    0.914     a
    knn-votes                    0.9772            0.9703 to 0.9841    0.086     a
    naive-bayes                  0.9071            0.8936 to 0.9205    < 0.001   b
    logistic-pca5                0.8564            0.8402 to 0.8726    < 0.001   c
    <BLANKLINE>
    difference                   by                95 % interval       p (holm)
    svm-rbf − knn-votes          +0.0050           -0.0021 to +0.0122  0.17
    svm-rbf − naive-bayes        +0.0751           +0.0620 to +0.0883  1.4e-28
    svm-rbf − logistic-pca5      +0.1258           +0.1095 to +0.1420  3e-51
    knn-votes − naive-bayes      +0.0701           +0.0576 to +0.0826  1.2e-27
    knn-votes − logistic-pca5    +0.1208           +0.1050 to +0.1365  3e-50
    naive-bayes − logistic-pca5  +0.0506           +0.0343 to +0.0670  2.5e-09
    <BLANKLINE>
    Models that share a letter do not differ significantly at 5 %.
    """
    statistic = as_statistic(statistic)
    level = asymptotic.level_of(confidence_level)
    choice(method, "method", ("asymptotic", "bootstrap"))
    if correction is not None:
        choice(correction, "correction", ("holm", "bonferroni"))
    columns = _columns(models)
    names = tuple(columns)
    n = len(columns[names[0]][0])
    codes = None if groups is None else read_groups(groups, n)[1]
    draw = _bootstrapped if method == "bootstrap" else _asymptotic
    resamples = whole_number(n_resamples, "n_resamples", 2)
    options = _Options(statistic, level, codes, sample_weight, resamples, random_state, progress)
    estimates, paired, probabilities, doubts = draw(columns, options)
    if any(math.isnan(estimate.value) for estimate in estimates):
        warn_undefined(statistic.name, "there are items of one kind only")
    if doubts:
        rest = f"; and {len(doubts) - 3} more of that kind" if len(doubts) > 3 else ""
        warn_unreliable("; ".join(doubts[:3]) + rest)
    pvalues = [pair.pvalue for pair in paired.values()]
    pairs = tuple(
        PairDifference(
            names[a],
            names[b],
            estimates[a].value - estimates[b].value,
            pair.standard_error,
            pair.confidence_interval,
            pair.pvalue,
            corrected,
        )
        for ((a, b), pair), corrected in zip(
            paired.items(), adjusted_pvalues(pvalues, correction), strict=True
        )
    )
    differing = {
        key for key, pair in zip(paired, pairs, strict=True) if pair.adjusted_pvalue < 1.0 - level
    }
    worse = 1.0 if statistic.name in LOWER_IS_BETTER else -1.0
    order = sorted(range(len(names)), key=lambda k: worse * estimates[k].value)
    return ModelComparison(
        statistic=statistic,
        method=method,
        correction=correction,
        confidence_level=level,
        n=n,
        names=names,
        estimates=tuple(estimate.value for estimate in estimates),
        standard_errors=tuple(estimate.standard_error for estimate in estimates),
        intervals=tuple(estimate.interval for estimate in estimates),
        probabilities_best=tuple(probabilities),
        letters=letters_of(order, differing),
        pairs=pairs,
    )


class _Options(NamedTuple):
    statistic: Statistic
    level: float
    codes: NDArray[Any] | None
    sample_weight: ArrayLike | None
    n_resamples: int
    random_state: RandomState
    progress: bool


class _Shown(NamedTuple):
    value: float
    standard_error: float
    interval: ConfidenceInterval


class _Findings(NamedTuple):
    estimates: list[_Shown]
    paired: dict[tuple[int, int], _Paired]
    probabilities: list[float]
    doubts: list[str]


def _columns(models: Any) -> dict[str, tuple[Any, Any]]:
    """Check that the models are of the same items; return (correct, confidence) of each."""
    if not isinstance(models, Mapping):
        found = type(models).__name__
        message = (
            f"models is of type {found}; a mapping from names to (correct, confidence) is expected"
        )
        raise TypeError(message)
    if len(models) < 2:
        message = f"models has {len(models)} model; at least two are expected"
        raise ValueError(message)
    columns: dict[str, tuple[Any, ...]] = {}
    for name, model in models.items():
        if isinstance(model, ThresholdSweep):
            message = (
                f"model {name!r} is a ThresholdSweep, in which it is lost which item is which; "
                "(correct, confidence) is expected"
            )
            raise TypeError(message)
        if not isinstance(model, tuple | list) or len(model) not in (2, 3):
            message = f"model {name!r} is not (correct, confidence) or (correct, confidence, ids)"
            raise TypeError(message)
        if not isinstance(name, str):
            message = (
                f"the name {name!r} of a model is of type {type(name).__name__}; a str is expected"
            )
            raise TypeError(message)
        columns[name] = tuple(model)
    names = list(columns)
    first = columns[names[0]]
    for name in names[1:]:
        model = columns[name]
        if len(model[1]) != len(first[1]):
            message = (
                f"model {names[0]!r} has {len(first[1])} items and model {name!r} has {len(model[1])}; "
                "all models must be evaluated on the same items"
            )
            raise ValueError(message)
        if len(model) != len(first):
            message = f"only one of {names[0]!r} and {name!r} has ids; all or none are expected"
            raise ValueError(message)
        if len(model) == 3:
            _check_ids(names[0], first[2], name, model[2], len(first[1]))
    return {name: (model[0], model[1]) for name, model in columns.items()}


def _check_ids(name: str, ids: Any, other_name: str, other_ids: Any, n: int) -> None:
    a, b = np.asarray(ids), np.asarray(other_ids)
    for label, array in ((name, a), (other_name, b)):
        if array.shape != (n,):
            message = f"ids of {label!r} have shape {array.shape}; ({n},) is expected"
            raise ValueError(message)
    different = np.flatnonzero(np.asarray(a != b))
    if len(different):
        i = int(different[0])
        message = (
            f"ids of {name!r} and {other_name!r} differ at {i}: {a[i]} and {b[i]}; the same items in "
            "the same order are expected"
        )
        raise ValueError(message)


def _asymptotic(columns: Mapping[str, tuple[Any, Any]], options: _Options) -> _Findings:
    statistic, level, codes = options.statistic, options.level, options.codes
    estimates: list[Estimate] = []
    moves: list[NDArray[np.float64]] = []  # their sum is the error, in the mean
    doubts = []
    for name, pair in columns.items():
        items = influence.item_influence(
            *pair,
            statistic,
            options.sample_weight,
            (f"correct of {name!r}", f"confidence of {name!r}", "sample_weight"),
        )
        estimates.append(asymptotic.estimate_of(items, statistic, codes))
        moves.append(asymptotic.moves_of(items, statistic, codes))
        doubt = asymptotic.doubts(estimates[-1], statistic, groups=codes is not None)
        if doubt and not math.isnan(estimates[-1].value):
            doubts.append(f"{name!r}: {doubt}")
    names = list(columns)
    paired = {}
    for a, b in itertools.combinations(range(len(names)), 2):
        error, carriers = influence.spread_of(moves[a] - moves[b])
        paired[a, b] = _paired(estimates[a], estimates[b], error, statistic, level)
        if not error > NO_SPREAD:
            if not math.isnan(error):
                doubts.append(f"no item tells {names[a]!r} and {names[b]!r} apart")
        elif carriers < asymptotic.FEW_CARRIERS:
            doubts.append(
                f"the error of the difference of {names[a]!r} and {names[b]!r} is estimated from as "
                f"few as {carriers:.2g} {'items' if codes is None else 'groups'}"
            )
    shown = [
        _Shown(s.value, s.standard_error, asymptotic.interval_of(s, statistic, level, None))
        for s in estimates
    ]
    values = np.array([estimate.value for estimate in estimates])
    if np.isnan(values).any():
        return _Findings(shown, paired, [math.nan] * len(names), doubts)
    if len(names) == 2 and paired[0, 1].standard_error > NO_SPREAD:
        first = 0.5 * math.erfc(-paired[0, 1].statistic / math.sqrt(2.0))
        if statistic.name in LOWER_IS_BETTER:
            first = 1.0 - first
        return _Findings(shown, paired, [first, 1.0 - first], doubts)
    draws = values[:, None] + _normal_draws(np.array(moves), options.random_state)
    return _Findings(shown, paired, _shares_of_best(draws, statistic), doubts)


def _normal_draws(moves: NDArray[np.float64], random_state: RandomState) -> NDArray[np.float64]:
    """Errors of all models at once, of shape (K, DRAWS), with the covariances that they have."""
    covariance = np.array([[float(np.sum(a * b)) for b in moves] for a in moves])
    values, vectors = np.linalg.eigh(np.nan_to_num(covariance))
    seed = key_of(0 if random_state is None else random_state)
    standard = np.random.default_rng(seed).standard_normal((len(moves), DRAWS))
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


def _bootstrapped(columns: Mapping[str, tuple[Any, Any]], options: _Options) -> _Findings:
    statistic, level, codes = options.statistic, options.level, options.codes
    key = key_of(options.random_state)
    populations, rows = [], []
    for correct, confidence in columns.values():
        # each item a group of its own: which groups are drawn depends on the key alone
        groups = np.arange(len(confidence)) if codes is None else codes
        population = population_of(correct, confidence, options.sample_weight, groups, stratified=False)
        evaluator = Evaluator(population, key, [statistic], options.n_resamples)
        threads = parallel.n_threads(population.work * options.n_resamples)
        run_batches(
            evaluator.worker, options.n_resamples, evaluator.batch, threads, progress=options.progress
        )
        populations.append(population)
        rows.append(evaluator.values()[0])
    values = np.array(rows)
    values = values[:, ~np.isnan(values).any(axis=0)]
    missing = options.n_resamples - values.shape[1]
    if values.shape[1] < 2:
        values = np.full((len(rows), 2), math.nan)
    names = list(columns)
    estimates, shown, doubts = [], [], []
    for name, population, row in zip(names, populations, values, strict=True):
        error = float(np.std(row, ddof=1))
        sweep, n = population.sweep, float(population.n_drawn)
        estimate = Estimate(sweep, statistic(sweep), error, math.inf, n, math.inf)
        interval = percentile(row, level)
        if not error > NO_SPREAD:
            interval = asymptotic.interval_of(estimate, statistic, level, None)
        estimates.append(estimate)
        shown.append(_Shown(estimate.value, error, interval))
        doubt = asymptotic.doubts(estimate, statistic, groups=codes is not None)
        if doubt and not math.isnan(estimate.value):
            doubts.append(f"{name!r}: {doubt}")
    defined = not any(math.isnan(estimate.value) for estimate in estimates)
    if missing and defined:
        doubts.append(
            f"{statistic.name} is undefined in {missing} of {options.n_resamples} resamples, which are "
            "left out"
        )
    paired = {}
    for a, b in itertools.combinations(range(len(names)), 2):
        differences = values[a] - values[b]
        error = float(np.std(differences, ddof=1))
        if error > NO_SPREAD:
            fewer = min(int(np.sum(differences <= 0.0)), int(np.sum(differences >= 0.0)))
            pvalue = min(1.0, 2.0 * (fewer + 1) / (len(differences) + 1))
            ratio = (estimates[a].value - estimates[b].value) / error
            paired[a, b] = _Paired(error, ratio, pvalue, percentile(differences, level))
            continue
        paired[a, b] = _paired(estimates[a], estimates[b], error, statistic, level)
        if defined:
            doubts.append(f"{names[a]!r} and {names[b]!r} differ by the same in all resamples")
    if np.isnan(values).any():
        return _Findings(shown, paired, [math.nan] * len(names), doubts)
    return _Findings(shown, paired, _shares_of_best(values, statistic), doubts)


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
