"""The fraction of a tie (items of equal confidence) that may be accepted within a limit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fastarac._engine.counts import AcceptedCounts
    from fastarac.reviewer import Reviewer


def errors_at(sweep: AcceptedCounts, part: slice, reviewer: Reviewer | None) -> NDArray[Any]:
    """Return the number of items that are wrong after verification, at the points in `part`."""
    errors = sweep.false_accepts[part]
    if reviewer is None:
        return errors
    rejected = sweep.n_correct - sweep.true_accepts[part], sweep.n_incorrect - errors
    return reviewer.errors(errors, *rejected)  # type: ignore[no-any-return]


def fraction_of_tie(slack: float, sweep: AcceptedCounts, index: int) -> float:
    """Return the fraction of the next tie, in [0, 1], that adds `slack` accepted items.

    `index` must not be the last point.
    """
    tie = sweep.false_accepts[index + 1] - sweep.false_accepts[index]
    tie = tie + sweep.true_accepts[index + 1] - sweep.true_accepts[index]
    return float(min(max(slack / tie, 0.0), 1.0))


def fraction_of_errors(
    slack: float, sweep: AcceptedCounts, index: int, reviewer: Reviewer | None
) -> float:
    """Return the fraction of the next tie, in [0, 1], that adds `slack` errors."""
    if index + 1 == len(sweep.true_accepts):
        return 0.0
    before, after = errors_at(sweep, slice(index, index + 2), reviewer)
    return float(min(max(slack / (after - before), 0.0), 1.0))


def fraction_of_risk(limit: float, sweep: AcceptedCounts, index: int) -> float:
    """Return the fraction of the next tie that raises the risk to `limit`."""
    ta, fa = sweep.true_accepts, sweep.false_accepts
    accepted = ta[index] + fa[index]
    if not index or index + 1 == len(ta) or not fa[index] / accepted < limit:
        return 0.0
    tie_errors = fa[index + 1] - fa[index]
    tie = tie_errors + ta[index + 1] - ta[index]
    return float(max(0.0, (limit * accepted - fa[index]) / (tie_errors - limit * tie)))
