"""How far the figures may be from those of all outputs of the same kind."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from fastarac._core.text import area, listed, percent, rounded_percent
from fastarac.cli._notes import collected
from fastarac.uncertainty.asymptotic import asymptotic_interval
from fastarac.uncertainty.statistics import Statistic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastarac._core.interval import Interval
    from fastarac.cli._limits import Limit
    from fastarac.cli._report import Model
    from fastarac.evaluation import Evaluation
    from fastarac.io import Outputs

AREAS = {
    "recognition_rate": "recognition rate",
    "arac_auc": "ARAC-AUC",
    "normalized_arac_auc": "normalised ARAC-AUC",
    "roc_auc": "ROC-AUC",
}
RATES = ("acceptance_rate", "error_rate")  # of a threshold that is given


@dataclass(frozen=True, slots=True)
class Intervals:
    """Confidence intervals of the figures of a model.

    Attributes
    ----------
    level : float
        The confidence level.
    ends : dict of str to Interval
        By the names of the figures, such as ``"arac_auc"`` and ``"acceptance_rate@0.01"``.
    notes : tuple of str
        Why some are not to be relied on.
    """

    level: float
    ends: dict[str, Interval]
    notes: tuple[str, ...]

    @classmethod
    def of(cls, outputs: Outputs, model: Model, *, level: float) -> Self:
        """Return the intervals for the figures of a model."""
        items: dict[str, Any] = {"correct": model.sweep}
        if outputs.weight is not None:  # single weights are lost in a sweep
            items = {
                "correct": outputs.correct,
                "confidence": outputs.confidence,
                "sample_weight": outputs.weight,
            }
        if outputs.group is not None:
            items |= {
                "correct": outputs.correct,
                "confidence": outputs.confidence,
                "groups": outputs.group.codes,
            }
        ends: dict[str, Interval] = {}
        doubts: dict[str, list[str]] = {}
        for key, (label, statistic) in _statistics(model.evaluation, model.limits).items():
            notes: list[str] = []
            with collected(notes):
                ends[key] = asymptotic_interval(statistic=statistic, confidence_level=level, **items)
            for note in notes:
                if not math.isnan(ends[key].estimate):
                    doubts.setdefault(note.replace(statistic.name, "{}"), []).append(label)
        said = tuple(note.replace("{}", listed(labels)) for note, labels in doubts.items())
        return cls(level, ends, said)

    def figures(self) -> dict[str, Any]:
        """Return level and ends by name, ``"arac_auc_low"`` and so on; what is undefined is None."""
        values: dict[str, Any] = {"confidence_level": self.level}
        for key, interval in self.ends.items():
            name, at, where = key.partition("@")
            for end, value in (("low", interval.low), ("high", interval.high)):
                values[f"{name}_{end}{at}{where}"] = None if math.isnan(value) else value
        return values

    def area(self, name: str) -> str:
        """Return the interval of an area for people."""
        low, high = self.ends[name].low, self.ends[name].high
        return "" if math.isnan(low) else _span(area(low), area(high))

    def share(self, name: str) -> str:
        """Return the interval of a share for people."""
        ends = self.ends[name].low, self.ends[name].high
        low, high = (rounded_percent(end).removesuffix(" %") for end in ends)
        return f"{_span(low, high)} %"

    def explanation(self) -> str:
        """Say what the intervals are."""
        return f"Below the figures: {percent(self.level)} confidence intervals."


def _statistics(figures: Evaluation, limits: Sequence[Limit]) -> dict[str, tuple[str, Statistic]]:
    """Return the figures that have intervals: how people call them, and the statistics."""
    parameters = {"normalized_arac_auc": {"gamma": figures.costs.gamma}}
    found = {
        name: (label, Statistic(name, **parameters.get(name, {}))) for name, label in AREAS.items()
    }
    for limit in limits:
        if limit.is_given:
            for rate in RATES:
                label = f"{rate.replace('_', ' ')} at {limit.short}"
                found[f"{rate}@{limit.key}"] = label, Statistic(rate, threshold=limit.value)
            continue
        name = f"acceptance_at_{limit.criterion.removeprefix('max_')}"
        parameters_of_limit = {limit.criterion: limit.value, "interpolate": False}
        label = f"share accepted at {limit.short}"
        found[f"acceptance_rate@{limit.key}"] = label, Statistic(name, **parameters_of_limit)
    return found


def _span(low: str, high: str) -> str:
    return low if low == high else f"{low}-{high}"
