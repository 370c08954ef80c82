"""Figures of groups of items: the base class, and the figures of known items."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac._core.dtype_comparison import at_or_above
from fastarac._core.exceptions import undefined_is_nan, warn_unreliable
from fastarac._engine.factors import n_groups, read_factors
from fastarac._engine.grades import graded_items, twice
from fastarac._engine.groups import count_pairs_of_groups
from fastarac._engine.inputs import Items, read_groups, read_items
from fastarac._engine.pairs import value_of_pairs, values_of_pairs
from fastarac.areas.arac import arac_area_of
from fastarac.areas.order import question_groups
from fastarac.costs.verification import cost_of, optimal_operating_point, performance_of
from fastarac.evaluation.limits import LABELS, ends_of, statistics_of, statistics_of_limit
from fastarac.operating_points.points import point_of_limit
from fastarac.samples.door import as_ranked, threshold_sweep
from fastarac.uncertainty.asymptotic import asymptotic_interval
from fastarac.uncertainty.statistics import DEFINITIONS, Statistic

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from fastarac._core.interval import Interval
    from fastarac.costs.verification import VerificationCosts
    from fastarac.evaluation.limits import Limit
    from fastarac.reviewer import Reviewer
    from fastarac.sweep import ThresholdSweep

Columns = dict[str, Any]  # each array has one value per group


class AskedOfGroups(NamedTuple):
    """The options for the figures of each group."""

    names: Sequence[str]
    limits: Sequence[Limit]
    prices: VerificationCosts
    gamma: float
    people: Reviewer | None
    """The people who verify; None if no costs are asked for."""
    groups: ArrayLike | None
    graded: bool
    level: float | None


class GroupFigures(ABC):
    """Base class for figures of groups, from known or partly verified items."""

    asked: AskedOfGroups
    labels: NDArray[Any]

    ends: Columns
    """Ends of the intervals, set by `figures`."""

    def values(self) -> Columns:
        """Return all figures by name."""
        asked = self.asked
        thresholds = {limit.key: self._threshold_of(limit) for limit in asked.limits}
        if asked.people is not None:
            counts = self.counts(Statistic("recognition_rate"))
            point = optimal_operating_point(counts, costs=asked.prices, reviewer=asked.people)
            thresholds["cheapest"] = point.threshold
        values = self.figures(thresholds)
        rates = {key: self.rates_at(key, threshold) for key, threshold in thresholds.items()}
        columns = {key: np.full(len(self.labels), each) for key, each in thresholds.items()}
        for limit in asked.limits:
            key = limit.key
            values[f"threshold/{key}"] = columns[key]
            values |= {f"{name}/{key}": rate for name, rate in rates[key].items()}
            if limit.criterion != "threshold":
                kept = rates[key][limit.criterion.removeprefix("max_")] <= limit.value
                values[f"keeps_limit/{key}"] = kept | (rates[key]["acceptance_rate"] == 0)
        values |= self.ends
        if asked.people is not None:
            values["threshold/cheapest"] = columns["cheapest"]
            for name in ("acceptance_rate", "error_rate", "cost"):
                values[f"{name}/cheapest"] = rates["cheapest"][name]
        return values

    def _threshold_of(self, limit: Limit) -> Any:
        """Return the threshold that a limit sets for all items together."""
        if limit.criterion == "threshold":
            return limit.value
        counts = self.counts(next(iter(statistics_of_limit(limit).values())))
        return point_of_limit(counts, limit.criterion, limit.value).threshold

    @abstractmethod
    def counts(self, statistic: Statistic, /) -> ThresholdSweep:
        """Return the counts of all items, or the estimates that are most precise for `statistic`."""

    @abstractmethod
    def figures(self, thresholds: Mapping[str, Any], /) -> Columns:
        """Return the metrics of each group."""

    @abstractmethod
    def rates_at(self, key: str, threshold: Any, /) -> Columns:
        """Return the rates, the performance and the cost of each group at a threshold."""


class CountedGroups(GroupFigures):
    """Figures of groups of known items, weighted or graded."""

    def __init__(
        self, correct: Any, confidence: Any, sample_weight: Any, by: Any, asked: AskedOfGroups
    ) -> None:
        groups = asked.groups
        if asked.graded:
            parts = graded_items(correct, confidence, sample_weight, groups)
            every, codes = read_groups(by, len(parts.correct) // 2, "by")
            correct, confidence, sample_weight, by = *parts[:3], twice(every[codes])
            groups = parts.groups if asked.level is not None else None
        items = read_items(correct, confidence, sample_weight)
        labels, codes = read_groups(by, items.n, "by")
        # `threshold_sweep` is also needed to check the weights
        if asked.limits or asked.people or items.weight is not None:
            self._sweep = threshold_sweep(items.correct, items.confidence, sample_weight=items.weight)
        if items.weight is not None:
            present = items.weight > 0
            items = read_items(items.correct[present], items.confidence[present], items.weight[present])
            kept, codes = np.unique(codes[present], return_inverse=True)
            labels = labels[kept]
            if groups is not None:
                groups = tuple(codes[present] for codes in read_factors(groups, len(present)))
        self.asked, self.labels = asked, labels
        self._items, self._codes, self._groups = items, codes, groups

    def counts(self, _: Statistic) -> ThresholdSweep:
        """Return the counts of all items."""
        return self._sweep

    def figures(self, thresholds: Mapping[str, Any]) -> Columns:
        """Return the metrics of each group."""
        metrics = self._metrics()
        self.ends = self._intervals(thresholds)
        return metrics

    def _metrics(self) -> Columns:
        items, codes, names, gamma = self._items, self._codes, self.asked.names, self.asked.gamma
        if items.weight is not None:
            return _values_of_weighted(items, codes, len(self.labels), names, gamma)
        counts = count_pairs_of_groups(items, codes, len(self.labels))
        independent = items.n
        if self._groups is not None:
            independent = n_groups(read_factors(self._groups, items.n)[0])
        question_groups(self.labels, counts, independent / items.n)
        return {name: values_of_pairs(name, counts, gamma) for name in names}

    def rates_at(self, key: str, threshold: Any) -> Columns:
        """Return the rates, the performance and the cost of each group at a threshold."""
        prices, people, counts = self.asked.prices, self.asked.people, self._counts_from(threshold)
        accepted, errors = counts.acceptance_rate, counts.false_accepts / counts.total
        with np.errstate(invalid="ignore"):
            risk = counts.false_accepts / counts.accepted
        rates = {"acceptance_rate": accepted, "error_rate": errors, "risk": risk}
        if people is not None:
            rates["cost"] = cost_of(prices, counts, people)
            if key == "cheapest":
                rates["error_rate"] = people.error_rate(counts)
        right = counts.n_correct / counts.total
        rates["performance"] = performance_of(prices.gamma, prices.delta, accepted, right, errors)
        return rates

    def _counts_from(self, threshold: float) -> _Counts:
        above = at_or_above(self._items.confidence, threshold)
        right, *totals = self._totals
        return _Counts(self._sums(above & right), self._sums(above & ~right), *totals)

    @cached_property
    def _totals(self) -> tuple[NDArray[Any], ...]:
        """Return which items are right, and each group's numbers of right items and of all items."""
        right = np.not_equal(self._items.correct, 0)
        n_right = self._sums(right)
        return right, n_right, n_right + self._sums(~right)

    def _sums(self, chosen: NDArray[np.bool_]) -> NDArray[Any]:
        weight = None if self._items.weight is None else self._items.weight[chosen]
        return np.asarray(np.bincount(self._codes[chosen], weight, len(self.labels)))

    def _intervals(self, thresholds: Mapping[str, Any]) -> Columns:
        """Return the lower and upper ends of the intervals; warn once about all unreliable ones."""
        level, ends = self.asked.level, Columns()
        if level is None:
            return ends
        asked = [name for name in self.asked.names if name in LABELS]
        asked.sort(key=lambda name: "gamma" in DEFINITIONS[name].parameters)
        of_limits = {limit.key: thresholds[limit.key] for limit in self.asked.limits}
        statistics = statistics_of(asked, self.asked.gamma, of_limits)
        notes = []
        for row, part in enumerate(rows_of_groups(self._codes)):
            with undefined_is_nan(), warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                for name, found in self._intervals_of(part, statistics, level):
                    for key, end in ends_of(name, found).items():
                        ends.setdefault(key, np.empty(len(self.labels)))[row] = end
            notes += [_in_words(str(caught[0].message))] if caught else []
        warn_of_groups(notes, len(self.labels))
        return ends

    def _intervals_of(
        self, part: NDArray[np.intp], statistics: Mapping[str, Statistic], level: float
    ) -> Iterator[tuple[str, Interval]]:
        items = self._items
        correct, confidence = items.correct[part], items.confidence[part]
        weight = None if items.weight is None else items.weight[part]
        groups = None
        if self._groups is not None:
            groups = tuple(codes[part] for codes in self._factors)
        for name, statistic in statistics.items():
            yield name, asymptotic_interval(
                correct, confidence, statistic=statistic, groups=groups, sample_weight=weight,
                confidence_level=level,
            )  # fmt: skip

    @cached_property
    def _factors(self) -> Sequence[NDArray[Any]]:
        return read_factors(self._groups, self._items.n)


def warn_of_groups(notes: Sequence[str], n: int) -> None:
    """Warn once if some of the `n` groups have too little data; `notes` says why, for each of them."""
    if notes:
        warn_unreliable(
            f"{len(notes)} of {n} groups have too little data for a reliable interval of some figure; "
            f"in one of them {notes[0]}"
        )


class _Counts(NamedTuple):
    """Counts or weights of each group, with the attributes that `Reviewer` and `cost_of` read."""

    true_accepts: NDArray[Any]
    false_accepts: NDArray[Any]
    n_correct: NDArray[Any]
    total: Any  # an array, although `Reviewer` is annotated to take a number

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
    """Return the metrics of each group of weighted items."""
    values = {name: np.empty(n_groups) for name in names}
    for row, part in enumerate(rows_of_groups(codes)):
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


def rows_of_groups(codes: NDArray[Any]) -> list[NDArray[np.intp]]:
    """Return the indices of each group's items, in the order of the items."""
    return np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes))[:-1])


def _in_words(warning: str) -> str:
    for name, label in LABELS.items():
        warning = warning.replace(f" {name} ", f" {label} ")
    return warning
