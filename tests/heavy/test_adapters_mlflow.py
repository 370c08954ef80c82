"""Results in a file store of MLflow."""

from __future__ import annotations

import json
from pathlib import Path

import mlflow
import pytest
from mlflow.artifacts import download_artifacts

import fastarac as fa
from fastarac.adapters.mlflow import log_result

CORRECT, CONFIDENCE = [1, 1, 0, 1, 0] * 10, [k / 50 for k in range(50)]


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri(f"file://{tmp_path}/runs")
    mlflow.set_experiment("fastarac")
    return tmp_path


@pytest.mark.filterwarnings("ignore::FutureWarning")  # MLflow prefers databases
def test_figures_are_metrics_of_the_run(store):
    found = fa.evaluate(
        CORRECT, CONFIDENCE, max_error_rate=[0.2], max_risk=[0.3], threshold=[0.5], intervals=True,
        failure_probability=0.1,
    )  # fmt: skip
    with mlflow.start_run() as run:
        logged = log_result(found)
        log_result(fa.arac_curve(CORRECT, CONFIDENCE), "curve")
        log_result(fa.operating_point(CORRECT, CONFIDENCE, max_error_rate=0.2), "point", step=1)
        log_result(fa.operating_point(CORRECT, CONFIDENCE, max_error_rate=0.4), "point", step=2)
    metrics = mlflow.get_run(run.info.run_id).data.metrics
    content = found.to_dict()
    assert {name: metrics[name] for name in logged} == logged
    assert metrics["fastarac/arac_auc"] == content["arac_auc"]
    assert metrics["fastarac/acceptance_rate_low/0.2"] == content["acceptance_rate_low@0.2"]
    assert metrics["fastarac/acceptance_rate/risk_0.3"] == content["acceptance_rate@risk=0.3"]
    assert metrics["fastarac/error_rate/threshold_0.5"] == content["error_rate@threshold=0.5"]
    assert metrics["fastarac/bound/guaranteed/0.2"] == content["bound@guaranteed:0.2"]
    assert len(logged) == sum(value is not None for value in content.values())
    assert not any(name.startswith("curve/") for name in metrics)
    assert metrics["point/acceptance_rate"] > 0
    path = download_artifacts(run_id=run.info.run_id, artifact_path="fastarac.json")
    assert json.loads(Path(path).read_text(encoding="utf-8")) == content
    history = mlflow.MlflowClient().get_metric_history(run.info.run_id, "point/acceptance_rate")
    assert [each.step for each in history] == [1, 2]
    files = {each.path for each in mlflow.MlflowClient().list_artifacts(run.info.run_id)}
    assert files == {"fastarac.json", "curve.json", "point-1.json", "point-2.json"}


def test_other_objects_are_refused():
    with pytest.raises(TypeError, match="result is of type dict; a result of fastarac is expected"):
        log_result({"arac_auc": 1.0})
