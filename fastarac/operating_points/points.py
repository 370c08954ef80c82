"""Operating points: the choice of a threshold by a criterion, and the rates at the threshold."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, cast, overload

from fastarac._core.checks import (
    LIMITS,
    exactly_one,
    fraction_of,
    fractions_of,
    real_scalar,
    reject_beside_sweep,
)
from fastarac._core.results import Result
from fastarac._core.text import percent
from fastarac.areas.order import question_sweep
from fastarac.bounds.bounded import BoundedSweep, refuse_of_bounds
from fastarac.bounds.points import BoundedOperatingPoint, bounded_point
from fastarac.operating_points.limits import (
    acceptances_at_error_rates,
    acceptances_at_risks,
    last_with_risk,
    last_within,
    out_of_reach,
    values_at_limits,
)
from fastarac.operating_points.ties import (
    errors_at,
    fraction_of_errors,
    fraction_of_risk,
    fraction_of_tie,
)
from fastarac.reviewer import Reviewer, check_reviewer
from fastarac.samples.door import as_ranked, as_sweep, is_partial, known_best
from fastarac.sweep import CornerSweep, ThresholdSweep

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from fastarac._engine.counts import CountsAtThresholds


@dataclass(frozen=True, slots=True, eq=False)
class OperatingPoint(Result):
    """The counts and rates of the reject model at one threshold.

    An item is accepted iff its confidence is at or above `threshold`. If `tie_acceptance` is below 1,
    only that fraction of the items with a confidence *equal* to the threshold is accepted, chosen at
    random. The counts are then expected values, and need not be whole.

    Attributes
    ----------
    threshold : float
        ``inf`` if nothing may be accepted. A Python integer if the confidences are integers that floats
        cannot hold.
    true_accepts, false_accepts, false_rejects, true_rejects : int or float
        TA, FA, FR, TR (Kimura et al. 2024, table 1).
    risk, precision : float
        Shares of the accepted items, FA/(TA + FA) and TA/(TA + FA), in [0, 1]. If nothing is accepted,
        these are the shares among the items with the highest confidence.
    tie_acceptance : float
        The accepted fraction of the tie, in (0, 1]; 1 if the whole tie is accepted.
    reviewer : Reviewer or None
        The error rates of the people who verify rejected items; None if they find and correct every
        error. Their mistakes affect the error rate, the correction rate and the accuracy after
        correction.

    See Also
    --------
    operating_point : choose the threshold by one criterion, and return its counts and rates
    guaranteed_operating_point : choose a threshold that keeps a limit on new items

    References
    ----------
    Kimura, Kubota, Wada and Hashimoto 2024, equations 1 to 6 and 16, table 1.

    Examples
    --------
    >>> import fastarac as fa
    >>> correct, confidence = [1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2]
    >>> point = fa.operating_point(correct, confidence, max_error_rate=0.2)
    >>> point.threshold, point.acceptance_rate, point.error_rate
    (0.6, 0.8, 0.2)
    >>> point.true_accepts, point.false_accepts, point.false_rejects, point.true_rejects
    (3, 1, 0, 1)
    """

    threshold: Any
    true_accepts: int | float
    false_accepts: int | float
    false_rejects: int | float
    true_rejects: int | float
    risk: float
    precision: float
    tie_acceptance: float = 1.0
    reviewer: Reviewer | None = None

    _derived = ("acceptance_rate", "error_rate", "correction_rate", "accuracy_after_correction")

    def __str__(self) -> str:
        if not self.acceptance_rate:
            return "accept nothing: review everything" + (
                "" if not self.error_rate else f"; error rate {percent(self.error_rate, 4)}"
            )
        where = f">= {self.threshold}"
        if self.tie_acceptance < 1:
            where = f"> {self.threshold}, and a share of {self.tie_acceptance:.4g} at {self.threshold}"
        return (
            f"accept {percent(self.acceptance_rate, 4)} at confidence {where}: "
            f"error rate {percent(self.error_rate, 4)}, risk {percent(self.risk, 4)}"
        )

    @property
    def total(self) -> int | float:
        """Ω, the weight of all items (equation 2)."""
        return self.true_accepts + self.false_accepts + self.false_rejects + self.true_rejects

    @property
    def recognition_rate(self) -> float:
        """β = (TA + FR)/Ω (equation 6): the share that the machine gets right."""
        return (self.true_accepts + self.false_rejects) / self.total

    @property
    def acceptance_rate(self) -> float:
        """X = (TA + FA)/Ω (equation 1): the share that goes through unchecked."""
        return (self.true_accepts + self.false_accepts) / self.total

    @property
    def verification_rate(self) -> float:
        """R_R = 1 − X (equation 3): the share that people look at."""
        return (self.false_rejects + self.true_rejects) / self.total

    @property
    def correction_rate(self) -> float:
        """R_C = TR/Ω (equation 4): the share that people correct."""
        if self.reviewer is not None:
            return float(self.reviewer.correction_rate(self))
        return self.true_rejects / self.total

    @property
    def error_rate(self) -> float:
        """R_E = FA/Ω (equation 5): undetected errors among *all* items."""
        if self.reviewer is not None:
            return float(self.reviewer.error_rate(self))
        return self.false_accepts / self.total

    @property
    def accuracy_after_correction(self) -> float:
        """Y = 1 − R_E (equation 16)."""
        if self.reviewer is not None:
            return float(self.reviewer.accuracy_after_correction(self))
        return (self.true_accepts + self.false_rejects + self.true_rejects) / self.total

    @property
    def recall(self) -> float:
        """R_TP = TA/n⁺; NaN if there is no correct item."""
        return _ratio(self.true_accepts, self.true_accepts + self.false_rejects)

    @property
    def false_positive_rate(self) -> float:
        """R_FP = FA/n⁻; NaN if there is no incorrect item."""
        return _ratio(self.false_accepts, self.false_accepts + self.true_rejects)


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else math.nan


@overload
def operating_point(
    sweep: BoundedSweep,
    /,
    *,
    threshold: float | None = None,
    max_error_rate: float | None = None,
    max_risk: float | None = None,
    min_acceptance_rate: float | None = None,
) -> BoundedOperatingPoint: ...
@overload
def operating_point(
    correct: ArrayLike | ThresholdSweep | CornerSweep,
    confidence: ArrayLike | None = None,
    *,
    threshold: float | None = None,
    max_error_rate: float | None = None,
    max_risk: float | None = None,
    min_acceptance_rate: float | None = None,
    interpolate: bool = False,
    reviewer: Reviewer | None = None,
    sample_weight: ArrayLike | None = None,
) -> OperatingPoint: ...
def operating_point(
    correct: ArrayLike | ThresholdSweep | CornerSweep | BoundedSweep,
    confidence: ArrayLike | None = None,
    *,
    threshold: float | None = None,
    max_error_rate: float | None = None,
    max_risk: float | None = None,
    min_acceptance_rate: float | None = None,
    interpolate: bool = False,
    reviewer: Reviewer | None = None,
    sample_weight: ArrayLike | None = None,
) -> OperatingPoint | BoundedOperatingPoint:
    """Choose the threshold by one criterion, and return its counts and rates.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,), or a ThresholdSweep alone
        Whether each output was right (bool, or 0 and 1), and its confidence (real and finite).
    threshold : float, optional
        The threshold itself; ``inf`` accepts nothing.
    max_error_rate : float, optional
        Choose the largest acceptance rate with at most this share of errors among *all* items, in [0,
        1].
    max_risk : float, optional
        Choose the largest acceptance rate with at most this share of errors among the *accepted* items.
        The risk is not monotone: it may be higher at lower acceptance rates.
    min_acceptance_rate : float, optional
        Choose the highest threshold that accepts at least this share, in [0, 1].
    interpolate : bool, default=False
        Accept part of a tie if necessary, so that the limit is reached exactly where possible.
    reviewer : Reviewer, optional
        The error rates of the people who verify rejected items. By default, they find and correct every
        error.
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum.

    Returns
    -------
    OperatingPoint
        If only accepting nothing keeps the limit, the threshold is ``inf``. For a
        :class:`.BoundedSweep`, the result is a `BoundedOperatingPoint`; it keeps the limit for all
        counts within the bounds.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`; also unless exactly one criterion is given; for a criterion outside
        its range, or impossible with the `reviewer`; and for `interpolate` with `threshold`.

    Warns
    -----
    QuestionableInputWarning
        For a limit of 1, which may be meant as 1%. If the accepted items are no better than the
        rejected ones, also for confidences that are all equal, or that are lower for correct items by
        more than chance.

    See Also
    --------
    acceptance_at_error_rate : acceptance rate at an allowed error rate
    acceptance_at_risk : acceptance rate at an allowed risk
    guaranteed_operating_point : choose a threshold that keeps a limit on new items

    Notes
    -----
    A rate and its limit are compared as doubles, so 29 errors in 100 items keep
    ``max_error_rate=0.29``. With ``interpolate=True``, ``max_error_rate=ε`` gives the acceptance rate
    that Kimura et al. 2024 (3.2 §2) read off the ARAC curve at the height 1 − ε.

    References
    ----------
    Kimura, Kubota, Wada and Hashimoto 2024, 3.2 and equations 1 to 6.

    Examples
    --------
    >>> import fastarac as fa
    >>> correct, confidence = [1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2]
    >>> point = fa.operating_point(correct, confidence, max_error_rate=0.2)
    >>> point.threshold, point.acceptance_rate, point.error_rate, point.risk
    (0.6, 0.8, 0.2, 0.25)
    >>> fa.operating_point(correct, confidence, max_risk=0.2).threshold
    0.8
    """
    limits = {"max_error_rate": max_error_rate, "max_risk": max_risk}
    criteria = {"threshold": threshold, **limits, "min_acceptance_rate": min_acceptance_rate}
    criterion = exactly_one(**criteria)
    check_reviewer(reviewer)
    limit = 0.0
    if threshold is not None:
        if interpolate:
            raise TypeError(
                "interpolate cannot go with threshold: a given threshold always accepts whole ties"
            )
        # Large integers stay integers, because floats would round them.
        if not isinstance(threshold, int):
            threshold = real_scalar(threshold, "threshold", finite=False)
    else:
        limit = fraction_of(criteria[criterion], criterion)
    if isinstance(correct, BoundedSweep):
        reject_beside_sweep(confidence, sample_weight)
        refuse_of_bounds(interpolate=interpolate, reviewer=reviewer)
        return bounded_point(correct, criterion, threshold if threshold is not None else limit)
    criteria = {criterion: criteria[criterion]}

    def acceptance(sweep: ThresholdSweep) -> float:
        point = operating_point(sweep, **criteria, interpolate=interpolate, reviewer=reviewer)
        return float(point.acceptance_rate)

    given = confidence
    labels, confidence = known_best(correct, confidence, sample_weight, acceptance)
    at_any = threshold is not None and not isinstance(labels, CornerSweep)
    if at_any or min_acceptance_rate is not None:
        sweep: CountsAtThresholds = as_sweep(labels, confidence, sample_weight)
    else:  # the other criteria always choose a corner of a curve
        sweep = as_ranked(labels, confidence, sample_weight, corners=True).corners
    if threshold is None:
        sweep = sweep.rising
    if threshold is not None or not interpolate:
        value = limit if threshold is None else threshold
        point = point_of_limit(sweep, criterion, value, reviewer)
        if criterion in LIMITS and not point.risk < 1.0 - sweep.recognition_rate:
            # The accepted items are no better than all items, so check the order of the confidences.
            _question_order(labels, confidence, sample_weight)
        if threshold is None and is_partial(correct):
            # Counts are estimated separately for each threshold, so estimate them for this one.
            return operating_point(correct, given, threshold=point.threshold, reviewer=reviewer)
        return point
    return _point_within_tie(sweep, criterion, limit, reviewer)


def _point_within_tie(
    sweep: CountsAtThresholds, criterion: str, limit: float, reviewer: Reviewer | None
) -> OperatingPoint:
    """Return the point that meets a limit exactly, by accepting part of a tie if necessary."""
    ta, fa, total = sweep.true_accepts, sweep.false_accepts, sweep.total
    index = _index_of_limit(sweep, criterion, limit, reviewer)
    fraction = 0.0
    if criterion == "max_error_rate":
        errors = errors_at(sweep, slice(index, index + 1), reviewer)[0]
        if errors / total < limit:  # otherwise, this point already reaches the limit
            fraction = fraction_of_errors(limit * total - errors, sweep, index, reviewer)
    elif criterion == "max_risk":
        fraction = fraction_of_risk(limit, sweep, index)
    elif index and (ta[index] + fa[index]) / total > limit:
        index -= 1
        fraction = fraction_of_tie(limit * total - ta[index] - fa[index], sweep, index)
    if not 0.0 < fraction < 1.0:
        return point_at(sweep, index + (fraction >= 1.0), reviewer)
    accepted_ta, accepted_fa = (
        float(c[index] + fraction * (c[index + 1] - c[index])) for c in (ta, fa)
    )
    return _point(sweep, sweep.thresholds[index + 1], accepted_ta, accepted_fa, fraction, reviewer)


def _question_order(
    correct: ArrayLike | ThresholdSweep | CornerSweep,
    confidence: ArrayLike | None,
    sample_weight: ArrayLike | None,
) -> None:
    if sample_weight is None and not isinstance(correct, CornerSweep):
        question_sweep(as_sweep(correct, confidence))


def point_of_limit(
    sweep: CountsAtThresholds, criterion: str, value: float, reviewer: Reviewer | None = None
) -> OperatingPoint:
    """Return :func:`.operating_point` without interpolation, for a criterion known to be valid."""
    if criterion == "threshold":
        sweep = sweep.possible
        # Callers pass a sweep that has `at`.
        at = cast("ThresholdSweep", sweep).at(value)
        return _point(sweep, value, *at[:2], reviewer=reviewer)
    return point_at(sweep, _index_of_limit(sweep, criterion, value, reviewer), reviewer)


def _index_of_limit(
    sweep: CountsAtThresholds, criterion: str, limit: float, reviewer: Reviewer | None
) -> int:
    """Return the index of the last point within a limit, or of the first that accepts enough."""
    if criterion == "max_risk":
        return last_with_risk(sweep, limit)
    if criterion == "max_error_rate":
        index = last_within(sweep, limit, reviewer)
        if index < 0:
            raise ValueError(out_of_reach(sweep, limit, reviewer, criterion))
        return index
    ta, fa, total = sweep.true_accepts, sweep.false_accepts, sweep.total
    return bisect_left(range(len(ta) - 1), limit, key=lambda i: (ta[i] + fa[i]) / total)


@overload
def acceptance_at_error_rate(
    correct: ArrayLike | ThresholdSweep | CornerSweep,
    confidence: ArrayLike | None = None,
    *,
    max_error_rate: float,
    interpolate: bool = False,
    reviewer: Reviewer | None = None,
    sample_weight: ArrayLike | None = None,
) -> float: ...
@overload
def acceptance_at_error_rate(
    correct: ArrayLike | ThresholdSweep | CornerSweep,
    confidence: ArrayLike | None = None,
    *,
    max_error_rate: ArrayLike,
    interpolate: bool = False,
    reviewer: Reviewer | None = None,
    sample_weight: ArrayLike | None = None,
) -> float | NDArray[np.float64]: ...
def acceptance_at_error_rate(
    correct: ArrayLike | ThresholdSweep | CornerSweep,
    confidence: ArrayLike | None = None,
    *,
    max_error_rate: ArrayLike,
    interpolate: bool = False,
    reviewer: Reviewer | None = None,
    sample_weight: ArrayLike | None = None,
) -> float | NDArray[np.float64]:
    """Acceptance rate at an allowed error rate: the share that is accepted without verification.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,), or a ThresholdSweep alone
        Whether each output was right (bool, or 0 and 1), and its confidence (real and finite).
    max_error_rate : float or array_like
        The allowed share ε of undetected errors among all items, in [0, 1].
    interpolate : bool, default=False
        If true, read the acceptance rate off the curve, on which ties are straight segments. By
        default, only whole ties are accepted, as a threshold does.
    reviewer : Reviewer, optional
        The error rates of the people who verify rejected items. By default, they find and correct every
        error.
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum.

    Returns
    -------
    float or ndarray
        The acceptance rate in [0, 1], in the shape of `max_error_rate`; 1 if the whole curve keeps the
        limit. NaN, with an `UndefinedMetricWarning`, if the errors left by a `reviewer` exceed the
        limit at every threshold.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`; also for a `max_error_rate` outside [0, 1].

    See Also
    --------
    operating_point : choose the threshold by one criterion, and return its counts and rates
    acceptance_at_risk : acceptance rate at an allowed risk
    fastarac.costs.performance_at_error_rate : W at an allowed error rate, read off the ARAC curve

    Notes
    -----
    This is the acceptance rate of :func:`.operating_point` with ``max_error_rate=``. With
    `interpolate`, it is the largest acceptance rate at which the ARAC curve has the height 1 − ε
    (Kimura et al. 2024, 3.2 §2 and figure 4).

    References
    ----------
    Kimura, Kubota, Wada and Hashimoto 2024, 3.2 and figure 4.

    Examples
    --------
    >>> import fastarac as fa
    >>> correct, confidence = [1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2]
    >>> fa.acceptance_at_error_rate(correct, confidence, max_error_rate=0.2)
    0.8
    >>> fa.acceptance_at_error_rate(correct, confidence, max_error_rate=[0.0, 0.1, 0.5])
    array([0.4, 0.4, 1. ])
    >>> fa.acceptance_at_error_rate(correct, confidence, max_error_rate=0.1, interpolate=True)
    0.5
    """
    check_reviewer(reviewer)
    limits = fractions_of(max_error_rate, "max_error_rate")
    of = partial(acceptances_at_error_rates, reviewer=reviewer, interpolate=interpolate)
    return values_at_limits(of, limits, correct, confidence, sample_weight)


@overload
def acceptance_at_risk(
    correct: ArrayLike | ThresholdSweep | CornerSweep,
    confidence: ArrayLike | None = None,
    *,
    max_risk: float,
    interpolate: bool = False,
    sample_weight: ArrayLike | None = None,
) -> float: ...
@overload
def acceptance_at_risk(
    correct: ArrayLike | ThresholdSweep | CornerSweep,
    confidence: ArrayLike | None = None,
    *,
    max_risk: ArrayLike,
    interpolate: bool = False,
    sample_weight: ArrayLike | None = None,
) -> float | NDArray[np.float64]: ...
def acceptance_at_risk(
    correct: ArrayLike | ThresholdSweep | CornerSweep,
    confidence: ArrayLike | None = None,
    *,
    max_risk: ArrayLike,
    interpolate: bool = False,
    sample_weight: ArrayLike | None = None,
) -> float | NDArray[np.float64]:
    """Acceptance rate at an allowed risk (the share of errors among the accepted items).

    Parameters
    ----------
    correct, confidence : array_like of shape (n,), or a ThresholdSweep alone
        Whether each output was right (bool, or 0 and 1), and its confidence (real and finite).
    max_risk : float or array_like
        The allowed share of errors among the *accepted* items, in [0, 1].
    interpolate : bool, default=False
        If true, part of a tie may be accepted. By default, only whole ties are accepted, as a threshold
        does.
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum.

    Returns
    -------
    float or ndarray
        The acceptance rate in [0, 1], in the shape of `max_risk`; 0 if the risk exceeds the limit at
        every threshold.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`; also for a `max_risk` outside [0, 1].

    See Also
    --------
    operating_point : choose the threshold by one criterion, and return its counts and rates
    acceptance_at_error_rate : acceptance rate at an allowed error rate

    Notes
    -----
    This is the acceptance rate of :func:`.operating_point` with ``max_risk=``. The risk is not
    monotone: it may be higher at lower acceptance rates.

    References
    ----------
    El-Yaniv and Wiener 2010, "On the foundations of noise-free selective classification", on coverage
    and selective risk; Geifman and El-Yaniv 2017, "Selective classification for deep neural networks".

    Examples
    --------
    >>> import fastarac as fa
    >>> correct, confidence = [1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2]
    >>> fa.acceptance_at_risk(correct, confidence, max_risk=[0.1, 0.25, 0.4])
    array([0.4, 0.8, 1. ])
    """
    limits = fractions_of(max_risk, "max_risk")
    of = partial(acceptances_at_risks, interpolate=interpolate)
    return values_at_limits(of, limits, correct, confidence, sample_weight)


def point_at(sweep: CountsAtThresholds, index: int, reviewer: Reviewer | None = None) -> OperatingPoint:
    """Return the operating point at the threshold with this index in the sweep."""
    accepted = sweep.true_accepts[index].item(), sweep.false_accepts[index].item()
    return _point(sweep, sweep.thresholds[index], *accepted, reviewer=reviewer)


def _point(
    sweep: CountsAtThresholds,
    threshold: Any,
    true_accepts: float,
    false_accepts: float,
    tie_acceptance: float = 1.0,
    reviewer: Reviewer | None = None,
) -> OperatingPoint:
    accepted = true_accepts + false_accepts
    right, wrong = true_accepts, false_accepts
    if not accepted:
        right, wrong = sweep.true_accepts[1].item(), sweep.false_accepts[1].item()
    return OperatingPoint(
        threshold=threshold if isinstance(threshold, int) else float(threshold),
        true_accepts=true_accepts,
        false_accepts=false_accepts,
        false_rejects=sweep.n_correct - true_accepts,
        true_rejects=sweep.n_incorrect - false_accepts,
        risk=wrong / (right + wrong),
        precision=right / (right + wrong),
        tie_acceptance=tie_acceptance,
        reviewer=reviewer,
    )
