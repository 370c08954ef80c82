"""Money: each model's cheapest threshold for given prices, and what checking more or less costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from fastarac._core.text import listed, money, printable, rounded_percent
from fastarac.cli._options import RefusalError
from fastarac.costs.verification import VerificationCosts
from fastarac.evaluation.wording import threshold as threshold_text
from fastarac.reviewer import Reviewer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    import numpy as np

    from fastarac.evaluation.costs import CostEvaluation
    from fastarac.evaluation.limits import Limit
    from fastarac.report.models import Model
    from fastarac.sweep import ThresholdSweep

    Column = tuple[str, list[str], list[float] | None]
    Priced: TypeAlias = "Model | PricedModel"

UNIT = 1000  # outputs that a sum of money is for
# What the library calls an argument, and what the user has typed.
NAMES = {
    "verification": "--cost-verification",
    "correction": "--cost-correction",
    "error": "--cost-error",
    "detection_rate": "--reviewer-detection",
    "false_alarm_rate": "--reviewer-false-alarm",
}
# What to enter where there are but two prices.
INCLUDED = (
    "where correcting is part of verifying, enter a price of correction that is small beside the "
    "others, such as 0.0001: the cheapest threshold stays what it is"
)


@dataclass(frozen=True, slots=True)
class Prices:
    """What verifying, correcting and errors cost, and how well people verify.

    Attributes
    ----------
    costs : VerificationCosts
        The prices.
    reviewer : Reviewer or None
        The people, where they are not perfect.
    """

    costs: VerificationCosts
    reviewer: Reviewer | None

    @classmethod
    def of(
        cls,
        prices: dict[str, float | None],
        people: dict[str, float | None],
        ratios: dict[str, float | None] | None = None,
    ) -> Self | None:
        """Return the prices that were given, or None.

        `prices` and `people` are arguments of `VerificationCosts` and of `Reviewer`, `ratios` options
        that say the same in another way.
        """
        given = {name: value for name, value in prices.items() if value is not None}
        rates = {name: value for name, value in people.items() if value is not None}
        if not given and not rates:
            return None
        missing = [NAMES[name] for name in prices if name not in given]
        if missing:
            first = NAMES[next(iter(given or rates))]
            message = f"{first} is given without {', '.join(missing)}; all three prices are expected"
            if "correction" not in given:
                message += f" ({INCLUDED})"
            raise RefusalError(message)
        twice = [option for option, value in (ratios or {}).items() if value is not None]
        if twice:
            raise RefusalError(
                f"{twice[0]} is given beside prices, which say the same; one of them is expected"
            )
        try:
            return cls(VerificationCosts(**given), Reviewer(**rates) if rates else None)
        except ValueError as error:
            name, _, rest = str(error).partition(" ")
            message = f"{NAMES[name]} {rest}"
            if name == "correction" and given[name] == 0:
                message += f" ({INCLUDED})"
            raise RefusalError(message) from None


@dataclass(frozen=True, slots=True)
class Costs:
    """What verifying and errors cost, relative to correcting."""

    gamma: float | None
    delta: float | None
    prices: Prices | None = None

    @property
    def are_given(self) -> bool:
        """Whether the user has asked for W."""
        return self.gamma is not None or self.delta is not None

    def arguments(self) -> dict[str, Any]:
        """Return what :func:`fastarac.evaluate` is told about them."""
        people = None if self.prices is None else self.prices.reviewer
        return {"costs": self.of_evaluation(), "cost_reviewer": people}

    def of_evaluation(self) -> VerificationCosts:
        """Return the prices of W and of the normalised ARAC-AUC."""
        if self.prices is not None:
            return self.prices.costs
        gamma, delta = self.gamma, self.delta
        return VerificationCosts.from_ratios(
            1.0 if gamma is None else gamma, 0.0 if delta is None else delta
        )


def in_units(figures: dict[str, Any]) -> dict[str, Any]:
    """Return figures of `to_dict` with the cost of `UNIT` outputs in the place of that of one."""
    return {
        name.replace("cost@", f"cost_per_{UNIT}@"): UNIT * value if name.startswith("cost@") else value
        for name, value in figures.items()
    }


class PricedModel(NamedTuple):
    """A model with what it costs, where nothing else of it is known."""

    name: str
    sweep: ThresholdSweep
    dtype: np.dtype[Any]
    cost_evaluation: CostEvaluation


def columns(models: Sequence[Priced]) -> list[Column]:
    """Return the columns of the table that say what the models cost: header, cells, what is best."""
    spent = [model.cost_evaluation for model in models if model.cost_evaluation is not None]
    rows = list(zip(models, spent, strict=True))
    found: list[Column] = [
        ("cheapest at\nconfidence >=", [_threshold(*row) for row in rows], None),
        (
            "accepted\nthere",
            [rounded_percent(cost_evaluation.cheapest.acceptance_rate) for cost_evaluation in spent],
            None,
        ),
        (
            "errors\nthat\nremain",
            [rounded_percent(cost_evaluation.cheapest.error_rate) for cost_evaluation in spent],
            None,
        ),
    ]
    of_each = {
        f"cost of\n{UNIT:,}": [cost_evaluation.at_cheapest for cost_evaluation in spent],
        "everything\nchecked": [cost_evaluation.everything_checked for cost_evaluation in spent],
        "nothing\nchecked": [cost_evaluation.nothing_checked for cost_evaluation in spent],
    }
    for header, costs in of_each.items():
        found.append((header, [_sum(cost) for cost in costs], [-cost for cost in costs]))
    return found


def sentence(models: Sequence[Priced], over: str = "") -> str:
    """Say which model is cheapest, at which threshold, and what checking more or less costs.

    `over` says over which items, where that is not all that each model has.
    """
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
    tie = f" {listed(tied)} {'costs' if len(tied) == 1 else 'cost'} as little: a tie." if tied else ""
    return (
        f"Cheapest{over}: {who}{where}; {errors if point.error_rate else 'no errors remain'}. "
        f"{UNIT:,} outputs then cost {_sum(least)}; with everything checked {everything}, with "
        f"nothing checked {nothing}.{tie}"
    )


def at_limit(models: Sequence[Priced], limit: Limit) -> str:
    """Say what outputs cost at a limit, and where that is more than with everything checked."""
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
    return f"{UNIT:,} outputs then cost {listed(said)}."


def _sum(cost: float) -> str:
    """Say what `UNIT` outputs cost, where one costs that much."""
    return money(UNIT * cost)


def _threshold(model: Priced, cost_evaluation: CostEvaluation) -> str:
    return threshold_text(cost_evaluation.cheapest.threshold, model.sweep, model.dtype)
