"""Counts in bins of confidence, and bounds that certainly contain the metrics of the items."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastarac._core.exceptions import warn_undefined
from fastarac._core.results import Result, Table, read_only
from fastarac._engine.counts import ThresholdCounts, integer_thresholds
from fastarac._engine.inputs import read_counts, vector
from fastarac.areas.precision_recall import pr_auc_score
from fastarac.areas.risk import arp_auc_score, aurc_loss
from fastarac.bounds.extremes import Bounds, Counts
from fastarac.sweep import ThresholdSweep, trusted_sweep

COUNTS = ("true_accepts_low", "true_accepts_high", "false_accepts_low", "false_accepts_high")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BoundedSweep(Table, Result):
    """Counts of accepted items at some thresholds, and guaranteed bounds on the metrics of the items.

    Between two thresholds, the order of the items is unknown. So every metric is a pair of
    :class:`.Bounds` that contain its exact value. Build a sweep with :meth:`.from_bins`, or with a
    :class:`.ThresholdSketch`.

    Attributes
    ----------
    thresholds : ndarray of shape (m + 1,)
        Strictly decreasing: ``inf``, then the lower edge of each bin. float64, or an object array of
        Python integers if these exceed 2**53.
    true_accepts_low, true_accepts_high : ndarray of shape (m + 1,)
        Lower and upper bound on the number of correct items with ``confidence >= threshold``. Both
        bounds are equal at the first and at the last threshold, and at all thresholds if the counts of
        all bins are exact. int64, or float64 for weights.
    false_accepts_low, false_accepts_high : ndarray of shape (m + 1,)
        Lower and upper bound on the number of incorrect items with ``confidence >= threshold``.
    single_valued : ndarray of bool of shape (m,)
        Whether all items between two thresholds have the same confidence, so that their order is known.
    known : mapping of str to Bounds
        Bounds of areas that are tighter than the bounds from the counts, by attribute name.

    See Also
    --------
    ThresholdSketch : counts of a stream of items, in bounded memory
    Bounds : lower and upper bound of a metric
    fastarac.results.BoundedEvaluation : the metrics of a BoundedSweep

    Notes
    -----
    For the ROC-AUC, a bin of p correct and q incorrect items leaves the order of pq of the n⁺n⁻ pairs
    unknown. The bounds of the other areas come from the best and the worst order (including ties) of
    the items in each bin. If the bins may contain enough distinct confidences, the bounds are sharp.
    All bounds are rounded outward. An exact area has two equal ends, rounded once to the nearest
    double.

    Examples
    --------
    >>> import fastarac as fa
    >>> sweep = fa.frames.BoundedSweep.from_bins([0.0, 0.5, 0.9, 1.0], [10, 30, 50], [20, 5, 1])
    >>> sweep
    BoundedSweep(3 bins, 90 correct, 26 incorrect)
    >>> print(sweep.roc_auc)
    between 0.7905 and 0.9616
    >>> sweep.n_correct, sweep.n_incorrect, sweep.recognition_rate
    (90, 26, 0.7758620689655172)
    """

    _is_sweep = True

    thresholds: NDArray[Any]
    true_accepts_low: NDArray[Any]
    true_accepts_high: NDArray[Any]
    false_accepts_low: NDArray[Any]
    false_accepts_high: NDArray[Any]
    single_valued: NDArray[np.bool_]
    known: Mapping[str, Bounds] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("thresholds", *COUNTS, "single_valued"):
            object.__setattr__(self, name, read_only(np.array(getattr(self, name))))
        object.__setattr__(self, "known", read_only(self.known))
        _check(self)

    def __repr__(self) -> str:
        return (
            f"BoundedSweep({len(self.single_valued)} bins, {self.n_correct:.12g} correct, "
            f"{self.n_incorrect:.12g} incorrect)"
        )

    @staticmethod
    def from_bins(
        edges: ArrayLike,
        correct_counts: ArrayLike,
        incorrect_counts: ArrayLike,
        *,
        single_valued: ArrayLike | None = None,
    ) -> BoundedSweep:
        """Build the sweep from counts in bins.

        Parameters
        ----------
        edges : array_like of shape (k + 1,)
            The edges of k bins, strictly increasing; the first and the last may be infinite. A bin
            includes its lower edge and excludes its upper edge; only the last bin includes its upper
            edge (as in ``numpy.histogram``). Integers stay integers, even in a list that ends with
            ``inf``.
        correct_counts, incorrect_counts : array_like of shape (k,)
            The numbers of correct and incorrect items in each bin, at least 0. Floats are weights.
        single_valued : array_like of bool of shape (k,), optional
            Which bins contain only items of a single confidence; by default none.

        Returns
        -------
        BoundedSweep

        Raises
        ------
        ValueError, TypeError
            As :meth:`.ThresholdSweep.from_counts`; also for edges that do not increase strictly.

        Notes
        -----
        Some tools make bins that include the upper edge instead of the lower edge. For such bins, give
        ``np.nextafter(edges, np.inf)`` as edges: a double is above an edge iff it is at least the next
        double.

        Examples
        --------
        >>> import fastarac as fa
        >>> sweep = fa.frames.BoundedSweep.from_bins([0, 0.5, 1], [1, 2], [1, 0])
        >>> sweep.roc_auc
        Bounds(low=0.6666666666666666, high=1.0)
        >>> tied = [True, True]
        >>> fa.frames.BoundedSweep.from_bins([0, 0.5, 1], [1, 2], [1, 0], single_valued=tied).roc_auc
        Bounds(low=0.8333333333333334, high=0.8333333333333334)
        """
        lower = _lower_edges(edges)
        bins = len(lower)
        single = np.zeros(bins) if single_valued is None else vector(single_valued, "single_valued")
        for name, given in (
            ("correct_counts", correct_counts),
            ("incorrect_counts", incorrect_counts),
            ("single_valued", single),
        ):
            if (found := len(vector(given, name))) != bins:
                raise ValueError(
                    f"{name} must have one value for each of the {bins} bins between edges, got {found}"
                )
        if not np.isin(single, (0, 1)).all():
            raise ValueError("single_valued must hold only True and False")
        _, *counts = read_counts(np.arange(bins), correct_counts, incorrect_counts)
        ta, fa = (np.append(np.zeros(1, c.dtype), np.cumsum(c[::-1])) for c in counts)
        thresholds = np.append(lower[-1:], lower[::-1])
        if lower.dtype.kind in "iu":
            thresholds = integer_thresholds(thresholds)
        thresholds = thresholds.astype(np.float64) + 0.0 if thresholds.dtype != object else thresholds
        thresholds[0] = np.inf
        return BoundedSweep(thresholds, ta, ta, fa, fa, single[::-1].astype(np.bool_))

    def to_columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns of a table, one row for each threshold.

        `single_valued` belongs to the bin whose lower edge is the threshold; it is True for inf.
        """
        counts = {name: getattr(self, name) for name in ("thresholds", *COUNTS)}
        return counts | {"single_valued": np.append(True, self.single_valued)}

    def __add__(self, other: object) -> NoReturn:
        raise TypeError(
            "a BoundedSweep cannot be added, because the bins of different data are not the same; "
            "add ThresholdSweeps (method='counts') or ThresholdSketches, or count all data in one call"
        )

    __radd__ = __add__

    @property
    def n_correct(self) -> int | float:
        """Weight of the correct items, n⁺; their number if the items are not weighted."""
        return self.true_accepts_low[-1].item()  # type: ignore[no-any-return]

    @property
    def n_incorrect(self) -> int | float:
        """Weight of the incorrect items, n⁻."""
        return self.false_accepts_low[-1].item()  # type: ignore[no-any-return]

    @property
    def total(self) -> int | float:
        """Weight of all items, Ω."""
        return self.n_correct + self.n_incorrect

    @property
    def recognition_rate(self) -> float:
        """Share of correct items, β = n⁺/Ω, which is exact."""
        return self.n_correct / self.total

    @property
    def counts(self) -> Counts:
        """The counts and `single_valued` as one tuple, for computing bounds."""
        return Counts(*(getattr(self, name) for name in (*COUNTS, "single_valued")))

    @property
    def sweep(self) -> ThresholdSweep | None:
        """The exact sweep of the items if the order of all items is known; None otherwise."""
        counts = self.counts
        if not (counts.exact.all() and counts.single.all()):
            return None
        return self.order(best=True)

    @property
    def arac_auc(self) -> Bounds:
        """Area under the ARAC curve, in [0.5, 1]."""
        return self._pair_area("arac_auc")

    @property
    def roc_auc(self) -> Bounds:
        """Area under the ROC curve, in [0, 1]; NaN with a warning if there is one class only."""
        return self._pair_area("roc_auc")

    @property
    def augrc(self) -> Bounds:
        """Area under the generalised risk–coverage curve, 1 − ARAC-AUC, in [0, 0.5]."""
        return self._pair_area("augrc")

    @property
    def arp_auc(self) -> Bounds:
        """Area under the acceptance rate – precision curve by trapezoids, in [0, 1]."""
        return self._without_bins("arp_auc", arp_auc_score) or self.counts.arp_auc()

    @property
    def aurc(self) -> Bounds:
        """Area under the risk–coverage curve by trapezoids, 1 − ARP-AUC, in [0, 1]."""
        if found := self._without_bins("aurc", aurc_loss):
            return found
        low, high = self.arp_auc
        return Bounds(
            math.nextafter(1.0 - high, -1.0) if high < 1.0 else 0.0,
            math.nextafter(1.0 - low, 2.0) if low > 0.0 else 1.0,
        )

    @property
    def average_precision(self) -> Bounds:
        """Average precision, in [0, 1]; NaN with a warning if no item is correct."""
        step = partial(pr_auc_score, interpolation="step") if self.n_correct else None
        found = self._without_bins("average_precision", step) or self.counts.average_precision()
        if found is None:
            warn_undefined("average_precision", "no item is correct")
            return Bounds(math.nan, math.nan)
        return found

    def order(self, *, best: bool, steps: int = 1) -> ThresholdSweep:
        """Return the sweep for the best or the worst order of the items that the bins allow.

        Parameters
        ----------
        best : bool
            If True, the correct items of each bin are above its incorrect items; otherwise below.
        steps : int, default=1
            Number of points within a bin for the class with the higher confidences. The items of the
            other class are tied.

        Returns
        -------
        ThresholdSweep
            The true curve lies between the curves of the best and the worst order. Its thresholds are
            the lower edges of the bins, repeated for points inside a bin.
        """
        correct, incorrect, where = self.counts.path(best=best, steps=steps)
        counts = ThresholdCounts(self.thresholds[where], correct, incorrect)
        # The checks of ThresholdSweep, which would refuse repeated thresholds, are skipped.
        return trusted_sweep(ThresholdSweep, counts)

    def _without_bins(self, name: str, area: Callable[[ThresholdSweep], float] | None) -> Bounds | None:
        """Return the bounds in `known`, else the exact area of `sweep`; None if there is neither."""
        if name in self.known:
            return self.known[name]
        sweep = None if area is None else self.sweep
        return None if area is None or sweep is None else Bounds(*[area(sweep)] * 2)

    def _pair_area(self, name: str) -> Bounds:
        if name in self.known:
            return self.known[name]
        found = self.counts.pair_area(name)
        if found is None:
            warn_undefined(name, "all items are correct, or all are incorrect")
            return Bounds(math.nan, math.nan)
        return found


