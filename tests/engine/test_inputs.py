"""The door for arrays: what is taken, what is refused, and in which words."""

from __future__ import annotations

import array as stdlib_array
from contextlib import nullcontext

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from strategies import COMPILED
from ways import forced

import fastarac as fa

pytestmark = pytest.mark.interpreted

CORRECT = [1, 0, 1, 1, 0, 1]
CONFIDENCE = [3, 1, 2, 3, 2, 0]
EXPECTED = fa.arac_auc_score(CORRECT, CONFIDENCE)

NUMERIC = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"]


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("dtype", NUMERIC)
def test_every_numeric_type_of_either_byte_order(dtype, order):
    correct = np.array(CORRECT, np.dtype(dtype).newbyteorder(order))
    assert fa.arac_auc_score(correct, CONFIDENCE) == EXPECTED
    if dtype != "?":
        confidence = np.array(CONFIDENCE, np.dtype(dtype).newbyteorder(order))
        assert fa.arac_auc_score(CORRECT, confidence) == EXPECTED
        assert fa.threshold_sweep(CORRECT, confidence).thresholds.tolist() == [np.inf, 3, 2, 1, 0]


def test_bool_confidence():
    sweep = fa.threshold_sweep([1, 1, 0, 0], [True, True, False, True])
    assert sweep.thresholds.tolist() == [np.inf, 1, 0]
    assert sweep.true_accepts.tolist() == [0, 2, 2]
    assert sweep.false_accepts.tolist() == [0, 1, 2]


CONTAINERS = {
    "list": list,
    "tuple": tuple,
    "range-like": lambda v: stdlib_array.array("q", v),
    "pandas": pd.Series,
    "pandas, own index": lambda v: pd.Series(v, index=range(100, 100 + len(v))),
    "pandas Int64": lambda v: pd.Series(v, dtype="Int64"),
    "pandas Float32": lambda v: pd.Series(v, dtype="Float32"),
    "pandas pyarrow": lambda v: pd.Series(v, dtype="int64[pyarrow]"),
    "polars": pl.Series,
    "polars float": lambda v: pl.Series(v, dtype=pl.Float32),
    "pyarrow": pa.array,
    "pyarrow chunked": lambda v: pa.chunked_array([v[:2], v[2:]]),
    "memoryview": lambda v: memoryview(np.array(v)),
    "masked array without a mask": np.ma.array,
    "strided": lambda v: np.repeat(np.array(v), 3)[::3],
    "reversed view": lambda v: np.array(v[::-1])[::-1],
    "column of a matrix": lambda v: np.column_stack([v, v])[:, 1],
    "unaligned": lambda v: np.frombuffer(b"x" + np.array(v, "f8").tobytes(), "f8", offset=1),
    "field of records": lambda v: np.array([(1, x) for x in v], "u1, f8")["f1"],
}


@pytest.mark.parametrize("make", CONTAINERS.values(), ids=CONTAINERS)
def test_every_container(make):
    assert fa.arac_auc_score(make(CORRECT), make(CONFIDENCE)) == EXPECTED
    weighted = fa.arac_auc_score(CORRECT, CONFIDENCE, sample_weight=make([1] * 6))
    assert weighted == EXPECTED


def test_pandas_and_polars_booleans():
    for make in (
        lambda v: pd.Series(v, dtype="boolean"),
        lambda v: pd.Series(v, dtype=bool),
        lambda v: pd.Series(v, dtype="bool[pyarrow]"),
        lambda v: pl.Series(v, dtype=pl.Boolean),
        lambda v: pa.array(v, pa.bool_()),
    ):
        assert fa.arac_auc_score(make([bool(c) for c in CORRECT]), CONFIDENCE) == EXPECTED


class Tensor:
    """Behaves as a torch CPU tensor does towards numpy, without torch."""

    def __init__(self, values, *, needs_grad=False):
        self.values, self.needs_grad = np.array(values, np.float32), needs_grad

    def __array__(self, dtype=None, copy=None):
        if self.needs_grad:
            message = "Can't call numpy() on Tensor that requires grad."
            raise RuntimeError(message)
        return self.values if dtype is None else self.values.astype(dtype)


def test_tensor_like():
    assert fa.arac_auc_score(Tensor(CORRECT), Tensor(CONFIDENCE)) == EXPECTED
    with pytest.raises(TypeError, match=r"confidence \(Tensor\) cannot be read .* requires grad"):
        fa.arac_auc_score(CORRECT, Tensor(CONFIDENCE, needs_grad=True))


