"""Counts in bins: the bounds are the extremes over all orders and ties, and hold for all items."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference_bounds import accepted_within, areas, orders_of, precisions_at

import fastarac as fa
from fastarac.frames import BoundedSweep, Bounds

pytestmark = pytest.mark.interpreted

AREAS = ("roc_auc", "arac_auc", "augrc", "arp_auc", "aurc", "average_precision")
FROM_PAIRS = ("roc_auc", "arac_auc", "augrc")
ROUNDING = 2.0**-47  # of a bound that is a sum of precisions


def bounded(bins) -> BoundedSweep:
    """Bins are given from the most confident on, as orders are."""
    p, q, single = zip(*bins[::-1], strict=True)
    return BoundedSweep.from_bins(np.arange(len(bins) + 1), p, q, single_valued=single)


# pairs of bins of a few items each, one of them with a single value or not, and some of three
CASES = [
    [(p, q, False), (r, s, single)]
    for p, q, r, s, single in product(range(4), range(4), range(3), range(3), (False, True))
    if p + q <= 4 and 0 < p + q + r + s <= 6
] + [
    [(1, 1, False), (2, 1, True), (1, 2, False)],
    [(0, 0, False), (2, 3, False), (0, 0, True)],
    [(4, 1, False), (1, 3, False)],
    [(0, 2, False), (1, 1, False), (2, 1, False)],
    [(2, 0, False), (1, 1, True), (1, 1, False)],
]


@pytest.mark.filterwarnings("ignore::fastarac.UndefinedMetricWarning")
@pytest.mark.parametrize("third", range(3))
def test_bounds_are_the_extremes_over_all_orders_and_ties(third):
    for bins in CASES[third::3]:
        sweep = bounded(bins)
        found = [areas(ties) for ties in orders_of(bins)]
        for name in AREAS:
            low, high = getattr(sweep, name)
            values = [each[name] for each in found]
            if values[0] is None:
                assert math.isnan(low), (bins, name)
                continue
            least, most = min(values), max(values)
            if least == most and (name in FROM_PAIRS or sweep.sweep is not None):
                assert low == high == float(least), (bins, name)
            elif name in FROM_PAIRS:  # rounded outward once
                assert low <= least < Fraction(math.nextafter(low, 2)), (bins, name)
                assert Fraction(math.nextafter(high, -1)) < most <= high, (bins, name)
            else:
                assert least - Fraction(ROUNDING) <= low <= least, (bins, name)
                assert most <= high <= most + Fraction(ROUNDING), (bins, name)


@pytest.mark.parametrize("limit", [0.0, 0.125, 0.2, 0.25, 0.4, 1.0])
def test_operating_points_keep_the_limit_and_lose_what_they_say(limit):
    for bins in CASES[::3]:
        sweep = bounded(bins)
        orders = list(orders_of(bins))
        for criterion in ("max_error_rate", "max_risk"):
            point = fa.operating_point(sweep, **{criterion: limit})
            limits = {"max_error_rate": None, "max_risk": None, criterion: limit}
            accepted = [accepted_within(ties, **limits) for ties in orders]
            where = bins, criterion
            assert point.largest_acceptance_rate == max(accepted) / sweep.total, where
            assert point.acceptance_rate.low == min(accepted) / sweep.total, where
            kept = point.error_rate if criterion == "max_error_rate" else point.risk
            assert math.isnan(kept.high) or kept.high <= limit, where


def test_precisions_are_the_extremes_over_all_orders_and_ties():
    for bins in CASES[::2]:
        sweep = bounded(bins)
        orders = list(orders_of(bins))
        levels = np.arange(1, sweep.n_correct + 1)
        for right, *found in zip(levels, *sweep.counts.precision(levels), strict=True):
            values = [value for ties in orders for value in precisions_at(ties, right)]
            assert found[1] == float(max(values)), (bins, right)
            if any(single for *_, single in bins):  # where one begins, the bound is that of others
                assert found[0] <= float(min(values)), (bins, right)
            else:
                assert found[0] == float(min(values)), (bins, right)


def test_a_table_has_a_row_a_threshold():
    sweep = BoundedSweep.from_bins([0, 0.5, 1], [1, 2], [1, 0], single_valued=[True, False])
    for backend in ("pandas", "polars"):
        rows = np.array(sweep.to_frame(backend)).tolist()
        assert rows == [[math.inf, 0, 0, 0, 0, 1], [0.5, 2, 2, 0, 0, 0], [0, 3, 3, 1, 1, 1]]
    assert list(sweep.to_columns())[-1] == "single_valued"


@st.composite
def uncertain(draw):
    """Items that are known to be in one of several bins each, and where they are: values in them."""
    bins = draw(st.integers(1, 6))
    single = draw(st.lists(st.booleans(), min_size=bins, max_size=bins))
    n = draw(st.integers(1, 14))
    numbers = st.lists(st.integers(0, bins - 1), min_size=n, max_size=n)
    place, one, other = (np.array(draw(numbers)) for _ in range(3))
    inside = np.array(draw(st.lists(st.integers(0, 4), min_size=n, max_size=n)))
    correct = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    low, high = np.minimum(place, one), np.maximum(place, other)
    if draw(st.booleans()):
        low = high = place
    value = place + np.where(np.array(single)[place], 0.0, inside / 5)

    def counts(items, at):
        return np.array([(at[items] >= bins - i).sum() for i in range(bins + 1)])

    sweep = BoundedSweep(
        np.append(np.inf, np.arange(bins)[::-1].astype(float)),
        counts(correct, low), counts(correct, high), counts(~correct, low), counts(~correct, high),
        np.array(single)[::-1],
    )  # fmt: skip
    return sweep, correct, value


@pytest.mark.filterwarnings("ignore::fastarac.UndefinedMetricWarning")
@given(uncertain())
def test_bounds_hold_where_an_item_may_be_in_several_bins(case):
    sweep, correct, value = case
    exact = fa.threshold_sweep(correct, value)
    step = fa.pr_auc_score(exact, interpolation="step") if correct.any() else math.nan
    figures = {
        "roc_auc": fa.roc_auc_score(correct, value) if 0 < correct.sum() < len(correct) else math.nan,
        "arac_auc": fa.arac_auc_score(exact),
        "augrc": fa.augrc_loss(exact),
        "arp_auc": fa.arp_auc_score(exact),
        "aurc": fa.aurc_loss(exact),
        "average_precision": step,
    }
    for name, figure in figures.items():
        low, high = getattr(sweep, name)
        assert low <= figure <= high or (math.isnan(figure) and math.isnan(low)), name
    ties = list(zip(np.diff(exact.true_accepts), np.diff(exact.false_accepts), strict=True))
    levels = np.arange(1, correct.sum() + 1)
    for right, low, high in zip(levels, *sweep.counts.precision(levels), strict=True):
        assert all(low <= float(value) <= high for value in precisions_at(ties, right))
    for limit in (0.0, 0.1, 0.3, 0.5):
        for criterion in ("max_error_rate", "max_risk"):
            point = fa.operating_point(sweep, **{criterion: limit})
            items = exact.at(point.threshold)
            assert point.true_accepts.low <= items.true_accepts <= point.true_accepts.high
            assert point.false_accepts.low <= items.false_accepts <= point.false_accepts.high
            own = fa.operating_point(exact, **{criterion: limit})
            assert own.acceptance_rate <= point.largest_acceptance_rate
            assert point.acceptance_rate.low <= own.acceptance_rate
    for threshold in (value[0], value[0] + 0.1, -1, 9):
        point = fa.operating_point(sweep, threshold=threshold)
        items = exact.at(threshold)
        assert point.true_accepts.low <= items.true_accepts <= point.true_accepts.high
        assert point.false_accepts.low <= items.false_accepts <= point.false_accepts.high
    point = fa.operating_point(sweep, min_acceptance_rate=0.4)
    assert exact.at(point.threshold).true_accepts + exact.at(point.threshold).false_accepts >= (
        0.4 * len(value)
    )


@given(uncertain())
def test_curves_are_a_band_around_the_items(case):
    sweep, correct, value = case
    items = fa.arac_curve(correct, value)
    worst, best = fa.arac_curve(sweep)
    for x, y in zip(items.acceptance_rate, items.accuracy_after_correction, strict=True):
        assert np.interp(x, worst.acceptance_rate, worst.accuracy_after_correction) <= y + 1e-12
        assert y <= np.interp(x, best.acceptance_rate, best.accuracy_after_correction) + 1e-12
    assert type(worst) is type(best) is type(items)


def test_bounds_of_huge_counts_and_of_weights_hold():
    rng = np.random.default_rng(3)
    p, q = rng.integers(0, 10**14, (2, 50))
    edges = np.arange(51)
    whole = BoundedSweep.from_bins(edges, p, q)
    floats = BoundedSweep.from_bins(edges, p * 1e-20, q * 1e-20)
    for name in AREAS:
        a, b = getattr(whole, name), getattr(floats, name)
        assert a.low == pytest.approx(b.low, abs=1e-12)
        assert a.high == pytest.approx(b.high, abs=1e-12)
    weight = rng.random(400)
    correct, confidence = rng.random(400) < 0.7, rng.random(400)
    counts = [
        np.histogram(confidence, 20, (0, 1), weights=weight * (correct == kind))[0] for kind in (1, 0)
    ]
    sweep = BoundedSweep.from_bins(np.linspace(0, 1, 21), *counts)
    exact = fa.evaluate(correct, confidence, sample_weight=weight)
    for name in ("roc_auc", "augrc", "aurc", "average_precision"):
        low, high = getattr(sweep, name)
        assert low < getattr(exact, name) < high


@pytest.mark.parametrize("above", [(0, 0), (1, 3), (9, 0), (0, 20)])
def test_a_few_correct_items_below_many_errors(above):
    """Their precisions are small differences of large sums, whose rounding must stay small."""
    right, wrong = above
    for errors, correct in product(range(1, 90), range(1, 5)):
        bounds = BoundedSweep.from_bins([0, 0.5, 1], [correct, right], [errors, wrong])
        least = sum((Fraction(j, j + wrong) for j in range(1, right + 1)), Fraction(0))
        below = (Fraction(right + j, right + j + wrong + errors) for j in range(1, correct + 1))
        least = (least + sum(below)) / (right + correct)
        assert least - Fraction(1, 10**14) < Fraction(bounds.average_precision.low) <= least


def test_known_areas_stand_in_place_of_the_bounds():
    sweep = BoundedSweep.from_bins([0, 1], [2], [2])
    known = replace(sweep, known={"aurc": Bounds(0.25, 0.25), "roc_auc": Bounds(0.5, 0.5)})
    assert known.aurc == (0.25, 0.25)
    assert known.roc_auc == (0.5, 0.5)
    assert known.arp_auc == sweep.arp_auc


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 1, 1], [1, 1], [1, 1]), "edges must be at least two numbers in strictly"),
        (([1], [], []), "edges must be at least two numbers in strictly"),
        (([0, np.nan], [1], [1]), "edges must be at least two numbers in strictly"),
        (([0, 1, 2], [1], [1, 1]), "correct_counts must have one value for each of the 2 bins between"),
        (([0, 1], [-1], [1]), r"correct_counts\[0\] must .*got -1"),
        (([0, 1], [0], [0]), r"sum below 2\*\*63, got 0"),
    ],
)
def test_wrong_bins_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        BoundedSweep.from_bins(*arguments)


def test_wrong_single_values_are_refused():
    with pytest.raises(
        ValueError, match="single_valued must have one value for each of the 2 bins between"
    ):
        BoundedSweep.from_bins([0, 1, 2], [1, 1], [1, 1], single_valued=[True])
    with pytest.raises(ValueError, match="single_valued must hold only True and False"):
        BoundedSweep.from_bins([0, 1, 2], [1, 1], [1, 1], single_valued=[2, 0])


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"thresholds": [1.0, 0.0]}, "starts with inf"),
        ({"thresholds": [np.inf, np.nan]}, "do not decrease from inf"),
        ({"single_valued": [True, True]}, "single_valued"),
        ({"true_accepts_low": [0, 1, 2]}, "true_accepts_low is not"),
        ({"true_accepts_low": [1, 1]}, "must start at 0, never decrease"),
        ({"true_accepts_high": [0, 1]}, "must be at most true_accepts_high, and their last"),
    ],
)
def test_a_sweep_built_directly_is_checked(changed, message):
    sweep = BoundedSweep.from_bins([0, 1], [2], [2])
    with pytest.raises(ValueError, match=message):
        replace(sweep, **changed)


def test_edges_of_large_integers_are_kept():
    edges = np.array([2**60, 2**60 + 1, 2**60 + 2])
    sweep = BoundedSweep.from_bins(edges, [1, 2], [1, 0])
    assert sweep.thresholds.tolist() == [np.inf, 2**60 + 1, 2**60]
    point = fa.operating_point(sweep, max_error_rate=0.0)
    assert point.threshold == 2**60 + 1
    assert fa.operating_point(sweep, threshold=2**60 + 1).true_accepts == (2, 2)


def test_what_takes_no_bounds_says_so():
    sweep = BoundedSweep.from_bins([0, 1], [2], [2])
    with pytest.raises(TypeError, match="interpolate"):
        fa.operating_point(sweep, max_error_rate=0.1, interpolate=True)
    with pytest.raises(TypeError, match="confidence cannot go with a ThresholdSweep: give the sweep"):
        fa.operating_point(sweep, [1, 2], max_error_rate=0.1)
    with pytest.raises(TypeError, match="reviewer"):
        fa.arac_curve(sweep, reviewer=fa.Reviewer(0.9))


def test_an_evaluation_has_the_bounds_of_all_figures():
    rng = np.random.default_rng(4)
    correct, confidence = rng.random(3000) < 0.8, rng.random(3000)
    edges = np.linspace(0, 1, 41)
    counts = [np.histogram(confidence[correct == kind], edges)[0] for kind in (True, False)]
    costs = fa.VerificationCosts(1.0, 2.0, 5.0)
    options = {"max_error_rate": (0.02, 0.1), "max_risk": 0.19, "threshold": 0.51, "costs": costs}
    found = fa.evaluate(BoundedSweep.from_bins(edges, *counts), **options)
    items = fa.evaluate(correct, confidence, **options).to_dict()
    figures = found.to_dict()
    for name in ("arac_auc", "normalized_arac_auc", "arp_auc", "roc_auc", "average_precision", "augrc"):
        assert figures[f"{name}_low"] < items[name] < figures[f"{name}_high"], name
    assert figures["recognition_rate"] == items["recognition_rate"]
    for key in ("0.02", "0.1", "risk/0.19"):
        lost = figures[f"acceptance_lost/{key}"]
        low = figures[f"acceptance_rate_low/{key}"]
        assert low <= items[f"acceptance_rate/{key}"] <= low + lost + 1e-12, key
    assert figures["error_rate_high/0.02"] <= 0.02
    for name in ("acceptance_rate", "error_rate", "risk", "performance"):
        key = "threshold/0.51"
        assert figures[f"{name}_low/{key}"] < items[f"{name}/{key}"] < figures[f"{name}_high/{key}"], (
            name
        )
    text = str(found)
    assert "between" in text
    assert "acceptance lost" in text
    assert repr(found).startswith("BoundedEvaluation(3000 items, ARAC-AUC between 0.89")


def test_an_evaluation_of_exact_counts_is_that_of_the_items():
    correct, confidence = [1, 1, 0, 1, 0], [3, 2, 2, 1, 0]
    sweep = BoundedSweep.from_bins(
        [0, 1, 2, 3, 4], [0, 1, 1, 1], [1, 0, 1, 0], single_valued=[True] * 4
    )
    found = fa.evaluate(sweep, max_error_rate=0.2).to_dict()
    items = fa.evaluate(correct, confidence, max_error_rate=0.2).to_dict()
    for key, value in found.items():
        name = key.replace("_low", "").replace("_high", "")
        assert name == "acceptance_lost/0.2" or value == items[name], name
    assert "between" not in str(fa.evaluate(sweep))
    one_kind = fa.evaluate(BoundedSweep.from_bins([0, 1], [3], [0]))
    assert one_kind.normalized_arac_auc == (1.0, 1.0)
    assert math.isnan(one_kind.roc_auc.low)


def test_bounds_are_printed_rounded_outward():
    assert str(Bounds(0.12345678, 0.12399999)) == "between 0.123456 and 0.124000"
    assert str(Bounds(0.5, 0.5)) == "0.5"
    for low, high in ((0.1, 0.3), (1 / 3, 1 / 3 + 1e-6), (0.0, 5e-324), (0.7, 1.0)):
        a, b = str(Bounds(low, high)).removeprefix("between ").split(" and ")
        assert Fraction(a) <= low
        assert high <= Fraction(b)
