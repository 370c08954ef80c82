"""Displays of counts in bins: a band between the curves of the worst and of the best order."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib import pyplot as plt

import fastarac as fa
from fastarac.frames import BoundedSweep

RNG = np.random.default_rng(6)
CONFIDENCE = RNG.random(2000)
CORRECT = RNG.random(2000) < 0.4 + 0.6 * CONFIDENCE
EDGES = np.linspace(0, 1, 13)
COUNTS = [np.histogram(CONFIDENCE[kind == CORRECT], EDGES)[0] for kind in (True, False)]
BINS = BoundedSweep.from_bins(EDGES, *COUNTS)
ITEMS = fa.threshold_sweep(CORRECT, CONFIDENCE)
AREAS = {
    "ARACDisplay": "arac_auc",
    "ARPDisplay": "arp_auc",
    "RCDisplay": "aurc",
    "GeneralizedRCDisplay": "augrc",
    "RocCurveDisplay": "roc_auc",
    "PrecisionRecallDisplay": "average_precision",
    "DetCurveDisplay": None,
    "CostCurveDisplay": None,
    "RejectionCostDisplay": None,
}


@pytest.mark.parametrize("name", AREAS)
def test_the_curve_of_the_items_is_inside_the_band(name):
    kind = getattr(fa.displays, name)
    display = kind.from_sweep(BINS, name="bins")
    assert display.line_.get_label() == "bins"
    (path,) = display.band_.get_paths()
    items = kind.from_sweep(ITEMS, ax=display.ax_)
    points = np.column_stack(items.line_.get_data())[1:]
    if name == "PrecisionRecallDisplay":
        points = points[:-1]  # the end at recall 0, precision 1, which no threshold has
    if name == "DetCurveDisplay":  # without its ends, which are infinitely far away
        points = points[np.abs(points).max(axis=1) < 4]
    inside = path.contains_points(points, radius=1e-9) | path.contains_points(points, radius=-1e-9)
    assert inside.all()
    said = display.band_.get_label()
    if AREAS[name] is None:
        assert said == ("EER between 0.3081 and 0.3549" if "Det" in name else "between the bounds")
    else:
        low, high = getattr(BINS, AREAS[name])
        assert low < high
        assert said.endswith(str(getattr(BINS, AREAS[name])))
    assert display.band_.get_label() in [t.get_text() for t in display.ax_.get_legend().get_texts()]
    plt.close(display.figure_)


def test_exact_counts_have_their_area_in_the_legend():
    exact = BoundedSweep.from_bins([0, 1, 2], [1, 2], [1, 0], single_valued=[True, True])
    display = fa.displays.ARACDisplay.from_sweep(exact, max_error_rate=0.1)
    assert display.band_.get_label() == f"ARAC-AUC = {exact.arac_auc.low:.6g}"
    plt.close(display.figure_)


def test_the_equal_error_rate_of_the_items_is_between_those_of_the_orders():
    display = fa.displays.DetCurveDisplay.from_sweep(BINS, pos_label="right")
    assert 0.3081 < fa.equal_error_rate(CORRECT, CONFIDENCE).rate < 0.3549
    assert display.ax_.get_xlabel() == "False Positive Rate (Positive label: right)"
    plt.close(display.figure_)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("ConfusionDisplay", {}),
        ("ROCHullDisplay", {}),
        ("AccuracyRejectionCostDisplay", {"costs": fa.VerificationCosts(1, 1, 4)}),
    ],
)
def test_what_has_no_band_refuses_bounds(name, options):
    with pytest.raises(
        TypeError, match=rf"sweep is a BoundedSweep, but {name} draws only a ThresholdSweep"
    ):
        getattr(fa.displays, name).from_sweep(BINS, **options)
    with pytest.raises(TypeError, match="cannot go with a BoundedSweep: use a ThresholdSweep"):
        fa.displays.CostCurveDisplay.from_sweep(BINS, confidence_level=0.95)
    with pytest.raises(ValueError, match="sweep has no correct item"):
        fa.displays.PrecisionRecallDisplay.from_sweep(BoundedSweep.from_bins([0, 1], [0], [2]))
    plt.close("all")
