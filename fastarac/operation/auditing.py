"""The error rate of a system in use, from a log of audits."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from fastarac._core.checks import choice, inner_fraction, real_scalar
from fastarac._core.dtype_comparison import at_or_above
from fastarac._core.interval import Interval
from fastarac._core.random_state import RandomState, key_of
from fastarac._core.single_items import takes_items_only
from fastarac._core.special import chi_square_quantile
from fastarac.guarantees.audits import audited_sweep, read_log
from fastarac.operation.calibration import calibration_of
from fastarac.samples.door import threshold_sweep

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from fastarac.guarantees.audits import AuditedSweep, AuditLog

__all__ = ["audited_error_rate", "audited_sweep"]

Method = Literal["weighting", "aipw"]
METHODS = ("weighting", "aipw")
FOLDS = 2
STEPS = 200  # acceptance rates at which rates are drawn


@takes_items_only("each item was audited or not")
def audited_error_rate(
    correct: ArrayLike,
    confidence: ArrayLike,
    *,
    threshold: float,
    audit_probability: ArrayLike,
    at: float | None = None,
    method: Method = "weighting",
    confidence_level: float = 0.95,
    accepted: ArrayLike | None = None,
    audited: ArrayLike | None = None,
    drawn: ArrayLike | None = None,
    random_state: RandomState = 0,
) -> Interval:
    r"""Estimate the rate of undetected errors among all outputs, from a log of audits.

    Parameters
    ----------
    correct, confidence, threshold, audit_probability, accepted, audited, drawn
        The log, as :func:`.audited_sweep` takes it. What was drawn and has no result counts as
        an error.
    at : float, optional
        The threshold whose error rate is asked for; by default the one in use.
    method : {"weighting", "aipw"}, default="weighting"
        With weights 1/π alone, or augmented by the calibrated error probabilities.
    confidence_level : float, default=0.95
        Of the interval, in (0, 1).
    random_state : int, SeedSequence, Generator or None, default=0
        Of the two folds of "aipw".

    Returns
    -------
    Interval
        The error rate, errors over all outputs in the log.

    Raises
    ------
    ValueError, TypeError
        As :func:`.audited_sweep`.

    See Also
    --------
    audited_sweep : counts at every threshold from a log of audits
    ErrorRateMonitor : alarms where an error rate is above its limit

    Notes
    -----
    With a the acceptance, A the audit and w the error of each output,

    weighting (Horvitz and Thompson 1952): the mean of a·A·w/π, with the gamma interval of Fay and
    Feuer 1997 for sums of weighted counts, which also holds with few errors, and with none.

    AIPW (Robins, Rotnitzky and Zhao 1994): the mean of a·(p̂ + A·(w − p̂)/π), with p̂ of
    :func:`.isotonic_calibration` from the known outputs of the other fold. Unbiased whatever p̂ is
    worth, as π is known; the better p̂ is, the smaller the variance. An estimate below 0 is given as 0.
    The interval is that of Fay and Feuer, too, with the variance of these values. (With unequal π,
    normal intervals and those of Student's t with effective degrees of freedom miss errors that stand
    for many and were not seen: they covered as little as a third.)

    The step that one further error may make is (Σ1/π²)/(nΣ1/π) over the outputs that are or would be
    accepted: 1/(nπ) where π is one number. Fay and Feuer have the largest, 1/(nπ) at the least π, but
    outputs that are hardly ever audited cannot hide more errors than there are such outputs. The
    largest made intervals up to 1.9 times as wide, and neither covered less than 94% in 36 cells of
    600 simulated logs, some with all errors among the outputs of the least π.

    References
    ----------
    Horvitz and Thompson 1952, "A generalization of sampling without replacement"; Fay and Feuer 1997,
    "Confidence intervals for directly standardized rates"; Robins, Rotnitzky and Zhao 1994, "Estimation
    of regression coefficients when some regressors are not always observed".

    Examples
    --------
    >>> import numpy as np
    >>> import fastarac as fa
    >>> rng = np.random.default_rng(1)
    >>> confidence = rng.random(20_000)
    >>> correct = np.where(rng.random(20_000) < 0.2 * (1 - confidence), 0.0, 1.0)
    >>> unseen = (confidence >= 0.25) & (rng.random(20_000) >= 0.1)
    >>> log = {"threshold": 0.25, "audit_probability": 0.1}
    >>> fa.operation.audited_error_rate(np.where(unseen, np.nan, correct), confidence, **log)
    Interval(0.0595 [0.0492908, 0.0712006], 95%, weighting, gamma)
    """
    level = inner_fraction(confidence_level, "confidence_level")
    choice(method, "method", METHODS)
    log = read_log(correct, confidence, threshold, audit_probability, accepted, audited, drawn)
    taken = (
        log.accepted if at is None else at_or_above(log.confidence, real_scalar(at, "at", finite=False))
    )
    weight = np.where(taken & log.wrong, 1.0 / log.probability, 0.0)
    n = len(weight)
    step = float(_steps(log.probability[taken])[-1]) / n if taken.any() else 1.0 / n
    if method == "weighting" or n == 1:
        return _weighted(float(weight.sum()) / n, float((weight**2).sum()) / n**2, step, level)
    expected = _error_probability(log, random_state)
    seen = np.where(log.known, (log.wrong - expected) / log.probability, 0.0)
    values = np.where(taken, expected + seen, 0.0)
    estimate, variance = max(0.0, float(values.mean())), float(values.var(ddof=1)) / n
    return _weighted(estimate, variance, step, level, "aipw, gamma")


class AuditedRates(NamedTuple):
    """Error rates at the thresholds that a log knows, with intervals at each by itself."""

    acceptance_rate: NDArray[np.float64]
    error_rate: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def audited_rates(sweep: AuditedSweep, confidence_level: float) -> AuditedRates:
    """Return the share of undetected errors over the share accepted, by weighting."""
    level = inner_fraction(confidence_level, "confidence_level")
    n, m = len(sweep.logged), len(sweep.thresholds)
    counts = sweep.accepted_at(sweep.thresholds.astype(np.float64))
    accepted = counts / n
    weight = 1.0 / sweep.error_probabilities
    sums, squares = (
        np.cumsum(np.bincount(sweep.error_points, values, minlength=m))
        for values in (weight, weight**2)
    )
    # between two known errors the rate is the same: as many places as a picture can show
    places = np.unique(np.searchsorted(accepted, np.arange(STEPS + 1) / STEPS).clip(0, m - 1))
    steps = np.concatenate([[1.0], _steps(sweep.logged_probabilities)])[counts[places]]
    found = [
        _weighted(float(sums[i]) / n, float(squares[i]) / n**2, float(step) / n, level)
        for i, step in zip(places, steps, strict=True)
    ]
    low, high = (np.array([getattr(each, end) for each in found]) for end in ("low", "high"))
    return AuditedRates(accepted[places], np.asarray(sums[places] / n), low, high)


def _steps(probability: NDArray[np.float64]) -> NDArray[np.float64]:
    """How many errors one more may stand for, of the first outputs: the mean of 1/π, weighted by it."""
    weight = 1.0 / probability
    return np.asarray(np.cumsum(weight**2) / np.cumsum(weight))


def _weighted(y: float, v: float, w: float, level: float, method: str = "weighting, gamma") -> Interval:
    """The interval of Fay and Feuer for a mean y of weighted errors.

    v is its variance, w what one more error may add.
    """
    tail = (1.0 - level) / 2.0
    low = v / (2 * y) * chi_square_quantile(tail, 2 * y * y / v) if y > 0.0 and v > 0.0 else y
    v_high, y_high = v + w * w, y + w
    high = v_high / (2 * y_high) * chi_square_quantile(1.0 - tail, 2 * y_high**2 / v_high)
    error = math.sqrt(v)
    return Interval(y, max(0.0, low), min(1.0, high), error, level, method)


def _error_probability(log: AuditLog, random_state: RandomState) -> NDArray[np.float64]:
    """p̂ of each output, from the known outputs of the other fold."""
    n = len(log.confidence)
    # drawn in the order of the values, so that their own order does not matter
    order = np.lexsort((log.correct, log.probability, log.confidence))
    fold = np.empty(n, np.intp)
    fold[order] = np.random.default_rng(key_of(random_state)).permutation(n) % FOLDS
    found = np.zeros(n)
    for i in range(FOLDS):
        others = log.known & (fold != i)
        if others.any():
            sweep = threshold_sweep(log.correct[others] == 1, log.confidence[others])
            found[fold == i] = calibration_of(sweep).at(log.confidence[fold == i])
    return found
