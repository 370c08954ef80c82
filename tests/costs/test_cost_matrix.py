"""Confusion counts and cost matrices: against fractions, the sources' numbers, and wrong input."""

from __future__ import annotations

import math
import warnings
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import reference_costs as ref
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.metrics import confusion_matrix
from strategies import COMPILED

import fastarac as fa
from fastarac._kernels import numbering
from fastarac.costs import _labels, classification

pytestmark = pytest.mark.interpreted

FRAUD = [[0, 20], [1, 0]]

# --- Counts --------------------------------------------------------------------------------------

LABELS = {
    "strings": ["ham", "spam", "a much longer label than the others", "", "ß", "日本"],
    "bytes": [b"a", b"bb", b"ccccccccccc"],
    "integers": [0, 1, 2, 5],
    "negative": [-1, 1],
    "far apart": [-(2**63), 0, 10**6, 10**12, 2**63 - 1],
    "beyond int64": [0, 2**63, 2**64 - 1],
    "floats": [0.0, 1.0, -2.5],
    "bool": [False, True],
    "mixed numbers": [0, 1.5, True],
    "objects": [("a", 1), ("b", 0), frozenset({1})],
}


def as_column(labels: list, kind: str) -> np.ndarray | list:
    """Labels as numpy holds them, in an array of objects where it would make something else of them."""
    if kind in {"objects", "mixed numbers"}:
        column = np.empty(len(labels), object)
        column[:] = labels
        return column
    return labels if kind == "beyond int64" else np.array(labels)


@pytest.mark.parametrize("kind", LABELS)
@given(data=st.data())
def test_counts_of_any_labels(kind, data):
    classes = list(dict.fromkeys(LABELS[kind]))
    pairs = data.draw(st.lists(st.tuples(*[st.sampled_from(classes)] * 3), min_size=1, max_size=30))
    columns = [[row[i] for row in pairs] for i in range(3)]
    arrays = [as_column(column, kind) for column in columns]
    expected = ref.counts(classes, *columns[:2])
    given_labels = as_column(classes, kind)
    found = fa.costs.prediction_counts(*arrays[:2], labels=given_labels)
    assert found.dtype == np.int64
    assert found.shape == (len(classes),) * 2
    assert {tuple(i): found[tuple(i)] for i in np.argwhere(found)} == expected
    paired = fa.costs.paired_prediction_counts(*arrays, labels=given_labels)
    expected = ref.counts(classes, *columns)
    assert {tuple(i): paired[tuple(i)] for i in np.argwhere(paired)} == expected
    np.testing.assert_array_equal(
        paired.sum(axis=1), fa.costs.prediction_counts(arrays[0], arrays[2], labels=given_labels)
    )
    if kind != "objects":
        classes = sorted({*columns[0], *columns[1]})
        found = fa.costs.prediction_counts(*arrays[:2])
        assert found.shape == (len(classes),) * 2
        expected = ref.counts(classes, *columns[:2])
        assert {tuple(i): found[tuple(i)] for i in np.argwhere(found)} == expected


@pytest.mark.parametrize(
    "dtype", [np.int8, np.uint16, np.int64, "U3", "S2", float, object, ">i4", ">U5"]
)
def test_counts_are_the_transpose_of_scikit_learns(dtype):
    rng = np.random.default_rng(0)
    predicted, actual = (rng.integers(0, 7, 500).astype(dtype) for _ in range(2))
    expected = confusion_matrix(actual.astype(str), predicted.astype(str)).T
    found = fa.costs.prediction_counts(predicted[::-1], actual[::-1])
    np.testing.assert_array_equal(found, expected)


