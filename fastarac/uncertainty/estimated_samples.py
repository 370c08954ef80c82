"""Statistics of partly verified items, with their standard errors."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac import _kernels
from fastarac._engine import parallel
from fastarac._engine.factors import read_outermost
from fastarac.areas.arac import slopes_of_normalized
from fastarac.areas.risk import weights_of_errors
from fastarac.reviewer import Reviewer, doubt_of
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

    from fastarac.areas.gradients import PointInfluence
    from fastarac.samples.estimated import EstimatedSweep
    from fastarac.samples.partial import PartialTruth
    from fastarac.samples.partial_items import EstimatedCounts, Shares
    from fastarac.sweep import ThresholdSweep
    from fastarac.uncertainty.derivatives import Lines
    from fastarac.uncertainty.statistics import Statistic

    FloatArray = NDArray[np.float64]


class Evidence(NamedTuple):
    """A statistic's estimate with its standard error."""

    share: Shares | None
    """The judges' shares κ; None if few errors are verified, so that no predictions are used."""
    counts: EstimatedCounts
    value: float
    standard_error: float
    contributors: float
    """Effective number of contributors: (Σφ²)²/Σφ⁴ for the contributions φ of items or groups."""
    verified: float
    """Effective number of verified errors (or of correct items, if fewer) behind the statistic."""
    influence: PointInfluence | Lines | None
    """Influence at these counts, or its lines; None if no standard error was asked for."""

    @property
    def sweep(self) -> EstimatedSweep:
        """The counts at every threshold."""
        return self.counts.sweep


