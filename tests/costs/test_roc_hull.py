"""The ROC convex hull, dominance and prices, against fractions, and against ROCR."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import matplotlib as mpl
import numpy as np
import pytest
import reference_hulls as ref
import strategies
from hypothesis import example, given
from hypothesis import strategies as st
from scored import LABEL, SCORE, A, B, points_of, scored, sweep_of, two_classes
from strategies import COMPILED

import fastarac as fa
from fastarac._engine import strategy
from fastarac._kernels.hulls import exceeds
from fastarac.displays import draw_curves

pytestmark = pytest.mark.interpreted

mpl.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")


ROCR = """
library(ROCR)
place <- 0:39
score <- (place * 37) %% 23
label <- as.integer(((place * place) %% 7 < 3) == (score > 9))
hull <- performance(prediction(score, label), "rch")
print(hull@x.values[[1]], digits = 17)
print(hull@y.values[[1]], digits = 17)
"""  # prints, with ROCR 1.0-11:
ROCR_FPR = [0.0, 0.0, 0.125, 0.3125, 0.625, 1.0]
ROCR_TPR = [0.0, 0.20833333333333334, 0.58333333333333337, 0.75, 0.875, 1.0]


def slope_at(p: Fraction) -> float:
    """The slope of the iso-performance lines where errors of the classes cost p and 1 − p."""
    return float((1 - p) / p) if p else np.inf


class TestAgainstTheReference:
    @given(st.lists(scored, min_size=1, max_size=3))
    def test_vertices_of_several_classifiers(self, samples):
        hull = fa.costs.roc_convex_hull({str(i): sweep_of(sample) for i, sample in enumerate(samples)})
        points = [point for i, sample in enumerate(samples) for point in points_of(sample, str(i))]
        corners = ref.hull(points)
        assert hull.exact == tuple(point[:2] for point, _, _ in corners)
        assert hull.names == (None, *(point.name for point, _, _ in corners[1:-1]), None)
        expected = [point.threshold for point, _, _ in corners[1:-1]]
        assert hull.thresholds.tolist() == [np.inf, *expected, -np.inf]
        assert hull.fpr.tolist() == [float(point.fpr) for point, _, _ in corners]
        assert hull.tpr.tolist() == [float(point.tpr) for point, _, _ in corners]
        assert hull.slope_low.tolist() == [slope_at(high) for _, _, high in corners]
        assert hull.slope_high.tolist() == [slope_at(low) for _, low, _ in corners]
        x, y = ([point[i] for point, _, _ in corners] for i in (0, 1))
        area = sum((x[i] - x[i - 1]) * (y[i] + y[i - 1]) / 2 for i in range(1, len(x)))
        assert hull.auc == float(area)

    @given(strategies.weighted().filter(two_classes))
    def test_weights_are_compared_as_the_sweep_has_them(self, sample):
        sweep = sweep_of(sample)
        counts = sweep.false_accepts.tolist(), sweep.true_accepts.tolist()
        x_end, y_end = sweep.n_incorrect, sweep.n_correct
        hull = fa.costs.roc_convex_hull({"m": sweep})
        points = [
            ref.Point(Fraction(x) / Fraction(x_end), Fraction(y) / Fraction(y_end), threshold, "m")
            for threshold, x, y in zip(sweep.thresholds, *counts, strict=True)
        ]
        assert hull.exact == tuple(point[:2] for point, _, _ in ref.hull(points))

    @pytest.mark.slow
    @given(scored, st.lists(st.fractions(0, 1, max_denominator=60), min_size=1, max_size=10))
    def test_every_optimum_is_a_vertex_and_the_best_one(self, sample, grid):
        hull = fa.costs.roc_convex_hull({"m": sweep_of(sample)})
        points = points_of(sample)
        for p in grid:
            best = hull.best(slope_at(p))
            exact = hull.exact[hull.tpr.tolist().index(best.tpr)]
            assert exact[0] == Fraction(best.fpr).limit_denominator(10**6)
            optima = [point[:2] for point in points if ref.cost(point, p) == ref.envelope(points, p)]
            assert exact == max(optima, key=lambda point: (point[1], -point[0]))
            assert best in hull.candidates(slope_at(p), slope_at(p))

    @given(scored, st.lists(st.fractions(0, 1, max_denominator=60), min_size=2, max_size=2))
    def test_candidates_are_those_with_a_slope_in_the_range(self, sample, ends):
        low, high = sorted(ends)
        hull = fa.costs.roc_convex_hull({"m": sweep_of(sample)})
        found = [vertex[2:4] for vertex in hull.candidates(slope_at(high), slope_at(low))]
        expected = [
            (float(point.fpr), float(point.tpr))
            for point, first, last in ref.hull(points_of(sample))
            if first <= high and last >= low
        ]
        assert found == expected

    @pytest.mark.slow
    @given(scored, scored)
    def test_dominance(self, a, b):
        expected = ref.dominates(points_of(a), points_of(b))
        assert fa.costs.dominates(sweep_of(a), sweep_of(b)) is expected

    @given(scored, st.data())
    def test_dominance_over_a_curve_that_is_partly_the_same(self, sample, data):
        """Some negatives lower or positives higher than before: somewhere above, or the same curve."""
        labels = sample.correct != 0
        levels = np.unique(sample.confidence)
        better = sample.confidence.copy()
        for i in data.draw(st.sets(st.integers(0, len(labels) - 1))):
            better[i] = levels[-1] if labels[i] else levels[0]
        sample = sample._replace(correct=labels)
        other = sample._replace(confidence=better)
        expected = ref.dominates(points_of(other), points_of(sample))
        assert fa.costs.dominates(sweep_of(other), sweep_of(sample)) is expected
        assert not fa.costs.dominates(sweep_of(sample), sweep_of(other))

    def test_dominance_fails_where_the_other_curve_is_above_between_the_points(self):
        dips = fa.ThresholdSweep.from_counts([3, 2, 1], [6, 1, 3], [3, 5, 2])
        chance = fa.ThresholdSweep.from_counts([1], [10], [10])
        assert not fa.costs.dominates(dips, chance)
        assert not fa.costs.dominates(chance, dips)

    @pytest.mark.slow
    @given(strategies.weighted().filter(two_classes), st.integers(1, 5))
    def test_dominance_of_weights(self, sample, k):
        """By Python's fractions: worse in one item, and then in several."""
        sweep = sweep_of(sample)
        assert not fa.costs.dominates(sweep, sweep)
        counts = fa.ThresholdSweep.from_counts([2, 1], [k, 0], [0, k])  # none is better
        assert fa.costs.dominates(counts, sweep) is (
            fa.costs.roc_convex_hull({"m": sweep}).exact[1] != (0, 1)
        )
        assert not fa.costs.dominates(sweep, counts)


