"""Differences of costs: what is added by leaving each item, or group, out; errors of type I."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from strategies import COMPILED

import fastarac as fa
from bench.simulations import equal_costs, paired_groups

pytestmark = pytest.mark.interpreted

PRICES = fa.VerificationCosts(verification=1, correction=2, error=20)


def least(correct, confidence, weight):
    """Of all items at their cheapest threshold, tried one by one."""
    found = []
    for threshold in (-1, *sorted(set(confidence.tolist())), math.inf):
        accepted = confidence >= threshold
        paid = np.where(accepted, np.where(correct, 0, 20), np.where(correct, 1, 3))
        found.append(float(np.sum(paid * weight)))
    return min(found)


def left_out(correct, confidence, weight, labels, names):
    """What each of the named groups adds to the mean cost: 0 where it has no item."""
    whole, added, sizes = least(correct, confidence, weight), [], []
    for name in names:
        others = labels != name
        added.append(whole - least(correct[others], confidence[others], weight[others]))
        sizes.append(float(np.sum(weight[~others])))
    shares = np.array(sizes) / np.sum(sizes)
    return (np.array(added) - np.sum(added) * shares) / np.sum(weight)


def compare(models, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fa.UnreliableIntervalWarning)
        return fa.compare_models(models, costs=PRICES, **options).pairs[0]


@st.composite
def tied_models(draw):
    """Two models of the same items, with ties; weights, of which some are 0; and groups."""
    n = draw(st.integers(4, 30))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    models = {name: (rng.random(n) < 0.8, rng.integers(0, 8, n)) for name in "ab"}
    weight = rng.integers(0, 4, n) if draw(st.booleans()) else np.ones(n, int)
    weight[:3] += 1
    labels = rng.integers(0, draw(st.integers(2, 6)), n)
    labels[:2] = (0, 1)
    return models, weight, labels


@given(tied_models())
def test_an_item_adds_what_leaving_it_out_changes(data):
    models, weight, _ = data
    one_by_one = np.arange(len(weight))
    a, b = (left_out(*models[name], weight, one_by_one, one_by_one) for name in "ab")
    n = np.count_nonzero(weight)
    error = math.sqrt(n / (n - 1) * np.sum((a - b) ** 2))
    pair = compare(models, sample_weight=weight)
    assert pair.standard_error == pytest.approx(error, rel=1e-9, abs=1e-12)
    if error > 1e-9 and np.ptp(weight) == 0:
        contributors = np.sum((a - b) ** 2) ** 2 / np.sum((a - b) ** 4)
        degrees = 2 * contributors / (1 - contributors / n) - 1 if contributors < n else math.inf
        assert pair.degrees_of_freedom == pytest.approx(min(degrees, contributors), rel=1e-9)


@given(tied_models())
def test_a_group_adds_what_leaving_it_out_changes(data):
    models, weight, labels = data
    present = np.unique(labels[weight > 0])
    a, b = (left_out(*models[name], weight, labels, present) for name in "ab")
    error = math.sqrt(len(present) / (len(present) - 1) * np.sum((a - b) ** 2))
    pair = compare(models, sample_weight=weight, groups=labels)
    assert pair.standard_error == pytest.approx(error, rel=1e-9, abs=1e-12)
    if error > 1e-9 and len(present) > 1:
        shares = np.bincount(labels, weight)[present] / weight.sum()
        contributors, n = np.sum((a - b) ** 2) ** 2 / np.sum((a - b) ** 4), len(present)
        of_variance = 2 * contributors / (1 - contributors / n) if contributors < n else math.inf
        of_sizes = max(1.0, 1.0 / np.sum(shares**2) - 1.0)
        assert pair.degrees_of_freedom == pytest.approx(min(of_sizes, max(of_variance, 2.0)), rel=1e-7)


@given(tied_models(), tied_models())
def test_groups_of_different_items_add_the_same_way(one, other):
    items = {"a": (*one[0]["a"], one[1], one[2]), "b": (*other[0]["b"], other[1], other[2])}
    names = np.union1d(one[2][one[1] > 0], other[2][other[1] > 0])
    a, b = (left_out(*items[name], names) for name in "ab")
    error = math.sqrt(len(names) / (len(names) - 1) * np.sum((a - b) ** 2))
    pair = compare(
        {name: each[:2] for name, each in items.items()},
        paired="groups",
        groups={name: each[3] for name, each in items.items()},
        sample_weight={name: each[2] for name, each in items.items()},
    )
    assert pair.standard_error == pytest.approx(error, rel=1e-9, abs=1e-12)


@pytest.mark.compiled
def test_with_many_errors_it_is_the_error_at_fixed_thresholds():
    """To first order the threshold does not matter."""
    size = equal_costs.Size(50_000, 2500)
    models = equal_costs.models("as above", size, 0.5, np.random.default_rng(0))
    statistic = fa.Statistic("cost", costs=PRICES)
    a, b = (fa.influence_values(*models[name], statistic=statistic) for name in "ab")
    expected = np.std(a - b, ddof=1) / math.sqrt(size.n)
    assert expected < compare(models).standard_error < 1.03 * expected


def test_one_error_is_one_piece_of_evidence():
    """It decides that ten items are verified; they do not say by themselves that its model is dear."""
    n = 100
    confidence = np.arange(n)
    models = {"a": (confidence > 0, confidence), "b": (confidence != 12, confidence)}
    pair = compare(models)
    assert pair.difference == pytest.approx((3 - 15) / n)
    assert pair.standard_error == pytest.approx(math.hypot(15, 3) / n, rel=0.05)
    assert pair.pvalue > 0.3


@pytest.mark.parametrize(
    ("law", "size", "shared", "price"),
    [
        ("low confidences", (100, 3), 0.0, 20.0),  # 21% at fixed thresholds
        ("half anywhere", (100, 5), 0.5, 100.0),  # 66%
        ("whole percents", (300, 15), 0.5, 100.0),  # 41%
    ],
)
def test_equal_models_of_few_errors_are_seldom_told_apart(law, size, shared, price):
    """In at most 6.5%, by samples so many that the upper end of 99.9% is below 12%."""
    samples, size = 300 if COMPILED else 20, equal_costs.Size(*size)
    found = 0
    for k in range(samples):
        models = equal_costs.models(law, size, shared, np.random.default_rng([5, *map(int, size), k]))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", fa.UnreliableIntervalWarning)
            found += equal_costs.rejects(models, price)
    assert found <= stats.binom.ppf(0.999, samples, 0.065)


def test_engines_with_bursts_of_their_own_cost_the_same():
    """Of 12 pages; at fixed thresholds 10% are told apart."""
    samples = 200 if COMPILED else 5
    design = paired_groups.DESIGNS["equal pages, 1.9 % errors, bursts of each engine"]
    found = 0
    for k in range(samples):
        models, labels = paired_groups.engines(design, 12, np.random.default_rng([31, k]))
        found += compare(models, groups=labels, paired="groups").pvalue < 0.05
    assert found <= stats.binom.ppf(0.999, samples, 0.05)


def test_crossed_groups_are_left_out_by_each_factor():
    """The variance is the sum over the factors less that by both, or the largest by one of them."""
    rng = np.random.default_rng(2)
    codes = [of.ravel() for of in np.indices((6, 5, 4))[:2]]
    n = len(codes[0])
    models = {name: (rng.random(n) < 0.8, rng.integers(0, 8, n)) for name in "ab"}
    both = codes[0] * 5 + codes[1]
    variances = []
    for labels in (*codes, both):
        names = np.unique(labels)
        a, b = (left_out(*models[name], np.ones(n), labels, names) for name in "ab")
        variances.append(len(names) / (len(names) - 1) * np.sum((a - b) ** 2))
    expected = max(variances[0] + variances[1] - variances[2], *variances[:2])
    pair = compare(models, groups=tuple(codes))
    assert pair.standard_error == pytest.approx(math.sqrt(expected), rel=1e-9)


def test_the_order_of_models_items_and_groups_does_not_matter():
    rng = np.random.default_rng(3)
    size = equal_costs.Size(200, 16)
    models = equal_costs.models("whole percents", size, 0.5, rng)
    labels, order = np.arange(200) // 8, rng.permutation(200)
    pair = compare(models, groups=labels)
    moved = {name: tuple(column[order] for column in models[name]) for name in "ba"}
    other = compare(moved, groups=labels[order])
    assert other.standard_error == pytest.approx(pair.standard_error, rel=1e-12)
    assert other.difference == -pair.difference
    assert other.pvalue == pytest.approx(pair.pvalue, rel=1e-12)
