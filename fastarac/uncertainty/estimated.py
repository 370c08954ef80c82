"""Statistics of items of which some are verified, and their intervals."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac import _kernels
from fastarac._core.exceptions import warn_unreliable
from fastarac._core.interval import Interval
from fastarac._core.quantiles import normal_quantile, student_quantile
from fastarac._core.special import binomial_interval
from fastarac._core.text import listed
from fastarac._engine import parallel
from fastarac._engine.factors import read_outermost
from fastarac.truth import FEW, PartialItems
from fastarac.uncertainty import derivatives, inversion, losses
from fastarac.uncertainty.derivatives import PointInfluence
from fastarac.uncertainty.estimated_limits import at_limit, interval_of_limit
from fastarac.uncertainty.estimated_values import (
    added,
    counts_for,
    lines_of,
    normalized,
    plain,
    risk,
    value_of,
)
from fastarac.uncertainty.estimates import Estimate, interval_of, within
from fastarac.uncertainty.influence import Spread, point_influence, spread_of
from fastarac.uncertainty.losses import Moments

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from fastarac.estimated_sweep import EstimatedSweep
    from fastarac.sweep import ThresholdSweep
    from fastarac.truth import EstimatedCounts, PartialTruth
    from fastarac.uncertainty.statistics import Statistic

    FloatArray = NDArray[np.float64]

LINEAR = frozenset(
    {"recognition_rate", "arac_auc", "augrc", "arac_partial_auc", "arp_auc", "aurc", *derivatives.RATES}
)
"""Statistics that are linear in the errors, given the confidences."""
RISKS = frozenset({"aurc", "arp_auc", "normalized_arp_auc"})
NAMES = (
    *("recognition_rate", "arac_auc", "normalized_arac_auc", "augrc", "arac_partial_auc", "arp_auc"),
    *(
        "normalized_arp_auc",
        "aurc",
        "roc_auc",
        "pr_auc",
        "average_precision",
        *inversion.LIMITS,
        *derivatives.RATES,
    ),
)


class Evidence(NamedTuple):
    """How far a statistic is known."""

    share: float | None
    """κ; None where ẽ is taken without predictions, as few errors are verified."""
    counts: EstimatedCounts
    value: float
    standard_error: float
    contributors: float
    """(Σφ²)²/Σφ⁴ of the contributions φ of items or groups."""
    verified: float
    """Verified errors (or correct items, where these are fewer) that the statistic rests on: as many of
    one weight would say as much."""
    influence: PointInfluence | None
    """At these counts; None where no standard error was asked for."""

    @property
    def sweep(self) -> EstimatedSweep:
        """The counts at every threshold."""
        return self.counts.sweep


class PartialSample:
    """Items of which some are verified, in groups or not."""

    def __init__(self, items: PartialItems) -> None:
        self.items = items
        self._risk_weights: dict[str, FloatArray] = {}

    @classmethod
    def of(cls, truth: PartialTruth, confidence: ArrayLike, groups: Any = None) -> PartialSample:
        """Of a truth, with its own groups or others."""
        codes = truth.groups
        if groups is not None:
            first = read_outermost(groups, len(truth), "a PartialTruth", beside="correct")
            codes = first.astype(np.intp)
        return cls.of_codes(truth, confidence, codes)

    @classmethod
    def of_codes(
        cls, truth: PartialTruth, confidence: ArrayLike, codes: NDArray[np.intp] | None
    ) -> PartialSample:
        """The same with groups that are numbered already."""
        return cls(PartialItems(truth, confidence, codes))

    @property
    def codes(self) -> NDArray[np.intp] | None:
        """The number of each item's group, in the order of `items`."""
        return self.items.codes

    @property
    def units(self) -> int:
        """Independent items, or groups."""
        return self.items.n if self.codes is None else int(self.codes.max()) + 1

    @property
    def start(self) -> EstimatedSweep:
        """The same at every threshold."""
        return self.items.beginning.sweep

    def estimate(self, found: Evidence) -> Estimate:
        """As intervals of whole items see it."""
        return Estimate(
            plain(found.sweep), found.value, found.standard_error, found.contributors,
            self.items.effective(self.items.weight), self.degrees(found), float(self.units),
            self.codes is not None,
        )  # fmt: skip

    def degrees(self, found: Evidence) -> float:
        """Satterthwaite's, 2C/(1 − C/n), and no more than the verified errors carry."""
        n, c = float(self.units), found.contributors
        if self.codes is not None:
            return min(n - 1.0, max(c, 2.0))
        degrees = 2.0 * c / (1.0 - c / n) if c < n else math.inf
        return max(2.0, min(degrees, max(found.verified - 1.0, 2.0) if self.items.partial else degrees))

    def unseen(self, found: Evidence, level: float) -> tuple[float, float]:
        """How far errors that weigh much and that the draw missed may move a statistic, down and up.

        The standard error comes from the errors that were seen. Where a judge is surest items are drawn
        seldom, and an error there moves the statistic most, by 1/π and by its place: that none was
        seen, or few, does not show how many there are. −ln(α/2) of them, the Poisson bound where none
        was seen, each with what it moves beyond the errors that were seen, spread over the verified
        items by the root of the error rate at their confidence: between where errors come, which is
        what is in doubt, and everywhere alike. 0 where all weights are equal.
        """
        down, up = (float(room[-1]) for room in self._rooms(found, level))
        return down, up

    def room_by_tie(self, found: Evidence, level: float) -> FloatArray:
        """The second of `unseen`, of items at or above each threshold but the first, (m,)."""
        items = self.items
        known = np.searchsorted(items.tie, np.arange(len(items.starts) - 1), side="right")
        room: FloatArray = np.append(0.0, self._rooms(found, level)[1])[known]
        return room

    def _rooms(self, found: Evidence, level: float) -> FloatArray:
        """Both of `unseen`, of the first verified items, and of each more, (2, n_verified)."""
        items, at = self.items, found.influence
        w, right = items.weight, 1.0 - items.error
        nothing = np.zeros((2, len(w)))
        if at is None or not (items.partial and w.min() < w.max()):
            return nothing
        effect = (at.incorrect - at.correct)[items.tie] / items.n
        rare, chance = items.error, items.predictions[0].verified
        if added(w * rare) > added(w * right):
            rare, chance, effect = right, 1.0 - chance, -effect
        moved = w * effect
        size = np.abs(moved)
        seen = rare * size
        if not seen.any():
            return nothing
        excess = size - added(size * seen) / added(seen)
        heavy = excess > 1e-9 * size
        likely = np.where(heavy, np.sqrt(chance), 0.0)
        if not likely.any():
            return nothing
        bound, share = -math.log((1.0 - level) / 2.0), likely / likely.sum()
        sides = np.stack([moved < 0.0, moved > 0.0])
        spread = np.sqrt(np.cumsum(sides * share * excess**2, axis=1))
        room: FloatArray = np.minimum(bound * spread, np.cumsum(sides * heavy * size, axis=1))
        return room

    def derivative(self, statistic: Statistic) -> FloatArray:
        """By the error of each verified item, n times, at the counts to begin with."""
        tie, start, options = self.items.tie, self.start, dict(statistic.parameters)
        if statistic.name in derivatives.LINES:
            lines = lines_of(statistic, self.items.beginning, value_of(statistic, self.items.beginning))
            correct, incorrect = (
                derivatives.along(line, np.stack([above[tie], above[tie + 1]]))[0]
                for line, above in zip(lines, (start.false_accepts, start.true_accepts), strict=True)
            )
            return np.asarray(incorrect - correct)
        if statistic.name in RISKS:
            gamma = options.pop("gamma", 1.0)
            weights = self.risk_weights(**options)
            found = float(self.items.n) * weights[tie]
            if statistic.name == "aurc":
                return found
            if statistic.name == "arp_auc":
                return -found
            area = 1.0 - risk(weights, start)
            by_area, by_rate = derivatives.slopes_of_normalized(plain(start), area, gamma)
            return -by_area * found - by_rate
        at = point_influence(counts_for(statistic, start), statistic)
        return at.incorrect[tie] - at.correct[tie]

    def risk_weights(self, estimator: str = "trapezoid") -> FloatArray:
        """The rise of the area under the risk–coverage curve by an error at each threshold."""
        if estimator not in self._risk_weights:
            found = losses.weights_of("aurc", self.start, estimator=estimator)
            self._risk_weights[estimator] = found
        return self._risk_weights[estimator]

    def value(self, statistic: Statistic, counts: EstimatedCounts) -> float:
        """A statistic of estimated counts of these items."""
        if statistic.name not in RISKS:
            return value_of(statistic, counts)
        sweep = counts.sweep
        options = dict(statistic.parameters)
        gamma = options.pop("gamma", 1.0)
        found = risk(self.risk_weights(**options), sweep)
        if statistic.name == "aurc":
            return found
        return 1.0 - found if statistic.name == "arp_auc" else normalized(sweep, 1.0 - found, gamma)

    def influence_of(self, statistic: Statistic, found: Evidence) -> PointInfluence:
        """The same of what was found."""
        return found.influence or self.influence(statistic, found.counts, found.value)

    def influence(self, statistic: Statistic, counts: EstimatedCounts, value: float) -> PointInfluence:
        """Of one correct and one incorrect item at each threshold; the statistic has this value."""
        sweep = counts.sweep
        if statistic.name not in derivatives.LINES:
            return point_influence(counts_for(statistic, sweep), statistic)
        lines = lines_of(statistic, counts, value)
        return PointInfluence(
            derivatives.along(lines.correct, sweep.false_accepts),
            derivatives.along(lines.incorrect, sweep.true_accepts),
        )

    def evidence(self, statistic: Statistic, *, spread: bool = True) -> Evidence:
        """A statistic, with its standard error where that is asked for."""
        derivative = self.derivative(statistic)
        verified = self.items.verified_errors(derivative)
        nothing = dict(statistic.parameters).get("threshold", -math.inf) > self.items.thresholds[1]
        if statistic.name == "acceptance_rate" or (statistic.name == "error_rate" and nothing):
            verified = math.inf  # of the confidences alone
        share = self.items.share_by(derivative, verified, linear=statistic.name in LINEAR)
        counts = self.items.estimate(share)
        value = self.value(statistic, counts)
        found = Evidence(share, counts, value, math.nan, 0.0, verified, None)
        if not spread:
            return found
        at = self.influence(statistic, counts, value)
        error, contributors = self.spread(at, share)
        return found._replace(standard_error=error, contributors=contributors, influence=at)

    def spread(self, at: PointInfluence, share: float | None) -> Spread:
        """How far the estimate may be off by what items or groups add to it."""
        items = self.items
        if self.codes is not None or items.n == 1:
            return spread_of(self.contributions(at, share))
        shares = parallel.shares(len(items.starts) - 1)
        rows, errors = np.empty((len(shares), 4)), items.estimate(share).errors

        def work(row: int) -> None:
            _kernels.estimated.add_up_contributions(
                at.correct, at.incorrect, items.starts, errors, *shares[row], rows[row]
            )

        parallel.run(work, range(len(shares)))
        n = float(items.n)
        one, two, three, four = (float(x) for x in np.sum(rows, axis=0))
        mean = one / n  # next to 0
        second = two - n * mean**2
        fourth = four - 4.0 * mean * three + 6.0 * mean**2 * two - 3.0 * n * mean**4
        error = math.sqrt(second / (n * (n - 1.0)))
        return Spread(error, second / fourth * second if fourth else 0.0)

    def contributions(self, at: PointInfluence, share: float | None) -> FloatArray:
        """What each item, in the order of `items`, or group adds to the error; NaN of a single one."""
        items = self.items
        values, correct = at.incorrect - at.correct, at.correct
        if not items.distinct:
            values, correct = (np.repeat(each, items.counts) for each in (values, correct))
        values *= items.estimate(share).errors
        values += correct
        values -= values.mean()
        if self.codes is not None:
            values = np.bincount(self.codes, values).astype(np.float64)
        units = len(values)
        values *= math.sqrt(units / (units - 1)) / items.n if units > 1 else math.nan
        found: FloatArray = values
        return found


