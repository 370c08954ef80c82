"""Counts at every threshold from a table of values, if there are few distinct confidences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fastarac import _kernels
from fastarac._engine import parallel
from fastarac._engine.counts import ThresholdCounts, thresholds_of
from fastarac._kernels.codes import FLOAT

if TYPE_CHECKING:
    from fastarac._engine.inputs import Items

Array = NDArray[Any]


def count_values(items: Items) -> ThresholdCounts | None:
    """Count the items at every threshold; return None if there are too many distinct confidences."""
    counting = _kernels.counting
    layout = items.layout

    def count(share: tuple[int, int]) -> tuple[Array, Array] | None:
        slots = np.full(counting.N_SLOTS, counting.NONE, np.uint16)
        values = np.empty(counting.MAX_DISTINCT + 1, layout.bits)
        counts = np.zeros((len(values), 2), np.int64)
        table, distinct = (slots, values, counts), 0
        for _, (_, bits, labels) in items.chunks(*share):
            bad, seen, distinct = counting.count_items(
                bits, labels, layout.kind == FLOAT, layout.exponent, table, distinct
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
    # Row 0 stays zero; the counts of the highest value follow in row 1.
    np.add.at(sums, len(values) - where, counts)
    sums = np.cumsum(sums, axis=0)
    raw = np.empty(len(values) + 1, layout.values)
    raw[1:] = values[::-1]
    thresholds = thresholds_of(raw.view(layout.bits), layout)
    return ThresholdCounts(thresholds, sums[:, 1].copy(), sums[:, 0].copy())
