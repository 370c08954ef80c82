"""Error probabilities by pooling, tables and errors of calibration, against obvious references."""

from __future__ import annotations

import math

import numpy as np
import pytest
import reference_operation as ref
import strategies
from hypothesis import given
from hypothesis import strategies as st

import fastarac as fa
from fastarac import operation

pytestmark = pytest.mark.interpreted


class TestCalibration:
    @given(strategies.tied())
    def test_blocks_against_all_intervals(self, sample):
        found = operation.isotonic_calibration(sample.correct, sample.confidence)
        expected = ref.isotonic(sample.correct.tolist(), sample.confidence.tolist())
        assert list(found.thresholds) == [block[0] for block in expected]
        assert found.n_items.tolist() == [block[1] for block in expected]
        assert found.errors.tolist() == [block[2] for block in expected]
        assert found.error_probability.tolist() == [float(block[3]) for block in expected]

    @given(st.lists(st.tuples(st.booleans(), st.integers(0, 9)), min_size=1, max_size=14))
    def test_blocks_of_ties(self, items):
        correct, confidence = zip(*items, strict=True)
        found = operation.isotonic_calibration(correct, confidence)
        expected = ref.isotonic(correct, confidence)
        assert list(found.thresholds) == [block[0] for block in expected]
        assert found.errors.tolist() == [block[2] for block in expected]

    def test_equal_rates_are_one_block_however_large(self):
        # 3·10⁹ of 10¹⁰ and 9·10⁹ of 3·10¹⁰ are equal; one error more is not
        sweep = fa.ThresholdSweep.from_counts(
            [3, 2, 1], [7 * 10**9, 21 * 10**9, 7 * 10**9 - 1], [3 * 10**9, 9 * 10**9, 3 * 10**9 + 1]
        )
        found = operation.isotonic_calibration(sweep)
        assert found.thresholds == (2, 1)
        assert found.n_items.tolist() == [4 * 10**10, 10**10]

    def test_vast_integers(self):
        confidence = np.array([2**62, 2**62 + 1, 2**62 + 2], np.int64)
        found = operation.isotonic_calibration([0, 1, 1], confidence)
        assert found.thresholds == (2**62 + 1, 2**62)
        assert found.at(confidence).tolist() == [1.0, 0.0, 0.0]

    def test_knots_and_ends(self):
        found = operation.isotonic_calibration([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2])
        assert found.at([2.0, 0.8, 0.79, 0.6, 0.5, 0.2, -1.0]).tolist() == [0, 0, 0.5, 0.5, 1, 1, 1]
        assert found.accepted_down_to(0.5) == 0.6
        assert found.accepted_down_to(1.0) == -math.inf
        assert found.accepted_down_to(-0.1) == math.inf

    def test_weights_are_refused(self):
        sweep = fa.threshold_sweep([1, 0], [0.5, 0.2], sample_weight=[1.5, 1])
        with pytest.raises(TypeError, match="the sweep is weighted"):
            operation.isotonic_calibration(sweep)

    def test_table_of_equal_numbers_keeps_ties_together(self):
        table = operation.calibration_table([1, 0, 1, 1, 0, 1], [1, 1, 1, 2, 3, 4], n_bins=3)
        assert table.n_items.tolist() == [3, 1, 2]
        assert table.n_correct.tolist() == [2, 1, 1]
        assert table.low.tolist() == [1, 2, 3]
        assert table.high.tolist() == [1, 2, 4]
        assert (table.accuracy_low <= table.accuracy).all()
        assert (table.accuracy <= table.accuracy_high).all()

    @pytest.mark.slow
    def test_chance_makes_the_whole_of_it_where_calibration_is_perfect(self):
        rng = np.random.default_rng(3)
        found = []
        for _ in range(200):
            confidence = rng.random(300)
            error = operation.expected_calibration_error(rng.random(300) < confidence, confidence)
            found.append((error.estimate, error.by_chance))
        estimate, by_chance = np.mean(found, axis=0)
        # confidences vary inside a bin, which chance alone does not know: a little below
        assert 0.97 < estimate / by_chance < 1.02

    def test_confidences_beyond_probabilities(self):
        with pytest.raises(
            ValueError, match=r"confidence must hold probabilities in \[0, 1\], got 0\.5 to 7"
        ):
            operation.expected_calibration_error([1, 0], [0.5, 7])
