"""A sequential sampling plan: how many answers a threshold needs for each number of errors."""

from __future__ import annotations

from bisect import bisect_left
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from fastarac import _kernels

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

MOST_ERRORS = 40  # most errors that a plan allows for; with more, the bets continue without it


@lru_cache(maxsize=8)
def plan_of_any(failure_probability: float, later: float, spending: float) -> NDArray[np.float64]:
    """Return the plan for an unknown number of answers; it spends by errors (see :func:`_plan`).

    After c errors, the share later · (c + 1) ** -spending of the failure probability is left.
    """
    return _plan(failure_probability, lambda c, _: 1.0 - later * (c + 1.0) ** -spending)


@lru_cache(maxsize=8)
def plan_of_budget(
    failure_probability: float, horizon: float, before: float, rise: float, fall: float
) -> NDArray[np.float64]:
    """Return the plan for progress up to a horizon T; it spends by progress (see :func:`_plan`).

    Up to progress τ, at most the share before · (τ/T) ** rise of the failure probability is spent;
    beyond T, all but (1 - before) · (T/τ) ** fall: an error-spending function (Lan and DeMets 1983).
    """

    def spent(_: int, progress: float) -> float:
        if progress < horizon:
            return float(before * (progress / horizon) ** rise)
        return float(1.0 - (1.0 - before) * (horizon / progress) ** fall)

    return _plan(failure_probability, spent)


def _plan(failure_probability: float, spent: Callable[[int, float], float]) -> NDArray[np.float64]:
    """Return the log probability at the limit of being accepted later, by errors so far and progress.

    Progress τ is the number of errors expected so far at the limit, in steps of
    ``_kernels.adaptive_search.STEP``. With c errors, acceptance is possible from τ_c on. At the limit,
    errors follow a Poisson process. With g_c(τ) the probability of c errors up to τ without acceptance,
    τ_c is where g_0(τ_0) + ... + g_c(τ_c) falls within the share ``spent(c, τ_c)`` of the failure
    probability.

    Returns
    -------
    ndarray of shape (MOST_ERRORS + 3, n_steps), float
    """
    step = _kernels.adaptive_search.STEP
    ends: list[int] = []  # τ_c in steps
    paths = np.ones(1)  # g_c(τ) · e^τ at each step; integrated up to τ_c, it gives that of c + 1
    used = 0.0

    def holds(steps: int) -> bool:
        """Return whether acceptance after `steps` is allowed with the next number of errors."""
        accepted = paths[-1] * np.exp(-step * steps)
        return bool(used + accepted <= failure_probability * spent(len(ends), step * steps))

    while len(ends) <= MOST_ERRORS:
        first, more = len(paths) - 1, 1
        while not holds(first + more):
            more *= 2
        end = bisect_left(range(first + more), 1, first, key=holds)
        ends.append(end)
        used += float(paths[-1] * np.exp(-step * end))
        paths = np.append(paths, np.full(end + 1 - len(paths), paths[-1]))
        paths = np.append(0.0, np.cumsum(0.5 * step * (paths[1:] + paths[:-1])))
    progress = step * np.arange(ends[-1] + 1)
    plan = np.empty((MOST_ERRORS + 3, len(progress)))
    plan[MOST_ERRORS + 1 :] = np.log(failure_probability - used)
    chance = np.exp(plan[MOST_ERRORS + 1] - progress)  # of later acceptance, times e^-τ
    for c, end in reversed([*enumerate(ends)]):
        gained = np.append(0.0, np.cumsum(0.5 * step * (chance[1:] + chance[:-1])[:end][::-1]))[::-1]
        chance = np.exp(-progress)
        chance[:end] = chance[end] + gained[:end]
        plan[c] = np.minimum(np.log(chance) + progress, 0.0)
    plan.flags.writeable = False
    return plan
