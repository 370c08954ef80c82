"""Two thresholds and three zones: the rules item by item, and how often guarantees fail."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
import reference as ref
import reference_costs
import strategies
from hypothesis import given
from hypothesis import strategies as st

import fastarac as fa

ACCEPT, DISCARD = (
    ("max_error_rate", "max_risk"),
    ("max_false_discard_rate", "max_false_omission_rate"),
)
limits = st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0]) | st.floats(0, 1, width=16)


def quietly(function, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return function(*arguments, **options)


def three_way(*items, **options):
    return quietly(fa.three_way_operating_point, *items, **options)


@given(
    strategies.exact_sums,
    st.tuples(st.sampled_from(ACCEPT), limits),
    st.tuples(st.sampled_from(DISCARD), limits),
)
def test_the_largest_zones_that_keep_their_limits(sample, accept, discard):
    found = three_way(sample.correct, sample.confidence, **sample.weighted, **dict([accept, discard]))
    items = ref.to_items(*sample)
    high, low, _ = ref.three_way(items, accept, discard)
    assert (found.accept_threshold, found.discard_threshold) == (high, low)
    assert tuple(zip(found.criteria, found.limits, strict=True)) == (accept, discard)
    for name, value in (accept, discard):
        rate = getattr(found, name.removeprefix("max_"))
        assert not rate > value
    shares = found.acceptance_rate, found.verification_rate, found.discard_rate
    assert sum(shares) == pytest.approx(1)


def test_by_hand():
    items = [1, 1, 0, 1, 0, 1, 0, 0], [8, 7, 6, 5, 4, 3, 2, 1]
    found = fa.three_way_operating_point(*items, max_risk=0, max_false_omission_rate=0.3)
    assert (found.accept_threshold, found.discard_threshold) == (7, 4)
    assert (found.true_accepts, found.false_accepts) == (2, 0)
    assert (found.false_rejects, found.true_rejects) == (1, 1)
    assert (found.false_discards, found.true_discards) == (1, 3)
    assert (found.false_omission_rate, found.false_discard_rate) == (0.25, 0.125)
    # Both zones would reach over each other: outputs in both are accepted.
    found = fa.three_way_operating_point(*items, max_risk=0.4, max_false_omission_rate=0.4)
    assert (found.accept_threshold, found.discard_threshold) == (3, 2)
    assert found.verification_rate == 0
    assert "review 0%" in str(found)
    nothing = fa.three_way_operating_point([0, 1], [2, 1], max_risk=0, max_false_omission_rate=0)
    assert (nothing.accept_threshold, nothing.discard_threshold) == (math.inf, -math.inf)
    assert math.isnan(nothing.risk)
    assert math.isnan(nothing.false_omission_rate)
    assert str(nothing) == "review 100%"


@given(strategies.unweighted, limits, limits, st.sampled_from([0.05, 0.25, 0.5]))
def test_guaranteed_rates_item_by_item(sample, accept, discard, delta):
    found = three_way(
        sample.correct, sample.confidence, max_error_rate=accept, max_false_discard_rate=discard,
        failure_probability=(delta, 0.3),
    )  # fmt: skip
    correct, confidence = [int(c) for c in sample.correct.tolist()], sample.confidence.tolist()
    rule = reference_costs.guaranteed_by_error_rate
    high = rule(correct, confidence, Fraction(accept), Fraction(delta))
    low = -rule([1 - c for c in correct], [-t for t in confidence], Fraction(discard), Fraction(0.3))
    low = max((t for t in confidence if t <= low and t < high), default=-math.inf)
    assert (found.accept_threshold, found.discard_threshold) == (high, low)
    assert found.failure_probabilities == (delta, 0.3)
    for bound, rate, limit in zip(
        found.bounds, (found.error_rate, found.false_discard_rate), (accept, discard), strict=True
    ):
        assert rate <= bound + 1e-12 <= limit + 1e-11 or not bound


METHODS = {
    "exact": {"max_error_rate": 0.2},
    "sgr": {"max_risk": 0.2, "method": "sgr"},
    "fallback": {"max_risk": 0.2, "scale": "unit"},
    "betting": {"max_error_rate": 0.3, "groups": np.arange(400) // 2},
    "one_per_group": {
        "max_error_rate": 0.3, "groups": np.arange(400) // 2, "method": "one_per_group",
    },
    "betting on the risk": {"max_risk": 0.4, "groups": np.arange(400) // 2, "scale": "unit"},
    "gamma": {
        "max_risk": 0.4, "groups": np.arange(400) // 2, "scale": "unit", "method": "gamma",
    },
}  # fmt: skip


@pytest.mark.parametrize("name", METHODS)
def test_items_that_are_never_accepted(name):
    rng = np.random.default_rng(2)
    confidence = rng.random(400).round(2)
    items, options = (rng.random(400) < confidence**0.3, confidence), METHODS[name]
    whole = quietly(fa.guaranteed_operating_point, *items, **options)
    assert whole.threshold < 0.6
    for never in (-1.0, whole.threshold - 0.005, whole.threshold, 0.6, 0.9, 2.0):
        found = quietly(fa.guaranteed_operating_point, *items, **options, never_accepted=never)
        assert found.threshold > never
        if never < whole.threshold and name != "sgr":  # whose bisection begins elsewhere
            assert found.threshold == whole.threshold
            assert found.bound == pytest.approx(whole.bound, nan_ok=True)
    assert found.threshold == math.inf
    assert found.bound == 0


# Confidences k/20 for k = 0 … 20, with these chances of a correct output.
LEVELS = np.arange(21) / 20
CHANCES = 0.05 + 0.93 * LEVELS**0.7


def rates_of(found: fa.results.ThreeWayPoint) -> dict[str, float]:
    """The true rates at both thresholds; 0 where a zone is empty."""
    accepted, discarded = found.accept_threshold <= LEVELS, found.discard_threshold >= LEVELS
    wrong, right = (1 - CHANCES)[accepted].sum(), CHANCES[discarded].sum()
    n, m = max(accepted.sum(), 1), max(discarded.sum(), 1)
    return {
        "max_error_rate": wrong / 21, "max_risk": wrong / n,
        "max_false_discard_rate": right / 21, "max_false_omission_rate": right / m,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("given_limits", "least_adjacent"),
    [
        ({"max_error_rate": 0.05, "max_false_discard_rate": 0.05}, 0),
        # Each zone alone would hold half of the outputs in some samples, or more in nearly all.
        ({"max_risk": 0.25, "max_false_omission_rate": 0.4}, 50),
        ({"max_risk": 0.35, "max_false_omission_rate": 0.6}, 250),
    ],
)
def test_how_often_guarantees_fail(given_limits, least_adjacent):
    """Each limit is exceeded in at most 10% of samples; 300 samples, three standard errors."""
    rng, runs, n = np.random.default_rng(5), 300, 400
    failures, used, none_left = np.zeros(2), 0, 0
    for _ in range(runs):
        k = rng.integers(0, 21, n)
        found = three_way(
            rng.random(n) < CHANCES[k], LEVELS[k], **given_limits, failure_probability=0.2,
            **({"scale": "unit"} if "max_risk" in given_limits else {}),
        )  # fmt: skip
        true = rates_of(found)
        failures += [true[name] > limit + 1e-12 for name, limit in given_limits.items()]
        used += min(found.acceptance_rate, found.discard_rate) > 0.05
        none_left += not found.verification_rate
    assert (failures <= runs * (0.1 + 3 * math.sqrt(0.09 / runs))).all(), failures
    assert used >= 0.9 * runs
    assert none_left >= least_adjacent


def test_groups_and_a_pair_of_probabilities():
    rng = np.random.default_rng(0)
    k = rng.integers(0, 21, 3000)
    items = rng.random(3000) < CHANCES[k], LEVELS[k]
    options = {
        "max_risk": 0.3, "max_false_omission_rate": 0.4, "groups": np.arange(3000) // 3,
        "scale": "unit", "failure_probability": (0.1, 0.2), "max_group_size": 4,
    }  # fmt: skip
    found = three_way(*items, **options)
    alone = quietly(
        fa.guaranteed_operating_point, *items, max_risk=0.3, groups=np.arange(3000) // 3,
        scale="unit", failure_probability=0.1, max_group_size=4,
    )  # fmt: skip
    assert found.accept_threshold == alone.threshold
    assert 0 < found.discard_threshold < found.accept_threshold
    assert "with 70% confidence at most 30% of the accepted outputs are errors and" in str(found)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"max_risk": 0.1}, TypeError, "exactly one of max_false_discard_rate, max_false_omission"),
        (
            {"max_risk": 0.1, "max_error_rate": 0.1, "max_false_discard_rate": 0.1},
            TypeError,
            "exactly one of max_error_rate, max_risk, got max_error_rate and max_risk",
        ),
        (
            {"max_risk": 0.1, "max_false_omission_rate": 5},
            ValueError,
            r"max_false_omission_rate must be a number in \[0, 1\], got 5.0 \(5% is 0.05\)",
        ),
        (
            {"max_error_rate": 0.1, "max_false_omission_rate": 0.1, "failure_probability": 0.1},
            TypeError,
            "max_false_omission_rate with failure_probability needs thresholds",
        ),
        (
            {"max_error_rate": 0.1, "max_false_discard_rate": 0.1, "failure_probability": (0.1,)},
            ValueError,
            r"failure_probability must be a number, or two \(one for each limit\), got 1",
        ),
        (
            {"max_error_rate": 0.1, "max_false_discard_rate": 0.1, "failure_probability": 0.95},
            ValueError,
            "failure_probability must be at most 0.5",
        ),
        (
            {"max_error_rate": 0.1, "max_false_discard_rate": 0.1, "scale": "unit"},
            TypeError,
            "scale needs failure_probability",
        ),
        (
            {
                "max_error_rate": 0.1, "max_false_discard_rate": 0.1, "failure_probability": 0.1,
                "sample_weight": [1, 2, 3],
            },
            TypeError,
            "sample_weight cannot go with failure_probability",
        ),
    ],
)  # fmt: skip
def test_refused(options, error, message):
    with pytest.raises(error, match=message):
        fa.three_way_operating_point([1, 0, 1], [0.9, 0.2, 0.4], **options)


def test_refused_items():
    options = {"max_error_rate": 0.1, "max_false_discard_rate": 0.1}
    with pytest.raises(TypeError, match="got a PartialTruth"):
        fa.three_way_operating_point(
            fa.PartialTruth([1, np.nan], inclusion_probability=0.5), [0.1, 0.2], **options
        )
    sure = options | {"failure_probability": 0.1, "groups": [0, 1]}
    with pytest.raises(TypeError, match="groups needs single items"):
        fa.three_way_operating_point(fa.threshold_sweep([1, 0], [0.9, 0.1]), **sure)
    with pytest.raises(ValueError, match=r"beyond 2\*\*53 with groups"):
        three_way([1, 0], [2**60, 3], **sure)
    large = three_way([1, 0], [2**63 + 1, 2**63 - 5], **options)
    assert (large.accept_threshold, large.discard_threshold) == (2**63 + 1, 2**63 - 5)


def test_a_note_names_the_limit_of_its_arm():
    with pytest.warns(fa.SampleTooSmallWarning, match="max_false_discard_rate=0.01 needs at least"):
        fa.three_way_operating_point(
            [1, 0, 1], [0.9, 0.2, 0.4], max_error_rate=0.9, max_false_discard_rate=0.01,
            failure_probability=0.2,
        )  # fmt: skip
