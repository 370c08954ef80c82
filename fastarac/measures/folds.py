"""The mean and the spread of the curves of several folds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastarac._core.checks import choice, fractions_of, reject_where
from fastarac._core.exceptions import warn_undefined
from fastarac._core.results import Table, TupleResult
from fastarac._engine.inputs import vector
from fastarac.sweep import CornerSweep, ThresholdSweep, whole_sweep

FloatArray = NDArray[np.float64]

# For each curve: the name of the sweep's attribute that holds its y values.
CURVES = {
    "arac": "accuracy_after_correction",
    "generalized_rc": "error_rate",
    "arp": "precision",
    "rc": "risk",
}
WAYS = ("acceptance", "threshold")


class _AverageCurve(NamedTuple):
    grid: FloatArray
    """The given acceptance rates or thresholds, of shape (g,)."""
    acceptance_rate: FloatArray
    """Mean acceptance rate of the folds; the grid itself if it holds acceptance rates."""
    mean: FloatArray
    """Mean of the folds' values."""
    standard_deviation: FloatArray
    """Standard deviation of the folds' values, with n − 1 in the denominator."""
    acceptance_rate_deviation: FloatArray
    """Standard deviation of the folds' acceptance rates; 0 if the grid holds acceptance rates."""
    values: FloatArray
    """The value of each fold, of shape (n_folds, g)."""


class AverageCurve(Table, TupleResult, _AverageCurve):
    """Mean and standard deviation of the curves of several folds, at each point of a grid.

    See Also
    --------
    fastarac.measures.average_curves : average the curves of several folds
    fastarac.bootstrap_band : band around a curve, from resamples of the items
    """

    __slots__ = ()

    def to_columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns of a table with a row per point; ``value_0`` is the first fold's value."""
        columns = self._asdict()
        folds = columns.pop("values")
        return columns | {f"value_{k}": fold for k, fold in enumerate(folds)}


def average_curves(
    sweeps: Iterable[ThresholdSweep],
    grid: ArrayLike,
    along: str = "acceptance",
    curve: str = "arac",
) -> AverageCurve:
    """Average the curves of several folds, such as those of a cross-validation.

    Parameters
    ----------
    sweeps : iterable of ThresholdSweep
        The counts at every threshold, for each fold.
    grid : array_like of shape (g,)
        Points at which the folds are averaged: acceptance rates in [0, 1], or thresholds.
    along : {"acceptance", "threshold"}
        Whether the folds are averaged at equal acceptance rates, where their thresholds may differ, or
        at equal thresholds, where their acceptance rates may differ.
    curve : {"arac", "generalized_rc", "arp", "rc"}
        The curve over the acceptance rate: accuracy after correction, error rate, precision or risk.

    Returns
    -------
    AverageCurve
        Arrays with one entry per grid point: grid, acceptance_rate, mean, standard_deviation and
        acceptance_rate_deviation. Also the values of each fold.

    Raises
    ------
    ValueError, TypeError
        If there is no fold, or if `sweeps` holds anything other than sweeps. If the grid is empty, is
        not a one-dimensional array of real numbers, or holds NaN or acceptance rates outside [0, 1]. If
        `along` or `curve` is unknown.

    Warns
    -----
    UndefinedMetricWarning
        If there is only one fold, so that the standard deviation is undefined.

    See Also
    --------
    fastarac.results.AverageCurve : mean and standard deviation of the curves of several folds
    fastarac.roc_curve : receiver operating characteristic curve

    Notes
    -----
    Curves are interpolated linearly between their points. The two ways to average correspond to
    vertical averaging and threshold averaging of Fawcett (2006). Folds of a cross-validation share most
    of their training data, so independent repetitions would have another standard deviation.

    References
    ----------
    Fawcett 2006, "An introduction to ROC analysis".

    Examples
    --------
    >>> import fastarac as fa
    >>> folds = [
    ...     fa.threshold_sweep([1, 1, 0, 1], [0.9, 0.8, 0.4, 0.6]),
    ...     fa.threshold_sweep([1, 0, 1, 0], [0.9, 0.7, 0.6, 0.3]),
    ... ]
    >>> average = fa.measures.average_curves(folds, grid=[0.25, 0.5, 1.0])
    >>> average.mean
    array([1.   , 0.875, 0.625])
    >>> average.standard_deviation.round(4)
    array([0.    , 0.1768, 0.1768])
    >>> fa.measures.average_curves(folds, [0.65], along="threshold").acceptance_rate
    array([0.5])
    """
    choice(along, "along", WAYS)
    choice(curve, "curve", tuple(CURVES))
    folds = list(sweeps)
    for i, fold in enumerate(folds):
        if not isinstance(fold, ThresholdSweep | CornerSweep):
            raise TypeError(f"sweeps[{i}] must be a ThresholdSweep, got a {type(fold).__name__}")
        whole_sweep(fold)
    if not folds:
        raise ValueError("sweeps is empty; give at least one ThresholdSweep")
    points = _read_grid(grid, along)
    x, y = np.empty((len(folds), len(points))), np.empty((len(folds), len(points)))
    for i, fold in enumerate(folds):
        values = getattr(fold, CURVES[curve])
        if along == "acceptance":
            x[i], y[i] = points, np.interp(points, fold.acceptance_rate, values)
        else:
            rising = fold.thresholds[:0:-1]
            index = len(rising) - np.searchsorted(rising, points, side="left")
            x[i], y[i] = fold.acceptance_rate[index], values[index]
    if len(folds) == 1:
        warn_undefined("standard_deviation", "there is a single fold")
    return AverageCurve(points, x.mean(axis=0), y.mean(axis=0), _spread(y), _spread(x), y)


def _read_grid(grid: ArrayLike, along: str) -> FloatArray:
    points = vector(grid, "grid").astype(np.float64)
    if len(points) == 0:
        raise ValueError("grid is empty; give at least one point")
    if along == "acceptance":
        return fractions_of(points, "grid")
    reject_where(np.isnan(points), points, "grid", "a threshold")
    return points


def _spread(values: FloatArray) -> FloatArray:
    if len(values) == 1:
        return np.full(values.shape[1], np.nan)
    return np.asarray(values.std(axis=0, ddof=1))
