"""Money: each model's cheapest threshold for given prices, and what checking more or less costs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, Self

from fastarac._core.text import listed, money, printable, rounded_percent
from fastarac.costs.verification import VerificationCosts, optimal_operating_point
from fastarac.evaluation_rejected import above
from fastarac.operating.points import OperatingPoint, operating_point
from fastarac.operating.reviewer import Reviewer
from fastarac.wording import threshold as threshold_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from fastarac.sweep import ThresholdSweep

    Column = tuple[str, list[str], list[float] | None]

UNIT = 1000  # outputs that a sum of money is for
FIGURES = ("threshold", "acceptance_rate", "error_rate", "risk", "correction_rate")
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
        ratios: dict[str, float | None],
    ) -> Self | None:
        """Return the prices that were given, or None; raise ValueError in words for the user.

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
            raise ValueError(message)
        twice = [option for option, value in ratios.items() if value is not None]
        if twice:
            message = f"{twice[0]} is given beside prices, which say the same; one of them is expected"
            raise ValueError(message)
        try:
            return cls(VerificationCosts(**given), Reviewer(**rates) if rates else None)
        except ValueError as error:
            name, _, rest = str(error).partition(" ")
            message = f"{NAMES[name]} {rest}"
            if name == "correction" and given[name] == 0:
                message += f" ({INCLUDED})"
            raise ValueError(message) from None


@dataclass(frozen=True, slots=True)
class Spending:
    """What a model costs at its cheapest threshold, and where everything or nothing is checked.

    Attributes
    ----------
    prices : Prices
        The prices.
    cheapest : OperatingPoint
        The threshold of least cost.
    extremes : dict of str to OperatingPoint
        Where everything and where nothing is checked.
    """

    prices: Prices
    cheapest: OperatingPoint
    extremes: dict[str, OperatingPoint]

    @classmethod
    def of(cls, sweep: ThresholdSweep, prices: Prices, rejected: float | None = None) -> Self:
        """Return what the model of this sweep costs, where `rejected` is never accepted."""
        costs, reviewer = prices.costs, prices.reviewer
        accepted = sweep if rejected is None else above(sweep, rejected)
        cheapest = optimal_operating_point(accepted, costs=costs, reviewer=reviewer)
        extremes = {
            "everything_checked": math.inf,
            "nothing_checked": -math.inf if rejected is None else accepted.thresholds[-1],
        }
        if rejected is not None:
            cheapest = operating_point(sweep, threshold=cheapest.threshold, reviewer=reviewer)
        return cls(
            prices,
            cheapest,
            {
                name: operating_point(sweep, threshold=threshold, reviewer=reviewer)
                for name, threshold in extremes.items()
            },
        )

    def cost(self, point: OperatingPoint) -> float:
        """Return what `UNIT` outputs cost there."""
        return UNIT * self.prices.costs.cost(point)

    @property
    def everything(self) -> float:
        """What `UNIT` outputs cost where everything is checked."""
        return self.cost(self.extremes["everything_checked"])

    def at(self, sweep: ThresholdSweep, point: OperatingPoint) -> float:
        """Return what `UNIT` outputs of a sweep cost at the threshold of a point, with these people."""
        return self.cost(
            operating_point(sweep, threshold=point.threshold, reviewer=self.prices.reviewer)
        )

    def figures(self) -> dict[str, Any]:
        """Return the prices, the cheapest point and the sums, by name; what is infinite is None."""
        costs, people = self.prices.costs, self.prices.reviewer or Reviewer()
        values: dict[str, Any] = {
            "cost_verification": costs.verification,
            "cost_correction": costs.correction,
            "cost_error": costs.error,
            "reviewer_detection": people.detection_rate,
            "reviewer_false_alarm": people.false_alarm_rate,
        }
        values |= {f"{name}@cheapest": getattr(self.cheapest, name) for name in FIGURES}
        if isinstance(self.cheapest.threshold, float) and math.isinf(self.cheapest.threshold):
            values["threshold@cheapest"] = None
        values[f"cost_per_{UNIT}@cheapest"] = self.cost(self.cheapest)
        for name, point in self.extremes.items():
            values[f"cost_per_{UNIT}@{name}"] = self.cost(point)
        return values


