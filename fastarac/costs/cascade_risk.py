"""A guaranteed limit on the risk of a cascade, for the steps of one path of thresholds."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastarac._core.special import binomial_cdf, binomial_upper_bound
from fastarac._core.text import percent
from fastarac.costs.cascade_counts import decided_by
from fastarac.costs.cascade_guarantee import (
    HeldOutItems,
    Passed,
    Promise,
    divided,
    keeps_capacities,
    say_too_small,
)
from fastarac.costs.stages import SILENT, Stages
from fastarac.guarantees.betting import wealth
from fastarac.guarantees.fallback import Start, proved_in_turn, rejected_by_rank, targets
from fastarac.guarantees.pocock import FEW_ERRORS, method_of_own_thresholds, within

PILOT = 10  # one in PILOT items or groups is set aside to choose the path
STEPS = 1000  # maximum number of tests on a path
# With few items, the first test accepts a quarter of them, but at least FEWEST and at most MOST times
# as many as would prove the limit without an error.
QUARTER, FEWEST, MOST = 4, 2.0, 5.0
# With PART of the failure probability, tests start again where the share LATER of the items is
# accepted. So a path that has errors at its beginning may still be proved where it accepts nearly
# everything.
LATER, PART = 0.8, 0.15
# The pilot items are few. So the slope of each logistic regression has the prior N(SLOPE, 1/RIDGE), and
# the intercept N(0, 1/RIDGE_OF_INTERCEPT), on scores of variance 1.
SLOPE, RIDGE, RIDGE_OF_INTERCEPT = 1.0, 5.0, 0.25
# A model before the last one accepts an item only if its error probability would be low enough even if
# it were CAUTION standard errors higher, because the next model may judge the item better.
CAUTION = 2.0
ROUNDS, PRECISE = 50, 1e-8  # maximum number of Newton steps, and size of a step that ends them

Floats = NDArray[np.float64]


class ErrorCurve(NamedTuple):
    """The logit of a model's error probability as a decreasing function of its confidence."""

    confidence: Floats
    """Distinct confidences of the pilot items, in increasing order."""
    logit: Floats

    @classmethod
    def of(cls, confidence: Floats, wrong: NDArray[np.bool_], caution: float) -> ErrorCurve:
        """Fit a logistic regression to the ranks of the confidences."""
        knots, place, number = np.unique(confidence, return_inverse=True, return_counts=True)
        if not len(knots):
            return cls(knots, knots)
        middle = (np.cumsum(number) - number / 2.0) / len(confidence)
        scores = np.log(middle / (1.0 - middle)) * (math.sqrt(3.0) / math.pi)
        design = np.column_stack([np.ones(len(knots)), -scores])
        prior, ridge = np.array([0.0, SLOPE]), np.array([RIDGE_OF_INTERCEPT, RIDGE])
        errors = np.bincount(place, wrong, len(knots))
        found, covariance = prior, np.diag(1.0 / ridge)
        for _ in range(ROUNDS):
            rate = 1.0 / (1.0 + np.exp(-design @ found))
            gradient = design.T @ (errors - number * rate) - ridge * (found - prior)
            information = (design.T * (number * rate * (1.0 - rate))) @ design + np.diag(ridge)
            covariance = np.linalg.inv(information)
            step = covariance @ gradient
            found = found + step
            if np.abs(step).max() < PRECISE:
                break
        # A negative slope would trust low confidences more than high ones.
        found = np.array([found[0], max(found[1], 0.0)])
        spread = np.sqrt(np.einsum("ij,jk,ik->i", design, covariance, design))
        return cls(knots, np.minimum.accumulate(design @ found + caution * spread))

    def at(self, confidence: Floats) -> Floats:
        """Return the logit at each confidence; ``inf`` for a model without an output."""
        if not len(self.confidence):
            return np.full(len(confidence), np.inf)
        found = np.interp(confidence, self.confidence, self.logit)
        return np.where(confidence > SILENT, found, np.inf)

    def thresholds(self, logits: Floats) -> Floats:
        """Return the lowest confidence at which the logit is at most each of the given values."""
        after = np.searchsorted(-self.logit, -logits)  # the first knot whose logit is low enough
        found = np.full(len(logits), np.inf)
        found[after == 0] = SILENT if len(self.confidence) else np.inf
        between = np.flatnonzero((after > 0) & (after < len(self.logit)))
        high, low = after[between], after[between] - 1
        share = (self.logit[low] - logits[between]) / (self.logit[low] - self.logit[high])
        width = self.confidence[high] - self.confidence[low]
        found[between] = self.confidence[low] + share * width
        return found


