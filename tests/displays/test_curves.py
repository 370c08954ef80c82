"""The displays of curves: what they show, where scikit-learn's do, and what they share."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pytest

import fastarac as fa
from fastarac import det_curve, displays, precision_recall_curve, roc_curve
from fastarac._core.text import significant
from fastarac.displays._style import COLORS
from fastarac.displays.rates import TICKS

mpl.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

CORRECT = [1, 1, 0, 1, 0, 1, 1, 0]
CONFIDENCE = [0.9, 0.8, 0.8, 0.7, 0.6, 0.4, 0.35, 0.2]
WEIGHT = [1, 2, 3, 4, 5, 6, 7, 8]

OVER_ACCEPTANCE = {
    "ARPDisplay": ("arp_curve", "arp_auc_score", "ARP-AUC", "Acceptance rate", "Precision"),
    "RCDisplay": ("rc_curve", "aurc_loss", "AURC", "Coverage", "Risk"),
    "GeneralizedRCDisplay": (
        "generalized_rc_curve", "augrc_loss", "AUGRC", "Coverage", "Error rate",
    ),
}  # fmt: skip
SCORED = {
    "RocCurveDisplay": (roc_curve, "roc_auc", "ROC-AUC"),
    "PrecisionRecallDisplay": (precision_recall_curve, "average_precision", "AP"),
    "DetCurveDisplay": (det_curve, "equal_error_rate", "EER"),
}


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def scores():
    rng = np.random.default_rng(11)
    y_true = rng.random(300) < 0.4
    return y_true.astype(int), (rng.normal(size=300) + y_true).round(2)


@pytest.fixture(scope="module")
def sweeps():
    rng = np.random.default_rng(4)
    correct = np.arange(100) % 3 > 0
    return {f"m{i}": fa.threshold_sweep(correct, rng.normal(size=100) + correct) for i in range(3)}


def legend_of(display) -> list[str]:
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


class TestOverAcceptance:
    @pytest.mark.parametrize("how", ["from_predictions", "from_sweep"])
    @pytest.mark.parametrize("kind", OVER_ACCEPTANCE)
    def test_curve(self, kind, how):
        curve, area, measure, x_label, y_label = OVER_ACCEPTANCE[kind]
        arguments = (CORRECT, CONFIDENCE)
        if how == "from_sweep":
            arguments = (fa.threshold_sweep(*arguments),)
        display = getattr(getattr(displays, kind), how)(
            *arguments, name="m", curve_kwargs={"color": "red"}
        )
        x, y, _ = getattr(fa, curve)(CORRECT, CONFIDENCE)
        assert np.interp(x, *display.line_.get_data()) == pytest.approx(y, abs=1e-4)
        assert display.area == pytest.approx(getattr(fa, area)(CORRECT, CONFIDENCE), rel=1e-14)
        assert legend_of(display)[0].startswith(f"m ({measure} = 0.")
        assert display.line_.get_color() == "red"
        assert display.ax_.get_xlabel() == x_label
        assert display.ax_.get_ylabel() == y_label
        assert display.figure_ is display.ax_.figure
        assert display.ax_.get_xlim()[0] <= 0 < 1 <= display.ax_.get_xlim()[1]

    @pytest.mark.parametrize("kind", OVER_ACCEPTANCE)
    def test_weights(self, kind):
        expected = getattr(fa, OVER_ACCEPTANCE[kind][1])(CORRECT, CONFIDENCE, sample_weight=WEIGHT)
        kind = getattr(displays, kind)
        display = kind.from_predictions(CORRECT, CONFIDENCE, sample_weight=WEIGHT)
        assert display.area == pytest.approx(expected, rel=1e-12)

    @pytest.mark.parametrize("kind", OVER_ACCEPTANCE)
    def test_arrays(self, kind):
        display = getattr(displays, kind)([0, 0.5, 1], [0.5, 0.25, 0.75])
        assert not hasattr(display, "ax_")
        assert display.plot() is display
        assert display.ax_.get_legend() is None
        again = display.plot(display.ax_, name="again")
        assert legend_of(again) == ["again"]
        assert len(again.ax_.lines) == 2

    def test_few_items_do_not_set_the_height(self):
        correct = np.ones(1000)
        correct[0] = 0  # the precision of the first item is 0, of the first ten 0.9
        confidence = np.arange(1000)[::-1]
        display = displays.ARPDisplay.from_predictions(correct, confidence)
        assert 0.88 < display.ax_.get_ylim()[0] < 0.9
        assert display.line_.get_ydata()[0] == 0
        risk = displays.RCDisplay.from_predictions(correct, confidence)
        assert 0.1 < risk.ax_.get_ylim()[1] < 0.12

    def test_height_reaches_to_the_best(self):
        assert displays.ARPDisplay([0, 1], [0.6, 0.5]).plot().ax_.get_ylim()[1] > 1
        bottom, top = displays.RCDisplay([0, 1], [0.2, 0.1]).plot().ax_.get_ylim()
        assert -0.02 < bottom < 0
        assert 0.2 < top < 0.22
        bottom, top = displays.RCDisplay([0, 1], [0, 0]).plot().ax_.get_ylim()
        assert bottom < 0 < 1e-4 <= top < 1e-3

    def test_what_is_in_the_axes_stays_in_sight(self):
        ax = plt.figure().subplots()
        ax.plot([0, 1], [0.1, 1.5])
        low, high = ax.get_ylim()
        displays.ARPDisplay([0, 1], [1, 0.9]).plot(ax)
        assert ax.get_ylim() == (low, high)

    def test_other_ticks_stay(self):
        ax = plt.figure().subplots()
        ax.yaxis.set_major_formatter("{x:.1%}")
        display = displays.ARPDisplay([0, 1], [1, 0.9]).plot(ax)
        display.figure_.canvas.draw()
        assert ax.get_yticklabels()[0].get_text().endswith("%")


class TestShadedAreas:
    def test_areas(self):
        display = fa.displays.ARACDisplay.from_predictions(
            CORRECT, CONFIDENCE, name="m", shade_areas=True
        )
        expected = fa.arac_area(CORRECT, CONFIDENCE)
        for shade, area in zip(display.shades_, (expected.upper, expected.lower), strict=True):
            x, y = shade.get_paths()[0].vertices.T
            shoelace = abs(x @ np.roll(y, 1) - y @ np.roll(x, 1)) / 2
            assert shoelace == pytest.approx(area, abs=1e-3)
        names = [text.get_text() for text in display.ax_.texts]
        assert names == ["$A_U$ = 0.219", r"$A_L = \beta$ = 0.625"]
        assert display.ax_.get_ylim()[0] == pytest.approx(0.625 - 0.6 * 0.375)
        display.figure_.canvas.draw()
        assert display.ax_.get_legend()._loc == 4  # lower right

    def test_not_shaded(self):
        assert fa.displays.ARACDisplay.from_predictions(CORRECT, CONFIDENCE).shades_ is None

    def test_without_area(self):
        display = fa.displays.ARACDisplay([0, 1], [1, 0.2]).plot(shade_areas=True)
        assert [text.get_text() for text in display.ax_.texts] == ["$A_U$", r"$A_L = \beta$"]
        assert display.ax_.get_ylim()[0] <= 0

    def test_all_correct(self):
        display = fa.displays.ARACDisplay.from_predictions([1, 1], [2, 1], shade_areas=True)
        display.figure_.canvas.draw()


class TestAsScikitLearn:
    @pytest.mark.parametrize("labels", ["numbers", "names"])
    @pytest.mark.parametrize("kind", SCORED)
    def test_same_picture(self, kind, labels, scores):
        from sklearn import metrics

        y_true, y_score = scores
        kwargs = {"name": "m"}
        if labels == "names":
            y_true, kwargs["pos_label"] = np.where(y_true, "spam", "ham"), "spam"
        if kind != "DetCurveDisplay":
            kwargs |= {"plot_chance_level": True, "despine": True}
        ours = getattr(displays, kind).from_predictions(y_true, y_score, **kwargs)
        theirs = getattr(metrics, kind).from_predictions(y_true, y_score, **kwargs)
        for name in ("fpr", "tpr", "fnr", "precision", "recall"):
            if hasattr(theirs, name):
                expected = getattr(theirs, name)
                if kind == "DetCurveDisplay":  # where scikit-learn moves rates away from 0 and 1
                    assert getattr(ours, name) == pytest.approx(expected, abs=1e-15)
                else:
                    assert getattr(ours, name).tolist() == expected.tolist()
        for name in ("get_xlabel", "get_ylabel", "get_xlim", "get_ylim", "get_aspect"):
            assert getattr(ours.ax_, name)() == getattr(theirs.ax_, name)()
        if kind != "DetCurveDisplay":
            assert np.array_equal(ours.chance_level_.get_data(), theirs.chance_level_.get_data())
            assert ours.chance_level_.get_linestyle() == theirs.chance_level_.get_linestyle()
            assert ours.ax_.get_legend()._loc == theirs.ax_.get_legend()._loc
            assert not ours.ax_.spines["right"].get_visible()
        images = []
        for display in (ours, theirs):  # the curves alone, in the same axes
            figure = plt.figure(figsize=(12, 12), dpi=100)
            ax = figure.add_axes((0, 0, 1, 1), xlim=display.ax_.get_xlim(), ylim=display.ax_.get_ylim())
            ax.axis("off")
            line = display.line_
            ax.plot(*line.get_data(), "k", drawstyle=line.get_drawstyle(), linewidth=3)
            figure.canvas.draw()
            images.append(np.asarray(figure.canvas.buffer_rgba())[..., 0].astype(int))
        # corners may lose part of their mitres
        assert (abs(images[0] - images[1]) > 128).mean() < 1e-4

    def test_ticks_of_det(self, scores):
        from scipy.stats import norm

        display = displays.DetCurveDisplay.from_predictions(*scores)
        assert display.ax_.get_xticks() == pytest.approx(norm.ppf(TICKS), abs=1e-12)
        names = [text.get_text() for text in display.ax_.get_yticklabels()]
        assert names[3:6] == ["0.1%", "1%", "5%"]

    @pytest.mark.parametrize("kind", SCORED)
    def test_from_sweep(self, kind, scores):
        curve, value, measure = SCORED[kind]
        sweep = fa.threshold_sweep(*scores)
        kind = getattr(displays, kind)
        ours = kind.from_sweep(sweep, name="m")
        same = kind.from_predictions(*scores)
        assert np.array_equal(ours.line_.get_data(), same.line_.get_data())
        assert getattr(ours, value) == getattr(same, value)
        assert legend_of(ours)[0].startswith(f"m ({measure} = 0.")
        assert "Positive label: 1" in same.ax_.get_xlabel()
        assert "label" not in ours.ax_.get_xlabel()
        whole = kind.from_sweep(sweep, drop_intermediate=False)
        x = curve(sweep, drop_intermediate=False)[0]
        assert x.tolist() in [
            getattr(whole, name).tolist() for name in ("fpr", "precision") if hasattr(whole, name)
        ]

    def test_values(self, scores):
        sweep = fa.threshold_sweep(*scores)
        assert displays.RocCurveDisplay.from_sweep(sweep).roc_auc == pytest.approx(
            fa.roc_partial_auc_score(sweep, fpr_range=(0, 1)), rel=1e-15
        )
        assert (
            displays.DetCurveDisplay.from_sweep(sweep).equal_error_rate
            == fa.equal_error_rate(sweep).rate
        )
        display = displays.PrecisionRecallDisplay.from_sweep(sweep)
        assert display.average_precision == pytest.approx(
            fa.pr_auc_score(sweep, interpolation="step"), rel=1e-15
        )
        assert display.prevalence_pos_label == sweep.recognition_rate

    @pytest.mark.parametrize("kind", SCORED)
    def test_weights(self, kind, scores):
        kind = getattr(displays, kind)
        y_true, y_score = scores
        twice = kind.from_predictions(y_true, y_score, sample_weight=np.full(300, 2.0), name="m")
        assert legend_of(twice) == legend_of(kind.from_predictions(y_true, y_score, name="m"))

    @pytest.mark.parametrize("kind", ["RocCurveDisplay", "PrecisionRecallDisplay"])
    def test_keywords(self, kind, scores):
        kind = getattr(displays, kind)
        display = kind.from_predictions(*scores, curve_kwargs={"c": "red", "lw": 3, "alpha": 0.5})
        assert display.line_.get_color() == "red"
        assert display.line_.get_linewidth() == 3
        assert display.line_.get_alpha() == 0.5
        display.plot(plot_chance_level=True, chance_level_kw={"ls": ":", "label": "nothing"})
        assert display.chance_level_.get_linestyle() == ":"
        assert legend_of(display)[-1] == "nothing"
        assert display.plot().chance_level_ is None

    def test_chance_level_without_a_legend(self):
        display = displays.RocCurveDisplay(fpr=[0, 1], tpr=[0, 1])
        assert display.plot().ax_.get_legend() is None
        display.plot(plot_chance_level=True)
        assert legend_of(display) == ["Chance level (ROC-AUC = 0.5)"]

    def test_chance_level_needs_the_prevalence(self):
        display = displays.PrecisionRecallDisplay([0.5, 1], [1, 0])
        with pytest.raises(ValueError, match="prevalence_pos_label is None"):
            display.plot(plot_chance_level=True)

    def test_straight_lines_on_request(self):
        display = displays.PrecisionRecallDisplay([0.5, 1], [1, 0])
        assert len(display.plot().line_.get_xdata()) == 3
        assert len(display.plot(curve_kwargs={"drawstyle": "default"}).line_.get_xdata()) == 2
        assert len(display.plot(curve_kwargs={"ds": "default"}).line_.get_xdata()) == 2

    def test_one_class(self):
        with pytest.warns(UserWarning, match="No negative"):
            display = displays.RocCurveDisplay.from_predictions([1, 1], [1, 2], pos_label=1, name="m")
        assert legend_of(display) == ["m (ROC-AUC = nan)"]
        display.figure_.canvas.draw()
        with pytest.warns(UserWarning, match="No positive"):
            display = displays.PrecisionRecallDisplay.from_predictions([0, 0], [1, 2], pos_label=1)
        assert display.average_precision == 0
        with pytest.raises(ValueError, match="Only one class"):
            displays.DetCurveDisplay.from_predictions([1, 1], [1, 2])

    def test_three_classes(self):
        with pytest.raises(ValueError, match="multiclass"):
            displays.RocCurveDisplay.from_predictions([0, 1, 2], [1, 2, 3])


class TestDetAxes:
    def test_they_move_down_to_a_good_curve(self):
        rng = np.random.default_rng(2)
        y_true = np.arange(40_000) % 2
        display = displays.DetCurveDisplay.from_predictions(
            y_true, rng.normal(size=40_000) + 7 * y_true
        )
        low, high = display.ax_.get_xlim()
        assert low < -4.5
        assert high - low == pytest.approx(6)
        x, y = display.line_.get_data()
        assert ((x > low) & (y > low)).sum() > 10
        display.figure_.canvas.draw()
        boxes = [text.get_window_extent() for text in display.ax_.get_xticklabels()]
        shown = [box for box in boxes if box.x1 > display.ax_.bbox.x0]
        assert all(left.x0 + 8 < right.x0 for left, right in pairwise(shown))
        poor = displays.DetCurveDisplay.from_predictions(
            y_true, rng.normal(size=40_000), ax=display.ax_
        )
        assert poor.ax_.get_xlim() == poor.ax_.get_ylim() == (low, 3.0)

    def test_no_errors_at_all(self):
        display = displays.DetCurveDisplay.from_predictions([0, 1], [1, 2])
        assert display.ax_.get_xlim() == (-3, 3)

    def test_markers_mark_all_points(self):
        rates = np.linspace(0.001, 0.999, 20_000)
        display = displays.DetCurveDisplay(fpr=rates, fnr=1 - rates).plot(curve_kwargs={"marker": "."})
        assert len(display.line_.get_xdata()) == 20_000


class TestLines:
    @pytest.mark.parametrize("kwargs", [{"marker": "."}, {"marker": "."} | {"drawstyle": "steps"}])
    def test_markers_mark_all_points(self, kwargs):
        x = np.linspace(0, 1, 101)
        display = displays.ARPDisplay(x, 1 - x / 2)
        assert len(display.plot(curve_kwargs=kwargs).line_.get_xdata()) == 101
        assert len(display.plot(curve_kwargs={"marker": "None"}).line_.get_xdata()) == 2
        with mpl.rc_context({"lines.marker": "o"}):
            assert len(display.plot().line_.get_xdata()) == 101

    @pytest.mark.parametrize("x", [[0, 0.6, 0.4, 1], [0, np.nan, 0.4, 1]])
    def test_what_is_no_curve_is_drawn_as_it_is(self, x):
        line = displays.ARPDisplay(x, [1, 0.9, 0.8, 0.7]).plot().line_
        assert np.array_equal(line.get_xdata(), x, equal_nan=True)


class TestSeveralModels:
    @pytest.mark.parametrize("kind", [*OVER_ACCEPTANCE, *SCORED])
    def test_one_picture(self, kind, sweeps):
        drawn = displays.draw_curves(
            sweeps, display=getattr(displays, kind), curve_kwargs={"linewidth": 1}
        )
        assert list(drawn) == list(sweeps)
        assert len({id(display.ax_) for display in drawn.values()}) == 1
        for index, display in enumerate(drawn.values()):
            assert display.line_.get_color() == COLORS[index]
            assert display.line_.get_linewidth() == 1
        names = legend_of(drawn["m0"])
        assert [name.split()[0] for name in names] == list(sweeps)

    @pytest.mark.parametrize("kind", ["RocCurveDisplay", "PrecisionRecallDisplay"])
    def test_one_chance_level(self, kind, sweeps):
        kind = getattr(displays, kind)
        drawn = displays.draw_curves(sweeps, display=kind, plot_chance_level=True)
        assert len(drawn["m0"].ax_.lines) == 4
        assert legend_of(drawn["m0"])[-1].startswith("Chance level (")
        again = kind.from_sweep(sweeps["m0"], ax=drawn["m0"].ax_, plot_chance_level=True)
        assert again.chance_level_ is drawn["m2"].chance_level_

    def test_own_chance_levels(self, sweeps):
        other = fa.threshold_sweep([1, 0], [2, 1])
        kind = displays.PrecisionRecallDisplay
        style = {"linewidth": 2}
        drawn = displays.draw_curves(
            sweeps | {"other": other}, display=kind, plot_chance_level=True, chance_level_kw=style
        )
        for display in drawn.values():
            assert display.chance_level_.get_color() == display.line_.get_color()
            assert display.chance_level_.get_linewidth() == 2
        assert [name.split()[0] for name in legend_of(drawn["m0"])] == [*sweeps, "other", "Chance"]

    def test_models_verified_in_part(self):
        truth = fa.PartialTruth([1, np.nan, 0, 1, 1, 0], inclusion_probability=0.8)
        models = {"a": (truth, [6, 5, 4, 3, 2, 1]), "b": (truth, [1, 2, 3, 4, 5, 6])}
        for kind in OVER_ACCEPTANCE:
            drawn = displays.draw_curves(models, display=getattr(displays, kind))
            for name, items in models.items():
                alone = getattr(displays, kind).from_predictions(*items).line_
                assert np.array_equal(drawn[name].line_.get_xydata(), alone.get_xydata())

    def test_without_models(self):
        with pytest.raises(ValueError, match="models must have at least 1 entry, got 0"):
            displays.draw_curves({})


class TestConfusion:
    KEYS = ("false_accepts", "true_accepts", "false_rejects", "true_rejects")  # from the bottom up

    @pytest.mark.parametrize("weight", [None, WEIGHT])
    def test_shares(self, weight):
        display = displays.ConfusionDisplay.from_predictions(
            CORRECT, CONFIDENCE, sample_weight=weight, name="costs $"
        )
        sweep = fa.threshold_sweep(CORRECT, CONFIDENCE, sample_weight=weight)
        tops = np.cumsum([getattr(sweep, key) for key in self.KEYS], axis=0) / sweep.total
        for key, top in zip(self.KEYS, tops, strict=True):
            x, y = display.areas_[key].get_xy()[1:-2].T
            assert np.interp(sweep.acceptance_rate, x, y) == pytest.approx(top, abs=1e-4)
        names = legend_of(display)
        assert [name[-3:-1] for name in names] == ["TR", "FR", "TA", "FA"]
        assert display.ax_.get_title() == r"costs \$"
        display.figure_.canvas.draw()

    def test_numbers_and_shares_are_the_same_picture(self):
        counts = np.array([[0, 2], [0, 1], [2, 0], [1, 0]])
        for scale in (1, 3):
            display = displays.ConfusionDisplay(*(counts / scale)).plot(curve_kwargs={"alpha": 0.5})
            area = display.areas_["false_accepts"]
            expected = [[0, 0], [0, 0], [1, 1 / 3], [1, 0], [0, 0]]
            assert area.get_xy() == pytest.approx(np.array(expected))
            assert area.get_alpha() == 0.5
            assert display.ax_.get_title() == ""


def test_small_numbers():
    shown = [significant(value) for value in (0.018, 0.000123456, 0.25, 0.9996, 0, 1)]
    assert shown == ["0.0180", "0.000123", "0.250", "1.00", "0.000", "1.000"]


MODULES = [module.name for module in pkgutil.iter_modules(displays.__path__, "fastarac.displays.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0
    assert not plt.get_fignums()