class TestExactness:
    @given(*[st.integers(0, (1 << 62) - 2)] * 4)
    @example(0x2D3C4B5A69788796, 0x1E2D3C4B5A697887, 0x0F1E2D3C4B5A6978, 0x3C4B5A69788796A5)
    def test_products_of_two_words(self, a, b, c, d):
        for row in ((a, b, c, d), (a, b, b, a), (a, b + 1, a, b), (a, b, a, b + 1), (b, a, b + 1, a)):
            assert exceeds(*map(np.int64, row)) == (row[0] * row[1] > row[2] * row[3])

    @pytest.mark.parametrize("size", [3, 10**5, 10**9 + 7, 2 * 10**18 + 3])
    def test_one_item_decides_among_any_number(self, size):
        def curve(extra: int) -> fa.ThresholdSweep:
            """Through the diagonal's middle, and one true positive above it or below."""
            positive = [size + extra, size - extra]
            return fa.ThresholdSweep.from_counts([2, 1], positive, [size, size])

        assert len(fa.costs.roc_convex_hull({"m": curve(1)})) == 3
        assert len(fa.costs.roc_convex_hull({"m": curve(0)})) == 2
        assert len(fa.costs.roc_convex_hull({"m": curve(-1)})) == 2
        assert fa.costs.dominates(curve(1), curve(0))
        assert fa.costs.dominates(curve(0), curve(-1))
        assert not fa.costs.dominates(curve(0), curve(0))
        assert not fa.costs.dominates(curve(-1), curve(0))
        assert fa.costs.roc_convex_hull({"b": curve(0), "a": curve(1)}).names == (None, "a", None)

    @pytest.mark.parametrize("size", [10, 10**6 + 3, 2 * 10**9 + 11, 4 * 10**18])
    def test_curves_of_different_items(self, size):
        """The same curve from one more item a class and cell, and curves next to it."""
        few = fa.ThresholdSweep.from_counts([3, 2, 1], [2, 1, 1], [1, 1, 2])

        def many(extra: int) -> fa.ThresholdSweep:
            k = size // 4
            return fa.ThresholdSweep.from_counts(
                [3, 2, 1], [2 * k + extra, k - extra, k], [k, k, 2 * k]
            )

        assert not fa.costs.dominates(many(0), few)
        assert not fa.costs.dominates(few, many(0))
        assert fa.costs.dominates(many(1), few)
        assert fa.costs.dominates(few, many(-1))
        assert fa.costs.roc_convex_hull({"few": few, "many": many(0)}).names[1] == "few"
        assert fa.costs.roc_convex_hull({"few": few, "many": many(1)}).names[1] == "many"

    @pytest.mark.parametrize("scale", [1e-300, 1e-3, 1e300])
    def test_weights_of_any_size(self, scale):
        sweep = fa.threshold_sweep(LABEL, SCORE, sample_weight=np.full(40, scale))
        hull = fa.costs.roc_convex_hull({"m": sweep})
        assert set(hull.thresholds) >= {20, 14, 10, 5}  # and rounded sums may add a point to an edge
        assert hull.auc == pytest.approx(np.trapezoid(ROCR_TPR, ROCR_FPR), rel=1e-15)
        assert np.interp(ROCR_FPR[1:], hull.fpr, hull.tpr) == pytest.approx(ROCR_TPR[1:], rel=1e-15)

    def test_thresholds_beyond_floats(self):
        big = 2**53
        hull = fa.costs.roc_convex_hull({"m": ([1, 0, 1, 0], [big + 3, big + 2, big + 1, big])})
        assert hull.thresholds.tolist() == [np.inf, big + 3, big + 1, -np.inf]
        assert hull.best(0.1).threshold == big + 1
        assert f"m     {big + 1}  0.5000  1.0000" in str(hull)

    def test_many_threads_give_the_same(self, monkeypatch):
        n = 400_000 if COMPILED else 2_000
        monkeypatch.setattr(strategy, "sizes", replace(strategy.sizes, per_thread=n // 8))
        rng = np.random.default_rng(1)
        y_true = rng.random(n) < 0.4
        data = {"m": (y_true, rng.normal(size=n) + y_true)}
        hulls = []
        for threads in ("1", "2", "7"):
            monkeypatch.setenv("FASTARAC_NUM_THREADS", threads)
            hulls.append(fa.costs.roc_convex_hull(data).exact)
        assert hulls[0] == hulls[1] == hulls[2]
        assert len(hulls[0]) > 20


class TestHull:
    def test_of_rocr(self):
        hull = fa.costs.roc_convex_hull({"m": (LABEL, SCORE)})
        assert hull.fpr.tolist() == ROCR_FPR
        assert hull.tpr.tolist() == ROCR_TPR

    def test_two_classifiers(self):
        hull = fa.costs.roc_convex_hull({"A": A, "B": B})
        assert hull.names == (None, "A", "B", None)
        assert hull.exact == ((0, 0), (0, Fraction(1, 3)), (Fraction(1, 3), 1), (1, 1))
        assert hull.slope_low.tolist() == [np.inf, 2, 0, 0]
        assert hull.slope_high.tolist() == [np.inf, np.inf, 2, 0]
        assert hull.auc == 1 - 2 / 3 * 1 / 3 / 2
        assert repr(hull) == "ROCConvexHull(4 vertices of 'A', 'B')"
        assert [vertex.name for vertex in hull] == list(hull.names)
        assert hull[-1] == hull[3]
        with pytest.raises(IndexError):
            hull[4]
        with pytest.raises(ValueError, match="read-only"):
            hull.fpr[0] = 1

    def test_the_first_of_equal_points(self):
        assert fa.costs.roc_convex_hull({"A": A, "again": A, "B": B, "b": B}).names == (
            None,
            "A",
            "B",
            None,
        )
        assert fa.costs.roc_convex_hull({"b": B, "B": B, "again": A}).names == (
            None,
            "again",
            "b",
            None,
        )

    def test_scores_that_say_nothing(self):
        hull = fa.costs.roc_convex_hull({"m": ([1, 0, 1, 0], [0.5] * 4)})
        assert hull.exact == ((0, 0), (1, 1))
        assert repr(hull) == "ROCConvexHull(2 vertices of no model)"
        assert hull.best(1).threshold == -np.inf
        assert hull.best(1.001).threshold == np.inf
        assert hull.auc == 0.5

    def test_scores_that_are_worse_than_nothing(self):
        assert fa.costs.roc_convex_hull({"m": ([1, 0], [0.1, 0.9])}).exact == ((0, 0), (1, 1))

    def test_ties_go_to_the_larger_tpr_and_then_to_the_smaller_fpr(self):
        hull = fa.costs.roc_convex_hull({"A": A, "B": B})
        assert hull.best(2).name == "B"
        assert hull.best(np.nextafter(2, 3)).name == "A"
        assert hull.best(np.inf).name == "A"  # not the corner (0, 0), which costs as much
        assert hull.best(0).name == "B"  # nor (1, 1)
        assert [vertex.name for vertex in hull.candidates(0, np.inf)] == [None, "A", "B", None]
        assert [vertex.name for vertex in hull.candidates(1e-9, 2)] == ["A", "B"]
        assert [vertex.name for vertex in hull.candidates(0.5, 1.9)] == ["B"]

    def test_a_slope_beyond_the_largest_float(self):
        small = fa.ThresholdSweep.from_counts([2, 1], [0.0, 1e-320], [1e-320, 0.0])
        sweep = small + fa.ThresholdSweep.from_counts([2, 1], [0.5, 0.0], [0.0, 1e300])
        assert fa.costs.roc_convex_hull({"m": sweep}).slope_high[1] == np.inf


class TestPrices:
    def test_of_provost_and_fawcett(self):
        """Ten negatives a positive; errors cost the same, or missing a positive 100 times as much."""
        assert fa.costs.iso_performance_slope(1 / 11, 1, 1) == 10
        assert fa.costs.iso_performance_slope(1 / 11, 100, 1) == pytest.approx(0.1, rel=1e-15)

    @given(
        st.floats(0.01, 0.99), st.floats(0.01, 100), st.floats(0.01, 100),
        *[st.floats(0, 1)] * 3,
    )  # fmt: skip
    def test_points_on_a_line_of_that_slope_cost_the_same(self, p, fn, fp, x, y, step):
        slope = fa.costs.iso_performance_slope(p, fn, fp)
        prices = {"p_positive": p, "cost_fn": fn, "cost_fp": fp}
        step = min(step, (1 - y) / slope, 1 - x)
        here = fa.costs.expected_cost(x, y, **prices)
        there = fa.costs.expected_cost(min(x + step, 1), min(y + slope * step, 1), **prices)
        assert here == pytest.approx(there, rel=1e-12, abs=1e-12 * (fn + fp))
        assert fa.costs.probability_cost(p, fn, fp) == pytest.approx(1 / (1 + slope), rel=1e-13)

    def test_broadcasting(self):
        costs = fa.costs.expected_cost(
            np.zeros((2, 1)), [0, 0.5, 1], p_positive=0.5, cost_fn=[2, 2, 4], cost_fp=1
        )
        assert costs.tolist() == [[1, 0.5, 0]] * 2
        assert fa.costs.iso_performance_slope(0.5, [1, 2], [[1], [0]]).tolist() == [[1, 0.5], [0, 0]]
        assert fa.costs.probability_cost([0.5, 0.75], 1, 1).tolist() == [0.5, 0.75]
        assert isinstance(fa.costs.expected_cost(0, 1, p_positive=0.5, cost_fn=1, cost_fp=1), float)

    def test_ends(self):
        assert fa.costs.iso_performance_slope(0, 1, 1) == np.inf
        assert fa.costs.iso_performance_slope(1, 1, 1) == 0
        assert fa.costs.iso_performance_slope(0.5, 5e-324, 1) == np.inf
        assert fa.costs.probability_cost(0, 1, 1) == 0
        assert fa.costs.probability_cost(1, 1, 1) == 1
        assert fa.costs.probability_cost(0.5, 1e308, 1e308) == 0.5
        assert fa.costs.expected_cost(1, 0, p_positive=0.5, cost_fn=1.7e308, cost_fp=1.7e308) == 1.7e308

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ((1.5, 1, 1), r"p_positive must be a number in \[0, 1\], got 1.5"),
            ((0.5, -1, 1), "cost_fn must be a finite number of at least 0, got -1.0"),
            ((0.5, 1, np.nan), "cost_fp must be a finite number of at least 0, got nan"),
            ((0.5, [1, np.inf], 1), "cost_fn must be a finite number of at least 0, got inf"),
            ((1, 0, 1), r"p_positive\*cost_fn and \(1 - p_positive\)\*cost_fp are both 0"),
            (([0.5, 0], 1, 0), "are both 0"),
        ],
    )
    def test_bad_values(self, arguments, message):
        for function in (fa.costs.iso_performance_slope, fa.costs.probability_cost):
            with pytest.raises(ValueError, match=message):
                function(*arguments)

    def test_bad_types(self):
        with pytest.raises(TypeError, match="cost_fp must hold numbers of at least 0, got type <U1"):
            fa.costs.iso_performance_slope(0.5, 1, "1")

    def test_bad_rates(self):
        with pytest.raises(ValueError, match=r"tpr must be a number in \[0, 1\], got 1.25"):
            fa.costs.expected_cost([0, 1], [1.25, 1], p_positive=0.5, cost_fn=1, cost_fp=1)
        with pytest.raises(ValueError, match=r"fpr must be a number in \[0, 1\], got nan"):
            fa.costs.expected_cost(np.nan, 1, p_positive=0.5, cost_fn=1, cost_fp=1)
        assert fa.costs.expected_cost(0.5, 1, p_positive=1, cost_fn=0, cost_fp=1) == 0  # costs nothing


