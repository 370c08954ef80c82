"""Double-double arithmetic: a number is the unevaluated sum of two doubles, some 30 digits in all.

Dekker 1971; Knuth, The Art of Computer Programming 2, 4.2.2.
"""

from __future__ import annotations

from typing import Any

from fastarac._kernels._intrinsics import multiply_add
from fastarac._kernels._jit import kernel

SPLITTER = 134217729.0  # Multiplying by 2**27 + 1 splits a double into two halves (Veltkamp).


@kernel
def add(high: float, low: float, other_high: float, other_low: float) -> tuple[float, float]:
    """Return the sum of two double-doubles."""
    s = high + other_high
    b = s - high
    error = (high - (s - b)) + (other_high - b)
    t = low + other_low
    b = t - low
    rest = (low - (t - b)) + (other_low - b)
    error += t
    u = s + error
    error = (error - (u - s)) + rest
    v = u + error
    return v, error - (v - u)


@kernel
def two_sum(a: float, b: float) -> tuple[float, float]:
    """Return the sum of two doubles and its rounding error."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def _rest_by_halves(a: float, b: float, p: float) -> float:
    """Return the error of rounding a·b to p, from products of the halves of a and b."""
    t = SPLITTER * a
    a_high = t - (t - a)
    a_low = a - a_high
    t = SPLITTER * b
    b_high = t - (t - b)
    b_low = b - b_high
    return ((a_high * b_high - p) + a_high * b_low + a_low * b_high) + a_low * b_low


def _rest_at_once(a: float, b: float, p: float) -> float:
    """Return the error of rounding a·b to p, by one instruction."""
    return multiply_add(a, b, -p)


_rest: Any = kernel(_rest_by_halves if multiply_add is None else _rest_at_once)
# `interpreted` uses this version in place of the processor instruction.
_rest.in_python = _rest_by_halves


@kernel
def two_product(a: float, b: float) -> tuple[float, float]:
    """Return the product of two doubles and its rounding error."""
    p = a * b
    return p, _rest(a, b, p)


@kernel
def multiply(high: float, low: float, other_high: float, other_low: float) -> tuple[float, float]:
    """Return the product of two double-doubles."""
    p, error = two_product(high, other_high)
    error += high * other_low + low * other_high
    s = p + error
    return s, error - (s - p)


@kernel
def divide(high: float, low: float, by_high: float, by_low: float) -> tuple[float, float]:
    """Return the quotient of two double-doubles."""
    q = high / by_high
    p_high, p_low = multiply(by_high, by_low, q, 0.0)
    r_high, r_low = add(high, low, -p_high, -p_low)
    r = (r_high + r_low) / by_high
    s = q + r
    return s, r - (s - q)
