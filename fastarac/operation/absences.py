"""Fields that documents lack: how often, how often rightly, and the effect of making them optional."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac._core.text import listed, percent
from fastarac.guarantees.exact import guaranteed_operating_point
from fastarac.operation.documents import HELD_BACK, Requirements

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from fastarac.operation.documents import Documents, DocumentType

# In each round of the search, at most this number of sets of fields are tried as optional.
MOST_PATTERNS = 4
# Maximum number of single fields that are tried as optional, the most often absent ones first.
MOST_SINGLE = 24


class FieldAbsence(NamedTuple):
    """How often documents lack a field, counted in the half of the documents used for ranking.

    Attributes
    ----------
    field : str or int
        The field's label.
    optional : bool
        Whether documents without this field may be accepted.
    n_documents : int
        Number of documents that should have the field: all documents, or all whose type has the field.
    absent : int
        Number of these documents that lack the field (no output of the field has a confidence) and have
        an output of another field.
    rightly : int
        Number of documents that rightly lack the field, because it has no true value.
    unlisted : int
        Number of documents that lack the field and whose truth does not list the field.

    See Also
    --------
    OptionalSetting : what a set of optional fields would accept
    fastarac.operation.fit_policy : fit thresholds that keep one limit on new outputs
    """

    field: Any
    optional: bool
    n_documents: int
    absent: int
    rightly: int
    unlisted: int

    @property
    def missed_share(self) -> float:
        """Share of absences in which the field has a true value; 0 if the truth lists none of them.

        Absences whose truth does not list the field are left out.
        """
        told = self.absent - self.unlisted
        return (told - self.rightly) / told if told else 0.0

    @property
    def words(self) -> str:
        """A sentence on how often the field is absent."""
        share = percent(self.absent / self.n_documents if self.n_documents else 0.0, 2)
        head = f"{self.field}: no output in {share} of documents"
        if not self.absent:
            return head
        if not self.unlisted:
            return f"{head}, really empty in {percent(self.rightly / self.absent, 2)} of these"
        unlisted = percent(self.unlisted / self.absent, 2)
        return (
            f"{head}; in {unlisted} of these, the truth does not list the field (fields_complete=True "
            "counts it as rightly empty)"
        )


class OptionalSetting(NamedTuple):
    """The estimated shares of accepted and of wrong documents with a set of optional fields.

    Attributes
    ----------
    optional : tuple of str or int
        The optional fields; all others are required.
    straight_through_rate : float
        The share of all documents that would be accepted.
    undetected_error_rate : float
        The share of all documents that would be accepted with a wrong output or a missed value.

    See Also
    --------
    FieldAbsence : how often documents lack a field
    fastarac.operation.fit_policy : fit thresholds that keep one limit on new outputs
    """

    optional: tuple[Any, ...]
    straight_through_rate: float
    undetected_error_rate: float


@dataclass(frozen=True, slots=True)
class Tried:
    """Documents for which sets of optional fields are tried out.

    A document's confidence does not depend on the truth of the document itself.

    Attributes
    ----------
    documents : Documents
        All documents.
    chosen : ndarray of shape (n_documents,), bool
        Whether each document belongs to the half used for ranking.
    right, hopeless : ndarray of shape (n_documents,), bool
        Whether all fields of a document are right, and whether the document can never be accepted.
    confidence : ndarray of shape (n_documents,)
        The estimated probability that the whole document is right.
    groups : ndarray of shape (n_documents,), int, or None
        The group of each document. Documents of one group depend on each other.
    limits : dict
        Arguments for :func:`.guaranteed_operating_point`.
    absences, types : tuple of FieldAbsence, tuple of DocumentType
        The fields and their absences, and the types of documents.
    """

    documents: Documents
    chosen: NDArray[np.bool_]
    right: NDArray[np.bool_]
    hopeless: NDArray[np.bool_]
    confidence: NDArray[np.float64]
    groups: NDArray[Any] | None
    limits: dict[str, Any]
    absences: Sequence[FieldAbsence]
    types: Sequence[DocumentType]

    @property
    def fields(self) -> tuple[Any, ...]:
        """The names of all fields."""
        return tuple(each.field for each in self.absences)

    def setting(self, optional: tuple[Any, ...]) -> OptionalSetting:
        """Estimate the shares of accepted and of wrong documents, if these fields are optional."""
        required = Requirements.of(self.fields, optional, self.types).required
        held = self.hopeless | self.documents.lacking(required)
        score = np.where(held, HELD_BACK, self.confidence)[self.chosen]
        right, limits = self.right[self.chosen], dict(self.limits)
        if "max_risk" in limits:
            limits |= {"thresholds": np.unique(np.append(score[score >= 0.0], 1.0)), "pilot": score}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # The fit itself already warns of small samples.
            point = guaranteed_operating_point(
                right, score, random_state=0, **limits,
                groups=None if self.groups is None else self.groups[self.chosen],
            )  # fmt: skip
        accepted = score >= max(float(point.threshold), 0.0)
        n = len(score)
        return OptionalSetting(optional, int(accepted.sum()) / n, int((accepted & ~right).sum()) / n)

    def settings(self) -> tuple[OptionalSetting, ...]:
        """Return the present setting, the settings with one field changed, and the best setting found.

        The search also tries sets of fields that are often absent together, because a document is
        accepted only if all its missing fields are optional.
        """
        absences, fields = self.absences, self.fields
        present = tuple(each.field for each in absences if each.optional)
        may = {each.field for each in absences if each.absent and not each.unlisted}
        tried: dict[tuple[Any, ...], OptionalSetting] = {}

        def of(optional: set[Any]) -> OptionalSetting:
            key = tuple(field for field in fields if field in optional)
            if key not in tried:
                tried[key] = self.setting(key)
            return tried[key]

        best = of(set(present))
        often = sorted((each for each in absences if each.field in may), key=lambda each: -each.absent)
        singles = [of({*present} ^ {each.field}) for each in often[:MOST_SINGLE]]
        best = max([best, *singles], key=_order)
        while True:
            patterns = self._lacking_together(best.optional, may)
            more = [of({*best.optional, *pattern}) for pattern in patterns]
            better = max([best, *more], key=_order)
            if better is best:
                break
            best = better
        kept = {each.optional: each for each in (of(set(present)), *singles, best)}
        return tuple(kept.values())

    def _lacking_together(self, optional: tuple[Any, ...], may: set[Any]) -> list[set[Any]]:
        """Return the sets of absent required fields that most often keep documents from acceptance."""
        fields = self.fields
        required = Requirements.of(fields, optional, self.types).required
        found = self.documents.found
        lacks = required[self.documents.type] & ~found
        cannot = np.array([field not in may for field in fields])
        could = lacks.any(axis=1) & found.any(axis=1) & self.chosen & ~self.hopeless
        lacks = lacks[np.flatnonzero(could & ~lacks[:, cannot].any(axis=1))]
        sets, counts = np.unique(lacks, axis=0, return_counts=True)
        often = np.argsort(-counts, kind="stable")[:MOST_PATTERNS]
        return [{field for field, one in zip(fields, sets[i], strict=True) if one} for i in often]


def _order(setting: OptionalSetting) -> tuple[float, int]:
    """Return a sort key: more accepted documents are better, then fewer optional fields."""
    return setting.straight_through_rate, -len(setting.optional)


def absences_of(
    documents: Documents,
    chosen: NDArray[np.bool_],
    wrong: NDArray[np.bool_],
    fields: Sequence[Any],
    optional: Sequence[Any],
    types: Sequence[DocumentType],
    *,
    complete: bool,
) -> tuple[FieldAbsence, ...]:
    """Count the absences of each field in the chosen documents.

    `wrong` has the shape (n_documents, n_fields). Documents without any output do not count, because
    people verify them in any case.
    """
    needs = Requirements.of(fields, optional, types)
    has = needs.has[documents.type]
    read = documents.found.any(axis=1)
    found = []
    for i, field in enumerate(fields):
        own = chosen & has[:, i]
        absent = own & read & ~documents.found[:, i]
        unlisted = absent & ~documents.told[:, i] & (not complete)
        rightly = absent & ~unlisted & ~wrong[:, i]
        counts = [int(each.sum()) for each in (own, absent, rightly, unlisted)]
        found.append(FieldAbsence(field, field in optional, *counts))
    return tuple(found)


def advice(absences: Sequence[FieldAbsence], settings: Sequence[OptionalSetting]) -> tuple[str, ...]:
    """Return a sentence on the best set of optional fields, and a sentence on each absent field."""
    if not settings:
        return ()
    now, by_optional = settings[0], {each.optional: each for each in settings}
    said = []
    for each in sorted(absences, key=lambda each: -each.absent):
        if not each.absent:
            continue
        other = {*now.optional} ^ {each.field}
        key = tuple(one.field for one in absences if one.field in other)
        words = f"{each.words}."
        if (found := by_optional.get(key)) is not None:
            kind = "required" if each.optional else "optional"
            words = f"With {each.field} {kind}, {_compared(found, now)}. {words}"
        said.append(words)
    best = max(settings, key=_order)
    if best is not now and len({*best.optional} ^ {*now.optional}) > 1:
        names = listed([str(field) for field in best.optional]) if best.optional else "no field"
        said.insert(0, f"With {names} optional, {_compared(best, now)}.")
    return tuple(said)


def _compared(other: OptionalSetting, now: OptionalSetting) -> str:
    through, before = (percent(each.straight_through_rate, 3) for each in (other, now))
    errors, earlier = (percent(each.undetected_error_rate, 2) for each in (other, now))
    if other[1:] == now[1:]:
        return f"the same share of documents, {before}, would go through"
    return compared_words(through, before, errors, earlier)


def compared_words(through: str, before: str, errors: str, earlier: str) -> str:
    """Compare the shares of accepted documents and of undetected errors, new and old, in words."""
    undetected = f"stay {errors}" if errors == earlier else f"are {errors} instead of {earlier}"
    return (
        f"{through} of documents would go through instead of {before}, and undetected errors "
        f"{undetected}"
    )
