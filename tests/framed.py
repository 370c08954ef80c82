"""Frames of every kind with the same items, and what is read of them."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

KEPT: list[duckdb.DuckDBPyConnection] = []  # relations of older DuckDB do not keep their connection


def connected(**options: Any) -> duckdb.DuckDBPyConnection:
    KEPT.append(duckdb.connect(**options))
    return KEPT[-1]


def duck(table: pa.Table) -> duckdb.DuckDBPyRelation:
    connection = connected(config={"threads": 1})
    connection.register("items", table)
    return connection.sql("SELECT * FROM items")


def table_of(correct: Any, confidence: Any, **columns: Any) -> pa.Table:
    return pa.table({"right": np.asarray(correct), "score": np.asarray(confidence), **columns})


def sample(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Scores of several kinds: uniform, crowded near 1, logits, rounded ones, one frequent value."""
    rng = np.random.default_rng(seed)
    parts = [rng.random(n), rng.beta(9, 0.2, n), rng.normal(0, 5, n), rng.random(n).round(2)]
    confidence = np.concatenate([*parts, np.full(n // 2, 0.7)])
    return rng.random(len(confidence)) < 1 / (1 + np.exp(-confidence)), confidence
