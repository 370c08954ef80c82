"""Count accepted items at every threshold, as the basis of all curves and metrics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastarac._core.results import Result, Table, TupleResult, read_only
from fastarac._core.text import rounded_percent
from fastarac._engine.counts import (
    AcceptedCounts,
    CountsAtThresholds,
    ThresholdCounts,
    integer_thresholds,
)
from fastarac._engine.inputs import read_counts, vector

S = TypeVar("S", bound="_Sweep")


class _AcceptanceCounts(NamedTuple):
    true_accepts: Any
    """TA, accepted and correct."""
    false_accepts: Any
    """FA, accepted and incorrect: the undetected errors."""
    false_rejects: Any
    """FR, rejected and correct: verified without need."""
    true_rejects: Any
    """TR, rejected and incorrect: verified and corrected."""


class AcceptanceCounts(Table, TupleResult, _AcceptanceCounts):
    """The four counts of the reject model (Kimura et al. 2024, table 1) at a threshold.

    See Also
    --------
    fastarac.ThresholdSweep : counts of accepted items at every distinct threshold
    fastarac.confusion_matrix_at_thresholds : confusion matrices at every distinct score

    References
    ----------
    Kimura, Kubota, Wada and Hashimoto 2024, table 1.
    """

    __slots__ = ()

    def to_columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns of a table with one row per threshold."""
        return {name: np.ravel(values) for name, values in self._asdict().items()}

    @property
    def matrix(self) -> NDArray[Any]:
        """The matrix [[TR, FR], [FA, TA]], with rows (reject, accept) and columns (incorrect, correct).

        The shape is (..., 2, 2). This is the confusion matrix for :func:`.bcost`, in which rejecting is
        the prediction "incorrect".
        """
        ta, fa, fr, tr = (np.asarray(counts) for counts in self)
        return np.stack([np.stack([tr, fr], axis=-1), np.stack([fa, ta], axis=-1)], axis=-2)


