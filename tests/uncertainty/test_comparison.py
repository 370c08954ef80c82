"""Paired tests: DeLong pair by pair and pROC's figures, corrections, letters, errors of type I."""

from __future__ import annotations

import itertools
import json
import math
import warnings
from operator import attrgetter

import numpy as np
import pytest
import reference_influence as slow
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from strategies import COMPILED

import fastarac as fa
from fastarac.uncertainty.adjustment import adjusted_pvalues
from fastarac.uncertainty.comparison_results import letters_of

pytestmark = pytest.mark.interpreted

ends = attrgetter("low", "high")

# seed and size of generated data, divisor of the scores; z, p-value and interval of the difference by
# pROC 1.18.5, roc.test(roc(y, a), roc(y, b), method="delong", paired=TRUE)
PROC = [
    (1, 60, 1, 1.5710968897840736, 0.11616014494718259, -0.039778894464036568, 0.36120746589260799),
    (2, 200, 1, 3.8612916377552229, 0.0001127891761404948, 0.087005960474147936, 0.26638435291616541),
    (3, 1000, 1, 4.3561325484963245, 1.3238063045553706e-05, 0.048382637176347228, 0.12753251650381831),
    (7, 40, 20, 1.8402827683463223, 0.065726733870804521, -0.016475316705263809, 0.52314198337193063),
]


def quietly(function, *arguments, **keywords):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return function(*arguments, **keywords)


