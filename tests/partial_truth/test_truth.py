"""Figures of outputs of which some are verified: beside all samples that could be drawn."""

from __future__ import annotations

import itertools
import re
import warnings
from functools import partial

import numpy as np
import pytest
import register
from hypothesis import given, settings
from hypothesis import strategies as st

import fastarac as fa
from fastarac._engine.predictions import Prediction
from fastarac.samples.partial_items import PartialItems
from fastarac.uncertainty.estimated_samples import PartialSample
from fastarac.uncertainty.statistics import DEFINITIONS

STATISTICS = [
    *("recognition_rate", "arac_auc", "normalized_arac_auc", "augrc", "arp_auc", "normalized_arp_auc"),
    *("aurc", "roc_auc", "pr_auc", "average_precision"),
    fa.Statistic("acceptance_at_error_rate", max_error_rate=0.05),
    fa.Statistic("acceptance_at_risk", max_risk=0.1),
    fa.Statistic("arac_partial_auc", acceptance_range=(0.2, 0.7)),
    fa.Statistic("arac_partial_auc", max_error_rate=0.05),
    *(fa.Statistic(name, threshold=0.4) for name in register.AT_THRESHOLD),
]


def outputs(seed, n=4000, digits=3, errors=0.2, sharpness=6.0):
    """Confidences, whether each output is right, and a judge."""
    rng = np.random.default_rng(seed)
    confidence = rng.random(n).round(digits)
    right = rng.random(n) >= errors * (1 - confidence)
    noise = rng.logistic(size=n)
    judge = 1 / (1 + np.exp(-(sharpness * (right - 0.5) + 1 + noise)))
    return confidence, right, judge, rng


def verified(right, chosen):
    return np.where(chosen, right, np.nan)


def quiet(statistic, *items, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fa.UnreliableIntervalWarning)
        return fa.asymptotic_interval(*items, statistic=statistic, **options)


def test_all_names_are_tried():
    tried = {each if isinstance(each, str) else each.name for each in STATISTICS}
    assert tried == {name for name, one in DEFINITIONS.items() if one.in_part}


def pair_sums(confidence, right):
    """Σ over pairs of a correct and an incorrect item of 1, ½ and 0, and their number."""
    above = pairs = 0.0
    for t, c in zip(confidence, right, strict=True):
        for u, d in zip(confidence, right, strict=True):
            if c and not d:
                above += 1.0 if t > u else 0.5 if t == u else 0.0
                pairs += 1.0
    return above, pairs


def counts(confidence, right):
    return [
        sum(1 for t, c in zip(confidence, right, strict=True) if t >= k and not c)
        for k in sorted(set(confidence), reverse=True)
    ]


@pytest.mark.interpreted
@pytest.mark.parametrize("right", [(1, 0, 1, 0, 1), (0, 1, 1, 1, 1), (0, 0, 1, 1, 0)])
@pytest.mark.parametrize(
    ("share", "mostly_wrong"),
    [
        *((None, False), (None, True), ((), False), ((0.25,), False), ((1.0,), False)),
        ((0.25, 0.5), False),
    ],
)
def test_counts_and_pairs_are_right_on_average_over_all_samples(
    right, share, mostly_wrong, monkeypatch
):
    monkeypatch.setattr(PartialItems, "mostly_wrong", mostly_wrong)  # of so few items by chance
    confidence = [0.9, 0.8, 0.8, 0.8, 0.3]
    probability = np.array([0.3, 0.9, 0.5, 0.6, 1.0])
    predictions = [
        np.array(each)
        for each in (
            [0.1, 0.2, 0.9, 0.0, 0.4],
            [0.5, 0.3, 0.2, 1.0, 0.8],
            [0.7, 0.0, 0.3, 0.4, 0.9],
        )
    ]
    mean_counts, mean_pairs, precision = np.zeros(3), np.zeros(2), 0.0
    for drawn in itertools.product((False, True), repeat=4):
        chosen = np.array([*drawn, True])
        chance = np.prod(np.where(chosen, probability, 1 - probability))
        truth = fa.PartialTruth.__new__(fa.PartialTruth)
        truth._fill(verified(right, chosen), probability, None, None, None, graded=False)
        items = PartialItems(truth, confidence)
        items.predictions = [
            Prediction(items.order, each, each[items.order[items.places]]) for each in predictions
        ]
        sweep = items.sweep(share)
        mean_counts += chance * sweep.false_accepts[1:]
        p, q = np.diff(sweep.true_accepts), np.diff(sweep.false_accepts)
        own = q - np.add.reduceat(sweep.item_errors**2, items.starts[:-1])
        above = q @ sweep.true_accepts[:-1] + (p * q - own).sum() / 2
        pairs = sweep.true_accepts[-1] * sweep.false_accepts[-1] - own.sum()
        mean_pairs += chance * np.array([above, pairs])
        accepted = np.array([1, 4, 5])
        precision += chance * ((p * sweep.true_accepts[:-1] + p * p + own) / accepted).sum()
    np.testing.assert_allclose(mean_counts, counts(confidence, right), atol=1e-12)
    np.testing.assert_allclose(mean_pairs, pair_sums(confidence, right), atol=1e-12)
    step = fa.average_precision_score(right, confidence) * sum(right)
    assert precision == pytest.approx(step, abs=1e-12)


