"""Classes that compute an evaluation, one for each kind of data: items, counts, partial truth, bins."""

from __future__ import annotations

import math
import warnings
from abc import ABC, abstractmethod
from functools import partial, singledispatch
from typing import TYPE_CHECKING, Any, cast

from fastarac._core.checks import failure_of, real_scalar
from fastarac._core.exceptions import (
    UnreliableIntervalWarning,
    undefined_is_nan,
    unquestioned,
    warn_unreliable,
)
from fastarac._core.shared_results import shared_results
from fastarac._core.text import listed
from fastarac._engine.pairs import AREAS, value_of_pairs
from fastarac.areas import arac as areas
from fastarac.areas import risk
from fastarac.areas.order import question_labels
from fastarac.bounds.bounded import BoundedSweep
from fastarac.evaluation.bounds import BoundedFigures
from fastarac.evaluation.costs import check_reviewer_of_costs, evaluate_costs
from fastarac.evaluation.limits import LABELS, label_of, statistics_of, statistics_of_limit
from fastarac.evaluation.rejected import without_rejected
from fastarac.evaluation.results import SCALARS, Evaluation, LimitEvaluation
from fastarac.guarantees.exact import guaranteed_operating_point
from fastarac.guarantees.pocock import method_of_own_thresholds
from fastarac.operating_points.points import point_of_limit
from fastarac.samples.door import as_ranked, as_sweep, require_confidence, split_grades
from fastarac.samples.estimated import EstimatedSweep, require_alone
from fastarac.samples.partial import PartialTruth
from fastarac.uncertainty.asymptotic import intervals_by
from fastarac.uncertainty.estimated import FigureSource
from fastarac.uncertainty.estimated_samples import PartialSample
from fastarac.uncertainty.order import SURE, question_estimate, question_items
from fastarac.uncertainty.statistics import DEFINITIONS, Statistic

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import ArrayLike

    from fastarac._core.interval import Interval
    from fastarac._engine.counts import CountsAtThresholds
    from fastarac.evaluation.limits import Asked, Limit
    from fastarac.guarantees.exact import GuaranteedOperatingPoint
    from fastarac.operating_points.points import OperatingPoint
    from fastarac.sweep import ThresholdSweep

    Statistics = Mapping[str, Statistic]


class _ItemFigures(ABC):
    """Base class that computes an evaluation of known or partly verified items."""

    def __init__(self, asked: Asked) -> None:
        never_accepted = asked.never_accepted
        if never_accepted is not None:
            never_accepted = real_scalar(never_accepted, "never_accepted")
        check_reviewer_of_costs(asked.costs, asked.reviewer)
        if asked.failure_probability is not None:
            failure_of(asked.failure_probability)
        self.asked = asked._replace(never_accepted=never_accepted)

    def evaluation(self) -> Evaluation:
        """Return all figures of the sample."""
        asked, prices = self.asked, self.asked.prices
        statistics = statistics_of(self.names, prices.gamma, {})
        figures = self.figures(statistics, prices.gamma)
        limits = []
        for limit in asked.limits:
            of_limit = statistics_of_limit(limit, asked.never_accepted) if self.names else {}
            statistics |= of_limit
            point, sure = self.point(limit, of_limit), None
            if asked.failure_probability is not None and limit.criterion != "threshold":
                sure = self.guarantee(limit, asked.failure_probability)
            limits.append(LimitEvaluation(limit, point, prices.performance(point), sure))
        costs = None
        if asked.costs is not None:
            points = {found.limit.key: found.point for found in limits}
            costs = evaluate_costs(self.sweep, asked.costs, asked.reviewer, points)
        intervals = self.intervals(statistics)
        self.question()
        found = Evaluation(
            **figures, costs=prices, limits=tuple(limits), intervals=intervals, cost_evaluation=costs
        )
        if asked.never_accepted is None:
            return found
        return without_rejected(found, self.sweep, asked.never_accepted)

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """Names of the statistics with intervals."""

    @property
    @abstractmethod
    def sweep(self) -> ThresholdSweep:
        """The counts at every threshold, for costs."""

    @abstractmethod
    def figures(self, statistics: Statistics, gamma: float, /) -> dict[str, Any]:
        """Return the figures of all items, named as in `Evaluation`."""

    @abstractmethod
    def point(self, limit: Limit, statistics: Statistics, /) -> OperatingPoint:
        """Return the operating point of a limit or threshold."""

    @abstractmethod
    def guarantee(self, limit: Limit, failure_probability: float) -> GuaranteedOperatingPoint:
        """Return the threshold that keeps a limit on new items."""

    @abstractmethod
    def intervals(self, statistics: Statistics, /) -> Mapping[str, Interval]:
        """Return an interval for each figure that has one, by the name of the figure."""

    def question(self) -> None:  # noqa: B027, estimates are questioned with their figures
        """Warn if the confidence is reversed, or equal for all items."""

    def label(self, name: str) -> str:
        """Return the printed name of a figure."""
        return label_of(name, self.asked.limits)


