"""`fastarac evaluate` with intervals and guarantees."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import warnings

import commands
import numpy as np
import pytest
from commands import detailed as run
from commands import reason as refusal
from commands import write
from strategies import COMPILED

import fastarac as fa
from fastarac.cli import _options
from fastarac.datasets import load_digits_ocr

DATA = load_digits_ocr()
FEW = [1, 1, 1, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2]
RESAMPLES = 300 if COMPILED else 4


@pytest.fixture(autouse=True)
def _few_resamples(monkeypatch):
    monkeypatch.setattr("fastarac.answers.comparison.RESAMPLES", RESAMPLES)


CI = "--ci", 0.95


def records(*arguments: object):
    return commands.records(run(*arguments, "--format", "json").stdout)


@pytest.fixture
def few(tmp_path):
    return write(tmp_path / "few.csv", *FEW)


@pytest.fixture
def knn(tmp_path):
    correct, confidence = DATA["knn-votes"]
    return write(tmp_path / "knn.csv", correct.astype(int), confidence)


def said(result):
    return " ".join((result.stdout + result.stderr).split())


class TestDefault:
    """Intervals are there unless they take long, or nobody wants them."""

    def test_levels(self, few):
        default, asked = (records("evaluate", few, *given) for given in ((), CI))
        assert default == asked
        assert default[0]["confidence_level"] == 0.95
        assert not any("_low" in key for key in records("evaluate", few, "--ci", "none")[0])
        assert "neither a number" in run("evaluate", few, "--ci", "no", code=2).stderr

    @pytest.mark.parametrize("options", [(), ("--by", "correct")])
    def test_slow_ones_are_left_out(self, few, monkeypatch, options):
        monkeypatch.setattr(_options, "MOST_OUTPUTS", 8004)
        command, note = ("evaluate", few, *options), "left out; --ci 0.95"
        assert note in said(run(*command))
        assert note not in said(run(*command, *CI))
        for form in ("json", "csv"):  # their keys do not depend on the number of outputs
            assert "_low" in run(*command, "--format", form).stdout
        monkeypatch.setattr(_options, "MOST_OUTPUTS", 40_000)
        assert note not in said(run(*command))

    def test_of_outputs_verified_in_part(self, tmp_path, monkeypatch):
        path = write(tmp_path / "f.csv", [1, 0, 1, 1] * 50, range(200), p=[1.0] * 200)
        command = "evaluate", path, "--inclusion-probability", "p"
        assert "left out" not in said(run(*command))
        monkeypatch.setattr(_options, "MOST_OUTPUTS", 8000)
        assert "left out; --ci" in said(run(*command))
        assert "_low" in run(*command, "--format", "json").stdout


class TestIntervals:
    OPTIONS = ("--ci", 0.9)

    def test_areas(self, knn):
        (record,) = records(
            "evaluate",
            knn,
            *self.OPTIONS,
            "--costs=verification=2,correction=1,error=1",
        )
        names = {
            "recognition_rate": "recognition_rate",
            "arac_auc": "arac_auc",
            "normalized_arac_auc": fa.Statistic("normalized_arac_auc", gamma=2.0),
            "roc_auc": "roc_auc",
        }
        for name, statistic in names.items():
            found = fa.asymptotic_interval(
                *DATA["knn-votes"], statistic=statistic, confidence_level=0.9
            )
            low, high = found.low, found.high
            assert (record[f"{name}_low"], record[f"{name}_high"]) == (low, high)
            assert low < record[name] < high
        assert record["confidence_level"] == 0.9

    def test_shares_at_limits(self, knn):
        limits = "--error-rate", 0.01, "--error-rate", 0.005, "--max-risk", 0.01
        (record,) = records("evaluate", knn, *self.OPTIONS, *limits)

        statistics = {
            "0.01": fa.Statistic("acceptance_at_error_rate", max_error_rate=0.01),
            "0.005": fa.Statistic("acceptance_at_error_rate", max_error_rate=0.005),
            "risk/0.01": fa.Statistic("acceptance_at_risk", max_risk=0.01),
        }
        for key, statistic in statistics.items():
            found = fa.asymptotic_interval(
                *DATA["knn-votes"], statistic=statistic, confidence_level=0.9
            )
            assert record[f"acceptance_rate/{key}"] == found.estimate
            assert record[f"acceptance_rate_low/{key}"] == found.low
            assert record[f"acceptance_rate_high/{key}"] == found.high

    def test_thresholds(self, knn):
        (record,) = records("evaluate", knn, *CI, "--threshold", 0.55)
        for rate in ("acceptance_rate", "error_rate"):
            found = fa.asymptotic_interval(
                *DATA["knn-votes"], statistic=fa.Statistic(rate, threshold=0.55)
            )
            assert record[f"{rate}_low/threshold/0.55"] == found.low
            assert record[f"{rate}_high/threshold/0.55"] == found.high

    def test_weights(self, tmp_path):
        correct, confidence = (column[:400] for column in DATA["naive-bayes"])
        weight = np.arange(400) % 5
        path = write(tmp_path / "f.csv", correct.astype(int), confidence, w=weight)
        limits = "--error-rate", 0.02, "--max-risk", 0.05
        (record,) = records("evaluate", path, "--weight", "w", *self.OPTIONS, *limits)
        shared = {"confidence_level": 0.9, "sample_weight": weight}
        found = fa.asymptotic_interval(correct, confidence, **shared)
        assert (record["arac_auc_low"], record["arac_auc_high"]) == (found.low, found.high)
        statistic = fa.Statistic("acceptance_at_error_rate", max_error_rate=0.02)
        found = fa.asymptotic_interval(correct, confidence, statistic=statistic, **shared)
        assert record["acceptance_rate_low/0.02"] == found.low
        assert record["acceptance_rate_low/risk/0.05"] < record["acceptance_rate_high/risk/0.05"]

    def test_table(self, knn, monkeypatch):
        monkeypatch.setenv("TTY_COMPATIBLE", "1")
        monkeypatch.setenv("NO_COLOR", "1")
        text = run("evaluate", knn, *CI, "--error-rate", 0.01, env={"COLUMNS": "92"}).stdout
        text = re.sub(r"\x1b\[[0-9;]*m", "", text).partition("All figures")[2]
        assert 70 < max(map(len, text.splitlines())) <= 92
        rows = [line for line in text.splitlines() if line.startswith("knn")]
        assert all("0.9988" in row or "96.3%" in row for row in rows)  # on the line of the figures
        (record,) = records("evaluate", knn, *CI, "--error-rate", 0.01)
        assert f"{record['arac_auc_low']:.4f}-{record['arac_auc_high']:.4f}" in text
        low, high = record["acceptance_rate_low/0.01"], record["acceptance_rate_high/0.01"]
        assert f"{100 * low:.1f}-{100 * high:.1f}%" in text
        assert "95% confidence intervals" in text

    def test_other_formats_have_the_same(self, knn):
        command = "evaluate", knn, *self.OPTIONS
        (record,) = records(*command)
        header, row = run(*command, "--format", "csv").stdout.splitlines()
        assert header.split(",") == list(record)
        assert [float(cell) for cell in row.split(",")[1:]] == list(record.values())[1:]

    def test_undefined(self, tmp_path):
        path = write(tmp_path / "all.csv", [1] * 20, range(20))
        (record,) = records("evaluate", path, *CI)
        assert record["roc_auc_low"] is None
        assert record["arac_auc_low"] < record["arac_auc_high"] == 1

    def test_no_certainty_from_outputs_without_an_error(self, tmp_path):
        """Without an error nothing varies; yet three outputs say little."""
        path = write(tmp_path / "all.csv", [1] * 3, [0.9, 0.8, 0.7])
        (record,) = records("evaluate", path, *CI, "--max-risk", 0.01, "--error-rate", 0.01)
        for key in ("0.01", "risk/0.01"):
            assert record[f"acceptance_rate_low/{key}"] < 0.3
            assert record[f"acceptance_rate_high/{key}"] == 1

    def test_doubts_are_notes(self, tmp_path):
        few = write(tmp_path / "few.csv", *FEW, page=[1, 1, 2, 2, 3])
        table = run("evaluate", few, *CI, "--group", "page")
        assert "There are 3 groups; intervals are unreliable with fewer than 5." in table.stdout
        assert "Warning" not in table.output
        programs = run("evaluate", few, *CI, "--group", "page", "--format", "json")
        assert programs.stderr.startswith("fastarac: note: there are 3 groups")

    def test_models_are_named(self, tmp_path):
        files = [
            write(tmp_path / f"{name}.csv", *FEW, page=[1, 1, 2, 2, 3]) for name in ("few", "other")
        ]
        assert (
            "few and other: there are 3 groups"
            in run("evaluate", *files, *CI, "--group", "page").stdout
        )

    def test_demo(self):
        for record in records("demo"):
            assert record["arac_auc_low"] < record["arac_auc"] < record["arac_auc_high"]

    @pytest.mark.parametrize("level", [0, 1, 95, -1, "nan"])
    def test_refused(self, level):
        assert refusal("evaluate", "missing.csv", "--ci", level) == (
            "--ci must be a number strictly between 0 and 1, got "
            f"{float(level)}{' (95% is 0.95)' if level == 95 else ''}"
        )

    def test_no_guarantee_of_groups(self, few):
        options = "--by", "correct", "--guarantee", 0.1
        assert "leave out one of the two" in refusal("evaluate", few, *options)


class TestDependence:
    PAGES = np.arange(len(DATA.truth)) // 20

    @pytest.fixture
    def pages(self, tmp_path):
        correct, confidence = DATA["knn-votes"]
        return write(tmp_path / "pages.csv", correct.astype(int), confidence, page=self.PAGES)

    def test_intervals(self, pages):
        (record,) = records("evaluate", pages, *CI, "--group", "page", "--error-rate", 0.01)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = fa.evaluate(
                *DATA["knn-votes"], groups=self.PAGES, intervals=True, max_error_rate=0.01
            )
        expected = found.to_dict()
        assert {name: record[name] for name in expected} == pytest.approx(expected, rel=1e-12)
        alone = fa.asymptotic_interval(*DATA["knn-votes"])
        assert record["arac_auc_low"] != alone.low
        text = run("evaluate", pages, *CI, "--group", "page").stdout
        assert "from 90 groups of dependent outputs" in text

    @pytest.mark.slow
    def test_a_column_of_pages_is_noticed(self, pages, tmp_path):
        """Where intervals or tests would rest on it, and only there."""
        note = 'olumn "page" looks like pages or documents (90 values in 1,797 rows)'
        other = write(tmp_path / "other.csv", *DATA["svm-rbf"])
        for arguments in (("evaluate", pages, *CI), ("compare", other, pages, "--format", "csv")):
            assert run(*arguments).output.count(note) == 1
        for arguments in (
            ("evaluate", pages, "--ci", "none"),
            ("evaluate", pages, *CI, "--group", "page"),
            ("evaluate", pages, *CI, "--by", "page"),
            ("evaluate", other, *CI),
        ):
            assert "looks like" not in run(*arguments).output

    def test_tests(self, pages, tmp_path):
        correct, confidence = DATA["svm-rbf"]
        other = write(tmp_path / "other.csv", correct.astype(int), confidence, page=self.PAGES)
        done = run("compare", pages, other, "--group", "page", "--format", "json")
        (found,) = json.loads(done.stdout)["comparisons"]
        models = {"pages": DATA["knn-votes"], "other": DATA["svm-rbf"]}
        pair = fa.compare_models(models, groups=self.PAGES).pair("pages", "other")
        assert found["pairs"][0]["pvalue"] == pytest.approx(pair.pvalue, rel=1e-9)
        assert (
            "influence values of 90 groups of dependent outputs"
            in run("compare", pages, other, "--group", "page").stdout
        )

    def test_refused(self, pages):
        assert "--group needs --ci" in refusal("evaluate", pages, "--group", "page", "--ci", "none")
        options = "--group", "page", "--guarantee", 0.05, "--max-risk", 0.1
        message = refusal("evaluate", pages, *options)
        assert message.startswith(
            "--max-risk with --guarantee cannot go with --group: use --error-rate"
        )
        assert "--group; with dependent outputs, --max-risk can be guaranteed" in message
        assert message.endswith("thresholds that were chosen on other data")

    def test_guarantees(self, pages):
        options = "--group", "page", "--guarantee", 0.05, "--error-rate", 0.2
        (record,) = records("evaluate", pages, *options)
        sure = fa.guaranteed_operating_point(*DATA["knn-votes"], groups=self.PAGES, max_error_rate=0.2)
        assert record["threshold/guaranteed/0.2"] == sure.threshold
        assert record["acceptance_rate/guaranteed/0.2"] == sure.acceptance_rate > 0
        said = " ".join(run("evaluate", pages, *options).stdout.split())
        assert "With 95% confidence at most 20% errors remain: accept at confidence >=" in said
        assert "for new outputs from the same source, for each model and limit on its own" in said
        assert f"have at most {sure.max_group_size} outputs each, like the largest here" in said


class TestGuarantee:
    def test_figures(self, knn):
        limits = "--error-rate", 0.01, "--max-risk", 0.02, "--threshold", 0.5
        (record,) = records("evaluate", knn, "--guarantee", 0.1, *limits)
        assert record["failure_probability"] == 0.1
        for key, limit in (
            ("0.01", {"max_error_rate": 0.01}),
            ("risk/0.02", {"max_risk": 0.02, "method": "pocock"}),
        ):
            found = fa.guaranteed_operating_point(*DATA["knn-votes"], **limit, failure_probability=0.1)
            assert record[f"threshold/guaranteed/{key}"] == found.threshold
            assert record[f"acceptance_rate/guaranteed/{key}"] == found.acceptance_rate
            assert record[f"error_rate/guaranteed/{key}"] == found.point.error_rate
            assert record[f"bound/guaranteed/{key}"] == found.bound
        assert not any("guaranteed/threshold" in name for name in record)

    def test_sentences(self, knn):
        text = run(
            "evaluate", knn, "--guarantee", 0.05, "--error-rate", 0.01, "--max-risk", 0.01
        ).stdout
        share = 100 * np.mean(DATA["knn-votes"][1] >= 0.75)
        assert (
            "With 95% confidence at most 1% errors remain: accept at confidence >= 0.75, "
            f"{share:.1f}% of the outputs.\n"
        ) in text
        assert (
            "With 95% confidence at most 1% of the accepted outputs are wrong: accept at confidence >= "
        ) in text
        assert "holds for new outputs from the same source" in text

    def test_several_models(self, knn, few):
        text = run("evaluate", knn, few, "--guarantee", 0.05, "--error-rate", 0.01).stdout
        assert "% of knn at confidence >= 0.75" in text
        assert "nothing of few" in text

    def test_too_few_outputs(self, few):
        least = 100 * (1 - 0.05 ** (1 / 5))
        note = (
            f"5 items are too few: even without an error they prove no limit below {least:.4g}%; "
            "--error-rate 0.01 needs at least 299 items."
        )
        table = run("evaluate", few, "--guarantee", 0.05, "--error-rate", 0.01).stdout
        assert note in table
        assert "no threshold is safe enough" in table
        result = run("evaluate", few, "--guarantee", 0.05, "--error-rate", 0.01, "--format", "json")
        assert result.stderr == f"fastarac: note: {note}\n"
        (record,) = commands.records(result.stdout)
        assert record["threshold/guaranteed/0.01"] is None
        assert record["acceptance_rate/guaranteed/0.01"] == 0

    def test_refusals(self, few, tmp_path):
        assert refusal("evaluate", "missing.csv", "--guarantee", 5) == (
            "--guarantee must be a number strictly between 0 and 1, got 5.0 (5% is 0.05)"
        )
        assert "--guarantee needs --error-rate or --max-risk, not --threshold" in refusal(
            "evaluate", few, "--guarantee", 0.05, "--threshold", 0.5
        )
        weighted = write(tmp_path / "w.csv", *FEW, w=[1] * 5)
        assert "--guarantee cannot go with --weight" in refusal(
            "evaluate", weighted, "--weight", "w", "--guarantee", 0.05
        )


def start(*arguments: object) -> subprocess.Popen[str]:
    """Start a command that draws ten million resamples."""
    code = (
        "from fastarac.answers import comparison; from fastarac.cli import main; "
        "comparison.RESAMPLES = 10_000_000; main()"
    )
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "TTY_COMPATIBLE": "1", "COLUMNS": "80"},
    )  # fmt: skip


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows has no SIGINT for one process")
@pytest.mark.skipif(not COMPILED, reason="an interpreted batch takes long to end")
@pytest.mark.slow
def test_a_long_bootstrap_shows_progress_and_is_interrupted_quietly(knn, tmp_path):
    other = tmp_path / "other.csv"
    other.write_bytes(knn.read_bytes())
    process = start("compare", knn, other, "--statistic", "equal_error_rate")
    shown = ""
    while "resamples" not in shown:
        shown += process.stderr.read(1)
        assert process.poll() is None or "resamples" in shown, shown
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    out, rest = process.communicate(timeout=60)
    assert process.returncode == 130, rest
    assert out == ""
    assert "Traceback" not in rest
    assert "error" not in rest


def test_no_progress_where_nobody_sees_it(knn):
    other = knn.with_name("other.csv")
    other.write_bytes(knn.read_bytes())
    result = run("compare", knn, other, "--statistic", "equal_error_rate")
    assert result.stderr == ""


def test_an_interval_stands_below_its_own_model():
    """A model without one has none, and does not take that of the next."""
    from types import SimpleNamespace

    from fastarac.answers.intervals import below

    each = fa.Interval(0.5, 0.25, 0.75, 0.1, 0.95, "wald")
    models = [SimpleNamespace(intervals=found) for found in ({}, {"acceptance_rate/x": each})]
    assert below(models, "acceptance_rate/x") == ["", "25.0-75.0%"]
    assert below(models[:1], "acceptance_rate/x") is None
