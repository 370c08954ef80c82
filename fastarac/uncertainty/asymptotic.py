"""Confidence intervals of a statistic, computed from the sample itself without resampling."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial, singledispatch
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from fastarac._core.checks import choice, inner_fraction
from fastarac._core.exceptions import FEW_GROUPS, few_groups_of, warn_undefined, warn_unreliable
from fastarac._core.interval import Interval
from fastarac._engine.counts import AcceptedCounts
from fastarac._engine.factors import read_factors
from fastarac.samples.door import as_sweep, require_confidence, simplified, split_grades
from fastarac.samples.estimated import require_alone
from fastarac.samples.partial import PartialTruth
from fastarac.uncertainty import (
    estimated,
    influence,
    inversion,
    losses,
    partial_roc_interval,
    unseen_groups,
)
from fastarac.uncertainty.clusters import groups_present, interval_of_factors
from fastarac.uncertainty.estimated_samples import PartialSample
from fastarac.uncertainty.estimates import NO_SPREAD, Estimate, interval_of, with_room, within
from fastarac.uncertainty.inversion import ItemSample
from fastarac.uncertainty.leave_one_out_cost import left_out_cost
from fastarac.uncertainty.statistics import DEFINITIONS, as_statistic
from fastarac.uncertainty.zero_error_margin import with_unseen

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from fastarac.sweep import ThresholdSweep
    from fastarac.uncertainty.statistics import Definition, Statistic

Method = Literal["auto", "wald", "logit", "gamma", "inversion", "gaps"]
METHODS = ("auto", "wald", "logit", "gamma", "inversion", "gaps")

FEW_ITEMS = 10
FEW_CONTRIBUTORS = 5
# Minimum number of errors inside the part of a partial ROC-AUC, with groups; fewer give a warning.
FEW_IN_PART_OF_GROUPS = 16
# Minimum number of items in the rarer class to estimate how much groups differ.
FEWEST_ITEMS = 3
FEW_HEAVY = 6  # with fewer heavy items in the rarer class, a warning is raised
HEAVY_SHARE = 0.1  # heavy items with less than this share of the weight do not matter
# With fewer effective errors, the gamma interval is used.
FEW_ERRORS = 6.0
# Minimum number of degrees of freedom with groups. Fewer would penalize a dominant group twice, because
# it already enlarges the standard error.
FEWEST_DEGREES = 2.0


def asymptotic_interval(
    correct: ArrayLike | ThresholdSweep,
    confidence: ArrayLike | None = None,
    *,
    statistic: str | Statistic = "arac_auc",
    confidence_level: float = 0.95,
    method: Method = "auto",
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    graded: bool = False,
    unseen_pages: bool = False,
) -> Interval:
    """Confidence interval of a statistic, without resampling.

    Parameters
    ----------
    correct, confidence : array_like of shape (n,), or a ThresholdSweep of unweighted items alone
        Whether each output was right (bool, or 0 and 1), and its confidence (real and finite).
    statistic : str or Statistic, default="arac_auc"
        A statistic with influence values, or an acceptance rate at a limit. The message for any other
        statistic lists all that are supported.
    confidence_level : float, default=0.95
        Between 0 and 1.
    method : {"auto", "wald", "logit", "gamma", "inversion", "gaps"}, default="auto"
        "auto" uses "inversion" for shares and acceptance rates, and "logit" for other statistics. If
        there are few errors, "auto" uses "gamma" for ARAC-AUC, AUGRC, ARP-AUC, AURC, average precision
        and PR-AUC, and "gaps" for partial ROC-AUC. The result's `method` names the method used.
    groups : array_like of shape (n,), or tuple of them, optional
        Label of each item's group, such as a page or document. Items of a group may depend on each
        other. Give a tuple of arrays for several columns, which may be nested (batch, document) or
        crossed (writer, form).
    sample_weight : array_like of shape (n,), optional
        Sampling weights, not counts: real, finite, at least 0, with a positive sum. Their scale does
        not matter.
    graded : bool, default=False
        Whether `correct` holds grades in [0, 1] (:func:`.threshold_sweep`).
    unseen_pages : bool, default=False
        Widen the interval, because the sample may lack groups in which all items are wrong. Needs
        `groups`.

    Examples
    --------
    >>> import fastarac as fa
    >>> from fastarac.datasets import load_digits_ocr
    >>> correct, confidence = load_digits_ocr()["knn-votes"]
    >>> fa.asymptotic_interval(correct, confidence, statistic="roc_auc")
    Interval(0.956213 [0.929611, 0.973052], 95%, logit)

    Returns
    -------
    Interval
        The ends are within the range of the statistic.

    Raises
    ------
    ValueError, TypeError
        As :func:`.threshold_sweep`; also if the method does not support the statistic, and for a sweep
        of weighted items, because it does not hold the weight of each item.

    Warns
    -----
    UnreliableIntervalWarning
        With fewer than 5 groups, or fewer than 10 in each of several columns. "wald" needs 20 groups.
        "wald" also warns if one class, correct or incorrect, has items in fewer than 10 groups, has
        an effective number of items below 10, or has few items of large weight.
    UndefinedMetricWarning
        If the statistic is undefined.

    See Also
    --------
    bootstrap : interval and standard error of a statistic, from resamples of the items
    influence_values : influence of each item on a statistic
    compare_models : compare models on the same items or groups
    Statistic : A number that is read off a threshold sweep, by name and with its parameters

    Notes
    -----
    - "wald": estimate ± normal quantile × standard error. The error is computed from the
      :func:`.influence_values`. For ``"roc_auc"`` it is the error of DeLong et al. 1988.
    - "logit": like "wald", but on the log-odds within the statistic's range, with Student's quantile.
    - "gamma": the loss is modelled as a weighted sum of Poisson counts. One unseen error is added for
      the upper end of the loss.
    - "inversion": Clopper and Pearson's interval for rates. For an acceptance rate at a limit, the
      interval contains the acceptance rates of all thresholds that a binomial test does not reject.
    - "gaps": for partial ROC-AUC with few errors. The shares of the population between neighbouring
      errors are drawn at random.

    "logit" intervals, and "inversion" intervals with groups or weights, are widened for errors that the
    sample may lack, such as a group of wrong items, or a wrong item of large weight. If a share u = 1 −
    α^(1/G) of all groups is of one kind (7% for G = 40), a sample of G groups lacks this kind with
    probability α. Therefore, `unseen_pages` adds a share u of wrong items at the highest or the lowest
    confidences. The new half-width is √(h² + c²), where h is the old half-width and c the change of the
    estimate. "Formulas of intervals, tests and guarantees" in the documentation has every formula.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson 1988, "Comparing the areas under two or more correlated receiver
    operating characteristic curves"; Fay and Feuer 1997 (gamma); Woodruff 1952 (inversion).
    """
    statistic = as_statistic(statistic)
    level = inner_fraction(confidence_level, "confidence_level")
    choice(method, "method", METHODS)
    check_method(statistic, method)
    if unseen_pages and groups is None:
        raise TypeError("unseen_pages needs groups: give the label of each item's group")
    return intervals_by(
        correct, confidence, sample_weight, groups, graded=graded, unseen_pages=unseen_pages
    )(statistic, level, method)


def intervals_by(
    correct: Any,
    confidence: Any,
    sample_weight: Any = None,
    groups: Any = None,
    *,
    graded: bool = False,
    unseen_pages: bool = False,
) -> Callable[..., Interval]:
    """Read the items once; return a function (statistic, level, method) that computes intervals."""
    options = graded, unseen_pages
    interval_by = _intervals_of(simplified(correct), confidence, sample_weight, groups, *options)

    def interval(statistic: Statistic, level: float, method: str = "auto") -> Interval:
        found, warning = interval_by(statistic, level, method)
        if math.isnan(found.estimate):
            warn_undefined(statistic.name, "so is its interval")
        elif warning:
            warn_unreliable(warning)
        return found

    return interval


@singledispatch
def _intervals_of(
    correct: Any, confidence: Any, sample_weight: Any, groups: Any, graded: bool, unseen_pages: bool
) -> Callable[[Statistic, float, str], tuple[Interval, str | None]]:
    """Read the items; return a function that computes intervals and warnings (or None) for them."""
    if graded:
        correct, confidence, sample_weight, groups = split_grades(
            correct, confidence, sample_weight, groups
        )
    sample, factors = sample_of(correct, confidence, groups, sample_weight)
    by = with_unseen_pages if unseen_pages else interval_and_warning
    return partial(by, sample, factors=factors)


@_intervals_of.register(PartialTruth)
def _intervals_in_part(
    truth: PartialTruth,
    confidence: Any,
    sample_weight: Any,
    groups: Any,
    graded: bool,
    unseen_pages: bool,
) -> Callable[[Statistic, float, str], tuple[Interval, str | None]]:
    require_alone(sample_weight=sample_weight, graded=graded or None, unseen_pages=unseen_pages or None)
    part = PartialSample.of(truth, require_confidence(confidence), groups)
    return partial(estimated.interval_and_warning, part)


def check_method(statistic: Statistic, method: str) -> None:
    """Raise unless the method supports the statistic."""
    if method not in statistic.definition.methods:
        taken = [name for name, one in DEFINITIONS.items() if method in one.methods]
        reason = ""
        if method in ("auto", "wald", "logit"):
            reason = ", because it has no influence values"
        raise ValueError(
            f"statistic {statistic.name!r} cannot go with method={method!r}{reason}: use "
            f"bootstrap, or one of {', '.join(taken)}"
        )


def sample_of(
    correct: ArrayLike | ThresholdSweep,
    confidence: ArrayLike | None,
    groups: Any,
    sample_weight: ArrayLike | None,
) -> tuple[ItemSample, tuple[NDArray[Any], ...]]:
    """Return one model's items, and their group numbers for each column of group labels."""
    if isinstance(correct, AcceptedCounts) or (groups is None and sample_weight is None):
        if groups is not None:
            raise TypeError(
                "groups needs single items, which a ThresholdSweep lacks: give (correct, confidence)"
            )
        sweep = as_sweep(correct, confidence, sample_weight)
        if sweep.true_accepts.dtype != np.int64:
            raise ValueError(
                "correct is a ThresholdSweep of weighted items, which does not hold the weight of "
                "each item: give (correct, confidence, sample_weight)"
            )
        return ItemSample(sweep, None, None), ()
    items = influence.items_of(correct, confidence, sample_weight)
    factors = () if groups is None else read_factors(groups, len(items.point))
    return ItemSample(items.sweep, items, factors[0] if factors else None), factors


