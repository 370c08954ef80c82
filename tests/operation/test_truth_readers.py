"""People who overlook errors: limits that are tested against what they find."""

from __future__ import annotations

import math

import numpy as np
import pytest

import fastarac as fa
from bench.simulations.truth_readers import Cell, simulate
from fastarac import operation
from fastarac.reviewer import FEWEST_FOUND, OF_FAILURE, limit_of_found, premise_of

RUNS = 100


def binomial_tail(k, n, p):
    """P(X ≤ k), term by term."""
    return math.fsum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k + 1))


def at_most(runs, delta=0.05):
    return delta + 2.0 * math.sqrt(delta * (1.0 - delta) / runs)


def items(n=4000, overlooked=0.1, seed=0, slope=0.3):
    rng = np.random.default_rng(seed)
    confidence = rng.random(n)
    right = rng.random(n) >= slope * (1.0 - confidence)
    return right | (rng.random(n) < overlooked), confidence


class TestTheLimitThatIsTested:
    def test_a_share_that_is_given_scales_the_limit(self):
        found = limit_of_found(0.05, 0.04, fa.Reviewer(0.8))
        assert found[:3] == pytest.approx((0.04, 0.04, 0.04))
        assert found.rates(0.01, 0.03) == pytest.approx((0.0125, 0.0375))

    def test_nobody_and_people_who_see_everything_change_nothing(self):
        for people in (None, fa.Reviewer()):
            assert limit_of_found(0.05, 0.04, people) == (0.05, 0.05, 0.04, 1.0, 1.0)

    def test_an_estimated_share_has_the_bounds_of_clopper_and_pearson(self):
        people = fa.Reviewer(double_readings=(90, 40, 10))
        found = limit_of_found(0.05, 0.04, people)
        assert people.detection_rate == 0.9
        assert found.failure_probability == pytest.approx(0.04 * (1.0 - OF_FAILURE))
        own = 0.04 * OF_FAILURE
        # at the ends, counts as extreme as these have the probability that is left for them
        assert 1.0 - binomial_tail(89, 100, found.least) == pytest.approx(own, rel=1e-6)
        assert binomial_tail(90, 100, found.most) == pytest.approx(own, rel=1e-6)
        assert found.limit == pytest.approx(0.05 * found.least)
        assert found.highest == pytest.approx(0.05 * found.most)

    def test_few_double_readings_are_named_with_their_price(self):
        few = fa.Reviewer(double_readings=(40, 5, 6))
        with pytest.warns(
            fa.SampleTooSmallWarning, match=rf"only 51 errors .*\({FEWEST_FOUND} are needed"
        ):
            limit_of_found(0.05, 0.05, few)

    def test_who_is_refused(self):
        with pytest.raises(ValueError, match="must have false_alarm_rate=0 if a limit is tested"):
            limit_of_found(0.05, 0.05, fa.Reviewer(0.9, 0.01))
        with pytest.raises(ValueError, match="must have a detection_rate above its false_alarm_rate"):
            limit_of_found(0.05, 0.05, fa.Reviewer(0.0))
        with pytest.raises(TypeError, match=r"truth_reader must be a Reviewer, got 0\.9 \(float\)"):
            limit_of_found(0.05, 0.05, 0.9)

    @pytest.mark.parametrize(
        ("readings", "message"),
        [
            ((1, 2), r"must hold three counts \(errors found by both readers, .*\), got 2"),
            ((0, 3, 0), "at least one error that the second reader found, got none"),
            ((1, -1, 0), r"double_readings\[1\] must be an integer of at"),
        ],
    )
    def test_counts_that_say_nothing(self, readings, message):
        with pytest.raises(ValueError, match=message):
            fa.Reviewer(double_readings=readings)

    def test_one_of_share_and_counts(self):
        with pytest.raises(
            ValueError, match="detection_rate must be left out if double_readings are given"
        ):
            fa.Reviewer(0.5, double_readings=(90, 40, 10))


