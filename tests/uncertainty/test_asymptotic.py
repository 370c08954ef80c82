"""Asymptotic intervals: pROC's figures, Clopper and Pearson at the ends."""

from __future__ import annotations

import math
import warnings
from functools import partial

import numpy as np
import pytest
import reference_bootstrap
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
from fastarac._core.special import binomial_interval, chi_square_quantile
from fastarac.uncertainty import influence
from fastarac.uncertainty.leave_one_out_cost import left_out_cost
from fastarac.uncertainty.statistics import DEFINITIONS

pytestmark = pytest.mark.interpreted

Z = 1.959963984540054

# seed and size of generated data, divisor of the scores; AUC, its variance and the ends of its
# interval of 95% by pROC 1.18.5, ci.auc(roc(y, a), method="delong")
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
    found = fa.asymptotic_interval(y_true, score // divisor, statistic="roc_auc", method="wald")
    assert found.estimate == pytest.approx(auc, rel=1e-14)
    assert found.standard_error**2 == pytest.approx(variance, rel=1e-12)
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-13)


def test_a_proportion_has_the_interval_of_wald():
    correct = [1] * 40 + [0] * 20
    found = fa.asymptotic_interval(
        correct, range(60), statistic="recognition_rate", confidence_level=0.9, method="wald"
    )
    error = math.sqrt(2 / 3 * 1 / 3 / 59)
    reach = stats.norm.ppf(0.95) * error
    assert found.estimate == 2 / 3
    assert found.standard_error == pytest.approx(error, rel=1e-14)
    assert (found.low, found.high) == pytest.approx((2 / 3 - reach, 2 / 3 + reach), rel=1e-14)


def with_room(sample, ends):
    """Ends of the ARAC-AUC as far as with as many of the other class as could be missing by chance."""
    correct, confidence, weight = sample
    right = np.asarray(correct, np.float64)
    weight = np.ones(len(right)) if weight is None else np.asarray(weight, np.float64)
    if min(weight @ right, weight @ (1 - right)) >= 30 * weight.max():
        return ends
    share = min(1.0, -math.log(0.025) * weight.max() / weight.sum())
    value = reference_bootstrap.arac_auc(right, confidence, weight)
    low, high = ends
    both = np.concatenate([np.ones(len(right)), np.zeros(len(right))])
    for kept, turned in ((right, share * right), (right + share * (1 - right), share * (right - 1))):
        weights = np.concatenate([kept - turned * (turned > 0), 1 - right + turned]) * np.tile(
            weight, 2
        )
        change = reference_bootstrap.arac_auc(both, np.tile(confidence, 2), weights) - value
        if change < 0:
            low = min(low, value - math.hypot(value - ends[0], change))
        else:
            high = max(high, value + math.hypot(ends[1] - value, change))
    return max(low, 0.5), min(high, 1.0)


@given(sample=strategies.items)
def test_log_odds_and_clipping(sample):
    correct, confidence, weight = sample
    plain = quietly(correct, confidence, sample_weight=weight, method="wald")
    odds = quietly(correct, confidence, sample_weight=weight, method="logit")
    assert odds.estimate == plain.estimate
    for low, high in ((plain.low, plain.high), (odds.low, odds.high)):
        assert 0.5 <= low <= plain.estimate <= high <= 1.0
        assert low < high
    if plain.standard_error > 1e-6:
        if plain.estimate > 0.5:  # in [0.5, 1]
            contributions = fa.influence_values(correct, confidence, sample_weight=weight)
            contributors = np.sum(contributions**2) ** 2 / np.sum(contributions**4)
            n = len(correct) if weight is None else np.sum(weight) ** 2 / np.sum(np.square(weight))
            degrees = 2 * contributors / (1 - contributors / n) if contributors < n else math.inf
            if min(degrees % 1, 1 - degrees % 1) < 1e-6:
                return  # rounded to one side or the other
            degrees = math.floor(degrees) if degrees <= 200 else degrees
            reach = stats.t.ppf(0.975, degrees) if degrees < math.inf else Z
            ends = slow.logit_interval(2 * plain.estimate - 1, 2 * plain.standard_error, reach)
            expected = with_room(sample, [(1 + end) / 2 for end in ends])
            assert (odds.low, odds.high) == pytest.approx(expected, rel=1e-9)
        ends = [plain.estimate + side * Z * plain.standard_error for side in (-1, 1)]
        assert (plain.low, plain.high) == pytest.approx(np.clip(ends, 0.5, 1), rel=1e-12)


