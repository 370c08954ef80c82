"""Guarantees of a risk by the fallback procedure, at fixed thresholds or at those of the items."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastarac._core.checks import choice
from fastarac._core.special import binomial_cdf
from fastarac._engine.inputs import vector
from fastarac.samples.door import as_sweep
from fastarac.sweep import ThresholdSweep

Scale = Literal["percent", "unit"]
SCALES = ("percent", "unit")
ENDS = {"percent": 100.0, "unit": 1.0}
# Words for messages: what a limit on the risk needs, and how to give it.
FIXED = "thresholds that were fixed without these items"
HOW_TO_FIX = "give thresholds, or scale='unit' for confidences in [0, 1], or scale='percent'"
# Relative rounding error by which float32 confidences may exceed the end of a scale.
ROUNDING = 1e-6
# If the confidences are percentages, at most this share of the distinct ones lies in [0, 1] by chance.
BY_CHANCE = 0.05
STARTS = 5  # number of thresholds at which tests start
# The first start accepts FEWEST·ln(STARTS/δ)/limit items, where δ is the failure probability. The last
# start accepts the share MOST of all items.
FEWEST, MOST = 1.5, 0.97
PILOT = 10  # one in PILOT items is set aside to choose the starts
RANKS = 1000  # maximum number of the items' own thresholds to test, besides the starts
_DECADES = 6


class Start(NamedTuple):
    """A threshold at which tests start: its index, and its share of the failure probability."""

    place: int
    weight: float


def fixed_thresholds(thresholds: ArrayLike | None, scale: str | None) -> NDArray[np.float64] | None:
    """Return `thresholds`, or those of a scale, in decreasing order; None if neither is given."""
    if thresholds is not None and scale is not None:
        raise TypeError("thresholds and scale are both given; give only one")
    if thresholds is not None:
        given = vector(thresholds, "thresholds").astype(np.float64)
        if not (len(given) and np.isfinite(given).all()):
            raise ValueError(
                f"thresholds must hold at least one number, all finite, got {given.tolist()}"
            )
        return np.unique(given)[::-1]
    if scale is None:
        return None
    choice(scale, "scale", SCALES)
    if scale == "percent":
        return np.arange(100.0, -1.0, -1.0)
    # Below 0.5: steps of 0.01, and twelve steps per decade from 1e-6 to 0.1. Above 0.5: the complements
    # 1 − t of these thresholds t.
    low = np.concatenate([np.linspace(0.0, 0.5, 51), 10.0 ** np.linspace(-_DECADES, -1.0, 61)])
    return np.unique(np.concatenate([low, 1.0 - low]))[::-1]


def require_on_scale(values: NDArray[Any], name: str, scale: str) -> None:
    """Raise unless confidences (distinct, in increasing order) lie on the declared scale."""
    low, high = float(values[0]), float(values[-1])
    if low < 0.0 and len(values) > 1 and values[1] >= 0.0:
        low = float(values[1])  # a single negative value marks outputs that are never accepted
    if _lies_within(low, high, scale):
        return
    other = next((f"scale={each!r}" for each in SCALES if _lies_within(low, high, each)), None)
    raise ValueError(
        f"{name} must run from 0 to {ENDS[scale]:g} for scale={scale!r}, got {low:.6g} to "
        f"{high:.6g}; use {other or FIXED}"
    )


def _lies_within(low: float, high: float, scale: str) -> bool:
    """Return whether values from `low` to `high` fit a scale; "percent" needs a value above 1."""
    slack = ROUNDING * ENDS[scale]
    return -slack <= low and high <= ENDS[scale] + slack and (scale == "unit" or high > 1.0)


def require_within_reach(values: NDArray[Any], grid: NDArray[np.float64]) -> None:
    """Raise if fixed thresholds (decreasing) clearly use another scale than the confidences."""
    low, high = float(values[0]), float(values[-1])
    of_unit = grid[-1] >= 0.0 and 0.0 < grid[0] <= 1.0
    if grid[-1] > high or (of_unit and np.mean(values <= 1.0) <= BY_CHANCE):
        raise ValueError(
            f"thresholds run from {grid[-1]:.6g} to {grid[0]:.6g}, but confidences from {low:.6g} "
            f"to {high:.6g}: use one scale for both"
        )


def set_aside(
    sweep: ThresholdSweep, rng: np.random.Generator
) -> tuple[ThresholdSweep, NDArray[np.int64]]:
    """Draw a tenth of the items; return the sweep of the rest, and the number drawn per confidence."""
    counts = np.concatenate([np.diff(sweep.true_accepts), np.diff(sweep.false_accepts)])
    n = int(sweep.total)
    drawn = rng.multivariate_hypergeometric(counts, -(-n // PILOT), method="marginals")
    m = len(sweep.thresholds) - 1
    left = counts - drawn
    kept = left[:m] + left[m:] > 0
    if not kept.any():
        return sweep, np.zeros(m, np.int64)
    rest = ThresholdSweep.from_counts(sweep.thresholds[1:][kept], left[:m][kept], left[m:][kept])
    return rest, drawn[:m] + drawn[m:]


def starts_of(shares: NDArray[np.float64], n: int, limit: float, delta: float) -> list[Start]:
    """Return the thresholds at which tests start, given the share of items that each accepts."""
    accepted = targets(n, limit, delta)
    places = np.minimum(np.searchsorted(shares * n, accepted), len(shares) - 1)
    return starts_at((place, 1.0 / len(accepted)) for place in places.tolist())


def targets(n: float, limit: float, delta: float) -> NDArray[np.float64]:
    """Return the numbers of accepted items at which tests start."""
    first = FEWEST * math.log(STARTS / delta) / limit if limit > 0.0 else math.inf
    return np.array([MOST * n]) if first > MOST * n else np.geomspace(first, MOST * n, STARTS)


def starts_at(places: Iterable[tuple[int, float]]) -> list[Start]:
    """Return the sorted starts, given pairs (index, weight); weights with the same index are added."""
    found: dict[int, float] = {}
    for place, weight in places:
        found[place] = found.get(place, 0.0) + weight
    return [Start(*start) for start in sorted(found.items())]


def proved_in_turn(
    proves: Callable[[int, float], bool], starts: list[Start], n: int, delta: float
) -> list[int]:
    """Test thresholds 0 to n − 1 in order by `proves(index, level)`; return the proved indices.

    Each start adds its share of δ to the level of its test. If a test succeeds, its level passes on to
    the next threshold. If it fails, the level is lost.
    """
    spent = {start.place: start.weight * delta for start in starts}
    level, proved = 0.0, []
    for index in range(starts[0].place if starts else n, n):
        level += spent.get(index, 0.0)
        if level and proves(index, level):
            proved.append(index)
        else:
            level = 0.0
    return proved


def last_proved(proves: Callable[[int, float], bool], starts: list[Start], n: int, delta: float) -> int:
    """Return the index of the lowest threshold that `proved_in_turn` proves; −1 if there is none."""
    return max(proved_in_turn(proves, starts, n, delta), default=-1)


def rejected(
    accepted: NDArray[np.int64],
    errors: NDArray[np.int64],
    starts: list[Start],
    limit: float,
    delta: float,
) -> list[int]:
    """Return the indices of the thresholds whose risk is proved to be within the limit."""

    def proves(index: int, level: float) -> bool:
        n = int(accepted[index])
        return bool(n) and binomial_cdf(int(errors[index]), n, limit) <= level

    return proved_in_turn(proves, starts, len(accepted), delta)


def rejected_by_rank(
    accepted: NDArray[np.int64],
    errors: NDArray[np.int64],
    n: int,
    limit: float,
    delta: float,
    rng: np.random.Generator,
) -> NDArray[np.intp]:
    """Return the indices of the distinct confidences at which the risk provably keeps the limit.

    `accepted` and `errors` are the counts at all distinct confidences, from the highest down. Tests
    start at fixed ranks k, because the k items above a fixed rank are independent, given the confidence
    at this rank. If rank k is within a tie, random items of the tie complete the first k items. A start
    is used only if its k items pass a test.
    """
    if limit >= 1.0:
        return np.arange(len(accepted))
    ranks = np.ceil(targets(n, limit, delta)).astype(np.int64)
    tried = np.union1d(ranks, np.linspace(ranks[0], n, min(RANKS, n)).astype(np.int64))
    places = np.unique(np.searchsorted(accepted, tried))
    places = places[places < len(accepted)]
    weight, used = 1.0 / len(ranks), []
    for rank, place in zip(ranks.tolist(), np.searchsorted(accepted, ranks).tolist(), strict=True):
        if place == len(accepted):
            continue
        whole, above = (int(each[place - 1]) if place else 0 for each in (accepted, errors))
        wrong = int(errors[place]) - above
        above += int(rng.hypergeometric(wrong, int(accepted[place]) - whole - wrong, rank - whole))
        if binomial_cdf(above, rank, limit) <= weight * delta:
            used.append((int(np.searchsorted(places, place)), weight))
    return places[rejected(accepted[places], errors[places], starts_at(used), limit, delta)]


def points_at(sweep: ThresholdSweep, thresholds: NDArray[Any]) -> NDArray[np.intp]:
    """Return how many distinct confidences of the sweep each threshold accepts."""
    return np.searchsorted(-sweep.thresholds[1:].astype(np.float64), -thresholds, side="right")


def pilot_shares(pilot: ArrayLike, thresholds: NDArray[Any]) -> NDArray[np.float64]:
    """Return the share of the pilot's confidences that each threshold accepts."""
    others = as_sweep(np.zeros(len(np.atleast_1d(pilot)), np.bool_), pilot)
    return counts_at(others, thresholds)[0] / float(others.total)


def counts_at(
    sweep: ThresholdSweep, thresholds: NDArray[Any]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the accepted items, and the errors among them, at decreasing thresholds."""
    at = points_at(sweep, thresholds)
    return (sweep.true_accepts + sweep.false_accepts)[at], sweep.false_accepts[at]
