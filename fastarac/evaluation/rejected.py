"""Figures of outputs of which some are never accepted, whatever is allowed."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fastarac._core.special import binomial_upper_bound
from fastarac.evaluation.costs import evaluate_costs
from fastarac.guarantees.exact import GuaranteedOperatingPoint, guaranteed_operating_point
from fastarac.operating_points.points import OperatingPoint, operating_point
from fastarac.sweep import ThresholdSweep

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastarac.evaluation.costs import CostEvaluation
    from fastarac.evaluation.items import Evaluation

__all__ = ["drop_rejected", "most_accepted", "point_above", "without_rejected"]


def most_accepted(sweep: ThresholdSweep, rejected: float) -> float:
    """Return the largest share of the items that a threshold may accept.

    `rejected` is the confidence of the items that are never accepted, below that of all others.
    """
    last = _last(sweep, rejected)
    return float((sweep.true_accepts[last] + sweep.false_accepts[last]) / sweep.total)


def point_above(sweep: ThresholdSweep, rejected: float, **criterion: float) -> OperatingPoint:
    """Return the operating point for a criterion that accepts none of the rejected items."""
    options: dict[str, Any] = dict(criterion)
    point = operating_point(sweep, **options)
    if point.threshold > rejected:
        return point
    if "max_risk" in options and _last(sweep, rejected):  # whose risk may be higher without them
        options = {"threshold": operating_point(drop_rejected(sweep, rejected), **options).threshold}
    else:
        options = {"threshold": float(sweep.thresholds[_last(sweep, rejected)])}
    return operating_point(sweep, **options)


def without_rejected(figures: Evaluation, sweep: ThresholdSweep, rejected: float) -> Evaluation:
    """Return figures whose operating points, with guarantees and costs, accept no rejected item.

    The areas stay those of all items: at the end of the curves everything is accepted.
    """
    limits = []
    for found in figures.limits:
        point = point_above(sweep, rejected, **{found.limit.criterion: found.limit.value})
        sure = found.guaranteed
        if sure is not None:
            sure = _sure_above(sure, sweep, rejected)
        performance = figures.costs.performance(point)
        limits.append(replace(found, point=point, performance=performance, guaranteed=sure))
    most = most_accepted(sweep, rejected)
    intervals = {
        name: replace(interval, low=min(interval.low, most), high=min(interval.high, most))
        if name.startswith("acceptance_rate@")
        else interval
        for name, interval in figures.intervals.items()
    }
    cost_evaluation = figures.cost_evaluation
    if cost_evaluation is not None:
        points = {found.limit.key: found.point for found in limits}
        cost_evaluation = _costs(cost_evaluation, sweep, rejected, points)
    return replace(figures, limits=tuple(limits), intervals=intervals, cost_evaluation=cost_evaluation)


def _costs(
    found: CostEvaluation, sweep: ThresholdSweep, rejected: float, points: Mapping[str, OperatingPoint]
) -> CostEvaluation:
    """Return the costs of outputs of which the rejected ones are always checked."""
    if _last(sweep, rejected):
        accepted = drop_rejected(sweep, rejected)
        return evaluate_costs(sweep, found.costs, found.reviewer, points, accepted)
    found = evaluate_costs(sweep, found.costs, found.reviewer, points)
    checked = operating_point(sweep, threshold=math.inf, reviewer=found.reviewer)
    cost = found.everything_checked
    return replace(found, cheapest=checked, at_cheapest=cost, nothing_checked=cost)


def _sure_above(
    sure: GuaranteedOperatingPoint, sweep: ThresholdSweep, rejected: float
) -> GuaranteedOperatingPoint:
    if not _last(sweep, rejected):
        return replace(sure, point=operating_point(sweep, threshold=math.inf), bound=0.0)
    if sure.criterion == "max_risk":
        kept = guaranteed_operating_point(
            drop_rejected(sweep, rejected),
            max_risk=sure.limit,
            failure_probability=sure.failure_probability,
            method="sgr",
        )
        return replace(kept, point=operating_point(sweep, threshold=kept.threshold))
    if sure.threshold > rejected:
        return sure
    # fewer are accepted, of which no more are wrong
    point = point_above(sweep, rejected, max_error_rate=1.0)
    bound = sure.bound
    if bound == bound:
        bound = binomial_upper_bound(
            int(point.false_accepts), int(sweep.total), sure.failure_probability
        )
    return replace(sure, point=point, bound=bound)


def drop_rejected(sweep: ThresholdSweep, rejected: float) -> ThresholdSweep:
    """Return the sweep of the items that a threshold may accept; `rejected` as for the others."""
    end = _last(sweep, rejected) + 1
    counts = (sweep.true_accepts[:end], sweep.false_accepts[:end])
    right, wrong = (count[1:] - count[:-1] for count in counts)
    return ThresholdSweep.from_counts(sweep.thresholds[1:end], right, wrong)


def _last(sweep: ThresholdSweep, rejected: float) -> int:
    """Index of the last point that accepts none of the rejected items."""
    return int((sweep.thresholds > rejected).sum()) - 1
