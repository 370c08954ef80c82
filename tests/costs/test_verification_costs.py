"""What verifying costs: L, L' and W, the threshold of least cost, and the hull it lies on."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import reference as ref
import reference_verification as slow
import strategies
from hypothesis import example, given
from hypothesis import strategies as st
from priced import people, points_of, sweeps

import fastarac as fa
from fastarac._engine import strategy
from fastarac.costs.corners import hull_corners

pytestmark = pytest.mark.interpreted

CORRECT = [1, 1, 0, 1, 0]
CONFIDENCE = [0.9, 0.8, 0.7, 0.6, 0.2]

quarters = st.integers(0, 40).map(lambda number: number / 4)
price = st.one_of(quarters, st.floats(0, 1e6), st.sampled_from([0.0, 1e-12, 0.1, 1e12]))
prices = st.tuples(price, price.filter(lambda value: value > 1e-9), price)


class TestReference:
    """The definitions, worked by hand for five items: TA 0 1 2 2 3 3, FA 0 0 0 1 1 2."""

    points = slow.to_points([0, 1, 2, 2, 3, 3], [0, 0, 0, 1, 1, 2])

    def test_costs(self):
        point = self.points[2]  # two correct ones are accepted; one more and two wrong ones are not
        assert slow.cost(point, (2, 4, 50)) == Fraction(3 * 2 + 2 * 4, 5)
        assert slow.normalized_cost(point, (2, 4, 50)) == (Fraction(14, 5) - 6) / 4
        # a half of the two wrong ones is found, a quarter of the correct one is spoiled
        assert slow.error_rate(point, 0.5, 0.25) == Fraction(5, 4) / 5
        assert slow.correction_rate(point, 0.5, 0.25) == Fraction(5, 4) / 5
        assert slow.cost(point, (2, 4, 50), 0.5, 0.25) == (6 + Fraction(5, 4) * 54) / 5

    def test_optima(self):
        assert slow.cheapest(self.points, (2, 4, 50)) == 2
        assert slow.cheapest(self.points, (2, 4, 7)) == 4
        assert slow.cheapest(self.points, (1, 1, 3)) == 4  # as 2, and accepts more
        # between 2 and 4 one of two items is wrong; from there on the only one
        assert slow.intervals_of_ratios(self.points) == {
            2: (0, Fraction(1, 2)),
            4: (Fraction(1, 2), 1),
            5: (1, math.inf),
        }
        assert slow.best_performance(self.points, 1, 2) == Fraction(4, 5) + Fraction(3, 5) - Fraction(
            2, 5
        )

    def test_rejection(self):
        assert slow.rejection_cost(self.points[0], 0.25) == Fraction(1, 4)
        assert slow.rejection_cost(self.points[4], 0.25) == Fraction(3, 16) + Fraction(1, 20)
        assert slow.least_rejection_cost(self.points, 0) == (0, 2)
        assert slow.least_rejection_cost(self.points, 1) == (0, 5)


class TestPrices:
    def test_ratios(self):
        costs = fa.VerificationCosts(verification=2, correction=4, error=50)
        assert (costs.gamma, costs.delta) == (0.5, 11.5)
        assert costs.matrix.tolist() == [[6.0, 2.0], [50.0, 0.0]]

    @given(st.floats(0, 1e9), st.floats(-1, 1e9))
    def test_from_ratios(self, gamma, delta):
        costs = fa.VerificationCosts.from_ratios(gamma, delta)
        assert costs.gamma == gamma
        assert costs.delta == pytest.approx(delta, rel=1e-15, abs=2e-16)
        assert costs.correction == 1.0

    def test_the_matrix_counts_what_the_cost_does(self):
        costs = fa.VerificationCosts(0.5, 3, 20)
        sweep = fa.threshold_sweep(CORRECT, CONFIDENCE)
        for j, total in enumerate(costs.cost(sweep)):
            at = points_of(sweep)[j]
            counts = [[at.true_rejects, at.false_rejects], [at.false_accepts, at.true_accepts]]
            counted = (costs.matrix * np.array(counts, float)).sum() / sweep.total
            assert total == pytest.approx(counted, rel=1e-14)

    def test_frozen_and_comparable(self):
        costs = fa.VerificationCosts(1, 2, 3)
        assert costs == fa.VerificationCosts(1.0, np.float32(2), np.int64(3))
        assert {costs: 1}[fa.VerificationCosts(1, 2, 3)] == 1
        with pytest.raises(dataclasses.FrozenInstanceError):
            costs.error = 5
        assert type(costs.verification) is float

    @pytest.mark.parametrize(
        ("arguments", "error", "message"),
        [
            ((-1, 1, 1), ValueError, "verification must be a finite number of at least 0, got -1"),
            ((1, 0, 1), ValueError, "correction must be a finite number above 0, got 0"),
            ((1, -2, 1), ValueError, "correction must be a finite number above 0, got -2"),
            ((1, 1, -0.5), ValueError, "error must be a finite number of at least 0, got -0.5"),
            ((math.nan, 1, 1), ValueError, "verification must be a finite number, got nan"),
            ((1, math.inf, 1), ValueError, "correction must be a finite number, got inf"),
            ((1, 1, "3"), TypeError, r"error must be a number, got '3' \(str\)"),
            ((1, 1, [3]), TypeError, "error must be a number, got .*"),
            ((1e308, 1e308, 1e308), ValueError, "be finite: use smaller prices"),
            ((1e300, 1e-300, 1), ValueError, "correction is 1e-300, too small compared"),
            ((1, 1e-300, 1e300), ValueError, "correction is 1e-300, too small compared"),
        ],
    )
    def test_refused(self, arguments, error, message):
        with pytest.raises(error, match=message):
            fa.VerificationCosts(*arguments)

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ((-1, 0), "must be a finite number of at least 0, got -1"),
            ((1, -1.5), r"delta must be a number of at least -1, got -1\.5"),
            ((1, math.nan), "delta must be a finite number, got nan"),
        ],
    )
    def test_refused_ratios(self, arguments, message):
        with pytest.raises(ValueError, match=message):
            fa.VerificationCosts.from_ratios(*arguments)


class TestCostsOfASweep:
    @given(strategies.items, prices, people)
    @example(strategies.Sample(np.array([1]), np.array([1])), (0.0, 1.0, 0.0), (1.0, 0.0))
    def test_by_definition(self, sample, given_prices, rates):
        sweep = fa.threshold_sweep(sample.correct, sample.confidence, **sample.weighted)
        costs, reviewer = fa.VerificationCosts(*given_prices), fa.Reviewer(*rates)
        largest = max(given_prices)
        ratio = largest / costs.correction + 1
        columns = (
            (costs.cost(sweep, reviewer=reviewer), slow.cost, largest),
            (costs.normalized_cost(sweep, reviewer=reviewer), slow.normalized_cost, ratio),
        )
        for column, definition, size in columns:
            expected = [float(definition(p, given_prices, *rates)) for p in points_of(sweep)]
            assert column == pytest.approx(expected, rel=1e-12, abs=1e-13 * size)
        performance = costs.performance(sweep, reviewer=reviewer)
        assert np.array_equal(performance, -columns[1][0])

    @given(strategies.items, prices)
    def test_as_the_paper_writes_them(self, sample, given_prices):
        """L of equation 9, and L' and W of equations 14 and 15, which come from it."""
        sweep = fa.threshold_sweep(sample.correct, sample.confidence, **sample.weighted)
        costs = fa.VerificationCosts(*given_prices)
        at = ref.sweep(ref.to_items(sample.correct, sample.confidence, sample.sample_weight))
        gamma = Fraction(given_prices[0]) / Fraction(given_prices[1])
        delta = Fraction(given_prices[2]) / Fraction(given_prices[1]) - 1
        cost = [float(ref.cost(point, *given_prices)) for point in at]
        performance = [float(ref.performance(point, gamma, delta)) for point in at]
        assert costs.cost(sweep) == pytest.approx(cost, rel=1e-12, abs=1e-13 * max(given_prices))
        size = max(given_prices) / given_prices[1] + 1
        assert costs.performance(sweep) == pytest.approx(performance, rel=1e-12, abs=1e-13 * size)
        whole = (costs.cost(sweep) - (costs.verification + costs.correction)) / costs.correction
        assert costs.normalized_cost(sweep) == pytest.approx(whole, rel=1e-12, abs=1e-12 * size)

    @given(prices, people)
    def test_a_point_costs_what_its_threshold_does(self, given_prices, rates):
        sweep = fa.threshold_sweep(CORRECT, CONFIDENCE)
        costs, reviewer = fa.VerificationCosts(*given_prices), fa.Reviewer(*rates)
        for j, threshold in enumerate(sweep.thresholds):
            point = fa.operating_point(sweep, threshold=threshold, reviewer=reviewer)
            for method in ("cost", "normalized_cost", "performance"):
                value = getattr(costs, method)(point)
                assert value == getattr(costs, method)(sweep, reviewer=reviewer)[j]
                assert isinstance(value, float)

    def test_refused(self):
        costs = fa.VerificationCosts(1, 1, 1)
        sweep = fa.threshold_sweep(CORRECT, CONFIDENCE)
        point = fa.operating_point(sweep, threshold=0.5)
        with pytest.raises(TypeError, match="at must be a ThresholdSweep or an OperatingPoint"):
            costs.cost([1, 0])
        with pytest.raises(TypeError, match="reviewer cannot go with an OperatingPoint"):
            costs.performance(point, reviewer=fa.Reviewer())
        with pytest.raises(TypeError, match=r"reviewer must be a Reviewer, got 0.9 \(float\)"):
            costs.normalized_cost(sweep, reviewer=0.9)


