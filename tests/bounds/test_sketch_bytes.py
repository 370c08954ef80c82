"""A sketch from bytes of strangers, or shared by threads: a sketch that holds, or a plain error."""

from __future__ import annotations

import array
import copy
import mmap
import pickle
import random
import struct
import threading
import zlib
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from strategies import COMPILED

import fastarac as fa
from bench.fuzz import sketches
from fastarac import _kernels
from fastarac.bounds import sketch as module
from fastarac.frames import ThresholdSketch

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HALF = 0xBFE0000000000000  # key of 0.5
Node = tuple[int, int, int, int]


def written(*nodes: Node, width: float = 0.9, version: int = 2, size: int | None = None) -> bytes:
    """Bytes with these nodes (first key, bits, incorrect, correct) and a checksum that is right."""
    low, bits, incorrect, correct = zip(*nodes, strict=True) if nodes else ((), (), (), ())
    n = len(nodes)
    counts = [count for pair in zip(incorrect, correct, strict=True) for count in pair]
    content = struct.pack(
        f"<16sHdq{n}Q{n}B{2 * n}q",
        *(b"fastarac sketch\n", version, width, n if size is None else size, *low, *bits, *counts),
    )
    return content + struct.pack("<I", zlib.crc32(content))


def chain(levels: range) -> list[Node]:
    """Ranges inside each other, one item in each, and many in a single confidence inside of all."""
    return [(HALF >> bits << bits, bits, 1, 1) for bits in levels] + [(HALF, 0, 10**6, 10**6)]


CRAFTED: dict[str, tuple[bytes, str]] = {
    "bits": (written((HALF, 200, 1, 1)), "200; it must be from 0 to 64"),
    "deep": (
        written(*((0, 64, 1, 1) for _ in range(100))),
        r"low\[1\] is 0; keys must increase without repeated ranges",
    ),
    "negative": (
        written((HALF, 0, -1, 2)),
        r"2\]; it must have at least one item and no negative number",
    ),
    "empty": (written((HALF, 0, 0, 0)), r"0\]; it must have at least one item and no negative number"),
    "overflow": (written((HALF, 0, 2**62, 2**62)), "sum to 9223372036854775808, beyond int64"),
    "vast": (written(*((HALF + i, 0, 2**63 - 1, 2**63 - 1) for i in range(3))), "beyond int64"),
    "unsorted": (written((HALF, 0, 1, 1), (HALF - 1, 0, 1, 1)), r"low\[1\] is 13826050856027422719"),
    "duplicate": (written((HALF, 0, 1, 1), (HALF, 0, 1, 1)), r"low\[1\] is 1382.*repeated ranges"),
    "duplicate range": (written((HALF, 1, 1, 1), (HALF, 1, 1, 1), (HALF, 0, 9, 9)), "repeated ranges"),
    "old duplicate": (written((HALF, 0, 1, 1), (HALF, 0, 1, 1), version=1), "repeated ranges"),
    "old negative": (
        written((HALF, 4, 5, 5), (HALF, 4, -1, 1), version=1),
        r"counts\[1\] is \[-1, 1\]",
    ),
    "inside first": (written((HALF, 0, 9, 9), (HALF, 1, 1, 1)), "repeated ranges"),
    "unaligned": (
        written((HALF + 1, 1, 1, 1)),
        r"low\[0\] is 13826050856027422721; it must be the first key of",
    ),
    "nan": (written((2**64 - 1, 0, 1, 1)), "it must be the key of a finite confidence"),
    "below all": (written((0, 4, 1, 1)), "it must be the key of a finite confidence"),
    "minus zero": (written((2**63 - 1, 0, 1, 1)), "it must be the key of a finite confidence"),
    "wide": (written((2**63, 0, 4, 7), (HALF, 2, 3, 1), width=0.5), r"at most 0\.25 \(max_width / 2\)"),
    "width 0": (
        written((HALF, 0, 1, 1), width=0.0),
        "max_width in data must be a number strictly between 0 and 1,",
    ),
    "width nan": (
        written((HALF, 0, 1, 1), width=np.nan),
        "max_width in data must be a finite number, got nan",
    ),
    "width tiny": (
        written((HALF, 0, 1, 1), width=5e-324),
        "max_width in data must be at least 1e-12 and below 1",
    ),
    "too many": (
        written((HALF, 0, 1, 1), size=2),
        ": its 2 nodes should have 25 bytes each, but there are 25",
    ),
    "size negative": (
        written((HALF, 0, 1, 1), size=-1),
        ": its -1 nodes should have 25 bytes each, but there are 25",
    ),
    "size vast": (written((HALF, 0, 1, 1), size=2**63 - 1), "data is a damaged ThresholdSketch: its"),
    "version": (written((HALF, 0, 1, 1), version=3), "version 3"),
}


@pytest.mark.parametrize("case", CRAFTED)
def test_crafted_bytes_with_a_right_checksum_are_refused(case):
    data, message = CRAFTED[case]
    with pytest.raises(ValueError, match=message):
        ThresholdSketch.from_bytes(data)


def test_ranges_as_deep_as_they_can_be():
    """64 around a single confidence: what no number of nodes exceeds."""
    sketch = ThresholdSketch.from_bytes(written(*chain(range(64, 0, -1))))
    assert sketch.total == 2 * (10**6 + 64)
    sketch.update([1, 0, 1], [0.5, 0.25, -3.0])
    low, high = sketch.bounds().roc_auc
    assert low < 0.5 < high
    assert high - low < 0.9
    again = ThresholdSketch.from_bytes((sketch + sketch).to_bytes())
    assert again.bounds() == (sketch + sketch).bounds()


