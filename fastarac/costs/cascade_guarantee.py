"""Thresholds of a cascade, chosen on one half of the items and tested on the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastarac._core.checks import largest_group
from fastarac._core.exceptions import warn_too_small
from fastarac._core.special import binomial_cdf, binomial_upper_bound
from fastarac._core.text import percent
from fastarac.costs.cascade_counts import counts_of, decided_by
from fastarac.costs.cascade_search import CascadeSearch
from fastarac.costs.stages import MODEL, ErrorLimit, Stages
from fastarac.guarantees.betting import wealth

FIRST = 1 << 16  # number of threshold combinations on the first grid, for each value of BELOW
FINER = 1 << 12  # number of threshold combinations on each finer grid
# Candidates are chosen for stricter limits, at these numbers of standard errors below the given limit.
BELOW = (12.0, 8.0, 6.0, 5.0, 4.0, 3.5, 3.0, 2.5, 2.0, 1.5, 1.0, 0.5, 0.0)
# In even safer candidates, each stage decides fewer items than in the strictest candidate: only this
# share of them, those with the highest confidence.
KEPT = (0.1, 0.25, 0.5, 0.75)

Thresholds = tuple[float, ...]


class Promise(NamedTuple):
    """A limit, the maximum probability that new items exceed it, and the group codes of the items."""

    limit: ErrorLimit
    failure_probability: float
    codes: NDArray[Any] | None
    max_group_size: int | None


class Passed(NamedTuple):
    """Thresholds that passed the test, the tested items, and an upper bound of the tested rate."""

    thresholds: Thresholds
    tested: Stages
    bound: float | None
    max_group_size: int | None


class HeldOutItems(NamedTuple):
    """The items of the test; `drawn` holds a random number in [0, 1) for each."""

    stages: Stages
    drawn: NDArray[np.float64]
    groups: NDArray[np.intp] | None
    sizes: NDArray[np.float64]
    largest: int


def guaranteed_thresholds(stages: Stages, promise: Promise, rng: np.random.Generator) -> Passed:
    """Choose thresholds on a random half of the items, and test them on the other half.

    Raises
    ------
    ValueError
        If no thresholds keep the limit on the first half, or no thresholds pass the test on the other
        half.
    """
    fitting, half = divided(stages, promise, rng, 2)
    search = CascadeSearch(fitting, FIRST, FIRST, FINER)
    path = _path(search, fitting, half, promise.limit.rate)
    passed: Thresholds | None = None
    for thresholds in path:
        if not _passes(half, thresholds, promise):
            break
        passed = thresholds
    if passed is None:
        say_too_small(half, promise)
        passed = (math.inf,) * stages.free
        if not (_leaves_no_error(stages) and keeps_capacities(stages, passed)):
            raise ValueError(
                f"max_error_rate is {promise.limit.rate:g}, but no thresholds guarantee it with "
                f"{percent(1.0 - promise.failure_probability)} confidence: the safest ones leave "
                f"{_errors(half, path[0])} of {half.stages.n_items} items wrong; if the last "
                f"stage, {stages.stages[-1].name!r}, decided all items, errors would also remain or a "
                "capacity would be exceeded"
            )
        return Passed(passed, half.stages, 0.0 if half.groups is None else None, None)
    if half.groups is not None:
        return Passed(passed, half.stages, None, half.largest)
    n = half.stages.n_items
    bound = binomial_upper_bound(_errors(half, passed), n, promise.failure_probability)
    return Passed(passed, half.stages, bound, None)


def divided(
    stages: Stages, promise: Promise, rng: np.random.Generator, one_in: int
) -> tuple[Stages, HeldOutItems]:
    """Draw one in `one_in` items or groups to choose thresholds; return these items and the others.

    The result does not depend on the order of the items.
    """
    n, codes = stages.n_items, promise.codes
    keys = [*stages.correct, *stages.values]
    order = np.lexsort([*keys, *([] if codes is None else [codes])])
    n_units = n if codes is None else int(codes.max()) + 1
    if n_units < 2:
        raise ValueError(
            f"there must be at least two {'items' if codes is None else 'groups'}, one to choose the "
            "thresholds and one to test them, got one"
        )
    first = rng.permutation(n_units) < max(1, n_units // one_in)
    chosen = np.empty(n, np.bool_)
    if codes is None:
        chosen[order] = first
    else:
        chosen = first[codes]
    drawn = np.empty(n)
    drawn[order] = rng.random(n)
    fitting, testing = np.flatnonzero(chosen), np.flatnonzero(~chosen)
    groups, sizes, largest = None, np.ones(len(testing)), 1
    if codes is not None:
        largest = largest_group(int(np.bincount(codes).max()), promise.max_group_size)
        labels, groups = np.unique(codes[testing], return_inverse=True)
        shuffled = rng.permutation(len(labels))
        groups = shuffled[groups]
        sizes = np.bincount(groups).astype(np.float64)
    tested = HeldOutItems(stages.of_items(testing), drawn[testing], groups, sizes, largest)
    return stages.of_items(fitting), tested


def _path(search: CascadeSearch, fitting: Stages, half: HeldOutItems, limit: float) -> list[Thresholds]:
    """Return the combinations of thresholds to test, safest first; `half` is used only for its size."""
    spread = math.sqrt(limit * (1.0 - limit) / half.stages.n_items * float(half.sizes.mean()))
    limits = sorted({min(limit, max(0.0, limit - below * spread)) for below in BELOW})
    path: list[Thresholds] = []
    for own in limits:
        found = search.cheapest(ErrorLimit(own, of_accepted=False))
        if found.excess == 0 and found.thresholds not in path:
            path.append(found.thresholds)
    if not path:
        raise_beyond_limits(search, ErrorLimit(limit, of_accepted=False))
    kept = [_shrunk(fitting, path[0], share) for share in KEPT]
    return [*dict.fromkeys([each for each in kept if keeps_capacities(fitting, each)]), *path]


def _shrunk(stages: Stages, thresholds: Thresholds, share: float) -> Thresholds:
    """Raise each threshold, so that the stage decides only the most confident `share` of its items."""
    decided = decided_by(stages, thresholds)
    found = []
    for s, threshold in enumerate(thresholds):
        own = stages.values[stages.model[s]][decided == s]
        found.append(float(np.quantile(own, 1.0 - share, method="higher")) if len(own) else threshold)
    return tuple(found)


def keeps_capacities(stages: Stages, thresholds: Thresholds) -> bool:
    """Return whether the number of items that reach each stage is within its capacity."""
    return bool(np.all(np.array(counts_of(stages, thresholds).reached) <= stages.capacities()))


def _wrong(half: HeldOutItems, thresholds: Thresholds) -> NDArray[np.bool_]:
    """Return whether each item is wrong in the end; `half.drawn` simulates the errors of people."""
    stages = half.stages
    decided = decided_by(stages, thresholds)
    wrong = np.zeros(stages.n_items, np.bool_)
    for s, stage in enumerate(stages.stages):
        own = decided == s
        right = stages.correct[stages.model[s]].astype(np.bool_)
        if stage.kind == MODEL:
            wrong |= own & ~right
        else:
            found, alarmed = stages.rates(s)
            missed = ~right & (half.drawn >= found) & stages.leaves_errors(s)
            wrong |= own & (missed | (right & (half.drawn < alarmed)))
    return wrong


def _errors(half: HeldOutItems, thresholds: Thresholds) -> int:
    return int(_wrong(half, thresholds).sum())


def _passes(half: HeldOutItems, thresholds: Thresholds, promise: Promise) -> bool:
    wrong = _wrong(half, thresholds)
    limit, delta = promise.limit.rate, promise.failure_probability
    if limit >= 1.0:
        return True
    if half.groups is None:
        return binomial_cdf(int(wrong.sum()), len(wrong), limit) <= delta
    outcomes = np.bincount(half.groups, wrong, len(half.sizes)) - limit * half.sizes
    return wealth(outcomes, half.largest, limit) >= 1.0 / delta


def _leaves_no_error(stages: Stages) -> bool:
    """Return whether the last stage never leaves an error."""
    last = len(stages.stages) - 1
    if not stages.leaves_errors(last):
        return True
    return stages.stages[last].kind != MODEL and stages.rates(last) == (1.0, 0.0)


def say_too_small(half: HeldOutItems, promise: Promise) -> None:
    """Warn if the test cannot prove the limit even without an error, because it has too few items."""
    limit, delta = promise.limit.rate, promise.failure_probability
    if half.groups is not None:
        needed = math.ceil(
            math.log(1.0 / delta) / max(limit, 1e-300) * half.largest / half.sizes.mean()
        )
        there, of = len(half.sizes), "groups"
    else:
        needed = math.ceil(math.log(delta) / math.log1p(-limit)) if limit > 0.0 else math.inf
        there, of = half.stages.n_items, "items"
    if there < needed:
        expected = f"at least {needed} are needed" if needed < math.inf else "no number is enough"
        warn_too_small(
            f"the test has {there} {of}; even without an error, {expected} for a limit of "
            f"{limit:g}: nothing can be accepted"
        )


def raise_beyond_limits(search: CascadeSearch, limit: ErrorLimit | None) -> None:
    """Raise a ValueError about the limit that cannot be kept."""
    stages = search.stages
    least = search.fewest_errors()
    counts = counts_of(stages, least.thresholds)
    if least.excess > 0:
        beyond = [
            f"{share / stages.n_items:.4g} of the items reach {stage.name!r}"
            f" (max_share {stage.max_share:g})"
            for stage, share, most in zip(
                stages.stages, counts.reached, stages.capacities().tolist(), strict=True
            )
            if share > most
        ]
        raise ValueError(
            f"no thresholds keep all capacities: even with the smallest excess, {' and '.join(beyond)}"
        )
    if limit is None:
        raise AssertionError(least)  # without a limit, only capacities can be exceeded
    if limit.of_accepted:
        raise ValueError(
            f"max_risk is {limit.rate:g}, but no thresholds keep it together with all capacities"
        )
    raise ValueError(
        f"max_error_rate is {limit.rate:g}, but these stages leave an error rate of at least "
        f"{counts.errors() / stages.n_items:.6g} (at thresholds "
        f"{', '.join(_in_words(stages, least.thresholds))})"
    )


def _in_words(stages: Stages, thresholds: Sequence[float]) -> list[str]:
    return [
        f"{stage.name} {stages.threshold(s, value)}"
        for s, (stage, value) in enumerate(zip(stages.stages, thresholds, strict=False))
    ]