def interval_and_warning(
    sample: ItemSample,
    statistic: Statistic,
    level: float,
    method: str,
    factors: Sequence[NDArray[Any]] = (),
) -> tuple[Interval, str | None]:
    """Return the interval, widened by all crossed `factors`, and a warning (or None)."""
    if len(factors) > 1:
        found, warning = interval_of_factors(
            sample, factors, statistic, lambda one: interval_and_warning(one, statistic, level, method)
        )
        said = (few_groups(sample._replace(codes=codes), FEW_CROSSED) for codes in factors)
        return found, warning or next(filter(None, said), None)
    auto, value = method == "auto", statistic(sample.sweep)
    if auto and "inversion" in statistic.definition.methods:
        method = "inversion"
    estimate = estimate_of(sample, statistic) if statistic.definition.is_smooth else None
    error = estimate.standard_error if estimate else math.nan
    if math.isnan(value):
        return Interval(value, math.nan, math.nan, math.nan, level, method), None
    few = few_groups(sample)
    if method == "inversion":
        if statistic.definition.has_limit:
            ends = inversion.limit(sample, statistic, value, level)
        else:
            ends = inversion.rate(sample, statistic, level)
        found = Interval(value, min(ends[0], value), max(ends[1], value), error, level, method)
        # Independent unweighted items have binomial intervals, which already allow for unseen errors.
        if not sample.counted:
            found = with_unseen(found, sample, statistic)
        return found, few
    if auto or method == "gamma":
        method, ends_by_losses = "logit", None
        if not (math.isnan(error) and sample.codes is not None):
            ends_by_losses = _ends_by_losses(sample, statistic, value, level, always=not auto)
        if ends_by_losses is not None:
            return Interval(value, *ends_by_losses, error, level, "gamma"), few
    if "gaps" in statistic.definition.methods and (auto or method == "gaps"):
        classes = partial_roc_interval.classes_of(
            sample, statistic, heavy=heavy_items(sample) < FEW_HEAVY
        )
        if not auto or partial_roc_interval.has_few_inside(classes):
            ends = partial_roc_interval.part_interval(sample.sweep, classes, statistic, value, level)
            return Interval(value, *ends, error, level, "gaps"), few
    if estimate is None:
        raise AssertionError(statistic)
    found = interval_of(estimate, statistic, level, method)
    if method == "wald":
        return found, reliability_warning(estimate, statistic)
    if statistic.name == "cost" and found.method == "logit":
        found = _with_left_out_cost(found, estimate, sample, statistic)
    found = with_unseen(found, sample, statistic)
    if (
        sample.codes is not None
        and statistic.definition.of_one_class
        and _of_rarer(sample) < FEWEST_ITEMS
    ):
        alone = interval_and_warning(sample._replace(codes=None), statistic, level, method)[0]
        found = replace(found, low=min(found.low, alone.low), high=max(found.high, alone.high))
    return found, few


