"""Comparisons of models: paired differences with intervals and p-values."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple

from fastarac._core.checks import MOST_VALUES, choice, inner_fraction, whole_number
from fastarac._core.exceptions import few_groups_of, warn_undefined, warn_unreliable
from fastarac._core.interval import Interval
from fastarac._core.results import TupleResult
from fastarac._engine.factors import codes_of_terms, read_factors
from fastarac._engine.pairs import value_of_pairs
from fastarac.samples.door import as_ranked
from fastarac.uncertainty import asymptotic, influence
from fastarac.uncertainty.adjustment import adjusted_levels, adjusted_pvalues
from fastarac.uncertainty.comparison_results import ModelComparison, PairDifference, letters_of
from fastarac.uncertainty.contrasts import (
    FEW_GROUPS_OF_PAIR,
    FEWEST_OF_CLASS,
    Contrast,
    ErrorsByFactors,
    added_errors,
    by_influence,
)
from fastarac.uncertainty.estimated_contrasts import by_estimates
from fastarac.uncertainty.estimates import NO_SPREAD
from fastarac.uncertainty.order import question_items
from fastarac.uncertainty.paired import read_models
from fastarac.uncertainty.resampled_contrasts import Resampling, by_resampling
from fastarac.uncertainty.statistics import Statistic, as_statistic

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike

    from fastarac._core.random_state import RandomState
    from fastarac.costs.verification import VerificationCosts
    from fastarac.models import Items
    from fastarac.reviewer import Reviewer
    from fastarac.uncertainty.adjustment import Correction
    from fastarac.uncertainty.contrasts import Contrasts
    from fastarac.uncertainty.paired import ComparedModels, Pairing

Method = Literal["asymptotic", "bootstrap"]


class _DeLongTest(NamedTuple):
    statistic: float
    """z, the difference over its standard error."""
    pvalue: float
    """Two-sided p-value."""
    difference: float
    """ROC-AUC of `score_a` less that of `score_b`."""
    interval: Interval
    """Confidence interval of the difference."""
    degrees_of_freedom: float
    """Degrees of freedom of Student's t; infinite for the normal distribution."""


