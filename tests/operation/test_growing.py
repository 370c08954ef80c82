"""Files to which someone writes while they are read: refused, and nothing is written."""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager

import pytest

from fastarac import operation
from fastarac.io import DataFileError

POLICY = operation.fit_policy([1] * 400, range(400), max_error_rate=0.01)
WRITER = """
import sys, time

with open(sys.argv[1], "a") as file:
    print("ready", flush=True)
    while True:
        file.write(sys.argv[2] + "\\n")
        file.flush()
        time.sleep(0.001)
"""


@contextmanager
def growing(path, line):
    """Append lines to a file, one a millisecond, as a service does that logs its outputs."""
    command = [sys.executable, "-c", WRITER, str(path), line]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        try:
            assert writer.stdout.readline() == "ready\n"
            yield
        finally:
            writer.kill()


@pytest.mark.parametrize("documents", [False, True])
@pytest.mark.parametrize("ending", [".csv", ".jsonl"])
def test_apply(tmp_path, ending, documents):
    path, line = tmp_path / f"new{ending}", "d,7.5,300"
    if ending == ".jsonl":
        line = '{"document": "d", "note": 7.5, "confidence": 300}'
    header = "document,note,confidence\n" if ending == ".csv" else ""
    path.write_text(header + f"{line}\n" * 100_000)
    policy, options = POLICY, {}
    if documents:
        options["documents"] = "document"
        policy = operation.fit_policy(
            [1] * 800, range(800), documents=[i // 2 for i in range(800)], max_error_rate=0.1
        )
    goals = {name: tmp_path / f"{name}{ending}" for name in ("accepted", "review")}
    goals["accepted"].write_text("of yesterday")
    with growing(path, line), pytest.raises(DataFileError, match=r"new.*it changed while it was read"):
        operation.apply_policy(policy, path, **goals, **options)
    assert goals["accepted"].read_text() == "of yesterday"
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted([f"accepted{ending}", path.name])
    done = operation.apply_policy(policy, path, **goals, **options)  # nobody writes any more
    rows = [each.read_text().splitlines() for each in goals.values()]
    assert sum(map(len, rows)) - 2 * bool(header) == done.n_items > 100_000


def test_read_audits(tmp_path):
    path, line = tmp_path / "log.csv", "0.9,1,1.0,1,1"
    path.write_text("confidence,correct,audit_probability,accepted,audited\n" + f"{line}\n" * 100_000)
    with growing(path, line), pytest.raises(DataFileError, match=r"log\.csv: it changed while it was"):
        operation.read_audits(path, threshold=0.5)
    assert len(operation.read_audits(path, threshold=0.5).correct) > 100_000


def test_errors_of_half_written_rows_say_that_the_file_changes(tmp_path):
    path = tmp_path / "new.csv"
    path.write_text("document,confidence\n" + "d,300\n" * 300_000)
    goals = {name: tmp_path / f"{name}.csv" for name in ("accepted", "review")}
    with growing(path, "d"), pytest.raises(DataFileError, match="it changed while it was read"):
        operation.apply_policy(POLICY, path, **goals)
    with pytest.raises(DataFileError, match="the header has 2 fields, the row has 1"):
        operation.apply_policy(POLICY, path, **goals)


def test_a_directory_that_gets_one_more_file(tmp_path, monkeypatch):
    import duckdb

    days = tmp_path / "days"
    days.mkdir()
    duckdb.sql("SELECT 300 AS confidence FROM range(9)").write_parquet(str(days / "a.parquet"))
    counted = operation.application._counted

    def count_while_another_day_comes(*arguments):
        found = counted(*arguments)
        duckdb.sql("SELECT 300 AS confidence").write_parquet(str(days / "b.parquet"))
        return found

    monkeypatch.setattr(operation.application, "_counted", count_while_another_day_comes)
    goals = {name: tmp_path / f"{name}.csv" for name in ("accepted", "review")}
    with pytest.raises(DataFileError, match="days: it changed while it was read"):
        operation.apply_policy(POLICY, days, **goals)
    assert not goals["accepted"].exists()