labels = st.integers(5, 60).flatmap(
    lambda n: st.tuples(
        st.lists(st.booleans(), min_size=n, max_size=n),
        st.lists(st.integers(0, 12), min_size=n, max_size=n),
    )
)


@pytest.mark.compiled
@pytest.mark.interpreted
@given(labels)
@settings(max_examples=25)
def test_known_with_certainty_is_plain(items):
    right, confidence = np.array(items[0]), np.array(items[1]) / 12
    truth = fa.PartialTruth(right, inclusion_probability=1.0, judge=confidence)
    assert truth.complete
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for statistic in STATISTICS:
            assert fa.asymptotic_interval(truth, confidence, statistic=statistic) == (
                fa.asymptotic_interval(right, confidence, statistic=statistic)
            )
        assert fa.evaluate(truth, confidence, intervals=True) == fa.evaluate(
            right, confidence, intervals=True
        )
        assert fa.guaranteed_operating_point(truth, confidence, max_error_rate=0.5) == (
            fa.guaranteed_operating_point(right, confidence, max_error_rate=0.5)
        )
    assert fa.threshold_sweep(truth, confidence) == fa.threshold_sweep(right, confidence)
    assert fa.arac_area(truth, confidence) == fa.arac_area(right, confidence)


@pytest.mark.compiled
@pytest.mark.interpreted
@pytest.mark.parametrize("statistic", STATISTICS, ids=str)
def test_nearly_certain_is_nearly_plain(statistic):
    confidence, right, judge, _ = outputs(0)
    truth = fa.PartialTruth(right, inclusion_probability=1 - 1e-9, judge=judge)
    ours, plain = (quiet(statistic, each, confidence) for each in (truth, right))
    assert ours.estimate == pytest.approx(plain.estimate, abs=1e-7)
    width = plain.high - plain.low
    near = 0.12 if "acceptance_at" in str(statistic) else 0.01  # a whole number of errors there
    assert (ours.low, ours.high) == pytest.approx((plain.low, plain.high), abs=near * width)


@pytest.mark.interpreted
def test_parts_of_the_area_are_those_under_the_curve():
    confidence, right, judge, rng = outputs(10)
    sample = rng.random(4000) < 0.2
    truth = fa.PartialTruth(verified(right, sample), inclusion_probability=0.2, judge=judge)
    curve = fa.threshold_sweep(truth, confidence)
    x, errors = curve.acceptance_rate, curve.error_rate
    assert (np.diff(errors) < 0).any()  # or the next lines show nothing
    reached = np.maximum.accumulate(errors)
    fine = np.linspace(0, 1, 2_000_001)
    expected = {
        "acceptance_range": ((0.2, 0.7), 1 - np.interp(fine * 0.5 + 0.2, x, errors).mean()),
        "max_error_rate": (0.04, np.interp(fine * 0.04, reached, x).mean()),
    }
    for name, (option, value) in expected.items():
        found = fa.arac_partial_auc_score(truth, confidence, **{name: option})
        assert found == pytest.approx(value, abs=1e-5)
    whole = fa.Statistic("arac_partial_auc", acceptance_range=(0, 1))
    parts, area = (quiet(each, truth, confidence) for each in (whole, "arac_auc"))
    assert (parts.estimate, parts.low, parts.high) == pytest.approx(
        (area.estimate, area.low, area.high)
    )