class CountedFigures(_ItemFigures):
    """Figures of fully verified items, given as a sweep or as items (perhaps weighted or graded)."""

    def __init__(
        self, correct: Any, confidence: ArrayLike | None, sample_weight: ArrayLike | None, asked: Asked
    ) -> None:
        super().__init__(asked)
        groups = self._of_items = asked.groups
        if asked.graded:
            if asked.failure_probability is not None:
                raise TypeError(
                    "graded cannot go with failure_probability: a guarantee needs labels of 0 or 1"
                )
            parts = split_grades(correct, confidence, sample_weight, groups)
            correct, confidence, sample_weight = parts.correct, parts.confidence, parts.weight
            self._of_items = parts.groups
            groups = parts.groups if asked.level is not None or groups is not None else None
        if groups is not None and asked.failure_probability is not None:
            _refuse_with_groups(asked.limits, sample_weight)
        self._given = correct, confidence
        self._weight, self._groups = sample_weight, groups
        self._sweep: ThresholdSweep | None = None
        by: dict[str, list[float]] = {"max_error_rate": [], "max_risk": [], "threshold": []}
        for limit in asked.limits:
            by[limit.criterion].append(limit.value)
        at_any = asked.level, asked.failure_probability, asked.costs, asked.never_accepted
        if by.pop("threshold") or any(each is not None for each in at_any):
            self._sweep = as_sweep(correct, confidence, sample_weight)
            self._counts: CountsAtThresholds = self._sweep
            self._items = as_ranked(self._sweep)
        else:
            self._items = as_ranked(correct, confidence, sample_weight)
            self._counts = self._items.at_limits(*by.values())

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the statistics with intervals."""
        if self.asked.level is None:
            return ()
        return (*LABELS, *(() if self._weight is not None else ("normalized_aurc",)))

    @property
    def sweep(self) -> ThresholdSweep:
        """The counts at every threshold, for costs."""
        return as_sweep(*self._given, self._weight) if self._sweep is None else self._sweep

    def figures(self, _: Statistics, gamma: float) -> dict[str, Any]:
        """Return the figures of all items, named as in `Evaluation`."""
        sums, pairs = self._items.sums(), self._items.pairs
        arp, aurc, normalized_aurc = risk.risk_areas(self._items, sums.aurc, gamma)
        average_precision, pr_auc = (
            a / b if pairs.correct else math.nan for a, b in (sums.average_precision, sums.pr_auc)
        )
        return {
            "n": self._counts.total,
            "recognition_rate": self._counts.recognition_rate,
            "arac": areas.arac_area_of(pairs, gamma),
            "arp": arp,
            "pr_auc": pr_auc,
            "average_precision": average_precision,
            "aurc": aurc,
            "normalized_aurc": normalized_aurc,
            **{name: value_of_pairs(name, pairs) for name in AREAS if name in SCALARS},
        }

    def point(self, limit: Limit, _: Statistics) -> OperatingPoint:
        """Return the operating point of a limit or threshold."""
        return point_of_limit(self._counts, limit.criterion, limit.value)

    def guarantee(self, limit: Limit, failure_probability: float) -> GuaranteedOperatingPoint:
        """Return the threshold that keeps a limit on new items."""
        options: dict[str, Any] = {limit.criterion: limit.value, "groups": self._groups}
        data: tuple[Any, Any] = self._given
        if self._groups is None or data[1] is None:
            data = self.sweep, None
            if limit.criterion == "max_risk":
                options["method"] = method_of_own_thresholds(limit.value, float(self.sweep.total))
        with unquestioned():
            return guaranteed_operating_point(*data, failure_probability=failure_probability, **options)

    def intervals(self, statistics: Statistics) -> Mapping[str, Interval]:
        """Return an asymptotic interval for each figure that has one, by the name of the figure."""
        level = self.asked.level
        if level is None:
            if self.asked.groups is not None and self.asked.failure_probability is None:
                raise ValueError(
                    "groups needs intervals=True or failure_probability: no other figure depends "
                    "on groups"
                )
            return {}
        data: tuple[Any, Any] = self._given
        if self._weight is None and self._groups is None:  # counts per threshold suffice
            data = self.sweep, None
        if self.asked.unseen_pages and self._groups is None:
            raise TypeError("unseen_pages needs groups: give the label of each item's group")
        interval_by = intervals_by(
            *data, self._weight, self._groups, unseen_pages=self.asked.unseen_pages
        )
        with shared_results():
            return _intervals_of(statistics, self.label, partial(interval_by, level=level))

    def question(self) -> None:
        """Warn if no item is correct, or if the confidence is reversed or equal for all items."""
        if self._weight is None and not isinstance(self._counts.total, float):
            question_labels(float(self._items.pairs.correct), self._counts.total)
        roc_auc = value_of_pairs("roc_auc", self._items.pairs)
        if not roc_auc > 0.5:  # otherwise, the confidence is neither reversed nor constant
            question_items(roc_auc, *self._given, self._weight, self._of_items)


class ReadEstimates(CountedFigures):
    """Figures of a sweep with estimated counts; every figure is clipped to its possible range."""

    def figures(self, _: Statistics, gamma: float) -> dict[str, Any]:
        """Return the figures of all items, named as in `Evaluation`."""
        sweep: EstimatedSweep = self._given[0]
        arac = areas.arac_area(sweep, gamma=gamma)
        values = {name: Statistic(name)(sweep) for name in SCALARS if DEFINITIONS[name].in_part}
        arp = risk.arp_area(sweep, gamma=gamma)
        known = {"n": sweep.total, "recognition_rate": arac.lower, "arac": arac, "arp": arp}
        return dict.fromkeys(SCALARS, math.nan) | values | known


class EstimatedFigures(_ItemFigures):
    """Figures of partly verified items. Each figure is the estimate with the smallest variance."""

    def __init__(
        self, truth: PartialTruth, confidence: ArrayLike | None, sample_weight: object, asked: Asked
    ) -> None:
        never_accepted = asked.never_accepted
        require_alone(
            sample_weight=sample_weight,
            graded=asked.graded or None,
            never_accepted=never_accepted,
            unseen_pages=asked.unseen_pages or None,
        )
        super().__init__(asked)
        if asked.failure_probability is not None and any(
            limit.criterion == "max_risk" for limit in asked.limits
        ):
            raise ValueError(
                "max_risk with failure_probability and a PartialTruth needs thresholds that were "
                "fixed without these items: use guaranteed_operating_point with thresholds or a "
                "scale"
            )
        self._given = truth, require_confidence(confidence)
        self._sample = PartialSample.of(*self._given, asked.groups)
        self._source = FigureSource(self._sample, asked.level)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the statistics with intervals."""
        return tuple(LABELS)

    @property
    def sweep(self) -> ThresholdSweep:
        """The counts at every threshold, for costs."""
        # Estimated errors that never decrease along the sweep keep costs from being negative.
        return self._source.counts(self._rate).rising

    def figures(self, statistics: Statistics, gamma: float) -> dict[str, Any]:
        """Return the figures of all items, named as in `Evaluation`."""
        self._rate = statistics["recognition_rate"]
        values = {name: self._source.figure(name, one) for name, one in statistics.items()}
        of_items = Statistic("normalized_arp_auc", gamma=gamma)  # without an interval
        values[of_items.name] = FigureSource(self._sample, None).figure(of_items.name, of_items)
        roc_auc, rate = values["roc_auc"], values["recognition_rate"]
        question_estimate(roc_auc, FigureSource(self._sample, SURE), statistics["roc_auc"])
        arac, arp = (
            area_of(values[f"{name}_auc"], values[f"normalized_{name}_auc"], rate, gamma)
            for name, area_of in (("arac", areas.estimated_arac_area), ("arp", areas.estimated_area))
        )
        scalars = {name: values.get(name, math.nan) for name in SCALARS}
        return {"n": len(self._given[0]), "arac": arac, "arp": arp, **scalars}

    def point(self, limit: Limit, statistics: Statistics) -> OperatingPoint:
        """Return the operating point of a limit or threshold, with the most precise counts for it."""
        counts = self._source.counts(next(iter(statistics.values())))
        for name, statistic in statistics.items():
            self._source.figure(name, statistic)
        point = point_of_limit(counts, limit.criterion, limit.value)
        if limit.criterion == "threshold" or point.threshold == math.inf:
            return point
        at = Statistic("error_rate", threshold=point.threshold)
        return point_of_limit(self._source.counts(at), "threshold", point.threshold)

    def guarantee(self, limit: Limit, failure_probability: float) -> GuaranteedOperatingPoint:
        """Return the threshold that keeps a limit on new items."""
        options: dict[str, Any] = {limit.criterion: limit.value, "groups": self.asked.groups}
        with unquestioned():
            return guaranteed_operating_point(
                *self._given, failure_probability=failure_probability, **options
            )

    def intervals(self, _: Statistics) -> Mapping[str, Interval]:
        """Return the intervals of all figures by name; warn of unreliable ones."""
        self._source.warn(self.label)
        return self._source.intervals


