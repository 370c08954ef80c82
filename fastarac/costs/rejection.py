"""Cost curves for classifiers with a reject option, after Hanczar and after Abbas et al."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastarac import _kernels
from fastarac._core.checks import fractions_of
from fastarac._core.results import Table, TupleResult
from fastarac.costs.corners import candidates, chain, exact_counts, power_of_scale
from fastarac.costs.verification import VerificationCosts, require_costs
from fastarac.samples.door import as_sweep

if TYPE_CHECKING:
    from fastarac.sweep import ThresholdSweep

FloatArray = NDArray[np.float64]


class _RejectionCostCurve(NamedTuple):
    reject_cost: FloatArray
    cost: FloatArray
    thresholds: NDArray[Any]


class RejectionCostCurve(Table, TupleResult, _RejectionCostCurve):
    """Lowest cost for each relative cost of rejecting, and the threshold that attains it.

    See Also
    --------
    fastarac.costs.rejection_cost_curve : least cost for each relative cost of rejecting
    AccuracyRejectionCostCurve : points of the accuracy–rejection–normalised cost curve
    """

    __slots__ = ()


class _AccuracyRejectionCostCurve(NamedTuple):
    rejection_rate: FloatArray
    accuracy: FloatArray
    normalized_cost: FloatArray
    thresholds: NDArray[Any]


class AccuracyRejectionCostCurve(Table, TupleResult, _AccuracyRejectionCostCurve):
    """Points of the accuracy–rejection–normalised cost curve, starting where everything is rejected.

    See Also
    --------
    fastarac.costs.accuracy_rejection_cost_curve : accuracy–rejection–normalised cost curve
    RejectionCostCurve : least cost for each relative cost of rejecting
    """

    __slots__ = ()


def rejection_cost_curve(
    correct: ArrayLike | ThresholdSweep,
    confidence: ArrayLike | None = None,
    *,
    reject_cost: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> RejectionCostCurve:
    """Compute the lowest cost as a function of the relative cost of rejecting.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,), or a ThresholdSweep alone
        Whether each output was right (bool, or 0 and 1), and its confidence (real and finite).
    reject_cost : float or array_like of shape (k,), optional
        λ, the cost of a rejection divided by the sum of the costs of a rejection and an error, in [0,
        1]. By default 0, 1 and all values at which the best threshold changes; the curve is linear in
        between.
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum.

    Returns
    -------
    reject_cost, cost, thresholds : ndarray of shape (k,)
        λ, as given; the lowest value of (1 − λ)·risk + λ·(1 − X) over all thresholds, in [0, 1]; and
        the threshold that attains it. Among several such thresholds, it is the one that accepts the
        most items.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`; also for reject costs outside [0, 1].

    See Also
    --------
    accuracy_rejection_cost_curve : accuracy–rejection–normalised cost curve
    fastarac.rc_curve : risk–coverage curve
    fastarac.results.RejectionCostCurve : least cost for each relative cost of rejecting

    Notes
    -----
    L = (1 − λ)E + λR with the risk E = FA/(TA + FA) and the rejection rate R = 1 − X (Hanczar 2019). If
    nothing is accepted, E is 0. The curve is the lower envelope of straight lines, one per threshold.

    References
    ----------
    Hanczar 2019, "Performance visualization spaces for classification with rejection option"; Kimura,
    Kubota, Wada and Hashimoto 2024, 2.6.

    Examples
    --------
    >>> import fastarac as fa
    >>> correct, confidence = [1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2]
    >>> curve = fa.costs.rejection_cost_curve(
    ...     correct, confidence, reject_cost=[0.1, 0.3, 0.5, 0.9]
    ... )
    >>> curve.cost
    array([0.06, 0.18, 0.2 , 0.04])
    >>> curve.thresholds
    array([0.8, 0.8, 0.2, 0.2])
    """
    given = None if reject_cost is None else fractions_of(reject_cost, "reject_cost")
    if given is not None and given.ndim > 1:
        raise ValueError(
            f"reject_cost must be a number or a one-dimensional array, got shape {given.shape}"
        )
    sweep = as_sweep(correct, confidence, sample_weight).rising
    corners, changes = _envelope(sweep)
    rates = np.array([0.0, *changes, 1.0]) if given is None else np.atleast_1d(given)
    best = corners[np.searchsorted(changes, rates, side="right")]
    accepted = sweep.true_accepts[best] + sweep.false_accepts[best]
    risk = np.divide(sweep.false_accepts[best], accepted, out=np.zeros(len(best)), where=accepted > 0)
    rejected = (sweep.total - accepted) / sweep.total
    cost = (1.0 - rates) * risk + rates * rejected
    return RejectionCostCurve(rates, cost, sweep.thresholds[best])


def _envelope(sweep: ThresholdSweep) -> tuple[NDArray[np.int64], FloatArray]:
    """Return the optimal thresholds for increasing reject costs, and the costs at which they change.

    These costs are exact and then rounded up, which does not change comparisons with doubles.
    """
    scale = power_of_scale(sweep)
    found = candidates(_kernels.hulls.risk_corners, sweep, scale)
    right, wrong = exact_counts(sweep, found)
    accepted = [a + b for a, b in zip(right, wrong, strict=True)]
    shares = [max(count, 1) for count in accepted]  # at least 1, to avoid 0/0 if nothing is accepted

    def slope(a: int, b: int) -> tuple[int, int]:
        rise = wrong[b] * shares[a] - wrong[a] * shares[b]
        return rise, shares[a] * shares[b] * (accepted[b] - accepted[a])

    def above(a: int, b: int, c: int) -> bool:
        (rise, run), (next_rise, next_run) = slope(a, b), slope(b, c)
        return rise * next_run >= next_rise * run

    kept = chain(len(found), above)
    changes = []
    for i in range(1, len(kept)):
        rise, run = slope(kept[i - 1], kept[i])
        rise *= accepted[-1]
        changes.append(_round_up(Fraction(rise, rise + run)))
    return found[kept], np.array(changes, np.float64)


def _round_up(value: Fraction) -> float:
    """Return the smallest double that is at least `value`."""
    nearest = float(value)
    return nearest if Fraction(nearest) >= value else math.nextafter(nearest, math.inf)


def accuracy_rejection_cost_curve(
    correct: ArrayLike | ThresholdSweep,
    confidence: ArrayLike | None = None,
    *,
    costs: VerificationCosts,
    sample_weight: ArrayLike | None = None,
) -> AccuracyRejectionCostCurve:
    """Compute the accuracy–rejection curve with the normalised cost as a third axis.

    Parameters
    ----------
    correct, confidence, sample_weight
        As for :func:`.rejection_cost_curve`.
    costs : VerificationCosts
        The prices: `error` for an accepted error, `verification` for a rejection. The price of a
        correction is not used.

    Returns
    -------
    rejection_rate : ndarray of shape (m + 1,)
        1 − X, the share to be verified; decreasing from 1 to 0.
    accuracy : ndarray of shape (m + 1,)
        Share of correct items among the accepted items. The first value, where nothing is accepted,
        repeats the second.
    normalized_cost : ndarray of shape (m + 1,)
        (C_E·FA + C_R·(FR + TR))/(Ω·max(C_E, C_R)), in [0, 1].
    thresholds : ndarray of shape (m + 1,)
        Decreasing from ``inf``; an item is accepted iff ``confidence >= threshold``.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`; also if `error` and `verification` are both 0.

    See Also
    --------
    rejection_cost_curve : least cost for each relative cost of rejecting
    fastarac.accuracy_rejection_curve : accuracy–rejection curve

    References
    ----------
    Abbas and others 2019, "Accuracy rejection normalized-cost curves"; Kimura, Kubota, Wada and
    Hashimoto 2024, 2.6.

    Examples
    --------
    >>> import fastarac as fa
    >>> costs = fa.VerificationCosts(verification=1, correction=1, error=4)
    >>> sweep = fa.threshold_sweep([1, 1, 0, 1], [0.9, 0.8, 0.4, 0.6])
    >>> curve = fa.costs.accuracy_rejection_cost_curve(sweep, costs=costs)
    >>> curve.normalized_cost
    array([0.25  , 0.1875, 0.125 , 0.0625, 0.25  ])
    """
    largest = max(require_costs(costs).error, costs.verification)
    if not largest:
        raise ValueError("costs must have error or verification above 0")
    sweep = as_sweep(correct, confidence, sample_weight).possible
    rejected = sweep.verification_rate
    cost = costs.error / largest * sweep.error_rate + costs.verification / largest * rejected
    return AccuracyRejectionCostCurve(rejected, sweep.precision, cost, sweep.thresholds)