def with_unseen_pages(
    sample: ItemSample,
    statistic: Statistic,
    level: float,
    method: str,
    factors: Sequence[NDArray[Any]] = (),
) -> tuple[Interval, str | None]:
    """Return the interval widened for unseen wrong groups of the coarsest factor, and a warning."""
    found, warning = interval_and_warning(sample, statistic, level, method, factors)
    if sample.items is None or sample.codes is None or math.isnan(found.estimate):
        return found, warning
    room = unseen_groups.room(
        sample.sweep, statistic, groups_present(sample.items, sample.codes), level
    )
    return with_room(found, statistic, room), warning


def _with_left_out_cost(
    found: Interval, estimate: Estimate, sample: ItemSample, statistic: Statistic
) -> Interval:
    """Raise the upper end at least to that of the interval around (cost + leave-one-out cost)/2."""
    n = float(sample.sweep.total) if sample.items is None else sample.items.n
    value = (estimate.value + left_out_cost(sample.sweep, statistic, n)) / 2.0
    higher = interval_of(estimate._replace(value=value), statistic, found.confidence_level, "logit")
    return replace(found, high=max(found.high, higher.high))


def _ends_by_losses(
    sample: ItemSample, statistic: Statistic, value: float, level: float, *, always: bool
) -> tuple[float, float] | None:
    """Return the ends of the gamma interval if errors are few or `always` is true; else None."""
    moments = losses.moments_of(sample.sweep, statistic, value, sample.items, sample.codes)
    if moments is None:
        return None
    if not (always or moments.errors < FEW_ERRORS or heavy_items(sample) < FEW_HEAVY):
        return None
    low, high = moments.interval(level)
    if not statistic.definition.lower_is_better:
        low, high = 1.0 - high, 1.0 - low
    return within(statistic, min(low, value), max(high, value))


