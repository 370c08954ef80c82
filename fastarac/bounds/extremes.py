"""The smallest and the largest possible areas, given the counts of items in bins.

All bounds are computed from lower and upper bounds on the numbers of correct and of incorrect items at
or above each edge of the bins, from the highest edge down. If lower and upper bounds agree at all
edges, the bins are independent and the extremes are attained:

* ARAC, ROC, AUGRC: the correct items of a bin are all above its incorrect items, or all below.
* Average precision: it is largest if the correct items of a bin are tied above its incorrect items. It
  is smallest if the correct items are below, each with a different confidence. Let the bin have p
  correct items, and let T correct and F incorrect items come before them. Then the j-th correct item of
  the bin has the precision (T + j)/(T + j + F). The sum over j is p − F·(H(T + p + F) − H(T + F)), with
  the harmonic numbers H.
* ARP by trapezoids: it is largest if the correct items are above with distinct confidences, and the
  incorrect items are tied below (a straight line lies above a convex curve). It is smallest if the
  incorrect items are above with distinct confidences, and the correct items are tied below.

If lower and upper bounds differ, an item may be in one of several bins. The bounds of its precision are
then the extremes over all these bins. Such bounds are guaranteed, but may not be sharp.
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastarac._core.results import TupleResult
from fastarac._engine.pairs import pairs_between, quotient_of_pairs

FloatArray = NDArray[np.float64]

MOST_DECIMALS = 16
MARGIN = 2.0**-48  # at least twice the rounding error of a sum of precisions
DIRECT = 64  # number of tabulated harmonic numbers; larger ones are computed
_EXACT = list(accumulate((Fraction(1, k) for k in range(1, DIRECT + 1)), initial=Fraction(0)))
_HARMONIC = np.array(_EXACT, np.float64)
_LEFT = np.array([float(a - Fraction(b)) for a, b in zip(_EXACT, _HARMONIC.tolist(), strict=True)])


class _Bounds(NamedTuple):
    low: float
    high: float


class Bounds(TupleResult, _Bounds):
    """Guaranteed lower and upper bound of a metric of the items, rounded outward.

    See Also
    --------
    BoundedSweep : bounds of metrics from counts in bins
    fastarac.results.CurveBounds : lower and upper bound of a curve, from a BoundedSweep

    Examples
    --------
    >>> import fastarac as fa
    >>> bounds = fa.frames.Bounds(0.25, 0.5)
    >>> bounds.width
    0.25
    >>> print(bounds)
    between 0.2500 and 0.5000
    """

    __slots__ = ()

    @property
    def width(self) -> float:
        """`high` − `low`; 0 if the metric is exact."""
        return self.high - self.low

    def __str__(self) -> str:
        if self.low == self.high or not math.isfinite(self.width):
            return f"{self.low:.6g}"
        # Show enough decimals to tell the ends apart, and round the ends outward.
        decimals = max(4, 2 - math.floor(math.log10(self.width)))
        unit = Decimal(1).scaleb(-min(decimals, MOST_DECIMALS))
        low = Decimal(self.low).quantize(unit, ROUND_FLOOR)
        high = Decimal(self.high).quantize(unit, ROUND_CEILING)
        return f"between {low:f} and {high:f}"


class Counts(NamedTuple):
    """Bounds on the numbers of items at or above each edge, of shape (m + 1,); the first is 0."""

    correct_low: NDArray[Any]
    correct_high: NDArray[Any]
    incorrect_low: NDArray[Any]
    incorrect_high: NDArray[Any]
    single: NDArray[np.bool_]
    """Whether all items between two edges have the same confidence, (m,)."""

    @property
    def exact(self) -> NDArray[np.bool_]:
        """Whether the counts at an edge are exact, of shape (m + 1,)."""
        correct = self.correct_low == self.correct_high
        return np.asarray(correct & (self.incorrect_low == self.incorrect_high))

    def path(self, *, best: bool, steps: int = 1) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Return, at each point, the correct items, the incorrect items, and the edge below.

        In the best order, the correct items of a bin come first, in `steps` steps; its incorrect items
        follow, all tied. In the worst order, the incorrect items come first. Points that repeat the
        previous counts are omitted.
        """
        first, second = self.correct_high, self.incorrect_low
        if not best:
            first, second = self.incorrect_high, self.correct_low
        tie = self.single[:, None]
        a = np.where(tie, first[1:, None], _steps(first, steps))
        a = np.append(first[:1], np.hstack([a, first[1:, None]]))
        held = np.repeat(np.where(tie, second[1:, None], second[:-1, None]), steps, axis=1)
        b = np.append(second[:1], np.hstack([held, second[1:, None]]))
        where = np.append(0, np.repeat(np.arange(1, len(first)), steps + 1))
        new = np.append(True, (a[1:] != a[:-1]) | (b[1:] != b[:-1]))
        correct, incorrect = (a, b) if best else (b, a)
        return correct[new], incorrect[new], where[new]

    def pair_area(self, metric: str) -> Bounds | None:
        """Return the bounds of an area that depends on the pairs of items only; None if it is 0/0."""
        ends = []
        for best in (False, True):
            correct, incorrect, _ = self.path(best=best)
            pairs = pairs_between(correct, incorrect)
            value, unit = quotient_of_pairs(metric, pairs)
            if not unit:
                return None
            ends.append(Fraction(value, unit))
        if self.correct_low.dtype != np.int64:  # allow for rounding errors of sums of weights
            margin = Fraction(MARGIN)
            return outward(min(ends) - margin, max(ends) + margin)
        return outward(min(ends), max(ends))

    def average_precision(self) -> Bounds | None:
        """Return the bounds of the average precision; None if no item is correct."""
        total = float(self.correct_low[-1])
        if not total:
            return None
        tl, th, fl, fh = self._floats()
        errors = np.where(self.single, fl[1:], fl[:-1])
        highest = _ratio(th[1:], th[1:] + errors)
        high = _over_ranks(tl, th, highest)
        # Correct items that are certainly in a bin with a single confidence have the precision of
        # this bin.
        sure = np.maximum(tl[1:] - th[:-1], 0.0) * self.single
        low = sure * _ratio(tl[1:], tl[1:] + fh[1:])
        low += self._one_by_one(tl[:-1], fh[1:], tl[1:] - tl[:-1] - sure)
        return _bounds(low / total, high / total)

    def precision(self, correct: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the smallest and largest height of the precision–recall curve at `correct` items.

        The height is the precision at the first threshold that accepts at least this many correct
        items.
        """
        tl, th, fl, fh = self._floats()
        # These are the bins that may contain the threshold. With exact counts, there is only one.
        first = np.searchsorted(th[1:], correct)
        end = np.maximum(np.searchsorted(tl[:-1], correct), first + 1)
        errors = np.where(self.single, fl[1:], fl[:-1])
        highest = np.append(_ratio(th[1:], th[1:] + errors), 0.0)
        high = np.maximum.reduceat(highest, np.column_stack([first, end]).ravel())[::2]
        # In the worst case, all errors of the last bin come before its correct items.
        last = np.searchsorted(tl[:-1], correct, side="right") - 1
        tied = self.single[last] & (first == last)
        reached = np.where(tied, np.maximum(tl[last + 1], correct), correct)
        return _ratio(reached, reached + fh[last + 1]), high

    def arp_auc(self) -> Bounds:
        """Return the bounds of the area under the precision over the acceptance rate, by trapezoids."""
        tl, th, fl, fh = self._floats()
        total = tl[-1] + fl[-1]
        highest = _ratio(th[1:], th[1:] + fl[:-1])
        lowest = _ratio(tl[:-1], tl[:-1] + fh[1:])
        alone = self.exact[1:] & self.exact[:-1]
        low = _over_ranks(tl + fl, th + fh, lowest, largest=False, alone=alone)
        high = _over_ranks(tl + fl, th + fh, highest, alone=alone)
        t, f = tl[:-1][alone], fl[:-1][alone]
        p, q = tl[1:][alone] - t, fl[1:][alone] - f
        single = self.single[alone]
        tied = _chord(t, f, p, q)
        correct_first = self._curve(t, f, p) + _chord(t + p, f, np.zeros_like(q), q)
        # Exchanging correct and incorrect items turns the precision into the risk.
        incorrect_first = q - self._curve(f, t, q) + _chord(t, f + q, p, np.zeros_like(p))
        high = np.append(high, np.where(single, tied, correct_first))
        low = np.append(low, np.where(single, tied, incorrect_first))
        return _bounds(low / total, high / total)

    def _floats(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        tl, th, fl, fh = (np.asarray(counts, np.float64) for counts in self[:4])
        return tl, th, fl, fh

    def _rise(self, start: FloatArray, count: FloatArray) -> FloatArray:
        """Return Σ 1/k over start < k <= start + count; for weights, the corresponding integral."""
        stop = start + count
        if self.correct_low.dtype != np.int64:
            return np.log1p(_ratio(count, start))
        begin, end = np.maximum(start, DIRECT), np.maximum(stop, DIRECT)
        far = np.log1p((end - begin) / begin) - (end - begin) / (2.0 * begin * end)
        for power, factor in ((2, -12.0), (4, 120.0), (6, -252.0), (8, 240.0)):
            far += (end**-power - begin**-power) / factor
        # Add the rounding errors of the tabulated numbers, so that small differences keep their digits.
        last, first = (np.minimum(at, DIRECT).astype(np.int64) for at in (stop, start))
        near: FloatArray = (_HARMONIC[last] - _HARMONIC[first]) + (_LEFT[last] - _LEFT[first])
        return near + far

    def _one_by_one(self, right: FloatArray, wrong: FloatArray, count: FloatArray) -> FloatArray:
        """Return the sum of the precisions after each of `count` correct items, added one by one."""
        # `_rise` is not valid where `wrong` is 0, so its value is ignored there.
        return count - np.where(wrong > 0, wrong * self._rise(right + wrong, count), 0.0)

    def _curve(self, right: FloatArray, wrong: FloatArray, count: FloatArray) -> FloatArray:
        """Return `_one_by_one` by trapezoids: the first and the last value have half the weight."""
        area = self._one_by_one(right, wrong, count)
        if self.correct_low.dtype != np.int64:
            return area
        after = _ratio(right + count, right + count + wrong)
        before = np.where(right + wrong > 0, _ratio(right, right + wrong), after)
        return area - (after - before) / 2.0


def outward(low: Fraction, high: Fraction) -> Bounds:
    """Return bounds rounded outward; equal ends are rounded to the nearest double."""
    ends = float(low), float(high)
    if low == high:
        return Bounds(*ends)
    return Bounds(
        math.nextafter(ends[0], -math.inf) if Fraction(ends[0]) > low else ends[0],
        math.nextafter(ends[1], math.inf) if Fraction(ends[1]) < high else ends[1],
    )


def _bounds(low: FloatArray, high: FloatArray) -> Bounds:
    """Sum the terms of both bounds of an area in [0, 1], and widen them for rounding errors."""
    return Bounds(max(0.0, math.fsum(low) - MARGIN), min(1.0, math.fsum(high) + MARGIN))


def _steps(counts: NDArray[Any], steps: int) -> NDArray[Any]:
    """Return counts in equal steps from each count to the next, of shape (m, steps)."""
    left = np.arange(steps - 1, -1, -1)
    rise = counts[1:] - counts[:-1]
    short = rise[:, None] / steps * left
    if counts.dtype == np.int64:
        short = np.floor(short).astype(np.int64)
    return counts[1:, None] - short  # type: ignore[no-any-return]


def _ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    """Return quotients, 0 where `whole` is 0."""
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def _chord(t: FloatArray, f: FloatArray, p: FloatArray, q: FloatArray) -> FloatArray:
    """Return the area of a trapezoid under the precision over a tie; a rectangle for the first tie."""
    after = _ratio(t + p, t + p + f + q)
    before = np.where(t + f > 0, _ratio(t, t + f), after)
    return (p + q) * (before + after) / 2.0


def _over_ranks(
    low: FloatArray,
    high: FloatArray,
    value: FloatArray,
    *,
    largest: bool = True,
    alone: NDArray[np.bool_] | None = None,
) -> FloatArray:
    """Return a term for each run of ranks with the same possible bins.

    The term is the number of ranks times the largest `value` of the bins, or the smallest without
    `largest`. At least low[i] and at most high[i] items are at or above edge i. So the highest possible
    bin of rank r is the first with high >= r, and the lowest is the first with low >= r. Bins that are
    marked in `alone` are omitted.
    """
    ends = np.union1d(low, high)
    runs, ends = np.diff(ends), ends[1:]
    first = np.searchsorted(high, ends) - 1  # bin i lies between edges i and i + 1
    last = np.searchsorted(low, ends) - 1
    if alone is not None:
        used = ~alone[first]
        runs, first, last = runs[used], first[used], last[used]
    return runs * _extremes(value, first, last, largest=largest)


def _extremes(
    value: FloatArray, first: NDArray[np.intp], last: NDArray[np.intp], *, largest: bool
) -> FloatArray:
    """Return the largest or smallest value in each range from `first` to `last`."""
    of_two = np.maximum if largest else np.minimum
    out, length = np.empty(len(first)), last - first + 1
    width = 1
    while True:
        # value[i] is the maximum (or minimum) of `width` original values from index i.
        here = (length >= width) & (length < 2 * width)
        out[here] = of_two(value[first[here]], value[last[here] - width + 1])
        if length.max(initial=0) < 2 * width:
            return out
        value = of_two(value[:-width], value[width:])
        width *= 2
