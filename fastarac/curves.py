"""From a sweep to the curves over the acceptance rate."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastarac.sweep import ThresholdSweep, as_sweep

FloatArray = NDArray[np.float64]


class ARACCurve(NamedTuple):
    """Points of the ARAC curve, from nothing accepted to everything accepted."""

    acceptance_rate: FloatArray
    accuracy_after_correction: FloatArray
    thresholds: NDArray[Any]


def arac_curve(
    correct: ArrayLike | ThresholdSweep,
    confidence: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
) -> ARACCurve:
    """Acceptance rate – accuracy after correction curve.

    Parameters
    ----------
    correct : array_like of shape (n,) or ThresholdSweep
        Whether each output was right: bool, or 0 and 1. A sweep stands for both first arguments.
    confidence : array_like of shape (n,)
        Real and finite.
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum.

    Returns
    -------
    acceptance_rate : ndarray of shape (m + 1,)
        X, the share that goes through unchecked; rising from 0 to 1.
    accuracy_after_correction : ndarray of shape (m + 1,)
        Y, the share that is right once people have corrected the rest; falling from 1 to the
        recognition rate β.
    thresholds : ndarray of shape (m + 1,)
        Falling from ``inf``; an item is accepted iff ``confidence >= threshold``.

    Raises
    ------
    ValueError, TypeError
        As :func:`threshold_sweep`.

    Notes
    -----
    X = (TA + FA)/Ω, Y = (TA + TR + FR)/Ω; equations 1 and 16 of Kimura et al. 2024. Also known as
    the oracle-collaborative accuracy or the retention curve.

    Examples
    --------
    >>> import fastarac as fa
    >>> x, y, thresholds = fa.arac_curve([1, 1, 0, 1], [0.9, 0.8, 0.4, 0.6])
    >>> x
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    >>> y
    array([1.  , 1.  , 1.  , 1.  , 0.75])
    >>> thresholds
    array([inf, 0.9, 0.8, 0.6, 0.4])
    """
    sweep = as_sweep(correct, confidence, sample_weight)
    return ARACCurve(sweep.acceptance_rate, sweep.accuracy_after_correction, sweep.thresholds)