def models(seed: int, n: int = 300, k: int = 3) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Models of which each is a little worse than the one before, on the same items."""
    rng = np.random.default_rng(seed)
    ease = rng.normal(size=n)
    found = {}
    for model in range(k):
        margin = ease + 0.7 * rng.normal(size=n) + 0.9 - 0.25 * model
        found[f"model {model}"] = (margin > 0, np.abs(margin) + 0.3 * rng.random(n))
    return found


# --- DeLong's test -----------------------------------------------------------------------------


@pytest.mark.parametrize(("seed", "n", "divisor", "z", "p", "low", "high"), PROC)
def test_it_has_the_figures_of_proc(seed, n, divisor, z, p, low, high):
    y_true, a, b = np.array(slow.generated(seed, n)).T
    test = fa.delong_test(y_true, a // divisor, b // divisor)
    assert test.statistic == pytest.approx(z, rel=1e-12)
    assert test.pvalue == pytest.approx(p, rel=1e-11)
    assert ends(test.interval) == pytest.approx((low, high), rel=1e-11)
    assert test.difference == pytest.approx((low + high) / 2, rel=1e-11)


@st.composite
def scored(draw):
    n = draw(st.integers(4, 14))
    y_true = draw(st.permutations([1, 1, 0, 0] + [k % 2 for k in range(n - 4)]))
    scores = [draw(st.lists(st.integers(0, 5), min_size=n, max_size=n)) for _ in range(2)]
    return y_true, *scores


@given(data=scored())
def test_it_is_delongs_formula_pair_by_pair(data):
    y_true, a, b = data
    areas, covariance = slow.delong(list(y_true), [a, b])
    variance = covariance[0][0] + covariance[1][1] - 2 * covariance[0][1]
    test = quietly(fa.delong_test, y_true, a, b)
    assert test.difference == pytest.approx(float(areas[0] - areas[1]), abs=1e-15)
    if variance:
        z = float(areas[0] - areas[1]) / math.sqrt(variance)
        assert test.statistic == pytest.approx(z, rel=1e-12, abs=1e-14)
        assert test.pvalue == pytest.approx(2 * stats.norm.sf(abs(z)), rel=1e-11)
    low, high = ends(test.interval)
    assert -1.0 <= low <= test.difference <= high <= 1.0
    assert low < high


@given(data=scored())
def test_exchanging_the_scores_changes_the_sign_alone(data):
    y_true, a, b = data
    test, other = quietly(fa.delong_test, y_true, a, b), quietly(fa.delong_test, y_true, b, a)
    assert other.difference == -test.difference
    assert other.statistic == -test.statistic
    np.testing.assert_equal(other.pvalue, test.pvalue)
    assert ends(other.interval) == pytest.approx([-x for x in ends(test.interval)[::-1]])


def test_tiny_p_values_are_not_rounded_away():
    y_true, a, b = np.array(slow.generated(1, 2000)).T
    test = fa.delong_test(y_true, a + 6 * y_true, b - 30 * y_true)
    assert 1e-300 < test.pvalue < 1e-100
    assert test.pvalue == pytest.approx(2 * stats.norm.sf(test.statistic), rel=1e-9)


def test_scores_of_one_order_do_not_differ_and_are_not_certain_to_be_the_same():
    y_true, a, _ = np.array(slow.generated(2, 200)).T
    with pytest.warns(fa.UnreliableIntervalWarning, match="in the same way"):
        test = fa.delong_test(y_true, a, np.exp(a / 100))
    assert (test.statistic, test.pvalue, test.difference) == (0.0, 1.0, 0.0)
    low, high = ends(test.interval)
    assert low < 0.0 < high


def test_a_difference_without_spread_has_no_p_value():
    y_true = np.arange(40) < 20
    with pytest.warns(fa.UnreliableIntervalWarning):
        test = fa.delong_test(y_true, y_true, ~y_true)
    assert test.difference == 1.0
    assert test.statistic == math.inf
    assert math.isnan(test.pvalue)
    assert 0.3 < test.interval.low < test.interval.high == 1.0


def test_few_items_of_a_class_warn():
    y_true, a, b = np.array(slow.generated(1, 20)).T
    with pytest.warns(
        fa.UnreliableIntervalWarning, match=f"there are {sum(y_true)} items of one class"
    ):
        fa.delong_test(y_true, a, b)


def test_with_groups_it_warns_as_comparisons_do():
    """By Student's law few groups, or few items of a class, keep the level."""
    rng = np.random.default_rng(4)
    positive, scores = np.arange(60) % 20 == 0, rng.random((2, 60))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fa.delong_test(positive, *scores, groups=np.arange(60) % 5)
    for labels, groups, said in (
        (positive, 4, "there are 4 groups; intervals are unreliable with fewer than 5"),
        (
            np.arange(60) == 7,
            6,
            "there is 1 item of one class; the test is unreliable with fewer than 2",
        ),
    ):
        with pytest.warns(fa.UnreliableIntervalWarning, match=said):
            fa.delong_test(labels, *scores, groups=np.arange(60) % groups)
    with pytest.warns(fa.UnreliableIntervalWarning, match="3 items of one class; .* than 10"):
        fa.delong_test(positive, *scores)


def test_few_items_that_carry_the_difference_warn():
    y_true, score = np.repeat([0, 1], 100), np.arange(200.0)
    other = score.copy()
    other[99], other[98] = 100.5, 99.5
    with pytest.warns(fa.UnreliableIntervalWarning, match="estimated from effectively 2 items"):
        fa.delong_test(y_true, score, other)


def test_delongs_test_refuses_bad_input():
    with pytest.warns(fa.UndefinedMetricWarning, match="ROC-AUC is undefined"):
        test = fa.delong_test([1, 1], [0.1, 0.2], [0.3, 0.1])
    assert np.isnan([*test[:3], *ends(test.interval)]).all()
    with pytest.raises(ValueError, match="y_true and score_b must have the same number of"):
        fa.delong_test([1, 0, 1], [0.1, 0.2, 0.3], [0.3, 0.1])
    with pytest.raises(ValueError, match=r"score_a\[1\] must .*got nan"):
        fa.delong_test([1, 0], [0.1, math.nan], [0.3, 0.1])
    with pytest.raises(ValueError, match="confidence_level must be a number strictly"):
        fa.delong_test([1, 0], [0.1, 0.2], [0.3, 0.1], confidence_level=2)


