"""The drop-ins beside scikit-learn: signatures, errors, warnings, and columns of other kinds."""

from __future__ import annotations

import inspect
import re
from typing import Any

import numpy as np
import pytest
from beside_sklearn import (
    AREAS,
    AVERAGES,
    CURVES,
    Outcome,
    assert_close,
    assert_identical,
    both,
    metrics,
)

import fastarac as fa
from fastarac import ThresholdSweep, UndefinedMetricWarning, threshold_sweep


@pytest.mark.parametrize("name", [*CURVES, *AREAS, "auc", "dcg_score", "ndcg_score"])
def test_signatures(name: str) -> None:
    ours, theirs = (inspect.signature(getattr(owner, name)) for owner in (fa, metrics))
    assert [(p.name, p.kind) for p in ours.parameters.values()] == [
        (p.name, p.kind) for p in theirs.parameters.values()
    ]
    for parameter in theirs.parameters.values():
        if parameter.default is not parameter.empty:
            assert ours.parameters[parameter.name].default == parameter.default


def test_positions_that_will_end() -> None:
    curve, expected = both("confusion_matrix_at_thresholds", [0, 1], [0.2, 0.1], 0, [1, 2])
    assert_identical(curve, expected)
    with pytest.raises(TypeError):
        fa.confusion_matrix_at_thresholds([0, 1], [0.2, 0.1], None, None, None)


Y, S = [0, 1, 1, 0], [0.1, 0.4, 0.35, 0.8]
P3 = np.array([[0.7, 0.2, 0.1], [0.2, 0.5, 0.3], [0.5, 0.1, 0.4], [0.3, 0.3, 0.4]])
WRONG: list[tuple[Any, Any, dict[str, Any]]] = [
    (Y, S[:3], {}),
    (Y, S, {"sample_weight": [1, 2]}),
    (Y, S, {"sample_weight": [0, 0, 0, 0]}),
    (Y, S, {"sample_weight": [1, 2, np.nan, 1]}),
    (Y, S, {"sample_weight": [1, 2, np.inf, 1]}),
    (Y, S, {"sample_weight": [[1, 2, 3, 4]]}),
    (Y, S, {"sample_weight": 2.0}),
    (Y, [0.1, np.nan, 0.3, 0.4], {}),
    (Y, [0.1, np.inf, 0.3, 0.4], {}),
    (Y, np.array([0.1, -np.inf, 0.3, 0.4], np.float32), {}),
    (Y, [0.1, 0.2j, 0.3, 0.4], {}),
    (Y, np.reshape(S, (2, 2)), {}),
    (Y, np.tile(S, (2, 1)).T, {}),
    (Y, np.reshape(S, (4, 1, 1)), {}),
    (Y, 0.5, {}),
    (Y, "scores", {}),
    (Y, np.array(0.5), {}),
    (0, S, {}),
    ("label", S, {}),
    ({0, 1}, S, {}),
    ([[0], [1, 0], [1], [0]], S, {}),
    ([b"a", b"b", b"a", b"a"], S, {}),
    ([0, 1, 2, 0], np.array(S), {}),
    ([0.5, 1.5, 0.5, 1], S, {}),
    ([0.5, 1, 0.5, 1], S, {}),
    ([0, 1, np.inf, 1], S, {}),
    (np.array([0, 1, 1, 1], object), S, {}),
    (np.array(["a", "b", "a", "b"]), [[x] for x in S], {}),
    (np.zeros((2, 2, 2)), S, {}),
    (np.array([[0, 1], [1, 0]]), S[:2], {}),
    (np.array([[0, 1], [1, 0]]), [[0.1, 0.2]], {}),
    (np.array([[0, 1], [1, 0]]), [[0.1, 0.2, 0.3]] * 2, {}),
    (Y, np.array([0.1, np.nan, 0.3, 0.4], object), {}),
    (np.array([[0, 1], [1, 2]]), [[0.1, 0.2]] * 2, {}),
    (np.array([[0.5, 1], [1, 2]]), [[0.1, 0.2]] * 2, {}),
    (np.zeros((0, 2), int), np.zeros((0, 2)), {}),
]


@pytest.mark.parametrize("name", CURVES + AREAS)
@pytest.mark.parametrize("case", range(len(WRONG)))
def test_errors(name: str, case: int) -> None:
    y_true, y_score, keywords = WRONG[case]
    assert_close(*both(name, y_true, y_score, **keywords))


