"""`fastarac evaluate --by`: the groups of each model, worst first."""

from __future__ import annotations

from functools import partial

import commands
import numpy as np
import pytest

import fastarac as fa
from fastarac.answers import groups as answers
from fastarac.datasets import load_digits_ocr

DATA = load_digits_ocr()


run = partial(commands.detailed, "evaluate", code=None)


@pytest.fixture
def digits(tmp_path):
    """One file with all models; the group of an output is the digit in its name."""
    columns = DATA.to_columns()
    lines = ["model,digit,prediction,truth,confidence"]
    lines += [
        f"{m},digit {t},{p},{t},{float(c)!r}"
        for m, p, t, c in zip(
            columns["model"], columns["prediction"], columns["truth"], columns["confidence"],
            strict=True,
        )
    ]  # fmt: skip
    path = tmp_path / "digits.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_records(digits):
    result = run(digits, "--model", "model", "--by", "digit", "--format", "json")
    assert result.exit_code == 0, result.output
    records = commands.records(result.stdout)
    assert len(records) == 40
    for name, (correct, confidence) in DATA.items():
        mine = [record for record in records if record["model"] == name]
        areas = [record["arac_auc"] for record in mine]
        assert areas == sorted(areas)
        point = fa.operating_point(correct, confidence, max_error_rate=0.01)
        for record in mine:
            rows = DATA.truth == int(record["group"].removeprefix("digit "))
            assert record["n"] == rows.sum()
            assert record["arac_auc"] == fa.arac_auc_score(correct[rows], confidence[rows])
            accepted = confidence[rows] >= point.threshold
            assert record["threshold/0.01"] == point.threshold
            assert record["acceptance_rate/0.01"] == accepted.mean()
            assert record["error_rate/0.01"] == (accepted & ~correct[rows]).mean()
        assert any(record["roc_auc"] is None for record in mine) == any(
            correct[DATA.truth == digit].all() for digit in range(10)
        )


def test_table(digits):
    result = run(digits, "--model", "model", "--by", "digit")
    assert result.exit_code == 0, result.output
    assert "10 groups, worst first (by ARAC-AUC), of naive-bayes" in result.stdout
    lines = result.stdout.splitlines()
    start = next(i for i, line in enumerate(lines) if "of logistic-pca5" in line)
    groups = [line for line in lines[start:] if line.startswith("digit")]
    assert groups[0].startswith("digit 8")


