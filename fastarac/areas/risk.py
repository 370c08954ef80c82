"""Areas under precision and risk: ARP-AUC, AURC and their normalised forms.

Precision and risk divide by the number of accepted items, so these areas are sums of one fraction per
threshold. `_kernels.sums` adds them to about 30 digits. The logarithms of the estimator "exact" are
doubles, however.
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastarac import _kernels
from fastarac._core.checks import choice, positive_scalar
from fastarac._core.exceptions import warn_undefined
from fastarac._engine.pairs import PairCounts, Quotient, whole_pairs
from fastarac._engine.weighted import exact_quotient
from fastarac._kernels.codes import OF_ESTIMATOR
from fastarac.areas.arac import (
    CurveArea,
    curve_area,
    estimated_area,
    estimated_recognition_rate,
    slopes_of_normalized,
)
from fastarac.areas.gradients import from_here_on
from fastarac.samples.door import as_ranked, is_estimated

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from fastarac._engine.ranked import RankedItems
    from fastarac.samples.partial_items import PartialItems, Shares
    from fastarac.sweep import CornerSweep, ThresholdSweep

FloatArray = NDArray[np.float64]
Estimator = Literal["trapezoid", "mean", "exact"]
Optimum = Literal["finite", "asymptotic"]

ESTIMATORS = tuple(OF_ESTIMATOR)


def _ranked(
    correct: ArrayLike | ThresholdSweep | CornerSweep,
    confidence: ArrayLike | None,
    sample_weight: ArrayLike | None,
    estimator: str,
    share: Callable[..., Shares | None] | None = None,
) -> RankedItems:
    """Return the items in order of confidence."""
    # The estimator "trapezoid" needs every threshold; for the others, the corners of the curve suffice.
    return as_ranked(
        correct, confidence, sample_weight, corners=estimator in ("mean", "exact"),
        share_of_judge=share or partial(share_of_judge, estimator=estimator),
    )  # fmt: skip


def _area(items: RankedItems, estimator: str, *, of_risk: bool = False) -> Fraction:
    """Return ARP-AUC, or AURC if `of_risk`, before it is rounded to a double."""
    choice(estimator, "estimator", ESTIMATORS)
    if estimator == "mean" and items.weighted:
        raise ValueError(
            "estimator='mean' is a mean over items, so weights and a PartialTruth are not supported; "
            "use estimator='exact'"
        )
    correct, incorrect, _ = items.totals
    area = items.sum(OF_ESTIMATOR[estimator], of_risk=of_risk) / (correct + incorrect)
    return area / 2 if estimator == "trapezoid" else area


def _log(ratio: Fraction) -> Fraction:
    """Return the natural logarithm to 40 digits, so that enough digits remain after a subtraction."""
    with localcontext(prec=40):
        return Fraction((Decimal(ratio.numerator) / Decimal(ratio.denominator)).ln())


def _best_aurc(items: RankedItems, estimator: str, optimum: str) -> Quotient:
    """Return the AURC of the best order of the items: all correct ones first, without ties."""
    choice(optimum, "optimum", ("finite", "asymptotic"))
    correct, incorrect, _ = items.totals
    total = correct + incorrect
    if not correct:
        return 1, 1
    if optimum == "asymptotic" or estimator == "exact":
        beta = Fraction(correct) / Fraction(total)
        return (1 - beta * (1 - _log(beta))).as_integer_ratio()
    if items.weighted:
        raise ValueError(
            f"optimum='finite' with estimator={estimator!r} depends on single items, so weights and a "
            "PartialTruth are not supported; use estimator='exact' or optimum='asymptotic'"
        )
    p, n = int(correct), int(total)
    high, low = _kernels.sums.harmonic(p, n)
    a, b = exact_quotient(high, low)
    if estimator == "trapezoid":  # with trapezoids, half of 1/p − 1/n is added to the harmonic sum
        a, b = a * 2 * p * n + b * (n - p), b * 2 * p * n
    return n * b - p * (a + b), n * b


def _precision_and_risk(items: RankedItems, estimator: str) -> tuple[Quotient, Quotient]:
    """Return ARP-AUC and AURC, whose sum is 1."""
    correct, incorrect, _ = items.totals
    of_risk = incorrect < correct  # sum the smaller area: 1 minus the larger one would lose digits
    area, whole = _area(items, estimator, of_risk=of_risk).as_integer_ratio()
    other = whole - area, whole
    return (other, (area, whole)) if of_risk else ((area, whole), other)


def _minus(x: Quotient, y: Quotient) -> Quotient:
    return x[0] * y[1] - y[0] * x[1], x[1] * y[1]


def _excess(aurc: Quotient, best: Quotient, rounding: Quotient) -> Quotient:
    """Return the AURC minus the AURC of the best order; 0 if they differ only by rounding."""
    excess, whole = _minus(aurc, best)
    most, unit = rounding
    return (excess if abs(excess) * unit > most * whole else 0), whole


def _between(pairs: PairCounts, aurc: Quotient, best: Quotient, rounding: Quotient) -> float:
    """Return the AURC rescaled to 0 for the best order and 1 for a random one."""
    p, q, _ = whole_pairs(pairs)
    excess, whole = _excess(aurc, best, rounding)
    room, of_room = _minus((q, p + q), best)
    return excess * of_room / (whole * room)


class RiskAreas(NamedTuple):
    """The results of :func:`.arp_area`, :func:`.aurc_loss` and :func:`.normalized_aurc_loss`."""

    arp: CurveArea
    aurc: float
    normalized_aurc: float
    """NaN with one class only, and for weighted items."""


def risk_areas(items: RankedItems, aurc: Quotient, gamma: float) -> RiskAreas:
    """Return the three areas under precision and risk by trapezoids, given the AURC."""
    pairs = items.totals
    rounding = items.rounding
    normalized = math.nan
    if pairs.correct and pairs.incorrect and not items.weighted:
        normalized = _between(pairs, aurc, _best_aurc(items, "trapezoid", "finite"), rounding)
    precision = aurc[1] - aurc[0], aurc[1]
    area = curve_area(precision, aurc, pairs, gamma, rounding)
    return RiskAreas(area, aurc[0] / aurc[1], normalized)


def arp_area(
    correct: ArrayLike | ThresholdSweep | CornerSweep,
    confidence: ArrayLike | None = None,
    *,
    gamma: float = 1.0,
    estimator: Estimator = "trapezoid",
    sample_weight: ArrayLike | None = None,
) -> CurveArea:
    r"""Area under the acceptance rate – precision curve, and its parts.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,), or a ThresholdSweep alone
        Whether each output was right (bool, or 0 and 1), and its confidence (real and finite).
    gamma : float, default=1.0
        γ = C_R/C_C, the cost of verifying an output divided by the cost of correcting it; at least 0.
    estimator : {"trapezoid", "mean", "exact"}, default="trapezoid"
        "trapezoid": straight lines between the points at neighbouring thresholds; up to the first
        point, the precision is constant. "mean": the mean, over k from 1 to n, of the precision of the
        k most confident items; tied items are in random order, and weights are not supported. "exact":
        the integral if tied items are accepted continuously and in random order.
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum.

    Returns
    -------
    CurveArea
        `upper` may be negative, because the precision can be below the recognition rate. `auc` is as
        accurate as :func:`arp_auc_score`.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`; also for an unknown `estimator`, or "mean" with weights.

    See Also
    --------
    arp_auc_score : area under the acceptance rate – precision curve
    arac_area : area under the ARAC curve, and its parts
    arp_curve : acceptance rate – precision curve

    Notes
    -----
    Kimura et al. 2024, 3.4. The parts are defined as for the ARAC-AUC. With "exact", let Ω be the
    number (or weight) of all items. If N₀ items are accepted, T₀ of them correct, the next tie of g
    items, p of them correct, adds

    .. math:: \frac1\Omega\left[p + \left(T_0 - \frac{p N_0}{g}\right)\ln\frac{N_0+g}{N_0}\right]

    If N₀ = 0, the tie adds p/Ω.

    References
    ----------
    Kimura, Kubota, Wada and Hashimoto 2024, 3.4.

    Examples
    --------
    >>> import fastarac as fa
    >>> fa.arp_area([1, 1, 0, 1], [0.9, 0.8, 0.4, 0.6]).auc
    0.96875
    """
    gamma = positive_scalar(gamma, "gamma")
    given = correct, confidence
    if is_estimated(correct):
        options: dict[str, Any] = {"estimator": estimator, "sample_weight": sample_weight}
        auc = arp_auc_score(*given, **options)
        normalized = normalized_arp_auc_score(*given, gamma=gamma, **options)
        return estimated_area(auc, normalized, estimated_recognition_rate(*given), gamma)
    return _arp_area(_ranked(*given, sample_weight, estimator), gamma, estimator)


def _arp_area(items: RankedItems, gamma: float, estimator: Estimator) -> CurveArea:
    precision, risk = _precision_and_risk(items, estimator)
    return curve_area(precision, risk, items.totals, gamma, items.rounding)


def arp_auc_score(
    correct: ArrayLike | ThresholdSweep | CornerSweep,
    confidence: ArrayLike | None = None,
    *,
    estimator: Estimator = "trapezoid",
    sample_weight: ArrayLike | None = None,
) -> float:
    """Area under the acceptance rate – precision curve: the mean precision over acceptance rates.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,), or a ThresholdSweep alone
        Whether each output was right (bool, or 0 and 1), and its confidence (real and finite).
    estimator : {"trapezoid", "mean", "exact"}, default="trapezoid"
        As in :func:`.arp_area`.
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum.

    Returns
    -------
    float
        In [0, 1]; higher is better. Without weights, this is the exact value, rounded once; with
        "exact", the error is at most 4 units in the last place. With weights, the relative error is at
        most 1e-12 (or, with "exact", the absolute error at most 1e-15).

    Raises
    ------
    ValueError, TypeError
        As :func:`.arp_area`.

    See Also
    --------
    aurc_loss : area under the risk–coverage curve
    arp_area : area under the acceptance rate – precision curve, and its parts
    normalized_arp_auc_score : normalised ARP-AUC

    Notes
    -----
    This is the ARP-AUC of Kimura et al. 2024, 3.4. It equals 1 − AURC.

    References
    ----------
    Kimura, Kubota, Wada and Hashimoto 2024, 3.4.

    Examples
    --------
    >>> import fastarac as fa
    >>> correct, confidence = [1, 0, 1, 1], [0.9, 0.8, 0.8, 0.6]
    >>> fa.arp_auc_score(correct, confidence)
    0.84375
    >>> round(fa.arp_auc_score(correct, confidence, estimator="mean"), 6)
    0.791667
    """
    items = _ranked(correct, confidence, sample_weight, estimator)
    return items.within(float(_area(items, estimator)), 0.0, 1.0)


def normalized_arp_auc_score(
    correct: ArrayLike | ThresholdSweep | CornerSweep,
    confidence: ArrayLike | None = None,
    *,
    gamma: float = 1.0,
    estimator: Estimator = "trapezoid",
    sample_weight: ArrayLike | None = None,
) -> float:
    """Normalised ARP-AUC: the counterpart of the normalised ARAC-AUC for precision.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,), or a ThresholdSweep alone
        Whether each output was right (bool, or 0 and 1), and its confidence (real and finite).
    gamma : float, default=1.0
        γ = C_R/C_C, the cost of verifying an output divided by the cost of correcting it; at least 0.
    estimator : {"trapezoid", "mean", "exact"}, default="trapezoid"
        As in :func:`.arp_area`.
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum.

    Returns
    -------
    float
        At most 1; 1 if every item is correct.

    Raises
    ------
    ValueError, TypeError
        As :func:`.arp_area`.

    See Also
    --------
    arp_auc_score : area under the acceptance rate – precision curve
    normalized_arac_auc_score : normalised ARAC-AUC

    Notes
    -----
    This is equation 20 of Kimura et al. 2024, applied to the parts of the ARP-AUC (3.4).

    References
    ----------
    Kimura, Kubota, Wada and Hashimoto 2024, 3.4 and equation 20.

    Examples
    --------
    >>> import fastarac as fa
    >>> fa.normalized_arp_auc_score([1, 1, 0, 1], [0.9, 0.8, 0.4, 0.6])
    0.8125
    """
    gamma = positive_scalar(gamma, "gamma")
    share = partial(share_of_normalized, estimator=estimator, gamma=gamma)
    items = _ranked(correct, confidence, sample_weight, estimator, share)
    return items.within(_arp_area(items, gamma, estimator).normalized, -math.inf, 1.0)


def aurc_loss(
    correct: ArrayLike | ThresholdSweep | CornerSweep,
    confidence: ArrayLike | None = None,
    *,
    estimator: Estimator = "trapezoid",
    sample_weight: ArrayLike | None = None,
) -> float:
    """Area under the risk–coverage curve: the mean risk over all coverages.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,), or a ThresholdSweep alone
        Whether each output was right (bool, or 0 and 1), and its confidence (real and finite).
    estimator : {"trapezoid", "mean", "exact"}, default="trapezoid"
        As in :func:`.arp_area`. Papers on selective classification mostly use "mean".
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum.

    Returns
    -------
    float
        In [0, 1]; lower is better. The value is 1 − ARP-AUC, with the same accuracy.

    Raises
    ------
    ValueError, TypeError
        As :func:`.arp_area`.

    See Also
    --------
    excess_aurc_loss : AURC minus the AURC of the best order of the same items
    normalized_aurc_loss : AURC rescaled to 0 for the best order and 1 for a random order
    augrc_loss : area under the generalised risk–coverage curve

    Notes
    -----
    This is the AURC of Geifman, Uziel and El-Yaniv 2019.

    References
    ----------
    Geifman, Uziel and El-Yaniv 2019, "Bias-reduced uncertainty estimation for deep neural classifiers".

    Examples
    --------
    >>> import fastarac as fa
    >>> fa.aurc_loss([1, 1, 0, 1], [0.9, 0.8, 0.4, 0.6], estimator="mean")
    0.0625
    """
    items = _ranked(correct, confidence, sample_weight, estimator)
    return items.within(float(_area(items, estimator, of_risk=True)), 0.0, 1.0)


def excess_aurc_loss(
    correct: ArrayLike | ThresholdSweep | CornerSweep,
    confidence: ArrayLike | None = None,
    *,
    estimator: Estimator = "trapezoid",
    optimum: Optimum = "finite",
    sample_weight: ArrayLike | None = None,
) -> float:
    """AURC minus the AURC of the best order of the same items.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,), or a ThresholdSweep alone
        Whether each output was right (bool, or 0 and 1), and its confidence (real and finite).
    estimator : {"trapezoid", "mean", "exact"}, default="trapezoid"
        As in :func:`.arp_area`.
    optimum : {"finite", "asymptotic"}, default="finite"
        "finite": the AURC of the perfectly sorted items, by the same estimator. With weights, "finite"
        needs the estimator "exact". "asymptotic": π + (1 − π)·ln(1 − π), where π is the share of
        incorrect items.
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum.

    Returns
    -------
    float
        0 for the best order (up to a rounding error of about 1e-16 if logarithms are involved); lower
        is better. With the estimator "trapezoid", ties of incorrect items may make the value negative.

    Raises
    ------
    ValueError, TypeError
        As :func:`.arp_area`; also for an unknown `optimum`, or weights with a finite optimum.

    See Also
    --------
    aurc_loss : area under the risk–coverage curve
    normalized_aurc_loss : AURC rescaled to 0 for the best order and 1 for a random order

    Notes
    -----
    This is the E-AURC of Geifman, Uziel and El-Yaniv 2019, who subtract the asymptotic optimum.

    References
    ----------
    Geifman, Uziel and El-Yaniv 2019, "Bias-reduced uncertainty estimation for deep neural classifiers".

    Examples
    --------
    >>> import fastarac as fa
    >>> fa.excess_aurc_loss([1, 1, 0, 1], [0.9, 0.8, 0.4, 0.6], estimator="mean")
    0.0
    """
    items = _ranked(correct, confidence, sample_weight, estimator)
    best = _best_aurc(items, estimator, optimum)
    excess, whole = _excess(_precision_and_risk(items, estimator)[1], best, items.rounding)
    return excess / whole


def normalized_aurc_loss(
    correct: ArrayLike | ThresholdSweep | CornerSweep,
    confidence: ArrayLike | None = None,
    *,
    estimator: Estimator = "trapezoid",
    optimum: Optimum = "finite",
    sample_weight: ArrayLike | None = None,
) -> float:
    """AURC rescaled to 0 for the best order and 1 for a random order.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,), or a ThresholdSweep alone
        Whether each output was right (bool, or 0 and 1), and its confidence (real and finite).
    estimator : {"trapezoid", "mean", "exact"}, default="trapezoid"
        As in :func:`.arp_area`.
    optimum : {"finite", "asymptotic"}, default="finite"
        As in :func:`.excess_aurc_loss`.
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum.

    Returns
    -------
    float
        Lower is better; above 1 if the confidence is worse than chance. NaN with one class only.

    Warns
    -----
    UndefinedMetricWarning
        If all items are correct, or all incorrect.

    Raises
    ------
    ValueError, TypeError
        As :func:`.excess_aurc_loss`.

    See Also
    --------
    aurc_loss : area under the risk–coverage curve
    excess_aurc_loss : AURC minus the AURC of the best order of the same items

    Notes
    -----
    The value is (AURC − AURC*)/(π − AURC*). Here AURC* is the AURC of the best order. π, the share of
    incorrect items, is the AURC of a random order.

    References
    ----------
    Cattelan and Silva 2024, "How to fix a broken confidence estimator".

    Examples
    --------
    >>> import fastarac as fa
    >>> round(fa.normalized_aurc_loss([1, 0, 1, 1], [0.9, 0.8, 0.7, 0.6], estimator="mean"), 6)
    1.111111
    """
    items = _ranked(correct, confidence, sample_weight, estimator)
    best = _best_aurc(items, estimator, optimum)
    aurc = _precision_and_risk(items, estimator)[1]
    pairs = items.totals
    if not (pairs.correct and pairs.incorrect):
        warn_undefined("normalised AURC", "the items are all correct or all incorrect")
        return math.nan
    return _between(items.totals, aurc, best, items.rounding)


def weights_of_errors(sweep: ThresholdSweep, estimator: str = "trapezoid") -> FloatArray:
    """Return how much one error at a threshold raises the AURC; the threshold inf is left out."""
    accepted = np.add(sweep.true_accepts, sweep.false_accepts, dtype=np.float64)
    total = float(sweep.total)
    before, after = accepted[:-1], accepted[1:]
    if estimator == "trapezoid":
        breadth: FloatArray = np.diff(accepted)
        first = breadth[0]
        breadth[:-1] += breadth[1:]
        breadth[0] += first  # the curve is flat up to the first point
        breadth /= 2.0
        breadth /= after
        from_here_on(breadth)
        breadth /= total
        return breadth
    tie = after - before
    with np.errstate(divide="ignore", invalid="ignore"):
        if estimator == "exact":
            steps = np.log1p(tie / before)
        else:
            harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1.0, total + 1.0))])
            steps = harmonic[after.astype(np.intp)] - harmonic[before.astype(np.intp)]
        own = 1.0 - np.where(before > 0.0, before * steps, 0.0) / tie
    later = np.zeros(len(own))
    later[:-1] = from_here_on(steps[1:])
    weights: FloatArray = (own + later) / total
    return weights


def share_of_judge(items: PartialItems, estimator: str) -> Shares | None:
    """Return the weights of the judges' predictions for the least variance of the estimated area."""
    choice(estimator, "estimator", ESTIMATORS)
    return items.share_by_tie(weights_of_errors(items.beginning.sweep, estimator), linear=True)


def share_of_normalized(items: PartialItems, estimator: str, gamma: float) -> Shares | None:
    """Return the weights of the judges' predictions for the least variance of the normalised area."""
    choice(estimator, "estimator", ESTIMATORS)
    sweep = items.beginning.sweep
    weights = weights_of_errors(sweep, estimator)
    area = 1.0 - float(np.sum(weights * np.diff(sweep.false_accepts)))
    by_area, by_rate = slopes_of_normalized(sweep, area, gamma)
    return items.share_by_tie(-by_area * weights - by_rate / float(sweep.total), linear=False)
