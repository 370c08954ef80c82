"""Numbers as people read them, without saying more or less than is true."""

from __future__ import annotations

import math
import operator
from bisect import bisect_left
from decimal import ROUND_FLOOR, Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac.displays._base import rounded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastarac.sweep import ThresholdSweep

MIN_THRESHOLD_DIGITS = 3
UNDEFINED = "-"
SURE = 0.001  # probability beyond which the digits do not matter


def share(value: float) -> str:
    """Return a share as a percentage with one decimal, or more lest it look like none or all."""
    if value in (0, 1):
        return f"{100 * value:.0f} %"
    for decimals in range(1, 17):
        text = f"{100 * value:.{decimals}f}"
        if float(text) not in (0.0, 100.0):
            break
    return f"{text} %"


def area(value: float) -> str:
    """Return an area with four decimals, or more lest it look like 0 or 1."""
    return UNDEFINED if math.isnan(value) else rounded(value, 4)


def count(value: float) -> str:
    """Return a number of items, or their weight, with commas between thousands."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.12g}"


def probability(value: float) -> str:
    """Return a probability with three decimals, or that it is nearly 0 or 1."""
    if math.isnan(value):
        return UNDEFINED
    if value < SURE:
        return f"< {SURE}"
    return f"> {1 - SURE}" if value > 1 - SURE else f"{value:.3f}"


def pvalue(value: float) -> str:
    """Return a p-value with two digits, or that it is very small."""
    if math.isnan(value):
        return UNDEFINED
    return f"{value:.2g}" if value >= SURE / 10 else f"< {SURE / 10:.4f}"


def shown(name: str) -> str:
    """Return a name without characters that would move the cursor."""
    return "".join(mark if mark.isprintable() else "\N{REPLACEMENT CHARACTER}" for mark in name)


def listed(names: Sequence[str]) -> str:
    """Return names as a sentence has them."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def threshold(value: float, sweep: ThresholdSweep, dtype: Any = np.float64) -> str:
    """Return a threshold of a sweep as a short decimal that accepts exactly the same items.

    Parameters
    ----------
    value : float or int
        One of the sweep's thresholds.
    sweep : ThresholdSweep
        The sweep of the confidences.
    dtype : data-type, default=numpy.float64
        The dtype of the confidences, in which a reader may compare them with the decimal.

    Returns
    -------
    text : str
        The shortest decimal of at least three digits above the next lower confidence and not above
        the threshold; without zeros at its end.
    """
    if math.isinf(value):
        return UNDEFINED
    if isinstance(value, int):
        return str(value)
    falling = sweep.thresholds
    index = bisect_left(falling, -value, key=operator.neg)
    below = float(falling[index + 1]) if index + 1 < len(falling) else -math.inf
    exact = Decimal(repr(float(value)))
    for digits in range(MIN_THRESHOLD_DIGITS, len(exact.as_tuple().digits)):
        unit = Decimal((0, (1,), exact.adjusted() - digits + 1))
        candidate = exact.quantize(unit, ROUND_FLOOR)
        if _separates(candidate, below, value, np.dtype(dtype)):
            return _plain(candidate)
    return _plain(exact)


def _plain(number: Decimal) -> str:
    """Return a decimal without zeros at its end; with an exponent where it is very long otherwise."""
    number = number.normalize() if number else Decimal(0)  # without minus zero
    return f"{number:f}" if -7 < number.adjusted() < 17 else f"{number:e}"


def _separates(candidate: Decimal, below: float, value: float, dtype: np.dtype[Any]) -> bool:
    """Return whether the candidate is above `below` and not above `value`, in float64 and `dtype`."""
    text = str(candidate)
    if not below < float(text) <= value:
        return False
    if dtype.kind != "f" or dtype.itemsize >= 8:
        return True
    narrow = dtype.type(text)
    return bool(dtype.type(below) < narrow <= dtype.type(value))