def interval_and_warning(
    sample: PartialSample, statistic: Statistic, level: float, method: str
) -> tuple[Interval, str | None]:
    """The interval, and why it is not to be relied on, or None."""
    check_statistic(statistic, method)
    if statistic.name in inversion.LIMITS:
        limit, found = interval_of_limit(sample, statistic, level)
        return limit, _warning(sample, statistic.name, found)
    found = sample.evidence(statistic)
    if math.isnan(found.value):
        nothing = math.nan
        return Interval(found.value, nothing, nothing, nothing, level, method), None
    warning = _warning(sample, statistic.name, found)
    if found.share is None and statistic.name in LINEAR and method in ("auto", "gamma"):
        return _few(sample, statistic, found, level), warning
    if statistic.name in ("recognition_rate", *derivatives.RATES) and method in ("auto", "inversion"):
        ends = _share_interval(sample, statistic, found, level)
        low, high = min(ends[0], found.value), max(ends[1], found.value)
        interval = Interval(found.value, low, high, found.standard_error, level, "inversion")
    else:
        chosen = "logit" if method == "auto" else method
        interval = interval_of(sample.estimate(found), statistic, level, chosen)
    return _with_room(interval, statistic, sample.unseen(found, level)), warning


def _with_room(interval: Interval, statistic: Statistic, room: tuple[float, float]) -> Interval:
    """Both distances from the estimate in one, as those of independent errors."""
    if not any(room):
        return interval
    value = interval.estimate
    low = value - math.hypot(value - interval.low, room[0])
    high = value + math.hypot(interval.high - value, room[1])
    ends = within(statistic, low, high)
    return replace(interval, low=min(ends[0], value), high=max(ends[1], value))


