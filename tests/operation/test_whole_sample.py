"""A risk limit that the whole sample tests, at thresholds fixed without it."""

from __future__ import annotations

import numpy as np
import pytest

import fastarac as fa
from fastarac.answers.policies import fit_answer
from fastarac.operation import fit_policy

LIMIT = 0.05


def draw(n, rng):
    """Outputs whose confidence is σ(z), z normal, and whose error probability is 1 − σ(0.9z + 0.2)."""
    z = rng.normal(2.2, 1.3, n)
    return rng.random(n) < 1.0 / (1.0 + np.exp(-0.9 * z - 0.2)), 1.0 / (1.0 + np.exp(-z))


def test_thresholds_on_a_scale_are_those_of_all_items():
    correct, confidence = draw(6000, np.random.default_rng(1))
    groups = np.arange(6000) // 3
    for more in ({}, {"groups": groups}, {"method": "gamma", "groups": groups}):
        for fixed in ({"scale": "unit"}, {"thresholds": [0.5, 0.8, 0.9, 0.99]}):
            policy = fit_policy(correct, confidence, max_risk=LIMIT, **fixed, **more)
            point = fa.guaranteed_operating_point(correct, confidence, max_risk=LIMIT, **fixed, **more)
            assert policy.thresholds == (point.threshold,)
            assert (policy.n_items, policy.by_halves) == (6000, False)
            assert policy.accepted == round(point.acceptance_rate * 6000)


def test_part_of_the_truth_takes_a_scale():
    correct, confidence = draw(4000, np.random.default_rng(2))
    known = np.where(np.random.default_rng(3).random(4000) < 0.5, correct, np.nan)
    truth = fa.PartialTruth(known, inclusion_probability=0.5)
    policy = fit_policy(truth, confidence, max_risk=0.2, scale="unit")
    assert policy.accepted > 0
    assert not policy.by_halves


def test_the_whole_sample_accepts_more_than_a_half():
    """In the mean of twelve samples; 1,000 of them are in the table of the documentation."""
    shares = np.zeros((12, 2))
    for run in range(12):
        sample = draw(6000, np.random.default_rng([5, run]))
        shares[run] = [
            fit_policy(*sample, max_risk=LIMIT, random_state=run, **fixed).acceptance_rate
            for fixed in ({}, {"scale": "unit"})
        ]
    half, whole = shares.mean(axis=0)
    assert whole > half + 0.04
    assert whole > 0.3


def test_without_a_scale_it_says_that_half_was_spent():
    sample = draw(6000, np.random.default_rng(6))
    half = fit_policy(*sample, max_risk=LIMIT)
    assert half.by_halves
    notes = [note.text for note in fit_answer(half).screen.notes]
    assert any(note.startswith("One half of the sample chose the thresholds") for note in notes)
    whole = fit_answer(fit_policy(*sample, max_risk=LIMIT, scale="unit"))
    assert not any("half of the sample" in note.text for note in whole.screen.notes)
    assert "In this sample" in " ".join(whole.screen.answer)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"by": [0, 1] * 50, "scale": "unit"}, "scale cannot go with by"),
        ({"documents": range(100), "thresholds": [0.5]}, "thresholds cannot go with documents"),
        ({"scale": "percent", "thresholds": [0.5]}, "thresholds and scale are both given"),
    ],
)
def test_refusals(more, message):
    with pytest.raises(TypeError, match=message):
        fit_policy([1, 0] * 50, np.linspace(0.0, 1.0, 100), max_risk=LIMIT, **more)
