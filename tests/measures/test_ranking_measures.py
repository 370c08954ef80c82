"""Measures of rankings: one query, ragged batches, the slides' examples, scikit-learn beside them."""

from __future__ import annotations

import math
import warnings
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
import reference_measures as ref
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics
from strategies import COMPILED

import fastarac as fa

pytestmark = pytest.mark.interpreted

relevances = st.lists(st.integers(0, 1), min_size=1, max_size=12)
gain = st.one_of(st.integers(0, 3), st.floats(0, 1e6, allow_subnormal=False), st.just(-0.0))
gains_of_one = st.lists(gain, min_size=1, max_size=40)
kinds = st.sampled_from(["jarvelin", "burges"])


def batches(values):
    """Rankings of different lengths, empty ones among them."""
    return st.lists(values | st.just([]), min_size=1, max_size=5)


def quietly(function, *arguments, **keywords):
    """The result, and whether it came with the warning that it is undefined."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = function(*arguments, **keywords)
    assert {warning.category for warning in caught} <= {fa.UndefinedMetricWarning}
    assert bool(np.isnan(result).any()) == bool(caught)
    return result


def ragged(batch, dtype=None):
    lengths = [len(ranking) for ranking in batch]
    values = np.array([value for ranking in batch for value in ranking], dtype or np.float64)
    return values, np.cumsum([0, *lengths])


class TestSlides:
    def test_average_precision(self):
        assert fa.measures.ranking_average_precision([1, 0, 0, 1, 0, 0]) == 0.75

    def test_mean_reciprocal_rank(self):
        assert fa.measures.mean_reciprocal_rank([[1, 0, 1, 0], [0, 0, 0, 1]]) == 0.625

    def test_dcg(self):
        gains = [4, 1, 4, 2, 1]
        assert (
            round(fa.measures.discounted_cumulative_gain(gains), 2) == 8.95
        )  # 8.96 with rounded terms
        ideal = fa.measures.discounted_cumulative_gain(sorted(gains, reverse=True))
        assert round(ideal, 2) == 10.19  # printed 10.70; its rounded terms add up to 10.20
        assert round(fa.measures.normalized_dcg(gains), 3) == round(8.9544 / 10.1925, 3) == 0.879
        reverse = sorted(gains)
        assert round(fa.measures.discounted_cumulative_gain(reverse), 2) == 6.98
        assert round(fa.measures.normalized_dcg(reverse), 3) == 0.685
        assert fa.measures.normalized_dcg(sorted(gains, reverse=True)) == 1

    def test_terms_of_the_printed_dcg(self):
        assert round(4 + 1 + 4 / 1.58 + 2 / 2 + 1 / 2.32, 2) == 8.96
        assert round(4 + 4 + 2 / 1.58 + 1 / 2 + 1 / 2.32, 2) == 10.2

    def test_cumulative_gain(self):
        assert [fa.measures.cumulative_gain([4, 1, 4, 2, 1], k) for k in range(1, 6)] == [
            4,
            5,
            9,
            11,
            12,
        ]


class TestReference:
    @given(batches(relevances), st.lists(st.integers(1, 15), min_size=1, max_size=4))
    def test_precision_and_recall(self, batch, ranks):
        precision = fa.measures.precision_at_k(ragged(batch, np.uint8), ranks)
        recall = quietly(fa.measures.recall_at_k, ragged(batch, np.uint8), ranks)
        assert precision.shape == recall.shape == (len(batch), len(ranks))
        for q, ranking in enumerate(batch):
            for j, k in enumerate(ranks):
                assert precision[q, j] == ref.rounded(ref.precision_at(ranking, k))
                expected = ref.rounded(ref.recall_at(ranking, k, sum(ranking)))
                np.testing.assert_equal(recall[q, j], expected)
        alone = fa.measures.precision_at_k(ragged(batch, np.uint8), ranks[0])
        assert alone.tolist() == precision[:, 0].tolist()

    @given(batches(relevances), st.integers(0, 3))
    def test_average_precision(self, batch, more):
        missing = [sum(ranking) + more for ranking in batch]
        found = quietly(fa.measures.ranking_average_precision, ragged(batch), missing)
        recall = quietly(fa.measures.recall_at_k, ragged(batch), 3, missing)
        for q, ranking in enumerate(batch):
            expected = ref.rounded(ref.average_precision(ranking, missing[q]))
            assert found[q] == pytest.approx(expected, rel=1e-14, nan_ok=True)
            expected = ref.rounded(ref.recall_at(ranking, 3, missing[q]))
            np.testing.assert_equal(recall[q], expected)

    @given(batches(relevances))
    def test_reciprocal_rank(self, batch):
        found = fa.measures.reciprocal_rank(ragged(batch))
        expected = [ref.rounded(ref.reciprocal_rank(ranking)) for ranking in batch]
        assert found.tolist() == expected
        assert fa.measures.mean_reciprocal_rank(ragged(batch)) == pytest.approx(np.mean(expected))

    @given(batches(gains_of_one), st.none() | st.integers(1, 45), kinds)
    def test_gains(self, batch, k, kind):
        given_batch = ragged(batch)
        dcg = fa.measures.discounted_cumulative_gain(given_batch, k, kind)
        ndcg = quietly(fa.measures.normalized_dcg, given_batch, k, kind)
        total = fa.measures.cumulative_gain(given_batch, k)
        for q, gains in enumerate(batch):
            shown = k or len(gains)
            expected = ref.rounded(ref.discounted_gain(gains, shown, kind))
            assert dcg[q] == pytest.approx(expected, rel=1e-14)
            expected = ref.rounded(ref.normalized_gain(gains, gains, shown, kind))
            assert ndcg[q] == pytest.approx(expected, rel=1e-14, nan_ok=True)
            assert total[q] == pytest.approx(math.fsum(gains[:shown]), rel=1e-14)

    @given(gains_of_one, gains_of_one, st.none() | st.integers(1, 45), kinds)
    def test_judged_gains(self, gains, others, k, kind):
        judged = gains + others
        found = quietly(fa.measures.normalized_dcg, gains, k, kind, judged_gains=judged)
        expected = ref.normalized_gain(gains, judged, k or len(judged), kind)
        assert found == pytest.approx(ref.rounded(expected), rel=1e-14, nan_ok=True)

    def test_gains_may_be_negative_where_nothing_is_divided(self):
        assert fa.measures.cumulative_gain([1, -3]) == -2
        assert fa.measures.discounted_cumulative_gain([1, -3]) == -2

    @pytest.mark.parametrize("largest", [3, 63, 64, 1e9])
    @pytest.mark.parametrize("whole", [True, False])
    def test_long_rankings_of_all_kinds_of_gains(self, largest, whole):
        rng = np.random.default_rng(2)
        gains = rng.random(500) * largest
        gains = gains.round() if whole else gains
        best = fa.measures.discounted_cumulative_gain(np.sort(gains)[::-1], 50)
        expected = fa.measures.discounted_cumulative_gain(gains, 50) / best
        assert fa.measures.normalized_dcg(gains, 50) == pytest.approx(expected, rel=1e-14)


class TestScikitLearn:
    @pytest.mark.parametrize("k", [None, 1, 7, 30])
    def test_ndcg(self, k):
        rng = np.random.default_rng(0)
        gains = rng.integers(0, 5, (20, 12)).astype(float)
        scores = rng.random((20, 12))
        ranked = fa.measures.rank_by_score(gains, scores)
        assert np.mean(fa.measures.normalized_dcg(ranked, k, "burges")) == pytest.approx(
            metrics.ndcg_score(gains, scores, k=k), rel=1e-13
        )
        assert np.mean(fa.measures.discounted_cumulative_gain(ranked, k, "burges")) == pytest.approx(
            metrics.dcg_score(gains, scores, k=k), rel=1e-13
        )
        assert fa.ndcg_score(gains, scores, k=k) == pytest.approx(
            np.mean(fa.measures.normalized_dcg(ranked, k, "burges")), rel=1e-13
        )

    def test_average_precision(self):
        rng = np.random.default_rng(1)
        relevant, scores = rng.random(50) < 0.3, rng.random(50)
        assert fa.measures.ranking_average_precision(
            fa.measures.rank_by_score(relevant, scores)
        ) == pytest.approx(metrics.average_precision_score(relevant, scores), rel=1e-13)


class TestForms:
    BATCH = ([1, 0, 0, 1], [0, 1], [], [1])

    def forms(self):
        return [
            list(self.BATCH),
            [np.array(ranking, np.int8) for ranking in self.BATCH],
            [pd.Series(ranking, dtype=bool) for ranking in self.BATCH],
            ragged(self.BATCH),
            ragged(self.BATCH, np.bool_),
            (ragged(self.BATCH)[0].tolist(), ragged(self.BATCH)[1].tolist()),
            (ragged(self.BATCH)[0], ragged(self.BATCH)[1].astype(np.uint64)),
        ]

    def test_batches(self):
        for form in self.forms():
            assert fa.measures.precision_at_k(form, 2).tolist() == [0.5, 0.5, 0, 0.5]
            assert fa.measures.reciprocal_rank(form).tolist() == [1, 0.5, 0, 1]
            assert fa.measures.cumulative_gain(form).tolist() == [2, 1, 0, 1]

    def test_rows_of_a_matrix(self):
        matrix = np.array([[1, 0], [0, 1], [0, 0]])
        for form in (matrix, np.asfortranarray(matrix), matrix.astype(">f4"), matrix[::-1][::-1]):
            assert fa.measures.reciprocal_rank(form).tolist() == [1, 0.5, 0]
        assert fa.measures.reciprocal_rank(matrix[:, :1]).tolist() == [1, 0, 0]

    def test_one_ranking_gives_numbers(self):
        for form in ([0, 1], np.array([False, True]), pd.Series([0, 1])):
            assert isinstance(fa.measures.reciprocal_rank(form), float)
            assert isinstance(fa.measures.cumulative_gain(form), float)
            assert fa.measures.precision_at_k(form, [1, 2]).tolist() == [0, 0.5]
        assert fa.measures.precision_at_k([[0, 1]], 1).shape == (1,)

    @pytest.mark.parametrize("threads", ["1", "2", "7"])
    def test_threads_change_nothing(self, threads, monkeypatch):
        rng = np.random.default_rng(5)
        lengths = rng.integers(0, 60, 20_000 if COMPILED else 60)
        lengths[3] = 200_000 if COMPILED else 300
        offsets = np.append(0, np.cumsum(lengths))
        gains = rng.integers(0, 4, offsets[-1]).astype(float)
        gains[offsets[:-1][lengths > 0]] = 1
        keep = lengths > 0

        def figures():
            ranked = fa.measures.rank_by_score((gains, offsets), (rng_scores, offsets))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", fa.UndefinedMetricWarning)
                return (
                    ranked[0],
                    fa.measures.normalized_dcg(ranked)[keep],
                    fa.measures.ranking_average_precision((ranked[0] > 0, offsets))[keep],
                    fa.measures.precision_at_k((ranked[0] > 0, offsets), [5, 1]).ravel(),
                )

        rng_scores = rng.random(offsets[-1]).round(1)
        monkeypatch.setenv("FASTARAC_NUM_THREADS", "1")
        expected = figures()
        monkeypatch.setenv("FASTARAC_NUM_THREADS", threads)
        for found, one in zip(figures(), expected, strict=True):
            assert np.array_equal(found, one)


class TestRankByScore:
    @given(st.data())
    def test_falling_scores_and_ties_in_order(self, data):
        dtype = data.draw(st.sampled_from([np.float64, np.int64, np.uint64, np.float32, np.bool_]))
        lengths = data.draw(st.lists(st.integers(0, 6), min_size=1, max_size=4))
        offsets = np.cumsum([0, *lengths])
        top = 1 if dtype is np.bool_ else 3
        scores = [data.draw(st.integers(0, top)) for _ in range(offsets[-1])]
        values = np.arange(offsets[-1])
        found, ends = fa.measures.rank_by_score((values, offsets), (np.array(scores, dtype), offsets))
        assert ends.tolist() == offsets.tolist()
        for a, b in pairwise(offsets):
            assert found[a:b].tolist() == sorted(range(a, b), key=lambda i: -scores[i])

    def test_integers_beyond_floats(self):
        scores = np.array([2**62, 2**62 + 1, 2**62 - 1])
        assert fa.measures.rank_by_score([10, 20, 30], scores).tolist() == [20, 10, 30]

    @given(st.lists(st.floats(-1e300, 1e300) | st.sampled_from([0.0, -0.0, 5e-324]), min_size=1))
    def test_floats_of_both_signs(self, scores):
        found = fa.measures.rank_by_score(np.arange(len(scores)), scores)
        assert found.tolist() == sorted(range(len(scores)), key=lambda i: -scores[i])

    def test_errors(self):
        with pytest.raises(ValueError, match="values and scores must have rankings of the same"):
            fa.measures.rank_by_score([[1, 2], [3]], [[1, 2], [3, 4]])
        with pytest.raises(ValueError, match=r"scores\[1\]\[0\] must be a finite number, got nan"):
            fa.measures.rank_by_score([[1, 2], [3]], [[1, 2], [np.nan]])


class TestPool:
    def test_lists(self):
        one = [[5, 3, 9, 1], [2]]
        other = [[3, 5, 7, 2], [8, 2, 4]]
        found = fa.measures.pool([one, other], depth=3)
        assert [items.tolist() for items in found] == [[3, 5, 7, 9], [2, 4, 8]]
        swapped = fa.measures.pool({"b": other, "a": one}, depth=3)
        assert [items.tolist() for items in swapped] == [[3, 5, 7, 9], [2, 4, 8]]
        assert fa.measures.pool([one])[0].tolist() == [1, 3, 5, 9]

    def test_mappings(self):
        found = fa.measures.pool([{"q1": ["a", "b"]}, {"q2": ["c"], "q1": ["b", "d"]}], depth=1)
        assert {query: items.tolist() for query, items in found.items()} == {
            "q1": ["a", "b"],
            "q2": ["c"],
        }

    def test_depth_is_100(self):
        assert fa.measures.pool([[np.arange(300)], [np.arange(300)[::-1]]])[0].shape == (200,)

    @pytest.mark.parametrize(
        ("rankings", "depth", "error", "message"),
        [
            ([], 3, ValueError, "rankings is empty; give at least one system"),
            ([[[1]], [[1], [2]]], 3, ValueError, "the systems in rankings must have the same"),
            (
                [{"q": [1]}, [[1]]],
                3,
                TypeError,
                "rankings must hold all systems in one form, got mappings and lists",
            ),
            ([[[1]]], 0, ValueError, "depth must be an integer of at least 1, got 0"),
            ([[[1]]], 2.5, TypeError, r"depth must be an integer, got 2.5 \(float\)"),
        ],
    )
    def test_errors(self, rankings, depth, error, message):
        with pytest.raises(error, match=message):
            fa.measures.pool(rankings, depth)


class TestUndefined:
    @pytest.mark.parametrize(
        ("function", "arguments", "message"),
        [
            ("recall_at_k", (1,), "recall_at_k is undefined: a query has no relevant items"),
            ("ranking_average_precision", (), "ranking_average_precision is undefined: a query"),
            ("normalized_dcg", (), "normalized_dcg is undefined: all gains of a query are 0"),
        ],
    )
    def test_warnings(self, function, arguments, message):
        with pytest.warns(fa.UndefinedMetricWarning, match=message):
            result = getattr(fa.measures, function)([[0, 0], [1, 0]], *arguments)
        assert math.isnan(result[0])
        assert result[1] == 1

    def test_nothing_found_of_something(self):
        assert fa.measures.ranking_average_precision([0, 0], n_relevant=3) == 0
        assert fa.measures.normalized_dcg([0, 0], judged_gains=[0, 2]) == 0
        assert fa.measures.reciprocal_rank([0, 0]) == 0


class TestErrors:
    @pytest.mark.parametrize(
        ("relevance", "error", "message"),
        [
            ([0, 2], ValueError, r"relevance\[1\] must .*got 2"),
            ([[1], [0, 0.5]], ValueError, r"relevance\[1\]\[1\] must .*got 0.5"),
            ([np.nan], ValueError, r"relevance\[0\] must .*got nan"),
            (["a"], TypeError, "has type <U1; use booleans, integers or floats"),
            ([], ValueError, "relevance is empty; give at least one ranking"),
            (np.empty((0, 3)), ValueError, "is empty; give at least one ranking"),
            (([1, 0], [0]), ValueError, "is empty; give at least one ranking"),
            (([1, 0], []), ValueError, "is empty; give at least one ranking"),
            (([1, 0], [0, 3]), ValueError, "the offsets of relevance must go from 0 to 2,"),
            (([1, 0], [1, 2]), ValueError, "the offsets of relevance must go from 0 to 2,"),
            (([1, 0], [0, 2, 1, 2]), ValueError, "the offsets of relevance decrease from 2 to 1, but"),
            (([1, 0], [0.0, 2.0]), TypeError, "the offsets of relevance must hold integers, got"),
            (([1], [0], [1]), ValueError, r"relevance is a tuple, but not \(values, offsets\)"),
            (([[1]], [[0]]), ValueError, r"relevance is a tuple, but not \(values, offsets\)"),
            ([[1], [[0]]], ValueError, r"relevance\[1\] must be a one-dimensional ranking,"),
            (np.zeros((1, 1, 1)), ValueError, r"relevance must .*got (shape )?\(1, 1, 1\)"),
        ],
    )
    def test_relevance(self, relevance, error, message):
        with pytest.raises(error, match=message):
            fa.measures.precision_at_k(relevance, 1)

    @pytest.mark.parametrize(
        ("k", "error", "message"),
        [
            (0, ValueError, "k must be an integer of at least 1, got 0"),
            ([3, -1], ValueError, "k must be an integer of at least 1, got -1"),
            (1.0, TypeError, r"k must be an integer, got 1.0 \(float\)"),
            (True, TypeError, r"k must be an integer, got True \(bool\)"),
        ],
    )
    def test_k(self, k, error, message):
        with pytest.raises(error, match=message):
            fa.measures.precision_at_k([1, 0], k)

    @pytest.mark.parametrize(
        ("n_relevant", "error", "message"),
        [
            (1, ValueError, r"\] must be at least 2 \(the number of relevant items in the"),
            ([2, 1, 1], ValueError, "n_relevant must have one number for each of 2"),
            (2.0, TypeError, "n_relevant must hold whole numbers, got type float64"),
        ],
    )
    def test_n_relevant(self, n_relevant, error, message):
        for call in (
            lambda: fa.measures.ranking_average_precision([[1, 1], [0, 1]], n_relevant),
            lambda: fa.measures.recall_at_k([[1, 1], [0, 1]], 1, n_relevant),
        ):
            with pytest.raises(error, match=message):
                call()

    def test_gains(self):
        with pytest.raises(ValueError, match=r"gains\[1\] must be a finite number, got inf"):
            fa.measures.cumulative_gain([1, np.inf])
        with pytest.raises(ValueError, match=r"gains\[0\]\[1\] must .*got -1.0"):
            fa.measures.normalized_dcg([[1, -1]])
        with pytest.raises(ValueError, match="discount must be one of 'jarvelin', 'burges',"):
            fa.measures.discounted_cumulative_gain([1], discount="log")
        with pytest.raises(ValueError, match="judged_gains and gains must have the same number"):
            fa.measures.normalized_dcg([[1], [2]], judged_gains=[1])


def test_gains_that_change_after_they_were_checked_stay_inside_the_arrays():
    """Another thread may write to them; the sum is then of no use, but nothing else is touched."""
    from fastarac import _kernels

    out = np.empty(1)
    gains, offsets, discounts = np.array([3.0, -100.0, np.nan]), np.array([0, 3]), np.ones(3)
    _kernels.ranking.best_sums(gains, offsets, discounts, 0, 1, out)
    _kernels.curve_points.discounted_gains(gains[None], np.array([[1.0, np.nan, 0.0]]), np.ones(3), out)