def guaranteed_risk(stages: Stages, promise: Promise, rng: np.random.Generator) -> Passed:
    """Choose a path of thresholds, and test its steps.

    With a single model, the path is the order of its confidences, and all items test it. Otherwise, a
    tenth of the items chooses the path.

    Raises
    ------
    ValueError
        If no thresholds that pass keep all capacities.
    """
    n, limit = stages.n_items, promise.limit.rate
    if stages.free == 1 and promise.codes is None:
        tested = HeldOutItems(stages, np.zeros(n), None, np.ones(n), 1)
        values = stages.values[0]
        path = np.unique(values[values > SILENT])[::-1, None]
        decided = _decided(stages, path)
        wrong, right = decided[:, 0].T
        counts = wrong + right, wrong, n, limit, promise.failure_probability
        if method_of_own_thresholds(limit, n) == "pocock":
            proved = within(*counts).tolist()
        else:
            proved = rejected_by_rank(*counts, rng).tolist()
    else:
        pilot, tested = divided(stages, promise, rng, PILOT)
        path, starts = _path_of_pilot(pilot, _starts(tested, promise))
        decided = _decided(tested.stages, path)
        proved = _proved(tested, path, starts, decided, promise)
    chosen = _cheapest(tested.stages, decided, proved)
    none = (math.inf,) * stages.free
    if not proved:
        say_too_small(tested, promise)
    if chosen is None:
        if not keeps_capacities(tested.stages, none):
            raise ValueError(
                f"max_risk is {promise.limit.rate:g}, but no thresholds guarantee it with "
                f"{percent(1.0 - promise.failure_probability)} confidence within all capacities"
            )
        return Passed(none, tested.stages, 0.0, None)
    thresholds = tuple(
        threshold if threshold > SILENT else float(values[values > SILENT].min())
        for values, threshold in zip(stages.values, path[chosen].tolist(), strict=False)
    )
    if tested.groups is not None:
        return Passed(thresholds, tested.stages, None, tested.largest)
    wrong, right = decided[chosen, :-1].sum(axis=0).tolist()
    bound = binomial_upper_bound(wrong, wrong + right, promise.failure_probability)
    return Passed(thresholds, tested.stages, bound, None)


def _starts(tested: HeldOutItems, promise: Promise) -> list[tuple[float, float]]:
    """Return the shares of accepted items at which tests start, and their parts of δ."""
    rate, n = promise.limit.rate, tested.stages.n_items
    if rate >= 1.0:
        return [(0.0, 1.0)]
    # A bet needs about as many groups of the largest size as a binomial test needs items.
    units = n / tested.largest
    if rate * units > FEW_ERRORS:
        shares = targets(units, rate, promise.failure_probability) / units
        return [(share, 1.0 / len(shares)) for share in shares.tolist()]
    enough = math.log(promise.failure_probability) / math.log1p(-rate) if rate > 0.0 else math.inf
    enough *= tested.largest
    first = min(max(n / QUARTER, FEWEST * enough), MOST * enough) / n
    if first < LATER:
        return [(first, 1.0 - PART), (LATER, PART)]
    return [(first, 1.0)] if first < 1.0 else []


