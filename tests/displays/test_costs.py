"""Pictures of costs: the map of preferences, and cost curves with a reject option."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest

import fastarac as fa
from fastarac.datasets import load_digits_ocr
from fastarac.displays import draw_curves
from fastarac.displays.preference_map import _edges, _middle

mpl.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

CORRECT = [1, 1, 0, 1, 0]
CONFIDENCE = [0.9, 0.8, 0.7, 0.6, 0.2]
COSTS = fa.VerificationCosts(verification=1, correction=1, error=4)


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def sweeps() -> dict[str, fa.ThresholdSweep]:
    return {name: fa.threshold_sweep(*items) for name, items in load_digits_ocr().items()}


class TestPreferenceMap:
    def test_colours_are_the_best_models(self):
        gammas, deltas = np.geomspace(0.01, 1, 20), np.geomspace(0.1, 1000, 30)
        display = fa.displays.PreferenceMapDisplay.from_models(sweeps(), gammas=gammas, deltas=deltas)
        found = display.preferences
        assert np.array_equal(
            found.best, fa.costs.preference_map(sweeps(), gammas=gammas, deltas=deltas).best
        )
        colors = np.asarray(display.mesh_.get_array())
        blue, orange = (np.array(mpl.colors.to_rgb(c)) for c in ("#0072B2", "#D55E00"))
        for row in range(20):
            for column in range(30):
                pure = (blue, orange)[found.best[row, column]]
                strength = (1 - colors[column, row]) / (1 - pure + 1e-12)
                assert np.allclose(strength[pure < 1], strength[pure < 1][0])
                assert 0.25 - 1e-9 <= strength[pure < 1][0] <= 1 + 1e-9
        assert (display.ax_.get_xscale(), display.ax_.get_yscale()) == ("log", "log")
        assert list(display.labels_) == ["svm-rbf", "knn-votes"]
        for name, text in display.labels_.items():
            x, y = text.get_position()
            at = np.flatnonzero(gammas == x)[0], np.flatnonzero(deltas == y)[0]
            assert found.names[found.best[at]] == name

    def test_clearer_margins_are_darker(self):
        display = fa.displays.PreferenceMapDisplay.from_models(
            sweeps(), gammas=np.geomspace(0.01, 1, 9), deltas=[0.1, 5, 90]
        )
        strength = display._strength()
        margin = display.preferences.margin
        order = np.argsort(margin, axis=None)
        assert (np.diff(strength.ravel()[order]) >= 0).all()
        assert strength.max() == 1.0

    def test_an_even_grid_is_linear(self):
        display = fa.displays.PreferenceMapDisplay.from_models(
            sweeps(), gammas=np.linspace(0, 2, 5), deltas=[-1, 0, 1]
        )
        assert (display.ax_.get_xscale(), display.ax_.get_yscale()) == ("linear", "linear")
        assert display.ax_.get_xlim() == (-0.25, 2.25)
        assert display.ax_.get_ylim() == (-1.5, 1.5)

    def test_one_model_and_one_cell(self):
        display = fa.displays.PreferenceMapDisplay.from_models(
            {"a$_b$": (CORRECT, CONFIDENCE)}, gammas=[1], deltas=[2]
        )
        assert display.labels_["a$_b$"].get_text() == r"a\$_b\$"
        assert display.mesh_.get_array().shape == (1, 1, 3)
        display.figure_.canvas.draw()

    def test_names_without_room_are_in_the_legend(self):
        perfect, poor = ([1] * 5, CONFIDENCE), ([0, 1, 1, 1, 1], CONFIDENCE)
        found = fa.costs.preference_map(
            {"_a": perfect, "b": poor}, gammas=np.arange(1, 41), deltas=np.arange(40)
        )
        best = np.array(found.best)
        best[:, :2] = 1
        narrow = fa.results.PreferenceMap(
            found.names, found.gammas, found.deltas, best, found.margin, found.performance
        )
        display = fa.displays.PreferenceMapDisplay(narrow).plot()
        assert list(display.labels_) == ["_a"]
        assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == ["b"]

    def test_own_axes_and_reviewer(self):
        _, ax = plt.subplots()
        people = fa.Reviewer(0.5, 0.1)
        display = fa.displays.PreferenceMapDisplay.from_models(
            sweeps(),
            gammas=[0.1, 0.2],
            deltas=[1, 2],
            reviewer=people,
            ax=ax,
            curve_kwargs={"alpha": 0.5},
        )
        assert display.ax_ is ax
        expected = fa.costs.preference_map(sweeps(), gammas=[0.1, 0.2], deltas=[1, 2], reviewer=people)
        assert np.array_equal(display.preferences.performance, expected.performance)
        assert display.mesh_.get_alpha() == 0.5

    @pytest.mark.parametrize(
        ("ratios", "edges", "scale"),
        [
            ([1.0], [0.5, 1.5], "linear"),
            ([1.0, 2.0], [0.5, 1.5, 2.5], "linear"),
            ([1.0, 4.0, 16.0], [0.5, 2.0, 8.0, 32.0], "log"),
            ([0.0, 1.0, 3.0], [-0.5, 0.5, 2.0, 4.0], "linear"),
            ([-1.0, -0.5, 0.0], [-1.25, -0.75, -0.25, 0.25], "linear"),
        ],
    )
    def test_edges(self, ratios, edges, scale):
        found, found_scale = _edges(np.array(ratios))
        assert found == pytest.approx(edges)
        assert found_scale == scale

    def test_middle(self):
        region = np.zeros((7, 9), bool)
        region[1:6, 2:7] = True
        assert _middle(region) == ((3, 4), 2)
        region[:] = False
        region[0, 8] = True
        assert _middle(region) == ((0, 8), 0)


class TestRejectionCost:
    def test_line_is_the_whole_curve(self):
        display = fa.displays.RejectionCostDisplay.from_predictions(CORRECT, CONFIDENCE, name="model")
        rates = np.linspace(0, 1, 101)
        curve = fa.costs.rejection_cost_curve(CORRECT, CONFIDENCE, reject_cost=rates)
        x, y = display.line_.get_data()
        assert np.interp(rates, x, y) == pytest.approx(curve.cost, abs=1e-4)
        names = [text.get_text() for text in display.ax_.get_legend().get_texts()]
        assert names == ["model", "reject everything", "accept everything"]
        rejecting, accepting = display.guides_
        assert list(rejecting.get_ydata()) == [0.0, 1.0]
        assert list(accepting.get_ydata()) == [0.4, 0.0]

    def test_several_models(self):
        displays = draw_curves(sweeps(), display=fa.displays.RejectionCostDisplay)
        ax = displays["svm-rbf"].ax_
        names = [text.get_text() for text in ax.get_legend().get_texts()]
        assert names == [*sweeps(), "reject everything", "accept everything"]
        assert len(ax.lines) == 4 + 1 + 4
        assert len({display.guides_[0] for display in displays.values()}) == 1
        assert all(d.line_.get_ydata().max() <= ax.get_ylim()[1] for d in displays.values())

    def test_without_the_error_rate(self):
        display = fa.displays.RejectionCostDisplay([0, 0.5, 1], [0, 0.1, 0]).plot()
        assert len(display.guides_) == 1

    def test_everything_is_right(self):
        display = fa.displays.RejectionCostDisplay.from_predictions([1, 1], [0.5, 0.4])
        display.figure_.canvas.draw()
        assert display.ax_.get_ylim()[1] > 0


class TestAccuracyRejectionCost:
    def test_curve_and_shadow(self):
        display = fa.displays.AccuracyRejectionCostDisplay.from_predictions(
            CORRECT, CONFIDENCE, costs=COSTS, name="model", curve_kwargs={"color": "red"}
        )
        curve = fa.costs.accuracy_rejection_cost_curve(CORRECT, CONFIDENCE, costs=COSTS)
        for line, heights in ((display.line_, curve.normalized_cost), (display.shadow_, np.zeros(6))):
            x, y, z = (np.asarray(column)[::-1] for column in line.get_data_3d())
            rising = curve.rejection_rate[::-1]
            assert np.interp(rising, x, y) == pytest.approx(curve.accuracy[::-1])
            assert np.interp(rising, x, z) == pytest.approx(heights[::-1])
            assert line.get_color() == "red"
        assert display.ax_.get_legend().get_texts()[0].get_text() == "model"
        display.figure_.canvas.draw()

    def test_long_curves_keep_what_shows(self):
        rng = np.random.default_rng(6)
        n = 100_000
        confidence = rng.random(n)
        correct = rng.random(n) < confidence
        sweep = fa.threshold_sweep(correct, confidence)
        display = fa.displays.AccuracyRejectionCostDisplay.from_sweep(sweep, costs=COSTS)
        x, y, z = (np.asarray(column) for column in display.line_.get_data_3d())
        assert len(x) < n / 5
        rising = slice(None, None, -1)
        for kept, whole in ((y, display.accuracy), (z, display.normalized_cost)):
            drawn = np.interp(display.rejection_rate[rising], x[rising], kept[rising])
            seen = display.rejection_rate[rising] < 0.99  # of less, the accuracy is all noise
            assert np.abs(drawn - whole[rising])[seen].max() < 1e-3

    def test_several_models_in_own_axes(self):
        _, ax = plt.subplots(subplot_kw={"projection": "3d"})
        displays = draw_curves(
            sweeps(), display=fa.displays.AccuracyRejectionCostDisplay, ax=ax, costs=COSTS
        )
        assert all(display.ax_ is ax for display in displays.values())
        assert [text.get_text() for text in ax.get_legend().get_texts()] == list(sweeps())

    def test_refused(self):
        _, ax = plt.subplots()
        with pytest.raises(ValueError, match="have the projection '3d', got 'rectilinear'"):
            fa.displays.AccuracyRejectionCostDisplay.from_predictions(
                CORRECT, CONFIDENCE, costs=COSTS, ax=ax
            )
        with pytest.raises(TypeError, match=r", got None \(NoneType\)"):
            fa.displays.AccuracyRejectionCostDisplay.from_predictions(CORRECT, CONFIDENCE)
