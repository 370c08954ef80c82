"""Count pairs without sorting the larger class, where errors (or correct items) are few.

Of the items of the larger class only those are sorted that share a small cell of confidences with one
of the smaller class; the others need nothing but the number of the latter below their cell.
"""

from __future__ import annotations

import math
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fastarac import _kernels
from fastarac._core import parallel
from fastarac._core.counted import has_few_values, sample_of
from fastarac._core.numpy_sort import sort_keys

if TYPE_CHECKING:
    from fastarac._core.inputs import Items

MAX_SHARE = 1 / 50  # of the smaller class
MAX_SHARED = 1 / 2  # of the items, as a sample tells, in a cell with one of the smaller class
MAX_CELL_BITS = 19
OCTAVE_BITS = 5  # of them, where cells are finer towards one end: 32 octaves

Array = NDArray[Any]


def count_around_few(items: Items) -> tuple[int, int, int] | None:
    """Correct items, incorrect items and doubled pairs, or None where another way is better."""
    n, layout = items.n, items.layout
    if not items.direct:
        return None
    correct = int(np.count_nonzero(items.correct.view(np.bool_)))
    few = min(correct, n - correct)
    if not 0 < few <= MAX_SHARE * n:
        return None
    sample = sample_of(items)
    if has_few_values(sample) or (sample[0] < 0) != (sample[-1] < 0):
        return None
    kernels = _kernels.minority
    rare_label = int(correct < n - correct)
    _, values, bits, labels = next(items.chunks(0, n))
    where = np.flatnonzero(labels == rare_label)
    if len(where) != few:  # labels other than 0 and 1
        items.reject()
    rare = values[where]
    sample = np.ascontiguousarray(sample, layout.values)
    maps = [_map(rare, sample, linear=linear) for linear in (True, False)]
    shared, ends, table = min(maps, key=itemgetter(0))
    if shared > MAX_SHARED:
        return None
    keys = np.empty(few, layout.bits)
    label = np.full(few, rare_label, np.uint8)
    kernel = _kernels.threshold.encode_two_ended
    _, _, lower = kernel(rare.view(layout.bits), label, layout.kind, layout.exponent, keys)

    def count(share: tuple[int, int]) -> tuple[int, int]:
        part = slice(*share)
        mixed = np.empty(share[1] - share[0] + few, layout.bits)
        bad, seen, side, n_keys, passed, doubled = kernels.pass_by(
            values[part], bits[part], labels[part], layout.kind, layout.exponent, ends, table,
            rare_label, mixed,
        )  # fmt: skip
        items.check(not_finite=bad, seen_labels=seen)
        mixed = mixed[: n_keys + few]
        mixed[n_keys:] = keys
        sort_keys(mixed)
        if rare_label == 1:  # then a pair counts where the rare item is above
            doubled = 2 * few * passed - doubled
        return side, doubled + _kernels.threshold.count_keys(mixed)[3]

    found = parallel.run(count, parallel.shares(n))
    if {side for side, _ in found} != {0 if lower else 1}:
        return None
    return correct, n - correct, sum(doubled for _, doubled in found)


def ends_of(low: float, high: float, bits: int, *, linear: bool) -> Any:
    """Ends of 2**bits cells for `cells_between`; None where the range has no width, or too much."""
    n_cells = 1 << bits
    with np.errstate(all="ignore"):
        span = np.float64(high) - np.float64(low)
        scale = n_cells / span if linear else np.float64(0.0)
    if not (0.0 < span < math.inf and scale < math.inf):
        return None
    shift = 52 - bits + OCTAVE_BITS
    return low, high, float(scale), shift, int(span.view(np.int64) >> shift) - n_cells + 1


def _map(rare: Array, sample: Array, *, linear: bool) -> tuple[float, Any, Array]:
    """Cells of one kind: the share of the sample in one with a rare item, their ends, their table."""
    kernels = _kernels.minority
    low, high = float(min(rare.min(), sample[0])), float(max(rare.max(), sample[-1]))
    bits = min(MAX_CELL_BITS, (4 * len(rare)).bit_length())
    ends = ends_of(low, high, bits, linear=linear)
    if ends is None:
        return math.inf, ends, rare
    table = np.empty(1 << bits, np.int32)
    kernels.fill_table(rare, ends, table)
    cells = np.empty(len(sample), np.int32)
    kernels.cells_between(sample, ends, 1 << bits, cells)
    return np.count_nonzero(table[cells] == 1) / len(cells), ends, table
