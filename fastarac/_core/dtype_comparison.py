"""Exact comparisons of confidences with thresholds, and of shares with limits."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

EXACT = 2**53  # Doubles hold every integer up to this one.


def at_or_above(confidence: NDArray[Any], threshold: float) -> NDArray[np.bool_]:
    """Return which confidences are at or above a threshold, compared exactly."""
    if confidence.dtype.kind == "f":
        return np.asarray(confidence >= np.float64(threshold))
    return np.asarray(confidence >= (threshold if math.isinf(threshold) else math.ceil(threshold)))


def most_within(limit: float, whole: int) -> int:
    """Return the largest k for which the share k/`whole` is within a limit in [0, 1].

    A share is within the limit if the double nearest to the share is at most the limit. So 29 of 100
    items are within the limit 0.29, although the double 0.29 is less than 29/100.
    """
    if limit >= 1.0:
        return whole
    # A share up to `halfway` may round to the limit. Exactly at `halfway`, it may also round up to the
    # next double, so the result is checked.
    halfway = (Fraction(limit) + Fraction(math.nextafter(limit, math.inf))) / 2
    most = halfway.numerator * whole // halfway.denominator
    return most if most / whole <= limit else most - 1


def number_at_or_below(confidence: NDArray[Any], rising: Sequence[float]) -> NDArray[np.intp]:
    """Return, for each confidence, how many of the sorted numbers in `rising` it equals or exceeds."""
    vast = [*rising[:1], *rising[-1:]]
    if confidence.dtype.kind in "iu" and len(confidence):
        vast += [confidence.min().item(), confidence.max().item()]
    if any(isinstance(value, int) and abs(value) > EXACT for value in vast):
        found = [bisect_right(rising, value) for value in confidence.tolist()]
        return np.array(found, np.intp)
    return np.searchsorted(np.array(rising, np.float64), confidence.astype(np.float64), side="right")
