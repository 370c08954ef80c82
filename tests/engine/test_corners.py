"""Sweeps with corners only: the same values as of every threshold, to the last bit, or a refusal."""

from __future__ import annotations

import itertools
import math
import pickle
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
import reference as ref
import strategies
from hypothesis import given
from hypothesis import strategies as st
from register import LIMITS, METRICS, close, identical
from ways import DISTRIBUTIONS, forced

import fastarac as fa
from fastarac._engine import inputs, ranked, runs, smaller_class
from fastarac.costs import optimal_operating_point, performance_at_error_rate
from fastarac.samples.door import as_ranked

pytestmark = pytest.mark.interpreted

ON_POINTS = ("arac_curve", "generalized_rc_curve", "ThresholdSweep")  # a value for each point
REFUSED = {
    "accuracy_rejection_curve", "arp_curve", "arp_area", "break_even_point",
    "costs.rejection_cost_curve", "equal_error_rate", "net_benefit_curve", "rc_curve",
    "three_way_operating_point",
}  # fmt: skip
INSIDE = "may be inside a run of correct items"


def whole_and_corners(sample):
    whole = fa.threshold_sweep(sample.correct, sample.confidence)
    return whole, fa.threshold_sweep(sample.correct, sample.confidence, corners_only=True)


def corners_by_definition(whole):
    """Indices of the points but those between two ties with correct items alone."""
    ta, wrong = whole.true_accepts.tolist(), whole.false_accepts.tolist()
    kept = [0]
    for i in range(1, len(ta)):
        here = wrong[i] == wrong[i - 1]
        if not (here and i + 1 < len(ta) and wrong[i + 1] == wrong[i]):
            kept.append(i)
    return kept


def same_points(corners, whole):
    kept = corners_by_definition(whole)
    for name, column in corners.to_columns().items():
        expected = getattr(whole, name)[kept]
        assert column.dtype == expected.dtype
        assert column.tolist() == expected.tolist()


def refuses(metric):
    """Whether it needs thresholds inside runs."""
    options = metric.keywords
    return (
        metric.function in REFUSED
        or options.get("estimator", "mean") == "trapezoid"
        or options.get("interpolation") in ("linear", "step")
        or (metric.owner == "excess_aurc_loss" and "estimator" not in options)
        or "min_acceptance_rate" in options
    )


@given(strategies.unweighted)
def test_points_are_those_where_a_run_of_correct_items_ends_or_an_error_is(sample):
    whole, corners = whole_and_corners(sample)
    same_points(corners, whole)
    assert type(corners) is fa.results.CornerSweep
    assert len(corners.thresholds) <= 2 * whole.n_incorrect + 2


@given(sample=strategies.unweighted)
def test_the_way_of_few_errors_makes_the_same_points(sample):
    whole = fa.threshold_sweep(sample.correct, sample.confidence)
    for threads in (1, 3):
        with forced("smaller class", threads):
            found = fa.threshold_sweep(sample.correct, sample.confidence, corners_only=True)
        same_points(found, whole)


@pytest.mark.compiled
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.uint64])
@pytest.mark.parametrize("draw", DISTRIBUTIONS.values(), ids=DISTRIBUTIONS)
def test_few_errors_of_every_distribution(draw, dtype):
    rng = np.random.default_rng(2)
    n = 3000
    confidence = draw(rng, n)
    if dtype in (np.int64, np.uint64):  # beyond what a double tells apart
        confidence = np.iinfo(dtype).max - np.unique(confidence, return_inverse=True)[1].astype(dtype)
    elif dtype == np.float32:
        confidence = np.clip(confidence, -3e38, 3e38).astype(dtype)
    correct = rng.random(n) < 0.95
    whole = fa.threshold_sweep(correct, confidence)
    items = inputs.read_items(correct, confidence)
    with forced("smaller class", 2):
        found = smaller_class.corners_around_few(items)
        pairs = [
            smaller_class.count_around_few(inputs.read_items(c, confidence))
            for c in (correct, ~correct)
        ]
    expected = [as_ranked(fa.threshold_sweep(c, confidence)).pairs for c in (correct, ~correct)]
    if found is not None:  # not all in one cell
        same_points(fa.results.CornerSweep(*found), whole)
        assert pairs == expected
    assert found is not None or draw not in (DISTRIBUTIONS["uniform"], DISTRIBUTIONS["powers"])


TOGETHER = 60  # metrics of a sample, which takes longer to make than a metric to evaluate


