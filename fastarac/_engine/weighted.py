"""Pair counts and sweeps of weighted items: each key carries its weight along."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from fastarac import _kernels
from fastarac._engine import strategy
from fastarac._engine.buckets import Buckets, Plan, over_buckets, plan_buckets, spread
from fastarac._engine.counts import ThresholdCounts, thresholds_of
from fastarac._engine.pairs import PairCounts, scale_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fastarac._engine.inputs import Items


def _sum_buckets(items: Items, plan: Plan) -> tuple[Buckets, NDArray[np.float64], float]:
    """Sorted buckets of weighted items, the sums of each, and the scale of these sums."""
    buckets = spread(items, plan)
    scale = scale_of(float(buckets.weights.max()))
    n_buckets = len(buckets.bounds) - 1
    results = np.empty((n_buckets, 7))

    def step(first: int, last: int) -> None:
        _kernels.weighted.sums_of_buckets(
            buckets.keys, buckets.weights, scale, buckets.bounds, first, last, results
        )

    over_buckets(n_buckets, items.n, lambda: step)
    return buckets, results, scale


def count_weighted_pairs(items: Items) -> PairCounts:
    if items.weight is not None and items.n <= strategy.sizes.single:
        scale = scale_of(float(items.weight.max()))
        _, _, bits, labels = next(items.chunks(0, items.n))
        bad, seen, sums = _kernels.weighted.small_pairs(
            bits, labels, items.weight, items.layout.kind, items.layout.exponent, scale
        )
        items.check(not_finite=bad, seen_labels=seen)
    else:
        _, results, scale = _sum_buckets(items, plan_buckets(items))
        sums = _kernels.weighted.combine(results)
    _, p_high, p_low, q_high, q_low, high, low = sums.tolist()
    unit = Fraction(scale)
    return PairCounts(
        _exact(p_high, p_low, unit), _exact(q_high, q_low, unit), _exact(high, low, unit * unit)
    )


def _exact(high: float, low: float, unit: Fraction) -> Fraction:
    """The value of a double-double in this unit, faster than by sums of fractions."""
    numerator, common = exact_quotient(high, low)
    return Fraction(numerator * unit.denominator, common * unit.numerator)


def exact_quotient(high: float, low: float) -> tuple[int, int]:
    """The value of a double-double as numerator and denominator."""
    a, b = high.as_integer_ratio()
    c, d = low.as_integer_ratio()
    common = max(b, d)  # both are powers of two
    return a * (common // b) + c * (common // d), common


def weighted_sweep(items: Items, plan: Plan) -> ThresholdCounts:
    buckets, results, scale = _sum_buckets(items, plan)
    n_buckets = len(buckets.bounds) - 1
    above = _kernels.weighted.sums_above(results)
    size = 1 + int(results[:, 0].sum())
    raw = np.empty(size, items.layout.bits)
    true_accepts = np.zeros(size)
    false_accepts = np.zeros(size)

    def step(first: int, last: int) -> None:
        _kernels.weighted.write_buckets_weighted(
            buckets.keys, buckets.weights, scale, buckets.bounds, first, last, items.layout.kind,
            above, raw, true_accepts, false_accepts,
        )  # fmt: skip

    over_buckets(n_buckets, items.n, lambda: step)
    true_accepts /= scale
    false_accepts /= scale
    return ThresholdCounts(thresholds_of(raw, items.layout), true_accepts, false_accepts)