def test_inputs_are_never_written_to_and_not_kept():
    rng = np.random.default_rng(1)
    correct, confidence = rng.random(500) < 0.7, rng.random(500)
    weight = rng.random(500)
    before = [a.copy() for a in (correct, confidence, weight)]
    sweep = fa.threshold_sweep(correct, confidence, sample_weight=weight)
    fa.evaluate(correct, confidence)
    for old, new in zip(before, (correct, confidence, weight), strict=True):
        np.testing.assert_array_equal(old, new)
        assert new.flags.writeable
    assert not np.shares_memory(sweep.thresholds, confidence)


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
@pytest.mark.parametrize("n", [3, 70_000 if COMPILED else 3000])
def test_integers_beyond_2_53_keep_their_order(dtype, n):
    base = 2**60 if dtype == np.int64 else 2**63
    confidence = np.array([base + i % 3 for i in range(n)], dtype)
    correct = np.arange(n) % 3 == 2
    assert fa.arac_auc_score(correct, confidence) == fa.arac_auc_score(correct, np.arange(n) % 3)
    sweep = fa.threshold_sweep(correct, confidence)
    assert sweep.thresholds.tolist() == [np.inf, base + 2, base + 1, base]
    assert all(isinstance(t, int) for t in sweep.thresholds[1:])
    point = fa.operating_point(sweep, max_error_rate=0.0)
    assert point.threshold == base + 2
    assert ((confidence >= point.threshold) == correct).all()


def test_python_integers_are_not_rounded_on_the_way_in():
    assert fa.arac_auc_score([1, 0], [2**63 + 1, 2**63]) == 0.875
    assert fa.arac_auc_score([0, 1], [2**63 + 1, 2**63]) == 0.625
    for confidence in ([2**63 + 1, -1], [np.uint64(2**63 + 1), -1]):
        with pytest.raises(ValueError, match=r"confidence has integers .*; convert them to floats"):
            fa.arac_auc_score([0, 1], confidence)
    with pytest.raises(
        ValueError, match="confidence mixes floats with integers that floats cannot hold"
    ):
        fa.arac_auc_score([0, 1], [2**53 + 1, 0.5])


def test_integers_of_numpy_are_not_rounded_on_the_way_in():
    for n in (2**53, 2**63):
        for confidence in (
            [np.uint64(n + 1), n],
            [n + 1, np.uint64(n)],
            (np.uint64(n + 1), np.int64(5)),
        ):
            sweep = fa.threshold_sweep([1, 0], confidence)
            assert sweep.thresholds.tolist() == [np.inf, *map(int, confidence)]
    assert fa.threshold_sweep([1, 0], [np.uint64(3), -2]).thresholds.tolist() == [np.inf, 3, -2]


NAN, INF = float("nan"), float("inf")
OK = [1, 0, 1]
T = [0.1, 0.2, 0.3]

