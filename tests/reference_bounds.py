"""The areas and operating points of every order and every tie of items in bins, in fractions.

A bin is (correct, incorrect, single). All orders of its items are tried, with all possible ties; if
`single` is true, all its items are tied, because they have one value. No code here comes from fastarac.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

Ties = tuple[tuple[int, int], ...]
Bin = tuple[int, int, bool]


@cache
def ties_inside(correct: int, incorrect: int) -> tuple[Ties, ...]:
    """Every division of these items into a sequence of ties."""
    if not correct and not incorrect:
        return ((),)
    return tuple(
        ((p, q), *rest)
        for p in range(correct + 1)
        for q in range(incorrect + 1)
        if p or q
        for rest in ties_inside(correct - p, incorrect - q)
    )


def orders_of(bins: list[Bin]) -> Iterator[Ties]:
    """Every order of the items of all bins, beginning with the most confident bin."""
    inside = [(((p, q),) if p or q else (),) if single else ties_inside(p, q) for p, q, single in bins]
    for parts in product(*inside):
        yield tuple(tie for part in parts for tie in part)


def areas(ties: Ties) -> dict[str, Fraction | None]:
    """The areas of one order, computed from the definitions."""
    right = sum(p for p, _ in ties)
    wrong = sum(q for _, q in ties)
    n = right + wrong
    t = f = 0
    roc = arac = arp = precision_sum = Fraction(0)
    before = None
    for p, q in ties:
        roc += q * (t + Fraction(p, 2))
        arac += (p + q) * (n - f - Fraction(q, 2))
        after = Fraction(t + p, t + p + f + q)
        arp += (p + q) * (after + (after if before is None else before)) / 2
        precision_sum += p * after
        t, f, before = t + p, f + q, after
    return {
        "roc_auc": roc / (right * wrong) if right and wrong else None,
        "arac_auc": arac / (n * n),
        "augrc": 1 - arac / (n * n),
        "arp_auc": arp / n,
        "aurc": 1 - arp / n,
        "average_precision": precision_sum / right if right else None,
    }


def accepted_within(ties: Ties, max_error_rate: float | None, max_risk: float | None) -> int:
    """The largest number of items that a threshold can accept within a limit."""
    n = sum(p + q for p, q in ties)
    best = t = f = 0
    for p, q in ties:
        t, f = t + p, f + q
        rate = f / n if max_risk is None else f / (t + f)
        if rate <= (max_error_rate if max_risk is None else max_risk):
            best = t + f
    return best


def precisions_at(ties: Ties, right: int) -> list[Fraction]:
    """Heights of the precision-recall curve, which goes in steps, where so many items are correct."""
    t = f = 0
    found = []
    for p, q in ties:
        reached = t < right <= t + p
        t, f = t + p, f + q
        if reached or t == right:
            found.append(Fraction(t, t + f))
    return found
