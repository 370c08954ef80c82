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

    @classmethod
    def of(
        cls,
        ratios: dict[str, float | None],
        prices: dict[str, float | None],
        people: dict[str, float | None],
    ) -> Self:
        """Return what was given: prices, or ratios of them."""
        typed = {f"--{name}": value for name, value in ratios.items()}
        return cls(**ratios, prices=Prices.of(prices, people, typed))

    @property
    def are_given(self) -> bool:
        """Whether the user has asked for W."""
        return self.gamma is not None or self.delta is not None

    def arguments(self) -> dict[str, Any]:
        """Return what :func:`fastarac.evaluate` is told about them."""
        people = None if self.prices is None else self.prices.reviewer
        return {"costs": self.of_evaluation(), "reviewer": people}

    def of_evaluation(self) -> VerificationCosts:
        """Return the prices of W and of the normalised ARAC-AUC."""
        if self.prices is not None:
            return self.prices.costs
        gamma, delta = self.gamma, self.delta
        return VerificationCosts.from_ratios(
            1.0 if gamma is None else gamma, 0.0 if delta is None else delta
        )