WRONG_VALUES = {
    "empty": ([], [], None, "correct and confidence are empty; give at least one item"),
    "lengths": ([1, 0], T, None, "correct and confidence must have the same number of items, got 2"),
    "2-D": (OK, [T], None, r"confidence must .*got (shape )?\(1, 3\)"),
    "2-D correct": (np.ones((3, 1)), T, None, r"correct must .*got (shape )?\(3, 1\)"),
    "scalar": (1, 0.5, None, r"confidence must be a one-dimensional array, got shape \(\)"),
    "ragged": (OK, [[1], [2, 3], 4], None, "confidence is not a one-dimensional array"),
    "NaN": (OK, [0.1, NAN, 0.3], None, r"confidence\[1\] must be a finite number, got nan"),
    "inf": (OK, [0.1, 0.2, INF], None, r"confidence\[2\] must be a finite number, got inf"),
    "-inf": (OK, np.float32([-INF, 0, 1]), None, r"confidence\[0\] must be a finite number, got -inf"),
    "float16 NaN": (OK, np.float16([0, NAN, 1]), None, r"confidence\[1\] must .*got nan"),
    "label 2": ([1, 2, 0], T, None, r"correct\[1\] must .*got 2"),
    "label -1": ([1, -1, 0], T, None, r"correct\[1\] must .*got -1"),
    "label -1 int8": (np.int8([1, -1, 0]), T, None, r"correct\[1\] must .*got -1"),
    "label 0.5": ([1, 0.5, 0], T, None, r"correct\[1\] must .*got 0.5"),
    "label NaN": ([1, 0, NAN], T, None, r"correct\[2\] must .*got nan"),
    "arguments swapped": (T, OK, None, r"correct\[0\] must .*got 0.1"),
    "negative weight": (OK, T, [1, -1, 1], r"sample_weight\[1\] must .*got -1"),
    "NaN weight": (
        OK,
        T,
        [1, 1, NAN],
        r"sample_weight\[2\] must be a finite number of at least.*, got nan",
    ),
    "inf weight": (
        OK,
        T,
        [INF, 1, 1],
        r"sample_weight\[0\] must be a finite number of at least.*, got inf",
    ),
    "no weight": (OK, T, [0, 0, 0], r"sample_weight must have a positive, finite sum, got 0\.0"),
    "huge weights": (OK, T, [1e308] * 3, "sample_weight must have a positive, finite sum, got inf"),
    "weight length": (OK, T, [1, 1], "sample_weight and confidence must have the same number of"),
    "None": (
        OK,
        [0.1, None, 0.3],
        None,
        r"confidence must have a value for each item, got null at confidence\[1\]",
    ),
    "pandas NA": (OK, pd.Series([1, None, 3], dtype="Int64"), None, r"got null at confidence\[1\]"),
    "pandas NA bool": (
        pd.Series([True, None, False], dtype="boolean"),
        T,
        None,
        r"got null at correct\[1\]",
    ),
    "pandas NaN": (OK, pd.Series([0.1, None, 0.3]), None, r"confidence\[1\] must .*got nan"),
    "pandas arrow NA": (OK, pd.Series([1, None, 3], dtype="int64[pyarrow]"), None, "confidence"),
    "polars null": (OK, pl.Series([0.1, None, 0.3]), None, r"got null at confidence\[1\]"),
    "polars null int": (OK, pl.Series([1, None, 3]), None, r"got null at confidence\[1\]"),
    "pyarrow null": (OK, pa.array([None, None, 0.3]), None, "confidence must have a value for each"),
    "pyarrow chunked null": (
        OK,
        pa.chunked_array([[0.1], [None, 0.3]]),
        None,
        r"got null at confidence\[1\]",
    ),
    "masked": (OK, np.ma.array(T, mask=[0, 1, 0]), None, r"got null at confidence\[1\]"),
    "data frame": (OK, pd.DataFrame({"a": T}), None, r"confidence .*shape \(3, 1\)"),
}

WRONG_TYPES = {
    "strings": (
        OK,
        ["a", "b", "c"],
        None,
        "confidence has type <U1; use booleans, integers or floats of up",
    ),
    "string labels": (["a", "b", "c"], T, None, "correct has type <U1; use booleans, integers or"),
    "bytes": (OK, [b"a", b"b", b"c"], None, r"confidence has type \|S1"),
    "complex": (OK, [1j, 2j, 3j], None, "confidence has type complex128"),
    "objects": (OK, np.array([object()] * 3), None, r"confidence holds objects \(object\)"),
    "mixed": (OK, np.array([1, "a", 2.0], object), None, r"confidence holds objects \(int\)"),
    "dates": (OK, np.array(["2024-01-01"] * 3, "M8[D]"), None, r"confidence has type datetime64"),
    "durations": (OK, np.array([1, 2, 3], "m8[s]"), None, r"confidence has type timedelta64"),
    "long double": (OK, np.array(T, np.longdouble), None, "confidence has type float|longdouble"),
    "generator": (OK, (t for t in T), None, r"confidence holds objects \(generator\)"),
    "dict": (OK, {"a": 1}, None, r"confidence holds objects \(dict\)"),
    "categorical": (OK, pd.Series(["x", "y", "z"], dtype="category"), None, "confidence"),
    "weights of strings": (OK, T, ["1", "1", "1"], "sample_weight has type <U1"),
    "None": (OK, None, None, "confidence is missing"),
}


@pytest.mark.parametrize("function", [fa.threshold_sweep, fa.arac_auc_score, fa.evaluate])
@pytest.mark.parametrize("case", WRONG_VALUES.values(), ids=WRONG_VALUES)
def test_wrong_values(case, function):
    correct, confidence, weight, message = case
    with pytest.raises(ValueError, match=message):
        function(correct, confidence, sample_weight=weight)


