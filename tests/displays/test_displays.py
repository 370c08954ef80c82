"""Pictures: what they show, and that long curves lose vertices but no looks."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fastarac as fa
from fastarac._core.text import percent, rounded
from fastarac.datasets import load_digits_ocr
from fastarac.displays import ARACDisplay, draw_curves
from fastarac.displays._style import legend_name
from fastarac.displays.decimation import HEIGHT, WIDTH, decimate

mpl.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

CORRECT = [1, 1, 0, 1, 0]
CONFIDENCE = [0.9, 0.8, 0.7, 0.6, 0.2]
RED = {"color": "red", "linewidth": 3}


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def names_of_limits(ax) -> list[str]:
    return [text.get_text() for text in ax.texts if "errors" in text.get_text()]


def distances(points, line) -> np.ndarray:
    """Distance of each point to a polyline, the nearest of all its segments; n × m of them."""
    x, y = np.diff(line, axis=0).T
    length = x * x + y * y
    x_off, y_off = (points[:, None] - line[:-1]).transpose(2, 0, 1)
    share = ((x_off * x + y_off * y) / np.where(length > 0, length, 1)).clip(0, 1)
    x_off, y_off = x_off - share * x, y_off - share * y
    return np.sqrt((x_off * x_off + y_off * y_off).min(axis=1))


def farthest_apart(x, y, vertices) -> float:
    """Largest distance, in pixels, of a curve and the one through some vertices of it, both ways."""
    scale = np.array([WIDTH, HEIGHT])
    whole = np.stack([x, y], axis=1).astype(float)
    extent = np.ptp(whole, axis=0)
    whole = (whole - whole.min(axis=0)) / np.where(extent > 0, extent, 1) * scale
    worst = 0.0
    step = 40  # vertices at a time, with some on either side: others are farther away
    for first in range(0, len(vertices) - 1, step):
        last = min(first + step, len(vertices) - 1)
        reach = slice(max(first - 8, 0), last + 9)
        original = whole[vertices[first] : vertices[last] + 1]
        nearby = whole[vertices[reach][0] : vertices[reach][-1] + 1]
        short = whole[vertices[first : last + 1]]
        between = np.concatenate(
            [short[:-1] + t * np.diff(short, axis=0) for t in (0, 0.25, 0.5, 0.75)]
        )
        for block in np.array_split(original, max(1, len(original) // 200)):
            worst = max(worst, distances(block, whole[vertices[reach]]).max())
        for block in np.array_split(between, max(1, len(between) // 200)):
            worst = max(worst, distances(block, nearby).max())
    return worst


class TestDecimate:
    @settings(deadline=None)
    @given(
        st.lists(st.tuples(st.integers(0, 50), st.integers(-100, 100)), min_size=1, max_size=40),
        st.booleans(),
    )
    def test_short_curves(self, points, falling):
        x, y = np.array(sorted(points, reverse=falling), float).T
        vertices = decimate(x, y)
        assert vertices[0] == 0
        assert vertices[-1] == len(x) - 1
        assert (np.diff(vertices) > 0).all()
        if len(vertices) > 1:
            assert farthest_apart(x, y, vertices) <= 0.5 + 1e-6

    @pytest.mark.parametrize("falling", [False, True])
    @pytest.mark.parametrize(
        "kind", ["walk", "noise", "steps", "smooth", "spikes", "constant", "uneven"]
    )
    def test_long_curves(self, kind, falling):
        rng = np.random.default_rng(3)
        n = 20_000
        x = np.sort(rng.random(n))
        if kind == "uneven":
            x **= 8
        y = {
            "walk": rng.normal(size=n).cumsum(),
            "noise": rng.normal(size=n),
            "steps": (x * 700).round(),
            "smooth": np.sin(30 * x),
            "spikes": (rng.random(n) < 0.001) * 1.0,
            "constant": np.ones(n),
            "uneven": -np.sort(rng.random(n)),
        }[kind]
        if falling:
            x, y = x[::-1], y[::-1]
        vertices = decimate(x, y)
        assert farthest_apart(x, y, vertices) <= 0.5 + 1e-6
        assert y[vertices].max() >= y.max() - np.ptp(y) / HEIGHT
        assert y[vertices].min() <= y.min() + np.ptp(y) / HEIGHT
        few = {"smooth": 1000, "constant": 2, "steps": 2500, "uneven": 2000, "spikes": 400}
        assert len(vertices) <= few.get(kind, n)

    def test_a_monotone_curve_has_few_vertices(self):
        rng = np.random.default_rng(5)
        n = 300_000
        correct = rng.random(n) < 0.9
        sweep = fa.threshold_sweep(correct, rng.normal(size=n) + correct)
        x, y = sweep.acceptance_rate, sweep.accuracy_after_correction
        vertices = decimate(x, y)
        assert len(vertices) < 2000
        assert np.abs(np.interp(x, x[vertices], y[vertices]) - y).max() < 1e-3

    @pytest.mark.parametrize("n", [0, 1, 2])
    def test_tiny_curves(self, n):
        assert decimate(np.zeros(n), np.zeros(n)).tolist() == list(range(n))

    def test_many_refinements(self):
        # Each deviation is so much smaller than the one before that only one is found at a time.
        x = np.arange(200.0)
        y = 2.0 ** -np.arange(200)
        assert farthest_apart(x, y, decimate(x, y)) <= 0.5


class TestDisplay:
    @pytest.mark.parametrize("how", ["from_predictions", "from_sweep"])
    def test_curve(self, how):
        arguments = (CORRECT, CONFIDENCE)
        if how == "from_sweep":
            arguments = (fa.threshold_sweep(*arguments),)
        display = getattr(fa.displays.ARACDisplay, how)(*arguments, name="m", curve_kwargs=RED)
        x, y = display.line_.get_data()
        curve = fa.arac_curve(CORRECT, CONFIDENCE)
        assert np.interp(curve.acceptance_rate, x, y) == pytest.approx(
            curve.accuracy_after_correction, abs=1e-4
        )
        assert display.acceptance_rate.tolist() == curve.acceptance_rate.tolist()
        assert display.line_.get_color() == "red"
        assert display.line_.get_label() == "m (ARAC-AUC = 0.880)"
        assert display.ax_.get_legend().get_texts()[0].get_text() == "m (ARAC-AUC = 0.880)"
        assert display.ax_.get_xlabel() == "Acceptance rate"
        assert display.ax_.get_ylabel() == "Accuracy after correction"
        assert display.figure_ is display.ax_.figure
        assert display.points_ is None
        low, high = display.ax_.get_xlim()
        assert low <= 0 < 1 <= high

    def test_weights(self):
        weight = [1, 2, 3, 4, 5]
        display = ARACDisplay.from_predictions(CORRECT, CONFIDENCE, sample_weight=weight)
        assert display.area == fa.arac_auc_score(CORRECT, CONFIDENCE, sample_weight=weight)

    def test_operating_points(self):
        display = ARACDisplay.from_predictions(CORRECT, CONFIDENCE, max_error_rate=[0.0, 0.2])
        assert display.points_.get_xdata() == pytest.approx([0.4, 0.8])
        assert display.points_.get_ydata() == pytest.approx([1.0, 0.8])
        assert display.points_.get_markeredgecolor() == display.line_.get_color()

    def test_arrays(self):
        display = ARACDisplay([0, 1], [1, 0.5])
        assert not hasattr(display, "ax_")
        assert display.plot() is display
        assert display.ax_.get_legend() is None
        again = display.plot(display.ax_, name="again")
        assert again.line_.get_label() == "again"
        assert len(again.ax_.lines) == 2
        assert ARACDisplay([0, 1], [1, 0.5], area=0.75).plot().line_.get_label() == "ARAC-AUC = 0.750"
        assert display.plot(name="m", curve_kwargs={"label": "mine"}).line_.get_label() == "mine"

    @pytest.mark.parametrize(
        ("correct", "low", "high"),
        [([1, 1], 0.9998, 0.9999), ([0, 0], -0.1, 0.0), ([1] * 9999 + [0], 0.9998, 0.9999)],
    )
    def test_height_fits(self, correct, low, high):
        display = ARACDisplay.from_predictions(correct, np.arange(len(correct)))
        bottom, top = display.ax_.get_ylim()
        assert low <= bottom <= high
        assert 1 < top <= 1.05
        display.figure_.canvas.draw()
        assert display.ax_.yaxis.get_offset_text().get_text() == ""

    def test_several_displays_on_the_same_axes(self):
        first = ARACDisplay.from_predictions([1, 1, 0], [3, 2, 1], name="first")
        second = ARACDisplay.from_predictions([0, 1, 0], [3, 2, 1], name="second", ax=first.ax_)
        assert second.ax_ is first.ax_
        assert second.ax_.get_ylim()[0] < 1 / 3
        assert len(second.ax_.get_legend().get_texts()) == 2
        assert first.line_.get_color() != second.line_.get_color()


class TestSeveralModels:
    def test_digits(self):
        sweeps = {name: fa.threshold_sweep(*items) for name, items in load_digits_ocr().items()}
        displays = draw_curves(sweeps, max_error_rate=(0.01, 0.05))
        assert list(displays) == list(sweeps)
        ax = displays["svm-rbf"].ax_
        assert {display.ax_ for display in displays.values()} == {ax}
        assert len({display.line_.get_color() for display in displays.values()}) == 4
        names = [text.get_text() for text in ax.get_legend().get_texts()]
        assert names[0] == "svm-rbf (ARAC-AUC = 0.996)"
        assert names_of_limits(ax) == ["1% errors", "5% errors"]
        for name, display in displays.items():
            points = [fa.operating_point(sweeps[name], max_error_rate=rate) for rate in (0.01, 0.05)]
            assert display.operating_points == tuple(points)
        ax.figure.canvas.draw()

    def test_error_rates_out_of_sight_have_no_line(self):
        sweep = fa.threshold_sweep([1] * 97 + [0] * 3, np.arange(100))
        ax = draw_curves({"m": sweep}, max_error_rate=(0.05, 0.01))["m"].ax_
        assert names_of_limits(ax) == ["1% errors"]

    def test_names_of_error_rates_do_not_overlap(self):
        sweep = fa.threshold_sweep([1, 0] * 50, np.arange(100))
        ax = draw_curves({"m": sweep}, max_error_rate=(0.01, 0.011, 0.012, 0.1))["m"].ax_
        ax.figure.canvas.draw()
        limits = [text for text in ax.texts if "errors" in text.get_text()]
        boxes = [text.get_window_extent() for text in limits]
        assert all(above.y0 >= below.y0 + 0.6 * above.height for above, below in pairwise(boxes))

    def test_many_models(self):
        sweeps = {f"m{i}": fa.threshold_sweep([1, 1, 0], [3, 2, i]) for i in range(9)}
        displays = draw_curves(sweeps)
        styles = {(shown.line_.get_color(), shown.line_.get_linestyle()) for shown in displays.values()}
        assert len(styles) == 9
        figure = displays["m0"].figure_
        figure.canvas.draw()
        legend, axes = displays["m0"].ax_.get_legend(), displays["m0"].ax_
        assert legend.get_window_extent().y1 < axes.get_window_extent().y0


def test_legend_names():
    assert legend_name("svm", "ARAC-AUC", 0.98765) == "svm (ARAC-AUC = 0.988)"
    assert legend_name(None, "ARAC-AUC", 0.98765) == "ARAC-AUC = 0.988"
    assert legend_name("svm", "ARAC-AUC", None) == "svm"
    assert legend_name(None, "ARAC-AUC", None) is None


@pytest.mark.parametrize("name", ["_hidden", "a $x", "$x^2$ $", "$", "100%", "{x}", "\\frac"])
def test_names_are_shown_as_they_are(name):
    display = ARACDisplay.from_predictions(CORRECT, CONFIDENCE, name=name)
    display.figure_.canvas.draw()
    assert len(display.ax_.get_legend().get_texts()) == 1


def test_numbers():
    shown = [rounded(value) for value in (0.5, 1, 0, 0.9996, 0.99999999)]
    assert shown == ["0.500", "1.000", "0.000", "0.9996", "0.99999999"]
    assert rounded(1 - 1e-15) == "1.000"
    shown = [percent(rate) for rate in (0.01, 0.005, 0.07, 0, 1, 0.1, 0.00025, np.float64(0.2))]
    assert shown == ["1%", "0.5%", "7%", "0%", "100%", "10%", "0.025%", "20%"]


def test_importing_does_not_load_matplotlib():
    script = (
        "import sys, fastarac, fastarac.displays, fastarac.io;"
        "assert not {'matplotlib', 'duckdb', 'rich'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
