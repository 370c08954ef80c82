"""Operating points that never accept rejected outputs, whatever the limit."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fastarac._core.special import binomial_upper_bound
from fastarac.evaluation.costs import evaluate_costs
from fastarac.guarantees.exact import GuaranteedOperatingPoint, guaranteed_operating_point
from fastarac.guarantees.pocock import method_of_own_thresholds
from fastarac.operating_points.limits import last_accepted
from fastarac.operating_points.points import OperatingPoint, operating_point
from fastarac.sweep import ThresholdSweep

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastarac.evaluation.costs import CostEvaluation
    from fastarac.evaluation.results import Evaluation


def without_rejected(figures: Evaluation, sweep: ThresholdSweep, rejected: float) -> Evaluation:
    """Choose operating points, guarantees and costs again, so that no rejected item is accepted.

    Areas and intervals stay the same: every curve ends where all items are accepted.
    """
    limits = []
    for found in figures.limits:
        criterion = {found.limit.criterion: found.limit.value}
        point = point_above(sweep, rejected, **criterion)
        sure = found.guaranteed
        if sure is not None:
            sure = _sure_above(sure, sweep, rejected)
        performance = figures.costs.performance(point)
        limits.append(replace(found, point=point, performance=performance, guaranteed=sure))
    cost_evaluation = figures.cost_evaluation
    if cost_evaluation is not None:
        points = {found.limit.key: found.point for found in limits}
        cost_evaluation = _costs_above(cost_evaluation, sweep, rejected, points)
    return replace(figures, limits=tuple(limits), cost_evaluation=cost_evaluation)


def point_above(sweep: ThresholdSweep, rejected: float, **criterion: float) -> OperatingPoint:
    """Return the operating point for a criterion, with a threshold above `rejected`.

    All rejected items have the confidence `rejected`, and all others have a higher one.
    """
    options: dict[str, Any] = dict(criterion)
    point = operating_point(sweep, **options)
    if point.threshold > rejected:
        return point
    # The rejected items may have lowered the risk to the limit, so search again without them.
    if "max_risk" in options and last_accepted(sweep, rejected):
        options = {"threshold": operating_point(drop_rejected(sweep, rejected), **options).threshold}
    else:
        options = {"threshold": float(sweep.thresholds[last_accepted(sweep, rejected)])}
    return operating_point(sweep, **options)


def _sure_above(
    sure: GuaranteedOperatingPoint, sweep: ThresholdSweep, rejected: float
) -> GuaranteedOperatingPoint:
    """Return a guaranteed operating point with a threshold above `rejected`."""
    if not last_accepted(sweep, rejected):
        return replace(sure, point=operating_point(sweep, threshold=math.inf), bound=0.0)
    if sure.criterion == "max_risk":
        return guaranteed_operating_point(
            sweep,
            max_risk=sure.limit,
            failure_probability=sure.failure_probability,
            method=method_of_own_thresholds(sure.limit, float(sweep.total)),
            never_accepted=rejected,
        )
    if sure.threshold > rejected:
        return sure
    # Accepting fewer items cannot increase the number of errors.
    point = point_above(sweep, rejected, max_error_rate=1.0)
    bound = sure.bound
    if bound == bound:
        bound = binomial_upper_bound(
            int(point.false_accepts), int(sweep.total), sure.failure_probability
        )
    return replace(sure, point=point, bound=bound)


def _costs_above(
    found: CostEvaluation, sweep: ThresholdSweep, rejected: float, points: Mapping[str, OperatingPoint]
) -> CostEvaluation:
    """Return the costs if people check all rejected outputs, whatever the threshold."""
    if last_accepted(sweep, rejected):
        accepted = drop_rejected(sweep, rejected)
        return evaluate_costs(sweep, found.costs, found.reviewer, points, accepted)
    found = evaluate_costs(sweep, found.costs, found.reviewer, points)
    checked = operating_point(sweep, threshold=math.inf, reviewer=found.reviewer)
    cost = found.everything_checked
    return replace(found, cheapest=checked, at_cheapest=cost, nothing_checked=cost)


def drop_rejected(sweep: ThresholdSweep, rejected: float) -> ThresholdSweep:
    """Return the sweep of the items with a confidence above `rejected`."""
    end = last_accepted(sweep, rejected) + 1
    counts = (sweep.true_accepts[:end], sweep.false_accepts[:end])
    right, wrong = (count[1:] - count[:-1] for count in counts)
    return ThresholdSweep.from_counts(sweep.thresholds[1:end], right, wrong)
