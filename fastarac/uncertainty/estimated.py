"""Statistics of items of which some are verified, and their intervals."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac._core.exceptions import warn_unreliable
from fastarac._core.interval import Interval
from fastarac._core.quantiles import normal_quantile, student_quantile
from fastarac._core.special import binomial_interval
from fastarac._core.text import listed
from fastarac._engine.counts import ThresholdCounts
from fastarac._engine.factors import read_outermost
from fastarac.sweep import ThresholdSweep, trusted_sweep
from fastarac.truth import PartialItems
from fastarac.uncertainty import derivatives, inversion, losses
from fastarac.uncertainty.estimates import Estimate, interval_of, within
from fastarac.uncertainty.influence import point_influence, spread_of
from fastarac.uncertainty.losses import Moments

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from fastarac.truth import EstimatedSweep, PartialTruth
    from fastarac.uncertainty.derivatives import PointInfluence
    from fastarac.uncertainty.statistics import Statistic

    FloatArray = NDArray[np.float64]

LINEAR = frozenset({"recognition_rate", "arac_auc", "augrc", "arp_auc", "aurc", *derivatives.RATES})
"""Statistics that are linear in the errors, given the confidences."""
PAIRS = frozenset({"roc_auc", "pr_auc", "average_precision"})
NAMES = (
    *("recognition_rate", "arac_auc", "normalized_arac_auc", "augrc", "arp_auc", "normalized_arp_auc"),
    *("aurc", "roc_auc", "pr_auc", "average_precision", *inversion.LIMITS, *derivatives.RATES),
)
FEW = 10.0  # verified errors that count, below which predictions are left out
FEW_JUDGED = 20.0  # below which they do not show how far a judge is off


class Evidence(NamedTuple):
    """How far a statistic is known."""

    share: float | None
    """κ; None where ẽ is taken without predictions, as few errors are verified."""
    sweep: EstimatedSweep
    value: float
    standard_error: float
    contributors: float
    """(Σφ²)²/Σφ⁴ of the contributions φ of items or groups."""
    verified: float
    """Verified errors (or correct items, where these are fewer) that the statistic rests on: as many of
    one weight would say as much."""
    influence: PointInfluence


class PartialSample:
    """Items of which some are verified, in groups or not."""

    def __init__(self, truth: PartialTruth, confidence: ArrayLike, groups: Any = None) -> None:
        codes = truth.groups
        if groups is not None:
            first = read_outermost(groups, len(truth), "a PartialTruth", beside="correct")
            codes = first.astype(np.intp)
        self.items = PartialItems(truth, confidence, codes)

    @classmethod
    def of_codes(
        cls, truth: PartialTruth, confidence: ArrayLike, codes: NDArray[np.intp] | None
    ) -> PartialSample:
        """The same with groups that are numbered already."""
        sample = cls.__new__(cls)
        sample.items = PartialItems(truth, confidence, codes)
        return sample

    @property
    def codes(self) -> NDArray[np.intp] | None:
        """The number of each item's group, in the order of `items`."""
        return self.items.codes

    @property
    def units(self) -> int:
        """Independent items, or groups."""
        return self.items.n if self.codes is None else int(self.codes.max()) + 1

    @cached_property
    def start(self) -> EstimatedSweep:
        """Counts to begin with: those of the recognition rate."""
        return self.items.sweep(self.items.share_of(np.ones(len(self.items.counts))))

    def estimate(self, found: Evidence) -> Estimate:
        """As intervals of whole items see it."""
        units = float(self.units)
        return Estimate(
            _plain(found.sweep), found.value, found.standard_error, found.contributors, units,
            _degrees(self, found), units, self.codes is not None,
        )  # fmt: skip

    def sums(self, values: FloatArray) -> FloatArray:
        """Values of verified items, or their sums over groups."""
        if self.codes is None:
            return values
        return np.bincount(self.codes[self.items.places], values).astype(np.float64)

    def effective(self, values: FloatArray) -> float:
        """(Σx)²/Σx² over verified items, or groups: as many equal ones would say as much."""
        values = self.sums(values)
        largest = float(values.max(initial=0.0))
        if not largest:
            return 0.0
        values = values / largest
        return float(values.sum()) ** 2 / float(values @ values)

    def verified_errors(self, derivative: FloatArray) -> float:
        """How many verified errors, or correct items, a statistic of this derivative rests on."""
        items = self.items
        own = items.weight * np.abs(derivative[items.point[items.places]])
        wrong = own * items.error
        if not own.any() and not derivative.any() and items.error.any() and not items.error.all():
            return math.inf  # of the confidences alone
        found = min(self.effective(wrong), self.effective(own - wrong))
        return 0.0 if math.isnan(found) else found

    def unseen(self, found: Evidence, level: float) -> tuple[float, float]:
        """How far errors of large weights that the draw missed may move a statistic, down and up.

        The standard error comes from the errors that were seen. Where a judge is surest items are drawn
        seldom, and an error there weighs most: that none was seen, or few, does not show how many there
        are. −ln(α/2) of them, the Poisson bound where none was seen, each with what its weight is above
        that of the errors that were seen, at the confidences where errors come. 0 where all weights
        are equal.
        """
        items = self.items
        w, right = items.weight, 1.0 - items.error
        if not (items.partial and w.min() < w.max()):
            return 0.0, 0.0
        at = found.influence
        effect = (at.incorrect - at.correct)[items.point[items.places]] / items.n
        rare, chance = items.error, items.predictions[0][items.places]
        if float(w @ rare) > float(w @ right):
            rare, chance, effect = right, 1.0 - chance, -effect
        seen = w * rare * effect * effect
        if not seen.any():
            return 0.0, 0.0
        excess = w - float(w @ seen) / float(seen.sum())
        heavy = excess > 1e-9 * w
        likely = np.where(heavy, w * chance, 0.0)
        if not likely.any():
            return 0.0, 0.0
        bound, share = -math.log((1.0 - level) / 2.0), likely / likely.sum()
        down, up = (
            min(bound * math.sqrt(float(share @ (excess * moved) ** 2)), float(w[heavy] @ moved[heavy]))
            for moved in (np.maximum(-effect, 0.0), np.maximum(effect, 0.0))
        )
        return down, up

    def evidence(self, statistic: Statistic, *, spread: bool = True) -> Evidence:
        """A statistic, with its standard error where that is asked for."""
        at = point_influence(_plain(self.start), statistic)
        derivative = at.incorrect - at.correct
        verified = self.verified_errors(derivative)
        share: float | None = None if verified < FEW else 0.0
        if verified >= FEW_JUDGED:
            share = self.items.share_of(derivative)
        sweep = self.items.sweep(share)
        error, contributors = math.nan, 0.0
        if spread:
            if statistic.name not in LINEAR and sweep is not self.start:
                at = point_influence(_plain(sweep), statistic)
            error, contributors = spread_of(self.contributions(at, share))
        return Evidence(share, sweep, value_of(statistic, sweep), error, contributors, verified, at)

    def contributions(self, at: PointInfluence, share: float | None) -> FloatArray:
        """What each item, in the order of `items`, or group adds to the error; NaN of a single one."""
        items = self.items
        values, correct = at.incorrect - at.correct, at.correct
        if not items.distinct:
            values, correct = values[items.point], correct[items.point]
        values *= items.errors(share)
        values += correct
        values -= values.mean()
        if self.codes is not None:
            values = np.bincount(self.codes, values).astype(np.float64)
        units = len(values)
        values *= math.sqrt(units / (units - 1)) / items.n if units > 1 else math.nan
        found: FloatArray = values
        return found


