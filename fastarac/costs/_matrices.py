"""Validation of matrices of costs, counts and probabilities."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastarac._core.checks import reject_where

TOLERANCE = 1e-6  # maximum difference of the sum of a row from 1
LARGEST = 1e150  # maximum cost, so that no sum overflows


def _array(values: ArrayLike, name: str, expected: str, kinds: str = "biuf") -> NDArray[Any]:
    try:
        array = np.asarray(values)
    except ValueError as error:  # rows of unequal lengths
        raise ValueError(f"{name} is not an array: {error}") from error
    if array.dtype.kind not in kinds:
        raise TypeError(f"{name} must hold {expected}, got type {array.dtype}")
    return array


def read_costs(costs: ArrayLike, name: str = "costs") -> NDArray[np.float64]:
    """Return finite costs of shape (..., rows, columns), as a new float64 array."""
    array = _array(costs, name, "numbers").astype(np.float64)
    if array.ndim < 2 or 0 in array.shape:
        raise ValueError(
            f"{name} must have shape (K, K), rows predicted and columns actual, got {array.shape}"
        )
    reject_where(~(np.abs(array) <= LARGEST), array, name, f"a finite number up to {LARGEST:g}")
    return array


def read_counts(
    counts: ArrayLike, shape: tuple[int, ...], name: str = "counts", *, stacked: bool = False
) -> NDArray[np.int64]:
    """Return counts as integers; raise if the shape is wrong, or unless 0 < sum < 2**63."""
    array = _array(counts, name, "whole numbers", kinds="biu")
    if array.shape[stacked:] != shape or array.ndim != len(shape) + stacked:
        expected = str(shape)
        if stacked:
            expected = f"(m, {expected[1:]}, a table for each of m groups"
        raise ValueError(f"{name} must have shape {expected}, like the costs, got {array.shape}")
    reject_where(array < 0, array, name, "a whole number of at least 0")
    total = sum(array.ravel().tolist())
    if not 0 < total < 1 << 63:
        raise ValueError(f"{name} must have a positive sum below 2**63, got {total}")
    return array.astype(np.int64)


def read_probabilities(probabilities: ArrayLike, n_classes: int) -> NDArray[Any]:
    """Return probabilities of shape (n, n_classes), without a check of their values."""
    array = _array(probabilities, "probabilities", "numbers in [0, 1]")
    if array.ndim != 2 or array.shape[1] != n_classes:
        raise ValueError(
            f"probabilities must have shape (n, {n_classes}), one column for each class in the "
            f"order of the costs' columns, got {array.shape}"
        )
    return array


def check_probabilities(part: NDArray[np.float64], sums: NDArray[np.float64], start: int) -> None:
    """Raise unless each row has probabilities that sum to 1; messages number the rows from `start`."""
    if part.min(initial=0.0) >= 0.0 and (np.abs(sums - 1.0) <= TOLERANCE).all():
        return
    bad = ~((part >= 0.0) & (part < np.inf))
    if bad.any():
        i, j = np.argwhere(bad)[0]
        raise ValueError(
            f"probabilities[{start + i}, {j}] must be a number in [0, 1], got {part[i, j]}"
        )
    i = int(np.argmax(~(np.abs(sums - 1.0) <= TOLERANCE)))
    total = math.fsum(part[i])
    raise ValueError(f"probabilities[{start + i}] must sum to 1 within {TOLERANCE:g}, got {total:.9g}")
