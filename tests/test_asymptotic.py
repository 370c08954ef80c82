"""Asymptotic intervals: pROC's figures, Clopper and Pearson at the ends."""

from __future__ import annotations

import math
import os
import warnings

import numpy as np
import pytest
import reference_influence as slow
import strategies
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import fastarac as fa
from fastarac._core.quantiles import (
    normal_pvalue,
    normal_quantile,
    student_pvalue,
    student_quantile,
)
from fastarac.uncertainty import influence

COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") in {"", "0"}
Z = 1.959963984540054

# seed and size of generated data, divisor of the scores; AUC, its variance and the ends of its
# interval of 95 % by pROC 1.18.5, ci.auc(roc(y, a), method="delong")
PROC = [
    (1, 60, 1, 0.73059006211180122, 0.0068403209521897077, 0.56848882442939486, 0.89269129979420758),
    (2, 200, 1, 0.78330484330484329, 0.0010593681003267684, 0.71951206210381524, 0.84709762450587134),
    (3, 1000, 1, 0.74556241582227456, 0.0002729301274641149, 0.71318264056702929, 0.77794219107751983),
    (7, 40, 20, 0.76666666666666672, 0.0057011494252873565, 0.61867771184954079, 0.91465562148379265),
]


def quietly(*arguments, **keywords):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return fa.asymptotic_interval(*arguments, **keywords)


