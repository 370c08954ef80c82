"""The reference itself: examples worked by hand, and scikit-learn and scipy where they agree."""

from __future__ import annotations

import itertools
import math
import statistics
from fractions import Fraction

import numpy as np
import pytest
import reference as ref
import strategies
from hypothesis import assume, given
from scipy.integrate import quad
from scipy.stats import mannwhitneyu
from sklearn import metrics

pytestmark = pytest.mark.interpreted

F = Fraction
INF = math.inf

# Five items, a tie of one correct and one incorrect:  confidence  TA FA   X    Y
#                                                          inf      0  0   0    1
FIVE = ref.to_items(  #                                    0.875    1  0  1/5   1
    [1, 1, 0, 1, 0],  #                                    0.75     2  1  3/5  4/5
    [0.875, 0.75, 0.75, 0.625, 0.5],  #                    0.625    3  1  4/5  4/5
)  #                                                       0.5      3  2   1   3/5
ALL_CORRECT = ref.to_items([1, 1, 1], [0.5, 0.25, 0.25])
ALL_INCORRECT = ref.to_items([0, 0, 0], [0.5, 0.25, 0.25])
ALL_TIED = ref.to_items([1, 1, 1, 0], [7, 7, 7, 7])
WRONG_FIRST = ref.to_items([0, 1], [1, 0])


def close(value: F | None, other: float) -> bool:
    return other == pytest.approx(ref.round_once(value), rel=1e-12, abs=1e-13, nan_ok=True)


# --- Numbers and the sweep ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "fraction"),
    [
        (np.int64(2**53 + 1), F(2**53 + 1)),
        (np.uint64(2**64 - 1), F(2**64 - 1)),
        (np.float16(0.5), F(1, 2)),
        (np.float32(0.1), F(13421773, 2**27)),
        (np.array(0.1, ">f8")[()], F(0.1)),
        (np.bool_(1), F(1)),
        (True, F(1)),
        (-0.0, F(0)),
        (5e-324, F(1, 2**1074)),
        (F(1, 3), F(1, 3)),
    ],
)
def test_exact(value, fraction):
    assert ref.exact(value) == fraction


def test_round_once():
    assert ref.round_once(F(1, 3)) == 1 / 3
    assert ref.round_once(F(2**54 + 3, 2**54)) == 1 + 2**-52
    assert math.isnan(ref.round_once(None))


def test_logarithm():
    assert close(ref.logarithm(F(3, 2)), math.log(1.5))
    tiny = F(1, 10**20)
    assert abs(ref.logarithm(1 + tiny) - (tiny - tiny**2 / 2)) < F(1, 10**58)


def test_an_item_of_weight_0_is_as_if_absent():
    assert ref.to_items([1, 0], [3, 4], [2, 0]) == (ref.Item(F(3), 1, F(2)),)


def test_sweep_by_hand():
    counts = [tuple(map(int, point[1:5])) for point in ref.sweep(FIVE)]
    assert counts == [(0, 0, 3, 2), (1, 0, 2, 2), (2, 1, 1, 1), (3, 1, 0, 1), (3, 2, 0, 0)]
    assert [point.threshold for point in ref.sweep(FIVE)] == [INF, 0.875, 0.75, 0.625, 0.5]
    assert ref.point_at(FIVE, 0.7)[1:] == ref.sweep(FIVE)[2][1:]
    assert ref.point_at(FIVE, -INF)[1:] == ref.sweep(FIVE)[-1][1:]


def test_rates_by_hand():
    point = ref.sweep(FIVE)[2]
    assert point.acceptance_rate == F(3, 5)
    assert point.verification_rate == F(2, 5)
    assert point.correction_rate == F(1, 5)
    assert point.error_rate == F(1, 5)
    assert point.accuracy_after_correction == F(4, 5)
    assert point.risk == F(1, 3)
    assert point.precision == F(2, 3)
    assert point.recall == F(2, 3)
    assert point.false_positive_rate == F(1, 2)
    assert point.recognition_rate == ref.recognition_rate(FIVE) == F(3, 5)