class TestErrors:
    @pytest.mark.parametrize(
        ("models", "kind", "message"),
        [
            ([A], TypeError, r"models must be a mapping of names to \(y_true, y_score\).*, got a list"),
            ({}, ValueError, "models must have at least 1 entry, got 0"),
            ({None: A}, TypeError, "models must have names of type str, got"),
            ({"A": 3}, TypeError, r"models\['A'\] must be \(y_true, y_score\) or a"),
            ({"A": (*A, [1], [1])}, TypeError, ", got a tuple of 4"),
            (
                {"A": A, "B": ([2, 0], [0, 1])},
                ValueError,
                r"models\['B'\]: y_true\[0\] must be 0 \(incorrect\) or",
            ),
            ({"A": ([1, 0], ["a", "b"])}, TypeError, r"models\['A'\]: y_score has type <U1"),
            ({"A": ([1, 1], [0, 1])}, ValueError, "'A'.: y_true has no negative item; a ROC curve"),
            ({"A": ([0], [0])}, ValueError, "y_true has no positive item; a ROC curve needs both"),
        ],
    )
    def test_hull(self, models, kind, message):
        with pytest.raises(kind, match=message):
            fa.costs.roc_convex_hull(models)

    def test_dominates(self):
        with pytest.raises(ValueError, match="b: y_true has no positive item"):
            fa.costs.dominates(A, ([0, 0], [1, 2]))
        with pytest.raises(TypeError, match=r"a must be \(y_true, y_score\) or a ThresholdSweep,"):
            fa.costs.dominates(np.zeros((2, 3)), A)

    def test_slopes(self):
        hull = fa.costs.roc_convex_hull({"A": A})
        with pytest.raises(ValueError, match="slope must be a number of at least 0, got -1"):
            hull.best(-1)
        with pytest.raises(ValueError, match="slope must be a number, got nan"):
            hull.best(float("nan"))
        with pytest.raises(TypeError, match=r", got 'steep' \(str\)"):
            hull.candidates(0, "steep")
        with pytest.raises(ValueError, match=r", got 2\.0 and 1\.0"):
            hull.candidates(2, 1)


