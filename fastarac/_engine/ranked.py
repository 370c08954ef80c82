"""Pair counts, thresholds or sorted items from given items, by the fastest suitable method."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from fastarac import _kernels
from fastarac._engine import limits, runs, sums, weighted
from fastarac._engine.buckets import (
    Buckets,
    SortedItems,
    counts_above,
    halve,
    over_buckets,
    pairs_of_rows,
    partition,
    plan_buckets,
    sorted_rows,
)
from fastarac._engine.counting import count_values
from fastarac._engine.counts import (
    AcceptedCounts,
    CountsAtThresholds,
    PointCounts,
    ThresholdCounts,
    thresholds_of,
)
from fastarac._engine.pairs import PairCounts, Quotient, pairs_between, value_of_pairs
from fastarac._engine.quantized import count_quantized
from fastarac._engine.smaller_class import corners_around_few, count_around_few
from fastarac._engine.strategy import Need, Way, choose, first_way
from fastarac._kernels.codes import (
    OF_INTERPOLATION,
    PRECISION_INTEGRALS,
    PRECISION_MEANS,
    RECALL_INTEGRALS,
    RECALL_STEPS,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from fastarac._engine.inputs import Items
    from fastarac._engine.sums import Ordered, ThresholdSums

Number = TypeVar("Number", float, Fraction)

# These sums need only the points at which a curve may bend (its corners).
OF_CORNERS = {PRECISION_MEANS, PRECISION_INTEGRALS, RECALL_INTEGRALS}


def ordered(items: Items, need: Need, ways: Mapping[Way, Callable[[Items], Any]]) -> Any:
    """Return the result of the first suitable method; `ways` maps methods to functions."""
    for way in choose(items, need):
        found = (ways.get(way) or _ORDERED[way])(items)
        if found is not None:
            return found
    raise AssertionError(f"no method gives {need}")


_ORDERED: dict[Way, Callable[[Items], ThresholdCounts | Buckets | None]] = {
    "one bucket": lambda items: halve(items, by_numpy=False),
    "counted": count_values,
    "numpy": lambda items: halve(items, by_numpy=True),
    "buckets": lambda items: partition(items, plan_buckets(items)),
}


def count_pairs(items: Items) -> PairCounts:
    """Return the numbers of correct items, of incorrect items, and of their pairs."""
    found = ordered(items, "pairs", _TO_PAIRS)
    if isinstance(found, PairCounts):
        return found
    if isinstance(found, ThresholdCounts):
        return pairs_between(*found[1:])
    return pairs_of_rows(sorted_rows(found))


def _pairs_of_few(items: Items) -> PairCounts:
    if items.weight is not None:
        return weighted.pairs_of_few(items)
    _, (_, bits, labels) = next(items.chunks(0, items.n))
    bad, seen, correct, incorrect, doubled = _kernels.ties.small_pairs(
        bits, labels, items.layout.kind, items.layout.exponent
    )
    items.check(not_finite=bad, seen_labels=seen)
    return PairCounts(int(correct), int(incorrect), int(doubled))


_TO_PAIRS: dict[Way, Callable[[Items], PairCounts | None]] = {
    "few": _pairs_of_few,
    "weighted": weighted.pairs_in_buckets,
    "smaller class": count_around_few,
    "quantized": count_quantized,
}


def every_threshold(items: Items) -> ThresholdCounts:
    """Return every threshold with its counts."""
    found = ordered(items, "thresholds", _TO_THRESHOLDS)
    return found if isinstance(found, ThresholdCounts) else _thresholds_of(found, items)


def _thresholds_of_few(items: Items) -> ThresholdCounts:
    _, (_, bits, labels) = next(items.chunks(0, items.n))
    bad, seen, raw, *accepts = _kernels.ties.small_sweep(
        bits, labels, items.layout.kind, items.layout.exponent
    )
    items.check(not_finite=bad, seen_labels=seen)
    return ThresholdCounts(thresholds_of(raw, items.layout), *accepts)


_TO_THRESHOLDS: dict[Way, Callable[[Items], ThresholdCounts]] = {
    "few": _thresholds_of_few,
    "weighted": weighted.weighted_sweep,
}


def _thresholds_of(buckets: Buckets, items: Items) -> ThresholdCounts:
    n_buckets = len(buckets.bounds) - 1
    rows = sorted_rows(buckets)
    starts = counts_above(rows)
    size = 1 + int(rows[:, 0].sum())
    out = np.empty(size, items.layout.bits), np.empty(size, np.int64), np.empty(size, np.int64)
    raw, *accepts = out
    accepts[0][0] = accepts[1][0] = 0
    keys, bounds, below, kind = buckets.keys, buckets.bounds, buckets.below, items.layout.kind

    def write(first: int, last: int) -> None:
        _kernels.ties.write_buckets(keys, bounds, first, last, below, kind, starts, out)

    over_buckets(n_buckets, len(buckets.keys), lambda: write)
    return ThresholdCounts(thresholds_of(raw, items.layout), *accepts)


def rank(items: Items) -> ThresholdCounts | SortedItems:
    """Return the sorted items; if they are few or weighted, return every threshold with its counts."""
    found = ordered(items, "sums", _TO_SUMS)
    if isinstance(found, ThresholdCounts):
        return found
    rows = sorted_rows(found)
    n_thresholds = int(rows[:, 0].sum())
    return SortedItems(found, items.layout, counts_above(rows), n_thresholds, pairs_of_rows(rows))


_TO_SUMS: dict[Way, Callable[[Items], ThresholdCounts]] = {
    "few": every_threshold,
    "weighted": every_threshold,
}


def _runs_of(items: Items) -> PointCounts:
    found = ordered(items, "runs", _TO_RUNS)
    return runs.merged(found) if isinstance(found, ThresholdCounts) else runs.of_buckets(found)


_TO_RUNS: dict[Way, Callable[[Items], ThresholdCounts | None]] = {
    "few": every_threshold,
    "weighted": every_threshold,
    "smaller class": corners_around_few,
}


def corners_of(items: Items) -> ThresholdCounts:
    """Return only the thresholds of unweighted items at which a curve may bend."""
    return _corners_around_few(items) or runs.corners_among(every_threshold(items))


def _corners_around_few(items: Items) -> ThresholdCounts | None:
    return corners_around_few(items) if first_way(items, "corners") == "smaller class" else None


class RankedItems:
    """Results that depend on the order of items; each is computed on demand, by the fastest method.

    A caller with a sweep passes its `counts` instead of the items; they are kept as `given`. With
    `corners`, the caller promises to use only results that follow from the points at which a curve may
    bend.
    """

    __slots__ = (
        "_around_few",
        "_corners_do",
        "_items",
        "_ordered",
        "_pairs",
        "_runs",
        "_sums",
        "_tried",
        "given",
    )

    def __init__(
        self,
        items: Items | None,
        counts: AcceptedCounts | None = None,
        *,
        corners: bool = False,
    ) -> None:
        self.given = counts
        self._items: Any = items  # not used if counts are given
        self._ordered: Ordered | None = counts
        self._corners_do = corners
        self._around_few: ThresholdCounts | None = None
        self._tried = False
        self._pairs: PairCounts | None = None
        self._runs: PointCounts | None = None
        self._sums: dict[tuple[int, bool], Fraction] = {}

    @property
    def pairs(self) -> PairCounts:
        """The numbers of correct items, of incorrect items, and of their pairs."""
        if self._pairs is None:
            known = self._around_few if self._ordered is None else self._ordered
            self._pairs = count_pairs(self._items) if known is None else sums.pairs_of(known)
        return self._pairs

    @property
    def points(self) -> CountsAtThresholds:
        """Every threshold with its counts, or those of the given sweep."""
        if not isinstance(self._ordered, AcceptedCounts):
            self._ordered = every_threshold(self._items)
        return cast("CountsAtThresholds", self._ordered)

    @property
    def corners(self) -> CountsAtThresholds:
        """The counts where a curve may bend, or all counts if finding only those is not faster."""
        corners = self._corners()
        return self.points if corners is None else corners

    @property
    def runs(self) -> PointCounts:
        """The counts between runs of equal labels (see `_kernels.runs`), for unweighted items."""
        if self._runs is None:
            known = self._around_few if self._ordered is None else self._ordered
            self._runs = _runs_of(self._items) if known is None else sums.runs_of(known)
        return self._runs

    @property
    def totals(self) -> PairCounts:
        """Numbers or weights of correct and incorrect items; uncounted pairs are 0."""
        corners = self._corners() if self._corners_do else None
        return sums.totals(self._rank() if corners is None else corners)

    @property
    def weighted(self) -> bool:
        """Whether the counts are sums of weights."""
        if self._items is not None:
            return self._items.weight is not None
        return type(self.totals.correct) is Fraction

    @property
    def rounding(self) -> Quotient:
        """Bound on the rounding error of a mean precision or risk from `sum`; 0 if no bound is known.

        Two such means that differ by no more than the bound are treated as equal.
        """
        return sums.rounding_of(self.totals, weighted=self.weighted)

    def sum(self, quantity: int, *, of_risk: bool = False) -> Fraction:
        """Return the sum for the area `quantity`, a code of `_kernels.codes`; see `sums.sum_over`."""
        key = quantity, of_risk
        if key not in self._sums:
            corners = self._corners() if quantity in OF_CORNERS else None
            ordered = self._rank() if corners is None else corners
            self._sums[key] = sums.sum_over(ordered, quantity, of_risk=of_risk)
        return self._sums[key]

    def sum_below(self, above: tuple[int, int], quantity: int, *, of_risk: bool = False) -> Fraction:
        """Return `sum` after adding items above all others; `above` is their (correct, incorrect)."""
        correct, incorrect = above
        ordered = self._rank()
        n_correct, n_incorrect, _ = sums.totals(ordered)
        total = n_correct + n_incorrect + correct + incorrect
        if isinstance(ordered, SortedItems):
            if total < _kernels.sums.MAX_TOTAL:
                return sums.sum_over(ordered.below(correct, incorrect), quantity, of_risk=of_risk)
            ordered = every_threshold(self._items)
        ta, fa = ordered.true_accepts + correct, ordered.false_accepts + incorrect
        if total < _kernels.sums.MAX_TOTAL or not correct + incorrect:
            return sums.sum_over(PointCounts(ta, fa), quantity, of_risk=of_risk)
        # Beyond `MAX_TOTAL`, add the further items as one tie at the top, and subtract the term of this
        # tie from the sum.
        whole = PointCounts(*(np.concatenate([[0], counts]) for counts in (ta, fa)))
        tie = 2 * (incorrect if of_risk else correct)
        step = Fraction(correct * correct, correct + incorrect)
        found = sums.sum_over(whole, quantity, of_risk=of_risk)
        return found - (step if quantity == RECALL_STEPS else tie)

    def precision_area(self, interpolation: str) -> float:
        """Return the area under the precision–recall curve; NaN if no item is correct."""
        positives = self.totals.correct
        if not positives:
            return math.nan
        area = self.sum(OF_INTERPOLATION[interpolation]) / positives
        return float(area / 2 if interpolation == "linear" else area)

    @property
    def roc_auc(self) -> float:
        """ROC-AUC; NaN if there is only one class."""
        return value_of_pairs("roc_auc", self.pairs)

    def within(self, value: Number, least: Number, most: Number) -> Number:  # noqa: ARG002
        """Return `value`; subclasses for estimated counts clip it to [`least`, `most`]."""
        return value

    def refuse_unestimated(self, **options: object) -> None:
        """Accept all options; subclasses for estimated counts refuse options that have no estimate."""

    def sums(self) -> ThresholdSums:
        """Return AURC, average precision and PR-AUC, in few passes over the thresholds."""
        return sums.threshold_sums(self._rank())

    def at_limits(
        self, max_error_rates: Sequence[float], max_risks: Sequence[float]
    ) -> CountsAtThresholds:
        """Return the counts of `limits.points_at_limits`, or all counts if they are known already."""
        ordered = self._rank()
        if isinstance(ordered, SortedItems):
            return limits.points_at_limits(ordered, max_error_rates, max_risks)
        return cast("CountsAtThresholds", ordered)

    def _rank(self) -> Ordered:
        if self._ordered is None:
            self._ordered = rank(self._items)
        return self._ordered

    def _corners(self) -> ThresholdCounts | None:
        """Return the counts where a curve may bend; None if a search without sorting found none."""
        if self._ordered is None and not self._tried:
            self._tried = True
            self._around_few = _corners_around_few(self._items)
        return self._around_few
