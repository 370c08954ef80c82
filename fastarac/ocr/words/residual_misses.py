"""Missed words that nobody looks for, which remain errors even if people verify every output."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fastarac.reviewer import Reviewer

if TYPE_CHECKING:
    from fastarac.evaluation.results import Evaluation
    from fastarac.operating_points.points import OperatingPoint


def with_unseen_errors(point: OperatingPoint, n_missed: int) -> OperatingPoint:
    """Return a point whose error rate includes the missed words that nobody looks for.

    All missed words have the same confidence, above all other confidences. A threshold up to this
    confidence accepts the missed words as errors. A higher threshold accepts nothing, but nobody finds
    the missed words. For this case, the point gets a reviewer who finds only the other errors.
    """
    if not n_missed or point.acceptance_rate or point.reviewer is not None:
        return point
    return replace(point, reviewer=Reviewer(detection_rate=1.0 - n_missed / point.true_rejects))


def with_unseen_figures(figures: Evaluation, n_missed: int) -> Evaluation:
    """Return figures whose operating points include the missed words that nobody looks for.

    If the missed words alone exceed a limit, no threshold keeps this limit, and its accepted share has
    no interval.
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
