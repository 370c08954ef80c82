"""From items to counts at every threshold: the one object that everything else is computed from."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastarac._core.results import Result, Table, TupleResult, read_only
from fastarac._core.single_items import takes_items_only
from fastarac._core.text import rounded_percent
from fastarac._engine import runs, sorting
from fastarac._engine.counting import SweepArrays, integer_thresholds
from fastarac._engine.grades import GradedItems, graded_items
from fastarac._engine.inputs import NAMES, read_counts, read_items, vector
from fastarac._engine.smaller_class import corners_around_few

FloatArray = NDArray[np.float64]


class _AcceptanceCounts(NamedTuple):
    true_accepts: Any
    """Accepted and correct, TA."""
    false_accepts: Any
    """Accepted and incorrect, FA: the errors that nobody sees."""
    false_rejects: Any
    """Rejected and correct, FR: verified for nothing."""
    true_rejects: Any
    """Rejected and incorrect, TR: verified and corrected."""


class AcceptanceCounts(Table, TupleResult, _AcceptanceCounts):
    """The four counts of the reject model (Kimura et al. 2024, table 1) at a threshold."""

    __slots__ = ()

    def to_columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns of a table, one row for each threshold."""
        return {name: np.ravel(values) for name, values in self._asdict().items()}

    @property
    def matrix(self) -> NDArray[Any]:
        """[[TR, FR], [FA, TA]], of shape (..., 2, 2): rows reject, accept; columns incorrect, correct.

        Rejecting is the prediction "incorrect": the confusion matrix as :func:`.bcost` takes it.
        """
        ta, fa, fr, tr = (np.asarray(counts) for counts in self)
        return np.stack([np.stack([tr, fr], axis=-1), np.stack([fa, ta], axis=-1)], axis=-2)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ThresholdSweep(Table, Result):
    """Counts of accepted items at every threshold that makes a difference.

    An item is accepted iff its confidence is at or above the threshold. With m distinct confidences
    there are m + 1 points: nothing accepted, then one distinct confidence more at each. Build it with
    :func:`.threshold_sweep` or :meth:`.from_counts`; ``a + b`` merges the sweeps of two sets of items.
    The columns of ``to_frame()`` make it again: ``ThresholdSweep(*columns)``, of any package.

    Attributes
    ----------
    thresholds : ndarray of shape (m + 1,)
        Strictly decreasing; the first is ``inf``, then every distinct confidence. float64; an object
        array of Python integers where these are beyond 2**53 and no float holds them.
    true_accepts : ndarray of shape (m + 1,)
        Weight of the correct items with ``confidence >= threshold``; from 0 to `n_correct`. int64, or
        float64 where the items are weighted.
    false_accepts : ndarray of shape (m + 1,)
        The same for the incorrect items; from 0 to `n_incorrect`.
    corners_only : bool
        Whether thresholds inside runs of correct items are left out: of distinct confidences that
        follow on each other without an error, only the lowest is there. The curves over it bend
        nowhere else. What needs the others raises ``ValueError``.

    Examples
    --------
    >>> import fastarac as fa
    >>> sweep = fa.threshold_sweep([1, 1, 0, 1], [0.9, 0.8, 0.8, 0.3])
    >>> sweep.thresholds
    array([inf, 0.9, 0.8, 0.3])
    >>> sweep.true_accepts, sweep.false_accepts
    (array([0, 1, 2, 3]), array([0, 0, 1, 1]))
    >>> sweep.acceptance_rate
    array([0.  , 0.25, 0.75, 1.  ])
    >>> sweep
    ThresholdSweep(3 thresholds, 3 correct, 1 incorrect)
    """

    _is_sweep = True

    thresholds: NDArray[Any]
    true_accepts: NDArray[Any]
    false_accepts: NDArray[Any]
    corners_only: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        given = [
            value if isinstance(value, np.ndarray) else vector(value, name)
            for name, value in self.to_columns().items()
        ]
        _set(self, *(np.array(array) for array in given))  # copies: the caller's arrays may change
        _check_sweep(*given)
        if self.corners_only and self.true_accepts.dtype != np.int64:
            message = "corners_only is given with counts of type float64; int64 is expected"
            raise TypeError(message)

    def __repr__(self) -> str:
        return (
            f"ThresholdSweep({len(self.thresholds) - 1} thresholds, "
            f"{self.n_correct:.12g} correct, {self.n_incorrect:.12g} incorrect"
            f"{', corners only' if self.corners_only else ''})"
        )

    def __str__(self) -> str:
        return (
            f"{self.total:,.12g} items, {rounded_percent(self.recognition_rate)} correct, "
            f"{len(self.thresholds) - 1:,} thresholds{', corners only' if self.corners_only else ''}"
        )

    @staticmethod
    def from_counts(
        thresholds: ArrayLike, correct_counts: ArrayLike, incorrect_counts: ArrayLike
    ) -> ThresholdSweep:
        """Build the sweep from how many items there are of each confidence.

        Parameters
        ----------
        thresholds : array_like of shape (k,)
            Confidences, finite, in any order; those that occur several times are added up.
        correct_counts, incorrect_counts : array_like of shape (k,)
            How many correct and incorrect items have that confidence, at least 0. Integers are
            counted exactly; floats are taken as weights. A confidence with neither is left out.

        Returns
        -------
        ThresholdSweep

        Raises
        ------
        ValueError, TypeError
            As :func:`.threshold_sweep`; also where the counts sum to zero or beyond int64.

        Examples
        --------
        >>> import fastarac as fa
        >>> fa.ThresholdSweep.from_counts([80, 90, 100], [200, 300, 400], [60, 30, 10])
        ThresholdSweep(3 thresholds, 900 correct, 100 incorrect)
        """
        values, correct, incorrect = read_counts(thresholds, correct_counts, incorrect_counts)
        values, where = np.unique(values, return_inverse=True)
        sums = np.zeros((2, len(values) + 1), correct.dtype)
        np.add.at(sums[0], len(values) - where, correct)
        np.add.at(sums[1], len(values) - where, incorrect)
        used = (sums[0] > 0) | (sums[1] > 0)
        used[0] = True
        true_accepts, false_accepts = np.cumsum(sums[:, used], axis=1)
        values = np.concatenate([values[-1:], values[::-1]])[used]
        if values.dtype.kind in "iu":
            values = integer_thresholds(values)
            return trusted_sweep(values, true_accepts, false_accepts)
        values = values.astype(np.float64) + 0.0  # minus zero is zero
        values[0] = np.inf
        return trusted_sweep(values, true_accepts, false_accepts)

    def to_columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns of a table, one row for each threshold."""
        names = ("thresholds", "true_accepts", "false_accepts")
        return {name: getattr(self, name) for name in names}

    @property
    def n_correct(self) -> int | float:
        """Weight of the correct items, n⁺; their number where the items are not weighted."""
        return self.true_accepts.item(-1)  # type: ignore[no-any-return]

    @property
    def n_incorrect(self) -> int | float:
        """Weight of the incorrect items, n⁻."""
        return self.false_accepts.item(-1)  # type: ignore[no-any-return]

    @property
    def total(self) -> int | float:
        """Weight of all items, Ω (equation 2)."""
        return self.n_correct + self.n_incorrect

    @property
    def recognition_rate(self) -> float:
        """Share of correct items, β = n⁺/Ω (equation 6)."""
        return self.n_correct / self.total

    @property
    def false_rejects(self) -> NDArray[Any]:
        """Correct items below each threshold, FR, of shape (m + 1,)."""
        return self.n_correct - self.true_accepts

    @property
    def true_rejects(self) -> NDArray[Any]:
        """Incorrect items below each threshold, TR, of shape (m + 1,)."""
        return self.n_incorrect - self.false_accepts

    @property
    def acceptance_rate(self) -> FloatArray:
        """X = (TA + FA)/Ω (equation 1), also coverage or automation rate; from 0 to 1."""
        return self._divided(self._accepted(), self.total)

    @property
    def verification_rate(self) -> FloatArray:
        """R_R = 1 − X (equation 3): the share that people look at; from 1 to 0."""
        accepted = self._accepted()
        return self._divided(np.subtract(self.total, accepted, out=accepted), self.total)

    @property
    def correction_rate(self) -> FloatArray:
        """R_C = TR/Ω (equation 4): the share that people correct; from 1 − β to 0."""
        rejected = np.subtract(self.n_incorrect, self.false_accepts, dtype=np.float64)
        return self._divided(rejected, self.total)

    @property
    def error_rate(self) -> FloatArray:
        """R_E = FA/Ω (equation 5): undetected errors among *all* items; from 0 to 1 − β."""
        return self._divided(self.false_accepts, self.total)

    @property
    def accuracy_after_correction(self) -> FloatArray:
        """Y = (TA + TR + FR)/Ω = 1 − R_E (equation 16); from 1 to β."""
        right = np.subtract(self.total, self.false_accepts, dtype=np.float64)
        return self._divided(right, self.total)

    @property
    def risk(self) -> FloatArray:
        """Errors among the *accepted* items, FA/(TA + FA); the first value is that of the next."""
        return self._of_accepted(self.false_accepts)

    @property
    def precision(self) -> FloatArray:
        """R_P = TA/(TA + FA), correct ones among the accepted; the first value is that of the next."""
        return self._of_accepted(self.true_accepts)

    @property
    def recall(self) -> FloatArray:
        """R_TP = TA/n⁺, the true positive rate; NaN where there is no correct item."""
        return self._divided(self.true_accepts, self.n_correct)

    @property
    def false_positive_rate(self) -> FloatArray:
        """R_FP = FA/n⁻; NaN where there is no incorrect item."""
        return self._divided(self.false_accepts, self.n_incorrect)

    def at(self, threshold: ArrayLike) -> AcceptanceCounts:
        """Return the counts at any threshold, not only those of the sweep.

        Parameters
        ----------
        threshold : scalar or array_like
            Real; infinite ones are allowed, NaN is not.

        Returns
        -------
        AcceptanceCounts
            Of numbers, or of arrays in the shape of `threshold`.

        Raises
        ------
        ValueError
            Where a threshold is NaN; of a sweep with corners only, where it may lie inside a run of
            correct items.

        Examples
        --------
        >>> import fastarac as fa
        >>> sweep = fa.threshold_sweep([1, 1, 0, 1], [0.9, 0.8, 0.8, 0.3])
        >>> sweep.at(0.5)
        AcceptanceCounts(true_accepts=2, false_accepts=1, false_rejects=1, true_rejects=0)
        """
        given = np.asarray(threshold)
        if given.dtype.kind not in "biufO":
            message = f"threshold has type {given.dtype}; a number is expected"
            raise TypeError(message)
        if np.any(given != given):
            message = "threshold is NaN; a number is expected"
            raise ValueError(message)
        rising = self.thresholds[:0:-1]
        if given.dtype.kind in "iuO" and np.any(abs(given) > 1 << 53):
            # neither side may be rounded on the way to a common type
            rising, given = rising.astype(object), given.astype(object)
        index = len(rising) - np.searchsorted(rising, given, side="left")
        if self.corners_only:
            _check_not_inside(self, index, given)
        accepted = self.true_accepts[index], self.false_accepts[index]
        rejected = self.n_correct - accepted[0], self.n_incorrect - accepted[1]
        if given.ndim == 0:
            return AcceptanceCounts(*(x.item() for x in (*accepted, *rejected)))
        return AcceptanceCounts(*accepted, *rejected)

    def __add__(self, other: object) -> ThresholdSweep:
        """Merge with the sweep of other items: the sweep of all items together, exactly."""
        if not isinstance(other, ThresholdSweep):
            return NotImplemented
        every_threshold(self)
        every_threshold(other)
        whole = self.true_accepts.dtype == other.true_accepts.dtype == np.int64
        if whole and self.total + other.total > np.iinfo(np.int64).max:
            message = f"the merged counts sum to {self.total + other.total}, beyond int64"
            raise ValueError(message)
        thresholds = np.unique(np.concatenate([self.thresholds, other.thresholds]))[::-1]
        counts = [
            _at_thresholds(self, thresholds, name) + _at_thresholds(other, thresholds, name)
            for name in ("true_accepts", "false_accepts")
        ]
        return trusted_sweep(thresholds, *counts)

    def __radd__(self, other: object) -> ThresholdSweep:
        """Let ``sum(sweeps)`` merge: it starts from 0."""
        return self if other == 0 else NotImplemented

    def _accepted(self) -> FloatArray:
        dtype = np.float64 if self.total <= 1 << 53 else None
        accepted: NDArray[Any] = np.add(self.true_accepts, self.false_accepts, dtype=dtype)
        return accepted.astype(np.float64, copy=False)  # vast counts are rounded after they are added

    def _of_accepted(self, counts: NDArray[Any]) -> FloatArray:
        accepted = self._accepted()
        accepted[0] = 1.0
        np.divide(counts, accepted, out=accepted)
        accepted[0] = accepted[1]
        return accepted

    @staticmethod
    def _divided(counts: NDArray[Any], by: float) -> FloatArray:
        """`counts` / `by`, NaN where that is 0, in place where `counts` is an array made for it."""
        out = counts if counts.dtype == np.float64 and counts.flags.writeable else None
        with np.errstate(invalid="ignore"):
            quotient: FloatArray = np.divide(counts, by, out=out)
        return quotient


def trusted_sweep(
    thresholds: NDArray[Any],
    true_accepts: NDArray[Any],
    false_accepts: NDArray[Any],
    *,
    corners_only: bool = False,
) -> ThresholdSweep:
    """Make a sweep of arrays that the library itself has made, without a check or a copy."""
    sweep = ThresholdSweep.__new__(ThresholdSweep)
    _set(sweep, thresholds, true_accepts, false_accepts)
    object.__setattr__(sweep, "corners_only", corners_only)
    return sweep


def _set(sweep: ThresholdSweep, *arrays: NDArray[Any]) -> None:
    for name, array in zip(("thresholds", "true_accepts", "false_accepts"), arrays, strict=True):
        object.__setattr__(sweep, name, read_only(array))


def _check_sweep(thresholds: NDArray[Any], *accepts: NDArray[Any]) -> None:
    """Raise unless the arrays are those of a sweep."""
    if thresholds.ndim != 1 or len(thresholds) < 2:
        message = "thresholds is not an array of shape (m + 1,) with m >= 1"
        raise ValueError(message)
    if thresholds[0] != np.inf or not (thresholds[1:] < thresholds[:-1]).all():
        message = "thresholds do not fall strictly from inf; ThresholdSweep.from_counts takes any order"
        raise ValueError(message)
    for name, counts in zip(("true_accepts", "false_accepts"), accepts, strict=True):
        if counts.shape != thresholds.shape:
            message = f"{name} is not an array of the shape of thresholds, {thresholds.shape}"
            raise ValueError(message)
        if counts.dtype not in (np.int64, np.float64) or counts.dtype != accepts[0].dtype:
            message = f"{name} has type {counts.dtype}; int64, or float64 for weights, expected"
            raise TypeError(message)
        if counts[0] != 0 or not (counts[1:] >= counts[:-1]).all() or not counts[-1] < np.inf:
            message = f"{name} does not rise from 0 to a finite count"
            raise ValueError(message)
    if not accepts[0][-1] + accepts[1][-1] > 0:
        message = "true_accepts and false_accepts end at 0; a positive count of items is expected"
        raise ValueError(message)


def _check_not_inside(sweep: ThresholdSweep, index: NDArray[np.intp], given: NDArray[Any]) -> None:
    """Raise where a threshold, above the point below, may divide the run that ends at that point."""
    below = np.minimum(index + 1, len(sweep.thresholds) - 1)
    correct = sweep.true_accepts[below] - sweep.true_accepts[index]
    run = (sweep.false_accepts[below] == sweep.false_accepts[index]) & (correct > 1)
    inside = np.atleast_1d(run & (given != sweep.thresholds[index]) & (given != np.inf))
    if inside.any():
        message = (
            f"threshold {np.atleast_1d(given)[inside].flat[0]} may lie inside a run of correct items, "
            "of which this ThresholdSweep, with corners only, has no more than the end; a threshold of "
            "its own, or a sweep made without corners_only=True, is expected"
        )
        raise ValueError(message)


def _at_thresholds(sweep: ThresholdSweep, thresholds: NDArray[Any], name: str) -> NDArray[Any]:
    """Counts `name` of the sweep at decreasing thresholds that include its own."""
    rising = sweep.thresholds[::-1]
    index = len(rising) - 1 - np.searchsorted(rising, thresholds, side="left")
    return getattr(sweep, name)[index]  # type: ignore[no-any-return]


@takes_items_only("it makes a sweep of items")
def threshold_sweep(
    correct: ArrayLike,
    confidence: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    graded: bool = False,
    corners_only: bool = False,
) -> ThresholdSweep:
    """Count the accepted correct and incorrect items at every distinct threshold.

    Parameters
    ----------
    correct : array_like of shape (n,)
        Whether each output was right: bool, or 0 and 1 of any numeric type.
    confidence : array_like of shape (n,)
        Real and finite, in any range. Integers are compared as integers, beyond 2**53 too.
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum. An item of weight 0 is as if absent.
    graded : bool, default=False
        Whether `correct` holds grades in [0, 1], such as the credit for a partly right answer: an item
        of grade g is g correct and 1 − g incorrect at its confidence. The counts are then floats.
    corners_only : bool, default=False
        Leave out the thresholds inside runs of correct items: with k errors at most 2k + 1 are left,
        and where k is small, the correct items are not sorted. Without weights or grades.

    Returns
    -------
    ThresholdSweep
        Points from nothing accepted to everything accepted.

    Raises
    ------
    ValueError
        Where an argument is empty, not one-dimensional, of another length than the others, or holds
        nulls, NaN, infinities, labels other than 0 and 1, or negative weights; or where the greatest
        weight is more than 1e305 times the least one above 0.
    TypeError
        Where an argument does not hold real numbers, and for `corners_only` with weights or grades.

    Notes
    -----
    The counts are those of Kimura et al. 2024, table 1. The order of the items does not matter:
    equal confidences are one threshold. Sums are exact integers, or, of weights, rounded once.

    A sweep with `corners_only` gives the same values, to the last bit, for all that depends on pairs,
    errors and corners: the ARAC and ROC areas and their parts, the hull, the acceptance at an error
    rate or a risk, the costs, ARP-AUC and AURC by "mean" and "exact", PR-AUC by Davis and Goadrich.
    What needs single thresholds inside a run refuses it.

    Examples
    --------
    >>> import fastarac as fa
    >>> sweep = fa.threshold_sweep([1, 0, 1], [0.9, 0.5, 0.7])
    >>> sweep.accuracy_after_correction
    array([1.        , 1.        , 1.        , 0.66666667])
    >>> fa.threshold_sweep([1, 0, 0.25], [0.9, 0.5, 0.7], graded=True).false_accepts
    array([0.  , 0.  , 0.75, 1.75])
    >>> fa.threshold_sweep([1, 0, 1, 1, 1], [0.9, 0.8, 0.7, 0.6, 0.5], corners_only=True).thresholds
    array([inf, 0.9, 0.8, 0.5])
    """
    if corners_only:
        if graded or sample_weight is not None:
            other = "graded" if graded else "sample_weight"
            message = f"corners_only is given with {other}; it takes whole items, so one of them"
            raise TypeError(f"{message} is expected")
        arrays = runs.corners_of(read_items(correct, confidence))
        return trusted_sweep(*arrays, corners_only=True)
    if graded:
        correct, confidence, sample_weight, _ = graded_items(correct, confidence, sample_weight)
    return trusted_sweep(*sorting.sweep_arrays(read_items(correct, confidence, sample_weight)))


def as_sweep(
    correct: ArrayLike | ThresholdSweep,
    confidence: ArrayLike | None,
    sample_weight: ArrayLike | None = None,
) -> ThresholdSweep:
    """Return the sweep that stands in place of (correct, confidence), or build it from them.

    With every threshold: `as_corners` is for what needs no more than corners.
    """
    if isinstance(correct, ThresholdSweep):
        reject_beside_sweep(confidence, sample_weight)
        return every_threshold(correct)
    return threshold_sweep(
        correct, require_confidence(confidence, beside=correct), sample_weight=sample_weight
    )


def as_points(
    correct: ArrayLike | ThresholdSweep,
    confidence: ArrayLike | None,
    sample_weight: ArrayLike | None = None,
) -> ThresholdSweep:
    """`as_sweep` for what is read at each point: a sweep with corners only has its own points."""
    if isinstance(correct, ThresholdSweep):
        reject_beside_sweep(confidence, sample_weight)
        return correct
    return as_sweep(correct, confidence, sample_weight)


def as_corners(
    correct: ArrayLike | ThresholdSweep,
    confidence: ArrayLike | None,
    sample_weight: ArrayLike | None = None,
    names: tuple[str, str, str] = NAMES,
) -> ThresholdSweep:
    """`as_sweep` for what needs no more than corners: these alone where they are made faster."""
    if isinstance(correct, ThresholdSweep):
        reject_beside_sweep(confidence, sample_weight, names[1])
        return correct
    items = read_items(
        correct, require_confidence(confidence, names, beside=correct), sample_weight, names
    )
    corners = corners_around_few(items)
    if corners is not None:
        return trusted_sweep(*corners, corners_only=True)
    return trusted_sweep(*sorting.sweep_arrays(items))


def every_threshold(sweep: ThresholdSweep) -> ThresholdSweep:
    """Raise where the sweep has corners only."""
    if sweep.corners_only:
        message = (
            f"{sweep!r} is given, which lacks the thresholds inside runs of correct items; (correct, "
            "confidence), or a sweep made of them without corners_only=True, is expected"
        )
        raise ValueError(message)
    return sweep


def sweep_of_runs(
    correct: ArrayLike | ThresholdSweep, confidence: ArrayLike | None = None
) -> ThresholdSweep:
    """`as_sweep` at those points alone that statistics of pairs need, without thresholds.

    See `_kernels.runs`.
    """
    if isinstance(correct, ThresholdSweep):
        reject_beside_sweep(confidence, None)
        arrays = SweepArrays(correct.thresholds, correct.true_accepts, correct.false_accepts)
        return trusted_sweep(*runs.merged(arrays))
    return trusted_sweep(*runs.sweep_of_runs(read_items(correct, require_confidence(confidence))))


def reject_beside_sweep(
    confidence: object, sample_weight: object, name_of_confidence: str = "confidence"
) -> None:
    """Raise where something is given beside a sweep that has all in it already."""
    reject_all_beside_sweep(**{name_of_confidence: confidence, "sample_weight": sample_weight})


def reject_all_beside_sweep(**values: object) -> None:
    """Raise where anything of these names is given beside a sweep."""
    for name, value in values.items():
        if value is not None:
            message = f"{name} is given beside a ThresholdSweep; the sweep alone is expected"
            if name == "confidence" and isinstance(value, str):  # meant for another parameter
                message = (
                    f"confidence is {value!r} beside a ThresholdSweep; the sweep alone is expected, "
                    f"and names by keyword, such as statistic={value!r}"
                )
            raise TypeError(message)


def split_grades(
    correct: ArrayLike | ThresholdSweep,
    confidence: ArrayLike | None,
    sample_weight: ArrayLike | None,
    groups: ArrayLike | None,
) -> GradedItems:
    """Return graded items as weighted ones in groups; a sweep has no grades any more."""
    if isinstance(correct, ThresholdSweep):
        message = "graded is given beside a ThresholdSweep; the sweep alone is expected"
        raise TypeError(message)
    return graded_items(correct, require_confidence(confidence), sample_weight, groups)


def require_confidence(
    confidence: ArrayLike | None, names: tuple[str, str, str] = NAMES, *, beside: Any = None
) -> ArrayLike:
    """Raise where `confidence` was left out and no sweep was given in its place."""
    if confidence is None:
        message = f"{names[1]} is missing; ({names[0]}, {names[1]}) or a ThresholdSweep is expected"
        if isinstance(beside, str | os.PathLike):
            message += " (fastarac.io.read_outputs reads files)"
        elif hasattr(beside, "columns"):
            message += " (fastarac.frames.evaluate takes data frames)"
        raise TypeError(message)
    return confidence
