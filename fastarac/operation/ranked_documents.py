"""Whole documents, ranked by the error probabilities of their outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac.operation.absences import Tried, absences_of
from fastarac.operation.documents import Documents, DocumentType, Requirements
from fastarac.operation.item_columns import UNKNOWN, calibrations_of, error_probabilities

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from fastarac.operation.acceptance import Rule
    from fastarac.operation.calibration import Calibration
    from fastarac.operation.item_columns import ItemColumns


class DocumentSettings(NamedTuple):
    """The settings of a fit to documents: fields, types, and how outputs are combined."""

    fields: tuple[Any, ...]
    optional: tuple[Any, ...]
    types: tuple[tuple[Any, ...], NDArray[np.intp]] | None
    rule: Rule
    complete: bool
    labels: ArrayLike | None
    """The document of each item."""

    @property
    def n_fields(self) -> int:
        """The number of fields; 1 without fields."""
        return max(1, len(self.fields))


class RankedDocuments:
    """The documents of a fit: calibrations on one half rank them, the other half tests the limit."""

    def __init__(
        self,
        columns: ItemColumns,
        fitting: NDArray[np.bool_],
        key: NDArray[np.uint64],
        settings: DocumentSettings,
    ) -> None:
        self.columns, self.fitting, self.key, self.settings = columns, fitting, key, settings
        names, codes = settings.types or ((), None)
        of_item: Any = columns.documents
        field = columns.field if settings.fields else None
        documents = Documents.of(of_item, field, columns.given, settings.n_fields, codes)
        self.types, places = self._types(names, documents)
        self.documents = documents._replace(type=places[documents.type])
        self.right = self.documents.right(columns.right)
        self.needs = Requirements.of(settings.fields, settings.optional, self.types)
        self.lacking = self.documents.lacking(self.needs.required)
        wrong = np.zeros_like(documents.told)
        of_wrong = np.flatnonzero(~columns.right)
        wrong[documents.of_item[of_wrong], columns.field[of_wrong]] = True
        self.chosen = fitting[documents.first]
        self.absences = absences_of(
            self.documents, self.chosen, wrong, settings.fields, settings.optional, self.types,
            complete=settings.complete,
        )  # fmt: skip
        if not settings.complete:
            labels = np.asarray(settings.labels)
            self.documents.require_told(~self.lacking, self.needs, settings.fields, labels)

    def _types(
        self, names: tuple[Any, ...], documents: Documents
    ) -> tuple[tuple[DocumentType, ...], NDArray[np.intp]]:
        """Return the types of documents in the half used for ranking, and each name's index among them.

        A type has every field for which one of its documents has a true value or an output. The index
        is -1 for a name that does not occur in this half. One more index, for documents without a type,
        is also -1.
        """
        columns, fields = self.columns, self.settings.fields
        there = self.fitting & (columns.with_confidence | ~columns.right)
        kind = documents.type[documents.of_item]
        found: list[DocumentType] = []
        places = np.full(len(names) + 1, -1, np.intp)
        for i, name in enumerate(names):
            own = np.unique(columns.field[there & (kind == i)])
            if len(own):
                places[i] = len(found)
                found.append(DocumentType(name, tuple(fields[j] for j in own.tolist())))
        return tuple(found), places

    def score(self, calibrations: list[Calibration | None]) -> NDArray[np.float64]:
        """Return the confidence of each document; it is negative if the document is never accepted."""
        score, hopeless = self._ranked(error_probabilities(self.columns, calibrations))
        score[self.lacking | hopeless] = -UNKNOWN
        return score

    def _ranked(
        self, probability: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return each document's confidence, and whether it has outputs of uncalibrated fields."""
        given, documents = self.columns.given, self.documents
        missed = [each.missed_share for each in self.absences]
        score = documents.confidence(
            1.0 - probability, given, self.settings.rule, self.needs.has, missed
        )
        unknown = self.columns.with_confidence & (probability == UNKNOWN)
        return score, np.bincount(documents.of_item, unknown) > 0

    def settings_of_policy(self, limits: dict[str, Any]) -> dict[str, Any]:
        """Return the attributes of a policy that concern documents."""
        own = self.settings
        fields = {"documents": own.rule, "optional": own.optional, "types": self.types}
        return fields | self._advice(limits)

    def _advice(self, limits: dict[str, Any]) -> dict[str, Any]:
        """Return how often fields are absent, and the effect of other optional fields.

        Only the half used for ranking is evaluated, by cross-fitting with two parts. Because the other
        half does not influence the advice, a fit that follows the advice keeps its guarantee.
        """
        columns, found = self.columns, self.absences
        if not any(each.absent for each in found):
            return {"absences": found}
        blocks: Any = columns.documents if columns.groups is None else columns.groups
        inside = np.unique(blocks[self.fitting])
        if len(inside) < 2:
            return {"absences": found}
        rng = np.random.default_rng([*self.key.tolist(), len(inside)])
        part = self.fitting & np.isin(blocks, inside[rng.permutation(len(inside)) < len(inside) // 2])
        probability = np.full(columns.n, UNKNOWN)
        for ranked, by in ((part, self.fitting & ~part), (self.fitting & ~part, part)):
            known = calibrations_of(columns, by, self.settings.n_fields)
            probability[ranked] = error_probabilities(columns, known)[ranked]
        score, hopeless = self._ranked(probability)
        groups = limits.pop("groups", None)
        tried = Tried(
            self.documents, self.chosen, self.right, hopeless, score, groups, limits, found, self.types
        )
        return {"absences": found, "settings": tried.settings()}
