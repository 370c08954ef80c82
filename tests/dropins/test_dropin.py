"""The drop-ins beside scikit-learn: the same values and types, errors and warnings on any data."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import reference as ref
from beside_sklearn import AREAS, AVERAGES, CURVES, Outcome, assert_close, assert_identical, both
from hypothesis import given
from hypothesis import strategies as st

import fastarac as fa
from fastarac import threshold_sweep
from fastarac._engine import strategy

pytestmark = pytest.mark.interpreted

PAIRS = [(0, 1), (-1, 1), (False, True), (0.0, 1.0), ("no", "yes"), (1, 2)]
FLOATS = st.floats(-1e6, 1e6)


@st.composite
def weights(draw: Any, n: int) -> np.ndarray | None:
    """None, whole numbers, or floats that do not add up exactly; zeros among them."""
    kind = draw(st.sampled_from(["none", "none", "whole", "float", "balanced"]))
    if kind == "none":
        return None
    weight = {
        "whole": st.integers(0, 3),
        "float": st.floats(1e-3, 1) | st.just(0.0),
        "balanced": st.sampled_from([0.37, 2.1]),
    }[kind]
    drawn = draw(st.lists(weight, min_size=n, max_size=n))
    return np.array(drawn, dtype=draw(st.sampled_from([np.float64, np.float32])))


@st.composite
def binary(draw: Any, pairs: Any = PAIRS) -> tuple[Any, Any, dict[str, Any]]:
    """Labels of two classes of any type, scores of any type with ties, and keywords."""
    n = draw(st.integers(1, 25))
    pair = draw(st.sampled_from(pairs))
    y_true = np.array(draw(st.lists(st.sampled_from(pair), min_size=n, max_size=n)))
    levels = draw(st.lists(FLOATS | st.integers(-3, 3), min_size=1, max_size=12))
    drawn = draw(st.lists(st.sampled_from(levels), min_size=n, max_size=n))
    kinds = [np.float64, np.float64, np.float32, np.int64, np.bool_, object]
    y_score = np.array(drawn, dtype=np.float64).astype(draw(st.sampled_from(kinds)))
    if isinstance(pair[0], str) and draw(st.booleans()):
        y_true = y_true.astype(object)
    shape = draw(st.sampled_from(["array", "array", "list", "column"]))
    if shape == "list":
        y_true = y_true.tolist()
    elif shape == "column":
        y_true = y_true.reshape(-1, 1)
    keywords = {"sample_weight": draw(weights(n))}
    if keywords["sample_weight"] is None and draw(st.booleans()):
        del keywords["sample_weight"]
    return y_true, y_score, keywords


def classes_of(y_true: Any) -> list[Any]:
    return np.unique(np.asarray(y_true)).tolist()


@given(st.data(), binary(), st.sampled_from(CURVES))
def test_curves(data: Any, case: Any, name: str) -> None:
    y_true, y_score, keywords = case
    if data.draw(st.booleans()):
        keywords["pos_label"] = data.draw(st.sampled_from([*classes_of(y_true), None, 7]))
    if name != "confusion_matrix_at_thresholds" and data.draw(st.booleans()):
        keywords["drop_intermediate"] = data.draw(st.booleans())
    assert_identical(*both(name, y_true, y_score, **keywords))


@given(binary(), st.sampled_from([None, 1.0, 0.999, 0.5, 0.3, 1e-6]))
def test_roc_auc_score(case: Any, max_fpr: float | None) -> None:
    y_true, y_score, keywords = case
    weight = keywords.get("sample_weight")
    labels = np.ravel(np.asarray(y_true))
    if weight is not None and max_fpr is not None and len({*labels[weight > 0].tolist()}) < 2:
        return  # scikit-learn stumbles over its own NaN
    assert_close(*both("roc_auc_score", y_true, y_score, max_fpr=max_fpr, **keywords))


@given(st.data(), binary())
def test_average_precision_score(data: Any, case: Any) -> None:
    y_true, y_score, keywords = case
    if data.draw(st.booleans()):
        keywords["pos_label"] = data.draw(st.sampled_from([*classes_of(y_true), 7]))
    assert_close(*both("average_precision_score", y_true, y_score, **keywords))


def negatives_and_positives(y_true: Any, y_score: Any) -> list[tuple[Fraction, bool]]:
    return [(Fraction(float(s)), bool(t)) for t, s in zip(y_true, y_score, strict=True)]


@given(binary(pairs=[(0, 1)]))
def test_unweighted_areas_are_rounded_once(case: Any) -> None:
    y_true, y_score, _ = case
    y_true = np.ravel(y_true)
    if len(set(y_true.tolist())) < 2:
        return
    items = ref.to_items(y_true, y_score.astype(np.float64))
    assert fa.roc_auc_score(y_true, y_score) == ref.round_once(ref.roc_auc(items))
    pairs = negatives_and_positives(y_true, y_score)
    positives = [score for score, label in pairs if label]
    precision = [
        Fraction(sum(s >= score for s in positives), sum(s >= score for s, _ in pairs))
        for score in positives
    ]
    exact = sum(precision, Fraction(0)) / len(positives)
    assert fa.average_precision_score(y_true, y_score) == float(exact)


@st.composite
def matrices(draw: Any, n: int, k: int, element: Any) -> np.ndarray:
    return np.array(draw(st.lists(element, min_size=n * k, max_size=n * k))).reshape(n, k)


@st.composite
def multiclass(draw: Any) -> tuple[Any, np.ndarray, dict[str, Any]]:
    n, k = draw(st.integers(3, 16)), draw(st.integers(3, 5))
    names = draw(st.sampled_from([list(range(k)), list("abcde"[:k]), [x - 1.0 for x in range(k)]]))
    y_true = [*names, *draw(st.lists(st.sampled_from(names), min_size=0, max_size=n))]
    missing = draw(st.integers(0, 9)) == 0
    y_true = np.array(y_true[1:] if missing else y_true)
    scores = draw(matrices(len(y_true), k, st.integers(1, 6))) / 1.0
    scores /= scores.sum(axis=1, keepdims=True)
    keywords: dict[str, Any] = {}
    if draw(st.booleans()):
        keywords["labels"] = names
    return y_true, scores, keywords


@given(multiclass(), st.sampled_from(["ovr", "ovo", "raise"]), st.sampled_from(AVERAGES), st.data())
def test_roc_auc_of_several_classes(case: Any, multi_class: str, average: Any, data: Any) -> None:
    y_true, scores, keywords = case
    if multi_class == "ovr" and data.draw(st.booleans()):
        keywords["sample_weight"] = np.linspace(1, 2, len(y_true))
    if data.draw(st.booleans()):
        y_true = y_true.tolist()
    assert_close(
        *both("roc_auc_score", y_true, scores, multi_class=multi_class, average=average, **keywords)
    )


@given(multiclass(), st.sampled_from(AVERAGES))
def test_average_precision_of_several_classes(case: Any, average: Any) -> None:
    y_true, scores, _ = case
    assert_close(*both("average_precision_score", y_true, scores, average=average))
    weight = np.linspace(1, 2, len(y_true))
    assert_close(
        *both("average_precision_score", y_true, scores, average=average, sample_weight=weight)
    )


@given(st.data(), st.sampled_from(AVERAGES), st.sampled_from(AREAS))
def test_labels_in_columns(data: Any, average: Any, name: str) -> None:
    n, k = data.draw(st.integers(1, 12)), data.draw(st.integers(2, 5))
    pair = data.draw(st.sampled_from([(0, 1), (0, 1), (-1, 1), (False, True), (0.0, 1.0), (1, 2)]))
    y_true = data.draw(matrices(n, k, st.sampled_from(pair)))
    scores = data.draw(matrices(n, k, st.integers(0, 5)))
    keywords: dict[str, Any] = {"average": average}
    if data.draw(st.booleans()):
        keywords["sample_weight"] = np.linspace(1, 2, n)
    if name == "roc_auc_score" and data.draw(st.booleans()):
        keywords["max_fpr"] = 0.4
    if 2 in pair and "sample_weight" in keywords:
        del keywords["sample_weight"]  # scikit-learn then calls the labels 1.0 and 2.0
    dtype = data.draw(st.sampled_from([np.int64, np.float32, np.float64, np.uint8]))
    assert_close(*both(name, y_true, scores.astype(dtype), **keywords))


@given(st.data(), st.sampled_from(["dcg_score", "ndcg_score"]), st.booleans())
def test_rankings(data: Any, name: str, ignore_ties: bool) -> None:
    n, k = data.draw(st.integers(1, 8)), data.draw(st.integers(1, 7))
    gains = data.draw(matrices(n, k, st.integers(0, 4) | st.floats(0, 4)))
    scores = data.draw(matrices(n, k, st.integers(-2, 2)))
    scores = scores.astype(data.draw(st.sampled_from([np.int64, np.float64, np.float32])))
    keywords: dict[str, Any] = {"ignore_ties": ignore_ties}
    keywords["k"] = data.draw(st.none() | st.integers(1, 8))
    if name == "dcg_score":
        keywords["log_base"] = data.draw(st.sampled_from([2, 10, 2.5]))
    if data.draw(st.booleans()):
        keywords["sample_weight"] = np.linspace(1, 2, n)
    assert_close(*both(name, gains, scores, **keywords))


@given(st.data(), st.sampled_from([None, "linear", "quadratic"]))
def test_cohen_kappa_score(data: Any, cost: str | None) -> None:
    names = data.draw(
        st.sampled_from([[0, 1, 2], [-4, 7, 90_000], ["a", "b", "c", "d"], [False, True]])
    )
    n = data.draw(st.integers(1, 20))
    raters = [
        np.array(data.draw(st.lists(st.sampled_from(names), min_size=n, max_size=n))) for _ in range(2)
    ]
    keywords: dict[str, Any] = {"weights": cost}
    if data.draw(st.booleans()):
        keywords["sample_weight"] = data.draw(weights(n))
    if data.draw(st.booleans()):
        keywords["labels"] = data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=5))
    if data.draw(st.booleans()):
        keywords["replace_undefined_by"] = 0.5
    assert_close(*both("cohen_kappa_score", *raters, **keywords))


@given(st.lists(st.tuples(st.integers(0, 9), FLOATS), min_size=0, max_size=15), st.data())
def test_auc(points: Any, data: Any) -> None:
    way = data.draw(st.sampled_from(["up", "down", "any"]))
    if way != "any":
        points = sorted(points, key=lambda point: point[0], reverse=way == "down")
    x, y = np.array(points, dtype=np.float64).reshape(-1, 2).T
    dtype = data.draw(st.sampled_from([np.float64, np.float32, np.int64]))
    ours, theirs = both("auc", x.astype(dtype), y.astype(dtype))
    assert (ours is None) == (theirs is None)
    if ours is not None:
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-9)


# --- The three ways of sorting -------------------------------------------------------------------


@pytest.fixture(params=["buckets", "counted"])
def big(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Labels and scores that are taken for many, and are sorted by several threads."""
    small = replace(strategy.sizes, single=32, buckets_of=16, per_thread=64)
    monkeypatch.setattr(strategy, "sizes", small)
    monkeypatch.setenv("FASTARAC_NUM_THREADS", "3")
    rng = np.random.default_rng(3)
    n = 700
    scores = rng.normal(size=n) if request.param == "buckets" else rng.integers(-3, 4, n) / 2
    return (rng.random(n) < 1 / (1 + np.exp(-scores))).astype(np.int64), scores


