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
    assert metrics["fastarac/acceptance_rate_low/0.2"] == content["acceptance_rate_low/0.2"]
    assert metrics["fastarac/acceptance_rate/risk/0.3"] == content["acceptance_rate/risk/0.3"]
    assert metrics["fastarac/error_rate/threshold/0.5"] == content["error_rate/threshold/0.5"]
    assert metrics["fastarac/bound/guaranteed/0.2"] == content["bound/guaranteed/0.2"]
    assert len(logged) == sum(value is not None for value in content.values())
    assert not any(name.startswith("curve/") for name in metrics)
    assert metrics["point/acceptance_rate"] > 0
    path = download_artifacts(run_id=run.info.run_id, artifact_path="fastarac.json")
    assert json.loads(Path(path).read_text(encoding="utf-8")) == content
    history = mlflow.MlflowClient().get_metric_history(run.info.run_id, "point/acceptance_rate")
    assert [each.step for each in history] == [1, 2]
    files = {each.path for each in mlflow.MlflowClient().list_artifacts(run.info.run_id)}
    assert files == {"fastarac.json", "curve.json", "point-1.json", "point-2.json"}


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_groups_have_metrics_of_their_own(store):
    fields = ["name", "date: due"] * 25
    found = fa.evaluate_groups(CORRECT, CONFIDENCE, by=fields, max_error_rate=0.2)
    alone = fa.evaluate(CORRECT[::2], CONFIDENCE[::2], max_error_rate=[0.2])
    with mlflow.start_run() as run:
        logged = log_result(found)
        each = log_result({"name": alone, 7: alone}, "each")
        numbers = list(range(450))
        many = fa.evaluate_groups(CORRECT * 9, CONFIDENCE * 9, by=numbers, threshold=0.5)
        of_many = log_result(many, "many", step=3)
    assert logged["fastarac/arac_auc/group/name"] == found["arac_auc"][1]
    assert logged["fastarac/acceptance_rate/0.2/group/date__due"] == found["acceptance_rate/0.2"][0]
    assert not any("keeps_limit" in metric for metric in logged)
    assert each["each/acceptance_rate/0.2/group/name"] == alone.to_dict()["acceptance_rate/0.2"]
    assert each["each/arac_auc/group/7"] == alone.arac.auc
    assert len(of_many) > 1000  # MLflow takes no more at a time
    metrics = mlflow.get_run(run.info.run_id).data.metrics
    expected = logged | each | of_many
    assert {name: metrics[name] for name in expected} == expected
    path = download_artifacts(run_id=run.info.run_id, artifact_path="each.json")
    content = alone.to_dict()
    assert json.loads(Path(path).read_text(encoding="utf-8")) == {"name": content, "7": content}


@pytest.mark.parametrize("given", [{"arac_auc": 1.0}, {}, 1.0])
def test_other_objects_are_refused(given):
    expected = "must be a result of fastarac, or a mapping of results"
    with pytest.raises(TypeError, match=expected):
        log_result(given)


def test_groups_of_one_name_are_refused():
    found = fa.evaluate_groups([1, 1], [0.5, 0.6], by=["a@b", "a_b"], metrics="n")
    with pytest.raises(ValueError, match="groups 'a@b' and 'a_b' have the same key, 'a_b'; rename"):
        log_result(found)
