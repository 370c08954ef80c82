"""Graded correctness: an item of grade g counts as g correct and 1 − g incorrect items."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastarac._core.checks import reject_where
from fastarac._engine.factors import read_factors
from fastarac._engine.inputs import read_items, vector


class GradedItems(NamedTuple):
    """Two weighted items for each graded one: first all correct parts, then all incorrect parts."""

    correct: NDArray[np.bool_]
    confidence: NDArray[Any]
    weight: NDArray[np.float64]
    groups: NDArray[Any] | tuple[NDArray[Any], ...]
    """Each item's group number (one array per factor if these are crossed); without groups, the number
    of the graded item."""


def graded_items(
    correct: ArrayLike,
    confidence: ArrayLike,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
) -> GradedItems:
    """Split graded items into correct and incorrect parts; `correct` holds the grades in [0, 1]."""
    grades = vector(correct, "correct")
    # Check lengths, types and weights before each graded item is split in two.
    items = read_items(np.zeros(len(grades), np.bool_), confidence, sample_weight)
    reject_where(~((grades >= 0) & (grades <= 1)), grades, "correct", "a grade from 0 to 1")
    right = grades.astype(np.float64)
    weight = 1.0 if items.weight is None else items.weight
    labels: tuple[NDArray[Any], ...] = (np.arange(items.n),)
    if groups is not None:
        labels = read_factors(groups, items.n)
    return GradedItems(
        np.repeat([True, False], items.n),
        twice(items.confidence),
        np.concatenate([weight * right, weight * (1.0 - right)]),
        twice(labels[0]) if len(labels) == 1 else tuple(map(twice, labels)),
    )


def twice(values: NDArray[Any]) -> NDArray[Any]:
    """Return the values repeated: once for the correct parts, once for the incorrect parts."""
    return np.concatenate([values, values])