def test_risk_and_precision_where_nothing_is_accepted():
    assert ref.column(ref.sweep(WRONG_FIRST), "risk") == [1, 1, F(1, 2)]
    assert ref.column(ref.sweep(WRONG_FIRST), "precision") == [0, 0, F(1, 2)]
    assert ref.column(ref.sweep(ALL_INCORRECT), "recall") == [None] * 3
    assert ref.column(ref.sweep(ALL_CORRECT), "false_positive_rate") == [None] * 3


@given(strategies.items)
def test_the_rates_belong_together(sample):
    for point in ref.sweep(ref.to_items(*sample)):
        assert point.recognition_rate + point.error_rate + point.correction_rate == 1
        assert point.accuracy_after_correction == 1 - point.error_rate
        assert point.accepted == 0 or point.risk + point.precision == 1


def test_curves_by_hand():
    x = [0, F(1, 5), F(3, 5), F(4, 5), 1]
    thresholds = [INF, 0.875, 0.75, 0.625, 0.5]
    precision = [1, 1, F(2, 3), F(3, 4), F(3, 5)]
    assert ref.curve(FIVE, "arac_curve") == (x, [1, 1, F(4, 5), F(4, 5), F(3, 5)], thresholds)
    assert ref.curve(FIVE, "arp_curve") == (x, precision, thresholds)
    assert ref.curve(FIVE, "rc_curve") == (x, [1 - value for value in precision], thresholds)
    assert ref.curve(FIVE, "generalized_rc_curve")[1] == [0, 0, F(1, 5), F(1, 5), F(2, 5)]
    assert ref.curve(FIVE, "accuracy_rejection_curve")[:2] == ([1 - v for v in x], precision)


# --- Areas -------------------------------------------------------------------------------------


def test_arac_area_by_hand():
    expected = (F(43, 50), F(13, 50), F(3, 5), F(5, 4), F(5, 8), 1)
    assert ref.arac_area(FIVE) == expected
    assert ref.arac_area(FIVE, gamma=0.5)[3:5] == (F(37, 40), F(37, 60))
    assert ref.augrc(FIVE) == F(7, 50)


@pytest.mark.parametrize(
    ("items", "area"),
    [
        (ALL_CORRECT, (1, 0, 1, 3, 1, 2)),
        (ALL_INCORRECT, (F(1, 2), F(1, 2), 0, 1, F(1, 3), 2)),
        (ALL_TIED, (F(7, 8), F(1, 8), F(3, 4), F(7, 4), F(7, 12), 2)),
        (WRONG_FIRST, (F(5, 8), F(1, 8), F(1, 2), 1, F(1, 3), 2)),
    ],
    ids=["all correct", "all incorrect", "all tied", "wrong first"],
)
def test_arac_area_at_the_ends(items, area):
    assert ref.arac_area(items, gamma=2) == area


@given(strategies.items)
def test_arac_identities(sample):
    items = ref.to_items(*sample)
    beta, roc = ref.recognition_rate(items), ref.roc_auc(items)
    chance = beta * (1 - beta) * (1 - roc) if roc is not None else 0
    assert ref.arac_auc(items) == 1 - chance - (1 - beta) ** 2 / 2
    assert ref.augrc(items) == 1 - ref.arac_auc(items)


def test_roc_auc_by_hand():
    assert ref.roc_auc(FIVE) == F(3, 4)
    assert ref.roc_auc(ALL_TIED) == F(1, 2)
    assert ref.roc_auc(WRONG_FIRST) == 0
    assert ref.roc_auc(ALL_CORRECT) is ref.roc_auc(ALL_INCORRECT) is None


