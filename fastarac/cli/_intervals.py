"""How far the figures may be from those of all outputs of the same kind."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

from rich.console import Console

from fastarac._core.text import area, listed, percent, rounded_percent
from fastarac.cli._notes import collected
from fastarac.operating.points import operating_point
from fastarac.uncertainty.asymptotic import Estimate, asymptotic_interval, interval_of
from fastarac.uncertainty.bootstrap import bootstrap
from fastarac.uncertainty.results import ConfidenceInterval
from fastarac.uncertainty.statistics import Statistic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastarac.cli._limits import Limit
    from fastarac.cli._report import Model
    from fastarac.evaluation import Evaluation
    from fastarac.io import Outputs
    from fastarac.sweep import ThresholdSweep

AREAS = {
    "recognition_rate": "recognition rate",
    "arac_auc": "ARAC-AUC",
    "normalized_arac_auc": "normalised ARAC-AUC",
    "roc_auc": "ROC-AUC",
}
ALIKE = "all resamples agree on the {}; the interval is what could have gone unseen"
RATES = ("acceptance_rate", "error_rate")  # of a threshold that is given


@dataclass(frozen=True, slots=True)
class Intervals:
    """Confidence intervals of the figures of a model.

    Attributes
    ----------
    level : float
        The confidence level.
    resamples, seed : int
        Of the bootstrap.
    ends : dict of str to ConfidenceInterval
        By the names of the figures, such as ``"arac_auc"`` and ``"acceptance_rate@0.01"``.
    notes : tuple of str
        Why some are not to be relied on.
    """

    level: float
    resamples: int
    seed: int
    ends: dict[str, ConfidenceInterval]
    notes: tuple[str, ...]

    @classmethod
    def of(cls, outputs: Outputs, model: Model, *, level: float, resamples: int, seed: int) -> Self:
        """Return the intervals for the figures of a model."""
        sweep, limits = model.sweep, model.limits
        items: dict[str, Any] = {"correct": sweep}
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
        ends: dict[str, ConfidenceInterval] = {}
        doubts: dict[str, list[str]] = {}
        notes: list[str] = []
        for key, (label, statistic) in _smooth(model.evaluation, limits).items():
            if math.isnan(statistic(sweep)):
                ends[key] = ConfidenceInterval(math.nan, math.nan)
                continue
            notes.clear()
            with collected(notes):
                found = asymptotic_interval(
                    statistic=statistic, confidence_level=level, transform="logit", **items
                )
            ends[key] = found.confidence_interval
            for note in notes:
                doubts.setdefault(note.replace(statistic.name, "{}"), []).append(label)
        fitted = [limit for limit in limits if not limit.is_given]
        if fitted:
            choices = [_accepted_at(limit) for limit in fitted]
            notes.clear()
            with collected(notes):
                drawn = bootstrap(
                    statistic=choices,
                    confidence_level=level,
                    n_resamples=resamples,
                    random_state=seed,
                    progress=Console(stderr=True).is_terminal,
                    **items,
                )
            n = _independent_items(outputs)
            for limit, choice, (name, result) in zip(fitted, choices, drawn.items(), strict=True):
                label = f"share accepted at {limit.short}"
                ends_of_share = result.confidence_interval
                if result.standard_error > 0.0:
                    for note in notes:
                        if name in note:
                            doubts.setdefault(note.replace(name, "{}"), []).append(label)
                else:
                    estimate = Estimate(sweep, result.estimate, 0.0, math.inf, n, math.inf)
                    ends_of_share = interval_of(estimate, choice, level, None)
                    if ends_of_share.low < ends_of_share.high:
                        doubts.setdefault(ALIKE, []).append(label)
                ends[f"acceptance_rate@{limit.key}"] = ends_of_share
        said = tuple(note.replace("{}", listed(labels)) for note, labels in doubts.items())
        return cls(level, resamples, seed, ends, said)

    def figures(self) -> dict[str, Any]:
        """Return level and ends by name, ``"arac_auc_low"`` and so on; what is undefined is None."""
        values: dict[str, Any] = {
            "confidence_level": self.level,
            "n_resamples": self.resamples,
            "seed": self.seed,
        }
        for key, interval in self.ends.items():
            name, at, where = key.partition("@")
            for end, value in interval._asdict().items():
                values[f"{name}_{end}{at}{where}"] = None if math.isnan(value) else value
        return values

    def area(self, name: str) -> str:
        """Return the interval of an area for people."""
        low, high = self.ends[name]
        return "" if math.isnan(low) else _span(area(low), area(high))

    def share(self, name: str) -> str:
        """Return the interval of a share for people."""
        low, high = (rounded_percent(end).removesuffix(" %") for end in self.ends[name])
        return f"{_span(low, high)} %"

    def explanation(self, limits: Sequence[Limit]) -> str:
        """Say what the intervals are."""
        text = f"Below the figures: {percent(self.level)} confidence intervals, asymptotic"
        if any(not limit.is_given for limit in limits):
            text += (
                f"; of the share accepted within a limit, from {self.resamples:,} resamples (seed "
                f"{self.seed}), for each of which the threshold is chosen anew"
            )
        return f"{text}."


def _smooth(figures: Evaluation, limits: Sequence[Limit]) -> dict[str, tuple[str, Statistic]]:
    """Return the figures that have influence values: how people call them, and the statistics."""
    parameters = {"normalized_arac_auc": {"gamma": figures.costs.gamma}}
    found = {
        name: (label, Statistic(name, **parameters.get(name, {}))) for name, label in AREAS.items()
    }
    for limit in limits:
        if limit.is_given:
            for rate in RATES:
                label = f"{rate.replace('_', ' ')} at {limit.short}"
                found[f"{rate}@{limit.key}"] = label, Statistic(rate, threshold=limit.value)
    return found


def _accepted_at(limit: Limit) -> Statistic:
    if limit.criterion == "max_error_rate":
        return Statistic("acceptance_at_error_rate", max_error_rate=limit.value, interpolate=False)
    return cast("Statistic", _AcceptedAtRisk(limit.value))


@dataclass(frozen=True, slots=True)
class _AcceptedAtRisk:
    """What an interval needs of a statistic."""

    risk: float
    range: ClassVar = (0.0, 1.0)

    @property
    def __name__(self) -> str:
        return repr(self)

    def __call__(self, sweep: ThresholdSweep) -> float:
        return operating_point(sweep, max_risk=self.risk).acceptance_rate


def _independent_items(outputs: Outputs) -> float:
    """How many items or groups there are; of weighted ones, as many of equal weight as say as much."""
    if outputs.group is not None:
        return float(len(outputs.group.names))
    if outputs.weight is None:
        return float(len(outputs))
    weight = outputs.weight / outputs.weight.max()
    return float(weight.sum() ** 2 / (weight**2).sum())


def _span(low: str, high: str) -> str:
    return low if low == high else f"{low}-{high}"
