"""The base class of models: shortcuts to the figures of an evaluation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastarac.evaluation.limits import as_given, exact, is_given

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastarac._core.interval import Interval
    from fastarac.evaluation.costs import CostEvaluation
    from fastarac.evaluation.limits import Limit
    from fastarac.evaluation.results import LimitEvaluation
    from fastarac.operating_points.points import OperatingPoint


class Evaluated:
    """A model with an evaluation, with or without its items."""

    __slots__ = ()
    evaluation: Any

    @property
    def limits(self) -> list[Limit]:
        """The limits and thresholds that were evaluated."""
        return [found.limit for found in self.evaluation.limits]

    @property
    def intervals(self) -> Mapping[str, Interval]:
        """The intervals by the name of the figure; empty if not asked for."""
        found: Mapping[str, Interval] = self.evaluation.intervals
        return found

    @property
    def cost_evaluation(self) -> CostEvaluation | None:
        """The costs, if there are prices."""
        found: CostEvaluation | None = self.evaluation.cost_evaluation
        return found

    def at(self, index: int) -> LimitEvaluation:
        """Return the evaluation at the limit with this index."""
        found: LimitEvaluation = self.evaluation.limits[index]
        return found

    def point(self, index: int) -> OperatingPoint:
        """Return the operating point for the limit with this index."""
        return self.at(index).point

    def threshold(self, index: int) -> str:
        """Return the threshold for the limit with this index as a text."""
        limit = self.limits[index]
        return as_given(limit) if is_given(limit) else self.decimal(self.point(index).threshold)

    def decimal(self, threshold: float) -> str:
        """Return a threshold with all its digits."""
        return exact(threshold)