def test_arp_auc_by_hand():
    exact = (3 + 0.5 * math.log(3) - math.log(4 / 3) + 3 * math.log(5 / 4)) / 5
    assert ref.arp_auc(FIVE) == F(81, 100)
    assert ref.arp_auc(FIVE, "mean") == F(113, 150)
    assert close(ref.arp_auc(FIVE, "exact"), exact)
    for estimator in ["trapezoid", "mean", "exact"]:
        assert ref.arp_auc(ALL_TIED, estimator) == F(3, 4)
        assert ref.arp_auc(ALL_CORRECT, estimator) == 1
        assert ref.arp_auc(ALL_INCORRECT, estimator) == 0
    assert ref.arp_area(FIVE) == (F(81, 100), F(21, 100), F(3, 5), F(9, 8), F(9, 16), 1)


@given(strategies.tied())
def test_the_mean_estimator_is_the_mean_over_all_orders_of_the_tied(sample):
    items = ref.to_items(*sample.take(slice(6)))
    ties = itertools.groupby(sorted(items, reverse=True), key=lambda item: item.confidence)
    orders = itertools.product(*(itertools.permutations(tie) for _, tie in ties))
    means = []
    for order in orders:
        hits = [item.correct for tie in order for item in tie]
        means.append(statistics.mean(F(sum(hits[:k]), k) for k in range(1, len(hits) + 1)))
    assert ref.arp_auc(items, "mean") == statistics.mean(means)


def precision_along(start: ref.Point, end: ref.Point, f: float) -> float:
    accepted = (1 - f) * float(start.accepted) + f * float(end.accepted)
    return ((1 - f) * float(start.true_accepts) + f * float(end.true_accepts)) / accepted


def test_the_logarithms_are_the_integrals():
    pieces = list(itertools.pairwise(ref.sweep(FIVE)))
    areas = [quad(lambda f, p=piece: precision_along(*p, f), 1e-300, 1)[0] for piece in pieces]
    over_acceptance = [
        area * (b.accepted - a.accepted) / 5 for area, (a, b) in zip(areas, pieces, strict=True)
    ]
    over_recall = [
        area * float(b.recall - a.recall) for area, (a, b) in zip(areas, pieces, strict=True)
    ]
    assert close(ref.arp_auc(FIVE, "exact"), sum(over_acceptance))
    assert close(ref.pr_auc(FIVE), sum(over_recall))


def test_excess_aurc_by_hand():
    # Perfectly sorted, precision is 1, 1, 1, 3/4, 3/5 at X = 1/5, 2/5, 3/5, 4/5, 1.
    best = 1 - (F(3, 5) + F(1, 5) * F(7, 8) + F(1, 5) * F(27, 40))
    assert ref.best_aurc(FIVE) == best == F(9, 100)
    assert ref.excess_aurc(FIVE) == F(19, 100) - F(9, 100)
    assert ref.normalized_aurc(FIVE) == F(10, 100) / (F(2, 5) - F(9, 100))
    assert ref.best_aurc(FIVE, "mean") == 1 - (3 + F(3, 4) + F(3, 5)) / 5
    asymptotic = 0.4 + 0.6 * math.log(0.6)
    assert close(ref.best_aurc(FIVE, optimum="asymptotic"), asymptotic)
    assert close(ref.best_aurc(FIVE, "exact"), asymptotic)


@pytest.mark.parametrize("estimator", ["trapezoid", "mean", "exact"])
@pytest.mark.parametrize("optimum", ["finite", "asymptotic"])
def test_excess_aurc_at_the_ends(estimator, optimum):
    for items in [ALL_CORRECT, ALL_INCORRECT]:
        assert ref.excess_aurc(items, estimator, optimum) == 0
        assert ref.normalized_aurc(items, estimator, optimum) is None
    assert ref.excess_aurc(ref.perfectly_sorted(FIVE), estimator) == 0


