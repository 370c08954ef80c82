"""Operating points: what the register does not say of them already."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st

import fastarac as fa
from fastarac._core.dtype_comparison import most_within
from fastarac.operating_points import limits as operating

pytestmark = pytest.mark.interpreted

CORRECT = [1, 1, 0, 1, 0, 1, 0, 0]
CONFIDENCE = [0.9, 0.8, 0.8, 0.6, 0.5, 0.5, 0.5, 0.1]


def test_a_point_prints_as_a_sentence():
    sample = [1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.7, 0.2]
    point = fa.operating_point(*sample, max_error_rate=0.2)
    assert str(point) == "accept 80% at confidence >= 0.7: error rate 20%, risk 25%"
    part = fa.operating_point(*sample, max_error_rate=0.1, interpolate=True)
    assert str(part).startswith(
        "accept 60% at confidence > 0.7, and a share of 0.5 at 0.7: error rate 10%"
    )


def point(**criterion):
    return fa.operating_point(CORRECT, CONFIDENCE, **criterion)


def test_all_rates_of_a_point():
    p = point(threshold=0.6)
    assert (p.true_accepts, p.false_accepts, p.false_rejects, p.true_rejects) == (3, 1, 1, 3)
    assert p.total == 8
    assert p.threshold == 0.6
    assert p.acceptance_rate == p.verification_rate == 0.5
    assert p.correction_rate == 3 / 8
    assert p.error_rate == 1 / 8
    assert p.accuracy_after_correction == 7 / 8
    assert p.risk == 1 / 4
    assert p.precision == 3 / 4
    assert p.recall == 3 / 4
    assert p.false_positive_rate == 1 / 4
    assert p.tie_acceptance == 1.0
    with pytest.raises(AttributeError):
        p.threshold = 0


def test_each_criterion():
    assert point(max_error_rate=0.0).threshold == 0.9
    assert point(max_error_rate=0.124).threshold == 0.9
    assert point(max_error_rate=0.125).threshold == 0.6
    assert point(max_error_rate=1.0).threshold == 0.1
    assert point(max_risk=0.25).threshold == 0.6  # although it is 1/3 at 0.8
    assert point(max_risk=0.3).threshold == 0.6
    assert point(min_acceptance_rate=0.5).threshold == 0.6
    assert point(min_acceptance_rate=0.51).threshold == 0.5
    assert point(min_acceptance_rate=0).threshold == math.inf
    assert point(threshold=math.inf).acceptance_rate == 0
    assert point(threshold=-math.inf).acceptance_rate == 1
    assert point(threshold=0.55).acceptance_rate == 0.5


def test_nothing_keeps_the_limit():
    for criterion in ({"max_error_rate": 0.1}, {"max_risk": 0.4}):
        p = fa.operating_point([0, 1], [0.9, 0.1], **criterion)
        assert p.threshold == math.inf
        assert p.acceptance_rate == p.error_rate == 0
        assert p.accuracy_after_correction == p.verification_rate == 1
        assert (p.risk, p.precision) == (1, 0)


def test_part_of_a_tie():
    p = point(max_error_rate=0.0625, interpolate=True)
    assert (p.threshold, p.tie_acceptance) == (0.8, 0.5)
    assert (p.true_accepts, p.false_accepts) == (1.5, 0.5)
    assert p.error_rate == 0.0625
    p = point(min_acceptance_rate=0.25, interpolate=True)
    assert (p.threshold, p.tie_acceptance, p.acceptance_rate) == (0.8, 0.5, 0.25)
    p = point(max_risk=0.4, interpolate=True)
    assert (p.threshold, p.risk) == (0.5, pytest.approx(0.4))
    assert p.tie_acceptance == pytest.approx(0.75)
    # where the limit falls on a threshold, no tie is split
    p = point(max_error_rate=0.125, interpolate=True)
    assert (p.threshold, p.tie_acceptance) == (0.6, 1.0)
    assert point(min_acceptance_rate=0.5, interpolate=True).tie_acceptance == 1.0


@pytest.mark.filterwarnings("ignore:the confidence seems reversed")  # the errors come first
def test_a_rate_and_its_limit_are_compared_as_doubles():
    correct = [0] * 29 + [1] * 71
    for k in range(30):
        errors = fa.operating_point(correct, range(100, 0, -1), max_error_rate=k / 100)
        assert errors.false_accepts == k


def test_criteria():
    with pytest.raises(TypeError, match="exactly one of threshold, max_error_rate, max_risk,"):
        point()
    with pytest.raises(TypeError, match="_acceptance_rate, got max_error_rate and max_risk"):
        point(max_error_rate=0.1, max_risk=0.1)
    with pytest.raises(
        TypeError, match="interpolate cannot go with threshold: a given threshold always"
    ):
        point(threshold=0.5, interpolate=True)
    for name in ("max_error_rate", "max_risk", "min_acceptance_rate"):
        for wrong in (-0.1, 1.1):
            with pytest.raises(ValueError, match=rf"{name} must be a number in \[0, 1\]"):
                point(**{name: wrong})
        with pytest.raises(ValueError, match=f"{name} must be a finite number, got nan"):
            point(**{name: math.nan})
        with pytest.raises(TypeError, match=f"{name} must be a number, got '1'"):
            point(**{name: "1"})
    with pytest.raises(ValueError, match="threshold must be a number, got nan"):
        point(threshold=math.nan)
    with pytest.raises(TypeError, match=r"threshold must be a number, got 'a' \(str\)"):
        point(threshold="a")


def test_one_class():
    right = fa.operating_point([1, 1], [0.9, 0.1], max_error_rate=0.0)
    assert right.acceptance_rate == right.recall == 1
    assert math.isnan(right.false_positive_rate)
    wrong = fa.operating_point([0, 0], [0.9, 0.1], max_error_rate=0.5)
    assert wrong.acceptance_rate == 0.5
    assert math.isnan(wrong.recall)


@given(strategies.items, st.floats(0, 1))
def test_thresholds_do_what_they_promise(sample, limit):
    """Apply the threshold to the items themselves and count."""
    weight = sample.sample_weight
    weight = np.ones(len(sample.correct)) if weight is None else weight
    for name in ("max_error_rate", "max_risk", "min_acceptance_rate"):
        p = fa.operating_point(sample.correct, sample.confidence, **{name: limit}, **sample.weighted)
        accepted = np.array([t >= p.threshold for t in sample.confidence.tolist()])
        wrong = math.fsum(weight[accepted & (sample.correct == 0)])
        accepted = math.fsum(weight[accepted])
        total = math.fsum(weight)
        slack = 1e-12
        assert p.acceptance_rate == pytest.approx(accepted / total, rel=1e-12)
        if name == "max_error_rate":
            assert wrong / total <= limit + slack
        elif name == "max_risk":
            assert wrong <= limit * accepted + slack * total
        else:
            assert accepted / total >= limit - slack


@given(strategies.items, st.floats(0, 1))
def test_the_last_point_with_a_risk_is_found_in_pieces(sample, limit):
    sweep = fa.threshold_sweep(sample.correct, sample.confidence, **sample.weighted)
    whole = operating.last_with_risk(sweep, limit)
    for size in (1, 2, 3):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(operating, "CHUNK", size)
            assert operating.last_with_risk(sweep, limit) == whole


@given(strategies.items, st.lists(st.floats(0, 1), min_size=1, max_size=5))
def test_interpolated_acceptance_bounds_the_whole_ties(sample, limits):
    sweep = fa.threshold_sweep(sample.correct, sample.confidence, **sample.weighted)
    smooth = fa.acceptance_at_error_rate(sweep, max_error_rate=limits)
    stepped = fa.acceptance_at_error_rate(sweep, max_error_rate=limits, interpolate=False)
    assert (stepped <= smooth).all()
    for limit, x in zip(limits, smooth, strict=True):
        assert fa.acceptance_at_error_rate(sweep, max_error_rate=limit) == x
    beyond = np.array(limits) >= sweep.error_rate[-1]
    assert (smooth[beyond] == 1).all()


@given(strategies.exact_sums, st.floats(0, 1))
def test_acceptance_at_risk_is_that_of_the_operating_point(sample, limit):
    for interpolate in (True, False):
        point = fa.operating_point(
            sample.correct,
            sample.confidence,
            max_risk=limit,
            interpolate=interpolate,
            **sample.weighted,
        )
        found = fa.acceptance_at_risk(
            sample.correct,
            sample.confidence,
            max_risk=limit,
            interpolate=interpolate,
            **sample.weighted,
        )
        assert found == pytest.approx(point.acceptance_rate, rel=1e-12, abs=1e-15)
    several = fa.acceptance_at_risk(sample.correct, sample.confidence, max_risk=[[0.0], [limit]])
    assert several.shape == (2, 1)
    assert several[0, 0] <= several[1, 0]


class TestOneRuleOfLimits:
    """k of n are within x where k/n <= x, of x as a decimal or as a double, whichever admits more."""

    @staticmethod
    def within(k, n, limit):
        exact = Fraction(k, n)
        return exact <= Fraction(repr(limit)) or exact <= Fraction(limit) or float(exact) <= limit

    @pytest.mark.filterwarnings("ignore::fastarac.QuestionableInputWarning")
    @given(st.integers(1, 400), st.data())
    def test_the_most_within_a_limit(self, n, data):
        near = data.draw(st.integers(0, n)) / n
        limit = data.draw(
            st.one_of(st.floats(0, 1), st.sampled_from([near, math.nextafter(near, 0), round(near, 2)]))
        )
        most = max(k for k in range(n + 1) if self.within(k, n, limit))
        assert most_within(limit, n) == most
        correct = np.zeros(n, bool)
        point = fa.operating_point(correct, np.arange(n), max_error_rate=limit)
        assert point.false_accepts == most
        kept = fa.operating_point(np.arange(n) < n - most, np.arange(n), max_risk=limit)
        assert kept.acceptance_rate == 1.0
        least = fa.operating_point(correct, np.arange(n), min_acceptance_rate=limit)
        turned = [k for k in range(n + 1) if self.at_least(k, n, limit)]
        assert least.false_accepts == turned[0]

    @staticmethod
    def at_least(k, n, limit):
        exact = Fraction(k, n)
        return exact >= Fraction(repr(limit)) or exact >= Fraction(limit) or float(exact) >= limit

    @pytest.mark.parametrize("whole", [10**9, 10**17, 10**40 + 7])
    def test_of_vast_numbers(self, whole):
        for limit in (0.0, 0.29, 1 / 3, 1e-12, math.nextafter(1.0, 0.0), 1.0):
            most = most_within(limit, whole)
            assert most / whole <= limit
            assert most == whole or (most + 1) / whole > limit

    @given(st.integers(2, 60), st.integers(0, 9), st.integers(0, 5), st.data())
    def test_with_people_whose_rates_are_decimals(self, n, d, a, data):
        correct = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
        people = fa.Reviewer(d / 10, a / 100)
        rates = []
        for accepted in range(n + 1):
            left, rest = correct[:accepted], correct[accepted:]
            errors = left.count(False) + (1 - Fraction(d, 10)) * rest.count(False)
            rates.append(float((errors + Fraction(a, 100) * rest.count(True)) / n))
        limit = data.draw(st.sampled_from(rates))
        point = fa.operating_point(correct, -np.arange(n), max_error_rate=limit, reviewer=people)
        assert round(point.acceptance_rate * n) == max(k for k in range(n + 1) if rates[k] <= limit)
