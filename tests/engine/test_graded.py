"""Graded correctness: an item of grade g is g correct and 1 − g incorrect, at one confidence."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastarac as fa

RNG = np.random.default_rng(3)
GRADES = RNG.integers(0, 5, 200) / 4
CONFIDENCE = np.round(RNG.random(200), 2)
eighths = st.integers(0, 8).map(lambda k: k / 8)  # whose sums are exact


@given(st.lists(st.tuples(eighths, st.integers(0, 6), st.integers(1, 3)), min_size=1, max_size=12))
def test_counts_are_sums_of_grades(items):
    grades, confidence, weight = zip(*items, strict=True)
    sweep = fa.threshold_sweep(grades, confidence, sample_weight=weight, graded=True)
    for at, right, wrong in zip(sweep.thresholds, sweep.true_accepts, sweep.false_accepts, strict=True):
        accepted = [(Fraction(g), w) for g, c, w in items if c >= at]
        assert right == sum(g * w for g, w in accepted)
        assert wrong == sum((1 - g) * w for g, w in accepted)
    assert sweep.total == sum(weight)


def test_whole_grades_are_no_grades():
    correct = GRADES >= 0.5
    plain = fa.threshold_sweep(correct, CONFIDENCE)
    graded = fa.threshold_sweep(correct, CONFIDENCE, graded=True)
    assert fa.arac_auc_score(graded) == fa.arac_auc_score(plain)
    np.testing.assert_array_equal(graded.true_accepts, plain.true_accepts)
    options = {"intervals": True, "max_error_rate": [0.2], "max_risk": [0.3]}
    a = fa.evaluate(correct, CONFIDENCE, graded=True, groups=np.arange(200) // 4, **options).to_dict()
    b = fa.evaluate(correct, CONFIDENCE, groups=np.arange(200) // 4, **options).to_dict()
    del a["normalized_aurc"]  # not of weighted items
    assert {name: b[name] for name in a} == pytest.approx(a, rel=1e-9)


def test_everything_reads_the_same_sweep():
    sweep = fa.threshold_sweep(GRADES, CONFIDENCE, graded=True)
    found = fa.evaluate(GRADES, CONFIDENCE, graded=True, max_error_rate=[0.3])
    assert found == fa.evaluate(sweep, max_error_rate=[0.3])
    assert found.recognition_rate == pytest.approx(GRADES.mean())
    by = np.arange(200) % 2
    groups = fa.evaluate_groups(GRADES, CONFIDENCE, by=by, graded=True, threshold=0.5)
    for k in (0, 1):
        alone = fa.threshold_sweep(GRADES[by == k], CONFIDENCE[by == k], graded=True)
        assert groups["arac_auc"][k] == fa.arac_auc_score(alone)
        rate = (1 - GRADES)[(by == k) & (CONFIDENCE >= 0.5)].sum() / (by == k).sum()
        assert groups["error_rate/threshold/0.5"][k] == pytest.approx(rate)


@pytest.mark.parametrize("find", [fa.asymptotic_interval, fa.bootstrap])
def test_intervals_are_of_whole_items(find):
    """The standard error of a mean grade is that of a mean, not that of 2n halves."""
    options = {"random_state": 1, "n_resamples": 4000} if find is fa.bootstrap else {"method": "wald"}
    found = find(GRADES, CONFIDENCE, statistic="recognition_rate", graded=True, **options)
    expected = GRADES.std(ddof=1) / np.sqrt(len(GRADES))
    assert found.standard_error == pytest.approx(expected, rel=0.03)
    pages = np.arange(200) // 10
    clustered = find(
        GRADES, CONFIDENCE, statistic="recognition_rate", graded=True, groups=pages, **options
    )
    means = GRADES.reshape(20, 10).mean(axis=1)
    assert clustered.standard_error == pytest.approx(means.std(ddof=1) / np.sqrt(20), rel=0.06)
    groups = fa.evaluate_groups(
        GRADES, CONFIDENCE, by=np.zeros(200), graded=True, groups=pages, intervals=True,
        metrics=["recognition_rate"],
    )  # fmt: skip
    ends = fa.asymptotic_interval(
        GRADES, CONFIDENCE, statistic="recognition_rate", graded=True, groups=pages
    )
    assert groups["recognition_rate_low"][0] == pytest.approx(ends.low)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (([1, 1.5], [1, 2]), {}, ValueError, r"correct\[1\] must be a grade from 0 to 1, got 1.5"),
        (([np.nan, 1], [1, 2]), {}, ValueError, r"correct\[0\] must be a grade.*, got nan"),
        (
            ([0.5, 1], [1, np.nan]),
            {},
            ValueError,
            r"confidence\[1\] must be a finite number.*, got nan",
        ),
        (
            ([0.5, 1], [1]),
            {},
            ValueError,
            "correct and confidence must have the same number of items, got 2",
        ),
        (([], []), {}, ValueError, "are empty"),
        (
            (["a"], [1]),
            {},
            TypeError,
            "correct has type <U1; use booleans, integers or floats of up to",
        ),
        (
            ([0.5, 1], [1, 2]),
            {"sample_weight": [1]},
            ValueError,
            "sample_weight and confidence must have the same number of items,",
        ),
    ],
)
def test_refusals(arguments, options, error, message):
    for function in (fa.threshold_sweep, fa.evaluate):
        with pytest.raises(error, match=message):
            function(*arguments, graded=True, **options)


def test_refusals_beside_others():
    with pytest.raises(
        ValueError, match=r"correct\[0\] must be 0 .*, got 0.5 \(for grades, use threshold_sweep"
    ):
        fa.arac_auc_score([0.5, 1], [1, 2])
    sweep = fa.threshold_sweep([0.5], [1], graded=True)
    for function in (fa.evaluate, fa.bootstrap, fa.asymptotic_interval):
        with pytest.raises(TypeError, match="graded cannot go with a ThresholdSweep"):
            function(sweep, graded=True)
    with pytest.raises(
        TypeError, match="graded cannot go with failure_probability: a guarantee needs labels"
    ):
        fa.evaluate([0.5, 1], [1, 2], graded=True, failure_probability=0.1)
