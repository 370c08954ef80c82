"""Cost curves with a reject option: the lower envelope, and the third axis of Abbas and others."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import reference_verification as slow
import strategies
from hypothesis import given
from hypothesis import strategies as st
from priced import points_of, sweeps

import fastarac as fa
from fastarac import _kernels

pytestmark = pytest.mark.interpreted

CORRECT = [1, 1, 0, 1, 0]
CONFIDENCE = [0.9, 0.8, 0.7, 0.6, 0.2]

reject_costs = st.one_of(
    st.floats(0, 1), st.fractions(0, 1, max_denominator=60).map(float), st.sampled_from([0.0, 1.0])
)


class TestRejectionCostCurve:
    @given(sweeps(), st.lists(reject_costs, min_size=1, max_size=12))
    def test_least_of_all_thresholds(self, sweep, rates):
        curve = fa.costs.rejection_cost_curve(sweep, reject_cost=rates)
        points = points_of(sweep)
        expected = [slow.least_rejection_cost(points, rate) for rate in rates]
        assert curve.reject_cost.tolist() == rates
        assert curve.cost == pytest.approx([float(cost) for cost, _ in expected], rel=1e-12, abs=1e-15)
        assert curve.thresholds.tolist() == [sweep.thresholds[best] for _, best in expected]

    @given(strategies.exact_sums, reject_costs)
    def test_of_items(self, sample, rate):
        curve = fa.costs.rejection_cost_curve(
            sample.correct, sample.confidence, reject_cost=rate, **sample.weighted
        )
        sweep = fa.threshold_sweep(sample.correct, sample.confidence, **sample.weighted)
        cost, best = slow.least_rejection_cost(points_of(sweep), rate)
        assert curve.cost == pytest.approx([float(cost)], rel=1e-12, abs=1e-15)
        assert curve.thresholds.tolist() == [sweep.thresholds[best]]

    @given(sweeps())
    def test_exact_where_thresholds_tie(self, sweep):
        """At the very doubles where one threshold takes over, and at their neighbours."""
        points = points_of(sweep)
        changes = fa.costs.rejection_cost_curve(sweep).reject_cost[1:-1]
        beside = np.concatenate([changes, np.nextafter(changes, 0), np.nextafter(changes, 1)])
        curve = fa.costs.rejection_cost_curve(sweep, reject_cost=np.append(beside, 0.5))
        best = [slow.least_rejection_cost(points, rate)[1] for rate in curve.reject_cost.tolist()]
        assert curve.thresholds.tolist() == sweep.thresholds[best].tolist()

    @given(sweeps(), st.floats(0, 1))
    def test_the_default_has_all_vertices(self, sweep, rate):
        curve = fa.costs.rejection_cost_curve(sweep)
        assert curve.reject_cost[0] == 0.0
        assert curve.reject_cost[-1] == 1.0
        assert (np.diff(curve.reject_cost) >= 0).all()
        between = np.interp(rate, curve.reject_cost, curve.cost)
        cost, _ = slow.least_rejection_cost(points_of(sweep), rate)
        assert between == pytest.approx(float(cost), rel=1e-9, abs=1e-13)
        # concave, as a minimum of straight lines is, from no cost to no cost
        assert curve.cost[0] == curve.cost[-1] == 0.0

    def test_by_hand(self):
        # Accepted and risk: 0.8 2/5 and 0, 0.6 4/5 and 1/4, 0.2 1 and 2/5. The first two cost the
        # same where 3λ/5 = (1 − λ)/4 + λ/5, the last two where (1 − λ)/4 + λ/5 = 2(1 − λ)/5.
        curve = fa.costs.rejection_cost_curve(CORRECT, CONFIDENCE)
        assert curve.thresholds.tolist() == [0.8, 0.6, 0.2, 0.2]
        assert curve.reject_cost == pytest.approx([0, 5 / 13, 3 / 7, 1])
        assert curve.cost == pytest.approx([0, 3 / 13, 8 / 35, 0])

    def test_nothing_is_right(self):
        curve = fa.costs.rejection_cost_curve(
            [0, 0, 0, 0], [0.4, 0.3, 0.2, 0.2], reject_cost=[0, 0.25, 0.5, 0.75]
        )
        assert curve.thresholds.tolist() == [math.inf, math.inf, 0.2, 0.2]
        assert curve.cost.tolist() == [0.0, 0.25, 0.5, 0.25]

    def test_everything_is_right(self):
        curve = fa.costs.rejection_cost_curve([1, 1], [0.4, 0.3], reject_cost=0.3)
        assert (curve.cost.tolist(), curve.thresholds.tolist()) == ([0.0], [0.3])

    def test_a_scalar_is_one_point(self):
        curve = fa.costs.rejection_cost_curve(CORRECT, CONFIDENCE, reject_cost=0.3)
        assert [column.shape for column in curve] == [(1,)] * 3

    @pytest.mark.parametrize(
        ("rate", "error", "message"),
        [
            (1.5, ValueError, r"reject_cost must be a number in \[0, 1\], got 1.5"),
            ([0.5, -0.1], ValueError, r"reject_cost must be a number in \[0, 1\], got -0.1"),
            ([math.nan], ValueError, r"reject_cost must be a number in \[0, 1\], got nan"),
            (
                [[0.5]],
                ValueError,
                r"reject_cost must be a number or a one-dim.*, got shape \(1, 1\)",
            ),
            ("half", TypeError, r"reject_cost must hold numbers in \[0, 1\], got"),
        ],
    )
    def test_refused(self, rate, error, message):
        with pytest.raises(error, match=message):
            fa.costs.rejection_cost_curve(CORRECT, CONFIDENCE, reject_cost=rate)


class TestAccuracyRejectionCostCurve:
    price = st.floats(0, 1e6)

    @given(strategies.items, price, price)
    def test_by_definition(self, sample, verification, error):
        costs = fa.VerificationCosts(verification, 1, error)
        sweep = fa.threshold_sweep(sample.correct, sample.confidence, **sample.weighted)
        if not max(verification, error):
            return
        curve = fa.costs.accuracy_rejection_cost_curve(
            sample.correct, sample.confidence, costs=costs, **sample.weighted
        )
        expected = []
        for point in points_of(sweep):
            rejected = point.false_rejects + point.true_rejects
            spent = Fraction(error) * point.false_accepts + Fraction(verification) * rejected
            expected.append(float(spent / (point.total * Fraction(max(verification, error)))))
        assert curve.normalized_cost == pytest.approx(expected, rel=1e-12, abs=1e-14)
        rejection_rate, accuracy, thresholds = fa.accuracy_rejection_curve(sweep)
        assert np.array_equal(curve.rejection_rate, rejection_rate)
        assert np.array_equal(curve.accuracy, accuracy)
        assert np.array_equal(curve.thresholds, thresholds)

    def test_what_a_correction_costs_does_not_count(self):
        curves = [
            fa.costs.accuracy_rejection_cost_curve(
                CORRECT, CONFIDENCE, costs=fa.VerificationCosts(1, correction, 4)
            )
            for correction in (0.5, 20)
        ]
        assert np.array_equal(curves[0].normalized_cost, curves[1].normalized_cost)

    def test_refused(self):
        with pytest.raises(TypeError, match="costs must be VerificationCosts, got None"):
            fa.costs.accuracy_rejection_cost_curve(CORRECT, CONFIDENCE, costs=None)
        with pytest.raises(TypeError, match=r"costs must be VerificationCosts, got .* \(tuple\)"):
            fa.costs.accuracy_rejection_cost_curve(CORRECT, CONFIDENCE, costs=(1, 2, 3))
        with pytest.raises(ValueError, match="costs must have error or verification above 0"):
            fa.costs.accuracy_rejection_cost_curve(
                CORRECT, CONFIDENCE, costs=fa.VerificationCosts(0, 1, 0)
            )


def test_no_corner_of_the_risk_is_missing():
    """A corner lies below every chord over it, by fractions; points that are none may be among them."""
    rng = np.random.default_rng(4)
    for _ in range(150):
        gains = rng.integers(0, 4, (2, rng.integers(1, 8))) * (rng.random((2, 1)) < 0.9)
        gains = gains[:, gains.sum(axis=0) > 0]
        right, wrong = np.cumsum(np.pad(gains, ((0, 0), (1, 0))), axis=1)
        n = len(right)
        accepted = [int(a) for a in right + wrong]
        risk = [Fraction(int(w), a) if a else Fraction(0) for w, a in zip(wrong, accepted, strict=True)]
        corners = {
            j
            for j in range(n)
            if all(
                (risk[j] - risk[i]) * (accepted[k] - accepted[i])
                < (risk[k] - risk[i]) * (accepted[j] - accepted[i])
                for i in range(j)
                for k in range(j + 1, n)
            )
        }
        found = np.empty(n, np.int64)
        # counts, and weights so small beside a total of 1 that the products of two vanish
        for weight, scale in ((1, 1 / max(1, accepted[-1])), (2.0**-560, 1.0)):
            size = _kernels.hulls.risk_corners(weight * right, weight * wrong, 0, n, scale, found)
            assert corners <= set(found[:size].tolist())
