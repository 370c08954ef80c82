"""Base class of models without items: the attributes that the functions of `decisions` read."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fastarac.evaluation.limits import exact
from fastarac.evaluation.sources import Source

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastarac._core.interval import Interval
    from fastarac.answers.groups import Groups
    from fastarac.evaluation.limits import Limit


@dataclass(frozen=True, slots=True)
class FiguresOfModel:
    """The figures of a model.

    Attributes
    ----------
    name : str
    evaluation : Evaluation
    groups : Groups or None
        The figures of each group, if asked for.
    doubts : sequence of str
        Doubts about the confidence.
    notes : sequence of str
        Doubts about intervals and guarantees.
    confidence_range : tuple of float
        The lowest and the highest confidence; NaN if they are not known.
    """

    name: str
    evaluation: Any
    groups: Groups | None = None
    doubts: Sequence[str] = field(default=(), kw_only=True)
    notes: Sequence[str] = field(default=(), kw_only=True)
    confidence_range: tuple[float, float] = field(default=(math.nan, math.nan), kw_only=True)

    source = Source()
    units = "outputs"
    n_groups = None
    takes_guarantee = True

    @property
    def limits(self) -> list[Limit]:
        """The limits and thresholds that were evaluated."""
        return [found.limit for found in self.evaluation.limits]

    @property
    def intervals(self) -> Mapping[str, Interval]:
        """The intervals of the figures by name, if asked for."""
        found: Mapping[str, Interval] = self.evaluation.intervals
        return found

    @property
    def cost_evaluation(self) -> Any:
        """The costs, if there are prices."""
        return self.evaluation.cost_evaluation

    def at(self, index: int) -> Any:
        """Return the evaluation at the limit with this index."""
        return self.evaluation.limits[index]

    def point(self, index: int) -> Any:
        """Return the operating point for the limit with this index."""
        return self.at(index).point

    def threshold(self, index: int) -> str:
        """Return the threshold for the limit with this index, with all its digits."""
        return exact(self.point(index).threshold)

    def decimal(self, threshold: float) -> str:
        """Return a threshold with all its digits."""
        return exact(threshold)
