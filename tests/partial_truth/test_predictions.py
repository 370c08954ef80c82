"""The order of items, the predictions of their errors, and derivatives: beside slow references."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fastarac as fa
from fastarac import _kernels
from fastarac._engine import predictions
from fastarac.samples.estimated import plain
from fastarac.samples.partial_items import PartialItems
from fastarac.uncertainty.estimated_samples import PartialSample
from fastarac.uncertainty.influence import point_influence
from fastarac.uncertainty.statistics import DEFINITIONS
from tests.partial_truth.test_truth import STATISTICS, outputs, verified
from tests.strategies import COMPILED
from tests.ways import forced

pytestmark = pytest.mark.interpreted

NEAR = 1.0 - np.arange(150) * 2.0**-53  # the same in all but the lowest bits


@st.composite
def confidences(draw):
    n = draw(st.integers(1, 150))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    kind = draw(st.sampled_from(["near", "ties", "float32", "whole", "large", "signs"]))
    values = {
        "near": NEAR[:n],
        "ties": rng.integers(0, 4, n) / 4,
        "float32": rng.random(n).astype(np.float32),
        "whole": rng.integers(-3, 3, n),
        "large": rng.integers(0, 9, n) + (1 << 60),
        "signs": rng.choice([-0.0, 0.0, -1.5, 1e-300, -1e300], n),
    }[kind]
    return rng.permutation(values), rng.random(n) < 0.5


@given(confidences())
@settings(max_examples=60)
def test_order(items):
    scores, known = items
    order = predictions.order_of(scores, known)
    expected = sorted(range(len(scores)), key=lambda i: -scores[i].item())
    values = [scores[i].item() for i in expected]
    assert scores[order.items].tolist() == values
    assert sorted(order.items.tolist()) == list(range(len(scores)))
    starts = [i for i, v in enumerate(values) if i == 0 or v != values[i - 1]]
    assert order.starts.tolist() == [*starts, len(values)]
    assert order.places.tolist() == [i for i, item in enumerate(order.items) if known[item]]


def test_long_runs_that_share_their_upper_bits_are_sorted():
    rng = np.random.default_rng(0)
    scores = rng.permutation(np.concatenate([NEAR, NEAR[::9], [0.5, 2.0, 0.5]]))
    n = len(scores)
    shift = n.bit_length() + 1
    shared = np.unique(scores.view(np.uint64) >> np.uint64(shift), return_counts=True)[1]
    assert shared.max() > _kernels.numbered.SHORT  # keys do not tell these apart
    found = predictions.order_of(scores, np.arange(n) % 2 == 0)
    expected = sorted(range(n), key=lambda i: (-scores[i], i))
    assert found.items.tolist() == expected
    assert found.thresholds.tolist() == [np.inf, *sorted({*scores.tolist()}, reverse=True)]
    assert found.places.tolist() == [i for i, item in enumerate(expected) if item % 2 == 0]


@pytest.mark.parametrize(
    "kind", ["distinct", "percent", "half as many", "below zero", "float32", "int64"]
)
def test_order_of_many_in_buckets_by_several_threads(kind):
    rng = np.random.default_rng(1)
    n = 200_000 if COMPILED else 1_000
    scores = {
        "distinct": rng.random(n),
        "percent": rng.integers(0, 101, n) / 100,
        "half as many": rng.integers(0, n // 2, n) / n,
        "below zero": rng.normal(size=n) ** 3,
        "float32": rng.random(n).astype(np.float32),
        "int64": rng.integers(-5, 5, n) + (1 << 61),
    }[kind]
    known = rng.random(n) < 0.3
    for threads in (1, 3):
        with forced("buckets", threads, buckets_of=n // 37, per_thread=n // 7):
            found = predictions.order_of(scores, known)
        expected = np.lexsort((np.arange(n), -scores))
        assert np.array_equal(found.items, expected)
        falling = scores[expected]
        starts = np.append(np.flatnonzero(np.append(True, falling[1:] != falling[:-1])), n)
        assert np.array_equal(found.starts, starts)
        assert found.thresholds[1:].tolist() == falling[starts[:-1]].tolist()
        assert np.array_equal(found.places, np.flatnonzero(known[expected]))


@pytest.mark.parametrize("n", [7, 4096, 5001])
def test_both_counts_add_up_to_the_items(n):
    rng = np.random.default_rng(n)
    chosen = rng.random(n) < 0.3
    chosen[0] = True
    known = verified(rng.random(n) < 0.8, chosen)
    truth = fa.PartialTruth(known, inclusion_probability=np.full(n, 0.3))
    sweep = fa.threshold_sweep(truth, rng.random(n))
    assert np.array_equal(sweep.true_accepts + sweep.false_accepts, np.arange(n + 1))
    assert np.array_equal(sweep.acceptance_rate, np.arange(n + 1) / n)


def pooled(score, error, weight, mean):
    """Isotonic error rates by a rising score: the largest of the least weighted means (min–max)."""
    values = sorted(set(score))
    parts = [
        (sum(w * e for s, e, w in zip(score, error, weight, strict=True) if s == v),
         sum(w for s, w in zip(score, weight, strict=True) if s == v))
        for v in values
    ]  # fmt: skip
    rates = []
    for i in range(len(values)):
        ends = [
            min(
                sum(e for e, _ in parts[a : b + 1]) / sum(w for _, w in parts[a : b + 1])
                for b in range(i, len(values))
            )
            for a in range(i + 1)
        ]
        rates.append(max(ends))
    beside = 2.0 * sum(weight) / len(weight)
    found = {}
    for rate in sorted(set(rates)):
        of_block = sum(
            w for v, (_, w) in zip(values, parts, strict=True) if rates[values.index(v)] == rate
        )
        for v, r in zip(values, rates, strict=True):
            if r == rate:
                found[v] = (rate * of_block + beside * mean) / (of_block + beside)
    return values, found


@pytest.mark.parametrize("digits", [1, 9])
def test_predictions_are_isotonic_regressions_of_other_folds(digits):
    rng = np.random.default_rng(1)
    n = 60
    confidence, judge = rng.random(n).round(digits), rng.random(n).round(digits)
    error = (rng.random(n) > judge).astype(float)
    probability = rng.choice([0.5, 0.25], n)  # weights that are added without rounding
    chosen = rng.random(n) < probability
    truth = fa.PartialTruth(verified(1 - error, chosen), inclusion_probability=probability, judge=judge)
    items = PartialItems(truth, confidence)
    fold = predictions.folds_of(
        items.error, items.weight, items.tie, judge[items.order[items.places]], None
    )
    mean = float(items.weight @ items.error) / items.weight.sum()
    for prediction, own_score in zip(items.predictions, (-confidence, -judge), strict=True):
        found = prediction.values(items.places)
        score = own_score[items.order]
        own = score[items.places]
        rules = []
        for k in range(predictions.FOLDS):
            others = fold != k
            values, rates = pooled(own[others], items.error[others], items.weight[others], mean)
            rules.append(lambda s, v=values, r=rates: r[next((x for x in v if x >= s), v[-1])])
        of_fold = dict(zip(items.places.tolist(), fold.tolist(), strict=True))
        for i in range(n):
            if i in of_fold:
                assert found[i] == pytest.approx(rules[of_fold[i]](score[i]), abs=1e-12)
                continue
            assert found[i] == pytest.approx(np.mean([rule(score[i]) for rule in rules]), abs=1e-12)


@pytest.mark.parametrize("statistic", STATISTICS, ids=str)
@pytest.mark.parametrize("digits", [2, 9])
def test_derivatives_at_verified_items_are_those_of_the_counts(statistic, digits):
    if "acceptance_at" in str(statistic) or statistic == "roc_auc":
        return
    statistic = fa.Statistic(statistic) if isinstance(statistic, str) else statistic
    confidence, right, judge, rng = outputs(3, 400, digits)
    truth = fa.PartialTruth(
        verified(right, rng.random(400) < 0.5), inclusion_probability=0.5, judge=judge
    )
    sample = PartialSample.of(truth, confidence)
    at = point_influence(plain(sample.start), statistic)
    tie = sample.items.tie
    expected = at.incorrect[tie] - at.correct[tie]
    np.testing.assert_allclose(sample.derivative(statistic), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("digits", [2, 9])
def test_the_effect_of_errors_on_the_roc_auc_needs_the_verified_items_only(digits):
    confidence, right, _, rng = outputs(3, 400, digits)
    items = PartialItems(fa.PartialTruth(right, inclusion_probability=np.ones(400)), confidence)
    at = point_influence(fa.threshold_sweep(right, confidence), fa.Statistic("roc_auc"))
    expected = (at.incorrect - at.correct)[items.tie]
    np.testing.assert_allclose(items.effect_on_roc_auc(), expected, rtol=1e-9, atol=1e-9)
    # If some are verified, a factor and a constant differ, because they are estimated.
    probability = rng.choice([0.25, 0.5], 400)
    chosen = rng.random(400) < probability
    truth = fa.PartialTruth(verified(right, chosen), inclusion_probability=probability)
    part = PartialItems(truth, confidence)
    of_all = np.empty(400)
    of_all[items.order[items.places]] = expected
    found, wanted = part.effect_on_roc_auc(), of_all[part.order[part.places]]
    assert np.polyfit(wanted, found, 1)[0] == pytest.approx(1.0, abs=0.15)
    assert np.corrcoef(wanted, found)[0, 1] == pytest.approx(1.0)


@pytest.mark.parametrize("name", sorted(name for name, one in DEFINITIONS.items() if one.lines))
@pytest.mark.parametrize("digits", [2, 9])
def test_spread_of_items_is_that_of_their_contributions(name, digits):
    statistic = fa.Statistic(name)
    confidence, right, judge, rng = outputs(4, 400, digits)
    truth = fa.PartialTruth(
        verified(right, rng.random(400) < 0.5), inclusion_probability=0.5, judge=judge
    )
    sample = PartialSample.of(truth, confidence)
    found = sample.evidence(statistic)
    own = sample.contributions(sample.influence_of(statistic, found), found.sweep)
    assert found.standard_error == pytest.approx((own**2).sum() ** 0.5, rel=1e-9)
    assert found.contributors == pytest.approx((own**2).sum() ** 2 / (own**4).sum(), rel=1e-9)
