"""Items of which some are verified: how far a statistic of theirs is known."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac import _kernels
from fastarac._engine import parallel
from fastarac._engine.factors import read_outermost
from fastarac.areas.arac import slopes_of_normalized
from fastarac.areas.gradients import PointInfluence
from fastarac.areas.risk import weights_of_errors
from fastarac.samples.estimated import plain
from fastarac.samples.partial_items import FEW_JUDGED, HEAVY, PartialItems
from fastarac.uncertainty import derivatives
from fastarac.uncertainty.estimated_values import (
    added,
    normalized,
    risk,
)
from fastarac.uncertainty.estimates import Estimate
from fastarac.uncertainty.influence import Spread, point_influence, spread_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from fastarac.samples.estimated import EstimatedSweep
    from fastarac.samples.partial import PartialTruth
    from fastarac.samples.partial_items import EstimatedCounts
    from fastarac.sweep import ThresholdSweep
    from fastarac.uncertainty.statistics import Statistic

    FloatArray = NDArray[np.float64]


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

    def few_judged(self, found: Evidence) -> bool:
        """Whether a judge predicts errors of which few are verified, of outputs drawn nearly alike."""
        return bool(found.share) and found.verified < FEW_JUDGED and self.items.drawn_alike

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
        what is in doubt, and everywhere alike; and by the square of the weight beyond `HEAVY` times the
        mean, as where outputs are drawn so seldom few of the verified items stand for many outputs. 0
        where all weights are equal.
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
        beyond = np.maximum(1.0, w / (HEAVY * w.mean()))
        likely = np.where(heavy, np.sqrt(chance) * beyond**2, 0.0)
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
        definition, beginning = statistic.definition, self.items.beginning
        if definition.estimated_lines is not None:
            value = value_of(statistic, beginning)
            lines = definition.estimated_lines(beginning, value, **options)
            correct, incorrect = (
                derivatives.along(line, np.stack([above[tie], above[tie + 1]]))[0]
                for line, above in zip(lines, (start.false_accepts, start.true_accepts), strict=True)
            )
            return np.asarray(incorrect - correct)
        if definition.of_risk:
            gamma = options.pop("gamma", 1.0)
            weights = self.risk_weights(**options)
            found = float(self.items.n) * weights[tie]
            if definition.lower_is_better:
                return found
            if "gamma" not in definition.parameters:
                return -found
            area = 1.0 - risk(weights, start)
            by_area, by_rate = slopes_of_normalized(plain(start), area, gamma)
            return -by_area * found - by_rate
        at = point_influence(counts_for(statistic, start), statistic)
        return at.incorrect[tie] - at.correct[tie]

    def risk_weights(self, estimator: str = "trapezoid") -> FloatArray:
        """The rise of the area under the risk–coverage curve by an error at each threshold."""
        if estimator not in self._risk_weights:
            found = weights_of_errors(self.start, estimator=estimator)
            self._risk_weights[estimator] = found
        return self._risk_weights[estimator]

    def value(self, statistic: Statistic, counts: EstimatedCounts) -> float:
        """A statistic of estimated counts of these items."""
        definition = statistic.definition
        if not definition.of_risk:
            return value_of(statistic, counts)
        sweep = counts.sweep
        options = dict(statistic.parameters)
        gamma = options.pop("gamma", 1.0)
        found = risk(self.risk_weights(**options), sweep)
        if definition.lower_is_better:
            return found
        if "gamma" not in definition.parameters:
            return 1.0 - found
        return normalized(sweep, 1.0 - found, gamma)

    def influence_of(self, statistic: Statistic, found: Evidence) -> PointInfluence:
        """The same of what was found."""
        return found.influence or self.influence(statistic, found.counts, found.value)

    def influence(self, statistic: Statistic, counts: EstimatedCounts, value: float) -> PointInfluence:
        """Of one correct and one incorrect item at each threshold; the statistic has this value."""
        sweep = counts.sweep
        estimated_lines = statistic.definition.estimated_lines
        if estimated_lines is None:
            return point_influence(counts_for(statistic, sweep), statistic)
        lines = estimated_lines(counts, value, **dict(statistic.parameters))
        return PointInfluence(
            derivatives.along(lines.correct, sweep.false_accepts),
            derivatives.along(lines.incorrect, sweep.true_accepts),
        )

    def evidence(self, statistic: Statistic, *, spread: bool = True) -> Evidence:
        """A statistic, with its standard error where that is asked for."""
        derivative = self.derivative(statistic)
        verified = self.items.verified_errors(derivative)
        if self._of_confidences_alone(statistic):
            verified = math.inf
        share = self.items.share_by(derivative, verified, linear=statistic.definition.is_linear)
        counts = self.items.estimate(share)
        least, most = statistic.range
        value = min(max(self.value(statistic, counts), least), most)  # NaN stays
        found = Evidence(share, counts, value, math.nan, 0.0, verified, None)
        if not spread:
            return found
        at = self.influence(statistic, counts, value)
        error, contributors = self.spread(at, share)
        error = math.hypot(error, self.items.doubt * self.error_share(at, counts))
        return found._replace(standard_error=error, contributors=contributors, influence=at)

    def _of_confidences_alone(self, statistic: Statistic) -> bool:
        """Whether no error of these items moves a statistic."""
        if "threshold" not in statistic.definition.parameters:
            return False
        at = point_influence(counts_for(statistic, self.start), statistic)
        return not (at.incorrect - at.correct).any()

    def error_share(self, at: PointInfluence, counts: EstimatedCounts) -> float:
        """What all errors together make of a statistic: how far it moves if each counts for twice."""
        errors = np.diff(counts.sweep.false_accepts)
        return abs(added((at.incorrect - at.correct) * errors)) / self.items.n

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


def value_of(statistic: Statistic, counts: EstimatedCounts) -> float:
    """A statistic of estimated counts; of areas over the risk, `PartialSample.value`."""
    estimate = statistic.definition.estimate
    if estimate is not None:
        return estimate(counts, **dict(statistic.parameters))
    return float(statistic(counts_for(statistic, counts.sweep)))


def counts_for(statistic: Statistic, sweep: EstimatedSweep) -> ThresholdSweep:
    """The counts a statistic is read off: where a limit decides, those whose errors never fall."""
    if "max_error_rate" in dict(statistic.parameters) or statistic.definition.has_limit:
        return sweep.rising
    return plain(sweep)