def test_all_takes_what_is_known_with_certainty():
    confidence, right, judge, rng = outputs(1)
    other = np.where(rng.random(4000) < 0.9, right, ~right)
    truths = [fa.PartialTruth(each, inclusion_probability=1.0) for each in (right, other)]
    for function in (
        fa.roc_auc_score, fa.roc_curve, fa.influence_values, fa.operation.isotonic_calibration,
        partial(fa.bootstrap, n_resamples=20, random_state=0), partial(fa.delong_test, score_b=judge),
    ):  # fmt: skip
        assert repr(function(truths[0], confidence)) == repr(function(right, confidence))
    for method in ("asymptotic", "bootstrap"):
        found, plain = (
            fa.compare_models(
                {"a": (a, confidence), "b": (b, judge)}, method=method, n_resamples=20, random_state=0
            )
            for a, b in (truths, (right, other))
        )
        assert found == plain


def test_order_and_scale_do_not_matter():
    confidence, right, judge, rng = outputs(2)
    probability = rng.uniform(0.1, 0.5, 4000)
    chosen = rng.random(4000) < probability
    truth = fa.PartialTruth(verified(right, chosen), inclusion_probability=probability, judge=judge)
    order = rng.permutation(4000)
    moved = fa.PartialTruth(
        verified(right, chosen)[order], inclusion_probability=probability[order], judge=judge[order]
    )
    for statistic in STATISTICS[: -len(register.AT_THRESHOLD)]:
        a = quiet(statistic, truth, confidence)
        for b in (quiet(statistic, moved, confidence[order]), quiet(statistic, truth, confidence * 7)):
            assert (a.estimate, a.low, a.high) == pytest.approx((b.estimate, b.low, b.high), abs=1e-9)


@pytest.mark.interpreted
def test_the_mean_is_that_of_prediction_powered_inference():
    """Angelopoulos et al. 2023, PPI++: mean(f) + mean of (e − f) over a simple random sample."""
    confidence, right, judge, rng = outputs(3)
    chosen = np.zeros(4000, bool)
    chosen[rng.choice(4000, 800, replace=False)] = True
    truth = fa.PartialTruth(verified(right, chosen), inclusion_probability=0.2, judge=judge)
    found = quiet("recognition_rate", truth, confidence)
    items = PartialItems(truth, confidence)
    (share,) = items.share_of(np.ones(len(items.places)))
    by_confidence, by_judge = (each.values(items.places) for each in items.predictions)
    f = (1 - share) * by_confidence + share * by_judge
    e, known = 1.0 - right[items.order], chosen[items.order]
    assert 1 - found.estimate == pytest.approx(f.mean() + (e - f)[known].mean(), abs=1e-12)
    # a normal interval from both parts of the variance
    variance = f.var() / 4000 + (e - f)[known].var() / 800
    assert found.standard_error == pytest.approx(variance**0.5, rel=0.05)


@pytest.mark.parametrize("sharpness", [0.0, 2.0, 8.0])
def test_a_judge_only_narrows(sharpness):
    confidence, right, judge, rng = outputs(4, 20_000, 5, sharpness=sharpness)
    sample = rng.random(20_000) < 0.1
    alone, judged = (
        fa.PartialTruth(verified(right, sample), inclusion_probability=0.1, judge=each)
        for each in (None, judge)
    )
    limit = fa.Statistic("acceptance_at_error_rate", max_error_rate=0.04)
    for statistic in ("recognition_rate", "arac_auc", "roc_auc", "aurc", limit):
        widths = [
            found.high - found.low
            for found in (quiet(statistic, truth, confidence) for truth in (alone, judged))
        ]
        assert widths[1] < widths[0] * {0.0: 1.1, 2.0: 1.05, 8.0: 0.8}[sharpness], statistic