def check_statistic(statistic: Statistic, method: str = "auto") -> None:
    """Raise where a statistic is not estimated from partial truth, or not by the method."""
    if statistic.name not in NAMES:
        raise ValueError(
            f"statistic is {statistic.name!r}, which is not estimated from partial truth; one of "
            f"{', '.join(NAMES)} is expected"
        )
    taken = {
        "gamma": LINEAR,
        "inversion": {"recognition_rate", *inversion.LIMITS, *derivatives.RATES},
    }.get(method)
    if taken is not None and statistic.name not in taken:
        raise ValueError(
            f"statistic is {statistic.name!r}; for method={method!r} and partial truth one of "
            f"{', '.join(sorted(taken))} is expected"
        )
    if method in ("wald", "logit") and statistic.name in inversion.LIMITS:
        raise ValueError(f"method is {method!r}; for {statistic.name!r} 'inversion' is expected")


def _share_interval(
    sample: PartialSample, statistic: Statistic, found: Evidence, level: float
) -> tuple[float, float]:
    """Clopper and Pearson's with the effective number of items (Korn and Graubard 1998)."""
    p, s = found.value, found.standard_error
    whole = float(sample.items.n)
    if statistic.name in ("risk", "precision"):
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
    """Fay and Feuer's interval of weighted verified errors, which no judge narrows."""
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
    # the statistic is its value without these, plus or minus what they add up to
    sign = 1.0 if (float(derivative[np.argmax(size)]) > 0.0) == rare_are_wrong else -1.0
    base = found.value - sign * y
    ends = sorted((base + sign * low, base + sign * high))
    least, most = statistic.range
    ends = [min(max(end, least), most) for end in ends]
    value = min(max(found.value, least), most)
    return Interval(
        value, min(ends[0], value), max(ends[1], value), found.standard_error, level, "gamma"
    )


