"""Thresholds by an objective: nearly optimal ones, midpoints, and how resamples move them."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
import reference_bootstrap as ref
import strategies
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from strategies import COMPILED

import fastarac as fa
from fastarac._core.random_state import key_of
from fastarac.measures._tables import GOALS, LOSSES
from fastarac.measures.thresholds import midpoint
from fastarac.uncertainty.resampling import population_of

# Few items make quick tests, and resamples in which a measure is undefined.
pytestmark = [
    pytest.mark.interpreted,
    pytest.mark.filterwarnings("ignore::fastarac.UnreliableIntervalWarning"),
    pytest.mark.filterwarnings("ignore::fastarac.UndefinedMetricWarning"),
]

PRICES = fa.VerificationCosts(verification=1, correction=2, error=9)
QUARTER = Fraction(1, 4)
# The arguments that choose, and the same by definition: the choice, and its metric.
OBJECTIVES = {
    "youden_index": ({"measure": "youden_index"}, partial(ref.largest, ref.youden), ref.youden),
    "cost": ({"costs": PRICES}, partial(ref.smallest, ref.cost), ref.cost),
    "error_rate": (
        {"max_error_rate": 0.25}, partial(ref.lowest_within, ref.error_rate, QUARTER), ref.error_rate,
    ),
    "risk": ({"max_risk": 0.25}, partial(ref.lowest_within, ref.risk, QUARTER), ref.risk),
}  # fmt: skip


# The only measure that is not the same for weights twice as large.
UNSCALED = (
    {"measure": "adjusted_geometric_mean"}, partial(ref.largest, ref.adjusted_geometric_mean),
    ref.adjusted_geometric_mean,
)  # fmt: skip


def items(n: int, seed: int = 3, levels: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    confidence = rng.random(n)
    if levels is not None:
        confidence = np.floor(confidence * levels) / levels
    return rng.random(n) < 0.2 + 0.7 * confidence, confidence


def as_floats(outcome: tuple) -> list[float]:
    return [math.nan if value is None else float(value) for value in outcome]


class TestResamples:
    @pytest.mark.parametrize("midpoints", [False, True])
    @pytest.mark.parametrize("kind", ["items", "ties", "weights", "groups", "strata"])
    @pytest.mark.parametrize("name", OBJECTIVES)
    def test_each_is_chosen_and_tested_as_defined(self, name, kind, midpoints):
        """The threshold and both metrics of every resample, from the number of draws of each item."""
        keywords, choose, metric = OBJECTIVES[name]
        if kind == "weights" and name == "youden_index":
            keywords, choose, metric = UNSCALED
        correct, confidence = items(30, levels=7 if kind == "ties" else None)
        rng = np.random.default_rng(5)
        weight = rng.integers(0, 5, 30) * 1.5 if kind == "weights" else None
        groups = np.arange(30) // 4 if kind == "groups" else None
        given_items = {"sample_weight": weight, "groups": groups, "stratified": kind == "strata"}
        n = 6
        found = fa.bootstrap_threshold(
            correct, confidence, **keywords, **given_items, midpoints=midpoints, n_resamples=n,
            random_state=7,
        )  # fmt: skip
        population = population_of(correct, confidence, weight, groups, stratified=kind == "strata",
                                   single_items=True)  # fmt: skip
        order = ref.natural_order(len(population.codes), population.lanes)
        codes = population.codes[order]
        distinct = population.sweep.thresholds[1:].tolist()
        of_item = [distinct[tie - 1] for tie in np.cumsum(codes >> 1)]
        weights = np.broadcast_to(population.weights / population.scale, len(codes))[order]
        units = [*zip((codes & 1).astype(bool).tolist(), of_item, weights.tolist(), strict=True)]
        counts = population.draw(key_of(7), 0, np.empty((n, len(codes)), np.uint8))[:, order]
        expected = [
            as_floats(ref.bagged(units, row, choose, metric, midpoints=midpoints))
            for row in counts.tolist()
        ]
        columns = found.to_columns()
        assert list(columns) == ["threshold", "in_bag", "out_of_bag", "acceptance_rate"]
        np.testing.assert_allclose(np.transpose([*columns.values()]), expected, rtol=1e-13, atol=1e-15)

    @pytest.mark.compiled
    @pytest.mark.parametrize(
        ("name", "midpoints"), [("youden_index", True), ("error_rate", False), ("error_rate", True)]
    )
    @pytest.mark.parametrize("groups", [None, [0, 0, 1, 2, 2, 3]])
    def test_outcomes_are_as_frequent_as_over_all_draws(self, name, groups, midpoints):
        keywords, choose, metric = OBJECTIVES[name]
        correct, confidence = [1, 1, 0, 1, 0, 0], [0.9, 0.75, 0.75, 0.5, 0.25, 0.125]
        law = ref.law_of_thresholds(
            [*zip(map(bool, correct), confidence, [1] * 6, strict=True)], groups or range(6), choose,
            metric, midpoints=midpoints,
        )  # fmt: skip
        n = 20_000 if COMPILED else 2000
        found = fa.bootstrap_threshold(
            correct, confidence, **keywords, groups=groups, midpoints=midpoints, n_resamples=n,
            random_state=1,
        )  # fmt: skip
        expected: dict[tuple, float] = {}
        for outcome, chance in law.items():
            key = tuple(np.round(as_floats(outcome), 9).tolist())
            expected[str(key)] = expected.get(str(key), 0.0) + float(chance)
        seen = dict.fromkeys(expected, 0)
        for row in np.round(np.transpose([*found.to_columns().values()]), 9).tolist():
            seen[str(tuple(row))] += 1
        frequent = [key for key, chance in expected.items() if chance * n >= 5]
        observed = np.array([seen[key] for key in frequent])
        chances = np.array([expected[key] for key in frequent])
        assert len(frequent) > 10
        rest = [n - observed.sum()], [1 - chances.sum()]
        if rest[1][0] * n >= 5:
            observed, chances = np.append(observed, rest[0]), np.append(chances, rest[1])
        assert stats.chisquare(observed, chances / chances.sum() * observed.sum()).pvalue > 1e-3

    @pytest.mark.parametrize("name", OBJECTIVES)
    def test_the_estimate_is_the_threshold_chosen_elsewhere(self, name):
        keywords = OBJECTIVES[name][0]
        sweep = fa.threshold_sweep(*items(200))
        found = fa.bootstrap_threshold(sweep, **keywords, n_resamples=2, random_state=0)
        if name == "youden_index":
            best = fa.measures.confusion_measures(sweep).best(name)
            assert (found.threshold.estimate, found.value) == (best.threshold, best.value)
            return
        if name == "cost":
            point = fa.costs.optimal_operating_point(sweep, costs=PRICES)
            value = PRICES.cost(point)
        else:
            point = fa.operating_point(sweep, **keywords)
            value = getattr(point, name)
        assert found.threshold.estimate == point.threshold
        assert found.value == pytest.approx(value, rel=1e-14)
        assert found.metric == name

    def test_percentiles_and_optimism(self):
        found = fa.bootstrap_threshold(
            *items(300), measure="f1", n_resamples=50, confidence_level=0.8, random_state=0
        )
        thresholds = found.threshold.distribution
        assert (found.threshold.low, found.threshold.high) == pytest.approx(
            np.quantile(thresholds, [0.1, 0.9])
        )
        assert found.threshold.standard_error == pytest.approx(np.std(thresholds, ddof=1))
        assert found.optimism == pytest.approx(np.mean(found.in_bag - found.out_of_bag))
        assert "80% of resamples" in str(found)

    def test_threads_and_the_order_of_items_change_nothing(self):
        correct, confidence = items(400, levels=100)
        run = partial(fa.bootstrap_threshold, measure="youden_index", n_resamples=64, random_state=2)
        found = run(correct, confidence, n_threads=1)
        assert run(correct[::-1], confidence[::-1], n_threads=3) == found

    def test_large_integers_stay_exact_until_they_are_returned(self):
        confidence = (1 << 60) + np.arange(40)
        correct = np.arange(40) % 3 != 0
        found = fa.bootstrap_threshold(
            correct, confidence, max_error_rate=0.1, midpoints=True, n_resamples=20, random_state=0
        )
        shifted = fa.bootstrap_threshold(
            correct, np.arange(40), max_error_rate=0.1, n_resamples=20, random_state=0
        )
        # Midpoints of neighbouring integers are the upper one, so both accept about the same items.
        assert found.in_bag.tolist() == shifted.in_bag.tolist()
        assert (found.out_of_bag >= shifted.out_of_bag).all()

    def test_what_is_undefined_is_left_out_and_said(self):
        with pytest.warns(fa.UndefinedMetricWarning) as caught:
            found = fa.bootstrap_threshold(
                [1, 1, 0, 0],
                [0.9, 0.6, 0.8, 0.7],
                measure="youden_index",
                n_resamples=50,
                random_state=0,
            )
        said = [str(warning.message) for warning in caught]
        assert any("the threshold is undefined for" in text for text in said)
        assert any(text.startswith("youden_index is undefined: out of bag, in") for text in said)
        assert np.isnan(found.in_bag).any()
        assert not math.isnan(found.optimism)
        with pytest.warns(fa.UndefinedMetricWarning):
            nothing = fa.bootstrap_threshold([1, 1], [0.9, 0.8], measure="youden_index", n_resamples=9)
        assert math.isnan(nothing.threshold.low)
        assert math.isnan(nothing.optimism)
        assert "nan" in str(nothing)

    def test_arguments(self):
        run = partial(fa.bootstrap_threshold, [1, 0, 1], [0.9, 0.8, 0.7])
        with pytest.raises(
            TypeError, match="exactly one of measure, costs, max_error_rate, max_risk, got none"
        ):
            run()
        with pytest.raises(TypeError, match="got measure and max_risk"):
            run(measure="f1", max_risk=0.1)
        with pytest.raises(ValueError, match="measure must be one of 'accuracy'"):
            run(measure="F1")
        with pytest.raises(TypeError, match="costs must be VerificationCosts"):
            run(costs=3)
        with pytest.raises(ValueError, match=r"max_error_rate must be .*, got 2"):
            run(max_error_rate=2)
        many = fa.ThresholdSweep.from_counts([0.5, 0.9], [1 << 31, 0], [0, 1])
        with pytest.raises(ValueError, match=r"fewer than 2,147,483,648 items"):
            fa.bootstrap_threshold(many, measure="f1")


def normal_items(n: int, seed: int, pages: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Scores N(1, 1) of correct items and N(0, 1) of incorrect ones; half of the items are correct.

    The items of a page are copies of one item.
    """
    rng = np.random.default_rng(seed)
    each = n // pages if pages else 1
    correct = np.repeat(rng.random(n // each) < 0.5, each)
    return correct, np.repeat(rng.normal(size=n // each), each) + correct


def youden_of(threshold: np.ndarray) -> np.ndarray:
    """The Youden index of a threshold in the population of `normal_items`."""
    return stats.norm.sf(threshold - 1.0) - stats.norm.sf(threshold)


class TestHonesty:
    """In 150 samples: the metric is that of the population out of bag, and better than it in bag."""

    SAMPLES = 150 if COMPILED else 30

    def errors(self, pages: int, *, by_page: bool) -> tuple[np.ndarray, np.ndarray]:
        """Mean metric out of bag, and in bag, minus that of the same thresholds in the population."""
        found = []
        for seed in range(self.SAMPLES):
            correct, confidence = normal_items(120, seed, pages)
            groups = np.arange(120) // (120 // pages) if by_page else None
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                chosen = fa.bootstrap_threshold(
                    correct, confidence, measure="youden_index", midpoints=True, groups=groups,
                    n_resamples=40, random_state=seed,
                )  # fmt: skip
            true = youden_of(chosen.threshold.distribution)
            found.append([np.nanmean(chosen.out_of_bag - true), np.nanmean(chosen.in_bag - true)])
        return tuple(np.transpose(found))

    @pytest.mark.compiled
    def test_of_items(self):
        out_of_bag, in_bag = self.errors(0, by_page=False)
        error = np.std(out_of_bag, ddof=1) / math.sqrt(len(out_of_bag))
        assert abs(out_of_bag.mean()) < 3.5 * error
        assert in_bag.mean() > 0.05

    @pytest.mark.compiled
    def test_of_pages(self):
        """Items of a page are alike: only whole pages may be left out of a bag."""
        out_of_bag, _ = self.errors(40, by_page=True)
        error = np.std(out_of_bag, ddof=1) / math.sqrt(len(out_of_bag))
        assert abs(out_of_bag.mean()) < 3.5 * error
        of_items, _ = self.errors(40, by_page=False)
        assert of_items.mean() > 0.05


class TestNearOptimal:
    @given(strategies.exact_sums, st.sampled_from(GOALS), st.sampled_from([0.0, 0.05, 1.0]))
    def test_are_all_within_the_tolerance(self, sample, measure, tolerance):
        sweep = fa.threshold_sweep(sample.correct, sample.confidence, **sample.weighted)
        near = fa.near_optimal_thresholds(sweep, measure=measure, tolerance=tolerance)
        measures = fa.measures.confusion_measures(sweep)
        values = measures.compute([measure])[measure]
        best = measures.best(measure)
        if best.position < 0:
            assert len(near.thresholds) == 0
            return
        assert best.threshold in near.thresholds.tolist()
        if math.isinf(best.value):
            assert (near.values == best.value).all()
            return
        sign = -1 if measure in LOSSES else 1
        with np.errstate(invalid="ignore"):
            surely, never = (
                sign * (best.value - values) <= tolerance + slack for slack in (0.0, 1e-13)
            )
        kept = np.isin(sweep.thresholds.astype(object), near.thresholds.astype(object))
        assert (kept >= surely).all()
        assert (kept <= never).all()

    @given(strategies.items)
    def test_midpoints_split_the_sample_alike(self, sample):
        """Even between neighbouring floats, tiny and huge ones, and integers beyond 2**53."""
        sweep = fa.threshold_sweep(sample.correct, sample.confidence, **sample.weighted)
        near = fa.near_optimal_thresholds(sweep, measure="accuracy", tolerance=1.0)
        assert near.thresholds.tolist() == sweep.thresholds.tolist()
        assert (near.midpoints <= near.thresholds).all()
        for middle, threshold in zip(near.midpoints.tolist(), near.thresholds.tolist(), strict=True):
            assert sweep.at(middle) == sweep.at(threshold)

    def test_midpoint_lies_between(self):
        assert midpoint(8.0, 3.0) == 5.5
        assert midpoint(math.inf, 3.0) == math.inf
        assert midpoint(1e308, 0.9e308) == 0.95e308
        assert midpoint(math.nextafter(1.0, 2.0), 1.0) == math.nextafter(1.0, 2.0)
        assert midpoint(5e-324, 0.0) == 5e-324
        assert midpoint((1 << 60) + 1, 1 << 60) == (1 << 60) + 1
        assert midpoint((1 << 60) + 5, 1 << 60) == (1 << 60) + 3

    def test_costs(self):
        sweep = fa.threshold_sweep(*items(200))
        near = fa.near_optimal_thresholds(sweep, costs=PRICES, tolerance=0.02)
        costs = PRICES.cost(sweep)
        kept = costs <= costs.min() + 0.02
        assert 1 < kept.sum() < 50
        np.testing.assert_array_equal(near.thresholds, sweep.thresholds[kept])
        np.testing.assert_allclose(near.values, costs[kept], rtol=1e-14)
        np.testing.assert_array_equal(near.acceptance_rate, sweep.acceptance_rate[kept])

    def test_differences_by_rounding_do_not_count(self):
        """0.9 and 0.85 differ by 0.05, although their floats differ by more."""
        sweep = fa.ThresholdSweep.from_counts([3, 2, 1], [16, 0, 2], [0, 1, 1])
        near = fa.near_optimal_thresholds(sweep, measure="accuracy", tolerance=0.05)
        assert 0.9 - 0.85 > 0.05
        assert near.values.tolist() == [0.9, 0.85, 0.9]

    def test_arguments(self):
        run = partial(fa.near_optimal_thresholds, [1, 0], [0.9, 0.8])
        with pytest.raises(TypeError, match="give exactly one of measure, costs, got none"):
            run(tolerance=0)
        with pytest.raises(ValueError, match=r"tolerance must be .*, got -1"):
            run(measure="f1", tolerance=-1)
        with pytest.warns(fa.UndefinedMetricWarning, match="youden_index is undefined"):
            found = fa.near_optimal_thresholds([1, 1], [0.9, 0.8], measure="youden_index", tolerance=0)
        assert [len(column) for column in found] == [0, 0, 0, 0]
