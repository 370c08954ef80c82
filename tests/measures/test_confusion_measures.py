"""Measures of confusion tables: of one, of many, of classes, of every threshold of a sweep."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import reference_measures as ref
import strategies
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics
from strategies import COMPILED

import fastarac as fa

pytestmark = pytest.mark.interpreted

NAMES = fa.results.ConfusionMeasures.names
THARWAT = {"tp": 70, "fp": 20, "fn": 30, "tn": 80}
THREE_CLASSES = [[80, 15, 0], [15, 70, 10], [5, 15, 90]]

small = st.integers(0, 4)
counts = st.one_of(small, st.integers(0, 10**9), st.integers(0, 2**61 - 1))
weights = st.just(0.0) | st.floats(1e-9, 1e9)
tables = st.one_of(st.tuples(*[small] * 4), st.tuples(*[counts] * 4))


def assert_close(found: float, expected: float, name: str) -> None:
    if math.isnan(expected) or math.isinf(expected):
        assert found == expected or (math.isnan(expected) and math.isnan(found)), name
    elif name == "optimized_precision":  # a difference of two numbers of the order of 1
        assert found == pytest.approx(expected, rel=0, abs=1e-15), name
    else:
        assert found == pytest.approx(expected, rel=2e-15, abs=0), name


def sweep_of(sample: strategies.Sample) -> fa.ThresholdSweep:
    return fa.threshold_sweep(*sample[:2], sample_weight=sample.sample_weight)


def near_balance(n: int, by: int) -> tuple[int, int, int, int]:
    """A table whose TP·TN and FP·FN agree in nearly all their digits."""
    return n + by, n, n, n - 1


class TestValues:
    @given(tables)
    def test_one_table(self, table):
        found = fa.measures.confusion_measures(*table).compute()
        expected = ref.confusion(*table)
        assert list(found) == list(expected)
        for name, value in expected.items():
            assert isinstance(found[name], float)
            assert_close(found[name], ref.rounded(value), name)

    @given(st.lists(tables, min_size=1, max_size=3))
    def test_many_tables_at_once(self, rows):
        found = fa.measures.confusion_measures(*np.array(rows, np.int64).T)
        expected = [ref.confusion(*row) for row in rows]
        for name in NAMES:
            values = getattr(found, name)
            assert values.shape == (len(rows),)
            for value, row in zip(values, expected, strict=True):
                assert_close(float(value), ref.rounded(row[name]), name)

    @given(st.tuples(*[weights] * 4))
    def test_weights(self, table):
        found = fa.measures.confusion_measures(*table).compute()
        for name, value in ref.confusion(*table).items():
            assert_close(found[name], ref.rounded(value), name)

    @pytest.mark.parametrize("scale", [2.0**-900, 2.0**-40, 2.0**990])
    @given(st.tuples(*[weights] * 4))
    def test_weights_of_any_scale(self, scale, table):
        found = fa.measures.confusion_measures(*(scale * w for w in table)).compute()
        for name, value in fa.measures.confusion_measures(*table).compute().items():
            if name != "adjusted_geometric_mean":  # the one that depends on the scale
                assert found[name] == value or (math.isnan(value) and math.isnan(found[name]))

    @pytest.mark.parametrize("n", [10, 10**5, 10**7, 10**9, 2**40 + 1, 2**60])
    @pytest.mark.parametrize("by", [0, 1, 2])
    def test_products_that_nearly_cancel_keep_all_digits(self, n, by):
        table = near_balance(n, by)
        for cells in (table, [[c, c] for c in table]):
            found = fa.measures.confusion_measures(*cells)
            for name, value in ref.confusion(*table).items():
                for one in np.ravel(getattr(found, name)):
                    assert_close(float(one), ref.rounded(value), name)

    @pytest.mark.parametrize("n", [10**9, 2**40 + 1, 2**50 - 3])
    def test_and_those_of_floats(self, n):
        table = [float(c) for c in near_balance(n, 1)]
        found = fa.measures.confusion_measures(*table)
        for name in ("matthews_correlation", "youden_index", "markedness", "kappa"):
            assert_close(getattr(found, name), ref.rounded(ref.confusion(*table)[name]), name)

    @given(tables, st.one_of(st.floats(0, 1e6), st.sampled_from([0, 0.5, 1, 2, 1e200])))
    def test_f_beta(self, table, beta):
        expected = ref.rounded(ref.f_beta(*map(Fraction, table[:3]), beta))
        assert_close(fa.measures.confusion_measures(*table).f_beta(beta), expected, "f_beta")

    def test_f_beta_of_one_is_f1_and_of_zero_precision(self):
        measures = fa.measures.confusion_measures(**THARWAT)
        assert measures.f_beta(1) == measures.f1
        assert measures.f_beta(0) == measures.precision

    def test_perfect_and_worthless(self):
        perfect = fa.measures.confusion_measures(3, 0, 0, 7)
        for name in ("accuracy", "matthews_correlation", "kappa", "youden_index", "f1", "jaccard"):
            assert getattr(perfect, name) == 1
        assert perfect.diagnostic_odds_ratio == perfect.discriminant_power == math.inf
        assert perfect.positive_likelihood_ratio == math.inf
        assert perfect.negative_likelihood_ratio == 0
        worthless = fa.measures.confusion_measures(5, 5, 5, 5)
        assert worthless.matthews_correlation == worthless.kappa == worthless.discriminant_power == 0

    @pytest.mark.parametrize("power", [-100, -30, -2, -1, 0, 1, 2, 30, 100])
    @pytest.mark.parametrize("by", [-3, -1, 0, 1, 3])
    def test_discriminant_power_of_odds_near_powers_of_two(self, power, by):
        """Where its logarithm is put together from an exponent and a mantissa."""
        for part in (0.5**0.5, 1.0, 2**0.5):
            tp = 2.0**power * part
            for _ in range(abs(by)):
                tp = math.nextafter(tp, math.inf if by > 0 else 0)
            expected = ref.confusion(tp, 1, 1, 1)["discriminant_power"]
            found = fa.measures.confusion_measures(tp, 1.0, 1.0, 1.0).discriminant_power
            assert_close(found, ref.rounded(expected), "discriminant_power")

    def test_nothing_at_all(self):
        assert all(math.isnan(v) for v in fa.measures.confusion_measures(0, 0, 0, 0).compute().values())

    def test_second_names(self):
        measures = fa.measures.confusion_measures(**THARWAT)
        assert measures.recall == measures.sensitivity == 0.7
        assert measures.fallout == measures.false_positive_rate == 0.2
        assert measures.generality == measures.prevalence == 0.5


class TestExamplesOfTharwat:
    def test_two_classes(self):
        """Section 2.9.1."""
        m = fa.measures.confusion_measures(**THARWAT)
        assert (m.accuracy, m.error_rate, m.sensitivity, m.specificity) == (0.75, 0.25, 0.7, 0.8)
        assert (m.false_positive_rate, m.false_negative_rate) == (0.2, 0.3)
        assert m.precision == 7 / 9
        assert m.negative_predictive_value == 8 / 11
        assert m.youden_index == m.kappa == 0.5
        assert round(m.positive_likelihood_ratio, 12) == 3.5
        assert round(m.negative_likelihood_ratio, 12) == 0.375
        assert m.diagnostic_odds_ratio == 28 / 3
        assert m.f1 == 14 / 19
        assert m.jaccard == 7 / 12
        assert round(m.optimized_precision, 12) == round(0.75 - 0.1 / 1.5, 12)
        assert round(m.geometric_mean**2, 12) == 0.56

    def test_three_classes(self):
        """Section 2.9.2, with the digits that are printed."""
        counts = fa.measures.class_counts(THREE_CLASSES)
        assert counts.tn.tolist() == [185, 175, 180]
        assert counts.fp.tolist() == [15, 25, 20]
        measures = counts.measures()
        assert measures.sensitivity.tolist() == [0.8, 0.7, 0.9]
        assert [f"{value:.3f}" for value in measures.specificity] == ["0.925", "0.875", "0.900"]
        assert np.trace(THREE_CLASSES) / np.sum(THREE_CLASSES) == 0.8 == counts.micro().f1

    def test_youden_of_two_tests(self):
        """Section 2.7: unlike tests of the same index."""
        m = fa.measures.confusion_measures([7, 9], [2, 4], [3, 1], [8, 6])
        assert m.youden_index.tolist() == [0.5, 0.5]

    def test_iris(self):
        """Section 7: what is printed for class 1 is what it gives as the *negative* class."""
        m = fa.measures.confusion_measures(100, 1, 0, 49)
        shown = m.accuracy, m.sensitivity, m.specificity, m.precision, m.negative_predictive_value
        assert [round(100 * value, 2) for value in shown] == [99.33, 100, 98.0, 99.01, 100]

    def test_table_1_2_and_1_3_of_the_slides(self):
        """Precision, recall and accuracy at the three thresholds, as fractions of the same terms."""
        for labels, expected in (
            ([1, 1, 1, 1, 0, 0, 0, 0], [(1, 1 / 4, 5 / 8), (1, 1, 1), (4 / 7, 1, 5 / 8)]),
            ([1, 1, 0, 0, 1, 0, 1, 0], [(1, 1 / 4, 5 / 8), (0.5, 0.5, 0.5), (4 / 7, 1, 5 / 8)]),
        ):
            sweep = fa.threshold_sweep(labels, np.arange(8, 0, -1) / 8)
            m = fa.measures.confusion_measures(sweep)
            for accepted, values in zip((1, 4, 7), expected, strict=True):
                found = m.precision[accepted], m.recall[accepted], m.accuracy[accepted]
                assert found == values


class TestImbalance:
    """Negatives multiplied by α: which measures stay."""

    # Section 2.1 to 2.8 say of each whether it suits imbalanced data.
    UNMOVED = frozenset(
        [
            "sensitivity",
            "specificity",
            "false_positive_rate",
            "false_negative_rate",
            "positive_likelihood_ratio",
            "negative_likelihood_ratio",
            "diagnostic_odds_ratio",
            "youden_index",
            "discriminant_power",
            "balanced_accuracy",
            "balanced_error_rate",
            "geometric_mean",
        ]
    )

    @given(st.tuples(*[st.integers(1, 1000)] * 4), st.sampled_from([2, 4, 64]))
    def test_those_that_stay(self, table, alpha):
        tp, fp, fn, tn = table
        before = fa.measures.confusion_measures(tp, fp, fn, tn)
        after = fa.measures.confusion_measures(tp, alpha * fp, fn, alpha * tn)
        for name in self.UNMOVED:
            assert getattr(after, name) == pytest.approx(getattr(before, name), rel=1e-14, abs=1e-14)

    def test_and_all_others_move(self):
        before = fa.measures.confusion_measures(70, 20, 30, 80).compute()
        after = fa.measures.confusion_measures(70, 200, 30, 800).compute()
        moved = {name for name in NAMES if abs(after[name] - before[name]) > 1e-9}
        assert moved == set(NAMES) - self.UNMOVED


class TestClasses:
    def items(self, seed=0):
        rng = np.random.default_rng(seed)
        actual = rng.integers(0, 4, 300)
        predicted = np.where(rng.random(300) < 0.7, actual, rng.integers(0, 4, 300))
        return actual, predicted, metrics.confusion_matrix(actual, predicted).T

    @pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
    def test_beside_scikit_learn(self, average):
        actual, predicted, table = self.items()
        mean = getattr(fa.measures.class_counts(table), average)()
        expected = metrics.precision_recall_fscore_support(actual, predicted, average=average)[:3]
        assert (mean.precision, mean.recall, mean.f1) == pytest.approx(expected, rel=1e-14)
        theirs = metrics.jaccard_score(actual, predicted, average=average)
        assert mean.jaccard == pytest.approx(theirs, rel=1e-14)
        theirs = metrics.fbeta_score(actual, predicted, beta=2, average=average)
        assert mean.f_beta(2) == pytest.approx(theirs, rel=1e-14)

    def test_two_classes_beside_scikit_learn(self):
        rng = np.random.default_rng(1)
        actual = rng.random(200) < 0.3
        predicted = actual ^ (rng.random(200) < 0.2)
        (tn, fp), (fn, tp) = metrics.confusion_matrix(actual, predicted)
        m = fa.measures.confusion_measures(tp, fp, fn, tn)
        for ours, theirs in (
            (m.matthews_correlation, metrics.matthews_corrcoef(actual, predicted)),
            (m.kappa, metrics.cohen_kappa_score(actual, predicted)),
            (m.balanced_accuracy, metrics.balanced_accuracy_score(actual, predicted)),
            (m.accuracy, metrics.accuracy_score(actual, predicted)),
        ):
            assert ours == pytest.approx(theirs, rel=1e-13)
        ratios = metrics.class_likelihood_ratios(actual, predicted)
        assert (m.positive_likelihood_ratio, m.negative_likelihood_ratio) == pytest.approx(
            ratios, rel=1e-13
        )

    def test_stacks_of_matrices(self):
        stack = np.array([self.items(seed)[2] for seed in range(6)]).reshape(2, 3, 4, 4)
        whole = fa.measures.class_counts(stack)
        assert whole.tp.shape == (2, 3, 4)
        for i, j in np.ndindex(2, 3):
            one = fa.measures.class_counts(stack[i, j])
            assert whole.measures().kappa[i, j].tolist() == one.measures().kappa.tolist()
            for average in ("macro", "micro", "weighted"):
                assert getattr(whole, average)().f1[i, j] == getattr(one, average)().f1

    def test_a_class_without_items(self):
        counts = fa.measures.class_counts([[3, 1, 1], [0, 4, 0], [0, 0, 0]])
        assert counts.fn.tolist() == [0, 1, 1]
        without = fa.measures.class_counts([[3, 1, 0], [0, 4, 0], [0, 0, 0]])
        assert math.isnan(without.macro().recall)
        assert without.weighted().recall == pytest.approx((3 * 1 + 5 * 0.8) / 8)
        assert repr(without.macro()) == "AveragedMeasures(macro, 3 classes)"
        assert repr(without.weighted()) == "AveragedMeasures(weighted, 3 classes)"

    @pytest.mark.parametrize(
        ("table", "message"),
        [
            (
                [[1, 2, 3], [4, 5, 6]],
                r"prediction_counts must be a square matrix.*, got shape \(2, 3\)",
            ),
            ([1, 2], r"prediction_counts must be a square matrix.*, got shape \(2,\)"),
            (np.zeros((0, 0)), r"must be a square matrix, got shape \(0, 0\)"),
            ([[1, 2], [-3, 4]], r"prediction_counts\[1, 0\] must .*got -3"),
            ([[2**62, 0], [0, 2**62]], r"prediction_counts must sum to less than 2\*\*63,"),
        ],
    )
    def test_errors(self, table, message):
        with pytest.raises(ValueError, match=message):
            fa.measures.class_counts(table)


class TestSweeps:
    @pytest.mark.slow
    @given(strategies.items)
    def test_each_threshold_is_a_table(self, sample):
        sweep = sweep_of(sample)
        found = fa.measures.confusion_measures(sweep)
        tables = (
            sweep.true_accepts,
            sweep.false_accepts,
            sweep.false_rejects,
            sweep.true_rejects,
        )
        expected = fa.measures.confusion_measures(*tables)
        whole = sweep.true_accepts.dtype.kind == "i"
        for name in NAMES:
            ours, theirs = getattr(found, name), getattr(expected, name)
            assert ours.shape == sweep.thresholds.shape
            if whole:
                np.testing.assert_array_equal(ours, theirs, err_msg=name)
        if whole:
            np.testing.assert_array_equal(found.f_beta(3), expected.f_beta(3))

    @given(strategies.items)
    def test_the_best_is_the_best_of_the_array(self, sample):
        found = fa.measures.confusion_measures(sweep_of(sample))
        best = found.best()
        assert set(best) == set(NAMES) - {"prevalence"}
        losses = {"error_rate", "negative_likelihood_ratio", "balanced_error_rate"}
        for name, (value, threshold, position) in best.items():
            values = getattr(found, name)
            defined = values[~np.isnan(values)]
            if not len(defined):
                assert math.isnan(value)
                assert math.isnan(threshold)
                assert position == -1
                continue
            loss = name.startswith("false_") or name in losses
            assert value == (defined.min() if loss else defined.max())
            assert position == np.flatnonzero(values == value)[-1]
            assert threshold == found.sweep.thresholds[position]
            single = found.best(name)
            assert (single.value, single.position) == (value, position)

    def test_several_names(self):
        sweep = fa.threshold_sweep([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2])
        measures = fa.measures.confusion_measures(sweep)
        found = measures.best(["f1", "kappa"])
        assert list(found) == ["f1", "kappa"]
        assert found["f1"] == measures.best("f1") == (6 / 7, 0.6, 4)
        assert repr(measures) == str(measures) == "SweepMeasures(5 thresholds)"
        assert isinstance(found["f1"].threshold, float)

    @pytest.mark.parametrize("threads", ["1", "2", "5"])
    def test_threads_change_nothing(self, threads, monkeypatch):
        n = 400_000 if COMPILED else 3_000
        rng = np.random.default_rng(4)
        confidence = rng.random(n)
        sweep = fa.threshold_sweep(rng.random(n) < confidence, confidence)
        measures = fa.measures.confusion_measures(sweep)
        monkeypatch.setenv("FASTARAC_NUM_THREADS", "1")
        arrays, best = measures.matthews_correlation, measures.best()
        monkeypatch.setenv("FASTARAC_NUM_THREADS", threads)
        assert np.array_equal(measures.matthews_correlation, arrays, equal_nan=True)
        assert measures.best() == best
        position = int(np.nanargmax(arrays))
        assert best["matthews_correlation"][::2] == (arrays[position], position)

    @given(strategies.items, st.integers(1, 7))
    def test_blocks(self, sample, size):
        measures = fa.measures.confusion_measures(sweep_of(sample))
        whole = measures.compute()
        seen = 0
        for place, found in measures.blocks(size=size):
            assert place.start == seen
            seen = place.stop
            assert list(found) == list(NAMES)
            for name, values in found.items():
                assert len(values) == min(size, len(whole[name]) - place.start)
                np.testing.assert_array_equal(values, whole[name][place], err_msg=name)
        assert seen == len(measures.sweep.thresholds)

    def test_some_measures(self):
        measures = fa.measures.confusion_measures(fa.threshold_sweep([1, 1, 0], [0.9, 0.8, 0.7]))
        some = measures.compute(["kappa", "f1"])
        assert list(some) == ["kappa", "f1"]
        assert some["f1"].tolist() == measures.f1.tolist()
        assert list(measures.compute("f1")) == ["f1"]
        assert measures.compute([]) == {}
        assert [list(found) for _, found in measures.blocks(["f1"])] == [["f1"]]
        for call in (measures.compute, measures.blocks):
            with pytest.raises(ValueError, match="measures must be one of 'accuracy', 'error_rate'"):
                call(["f1", "recall"])
        with pytest.raises(ValueError, match="size must be an integer of at least 1, got 0"):
            measures.blocks(size=0)

    def test_several_blocks_of_the_kernel(self):
        """More tables than are taken at a time, with the best at the beginning and at the end."""
        n = 2500
        correct = np.repeat([True, False], n)
        confidence = np.arange(2 * n, 0, -1.0)
        best = fa.measures.confusion_measures(fa.threshold_sweep(correct, confidence)).best()
        assert best["accuracy"] == best["kappa"] == (1, confidence[n - 1], n)
        assert best["precision"] == (1, confidence[n - 1], n)
        assert best["sensitivity"] == (1, 1.0, 2 * n)
        assert best["false_positive_rate"] == (0, confidence[n - 1], n)
        worst = fa.measures.confusion_measures(fa.threshold_sweep(~correct, confidence)).best()
        assert worst["false_negative_rate"] == (0, 1.0, 2 * n)
        assert worst["specificity"] == (1, np.inf, 0)
        assert worst["discriminant_power"].value == -np.inf

    def test_huge_counts(self):
        table = (2**61, 2**61 - 1, 2**60 + 1, 2**60)
        sweep = fa.ThresholdSweep.from_counts([1.0, 0.5], [table[0], table[2]], [table[1], table[3]])
        found = fa.measures.confusion_measures(sweep)
        expected = ref.confusion(*table)
        for name in NAMES:
            assert_close(float(getattr(found, name)[1]), ref.rounded(expected[name]), name)

    def test_large_integers_as_thresholds(self):
        sweep = fa.threshold_sweep([1, 0, 1], np.array([2**62 + 1, 2**62, 5]))
        assert fa.measures.confusion_measures(sweep).best("precision").threshold == 2**62 + 1

    def test_names_that_are_none(self):
        measures = fa.measures.confusion_measures(fa.threshold_sweep([1, 0], [0.9, 0.8]))
        with pytest.raises(ValueError, match="measure must be one of 'accuracy', 'error_rate',"):
            measures.best("F1")
        with pytest.raises(ValueError, match="', got 'prevalence'"):
            measures.best(["f1", "prevalence"])


class TestArguments:
    def test_shapes(self):
        found = fa.measures.confusion_measures(
            np.arange(6).reshape(2, 3), 1, np.ones((2, 1)), [1, 2, 3]
        )
        assert found.accuracy.shape == found.tp.shape == (2, 3)
        assert found.f_beta(2).shape == (2, 3)
        assert repr(found) == str(found) == "ConfusionMeasures(2 x 3 tables)"
        assert fa.measures.confusion_measures([], [], [], []).kappa.shape == (0,)
        assert fa.measures.confusion_measures([[1]], 1, 1, 1).f1.tolist() == [[0.5]]

    def test_types(self):
        expected = fa.measures.confusion_measures(**THARWAT).compute()
        for dtype in (np.uint8, np.int32, np.uint64, np.float32, np.float64, ">i8"):
            cells = {name: np.array(value, dtype) for name, value in THARWAT.items()}
            assert fa.measures.confusion_measures(**cells).compute() == pytest.approx(
                expected, rel=1e-15
            )
        assert fa.measures.confusion_measures(*np.array([True, False, False, True])).accuracy == 1
        assert fa.measures.confusion_measures(**THARWAT).tp.dtype == np.int64

    def test_inputs_stay_as_they_are(self):
        cells = [np.array([3.0, 0.0]) for _ in range(4)]
        fa.measures.confusion_measures(*cells).compute()
        assert all(cell.tolist() == [3.0, 0.0] for cell in cells)

    def test_frozen(self):
        measures = fa.measures.confusion_measures(**THARWAT)
        with pytest.raises(AttributeError):
            measures.tp = 3

    def test_text(self):
        measures = fa.measures.confusion_measures(**THARWAT)
        assert repr(measures) == "ConfusionMeasures(tp=70, fp=20, fn=30, tn=80)"
        lines = str(measures).splitlines()
        assert lines[0].split() == ["accuracy", "0.75"]
        assert len(lines) == len(NAMES) == 27

    @pytest.mark.parametrize(
        ("cells", "error", "message"),
        [
            ((1, -2, 3, 4), ValueError, r"fp must be a finite number of at least 0, got -2"),
            (([1, 2], 1, [[1], [np.nan]], 1), ValueError, r"fn\[1, 0\] must be a finite.*, got nan"),
            ((1, 1, 1, np.inf), ValueError, "tn must be a finite number"),
            ((1, 1, 1, "1"), TypeError, "tn must hold integers or floats up to 64 bits,"),
            ((1, 1, 1 + 2j, 1), TypeError, "fn must hold integers or floats up to 64 bits,"),
            ((1, 1, 1), TypeError, "is missing: give tp, fp, fn and tn, or a ThresholdSweep"),
            (([1, 2], [1, 2, 3], 1, 1), ValueError, r", got \(2,\), \(3,\), \(\), \(\)"),
            ((2**62, 2**62, 0, 0), ValueError, "tp, fp, fn and tn must sum to at most 2"),
            ((1e308, 1e308, 0, 0), ValueError, "tn must have a finite sum, got inf"),
            ((np.uint64(2**63), 0, 0, 0), ValueError, "- 1, got 9223372036854775808"),
        ],
    )
    def test_errors(self, cells, error, message):
        with pytest.raises(error, match=message):
            fa.measures.confusion_measures(*cells)

    def test_largest_counts(self):
        assert fa.measures.confusion_measures(2**63 - 1, 0, 0, 0).accuracy == 1
        assert fa.measures.confusion_measures(2**62, 2**62 - 1, 0, 0).precision == 0.5

    def test_nothing_beside_a_sweep(self):
        sweep = fa.threshold_sweep([1, 0], [0.9, 0.8])
        with pytest.raises(TypeError, match="fp cannot go with a ThresholdSweep"):
            fa.measures.confusion_measures(sweep, 3)

    @pytest.mark.parametrize("beta", [-1, math.nan, math.inf])
    def test_beta(self, beta):
        with pytest.raises(ValueError, match="beta must be a finite number"):
            fa.measures.confusion_measures(**THARWAT).f_beta(beta)
