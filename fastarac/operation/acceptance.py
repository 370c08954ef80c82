"""The rule by which a policy accepts outputs or documents."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from fastarac._core.dtype_comparison import at_or_above
from fastarac._core.text import listed, quoted
from fastarac._engine.inputs import read_groups
from fastarac.operation.calibration import Calibration, confidences
from fastarac.operation.documents import (
    HELD_BACK,
    LISTED,
    Documents,
    DocumentType,
    Requirements,
    given_of,
    is_never,
    places_among,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

Rule = Literal["product", "least"]
MOST_SHOWN = 5  # Maximum number of fields that a sentence names.


class NewOutputs(NamedTuple):
    """New outputs without their truth: confidences and the other columns that describe them."""

    confidence: ArrayLike
    by: ArrayLike | None = None
    documents: ArrayLike | None = None
    rejected: ArrayLike | None = None
    types: ArrayLike | None = None
    groups: ArrayLike | None = None
    max_group_size: int | None = None


@dataclass(frozen=True, slots=True)
class AcceptanceRule:
    """The part of a policy that decides on outputs or on whole documents.

    Attributes
    ----------
    fields : tuple of str or int
        The labels of the fields; empty if one threshold serves all outputs.
    thresholds : tuple of float
        The threshold of each field, or the single one.
    calibrations : tuple of Calibration
        The calibration of each field, or the single one.
    documents : {"product", "least"} or None
        How the outputs of a document are combined; None if single outputs are accepted.
    document_threshold : float
        The lowest confidence of an accepted document.
    optional : tuple of str or int
        The fields that an accepted document may lack.
    types : tuple of DocumentType
        The document types with their fields.
    missed : tuple of float
        For each field, the probability that its value was missed in a document that lacks the field.
    """

    fields: tuple[Any, ...]
    thresholds: tuple[float, ...]
    calibrations: tuple[Calibration, ...]
    documents: Rule | None
    document_threshold: float
    optional: tuple[Any, ...]
    types: tuple[DocumentType, ...]
    missed: tuple[float, ...]

    @property
    def in_words(self) -> str:
        """The rule in words."""
        if self.documents:
            if self.document_threshold <= 0.0:
                return "(all that have every required field)"
            right = "each output is right" if self.documents == "least" else "all outputs are right"
            least = f"{self.document_threshold:.4g}"
            return f"(where {right} with an estimated probability >= {least})"
        if len(self.fields) > MOST_SHOWN:
            return f"by {len(self.fields)} thresholds, one for each field"
        if self.fields:
            each = [
                f"{field} {shown_threshold(threshold)}"
                for field, threshold in zip(self.fields, self.thresholds, strict=True)
            ]
            return f"by field ({', '.join(each)})"
        return f"at confidence {shown_threshold(self.thresholds[0])}"

    def apply(self, outputs: NewOutputs) -> NDArray[np.bool_]:
        """Return which outputs are accepted; raise the same errors as :meth:`.Policy.apply`."""
        if self.documents is not None:
            whole, accepted, _ = self.decided(outputs)
            return np.asarray(accepted[whole.of_item])
        self.require_columns(by=outputs.by, documents=outputs.documents, types=outputs.types)
        _, _, accepted = self.of_outputs(outputs.confidence, outputs.by)
        given = given_of(outputs.rejected, len(accepted))
        return accepted if given is None else accepted & given

    def of_outputs(
        self, confidence: ArrayLike, by: ArrayLike | None
    ) -> tuple[NDArray[Any], NDArray[np.intp] | None, NDArray[np.bool_]]:
        """Return the confidences and field codes of single outputs, and which outputs are accepted."""
        values = confidences(confidence)
        codes = self.codes(by, len(values))
        require_column(None, "documents", needed=self.documents is not None)
        rules = [partial(at_or_above, threshold=threshold) for threshold in self.thresholds]
        return values, codes, _by_field(rules, values, codes, unknown=False)

    def of_documents(
        self, correct: NDArray[np.bool_], outputs: NewOutputs, *, fields_complete: bool
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.intp]]:
        """Return whether each document is accepted, whether it is wrong, and its first output."""
        whole, accepted, codes = self.decided(outputs)
        if not fields_complete:
            self.require_told(whole, accepted, outputs.documents)
        # An output of an unknown field counts as right, so it never makes its document wrong.
        right = correct if codes is None else correct | (codes < 0)
        return accepted, ~whole.right(right), whole.first

    def require_told(
        self, whole: Documents, which: NDArray[np.bool_], labels: Any, remedy: str = LISTED
    ) -> None:
        """Raise a ValueError if any of the documents `which` has no row for an optional field."""
        whole.require_told(which, self._requirements, self.fields, np.asarray(labels), remedy)

    def error_probability(
        self, values: NDArray[Any], codes: NDArray[Any] | None
    ) -> NDArray[np.float64]:
        """Return the calibrated error probability of each output; 1 for unknown fields."""
        return _by_field([each.at for each in self.calibrations], values, codes, unknown=1.0)

    def codes(self, by: ArrayLike | None, n: int) -> NDArray[np.intp] | None:
        """Return the index of each output's field in `fields`; -1 for an unknown field."""
        require_column(by, "by", needed=bool(self.fields))
        if by is None:
            return None
        codes, given = places_among(self.fields, by, n, "by")
        kinds = {type(label).__name__ for label in given} - {
            type(each).__name__ for each in self.fields
        }
        if kinds and (codes < 0).all():
            known = listed([quoted(str(field)) for field in self.fields[:3]])
            raise TypeError(
                f"by must hold fields of type {type(self.fields[0]).__name__}, such as {known}, "
                f"got type {min(kinds)}"
            )
        return codes

    def parts(self, codes: NDArray[np.intp] | None) -> Iterator[tuple[Any, NDArray[np.bool_]]]:
        """Yield each field with a mask of its outputs; yield nothing without fields."""
        if codes is not None:
            yield from ((field, codes == i) for i, field in enumerate(self.fields))

    def require_columns(self, *, by: object, documents: object, types: object) -> None:
        """Raise a TypeError if a column of labels is missing or superfluous."""
        require_column(by, "by", needed=bool(self.fields))
        require_column(documents, "documents", needed=self.documents is not None)
        require_column(types, "types", needed=bool(self.types))

    @property
    def _requirements(self) -> Requirements:
        return Requirements.of(self.fields, self.optional, self.types)

    def decided(
        self, outputs: NewOutputs
    ) -> tuple[Documents, NDArray[np.bool_], NDArray[np.intp] | None]:
        """Return the documents, whether each is accepted, and the code of each output's field."""
        values = confidences(outputs.confidence)
        self.require_columns(by=outputs.by, documents=outputs.documents, types=outputs.types)
        n = len(values)
        codes, given = self.codes(outputs.by, n), given_of(outputs.rejected, n)
        of_item = read_groups(outputs.documents, n, "documents")[1]
        kinds = None
        if outputs.types is not None:
            kinds, _ = places_among([each.type for each in self.types], outputs.types, n, "types")
        whole = Documents.of(of_item, codes, given, len(self.calibrations), kinds)
        counts = given
        if codes is not None and (codes < 0).any():
            counts = codes >= 0 if given is None else given & (codes >= 0)
        right, needs = 1.0 - self.error_probability(values, codes), self._requirements
        sure = whole.confidence(right, counts, self.documents or "product", needs.has, self.missed)
        unknown = whole.found[:, [is_never(each) for each in self.calibrations]].any(axis=1)
        sure[unknown | whole.lacking(needs.required)] = HELD_BACK
        return whole, np.asarray(sure >= self.document_threshold), codes


def require_column(given: object, name: str, *, needed: bool) -> None:
    """Raise a TypeError if a column of labels is missing or superfluous."""
    if needed and given is None:
        raise TypeError(f"{name} is missing: the policy was fitted with {name}")
    if not needed and given is not None:
        raise TypeError(f"{name} is given, but the policy was fitted without {name}")


def shown_threshold(threshold: float) -> str:
    """Return a threshold as text with all its digits, because rounding may change decisions."""
    if math.isinf(threshold):
        return "always" if threshold < 0 else "never"
    return f">= {repr(threshold).removesuffix('.0')}"


def _by_field(
    rules: Sequence[Callable[[NDArray[Any]], NDArray[Any]]],
    values: NDArray[Any],
    codes: NDArray[Any] | None,
    *,
    unknown: float,
) -> NDArray[Any]:
    """Apply the function in `rules` for each value's field, or the only one if there are no fields."""
    if codes is None:
        return rules[0](values)
    found = np.full(len(values), unknown)
    for i, rule in enumerate(rules):
        own = np.flatnonzero(codes == i)
        if len(own):
            found[own] = rule(values[own])
    return found