class TestPerformanceAtAnErrorRate:
    @given(strategies.exact_sums, st.floats(0, 10), st.floats(-1, 100))
    def test_formula(self, sample, gamma, delta):
        limits = np.array([[0.0, 0.01], [0.3, 1.0]])
        items = ref.to_items(sample.correct, sample.confidence, sample.sample_weight)
        found = fa.costs.performance_at_error_rate(
            sample.correct,
            sample.confidence,
            max_error_rate=limits,
            costs=fa.VerificationCosts.from_ratios(gamma, delta),
            **sample.weighted,
        )
        expected = [
            float(ref.performance_at_error_rate(items, limit, gamma, delta)) for limit in limits.flat
        ]
        assert found.shape == limits.shape
        assert found.ravel() == pytest.approx(expected, rel=1e-12, abs=1e-11)

    def test_scalar(self):
        costs = fa.VerificationCosts.from_ratios(1, 0)
        value = fa.costs.performance_at_error_rate(CORRECT, CONFIDENCE, max_error_rate=0.2, costs=costs)
        assert type(value) is float
        assert value == pytest.approx(1.4)
        assert value == fa.evaluate(CORRECT, CONFIDENCE, max_error_rate=0.2).limits[0].performance

    @given(strategies.exact_sums, people)
    def test_reviewer(self, sample, rates):
        """W of the interpolated point, but for the allowed error rate in the place of its own."""
        costs, reviewer = fa.VerificationCosts(1, 2, 30), fa.Reviewer(*rates)
        sweep = fa.threshold_sweep(sample.correct, sample.confidence, **sample.weighted)
        limit = 0.9 * float(reviewer.error_rate(sweep).max()) + 0.1 * float(
            reviewer.error_rate(sweep).min()
        )
        point = fa.operating_point(sweep, max_error_rate=limit, interpolate=True, reviewer=reviewer)
        found = fa.costs.performance_at_error_rate(
            sweep, max_error_rate=limit, costs=costs, reviewer=reviewer
        )
        expected = costs.performance(point) + costs.delta * (point.error_rate - limit)
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)

    def test_reviewer_who_exceeds_the_limit(self):
        poor = fa.Reviewer(detection_rate=0.0)
        costs = fa.VerificationCosts(1, 1, 1)
        with pytest.warns(fa.UndefinedMetricWarning):
            found = fa.costs.performance_at_error_rate(
                CORRECT, CONFIDENCE, max_error_rate=[0.1, 0.9], costs=costs, reviewer=poor
            )
        assert np.isnan(found).tolist() == [True, False]

    def test_refused(self):
        costs = fa.VerificationCosts(1, 1, 1)
        with pytest.raises(ValueError, match=r"max_error_rate must be a number in \[0, 1\], got 1"):
            fa.costs.performance_at_error_rate(CORRECT, CONFIDENCE, max_error_rate=1.5, costs=costs)
        with pytest.raises(TypeError, match=r"costs must be VerificationCosts, got 2 \(int\)"):
            fa.costs.performance_at_error_rate(CORRECT, CONFIDENCE, max_error_rate=0.1, costs=2)


