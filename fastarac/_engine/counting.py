"""The arrays of a sweep, and how counting makes them where there are few distinct confidences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastarac import _kernels
from fastarac._engine import parallel
from fastarac._kernels.codes import FLOAT

if TYPE_CHECKING:
    from fastarac._engine.inputs import Items, Layout

Array = NDArray[Any]

SAMPLE = 1 << 12


class SweepArrays(NamedTuple):
    """Thresholds from +inf downwards, and the accepted correct and incorrect items at each."""

    thresholds: Array
    true_accepts: Array
    false_accepts: Array


def sample_of(items: Items) -> Array:
    """Some of the confidences, in rising order."""
    sample = np.sort(items.confidence[:: items.n // SAMPLE or 1])
    if not (math.isfinite(sample[0]) and math.isfinite(sample[-1])):
        items.reject()
    return sample


def has_few_values(sample: Array) -> bool:
    """Whether the values of a sample repeat four times or more on average."""
    return 1 + int(np.count_nonzero(sample[1:] != sample[:-1])) < len(sample) // 4


def count_values(items: Items) -> SweepArrays | None:
    """Return the sweep by counting, or None where there are too many distinct confidences."""
    counting = _kernels.counting
    layout = items.layout

    def count(share: tuple[int, int]) -> tuple[Array, Array] | None:
        slots = np.full(counting.N_SLOTS, counting.NONE, np.uint16)
        values = np.empty(counting.MAX_DISTINCT + 1, layout.bits)
        counts = np.zeros((len(values), 2), np.int64)
        distinct = 0
        for _, _, bits, labels in items.chunks(*share):
            bad, seen, distinct = counting.count_items(
                bits, labels, layout.kind == FLOAT, layout.exponent, slots, values, counts, distinct
            )
            items.check(not_finite=bad, seen_labels=seen)
            if distinct < 0:
                return None
        return values[:distinct], counts[:distinct]

    parts = parallel.run(count, parallel.shares(items.n))
    found = [part for part in parts if part is not None]
    if len(found) < len(parts):
        return None
    values = np.concatenate([some for some, _ in found]).view(layout.values)
    counts = np.concatenate([count for _, count in found])
    values, where = np.unique(values, return_inverse=True)
    sums = np.zeros((len(values) + 1, 2), np.int64)
    np.add.at(sums, len(values) - where, counts)  # highest first, after an empty first row
    sums = np.cumsum(sums, axis=0)
    raw = np.empty(len(values) + 1, layout.values)
    raw[1:] = values[::-1]
    thresholds = thresholds_of(raw.view(layout.bits), layout)
    return SweepArrays(thresholds, sums[:, 1].copy(), sums[:, 0].copy())


def thresholds_of(raw: Array, layout: Layout) -> Array:
    """Thresholds from the bits of the values; the first is +inf.

    Floats, but for integers that no float holds: those stay Python integers.
    """
    raw[0] = 0  # what was in memory may not be a number
    values = raw.view(layout.values)
    if layout.kind == FLOAT:
        thresholds = values.astype(np.float64, copy=False)
        thresholds[0] = np.inf
        return thresholds
    return integer_thresholds(values)


def integer_thresholds(values: Array) -> Array:
    """`values` (highest first, the first entry free) with +inf in front, as floats if they fit."""
    highest = int(values[1]) if len(values) > 1 else 0
    lowest = int(values[-1]) if len(values) > 1 else 0
    exact = max(abs(highest), abs(lowest)) <= 1 << 53
    thresholds = values.astype(np.float64 if exact else object)
    thresholds[0] = np.inf
    return thresholds


def starts_of(counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """From the items of each share in each bucket: the bounds of the buckets, and where shares begin.

    An item of a later share comes after those of earlier shares in the same bucket.
    """
    bounds = np.zeros(counts.shape[1] + 1, np.int64)
    np.cumsum(counts.sum(axis=0), out=bounds[1:])
    return bounds, bounds[:-1] + np.cumsum(counts, axis=0) - counts
