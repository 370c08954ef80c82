"""Intervals from influence values: how far a statistic may be from what it is for all items."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from fastarac._core.exceptions import warn_undefined, warn_unreliable
from fastarac._core.inputs import choice, read_groups, real_scalar
from fastarac._core.quantiles import student_quantile
from fastarac.sweep import ThresholdSweep, as_sweep
from fastarac.uncertainty import influence
from fastarac.uncertainty.results import ConfidenceInterval
from fastarac.uncertainty.statistics import as_statistic

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from fastarac.uncertainty.statistics import Statistic

Transform = Literal["logit"]

FEW_ITEMS = 10
FEW_GROUPS = 20
FEW_CARRIERS = 5
NO_SPREAD = 1e-13  # standard errors below are 0, but for rounding


class AsymptoticInterval(NamedTuple):
    """A statistic and how far from it the value for all items may be."""

    estimate: float
    """The statistic itself."""
    confidence_interval: ConfidenceInterval
    """Low and high; within the range of the statistic."""
    standard_error: float
    """Of the estimate; 0 where no item moves it, NaN where one item alone cannot tell."""


class Estimate(NamedTuple):
    """A statistic with its standard error, and from how much it comes."""

    sweep: ThresholdSweep
    value: float
    standard_error: float
    carriers: float
    """How many items or groups the error comes from, see `influence.Spread`."""
    n: float
    """Independent items or groups; of weighted items as many of equal weight as say as much."""
    degrees: float
    """Of freedom of the standard error; infinite for items."""


def asymptotic_interval(
    correct: ArrayLike | ThresholdSweep,
    confidence: ArrayLike | None = None,
    statistic: str | Statistic = "arac_auc",
    *,
    confidence_level: float = 0.95,
    transform: Transform | None = None,
    groups: Any = None,
    sample_weight: ArrayLike | None = None,
) -> AsymptoticInterval:
    r"""Confidence interval of a statistic from its influence values.

    Parameters
    ----------
    correct : array_like of shape (n,) or ThresholdSweep
        Whether each output was right: bool, or 0 and 1. A sweep of unweighted items stands for both
        first arguments.
    confidence : array_like of shape (n,)
        Real and finite.
    statistic : str or Statistic, default="arac_auc"
        One that can be written as a smooth function of the counts; the error lists them.
    confidence_level : float, default=0.95
        Strictly between 0 and 1.
    transform : {None, "logit"}, default=None
        None: as far up as down, cut off at the ends of the statistic's range. "logit": the same on
        the scale of the log-odds within that range, which is better near its ends and never
        leaves it.
    groups : array_like of shape (n,), optional
        What the items belong to (documents, writers): items of a group may depend on each other,
        groups do not.
    sample_weight : array_like of shape (n,), optional
        Real, finite, at least 0, with a positive sum.

    Returns
    -------
    AsymptoticInterval

    Warns
    -----
    UnreliableIntervalWarning
        With fewer than 10 correct or fewer than 10 incorrect items (of a rate at a threshold: items
        that it counts, or does not count); with fewer than 20 groups; where the error comes from
        as few as 5 items or groups, by (Σψ²)²/Σψ⁴ of the influence values ψ; and where there is no
        spread.
    UndefinedMetricWarning
        Where the statistic is undefined; all is NaN then.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`; also for a statistic without influence values, for a sweep of
        weighted items, whose single weights are lost, and for "logit" where the range is infinite.

    Notes
    -----
    The squared standard error is the sample variance of the :func:`.influence_values`, over n: for
    ``"roc_auc"`` the variance of DeLong et al. 1988; with weights the sandwich estimate; with G
    groups G/(G − 1) times the sum of squares of what each adds. The interval takes the quantile of
    the normal distribution, with groups that of Student's t with G − 1 degrees of freedom.

    Where all items say the same (none is incorrect, or the two classes are separated), the standard
    error is 0, which is no certainty. The interval is then what could have gone unseen: items of a
    kind whose share is u are missed by all n with the probability (1 − u)ⁿ, which is α/2 for
    u = 1 − (α/2)^(1/n), α = 1 − `confidence_level`. That share of correct or of incorrect items is
    added above or below all others, in whole items, and the interval spans all four values. With n
    correct items it is that of Clopper and Pearson for ``"recognition_rate"``, but for the whole
    items.

    Examples
    --------
    >>> import fastarac as fa
    >>> from fastarac.datasets import load_digits_ocr
    >>> correct, confidence = load_digits_ocr()["knn-votes"]
    >>> interval = fa.asymptotic_interval(correct, confidence, "roc_auc")
    >>> print(f"{interval.estimate:.4f} ± {interval.standard_error:.4f}")
    0.9562 ± 0.0100
    """
    statistic = as_statistic(statistic)
    level = level_of(confidence_level)
    if transform is not None:
        choice(transform, "transform", ("logit",))
        if not all(map(math.isfinite, statistic.range)):
            message = (
                f"transform is 'logit', and the range {statistic.range} of {statistic.name!r} is not "
                "finite; None is expected"
            )
            raise ValueError(message)
    estimate = _estimate(correct, confidence, statistic, groups, sample_weight)
    if math.isnan(estimate.value):
        warn_undefined(statistic.name, "so is its interval")
        nothing = ConfidenceInterval(math.nan, math.nan)
        return AsymptoticInterval(math.nan, nothing, math.nan)
    doubt = doubts(estimate, statistic, groups=groups is not None)
    if doubt:
        warn_unreliable(doubt)
    return AsymptoticInterval(
        estimate.value, interval_of(estimate, statistic, level, transform), estimate.standard_error
    )


def level_of(confidence_level: Any) -> float:
    """Return `confidence_level` as a float, and raise unless it is strictly between 0 and 1."""
    level = real_scalar(confidence_level, "confidence_level")
    if not 0.0 < level < 1.0:
        message = (
            f"confidence_level is {confidence_level!r}; a number strictly between 0 and 1 is expected"
        )
        raise ValueError(message)
    return level


def _estimate(
    correct: ArrayLike | ThresholdSweep,
    confidence: ArrayLike | None,
    statistic: Statistic,
    groups: Any,
    sample_weight: ArrayLike | None,
) -> Estimate:
    if isinstance(correct, ThresholdSweep) or (groups is None and sample_weight is None):
        if groups is not None:
            message = (
                "groups is given beside a ThresholdSweep, which has no items; (correct, confidence) is "
                "expected"
            )
            raise TypeError(message)
        sweep = as_sweep(correct, confidence, sample_weight)
        if sweep.true_accepts.dtype != np.int64:
            message = (
                "correct is a ThresholdSweep of weighted items, whose single weights are lost; "
                "(correct, confidence, sample_weight) is expected"
            )
            raise ValueError(message)
        spread = influence.sweep_spread(sweep, statistic)
        return Estimate(sweep, statistic(sweep), *spread, float(sweep.total), math.inf)
    items = influence.item_influence(correct, confidence, statistic, sample_weight)
    codes = None if groups is None else read_groups(groups, len(items.values))[1]
    return estimate_of(items, statistic, codes)


def estimate_of(
    items: influence.ItemInfluence, statistic: Statistic, codes: NDArray[Any] | None
) -> Estimate:
    """The estimate from single items, or from groups of them, numbered from 0."""
    value = statistic(items.sweep)
    moves = moves_of(items, statistic, codes)
    spread = influence.spread_of(moves)
    if codes is None:
        return Estimate(items.sweep, value, *spread, items.n, math.inf)
    return Estimate(items.sweep, value, *spread, float(len(moves)), len(moves) - 1.0)


def moves_of(
    items: influence.ItemInfluence, statistic: Statistic, codes: NDArray[Any] | None
) -> NDArray[np.float64]:
    """What each item, or group, does to the estimate; the root of the sum of squares is its error.

    Groups without any weight are as if absent; a single group says nothing, which is NaN.
    """
    if codes is None:
        return items.corrected(statistic)
    sums = np.bincount(codes, items.values / float(items.sweep.total)).astype(np.float64)
    if items.weight is not None:
        sums = sums[np.bincount(codes, items.weight) > 0]
    n = len(sums)
    return sums * (math.sqrt(n / (n - 1)) if n > 1 else math.nan)


UNSEEN = "the interval is what could have gone unseen"


def doubts(
    estimate: Estimate,
    statistic: Statistic | None,
    *,
    groups: bool,
    name: str | None = None,
    without_spread: str = UNSEEN,
) -> str | None:
    """Say why an interval is not to be relied on, or return None.

    It is that of a statistic, or of something else that has a name; `without_spread` says what the
    interval is where the items leave no spread.
    """
    name = name or (statistic.name if statistic is not None else "it")
    if not estimate.standard_error > NO_SPREAD:
        return f"the items leave no spread to estimate the error of {name} from; {without_spread}"
    if groups and estimate.n < FEW_GROUPS:
        return f"there are {estimate.n:g} groups; intervals can be relied on from {FEW_GROUPS} on"
    kind, weight = influence.smaller_part(estimate.sweep, statistic)
    if not groups:
        weight *= estimate.n / float(estimate.sweep.total)
    if weight < FEW_ITEMS:
        return (
            f"there are {weight:.3g} {kind}; the interval of {name} can be relied on from "
            f"{FEW_ITEMS} on"
        )
    if estimate.carriers < FEW_CARRIERS:
        return (
            f"the error of {name} is estimated from as few as {estimate.carriers:.2g} "
            f"{'groups' if groups else 'items'}; its interval can be relied on from {FEW_CARRIERS} on"
        )
    return None


def interval_of(
    estimate: Estimate, statistic: Statistic, level: float, transform: Transform | None
) -> ConfidenceInterval:
    """The interval around the estimate, within the range of the statistic."""
    if math.isnan(estimate.value):
        return ConfidenceInterval(math.nan, math.nan)
    low, high = statistic.range
    if not estimate.standard_error > NO_SPREAD:
        return _unseen(estimate, statistic, level)
    reach = student_quantile(level, estimate.degrees) * estimate.standard_error
    if transform is None:
        ends = estimate.value - reach, estimate.value + reach
        return ConfidenceInterval(*(min(max(end, low), high) for end in ends))
    width = high - low
    above, below = (estimate.value - low) / width, (high - estimate.value) / width
    if not (above > 0.0 and below > 0.0):  # at an end of the range there are no odds
        return _unseen(estimate, statistic, level)
    odds = math.log(above / below)
    reach /= width * above * below
    return ConfidenceInterval(low + width * _expit(odds - reach), low + width * _expit(odds + reach))


def _expit(x: float) -> float:
    if x < 0.0:
        odds = math.exp(x)
        return odds / (1.0 + odds)
    return 1.0 / (1.0 + math.exp(-x))


def _unseen(estimate: Estimate, statistic: Statistic, level: float) -> ConfidenceInterval:
    values = unseen_values(estimate, statistic, level)
    return ConfidenceInterval(min(values), max(values))


def unseen_values(estimate: Estimate, statistic: Statistic, level: float) -> list[float]:
    """The statistic as it is, and as it would be if a kind of items had not been seen."""
    sweep = estimate.sweep
    # (1 − u)ⁿ = α/2, as the weight to add: Ω·u/(1 − u)
    weight = float(sweep.total) * math.expm1(-math.log((1.0 - level) / 2.0) / estimate.n)
    if sweep.true_accepts.dtype == np.int64:
        weight = math.ceil(weight)
    ends = np.finfo(np.float64)
    kinds = [
        ThresholdSweep.from_counts([place], [weight * right], [weight * (1 - right)])
        for place in (float(ends.max), float(ends.min))
        for right in (1, 0)
    ]
    low, high = statistic.range
    values = [estimate.value, *(statistic(sweep + kind) for kind in kinds)]
    return [min(max(value, low), high) for value in values if not math.isnan(value)]