class TestOptimalOperatingPoint:
    @given(sweeps(), prices, st.none() | people)
    def test_none_costs_less(self, sweep, given_prices, rates):
        costs = fa.VerificationCosts(*given_prices)
        reviewer = None if rates is None else fa.Reviewer(*rates)
        point = fa.costs.optimal_operating_point(sweep, costs=costs, reviewer=reviewer)
        best = slow.cheapest(points_of(sweep), given_prices, *(rates or ()))
        assert point.threshold == sweep.thresholds[best]
        assert point.tie_acceptance == 1.0
        assert point.reviewer is reviewer
        assert (point.true_accepts, point.false_accepts) == (
            sweep.true_accepts[best],
            sweep.false_accepts[best],
        )

    @given(strategies.exact_sums, prices)
    def test_of_items(self, sample, given_prices):
        sweep = fa.threshold_sweep(sample.correct, sample.confidence, **sample.weighted)
        costs = fa.VerificationCosts(*given_prices)
        point = fa.costs.optimal_operating_point(
            sample.correct, sample.confidence, costs=costs, **sample.weighted
        )
        assert point == fa.costs.optimal_operating_point(sweep, costs=costs)
        assert point.threshold == sweep.thresholds[slow.cheapest(points_of(sweep), given_prices)]

    @given(sweeps())
    def test_of_equal_costs_the_largest_acceptance(self, sweep):
        """Prices made so that two points that are both best cost the same."""
        intervals = slow.intervals_of_ratios(points_of(sweep))
        for low, _ in intervals.values():
            if low.denominator > 1 << 40:
                continue
            exact = (low.numerator, low.denominator, 2 * low.denominator)
            if any(Fraction(float(value)) != value for value in exact):
                continue
            point = fa.costs.optimal_operating_point(sweep, costs=fa.VerificationCosts(*exact))
            best = slow.cheapest(points_of(sweep), exact)
            assert point.threshold == sweep.thresholds[best]

    def test_a_tie_that_doubles_would_miss(self):
        # 0.1 + 0.2 and 0.3 differ as doubles, and so do the products with counts; the tie is exact.
        n = 3**30
        sweep = fa.ThresholdSweep.from_counts([3, 2, 1], [n, 2 * n, 1], [0, n, 1])
        costs = fa.VerificationCosts(verification=1, correction=1, error=4)
        assert fa.costs.optimal_operating_point(sweep, costs=costs).threshold == 2.0
        less = fa.VerificationCosts(verification=math.nextafter(1, 0), correction=1, error=4)
        assert fa.costs.optimal_operating_point(sweep, costs=less).threshold == 3.0

    def test_extremes(self):
        sweep = fa.threshold_sweep(CORRECT, CONFIDENCE)
        nobody = fa.VerificationCosts(verification=1, correction=1, error=1)
        assert fa.costs.optimal_operating_point(sweep, costs=nobody).acceptance_rate == 1.0
        free = fa.VerificationCosts(verification=0, correction=1, error=2)
        assert fa.costs.optimal_operating_point(sweep, costs=free).threshold == 0.8
        wrong = fa.threshold_sweep([0, 0], [0.2, 0.1])
        point = fa.costs.optimal_operating_point(wrong, costs=fa.VerificationCosts(0.5, 1, 9))
        assert (point.threshold, point.acceptance_rate) == (math.inf, 0.0)

    def test_refused(self):
        with pytest.raises(TypeError, match=r"costs must be VerificationCosts, got 3 \(int\)"):
            fa.costs.optimal_operating_point(CORRECT, CONFIDENCE, costs=3)
        with pytest.raises(TypeError, match=r"reviewer must be a Reviewer, got 1 \(int\)"):
            fa.costs.optimal_operating_point(
                CORRECT, CONFIDENCE, costs=fa.VerificationCosts(1, 1, 1), reviewer=1
            )


