"""The boundary for all thresholds at once: its reference, how often it fails, and when it is chosen."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
import reference_costs as ref
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import COMPILED

import fastarac as fa
from fastarac.guarantees.pocock import FEW_ERRORS, boundary

limits = st.sampled_from([0.0, 0.05, 0.1, 0.25, 0.5, 0.75, 1.0]) | st.floats(1 / 64, 1, width=16)
deltas = st.sampled_from([0.01, 0.05, 0.1, 0.25, 0.5])


def guaranteed(*items, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fa.SampleTooSmallWarning)
        warnings.simplefilter("ignore", fa.QuestionableInputWarning)  # some shapes begin reversed
        return fa.guaranteed_operating_point(*items, **{"method": "pocock", **options})


@settings(max_examples=60)
@given(strategies.unweighted, limits, deltas)
def test_the_rule_item_by_item(sample, limit, delta):
    correct = [int(c) for c in sample.correct.tolist()]
    found = guaranteed(sample.correct, sample.confidence, max_risk=limit, failure_probability=delta)
    expected = ref.guaranteed_at_all_thresholds(
        correct, sample.confidence.tolist(), Fraction(limit), delta
    )
    assert found.threshold == expected
    assert 0 <= found.bound <= limit * (1 + 1e-9)


@settings(max_examples=25)
@given(st.integers(1, 60), st.sampled_from([0.05, 0.1, 0.2, 0.35]), deltas)
def test_a_walk_at_the_limit_meets_the_boundary_as_seldom_as_promised(n, limit, delta):
    looks = list(boundary(n, limit, delta))
    most, exact = Fraction(delta * (1 + 1e-9)), Fraction(limit)
    assert looks == sorted(set(looks))
    assert ref.ever_within(looks, exact) <= most
    if looks and looks[0] > 1:
        assert ref.ever_within([looks[0] - 1, *looks[1:]], exact) > most


def test_known_boundaries():
    """59 items without an error prove 5%, as one test does; 300 items need 76 at the top."""
    assert boundary(58, 0.05, 0.05) == ()
    assert boundary(100, 0.05, 0.05) == (59,)
    assert boundary(300, 0.05, 0.05) == (76, 121, 156, 187, 217, 247, 275)
    assert len(boundary(10**9, 5e-8, 0.05)) == 34  # counts of any size


# --- How often the promise is broken -------------------------------------------------------------

# Chance of an error by the share of more confident items: of 100 cells of equal size.
CELLS = np.arange(100)
SHAPES = {
    "at the limit": np.full(100, 0.1001),
    "the top is bad": np.where(CELLS < 12, 0.4, np.where(CELLS < 60, 0.02, 0.3)),
    "twice within the limit": np.where(CELLS % 20 < 10, 0.1999, 0.0),
    "above and within the limit": np.where(CELLS % 20 < 11, 0.1999, 0.0),
    "errors in few places": np.where(CELLS % 10 == 6, 0.99, 0.001),
}


@pytest.mark.parametrize("method", ["pocock", "fallback"])
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_how_often_the_risk_is_exceeded(shape, tied, method):
    wrong, limit, delta, n = SHAPES[shape], 0.1, 0.1, 150
    # Risk where all items of the cells above, and a share of the next cell, are accepted.
    rng = np.random.default_rng([len(shape), tied])
    asked = {"max_risk": limit, "failure_probability": delta, "method": method}
    repeats = 500 if COMPILED else 50
    failed = 0
    for _ in range(repeats):
        place = rng.random(n)
        correct = rng.random(n) >= wrong[(100 * place).astype(int)]
        confidence = 1 - (np.ceil(10 * place) / 10 if tied else place)
        point = guaranteed(correct, confidence, **asked)
        if point.threshold < math.inf:
            share = 1 - point.threshold
            errors = np.interp(share, np.arange(101) / 100, np.cumsum([0.0, *wrong]) / 100)
            failed += errors / share > limit * (1 + 1e-9)
    assert failed / repeats <= delta + 2 * math.sqrt(delta * (1 - delta) / repeats)


# --- When it is chosen ---------------------------------------------------------------------------


def drawn(n, seed):
    rng = np.random.default_rng(seed)
    z = rng.normal(3.0, 1.3, n)
    return rng.random(n) < 1 / (1 + np.exp(-0.9 * z - 0.2)), 1 / (1 + np.exp(-z))


def test_auto_takes_it_for_few_items_on_a_scale():
    """While the limit allows at most FEW_ERRORS errors; a pilot does not matter to it."""
    for n, expected in ((300, "pocock"), (1000, "pocock"), (1001, "fallback")):
        correct, confidence = drawn(n, 2)
        given = {"max_risk": FEW_ERRORS / 1000, "scale": "unit"}
        found = fa.guaranteed_operating_point(correct, confidence, **given)
        assert found == guaranteed(correct, confidence, **given, method=expected)
        if expected == "pocock":
            assert found == fa.guaranteed_operating_point(
                correct, confidence, **given, pilot=drawn(400, 3)[1], random_state=5
            )
            assert found.acceptance_rate > 0.2
    few = {"max_risk": 0.05, "thresholds": [0.5, 0.9]}
    found = fa.guaranteed_operating_point(correct[:300], confidence[:300], **few)
    assert found == guaranteed(correct[:300], confidence[:300], **few, method="fallback")


def test_fixed_thresholds_are_proved_where_the_items_own_are():
    correct, confidence = drawn(300, 2)
    own = guaranteed(correct, confidence, max_risk=0.05)
    grid = [0.5, own.threshold, 0.99]
    assert guaranteed(correct, confidence, max_risk=0.05, thresholds=grid).point == own.point
    assert (
        guaranteed(correct, confidence, max_risk=0.05, thresholds=[0.5, 0.99]).threshold > own.threshold
    )


def test_it_needs_no_scale():
    """Any rising function of the confidence accepts the same items."""
    correct, confidence = drawn(300, 2)
    found = guaranteed(correct, confidence, max_risk=0.05)
    other = guaranteed(correct, np.log(confidence / (1 - confidence)), max_risk=0.05)
    assert found.acceptance_rate == other.acceptance_rate > 0.2
    assert found == guaranteed(fa.threshold_sweep(correct, confidence), max_risk=0.05)
    large = fa.ThresholdSweep.from_counts([2**60 + 1, 2**60], [100, 0], [0, 100])
    assert guaranteed(large, max_risk=0.05).threshold == 2**60 + 1


def test_what_it_does_not_take():
    correct, confidence = drawn(300, 2)
    with pytest.raises(ValueError, match="method must be 'exact' for max_error_rate, got 'pocock'"):
        guaranteed(correct, confidence, max_error_rate=0.05)
    many = fa.ThresholdSweep.from_counts([1.0], [10_001], [0])
    with pytest.raises(ValueError, match=r"at most 500 errors among all items, got 0\.05 of 10,001"):
        guaranteed(many, max_risk=0.05)
    with pytest.warns(fa.SampleTooSmallWarning, match="max_risk=0.05 needs at least 59 items"):
        found = fa.guaranteed_operating_point([1] * 58, range(58), max_risk=0.05, method="pocock")
    assert (found.threshold, found.bound) == (math.inf, 0)
    assert guaranteed([1] * 59, range(59), max_risk=0.05).acceptance_rate == 1


@pytest.mark.parametrize("scale", [None, "unit"])
def test_what_is_never_accepted_ends_the_search(scale):
    """The lowest proved threshold above it, and nothing else changes."""
    rng = np.random.default_rng(5)
    confidence = np.round(rng.random(300), 2)
    correct = rng.random(300) < 0.999
    asked = {"max_risk": 0.05, "failure_probability": 0.05, "method": "pocock", "scale": scale}
    free = fa.guaranteed_operating_point(correct, confidence, **asked)
    assert free.threshold < 0.3
    capped = fa.guaranteed_operating_point(correct, confidence, **asked, never_accepted=0.3)
    assert 0.3 < capped.threshold <= confidence[confidence > 0.3].min()
