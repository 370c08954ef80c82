"""Bands around curves, and how displays draw them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from strategies import COMPILED

import fastarac as fa
from fastarac.uncertainty import bands

# Few items make quick tests, and intervals that one would not rely on.
pytestmark = [
    pytest.mark.interpreted,
    pytest.mark.filterwarnings("ignore::fastarac.UnreliableIntervalWarning"),
]


def items(n: int, levels: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    confidence = rng.random(n)
    if levels is not None:
        confidence = np.floor(confidence * levels) / levels
    return rng.random(n) < 0.3 + 0.6 * confidence, confidence


def heights(curve: str, sweep: fa.ThresholdSweep, grid: np.ndarray) -> np.ndarray:
    """The curve's heights by numpy, from the library's curves."""
    if curve == "roc":  # at a jump the upper end, up to it towards the lower one
        x, y = sweep.false_positive_rate, sweep.recall
        at = np.searchsorted(x, grid + 1e-12, side="right") - 1
        to = np.minimum(at + 1, len(x) - 1)
        part = np.where(x[to] > x[at], (grid - x[at]) / np.maximum(x[to] - x[at], 1e-300), 0.0)
        return y[at] + (y[to] - y[at]) * part
    of = {
        "arac": fa.arac_curve, "generalized_rc": fa.generalized_rc_curve, "rc": fa.rc_curve,
        "arp": fa.arp_curve,
    }  # fmt: skip
    x, y, _ = of[curve](sweep)
    return np.interp(grid, x, y)


@pytest.mark.parametrize("curve", bands.CURVES)
@pytest.mark.parametrize("levels", [None, 6])
@pytest.mark.parametrize(
    "keywords", [{}, {"sample_weight": True}, {"groups": True}, {"stratified": True}]
)
def test_bands_are_made_of_the_resamples_curves(curve, levels, keywords):
    n, b = 50, 24 if COMPILED else 6
    correct, confidence = items(n, levels)
    if keywords.get("sample_weight"):
        keywords = {"sample_weight": np.random.default_rng(0).random(n)}
    if keywords.get("groups"):
        keywords = {"groups": np.arange(n) // 4}
    sweeps = []

    def keep(sweep):
        sweeps.append(sweep)
        return 0.0

    fa.bootstrap(correct, confidence, statistic=keep, n_resamples=b, random_state=8, **keywords)
    for grid in (11, [0.0, 0.1, 0.29, 0.3, 0.7, 0.999], [0.5]):
        x = np.arange(11) / 10 if grid == 11 else np.array(grid)
        found = [
            fa.bootstrap_band(
                correct, confidence, curve=curve, kind=kind, grid=grid, n_resamples=b,
                confidence_level=0.8, random_state=8, **keywords,
            )
            for kind in ("pointwise", "simultaneous")
        ]  # fmt: skip
        np.testing.assert_array_equal(found[0].x, x)
        expected = np.array([heights(curve, sweep, x) for sweep in sweeps])
        for band in found:
            np.testing.assert_allclose(band.estimate, expected[0], atol=1e-12)
        low, high = np.quantile(expected[1:], [0.1, 0.9], axis=0)
        np.testing.assert_allclose(found[0].low, low, atol=1e-12)
        np.testing.assert_allclose(found[0].high, high, atol=1e-12)
        sd = expected[1:].std(axis=0, ddof=1)
        sd[sd < 1e-12] = np.inf
        c = np.quantile((np.abs(expected[1:] - expected[0]) / sd).max(axis=1), 0.8)
        sd[np.isinf(sd)] = 0.0
        np.testing.assert_allclose(found[1].low, np.clip(expected[0] - c * sd, 0, 1), atol=1e-12)
        np.testing.assert_allclose(found[1].high, np.clip(expected[0] + c * sd, 0, 1), atol=1e-12)


def test_bands_from_few_items_warn():
    correct, confidence = np.arange(40) % 5 > 0, np.arange(40.0)
    with pytest.warns(fa.UnreliableIntervalWarning, match="8 incorrect items; .* of the rc curve"):
        fa.bootstrap_band(correct, confidence, curve="rc", n_resamples=5)


def test_ends_of_the_arac_band():
    band = fa.bootstrap_band(*items(60), n_resamples=50, random_state=0)
    assert len(band.x) == 201
    assert band.low[0] == band.high[0] == band.estimate[0] == 1.0
    rate = fa.bootstrap(*items(60), statistic="recognition_rate", n_resamples=50, random_state=0)
    assert (band.low[-1], band.high[-1]) == pytest.approx((rate.low, rate.high))
    assert "curve='arac', kind='pointwise', confidence_level=0.95" in repr(band)
    with pytest.raises(AttributeError):
        band.low = 0


def test_a_band_of_counts_and_of_threads(monkeypatch):
    sweep = fa.ThresholdSweep.from_counts([1, 2, 3], [10**6, 2 * 10**6, 10**7], [10**6, 10**5, 10**4])
    run = [
        fa.bootstrap_band(sweep, curve="rc", n_resamples=30, random_state=1, n_threads=k)
        for k in (1, 3)
    ]
    assert run[0].low.tolist() == run[1].low.tolist()
    assert (run[0].high - run[0].low).max() < 1e-3


@pytest.mark.slow
def test_a_simultaneous_band_is_wider_and_covers_as_often_as_it_says():
    """Samples of a population of which the curve is known."""
    mixture = fa.synthetic.PAPER_CASES[1]
    rounds, n, b = (150, 400, 200) if COMPILED else (8, 40, 20)
    correct, confidence = mixture.sample(200_000, random_state=0)
    population = fa.threshold_sweep(correct, confidence)
    x = np.linspace(0.1, 1.0, 10)
    truth = heights("arac", population, x)
    inside = {"pointwise": 0, "simultaneous": 0}
    at_all_places = dict(inside)
    for seed in range(rounds):
        sample = mixture.sample(n, random_state=100 + seed)
        widths = []
        for kind in inside:
            band = fa.bootstrap_band(
                *sample, kind=kind, grid=x, n_resamples=b, confidence_level=0.8, random_state=seed
            )
            covered = (band.low <= truth) & (truth <= band.high)
            inside[kind] += covered[-3:].mean() / rounds
            at_all_places[kind] += covered[3:].all() / rounds
            widths.append((band.high - band.low).mean())
        assert widths[0] < widths[1]
    if COMPILED:
        assert inside["pointwise"] == pytest.approx(0.8, abs=0.1)
        assert at_all_places["simultaneous"] == pytest.approx(0.8, abs=0.12)
        assert at_all_places["pointwise"] < at_all_places["simultaneous"] - 0.1


def test_resamples_of_one_class_have_no_roc_curve():
    with pytest.warns(fa.UndefinedMetricWarning, match=r"undefined for \d+ of 100 resamples"):
        band = fa.bootstrap_band(
            [1, 1, 1, 0], [4, 3, 2, 1], curve="roc", n_resamples=100, random_state=0, grid=3
        )
    assert band.low.tolist() == band.high.tolist() == [1, 1, 1]
    with pytest.warns(fa.UndefinedMetricWarning):
        band = fa.bootstrap_band([1, 1], [4, 3], curve="roc", n_resamples=4, grid=3)
    assert np.isnan(band.low).all()
    assert math.isnan(band.estimate[0])


@pytest.mark.parametrize(
    ("keywords", "error", "message"),
    [
        ({"curve": "pr"}, ValueError, "curve must be one of 'arac', 'generalized_rc', '"),
        ({"kind": "both"}, ValueError, "', got 'both'"),
        ({"grid": 1}, ValueError, "must be an integer of at least 2, got 1"),
        ({"grid": 10**9}, ValueError, "grid must have at most 10000 points, got"),
        (
            {"grid": [0.5, 0.2]},
            ValueError,
            "grid must be a number of points, or points in increasing order",
        ),
        ({"grid": []}, ValueError, "grid must be a number of points, or points in increasing order"),
        ({"grid": [0.5, 1.2]}, ValueError, r"grid must be a number in \[0, 1\], got 1\.2 \(1\.2%"),
        ({"n_resamples": 1}, ValueError, "n_resamples must be an integer of at least 2,"),
        ({"confidence_level": 2}, ValueError, "confidence_level must be a number strictly"),
    ],
)
def test_wrong_arguments(keywords, error, message):
    with pytest.raises(error, match=message):
        fa.bootstrap_band([1, 0], [0.9, 0.8], **{"n_resamples": 5, **keywords})


DISPLAYS = {
    "arac": fa.displays.ARACDisplay,
    "generalized_rc": fa.displays.GeneralizedRCDisplay,
    "rc": fa.displays.RCDisplay,
    "arp": fa.displays.ARPDisplay,
    "roc": fa.displays.RocCurveDisplay,
}


@pytest.mark.parametrize("curve", DISPLAYS)
def test_displays_draw_bands(curve):
    from matplotlib import pyplot as plt

    correct, confidence = items(60)
    band = fa.bootstrap_band(correct, confidence, curve=curve, n_resamples=30, random_state=0)
    display = DISPLAYS[curve].from_predictions(correct, confidence)
    before = display.ax_.get_ylim()
    assert display.plot_band(band) is display
    after = display.ax_.get_ylim()
    assert after[0] <= before[0] < before[1] <= after[1]
    shown = band.x >= 0.01
    assert after[0] < band.low[shown].min()
    assert band.high[shown].max() < after[1]
    path = display.band_.get_paths()[0].vertices
    assert path[:, 1].min() == pytest.approx(band.low.min())
    assert path[:, 1].max() == pytest.approx(band.high.max())
    color = display.band_.get_facecolor()[0]
    from matplotlib.colors import to_rgb

    assert tuple(color[:3]) == pytest.approx(to_rgb(display.line_.get_color()))
    assert color[3] == pytest.approx(0.2)
    display.plot_band(band, color="red", alpha=0.5)
    assert display.band_.get_facecolor()[0].tolist() == [1, 0, 0, 0.5]
    other = DISPLAYS["rc" if curve != "rc" else "arp"].from_predictions(correct, confidence)
    with pytest.raises(ValueError, match="band must belong to the curve"):
        other.plot_band(band)
    plt.close("all")