class TestHull:
    @given(sweeps())
    def test_by_definition(self, sweep):
        expected = slow.intervals_of_ratios(points_of(sweep))
        found = hull_corners(sweep)
        assert found.tolist() == list(expected)
        hull = fa.costs.arac_convex_hull(sweep)
        assert hull.ratio_low.tolist() == [float(low) for low, _ in expected.values()]
        assert hull.ratio_high.tolist() == [float(high) for _, high in expected.values()]
        assert hull.thresholds.tolist() == sweep.thresholds[found].tolist()
        assert hull.acceptance_rate.tolist() == sweep.acceptance_rate[found].tolist()
        y = sweep.accuracy_after_correction[found]
        assert hull.accuracy_after_correction.tolist() == y.tolist()

    @given(sweeps(st.integers(0, 30)))
    def test_each_corner_is_best_for_some_prices(self, sweep):
        hull = fa.costs.arac_convex_hull(sweep)
        for threshold, low, high in zip(hull.thresholds, hull.ratio_low, hull.ratio_high, strict=True):
            ratio = (low + min(high, 2.0)) / 2
            costs = fa.VerificationCosts.from_ratios(ratio, 1.0)
            assert fa.costs.optimal_operating_point(sweep, costs=costs).threshold == threshold
            assert slow.cheapest(points_of(sweep), (ratio, 1, 2)) == list(sweep.thresholds).index(
                threshold
            )

    @given(sweeps(), people)
    def test_every_optimum_is_a_corner(self, sweep, rates):
        corners = set(fa.costs.arac_convex_hull(sweep).thresholds.tolist())
        points = points_of(sweep)
        for gamma in (0, 0.1, 3):
            for delta in (-1, 0, 0.25, 10, 1000):
                best = slow.cheapest(points, (gamma, 1, Fraction(delta) + 1), *rates)
                assert sweep.thresholds[best] in corners

    @given(sweeps())
    def test_intervals_meet(self, sweep):
        hull = fa.costs.arac_convex_hull(sweep)
        assert hull.ratio_low[0] == 0.0
        assert hull.ratio_high[-1] == math.inf
        assert (hull.ratio_high[:-1] == hull.ratio_low[1:]).all()
        assert (hull.ratio_low <= 1.0).all()
        assert hull.acceptance_rate[-1] == 1.0
        assert hull.accuracy_after_correction[0] == 1.0

    @pytest.mark.parametrize("weighted", [False, True])
    @pytest.mark.parametrize("threads", ["1", "2", "3", "7"])
    def test_threads_change_nothing(self, weighted, threads, monkeypatch):
        rng = np.random.default_rng(4)
        n = 3000
        confidence = rng.normal(size=n)
        correct = rng.random(n) < 1 / (1 + np.exp(-1 - confidence))
        weight = rng.random(n) if weighted else None
        sweep = fa.threshold_sweep(correct, confidence, sample_weight=weight)
        monkeypatch.setenv("FASTARAC_NUM_THREADS", threads)
        monkeypatch.setattr(strategy, "sizes", replace(strategy.sizes, per_thread=100))
        corners = hull_corners(sweep)
        curve = fa.costs.rejection_cost_curve(sweep)
        monkeypatch.setenv("FASTARAC_NUM_THREADS", "1")
        assert np.array_equal(corners, hull_corners(sweep))
        assert all(map(np.array_equal, curve, fa.costs.rejection_cost_curve(sweep)))
        assert len(corners) > 10

    @pytest.mark.parametrize("scale", [2.0**-1074, 1e-300, 1.0, 1e300])
    def test_weights_of_any_size(self, scale):
        right, wrong = np.array([3, 5, 2, 1, 1, 0.0]), np.array([0, 1, 2, 1, 1, 3.0])
        small = fa.ThresholdSweep.from_counts(range(6), right[::-1], wrong[::-1])
        sized = fa.ThresholdSweep.from_counts(range(6), scale * right[::-1], scale * wrong[::-1])
        assert hull_corners(sized).tolist() == hull_corners(small).tolist() == [1, 2, 5, 6]
        expected = fa.costs.rejection_cost_curve(small)
        assert fa.costs.rejection_cost_curve(sized).thresholds.tolist() == expected.thresholds.tolist()

    def test_weights_of_many_sizes(self):
        weights = [1e-300, 1e-290, 1e-150, 1e-10, 1.0]
        rng = np.random.default_rng(2)
        for _ in range(20):
            sweep = fa.ThresholdSweep.from_counts(
                range(9), rng.choice(weights, 9), rng.choice([0.0, *weights], 9)
            )
            found = hull_corners(sweep).tolist()
            assert found == list(slow.intervals_of_ratios(points_of(sweep)))

    @pytest.mark.parametrize("largest", [2**29, 2**58, 3 * 2**59])
    def test_counts_of_any_size(self, largest):
        rng = np.random.default_rng(5)
        for _ in range(20):
            right, wrong = (
                rng.integers(0, 3, 6) * rng.integers(largest // 4, size=6) for _ in range(2)
            )
            right[0], wrong[0] = largest, largest // 2  # one of them at least, near the next corner
            right[1], wrong[1] = largest - 1, largest // 2 - 1
            sweep = fa.ThresholdSweep.from_counts(range(6), right[::-1], wrong[::-1])
            found = hull_corners(sweep).tolist()
            assert found == list(slow.intervals_of_ratios(points_of(sweep)))