@pytest.mark.parametrize("name", [*CURVES, "roc_auc_score"])
def test_labels_of_no_kind(name: str) -> None:
    assert both(name, np.array([0, None, 1, 1], object), S) == (None, None)


@pytest.mark.parametrize(
    ("name", "arguments", "keywords"),
    [
        *((name, (Y, S), {"pos_label": [1]}) for name in [*CURVES, "average_precision_score"]),
        *((name, (Y, S), {"drop_intermediate": 1}) for name in CURVES[:3]),
        ("average_precision_score", (Y, S), {"pos_label": None}),
        ("average_precision_score", (Y, S), {"pos_label": 3}),
        ("average_precision_score", (["a", "b", "a", "a"], S), {}),
        ("average_precision_score", ([0, 1, 2, 0], P3), {"pos_label": 2}),
        ("average_precision_score", ([0, 1, 2, 0], P3[:, :2]), {}),
        ("average_precision_score", ([[0, 1], [1, 0]], P3[:2, :2]), {"pos_label": 0}),
        *(
            ("roc_auc_score", ([[0, 2], [2, 0]], P3[:2, :2]), {"average": average})
            for average in AVERAGES
        ),
        *(
            ("roc_auc_score", ([[0, 1], [1, 0]], P3[:2]), {"average": average})
            for average in ("micro", "samples")
        ),
        *(("roc_auc_score", (Y, S), {"max_fpr": x}) for x in (0, -1, 1.1, np.nan, "x")),
        ("roc_auc_score", ([0, 1, 2, 0], P3), {}),
        ("roc_auc_score", ([0, 1, 2, 0], P3), {"multi_class": "ovr", "max_fpr": 0.5}),
        ("roc_auc_score", ([0, 1, 2, 0], P3 * 2), {"multi_class": "ovr"}),
        ("roc_auc_score", ([0, 1, 2, 0], S), {"multi_class": "ovr"}),
        ("roc_auc_score", ([0, 1, 2, 3], P3), {"multi_class": "ovr"}),
        ("roc_auc_score", ([0, 1, 2, 3], P3), {"multi_class": "ovo", "labels": [0, 1, 2]}),
        ("roc_auc_score", ([0, 1, 2, 0], P3), {"multi_class": "ovo", "labels": [0, 2, 1]}),
        ("roc_auc_score", ([0, 1, 2, 0], P3), {"multi_class": "ovo", "labels": [0, 1, 1]}),
        ("roc_auc_score", ([0, 1, 2, 0], P3), {"multi_class": "ovr", "labels": [0, 1]}),
        ("roc_auc_score", ([0, 1, 2, 0], P3), {"multi_class": "ovo", "average": None}),
        ("roc_auc_score", ([0, 1, 2, 0], P3), {"multi_class": "ovo", "average": "micro"}),
        ("roc_auc_score", ([0, 1, 2, 0], P3), {"multi_class": "ovr", "average": "samples"}),
        ("roc_auc_score", ([0, 1, 2, 0], P3), {"multi_class": "ovo", "sample_weight": [1] * 4}),
        ("roc_auc_score", ([0, 1, 2], P3), {"multi_class": "ovo"}),
        ("roc_auc_score", ([0, 1, 2], P3), {"multi_class": "ovr"}),
        ("roc_auc_score", (Y, ["a", "b", "c", "d"]), {}),
        ("roc_auc_score", ([], []), {}),
        ("auc", ([1, 2], [1, 2, 3]), {}),
        ("auc", ([1], [2]), {}),
        ("auc", (1, [2]), {}),
        ("auc", ([1.0, 3.0, 2.0], [1.0, 2.0, 3.0]), {}),
        ("auc", ([1, 3, 2], [1, 2, 3]), {}),
        ("auc", ([[1, 2]], [1]), {}),
        *((name, ([[1, 0]], [[1, np.nan]]), {}) for name in ("dcg_score", "ndcg_score")),
        *((name, ([[1, 0]], [["a", "b"]]), {}) for name in ("dcg_score", "ndcg_score")),
        *((name, ([1, 0], [1, 2]), {}) for name in ("dcg_score", "ndcg_score")),
        *((name, ([0.5, 0], [1, 2]), {}) for name in ("dcg_score", "ndcg_score")),
        *((name, ([[1]], [[1]]), {}) for name in ("dcg_score", "ndcg_score")),
        *((name, ([[1, 0]], [[1, 2]] * 2), {}) for name in ("dcg_score", "ndcg_score")),
        *((name, ([[1, 0]], [[1, 2]]), {"k": 0}) for name in ("dcg_score", "ndcg_score")),
        *((name, ([[1, 0]], [[1, 2]]), {"k": 1.5}) for name in ("dcg_score", "ndcg_score")),
        *((name, ([[1, 0]], [[1, 2]]), {"ignore_ties": 1}) for name in ("dcg_score", "ndcg_score")),
        ("dcg_score", ([[1, 0]], [[1, 2]]), {"log_base": 0}),
        ("ndcg_score", ([[1, -1]], [[1, 2]]), {}),
        ("cohen_kappa_score", ([1, 2], [1, 2, 3]), {}),
        ("cohen_kappa_score", ([], []), {}),
        ("cohen_kappa_score", ([1, 2], ["a", "b"]), {}),
        ("cohen_kappa_score", ([1.5, 2], [1, 2]), {}),
        ("cohen_kappa_score", ([1.5, 2], [1.5, 2]), {}),
        ("cohen_kappa_score", ([[0, 1]] * 2, [[0, 1]] * 2), {}),
        ("cohen_kappa_score", ([1, 2], [1, 2]), {"labels": []}),
        ("cohen_kappa_score", ([1, 2], [1, 2]), {"labels": [3]}),
        ("cohen_kappa_score", ([1, 2], [1, 2]), {"sample_weight": [0, 0]}),
        ("cohen_kappa_score", ([1, 2], [1, 2]), {"sample_weight": [[1], [2]]}),
        ("cohen_kappa_score", ([1, 2], [1, 2]), {"sample_weight": [1, np.nan]}),
        ("cohen_kappa_score", ([1, 2], [1, 2]), {"replace_undefined_by": 2}),
        ("cohen_kappa_score", ([1, 2], [1, 2]), {"replace_undefined_by": None}),
    ],
)
def test_more_errors(name: str, arguments: Any, keywords: dict[str, Any]) -> None:
    assert both(name, *arguments, **keywords) == (None, None)
    ours = Outcome(fa, name, *arguments, **keywords)
    assert ours.error is not None


