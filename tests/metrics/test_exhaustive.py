"""Every order of a few items through everything; `python tests/exhaustive.py` goes on to ten items."""

from __future__ import annotations

import warnings
from fractions import Fraction
from functools import cache

import exhaustive
import numpy as np
import pytest
import reference
import reference_orders as ref
from sklearn import metrics
from strategies import COMPILED

import fastarac as fa

pytestmark = pytest.mark.interpreted

COUNTS = [2, 7, 24, 82, 280, 956, 3264, 11144, 38048, 129904]  # a(n) = 4·a(n−1) − 2·a(n−2)
WHOLE = 5  # all orders of so many items, from counts and from columns
SAMPLED = 40  # of more items, so many orders of each number
SMALL = [1, 2, 3, 4]


def wrong(o: ref.Orders, *ways) -> list[str]:
    found = exhaustive.quantities()
    data = [way(o) for way in ways]
    return [text for items in data for each in found for text in exhaustive.failures(each, o, items)]


@pytest.mark.parametrize("n", range(1, WHOLE if COMPILED else WHOLE - 1))
def test_every_order(n):
    o = ref.orders(n)
    assert len(o.ties) == COUNTS[n - 1]
    assert not wrong(o, exhaustive.sweeps_of, exhaustive.columns_of)


@pytest.mark.slow
def test_every_order_of_five():
    assert not wrong(ref.orders(WHOLE), exhaustive.sweeps_of, exhaustive.columns_of)


@pytest.mark.slow
@pytest.mark.parametrize("n", range(WHOLE + 1, ref.LARGEST + 1))
def test_some_orders_of_more(n):
    rows = np.random.default_rng(n).choice(COUNTS[n - 1], SAMPLED, replace=False)
    assert not wrong(ref.orders(n).take(rows), exhaustive.columns_of)


def test_how_many_orders_there_are():
    assert [sum(1 for _ in ref.ties_of(n)) for n in range(1, 8)] == COUNTS[:7]
    for n in range(2, 10):
        assert COUNTS[n] == 4 * COUNTS[n - 1] - 2 * COUNTS[n - 2]
    for n in SMALL:
        assert len(set(ref.ties_of(n))) == COUNTS[n - 1]


# --- The references over all orders, against those of one sample -------------------------------

ESTIMATORS = ["trapezoid", "mean", "exact"]
OPTIMA = ["finite", "asymptotic"]
AREAS = {
    "arac_auc": (lambda o: ref.arac_auc(o).rounded(), reference.arac_auc),
    "augrc": (lambda o: ref.augrc(o).rounded(), reference.augrc),
    "roc_auc": (lambda o: ref.roc_auc(o).rounded(), reference.roc_auc),
    **{
        f"{name}, {estimator}": (
            lambda o, e=estimator, r=of_risk: ref.precision_area(o, e, of_risk=r).rounded(),
            lambda items, e=estimator, f=function: f(items, e),
        )
        for name, function, of_risk in [
            ("arp", reference.arp_auc, False),
            ("aurc", reference.aurc, True),
        ]
        for estimator in ESTIMATORS
    },
    **{
        f"{name}, {estimator}, {optimum}": (
            lambda o, a=ours, e=estimator, b=optimum: a(o, e, b).rounded(),
            lambda items, a=theirs, e=estimator, b=optimum: a(items, e, b),
        )
        for name, ours, theirs in [
            ("excess", ref.excess_aurc, reference.excess_aurc),
            ("normalized", ref.normalized_aurc, reference.normalized_aurc),
        ]
        for estimator in ESTIMATORS
        for optimum in OPTIMA
    },
    **{
        f"roc_partial, {axis}, {way}": (
            lambda o, a=axis, w=way: ref.roc_partial(o, a, 1, 6, w),
            lambda items, a=axis, w=way: reference.roc_partial(items, a, 0.125, 0.75, w),
        )
        for axis in ["fpr", "tpr"]
        for way in [None, "mcclish"]
    },
    "partial, acceptance": (
        lambda o: ref.arac_partial_by_acceptance(o, 1, 6),
        lambda items: reference.arac_partial_by_acceptance(items, 0.125, 0.75),
    ),
    "partial, error rate": (
        lambda o: ref.arac_partial_by_error_rate(o, 3),
        lambda items: reference.arac_partial_by_error_rate(items, 0.375),
    ),
    **{
        f"pr_auc, {way}": (
            lambda o, w=way: ref.pr_auc(o, w),
            lambda items, w=way: reference.pr_auc(items, w),
        )
        for way in ["davis-goadrich", "linear", "step"]
    },
}


@cache
def samples(n: int) -> list[tuple[reference.Item, ...]]:
    columns = exhaustive.columns_of(ref.orders(n))
    return [reference.to_items(*pair) for pair in columns]


def once(values) -> np.ndarray:
    return np.array([reference.round_once(value) for value in values])


@pytest.mark.parametrize("n", SMALL)
@pytest.mark.parametrize("name", AREAS)
def test_areas_of_all_orders(name, n):
    of_all, of_one = AREAS[name]
    expected = once(of_one(items) for items in samples(n))
    np.testing.assert_allclose(of_all(ref.orders(n)), expected, 0, 1e-35)  # of logarithms