@given(sample=strategies.unweighted)
def test_a_sweep_stands_for_its_items(sample):
    correct, confidence, _ = sample
    sweep = fa.threshold_sweep(correct, confidence)
    for statistic in ("arac_auc", "roc_auc", "average_precision"):
        np.testing.assert_equal(
            quietly(sweep, statistic=statistic), quietly(correct, confidence, statistic=statistic)
        )


@given(sample=strategies.unweighted)
def test_equal_weights_are_no_weights(sample):
    correct, confidence, _ = sample
    for statistic in ("arac_auc", "roc_auc"):
        plain = quietly(correct, confidence, statistic=statistic)
        weighted = quietly(
            correct, confidence, statistic=statistic, sample_weight=np.full(len(correct), 0.5)
        )
        if plain.standard_error > 1e-9:
            assert weighted.standard_error == pytest.approx(plain.standard_error, rel=1e-9)


def test_repeating_each_item_within_its_group_says_nothing_new():
    y_true, score, _ = np.array(slow.generated(2, 60)).T
    for statistic in ("arac_auc", "aurc", "recognition_rate"):
        once = fa.asymptotic_interval(y_true, score, statistic=statistic, method="wald")
        columns = (np.repeat(column, 3) for column in (y_true, score, np.arange(60)))
        correct, confidence, groups = columns
        thrice = fa.asymptotic_interval(
            correct, confidence, statistic=statistic, groups=groups, method="wald"
        )
        assert thrice.estimate == pytest.approx(once.estimate, rel=1e-3)
        if statistic != "aurc":  # whose trapezoids know single items
            assert thrice.standard_error == pytest.approx(once.standard_error, rel=1e-12)
            squares = fa.influence_values(y_true, score, statistic=statistic) ** 2
            degrees = math.floor(min(59.0, squares.sum() ** 2 / (squares**2).sum()))
            reach = stats.t.ppf(0.975, degrees) * once.standard_error
            low, high = (thrice.low, thrice.high)
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


@pytest.mark.parametrize(
    "statistic",
    ["recognition_rate", "arac_auc", "roc_auc", fa.Statistic("risk", threshold=0.5),
     fa.Statistic("acceptance_at_risk", max_risk=0.2)],
)  # fmt: skip
def test_items_of_weight_zero_are_as_if_absent(statistic):
    rng = np.random.default_rng(6)
    y_true, score, weight = rng.random(300) < 0.7, rng.random(300), rng.integers(0, 3, 300) / 7
    present = weight > 0
    found = quietly(y_true, score, statistic=statistic, sample_weight=weight)
    alone = quietly(y_true[present], score[present], statistic=statistic, sample_weight=weight[present])
    assert (found.low, found.high) == pytest.approx((alone.low, alone.high), rel=1e-12)


