"""Areas under the ARAC curve and the generalised risk–coverage curve.

The areas under the ARAC and the ROC curve are quotients of exact integers (`PairCounts`), rounded once.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastarac._core.checks import positive_scalar
from fastarac._core.results import TupleResult
from fastarac._engine.pairs import PairCounts, Quotient, quotient_of_pairs, value_of_pairs, whole_pairs
from fastarac.samples.door import as_ranked, is_estimated

if TYPE_CHECKING:
    from fastarac.samples.partial_items import PartialItems, Shares
    from fastarac.sweep import CornerSweep, ThresholdSweep


class _CurveArea(NamedTuple):
    auc: float
    """The whole area, A = A_U + A_L (equation 17)."""
    upper: float
    """A_U, the part above the recognition rate β (equation 18)."""
    lower: float
    """A_L = β, the part below the recognition rate."""
    improved: float
    """A′ = γ·A_U/(1 − β) + A_L (equation 19); γ + 1 if β = 1."""
    normalized: float
    """A″ = A′/(γ + 1) (equation 20), at most 1."""
    gamma: float
    """γ, the cost of verifying an output divided by the cost of correcting it."""


class CurveArea(TupleResult, _CurveArea):
    """An area under a curve over the acceptance rate, and its parts (Kimura et al. 2024, 3.3).

    See Also
    --------
    fastarac.arac_area : area under the ARAC curve, and its parts
    fastarac.arp_area : area under the acceptance rate – precision curve, and its parts

    References
    ----------
    Kimura, Kubota, Wada and Hashimoto 2024, equations 17 to 20.

    Examples
    --------
    >>> import fastarac as fa
    >>> area = fa.arac_area([1, 1, 0, 1], [0.9, 0.8, 0.4, 0.6])
    >>> area.auc, area.upper, area.lower, area.normalized
    (0.96875, 0.21875, 0.75, 0.8125)
    """

    __slots__ = ()


def curve_area(
    auc: Quotient, loss: Quotient, pairs: PairCounts, gamma: float, rounding: Quotient = (0, 1)
) -> CurveArea:
    """Return an area with its parts, given the area `auc` and `loss` = 1 − `auc`.

    `auc` and `loss` may be wrong by up to `rounding`. A part of at most `rounding` is set to 0.
    """
    p, q, _ = whole_pairs(pairs)  # Python integers are much faster than fractions
    n = p + q
    (a, b), (c, d) = auc, loss
    g, h = gamma.as_integer_ratio()
    # Use the smaller one of `auc` and `loss`, whose absolute rounding error is smaller.
    upper, by = (q * d - c * n, d * n) if c * b < a * d else (a * n - p * b, b * n)
    improved, by_improved = g * upper * n * n + p * h * by * q, h * by * q * n
    if not q:
        improved, by_improved = g + h, h
    elif rounding[0]:
        most, unit = rounding
        if abs(improved) * h * q * unit <= g * most * n * by_improved:
            improved = 0
        if abs(upper) * unit <= most * by:
            upper = 0
    normalized = improved * h / (by_improved * (g + h))
    return CurveArea(a / b, upper / by, p / n, improved / by_improved, normalized, gamma)


def arac_area_of(pairs: PairCounts, gamma: float) -> CurveArea:
    """Return ARAC-AUC and its parts from the pair counts."""
    loss, unit = quotient_of_pairs("augrc", pairs)
    return curve_area((unit - loss, unit), (loss, unit), pairs, gamma)


def arac_area(
    correct: ArrayLike | ThresholdSweep | CornerSweep,
    confidence: ArrayLike | None = None,
    *,
    gamma: float = 1.0,
    sample_weight: ArrayLike | None = None,
) -> CurveArea:
    r"""Area under the ARAC curve, and its parts.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,), or a ThresholdSweep alone
        Whether each output was right (bool, or 0 and 1), and its confidence (real and finite).
    gamma : float, default=1.0
        γ = C_R/C_C, the cost of verifying an output divided by the cost of correcting it; at least 0
        (equation 13).
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum.

    Returns
    -------
    CurveArea
        `auc`, `upper`, `lower`, `improved`, `normalized`, `gamma`. Without weights, each is the exact
        value rounded once.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`; also for a negative `gamma`.

    See Also
    --------
    arac_auc_score : area under the ARAC curve
    arp_area : area under the acceptance rate – precision curve, and its parts
    fastarac.results.CurveArea : an area over the acceptance rate, and its parts

    Notes
    -----
    With the acceptance rate X and the accuracy after correction Y,

    .. math:: A = \int_0^1 Y\,dX = A_U + A_L,\qquad A_L = \beta,\qquad
              A'' = \frac{\frac{\gamma}{1-\beta} A_U + A_L}{\gamma + 1}

    These are equations 17 to 20 of Kimura et al. 2024. The curve goes from (0, 1) to (1, β). Items of
    equal confidence give a straight segment: the mean over all orders of these items. The area is
    defined for every input that is not empty.

    References
    ----------
    Kimura, Kubota, Wada and Hashimoto 2024, equations 17 to 20.

    Examples
    --------
    >>> import fastarac as fa
    >>> area = fa.arac_area([1, 1, 0, 1], [0.9, 0.8, 0.4, 0.6])
    >>> area.auc, area.upper, area.lower
    (0.96875, 0.21875, 0.75)
    >>> area.normalized
    0.8125
    """
    gamma = positive_scalar(gamma, "gamma")
    given = correct, confidence
    if is_estimated(correct):
        auc = arac_auc_score(*given, sample_weight=sample_weight)
        normalized = normalized_arac_auc_score(*given, gamma=gamma, sample_weight=sample_weight)
        return estimated_arac_area(auc, normalized, estimated_recognition_rate(*given), gamma)
    return arac_area_of(as_ranked(*given, sample_weight, corners=True).pairs, gamma)


def arac_auc_score(
    correct: ArrayLike | ThresholdSweep | CornerSweep,
    confidence: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Area under the ARAC curve: the mean accuracy after correction over all acceptance rates.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,), or a ThresholdSweep alone
        Whether each output was right (bool, or 0 and 1), and its confidence (real and finite).
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum.

    Returns
    -------
    float
        In [0.5, 1]; higher is better. Without weights, this is the exact value, rounded once. With
        weights, the relative error is at most 1e-12 or the absolute error at most 1e-15.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`.

    See Also
    --------
    normalized_arac_auc_score : normalised ARAC-AUC
    augrc_loss : area under the generalised risk–coverage curve
    arac_area : area under the ARAC curve, and its parts
    arac_partial_auc_score : mean height of the ARAC curve over part of it

    Notes
    -----
    The area is A_ARAC = ∫ Y dX, where X is the acceptance rate and Y is the accuracy after correction
    (Kimura et al. 2024, 3.3 §1). It equals 1 − β(1 − β)(1 − ROC-AUC) − (1 − β)²/2, where β is the
    recognition rate. 1 − A_ARAC is the area under the generalised risk–coverage curve, AUGRC (Traub et
    al. 2024).

    References
    ----------
    Kimura, Kubota, Wada and Hashimoto 2024, 3.3 and equation 17.

    Examples
    --------
    >>> import fastarac as fa
    >>> fa.arac_auc_score([1, 1, 0, 1], [0.9, 0.8, 0.4, 0.6])
    0.96875
    """
    items = as_ranked(correct, confidence, sample_weight, corners=True, share_of_judge=share_of_judge)
    return items.within(value_of_pairs("arac_auc", items.pairs), 0.5, 1.0)


def normalized_arac_auc_score(
    correct: ArrayLike | ThresholdSweep | CornerSweep,
    confidence: ArrayLike | None = None,
    *,
    gamma: float = 1.0,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Normalised ARAC-AUC: automation and recognition rate, weighted by their costs.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,), or a ThresholdSweep alone
        Whether each output was right (bool, or 0 and 1), and its confidence (real and finite).
    gamma : float, default=1.0
        γ = C_R/C_C, the cost of verifying an output divided by the cost of correcting it; at least 0.
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum.

    Returns
    -------
    float
        In [0, 1]; higher is better; 1 if every item is correct. Without weights, this is the exact
        value, rounded once.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`; also for a negative `gamma`.

    See Also
    --------
    arac_auc_score : area under the ARAC curve
    fastarac.costs.performance_at_error_rate : W at an allowed error rate, read off the ARAC curve
    normalized_arp_auc_score : normalised ARP-AUC

    Notes
    -----
    The normalised area is A″ = (γ·A_U/(1 − β) + A_L)/(γ + 1), equation 20 of Kimura et al. 2024. Here β
    is the recognition rate, and A_U and A_L are the parts of the ARAC-AUC above and below β. Unlike the
    ARAC-AUC, A″ still distinguishes models whose recognition rate is close to 1.

    References
    ----------
    Kimura, Kubota, Wada and Hashimoto 2024, equations 19 and 20.

    Examples
    --------
    >>> import fastarac as fa
    >>> fa.normalized_arac_auc_score([1, 1, 0, 1], [0.9, 0.8, 0.4, 0.6])
    0.8125
    """
    gamma = positive_scalar(gamma, "gamma")
    share = partial(share_of_normalized, gamma=gamma)
    items = as_ranked(correct, confidence, sample_weight, corners=True, share_of_judge=share)
    return items.within(arac_area_of(items.pairs, gamma).normalized, *ends_of_normalized(gamma))


