"""The byte format of a sketch, and checks of untrusted bytes before a kernel reads them."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac import _kernels
from fastarac._core.checks import inner_fraction

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Buffer

MAGIC = b"fastarac sketch\n"
VERSION = 2  # version 1 allowed several nodes of the same range
HEADER = struct.Struct("<16sHdq")  # magic bytes, version, max_width, number of nodes
CHECKSUM = struct.Struct("<I")
NODE_SIZE = 8 + 1 + 2 * 8
LEAST_WIDTH = 1e-12  # minimum of max_width; the nodes would not fit in memory below it
MOST_ITEMS = np.iinfo(np.int64).max
MOST_BITS = 64
SPANS = np.array([(1 << bits) - 1 for bits in range(MOST_BITS + 1)], np.uint64)
# Keys of the largest and the smallest finite confidence.
LARGEST = np.uint64(0xFFEFFFFFFFFFFFFF)
LEAST = np.uint64(0x0010000000000000)
# Key of minus zero. No item has it, because minus zero is converted to zero.
MINUS_ZERO = np.uint64(0x7FFFFFFFFFFFFFFF)
# Tolerance for rounding errors when the counts in a range are compared with their limit.
ROUNDING = 1 + 1e-9


class Nodes(NamedTuple):
    """Ranges of keys and the counts of the items in them (see `_kernels.sketch`)."""

    low: NDArray[np.uint64]
    bits: NDArray[np.uint8]
    counts: NDArray[np.int64]
    """Incorrect and correct items of each node, (n, 2)."""

    @staticmethod
    def empty(size: int) -> Nodes:
        """Return uninitialised arrays for `size` nodes."""
        return Nodes(np.empty(size, np.uint64), np.empty(size, np.uint8), np.empty((size, 2), np.int64))

    def head(self, size: int) -> Nodes:
        """Return copies of the first `size` nodes."""
        return Nodes(self.low[:size].copy(), self.bits[:size].copy(), self.counts[:size].copy())


class NodeLayout(NamedTuple):
    """A division of all keys into intervals (see `_kernels.sketch.lay_out`)."""

    starts: NDArray[np.uint64]
    owners: NDArray[np.int32]
    sums: NDArray[np.int64]


def laid_out(nodes: Nodes) -> NodeLayout:
    """Return the intervals of all keys, and the counts of the ranges that enclose each node."""
    low, bits, counts = nodes
    starts = np.empty(2 * len(low) + 1, np.uint64)
    owners = np.empty(2 * len(low) + 1, np.int32)
    sums = np.empty((len(low), 2), np.int64)
    size = _kernels.sketch.lay_out(low, bits, counts, sums, starts, owners)
    return NodeLayout(starts[:size].copy(), owners[:size].copy(), sums)


def width_of(value: Any, name: str = "max_width") -> float:
    """Return `max_width` as a float; raise unless it is in [1e-12, 1)."""
    width = inner_fraction(value, name)
    if width < LEAST_WIDTH:
        raise ValueError(f"{name} must be at least {LEAST_WIDTH:g} and below 1, got {width!r}")
    return width


def written(max_width: float, nodes: Nodes) -> bytes:
    """Return the bytes of a sketch."""
    low, bits, counts = nodes
    parts = [
        HEADER.pack(MAGIC, VERSION, max_width, len(low)),
        low.astype("<u8").tobytes(),
        bits.tobytes(),
        counts.astype("<i8").tobytes(),
    ]
    content = b"".join(parts)
    return content + CHECKSUM.pack(zlib.crc32(content))


def read(data: Buffer) -> tuple[float, Nodes]:
    """Read and check the bytes of a sketch; return `max_width` and the nodes."""
    try:
        content = memoryview(data).tobytes()  # a copy, because another thread may modify `data`
    except TypeError as error:
        raise TypeError(
            f"data must be bytes, or another buffer, got type {type(data).__name__}"
        ) from error
    if len(content) < HEADER.size + CHECKSUM.size or not content.startswith(MAGIC):
        raise ValueError(
            "data is not a ThresholdSketch: it is too short, or its first bytes differ; use to_bytes"
        )
    _, version, max_width, size = HEADER.unpack_from(content)
    if not 1 <= version <= VERSION:
        raise ValueError(
            f"data must be a ThresholdSketch of version 1 to {VERSION}, got version {version}"
        )
    end = len(content) - CHECKSUM.size
    if CHECKSUM.unpack_from(content, end)[0] != zlib.crc32(memoryview(content)[:end]):
        raise ValueError("data is a damaged ThresholdSketch: its checksum is wrong")
    width = width_of(max_width, "max_width in data")
    if end - HEADER.size != size * NODE_SIZE:
        raise ValueError(
            f"data is a damaged ThresholdSketch: its {size} nodes should have {NODE_SIZE} bytes "
            f"each, but there are {end - HEADER.size}"
        )
    at, arrays = HEADER.size, []
    for dtype, columns in (("<u8", 1), ("u1", 1), ("<i8", 2)):
        arrays.append(np.frombuffer(content, dtype, size * columns, at))
        at += arrays[-1].nbytes
    low, bits, counts = arrays
    nodes = Nodes(
        low.astype(np.uint64), bits.astype(np.uint8), counts.astype(np.int64).reshape(size, 2)
    )
    _check_counts(nodes.counts)
    if version == 1:
        nodes = _each_range_once(nodes)
    _check(nodes, width)
    return width, nodes


def _each_range_once(nodes: Nodes) -> Nodes:
    """Merge neighbouring nodes with the same range, except nodes of single confidences."""
    low, bits, counts = nodes
    new = np.append(True, (low[1:] != low[:-1]) | (bits[1:] != bits[:-1]) | (bits[1:] == 0))
    starts = np.flatnonzero(new[: len(low)])
    return Nodes(low[starts], bits[starts], np.add.reduceat(counts, starts) if len(starts) else counts)


def _check_counts(counts: NDArray[np.int64]) -> None:
    """Raise unless each node has at least one item, and the sum of all counts fits int64."""
    wrong = (counts.min(axis=1) < 0) | (counts.max(axis=1) == 0)
    _reject_any(wrong, counts, "counts", "it must have at least one item and no negative number")
    # Sum the lower and upper 32 bits separately to avoid overflow.
    total = int((counts & 0xFFFFFFFF).sum()) + (int((counts >> 32).sum()) << 32)
    if total > MOST_ITEMS:
        raise ValueError(f"data is a damaged ThresholdSketch: its counts sum to {total}, beyond int64")


def _check(nodes: Nodes, max_width: float) -> None:
    """Raise unless the nodes are valid, because the kernels do not check them."""
    low, bits, counts = nodes
    _reject_any(bits > MOST_BITS, bits, "bits", f"it must be from 0 to {MOST_BITS}")
    span = SPANS[bits]
    _reject_any(low & span, low, "low", "it must be the first key of a range of 2**bits keys")
    finite = ((low | span) >= LEAST) & (low <= LARGEST) & ((bits > 0) | (low != MINUS_ZERO))
    _reject_any(~finite, low, "low", "it must be the key of a finite confidence")
    behind = (low[1:] > low[:-1]) | ((low[1:] == low[:-1]) & (bits[1:] < bits[:-1]))
    _reject_any(np.append(False, ~behind), low, "low", "keys must increase without repeated ranges")
    held = counts + laid_out(nodes).sums
    most = counts.sum(axis=0).astype(np.float64) * (max_width / 2 * ROUNDING)
    wide = (bits > 0) & (held > most).any(axis=1)
    expected = f"nested ranges may hold at most {max_width / 2:g} (max_width / 2) of one label's items"
    _reject_any(wide, counts, "counts", expected)


def _reject_any(bad: NDArray[Any], values: NDArray[Any], name: str, expected: str) -> None:
    if bad.any():
        i = int((bad != 0).argmax())
        raise ValueError(
            f"data is a damaged ThresholdSketch: {name}[{i}] is {values[i].tolist()}; {expected}"
        )