def test_counts_in_pieces_and_in_large_tables(monkeypatch):
    rng = np.random.default_rng(1)
    predicted, actual = rng.integers(0, 40, (2, 3000))
    expected = confusion_matrix(actual, predicted).T
    monkeypatch.setattr(_labels, "CHUNK", 7)
    np.testing.assert_array_equal(fa.costs.prediction_counts(predicted, actual), expected)
    monkeypatch.setattr(_labels, "LARGEST_GRID", 100)
    np.testing.assert_array_equal(fa.costs.prediction_counts(predicted, actual), expected)
    np.testing.assert_array_equal(fa.costs.prediction_counts(3 * predicted, 3 * actual), expected)


def test_more_distinct_strings_than_the_first_table_holds():
    n = 6000 if COMPILED else 2500
    words = np.array([f"word {i}" for i in range(n)])
    found = _labels.classify(None, predicted=words).classes
    assert found == sorted(words.tolist())


def test_columns_of_other_libraries():
    predicted, actual = ["b", "a", "b", "c"], ["a", "a", "b", "c"]
    expected = confusion_matrix(actual, predicted).T
    for make in (
        list,
        tuple,
        np.array,
        pd.Series,
        pd.Categorical,
        pl.Series,
        pa.array,
        pa.chunked_array,
    ):
        columns = (([x] if make is pa.chunked_array else x) for x in (predicted, actual))
        np.testing.assert_array_equal(fa.costs.prediction_counts(*map(make, columns)), expected)
    whole = pd.Series([1, 0, 2], dtype="Int64"), pl.Series([1, 1, 2])
    np.testing.assert_array_equal(
        fa.costs.prediction_counts(*whole), confusion_matrix([1, 1, 2], [1, 0, 2]).T
    )
    np.testing.assert_array_equal(fa.costs.prediction_counts([True, False], [1, 1]), [[0, 1], [0, 1]])


def test_labels_that_do_not_occur():
    found = fa.costs.prediction_counts(["b"], ["b"], labels=["c", "b", "a"])
    np.testing.assert_array_equal(found, [[0, 0, 0], [0, 1, 0], [0, 0, 0]])


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (([], []), ValueError, "predicted and actual are empty"),
        (([1], [1, 2]), ValueError, "predicted and actual must have the same number"),
        (([[1]], [1]), ValueError, r"predicted must .*got (shape )?\(1, 1\)"),
        (([[1], [2, 3]], [1, 1]), ValueError, "predicted is not a one-dimensional array"),
        (("ab", [1]), TypeError, "predicted must be an array of labels, got 'ab'"),
        ((3, [1]), TypeError, "must be an array of labels, got 3"),
        ((["a", None], ["a", "b"]), ValueError, r"got null at predicted\[1\]"),
        (([0.0, 1.0], [0.0, math.nan]), ValueError, r"got null at actual\[1\]"),
        ((pd.Series(["a", None]), ["a", "b"]), ValueError, r"got null at predicted\[1\]"),
        ((pl.Series(["a", None]), ["a", "b"]), ValueError, r"got null at predicted\[1\]"),
        ((np.ma.array([1, 2], mask=[0, 1]), [1, 2]), ValueError, r"got null at predicted\[1\]"),
        ((["a", 1], ["a", "b"]), TypeError, "predicted and actual have labels that cannot be sorted"),
        (([0, 1], ["0", "1"]), TypeError, "cannot be sorted .* give their order as labels"),
    ],
)
def test_wrong_labels(arguments, error, message):
    with pytest.raises(error, match=message):
        fa.costs.prediction_counts(*arguments)


def test_unknown_labels_are_named():
    with pytest.raises(ValueError, match=r"actual\[2\] must be one of the labels 'a', 'b', got 'x'"):
        fa.costs.prediction_counts(["a", "b", "b"], ["a", "b", "x"], labels=["a", "b"])
    with pytest.raises(ValueError, match=r"predicted\[1\] must be one of the labels 1, 2, got -7"):
        fa.costs.prediction_counts([1, -7, 5], [1, 1, 1], labels=[1, 2])
    with pytest.raises(ValueError, match=r"predicted\[0\] must .*got 10"):
        fa.costs.prediction_counts([10], [1], labels=[*range(10), 11])
    with pytest.raises(ValueError, match=", got 'a' more than once"):
        fa.costs.prediction_counts(["a"], ["a"], labels=["a", "b", "a"])
    with pytest.raises(ValueError, match="labels is empty"):
        fa.costs.prediction_counts(["a"], ["a"], labels=[])