def _warning(sample: PartialSample, name: str, found: Evidence) -> str | None:
    """Say why an interval is not to be relied on, or return None."""
    if found.verified >= FEW or not sample.items.partial:
        return None
    known = math.floor(found.verified + 1e-9)
    judged = "; the judge is left out" if len(sample.items.predictions) > 1 else ""
    return (
        f"{name} rests on as few as {known} verified errors, or correct items{judged}; its interval "
        f"can be relied on from {FEW:g} on"
    )


class FigureSource:
    """Many figures of one sample, with their intervals where a level is given."""

    def __init__(self, sample: PartialSample, level: float | None) -> None:
        self.sample, self.level = sample, level
        self.intervals: dict[str, Interval] = {}
        self._few: dict[str, list[str]] = {}

    def figure(self, name: str, statistic: Statistic) -> float:
        """A figure; its interval goes to `intervals`."""
        if self.level is None:
            if statistic.name in inversion.LIMITS:
                return value_of(statistic, at_limit(self.sample, statistic, spread=False)[0].counts)
            return self.sample.evidence(statistic, spread=False).value
        found, warning = interval_and_warning(self.sample, statistic, self.level, "auto")
        self.intervals[name] = found
        if warning:
            self._few.setdefault(warning.replace(statistic.name, "{}", 1), []).append(name)
        return found.estimate

    def counts(self, statistic: Statistic) -> ThresholdSweep:
        """The counts from which the operating point of a limit, or of a threshold, is read."""
        if statistic.name in inversion.LIMITS:
            return at_limit(self.sample, statistic, spread=False)[0].sweep.rising
        return self.sample.evidence(statistic, spread=False).sweep

    def warn(self, label: Callable[[str], str]) -> None:
        """Warn of figures that rest on few verified errors, by what they are called."""
        for message, names in self._few.items():
            text = message.replace("{}", listed([label(name) for name in names]))
            if len(names) > 1:
                text = text.replace(" rests on", " rest on").replace(
                    "; its interval", "; their intervals"
                )
            warn_unreliable(text)
