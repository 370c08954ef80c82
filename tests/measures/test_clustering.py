"""Purity of clusters, in all variants."""

from __future__ import annotations

import math

import numpy as np
import pytest
import reference_measures as ref
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

import fastarac as fa

pytestmark = pytest.mark.interpreted

# The slides: clusters of 7, 8 and 10 with 5, 4 and 6 of the majority; classes of 8, 7 and 10.
SLIDES = [[5, 1, 1], [1, 4, 3], [2, 2, 6]]
FUNCTIONS = ("purity", "inverse_purity", "purity_f")

shapes = array_shapes(min_dims=2, max_dims=2, max_side=5)
whole_tables = arrays(np.int64, shapes, elements=st.integers(0, 4) | st.integers(0, 2**40))
tables = st.one_of(whole_tables, arrays(np.float64, shapes, elements=st.floats(0, 1e9)))
tables = tables.filter(np.any)


class TestSlides:
    def test_sizes(self):
        assert np.sum(SLIDES, axis=1).tolist() == [7, 8, 10]
        assert np.sum(SLIDES, axis=0).tolist() == [8, 7, 10]

    def test_purity(self):
        assert fa.measures.local_purity(SLIDES).tolist() == [5 / 7, 4 / 8, 6 / 10]
        assert fa.measures.purity(SLIDES) == 0.6

    def test_inverse_purity(self):
        found = fa.measures.inverse_purity(SLIDES, "size-weighted")
        assert found == pytest.approx((7 / 8 * 5 + 8 / 7 * 4 + 10 / 10 * 6) / 25, rel=1e-15)
        assert f"{found:.3f}" == "0.598"

    def test_f(self):
        assert f"{fa.measures.purity_f(SLIDES, 'size-weighted'):.3f}" == "0.599"

    def test_doing_nothing(self):
        one_each = np.eye(3, dtype=int)[[0, 0, 0, 1, 1, 2]]
        assert fa.measures.purity(one_each) == 1
        assert fa.measures.inverse_purity(one_each) == 0.5
        assert fa.measures.inverse_purity(one_each, "size-weighted") < 1
        all_in_one = one_each.sum(axis=0, keepdims=True)
        assert fa.measures.purity(all_in_one) == 0.5
        assert fa.measures.inverse_purity(all_in_one) == 1


class TestReference:
    @given(tables)
    def test_values(self, table):
        purity, inverse = ref.purity(table.tolist()), ref.inverse_purity(table.tolist())
        weighted = ref.size_weighted_inverse_purity(table.tolist())
        assert fa.measures.purity(table) == pytest.approx(ref.rounded(purity), rel=1e-14)
        assert fa.measures.inverse_purity(table) == pytest.approx(ref.rounded(inverse), rel=1e-14)
        found = fa.measures.inverse_purity(table, "size-weighted")
        assert found == pytest.approx(ref.rounded(weighted), rel=1e-14)
        for variant, value in (("standard", inverse), ("size-weighted", weighted)):
            expected = ref.rounded(ref.harmonic_mean(purity, value))
            assert fa.measures.purity_f(table, variant) == pytest.approx(expected, rel=1e-14)

    @given(whole_tables.filter(np.any))
    def test_whole_counts_are_rounded_once(self, table):
        assert fa.measures.purity(table) == ref.rounded(ref.purity(table.tolist()))
        assert fa.measures.inverse_purity(table) == ref.rounded(ref.inverse_purity(table.tolist()))

    @given(tables, st.randoms(use_true_random=False))
    def test_the_order_of_clusters_and_classes_does_not_matter(self, table, random):
        rows, columns = list(range(table.shape[0])), list(range(table.shape[1]))
        random.shuffle(rows)
        random.shuffle(columns)
        shuffled = table[rows][:, columns]
        for variant in ("standard", "size-weighted"):
            expected = fa.measures.purity_f(table, variant)
            assert fa.measures.purity_f(shuffled, variant) == pytest.approx(expected, rel=1e-14)

    @given(tables)
    def test_empty_clusters_and_classes_do_not_matter(self, table):
        padded = np.pad(table, ((0, 1), (1, 0)))
        for variant in ("standard", "size-weighted"):
            expected = fa.measures.purity_f(table, variant)
            assert fa.measures.purity_f(padded, variant) == pytest.approx(expected, rel=1e-14)

    @given(tables)
    @example(np.array([[5e-324], [5e-324]]))
    def test_range(self, table):
        for variant in ("standard", "size-weighted"):
            assert 0 < fa.measures.inverse_purity(table, variant) <= 1 + 1e-12

    def test_a_tie_for_the_majority(self):
        """Of classes with as many items in the cluster, the largest one counts."""
        table = [[2, 2, 0], [0, 3, 1]]
        expected = (4 / 5 * 2 + 4 / 5 * 3) / 8
        assert fa.measures.inverse_purity(table, "size-weighted") == pytest.approx(expected, rel=1e-15)


class TestUndefinedAndErrors:
    @pytest.mark.parametrize("name", FUNCTIONS)
    def test_no_item(self, name):
        with pytest.warns(fa.UndefinedMetricWarning, match=f"^{name} is undefined: there is no item"):
            assert math.isnan(getattr(fa.measures, name)([[0, 0], [0, 0]]))

    def test_an_empty_cluster(self):
        with pytest.warns(fa.UndefinedMetricWarning, match="local_purity is undefined: a cluster"):
            found = fa.measures.local_purity([[0, 0], [1, 3]])
        assert math.isnan(found[0])
        assert found[1] == 0.75

    @pytest.mark.parametrize("name", [*FUNCTIONS, "local_purity"])
    @pytest.mark.parametrize(
        ("counts", "error", "message"),
        [
            ([1, 2], ValueError, r"counts must be a matrix of clusters by classes.*, got shape \(2,\)"),
            (np.zeros((0, 2)), ValueError, r"counts must be a matrix.*, got shape \(0, 2\)"),
            ([[1, -1]], ValueError, r"counts\[0, 1\] must .*got -1"),
            ([["a"]], TypeError, "counts must hold integers or floats up to 64 bits"),
        ],
    )
    def test_counts(self, name, counts, error, message):
        with pytest.raises(error, match=message):
            getattr(fa.measures, name)(counts)

    @pytest.mark.parametrize("name", ["inverse_purity", "purity_f"])
    def test_variant(self, name):
        with pytest.raises(ValueError, match="variant must be one of 'standard', 'size-weighted'"):
            getattr(fa.measures, name)(SLIDES, "slides")
