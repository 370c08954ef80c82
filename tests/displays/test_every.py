"""What every display takes and keeps: keywords, colours, legends, chance levels and best orders."""

from __future__ import annotations

import inspect
from statistics import NormalDist

import matplotlib as mpl
import numpy as np
import pytest

import fastarac as fa
from fastarac import displays
from fastarac.displays._base import Display
from fastarac.displays._style import COLORS, GUIDE

mpl.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

CORRECT = [1, 1, 0, 1, 0, 1, 1, 0]
CONFIDENCE = [0.9, 0.8, 0.8, 0.7, 0.6, 0.4, 0.35, 0.2]


HALVES = np.arange(8).reshape(2, 4)


class Model:
    """An estimator whose scores are the rows that it is given."""

    classes_ = (0, 1)

    def predict_proba(self, X):
        return np.stack([1 - np.array(X), X], axis=1)


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def sweeps():
    rng = np.random.default_rng(4)
    correct = np.arange(100) % 3 > 0
    return {f"m{i}": fa.threshold_sweep(correct, rng.normal(size=100) + correct) for i in range(3)}


def legend_of(display) -> list[str]:
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


DECLARED = [getattr(displays, name) for name in displays.__all__ if name.endswith("Display")]
WITHOUT_CHANCE = (displays.PreferenceMapDisplay, displays.CascadeDisplay)
KEYWORDS = {"ax", "name", "curve_kwargs", "plot_chance_level", "chance_level_kw", "despine", "ylim"}


def drawn(kind, **options):
    """Any display of the items above, drawn."""
    items = fa.threshold_sweep(CORRECT, CONFIDENCE)
    if kind is displays.PreferenceMapDisplay:
        return kind.from_models({"m": items}, gammas=[0.1, 1], deltas=[1, 2], **options)
    if kind is displays.AverageCurveDisplay:
        return kind.from_sweeps([items, items], **options)
    if kind is displays.FoldsDisplay:
        found = {"estimator": [Model()] * 2, "indices": {"train": HALVES, "test": HALVES[::-1]}}
        return displays.ARACDisplay.from_cv_results(found, CONFIDENCE, CORRECT, **options)
    if kind is displays.PowerDisplay:
        return kind.from_rates(0.1, 0.05, **options)
    if kind in (displays.CascadeDisplay, displays.CascadeCostDisplay):
        stages = [
            fa.costs.Stage("machine", 1, correct=CORRECT, confidence=CONFIDENCE),
            fa.costs.Stage("clerk", 20),
        ]
        cascade = fa.costs.optimize_cascade(stages, max_error_rate=0.2)
        if kind is displays.CascadeDisplay:
            return kind.from_cascade(cascade, **options)
        return kind.from_stages(stages, cascade, stage="machine", **options)
    if kind is displays.CalibrationDisplay:
        return kind.from_predictions(CORRECT, CONFIDENCE, **options)
    if kind is displays.ShiftDisplay:
        policy = fa.operation.fit_policy([1] * 400, range(400), max_error_rate=0.01)
        return kind.from_shift(policy.shift(range(100, 500)), **options)
    if kind is displays.MonitorDisplay:
        monitor = fa.operation.ErrorRateMonitor(max_error_rate=0.1)
        monitor.update(3, 20)
        monitor.update(3, 20)
        return kind.from_monitor(monitor, **options)
    if kind is displays.FieldErrorsDisplay:
        policy = fa.operation.fit_policy([1] * 400, range(400), max_error_rate=0.05)
        return kind.from_check(policy.check([1] * 390 + [0] * 10, range(400)), **options)
    if kind is displays.AccuracyRejectionCostDisplay:
        options["costs"] = fa.VerificationCosts(1, 1, 4)
    return kind.from_sweep(items, **options)


@pytest.mark.parametrize("kind", DECLARED)
class TestEveryDisplay:
    def test_takes_the_same_keywords(self, kind):
        assert set(inspect.signature(Display.plot).parameters) - {"self"} == KEYWORDS
        options = {"name": "a $ name", "despine": True, "ylim": "fit", "curve_kwargs": {"alpha": 0.7}}
        if kind not in WITHOUT_CHANCE:
            options |= {"plot_chance_level": True, "chance_level_kw": {"lw": 3}}
        display = drawn(kind, **options)
        assert not display.ax_.spines["right"].get_visible()
        assert "a $ name" in repr(display)
        if kind not in WITHOUT_CHANCE:
            level = display.chance_level_
            assert (level[0] if isinstance(level, list) else level).get_linewidth() == 3
        display.figure_.canvas.draw()

    def test_range_of_the_vertical_axis(self, kind):
        assert drawn(kind, ylim=(0.25, 0.75)).ax_.get_ylim() == pytest.approx((0.25, 0.75))

    def test_other_keywords_are_refused(self, kind):
        with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
            drawn(kind, colour="red")


