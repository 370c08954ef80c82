"""Labels of any type as integers, and counts of their combinations."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from fastarac import _kernels
from fastarac._core.checks import same_number
from fastarac._engine.inputs import labels_of, mask_of, read_groups

CHUNK = 1 << 16
# Maximum number of cells of a table of counts. For larger tables, only labels that occur get a number.
LARGEST_GRID = 1 << 20


class LabelColumn(NamedTuple):
    """A column of labels as small integers."""

    name: str
    values: NDArray[Any]
    """The labels as integers, (n,)."""
    lowest: int
    """The number to subtract from `values` to get indices into `labels`."""
    labels: list[Any]
    """The label at each index; some may not occur."""

    def chunk(self, start: int, stop: int) -> NDArray[np.int64]:
        """Return the index into `labels` for each of the items `start` to `stop`."""
        positions = self.values[start:stop].astype(np.int64)
        positions -= self.lowest
        return positions


class Classified(NamedTuple):
    """Columns of labels for the same items, and the list of classes."""

    columns: tuple[LabelColumn, ...]
    classes: list[Any]
    grid: NDArray[np.int64]
    """Number of items for each combination of the columns' own labels."""

    def _maps(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """For each column, yield the indices of the labels that occur, and the class number of each."""
        numbers = {label: number for number, label in enumerate(self.classes)}
        for axis, column in enumerate(self.columns):
            seen = _seen(self.grid, axis)
            classes = [numbers.get(column.labels[i], -1) for i in seen.tolist()]
            if -1 in classes:
                _reject_label(column, int(seen[classes.index(-1)]), self.classes)
            yield seen, np.array(classes, np.int64)

    def counts(self) -> NDArray[np.int64]:
        """Count the items for each combination of classes, with one axis per column."""
        seen, places = zip(*self._maps(), strict=True)
        table = np.zeros((len(self.classes),) * len(self.columns), np.int64)
        table[np.ix_(*places)] = self.grid[np.ix_(*seen)]
        return table

    def codes(self) -> list[NDArray[np.int64]]:
        """Return the class numbers of each column, of shape (n,)."""
        codes = []
        for column, (seen, places) in zip(self.columns, self._maps(), strict=True):
            numbers = np.zeros(len(column.labels), np.int64)
            numbers[seen] = places
            codes.append(numbers[column.chunk(0, len(column.values))])
        return codes

    @property
    def n(self) -> int:
        """Number of items."""
        return len(self.columns[0].values)

    def cells(self) -> NDArray[np.int64]:
        """Return each item's index into the flattened table of `counts`, of shape (n,)."""
        first, *others = self.codes()
        for codes in others:
            first = first * len(self.classes) + codes
        return first


def classify(labels: Any, /, **columns: Any) -> Classified:
    """Read columns of labels. The classes are `labels`, or by default all labels that occur."""
    read = [_read_column(values, name) for name, values in columns.items()]
    first = read[0]
    for column in read[1:]:
        same_number(first.name, len(first.values), column.name, len(column.values))
    if not len(first.values):
        raise ValueError(f"{' and '.join(columns)} are empty; give at least one item")
    if math.prod(len(column.labels) for column in read) > LARGEST_GRID:
        read = [_numbered(column) for column in read]
    grid = _count(read)
    classes = _sorted_labels(read, grid) if labels is None else _read_classes(labels)
    return Classified(tuple(read), classes, grid)


def _count(columns: list[LabelColumn]) -> NDArray[np.int64]:
    shape = [len(column.labels) for column in columns]
    size = math.prod(shape)
    table = np.zeros(size, np.int64)
    step = max(CHUNK, size)
    for start in range(0, len(columns[0].values), step):
        cells = columns[0].chunk(start, start + step)
        for column, width in zip(columns[1:], shape[1:], strict=True):
            cells *= width
            cells += column.chunk(start, start + step)
        table += np.bincount(cells, minlength=size)
    return table.reshape(shape)


def _seen(grid: NDArray[np.int64], axis: int) -> NDArray[np.int64]:
    others = tuple(i for i in range(grid.ndim) if i != axis)
    return np.flatnonzero(grid.any(axis=others))


def _sorted_labels(columns: list[LabelColumn], grid: NDArray[np.int64]) -> list[Any]:
    found = {
        column.labels[i] for axis, column in enumerate(columns) for i in _seen(grid, axis).tolist()
    }
    try:
        return sorted(found)
    except TypeError as error:
        names = " and ".join(column.name for column in columns)
        raise TypeError(
            f"{names} have labels that cannot be sorted ({error}); give their order as labels"
        ) from error


def _read_classes(labels: Any) -> list[Any]:
    array = labels_of(labels, "labels")
    classes: list[Any] = array.tolist()
    if not classes:
        raise ValueError("labels is empty; give at least one label")
    if len(set(classes)) < len(classes):
        twice = next(label for label in classes if classes.count(label) > 1)
        raise ValueError(f"labels must be distinct, got {twice!r} more than once")
    return classes


def _read_column(values: Any, name: str) -> LabelColumn:
    if isinstance(values, str) or not hasattr(values, "__len__"):
        raise TypeError(f"{name} must be an array of labels, got {values!r}")
    mask = mask_of(values)
    if mask is not None and mask.any():
        _reject_null(name, int(np.argmax(mask)))
    own_type = getattr(values, "dtype", None)
    whole = isinstance(own_type, np.dtype) and own_type.kind in "biu"
    if not whole and hasattr(values, "factorize"):  # a pandas array
        codes, labels = values.factorize()
        if (codes < 0).any():
            _reject_null(name, int(np.argmax(codes < 0)))
        return LabelColumn(name, codes, 0, labels.tolist())
    # Arrays of polars, pyarrow or another library.
    if not whole and not isinstance(values, np.ndarray | list | tuple):
        distinct, codes = read_groups(values, len(values), name)
        return LabelColumn(name, codes, 0, distinct.tolist())
    array = labels_of(values, name)
    if array.dtype.kind in "biu" and array.size:
        lowest, highest = int(array.min()), int(array.max())
        if highest - lowest < LARGEST_GRID and highest < 1 << 63:
            return LabelColumn(name, array, lowest, list(range(lowest, highest + 1)))
        wide = "=u8" if array.dtype.kind == "u" else "=i8"
        return _read_words(np.ascontiguousarray(array, wide), array, name)
    if array.dtype.kind in "US" and array.size:
        per_word = 2 if array.dtype.kind == "U" else 8
        width = -(-array.dtype.itemsize * per_word // 8 // per_word) * per_word
        padded = f"={array.dtype.kind}{max(width, per_word)}"
        return _read_words(np.ascontiguousarray(array, padded), array, name)
    if array.dtype == object:
        return _read_objects(array, name)
    distinct, codes = read_groups(array, len(array), name)
    return LabelColumn(name, codes, 0, distinct.tolist())


def _read_words(padded: NDArray[Any], array: NDArray[Any], name: str) -> LabelColumn:
    """Number the distinct values in order of first appearance; `padded` holds whole 8-byte words."""
    words = padded.view(np.uint64).reshape(len(array), -1)
    codes = np.empty(len(array), np.int64)
    bits = 12
    while True:
        slots = np.full(1 << bits, -1, np.int64)
        examples = np.empty(1 << bits, np.int64)
        distinct = _kernels.numbering.encode_rows(words, slots, examples, codes)
        if distinct >= 0:
            return LabelColumn(name, codes, 0, array[examples[:distinct]].tolist())
        bits += 3


def _read_objects(array: NDArray[Any], name: str) -> LabelColumn:
    """Number hashable values of any type, in order of first appearance."""
    numbers: dict[Any, int] = {}
    codes = np.empty(len(array), np.int64)
    for i, value in enumerate(array):
        if value is None or value != value:
            _reject_null(name, i)
        codes[i] = numbers.setdefault(value, len(numbers))
    return LabelColumn(name, codes, 0, list(numbers))


def _reject_null(name: str, i: int) -> NoReturn:
    raise ValueError(f"{name} must have a label for each item, got null at {name}[{i}]")


def _numbered(column: LabelColumn) -> LabelColumn:
    """Renumber the labels that occur from 0."""
    distinct, codes = read_groups(column.values, len(column.values), column.name)
    labels = [column.labels[i - column.lowest] for i in distinct.tolist()]
    return LabelColumn(column.name, codes, 0, labels)


def _reject_label(column: LabelColumn, position: int, classes: list[Any]) -> NoReturn:
    i = int(np.argmax(column.values == position + column.lowest))
    shown = ", ".join(map(repr, classes[:10])) + (", …" if len(classes) > 10 else "")
    raise ValueError(
        f"{column.name}[{i}] must be one of the labels {shown}, got {column.labels[position]!r}"
    )
