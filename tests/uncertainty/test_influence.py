"""Influence values against derivatives with fractions, and what variances are made of."""

from __future__ import annotations

import warnings
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
import reference as ref
import reference_influence as slow
import register
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import COMPILED

import fastarac as fa
from fastarac._core.shared_results import shared, shared_results
from fastarac.uncertainty import influence
from fastarac.uncertainty.influence import point_influence, standard_error

pytestmark = pytest.mark.interpreted

Statistic = fa.Statistic


STATISTICS = [
    (Statistic("recognition_rate"), ref.recognition_rate),
    (Statistic("arac_auc"), ref.arac_auc),
    (Statistic("augrc"), ref.augrc),
    (Statistic("normalized_arac_auc"), lambda items: ref.arac_area(items).normalized),
    (Statistic("normalized_arac_auc", gamma=0.3), lambda items: ref.arac_area(items, 0.3).normalized),
    (Statistic("normalized_arac_auc", gamma=0), lambda items: ref.arac_area(items, 0).normalized),
    (Statistic("roc_auc"), ref.roc_auc),
    *(
        (Statistic(name, estimator=estimator), partial(function, estimator=estimator))
        for name, function in (("arp_auc", ref.arp_auc), ("aurc", ref.aurc))
        for estimator in ("trapezoid", "exact")
    ),
    (
        Statistic("normalized_arp_auc", gamma=2.5, estimator="exact"),
        lambda items: ref.arp_area(items, 2.5, "exact").normalized,
    ),
    (Statistic("normalized_arp_auc"), lambda items: ref.arp_area(items).normalized),
    *(
        (
            Statistic(name, estimator=estimator, optimum="asymptotic"),
            partial(function, estimator=estimator, optimum="asymptotic"),
        )
        for name, function in (
            ("excess_aurc", ref.excess_aurc),
            ("normalized_aurc", ref.normalized_aurc),
        )
        for estimator in ("trapezoid", "exact")
    ),
    *(
        (Statistic("pr_auc", interpolation=way), partial(ref.pr_auc, interpolation=way))
        for way in ("davis-goadrich", "linear", "step")
    ),
    (Statistic("average_precision"), partial(ref.pr_auc, interpolation="step")),
    # ends that no sum of small weights falls on, where the partial area has a corner
    (
        Statistic("arac_partial_auc", acceptance_range=(0.2371, 0.7713)),
        partial(ref.arac_partial_by_acceptance, low=0.2371, high=0.7713),
    ),
    (
        Statistic("arac_partial_auc", acceptance_range=(0, 1)),
        partial(ref.arac_partial_by_acceptance, low=0, high=1),
    ),
    (
        Statistic("arac_partial_auc", max_error_rate=0.1237),
        partial(ref.arac_partial_by_error_rate, limit=0.1237),
    ),
    *(
        (
            Statistic(
                "roc_partial_auc", standardize=standardize, **{f"{axis}_range": (0.1037, 0.6713)}
            ),
            partial(ref.roc_partial, axis=axis, low=0.1037, high=0.6713, standardize=standardize),
        )
        for axis in ("fpr", "tpr")
        for standardize in (None, "mcclish")
    ),
    *(
        (Statistic(name, threshold=0.5), partial(entry.value, threshold=0.5))
        for name, entry in register.AT_THRESHOLD.items()
    ),
]
TOGETHER = 6  # statistics of a sample, which takes longer to make than a statistic to evaluate
SOME = pytest.mark.parametrize("first", range(0, len(STATISTICS), TOGETHER))


@st.composite
def few(draw, weight=None):
    """Up to eight items with ties, below and above 0.5."""
    n = draw(st.integers(2, 8))
    correct = np.array(draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)))
    confidence = np.array(draw(st.lists(st.integers(0, 7), min_size=n, max_size=n))) / 7
    if weight is None:
        return strategies.Sample(correct, confidence)
    weights = np.array(draw(st.lists(weight, min_size=n, max_size=n)))
    if not weights.any():
        weights[draw(st.integers(0, n - 1))] = 3.0
    return strategies.Sample(correct, confidence, weights)