@pytest.mark.parametrize("unit", [1e-200, 1.0, 1e200])
def test_the_unit_of_the_weights_changes_no_warning(unit):
    """30 errors in 30 groups are enough, 6 are not; whatever the weights sum to."""
    y_true, score = np.arange(300) % 10 > 0, np.arange(300) * 0.618 % 1
    options = {"groups": np.arange(300) // 10, "sample_weight": np.full(300, unit)}
    fa.asymptotic_interval(y_true, score, statistic="roc_auc", method="wald", **options)
    fa.bootstrap(y_true, score, statistic="roc_auc", n_resamples=50, random_state=0, **options)
    y_true = np.arange(300) % 50 > 0
    with pytest.warns(fa.UnreliableIntervalWarning, match="there are 6 independent incorrect items"):
        fa.asymptotic_interval(y_true, score, statistic="roc_auc", method="wald", **options)
    with pytest.warns(fa.UnreliableIntervalWarning, match="there are 6 independent incorrect items"):
        fa.bootstrap(y_true, score, statistic="augrc", n_resamples=50, random_state=0, **options)


def test_few_groups_with_errors_warn():
    """40 errors in 8 of 60 groups; what is alike within groups counts by its design effect."""
    page = np.repeat(np.arange(60), 10)
    confidence = np.random.default_rng(0).random(600)
    spread = np.tile([0, 0, 0, 0, 0, 1, 1, 1, 1, 1], 60)
    with pytest.warns(fa.UnreliableIntervalWarning, match="8 groups have items of the rarer class; "):
        fa.asymptotic_interval(
            (page >= 8) | spread, confidence, statistic="roc_auc", groups=page, method="wald"
        )
    alike = page % 5 > 0
    with pytest.warns(fa.UnreliableIntervalWarning, match="^there are .* independent incorrect items"):
        fa.asymptotic_interval(alike[:300], confidence[:300], method="wald", groups=page[:300])
    fa.asymptotic_interval(alike, confidence, method="wald", groups=page)  # 12 groups of one kind


def test_degrees_of_freedom_of_groups():
    """As groups of one size would say as much, at least 2."""
    rng = np.random.default_rng(1)
    sizes = rng.integers(1, 30, 40)
    page = np.repeat(np.arange(40), sizes)
    correct, confidence = rng.random(len(page)) < 0.7, rng.random(len(page))
    for name, fewer in (("arac_auc", 0), ("roc_partial_auc", 1)):
        statistic = fa.Statistic(name, **({"fpr_range": (0.0, 1.0)} if fewer else {}))
        found = quietly(correct, confidence, statistic=statistic, groups=page, method="wald")
        values = fa.influence_values(correct, confidence, statistic=statistic)
        sums = np.bincount(page, values)
        degrees = math.floor(np.sum(sums**2) ** 2 / np.sum(sums**4) - fewer)
        assert 2 < degrees < 39
        reach = stats.t.ppf(0.975, degrees) * found.standard_error
        assert found.high - found.low == pytest.approx(2 * reach, rel=1e-9)
    one = np.where(page == 0, 0, 1 + page % 30)
    correct = (page != 0) & (np.arange(len(page)) % 200 > 0)
    found = quietly(correct, confidence, groups=one, method="wald")
    sums = np.bincount(one, fa.influence_values(correct, confidence))
    assert np.sum(sums**2) ** 2 / np.sum(sums**4) < 2
    reach = stats.t.ppf(0.975, 2) * found.standard_error
    assert found.estimate - found.low == pytest.approx(reach, rel=1e-9)


def test_groups_of_weight_zero_are_as_if_absent():
    y_true, score, _ = np.array(slow.generated(5, 120)).T
    groups, weight = np.arange(120) // 4, np.ones(120)
    weight[groups == 3] = 0.0
    present = weight > 0
    found = fa.asymptotic_interval(y_true, score, groups=groups, sample_weight=weight)
    without = fa.asymptotic_interval(y_true[present], score[present], groups=groups[present])
    assert found.standard_error == pytest.approx(without.standard_error, rel=1e-12)
    assert (found.low, found.high) == pytest.approx((without.low, without.high), rel=1e-12)


# --- Where there is no spread ----------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 10, 100, 5000])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_without_an_error_the_interval_is_that_of_clopper_and_pearson(n, level):
    found = fa.asymptotic_interval(
        np.ones(n), np.arange(n), statistic="recognition_rate", confidence_level=level
    )
    assert found.low == pytest.approx(((1 - level) / 2) ** (1 / n), rel=1e-11)
    assert found.high == 1.0


@pytest.mark.parametrize("label", [0, 1])
@pytest.mark.parametrize(
    "statistic", ["arac_auc", "normalized_arac_auc", "arp_auc", "recognition_rate"]
)
@pytest.mark.parametrize("n", [1, 7, 300])
def test_items_all_alike_are_never_certain(label, statistic, n):
    found = quietly(np.full(n, label), np.arange(n), statistic=statistic)
    low, high = (found.low, found.high)
    assert low < high
    assert low <= found.estimate <= high
    assert not found.standard_error > 1e-13
    if n == 300 and statistic != "normalized_arac_auc":  # which jumps where all are correct
        assert high - low < 0.1


def test_separated_classes_are_never_certain():
    """20 of each, all in order: 20 disjoint pairs would be, with a probability of at least 0.83."""
    found = fa.asymptotic_interval([0] * 20 + [1] * 20, range(40), statistic="roc_auc")
    assert found.standard_error == 0.0
    low, high = (found.low, found.high)
    assert high == 1.0
    assert 0.8 < low < 0.025 ** (1 / 20) + 0.01


def test_one_item_of_a_class_gives_a_wide_interval_and_no_error():
    found = fa.asymptotic_interval([1, 0, 0, 0], [0.9, 0.3, 0.2, 0.95], statistic="roc_auc")
    assert math.isnan(found.standard_error)
    low, high = (found.low, found.high)
    assert high - low > 0.5


@pytest.mark.parametrize(
    "statistic", sorted(name for name, one in DEFINITIONS.items() if one.of_one_class)
)
@pytest.mark.parametrize("rarer", [0, 1])
def test_one_or_two_errors_of_groups_say_no_more_than_those_of_items(statistic, rarer):
    rng = np.random.default_rng(6)
    confidence, pages = rng.random(100), np.arange(100) % 6
    for n in (1, 2, 3):
        correct = np.where(np.arange(100) < n, rarer, 1 - rarer)
        of_groups = fa.asymptotic_interval(correct, confidence, statistic=statistic, groups=pages)
        of_items = fa.asymptotic_interval(correct, confidence, statistic=statistic)
        taken_in = of_groups.low - 1e-9 <= of_items.low and of_items.high <= of_groups.high + 1e-9
        assert taken_in or n == 3


def test_at_a_threshold_that_accepts_nothing_the_risk_may_be_anything():
    found = quietly([1, 0], [0.9, 0.3], statistic=fa.Statistic("risk", threshold=2.0))
    assert (found.low, found.high) == (0.0, 1.0)


# --- Few errors, and limits ------------------------------------------------------------------


def test_without_an_error_the_loss_is_bounded_by_garwoods_interval():
    found = fa.asymptotic_interval(np.ones(100), np.arange(100))
    assert found.method == "gamma"
    assert 1 - found.low == pytest.approx(0.0368888, abs=5e-8)
    assert found.high == 1.0


@pytest.mark.parametrize(
    "options", [{}, {"sample_weight": np.full(10, 7.0)}, {"groups": np.arange(10)}]
)
def test_one_error_near_the_end(options):
    found = quietly([1] * 8 + [0, 1], -np.arange(10), **options)
    assert (found.low, found.high) == pytest.approx((0.619368, 0.999620), abs=5e-7)
    loss = quietly([1] * 8 + [0, 1], -np.arange(10), statistic="augrc", **options)
    assert (1 - loss.high, 1 - loss.low) == pytest.approx((found.low, found.high), rel=1e-12)


@given(sample=strategies.unweighted)
def test_losses_are_sums_over_the_errors(sample):
    correct, confidence, _ = sample
    sweep = fa.threshold_sweep(correct, confidence)
    names = [(name, {}) for name in ("arac_auc", "augrc")]
    names += [("aurc", {"estimator": of}) for of in ("trapezoid", "mean", "exact")]
    for name, parameters in names:
        statistic = fa.Statistic(name, **parameters)
        value = statistic(sweep)
        weights = statistic.definition.error_weights(sweep, **parameters)
        loss = value if statistic.definition.lower_is_better else 1 - value
        assert np.diff(sweep.false_accepts) @ weights == pytest.approx(loss, rel=1e-9, abs=1e-12)
        assert (weights >= -1e-15).all()


def test_groups_add_what_their_errors_lose():
    """Five errors at one place in five groups say more than in one."""
    correct, confidence = np.ones(400), np.arange(400.0)
    correct[200:205] = 0
    pages = np.arange(400) // 8
    apart = pages.copy()
    apart[200:205] = np.arange(5)
    one, five = (quietly(correct, confidence, groups=groups) for groups in (pages, apart))
    alone = quietly(correct, confidence)
    assert one.low < five.low < alone.low  # for whole groups, that could be wrong, are more than items
    assert one.high > five.high
    assert five.high == pytest.approx(alone.high, rel=1e-12)


def test_the_interval_of_an_acceptance_rate_as_it_is_written():
    y_true, score, _ = np.array(slow.generated(2, 300)).T
    n, limit = 300, 0.1
    statistic = fa.Statistic("acceptance_at_error_rate", max_error_rate=limit)
    found = fa.asymptotic_interval(y_true, score, statistic=statistic)
    few, many = (int(q) for q in stats.binom.ppf([0.025, 0.975], n, limit))
    x, low, high = fa.acceptance_at_error_rate(
        y_true, score, max_error_rate=[limit, (few - 1) / n, (many + 1) / n]
    )
    a, b = stats.beta.ppf(0.025, n * x, n - n * x + 1), stats.beta.ppf(0.975, n * x + 1, n - n * x)
    assert found.estimate == x
    assert found.low == pytest.approx(max(0, x - math.hypot(x - low, x - a)), rel=1e-9)
    assert found.high == pytest.approx(min(1, x + math.hypot(high - x, b - x)), rel=1e-9)


@pytest.mark.parametrize("groups", [None, np.arange(330)])
@pytest.mark.parametrize("allowed", ["more errors", "nearly as many", "a tenth"])
def test_the_interval_where_some_items_are_never_accepted_as_it_is_written(allowed, groups):
    """The upper end is that of the share of what is read, where the errors may allow all of it."""
    y_true, score, _ = np.array(slow.generated(2, 300)).T
    errors = float(np.sum(y_true == 0))
    y_true = np.append(y_true, np.zeros(30))
    limit = {"more errors": errors + 3, "nearly as many": errors - 5, "a tenth": 33}[allowed] / 330
    score, n = np.append(score, np.full(30, score.min() - 1.0)), 330
    options = {"interpolate": True, "never_accepted": score.min()}
    statistic = fa.Statistic("acceptance_at_error_rate", max_error_rate=limit, **options)
    found = fa.asymptotic_interval(y_true, score, statistic=statistic, groups=groups)
    few, many = (int(q) for q in stats.binom.ppf([0.025, 0.975], n, limit))
    at = [limit, (few - 1) / n, (many + 1) / n]
    on_curve = fa.acceptance_at_error_rate(y_true, score, max_error_rate=at, interpolate=True)
    x, low, high = np.minimum(on_curve, 300 / n)
    a, b = stats.beta.ppf(0.025, n * x, n - n * x + 1), stats.beta.ppf(0.975, n * x + 1, n - n * x)
    end = stats.beta.ppf(0.975, 301, 30) if high == 300 / n else x + math.hypot(high - x, b - x)
    assert (high == 300 / n) == (allowed != "a tenth")
    assert found.estimate == x
    rel = 1e-9 if groups is None else 0.03  # of Student's quantile
    assert found.low == pytest.approx(max(0, x - math.hypot(x - low, x - a)), rel=rel)
    assert found.high == pytest.approx(end, rel=rel)
    assert (x < 300 / n < found.high) == (allowed == "nearly as many")
    risk = fa.Statistic("acceptance_at_risk", max_risk=1.0, **options)
    of_risk = fa.asymptotic_interval(y_true, score, statistic=risk, groups=groups)
    generous = fa.Statistic("acceptance_at_error_rate", max_error_rate=1.0, **options)
    of_rate = fa.asymptotic_interval(y_true, score, statistic=generous, groups=groups)
    assert (of_risk.estimate, of_risk.high) == pytest.approx((300 / n, of_rate.high), rel=1e-12)


def test_groups_and_weights_widen_the_intervals_of_shares():
    y_true, score, _ = np.array(slow.generated(2, 300)).T
    columns = np.repeat(y_true, 4), np.repeat(score, 4)
    groups = np.repeat(np.arange(300), 4)
    for statistic in (
        "recognition_rate",
        fa.Statistic("risk", threshold=0.5),
        fa.Statistic("acceptance_at_error_rate", max_error_rate=0.1),
        fa.Statistic("acceptance_at_risk", max_risk=0.2),
    ):
        once = quietly(y_true, score, statistic=statistic)
        grouped = quietly(*columns, statistic=statistic, groups=groups)
        narrow = quietly(*columns, statistic=statistic)
        ratio = (grouped.high - grouped.low) / (once.high - once.low)
        assert 0.8 < ratio < 1.6, statistic
        assert narrow.high - narrow.low < 0.7 * (once.high - once.low)
        same = quietly(y_true, score, statistic=statistic, sample_weight=np.full(300, 3.0))
        assert (same.low, same.high) == pytest.approx((once.low, once.high), abs=0.02), statistic


def test_chi_square_quantiles_as_in_scipy():
    for degrees in (0.3, 1, 2, 7.4, 100, 1e4, 1e6):
        for level in (0.001, 0.025, 0.5, 0.975, 0.999):
            expected = stats.chi2.ppf(level, degrees)
            assert chi_square_quantile(level, degrees) == pytest.approx(expected, rel=1e-10)
    for k, n in ((0, 10), (3.5, 50.2), (0.4, 7.7), (500, 501)):
        low, high = stats.beta.ppf(0.025, k, n - k + 1), stats.beta.ppf(0.975, k + 1, n - k)
        assert binomial_interval(k, n, 0.95) == pytest.approx((np.nan_to_num(low), high), abs=1e-10)


# --- Warnings and errors ---------------------------------------------------------------------


def test_few_items_of_a_kind_warn():
    wald = partial(fa.asymptotic_interval, method="wald")
    confidence = np.arange(40) % 7
    correct = np.arange(40) % 5 > 0  # 8 incorrect
    with pytest.warns(fa.UnreliableIntervalWarning, match="there are 8 incorrect items; .* than 10"):
        wald(correct, confidence)
    with pytest.warns(fa.UnreliableIntervalWarning, match="there are 8 correct items"):
        wald(~correct, confidence)
    weight = np.where(np.arange(40) < 5, 100.0, 1.0)
    with pytest.warns(
        fa.UnreliableIntervalWarning, match="the rarer class has only 2 items of large weight"
    ):
        wald(np.arange(40) % 2, confidence, sample_weight=weight)
    with pytest.warns(fa.UnreliableIntervalWarning, match="there are 8 groups; .* than 20"):
        wald(np.arange(40) % 2, confidence, groups=np.arange(40) % 8)
    with pytest.warns(fa.UnreliableIntervalWarning, match="make up the error rate"):
        wald(np.arange(40) % 2, np.arange(40), statistic=fa.Statistic("error_rate", threshold=35))
    wald(np.arange(40) % 2, confidence)
    prevalence = np.where(
        np.arange(400) % 2, 1.0, 5.0
    )  # no item counts for more than others of its class
    wald(np.arange(400) % 2, np.arange(400) % 7, sample_weight=prevalence)


def test_few_items_that_carry_the_error_warn():
    """All but 2 of 10,000 pairs are in order: 2 items of either class say how far off that may be."""
    y_true, score = np.repeat([0, 1], 100), np.arange(200.0)
    score[99], score[98] = 100.5, 99.5
    with pytest.warns(fa.UnreliableIntervalWarning, match="estimated from effectively 2 items"):
        fa.asymptotic_interval(y_true, score, statistic="roc_auc", method="wald")


@given(sample=strategies.unweighted)
def test_what_carries_the_error_is_the_same_from_sweep_and_items(sample):
    correct, confidence, _ = sample
    statistic = fa.Statistic("arac_auc")
    spread = influence.sweep_spread(fa.threshold_sweep(correct, confidence), statistic)
    values = fa.influence_values(correct, confidence)
    if spread.standard_error > 1e-12:
        expected = np.sum(values**2) ** 2 / np.sum(values**4)
        assert spread.effective_contributors == pytest.approx(expected, rel=1e-10)
        assert 1 - 1e-12 <= spread.effective_contributors <= len(values) * (1 + 1e-12)


def test_what_is_undefined_is_nan():
    with pytest.warns(fa.UndefinedMetricWarning, match="roc_auc is undefined"):
        found = fa.asymptotic_interval([1, 1], [0.9, 0.3], statistic="roc_auc")
    assert np.isnan([found.estimate, *(found.low, found.high), found.standard_error]).all()


@pytest.mark.parametrize("level", [0, 1, -0.5, 95, math.nan, "0.95", None])
def test_bad_levels_are_refused(level):
    with pytest.raises((ValueError, TypeError), match="confidence_level must be a"):
        fa.asymptotic_interval([1, 0], [0.9, 0.3], confidence_level=level)


def test_bad_arguments_are_refused():
    columns = [1, 0], [0.9, 0.3]
    sweep = fa.threshold_sweep(*columns)
    with pytest.raises(ValueError, match="method must be one of 'auto', 'wald', 'logit', '"):
        fa.asymptotic_interval(*columns, method="log")
    with pytest.raises(ValueError, match="with method='gamma': use bootstrap, or one of arac_auc,"):
        fa.asymptotic_interval(*columns, statistic="roc_auc", method="gamma")
    with pytest.raises(ValueError, match="ThresholdSweep of weighted items"):
        fa.asymptotic_interval(fa.threshold_sweep(*columns, sample_weight=[1, 2]))
    with pytest.raises(TypeError, match="groups needs single items"):
        fa.asymptotic_interval(sweep, groups=[1, 2])
    with pytest.raises(TypeError, match="confidence cannot go with a ThresholdSweep"):
        fa.asymptotic_interval(sweep, [0.9, 0.3])
    with pytest.raises(TypeError, match="sample_weight cannot go with a ThresholdSweep"):
        fa.asymptotic_interval(sweep, sample_weight=[0.9, 0.3])
    with pytest.raises(ValueError, match="groups and confidence must have the same number"):
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
    assert (vast.low, vast.high) == pytest.approx((one.low, one.high), rel=0.02)


def test_groups_of_one_share_alike_have_an_interval():
    """No spread between the groups: as many independent items as there are, and Student's quantile."""
    correct, confidence = [1, 1, 1, 0] * 12, np.arange(48) % 4
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fa.UnreliableIntervalWarning)
        found = fa.asymptotic_interval(
            correct, confidence, statistic="recognition_rate", groups=np.arange(48) // 4
        )
    assert 0.5 < found.low < 0.75 < found.high < 0.95


