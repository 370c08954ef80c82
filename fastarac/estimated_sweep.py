"""Counts at every threshold of which the errors are estimated, and what limits read of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastarac._core.results import read_only
from fastarac._engine.counts import CountsAtThresholds, ThresholdCounts
from fastarac.sweep import ThresholdSweep, trusted_sweep

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class EstimatedSweep(ThresholdSweep):
    """Counts of accepted items at every threshold, estimated from the truth of some.

    How many items are accepted at a threshold is known, and how many of them are wrong is estimated:
    `false_accepts` is a sum of ẽ (:class:`.PartialTruth`), which may fall from one threshold to the
    next, and `true_accepts` is the rest. Areas are right on average over the draw of what was verified.
    For limits, :attr:`rising` takes the largest number of errors so far, from the highest threshold
    down.

    Attributes
    ----------
    thresholds, true_accepts, false_accepts : ndarray of shape (m + 1,)
        As of a :class:`.ThresholdSweep`.
    squares : ndarray of shape (m,)
        Σẽ² of the items at each threshold but the first, which pairs of an item with itself need.
    n_verified : int
        Items whose truth is known.

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

    squares: FloatArray
    n_verified: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "squares", read_only(self.squares))

    def __repr__(self) -> str:
        return (
            f"EstimatedSweep({len(self.thresholds) - 1} thresholds, about {self.n_correct:.6g} "
            f"correct, {self.n_incorrect:.6g} incorrect, {self.n_verified} verified)"
        )

    @property
    def rising(self) -> ThresholdSweep:
        """The counts with which limits are kept: errors never fall from a threshold to the next."""
        accepted = self.true_accepts + self.false_accepts
        errors = np.minimum(np.maximum.accumulate(np.maximum(self.false_accepts, 0.0)), accepted)
        counts = ThresholdCounts(self.thresholds, accepted - errors, errors)
        return trusted_sweep(ThresholdSweep, counts)  # never falling, made so here

    def __add__(self, other: object) -> ThresholdSweep:
        """Raise ``TypeError``: truths are added, and estimated together."""
        raise TypeError("an EstimatedSweep is added; a PartialTruth of all items is expected")


def for_limits(sweep: CountsAtThresholds) -> CountsAtThresholds:
    """Counts with which limits are kept: of estimated ones those whose errors never fall."""
    return sweep.rising if isinstance(sweep, EstimatedSweep) else sweep
