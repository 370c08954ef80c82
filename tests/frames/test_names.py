"""Names of columns are names: no pattern, no star, no field, no other column that differs by case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from framed import connected

import fastarac as fa

if TYPE_CHECKING:
    from collections.abc import Callable

    import duckdb

NAMES = (
    "*", "^s$", "^.*$", "s", "S", "a.b", "a", "", " ", "a b", '"', "'", "`", "\\", "#1", "é", "\u2215",
    "SELECT", "score; --", "confidence", "correct", "weight", "by", "by_0", "low", "n",
    "collect_schema", "column_names", "columns", "cs.all()", "x::int", "{}", "%s", "$1", "a\nb",
)  # fmt: skip
N = 60


def columns_of(names: tuple[str, ...]) -> dict[str, Any]:
    """Numbers that are others in each column, and good for every use."""
    rng = np.random.default_rng(0)
    return {name: rng.integers(0, 2, N).astype(np.float64) for name in names}


def duck(columns: dict[str, Any]) -> duckdb.DuckDBPyRelation:
    """A relation whose names differ by case, which a registered table would not have."""
    connection = connected()
    numbered = pa.table({f"c{i}": values for i, values in enumerate(columns.values())})
    connection.register("items", numbered)
    quoted = [name.replace('"', '""') for name in columns]
    return connection.sql(
        "SELECT " + ", ".join(f'c{i} AS "{name}"' for i, name in enumerate(quoted)) + " FROM items"
    )


ENGINES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "polars-lazy": pl.LazyFrame,
    "pyarrow": pa.table,
    "duckdb": duck,
    "narwhals of DuckDB": lambda columns: nw.from_native(duck(columns)),
}


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_each_role_reads_the_column_that_is_named(engine):
    names = tuple(name for name in NAMES if name or engine not in ("duckdb", "narwhals of DuckDB"))
    columns = columns_of(names)
    frame = ENGINES[engine](columns)
    for i, confidence in enumerate(names):
        correct, weight, by = names[i - 1], names[i - 2], names[i - 3]
        roles: dict[str, Any] = {"confidence": confidence, "correct": correct, "weight": weight}
        groups: dict[Any, Any] = fa.frames.threshold_sweep(frame, **roles, by=by)
        assert list(groups) == [0.0, 1.0]
        for label, sweep in groups.items():
            items = [columns[name][columns[by] == label] for name in (correct, confidence, weight)]
            assert sweep == fa.threshold_sweep(*items[:2], sample_weight=items[2])
    for method in ("exact", "bounds"):
        for pair in (("*", "^s$"), ("^s$", "S"), ("a.b", "*")):
            roles = dict(zip(("confidence", "correct"), pair, strict=True))
            found: Any = fa.frames.evaluate(frame, **roles, by=["cs.all()"], method=method)
            for (label,), figures in found.items():
                items = [columns[name][columns["cs.all()"] == label] for name in pair]
                area = fa.arac_auc_score(items[1], items[0])
                assert figures.arac_auc.low <= area <= figures.arac_auc.high


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ["*", "^.*$", "SCORE", "score ", "a.b"])
def test_a_name_that_is_not_there_is_an_error(engine, name):
    frame = ENGINES[engine]({"score": [0.5, 0.25], "right": [1, 0], "a": [1, 2]})
    with pytest.raises(ValueError, match="but there is no such column; there are 'score'"):
        fa.frames.threshold_sweep(frame, confidence=name, correct="right")


def relation() -> Any:
    return connected().sql("SELECT 0.5::DOUBLE AS score, 0.25::DOUBLE AS score, 1 AS right")


REPEATED: dict[str, Callable[[], Any]] = {
    "duckdb": relation,
    "pandas": lambda: pd.DataFrame([[0.5, 0.25, 1]], columns=["score", "score", "right"]),
    "pyarrow": lambda: pa.table([[0.5], [0.25], [1]], names=["score", "score", "right"]),
    "pyarrow, elsewhere": lambda: pa.table(
        [[0.5], [1], [1], [1]], names=["score", "right", "score ", "score "]
    ),
}


@pytest.mark.parametrize("engine", REPEATED)
@pytest.mark.parametrize("of_frames", [fa.frames.threshold_sweep, fa.frames.evaluate])
def test_two_columns_of_one_name_are_an_error(engine, of_frames):
    with pytest.raises(ValueError, match="frame has several columns named 'score"):
        of_frames(REPEATED[engine](), confidence="score", correct="right")
