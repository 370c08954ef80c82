"""Outputs that were read: the order of their rows, models apart, and those without a confidence."""

from __future__ import annotations

from contextvars import Context
from unittest import mock

import numpy as np
import pytest
from files import COLUMNS, WRITERS, refusal, write_delimited

from fastarac.io import DataFileError, Outputs, read_outputs, sketch_outputs
from fastarac.io._sources import connect, one_database


def test_per_model():
    with pytest.raises(ValueError, match="no model labels"):
        Outputs(np.array([True]), np.array([0.5])).per_model()


def test_per_model_keeps_the_order(tmp_path):
    path = write_delimited(tmp_path / "f.csv", COLUMNS)
    parts = read_outputs(path, model="engine", by="page", weight="weight").per_model()
    assert list(parts) == ["a", "b"]
    assert parts["a"].confidence.tolist() == [0.5]
    assert parts["b"].confidence.tolist() == [0.9, -1e-3, 12.25]
    assert parts["b"].correct.tolist() == [True, False, True]
    assert parts["b"].weight.tolist() == [1, 2.5, 3]
    assert parts["b"].by.codes.tolist() == [0, 1, 1]
    assert parts["b"].model is None


@pytest.mark.slow
@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".jsonl", ".parquet"])
def test_many_rows_keep_their_order(tmp_path, ending):
    rng = np.random.default_rng(0)
    n = 60_000
    columns = {
        "correct": (rng.random(n) < 0.9).tolist(),
        "confidence": rng.random(n).tolist(),
        "model": rng.choice(["x", "y", "z"], n).tolist(),
    }
    path = WRITERS["f" + ending](tmp_path / ("f" + ending), columns)
    outputs = read_outputs(path, model="model")
    assert outputs.correct.tolist() == columns["correct"]
    assert outputs.confidence.tolist() == columns["confidence"]
    assert np.array(outputs.model.names)[outputs.model.codes].tolist() == columns["model"]
    columns["confidence"][-2] = float("nan")
    error = refusal(WRITERS["f" + ending](path, columns))
    assert error.row == n - 1
    assert error.line == {".jsonl": n - 1, ".parquet": None}.get(ending, n)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("f.csv", 'correct,confidence\n1,0.9\n0,\n0,""\n1,-3\n'),
        ("f.tsv", "correct\tconfidence\n1\t0.9\n0\t\n0\t \n1\t-3\n"),
        (
            "f.jsonl",
            '{"correct":1,"confidence":0.9}\n{"correct":0}\n{"correct":0}\n{"correct":1,"confidence":-3}\n',
        ),
    ],
)
def test_outputs_without_a_confidence(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(DataFileError, match=r"row 2 .*is empty; .*empty_confidence=True means that"):
        read_outputs(path)
    outputs = read_outputs(path, empty_confidence=True)
    assert outputs.rejected.tolist() == [False, True, True, False]
    assert outputs.confidence.tolist() == [0.9, -4, -4, -3]
    assert outputs.never_accepted == -4
    assert outputs.take(np.array([0, 3])).never_accepted is None
    path.write_text(text.replace("0.9", '"high"'))
    with pytest.raises(DataFileError, match=r"row 1 .*high.*; expected a finite number or nothing"):
        read_outputs(path, empty_confidence=True)


def test_no_output_lacks_a_confidence(tmp_path):
    path = tmp_path / "f.csv"
    path.write_text("correct,confidence\n1,0.9\n")
    outputs = read_outputs(path, empty_confidence=True)
    assert outputs.rejected is None
    assert outputs.never_accepted is None


def tables(*connections):
    return [c.execute("SELECT count(*) FROM duckdb_tables()").fetchone()[0] for c in connections]


def test_connections_share_a_database_where_there_is_one_to_share():
    Context().run(share)


def share():
    with connect() as a, connect() as b:
        a.execute("CREATE TABLE one AS SELECT 1")
        assert tables(a, b) == [1, 0]
    with one_database():
        with connect() as a, connect() as b, connect(alone=True) as c:
            a.execute("CREATE TABLE one AS SELECT 1")
            a.execute("CREATE TEMP TABLE two AS SELECT 2")
            assert tables(a, b, c) == [2, 1, 0]
        with one_database(), connect() as later:
            assert tables(later) == [1]
        with mock.patch("os.getpid", return_value=-1), connect() as forked:
            assert tables(forked) == [0]
    with connect() as after:
        assert tables(after) == [0]


KINDS = {
    "f.csv": "kind,correct,confidence\nright,1,0.9\nmissed,0,\nmissed,0,0.1\n",
    "f.jsonl": """{"kind": "right", "correct": 1, "confidence": 0.9}
{"kind": "missed", "correct": 0}
{"kind": "missed", "correct": 0, "confidence": 0.1}
""",
}


@pytest.mark.parametrize("name", KINDS)
def test_missed_words_need_no_confidence(tmp_path, name):
    path = tmp_path / name
    path.write_text(KINDS[name])
    outputs = read_outputs(path)
    assert outputs.rejected.tolist() == [False, True, False]
    assert outputs.confidence.tolist() == [0.9, -1, 0.1]
    with pytest.raises(DataFileError, match=r"row 2 .*is empty; expected a finite number"):
        sketch_outputs(path)  # whose items are never all known, so that none is below all others
    path.write_text(KINDS[name].replace("missed", "wrong"))  # an output without a confidence
    assert read_outputs(path).rejected.tolist() == [False, True, False]
    for other in ("Missed", "letter", ""):
        path.write_text(KINDS[name].replace("missed", other))
        with pytest.raises(DataFileError, match=r"row 2 .*is empty; .*empty_confidence=True"):
            read_outputs(path)
        assert read_outputs(path, empty_confidence=True).rejected.tolist() == [False, True, False]


def test_without_missed_words_nothing_is_rejected(tmp_path):
    path = tmp_path / "f.csv"
    path.write_text("kind,correct,confidence\nright,1,0.9\nmissed,0,0.1\n")
    assert read_outputs(path).rejected is None