def test_weights_exclude_what_needs_single_items():
    items = ref.to_items([1, 0], [1, 0], [1, 2])
    with pytest.raises(ValueError, match="without weights"):
        ref.arp_auc(items, "mean")
    with pytest.raises(ValueError, match="without weights"):
        ref.excess_aurc(items)


def test_arac_partial_by_hand():
    assert ref.arac_partial_by_acceptance(FIVE, 0, 0.5) == F(191, 200)
    assert ref.arac_partial_by_acceptance(FIVE, 0, 1) == F(43, 50)
    assert ref.arac_partial_by_error_rate(FIVE, 0.5) == F(18, 25)
    assert ref.arac_partial_by_error_rate(FIVE, F(2, 5)) == F(13, 20)  # A_U/(1−β)
    assert ref.arac_partial_by_error_rate(ALL_CORRECT, 0.01) == 1
    assert ref.arac_partial_by_error_rate(ALL_INCORRECT, 0.5) == F(1, 4)


def test_roc_partial_by_hand():
    assert ref.roc_partial(FIVE, "fpr", 0, 1) == F(3, 4)
    assert ref.roc_partial(FIVE, "tpr", 0, 1) == F(3, 4)
    assert ref.roc_partial(FIVE, "fpr", 0, 0.25) == F(5, 48)
    assert ref.roc_partial(FIVE, "tpr", 0.5, 1) == F(13, 48)
    assert ref.roc_partial(FIVE, "fpr", 0, 0.5, "mcclish") == F(2, 3)
    assert ref.roc_partial(FIVE, "tpr", 0.5, 1, "mcclish") == F(25, 36)
    assert ref.roc_partial(ALL_TIED, "fpr", 0.25, 0.5, "mcclish") == F(1, 2)
    assert ref.roc_partial(WRONG_FIRST, "fpr", 0, 0.5, "mcclish") is None
    assert ref.roc_partial(ALL_CORRECT, "fpr", 0, 0.5) is None


def test_pr_partial_by_hand():
    assert ref.pr_partial(FIVE, 0.5, 1, "step") == F(1, 6) * F(2, 3) + F(1, 3) * F(3, 4)
    assert ref.pr_partial(FIVE, 0, F(1, 3), "linear") == F(1, 3)
    assert ref.pr_partial(FIVE, F(2, 3), 1, "linear", "width") == F(17, 24)
    # Half of the second tie: from 1 of 1 to 3/2 of 2 accepted items.
    half = (ref.logarithm(2) + 1) / 12
    assert abs(ref.pr_partial(FIVE, F(1, 3), F(1, 2)) - half) < F(1, 10**30)
    assert ref.pr_partial(ALL_TIED, 0.25, 0.5) == F(3, 16)
    assert ref.pr_partial(ALL_TIED, 0.25, 0.5, standardize="mcclish") == F(1, 2)
    assert ref.pr_partial(WRONG_FIRST, 0, 0.5, "step", "mcclish") == F(1, 2)
    assert ref.pr_partial(ALL_CORRECT, 0, 0.5, "step", "mcclish") is None
    assert ref.pr_partial(ALL_INCORRECT, 0, 0.5) is None


@given(strategies.items)
def test_adjacent_pr_areas_add_up(sample):
    items = ref.to_items(*sample)
    assume(ref.recognition_rate(items))
    for interpolation in ("davis-goadrich", "linear", "step"):
        ends = [F(0), F(1, 5), F(1, 2), F(1)]
        parts = [ref.pr_partial(items, *pair, interpolation) for pair in itertools.pairwise(ends)]
        assert abs(sum(parts) - ref.pr_auc(items, interpolation)) < F(1, 10**30)


# --- Precision and recall, operating points, costs ---------------------------------------------