@pytest.mark.parametrize("first", range(0, len(METRICS), TOGETHER))
@given(sample=strategies.unweighted)
def test_every_metric_is_the_same_or_refused(first, sample):
    whole, corners = whole_and_corners(sample)
    for metric in METRICS[first : first + TOGETHER]:
        if metric.function != "operating_point" or "threshold" not in metric.keywords:  # below
            same_or_refused(metric, sample, whole, corners)


def same_or_refused(metric, sample, whole, corners):
    if refuses(metric):
        with pytest.raises(TypeError, match="lacks the thresholds inside runs of correct items: use"):
            metric.checked(corners)
        return
    expected, found = metric.checked(whole), metric.checked(corners)
    if metric.owner in ON_POINTS and metric.function != "ThresholdSweep.recognition_rate":
        kept = corners_by_definition(whole)
        columns = len(expected) // len(whole.thresholds)
        expected = expected.reshape(columns, -1)[:, kept].ravel()
    # Parts of ties are rounded one by one, and corners join ties.
    same = close if metric.function == "pr_partial_auc_score" else identical
    assert same(found, expected), metric.name
    with forced("smaller class"):
        if metric.owner not in ON_POINTS:
            of_items = metric.checked(sample.correct, sample.confidence)
            assert same(of_items, expected), metric.name


REVIEWERS = [None, fa.Reviewer(0.9, 0.05), fa.Reviewer(0.5, 0.5), fa.Reviewer(0.0, 1.0)]


@pytest.mark.filterwarnings("ignore::fastarac.UndefinedMetricWarning")
@given(sample=strategies.unweighted)
def test_people_who_err_change_nothing_of_that(sample):
    whole, corners = whole_and_corners(sample)
    for reviewer in REVIEWERS:
        the_same_with(reviewer, whole, corners)


def the_same_with(reviewer, whole, corners):
    costs = fa.VerificationCosts(2.0, 4.0, 22.0)
    assert optimal_operating_point(corners, costs=costs, reviewer=reviewer) == (
        optimal_operating_point(whole, costs=costs, reviewer=reviewer)
    )
    options = {"max_error_rate": LIMITS, "reviewer": reviewer}
    for function in (fa.acceptance_at_error_rate, performance_at_error_rate):
        more = options | ({"costs": costs} if function is performance_at_error_rate else {})
        assert identical(function(corners, **more), function(whole, **more))
    for interpolate in (False, True):
        try:
            point = fa.operating_point(
                whole, max_error_rate=0.3, interpolate=interpolate, reviewer=reviewer
            )
        except ValueError:  # out of the reach of these people
            continue
        assert point == fa.operating_point(
            corners, max_error_rate=0.3, interpolate=interpolate, reviewer=reviewer
        )


@given(strategies.unweighted, st.data())
def test_risks_are_kept_at_the_same_points(sample, data):
    whole, corners = whole_and_corners(sample)
    limit = data.draw(st.sampled_from([*whole.risk.tolist(), 0.01, 0.3]))
    for interpolate in (False, True):
        options = {"max_risk": limit, "interpolate": interpolate}
        assert fa.operating_point(corners, **options) == fa.operating_point(whole, **options)
        assert fa.acceptance_at_risk(corners, **options) == fa.acceptance_at_risk(whole, **options)


@given(strategies.unweighted)
def test_hulls_are_the_same(sample):
    whole, corners = whole_and_corners(sample)
    hull = fa.costs.arac_convex_hull(whole)
    assert fa.costs.arac_convex_hull(corners) == hull
    with forced("smaller class"):
        assert fa.costs.arac_convex_hull(sample.correct, sample.confidence) == hull


def answer(sweep, threshold):
    try:
        return sweep.at(threshold)
    except ValueError as error:
        return str(error)


@given(strategies.unweighted)
def test_a_threshold_is_answered_as_by_the_whole_sweep_or_refused(sample):
    whole, corners = whole_and_corners(sample)
    rising = whole.thresholds[:0:-1].astype(np.float64)
    asked = [*whole.thresholds.tolist(), *(rising[1:] / 2 + rising[:-1] / 2).tolist(), -math.inf]
    for threshold in asked:
        found = answer(corners, threshold)
        if isinstance(found, str):
            assert INSIDE in found
            assert threshold not in corners.thresholds.tolist()
            with pytest.raises(ValueError, match=INSIDE):
                fa.operating_point(corners, threshold=threshold)
        else:
            assert found == whole.at(threshold)
    own = corners.thresholds
    assert all(map(np.array_equal, corners.at(own), whole.at(own)))