@pytest.mark.parametrize("name", [*AREAS, "cohen_kappa_score"])
def test_words_that_are_no_options(name: str) -> None:
    option = "weights" if name == "cohen_kappa_score" else "average"
    errors = [Outcome(owner, name, Y, Y, **{option: "mean"}).error for owner in (fa, metrics)]
    # scikit-learn lists the options in any order
    ours, theirs = ((kind, sorted(re.findall(r"\w+", text))) for kind, text in errors)
    assert ours == theirs


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
def test_the_matrix_class_is_refused() -> None:
    for name in AREAS:
        assert both(name, Y, np.matrix(S).T) == (None, None)


def test_sparse_matrices_are_refused() -> None:
    sparse = pytest.importorskip("scipy.sparse").csr_array([[0, 1], [1, 0]])
    for name in AREAS:
        assert both(name, sparse, [[0.1, 0.2]] * 2) == (None, None)


def test_masked_values_are_refused() -> None:
    masked = np.ma.array(S, mask=[0, 1, 0, 0])
    with pytest.raises(ValueError, match="1 masked"):
        fa.roc_curve(Y, masked)


@pytest.mark.parametrize("name", AREAS)
def test_fewer_columns_than_labels(name: str) -> None:
    with pytest.raises(ValueError, match="must have 2 columns, as y_true has, got 1"):
        getattr(fa, name)(np.array([[0, 1], [1, 0]]), [[0.1], [0.2]])


def test_shapes_that_do_not_match() -> None:
    for name in ("dcg_score", "ndcg_score"):
        with pytest.raises(ValueError, match=r"y_score must have the shape of y_true, \(1, 2\),"):
            getattr(fa, name)([[1, 0]], [[1, 2, 3]])


@pytest.mark.parametrize("name", [*CURVES, *AREAS])
def test_nothing_to_count(name: str) -> None:
    with pytest.raises(ValueError, match=r"Found array with 0 sample"):
        getattr(fa, name)([], [])


@pytest.mark.parametrize("name", CURVES)
def test_scores_that_are_words(name: str) -> None:
    with pytest.raises(TypeError, match="y_score must hold numbers, got type <U1"):
        getattr(fa, name)(Y, ["1", "2", "3", "4"])


