"""Costs per item: at the cheapest threshold, at limits, and with everything or nothing checked."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from fastarac._core.export import flat
from fastarac._core.results import Result
from fastarac.costs.verification import VerificationCosts, optimal_operating_point
from fastarac.operating_points.points import OperatingPoint, operating_point
from fastarac.reviewer import Reviewer, check_reviewer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastarac.sweep import ThresholdSweep

RATES = ("threshold", "acceptance_rate", "error_rate", "risk", "correction_rate")


@dataclass(frozen=True, slots=True, eq=False)
class CostEvaluation(Result):
    """Mean costs per item (:meth:`.VerificationCosts.cost`), in the unit of the prices.

    Attributes
    ----------
    costs : VerificationCosts
        The prices.
    reviewer : Reviewer or None
        The people who verify rejected items, if they may overlook errors or make new ones.
    cheapest : OperatingPoint
        The operating point with the lowest cost (:func:`.optimal_operating_point`). The cost includes
        the errors of the people.
    at_cheapest, everything_checked, nothing_checked : float
        The cost at that point, the cost if every item is verified, and the cost if every item is
        accepted.
    at_limits : mapping of str to float
        The cost at the threshold of each limit. The keys are the keys of limits in
        `Evaluation.to_dict`, such as ``"0.01"`` and ``"risk/0.02"``. The mapping is read-only.

    See Also
    --------
    fastarac.evaluate : all figures of one model
    fastarac.VerificationCosts : prices of an item that is verified, corrected, or wrong in the end

    Examples
    --------
    >>> import fastarac as fa
    >>> correct, confidence = [1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2]
    >>> costs = fa.VerificationCosts(verification=1, correction=2, error=10)
    >>> found = fa.evaluate(correct, confidence, costs=costs).cost_evaluation
    >>> found.cheapest.threshold, found.at_cheapest, found.nothing_checked
    (0.8, 1.4, 4.0)
    """

    costs: VerificationCosts
    reviewer: Reviewer | None
    cheapest: OperatingPoint
    at_cheapest: float
    everything_checked: float
    nothing_checked: float
    at_limits: Mapping[str, float] = field(default_factory=dict)

    @property
    def errors_name(self) -> str:
        """Printed name of the errors at the cheapest threshold; with a reviewer, it mentions people."""
        return f"errors that remain{'' if self.reviewer is None else ', of people too'}"

    def to_dict(self) -> dict[str, Any]:
        """Return the prices, the cheapest point and the costs, with the keys of `Evaluation.to_dict`.

        The keys of the cheapest point end in ``/cheapest``. The costs have the keys ``cost/cheapest``,
        ``cost/everything_checked``, ``cost/nothing_checked`` and one for each limit. Infinite values
        are ``None``.
        """
        people = self.reviewer or Reviewer()
        figures: dict[str, Any] = {
            "cost_verification": self.costs.verification,
            "cost_correction": self.costs.correction,
            "cost_error": self.costs.error,
            "reviewer_detection": people.detection_rate,
            "reviewer_false_alarm": people.false_alarm_rate,
        }
        figures |= rates_of(self.cheapest, "cheapest")
        figures["cost/cheapest"] = self.at_cheapest
        figures["cost/everything_checked"] = self.everything_checked
        figures["cost/nothing_checked"] = self.nothing_checked
        figures |= {f"cost/{key}": cost for key, cost in self.at_limits.items()}
        return flat(figures)


def rates_of(point: OperatingPoint, where: str) -> dict[str, float]:
    """Return the threshold and the rates of a point, with keys such as ``risk/cheapest``."""
    rates = {f"{name}/{where}": getattr(point, name) for name in RATES}
    if not point.acceptance_rate:
        rates[f"risk/{where}"] = math.nan  # undefined if nothing is accepted
    return rates


def evaluate_costs(
    sweep: ThresholdSweep,
    costs: VerificationCosts,
    reviewer: Reviewer | None,
    points: Mapping[str, OperatingPoint] | None = None,
    acceptable: ThresholdSweep | None = None,
) -> CostEvaluation:
    """Return the costs per item of a sweep.

    `points` maps the keys of limits to their operating points. `acceptable` is the sweep of the items
    that a threshold may accept, by default of all items.
    """
    cheapest = optimal_operating_point(acceptable or sweep, costs=costs, reviewer=reviewer)
    lowest = -math.inf
    if acceptable is not None:
        cheapest = operating_point(sweep, threshold=cheapest.threshold, reviewer=reviewer)
        lowest = acceptable.thresholds[-1]
    everything = operating_point(sweep, threshold=math.inf, reviewer=reviewer)
    nothing = operating_point(sweep, threshold=lowest, reviewer=reviewer)
    at = {key: costs.cost(replace(point, reviewer=reviewer)) for key, point in (points or {}).items()}
    return CostEvaluation(
        costs=costs,
        reviewer=reviewer,
        cheapest=cheapest,
        at_cheapest=costs.cost(cheapest),
        everything_checked=costs.cost(everything),
        nothing_checked=costs.cost(nothing),
        at_limits=at,
    )


def check_reviewer_of_costs(costs: VerificationCosts | None, reviewer: Reviewer | None) -> None:
    """Raise if a reviewer has a wrong type, or is given without costs."""
    check_reviewer(reviewer)
    if reviewer is not None and costs is None:
        raise ValueError(
            "reviewer needs costs: no other figure depends on it (for a limit that counts "
            "people's errors, use operating_point)"
        )
