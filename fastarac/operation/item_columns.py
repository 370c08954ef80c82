"""The items of a fit as checked arrays, and their error probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac._engine.factors import read_outermost
from fastarac._engine.inputs import read_groups, read_items
from fastarac.operation.calibration import (
    Calibration,
    calibration_of,
    confidences,
    weighted_calibration,
)
from fastarac.operation.documents import given_of
from fastarac.samples.door import labels_of_some, threshold_sweep

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from fastarac.samples.partial import PartialTruth

# Error probability of items whose field has no calibration; a value above 1 makes them rank last.
UNKNOWN = 2.0


class ItemColumns(NamedTuple):
    """The checked items of a fit, as arrays."""

    right: NDArray[np.bool_]
    """Whether each item is right; with partial truth, values of unverified items mean nothing."""
    confidence: NDArray[Any]
    field: NDArray[Any]
    groups: NDArray[Any] | None
    documents: NDArray[Any] | None
    truth: PartialTruth | None = None
    given: NDArray[np.bool_] | None = None
    """Which items have a confidence; None if all do. The others have the lowest one as placeholder."""

    @property
    def n(self) -> int:
        """The number of items."""
        return len(self.right)

    @property
    def all_verified(self) -> bool:
        """Whether the truth of every item is known."""
        return self.truth is None

    def answers(self, chosen: NDArray[np.bool_] | None = None) -> ArrayLike:
        """Return the truth (labels or partial truth) of the chosen items, by default of all."""
        every = self.right if self.truth is None else self.truth
        found: ArrayLike = every if chosen is None else labels_of_some(every, chosen)
        return found

    @property
    def with_confidence(self) -> NDArray[np.bool_]:
        """Which items have a confidence."""
        return np.ones(self.n, np.bool_) if self.given is None else self.given

    @property
    def weight(self) -> NDArray[np.float64] | None:
        """1/π for verified items (π: inclusion probability), 0 for others; None if all are verified."""
        if self.truth is None:
            return None
        weight = np.zeros(self.n)
        known = self.truth.verified
        weight[known] = 1.0 / self.truth.inclusion_probability[known]
        return weight

    def in_order(self) -> NDArray[np.intp]:
        """Return the indices that sort the items by their values."""
        more = [each for each in (self.given, self.weight) if each is not None]
        return np.lexsort((*more, self.right, self.confidence, self.field))


def columns_of(
    answers: tuple[Any, PartialTruth | None],
    confidence: ArrayLike,
    by: ArrayLike | None,
    groups: ArrayLike | None,
    documents: ArrayLike | None,
    method: str,
    rejected: ArrayLike | None,
) -> tuple[ItemColumns, tuple[Any, ...]]:
    """Check the items; return them as arrays, with the labels of the fields."""
    labels, truth = answers
    if truth is not None:
        if documents is not None:
            raise TypeError(
                "documents cannot go with a PartialTruth: leave out documents, or give each document "
                "as one item that is right if all its outputs are right"
            )
        if method != "auto":
            raise TypeError(f"method must be 'auto' for a PartialTruth, got {method!r}")
        threshold_sweep(truth, confidence)  # Raises unless all confidences are finite.
        right = np.asarray(truth.correct != 0)
        values = confidences(confidence)
        if groups is None and truth.groups is not None:
            groups = truth.groups
    else:
        threshold_sweep(labels, confidence)
        items = read_items(labels, confidence)
        right, values = np.not_equal(items.correct, 0), items.confidence
    n = len(right)
    given = given_of(rejected, n)
    if given is not None:
        if not given.any():
            raise ValueError("rejected marks every output: at least one must have a confidence")
        values = np.where(given, values, values[given].min())
    fields: tuple[Any, ...] = ()
    field = np.zeros(n, np.intp)
    if by is not None:
        names, field = read_groups(by, n, "by")
        fields = tuple(names.tolist())
    columns = ItemColumns(
        right,
        values,
        field,
        None if groups is None else read_outermost(groups, n, "fit_policy"),
        None if documents is None else read_groups(documents, n, "documents")[1],
        truth,
        given,
    )
    return columns, fields


def calibrations_of(
    columns: ItemColumns, fitting: NDArray[np.bool_], n_fields: int
) -> list[Calibration | None]:
    """Return each field's calibration, from the items marked by `fitting` that have a confidence."""
    own = fitting & columns.with_confidence
    return [
        calibration_of_items(columns, np.flatnonzero(own & (columns.field == i)))
        for i in range(n_fields)
    ]


def calibration_of_items(columns: ItemColumns, own: NDArray[np.intp]) -> Calibration | None:
    """Return the calibration of some items; None if none of them is verified."""
    weight = columns.weight
    if weight is not None:
        own = own[weight[own] > 0.0]
    if not len(own):
        return None
    if weight is None:
        return calibration_of(threshold_sweep(columns.right[own], columns.confidence[own]))
    return weighted_calibration(~columns.right[own], columns.confidence[own], weight[own])


def error_probabilities(
    columns: ItemColumns, calibrations: list[Calibration | None]
) -> NDArray[np.float64]:
    """Return the error probability of each item by its field's calibration."""
    probability = np.full(columns.n, UNKNOWN)
    for i, calibration in enumerate(calibrations):
        of_field = np.flatnonzero(columns.field == i)
        if calibration is not None:
            probability[of_field] = calibration.at(columns.confidence[of_field])
    return probability
