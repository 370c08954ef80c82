"""Errors to expect among new outputs, from items that did not choose the thresholds."""

import math

import numpy as np
import pytest
from scipy import stats
from strategies import COMPILED

import fastarac as fa
from fastarac import operation

STEEPNESS = np.array([0.05, 0.1, 0.3, 0.6, 1.0, 0.2])  # of the error probability, by field
FITS = 150 if COMPILED else 2


def source(n, rng, n_fields):
    """Outputs whose chance of an error is known, of fields that differ."""
    field = rng.integers(0, n_fields, n) if n_fields > 1 else np.full(n, 4)
    confidence = rng.beta(4, 1.2, n)
    chance = (1 - confidence) * STEEPNESS[field]
    return rng.random(n) >= chance, confidence, field, chance


def pages(n, rng):
    """Pages of 20 outputs with a chance of an error that is their own."""
    groups = np.repeat(np.arange(n), 20)
    confidence = rng.beta(4, 1.2, 20 * n)
    shift = np.exp(rng.normal(-0.5, 1.0, n))[groups]
    chance = np.minimum(1.0, (1 - confidence) * 0.3 * shift)
    return rng.random(20 * n) >= chance, confidence, groups, chance


@pytest.mark.slow
@pytest.mark.parametrize("n_fields", [1, 6])
@pytest.mark.parametrize("n", [500, 2000])
def test_the_mean_of_what_is_expected_is_that_of_the_truth(n, n_fields):
    """Where most samples accept something; of six fields, n = 500 and a limit of 0.05 it is 0.93."""
    expected, true, inside = 0.0, 0.0, 0
    for seed in range(FITS):
        rng = np.random.default_rng([seed, n, n_fields])
        correct, confidence, field, _ = source(n, rng, n_fields)
        by = field if n_fields > 1 else None
        policy = operation.fit_policy(correct, confidence, by=by, max_error_rate=30 / n + 0.02)
        _, confidence, field, chance = source(20_000, rng, n_fields)
        accepted = policy.apply(confidence, by=None if by is None else field)
        taken = [int(np.sum(accepted & (field == code))) for code in policy.fields or (4,)]
        found = policy.expected_errors(taken)
        errors = float(chance[accepted].sum())
        expected, true = expected + found.estimate, true + errors
        inside += found.low <= errors <= found.high
        assert found.low <= found.estimate <= found.high
    if COMPILED:
        assert 0.9 <= expected / true <= 1.1
        assert inside >= 0.88 * FITS  # 93% less three standard errors


@pytest.mark.slow
def test_errors_that_come_in_groups():
    expected, true, inside = 0.0, 0.0, 0
    for seed in range(FITS):
        rng = np.random.default_rng([seed, 5])
        correct, confidence, groups, _ = pages(100, rng)
        policy = operation.fit_policy(
            correct, confidence, groups=groups, max_error_rate=0.05, method="gamma"
        )
        assert policy.errors_per_group >= 1
        _, confidence, _, chance = pages(2000, rng)
        accepted = policy.apply(confidence)
        found = policy.expected_errors([int(accepted.sum())])
        errors = float(chance[accepted].sum())
        expected, true = expected + found.estimate, true + errors
        inside += found.low <= errors <= found.high
    if COMPILED:
        assert 0.9 <= expected / true <= 1.1
        assert inside >= 0.88 * FITS


def test_by_hand():
    """Of 600 outputs the lowest is wrong, then the lowest two; the limit allows one."""
    confidence = np.arange(600.0)
    policy = operation.fit_policy(confidence > 0, confidence, max_error_rate=0.01)
    assert (policy.accepted, policy.errors, policy.n_items) == (600, 1, 600)
    found = policy.expected_errors([1200])
    assert found.estimate == pytest.approx(2.0)
    ends = stats.gamma.ppf(0.025, 1) * 2, stats.gamma.ppf(0.975, 2) * 2
    assert (found.low, found.high) == pytest.approx(ends, rel=1e-8)
    policy = operation.fit_policy(confidence > 1, confidence, max_error_rate=0.01)
    assert (policy.accepted, policy.errors) == (599, 1)
    found = policy.expected_errors([600])
    assert found.estimate == pytest.approx(2.0)
    ends = stats.gamma.ppf([0.025, 0.975], 2)
    assert (found.low, found.high) == pytest.approx(tuple(ends), rel=1e-8)
    with pytest.raises(ValueError, match="accepted must have 1 elements, one for each field, got 2"):
        policy.expected_errors([1, 2])


def test_nothing_is_accepted():
    with pytest.warns(fa.SampleTooSmallWarning):
        policy = operation.fit_policy([1, 1, 0], [0.9, 0.8, 0.7], max_error_rate=0.01)
    found = policy.expected_errors([0])
    assert (found.estimate, found.low, found.high) == (0.0, 0.0, 0.0)
    assert math.isnan(found.standard_error)


@pytest.mark.slow
@pytest.mark.parametrize("hardness", [0.4, 1.6])
def test_expected_errors_are_right_on_average_if_a_sample_is_verified(hardness):
    """200 files: the mean difference from the true errors is within 2 standard errors of 0."""
    rng, n, differences = np.random.default_rng(21), 3000, []
    for _ in range(200):
        confidence = rng.beta(5, 1.5, n)
        right = rng.random(n) >= hardness * (1 - confidence) ** 1.5
        chosen = np.isin(np.arange(n), rng.choice(n, 200, replace=False))
        truth = fa.PartialTruth(np.where(chosen, right, np.nan), inclusion_probability=200 / n)
        policy = operation.fit_policy(truth, confidence, max_error_rate=0.05)
        accepted = policy.apply(confidence)
        expected = policy.expected_errors([int(accepted.sum())]).estimate
        differences.append(expected - float(np.sum(accepted & ~right)))
    assert abs(np.mean(differences)) <= 2.0 * np.std(differences) / np.sqrt(200)
    assert np.std(differences) / np.sqrt(200) < 3.0