def test_only_the_worst_are_shown(tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "many.csv"
    rows = [f"{i % 30},{int(rng.random() < 0.8)},{rng.random()}" for i in range(600)]
    path.write_text("field,correct,confidence\n" + "\n".join(rows), encoding="utf-8")
    result = run(path, "--by", "field")
    assert "The worst 20 of 30 groups" in result.stdout
    assert len(run(path, "--by", "field", "--format", "csv").stdout.splitlines()) == 31
    assert answers.SHOWN == 20


def test_several_files_of_a_model(tmp_path):
    for name, rows in (("a", "x,1,0.9\ny,0,0.8\n"), ("b", "z,1,0.7\nx,0,0.6\n")):
        text = "field,correct,confidence\n" + rows
        (tmp_path / f"{name}.csv").write_text(text.replace("\n", ",m\n").replace(
            "confidence,m", "confidence,model"), encoding="utf-8")  # fmt: skip
    result = run(
        tmp_path / "a.csv", tmp_path / "b.csv", "--model", "model", "--by", "field",
        "--format", "json",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert {r["group"]: r["n"] for r in commands.records(result.stdout)} == {"x": 2, "y": 1, "z": 1}


def test_limits_that_groups_break(digits):
    command = digits, "--model", "model", "--by", "digit", "--error-rate", 0.01, "--max-risk", 0.02
    records = commands.records(run(*command, "--format", "json").stdout)
    mine = [record for record in records if record["model"] == "knn-votes"]
    broken = [record["group"] for record in mine if not record["keeps_limit/0.01"]]
    assert broken == [record["group"] for record in mine if record["error_rate/0.01"] > 0.01]
    assert 0 < len(broken) < 10
    text = run(*command).stdout
    part = text[text.index("of knn-votes\n") :]
    listed = f"{', '.join(broken[:-1])} and {broken[-1]}" if len(broken) < 6 else broken[0]
    assert f"{len(broken)} of 10 groups break the limit of 1% errors (marked !): {listed}" in part
    rows = [line for line in part.splitlines() if line.startswith(broken[0])]
    assert any("%" in row and " !" in row for row in rows)


@pytest.mark.slow
def test_intervals(digits):
    command = digits, "--model", "model", "--by", "digit", "--error-rate", 0.01, "--ci", 0.9
    records = commands.records(run(*command, "--format", "json").stdout)
    record = next(r for r in records if (r["model"], r["group"]) == ("naive-bayes", "digit 8"))
    rows = DATA.truth == 8
    correct, confidence = (column[rows] for column in DATA["naive-bayes"])
    found = fa.asymptotic_interval(correct, confidence, confidence_level=0.9)
    assert (record["arac_auc_low"], record["arac_auc_high"]) == (found.low, found.high)
    at = fa.Statistic("error_rate", threshold=record["threshold/0.01"])
    found = fa.asymptotic_interval(correct, confidence, statistic=at, confidence_level=0.9)
    assert record["error_rate_high/0.01"] == found.high
    text = run(*command).stdout
    assert f"{record['arac_auc_low']:.4f}-{record['arac_auc_high']:.4f}" in text


@pytest.mark.parametrize("people", ["", ",detection_rate=0.9"])
def test_prices(digits, people):
    prices = "--costs", f"verification=2,correction=5,error=200{people}"
    command = digits, "--model", "model", "--by", "digit", *prices
    records = commands.records(run(*command, "--format", "json").stdout)
    costs = fa.VerificationCosts(2, 5, 200)
    reviewer = fa.Reviewer(0.9) if people else None
    for name, (correct, confidence) in DATA.items():
        best = fa.costs.optimal_operating_point(correct, confidence, costs=costs, reviewer=reviewer)
        for record in (record for record in records if record["model"] == name):
            rows = DATA.truth == int(record["group"].removeprefix("digit "))
            there = fa.operating_point(
                correct[rows], confidence[rows], threshold=best.threshold, reviewer=reviewer
            )
            at = best.threshold
            assert record["threshold/cheapest"] == (None if at == np.inf else at)
            assert record["cost_per_1000/cheapest"] == pytest.approx(1000 * costs.cost(there))
            at_limit = fa.operating_point(
                correct[rows], confidence[rows], threshold=record["threshold/0.01"], reviewer=reviewer
            )
            assert record["cost/0.01"] == pytest.approx(costs.cost(at_limit))
    text = run(*command).stdout
    assert "the cheapest" in text
    assert "Cheapest: " in text


def test_refusals(digits):
    result = run(digits, "--by", "nothing")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "nothing" in result.stderr
    result = run(digits, "--by", "digit", "--guarantee", "0.05")
    assert result.exit_code == 2
    assert "--guarantee cannot go with --by: leave out one of the two" in result.stderr


def test_everything_at_once(tmp_path):
    """Weights, pages, intervals, prices, people and limits beside --by; a group without weight."""
    rng = np.random.default_rng(2)
    n = 2000
    correct, confidence = rng.random(n) < 0.8, rng.random(n).round(3)
    field, page, weight = rng.integers(0, 3, n), rng.integers(0, 100, n), rng.integers(0, 4, n) / 2
    field[:5], weight[:5] = 9, 0
    path = tmp_path / "fields.csv"
    columns = zip(*(x.tolist() for x in (correct, confidence, field, page, weight)), strict=True)
    path.write_text(
        "correct,confidence,field,page,weight\n"
        + "\n".join(f"{int(c)},{t!r},{f},{p},{w}" for c, t, f, p, w in columns),
        encoding="utf-8",
    )
    command = (
        path, "--by", "field", "--weight", "weight", "--group", "page", "--ci", 0.95, "--max-risk", 0.1,
        "--threshold", 0.5, "--costs", "verification=1,correction=2,error=30,detection_rate=0.9",
    )  # fmt: skip
    result = run(*command, "--format", "json")
    assert result.exit_code == 0, result.output
    records = {record["group"]: record for record in commands.records(result.stdout)}
    assert sorted(records) == ["0", "1", "2"]
    costs, people = fa.VerificationCosts(1, 2, 30), fa.Reviewer(0.9)
    for name, record in records.items():
        mine = field == int(name)
        items = {"correct": correct[mine], "confidence": confidence[mine]}
        items["sample_weight"] = weight[mine]
        assert record["n"] == weight[mine].sum()
        assert record["arac_auc"] == fa.arac_auc_score(**items)
        point = fa.operating_point(**items, threshold=0.5)
        assert record["error_rate/threshold/0.5"] == pytest.approx(point.error_rate, rel=1e-13)
        interval = fa.asymptotic_interval(**items, groups=page[mine])
        assert record["arac_auc_low"] == pytest.approx(interval.low, rel=1e-12)
        there = fa.operating_point(**items, threshold=record["threshold/cheapest"], reviewer=people)
        assert record["cost_per_1000/cheapest"] == pytest.approx(1000 * costs.cost(there))
        assert record["error_rate/cheapest"] == pytest.approx(there.error_rate)
    text = run(*command).stdout
    assert "weight" in text[text.index("3 groups, worst first") :]


def test_few_outputs_are_said_to_be_few(tmp_path):
    path = tmp_path / "few.csv"
    path.write_text("correct,confidence\n" + "1,0.9\n" * 20, encoding="utf-8")
    assert "20 outputs are few for a limit of 1% errors" in run(path).stdout
    assert "are few" not in run(path, "--error-rate", "0.5").stdout


def test_a_misread_number_is_no_number(tmp_path):
    path = tmp_path / "misread.csv"
    path.write_text("correct,confidence\n1,1_0\n0,5\n", encoding="utf-8")
    result = run(path)
    assert result.exit_code == 2
    assert "row 1" in result.stderr
    assert "1_0" in result.stderr