@pytest.mark.compiled
@pytest.mark.parametrize("weight", [None, 0.1, "random", "balanced"])
def test_many_items(big: Any, weight: Any) -> None:
    y_true, y_score = big
    rng = np.random.default_rng(4)
    n = len(y_true)
    sample_weight = {
        "random": rng.random(n) * (rng.random(n) < 0.7),
        "balanced": np.where(y_true, 0.37, 2.1),
        0.1: np.full(n, 0.1),
    }.get(weight)
    for name in CURVES:
        options = [{}, {"drop_intermediate": True}, {"drop_intermediate": False}]
        for option in options[:1] if name == "confusion_matrix_at_thresholds" else options:
            assert_identical(*both(name, y_true, y_score, sample_weight=sample_weight, **option))
    for name in AREAS:
        assert_close(*both(name, y_true, y_score, sample_weight=sample_weight))
    assert_close(*both("roc_auc_score", y_true, y_score, sample_weight=sample_weight, max_fpr=0.2))


@pytest.mark.slow
def test_many_items_in_several_columns(big: Any) -> None:
    label, score = big
    rng = np.random.default_rng(5)
    scores = np.abs(np.column_stack([score, -score, rng.normal(size=(len(label), 3))])) + 0.01
    scores /= scores.sum(axis=1, keepdims=True)
    classes = rng.integers(0, scores.shape[1], len(label))
    for options in ({"multi_class": "ovr"}, {"multi_class": "ovo", "average": "weighted"}):
        assert_close(*both("roc_auc_score", classes, scores, **options))
    for name in AREAS:
        labels = (rng.random(scores.shape) < scores * 2.5).astype(np.int64)
        labels[:, 0] = 1 - label
        for average in AVERAGES:
            assert_close(*both(name, labels, scores, average=average))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("name", CURVES + AREAS)
