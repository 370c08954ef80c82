"""Plans of sequential tests: how many answers acceptance needs, for each number of errors."""

from __future__ import annotations

from bisect import bisect_left
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from fastarac import _kernels

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

# Maximum number of errors that the plan covers. After more errors, the bets ignore the plan.
MOST_ERRORS = 40


@lru_cache(maxsize=8)
def plan_of_any(failure_probability: float, later: float, spending: float) -> NDArray[np.float64]:
    """Return a plan whose spent failure probability depends only on the number of errors."""
    return _plan(failure_probability, lambda c, _: 1.0 - later * (c + 1.0) ** -spending)


@lru_cache(maxsize=8)
def plan_of_budget(
    failure_probability: float, horizon: float, before: float, rise: float, fall: float
) -> NDArray[np.float64]:
    """Return a plan that spends failure probability with the progress τ, mostly before `horizon`.

    Such error-spending functions are due to Lan and DeMets (1983).
    """

    def spent(_: int, progress: float) -> float:
        if progress < horizon:
            return float(before * (progress / horizon) ** rise)
        return float(1.0 - (1.0 - before) * (horizon / progress) ** fall)

    return _plan(failure_probability, spent)


def _plan(failure_probability: float, spent: Callable[[int, float], float]) -> NDArray[np.float64]:
    """Return the log probability that a test will still accept if the error rate equals the limit.

    The axes are the number c of errors so far and the progress τ, in steps of
    ``_kernels.adaptive_search.STEP``. τ is the number of errors expected so far at this error rate, so
    that errors follow a Poisson process in τ. With c errors, the test accepts once τ is at least τ_c.
    Let g_c(τ) be the probability of c errors up to τ without acceptance. Then τ_c is the first τ with
    g_0(τ_0) + ... + g_c(τ) at most the share ``spent(c, τ)`` of the failure probability.

    Returns
    -------
    ndarray of shape (MOST_ERRORS + 3, n_steps), float
    """
    step = _kernels.adaptive_search.STEP
    ends: list[int] = []  # τ_c of `_plan`, in steps
    # g_c(τ)·e^τ at each step τ, where c errors were found. Integrals of it are the values for c + 1.
    paths = np.ones(1)
    used = 0.0

    def holds(steps: int) -> bool:
        """Return whether acceptance is allowed at this step with the current number of errors."""
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
    # e^-τ times the probability of later acceptance at each progress τ
    chance = np.exp(plan[MOST_ERRORS + 1] - progress)
    for c, end in reversed([*enumerate(ends)]):
        gained = np.append(0.0, np.cumsum(0.5 * step * (chance[1:] + chance[:-1])[:end][::-1]))[::-1]
        chance = np.exp(-progress)
        chance[:end] = chance[end] + gained[:end]
        plan[c] = np.minimum(np.log(chance) + progress, 0.0)
    plan.flags.writeable = False
    return plan