class PartialSample:
    """Partly verified items, optionally in groups."""

    def __init__(self, items: PartialItems) -> None:
        self.items = items
        self.latest_limit: tuple[Statistic, tuple[int, EstimatedSweep, float]] | None = None
        self._risk_weights: dict[str, FloatArray] = {}
        self._by_rates: dict[tuple[float, float], PartialSample] = {}

    @classmethod
    def of(cls, truth: PartialTruth, confidence: ArrayLike, groups: Any = None) -> PartialSample:
        """Return the sample of a partial truth, with `groups` or else the groups of the truth."""
        codes = truth.groups
        if groups is not None:
            first = read_outermost(groups, len(truth), "a PartialTruth", beside="correct")
            codes = first.astype(np.intp)
        return cls.of_codes(truth, confidence, codes)

    @classmethod
    def of_codes(
        cls, truth: PartialTruth, confidence: ArrayLike, codes: NDArray[np.intp] | None
    ) -> PartialSample:
        """Return the sample of a partial truth with numbered groups."""
        return cls(PartialItems(truth, confidence, codes))

    @property
    def codes(self) -> NDArray[np.intp] | None:
        """The group number of each item, in the order of `items`."""
        return self.items.codes

    @property
    def units(self) -> int:
        """Number of independent units: items or groups."""
        return self.items.n if self.codes is None else int(self.codes.max()) + 1

    @property
    def start(self) -> EstimatedSweep:
        """The initial estimated counts at every threshold."""
        return self.items.beginning.sweep

    def few_judged(self, found: Evidence) -> bool:
        """Whether a judge is used, few errors are verified, and inclusion probabilities are similar."""
        return any(found.share or ()) and found.verified < FEW_JUDGED and self.items.drawn_alike

    def estimate(self, found: Evidence) -> Estimate:
        """Return the estimate in the form used for intervals of fully known items."""
        return Estimate(
            plain(found.sweep), found.value, found.standard_error, found.contributors,
            self.items.effective(self.items.weight), self.degrees(found), float(self.units),
            self.codes is not None,
        )  # fmt: skip

    def degrees(self, found: Evidence) -> float:
        """Return the degrees of freedom of the standard error, at least 2 unless there are few groups.

        With groups, they are the effective number of contributors, but at most the number of groups
        minus one. Without groups, they follow from Satterthwaite's formula. For partly verified items,
        they are also at most the number of verified errors minus one.
        """
        n, c = float(self.units), found.contributors
        if self.codes is not None:
            return min(n - 1.0, max(c, 2.0))
        degrees = 2.0 * c / (1.0 - c / n) if c < n else math.inf
        return max(2.0, min(degrees, max(found.verified - 1.0, 2.0) if self.items.partial else degrees))

    def unseen(self, found: Evidence, level: float) -> tuple[float, float]:
        """Return how far unseen errors of large weight may lower and raise a statistic.

        The standard error reflects only errors that were seen. If a judge is confident about an item,
        the item is verified with a small probability π and has a large weight 1/π. An error in such an
        item moves the statistic far. A sample with few such errors, or none, does not show how many
        exist.

        Therefore −ln(α/2) unseen errors are assumed, which is the Poisson bound if none was seen. The
        effect of an unseen error is reduced by the mean effect of the errors seen. The unseen errors
        are distributed over the verified items, in proportion to the square root of the error rate at
        their confidence, because this error rate is uncertain. If an item's weight w exceeds `HEAVY`
        times the mean weight w̄, its share is multiplied by (w/(`HEAVY`·w̄))², because the item
        represents many outputs. If all weights are equal, the result is 0.
        """
        down, up = (float(room[-1]) for room in self._rooms(found, level))
        return down, up

    def room_by_tie(self, found: Evidence, level: float) -> FloatArray:
        """Return how far unseen errors may raise the error rate at each threshold; shape (m,)."""
        items = self.items
        known = np.cumsum(np.bincount(items.tie, minlength=len(items.starts) - 1))
        room: FloatArray = np.append(0.0, self._rooms(found, level)[1])[known]
        return room

    def _rooms(self, found: Evidence, level: float) -> FloatArray:
        """Return `unseen` for the first k verified items, k = 1, 2, …; shape (2, n_verified)."""
        items, at = self.items, found.influence
        w, right = items.weight, 1.0 - items.error
        nothing = np.zeros((2, len(w)))
        if at is None or not (items.partial and w.min() < w.max()):
            return nothing
        effect = _of_verified(at, items.tie, found.sweep) / items.n
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
        """Return n times the statistic's derivative by each verified item's error."""
        definition = statistic.definition
        if definition.effect_of_errors is not None:
            return definition.effect_of_errors(self.items)
        tie, start, options = self.items.tie, self.start, dict(statistic.parameters)
        if definition.estimated_lines is not None:
            value = value_of(statistic, self.items.beginning)
            lines = definition.estimated_lines(self.items.beginning, value, **options)
            return _of_verified(lines, tie, start)
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
        return _of_verified(point_influence(counts_for(statistic, start), statistic), tie, start)

    def risk_weights(self, estimator: str = "trapezoid") -> FloatArray:
        """Return how much an error at each threshold adds to the area under the risk–coverage curve."""
        if estimator not in self._risk_weights:
            found = weights_of_errors(self.start, estimator=estimator)
            self._risk_weights[estimator] = found
        return self._risk_weights[estimator]

    def value(self, statistic: Statistic, counts: EstimatedCounts) -> float:
        """Return the value of a statistic for estimated counts of these items."""
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
        """Return the influence of a correct and of an incorrect item at each threshold."""
        at = found.influence
        if at is None:
            at = self._influence(statistic, found.counts, found.value)
        return _by_tie(at, found.sweep)

    def _influence(
        self, statistic: Statistic, counts: EstimatedCounts, value: float
    ) -> PointInfluence | Lines:
        """Return the influence on a statistic; `value` is its value for these counts."""
        estimated_lines = statistic.definition.estimated_lines
        if estimated_lines is None:
            return point_influence(counts_for(statistic, counts.sweep), statistic)
        return estimated_lines(counts, value, **dict(statistic.parameters))

    def evidence(self, statistic: Statistic, *, spread: bool = True) -> Evidence:
        """Return the value of a statistic, with its standard error if `spread` is true."""
        derivative = self.derivative(statistic)
        verified = self.items.verified_errors(derivative)
        if not derivative.any() and self._of_confidences_alone(statistic):
            verified = math.inf
        share = self.items.share_by(derivative, verified, linear=statistic.definition.is_linear)
        counts = self.items.estimate(share)
        least, most = statistic.range
        # This order of `max` and `min` returns NaN if the value is NaN.
        value = min(max(self.value(statistic, counts), least), most)
        found = Evidence(share, counts, value, math.nan, 0.0, verified, None)
        if not spread:
            return found
        at = self._influence(statistic, counts, value)
        error, contributors = self.spread(at, counts.sweep)
        if self.items.reader is not None:
            sums = self.sums_of(_by_tie(at, counts.sweep), counts)
            error = math.hypot(error, doubt_of(self.items.reader, *sums))
        return found._replace(standard_error=error, contributors=contributors, influence=at)

    def _of_confidences_alone(self, statistic: Statistic) -> bool:
        """Whether errors do not affect a statistic, such as the acceptance rate at a threshold."""
        if "threshold" not in statistic.definition.parameters:
            return False
        at = point_influence(counts_for(statistic, self.start), statistic)
        return not (at.incorrect - at.correct).any()

    def sums_of(self, at: PointInfluence, counts: EstimatedCounts) -> tuple[float, float]:
        """Return the sums of the derivatives by the errors of wrong items, and of right items."""
        derivative = (at.incorrect - at.correct) / self.items.n
        sweep = counts.sweep
        of_wrong, of_right = (
            added(derivative * np.diff(each)) for each in (sweep.false_accepts, sweep.true_accepts)
        )
        return of_wrong, of_right

    @cached_property
    def as_answered(self) -> PartialSample:
        """The same items, with the answers taken as the truth."""
        return PartialSample(self.items.answered_by(None))

    def with_rates(self, detection_rate: float, false_alarm_rate: float) -> PartialSample:
        """Return the same items, answered by people with these rates."""
        if (detection_rate, false_alarm_rate) not in self._by_rates:
            people = Reviewer(detection_rate, false_alarm_rate)
            self._by_rates[detection_rate, false_alarm_rate] = PartialSample(
                self.items.answered_by(people)
            )
        return self._by_rates[detection_rate, false_alarm_rate]

    def spread(self, at: PointInfluence | Lines, sweep: EstimatedSweep) -> Spread:
        """Return the standard error of the estimate, from the contributions of items or groups."""
        items, kernels = self.items, _kernels.estimated
        if self.codes is not None or items.n == 1:
            return spread_of(self.contributions(_by_tie(at, sweep), sweep))
        shares = parallel.shares(len(items.starts) - 1)
        rows, of_items = np.empty((len(shares), 4)), (items.starts, sweep.item_errors)

        def work(row: int) -> None:
            if isinstance(at, derivatives.Lines):
                accepted = sweep.true_accepts, sweep.false_accepts
                kernels.add_up_along_lines(*at, *accepted, *of_items, *shares[row], rows[row])
            else:
                kernels.add_up_contributions(*at, *of_items, *shares[row], rows[row])

        parallel.run(work, range(len(shares)))
        n = float(items.n)
        one, two, three, four = (float(x) for x in np.sum(rows, axis=0))
        mean = one / n  # the mean contribution is nearly 0, but not exactly
        second = two - n * mean**2
        fourth = four - 4.0 * mean * three + 6.0 * mean**2 * two - 3.0 * n * mean**4
        error = math.sqrt(second / (n * (n - 1.0)))
        return Spread(error, second / fourth * second if fourth else 0.0)

    def contributions(self, at: PointInfluence, sweep: EstimatedSweep) -> FloatArray:
        """Return contributions of items (ordered as `items`) or of groups; NaN if there is only one."""
        items = self.items
        values, correct = at.incorrect - at.correct, at.correct
        if not items.distinct:
            values, correct = (np.repeat(each, items.counts) for each in (values, correct))
        values *= sweep.item_errors
        values += correct
        values -= values.mean()
        if self.codes is not None:
            values = np.bincount(self.codes, values).astype(np.float64)
        units = len(values)
        values *= math.sqrt(units / (units - 1)) / items.n if units > 1 else math.nan
        found: FloatArray = values
        return found


