"""Net benefit: correct accepted items minus accepted errors, weighted by the threshold's odds."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastarac._core.checks import fractions_of, real_scalar
from fastarac._core.results import Table, TupleResult
from fastarac.samples.door import as_sweep

if TYPE_CHECKING:
    from fastarac.sweep import ThresholdSweep

FloatArray = NDArray[np.float64]


class _NetBenefitCurve(NamedTuple):
    net_benefit: FloatArray
    accept_all: FloatArray
    accept_none: FloatArray
    thresholds: FloatArray


class NetBenefitCurve(Table, TupleResult, _NetBenefitCurve):
    """Net benefit at each threshold probability, and net benefit of accepting everything or nothing.

    See Also
    --------
    fastarac.net_benefit_curve : net benefit over the threshold probability (decision curve)

    Examples
    --------
    >>> import fastarac as fa
    >>> correct, confidence = [1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2]
    >>> fa.net_benefit_curve(correct, confidence, thresholds=[0.5]).accept_all
    array([0.2])
    """

    __slots__ = ()


def net_benefit_at(sweep: ThresholdSweep, *, threshold: float) -> float:
    """Return the net benefit (TA − FA·p/(1 − p))/Ω at the threshold probability p."""
    counts = sweep.at(threshold)
    lost = float(counts.false_accepts) * odds_of(threshold)
    return float((float(counts.true_accepts) - lost) / float(sweep.total))


def odds_of(threshold: float) -> float:
    """Return p/(1 − p): the cost of an accepted error, in units of the benefit of a correct one."""
    p = real_scalar(threshold, "threshold")
    return float(_below_one(fractions_of(p, "threshold"), "threshold") / (1.0 - p))


def _below_one(values: FloatArray, name: str) -> FloatArray:
    if (values == 1.0).any():
        raise ValueError(f"{name} must be below 1, because the odds of 1 are infinite, got 1")
    return values


def net_benefit_curve(
    correct: ArrayLike | ThresholdSweep,
    confidence: ArrayLike | None = None,
    *,
    thresholds: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> NetBenefitCurve:
    """Compute the net benefit as a function of the threshold probability (decision curve).

    Parameters
    ----------
    correct, confidence : array_like of shape (n,), or a ThresholdSweep alone
        Whether each output was right, or each item is positive (bool, or 0 and 1), and the probability
        of this (real and finite).
    thresholds : array_like of shape (m,), optional
        Threshold probabilities p, each at least 0 and below 1; by default 0, 0.01, …, 0.99.
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum.

    Returns
    -------
    net_benefit : ndarray of shape (m,)
        Net benefit of accepting items with a confidence of at least p.
    accept_all : ndarray of shape (m,)
        Net benefit of accepting everything ("treat all").
    accept_none : ndarray of shape (m,)
        0, the net benefit of accepting nothing ("treat none").
    thresholds : ndarray of shape (m,)
        p; an item is accepted iff ``confidence >= p``.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`; also for thresholds outside [0, 1).

    See Also
    --------
    Statistic : ``Statistic("net_benefit", threshold=p)`` has intervals and tests
    fastarac.costs.cost_curve : normalized expected cost over the probability cost function
    fastarac.results.NetBenefitCurve : net benefit at each threshold probability

    Notes
    -----
    TA/Ω − FA/Ω·p/(1 − p), equation 1 of Vickers and Elkin 2006; true positives are the correct accepted
    items. Accepting at a probability of at least p means that an accepted error costs p/(1 − p) times
    the benefit of a correct accepted item. The confidence must be calibrated, because it is compared
    with p.

    References
    ----------
    Vickers and Elkin 2006, "Decision curve analysis: a novel method for evaluating prediction models".

    Examples
    --------
    >>> import fastarac as fa
    >>> curve = fa.net_benefit_curve([1, 1, 0, 1], [0.9, 0.8, 0.4, 0.6], thresholds=[0.2, 0.5, 0.75])
    >>> curve.net_benefit
    array([0.6875, 0.75  , 0.5   ])
    >>> curve.accept_all
    array([0.6875, 0.5   , 0.    ])
    """
    p = np.arange(100) / 100 if thresholds is None else fractions_of(thresholds, "thresholds")
    p = np.atleast_1d(_below_one(p, "thresholds"))
    sweep = as_sweep(correct, confidence, sample_weight).possible
    counts, total, odds = sweep.at(p), float(sweep.total), p / (1.0 - p)
    benefit = (counts.true_accepts - counts.false_accepts * odds) / total
    everything = (float(sweep.n_correct) - float(sweep.n_incorrect) * odds) / total
    return NetBenefitCurve(benefit, everything, np.zeros(len(p)), p)
