"""Models without their items, for many models whose items do not fit into memory together."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from fastarac.answers.figures import FiguresOfModel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastarac.answers.models import Model


@dataclass(frozen=True, slots=True)
class ModelWithoutItems(FiguresOfModel):
    """The figures of a model, without its items.

    Attributes
    ----------
    units, takes_guarantee : str, bool
        As in `Model`.
    decimals : mapping of float to str
        The thresholds of the figures as short decimals.
    """

    units: str = "outputs"
    takes_guarantee: bool = True
    decimals: Mapping[float, str] = field(default_factory=dict)

    by_group = None

    @classmethod
    def of(cls, model: Model) -> Self:
        """Return the figures of a model, except those of groups."""
        points = [found.point for found in model.evaluation.limits]
        if model.cost_evaluation is not None:
            points.append(model.cost_evaluation.cheapest)
        decimals = {point.threshold: model.decimal(point.threshold) for point in points}
        return cls(
            model.name,
            model.evaluation,
            units=model.units,
            notes=model.notes,
            doubts=model.doubts,
            confidence_range=model.confidence_range,
            takes_guarantee=model.takes_guarantee,
            decimals=decimals,
        )

    def decimal(self, threshold: float) -> str:
        """Return a short decimal that accepts the same outputs as the threshold."""
        return self.decimals[threshold]