def estimate_of(
    sample: ItemSample, statistic: Statistic, contributions: NDArray[np.float64] | None = None
) -> Estimate:
    """Return the statistic with its standard error, computed from `contributions` if given."""
    sweep, items, codes = sample
    value = statistic(sweep)
    if items is None:
        spread = influence.sweep_spread(sweep, statistic)
        n = float(sweep.total)
    else:
        if contributions is None:
            contributions = error_contributions(items, codes, statistic)
        spread = influence.spread_of(contributions)
        n = float(len(contributions)) if codes is not None else items.n
    degrees = degrees_of(sample, statistic.definition, spread.effective_contributors, n)
    n_items = n if items is None else items.n
    several = math.inf
    if items is not None and codes is not None:
        n_items /= design_effect(spread.standard_error, error_of_items(items, statistic))
        several = groups_of_class(items.is_correct, codes, items.weight)
    return Estimate(
        sweep, value, *spread, n, degrees, n_items, codes is not None, heavy_items(sample), several
    )


def degrees_of(sample: ItemSample, definition: Definition, contributors: float, n: float) -> float:
    """Return the degrees of freedom of a standard error."""
    sweep, items, codes = sample
    if codes is not None:
        return min(n - 1.0, max(contributors - ("gaps" in definition.methods), FEWEST_DEGREES))
    degrees = satterthwaite(contributors, n)
    if definition.few_errors_decide:
        degrees = contributors - 1.0
    if definition.of_one_class:
        of_classes = float(sweep.n_correct), float(sweep.n_incorrect)
        if items is not None:
            of_classes = items.of_class(correct=True), items.of_class(correct=False)
        degrees = min(degrees, *(n - 1.0 for n in of_classes))
    return degrees


