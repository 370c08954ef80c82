"""A metric at every threshold, beside scikit-learn's."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import sklearn.metrics as sk
from hypothesis import given
from hypothesis import strategies as st

import fastarac as fa

pytestmark = pytest.mark.interpreted

METRICS: dict[str, tuple[Any, dict[str, Any]]] = {
    "accuracy": (sk.accuracy_score, {}),
    "f1": (sk.f1_score, {"zero_division": 1.0}),
    "balanced accuracy": (sk.balanced_accuracy_score, {}),
    "Matthews": (sk.matthews_corrcoef, {}),
    "several": (sk.precision_recall_fscore_support, {"average": "macro", "zero_division": 0.0}),
}


@given(data=st.data(), name=st.sampled_from(sorted(METRICS)))
def test_values_of_scikit_learn(data, name):
    """With ties, a single class, and weights among which there are zeros."""
    n = data.draw(st.integers(1, 20))
    some = {"min_size": n, "max_size": n}
    y_true = np.array(data.draw(st.lists(st.integers(0, 1), **some)))
    y_score = np.array(data.draw(st.lists(st.integers(0, 6), **some))) / 8
    weight = None
    if data.draw(st.booleans()):
        weight = np.array(data.draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0]), **some)))
        weight[data.draw(st.integers(0, n - 1))] = 1.0
    metric, params = METRICS[name]
    if name == "several":  # support, the last output, is None with an average
        metric = _first_three
    there = slice(None) if weight is None else weight > 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = fa.metric_at_thresholds(
            y_true, y_score, metric, sample_weight=weight, metric_params=params
        )
        expected, thresholds = sk.metric_at_thresholds(
            y_true[there], y_score[there], metric, metric_params=params,
            sample_weight=None if weight is None else weight[there],
        )  # fmt: skip
    assert found.thresholds.tolist() == thresholds.tolist()
    assert found.metric_values == pytest.approx(expected, rel=1e-12, abs=1e-15, nan_ok=True)


def _first_three(*items: Any, **options: Any) -> Any:
    return sk.precision_recall_fscore_support(*items, **options)[:3]


def test_a_metric_without_weights_sees_every_item():
    def accepted_wrongly(y_true, y_pred):
        assert len(y_true) == len(y_pred) == 4
        return int(((y_pred == 1) & (y_true == 0)).sum())

    items = [0, 0, 1, 1], [0.1, 0.4, 0.4, 0.8]
    assert fa.metric_at_thresholds(*items, accepted_wrongly).metric_values.tolist() == [0, 1, 2]
    with pytest.raises(TypeError, match="sample_weight"):
        fa.metric_at_thresholds(*items, accepted_wrongly, sample_weight=[1, 2, 1, 1])


def test_several_numbers_are_columns():
    found = fa.metric_at_thresholds([0, 1, 1], [0.1, 0.2, 0.3], lambda t, p, sample_weight: (1.0, 2.0))
    assert list(found.to_columns()) == ["metric_values_0", "metric_values_1", "thresholds"]
    assert found.to_columns()["metric_values_1"].tolist() == [2.0, 2.0, 2.0]


@pytest.mark.parametrize(
    ("y_true", "metric", "error", "said"),
    [
        ([-1, 1], sk.accuracy_score, ValueError, r"because predictions are 0 or 1, got \[-1, 1\]"),
        ([0, 1], "accuracy", TypeError, "metric_func must be callable, got str"),
    ],
)
def test_bad_input(y_true, metric, error, said):
    with pytest.raises(error, match=said):
        fa.metric_at_thresholds(y_true, [0.1, 0.2], metric)
