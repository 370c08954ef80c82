"""A sketch of a stream of items in bounded memory, with bounds on the metrics of all items."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac import _kernels
from fastarac._core.results import read_only
from fastarac._engine.inputs import Items, read_items
from fastarac.bounds import sketch_format
from fastarac.bounds.bounded import BoundedSweep
from fastarac.bounds.sketch_format import LARGEST, LEAST, MINUS_ZERO, MOST_ITEMS, Nodes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Buffer


CHUNK = 1 << 15  # number of items processed at a time
# Maximum number of items of one label in the buffer. If it overflows, its items are put into nodes.
MOST_KEPT = 3 << 14
# The sketch merges nodes if there are more than NODES / max_width.
NODES = 32
# A node may hold this share of `_budget` minus the counts of the enclosing nodes: COLLAPSED when nodes
# are merged into it, and GROWN when new items are added to it.
COLLAPSED, GROWN = 1 / 2, 3 / 4
EXACT_INTEGERS = 1 << 53


class Routing(NamedTuple):
    """The tables by which items are assigned to nodes (see `_kernels.sketch.route`)."""

    starts: NDArray[np.uint64]
    owners: NDArray[np.int32]
    sums: NDArray[np.int64]
    added: NDArray[np.int32]
    table: NDArray[np.int32]
    ends: tuple[float, float, float, int]


class ThresholdSketch:
    """Counts of a stream of items, in bounded memory.

    Give batches to :meth:`.update`, and merge sketches of parts with ``+``, in any order. The bounds
    from :meth:`.bounds` contain the metrics of all items together. The bounds of the ROC-AUC are at
    most `max_width` wide. With few distinct confidences, all counts are exact.

    Parameters
    ----------
    max_width : float, default=1e-3
        The maximum width of the bounds on the ROC-AUC, in [1e-12, 1). The memory grows as
        1/`max_width`.

    Raises
    ------
    ValueError, TypeError
        If `max_width` is not a number in [1e-12, 1).

    See Also
    --------
    BoundedSweep : bounds of metrics from counts in bins
    fastarac.io.sketch_outputs : count a file of any size in a sketch

    Notes
    -----
    Confidences become keys: the bits of doubles, mapped so that their order is kept. Ranges of keys
    that begin with the same bits are the nodes of a tree. At first, each confidence has its own counts.
    When there are many confidences, they are merged into ranges with few items. The nodes on a path
    from the root of the tree contain together at most the share ``max_width / 2`` of the correct items,
    and the same share of the incorrect items. The order of two items is unknown only if they are in the
    same range, or if one range encloses the other. Therefore, for any stream, the order is unknown for
    a share of less than ``max_width`` of all pairs of a correct and an incorrect item.

    Several threads may update, add and read one sketch. A thread sees either all items of another
    thread's batch or none.

    Examples
    --------
    >>> import numpy as np
    >>> import fastarac as fa
    >>> rng = np.random.default_rng(0)
    >>> sketch = fa.frames.ThresholdSketch(max_width=0.01)
    >>> for _ in range(20):
    ...     confidence = rng.random(10_000)
    ...     sketch.update(rng.random(10_000) < confidence, confidence)
    >>> sketch
    ThresholdSketch(99505 correct, 100495 incorrect, max_width=0.01)
    >>> bounds = sketch.bounds().roc_auc
    >>> bounds.width < 0.01
    True
    """

    __slots__ = ("_kept", "_limit", "_lock", "_max_width", "_n_kept", "_nodes", "_routing", "_totals")

    def __init__(self, max_width: float = 1e-3) -> None:
        self._max_width = sketch_format.width_of(max_width)
        self._lock = threading.Lock()
        self._nodes = Nodes.empty(0)
        # The array is replaced and never modified, so that other threads can read it without the lock.
        self._totals = np.zeros(2, np.int64)
        self._kept = np.empty((2, 0), np.uint64)
        self._n_kept = np.zeros(2, np.int64)
        self._routing: Routing | None = None
        self._limit = int(NODES / self._max_width)

    def __repr__(self) -> str:
        incorrect, correct = self._totals
        return (
            f"ThresholdSketch({correct} correct, {incorrect} incorrect, max_width={self._max_width:g})"
        )

    @property
    def max_width(self) -> float:
        """The maximum width of the bounds on the ROC-AUC."""
        return self._max_width

    @property
    def n_correct(self) -> int:
        """Number of correct items, n⁺."""
        return int(self._totals[1])

    @property
    def n_incorrect(self) -> int:
        """Number of incorrect items, n⁻."""
        return int(self._totals[0])

    @property
    def total(self) -> int:
        """Number of items, Ω."""
        return int(self._totals.sum())

    @property
    def nbytes(self) -> int:
        """Number of bytes that the arrays of the sketch occupy."""
        arrays = [*self._nodes, self._kept, *(self._routing or ())]
        return sum(array.nbytes for array in arrays if isinstance(array, np.ndarray))

    def update(self, correct: ArrayLike, confidence: ArrayLike) -> None:
        """Count the items of a batch.

        Parameters
        ----------
        correct, confidence : array_like of shape (n,)
            Whether each output was right (bool, or 0 and 1 of any numeric type), and its confidence
            (real and finite; integers only up to 2**53, because they become doubles).

        Raises
        ------
        ValueError, TypeError
            As :func:`.threshold_sweep`, also for integers beyond 2**53; then nothing is counted. The
            same errors are raised if another thread makes the arrays invalid during the call. Some
            items may then have been counted.

        Examples
        --------
        >>> import fastarac as fa
        >>> sketch = fa.frames.ThresholdSketch()
        >>> sketch.update([1, 1, 0, 1], [0.9, 0.8, 0.4, 0.6])
        >>> sketch.bounds().arac_auc
        Bounds(low=0.96875, high=0.96875)
        """
        items = read_items(correct, confidence)
        for values, labels in _parts(items):
            low, high = values.min(), values.max()
            items.check(not_finite=not -np.inf < low <= high < np.inf, seen_labels=int(labels.max()))
            if values.dtype.kind in "iu" and max(-int(low), int(high)) > EXACT_INTEGERS:
                raise ValueError("confidence has integers beyond 2**53; convert them to floats")
        with self._lock:
            if self.total + items.n > MOST_ITEMS:
                raise ValueError(f"the counts would sum to {self.total + items.n}, beyond int64")
            for values, labels in _parts(items):
                # Check the copies again, because another thread may have changed the given arrays.
                doubles, right = values.astype(np.float64), labels.copy()
                changed = not np.isfinite(doubles).all()
                items.check(not_finite=changed, seen_labels=int(right.max()))
                # The kernels are compiled for read-only arrays.
                self._count(read_only(doubles), read_only(right))

    def _count(self, values: NDArray[np.float64], labels: NDArray[np.uint8]) -> None:
        sketch = _kernels.sketch
        if int(self._n_kept.max()) + len(values) > self._kept.shape[1]:
            self._settle()
            self._kept = np.empty((2, MOST_KEPT), np.uint64)
        if self._routing is None:
            self._routing = self._routes()
        way = self._routing
        keys, places = np.empty(len(values), np.uint64), np.empty(len(values), np.int32)
        with np.errstate(over="ignore"):  # the distance to an end may overflow
            sketch.route(values, labels, way.starts, way.table, way.ends, keys, places, way.added)
        right = int(np.count_nonzero(labels))
        self._totals = self._totals + np.array([len(values) - right, right])
        if sketch.accept(
            way.owners, way.added, self._nodes.bits, self._nodes.counts, way.sums, self._budget(), GROWN
        ):
            sketch.keep(keys, labels, places, way.added, self._kept, self._n_kept)
            sketch.clear(way.added)

    def _budget(self) -> NDArray[np.float64]:
        """Return how many incorrect and correct items a node and its enclosing nodes may hold."""
        return self._totals.astype(np.float64) * (self._max_width / 2)

    def _routes(self) -> Routing:
        sketch = _kernels.sketch
        low, _, counts = self._nodes
        starts, owners, sums = sketch_format.laid_out(self._nodes)
        # The cells are finest near the ends of the table. At outliers, the fine cells would be empty.
        ends = 0.0, 0.0, 0.0, 0
        if len(low):
            mass = np.cumsum(counts.sum(axis=1))
            places = np.searchsorted(mass, mass[-1] * np.array([0.001, 0.999]))
            first, last = sketch.values_of(np.clip(low[places], LEAST, LARGEST)).tolist()
            middle = first / 2 + last / 2
            reach = np.float64(middle - first)
            base = int(reach.view(np.int64) >> sketch.MANTISSA_SHIFT) - sketch.HALF_CELLS + 1
            ends = first, middle, last, base
        begun = np.bincount(sketch.cells_of(starts[1:], ends) + 1, minlength=sketch.N_CELLS + 1)
        table = np.cumsum(begun, dtype=np.int32)
        return Routing(starts, owners, sums, np.zeros((len(starts), 2), np.int32), table, ends)

    def _settle(self) -> None:
        """Turn the items in the buffer into nodes."""
        if not self._n_kept.any():
            return
        kept = [np.sort(keys[:size]) for keys, size in zip(self._kept, self._n_kept, strict=True)]
        nodes = Nodes.empty(len(kept[0]) + len(kept[1]))
        size = _kernels.sketch.count_keys(kept[1], kept[0], nodes.low, nodes.counts)
        nodes.bits[:] = 0
        self._n_kept[:] = 0
        self._merge(nodes.head(size))

    def _merge(self, nodes: Nodes) -> None:
        """Add nodes, and collapse some if there are too many."""
        merged = Nodes.empty(len(self._nodes.low) + len(nodes.low))
        size = _kernels.sketch.merge(*self._nodes, *nodes, *merged)
        self._nodes = merged.head(size)
        self._routing = None
        if size <= self._limit:
            return
        size = _kernels.sketch.collapse(*self._nodes, self._budget(), COLLAPSED, *merged)
        self._nodes = merged.head(size)
        self._limit = max(int(NODES / self._max_width), 2 * size)

    def __add__(self, other: object) -> ThresholdSketch:
        """Merge with the sketch of other items; the result has the larger `max_width`."""
        if not isinstance(other, ThresholdSketch):
            return NotImplemented
        # Copy each sketch under its own lock. Holding two locks at once could cause a deadlock.
        nodes, totals, limit = self._snapshot()
        others, other_totals, other_limit = other._snapshot()
        total = int(totals.sum()) + int(other_totals.sum())
        if total > MOST_ITEMS:
            raise ValueError(f"the merged counts sum to {total}, beyond int64")
        merged = ThresholdSketch(max(self._max_width, other._max_width))
        merged._limit = max(limit, other_limit)
        merged._totals = totals + other_totals
        merged._nodes = nodes
        merged._merge(others)
        return merged

    def _snapshot(self) -> tuple[Nodes, NDArray[np.int64], int]:
        """Return a copy of the nodes, the number of items of each label, and the `_limit` of nodes."""
        with self._lock:
            self._settle()
            return self._nodes.head(len(self._nodes.low)), self._totals, self._limit

    def __radd__(self, other: object) -> ThresholdSketch:
        """Support ``sum(sketches)``, which starts from 0; the sum of a single sketch is a copy."""
        return self + ThresholdSketch(self._max_width) if other == 0 else NotImplemented

    def bounds(self) -> BoundedSweep:
        """Return the counts at thresholds, with bounds on all metrics.

        Returns
        -------
        BoundedSweep
            The bounds of `roc_auc` are at most `max_width` wide; the widths of other bounds are not
            guaranteed. All counts are exact until confidences are merged into ranges.

        Raises
        ------
        ValueError
            If nothing has been counted yet.

        Examples
        --------
        >>> import fastarac as fa
        >>> sketch = fa.frames.ThresholdSketch()
        >>> sketch.update([1, 0], [0.9, 0.4])
        >>> sketch.bounds()
        BoundedSweep(2 bins, 1 correct, 1 incorrect)
        """
        (low, bits, counts), _, _ = self._snapshot()
        if not len(low):
            raise ValueError("the sketch is empty; give at least one item")
        last = np.minimum(_kernels.sketch.last_keys(low, bits), LARGEST)
        low = np.maximum(low, LEAST)
        after = last[last < LARGEST] + np.uint64(1)
        after[after == MINUS_ZERO] += np.uint64(1)
        keys, where = np.unique(np.concatenate([low, after]), return_inverse=True)
        depth = np.cumsum(np.bincount(where[: len(low)], minlength=len(keys)))
        depth -= np.cumsum(np.bincount(where[len(low) :], minlength=len(keys)))
        keys = keys[depth > 0]  # drop keys outside all ranges, which have no items
        ends = {}
        for name, at in (("low", low), ("high", last)):
            place = len(keys) - np.searchsorted(keys, at, side="right") + 1
            steps = np.zeros((len(keys) + 1, 2), np.int64)
            np.add.at(steps, place, counts)
            ends[name] = np.cumsum(steps, axis=0)
        thresholds = _kernels.sketch.values_of(keys)[::-1]
        return BoundedSweep(
            thresholds=np.append(np.inf, thresholds),
            true_accepts_low=ends["low"][:, 1],
            true_accepts_high=ends["high"][:, 1],
            false_accepts_low=ends["low"][:, 0],
            false_accepts_high=ends["high"][:, 0],
            single_valued=np.isin(keys, low[bits == 0])[::-1],
        )

    def to_bytes(self) -> bytes:
        """Return the sketch as bytes, the same on every machine.

        Examples
        --------
        >>> import fastarac as fa
        >>> sketch = fa.frames.ThresholdSketch()
        >>> sketch.update([1, 0], [0.9, 0.4])
        >>> fa.frames.ThresholdSketch.from_bytes(sketch.to_bytes())
        ThresholdSketch(1 correct, 1 incorrect, max_width=0.001)
        """
        return sketch_format.written(self._max_width, self._snapshot()[0])

    @staticmethod
    def from_bytes(data: Buffer) -> ThresholdSketch:
        """Return the sketch that :meth:`.to_bytes` wrote.

        Parameters
        ----------
        data : bytes or another buffer
            The complete bytes, also as a bytearray, a memoryview, an array or a memory map.

        Returns
        -------
        ThresholdSketch

        Raises
        ------
        TypeError
            If `data` is not a buffer.
        ValueError
            If the bytes are not a sketch, have an unknown version, or are damaged. Everything is
            checked, so untrusted bytes may be read.

        Examples
        --------
        >>> import fastarac as fa
        >>> fa.frames.ThresholdSketch.from_bytes(b"1 correct, 1 incorrect")
        Traceback (most recent call last):
        ValueError: data is not a ThresholdSketch: it is too short, or its first bytes differ; ...
        """
        max_width, nodes = sketch_format.read(data)
        sketch = ThresholdSketch(max_width)
        sketch._nodes = nodes
        sketch._totals = nodes.counts.sum(axis=0)
        sketch._limit = max(sketch._limit, 2 * len(nodes.low))
        return sketch

    def __reduce__(self) -> tuple[Callable[[bytes], ThresholdSketch], tuple[bytes]]:
        return ThresholdSketch.from_bytes, (self.to_bytes(),)


def _parts(items: Items) -> Iterator[tuple[NDArray[Any], NDArray[np.uint8]]]:
    """Yield the values and labels of a limited number of items at a time."""
    for start in range(0, items.n, CHUNK):
        for _, (values, _, labels) in items.chunks(start, min(start + CHUNK, items.n)):
            yield values, labels
