"""A stream in bounded memory: for all items, batches and merges the bounds contain the exact value."""

from __future__ import annotations

import math
import pickle
from functools import reduce
from itertools import permutations
from operator import add

import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from strategies import COMPILED

import fastarac as fa
from fastarac import _kernels
from fastarac.bounds import sketch as module
from fastarac.frames import BoundedSweep, ThresholdSketch

pytestmark = pytest.mark.interpreted

N, WIDTH = (400_000, 1e-3) if COMPILED else (6_000, 0.1)


@pytest.fixture(autouse=True)
def little_memory(request, monkeypatch):
    """Collapse early, so that a few items are a stream; a test that is marked has what is usual."""
    if "usual" not in request.fixturenames:
        monkeypatch.setattr(module, "NODES", 1)
        monkeypatch.setattr(module, "CHUNK", 8)
        monkeypatch.setattr(module, "MOST_KEPT", 12)


@pytest.fixture
def usual():
    """Stands for the sizes that users have."""


def exact(correct, confidence) -> dict[str, float]:
    sweep = fa.threshold_sweep(correct, confidence)
    step = fa.pr_auc_score(sweep, interpolation="step") if sweep.n_correct else math.nan
    return {
        "arac_auc": fa.arac_auc_score(sweep),
        "augrc": fa.augrc_loss(sweep),
        "arp_auc": fa.arp_auc_score(sweep),
        "aurc": fa.aurc_loss(sweep),
        "roc_auc": fa.roc_auc_score(sweep) if 0 < sweep.n_correct < sweep.total else math.nan,
        "average_precision": step,
    }


def check(bounds: BoundedSweep, correct, confidence, max_width: float) -> None:
    """Every bound contains the value of the items, and the ROC-AUC's is as narrow as promised."""
    assert (bounds.n_correct, bounds.total) == (correct.sum(), len(correct))
    for name, value in exact(correct, confidence).items():
        if not math.isnan(value):
            low, high = getattr(bounds, name)
            assert low <= value <= high, name
            assert name != "roc_auc" or high - low <= max_width
    items = fa.threshold_sweep(correct, confidence).at(bounds.thresholds)
    assert (bounds.true_accepts_low <= items.true_accepts).all()
    assert (bounds.true_accepts_high >= items.true_accepts).all()
    assert (bounds.false_accepts_low <= items.false_accepts).all()
    assert (bounds.false_accepts_high >= items.false_accepts).all()


def sketched(correct, confidence, max_width=0.3) -> ThresholdSketch:
    sketch = ThresholdSketch(max_width)
    if len(correct):
        sketch.update(correct, confidence)
    return sketch


SAMPLES = st.one_of(
    strategies.tied(), strategies.near_tied_floats(), strategies.one_class_only(),
    strategies.extreme_magnitudes(),
)  # fmt: skip


@given(SAMPLES, st.data())
def test_bounds_hold_for_any_items_batches_and_merges(sample, data):
    correct, confidence = np.asarray(sample.correct).astype(bool), np.asarray(sample.confidence)
    if confidence.dtype.kind in "iu":
        confidence = confidence.astype(float)
    width = data.draw(st.sampled_from([0.9, 0.3, 0.05]))
    places = sorted(data.draw(st.lists(st.integers(0, len(correct)), max_size=4)))
    parts = np.split(np.arange(len(correct)), places)
    one = ThresholdSketch(width)
    for part in parts:
        if len(part):
            one.update(correct[part], confidence[part])
    check(one.bounds(), correct, confidence, width)
    order = data.draw(st.permutations(parts))
    merged = sum(sketched(correct[part], confidence[part], width) for part in order)
    check(merged.bounds(), correct, confidence, width)
    again = ThresholdSketch.from_bytes(merged.to_bytes())
    assert again.bounds() == merged.bounds()


