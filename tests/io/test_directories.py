"""A directory of Parquet files, read as one file."""

from __future__ import annotations

import commands
import numpy as np
import pytest
from files import write_parquet

from fastarac.io import DataFileError, read_models, read_outputs, sketch_outputs


@pytest.fixture
def days(tmp_path):
    """Two files as Spark names and surrounds them, and all rows in one file beside them."""
    folder = tmp_path / "days [of *]"
    folder.mkdir()
    columns = {
        "day": ["a"] * 40 + ["b"] * 30,
        "confidence": np.arange(70) / 70,
        "correct": np.arange(70) % 3 > 0,
    }
    for name, part in (("part-0.snappy.parquet", slice(40)), ("part-1.parquet", slice(40, 70))):
        write_parquet(folder / name, {key: column[part] for key, column in columns.items()})
    for name in ("_SUCCESS", ".part-0.snappy.parquet.crc"):
        (folder / name).write_bytes(b"")
    write_parquet(tmp_path / "all.parquet", columns)
    return folder


def refusal(path) -> str:
    with pytest.raises(DataFileError) as caught:
        read_outputs(path)
    return str(caught.value)


def test_is_one_table(days):
    found, expected = (read_outputs(path) for path in (days, days.parent / "all.parquet"))
    np.testing.assert_array_equal(found.confidence, expected.confidence)
    np.testing.assert_array_equal(found.correct, expected.correct)
    fields, of_one = (read_outputs(path, by="day").by for path in (days, days.parent / "all.parquet"))
    assert fields.names == of_one.names == ("a", "b")
    np.testing.assert_array_equal(fields.codes, of_one.codes)
    models = read_models({"days": days}, model="day").outputs
    assert {name: len(outputs.correct) for name, outputs in models.items()} == {"a": 40, "b": 30}


def test_in_bounded_memory(days):
    found, expected = (sketch_outputs(path) for path in (days, days.parent / "all.parquet"))
    assert found.to_bytes() == expected.to_bytes()


def test_a_row_is_counted_over_all_files(days):
    write_parquet(
        days / "part-2.parquet", {"day": ["c"], "confidence": [float("nan")], "correct": [True]}
    )
    assert "row 71: " in refusal(days)


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("type", {"day": ["c"], "confidence": [1], "correct": [True]}),
        ("name", {"day": ["c"], "score": [0.5], "correct": [True]}),
        ("more", {"day": ["c"], "confidence": [0.5], "correct": [True], "x": [1]}),
    ],
)
def test_other_columns_are_refused(days, name, columns):
    write_parquet(days / f"{name}.parquet", columns)
    message = refusal(days)
    assert "differ in the names or types of their columns" in message
    assert '"part-0.snappy.parquet"' in message
    assert f'"{name}.parquet"' in message


def test_what_else_is_in_it_is_refused(days):
    (days / "notes.txt").write_text("x")
    assert "it is a directory that contains" in refusal(days)
    (days / "notes.txt").unlink()
    (days / "field=a").mkdir()
    assert 'it is a directory that contains "field=a", but' in refusal(days)
    (days / "field=a").rmdir()
    hidden = days / ".old.parquet"
    hidden.write_bytes(b"")
    assert 'it is a directory that contains ".old.parquet", but' in refusal(days)
    hidden.unlink()
    (days / "_delta_log").mkdir()
    assert "it is a table with a log (_delta_log), whose files may hold deleted rows" in refusal(days)


def test_command_line(days):
    result = commands.run("evaluate", days, "--format", "csv", code=0)
    assert result.stdout.splitlines()[1].startswith("days [of *],70")
    message = commands.run("evaluate", days.parent / "*.parquet", code=2).stderr
    assert "patterns cannot be read; a directory of Parquet files is read as one table" in message
    message = commands.run("evaluate", days, "--model", "gpt", code=2).stderr
    assert '"gpt"; the columns are' in message
    assert "leave out --model if each file is one" in message
