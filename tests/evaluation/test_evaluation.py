"""The evaluation of one model, as the command line prints it."""

from __future__ import annotations

import json
import math
import re
from functools import partial

import numpy as np
import pytest
import reference as ref
import strategies
from hypothesis import given
from hypothesis import strategies as st
from strategies import COMPILED
from ways import WAYS

import fastarac as fa
from fastarac._engine.pairs import value_of_pairs
from fastarac.answers.models import Model
from fastarac.io import Outputs
from fastarac.samples.door import as_ranked

pytestmark = pytest.mark.interpreted

CORRECT = [1, 1, 0, 1, 0]
CONFIDENCE = [0.9, 0.8, 0.7, 0.6, 0.2]
COSTS = fa.VerificationCosts(1, 2, 10)


@given(strategies.items)
def test_it_agrees_with_the_functions(sample):
    data = sample.correct, sample.confidence
    costs = fa.VerificationCosts.from_ratios(0.5, 2.0)
    limits = {"max_error_rate": [0.0, 0.3], "max_risk": 0.2, "threshold": 0.5}
    e = fa.evaluate(*data, costs=costs, **limits, **sample.weighted)
    sweep = fa.threshold_sweep(*data, **sample.weighted)
    assert e.n == sweep.total
    assert e.recognition_rate == sweep.recognition_rate
    assert e.arac == fa.arac_area(sweep, gamma=0.5)
    assert e.arp == fa.arp_area(sweep, gamma=0.5)
    assert e.aurc == fa.aurc_loss(sweep)
    assert e.augrc == fa.augrc_loss(sweep)
    criteria = [("max_error_rate", 0.0), ("max_error_rate", 0.3), ("max_risk", 0.2), ("threshold", 0.5)]
    assert [(at.limit.criterion, at.limit.value) for at in e.limits] == criteria
    for at, (criterion, value) in zip(e.limits, criteria, strict=True):
        assert repr(at.point) == repr(fa.operating_point(sweep, **{criterion: value}))
        assert at.performance == costs.performance(at.point)
        assert at.guaranteed is None


@pytest.mark.parametrize("way", ["one bucket", "two threads", "numpy", "numpy, two threads"])
@given(sample=strategies.items, rate=st.floats(0, 1), risk=st.floats(0, 1))
def test_limits_need_no_sweep(way, sample, rate, risk):
    """Few points are looked up among the sorted items; they are those of the sweep."""
    limits = {"max_error_rate": [0.0, rate], "max_risk": [risk, 0.5]}
    with WAYS[way]():
        found = fa.evaluate(sample.correct, sample.confidence, **limits, **sample.weighted).limits
    sweep = fa.threshold_sweep(sample.correct, sample.confidence, **sample.weighted)
    expected = [{name: value} for name, values in limits.items() for value in values]
    for at, limit in zip(found, expected, strict=True):
        assert repr(at.point) == repr(fa.operating_point(sweep, **limit))


@pytest.mark.parametrize("way", ["many buckets", "numpy, two threads"])
@pytest.mark.parametrize("errors", range(5))
def test_limits_that_are_met_exactly(way, errors):
    """At a rate or risk that a threshold has, the last such threshold is taken."""
    correct = [1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 0, 1, 0, 1]
    confidence = [9, 9, 8, 8, 7, 6, 6, 6, 5, 4, 3, 2, 1, 0]
    sweep = fa.threshold_sweep(correct, confidence)
    last = np.flatnonzero(sweep.false_accepts <= errors)[-1]
    of_risk = np.flatnonzero(sweep.risk <= sweep.risk[last])[-1]
    for place, limit in (
        (last, {"max_error_rate": errors / 14}),
        (of_risk, {"max_error_rate": (), "max_risk": sweep.risk[last]}),
    ):
        with WAYS[way]():
            (found,) = fa.evaluate(correct, confidence, **limit).limits
        assert found.point.threshold == sweep.thresholds[place]
        point = fa.operating_point(sweep, **{found.limit.criterion: found.limit.value})
        assert repr(found.point) == repr(point)


