"""Options for prices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from fastarac.cli._options import RefusalError
from fastarac.costs.verification import VerificationCosts
from fastarac.reviewer import Reviewer

# Arguments of the library, and the options that set them.
NAMES = {
    "verification": "--cost-verification",
    "correction": "--cost-correction",
    "error": "--cost-error",
    "detection_rate": "--reviewer-detection",
}
# Advice for options without a separate price of correcting.
INCLUDED = (
    "if verifying includes correcting, use a small price of correction, such as 0.0001: it does not "
    "change the cheapest threshold"
)


@dataclass(frozen=True, slots=True)
class Prices:
    """The costs of verifying, correcting and errors, and the reviewers' error rates.

    Attributes
    ----------
    costs : VerificationCosts
        The prices.
    reviewer : Reviewer or None
        The reviewer, or None for a perfect one.
    """

    costs: VerificationCosts
    reviewer: Reviewer | None

    @classmethod
    def of(
        cls,
        prices: dict[str, float | None],
        detection_rate: float | None = None,
    ) -> Self | None:
        """Return the prices given as options, or None if there are none.

        `prices` are arguments of `VerificationCosts`, `detection_rate` is an argument of `Reviewer`.
        """
        given = {name: value for name, value in prices.items() if value is not None}
        if not given and detection_rate is None:
            return None
        missing = [NAMES[name] for name in prices if name not in given]
        if missing:
            first = NAMES[next(iter(given), "detection_rate")]
            message = f"{first} needs {', '.join(missing)}: give all three prices"
            if "correction" not in given:
                message += f" ({INCLUDED})"
            raise RefusalError(message)
        try:
            reviewer = None if detection_rate is None else Reviewer(detection_rate)
            return cls(VerificationCosts(**given), reviewer)
        except ValueError as error:
            name, _, rest = str(error).partition(" ")
            message = f"{NAMES[name]} {rest}"
            if name == "correction" and given[name] == 0:
                message += f" ({INCLUDED})"
            raise RefusalError(message) from None


def cost_arguments(prices: Prices | None) -> dict[str, Any]:
    """Return the arguments of :func:`fastarac.evaluate` for prices."""
    if prices is None:
        return {}
    return {"costs": prices.costs, "reviewer": prices.reviewer}