class DeLongTest(TupleResult, _DeLongTest):
    """Test whether two scores of the same items have the same ROC-AUC (DeLong et al. 1988).

    See Also
    --------
    fastarac.delong_test : test whether two scores have the same ROC-AUC
    ModelComparison : several models

    References
    ----------
    DeLong, DeLong and Clarke-Pearson 1988, "Comparing the areas under two or more correlated receiver
    operating characteristic curves".

    Examples
    --------
    >>> import fastarac as fa
    >>> y_true = [0, 1] * 10
    >>> one = [label + rank % 3 for rank, label in enumerate(y_true)]
    >>> other = [rank % 7 for rank in range(20)]
    >>> test = fa.delong_test(y_true, one, other)
    >>> test.difference > 0, test.pvalue < 0.05
    (True, False)
    """

    __slots__ = ()


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
    groups : array_like of shape (n,), or tuple of them, optional
        Label of each item's group, such as a page or document. Items of a group may depend on each
        other. Give a tuple of arrays for several columns, which may be nested (batch, document) or
        crossed (writer, form).
    confidence_level : float, default=0.95
        Strictly between 0 and 1.

    Returns
    -------
    DeLongTest
        The statistic z, the p-value, and the difference a − b with its confidence interval in [-1, 1].

    Warns
    -----
    UnreliableIntervalWarning
        Without `groups`: if a class has fewer than 10 items, if the standard error depends on fewer
        than 5 items, or if both scores order all pairs in the same way. With `groups`: if a class has
        fewer than 2 items, or if there are fewer than 5 groups, as in :func:`.compare_models`.
    UndefinedMetricWarning
        If all items are of one class. All results are then NaN.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`.

    See Also
    --------
    compare_models : compare models on the same items or groups
    roc_auc_score : area under the ROC curve
    fastarac.results.DeLongTest : test whether two scores of the same items have the same ROC-AUC

    Notes
    -----
    The test was published by DeLong, DeLong and Clarke-Pearson (1988). For each item, V is the share of
    items of the other class that the score ranks on the correct side of this item. Ties count half. Let
    a and b denote the scores, + and − the classes, and n⁺ and n⁻ their sizes. The variance of the
    difference is

    .. math:: \frac{S^2(V_a^+ - V_b^+)}{n^+} + \frac{S^2(V_a^- - V_b^-)}{n^-}

    with the sample variance S² within each class. All V are computed from ranks in O(n log n) (Sun and
    Xu 2014). As in the paper, the test treats z as normal. This test rejects too often with few items
    of a class (about 10% instead of 5% with 6 items). :func:`.compare_models` uses Student's t for the
    same z, and accepts weights.

    With `groups` the variance is G/(G − 1)·Σd², where d is the sum of the contributions within each of
    the G groups. This differs from Obuchowski 1997 in two ways. First, that paper has one factor for
    groups with positive items and another for groups with negative items. Second, d has a further term
    here, from the influence values of :func:`.compare_models`. This term is 0 if the areas are equal.
    Therefore groups of one item each do not give exactly the variance above. The distribution is
    Student's t with the degrees of freedom of :func:`.compare_models`, rounded down for the p-value.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson 1988, "Comparing the areas under two or more correlated receiver
    operating characteristic curves"; Sun and Xu 2014, "Fast implementation of DeLong's algorithm";
    Obuchowski 1997, "Nonparametric analysis of clustered ROC curve data".

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
    factors = () if groups is None else read_factors(groups, len(found[0].point))
    of_terms = [
        added_errors(found, codes, statistic)
        for codes in (codes_of_terms(factors) if factors else [None])
    ]
    errors = ErrorsByFactors(tuple(of_terms), max(1, len(factors)))
    a, b = errors.first.estimates
    if math.isnan(a.value):
        warn_undefined("ROC-AUC", "y_true has one class only")
        nothing = Interval(math.nan, math.nan, math.nan, math.nan, level, "wald")
        return DeLongTest(math.nan, math.nan, math.nan, nothing, math.nan)
    (error, contributors), degrees = errors.of_pair(0, 1, statistic)
    if not factors:
        degrees = math.inf
    contrast = Contrast(a, b, statistic, error, degrees)
    fewest = min(found[0].of_class(correct=True), found[0].of_class(correct=False))
    if math.isnan(error):
        reason = asymptotic.only_one(a.sweep, "ROC-AUC")
        if factors:
            reason = few_groups_of(a.n, fewest=FEW_GROUPS_OF_PAIR)
        warn_unreliable(f"{reason}; interval and p-value are NaN")
    elif not error > NO_SPREAD:
        warn_unreliable(
            "both scores order the items in the same way, or both separate the classes perfectly, so "
            "the error of the difference cannot be estimated"
        )
    elif factors and a.n < FEW_GROUPS_OF_PAIR:
        warn_unreliable(few_groups_of(a.n, fewest=FEW_GROUPS_OF_PAIR))
    elif fewest < (enough := FEWEST_OF_CLASS if factors else asymptotic.FEW_ITEMS):
        there = f"is {fewest:g} item" if fewest == 1.0 else f"are {fewest:g} items"
        warn_unreliable(f"there {there} of one class; the test is unreliable with fewer than {enough}")
    elif contributors < asymptotic.FEW_CONTRIBUTORS and not factors:
        warn_unreliable(
            f"the error of the difference is estimated from effectively {contributors:.2g} items; the "
            f"test is unreliable with fewer than {asymptotic.FEW_CONTRIBUTORS}"
        )
    return DeLongTest(
        contrast.ratio, contrast.pvalue, contrast.difference, contrast.interval(level), degrees
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
    groups: ArrayLike | Mapping[str, ArrayLike] | None = None,
    paired: Pairing = "items",
    sample_weight: ArrayLike | Mapping[str, ArrayLike] | None = None,
    n_resamples: int = 2000,
    random_state: RandomState = None,
    progress: bool = False,
    unseen_pages: bool = False,
) -> ModelComparison:
    """Compare models that were evaluated on the same items, or on items of the same groups.

    Parameters
    ----------
    models : mapping of str to (correct, confidence) or (correct, confidence, ids)
        At least two, with the same items in the same order unless ``paired="groups"``. Identifiers, if
        given, must be equal.
    statistic : str or Statistic, optional
        The statistic to compare, by default ``"arac_auc"``.
    costs : VerificationCosts, optional
        Compare the cost per item instead of a statistic. Each model uses its own cheapest threshold.
    reviewer : Reviewer, optional
        The people who verify the rejected outputs; by default they find and correct every error.
    method : {"asymptotic", "bootstrap"}, default="asymptotic"
        "asymptotic" uses influence values. "bootstrap" draws items or groups with replacement, the same
        for all models.
    correction : {"holm", "bonferroni"} or None, default="holm"
        Adjustment for the number of pairs.
    confidence_level : float, default=0.95
        Level of each single interval. The significance level of tests is 1 − `confidence_level`.
    groups : array_like of shape (n,), tuple of them, or mapping of str to these, optional
        Label of each item's group, such as a page or document. Items of a group may depend on each
        other. Give a tuple of arrays for several columns, which may be nested or crossed. Crossed
        columns need "asymptotic".
    paired : {"items", "groups"}, default="items"
        "groups": the models share groups (pages read by several engines), but each model has its own
        items in them. `groups` and `sample_weight` then map each model's name to its labels and
        weights.
    sample_weight : array_like of shape (n,), or mapping of str to array_like, optional
        Sampling weights, the same for all models: finite, at least 0, with a positive sum.
    n_resamples : int, default=2000
        Number of bootstrap resamples.
    random_state : int, numpy.random.Generator or None, default=None
        None gives different resamples on each call. The draws for `share_of_best` then use seed 0.
    progress : bool, default=False
        Show progress on stderr.
    unseen_pages : bool, default=False
        Widen the intervals, because the sample may lack groups in which all of a model's items are
        wrong. Needs groups and "asymptotic".

    Examples
    --------
    >>> import fastarac as fa
    >>> from fastarac.datasets import load_digits_ocr
    >>> data = load_digits_ocr()
    >>> data = {name: data[name] for name in ("svm-rbf", "knn-votes")}
    >>> print(fa.compare_models(data, statistic="recognition_rate"))
    model                recognition_rate  95% interval        best in  letters
    svm-rbf              0.9822            0.9750 to 0.9878    0.915    a
    knn-votes            0.9772            0.9692 to 0.9836    0.085    a
    <BLANKLINE>
    difference           by                95% interval        p
    svm-rbf − knn-votes  +0.0050           -0.0022 to +0.0123  0.17
    <BLANKLINE>
    best in: how often a model comes first if all estimates are drawn anew.
    Models that share a letter do not differ significantly at 5%.

    Returns
    -------
    ModelComparison
        ``print`` shows it as a table.

    Raises
    ------
    ValueError, TypeError
        As :func:`.asymptotic_interval`. Also for fewer than two models, for different numbers of items
        or different identifiers, for sweeps (which do not hold single items), and for
        ``paired="groups"`` without labels or without shared groups.

    Warns
    -----
    UnreliableIntervalWarning
        If a difference is based on too little data: a model has fewer than 2 correct or 2 incorrect
        items, or few errors of large weight; there are fewer than 5 groups; or models are identical.
    UndefinedMetricWarning
        If the statistic of a model is undefined.
    QuestionableInputWarning
        If a model's confidence is constant, or reversed by more than chance; also for a limit of 1,
        which may have been meant as 1%.

    See Also
    --------
    delong_test : test whether two scores have the same ROC-AUC
    evaluate : all figures of one model
    fastarac.report.write_report : write one HTML page of all figures

    Notes
    -----
    The standard error of a difference is computed from the difference of the two models' influence
    values, summed within each group. Intervals and p-values use Student's t. An adjusted interval
    excludes 0 exactly if the adjusted p-value is significant. With `costs`, the effect of leaving out
    an item replaces its influence value. "Formulas of intervals,
    tests and guarantees" in the documentation has every formula.
    """
    compared = _compared(statistic, costs, reviewer)
    level = inner_fraction(confidence_level, "confidence_level")
    choice(method, "method", ("asymptotic", "bootstrap"))
    if correction is not None:
        choice(correction, "correction", ("holm", "bonferroni"))
    resamples = whole_number(n_resamples, "n_resamples", 2, MOST_VALUES)
    read = read_models(models, groups, sample_weight, paired)
    if unseen_pages:
        _refuse_unseen_pages(read, method, grouped=groups is not None)
    if method == "bootstrap":
        if read.partial:
            raise ValueError("method must be 'asymptotic' for a PartialTruth, got 'bootstrap'")
        found = by_resampling(read, compared, level, Resampling(resamples, random_state, progress))
    elif read.partial:
        found = by_estimates(read, compared, level, random_state)
    else:
        found = by_influence(read, compared, level, random_state, unseen_pages=unseen_pages)
    _warn(found, compared.name)
    if not read.partial:
        _question_orders(read)
    pvalues = [contrast.pvalue for contrast in found.pairs.values()]
    corrected = adjusted_pvalues(pvalues, correction), adjusted_levels(pvalues, correction, level)
    sizes = tuple(items.n for items in read.items.values())
    return comparison_of(
        read.names, compared, found, pairs_of(read.names, found.pairs, level, pvalues, *corrected),
        level=level, method=method, correction=correction, paired=paired,
        n=sizes[0] if read.n_groups is None else read.n_groups, n_items=sizes,
    )  # fmt: skip


def comparison_of(
    names: tuple[str, ...],
    statistic: Statistic,
    found: Contrasts,
    pairs: tuple[PairDifference, ...],
    *,
    level: float,
    method: Method = "asymptotic",
    correction: Correction | None,
    paired: Pairing,
    n: int,
    n_items: tuple[int, ...],
) -> ModelComparison:
    """Return the comparison of models whose differences have been tested."""
    differing = {
        key for key, pair in zip(found.pairs, pairs, strict=True) if pair.adjusted_pvalue < 1.0 - level
    }
    worse = 1.0 if statistic.definition.lower_is_better else -1.0
    order = sorted(range(len(names)), key=lambda k: worse * found.intervals[k].estimate)
    return ModelComparison(
        statistic=statistic,
        method=method,
        paired=paired,
        correction=correction,
        confidence_level=level,
        n=n,
        names=names,
        n_items=n_items,
        intervals=tuple(found.intervals),
        share_of_best=tuple(found.shares_of_best),
        letters=letters_of(order, differing),
        pairs=pairs,
        notes=tuple(found.notes),
    )


def _refuse_unseen_pages(read: ComparedModels, method: str, *, grouped: bool) -> None:
    if read.partial:
        raise TypeError("unseen_pages cannot go with a PartialTruth")
    if not grouped:
        raise TypeError("unseen_pages needs groups: give the label of each item's group")
    if method == "bootstrap":
        raise ValueError(
            "unseen_pages cannot go with method='bootstrap': resamples have no unseen groups; "
            "use 'asymptotic'"
        )


def _warn(found: Contrasts, name: str) -> None:
    """Warn if intervals are undefined or unreliable."""
    if any(math.isnan(interval.estimate) for interval in found.intervals):
        warn_undefined(name, "a model lacks items that this statistic needs, such as incorrect items")
    if found.warnings:
        more = len(found.warnings) - 3
        rest = f"; and {more} more warnings like these" if more > 0 else ""
        warn_unreliable("; ".join(found.warnings[:3]) + rest)


def _question_orders(read: ComparedModels) -> None:
    """Warn if the confidence of a model is reversed or constant."""
    for name, items in read.items.items():
        pairs = as_ranked(items.correct, items.confidence, items.weight).pairs
        roc_auc = value_of_pairs("roc_auc", pairs)
        if roc_auc <= 0.5:
            labels = items.correct, items.confidence
            question_items(roc_auc, *labels, items.weight, items.codes, f" of {name!r}")


def pairs_of(
    names: tuple[str, ...],
    contrasts: Mapping[tuple[int, int], Contrast],
    level: float,
    pvalues: Sequence[float],
    adjusted: Sequence[float],
    levels: Sequence[float],
) -> tuple[PairDifference, ...]:
    """Return the differences with their p-values, adjusted p-values and adjusted levels."""
    return tuple(
        PairDifference(
            names[a],
            names[b],
            contrast.interval(level),
            pvalue,
            contrast.interval(own_level),
            own_adjusted,
            contrast.degrees,
        )
        for ((a, b), contrast), pvalue, own_adjusted, own_level in zip(
            contrasts.items(), pvalues, adjusted, levels, strict=True
        )
    )


def _compared(
    statistic: str | Statistic | None, costs: VerificationCosts | None, reviewer: Reviewer | None
) -> Statistic:
    """Return the statistic to compare: the given one, else the cost per item, else the ARAC-AUC."""
    if costs is not None:
        if statistic is not None:
            raise TypeError("statistic and costs are both given; give only one")
        return Statistic("cost", costs=costs, reviewer=reviewer)
    if reviewer is not None:
        raise TypeError("reviewer needs costs, because only costs depend on a reviewer")
    return as_statistic("arac_auc" if statistic is None else statistic)
