"""Models with their items and figures, for reports and the tables of the command line."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, Self, runtime_checkable

import numpy as np

from fastarac._core.exceptions import unquestioned
from fastarac._core.text import printable
from fastarac.answers import limits as wording
from fastarac.answers.evaluated import Evaluated
from fastarac.areas.order import FEWEST, are_alike, constant_confidence, reversed_confidence
from fastarac.evaluation.items import evaluate
from fastarac.evaluation.limits import is_given
from fastarac.evaluation.sources import Source
from fastarac.samples.door import threshold_sweep
from fastarac.uncertainty.order import reversed_beyond_chance
from fastarac.uncertainty.statistics import Statistic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from fastarac.evaluation.groups import GroupEvaluation
    from fastarac.evaluation.limits import Limit
    from fastarac.evaluation.results import Evaluation
    from fastarac.evaluation.sources import Beside
    from fastarac.io import Outputs
    from fastarac.sweep import ThresholdSweep


# Options of `evaluate` that need the error counts at every threshold.
OF_SWEEP = "intervals", "failure_probability", "costs", "threshold", "never_accepted"


@runtime_checkable
class Reportable(Protocol):
    """An object with outputs that a report accepts instead of arrays."""

    def __report__(self, limits: Sequence[Limit], beside: Beside) -> tuple[Outputs, Source]:
        """Return the items, and the source that describes them."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Model(Evaluated):
    """A model with its items and figures.

    Attributes
    ----------
    name : str
    outputs : Outputs
        The items; `group` holds groups of dependent items, `by` the groups to report separately.
    evaluation : Evaluation
        The evaluation of these items. If it has intervals, the report shows them.
    source : Source
        The names of the items, and further facts about them.
    notes : tuple of str
        Doubts about intervals and guarantees.
    by_group : GroupEvaluation or None
        The figures of each group in `outputs.by`, by its code, if asked for.
    known : dict
        The sweep of the items, once it is known.
    """

    name: str
    outputs: Outputs
    evaluation: Evaluation
    source: Source
    notes: tuple[str, ...] = ()
    by_group: GroupEvaluation | None = None
    known: dict[str, ThresholdSweep] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        name: str,
        outputs: Outputs,
        source: Source | None = None,
        sweep: ThresholdSweep | None = None,
        **options: Any,
    ) -> Self:
        """Evaluate outputs with options of :func:`.evaluate`; rejected outputs are never accepted."""
        items: tuple[Any, Any] = outputs.correct, outputs.confidence
        certain = options.get("intervals") or options.get("failure_probability") is not None
        groups = outputs.factors if certain else None
        options["never_accepted"] = outputs.never_accepted
        options |= {"sample_weight": outputs.weight, "groups": groups}
        of_items = outputs.weight is not None or groups is not None
        if not of_items and any(options.get(name) not in (None, False, (), []) for name in OF_SWEEP):
            sweep = sweep or threshold_sweep(*items)
        if sweep is not None and not of_items:  # a sweep has no weights or groups
            items = sweep, None
        # `doubts` warns of badly ordered confidences, so `evaluate` must not warn again.
        with unquestioned():
            figures = evaluate(*items, **options)
        source = source or Source()
        known = {} if sweep is None else {"sweep": sweep}
        return cls(name, outputs, source.as_counted(figures), source, known=known)

    @property
    def sweep(self) -> ThresholdSweep:
        """The sweep of the items."""
        if "sweep" not in self.known:
            outputs = self.outputs
            self.known["sweep"] = threshold_sweep(
                outputs.correct, outputs.confidence, sample_weight=outputs.weight
            )
        return self.known["sweep"]

    @property
    def takes_guarantee(self) -> bool:
        """Whether limits can be guaranteed: not with weights, and not `max_risk` with groups."""
        of_risk = any(limit.criterion == "max_risk" for limit in self.limits)
        return self.outputs.weight is None and not (of_risk and self.n_groups is not None)

    @property
    def units(self) -> str:
        """The noun for the items, such as "words"."""
        return self.source.units

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the confidences."""
        return self.outputs.confidence.dtype

    @property
    def n_groups(self) -> int | None:
        """The number of groups of dependent items, if groups are given."""
        return self.outputs.n_groups

    @property
    def has_confidence(self) -> NDArray[np.bool_]:
        """Return a mask (n,) of the items with a confidence from the model, not one filled in."""
        known, rejected = self.source.has_confidence, self.outputs.rejected
        if known is not None:
            return known
        return np.ones(len(self.outputs), np.bool_) if rejected is None else ~rejected

    @property
    def confidence_range(self) -> tuple[float, float]:
        """The lowest and the highest confidence given by the model; NaN if there is none."""
        known = self.outputs.confidence[self.has_confidence]
        return (known.min().item(), known.max().item()) if len(known) else (math.nan, math.nan)

    @property
    def is_reversed(self) -> bool:
        """Whether right items have lower confidence than wrong ones, by more than chance explains."""
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
        """Doubts about the confidence: it is reversed, or the same for all items."""
        of, judged = f" of {printable(self.name)}", self._judged
        if self.is_reversed:
            return [reversed_confidence(self.separation, of, self.among)]
        n = int(judged.sum())
        if self.separation == 0.5 and n >= FEWEST and are_alike(self.outputs.confidence[judged]):
            return [constant_confidence(n, of, self.among)]
        return []

    @property
    def separation(self) -> float:
        """ROC-AUC of the items used to assess the confidences; NaN if all are right or all wrong."""
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
        """A phrase that names the items used to assess the confidences; empty if all items are used."""
        return f" among {self.source.judged_items}" if self.source.judged_items else ""

    @property
    def n_without_output(self) -> int:
        """Number of items without an output, if known, such as words that an engine missed."""
        rejected, has_output = self.outputs.rejected, self.source.has_output
        if rejected is None or has_output is None or self.outputs.weight is not None:
            return 0
        return int((rejected & ~has_output).sum())

    @property
    def last_threshold(self) -> int:
        """The index of the lowest usable threshold of the sweep; never-accepted items are below it."""
        return len(self.sweep.thresholds) - 1 - (self.outputs.never_accepted is not None)

    def decimal(self, threshold: float) -> str:
        """Return a short decimal that accepts the same outputs as the threshold."""
        if "sweep" in self.known or self.outputs.weight is not None:
            return wording.threshold(threshold, self.sweep, self.dtype)
        lower = self.outputs.confidence[self.outputs.confidence < threshold]
        below = float(lower.max()) if len(lower) else -math.inf
        return wording.short_threshold(threshold, below, self.dtype)


def first_by_share(models: Sequence[Model]) -> list[Model]:
    """Return the models by decreasing accepted share at the first limit; later limits break ties."""
    return sorted(
        models,
        key=lambda model: [
            -model.point(index).acceptance_rate
            for index, limit in enumerate(model.limits)
            if not is_given(limit)
        ],
    )
