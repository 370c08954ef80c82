"""The intervals of the bootstrap beside scipy's and beside their formulas."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import reference_bootstrap as ref
from scipy import stats
from strategies import COMPILED

import fastarac as fa
from fastarac.uncertainty import influence, intervals
from fastarac.uncertainty.resampling import population_of

# Few items make quick tests, and intervals that one would not rely on.
pytestmark = [
    pytest.mark.interpreted,
    pytest.mark.filterwarnings("ignore::fastarac.UnreliableIntervalWarning"),
]


def items(n: int, seed: int = 3, levels: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    confidence = rng.random(n)
    if levels is not None:
        confidence = np.floor(confidence * levels) / levels
    return rng.random(n) < 0.4 + 0.5 * confidence, confidence


class Given:
    """What scipy takes in place of its own replicates."""

    def __init__(self, distribution):
        self.bootstrap_distribution = distribution


@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
@pytest.mark.parametrize("levels", [None, 5])
@pytest.mark.parametrize("name", ["arac_auc", "roc_auc", "normalized_arac_auc", "equal_error_rate"])
def test_methods_are_those_of_scipy(method, levels, name):
    """scipy's formulas, and its jackknife over the items, on the same replicates."""
    correct, confidence = items(60 if COMPILED else 30, levels=levels)
    statistic = fa.Statistic(name)
    ours = fa.bootstrap(
        correct, confidence, statistic=statistic, n_resamples=300, random_state=4, method=method
    )

    def of_items(right, score, axis=-1):
        if right.ndim == 1:
            return statistic(fa.threshold_sweep(right, score))
        return np.array(
            [statistic(fa.threshold_sweep(r, s)) for r, s in zip(right, score, strict=True)]
        )

    theirs = stats.bootstrap(
        (correct, confidence), of_items, paired=True, vectorized=True, n_resamples=0,
        method={"bca": "BCa"}.get(method, method), bootstrap_result=Given(ours.distribution),
    )  # fmt: skip
    low, high = theirs.confidence_interval
    # scipy averages jackknife values in another order
    assert ours.low == pytest.approx(low, rel=1e-6)
    assert ours.high == pytest.approx(high, rel=1e-6)
    assert ours.standard_error == pytest.approx(theirs.standard_error)


def test_bca_of_strata_is_that_of_two_samples():
    correct, confidence = items(50)
    statistic = fa.Statistic("roc_auc")
    ours = fa.bootstrap(
        correct,
        confidence,
        statistic=statistic,
        n_resamples=300,
        random_state=4,
        method="bca",
        stratified=True,
    )

    def of_samples(right, wrong, axis=-1):
        rows = zip(np.atleast_2d(right), np.atleast_2d(wrong), strict=False)
        if len(np.atleast_2d(right)) != len(np.atleast_2d(wrong)):
            rows = np.broadcast(1)
        values = [statistic(fa.threshold_sweep([1] * len(a) + [0] * len(b), [*a, *b])) for a, b in rows]
        return np.array(values) if np.ndim(right) > 1 else values[0]

    def jackknife(a, b):
        return np.array([of_samples(np.delete(a, i), b) for i in range(len(a))])

    right, wrong = confidence[correct], confidence[~correct]
    numerator = denominator = 0.0
    for values in (
        jackknife(right, wrong),
        np.array([of_samples(right, np.delete(wrong, i)) for i in range(len(wrong))]),
    ):
        n = len(values)
        u = (n - 1) * (values.mean() - values)
        numerator += np.sum(u**3) / n**3
        denominator += np.sum(u**2) / n**2
    population = population_of(correct, confidence, None, None, stratified=True, of_pairs=True)
    found = intervals.acceleration(population, statistic, "roc_auc")
    assert found == pytest.approx(numerator / (6 * denominator**1.5), rel=1e-9)
    assert (ours.low, ours.high) == intervals.bca(ours.distribution, ours.estimate, found, 0.95)