class _Sweep(CountsAtThresholds, Table, Result):
    """Base class of :class:`ThresholdSweep` and :class:`CornerSweep`."""

    __slots__ = ()
    _is_sweep = True

    def __post_init__(self) -> None:
        given = [
            value if isinstance(value, np.ndarray) else vector(value, name)
            for name, value in self.to_columns().items()
        ]
        # Copy the arrays, because the caller may change them later.
        _set(self, *(np.array(array) for array in given))
        _check_sweep(*given)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({len(self.thresholds) - 1} thresholds, "
            f"{self.n_correct:.12g} correct, {self.n_incorrect:.12g} incorrect)"
        )

    def __str__(self) -> str:
        return (
            f"{self.total:,.12g} items, {rounded_percent(self.recognition_rate)} correct, "
            f"{len(self.thresholds) - 1:,} thresholds"
        )

    def to_columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns of a table with one row per threshold."""
        names = ("thresholds", "true_accepts", "false_accepts")
        return {name: getattr(self, name) for name in names}

    def _points_at(self, threshold: ArrayLike) -> tuple[NDArray[Any], NDArray[np.intp]]:
        """Return the thresholds as an array, and for each the sweep's last point at or above it."""
        given = np.asarray(threshold)
        if given.dtype.kind not in "biufO":
            raise TypeError(f"threshold must be a number, got type {given.dtype}")
        if np.any(given != given):
            raise ValueError("threshold must be a number, got NaN")
        rising = self.thresholds[:0:-1]
        if given.dtype.kind in "iuO" and np.any(abs(given) > 1 << 53):
            # Compare Python objects, because numpy's common type would round large integers.
            rising, given = rising.astype(object), given.astype(object)
        return given, np.asarray(len(rising) - np.searchsorted(rising, given, side="left"))

    def _counts_at(self, points: NDArray[np.intp]) -> AcceptanceCounts:
        accepted = self.true_accepts[points], self.false_accepts[points]
        rejected = self.n_correct - accepted[0], self.n_incorrect - accepted[1]
        if points.ndim == 0:
            return AcceptanceCounts(*(x.item() for x in (*accepted, *rejected)))
        return AcceptanceCounts(*accepted, *rejected)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ThresholdSweep(_Sweep):
    """Counts of accepted items at every distinct threshold.

    An item is accepted iff its confidence is at or above the threshold. With m distinct confidences
    there are m + 1 points. The first point accepts nothing, and each further point also accepts the
    items with the next lower confidence. Build a sweep with :func:`.threshold_sweep` or
    :meth:`.from_counts`; ``a + b`` merges the sweeps of two sets of items. ``ThresholdSweep(*columns)``
    rebuilds a sweep from the columns of ``to_frame()``.

    Attributes
    ----------
    thresholds : ndarray of shape (m + 1,)
        Strictly decreasing thresholds: first ``inf``, then the distinct confidences. The type is
        float64, or an object array of Python integers if some are too large (beyond 2**53) to be exact
        as float64.
    true_accepts : ndarray of shape (m + 1,)
        Number of correct items with ``confidence >= threshold``, as int64, from 0 to `n_correct`. For
        weighted items, their total weight as float64.
    false_accepts : ndarray of shape (m + 1,)
        The same for incorrect items, from 0 to `n_incorrect`.

    See Also
    --------
    threshold_sweep : count correct and incorrect accepted items at every threshold
    arac_curve : acceptance rate – accuracy after correction curve
    operating_point : choose the threshold by one criterion

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

    thresholds: NDArray[Any]
    true_accepts: NDArray[Any]
    false_accepts: NDArray[Any]

    @staticmethod
    def from_counts(
        thresholds: ArrayLike, correct_counts: ArrayLike, incorrect_counts: ArrayLike
    ) -> ThresholdSweep:
        """Build the sweep from the number of items with each confidence.

        Parameters
        ----------
        thresholds : array_like of shape (k,)
            Finite confidences in any order; the counts of equal confidences are added.
        correct_counts, incorrect_counts : array_like of shape (k,)
            Numbers of correct and of incorrect items with each confidence, at least 0. Integers are
            exact counts, and floats are total weights. A confidence without items is left out.

        Returns
        -------
        ThresholdSweep

        Raises
        ------
        ValueError, TypeError
            The errors of :func:`.threshold_sweep`; also if the counts sum to zero, or to more than
            int64 can hold.

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
        else:
            values = values.astype(np.float64) + 0.0  # adding 0.0 turns -0.0 into 0.0
            values[0] = np.inf
        return ThresholdSweep(values, true_accepts, false_accepts)

    def at(self, threshold: ArrayLike) -> AcceptanceCounts:
        """Return the counts at any thresholds.

        Parameters
        ----------
        threshold : scalar or array_like
            Real thresholds, which may be infinite but not NaN.

        Returns
        -------
        AcceptanceCounts
            The counts, as numbers or as arrays in the shape of `threshold`.

        Raises
        ------
        ValueError
            If a threshold is NaN.

        Examples
        --------
        >>> import fastarac as fa
        >>> sweep = fa.threshold_sweep([1, 1, 0, 1], [0.9, 0.8, 0.8, 0.3])
        >>> sweep.at(0.5)
        AcceptanceCounts(true_accepts=2, false_accepts=1, false_rejects=1, true_rejects=0)
        """
        return self._counts_at(self._points_at(threshold)[1])

    @property
    def possible(self) -> ThresholdSweep:
        """Counts to report; for estimated counts, the nearest possible ones."""
        return self

    @property
    def rising(self) -> ThresholdSweep:
        """Counts for limits; if they are estimated, the errors never decrease."""
        return self

    def __add__(self, other: object) -> ThresholdSweep:
        """Return the sweep of all items of both sweeps, with exact counts."""
        if isinstance(other, CornerSweep):
            whole_sweep(other)
        if not isinstance(other, ThresholdSweep):
            return NotImplemented
        whole = self.true_accepts.dtype == other.true_accepts.dtype == np.int64
        if whole and self.total + other.total > np.iinfo(np.int64).max:
            raise ValueError(
                f"the merged counts sum to {self.total + other.total}, which int64 cannot hold"
            )
        thresholds = np.unique(np.concatenate([self.thresholds, other.thresholds]))[::-1]
        counts = [
            _at_thresholds(self, thresholds, name) + _at_thresholds(other, thresholds, name)
            for name in ("true_accepts", "false_accepts")
        ]
        # Sums of valid counts are valid, so they are not checked again.
        return trusted_sweep(ThresholdSweep, ThresholdCounts(thresholds, *counts))

    def __radd__(self, other: object) -> ThresholdSweep:
        """Support ``sum(sweeps)``, which starts from 0."""
        return self if other == 0 else NotImplemented


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CornerSweep(_Sweep):
    """Counts of accepted items at the thresholds where curves bend.

    Thresholds inside runs of correct items are left out: among consecutive distinct confidences without
    an error, only the lowest is kept. To build one, call :func:`.threshold_sweep` with
    ``corners_only=True``. A corner sweep can replace a :class:`.ThresholdSweep`, except in functions
    that need every threshold.

    Attributes
    ----------
    thresholds : ndarray of shape (m + 1,)
        Strictly decreasing thresholds, starting with ``inf``; float64, or an object array of Python
        integers.
    true_accepts, false_accepts : ndarray of int64 of shape (m + 1,)
        Numbers of correct and of incorrect items with ``confidence >= threshold``.

    See Also
    --------
    fastarac.threshold_sweep : count correct and incorrect accepted items at every threshold
    fastarac.ThresholdSweep : counts of accepted items at every distinct threshold

    Examples
    --------
    >>> import fastarac as fa
    >>> corners = fa.threshold_sweep([1, 0, 1, 1], [0.9, 0.8, 0.7, 0.6], corners_only=True)
    >>> corners
    CornerSweep(3 thresholds, 3 correct, 1 incorrect)
    >>> corners.thresholds
    array([inf, 0.9, 0.8, 0.6])
    >>> fa.arac_auc_score(corners)
    0.84375
    """

    thresholds: NDArray[Any]
    true_accepts: NDArray[Any]
    false_accepts: NDArray[Any]

    def __post_init__(self) -> None:
        _Sweep.__post_init__(self)
        if self.true_accepts.dtype != np.int64:
            raise TypeError("CornerSweep needs counts of type int64, got float64")

    def __str__(self) -> str:
        return f"{_Sweep.__str__(self)}, corners only"

    def at(self, threshold: ArrayLike) -> AcceptanceCounts:
        """Return the counts at thresholds of the sweep, or at others outside runs of correct items.

        Parameters
        ----------
        threshold : scalar or array_like
            Real thresholds, which may be infinite but not NaN.

        Returns
        -------
        AcceptanceCounts
            The counts, as numbers or as arrays in the shape of `threshold`.

        Raises
        ------
        ValueError
            If a threshold is NaN, or may be inside a run of correct items.

        Examples
        --------
        >>> import fastarac as fa
        >>> corners = fa.threshold_sweep([1, 0, 1, 1], [0.9, 0.8, 0.7, 0.6], corners_only=True)
        >>> corners.at(0.8)
        AcceptanceCounts(true_accepts=1, false_accepts=1, false_rejects=2, true_rejects=0)
        """
        given, points = self._points_at(threshold)
        # Inside a run of correct items, the counts are unknown: the sweep holds only those at its ends.
        below = np.minimum(points + 1, len(self.thresholds) - 1)
        correct = self.true_accepts[below] - self.true_accepts[points]
        run = (self.false_accepts[below] == self.false_accepts[points]) & (correct > 1)
        inside = np.atleast_1d(run & (given != self.thresholds[points]) & (given != np.inf))
        if inside.any():
            raise ValueError(
                f"threshold {np.atleast_1d(given)[inside].flat[0]} may be inside a run of correct "
                "items, but this CornerSweep holds only the ends of such runs; use one of its own "
                "thresholds, or a sweep made without corners_only=True"
            )
        return self._counts_at(points)

    def __add__(self, other: object) -> ThresholdSweep:
        return whole_sweep(self)

    __radd__ = __add__