def test_far_tails_of_students_t_keep_their_digits():
    for degrees in (1, 2, 3, 10, 47, 200):
        for t in (5.0, 14.6, 50.0, 1e3):
            expected = 2 * stats.t.sf(t, degrees)
            assert student_pvalue(t, degrees) == pytest.approx(expected, rel=1e-10)
    assert student_pvalue(1e300, 5) == 0.0


def test_left_out_cost_is_that_of_every_item_by_itself():
    rng = np.random.default_rng(3)
    costs = fa.VerificationCosts(verification=1, correction=2, error=20)
    statistic = fa.Statistic("cost", costs=costs)
    for n in (2, 9, 40):
        correct, confidence = rng.random(n) < 0.8, rng.integers(0, 6, n)
        total = 0.0
        for i in range(n):
            others = np.arange(n) != i
            cheapest, of_item = math.inf, []
            for threshold in (-1, *range(7)):
                accepted = confidence >= threshold
                paid = np.where(accepted, np.where(correct, 0, 20), np.where(correct, 1, 3))
                if paid[others].sum() <= cheapest:
                    of_item = of_item if paid[others].sum() == cheapest else []
                    of_item.append(paid[i])
                    cheapest = paid[others].sum()
            total += max(of_item)
        found = left_out_cost(fa.threshold_sweep(correct, confidence), statistic, len(correct))
        assert found == pytest.approx(total / n, rel=1e-12)


