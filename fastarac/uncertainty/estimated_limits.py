"""The largest acceptance rate that keeps a limit, if only some items are verified."""

from __future__ import annotations

import math
from bisect import bisect_left
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac._core.bisection import change_of
from fastarac._core.interval import Interval
from fastarac._core.quantiles import normal_quantile, student_quantile
from fastarac._core.special import binomial_cdf, binomial_interval
from fastarac.operating_points.limits import most_accepted
from fastarac.operating_points.points import acceptance_at_error_rate
from fastarac.uncertainty import inversion
from fastarac.uncertainty.estimated_samples import counts_for

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from fastarac.samples.estimated import EstimatedSweep
    from fastarac.uncertainty.estimated_samples import Evidence, PartialSample
    from fastarac.uncertainty.statistics import Statistic

    FloatArray = NDArray[np.float64]


class LimitEstimates(NamedTuple):
    """The estimates at the threshold of a limit."""

    rate: Evidence
    """The error rate at this threshold."""
    last: int
    """Index of the last tie accepted."""
    sweep: EstimatedSweep
    """The counts that choose this threshold."""
    value: float
    """The acceptance rate at the limit."""


def at_limit(sample: PartialSample, statistic: Statistic, *, spread: bool = True) -> LimitEstimates:
    """Return the estimates at the threshold that the statistic's limit chooses."""
    if sample.latest_limit is None or sample.latest_limit[0] != statistic:
        sample.latest_limit = statistic, _chosen(sample, statistic)
    choice = sample.latest_limit[1]
    rate = type(statistic)("error_rate", threshold=sample.items.thresholds[choice[0] + 1])
    return LimitEstimates(sample.evidence(rate, spread=spread), *choice)


def _chosen(sample: PartialSample, statistic: Statistic) -> tuple[int, EstimatedSweep, float]:
    """Return the fields `last`, `sweep` and `value` of `LimitEstimates`."""

    def acceptance(sweep: EstimatedSweep) -> float:
        return float(statistic(counts_for(statistic, sweep)))

    sweep, last = sample.items.at_limit(acceptance)
    return last, sweep, acceptance(sweep)


def interval_of_limit(
    sample: PartialSample,
    statistic: Statistic,
    level: float,
    of_rate: Callable[[Statistic], Interval] | None = None,
) -> tuple[Interval, Evidence]:
    """Return the interval of the acceptance rate at a limit, and the estimated error rate there.

    If people or judges who may err verified the items, `of_rate` returns the interval of a rate at a
    threshold.
    """
    parameters = dict(statistic.parameters)
    found, last, _, value = at_limit(sample, statistic)
    ends: tuple[float, float]
    if of_rate is not None:
        ends = _by_rates(sample, statistic, of_rate)
    else:
        n, by = _as_many(sample, found, last, level), _by_risk
        if statistic.name == "acceptance_at_error_rate":
            n, by = min(n, _as_few(sample, found, last)), _by_error_rate
        ends = by(sample, found, parameters, n, level)
    most = most_accepted(found.sweep.rising, parameters.get("never_accepted"))

    def accepted(point: int) -> float:
        return float(sample.items.starts[point]) / sample.items.n

    low, high = inversion.both(
        value,
        ends,
        most,
        lambda accepted: _of_threshold(sample, accepted, level),
        None if parameters.get("interpolate", False) else (accepted, len(sample.items.starts)),
    )
    return Interval(value, low, high, math.nan, level, "inversion"), found


def _by_rates(
    sample: PartialSample, statistic: Statistic, of_rate: Callable[[Statistic], Interval]
) -> tuple[float, float]:
    """Return the interval of the acceptance rate at the limit, from intervals of the limited rate."""
    items, required = sample.items, str(statistic.definition.required)
    name, limit = required.removeprefix("max_"), dict(statistic.parameters)[required]

    def largest(end: str) -> float:
        def beyond(tie: int) -> bool:
            rate = type(statistic)(name, threshold=items.thresholds[tie + 1])
            return bool(getattr(of_rate(rate), end) > limit)

        within = bisect_left(range(len(items.starts) - 1), 1, key=beyond)
        return float(items.starts[within]) / items.n

    return largest("high"), largest("low")


def _of_threshold(sample: PartialSample, accepted: float, level: float) -> tuple[float, float]:
    """Return the interval for the acceptance rate at a fixed threshold, from the confidences alone."""
    items, whole = sample.items, float(sample.items.n)
    if items.codes is not None:
        first = items.codes[: round(accepted * whole)]
        sizes = np.bincount(items.codes).astype(np.float64)
        parts = np.bincount(first, minlength=len(sizes)).astype(np.float64)
        whole = inversion.share_of_units(parts, sizes, whole, level, grouped=True).whole
    return binomial_interval(accepted * whole, whole, level)


