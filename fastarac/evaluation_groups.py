"""Many evaluations in one call: each field, document, writer or language on its own."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac._core.comparing import at_or_above
from fastarac._core.exceptions import undefined_is_nan, warn_unreliable
from fastarac._core.inputs import positive_scalar, read_groups, read_items
from fastarac._core.pairs import METRICS, values_of_pairs
from fastarac._core.results import Result, read_only
from fastarac._core.sorting import count_pairs_of_groups
from fastarac.costs.verification import require_costs
from fastarac.evaluation import LABELS, UNIT_PRICES, read_limits
from fastarac.operating.points import operating_point
from fastarac.operating.reviewer import Reviewer, check_reviewer
from fastarac.sweep import threshold_sweep

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from fastarac._core.inputs import Items
    from fastarac.costs.verification import VerificationCosts
    from fastarac.uncertainty.statistics import Statistic

WITH_INTERVALS = ("recognition_rate", "arac_auc", "roc_auc", "augrc")


@dataclass(frozen=True, slots=True, eq=False)
class GroupEvaluation(Result):
    """Figures of every group: ``result["arac_auc"]`` is an array with a value a group.

    Attributes
    ----------
    groups : ndarray of shape (n_groups,)
        The labels, in rising order.
    values : dict of str to ndarray of shape (n_groups,)
        The figures by name.
    """

    groups: NDArray[Any]
    values: dict[str, NDArray[Any]]

    def __getitem__(self, metric: str) -> NDArray[Any]:
        if metric not in self.values:
            message = f"no metric {metric!r}; there are {', '.join(self.values)}"
            raise KeyError(message)
        return self.values[metric]

    def __len__(self) -> int:
        return len(self.groups)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.groups)

    def __repr__(self) -> str:
        return f"GroupEvaluation({len(self)} groups, {', '.join(self.values)})"

    def to_columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns of a table: ``group``, then each figure."""
        return {"group": self.groups, **self.values}


def evaluate_groups(
    correct: ArrayLike,
    confidence: ArrayLike,
    *,
    by: ArrayLike,
    metrics: Sequence[str] = ("n", "recognition_rate", "arac_auc", "normalized_arac_auc", "roc_auc"),
    max_error_rate: ArrayLike = (),
    max_risk: ArrayLike = (),
    threshold: float | Sequence[float] = (),
    costs: VerificationCosts | None = None,
    reviewer: Reviewer | None = None,
    gamma: float = 1.0,
    groups: ArrayLike | None = None,
    intervals: bool = False,
    confidence_level: float = 0.95,
) -> GroupEvaluation:
    """Evaluate every group of items on its own, all in one pass.

    Parameters
    ----------
    correct : array_like of shape (n,)
        Whether each output was right: bool, or 0 and 1.
    confidence : array_like of shape (n,)
        Real and finite.
    by : array_like of shape (n,)
        Label of the group of each item: integers, strings, or whatever can be compared; in any
        order, without nulls. Integers, and columns of pandas and pyarrow, are fastest.
    metrics : sequence of str, default=("n", "recognition_rate", "arac_auc", "normalized_arac_auc", \
"roc_auc")
        Out of these and "n_correct" and "augrc".
    max_error_rate, max_risk, threshold : float or sequence of float, default=()
        Limits, or thresholds as they are. A limit decides on one threshold for *all* items together,
        as a system in use has it; of each group there are then the figures ``"acceptance_rate@…"``,
        ``"error_rate@…"``, ``"risk@…"`` (NaN where nothing is accepted), ``"performance@…"`` (W) and,
        for a limit, ``"keeps_limit@…"`` at that ``"threshold@…"``.
    costs : VerificationCosts, optional
        The prices of W; by default γ = 1 and δ = 0. Where they are given, ``"cost@…"`` is what an item
        costs at each limit's threshold.
    reviewer : Reviewer, optional
        The people behind that cost; by default they find and correct every error.
    gamma : float, default=1.0
        γ of the normalised ARAC-AUC, at least 0.
    groups : array_like of shape (n,), optional
        Labels of items that depend on each other, such as those of a page: intervals rest on them.
    intervals : bool, default=False
        Whether to find a confidence interval for each rate and area, as ``"arac_auc_low"`` and
        ``"arac_auc_high"``, ``"error_rate_low@0.01"`` and so on (:func:`.asymptotic_interval`). Those
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
    UnreliableIntervalWarning
        Once, with the number of groups that have too little data for some interval.

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
    >>> result["error_rate@threshold=0.7"]
    array([0.        , 0.66666667])
    """
    gamma = positive_scalar(gamma, "gamma")
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    for name in names:
        if name not in METRICS:
            known = ", ".join(map(repr, METRICS))
            message = f"metrics has {name!r}; some of {known} are expected"
            raise ValueError(message)
    limits = read_limits(max_error_rate, max_risk, threshold)
    prices = UNIT_PRICES if costs is None else require_costs(costs)
    check_reviewer(reviewer)
    people = Reviewer() if reviewer is None else reviewer
    items = read_items(correct, confidence)
    labels, codes = read_groups(by, items.n, "by")
    counts = count_pairs_of_groups(items, codes, len(labels))
    values = {name: values_of_pairs(name, counts, gamma) for name in names}
    if limits:
        sweep = threshold_sweep(items.correct, items.confidence)
        right = np.not_equal(items.correct, 0)
        whole = np.bincount(codes, minlength=len(labels))
        n_right = np.bincount(codes[right], minlength=len(labels))
        beta = n_right / whole
        for limit in limits:
            criterion: dict[str, Any] = {limit.criterion: limit.value}
            at = operating_point(sweep, **criterion).threshold
            value = limit.value if limit.criterion == "threshold" else at
            above = at_or_above(items.confidence, value)
            accepted, wrong = (
                np.bincount(codes[chosen], minlength=len(labels)) for chosen in (above, above & ~right)
            )
            with np.errstate(invalid="ignore"):
                rates = {"error_rate": wrong / whole, "risk": wrong / accepted}
            key = limit.key
            values[f"threshold@{key}"] = np.full(len(labels), at)
            values[f"acceptance_rate@{key}"] = accepted / whole
            values |= {f"{name}@{key}": rate for name, rate in rates.items()}
            if costs is not None:
                found = _Counts(accepted, wrong, n_right, whole)
                corrected = prices.correction * people.correction_rate(found)
                remaining = prices.error * people.error_rate(found)
                rejected = prices.verification * ((whole - accepted) / whole)
                values[f"cost@{key}"] = rejected + corrected + remaining
            gained = prices.gamma * (accepted / whole) + beta
            values[f"performance@{key}"] = gained - prices.delta * rates["error_rate"]
            if limit.criterion != "threshold":
                rate = rates[limit.criterion.removeprefix("max_")]
                values[f"keeps_limit@{key}"] = ~(rate > limit.value)
    if intervals:
        thresholds = {limit.key: values[f"threshold@{limit.key}"][0] for limit in limits}
        statistics = _statistics(names, gamma, thresholds)
        values |= _intervals(items, labels, codes, statistics, groups, confidence_level)
    elif groups is not None:
        message = "groups is given without intervals=True; no other figure depends on them"
        raise ValueError(message)
    return GroupEvaluation(labels, {name: read_only(column) for name, column in values.items()})


