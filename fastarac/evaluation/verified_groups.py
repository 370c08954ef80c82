"""Figures of groups of items of which some are verified: each group has a truth of its own."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac._core.dtype_comparison import at_or_above
from fastarac._core.exceptions import collected, undefined_is_nan, warn_undefined, warn_unreliable
from fastarac._core.text import few_of, printable
from fastarac._engine.factors import read_outermost
from fastarac._engine.inputs import read_groups, vector
from fastarac.costs.verification import optimal_operating_point
from fastarac.evaluation.items import estimated_point, statistics_of
from fastarac.evaluation.limits import LABELS, Limit, ends_of
from fastarac.samples.door import threshold_sweep
from fastarac.samples.partial import truth_of_some
from fastarac.uncertainty.asymptotic import asymptotic_interval
from fastarac.uncertainty.estimated import FigureSource
from fastarac.uncertainty.estimated_samples import PartialSample
from fastarac.uncertainty.statistics import Statistic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from fastarac._core.interval import Interval
    from fastarac.costs.verification import VerificationCosts
    from fastarac.reviewer import Reviewer
    from fastarac.samples.partial import PartialTruth
    from fastarac.sweep import ThresholdSweep

NUMBERS = ("n", "n_correct")
NAMED = 5  # groups without a verified item that a warning names


class _KnownSource:
    """Figures of a group that is known with certainty, as `FigureSource` has those of others."""

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
        """What there is was said with the figures."""


def figures_of_groups(
    truth: PartialTruth,
    confidence: ArrayLike,
    *,
    by: ArrayLike,
    names: Sequence[str],
    limits: Sequence[Limit],
    prices: VerificationCosts,
    gamma: float,
    groups: ArrayLike | None,
    level: float | None,
    people: Reviewer | None,
) -> tuple[NDArray[Any], dict[str, NDArray[Any]]]:
    """The labels of the groups, and the figures that :func:`.evaluate_groups` has of them.

    Without the `people` who verify there are no costs.
    """
    scores = vector(confidence, "confidence")
    labels, codes = read_groups(by, len(truth), "by")
    pages = truth.groups
    if groups is not None:
        pages = read_outermost(groups, len(truth), "a PartialTruth", beside="correct").astype(np.intp)
    whole = FigureSource(PartialSample.of_codes(truth, scores, pages), None)
    rows = np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes))[:-1])
    found: dict[str, NDArray[Any]] = {
        "n": np.array([len(own) for own in rows]),
        "n_verified": np.array([np.count_nonzero(truth.verified[own]) for own in rows]),
    }

    def put(name: str, row: int, value: float) -> None:
        found.setdefault(name, np.full(len(labels), math.nan))[row] = value

    thresholds = {
        limit.key: limit.value
        if limit.criterion == "threshold"
        else estimated_point(whole, limit).threshold
        for limit in limits
    }
    cheapest = math.nan
    if people is not None:
        counts = whole.counts(Statistic("recognition_rate"))
        cheapest = optimal_operating_point(counts, costs=prices, reviewer=people).threshold
    rates = statistics_of((), 1.0, thresholds)
    metrics = statistics_of([name for name in names if name not in NUMBERS], gamma, {})
    said: list[str] = []
    for row, own in enumerate(rows):
        for key, threshold in thresholds.items():
            put(f"acceptance_rate/{key}", row, at_or_above(scores[own], threshold).mean())
        if people is not None:
            put("acceptance_rate/cheapest", row, at_or_above(scores[own], cheapest).mean())
        if not found["n_verified"][row]:
            continue
        part, together = truth_of_some(truth, own), None
        if pages is not None:
            together = np.unique(pages[own], return_inverse=True)[1].astype(np.intp)
        source: FigureSource | _KnownSource
        if part.simplified is part:
            source = FigureSource(PartialSample.of_codes(part, scores[own], together), level)
        else:
            source = _KnownSource(part, scores[own], together, level)
        notes: list[str] = []
        with undefined_is_nan(), collected(notes):
            for name, statistic in (metrics | rates).items():
                put(name, row, source.figure(name, statistic))
            source.warn(_label)
        said += notes[:1]
        put("n_correct", row, source.counts(Statistic("recognition_rate")).possible.n_correct)
        for key, threshold in thresholds.items():
            point = estimated_point(source, Limit("threshold", threshold))
            put(f"error_rate/{key}", row, point.error_rate)
            put(f"risk/{key}", row, point.risk if point.acceptance_rate else math.nan)
            put(f"performance/{key}", row, prices.performance(point))
            if people is not None:
                put(f"cost/{key}", row, prices.cost(replace(point, reviewer=people)))
        if people is not None:
            point = estimated_point(source, Limit("threshold", cheapest), people)
            put("error_rate/cheapest", row, point.error_rate)
            put("cost/cheapest", row, prices.cost(point))
        for name, interval in source.intervals.items():
            for key, end in ends_of(name, interval).items():
                put(key, row, end)
    _warn(labels, found["n_verified"], said)
    values = {name: found[name] for name in names if name in found}
    values["n_verified"] = found["n_verified"]
    for limit in limits:
        key = limit.key
        values[f"threshold/{key}"] = np.full(len(labels), thresholds[key])
        cost = () if people is None else ("cost",)
        for name in ("acceptance_rate", "error_rate", "risk", *cost, "performance"):
            values[f"{name}/{key}"] = found[f"{name}/{key}"]
        if limit.criterion != "threshold":
            rate = found[f"{limit.criterion.removeprefix('max_')}/{key}"]
            nothing = found[f"acceptance_rate/{key}"] == 0
            values[f"keeps_limit/{key}"] = (rate <= limit.value) | nothing
    values |= {name: found[name] for name in found if "_low" in name or "_high" in name}
    if people is not None:
        values["threshold/cheapest"] = np.full(len(labels), cheapest)
        for name in ("acceptance_rate", "error_rate", "cost"):
            values[f"{name}/cheapest"] = found[f"{name}/cheapest"]
    return labels, values


def _warn(labels: NDArray[Any], n_verified: NDArray[Any], said: list[str]) -> None:
    """Warn of groups without a verified item, and of those with too little for some interval."""
    n = len(labels)
    missing = [repr(printable(str(each))) for each in labels[n_verified == 0]]
    if missing:
        which = "1 group has" if len(missing) == 1 else f"{len(missing)} groups have"
        reason = f"{which} no verified item: {few_of(missing, NAMED)}"
        warn_undefined("what is right there", reason)
    if said:
        warn_unreliable(
            f"{len(said)} of {n} groups have too little data for some interval; in one of them "
            f"{said[0]}"
        )


def _label(name: str) -> str:
    """What people call a figure; of one at a threshold its name."""
    return LABELS.get(name, name)
