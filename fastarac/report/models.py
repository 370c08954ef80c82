"""What a report and the tables of the command are about: models with their items and figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, Self, runtime_checkable

import numpy as np

from fastarac.evaluation import wording
from fastarac.evaluation.items import evaluate
from fastarac.evaluation.rejected import restricted
from fastarac.sweep import threshold_sweep
from fastarac.uncertainty.shares import is_reversed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path
    from typing import TypeAlias

    from numpy.typing import NDArray

    from fastarac.evaluation.costs import CostEvaluation
    from fastarac.evaluation.groups import GroupEvaluation
    from fastarac.evaluation.items import Evaluation, LimitEvaluation
    from fastarac.evaluation.limits import Limit
    from fastarac.io import Outputs
    from fastarac.operating_points.points import OperatingPoint
    from fastarac.sweep import ThresholdSweep

    # A template's text, and what it shows as `section`.
    Section: TypeAlias = tuple[str, Mapping[str, Any]]

__all__ = ["Model", "PlainSource", "Reportable", "Source"]


class Source(Protocol):
    """What the items of a model are called, and what is known of them beside their confidences."""

    @property
    def kind(self) -> str:
        """What a model is called: "model", or "engine"."""
        ...

    @property
    def units(self) -> str:
        """What the items are called."""
        ...

    @property
    def group_word(self) -> str:
        """What a group of items that depend on each other is called."""
        ...

    @property
    def part_word(self) -> str:
        """What a part is called that is reported apart."""
        ...

    @property
    def units_of_part(self) -> str:
        """What the items of a part are called: of one field, documents."""
        ...

    @property
    def has_confidence(self) -> NDArray[np.bool_] | None:
        """Whether the confidence of each item was given, (n,); None where rejects alone have none."""
        ...

    @property
    def highest(self) -> float | None:
        """The end of the confidences' scale, 1 or 100, where it is known."""
        ...

    @property
    def missed(self) -> NDArray[np.intp] | None:
        """How much of each group has no output, where that is known."""
        ...

    @property
    def notes(self) -> Sequence[str]:
        """What speaks against relying on the confidences, a sentence each."""
        ...

    @property
    def size(self) -> Sequence[str]:
        """How much there is, in words; empty where that is the numbers of items and groups."""
        ...

    def overview(self, sources: Mapping[str, Source]) -> Sequence[Section]:
        """Return what stands below the figures, of all models by name."""
        ...

    def remark(self, limit: int) -> tuple[str, str, bool] | None:
        """Return what else moves the share accepted at a limit: title, text, whether it decides."""
        ...

    def sections(
        self, evaluation: Evaluation, most: Callable[[int], int]
    ) -> tuple[Sequence[Section], Sequence[Section]]:
        """Return what stands before and after the parts; `most` shortens lists for many models."""
        ...


@runtime_checkable
class Reportable(Protocol):
    """What a report takes in place of arrays."""

    def __report__(self, limits: Sequence[Limit], images: Mapping[str, Path]) -> tuple[Outputs, Source]:
        """Return the items, and what a report adds; `images` are those of pages by name."""
        ...


@dataclass(frozen=True, slots=True)
class PlainSource:
    """Outputs of which nothing else is known."""

    kind = "model"
    units = units_of_part = "outputs"
    group_word = part_word = "group"
    has_confidence = highest = missed = None
    notes = size = ()

    def overview(self, sources: Mapping[str, Source]) -> tuple[()]:  # noqa: ARG002
        """Return nothing."""
        return ()

    def remark(self, limit: int) -> None:
        """Return nothing."""

    def sections(
        self,
        evaluation: Evaluation,  # noqa: ARG002
        most: Callable[[int], int],  # noqa: ARG002
    ) -> tuple[tuple[()], tuple[()]]:
        """Return nothing."""
        return (), ()


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
    optimum : OperatingPoint or None
        The threshold of the largest W, where ratios of prices are given.
    """

    name: str
    outputs: Outputs
    sweep: ThresholdSweep
    evaluation: Evaluation
    source: Source
    notes: tuple[str, ...] = ()
    by_group: GroupEvaluation | None = None
    optimum: OperatingPoint | None = None

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
        group = outputs.group if certain else None
        if outputs.weight is None and group is None:
            figures = evaluate(sweep, **options)
        else:  # single weights, and which items belong together, are lost in a sweep
            codes = None if group is None else group.codes
            figures = evaluate(*items, sample_weight=outputs.weight, groups=codes, **options)
        if outputs.never_accepted is not None:
            figures = restricted(figures, sweep, outputs.never_accepted)
        return cls(name, outputs, sweep, figures, source or PlainSource())

    @property
    def spending(self) -> CostEvaluation | None:
        """What it costs, where there are prices."""
        return self.evaluation.spending

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
        """Whether what is right tends to have less confidence, by more than chance."""
        figures = self.evaluation
        correct = figures.recognition_rate * figures.n
        return is_reversed(figures.roc_auc, correct, figures.n - correct)

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
        if wording.is_given(found.limit):
            return wording.as_given(found.limit)
        return self.decimal(found.point.threshold)

    def decimal(self, threshold: float) -> str:
        """Return a threshold of the sweep as a short decimal."""
        return wording.threshold(threshold, self.sweep, self.dtype)
