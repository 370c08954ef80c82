"""The sweep: its derived quantities, counts instead of items, merging, any threshold."""

from __future__ import annotations

import math

import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st

import fastarac as fa

pytestmark = pytest.mark.interpreted

CORRECT = [1, 1, 0, 1, 0, 1]
CONFIDENCE = [0.9, 0.8, 0.8, 0.6, 0.3, 0.3]


def same(a: fa.ThresholdSweep, b: fa.ThresholdSweep) -> bool:
    return all(
        np.array_equal(getattr(a, name), getattr(b, name))
        and getattr(a, name).dtype == getattr(b, name).dtype
        for name in ("thresholds", "true_accepts", "false_accepts")
    )


def test_by_hand():
    sweep = fa.threshold_sweep(CORRECT, CONFIDENCE)
    assert sweep.thresholds.tolist() == [math.inf, 0.9, 0.8, 0.6, 0.3]
    assert sweep.true_accepts.tolist() == [0, 1, 2, 3, 4]
    assert sweep.false_accepts.tolist() == [0, 0, 1, 1, 2]
    assert sweep.false_rejects.tolist() == [4, 3, 2, 1, 0]
    assert sweep.true_rejects.tolist() == [2, 2, 1, 1, 0]
    assert (sweep.n_correct, sweep.n_incorrect, sweep.total) == (4, 2, 6)
    assert isinstance(sweep.n_correct, int)
    assert sweep.recognition_rate == 4 / 6
    assert sweep.acceptance_rate.tolist() == [0, 1 / 6, 3 / 6, 4 / 6, 1]
    assert sweep.verification_rate.tolist() == [1, 5 / 6, 3 / 6, 2 / 6, 0]
    assert sweep.correction_rate.tolist() == [2 / 6, 2 / 6, 1 / 6, 1 / 6, 0]
    assert sweep.error_rate.tolist() == [0, 0, 1 / 6, 1 / 6, 2 / 6]
    assert sweep.accuracy_after_correction.tolist() == [1, 1, 5 / 6, 5 / 6, 4 / 6]
    assert sweep.risk.tolist() == [0, 0, 1 / 3, 1 / 4, 2 / 6]
    assert sweep.precision.tolist() == [1, 1, 2 / 3, 3 / 4, 4 / 6]
    assert sweep.recall.tolist() == [0, 1 / 4, 2 / 4, 3 / 4, 1]
    assert sweep.false_positive_rate.tolist() == [0, 0, 1 / 2, 1 / 2, 1]
    assert repr(sweep) == "ThresholdSweep(4 thresholds, 4 correct, 2 incorrect)"


def test_precision_and_risk_of_nothing_repeat_their_first_value():
    sweep = fa.threshold_sweep([0, 1], [0.9, 0.1])
    assert sweep.risk.tolist() == [1, 1, 0.5]
    assert sweep.precision.tolist() == [0, 0, 0.5]


def test_one_class_has_no_recall_or_no_false_positive_rate():
    right = fa.threshold_sweep([1, 1], [0.9, 0.1])
    assert right.recall.tolist() == [0, 0.5, 1]
    assert np.isnan(right.false_positive_rate).all()
    wrong = fa.threshold_sweep([0, 0], [0.9, 0.1])
    assert np.isnan(wrong.recall).all()
    assert wrong.false_positive_rate.tolist() == [0, 0.5, 1]


def test_it_is_frozen_and_its_arrays_are_read_only():
    sweep = fa.threshold_sweep(CORRECT, CONFIDENCE)
    with pytest.raises(AttributeError):
        sweep.thresholds = np.zeros(5)
    for array in (sweep.thresholds, sweep.true_accepts, sweep.false_accepts):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    assert sweep.error_rate.flags.writeable  # what is computed on demand is the caller's own


@given(strategies.items)
def test_the_three_rates_sum_to_one(sample):
    sweep = fa.threshold_sweep(sample.correct, sample.confidence, **sample.weighted)
    total = sweep.recognition_rate + sweep.error_rate + sweep.correction_rate  # equation 7
    np.testing.assert_allclose(total, 1.0, rtol=1e-13)
    np.testing.assert_allclose(sweep.acceptance_rate + sweep.verification_rate, 1.0, rtol=1e-13)
    assert (np.diff(sweep.acceptance_rate) >= 0).all()
    assert (np.diff(sweep.accuracy_after_correction) <= 0).all()
    assert sweep.acceptance_rate[[0, -1]].tolist() == [0, 1]
    assert sweep.accuracy_after_correction[0] == 1
    assert sweep.accuracy_after_correction[-1] == pytest.approx(sweep.recognition_rate, rel=1e-15)