@pytest.mark.compiled
@pytest.mark.interpreted
def test_few_verified_errors_warn_and_leave_the_judge_out():
    confidence, right, _, rng = outputs(5, 10_000, errors=0.01)
    judge = right * 1.0  # knows everything
    sample = rng.random(10_000) < 0.05
    alone, judged = (
        fa.PartialTruth(verified(right, sample), inclusion_probability=0.05, judge=each)
        for each in (None, judge)
    )
    for statistic in ("recognition_rate", "arac_auc", "aurc"):
        found = []
        for truth in (alone, judged):
            with pytest.warns(fa.UnreliableIntervalWarning, match="only about [23] verified errors or"):
                found.append(fa.asymptotic_interval(truth, confidence, statistic=statistic))
        ends = [(each.estimate, each.low, each.high) for each in found]
        assert ends[0] == pytest.approx(ends[1], rel=1e-9)
        assert found[0].method == "gamma"
        full = fa.asymptotic_interval(right, confidence, statistic=statistic)
        assert found[0].low <= full.estimate <= found[0].high


@pytest.mark.interpreted
def test_without_an_error_the_upper_end_is_that_of_the_verified():
    truth = fa.PartialTruth([1] * 100 + [np.nan] * 900, inclusion_probability=0.1)
    found = quiet("recognition_rate", truth, np.arange(1000))
    assert found.estimate == found.high == 1
    assert found.low == pytest.approx(1 - 0.0368888, abs=1e-6)  # −ln(0.025)/100


@pytest.mark.interpreted
@pytest.mark.parametrize(
    ("name", "threshold"), [("error_rate", 1001), ("acceptance_rate", 1001), ("acceptance_rate", -1)]
)
def test_what_the_confidences_alone_say_is_that_of_whole_items(name, threshold):
    truth = fa.PartialTruth([1, 0] * 50 + [np.nan] * 900, inclusion_probability=0.1)
    statistic = fa.Statistic(name, threshold=threshold)
    found, whole = (
        fa.asymptotic_interval(each, np.arange(1000), statistic=statistic)
        for each in (truth, np.arange(1000) % 2)
    )
    assert (found.estimate, found.low, found.high) == (whole.estimate, whole.low, whole.high)


@pytest.mark.interpreted
@pytest.mark.parametrize("statistic", STATISTICS[:6])
def test_without_an_error_all_figures_warn(statistic):
    truth = fa.PartialTruth([1] * 100 + [np.nan] * 900, inclusion_probability=0.1)
    with pytest.warns(fa.UnreliableIntervalWarning, match="only 0 verified errors"):
        fa.asymptotic_interval(truth, np.arange(1000), statistic=statistic)


@pytest.mark.interpreted
@pytest.mark.parametrize("answer", [0, 1])
def test_areas_of_pairs_of_one_class_are_undefined(answer):
    truth = fa.PartialTruth([answer] * 100 + [np.nan] * 900, inclusion_probability=0.1)
    with pytest.warns(fa.UndefinedMetricWarning, match="roc_auc is undefined"):
        assert np.isnan(fa.asymptotic_interval(truth, np.arange(1000), statistic="roc_auc").estimate)
    models = {"a": (truth, np.arange(1000)), "b": (truth, np.arange(1000)[::-1])}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert np.isnan(fa.compare_models(models, statistic="roc_auc").pairs[0].difference)


@pytest.mark.interpreted
@pytest.mark.parametrize("rare", [0, 5])
def test_correct_items_that_are_few_are_what_errors_that_are_few_would_be(rare):
    rng = np.random.default_rng(rare)
    probability = np.where(np.arange(1000) % 2 == 0, 0.3, 0.1)
    chosen = rng.random(1000) < probability
    wrong = np.isin(np.arange(1000), np.flatnonzero(chosen)[:rare])
    ends = []
    for right in (~wrong, wrong):
        truth = fa.PartialTruth(verified(right, chosen), inclusion_probability=probability)
        found = quiet("recognition_rate", truth, np.arange(1000))
        ends.append([found.low, found.estimate, found.high])
        area = quiet("augrc", truth, np.arange(1000))
        assert area.low <= area.estimate <= area.high
    assert ends[0][0] < ends[0][1]
    assert ends[1] == pytest.approx([1.0 - end for end in ends[0][::-1]], abs=1e-12)


