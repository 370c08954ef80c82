"""Labels in a file of their own, matched to the outputs by the ids in both files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac._core.text import quoted
from fastarac.io._pages import ID
from fastarac.io._picks import Correct, Label
from fastarac.io._sources import DataFileError
from fastarac.operation.logs import labels_of, read_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fastarac.io._sources import FileSource

CORRECT = "correct"


def has_labels_alone(source: FileSource, *of_samples: str) -> bool:
    """Return whether a file has ids and labels, but none of the columns `of_samples`."""
    there = set(source.columns)
    return {ID, CORRECT} <= there and there.isdisjoint(of_samples)


def labels_by_id(
    source: FileSource, outputs: FileSource
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the positions of the labelled outputs, and their labels, which are NaN if empty.

    Raise if an id occurs twice in a file, or if a label's id is not among the outputs.
    """
    ids = _ids(source)
    known, rows = np.unique(_ids(outputs), return_index=True)
    place = np.minimum(np.searchsorted(known, ids), len(known) - 1)
    missing = known[place] != ids
    if missing.any():
        some = quoted(str(ids[missing][0]))
        problem = f"{missing.sum():,} of its ids, such as {some}, are not in {outputs.path}"
        raise DataFileError(source.path, problem)
    labels = read_columns(source, {CORRECT: Correct(CORRECT, CORRECT)}, {}, [CORRECT])[CORRECT]
    return rows[place], np.asarray(labels, np.float64)


def _ids(source: FileSource) -> NDArray[Any]:
    source.require(ID, is_label=True)
    ids = labels_of(source, Label(ID, ID))
    values, counts = np.unique(ids, return_counts=True)
    if counts.max() > 1:
        twice = quoted(str(values[counts.argmax()]))
        raise DataFileError(
            source.path, f'column "{ID}" must have each id once, got {twice} {counts.max():,} times'
        )
    return ids