# --- Several models ----------------------------------------------------------------------------


def test_the_roc_auc_of_the_same_labels_is_delongs_test():
    y_true, a, b = np.array(slow.generated(2, 200)).T
    pair = fa.compare_models({"a": (y_true, a), "b": (y_true, b)}, statistic="roc_auc").pair("a", "b")
    test = fa.delong_test(y_true, a, b)
    assert pair.difference == test.difference
    assert pair.standard_error == test.interval.standard_error
    degrees = min(sum(y_true), 200 - sum(y_true)) - 1
    assert pair.pvalue == pytest.approx(2 * stats.t.sf(abs(test.statistic), degrees), rel=1e-10)


@pytest.mark.parametrize("statistic", ["arac_auc", "recognition_rate", "aurc", "average_precision"])
def test_errors_of_differences_are_those_of_the_differences_of_the_influence(statistic):
    columns = models(1)
    comparison = quietly(fa.compare_models, columns, statistic=statistic)
    values = {name: fa.influence_values(*pair, statistic=statistic) for name, pair in columns.items()}
    for pair in comparison.pairs:
        contributions = values[pair.a] - values[pair.b]
        error = np.std(contributions, ddof=1) / math.sqrt(300)
        assert pair.standard_error == pytest.approx(error, rel=1e-12)
        estimates = [
            fa.asymptotic_interval(*columns[name], statistic=statistic).estimate
            for name in (pair.a, pair.b)
        ]
        assert pair.difference == estimates[0] - estimates[1]
        contributors = np.sum(contributions**2) ** 2 / np.sum(contributions**4)
        degrees = [2 * contributors / (1 - contributors / 300) - (statistic == "recognition_rate")]
        if statistic in ("roc_auc", "normalized_arac_auc"):
            degrees = [
                min(sum(columns[name][0]), 300 - sum(columns[name][0])) - 1 for name in (pair.a, pair.b)
            ]
        degrees = math.floor(min(degrees)) if min(degrees) <= 200 else min(degrees)
        expected = 2 * stats.t.sf(abs(pair.difference) / error, degrees)
        assert pair.pvalue == pytest.approx(expected, rel=1e-10)
    for name, interval in zip(comparison.names, comparison.intervals, strict=True):
        alone = fa.asymptotic_interval(*columns[name], statistic=statistic)
        assert ends(interval) == pytest.approx(ends(alone), rel=1e-12)


def test_mcnemars_case():
    """Two recognition rates differ by the discordant items alone."""
    columns = models(2, k=2)
    right, wrong = (columns[name][0] for name in columns)
    b, c = int(np.sum(right & ~wrong)), int(np.sum(~right & wrong))
    pair = fa.compare_models(columns, statistic="recognition_rate").pair(*columns)
    variance = ((b + c) / 300 - ((b - c) / 300) ** 2) / 299
    assert pair.difference == pytest.approx((b - c) / 300, rel=1e-14)
    assert pair.standard_error == pytest.approx(math.sqrt(variance), rel=1e-12)


@pytest.mark.parametrize("statistic", ["arac_auc", "aurc"])
def test_bootstrap_and_influence_agree(statistic):
    resamples = 2000 if COMPILED else 60
    columns = models(3)
    asymptotic = fa.compare_models(columns, statistic=statistic)
    bootstrap = fa.compare_models(
        columns, statistic=statistic, method="bootstrap", n_resamples=resamples, random_state=0
    )
    tolerance = 0.08 if COMPILED else 0.5
    np.testing.assert_array_equal(bootstrap.estimates, asymptotic.estimates)
    for a, b in zip(bootstrap.intervals, asymptotic.intervals, strict=True):
        assert a.standard_error == pytest.approx(b.standard_error, rel=tolerance)
    for a, b in zip(bootstrap.pairs, asymptotic.pairs, strict=True):
        assert a.standard_error == pytest.approx(b.standard_error, rel=tolerance)
        assert a.difference == b.difference
        low, high = ends(a.interval)
        assert low < a.difference < high
        if COMPILED:
            assert ends(a.interval) == pytest.approx(ends(b.interval), abs=0.6 * b.standard_error)
    if COMPILED:
        np.testing.assert_allclose(bootstrap.share_of_best, asymptotic.share_of_best, atol=0.05)