@given(strategies.unweighted)
def test_the_roc_curve_is_the_same_line(sample):
    whole, corners = whole_and_corners(sample)
    if not (whole.n_correct and whole.n_incorrect):
        return
    line, found = fa.roc_curve(whole, drop_intermediate=False), fa.roc_curve(corners)
    points = set(zip(line.fpr.tolist(), line.tpr.tolist(), strict=True))
    assert points >= set(zip(found.fpr.tolist(), found.tpr.tolist(), strict=True))
    assert fa.auc(found.fpr, found.tpr) == pytest.approx(fa.auc(line.fpr, line.tpr), rel=1e-12)
    np.testing.assert_allclose(np.interp(line.fpr, found.fpr, found.tpr)[-1], 1.0)


SWEEP = fa.threshold_sweep([1, 0, 1, 1, 1], [0.9, 0.8, 0.7, 0.6, 0.5], corners_only=True)
OTHERS = {
    "merging": lambda: SWEEP + fa.threshold_sweep([1, 0], [0.1, 0.2]),
    "merging into": lambda: fa.threshold_sweep([1, 0], [0.1, 0.2]) + SWEEP,
    "average precision": lambda: fa.average_precision_score(SWEEP),
    "precision_recall_curve": lambda: fa.precision_recall_curve(SWEEP),
    "det_curve": lambda: fa.det_curve(SWEEP),
    "confusion_matrix_at_thresholds": lambda: fa.confusion_matrix_at_thresholds(SWEEP),
    "evaluate": lambda: fa.evaluate(SWEEP),
    "bootstrap": lambda: fa.bootstrap(SWEEP, statistic="average_precision", n_resamples=10),
    "bootstrap_band": lambda: fa.bootstrap_band(SWEEP, n_resamples=10),
    "asymptotic_interval": lambda: fa.asymptotic_interval(SWEEP),
    "guarantee": lambda: fa.guaranteed_operating_point(SWEEP, max_error_rate=0.5),
    "models": lambda: fa.costs.preference_map({"a": SWEEP}, gammas=[1.0], deltas=[1.0]),
    "average_curves": lambda: fa.measures.average_curves([SWEEP], [0.5]),
    "display": lambda: fa.displays.ARACDisplay.from_sweep(SWEEP),
    "accuracy_rejection_cost_curve": lambda: fa.costs.accuracy_rejection_cost_curve(
        SWEEP, costs=fa.VerificationCosts(1, 1, 4)
    ),
}


@pytest.mark.parametrize("refused", OTHERS.values(), ids=OTHERS)
def test_what_needs_every_threshold_says_so(refused):
    with pytest.raises(TypeError, match=r"1 incorrect\) lacks the thresholds inside runs of"):
        refused()


def test_the_bootstrap_of_pairs_draws_the_same():
    rng = np.random.default_rng(1)
    confidence = rng.random(500)
    correct = rng.random(500) < 0.9
    options = {"statistic": "roc_auc", "n_resamples": 50, "random_state": 3}
    corners = fa.threshold_sweep(correct, confidence, corners_only=True)
    assert fa.bootstrap(corners, **options) == fa.bootstrap(correct, confidence, **options)


def test_it_says_what_it_is():
    assert repr(SWEEP) == "CornerSweep(3 thresholds, 4 correct, 1 incorrect)"
    assert str(SWEEP) == "5 items, 80.0% correct, 3 thresholds, corners only"
    assert pickle.loads(pickle.dumps(SWEEP)) == SWEEP
    columns = SWEEP.to_columns().values()
    assert fa.results.CornerSweep(*columns) == SWEEP
    assert fa.ThresholdSweep(*columns) != SWEEP


def test_weights_and_grades_have_no_corners():
    for name, value in (("sample_weight", [1.0, 2.0]), ("graded", True)):
        with pytest.raises(TypeError, match="give only one of corners_only and"):
            fa.threshold_sweep([1, 0], [0.5, 0.6], corners_only=True, **{name: value})
    with pytest.raises(TypeError, match="CornerSweep needs counts of type int64, got float64"):
        fa.results.CornerSweep([np.inf, 0.5], [0.0, 1.5], [0.0, 1.0])


def test_bad_values_are_found_on_the_way_of_few_errors():
    confidence = np.linspace(0.0, 1.0, 100)
    correct = (np.arange(100) % 20 > 0).astype(np.int8)
    for place, value, message in (
        (3, 7, r"correct\[3\] must .*got 7"),
        (5, np.nan, r"confidence\[5\] must .*got nan"),
    ):
        labels, scores = correct.copy(), confidence.copy()
        (scores if value != 7 else labels)[place] = value
        with forced("smaller class", sample=8):  # none of those values
            with pytest.raises(ValueError, match=message):
                fa.threshold_sweep(labels, scores, corners_only=True)
            with pytest.raises(ValueError, match=message):
                smaller_class.count_around_few(inputs.read_items(labels, scores))


