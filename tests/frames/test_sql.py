"""The query of `frames.sql`, run by DuckDB: the counts of the frames, in the types of the columns."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pytest
from framed import connected, duck, sample, table_of

import fastarac as fa


@pytest.mark.parametrize("labels", [np.bool_, np.int16, np.float64])
def test_sql_counts_as_the_frames_do(labels):
    correct, confidence = sample(800)
    page = np.arange(len(correct)) % 3
    frame = duck(table_of(correct.astype(labels), confidence, page=page))
    columns = {"confidence": "score", "correct": "right"}
    rows = frame.query("items", fa.frames.sql("duckdb", "items", **columns)).fetchall()
    sweep = fa.threshold_sweep(correct, confidence)
    assert fa.ThresholdSweep.from_counts(*zip(*rows, strict=True)) == sweep
    query = fa.frames.sql("duckdb", "items", **columns, by="page", method="bounds")
    rows = frame.query("items", query).fetchall()
    found = fa.frames.threshold_sweep(frame, **columns, by="page", method="bounds")
    for label, expected in found.items():
        low, high, p, q = zip(*(row[1:] for row in rows if row[0] == label), strict=True)
        single = np.equal(low, high)
        bins = fa.frames.BoundedSweep.from_bins([*low, np.inf], p, q, single_valued=single)
        assert (bins.n_correct, bins.n_incorrect) == (expected.n_correct, expected.n_incorrect)
        area = fa.roc_auc_score(fa.threshold_sweep(correct[page == label], confidence[page == label]))
        assert bins.roc_auc.low <= area <= bins.roc_auc.high
        assert bins.roc_auc.width <= expected.roc_auc.width + 1e-12


@pytest.mark.parametrize("bad", ["NULL, 1", "0.5, NULL", "'nan', 1", "'inf', 1", "0.5, 2"])
@pytest.mark.parametrize("method", ["counts", "bounds"])
def test_sql_says_where_items_are_bad(bad, method):
    """Counts that are null are refused by what takes them."""
    frame = connected().sql(
        f"SELECT * FROM (VALUES (0.25::DOUBLE, 1), (0.75, 0), ({bad})) AS t(score, correct)"
    )
    query = fa.frames.sql("duckdb", "t", confidence="score", correct="correct", method=method)
    *values, p, q = zip(*frame.query("t", query).fetchall(), strict=True)
    assert None in p
    assert None in q
    make: Any = fa.ThresholdSweep.from_counts
    if method == "bounds":
        make, values = fa.frames.BoundedSweep.from_bins, [[*values[0], np.inf]]
    with pytest.raises((TypeError, ValueError), match=r"null|finite|NoneType|increasing"):
        make(*values, p, q)


def test_several_columns_of_labels():
    frame = connected().sql(
        "SELECT CAST(i % 4 AS DOUBLE) / 8 AS score, i % 3 > 0 AS good, "
        "i % 2 AS page, 'm' || i % 5 AS model FROM range(60) AS t(i)"
    )
    columns: dict[str, Any] = {"confidence": "score", "correct": "good"}
    by = ["model", "page"]
    groups = fa.frames.threshold_sweep(frame, **columns, by=by, method="counts")
    for method in ("counts", "bounds"):
        query = fa.frames.sql("duckdb", "items", **columns, by=by, method=method)
        rows = frame.query("items", query).fetchall()
        assert list(dict.fromkeys(row[:2] for row in rows)) == list(groups)
        for label, sweep in groups.items():
            p, q = (sum(row[i] for row in rows if row[:2] == label) for i in (-2, -1))
            assert (p, q) == (sweep.n_correct, sweep.n_incorrect)
    with pytest.raises(TypeError, match="by must be the name of a column, got type int"):
        fa.frames.sql("duckdb", "items", **columns, by=[1])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="by must name at least one column"):
        fa.frames.sql("duckdb", "items", **columns, by=[])
    with pytest.raises(TypeError, match="by must be the name of a column, got type dict"):
        fa.frames.sql("duckdb", "items", **columns, by={})  # type: ignore[arg-type]


def test_sql_quotes_names():
    query = fa.frames.sql("spark", "t", confidence="a`b", correct="c d", by="e")
    assert "`a``b` AS confidence, `c d` AS correct, `e` AS label" in query
    frame = connected().sql('SELECT 0.5::DOUBLE AS "a""b c", true AS "d;"')
    query = fa.frames.sql("duckdb", "t", confidence='a"b c', correct="d;")
    assert frame.query("t", query).fetchall() == [(0.5, 1, 0)]
    with pytest.raises(ValueError, match="must be a name that BigQuery can quote, got"):
        fa.frames.sql("bigquery", "t", confidence="a`b", correct="c")
    with pytest.raises(ValueError, match="', got 'oracle'"):
        fa.frames.sql("oracle", "t", confidence="a", correct="c")  # type: ignore[arg-type]


INTEGERS = [2**53 + i for i in range(9)] + [-(2**53) - i for i in range(9)] + [2**63 - 1, -(2**63), 0]
COLUMNS: dict[str, Any] = {"confidence": "score", "correct": "good"}


def of_type(name: str, values: list[Any]) -> duckdb.DuckDBPyRelation:
    """A table with confidences of this type."""
    rows = ", ".join(f"('{value}', {i % 3 > 0})" for i, value in enumerate(values * 4))
    return connected().sql(
        f"SELECT CAST(s AS {name}) AS score, good FROM (VALUES {rows}) AS t(s, good)"
    )


def counts_of(frame: duckdb.DuckDBPyRelation) -> fa.ThresholdSweep:
    rows = frame.query("t", fa.frames.sql("duckdb", "t", **COLUMNS)).fetchall()
    return fa.ThresholdSweep.from_counts(*zip(*rows, strict=True))


def bins_of(frame: duckdb.DuckDBPyRelation) -> fa.frames.BoundedSweep:
    rows = frame.query("t", fa.frames.sql("duckdb", "t", **COLUMNS, method="bounds")).fetchall()
    low, high, *counts = zip(*rows, strict=True)
    single = [a == b for a, b in zip(low, high, strict=True)]
    return fa.frames.BoundedSweep.from_bins([*low, np.inf], *counts, single_valued=single)


TYPES: dict[str, list[Any]] = {
    "BIGINT": INTEGERS,
    "UBIGINT": [2**63 + i for i in range(5)] + [2**64 - 1, 0, 7],
    "INTEGER": [2**31 - 1, -(2**31), 0, 5],
    "UINTEGER": [2**32 - 1, 0, 1],
    "SMALLINT": [-5, 0, 32767],
    "USMALLINT": [65535, 3],
    "TINYINT": [-128, 127, 3],
    "UTINYINT": [255, 0, 3],
    "BOOLEAN": [True, False, True],
    "FLOAT": [0.5, 1e-30, -0.0, 0.0],
    "DOUBLE": [0.1, 1e-300, -0.0, 0.0, 1e308],
}


@pytest.mark.parametrize("name", TYPES)
def test_confidences_stay_in_the_type_of_the_column(name):
    frame = of_type(name, TYPES[name])
    expected = fa.frames.threshold_sweep(frame, **COLUMNS)
    assert counts_of(frame) == expected
    bins = bins_of(frame)
    at = expected.at(bins.thresholds)
    np.testing.assert_array_equal(bins.true_accepts_low, at.true_accepts)
    np.testing.assert_array_equal(bins.false_accepts_low, at.false_accepts)
    for area in ("arac_auc", "roc_auc", "augrc"):
        value = {
            "arac_auc": fa.arac_auc_score, "roc_auc": fa.roc_auc_score, "augrc": fa.augrc_loss,
        }[area](expected)  # fmt: skip
        low, high = getattr(bins, area)
        assert low <= value <= high


REFUSED = {
    "DECIMAL(5, 2)": [0.5, 0.25],
    "DECIMAL(38, 0)": [10**37, 5],
    "HUGEINT": [2**64, 2**64 + 1],
    "UHUGEINT": [2**127, 1],
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_frames_refuse_is_refused(name):
    frame = of_type(name, REFUSED[name])
    with pytest.raises(TypeError, match="hold booleans, integers or floats up to 64 bits"):
        fa.frames.threshold_sweep(frame, **COLUMNS)
    for counted in (counts_of, bins_of):
        with pytest.raises((TypeError, ValueError), match=r"null|holds objects"):
            counted(frame)
    for method in ("counts", "bounds"):
        query = fa.frames.sql("duckdb", "t", **COLUMNS, method=method)
        assert all(row[-2:] == (None, None) for row in frame.query("t", query).fetchall())


@pytest.mark.parametrize("name", ["VARCHAR", "DATE", "INTERVAL", "INTEGER[]"])
def test_what_is_no_number_is_an_error_of_the_engine(name):
    frame = connected().sql(f"SELECT CAST(NULL AS {name}) AS score, 1 AS good")
    with pytest.raises(duckdb.BinderException):
        frame.query("t", fa.frames.sql("duckdb", "t", **COLUMNS)).fetchall()


@pytest.mark.parametrize("label", ["'1'", "'true'", "1::DECIMAL(3, 0)", "1::HUGEINT"])
def test_labels_that_frames_refuse_are_refused(label):
    frame = connected().sql(f"SELECT 0.5::DOUBLE AS score, {label} AS good")
    with pytest.raises(TypeError, match="correct"):
        fa.frames.threshold_sweep(frame, **COLUMNS)
    with pytest.raises(
        ValueError, match=r"column has another type, cast it, for example DECIMAL to double\)"
    ):
        counts_of(frame)


@pytest.mark.parametrize(
    "name", ["low", "high", "n", "p", "q", "number", "x", "bin", "correct", "label"]
)
@pytest.mark.parametrize("method", ["counts", "bounds"])
def test_labels_may_be_named_like_what_the_query_makes(name, method):
    frame = connected().sql(
        f'SELECT (i % 7) / 8 AS score, i % 3 > 0 AS good, 9 - i % 2 AS "{name}" FROM range(60) AS t(i)'
    )
    query = fa.frames.sql("duckdb", "t", **COLUMNS, by=name, method=method)
    rows = frame.query("t", query).fetchall()
    groups = fa.frames.threshold_sweep(frame, **COLUMNS, by=name)
    assert [row[:2] for row in rows] == [
        (label, value) for label, sweep in groups.items() for value in sweep.thresholds[:0:-1].tolist()
    ]
