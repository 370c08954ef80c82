"""Which of two ROC curves is above the other, from counts, exactly: no product is rounded."""

from __future__ import annotations

from typing import Any

from fastarac._kernels._jit import Array, kernel

HALF = 31  # bits of a half: counts below 2**62 have two
LOW = (1 << HALF) - 1
LOWEST = (1 << 2 * HALF) - 1


@kernel
def exceeds(a: Any, b: Any, c: Any, d: Any) -> bool:
    """Whether a·b > c·d, all of them from 0 to 2**62 - 1."""
    middle = (a >> HALF) * (b & LOW) + (a & LOW) * (b >> HALF)
    low = (a & LOW) * (b & LOW) + ((middle & LOW) << HALF)
    high = (a >> HALF) * (b >> HALF) + (middle >> HALF) + (low >> 2 * HALF)
    other_middle = (c >> HALF) * (d & LOW) + (c & LOW) * (d >> HALF)
    other_low = (c & LOW) * (d & LOW) + ((other_middle & LOW) << HALF)
    other = (c >> HALF) * (d >> HALF) + (other_middle >> HALF) + (other_low >> 2 * HALF)
    return high > other or (high == other and (low & LOWEST) > (other_low & LOWEST))


@kernel
def is_under(x: Array, y: Array, above_x: Array, above_y: Array) -> bool:
    """Whether no point (x, y) is above the line through the others, which ends at the same point.

    Below 2**62. Where the line is vertical, its upper end counts.
    """
    j = 0
    for i in range(len(x)):
        while j + 1 < len(above_x) and above_x[j + 1] <= x[i]:
            j += 1
        rise, run = y[i] - above_y[j], x[i] - above_x[j]
        if rise > 0 and (
            run == 0 or exceeds(rise, above_x[j + 1] - above_x[j], run, above_y[j + 1] - above_y[j])
        ):
            return False
    return True