def test_excess_and_normalized_aurc_are_positive_by_their_logarithm():
    items = fa.synthetic.PAPER_CASES[1].sample(300, random_state=0)
    for name in ("excess_aurc", "normalized_aurc"):
        found = fa.asymptotic_interval(*items, statistic=name)
        assert found.low * found.high == pytest.approx(found.estimate**2, rel=1e-12)
        assert 0.0 < found.low < found.estimate < found.high


def test_costs_warn_of_few_accepted_errors():
    correct, confidence = np.arange(400) % 4 > 0, np.arange(400) % 4
    costs = fa.VerificationCosts(verification=1, correction=2, error=20)
    with pytest.warns(fa.UnreliableIntervalWarning, match="0 incorrect items accepted"):
        fa.asymptotic_interval(
            correct, confidence, statistic=fa.Statistic("cost", costs=costs), method="wald"
        )


@pytest.mark.parametrize(
    ("part", "of_right", "of_wrong"),
    [
        ("fpr_range", "are 3 correct items", "is 1 incorrect item inside the part"),
        ("tpr_range", "is 1 correct item inside the part", "are 3 incorrect items"),
    ],
)
def test_a_partial_area_warns_of_the_class_that_is_rare(part, of_right, of_wrong):
    confidence = np.arange(200) / 200
    rare = np.arange(200) % 70 == 20
    statistic = fa.Statistic("roc_partial_auc", **{part: (0.0, 0.5)})
    for correct, said in ((rare, of_right), (~rare, of_wrong)):
        with pytest.warns(fa.UnreliableIntervalWarning, match=f"there {said}; the interval"):
            fa.asymptotic_interval(correct, confidence, statistic=statistic, method="wald")
