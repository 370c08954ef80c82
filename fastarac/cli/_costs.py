"""Prices, as they are typed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from fastarac.cli._options import RefusalError
from fastarac.costs.verification import VerificationCosts
from fastarac.reviewer import Reviewer

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
    "if verifying includes correcting, use a small price of correction, such as 0.0001: it does not "
    "change the cheapest threshold"
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
    ) -> Self | None:
        """Return the prices that were given, or None.

        `prices` and `people` are arguments of `VerificationCosts` and of `Reviewer`.
        """
        given = {name: value for name, value in prices.items() if value is not None}
        rates: dict[str, Any] = {name: value for name, value in people.items() if value is not None}
        if not given and not rates:
            return None
        missing = [NAMES[name] for name in prices if name not in given]
        if missing:
            first = NAMES[next(iter(given or rates))]
            message = f"{first} needs {', '.join(missing)}: give all three prices"
            if "correction" not in given:
                message += f" ({INCLUDED})"
            raise RefusalError(message)
        try:
            return cls(VerificationCosts(**given), Reviewer(**rates) if rates else None)
        except ValueError as error:
            name, _, rest = str(error).partition(" ")
            message = f"{NAMES[name]} {rest}"
            if name == "correction" and given[name] == 0:
                message += f" ({INCLUDED})"
            raise RefusalError(message) from None


def cost_arguments(prices: Prices | None) -> dict[str, Any]:
    """Return what :func:`fastarac.evaluate` is told about prices."""
    if prices is None:
        return {"costs": VerificationCosts.from_ratios(1.0, 0.0), "reviewer": None}
    return {"costs": prices.costs, "reviewer": prices.reviewer}