def test_acceleration_of_groups_leaves_out_groups():
    """To first order what leaving out one group after the other gives."""
    n, g = (1200, 60) if COMPILED else (600, 60)
    correct, confidence = items(n)
    groups = np.floor(g * np.random.default_rng(1).random(n) ** 2).astype(int)
    correct[groups == 3] = False  # one bad document
    weight = np.random.default_rng(2).random(n)
    for weights in (None, weight):
        population = population_of(correct, confidence, weights, groups, stratified=False)
        left_out = [
            fa.arac_auc_score(
                correct[groups != k], confidence[groups != k],
                sample_weight=None if weights is None else weights[groups != k],
            )
            for k in range(g)
        ]  # fmt: skip
        u = np.mean(left_out) - np.array(left_out)
        expected = np.sum(u**3) / (6 * np.sum(u**2) ** 1.5)
        found = intervals.acceleration(population, fa.Statistic("arac_auc"), "arac_auc")
        assert found == pytest.approx(expected, abs=0.002)
        assert abs(expected) > 0.02


@pytest.mark.parametrize(
    "name", ["arac_auc", "augrc", "roc_auc", "recognition_rate", "normalized_arac_auc"]
)
def test_leaving_out_is_close_to_the_influence(name, monkeypatch):
    correct, confidence = items(400)
    for stratified in (False, name in {"arac_auc", "roc_auc"}):
        population = population_of(correct, confidence, None, None, stratified=stratified)
        exact = intervals.acceleration(population, fa.Statistic(name), name)
        with monkeypatch.context() as patch:
            patch.setattr(intervals, "CLOSED_FORM", 0)
            close = intervals.acceleration(population, fa.Statistic(name), name)
        assert close == pytest.approx(exact, abs=2e-3)
        assert exact != close


PAIRS = ["arac_auc", "augrc", "roc_auc", "recognition_rate"]
OTHERS = ["normalized_arac_auc", "arp_auc", "average_precision"]


@pytest.mark.parametrize("name", PAIRS + OTHERS)
@pytest.mark.parametrize("levels", [None, 5])
@pytest.mark.parametrize("stratified", [False, True])
def test_studentized_intervals(name, levels, stratified):
    """The formula, with the standard error of each resample from its own influence values."""
    if name == "recognition_rate" and stratified:
        return
    correct, confidence = items(60, levels=levels)
    statistic = fa.Statistic(name)
    ours = fa.bootstrap(
        correct, confidence, statistic=statistic, n_resamples=40 if COMPILED else 20, random_state=4,
        method="studentized", stratified=stratified,
    )  # fmt: skip
    sweeps = []

    def keep(sweep):
        sweeps.append(sweep)
        return statistic(sweep)

    again = fa.bootstrap(
        correct,
        confidence,
        statistic=keep,
        n_resamples=40 if COMPILED else 20,
        random_state=4,
        stratified=stratified,
    )
    np.testing.assert_allclose(again.distribution, ours.distribution, rtol=1e-12)

    def error(sweep):
        both = influence.point_influence(sweep, statistic)
        counts = np.diff(sweep.true_accepts), np.diff(sweep.false_accepts)
        variance = 0.0
        for count, values in zip(counts, both, strict=True):
            n = count.sum() if stratified or name == "roc_auc" else sweep.total
            centre = np.average(values, weights=count) if stratified else 0.0
            variance += n / (n - 1) * np.sum(count * (values - centre) ** 2)
        return math.sqrt(variance) / sweep.total

    t = [(statistic(s) - ours.estimate) / error(s) for s in sweeps[1:]]
    expected_error = error(sweeps[0])
    if not np.isfinite(t).all() or expected_error == 0:
        return
    low = ours.estimate - expected_error * ref.quantile(t, 0.975)
    high = ours.estimate - expected_error * ref.quantile(t, 0.025)
    ends = statistic.range
    assert ours.low == pytest.approx(np.clip(low, *ends), rel=1e-9)
    assert ours.high == pytest.approx(np.clip(high, *ends), rel=1e-9)


@pytest.mark.parametrize("stratified", [False, True])
@pytest.mark.parametrize("name", ["arac_auc", "aurc"])
def test_acceleration_of_weighted_items_leaves_out_items(stratified, name):
    """To first order what leaving out one item after the other gives."""
    n = 150 if COMPILED else 100
    correct, confidence = items(n)
    weight = np.random.default_rng(2).random(n)
    population = population_of(correct, confidence, weight, None, stratified=stratified)
    statistic = fa.Statistic(name)
    whole = np.arange(n)
    left_out = np.array(
        [
            statistic(
                fa.threshold_sweep(
                    *(x[whole != i] for x in (correct, confidence)), sample_weight=weight[whole != i]
                )
            )
            for i in range(n)
        ]
    )
    squares = cubes = 0.0
    for part in [correct, ~correct] if stratified else [whole >= 0]:
        u = left_out[part].mean() - left_out[part]
        squares += np.sum(u**2)
        cubes += np.sum(u**3)
    expected = cubes / (6 * squares**1.5)
    found = intervals.acceleration(population, statistic, name)
    assert abs(expected) > 0.005
    assert found == pytest.approx(expected, rel=0.1)