def test_old_bytes_with_a_range_in_several_nodes_are_read():
    old = written((HALF, 4, 1, 2), (HALF, 4, 3, 1), (HALF, 0, 20, 20), version=1)
    new = written((HALF, 4, 4, 3), (HALF, 0, 20, 20))
    assert ThresholdSketch.from_bytes(old).to_bytes() == new
    assert ThresholdSketch.from_bytes(written(version=1)).total == 0


def test_a_range_is_one_node_whatever_is_collapsed_below_it():
    """What lies in both halves of a range that stays is counted with it."""
    low, bits = np.array([0, 1, 8], np.uint64), np.array([4, 0, 0], np.uint8)
    counts = np.array([[30, 40], [1, 2], [2, 1]])
    new: tuple[Any, ...] = np.empty_like(low), np.empty_like(bits), np.empty_like(counts)
    n = _kernels.sketch.collapse(low, bits, counts, np.array([60.0, 60.0]), 0.5, *new)
    assert [array[:n].tolist() for array in new] == [[0], [4], [[33, 43]]]


BUFFERS: dict[str, Callable[[bytes], Any]] = {
    "bytes": bytes,
    "bytearray": bytearray,
    "memoryview": memoryview,
    "bytes of numpy": lambda data: np.frombuffer(data, np.uint8),
    "steps of numpy": lambda data: np.repeat(np.frombuffer(data, np.uint8), 2)[::2],
    "items of two bytes": lambda data: np.frombuffer(data, "<u2"),
    "array": lambda data: array.array("B", data),
    "pickle": pickle.PickleBuffer,
}


@pytest.mark.parametrize("kind", BUFFERS)
def test_any_buffer_is_read(kind):
    sketch = ThresholdSketch()
    sketch.update([1, 0], [0.75, 0.5])
    sketch.update([1], [0.25])
    data = sketch.to_bytes()
    if len(data) % 2:
        sketch.update([0], [0.125])
        data = sketch.to_bytes()
    assert ThresholdSketch.from_bytes(BUFFERS[kind](data)).to_bytes() == data


def test_a_memory_map_is_read_and_let_go(tmp_path: Path):
    path = tmp_path / "sketch"
    path.write_bytes(written((HALF, 0, 1, 2)))
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        sketch = ThresholdSketch.from_bytes(mapped)
    assert (sketch.n_incorrect, sketch.n_correct) == (1, 2)


@pytest.mark.parametrize("data", ["text", None, 5, [1, 2]])
def test_what_has_no_bytes_is_refused(data: Any):
    with pytest.raises(TypeError, match="data must be bytes, or another"):
        ThresholdSketch.from_bytes(data)


@pytest.mark.parametrize("width", [5e-324, 1e-308, 9e-13])
def test_widths_that_no_memory_has_nodes_for_are_refused(width):
    with pytest.raises(ValueError, match="max_width must be at least 1e-12 and below 1"):
        ThresholdSketch(width)
    assert ThresholdSketch(1e-12).max_width == 1e-12


def test_counts_of_a_batch_beyond_int64_are_refused():
    sketch = ThresholdSketch.from_bytes(written((HALF, 0, 2**62, 2**62 - 2)))
    sketch.update([1], [0.5])
    with pytest.raises(ValueError, match="would sum to 9223372036854775808, beyond int64"):
        sketch.update([1], [0.5])
    assert sketch.total == 2**63 - 1
    assert sketch.bounds().total == 2**63 - 1


def test_crafted_and_changed_sketches_behave_or_are_refused():
    for seed in range(300 if COMPILED else 10):
        sketches.attempt(random.Random(seed))


def batches(n: int) -> list[tuple[Any, Any]]:
    rng = np.random.default_rng(4)
    size = 5000 if COMPILED else 40
    return [(rng.random(size) < 0.7, rng.random(size)) for _ in range(n)]


def test_threads_share_a_sketch(monkeypatch):
    """Each batch counts once and whole, whatever else is asked meanwhile."""
    monkeypatch.setattr(module, "CHUNK", 64)  # in many steps, between which others come
    monkeypatch.setattr(module, "MOST_KEPT", 128)
    given = batches(24)
    size = len(given[0][0])
    sketch, other = ThresholdSketch(0.05), ThresholdSketch(0.05)
    other.update(*given[0])
    start = threading.Barrier(8)
    update = [lambda k=k: [sketch.update(*batch) for batch in given[k::4]] for k in range(4)]
    read = [
        lambda: [sketch.to_bytes() for _ in range(20)],
        lambda: [sketch + other for _ in range(20)],
        lambda: [other + sketch for _ in range(20)],
        lambda: [copy.deepcopy(sketch) + pickle.loads(pickle.dumps(sketch)) for _ in range(20)],
    ]

    def run(work: Callable[[], list[Any]]) -> list[Any]:
        start.wait()
        return work()

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(run, [*update, *read]))
    assert sketch.total == 24 * size
    correct, confidence = (np.concatenate(arrays) for arrays in zip(*given, strict=True))
    low, high = sketch.bounds().roc_auc
    assert low <= fa.roc_auc_score(correct, confidence) <= high < low + 0.05
    seen = [ThresholdSketch.from_bytes(data) for data in found[4]]
    assert all(each.total % size == 0 for each in [*seen, *found[5], *found[6], *found[7]])
    assert [each.total for each in seen] == sorted(each.total for each in seen)


def test_labels_that_change_while_they_are_read_are_refused():
    """Written to after they were looked at: by another thread, at the worst moment."""

    class Changing(ThresholdSketch):
        @property
        def total(self) -> int:
            labels[:] = 7
            return super().total

    labels = np.ones(50, np.uint8)
    with pytest.raises(
        ValueError, match=r"correct\[0\] must be 0 \(incorrect\) or 1 \(correct\), got 7"
    ):
        Changing().update(labels, np.linspace(0, 1, 50))
