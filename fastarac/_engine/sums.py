"""Sums over the thresholds for areas under the precision or the risk, more exact than a double."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from fastarac import _kernels
from fastarac._engine import parallel, runs, strategy
from fastarac._engine.buckets import SortedItems
from fastarac._engine.counts import AcceptedCounts, PointCounts
from fastarac._engine.pairs import PairCounts, Quotient, pairs_between, scale_of
from fastarac._engine.weighted import exact_quotient
from fastarac._kernels.codes import (
    PRECISION_AND_STEPS,
    PRECISION_INTEGRALS,
    PRECISION_TRAPEZOIDS,
    RECALL_INTEGRALS,
    RECALL_STEPS,
    RISK_AND_STEPS,
)

Ordered = SortedItems | AcceptedCounts


def runs_of(items: Ordered) -> PointCounts:
    """Return the counts at the points between runs of unweighted items."""
    return runs.of_sorted(items.buckets) if isinstance(items, SortedItems) else runs.merged(items)


def totals(items: Ordered) -> PairCounts:
    """Return the numbers or weights of correct and incorrect items; uncounted pairs are 0."""
    if isinstance(items, SortedItems):
        return items.pairs
    correct, incorrect = items.true_accepts.item(-1), items.false_accepts.item(-1)
    if isinstance(correct, float):
        return PairCounts(Fraction(correct), Fraction(incorrect), 0)
    return PairCounts(correct, incorrect, 0)


def pairs_of(items: Ordered) -> PairCounts:
    """Return the numbers or weights of correct items, of incorrect items, and of their pairs."""
    if isinstance(items, SortedItems):
        return items.pairs
    return pairs_between(items.true_accepts, items.false_accepts)


def quotient_digits(total: int) -> int:
    """Return the number s of binary digits that the kernels sum at a time, see `_kernels.sums`."""
    return min(26, 51 - total.bit_length())


def rounding_of(totals: PairCounts, *, weighted: bool) -> Quotient:
    """Return a bound on the error of a mean precision or risk from `sum_over`; 0 if none is known."""
    total = int(totals.correct + totals.incorrect)
    if weighted or total >= _kernels.sums.MAX_TOTAL:
        return 0, 1
    return 1, 1 << (2 * quotient_digits(total) + 38)


def sum_over(items: Ordered, quantity: int, *, of_risk: bool = False) -> Fraction:
    """Return the sum over the thresholds for the area `quantity`, a code of `_kernels.codes`.

    Points are summed in chunks of fixed size, so that the result does not depend on the number of
    threads.
    """
    areas = _kernels.sums
    correct, incorrect, _ = totals(items)
    total, weighted = int(correct + incorrect), type(correct) is Fraction
    if quantity in (PRECISION_INTEGRALS, RECALL_INTEGRALS) and not weighted:
        # Terms with logarithms are rounded, so the sum depends on the points. With the points between
        # runs, a sweep and its items give the same bits.
        items = runs_of(items)
    if isinstance(items, AcceptedCounts) and (weighted or total >= areas.MAX_TOTAL):
        return _sum_by_points(items, quantity, of_risk=of_risk)
    digits = quotient_digits(total)
    *columns, highs, lows, _ = _columns_of(items, quantity, 2.0**digits, of_risk=of_risk)
    return Fraction(*_joined(columns, digits)) + Fraction(*_exact_sum(highs, lows))


class ThresholdSums(NamedTuple):
    """Areas computed from sums over the thresholds; without a correct item, only `aurc` is defined."""

    aurc: Quotient
    """AURC by trapezoids."""
    average_precision: Quotient
    pr_auc: Quotient
    """PR-AUC by the interpolation of Davis and Goadrich."""


def threshold_sums(items: Ordered) -> ThresholdSums:
    """Return three areas from few passes over the thresholds; `sum_over` gives the same results."""
    areas = _kernels.sums
    correct, incorrect, _ = totals(items)
    total = correct + incorrect
    of_risk = incorrect < correct
    if type(correct) is Fraction or total >= areas.MAX_TOTAL:
        trapezoids = sum_over(items, PRECISION_TRAPEZOIDS, of_risk=of_risk) / (2 * total)
        steps = sum_over(items, RECALL_STEPS) / (correct or 1)
        integral = sum_over(items, RECALL_INTEGRALS) / (correct or 1)
        found = (trapezoids if of_risk else 1 - trapezoids, steps, integral)
        return ThresholdSums(*(area.as_integer_ratio() for area in found))
    n, n_correct = int(total), int(correct)
    digits = quotient_digits(n)
    quantity = RISK_AND_STEPS if of_risk else PRECISION_AND_STEPS
    columns = _columns_of(items, quantity, 2.0**digits)
    (area, unit), (mean, of_mean) = _joined(columns[:3], digits), _joined(columns[3:], digits)
    if isinstance(items, AcceptedCounts) and len(items.true_accepts) <= strategy.sizes.points:
        parts = areas.integrals_of_runs(items.true_accepts, items.false_accepts)
        under_curve, of_curve = exact_quotient(*parts)
    else:
        under_curve, of_curve = sum_over(items, RECALL_INTEGRALS).as_integer_ratio()
    return ThresholdSums(
        (area if of_risk else 2 * n * unit - area, 2 * n * unit),
        # The mean precision is 1 minus the mean risk.
        (n_correct * of_mean - mean if of_risk else mean, n_correct * of_mean),
        (under_curve, n_correct * of_curve),
    )


def _columns_of(
    items: Ordered, quantity: int, scale: float, *, of_risk: bool = False
) -> list[list[float]]:
    """Return the sums of `_kernels.sums.gather` in six columns, with an entry per chunk of points."""
    above: Any = None
    if isinstance(items, SortedItems):
        x, y, above = items.buckets.keys, items.buckets.bounds, items.above
        n_points = 1 + items.n_thresholds
    else:
        x, y = items.true_accepts, items.false_accepts
        n_points = len(x)
        if n_points <= strategy.sizes.points and not x.flags.writeable:
            # Pass writable copies, because numba would compile another version for read-only arrays.
            # The kernel `integrals_of_runs` passes writable arrays, too.
            x, y = x.copy(), y.copy()
    chunk, add_up = strategy.sizes.points, _kernels.sums.sums_of_points
    rows = np.empty((-(-(n_points - 1) // chunk), 6))
    threads = min(len(rows), strategy.n_threads(n_points))
    edges = [len(rows) * i // threads for i in range(threads + 1)]

    def add_points(i: int) -> None:
        start, stop = (1 + edge * chunk for edge in edges[i : i + 2])
        some, stop = rows[edges[i] : edges[i + 1]], min(stop, n_points)
        add_up(x, y, above, start, stop, chunk, quantity, of_risk, scale, some)

    parallel.run(add_points, range(threads))
    columns: list[list[float]] = rows.T.tolist()
    return columns


def _joined(columns: Sequence[list[float]], digits: int) -> Quotient:
    """Return ΣQ/2**s + ΣR/2**(2s) + (sum of remainders)/2**(2s) as (numerator, denominator).

    `columns` holds partial sums of Q, R and the remainders, and `digits` is s (see `_kernels.sums`).
    """
    first, second, rest = map(math.fsum, columns)
    last, unit = rest.as_integer_ratio()
    return ((int(first) << digits) + int(second)) * unit + last, unit << 2 * digits


def _exact_sum(highs: list[float], lows: list[float]) -> Quotient:
    """Return the sum of double-doubles, with twice the digits of a double."""
    high = math.fsum(highs)
    return exact_quotient(high, math.fsum([*highs, *lows, -high]))


def _sum_by_points(items: AcceptedCounts, quantity: int, *, of_risk: bool) -> Fraction:
    """Return `sum_over` for weights of any magnitude, and for counts beyond `MAX_TOTAL`."""
    scale, chunk = 1.0, strategy.sizes.points
    ta, fa = items.true_accepts, items.false_accepts
    if ta.dtype.kind == "f":
        scale = scale_of(max(ta[-1], fa[-1]))
        ta, fa = ta * scale, fa * scale
    if of_risk:
        ta, fa = fa, ta
    n_chunks = -(-len(ta) // chunk)
    threads = min(n_chunks, strategy.n_threads(len(ta)))

    def add_points(first: int) -> list[tuple[float, float]]:
        add_up, ends = _kernels.sums.add_up_points, range(first * chunk, len(ta), threads * chunk)
        return [add_up(ta, fa, start, min(start + chunk, len(ta)), quantity) for start in ends]

    parts = parallel.run(add_points, range(threads))
    every = (Fraction(x) for part in parts for pair in part for x in pair)
    return sum(every, Fraction(0)) / Fraction(scale)