def _by_tie(at: PointInfluence | Lines, sweep: EstimatedSweep) -> PointInfluence:
    return derivatives.along_lines(at, sweep) if isinstance(at, derivatives.Lines) else at


def _of_verified(
    at: PointInfluence | Lines, tie: NDArray[np.intp], sweep: EstimatedSweep
) -> FloatArray:
    """Return how much more an incorrect item at these ties moves a statistic than a correct one."""
    if isinstance(at, derivatives.Lines):
        above = (
            np.stack([each[tie], each[tie + 1]]) for each in (sweep.false_accepts, sweep.true_accepts)
        )
        correct, incorrect = (derivatives.along(*each)[0] for each in zip(at, above, strict=True))
        return np.asarray(incorrect - correct)
    return at.incorrect[tie] - at.correct[tie]


def value_of(statistic: Statistic, counts: EstimatedCounts) -> float:
    """Return a statistic of estimated counts; for areas of risk, use `PartialSample.value`."""
    estimate = statistic.definition.estimate
    if estimate is not None:
        return estimate(counts, **dict(statistic.parameters))
    return float(statistic(counts_for(statistic, counts.sweep)))


def counts_for(statistic: Statistic, sweep: EstimatedSweep) -> ThresholdSweep:
    """Return the counts for a statistic; with a limit, counts in which errors never decrease."""
    if "max_error_rate" in dict(statistic.parameters) or statistic.definition.has_limit:
        return sweep.rising
    return plain(sweep)