def test_a_class_among_several() -> None:
    for name in ("roc_curve", "precision_recall_curve", "confusion_matrix_at_thresholds"):
        for label in (0, 2, "q"):
            assert_identical(*both(name, [0, 1, 2, 1], S, pos_label=label))
        assert_identical(*both(name, ["a", "b", "c", "b"], S, pos_label="b"))


def test_kappa_without_a_label_in_common() -> None:
    raters = [1, 1, 2], [3, 3, 3]
    for weight in (None, [0.5, 0.2, 0.1], [1, 2, 3]):
        options: dict[str, Any] = {"labels": [1, 2], "sample_weight": weight}
        assert_close(*both("cohen_kappa_score", *raters, **options))
    options = {"labels": [1, 2], "sample_weight": [0.0, 0.0, 1.5]}
    assert_close(*both("cohen_kappa_score", [1, 2, 3], [1, 2, 3], **options))


def test_weights_of_columns() -> None:
    labels, weight = np.array([[0, 1], [1, 0], [1, 1]]), [1, 2, 3]
    for name in AREAS:
        for average in AVERAGES:
            options: dict[str, Any] = {"average": average, "sample_weight": weight}
            assert_close(*both(name, labels, P3[:3, :2], **options))
    assert_close(*both("roc_auc_score", labels, P3[:3, :2], average="weighted", max_fpr=0.5))
    rows = np.array([[0, 1, 0], [1, 0, 1]])
    assert_close(*both("roc_auc_score", rows, P3[:2], average="samples", max_fpr=0.5))


def test_weights_below_zero() -> None:
    weight = [1.0, -0.5, 2.0, 1.0]
    for name in CURVES[:2]:
        assert_identical(*both(name, Y, S, sample_weight=weight))
    assert_close(*both("roc_auc_score", Y, S, sample_weight=weight))
    assert_close(*both("roc_auc_score", Y, S, sample_weight=[1.0, 1.0, -0.5, 1.0]))
    assert_close(*both("roc_auc_score", Y, S, sample_weight=[1.0, 1.0, -3.0, 1.0]))
    assert_close(*both("average_precision_score", Y, S, sample_weight=weight))
    assert_close(*both("average_precision_score", Y, S, sample_weight=[1.0, 1.0, -1.0, 1.0]))
    with pytest.raises(ValueError, match="sample_weight must not be negative if max_fpr"):
        fa.roc_auc_score(Y, S, sample_weight=weight, max_fpr=0.5)


def weighted_calls() -> dict[str, Any]:
    """Every drop-in that takes weights, and every way to average."""
    columns = np.array([[0, 1], [1, 0], [0, 1], [1, 0]]), P3[:, :2]
    calls = {name: (name, (Y, S), {}) for name in [*CURVES, *AREAS]}
    calls["max_fpr"] = "roc_auc_score", (Y, S), {"max_fpr": 0.5}
    calls["kappa"] = "cohen_kappa_score", (Y, Y[::-1]), {}
    calls |= {name: (name, (P3, P3), {}) for name in ("dcg_score", "ndcg_score")}
    for average in AVERAGES:
        calls |= {f"{name} {average}": (name, columns, {"average": average}) for name in AREAS}
    for average in ("micro", "macro", "weighted", None):
        options = {"average": average, "multi_class": "ovr"}
        calls[f"classes {average}"] = "roc_auc_score", ([0, 1, 2, 1], P3), options
    return calls


@pytest.mark.parametrize("call", weighted_calls().values(), ids=weighted_calls())
@pytest.mark.filterwarnings("error")
def test_weights_that_sum_to_infinity_are_refused(call: Any) -> None:
    """Where scikit-learn returns NaN, 0 or infinite counts, or numpy's warnings."""
    name, arguments, options = call
    with pytest.raises(ValueError, match="sample_weight must have a finite sum, got inf"):
        getattr(fa, name)(*arguments, sample_weight=[1e308] * 4, **options)
    expected = getattr(fa, name)(*arguments, sample_weight=[1.0] * 4, **options)
    if not name.startswith("confusion_matrix"):  # whose counts are the weights themselves
        found = getattr(fa, name)(*arguments, sample_weight=[1e307] * 4, **options)
        pairs = zip(found, expected, strict=True) if isinstance(found, tuple) else [(found, expected)]
        for one, other in pairs:
            np.testing.assert_allclose(one, other, rtol=1e-15)


