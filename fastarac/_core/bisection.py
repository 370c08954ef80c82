"""Bisection between 0 and 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

HALVINGS = 60  # number of steps


def change_of(holds: Callable[[float], bool]) -> tuple[float, float]:
    """Return two shares very close together: `holds` is false at the first and true at the second.

    `holds` must be false at 0 and true at 1, and change only once.
    """
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        low, high = (low, middle) if holds(middle) else (middle, high)
    return low, high
