"""A sequential sampling plan: after how many answers with so many errors a threshold is accepted."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from fastarac import _kernels

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_ERRORS = 40  # that the plan allows for; with more, the bets go on without it


@lru_cache(maxsize=8)
def plan_of(failure_probability: float, later: float, spending: float) -> NDArray[np.float64]:
    """The logarithm of the chance to be accepted yet, at the limit, by errors so far and progress.

    Progress τ is the number of errors expected at the limit so far, in steps of
    ``_kernels.adaptive_search.STEP``. With c errors one accepts from τ_c on. At the limit errors come
    as a Poisson process; with g_c(τ) for the probability of c errors up to τ and no acceptance, τ_c is
    where g_c has fallen to what is spent on c errors. Of the failure probability,
    later · (c + 1) ** -spending is left after c errors.

    Returns
    -------
    ndarray of shape (MOST_ERRORS + 3, n_steps), float
    """
    step = _kernels.adaptive_search.STEP
    errors = np.arange(MOST_ERRORS + 1)
    left = failure_probability * later * (errors + 1.0) ** -spending
    spent = -np.diff(left, prepend=failure_probability)
    ends = np.empty(len(errors), np.int64)  # τ_c in steps
    paths = np.ones(1)  # g_c · e^τ by steps: its integral up to the end is that of c + 1
    for c in errors:
        end = max(len(paths) - 1, int(np.ceil(np.log(paths[-1] / spent[c]) / step)))
        ends[c] = end
        paths = np.append(paths, np.full(end + 1 - len(paths), paths[-1]))
        paths = np.append(0.0, np.cumsum(0.5 * step * (paths[1:] + paths[:-1])))
    progress = step * np.arange(ends[-1] + 1)
    plan = np.empty((MOST_ERRORS + 3, len(progress)))
    plan[MOST_ERRORS + 1 :] = np.log(left[-1])
    chance = np.exp(plan[MOST_ERRORS + 1] - progress)  # times e^-τ
    for c in errors[::-1]:
        end = ends[c]
        gained = np.append(0.0, np.cumsum(0.5 * step * (chance[1:] + chance[:-1])[:end][::-1]))[::-1]
        chance = np.exp(-progress)
        chance[:end] = chance[end] + gained[:end]
        plan[c] = np.minimum(np.log(chance) + progress, 0.0)
    plan.flags.writeable = False
    return plan