@given(strategies.items)
def test_the_areas_are_those_of_the_definitions(sample):
    e = fa.evaluate(sample.correct, sample.confidence, **sample.weighted)
    items = ref.to_items(*sample)
    pr_auc = ref.pr_auc(items)
    for found, exact in (
        (e.arp.auc, ref.arp_auc(items)),
        (e.arp.normalized, ref.arp_area(items).normalized),
        (e.roc_auc, ref.roc_auc(items)),
        (e.pr_auc, pr_auc),
        (e.average_precision, None if pr_auc is None else ref.average_precision(items)),
        (e.aurc, ref.aurc(items)),
        (e.augrc, ref.augrc(items)),
    ):
        assert found == pytest.approx(ref.round_once(exact), rel=1e-12, abs=1e-15, nan_ok=True)
    if not sample.weighted:
        exact = ref.round_once(ref.normalized_aurc(items))
        assert e.normalized_aurc == pytest.approx(exact, rel=1e-12, abs=1e-14, nan_ok=True)


@pytest.mark.parametrize("label", [0, 1])
def test_one_class_is_no_reason_to_warn(label):
    """What is undefined is NaN as a field and null in JSON; everything else has its value."""
    flat = fa.evaluate([label] * 3, [3, 2, 1]).to_dict()
    undefined = {"roc_auc", "normalized_aurc", *(["pr_auc", "average_precision"] if not label else [])}
    missing = {name for name, value in flat.items() if value is None and "/" not in name}
    assert missing == undefined
    assert (flat["arp_auc"], flat["aurc"]) == (label, 1 - label)
    if label:
        assert (flat["pr_auc"], flat["average_precision"], flat["normalized_arp_auc"]) == (1, 1, 1)


def test_weights_have_no_best_order_of_single_items():
    weighted = fa.evaluate(CORRECT, CONFIDENCE, sample_weight=[1, 2, 1, 1, 1])
    assert math.isnan(weighted.normalized_aurc)
    assert weighted.to_dict()["normalized_aurc"] is None
    plain = fa.evaluate(CORRECT, CONFIDENCE)
    assert plain.normalized_aurc == fa.normalized_aurc_loss(CORRECT, CONFIDENCE)
    same = fa.evaluate(CORRECT, CONFIDENCE, sample_weight=np.ones(5)).to_dict()
    for name, value in plain.to_dict().items():
        if name != "normalized_aurc":
            assert same[name] == pytest.approx(value, rel=1e-14), name


@given(strategies.items)
def test_identity_of_the_areas(sample):
    """ARAC-AUC = 1 − β(1 − β)(1 − ROC-AUC) − (1 − β)²/2, and AUGRC = 1 − ARAC-AUC."""
    e = fa.evaluate(sample.correct, sample.confidence, **sample.weighted)
    beta = e.recognition_rate
    roc = 0.0 if math.isnan(e.roc_auc) else e.roc_auc
    assert e.arac.auc == pytest.approx(
        1 - beta * (1 - beta) * (1 - roc) - (1 - beta) ** 2 / 2, rel=1e-14
    )
    assert e.augrc == pytest.approx(1 - e.arac.auc, abs=1e-15)
    assert math.isnan(e.roc_auc) == (beta in {0.0, 1.0})


def test_flat_and_json_safe():
    e = fa.evaluate(CORRECT, CONFIDENCE, max_error_rate=[0.2, 0.001])
    flat = e.to_dict()
    assert json.loads(json.dumps(flat, allow_nan=False)) == flat
    assert flat["n"] == 5
    assert flat["recognition_rate"] == 0.6
    assert flat["arac_auc"] == e.arac.auc
    assert flat["arp_auc"] == e.arp.auc
    assert flat["normalized_arp_auc"] == e.arp.normalized
    for name in ("roc_auc", "pr_auc", "average_precision", "aurc", "normalized_aurc", "augrc"):
        assert flat[name] == getattr(e, name)
    assert flat["threshold/0.2"] == 0.6
    assert flat["acceptance_rate/0.2"] == 0.8
    assert flat["acceptance_rate/0.001"] == 0.4
    assert flat["performance/0.2"] == e.limits[0].performance
    nothing = fa.evaluate([0, 0], [1, 2], max_error_rate=[0.1]).to_dict()
    assert nothing["threshold/0.1"] is None
    assert nothing["roc_auc"] is None
    json.dumps(nothing, allow_nan=False)


def test_integers_that_no_float_holds_stay_integers():
    flat = fa.evaluate([1, 0], np.array([2**60 + 1, 2**60]), max_error_rate=[0.0]).to_dict()
    assert flat["threshold/0"] == 2**60 + 1