def test_weights_of_both_signs_without_a_finite_sum_are_refused() -> None:
    with pytest.raises(ValueError, match="sample_weight must have a finite sum, got nan"):
        fa.roc_curve([0, 1] * 8, range(16), sample_weight=[1e308, 1e308, -1e308, -1e308] * 4)
    assert_identical(*both("roc_curve", Y, S, sample_weight=[1e308, 1.0, 1e307, 1.0]))


@pytest.mark.parametrize("weight", [[0, 1, 1, 0], [1, 0, 0, 1]])
def test_weights_that_leave_one_class(weight: list[int]) -> None:
    for name in CURVES:
        assert_identical(*both(name, Y, S, sample_weight=weight))
    for name in AREAS:
        assert_close(*both(name, Y, S, sample_weight=weight))
        assert_close(*both(name, [1, 1, 1, 1], S, sample_weight=weight))


def test_one_class_is_undefined() -> None:
    with pytest.warns(UndefinedMetricWarning, match="Only one class is present"):
        assert np.isnan(fa.roc_auc_score([1, 1], [0.1, 0.2]))
    with pytest.warns(UndefinedMetricWarning, match="No negative samples"):
        curve = fa.roc_curve([1, 1], [0.1, 0.2])
    assert np.isnan(curve.fpr).all()
    with pytest.warns(UndefinedMetricWarning, match="No negative samples"):
        value = fa.roc_auc_score([0, 1], [0.1, 0.2], sample_weight=[0, 1], max_fpr=0.5)
    assert np.isnan(value)


# --- Columns of other kinds ----------------------------------------------------------------------


def test_kinds_of_columns() -> None:
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    expected = fa.roc_curve(Y, S)
    labels = [
        pd.Series(Y),
        pd.Series(Y, index=[7, 5, 3, 1]),
        pd.Series(Y, dtype="Int64"),
        pd.Series(Y, dtype="boolean"),
        pl.Series(Y),
        np.array(Y, ">i4"),
        np.repeat(Y, 2)[::2],
        np.array(Y, np.float16),
    ]
    scores = [
        pd.Series(S),
        pd.Series(S, dtype="Float64"),
        pl.Series(S),
        np.array(S, ">f8"),
        np.repeat(S, 3)[::3],
        [[x] for x in S],
        np.array(S, np.longdouble),
    ]
    for label in labels:
        assert_identical(fa.roc_curve(label, S), expected)
        assert fa.roc_auc_score(label, S) == 0.5
    for score in scores:
        assert_identical(fa.roc_curve(Y, score), expected)
        assert fa.roc_auc_score(Y, score) == 0.5
        assert fa.average_precision_score(Y, score) == fa.average_precision_score(Y, S)
    words = pd.Series(["no", "yes", "yes", "no"], dtype="category")
    assert_identical(fa.roc_curve(words, S, pos_label="yes"), expected)
    with pytest.raises(ValueError, match="Input contains NaN"):
        fa.roc_auc_score(Y, pd.Series([0.1, None, 0.3, 0.4], dtype="Float64"))


def test_wide_floats_in_columns() -> None:
    scores = np.array(P3, np.longdouble)
    for name, options in (("roc_auc_score", {"multi_class": "ovr"}), ("average_precision_score", {})):
        assert_close(*both(name, [0, 1, 2, 0], scores, **options))


def test_inputs_are_left_alone() -> None:
    y_true, y_score, weight = np.array(Y), np.array(S), np.array([1.0, 2.0, 0.0, 1.0])
    for array in (y_true, y_score, weight):
        array.flags.writeable = False
    for name in CURVES:
        for sample_weight in (None, weight):
            for array in getattr(fa, name)(y_true, y_score, sample_weight=sample_weight):
                array[:] = 0  # ours to write to
    assert y_true.tolist() == Y
    assert y_score.tolist() == S


def test_results_are_named() -> None:
    assert fa.roc_curve(Y, S)._fields == ("fpr", "tpr", "thresholds")
    assert fa.precision_recall_curve(Y, S)._fields == ("precision", "recall", "thresholds")
    assert fa.det_curve(Y, S)._fields == ("fpr", "fnr", "thresholds")
    assert fa.confusion_matrix_at_thresholds(Y, S)._fields == (
        "tns",
        "fps",
        "fns",
        "tps",
        "thresholds",
    )
    assert isinstance(threshold_sweep(Y, S), ThresholdSweep)