@given(strategies.items, st.integers(0, 40))
def test_merging_parts_is_exact(sample, at):
    whole = fa.threshold_sweep(sample.correct, sample.confidence, **sample.weighted)
    parts = [sample.take(slice(None, at)), sample.take(slice(at, None))]
    parts = [p for p in parts if len(p.correct)]
    if sample.sample_weight is not None:
        parts = [p for p in parts if p.sample_weight.sum() > 0]
    sweeps = [fa.threshold_sweep(p.correct, p.confidence, **p.weighted) for p in parts]
    merged = sum(sweeps)
    if sample.sample_weight is None:
        assert same(merged, whole)
    else:
        np.testing.assert_array_equal(merged.thresholds, whole.thresholds)
        np.testing.assert_allclose(merged.true_accepts, whole.true_accepts, rtol=1e-15)


@given(strategies.items)
def test_counts_per_confidence_make_the_same_sweep(sample):
    whole = fa.threshold_sweep(sample.correct, sample.confidence, **sample.weighted)
    weights = 1 if sample.sample_weight is None else sample.sample_weight
    right = sample.correct.astype(bool)
    sweep = fa.ThresholdSweep.from_counts(sample.confidence, right * weights, ~right * weights)
    if sample.sample_weight is None:
        assert same(sweep, whole)
    else:
        np.testing.assert_array_equal(sweep.thresholds, whole.thresholds)
        np.testing.assert_allclose(sweep.false_accepts, whole.false_accepts, rtol=1e-13)


def test_counts_in_any_order_with_repeats_and_empty_rows():
    sweep = fa.ThresholdSweep.from_counts([10, 90, 50, 90], [1, 2, 0, 3], [4, 0, 0, 1])
    assert sweep.thresholds.tolist() == [math.inf, 90, 10]
    assert sweep.true_accepts.tolist() == [0, 5, 6]
    assert sweep.false_accepts.tolist() == [0, 1, 5]
    assert sweep.true_accepts.dtype == np.int64


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, math.nan], [1, 1], [1, 1]), r"thresholds\[1\] must be a finite number.*, got nan"),
        (([1, 2], [1], [1, 1]), "correct_counts and thresholds must have the same number of items,"),
        (
            ([1, 2], [1, -1], [1, 1]),
            r"correct_counts\[1\] must be a finite number of at least 0, got -1",
        ),
        (
            ([1, 2], [1, 1], [1, math.inf]),
            r"incorrect_counts\[1\] must be a finite number of at least 0, got inf",
        ),
        (
            ([1, 2], [1, None], [1, None]),
            r"correct_counts must have .*, got null at correct_counts\[1\] .* a label or confidence",
        ),
        (
            ([1, 2], [1, math.nan], [1, 1]),
            r"correct_counts\[1\] must be .*, got nan .* a label or confidence is NULL",
        ),
        (([1, 2], [0, 0], [0, 0]), "a positive sum below .*, got 0"),
        (([], [], []), "correct_counts and incorrect_counts must have a positive sum that"),
        (
            ([1, 2], [2**62, 2**62], [1, 1]),
            "correct_counts and incorrect_counts must have a positive sum",
        ),
        (([1, 2], [1e308, 1e308], [1, 1]), "a positive sum that is finite, got inf"),
    ],
)
def test_wrong_counts(arguments, message):
    with pytest.raises(ValueError, match=message):
        fa.ThresholdSweep.from_counts(*arguments)


def test_merging_beyond_int64():
    half = fa.ThresholdSweep.from_counts([1], [2**62], [0])
    with pytest.raises(ValueError, match="which int64 cannot hold"):
        half + half


def test_only_sweeps_are_merged():
    sweep = fa.threshold_sweep(CORRECT, CONFIDENCE)
    for other in (1, "x", None):
        with pytest.raises(TypeError):
            sweep + other
        with pytest.raises(TypeError):
            other + sweep


@given(strategies.items, st.floats(allow_nan=False) | st.integers(-(2**65), 2**65))
def test_counts_at_any_threshold(sample, threshold):
    sweep = fa.threshold_sweep(sample.correct, sample.confidence, **sample.weighted)
    rows = [*sample.confidence.tolist()[:3], threshold]
    weights = np.ones(len(sample.correct)) if sample.sample_weight is None else sample.sample_weight
    for k in rows:
        accepted = np.array([t >= k for t in sample.confidence.tolist()])
        right = sample.correct.astype(bool)
        found = sweep.at(k)
        expected = [weights[accepted & right], weights[accepted & ~right]]
        expected += [weights[~accepted & right], weights[~accepted & ~right]]
        np.testing.assert_allclose(found, [math.fsum(w) for w in expected], rtol=1e-12, atol=1e-12
                                   * float(sweep.total))  # fmt: skip


