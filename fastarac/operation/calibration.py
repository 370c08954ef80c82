"""Calibration of confidences: error probabilities by isotonic regression, and calibration errors."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac import _kernels
from fastarac._core.checks import inner_fraction, whole_number
from fastarac._core.dtype_comparison import number_at_or_below
from fastarac._core.results import Result, Table
from fastarac._core.single_items import takes_items_only
from fastarac._core.special import binomial_cdf, binomial_interval
from fastarac._core.text import percent
from fastarac._engine.inputs import Items, read_items, vector
from fastarac.samples.door import as_sweep, refuse_partial

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from fastarac.sweep import ThresholdSweep

NO_CALIBRATION = "calibration is not estimated from partial truth"


@dataclass(frozen=True, slots=True, eq=False)
class Calibration(Table, Result):
    """The error probability as a step function of the confidence; it never increases.

    Attributes
    ----------
    thresholds : tuple of float
        The lowest confidence of each block, in decreasing order. Integers that float64 would round stay
        integers.
    n_items : ndarray of shape (n_blocks,), int64 or float64
        Number of items in each block. With partial truth, the number is estimated by the sum of 1/π
        over verified items with inclusion probability π.
    errors : ndarray of shape (n_blocks,), int64 or float64
        Number of incorrect items in each block; their share increases strictly from block to block.

    See Also
    --------
    fastarac.operation.isotonic_calibration : estimate the error probability at each confidence
    CalibrationTable : confidences in bins, with the share of correct items in each

    References
    ----------
    Ayer and others 1955, "An empirical distribution function for sampling with incomplete information".

    Examples
    --------
    >>> import fastarac as fa
    >>> found = fa.operation.isotonic_calibration([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2])
    >>> found
    Calibration(3 blocks of 5 items, 2 errors)
    >>> found.accepted_down_to(0.5)
    0.6
    """

    thresholds: tuple[float, ...]
    n_items: NDArray[Any]
    errors: NDArray[Any]

    def __repr__(self) -> str:
        blocks, n, wrong = len(self.thresholds), self.n_items.sum(), self.errors.sum()
        return f"Calibration({blocks} blocks of {n:.16g} items, {wrong:.16g} errors)"

    @property
    def error_probability(self) -> NDArray[np.float64]:
        """The error probability p̂ of each block, (n_blocks,)."""
        return np.asarray(self.errors / self.n_items)

    def at(self, confidence: ArrayLike) -> NDArray[np.float64]:
        """Return the error probability p̂ at each confidence, (n,).

        Between two confidences of the fit, p̂ is the value at the lower one. Below the lowest
        confidence of the fit, p̂ is the value at the lowest one.
        """
        return self.error_probability[self.block_of(confidences(confidence))]

    def block_of(self, confidence: NDArray[Any]) -> NDArray[np.intp]:
        """Return the index of the block that contains each confidence."""
        blocks = len(self.thresholds)
        found = blocks - number_at_or_below(confidence, self.thresholds[::-1])
        return np.minimum(found, blocks - 1)

    def accepted_down_to(self, probability: float) -> float:
        """Return the lowest confidence at which the error probability p̂ is at most `probability`.

        The result is inf if p̂ is larger everywhere, and -inf if p̂ is larger nowhere.
        """
        blocks = int(np.searchsorted(self.error_probability, probability, side="right"))
        if blocks == 0:
            return math.inf
        return -math.inf if blocks == len(self.thresholds) else self.thresholds[blocks - 1]


def confidences(confidence: ArrayLike) -> NDArray[Any]:
    """Return confidences as an array; raise if there are none, or if one is not finite."""
    values = vector(confidence, "confidence")
    if len(values) == 0:
        raise ValueError("confidence is empty; give at least one item")
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        Items(np.zeros(len(values), np.bool_), values, None, ("correct", "confidence", "")).reject()
    return values


def isotonic_calibration(
    correct: ArrayLike | ThresholdSweep, confidence: ArrayLike | None = None
) -> Calibration:
    """Estimate the error probability at each confidence, assuming that it never rises with confidence.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,), or a ThresholdSweep alone
        Whether each output was right (bool, or 0 and 1), and its confidence (real and finite).

    Returns
    -------
    Calibration
        The blocks of confidences with their counts.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`; TypeError for a weighted sweep.

    See Also
    --------
    calibration_table : compare confidences with shares of correct outputs, bin by bin
    fit_policy : fit thresholds that keep one limit over all outputs
    fastarac.results.Calibration : the error probability as a step function of the confidence

    Notes
    -----
    The method is pooling of adjacent violators (Ayer and others 1955). The result is the non-increasing
    step function of the confidence that fits the items best, both by least squares and by likelihood.
    Items with equal confidences are pooled first. Then one pass over the distinct confidences suffices.
    Rates are compared as exact fractions, so that blocks with equal rates merge.

    References
    ----------
    Ayer and others 1955, "An empirical distribution function for sampling with incomplete information".

    Examples
    --------
    >>> import fastarac as fa
    >>> found = fa.operation.isotonic_calibration([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2])
    >>> found.thresholds, found.error_probability
    ((0.8, 0.6, 0.2), array([0. , 0.5, 1. ]))
    >>> found.at([0.85, 0.75, 0.1])
    array([0. , 0.5, 1. ])
    """
    return calibration_of(as_sweep(correct, confidence, instead=NO_CALIBRATION))


def calibration_of(sweep: ThresholdSweep) -> Calibration:
    """Return the isotonic calibration, given the sweep of unweighted items."""
    if sweep.false_accepts.dtype != np.int64:
        raise TypeError("the sweep is weighted, but calibration needs counts of items")
    errors = np.diff(sweep.false_accepts)
    n = errors + np.diff(sweep.true_accepts)
    last = np.empty(len(n), np.int64)
    block_n, block_errors = np.empty(len(n), np.int64), np.empty(len(n), np.int64)
    blocks = _kernels.isotonic.pool(n, errors, last, block_n, block_errors)
    lowest = sweep.thresholds[1:][last[:blocks]]
    return Calibration(tuple(lowest.tolist()), block_n[:blocks].copy(), block_errors[:blocks].copy())


def thinned(calibration: Calibration, weight: float) -> Calibration:
    """Divide all counts of a calibration by `weight`; the error rates stay the same."""
    if weight == 1.0:
        return calibration
    n_items, errors = calibration.n_items / weight, calibration.errors / weight
    return Calibration(calibration.thresholds, n_items, errors)


def weighted_calibration(
    wrong: NDArray[Any], confidence: NDArray[Any], weight: NDArray[np.float64]
) -> Calibration:
    """Return the calibration of weighted verified items (Barlow and others 1972, 1.2)."""
    rising, place = np.unique(confidence, return_inverse=True)
    falling = rising[::-1]
    place = len(falling) - 1 - place
    n, errors = np.bincount(place, weight), np.bincount(place, weight * wrong)
    last = np.empty(len(falling), np.int64)
    blocks = _kernels.betting.pool_weighted(errors, n, last)
    lowest = falling[last[:blocks]]
    return Calibration(tuple(lowest.tolist()), n[:blocks].copy(), errors[:blocks].copy())


@dataclass(frozen=True, slots=True, eq=False)
class CalibrationTable(Table, Result):
    """Bins of confidences with the share of correct items in each (a reliability diagram).

    Attributes
    ----------
    low, high : ndarray of shape (n_bins,)
        The lowest and the highest confidence of each bin, starting with the lowest bin.
    confidence : ndarray of shape (n_bins,)
        The mean confidence of each bin.
    n_items, n_correct : ndarray of shape (n_bins,), int64
        Number of items, and of correct items among them.
    accuracy, accuracy_low, accuracy_high : ndarray of shape (n_bins,)
        The share of correct items, and its exact interval (Clopper and Pearson).
    confidence_level : float
        The confidence level of each single interval.

    See Also
    --------
    fastarac.operation.calibration_table : compare confidences with shares of correct outputs
    fastarac.displays.CalibrationDisplay : calibration visualization

    References
    ----------
    Clopper and Pearson 1934, "The use of confidence or fiducial limits illustrated in the case of the
    binomial".

    Examples
    --------
    >>> import fastarac as fa
    >>> correct, confidence = [1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2]
    >>> table = fa.operation.calibration_table(correct, confidence, n_bins=2)
    >>> table
    CalibrationTable(2 bins of 5 items)
    >>> table.n_correct, table.n_items
    (array([1, 2]), array([2, 3]))
    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    confidence: NDArray[np.float64]
    n_items: NDArray[np.int64]
    n_correct: NDArray[np.int64]
    accuracy: NDArray[np.float64]
    accuracy_low: NDArray[np.float64]
    accuracy_high: NDArray[np.float64]
    confidence_level: float

    def __repr__(self) -> str:
        return f"CalibrationTable({len(self.n_items)} bins of {self.n_items.sum()} items)"


@takes_items_only("it computes the mean confidence of the items in each bin")
def calibration_table(
    correct: ArrayLike,
    confidence: ArrayLike,
    *,
    n_bins: int | None = None,
    confidence_level: float = 0.95,
) -> CalibrationTable:
    """Compare confidences with shares of correct outputs, bin by bin.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,)
        Whether each output was right (bool, or 0 and 1), and its confidence (real and finite).
    n_bins : int, optional
        The number of bins. They have about equal numbers of items, but items with equal confidences
        share a bin. By default, the bins are the blocks of :func:`.isotonic_calibration`.
    confidence_level : float, default=0.95
        The confidence level of each bin's interval, in (0, 1).

    Returns
    -------
    CalibrationTable
        The bins, starting with the lowest confidence.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`.

    See Also
    --------
    expected_calibration_error : mean distance between confidence and accuracy
    isotonic_calibration : estimate the error probability at each confidence
    fastarac.displays.CalibrationDisplay : calibration visualization

    Notes
    -----
    If the bins are blocks of the isotonic calibration, nobody needs to choose their number
    (Dimitriadis, Gneiting and Jordan 2021, "Stable reliability diagrams for probabilistic
    classifiers"). But the same items then choose the bins and give their accuracies, so the intervals
    are slightly too narrow. This does not affect bins with equal numbers of items.

    References
    ----------
    Dimitriadis, Gneiting and Jordan 2021, "Stable reliability diagrams for probabilistic classifiers";
    Clopper and Pearson 1934, "The use of confidence or fiducial limits illustrated in the case of the
    binomial".

    Examples
    --------
    >>> import fastarac as fa
    >>> table = fa.operation.calibration_table([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2])
    >>> table.confidence, table.accuracy
    (array([0.2 , 0.65, 0.85]), array([0. , 0.5, 1. ]))
    """
    level = inner_fraction(confidence_level, "confidence_level")
    refuse_partial(correct, NO_CALIBRATION)
    items = read_items(correct, confidence)
    sweep = as_sweep(items.correct, items.confidence)
    right = np.diff(sweep.true_accepts)[::-1]
    n = right + np.diff(sweep.false_accepts)[::-1]
    values = sweep.thresholds[:0:-1].astype(np.float64)
    if n_bins is None:
        lowest = np.array(calibration_of(sweep).thresholds[::-1], np.float64)
        start = np.searchsorted(values, lowest)
    else:
        share = np.arange(whole_number(n_bins, "n_bins", 1)) / n_bins
        before = np.cumsum(n) - n
        start = np.unique(np.searchsorted(before, share * n.sum() - 0.5))
        start = start[start < len(n)]
    counts, correct_counts = np.add.reduceat(n, start), np.add.reduceat(right, start)
    last = np.append(start[1:], len(n)) - 1
    ends = [
        binomial_interval(k, m, level)
        for k, m in zip(correct_counts.tolist(), counts.tolist(), strict=True)
    ]
    lows, highs = (np.array(end) for end in zip(*ends, strict=True))
    mean = np.add.reduceat(n * values, start) / counts
    return CalibrationTable(
        values[start], values[last], np.clip(mean, values[start], values[last]), counts,
        correct_counts, correct_counts / counts, lows, highs, level,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class CalibrationError(Result):
    """The expected calibration error, and its expected value for a perfectly calibrated model.

    Attributes
    ----------
    estimate : float
        ECE, the mean distance between accuracy and confidence over the bins, in [0, 1].
    by_chance : float
        The expected value of ECE with these bins, if every confidence were the probability of being
        correct. This is the bias of the estimate near perfect calibration.
    n_bins : int
        The number of bins.

    See Also
    --------
    fastarac.operation.expected_calibration_error : mean distance between confidence and accuracy
    CalibrationTable : confidences in bins, with the share of correct items in each

    References
    ----------
    Naeini, Cooper and Hauskrecht 2015, "Obtaining well calibrated probabilities using Bayesian
    binning".

    Examples
    --------
    >>> import fastarac as fa
    >>> correct, confidence = [1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2]
    >>> found = fa.operation.expected_calibration_error(correct, confidence)
    >>> found.n_bins, found.estimate > found.by_chance
    (5, False)
    """

    estimate: float
    by_chance: float
    n_bins: int

    def __str__(self) -> str:
        return (
            f"expected calibration error {percent(self.estimate, 3)} over {self.n_bins} bins; a "
            f"perfectly calibrated model would show {percent(self.by_chance, 3)} by chance"
        )


@takes_items_only("it computes the mean confidence of the items in each bin")
def expected_calibration_error(
    correct: ArrayLike, confidence: ArrayLike, *, n_bins: int | None = 15
) -> CalibrationError:
    r"""Mean distance between confidence and accuracy (ECE), and its bias.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,)
        Whether each output was right (bool, or 0 and 1), and its confidence, in [0, 1].
    n_bins : int or None, default=15
        As for :func:`.calibration_table`.

    Returns
    -------
    CalibrationError
        The estimate, and its expected value for a perfectly calibrated model.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`; ValueError for confidences outside [0, 1].

    See Also
    --------
    calibration_table : compare confidences with shares of correct outputs, bin by bin
    fastarac.results.CalibrationError : the expected calibration error, and how much of it is chance

    Notes
    -----
    :math:`\sum_b n_b/n \cdot |\mathrm{acc}_b - \mathrm{conf}_b|` (Naeini and others 2015), where bin b
    has n_b of n items, accuracy acc_b and mean confidence conf_b. The distances are never negative. So
    even a perfectly calibrated model has an estimate above 0, and small bins make it larger (Kumar and
    others 2019). `by_chance` is Σ E|Bin(n_b, conf_b) − n_b·conf_b|/n, in closed form after de Moivre.
    If the bins are blocks of the isotonic calibration (``n_bins=None``), the bins overfit, which
    increases the estimate. Bins with equal numbers of items do not overfit.

    References
    ----------
    Naeini, Cooper and Hauskrecht 2015, "Obtaining well calibrated probabilities using Bayesian
    binning"; Kumar, Liang and Ma 2019, "Verified uncertainty calibration"; Diaconis and Zabell 1991,
    "Closed form summation for classical distributions: variations on a theme of de Moivre".

    Examples
    --------
    >>> import fastarac as fa
    >>> correct, confidence = [1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2]
    >>> found = fa.operation.expected_calibration_error(correct, confidence)
    >>> round(found.estimate, 3), round(found.by_chance, 3), found.n_bins
    (0.32, 0.344, 5)
    """
    table = calibration_table(correct, confidence, n_bins=n_bins)
    if table.low[0] < 0.0 or table.high[-1] > 1.0:
        raise ValueError(
            f"confidence must hold probabilities in [0, 1], got {table.low[0]:g} to {table.high[-1]:g}"
        )
    total = float(table.n_items.sum())
    distance = float(np.sum(table.n_items * np.abs(table.accuracy - table.confidence)))
    chance = sum(map(_mean_deviation, table.n_items.tolist(), table.confidence.tolist()))
    return CalibrationError(distance / total, chance / total, len(table.n_items))


def _mean_deviation(n: int, p: float) -> float:
    """Return E|Bin(n, p) − np| = 2m(1 − p)·P(Bin(n, p) = m) with m = ⌊np⌋ + 1 (de Moivre 1730)."""
    m = math.floor(n * p) + 1
    if m > n:
        return 0.0
    at_m = binomial_cdf(m, n, p) - binomial_cdf(m - 1, n, p)
    return 2.0 * m * (1.0 - p) * at_m


def combined(right: NDArray[np.float64], of_item: NDArray[Any], rule: str) -> NDArray[np.float64]:
    """Return the confidence of each document, given the probabilities that its items are right.

    Probabilities are sorted before they are multiplied, so that the order of items does not affect
    rounding.
    """
    order = np.lexsort((right, of_item))
    starts = np.flatnonzero(np.diff(of_item[order], prepend=-1))
    if rule == "least":
        return right[order][starts]
    return np.multiply.reduceat(right[order], starts)