def value_of(statistic: Statistic, sweep: EstimatedSweep) -> float:
    """A statistic of estimated counts."""
    if statistic.name in PAIRS:
        options = dict(statistic.parameters)
        return _of_pairs(statistic.name, sweep, **options)
    if statistic.name in inversion.LIMITS:
        return float(statistic(sweep.rising))
    if statistic.name in derivatives.RATES:
        threshold = dict(statistic.parameters)["threshold"]
        part, whole = derivatives.parts(sweep, threshold, derivatives.RATES[statistic.name])
        return part / whole if whole else math.nan
    if statistic.name == "arp_auc":
        return 1.0 - _aurc(sweep, **dict(statistic.parameters))
    if statistic.name == "aurc":
        return _aurc(sweep, **dict(statistic.parameters))
    if statistic.name == "normalized_arp_auc":
        options = dict(statistic.parameters)
        gamma = options.pop("gamma", 1.0)
        area, rest = 1.0 - _aurc(sweep, **options), 1.0 - sweep.recognition_rate
        if not rest:
            return 1.0
        return float((gamma * (area - 1.0 + rest) / rest + 1.0 - rest) / (gamma + 1.0))
    return float(statistic(_plain(sweep)))


def _plain(sweep: ThresholdSweep) -> ThresholdSweep:
    counts = ThresholdCounts(sweep.thresholds, sweep.true_accepts, sweep.false_accepts)
    return trusted_sweep(ThresholdSweep, counts)


