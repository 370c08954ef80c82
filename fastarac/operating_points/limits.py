"""The last point of a sweep that keeps a limit, and the acceptance rate there."""

from __future__ import annotations

from bisect import bisect_right
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from fastarac._core.exceptions import warn_undefined
from fastarac.operating_points.ties import errors_at, fraction_of_errors, fraction_of_risk
from fastarac.samples.door import as_ranked, is_partial, known_best

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from fastarac._engine.counts import CountsAtThresholds
    from fastarac.reviewer import Reviewer
    from fastarac.sweep import CornerSweep, ThresholdSweep

CHUNK = 1 << 16
# With a reviewer, error rates closer to the limit than this are computed again, exactly.
ROUNDING = 1e-12


def last_accepted(sweep: ThresholdSweep, never_accepted: float | None) -> int:
    """Return the index of the last point with a threshold above `never_accepted`, if that is given."""
    if never_accepted is None or not sweep.thresholds[-1] <= never_accepted:
        return len(sweep.true_accepts) - 1
    return int((sweep.thresholds > never_accepted).sum()) - 1


def most_accepted(sweep: ThresholdSweep, never_accepted: float | None) -> float:
    """Return the largest acceptance rate with a threshold above `never_accepted`, if that is given."""
    last = last_accepted(sweep, never_accepted)
    return float((sweep.true_accepts[last] + sweep.false_accepts[last]) / sweep.total)


def values_at_limits(
    of: Callable[[CountsAtThresholds, NDArray[np.float64]], NDArray[np.float64]],
    limits: NDArray[np.float64],
    correct: ArrayLike | ThresholdSweep | CornerSweep,
    confidence: ArrayLike | None,
    sample_weight: ArrayLike | None,
) -> float | NDArray[np.float64]:
    """Return ``of(counts, limits)``; for partial truth, with the counts most precise for each limit."""
    if is_partial(correct):

        def acceptance(sweep: ThresholdSweep, limit: NDArray[np.float64]) -> float:
            return float(of(sweep, limit)[0])

        every = [partial(acceptance, limit=limit) for limit in limits.reshape(-1, 1)]
        given = correct, confidence, sample_weight
        values = np.array([each(known_best(*given, each)[0]) for each in every])
    else:
        values = of(as_ranked(correct, confidence, sample_weight, corners=True).corners, limits)
    return values.reshape(limits.shape) if limits.ndim else float(values[0])


def acceptances_at_error_rates(
    sweep: CountsAtThresholds,
    limits: NDArray[np.float64],
    reviewer: Reviewer | None,
    *,
    interpolate: bool,
) -> NDArray[np.float64]:
    """Return :func:`.acceptance_at_error_rate` as a flat array, for limits known to be valid."""
    sweep = sweep.rising
    ta, fa, total = sweep.true_accepts, sweep.false_accepts, sweep.total
    values = np.empty(limits.size)
    for k, limit in enumerate(limits.flat):
        i = last_within(sweep, limit, reviewer)
        if i < 0:
            values[k] = np.nan
            continue
        accepted = ta[i] + fa[i]
        if interpolate:
            slack = limit * total - errors_at(sweep, slice(i, i + 1), reviewer)[0]
            fraction = fraction_of_errors(slack, sweep, i, reviewer)
            if fraction > 0.0:
                accepted = accepted + fraction * (ta[i + 1] + fa[i + 1] - accepted)
        values[k] = accepted / total
    if np.isnan(values).any():
        lowest = limits.ravel()[np.isnan(values)].max()
        warn_undefined("the acceptance rate", out_of_reach(sweep, lowest, reviewer, "max_error_rate"))
    return values


def acceptances_at_risks(
    sweep: CountsAtThresholds, limits: NDArray[np.float64], *, interpolate: bool
) -> NDArray[np.float64]:
    """Return :func:`.acceptance_at_risk` as a flat array, for limits known to be valid."""
    sweep = sweep.rising
    ta, fa = sweep.true_accepts, sweep.false_accepts
    values = np.empty(limits.size)
    for k, limit in enumerate(limits.flat):
        i = last_with_risk(sweep, limit)
        values[k] = ta[i] + fa[i]
        if interpolate and i + 1 < len(ta):
            values[k] += fraction_of_risk(limit, sweep, i) * (ta[i + 1] + fa[i + 1] - values[k])
    return values / sweep.total


def last_within(
    sweep: CountsAtThresholds, max_error_rate: float, reviewer: Reviewer | None = None
) -> int:
    """Return the index of the last point with an error rate within `max_error_rate`, or -1."""
    fa, total = sweep.false_accepts, sweep.total
    if reviewer is None:
        count, whole = fa.item, float(total)
        return bisect_right(range(len(fa)), max_error_rate, key=lambda i: float(count(i)) / whole) - 1
    # With a reviewer, the rate may decrease along the sweep, so search all points from the last one.
    for stop in range(len(fa), 0, -CHUNK):
        start = max(0, stop - CHUNK)
        rates = errors_at(sweep, slice(start, stop), reviewer) / total
        candidates: list[int] = np.flatnonzero(rates <= max_error_rate + ROUNDING).tolist()
        for i in reversed(candidates):
            near = rates[i] > max_error_rate - ROUNDING
            if not near or _exact_rate(sweep, start + i, reviewer) <= max_error_rate:
                return start + i
    return -1


def _exact_rate(sweep: CountsAtThresholds, index: int, reviewer: Reviewer) -> float:
    """Return the exact error rate at a point, with a reviewer's rate of 0.1 taken as exactly 1/10."""
    correct, incorrect = Fraction(sweep.n_correct), Fraction(sweep.n_incorrect)
    ta, fa = (Fraction(each[index].item()) for each in (sweep.true_accepts, sweep.false_accepts))
    found, spoiled = (
        Fraction(repr(rate)) for rate in (reviewer.detection_rate, reviewer.false_alarm_rate)
    )
    errors = fa + (1 - found) * (incorrect - fa) + spoiled * (correct - ta)
    return float(errors / (correct + incorrect))


def out_of_reach(sweep: CountsAtThresholds, limit: float, reviewer: Reviewer | None, name: str) -> str:
    """Return an error message: the limit is below the lowest error rate that the reviewer allows."""
    rates = errors_at(sweep, slice(None), reviewer) / sweep.total
    lowest = len(rates) - 1 - int(rates[::-1].argmin())
    return (
        f"{name} is {limit:.12g}, but the reviewer leaves an error rate of at least "
        f"{rates[lowest]:.6g} (at threshold {sweep.thresholds[lowest]})"
    )


def last_with_risk(sweep: CountsAtThresholds, max_risk: float) -> int:
    """Return the index of the last point with a risk of at most `max_risk`, or 0 if there is none."""
    for stop in range(len(sweep.false_accepts), 1, -CHUNK):
        start = max(1, stop - CHUNK)
        errors = sweep.false_accepts[start:stop]
        within = np.flatnonzero(errors / (errors + sweep.true_accepts[start:stop]) <= max_risk)
        if len(within):
            return start + int(within[-1])
    return 0
