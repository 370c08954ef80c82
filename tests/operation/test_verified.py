"""Policies from outputs of which some are verified: fitted, saved, checked."""

from __future__ import annotations

import math

import numpy as np
import pytest

import fastarac as fa
from fastarac._core.special import binomial_upper_bound
from fastarac.operation import Policy, checked_outputs, fit_policy
from fastarac.operation.calibration import weighted_calibration
from fastarac.operation.verified_rates import KnownErrors, VerifiedUnits
from fastarac.partial_truth import draw_verification_sample
from fastarac.samples.partial import truth_of_some


def outputs(seed, n=3000, errors=0.2, sharpness=0.2):
    """Confidences, whether outputs are right, and a judge who mostly knows it."""
    rng = np.random.default_rng(seed)
    confidence = rng.random(n).round(3)
    right = rng.random(n) >= errors * (1 - confidence) ** 2
    judge = np.clip(np.where(right, 0.9, 0.3) + rng.normal(0, sharpness, n), 0, 1)
    return rng, confidence, right, judge


def partly(seed, budget=800, *, mix=0.5, judged=True, groups=None, **options):
    rng, confidence, right, judge = outputs(seed, **options)
    sample = draw_verification_sample(
        confidence, budget, judge=judge, mix=mix, groups=groups, random_state=rng
    )
    truth = fa.PartialTruth(
        np.where(sample.selected, right, np.nan),
        inclusion_probability=sample.inclusion_probability,
        judge=judge if judged else None,
        groups=groups,
    )
    return truth, confidence, right


@pytest.mark.parametrize("by_field", [False, True])
def test_all_verified_is_plain(by_field):
    _, confidence, right, judge = outputs(1)
    by = np.arange(len(right)) % 2 if by_field else None
    truth = fa.PartialTruth(right, inclusion_probability=1.0, judge=judge)
    policy = fit_policy(truth, confidence, max_error_rate=0.05, by=by)
    assert policy == fit_policy(right, confidence, max_error_rate=0.05, by=by)
    assert policy.check(truth, confidence, by=by) == policy.check(right, confidence, by=by)


@pytest.mark.interpreted
def test_calibration_of_weights_is_that_of_repeated_items():
    rng = np.random.default_rng(2)
    confidence, wrong = rng.integers(0, 40, 300), rng.random(300) < 0.3
    weight = rng.integers(1, 6, 300)
    found = weighted_calibration(wrong, confidence, weight.astype(float))
    right = ~np.repeat(wrong, weight)
    expected = fa.operation.isotonic_calibration(right, np.repeat(confidence, weight))
    assert found.thresholds == expected.thresholds
    np.testing.assert_array_equal(found.n_items, expected.n_items)
    np.testing.assert_array_equal(found.errors, expected.errors)


def test_one_threshold_is_the_guaranteed_one():
    truth, confidence, _ = partly(3)
    policy = fit_policy(truth, confidence, max_error_rate=0.06)
    point = fa.guaranteed_operating_point(truth, confidence, max_error_rate=0.06, random_state=0)
    assert policy.thresholds == (point.threshold,)
    accepted = confidence >= point.threshold
    assert policy.accepted == accepted.sum() > 0
    of = accepted & truth.verified
    weight = 1 / truth.inclusion_probability[of]
    wrong = weight * (1 - truth.correct[of])
    assert policy.errors == pytest.approx(accepted.sum() * wrong.sum() / weight.sum(), rel=1e-12)
    assert policy.errors_per_group == pytest.approx(np.sum(wrong**2) / wrong.sum(), rel=1e-12)
    assert policy.n_verified == truth.n_verified
    assert policy.least_probability is None
    assert str(policy).endswith(f", from {truth.n_verified} verified of 3,000 outputs")
    holes = np.where(truth.verified, truth.inclusion_probability, np.nan)
    truth = fa.PartialTruth(truth.correct, inclusion_probability=holes, judge=truth.judge)
    policy = fit_policy(truth, confidence, max_error_rate=0.06)
    assert policy.least_probability == np.nanmin(holes)
    assert f"drawn with a probability of at least {np.nanmin(holes):.4g}" in str(policy)