@pytest.mark.interpreted
def test_a_class_that_was_not_seen_was_not_among_the_verified():
    truth = fa.PartialTruth([1] * 200 + [np.nan] * 800, inclusion_probability=0.2)
    found = quiet("recognition_rate", truth, np.arange(1000), method="wald")
    assert found.low == pytest.approx(0.025 ** (1 / 200))  # none of 200 was wrong, not of 1000


@pytest.mark.interpreted
def test_an_evaluation_names_each_figure_that_rests_on_few_errors():
    confidence, right, _, rng = outputs(9, 2000, errors=0.1)
    answers = verified(right, rng.random(2000) < 0.05)
    truth = fa.PartialTruth(answers, inclusion_probability=0.05)
    with pytest.warns(fa.UnreliableIntervalWarning) as caught:
        fa.evaluate(truth, confidence, intervals=True)
    messages = [str(warning.message) for warning in caught]
    assert any("AURC and AUGRC are based on" in message for message in messages)


@pytest.mark.interpreted
def test_errors_of_large_weights_that_were_not_drawn_have_room(monkeypatch):
    """Where a judge was sure one in 20 is verified, and no error seen; elsewhere every second one."""
    rare = np.arange(1000) >= 200
    chosen = np.where(rare, np.arange(1000) % 20 == 0, np.arange(1000) % 2 == 0)
    wrong = ~rare & (np.arange(1000) % 4 == 0)
    answers, probability = verified(~wrong, chosen), np.where(rare, 0.05, 0.5)
    truth = fa.PartialTruth(answers, inclusion_probability=probability)
    confidence = np.random.default_rng(0).random(1000)
    sample = PartialSample.of(truth, confidence)
    found = sample.evidence(fa.Statistic("recognition_rate"))
    room = -np.log(0.025) * (20 - 2) / 1000  # so many errors may be there unseen
    assert sample.unseen(found, 0.95) == pytest.approx((room, 0.0))
    interval = quiet("recognition_rate", truth, confidence)
    assert interval.low < interval.estimate - room
    assert interval.high < interval.estimate + 0.7 * room
    even = fa.PartialTruth(answers, inclusion_probability=chosen.mean())
    assert PartialSample.of(even, confidence).unseen(found, 0.95) == (0.0, 0.0)
    limit = fa.Statistic("acceptance_at_error_rate", max_error_rate=0.06)
    interval = quiet(limit, truth, confidence)
    at_limit = sample.evidence(fa.Statistic("error_rate", threshold=np.median(confidence)))
    room = sample.room_by_tie(at_limit, 0.95)  # of a threshold for what it accepts alone
    assert room[0] == 0.0
    assert (np.diff(room) >= 0.0).all()
    assert room[-1] == sample.unseen(at_limit, 0.95)[1] > 0.0
    monkeypatch.setattr(PartialSample, "room_by_tie", lambda *_: 0.0 * room)
    without = quiet(limit, truth, confidence)
    assert interval.low < without.low
    assert interval.high == without.high


@pytest.mark.compiled
@pytest.mark.interpreted
def test_groups_widen_intervals():
    rng = np.random.default_rng(6)
    groups = np.repeat(np.arange(400), 20)
    confidence = rng.random(8000)
    right = rng.random(8000) >= np.repeat(rng.beta(0.3, 2.0, 400), 20)
    sample = fa.partial_truth.draw_verification_sample(confidence, 2000, groups=groups, random_state=0)
    truth, together = (
        fa.PartialTruth(
            verified(right, sample.selected),
            inclusion_probability=np.where(sample.selected, sample.inclusion_probability, np.nan),
            groups=each,
        )
        for each in (None, groups)
    )
    items = quiet("recognition_rate", truth, confidence)
    by_group = quiet("recognition_rate", together, confidence)
    assert by_group.high - by_group.low > 1.5 * (items.high - items.low)
    assert by_group == quiet("recognition_rate", together, confidence, groups=groups)
    both = fa.evaluate(together, confidence, intervals=True, max_error_rate=0.05)
    assert both.intervals["recognition_rate"] == by_group
    assert both.n == 8000


