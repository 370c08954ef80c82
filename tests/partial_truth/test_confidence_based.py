"""Estimates of outputs without truth."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_operation import isotonic

import fastarac as fa
from fastarac.operation import shifts
from fastarac.partial_truth import confidence_based_estimate


def outputs(rng, n, scale=1.5, shift=0.0):
    """Log-odds of confidences, of which 5.7% are errors."""
    z = shift + scale * rng.normal(size=n)
    return rng.random(n) < 1 / (1 + np.exp(-1.2 * z - 4)), 1 / (1 + np.exp(-z))


def error_probability(blocks, confidence):
    """Of the block with the highest lowest confidence that is not above; the last one below all."""
    return next((rate for lowest, _, _, rate in blocks if confidence >= lowest), blocks[-1][3])


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1), st.integers(2, 25), st.integers(1, 12))
def test_the_mean_of_isotonic_probabilities(seed, n, n_new):
    rng = np.random.default_rng(seed)
    correct, confidence = rng.random(n) < 0.6, rng.integers(0, 6, n)
    new, threshold = rng.integers(0, 6, n_new), int(rng.integers(0, 6))
    blocks = isotonic(correct.tolist(), confidence.tolist())
    of_new = [error_probability(blocks, c) for c in new.tolist()]
    of_old = [error_probability(blocks, c) for c in confidence.tolist()]
    found = confidence_based_estimate((correct, confidence), new)
    assert found.recognition_rate.estimate == pytest.approx(1 - float(sum(of_new)) / n_new)
    found = confidence_based_estimate((correct, confidence), new, threshold=threshold)
    wrong = sum(not y for y, c in zip(correct, confidence, strict=True) if c >= threshold)
    fitted = sum(p for p, c in zip(of_old, confidence, strict=True) if c >= threshold)
    scaled = [
        min(1, float(p) * float(wrong / fitted)) if fitted else 0.0
        for p, c in zip(of_new, new, strict=True)
        if c >= threshold
    ]
    assert found.error_rate.estimate == pytest.approx(sum(scaled) / n_new, abs=1e-12)
    assert found.acceptance_rate == np.mean(new >= threshold)
    if scaled:
        assert found.risk.estimate == pytest.approx(sum(scaled) / len(scaled), abs=1e-12)
    for interval in (found.error_rate, found.recognition_rate):
        assert 0 <= interval.low <= interval.estimate <= interval.high <= 1


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1))
def test_outputs_like_the_reference_have_its_errors(seed):
    rng = np.random.default_rng(seed)
    correct, confidence = rng.random(60) < 0.7, rng.random(60)
    found = confidence_based_estimate((correct, confidence), confidence, threshold=0.5)
    assert found.confidences_match
    assert found.recognition_rate.estimate == pytest.approx(np.mean(correct))
    wrong = np.sum(~correct & (confidence >= 0.5))
    assert found.error_rate.estimate * 60 == pytest.approx(wrong, abs=1e-9)
    by_sweep = confidence_based_estimate(
        fa.threshold_sweep(correct, confidence), confidence, threshold=0.5
    )
    assert by_sweep == found


@pytest.fixture
def _few_draws(monkeypatch):
    """P-values that are as valid as those of many permutations, in a fraction of the time."""
    monkeypatch.setattr(shifts, "DRAWS", 399)


@pytest.mark.usefixtures("_few_draws")
@pytest.mark.slow
@pytest.mark.parametrize("of_policy", [False, True])
def test_intervals_contain_what_happens(of_policy):
    """At least 93% of those of 95%, in 100 samples of 2,000 with a reference of 2,000."""
    rng = np.random.default_rng(1)
    contained, flagged = np.zeros(2), 0
    for _ in range(100):
        reference = outputs(rng, 2000)
        right, confidence = outputs(rng, 2000)
        if of_policy:
            reference = fa.operation.fit_policy(*reference, max_error_rate=0.01)
            accepted = reference.apply(confidence)
            found = confidence_based_estimate(reference, confidence)
        else:
            accepted = confidence >= 0.5
            found = confidence_based_estimate(reference, confidence, threshold=0.5)
        truth = np.mean(accepted & ~right), np.mean(right)
        for i, interval in enumerate((found.error_rate, found.recognition_rate)):
            contained[i] += interval.low <= truth[i] <= interval.high
        flagged += not found.confidences_match
    assert (contained / 100 > 0.93 - 2.3 * 0.0255).all()
    assert flagged / 100 < 0.1


@pytest.mark.usefixtures("_few_draws")
@pytest.mark.parametrize("change", [{"scale": 2.0}, {"scale": 1.1}, {"shift": 0.4}])
def test_moved_confidences_are_flagged(change):
    rng = np.random.default_rng(2)
    flagged = contained = 0
    for _ in range(20):
        right, confidence = outputs(rng, 2000, **change)
        found = confidence_based_estimate(outputs(rng, 2000), confidence, threshold=0.5)
        flagged += not found.confidences_match
        wrong = np.mean((confidence >= 0.5) & ~right)
        contained += found.error_rate.low <= wrong <= found.error_rate.high
        assert found.confidences_match or found.reason in str(found)
    assert flagged >= 18
    assert contained >= 18


@pytest.mark.parametrize("threshold", [0.5, None])
def test_a_small_shift_of_many_outputs_widens_the_interval(threshold):
    """A test finds any shift in large samples; what it can change is what counts."""
    rng = np.random.default_rng(4)
    contained = 0
    for _ in range(5):
        reference = outputs(rng, 50_000)
        right, confidence = outputs(rng, 50_000)
        z = np.log(confidence / (1 - confidence)) + 0.05  # as many are right as before
        now = 1 / (1 + np.exp(-z))
        found = confidence_based_estimate(reference, now, threshold=threshold)
        assert found.shift.shifted
        assert found.confidences_match
        assert 0 < found.hidden_change < 0.03
        assert f"may change the estimate by {100 * found.hidden_change:.2g}%;" in str(found)
        plain = confidence_based_estimate(reference, confidence, threshold=threshold)
        assert found.error_rate.high - found.error_rate.low > 1.5 * (
            plain.error_rate.high - plain.error_rate.low
        )
        wrong = np.mean(~right & (now >= (threshold or 0)))
        contained += found.error_rate.low <= wrong <= found.error_rate.high
        contained += found.recognition_rate.low <= np.mean(right) <= found.recognition_rate.high
    assert contained >= 9


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_what_a_shift_may_hide(seed, rejects):
    """The largest difference of the distributions, times the variation of the error probability."""
    rng = np.random.default_rng(seed)
    correct, confidence = rng.random(60) < 0.6, rng.integers(0, 6, 60)
    new = rng.integers(0, 6, 80)
    threshold = 3 if rejects else 0
    found = confidence_based_estimate((correct, confidence), new, threshold=threshold)
    blocks = isotonic(correct.tolist(), confidence.tolist())
    p = {c: float(error_probability(blocks, c)) for c in range(6)}
    accepted = [c for c in confidence.tolist() if c >= threshold]
    fitted = sum(p[c] for c in accepted)
    wrong = sum(not y for y, c in zip(correct, confidence, strict=True) if c >= threshold)
    g = [0.0 if c < threshold else min(1.0, p[c] * wrong / fitted) if fitted else 0.0 for c in range(6)]
    distance = max(abs(np.mean(new <= c) - np.mean(confidence <= c)) for c in range(6))
    variation = sum(abs(a - b) for a, b in pairwise(g))
    there = min(set(new.tolist()), set(confidence.tolist()), key=len) == set(range(6))
    if there and fitted:
        assert found.hidden_change == pytest.approx(min(1.0, distance * variation), abs=1e-12)
    before = sum(g[c] for c in confidence.tolist()) / 60
    if not rejects:
        assert abs(found.error_rate.estimate - before) <= distance * variation + 1e-12


def test_range_fields_and_groups():
    rng = np.random.default_rng(3)
    right, confidence = outputs(rng, 3000)
    found = confidence_based_estimate((right, confidence), np.append(confidence[:500], [2.0] * 20))
    assert found.reason == "20 of 520 confidences lie outside the range of the reference"
    assert "no estimate without truth" in str(found)
    assert "as long as a confidence means" in str(
        confidence_based_estimate((right, confidence), confidence)
    )
    field = rng.choice(["date", "name"], 3000)
    policy = fa.operation.fit_policy(right, confidence, by=field, max_error_rate=0.02)
    found = confidence_based_estimate(policy, confidence, by=field)
    expected = policy.expected_errors(
        [int(np.sum(policy.apply(confidence, by=field) & (field == name))) for name in policy.fields]
    )
    assert found.error_rate.estimate * 3000 == pytest.approx(expected.estimate, rel=0.25)
    strange = np.where(np.arange(3000) < 30, "sum", field)
    found = confidence_based_estimate(policy, confidence, by=strange)
    assert found.reason == "30 outputs belong to fields that the policy does not know"
    assert found.recognition_rate.low <= np.mean(right) - 0.01
    pages = np.arange(3000) // 30
    right = right.copy()
    right[pages < 6] = rng.random(180) < 0.4
    policy = fa.operation.fit_policy(right, confidence, groups=pages, max_error_rate=0.2)
    wide, narrow = (confidence_based_estimate(policy, confidence, groups=g) for g in (pages, None))
    assert wide.error_rate.estimate == narrow.error_rate.estimate
    assert wide.error_rate.high > narrow.error_rate.high


def test_nothing_accepted_and_no_error():
    found = confidence_based_estimate(([1, 1, 0], [3, 2, 1]), [3, 2], threshold=9)
    assert np.isnan(found.risk.estimate)
    assert found.error_rate.estimate == 0
    found = confidence_based_estimate(([1] * 100, np.arange(100)), np.arange(100), threshold=0)
    assert found.error_rate.estimate == 0
    assert 0.03 < found.error_rate.high < 0.12  # no error of 100, in both


@pytest.mark.parametrize(
    ("reference", "options", "error", "message"),
    [
        (3, {}, TypeError, r"reference must be a Policy, a ThresholdSweep or a tuple"),
        (([1, 0], [1, 2]), {"by": ["a", "b"]}, TypeError, "needs a policy as the reference"),
        (([1, 0], [1, 2]), {"groups": [1, 2]}, TypeError, "needs a policy as the reference"),
        (
            ([1, 0], [1, 2]),
            {"threshold": "high"},
            TypeError,
            r"threshold must be a number, got 'high' \(str\)",
        ),
        (
            ([1, 0], [1, 2]),
            {"confidence_level": 95},
            ValueError,
            "confidence_level must be a number strictly",
        ),
        (([1, 2], [1, 2]), {}, ValueError, "correct"),
    ],
)
def test_bad_input(reference, options, error, message):
    with pytest.raises(error, match=message):
        confidence_based_estimate(reference, [1.0, 2.0], **options)
    with pytest.raises(ValueError, match="confidence is empty"):
        confidence_based_estimate(([1, 0], [1, 2]), [])


def test_policies_that_it_does_not_take():
    rng = np.random.default_rng(4)
    right, confidence = outputs(rng, 2000)
    policy = fa.operation.fit_policy(right, confidence, max_error_rate=0.02)
    with pytest.raises(TypeError, match="threshold cannot go with a policy"):
        confidence_based_estimate(policy, confidence, threshold=0.5)
    documents, field = np.arange(2000) // 2, np.tile(["a", "b"], 1000)
    whole = fa.operation.fit_policy(
        right, confidence, by=field, documents=documents, max_error_rate=0.1
    )
    with pytest.raises(TypeError, match="whole documents"):
        confidence_based_estimate(whole, confidence, by=field)
    weighted = fa.threshold_sweep(right, confidence, sample_weight=confidence)
    with pytest.raises(TypeError, match="weighted"):
        confidence_based_estimate(weighted, confidence)