@pytest.mark.compiled
@pytest.mark.interpreted
def test_fields_keep_one_limit_and_files_keep_the_policy():
    truth, confidence, right = partly(4, 1500, n=8000)
    by = np.where(np.arange(8000) % 3 == 0, "date", "name")
    policy = fit_policy(truth, confidence, by=by, max_error_rate=0.06)
    assert policy.n_items == 4000
    assert 0.3 * truth.n_verified < policy.n_verified < 0.7 * truth.n_verified
    accepted = policy.apply(confidence, by=by)
    assert accepted.mean() > 0.3
    assert np.mean(accepted & ~right) < 0.06
    again = Policy.from_json(policy.to_json())
    assert again == policy
    assert all(
        0 < k <= n for k, n in zip(policy.errors_by_field, policy.accepted_by_field, strict=True)
    )
    expected = policy.expected_errors(policy.accepted_by_field)
    assert expected.low < policy.errors < expected.high
    risk = fit_policy(truth, confidence, by=by, max_risk=0.2)
    assert risk.accepted > 0


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('"n_verified": ', '"n_verified": null, "was": ', "unknown"),
        (
            '"least_probability": null',
            '"least_probability": 2',
            r"least_probability must be a number in \[0, 1\],",
        ),
        ('"errors": [', '"errors": [-1, ', "at least 0"),
        ('"n_verified": ', '"n_verified": 99', r"n_verified must be at most 3000 \(n_items\), got"),
    ],
)
def test_damaged_files(before, after, message):
    truth, confidence, _ = partly(3)
    text = fit_policy(truth, confidence, max_error_rate=0.06).to_json()
    assert before in text
    with pytest.raises(ValueError, match=message):
        Policy.from_json(text.replace(before, after, 1))


def test_counts_are_whole_where_all_are_verified():
    text = fit_policy([1] * 400, range(400), max_error_rate=0.1).to_json()
    with pytest.raises(ValueError, match=r"errors must be an integer, got 0\.5"):
        Policy.from_json(text.replace('"errors": 0', '"errors": 0.5', 1))
    with pytest.raises(ValueError, match="least_probability needs n_verified"):
        Policy.from_json(text.replace('"least_probability": null', '"least_probability": 0.5'))


def test_one_probability_without_judge_is_binomial():
    """Of n outputs Bin(n, π·rate) are verified errors."""
    truth, confidence, right = partly(5, mix=1.0, judged=False)
    policy = fit_policy(right, confidence, max_error_rate=0.06)
    check = policy.check(truth, confidence)
    wrong = int(np.sum((confidence >= policy.thresholds[0]) & (truth.correct == 0)))
    share = 800 / 3000
    expected = binomial_upper_bound(wrong, 3000, 0.05) / share
    assert check.interval.high == pytest.approx(expected, rel=1e-9)
    assert (check.errors, check.verified) == (wrong, truth.n_verified)
    assert f"{truth.n_verified} verified of 3,000 outputs" in check.source_words
    # the probabilities of others need not be known
    known = truth.verified
    unknown = np.where(known, truth.inclusion_probability, np.nan)
    same = fa.PartialTruth(truth.correct, inclusion_probability=unknown)
    assert policy.check(same, confidence).interval == check.interval