def _refuse_with_groups(limits: Sequence[Limit], sample_weight: ArrayLike | None) -> None:
    """Raise for options that a guarantee with groups does not support."""
    if sample_weight is not None:
        raise TypeError(
            "failure_probability with groups takes no sample_weight, because weights are not counts"
        )
    if any(limit.criterion == "max_risk" for limit in limits):
        raise ValueError(
            "max_risk with groups and failure_probability needs thresholds that were fixed "
            "without these items: use guaranteed_operating_point with thresholds or a scale"
        )


def _intervals_of(
    statistics: Statistics, label: Callable[[str], str], interval_by: Callable[[Statistic], Interval]
) -> dict[str, Interval]:
    """Return the intervals of statistics by name; warn once for each reason why some are unreliable."""
    found = {}
    reliability_warnings: dict[str, list[str]] = {}
    for name, statistic in statistics.items():
        with undefined_is_nan(), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UnreliableIntervalWarning)
            found[name] = interval_by(statistic)
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


figures_of = singledispatch(cast("Callable[..., _ItemFigures | BoundedFigures]", CountedFigures))
figures_of.register(EstimatedSweep, ReadEstimates)
figures_of.register(PartialTruth, EstimatedFigures)
figures_of.register(BoundedSweep, BoundedFigures)
