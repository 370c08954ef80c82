"""Missed words that nobody looks for: wrong whatever people verify, even where nothing is accepted."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fastarac.reviewer import Reviewer

if TYPE_CHECKING:
    from fastarac.evaluation.results import Evaluation
    from fastarac.operating_points.points import OperatingPoint

__all__ = ["with_unseen_errors", "with_unseen_figures"]


def with_unseen_errors(point: OperatingPoint, n_missed: int) -> OperatingPoint:
    """Return a point whose error rate has the missed words that nobody looks for.

    A threshold below their tie accepts them, so that they are errors there. One above it accepts
    nothing and rejects them, but no person finds them: a reviewer who finds all other errors says so.
    """
    if not n_missed or point.acceptance_rate or point.reviewer is not None:
        return point
    return replace(point, reviewer=Reviewer(detection_rate=1.0 - n_missed / point.true_rejects))


def with_unseen_figures(figures: Evaluation, n_missed: int) -> Evaluation:
    """Return figures whose operating points have the missed words that nobody looks for.

    The share accepted has no interval at a limit that these words alone exceed: no threshold keeps the
    limit, so that no share is accepted within it.
    """
    limits = []
    intervals = dict(figures.intervals)
    for found in figures.limits:
        point = with_unseen_errors(found.point, n_missed)
        sure = found.guaranteed
        if sure is not None:
            sure = replace(sure, point=with_unseen_errors(sure.point, n_missed))
        if point is not found.point and found.limit.criterion != "threshold":
            intervals.pop(f"acceptance_rate/{found.limit.key}", None)
        performance = figures.costs.performance(point)
        limits.append(replace(found, point=point, performance=performance, guaranteed=sure))
    return replace(figures, limits=tuple(limits), intervals=intervals)