def satterthwaite(contributors: float, n: float) -> float:
    """Return Satterthwaite's degrees of freedom for n items or groups, from their effective number."""
    return 2.0 * contributors / (1.0 - contributors / n) if contributors < n else math.inf


def design_effect(of_groups: float, of_items: float) -> float:
    """Return the design effect, at least 1: the variance with groups divided by the one without."""
    return max(1.0, (of_groups / of_items) ** 2) if of_items > 0.0 else 1.0


def groups_of_class(
    right: NDArray[np.bool_], codes: NDArray[Any], weight: NDArray[np.float64] | None
) -> float:
    """Count the groups with correct items, and those with incorrect items; return the smaller count."""
    present = np.ones(len(right), np.bool_) if weight is None else weight > 0.0
    return float(min(len(np.unique(codes[present & of])) for of in (right, ~right)))


def error_of_items(items: influence.PlacedItems, statistic: Statistic) -> float:
    """Return the standard error for independent items, ignoring groups."""
    if items.weight is None:
        return influence.standard_error(items.sweep, statistic)
    return influence.spread_of(items.error_contributions(statistic)).standard_error


def error_contributions(
    items: influence.PlacedItems, codes: NDArray[Any] | None, statistic: Statistic
) -> NDArray[np.float64]:
    """Return the contribution of each item or group to the error of the estimate."""
    if codes is None:
        return items.error_contributions(statistic)
    return items.contributions_of_groups(statistic, codes)


def heavy_items(sample: ItemSample) -> float:
    """Count the items of the rarer class that have at least half the largest weight.

    If they are few, another sample might contain none. Return infinity if this cannot matter: without
    weights, with equal weights within each class, or if all heavy items together have little weight.
    """
    if sample.items is None or sample.items.weight is None:
        return math.inf
    weight, right = sample.items.weight, sample.items.is_correct
    present = weight > 0.0
    of_classes = [weight[present & members] for members in (right, ~right)]
    if all(len(of_class) == 0 or np.ptp(of_class) == 0.0 for of_class in of_classes):
        return math.inf
    heavy = weight >= 0.5 * weight.max()
    if weight[heavy].sum() < HEAVY_SHARE * weight.sum():
        return math.inf
    wrong = int(np.count_nonzero(~right[heavy]))
    return float(min(wrong, int(np.count_nonzero(heavy)) - wrong))


