"""What is said where an optional package is not installed."""

from __future__ import annotations

import re
import sys

import pytest

import fastarac as fa
from fastarac.displays import draw_curves
from fastarac.io import read_outputs

ITEMS = [1, 0, 1], [0.9, 0.5, 0.4]
SWEEP = fa.threshold_sweep(*ITEMS)
IO_ADVICE = re.escape('duckdb is not installed; in the source folder run: pip install ".[cli]"')
ADVICE = re.escape('matplotlib is not installed; in the source folder run: pip install ".[plot]"')
DISPLAYS = [
    fa.displays.ARACDisplay,
    fa.displays.ARPDisplay,
    fa.displays.ConfusionDisplay,
    fa.displays.DetCurveDisplay,
    fa.displays.GeneralizedRCDisplay,
    fa.displays.PrecisionRecallDisplay,
    fa.displays.RCDisplay,
    fa.displays.RocCurveDisplay,
]


def test_files_without_duckdb(tmp_path, monkeypatch):
    path = tmp_path / "f.csv"
    path.write_text("correct,confidence\n1,1\n")
    assert len(read_outputs(path)) == 1
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(ModuleNotFoundError, match=IO_ADVICE) as caught:
        read_outputs(path)
    assert caught.value.name == "duckdb"


@pytest.mark.parametrize("display", DISPLAYS, ids=lambda display: display.__name__)
def test_pictures_without_matplotlib(display, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for draw in (lambda: display.from_predictions(*ITEMS), lambda: display.from_sweep(SWEEP)):
        with pytest.raises(ModuleNotFoundError, match=ADVICE) as caught:
            draw()
        assert caught.value.name == "matplotlib"


def test_several_curves_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ModuleNotFoundError, match=ADVICE):
        draw_curves({"model": SWEEP})


def test_pictures_of_other_things_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    costs = fa.VerificationCosts(1.0, 1.0, 2.0)
    with pytest.raises(ModuleNotFoundError, match=ADVICE):
        fa.displays.AccuracyRejectionCostDisplay.from_predictions(*ITEMS, costs=costs)
    preferences = fa.costs.preference_map({"a": SWEEP, "b": SWEEP}, gammas=[1.0], deltas=[0.0, 1.0])
    with pytest.raises(ModuleNotFoundError, match=ADVICE):
        fa.displays.PreferenceMapDisplay(preferences).plot()


@pytest.mark.parametrize(("adapter", "extra"), [("torchmetrics", "torch"), ("inspect_ai", "adapters")])
def test_adapters_without_their_packages(adapter, extra, monkeypatch):
    monkeypatch.delitem(sys.modules, f"fastarac.adapters.{adapter}", raising=False)
    monkeypatch.setitem(sys.modules, adapter, None)
    advice = rf'{adapter} is not installed; in the source folder run: pip install "\.\[{extra}\]"'
    with pytest.raises(ModuleNotFoundError, match=advice):
        getattr(fa.adapters, adapter)


def test_adapters_that_import_nothing(monkeypatch):
    for package in ("mlflow", "lm_eval"):
        monkeypatch.setitem(sys.modules, package, None)
    sample = {"doc_id": 0, "acc": 1.0, "filtered_resps": [(-0.1, True), (-0.1, False)]}
    found = fa.adapters.lm_eval.outputs({"samples": {"quiz": [sample]}})
    assert found.confidence.tolist() == [0.5]
    with pytest.raises(ModuleNotFoundError, match="mlflow is not installed"):
        fa.adapters.mlflow.log_result(fa.evaluate(SWEEP))
