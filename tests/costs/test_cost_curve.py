"""Cost curves, where one is below another, and their bands, against fractions and ROCR."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import matplotlib as mpl
import numpy as np
import pytest
import reference_hulls as ref
from hypothesis import given
from hypothesis import strategies as st
from scored import LABEL, SCORE, A, B, points_of, scored, sweep_of

import fastarac as fa
from fastarac._core.random_state import key_of
from fastarac.displays import draw_curves

pytestmark = pytest.mark.interpreted

mpl.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

ROCR = """
library(ROCR)
place <- 0:39
score <- (place * 37) %% 23
label <- as.integer(((place * place) %% 7 < 3) == (score > 9))
cost <- performance(prediction(score, label), "ecost")
print(cost@x.values[[1]], digits = 17)
print(cost@y.values[[1]], digits = 17)
"""  # prints, with ROCR 1.0-11:
ROCR_X = [
    0.0, 0.25000000000000022, 0.52941176470588180, 0.71428571428571419, 0.75, 1.0,
]  # fmt: skip
ROCR_Y = [
    0.0, 0.19791666666666682, 0.27941176470588236, 0.26785714285714290, 0.25, 0.0,
]  # fmt: skip

# Figure 4 of Suzuki 2003: B is the best where 0.3 <= PCF(+) <= 0.7.
B_OF_FIGURE_4 = fa.ThresholdSweep.from_counts([2, 1], [70, 30], [30, 70])
OTHER_OF_FIGURE_4 = fa.ThresholdSweep.from_counts([3, 2, 1], [50, 38, 12], [12, 38, 50])


class TestCurve:
    @given(scored)
    def test_vertices_are_the_edges_of_the_hull(self, sample):
        curve = fa.costs.cost_curve(sweep_of(sample))
        corners = [corner for corner in ref.hull(points_of(sample)) if corner[1] < corner[2]]
        ends = [corner[1] for corner in corners] + [Fraction(1)]
        costs = [
            ref.cost(corner[0], end) for corner, end in zip([corners[0], *corners], ends, strict=True)
        ]
        assert curve.probability_cost.tolist() == [float(end) for end in ends]
        assert curve.normalized_expected_cost.tolist() == [float(value) for value in costs]
        expected = [-np.inf if point[:2] == (1, 1) else point.threshold for point, _, _ in corners]
        assert curve.thresholds.tolist() == expected
        assert len(curve.probability_cost) == len(curve.thresholds) + 1
        assert (np.diff(curve.probability_cost) > 0).all()

    @given(scored, st.lists(st.fractions(0, 1, max_denominator=60), min_size=1, max_size=10))
    def test_it_is_the_least_of_all_lines_and_its_thresholds_reach_it(self, sample, grid):
        curve = fa.costs.cost_curve(sample.correct, sample.confidence, **sample.weighted)
        points = points_of(sample)
        for p in grid:
            least = ref.envelope(points, p)
            found = np.interp(float(p), curve.probability_cost, curve.normalized_expected_cost)
            assert found == pytest.approx(float(least), abs=1e-15)
            segment = np.searchsorted(curve.probability_cost[1:-1], float(p), side="right")
            threshold = curve.thresholds[segment]
            accepted = [point for point in points if threshold <= point.threshold]
            rates = min(accepted, key=lambda point: point.threshold)
            rates = points[-1] if threshold == -np.inf else rates
            assert float(ref.cost(rates, p)) == pytest.approx(float(least), abs=1e-15)

    def test_of_rocr(self):
        curve = fa.costs.cost_curve(LABEL, SCORE)
        assert curve.probability_cost == pytest.approx(ROCR_X, abs=1e-15)
        assert curve.normalized_expected_cost == pytest.approx(ROCR_Y, abs=1e-15)
        assert curve.thresholds.tolist() == [20, 14, 10, 5, -np.inf]

    def test_a_point_is_a_line_and_an_edge_is_a_point(self):
        hull = fa.costs.roc_convex_hull({"m": (LABEL, SCORE)})
        curve = fa.costs.cost_curve(LABEL, SCORE)
        slopes = hull.slope_low[:-1]  # of the edges
        assert curve.probability_cost[:-1] == pytest.approx(1 / (1 + slopes), abs=1e-15)
        for x, y, low, high in zip(hull.fpr, hull.tpr, hull.slope_low, hull.slope_high, strict=True):
            for p in (1 / (1 + low), 1 / (1 + high)):
                height = np.interp(p, curve.probability_cost, curve.normalized_expected_cost)
                assert height == pytest.approx((1 - y - x) * p + x, abs=1e-15)

    @given(
        scored, st.floats(0.01, 0.99), st.floats(0.01, 100), st.floats(0.01, 100)
    )  # fmt: skip
    def test_it_is_the_expected_cost_of_the_best_vertex(self, sample, p, fn, fp):
        prices = {"p_positive": p, "cost_fn": fn, "cost_fp": fp}
        hull = fa.costs.roc_convex_hull({"m": sweep_of(sample)})
        best = hull.best(fa.costs.iso_performance_slope(**prices))
        curve = fa.costs.cost_curve(hull)
        relative = np.interp(
            fa.costs.probability_cost(**prices), curve.probability_cost, curve.normalized_expected_cost
        )
        expected = fa.costs.expected_cost(best.fpr, best.tpr, **prices)
        assert relative * (p * fn + (1 - p) * fp) == pytest.approx(expected, rel=1e-12, abs=1e-14)

    def test_of_several_classifiers(self):
        curve = fa.costs.cost_curve(fa.costs.roc_convex_hull({"A": A, "B": B}))
        assert curve.probability_cost.tolist() == [0, 1 / 3, 1]
        assert curve.normalized_expected_cost.tolist() == [0, 2 / 9, 0]
        assert curve.thresholds.tolist() == [0.9, 0.5]

    def test_perfect_and_useless(self):
        perfect = fa.costs.cost_curve([0, 1], [1, 2])
        assert [part.tolist() for part in perfect] == [[0, 1], [0, 0], [2]]
        useless = fa.costs.cost_curve([0, 1], [2, 1])
        assert [part.tolist() for part in useless] == [[0, 0.5, 1], [0, 0.5, 0], [np.inf, -np.inf]]

    def test_errors(self):
        with pytest.raises(ValueError, match="y_true has no negative item; a ROC curve needs both"):
            fa.costs.cost_curve([1, 1], [0, 1])
        with pytest.raises(TypeError, match="y_score is missing"):
            fa.costs.cost_curve([1, 1])
        hull = fa.costs.roc_convex_hull({"A": A})
        with pytest.raises(TypeError, match="y_score cannot go with a ROCConvexHull"):
            fa.costs.cost_curve(hull, [1, 0])


class TestBetterRanges:
    @pytest.mark.slow
    @given(scored, scored)
    def test_against_all_crossings(self, a, b):
        found = fa.costs.better_ranges(sweep_of(a), sweep_of(b))
        expected = ref.better_ranges(points_of(a), points_of(b))
        assert found.shape == (len(expected), 2)
        assert found.tolist() == [[float(low), float(high)] for low, high in expected]

    def test_of_figure_4(self):
        """B is the best threshold from 0.3 to 0.7; another classifier is cheaper at both ends."""
        curve = fa.costs.cost_curve(B_OF_FIGURE_4)
        assert curve.probability_cost.tolist() == [0, 0.3, 0.7, 1]
        assert curve.normalized_expected_cost.tolist() == [0, 0.3, 0.3, 0]
        other = fa.costs.cost_curve(OTHER_OF_FIGURE_4)
        for p in (0.3, 0.7):
            cheaper = np.interp(p, other.probability_cost, other.normalized_expected_cost)
            assert (0.3 - cheaper) / 0.3 == pytest.approx(0.22)  # about 20%, as the source has it
        assert fa.costs.better_ranges(B_OF_FIGURE_4, OTHER_OF_FIGURE_4) == pytest.approx(
            np.array([[9 / 19, 10 / 19]])
        )
        assert fa.costs.better_ranges(OTHER_OF_FIGURE_4, B_OF_FIGURE_4) == pytest.approx(
            np.array([[6 / 31, 9 / 19], [10 / 19, 25 / 31]])  # elsewhere both are trivial
        )

    def test_of_sets(self):
        both = fa.costs.roc_convex_hull({"A": A, "B": B})
        assert fa.costs.better_ranges(both, A).tolist() == fa.costs.better_ranges(B, A).tolist()
        assert fa.costs.better_ranges(both, both).shape == (0, 2)
        assert fa.costs.better_ranges(A, both).shape == (0, 2)

    def test_touching_is_not_cheaper(self):
        """The curve of a touches that of b from below in one point: two ranges."""
        b = fa.ThresholdSweep.from_counts([2, 1], [1, 1], [1, 3])  # hull through (1/4, 1/2)
        a = fa.ThresholdSweep.from_counts([3, 2, 1], [2, 4, 2], [0, 4, 4])
        expected = ref.better_ranges(*(points_of_counts(sweep) for sweep in (a, b)))
        assert fa.costs.better_ranges(a, b).tolist() == [[float(x) for x in pair] for pair in expected]
        assert len(expected) == 2
        assert expected[0][1] == expected[1][0]

    def test_errors(self):
        with pytest.raises(ValueError, match="b: y_true has no positive item"):
            fa.costs.better_ranges(A, ([0, 0], [1, 2]))
        with pytest.raises(TypeError, match=r"a must be \(y_true, y_score\) or a ThresholdSweep,"):
            fa.costs.better_ranges("AB", A)


def points_of_counts(sweep: fa.ThresholdSweep) -> list[ref.Point]:
    x, y = sweep.n_incorrect, sweep.n_correct
    counts = zip(
        sweep.thresholds, sweep.false_accepts.tolist(), sweep.true_accepts.tolist(), strict=True
    )
    return [ref.Point(Fraction(fp, x), Fraction(tp, y), threshold, "m") for threshold, fp, tp in counts]


def exact_quantile(n: int, share: float, level: float) -> int:
    """The smallest number k with P(binomial(n, share) <= k) >= level."""
    total = 0.0
    for k in range(n + 1):
        total += comb(n, k) * share**k * (1 - share) ** (n - k)
        if total >= level:
            return k
    return n


class TestBand:
    def test_one_threshold_is_binomial(self):
        """At PCF(+) = 0.5, NE is the mean of the two error rates; at nearly 0 and 1, one of them."""
        sweep = fa.ThresholdSweep.from_counts([2, 1], [70, 30], [20, 80])
        band = fa.costs.cost_curve_band(sweep, grid=[0.3, 0.5, 0.7], n_resamples=20_000, random_state=1)
        assert band.probability_cost.tolist() == [0.3, 0.5, 0.7]
        assert band.estimate == pytest.approx([0.3 * 0.3 + 0.7 * 0.2, 0.25, 0.7 * 0.3 + 0.3 * 0.2])
        variances = 0.3 * 0.7 / 100, 0.2 * 0.8 / 100
        for p, low, high in zip(*(band[i] for i in (0, 2, 3)), strict=True):
            deviation = np.sqrt(p**2 * variances[0] + (1 - p) ** 2 * variances[1])
            assert high - low == pytest.approx(2 * 1.96 * deviation, rel=0.05)

    def test_percentiles_of_one_rate(self):
        """Without an error among the negatives, NE is the false negative rate times PCF(+)."""
        sweep = fa.ThresholdSweep.from_counts([2, 1], [30, 10], [0, 50])
        band = fa.costs.cost_curve_band(
            sweep, grid=[0.5], confidence_level=0.9, n_resamples=40_000, random_state=2
        )
        assert band.low[0] == 0.5 * exact_quantile(40, 0.25, 0.05) / 40
        assert band.high[0] == 0.5 * exact_quantile(40, 0.25, 0.95) / 40

    def test_two_thresholds_of_one_sample_go_together(self):
        """Of nested thresholds the counts are cumulated: no more are accepted at the higher one."""
        rng = np.random.default_rng(3)
        y_true = rng.random(400) < 0.5
        y_score = (rng.normal(size=400) + 1.5 * y_true).round(1)
        band = fa.costs.cost_curve_band(y_true, y_score, random_state=4)
        curve = fa.costs.cost_curve(y_true, y_score)
        expected = np.interp(band.probability_cost, *curve[:2])
        assert band.estimate == pytest.approx(expected, abs=1e-15)
        assert len(band.probability_cost) == 101
        assert (band.low <= band.estimate).all()
        assert (band.estimate <= band.high).all()
        assert band.low[[0, -1]].tolist() == band.high[[0, -1]].tolist() == [0, 0]

    def test_coverage(self):
        """Of a fixed threshold whose rates are known, the interval holds them as often as it says."""
        rng = np.random.default_rng(5)
        inside = 0
        for seed in range(200):
            tp, fp = rng.binomial(200, 0.8), rng.binomial(300, 0.3)
            sweep = fa.ThresholdSweep.from_counts([2, 1], [tp, 200 - tp], [fp, 300 - fp])
            band = fa.costs.cost_curve_band(sweep, grid=[0.5], n_resamples=400, random_state=seed)
            inside += band.low[0] <= 0.25 <= band.high[0]
        assert 0.95 - 0.06 <= inside / 200 <= 0.95 + 0.04  # four standard errors, and a little bias

    def test_the_random_state_alone_decides(self):
        one, same = (fa.costs.cost_curve_band(LABEL, SCORE, random_state=7) for _ in range(2))
        assert all(np.array_equal(*pair) for pair in zip(one, same, strict=True))
        other = fa.costs.cost_curve_band(LABEL, SCORE, random_state=np.random.default_rng(8))
        assert not np.array_equal(one.low, other.low)
        assert np.array_equal(one.estimate, other.estimate)

    def test_counts_of_any_size(self):
        sweep = fa.ThresholdSweep.from_counts([2, 1], [7 * 10**17, 3 * 10**17], [10**17, 10**18])
        band = fa.costs.cost_curve_band(sweep, grid=3, random_state=0)
        assert band.high - band.low == pytest.approx(0, abs=1e-8)

    @pytest.mark.parametrize(
        ("arguments", "kind", "message"),
        [
            ({"n_resamples": 0}, ValueError, "resamples must be an integer of at least 1, got"),
            ({"n_resamples": 10.5}, TypeError, r"integer, got 10\.5 \(float\)"),
            ({"confidence_level": 1}, ValueError, "confidence_level must be a number strictly between"),
            ({"grid": 1}, ValueError, "grid must be an integer of at least 2, got 1"),
            ({"grid": True}, TypeError, r"grid must be an integer, got True \(bool\)"),
            ({"grid": [0, 2]}, ValueError, r"grid must be a number in \[0, 1\], got 2.0"),
            (
                {"grid": [[0.5]]},
                ValueError,
                r"grid must be the number of points, or .*, got shape \(1, 1\)",
            ),
            ({"grid": []}, ValueError, r"grid must .*got (shape )?\(0,\)"),
        ],
    )
    def test_errors(self, arguments, kind, message):
        with pytest.raises(kind, match=message):
            fa.costs.cost_curve_band(LABEL, SCORE, **arguments)

    def test_groups_are_drawn_whole(self):
        """Item by item, at the thresholds of the whole, in resamples that are drawn as the band's."""
        rng = np.random.default_rng(3)
        pages = rng.integers(0, 25, 300)
        score = np.round(rng.normal(size=300) + 0.7 * rng.normal(size=25)[pages], 1)
        label = rng.random(300) < 1 / (1 + np.exp(-score))
        grid = [0.2, 0.5, 0.8]
        band = fa.costs.cost_curve_band(
            label, score, grid=grid, groups=pages, n_resamples=60, random_state=5
        )
        plain = fa.costs.cost_curve_band(label, score, grid=grid, n_resamples=60, random_state=5)
        assert band.estimate.tolist() == plain.estimate.tolist()
        drawn = np.random.default_rng(key_of(5)).multinomial(25, np.full(25, 1 / 25), 60)
        for j, p in enumerate(grid):
            of_thresholds = {
                k: p * np.mean(score[label] < k) + (1 - p) * np.mean(score[~label] >= k)
                for k in [*np.unique(score), np.inf]
            }
            best = min(of_thresholds, key=of_thresholds.__getitem__)
            costs = []
            for counts in drawn:
                items = np.repeat(np.arange(300), counts[pages])
                right, at = label[items], score[items]
                costs.append(p * np.mean(at[right] < best) + (1 - p) * np.mean(at[~right] >= best))
            assert band.low[j] == pytest.approx(np.quantile(costs, 0.025), rel=1e-12)
            assert band.high[j] == pytest.approx(np.quantile(costs, 0.975), rel=1e-12)
        with pytest.warns(fa.UnreliableIntervalWarning, match="there are 10 groups"):
            fa.costs.cost_curve_band(label, score, groups=np.arange(300) % 10, n_resamples=5)
        with pytest.raises(TypeError, match="groups needs single items"):
            fa.costs.cost_curve_band(fa.threshold_sweep(label, score), groups=pages)

    def test_errors_of_the_data(self):
        weighted = fa.threshold_sweep(LABEL, SCORE, sample_weight=np.ones(40))
        with pytest.raises(ValueError, match="y_true is a weighted sweep; a bootstrap needs counts"):
            fa.costs.cost_curve_band(weighted)
        with pytest.raises(ValueError, match="y_true has no positive item"):
            fa.costs.cost_curve_band([0, 0], [1, 2])


