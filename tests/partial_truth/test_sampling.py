"""Which outputs are drawn to be verified, and with which probability."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastarac.partial_truth import draw_verification_sample


def filled(floor, size, count, budget):
    """min(1, floor + λ·size), λ by bisection."""
    low, high = 0.0, 1e12
    for _ in range(300):
        middle = (low + high) / 2
        if np.minimum(1, floor + middle * size) @ count < budget:
            low = middle
        else:
            high = middle
    return np.minimum(1, floor + low * size)


@given(st.integers(1, 40), st.integers(0, 2**32 - 1), st.floats(0.01, 1), st.floats(0.05, 1))
def test_probabilities(n, seed, share, mix):
    rng = np.random.default_rng(seed)
    judge = rng.random(n) ** rng.choice([0.2, 1, 5])
    groups = rng.integers(0, rng.integers(1, n + 1), n)
    budget = share * n
    sample = draw_verification_sample(rng.random(n), budget, judge=judge, mix=mix, groups=groups)
    codes = np.unique(groups, return_inverse=True)[1]
    count = np.bincount(codes)
    size = np.sqrt(np.bincount(codes, judge * (1 - judge)) / count)
    expected = filled(mix * share, size, count, budget)[codes]
    np.testing.assert_allclose(sample.inclusion_probability, expected, rtol=1e-7, atol=1e-12)
    assert sample.expected_size == pytest.approx(budget)
    assert (sample.inclusion_probability >= sample.least_probability * (1 - 1e-12)).all()
    drawn = [set(sample.selected[codes == code]) for code in np.unique(codes)]
    assert all(len(each) == 1 for each in drawn)


def test_strata_get_their_shares():
    rng = np.random.default_rng(1)
    strata = np.repeat(["a", "b"], [900, 100])
    judge = np.where(strata == "a", 0.999, 0.5)
    sample = draw_verification_sample(rng.random(1000), 100, judge=judge, strata=strata)
    for name, expected in (("a", 90), ("b", 10)):
        assert sample.inclusion_probability[strata == name].sum() == pytest.approx(expected)
    assert (
        draw_verification_sample(rng.random(1000), 100, judge=judge)
        .inclusion_probability[strata == "b"]
        .sum()
        > 35
    )


def test_draws_are_of_these_probabilities():
    confidence = np.random.default_rng(0).random(300)
    rng = np.random.default_rng(1)
    draws = [draw_verification_sample(confidence, 60, random_state=rng) for _ in range(400)]
    counts = sum(each.selected.astype(int) for each in draws)
    probability = draws[0].inclusion_probability
    z = (counts - 400 * probability) / np.sqrt(400 * probability * (1 - probability))
    assert abs(z).max() < 4.5
    assert 0.85 < z.std() < 1.15


def test_same_seed_same_rows():
    confidence = np.random.default_rng(0).random(300)
    a, b, c = (draw_verification_sample(confidence, 60, random_state=seed) for seed in (5, 5, 6))
    assert a == b
    assert a != c
    assert list(a.indices) == list(np.flatnonzero(a.selected))
    assert a.to_frame().shape == (300, 2)


def test_ends():
    assert draw_verification_sample([0.1, 0.2], 2).selected.all()
    certain = draw_verification_sample([0.1, 0.2, 0.3], 1.5, judge=[0, 1, 1])
    np.testing.assert_allclose(certain.inclusion_probability, 0.5)
    one = draw_verification_sample([0.1, 0.2, 0.3], 2, judge=[0.5, 1, 1], mix=0.9)
    np.testing.assert_allclose(one.inclusion_probability, [0.8, 0.6, 0.6])
    spare = draw_verification_sample([0.1, 0.2, 0.3], 2.8, judge=[0.5, 1, 1], mix=0.5)
    np.testing.assert_allclose(spare.inclusion_probability, [1, 0.9, 0.9])


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([], 1), {}, "confidence is empty"),
        (([0.1, np.nan], 1), {}, r"confidence\[1\] must .*got nan"),
        (([0.1, 0.2], 0), {}, "budget must be above 0 and at most 2, the number"),
        (([0.1, 0.2], 3), {}, "budget must be above 0 and at most 2, the number"),
        (([0.1, 0.2], 1), {"judge": [0.1]}, "judge and confidence must have the same number"),
        (([0.1, 0.2], 1), {"judge": [0.1, 1.5]}, r"judge\[1\] must .*got 1.5"),
        (([0.1, 0.2], 1), {"judge": [np.nan, 0.5]}, r"judge\[0\] must .*got nan"),
        (([0.1, 0.2], 1), {"mix": 2}, r"mix must be a number in \[0, 1\], got 2\.0 \(2% is 0"),
        (([0.1, 0.2], 0.5), {"mix": 0, "judge": [1, 0.5]}, "output 0 would never be drawn"),
        (
            ([0.1, 0.2], 1),
            {"groups": [1, 1], "strata": [1, 2]},
            "groups must each lie in one stratum, but the one at",
        ),
    ],
)
def test_bad_input(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        draw_verification_sample(*arguments, **options)
