"""Add a separate price for missed words to the costs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fastarac.evaluation.costs import evaluate_costs
from fastarac.evaluation.rejected import drop_rejected
from fastarac.operating_points.points import operating_point

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastarac.evaluation.costs import CostEvaluation
    from fastarac.ocr.words.items import AlignedOutputs
    from fastarac.operating_points.points import OperatingPoint


def with_missed_price(
    found: CostEvaluation,
    aligned: AlignedOutputs,
    points: Mapping[str, OperatingPoint],
    price: float,
) -> CostEvaluation:
    """Return costs in which each missed word costs `price`, whatever the alignment policy.

    Parameters
    ----------
    found : CostEvaluation
        Costs of all items, with the prices and the reviewer.
    aligned : AlignedOutputs
    points : mapping of str to OperatingPoint
        Operating points of the items at the limits, by name.
    price : float
        Price of a missed word, in the unit of the other prices.

    Returns
    -------
    CostEvaluation
        Costs of the outputs plus `price` for each missed word, divided by the number of items. The
        cheapest threshold depends on the outputs alone: missed words cost the same at every threshold.
    """
    others = aligned
    if aligned.policy.has_missed_items:
        others = aligned.with_policy(missed="separate")
    sweep, never = others.sweep(), others.never_accepted
    acceptable = None if never is None else drop_rejected(sweep, never)
    at = {key: operating_point(sweep, threshold=point.threshold) for key, point in points.items()}
    own = evaluate_costs(sweep, found.costs, found.reviewer, at, acceptable)
    n = len(aligned)

    def total(cost: float) -> float:
        return (cost * len(others) + price * aligned.missed) / n

    cheapest = operating_point(
        aligned.sweep(), threshold=own.cheapest.threshold, reviewer=found.reviewer
    )
    return replace(
        found,
        cheapest=cheapest,
        at_cheapest=total(own.at_cheapest),
        everything_checked=total(own.everything_checked),
        nothing_checked=total(own.nothing_checked),
        at_limits={key: total(cost) for key, cost in own.at_limits.items()},
    )