def _aurc(sweep: EstimatedSweep, estimator: str = "trapezoid") -> float:
    """Σwᵢẽᵢ, with w the rise of the area by an error."""
    weights = losses.weights_of("aurc", sweep, estimator=estimator)
    return _sum(weights * np.diff(sweep.false_accepts))


def _sum(values: FloatArray) -> float:
    return float(np.sum(values))


def _of_pairs(name: str, sweep: EstimatedSweep, interpolation: str = "davis-goadrich") -> float:
    """Areas of pairs of two items, without those of an item with itself, Σc̃ẽ and Σc̃² − Σc̃."""
    ta, fa = sweep.true_accepts, sweep.false_accepts
    p, q = np.diff(ta), np.diff(fa)
    own = q - sweep.squares  # Σc̃ẽ of each tie, which is 0 of what is known
    if name == "roc_auc":
        pairs = float(ta[-1]) * float(fa[-1]) - _sum(own)
        if not pairs > 0.0:
            return math.nan
        above = _sum(q * ta[:-1]) + _sum(p * q - own) / 2.0
        return above / pairs
    if not ta[-1] > 0.0:
        return math.nan
    n = ta + fa
    pairs_of_tie = p * p + own  # Σ_{i≠j}c̃c̃ + Σc̃, as Σc̃² = Σc̃ − Σc̃ẽ
    if name == "average_precision" or interpolation == "step":
        return _sum((p * ta[:-1] + pairs_of_tie) / n[1:]) / float(ta[-1])
    if interpolation == "linear":
        raise ValueError(
            "interpolation is 'linear', which is not estimated from partial truth; 'davis-goadrich' or "
            "'step' is expected"
        )
    g = np.diff(n)
    with np.errstate(divide="ignore", invalid="ignore"):
        log = np.log1p(g / n[:-1])
        terms = (pairs_of_tie * (1.0 - n[:-1] / g * log) + p * ta[:-1] * log) / g
    terms[0] = pairs_of_tie[0] / g[0]
    return _sum(terms) / float(ta[-1])


def interval_and_warning(
    sample: PartialSample, statistic: Statistic, level: float, method: str
) -> tuple[Interval, str | None]:
    """The interval, and why it is not to be relied on, or None."""
    check_statistic(statistic, method)
    if statistic.name in inversion.LIMITS:
        return _of_limit(sample, statistic, level)
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