def test_precision_recall_by_hand():
    davis_goadrich = (2.5 + 0.25 * math.log(3) - math.log(4 / 3)) / 3
    assert ref.average_precision(FIVE) == ref.pr_auc(FIVE, "step") == F(29, 36)
    assert ref.pr_auc(FIVE, "linear") == F(61, 72)
    assert close(ref.pr_auc(FIVE), davis_goadrich)
    assert ref.pr_auc(ALL_TIED) == F(3, 4)
    assert ref.pr_auc(ALL_TIED, "linear") == F(7, 8)
    assert ref.pr_auc(ALL_INCORRECT) is None
    assert ref.average_precision(ALL_INCORRECT) == 0
    relevant_at_1_and_4 = ref.to_items([1, 0, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1])
    assert ref.average_precision(relevant_at_1_and_4) == F(3, 4)


def test_interpolated_precision_by_hand():
    assert ref.interpolated_precision(FIVE) == [1] * 4 + [F(3, 4)] * 7
    assert ref.interpolated_precision(FIVE, [0.0, 2 / 3, 0.7]) == [1, F(3, 4), F(3, 4)]
    assert ref.eleven_point_average_precision(FIVE) == F(37, 44)
    assert ref.eleven_point_average_precision(ALL_INCORRECT) is None
    thirds = ref.to_items([1] * 3 + [0] * 10 + [1] * 7, range(20, 0, -1))
    assert ref.interpolated_precision(thirds)[3] == 1  # 3 of 10 are recall 0.3


def test_break_even_point_and_equal_error_rate_by_hand():
    assert ref.break_even_point(FIVE) == (F(2, 3), F(3, 4))
    assert ref.break_even_point(ALL_TIED) == (F(3, 4), 7)
    assert ref.break_even_point(WRONG_FIRST) == (0, 1)
    assert ref.break_even_point(ALL_INCORRECT) is None
    assert ref.equal_error_rate(FIVE) == (F(2, 5), F(3, 4))
    assert ref.equal_error_rate(ALL_TIED) == (F(1, 2), 7)
    assert ref.equal_error_rate(WRONG_FIRST) == (1, 1)
    assert ref.equal_error_rate(ALL_CORRECT) is None


@pytest.mark.parametrize(
    ("criterion", "threshold", "acceptance", "tie_acceptance"),
    [
        ({"threshold": 0.7}, F(0.7), F(3, 5), 1),
        ({"threshold": INF}, INF, 0, 1),
        ({"max_error_rate": 0.0}, 0.875, F(1, 5), 1),
        ({"max_error_rate": 0.2}, 0.625, F(4, 5), 1),
        ({"max_error_rate": 0.125}, 0.875, F(1, 5), 1),
        ({"max_error_rate": 0.125, "interpolate": True}, 0.75, F(9, 20), F(5, 8)),
        ({"max_error_rate": 0.2, "interpolate": True}, 0.625, F(4, 5), 1),
        ({"max_error_rate": 1.0, "interpolate": True}, 0.5, 1, 1),
        ({"max_risk": 0.0}, 0.875, F(1, 5), 1),
        ({"max_risk": 0.25}, 0.625, F(4, 5), 1),
        ({"max_risk": 0.25, "interpolate": True}, 0.625, F(4, 5), 1),
        ({"max_risk": 0.375, "interpolate": True}, 0.5, F(24, 25), F(4, 5)),
        ({"min_acceptance_rate": 0.0}, INF, 0, 1),
        ({"min_acceptance_rate": 0.5}, 0.75, F(3, 5), 1),
        ({"min_acceptance_rate": 0.5, "interpolate": True}, 0.75, F(1, 2), F(3, 4)),
        ({"min_acceptance_rate": 0.6, "interpolate": True}, 0.75, F(3, 5), 1),
        ({"min_acceptance_rate": 1.0}, 0.5, 1, 1),
    ],
)
def test_operating_points_by_hand(criterion, threshold, acceptance, tie_acceptance):
    point = ref.operating_point(FIVE, **criterion)
    assert point.threshold == threshold
    assert point.acceptance_rate == acceptance
    assert point.tie_acceptance == tie_acceptance


