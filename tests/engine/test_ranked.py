"""Which way items go, and that it does not matter what is asked of them first."""

from __future__ import annotations

from itertools import permutations
from unittest import mock

import numpy as np
import pytest
from ways import DISTRIBUTIONS, WAYS, forced

import fastarac as fa
from fastarac._engine import ranked, strategy
from fastarac._engine.inputs import read_items
from fastarac._kernels.codes import PRECISION_MEANS, RECALL_INTEGRALS
from fastarac.samples.door import as_ranked, as_sweep

pytestmark = pytest.mark.interpreted

ASKED = {
    "pairs": lambda items: items.pairs,
    "sums": lambda items: [a / b for a, b in items.sums()],
    "mean": lambda items: float(items.sum(PRECISION_MEANS)),  # rounded once
    "integral": lambda items: items.sum(RECALL_INTEGRALS, of_risk=True),
    "runs": lambda items: [counts.tolist() for counts in items.runs],
    "points": lambda items: items.points.thresholds.tolist(),
}


def sample(n=400):
    rng = np.random.default_rng(1)
    return rng.random(n) < 0.9, DISTRIBUTIONS["uniform"](rng, n).round(2)


@pytest.mark.compiled
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_what_is_asked_first_changes_nothing(way):
    """Each is computed from what is known by then, or else from the items."""
    whole = as_ranked(as_sweep(*sample()))
    expected = {name: ask(whole) for name, ask in ASKED.items()}
    for first, second in permutations(ASKED, 2):
        with way():
            items = as_ranked(*sample())
            assert ASKED[first](items) == expected[first], first
            assert ASKED[second](items) == expected[second], (first, second)


def test_pairs_are_counted_once():
    items = as_ranked(*sample())
    with mock.patch.object(ranked, "count_pairs", wraps=ranked.count_pairs) as count:
        assert items.pairs is items.pairs
    count.assert_called_once()


def ways_of(n, need, sample_weight=None):
    items = read_items(np.arange(n) % 2, np.arange(float(n)), sample_weight)
    return list(strategy.choose(items, need))


@pytest.mark.parametrize("need", ["pairs", "corners", "runs", "thresholds", "sums", "precision"])
def test_few_items_take_one_kernel(need):
    assert ways_of(strategy.sizes.few, need) == ["few"]


def test_more_items_go_by_what_is_needed():
    n = 100
    with forced("numpy", single=n, per_thread=1000):
        assert ways_of(n, "thresholds") == ["numpy"]
        assert ways_of(n, "sums") == ways_of(n, "precision") == ["few"]
        assert ways_of(n + 1, "pairs") == ["smaller class", "quantized", "numpy", "buckets"]
        assert ways_of(n + 1, "sums") == ["numpy", "buckets"]
        assert ways_of(n + 1, "runs") == ["smaller class", "numpy", "buckets"]
    with forced("buckets"):
        assert ways_of(n, "pairs") == ["smaller class", "buckets"]
        assert ways_of(n, "curve") == ["buckets"]
    with forced("counted"):
        assert ways_of(n, "thresholds") == ["counted", "buckets"]
    with forced("one bucket"):
        assert ways_of(n, "thresholds") == ways_of(n, "curve") == ["one bucket"]


def test_many_threads_leave_no_more_than_halves_to_numpy():
    """And items on both sides of zero would need twice the memory."""
    with forced("numpy", threads=3, halves=99):
        assert ways_of(100, "sums") == ["buckets"]
        assert ways_of(99, "sums") == ["numpy", "buckets"]
    with forced("numpy", halves=99):
        assert ways_of(100, "sums") == ["numpy", "buckets"]
        items = read_items(np.arange(100) % 2, np.arange(100.0) - 50)
        assert list(strategy.choose(items, "sums")) == ["buckets"]


def test_weighted_items_take_their_own_way():
    weight = np.ones(10)
    assert ways_of(10, "sums", weight) == ways_of(10, "curve", weight) == ["weighted"]


def test_a_sweep_has_every_threshold_and_is_true():
    """What is read of fewer points is no sweep."""
    correct, confidence = sample()
    corners = as_ranked(correct, confidence, corners=True).corners
    assert not isinstance(corners, fa.ThresholdSweep)
    assert not isinstance(as_ranked(correct, confidence).runs, fa.ThresholdSweep)
    at_limits = as_ranked(correct, confidence).at_limits([0.01], [])
    assert not isinstance(at_limits, fa.ThresholdSweep)
