"""The command line: what it prints, what it refuses, and that it never does half of its work."""

from __future__ import annotations

import csv
import io
import math
import re
import sys
import weakref
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import commands
import numpy as np
import pytest
from commands import GOOD, refusal
from commands import detailed as run
from files import write_delimited
from hypothesis import example, given, settings
from hypothesis import strategies as st
from matplotlib.image import imread
from rich.console import Console

import fastarac as fa
from fastarac import cli
from fastarac._core import text
from fastarac.answers import evaluation
from fastarac.answers import limits as wording
from fastarac.answers.intervals import of_share
from fastarac.answers.models import Model
from fastarac.cli._help import TASKS
from fastarac.cli._tables import print_parts
from fastarac.datasets import load_digits_ocr
from fastarac.io import Outputs
from fastarac.io._columns import Columns

BAD = "correct,confidence\n1,1\n0,0\n"


TWICE = fa.VerificationCosts.from_ratios(2, 0)  # verifying costs twice what correcting does


def model_of(name: str, correct, confidence, **options) -> Model:
    return Model.of(name, Outputs(np.asarray(correct, bool), np.asarray(confidence)), **options)


@pytest.fixture(autouse=True)
def _tests_go_on_after_an_interrupt(monkeypatch):
    monkeypatch.setattr(cli, "end_interrupted", lambda: sys.exit(130))
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)


@pytest.fixture
def good(tmp_path):
    path = tmp_path / "good.csv"
    path.write_text(GOOD)
    return path


