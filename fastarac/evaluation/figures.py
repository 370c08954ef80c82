"""Figures of a sample: of items and their counts, or estimated from those that are verified."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any, ClassVar

from fastarac._core.exceptions import (
    UnreliableIntervalWarning,
    undefined_is_nan,
    unquestioned,
    warn_unreliable,
)
from fastarac._core.text import listed
from fastarac._engine.pairs import value_of_pairs
from fastarac.areas import arac as areas
from fastarac.areas.order import question_labels
from fastarac.areas.risk import risk_areas
from fastarac.evaluation.estimated import figures_of
from fastarac.evaluation.limits import LABELS
from fastarac.guarantees.exact import guaranteed_operating_point
from fastarac.operating_points.points import point_of_limit
from fastarac.samples.door import as_ranked, as_sweep, require_confidence, split_grades
from fastarac.uncertainty.asymptotic import asymptotic_interval
from fastarac.uncertainty.estimated import FigureSource
from fastarac.uncertainty.estimated_samples import PartialSample
from fastarac.uncertainty.order import SURE, question_estimate, question_items

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import ArrayLike

    from fastarac._core.interval import Interval
    from fastarac._engine.counts import CountsAtThresholds
    from fastarac.evaluation.limits import Limit
    from fastarac.guarantees.exact import GuaranteedOperatingPoint
    from fastarac.operating_points.points import OperatingPoint
    from fastarac.samples.partial import PartialTruth
    from fastarac.sweep import ThresholdSweep
    from fastarac.uncertainty.statistics import Statistic

    Statistics = Mapping[str, Statistic]


class CountedFigures:
    """Of items that are right or wrong, weighted or graded, or of the sweep that stands for them."""

    def __init__(
        self,
        correct: Any,
        confidence: ArrayLike | None,
        sample_weight: ArrayLike | None,
        groups: ArrayLike | None,
        limits: Sequence[Limit],
        *,
        graded: bool,
        level: float | None,
        every_threshold: bool,
        failure_probability: float | None,
    ) -> None:
        self._of_items, self._level = groups, level
        if graded:
            if failure_probability is not None:
                raise TypeError(
                    "graded is given with failure_probability, which takes whole errors; one of them "
                    "is expected"
                )
            parts = split_grades(correct, confidence, sample_weight, groups)
            correct, confidence, sample_weight = parts.correct, parts.confidence, parts.weight
            self._of_items = parts.groups
            groups = parts.groups if level is not None or groups is not None else None
        if groups is not None and failure_probability is not None:
            _refuse_with_groups(limits, sample_weight)
        self._given = correct, confidence
        self._weight, self._groups = sample_weight, groups
        self._sweep: ThresholdSweep | None = None
        if every_threshold:
            self._sweep = as_sweep(correct, confidence, sample_weight)
            self._counts: CountsAtThresholds = self._sweep
            self._items = as_ranked(self._sweep)
        else:
            self._items = as_ranked(correct, confidence, sample_weight)
            by: dict[str, list[float]] = {"max_error_rate": [], "max_risk": []}
            for limit in limits:
                by[limit.criterion].append(limit.value)
            self._counts = self._items.at_limits(*by.values())

    @property
    def names(self) -> tuple[str, ...]:
        """The statistics whose intervals are asked for."""
        if self._level is None:
            return ()
        return (*LABELS, *(() if self._weight is not None else ("normalized_aurc",)))

    @property
    def sweep(self) -> ThresholdSweep:
        """The counts at every threshold, from which costs are read."""
        return as_sweep(*self._given, self._weight) if self._sweep is None else self._sweep

    def figures(self, _: Statistics, gamma: float) -> dict[str, Any]:
        """The figures of all items, by the names of `Evaluation`."""
        sums, pairs = self._items.sums(), self._items.pairs
        arp, aurc, normalized_aurc = risk_areas(self._items, sums.aurc, gamma)
        average_precision, pr_auc = (
            a / b if pairs.correct else math.nan for a, b in (sums.average_precision, sums.pr_auc)
        )
        counted = {
            "n": self._counts.total,
            "recognition_rate": self._counts.recognition_rate,
            "arac": areas.arac_area_of(pairs, gamma),
            "arp": arp,
            "roc_auc": value_of_pairs("roc_auc", pairs),
            "pr_auc": pr_auc,
            "average_precision": average_precision,
            "aurc": aurc,
            "normalized_aurc": normalized_aurc,
            "augrc": value_of_pairs("augrc", pairs),
        }
        return counted | figures_of(self._items.given, gamma)

    def point(self, limit: Limit, _: Statistics) -> OperatingPoint:
        """The operating point of a limit, or of a threshold."""
        return point_of_limit(self._counts, limit.criterion, limit.value)

    def guarantee(self, limit: Limit, failure_probability: float) -> GuaranteedOperatingPoint:
        """The threshold that keeps a limit on new items."""
        options: dict[str, Any] = {limit.criterion: limit.value, "groups": self._groups}
        data: tuple[Any, Any] = self._given
        if self._groups is None or data[1] is None:
            data = self.sweep, None
            options |= {"method": "sgr"} if limit.criterion == "max_risk" else {}
        with unquestioned():
            return guaranteed_operating_point(*data, failure_probability=failure_probability, **options)

    def intervals(self, statistics: Statistics, label: Callable[[str], str]) -> Mapping[str, Interval]:
        """The intervals of all figures by name, as far as there is an asymptotic one."""
        if self._level is None:
            return {}
        data: dict[str, Any] = {"correct": self._given[0], "confidence": self._given[1]}
        if self._weight is None and self._groups is None:  # what a sweep loses is not needed
            data = {"correct": self.sweep}
        data |= {"sample_weight": self._weight, "groups": self._groups}
        return _intervals_of(statistics, label, data | {"confidence_level": self._level})

    def question(self) -> None:
        """Warn where no item is correct, or the confidence is reversed or the same for all items."""
        question_labels(float(self._items.pairs.correct), self._counts.total)
        roc_auc = value_of_pairs("roc_auc", self._items.pairs)
        if not roc_auc > 0.5:  # else there is nothing to ask
            question_items(roc_auc, *self._given, self._weight, self._of_items)


class EstimatedFigures:
    """Of items of which some are verified, each figure with the least variance."""

    names: ClassVar[tuple[str, ...]] = (*LABELS, "normalized_arp_auc")

    def __init__(
        self,
        truth: PartialTruth,
        confidence: ArrayLike | None,
        groups: ArrayLike | None,
        limits: Sequence[Limit],
        *,
        level: float | None,
        failure_probability: float | None,
    ) -> None:
        if failure_probability is not None and any(limit.criterion == "max_risk" for limit in limits):
            raise ValueError(
                "max_risk is given with failure_probability and a PartialTruth; "
                "guaranteed_operating_point with thresholds or a scale is expected, which were fixed "
                "without these items"
            )
        self._given = truth, require_confidence(confidence)
        self._groups = groups
        self._sample = PartialSample.of(*self._given, groups)
        self._source = FigureSource(self._sample, level)

    @property
    def sweep(self) -> ThresholdSweep:
        """The counts at every threshold, from which costs are read: no cost falls below 0."""
        return self._source.counts(self._rate).rising

    def figures(self, statistics: Statistics, gamma: float) -> dict[str, Any]:
        """The figures of all items, by the names of `Evaluation`."""
        self._rate = statistics["recognition_rate"]
        values = {name: self._source.figure(name, one) for name, one in statistics.items()}
        roc_auc, rate = values["roc_auc"], values["recognition_rate"]
        question_estimate(roc_auc, FigureSource(self._sample, SURE), statistics["roc_auc"])
        arac, arp = (
            area_of(values[f"{name}_auc"], values[f"normalized_{name}_auc"], rate, gamma)
            for name, area_of in (("arac", areas.estimated_arac_area), ("arp", areas.estimated_area))
        )
        others = {name: values[name] for name in ("pr_auc", "average_precision", "aurc", "augrc")}
        return {
            "n": len(self._given[0]), "recognition_rate": rate, "arac": arac, "arp": arp,
            "roc_auc": roc_auc, "normalized_aurc": math.nan, **others,
        }  # fmt: skip

    def point(self, limit: Limit, statistics: Statistics) -> OperatingPoint:
        """The operating point of a limit, or of a threshold, by the counts that say most of it."""
        counts = self._source.counts(next(iter(statistics.values())))
        for name, statistic in statistics.items():
            self._source.figure(name, statistic)
        return point_of_limit(counts, limit.criterion, limit.value)

    def guarantee(self, limit: Limit, failure_probability: float) -> GuaranteedOperatingPoint:
        """The threshold that keeps a limit on new items."""
        options: dict[str, Any] = {limit.criterion: limit.value, "groups": self._groups}
        with unquestioned():
            return guaranteed_operating_point(
                *self._given, failure_probability=failure_probability, **options
            )

    def intervals(self, _: Statistics, label: Callable[[str], str]) -> Mapping[str, Interval]:
        """The intervals of all figures by name."""
        self._source.warn(label)
        return self._source.intervals

    def question(self) -> None:
        """Do nothing: the warnings came with the figures."""


def _refuse_with_groups(limits: Sequence[Limit], sample_weight: ArrayLike | None) -> None:
    """Refuse what the guarantee of dependent items cannot take."""
    if sample_weight is not None:
        raise TypeError(
            "failure_probability is given with groups and sample_weight, but weights are not counts; "
            "one of the two is expected"
        )
    if any(limit.criterion == "max_risk" for limit in limits):
        raise ValueError(
            "max_risk is given with groups and failure_probability, which takes thresholds that were "
            "fixed without these items; guaranteed_operating_point with thresholds or a scale is "
            "expected"
        )


def _intervals_of(
    statistics: Statistics, label: Callable[[str], str], data: dict[str, Any]
) -> dict[str, Interval]:
    """Asymptotic intervals by name; one warning a reason, of those that are not to be relied on."""
    found = {}
    reliability_warnings: dict[str, list[str]] = {}
    for name, statistic in statistics.items():
        with undefined_is_nan(), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UnreliableIntervalWarning)
            found[name] = asymptotic_interval(statistic=statistic, **data)
        for warning in caught:
            if issubclass(warning.category, UnreliableIntervalWarning):
                message = str(warning.message).replace(statistic.name, "{}")
                reliability_warnings.setdefault(message, []).append(label(name))
            else:
                warnings.warn_explicit(
                    warning.message, warning.category, warning.filename, warning.lineno
                )
    for message, labels in reliability_warnings.items():
        warn_unreliable(message.replace("{}", listed(labels)))
    return found