def augrc_loss(
    correct: ArrayLike | ThresholdSweep | CornerSweep,
    confidence: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Area under the generalised risk–coverage curve: the mean error rate over all acceptance rates.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,), or a ThresholdSweep alone
        Whether each output was right (bool, or 0 and 1), and its confidence (real and finite).
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum.

    Returns
    -------
    float
        In [0, 0.5]; lower is better. The value is 1 − ARAC-AUC, rounded once. With weights, the
        relative error is at most 1e-12 or the absolute error at most 1e-15.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`.

    See Also
    --------
    arac_auc_score : area under the ARAC curve
    aurc_loss : area under the risk–coverage curve
    generalized_rc_curve : generalised risk–coverage curve

    Notes
    -----
    This is the AUGRC of Traub et al. 2024. Their package reports the value multiplied by 1000.

    References
    ----------
    Traub and others 2024, "Overcoming common flaws in the evaluation of selective classification
    systems".

    Examples
    --------
    >>> import fastarac as fa
    >>> fa.augrc_loss([1, 1, 0, 1], [0.9, 0.8, 0.4, 0.6])
    0.03125
    """
    items = as_ranked(correct, confidence, sample_weight, corners=True, share_of_judge=share_of_judge)
    return items.within(value_of_pairs("augrc", items.pairs), 0.0, 0.5)


def ends_of_normalized(gamma: float = 1.0) -> tuple[float, float]:
    """Return the smallest and the largest possible normalised area, over all recognition rates.

    For the cost ratio γ and the recognition rate β, the worst order of the items gives a normalised
    area of (γ·(1 − β)/2 + β)/(γ + 1). It is smallest at β = 0 or β = 1.
    """
    return min(gamma / 2.0, 1.0) / (gamma + 1.0), 1.0


def estimated_area(auc: float, normalized: float, recognition_rate: float, gamma: float) -> CurveArea:
    """Return an estimated area with its parts."""
    improved = normalized * (gamma + 1.0)
    return CurveArea(auc, auc - recognition_rate, recognition_rate, improved, normalized, gamma)


def estimated_arac_area(
    auc: float, normalized: float, recognition_rate: float, gamma: float
) -> CurveArea:
    """Return the parts of an estimated ARAC area, with `upper` clipped to its possible range."""
    errors = 1.0 - recognition_rate
    ends = errors**2 / 2.0, errors * (1.0 + recognition_rate) / 2.0  # worst and best order of items
    area = estimated_area(auc, normalized, recognition_rate, gamma)
    return area._replace(upper=min(max(area.upper, ends[0]), ends[1]))


def estimated_recognition_rate(correct: Any, confidence: ArrayLike | None) -> float:
    """Return the minimum-variance estimate of the recognition rate, from partly verified items."""
    items = as_ranked(correct, confidence, share_of_judge=_share_for_all)
    p, q, _ = items.totals
    return items.within(float(p / (p + q)), 0.0, 1.0)


def _share_for_all(items: PartialItems) -> Shares | None:
    return items.share_by_tie(np.ones(len(items.starts) - 1), linear=True)


def weights_of_errors(sweep: ThresholdSweep) -> NDArray[np.float64]:
    """Return how much one error at a threshold raises the AUGRC; the threshold inf is left out.

    This is (share of items below the threshold + half the share of items at it)/Ω, for the weight Ω of
    all items.
    """
    total = float(sweep.total)
    accepted = np.add(sweep.true_accepts, sweep.false_accepts, dtype=np.float64)
    accepted /= total
    rise: NDArray[np.float64] = accepted[1:] + accepted[:-1]
    rise /= 2.0
    np.subtract(1.0, rise, out=rise)
    rise /= total
    return rise


def slopes_of_normalized(sweep: ThresholdSweep, area: float, gamma: float) -> tuple[float, float]:
    """Return the derivatives of the normalised area by the area A and by the recognition rate β.

    The normalised area is (γ(A − β)/(1 − β) + β)/(γ + 1).
    """
    rest = sweep.n_incorrect / sweep.total
    if rest == 0.0:
        return 0.0, 0.0
    return (
        gamma / rest / (gamma + 1.0),
        (1.0 - gamma * (1.0 - area) / rest**2) / (gamma + 1.0),
    )


def share_of_judge(items: PartialItems) -> Shares | None:
    """Return the weights of the judges' predictions for the least variance of the estimated area."""
    return items.share_by(1.0 - items.above, linear=True)


def share_of_normalized(items: PartialItems, gamma: float) -> Shares | None:
    """Return the weights of the judges' predictions for the least variance of the normalised area."""
    sweep = items.beginning.sweep
    area = value_of_pairs("arac_auc", as_ranked(sweep, corners=True).pairs)
    by_area, by_rate = slopes_of_normalized(sweep, area, gamma)
    by_error = -by_area * weights_of_errors(sweep) - by_rate / float(sweep.total)
    return items.share_by_tie(by_error, linear=False)
