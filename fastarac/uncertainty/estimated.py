"""Confidence intervals for samples in which only some items are verified."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from fastarac._core.exceptions import warn_unreliable
from fastarac._core.interval import Interval
from fastarac._core.quantiles import normal_quantile, student_quantile
from fastarac._core.special import binomial_interval
from fastarac._core.text import listed, percent, plural
from fastarac.reviewer import interval_of_errors
from fastarac.samples.partial_items import FEW
from fastarac.uncertainty.estimated_limits import at_limit, interval_of_limit
from fastarac.uncertainty.estimates import interval_of, with_room, within
from fastarac.uncertainty.losses import Moments, gamma_ends
from fastarac.uncertainty.statistics import DEFINITIONS

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastarac.reviewer import Reviewer
    from fastarac.sweep import ThresholdSweep
    from fastarac.uncertainty.estimated_samples import Evidence, PartialSample
    from fastarac.uncertainty.statistics import Statistic

# (accepted, correct) of a rejected, correct item. A rate whose denominator lacks this item is a rate
# among accepted items.
REJECTED = False, True


def interval_and_warning(
    sample: PartialSample, statistic: Statistic, level: float, method: str
) -> tuple[Interval, str | None]:
    """Return the interval, and a warning if it is unreliable, else None."""
    check_statistic(statistic, method)
    people = sample.items.reader
    if people is not None and _is_corrected(statistic, method):
        return _of_answers(sample, people, statistic, level, method)
    if people is not None and people.is_estimated and not statistic.definition.has_limit:
        return _of_uncertain_rates(sample, people, statistic, level, method)
    if statistic.definition.has_limit:
        if people is not None:
            return _limit_of_answers(sample, statistic, level)
        limit, found = interval_of_limit(sample, statistic, level)
        return limit, _warning(sample, statistic, found)
    found = sample.evidence(statistic)
    if math.isnan(found.value):
        nothing = math.nan
        return Interval(found.value, nothing, nothing, nothing, level, method), None
    warning = _warning(sample, statistic, found)
    if found.share is None and statistic.definition.is_linear and method in ("auto", "gamma"):
        return _few(sample, statistic, found, level), warning
    if sample.few_judged(found) and statistic.definition.is_linear and method in ("auto", "gamma"):
        return _few_judged(sample, statistic, found, level), warning
    if statistic.definition.rate is not None and method in ("auto", "inversion"):
        ends = _share_interval(sample, statistic, found, level)
        low, high = min(ends[0], found.value), max(ends[1], found.value)
        interval = Interval(found.value, low, high, found.standard_error, level, "inversion")
    else:
        chosen = "logit" if method == "auto" else method
        interval = interval_of(sample.estimate(found), statistic, level, chosen)
    return with_room(interval, statistic, sample.unseen(found, level)), warning


def _is_corrected(statistic: Statistic, method: str) -> bool:
    """Return whether `_of_answers` computes the interval."""
    limited = "max_error_rate" in dict(statistic.parameters)
    return statistic.definition.is_linear and not limited and method not in ("wald", "logit")


def _of_answers(
    sample: PartialSample, people: Reviewer, statistic: Statistic, level: float, method: str
) -> tuple[Interval, str | None]:
    """Return the interval that follows from the answers of people or judges who err.

    The statistic must be linear in a weighted share of errors, which is corrected as in
    `Reviewer.corrected_error_rate`.
    """
    answered = sample.as_answered
    interval, warning = interval_and_warning(answered, statistic, level, method)
    at_answers = answered.evidence(statistic)
    of_wrong, of_right = answered.sums_of(
        answered.influence_of(statistic, at_answers), at_answers.counts
    )
    slope = of_wrong + of_right
    if not slope or math.isnan(interval.estimate):
        return interval, warning
    if_all_right = answered.value(statistic, at_answers.counts) - of_wrong
    called, *ends = (
        (x - if_all_right) / slope for x in (interval.estimate, interval.low, interval.high)
    )
    shares = interval_of_errors(people, called, (min(ends), max(ends)), level)
    if shares[0] == shares[1]:
        warning = (
            f"{statistic.name} contradicts the truth_reader: {percent(called, 3)} of the answers call "
            "an output wrong, but with its rates no share of errors leads to that"
        )
    found = sample.evidence(statistic)
    value, spread = found.value, found.standard_error
    low, high = within(statistic, *sorted(if_all_right + slope * each for each in shares))
    least, most = sorted((if_all_right, if_all_right + slope))
    value = min(max(value, least), most)
    interval = Interval(value, min(low, value), max(high, value), spread, level, interval.method)
    return interval, warning


def _of_uncertain_rates(
    sample: PartialSample, people: Reviewer, statistic: Statistic, level: float, method: str
) -> tuple[Interval, str | None]:
    """Return the interval of a statistic not linear in the errors, if people's rates are uncertain.

    The interval for known rates is combined with the statistic's values at the bounds of the detection
    rate d and of the false alarm rate a. If one of these values is undefined, the interval is the whole
    range of the statistic.
    """
    d, a, tail = people.detection_rate, people.false_alarm_rate, (1.0 - level) / 2.0
    known, warning = interval_and_warning(sample.with_rates(d, a), statistic, level, method)
    value = known.estimate
    down, up = [value - known.low], [known.high - value]
    for bounds, rates in (
        (people.detection_bounds(tail), lambda end: (end, a)),
        (people.false_alarm_bounds(tail), lambda end: (d, end)),
    ):
        moves = [_move(sample, statistic, rates(end), value) for end in bounds]
        down.append(max(0.0, *(-each for each in moves)))
        up.append(max(0.0, *moves))
    ends = value - math.hypot(*down), value + math.hypot(*up)
    if not all(map(math.isfinite, ends)):
        ends = statistic.range
    spread = sample.evidence(statistic).standard_error
    return Interval(value, *within(statistic, *ends), spread, level, known.method), warning


def _move(
    sample: PartialSample, statistic: Statistic, rates: tuple[float, float], value: float
) -> float:
    """Return how far other `rates` (d, a) move a statistic; infinite if they make it undefined."""
    if rates[0] <= rates[1]:
        return math.inf
    found = sample.with_rates(*rates).evidence(statistic, spread=False)
    counts = found.sweep
    defined = counts.n_incorrect > 0 and counts.n_correct > 0
    return found.value - value if defined else math.inf


def _limit_of_answers(
    sample: PartialSample, statistic: Statistic, level: float
) -> tuple[Interval, str | None]:
    """Return the interval of the acceptance rate at a limit, given answers of people who may err."""

    def of_rate(rate: Statistic) -> Interval:
        return interval_and_warning(sample, rate, level, "auto")[0]

    limit, _ = interval_of_limit(sample, statistic, level, of_rate)
    threshold = sample.items.thresholds[sample.items.last_tie(limit.estimate) + 1]
    rate = type(statistic)("error_rate", threshold=threshold)
    warning = interval_and_warning(sample, rate, level, "auto")[1]
    return limit, warning and warning.replace(rate.name, statistic.name, 1)


def check_statistic(statistic: Statistic, method: str = "auto") -> None:
    """Raise unless the method supports the statistic for partial truth."""
    definition = statistic.definition
    if not definition.in_part:
        names = (name for name, one in DEFINITIONS.items() if one.in_part)
        raise ValueError(
            f"statistic must be one of {', '.join(names)} for partial truth, got {statistic.name!r}"
        )
    taken = {
        "gamma": {name for name, one in DEFINITIONS.items() if one.is_linear},
        "inversion": {name for name, one in DEFINITIONS.items() if "inversion" in one.methods},
    }.get(method)
    if taken is not None and statistic.name not in taken:
        raise ValueError(
            f"statistic must be one of {', '.join(sorted(taken))} for method={method!r} and "
            f"partial truth, got {statistic.name!r}"
        )
    if method in ("wald", "logit") and statistic.definition.has_limit:
        raise ValueError(f"method must be 'inversion' for {statistic.name!r}, got {method!r}")


def _share_interval(
    sample: PartialSample, statistic: Statistic, found: Evidence, level: float
) -> tuple[float, float]:
    """Return Clopper and Pearson's interval for an effective number of items (Korn, Graubard 1998)."""
    p, s = found.value, found.standard_error
    whole = float(sample.items.n)
    rate = statistic.definition.rate
    if rate is not None and not rate(*REJECTED)[1]:
        threshold = dict(statistic.parameters)["threshold"]
        whole = float(sum(found.sweep.at(threshold)[:2]))
    if not 0.0 < p < 1.0 or not s > 0.0:
        known = min(found.verified, whole)
        return binomial_interval(min(max(p, 0.0), 1.0) * known, known, level)
    effective = p * (1.0 - p) / s**2
    if sample.items.partial:
        reach = normal_quantile(level) / student_quantile(level, sample.degrees(found))
        effective = effective * reach**2
    if sample.codes is None and effective > whole * (1.0 - 1e-9):
        effective = whole
    return binomial_interval(p * effective, effective, level)