@pytest.mark.parametrize("n", SMALL)
@pytest.mark.parametrize("gamma", [1, 2.5])
def test_parts_of_areas_of_all_orders(n, gamma):
    o = ref.orders(n)
    for of_all, of_one in [
        (ref.arac_auc(o), reference.arac_area),
        (ref.precision_area(o, "mean"), lambda *a: reference.arp_area(*a, estimator="mean")),
    ]:
        expected = np.stack([once(of_one(items, gamma)) for items in samples(n)], axis=1)
        np.testing.assert_array_equal(ref.decomposed(o, of_all, Fraction(gamma)), expected)


@pytest.mark.parametrize("n", SMALL)
def test_rates_of_all_orders(n):
    o = ref.orders(n)
    for rate, of_all in ref.RATES.items():
        columns = [once(reference.column(reference.sweep(items), rate)) for items in samples(n)]
        np.testing.assert_array_equal(of_all(o)[o.used], np.concatenate(columns), err_msg=rate)
    thresholds = [once_threshold(reference.sweep(items)) for items in samples(n)]
    found = exhaustive.all_thresholds(o)[o.used]
    np.testing.assert_array_equal(found, np.concatenate(thresholds))


def once_threshold(points) -> np.ndarray:
    return np.array([float(point.threshold) for point in points])


@pytest.mark.parametrize("n", SMALL)
def test_points_of_all_orders(n):
    o = ref.orders(n)
    for of_all, of_one in [
        (ref.break_even_point, reference.break_even_point),
        (ref.equal_error_rate, reference.equal_error_rate),
    ]:
        expected = [once(of_one(items) or (None, None)) for items in samples(n)]
        np.testing.assert_array_equal(np.stack(of_all(o), axis=1), np.array(expected))
    levels = ref.interpolated_precision(o, 10)
    for row, items in enumerate(samples(n)):
        if o.p[row]:
            expected = once(reference.interpolated_precision(items))
            np.testing.assert_array_equal(levels[row] / ref.COMMON, expected)


@pytest.mark.compiled
@pytest.mark.parametrize("n", SMALL)
@pytest.mark.parametrize("criterion", ["max_error_rate", "max_risk", "min_acceptance_rate"])
@pytest.mark.parametrize("interpolate", [False, True])
def test_operating_points_of_all_orders(n, criterion, interpolate):
    o = ref.orders(n)
    for limit in exhaustive.MANY_LIMITS:
        found = exhaustive.chosen(o, criterion, limit, interpolate=interpolate)
        points = [
            (items, reference.operating_point(items, **{criterion: limit}, interpolate=interpolate))
            for items in samples(n)
        ]
        for field, values in zip(ref.POINT, found, strict=True):
            if field == "threshold":
                np.testing.assert_array_equal(values, [float(point.threshold) for _, point in points])
            else:
                expected = once(reference.rate_at(items, point, field) for items, point in points)
                tolerance = exhaustive.ABSOLUTE if interpolate else 0  # of a limit that is a double
                np.testing.assert_allclose(values, expected, 0, tolerance)


@pytest.mark.parametrize("n", SMALL)
@pytest.mark.parametrize("drop", [False, True])
@pytest.mark.parametrize(
    ("of_all", "of_one"),
    [
        (exhaustive.roc, metrics.roc_curve),
        (exhaustive.precision_recall_points, metrics.precision_recall_curve),
        (exhaustive.det, metrics.det_curve),
    ],
    ids=["roc", "precision_recall", "det"],
)
def test_drop_ins_of_all_orders(n, drop, of_all, of_one):
    o = ref.orders(n)
    if of_one is metrics.det_curve:
        o = o.take(exhaustive.two_classes(o))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        curves = [
            of_one(*data, drop_intermediate=drop, pos_label=1) for data in exhaustive.columns_of(o)
        ]
    if not curves:
        return
    expected = [np.concatenate(axis) for axis in zip(*curves, strict=True)]
    for found, axis in zip(of_all(drop=drop).expected(o), expected, strict=True):
        np.testing.assert_array_equal(found, axis)


# --- What the orders of few items do not reach -------------------------------------------------


def test_det_curve_needs_two_classes():
    for n in SMALL:
        o = ref.orders(n)
        data = exhaustive.sweeps_of(o) + exhaustive.columns_of(o)
        for row in np.flatnonzero((o.p * o.q)[:, 0] == 0):
            for items in (data[row], data[row + len(o.ties)]):
                with pytest.raises(ValueError, match="Only one class"):
                    fa.det_curve(*items)


@pytest.mark.parametrize("n", [10, 10**3, 10**6, 10**9])
@pytest.mark.parametrize("tie", [(1, 0), (3, 0), (10**4, 0), (2, 3)])
@pytest.mark.parametrize("first", [0, 4])
def test_areas_that_a_logarithm_nearly_cancels(n, tie, first):
    """A tie below many incorrect items: what is left of 1 − ln(1 + x)/x."""
    ties = [(first, 0)] * (first > 0) + [(0, n), tie]
    sweep = fa.ThresholdSweep.from_counts(range(len(ties), 0, -1), *zip(*ties, strict=True))
    over_items = over_recall = Fraction(0)
    above, accepted = 0, 0
    for p, q in ties:
        g = p + q
        area = Fraction(p)
        if accepted:
            log = reference.logarithm(1 + Fraction(g, accepted))
            area += (above - Fraction(p * accepted, g)) * log
        over_items += area
        over_recall += area * Fraction(p, g)
        above, accepted = above + p, accepted + g
    for found, exact in [
        (fa.pr_auc_score(sweep), over_recall / above),
        (fa.arp_auc_score(sweep, estimator="exact"), over_items / accepted),
    ]:
        expected = reference.round_once(exact)
        assert abs(found - expected) <= exhaustive.ULPS * np.spacing(expected)