@pytest.fixture
def digits(tmp_path):
    """Write the digits as one file with a column of models and as a file each."""
    columns = load_digits_ocr().to_columns()
    rows = list(zip(*(column.tolist() for column in columns.values()), strict=True))
    texts = {"all.csv": rows}
    for name in load_digits_ocr().models:
        texts[f"{name}.csv"] = [row for row in rows if row[0] == name]
    for file, of_file in texts.items():
        with (tmp_path / file).open("w", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(columns)
            writer.writerows(of_file)
    return tmp_path


def test_a_word_for_right_names_the_ways_to_say_it(tmp_path):
    path = tmp_path / "f.csv"
    path.write_text("correct;confidence\nja;99,9\nnein;12,5\n")
    error = refusal("evaluate", path)
    assert 'holds "ja"; expected true or false, or 1 or 0 (also yes or no, right or wrong, ' in error
    assert "name them as --prediction COLUMN and --truth COLUMN" in error


class TestFormats:
    def test_json(self, good):
        prices = ("--costs=verification=2,correction=1,error=1",)
        result = run("evaluate", good, "--format", "json", "--error-rate", "0.2", *prices)
        assert result.stderr == ""
        (record,) = commands.records(result.stdout)
        sweep = fa.threshold_sweep([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2])
        found = fa.evaluate(sweep, max_error_rate=[0.2], costs=fa.VerificationCosts(2, 1, 1))
        assert record["normalized_arac_auc"] == found.to_dict()["normalized_arac_auc"]

    def test_json_has_null_for_what_is_undefined(self, tmp_path):
        path = tmp_path / "f.csv"
        path.write_text("correct,confidence\n0,1\n0,2\n")
        (record,) = commands.records(run("evaluate", path, "--format", "json").stdout)
        assert record["roc_auc"] is None
        assert record["threshold/0.01"] is None
        assert record["acceptance_rate/0.01"] == 0

    def test_csv(self, digits):
        paths = [digits / f"{name}.csv" for name in load_digits_ocr().models]
        records = commands.records(run("evaluate", *paths, "--format", "json").stdout)
        table = list(csv.reader(io.StringIO(run("evaluate", *paths, "--format", "csv").stdout)))
        assert table[0] == list(records[0])
        for row, record in zip(table[1:], records, strict=True):
            for cell, value in zip(row, record.values(), strict=True):
                assert cell == value if isinstance(value, str) else float(cell) == value

    def test_markdown_is_for_people(self, digits):
        paths = [digits / f"{name}.csv" for name in load_digits_ocr().models]
        result = run("evaluate", *paths, "--ci", 0.95, "--format", "markdown")
        assert result.stdout.startswith("At most 1% errors: knn-votes accepts most")
        figures = result.stdout.partition("**All figures**\n\n")[2]
        table, n, intervals, *words = figures.split("\n\n")
        cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
        assert cells[0][:4] == ["model", "recognition rate", "ARAC-AUC", "normalised ARAC-AUC"]
        assert cells[0][-2:] == ["accepted at <= 5% errors", "confidence >="]
        assert cells[1] == ["---", *["---:"] * 9]
        assert cells[2][:3] == ["knn-votes", "97.7% (96.9-98.4%)", "**0.9988** (0.9979-0.9993)"]
        assert [len(row) for row in cells] == [10] * 6
        assert n == "Outputs: 1,797 each."
        assert intervals == "Below the figures: 95% confidence intervals."
        assert words[0].startswith("At most 1% errors: knn-votes accepts most")
        assert "\x1b" not in result.stdout
        assert result.stderr == ""

    def test_names_that_look_like_markup(self, tmp_path):
        name = "a|b\\ [red]c[/red] \\x1b[31m :smile: $x$"
        (tmp_path / "f.csv").write_text(f'm,correct,confidence\n"{name}",1,1\n')
        arguments = ("evaluate", tmp_path / "f.csv", "--model", "m", "--format")
        assert name in run(*arguments, "table").stdout
        assert commands.records(run(*arguments, "json").stdout)[0]["model"] == name
        assert name in run(*arguments, "csv").stdout
        assert name.replace("\\", "\\\\").replace("|", "\\|") in run(*arguments, "markdown").stdout

    def test_names_that_move_the_cursor(self, tmp_path):
        (tmp_path / "f.csv").write_text('m,correct,confidence\n"a\x1b[2J\nb",1,1\n')
        arguments = ("evaluate", tmp_path / "f.csv", "--model", "m", "--format")
        assert "a\ufffd[2J\ufffdb" in run(*arguments, "table").stdout
        markdown = run(*arguments, "markdown").stdout
        assert "| a\ufffd[2J\ufffdb |" in markdown
        assert "\x1b" not in markdown

    def test_names_with_control_characters(self, tmp_path):
        name = "a\x1b[31m\x9b31m\u202e\u2028"
        (tmp_path / "f.csv").write_text(f'm,correct,confidence\n"{name}",1,1\n')
        arguments = ("evaluate", tmp_path / "f.csv", "--model", "m", "--format")
        shown = "a\ufffd[31m\ufffd31m\ufffd\ufffd"
        for form in ("table", "csv", "markdown"):
            assert shown in run(*arguments, form).stdout
        text = run(*arguments, "json").stdout
        assert commands.records(text)[0]["model"] == name
        assert all(mark == "\n" or mark.isprintable() for mark in text)
        (tmp_path / "\x1b[31m.csv").write_text(BAD + "x,1\n")
        assert "\ufffd[31m.csv" in refusal("evaluate", tmp_path / "\x1b[31m.csv")

    def test_names_with_wide_spaces(self, tmp_path):
        name = "氏名\u3000é\u200d"
        (tmp_path / "f.csv").write_text(f'm,correct,confidence\n"{name}",1,1\n')
        assert name in run("evaluate", tmp_path / "f.csv", "--model", "m").stdout

    def test_other_items_are_told_first(self, good, tmp_path):
        other = tmp_path / "other.csv"
        other.write_text("correct,confidence\n1,1\n0,2\n")
        note = "he models have different numbers of outputs, 5 of good and 2 of other"
        notes = [line for line in run("evaluate", good, other).stdout.splitlines() if line[:2] == "- "]
        assert notes[0] == f"- T{note}."
        result = run("evaluate", good, other, "--format", "csv", "--ci", "none")
        assert result.stderr == f"fastarac: note: t{note}\n"
        good.write_text("id,correct,confidence\nx,1,1\ny,0,2\nx,1,3\n")
        other.write_text("id,correct,confidence\nx,1,1\ny,0,2\n")
        assert 'the item "x" is in the outputs' in refusal("compare", good, other, "--id", "id")

    def test_help(self):
        assert f"fastarac {fa.__version__}\n" == commands.run("--version").stdout
        tasks = commands.run("--help").stdout
        assert "fastarac COMMAND --help" in tasks
        places = [tasks.index(f"{task}:\n") for task in TASKS]
        assert places == sorted(places)
        evaluation = commands.run("evaluate", "--help").stdout
        for option in ("--confidence", "--truth", "--error-rate", "--plot", "fastarac evaluate"):
            assert option in evaluation
        assert "Usage" in commands.run("demo", "-h").stdout
        assert "Usage" in commands.run("evaluate", code=2).stderr


class TestModels:
    def test_a_column_or_files(self, digits):
        paths = [digits / f"{name}.csv" for name in load_digits_ocr().models]

        def said(*arguments):
            lines = run("evaluate", *arguments).stdout.splitlines()
            return [line for line in lines if not line.startswith("Next: ")]

        by_file = said(*paths)
        assert by_file == said(digits / "all.csv", "--model", "model")
        assert by_file == said(*paths, "--model", "model")

    def test_a_model_in_several_files(self, tmp_path):
        lines = (GOOD + BAD.split("\n", 1)[1]).splitlines()
        for number, part in enumerate((lines[1:4], lines[4:])):
            rows = "".join(f"{row},x,{number + 1}\n" for row in part)
            (tmp_path / f"{number}.csv").write_text("correct,confidence,m,w\n" + rows)
        arguments = ["--model", "m", "--weight", "w", "--ci", "none", "--format", "json"]
        paths = tmp_path / "0.csv", tmp_path / "1.csv"
        (record,) = commands.records(run("evaluate", *paths, *arguments).stdout)
        correct, confidence = np.loadtxt(lines[1:], delimiter=",").T
        weight = [1, 1, 1, 2, 2, 2, 2]
        expected = fa.evaluate(correct, confidence, sample_weight=weight)
        assert record == {"model": "x", **expected.to_dict()}
        assert "weight" in run("evaluate", *paths, *arguments[:4]).stdout

    def test_columns_of_confidences(self, tmp_path):
        path, copy, named = (tmp_path / name for name in ("f.csv", "g.csv", "named.csv"))
        right, old, new = [1, 1, 0, 1, 1, 0], [9, 8, 7, 6, 5, 4], [4, 8, 9, 7, 5, 6]
        for each, further in ((path, {}), (copy, {}), (named, {"old,new": new})):
            write_delimited(each, {"correct": right, "old": old, "new": new, "id": right, **further})
        several = "--confidence", "old,new"
        printed = run("evaluate", path, *several, "--ci", "none", "--format", "json").stdout
        assert {each.pop("model"): each for each in commands.records(printed)} == {
            "old": fa.evaluate(right, old).to_dict(), "new": fa.evaluate(right, new).to_dict()
        }  # fmt: skip
        compared = run("compare", path, *several).stdout
        assert "old is best" in compared
        assert "--id" not in compared  # rows of one file need no ids
        names = {"f: old", "f: new", "g: old", "g: new"}
        for command in ("evaluate", "compare"):
            printed = run(command, path, copy, *several, "--format", "json").stdout
            assert {each["model"] for each in commands.records(printed)} == names
        assert "\nnamed " in run("evaluate", named, *several).stdout
        for options in (("--model", "id"), ("--max-memory", "1GB")):
            refused = refusal("evaluate", path, *several, *options)
            assert "--confidence of several columns" in refused
        assert "name each column once" in refusal("evaluate", path, "--confidence", "old,old")
        assert "(several columns are not possible here: name one)" in refusal(
            "fit", path, *several, "-o", tmp_path / "policy.json"
        )

    def test_files_of_the_same_name(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        for folder in ("a", "b"):
            Path(folder).mkdir()
            Path(folder, "f.v1.csv").write_text(GOOD)
        output = run("evaluate", "a/f.v1.csv", "b/f.v1.csv").stdout
        assert str(Path("a/f.v1.csv")) in output
        assert "\nf.v1 " in run("evaluate", "a/f.v1.csv").stdout
        assert "a/f.v1.csv is given twice" in refusal("evaluate", "a/f.v1.csv", "a/f.v1.csv")

    def test_best_first(self, digits):
        lines = (
            run("evaluate", digits / "all.csv", "--model", "model", "--ci", "none")
            .stdout.partition("All figures")[2]
            .splitlines()
        )
        names = [
            line.split()[0]
            for line in lines
            if line.split()[:1] and line.split()[0] in load_digits_ocr()
        ]
        areas = [fa.arac_auc_score(*load_digits_ocr()[name]) for name in names[:4]]
        assert areas == sorted(areas, reverse=True)
        assert names[:4] == names[4:]  # the table goes on below

    def test_columns(self, tmp_path):
        path = tmp_path / "f.tsv"
        path.write_text("text\tchecked\tscore\n007\t007\t2\n7\t007\t1\n")
        columns = ("--prediction", "text", "--truth", "checked", "--confidence", "score")
        for compare, rate in (("text", 0.5), ("number", 1.0)):
            how = ("--compare", compare, "--format", "json")
            (record,) = commands.records(run("evaluate", path, *columns, *how).stdout)
            assert record["recognition_rate"] == rate
        assert "--compare number counts such outputs as right, --compare text as wrong" in refusal(
            "evaluate", path, *columns
        )


class TestNothingRight:
    """0% right is never printed without a word."""

    @pytest.mark.parametrize("command", ["evaluate", "compare", "evaluate --max-memory=100MB"])
    def test_what_outputs_and_truths_look_like(self, tmp_path, command):
        rows = [("EUR 9", "9", 0.5), ("x", "y", 0.6), ("A", "a", 0.7), ("B", "b", 0.8)]
        lines = [f"{read},{true},{confidence}" for read, true, confidence in rows]
        texts, labels = tmp_path / "texts.csv", tmp_path / "labels.csv"
        texts.write_text("\n".join(["prediction,truth,confidence", *lines]) + "\n")
        labels.write_text("correct,confidence\n0,0.5\n0,0.6\n0,0.1\n0,0.2\n")
        said = " ".join(run(*command.split(), texts, labels).output.split())
        assert (
            'one of the 4 outputs of texts is right, such as "EUR 9" for "9", "x" for "y" and "A" for '
            '"a": outputs and truths may differ in spelling'
        ) in said
        assert "one of the 4 outputs of labels is right: the labels may be reversed (1," in said

    def test_of_one_of_the_models_in_a_file(self, tmp_path):
        path = tmp_path / "f.csv"
        rows = ["m,prediction,truth,confidence", "a,x,x,1", "b,y,z,1", "a,v,w,0", "b,o,0,0"]
        path.write_text("\n".join(rows) + "\n")
        said = run("evaluate", path, "--model", "m").stdout
        assert 'one of the 2 outputs of b is right, such as "y" for "z" and "o" for "0": out' in said
        assert "one of the 2 outputs of a" not in said


class TestTable:
    @pytest.fixture
    def models(self):
        rates = (0.001, 0.01, 0.05, 0.2)
        return [
            model_of(name, *arrays, max_error_rate=rates, costs=TWICE)
            for name, arrays in load_digits_ocr().items()
        ]

    def printed(self, models, width, **options) -> str:
        console = Console(file=io.StringIO(), width=width, **options)
        print_parts(evaluation.parts(models), console)
        return console.file.getvalue()

    @pytest.mark.parametrize("width", [60, 80, 100, 140, 1000])
    def test_nothing_is_cut(self, models, width):
        output = self.printed(models, width)
        assert "…" not in output
        assert max(map(len, output.splitlines())) <= width
        cells = output.split()
        for model in models:
            assert model.name in cells
            assert text.area(model.evaluation.arac.auc) in cells
            for index in range(4):
                assert model.threshold(index) in cells

    def test_long_names_wrap(self, models):
        name = "a-name-" * 20
        model = replace(models[0], name=name)
        output = self.printed([model, *models[1:]], 80)
        assert "…" not in output
        table = output[: output.index("At most")]
        assert max(map(len, table.splitlines())) <= 80
        assert "".join(line.split(" ")[0] for line in table.splitlines()).count("a-name-") >= 20

    def test_best_is_marked(self, models):
        output = self.printed(models, 1000, color_system="standard", force_terminal=True)
        mark = "\x1b[1;32m"
        svm, knn, bayes, logistic = (
            next(line for line in output.splitlines() if line.startswith(model.name))
            for model in models
        )
        rates = [model.evaluation.recognition_rate for model in models]
        assert max(rates) == rates[0]
        assert f"{mark} 98.2%" in svm
        assert f"{mark}0.9988" in knn
        best = min(models, key=lambda model: model.evaluation.aurc)
        assert f"{mark}{best.evaluation.aurc:.4f}" in (svm if best.name == models[0].name else knn)
        assert mark not in bayes
        assert mark not in logistic
        alone = self.printed(models[:1], 1000, color_system="standard", force_terminal=True)
        assert mark not in alone

    def test_undefined(self):
        models = [model_of("a", [1, 1], [1, 2]), model_of("b", [0, 1], [1, 2])]
        output = self.printed(models, 1000, color_system="standard", force_terminal=True)
        assert " - " in output
        models[1] = model_of("b", [0, 0], [1, 2])
        assert " - " in self.printed(models, 1000)

    @pytest.mark.parametrize("options", [[], ["--ci", 0.95]])
    def test_tables_are_narrow(self, digits, options):
        paths = [digits / f"{name}.csv" for name in load_digits_ocr().models]
        limits = [f"--error-rate={rate}" for rate in (0.001, 0.01, 0.05)]
        text = run("evaluate", *paths, *limits, *options).stdout.partition("All figures")[2]
        lines = text[: text.index("Outputs: ")].splitlines()
        assert 50 < max(map(len, lines)) <= 80

    def test_piped_lines_are_whole(self, good):
        output = commands.run("evaluate", good, *["--error-rate=0.01", "--error-rate=0.05"] * 4).stdout
        assert "…" not in output
        assert output.count("At most ") == 2


class TestThresholds:
    """A printed threshold accepts exactly what the exact threshold does."""

    finite = st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=True)
    near = st.integers(0, 8).map(lambda steps: 0.1 + steps * math.ulp(0.1))
    short = st.integers(-300, 300).map(lambda number: number / 100)

    @settings(deadline=None)
    @given(st.lists(st.one_of(finite, near, short), min_size=1, max_size=20))
    def test_float64(self, values):
        self.check(np.array(values), np.float64)

    @settings(deadline=None)
    @given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1))
    @example([-3.4000001549684603e38])
    def test_float32(self, values):
        self.check(np.array(values, np.float32), np.float32)

    @settings(deadline=None)
    @given(st.lists(st.floats(width=16, allow_nan=False, allow_infinity=False), min_size=1))
    def test_float16(self, values):
        self.check(np.array(values, np.float16), np.float16)

    @given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1))
    def test_int64(self, values):
        confidence = np.array(values, np.int64)
        sweep = fa.threshold_sweep(np.ones(len(values)), confidence)
        for value in sweep.thresholds[1:]:
            text = wording.threshold(value, sweep, np.int64)
            same = float(text) if "e" in text or "." in text else int(text)
            assert [x >= same for x in values] == [x >= value for x in values]

    def check(self, confidence, dtype):
        sweep = fa.threshold_sweep(np.ones(len(confidence)), confidence)
        for value in sweep.thresholds[1:].tolist():
            text = wording.threshold(value, sweep, dtype)
            accepted = confidence.astype(np.float64) >= value
            assert np.array_equal(confidence.astype(np.float64) >= float(text), accepted)
            assert np.array_equal(confidence >= dtype(text), accepted)
            assert len(text) <= len(repr(value)) + 4

    @pytest.mark.parametrize(
        ("value", "below", "text"),
        [
            (0.87312345, 0.2, "0.873"),
            (0.87312345, 0.8731, "0.87312"),
            (0.8, 0.2, "0.8"),
            (0.7, 0.69, "0.7"),
            (87.0, 86.0, "87"),
            (100.0, 1.0, "100"),
            (-0.12345, -3.0, "-0.124"),
            (-0.12345, -0.1235, "-0.12345"),
            (0.0, -1.0, "0"),
            (1234567.25, 1.0, "1230000"),
            (0.7659, 0.5, "0.7659"),
            (1e-9, -1.0, "1e-9"),
            (1.23456e30, 1.0, "1.23e+30"),
            (0.1 + 2**-55, 0.1, repr(0.1 + 2**-55)),
        ],
    )
    def test_examples(self, value, below, text):
        sweep = fa.threshold_sweep([1, 0], [value, below])
        assert wording.threshold(value, sweep) == text

    def test_ends(self):
        sweep = fa.threshold_sweep([1, 0], [0.87312345, 0.51234567])
        assert wording.threshold(math.inf, sweep) == "-"
        assert wording.threshold(0.51234567, sweep) == "0.512"
        large = fa.threshold_sweep([1, 0], [2**60 + 1, 2**60])
        assert wording.threshold(large.thresholds[1], large) == str(2**60 + 1)