def trusted_sweep(kind: type[S], counts: CountsAtThresholds) -> S:
    """Return a sweep of counts that the library itself computed, without checks or copies."""
    sweep = kind.__new__(kind)
    _set(sweep, counts.thresholds, counts.true_accepts, counts.false_accepts)
    return sweep


def _set(sweep: _Sweep, *arrays: NDArray[Any]) -> None:
    for name, array in zip(("thresholds", "true_accepts", "false_accepts"), arrays, strict=True):
        object.__setattr__(sweep, name, read_only(array))


def _check_sweep(thresholds: NDArray[Any], *accepts: NDArray[Any]) -> None:
    if thresholds.ndim != 1 or len(thresholds) < 2:
        raise ValueError("thresholds must be an array of shape (m + 1,) with m >= 1")
    if thresholds[0] != np.inf or not (thresholds[1:] < thresholds[:-1]).all():
        raise ValueError(
            "thresholds must start with inf and strictly decrease; ThresholdSweep.from_counts takes "
            "any order"
        )
    for name, counts in zip(("true_accepts", "false_accepts"), accepts, strict=True):
        if counts.shape != thresholds.shape:
            raise ValueError(f"{name} must have the shape of thresholds, {thresholds.shape}")
        if counts.dtype not in (np.int64, np.float64) or counts.dtype != accepts[0].dtype:
            raise TypeError(f"{name} must have type int64, or float64 for weights, got {counts.dtype}")
        if counts[0] != 0 or not (counts[1:] >= counts[:-1]).all() or not counts[-1] < np.inf:
            raise ValueError(f"{name} must start with 0, never decrease and stay finite")
    if not accepts[0][-1] + accepts[1][-1] > 0:
        raise ValueError("true_accepts and false_accepts both end at 0, but a sweep needs items")


def _at_thresholds(sweep: ThresholdSweep, thresholds: NDArray[Any], name: str) -> NDArray[Any]:
    """Return the counts `name` at decreasing `thresholds`, which include those of the sweep."""
    rising = sweep.thresholds[::-1]
    index = len(rising) - 1 - np.searchsorted(rising, thresholds, side="left")
    return getattr(sweep, name)[index]  # type: ignore[no-any-return]


def whole_sweep(sweep: AcceptedCounts) -> ThresholdSweep:
    """Return the sweep, or raise ``TypeError`` if it has corners only."""
    if isinstance(sweep, ThresholdSweep):
        return sweep
    raise TypeError(
        f"{sweep!r} lacks the thresholds inside runs of correct items: use (correct, confidence), "
        "or a sweep made without corners_only=True"
    )
