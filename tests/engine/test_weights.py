"""The unit of the weights changes nothing, and weights too far apart for one unit are refused."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from functools import partial
from operator import attrgetter
from unittest import mock

import numpy as np
import pytest
import reference as ref
from register import close
from sklearn import metrics
from strategies import COMPILED
from ways import DISTRIBUTIONS, forced

import fastarac as fa
from fastarac import _kernels
from fastarac._engine import weighted
from fastarac._engine.buckets import plan_buckets
from fastarac._engine.inputs import read_items
from fastarac._engine.weighted import spread_in_pieces
from fastarac.samples.door import as_ranked

pytestmark = pytest.mark.interpreted

ends = attrgetter("low", "high")
FACTORS = [2.0**900, 2.0**-900, 1e200, 1e-200, 1e300, 1e-300]
CORRECT, CONFIDENCE = [0, 1, 0, 1], [3, 2, 1, 0]


def items(n: int = 60) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    confidence = rng.integers(0, 20, n) / 20
    weight = rng.integers(0, 9, n) * rng.random(n)
    return rng.random(n) < 0.3 + 0.5 * confidence, confidence, weight


@pytest.mark.parametrize("exponent", [-300, -200, -160, 0, 155, 160, 200, 300])
def test_areas_with_logarithms(exponent):
    weight = [float(f"1e{exponent}")] * 4
    whole = ref.to_items(CORRECT, CONFIDENCE)
    area = fa.pr_auc_score(CORRECT, CONFIDENCE, sample_weight=weight)
    assert area == pytest.approx(float(ref.pr_auc(whole)), rel=1e-14)
    assert round(area, 5) == 0.36574
    exact = fa.arp_auc_score(CORRECT, CONFIDENCE, estimator="exact", sample_weight=weight)
    assert exact == pytest.approx(float(ref.arp_auc(whole, "exact")), rel=1e-14)


STATISTICS = ["arac_auc", "roc_auc", "aurc", "pr_auc", "average_precision", "equal_error_rate"]


def numbers(result: object) -> np.ndarray:
    return np.array(result, dtype=np.float64).ravel()


FIGURES = {
    **{
        f"bootstrap of {name}": lambda c, t, w, name=name: fa.bootstrap(
            c, t, statistic=name, sample_weight=w, method="percentile", n_resamples=20, random_state=1
        ).distribution
        for name in STATISTICS
    },
    **{
        f"bca of {name}": lambda c, t, w, name=name: ends(fa.bootstrap(
            c, t, statistic=name, sample_weight=w, method="bca", n_resamples=20, random_state=1
        ))
        for name in STATISTICS[:5]
    },
    "a function of one's own": lambda c, t, w: fa.bootstrap(
        c, t, statistic=lambda sweep: sweep.total / w.sum(), sample_weight=w, method="percentile",
        n_resamples=20, random_state=1,
    ).distribution,
    "bootstrap of groups": lambda c, t, w: fa.bootstrap(
        c, t, sample_weight=w, groups=np.arange(len(c)) // 3, method="percentile", n_resamples=20,
        random_state=1,
    ).distribution,
    "band": lambda c, t, w: fa.bootstrap_band(
        c, t, curve="rc", kind="simultaneous", sample_weight=w, grid=5, n_resamples=20, random_state=1
    ).high,
    **{
        f"influence of {name}": lambda c, t, w, name=name: fa.influence_values(
            c, t, statistic=name, sample_weight=w
        )
        for name in STATISTICS[:5]
    },
    "asymptotic interval": lambda c, t, w: ends(fa.asymptotic_interval(
        c, t, statistic="pr_auc", sample_weight=w
    )),
    "optimal operating point": lambda c, t, w: (
        (point := fa.costs.optimal_operating_point(
            c, t, costs=fa.VerificationCosts(2, 4, 22), sample_weight=w
        )).threshold,
        point.acceptance_rate,
    ),
    "confusion measures": lambda c, t, w: [
        getattr(fa.measures.confusion_measures(fa.threshold_sweep(c, t, sample_weight=w)), name)
        for name in ("matthews_correlation", "markedness", "f1")
    ],
    "kappa": lambda c, t, w: fa.cohen_kappa_score(c, t > 0.5, sample_weight=w),
    "linear kappa": lambda c, t, w: fa.cohen_kappa_score(
        c, np.rint(3 * t), sample_weight=w, weights="linear"
    ),
    "part of the ROC area": lambda c, t, w: fa.roc_auc_score(c, t, max_fpr=0.3, sample_weight=w),
    "average precision": lambda c, t, w: fa.average_precision_score(c, t, sample_weight=w),
    "ROC curve": lambda c, t, w: fa.roc_curve(c, t, sample_weight=w)[:2],
}  # fmt: skip


@pytest.mark.compiled
@pytest.mark.filterwarnings("ignore::fastarac.UnreliableIntervalWarning")
@pytest.mark.parametrize("figure", FIGURES.values(), ids=FIGURES)
def test_no_figure_depends_on_the_unit_of_the_weights(figure):
    correct, confidence, weight = items()
    expected = numbers(figure(correct, confidence, weight))
    for factor in FACTORS:
        found = numbers(figure(correct, confidence, weight * factor))
        assert close(found, expected), factor


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (
            [1e-160, 0.0, 1e160, 1.0],
            r"sample_weight spans from 1e-160 to 1e\+160; .* at most 1e\+305 t",
        ),
        ([5e-324, 1.0, 1.0, 1.0], "sample_weight spans from 5e-324 to 1.0"),
    ],
)
def test_weights_too_far_apart_for_one_unit_are_refused(weight, message):
    with pytest.raises(ValueError, match=message):
        fa.arac_auc_score(CORRECT, CONFIDENCE, sample_weight=weight)
    with pytest.raises(
        ValueError,
        match=message.replace("sample_weight spans", "correct_counts and incorrect_counts span"),
    ):
        fa.ThresholdSweep.from_counts(CONFIDENCE, weight, [0.0] * 4)


@pytest.mark.parametrize("small", [1e-150, 1e-300])
@pytest.mark.parametrize("heavy", range(4))
def test_weights_just_close_enough(small, heavy):
    """One class may weigh next to nothing: its own figures are right even so."""
    weight = np.full(4, small)
    weight[heavy] = 1.0
    whole = ref.to_items(CORRECT, CONFIDENCE, weight)
    data = CORRECT, CONFIDENCE
    assert fa.roc_auc_score(*data, sample_weight=weight) == pytest.approx(float(ref.roc_auc(whole)))
    for interpolation in ("linear", "step"):
        found = fa.pr_auc_score(*data, interpolation=interpolation, sample_weight=weight)
        expected = float(ref.pr_auc(whole, interpolation))
        assert math.isclose(found, expected, rel_tol=1e-12, abs_tol=1e-290)
    expected = [0.0, 1.0, (1 - math.log(2)) / 2, 1.0][heavy]
    assert math.isclose(fa.pr_auc_score(*data, sample_weight=weight), expected, abs_tol=1e-15)


def test_weights_of_all_sizes():
    """Whatever they span, no figure is off by more than 1e-15."""
    rng = np.random.default_rng(9)
    for _ in range(60):
        n = rng.integers(2, 8)
        correct, confidence = rng.integers(0, 2, n), rng.integers(0, 5, n)
        correct[:2] = 0, 1
        weight = rng.uniform(0.5, 1.0, n) * 10.0 ** -rng.uniform(0, rng.choice([6, 30, 300]), n)
        whole = ref.to_items(correct, confidence, weight)
        sweep = fa.threshold_sweep(correct, confidence, sample_weight=weight)
        for data, options in (((correct, confidence), {"sample_weight": weight}), ((sweep,), {})):
            for name, expected in (
                ("augrc_loss", ref.augrc(whole)),
                ("roc_auc_score", ref.roc_auc(whole)),
                ("arp_auc_score", ref.arp_auc(whole)),
                ("aurc_loss", ref.aurc(whole)),
            ):
                found = getattr(fa, name)(*data, **options)
                assert found == pytest.approx(float(expected), rel=1e-12, abs=1e-15), name


def test_areas_near_0_have_an_absolute_bound(monkeypatch):
    """One class weighs next to nothing, or is wholly below the other one."""
    monkeypatch.setattr(ref, "DIGITS", 200)  # where logarithms cancel
    areas = {
        "augrc_loss": (ref.augrc, {}),
        "roc_auc_score": (ref.roc_auc, {}),
        "average_precision_score": (ref.average_precision, {}),
        "pr_auc_score": (ref.pr_auc, {}),
        "arp_auc_score": (ref.arp_auc, {}),
        "aurc_loss": (ref.aurc, {}),
    }
    exact = {"estimator": "exact"}
    for name, of in (("arp_auc_score", ref.arp_auc), ("aurc_loss", ref.aurc)):
        areas[name + "(exact)"] = partial(of, estimator="exact"), exact
    for seed in range(28, 40):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 12))
        confidence = rng.integers(0, n, n)
        correct = rng.random(n) < rng.choice([0.1, 0.5, 0.9])
        correct[:2] = False, True
        span = int(rng.choice([8, 16, 30, 60]))
        weight = rng.uniform(0.5, 1.0, n) * 10.0 ** -rng.uniform(0, span, n)
        weight[correct == bool(seed % 2)] *= 10.0**-span
        if seed % 4 > 1:
            confidence[correct] += n
        whole = ref.to_items(correct, confidence, weight)
        sweep = fa.threshold_sweep(correct, confidence, sample_weight=weight)
        for data, options in (((correct, confidence), {"sample_weight": weight}), ((sweep,), {})):
            for name, (of, keywords) in areas.items():
                found = getattr(fa, name.removesuffix("(exact)"))(*data, **options, **keywords)
                assert 0.0 <= found <= 1.0, name
                assert found == pytest.approx(float(of(whole)), rel=1e-12, abs=1e-15), name


def test_the_drop_ins_take_weights_that_scikit_learn_takes():
    weight = [1e-200, 1e150, 1e-160, 3e149]
    for name in ("roc_auc_score", "average_precision_score"):
        found = getattr(fa, name)(CORRECT, CONFIDENCE, sample_weight=weight)
        expected = getattr(metrics, name)(CORRECT, CONFIDENCE, sample_weight=weight)
        assert found == pytest.approx(expected, rel=1e-12)


def test_a_weight_that_is_lost_beside_those_above_adds_no_area():
    """No quotient is made of nothing."""
    found = fa.arp_auc_score([1, 1, 0], [3, 2, 1], sample_weight=[1, 1e-20, 1], estimator="exact")
    assert found == pytest.approx(fa.arp_auc_score([1, 0], [3, 1], estimator="exact"), rel=1e-15)


WEIGHTS = {
    "whole": lambda rng, n: rng.integers(0, 5, n).astype(np.float64),
    "of all sizes": lambda rng, n: 10.0 ** rng.uniform(-300, 0, n) * (rng.random(n) < 0.8),
}


@pytest.mark.compiled
@pytest.mark.parametrize("share", [0.02, 0.5, 0.98])
@pytest.mark.parametrize("draw", DISTRIBUTIONS.values(), ids=DISTRIBUTIONS)
@pytest.mark.parametrize("weights", WEIGHTS.values(), ids=WEIGHTS)
def test_pairs_around_the_smaller_class_of_each_bucket(weights, draw, share):
    """Whichever it is, and however its confidences crowd: exact where weights are whole."""
    n = 1500 if COMPILED else 400
    rng = np.random.default_rng(6)
    correct, confidence, weight = rng.random(n) < share, draw(rng, n), weights(rng, n)
    sums: dict[float, list[Fraction]] = {}
    for label, value, w in zip(correct.tolist(), confidence.tolist(), weight.tolist(), strict=True):
        sums.setdefault(value + 0.0, [Fraction(0), Fraction(0)])[label] += Fraction(w)
    doubled = above = below = Fraction(0)
    for value in sorted(sums):
        q, p = sums[value]
        doubled += p * (2 * below + q)
        above, below = above + p, below + q
    for most, threads in ((4, 1), (64, 3)):
        with forced("buckets", threads, max_buckets=most):
            found = as_ranked(correct, confidence, weight).pairs
        for value, expected in zip(found, (above, below, doubled), strict=True):
            assert abs(value - expected) <= expected * Fraction(1, 10**25)
            assert value == expected or weights is not WEIGHTS["whole"]


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.uint64])
def test_streams_of_pieces_hold_every_item_once(dtype):
    """In their order, from arrays of any type that are converted some items at a time."""
    n, piece = 7_000, _kernels.weighted_pairs.PIECE
    rng = np.random.default_rng(4)
    correct, confidence = rng.integers(0, 2, n), (100 * rng.random(2 * n)).astype(dtype)[::2]
    weight = np.arange(1.0, n + 1)
    given = read_items(correct, confidence, weight)
    with forced("buckets", 2, max_buckets=8, chunk=90):
        store, pieces, bounds, scale = spread_in_pieces(given, plan_buckets(given))
    assert scale == 2.0**-13
    found: list[int] = []
    for stream, (first, end) in enumerate(itertools.pairwise(bounds)):
        taken = store.reshape(-1, 2, piece)[pieces[first:end]]
        weights = taken[:, 1].view(np.float64).ravel()
        of_stream = (weights[weights > 0] - 1).astype(int).tolist()
        assert of_stream == sorted(of_stream)
        assert (correct[of_stream] == stream % 2).all()
        if found and of_stream and stream % 2 == 0:
            assert confidence[found].max() < confidence[of_stream].min()
        assert ((taken[:, 0] & np.uint64(1)) == stream % 2).all()
        found += of_stream
    assert sorted(found) == list(range(n))


def test_a_product_and_what_its_rounding_lost_are_exact():
    """By one instruction of the processor, where it has it, and by halves, which any other has."""
    products = _kernels.double_double
    rng = np.random.default_rng(9)
    for a, b in (rng.random((200, 2)) * 2.0 ** rng.integers(-60, 60, (200, 2))).tolist():
        high, low = products.two_product(a, b)
        assert (high, Fraction(high) + Fraction(low)) == (a * b, Fraction(a) * Fraction(b))
        assert products._rest_by_halves(a, b, high) == low


@pytest.mark.parametrize("to", ["lowest", "highest", "not a number"])
@pytest.mark.parametrize("of", [fa.arac_auc_score, fa.threshold_sweep])
def test_an_array_that_changes_after_the_buckets_are_planned_is_counted_as_it_is(of, to):
    """Another thread may write to it: all but a few items are then in one bucket, and in its room."""
    n = 300
    correct, confidence = np.arange(n) % 2, np.random.default_rng(5).random(n)
    weight = np.arange(1.0, n + 1)
    value = {"lowest": 0.0, "highest": confidence.max(), "not a number": np.nan}[to]

    def planned(given):
        plan = plan_buckets(given)
        assert plan.n_buckets == 8
        confidence[5:] = value
        return plan

    with forced("buckets", 2, max_buckets=8, chunk=90):
        with mock.patch.object(weighted, "plan_buckets", planned):
            if to == "not a number":
                with pytest.raises(ValueError, match="must be a finite number"):
                    of(correct, confidence, sample_weight=weight)
                return
            found = of(correct, confidence, sample_weight=weight)
        assert found == of(correct, confidence, sample_weight=weight)


def test_the_lowest_of_the_few_is_tied_with_one_of_the_others():
    """Where a cell is a single key: those of a tie differ in the label."""
    correct, confidence = [1, 0, 1, 0, 0], [0.0, 0.0, 5e-324, 5e-324, 5e-324]
    for labels in (correct, [1 - label for label in correct]):
        expected = 2 * fa.roc_auc_score(labels, confidence)
        with forced("buckets", max_buckets=4):
            assert 2 * fa.roc_auc_score(labels, confidence, sample_weight=[1.0] * 5) == expected
