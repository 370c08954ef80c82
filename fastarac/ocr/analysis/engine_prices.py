"""Prices of engines per page, and whether running several engines pays off."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fastarac._core.text import listed, money, printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastarac.evaluation.costs import CostEvaluation


def with_engine_price(
    found: CostEvaluation, n_items: int, n_pages: int, price: float
) -> CostEvaluation:
    """Return costs per item that include the engine's price: `price` × `n_pages` / `n_items`.

    The cheapest threshold stays the same, because this price is the same at every threshold.
    """
    more = price * n_pages / n_items
    return replace(
        found,
        at_cheapest=found.at_cheapest + more,
        everything_checked=found.everything_checked + more,
        nothing_checked=found.nothing_checked + more,
        at_limits={key: cost + more for key, cost in found.at_limits.items()},
    )


def worth_of_all(
    of_page: Mapping[str, float], together: tuple[str, float], prices: Mapping[str, float], page: str
) -> str:
    """Say whether several engines together are cheaper than the cheapest single engine.

    Parameters
    ----------
    of_page : mapping of str to float
        Cost of a page with each engine alone, including its price.
    together : tuple of (str, float)
        Name of the combination, and cost of a page with it, including all prices.
    prices : mapping of str to float
        Price of each engine per page; 0 if missing.
    page : str
        Word for a page, such as "document".
    """
    best = min(of_page, key=lambda name: of_page[name])
    name, cost = together
    alone, others = of_page[best], [other for other in of_page if other != best]
    most = alone - cost + sum(prices.get(other, 0.0) for other in others)
    both = "both" if len(of_page) == 2 else "all"
    said = f"With {printable(name)}, a {page} costs {money(cost)}"
    said += f", with {printable(best)} alone {money(alone)}"
    said += (
        f", including the prices of the engines: {both} together are "
        if any(prices.values())
        else f": {both} together are "
    )
    said += "cheaper" if cost < alone else "not cheaper"
    who = listed([printable(other) for other in others])
    if most > 0:
        verb = "is" if len(others) == 1 else "are"
        return f"{said}. Beside {printable(best)}, {who} {verb} worth up to {money(most)} a {page}."
    verb = "saves" if len(others) == 1 else "save"
    return f"{said}. Beside {printable(best)}, {who} {verb} nothing."