class TestChanceAndBest:
    """The curves of a random and of the best order, against those of items in such an order."""

    CURVES = ("arac", "arp", "rc", "generalized_rc")

    @pytest.mark.parametrize("curve", CURVES)
    def test_best_order(self, curve):
        kind = {"arac": "ARAC", "arp": "ARP", "rc": "RC", "generalized_rc": "GeneralizedRC"}[curve]
        kind = getattr(displays, f"{kind}Display")
        display = kind.from_predictions(CORRECT, CONFIDENCE, plot_best_possible=True)
        ordered = np.repeat(np.sort(CORRECT)[::-1], 500)
        x, y, _ = getattr(fa, f"{curve}_curve")(ordered, -np.arange(4000))
        assert np.interp(x, *display.best_.get_data()) == pytest.approx(y, abs=1e-3)

    @pytest.mark.parametrize("curve", CURVES)
    def test_random_order(self, curve):
        kind = {"arac": "ARAC", "arp": "ARP", "rc": "RC", "generalized_rc": "GeneralizedRC"}[curve]
        kind = getattr(displays, f"{kind}Display")
        display = kind.from_predictions(CORRECT, CONFIDENCE, name="m", plot_chance_level=True)
        x, y, _ = getattr(fa, f"{curve}_curve")(CORRECT, np.ones(8))
        assert np.interp(x, *display.chance_level_.get_data()) == pytest.approx(y, abs=1e-9)
        assert legend_of(display)[1].startswith("Chance level (A")
        assert drawn(kind).best_ is None

    def test_confusion(self):
        line = drawn(displays.ConfusionDisplay, plot_chance_level=True).chance_level_
        assert line.get_ydata().tolist() == [0, 3 / 8]

    def test_three_dimensions(self):
        line = drawn(displays.AccuracyRejectionCostDisplay, plot_chance_level=True).chance_level_
        x, y, z = line.get_data_3d()
        assert (list(x), list(y)) == ([0, 1], [5 / 8, 5 / 8])
        assert list(z) == pytest.approx([3 / 8, 1 / 4])

    def test_preference_maps_have_none(self):
        with pytest.raises(ValueError, match="a map has no chance level"):
            drawn(displays.PreferenceMapDisplay, plot_chance_level=True)


class TestFittedAxis:
    def test_arac_shows_what_the_limits_need(self):
        correct = np.arange(1000) % 2
        options = {"ylim": "fit", "max_error_rate": (0.02, 0.1)}
        display = displays.ARACDisplay.from_predictions(correct, -np.arange(1000), **options)
        bottom, top = display.ax_.get_ylim()
        assert 0.84 < bottom < 0.85
        assert 1 < top < 1.01

    def test_rates_fill_the_axes(self):
        display = displays.PrecisionRecallDisplay([0.9, 0.95, 1], [1, 0.5, 0]).plot(ylim="fit")
        assert display.ax_.get_ylim() == pytest.approx((0.9 - 0.004, 1.004))
        assert display.ax_.get_aspect() == "auto"


