"""Pair counts and sweeps of weighted items: each key is moved together with its weight."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from fastarac import _kernels
from fastarac._engine import parallel, strategy
from fastarac._engine.buckets import Plan, over_buckets, plan_buckets
from fastarac._engine.counts import ThresholdCounts, thresholds_of
from fastarac._engine.pairs import PairCounts, scale_of

if TYPE_CHECKING:
    from fastarac._engine.inputs import Items


Array = NDArray[Any]


class SortedWeights(NamedTuple):
    """Items with nonzero weight, in sorted buckets of rising value."""

    keys: Array
    weights: NDArray[np.float64]
    bounds: NDArray[np.int64]
    """Where each bucket starts and ends."""
    scale: float
    """The factor by which all weights are multiplied in sums, see `scale_of`."""


class Pieces(NamedTuple):
    """Keys and weights in streams of pieces, see `_kernels.weighted_pairs`."""

    store: NDArray[np.uint64]
    pieces: NDArray[np.int32]
    """The pieces of all streams, one stream after the other."""
    bounds: NDArray[np.intp]
    """Where each stream begins in `pieces`; streams of incorrect and of correct items alternate."""
    scale: float
    """The factor by which all weights are multiplied in sums, see `scale_of`."""


def sort_with_weights(items: Items) -> tuple[SortedWeights, NDArray[np.float64]]:
    """Sort all items with nonzero weight; return them, and the sums of each bucket."""
    store, pieces, bounds_of_pieces, scale = spread_in_pieces(items, plan_buckets(items))
    kernels, n_buckets = _kernels.weighted_pairs, len(bounds_of_pieces) // 2
    streams, room = (store, pieces, bounds_of_pieces), kernels.PIECE * len(pieces)
    bounds, results = np.empty((n_buckets, 2), np.int64), np.empty((n_buckets, 7))
    buckets = SortedWeights(np.empty(room, items.layout.bits), np.empty(room), bounds, scale)

    def sort(first: int, last: int) -> None:
        kernels.sort_buckets(streams, first, last, tuple(buckets), results)

    over_buckets(n_buckets, items.n, lambda: sort)
    return buckets, results


def pairs_of_few(items: Items) -> PairCounts:
    """Return the pair counts of a few items, found by a single kernel."""
    weight = cast("NDArray[np.float64]", items.weight)
    scale = scale_of(float(weight.max()))
    _, (_, bits, labels) = next(items.chunks(0, items.n))
    bad, seen, sums = _kernels.weighted.small_pairs(
        bits, labels, weight, items.layout.kind, items.layout.exponent, scale
    )
    items.check(not_finite=bad, seen_labels=seen)
    return _pair_counts(sums, scale)


def pairs_in_buckets(items: Items) -> PairCounts:
    """Count the pairs bucket by bucket, sorting only the smaller class of each bucket."""
    n_buckets, table, ends = plan_buckets(items)
    coarser = strategy.sizes.coarser
    plan = Plan(-(-n_buckets // coarser), table // np.uint16(coarser), ends)
    store, pieces, bounds, scale = spread_in_pieces(items, plan)
    results = np.empty((len(bounds) // 2, 7))

    def step(first: int, last: int) -> None:
        _kernels.weighted_pairs.sums_of_streams(store, pieces, bounds, scale, first, last, results)

    over_buckets(len(results), items.n, lambda: step)
    return _pair_counts(_kernels.weighted.combine(results), scale)


def spread_in_pieces(items: Items, plan: Plan) -> Pieces:
    """Write the keys and weights of all items into streams of pieces, in one pass."""
    kernels, layout = _kernels.weighted_pairs, items.layout
    weight = cast("NDArray[np.float64]", items.weight)
    n_streams = 4 * plan.n_buckets
    shares = parallel.shares(items.n)
    room = [(end - start) // kernels.PIECE + n_streams for start, end in shares]
    firsts = [0, *accumulate(room)]
    store = np.empty(2 * kernels.PIECE * firsts[-1], np.uint64)
    stream_of = np.empty(firsts[-1], np.uint16)

    def move(index: int) -> tuple[int, int]:
        largest, free = 0, firsts[index]
        positions = np.zeros(n_streams, np.int64)
        for offset, part in items.chunks(*shares[index]):
            own = weight[offset : offset + len(part[0])]
            bad, seen, most, free = kernels.fill_streams(
                part, own, layout.kind, layout.exponent, tuple(plan), store, stream_of, positions, free
            )
            items.check(not_finite=bad, seen_labels=seen)
            largest = max(largest, most)
        kernels.fill_last_pieces(store, positions)
        return largest, free

    largest, frees = zip(*parallel.run(move, range(len(shares))), strict=True)
    taken = zip(firsts[:-1], frees, strict=True)
    pieces = np.concatenate([np.arange(first, free, dtype=np.int32) for first, free in taken])
    streams = stream_of[pieces]
    order = np.argsort(streams, kind="stable")
    bounds = np.searchsorted(streams[order], np.arange(n_streams + 1))
    scale = scale_of(float(np.int64(max(largest)).view(np.float64)))
    return Pieces(store, pieces[order], bounds, scale)


def _pair_counts(sums: NDArray[np.float64], scale: float) -> PairCounts:
    """Return the pair counts from the kernels' sums, which are double-doubles of scaled weights."""
    _, p_high, p_low, q_high, q_low, high, low = sums.tolist()
    unit = Fraction(scale)
    return PairCounts(
        _exact(p_high, p_low, unit), _exact(q_high, q_low, unit), _exact(high, low, unit * unit)
    )


def _exact(high: float, low: float, unit: Fraction) -> Fraction:
    """Return (high + low)/unit exactly, faster than by sums of fractions."""
    numerator, common = exact_quotient(high, low)
    return Fraction(numerator * unit.denominator, common * unit.numerator)


def exact_quotient(high: float, low: float) -> tuple[int, int]:
    """Return high + low as numerator and denominator, exactly."""
    a, b = high.as_integer_ratio()
    c, d = low.as_integer_ratio()
    common = max(b, d)  # b and d are powers of two
    return a * (common // b) + c * (common // d), common


def weighted_sweep(items: Items) -> ThresholdCounts:
    """Return every threshold with the accepted weights."""
    buckets, results = sort_with_weights(items)
    above = _kernels.weighted.sums_above(results)
    size = 1 + int(results[:, 0].sum())
    raw, true_accepts, false_accepts = np.empty(size, items.layout.bits), np.zeros(size), np.zeros(size)
    out = raw, true_accepts, false_accepts

    def write(first: int, last: int) -> None:
        _kernels.weighted.write_buckets_weighted(
            tuple(buckets), first, last, items.layout.kind, above, out
        )

    over_buckets(len(results), items.n, lambda: write)
    true_accepts /= buckets.scale
    false_accepts /= buckets.scale
    return ThresholdCounts(thresholds_of(raw, items.layout), true_accepts, false_accepts)