# --- Cost matrices -------------------------------------------------------------------------------

prices = st.integers(-20, 20) | st.floats(-100, 100, width=32)


@st.composite
def matrices(draw, largest: int = 4):
    rows, columns = draw(st.integers(1, largest)), draw(st.integers(1, largest))
    return np.array(draw(hnp.arrays(float, (rows, columns), elements=prices)))


@st.composite
def probabilities(draw, n_classes: int):
    n = draw(st.integers(0, 6))
    shares = draw(hnp.arrays(float, (n, n_classes), elements=st.floats(0, 1, width=16)))
    shares[:, 0] += shares.sum(axis=1) == 0
    return shares / shares.sum(axis=1, keepdims=True)


def quiet(costs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fa.UnreasonableCostsWarning)
        return fa.costs.CostMatrix(costs)


@given(st.data())
def test_risk_and_prediction(data):
    costs = data.draw(matrices())
    chances = data.draw(probabilities(costs.shape[1]))
    matrix = quiet(costs)
    expected = np.array(ref.risk(costs, chances), dtype=float).reshape(len(chances), len(costs))
    scale = abs(costs).max() or 1.0
    np.testing.assert_allclose(matrix.risk(chances), expected, rtol=0, atol=1e-14 * scale)
    rows = matrix.predict(chances)
    assert rows.dtype == np.int64
    least = expected[np.arange(len(rows)), rows] - expected.min(axis=1, initial=np.inf)
    assert (least <= 1e-13 * scale).all()
    # the same costs for each item
    per_item = quiet(np.broadcast_to(costs, (max(1, len(chances)), *costs.shape)))
    assert per_item.per_item
    if len(chances):
        np.testing.assert_allclose(per_item.risk(chances), expected, rtol=0, atol=1e-14 * scale)


@given(st.data())
def test_decisions(data):
    costs = data.draw(matrices())
    chances = data.draw(probabilities(costs.shape[1]))
    matrix, scale = quiet(costs), abs(costs).max() or 1.0
    predicted, confidence = matrix.decide(chances)
    np.testing.assert_array_equal(predicted, matrix.predict(chances))
    least = [min(row) for row in ref.risk(costs, chances)]
    np.testing.assert_allclose(confidence, -np.array(least, float), rtol=0, atol=1e-14 * scale)
    per_item = quiet(np.broadcast_to(costs, (max(1, len(chances)), *costs.shape)))
    if len(chances):
        found = per_item.decide(chances)[1]
        np.testing.assert_allclose(found, confidence, rtol=0, atol=1e-14 * scale)
    # Chow's rule: a further row of equal costs rejects the items below minus this cost.
    price = data.draw(st.floats(-100, 100))
    rejected = quiet([*costs, [price] * costs.shape[1]]).predict(chances) == len(costs)
    clear = abs(confidence + price) > 1e-9 * (scale + abs(price))
    np.testing.assert_array_equal(rejected[clear], (confidence < -price)[clear])


def test_equal_probabilities_have_equal_confidences():
    rng = np.random.default_rng(3)
    some, costs = rng.dirichlet(np.ones(7), 50), rng.random((7, 7))
    order = rng.permutation(np.arange(5000) % 50)
    confidence = quiet(costs).decide(some[order])[1]
    assert len(np.unique(confidence)) == 50


