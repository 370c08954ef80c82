"""Corners of convex hulls (the thresholds that can be optimal), and comparison of two ROC curves.

The scans visit the points by falling threshold and keep a stack of the corners so far. Products of
integer counts are compared exactly. With floats, rounding could make a comparison wrong; doubtful
points are therefore kept, and the caller decides about them exactly.
"""

from __future__ import annotations

from typing import Any

from fastarac._kernels._jit import Array, kernel, linear_kernel

ROUNDING = 2.0**-49  # Bound on the rounding error of a product, relative to the product.
NEGLIGIBLE = 1e-290  # Products below this may have lost digits by underflow.
HALF = 31  # Number of bits in each half of a count; counts below 2**62 are split into two halves.
LOW = (1 << HALF) - 1
LOWEST = (1 << 2 * HALF) - 1


@kernel
def exceeds(a: Any, b: Any, c: Any, d: Any) -> bool:
    """Return whether a·b > c·d, for integers from 0 to 2**62 - 1."""
    middle = (a >> HALF) * (b & LOW) + (a & LOW) * (b >> HALF)
    low = (a & LOW) * (b & LOW) + ((middle & LOW) << HALF)
    high = (a >> HALF) * (b >> HALF) + (middle >> HALF) + (low >> 2 * HALF)
    other_middle = (c >> HALF) * (d & LOW) + (c & LOW) * (d >> HALF)
    other_low = (c & LOW) * (d & LOW) + ((other_middle & LOW) << HALF)
    other = (c >> HALF) * (d >> HALF) + (other_middle >> HALF) + (other_low >> 2 * HALF)
    return high > other or (high == other and (low & LOWEST) > (other_low & LOWEST))


@linear_kernel
def is_under(x: Array, y: Array, above_x: Array, above_y: Array) -> bool:
    """Return whether no point (x, y) lies above the polygonal line through (above_x, above_y).

    Both polygonal lines end at the same point; coordinates are below 2**62. At a vertical step, the
    upper end is the height of the line.
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


@linear_kernel
def count_corners(
    right: Array, wrong: Array, start: int, stop: int, small: bool, corners: Array
) -> int:
    """Write the corners of the upper hull of integer points (wrong, right), from `start` to `stop`.

    The coordinates never decrease and are below 2**62; with `small`, products of two coordinates are
    below 2**62, too. Return the number of corners; `corners` receives their indices.
    """
    n = 0
    for c in range(start, stop):
        while n > 1:
            a, b = corners[n - 2], corners[n - 1]
            up, across = right[b] - right[a], wrong[b] - wrong[a]
            next_up, next_across = right[c] - right[b], wrong[c] - wrong[b]
            if small:
                above = up * next_across > next_up * across
            else:
                above = exceeds(up, next_across, next_up, across)
            if above:
                break
            n -= 1
        corners[n] = c
        n += 1
    return n


@linear_kernel
def weight_corners(
    right: Array, wrong: Array, start: int, stop: int, scale: float, corners: Array
) -> int:
    """Write the corners of the upper hull of float points (wrong, right), and doubtful points.

    `scale` is a power of two that brings the largest coordinate to the order of 1.
    """
    n = 0
    for c in range(start, stop):
        while n > 0:
            b = corners[n - 1]
            next_up, next_across = right[c] - right[b], wrong[c] - wrong[b]
            if next_up == 0.0 and next_across == 0.0:
                n -= 1
                continue
            if n == 1:
                break
            a = corners[n - 2]
            up, across = right[b] - right[a], wrong[b] - wrong[a]
            more = (next_up * scale) * (across * scale)
            less = (up * scale) * (next_across * scale)
            on_axis = (next_up == 0.0 or across == 0.0) and (up == 0.0 or next_across == 0.0)
            if not (on_axis or more - less > ROUNDING * (more + less) + NEGLIGIBLE):
                break
            n -= 1
        corners[n] = c
        n += 1
    return n


@linear_kernel
def risk_corners(
    right: Array, wrong: Array, start: int, stop: int, scale: float, corners: Array
) -> int:
    """Write the corners of the lower hull of the points (accepted items, risk), see `weight_corners`.

    The risk is 0 where nothing is accepted.
    """
    n = 0
    for c in range(start, stop):
        accepted_c = (float(right[c]) + float(wrong[c])) * scale
        while n > 1:
            a, b = corners[n - 2], corners[n - 1]
            accepted_b = (float(right[b]) + float(wrong[b])) * scale
            right_a, wrong_a = float(right[a]) * scale, float(wrong[a]) * scale
            if right[a] == 0 and wrong[a] == 0:
                right_a = 1.0  # nothing is accepted; with one right item, the risk is 0 as well
            up_b, across_b = float(right[b] - right[a]) * scale, float(wrong[b] - wrong[a]) * scale
            up_c, across_c = float(right[c] - right[a]) * scale, float(wrong[c] - wrong[a]) * scale
            # Compare the slopes from a to b and from a to c. Both are multiplied by the accepted items
            # at a, b and c, so that no division is needed.
            to_b, to_c = accepted_c * (up_c + across_c), accepted_b * (up_b + across_b)
            more = (across_b * right_a - wrong_a * up_b) * to_b
            less = (across_c * right_a - wrong_a * up_c) * to_c
            slack = (across_b * right_a + wrong_a * up_b) * to_b
            slack += (across_c * right_a + wrong_a * up_c) * to_c
            if not more - less > ROUNDING * slack + NEGLIGIBLE:
                break
            n -= 1
        corners[n] = c
        n += 1
    return n
