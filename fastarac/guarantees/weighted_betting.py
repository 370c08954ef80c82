"""Guarantees from outputs of which some are verified, with probabilities that differ: betting.

With A the acceptance at a threshold, e the error, V the verification and π its probability, each output
has Y = A·(κĵ + V(e − κĵ)/π), whose mean is the error rate whatever ĵ is: the judge's probability of an
error, made of the outputs before it alone. A capital of 1 bets on Y being below the limit ε, in random
order: Π(1 + λ(ε − Y)), which is never below 0. While the rate is at least ε, it ever reaches 1/δ with a
probability of at most δ (Ville 1939; Waudby-Smith and Ramdas 2024; Shekhar and others 2023).

**The clip.** An error at a small π would lose nearly everything, so that λ would have to be below
1/(1/π_min − ε). In place of Y the bets are on 1 − q + qY with q = min(1, cπ): a part 1 − cπ of an
output whose π is below 1/c counts as wrong, seen or not, which can only add errors; and with
λ < 1/(c + 1 − ε) the capital is never below 0, whatever π is. c is chosen with λ, from what each c of a
geometric grid would have added to the outputs before. Where there are at most `SPARE` times the outputs
that a proof needs if none is wrong, the grid begins at 1/π_min, which clips nothing, with
λ < 1/(c + 1 − cπ_min − ε), and `THOUGHT` accepted outputs of π_min are thought to have been before:
π_min is then taken as if it had been fixed before the outputs.

**The bet.** After t of n units with the capital K, λ = φ(u)/(Φ(u)·σ̂·√(n − t)), where Φ(u) = δK/1.05 and
σ̂² is the mean of (ε − Y)² so far, and at most 0.95 of the largest. It is what replicates the payoff of
the normal test, 1/δ where n outputs have a mean far enough below ε, were the gains normal: bolder while
there is little to lose, careful near the goal. Whatever they are, the promise holds.

**The judge.** In random order, blocks end at 1/32, 1/16, 1/8, 1/4 and 1/2 of the units. ĵ of a block
is the isotonic regression, with weights 1/π, of the errors on the judge in the blocks before; in the
first it is what the judge says. κ is the slope through 0 that makes Y vary least, of the accepted units
before, at most 1, so that a judge who is wrong is soon not listened to.

**Thresholds.** All distinct confidences, from high to low without omission, until one is not proved; of
more outputs than `MOST_IN_FULL`, those of the units that are looked at first, without a bet.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from fastarac import _kernels
from fastarac._core.checks import whole_number
from fastarac._core.random_state import generator_for
from fastarac.guarantees.fallback import PILOT, last_proved, pilot_shares, starts_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

BLOCKS = 32, 16, 8, 4, 2  # what the units before a new calibration are a part of
MOST_IN_FULL = 2**12  # outputs whose distinct confidences are all tried
MOST_LOOKED_AT, LOOKED_AT = 2048, 32  # units before the first bet: at most, and one in so many
SPARE = 3.0
THOUGHT = 4.0
CLIPS = np.exp2(np.arange(80, -1, -1) / 4.0)  # c, falling; weights above the first are always clipped


class WeightedBets(NamedTuple):
    """What bets prove of verified outputs."""

    threshold: Any
    """The lowest threshold that is proved; ``inf`` where none is."""
    max_group_size: int
    """Items of a group that are verified as a whole, at most; 1 without groups."""
    needed: int
    """Units without an error from which a limit can be proved, about."""


class Units(NamedTuple):
    """Outputs in random order, those of a unit side by side, and places of their confidences."""

    distinct: NDArray[Any]
    """Confidences, from high to low."""
    place: NDArray[np.int64]
    error: NDArray[np.float64]
    probability: NDArray[np.float64]
    judge: NDArray[np.float64] | None
    ends: NDArray[np.int64]
    """Where each unit ends."""


class Clips(NamedTuple):
    """The weights at which 1/π may be clipped, and what each allows."""

    first: NDArray[np.int64]
    """Of each output, the index of the first that clips it; their number where none does."""
    bets: NDArray[np.float64]
    """Each c, falling to 1; its largest bet; one error at that weight as a prior of a squared gain; and
    what it is thought to have added before the first output; (k, 4)."""
    begin: int
    """Units that are looked at before the first bet."""

    @classmethod
    def of(
        cls, probability: NDArray[np.float64], limit: float, delta: float, largest: int, begin: int
    ) -> Self:
        """Place them for bets on `largest` outputs at a time, at most, that may begin so late."""
        clips, least, thought = CLIPS, 0.0, 0.0
        lowest = float(probability.min())
        if 1.0 <= len(probability) / needed_without_errors(lowest, limit, delta, largest) <= SPARE:
            least, thought = lowest, THOUGHT
            clips = CLIPS[CLIPS * least <= 1.0]
            clips = clips / (clips[0] * least)
            begin = 0 if len(probability) <= MOST_IN_FULL else begin
        # what counts most is an error at the least probability
        lost = (clips + 1.0 - clips * least - limit) * largest
        added = thought * (1.0 - clips * least)
        first = np.searchsorted(-clips, -1.0 / probability, side="right").astype(np.int64)
        return cls(first, np.stack([clips, 1.0 / lost, limit * lost, added], axis=1), begin)


def needed_without_errors(least: float, limit: float, delta: float, largest: int) -> float:
    """Outputs from which a limit above 0 can be proved where none is wrong and nothing is clipped."""
    return math.log(1.0 / delta) * largest / (least * limit)


def least_limit(least: float, n: int, delta: float) -> float:
    """The limit that n outputs can prove at best, as many as `needed_without_errors` says of it."""
    return min(1.0, needed_without_errors(least, n, delta, 1))  # the two take each other's place


def looked_at(n: int) -> int:
    """How many of n units are looked at before the first bet, to choose it and thresholds."""
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
        Of all outputs: the confidence, 1 or 0 for wrong or right and NaN where it was not verified, and
        with which probability, above 0, it was to be.
    criterion, limit, failure_probability
        "max_error_rate" or "max_risk", in [0, 1], and δ.
    judge : ndarray of shape (n,), optional
        What is believed to be the probability of an error, for all outputs, in [0, 1].
    codes : ndarray of shape (n,), int, optional
        Groups, from 0 on, that were verified as a whole or not at all, and may err together.
    max_group_size : int, optional
        Fixed beforehand; by default the largest group that is seen, which is an assumption.
    thresholds : ndarray of shape (m,), falling, optional
        Fixed without these outputs; needed for "max_risk".
    pilot : array_like, optional
        Other confidences, which place the starts of the tests of "max_risk"; by default a tenth of the
        units is set aside.
    key : ndarray of shape (2,), uint64
        Of the random order, together with the outputs.
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
    clips = Clips.of(units.probability, limit, failure_probability, largest, begin)

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
        # what an accepted output counts for, of what was looked at
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
    """Put the units into a random order, that of the items in the arrays left out of it."""
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
    """Outputs that a unit has at most; raises where that is more than was declared."""
    biggest = int(np.diff(units.ends, prepend=0).max())
    if declared is None:
        return biggest
    most = whole_number(declared, "max_group_size", 1)
    if biggest > most:
        raise ValueError(
            f"max_group_size must be at least {biggest}, the size of the largest group, got {most}"
        )
    return most


def outcomes_of(units: Units) -> NDArray[np.float64]:
    """What each output brings to a bet, as the kernel takes it."""
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
    """The judge's probability of an error, recalibrated block by block with the units before."""
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
    """The rate of errors that rises with the judge, between two of its values that of the lower one."""
    values, index = np.unique(judge, return_inverse=True)
    errors, weights = np.bincount(index, weight * error), np.bincount(index, weight)
    last = np.empty(len(values), np.int64)
    m = _kernels.betting.pool_weighted(errors, weights, last)
    at = np.searchsorted(values, new, side="right") - 1
    block = np.searchsorted(last[:m], np.maximum(at, 0))
    return np.asarray((errors[:m] / weights[:m])[block])


def _own_thresholds(units: Units, begin: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Thresholds from these outputs, and how many places each accepts."""
    if len(units.place) <= MOST_IN_FULL:
        return units.distinct, np.arange(1, len(units.distinct) + 1)
    places = np.unique(units.place[: units.ends[begin - 1]])
    return units.distinct[places], places + 1


def _last_in_sequence(proves: Callable[[int, float], bool], n: int, level: float) -> int:
    """The last of n thresholds up to the first that is not proved; −1 where there is none."""
    for index in range(n):
        if not proves(index, level):
            return index - 1
    return n - 1