@given(st.data())
def test_the_curve_of_costs_with_rejections(data):
    size, n = data.draw(st.integers(2, 4)), data.draw(st.integers(1, 8))
    costs = data.draw(hnp.arrays(float, (size, size), elements=st.integers(0, 20)))
    costs[0, -1] += 1
    chances = data.draw(hnp.arrays(float, (n, size), elements=st.integers(1, 3)))
    chances /= chances.sum(axis=1, keepdims=True)
    actual = data.draw(st.lists(st.integers(0, size - 1), min_size=n, max_size=n))
    matrix = quiet(costs)
    predicted, confidence = matrix.decide(chances)
    paid = matrix.costs_of(predicted, actual, labels=range(size))
    assert paid.tolist() == [costs[i, j] for i, j in zip(predicted, actual, strict=True)]
    by_item = quiet(np.broadcast_to(costs, (n, size, size)))
    np.testing.assert_array_equal(by_item.costs_of(predicted, actual, labels=range(size)), paid)
    sweep = fa.threshold_sweep(1 - paid / costs.max(), confidence, graded=True)
    found = costs.max() * sweep.error_rate + 0.75 * sweep.verification_rate
    expected = ref.cost_with_rejection(costs, predicted, actual, confidence.tolist(), 0.75)
    assert sweep.thresholds.tolist() == list(expected)
    np.testing.assert_allclose(found, [float(cost) for cost in expected.values()], 1e-12, 1e-12)


@given(st.data())
def test_costs_by_item(data):
    n, size = data.draw(st.integers(1, 6)), data.draw(st.integers(2, 3))
    costs = data.draw(hnp.arrays(float, (n, size, size), elements=prices))
    labels = st.lists(st.integers(0, size - 1), min_size=n, max_size=n)
    predicted, actual = data.draw(labels), data.draw(labels)
    matrix = quiet(costs)
    own = [ref.exact(costs[k])[i][j] for k, (i, j) in enumerate(zip(predicted, actual, strict=True))]
    found = matrix.expected_cost(predicted, actual, labels=range(size))
    assert found == pytest.approx(float(sum(own) / n), rel=1e-15, abs=1e-13)
    chances = np.full((n, size), 1 / size)
    single = [quiet(c).predict(chances[:1])[0] for c in costs]
    risks = matrix.risk(chances)
    best = matrix.predict(chances)
    for k in range(n):
        assert risks[k, single[k]] == pytest.approx(risks[k, best[k]], abs=1e-12)


@given(st.data())
def test_expected_cost(data):
    costs = data.draw(matrices())
    counts = data.draw(hnp.arrays(np.int64, costs.shape, elements=st.integers(0, 10**9)))
    counts[0, 0] += 1
    expected = ref.expected_cost(costs, counts)
    scale = abs(costs).max()
    found = quiet(costs).expected_cost(counts)
    assert found == pytest.approx(float(expected), rel=1e-15, abs=1e-15 * scale)
    assert found == pytest.approx(quiet(costs).expected_cost(7 * counts), rel=1e-14, abs=1e-14 * scale)


def test_expected_cost_from_labels():
    matrix = fa.costs.CostMatrix([[0, 5], [1, 0]])
    predicted, actual = ["no", "yes", "no", "no"], ["no", "no", "yes", "no"]
    assert matrix.expected_cost(predicted, actual) == 6 / 4
    assert matrix.expected_cost(predicted, actual, labels=["yes", "no"]) == 6 / 4
    assert matrix.expected_cost(["no"], ["no"], labels=["no", "yes"]) == 0
    swapped = fa.costs.CostMatrix([[0, 1], [5, 0]])
    assert swapped.expected_cost(predicted, actual, labels=["yes", "no"]) == 6 / 4


@given(matrices())
def test_dominated_rows(costs):
    expected = ref.dominated_rows(costs)
    assert quiet(costs).dominated_rows() == expected
    assert quiet(costs[np.newaxis]).dominated_rows() == expected
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fa.costs.CostMatrix(costs)
    swapped = costs.shape == (2, 2) and costs[1, 0] <= costs[0, 0] and costs[0, 1] <= costs[1, 1]
    assert len(caught) == bool(expected or swapped)
    for warning in caught:
        assert warning.category is fa.UnreasonableCostsWarning
        assert warning.filename == __file__


