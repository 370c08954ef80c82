"""The sums behind areas over precision and of several classes, against whole-number arithmetic."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import partial
from unittest import mock

import numpy as np
import pytest
import reference as ref
from strategies import COMPILED
from ways import DISTRIBUTIONS, forced

import fastarac as fa
from fastarac import _kernels
from fastarac._engine.buckets import SortedItems
from fastarac._kernels import codes
from fastarac.dropins.multiclass import rank_sums
from fastarac.samples.door import as_ranked

pytestmark = pytest.mark.interpreted

N = 2500 if COMPILED else 1100  # more points than a block holds, or than that of some tests
BITS = 200  # of the fraction, in the reference
RATIONAL = ["precision_trapezoids", "precision_means", "recall_trapezoids", "recall_steps"]
INTEGRALS = ["precision_integrals", "recall_integrals"]


def ties_of(correct, confidence, *, of_risk):
    """(p, g) of every tie, from the highest confidence down."""
    counts = {}
    for label, value in zip(correct.tolist(), confidence.tolist(), strict=True):
        p, g = counts.get(value + 0.0, (0, 0))
        counts[value + 0.0] = (p + (label != of_risk), g + 1)
    return [counts[value] for value in sorted(counts, reverse=True)]


def quotient(numerator, denominator):
    return (numerator << BITS) // denominator


def terms(quantity, ties):
    """The terms of a sum over the ties, in units of 2**-BITS."""
    t0 = n0 = 0
    for p, g in ties:
        t, n = t0 + p, n0 + g
        if quantity == "precision_trapezoids":
            yield g * (quotient(t, n) + (quotient(t0, n0) if n0 else quotient(t, n)))
        elif quantity == "precision_means":
            for j in range(1, g + 1):
                yield quotient(t0 * g + j * p, g * (n0 + j))
        elif quantity == "recall_trapezoids":
            yield p * (quotient(t, n) + (quotient(t0, n0) if n0 else 1 << BITS))
        elif quantity == "recall_steps":
            yield p * quotient(t, n)
        else:
            yield integral(t0, n0, p, g, of_recall=quantity == "recall_integrals")
        t0, n0 = t, n


def integral(t0, n0, p, g, *, of_recall):
    value = Decimal(p)
    if n0:
        value += (t0 - Decimal(p * n0) / g) * (Decimal(n0 + g) / n0).ln()
    return int(value * (Decimal(p) / g if of_recall else 1) * (1 << BITS))


def expected(quantity, correct, confidence, *, of_risk):
    with localcontext(prec=60):
        return Fraction(sum(terms(quantity, ties_of(correct, confidence, of_risk=of_risk))), 1 << BITS)


def sample(draw, share=0.8):
    rng = np.random.default_rng(11)
    confidence = draw(rng, N)
    return rng.random(N) < share, confidence


def sum_over(items, quantity, **options):
    return items.sum(getattr(codes, quantity.upper()), **options)


def sorted_items(correct, confidence):
    items = as_ranked(correct, confidence)
    assert isinstance(items._rank(), SortedItems)
    return items


def ways(correct, confidence):
    """What the sums are made from: buckets, by one thread and by several, a sweep, vast counts."""
    for threads in (1, 3):
        with forced("buckets", threads):
            items = sorted_items(correct, confidence)
            yield lambda *a, items=items, **k: sum_over(items, *a, **k)
    sweep = as_ranked(fa.threshold_sweep(correct, confidence))
    for points in (1 << 18, 1000):
        with forced("few", points=points):
            yield lambda *a, **k: sum_over(sweep, *a, **k)
    with mock.patch.object(_kernels.sums, "MAX_TOTAL", 1):
        yield lambda *a, **k: sum_over(sweep, *a, **k)


@pytest.mark.parametrize(
    ("start", "stop"),
    [
        (0, 1),
        (7, 1031),
        (0, 1025),
        (255, 3000),
        (256, 1281),
        (700, 40_000),
        (256, 269),
        (10**6, 10**6 + 2000),
    ],
)
def test_harmonic_sums(start, stop):
    high, low = _kernels.sums.harmonic(start, stop)
    with localcontext(prec=40):
        exact = sum(1 / Decimal(k) for k in range(start + 1, stop + 1))
        error = abs(Decimal(high) + Decimal(low) - exact)
    assert error <= exact * Decimal("1e-30")


@pytest.mark.parametrize("ranks", [[1, 2, 2, 3, 4], [1, 2, 3, 4, 5], [2, 2, 3, 3, 3]])
def test_points_of_sorted_keys(ranks):
    """With a single tie, without any, and with more."""
    labels = np.array([1, 0, 1, 1, 0])
    keys = (2 * np.array(ranks) + labels).astype(np.uint64)
    correct, accepted = np.zeros(7), np.zeros(7)
    ends = [i for i in range(5) if i == 0 or ranks[i] != ranks[i - 1]][::-1]
    found = _kernels.sums.next_points(keys, 0, 5, 1, 6, np.uint64(0), correct, accepted)
    assert found == (0, 1 + len(ends))
    assert accepted[1 : 1 + len(ends)].tolist() == [5 - i for i in ends]
    assert correct[1 : 1 + len(ends)].tolist() == [labels[i:].sum() for i in ends]


@pytest.mark.parametrize("quantity", ["precision_trapezoids", "recall_trapezoids", "recall_steps"])
def test_parts_of_a_polygon_add_up(quantity):
    """A part that begins among the points goes on from the precision there."""
    true_accepts, false_accepts = np.array([0, 1, 1, 4, 6]), np.array([0, 0, 2, 2, 5])
    whole, *parts = (
        sum(
            _kernels.sums.add_up_polygon(
                true_accepts, false_accepts, first, stop, getattr(codes, quantity.upper())
            )
        )
        for first, stop in ((1, 5), (1, 3), (3, 5))
    )
    assert sum(parts) == pytest.approx(whole, rel=1e-15)


@pytest.mark.parametrize("quantity", INTEGRALS)
def test_a_narrow_tie_beside_a_wide_one(quantity):
    """The one is integrated by a series, the other by a logarithm."""
    of_recall = quantity == "recall_integrals"
    sums, row = np.zeros(3 * _kernels.sums.LANES), np.zeros(5)
    correct, accepted = np.array([10.0, 11.0, 13.0]), np.array([1000.0, 1001.0, 1200.0])
    _kernels.sums.add_integrals(correct, accepted, 2, of_recall, sums, row)
    with localcontext(prec=60):
        exact = integral(10, 1000, 1, 1, of_recall=of_recall)
        exact += integral(11, 1001, 2, 199, of_recall=of_recall)
    assert sums.sum() + row.sum() == pytest.approx(float(Fraction(exact, 1 << BITS)), rel=1e-14)


@pytest.mark.compiled
@pytest.mark.parametrize("of_risk", [False, True])
@pytest.mark.parametrize("draw", ["uniform", "powers", "two heaps", "mostly one value", "rounded"])
@pytest.mark.parametrize("quantity", RATIONAL)
def test_sums_of_quotients(quantity, draw, of_risk):
    correct, confidence = sample(DISTRIBUTIONS[draw])
    exact = expected(quantity, correct, confidence, of_risk=of_risk)
    for add_up in ways(correct, confidence):
        assert abs(add_up(quantity, of_risk=of_risk) / exact - 1) < Fraction(1, 1 << 90)


@pytest.mark.parametrize("of_risk", [False, True])
@pytest.mark.parametrize("draw", ["uniform", "mostly one value"])
@pytest.mark.parametrize("quantity", INTEGRALS)
def test_sums_of_logarithms(quantity, draw, of_risk):
    correct, confidence = sample(DISTRIBUTIONS[draw])
    exact = expected(quantity, correct, confidence, of_risk=of_risk)
    for add_up in ways(correct, confidence):
        assert abs(add_up(quantity, of_risk=of_risk) / exact - 1) < Fraction(1, 1 << 50)


@pytest.mark.parametrize("total", [2500, 2**25 - 1, 2**25, 2**30, 2**35 - 1])
@pytest.mark.parametrize("quantity", [*RATIONAL[:1], *RATIONAL[2:]])
def test_large_counts(quantity, total):
    """Digits are fewer where the counts are larger; the sum is the same."""
    rng = np.random.default_rng(3)
    counts = rng.multinomial(total, rng.dirichlet(np.ones(600))).reshape(300, 2)
    ties = [(p, p + q) for p, q in counts.tolist()]
    sweep = fa.ThresholdSweep.from_counts(-np.arange(300.0), *counts.T)
    items = as_ranked(sweep)
    exact = Fraction(sum(terms(quantity, ties)), 1 << BITS)
    assert abs(sum_over(items, quantity) / exact - 1) < Fraction(1, 1 << 80)


@pytest.mark.parametrize("share", [0.8, 0.3])
@pytest.mark.parametrize("draw", ["uniform", "powers", "two heaps", "mostly one value", "rounded"])
def test_one_pass_gives_all_figures(draw, share):
    """The same, to the last bit, from the sweep and from buckets, and as each figure by itself."""
    correct, confidence = sample(DISTRIBUTIONS[draw], share)
    counts = fa.threshold_sweep(correct, confidence)
    for points in (1 << 18, 1000, 300):
        sweep = as_ranked(counts)  # anew, because each sum is computed once
        with forced("few", points=points):
            one = sweep.sums()
            for way, threads in (("buckets", 1), ("buckets", 3), ("numpy", 2)):
                with forced(way, threads, points=points):
                    found = sorted_items(correct, confidence).sums()
                    assert [a / b for a, b in found] == [a / b for a, b in one]
            integral = sum_over(sweep, "recall_integrals") / sweep.totals.correct
        assert Fraction(*one.pr_auc) == integral
        risk = sum_over(sweep, "precision_trapezoids", of_risk=True) / (2 * N)
        steps = sum_over(sweep, "recall_steps") / sweep.totals.correct
        assert abs(Fraction(*one.aurc) / risk - 1) < Fraction(1, 1 << 90)
        assert abs(Fraction(*one.average_precision) / steps - 1) < Fraction(1, 1 << 90)


def test_what_is_not_rounded_is_exact():
    """All items tied: the area is the recognition rate, with nothing above it."""
    for n in range(1, 400):
        sweep = fa.ThresholdSweep.from_counts([0.5], [n // 3], [n - n // 3])
        assert fa.arp_area(sweep).upper == 0.0


def test_one_wrong_item_at_the_end():
    """A risk as small as it can be still has all its digits."""
    n = 10**4
    correct = np.arange(n) > 0
    loss = Fraction(1, 2 * n * n)
    assert fa.aurc_loss(correct, np.arange(n)) == float(loss)
    assert fa.arp_area(correct, np.arange(n)).upper == float(Fraction(1, n) - loss)


LOGARITHMIC = {
    "arp_auc": (partial(fa.arp_auc_score, estimator="exact"), partial(ref.arp_auc, estimator="exact")),
    "aurc": (partial(fa.aurc_loss, estimator="exact"), partial(ref.aurc, estimator="exact")),
    "pr_auc": (fa.pr_auc_score, ref.pr_auc),
}


@pytest.mark.parametrize("name", LOGARITHMIC)
def test_areas_with_logarithms_are_as_close_as_promised(name):
    """Unweighted within 4 units in the last place, weighted within 1e-15 or 1e-12 of the value."""
    area, reference = LOGARITHMIC[name]
    rng = np.random.default_rng(7)
    for _ in range(100):
        n = rng.integers(2, 25)
        confidence = rng.integers(0, rng.integers(2, 25), n)
        correct = rng.random(n) < rng.random()
        correct[rng.integers(n)] = True
        exact = float(reference(ref.to_items(correct, confidence)))
        assert abs(area(correct, confidence) - exact) <= 4 * math.ulp(exact)
        weight = rng.random(n) * 10.0 ** rng.integers(-9, 9, n)
        exact = float(reference(ref.to_items(correct, confidence, weight)))
        found = area(correct, confidence, sample_weight=weight)
        assert abs(found - exact) <= max(1e-15, 1e-12 * exact)


DRAWN = [(name, np.float64) for name in DISTRIBUTIONS]
DRAWN += [(name, t) for name in ("powers", "two heaps") for t in (np.float32, np.int64, np.uint64)]


@pytest.mark.compiled
@pytest.mark.parametrize(("draw", "dtype"), DRAWN)
def test_scores_looked_up_among_those_of_a_class(draw, dtype):
    """Classes of all sizes, one of them absent, over every distribution and type of scores."""
    rng = np.random.default_rng(23)
    n, n_classes = 300, 5
    scores = np.stack([DISTRIBUTIONS[draw](rng, n) for _ in range(n_classes)], axis=1)
    if dtype in (np.int64, np.uint64):
        ranks = np.unique(scores, return_inverse=True)[1].reshape(scores.shape)
        scores = np.iinfo(dtype).max - ranks.astype(dtype)  # beyond what a double tells apart
    elif dtype == np.float32:
        scores = np.clip(scores, -3e38, 3e38)
    scores = scores.astype(dtype)
    codes = np.minimum(rng.geometric(0.3, n) - 1, n_classes - 1).astype(np.uint8)
    codes[codes == 3] = 4
    sizes = np.bincount(codes, minlength=n_classes)
    expected = np.zeros((n_classes, n_classes), np.int64)
    for c in range(n_classes):
        own = np.sort(scores[codes == c, c])
        twice = sum(np.searchsorted(own, scores[:, c], side) for side in ("left", "right"))
        np.add.at(expected[c], codes, twice)
    expected = expected[sizes > 0]
    np.testing.assert_array_equal(rank_sums(codes, sizes, scores, by_class=True), expected)
    for layout in (scores, np.asfortranarray(scores), np.repeat(scores, 2, axis=1)[:, ::2]):
        found = rank_sums(codes, sizes, layout, by_class=False)
        np.testing.assert_array_equal(found[:, 0], expected.sum(axis=1))