def test_print():
    text = str(
        fa.evaluate(
            CORRECT, CONFIDENCE, costs=fa.VerificationCosts(2, 1, 1), max_error_rate=[0.2, 0.001]
        )
    )
    assert re.search(r"^ARAC-AUC +0\.8800$", text, re.MULTILINE)
    assert "normalised ARAC-AUC (γ = 2)" in text
    assert "at most 20% errors: accepted" in text
    assert "at most 0.1% errors: accepted" in text
    assert len({line.rindex("  ") for line in text.splitlines()}) == 1  # one column


def test_no_error_rates():
    assert fa.evaluate(CORRECT, CONFIDENCE, max_error_rate=[]).limits == ()


def test_the_parts_of_the_area():
    area = fa.arac_area(CORRECT, CONFIDENCE, gamma=3)
    assert area.auc == pytest.approx(area.upper + area.lower)
    assert area.improved == pytest.approx(3 * area.upper / 0.4 + 0.6)
    assert area.normalized == pytest.approx(area.improved / 4)
    perfect = fa.arac_area([1, 1], [0.1, 0.2], gamma=3)
    assert perfect == (1.0, 0.0, 1.0, 4.0, 1.0, 3.0)
    hopeless = fa.arac_area([0, 0], [0.1, 0.2])
    assert hopeless == (0.5, 0.5, 0.0, 0.5, 0.25, 1.0)
    assert fa.normalized_arac_auc_score([1, 1], [0.1, 0.2], gamma=0) == 1.0
    assert fa.arac_area(CORRECT, CONFIDENCE, gamma=0).normalized == 0.6


def test_roc_auc_of_pairs():
    assert value_of_pairs("roc_auc", as_ranked(CORRECT, CONFIDENCE).pairs) == 5 / 6


@pytest.mark.slow
def test_thousands_of_areas_are_the_nearest_double():
    """Small samples with many ties, against the definition in fractions, to the last bit."""
    rng = np.random.default_rng(2024)
    for _ in range(3000 if COMPILED else 300):
        n = int(rng.integers(1, 12))
        correct = rng.random(n) < rng.random()
        confidence = rng.integers(0, rng.integers(1, 12), n) / 7
        expected = ref.round_once(ref.arac_auc(ref.to_items(correct, confidence)))
        assert fa.arac_auc_score(correct, confidence) == expected
        assert fa.arac_auc_score(correct, confidence, sample_weight=np.ones(n)) == expected
        assert fa.arac_auc_score(fa.threshold_sweep(correct, confidence)) == expected


