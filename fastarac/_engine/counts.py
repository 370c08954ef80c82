"""Counts of accepted items at thresholds, and the conversion of value bits to thresholds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastarac._kernels.codes import FLOAT

if TYPE_CHECKING:
    from fastarac._engine.inputs import Layout

Array = NDArray[Any]
FloatArray = NDArray[np.float64]


class AcceptedCounts:
    """Numbers of accepted correct and incorrect items at falling thresholds.

    The first threshold accepts nothing, the last one everything.

    In the formulas, TA and FA are the accepted correct and incorrect items, FR and TR the rejected
    ones. Ω is the weight of all items, and β the share of correct items. The equations are numbered as
    in Kimura et al. 2024.
    """

    __slots__ = ()

    if TYPE_CHECKING:
        true_accepts: Array
        false_accepts: Array

    @property
    def n_correct(self) -> int | float:
        """Weight of the correct items, n⁺; their number if the items are not weighted."""
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
        """X = (TA + FA)/Ω (equation 1), also called coverage or automation rate; from 0 to 1."""
        return self._divided(self._accepted(), self.total)

    @property
    def verification_rate(self) -> FloatArray:
        """R_R = 1 − X (equation 3): the share of items that people verify; from 1 to 0."""
        accepted = self._accepted()
        return self._divided(np.subtract(self.total, accepted, out=accepted), self.total)

    @property
    def correction_rate(self) -> FloatArray:
        """R_C = TR/Ω (equation 4): the share of items that people correct; from 1 − β to 0."""
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
        """Share of errors among the *accepted* items, FA/(TA + FA).

        Where nothing is accepted, the value is that of the next threshold.
        """
        return self._of_accepted(self.false_accepts)

    @property
    def precision(self) -> FloatArray:
        """R_P = TA/(TA + FA): the share of correct items among the accepted ones.

        Where nothing is accepted, the value is that of the next threshold.
        """
        return self._of_accepted(self.true_accepts)

    @property
    def recall(self) -> FloatArray:
        """R_TP = TA/n⁺, the true positive rate; NaN if there is no correct item."""
        return self._divided(self.true_accepts, self.n_correct)

    @property
    def false_positive_rate(self) -> FloatArray:
        """R_FP = FA/n⁻; NaN if there is no incorrect item."""
        return self._divided(self.false_accepts, self.n_incorrect)

    def _accepted(self) -> FloatArray:
        dtype = np.float64 if self.total <= 1 << 53 else None
        accepted: NDArray[Any] = np.add(self.true_accepts, self.false_accepts, dtype=dtype)
        # Counts above 2**53 are added as integers, then rounded once.
        return accepted.astype(np.float64, copy=False)

    def _of_accepted(self, counts: NDArray[Any]) -> FloatArray:
        accepted = self._accepted()
        accepted[0] = 1.0
        np.divide(counts, accepted, out=accepted)
        accepted[0] = accepted[1]
        return accepted

    @staticmethod
    def _divided(counts: NDArray[Any], by: float) -> FloatArray:
        """Return `counts` / `by`, NaN for 0/0; in place if `counts` is a writable float array."""
        out = counts if counts.dtype == np.float64 and counts.flags.writeable else None
        with np.errstate(invalid="ignore"):
            quotient: FloatArray = np.divide(counts, by, out=out)
        return quotient


class CountsAtThresholds(AcceptedCounts):
    """Numbers of accepted items at known thresholds, from +inf downwards."""

    __slots__ = ()

    if TYPE_CHECKING:
        thresholds: Array

    @property
    def possible(self) -> CountsAtThresholds:
        """The counts; estimated ones are replaced by the nearest counts that real items can have."""
        return self

    @property
    def rising(self) -> CountsAtThresholds:
        """The counts; estimated ones are replaced by similar counts whose errors never fall."""
        return self


class _ThresholdCounts(NamedTuple):
    thresholds: Array
    true_accepts: Array
    false_accepts: Array


class ThresholdCounts(CountsAtThresholds, _ThresholdCounts):
    """Numbers of accepted items at all or some of the thresholds."""

    __slots__ = ()


class _PointCounts(NamedTuple):
    true_accepts: Array
    false_accepts: Array


class PointCounts(AcceptedCounts, _PointCounts):
    """Numbers of accepted items, without the thresholds at which they were counted."""

    __slots__ = ()

    @property
    def rising(self) -> PointCounts:
        """The counts themselves, because their errors never fall."""
        return self


def thresholds_of(raw: Array, layout: Layout) -> Array:
    """Return the thresholds from the bits of the values; the first is +inf.

    Thresholds are floats, or Python integers if floats cannot hold them.
    """
    raw[0] = 0  # the kernels leave the first entry unset; it might be a NaN
    values = raw.view(layout.values)
    if layout.kind == FLOAT:
        thresholds = values.astype(np.float64, copy=False)
        thresholds[0] = np.inf
        return thresholds
    return integer_thresholds(values)


def integer_thresholds(values: Array) -> Array:
    """Return falling `values` with +inf as the first entry; as floats if floats hold them exactly."""
    highest = int(values[1]) if len(values) > 1 else 0
    lowest = int(values[-1]) if len(values) > 1 else 0
    exact = max(abs(highest), abs(lowest)) <= 1 << 53
    thresholds = values.astype(np.float64 if exact else object)
    thresholds[0] = np.inf
    return thresholds
