"""Costs of verification, correction and undetected errors, and the threshold of lowest cost."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastarac._core.checks import fractions_of, positive_scalar, real_scalar, require_type
from fastarac._core.results import Pickled
from fastarac.costs.corners import hull_corners, hull_steps
from fastarac.operating_points.limits import acceptances_at_error_rates
from fastarac.operating_points.points import OperatingPoint, point_at
from fastarac.reviewer import Reviewer, check_reviewer
from fastarac.samples.door import as_ranked
from fastarac.sweep import CornerSweep, ThresholdSweep

if TYPE_CHECKING:
    from fastarac._engine.counts import AcceptedCounts

FloatArray = NDArray[np.float64]

PERFECT = Reviewer()
T_co = TypeVar("T_co", covariant=True)


class _Rates(Protocol[T_co]):
    """Rates of a sweep (arrays), or of a single operating point (floats)."""

    @property
    def acceptance_rate(self) -> T_co: ...


@dataclass(frozen=True, slots=True)
class VerificationCosts(Pickled):
    r"""Prices of verifying an item, of correcting it, and of leaving it wrong.

    All three have the same unit, such as yen per item. The best threshold depends only on their ratios.

    Attributes
    ----------
    verification, correction, error : float
        C_R ≥ 0, for verifying a rejected item; C_C > 0, for correcting a wrong item, in addition to
        verifying it; C_E ≥ 0, for an undetected error.

    See Also
    --------
    Reviewer : people who miss some errors, and may change correct items
    fastarac.costs.performance_at_error_rate : compute W at an allowed error rate from the ARAC curve
    fastarac.costs.optimal_operating_point : threshold of least total cost

    Notes
    -----
    The mean cost of an item, from the rates of an operating point, is

    .. math:: L = C_R (1 - X) + C_C R_C + C_E R_E,

    equations 8 and 9 of Kimura et al. 2024.

    References
    ----------
    Kimura, Kubota, Wada and Hashimoto 2024, equations 8, 9 and 12 to 15.

    Examples
    --------
    >>> import fastarac as fa
    >>> costs = fa.VerificationCosts(verification=2, correction=4, error=50)
    >>> costs.gamma, costs.delta
    (0.5, 11.5)
    >>> sweep = fa.threshold_sweep([1, 1, 0, 1], [0.9, 0.8, 0.7, 0.6])
    >>> costs.cost(sweep)
    array([ 3. ,  2.5,  2. , 13. , 12.5])
    >>> costs.performance(sweep)
    array([ 0.75 ,  0.875,  1.   , -1.75 , -1.625])
    """

    verification: float
    correction: float
    error: float

    def __post_init__(self) -> None:
        for name in ("verification", "correction", "error"):
            price = positive_scalar(getattr(self, name), name, strict=name == "correction")
            object.__setattr__(self, name, price)
        if not math.isfinite(self.verification + self.correction + self.error):
            raise ValueError("verification + correction + error must be finite: use smaller prices")
        if not math.isfinite(self.gamma + self.delta):
            raise ValueError(
                f"correction is {self.correction!r}, too small compared with verification "
                f"({self.verification!r}) or error ({self.error!r}): their ratio is infinite"
            )

    @classmethod
    def from_ratios(cls, gamma: float, delta: float) -> Self:
        """Build prices from their ratios, in units of a correction.

        Parameters
        ----------
        gamma, delta : float
            γ = C_R/C_C, at least 0, and δ = C_E/C_C − 1, at least -1.

        Returns
        -------
        VerificationCosts
            Prices with C_R = γ, C_C = 1 and C_E = δ + 1, each rounded to a float.

        Raises
        ------
        ValueError, TypeError
            If a ratio is out of range.

        Examples
        --------
        >>> import fastarac as fa
        >>> fa.VerificationCosts.from_ratios(0.5, 9)
        VerificationCosts(verification=0.5, correction=1.0, error=10.0)
        """
        number = real_scalar(delta, "delta")
        if number < -1:
            raise ValueError(f"delta must be a number of at least -1, got {delta!r}")
        return cls(positive_scalar(gamma, "gamma"), 1.0, 1.0 + number)

    @property
    def gamma(self) -> float:
        """γ = C_R/C_C (equation 13): the cost of a verification, in corrections."""
        return self.verification / self.correction

    @property
    def delta(self) -> float:
        """δ = C_E/C_C − 1 (equation 13): the cost of an error, in corrections, minus 1."""
        try:
            (a, b), (c, d) = self.error.as_integer_ratio(), self.correction.as_integer_ratio()
            return (a * d - b * c) / (b * c)
        except OverflowError:
            return math.inf

    @property
    def matrix(self) -> FloatArray:
        """Costs of rejecting and accepting (rows) an incorrect and a correct item (columns).

        The matrix is [[C_R + C_C, C_R], [C_E, 0]].
        """
        rejected = [self.verification + self.correction, self.verification]
        return np.array([rejected, [self.error, 0.0]])

    def cost(self, at: _Rates[T_co], *, reviewer: Reviewer | None = None) -> T_co:
        """Return L = C_R(1 − X) + C_C·R_C + C_E·R_E (equations 8 and 9), the mean cost of an item.

        Parameters
        ----------
        at : ThresholdSweep or OperatingPoint
            A sweep, for all its thresholds, or one point.
        reviewer : Reviewer, optional
            The people who verify; by default they find and correct every error. With an operating
            point, do not give a reviewer, because the point has its own.

        Returns
        -------
        ndarray of shape (m + 1,) or float
            In the unit of the prices, at least 0.

        Raises
        ------
        TypeError
            If `at` is of another type, or if a reviewer is given with a point.
        """
        return cost_of(self, at, _reviewer_of(at, reviewer))  # type: ignore[no-any-return]

    def normalized_cost(self, at: _Rates[T_co], *, reviewer: Reviewer | None = None) -> T_co:
        """Return L′ = [L − (C_R + C_C)]/C_C = −γX − β + δR_E (equations 12 and 14); lower is better.

        The unit is a correction. Parameters and exceptions are those of :meth:`cost`.
        """
        performance: Any = self.performance(at, reviewer=reviewer)
        return 0.0 - performance  # type: ignore[no-any-return]

    def performance(self, at: _Rates[T_co], *, reviewer: Reviewer | None = None) -> T_co:
        """Return W = γX + β − δR_E = −L′ (equation 15), at most γ + 1; higher is better.

        The unit is a correction. Parameters and exceptions are those of :meth:`cost`. A correct item
        that a reviewer makes wrong costs an error and a correction. The share of such spoiled items is
        a·FR/Ω. Spoiled items lower W by an additional 2a·FR/Ω.
        """
        people, counts = _reviewer_of(at, reviewer), cast("Any", at)
        rates = at.acceptance_rate, counts.recognition_rate, people.error_rate(counts)
        return performance_of(self.gamma, self.delta, *rates, spoiled_by(people, counts))  # type: ignore[no-any-return]


def cost_of(costs: VerificationCosts, at: Any, reviewer: Reviewer) -> Any:
    """Return the mean cost L of an item (equations 8 and 9) at each operating point."""
    corrected = costs.correction * reviewer.correction_rate(at)
    wrong = costs.error * reviewer.error_rate(at)
    return costs.verification * at.verification_rate + corrected + wrong


def performance_of(
    gamma: Any, delta: Any, accepted: Any, recognized: Any, errors: Any, spoiled: Any = 0
) -> Any:
    """Return W = γX + β − δR_E (equation 15) minus `spoiled`; arguments may be arrays or fractions."""
    return gamma * accepted + recognized - spoiled - delta * errors


def spoiled_by(reviewer: Reviewer, at: Any) -> Any:
    """Return 2a·FR/Ω; W falls by this term, in addition to δR_E, because people spoil correct items."""
    return 2.0 * reviewer.false_alarm_rate * at.false_rejects / at.total


def _reviewer_of(at: Any, reviewer: Reviewer | None) -> Reviewer:
    check_reviewer(reviewer)
    if isinstance(at, OperatingPoint):
        if reviewer is not None:
            raise TypeError("reviewer cannot go with an OperatingPoint, which has its own reviewer")
        return at.reviewer or PERFECT
    expected = "a ThresholdSweep or an OperatingPoint"
    require_type(at, ThresholdSweep | CornerSweep, "at", expected, shown=False)
    return reviewer or PERFECT


def require_costs(costs: Any) -> VerificationCosts:
    """Raise unless `costs` is a `VerificationCosts`."""
    if not isinstance(costs, VerificationCosts):
        raise TypeError(f"costs must be VerificationCosts, got {costs!r} ({type(costs).__name__})")
    return costs


def performance_at_error_rate(
    correct: ArrayLike | ThresholdSweep | CornerSweep,
    confidence: ArrayLike | None = None,
    *,
    max_error_rate: ArrayLike,
    costs: VerificationCosts,
    reviewer: Reviewer | None = None,
    sample_weight: ArrayLike | None = None,
) -> float | FloatArray:
    """Compute W at an allowed error rate from the ARAC curve.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,), or a ThresholdSweep alone
        Whether each output was right (bool, or 0 and 1), and its confidence (real and finite).
    max_error_rate : float or array_like
        The allowed share ε of undetected errors among all items, in [0, 1].
    costs : VerificationCosts
        The prices. Only the ratios γ and δ are used: see :meth:`.VerificationCosts.from_ratios`.
    reviewer : Reviewer, optional
        The people who verify rejected items; by default they find and correct every error.
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum.

    Returns
    -------
    float or ndarray
        W(θ), in the shape of `max_error_rate`; higher is better. NaN, with an `UndefinedMetricWarning`,
        if the errors of a `reviewer` exceed the limit at every threshold.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`; also for limits outside [0, 1], and for other `costs`.

    See Also
    --------
    fastarac.normalized_arac_auc_score : normalised ARAC-AUC
    optimal_operating_point : threshold of least total cost
    fastarac.acceptance_at_error_rate : acceptance rate at an allowed error rate

    Notes
    -----
    W(θ) = γX(θ) + β − δε with the X(θ) of :func:`.acceptance_at_error_rate`; Kimura et al. 2024, 3.2
    §2. W is computed with the allowed ε, even if the actual error rate of all items is lower. If the
    reviewer changes correct items, W is lower by 2a·FR/Ω, as in :meth:`.VerificationCosts.performance`.

    References
    ----------
    Kimura, Kubota, Wada and Hashimoto 2024, equation 15.

    Examples
    --------
    >>> import fastarac as fa
    >>> correct, confidence = [1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2]
    >>> costs = fa.VerificationCosts.from_ratios(gamma=0.5, delta=2)
    >>> fa.costs.performance_at_error_rate(
    ...     correct, confidence, max_error_rate=[0.1, 0.2], costs=costs
    ... )
    array([0.65, 0.6 ])
    """
    require_costs(costs)
    limits = fractions_of(max_error_rate, "max_error_rate")
    sweep = as_ranked(correct, confidence, sample_weight, corners=True).corners
    check_reviewer(reviewer)
    accepted = acceptances_at_error_rates(sweep, limits, reviewer, interpolate=True)
    accepted = accepted.reshape(limits.shape)
    performance = performance_of(costs.gamma, costs.delta, accepted, sweep.recognition_rate, limits)
    if reviewer is not None:
        spoiled = np.interp(accepted, sweep.acceptance_rate, sweep.false_rejects / sweep.total)
        performance = performance - 2.0 * reviewer.false_alarm_rate * spoiled
    return performance if limits.ndim else float(performance)


def optimal_operating_point(
    correct: ArrayLike | ThresholdSweep | CornerSweep,
    confidence: ArrayLike | None = None,
    *,
    costs: VerificationCosts,
    reviewer: Reviewer | None = None,
    sample_weight: ArrayLike | None = None,
) -> OperatingPoint:
    """Choose the threshold of lowest total cost of verification, correction and undetected errors.

    Parameters
    ----------
    correct, confidence, reviewer, sample_weight
        As for :func:`.performance_at_error_rate`.
    costs : VerificationCosts
        The prices.

    Returns
    -------
    OperatingPoint
        The point. If several thresholds have the lowest cost, the one that accepts the most items is
        chosen. ``costs.cost(point)`` is the lowest cost.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`; also for `costs` or a `reviewer` of another type.

    See Also
    --------
    performance_at_error_rate : compute W at an allowed error rate from the ARAC curve
    expected_cost : expected cost of an item, from the two rates of a classifier
    fastarac.operating_point : choose the threshold by one criterion, and compute its rates

    Notes
    -----
    The threshold minimises L (equation 9 of Kimura et al. 2024). L is linear in TA and FA: every
    accepted correct item saves A = C_R + a(C_C + C_E), and every accepted incorrect item costs B =
    d(C_E − C_C) − C_R. For perfect people, d = 1 and a = 0. At the vertices of
    :func:`.arac_convex_hull`, A·TA and B·FA are compared exactly. Prices and rates are read as decimal
    numbers, as a user writes them.

    References
    ----------
    Kimura, Kubota, Wada and Hashimoto 2024, equation 9.

    Examples
    --------
    >>> import fastarac as fa
    >>> correct, confidence = [1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2]
    >>> costs = fa.VerificationCosts(verification=2, correction=4, error=7)
    >>> point = fa.costs.optimal_operating_point(correct, confidence, costs=costs)
    >>> point.threshold, round(costs.cost(point), 3)
    (0.6, 2.6)
    """
    saved, lost = marginal_costs(require_costs(costs), reviewer)
    sweep = as_ranked(correct, confidence, sample_weight, corners=True).corners.rising
    return point_at(sweep, cheapest_corner(sweep, saved, lost), reviewer)


def cheapest_corner(sweep: AcceptedCounts, saved: Fraction, lost: Fraction) -> int:
    """Return the index of the cheapest threshold; `saved` and `lost` are as in `marginal_costs`."""
    if lost <= 0:
        return len(sweep.true_accepts) - 1
    corners = hull_corners(sweep)
    steps = hull_steps(sweep, corners)
    best = bisect_left(steps, 1, key=lambda step: lost * step[0] > saved * step[1])
    return int(corners[best])


def marginal_costs(costs: VerificationCosts, reviewer: Reviewer | None) -> tuple[Fraction, Fraction]:
    """Return the saving from accepting a correct item, and the cost of accepting an incorrect one.

    Prices and rates are read as decimal numbers, as a user writes them.
    """
    check_reviewer(reviewer)
    people = reviewer or PERFECT
    verification, correction, error, found, spoiled = (
        Fraction(repr(number))
        for number in (
            *(costs.verification, costs.correction, costs.error),
            *(people.detection_rate, people.false_alarm_rate),
        )
    )
    saved = verification + spoiled * (correction + error)
    lost = found * (error - correction) - verification
    return saved, lost
