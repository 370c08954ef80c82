"""Reading outputs from files: every format, and every kind of bad file."""

from __future__ import annotations

import gzip
import json
import os
import pickle
import subprocess
from decimal import Decimal
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from files import (
    COLUMNS,
    WRITERS,
    refusal,
    write_delimited,
    write_parquet,
    write_text,
)

from fastarac.io import DataFileError, _sources, read_outputs, sketch_outputs
from fastarac.partial_truth import sample_outputs


class TestEveryFormat:
    @pytest.fixture(params=WRITERS)
    def path(self, request, tmp_path):
        return WRITERS[request.param](tmp_path / request.param, COLUMNS)

    def test_all_columns(self, path):
        outputs = read_outputs(path, model="engine", by="page", weight="weight")
        assert outputs.correct.dtype == bool
        assert outputs.correct.tolist() == COLUMNS["correct"]
        assert outputs.confidence.dtype == np.float64
        assert outputs.confidence.tolist() == COLUMNS["confidence"]
        assert outputs.model.names == ("a", "b")
        assert outputs.model.codes.tolist() == [1, 0, 1, 1]
        assert outputs.by.names == ("p1", "p2")
        assert outputs.by.codes.tolist() == [0, 0, 1, 1]
        assert outputs.weight.tolist() == COLUMNS["weight"]
        assert len(outputs) == 4

    def test_text_is_compared_as_written(self, path):
        outputs = read_outputs(path, prediction="prediction", truth="truth", compare="text")
        assert outputs.correct.tolist() == [True, False, False, True]
        assert outputs.model is outputs.by is outputs.weight is None

    def test_named_columns(self, path):
        outputs = read_outputs(str(path), confidence="id", correct="correct")
        assert outputs.confidence.tolist() == [1, 2, 3, 4]

    def test_missing_column(self, path):
        error = refusal(path, confidence="Confidense")
        assert 'there is no column "Confidense" (did you mean "confidence"?)' in str(error)
        assert '"id", "prediction", "truth", "confidence", "correct", "engine"' in str(error)
        assert "did you mean" not in str(refusal(path, weight="zzzzz"))

    def test_no_rows(self, path):
        WRITERS[path.name](path, {key: values[:0] for key, values in COLUMNS.items()})
        error = refusal(path)
        assert error.row is None
        assert str(error).endswith(("there are no rows", "the file is empty"))


def test_defaults(tmp_path):
    path = tmp_path / "f.csv"
    write_text(path, "prediction,truth,confidence\na,a,1\nb,a,2\n")
    assert read_outputs(path).correct.tolist() == [True, False]
    write_text(path, "prediction,truth,correct,confidence\na,a,0,1\nb,a,1,2\n")
    assert read_outputs(path).correct.tolist() == [False, True]
    write_text(path, "prediction,confidence\na,1\n")
    assert 'neither a column "correct" nor' in str(refusal(path))


def test_contradicting_arguments(tmp_path):
    path = tmp_path / "missing.csv"
    with pytest.raises(ValueError, match="not all three"):
        read_outputs(path, correct="correct", prediction="prediction", truth="truth")
    with pytest.raises(ValueError, match="not all three"):
        read_outputs(path, correct="correct", truth="truth")
    with pytest.raises(ValueError, match="prediction is given without truth; give both"):
        read_outputs(path, prediction="prediction")
    with pytest.raises(ValueError, match="truth is given without prediction; give both"):
        read_outputs(path, truth="truth")