def test_shares():
    values = [0, 1, 0.5, 0.9996, 0.0004, 1 - 1e-9, 1e-9, 0.98765]
    assert text.rounded_percent(0.9999999999999997) == "100%"
    assert text.rounded_percent(1e-16) == "0%"
    assert [text.rounded_percent(value) for value in values] == [
        "0%", "100%", "50.0%", "99.96%", "0.04%", "99.9999999%", "0.0000001%", "98.8%",
    ]  # fmt: skip
    assert text.percent(2.81e-13, 3) == "0%"
    assert text.percent(1 - 1e-11, 3) == "100%"
    assert text.percent(1.234567e-9, 3) == "0.000000123%"
    assert text.area(math.nan) == "-"
    assert text.area(0.99999) == "0.99999"
    assert [text.count(value) for value in (1234567, 1234.5, 2.0)] == ["1,234,567", "1,234.5", "2"]


def test_ends_of_intervals():
    """Digits that the other end hides are left out, and the interval says no more than before."""
    ranges = {
        (2.81e-9, 0.01234): "0% to 1.23%",
        (1.3e-5, 0.01234): "0.0013% to 1.23%",
        (0.9, 1 - 1e-6): "90% to 100%",
        (0.999, 1 - 2e-6): "99.9% to 99.9998%",
        (2.81e-9, 5e-9): "0.000000281% to 0.0000005%",
        (0.0, 0.0): "0% to 0%",
    }
    assert {ends: text.percent_range(*ends, 3) for ends in ranges} == ranges
    assert text.interval_text(2.81e-9, 0.0123) == "0 to 1.2%"
    assert text.interval_text(0.0001, 0.0123) == "0.01 to 1.2%"
    assert of_share(2.81e-9, 0.0123) == "0-1.2%"


