"""A model with its figures, as all that is printed takes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fastarac.evaluation import wording
from fastarac.evaluation.wording import as_given, is_given

if TYPE_CHECKING:
    import numpy as np

    from fastarac.cli._groups import Groups
    from fastarac.evaluation.costs import CostEvaluation
    from fastarac.evaluation.items import Evaluation, LimitEvaluation
    from fastarac.evaluation.limits import Limit
    from fastarac.operating_points.points import OperatingPoint
    from fastarac.sweep import ThresholdSweep


GROUP = "group"


def in_words(n_groups: int, kind: str) -> str:
    """Return how many groups of outputs that depend on each other there are."""
    groups = f"{n_groups:,} {kind}{'s' * (n_groups != 1)}"
    return f"{groups} of outputs that depend on each other" if kind == GROUP else groups


@dataclass(frozen=True, slots=True)
class Model:
    """A model and its figures.

    Attributes
    ----------
    name : str
        Its name.
    sweep : ThresholdSweep
        Its counts at every threshold.
    evaluation : Evaluation
        Its figures.
    dtype : numpy.dtype
        The dtype of its confidences.
    notes : tuple of str
        What speaks against relying on intervals and guarantees.
    n_groups : int or None
        How many groups of outputs that depend on each other intervals and guarantees rest on, where
        there are any.
    groups : Groups or None
        The figures of its groups, where a column says which there are.
    kind_of_group : str
        What groups of outputs that depend on each other are called: "group", or "page".
    optimum : OperatingPoint or None
        The threshold of the largest W, where ratios of prices are given.
    """

    name: str
    sweep: ThresholdSweep
    evaluation: Evaluation
    dtype: np.dtype[Any]
    notes: tuple[str, ...] = ()
    n_groups: int | None = None
    groups: Groups | None = None
    kind_of_group: str = GROUP
    optimum: OperatingPoint | None = None

    @property
    def spending(self) -> CostEvaluation | None:
        """What it costs, where there are prices."""
        return self.evaluation.spending

    @property
    def limits(self) -> list[Limit]:
        """What decides what is accepted."""
        return [found.limit for found in self.evaluation.limits]

    def at(self, index: int) -> LimitEvaluation:
        """Return what the limit of this index lets through."""
        return self.evaluation.limits[index]

    def point(self, index: int) -> OperatingPoint:
        """Return the operating point for the limit of this index."""
        return self.at(index).point

    def threshold(self, index: int) -> str:
        """Return the threshold for the limit of this index."""
        found = self.at(index)
        if is_given(found.limit):
            return as_given(found.limit)
        return wording.threshold(found.point.threshold, self.sweep, self.dtype)