class TestValues:
    @pytest.mark.parametrize("value", ["high", "", '""', "nan", "NaN", "inf", "-inf", "1,5,0", "1e999"])
    def test_bad_confidence(self, tmp_path, value):
        quoted = f'"{value}"' if "," in value else value
        text = f'note,correct,confidence\n"two\nlines",1,0.5\n\nx,0,{quoted}\nx,0,bad too\n'
        error = refusal(write_text(tmp_path / "f.csv", text))
        assert (error.row, error.line) == (2, 5)
        found = "is empty" if value == "" else f'holds "{value.strip(chr(34))}"'
        assert f'column "confidence" {found}; expected a finite number' in str(error)

    @pytest.mark.parametrize("name", ["f.csv", "semicolon.csv", "f.tsv", "f.jsonl", "f.parquet"])
    def test_decimal_comma(self, tmp_path, name):
        written = ["99,9", "0,125", ",5", " -12,3456", "1,5e-3", "87", "0,1"]
        path = WRITERS[name](tmp_path / name, {"correct": ["1"] * 7, "confidence": written})
        assert read_outputs(path).confidence.tolist() == [99.9, 0.125, 0.5, -12.3456, 0.0015, 87, 0.1]

    @pytest.mark.parametrize("value", ["12,345", "1.234,5", "1,234.5", "1,234,567", "12,345e2"])
    def test_comma_that_may_part_thousands(self, tmp_path, value):
        path = write_delimited(tmp_path / "f.csv", {"correct": [1], "confidence": [value]}, ";")
        assert "cannot separate thousands, as in 99,9 and 0,125: write a point" in str(refusal(path))

    @pytest.mark.parametrize("value", ["null", "NaN", "Infinity", '"high"', "[1]", "true"])
    def test_bad_confidence_json(self, tmp_path, value):
        text = f'{{"correct":1,"confidence":0.5}}\n\n{{"correct":1,"confidence":{value}}}\n'
        error = refusal(write_text(tmp_path / "f.jsonl", text))
        assert (error.row, error.line) == (2, 3)
        assert "expected a finite number" in str(error)

    def test_missing_key(self, tmp_path):
        path = write_text(tmp_path / "f.jsonl", '{"correct":1,"confidence":1}\n{"correct":1}\n')
        assert 'row 2 (line 2): column "confidence" is empty' in str(refusal(path))

    @pytest.mark.parametrize("value", [None, float("nan"), float("inf")])
    def test_bad_confidence_parquet(self, tmp_path, value):
        columns = {"correct": [1, 1], "confidence": [0.5, value]}
        error = refusal(write_parquet(tmp_path / "f.parquet", columns))
        assert (error.row, error.line) == (2, None)
        assert ", row 2: column" in str(error)

    @pytest.mark.parametrize(
        "value",
        [
            "2",
            "-1",
            "0.5",
            "yes",
            "t",
            "",
            "nan",
            "0_1",
            "1_0",
            "1e-400",
            "1.00000000000000000001",
            "1e1",
        ],
    )
    def test_bad_correct(self, tmp_path, value):
        text = f"confidence,correct\n1,1\n2,{value}\n"
        error = refusal(write_text(tmp_path / "f.csv", text))
        assert error.row == 2
        assert "expected true or false, or 1 or 0" in str(error)

    @pytest.mark.parametrize(
        "values",
        [
            ["true", "FALSE"],
            ["1", "0"],
            ["1.0", "0.0"],
            ["True", "-0"],
            [" +1.", " .0 "],
            ["01e0", "0E9"],
        ],
    )
    def test_good_correct(self, tmp_path, values):
        path = write_delimited(tmp_path / "f.csv", {"confidence": [1, 2], "correct": values})
        assert read_outputs(path).correct.tolist() == [True, False]

    @pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint64, np.float32, np.float64])
    def test_correct_of_parquet(self, tmp_path, dtype):
        columns = {"confidence": [1, 2], "correct": np.array([1, 0]).astype(dtype)}
        path = write_parquet(tmp_path / "f.parquet", columns)
        assert read_outputs(path).correct.tolist() == [True, False]
        if dtype is not np.bool_:
            columns["correct"] = np.array([1, 3], dtype)
            assert refusal(write_parquet(path, columns)).row == 2

    @pytest.mark.parametrize("value", ["-0.1", "x", "inf", ""])
    def test_bad_weight(self, tmp_path, value):
        text = f"confidence,correct,w\n1,1,2\n2,0,{value}\n"
        error = refusal(write_text(tmp_path / "f.csv", text), weight="w")
        assert error.row == 2
        assert 'column "w"' in str(error)
        assert "not negative" in str(error)

    def test_missing_label(self, tmp_path):
        path = write_text(tmp_path / "f.csv", "confidence,correct,m\n1,1,\n2,0,\n")
        assert 'row 1 (line 2): column "m" is empty; expected a name' in str(refusal(path, model="m"))

    def test_first_bad_row_is_reported(self, tmp_path):
        path = write_text(tmp_path / "f.csv", "confidence,correct\n1,1\n2,x\nx,1\n")
        assert "row 2" in str(refusal(path))

    def test_long_values_are_cut(self, tmp_path):
        path = write_text(tmp_path / "f.csv", f"confidence,correct\n{'z' * 1000},1\n")
        assert len(str(refusal(path))) < 250 + len(str(path))

    @pytest.mark.parametrize(
        "array",
        [
            np.array([2**53, 2**53 + 1, -5], np.int64),
            np.array([2**64 - 1, 2**64 - 2, 5], np.uint64),
        ],
    )
    def test_large_integers_keep_their_order(self, tmp_path, array):
        for name, writer in WRITERS.items():
            values = array if writer is write_parquet else array.tolist()
            columns = {"correct": [1, 0, 1], "confidence": values}
            confidence = read_outputs(writer(tmp_path / name, columns)).confidence
            assert confidence.dtype == array.dtype
            assert confidence.tolist() == array.tolist()
        columns["confidence"] = [*array.tolist()[:2], 0.5]  # no type of NumPy has all of them
        found = str(refusal(write_delimited(tmp_path / "f.csv", columns)))
        low, high = sorted(array.tolist()[:2])
        assert f'column "confidence" holds {low} and {high}' in found
        columns["confidence"] = [int(array[0]), 7, 0.5]
        confidence = read_outputs(write_delimited(tmp_path / "f.csv", columns)).confidence
        assert confidence.dtype == np.float64

    @pytest.mark.parametrize("whole", [2**53 + 1, 2**63 + 1])
    def test_large_integers_beside_what_has_no_confidence_are_not_merged(self, tmp_path, whole):
        columns = {"correct": [1, 0, 1], "confidence": [whole, whole - 1, ""]}
        texts = write_delimited(tmp_path / "f.csv", columns)
        numbers = pa.array([whole, whole - 1, None], pa.uint64())
        for path in (texts, write_parquet(tmp_path / "f.parquet", columns | {"confidence": numbers})):
            found = str(refusal(path, empty_confidence=True))
            assert f'column "confidence" holds {whole - 1} and {whole}' in found

    @pytest.mark.parametrize(
        ("digits", "scale", "values"),
        [
            (18, 18, ["0.123456789012345678", "0.123456789012345677"]),
            (38, 23, ["0.12345678901234567890124", "0.12345678901234567890123"]),
            (38, 2, ["90071992547409931234567.50", "90071992547409931234567.25"]),
        ],
    )
    def test_decimals_that_doubles_merge_are_refused(self, tmp_path, digits, scale, values):
        decimals = pa.array(map(Decimal, [*values, "0.5"]), pa.decimal128(digits, scale))
        path = tmp_path / "f.parquet"
        write_parquet(path, {"correct": [1, 0, 1], "confidence": decimals})
        texts = " and ".join(
            value.removeprefix("0") if scale == digits else value for value in values[::-1]
        )
        expected = f"holds {texts}, which are the same number in double precision; expected numbers"
        assert expected in str(refusal(path))
        assert "cast the column to DOUBLE" in str(refusal(path))
        with pytest.raises(DataFileError, match=r"at most 15 digits.*streamed|below 2\*\*53"):
            sketch_outputs(path)
        # columns that are read one by one
        write_parquet(path, {"text": ["a", "b", "c"], "confidence": decimals})
        with pytest.raises(
            DataFileError, match=", which are the same number in double precision; expected numbers"
        ):
            sample_outputs(path, tmp_path / "drawn.csv", 1)

    def test_decimals_that_doubles_tell_apart_are_read(self, tmp_path):
        path = tmp_path / "f.parquet"
        for values, dtype in (
            (["0.10", "0.20"], np.float64),
            (["0.12345678901234567", "0.12345678901234563"], np.float64),
            (["9007199254740993", "9007199254740992"], np.int64),
            (["18446744073709551615", "18446744073709551614"], np.uint64),
        ):
            decimals = pa.array(map(Decimal, values), pa.decimal128(38, 17))
            write_parquet(path, {"correct": [1, 0], "confidence": decimals})
            confidence = read_outputs(path).confidence
            assert confidence.dtype == dtype
            if dtype is np.float64:  # old versions of DuckDB round a digit otherwise
                assert confidence.tolist() == pytest.approx(list(map(float, values)), rel=1e-15)
                assert (confidence[0] > confidence[1]) == (Decimal(values[0]) > Decimal(values[1]))
            else:
                assert confidence.tolist() == [dtype(value) for value in values]
        short = pa.array([Decimal("0.125"), Decimal("-0.5")], pa.decimal128(38, 17))
        write_parquet(path, {"correct": [1, 0], "confidence": short})
        assert sketch_outputs(path).total == 2

    @pytest.mark.parametrize("dtype", [np.float32, np.int8, np.uint16, np.bool_])
    def test_parquet_keeps_the_dtype(self, tmp_path, dtype):
        confidence = np.array([0, 1, 1]).astype(dtype)
        path = write_parquet(tmp_path / "f.parquet", {"correct": [1, 0, 1], "confidence": confidence})
        outputs = read_outputs(path)
        assert outputs.confidence.dtype == dtype
        assert np.array_equal(outputs.confidence, confidence)

    def test_parquet_other_types(self, tmp_path):
        path = tmp_path / "f.parquet"
        decimal = pa.array([1, 2], pa.decimal128(10, 3))
        write_parquet(path, {"correct": [1, 0], "confidence": decimal})
        assert read_outputs(path).confidence.tolist() == [1.0, 2.0]
        dates = pa.array([1, 2], pa.date32())
        write_parquet(path, {"correct": [1, 0], "confidence": dates})
        assert 'column "confidence" holds DATE; expected a finite number' in str(refusal(path))
        write_parquet(path, {"correct": dates, "confidence": [1, 2]})
        assert 'column "correct" holds DATE; expected true or false' in str(refusal(path))


