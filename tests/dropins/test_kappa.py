"""Cohen's kappa of the cells of a table, each with its count as a weight."""

from __future__ import annotations

import math

import numpy as np
import pytest
import reference_measures as ref
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import cohen_kappa_score, confusion_matrix

import fastarac as fa

pytestmark = [
    pytest.mark.interpreted,
    pytest.mark.filterwarnings("ignore:A single label was found"),
]

WEIGHTS = [None, "linear", "quadratic"]


def square(dtype, elements):
    return st.integers(1, 5).flatmap(lambda k: arrays(dtype, (k, k), elements=elements))


def kappa(table, weights=None):
    one, other = np.indices(np.shape(table)).reshape(2, -1)
    return fa.cohen_kappa_score(one, other, weights=weights, sample_weight=np.ravel(table))


def test_slides():
    assert kappa([[0.6, 0], [0, 0.4]]) == 1
    assert kappa([[0.25, 0.25], [0.25, 0.25]]) == 0


@pytest.mark.parametrize("weights", WEIGHTS)
@given(table=square(np.int64, st.integers(0, 5) | st.integers(0, 2**40)).filter(np.any))
def test_whole_counts_are_rounded_once(weights, table):
    expected = ref.kappa(table.tolist(), weights)
    if expected is None:
        with pytest.warns(fa.UndefinedMetricWarning, match="only one label in common"):
            assert math.isnan(kappa(table, weights))
    else:
        assert kappa(table, weights) == ref.rounded(expected)


@pytest.mark.parametrize("weights", WEIGHTS)
@given(table=square(np.float64, st.floats(0.01, 1e6)).filter(lambda table: len(table) > 1))
def test_shares(weights, table):
    expected = ref.rounded(ref.kappa(table.tolist(), weights))
    assert kappa(table, weights) == pytest.approx(expected, rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_beside_scikit_learn(weights):
    rng = np.random.default_rng(0)
    one = rng.integers(0, 5, 400)
    other = np.clip(one + rng.integers(-1, 2, 400), 0, 4)
    found = kappa(confusion_matrix(one, other), weights)
    assert found == pytest.approx(cohen_kappa_score(one, other, weights=weights), rel=1e-13)
    assert found == fa.cohen_kappa_score(one, other, weights=weights)


def test_two_classes_are_a_confusion_table():
    found = kappa([[70, 20], [30, 80]])
    assert found == fa.measures.confusion_measures(70, 20, 30, 80).kappa == 0.5
