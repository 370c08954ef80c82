"""A threshold that keeps its limit on new items too, with a stated probability."""

from __future__ import annotations

import math
import warnings
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac._core.exceptions import SampleTooSmallWarning
from fastarac._core.inputs import fractions_of, real_scalar
from fastarac._core.special import binomial_cdf, binomial_upper_bound
from fastarac._core.text import percent
from fastarac.operating.points import OperatingPoint, operating_point
from fastarac.sweep import ThresholdSweep, as_sweep

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

# What a limit is a share of.
_WHOLE = {"max_error_rate": "all items", "max_risk": "accepted items"}


@dataclass(frozen=True, slots=True)
class GuaranteedOperatingPoint:
    """A threshold whose limit holds for the source of the items, not only for these items.

    Printed, it is a sentence. See :func:`.guaranteed_operating_point` for what is promised.

    Attributes
    ----------
    point : OperatingPoint
        Threshold, counts and rates on the items that were given; with threshold ``inf`` where nothing
        can be guaranteed.
    bound : float
        The Clopper–Pearson upper bound at this threshold, in [0, `limit`]; 0 where nothing is
        accepted.
    limit : float
        The error rate or risk that is kept.
    failure_probability : float
        How probable it may be that samples of this size lead to a threshold that exceeds the limit.
    criterion : {"max_error_rate", "max_risk"}
        What is limited: errors among all items, or among the accepted ones.
    """

    point: OperatingPoint
    bound: float
    limit: float
    failure_probability: float
    criterion: str

    @property
    def threshold(self) -> Any:
        """The threshold: accept an item iff its confidence is at or above it."""
        return self.point.threshold

    @property
    def acceptance_rate(self) -> float:
        """The share of the given items that is accepted, X."""
        return self.point.acceptance_rate

    def __str__(self) -> str:
        confidence = percent(1.0 - self.failure_probability)
        promise = f"at most {percent(self.limit)} errors remain among {_WHOLE[self.criterion]}"
        if self.threshold == math.inf:
            return (
                f"no threshold guarantees with {confidence} confidence that {promise}: accept nothing"
            )
        observed = self.point.error_rate if self.criterion == "max_error_rate" else self.point.risk
        return (
            f"accept {percent(self.acceptance_rate, 4)} at confidence >= {self.threshold}: with "
            f"{confidence} confidence {promise} (observed {percent(observed, 4)})"
        )