@pytest.mark.parametrize(("seed", "n", "divisor", "auc", "variance", "low", "high"), PROC)
def test_the_roc_auc_has_the_interval_of_proc(seed, n, divisor, auc, variance, low, high):
    y_true, score, _ = np.array(slow.generated(seed, n)).T
    found = fa.asymptotic_interval(y_true, score // divisor, "roc_auc")
    assert found.estimate == pytest.approx(auc, rel=1e-14)
    assert found.standard_error**2 == pytest.approx(variance, rel=1e-12)
    assert found.confidence_interval == pytest.approx((low, high), rel=1e-13)


def test_a_proportion_has_the_interval_of_wald():
    correct = [1] * 40 + [0] * 20
    found = fa.asymptotic_interval(correct, range(60), "recognition_rate", confidence_level=0.9)
    error = math.sqrt(2 / 3 * 1 / 3 / 59)
    reach = stats.norm.ppf(0.95) * error
    assert found.estimate == 2 / 3
    assert found.standard_error == pytest.approx(error, rel=1e-14)
    assert found.confidence_interval == pytest.approx((2 / 3 - reach, 2 / 3 + reach), rel=1e-14)


@given(sample=strategies.items)
def test_log_odds_and_clipping(sample):
    correct, confidence, weight = sample
    plain = quietly(correct, confidence, sample_weight=weight)
    odds = quietly(correct, confidence, sample_weight=weight, transform="logit")
    assert odds.estimate == plain.estimate
    for low, high in (plain.confidence_interval, odds.confidence_interval):
        assert 0.5 <= low <= plain.estimate <= high <= 1.0
        assert low < high
    if plain.standard_error > 1e-6:
        if plain.estimate > 0.5:  # in [0.5, 1]
            ends = slow.logit_interval(2 * plain.estimate - 1, 2 * plain.standard_error, Z)
            expected = [(1 + end) / 2 for end in ends]
            assert odds.confidence_interval == pytest.approx(expected, rel=1e-9)
        ends = [plain.estimate + side * Z * plain.standard_error for side in (-1, 1)]
        assert plain.confidence_interval == pytest.approx(np.clip(ends, 0.5, 1), rel=1e-12)


@given(sample=strategies.unweighted)
def test_a_sweep_stands_for_its_items(sample):
    correct, confidence, _ = sample
    sweep = fa.threshold_sweep(correct, confidence)
    for statistic in ("arac_auc", "roc_auc", "average_precision"):
        np.testing.assert_equal(
            quietly(sweep, statistic=statistic), quietly(correct, confidence, statistic)
        )


@given(sample=strategies.unweighted)
def test_equal_weights_are_no_weights(sample):
    correct, confidence, _ = sample
    for statistic in ("arac_auc", "roc_auc"):
        plain = quietly(correct, confidence, statistic)
        weighted = quietly(correct, confidence, statistic, sample_weight=np.full(len(correct), 0.5))
        if plain.standard_error > 1e-9:
            assert weighted.standard_error == pytest.approx(plain.standard_error, rel=1e-9)


def test_repeating_each_item_within_its_group_says_nothing_new():
    y_true, score, _ = np.array(slow.generated(2, 60)).T
    for statistic in ("arac_auc", "aurc", "recognition_rate"):
        once = fa.asymptotic_interval(y_true, score, statistic)
        columns = (np.repeat(column, 3) for column in (y_true, score, np.arange(60)))
        correct, confidence, groups = columns
        thrice = fa.asymptotic_interval(correct, confidence, statistic, groups=groups)
        assert thrice.estimate == pytest.approx(once.estimate, rel=1e-3)
        if statistic != "aurc":  # whose trapezoids know single items
            assert thrice.standard_error == pytest.approx(once.standard_error, rel=1e-12)
            reach = stats.t.ppf(0.975, 59) * once.standard_error
            low, high = thrice.confidence_interval
            assert high - low == pytest.approx(2 * reach, rel=1e-10)


def test_groups_are_summed_before_they_are_squared():
    y_true, score, _ = np.array(slow.generated(5, 90)).T
    groups = np.array([f"doc{k % 30}" for k in range(90)])
    values = fa.influence_values(y_true, score)
    sums = np.array([values[groups == name].sum() for name in np.unique(groups)])
    expected = math.sqrt(30 / 29 * np.sum(sums**2)) / 90
    found = fa.asymptotic_interval(y_true, score, groups=groups)
    # the values are those of items, whose factor n/(n − 1) groups do without
    assert found.standard_error == pytest.approx(expected, rel=1e-12)


def test_groups_of_weight_zero_are_as_if_absent():
    y_true, score, _ = np.array(slow.generated(5, 120)).T
    groups, weight = np.arange(120) // 4, np.ones(120)
    weight[groups == 3] = 0.0
    present = weight > 0
    found = fa.asymptotic_interval(y_true, score, groups=groups, sample_weight=weight)
    without = fa.asymptotic_interval(y_true[present], score[present], groups=groups[present])
    assert found.standard_error == pytest.approx(without.standard_error, rel=1e-12)
    assert found.confidence_interval == pytest.approx(without.confidence_interval, rel=1e-12)


# --- Where there is no spread ----------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 10, 100, 5000])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_without_an_error_the_interval_is_that_of_clopper_and_pearson(n, level):
    """But for whole items: the lowest rate that n correct items and some unseen ones can have."""
    with pytest.warns(fa.UnreliableIntervalWarning, match="leave no spread"):
        found = fa.asymptotic_interval(
            np.ones(n), np.arange(n), "recognition_rate", confidence_level=level
        )
    exact = ((1 - level) / 2) ** (1 / n)
    low, high = found.confidence_interval
    assert high == 1.0
    assert low <= exact * (1 + 1e-12)
    assert 1 / low - 1 / exact < 1 / n + 1e-9


@pytest.mark.parametrize("label", [0, 1])
@pytest.mark.parametrize(
    "statistic", ["arac_auc", "normalized_arac_auc", "arp_auc", "recognition_rate"]
)
@pytest.mark.parametrize("n", [1, 7, 300])
def test_items_all_alike_are_never_certain(label, statistic, n):
    with pytest.warns(fa.UnreliableIntervalWarning):
        found = fa.asymptotic_interval(np.full(n, label), np.arange(n), statistic)
    low, high = found.confidence_interval
    assert low < high
    assert low <= found.estimate <= high
    assert not found.standard_error > 1e-13
    if n == 300 and statistic != "normalized_arac_auc":  # which jumps where all are correct
        assert high - low < 0.1


def test_separated_classes_are_never_certain():
    """20 of each, all in order: 20 disjoint pairs would be, with a probability of at least 0.83."""
    with pytest.warns(fa.UnreliableIntervalWarning, match="roc_auc"):
        found = fa.asymptotic_interval([0] * 20 + [1] * 20, range(40), "roc_auc")
    assert found.standard_error == 0.0
    low, high = found.confidence_interval
    assert high == 1.0
    assert 0.8 < low < 0.025 ** (1 / 20) + 0.01


def test_one_item_of_a_class_gives_a_wide_interval_and_no_error():
    with pytest.warns(fa.UnreliableIntervalWarning):
        found = fa.asymptotic_interval([1, 0, 0, 0], [0.9, 0.3, 0.2, 0.95], "roc_auc")
    assert math.isnan(found.standard_error)
    low, high = found.confidence_interval
    assert high - low > 0.5


def test_at_a_threshold_that_accepts_nothing_the_risk_may_be_anything():
    with pytest.warns(fa.UnreliableIntervalWarning):
        found = fa.asymptotic_interval([1, 0], [0.9, 0.3], fa.Statistic("risk", threshold=2.0))
    assert found.confidence_interval == (0.0, 1.0)


# --- Warnings and errors ---------------------------------------------------------------------


def test_few_items_of_a_kind_warn():
    confidence = np.arange(40) % 7
    correct = np.arange(40) % 5 > 0  # 8 incorrect
    with pytest.warns(fa.UnreliableIntervalWarning, match="there are 8 incorrect items; .* from 10 on"):
        fa.asymptotic_interval(correct, confidence)
    with pytest.warns(fa.UnreliableIntervalWarning, match="there are 8 correct items"):
        fa.asymptotic_interval(~correct, confidence)
    weight = np.where(np.arange(40) < 5, 100.0, 1.0)
    with pytest.warns(fa.UnreliableIntervalWarning, match=r"there are 2\.33 correct items"):
        fa.asymptotic_interval(np.arange(40) % 2, confidence, sample_weight=weight)
    with pytest.warns(fa.UnreliableIntervalWarning, match="there are 8 groups; .* from 20 on"):
        fa.asymptotic_interval(np.arange(40) % 2, confidence, groups=np.arange(40) % 8)
    with pytest.warns(fa.UnreliableIntervalWarning, match="make up the error rate"):
        fa.asymptotic_interval(
            np.arange(40) % 2, np.arange(40), fa.Statistic("error_rate", threshold=35)
        )
    fa.asymptotic_interval(np.arange(40) % 2, confidence)


def test_few_items_that_carry_the_error_warn():
    """All but 2 of 10,000 pairs are in order: 2 items of either class say how far off that may be."""
    y_true, score = np.repeat([0, 1], 100), np.arange(200.0)
    score[99], score[98] = 100.5, 99.5
    with pytest.warns(fa.UnreliableIntervalWarning, match="estimated from as few as 2 items"):
        fa.asymptotic_interval(y_true, score, "roc_auc")


@given(sample=strategies.unweighted)
def test_what_carries_the_error_is_the_same_from_sweep_and_items(sample):
    correct, confidence, _ = sample
    statistic = fa.Statistic("arac_auc")
    spread = influence.sweep_spread(fa.threshold_sweep(correct, confidence), statistic)
    values = fa.influence_values(correct, confidence)
    if spread.standard_error > 1e-12:
        expected = np.sum(values**2) ** 2 / np.sum(values**4)
        assert spread.carriers == pytest.approx(expected, rel=1e-10)
        assert 1 - 1e-12 <= spread.carriers <= len(values) * (1 + 1e-12)


def test_what_is_undefined_is_nan():
    with pytest.warns(fa.UndefinedMetricWarning, match="roc_auc is undefined"):
        found = fa.asymptotic_interval([1, 1], [0.9, 0.3], "roc_auc")
    assert np.isnan([found.estimate, *found.confidence_interval, found.standard_error]).all()


@pytest.mark.parametrize("level", [0, 1, -0.5, 95, math.nan, "0.95", None])
def test_bad_levels_are_refused(level):
    with pytest.raises((ValueError, TypeError), match="confidence_level is"):
        fa.asymptotic_interval([1, 0], [0.9, 0.3], confidence_level=level)


def test_bad_arguments_are_refused():
    columns = [1, 0], [0.9, 0.3]
    sweep = fa.threshold_sweep(*columns)
    with pytest.raises(ValueError, match="transform is 'log'; one of 'logit' is expected"):
        fa.asymptotic_interval(*columns, transform="log")
    with pytest.raises(ValueError, match=r"transform is 'logit', and the range .* is not finite"):
        fa.asymptotic_interval(*columns, "normalized_arp_auc", transform="logit")
    with pytest.raises(ValueError, match="ThresholdSweep of weighted items"):
        fa.asymptotic_interval(fa.threshold_sweep(*columns, sample_weight=[1, 2]))
    with pytest.raises(TypeError, match="groups is given beside a ThresholdSweep"):
        fa.asymptotic_interval(sweep, groups=[1, 2])
    with pytest.raises(TypeError, match="confidence is given beside a ThresholdSweep"):
        fa.asymptotic_interval(sweep, [0.9, 0.3])
    with pytest.raises(TypeError, match="sample_weight is given beside a ThresholdSweep"):
        fa.asymptotic_interval(sweep, sample_weight=[0.9, 0.3])
    with pytest.raises(ValueError, match="groups has 3 items"):
        fa.asymptotic_interval(*columns, groups=[1, 2, 3])
    with pytest.raises(TypeError, match="confidence is missing"):
        fa.asymptotic_interval([1, 0])


# --- Distributions ---------------------------------------------------------------------------

DEGREES = [1, 2, 3, 4, 5, 9, 19, 20, 99, 200, 201, 1000, 99_999, 10**9]


@pytest.mark.parametrize("degrees", DEGREES)
def test_students_t_as_in_scipy(degrees):
    for t in (0.0, 1e-3, 0.3, 1.0, 1.7, 2.5, 6.0, 30.0):
        expected = 2 * stats.t.sf(t, degrees)
        # scipy's own error is 2e-14 for one degree
        assert student_pvalue(-t, degrees) == pytest.approx(expected, abs=5e-14)
    for level in (0.01, 0.5, 0.9, 0.95, 0.999):
        expected = stats.t.ppf((1 + level) / 2, degrees)
        assert student_quantile(level, degrees) == pytest.approx(expected, rel=1e-12)


@given(z=st.floats(-37, 37))
def test_the_normal_distribution_as_in_scipy(z):
    assert normal_pvalue(z) == pytest.approx(2 * stats.norm.sf(abs(z)), rel=1e-11)
    assert student_pvalue(z, math.inf) == normal_pvalue(z)


def test_normal_quantiles():
    assert normal_quantile(0.95) == pytest.approx(Z, rel=1e-15)
    assert student_quantile(0.95, math.inf) == normal_quantile(0.95)


def test_vast_weights_of_items_that_are_all_right():
    ones, confidence = np.ones(40), np.arange(40)
    one = quietly(ones, confidence)
    vast = quietly(ones, confidence, sample_weight=np.full(40, 1e18))
    assert vast.estimate == one.estimate
    assert vast.confidence_interval == pytest.approx(one.confidence_interval, rel=0.02)
