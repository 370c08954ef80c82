"""Figures of groups of partly verified items, each group estimated from its own truth."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac._core.dtype_comparison import at_or_above
from fastarac._core.exceptions import collected, undefined_is_nan, warn_undefined
from fastarac._core.text import few_of, printable
from fastarac._engine.factors import read_outermost
from fastarac._engine.inputs import read_groups, vector
from fastarac.evaluation.group_figures import GroupFigures, rows_of_groups, warn_of_groups
from fastarac.evaluation.limits import LABELS, Limit, ends_of, statistics_of, statistics_of_limit
from fastarac.operating_points.points import point_of_limit
from fastarac.samples.door import threshold_sweep
from fastarac.samples.estimated import require_alone
from fastarac.samples.partial import truth_of_some
from fastarac.uncertainty.asymptotic import asymptotic_interval
from fastarac.uncertainty.estimated import FigureSource
from fastarac.uncertainty.estimated_samples import PartialSample
from fastarac.uncertainty.statistics import Statistic

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    from fastarac._core.interval import Interval
    from fastarac.evaluation.group_figures import AskedOfGroups, Columns
    from fastarac.samples.partial import PartialTruth
    from fastarac.sweep import ThresholdSweep

NUMBERS = ("n", "n_correct")
RATES = ("acceptance_rate", "error_rate", "risk", "cost", "performance")
NAMED = 5  # maximum number of groups without a verified item that a warning names


class _KnownSource:
    """Figures of a group whose truth is fully known, with the interface of `FigureSource`."""

    def __init__(
        self,
        truth: PartialTruth,
        confidence: NDArray[Any],
        groups: NDArray[np.intp] | None,
        level: float | None,
    ) -> None:
        self._items, self._groups, self._level = (truth.correct, confidence), groups, level
        self._sweep = threshold_sweep(*self._items)
        self.intervals: dict[str, Interval] = {}

    def figure(self, name: str, statistic: Statistic) -> float:
        if self._level is None:
            return statistic(self._sweep)
        found = self.intervals[name] = asymptotic_interval(
            *self._items, statistic=statistic, groups=self._groups, confidence_level=self._level
        )
        return found.estimate

    def counts(self, _: Statistic) -> ThresholdSweep:
        return self._sweep

    def warn(self, _: object) -> None:
        """Do nothing: `figure` has already warned."""


class EstimatedGroups(GroupFigures):
    """Figures of groups of partly verified items, each estimated from its own truth."""

    def __init__(
        self,
        truth: PartialTruth,
        confidence: ArrayLike,
        sample_weight: Any,
        by: Any,
        asked: AskedOfGroups,
    ) -> None:
        require_alone(sample_weight=sample_weight, graded=asked.graded or None)
        self.asked, self._truth, self._scores = asked, truth, vector(confidence, "confidence")
        self.labels, codes = read_groups(by, len(truth), "by")
        self._pages = truth.groups
        if asked.groups is not None:
            pages = read_outermost(asked.groups, len(truth), "a PartialTruth", beside="correct")
            self._pages = pages.astype(np.intp)
        self._whole = FigureSource(PartialSample.of_codes(truth, self._scores, self._pages), None)
        self._rows = rows_of_groups(codes)
        self._columns: Columns = {}

    def counts(self, statistic: Statistic) -> ThresholdSweep:
        """Return the counts of all items, estimated as precisely as possible for `statistic`."""
        return self._whole.counts(statistic)

    def figures(self, thresholds: Mapping[str, Any]) -> Columns:
        """Return the metrics of each group, and its number of verified items."""
        asked, columns, notes = self.asked, self._columns, list[str]()
        metrics = [name for name in asked.names if name not in NUMBERS]
        of_limits = {limit.key: thresholds[limit.key] for limit in asked.limits}
        statistics = statistics_of(metrics, asked.gamma, of_limits)
        columns["n"] = np.array([len(own) for own in self._rows])
        columns["n_verified"] = np.array(
            [np.count_nonzero(self._truth.verified[own]) for own in self._rows]
        )
        for row, own in enumerate(self._rows):
            found = {
                f"acceptance_rate/{key}": at_or_above(self._scores[own], threshold).mean()
                for key, threshold in thresholds.items()
            }
            if columns["n_verified"][row]:
                source = self._source_of(own)
                found |= _figures_of(source, statistics, notes)
                for key, threshold in thresholds.items():
                    found |= self._rates_of(source, key, Limit("threshold", threshold))
            for name, value in found.items():
                columns.setdefault(name, np.full(len(self.labels), math.nan))[row] = value
        _warn(self.labels, columns["n_verified"], notes)
        self.ends = {name: each for name, each in columns.items() if "_low" in name or "_high" in name}
        return {name: columns[name] for name in (*asked.names, "n_verified") if name in columns}

    def _source_of(self, own: NDArray[np.intp]) -> FigureSource | _KnownSource:
        part, pages = truth_of_some(self._truth, own), None
        if self._pages is not None:
            pages = np.unique(self._pages[own], return_inverse=True)[1].astype(np.intp)
        if part.simplified is not part:
            return _KnownSource(part, self._scores[own], pages, self.asked.level)
        return FigureSource(PartialSample.of_codes(part, self._scores[own], pages), self.asked.level)

    def _rates_of(
        self, source: FigureSource | _KnownSource, key: str, limit: Limit
    ) -> dict[str, float]:
        """Return the rates, the performance and the cost of a group at a limit."""
        prices, people = self.asked.prices, self.asked.people
        counts = source.counts(next(iter(statistics_of_limit(limit).values())))
        of_people = people if key == "cheapest" else None
        point = point_of_limit(counts, limit.criterion, limit.value, of_people)
        rates = {
            "error_rate": point.error_rate, "risk": point.risk if point.acceptance_rate else math.nan,
            "performance": prices.performance(point),
        }  # fmt: skip
        if people is not None:
            rates["cost"] = prices.cost(replace(point, reviewer=people))
        return {f"{name}/{key}": rate for name, rate in rates.items()}

    def rates_at(self, key: str, _: Any) -> Columns:
        """Return the rates, the performance and the cost of each group."""
        named = {name: f"{name}/{key}" for name in RATES}
        return {
            name: self._columns[column] for name, column in named.items() if column in self._columns
        }


def _figures_of(
    source: FigureSource | _KnownSource, statistics: Mapping[str, Statistic], notes: list[str]
) -> dict[str, float]:
    """Return a group's figures and the ends of their intervals; append its first warning to `notes`."""
    own: list[str] = []
    with undefined_is_nan(), collected(own):
        found = {name: source.figure(name, statistic) for name, statistic in statistics.items()}
        source.warn(_label)
    notes += own[:1]
    found["n_correct"] = source.counts(Statistic("recognition_rate")).possible.n_correct
    for name, interval in source.intervals.items():
        found |= ends_of(name, interval)
    return found


def _warn(labels: NDArray[Any], n_verified: NDArray[Any], notes: list[str]) -> None:
    """Warn of groups without a verified item, and of groups with too little data for an interval."""
    n = len(labels)
    missing = [repr(printable(str(each))) for each in labels[n_verified == 0]]
    if missing:
        which = "1 group has" if len(missing) == 1 else f"{len(missing)} groups have"
        reason = f"{which} no verified item: {few_of(missing, NAMED)}"
        warn_undefined("the share of correct items in some groups", reason)
    warn_of_groups(notes, n)


def _label(name: str) -> str:
    """Return the printed name of a figure, or `name` if it has none."""
    return LABELS.get(name, name)
