"""Plan how many outputs to verify: for a guarantee, a comparison, an interval, or an audit."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac._core.checks import (
    failure_of,
    fraction_of,
    inner_fraction,
    of_percent,
    positive_scalar,
    real_scalar,
    whole_number,
)
from fastarac._core.quantiles import normal_quantile
from fastarac._core.results import TupleResult
from fastarac._core.single_items import takes_items_only
from fastarac._core.special import binomial_cdf
from fastarac._core.text import percent
from fastarac._engine.counts import AcceptedCounts
from fastarac._engine.factors import read_outermost
from fastarac._engine.inputs import read_items
from fastarac.operation.critical_sample_sizes import CriticalSampleSizes, bisected
from fastarac.reviewer import Reviewer, informative, limit_of_found
from fastarac.samples.door import require_confidence, threshold_sweep
from fastarac.uncertainty.asymptotic import asymptotic_interval
from fastarac.uncertainty.statistics import as_statistic

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from fastarac.sweep import ThresholdSweep
    from fastarac.uncertainty.statistics import Statistic

# Number of points of a power curve.
POINTS = 600
# A power curve ends at this multiple of `SampleSizes.stable`.
BEYOND = 1.5
# The power is a sawtooth curve over the sample size, with one tooth for each allowed number of errors.
# So bisection may miss the right number, and at least this many neighbours of its result are tried.
FEWEST_TEETH = 30


class _SampleSizes(NamedTuple):
    first: int
    stable: int
    least: int


class SampleSizes(TupleResult, _SampleSizes):
    """Numbers of items needed for a guarantee.

    Attributes
    ----------
    first : int
        The smallest number of items with the desired power.
    stable : int
        The smallest number such that it and all larger numbers have the power. Between `first` and
        `stable`, some numbers have less power.
    least : int
        The smallest number of items at which the guarantee is possible, if there are no errors.

    See Also
    --------
    fastarac.operation.sample_size_for_guarantee : find how many verified outputs a limit needs
    AuditPlan : numbers of audits that detect an error rate above the limit

    Examples
    --------
    >>> import fastarac as fa
    >>> fa.operation.sample_size_for_guarantee(0.01, 0.005).stable
    2185
    """

    __slots__ = ()


class _AuditPlan(NamedTuple):
    first: int
    stable: int
    audit_probability: float


class AuditPlan(TupleResult, _AuditPlan):
    """Numbers of audits that detect an error rate above the limit.

    Attributes
    ----------
    first : int
        The smallest number of audits with the desired power to detect the rate.
    stable : int
        The smallest number such that it and all larger numbers have the power.
    audit_probability : float
        `stable` divided by the number of outputs; NaN if the number of outputs is not given.

    See Also
    --------
    fastarac.operation.audit_plan : find how many outputs to audit
    SampleSizes : numbers of items needed for a guarantee

    Examples
    --------
    >>> import fastarac as fa
    >>> plan = fa.operation.audit_plan(0.01, 0.02, n_outputs=40_000)
    >>> plan.stable, plan.audit_probability
    (1015, 0.025375)
    """

    __slots__ = ()


def sample_size_for_guarantee(
    max_error_rate: float,
    expected_error_rate: float,
    *,
    failure_probability: float = 0.05,
    power: float = 0.8,
    truth_reader: Reviewer | None = None,
) -> SampleSizes:
    """Find how many verified outputs a guaranteed limit needs.

    Parameters
    ----------
    max_error_rate : float
        The limit, in (0, 1).
    expected_error_rate : float
        The error rate expected at the threshold, below the limit.
    failure_probability : float, default=0.05
        δ of the guarantee, in (0, 0.5].
    power : float, default=0.8
        The probability with which the guarantee should be reached, in (0, 1).
    truth_reader : Reviewer, optional
        The people who will verify, if they overlook errors.

    Returns
    -------
    SampleSizes
        The smallest number of items with the power; the smallest number such that it and all larger
        numbers have the power; and the smallest number at which the guarantee is possible.

    Raises
    ------
    ValueError
        For numbers outside their ranges, or if the expected rate is not below the limit.

    See Also
    --------
    sample_size_for_policy : plan for groups, fields, risks or pilots, by fits to samples.

    Notes
    -----
    Let ε be the limit and p the expected error rate. The exact test of
    :func:`.guaranteed_operating_point` allows c errors among n items, where c is the largest number
    with P(Bin(n, ε) ≤ c) ≤ δ. The power is P(Bin(n, p) ≤ c). As n increases, the power falls until one
    more error is allowed, and then jumps up. The search takes all these jumps into account. If a
    `truth_reader` finds only the share d of all errors, found errors are tested: n is computed for the
    limit ε·d and the rate p·d.

    References
    ----------
    Clopper and Pearson 1934, "The use of confidence or fiducial limits illustrated in the case of the
    binomial".

    Examples
    --------
    >>> import fastarac as fa
    >>> fa.operation.sample_size_for_guarantee(0.01, 0.005)
    SampleSizes(first=1941, stable=2185, least=299)
    """
    expected = fraction_of(expected_error_rate, "expected_error_rate")
    limit, delta, wanted = _asked(max_error_rate, failure_probability, power)
    if expected >= limit:
        raise ValueError(f"expected_error_rate must be below the limit of {limit:g}, got {expected:g}")
    limit, expected, delta = rate_of_found(limit, expected, delta, truth_reader)
    teeth = CriticalSampleSizes.that_keep(limit, delta)

    def passes(n: int, c: int) -> bool:
        return binomial_cdf(c, n, expected) >= wanted

    # While c errors are allowed, the power falls with the sample size n. So it is highest at the
    # smallest n that allows c errors, and lowest at the largest.
    first = _first_true(lambda c: passes(teeth.start(c), c))
    last = _last_false(lambda c: passes(teeth.start(c + 1) - 1, c), first)
    stable = teeth.start(last + 1 if last >= first else first)
    return SampleSizes(teeth.start(first), stable, teeth.start(0))


def audit_plan(
    max_error_rate: float,
    actual_error_rate: float,
    *,
    failure_probability: float = 0.05,
    power: float = 0.8,
    design_effect: float = 1.0,
    n_outputs: int | None = None,
    truth_reader: Reviewer | None = None,
) -> AuditPlan:
    """Find how many outputs to audit so that an error rate above the limit is detected.

    Parameters
    ----------
    max_error_rate : float
        The limit, in (0, 1).
    actual_error_rate : float
        The error rate to detect, above the limit.
    failure_probability : float, default=0.05
        The largest probability of an alarm while the limit is kept, in (0, 0.5].
    power : float, default=0.8
        The probability with which the rate should be detected, in (0, 1).
    design_effect : float, default=1.0
        The factor by which groups increase the variance, at least 1.
    n_outputs : int, optional
        The number of future outputs, from which the share to audit is computed.
    truth_reader : Reviewer, optional
        The people who will audit, if they overlook errors.

    Returns
    -------
    AuditPlan
        The smallest number of audits with the power; the smallest number such that it and all larger
        numbers have the power; and the share of outputs to audit.

    Raises
    ------
    ValueError
        For numbers outside their ranges, if the actual rate is not above the limit, or if `n_outputs`
        is smaller than the number of audits.

    See Also
    --------
    ErrorRateMonitor : alarms where an error rate is above its limit
    guarantee_power : probability that a limit is guaranteed with a given number of verified outputs
    fastarac.results.AuditPlan : numbers of audits that detect an error rate above the limit

    Notes
    -----
    There is an alarm if n audits find at least c errors, where c is the smallest number with
    P(Bin(n, ε) ≥ c) ≤ δ for the limit ε and the failure probability δ. This exact test may be used only
    once, after all n audits. :class:`.ErrorRateMonitor` is valid after every audit.

    Examples
    --------
    >>> import fastarac as fa
    >>> fa.operation.audit_plan(0.01, 0.02, n_outputs=40_000)
    AuditPlan(first=905, stable=1015, audit_probability=0.025375)
    """
    actual = inner_fraction(actual_error_rate, "actual_error_rate")
    limit, delta, wanted = _asked(max_error_rate, failure_probability, power)
    effect = _design_effect(design_effect)
    if actual <= limit:
        raise ValueError(f"actual_error_rate must be above the limit of {limit:g}, got {actual:g}")
    limit, actual, delta = rate_of_found(limit, actual, delta, truth_reader)
    # For n from teeth.start(c − 1) to teeth.start(c) − 1, an alarm takes c errors.
    teeth = CriticalSampleSizes.that_break(limit, delta)

    def passes(n: int, c: int) -> bool:
        return n >= c and 1.0 - binomial_cdf(c - 1, n, actual) >= wanted

    first = _first_true(lambda c: passes(teeth.start(c) - 1, c), 1)
    last = _last_false(lambda c: passes(teeth.start(c - 1), c), first)
    found = []
    for c in (first, max(first, last)):
        # For a fixed c, the power increases with n, so bisection finds the smallest n.
        ends = teeth.start(c - 1) - 1, teeth.start(c) - 1
        found.append(math.ceil(bisected(partial(passes, c=c), *ends) * effect))
    share = math.nan
    if n_outputs is not None:
        outputs = whole_number(n_outputs, "n_outputs", 1)
        if found[1] > outputs:
            raise ValueError(
                f"n_outputs must be at least {found[1]}, the number of audits, got {outputs}"
            )
        share = found[1] / outputs
    return AuditPlan(found[0], found[1], share)


def sample_size_for_comparison(
    difference: float,
    discordance: float,
    *,
    confidence_level: float = 0.95,
    power: float = 0.8,
    design_effect: float = 1.0,
) -> int:
    """Find how many items are needed to distinguish two models that run on the same items.

    Parameters
    ----------
    difference : float
        The difference between the two rates that should be detected, in (0, 1).
    discordance : float
        The share of items on which exactly one of the two models is right; at least `difference`.
    confidence_level : float, default=0.95
        The confidence level of the two-sided test, in (0, 1).
    power : float, default=0.8
        The probability with which the difference should be detected, in (0, 1).
    design_effect : float, default=1.0
        The factor by which groups increase the variance, at least 1.

    Returns
    -------
    int
        The number of items.

    Raises
    ------
    ValueError
        For numbers outside their ranges.

    See Also
    --------
    fastarac.compare_models : compare models on the same items or groups
    sample_size_for_interval : find how many items make an interval as narrow as desired

    Notes
    -----
    The number is ⌈((z_{α/2}·√d + z_power·√(d − Δ²))/Δ)²⌉ for discordance d and difference Δ, as for
    McNemar's test (Connor 1987, "Sample size for testing differences in proportions for the
    paired-sample design"). Here z_{α/2} and z_power are standard normal quantiles, and 1 − α is the
    confidence level. For a difference of areas, use ((z_{α/2} + z_power)·s/Δ)², where s is the standard
    deviation of the differences between the models' :func:`.influence_values` in a pilot. If its N
    items form G groups of dependent items, s is √(G/(G − 1)·Σd²/N), where d is the sum of the
    differences in a group.

    References
    ----------
    Connor 1987, "Sample size for testing differences in proportions for the paired-sample design".

    Examples
    --------
    >>> import fastarac as fa
    >>> fa.operation.sample_size_for_comparison(0.01, 0.05)
    3923
    """
    gap = inner_fraction(difference, "difference")
    share = fraction_of(discordance, "discordance")
    if share < gap:
        raise ValueError(f"discordance must be at least {gap:g} (the difference), got {share:g}")
    level = inner_fraction(confidence_level, "confidence_level")
    of_power = normal_quantile(2.0 * inner_fraction(power, "power") - 1.0)
    root = normal_quantile(level) * math.sqrt(share) + of_power * math.sqrt(share - gap**2)
    return math.ceil((root / gap) ** 2 * _design_effect(design_effect))


def sample_size_for_interval(
    correct: ArrayLike | ThresholdSweep,
    confidence: ArrayLike | None = None,
    *,
    statistic: str | Statistic,
    half_width: float,
    confidence_level: float = 0.95,
    groups: ArrayLike | None = None,
) -> int:
    """Find how many items make an interval as narrow as desired, from a pilot sample.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,), or a ThresholdSweep alone
        The pilot: whether each output was right, and its confidence.
    statistic : str or Statistic
        As for :func:`.asymptotic_interval`.
    half_width : float
        Half the width of the interval, above 0 and at most half of the statistic's range.
    confidence_level : float, default=0.95
        The confidence level of the interval, in (0, 1).
    groups : array_like of shape (n,), optional
        Labels of items that depend on each other. The result then accounts for this dependence.

    Returns
    -------
    int
        The number of items, (z·s/half_width)². Here z is the normal quantile for the confidence level,
        and s is the standard deviation of the influence values in the pilot.

    Raises
    ------
    ValueError, TypeError
        As :func:`.asymptotic_interval`.

    See Also
    --------
    sample_size_for_comparison : find how many items tell apart two models on the same items
    design_effect : find the factor by which groups raise the variance of the error rate

    References
    ----------
    Hampel 1974, "The influence curve and its role in robust estimation".

    Examples
    --------
    >>> import fastarac as fa
    >>> from fastarac.datasets import load_digits_ocr
    >>> pilot = load_digits_ocr()["knn-votes"]
    >>> fa.operation.sample_size_for_interval(*pilot, statistic="recognition_rate", half_width=0.005)
    3428
    """
    width = positive_scalar(half_width, "half_width", strict=True)
    low, high = as_statistic(statistic).range
    if width > (high - low) / 2.0:
        name = as_statistic(statistic).name
        message = (
            f"half_width must be at most {(high - low) / 2.0:g}, as {name} lies between {low:g} "
            f"and {high:g}, got {width!r}"
        )
        raise ValueError(message + of_percent(width))
    level = inner_fraction(confidence_level, "confidence_level")
    if not isinstance(correct, AcceptedCounts):
        confidence = require_confidence(confidence)
    found = asymptotic_interval(
        correct, confidence, statistic=statistic, groups=groups, method="wald", confidence_level=level
    )
    n = float(correct.total if isinstance(correct, AcceptedCounts) else len(np.asarray(correct)))
    return max(1, math.ceil(n * (normal_quantile(level) * found.standard_error / width) ** 2))


@takes_items_only("`groups` has a label for each item")
def design_effect(
    correct: ArrayLike, confidence: ArrayLike, *, groups: ArrayLike, threshold: float
) -> float:
    """Find the factor by which groups increase the variance of the error rate, from a pilot sample.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,)
        Whether each output was right (bool, or 0 and 1), and its confidence (real and finite).
    groups : array_like of shape (n,)
        Labels of items that depend on each other, such as the page of each item.
    threshold : float
        Outputs with this confidence or more are accepted.

    Returns
    -------
    float
        The variance with groups divided by the variance without groups, at least 1. If none or all of
        the outputs are accepted errors, both variances are 0. Then the result is the size of an item's
        group, averaged over all items.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`.

    See Also
    --------
    sample_size_for_interval : find how many items make an interval as narrow as desired
    sample_size_for_guarantee : find how many verified outputs a guaranteed limit needs

    References
    ----------
    Kish 1965, "Survey sampling".

    Examples
    --------
    >>> import fastarac as fa
    >>> fa.operation.design_effect([1, 1, 0, 0], [1, 1, 1, 1], groups=[0, 0, 1, 1], threshold=1)
    2.0
    """
    # Raises unless all labels are 0 or 1, and all confidences are finite.
    threshold_sweep(correct, confidence)
    items = read_items(correct, confidence)
    codes = read_outermost(groups, items.n, "design_effect")
    wrong = (items.confidence >= real_scalar(threshold, "threshold", finite=False)) & (
        items.correct == 0
    )
    rate = float(wrong.sum()) / items.n
    alone = items.n * rate * (1.0 - rate)
    if alone <= 0.0:
        return float(np.mean(np.bincount(codes)[codes]))
    residual = np.bincount(codes, wrong - rate)
    return max(1.0, float(residual @ residual) / alone)


def guarantee_power(
    n_items: ArrayLike,
    max_error_rate: float,
    expected_error_rate: float,
    *,
    failure_probability: float = 0.05,
    truth_reader: Reviewer | None = None,
) -> NDArray[np.float64]:
    """Compute the probability that a given number of verified outputs guarantees a limit.

    Parameters
    ----------
    n_items : array_like of int of shape (k,)
        Numbers of outputs, at least 1.
    max_error_rate : float
        The limit, in (0, 1).
    expected_error_rate : float
        The error rate of the outputs at the threshold, in [0, 1].
    failure_probability : float, default=0.05
        δ of the guarantee, in (0, 0.5].
    truth_reader : Reviewer, optional
        The people who will verify, if they overlook errors.

    Returns
    -------
    ndarray of shape (k,)
        The power of the exact test at each number.

    Raises
    ------
    ValueError
        For numbers outside their ranges.

    See Also
    --------
    sample_size_for_guarantee : find how many verified outputs a guaranteed limit needs
    audit_plan : find how many outputs to audit so that an error rate above the limit is detected

    Examples
    --------
    >>> import fastarac as fa
    >>> fa.operation.guarantee_power([298, 299, 1941], 0.01, 0.005).round(3)
    array([0.   , 0.223, 0.819])
    """
    limit = inner_fraction(max_error_rate, "max_error_rate")
    expected = fraction_of(expected_error_rate, "expected_error_rate")
    delta = failure_of(failure_probability)
    if informative(truth_reader) is not None and expected < limit:
        limit, expected, delta = rate_of_found(limit, expected, delta, truth_reader)
    counts = [whole_number(n, "n_items", 1) for n in np.atleast_1d(np.asarray(n_items)).tolist()]
    found = np.zeros(len(counts))
    allowed = -1
    for i in np.argsort(counts).tolist():
        n = counts[i]
        while allowed + 1 < n and binomial_cdf(allowed + 1, n, limit) <= delta:
            allowed += 1
        found[i] = binomial_cdf(allowed, n, expected) if allowed >= 0 else 0.0
    return found


def power_curve(
    max_error_rate: float, expected_error_rate: float, *, power: float, **options: Any
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return numbers of outputs, up to 1.5 times `SampleSizes.stable`, and the power at each."""
    sizes = sample_size_for_guarantee(max_error_rate, expected_error_rate, power=power, **options)
    numbers = np.unique(np.linspace(1, BEYOND * sizes.stable, POINTS).astype(np.int64))
    return numbers, guarantee_power(numbers, max_error_rate, expected_error_rate, **options)


def rate_of_found(
    limit: float, rate: float, delta: float, people: Reviewer | None
) -> tuple[float, float, float]:
    """Convert limit and rate to errors that people find; return both, and the remaining part of δ.

    Raises
    ------
    ValueError
        If people find too few errors, or if their detection rate is too uncertain, to distinguish the
        two rates.
    """
    people = informative(people)
    tested = limit_of_found(limit, delta, people)
    if people is None:
        return limit, rate, delta
    found, below = rate * people.detection_rate, rate < limit
    edge = tested.limit if below else tested.highest
    if (found < edge) != below or found == edge:
        raise ValueError(
            f"people may find as few as {percent(tested.least, 3)} of the errors, so no audit can tell "
            f"a rate of {percent(rate)} from {percent(limit)}; use a rate further away, or more "
            "double_readings"
        )
    return edge, found, tested.failure_probability


def _change(holds: Callable[[int], bool], least: int) -> int:
    """Find a change of `holds` from false to true by bisection, at or above `least`."""
    high, step = least, 1
    while not holds(high):
        high, step = high + step, 2 * step
    return bisected(holds, max(least - 1, high - step), high)


def _margin(c: int) -> int:
    """Return the maximum distance of the error count found by bisection from the exact one."""
    return FEWEST_TEETH + math.isqrt(c)


def _first_true(holds: Callable[[int], bool], least: int = 0) -> int:
    """Return the first number >= `least` at which `holds` is true; it must hold for all large ones."""
    about = _change(holds, least)
    return next(c for c in range(max(least, about - _margin(about)), about + 1) if holds(c))


def _last_false(holds: Callable[[int], bool], least: int) -> int:
    """Return the last number at which `holds` is false; `least` − 1 if it is true of all numbers."""
    about = _change(holds, least)
    return next((c for c in range(about + _margin(about), least - 1, -1) if not holds(c)), least - 1)


def _asked(limit: float, failure_probability: float, power: float) -> tuple[float, float, float]:
    """Check the arguments that all plans for a limit have in common."""
    return (
        inner_fraction(limit, "max_error_rate"),
        failure_of(failure_probability),
        inner_fraction(power, "power"),
    )


def _design_effect(value: float) -> float:
    effect = real_scalar(value, "design_effect")
    if effect < 1.0:
        raise ValueError(f"design_effect must be a number of at least 1, got {effect:g}")
    return effect
