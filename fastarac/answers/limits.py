"""Format limits and thresholds for the command line and reports."""

from __future__ import annotations

import math
import operator
from bisect import bisect_left
from decimal import ROUND_FLOOR, Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac._core.text import UNDEFINED, percent
from fastarac.evaluation.limits import as_given, is_given, short

if TYPE_CHECKING:
    from fastarac.evaluation.limits import Limit
    from fastarac.sweep import ThresholdSweep

MIN_THRESHOLD_DIGITS = 3
MAX_EXACT_DIGITS = 4  # a threshold with more significant digits is shortened

OPTIONS = {"max_error_rate": "--error-rate", "max_risk": "--max-risk"}


def header(limit: Limit) -> str:
    """Return the header of the column with the share accepted at a limit."""
    value, _, of = short(limit).rpartition(" ")
    return f"accepted\nat {short(limit)}" if is_given(limit) else f"accepted\nat <= {value}\n{of}"


def opening(limit: Limit) -> str:
    """Return the words with which a sentence about the limit begins."""
    if is_given(limit):
        return f"At confidence >= {as_given(limit)}"
    return f"At most {kept(limit)}"


def kept(limit: Limit) -> str:
    """Return the errors that a limit allows, such as "1% errors"."""
    of = "errors" if limit.criterion == "max_error_rate" else "errors among the accepted"
    return f"{percent(limit.value)} {of}"


def threshold(value: float, sweep: ThresholdSweep, dtype: Any = np.float64) -> str:
    """Return a short decimal that accepts the same items of `sweep` as the threshold `value`.

    Parameters
    ----------
    value : float or int
        One of the sweep's thresholds.
    sweep : ThresholdSweep
        The sweep of the confidences.
    dtype : data-type, default=numpy.float64
        The dtype of the confidences. The decimal is valid in comparisons in this dtype and in float64.

    Returns
    -------
    text : str
        The threshold itself if it has at most four digits. Otherwise, the shortest decimal of at
        least three digits that is above the next lower confidence and not above the threshold. It
        may accept a few more items that are not in the sweep.
    """
    if math.isinf(value) or isinstance(value, int):
        return short_threshold(value, -math.inf, dtype)
    falling = sweep.thresholds
    index = bisect_left(falling, -value, key=operator.neg)
    below = float(falling[index + 1]) if index + 1 < len(falling) else -math.inf
    return short_threshold(value, below, dtype)


def short_threshold(value: float, below: float, dtype: Any) -> str:
    """Return a threshold as :func:`threshold` does, given the next lower confidence."""
    if math.isinf(value):
        return UNDEFINED
    if isinstance(value, int):
        return str(value)
    exact = Decimal(repr(float(value)))
    if len(exact.normalize().as_tuple().digits) <= MAX_EXACT_DIGITS:
        return _plain(exact)
    for digits in range(MIN_THRESHOLD_DIGITS, len(exact.as_tuple().digits)):
        unit = Decimal((0, (1,), exact.adjusted() - digits + 1))
        candidate = exact.quantize(unit, ROUND_FLOOR)
        if _separates(candidate, below, value, np.dtype(dtype)):
            return _plain(candidate)
    return _plain(exact)


def at_least(text: str) -> str:
    """Return a threshold, given as text, as a condition on confidences; empty if undefined."""
    return "" if text == UNDEFINED else f"≥ {text}"


def _plain(number: Decimal) -> str:
    """Return a decimal without trailing zeros, with an exponent if it would be very long."""
    number = number.normalize() if number else Decimal(0)  # turn -0 into 0
    return f"{number:f}" if -7 < number.adjusted() < 17 else f"{number:e}"


def _separates(candidate: Decimal, below: float, value: float, dtype: np.dtype[Any]) -> bool:
    """Return whether below < candidate <= value, both in float64 and in `dtype`."""
    text = str(candidate)
    if not below < float(text) <= value:
        return False
    if dtype.kind != "f" or dtype.itemsize >= 8:
        return True
    with np.errstate(over="ignore"):  # below the type's range, -inf is correct
        narrow = dtype.type(text)
    return bool(dtype.type(below) < narrow <= dtype.type(value))