# --- Sums over runs ----------------------------------------------------------------------------


@pytest.mark.compiled
@pytest.mark.parametrize("errors", [3, 2000])
def test_the_mean_of_wide_ties_and_long_runs_is_rounded_once(errors):
    """Ties of thousands of items; runs that are as long."""
    rng = np.random.default_rng(errors)
    for digits in (1, 2, None):
        confidence = rng.random(20_000)
        confidence = confidence if digits is None else confidence.round(digits)
        correct = np.ones(20_000, np.bool_)
        correct[rng.choice(20_000, errors, replace=False)] = False
        with localcontext(prec=50):
            total = t0 = n0 = Decimal(0)
            whole = fa.threshold_sweep(correct, confidence)
            for p, q in zip(np.diff(whole.true_accepts), np.diff(whole.false_accepts), strict=True):
                g = int(p + q)
                slope = Decimal(int(p)) / g
                for j in range(1, g + 1):
                    total += (t0 + j * slope) / (n0 + j)
                t0, n0 = t0 + int(p), n0 + g
            precision, risk = float(total / n0), float(1 - total / n0)
        corners = fa.threshold_sweep(correct, confidence, corners_only=True)
        for data in ((correct, confidence), (whole,), (corners,)):
            assert fa.arp_auc_score(*data, estimator="mean") == precision
            assert fa.aurc_loss(*data, estimator="mean") == risk


def test_nothing_exceeds_the_best_order_of_many_errors():
    correct = np.arange(10_000) >= 2000
    assert fa.excess_aurc_loss(correct, np.arange(10_000.0), estimator="mean") == 0.0


@pytest.mark.slow
def test_logarithms_of_wide_ties_stay_within_two_units_in_the_last_place():
    rng = np.random.default_rng(5)
    for _ in range(20):
        n = int(rng.integers(5, 60_000))
        confidence = rng.beta(8, 1, n).round(4)
        correct = rng.random(n) >= 0.02 * (1 - confidence) / np.mean(1 - confidence)
        whole = fa.threshold_sweep(correct, confidence)
        points = list(zip(whole.true_accepts.tolist(), whole.false_accepts.tolist(), strict=True))
        with localcontext(prec=40):
            area = recall = Decimal(0)
            for (t0, f0), (t, f) in itertools.pairwise(points):
                p, g, n0 = t - t0, t + f - t0 - f0, t0 + f0
                term = Decimal(p)
                if n0:
                    term += (t0 - Decimal(p * n0) / g) * (Decimal(n0 + g) / n0).ln()
                area += term
                recall += term * p / g
            values = {"exact": area / n, "davis": recall / int(correct.sum())}
            found = {
                "exact": fa.arp_auc_score(whole, estimator="exact"),
                "davis": fa.pr_auc_score(whole),
            }
            for name, value in values.items():
                assert abs(Decimal(found[name]) - value) <= Decimal(2 * math.ulp(found[name]))


@pytest.mark.parametrize("draw", ["uniform", "two heaps", "rounded"])
def test_runs_are_the_same_from_everything(draw):
    """From sorted buckets, from the sweep and from corners; so are the sums over them."""
    rng = np.random.default_rng(6)
    confidence = DISTRIBUTIONS[draw](rng, 3000)
    correct = rng.random(3000) < 0.9
    items = inputs.read_items(correct, confidence)
    expected = runs.merged(ranked.every_threshold(items))
    found = [runs.merged(ranked.corners_of(items)), as_ranked(correct, confidence).runs]
    with forced("buckets", max_buckets=64):
        found.append(as_ranked(correct, confidence).runs)
        in_order = as_ranked(correct, confidence)
        in_order.sums()
        found.append(in_order.runs)
    for other in found:
        assert all(map(np.array_equal, expected, other))


def test_a_risk_of_one_error_in_a_million_has_all_its_digits():
    n = 10**6 if strategies.COMPILED else 10**4
    correct = np.ones(n, np.bool_)
    correct[0] = False
    loss = Fraction(1, n * n)
    assert fa.aurc_loss(correct, np.arange(n), estimator="mean") == float(loss)
    assert ref.round_once(loss) == float(loss)


def test_ties_at_the_limit_of_narrow_ones_count_once():
    """Correct and incorrect items in turns: one of the former has 256 items above it."""
    n = 300
    correct = np.arange(2 * n) % 2 == 0
    terms = [1.0, *(1.0 - i * math.log1p(1 / (2 * i)) for i in range(1, n))]
    found = fa.pr_auc_score(correct, -np.arange(2.0 * n))
    assert found == pytest.approx(math.fsum(terms) / n, rel=1e-14)
