"""Everything about one model at once: all that the command line prints."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol, Unpack, overload

from fastarac._core.checks import check_intervals, failure_of, real_scalar, reject_beside_sweep
from fastarac._core.export import flat
from fastarac._core.results import Result, Sheet
from fastarac._core.text import plural
from fastarac.bounds.bounded import BoundedSweep, refuse_of_bounds
from fastarac.evaluation.bounds import BoundedEvaluation, evaluate_bounds
from fastarac.evaluation.costs import CostEvaluation, check_reviewer_of_costs, evaluate_costs, rates_of
from fastarac.evaluation.figures import CountedFigures, EstimatedFigures
from fastarac.evaluation.limits import (
    LABELS,
    Limit,
    ends_of,
    few_for,
    name_of,
    prices_of,
    read_limits,
    rows_of,
    shown,
)
from fastarac.evaluation.rejected import costs_above, point_above, sure_above
from fastarac.operating_points.points import OperatingPoint, point_of_limit
from fastarac.samples.door import labels_and_truth
from fastarac.samples.estimated import require_alone
from fastarac.uncertainty.statistics import DEFINITIONS, Statistic

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import ArrayLike

    from fastarac._core.interval import Interval
    from fastarac.areas.arac import CurveArea
    from fastarac.costs.verification import VerificationCosts
    from fastarac.evaluation.limits import Limits, OptionsOfItems
    from fastarac.guarantees.exact import GuaranteedOperatingPoint
    from fastarac.reviewer import Reviewer
    from fastarac.sweep import ThresholdSweep


class EstimatedCountsSource(Protocol):
    """Whatever has the counts from which a statistic is read."""

    def counts(self, statistic: Statistic, /) -> ThresholdSweep:
        """The counts at every threshold."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class LimitEvaluation(Result):
    """What one limit lets through.

    Attributes
    ----------
    limit : Limit
        The limit.
    point : OperatingPoint
        The threshold that accepts most within it, ties accepted whole, and what happens there.
    performance : float
        W = γX + β − δ·R_E (equation 15) at that point.
    guaranteed : GuaranteedOperatingPoint or None
        The threshold that keeps the limit on new items too, where a failure probability is given.

    See Also
    --------
    fastarac.evaluate : all figures of one model
    Limit : A criterion that decides on a threshold, with its value

    Examples
    --------
    >>> import fastarac as fa
    >>> correct, confidence = [1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2]
    >>> (at,) = fa.evaluate(correct, confidence, max_error_rate=0.2).limits
    >>> at.point.acceptance_rate
    0.8
    """

    limit: Limit
    point: OperatingPoint
    performance: float
    guaranteed: GuaranteedOperatingPoint | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation(Sheet, Result):
    """The figures of one model; ``print`` shows them as a table.

    Attributes
    ----------
    n : int or float
        Number of items, Ω; their weight where they are weighted.
    recognition_rate : float
        Share of correct items, β.
    arac, arp : CurveArea
        ARAC-AUC and ARP-AUC (by trapezoids) with their parts.
    roc_auc : float
        How well the confidence separates correct from incorrect items; NaN where all are alike.
    pr_auc, average_precision : float
        Area under the precision–recall curve after Davis and Goadrich, and by steps; NaN where no
        item is correct.
    aurc : float
        1 − ARP-AUC, the mean risk.
    normalized_aurc : float
        AURC between that of the best order, 0, and of a random one, 1. NaN where all items are alike,
        and where they are weighted: no order of single items is the best then.
    augrc : float
        1 − ARAC-AUC, the mean error rate.
    costs : VerificationCosts
        The prices of `performance` and of the normalised ARAC-AUC (its γ).
    limits : tuple of LimitEvaluation
        One for each limit: first of the error rate, then of the risk, then the thresholds.
    intervals : mapping of str to Interval
        By the names of `to_dict`, such as ``"arac_auc"`` and ``"acceptance_rate/0.01"``, read-only;
        empty unless asked for.
    cost_evaluation : CostEvaluation or None
        The cheapest threshold, and what an item costs there, at each limit, with everything and with
        nothing checked; None unless prices are given.

    See Also
    --------
    evaluate : all figures of one model
    fastarac.results.LimitEvaluation : what one limit lets through

    Examples
    --------
    >>> import fastarac as fa
    >>> correct, confidence = [1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2]
    >>> found = fa.evaluate(correct, confidence, max_error_rate=0.2)
    >>> round(found.arac.auc, 4), found.recognition_rate
    (0.88, 0.6)
    >>> found.limits[0].point.threshold
    0.6
    """

    n: int | float
    recognition_rate: float
    arac: CurveArea
    arp: CurveArea
    roc_auc: float
    pr_auc: float
    average_precision: float
    aurc: float
    normalized_aurc: float
    augrc: float
    costs: VerificationCosts
    limits: tuple[LimitEvaluation, ...]
    intervals: Mapping[str, Interval] = field(default_factory=dict)
    cost_evaluation: CostEvaluation | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return all figures as a flat dictionary that JSON can hold.

        Keys of a limit's figures end in the limit, as in ``"acceptance_rate/0.01"``,
        ``"acceptance_rate/risk/0.02"`` or ``"error_rate/threshold/0.9"``; those of a guarantee in
        ``/guaranteed/0.01``; ``_low`` and ``_high`` end the figure's name at the ends of an interval.
        With prices those of :meth:`.CostEvaluation.to_dict` follow: the cost of an item is
        ``"cost/0.01"`` at a limit and ``"cost/cheapest"`` at the cheapest threshold. What is
        undefined or infinite is ``None``.
        """
        figures: dict[str, Any] = {
            "n": self.n,
            "recognition_rate": self.recognition_rate,
            "arac_auc": self.arac.auc,
            "arac_auc_upper": self.arac.upper,
            "arac_auc_improved": self.arac.improved,
            "normalized_arac_auc": self.arac.normalized,
            "arp_auc": self.arp.auc,
            "normalized_arp_auc": self.arp.normalized,
            **{
                name: getattr(self, name)
                for name in Evaluation.__dataclass_fields__
                if name in DEFINITIONS
            },
            "gamma": self.costs.gamma,
            "delta": self.costs.delta,
        }
        for found in self.limits:
            key = found.limit.key
            figures |= rates_of(found.point, key)
            figures[f"performance/{key}"] = found.performance
            if found.guaranteed is not None:
                sure = found.guaranteed
                figures |= rates_of(sure.point, f"guaranteed/{key}")
                figures[f"bound/guaranteed/{key}"] = sure.bound
                figures["failure_probability"] = sure.failure_probability
        for name, interval in self.intervals.items():
            figures["confidence_level"] = interval.confidence_level
            figures |= ends_of(name, interval)
        return flat(figures) | ({} if self.cost_evaluation is None else self.cost_evaluation.to_dict())

    def _rows(self) -> list[tuple[str, str]]:
        figures = self.to_dict()
        rows = [("items", f"{self.n:.12g}")]
        for name in LABELS:
            value = math.nan if figures[name] is None else figures[name]
            rows.append((name_of(name, self.costs), self._shown(name, value)))
        for found in self.limits:
            limit, point = found.limit, found.point
            accepted = self._shown("acceptance_rate", point.acceptance_rate, limit)
            errors = self._shown("error_rate", point.error_rate, limit)
            rows += rows_of(found, self.costs, accepted, errors, f"{found.performance:.4f}")
            if self.cost_evaluation is not None:
                rows.append(("    cost of an item", f"{self.cost_evaluation.at_limits[limit.key]:.6g}"))
            if found.guaranteed is not None:
                rows.append(("    guaranteed", str(found.guaranteed)))
        if self.cost_evaluation is not None:
            cheapest = self.cost_evaluation.cheapest
            rows += [
                ("cheapest: accepted", f"{cheapest.acceptance_rate:.4f}"),
                ("    threshold", shown(cheapest.threshold)),
                (f"    {self.cost_evaluation.errors_name}", f"{cheapest.error_rate:.4f}"),
                ("    cost of an item", f"{self.cost_evaluation.at_cheapest:.6g}"),
                ("    with everything checked", f"{self.cost_evaluation.everything_checked:.6g}"),
                ("    with nothing checked", f"{self.cost_evaluation.nothing_checked:.6g}"),
            ]
        limits = sorted((found.limit for found in self.limits), key=lambda limit: limit.value)
        few = next(filter(None, (few_for(limit, self.n) for limit in limits)), "")
        return [*rows, ("note", few)] if few else rows

    def __repr__(self) -> str:
        area = f"ARAC-AUC {self.arac.auc:.4f}"
        limits = f"{len(self.limits)} {plural('limit', len(self.limits))}"
        return f"Evaluation({self.n:.12g} items, {area}, {limits})"

    def _shown(self, name: str, value: float, limit: Limit | None = None) -> str:
        found = self.intervals.get(name if limit is None else f"{name}/{limit.key}")
        return f"{value:.4f}" + ("" if found is None else f" [{found.low:.4f}, {found.high:.4f}]")


@overload
def evaluate(sweep: BoundedSweep, /, **limits: Unpack[Limits]) -> BoundedEvaluation: ...
@overload
def evaluate(
    correct: ArrayLike | ThresholdSweep,
    confidence: ArrayLike | None = None,
    **options: Unpack[OptionsOfItems],
) -> Evaluation: ...
def evaluate(
    correct: ArrayLike | ThresholdSweep | BoundedSweep,
    confidence: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    max_error_rate: ArrayLike = (0.01, 0.05),
    max_risk: ArrayLike = (),
    threshold: float | Sequence[float] = (),
    costs: VerificationCosts | None = None,
    reviewer: Reviewer | None = None,
    groups: ArrayLike | None = None,
    graded: bool = False,
    intervals: bool = False,
    confidence_level: float = 0.95,
    failure_probability: float | None = None,
    never_accepted: float | None = None,
) -> Evaluation | BoundedEvaluation:
    """Evaluate one model: its areas, and how much it automates within which limit.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,), or a ThresholdSweep alone
        Whether each output was right (bool, or 0 and 1), and its confidence (real and finite).
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum.
    max_error_rate : float or sequence of float, default=(0.01, 0.05)
        Allowed shares of undetected errors among *all* items, each in [0, 1].
    max_risk : float or sequence of float, default=()
        Allowed shares of errors among the *accepted* items, each in [0, 1].
    threshold : float or sequence of float, default=()
        Thresholds to look at as they are.
    costs : VerificationCosts, optional
        What verifying, correcting and errors cost; by default γ = 1 and δ = 0. Where they are given,
        the cheapest threshold and what an item costs are found, too (`Evaluation.cost_evaluation`).
    reviewer : Reviewer, optional
        The people who verify what is rejected; by default they find and correct every error. They
        count in `Evaluation.cost_evaluation` and nowhere else: limits, intervals and guarantees are for
        the errors of the machine. :func:`.operating_point` keeps a limit on the errors of both.
    groups : array_like of shape (n,), optional
        Labels of items that depend on each other, such as those of a page: intervals and guarantees
        rest on the groups, not on the single items.
    graded : bool, default=False
        Whether `correct` holds grades in [0, 1] (:func:`.threshold_sweep`). Intervals rest on the whole
        items then.
    intervals : bool, default=False
        Whether to find a confidence interval for each figure (:func:`.asymptotic_interval`).
    confidence_level : float, default=0.95
        Of the intervals.
    failure_probability : float, optional
        Also find the thresholds that keep each limit on new items, but with this probability
        (:func:`.guaranteed_operating_point`; of a risk by "sgr", as no thresholds are fixed).
    never_accepted : float, optional
        The confidence at and below which no threshold accepts, whatever is allowed: that of items
        without an output, which is below all others (`AlignedOutputs.never_accepted`). They belong to
        the items, and to the areas; shares accepted have none of them, nor have their intervals.

    Returns
    -------
    Evaluation
        Of a :class:`.BoundedSweep` a `BoundedEvaluation`, whose figures are :class:`.Bounds`.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`; also for limits outside their range, for a `reviewer` without
        `costs`, for a guarantee with weights, which are not counts, or grades, for one of `max_risk`
        with `groups`, which takes fixed thresholds, and for a `confidence_level` without `intervals`.

    Warns
    -----
    UnreliableIntervalWarning, SampleTooSmallWarning
        Where an interval or a guarantee has too little data.
    QuestionableInputWarning
        Where what is correct has less confidence, by more than chance, or all items have the same;
        where no item is correct; and for a limit of 1, which may mean 1 %.

    See Also
    --------
    evaluate_groups : evaluate every group of items on its own, all in one pass
    Evaluation : the figures of one model
    compare_models : compare models on the same items or groups
    fastarac.report.write_report : write one HTML page of all figures

    References
    ----------
    Kimura, Kubota, Wada and Hashimoto 2024, 3.2 to 3.4.

    Examples
    --------
    >>> import fastarac as fa
    >>> print(fa.evaluate([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2], max_error_rate=0.2))
    items                          5
    recognition rate β             0.6000
    ARAC-AUC                       0.8800
    normalised ARAC-AUC (γ = 1)    0.6500
    ARP-AUC                        0.8433
    ROC-AUC                        0.8333
    PR-AUC                         0.9041
    average precision              0.9167
    AURC                           0.1567
    AUGRC                          0.1200
    at most 20 % errors: accepted  0.8000
        threshold                  0.6
        errors that remain         0.2000
        W (γ = 1, δ = 0)           1.4000
    note                           5 outputs are few for a limit of 20 % errors: chance decides ...
    """
    check_intervals(intervals, confidence_level)
    limits = read_limits(max_error_rate, max_risk, threshold)
    prices = prices_of(costs)
    if isinstance(correct, BoundedSweep):
        reject_beside_sweep(confidence, sample_weight)
        refuse_of_bounds(
            reviewer=reviewer, groups=groups, intervals=intervals,
            graded=graded, failure_probability=failure_probability, never_accepted=never_accepted,
        )  # fmt: skip
        return evaluate_bounds(correct, limits, prices)
    labels, truth = labels_and_truth(correct)
    if truth is not None:
        require_alone(sample_weight=sample_weight, graded=graded or None, never_accepted=never_accepted)
    if never_accepted is not None:
        never_accepted = real_scalar(never_accepted, "never_accepted")
    check_reviewer_of_costs(costs, reviewer)
    if failure_probability is not None:
        failure_of(failure_probability)
    level = confidence_level if intervals else None
    sample: CountedFigures | EstimatedFigures
    if truth is not None:
        sample = EstimatedFigures(
            truth, confidence, groups, limits, level=level, failure_probability=failure_probability
        )
    else:
        asks = (level, failure_probability, costs, never_accepted)
        sample = CountedFigures(
            labels, confidence, sample_weight, groups, limits, graded=graded, level=level,
            every_threshold=any(each is not None for each in asks)
            or any(limit.criterion == "threshold" for limit in limits),
            failure_probability=failure_probability,
        )  # fmt: skip
    statistics = statistics_of(sample.names, prices.gamma, {})
    figures = sample.figures(statistics, prices.gamma)
    every = []
    for limit in limits:
        of_limit = _statistics_of_limit(limit, never_accepted) if sample.names else {}
        statistics |= of_limit
        point, sure = sample.point(limit, of_limit), None
        if failure_probability is not None and limit.criterion != "threshold":
            sure = sample.guarantee(limit, failure_probability)
        every.append(LimitEvaluation(limit, point, prices.performance(point), sure))
    cost_evaluation = None
    if costs is not None:
        points = {found.limit.key: found.point for found in every}
        cost_evaluation = evaluate_costs(sample.sweep, costs, reviewer, points)
    if truth is None and groups is not None and level is None and failure_probability is None:
        raise ValueError(
            "groups is given without intervals=True or failure_probability; no other figure depends on "
            "them"
        )
    ends = sample.intervals(statistics, lambda name: _label(name, limits))
    sample.question()
    found = Evaluation(
        **figures, costs=prices, limits=tuple(every), intervals=ends, cost_evaluation=cost_evaluation
    )
    return found if never_accepted is None else without_rejected(found, sample.sweep, never_accepted)


def without_rejected(figures: Evaluation, sweep: ThresholdSweep, rejected: float) -> Evaluation:
    """Return figures whose operating points, with guarantees and costs, accept no rejected item.

    The areas stay those of all items: at the end of the curves everything is accepted. Intervals stay
    as they are: only :func:`.evaluate`, which knows the items, finds those of the shares without them.
    """
    limits = []
    for found in figures.limits:
        criterion = {found.limit.criterion: found.limit.value}
        point = point_above(sweep, rejected, **criterion)
        sure = found.guaranteed
        if sure is not None:
            sure = sure_above(sure, sweep, rejected)
        performance = figures.costs.performance(point)
        limits.append(replace(found, point=point, performance=performance, guaranteed=sure))
    cost_evaluation = figures.cost_evaluation
    if cost_evaluation is not None:
        points = {found.limit.key: found.point for found in limits}
        cost_evaluation = costs_above(cost_evaluation, sweep, rejected, points)
    return replace(figures, limits=tuple(limits), cost_evaluation=cost_evaluation)


def estimated_point(
    source: EstimatedCountsSource, limit: Limit, reviewer: Reviewer | None = None
) -> OperatingPoint:
    """The operating point of a limit, or of a threshold, by the counts that say most of it."""
    statistic = next(iter(_statistics_of_limit(limit).values()))
    return point_of_limit(source.counts(statistic), limit.criterion, limit.value, reviewer)


def _statistics_of_limit(limit: Limit, never_accepted: float | None = None) -> dict[str, Statistic]:
    """The statistics that have intervals at a limit, by the names of figures."""
    if limit.criterion == "threshold":
        least = -math.inf if never_accepted is None else math.nextafter(never_accepted, math.inf)
        rates = statistics_of((), 1.0, {limit.key: max(limit.value, least)})
        return dict(reversed(rates.items()))
    name = f"acceptance_at_{limit.criterion.removeprefix('max_')}"
    of_limit: dict[str, Any] = {limit.criterion: limit.value}
    if never_accepted is not None:
        of_limit["never_accepted"] = never_accepted
    return {f"acceptance_rate/{limit.key}": Statistic(name, **of_limit)}


def statistics_of(
    names: Iterable[str], gamma: float, thresholds: Mapping[str, float]
) -> dict[str, Statistic]:
    """The statistics of figures, and of the rates at thresholds as they are, by the figures' names."""
    found = {
        name: Statistic(name, **({"gamma": gamma} if "gamma" in DEFINITIONS[name].parameters else {}))
        for name in names
    }
    for key, threshold in thresholds.items():
        for rate in ("acceptance_rate", "error_rate"):
            found[f"{rate}/{key}"] = Statistic(rate, threshold=threshold)
    return found


def _label(name: str, limits: Sequence[Limit]) -> str:
    """What people call a figure, where a limit decides on it with that limit."""
    figure, _, key = name.partition("/")
    if not key:
        return DEFINITIONS[name].title
    limit = next(limit for limit in limits if limit.key == key)
    share = "share accepted" if figure == "acceptance_rate" else DEFINITIONS[figure].label
    return f"{share} {limit if limit.criterion == 'threshold' else f'within {limit}'}"
