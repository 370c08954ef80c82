"""The same counting as SQL, run by Spark and PostgreSQL; for BigQuery its text is parsed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import sqlglot

import fastarac as fa

if TYPE_CHECKING:
    from collections.abc import Callable

COLUMNS: dict[str, Any] = {"confidence": "score", "correct": "right"}
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")


def check(run: Callable[[str], list[list[Any]]], dialect: Any, table: str, items: Any) -> None:
    correct, confidence = items["right"].to_numpy(), items["score"].to_numpy()
    sweep = fa.threshold_sweep(correct, confidence)
    rows = run(fa.frames.sql(dialect, table, **COLUMNS))
    values, p, q = (np.array(column) for column in zip(*rows, strict=True))
    counts = p.astype(np.int64), q.astype(np.int64)
    assert fa.ThresholdSweep.from_counts(values.astype(np.float64), *counts) == sweep
    fields = np.array(items["field"].to_pylist())
    rows = run(fa.frames.sql(dialect, table, **COLUMNS, by="field", method="bounds"))
    for label in ("date", "name", "sum"):
        mine = [row[1:] for row in rows if row[0] == label]
        low, high, p, q = (np.array(column).astype(np.float64) for column in zip(*mine, strict=True))
        bins = fa.frames.BoundedSweep.from_bins(
            [*low, np.inf], p.astype(np.int64), q.astype(np.int64), single_valued=low == high
        )
        group = fa.threshold_sweep(correct[fields == label], confidence[fields == label])
        at = group.at(bins.thresholds)
        np.testing.assert_array_equal(bins.true_accepts_low, at.true_accepts)
        np.testing.assert_array_equal(bins.false_accepts_low, at.false_accepts)
        assert bins.roc_auc.low <= fa.roc_auc_score(group) <= bins.roc_auc.high
        assert bins.roc_auc.width < 0.1  # two bins have a sixth of the items each


def test_postgres(postgres, items):
    postgres('CREATE TABLE items (score double precision, "right" boolean, field text)')
    columns = (items[name].to_pylist() for name in ("score", "right", "field"))
    lines = "\n".join(f"{a!r}\t{b}\t{c}" for a, b, c in zip(*columns, strict=True))
    postgres(f"COPY items FROM STDIN;\n{lines}\n\\.\n")
    check(postgres, "postgres", "items", items)


@pytest.mark.parametrize("bad", ["NULL, 1", "0.5, NULL", "'NaN', 1", "'Infinity', 1", "0.5, 2"])
@pytest.mark.parametrize("method", ["counts", "bounds"])
def test_postgres_says_where_items_are_bad(postgres, bad, method):
    table = f"(VALUES (0.25::float8, 1), (0.75, 0), ({bad})) AS t(score, correct)"
    query = fa.frames.sql("postgres", table, confidence="score", correct="correct", method=method)
    assert any(row[-1] == row[-2] == "" for row in postgres(query))


def test_spark(spark, items):
    spark.createDataFrame(items).createOrReplaceTempView("items")
    check(lambda query: [list(row) for row in spark.sql(query).collect()], "spark", "items", items)


LARGE = [2**53 + i for i in range(9)] + [-(2**53) - i for i in range(9)] + [2**63 - 1, -(2**63), 0]


def check_types(run: Callable[[str], list[list[Any]]], dialect: Any, decimal: str) -> None:
    """Integers stay integers, beyond what doubles hold; decimals have counts that are refused."""
    correct = np.arange(len(LARGE)) % 3 > 0
    rows = ", ".join(f"('{x}', {int(y)})" for x, y in zip(LARGE, correct, strict=True))
    for kind in ("BIGINT", decimal):
        table = f"(SELECT CAST(a AS {kind}) AS score, b AS low FROM (VALUES {rows}) AS u(a, b)) AS t"
        columns: dict[str, Any] = {"confidence": "score", "correct": "low"}
        values, *counts = zip(*run(fa.frames.sql(dialect, table, **columns)), strict=True)
        low, high, *binned = zip(
            *run(fa.frames.sql(dialect, table, **columns, method="bounds")), strict=True
        )
        if kind == decimal:
            assert {*counts[0], *counts[1], *binned[0], *binned[1]} <= {None, ""}
            continue
        sweep = fa.threshold_sweep(correct, np.array(LARGE))
        whole = [np.array(column, np.int64) for column in (values, *counts)]
        assert fa.ThresholdSweep.from_counts(*whole) == sweep
        bins = fa.frames.BoundedSweep.from_bins(
            [*map(int, low), np.inf], *(np.array(column, np.int64) for column in binned)
        )
        at = sweep.at(bins.thresholds)
        np.testing.assert_array_equal(bins.true_accepts_low, at.true_accepts)
        np.testing.assert_array_equal(bins.false_accepts_low, at.false_accepts)
        assert bins.roc_auc.low <= fa.roc_auc_score(sweep) <= bins.roc_auc.high
        assert int(high[-1]) == LARGE[-3]


def test_types_in_postgres(postgres):
    check_types(postgres, "postgres", "NUMERIC")


def test_types_in_spark(spark):
    check_types(lambda query: [[*row] for row in spark.sql(query).collect()], "spark", "DECIMAL(20, 0)")


@pytest.mark.parametrize("name", ["low", "number", "label", "p"])
def test_labels_named_like_what_the_query_makes(postgres, spark, name):
    rows = ", ".join(f"({i % 7}, {i % 3 % 2}, {9 - i % 2})" for i in range(60))
    for dialect, quote in (("postgres", '"'), ("spark", "`")):
        table = f"(SELECT a, b, c AS {quote}{name}{quote} FROM (VALUES {rows}) AS u(a, b, c)) AS t"
        for method in ("counts", "bounds"):
            query = fa.frames.sql(dialect, table, confidence="a", correct="b", by=name, method=method)
            found = postgres(query) if dialect == "postgres" else spark.sql(query).collect()
            expected = [(label, value) for label in (8, 9) for value in range(7)]
            assert [tuple(map(int, row[:2])) for row in found] == expected


@pytest.mark.parametrize("dialect", ["duckdb", "spark", "bigquery", "postgres"])
@pytest.mark.parametrize("method", ["counts", "bounds"])
def test_each_text_is_one_query_of_its_dialect(dialect, method):
    query = fa.frames.sql(dialect, "a.b", **COLUMNS, by="field", method=method)
    (parsed,) = sqlglot.parse(query, dialect=dialect, error_level=sqlglot.ErrorLevel.RAISE)
    assert isinstance(parsed, sqlglot.exp.Select)
    names = ["confidence"] if method == "counts" else ["low", "high"]
    assert parsed.named_selects == ["field", *names, "correct_counts", "incorrect_counts"]
    casts = {cast.to.sql(dialect) for cast in parsed.find_all(sqlglot.exp.Cast)}
    if dialect == "bigquery":
        assert casts <= {"FLOAT64", "INT64", "STRING"}
        assert sqlglot.transpile(query, read="bigquery", write="duckdb")
