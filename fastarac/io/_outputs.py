"""Outputs of machines as arrays."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastarac._core.results import Result, Table
from fastarac._engine.factors import n_groups, outermost, read_factors

Array = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Labels(Result):
    """A column of texts, with each distinct text stored once.

    Attributes
    ----------
    names : tuple of str
        The distinct texts, in sorted order.
    codes : ndarray of shape (n,), intp
        The index into `names` of each item's text.

    See Also
    --------
    Outputs : outputs of machines, one row per item
    read_outputs : read outputs and their confidences from a file

    Examples
    --------
    >>> import numpy as np
    >>> import fastarac as fa
    >>> labels = fa.io.Labels(("date", "name"), np.array([1, 0, 1]))
    >>> [labels.names[code] for code in labels.codes]
    ['name', 'date', 'name']
    """

    names: tuple[str, ...]
    codes: NDArray[np.intp]

    def __repr__(self) -> str:
        return f"Labels({len(self.codes)} items, {len(self.names)} names)"


def labels_of(texts: Array) -> Labels:
    names, codes = np.unique(texts, return_inverse=True)
    return Labels(tuple(names.tolist()), codes)


@dataclass(frozen=True, slots=True, eq=False)
class Outputs(Table, Result):
    """The outputs of one or more machines, one row per item, in the order of the file.

    Attributes
    ----------
    correct : ndarray of shape (n,), bool
        Whether each output is right.
    confidence : ndarray of shape (n,), of a real dtype
        The confidence of each output, finite. Numbers from a text file are float64, unless they are
        integers too large for it; numbers from a Parquet file keep their dtype.
    model : Labels or None
        The machine that made each output, if a column gives it.
    by : Labels or None
        The group of each item, if a column gives it.
    weight : ndarray of shape (n,), float64, or None
        The weight of each item, if a column gives it; finite and not negative.
    item : Labels or None
        The label that identifies each item, if a column gives it.
    truth : Labels or None
        The true output of each item, as a text, if requested.
    group : Labels or None
        The page, document or other group of dependent items, if a column gives it; if two columns are
        nested, the outer one.
    crossed : Labels or None
        A second column of groups, if there is one and neither column is nested in the other.
    rejected : ndarray of shape (n,), bool, or None
        Which items have no confidence in the file and are never accepted; None if all items have one.
        In `confidence`, all these items have the same value, which is below all others.

    See Also
    --------
    read_outputs : read outputs and their confidences from a file
    Labels : a column of texts, with each distinct text stored once
    fastarac.evaluate : compute all metrics of one model

    Examples
    --------
    >>> import numpy as np
    >>> import fastarac as fa
    >>> outputs = fa.io.Outputs(np.array([True, False]), np.array([0.9, 0.4]))
    >>> fa.arac_auc_score(outputs.correct, outputs.confidence)
    0.875
    """

    correct: NDArray[np.bool_]
    confidence: Array
    model: Labels | None = None
    by: Labels | None = None
    weight: NDArray[np.float64] | None = None
    item: Labels | None = None
    truth: Labels | None = None
    group: Labels | None = None
    crossed: Labels | None = None
    rejected: NDArray[np.bool_] | None = None

    def __len__(self) -> int:
        return len(self.correct)

    def __repr__(self) -> str:
        names = ("model", "by", "weight", "item", "truth", "group", "crossed", "rejected")
        there = [name for name in names if getattr(self, name) is not None]
        return f"Outputs({', '.join([f'{len(self)} items, {self.correct.sum()} correct', *there])})"

    def to_columns(self) -> dict[str, Any]:
        """Return the columns that were read, with one row per output and labels as texts."""
        columns = ((field.name, getattr(self, field.name)) for field in fields(self))
        return {
            name: np.array(column.names, object)[column.codes] if isinstance(column, Labels) else column
            for name, column in columns
            if column is not None
        }

    def per_model(self) -> dict[str, Outputs]:
        """Return the outputs of each model, without their model labels.

        Returns
        -------
        outputs : dict of str to Outputs
            One entry per name in `model`, in the order of the names; items keep their order.

        Raises
        ------
        ValueError
            If there are no model labels.
        """
        if self.model is None:
            raise ValueError(
                "the outputs have no model labels; give their column as `model` to read_outputs"
            )
        ends = np.cumsum(np.bincount(self.model.codes, minlength=len(self.model.names)))
        parts = np.split(np.argsort(self.model.codes, kind="stable"), ends[:-1])
        return {name: self.take(items) for name, items in zip(self.model.names, parts, strict=True)}

    def take(self, items: NDArray[np.intp]) -> Outputs:
        """Return the outputs at these indices, in this order, without model labels."""
        taken: dict[str, Any] = {"model": None}
        for name in (field.name for field in fields(self) if field.name != "model"):
            column = getattr(self, name)
            if isinstance(column, Labels):
                column = Labels(column.names, column.codes[items])
            elif column is not None:
                column = column[items]
            taken[name] = column
        return Outputs(**taken)

    @property
    def never_accepted(self) -> float | None:
        """The confidence value of the items that are never accepted; None without such items."""
        if self.rejected is None or not self.rejected.any():
            return None
        return float(self.confidence[self.rejected].max())

    @property
    def n_groups(self) -> int | None:
        """Number of groups of dependent items; None without group columns."""
        factors = self.factors
        return None if factors is None else n_groups(read_factors(factors, len(self))[0])

    @property
    def factors(self) -> Any:
        """The groups of dependent items, as the argument `groups` of other functions.

        One array of shape (n,), or two for crossed groups; None without groups.
        """
        if self.group is None:
            return None
        if self.crossed is None:
            return self.group.codes
        return self.group.codes, self.crossed.codes

    def with_outermost(self) -> Outputs:
        """Return the outputs without the inner one of two nested columns of groups."""
        if self.group is None or self.crossed is None:
            return self
        columns = self.group, self.crossed
        kept = outermost([column.codes for column in columns])
        if len(kept) > 1:
            return self
        return replace(self, group=columns[kept[0]], crossed=None)

    def with_rejects_below(self) -> Outputs:
        """Return the outputs with the confidences of rejected items below all others."""
        if self.rejected is None:
            return self
        if not self.rejected.any():
            return replace(self, rejected=None)
        # Use float64, because a narrower type may have no number below the lowest confidence.
        known = self.confidence[~self.rejected].astype(np.float64)
        least = float(known.min(initial=0.0))
        below = min(least - 1.0, float(np.nextafter(least, -np.inf)))
        confidence = np.full(len(self), below)
        confidence[~self.rejected] = known
        return replace(self, confidence=confidence)
