"""Confidences beside thresholds, with neither side rounded to the other's type."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

EXACT = 2**53  # up to here a double holds every integer


def at_or_above(confidence: NDArray[Any], threshold: float) -> NDArray[np.bool_]:
    """Which items are accepted at a threshold."""
    if confidence.dtype.kind == "f":
        return np.asarray(confidence >= np.float64(threshold))
    return np.asarray(confidence >= (threshold if math.isinf(threshold) else math.ceil(threshold)))


def number_at_or_below(confidence: NDArray[Any], rising: Sequence[float]) -> NDArray[np.intp]:
    """How many of the rising numbers are at or below each confidence."""
    vast = [*rising[:1], *rising[-1:]]
    if confidence.dtype.kind in "iu" and len(confidence):
        vast += [confidence.min().item(), confidence.max().item()]
    if any(isinstance(value, int) and abs(value) > EXACT for value in vast):
        found = [bisect_right(rising, value) for value in confidence.tolist()]
        return np.array(found, np.intp)
    return np.searchsorted(np.array(rising, np.float64), confidence.astype(np.float64), side="right")