class TestDisplay:
    @pytest.fixture(autouse=True)
    def _close_figures(self):
        yield
        plt.close("all")

    def test_over_the_curves(self):
        sweeps = {"A": fa.threshold_sweep(*A), "B": fa.threshold_sweep(*B)}
        ax = draw_curves(sweeps, display=fa.displays.RocCurveDisplay)["A"].ax_
        display = fa.displays.ROCHullDisplay(fa.costs.roc_convex_hull(sweeps), name="both").plot(
            ax, curve_kwargs={"color": "k"}
        )
        assert display.ax_ is ax
        assert len(ax.lines) == 3
        assert np.column_stack(display.line_.get_data()) == pytest.approx(
            np.array([[0, 0], [0, 1 / 3], [1 / 3, 1], [1, 1]])
        )
        labels = [text.get_text() for text in ax.get_legend().get_texts()]
        assert labels[2] == "both (ROC-AUC = 0.889)"
        assert display.iso_performance_lines_ == []
        assert display.best_ is None
        assert display.chance_level_ is None

    def test_lines_of_equal_cost(self):
        hull = fa.costs.roc_convex_hull({"A": A, "B": B})
        display = fa.displays.ROCHullDisplay(hull).plot(
            slopes=[0, 1, 5, np.inf], plot_chance_level=True
        )
        assert display.best_.get_xdata() == pytest.approx([1 / 3, 1 / 3, 0, 0])
        assert display.best_.get_ydata() == pytest.approx([1, 1, 1 / 3, 1 / 3])
        display.figure_.canvas.draw()
        assert [line.get_slope() for line in display.iso_performance_lines_[:3]] == [0, 1, 5]
        assert tuple(display.iso_performance_lines_[3].get_xdata()) == (0, 0)
        assert tuple(display.chance_level_.get_ydata()) == (0, 1)

    @pytest.mark.parametrize("name", [None, "m"])
    def test_of_one_classifier(self, name):
        labels = np.where(LABEL, "bad", "good")
        display = fa.displays.ROCHullDisplay.from_predictions(labels, SCORE, pos_label="bad", name=name)
        assert display.line_.get_xdata() == pytest.approx(ROCR_FPR)
        assert display.line_.get_ydata() == pytest.approx(ROCR_TPR)
        assert display.ax_.get_xlabel() == "False Positive Rate (Positive label: bad)"
        assert display.name == name