def compare(sample, statistic, definition):
    items = ref.to_items(sample.correct, sample.confidence, sample.sample_weight)
    sweep = fa.threshold_sweep(sample.correct, sample.confidence, **sample.weighted)
    expected_value = definition(items)
    influence = point_influence(sweep, statistic)
    if expected_value is None or (
        statistic.name in {"risk", "precision"} and not sweep.at(0.5)[0] + sweep.at(0.5)[1]
    ):
        assert np.isnan(influence.correct).all()
        assert np.isnan(influence.incorrect).all()
        return
    if expected_value == Fraction(1, 2) and "standardize" in dict(statistic.parameters):
        return  # undefined on one side, so that no difference quotient exists
    if statistic.name == "normalized_arac_auc" and sweep.n_incorrect == 0:
        assert not influence.correct.any()
        return
    if statistic.name == "normalized_arp_auc" and sweep.n_incorrect == 0:
        assert not influence.correct.any()
        return
    if statistic.name == "excess_aurc" and sweep.n_correct == 0:
        assert not influence.incorrect.any()
        return
    expected = [float(value) for value in slow.influence_values(items, definition)]
    place = {float(t): k for k, t in enumerate(sweep.thresholds[1:])}
    found = [
        (influence.correct if item.correct else influence.incorrect)[place[float(item.confidence)]]
        for item in items
    ]
    scale = max(1.0, *map(abs, expected))
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10 * scale, err_msg=repr(statistic))


@pytest.mark.compiled
@SOME
@settings(max_examples=30)
@given(sample=few() | few(weight=st.sampled_from([0.0, 0.37, 1.0, 2.9])))
def test_it_is_the_derivative_by_the_weight_of_an_item(first, sample):
    for statistic, definition in STATISTICS[first : first + TOGETHER]:
        compare(sample, statistic, definition)


@given(sample=few())
def test_the_mean_over_items_has_the_influence_of_its_limit(sample):
    sweep = fa.threshold_sweep(*sample[:2])
    found = point_influence(sweep, Statistic("arp_auc", estimator="mean"))
    expected = point_influence(sweep, Statistic("arp_auc", estimator="exact"))
    np.testing.assert_array_equal(found.correct, expected.correct)
    np.testing.assert_array_equal(found.incorrect, expected.incorrect)


@pytest.mark.compiled
@SOME
@settings(max_examples=15)
@given(sample=strategies.items)
def test_the_sample_variance_over_n_is_the_squared_error(first, sample):
    for statistic, _ in STATISTICS[first : first + TOGETHER]:
        compare_with_the_variance(statistic, *sample)


def compare_with_the_variance(statistic, correct, confidence, weight):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        values = fa.influence_values(correct, confidence, statistic=statistic, sample_weight=weight)
        interval = fa.asymptotic_interval(
            correct, confidence, statistic=statistic, sample_weight=weight
        )
    n = len(values)
    error = interval.standard_error
    if np.isnan(error):
        with np.errstate(all="ignore"):
            assert n == 1 or np.isnan(np.var(values, ddof=1))
        return
    size = np.abs(values).max()
    assert abs(values.mean()) <= 1e-11 * max(size, 1.0)
    assert np.sqrt(np.var(values, ddof=1) / n) == pytest.approx(
        error, rel=1e-9, abs=1e-14 + 1e-12 * size
    )


@given(sample=few(), seed=st.integers(0, 100))
def test_items_keep_their_values_in_any_order(sample, seed):
    order = np.random.default_rng(seed).permutation(len(sample.correct))
    values = fa.influence_values(*sample[:2])
    np.testing.assert_array_equal(fa.influence_values(*sample.take(order)[:2]), values[order])


@given(sample=few(weight=st.sampled_from([0.0, 0.5, 1.0, 2.0])))
def test_the_sandwich_and_items_of_weight_zero(sample):
    correct, confidence, weight = sample
    present = weight > 0
    if present.sum() < 2:
        return
    items = ref.to_items(correct, confidence, weight)
    expected = float(slow.squared_error(items, slow.influence_values(items, ref.arac_auc))) ** 0.5
    values = fa.influence_values(correct, confidence, sample_weight=weight)
    assert not values[~present].any()
    n = len(values)
    assert np.sqrt(np.var(values, ddof=1) / n) == pytest.approx(expected, rel=1e-12, abs=1e-15)
    without = fa.influence_values(correct[present], confidence[present], sample_weight=weight[present])
    ratio = np.sqrt(n * (n - 1) / (len(without) * (len(without) - 1)))
    np.testing.assert_allclose(values[present], ratio * without, rtol=1e-13)