class TestPlot:
    @pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf", ".PNG"])
    def test_kinds(self, good, tmp_path, suffix):
        path = tmp_path / f"plot{suffix}"
        path.write_text("older")
        run("evaluate", good, "--plot", path)
        content = path.read_bytes()
        if suffix.lower() == ".png":
            assert imread(path, format="png").shape == (1100, 1600, 4)
        elif suffix == ".svg":
            assert ET.fromstring(content).tag == "{http://www.w3.org/2000/svg}svg"
        else:
            assert content.startswith(b"%PDF")
            assert content.rstrip().endswith(b"%%EOF")
        assert sorted(file.name for file in tmp_path.iterdir()) == ["good.csv", path.name]

    @pytest.mark.slow
    @pytest.mark.parametrize("certain", [(), ("--ci", "0.9")])
    def test_the_axis_says_where_it_starts(self, digits, tmp_path, certain):
        """It starts at a number that stands there; the names of limits are at their lines."""
        plot = tmp_path / "plot.svg"
        run("evaluate", digits / "all.csv", "--model", "model", "--plot", plot, *certain)
        texts = set(re.findall(r"<!-- (.*?) -->", plot.read_text(encoding="utf-8")))
        assert "Accuracy after correction (axis starts at 0.92)" in texts
        assert {"0.92", "0.95", "1% errors", "5% errors"} <= texts
        assert ("90% band, pointwise" in texts) == bool(certain)
        assert "≥ 0.6584" in texts

    def test_mode(self, good, tmp_path):
        run("evaluate", good, "--plot", tmp_path / "plot.png")
        assert (tmp_path / "plot.png").stat().st_mode == good.stat().st_mode

    @pytest.mark.slow
    def test_many_models(self, tmp_path):
        rows = "".join(f"m{i},{j % 2},{i * j}\n" for i in range(20) for j in range(5))
        (tmp_path / "f.csv").write_text("m,correct,confidence\n" + rows)
        run("evaluate", tmp_path / "f.csv", "--model", "m", "--plot", tmp_path / "plot.png")
        height, width, _ = imread(tmp_path / "plot.png").shape
        assert width == 1600
        assert height > 1500

    @pytest.mark.parametrize("name", ["plot", "plot.gif", "plot.png.txt"])
    def test_other_endings_are_refused_before_any_work(self, tmp_path, name):
        error = refusal("evaluate", tmp_path / "missing.csv", "--plot", tmp_path / name)
        assert "should end in .png, .svg or .pdf" in error

    def test_places_that_cannot_be_written(self, tmp_path, good):
        assert "there is no directory" in refusal("demo", "--plot", tmp_path / "no" / "plot.png")
        (tmp_path / "plot.png").mkdir()
        assert "is a directory" in refusal("demo", "--plot", tmp_path / "plot.png")

    def test_bad_data_leaves_no_file(self, tmp_path, good):
        (tmp_path / "bad.csv").write_text(GOOD + "1,x\n")
        plot = tmp_path / "plot.png"
        error = refusal("evaluate", good, tmp_path / "bad.csv", "--plot", plot)
        assert 'bad.csv, row 6 (line 7): column "confidence" holds "x"' in error
        assert not plot.exists()

    def test_without_matplotlib(self, tmp_path, monkeypatch):
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        error = refusal("demo", "--plot", tmp_path / "plot.png")
        assert 'pip install ".[plot]"' in error