@pytest.mark.parametrize("grouped", [False, True])
def test_a_model_has_one_interval_at_a_limit(grouped):
    columns, statistic = (
        models(4, n=200, k=2),
        fa.Statistic("acceptance_at_error_rate", max_error_rate=0.1),
    )
    groups = np.arange(200) // 10 if grouped else None
    found = fa.compare_models(
        columns, statistic=statistic, method="bootstrap", n_resamples=40, random_state=0, groups=groups
    )
    for name, interval in zip(found.names, found.intervals, strict=True):
        alone = fa.asymptotic_interval(*columns[name], statistic=statistic, groups=groups)
        assert (interval.method, *ends(interval)) == ("inversion", *ends(alone))
        assert interval.standard_error > 0.0  # of the resamples


def test_groups_and_weights_reach_both_methods():
    columns = models(4, n=200, k=2)
    triple = {name: tuple(np.repeat(x, 3) for x in pair) for name, pair in columns.items()}
    groups, weight = np.repeat(np.arange(200), 3), np.tile([1.0, 0.0, 1.0], 200)
    once = fa.compare_models(columns).pairs[0]
    grouped = fa.compare_models(triple, groups=groups, sample_weight=weight).pairs[0]
    assert grouped.difference == pytest.approx(once.difference, rel=1e-12)
    assert grouped.standard_error == pytest.approx(once.standard_error, rel=1e-12)
    resamples = 1500 if COMPILED else 40
    options = {"method": "bootstrap", "n_resamples": resamples, "random_state": 1}
    resampled = fa.compare_models(triple, groups=groups, sample_weight=weight, **options).pairs[0]
    assert resampled.standard_error == pytest.approx(once.standard_error, rel=0.1 if COMPILED else 0.5)


def test_the_bootstrap_depends_on_its_random_state_alone(monkeypatch):
    options = {"method": "bootstrap", "n_resamples": 300 if COMPILED else 20}
    found = []
    for threads in ("1", "3"):
        monkeypatch.setenv("FASTARAC_NUM_THREADS", threads)
        found.append(fa.compare_models(models(5), random_state=7, **options).to_dict())
    assert found[0] == found[1]
    assert fa.compare_models(models(5), random_state=8, **options).to_dict() != found[0]


def test_how_sure_a_model_is_the_best():
    columns = models(6, k=2)
    two = fa.compare_models(columns)
    pair = two.pairs[0]
    expected = stats.norm.cdf(pair.difference / pair.standard_error)
    assert two.share_of_best == pytest.approx((expected, 1 - expected), rel=1e-12)
    three = fa.compare_models(models(6))
    assert sum(three.share_of_best) == pytest.approx(1.0)
    assert fa.compare_models(models(6)) == three
    losses = fa.compare_models(columns, statistic="augrc")
    assert losses.share_of_best == pytest.approx(two.share_of_best, rel=1e-9)
    assert losses.letters == two.letters


@pytest.mark.parametrize("method", ["asymptotic", "bootstrap"])
def test_models_that_are_the_same_share_everything(method):
    columns = models(7, k=2)
    columns["again"] = columns["model 0"]
    reason = "no item tells 'model 0' and 'again' apart|'model 0' and 'again' differ by the same"
    with pytest.warns(fa.UnreliableIntervalWarning, match=reason):
        comparison = fa.compare_models(columns, method=method, random_state=0, n_resamples=50)
    pair = comparison.pair("model 0", "again")
    assert (pair.difference, pair.pvalue) == (0.0, 1.0)
    assert pair.interval.low < 0.0 < pair.interval.high
    first, _, again = comparison.share_of_best
    assert first == pytest.approx(again, abs=1e-12)
    assert set(comparison.letters[0]) == set(comparison.letters[2])