def test_scores_that_are_not_finite_among_many(big: Any, name: str, bad: float) -> None:
    y_true, y_score = big[0], big[1].copy()
    y_score[411] = bad
    assert both(name, y_true, y_score) == (None, None)


def test_integers_that_no_float_holds() -> None:
    y_true, y_score = [0, 1, 0, 1], np.array([2**53 + 1, 2**53, 2**62, -(2**62) - 1])
    for name in CURVES:
        assert_identical(*both(name, y_true, y_score))
    assert both("roc_auc_score", y_true, y_score) == (0.0, 0.0)


# --- Sweeps --------------------------------------------------------------------------------------


@given(binary(pairs=[(0, 1)]), st.booleans())
def test_a_sweep_stands_for_labels_and_scores(case: Any, drop: bool) -> None:
    y_true, y_score, _ = case
    y_true, y_score = np.ravel(y_true), y_score.astype(np.float64)
    sweep = threshold_sweep(y_true, y_score)
    for name in CURVES:
        options = {} if name == "confusion_matrix_at_thresholds" else {"drop_intermediate": drop}
        ours = Outcome(fa, name, sweep, **options)
        expected = Outcome(fa, name, y_true, y_score, **options)
        assert (ours.error, ours.warnings) == (expected.error, expected.warnings)
        assert_identical(ours.value, expected.value)
    for name, options in (*((name, {}) for name in AREAS), ("roc_auc_score", {"max_fpr": 0.3})):
        ours = Outcome(fa, name, sweep, **options)
        expected = Outcome(fa, name, y_true, y_score, **options)
        assert ours.warnings == expected.warnings
        np.testing.assert_equal(ours.value, expected.value)


