"""Sketches as bytes: valid sketches, and sketches with changed fields, nodes or length.

The checksum is made right again, so that the checks of the content are what is tried. What loads must
behave like a sketch of items that are somewhere in its ranges: it is written as it was read, its bounds
contain the figures of these items, and so they do after an update and a merge. Anything else must be a
ValueError.
"""

from __future__ import annotations

import math
import struct
import warnings
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

import fastarac as fa
from fastarac.frames import ThresholdSketch

if TYPE_CHECKING:
    import random

    from numpy.typing import NDArray

VERSION = 2
HEADER = struct.Struct("<16sHdq")
LEAST, LARGEST, MINUS_ZERO = 0x0010000000000000, 0xFFEFFFFFFFFFFFFF, 0x7FFFFFFFFFFFFFFF
SIGN, ALL = 1 << 63, (1 << 64) - 1
KEYS = (0, 1, LEAST - 1, LEAST, MINUS_ZERO - 1, MINUS_ZERO, SIGN, LARGEST, LARGEST + 1, ALL)
NUMBERS = (-(1 << 63), -1, 0, 1, 1 << 31, 1 << 53, 1 << 62, (1 << 63) - 1)
WIDTHS = (math.nan, math.inf, -1.0, 0.0, 5e-324, 1e-12, 0.5, 1.0)
MOST_EXACT = 1 << 53  # items whose areas are compared

Node = list[int]  # low, bits, incorrect, correct


def attempt(rng: random.Random) -> None:
    """Change a sketch, and look at what is made of its bytes."""
    sketch = _sketch(rng)
    data = sketch.to_bytes()
    width, nodes = _taken_apart(data)
    if rng.random() < 0.3:
        nodes = _nested(rng)
    version, size = VERSION, None
    for _ in range(rng.choice((0, 1, 1, 1, 2, 3))):
        what = rng.randrange(8)
        if what == 0:
            width = rng.choice((*WIDTHS, rng.random()))
        elif what == 1:
            size = rng.choice((*NUMBERS, len(nodes) + 1, len(nodes) - 1))
        elif what == 2:
            version = rng.choice((1, rng.randrange(1 << 16)))
        else:
            _change(rng, nodes)
    data = _put_together(version, width, nodes, size)
    if rng.random() < 0.1:
        data = _cut(rng, data)
    try:
        loaded = ThresholdSketch.from_bytes(rng.choice((bytes, bytearray, memoryview))(data))
    except ValueError:
        return
    assert version == 1 or loaded.to_bytes() == data
    values, counts = _items(rng, _taken_apart(data)[1])  # what is left of a cut may be a sketch
    if not len(values):
        return
    _check(loaded, values, counts)
    correct, confidence = _batch(rng)
    try:
        loaded.update(correct, confidence)
    except ValueError as error:
        assert "beyond int64" in str(error)  # noqa: PT017, the only reason to refuse this batch
        return
    values = np.concatenate([values, confidence])
    counts = np.concatenate([counts, np.stack([~correct, correct], axis=1)])
    _check(loaded, values, counts)
    try:
        merged = loaded + loaded
    except ValueError as error:
        assert "beyond int64" in str(error)  # noqa: PT017
        return
    _check(merged, values, 2 * counts)
    again = ThresholdSketch.from_bytes(merged.to_bytes())
    assert again.bounds() == merged.bounds()
    assert again.to_bytes() == merged.to_bytes()