def test_what_is_shown_and_stored():
    comparison = fa.compare_models(models(8), statistic=fa.Statistic("normalized_arac_auc", gamma=0.5))
    text = str(comparison)
    assert text.count("model 0") == 3
    assert "95% interval" in text
    assert "p (holm)" in text
    stored = json.loads(json.dumps(comparison.to_dict(), allow_nan=False))
    assert stored["statistic"] == "normalized_arac_auc"
    assert stored["gamma"] == 0.5
    assert stored["model"] == ["model 0", "model 1", "model 2"]
    assert stored["pairs_pvalue"][0] == comparison.pairs[0].pvalue
    turned, straight = comparison.pair("model 1", "model 0"), comparison.pair("model 0", "model 1")
    assert turned.difference == -straight.difference
    assert turned.interval.low == -straight.interval.high
    with pytest.raises(KeyError, match="'x' and 'model 0' were not compared"):
        comparison.pair("x", "model 0")


# --- Corrections and letters -------------------------------------------------------------------


@given(pvalues=st.lists(st.floats(0, 1), min_size=1, max_size=5))
def test_holm_is_the_closed_test(pvalues):
    assert adjusted_pvalues(pvalues, "holm") == pytest.approx(slow.holm(pvalues), rel=1e-14)
    assert adjusted_pvalues(pvalues, "bonferroni") == [min(1.0, len(pvalues) * p) for p in pvalues]
    assert adjusted_pvalues(pvalues, None) == pvalues


def test_an_undefined_test_stays_undefined_and_counts():
    found = adjusted_pvalues([0.01, math.nan, 0.02], "holm")
    assert found[0] == pytest.approx(0.03)
    assert math.isnan(found[1])
    assert found[2] == pytest.approx(0.04)


@st.composite
def graphs(draw):
    k = draw(st.integers(2, 7))
    pairs = list(itertools.combinations(range(k), 2))
    differing = {pair for pair in pairs if draw(st.booleans())}
    return draw(st.permutations(range(k))), differing


@pytest.mark.slow
@given(graph=graphs())
@settings(max_examples=200)
def test_models_share_a_letter_iff_they_do_not_differ(graph):
    order, differing = graph
    letters = letters_of(order, differing)
    for a, b in itertools.combinations(range(len(order)), 2):
        assert bool(set(letters[a]) & set(letters[b])) == ((a, b) not in differing)
    assert "a" in letters[order[0]]
    for letter in set("".join(letters)):  # none could be left out for another
        members = {k for k in range(len(order)) if letter in letters[k]}
        for other in set("".join(letters)) - {letter}:
            assert not members <= {k for k in range(len(order)) if other in letters[k]}


# --- Errors and warnings -----------------------------------------------------------------------


def test_models_of_other_items_are_refused():
    a = ([1, 0, 1], [0.9, 0.5, 0.1])
    with pytest.raises(TypeError, match=": a ThresholdSweep does not tell which item is which"):
        fa.compare_models({"a": a, "b": fa.threshold_sweep(*a)})
    with pytest.raises(ValueError, match="'a' has 3 items and model 'b' has 2"):
        fa.compare_models({"a": a, "b": ([1, 0], [0.2, 0.1])})
    with pytest.raises(ValueError, match="ids of 'a' and 'b' differ at 1: 7 and 8"):
        fa.compare_models({"a": (*a, [5, 7, 9]), "b": (*a, [5, 8, 9])})
    with pytest.raises(ValueError, match="only one of 'a' and 'b' has ids"):
        fa.compare_models({"a": (*a, [5, 7, 9]), "b": a})
    with pytest.raises(ValueError, match=r"ids of 'b' must have shape \(3,\), got \(2,\)"):
        fa.compare_models({"a": (*a, [5, 7, 9]), "b": (*a, [5, 8])})
    same = {"a": (*a, ["x", "y", "z"]), "b": (a[0], a[1][::-1], ["x", "y", "z"])}
    assert quietly(fa.compare_models, same).n == 3