STREAMS = {
    "uniform": lambda rng, n: rng.random(n),
    "logit": lambda rng, n: rng.normal(2, 3, n),
    "softmax": lambda rng, n: 1 / (1 + np.exp(-rng.normal(8, 5, n))),
    "percent": lambda rng, n: rng.integers(0, 101, n),
    "constant": lambda rng, n: np.full(n, 0.25),
    "float32": lambda rng, n: rng.beta(9, 1, n).astype(np.float32),
    "signs": lambda rng, n: rng.choice([-0.0, 0.0, -5e-324, 5e-324, 1e308, -1e308, 1.0], n),
    "rising": lambda rng, n: np.sort(rng.random(n)),
    "narrowing": lambda rng, n: 0.5 + (rng.random(n) - 0.5) * 2.0 ** -np.linspace(0, 50, n),
}


@pytest.mark.compiled
@pytest.mark.parametrize("labels", ["by chance", "in turn", "correct first", "rare"])
@pytest.mark.parametrize("stream", STREAMS)
def test_bounds_hold_and_are_narrow_for_streams(stream, labels):
    rng = np.random.default_rng(5)
    n = 600 if COMPILED else 150
    confidence = STREAMS[stream](rng, n)
    correct = {
        "by chance": rng.random(n) < 0.8,
        "in turn": np.arange(n) % 2 == 0,
        "correct first": np.arange(n) < n // 2,
        "rare": rng.random(n) < 0.01,
    }[labels]
    sketch = ThresholdSketch(0.2)
    for part in np.array_split(np.arange(n), 9):
        sketch.update(correct[part], confidence[part])
    check(sketch.bounds(), correct, confidence, 0.2)
    if stream in {"percent", "constant"}:  # few values: nothing is collapsed that says anything
        assert stream == "percent" or sketch.bounds().sweep is not None
    parts = [sketched(correct[i::3], confidence[i::3], 0.2) for i in range(3)]
    for order in permutations(parts):
        check(reduce(add, order).bounds(), correct, confidence, 0.2)


def test_what_is_merged_or_written_is_not_changed():
    rng = np.random.default_rng(1)
    confidence, correct = rng.random(200), rng.random(200) < 0.5
    a, b = sketched(correct[:90], confidence[:90]), sketched(correct[90:], confidence[90:])
    before = a.to_bytes(), b.to_bytes()
    total = a + b
    total.update(correct, confidence)
    assert total.total == 400
    alone = sum([a])
    alone.update(correct, confidence)
    assert (a.to_bytes(), b.to_bytes()) == before


def test_counts_beyond_int64_are_refused():
    sketch = sketched([1, 0], [0.5, 0.25])
    for _ in range(61):
        sketch += sketch
    assert sketch.total == 2**62
    with pytest.raises(ValueError, match="beyond int64"):
        sketch + sketch


@pytest.mark.parametrize("stream", ["uniform", "softmax", "logit", "float32", "rising"])
@pytest.mark.parametrize("labels", ["by chance", "correct first"])
def test_size_and_width_are_as_promised(usual, stream, labels):
    rng = np.random.default_rng(2)
    confidence = STREAMS[stream](rng, N)
    correct = rng.random(N) < 0.7
    if labels == "correct first":
        correct.sort()
        correct = correct[::-1]
    sketch = ThresholdSketch(WIDTH)
    largest = 0
    for part in np.array_split(np.arange(N), 7):
        sketch.update(correct[part], confidence[part])
        largest = max(largest, sketch.nbytes)
    assert largest < 4_000_000
    assert len(sketch.to_bytes()) < 1_500_000
    bounds = sketch.bounds()
    assert 0 < bounds.roc_auc.width < WIDTH
    low, high = bounds.roc_auc
    assert low <= fa.roc_auc_score(correct, confidence) <= high
    point = fa.operating_point(bounds, max_error_rate=0.05)
    assert fa.threshold_sweep(correct, confidence).at(point.threshold).false_accepts <= 0.05 * N


