"""The option ``--costs``: prices and the error rates of reviewers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Self

import typer

from fastarac._core.checks import positive_scalar
from fastarac._core.text import listed
from fastarac.cli._options import option
from fastarac.cli._panels import Panel
from fastarac.costs.verification import VerificationCosts
from fastarac.reviewer import Reviewer

PRICES = ("verification", "correction", "error")
DETECTION = "detection_rate"
PAGE = "page"  # the price of looking at a page for missed words
EXAMPLE = "verification=0.1,correction=0.5,error=20"
# Advice to users whose price of verifying includes correcting.
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
    page : float or None
        The price of looking at a page for missed words, if it was given.
    text : str
        The prices as they were given.
    """

    costs: VerificationCosts
    reviewer: Reviewer | None
    page: float | None = None
    text: str = ""

    def __str__(self) -> str:
        return self.text

    @classmethod
    def of(cls, given: dict[str, float], text: str = "") -> Self:
        """Return the prices in `given`; raise a ValueError if one is missing or out of range."""
        missing = [name for name in PRICES if name not in given]
        if missing:
            are = "is" if len(missing) == 1 else "are"
            message = f"{listed(missing)} {are} missing: give all three prices, as in {EXAMPLE}"
            raise ValueError(message + (f" ({INCLUDED})" if "correction" in missing else ""))
        try:
            costs = VerificationCosts(**{name: given[name] for name in PRICES})
        except ValueError as error:
            is_free = str(error).startswith("correction") and given["correction"] == 0.0
            raise ValueError(f"{error} ({INCLUDED})" if is_free else str(error)) from None
        reviewer, page = Reviewer(given[DETECTION]) if DETECTION in given else None, given.get(PAGE)
        if page is not None:
            page = positive_scalar(page, PAGE)
        return cls(costs, reviewer, page, text)


def read_costs(text: str, *more: str) -> Prices:
    """Read the prices from a text such as `EXAMPLE`; `more` names further prices that it may have."""
    given: dict[str, float] = {}
    for part in text.split(","):
        name, _, value = (each.strip() for each in part.partition("="))
        try:
            number = float(value)
        except ValueError:
            number = None
        if name not in (*PRICES, DETECTION, *more) or name in given or number is None:
            pages = f", and {PAGE}=PRICE for looking at a page for missed words" if more else ""
            raise typer.BadParameter(
                f"use NAME=PRICE for each of {listed(PRICES)}, separated by commas, and "
                f"{DETECTION}=SHARE if reviewers overlook errors{pages}, got {part!r}"
            )
        given[name] = number
    try:
        return Prices.of(given, text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def read_costs_of_pages(text: str) -> Prices:
    return read_costs(text, PAGE)


HELP = f"Prices per output, such as {EXAMPLE}."
Costs = Annotated[
    Any, option("--costs PRICES", HELP, Panel.costs, parser=read_costs, show_default=False)
]
CostsWithPages = Annotated[
    Any, option("--costs PRICES", HELP, Panel.costs, parser=read_costs_of_pages, show_default=False)
]


def cost_arguments(prices: Prices | None) -> dict[str, Any]:
    """Return the arguments of :func:`fastarac.evaluate` for prices."""
    if prices is None:
        return {}
    return {"costs": prices.costs, "reviewer": prices.reviewer}