class TestColours:
    def test_eight_are_distinct_and_dashes_follow(self):
        models = {f"m{i}": (CORRECT, CONFIDENCE) for i in range(10)}
        lines = [display.line_ for display in displays.draw_curves(models).values()]
        assert len({line.get_color() for line in lines[:8]}) == 8
        assert (lines[8].get_color(), lines[8].get_linestyle()) == (lines[0].get_color(), "--")

    def test_single_displays_go_on_with_the_cycle(self):
        first = drawn(displays.ARACDisplay)
        second = drawn(displays.ARACDisplay, ax=first.ax_)
        assert (first.line_.get_color(), second.line_.get_color()) == COLORS[:2]

    def test_dashes_of_matplotlibs_own_cycle(self):
        """Whoever prints without colours sets them once."""
        from matplotlib import cycler, rc_context

        dashes = ["-", "--", ":"]
        with rc_context({"axes.prop_cycle": cycler(color=["black"] * 3, linestyle=dashes)}):
            models = {f"m{i}": (CORRECT, CONFIDENCE) for i in range(3)}
            ax = displays.draw_curves(models)["m0"].ax_
        found = [(line.get_color(), line.get_linestyle()) for line in ax.lines]
        assert found == [("#000000", style) for style in dashes]

    def test_keywords_are_a_dictionary(self):
        with pytest.raises(TypeError, match="for a line must be a dictionary such as"):
            drawn(displays.ARACDisplay, curve_kwargs=[{"linestyle": "--"}])

    @pytest.mark.parametrize("color", [*COLORS, GUIDE["color"]])
    @pytest.mark.parametrize("background", [0.0, 1.0])
    def test_seen_on_light_and_on_dark(self, color, background):
        rgb = np.array(mpl.colors.to_rgb(color))
        linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
        ends = sorted([float(linear @ [0.2126, 0.7152, 0.0722]), background])
        assert (ends[1] + 0.05) / (ends[0] + 0.05) > 2.2


