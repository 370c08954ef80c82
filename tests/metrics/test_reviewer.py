"""Imperfect people: what they leave wrong, what they spoil, and what can still be reached."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import reference as ref
import reference_verification as slow
import strategies
from hypothesis import given
from hypothesis import strategies as st

import fastarac as fa

CORRECT = [1, 1, 0, 1, 0]
CONFIDENCE = [0.9, 0.8, 0.7, 0.6, 0.2]

# Rates with which counts of up to 40 items are exact doubles, so that limits are met exactly.
exact_rate = st.sampled_from([0.0, 0.125, 0.25, 0.5, 0.75, 1.0])
rate = exact_rate | st.floats(0, 1)
limits = st.one_of(
    st.fractions(0, 1, max_denominator=40).map(float), st.floats(0, 1), st.sampled_from([0.0, 1.0])
)


def points_of(sweep: fa.ThresholdSweep) -> list[slow.Counts]:
    return slow.to_points(sweep.true_accepts.tolist(), sweep.false_accepts.tolist())


class TestReviewer:
    def test_default_is_perfect(self):
        assert fa.Reviewer() == fa.Reviewer(detection_rate=1.0, false_alarm_rate=0.0)
        assert type(fa.Reviewer(1, 0).detection_rate) is float
        assert hash(fa.Reviewer(1, 0)) == hash(fa.Reviewer())

    @pytest.mark.parametrize(
        ("arguments", "error", "message"),
        [
            (
                {"detection_rate": 1.1},
                ValueError,
                r"detection_rate must be a number in \[0, 1\], got 1\.1 \(1\.1% is",
            ),
            (
                {"detection_rate": -0.1},
                ValueError,
                r"detection_rate must be a number in \[0, 1\], got -0\.1",
            ),
            (
                {"false_alarm_rate": 2},
                ValueError,
                r"false_alarm_rate must be a number in \[0, 1\], got 2\.0 \(2% is",
            ),
            (
                {"false_alarm_rate": math.nan},
                ValueError,
                "false_alarm_rate must be a finite number, got nan",
            ),
            (
                {"detection_rate": "all"},
                TypeError,
                r"detection_rate must be a number, got 'all' \(str\)",
            ),
        ],
    )
    def test_refused(self, arguments, error, message):
        with pytest.raises(error, match=message):
            fa.Reviewer(**arguments)

    @given(strategies.items, rate, rate)
    def test_rates_by_definition(self, sample, detected, spoiled):
        sweep = fa.threshold_sweep(sample.correct, sample.confidence, **sample.weighted)
        people = fa.Reviewer(detected, spoiled)
        points = points_of(sweep)
        errors = [float(slow.error_rate(point, detected, spoiled)) for point in points]
        changed = [float(slow.correction_rate(point, detected, spoiled)) for point in points]
        assert people.error_rate(sweep) == pytest.approx(errors, rel=1e-12, abs=1e-14)
        assert people.correction_rate(sweep) == pytest.approx(changed, rel=1e-12, abs=1e-14)
        right = people.accuracy_after_correction(sweep)
        assert right == pytest.approx(1 - np.array(errors), rel=1e-12, abs=1e-14)
        # equation 7 for imperfect people
        spoils = 2 * spoiled * np.array(sweep.false_rejects, float) / sweep.total
        total = sweep.recognition_rate + people.error_rate(sweep) + people.correction_rate(sweep)
        assert total == pytest.approx(1 + spoils, rel=1e-12)

    @given(strategies.items)
    def test_perfect_people_change_no_bit(self, sample):
        sweep = fa.threshold_sweep(sample.correct, sample.confidence, **sample.weighted)
        people = fa.Reviewer()
        assert np.array_equal(people.error_rate(sweep), sweep.error_rate)
        assert np.array_equal(people.correction_rate(sweep), sweep.correction_rate)
        for own, plain in zip(fa.arac_curve(sweep, reviewer=people), fa.arac_curve(sweep), strict=True):
            assert np.array_equal(own, plain)
        own = fa.acceptance_at_error_rate(sweep, max_error_rate=[0, 0.1, 0.5], reviewer=people)
        plain = fa.acceptance_at_error_rate(sweep, max_error_rate=[0, 0.1, 0.5])
        assert np.array_equal(own, plain)
        costs = fa.VerificationCosts(0.5, 1, 8)
        assert np.array_equal(costs.cost(sweep, reviewer=people), costs.cost(sweep))
        point, other = (
            fa.operating_point(sweep, max_error_rate=0.1, reviewer=each) for each in (people, None)
        )
        for name in ("threshold", "error_rate", "correction_rate", "accuracy_after_correction", "risk"):
            assert getattr(point, name) == getattr(other, name)

    def test_simulated_people(self):
        """People who decide item by item leave what the rates say, on average."""
        rng = np.random.default_rng(7)
        n = 40_000
        confidence = rng.random(n)
        correct = rng.random(n) < confidence
        threshold, detected, spoiled = 0.6, 0.8, 0.05
        rejected = confidence < threshold
        changes = rng.random(n) < np.where(correct, spoiled, detected)
        in_the_end = np.where(rejected & changes, ~correct, correct)
        point = fa.operating_point(
            correct, confidence, threshold=threshold, reviewer=fa.Reviewer(detected, spoiled)
        )
        deviation = 5 * math.sqrt(0.25 / n)  # five standard errors, at most
        assert point.error_rate == pytest.approx(1 - in_the_end.mean(), abs=deviation)
        assert point.accuracy_after_correction == pytest.approx(in_the_end.mean(), abs=deviation)
        assert point.correction_rate == pytest.approx((rejected & changes).mean(), abs=deviation)


class TestARACCurve:
    @given(strategies.items, rate, rate)
    def test_curve(self, sample, detected, spoiled):
        people = fa.Reviewer(detected, spoiled)
        sweep = fa.threshold_sweep(sample.correct, sample.confidence, **sample.weighted)
        curve = fa.arac_curve(sample.correct, sample.confidence, reviewer=people, **sample.weighted)
        expected = [float(1 - slow.error_rate(p, detected, spoiled)) for p in points_of(sweep)]
        assert np.array_equal(curve.acceptance_rate, sweep.acceptance_rate)
        assert curve.accuracy_after_correction == pytest.approx(expected, rel=1e-12, abs=1e-14)
        assert curve.accuracy_after_correction[-1] == pytest.approx(sweep.recognition_rate, rel=1e-12)

    def test_refused(self):
        with pytest.raises(TypeError, match=r", got \(0\.9, 0\.1\) \(tuple\)"):
            fa.arac_curve(CORRECT, CONFIDENCE, reviewer=(0.9, 0.1))


def last_within(points: list[slow.Counts], limit: float, rates: tuple) -> int | None:
    """Index of the last point whose rounded error rate keeps the limit."""
    keeping = [
        j for j, point in enumerate(points) if ref.round_once(slow.error_rate(point, *rates)) <= limit
    ]
    return max(keeping, default=None)


class TestOperatingPoint:
    @given(strategies.unweighted, exact_rate, exact_rate, limits, st.booleans())
    def test_largest_acceptance(self, sample, detected, spoiled, limit, interpolate):
        sweep = fa.threshold_sweep(sample.correct, sample.confidence)
        rates, points = (detected, spoiled), points_of(sweep)
        people = fa.Reviewer(*rates)
        last = last_within(points, limit, rates)

        def found() -> fa.OperatingPoint:
            return fa.operating_point(
                sweep, max_error_rate=limit, interpolate=interpolate, reviewer=people
            )

        if last is None:
            lowest = min(slow.error_rate(point, *rates) for point in points)
            with pytest.raises(ValueError, match=rf"at least {float(lowest):.6g} \(at threshold"):
                found()
            with pytest.warns(fa.UndefinedMetricWarning, match=f"error_rate is {limit:.12g}, but"):
                assert math.isnan(
                    fa.acceptance_at_error_rate(sweep, max_error_rate=limit, reviewer=people)
                )
            return
        point = found()
        rate = slow.error_rate(points[last], *rates)
        expected = points[last].accepted / points[last].total
        if interpolate and last + 1 < len(points) and ref.round_once(rate) < limit:
            after = points[last + 1]
            part = (Fraction(limit) - rate) / (slow.error_rate(after, *rates) - rate)
            expected += part * (after.accepted - points[last].accepted) / after.total
            if 0 < float(part) < 1:
                assert point.tie_acceptance == pytest.approx(float(part), rel=1e-9)
                assert point.error_rate == pytest.approx(limit, rel=1e-9)
        assert point.acceptance_rate == pytest.approx(float(expected), rel=1e-12)
        if not interpolate:
            assert point.threshold == sweep.thresholds[last]
            assert point.error_rate == ref.round_once(rate)
        x = fa.acceptance_at_error_rate(
            sweep, max_error_rate=limit, interpolate=interpolate, reviewer=people
        )
        assert x == pytest.approx(float(expected), rel=1e-12)

    def test_errors_may_fall_while_more_is_accepted(self):
        people = fa.Reviewer(detection_rate=1.0, false_alarm_rate=0.5)
        rates = people.error_rate(fa.threshold_sweep(CORRECT, CONFIDENCE))
        assert rates.round(3).tolist() == [0.3, 0.2, 0.1, 0.3, 0.2, 0.4]
        chosen = [
            fa.operating_point(CORRECT, CONFIDENCE, max_error_rate=e, reviewer=people).threshold
            for e in (0.1, 0.15, 0.25, 0.3, 0.4)
        ]
        assert chosen == [0.8, 0.8, 0.6, 0.6, 0.2]

    def test_out_of_reach(self):
        people = fa.Reviewer(detection_rate=0.5)
        message = (
            r"max_error_rate is 0.1, but the reviewer leaves an error rate of at least 0.2 "
            r"\(at threshold 0.8\)"
        )
        with pytest.raises(ValueError, match=message):
            fa.operating_point(CORRECT, CONFIDENCE, max_error_rate=0.1, reviewer=people)
        with pytest.warns(
            fa.UndefinedMetricWarning, match="the acceptance rate is undefined: max_error_rate"
        ):
            x = fa.acceptance_at_error_rate(
                CORRECT, CONFIDENCE, max_error_rate=[0.1, 0.19, 0.2, 1.0], reviewer=people
            )
        assert np.isnan(x).tolist() == [True, True, False, False]
        assert x[2:].tolist() == [0.4, 1.0]

    def test_nothing_accepted_may_be_all_that_keeps_the_limit(self):
        people = fa.Reviewer(detection_rate=0.5)
        point = fa.operating_point([0, 1], [0.9, 0.8], max_error_rate=0.25, reviewer=people)
        assert (point.threshold, point.acceptance_rate, point.error_rate) == (math.inf, 0.0, 0.25)

    @given(strategies.items, rate, rate, st.floats(0, 1))
    def test_other_criteria_choose_as_without(self, sample, detected, spoiled, limit):
        sweep = fa.threshold_sweep(sample.correct, sample.confidence, **sample.weighted)
        people = fa.Reviewer(detected, spoiled)
        for criterion in ({"max_risk": limit}, {"min_acceptance_rate": limit}, {"threshold": limit}):
            for interpolate in (False, "threshold" not in criterion):
                options = criterion | {"interpolate": interpolate}
                point = fa.operating_point(sweep, reviewer=people, **options)
                plain = fa.operating_point(sweep, **options)
                assert point.reviewer is people
                for name in ("threshold", "acceptance_rate", "risk", "precision", "tie_acceptance"):
                    assert getattr(point, name) == getattr(plain, name)
                assert point.error_rate == people.error_rate(plain)
                assert point.correction_rate == people.correction_rate(plain)
                assert point.accuracy_after_correction == people.accuracy_after_correction(plain)

    def test_many_thresholds(self, monkeypatch):
        """The search from the end passes over several chunks."""
        monkeypatch.setattr("fastarac.operating_points.limits.CHUNK", 7)
        rng = np.random.default_rng(1)
        confidence = rng.random(200)
        correct = rng.random(200) < confidence
        sweep = fa.threshold_sweep(correct, confidence)
        rates = (0.75, 0.25)
        for limit in np.linspace(0.2, 0.5, 13):
            last = last_within(points_of(sweep), limit, rates)
            if last is None:
                continue
            point = fa.operating_point(sweep, max_error_rate=limit, reviewer=fa.Reviewer(*rates))
            assert point.threshold == sweep.thresholds[last]

    def test_refused(self):
        message = r"reviewer must be a Reviewer, got 'me' \(str\)"
        with pytest.raises(TypeError, match=message):
            fa.operating_point(CORRECT, CONFIDENCE, threshold=0.5, reviewer="me")
        with pytest.raises(TypeError, match=message):
            fa.acceptance_at_error_rate(CORRECT, CONFIDENCE, max_error_rate=0.1, reviewer="me")