class _Counts(NamedTuple):
    """What is accepted of each group, as `Reviewer` counts it."""

    accepted: NDArray[np.intp]
    false_accepts: NDArray[np.intp]
    n_correct: NDArray[np.intp]
    total: Any  # an array, where `Reviewer` has a number

    @property
    def false_rejects(self) -> NDArray[np.intp]:
        return self.n_correct - (self.accepted - self.false_accepts)

    @property
    def true_rejects(self) -> Any:
        return self.total - self.accepted - self.false_rejects


def _statistics(
    metrics: Sequence[str], gamma: float, thresholds: Mapping[str, float]
) -> dict[str, Statistic]:
    """The statistics that have intervals, by the names of the figures."""
    from fastarac.uncertainty.statistics import Statistic

    found = {name: Statistic(name) for name in metrics if name in WITH_INTERVALS}
    if "normalized_arac_auc" in metrics:
        found["normalized_arac_auc"] = Statistic("normalized_arac_auc", gamma=gamma)
    for key, threshold in thresholds.items():
        for rate in ("acceptance_rate", "error_rate"):
            found[f"{rate}@{key}"] = Statistic(rate, threshold=threshold)
    return found


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
    dependent = None if groups is None else read_groups(groups, items.n)[1]
    parts = np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes))[:-1])
    doubted, doubt = 0, ""
    for row, part in enumerate(parts):
        correct, confidence = items.correct[part], items.confidence[part]
        belong = None if dependent is None else dependent[part]
        with undefined_is_nan(), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for name, statistic in statistics.items():
                found = asymptotic_interval(
                    correct,
                    confidence,
                    statistic=statistic,
                    groups=belong,
                    confidence_level=confidence_level,
                )
                figure, at, key = name.partition("@")
                for end in ("low", "high"):
                    column = ends.setdefault(f"{figure}_{end}{at}{key}", np.empty(len(labels)))
                    column[row] = getattr(found, end)
        if caught:
            doubted += 1
            doubt = doubt or _in_words(str(caught[0].message))
    if doubted:
        warn_unreliable(
            f"{doubted} of {len(labels)} groups have too little data for some interval; in one of "
            f"them {doubt}"
        )
    return ends


def _in_words(doubt: str) -> str:
    for name, label in LABELS.items():
        doubt = doubt.replace(f" {name} ", f" {label} ")
    return doubt
