"""A guaranteed limit on the risk of a cascade.

Along a path, the thresholds of the models fall step by step. The risk is tested at the steps.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from fastarac._core.special import binomial_upper_bound
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
from fastarac.guarantees.fallback import proved_in_turn, rejected_by_rank, starts_at, targets
from fastarac.guarantees.pocock import FEW_ERRORS, method_of_own_thresholds, within

PILOT = 10  # one in PILOT items or groups is set aside to choose the path
# Let m be the number of items that prove the limit if none is wrong. With groups, the first test
# accepts a quarter of the items, but at least FEWEST·m and at most MOST·m.
QUARTER, FEWEST, MOST = 4, 2.0, 5.0
# The tests of groups start again at the step that accepts four fifths of the items, with 0.15 of the
# failure probability, because errors at the beginning of the path may stop the first tests.
LATER, PART = 0.8, 0.15
# The pilot items are few. So the slope of each logistic regression has the prior N(SLOPE, 1/RIDGE), and
# the intercept N(0, 1/RIDGE_OF_INTERCEPT), on scores of variance 1.
SLOPE, RIDGE, RIDGE_OF_INTERCEPT = 1.0, 5.0, 0.25
# A model before the last one accepts an item only if its error probability plus CAUTION standard errors
# is within the limit, because the next model may judge the item better.
CAUTION = 1.0
ROUNDS, PRECISE = 50, 1e-8  # maximum number of Newton steps, and size of a step that ends them

Floats = NDArray[np.float64]


def threshold_of_pilot(confidence: Floats, wrong: NDArray[np.bool_], limit: float) -> float:
    """Estimate from a few items the lowest confidence at which a model should decide; `inf` if none.

    A logistic regression on the ranks of the confidences estimates error probabilities. At the returned
    threshold, the error probability plus CAUTION standard errors is within the limit.
    """
    knots, place, number = np.unique(confidence, return_inverse=True, return_counts=True)
    if not len(knots) or limit <= 0.0:
        return math.inf
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
    logit = np.minimum.accumulate(design @ found + CAUTION * spread)
    most = math.log(limit / (1.0 - limit)) if limit < 1.0 else math.inf
    if logit[0] <= most:
        return SILENT
    # Interpolate between the last confidence whose logit is too high and the next one.
    return float(np.interp(-most, -logit, knots, right=math.inf))


def guaranteed_risk(stages: Stages, promise: Promise, rng: np.random.Generator) -> Passed:
    """Choose a path of thresholds, and test its steps.

    Along the path, first the threshold of the first model falls, then that of the second, and so on.
    All models but the last stop at a confidence that is estimated from a tenth of the items.

    Raises
    ------
    ValueError
        If no thresholds that pass keep all capacities.
    """
    rate, delta = promise.limit.rate, promise.failure_probability
    if stages.free == 1 and promise.codes is None:
        n = stages.n_items
        pilot, tested = stages, HeldOutItems(stages, np.zeros(n), None, np.ones(n), 1)
    else:
        pilot, tested = divided(stages, promise, rng, PILOT)
    ends = _ends(pilot, rate)
    if tested.groups is None:
        path = _path(tested.stages, ends)
        decided = _decided(tested.stages, path)
        errors = decided[:, :-1, 0].sum(axis=1)
        counts = _accepted(decided), errors, tested.stages.n_items, rate, delta
        if method_of_own_thresholds(rate, tested.stages.n_items) == "pocock":
            proved = within(*counts).tolist()
        else:
            proved = rejected_by_rank(*counts, rng).tolist()
    else:
        path = _path(pilot, ends, between=PILOT)
        decided = _decided(tested.stages, path)
        shares = _accepted(_decided(pilot, path)) / pilot.n_items
        proved = _proved_of_groups(tested, tested.groups, path, _accepted(decided), shares, promise)
    chosen = _cheapest(tested.stages, decided, proved)
    none = (math.inf,) * stages.free
    if not proved:
        say_too_small(tested, promise)
    if chosen is None:
        if not keeps_capacities(tested.stages, none):
            raise ValueError(
                f"max_risk is {rate:g}, but no thresholds guarantee it with "
                f"{percent(1.0 - delta)} confidence within all capacities"
            )
        return Passed(none, tested.stages, 0.0, None)
    thresholds = tuple(
        threshold if threshold > SILENT else float(values[values > SILENT].min())
        for values, threshold in zip(stages.values, path[chosen].tolist(), strict=False)
    )
    if tested.groups is not None:
        return Passed(thresholds, tested.stages, None, tested.largest)
    wrong, right = decided[chosen, :-1].sum(axis=0).tolist()
    return Passed(thresholds, tested.stages, binomial_upper_bound(wrong, wrong + right, delta), None)


def _ends(pilot: Stages, limit: float) -> list[float]:
    """Return the final threshold of each model but the last one, estimated from the pilot items.

    If the next model has a capacity, the threshold is low enough to keep it, with a margin of two
    standard errors.
    """
    ends: list[float] = []
    left = np.ones(pilot.n_items, np.bool_)
    for m, most in enumerate((pilot.capacities() / pilot.n_items).tolist()[1 : pilot.free]):
        values = pilot.values[m]
        heard = values > SILENT
        end = threshold_of_pilot(values[heard], pilot.correct[m][heard] == 0, limit)
        sure = most - 2.0 * math.sqrt(most * (1.0 - most) / pilot.n_items)
        place = max(0, math.floor(sure * pilot.n_items))
        waiting = np.sort(values[left])
        if place < len(waiting):
            end = min(end, float(waiting[place]))
        ends.append(end)
        left &= values < end
    return ends


def _path(stages: Stages, ends: list[float], between: int = 1) -> Floats:
    """Return the thresholds of all models at each step, of shape (k, models).

    The first model's threshold falls through the confidences of its items to `ends[0]`, while the other
    models decide nothing. Then the second model's threshold falls, and so on. From one confidence to
    the next, a threshold takes `between` steps.
    """
    parts = []
    for m in range(stages.free):
        own = np.unique(stages.values[m][stages.values[m] > SILENT])[::-1]
        if len(own):
            places = np.linspace(0, len(own) - 1, between * (len(own) - 1) + 1)
            own = np.interp(places, np.arange(len(own)), own)
        if m < len(ends):
            own = own[own >= ends[m]]
        part = np.full((len(own), stages.free), np.inf)
        part[:, :m], part[:, m] = ends[:m], own
        parts.append(part)
    return np.concatenate(parts)


def _starts(tested: HeldOutItems, promise: Promise) -> list[tuple[float, float]]:
    """Return the accepted shares at which tests with groups start, each with its part of δ."""
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


def _accepted(decided: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of items that any model decides, (k,)."""
    found: NDArray[np.int64] = decided[:, :-1].sum(axis=(1, 2))
    return found


