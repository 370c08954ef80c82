"""What a report is about: models with their items and figures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac._core.text import plural
from fastarac.evaluation import wording

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from fastarac.evaluation.items import Evaluation
    from fastarac.evaluation.limits import Limit
    from fastarac.io import Labels
    from fastarac.ocr import AlignedOutputs, FieldOutputs, Sensitivity, Words
    from fastarac.operating_points.points import OperatingPoint
    from fastarac.sweep import ThresholdSweep

__all__ = ["Subject"]


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """A model, its items and its figures.

    Attributes
    ----------
    name : str
    correct : ndarray of shape (n,), bool
    confidence : ndarray of shape (n,), real
    sweep : ThresholdSweep
        Of these items.
    evaluation : Evaluation
        Of these items; with intervals, the report has them.
    sample_weight : ndarray of shape (n,) or None
    groups : Labels or None
        The page, document or other group of items that depend on each other.
    by : Labels or None
        What is to be reported apart; the groups where it is None.
    rejected : ndarray of shape (n,), bool, or None
        Items without a confidence, tied below all others: no threshold accepts them.
    aligned : AlignedOutputs or None
        Where the items are those of an OCR engine.
    words : Words or None
        All that the engine wrote, with boxes.
    fields : FieldOutputs or None
        Where the items are fields of documents.
    sensitivity : Sensitivity or None
        The accepted shares under other policies.
    images : mapping of str to Path
        The images of pages, by the pages' names.
    """

    name: str
    correct: NDArray[np.bool_]
    confidence: NDArray[Any]
    sweep: ThresholdSweep
    evaluation: Evaluation
    sample_weight: NDArray[np.float64] | None = None
    groups: Labels | None = None
    by: Labels | None = None
    rejected: NDArray[np.bool_] | None = None
    aligned: AlignedOutputs | None = None
    words: Words | None = None
    fields: FieldOutputs | None = None
    sensitivity: Sensitivity | None = None
    images: Mapping[str, Path] = field(default_factory=dict)

    @property
    def limits(self) -> list[Limit]:
        """What decides what is accepted."""
        return [found.limit for found in self.evaluation.limits]

    def point(self, index: int) -> OperatingPoint:
        """Return the operating point for the limit of this index."""
        return self.evaluation.limits[index].point

    def threshold(self, value: float) -> str:
        """Return a threshold of the sweep as a short decimal."""
        return wording.threshold(value, self.sweep, self.confidence.dtype)

    @property
    def units(self) -> str:
        """What the items are called."""
        if self.fields is not None:
            return "fields"
        return "outputs" if self.aligned is None else plural(self.aligned.reading.unit)

    @property
    def group_word(self) -> str:
        """What a group of items that depend on each other is called."""
        if self.fields is not None:
            return "document"
        return "group" if self.aligned is None else "page"

    @property
    def part_word(self) -> str:
        """What a part is called that is reported apart."""
        if self.fields is not None:
            return "field"
        return "group" if self.aligned is None else "page"

    @property
    def units_of_part(self) -> str:
        """What the items of a part are called: of one field, documents."""
        return self.units if self.fields is None else "documents"

    @property
    def has_confidence(self) -> NDArray[np.bool_]:
        """Whether the engine gave each item the confidence that it has, of shape (n,)."""
        if self.aligned is None:
            known = np.ones(len(self.confidence), np.bool_)
            return known if self.rejected is None else ~self.rejected
        found: NDArray[np.bool_] = ~np.isnan(self.aligned.records.confidence[self.aligned.rows])
        return found

    @property
    def last_threshold(self) -> int:
        """The last index of the sweep that may be taken for a threshold."""
        last = len(self.sweep.thresholds) - 1
        never = self.rejected is not None and bool(self.rejected.any())
        if self.aligned is not None:
            never = self.aligned.never_accepted is not None
        return last - never

    @property
    def highest(self) -> float | None:
        """The end of the confidences' scale, 1 or 100; None where it cannot be known."""
        if self.words is not None and self.words.scale is not None:
            return 100.0 if self.words.scale == "percent" else 1.0
        known = self.confidence[self.has_confidence]
        if self.aligned is not None:
            return 100.0 if known.max() > 1 else 1.0
        if known.min() >= 0 and known.max() <= 1:
            return 1.0
        return None
