"""Guarantees by betting from partly verified outputs with differing inclusion probabilities.

For each output, let A = 1 if it is accepted at a threshold, e = 1 if it is wrong, and V = 1 if it is
verified; otherwise 0. Let π be the probability of V = 1, ĵ the judge's probability of an error,
calibrated on earlier outputs only, and κ its weight. Then the mean of Y = A·(κĵ + V(e − κĵ)/π) is the
error rate, whatever ĵ is. Starting with a capital of 1, we bet that Y is below the limit ε on average.
Over the outputs in random order, the capital becomes Π(1 + λ(ε − Y)), where λ is the size of each bet.
If the error rate is at least ε, the probability that the capital ever reaches 1/δ is at most δ (Ville
1939; Waudby-Smith and Ramdas 2024; Shekhar and others 2023).

**Clipping.** Let π_min be the smallest π. If λ exceeds 1/(1/π_min − ε), an error at a small π can lose
more than the whole capital. To allow larger bets, 1 − q + qY replaces Y, with q = min(1, cπ), where c
is the clip. So an output with π < 1/c counts as 1 − cπ errors even if it is not verified, and the mean
can only rise. With λ < 1/(c + 1 − ε), the capital is never below 0, whatever π is. The clip c and the
bet λ are chosen together from a geometric grid. The choice depends on how much each c would have added
to the capital on earlier outputs.

If no error is found and nothing is clipped, a proof needs ln(1/δ)/(π_min·ε) units. With at least that
many units, but at most `SPARE` times as many, the grid begins at c = 1/π_min, which clips nothing. Bets
are then limited by λ < 1/(c + 1 − cπ_min − ε). The running sums begin with `THOUGHT` imagined outputs
of probability π_min. The proof therefore assumes that π_min does not depend on the outputs.

**The bet.** Units are single outputs or groups that were verified as a whole. After t of n units, let K
be the capital and σ̂² the mean of (ε − Y)² so far. Let φ and Φ be the normal density and distribution
function. Then λ = φ(u)/(Φ(u)·σ̂·√(n − t)) with Φ(u) = δK/1.05, but at most 0.95 of the largest allowed
bet. If the gains were normal, this bet would replicate the payoff of the normal test. The guarantee
holds for any distribution of the gains.

**The judge.** The units, in random order, are split into blocks that end at 1/32, 1/16, 1/8, 1/4 and
1/2 of all units. In the first block, ĵ is the judge's own value. In each later block, ĵ comes from an
isotonic regression of errors on the judge's values in all earlier blocks, with weights 1/π. The weight
κ is the slope through 0 that minimises the variance of Y over the earlier accepted units, but at most
1.

**Thresholds.** All distinct confidences are tested in decreasing order, until one is not proved. With
more outputs than `MOST_IN_FULL`, only the confidences of the first units are tested, and there are no
bets on these units.
"""

from __future__ import annotations

import math
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from fastarac import _kernels
from fastarac._core.checks import largest_group
from fastarac._core.random_state import generator_for
from fastarac.guarantees.fallback import PILOT, last_proved, pilot_shares, starts_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

BLOCKS = 32, 16, 8, 4, 2  # the judge is recalibrated after 1/32, 1/16, … of the units
MOST_IN_FULL = 2**12  # maximum number of outputs for which every distinct confidence is tested
# Bets start after the first min(2048, n/32) of n units.
MOST_LOOKED_AT, LOOKED_AT = 2048, 32
SPARE = 3.0
THOUGHT = 4.0
# Values of the clip c in decreasing order. Weights above c are reduced to c.
CLIPS = np.exp2(np.arange(80, -1, -1) / 4.0)


class WeightedBets(NamedTuple):
    """The result of betting on verified outputs."""

    threshold: Any
    """The lowest proved threshold; ``inf`` if there is none."""
    max_group_size: int
    """Most items in a group; 1 without groups."""
    needed: int
    """About how many units without an error are needed to prove the limit."""


class Units(NamedTuple):
    """Outputs in random order; outputs of the same unit are adjacent."""

    distinct: NDArray[Any]
    """Distinct confidences from high to low; `place` indexes them."""
    place: NDArray[np.int64]
    error: NDArray[np.float64]
    probability: NDArray[np.float64]
    judge: NDArray[np.float64] | None
    ends: NDArray[np.int64]
    """End of each unit in the arrays."""