@given(sample=few(weight=st.sampled_from([1.0, 3.0])))
def test_equal_weights_are_no_weights(sample):
    correct, confidence, _ = sample
    for statistic in ("arac_auc", "roc_auc"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", fa.UndefinedMetricWarning)
            plain = fa.influence_values(correct, confidence, statistic=statistic)
            weighted = fa.influence_values(
                correct, confidence, statistic=statistic, sample_weight=np.full(len(correct), 2.0)
            )
        np.testing.assert_allclose(weighted, plain, rtol=1e-13, atol=1e-15)


@given(sample=few())
def test_the_roc_auc_has_delongs_variance(sample):
    correct, confidence, _ = sample
    if min(correct.sum(), len(correct) - correct.sum()) < 2:
        return
    _, covariances = slow.delong(correct.tolist(), [confidence.tolist()])
    values = fa.influence_values(correct, confidence, statistic="roc_auc")
    assert np.var(values, ddof=1) / len(values) == pytest.approx(float(covariances[0][0]), rel=1e-12)


def test_one_item_of_a_class_says_nothing_about_its_spread():
    values = fa.influence_values([1, 0, 0, 0], [0.9, 0.3, 0.2, 0.95], statistic="roc_auc")
    assert np.isnan(values[0])
    assert np.isfinite(values[1:]).all()
    assert np.isnan(fa.influence_values([1], [0.5])).all()


def test_what_is_undefined_is_nan_and_warns():
    with pytest.warns(fa.UndefinedMetricWarning, match="roc_auc is undefined"):
        values = fa.influence_values([1, 1, 1], [0.9, 0.3, 0.2], statistic="roc_auc")
    assert np.isnan(values).all()


def test_statistics_without_influence_are_refused_with_those_that_have_one():
    with pytest.raises(
        ValueError, match=r"'equal_error_rate' has no influence values.*use bootstrap.*arac_auc"
    ):
        fa.influence_values([1, 0], [0.9, 0.3], statistic="equal_error_rate")
    with pytest.raises(ValueError, match=r"'equal_error_rate' .* because it has no influence values"):
        fa.asymptotic_interval([1, 0], [0.9, 0.3], statistic="equal_error_rate")


def test_bad_input_is_refused():
    sweep = fa.threshold_sweep([1, 0], [0.9, 0.3])
    with pytest.raises(TypeError, match="correct is a ThresholdSweep, which has no items"):
        fa.influence_values(sweep, None)
    with pytest.raises(TypeError, match="confidence is missing"):
        fa.influence_values([1, 0], None)
    with pytest.raises(ValueError, match=r"correct\[1\] must .*got 2"):
        fa.influence_values([1, 2], [0.9, 0.3])
    with pytest.raises(TypeError, match="statistic must be a name or a Statistic, got 3"):
        fa.influence_values([1, 0], [0.9, 0.3], statistic=3)


@pytest.mark.parametrize("name", ["arac_auc", "roc_auc", "arp_auc"])
def test_the_number_of_threads_changes_nothing(name, monkeypatch):
    n = 700_000 if COMPILED else 2_000
    rng = np.random.default_rng(5)
    sweep = fa.threshold_sweep(rng.random(n) < 0.8, rng.random(n))
    errors = set()
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("FASTARAC_NUM_THREADS", threads)
        errors.add(standard_error(sweep, Statistic(name)))
    assert len(errors) == 1


def test_counts_beyond_any_array_are_summed_without_overflow():
    """A thousand times 10^12 items have an error √10^15 times smaller than a thousandth of them."""
    few_items = fa.ThresholdSweep.from_counts([1, 2, 3], [5, 20, 60], [30, 10, 5])
    factor = 10**15
    many = fa.ThresholdSweep.from_counts(
        [1, 2, 3], [5 * factor, 20 * factor, 60 * factor], [30 * factor, 10 * factor, 5 * factor]
    )
    for name in ("arac_auc", "aurc", "average_precision"):
        small, large = (standard_error(sweep, Statistic(name)) for sweep in (few_items, many))
        assert large == pytest.approx(small * (129 / 130 / factor) ** 0.5, rel=1e-12)


@pytest.mark.parametrize("name", ["arp_auc", "pr_auc", "average_precision", "normalized_aurc"])
def test_chunks_of_points_give_the_same_bits(name, monkeypatch):
    rng = np.random.default_rng(3)
    confidence = rng.integers(0, 4000, 6000)
    sweep = fa.threshold_sweep(rng.random(6000) < 0.8, confidence)
    whole, at = influence.sweep_spread(sweep, Statistic(name)), point_influence(sweep, name)
    counts, squares = np.diff(sweep.true_accepts), at.correct**2
    monkeypatch.setattr(influence, "CHUNK", 150)
    assert influence.sweep_spread(sweep, Statistic(name)) == whole
    assert influence._powers(sweep.true_accepts, at.correct, 0, len(counts)) == (
        np.sum(counts * squares), np.sum(counts * squares**2)
    )  # fmt: skip


def test_shared_results_are_those_of_each_statistic_alone():
    rng = np.random.default_rng(4)
    confidence = rng.random(300)
    sweep = fa.threshold_sweep(rng.random(300) < confidence, confidence)
    found = fa.evaluate(sweep, intervals=True).intervals
    for name in ("arac_auc", "augrc", "arp_auc", "aurc", "average_precision", "pr_auc"):
        assert found[name] == fa.asymptotic_interval(sweep, statistic=name)
    with shared_results(), shared_results():
        first = [shared(sweep, "key", object) for _ in range(2)]
    assert first[0] is first[1]
    assert shared(sweep, "key", object) is not first[0]