class TestLegend:
    @pytest.mark.parametrize("kind", ["ARACDisplay", "RocCurveDisplay", "DetCurveDisplay"])
    def test_long_names_are_below_and_whole(self, kind, sweeps):
        models = {f"a model of 25 letters, no {i}": sweeps["m0"] for i in range(8)}
        shown = displays.draw_curves(models, display=getattr(displays, kind), plot_chance_level=True)
        display = next(iter(shown.values()))
        display.figure_.canvas.draw()
        box, figure = display.ax_.get_legend().get_window_extent(), display.figure_.bbox
        assert 0 <= box.x0 < box.x1 <= figure.x1
        assert 0 <= box.y0 < box.y1 < display.ax_.xaxis.label.get_window_extent().y0
        assert [name.split(" (")[0] for name in legend_of(display)] == [*models, "Chance level"]

    @pytest.mark.parametrize("kind", ["ARACDisplay", "RocCurveDisplay"])
    def test_six_long_names_fit_into_the_figure(self, kind, sweeps):
        models = {f"a model of 25 letters, no {i}": sweeps["m0"] for i in range(6)}
        display = displays.draw_curves(models, display=getattr(displays, kind))[next(iter(models))]
        display.figure_.canvas.draw()
        box, axes = display.ax_.get_legend().get_window_extent(), display.ax_.bbox
        assert axes.x0 <= box.x0 < box.x1 <= axes.x1

    def test_one_name_that_is_longer_than_the_figure(self, sweeps):
        """It is broken into lines below the axes, which keep their size."""
        for name in ("an engine with its version and all of its options, " * 4, "x" * 200):
            display = displays.draw_curves({name: sweeps["m0"]})[name]
            display.figure_.canvas.draw()
            box, axes = display.ax_.get_legend().get_window_extent(), display.ax_.bbox
            assert 0 <= box.x0 < box.x1 <= display.figure_.bbox.x1
            assert 0 <= box.y0 < box.y1 < axes.y0
            assert axes.width > 0.7 * display.figure_.bbox.width
            assert (
                " ".join(legend_of(display)[0].split())
                .replace(" ", "")
                .startswith(name.replace(" ", ""))
            )

    def test_small_axes_have_small_letters(self, sweeps):
        ax = plt.figure(figsize=(2.2, 2.2), layout="constrained").subplots()
        displays.draw_curves(sweeps, ax=ax)
        small = ax.get_legend().get_texts()[0].get_fontsize()
        assert small < mpl.rcParams["font.size"]

    def test_axes_without_a_layout_keep_it_inside(self, sweeps):
        ax = plt.figure().subplots()
        displays.draw_curves({f"m{i}": sweeps["m0"] for i in range(8)}, ax=ax)
        ax.figure.canvas.draw()
        box = ax.get_legend().get_window_extent()
        assert ax.bbox.y0 <= box.y0 < box.y1 <= ax.bbox.y1

    def test_guides_of_several_colours_have_none(self, sweeps):
        models = {"a": ([1, 1, 0], [3, 2, 1]), "b": ([1, 0, 0], [3, 2, 1])}
        options = {"plot_chance_level": True, "plot_best_possible": True}
        shown = displays.draw_curves(models, **options)["a"]
        assert legend_of(shown)[2:] == ["Chance levels", "Best possible"]
        handles = shown.ax_.get_legend().get_lines()
        assert [line.get_color() for line in handles] == [*COLORS[:2], GUIDE["color"], GUIDE["color"]]
        alike = displays.draw_curves(dict.fromkeys("ab", models["a"]), **options)
        assert alike["a"].best_ is alike["b"].best_

    def test_bands_are_named_once(self, sweeps):
        shown = displays.draw_curves(sweeps)
        for name, display in shown.items():
            band = fa.bootstrap_band(sweeps[name], n_resamples=10, random_state=0)
            display.plot_band(band)
        assert legend_of(display)[3:] == ["95% band, pointwise"]
        alone = displays.draw_curves({"m0": sweeps["m0"]}, band=True)["m0"]
        of_one, of_several = (
            each.ax_.get_legend().get_patches()[0].get_facecolor() for each in (alone, display)
        )
        assert of_one[:3] == mpl.colors.to_rgb(COLORS[0])
        assert len(set(of_several[:3])) == 1  # grey, as it is of all

    @pytest.mark.parametrize(
        ("kind", "curve"),
        [("ARACDisplay", "arac"), ("RocCurveDisplay", "roc"), ("RCDisplay", "rc")],
    )
    def test_bands_of_all_models(self, kind, curve, sweeps):
        options = {"random_state": 1, "n_resamples": 20, "confidence_level": 0.9}
        shown = displays.draw_curves(
            sweeps, display=getattr(displays, kind), band="simultaneous", band_kw=options
        )
        for name, display in shown.items():
            band = fa.bootstrap_band(sweeps[name], curve=curve, kind="simultaneous", **options)
            top, bottom = band.high.max(), band.low.min()
            heights = display.band_.get_paths()[0].vertices[:, 1]
            assert (heights.min(), heights.max()) == pytest.approx((bottom, top))
        assert legend_of(display)[3:] == ["90% band, simultaneous"]

    def test_groups_of_bands_and_axes_that_cut_curves(self):
        right, confidence = np.arange(200) % 8 > 0, np.arange(200) % 50
        models = {"a": (right, confidence, np.arange(200))}
        groups = {"groups": np.arange(200) // 8, "n_resamples": 20}
        display = displays.draw_curves(
            models, band=True, band_kw=groups, ylim="fit", max_error_rate=0.01
        )["a"]
        plain = displays.draw_curves(models, ylim="fit", max_error_rate=0.01)["a"]
        assert display.ax_.get_ylim() == plain.ax_.get_ylim()
        assert display.band_.get_paths()[0].vertices[:, 1].min() < display.ax_.get_ylim()[0]

    def test_what_has_no_band(self, sweeps):
        with pytest.raises(
            TypeError, match="has no band: only ARACDisplay, ARPDisplay, GeneralizedRCDisplay,"
        ):
            displays.draw_curves(sweeps, display=displays.DetCurveDisplay, band=True)
        with pytest.raises(ValueError, match="band must be one of 'pointwise', 'simultaneous',"):
            displays.draw_curves(sweeps, band="wide")


class TestThresholds:
    """The texts beside the marks of operating points: which, and that none covers another one."""

    def boxes(self, ax) -> dict[str, np.ndarray]:
        from matplotlib.text import Text

        ax.figure.canvas.draw()
        texts = [text for text in ax.texts if text.get_text()[0] == "≥" and text.get_visible()]
        return {text.get_text(): Text.get_window_extent(text).extents for text in texts}

    def test_they_are_the_thresholds(self):
        display = displays.ARACDisplay.from_predictions(CORRECT, CONFIDENCE, max_error_rate=(0.1, 0.5))
        # at 0.7 two of eight are wrong below it, and at the end three of eight
        assert list(self.boxes(display.ax_)) == ["≥ 0.9", "≥ 0.2"]
        assert [point.threshold for point in display.operating_points] == [0.9, 0.2]
        assert legend_of(display)[1:] == ["Confidence threshold"]

    def test_nothing_is_accepted(self):
        display = displays.ARACDisplay.from_predictions([0, 1], [2, 1], max_error_rate=0.1)
        assert display.point_labels == ("",)
        display.figure_.canvas.draw()

    def test_on_request_none(self):
        options = {"max_error_rate": 0.1, "plot_thresholds": False}
        assert not self.boxes(displays.ARACDisplay.from_predictions(CORRECT, CONFIDENCE, **options).ax_)

    @pytest.mark.slow
    @pytest.mark.parametrize("n_models", [4, 8])
    def test_apart_and_inside(self, n_models):
        rng = np.random.default_rng(2)
        models = {
            f"m{i}": (c := rng.random(300) < 0.7 + 0.03 * i, rng.normal(size=300) + c)
            for i in range(n_models)
        }
        shown = displays.draw_curves(models, max_error_rate=(0.01, 0.05))["m0"]
        boxes = list(self.boxes(shown.ax_).values())
        assert len(boxes) == 2 * n_models
        frame = shown.ax_.bbox.extents
        for i, box in enumerate(boxes):
            assert (box[:2] >= frame[:2]).all()
            assert (box[2:] <= frame[2:]).all()
            for other in boxes[:i]:
                assert (box[:2] >= other[2:]).any() or (other[:2] >= box[2:]).any()

    def test_none_vanishes_where_curves_are_alike(self, sweeps):
        """Three marks in one place have a text each, joined to it where it has no room beside it."""
        rng = np.random.default_rng(0)
        right, confidence = rng.random(500) < 0.9, rng.random(500)
        models = {name: (right, confidence + k) for k, name in enumerate("abc")}
        ax = displays.draw_curves(models, max_error_rate=(0.02, 0.02))["a"].ax_
        assert len(self.boxes(ax)) == 3  # what the same mark says twice stands there once
        joined = [text.arrow_patch.get_visible() for text in ax.texts if text.get_text()[0] == "≥"]
        assert len(joined) == 6
        curve = (np.ones(500), confidence)
        fitted = displays.draw_curves({"a": curve, "b": curve}, max_error_rate=0.01, ylim="fit")["a"]
        bottom, top = fitted.ax_.get_ylim()
        assert len(self.boxes(fitted.ax_)) == 1
        assert bottom < 0.99 < 1 < top < 1.001  # the limit is in sight, whatever the curve is
        fitted = displays.ARACDisplay.from_predictions(*curve, ylim="fit").ax_.get_ylim()
        assert fitted[1] - fitted[0] > 1e-4


class TestTiesOfDet:
    def test_the_curve_passes_through_its_equal_error_rate(self):
        correct, confidence = [1, 1, 1, 1, 0, 0, 0, 0, 1, 0], [3, 2, 2, 2, 2, 2, 2, 1, 1, 1]
        display = displays.DetCurveDisplay.from_predictions(correct, confidence)
        x, y = display.line_.get_data()
        rate = fa.equal_error_rate(correct, confidence).rate
        crossing = np.interp(0, y - x, x)
        assert NormalDist().cdf(crossing) == pytest.approx(rate, abs=1e-3)


class TestOperation:
    def test_fields_of_a_check_and_of_a_file(self):
        """Two in the same axes have colours of their own, and stand side by side."""
        field, right = np.repeat(["a", "b"], 200), np.arange(400) % 20 > 0
        policy = fa.operation.fit_policy(right, np.arange(400), by=field, max_error_rate=0.2)
        check = policy.check(right, np.arange(400), by=field)
        first = displays.FieldErrorsDisplay.from_check(check)
        assert [text.get_text() for text in first.ax_.get_xticklabels()] == ["all", "a", "b"]
        rates = [check.interval.estimate, *(each.rate for each in check.fields)]
        assert first.line_.get_ydata().tolist() == rates
        assert [ends[:, 1].tolist() for ends in first.intervals_.get_segments()[1:]] == [
            [each.low, each.high] for each in check.fields
        ]
        second = displays.FieldErrorsDisplay.from_check(check, ax=first.ax_)
        assert second.line_.get_color() != first.line_.get_color()
        assert (second.line_.get_xdata() > first.line_.get_xdata()).all()


def test_alarms_of_changes_are_marked():
    monitor = fa.operation.ErrorRateMonitor(max_error_rate=0.01)
    for errors in (0, 20, 0, 25, 1):
        monitor.update(errors, 100)
    display = displays.MonitorDisplay.from_monitor(monitor, name="a")
    assert display.line_.get_label() == "a (alarm at 200 audits, change at 200 and 400)"
    assert display.changes_.get_xdata().tolist() == [200, 400]
    assert display.changes_.get_ydata().tolist() == [0.1, 45 / 400]
    plt.close(display.figure_)
