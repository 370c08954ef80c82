"""Two sums over the thresholds in one pass: what `sums` sums one by one.

That of trapezoids under precision or risk (`PRECISION_TRAPEZOIDS`) and that of precisions at each
correct item (`RECALL_STEPS`) have the same quotients. `c` and `a` hold the correct and the accepted
items at up to `BLOCK` points that are in the cache, those above them at 0.
"""

from __future__ import annotations

import numpy as np

from fastarac._kernels._jit import Array, kernel
from fastarac._kernels.codes import RECALL_INTEGRALS
from fastarac._kernels.runs import merge
from fastarac._kernels.sums import BLOCK, LANES, ROUNDER, go_to, read_points, sums_of_points


@kernel
def point_sums(
    c: Array, a: Array, j: int, before: float, of_risk: bool, scale: float, row: Array
) -> None:
    """Add what one point adds to the first six of a row of sums; its width begins at `before`."""
    t = a[j] - c[j] if of_risk else c[j]
    rest = t * scale
    first = (rest / a[j] + ROUNDER) - ROUNDER
    rest = (rest - first * a[j]) * scale
    second = (rest / a[j] + ROUNDER) - ROUNDER
    rest = (rest - second * a[j]) / a[j]
    width = a[j + 1] - before
    step = c[j] - c[j - 1] if j > 0 else 0.0
    row[0] += width * first
    row[1] += width * second
    row[2] += width * rest
    row[3] += step * first
    row[4] += step * second
    row[5] += step * rest


@kernel
def add_both(c: Array, a: Array, m: int, of_risk: bool, scale: float, sums: Array, row: Array) -> None:
    """Add both sums of the points 1 to m to `sums` (6·LANES,), and go on as `add_points` does.

    One quotient a point serves both sums: `PRECISION_TRAPEZOIDS`, and `RECALL_STEPS` whose precision
    is 1 less the risk where the quotients are risks.
    """
    last_c = c[m]
    last_a = a[m]
    a[m + 1] = a[m]
    if a[0] == 0.0:  # flat from nothing accepted to the first point
        point_sums(c, a, 1, -a[1], of_risk, scale, row)
    else:
        point_sums(c, a, 0, a[0], of_risk, scale, row)
        point_sums(c, a, 1, a[0], of_risk, scale, row)
    for start in range(2, m + 1, LANES):
        n = min(LANES, m + 1 - start)
        t = c[start : start + n]
        t_before = c[start - 1 : start - 1 + n]
        here = a[start : start + n]
        before = a[start - 1 : start - 1 + n]
        after = a[start + 1 : start + 1 + n]
        for j in range(n):
            by = 1.0 / here[j]
            rest = (here[j] - t[j] if of_risk else t[j]) * scale
            first = (rest * by + ROUNDER) - ROUNDER
            rest = (rest - first * here[j]) * scale
            second = (rest * by + ROUNDER) - ROUNDER
            rest = (rest - second * here[j]) * by
            width = after[j] - before[j]
            step = t[j] - t_before[j]
            sums[j] += width * first
            sums[LANES + j] += width * second
            sums[2 * LANES + j] += width * rest
            sums[3 * LANES + j] += step * first
            sums[4 * LANES + j] += step * second
            sums[5 * LANES + j] += step * rest
    c[0] = last_c
    a[0] = last_a


@kernel
def gather_both(sums: Array, row: Array) -> None:
    """Add the lanes to a row of sums (6,) and clear them."""
    for k in range(6):
        for j in range(LANES):
            row[k] += sums[k * LANES + j]
    sums[:] = 0.0


@kernel
def both_sums_of_points(
    x: Array,
    y: Array,
    above: Array | None,
    start: int,
    stop: int,
    chunk: int,
    of_risk: bool,
    scale: float,
    rows: Array,
) -> None:
    """Sum both over the points, as `sums.sums_of_points` does, into `rows` (n_chunks, 6)."""
    c = np.empty(BLOCK + 2)
    a = np.empty(BLOCK + 2)
    sums = np.zeros(6 * LANES)
    b, at = go_to(x, y, above, start, False, c, a)
    for r in range(len(rows)):
        rows[r, :] = 0.0
        end = min(start + chunk, stop)
        while start < end:
            m = min(BLOCK, end - start)
            b, at = read_points(x, y, above, b, at, m, False, c, a)
            add_both(c, a, m, of_risk, scale, sums, rows[r])
            start += m
        gather_both(sums, rows[r])


@kernel
def integrals_of_runs(true_accepts: Array, false_accepts: Array) -> tuple[float, float]:
    """Sum the integrals over the recall of the runs of a few points, as a double-double."""
    some_true = np.empty_like(true_accepts)
    some_false = np.empty_like(false_accepts)
    n = merge(true_accepts, false_accepts, some_true, some_false)
    rows = np.empty((1, 5))
    sums_of_points(some_true, some_false, None, 1, n, n, RECALL_INTEGRALS, False, 1.0, rows)
    return rows[0, 3], rows[0, 4]
