"""Whole documents: which fields each must have, which it lacks, and how sure it is."""

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

HELD_BACK = -1.0  # confidence of documents that no threshold accepts
MOST_NAMED = 3


class DocumentType(NamedTuple):
    """A type of documents, and the fields that its documents have.

    Attributes
    ----------
    type : str or int
        Its label.
    fields : tuple of str or int
        The fields that hold a document of it back where they are absent, unless they are optional.

    See Also
    --------
    fastarac.operation.fit_policy : fit thresholds that keep one limit on new outputs
    fastarac.operation.Policy : which outputs are accepted, under one limit
    """

    type: Any
    fields: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Requirements:
    """Which fields hold a document back where they are absent.

    Attributes
    ----------
    required : ndarray of shape (n_types + 1, n_fields), bool
        Of each type; the last row is that of unknown types, and of all where there are no types.
    has : ndarray of shape (n_types + 1, n_fields), bool
        Which fields each type has, required or optional.
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
        """Return them by the labels of fields; without fields all outputs are of one, and required."""
        is_optional = np.array([field in optional for field in fields] or [False], np.bool_)
        has = np.ones((len(types) + 1, len(is_optional)), np.bool_)
        for i, each in enumerate(types):
            has[i] = [field in each.fields for field in fields]
        return cls(has & ~is_optional, has)


class Documents(NamedTuple):
    """The documents of some outputs, in the order of their labels.

    Attributes
    ----------
    of_item : ndarray of shape (n,), int
        The document of each output.
    first : ndarray of shape (n_documents,), int
        Its first output.
    found : ndarray of shape (n_documents, n_fields), bool
        Whether it has an output with a confidence.
    told : ndarray of shape (n_documents, n_fields), bool
        Whether it has a row at all, of an output or of a true value.
    type : ndarray of shape (n_documents,), int
        Its type; -1 for an unknown one.
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
        """Look which fields documents have; those below 0 are ignored, `given` have a confidence."""
        labels, first = np.unique(of_item, return_index=True)
        n = len(labels)
        code = np.zeros(len(of_item), np.intp) if field is None else field
        known = code >= 0
        found, told = np.zeros((2, n, n_fields), np.bool_)
        told[of_item[known], code[known]] = True
        with_output = known if given is None else known & given
        found[of_item[with_output], code[with_output]] = True
        if field is None and given is not None:  # nothing tells which fields there are: all rows count
            found[of_item[~given], 0] = False
        kind = np.full(n, -1, np.intp)
        if type_of_item is not None:
            kind = type_of_item[first]
            differ = np.flatnonzero(type_of_item != kind[of_item])
            if len(differ):
                raise ValueError(
                    f"types must have one type for each document, got a second at index {differ[0]}"
                )
        return cls(of_item.astype(np.intp), first, found, told, kind)

    def lacking(self, required: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which documents a person has to open, (n,): of those without any output all."""
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
        """Combine the probabilities that outputs are right; those that do not count are left out.

        Absent fields, of those that a type has, are right unless `missed`, with such a probability.
        """
        values = right if counts is None else np.where(counts, right, 1.0)
        confidence = combined(values, self.of_item, rule)
        absent = has[self.type] & ~self.found
        for i, probability in enumerate(missed):
            factor = np.where(absent[:, i], 1.0 - probability, 1.0)
            confidence = np.minimum(confidence, factor) if rule == "least" else confidence * factor
        return confidence

    def right(self, right: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which documents have no wrong output, and no true value that was missed."""
        return np.asarray(np.bincount(self.of_item, ~right) == 0)

    def require_told(
        self,
        which: NDArray[np.bool_],
        needs: Requirements,
        fields: Sequence[Any],
        labels: NDArray[Any],
    ) -> None:
        """Raise where one of these documents lacks an optional field that the truth does not list."""
        unlisted = (needs.has & ~needs.required)[self.type] & ~self.told
        unlisted[~which] = False
        if not unlisted.any():
            return
        n = int(unlisted.any(axis=1).sum())
        document, field = (int(each) for each in np.argwhere(unlisted)[0])
        name = quoted(str(fields[field]))
        raise ValueError(
            f"the truth of {n:,} {plural('document', n)} does not list an optional field, such as "
            f"{name} of {quoted(str(labels[self.first[document]]))}; add a row for each, or use "
            "fields_complete=True if a field that is not listed has no true value"
        )


def never() -> Calibration:
    """Return the calibration of a field without outputs: everything is wrong."""
    return Calibration((0.0,), np.ones(1, np.int64), np.ones(1, np.int64))


def is_never(calibration: Calibration) -> bool:
    """Whether nothing is known of a field, so that no document with an output of it is accepted."""
    counts = calibration.n_items.tolist(), calibration.errors.tolist()
    return calibration.thresholds == (0.0,) and counts == ([1], [1])


def optional_of(optional: Any, fields: Sequence[Any]) -> tuple[Any, ...]:
    """Return the labels of optional fields, in order, once it is known that there are such fields."""
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
    """Return which outputs have a confidence; None where all have."""
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
    """Return which of the known labels each output has, -1 for none, and the distinct labels given."""
    distinct, codes = read_groups(labels, n, name)
    own, given = {label: i for i, label in enumerate(known)}, distinct.tolist()
    place: NDArray[np.intp] = np.array([own.get(label, -1) for label in given], np.intp)
    return np.asarray(place[codes]), given


def require_documents(documents: object, by: object, **given: Any) -> None:
    """Raise where what is said of whole documents is given without them, or without their fields."""
    for name, value in given.items():
        if value is None or (name == "optional" and not np.size(value)):
            continue
        if documents is None:
            raise TypeError(f"{name} needs documents: give them, or leave it out")
        if by is None and name != "rejected":
            raise TypeError(f"{name} needs by, the fields of the documents")
