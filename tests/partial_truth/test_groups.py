"""Groups of outputs of which some are verified: as if each were evaluated alone."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import fastarac as fa

METRICS = ("n", "n_correct", "recognition_rate", "arac_auc", "normalized_arac_auc", "augrc", "roc_auc")


@pytest.fixture
def outputs():
    rng = np.random.default_rng(0)
    n = 3000
    confidence = rng.random(n).round(2)
    right = rng.random(n) >= 0.4 * (1 - confidence)
    judge = np.clip(0.2 + 0.6 * right + rng.normal(0, 0.1, n), 0, 1)
    by = np.array(["a", "b", "c"])[rng.integers(0, 3, n)]
    probability = rng.uniform(0.1, 0.5, n)
    chosen = rng.random(n) < probability
    return np.where(chosen, right, np.nan), confidence, probability, judge, by


def evaluated(*items, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fa.evaluate_groups(*items, **options)


@pytest.mark.parametrize("pages", [None, np.arange(3000) // 10])
def test_each_group_is_as_if_alone(outputs, pages):
    answers, confidence, probability, judge, by = outputs
    truth = fa.PartialTruth(answers, inclusion_probability=probability, judge=judge, groups=pages)
    limits = {"max_error_rate": 0.05, "max_risk": 0.1, "threshold": 0.3}
    options = {"by": by, "metrics": METRICS, **limits}
    found = evaluated(truth, confidence, **options, intervals=True)
    plain = evaluated(truth, confidence, **options)
    assert plain.values.keys() < found.values.keys()
    whole = fa.evaluate(truth, confidence, **limits)
    thresholds = [each.point.threshold for each in whole.limits[:2]] + [0.3]
    for row, name in enumerate(found.groups):
        own = by == name
        alone = fa.PartialTruth(
            answers[own], inclusion_probability=probability[own], judge=judge[own],
            groups=None if pages is None else pages[own],
        )  # fmt: skip
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = fa.evaluate(
                alone, confidence[own], max_error_rate=(), threshold=thresholds, intervals=True
            )
        values = {key: column[row] for key, column in found.values.items()}
        assert (values["n"], values["n_verified"]) == (own.sum(), alone.n_verified)
        assert values["n_correct"] == pytest.approx(expected.recognition_rate * own.sum())
        for key in METRICS[2:]:
            assert values[key] == pytest.approx(expected.to_dict()[key], abs=1e-12)
            assert plain[key][row] == pytest.approx(values[key], abs=1e-12)
            ends = expected.intervals[key]
            low, high = values[f"{key}_low"], values[f"{key}_high"]
            assert (low, high) == pytest.approx((ends.low, ends.high), abs=1e-12)
        for key, limit in zip(("0.05", "risk/0.1", "threshold/0.3"), expected.limits, strict=True):
            point = limit.point
            assert values[f"threshold/{key}"] == point.threshold
            for rate in ("acceptance_rate", "error_rate", "risk"):
                assert values[f"{rate}/{key}"] == pytest.approx(getattr(point, rate), abs=1e-12)
            assert values[f"performance/{key}"] == pytest.approx(limit.performance)
            ends = expected.intervals[f"error_rate/{limit.limit.key}"]
            assert values[f"error_rate_high/{key}"] == pytest.approx(ends.high)
        assert values["keeps_limit/0.05"] == (values["error_rate/0.05"] <= 0.05)
        assert values["keeps_limit/risk/0.1"] == (values["risk/risk/0.1"] <= 0.1)


def test_few_or_no_verified_items(outputs):
    answers, confidence, probability, judge, by = outputs
    answers[by == "b"] = np.nan
    answers[np.flatnonzero((by == "c") & ~np.isnan(answers))[2:]] = np.nan
    probability[~np.isnan(answers)] = 0.3
    probability[np.isnan(answers)] = np.nan
    truth = fa.PartialTruth(
        answers, inclusion_probability=probability, judge=judge, least_probability=0.01
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = fa.evaluate_groups(
            truth, confidence, by=by, max_error_rate=0.1, threshold=2.0, intervals=True
        )
    undefined, unreliable = (str(each.message) for each in caught)
    assert undefined.endswith("1 group has no verified item: 'b'")
    assert unreliable.startswith(
        "1 of 3 groups have too little data for a reliable interval of some figure; in one of them"
    )
    assert found["n_verified"][1:].tolist() == [0, 2]
    for name, column in found.values.items():
        known = name.partition("/")[0] in ("n", "n_verified", "threshold", "acceptance_rate")
        if not name.startswith("keeps"):
            assert np.isnan(column[1]) != known, name
    assert not found["keeps_limit/0.1"][1]
    assert np.isnan(found["risk/threshold/2"]).all()


def test_known_with_certainty_is_plain(outputs):
    _, confidence, _, judge, by = outputs
    right = judge > 0.4
    options = {"by": by, "metrics": METRICS, "max_error_rate": 0.05, "intervals": True}
    probability = np.where(by == "a", 1.0, 0.5)
    answers = np.where((by == "a") | (np.arange(3000) % 2 == 0), right, np.nan)
    plain = evaluated(right, confidence, **options)
    every = evaluated(fa.PartialTruth(right, inclusion_probability=1.0), confidence, **options)
    assert every.to_dict() == plain.to_dict()
    mixed = evaluated(
        fa.PartialTruth(answers, inclusion_probability=probability), confidence, **options
    )
    for name in METRICS:
        assert mixed[name][0] == plain[name][0]
    assert mixed["roc_auc_low"][0] == plain["roc_auc_low"][0]
    with pytest.raises(TypeError, match="sample_weight cannot go with a PartialTruth"):
        fa.evaluate_groups(
            fa.PartialTruth(answers, inclusion_probability=probability), confidence, by=by,
            sample_weight=probability,
        )  # fmt: skip


PRICES = fa.VerificationCosts(verification=1, correction=2, error=12)
PEOPLE = fa.Reviewer(detection_rate=0.95, false_alarm_rate=0.01)


def nearly_known(right):
    """All are verified, but one with a probability that is a hair below 1."""
    probability = np.ones(len(right))
    probability[7] = 1 - 1e-12
    return fa.PartialTruth(right.astype(float), inclusion_probability=probability)


def test_costs_of_all_that_is_known_are_those_of_plain_labels(outputs):
    _, confidence, _, judge, by = outputs
    right = judge > 0.4
    options = {
        "costs": PRICES, "reviewer": PEOPLE, "max_error_rate": 0.2, "max_risk": 0.1, "threshold": 0.5
    }  # fmt: skip
    plain = fa.evaluate(right, confidence, **options).to_dict()
    known = fa.evaluate(nearly_known(right), confidence, **options).to_dict()
    assert known.keys() == plain.keys()
    assert "cost/cheapest" in plain
    undefined = "normalized_aurc"  # of single items, which are not estimated
    for name in plain.keys() - {undefined}:
        assert known[name] == pytest.approx(plain[name], abs=1e-9), name
    each = fa.evaluate_groups(right, confidence, by=by, **options)
    found = fa.evaluate_groups(nearly_known(right), confidence, by=by, **options)
    assert found.values.keys() == each.values.keys() | {"n_verified"}
    for name, column in each.values.items():
        np.testing.assert_allclose(found[name], column, atol=1e-9, err_msg=name)


def test_costs_are_estimated_without_bias(outputs):
    """At fixed thresholds, over samples: within 3.5 standard errors of the truth."""
    _, confidence, _, judge, _ = outputs
    rng = np.random.default_rng(6)
    right = rng.random(len(confidence)) < 0.4 + 0.6 * confidence
    options = {"costs": PRICES, "reviewer": PEOPLE, "threshold": [0.3, 0.7]}
    names = (
        "cost/threshold/0.3",
        "cost/threshold/0.7",
        "cost/everything_checked",
        "cost/nothing_checked",
    )
    truth = fa.evaluate(right, confidence, **options).to_dict()
    found = []
    for _ in range(60):
        verified = rng.random(len(right)) < 0.15
        part = fa.PartialTruth(
            np.where(verified, right, np.nan), inclusion_probability=0.15, judge=judge
        )
        figures = fa.evaluate(part, confidence, **options).to_dict()
        found.append([figures[name] for name in names])
    error = np.std(found, axis=0) / np.sqrt(len(found))
    off = np.mean(found, axis=0) - [truth[name] for name in names]
    assert (abs(off) < 3.5 * error).all()
    assert (error < 0.03 * np.array([truth[name] for name in names])).all()


@pytest.mark.parametrize("prices", [(1, 2, 12), (5, 1, 8), (1e-3, 1e-3, 1e6), (1e6, 1e-3, 1e-3)])
def test_the_cheapest_threshold_costs_least(prices):
    """Estimated errors may fall, below 0 even: of counts that do not, no threshold costs less."""
    costs = fa.VerificationCosts(*prices)
    fell = 0
    for seed in range(15):
        rng = np.random.default_rng(seed)
        confidence = rng.random(400).round(2)
        right = rng.random(400) < 0.3 + 0.7 * confidence
        answers = np.where(rng.random(400) < 0.2, right, np.nan)
        truth = fa.PartialTruth(answers, inclusion_probability=0.2)
        sweep = fa.threshold_sweep(truth, confidence)
        fell += sweep.false_accepts.min() < 0
        every = costs.cost(sweep.rising)
        point = fa.costs.optimal_operating_point(truth, confidence, costs=costs)
        found = fa.evaluate(truth, confidence, costs=costs).cost_evaluation
        assert costs.cost(point) == pytest.approx(every.min(), rel=1e-9)
        assert found.at_cheapest == pytest.approx(every.min(), rel=1e-9)
        assert found.at_cheapest <= found.everything_checked * (1 + 1e-9)
        assert found.at_cheapest <= found.nothing_checked * (1 + 1e-9)
        assert found.at_cheapest >= 0
    assert fell > 5
