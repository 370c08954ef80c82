"""Counts of estimated errors at every threshold, and variants of them for limits and curves."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from fastarac import _kernels
from fastarac._core.results import read_only
from fastarac._engine.counts import ThresholdCounts
from fastarac._engine.ranked import RankedItems
from fastarac.sweep import ThresholdSweep, trusted_sweep

FloatArray = NDArray[np.float64]
Number = TypeVar("Number", float, Fraction)

NO_PAIRS = 1e-13  # smaller shares of all pairs are regarded as rounding errors


def _rate_of_possible(name: str) -> Any:
    """Return a property that computes a rate of `ThresholdSweep` from `possible`."""

    def rate(self: EstimatedSweep) -> Any:
        return getattr(self.possible, name)

    rate.__doc__ = getattr(ThresholdSweep, name).__doc__
    return property(rate)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class EstimatedSweep(ThresholdSweep):
    """Counts of accepted items at every threshold, estimated from the truth of some items.

    At each threshold, the number of accepted items is known, and the number of errors among them is
    estimated. `false_accepts` is a sum of the estimated errors ẽ (:class:`.PartialTruth`), which may
    decrease from one threshold to the next; `true_accepts` is the number of accepted items minus this
    sum. Areas are unbiased over the random choice of the verified items. Single counts may be negative,
    or exceed the number of items. Therefore rates, curves and operating points are computed from
    :attr:`possible`. For limits, :attr:`rising` uses the maximum of the estimated errors at this and
    all higher thresholds.

    All counts use the same weights κ of the judges' predictions (:class:`.PartialTruth`). Functions of
    (truth, confidence) choose κ for each metric, so their results are more precise.

    Attributes
    ----------
    thresholds, true_accepts, false_accepts : ndarray of shape (m + 1,)
        As in a :class:`.ThresholdSweep`.
    item_errors : ndarray of shape (n,)
        ẽ of each item, by decreasing confidence.
    n_verified : int
        Number of verified items.
    pairs_above : float
        Estimated number of pairs in which the correct item is above the incorrect one; ties count half.
    pairs_alone : float
        The product n⁺·n⁻ of the estimated class counts, minus the estimated number of pairs of two
        different items. It is Σc̃ẽ over the items, with c̃ = 1 − ẽ, minus a correction for items drawn
        together as a group.

    See Also
    --------
    fastarac.PartialTruth : truth of those items that people verified
    fastarac.ThresholdSweep : counts of accepted items at every threshold

    References
    ----------
    Horvitz and Thompson 1952, "A generalization of sampling without replacement"; Särndal, Swensson and
    Wretman 1992, "Model assisted survey sampling", 6.3.

    Examples
    --------
    >>> import fastarac as fa
    >>> truth = fa.PartialTruth([1, None, 0, None], inclusion_probability=0.5)
    >>> sweep = fa.threshold_sweep(truth, [0.9, 0.8, 0.7, 0.6])
    >>> sweep
    EstimatedSweep(4 thresholds, about 1.8 correct, 2.2 incorrect, 2 verified)
    >>> sweep.acceptance_rate
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """

    item_errors: FloatArray
    n_verified: int
    pairs_above: float
    pairs_alone: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "item_errors", read_only(self.item_errors))

    def __repr__(self) -> str:
        return (
            f"EstimatedSweep({len(self.thresholds) - 1} thresholds, about {self.n_correct:.6g} "
            f"correct, {self.n_incorrect:.6g} incorrect, {self.n_verified} verified)"
        )

    if not TYPE_CHECKING:  # type checkers use the properties of ThresholdSweep
        recognition_rate = _rate_of_possible("recognition_rate")
        correction_rate = _rate_of_possible("correction_rate")
        error_rate = _rate_of_possible("error_rate")
        accuracy_after_correction = _rate_of_possible("accuracy_after_correction")
        risk = _rate_of_possible("risk")
        precision = _rate_of_possible("precision")
        recall = _rate_of_possible("recall")
        false_positive_rate = _rate_of_possible("false_positive_rate")

    @property
    def rising(self) -> ThresholdSweep:
        """The counts for limits: errors never decrease from one threshold to the next."""
        right, wrong = np.empty((2, len(self.thresholds)))
        _kernels.estimated.rising_counts(self.true_accepts, self.false_accepts, right, wrong)
        counts = ThresholdCounts(self.thresholds, right, wrong)
        return trusted_sweep(ThresholdSweep, counts)  # needs no checks: errors never decrease

    @property
    def roc_auc(self) -> float:
        """ROC-AUC over pairs of two different items; NaN if there is only one class."""
        pairs = float(self.n_correct) * float(self.n_incorrect) - self.pairs_alone
        if not pairs > NO_PAIRS * float(self.total) ** 2:
            return math.nan
        return min(max(self.pairs_above / pairs, 0.0), 1.0)

    def precision_area(self, interpolation: str) -> float:
        """Return the area under the precision–recall curve; NaN if no item is correct."""
        ta, fa = self.true_accepts, self.false_accepts
        if not ta[-1] > 0.0:
            return math.nan
        if interpolation == "linear":
            raise ValueError(
                "interpolation must be 'davis-goadrich' or 'step' for partial truth, got 'linear'"
            )
        steps = interpolation == "step"
        area = _kernels.estimated.precision_sum(ta, fa, self.item_errors, steps)
        return min(max(area / float(ta[-1]), 0.0), 1.0)

    @property
    def possible(self) -> ThresholdSweep:
        """The counts for curves: at each threshold, the nearest possible counts."""
        ta, fa = self.true_accepts, self.false_accepts
        n_incorrect = min(max(float(fa[-1]), 0.0), float(ta[-1] + fa[-1]))
        right, wrong = np.empty((2, len(ta)))
        _kernels.estimated.possible_counts(ta, fa, n_incorrect, right, wrong)
        counts = ThresholdCounts(self.thresholds, right, wrong)
        # The checks of ThresholdSweep, which would refuse falling counts, are skipped.
        return trusted_sweep(ThresholdSweep, counts)

    def __add__(self, other: object) -> ThresholdSweep:
        raise TypeError("an EstimatedSweep cannot be added: use a PartialTruth of all items")


class EstimatedItems(RankedItems):
    """Metrics computed from estimated counts, clipped to their possible range."""

    __slots__ = ()
    given: EstimatedSweep

    @property
    def roc_auc(self) -> float:
        """ROC-AUC over pairs of two different items; NaN if there is only one class."""
        return self.given.roc_auc

    def precision_area(self, interpolation: str) -> float:
        """Return the area under the precision–recall curve; NaN if no item is correct."""
        return self.given.precision_area(interpolation)

    def within(self, value: Number, least: Number, most: Number) -> Number:
        """Return `value`, clipped to [`least`, `most`]."""
        return min(max(value, least), most)

    def refuse_unestimated(self, **options: object) -> None:
        """Raise if an option is given for which metrics cannot be estimated."""
        require_alone(**options)


def plain(sweep: ThresholdSweep) -> ThresholdSweep:
    """Return a `ThresholdSweep` that treats the estimated counts as exact."""
    counts = ThresholdCounts(sweep.thresholds, sweep.true_accepts, sweep.false_accepts)
    return trusted_sweep(ThresholdSweep, counts)


def require_alone(**others: object) -> None:
    """Raise if any of these arguments is given together with a `PartialTruth`."""
    for name, value in others.items():
        if value is not None:
            raise TypeError(f"{name} cannot go with a PartialTruth: leave it out")