def test_bca_of_too_much_skewness_is_undefined():
    replicates = np.linspace(0, 1, 50)
    assert math.isnan(intervals.bca(replicates, 0.5, 0.6, 0.95).low)
    assert math.isnan(intervals.bca(replicates, 0.5, math.nan, 0.95).low)
    low, high = intervals.bca(replicates, 0.5, 0.0, 0.95)
    assert (low, high) == pytest.approx((0.025, 0.975))


def test_bca_does_not_take_rounding_for_bias():
    """A replicate that differs from the estimate in its last digit is equal to it."""
    replicates = np.repeat([0.25, 0.5 * (1 + 1e-15), 0.75], 10)
    assert intervals.bca(replicates, 0.5, 0.0, 0.5) == intervals.percentile(replicates, 0.5)


def every_resample(correct: list[int], incorrect: list[int]) -> tuple[Fraction, Fraction]:
    """Mean and variance of the ROC-AUC over all resamples of both classes, pair by pair."""
    areas = [
        sum(Fraction((a > b) + (a >= b), 2) for a in right for b in wrong)
        / (len(correct) * len(incorrect))
        for right in itertools.product(correct, repeat=len(correct))
        for wrong in itertools.product(incorrect, repeat=len(incorrect))
    ]
    mean = sum(areas) / len(areas)
    return mean, sum((area - mean) ** 2 for area in areas) / len(areas)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [([3, 2, 2], [2, 1, 3]), ([5, 4, 1], [1, 2, 1]), ([2, 1], [1, 2, 2, 3]), ([1], [0])],
)
def test_the_exact_variance_is_that_of_all_resamples(right, wrong):
    correct = [1] * len(right) + [0] * len(wrong)
    found = fa.bootstrap(
        correct, [*right, *wrong], statistic=["roc_auc", "arac_auc", "augrc"],
        method="exact-variance", stratified=True, confidence_level=0.9,
    )  # fmt: skip
    mean, variance = every_resample(right, wrong)
    beta = Fraction(len(right), len(correct))
    for name, scale in (
        ("roc_auc", Fraction(1)),
        ("arac_auc", beta * (1 - beta)),
        ("augrc", beta * (1 - beta)),
    ):
        interval = found[name]
        assert interval.standard_error == pytest.approx(math.sqrt(scale**2 * variance), rel=1e-13)
        reach = stats.norm.ppf(0.95) * interval.standard_error
        assert interval.low == pytest.approx(max(0.0, interval.estimate - reach), rel=1e-12, abs=1e-15)
        assert interval.high == pytest.approx(min(1.0, interval.estimate + reach), rel=1e-12)
        assert (interval.method, interval.distribution) == ("exact-variance", None)
    assert found["roc_auc"].estimate == float(mean)


def test_the_exact_variance_is_that_of_many_resamples():
    correct, confidence = items(300 if COMPILED else 40, levels=7)
    options = {"statistic": "arac_auc", "stratified": True}
    exact = fa.bootstrap(correct, confidence, method="exact-variance", **options)
    drawn = fa.bootstrap(
        correct, confidence, n_resamples=20_000 if COMPILED else 200, random_state=0, **options
    )
    # the relative error of a standard deviation is 1/√(2B): here four of them
    assert drawn.standard_error == pytest.approx(exact.standard_error, rel=0.02 if COMPILED else 0.2)
    sweep = fa.threshold_sweep(correct, confidence)
    assert fa.bootstrap(sweep, method="exact-variance", **options) == exact