def test_dominated_for_every_item_by_the_same_row():
    one, other = [[0, 1], [1, 1]], [[1, 1], [0, 1]]
    assert quiet([one, one]).dominated_rows() == (1,)
    assert quiet([one, other]).dominated_rows() == ()


def test_warnings_name_the_rows():
    with pytest.warns(fa.UnreasonableCostsWarning, match=r"dominated rows, .*: row 0 \(by row 1\)$"):
        fa.costs.CostMatrix([[1, 2], [0, 2]])
    with pytest.warns(fa.UnreasonableCostsWarning, match=r"row 1 \(by row 2\), row 2 \(by row 1\)$"):
        fa.costs.CostMatrix([[0, 1], [1, 0], [1, 0]])
    with pytest.warns(fa.UnreasonableCostsWarning, match="wrong predictions that are no dearer"):
        fa.costs.CostMatrix([[1, 0], [0, 1]])


reasonable = st.tuples(*[st.floats(-50, 50)] * 2, *[st.floats(1e-3, 1e3)] * 2).map(
    lambda t: [[t[0], t[1] + t[3]], [t[0] + t[2], t[1]]]
)


@given(reasonable, st.floats(0, 1))
def test_threshold_of_two_classes(costs, p):
    matrix = fa.costs.CostMatrix(costs)
    expected = ref.threshold(costs)
    assert matrix.threshold == float(expected)
    assert 0 < matrix.threshold < 1
    simple = matrix.simplified()
    assert simple.costs[0, 0] == 0
    assert simple.costs[1, 0] == 1
    # its costs are rounded, and so a difference of two that are close
    assert simple.threshold == pytest.approx(matrix.threshold, rel=1e-9)
    if abs(p - expected) > 1e-9:
        for each in (matrix, simple):
            assert each.predict([[1 - p, p]])[0] == (p >= matrix.threshold)


def test_where_both_predictions_cost_the_same_the_lowest_row_is_taken():
    matrix = fa.costs.CostMatrix([[0, 3], [1, 0]])
    assert matrix.threshold == 0.25
    np.testing.assert_array_equal(matrix.risk([[0.75, 0.25]]), [[0.75, 0.75]])
    assert matrix.predict([[0.75, 0.25]])[0] == 0


def test_numbers_of_the_sources():
    # Suzuki 2003, table 3: the mistaken matrix, classes (bad, good) as printed
    card = fa.costs.CostMatrix([[0, 1], [5, 0]])
    assert card.threshold == 5 / 6  # approve iff the probability of "good" is at least that
    # table 4: refuse (first row) or approve; columns fraudulent, legitimate; for several amounts
    for amount in (50.0, 100.0, 1000.0):
        benefits = [[20, -20], [-amount, 0.02 * amount]]
        payments = fa.costs.CostMatrix.from_benefits(benefits)
        np.testing.assert_array_equal(payments.costs, -np.array(benefits, float))
        expected = (amount + 20) / (amount + 20 + 0.02 * amount + 20)
        assert payments.threshold == pytest.approx(expected, rel=1e-15)
    # the simplified form: less 2, divided by 2
    simple = fa.costs.CostMatrix([[2, 12], [4, 1]]).simplified()
    np.testing.assert_array_equal(simple.costs, [[0, 5], [1, -0.5]])
    # 0/1 loss: the error rate, and the majority
    plain = fa.costs.CostMatrix(1 - np.eye(3))
    assert plain.expected_cost([[5, 1, 0], [2, 6, 0], [0, 1, 5]]) == 4 / 20
    assert plain.predict([[0.2, 0.5, 0.3]])[0] == 1
    assert fa.costs.CostMatrix([[0, 1], [1, 0]]).threshold == 0.5


@pytest.mark.parametrize("costs", [[[0, 1], [0, 0]], [[0, 1], [1, 2]], [[1, 0], [0, 1]]])
def test_no_threshold_without_reasonable_costs(costs):
    matrix = quiet(costs)
    with pytest.warns(fa.UndefinedMetricWarning, match="threshold is undefined: a wrong prediction"):
        assert math.isnan(matrix.threshold)