def _degrees(sample: PartialSample, found: Evidence) -> float:
    """Satterthwaite's, 2C/(1 − C/n), and no more than the verified errors carry."""
    n, c = float(sample.units), found.contributors
    if sample.codes is not None:
        return min(n - 1.0, max(c, 2.0))
    degrees = 2.0 * c / (1.0 - c / n) if c < n else math.inf
    return max(2.0, min(degrees, max(found.verified - 1.0, 2.0) if sample.items.partial else degrees))


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
        return binomial_interval(min(max(p, 0.0), 1.0) * found.verified, found.verified, level)
    effective = p * (1.0 - p) / s**2
    if sample.items.partial:
        reach = normal_quantile(level) / student_quantile(level, _degrees(sample, found))
        effective = effective * reach**2
    if sample.codes is None and effective > whole * (1.0 - 1e-9):
        effective = whole
    return binomial_interval(p * effective, effective, level)


def _few(sample: PartialSample, statistic: Statistic, found: Evidence, level: float) -> Interval:
    """Fay and Feuer's interval of weighted verified errors, which no judge narrows."""
    items = sample.items
    derivative = found.influence.incorrect - found.influence.correct
    errors = items.weight * items.error
    rare_are_wrong = float(errors.sum()) * 2.0 <= items.n
    own = errors if rare_are_wrong else items.weight - errors
    size = np.abs(derivative)
    of_verified = size[items.point[items.places]]
    loss = sample.sums(own * of_verified) / items.n
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


def at_limit(
    sample: PartialSample, statistic: Statistic, *, spread: bool = True
) -> tuple[Evidence, int]:
    """The error rate where the limit is reached, and the index of the last tie within it."""
    items = sample.items
    wanted = value_of(statistic, sample.start) * items.n * (1.0 - 1e-12)
    accepted = np.cumsum(items.counts)
    last = min(int(np.searchsorted(accepted, wanted)), len(accepted) - 1)
    rate = type(statistic)("error_rate", threshold=items.thresholds[last + 1])
    return sample.evidence(rate, spread=spread), last


def _of_limit(sample: PartialSample, statistic: Statistic, level: float) -> tuple[Interval, str | None]:
    """The largest acceptance rate within a limit, by inverting intervals of the error rate."""
    parameters = dict(statistic.parameters)
    items, total = sample.items, float(sample.items.n)
    found, last = at_limit(sample, statistic)
    accepted = np.cumsum(items.counts)
    value = value_of(statistic, found.sweep)
    share = binomial_interval(value * total, total, level)
    # items that the error rate at the limit is known from, as many binomial ones would say as much
    p = found.sweep.false_accepts[last + 1] / total
    s = found.standard_error
    own = np.where(items.point[items.places] <= last, items.weight, 0.0)
    blind = sample.effective(own) * total / max(float(accepted[last]), 1.0)
    n = blind
    if 0.0 < p < 1.0 and s > 0.0 and found.share is not None:
        n = p * (1.0 - p) / s**2
        if sample.items.partial:
            n *= (normal_quantile(level) / student_quantile(level, _degrees(sample, found))) ** 2
    elif 0.0 < p < 1.0 and s > 0.0:
        n = min(blind, p * (1.0 - p) / s**2)
    if sample.codes is None:
        n = total if n > total * (1.0 - 1e-9) else n

    def ends_of(n: float) -> tuple[float, float]:
        if statistic.name == "acceptance_at_error_rate":
            return inversion.by_error_rate(found.sweep.rising, parameters, n, level)
        return inversion.by_risk(found.sweep.rising, parameters, min(1.0, n / total), level)

    low, high = ends_of(n)
    room = sample.unseen(found, level)[1]
    if room and 0.0 < p < 1.0:  # errors that were not seen only lower it
        distance = normal_quantile(level) * math.sqrt(p * (1.0 - p) / n)
        low = min(low, ends_of(n / (1.0 + (room / distance) ** 2))[0])
    low, high = min(low, value), max(high, value)
    a, b = share
    ends = (
        max(0.0, value - math.hypot(value - low, value - a)),
        min(1.0, value + math.hypot(high - value, b - value)),
    )
    warning = _warning(sample, statistic.name, found)
    return Interval(value, *ends, math.nan, level, "inversion"), warning


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
                return value_of(statistic, at_limit(self.sample, statistic, spread=False)[0].sweep)
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
