"""Sums of powers of influence values over the points of a sweep."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from fastarac._kernels._jit import kernel

Array = NDArray[Any]


@kernel
def line_powers(
    own: Array,
    other: Array,
    start: int,
    stop: int,
    line: tuple[float, float, float, float],
) -> tuple[float, float]:
    """Sums of the second and fourth power of the influence of one class, from `start` to `stop`.

    `own` and `other` are the accepted items of that class and of the other one. `line` is (offset,
    slope, divisor, centre): the influence of an item with M items of the other class above it, those
    tied half, is offset + slope·(M/divisor − centre).
    """
    offset, slope, divisor, centre = line
    doubled = 2.0 * divisor
    second = 0.0
    fourth = 0.0
    for i in range(max(start, 1), stop):
        count = own[i] - own[i - 1]
        value = offset + slope * ((float(other[i]) + float(other[i - 1])) / doubled - centre)
        square = value * value
        second += count * square
        fourth += count * (square * square)
    return second, fourth
