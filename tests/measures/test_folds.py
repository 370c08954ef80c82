"""Averages of curves over folds."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st

import fastarac as fa
from fastarac.displays import AverageCurveDisplay

pytestmark = pytest.mark.interpreted

mpl.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def folds(n=4, size=60, seed=0):
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(n):
        confidence = rng.random(size).round(2)
        made.append(fa.threshold_sweep(rng.random(size) < confidence, confidence))
    return made


CURVES = {
    "arac": (fa.arac_curve, 1),
    "generalized_rc": (fa.generalized_rc_curve, 1),
    "arp": (fa.arp_curve, 1),
    "rc": (fa.rc_curve, 1),
}


class TestAverageCurves:
    @pytest.mark.parametrize("curve", CURVES)
    def test_along_acceptance(self, curve):
        sweeps, grid = folds(), np.linspace(0, 1, 23)
        found = fa.measures.average_curves(sweeps, grid, curve=curve)
        each = [CURVES[curve][0](sweep)[:2] for sweep in sweeps]
        values = np.array([np.interp(grid, x, y) for x, y in each])
        np.testing.assert_allclose(found.values, values, rtol=1e-15)
        np.testing.assert_allclose(found.mean, values.mean(axis=0), rtol=1e-14)
        np.testing.assert_allclose(
            found.standard_deviation, values.std(axis=0, ddof=1), rtol=1e-12, atol=1e-15
        )
        assert found.grid.tolist() == found.acceptance_rate.tolist() == grid.tolist()
        assert not found.acceptance_rate_deviation.any()

    @pytest.mark.parametrize("curve", CURVES)
    def test_along_thresholds(self, curve):
        sweeps, grid = folds(), np.array([np.inf, 2.0, 0.9, 0.5, 0.33, -1.0, -np.inf])
        found = fa.measures.average_curves(sweeps, grid, "threshold", curve)
        values, rates = np.empty((4, len(grid))), np.empty((4, len(grid)))
        for i, sweep in enumerate(sweeps):
            for j, threshold in enumerate(grid):
                point = fa.operating_point(sweep, threshold=threshold)
                rates[i, j] = point.acceptance_rate
                name = {"arac": "accuracy_after_correction", "generalized_rc": "error_rate"}
                name |= {"arp": "precision", "rc": "risk"}
                values[i, j] = getattr(point, name[curve])
        np.testing.assert_allclose(found.values, values, rtol=1e-15)
        np.testing.assert_allclose(found.acceptance_rate, rates.mean(axis=0), rtol=1e-14)
        deviation = rates.std(axis=0, ddof=1)
        np.testing.assert_allclose(found.acceptance_rate_deviation, deviation, rtol=1e-12, atol=1e-15)

    @given(strategies.unweighted, st.integers(2, 4))
    def test_folds_that_are_the_same(self, sample, n):
        sweep = fa.threshold_sweep(*sample[:2])
        found = fa.measures.average_curves([sweep] * n, sweep.acceptance_rate)
        np.testing.assert_allclose(found.mean, sweep.accuracy_after_correction, rtol=1e-15)
        assert (found.standard_deviation <= 1e-15).all()

    def test_one_fold(self):
        with pytest.warns(fa.UndefinedMetricWarning, match="standard_deviation is undefined: there"):
            found = fa.measures.average_curves(folds(1), [0.0, 1.0])
        assert np.isnan(found.standard_deviation).all()
        assert found.mean[0] == 1

    @pytest.mark.parametrize(
        ("arguments", "error", "message"),
        [
            (([], [0.5]), ValueError, "sweeps is empty; give at least one ThresholdSweep"),
            (([3], [0.5]), TypeError, r"sweeps\[0\] must be a ThresholdSweep, got a int"),
            ((folds(2), []), ValueError, "grid is empty; give at least one point"),
            ((folds(2), [0.5, 1.5]), ValueError, r"grid must be a number in \[0, 1\], got 1.5"),
            ((folds(2), 0.5), ValueError, r"grid must be a one-dimensional array.*, got shape \(\)"),
            (
                (folds(2), [np.nan], "threshold"),
                ValueError,
                r"grid\[0\] must be a threshold.*, got nan",
            ),
            ((folds(2), [0.5], "confidence"), ValueError, "', got 'confidence'"),
            (
                (folds(2), [0.5], "acceptance", "roc"),
                ValueError,
                "curve must be one of 'arac', 'generalized_rc', '",
            ),
        ],
    )
    def test_errors(self, arguments, error, message):
        with pytest.raises(error, match=message):
            fa.measures.average_curves(*arguments)


class TestDisplay:
    def test_band(self):
        sweeps = folds()
        display = AverageCurveDisplay.from_sweeps(
            sweeps, name="m", curve_kwargs={"color": "red", "linewidth": 3}
        )
        average = fa.measures.average_curves(sweeps, np.linspace(0, 1, 1001))
        x, y = display.line_.get_data()
        assert np.interp(average.grid, x, y) == pytest.approx(average.mean, abs=1e-3)
        assert display.line_.get_color() == "red"
        assert display.line_.get_linewidth() == 3
        assert display.ax_.get_legend().get_texts()[0].get_text() == "m (mean of 4 folds)"
        (path,) = display.band_.get_paths()
        band = path.vertices[np.isclose(path.vertices[:, 0], 0.5), 1]
        middle = average.mean[500], average.standard_deviation[500]
        assert band.min() == pytest.approx(middle[0] - middle[1])
        assert band.max() == pytest.approx(middle[0] + middle[1])
        assert path.vertices[:, 1].max() <= 1
        assert display.ax_.get_ylabel() == "Accuracy after correction"
        assert display.figure_ is display.ax_.figure
        assert display.folds_ == []

    @pytest.mark.parametrize("curve", CURVES)
    @pytest.mark.parametrize("along", ["acceptance", "threshold"])
    def test_all_kinds(self, curve, along):
        sweeps = folds()
        display = AverageCurveDisplay.from_sweeps(sweeps, along=along, curve=curve, plot_folds=True)
        assert len(display.folds_) == 4
        assert display.average.values.shape[0] == 4
        low, high = display.ax_.get_ylim()
        assert low <= display.average.values.min()
        assert high >= display.average.values.max()
        display.figure_.canvas.draw()

    def test_on_axes_that_have_a_curve(self):
        first = AverageCurveDisplay.from_sweeps(folds(), name="a")
        before = first.ax_.get_ylim()
        second = AverageCurveDisplay.from_sweeps(folds(seed=1), name="b", ax=first.ax_)
        assert second.ax_ is first.ax_
        low, high = second.ax_.get_ylim()
        assert low <= before[0]
        assert high >= before[1]
        names = [text.get_text().split()[0] for text in second.ax_.get_legend().get_texts()]
        assert names == ["a", "b", "±"]

    def test_one_fold_has_no_band(self):
        with pytest.warns(fa.UndefinedMetricWarning):
            display = AverageCurveDisplay.from_sweeps(folds(1))
        assert display.band_ is None
        assert display.line_.get_label() == "1 fold"