@pytest.mark.interpreted
def test_evaluation_reads_the_same_everywhere():
    confidence, right, judge, rng = outputs(7)
    sample = rng.random(4000) < 0.25
    truth = fa.PartialTruth(verified(right, sample), inclusion_probability=0.25, judge=judge)
    options = {"max_error_rate": (0.02, 0.05), "max_risk": 0.1, "threshold": 0.5}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fa.UnreliableIntervalWarning)
        plain, found = (
            fa.evaluate(truth, confidence, intervals=each, **options) for each in (False, True)
        )
    assert plain.to_dict().items() <= found.to_dict().items()
    for name in ("recognition_rate", "arac_auc", "roc_auc", "aurc", "augrc", "arp_auc", "pr_auc"):
        assert found.to_dict()[name] == found.intervals[name].estimate
    for limit in found.limits:
        figures = found.to_dict()
        interval = found.intervals[f"acceptance_rate/{limit.limit.key}"]
        assert figures[f"acceptance_rate/{limit.limit.key}"] == pytest.approx(interval.estimate)
    assert fa.operating_point(truth, confidence, max_error_rate=0.05).error_rate <= 0.05
    shares = fa.acceptance_at_error_rate(truth, confidence, max_error_rate=[0.01, 0.02, 0.05])
    assert (np.diff(shares) > 0).all()
    curve = fa.arac_curve(truth, confidence)
    assert curve.accuracy_after_correction[-1] == pytest.approx(found.recognition_rate)


@pytest.mark.slow
def test_guarantee_by_bets():
    confidence, right, judge, _ = outputs(8, 20_000, sharpness=8)
    sample = fa.partial_truth.draw_verification_sample(confidence, 3000, judge=judge, random_state=1)
    truth = fa.PartialTruth(
        verified(right, sample.selected),
        inclusion_probability=sample.inclusion_probability,
        judge=judge,
    )
    point = fa.guaranteed_operating_point(truth, confidence, max_error_rate=0.05, random_state=1)
    full = fa.guaranteed_operating_point(right, confidence, max_error_rate=0.05)
    assert 0.6 * full.acceptance_rate < point.acceptance_rate < 1.05 * full.acceptance_rate
    assert point.assumed_probability is None
    with pytest.raises(ValueError, match="must be 'betting' for max_error_rate, got"):
        fa.guaranteed_operating_point(truth, confidence, max_error_rate=0.05, method="exact")
    assert fa.evaluate(truth, confidence, max_error_rate=0.05, failure_probability=0.05).limits[
        0
    ].guaranteed.acceptance_rate == pytest.approx(point.acceptance_rate, abs=0.1)
    holes = np.where(sample.selected, sample.inclusion_probability, np.nan)
    unknown = fa.PartialTruth(verified(right, sample.selected), inclusion_probability=holes)
    assumed = fa.guaranteed_operating_point(unknown, confidence, max_error_rate=0.05, random_state=1)
    assert assumed.assumed_probability == sample.inclusion_probability[sample.selected].min()
    assert 0.5 < assumed.acceptance_rate < 1.05 * full.acceptance_rate
    # what is unknown of others than those drawn may be declared: the promise is that with all of them
    least = sample.inclusion_probability.min()
    declared = fa.PartialTruth(
        unknown.correct, inclusion_probability=holes, judge=judge, least_probability=least
    )
    again = fa.guaranteed_operating_point(declared, confidence, max_error_rate=0.05, random_state=1)
    assert again.assumed_probability == least
    assert again.acceptance_rate == pytest.approx(point.acceptance_rate, abs=0.05)
    assert (declared + truth).least_probability == least
    assert (unknown + unknown).least_probability is None


@pytest.mark.interpreted
def test_pooled_samples_and_open_answers():
    confidence, right, judge, rng = outputs(9)
    parts = []
    for half, share in ((slice(0, 2000), 0.1), (slice(2000, None), 0.4)):
        chosen = rng.random(2000) < share
        parts.append(
            fa.PartialTruth(
                verified(right[half], chosen), inclusion_probability=share, judge=judge[half]
            )
        )
    both = parts[0] + parts[1]
    assert len(both) == 4000
    assert both.n_verified == parts[0].n_verified + parts[1].n_verified
    found = quiet("recognition_rate", both, confidence)
    assert found.low < right.mean() < found.high
    drawn = both.verified.copy()
    answers = both.correct.copy()
    late = np.flatnonzero(drawn)[:5]
    answers[late] = np.nan
    options = {"inclusion_probability": both.inclusion_probability, "drawn": drawn}
    with pytest.raises(ValueError, match="correct is NaN at 5 items that were drawn"):
        fa.PartialTruth(answers, **options)
    assert fa.PartialTruth(answers, open="wrong", **options).correct[late].tolist() == [0.0] * 5