@pytest.mark.parametrize("interpolate", [False, True])
def test_operating_points_where_only_nothing_satisfies(interpolate):
    point = ref.operating_point(WRONG_FIRST, max_risk=0.4, interpolate=interpolate)
    assert (point.threshold, point.acceptance_rate, point.tie_acceptance) == (INF, 0, 1)
    assert ref.rate_at(WRONG_FIRST, point, "risk") == 1
    point = ref.operating_point(ALL_TIED, max_error_rate=0.2)
    assert (point.threshold, point.acceptance_rate) == (INF, 0)
    assert ref.rate_at(ALL_TIED, point, "precision") == F(3, 4)


def test_a_limit_is_compared_with_the_rounded_rate():
    items = ref.to_items([1] * 6 + [0] * 3 + [1] * 7 + [0] * 4, range(20, 0, -1))
    assert F(0.15) < F(3, 20)
    for interpolate in [False, True]:
        assert ref.acceptance_at_error_rate(items, 0.15, interpolate) == F(16, 20)


@given(strategies.items)
def test_the_interpolated_point_keeps_the_limit_exactly(sample):
    items = ref.to_items(*sample)
    point = ref.operating_point(items, max_error_rate=0.375, interpolate=True)
    everything = 1 - ref.recognition_rate(items)
    assert point.error_rate == min(F(0.375), everything) or point.tie_acceptance == 1
    point = ref.operating_point(items, max_risk=0.375, interpolate=True)
    assert point.accepted == 0 or point.risk <= F(0.375)
    point = ref.operating_point(items, min_acceptance_rate=0.375, interpolate=True)
    assert point.acceptance_rate == F(0.375)


def test_costs_by_hand():
    point = ref.sweep(FIVE)[2]
    assert ref.cost(point, 1, 2, 4) == F(8, 5)
    assert ref.normalized_cost(point, 0.5, 1) == (F(8, 5) - 3) / 2 == F(-7, 10)
    assert ref.performance(point, 0.5, 1) == F(7, 10)
    expected = F(1, 2) * F(9, 20) + F(3, 5) - 2 * F(1, 8)
    assert ref.performance_at_error_rate(FIVE, 0.125, gamma=0.5, delta=2) == expected


# --- Other people's libraries ------------------------------------------------------------------


def columns(items: tuple[ref.Item, ...]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels, confidences by their rank, weights: what every library reads alike."""
    ranks = {value: rank for rank, value in enumerate(sorted({i.confidence for i in items}))}
    return (
        np.array([item.correct for item in items]),
        np.array([ranks[item.confidence] for item in items]),
        np.array([float(item.weight) for item in items]),
    )


@pytest.mark.slow
@given(strategies.items)
def test_scikit_learn_agrees(sample):
    items = ref.to_items(*sample)
    y, t, w = columns(items)
    assume(y.any())
    assert close(ref.average_precision(items), metrics.average_precision_score(y, t, sample_weight=w))
    precision, recall, _ = metrics.precision_recall_curve(y, t, sample_weight=w)
    assert close(ref.pr_auc(items, "linear"), metrics.auc(recall, precision))
    assume(not y.all())
    assert close(ref.roc_auc(items), metrics.roc_auc_score(y, t, sample_weight=w))
    part = ref.roc_partial(items, "fpr", 0, 0.375, "mcclish")
    theirs = metrics.roc_auc_score(y, t, sample_weight=w, max_fpr=0.375)
    assert close(part, theirs) if part is not None else theirs < 0.5 + 1e-12


@given(strategies.unweighted)
def test_scipy_agrees(sample):
    items = ref.to_items(*sample)
    y, t, _ = columns(items)
    assume(y.any() and not y.all())
    won = mannwhitneyu(t[y == 1], t[y == 0], method="asymptotic").statistic
    assert won == ref.roc_auc(items) * int(sum(y)) * int(sum(1 - y))
