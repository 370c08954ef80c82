"""Operating points from counts in bins, which keep a limit for any order of the items in a bin."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac._core.results import Result
from fastarac._core.text import percent
from fastarac.bounds.extremes import Bounds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fastarac.bounds.bounded import BoundedSweep


@dataclass(frozen=True, slots=True, eq=False)
class BoundedOperatingPoint(Result):
    """Bounds on the counts and rates at one threshold, from counts in bins.

    An item is accepted iff its confidence is at or above `threshold`. A threshold that was chosen for a
    limit keeps the limit for any order of the items inside the bins. A threshold inside a bin might
    keep the limit and accept more items: at most the share `largest_acceptance_rate`.

    Attributes
    ----------
    threshold : float
        ``inf`` if nothing may be accepted. A Python integer if it is too large for an exact float.
    true_accepts, false_accepts : Bounds
        TA and FA; both ends are equal if the counts at the threshold are exact.
    n_correct, n_incorrect : int or float
        n⁺ and n⁻.
    largest_acceptance_rate : float
        Upper bound on the acceptance rate of the best threshold within the limit if all confidences
        were known, in [0, 1].

    See Also
    --------
    fastarac.operating_point : choose the threshold by one criterion, and compute its rates
    fastarac.frames.BoundedSweep : bounds of metrics from counts in bins

    Examples
    --------
    >>> import fastarac as fa
    >>> sweep = fa.frames.BoundedSweep.from_bins([0.0, 0.5, 0.9, 1.0], [10, 30, 50], [20, 5, 1])
    >>> point = fa.operating_point(sweep, max_error_rate=0.02)
    >>> point.threshold
    0.9
    """

    threshold: Any
    true_accepts: Bounds
    false_accepts: Bounds
    n_correct: int | float
    n_incorrect: int | float
    largest_acceptance_rate: float

    _derived = ("acceptance_rate", "error_rate")

    def __str__(self) -> str:
        more = f", at most {percent(self.acceptance_lost, 4)} lost" if self.acceptance_lost else ""
        if not self.acceptance_rate.high:
            return f"accept nothing{more}: review everything"
        return (
            f"accept {percent(self.acceptance_rate.low, 4)} at confidence >= {self.threshold}{more}: "
            f"error rate at most {percent(self.error_rate.high, 4)}"
        )

    @property
    def total(self) -> int | float:
        """Ω, the weight of all items."""
        return self.n_correct + self.n_incorrect

    @property
    def acceptance_rate(self) -> Bounds:
        """X = (TA + FA)/Ω."""
        (ta, more_ta), (fa, more_fa) = self.true_accepts, self.false_accepts
        return Bounds((ta + fa) / self.total, (more_ta + more_fa) / self.total)

    @property
    def acceptance_lost(self) -> float:
        """Upper bound on the acceptance rate that is lost because the order inside bins is unknown."""
        return max(0.0, self.largest_acceptance_rate - self.acceptance_rate.low)

    @property
    def error_rate(self) -> Bounds:
        """R_E = FA/Ω: undetected errors among *all* items."""
        low, high = self.false_accepts
        return Bounds(low / self.total, high / self.total)

    @property
    def correction_rate(self) -> Bounds:
        """R_C = TR/Ω: the share of items that people correct."""
        low, high = self.false_accepts
        return Bounds((self.n_incorrect - high) / self.total, (self.n_incorrect - low) / self.total)

    @property
    def accuracy_after_correction(self) -> Bounds:
        """Y = 1 − R_E."""
        low, high = self.false_accepts
        return Bounds((self.total - high) / self.total, (self.total - low) / self.total)

    @property
    def risk(self) -> Bounds:
        """FA/(TA + FA), the share of errors among the accepted items; NaN if nothing is accepted."""
        (ta, more_ta), (fa, more_fa) = self.true_accepts, self.false_accepts
        return Bounds(_share(fa, more_ta), _share(more_fa, ta))

    @property
    def precision(self) -> Bounds:
        """TA/(TA + FA), the share of correct items among the accepted; NaN if nothing is accepted."""
        (ta, more_ta), (fa, more_fa) = self.true_accepts, self.false_accepts
        return Bounds(_share(ta, more_fa), _share(more_ta, fa))


def _share(part: float, rest: float) -> float:
    return part / (part + rest) if part + rest else math.nan


def bounded_point(sweep: BoundedSweep, criterion: str, limit: Any) -> BoundedOperatingPoint:
    """Return the operating point for one criterion, for example "max_risk", and its value `limit`."""
    tl, th, fl, fh, _ = sweep.counts
    total = sweep.total
    largest = 0.0
    if criterion == "threshold":
        # Items above the next higher edge are certainly accepted. Items between this edge and the next
        # lower one may be accepted.
        rising = sweep.thresholds[::-1]
        if isinstance(limit, int) and abs(limit) > 1 << 53:
            rising = rising.astype(object)
        above = len(rising) - 1 - int(np.searchsorted(rising, limit, side="left"))
        below = len(rising) - int(np.searchsorted(rising, limit, side="right"))
        below = max(above, min(below, len(rising) - 1))
        return _point(sweep, limit, above, below, 0.0)
    if criterion in ("max_error_rate", "max_risk"):
        index, edge = open_edges(sweep, criterion, limit)
        right = th[edge]
        if criterion == "max_error_rate":
            most = _most(limit, lambda errors: errors / total, sweep)
        else:
            most = _most(limit, lambda errors: errors / (errors + right) if errors else 0.0, sweep)
        largest = (right + min(most, fh[edge])) / total
    else:
        index = int(np.searchsorted((tl + fl) / total, limit, side="left"))
    return _point(sweep, sweep.thresholds[index], index, index, float(largest))


def open_edges(sweep: BoundedSweep, criterion: str, limit: float) -> tuple[int, int]:
    """Return (last edge that keeps the limit in any order, edge below which no order keeps it)."""
    tl, th, fl, fh, single = sweep.counts
    if criterion == "max_error_rate":
        index = int(np.searchsorted(fh / sweep.total, limit, side="right")) - 1
        # the first point that certainly exceeds the limit
        over = int(np.searchsorted(fl / sweep.total, limit, side="right"))
        return index, over if over < len(fl) and not single[over - 1] else over - 1
    kept = np.flatnonzero(_risks(fh, tl) <= limit)
    open_to = np.flatnonzero(_risks(np.where(single, fl[1:], fl[:-1]), th[1:]) <= limit)
    return int(kept[-1]) if len(kept) else 0, int(open_to[-1]) + 1 if len(open_to) else 0


def _risks(errors: NDArray[Any], right: NDArray[Any]) -> NDArray[np.float64]:
    """Return the share of errors among the accepted items; infinite where nothing is accepted."""
    accepted = errors + right
    nothing = np.full(len(errors), np.inf)
    return np.asarray(np.divide(errors, accepted, out=nothing, where=accepted > 0))


def _most(limit: float, rate: Any, sweep: BoundedSweep) -> float:
    """Return the largest number of errors whose rate, as a double, is within the limit."""
    if not isinstance(sweep.n_incorrect, int):
        low, high = 0.0, float(sweep.n_incorrect)
        for _ in range(100):
            middle = (low + high) / 2
            low, high = (middle, high) if rate(middle) <= limit else (low, middle)
        return high
    return bisect_right(range(1, sweep.n_incorrect + 1), limit, key=rate)


def _point(
    sweep: BoundedSweep, threshold: Any, above: int, below: int, largest: float
) -> BoundedOperatingPoint:
    tl, th, fl, fh, _ = sweep.counts
    point = BoundedOperatingPoint(
        threshold=threshold if isinstance(threshold, int) else float(threshold),
        true_accepts=Bounds(tl[above].item(), th[below].item()),
        false_accepts=Bounds(fl[above].item(), fh[below].item()),
        n_correct=sweep.n_correct,
        n_incorrect=sweep.n_incorrect,
        largest_acceptance_rate=largest,
    )
    if largest >= point.acceptance_rate.low:
        return point
    object.__setattr__(point, "largest_acceptance_rate", point.acceptance_rate.low)
    return point
