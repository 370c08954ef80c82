"""Moments of a loss for its gamma interval, item by item, in fractions; no code is fastarac's."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import reference as ref


def contributions(
    items: tuple[ref.Item, ...], loss: Callable[[tuple[ref.Item, ...]], Fraction]
) -> list[Fraction]:
    """The loss of each item by itself: the loss if only this item is incorrect."""
    return [
        loss(tuple(item._replace(correct=int(i != k)) for i, item in enumerate(items)))
        for k in range(len(items))
    ]


def moments(
    items: tuple[ref.Item, ...],
    loss: Callable[[tuple[ref.Item, ...]], Fraction],
    largest: Fraction,
    groups: Sequence[int] | None = None,
) -> tuple[Fraction, Fraction, Fraction]:
    """y, v and w; `largest` is the largest possible loss by an error of weight 1, times Ω."""
    total = sum(item.weight for item in items)
    alone = contributions(items, loss)
    w = largest * max(item.weight for item in items) / total
    lost = [Fraction(0) if item.correct else one for item, one in zip(items, alone, strict=True)]
    if groups is None:
        return sum(lost), sum(one * one for one in lost), w
    of_groups = [
        sum(x for x, g in zip(lost, groups, strict=True) if g == k) for k in sorted(set(groups))
    ]
    average = sum(alone) / len(of_groups)
    return sum(lost), sum(one * one for one in of_groups), max(w, *of_groups, average)