def guaranteed_operating_point(
    correct: ArrayLike | ThresholdSweep,
    confidence: ArrayLike | None = None,
    *,
    max_error_rate: float | None = None,
    max_risk: float | None = None,
    failure_probability: float = 0.05,
) -> GuaranteedOperatingPoint:
    r"""Choose a threshold that keeps a limit on new items from the same source, with high probability.

    :func:`.operating_point` keeps its limit on the items given, and on new items about every second
    time. Here the limit leaves room for chance: the fewer items, the more.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,), or a ThresholdSweep alone
        Whether each output was right (bool, or 0 and 1), and its confidence (real and finite).
    max_error_rate : float, optional
        The share of undetected errors among *all* items that must not be exceeded, in [0, 1].
    max_risk : float, optional
        The share of errors among the *accepted* items that must not be exceeded, in [0, 1].
    failure_probability : float, default=0.05
        δ, in (0, 1): the probability that may remain of a threshold that exceeds the limit.

    Returns
    -------
    GuaranteedOperatingPoint
        The lowest threshold with the guarantee that the method finds; ``inf`` where there is none.

    Raises
    ------
    TypeError
        Where not exactly one limit is given, or the sweep is weighted: weights are not counts.
    ValueError, TypeError
        As :func:`.threshold_sweep`; also for a limit or a probability outside its range.

    Warns
    -----
    SampleTooSmallWarning
        Where no threshold could be guaranteed even if every item were correct: n items without an
        error still allow an error rate of 1 − δ^(1/n), about 3/n for δ = 0.05.

    Notes
    -----
    **What is promised.** Let the n items be drawn independently from some source, and let the true
    rate be that of the source. Over repeated samples, the chosen threshold has a true rate above the
    limit with a probability of at most δ. Nothing is promised where later items come from elsewhere
    (other documents, other scanners, a new model), where the items depend on each other (lines of one
    page), or where the threshold was chosen again after looking. A later batch scatters around the
    true rate, and may exceed the limit itself. `bound` is that of a threshold fixed beforehand; what
    holds for a threshold chosen by the data is the limit.

    ``max_error_rate``: with the upper bound of Clopper and Pearson (1934) for FA errors among n,

    .. math:: B(\mathrm{FA}, n, \delta) = \max\{p : P(\mathrm{Bin}(n, p) \le \mathrm{FA}) \ge \delta\}

    the lowest threshold such that the bound of FA/n at it and at all higher ones is within the limit.
    No correction for looking at many thresholds is needed: the true error rate never falls as the
    threshold is lowered, and neither does FA. A threshold that is too low is chosen only if the highest
    of the thresholds that are too low passes its own test, which has a probability of at most δ; the
    others need not be asked.

    ``max_risk``: the risk may fall and rise, so each test has its price. SGR (Geifman and El-Yaniv
    2017, algorithm 1) searches the m distinct confidences by bisection and tests each threshold that
    it meets with δ/⌈log₂(m + 1)⌉, one share for each test: a threshold with N accepted items and FA
    errors passes where B(FA, N, δ/⌈log₂(m + 1)⌉) is within the limit. (The paper never tests to accept
    everything, and so divides by ⌈log₂ m⌉; both are the same unless m is a power of 2.) The threshold
    returned is the lowest that passed; a lower one may exist that bisection does not meet. The
    probability of failure is proved for a risk that does not fall as the threshold is lowered.
    Elsewhere the path depends on the errors themselves, and the shares are no longer a sure bound.

    Equal confidences are one threshold. Weighted sweeps are refused.

    Examples
    --------
    >>> import fastarac as fa
    >>> from fastarac.datasets import load_digits_ocr
    >>> items = load_digits_ocr()["knn-votes"]
    >>> fa.operating_point(*items, max_error_rate=0.01).threshold
    0.6
    >>> point = fa.guaranteed_operating_point(*items, max_error_rate=0.01)
    >>> point.threshold, round(point.bound, 4)
    (0.75, 0.0087)
    >>> print(point)  # doctest: +NORMALIZE_WHITESPACE
    accept 92.54 % at confidence >= 0.75: with 95 % confidence at most 1 % errors remain among all
    items (observed 0.5008 %)
    """
    criteria = {"max_error_rate": max_error_rate, "max_risk": max_risk}
    given = [name for name, value in criteria.items() if value is not None]
    if len(given) != 1:
        message = f"exactly one of {', '.join(criteria)} is expected; found {given or 'none'}"
        raise TypeError(message)
    criterion = given[0]
    limit = float(fractions_of(real_scalar(criteria[criterion], criterion), criterion))
    delta = real_scalar(failure_probability, "failure_probability")
    if not 0.0 < delta < 1.0:
        message = f"failure_probability is {failure_probability!r}; a number in (0, 1) is expected"
        raise ValueError(message)
    sweep = as_sweep(correct, confidence)
    if sweep.false_accepts.dtype != np.int64:
        message = "the sweep is weighted; counts of items are expected, which alone are binomial"
        raise TypeError(message)
    n = int(sweep.total)
    if max_error_rate is not None:
        index = _last_by_error_rate(sweep, n, limit, delta)
        trials, share = n, delta
    else:
        share = delta / (len(sweep.thresholds) - 1).bit_length()
        index = _last_by_risk(sweep, limit, share)
        trials = int(sweep.true_accepts[index] + sweep.false_accepts[index])
    least = binomial_upper_bound(0, n, share)
    if least > limit:
        _warn_too_small(n, least, criterion, limit, share)
    bound = binomial_upper_bound(int(sweep.false_accepts[index]), trials, share) if index else 0.0
    point = operating_point(sweep, threshold=sweep.thresholds[index])
    return GuaranteedOperatingPoint(point, bound, limit, delta, criterion)


def _last_by_error_rate(sweep: ThresholdSweep, n: int, limit: float, delta: float) -> int:
    """Index of the last point whose errors, among `n`, have an upper bound within the limit."""
    if limit >= 1.0:
        return len(sweep.thresholds) - 1
    # the bound is within the limit iff so few errors would be that improbable at the limit
    allowed = bisect_right(range(n + 1), delta, key=lambda k: binomial_cdf(k, n, limit)) - 1
    return max(0, int(np.searchsorted(sweep.false_accepts, allowed, side="right")) - 1)


def _last_by_risk(sweep: ThresholdSweep, limit: float, share: float) -> int:
    """Index of the last point that passed its test in a bisection over all; 0 where none did."""
    if limit >= 1.0:
        return len(sweep.thresholds) - 1
    passed, failed = 0, len(sweep.thresholds)
    while failed - passed > 1:
        index = (passed + failed) // 2
        errors = int(sweep.false_accepts[index])
        accepted = errors + int(sweep.true_accepts[index])
        if binomial_cdf(errors, accepted, limit) <= share:
            passed = index
        else:
            failed = index
    return passed


def _warn_too_small(n: int, least: float, criterion: str, limit: float, share: float) -> None:
    if limit > 0.0:
        needed = math.ceil(math.log(share) / math.log1p(-limit))
        expected = f"at least {needed} items are needed for {criterion}={limit:g}"
    else:
        expected = f"no number of items is enough for {criterion}=0"
    warnings.warn(
        f"{n} items without a single error would still allow {percent(least, 4)} errors; {expected}",
        SampleTooSmallWarning,
        stacklevel=3,
    )