def test_counts_at_arrays_of_thresholds():
    sweep = fa.threshold_sweep(CORRECT, CONFIDENCE)
    found = sweep.at([[math.inf, 0.85], [0.3, -math.inf]])
    assert found.true_accepts.tolist() == [[0, 1], [4, 4]]
    assert found.true_rejects.tolist() == [[2, 2], [0, 0]]
    assert sweep.at(2**70) == (0, 0, 4, 2)
    with pytest.raises(ValueError, match="threshold must be a number, got NaN"):
        sweep.at([0.1, math.nan])
    with pytest.raises(TypeError, match="threshold must be a number, got type"):
        sweep.at("0.5")


def test_an_item_without_weight_is_as_if_absent():
    weight = [1, 1, 1, 0, 2, 2]
    sweep = fa.threshold_sweep(CORRECT, CONFIDENCE, sample_weight=weight)
    assert sweep.thresholds.tolist() == [math.inf, 0.9, 0.8, 0.3]
    assert sweep.true_accepts.dtype == np.float64
    assert sweep.true_accepts.tolist() == [0, 1, 2, 4]
    # however small a weight is beside the others, it is there
    sweep = fa.threshold_sweep([1, 0], [0.5, 0.1], sample_weight=[1e-4, 1e300])
    assert sweep.thresholds.tolist() == [math.inf, 0.5, 0.1]


def test_vast_counts_are_added_before_they_are_rounded():
    sweep = fa.ThresholdSweep.from_counts([1, 0], [16, 0], [1 << 57, 1])
    assert sweep.acceptance_rate[-1] == 1.0
    assert sweep.verification_rate[-1] == 0.0
    assert fa.arac_curve(sweep).acceptance_rate[-1] == 1.0


class TestBuiltDirectly:
    ARRAYS = (np.array([np.inf, 0.9, 0.5]), np.array([0, 1, 2]), np.array([0, 0, 1]))

    def test_is_copied_and_leaves_the_arrays_alone(self):
        arrays = [array.copy() for array in self.ARRAYS]
        sweep = fa.ThresholdSweep(*arrays)
        assert sweep == fa.threshold_sweep([1, 1, 0], [0.9, 0.5, 0.5])
        for array in arrays:
            array[-1] = 7
        assert sweep == fa.ThresholdSweep(*self.ARRAYS)

    @pytest.mark.parametrize(
        ("position", "array", "error", "message"),
        [
            (
                0,
                [np.inf, 0.9, None],
                ValueError,
                "thresholds must have a value for each item, got null at",
            ),
            (1, ["0", "1", "2"], TypeError, "true_accepts has type <U1"),
            (0, np.array([np.inf]), ValueError, "thresholds must be an array of shape"),
            (0, np.array([1.0, 0.9, 0.5]), ValueError, "thresholds must start with inf and strictly"),
            (0, np.array([np.inf, 0.5, 0.5]), ValueError, "thresholds must start with inf"),
            (0, np.array([np.inf, 0.5, np.nan]), ValueError, "thresholds must start with inf"),
            (1, np.array([0, 1]), ValueError, r"true_accepts must have the shape"),
            (1, np.array([0, 2, 1]), ValueError, "true_accepts must start with 0, never"),
            (2, np.array([1, 1, 1]), ValueError, "false_accepts must start with 0, never"),
            (
                2,
                np.array([0, 0, 1], np.int8),
                TypeError,
                "false_accepts must have type int64, or float64",
            ),
            (
                2,
                np.array([0.0, 0.0, 1.0]),
                TypeError,
                "false_accepts must have type int64, or float64 for weights,",
            ),
        ],
    )
    def test_is_checked(self, position, array, error, message):
        arrays = list(self.ARRAYS)
        arrays[position] = array
        with pytest.raises(error, match=message):
            fa.ThresholdSweep(*arrays)

    @pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
    def test_takes_the_columns_of_its_own_table(self, backend):
        sweep = fa.ThresholdSweep(*self.ARRAYS)
        frame = sweep.to_frame(backend)
        columns = [frame[name] for name in ("thresholds", "true_accepts", "false_accepts")]
        again = fa.ThresholdSweep(*columns)
        assert again == sweep
        assert all(type(array) is np.ndarray for array in again.to_columns().values())

    def test_needs_items(self):
        zero = np.zeros(3, np.int64)
        with pytest.raises(ValueError, match="both end at 0"):
            fa.ThresholdSweep(self.ARRAYS[0], zero, zero)