def test_what_only_two_classes_have():
    for matrix in (fa.costs.CostMatrix(1 - np.eye(3)), fa.costs.CostMatrix([FRAUD, FRAUD])):
        with pytest.raises(ValueError, match="threshold needs one matrix of two classes"):
            matrix.threshold  # noqa: B018
        with pytest.raises(ValueError, match="simplified needs one matrix of two classes"):
            matrix.simplified()
    with pytest.raises(ValueError, match=r"c\(\+\|-\) is 0.0 and c\(-\|-\) is 0.0"):
        quiet([[0, 1], [0, 0]]).simplified()


@pytest.mark.parametrize(
    ("costs", "error", "message"),
    [
        ([[0, math.nan], [1, 0]], ValueError, r"costs\[0, 1\] must be a finite number.*, got nan"),
        ([[0, 1], [math.inf, 0]], ValueError, r"costs\[1, 0\] must be a finite number.*, got inf"),
        ([[0, 1], [1e200, 0]], ValueError, r"costs\[1, 0\] must be a finite number up to 1e\+150"),
        ([0, 1], ValueError, r"costs must have shape \(K, K\), rows predicted and"),
        (np.zeros((0, 2)), ValueError, r"costs must .*got (shape )?\(0, 2\)"),
        (np.zeros((1, 1, 2, 2)), ValueError, r"costs must .*got (shape )?\(1, 1, 2, 2\)"),
        ([[0, 1], [1]], ValueError, "costs is not an array"),
        ([["0", "1"], ["1", "0"]], TypeError, "costs must hold numbers, got type <U1"),
        ([[0, 1j], [1, 0]], TypeError, ", got type complex128"),
    ],
)
def test_wrong_costs(costs, error, message):
    with pytest.raises(error, match=message):
        fa.costs.CostMatrix(costs)


@pytest.mark.parametrize(
    ("chances", "error", "message"),
    [
        ([[0.5, 0.4]], ValueError, r"probabilities\[0\] must .*got 0.9"),
        ([[1, 0], [0.5, 0.500002]], ValueError, r"probabilities\[1\] must .*got 1.000002"),
        ([[1.5, -0.5]], ValueError, r"probabilities\[0, 1\] must .*got -0.5"),
        (
            [[1, 0], [math.nan, 1]],
            ValueError,
            r"probabilities\[1, 0\] must be a number in \[0, 1\].*, got nan",
        ),
        ([[math.inf, 0]], ValueError, r"probabilities\[0, 0\] must .*got inf"),
        ([0.5, 0.5], ValueError, r"probabilities must have shape \(n, 2\), one column"),
        ([[0.2, 0.3, 0.5]], ValueError, r"probabilities must have shape \(n, 2\), one column"),
        ([["1", "0"]], TypeError, r"probabilities must hold numbers in \[0, 1\], got"),
    ],
)
def test_wrong_probabilities(chances, error, message):
    for matrix in (fa.costs.CostMatrix(FRAUD), fa.costs.CostMatrix([FRAUD] * len(chances))):
        for method in (matrix.risk, matrix.predict, matrix.decide):
            with pytest.raises(error, match=message):
                method(chances)


def test_probabilities_of_single_precision():
    chances = np.full((1, 100), 0.01, np.float32)
    assert fa.costs.CostMatrix(1 - np.eye(100)).predict(chances)[0] == 0


