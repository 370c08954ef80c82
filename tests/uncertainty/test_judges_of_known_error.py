"""Labels of a judge whose errors are known from other outputs (Rogan and Gladen 1978)."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import COMPILED

import fastarac as fa
from fastarac import operation
from tests import reference_reviewer as reference

pytestmark = pytest.mark.interpreted

LEVEL = 0.95
RUNS = 150
LEAST = 0.93 - 2.0 * math.sqrt(0.93 * 0.07 / RUNS)

counts = st.integers(1, 40).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def judge_of(found, alarms):
    return fa.Reviewer(found[0] / found[1], alarms[0] / alarms[1], estimated_from=(found[1], alarms[1]))


@given(counts, counts, counts)
def test_the_interval_is_that_of_the_reference(called, found, alarms):
    assume(found[0] / found[1] > alarms[0] / alarms[1])
    interval = judge_of(found, alarms).corrected_error_rate(*called)
    assert 0.0 <= interval.low <= interval.estimate <= interval.high <= 1.0
    try:
        low, high = reference.error_rates(called, found, alarms, LEVEL)
    except ValueError:  # no error rate agrees with the labels
        assert interval.low == interval.high in (0.0, 1.0)
        return
    step = 1.5 / reference.STEPS
    assert interval.low == pytest.approx(min(low, interval.estimate), abs=step)
    assert interval.high == pytest.approx(max(high, interval.estimate), abs=step)


@given(counts, st.floats(0.5, 1.0), st.floats(0.0, 0.4))
def test_known_rates_only_scale_the_interval(called, d, a):
    interval = fa.Reviewer(d, a).corrected_error_rate(*called)
    ends = reference.share_interval(*called, (1.0 - LEVEL) / 2.0)
    expected = [
        min(1.0, max(0.0, (q - a) / (d - a))) for q in (ends[0], called[0] / called[1], ends[1])
    ]
    assert [interval.low, interval.estimate, interval.high] == pytest.approx(expected, abs=1e-9)


@given(counts, counts, counts)
def test_rates_from_more_outputs_narrow_the_interval(called, found, alarms):
    assume(found[0] / found[1] > alarms[0] / alarms[1])
    few = judge_of(found, alarms)
    many = fa.Reviewer(few.detection_rate, few.false_alarm_rate, estimated_from=(40_000, 40_000))
    wide, narrow = (each.corrected_error_rate(*called) for each in (few, many))
    assert narrow.estimate == wide.estimate
    assert wide.low <= narrow.low + 1e-9
    assert narrow.high <= wide.high + 1e-9


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("rate", "d", "a", "n", "wrong", "right"),
    [
        (0.05, 0.9, 0.05, 2000, 30, 30),
        (0.002, 0.95, 0.01, 20_000, 50, 100),  # nearly all of what is called wrong is right
        (1.0, 0.8, 0.1, 1000, 40, 100),
        (0.3, 0.6, 0.4, 500, 60, 60),  # hardly better than chance
        (0.1, 0.6, 0.02, 20_000, 25, 1000),  # the labels cost nothing: the judge is all the doubt
    ],
)
def test_the_interval_covers(rate, d, a, n, wrong, right):
    rng = np.random.default_rng(8)
    draws = rng.binomial([n, wrong, right], [rate * d + (1.0 - rate) * a, d, a], (RUNS, 3))
    covered, scaled, runs = 0, 0, 0
    for called, found, alarms in draws.tolist():
        if found / wrong <= alarms / right:  # refused
            continue
        judge = judge_of((found, wrong), (alarms, right))
        interval = judge.corrected_error_rate(called, n)
        taken_as_known = fa.Reviewer(judge.detection_rate, judge.false_alarm_rate)
        without = taken_as_known.corrected_error_rate(called, n)
        covered += interval.low <= rate <= interval.high
        scaled += without.low <= rate <= without.high
        runs += 1
    assert runs > 0.9 * RUNS
    assert covered / runs >= LEAST
    if rate not in (0.0, 1.0):
        assert scaled / runs < LEAST  # so the population can make an interval fail


def labelled(rng, n=2000, d=0.9, a=0.05, wrong=200, right=800):
    """Confidences, the labels of a judge, and what is known about it."""
    confidence = rng.random(n)
    correct = rng.random(n) >= 0.2 * (1.0 - confidence) ** 2
    labels = np.where(correct, rng.random(n) >= a, rng.random(n) >= d)
    known = rng.binomial([wrong, right], [d, a]).tolist()
    judge = judge_of((known[0], wrong), (known[1], right))
    return fa.PartialTruth(labels, inclusion_probability=1.0, truth_reader=judge), confidence


VALUES = {
    fa.Statistic("recognition_rate"): 1.0 - 0.2 / 3.0,
    fa.Statistic("arac_auc"): 1.0 - 0.2 / 3.0 * 0.25,
    fa.Statistic("error_rate", threshold=0.5): 0.2 / 3.0 * 0.125,
    fa.Statistic("risk", threshold=0.5): 0.2 / 3.0 * 0.25,
    fa.Statistic("roc_auc"): None,
}


@pytest.mark.parametrize(
    ("sizes", "runs", "most"),
    [((30, 30), 40, 0.15), pytest.param((200, 800), 150, 0.099, marks=pytest.mark.slow)],
)
def test_intervals_of_statistics_cover(sizes, runs, most):
    """Seven percent of the intervals may miss, and chance adds a little: at most this share of them."""
    runs, most = (runs, most) if COMPILED else (2, 0.45)
    # P(right above wrong) for t uniform and errors 0.2(1 − t)²
    above = 0.2 / 3.0 * 0.75 - 0.2**2 * (1.0 / 3.0) * (1.0 / 6.0)
    values = {**VALUES, fa.Statistic("roc_auc"): above / (0.2 / 3.0 * (1.0 - 0.2 / 3.0))}
    rng, missed = np.random.default_rng(3), dict.fromkeys(values, 0)
    for _ in range(runs):
        sample = labelled(rng, wrong=sizes[0], right=sizes[1])
        for statistic, value in values.items():
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                found = fa.asymptotic_interval(*sample, statistic=statistic)
            missed[statistic] += not caught and not found.low <= value <= found.high
    assert {k.name: v for k, v in missed.items() if v > most * runs} == {}


def test_the_share_of_right_outputs_is_the_corrected_one():
    truth, confidence = labelled(np.random.default_rng(1))
    found = fa.asymptotic_interval(truth, confidence, statistic="recognition_rate")
    called = int((truth.correct == 0.0).sum())
    rate = truth.truth_reader.corrected_error_rate(called, 2000)
    assert [1.0 - x for x in (found.high, found.estimate, found.low)] == pytest.approx(
        [rate.low, rate.estimate, rate.high], abs=1e-5
    )
    assert found.standard_error == pytest.approx(rate.standard_error, rel=1e-3)


def test_an_acceptance_rate_follows_from_the_rates_at_thresholds():
    truth, confidence = labelled(np.random.default_rng(2))
    limit = fa.Statistic("acceptance_at_error_rate", max_error_rate=0.02)
    found = fa.asymptotic_interval(truth, confidence, statistic=limit)
    assert found.low < found.estimate <= found.high
    # the limit is surely kept a little below the lower end, which also allows for the acceptance rate
    threshold = float(np.sort(confidence)[-math.floor(found.low * 2000)])
    rate = fa.asymptotic_interval(
        truth, confidence, statistic=fa.Statistic("error_rate", threshold=threshold)
    )
    assert rate.high <= 0.02 + 1e-9


def test_a_judge_that_may_be_blind_leaves_the_rate_open():
    judge = fa.Reviewer(0.6, 0.4, estimated_from=(10, 10))
    interval = judge.corrected_error_rate(50, 100)
    assert (interval.low, interval.high) == (0.0, 1.0)


def test_labels_that_contradict_the_rates_are_named():
    labels, confidence = np.ones(1000), np.random.default_rng(0).random(1000)
    judge = fa.Reviewer(0.9, 0.2, estimated_from=(100, 100))
    truth = fa.PartialTruth(labels, inclusion_probability=1.0, truth_reader=judge)
    for statistic in ("recognition_rate", fa.Statistic("acceptance_at_error_rate", max_error_rate=0.1)):
        with pytest.warns(
            fa.UnreliableIntervalWarning,
            match=r"contradicts the truth_reader: 0% of the answers call an output wrong",
        ):
            fa.asymptotic_interval(truth, confidence, statistic=statistic)


@given(counts, counts, st.booleans())
def test_verified_outputs_are_tested_against_the_rates(known, here, is_known):
    rate, alarms = known[0] / known[1], here[1] % 3
    sizes = None if is_known else (known[1], 10)
    judge = fa.Reviewer(rate, 0.0, estimated_from=sizes)
    correct = [0] * here[1] + [1] * alarms + [math.nan]
    called_right = [0] * here[0] + [1] * (here[1] - here[0] + alarms) + [0]
    p = quiet(judge, correct, called_right)
    if is_known:
        chance = [
            math.comb(here[1], x) * rate**x * (1.0 - rate) ** (here[1] - x) for x in range(here[1] + 1)
        ]
    else:
        chance = [
            math.comb(here[1], x) * math.comb(known[1], here[0] + known[0] - x)
            if 0 <= here[0] + known[0] - x <= known[1]
            else 0
            for x in range(here[1] + 1)
        ]
    rare = math.fsum(x for x in chance if x <= chance[here[0]] * (1.0 + 1e-9)) / math.fsum(chance)
    assert p == pytest.approx(min(1.0, 2.0 * rare), rel=1e-6, abs=1e-12)


def quiet(judge, *columns):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fa.UnreliableIntervalWarning)
        return judge.rates_p_value(*columns)


def test_a_judge_that_errs_more_here_is_named_and_one_that_does_not_seldom_is():
    rng, named, runs = np.random.default_rng(4), np.zeros(2), 200
    for _ in range(runs):
        correct = rng.random(400) < 0.8
        known = rng.binomial([100, 300], [0.9, 0.05]).tolist()
        judge = judge_of((known[0], 100), (known[1], 300))
        for k, detected in enumerate((0.9, 0.6)):
            right = np.where(correct, rng.random(400) >= 0.05, rng.random(400) >= detected)
            named[k] += quiet(judge, correct, right) < 0.05
    assert named[0] / runs <= 0.05 + 2.0 * math.sqrt(0.05 * 0.95 / runs)
    assert named[1] / runs > 0.95
    with pytest.warns(fa.UnreliableIntervalWarning, match="contradict the rates of the judge"):
        fa.Reviewer(0.9).rates_p_value([0] * 20, [1] * 20)
    with pytest.raises(ValueError, match=r"called_right.* must be 0 or 1"):
        fa.Reviewer(0.9).rates_p_value([0], [0.5])


def test_what_is_refused():
    with pytest.raises(ValueError, match="estimated_from must hold two counts \\(of wrong and"):
        fa.Reviewer(0.9, 0.1, estimated_from=(100,))
    with pytest.raises(
        ValueError, match=r"estimated_from\[1\] must be an integer of at least 1, got 0"
    ):
        fa.Reviewer(0.9, 0.1, estimated_from=(100, 0))
    with pytest.raises(ValueError, match="must be left out if double_readings are given"):
        fa.Reviewer(double_readings=(9, 1, 1), estimated_from=(10, 10))
    with pytest.raises(ValueError, match="the Reviewer must have a detection_rate above"):
        fa.Reviewer(0.1, 0.1).corrected_error_rate(1, 10)
    with pytest.raises(ValueError, match=r"called_wrong must be at most n_items \(10\), got 11"):
        fa.Reviewer(0.9).corrected_error_rate(11, 10)


def test_a_difference_of_models_allows_for_the_rates_of_their_judges():
    """The same judge labels both models, of which one is much better."""
    rng = np.random.default_rng(6)
    covered, runs, n = np.zeros(2), 60 if COMPILED else 1, 2000
    for _ in range(runs):
        correct = {"a": rng.random(n) < 0.95, "b": rng.random(n) < 0.6}
        labels = {
            name: np.where(right, rng.random(n) >= 0.1, rng.random(n) >= 0.8)
            for name, right in correct.items()
        }
        found = rng.binomial([50, 100], [0.8, 0.1]).tolist()
        uncertain = judge_of((found[0], 50), (found[1], 100))
        for k, judge in enumerate(
            (uncertain, fa.Reviewer(uncertain.detection_rate, uncertain.false_alarm_rate))
        ):
            models = {
                name: (
                    fa.PartialTruth(each, inclusion_probability=1.0, truth_reader=judge),
                    np.arange(n),
                )
                for name, each in labels.items()
            }
            done = fa.compare_models(models, statistic="recognition_rate", random_state=0)
            interval = done.pairs[0].interval
            covered[k] += interval.low <= 0.35 <= interval.high
    least = 0.93 - 2.0 * math.sqrt(0.93 * 0.07 / runs)
    assert covered[0] / runs >= least
    if COMPILED:
        assert covered[1] / runs < least


def test_a_policy_keeps_the_sizes():
    rng = np.random.default_rng(0)
    confidence = rng.random(2000)
    judge = fa.Reviewer(0.9, estimated_from=(400, 1000))
    policy = operation.fit_policy(
        rng.random(2000) < 0.99, confidence, max_error_rate=0.05, truth_reader=judge
    )
    assert operation.Policy.from_json(policy.to_json()) == policy
    assert policy.truth_reader == judge