class TestIntervals:
    N = 400
    RNG = np.random.default_rng(5)
    Z = RNG.normal(2.0, 1.5, N)
    ITEMS = RNG.random(N) < 1 / (1 + np.exp(-Z)), Z.round(1)
    PAGES = np.arange(N) // 10
    LIMITS = {"max_error_rate": 0.05, "max_risk": 0.1, "threshold": 1.5}  # noqa: RUF012

    def test_each_is_that_of_its_statistic(self):
        gamma = 0.5
        costs = fa.VerificationCosts.from_ratios(gamma, 0)
        for data in ({}, {"groups": self.PAGES}, {"sample_weight": np.arange(1, self.N + 1)}):
            found = fa.evaluate(*self.ITEMS, costs=costs, **self.LIMITS, intervals=True, **data)
            statistics = {
                "recognition_rate": fa.Statistic("recognition_rate"),
                "normalized_arac_auc": fa.Statistic("normalized_arac_auc", gamma=gamma),
                "roc_auc": fa.Statistic("roc_auc"),
                "acceptance_rate/0.05": fa.Statistic("acceptance_at_error_rate", max_error_rate=0.05),
                "acceptance_rate/risk/0.1": fa.Statistic("acceptance_at_risk", max_risk=0.1),
                "error_rate/threshold/1.5": fa.Statistic("error_rate", threshold=1.5),
            }
            for name, statistic in statistics.items():
                expected = fa.asymptotic_interval(*self.ITEMS, statistic=statistic, **data)
                assert found.intervals[name] == expected, name
            flat = found.to_dict()
            assert json.loads(json.dumps(flat, allow_nan=False)) == flat
            assert flat["arac_auc_low"] <= flat["arac_auc"] <= flat["arac_auc_high"]
            assert flat["acceptance_rate_low/0.05"] <= flat["acceptance_rate/0.05"]
            assert flat["confidence_level"] == 0.95
            assert "ARAC-AUC" in str(found)
            shown = set(found.intervals) - {"normalized_aurc"}
            assert str(found).count("[") == len(shown)

    def test_groups_widen_them(self):
        correct = np.repeat(self.ITEMS[0][:40], 10)
        alone = fa.evaluate(correct, self.ITEMS[1], intervals=True).intervals["recognition_rate"]
        paged = fa.evaluate(correct, self.ITEMS[1], intervals=True, groups=self.PAGES)
        found = paged.intervals["recognition_rate"]
        assert found.high - found.low > 2 * (alone.high - alone.low)

    def test_a_guarantee_beside_each_limit(self):
        found = fa.evaluate(
            *self.ITEMS, max_error_rate=[0.1, 0.2], threshold=1.0, failure_probability=0.1
        )
        for at in found.limits[:2]:
            expected = fa.guaranteed_operating_point(
                *self.ITEMS, max_error_rate=at.limit.value, failure_probability=0.1
            )
            assert at.guaranteed == expected
        assert found.limits[2].guaranteed is None
        flat = found.to_dict()
        assert flat["threshold/guaranteed/0.1"] >= flat["threshold/0.1"]
        assert flat["failure_probability"] == 0.1

    def test_a_guarantee_of_groups(self):
        pages = np.arange(400) // 2
        found = fa.evaluate(
            *self.ITEMS, groups=pages, max_error_rate=[0.05, 0.2], failure_probability=0.1
        )
        assert not found.intervals
        for at in found.limits:
            expected = fa.guaranteed_operating_point(
                *self.ITEMS, groups=pages, max_error_rate=at.limit.value, failure_probability=0.1
            )
            assert (at.guaranteed.point, at.guaranteed.max_group_size) == (expected.point, 2)
        assert 0 < found.limits[1].guaranteed.acceptance_rate < found.limits[1].point.acceptance_rate
        with pytest.raises(
            TypeError, match="failure_probability with groups takes no sample_weight, because"
        ):
            fa.evaluate(*self.ITEMS, groups=pages, sample_weight=np.ones(400), failure_probability=0.1)

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"groups": [0] * 5}, "groups needs intervals=True"),
            (
                {"groups": [0] * 5, "failure_probability": 0.1, "max_risk": 0.1},
                "max_risk with groups and failure_probability needs thresholds",
            ),
        ],
    )
    def test_refusals(self, options, message):
        with pytest.raises(ValueError, match=message):
            fa.evaluate(CORRECT, CONFIDENCE, **options)

    def test_a_reviewer_without_costs_is_refused(self):
        for evaluate in (fa.evaluate, partial(fa.evaluate_groups, by=[0] * 5)):
            with pytest.raises(ValueError, match="reviewer needs costs"):
                evaluate(CORRECT, CONFIDENCE, reviewer=fa.Reviewer(0.9))