def test_bad_arguments_are_refused():
    columns = models(9, n=30, k=2)
    with pytest.raises(TypeError, match="models must be a mapping"):
        fa.compare_models(list(columns.values()))
    with pytest.raises(ValueError, match="models must have at least 2 entries, got 1"):
        fa.compare_models({"a": columns["model 0"]})
    with pytest.raises(TypeError, match=r"'b' is not \(correct, confidence\)"):
        fa.compare_models({**columns, "b": ([1, 0],)})
    with pytest.raises(TypeError, match="models must have names of type str, got"):
        fa.compare_models({**columns, 3: columns["model 0"]})
    with pytest.raises(ValueError, match="', got 'exact'"):
        fa.compare_models(columns, method="exact")
    with pytest.raises(ValueError, match="correction must be one of 'holm', 'bonferroni',"):
        fa.compare_models(columns, correction="none")
    with pytest.raises(ValueError, match="has no influence values"):
        fa.compare_models(columns, statistic="equal_error_rate")
    with pytest.raises(ValueError, match=r"models\['b'\]: confidence\[0\] must be a finite"):
        fa.compare_models({**columns, "b": (np.ones(30), np.full(30, math.nan))})
    with pytest.raises(ValueError, match="n_resamples must be an integer of at least 2,"):
        fa.compare_models(columns, method="bootstrap", n_resamples=1)


@pytest.mark.parametrize("method", ["asymptotic", "bootstrap"])
def test_perfect_models_are_never_certain(method):
    columns = {name: (np.ones(100), np.arange(100)) for name in "ab"}
    with pytest.warns(fa.UnreliableIntervalWarning, match="no item tells|in all resamples"):
        comparison = fa.compare_models(columns, method=method, n_resamples=20)
    assert comparison.share_of_best == (0.5, 0.5)
    for interval in (*comparison.intervals, comparison.pairs[0].interval):
        assert interval.high - interval.low > 0.02


@pytest.mark.parametrize("n", [300, 3000])
def test_five_items_that_differ_are_no_difference(n):
    """McNemar's exact p-value is 0.0625 of five that are all for one model, and 0.03125 of six."""
    correct, confidence = np.arange(n) % 10 > 0, np.arange(n)
    for differing, found in ((5, False), (6, True)):
        other = correct & ~np.isin(np.arange(n), np.flatnonzero(correct)[:differing])
        models = {"a": (correct, confidence), "b": (other, confidence)}
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            pair = fa.compare_models(models, statistic="recognition_rate").pairs[0]
        assert (pair.pvalue < 0.05) == found


def test_what_is_not_to_be_relied_on_warns():
    columns = models(10, n=30, k=2)
    columns["perfect"] = (np.ones(30), np.arange(30))
    with pytest.warns(fa.UnreliableIntervalWarning, match="'perfect' has 0 incorrect items; its diff"):
        found = fa.compare_models(columns, statistic="normalized_arac_auc")
    assert found.notes == ()
    with pytest.warns(fa.UnreliableIntervalWarning, match="there are 4 groups; differences are"):
        found = fa.compare_models(columns, groups=np.arange(30) % 4)
    assert "'perfect': there are 4 groups" in found.notes[-1]
    assert found.notes[-1].split()[0] in str(found)
    assert found.to_dict()["notes"] == list(found.notes)
    assert fa.compare_models(models(1, n=2000, k=2)).notes == ()
    with pytest.warns(fa.UndefinedMetricWarning, match="roc_auc is undefined"):
        comparison = quietly_unreliable(
            {"a": (np.ones(9), np.arange(9)), "b": (np.arange(9) % 2, np.arange(9))}
        )
    assert math.isnan(comparison.estimates[0])
    assert comparison.to_dict()["estimate"][0] is None
    assert comparison.to_dict()["pairs_pvalue"][0] is None