def _path_of_pilot(pilot: Stages, starts: list[tuple[float, float]]) -> tuple[Floats, list[Start]]:
    """Return the path of all models at rising error probabilities, from the pilot items alone.

    The first array has the models' thresholds at each step, of shape (k, models). The list has the
    steps at which tests start.

    At each step, all models accept up to the same error probability, as estimated from the pilot items.
    A test starts where the given share of the pilot items is accepted.
    """
    curves = []
    for m in range(pilot.free):
        heard = pilot.values[m] > SILENT
        wrong, caution = pilot.correct[m][heard] == 0, CAUTION if m < pilot.free - 1 else 0.0
        curves.append(ErrorCurve.of(pilot.values[m][heard], wrong, caution))
    pairs = zip(curves, pilot.values, strict=False)
    accepted_at = np.sort(np.min([curve.at(values) for curve, values in pairs], axis=0))
    accepted_at = accepted_at[np.isfinite(accepted_at)]
    n = len(accepted_at)
    if not starts or not n:
        return np.empty((0, pilot.free)), []
    places = [min(math.ceil(share * pilot.n_items), n - 1) for share, _ in starts]
    steps = np.linspace(places[0], n - 1, min(STEPS, PILOT * n))
    logits = np.union1d(np.interp(steps, np.arange(n), accepted_at), accepted_at[places])
    found: dict[int, float] = {}
    for place, (_, weight) in zip(places, starts, strict=True):
        step = int(np.searchsorted(logits, accepted_at[place]))
        found[step] = found.get(step, 0.0) + weight
    thresholds = np.column_stack([curve.thresholds(logits) for curve in curves])
    return thresholds, [Start(*start) for start in found.items()]


def _decided(stages: Stages, path: Floats) -> NDArray[np.int64]:
    """Count the wrong and correct items of each stage at each step, in shape (k, stages, 2).

    Thresholds fall from step to step. So a model decides an item from the step at which its threshold
    falls to the item's confidence, until an earlier model's threshold does. The last stage decides the
    other items, which count as wrong or correct according to the last model's output.
    """
    n_steps = len(path)
    found = np.zeros((n_steps, stages.free + 1, 2), np.int64)

    def number_since(steps: NDArray[np.intp]) -> NDArray[np.int64]:
        return np.cumsum(np.bincount(steps, minlength=n_steps + 1)[:n_steps])

    earlier = np.full(stages.n_items, n_steps)
    for s in range(stages.free):
        values = stages.values[s]
        step = np.searchsorted(-path[:, s], -values)
        step[values == SILENT] = n_steps
        for right in (0, 1):
            own = (stages.correct[s] == right) & (step < earlier)
            found[:, s, right] = number_since(step[own]) - number_since(earlier[own])
        earlier = np.minimum(earlier, step)
    for right in (0, 1):
        own = stages.correct[stages.model[-1]] == right
        found[:, -1, right] = np.count_nonzero(own) - number_since(earlier[own])
    return found


def _proved(
    tested: HeldOutItems,
    path: Floats,
    starts: list[Start],
    decided: NDArray[np.int64],
    promise: Promise,
) -> list[int]:
    """Return the steps whose risk is proved; all of them keep the limit with probability 1 − δ."""
    limit, stages = promise.limit.rate, tested.stages
    errors, accepted = decided[:, :-1, 0].sum(axis=1), decided[:, :-1].sum(axis=(1, 2))

    def proves(step: int, level: float) -> bool:
        n = int(accepted[step])
        if n == 0 or limit >= 1.0:
            return n > 0
        if tested.groups is None:
            return binomial_cdf(int(errors[step]), n, limit) <= level
        by = decided_by(stages, path[step].tolist())
        of_models = by < stages.free
        right = stages.correct[np.minimum(by, stages.free - 1), np.arange(stages.n_items)]
        each = np.where(of_models, (right == 0) - limit, 0.0)
        outcomes = np.bincount(tested.groups, each, len(tested.sizes)).astype(np.float64)
        return wealth(outcomes, tested.largest, limit) >= 1.0 / level

    return proved_in_turn(proves, starts, len(path), promise.failure_probability)


def _cheapest(stages: Stages, decided: NDArray[np.int64], proved: list[int]) -> int | None:
    """Return the cheapest proved step within all capacities; the last one if abstention is free."""
    steps = np.array(proved, np.intp)
    numbers = decided[steps].sum(axis=2)
    reached = stages.n_items - np.cumsum(numbers, axis=1) + numbers
    kept = steps[(reached <= stages.capacities()).all(axis=1)]
    if not len(kept):
        return None
    if stages.abstains_freely:
        return int(kept[-1])
    each = stages.of_each(written=True)
    prices = np.array([each.wrong, each.correct], np.float64)
    costs = np.einsum("ksr,rs->k", decided[kept], prices)
    return int(kept[np.flatnonzero(costs == costs.min())[-1]])