@pytest.mark.parametrize("function", [fa.arac_auc_score, fa.evaluate])
@pytest.mark.parametrize("case", WRONG_TYPES.values(), ids=WRONG_TYPES)
def test_wrong_types(case, function):
    correct, confidence, weight, message = case
    with pytest.raises(TypeError, match=message):
        function(correct, confidence, sample_weight=weight)


N = 100_000 if COMPILED else 1_000


@pytest.mark.parametrize("position", [0, N // 3, N - 1])
@pytest.mark.parametrize("rounded", [False, True])
def test_bad_values_in_large_arrays(position, rounded):
    rng = np.random.default_rng(0)
    confidence = rng.random(N)
    confidence = np.round(confidence, 2) if rounded else confidence
    correct = np.ones(N, np.int8)
    with nullcontext() if COMPILED else forced("buckets", 2):
        for bad in (NAN, INF, -INF):
            broken = confidence.copy()
            broken[position] = bad
            for function in (fa.arac_auc_score, fa.threshold_sweep):
                with pytest.raises(
                    ValueError, match=rf"confidence\[{position}\] must be a finite number, got {bad}"
                ):
                    function(correct, broken)
        for dtype in (np.int8, np.uint8, np.int64, np.float32):
            broken = correct.astype(dtype)
            broken[position] = 3
            with pytest.raises(
                ValueError,
                match=rf"correct\[{position}\] must be 0 \(incorrect\) or 1 \(correct\), got 3",
            ):
                fa.arac_auc_score(broken, confidence)


def test_a_sweep_stands_alone():
    sweep = fa.threshold_sweep(OK, T)
    with pytest.raises(TypeError, match="confidence cannot go with a ThresholdSweep"):
        fa.arac_auc_score(sweep, T)
    with pytest.raises(TypeError, match="sample_weight cannot go with a ThresholdSweep"):
        fa.evaluate(sweep, sample_weight=[1, 1, 1])
    with pytest.raises(TypeError, match="confidence is missing"):
        fa.arac_curve(OK)


@pytest.mark.parametrize("gamma", [-1.0, NAN, INF])
def test_gamma_out_of_range(gamma):
    with pytest.raises(ValueError, match="gamma must be a finite number"):
        fa.arac_area(OK, T, gamma=gamma)
    with pytest.raises(ValueError, match="gamma must be a finite number"):
        fa.VerificationCosts.from_ratios(gamma, 0)


def test_integers_beyond_every_float():
    with pytest.raises(ValueError, match="gamma must be a finite number"):
        fa.arac_area(OK, T, gamma=10**400)
    with pytest.raises(ValueError, match="gamma must be a finite"):
        fa.arac_area(OK, T, gamma=-(10**10000))


HUGE = 10**5000  # Python refuses to write out as many digits


@pytest.mark.parametrize(
    ("name", "call"),
    {
        "n_resamples": lambda n: fa.bootstrap(OK, T, n_resamples=n),
        "n_threads": lambda n: fa.bootstrap(OK, T, n_resamples=5, n_threads=n),
        "grid": lambda n: fa.bootstrap_band(OK, T, n_resamples=5, grid=n),
        "recall_levels": lambda n: fa.interpolated_precision(OK, T, recall_levels=n),
        "n_bins": lambda n: fa.operation.calibration_table(OK, T, n_bins=n),
        "n_items": lambda n: fa.operation.guarantee_power(n, 0.05, 0.01),
        "k": lambda n: fa.measures.precision_at_k([1, 0], n),
        "depth": lambda n: fa.measures.pool([[1, 2]], n),
        "n": lambda n: fa.synthetic.TruncatedNormalMixture(0.5, 0, 1, 0, 1).sample(n),
    }.items(),
)
def test_whole_numbers_beyond_64_bits(name, call):
    for value in (10**400, HUGE, -HUGE):
        found = f"an integer of {value.bit_length()} bits"
        with pytest.raises(ValueError, match=f"{name} must be an integer of at .*, got {found}"):
            call(value)


@pytest.mark.parametrize(
    "call",
    [
        lambda n: fa.bootstrap(OK, T, n_resamples=n),
        lambda n: fa.bootstrap_band(OK, T, n_resamples=n),
        lambda n: fa.compare_models({"a": (OK, T), "b": (OK, T)}, method="bootstrap", n_resamples=n),
        lambda n: fa.costs.cost_curve_band(OK, T, n_resamples=n),
        lambda n: fa.costs.bcost([[8, 1], [2, 9]], [[0, 5], [1, 0]], n_resamples=n),
    ],
)
def test_resamples_that_no_memory_holds(call):
    with pytest.raises(ValueError, match="n_resamples must be an integer of at most 1000000000, got"):
        call(10**9 + 1)


def test_places_that_no_memory_holds():
    for name, call in {
        "grid": lambda: fa.bootstrap_band(OK, T, n_resamples=5, grid=10**12),
        "recall_levels": lambda: fa.interpolated_precision(OK, T, recall_levels=10**12),
    }.items():
        with pytest.raises(ValueError, match=f"{name} must be an integer of at most"):
            call()


@pytest.mark.parametrize("table", [pl.DataFrame, pd.DataFrame, pa.table])
def test_tables_are_not_columns(table):
    for arguments in ((OK, table({"a": T})), (table({"a": OK}), T)):
        with pytest.raises(
            ValueError, match=r"(correct|confidence) must be one c.*, got a table of shape \(3, 1\)"
        ):
            fa.arac_auc_score(*arguments)


def test_scalars_of_the_wrong_type():
    for wrong in ("1", None, [1.0], 1j):
        with pytest.raises(TypeError, match=r"gamma must be a number, got .*"):
            fa.arac_area(OK, T, gamma=wrong)
    with pytest.raises(ValueError, match=r"delta must be a number of at least -1, got -2\.0"):
        fa.VerificationCosts.from_ratios(1, -2.0)
    with pytest.raises(
        ValueError, match=r"max_error_rate must be a number in \[0, 1\], got 1\.5 \(1\.5% is 0\.015\)"
    ):
        fa.evaluate(OK, T, max_error_rate=[0.1, 1.5])
    with pytest.raises(
        TypeError, match=r"max_error_rate must hold numbers in \[0, 1\], got type <U1, not"
    ):
        fa.acceptance_at_error_rate(OK, T, max_error_rate="x")


class FakeTensor:
    """What the door asks of a tensor of torch; the real ones are met in `tests/heavy`."""

    def __init__(self, values, dtype="torch.float32", place="cuda"):
        self.values, self.dtype, self.place = np.asarray(values), dtype, place
        self.shape = self.values.shape

    def detach(self):
        return FakeTensor(self.values, self.dtype, "detached")

    def float(self):
        assert self.dtype == "torch.bfloat16"
        return FakeTensor(self.values.astype(np.float32), place=self.place)

    def cpu(self):
        assert self.place == "detached"
        return FakeTensor(self.values, self.dtype, "cpu")

    def __array__(self, dtype=None, copy=None):
        assert self.place == "cpu"
        assert self.dtype != "torch.bfloat16"
        return self.values.astype(dtype) if dtype else self.values


def test_tensors_are_detached_copied_and_widened():
    expected = fa.threshold_sweep([1, 0, 1], [0.5, 0.25, 0.75])
    for dtype in ("torch.float32", "torch.bfloat16"):
        confidence = FakeTensor([0.5, 0.25, 0.75], dtype)
        assert fa.threshold_sweep(FakeTensor([1, 0, 1]), confidence) == expected
    assert fa.roc_auc_score(FakeTensor([1, 0, 1]), FakeTensor([0.5, 0.25, 0.75])) == 1
    correct, _ = fa.correctness(FakeTensor([0, 1]), FakeTensor([[0.9, 0.1], [0.8, 0.2]]))
    assert correct.tolist() == [True, False]
    pages = fa.evaluate_groups([1, 0], [0.5, 0.6], by=FakeTensor([3, 4])).groups
    assert pages.tolist() == [3, 4]


def test_series_with_the_same_index_in_another_order_are_refused():
    correct = pd.Series([1, 0, 1, 1], index=list("abcd"))
    confidence = pd.Series([0.4, 0.3, 0.2, 0.9], index=list("dcba"))
    message = "^correct and confidence are Series with the same index labels in different orders"
    with pytest.raises(ValueError, match=message):
        fa.threshold_sweep(correct, confidence)
    in_order = fa.threshold_sweep(correct, confidence.reindex(correct.index))
    assert in_order.false_accepts.tolist() == [0, 0, 0, 0, 1]
    by_position = fa.threshold_sweep(correct.to_numpy(), confidence.to_numpy())
    relabelled = confidence.rename({"a": "x"})
    for other in (confidence.reset_index(drop=True), confidence.to_numpy(), relabelled):
        found = fa.threshold_sweep(correct, other)
        assert found.false_accepts.tolist() == by_position.false_accepts.tolist() == [0, 0, 0, 1, 1]