@pytest.mark.interpreted
def test_grades_of_verifiers_who_disagree():
    confidence, right, _, rng = outputs(10)
    grade = np.clip(right - 0.25 * (rng.random(4000) < 0.2), 0, 1)
    certain = fa.PartialTruth(grade, inclusion_probability=1.0, graded=True)
    plain = fa.threshold_sweep(grade, confidence, graded=True)
    ours = fa.threshold_sweep(certain, confidence)
    np.testing.assert_allclose(ours.false_accepts, plain.false_accepts, rtol=1e-12)
    a = quiet("arac_auc", certain, confidence)
    b = fa.asymptotic_interval(grade, confidence, statistic="arac_auc", graded=True)
    assert (a.estimate, a.standard_error) == pytest.approx((b.estimate, b.standard_error), rel=1e-6)


HALF = {"inclusion_probability": 0.5}


@pytest.mark.interpreted
@pytest.mark.parametrize(
    ("correct", "options", "message"),
    [
        (
            [1, np.nan, 0],
            {"inclusion_probability": [0.5, 0.5, 0]},
            r"inclusion_probability\[2\] must be a number above",
        ),
        (
            [1, np.nan],
            {"inclusion_probability": [1.5, 0.5]},
            r"inclusion_probability\[0\] must .*got 1.5",
        ),
        (
            [1, np.nan, 0],
            {"inclusion_probability": [0.5, 1, 0.5]},
            r"be known, but correct\[1\] is NaN \(1 such row\)",
        ),
        (
            [1, np.nan],
            {"inclusion_probability": [np.nan, 0.5]},
            r"inclusion_probability\[0\] must .*got nan",
        ),
        (
            [1, np.nan],
            {"inclusion_probability": [0.5]},
            "inclusion_probability and correct must have the",
        ),
        ([1, np.nan], {**HALF, "judge": [0.5, 1.5]}, r"judge\[1\] must .*got 1.5"),
        ([1, np.nan], {**HALF, "judge": [np.nan, 0.5]}, r"judge\[0\] must .*got nan"),
        ([1, 0.5], HALF, r"correct\[1\] must be 0, 1 or NaN, got 0.5"),
        ([2, 0.5], {**HALF, "graded": True}, r"correct\[0\] must .*got 2.0"),
        ([np.nan, np.nan], HALF, "correct is NaN everywhere"),
        ([], HALF, "correct is empty"),
        (
            [1, np.nan],
            {**HALF, "drawn": [0, 1], "open": "wrong"},
            r"drawn\[0\] is 0, so correct\[0\] must be NaN, got 1",
        ),
        ([1, np.nan], {**HALF, "drawn": [1, 2]}, r"drawn\[1\] must .*got 2"),
        ([1, np.nan], {**HALF, "open": "right"}, "', got 'right'"),
        (
            [1] * 60 + [np.nan] * 40,
            {"inclusion_probability": 0.2},
            "its sum, 20.0, is the expected number of verified items, but 60 of 100",
        ),
        ([1, np.nan], {**HALF, "least_probability": 0}, "least_probability must be a number above 0"),
        (
            [1, np.nan],
            {**HALF, "least_probability": 0.6},
            r"inclusion_probability\[0\] is 0.5, below least_probability=0.6",
        ),
        (
            [1, np.nan],
            {"inclusion_probability": [0.5, 3]},
            r"inclusion_probability\[1\] must .*got 3",
        ),
        (
            [1] * 20 + [np.nan] * 980,
            {"inclusion_probability": [0.9] * 20 + [np.nan] * 980},
            "20 verified items stand for 22 items instead of about 1,000 .* below 0.9",
        ),
        (
            [1] * 20 + [np.nan] * 980,
            {"inclusion_probability": [0.001] * 20 + [np.nan] * 980},
            "20 verified items stand for 20,000",
        ),
    ],
)
def test_bad_input(correct, options, message):
    with pytest.raises(ValueError, match=message):
        fa.PartialTruth(correct, **options)