class Weights:
    """The weights 1/π of outputs, compared with each set of clips once, whatever the limit."""

    def __init__(self, probability: NDArray[np.float64]) -> None:
        self.probability = probability
        self.lowest = float(probability.min())

    @cached_property
    def plain(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """All clips, and for each output the index of the first that clips its weight."""
        return CLIPS, self._first(CLIPS)

    @cached_property
    def scaled(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """The same for clips that begin at the largest weight."""
        clips = CLIPS[CLIPS * self.lowest <= 1.0]
        clips = clips / (clips[0] * self.lowest)
        return clips, self._first(clips)

    def _first(self, clips: NDArray[np.float64]) -> NDArray[np.int64]:
        return np.searchsorted(-clips, -1.0 / self.probability, side="right").astype(np.int64)


class Clips(NamedTuple):
    """The values c at which weights 1/π may be clipped, with the bet that each allows."""

    first: NDArray[np.int64]
    """Index of the first c that clips each output; the number of clips if none does."""
    bets: NDArray[np.float64]
    """Shape (k, 4): each c, falling to 1; its largest bet; a prior squared gain, which an error of
    weight c would have; and the errors that clipping is assumed to have added before the first
    output."""
    begin: int
    """Number of units before the first bet."""

    @classmethod
    def of(cls, weights: Weights, limit: float, delta: float, largest: int, begin: int) -> Self:
        """Choose the clips for units of at most `largest` outputs."""
        n, lowest = len(weights.probability), weights.lowest
        (clips, first), least, thought = weights.plain, 0.0, 0.0
        if 1.0 <= n / needed_without_errors(lowest, limit, delta, largest) <= SPARE:
            (clips, first), least, thought = weights.scaled, lowest, THOUGHT
            begin = 0 if n <= MOST_IN_FULL else begin
        # The loss from an error at the smallest probability, where it is largest.
        lost = (clips + 1.0 - clips * least - limit) * largest
        added = thought * (1.0 - clips * least)
        return cls(first, np.stack([clips, 1.0 / lost, limit * lost, added], axis=1), begin)


def needed_without_errors(least: float, limit: float, delta: float, largest: int) -> float:
    """Return how many outputs prove a positive limit, if there are no errors and no clipping."""
    return math.log(1.0 / delta) * largest / (least * limit)


def least_limit(least: float, n: int, delta: float) -> float:
    """Return the lowest limit that n outputs can prove."""
    # Exchanging the limit and the number of outputs in the formula gives its inverse.
    return min(1.0, needed_without_errors(least, n, delta, 1))


def looked_at(n: int) -> int:
    """Return how many of n units serve only to choose the first bet and the thresholds."""
    return max(1, min(MOST_LOOKED_AT, n // LOOKED_AT))


def bet_on_verified(
    confidence: NDArray[Any],
    error: NDArray[np.float64],
    probability: NDArray[np.float64],
    *,
    criterion: str,
    limit: float,
    failure_probability: float,
    judge: NDArray[np.float64] | None = None,
    codes: NDArray[np.intp] | None = None,
    max_group_size: int | None = None,
    thresholds: NDArray[np.float64] | None = None,
    pilot: ArrayLike | None = None,
    key: NDArray[np.uint64],
) -> WeightedBets:
    """Return the lowest threshold whose error rate or risk is proved to be within a limit.

    Parameters
    ----------
    confidence, error, probability : ndarray of shape (n,)
        The confidence of each output, its error (1 for wrong, 0 for right, NaN if not verified), and
        its probability of being verified, which is above 0.
    criterion, limit, failure_probability
        The criterion "max_error_rate" or "max_risk", its limit in [0, 1], and δ.
    judge : ndarray of shape (n,), optional
        A guess at each output's probability of an error, in [0, 1].
    codes : ndarray of shape (n,), int, optional
        Each output's group number, counted from 0. Each group was verified as a whole or not at all.
        Errors within a group may depend on each other.
    max_group_size : int, optional
        Largest possible size of a group. By default, no group is assumed to be larger than the largest
        one seen.
    thresholds : ndarray of shape (m,), optional
        Thresholds in decreasing order, fixed without these outputs. Needed for "max_risk".
    pilot : array_like, optional
        Other confidences, used to choose the first thresholds to test for "max_risk". By default, a
        tenth of the units is set aside for this choice.
    key : ndarray of shape (2,), uint64
        Seed of the random order, which also depends on the outputs.
    """
    units = shuffled_units(confidence, error, probability, judge, codes, key)
    largest = largest_unit(units, max_group_size if codes is not None else None)
    n, of_accepted = len(units.ends), criterion == "max_risk"
    least = float(units.probability.min())
    needed = 0
    if limit > 0.0:
        items_needed = needed_without_errors(least, limit, failure_probability, largest)
        needed = math.ceil(items_needed * n / len(confidence))
    if limit >= 1.0:
        lowest = units.distinct[-1] if thresholds is None else thresholds[-1]
        return WeightedBets(lowest, largest, needed)
    if limit <= 0.0:
        return WeightedBets(math.inf, largest, needed)
    items = outcomes_of(units)
    begin = looked_at(n)
    if thresholds is None:
        falling, ends = _own_thresholds(units, begin)
    else:
        falling = thresholds
        ends = np.searchsorted(-units.distinct.astype(np.float64), -thresholds, side="right")
        if of_accepted and pilot is None:
            begin = max(1, n // PILOT)
    clips = Clips.of(Weights(units.probability), limit, failure_probability, largest, begin)

    def proves(index: int, level: float) -> bool:
        return bool(
            _kernels.betting.reaches(
                units.place, items, units.probability, clips.first, clips.bets, units.ends,
                int(ends[index]), clips.begin, limit, of_accepted, 1.0 / level,
            )
        )  # fmt: skip

    if of_accepted:
        first = units.ends[begin - 1]
        if pilot is None:
            shares = np.array([np.mean(units.place[:first] < end) for end in ends.tolist()])
        else:
            shares = pilot_shares(pilot, falling)
        # The effective number of outputs, from which the starts are chosen.
        size = int(len(confidence) * float(units.probability[:first].min()) / largest)
        starts = starts_of(shares, max(1, size), limit, failure_probability)
        last = last_proved(proves, starts, len(ends), failure_probability)
    else:
        last = _last_in_sequence(proves, len(ends), failure_probability)
    return WeightedBets(falling[last] if last >= 0 else math.inf, largest, needed)


def shuffled_units(
    confidence: NDArray[Any],
    error: NDArray[np.float64],
    probability: NDArray[np.float64],
    judge: NDArray[np.float64] | None,
    codes: NDArray[np.intp] | None,
    key: NDArray[np.uint64],
) -> Units:
    """Put the units into a random order that does not depend on the order of the arrays."""
    n = len(confidence)
    distinct, place = np.unique(confidence, return_inverse=True)
    place = len(distinct) - 1 - place.astype(np.int64)
    columns = [place, probability, error] if judge is None else [place, judge, probability, error]
    sorted_items = np.lexsort(columns)
    rng = generator_for(
        key, *(each[sorted_items] for each in columns), None if codes is None else codes[sorted_items]
    )
    if codes is None:
        order = sorted_items[rng.permutation(n)]
        ends = np.arange(1, n + 1, dtype=np.int64)
    else:
        sizes = np.bincount(codes)
        rank = np.empty(len(sizes), np.intp)
        drawn = rng.permutation(len(sizes))
        rank[drawn] = np.arange(len(sizes))
        order = sorted_items[np.argsort(rank[codes][sorted_items], kind="stable")]
        ends = np.cumsum(sizes[drawn]).astype(np.int64)
    return Units(
        distinct[::-1], place[order], error[order], probability[order],
        None if judge is None else judge[order], ends,
    )  # fmt: skip


def largest_unit(units: Units, declared: int | None) -> int:
    """Return the largest size of a unit; raise if it exceeds the declared one."""
    return largest_group(int(np.diff(units.ends, prepend=0).max()), declared)


def outcomes_of(units: Units) -> NDArray[np.float64]:
    """Return each output's terms of the bets, in the columns that the kernel expects."""
    known = ~np.isnan(units.error)
    weight = np.where(known, 1.0 / units.probability, 0.0)
    wrong = np.where(known, units.error, 0.0)
    if units.judge is None:
        return np.ascontiguousarray((weight * wrong)[:, None])
    expected = _calibrated(units)
    spread = weight * (weight - 1.0) * known
    return np.stack(
        [
            weight * wrong,
            expected * (1.0 - weight),
            spread * wrong * expected,
            spread * expected**2,
        ],
        axis=1,
    )


def _calibrated(units: Units) -> NDArray[np.float64]:
    """Return the judge's error probability, recalibrated block by block on the earlier units."""
    if units.judge is None:
        raise AssertionError
    found = units.judge.copy()
    n = len(units.ends)
    bounds = [int(units.ends[n // part - 1]) for part in BLOCKS if n // part] + [len(found)]
    for start, stop in pairwise(bounds):
        known = np.flatnonzero(~np.isnan(units.error[:start]))
        if len(known):
            found[start:stop] = _isotonic(
                units.judge[known], units.error[known], 1.0 / units.probability[known],
                units.judge[start:stop],
            )  # fmt: skip
    return found


def _isotonic(
    judge: NDArray[np.float64],
    error: NDArray[np.float64],
    weight: NDArray[np.float64],
    new: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the isotonic regression of `error` on `judge` at `new`, as a step function."""
    values, index = np.unique(judge, return_inverse=True)
    errors, weights = np.bincount(index, weight * error), np.bincount(index, weight)
    last = np.empty(len(values), np.int64)
    m = _kernels.betting.pool_weighted(errors, weights, last)
    at = np.searchsorted(values, new, side="right") - 1
    block = np.searchsorted(last[:m], np.maximum(at, 0))
    return np.asarray((errors[:m] / weights[:m])[block])


def _own_thresholds(units: Units, begin: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return thresholds taken from these outputs, and how many distinct confidences each accepts."""
    if len(units.place) <= MOST_IN_FULL:
        return units.distinct, np.arange(1, len(units.distinct) + 1)
    places = np.unique(units.place[: units.ends[begin - 1]])
    return units.distinct[places], places + 1


def _last_in_sequence(proves: Callable[[int, float], bool], n: int, level: float) -> int:
    """Return the index of the last threshold before the first unproved one; −1 if there is none."""
    for index in range(n):
        if not proves(index, level):
            return index - 1
    return n - 1