def _few(sample: PartialSample, statistic: Statistic, found: Evidence, level: float) -> Interval:
    """Return Fay and Feuer's interval for few weighted errors among verified items, without a judge."""
    items = sample.items
    at = sample.influence_of(statistic, found)
    derivative = at.incorrect - at.correct
    rare_are_wrong = not items.mostly_wrong
    own = items.weight * (items.error if rare_are_wrong else 1.0 - items.error)
    size = np.abs(derivative)
    of_verified = size[items.tie]
    loss = items.sums(own * of_verified) / items.n
    largest = float((items.weight * of_verified).max(initial=0.0)) / items.n
    if not largest:
        largest = float(items.weight.max()) * float(size.max()) / items.n
    if sample.codes is not None:
        largest = max(largest, float(loss.max(initial=0.0)))
    y = float(loss.sum())
    low, high = Moments(y, float(np.sum(loss**2)), largest).interval(level)
    # The statistic is a constant plus or minus y, and y is a sum over the items of the rarer class.
    sign = 1.0 if (float(derivative[np.argmax(size)]) > 0.0) == rare_are_wrong else -1.0
    base = found.value - sign * y
    ends = sorted((base + sign * low, base + sign * high))
    least, most = statistic.range
    ends = [min(max(end, least), most) for end in ends]
    value = min(max(found.value, least), most)
    return Interval(
        value, min(ends[0], value), max(ends[1], value), found.standard_error, level, "gamma"
    )