def test_few_errors_of_one_model_few_groups_and_heavy_items_warn():
    correct, confidence = models(10)["model 0"]
    nearly = np.arange(300) != 5
    weight = np.where(np.arange(300) < 20, 100.0, 1.0)
    for options, said in (
        ({"models": {"a": (nearly, confidence)}}, "'a' has 1 incorrect item; its differences"),
        (
            {"groups": np.arange(300) % 4},
            "'b': there are 4 groups; differences are unreliable with fewer than 5",
        ),
        ({"sample_weight": weight}, "items of large weight in the rarer class"),
    ):
        columns = {"b": (correct, confidence), "c": (np.roll(correct, 1), confidence)}
        columns |= options.pop("models", {})
        with pytest.warns(fa.UnreliableIntervalWarning, match=said):
            fa.compare_models(columns, **options)


def quietly_unreliable(columns):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fa.UnreliableIntervalWarning)
        warnings.simplefilter("default", fa.UndefinedMetricWarning)
        return fa.compare_models(columns, statistic="roc_auc")


# --- Errors of type I --------------------------------------------------------------------------


def same_law(rng, n):
    ease = rng.normal(size=n) + 0.8
    columns = {}
    for name in "ab":
        margin = ease + rng.normal(size=n)
        columns[name] = (margin > 0, np.abs(margin) + rng.normal(size=n))
    return columns


def rejections(samples, n, seed, **options):
    """How many of so many pairs of models of the same law differ at 5%."""
    rng = np.random.default_rng(seed)
    return sum(
        quietly(fa.compare_models, same_law(rng, n), **options).pairs[0].pvalue <= 0.05
        for _ in range(samples)
    )


def within_chance(count, samples, share=0.05):
    """Whether so many rejections are within 99.9% of the binomial law of that share."""
    low, high = stats.binom.interval(0.999, samples, share)
    return low <= count <= high


@pytest.mark.slow
@pytest.mark.parametrize("statistic", ["arac_auc", "roc_auc", "recognition_rate"])
def test_models_of_the_same_law_are_rarely_told_apart(statistic):
    """At 5%, of 500 pairs of 200 items: 11 to 42 by the binomial law."""
    samples, n = (500, 200) if COMPILED else (20, 100)
    assert within_chance(rejections(samples, n, 11, statistic=statistic), samples)


def test_the_p_value_of_the_bootstrap_counts_both_sides():
    rng = np.random.default_rng(5)
    n = 400 if COMPILED else 260
    columns = {
        name: (rng.random(n) < share, rng.random(n)) for name, share in (("a", 0.95), ("b", 0.5))
    }
    found = fa.compare_models(columns, method="bootstrap", n_resamples=199, random_state=0)
    pair = found.pairs[0]  # no resample has the order reversed
    z = pair.difference / pair.interval.standard_error
    assert pair.pvalue == pytest.approx(2.0 * stats.t.sf(z, 10), rel=1e-9)
    assert pair.pvalue < 2 / 200


@pytest.mark.slow
def test_models_of_the_same_law_are_rarely_told_apart_by_the_bootstrap():
    """At 5%, of 250 pairs of 100 items: 3 to 25 by the binomial law."""
    samples, n, resamples = (250, 100, 199) if COMPILED else (5, 40, 59)
    options = {"method": "bootstrap", "n_resamples": resamples, "random_state": 0}
    assert within_chance(rejections(samples, n, 12, **options), samples)


