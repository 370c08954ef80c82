"""Confidence bands of curves."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from fastarac import _kernels
from fastarac._core.checks import MOST_VALUES, choice, fractions_of, inner_fraction, whole_number
from fastarac._core.exceptions import UndefinedMetricWarning, warn_unreliable
from fastarac._core.random_state import key_of
from fastarac._core.results import Result, Table
from fastarac._kernels.codes import ARAC, ARP, GENERALIZED_RC, RC, ROC
from fastarac.uncertainty.bootstrap import reliability_warning_of
from fastarac.uncertainty.replicates import Evaluator
from fastarac.uncertainty.resampling import population_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from fastarac._core.random_state import RandomState
    from fastarac.sweep import ThresholdSweep

    FloatArray = NDArray[np.float64]


Curve = Literal["arac", "generalized_rc", "rc", "arp", "roc"]
Kind = Literal["pointwise", "simultaneous"]

CURVES = {"arac": ARAC, "generalized_rc": GENERALIZED_RC, "rc": RC, "arp": ARP, "roc": ROC}
MAX_PLACES = 10_000
NO_SPREAD = 1e-12  # smaller standard deviations are treated as rounding errors


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ConfidenceBand(Table, Result):
    """A curve with its bootstrap band, at grid points along the horizontal axis.

    Attributes
    ----------
    x : ndarray of shape (n_places,)
        Grid points in [0, 1], in increasing order. They are acceptance rates or, for a ROC curve, false
        positive rates.
    estimate, low, high : ndarray of shape (n_places,)
        The height of the original items' curve, and the lower and upper ends of the band. All are in
        [0, 1].
    curve, kind : str
        The arguments of :func:`.bootstrap_band`.
    confidence_level : float

    See Also
    --------
    fastarac.bootstrap_band : band around a curve, from resamples of the items
    fastarac.Interval : an estimate and the confidence interval around it

    Examples
    --------
    >>> import fastarac as fa
    >>> from fastarac.datasets import load_digits_ocr
    >>> band = fa.bootstrap_band(*load_digits_ocr()["knn-votes"], n_resamples=200, random_state=0)
    >>> band
    ConfidenceBand(201 points, curve='arac', kind='pointwise', confidence_level=0.95)
    """

    x: FloatArray
    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    curve: str
    kind: str
    confidence_level: float

    def __repr__(self) -> str:
        return (
            f"ConfidenceBand({len(self.x)} points, curve={self.curve!r}, kind={self.kind!r}, "
            f"confidence_level={self.confidence_level:g})"
        )


def bootstrap_band(
    correct: ArrayLike | ThresholdSweep,
    confidence: ArrayLike | None = None,
    *,
    curve: Curve = "arac",
    kind: Kind = "pointwise",
    grid: int | ArrayLike = 201,
    n_resamples: int = 2000,
    confidence_level: float = 0.95,
    stratified: bool = False,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    random_state: RandomState = None,
    n_threads: int | None = None,
    progress: bool = False,
) -> ConfidenceBand:
    """Band around a curve, from resamples of the items.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,), or a ThresholdSweep of unweighted items alone
        Whether each output was right (bool, or 0 and 1), and its confidence (real and finite).
    curve : {"arac", "generalized_rc", "rc", "arp", "roc"}, default="arac"
        The curve. "arac", "generalized_rc", "rc" and "arp" are accuracy after correction, error rate,
        risk and precision as functions of the acceptance rate. "roc" is the true positive rate as a
        function of the false positive rate. Where the curve jumps, the upper height is used.
    kind : {"pointwise", "simultaneous"}, default="pointwise"
        A "pointwise" band contains the population's curve at each single grid point with probability
        `confidence_level`. A "simultaneous" band contains the whole curve with this probability.
    grid : int or array_like of shape (n_places,), default=201
        The number of equally spaced grid points from 0 to 1 (at least 2), or the grid points themselves
        in increasing order. At most 10,000 points are allowed.
    n_resamples : int, default=2000
        At least 2.
    confidence_level : float, default=0.95
        Above 0 and below 1.
    stratified : bool, default=False
        Draw correct and incorrect items separately, so that their numbers are fixed.
    groups : array_like of shape (n,), optional
        Labels of groups that are drawn as a whole.
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum.
    random_state : int, SeedSequence, Generator or None, default=None
        Seed of the resamples. The number of threads does not affect them.
    n_threads : int, optional
        By default chosen from the amount of work.
    progress : bool, default=False
        Show progress on stderr.

    Returns
    -------
    ConfidenceBand
        Fields `x`, `estimate`, `low` and `high`. Displays draw the band:
        :meth:`.ARACDisplay.plot_band`.

    Warns
    -----
    UndefinedMetricWarning
        If some resamples have items of one class only, and therefore no ROC curve. The band uses the
        other resamples.
    UnreliableIntervalWarning
        With fewer than 10 correct items, 10 incorrect items, or 20 groups.

    Raises
    ------
    ValueError, TypeError
        As :func:`.bootstrap`; also if grid points are outside [0, 1] or not increasing.

    See Also
    --------
    bootstrap : interval and standard error of a statistic, from resamples of the items
    fastarac.results.ConfidenceBand : A curve with its bootstrap band
    fastarac.costs.cost_curve_band : pointwise bootstrap intervals of a cost curve

    Notes
    -----
    The curve is interpolated linearly between grid points. A pointwise band reaches between two
    quantiles of the resampled heights. A simultaneous band is h(x) ± c·s(x), clipped to [0, 1], where h
    is the curve and s the standard deviation of the resampled heights. Each resampled curve has a
    largest distance from h, in units of s. The factor c is a quantile of these distances (the sup-t
    band of Montiel Olea and Plagborg-Møller 2019).

    The method needs O(n) memory per thread, plus O(n_places·n_resamples).

    References
    ----------
    Montiel Olea and Plagborg-Møller 2019, "Simultaneous confidence bands".

    Examples
    --------
    >>> import fastarac as fa
    >>> correct, confidence = fa.synthetic.PAPER_CASES[1].sample(100, random_state=0)
    >>> band = fa.bootstrap_band(correct, confidence, grid=5, n_resamples=100, random_state=1)
    >>> band
    ConfidenceBand(5 points, curve='arac', kind='pointwise', confidence_level=0.95)
    >>> band.x
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    >>> bool((band.low <= band.estimate).all() and (band.estimate <= band.high).all())
    True
    """
    choice(curve, "curve", tuple(CURVES))
    choice(kind, "kind", ("pointwise", "simultaneous"))
    x = _places(grid)
    resamples = whole_number(n_resamples, "n_resamples", 2, MOST_VALUES)
    level = inner_fraction(confidence_level, "confidence_level")
    key = key_of(random_state)
    population = population_of(correct, confidence, sample_weight, groups, stratified=stratified)
    number = CURVES[curve]
    sweep = population.sweep
    estimate = np.empty(len(x))
    _kernels.bootstrap.curve_heights(
        sweep.true_accepts, sweep.false_accepts, len(sweep.thresholds), number, x, estimate
    )
    evaluator = Evaluator(population, key, [], resamples, curve=number, grid=x)
    evaluator.run(n_threads, progress=progress)
    heights = evaluator.heights
    undefined = np.isnan(heights).any(axis=1)
    if undefined.any() or np.isnan(estimate).any():
        message = (
            f"the {curve} curve is undefined for {int(undefined.sum())} of {resamples} resamples, "
            "which have only one class; the band uses the others"
        )
        warnings.warn(message, UndefinedMetricWarning, stacklevel=2)
        heights = heights[~undefined]
    if len(heights) < 2:
        low, high = np.full((2, len(x)), np.nan)
    elif kind == "pointwise":
        low, high = np.quantile(heights, [(1.0 - level) / 2.0, (1.0 + level) / 2.0], axis=0)
    else:
        low, high = _simultaneous(heights, estimate, level)
    warning = reliability_warning_of(population, None, f"the {curve} curve", math.inf)
    if warning:
        warn_unreliable(warning)
    return ConfidenceBand(x, estimate, low, high, curve, kind, level)


def _places(grid: int | ArrayLike) -> FloatArray:
    if isinstance(grid, int | np.integer):
        n = whole_number(grid, "grid", 2, MOST_VALUES)
        x: FloatArray = np.arange(min(n, MAX_PLACES + 1)) / (n - 1)
    else:
        x = np.atleast_1d(fractions_of(grid, "grid"))
        n = x.size
        if x.ndim != 1 or not n or not (x[1:] > x[:-1]).all():
            raise ValueError("grid must be a number of points, or points in increasing order")
    if n > MAX_PLACES:
        raise ValueError(f"grid must have at most {MAX_PLACES} points, got {n}")
    return x


def _simultaneous(
    heights: FloatArray, estimate: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    spread = heights.std(axis=0, ddof=1)
    some = spread > NO_SPREAD
    widest = np.zeros(len(heights))
    if some.any():
        widest = np.max(np.abs(heights[:, some] - estimate[some]) / spread[some], axis=1)
    reach = np.where(some, spread * np.quantile(widest, level), 0.0)
    return np.clip(estimate - reach, 0.0, 1.0), np.clip(estimate + reach, 0.0, 1.0)