@pytest.mark.parametrize("name", CURVES + AREAS)
@pytest.mark.parametrize("beside", ["y_score", "sample_weight"])
def test_a_sweep_is_given_alone(name: str, beside: str) -> None:
    sweep = threshold_sweep([1, 0, 1], [0.3, 0.2, 0.1])
    with pytest.raises(TypeError, match=f"{beside} cannot go with a ThresholdSweep"):
        getattr(fa, name)(sweep, **{beside: [1, 2, 3]})


def test_a_sweep_of_integers_that_no_float_holds() -> None:
    sweep = threshold_sweep([0, 1], np.array([2**62, 2**62 + 1]))
    assert fa.precision_recall_curve(sweep).thresholds.tolist() == [2**62, 2**62 + 1]
    assert fa.roc_curve(sweep).thresholds.dtype == np.float64


def test_kappa_of_many_labels_is_exact() -> None:
    rng = np.random.default_rng(0)
    first = rng.integers(0, 50, 2000)
    second = np.where(rng.random(2000) < 0.6, first, rng.integers(0, 50, 2000))
    table = np.zeros((50, 50), object)
    for a, b in zip(first.tolist(), second.tolist(), strict=True):
        table[a, b] += 1
    position = np.arange(50)
    distance = np.abs(position - position[:, None]).astype(object)
    costs = {None: (distance > 0).astype(int).astype(object), "linear": distance}
    costs["quadratic"] = distance**2
    for weights_, cost in costs.items():
        chance = (cost * np.outer(table.sum(axis=1), table.sum(axis=0))).sum()
        exact = 1 - Fraction(2000 * (cost * table).sum(), chance)
        assert fa.cohen_kappa_score(first, second, weights=weights_) == float(exact)