class TestWhatTakesIt:
    def test_a_guarantee_is_that_of_the_scaled_limit(self):
        people = fa.Reviewer(0.8)
        pair = items()
        found = fa.guaranteed_operating_point(*pair, max_error_rate=0.05, truth_reader=people)
        scaled = fa.guaranteed_operating_point(*pair, max_error_rate=0.04)
        assert found.threshold == scaled.threshold
        assert found.limit == 0.05
        assert found.bound == pytest.approx(scaled.bound / 0.8)
        faultless = fa.guaranteed_operating_point(*pair, max_error_rate=0.05).acceptance_rate
        assert found.faultless_acceptance_rate == faultless > found.acceptance_rate
        assert premise_of(people) in str(found)

    def test_the_people_of_a_partial_truth(self):
        people = fa.Reviewer(0.8)
        answered, confidence = items()
        known = np.random.default_rng(1).random(4000) < 0.5
        part = np.where(known, answered, np.nan)
        own = fa.PartialTruth(part, inclusion_probability=0.5, truth_reader=people)
        other = fa.PartialTruth(part, inclusion_probability=0.5)
        limit = {"max_error_rate": 0.05}
        found = fa.guaranteed_operating_point(own, confidence, **limit)
        same = fa.guaranteed_operating_point(other, confidence, **limit, truth_reader=people)
        assert found == same
        with pytest.raises(TypeError, match="a PartialTruth that has its own"):
            fa.guaranteed_operating_point(own, confidence, **limit, truth_reader=people)

    def test_a_policy_keeps_its_people_and_is_checked_by_them(self):
        people = fa.Reviewer(double_readings=(180, 20, 20))
        pair = items()
        policy = operation.fit_policy(*pair, max_error_rate=0.05, truth_reader=people)
        assert operation.Policy.from_json(policy.to_json()) == policy
        new = items(seed=1)
        check = policy.check(*new)
        assert check.truth_reader == people
        # rates of what is found, over the share that is found
        plain = policy.check(*new, truth_reader=fa.Reviewer())
        assert check.interval.estimate == pytest.approx(plain.interval.estimate / 0.9)
        assert check.interval.high > plain.interval.high / 0.9
        assert check.errors == plain.errors
        before = operation.fit_policy(*pair, max_error_rate=0.05)
        assert "truth_reader" not in before.to_json()  # files without people stay as they were
        expected = policy.expected_errors([1000]), before.expected_errors([1000])
        assert expected[0].high - expected[0].low > 0.0

    def test_a_monitor(self):
        people = fa.Reviewer(0.8)
        monitor = operation.ErrorRateMonitor(max_error_rate=0.05, truth_reader=people)
        scaled = operation.ErrorRateMonitor(max_error_rate=0.04)
        for each in (monitor, scaled):
            each.update(60, 1000)
        assert monitor.e_value == pytest.approx(scaled.e_value)
        assert monitor.interval.estimate == pytest.approx(0.06 / 0.8)
        assert monitor.interval.high == pytest.approx(scaled.interval.high / 0.8)
        assert operation.ErrorRateMonitor.from_json(monitor.to_json()) == monitor

    def test_plans(self):
        people = fa.Reviewer(0.8)
        sizes = operation.sample_size_for_guarantee(0.05, 0.025, truth_reader=people)
        assert sizes == operation.sample_size_for_guarantee(0.04, 0.02)
        plan = operation.audit_plan(0.05, 0.1, truth_reader=people)
        assert plan == operation.audit_plan(0.04, 0.08)
        power = operation.guarantee_power([500, 900], 0.05, 0.025, truth_reader=people)
        assert power == pytest.approx(operation.guarantee_power([500, 900], 0.04, 0.02))
        with pytest.raises(ValueError, match="no audit can tell"):
            operation.sample_size_for_guarantee(
                0.05, 0.049, truth_reader=fa.Reviewer(double_readings=(180, 20, 20))
            )

    def test_estimates_are_those_of_rogan_and_gladen(self):
        answered, confidence = items()
        people = fa.Reviewer(0.9, 0.02)
        truth = fa.PartialTruth(answered, inclusion_probability=1.0, truth_reader=people)
        found = fa.asymptotic_interval(truth, confidence, statistic="recognition_rate")
        errors = (np.mean(~answered) - 0.02) / 0.88
        assert found.estimate == pytest.approx(1.0 - errors)
        assert found.low < found.estimate < found.high

    def test_doubt_of_the_share_widens_intervals(self):
        answered, confidence = items()
        widths = []
        for people in (fa.Reviewer(0.9), fa.Reviewer(double_readings=(180, 20, 20))):
            truth = fa.PartialTruth(answered, inclusion_probability=1.0, truth_reader=people)
            found = fa.asymptotic_interval(truth, confidence, statistic="recognition_rate")
            widths.append(found.standard_error)
        errors = np.mean(~answered) / 0.9
        doubt = errors * math.sqrt(0.9 * 0.1 / 200) / 0.9  # of the errors, by the share found
        assert widths[1] == pytest.approx(math.hypot(widths[0], doubt), rel=1e-6)


@pytest.mark.slow
def test_limits_are_kept_where_readers_are_what_is_said_of_them():
    kept = [
        Cell("constant", 0.2, "max_error_rate", "given", 2000),
        Cell("constant", 0.2, "max_error_rate", "estimated", 2000, 2000),
        Cell("false alarms", 0.1, "max_error_rate", "given, confirmed", 2000),
    ]
    for cell in kept:
        row = simulate(cell, RUNS)
        assert row.share <= at_most(RUNS), cell
    assert row.accepted > 0.95 * row.faultless


@pytest.mark.slow
def test_what_the_promise_assumes_is_needed():
    broken = [
        Cell("constant", 0.2, "max_error_rate", "taken as true", 2000),
        Cell("by confidence", 0.0, "max_error_rate", "given", 2000),
    ]
    for cell in broken:
        assert simulate(cell, RUNS // 2).share > at_most(RUNS // 2), cell
    assert "at every confidence" in premise_of(fa.Reviewer(0.9))
    assert "independently" in premise_of(fa.Reviewer(double_readings=(90, 10, 10)))
