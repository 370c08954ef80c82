"""One figure wherever it is asked for, and none that is impossible."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fastarac as fa
from tests.partial_truth.test_truth import outputs, verified

SCALARS = {
    "arac_auc": fa.arac_auc_score,
    "normalized_arac_auc": fa.normalized_arac_auc_score,
    "augrc": fa.augrc_loss,
    "arp_auc": fa.arp_auc_score,
    "normalized_arp_auc": fa.normalized_arp_auc_score,
    "aurc": fa.aurc_loss,
    "roc_auc": fa.roc_auc_score,
    "pr_auc": fa.pr_auc_score,
    "average_precision": fa.average_precision_score,
}
OF_TWO = ("roc_auc", "pr_auc", "average_precision")


def truth_of(design, n_verified=800):
    confidence, right, judge, rng = outputs(17)
    n = len(right)
    groups = np.arange(n) // 10 if design == "pages" else None
    if groups is None:
        probability = np.clip(n_verified / n * 2.0 * (1.0 - confidence), 0.02, 1.0)
        chosen = rng.random(n) < probability
    else:
        probability = np.full(n, n_verified / n)
        chosen = (rng.random(n // 10) < n_verified / n)[groups]
    truth = fa.PartialTruth(
        verified(right, chosen), inclusion_probability=probability, groups=groups,
        judge=None if design == "alone" else judge,
    )  # fmt: skip
    return truth, confidence


@pytest.mark.filterwarnings("ignore::fastarac.UnreliableIntervalWarning")
@pytest.mark.parametrize("n_verified", [60, 800])
@pytest.mark.parametrize("design", ["alone", "judge", "pages"])
def test_scalars_intervals_and_evaluations_agree(design, n_verified):
    truth, confidence = truth_of(design, n_verified)
    evaluation = fa.evaluate(truth, confidence)
    figures = evaluation.to_dict()
    for name, scalar in SCALARS.items():
        value = scalar(truth, confidence)
        interval = fa.asymptotic_interval(truth, confidence, statistic=name)
        assert value == pytest.approx(interval.estimate, rel=1e-9), name
        assert value == pytest.approx(figures[name], rel=1e-9), name
    for area in (fa.arac_area, fa.arp_area):
        assert area(truth, confidence) == pytest.approx(
            getattr(evaluation, area.__name__.removesuffix("_area")), rel=1e-9
        )
    step = fa.pr_auc_score(truth, confidence, interpolation="step")
    assert step == pytest.approx(figures["average_precision"], rel=1e-9)


@pytest.mark.parametrize("design", ["alone", "judge", "pages"])
def test_areas_of_classes_of_a_sweep_leave_out_pairs_of_an_item_with_itself(design):
    """With them the precision–recall area of one in twenty verified outputs is above 1."""
    truth, confidence = truth_of(design)
    sweep = fa.threshold_sweep(truth, confidence)
    evaluation = fa.evaluate(sweep)
    for name in OF_TWO:
        found = fa.asymptotic_interval(truth, confidence, statistic=name)
        value = SCALARS[name](sweep)
        assert value == getattr(evaluation, name)
        assert abs(value - found.estimate) < found.standard_error  # for a share of the judge of its own
        if design == "alone":
            assert value == pytest.approx(found.estimate, rel=1e-9)
    roc = fa.displays.RocCurveDisplay.from_sweep(sweep)
    assert roc.roc_auc == fa.roc_auc_score(sweep)
    curve = fa.displays.PrecisionRecallDisplay.from_sweep(sweep)
    assert curve.average_precision == fa.average_precision_score(sweep)


@st.composite
def few_outputs(draw):
    n = draw(st.integers(3, 40))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    confidence = rng.random(n).round(draw(st.integers(1, 6)))
    right = rng.random(n) < draw(st.sampled_from([0.1, 0.5, 0.9]))
    probability = np.where(rng.random(n) < 0.3, 0.02, 0.6)
    chosen = rng.random(n) < 0.4
    chosen[0] = True
    judge = rng.random(n) if draw(st.booleans()) else None
    truth = fa.PartialTruth.__new__(fa.PartialTruth)  # a draw may be as unlikely as it will
    truth._fill(verified(right, chosen), probability, judge, None, 0.02, graded=False)
    return truth, confidence


@given(few_outputs())
@settings(max_examples=30, deadline=None)
def test_nothing_impossible_is_said(items):
    truth, confidence = items
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sweep = fa.threshold_sweep(truth, confidence)
        evaluation = fa.evaluate(truth, confidence, intervals=True)
        for name, scalar in SCALARS.items():
            least, most = fa.Statistic(name).range
            for value in (scalar(truth, confidence), scalar(sweep)):
                assert np.isnan(value) or least <= value <= most, name
        of_sweep = fa.evaluate(sweep).to_dict()
        for name in (*SCALARS, "recognition_rate"):
            least, most = fa.Statistic(name).range
            assert of_sweep[name] is None or least <= of_sweep[name] <= most, name
        for name, interval in evaluation.intervals.items():
            assert np.isnan(interval.estimate) or interval.low <= interval.estimate <= interval.high, (
                name
            )
            if "/" not in name:
                least, most = fa.Statistic(name).range
                assert not interval.low < least, name
                assert not interval.high > most, name
        curves = [
            fa.arac_curve(truth, confidence)[:2], fa.arp_curve(truth, confidence)[:2],
            fa.rc_curve(truth, confidence)[:2], fa.generalized_rc_curve(truth, confidence)[:2],
            fa.accuracy_rejection_curve(truth, confidence)[:2], fa.roc_curve(sweep)[:2],
            fa.precision_recall_curve(sweep)[:2],
            fa.det_curve(sweep)[:2] if 0 < sweep.possible.n_correct < sweep.total else [],
            (fa.interpolated_precision(sweep), []), ([fa.break_even_point(sweep).value], []),
            ([fa.equal_error_rate(sweep).rate], []),
        ]  # fmt: skip
        for curve in curves:
            for values in curve:
                assert not (np.abs(np.asarray(values) - 0.5) > 0.5 + 1e-12).any()


@pytest.mark.filterwarnings("ignore::fastarac.UnreliableIntervalWarning")
@pytest.mark.parametrize("pages", [False, True])
def test_without_an_error_a_limit_is_kept_as_far_as_the_rate_is_known(pages):
    """The next error may be as heavy as any: what holds of the error rate holds of limits, too."""
    rng = np.random.default_rng(3)
    confidence = rng.beta(4, 1, 6_000)
    groups = np.arange(6_000) // 10 if pages else None
    sample = fa.partial_truth.draw_verification_sample(
        confidence, 500, judge=confidence, groups=groups, random_state=0
    )
    truth = fa.PartialTruth(
        np.where(sample.selected, 1.0, np.nan),
        inclusion_probability=sample.inclusion_probability, groups=groups,
    )  # fmt: skip
    rate = fa.asymptotic_interval(truth, confidence, statistic="recognition_rate")
    probability = sample.inclusion_probability
    assert probability.max() > 1.3 * probability.min()
    for times, surely in ((0.98, False), (1.02, True)):
        limit = fa.Statistic("acceptance_at_error_rate", max_error_rate=times * (1.0 - rate.low))
        found = fa.asymptotic_interval(truth, confidence, statistic=limit)
        assert (found.low > 0.99) == (surely and not pages)  # a whole page may be wrong
        assert found.low > 0.99 or found.low < 0.9