ROUNDING = 1e-9  # relative rounding error allowed in a computed number of items
UNSEEN = "the interval only allows for items that the sample may lack"
# With fewer groups, a warning is raised even if the interval is widened for unseen groups.
FEW_GROUPS_WITH_ROOM = 5
# Minimum number of groups in each column, if there are several group columns. Simulations did not cover
# fewer groups.
FEW_CROSSED = 10


def few_groups(sample: ItemSample, fewest: int = FEW_GROUPS_WITH_ROOM) -> str | None:
    """Return a warning if there are too few groups, else None."""
    if sample.codes is None or sample.items is None:
        return None
    present = slice(None) if sample.items.weight is None else sample.items.weight > 0
    n = len(np.unique(sample.codes[present]))
    return few_groups_of(n, fewest=fewest) if n < fewest else None


def reliability_warning(
    estimate: Estimate,
    statistic: Statistic | None,
    *,
    name: str | None = None,
    without_spread: str = UNSEEN,
    fewest_groups: int = FEW_GROUPS,
) -> str | None:
    """Return a warning if an interval from a standard error is unreliable, else None.

    `without_spread` describes the interval that is returned if the standard error is 0.
    """
    name = name or (statistic.name if statistic is not None else "it")
    if estimate.grouped and estimate.n == 1:
        return f"{few_groups_of(1)}: {without_spread}"
    if math.isnan(estimate.standard_error):
        return f"{only_one(estimate.sweep, name)}; {without_spread}"
    if not estimate.standard_error > NO_SPREAD:
        return f"the error of {name} is unknown, because the estimated variance is 0; {without_spread}"
    if estimate.grouped and estimate.n < fewest_groups:
        return few_groups_of(estimate.n, fewest=fewest_groups)
    kind, weight = influence.smaller_part(estimate.sweep, statistic)
    if estimate.heavy < FEW_HEAVY:
        return (
            f"the rarer class has only {estimate.heavy:g} items of large weight; the interval of "
            f"{name} is unreliable with fewer than {FEW_HEAVY}"
        )
    effective = weight * (estimate.items / float(estimate.sweep.total))
    few = FEW_ITEMS
    if estimate.grouped:
        kind = f"independent {kind}"
        if statistic is not None and "gaps" in statistic.definition.methods:
            few = FEW_IN_PART_OF_GROUPS
    if effective < few:
        found = math.floor(effective + ROUNDING) if effective >= 1.0 else float(f"{effective:.2g}")
        there = f"is 1 {kind.replace('items', 'item')}" if found == 1 else f"are {found} {kind}"
        return f"there {there}; the interval of {name} is unreliable with fewer than {few}"
    if estimate.groups_of_class < FEW_ITEMS:
        return (
            f"only {estimate.groups_of_class:g} groups have items of the rarer class; the interval of "
            f"{name} is unreliable with fewer than {FEW_ITEMS}"
        )
    # With groups, Student's quantile already allows for few contributors.
    if estimate.effective_contributors < FEW_CONTRIBUTORS and not (
        estimate.grouped and math.isfinite(estimate.degrees)
    ):
        return (
            f"the error of {name} is estimated from effectively {estimate.effective_contributors:.2g} "
            f"{'groups' if estimate.grouped else 'items'}; its interval is unreliable with fewer than "
            f"{FEW_CONTRIBUTORS}"
        )
    return None


def only_one(sweep: ThresholdSweep, name: str) -> str:
    """Return the warning that a class, or the whole sample, has one item and therefore no variance."""
    kind = "item of one class"
    if sweep.true_accepts.dtype == np.int64:
        kind = influence.smaller_part(sweep, None)[0].removesuffix("s") if sweep.total > 1 else "item"
    return f"there is only one {kind}, so the variance of {name} cannot be estimated"


def _of_rarer(sample: ItemSample) -> float:
    """Count the items of the rarer class."""
    kind, found = influence.smaller_part(sample.sweep, None)
    if sample.items is not None and sample.items.weight is not None:
        right = sample.items.is_correct[sample.items.weight > 0.0]
        found = float(np.count_nonzero(right == (kind == "correct items")))
    return found