@pytest.mark.parametrize("least", [0.01, 0.3, 1.0])
def test_honest_samples_are_not_refused_where_probabilities_of_others_are_unknown(least):
    """One sample in a thousand may be, of two thousand."""
    rng = np.random.default_rng(12)
    probability = least ** rng.random(500)
    refused = 0
    for _ in range(2000):
        drawn = rng.random(500) < probability
        if drawn.any():
            known = np.where(drawn, probability, np.nan)
            try:
                fa.PartialTruth(np.where(drawn, 1.0, np.nan), inclusion_probability=known)
            except ValueError:
                refused += 1
    assert refused <= 6


@pytest.mark.interpreted
def test_what_is_not_offered_says_what_is():
    confidence, right, judge, rng = outputs(11)
    truth = fa.PartialTruth(
        verified(right, rng.random(4000) < 0.2), inclusion_probability=0.2, judge=judge
    )
    with pytest.raises(ValueError, match="or one of recognition_rate, arac_auc,"):
        fa.asymptotic_interval(truth, confidence, statistic="break_even_point")
    displays = fa.displays
    for function, instead in (
        (fa.bootstrap, "for intervals use asymptotic_interval"),
        (fa.influence_values, "for intervals use asymptotic_interval"),
        (partial(fa.delong_test, score_b=judge), "for tests compare_models"),
        (fa.operation.calibration_table, "calibration is not estimated"),
        (displays.CalibrationDisplay.from_predictions, "calibration is not estimated"),
        (displays.RocCurveDisplay.from_predictions, "threshold_sweep(correct, confidence)"),
        (partial(fa.roc_partial_auc_score, fpr_range=(0, 0.5)), "arac_partial_auc_score"),
        (partial(fa.pr_partial_auc_score, recall_range=(0, 0.5)), "pr_auc_score"),
        (fa.costs.cost_curve_band, "cost_curve estimates"),
        (fa.roc_curve, "threshold_sweep(correct, confidence) alone"),
        (fa.correctness, "threshold_sweep(correct, confidence)"),
    ):
        with pytest.raises(TypeError, match=f"got a PartialTruth; .*{re.escape(instead)}"):
            function(truth, confidence)
    with pytest.raises(
        ValueError, match="weights and a PartialTruth are not supported; use estimator='exact'"
    ):
        fa.excess_aurc_loss(truth, confidence)
    with pytest.raises(ValueError, match="max_risk with failure_probability and a PartialTruth needs"):
        fa.evaluate(truth, confidence, max_risk=0.1, failure_probability=0.1)
    with pytest.raises(TypeError, match="sample_weight cannot go with a PartialTruth"):
        fa.evaluate(truth, confidence, sample_weight=confidence)
    with pytest.raises(ValueError, match="correct and confidence must have the same number"):
        fa.evaluate(truth, confidence[:10])
    with pytest.raises(ValueError, match=r"confidence\[3\] must .*got nan"):
        fa.evaluate(truth, np.where(np.arange(4000) == 3, np.nan, confidence))
    with pytest.raises(
        TypeError, match=": correct must be a PartialTruth, because another model has one"
    ):
        fa.compare_models({"a": (truth, confidence), "b": (right, judge)})


@pytest.mark.interpreted
def test_curves_of_classes_take_partial_truth_as_they_take_its_counts():
    confidence, right, judge, rng = outputs(12)
    truth = fa.PartialTruth(
        verified(right, rng.random(4000) < 0.2), inclusion_probability=0.2, judge=judge
    )
    sweep = fa.threshold_sweep(truth, confidence)
    for function in (
        fa.break_even_point,
        fa.equal_error_rate,
        partial(fa.interpolated_precision, recall_levels=[0.2, 0.7]),
        fa.eleven_point_average_precision,
        fa.costs.cost_curve,
    ):
        ours, counts = function(truth, confidence), function(sweep)
        if isinstance(ours, tuple) or hasattr(ours, "to_columns"):
            assert ours == counts
        else:
            np.testing.assert_array_equal(ours, counts)