def test_the_exact_variance_of_one_class():
    options = {"stratified": True, "method": "exact-variance"}
    with pytest.warns(fa.UndefinedMetricWarning, match="roc_auc is undefined"):
        assert math.isnan(fa.bootstrap([1, 1], [1, 2], statistic="roc_auc", **options).low)
    assert fa.bootstrap([1, 1], [1, 2], **options).standard_error == 0.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"stratified": False}, "needs stratified=True"),
        ({"groups": [1, 1, 2]}, ", which needs single items"),
        ({"sample_weight": [1, 1, 2]}, "sample_weight cannot go with"),
        ({"statistic": "aurc"}, "statistic must be one of arac_auc, roc_auc, augrc"),
        ({"statistic": fa.roc_auc_score}, "', got 'roc_auc_score'"),
    ],
)
def test_what_the_exact_variance_does_not_take(options, message):
    options = {"method": "exact-variance", "stratified": True, **options}
    with pytest.raises(ValueError, match=message):
        fa.bootstrap([1, 0, 1], [1, 2, 3], **options)
    if options["stratified"]:
        sweep = fa.threshold_sweep([1, 0], [1, 2], sample_weight=[1.0, 2.0])
        with pytest.raises(ValueError, match="the sweep is weighted"):
            fa.bootstrap(sweep, method="exact-variance", stratified=True)


def lowest_within(sweep):
    """The threshold that keeps a limit: infinite where nothing can be accepted."""
    return fa.operating_point(sweep, max_risk=0.1).threshold


class TestInfiniteReplicates:
    """A threshold that keeps a limit is infinite in the resamples of which nothing can be accepted."""

    CONFIDENCE = np.linspace(0, 1, 60)

    @staticmethod
    def correct(n_wrong):
        """Of 60 items, with so many wrong ones above all others."""
        rng = np.random.default_rng(0)
        correct = rng.random(60) < 0.3 + 0.7 * np.linspace(0, 1, 60)
        correct[-2] = True
        correct[60 - n_wrong :] = False
        return correct

    def bootstrap(self, **options):
        with pytest.warns(fa.UndefinedMetricWarning, match="is infinite in [0-9]+ of 400 resamples"):
            return fa.bootstrap(
                self.correct(1), self.CONFIDENCE, statistic=lowest_within, n_resamples=400,
                random_state=1, **options,
            )  # fmt: skip

    def test_ends_are_quantiles_with_infinity_as_a_value(self):
        found = self.bootstrap(confidence_level=0.95)
        ordered = np.sort(found.distribution)
        infinite = int(np.isinf(ordered).sum())
        assert 10 < infinite < 200  # more than a tail, less than all
        assert found.low == np.quantile(ordered[: 400 - infinite], 0.025 * 399 / (399 - infinite))
        assert (found.high, math.isnan(found.standard_error)) == (math.inf, True)
        # the quantile between the last finite replicate and the first infinite one
        place = 399 - infinite + 0.5
        assert intervals.percentile(ordered, 2 * place / 399 - 1).high == math.inf
        inside = intervals.percentile(ordered, 2 * (place - 0.5) / 399 - 1)
        assert inside.high == pytest.approx(ordered[399 - infinite])

    def test_basic_mirrors_infinity(self):
        found = self.bootstrap(method="basic")
        straight = self.bootstrap()
        assert found.low == -math.inf
        assert found.high == 2 * found.estimate - straight.low

    def test_bca_has_the_quantiles_of_its_shares(self):
        found = self.bootstrap(method="bca")
        assert not math.isnan(found.low)
        assert found.low < found.estimate < found.high == math.inf

    def test_nothing_is_said_to_lack_spread(self, recwarn):
        self.bootstrap()
        assert not [each for each in recwarn if "no spread" in str(each.message)]
        assert not [each for each in recwarn if issubclass(each.category, RuntimeWarning)]

    def test_infinite_everywhere(self):
        found = fa.bootstrap([0, 0, 0], [1, 2, 3], statistic=lowest_within, n_resamples=50)
        assert (found.estimate, found.low, found.high) == (math.inf, math.inf, math.inf)
        assert found.standard_error == 0.0

    def test_an_infinite_estimate(self):
        found = {}
        for method in ("percentile", "basic", "bca"):
            with pytest.warns(fa.UndefinedMetricWarning):
                found[method] = fa.bootstrap(
                    self.correct(3), self.CONFIDENCE, statistic=lowest_within, method=method,
                    n_resamples=400, random_state=2,
                )  # fmt: skip
        assert found["percentile"].estimate == math.inf
        assert math.isfinite(found["percentile"].low)
        assert found["percentile"].high == math.inf
        assert math.isnan(found["basic"].low)
        assert math.isnan(found["basic"].high)
