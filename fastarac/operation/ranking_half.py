"""The random half of the items that serves to rank outputs; the other half tests the limit."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from fastarac._core.random_state import generator_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fastarac.operation.item_columns import ItemColumns


def source_of_halves(columns: ItemColumns, key: NDArray[np.uint64]) -> np.random.Generator:
    """Return a random generator seeded by `key` and by the items, regardless of their order."""
    order = columns.in_order()
    changes = np.diff(columns.confidence[order].astype(np.float64), prepend=math.nan) != 0.0
    return generator_for(
        key, columns.field[order].astype("<i8"), columns.right[order], changes,
        None if columns.given is None else columns.given[order],
        None if columns.weight is None else columns.weight[order].astype("<f8"),
    )  # fmt: skip


def random_half(columns: ItemColumns, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Draw half of the items, groups or documents to be used for ranking, as a mask of items.

    The result does not depend on the order of single items.
    """
    blocks = columns.groups if columns.groups is not None else columns.documents
    if blocks is None:
        drawn = np.empty(columns.n, np.bool_)
        drawn[columns.in_order()] = _half(columns.n, rng)
        return drawn
    if columns.groups is not None and columns.documents is not None:
        pages = np.unique(np.column_stack([columns.documents, columns.groups]), axis=0)[:, 0]
        if len(np.unique(pages)) < len(pages):
            raise ValueError("each document must belong to one group, but one belongs to several")
    return np.asarray(_half(int(blocks.max()) + 1, rng)[blocks])


def _half(n: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    if n < 2:
        raise ValueError(
            "correct must have at least two items, groups or documents, one for each half, got one"
        )
    return np.asarray(rng.permutation(n) < n // 2)