class TestCosts:
    @given(strategies.items, st.booleans(), st.sampled_from([None, fa.Reviewer(0.9, 0.01)]))
    def test_they_agree_with_the_functions(self, sample, as_sweep, people):
        data = sample.correct, sample.confidence
        sweep = fa.threshold_sweep(*data)
        limits = {"max_error_rate": [0.1, 1.0], "max_risk": 0.2, "threshold": 0.5}
        given_as = (sweep,) if as_sweep else data
        found = fa.evaluate(*given_as, **limits, costs=COSTS, reviewer=people)
        cost_evaluation, figures = found.cost_evaluation, found.to_dict()
        best = fa.costs.optimal_operating_point(*data, costs=COSTS, reviewer=people)
        assert (cost_evaluation.costs, cost_evaluation.reviewer, cost_evaluation.cheapest) == (
            COSTS,
            people,
            best,
        )
        assert figures["cost/cheapest"] == cost_evaluation.at_cheapest == COSTS.cost(best)
        everywhere = COSTS.cost(sweep, reviewer=people)
        assert figures["cost/everything_checked"] == cost_evaluation.everything_checked == everywhere[0]
        assert figures["cost/nothing_checked"] == cost_evaluation.nothing_checked == everywhere[-1]
        machine = fa.evaluate(*data, **limits)
        assert [each.point for each in found.limits] == [each.point for each in machine.limits]
        for limit, point in ((each.limit, each.point) for each in machine.limits):
            there = fa.operating_point(sweep, threshold=point.threshold, reviewer=people)
            assert (
                figures[f"cost/{limit.key}"]
                == cost_evaluation.at_limits[limit.key]
                == COSTS.cost(there)
            )

    def test_without_prices_there_are_none(self):
        found = fa.evaluate(CORRECT, CONFIDENCE)
        assert found.cost_evaluation is None
        assert not [name for name in found.to_dict() if "cost" in name or "cheapest" in name]

    @pytest.mark.filterwarnings("ignore::fastarac.UnreliableIntervalWarning")
    @pytest.mark.filterwarnings("ignore::fastarac.SampleTooSmallWarning")
    def test_they_stand_beside_intervals_and_guarantees(self):
        people = fa.Reviewer(0.9, 0.01)
        beside = {"intervals": True, "failure_probability": 0.1}
        found = fa.evaluate(CORRECT, CONFIDENCE, costs=COSTS, reviewer=people, **beside)
        alone = fa.evaluate(CORRECT, CONFIDENCE, costs=COSTS, reviewer=people)
        assert found.cost_evaluation == alone.cost_evaluation
        assert found.intervals == fa.evaluate(CORRECT, CONFIDENCE, costs=COSTS, **beside).intervals

    def test_what_is_printed(self):
        lines = str(fa.evaluate(CORRECT, CONFIDENCE, max_error_rate=0.2, costs=COSTS)).split("\n")
        assert "5 outputs are few for a limit of 20% errors" in lines.pop()
        assert [line.split() for line in lines[-7:]] == [
            ["cost", "of", "an", "item", "2.6"],
            ["cheapest:", "accepted", "0.4000"],
            ["threshold", "0.8"],
            ["errors", "that", "remain", "0.0000"],
            ["cost", "of", "an", "item", "1.4"],
            ["with", "everything", "checked", "1.8"],
            ["with", "nothing", "checked", "4"],
        ]


@pytest.mark.parametrize("limit", ["max_error_rate", "max_risk"])
def test_outputs_that_are_all_rejected(limit):
    """As documents are of which an engine never finds one field: everything is checked."""
    correct = np.arange(600) % 3 > 0
    outputs = Outputs(correct, np.full(600, -1.0), rejected=np.ones(600, bool))
    options = {limit: [0.05], "costs": fa.VerificationCosts(1, 2, 10), "failure_probability": 0.1}
    model = Model.of("a", outputs, **options)
    found = model.evaluation.limits[-1]
    assert found.point.acceptance_rate == found.guaranteed.point.acceptance_rate == 0
    assert (found.guaranteed.point.threshold, found.guaranteed.bound) == (math.inf, 0.0)
    costs = model.cost_evaluation
    assert costs.at_cheapest == costs.nothing_checked == costs.everything_checked
    assert costs.everything_checked == pytest.approx(1 + 2 / 3)


@pytest.mark.filterwarnings("ignore::fastarac.SampleTooSmallWarning")
def test_where_nothing_is_accepted_no_threshold_and_no_risk_is_shown():
    correct, confidence = [0, 1], [0.9, 0.2]
    assert str(fa.operating_point(correct, confidence, max_error_rate=0)) == (
        "accept nothing: review everything"
    )
    people = fa.Reviewer(0.9, 0.0)
    point = fa.operating_point(correct, confidence, threshold=3, reviewer=people)
    assert str(point) == "accept nothing: review everything; error rate 5%"
    found = fa.evaluate(
        correct, confidence, max_error_rate=0, max_risk=0, threshold=math.inf,
        costs=fa.VerificationCosts(1, 1, 1000), failure_probability=0.05,
    )  # fmt: skip
    shown = str(found)
    assert "none: review everything" in shown
    assert "inf" not in shown
    figures = found.to_dict()
    for key in ("0", "risk/0", "threshold/inf", "cheapest", "guaranteed/0"):
        assert figures[f"acceptance_rate/{key}"] == 0.0
        assert figures[f"risk/{key}"] is None
        assert figures[f"threshold/{key}"] is None
    bins = fa.frames.BoundedSweep.from_bins([0.0, 0.5, 1.0], [10, 20], [20, 5])
    nothing = fa.operating_point(bins, max_error_rate=0)
    assert str(nothing).startswith("accept nothing, at most ")
    assert "inf" not in str(nothing)
    assert "inf" not in str(fa.evaluate(bins, max_error_rate=0))
