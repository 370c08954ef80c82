"""What a report and the tables of the command are about: models with their items and figures."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, Self, runtime_checkable

import numpy as np

from fastarac._core.exceptions import unquestioned
from fastarac._core.text import printable
from fastarac.answers import limits as wording
from fastarac.areas.order import FEWEST, are_alike, constant_confidence, reversed_confidence
from fastarac.evaluation.items import evaluate
from fastarac.evaluation.limits import as_given, is_given
from fastarac.evaluation.sources import Source
from fastarac.samples.door import threshold_sweep
from fastarac.uncertainty.order import reversed_beyond_chance
from fastarac.uncertainty.statistics import Statistic

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from fastarac._core.interval import Interval
    from fastarac.evaluation.costs import CostEvaluation
    from fastarac.evaluation.groups import GroupEvaluation
    from fastarac.evaluation.limits import Limit
    from fastarac.evaluation.results import Evaluation, LimitEvaluation
    from fastarac.evaluation.sources import Beside
    from fastarac.io import Outputs
    from fastarac.operating_points.points import OperatingPoint
    from fastarac.sweep import ThresholdSweep


__all__ = ["Model", "Reportable", "first_by_share"]


@runtime_checkable
class Reportable(Protocol):
    """What a report takes in place of arrays."""

    def __report__(self, limits: Sequence[Limit], beside: Beside) -> tuple[Outputs, Source]:
        """Return the items, and what a report adds."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A model, its items and its figures.

    Attributes
    ----------
    name : str
    outputs : Outputs
        Its items; in `group` those that depend on each other, in `by` what is reported apart.
    sweep : ThresholdSweep
        Of these items.
    evaluation : Evaluation
        Of these items; with intervals, the report has them.
    source : Source
        What the items are called, and what else is known of them.
    notes : tuple of str
        What speaks against relying on intervals and guarantees.
    by_group : GroupEvaluation or None
        The figures of each group in `outputs.by`, by its code, where they are asked for.
    """

    name: str
    outputs: Outputs
    sweep: ThresholdSweep
    evaluation: Evaluation
    source: Source
    notes: tuple[str, ...] = ()
    by_group: GroupEvaluation | None = None

    @classmethod
    def of(
        cls,
        name: str,
        outputs: Outputs,
        source: Source | None = None,
        sweep: ThresholdSweep | None = None,
        **options: Any,
    ) -> Self:
        """Evaluate outputs; no operating point accepts those that are rejected.

        `sweep` is theirs, where it is known; `options` are those of :func:`.evaluate`.
        """
        items = (outputs.correct, outputs.confidence)
        sweep = sweep or threshold_sweep(*items, sample_weight=outputs.weight)
        certain = options.get("intervals") or options.get("failure_probability") is not None
        groups = outputs.factors if certain else None
        options["never_accepted"] = outputs.never_accepted
        with unquestioned():  # what is asked of the order is asked of the items that are judged by it
            if outputs.weight is None and groups is None:
                figures = evaluate(sweep, **options)
            else:  # single weights, and which items belong together, are lost in a sweep
                figures = evaluate(*items, sample_weight=outputs.weight, groups=groups, **options)
        source = source or Source()
        return cls(name, outputs, sweep, source.as_counted(figures), source)

    @property
    def intervals(self) -> Mapping[str, Interval]:
        """The intervals of its figures by name, where they are asked for."""
        return self.evaluation.intervals

    @property
    def cost_evaluation(self) -> CostEvaluation | None:
        """What it costs, where there are prices."""
        return self.evaluation.cost_evaluation

    @property
    def takes_guarantee(self) -> bool:
        """Whether limits can be guaranteed: not of weighted outputs, nor a risk of groups."""
        of_risk = any(limit.criterion == "max_risk" for limit in self.limits)
        return self.outputs.weight is None and not (of_risk and self.n_groups is not None)

    @property
    def units(self) -> str:
        """What the items are called."""
        return self.source.units

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of its confidences."""
        return self.outputs.confidence.dtype

    @property
    def limits(self) -> list[Limit]:
        """What decides what is accepted."""
        return [found.limit for found in self.evaluation.limits]

    @property
    def n_groups(self) -> int | None:
        """How many groups of items that depend on each other there are, where they are told."""
        return self.outputs.n_groups

    @property
    def has_confidence(self) -> NDArray[np.bool_]:
        """Whether the confidence of each item was given, of shape (n,)."""
        known, rejected = self.source.has_confidence, self.outputs.rejected
        if known is not None:
            return known
        return np.ones(len(self.outputs), np.bool_) if rejected is None else ~rejected

    @property
    def is_reversed(self) -> bool:
        """Whether what is right tends to have less confidence, by more than chance.

        Where items depend on each other in groups, by the interval from these, too.
        """
        judged, outputs = self._judged, self.outputs
        separation = self.separation
        if not separation < 0.5:
            return False
        return reversed_beyond_chance(
            separation,
            outputs.correct[judged],
            outputs.confidence[judged],
            None if outputs.weight is None else outputs.weight[judged],
            None if outputs.group is None else outputs.take(np.flatnonzero(judged)).factors,
        )

    @property
    def doubts(self) -> list[str]:
        """What speaks against the confidence, in words: it is reversed, or the same for all items."""
        of, judged = f" of {printable(self.name)}", self._judged
        if self.is_reversed:
            return [reversed_confidence(self.separation, of, self.among)]
        n = int(judged.sum())
        if self.separation == 0.5 and n >= FEWEST and are_alike(self.outputs.confidence[judged]):
            return [constant_confidence(n, of, self.among)]
        return []

    @property
    def separation(self) -> float:
        """ROC-AUC of the items by which the order of the confidences is judged; NaN for one kind."""
        judged = self._judged
        if judged.all():
            return self.evaluation.roc_auc
        if not judged.any():
            return math.nan
        outputs = self.outputs
        weight = None if outputs.weight is None else outputs.weight[judged]
        items = outputs.correct[judged], outputs.confidence[judged]
        return Statistic("roc_auc")(threshold_sweep(*items, sample_weight=weight))

    @property
    def _judged(self) -> NDArray[np.bool_]:
        return self.has_confidence if self.source.judged is None else self.source.judged

    @property
    def among(self) -> str:
        """Among which items the order of the confidences is judged, where that is not all."""
        return f" among {self.source.judged_items}" if self.source.judged_items else ""

    @property
    def n_without_output(self) -> int:
        """Items never accepted that have no output to verify: people can only look for them."""
        rejected, has_output = self.outputs.rejected, self.source.has_output
        if rejected is None or has_output is None or self.outputs.weight is not None:
            return 0
        return int((rejected & ~has_output).sum())

    @property
    def last_threshold(self) -> int:
        """The last index of the sweep that may be taken for a threshold."""
        return len(self.sweep.thresholds) - 1 - (self.outputs.never_accepted is not None)

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
        return self.decimal(found.point.threshold)

    def decimal(self, threshold: float) -> str:
        """Return a threshold of the sweep as a short decimal."""
        return wording.threshold(threshold, self.sweep, self.dtype)


def first_by_share(models: Sequence[Model]) -> list[Model]:
    """Return the models in the order of what they accept at the first limit, and then at the others."""
    return sorted(
        models,
        key=lambda model: [
            -model.point(index).acceptance_rate
            for index, limit in enumerate(model.limits)
            if not is_given(limit)
        ],
    )