class TestBadFiles:
    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes")
    def test_pipe(self, tmp_path):
        os.mkfifo(tmp_path / "f.csv")
        assert "it is a pipe or a device" in str(refusal(tmp_path / "f.csv"))

    def test_missing(self, tmp_path):
        assert "cannot be opened: No such file" in str(refusal(tmp_path / "f.csv"))
        assert "cannot be opened" in str(refusal(tmp_path / "a\0b.csv"))

    def test_directory(self, tmp_path):
        (tmp_path / "d.csv").mkdir()
        assert "is a directory" in str(refusal(tmp_path / "d.csv"))

    def test_unreadable(self, tmp_path, monkeypatch):
        path = write_text(tmp_path / "f.csv", "confidence,correct\n1,1\n")

        def refuse(*args, **kwargs):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(Path, "open", refuse)
        assert "cannot be opened: Permission denied" in str(refusal(path))

    @pytest.mark.parametrize("name", WRITERS)
    def test_empty(self, tmp_path, name):
        (tmp_path / name).write_bytes(b"")
        assert "the file is empty" in str(refusal(tmp_path / name))

    @pytest.mark.parametrize("name", ["f", "f.txt", "f.gz", "f.csv.zip", "f.parquet.gz", "csv"])
    def test_unknown_kind(self, tmp_path, name):
        assert ".parquet" in str(refusal(write_text(tmp_path / name, "a,b\n")))

    @pytest.mark.parametrize("text", ["\n", "\n\nconfidence,correct\n1,1\n"])
    def test_no_header(self, tmp_path, text):
        assert "first line is empty" in str(refusal(write_text(tmp_path / "f.csv", text)))

    def test_header_alone(self, tmp_path):
        path = write_text(tmp_path / "f.csv", "confidence,correct")
        assert "there are no rows" in str(refusal(path))

    @pytest.mark.parametrize(("row", "found"), [("1,1", 2), ("1,1,x,y", 4), ("   ", 1)])
    def test_ragged(self, tmp_path, row, found):
        text = f'confidence,correct,note\n1,1,"a\nb"\n\n{row}\n2,1,x\n'
        error = refusal(write_text(tmp_path / "f.csv", text))
        assert (error.row, error.line) == (2, 5)
        assert f"the header has 3 fields, the row has {found}" in str(error)

    @pytest.mark.parametrize("text", ['1,"x,1\n', '1,"x"y,1\n2,y,1\n', '1,x,"p"q\n'])
    def test_stray_quotes(self, tmp_path, text):
        error = refusal(write_text(tmp_path / "f.csv", "correct,note,confidence\n1,a,1\n" + text))
        assert error.row == 2

    def test_malformed_header(self, tmp_path):
        error = refusal(write_text(tmp_path / "f.csv", 'correct,"confidence\n1,1\n'))
        assert "the header is malformed" in str(error)

    def test_repeated_column(self, tmp_path):
        path = write_text(tmp_path / "f.csv", "correct,confidence,x,confidence,x\n1,1,2,3,4\n")
        assert '2 columns are named "confidence"' in str(refusal(path))
        assert len(read_outputs(path, confidence="correct")) == 1

    def test_line_ends(self, tmp_path):
        lines = ["correct,confidence", "1,1", "0,2", ""]
        for end in ("\n", "\r\n", "\r"):
            path = write_text(tmp_path / "f.csv", end.join(lines))
            assert read_outputs(path).confidence.tolist() == [1, 2]

    def test_mixed_line_ends(self, tmp_path):
        path = write_text(tmp_path / "f.csv", "correct,confidence\r\n1,1\n0,2\n")
        try:
            outcome = read_outputs(path).confidence.tolist()  # some versions of DuckDB can
        except DataFileError as error:
            outcome = str(error)
        assert outcome == [1, 2] or ("end in CR LF" in outcome and "or dos2unix" in outcome)

    @pytest.mark.parametrize("name", ["f.csv", "f.tsv", "f.jsonl", "f.csv.gz", "f.jsonl.gz"])
    def test_byte_order_mark(self, tmp_path, name):
        text = (WRITERS[name](tmp_path / name, COLUMNS)).read_bytes()
        text = gzip.decompress(text) if name.endswith(".gz") else text
        path = write_text(tmp_path / name, "\ufeff" + text.decode())
        if "json" in name:
            assert "begins with a byte order mark" in str(refusal(path))
        else:
            assert read_outputs(path, confidence="id").confidence.tolist() == [1, 2, 3, 4]

    @pytest.mark.parametrize("name", ["f.csv", "f.jsonl"])
    def test_not_utf8(self, tmp_path, name):
        path = WRITERS[name](tmp_path / name, COLUMNS)
        path.write_bytes(path.read_text().replace("p2", "\xe4").encode("latin-1"))
        assert "not UTF-8" in str(refusal(path, by="page"))
        assert f"`iconv -f cp1252 -t utf-8 {name} > utf8-{name}`" in str(refusal(path, by="page"))
        path.write_bytes("correct,confidence\n1,1\n".encode("utf-16"))
        assert "not UTF-8" in str(refusal(path))
        assert "it is UTF-16, which `iconv -f utf-16 -t utf-8" in str(refusal(path))

    def test_conversion_does_what_the_error_says(self, tmp_path):
        path = tmp_path / "März 7.csv"
        path.write_bytes("correct;confidence;name\n1;0.5;Größe\n".encode("cp1252"))
        command = str(refusal(path)).split("`")[1]
        subprocess.run(command, shell=True, cwd=tmp_path, check=True)
        assert read_outputs(tmp_path / "utf8-März 7.csv", by="name").by.names == ("Größe",)

    @pytest.mark.parametrize("row", ['{"a": 1', "{'a': 1}", '{"a": 1} {"a": 2}', "nonsense", "{,}"])
    def test_malformed_json(self, tmp_path, row):
        text = '{"correct": 1, "confidence": 1}\n\n' + row + "\n"
        error = refusal(write_text(tmp_path / "f.jsonl", text))
        assert (error.row, error.line) == (2, 3)
        assert "not valid JSON" in str(error)

    @pytest.mark.parametrize("row", ["[1, 2]", "5", '"x"', "null"])
    def test_json_that_is_no_object(self, tmp_path, row):
        text = '{"correct": 1, "confidence": 1}\n' * 2000 + row
        error = refusal(write_text(tmp_path / "f.jsonl", text))
        assert (error.row, error.line) == (2001, 2001)
        assert "expected an object" in str(error)

    def test_json_repeated_key(self, tmp_path):
        text = '{"correct": 1, "confidence": 1, "correct": 0}\n'
        assert 'the key "correct" occurs twice' in str(refusal(write_text(tmp_path / "f.jsonl", text)))

    def test_json_over_several_lines(self, tmp_path):
        path = write_text(tmp_path / "f.jsonl", json.dumps({"correct": 1, "confidence": 1}, indent=1))
        assert "row 1 (line 1): it is not valid JSON" in str(refusal(path))

    def test_broken_parquet(self, tmp_path):
        path = write_parquet(tmp_path / "f.parquet", COLUMNS)
        whole = path.read_bytes()
        for broken in (b"x", b"no parquet at all", whole[:100], whole[-100:]):
            path.write_bytes(broken)
            assert "not a Parquet file, or it is damaged" in str(refusal(path))

    def test_broken_gzip(self, tmp_path):
        path = write_delimited(tmp_path / "f.csv.gz", COLUMNS)
        whole = path.read_bytes()
        path.write_bytes(b"correct,confidence\n1,1\n")
        assert "it is not a gzip file, though its name ends in .gz" in str(refusal(path))
        for broken in (whole[:-20], whole[:-8], whole[:-1], whole[:5], whole + whole[:-3]):
            path.write_bytes(broken)
            assert "it is damaged: its compressed data are cut off" in str(refusal(path))
        path.write_bytes(whole + b"\0\0more")
        assert "it is damaged: bytes that are not gzip data follow" in str(refusal(path))

    @pytest.mark.parametrize("name", ["f.csv.gz", "f.tsv.gz", "f.jsonl.gz"])
    @pytest.mark.parametrize("end", [4, 8])
    def test_gzip_with_a_wrong_checksum_or_length(self, tmp_path, name, end):
        path = WRITERS[name](tmp_path / name, COLUMNS)
        whole = path.read_bytes()
        assert len(read_outputs(path)) == len(COLUMNS["correct"])
        path.write_bytes(whole[:-end] + bytes([whole[-end] ^ 1]) + whole[len(whole) - end + 1 :])
        assert str(refusal(path)) == f"{path}: it is damaged: its checksum is wrong"