def capital(units, limit, clips, goal, *, negative):
    """Bets on one unit after another, with the bet that the page on guarantees describes.

    `clips` are weights with what a unit loses at most at each, and what is thought to be before the
    first.
    """
    from statistics import NormalDist

    rejected, items, pi, ends = units.rejected, units.items, units.probability, units.ends
    sign = -1.0 if negative else 1.0
    n, money, best, squares, bet, kappa, clip = len(ends), 1.0, 1.0, 0.0, 0.0, 0.0, math.inf
    begin = 0 if negative else max(1, n // 32)
    products = judged = 0.0
    first = 0
    for unit in range(n):
        if unit >= begin and (unit - begin) % max(1, n // 256) == 0:
            p = min(money / (goal * 1.05), 1 - 1e-12)
            u = NormalDist().inv_cdf(p)
            mills = NormalDist().pdf(u) / p if money < goal * 1.05 else 0.0
            before = pi[:first][rejected[:first] == 0]
            found = -math.inf
            for c, most, prior in clips:
                size = min(mills / math.sqrt((squares + prior) / (unit + 1) * (n - unit)), 0.95 / most)
                added = np.maximum(0.0, 1.0 - c * before).sum()
                if size * (0.4 * limit * first - added) > found:
                    found, bet, clip = size * (0.4 * limit * first - added), size, c
            if negative:
                bet = size
        gain = 0.0
        for i in range(first, ends[unit]):
            y = 0.0 if rejected[i] else items[i, 0] + (kappa * items[i, 1] if items.shape[1] > 1 else 0)
            if not rejected[i] and clip * pi[i] < 1.0:
                y = 1.0 - clip * pi[i] + clip * pi[i] * y
            gain += sign * (limit - y)
        money *= 1 + bet * gain * (unit >= begin)
        best = max(best, money)
        squares += gain * gain
        for i in range(first, ends[unit]):
            if items.shape[1] > 1 and not rejected[i] and items[i, 3] > 0:
                products += items[i, 2]
                judged += items[i, 3]
                kappa = min(products / judged, 1.0)
        first = ends[unit]
    return best


@pytest.mark.compiled
@pytest.mark.interpreted
@pytest.mark.parametrize(("judged", "grouped"), [(True, False), (False, False), (True, True)])
def test_bets_are_those_described(judged, grouped):
    codes = np.arange(3000) // 5 if grouped else None
    truth, confidence, _ = partly(6, judged=judged, groups=codes)
    accepted = confidence >= 0.4
    seen = KnownErrors.of(truth, confidence, accepted, truth.groups)
    units = VerifiedUnits.of(seen, accepted, truth.groups, None, of_accepted=False)
    least = truth.inclusion_probability.min()
    size = 5 if grouped else 1
    weights = [2.0 ** (k / 4) for k in range(80, -1, -1)]
    for rate in (0.005, 0.02, 0.035, 0.05, 0.08):
        most = [(c, (c + 1 - rate) * size) for c in weights]
        below = [(c, lost, rate * lost) for c, lost in most]
        above = [(math.inf, (rate + (1 / least - 1) * judged) * size, rate * size / least)]
        for negative, clips in ((False, below), (True, above)):
            reached = capital(units, rate, clips, 20.0, negative=negative)
            # the kernel's quantile is an approximation, of the bet alone
            if abs(math.log(reached / 20.0)) > 0.02:
                test = units.is_above if negative else units.is_below
                assert test(rate, 0.05) == (reached >= 20.0)
    more = units.drawn(units.n_units + 100, np.random.default_rng(0))
    assert more.n_units == units.n_units + 100
    assert more.ends[-1] == len(more.rejected) == len(more.items)


def test_groups_widen_and_size_is_kept(monkeypatch):
    monkeypatch.setattr(checked_outputs, "needed_by_draws", lambda *_: None)  # not looked at here
    codes = np.arange(3000) // 5
    truth, confidence, right = partly(7, groups=codes)
    policy = fit_policy(right, confidence, max_error_rate=0.06)
    check = policy.check(truth, confidence)
    bare = fa.PartialTruth(
        truth.correct, inclusion_probability=truth.inclusion_probability, judge=truth.judge
    )
    assert check.interval.high >= policy.check(bare, confidence).interval.high
    assert policy.check(bare, confidence, groups=codes).interval == check.interval
    with pytest.raises(ValueError, match=r"max_group_size must be at least 5 \(the size of"):
        policy.check(truth, confidence, max_group_size=4)
    fitted = fit_policy(truth, confidence, max_error_rate=0.06)
    assert fitted.max_group_size == 5
    assert fitted.has_groups


@pytest.mark.interpreted
def test_nothing_accepted():
    truth, confidence, right = partly(8)
    policy = fit_policy(right, confidence, max_error_rate=0.06)
    check = policy.check(truth, confidence * 0 - 5)
    assert (check.accepted, check.interval.estimate) == (0, 0.0)


@pytest.mark.interpreted
def test_what_is_not_offered():
    truth, confidence, right = partly(9)
    for options, message in (
        ({"documents": np.arange(3000) // 2}, "documents cannot go with a PartialTruth"),
        ({"method": "gamma"}, "method must be 'auto' for a PartialTruth, got 'gamma'"),
    ):
        with pytest.raises(TypeError, match=message):
            fit_policy(truth, confidence, max_error_rate=0.1, **options)
    policy = fit_policy(right, confidence, max_error_rate=0.06)
    with pytest.raises(TypeError, match="rejected cannot go with a PartialTruth: leave out rejected"):
        policy.check(truth, confidence, rejected=np.zeros(3000, bool))
    graded = fa.PartialTruth(
        truth.correct, inclusion_probability=truth.inclusion_probability, graded=True
    )
    with pytest.raises(ValueError, match="correct is graded"):
        policy.check(graded, confidence)
    few = fa.PartialTruth([1] + [np.nan] * 999, inclusion_probability=[0.002] + [np.nan] * 999)
    with pytest.raises(ValueError, match="none in one of the parts that are"):
        truth_of_some(few, np.arange(1000) > 0)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["good", "lies", "none"])
def test_verdicts_are_wrong_at_most_as_often_as_is_said(kind, monkeypatch):
    """At the limit itself, with a judge who knows much, one who lies, and none."""
    monkeypatch.setattr(checked_outputs, "needed_by_draws", lambda *_: None)
    policy = fit_policy([1] * 1000, range(1000), max_error_rate=0.04)
    wrong, runs, n = np.zeros(2), 200, 3000
    for seed in range(runs):
        rng = np.random.default_rng([30, seed])
        right = rng.random(n) >= 0.04
        judge = np.clip(np.where(right == (kind == "good"), 0.9, 0.3) + rng.normal(0, 0.1, n), 0, 1)
        confidence = rng.random(n) + 5000
        sample = draw_verification_sample(confidence, 400, judge=judge, random_state=rng)
        truth = fa.PartialTruth(
            np.where(sample.selected, right, np.nan),
            inclusion_probability=sample.inclusion_probability,
            judge=None if kind == "none" else judge,
        )
        found = policy.check(truth, confidence).interval
        wrong += found.high < 0.04, found.low > 0.04
    assert (wrong / runs <= 0.05 + 2.5 * math.sqrt(0.05 * 0.95 / runs)).all()
