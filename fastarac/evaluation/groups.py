"""Many evaluations in one call: each field, document, writer or language on its own."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac._core.checks import check_intervals, positive_scalar
from fastarac._core.dtype_comparison import at_or_above
from fastarac._core.exceptions import undefined_is_nan, warn_unreliable
from fastarac._core.results import Result, Table
from fastarac._core.single_items import takes_items_only
from fastarac._core.text import aligned, plural, printable
from fastarac._engine.factors import n_groups, read_factors
from fastarac._engine.grades import graded_items, twice
from fastarac._engine.groups import count_pairs_of_groups
from fastarac._engine.inputs import Items, read_groups, read_items
from fastarac._engine.pairs import METRICS, value_of_pairs, values_of_pairs
from fastarac.areas.arac import arac_area_of
from fastarac.areas.order import question_groups
from fastarac.costs.verification import (
    VerificationCosts,
    cost_of,
    optimal_operating_point,
    performance_of,
)
from fastarac.evaluation.costs import check_reviewer_of_costs
from fastarac.evaluation.items import statistics_of
from fastarac.evaluation.limits import LABELS, ends_of, prices_of, read_limits
from fastarac.operating_points.points import point_of_limit
from fastarac.reviewer import Reviewer
from fastarac.samples.door import as_ranked, labels_and_truth, threshold_sweep
from fastarac.samples.estimated import require_alone
from fastarac.uncertainty.statistics import DEFINITIONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from fastarac.uncertainty.statistics import Statistic

MOST_SHOWN = 20  # groups that are printed


@dataclass(frozen=True, slots=True, eq=False)
class GroupEvaluation(Table, Result):
    """Figures of every group: ``result["arac_auc"]`` is an array with a value a group.

    Attributes
    ----------
    groups : ndarray of shape (n_groups,)
        The labels, in rising order.
    values : mapping of str to ndarray of shape (n_groups,)
        The figures by name, read-only.

    See Also
    --------
    fastarac.evaluate_groups : evaluate every group of items on its own, all in one pass
    fastarac.Evaluation : the figures of one model

    Examples
    --------
    >>> import fastarac as fa
    >>> correct, confidence = [1, 1, 0, 1], [0.9, 0.8, 0.7, 0.6]
    >>> found = fa.evaluate_groups(correct, confidence, by=["a", "a", "b", "b"])
    >>> found["recognition_rate"]
    array([1. , 0.5])
    """

    groups: NDArray[Any]
    values: Mapping[str, NDArray[Any]]

    def __getitem__(self, metric: str) -> NDArray[Any]:
        if metric not in self.values:
            raise KeyError(f"no metric {metric!r}; there are {', '.join(self.values)}")
        return self.values[metric]

    def __len__(self) -> int:
        return len(self.groups)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.groups)

    def __repr__(self) -> str:
        return f"GroupEvaluation({len(self)} groups, {', '.join(self.values)})"

    def __str__(self) -> str:
        rows = [
            [printable(str(group)), *(f"{column[i]:.6g}" for column in self.values.values())]
            for i, group in enumerate(self.groups[:MOST_SHOWN])
        ]
        lines = aligned([["group", *self.values], *rows])
        more = len(self) - len(rows)
        return "\n".join([*lines, *([f"and {more:,} {plural('group', more)} more"] if more else [])])

    def _parts(self) -> dict[str, Any]:
        return {"group": self.groups, **self.values}


@takes_items_only("`by` has a label for each item")
def evaluate_groups(
    correct: ArrayLike,
    confidence: ArrayLike,
    *,
    by: ArrayLike,
    sample_weight: ArrayLike | None = None,
    metrics: Sequence[str] = ("n", "recognition_rate", "arac_auc", "normalized_arac_auc", "roc_auc"),
    max_error_rate: ArrayLike = (),
    max_risk: ArrayLike = (),
    threshold: float | Sequence[float] = (),
    costs: VerificationCosts | None = None,
    reviewer: Reviewer | None = None,
    gamma: float | None = None,
    groups: ArrayLike | None = None,
    graded: bool = False,
    intervals: bool = False,
    confidence_level: float = 0.95,
) -> GroupEvaluation:
    """Evaluate every group of items on its own, all in one pass.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,)
        Whether each output was right (bool, or 0 and 1), and its confidence (real and finite). Of a
        :class:`.PartialTruth` each group is estimated from what is verified of it, ``"n_verified"``
        says how much that is, and where it is nothing figures are NaN and no limit is said to be kept.
    by : array_like of shape (n,)
        Label of the group of each item: integers, strings, or whatever can be compared; in any
        order, without nulls. Integers, and columns of pandas and pyarrow, are fastest.
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum. A group without weight is as if absent.
    metrics : sequence of str, default=("n", "recognition_rate", "arac_auc", "normalized_arac_auc", \
"roc_auc")
        Out of these and "n_correct" and "augrc".
    max_error_rate, max_risk, threshold : float or sequence of float, default=()
        Limits, or thresholds as they are. A limit decides on one threshold for *all* items together,
        as a system in use has it; of each group there are then the figures ``"acceptance_rate/…"``,
        ``"error_rate/…"``, ``"risk/…"`` (NaN where nothing is accepted), ``"performance/…"`` (W) and,
        for a limit, ``"keeps_limit/…"`` at that ``"threshold/…"``. Apart from that NaN all are what
        :func:`.evaluate` gives for the group alone at that threshold. (:func:`.frames.evaluate` gives
        each group a threshold of its own.)
    costs : VerificationCosts, optional
        The prices of W and of the normalised ARAC-AUC (its γ); by default γ = 1 and δ = 0. Where they
        are given, ``"cost/…"`` is what an item costs at each limit's threshold, and there are
        ``"threshold/cheapest"``, ``"acceptance_rate/cheapest"``, ``"error_rate/cheapest"`` and
        ``"cost/cheapest"`` at the threshold that is cheapest for all items together.
    reviewer : Reviewer, optional
        The people who verify what is rejected, who count in the costs, and at the cheapest threshold,
        alone; by default they find and correct every error.
    gamma : float, optional
        γ of the normalised ARAC-AUC, at least 0; by default that of `costs`.
    groups : array_like of shape (n,), optional
        Labels of items that depend on each other, such as those of a page: intervals rest on them.
    graded : bool, default=False
        Whether `correct` holds grades in [0, 1] (:func:`.threshold_sweep`).
    intervals : bool, default=False
        Whether to find a confidence interval for each rate and area, as ``"arac_auc_low"`` and
        ``"arac_auc_high"``, ``"error_rate_low/0.01"`` and so on (:func:`.asymptotic_interval`). Those
        of the rates at a limit hold for its threshold as it is. Takes about a millisecond a group.
    confidence_level : float, default=0.95
        Of the intervals, each by itself.

    Returns
    -------
    GroupEvaluation
        The labels in rising order, and an array of shape (n_groups,) for each figure; the metrics are
        exact and rounded once. "roc_auc" is NaN for groups without correct or incorrect items.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`; also for an unknown metric, limits outside their range, and labels
        that are null, of another number than the items, or not comparable.

    Warns
    -----
    UnreliableIntervalWarning, UndefinedMetricWarning
        Once, with the number of groups that have too little data for some interval; or none verified.
    QuestionableInputWarning
        Once, with the groups in which what is correct has less confidence, by more than chance; and for
        a limit of 1, which may mean 1 %.

    See Also
    --------
    evaluate : all figures of one model
    fastarac.results.GroupEvaluation : figures of every group

    Notes
    -----
    The items are spread over blocks of groups that fit the cache, and there over the groups. A group
    is sorted only where that is faster than to compare all of its pairs, so that small groups, and
    groups with few errors, hardly take longer than the spreading.

    Examples
    --------
    >>> import fastarac as fa
    >>> correct, confidence = [1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.9, 0.2]
    >>> result = fa.evaluate_groups(correct, confidence, by=["name", "date"] * 3, threshold=0.7)
    >>> result.groups
    array(['date', 'name'], dtype='<U4')
    >>> result["recognition_rate"]
    array([0.66666667, 0.33333333])
    >>> result["error_rate/threshold/0.7"]
    array([0.        , 0.66666667])
    """
    prices = prices_of(costs)
    gamma = prices.gamma if gamma is None else positive_scalar(gamma, "gamma")
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    for name in names:
        if name not in METRICS:
            known = ", ".join(map(repr, METRICS))
            raise ValueError(f"metrics has {name!r}; some of {known} are expected")
    check_intervals(intervals, confidence_level)
    limits = read_limits(max_error_rate, max_risk, threshold)
    check_reviewer_of_costs(costs, reviewer)
    people = reviewer or Reviewer()
    if groups is not None and not graded and not intervals:
        raise ValueError("groups is given without intervals=True; no other figure depends on them")
    correct, truth = labels_and_truth(correct)
    if truth is not None:
        from fastarac.evaluation.verified_groups import figures_of_groups

        require_alone(sample_weight=sample_weight, graded=graded or None)
        return GroupEvaluation(
            *figures_of_groups(
                truth, confidence, by=by, names=names, limits=limits, prices=prices, gamma=gamma,
                groups=groups, level=confidence_level if intervals else None,
                people=None if costs is None else people,
            )
        )  # fmt: skip
    if graded:
        parts = graded_items(correct, confidence, sample_weight, groups)
        every, codes = read_groups(by, len(parts.correct) // 2, "by")
        correct, confidence, sample_weight, by = *parts[:3], twice(every[codes])
        groups = parts.groups if intervals or groups is not None else None
    items = read_items(correct, confidence, sample_weight)
    labels, codes = read_groups(by, items.n, "by")
    sweep = None
    if limits or costs or items.weight is not None:  # of weighted items it checks the values, too
        sweep = threshold_sweep(items.correct, items.confidence, sample_weight=items.weight)
    if items.weight is None:
        counts = count_pairs_of_groups(items, codes, len(labels))
        independent = items.n if groups is None else n_groups(read_factors(groups, items.n)[0])
        question_groups(labels, counts, independent / items.n)
        values = {name: values_of_pairs(name, counts, gamma) for name in names}
    else:
        present = items.weight > 0
        items = read_items(items.correct[present], items.confidence[present], items.weight[present])
        kept, codes = np.unique(codes[present], return_inverse=True)
        labels = labels[kept]
        if groups is not None:
            groups = tuple(codes[present] for codes in read_factors(groups, len(present)))
        values = _values_of_weighted(items, codes, len(labels), names, gamma)
    cheapest: dict[str, NDArray[Any]] = {}
    if sweep is not None:

        def sums(chosen: NDArray[np.bool_]) -> NDArray[Any]:
            weight = None if items.weight is None else items.weight[chosen]
            return np.asarray(np.bincount(codes[chosen], weight, len(labels)))

        right = np.not_equal(items.correct, 0)
        n_right = sums(right)
        total = n_right + sums(~right)

        def counts_from(threshold: float) -> _Counts:
            above = at_or_above(items.confidence, threshold)
            return _Counts(sums(above & right), sums(above & ~right), n_right, total)

        for limit in limits:
            at = point_of_limit(sweep, limit.criterion, limit.value).threshold
            found = counts_from(limit.value if limit.criterion == "threshold" else at)
            accepted, errors = found.acceptance_rate, found.false_accepts / found.total
            with np.errstate(invalid="ignore"):
                rates = {"error_rate": errors, "risk": found.false_accepts / found.accepted}
            key = limit.key
            values[f"threshold/{key}"] = np.full(len(labels), at)
            values[f"acceptance_rate/{key}"] = accepted
            values |= {f"{name}/{key}": rate for name, rate in rates.items()}
            if costs is not None:
                values[f"cost/{key}"] = cost_of(costs, found, people)
            values[f"performance/{key}"] = performance_of(
                prices.gamma, prices.delta, accepted, n_right / total, errors
            )
            if limit.criterion != "threshold":
                rate = rates[limit.criterion.removeprefix("max_")]
                values[f"keeps_limit/{key}"] = ~(rate > limit.value)
        if costs is not None:
            at = optimal_operating_point(sweep, costs=costs, reviewer=reviewer).threshold
            found = counts_from(at)
            cheapest = {
                "threshold/cheapest": np.full(len(labels), at),
                "acceptance_rate/cheapest": found.acceptance_rate,
                "error_rate/cheapest": people.error_rate(found),
                "cost/cheapest": cost_of(costs, found, people),
            }
    if intervals:
        thresholds = {limit.key: values[f"threshold/{limit.key}"][0] for limit in limits}
        asked = [name for name in names if name in LABELS]
        asked.sort(key=lambda name: "gamma" in DEFINITIONS[name].parameters)
        statistics = statistics_of(asked, gamma, thresholds)
        values |= _intervals(items, labels, codes, statistics, groups, confidence_level)
    elif groups is not None:
        raise ValueError("groups is given without intervals=True; no other figure depends on them")
    values |= cheapest
    return GroupEvaluation(labels, values)


class _Counts(NamedTuple):
    """What is accepted of each group, as `Reviewer` and `cost_of` take it: numbers, or weights."""

    true_accepts: NDArray[Any]
    false_accepts: NDArray[Any]
    n_correct: NDArray[Any]
    total: Any  # an array, where `Reviewer` has a number

    @property
    def accepted(self) -> Any:
        return self.true_accepts + self.false_accepts

    @property
    def acceptance_rate(self) -> Any:
        return self.accepted / self.total

    @property
    def verification_rate(self) -> Any:
        return (self.total - self.accepted) / self.total

    @property
    def false_rejects(self) -> Any:
        return self.n_correct - self.true_accepts

    @property
    def true_rejects(self) -> Any:
        return self.total - self.n_correct - self.false_accepts


def _values_of_weighted(
    items: Items, codes: NDArray[Any], n_groups: int, names: Sequence[str], gamma: float
) -> dict[str, NDArray[Any]]:
    """The metrics of each group, from a sweep of its own."""
    values = {name: np.empty(n_groups) for name in names}
    for row, part in enumerate(_rows_of(codes)):
        weight = None if items.weight is None else items.weight[part]
        pairs = as_ranked(items.correct[part], items.confidence[part], weight).pairs
        for name, column in values.items():
            if name == "normalized_arac_auc":
                column[row] = arac_area_of(pairs, gamma).normalized
            elif name in {"n", "n_correct"}:
                column[row] = pairs.correct + (name == "n") * pairs.incorrect
            else:
                column[row] = value_of_pairs(name, pairs)
    return values


def _rows_of(codes: NDArray[Any]) -> list[NDArray[np.intp]]:
    """The positions of the items of each group, in the order of the items."""
    return np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes))[:-1])


def _intervals(
    items: Items,
    labels: NDArray[Any],
    codes: NDArray[Any],
    statistics: Mapping[str, Statistic],
    groups: ArrayLike | None,
    confidence_level: float,
) -> dict[str, NDArray[Any]]:
    """The ends of the intervals of each group; one warning about all that are not to be relied on."""
    from fastarac.uncertainty.asymptotic import asymptotic_interval

    ends: dict[str, NDArray[Any]] = {}
    dependent = None if groups is None else read_factors(groups, items.n)
    doubted, warning = 0, ""
    for row, part in enumerate(_rows_of(codes)):
        correct, confidence = items.correct[part], items.confidence[part]
        weight = None if items.weight is None else items.weight[part]
        belong = None if dependent is None else tuple(codes[part] for codes in dependent)
        with undefined_is_nan(), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for name, statistic in statistics.items():
                found = asymptotic_interval(
                    correct,
                    confidence,
                    statistic=statistic,
                    groups=belong,
                    sample_weight=weight,
                    confidence_level=confidence_level,
                )
                for key, end in ends_of(name, found).items():
                    ends.setdefault(key, np.empty(len(labels)))[row] = end
        if caught:
            doubted += 1
            warning = warning or _in_words(str(caught[0].message))
    if doubted:
        warn_unreliable(
            f"{doubted} of {len(labels)} groups have too little data for some interval; in one of "
            f"them {warning}"
        )
    return ends


def _in_words(warning: str) -> str:
    for name, label in LABELS.items():
        warning = warning.replace(f" {name} ", f" {label} ")
    return warning