def test_wrong_arguments_of_expected_cost():
    matrix, by_item = fa.costs.CostMatrix(FRAUD), fa.costs.CostMatrix([FRAUD] * 2)
    wrong = [
        (
            matrix,
            ([[1.0, 0], [0, 1]],),
            {},
            TypeError,
            "counts must hold whole numbers, got type float64",
        ),
        (matrix, ([[1, 0, 0]],), {}, ValueError, r"counts must have shape \(2, 2\), like the costs,"),
        (matrix, ([[1, -1], [0, 1]],), {}, ValueError, r"counts\[0, 1\] must .*got -1"),
        (
            matrix,
            ([[0, 0], [0, 0]],),
            {},
            ValueError,
            r"counts must have a positive sum below 2\*\*63, got",
        ),
        (matrix, ([[2**62, 2**62], [0, 0]],), {}, ValueError, r"2\*\*63, got 9223372036854775808"),
        (
            matrix,
            ([[1, 0], [0, 1]],),
            {"labels": [0, 1]},
            TypeError,
            "labels cannot go with counts: give labels only with predicted and actual",
        ),
        (matrix, ([0, 0], [0, 0]), {}, ValueError, "predicted and actual have 1 classes, so the"),
        (
            matrix,
            ([0], [0]),
            {"labels": [0, 1, 2]},
            ValueError,
            "labels has 3 classes, so the costs need a row",
        ),
        (by_item, ([[1, 0], [0, 1]],), {}, TypeError, "costs by item cannot go with counts"),
        (
            by_item,
            ([0, 1, 1], [0, 1, 1]),
            {},
            ValueError,
            "predicted and costs must have the same number of",
        ),
    ]
    for costs, arguments, options, error, message in wrong:
        with pytest.raises(error, match=message):
            costs.expected_cost(*arguments, **options)
    with pytest.raises(ValueError, match="probabilities and costs must have the same"):
        by_item.predict([[0.5, 0.5]])


def test_a_matrix_is_frozen_and_its_own():
    given_costs = np.array(FRAUD, float)
    matrix = fa.costs.CostMatrix(given_costs)
    given_costs[0, 0] = 7
    assert matrix == fa.costs.CostMatrix(FRAUD)
    assert matrix != fa.costs.CostMatrix([[0, 21], [1, 0]])
    assert matrix != "matrix"
    with pytest.raises(ValueError, match="read-only"):
        matrix.costs[0, 0] = 1
    with pytest.raises(AttributeError):
        matrix.costs = given_costs
    with pytest.raises(TypeError, match="unhashable"):
        hash(matrix)


@pytest.mark.parametrize(("rows", "expected"), [([7, 5, 7, 9, 3, 5], 4), ([7, 5, 7, 9, 3, 1], -1)])
def test_a_table_of_rows_is_left_half_empty(rows, expected):
    """A fifth row does not go into a table of eight, lest a search meet no empty slot."""
    words = np.array(rows, np.uint64)[:, None]
    slots, examples, codes = np.full(8, -1, np.int64), np.zeros(8, np.int64), np.zeros(6, np.int64)
    assert numbering.encode_rows(words, slots, examples, codes) == expected
    assert codes[:5].tolist() == [0, 1, 0, 2, 3]
    assert (slots < 0).sum() == 4


def test_predictions_in_pieces(monkeypatch):
    rng = np.random.default_rng(0)
    chances = rng.dirichlet(np.ones(3), size=500)
    matrix, by_item = fa.costs.CostMatrix(rng.random((3, 3)) - np.eye(3)), None
    by_item = fa.costs.CostMatrix(rng.random((500, 3, 3)) - np.eye(3))
    whole = [(m.predict(chances), m.risk(chances)) for m in (matrix, by_item)]
    monkeypatch.setattr(classification, "CHUNK", 1)
    for m, (rows, risks) in zip((matrix, by_item), whole, strict=True):
        np.testing.assert_array_equal(m.predict(chances), rows)
        np.testing.assert_allclose(m.risk(chances), risks, rtol=1e-14, atol=1e-15)
    bad = chances.copy()
    bad[300, 1] = -1
    for m, method in product((matrix, by_item), ("predict", "risk")):
        with pytest.raises(ValueError, match=r"probabilities\[300, 1\] must .*got -1.0"):
            getattr(m, method)(bad)