class TestDisplay:
    @pytest.fixture(autouse=True)
    def _close_figures(self):
        yield
        plt.close("all")

    def test_curve(self):
        display = fa.displays.CostCurveDisplay.from_predictions(
            LABEL, SCORE, name="m", curve_kwargs={"color": "red"}
        )
        curve = fa.costs.cost_curve(LABEL, SCORE)
        assert display.line_.get_xdata() == pytest.approx(curve.probability_cost)
        assert display.line_.get_ydata() == pytest.approx(curve.normalized_expected_cost)
        assert display.line_.get_color() == "red"
        assert legend_of(display) == ["m", "Trivial classifiers"]
        assert display.ax_.get_xlabel() == "Probability cost function PCF(+) (Positive label: 1)"
        assert display.ax_.get_ylabel() == "Normalised expected cost"
        assert display.chance_level_.get_ydata().tolist() == [0, 0.5, 0]
        assert display.cost_lines_ is None
        assert display.band_ is None
        assert display.figure_ is display.ax_.figure

    def test_labels_of_any_kind(self):
        labels = np.where(LABEL, "bad", "good")
        display = fa.displays.CostCurveDisplay.from_predictions(labels, SCORE, pos_label="bad")
        assert display.ax_.get_xlabel() == "Probability cost function PCF(+) (Positive label: bad)"
        assert display.line_.get_ydata() == pytest.approx(fa.costs.cost_curve(LABEL, SCORE)[1])

    def test_several_models(self):
        sweeps = {"b": B_OF_FIGURE_4, "other": OTHER_OF_FIGURE_4}
        displays = draw_curves(sweeps, display=fa.displays.CostCurveDisplay)
        assert displays["b"].chance_level_ is displays["other"].chance_level_
        assert legend_of(displays["b"]) == ["b", "other", "Trivial classifiers"]

    def test_without_the_chance_level_classifiers(self):
        display = fa.displays.CostCurveDisplay.from_sweep(B_OF_FIGURE_4, plot_chance_level=False)
        assert display.chance_level_ is None
        assert display.ax_.get_legend() is None

    def test_cost_lines(self):
        display = fa.displays.CostCurveDisplay.from_sweep(B_OF_FIGURE_4, plot_cost_lines=True)
        segments = np.array(display.cost_lines_.get_segments())
        assert segments.tolist() == pytest.approx(
            np.array([[[0, 0], [1, 1]], [[0, 0.3], [1, 0.3]], [[0, 1], [1, 0]]])
        )
        assert display.ax_.get_ylim()[1] < 0.6
        bare = fa.displays.CostCurveDisplay([0, 0.5, 1], [0, 0.2, 0])
        with pytest.raises(ValueError, match="the display has no rates"):
            bare.plot(plot_cost_lines=True)

    def test_band(self):
        display = fa.displays.CostCurveDisplay.from_sweep(
            B_OF_FIGURE_4, confidence_level=0.9, random_state=0
        )
        band = fa.costs.cost_curve_band(B_OF_FIGURE_4, confidence_level=0.9, random_state=0)
        assert np.array_equal(display.band, band)
        heights = display.band_.get_paths()[0].vertices[:, 1]
        assert heights.max() == band.high.max()

    def test_curves_worse_than_chance_stay_in_sight(self):
        display = fa.displays.CostCurveDisplay([0, 1], [0.75, 0.75]).plot()
        assert display.ax_.get_ylim()[1] > 0.75


def legend_of(display) -> list[str]:
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]
