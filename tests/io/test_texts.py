"""Texts in files: quotes, empty truths, names of groups and of columns, rows of any length."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from files import WRITERS, refusal, write_parquet, write_text

from fastarac.io import DataFileError, read_outputs, sketch_outputs


class TestText:
    @pytest.mark.parametrize(
        ("prediction", "truth", "same"),
        [
            ("007", "7", False),
            ("1.0", "1", False),
            ("1.10", "1.1", False),
            (" a", "a", False),
            ("A", "a", False),
            ("true", "True", False),
            ("NULL", "NULL", True),
            ("2024-01-01", "2024-01-01", True),
            ("", '""', True),
            ("", "a", False),
            ('""', "a", False),
            ("#", "#", True),
        ],
    )
    def test_csv(self, tmp_path, prediction, truth, same):
        text = f"prediction,truth,confidence\n{prediction},{truth},1\n"
        path = write_text(tmp_path / "f.csv", text)
        assert read_outputs(path, compare="text").correct.tolist() == [same]

    @pytest.mark.parametrize(
        ("prediction", "truth", "same"),
        [
            ('"007"', '"7"', False),
            ('"7"', "7", True),
            ("null", '""', True),
            ("null", '"null"', False),
            ('"\\u00e4"', '"ä"', True),
            ("7", "7.0", False),
        ],
    )
    def test_json(self, tmp_path, prediction, truth, same):
        text = f'{{"prediction": {prediction}, "truth": {truth}, "confidence": 1}}\n'
        path = write_text(tmp_path / "f.jsonl", text)
        assert read_outputs(path, compare="text").correct.tolist() == [same]

    def test_parquet_numbers(self, tmp_path):
        columns = {"prediction": [7.0, None, 8], "truth": [7, 1, 9], "confidence": [1, 2, 3]}
        path = write_parquet(tmp_path / "f.parquet", columns)
        assert read_outputs(path).correct.tolist() == [True, False, False]

    def test_parquet_dictionary(self, tmp_path):
        text = pa.array(["x", "007", "x"]).dictionary_encode()
        columns = {"prediction": text, "truth": ["x", "7", None], "confidence": [1, 2, 3]}
        path = write_parquet(tmp_path / "f.parquet", columns)
        error = refusal(path, compare="text")
        assert error.row == 3
        assert 'column "truth" is empty' in str(error)

    def test_parquet_text_against_numbers(self, tmp_path):
        columns = {"prediction": ["7"], "truth": [7], "confidence": [1]}
        error = refusal(write_parquet(tmp_path / "f.parquet", columns))
        assert '"truth" holds numbers, but column "prediction" holds text' in str(error)
        columns = {"prediction": ["7.0", "x", None], "truth": [7, 7, 7], "confidence": [1, 1, 1]}
        path = write_parquet(tmp_path / "f.parquet", columns)
        assert read_outputs(path, compare="number").correct.tolist() == [True, False, False]

    def test_null_truth(self, tmp_path):
        path = write_text(tmp_path / "f.csv", "prediction,truth,confidence\na,a,1\nb,,2\n")
        error = refusal(path)
        assert (error.row, error.line) == (2, 3)
        assert 'row 2 (line 3): column "truth" is empty' in str(error)
        path = write_text(tmp_path / "f.jsonl", '{"prediction":"","truth":null,"confidence":1}')
        assert 'row 1 (line 1): column "truth" is empty' in str(refusal(path))


class TestTextsThatAreNumbers:
    """The same number, written in two ways: right or wrong, as the user says."""

    @pytest.mark.parametrize(
        ("prediction", "truth"),
        [
            ("9.0", "9"), ("007", "7"), ("+5", "5"), (".5", "0.50"), ("12,50", "12,5"), ("-0", "0"),
            (" 9", "9"), ("-0,5", "-.5"), ("0,125", "0.125"), ("100", "100.0"), ("7.", "7"),
        ],
    )  # fmt: skip
    def test_the_same(self, tmp_path, prediction, truth):
        path = write_text(tmp_path / "f.csv", f"prediction;truth;confidence\n{prediction};{truth};1\n")
        assert read_outputs(path, compare="number").correct.tolist() == [True]
        assert read_outputs(path, compare="text").correct.tolist() == [False]
        assert "but are the same number" in str(refusal(path))

    @pytest.mark.parametrize(
        ("prediction", "truth"),
        [
            ("1,234", "1234"), ("1.234", "1234"), ("-5", "5"), ("1-5", "15"), ("1_0", "10"),
            ("12345678901234567890", "12345678901234567891"), ("", "0"), ("nan", "nan "), ("100", "10"),
            ("1.10", "1.1.0"), ("0.05", "0.5"), ("9", "90"),
        ],
    )  # fmt: skip
    def test_others(self, tmp_path, prediction, truth):
        path = write_text(tmp_path / "f.csv", f"prediction;truth;confidence\n{prediction};{truth};1\n")
        for compare in ("text", "number", None):
            assert read_outputs(path, compare=compare).correct.tolist() == [False]

    @pytest.mark.parametrize("name", ["f.csv", "f.jsonl", "f.parquet"])
    def test_the_error(self, tmp_path, name):
        columns = {"prediction": ["x", "7", "007", "9.0"], "truth": list("x779")}
        path = WRITERS[name](tmp_path / name, columns | {"confidence": [1, 2, 3, 4]})
        said = (
            'the output "007" and the truth "7" differ as texts but are the same number, as in 2 rows; '
            "compare='number' counts such outputs as right, compare='text' as wrong"
        )
        assert refusal(path).problem == said
        assert refusal(path).row == 3
        with pytest.raises(DataFileError, match="as in 2 rows"):
            sketch_outputs(path)
        assert sketch_outputs(path, compare="number").bounds().total == 4

    def test_empty_truth(self, tmp_path):
        path = write_text(tmp_path / "f.csv", "prediction,truth,confidence\n,,1\n1,,2\n07,7,3\n")
        found = read_outputs(path, compare="number", empty_truth=True)
        assert found.correct.tolist() == [True, False, True]
        assert 'column "truth" is empty' in str(refusal(path, compare="number"))

    def test_a_comparison_without_texts(self, tmp_path):
        path = write_text(tmp_path / "f.csv", "correct,confidence\n1,1\n")
        with pytest.raises(DataFileError, match='and of truths, but column "correct" says what'):
            read_outputs(path, compare="number")
        with pytest.raises(ValueError, match="', got 'digits'"):
            read_outputs(path, compare="digits")


class TestLongRows:
    LONG = 200_000  # more than the csv module of Python takes

    @pytest.mark.parametrize("text", ["z" * LONG, '"' + "z\n" * LONG + '"'])
    def test_error_after_a_long_field(self, tmp_path, text):
        text = f"note,correct,confidence\n{text},1,0.5\nx,0,high\n"
        error = refusal(write_text(tmp_path / "f.csv", text))
        assert error.row == 2
        assert 'column "confidence" holds "high"' in str(error)

    def test_long_header(self, tmp_path):
        text = f"{'z' * self.LONG},correct,confidence\na,1,0.5\n"
        assert len(read_outputs(write_text(tmp_path / "f.csv", text))) == 1

    def test_too_long(self, tmp_path):
        text = f"note,correct,confidence\nx,1,0.5\n{'z' * (1 << 24)},1,0.5\n"
        error = refusal(write_text(tmp_path / "f.csv", text))
        assert "line 3 has more than 16,777,216 bytes; reading_limits(max_line=" in str(error)
        lines = f"{'z' * (1 << 20)}\n" * 17
        text = f'note,correct,confidence\nx,1,0.5\n"{lines}",1,0.5\n'
        error = refusal(write_text(tmp_path / "f.csv", text))
        assert (error.row, error.line) == (2, 3)
        assert "the row has more than 16,777,216 bytes" in str(error)


class TestTSV:
    def test_quotes_are_characters(self, tmp_path):
        text = 'prediction\ttruth\tconfidence\n"\t"\t1\n5" x\t5" x\t2\n"a\ta\t3\n"a"\ta\t4\n'
        outputs = read_outputs(write_text(tmp_path / "f.tsv", text))
        assert outputs.correct.tolist() == [True, True, False, False]
        assert outputs.confidence.tolist() == [1, 2, 3, 4]

    def test_header_in_quotes(self, tmp_path):
        text = '"prediction"\ttruth\tconfidence\n"a"\ta\t1\n"x\ty"\tb\t2\n'
        outputs = read_outputs(write_text(tmp_path / "f.tsv", text))
        assert outputs.correct.tolist() == [True, False]

    def test_rows_of_other_lengths(self, tmp_path):
        text = 'note\tcorrect\tconfidence\na "\t1\t1\n"b\tc"\t1\t1\n'
        error = refusal(write_text(tmp_path / "f.tsv", text))
        assert (error.row, error.line) == (2, 3)
        assert "the header has 3 fields, the row has 4" in str(error)


class TestEmptyTruth:
    @pytest.mark.parametrize("name", WRITERS)
    def test_every_format(self, tmp_path, name):
        empty = None if "json" in name or "parquet" in name else ""
        columns = {
            "prediction": ["", "a", empty, "b"],
            "truth": [empty, empty, "c", "b"],
            "confidence": [1, 2, 3, 4],
        }
        path = WRITERS[name](tmp_path / name, columns)
        assert "row 1" in str(refusal(path))
        outputs = read_outputs(path, empty_truth=True, keep_truth=True)
        assert outputs.correct.tolist() == [True, False, False, True]
        assert outputs.truth.names == ("", "b", "c")
        assert outputs.truth.codes.tolist() == [0, 0, 2, 1]

    def test_numbers(self, tmp_path):
        columns = {"prediction": [None, 1.0, None, 2], "truth": [None, None, 1.0, 2]}
        path = write_parquet(tmp_path / "f.parquet", columns | {"confidence": [1, 2, 3, 4]})
        assert read_outputs(path, empty_truth=True).correct.tolist() == [True, False, False, True]

    @pytest.mark.parametrize(
        ("name", "advice"),
        [
            (
                "f.csv",
                '(an empty text is written "", or empty_truth=True reads a missing truth as an empty',
            ),
            ("f.tsv", "(empty_truth=True reads a missing truth as an empty text)"),
        ],
    )
    def test_advice(self, tmp_path, name, advice):
        mark = "\t" if name == "f.tsv" else ","
        text = f"prediction{mark}truth{mark}confidence\na{mark}{mark}1\n"
        assert advice in str(refusal(write_text(tmp_path / name, text)))

    def test_without_truths(self, tmp_path):
        path = write_text(tmp_path / "f.csv", "correct,confidence\n1,1\n")
        assert 'column "correct" says what is correct' in str(refusal(path, empty_truth=True))


class TestNamesOfColumns:
    """DuckDB tells columns apart by more than the case of their names, and needs names."""

    @pytest.mark.parametrize("name", ["f.jsonl", "f.parquet", "f.csv"])
    def test_case_and_nothing(self, tmp_path, name):
        columns = {"Correct": ["x", "y"], "correct": [1, 0], "": [0.5, 0.25], "CORRECT": ["v", "w"]}
        path = WRITERS[name](tmp_path / name, columns)
        outputs = read_outputs(path, confidence="", model="Correct", by="CORRECT")
        assert outputs.correct.tolist() == [True, False]
        assert outputs.confidence.tolist() == [0.5, 0.25]
        assert (outputs.model.names, outputs.by.names) == (("x", "y"), ("v", "w"))
        assert "Confidence" in str(refusal(path, confidence="Confidence"))

    def test_errors_in_such_columns(self, tmp_path):
        text = '{"A/~b": 1, "a/~B": 0.5}\n{"A/~b": 1, "a/~B": "high"}\n'
        path = write_text(tmp_path / "f.jsonl", text)
        error = refusal(path, correct="A/~b", confidence="a/~B")
        assert 'row 2 (line 2): column "a/~B" holds "high"; expected a finite number' in str(error)
        path = write_text(path, text.replace('"high"', "1") + "[1]\n")
        error = refusal(path, correct="A/~b", confidence="a/~B")
        assert error.row == 3
        path = write_text(path, '{"A/~b": 1, "a/~B": 0.5}\n{"A/~b": 1, "a/~B": 1\n')
        error = refusal(path, correct="A/~b", confidence="a/~B")
        assert "row 2 (line 2): it is not valid JSON" in str(error)

    def test_nested_columns_of_parquet(self, tmp_path):
        columns = {"x": [{"a": 1, "A": [2]}], "X": [[{"b": 3}]], "Correct": [0], "correct": [1]}
        path = write_parquet(tmp_path / "f.parquet", columns | {"confidence": [1]})
        assert read_outputs(path).correct.tolist() == [True]


class TestNames:
    @pytest.mark.parametrize(
        ("values", "row", "expected"),
        [
            ('["1", 1]', 2, "holds 1; expected a text, as in row 1"),
            ('[1, 2.5, "1"]', 3, 'holds "1"; expected a number, as in row 1'),
            ("[true, 1]", 2, "holds 1; expected true or false, as in row 1"),
            ('["a", null]', 2, "is empty; expected a text, as in row 1"),
            ("[null, 1]", 1, "is empty; expected a text or a number"),
            ("[[1], [2]]", 1, "holds [1]; expected a text or a number"),
        ],
    )
    @pytest.mark.parametrize("column", ["by", "model", "item"])
    def test_names_of_mixed_types(self, tmp_path, values, row, expected, column):
        records = [{"confidence": 1, "correct": 1, "g": value} for value in json.loads(values)]
        path = write_text(tmp_path / "f.jsonl", "".join(json.dumps(each) + "\n" for each in records))
        error = refusal(path, **{column: "g"})
        assert error.row == row
        assert str(error).endswith(f'column "g" {expected}')

    def test_names_of_parquet(self, tmp_path):
        path = tmp_path / "f.parquet"
        columns = {"confidence": [1, 2], "correct": [1, 0]}
        write_parquet(path, columns | {"g": [0.0, -0.0]})
        assert read_outputs(path, by="g").by.names == ("0.0",)
        write_parquet(path, columns | {"g": [0.0, np.nan]})
        assert 'row 2: column "g" holds "nan"; expected a name' in str(refusal(path, by="g"))
        write_parquet(path, columns | {"g": [[1], [2]]})
        assert 'column "g" holds BIGINT[]; expected a name' in str(refusal(path, by="g"))
        write_parquet(path, columns | {"g": pa.array([1, 2], pa.date32())})
        assert read_outputs(path, by="g").by.names == ("1970-01-02", "1970-01-03")
