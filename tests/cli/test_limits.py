"""The limits of the command line: error rates, risks and thresholds, and what it says about them."""

from __future__ import annotations

import csv
import io

import commands
import numpy as np
import pytest
from commands import detailed as run
from commands import write

import fastarac as fa
from fastarac.answers import evaluation
from fastarac.answers.models import Model
from fastarac.cli._options import in_words_of_options, number
from fastarac.datasets import load_digits_ocr
from fastarac.io import Outputs

CORRECT, CONFIDENCE = [1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2]
FIGURES = ("threshold", "acceptance_rate", "error_rate", "risk", "correction_rate")


@pytest.fixture
def few(tmp_path):
    return write(tmp_path / "few.csv", CORRECT, CONFIDENCE)


def model_of(name: str, correct, confidence, **options) -> Model:
    outputs = Outputs(np.asarray(correct, bool), np.asarray(confidence))
    return Model.of(name, outputs, **{"max_error_rate": (), **options})


class TestFigures:
    def test_json(self, few):
        options = (
            "--error-rate",
            0.2,
            "--max-risk",
            0.25,
            "--threshold",
            0.65,
            "--ci",
            "none",
            "--format",
            "json",
        )
        (record,) = commands.records(run("evaluate", few, *options).stdout)
        limits = {"max_error_rate": 0.2, "max_risk": 0.25, "threshold": 0.65}
        expected = {"model": "few", **fa.evaluate(CORRECT, CONFIDENCE, **limits).to_dict()}
        for key, criterion in (
            ("risk/0.25", {"max_risk": 0.25}),
            ("threshold/0.65", {"threshold": 0.65}),
        ):
            point = fa.operating_point(CORRECT, CONFIDENCE, **criterion)
            for name in FIGURES:
                assert record[f"{name}/{key}"] == getattr(point, name)
        assert record == expected
        assert list(record) == list(expected)

    def test_each_counts_once(self, few):
        options = "--max-risk", 0.25, "--max-risk", "0.250", "--threshold", 0.7, "--threshold", ".7"
        sentences = run("evaluate", few, *options).stdout
        assert sentences.count("At most 25% errors among the accepted: accept 80.0% auto") == 1
        assert sentences.count("At confidence >= 0.7: accept 60.0% automatically") == 1

    def test_error_rates_are_the_default_only_where_nothing_else_is_asked(self, few):
        def limits(*options: object) -> set[str]:
            (record,) = commands.records(run("evaluate", few, "--format", "json", *options).stdout)
            return {name.partition("/")[2] for name in record if "/" in name}

        assert limits() == {"0.01", "0.05"}
        assert limits("--max-risk", 0.1) == {"risk/0.1"}
        assert limits("--threshold", 0.5) == {"threshold/0.5"}
        assert limits("--threshold", 0.5, "--error-rate", 0.1) == {"0.1", "threshold/0.5"}

    def test_nothing_keeps_the_limit(self, tmp_path):
        path = write(tmp_path / "bad.csv", [0, 1], [2, 1])
        (record,) = commands.records(run("evaluate", path, "--max-risk", 0, "--format", "json").stdout)
        assert record["threshold/risk/0"] is None
        assert record["acceptance_rate/risk/0"] == 0
        row = run("evaluate", path, "--max-risk", 0, "--format", "csv").stdout
        (cells,) = csv.DictReader(io.StringIO(row))
        assert cells["threshold/risk/0"] == ""

    def test_digits(self, tmp_path):
        options = "--max-risk", 0.02, "--format", "json"
        for name in load_digits_ocr().models:
            pair = load_digits_ocr()[name]
            path = write(tmp_path / "f.csv", *pair)
            (record,) = commands.records(run("evaluate", path, *options).stdout)
            point = fa.operating_point(*pair, max_risk=0.02)
            assert record["acceptance_rate/risk/0.02"] == point.acceptance_rate
            assert record["threshold/risk/0.02"] == point.threshold

    def test_weights(self, tmp_path):
        path = write(tmp_path / "f.csv", CORRECT, CONFIDENCE, w=[1, 2, 3, 4, 5])
        options = "--weight", "w", "--max-risk", 0.4, "--threshold", 0.7, "--format", "json"
        (record,) = commands.records(run("evaluate", path, *options).stdout)
        weight = {"sample_weight": [1, 2, 3, 4, 5]}
        by_risk = fa.operating_point(CORRECT, CONFIDENCE, max_risk=0.4, **weight)
        assert record["acceptance_rate/risk/0.4"] == by_risk.acceptance_rate
        assert record["error_rate/threshold/0.7"] == 3 / 15


