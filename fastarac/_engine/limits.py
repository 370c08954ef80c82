"""Find the thresholds that keep limits on errors, without counting at all other thresholds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fastarac import _kernels
from fastarac._core.dtype_comparison import most_within
from fastarac._engine.counts import ThresholdCounts, thresholds_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastarac._engine.buckets import SortedItems


def points_at_limits(
    items: SortedItems, max_error_rates: Sequence[float], max_risks: Sequence[float]
) -> ThresholdCounts:
    """Return the counts at the first and last threshold, and at two thresholds for each limit.

    For each limit, the two are the last threshold that keeps the limit, and the next one.
    """
    limits = _kernels.limits
    (keys, bounds, below, *_), layout, above, *_ = items
    n, incorrect = len(keys), int(items.pairs.incorrect)
    # No point has at most -1 errors, so the limit -1 selects the first threshold.
    counts = [-1, *(most_within(rate, n) for rate in max_error_rates)]
    rows = np.empty((len(counts) + len(max_risks), 4), np.int64)
    for row, most in zip(rows, counts, strict=False):
        limits.within_errors(keys, bounds, above, most, row)
    for row, risk in zip(rows[len(counts) :], max_risks, strict=True):
        limits.within_risk(keys, bounds, above, incorrect, risk, row)
    points = {0: incorrect}
    for start, wrong, next_start, next_wrong in rows.tolist():
        points |= {start: wrong, next_start: next_wrong}
    del points[n]  # the point that accepts nothing is written separately below
    starts = sorted(points, reverse=True)
    raw = np.empty(1 + len(starts), layout.bits)
    limits.write_thresholds(keys, np.array(starts), bounds[below], layout.kind, raw[1:])
    false_accepts = np.array([0, *(points[start] for start in starts)], np.int64)
    accepted = np.array([0, *(n - start for start in starts)], np.int64)
    return ThresholdCounts(thresholds_of(raw, layout), accepted - false_accepts, false_accepts)