class TestRefusals:
    def test_empty_truth(self, tmp_path):
        path = tmp_path / "f.csv"
        path.write_text("prediction,truth,confidence\n,,1\na,a,2\nb,a,3\n")
        advice = '(an empty text is written "", or --allow-empty truth reads a missing truth as'
        assert advice in refusal("evaluate", path)
        (record,) = commands.records(
            run("evaluate", path, "--allow-empty", "truth", "--format", "json").stdout
        )
        assert record["recognition_rate"] == 2 / 3
        path.write_text(GOOD)
        assert ": --allow-empty truth needs a column of truths" in refusal(
            "evaluate", path, "--allow-empty", "truth"
        )

    def test_options(self, good):
        assert "write 0.05 for 5%" in run("evaluate", "x.csv", "--error-rate", "5", code=2).stderr
        assert "'nan' is not a rate" in run("evaluate", "x.csv", "--error-rate", "nan", code=2).stderr
        assert "not all three" in refusal("evaluate", good, "--correct", "correct", "--truth", "x")
        assert "without truth; give both" in refusal("evaluate", good, "--prediction", "x")
        assert run("evaluate", good, "--error-rate", "x", code=2).stdout == ""
        assert run("evaluate", good, "--format", "xml", code=2).stdout == ""

    def test_files(self, good, tmp_path):
        assert "No such file" in refusal("evaluate", good, tmp_path / "missing.csv")
        assert "did you mean" in refusal("evaluate", good, "--confidence", "confidences")
        (tmp_path / "w.csv").write_text("correct,confidence,w\n1,1,0\n0,2,0\n")
        error = refusal("evaluate", tmp_path / "w.csv", "--weight", "w")
        assert error.startswith("fastarac: error: w: ")

    def test_repeated_error_rates_count_once(self, good):
        arguments = ("--error-rate", 0.2, "--error-rate", 0.1, "--error-rate", "0.20")
        output = commands.run("evaluate", good, *arguments).stdout
        assert output.index("At most 20%") < output.index("At most 10%")
        assert output.count("At most 20%") == 1

    def test_interruption(self, good, monkeypatch):
        def interrupt(*args, **kwargs):
            raise KeyboardInterrupt

        monkeypatch.setattr("fastarac.io._columns.Columns.read", interrupt)
        result = run("evaluate", good, code=130)
        assert result.output == ""

    @pytest.mark.parametrize("package", cli.REQUIRED)
    def test_missing_package(self, package, monkeypatch, capsys):
        monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(SystemExit) as caught:
            cli.main()
        assert caught.value.code == 2
        output, error = capsys.readouterr()
        assert output == ""
        advice = 'in the source folder run: pip install ".[cli]"'
        assert error == f"fastarac: error: {package} is not installed; {advice}\n"

    def test_interruption_before_a_command(self, monkeypatch):
        def interrupt(*args, **kwargs):
            raise KeyboardInterrupt

        monkeypatch.setattr("fastarac.cli._app.app", interrupt)
        with pytest.raises(SystemExit) as caught:
            cli.main()
        assert caught.value.code == 130


def test_the_items_of_one_model_at_a_time_are_held(tmp_path, monkeypatch):
    """Without a report, a plot and groups; whatever the intervals."""
    paths, held, most = [tmp_path / f"{name}.csv" for name in "abcd"], [], []
    for path in paths:
        path.write_text(GOOD)
    read = Columns.read

    def counted(*arguments):
        found = read(*arguments)
        held.append(weakref.ref(found["confidence"]))
        most.append(sum(each() is not None for each in held))
        return found

    monkeypatch.setattr(Columns, "read", counted)
    text = run("evaluate", *paths, "--ci", "none").stdout
    assert max(most) <= 2  # the last one is freed when the next one has been read
    assert all(f"\n{name} " in text for name in "abcd")