def test_few_distinct_confidences_are_exact(usual):
    rng = np.random.default_rng(3)
    confidence = rng.integers(0, 1000, N // 4)
    correct = rng.random(N // 4) < confidence / 1000
    sketch = ThresholdSketch()
    sketch.update(correct, confidence)
    bounds = sketch.bounds()
    assert bounds.sweep == fa.threshold_sweep(correct, confidence)
    for name, value in exact(correct, confidence).items():
        assert getattr(bounds, name) == (value, value)


@pytest.mark.parametrize(
    ("correct", "confidence", "message"),
    [
        ([1, 0], [0.5, np.nan], r"confidence\[1\] must .*got nan"),
        ([1, 0], [0.5, np.inf], r"confidence\[1\] must .*got inf"),
        ([1, 2], [0.5, 0.25], r"correct\[1\] must .*got 2"),
        ([1, 0], [0.5], "correct and confidence must have the same number of items,"),
        ([1, 0], [2**53 + 1, 5], r"integers beyond 2\*\*53"),
        ([1, 0], [-(2**53) - 1, 5], r"integers beyond 2\*\*53"),
    ],
)
def test_a_bad_batch_counts_nothing(correct, confidence, message):
    sketch = sketched([1, 0], [0.5, 0.25])
    with pytest.raises(ValueError, match=message):
        sketch.update(correct * 20, confidence * 20)
    assert sketch.total == 2
    check(sketch.bounds(), np.array([1, 0]), np.array([0.5, 0.25]), 0.3)


def test_wrong_sketches_are_refused():
    with pytest.raises(ValueError, match="the sketch is empty"):
        ThresholdSketch().bounds()
    with pytest.raises(
        ValueError, match=r"max_width must be a number strictly between 0 and 1, got 0\.0"
    ):
        ThresholdSketch(0.0)
    data = sketched([1, 0], [0.5, 0.25]).to_bytes()
    for wrong, message in [
        (b"something else", "first bytes differ"),
        (data[:-1], "damaged"),
        (data[:40] + b"x" + data[41:], "damaged"),
        (data[:16] + b"\x09" + data[17:], "version 9"),
        (b"", "first bytes differ"),
    ]:
        with pytest.raises(ValueError, match=message):
            ThresholdSketch.from_bytes(wrong)
    with pytest.raises(TypeError):
        ThresholdSketch() + 1


@pytest.mark.pickles
def test_sketches_of_two_widths_keep_the_wider():
    merged = sketched([1, 0], [0.5, 0.25], 0.1) + sketched([1], [0.75], 0.2)
    assert merged.max_width == 0.2
    assert (merged.n_correct, merged.n_incorrect) == (2, 1)
    copy = pickle.loads(pickle.dumps(merged))
    assert copy.bounds() == merged.bounds()
    assert repr(copy) == "ThresholdSketch(2 correct, 1 incorrect, max_width=0.2)"


LABELS = pytest.mark.parametrize("label", [0, 1], ids=["incorrect", "correct"])


def of_label(label, counts):
    """Counts of one label in the rows of a table, none of the other."""
    table = np.zeros((len(counts), 2), np.int64)
    table[:, label] = counts
    return table


@LABELS
@pytest.mark.parametrize(("below", "nodes"), [([2, 3], 2), ([3, 3], 3)])
def test_what_encloses_a_range_leaves_less_for_it(label, below, nodes):
    """A tenth of what the enclosing node leaves of 100 is 5: two single confidences may hold that."""
    low, bits = np.array([0, 0b100, 0b111], np.uint64), np.array([4, 0, 0], np.int64)
    counts = of_label(label, [50, *below])
    new = np.empty_like(low), np.empty_like(bits), np.empty_like(counts)
    n = _kernels.sketch.collapse(low, bits, counts, np.array([100.0, 100.0]), 0.1, *new)
    assert n == nodes
    assert new[2][:n, label].tolist() == [50, 5] if nodes == 2 else [50, *below]


@LABELS
@pytest.mark.parametrize(("items", "left"), [(2, 0), (3, 3)])
def test_a_node_takes_items_while_it_stays_small(label, items, left):
    """A tenth of what is left of 100 above the node is 5, of which it holds three."""
    owners, bits = np.array([0], np.int64), np.array([8], np.int64)
    counts, added = of_label(label, [3]), of_label(label, [items])
    sums = of_label(label, [50])
    budget = np.array([100.0, 100.0])
    assert _kernels.sketch.accept(owners, added, bits, counts, sums, budget, 0.1) == left
    assert counts[0, label] == 3 + items - left
    assert added[0, 0] == (-1 if left else 0)