def test_parameters_of_numpys_types_can_be_stored():
    columns = {"a": ([1, 0, 1, 1], [4, 3, 2, 1]), "b": ([1, 1, 0, 1], [4, 3, 2, 1])}
    statistic = fa.Statistic("acceptance_rate", threshold=np.int64(3))
    stored = quietly(fa.compare_models, columns, statistic=statistic).to_dict()
    assert json.loads(json.dumps(stored))["threshold"] == 3


@pytest.mark.slow
def test_equal_scores_are_told_apart_seldom():
    """With 6 incorrect items: at 5% by Student's t, more often by DeLong's normal law, as it says."""
    rng, samples = np.random.default_rng(0), 600 if COMPILED else 10
    y_true, found = np.arange(300) >= 6, {"t": 0, "delong": 0}
    for _ in range(samples):
        shared = rng.normal(size=300) + 1.5 * y_true
        a, b = shared + rng.normal(size=(2, 300))
        comparison = quietly(
            fa.compare_models, {"a": (y_true, a), "b": (y_true, b)}, statistic="roc_auc"
        )
        found["t"] += comparison.pairs[0].pvalue < 0.05
        found["delong"] += quietly(fa.delong_test, y_true, a, b).pvalue < 0.05
    most = samples * (0.05 + 2 * math.sqrt(0.05 * 0.95 / samples))
    assert found["t"] <= most
    if COMPILED:
        assert found["delong"] > most


@pytest.mark.slow
def test_five_equal_models_are_told_apart_seldom():
    """By letters, which say the same as Holm's p-values."""
    rng, samples, apart = np.random.default_rng(1), 40 if COMPILED else 2, 0
    for _ in range(samples):
        hard, columns = rng.normal(size=300), {}
        for name in "abcde":
            z = 2.0 + hard + rng.normal(size=300)
            columns[name] = rng.random(300) < 1 / (1 + np.exp(-z)), z
        found = quietly(fa.compare_models, columns, random_state=0)
        letters = [set(text) for text in found.letters]
        differ = any(not a & b for a in letters for b in letters)
        assert differ == any(pair.adjusted_pvalue < 0.05 for pair in found.pairs)
        apart += differ
    assert apart <= samples * (0.05 + 2 * math.sqrt(0.05 * 0.95 / samples))


@pytest.mark.parametrize("kind", ["incorrect", "correct"])
def test_one_item_of_a_class_is_named_as_the_reason(kind):
    """The scores put the items in different orders, but one item shows no variance."""
    right = np.array([kind == "incorrect"] * 12 + [kind != "incorrect"])
    a = np.linspace(0.9, 0.1, 13)
    b = a.copy()
    b[[3, 12]] = b[[12, 3]]
    reason = f"only one {kind} item, so the variance of {{}} cannot be estimated"
    with pytest.warns(fa.UnreliableIntervalWarning, match=reason.format("ROC-AUC")) as caught:
        found = fa.delong_test(right, a, b)
    assert not any("same order" in str(each.message) for each in caught)
    assert math.isnan(found.pvalue)
    with pytest.warns(fa.UnreliableIntervalWarning, match=reason.format("roc_auc")):
        fa.asymptotic_interval(right, b, statistic="roc_auc", method="wald")
    with pytest.warns(fa.UnreliableIntervalWarning, match="so the variance of roc_auc cannot be"):
        fa.compare_models({"a": (right, a), "b": (right, b)}, statistic="roc_auc")
    with pytest.warns(fa.UnreliableIntervalWarning, match="there is 1 group") as caught:
        fa.delong_test(right, a, b, groups=np.zeros(13))
    assert not any("same order" in str(each.message) for each in caught)


def test_one_item_is_named_as_the_reason():
    with pytest.warns(fa.UnreliableIntervalWarning, match="only one item, so the variance of arac_auc"):
        fa.asymptotic_interval([1], [0.5], method="wald")