def _as_many(sample: PartialSample, found: Evidence, last: int, level: float) -> float:
    """Return how many fully verified items would give an equally precise error rate."""
    items, total = sample.items, float(sample.items.n)
    p, s = found.sweep.false_accepts[last + 1] / total, found.standard_error
    own = np.where(items.tie <= last, items.weight, 0.0)
    n = items.effective(own) * total / max(float(items.starts[last + 1]), 1.0)
    if 0.0 < p < 1.0 and s > 0.0:
        known = p * (1.0 - p) / s**2
        if found.share is None:
            n = min(n, known)
        else:
            n = known
            if items.partial and not sample.few_judged(found):
                n *= (normal_quantile(level) / student_quantile(level, sample.degrees(found))) ** 2
    return total if sample.codes is None and n > total * (1.0 - 1e-9) else n


def _as_few(sample: PartialSample, found: Evidence, last: int) -> float:
    """Return the effective number of items if few errors are verified, else infinity.

    The number is (y + w)/(v + w²) (Fay and Feuer 1997). y is the sum of the errors' weights, and v the
    sum of the squared weights. w is the weight of the heaviest accepted output, because an unseen error
    may be as heavy.
    """
    items, total = sample.items, float(sample.items.n)
    own = np.where(items.tie <= last, items.weight, 0.0) / total
    if found.share is not None or not own.any():
        return math.inf
    seen = items.sums(own * items.error)
    w = float(own.max()) if sample.codes is None else max(float(own.max()), float(seen.max()))
    return (float(seen.sum()) + w) / (float(np.sum(seen**2)) + w**2)


def _by_error_rate(
    sample: PartialSample, found: Evidence, parameters: dict[str, Any], n: float, level: float
) -> tuple[float, float]:
    """Return the interval of the largest acceptance rate within an error rate.

    Binomial tests assume an error rate equal to the limit. Up to the lower end, errors are improbably
    few; beyond the upper end, they are improbably many. The lower end allows for unseen errors among
    the accepted outputs.
    """
    limit, tail = float(parameters["max_error_rate"]), (1.0 - level) / 2.0
    items, errors = sample.items, found.sweep.rising
    total, interpolate = float(items.n), parameters.get("interpolate", False)
    room = np.append(0.0, sample.room_by_tie(found, level))
    # Reduce the effective number n, so that the half-width also covers unseen errors.
    reach = normal_quantile(level) ** 2 * max(limit * (1.0 - limit), 1e-300)
    as_many = n / (1.0 + room**2 * n / reach)

    def few(rate: float, n: float) -> bool:
        return binomial_cdf(rate * n, n, limit) <= tail

    def not_many(rate: float) -> bool:
        return rate * n <= 1.0 or binomial_cdf(rate * n - 1.0, n, limit) < 1.0 - tail

    def acceptance(rate: float) -> float:
        return float(acceptance_at_error_rate(errors, max_error_rate=rate, interpolate=interpolate))

    def beyond(j: int) -> bool:
        return not few(float(errors.false_accepts[j]) / total, float(as_many[j]))

    last = bisect_left(range(len(as_many)), 1, key=beyond) - 1
    low = 0.0
    if last >= 0:
        within = float(items.starts[last]) / total
        m = float(as_many[min(last + 1, len(as_many) - 1)])
        low = max(within, acceptance(_largest(lambda rate: few(rate, m))))
    return low, acceptance(_largest(not_many))


def _largest(holds: Callable[[float], bool]) -> float:
    """Return the largest rate in [0, 1] at which `holds` is true; it must be true below that rate."""
    if holds(1.0):
        return 1.0
    return change_of(lambda rate: not holds(rate))[0]


def _by_risk(
    sample: PartialSample, found: Evidence, parameters: dict[str, Any], n: float, level: float
) -> tuple[float, float]:
    """Return the interval of the largest acceptance rate within a risk."""
    total = float(sample.items.n)

    def ends_of(n: float) -> tuple[float, float]:
        return inversion.by_risk(found.sweep.rising, parameters, min(1.0, n / total), level)

    low, high = ends_of(n)
    room = sample.unseen(found, level)[1]
    p = found.value  # the error rate at the limit
    if room and 0.0 < p < 1.0:  # unseen errors affect only the lower end
        distance = normal_quantile(level) * math.sqrt(p * (1.0 - p) / n)
        low = min(low, ends_of(n / (1.0 + (room / distance) ** 2))[0])
    return low, high
