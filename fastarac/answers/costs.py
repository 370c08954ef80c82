"""Describe costs: each model's cheapest threshold, and what other thresholds cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from fastarac._core.text import listed, money, printable, rounded_percent
from fastarac.answers.limits import threshold as threshold_text
from fastarac.answers.tables import Column

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    import numpy as np

    from fastarac.answers.models import Model
    from fastarac.evaluation.costs import CostEvaluation
    from fastarac.evaluation.limits import Limit
    from fastarac.sweep import ThresholdSweep

    Priced: TypeAlias = "Model | PricedModel"

UNIT = 1000  # sums of money are shown for this number of outputs


def in_units(figures: dict[str, Any]) -> dict[str, Any]:
    """Return figures with costs per 1,000 outputs (`UNIT`) instead of per output."""
    return {
        name.replace("cost/", f"cost_per_{UNIT}/"): UNIT * value if name.startswith("cost/") else value
        for name, value in figures.items()
    }


class PricedModel(NamedTuple):
    """The costs of a model, without any other figures."""

    name: str
    sweep: ThresholdSweep
    dtype: np.dtype[Any]
    cost_evaluation: CostEvaluation

    def decimal(self, threshold: float) -> str:
        """Return a short decimal that accepts the same outputs as the threshold."""
        return threshold_text(threshold, self.sweep, self.dtype)


def columns(models: Sequence[Priced]) -> list[Column]:
    """Return the columns of a table of the models' costs."""
    spent = [model.cost_evaluation for model in models if model.cost_evaluation is not None]
    rows = list(zip(models, spent, strict=True))
    points = [cost_evaluation.cheapest for cost_evaluation in spent]
    found = [
        Column("cheapest at\nconfidence >=", [_threshold(*row) for row in rows]),
        Column("accepted\nthere", [rounded_percent(point.acceptance_rate) for point in points]),
        Column("errors\nthat\nremain", [rounded_percent(point.error_rate) for point in points]),
    ]
    of_each = {
        f"cost of\n{UNIT:,}": [cost_evaluation.at_cheapest for cost_evaluation in spent],
        "everything\nchecked": [cost_evaluation.everything_checked for cost_evaluation in spent],
        "nothing\nchecked": [cost_evaluation.nothing_checked for cost_evaluation in spent],
    }
    for header, costs in of_each.items():
        found.append(Column(header, [_sum(cost) for cost in costs], [-cost for cost in costs]))
    return found


def sentence(models: Sequence[Priced], over: str = "") -> str:
    """Return a sentence on the cheapest model and threshold, and on the cost of other thresholds."""
    spent = [(model, model.cost_evaluation) for model in models if model.cost_evaluation is not None]
    least = min(cost_evaluation.at_cheapest for _, cost_evaluation in spent)
    model, cost_evaluation = next(row for row in spent if row[1].at_cheapest == least)
    point = cost_evaluation.cheapest
    who = "" if len(models) == 1 else f"{printable(model.name)}, "
    if point.acceptance_rate == 1:
        where = "accept everything automatically"
    elif point.acceptance_rate == 0:
        where = "check everything"
    else:
        share = rounded_percent(point.acceptance_rate)
        where = f"accept {share} automatically at confidence >= {_threshold(model, cost_evaluation)}"
    errors = f"{rounded_percent(point.error_rate)} of all outputs remain wrong"
    everything, nothing = (
        _sum(cost_evaluation.everything_checked),
        _sum(cost_evaluation.nothing_checked),
    )
    tied = [
        printable(other.name)
        for other, each in spent
        if other is not model and each.at_cheapest == least
    ]
    tie = f" {listed(tied)} {'costs' if len(tied) == 1 else 'cost'} the same: a tie." if tied else ""
    return (
        f"Cheapest{over}: {who}{where}; {errors if point.error_rate else 'no errors remain'}. "
        f"{UNIT:,} outputs then cost {_sum(least)}; with everything checked {everything}, with "
        f"nothing checked {nothing}.{tie}"
    )


def at_limit(models: Sequence[Priced], limit: Limit, units: str = "outputs") -> str:
    """Return a sentence on the costs at a limit; it tells if checking everything costs less."""
    several = len(models) > 1
    said = []
    for model in models:
        cost_evaluation = model.cost_evaluation
        if cost_evaluation is not None:
            who = f" with {printable(model.name)}" if several else ""
            here, everything = cost_evaluation.at_limits[limit.key], cost_evaluation.everything_checked
            than = f"{'; ' if not several else ' ('}with everything checked {_sum(everything)}"
            if here > everything:
                than = f", more than with everything checked ({_sum(everything)}"
            closing = ")" if several or here > everything else ""
            said.append(f"{_sum(here)}{who}{than}{closing}")
    return f"{UNIT:,} {units} then cost {listed(said)}."


def _sum(cost: float) -> str:
    """Return the cost of 1,000 outputs (`UNIT`) as text, from the cost of one output."""
    return money(UNIT * cost)


def _threshold(model: Priced, cost_evaluation: CostEvaluation) -> str:
    return model.decimal(cost_evaluation.cheapest.threshold)