@pytest.mark.parametrize(
    "name",
    [
        "it's",
        'say "x"',
        "a[bc]",
        "a*",
        "a?",
        "[!a]",
        "a**",
        "~a",
        "{a,b}",
        "$HOME",
        "k=1",
        "ä ;--",
        "a%20b",
    ],
)
@pytest.mark.parametrize("ending", ["f.csv", "f.jsonl", "f.parquet", "f.csv.gz"])
def test_paths_are_literal(tmp_path, name, ending):
    folder = tmp_path / name
    folder.mkdir()
    for decoy in ("ab", "a", "ax", "axx"):
        (tmp_path / decoy).mkdir(exist_ok=True)
        if decoy != name:
            WRITERS[ending](tmp_path / decoy / (name + ending), {"correct": [1], "confidence": [7]})
    path = WRITERS[ending](folder / (name + ending), COLUMNS)
    assert len(read_outputs(path)) == 4


def test_relative_paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_delimited(tmp_path / "f.csv", COLUMNS)
    assert len(read_outputs("f.csv")) == 4
    assert str(refusal(Path("g.csv"))).startswith("g.csv: ")


def test_awkward_column_names(tmp_path):
    columns = {"correct": [1, 0], 'the "con\'fidence", ?': [0.5, 0.25], "select": ["x", "y"]}
    for name, writer in WRITERS.items():
        path = writer(tmp_path / name, columns)
        outputs = read_outputs(path, confidence='the "con\'fidence", ?', model="select")
        assert outputs.confidence.tolist() == [0.5, 0.25]
        assert outputs.model.names == ("x", "y")