def _batch(rng: random.Random) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Some items, of few or of many confidences."""
    draws = np.random.default_rng(rng.getrandbits(64))
    n = rng.choice((1, 5, 60, 400))
    confidence = rng.choice(
        (
            draws.random(n),
            draws.integers(0, 20, n) / 20,
            draws.normal(0, 9, n),
            draws.choice([-1.7976931348623157e308, -5e-324, 0.0, 5e-324, 1.7976931348623157e308], n),
        )
    )
    return draws.random(n) < rng.choice((0.05, 0.5, 0.95)), confidence


def _sketch(rng: random.Random) -> ThresholdSketch:
    """A sketch of items in several batches and parts, collapsed as soon as its width allows."""
    sketch = ThresholdSketch(rng.choice((0.9, 0.5, 0.1)))
    for _ in range(rng.randrange(3)):
        sketch.update(*_batch(rng))
    if rng.random() < 0.5:
        other = ThresholdSketch(rng.choice((0.9, 0.2)))
        other.update(*_batch(rng))
        sketch = sketch + other
    return sketch


def _taken_apart(data: bytes) -> tuple[float, list[Node]]:
    _, _, width, size = HEADER.unpack_from(data)
    low = np.frombuffer(data, "<u8", size, HEADER.size).tolist()
    bits = np.frombuffer(data, "u1", size, HEADER.size + 8 * size).tolist()
    counts = np.frombuffer(data, "<i8", 2 * size, HEADER.size + 9 * size).tolist()
    return width, [list(row) for row in zip(low, bits, counts[::2], counts[1::2], strict=True)]


def _put_together(version: int, width: float, nodes: list[Node], size: int | None) -> bytes:
    low, bits, incorrect, correct = np.array(nodes, object).reshape(len(nodes), 4).T
    counts = np.stack([incorrect, correct], axis=1).astype("<i8")
    header = HEADER.pack(b"fastarac sketch\n", version, width, len(nodes) if size is None else size)
    content = b"".join(
        [header, low.astype("<u8").tobytes(), bits.astype("u1").tobytes(), counts.tobytes()]
    )
    return content + struct.pack("<I", zlib.crc32(content))


def _cut(rng: random.Random, data: bytes) -> bytes:
    """Bytes too few or too many, before a checksum that is right again."""
    content = data[:-4]
    if rng.random() < 0.5:
        content = content[: rng.randrange(len(content) + 1)]
    else:
        content += rng.randbytes(rng.randrange(1, 60))
    return content + struct.pack("<I", zlib.crc32(content))


def _nested(rng: random.Random) -> list[Node]:
    """Ranges inside each other, as deep as they can be, and single confidences that hold the most."""
    key = rng.randrange(LEAST, LARGEST)
    levels = sorted(rng.sample(range(1, 65), rng.randrange(65)), reverse=True)
    nodes = [[key >> bits << bits, bits, rng.randrange(2), 1] for bits in levels]
    many = rng.choice((1, 1000, 10**6, 1 << 52))
    nodes.append([key, 0, many, many])
    return nodes


def _change(rng: random.Random, nodes: list[Node]) -> None:
    """Do something to one or two nodes."""
    if not nodes:
        nodes.append([rng.choice(KEYS), rng.randrange(66), rng.choice(NUMBERS), 1])
        return
    i, j = rng.randrange(len(nodes)), rng.randrange(len(nodes))
    what = rng.randrange(8)
    if what == 0:
        nodes[i][0] = rng.choice((*KEYS, rng.getrandbits(64), nodes[i][0] ^ 1 << rng.randrange(64)))
    elif what == 1:
        nodes[i][1] = rng.choice((0, 1, 63, 64, 65, 66, 200, 255, rng.randrange(65)))
    elif what == 2:
        nodes[i][rng.choice((2, 3))] = rng.choice((*NUMBERS, rng.randrange(1000)))
    elif what == 3:
        nodes.insert(i, list(nodes[i]))
    elif what == 4:
        nodes[i], nodes[j] = nodes[j], nodes[i]
    elif what == 5:
        del nodes[i]
    elif what == 6:
        rng.shuffle(nodes)
    else:
        bits = rng.randrange(65)
        nodes.append([rng.getrandbits(64) >> bits << bits, bits, 1, rng.randrange(9)])
        nodes.sort(key=lambda node: (node[0], -node[1]))


def _items(rng: random.Random, nodes: list[Node]) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """One confidence for the items of each node, somewhere in its range, and the counts."""
    keys = []
    for low, bits, *_ in nodes:
        first, last = max(low, LEAST), min(low | (1 << bits) - 1, LARGEST)
        key = rng.choice((first, last, rng.randint(first, last)))
        keys.append(key - 1 if key == MINUS_ZERO else key)
    bits = np.array([key ^ SIGN if key & SIGN else key ^ ALL for key in keys], np.uint64)
    return bits.view(np.float64), np.array([node[2:] for node in nodes], np.int64).reshape(-1, 2)


def _check(sketch: ThresholdSketch, values: NDArray[np.float64], counts: NDArray[Any]) -> None:
    """The bounds of the sketch contain the figures of the items."""
    bounds = sketch.bounds()
    q, p = (int(sum(column.tolist())) for column in counts.T)
    assert (sketch.n_incorrect, sketch.n_correct) == (q, p)
    assert (bounds.n_incorrect, bounds.n_correct) == (q, p)
    if p + q > MOST_EXACT:
        return
    sweep = fa.ThresholdSweep.from_counts(values, counts[:, 1], counts[:, 0])
    at = sweep.at(bounds.thresholds)
    assert (bounds.true_accepts_low <= at.true_accepts).all()
    assert (bounds.true_accepts_high >= at.true_accepts).all()
    assert (bounds.false_accepts_low <= at.false_accepts).all()
    assert (bounds.false_accepts_high >= at.false_accepts).all()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fa.UndefinedMetricWarning)
        figures: dict[str, Any] = {
            "arac_auc": fa.arac_auc_score(sweep),
            "arp_auc": fa.arp_auc_score(sweep),
        }
        if p and q:
            figures["roc_auc"] = fa.roc_auc_score(sweep)
            assert bounds.roc_auc.width <= sketch.max_width * (1 + 1e-6)
        if p:
            figures["average_precision"] = fa.average_precision_score(sweep)
    for name, figure in figures.items():
        low, high = getattr(bounds, name)
        assert low <= figure <= high, name