def _proved_of_groups(
    tested: HeldOutItems,
    groups: NDArray[np.intp],
    path: Floats,
    accepted: NDArray[np.int64],
    shares: Floats,
    promise: Promise,
) -> list[int]:
    """Return steps that, with probability 1 − δ, all keep the limit on the risk.

    `accepted` is the number of tested items that models decide at each step. `shares` are the
    corresponding shares of the pilot items; they determine where the tests start.
    """
    if not len(path):
        return []
    limit, stages = promise.limit.rate, tested.stages
    starts = starts_at(
        (min(int(np.searchsorted(shares, share)), len(path) - 1), weight)
        for share, weight in _starts(tested, promise)
    )

    def proves(step: int, level: float) -> bool:
        if accepted[step] == 0 or limit >= 1.0:
            return bool(accepted[step])
        by = decided_by(stages, path[step].tolist())
        right = stages.correct[np.minimum(by, stages.free - 1), np.arange(stages.n_items)]
        each = np.where(by < stages.free, (right == 0) - limit, 0.0)
        outcomes = np.bincount(groups, each, len(tested.sizes)).astype(np.float64)
        return wealth(outcomes, tested.largest, limit) >= 1.0 / level

    return proved_in_turn(proves, starts, len(path), promise.failure_probability)


def _decided(stages: Stages, path: Floats) -> NDArray[np.int64]:
    """Count the wrong and correct items of each stage at each step, in shape (k, stages, 2).

    A model decides an item as soon as its threshold is at or below the item's confidence, unless an
    earlier model decides the item. An item of the last stage counts as wrong if the last model's output
    is wrong.
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


def _cheapest(stages: Stages, decided: NDArray[np.int64], proved: list[int]) -> int | None:
    """Return the cheapest of the steps `proved` that keep all capacities, or None."""
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