class TestWords:
    def test_table(self, few):
        table = run("evaluate", few, "--max-risk", 0.25, "--threshold", 0.65, "--ci", "none").stdout
        figures = table.partition("All figures\n\n")[2]
        for part in ("AURC", "errors", "at <= 25%", "risk", "at >= 0.65"):
            assert part in figures
        cells = " ".join(line for line in figures.splitlines() if line.startswith("few")).split()
        assert [*cells[-5:-3], *cells[-2:]] == ["80.0%", "0.6", "60.0%", "20.0%"]

    def test_only_what_is_fitted_is_doubted(self, few):
        assert evaluation.CAUTION not in run("evaluate", few, "--threshold", 0.65).stdout
        risk = run("evaluate", few, "--threshold", 0.65, "--max-risk", 0.25).stdout
        assert evaluation.CAUTION in risk
        assert "5 outputs are few for a limit of 25% risk" in risk

    def test_groups(self, tmp_path):
        path = write(tmp_path / "f.csv", CORRECT, CONFIDENCE, field=list("aabbb"))
        options = "--by", "field", "--threshold", 0.65, "--max-risk", 0.25
        text = run("evaluate", path, *options).stdout
        assert "for 25% risk" in text
        records = commands.records(run("evaluate", path, *options, "--format", "json").stdout)
        b = next(record for record in records if record["group"] == "b")
        assert b["acceptance_rate/threshold/0.65"] == 1 / 3
        assert b["error_rate/threshold/0.65"] == 1 / 3
        assert b["threshold/risk/0.25"] == 0.6
        assert b["acceptance_rate/risk/0.25"] == 2 / 3


class TestThresholds:
    def test_numbers(self):
        assert number("0.5") == 0.5
        assert type(number("5")) is float
        assert number(str(2**60 + 1)) == 2**60 + 1
        assert type(number(str(-(2**60) - 1))) is int
        assert number("1e300") == 1e300

    @pytest.mark.parametrize("text", ["high", "nan", "inf", "-inf", "", "1,5"])
    def test_other_texts(self, text, few):
        error = run("evaluate", few, f"--threshold={text}", code=2).stderr
        assert "--threshold" in error
        assert "is not a finite number" in error

    def test_large_integers(self, tmp_path):
        path = write(tmp_path / "f.csv", [1, 1, 1], [2**60 - 1, 2**60, 2**60 + 1])
        (record,) = commands.records(
            run("evaluate", path, "--threshold", 2**60 + 1, "--format", "json").stdout
        )
        assert record[f"acceptance_rate/threshold/{2**60 + 1}"] == 1 / 3


class TestRefusals:
    def test_the_weights_of_a_file(self, tmp_path):
        path = write(tmp_path / "f.csv", [1, 0], [1, 2], w=[0, 0])
        error = run("evaluate", path, "--weight", "w", code=2).stderr
        assert error.startswith("fastarac: error: f: --weight ")

    def test_other_messages_stay(self):
        assert in_words_of_options(ValueError("power[3] is bad")) == "--power[3] is bad"
        assert in_words_of_options(ValueError("powers are bad")) == "powers are bad"
        assert in_words_of_options(ValueError("")) == ""


class TestReversed:
    rng = np.random.default_rng(5)
    correct = rng.random(400) < 0.8
    surer = np.where(correct, rng.random(400) + 0.3, rng.random(400)).round(4)

    def test_a_note_under_the_table(self, tmp_path):
        good = write(tmp_path / "good.csv", self.correct.astype(int), self.surer)
        bad = write(tmp_path / "bad.csv", self.correct.astype(int), -self.surer)
        output = run("evaluate", good, bad).stdout
        assert "The confidence of bad seems reversed" in output
        assert "The confidence of good" not in output
        assert "reversed" not in run("evaluate", good).stdout

    @pytest.mark.parametrize("form", ["json", "csv"])
    def test_programs_find_it_on_stderr(self, tmp_path, form):
        bad = write(tmp_path / "bad.csv", self.correct.astype(int), -self.surer)
        result = run("evaluate", bad, "--format", form)
        assert ("reversed" in result.stdout) == (form == "json")
        assert result.stderr.startswith("fastarac: note: The confidence of bad seems reversed")

    @pytest.mark.parametrize(
        ("correct", "confidence"),
        [
            ([1, 1, 1, 0], [1, 2, 3, 4]),  # too few
            ([1, 1], [1, 2]),  # no ROC-AUC
            (rng.random(2000) < 0.5, rng.random(2000)),
        ],
    )
    def test_chance_is_no_reason(self, correct, confidence):
        assert evaluation.reliability_warnings([model_of("m", correct, confidence)]) == []

    def test_one_confidence_is_said(self):
        (said,) = evaluation.reliability_warnings([model_of("m", [0, 1] * 500, [1] * 1000)])
        assert said.startswith("The confidence of m is the same for all 1,000 items")

    def test_clearly(self):
        assert len(evaluation.reliability_warnings([model_of("m", self.correct, -self.surer)])) == 1


def test_thresholds_are_those_of_the_policy(tmp_path):
    """With fewer digits, the output at the threshold might be on its other side."""
    confidence = np.random.default_rng(0).random(500)
    table = "\n".join(f"{int(x > 0.3)},{x!r}" for x in confidence.tolist())
    (tmp_path / "v.csv").write_text(f"correct,confidence\n{table}\n")
    fit = run("fit", tmp_path / "v.csv", "--error-rate", 0.1, "-o", tmp_path / "p.json")
    (threshold,) = fa.operation.Policy.load(tmp_path / "p.json").thresholds
    assert f"at confidence >= {threshold!r}:" in " ".join(fit.stdout.split())
    sure = run("evaluate", tmp_path / "v.csv", "--error-rate", 0.1, "--guarantee", 0.05).stdout
    assert f"accept at confidence >= {threshold!r}," in " ".join(sure.split())
