"""Guarantees from outputs of which some are verified, with probabilities that differ: betting.

With A the acceptance at a threshold, e the error, V the verification and π its probability, each output
has Y = A·(κĵ + V(e − κĵ)/π), whose mean is the error rate whatever ĵ is: the judge's probability of an
error, made of the outputs before it alone. A capital of 1 bets on Y being below the limit ε, in random
order: Π(1 + λ(ε − Y)), with 0 ≤ λ < 1/(1/π_min − ε). While the rate is at least ε, it ever reaches 1/δ
with a probability of at most δ (Ville 1939; Waudby-Smith and Ramdas 2024; Shekhar and others 2023).

**The bet.** After t of n units with the capital K, λ = φ(u)/(Φ(u)·σ̂·√(n − t)), where Φ(u) = δK/1.05 and
σ̂² is the mean of (ε − Y)² so far, and at most 0.95 of the largest. It is what replicates the payoff of
the normal test, 1/δ where n outputs have a mean far enough below ε, were the gains normal: bolder while
there is little to lose, careful near the goal. Whatever they are, the promise holds.

**The judge.** In random order, blocks end at 1/32, 1/16, 1/8, 1/4 and 1/2 of the units. ĵ of a block
is the isotonic regression, with weights 1/π, of the errors on the judge in the blocks before; in the
first it is what the judge says. κ is the slope through 0 that makes Y vary least, of the accepted units
before, at most 1, so that a judge who is wrong is soon not listened to.

**Thresholds.** All distinct confidences, from high to low without omission, until one is not proved; of
more outputs than `MOST_IN_FULL`, those of a few units that are looked at first, without a bet.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac import _kernels
from fastarac._core.checks import whole_number
from fastarac.guarantees.fallback import PILOT, last_proved, pilot_shares, starts_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

BLOCKS = 32, 16, 8, 4, 2  # what the units before a new calibration are a part of
MOST_IN_FULL = 2**15  # outputs with a judge whose distinct confidences are all tried
MOST_WITHOUT_JUDGE = 2**18
MOST_PLACED, PLACING = 2048, 32  # units that give thresholds to the others: at most, and one in so many


class WeightedBets(NamedTuple):
    """What bets prove of verified outputs."""

    threshold: Any
    """The lowest threshold that is proved; ``inf`` where none is."""
    least_probability: float
    """The least probability of being verified that the proof needs."""
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
    least_probability: float | None = None,
    thresholds: NDArray[np.float64] | None = None,
    pilot: ArrayLike | None = None,
    rng: np.random.Generator,
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
    max_group_size, least_probability : optional
        What was fixed beforehand; by default the largest group and the least probability that are seen,
        which is an assumption.
    thresholds : ndarray of shape (m,), falling, optional
        Fixed without these outputs; needed for "max_risk".
    pilot : array_like, optional
        Other confidences, which place the starts of the tests of "max_risk"; by default a tenth of the
        units is set aside.
    rng : Generator
        Of the random order.
    """
    units = shuffled_units(confidence, error, probability, judge, codes, rng)
    least, largest = _bounds(units, least_probability, max_group_size, grouped=codes is not None)
    n, of_accepted = len(units.ends), criterion == "max_risk"
    step = 1.0 / least - limit  # what an output may lose
    needed = math.ceil(math.log(1.0 / failure_probability) * largest / (least * max(limit, 1e-300))
                       * n / len(confidence)) if limit > 0.0 else 0  # fmt: skip
    if limit >= 1.0:
        lowest = units.distinct[-1] if thresholds is None else thresholds[-1]
        return WeightedBets(lowest, least, largest, needed)
    if limit <= 0.0:
        return WeightedBets(math.inf, least, largest, needed)
    items = outcomes_of(units)
    begin = 0
    if thresholds is None:
        falling, ends, begin = _own_thresholds(units)
    else:
        falling = thresholds
        ends = np.searchsorted(-units.distinct.astype(np.float64), -thresholds, side="right")
        if of_accepted and pilot is None:
            begin = max(1, n // PILOT)
    largest_bet = 1.0 / (step * largest)
    # limit / largest_bet: one error at the least probability, with the chance that is allowed

    def proves(index: int, level: float) -> bool:
        return bool(
            _kernels.betting.reaches(
                units.place, items, units.ends, int(ends[index]), begin, limit, of_accepted,
                largest_bet, limit / largest_bet, 1.0 / level,
            )
        )  # fmt: skip

    if of_accepted:
        if pilot is None:
            first = units.place[: units.ends[begin - 1]]
            shares = np.array([np.mean(first < end) for end in ends.tolist()])
        else:
            shares = pilot_shares(pilot, falling)
        # what an accepted output counts for
        starts = starts_of(
            shares, max(1, int(len(confidence) * least / largest)), limit, failure_probability
        )
        last = last_proved(proves, starts, len(ends), failure_probability)
    else:
        last = _last_in_sequence(proves, _deciding(units, ends), failure_probability)
    return WeightedBets(falling[last] if last >= 0 else math.inf, least, largest, needed)


def shuffled_units(
    confidence: NDArray[Any],
    error: NDArray[np.float64],
    probability: NDArray[np.float64],
    judge: NDArray[np.float64] | None,
    codes: NDArray[np.intp] | None,
    rng: np.random.Generator,
) -> Units:
    """Put the units into a random order, that of the items in the arrays left out of it."""
    n = len(confidence)
    distinct, place = np.unique(confidence, return_inverse=True)
    place = len(distinct) - 1 - place.astype(np.int64)
    columns = [place, probability, error] if judge is None else [place, judge, probability, error]
    sorted_items = np.lexsort(columns)
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


def _bounds(
    units: Units, least: float | None, largest: int | None, *, grouped: bool
) -> tuple[float, int]:
    """The least probability and the largest group; raises where one that was declared is not kept."""
    seen = float(units.probability.min())
    if least is not None and seen < least:
        raise ValueError(
            f"least_probability is {least:g}, but an output is verified with probability {seen:g}"
        )
    biggest = largest_unit(units, largest if grouped else None)
    return (seen if least is None else least), biggest


def largest_unit(units: Units, declared: int | None) -> int:
    """Outputs that a unit has at most; raises where that is more than was declared."""
    biggest = int(np.diff(units.ends, prepend=0).max())
    if declared is None:
        return biggest
    most = whole_number(declared, "max_group_size", 1)
    if biggest > most:
        raise ValueError(f"max_group_size is {most}, but a group has {biggest} items")
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


def _own_thresholds(units: Units) -> tuple[NDArray[Any], NDArray[np.int64], int]:
    """Thresholds from these outputs, how many places each accepts, and units that are not bet on."""
    n = len(units.place)
    if n <= (MOST_WITHOUT_JUDGE if units.judge is None else MOST_IN_FULL):
        return units.distinct, np.arange(1, len(units.distinct) + 1), 0
    begin = max(1, min(MOST_PLACED, len(units.ends) // PLACING))
    places = np.unique(units.place[: units.ends[begin - 1]])
    return units.distinct[places], places + 1, begin


def _deciding(units: Units, ends: NDArray[np.int64]) -> list[int]:
    """Indices of the thresholds that have to be tested: without a judge, each before the next error.

    Between two known errors the bets are the same, and so the lowest of these thresholds stands for
    all of them.
    """
    m = len(ends)
    if units.judge is not None:
        return list(range(m))
    errors = np.unique(units.place[units.error == 1.0])
    # the first threshold that accepts a place, and so the one before it is the last without
    first = np.searchsorted(ends, errors, side="right")
    deciding: list[int] = np.unique(np.append(first[(first > 0) & (first < m)] - 1, m - 1)).tolist()
    return deciding


def _last_in_sequence(proves: Callable[[int, float], bool], tested: list[int], level: float) -> int:
    """The last of the thresholds up to the first that is not proved; −1 where there is none."""
    last = -1
    for index in tested:
        if not proves(index, level):
            break
        last = index
    return last
