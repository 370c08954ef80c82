"""Whole documents: their required fields, their missing fields and their confidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac._core.text import listed, plural, quoted
from fastarac._engine.inputs import read_groups
from fastarac.operation.calibration import Calibration, combined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

# Confidence of documents that are never accepted; it is below every threshold.
HELD_BACK = -1.0
# Maximum number of fields that a message names.
MOST_NAMED = 3
LISTED = (
    "add a row for each such field, or use fields_complete=True if a field without a row has no true "
    "value"
)


class DocumentType(NamedTuple):
    """A document type and its fields.

    Attributes
    ----------
    type : str or int
        The type's label.
    fields : tuple of str or int
        Fields that a document of this type must have to be accepted, unless they are optional.

    See Also
    --------
    fastarac.operation.fit_policy : fit thresholds that keep one limit on new outputs
    fastarac.operation.Policy : which outputs are accepted, under one limit
    """

    type: Any
    fields: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Requirements:
    """The fields that a document must have to be accepted, by document type.

    Attributes
    ----------
    required : ndarray of shape (n_types + 1, n_fields), bool
        Whether each type requires each field. The last row is for unknown types, or for all documents
        if there are no types.
    has : ndarray of shape (n_types + 1, n_fields), bool
        Whether each type has each field, required or optional.
    """

    required: NDArray[np.bool_]
    has: NDArray[np.bool_]

    @classmethod
    def of(
        cls,
        fields: Sequence[Any],
        optional: Sequence[Any],
        types: Sequence[DocumentType] = (),
    ) -> Requirements:
        """Build the requirements; an empty `fields` means a single, required field."""
        is_optional = np.array([field in optional for field in fields] or [False], np.bool_)
        has = np.ones((len(types) + 1, len(is_optional)), np.bool_)
        for i, each in enumerate(types):
            has[i] = [field in each.fields for field in fields]
        return cls(has & ~is_optional, has)


class Documents(NamedTuple):
    """Outputs combined into documents, in the order of the documents' labels.

    Attributes
    ----------
    of_item : ndarray of shape (n,), int
        The document of each output.
    first : ndarray of shape (n_documents,), int
        The first output of each document.
    found : ndarray of shape (n_documents, n_fields), bool
        Whether a document has an output with a confidence for each field.
    told : ndarray of shape (n_documents, n_fields), bool
        Whether a document has any row for each field, even a row without an output.
    type : ndarray of shape (n_documents,), int
        The type of each document; -1 if unknown.
    """

    of_item: NDArray[np.intp]
    first: NDArray[np.intp]
    found: NDArray[np.bool_]
    told: NDArray[np.bool_]
    type: NDArray[np.intp]

    @classmethod
    def of(
        cls,
        of_item: NDArray[Any],
        field: NDArray[Any] | None,
        given: NDArray[np.bool_] | None,
        n_fields: int,
        type_of_item: NDArray[np.intp] | None = None,
    ) -> Documents:
        """Find each document's fields.

        `given` marks rows with a confidence. Unknown fields have negative codes in `field`.
        """
        labels, first = np.unique(of_item, return_index=True)
        n = len(labels)
        code = np.zeros(len(of_item), np.intp) if field is None else field
        known = code >= 0
        found, told = np.zeros((2, n, n_fields), np.bool_)
        told[of_item[known], code[known]] = True
        with_output = known if given is None else known & given
        found[of_item[with_output], code[with_output]] = True
        # Without fields, a document is incomplete if one of its rows has no confidence.
        if field is None and given is not None:
            found[of_item[~given], 0] = False
        kind = np.full(n, -1, np.intp)
        if type_of_item is not None:
            kind = type_of_item[first]
            differ = np.flatnonzero(type_of_item != kind[of_item])
            if len(differ):
                raise ValueError(
                    f"types must have one type for each document, got a second type at index "
                    f"{differ[0]}"
                )
        return cls(of_item.astype(np.intp), first, found, told, kind)

    def lacking(self, required: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which documents lack a required field or have no output at all, (n_documents,)."""
        absent = (required[self.type] & ~self.found).any(axis=1)
        return np.asarray(absent | ~self.found.any(axis=1))

    def confidence(
        self,
        right: NDArray[np.float64],
        counts: NDArray[np.bool_] | None,
        rule: str,
        has: NDArray[np.bool_],
        missed: Sequence[float],
    ) -> NDArray[np.float64]:
        """Combine the probabilities `right` of the outputs marked by `counts` to one for each document.

        `missed` has, for each field, the probability that a document without the field has a true
        value.
        """
        values = right if counts is None else np.where(counts, right, 1.0)
        confidence = combined(values, self.of_item, rule)
        absent = has[self.type] & ~self.found
        for i, probability in enumerate(missed):
            factor = np.where(absent[:, i], 1.0 - probability, 1.0)
            confidence = np.minimum(confidence, factor) if rule == "least" else confidence * factor
        return confidence

    def right(self, right: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which documents have no wrong output and no missed true value."""
        return np.asarray(np.bincount(self.of_item, ~right) == 0)

    def require_told(
        self,
        which: NDArray[np.bool_],
        needs: Requirements,
        fields: Sequence[Any],
        labels: NDArray[Any],
        remedy: str = LISTED,
    ) -> None:
        """Raise if a document has no row for an optional field: its value may have been missed."""
        unlisted = (needs.has & ~needs.required)[self.type] & ~self.told
        unlisted[~which] = False
        if not unlisted.any():
            return
        n = int(unlisted.any(axis=1).sum())
        document, field = (int(each) for each in np.argwhere(unlisted)[0])
        name = quoted(str(fields[field]))
        raise ValueError(
            f"{n:,} {plural('document', n)} {'has' if n == 1 else 'have'} no row for an optional "
            f"field, such as {name} of document {quoted(str(labels[self.first[document]]))}; {remedy}"
        )


def never() -> Calibration:
    """Return the calibration of a field without outputs: the error probability is 1."""
    return Calibration((0.0,), np.ones(1, np.int64), np.ones(1, np.int64))


def is_never(calibration: Calibration) -> bool:
    """Return whether a calibration equals that of a field without outputs (:func:`never`)."""
    counts = calibration.n_items.tolist(), calibration.errors.tolist()
    return calibration.thresholds == (0.0,) and counts == ([1], [1])


def optional_of(optional: Any, fields: Sequence[Any]) -> tuple[Any, ...]:
    """Return the labels of optional fields in the order of `fields`; raise for an unknown one."""
    if isinstance(optional, str | bytes):
        raise TypeError(f"optional must be a sequence, such as [{optional!r}], got {optional!r}")
    given = np.asarray(optional).tolist() if hasattr(optional, "dtype") else list(optional)
    if unknown := [field for field in given if field not in fields]:
        known = listed([quoted(str(field)) for field in fields[:MOST_NAMED]])
        more = f" and {len(fields) - MOST_NAMED} others" if len(fields) > MOST_NAMED else ""
        raise ValueError(
            f"optional must name fields in by ({known}{more}), got {quoted(str(unknown[0]))}"
        )
    return tuple(field for field in fields if field in given)


def given_of(rejected: ArrayLike | None, n: int) -> NDArray[np.bool_] | None:
    """Return a mask of the outputs with a confidence; None if there are no others."""
    if rejected is None:
        return None
    never_accepted = np.asarray(rejected, np.bool_)
    if never_accepted.shape != (n,):
        raise ValueError(
            f"rejected must have the shape of confidence, ({n},), got {never_accepted.shape}"
        )
    return None if not never_accepted.any() else ~never_accepted


def places_among(
    known: Sequence[Any], labels: ArrayLike, n: int, name: str
) -> tuple[NDArray[np.intp], list[Any]]:
    """Return each output's position among the known labels (-1 if unknown), and the distinct labels."""
    distinct, codes = read_groups(labels, n, name)
    own, given = {label: i for i, label in enumerate(known)}, distinct.tolist()
    place: NDArray[np.intp] = np.array([own.get(label, -1) for label in given], np.intp)
    return np.asarray(place[codes]), given


def require_documents(documents: object, by: object, **given: Any) -> None:
    """Raise if document options are given without documents or without the necessary fields."""
    for name, value in given.items():
        if value is None or (name == "optional" and not np.size(value)):
            continue
        if documents is None:
            raise TypeError(f"{name} needs documents: give documents, or leave out {name}")
        if by is None and name != "rejected":
            raise TypeError(f"{name} needs by, the fields of the documents")
