"""Guarantees from outputs that were all drawn with the same probability."""

from __future__ import annotations

import numpy as np
import pytest

import fastarac as fa

N, DRAWN = 3000, 200


def sample(seed, hardness=1.6):
    rng = np.random.default_rng(seed)
    confidence = rng.beta(5, 1.5, N).round(3)
    right = rng.random(N) >= hardness * (1 - confidence) ** 1.5
    chosen = np.isin(np.arange(N), rng.choice(N, DRAWN, replace=False))
    return confidence, right, chosen


def truth_of(right, chosen, **options):
    options = {"inclusion_probability": DRAWN / N} | options
    return fa.PartialTruth(np.where(chosen, right, np.nan), **options)


@pytest.mark.parametrize("known", ["all", "drawn"])
def test_the_guarantee_is_that_of_the_sample(known):
    """The threshold is lowered to just above the next verified error, which the exact test allows."""
    for seed in range(5):
        confidence, right, chosen = sample(seed)
        options = {}
        if known == "drawn":
            options = {
                "inclusion_probability": np.where(chosen, DRAWN / N, np.nan),
                "least_probability": DRAWN / N,
            }
        truth = truth_of(right, chosen, **options)
        found = fa.guaranteed_operating_point(truth, confidence, max_error_rate=0.05)
        plain = fa.guaranteed_operating_point(right[chosen], confidence[chosen], max_error_rate=0.05)
        next_error = confidence[chosen & ~right & (confidence < plain.threshold)].max()
        assert found.threshold == confidence[confidence > next_error].min()
        assert found.bound == plain.bound
        assert found.acceptance_rate == np.mean(confidence >= found.threshold)
        assert found.assumed_probability is None


@pytest.mark.slow
@pytest.mark.parametrize("hardness", [0.4, 1.6])
def test_more_is_accepted_than_by_betting(hardness):
    shares = {"auto": 0.0, "betting": 0.0}
    for seed in range(40):
        confidence, right, chosen = sample(seed, hardness)
        for method in shares:
            found = fa.guaranteed_operating_point(
                truth_of(right, chosen), confidence, max_error_rate=0.05, method=method
            )
            shares[method] += found.acceptance_rate / 40
    assert shares["auto"] > shares["betting"] + 0.01


@pytest.mark.slow
def test_the_limit_is_kept():
    """The bound on the exceedances is 5%, plus 2 standard errors of 300 samples."""
    grid = np.sort(np.random.default_rng(0).beta(5, 1.5, 200_000))
    rates = np.cumsum((1.6 * (1 - grid) ** 1.5)[::-1])[::-1] / len(grid)
    exceeded = 0
    for seed in range(300):
        confidence, right, chosen = sample(seed)
        truth = truth_of(right, chosen)
        point = fa.guaranteed_operating_point(truth, confidence, max_error_rate=0.05)
        exceeded += rates[np.searchsorted(grid, point.threshold)] > 0.05
    assert exceeded / 300 <= 0.05 + 2.0 * np.sqrt(0.05 * 0.95 / 300)


def test_risk_uses_all_verified_outputs():
    """The confidences of the other outputs choose the starts, so no verified output is set aside."""
    confidence, right, chosen = sample(1)
    grid = [0.6, 0.7, 0.8, 0.9]
    limit = {"max_risk": 0.15, "thresholds": grid}
    found = fa.guaranteed_operating_point(truth_of(right, chosen), confidence, **limit)
    plain = fa.guaranteed_operating_point(
        right[chosen], confidence[chosen], pilot=confidence[~chosen], **limit
    )
    assert found.threshold == plain.threshold
    assert found.bound == plain.bound


def test_other_draws_bet():
    """Unequal or unknown probabilities, groups or judges need bets; the labels do not matter."""
    confidence, right, chosen = sample(2)
    unequal = np.full(N, DRAWN / N)
    unequal[0] *= 1.5
    known = np.where(chosen, DRAWN / N, np.nan)
    others = (
        {"inclusion_probability": unequal},
        {"inclusion_probability": known},
        {"inclusion_probability": known, "least_probability": 0.9 * DRAWN / N},
        {"groups": np.arange(N)},
        {"judge": confidence},
    )
    for options in others:
        truth = truth_of(right, chosen, **options)
        assert not truth.drawn_evenly
        point = fa.guaranteed_operating_point(truth, confidence, max_error_rate=0.1)
        assert np.isnan(point.bound)
        with pytest.raises(ValueError, match="method must be 'betting'"):
            fa.guaranteed_operating_point(truth, confidence, max_error_rate=0.1, method="exact")


def test_a_missing_answer_leaves_the_other_probabilities_unknown():
    confidence, right, chosen = sample(3)
    known = np.where(chosen, DRAWN / N, np.nan)
    drawn = chosen.copy()
    chosen[np.flatnonzero(chosen)[0]] = False
    options = {"inclusion_probability": known, "least_probability": DRAWN / N}
    assert not truth_of(right, chosen, **options).drawn_evenly
    assert truth_of(right, chosen, drawn=drawn, open="wrong", **options).drawn_evenly
    with pytest.raises(ValueError, match="graded"):
        fa.guaranteed_operating_point(
            truth_of(right, drawn, graded=True), confidence, max_error_rate=0.1
        )