def _lower_edges(edges: ArrayLike) -> NDArray[Any]:
    """Return all edges except the last; raise unless the edges increase strictly."""
    if isinstance(edges, list | tuple) and len(edges) > 1 and edges[-1] == np.inf:
        at = vector(edges[:-1], "edges")  # without inf, which would turn integers into floats
        if at[-1] < np.inf and (at[1:] > at[:-1]).all():
            return at
    at = vector(edges, "edges")
    if len(at) < 2 or not (at[1:] > at[:-1]).all():
        raise ValueError("edges must be at least two numbers in strictly increasing order")
    return at[:-1]


def refuse_of_bounds(**given: object) -> None:
    """Raise for arguments that need single items, unless they are None or False."""
    for name, value in given.items():
        if value is not None and value is not False:
            raise TypeError(f"{name} cannot go with a BoundedSweep: use a ThresholdSweep")


def _check(sweep: BoundedSweep) -> None:
    thresholds = sweep.thresholds
    if thresholds.ndim != 1 or len(thresholds) < 2 or thresholds[0] != np.inf:
        raise ValueError(
            "thresholds is not an array of shape (m + 1,) with m >= 1 that starts with inf"
        )
    if not (thresholds[1:] < thresholds[:-1]).all():
        raise ValueError(
            "thresholds do not decrease from inf; for edges of bins, use BoundedSweep.from_bins"
        )
    if sweep.single_valued.shape != (len(thresholds) - 1,) or sweep.single_valued.dtype != np.bool_:
        raise ValueError(f"single_valued is not an array of bool of shape ({len(thresholds) - 1},)")
    dtype = sweep.true_accepts_low.dtype
    for name in COUNTS:
        counts = getattr(sweep, name)
        if counts.shape != thresholds.shape or counts.dtype not in (np.int64, np.float64):
            raise ValueError(f"{name} is not an array of int64 or float64 of shape {thresholds.shape}")
        if counts.dtype != dtype or counts[0] != 0 or not (counts[1:] >= counts[:-1]).all():
            raise ValueError(
                f"{name} must start at 0, never decrease, and have the type of the other counts"
            )
    for kind in ("true_accepts", "false_accepts"):
        low, high = getattr(sweep, f"{kind}_low"), getattr(sweep, f"{kind}_high")
        if not (low <= high).all() or low[-1] != high[-1]:
            raise ValueError(
                f"{kind}_low must be at most {kind}_high, and their last values must be equal"
            )
    if not 0 < sweep.total < np.inf:
        raise ValueError("the last counts are 0, but there must be at least one item")