def test_unneeded_columns_may_be_wrong(tmp_path):
    path = write_parquet(
        tmp_path / "f.parquet",
        {"correct": [1], "confidence": [1], "x": [float("nan")], "y": [None]},
    )
    assert len(read_outputs(path)) == 1


def test_interruption_while_duckdb_reads(tmp_path, monkeypatch):
    path = write_delimited(tmp_path / "f.csv", COLUMNS)
    failure = RuntimeError("Query interrupted")

    def fail(*args, **kwargs):
        raise failure

    monkeypatch.setattr(_sources.FileSource, "select", fail)
    with pytest.raises(KeyboardInterrupt):
        read_outputs(path)
    failure = RuntimeError("something else")
    with pytest.raises(RuntimeError, match="something else"):
        read_outputs(path)


def test_unexplained_failure(tmp_path, monkeypatch):
    path = write_text(tmp_path / "f.csv", "correct,confidence\r\n1,1\r\n0,2")

    def fail(*args, **kwargs):
        raise duckdb.Error("Some Error: this went wrong\nand more of it")

    monkeypatch.setattr(_sources.FileSource, "select", fail)
    assert str(refusal(path)).endswith("it cannot be read; it seems to be damaged")


def test_error_survives_pickling():
    error = DataFileError("f.csv", "problem", row=3, line=5)
    copy = pickle.loads(pickle.dumps(error))
    assert str(copy) == str(error) == "f.csv, row 3 (line 5): problem"
    assert (copy.path, copy.row, copy.line) == (Path("f.csv"), 3, 5)
    assert str(DataFileError("f.csv", "problem", row=3)) == "f.csv, row 3: problem"
    assert isinstance(error, ValueError)


@pytest.mark.skipif(os.name != "posix", reason="a file name of arbitrary bytes")
def test_path_that_is_not_unicode(tmp_path):
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.csv"))
    write_delimited(path, COLUMNS)
    with pytest.raises(DataFileError, match="cannot be read"):
        read_outputs(path)
