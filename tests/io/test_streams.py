"""Rows of a query as arrays, a batch at a time."""

from __future__ import annotations

from itertools import islice

import duckdb
import numpy as np
import pytest

from fastarac.io._streams import numbers

QUERY = "SELECT CASE WHEN i % 7 > 0 THEN i::DOUBLE END, (i % 2)::DOUBLE FROM range({}) AS t(i)"


@pytest.mark.parametrize(("n", "size"), [(0, 10), (1, 10), (9, 4), (300_001, 1 << 16), (200_000, 1)])
def test_all_rows_in_batches_of_one_size(n, size):
    """Whatever the size of DuckDB's own batches; nulls are NaN."""
    with duckdb.connect() as connection:
        batches = numbers(connection.sql(QUERY.format(n)), size)
        found = list(batches) if size > 1 else list(islice(batches, 5))
    n = n if size > 1 else 5
    i = np.arange(float(n))
    assert [len(rows) for rows in found] == [size] * (n // size) + [n % size] * (n % size > 0)
    expected = np.stack([np.where(i % 7 > 0, i, np.nan), i % 2], axis=1)
    assert np.array_equal(np.concatenate([np.empty((0, 2)), *found]), expected, equal_nan=True)


def test_an_error_on_the_way_is_duckdbs():
    with duckdb.connect() as connection:
        rows = connection.sql(
            "SELECT CASE WHEN i > 9e5 THEN error('no') ELSE 1.0::DOUBLE END FROM range(1000000) AS t(i)"
        )
        with pytest.raises(duckdb.Error, match="no"):
            list(numbers(rows, 1000))