class Priced(Protocol):
    """A model that may have prices."""

    @property
    def name(self) -> str:
        """Its name."""
        ...

    @property
    def sweep(self) -> ThresholdSweep:
        """Its counts at every threshold."""
        ...

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of its confidences."""
        ...

    @property
    def spending(self) -> Spending | None:
        """What it costs."""


def columns(models: Sequence[Priced]) -> list[Column]:
    """Return the columns of the table that say what the models cost: header, cells, what is best."""
    spent = [model.spending for model in models if model.spending is not None]
    rows = list(zip(models, spent, strict=True))
    found: list[Column] = [
        ("cheapest at\nconfidence >=", [_threshold(*row) for row in rows], None),
        (
            "accepted\nthere",
            [rounded_percent(spending.cheapest.acceptance_rate) for spending in spent],
            None,
        ),
        (
            "errors\nthat\nremain",
            [rounded_percent(spending.cheapest.error_rate) for spending in spent],
            None,
        ),
    ]
    totals = {f"cost of\n{UNIT:,}": [spending.cost(spending.cheapest) for spending in spent]}
    for name in models[0].spending.extremes if models[0].spending else ():
        header = f"{name.removesuffix('_checked')}\nchecked"
        totals[header] = [spending.cost(spending.extremes[name]) for spending in spent]
    for header, sums in totals.items():
        found.append((header, [money(total) for total in sums], [-total for total in sums]))
    return found


def sentence(models: Sequence[Priced], over: str = "") -> str:
    """Say which model is cheapest, at which threshold, and what checking more or less costs.

    `over` says over which items, where that is not all that each model has.
    """
    spent = [(model, model.spending) for model in models if model.spending is not None]
    least = min(spending.cost(spending.cheapest) for _, spending in spent)
    model, spending = next(row for row in spent if row[1].cost(row[1].cheapest) == least)
    point = spending.cheapest
    who = "" if len(models) == 1 else f"{printable(model.name)}, "
    if point.acceptance_rate == 1:
        where = "accept everything automatically"
    elif point.acceptance_rate == 0:
        where = "check everything"
    else:
        share = rounded_percent(point.acceptance_rate)
        where = f"accept {share} automatically at confidence >= {_threshold(model, spending)}"
    errors = f"{rounded_percent(point.error_rate)} of all outputs remain wrong"
    everything, nothing = (money(spending.cost(each)) for each in spending.extremes.values())
    tied = [
        printable(other.name)
        for other, each in spent
        if other is not model and each.cost(each.cheapest) == least
    ]
    tie = f" {listed(tied)} {'costs' if len(tied) == 1 else 'cost'} as little: a tie." if tied else ""
    return (
        f"Cheapest{over}: {who}{where}; {errors if point.error_rate else 'no errors remain'}. "
        f"{UNIT:,} outputs then cost {money(least)}; with everything checked {everything}, with "
        f"nothing checked {nothing}.{tie}"
    )


def at_limit(models: Sequence[tuple[Priced, OperatingPoint]]) -> str:
    """Say what outputs cost at a limit, and where that is more than with everything checked."""
    several = len(models) > 1
    said = []
    for model, point in models:
        spending = model.spending
        if spending is not None:
            who = f" with {printable(model.name)}" if several else ""
            here, everything = spending.at(model.sweep, point), spending.everything
            than = f"{'; ' if not several else ' ('}with everything checked {money(everything)}"
            if here > everything:
                than = f", more than with everything checked ({money(everything)}"
            closing = ")" if several or here > everything else ""
            said.append(f"{money(here)}{who}{than}{closing}")
    return f"{UNIT:,} outputs then cost {listed(said)}."


def _threshold(model: Priced, spending: Spending) -> str:
    return threshold_text(spending.cheapest.threshold, model.sweep, model.dtype)