def _few_judged(sample: PartialSample, statistic: Statistic, found: Evidence, level: float) -> Interval:
    """Return the interval if errors are few, and a judge or the confidence predicts them.

    Among the n items, each verified one moves the estimate by φ = d(e − g)/(nπ). Here e is its error (1
    or 0), g the prediction, π the inclusion probability, and d the derivative of the statistic. The
    sums of the upward and of the downward moves are each treated as a weighted sum of Poisson counts,
    with the interval of Tiwari, Clegg and Zou 2006. The variance beyond Σφ² is treated as normal. The
    squared distances of an end for upward moves, downward moves and the remaining variance are added
    (Zou and Donner 2008).
    """
    items = sample.items
    at = sample.influence_of(statistic, found)
    derivative = (at.incorrect - at.correct)[items.tie] * items.weight / items.n
    predicted = items.predicted(found.share or ())
    jumps = derivative * (items.error - predicted)
    down = up = 0.0
    for sign in (1.0, -1.0):
        seen = np.maximum(sign * jumps, 0.0)
        y = float(seen.sum())
        largest = np.abs(derivative) * np.where(sign * derivative > 0.0, 1.0 - predicted, predicted)
        moments = [(float(x.sum()), float(np.sum(x * x))) for x in (seen, largest)]
        further = moments[1][0] / len(jumps), moments[1][1] / len(jumps)
        low, high = (y, y) if not further[0] > 0.0 else gamma_ends(moments[0], further, level)
        distances = y - low, high - y
        down += distances[sign < 0.0] ** 2
        up += distances[sign > 0.0] ** 2
    rest = max(0.0, found.standard_error**2 - float(np.sum(jumps**2))) * normal_quantile(level) ** 2
    value = found.value
    ends = within(statistic, value - math.sqrt(down + rest), value + math.sqrt(up + rest))
    return Interval(value, *ends, found.standard_error, level, "gamma")


def _warning(sample: PartialSample, statistic: Statistic, found: Evidence) -> str | None:
    """Return a warning if an interval is unreliable, else None."""
    if not sample.items.partial:
        return None
    name, least = statistic.name, statistic.definition.least_verified
    if found.verified >= FEW:
        if not least:
            return None
        w = sample.items.weight
        known = math.floor(float(w.sum()) ** 2 / float(np.sum(w * w)) + 1e-9)
        if known >= least:
            return None
        few = f"only {known} verified {plural('output', known)}"
        if known < len(w):
            few = f"verified outputs that are worth only about {known} of equal weight"
        return f"{name} is based on {few}; its interval is unreliable with fewer than {least}"
    known = math.floor(found.verified + 1e-9)
    judged = (
        "; the judge is not used"
        if len(sample.items.predictions) > 1 and not any(found.share or ())
        else ""
    )
    # `known` is an effective number: with unequal weights, 10 errors may be worth only 8.
    few = f"only {'about ' * (known > 0)}{known} verified {plural('error', known)} or correct "
    few += f"{plural('item', known)}{judged}"
    return f"{name} is based on {few}; its interval is unreliable with fewer than {FEW:g}"


class FigureSource:
    """Computes figures of one sample, with intervals if a level is given."""

    def __init__(self, sample: PartialSample, level: float | None) -> None:
        self.sample, self.level = sample, level
        self.intervals: dict[str, Interval] = {}
        self._few: dict[str, list[str]] = {}

    def figure(self, name: str, statistic: Statistic) -> float:
        """Return a figure, and store its interval in `intervals`."""
        if self.level is None:
            if statistic.definition.has_limit:
                return at_limit(self.sample, statistic, spread=False).value
            return self.sample.evidence(statistic, spread=False).value
        found, warning = interval_and_warning(self.sample, statistic, self.level, "auto")
        self.intervals[name] = found
        if warning:
            self._few.setdefault(warning.replace(statistic.name, "{}", 1), []).append(name)
        return found.estimate

    def counts(self, statistic: Statistic) -> ThresholdSweep:
        """Return the counts from which the operating point of a limit or a threshold is read."""
        if statistic.definition.has_limit:
            return at_limit(self.sample, statistic, spread=False).sweep.rising
        return self.sample.evidence(statistic, spread=False).sweep

    def warn(self, label: Callable[[str], str]) -> None:
        """Warn about figures that depend on few verified errors; `label` returns the printed name."""
        for message, names in self._few.items():
            text = message.replace("{}", listed([label(name) for name in names]))
            if len(names) > 1:
                text = text.replace(" is based on", " are based on").replace(
                    "; its interval is", "; their intervals are"
                )
            warn_unreliable(text)
