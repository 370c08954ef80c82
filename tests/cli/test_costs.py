"""`fastarac evaluate` with prices: the cheapest threshold and model, and the money."""

from __future__ import annotations

import csv
import io
import math
from functools import partial

import commands
import numpy as np
import pytest

import fastarac as fa
from fastarac._core.text import money
from fastarac.datasets import load_digits_ocr

DATA = load_digits_ocr()
PRICES = ["--costs", "verification=2,correction=5,error=200"]
COSTS = fa.VerificationCosts(2, 5, 200)


run = partial(commands.detailed, "evaluate", code=None)


def refusal(*arguments: object) -> str:
    """What is wrong with the value of an option."""
    return run(*arguments, code=2).stderr


@pytest.fixture
def digits(tmp_path):
    columns = DATA.to_columns()
    lines = [",".join(columns)]
    lines += [",".join(map(str, row)) for row in zip(*columns.values(), strict=True)]
    path = tmp_path / "digits.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def one(tmp_path):
    path = tmp_path / "one.csv"
    rows = zip([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2], strict=True)
    path.write_text("correct,confidence\n" + "".join(f"{c},{t}\n" for c, t in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize("people", [None, fa.Reviewer(0.9)])
def test_all_figures_are_those_of_one_call(digits, people):
    prices = PRICES if people is None else [PRICES[0], f"{PRICES[1]},detection_rate=0.9"]
    limits = ["--error-rate", 0.01, "--max-risk", 0.02, "--threshold", 0.9, "--ci", 0.9]
    result = run(digits, "--model", "model", *prices, *limits, "--format", "json")
    for record in commands.records(result.stdout):
        figures = fa.evaluate(
            *DATA[record["model"]], max_error_rate=0.01, max_risk=0.02, threshold=0.9, costs=COSTS,
            reviewer=people, intervals=True, confidence_level=0.9,
        ).to_dict()  # fmt: skip
        for name in [name for name in figures if name.startswith("cost/")]:
            figures[name.replace("cost/", "cost_per_1000/")] = 1000 * figures.pop(name)
        assert record == {"model": record["model"], **figures}


@pytest.mark.parametrize("people", [None, fa.Reviewer(0.9)])
def test_records(digits, people):
    prices = PRICES if people is None else [PRICES[0], f"{PRICES[1]},detection_rate=0.9"]
    result = run(digits, "--model", "model", *prices, "--format", "json")
    assert result.exit_code == 0, result.output
    records = commands.records(result.stdout)
    assert len(records) == 4
    for record in records:
        sweep = fa.threshold_sweep(*DATA[record["model"]])
        point = fa.costs.optimal_operating_point(sweep, costs=COSTS, reviewer=people)
        threshold = record["threshold/cheapest"]
        assert threshold == (None if math.isinf(point.threshold) else point.threshold)
        for rate in ("acceptance_rate", "error_rate", "risk", "correction_rate"):
            expected = getattr(point, rate)
            if rate == "risk" and point.acceptance_rate == 0:
                expected = None  # of nothing
            assert record[f"{rate}/cheapest"] == expected
        sums = 1000 * COSTS.cost(sweep, reviewer=people)
        assert record["cost_per_1000/cheapest"] == pytest.approx(sums.min(), rel=1e-12)
        assert record["cost_per_1000/everything_checked"] == pytest.approx(sums[0], rel=1e-12)
        assert record["cost_per_1000/nothing_checked"] == pytest.approx(sums[-1], rel=1e-12)
        assert (record["gamma"], record["delta"]) == (0.4, 39.0)
        assert [record[f"cost_{name}"] for name in ("verification", "correction", "error")] == [
            2,
            5,
            200,
        ]
        detected, spoiled = (1.0, 0.0) if people is None else (0.9, 0.0)
        assert (record["reviewer_detection"], record["reviewer_false_alarm"]) == (detected, spoiled)


def test_the_money_counts_items(one):
    """The sums are those of a person who adds up what happens to each item."""
    record = commands.records(run(one, *PRICES, "--format", "json").stdout)[0]
    assert record["threshold/cheapest"] == 0.8
    # of five outputs three are verified and two of them corrected
    assert record["cost_per_1000/cheapest"] == pytest.approx((3 * 2 + 2 * 5) / 5 * 1000)
    assert record["cost_per_1000/everything_checked"] == pytest.approx((5 * 2 + 2 * 5) / 5 * 1000)
    assert record["cost_per_1000/nothing_checked"] == pytest.approx(2 * 200 / 5 * 1000)


def test_csv_has_the_figures(digits):
    records = commands.records(run(digits, "--model", "model", *PRICES, "--format", "json").stdout)
    text = run(digits, "--model", "model", *PRICES, "--format", "csv").stdout
    rows = list(csv.reader(io.StringIO(text)))
    assert rows[0] == list(records[0])
    place = rows[0].index("cost_per_1000/cheapest")
    assert [float(row[place]) for row in rows[1:]] == [r["cost_per_1000/cheapest"] for r in records]


def test_table(digits):
    text = run(digits, "--model", "model", *PRICES, "--error-rate", 0.01).stdout
    header = [line for line in text.splitlines() if line.startswith("model")][-1]
    assert "confidence >=     there  remain" in header
    assert header.endswith("checked    checked")
    row = [line for line in text.splitlines() if line.startswith("knn-votes  ")][-1]
    assert row.split()[-5:] == ["78.7%", "0.1%", "647.75", "2,114.08", "4,563.16"]
    row = [line for line in text.splitlines() if line.startswith("naive-bayes  ")][-1]
    assert row.split()[-6:-4] == ["-", "0%"]
    assert (
        "Cheapest: knn-votes, accept 78.7% automatically at confidence >= 0.95; 0.1% of all outputs "
        "remain wrong. 1,000 outputs then cost 647.75; with everything checked 2,114.08, with nothing "
        "checked 4,563.16."
    ) in text
    assert "W\n" not in header


@pytest.mark.parametrize(
    ("prices", "sentence"),
    [
        ((2, 5, 200), "Cheapest: accept 40.0% automatically at confidence >= 0.8; no errors remain."),
        ((100, 1, 1), "Cheapest: accept everything automatically; 40.0% of all outputs remain wrong."),
    ],
)
def test_one_model_needs_no_name(one, prices, sentence):
    costs = "verification={},correction={},error={}".format(*prices)
    assert sentence in run(one, "--costs", costs).stdout


def test_everything_is_checked_where_nothing_is_right(tmp_path):
    path = tmp_path / "wrong.csv"
    path.write_text("correct,confidence\n0,0.5\n0,0.4\n", encoding="utf-8")
    result = run(path, *PRICES)
    assert (
        "Cheapest: check everything; no errors remain. 1,000 outputs then cost 7,000.00;"
        in result.stdout
    )
    record = commands.records(run(path, *PRICES, "--format", "json").stdout)[0]
    assert record["threshold/cheapest"] is None


def test_weights_count(tmp_path):
    path = tmp_path / "weighted.csv"
    rows = [(1, 0.9, 2.0), (0, 0.5, 1.5), (1, 0.4, 0.5)]
    lines = "".join(f"{c},{t},{w}\n" for c, t, w in rows)
    path.write_text("correct,confidence,copies\n" + lines, encoding="utf-8")
    result = run(path, *PRICES, "--weight", "copies", "--format", "json")
    record = commands.records(result.stdout)[0]
    assert record["cost_per_1000/cheapest"] == pytest.approx((2 * 2 + 1.5 * 5) / 4 * 1000)


def test_integer_confidences_keep_their_digits(tmp_path):
    path = tmp_path / "big.csv"
    lines = "".join(f"{c},{2**60 + k}\n" for k, c in enumerate([0, 1, 1]))
    path.write_text("correct,confidence\n" + lines, encoding="utf-8")
    record = commands.records(run(path, *PRICES, "--format", "json").stdout)[0]
    assert record["threshold/cheapest"] == 2**60 + 1


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        ("error=3", "verification and correction are missing: give all three prices"),
        ("detection_rate=0.9", "verification, correction and error are missing"),
        ("verification=2,correction=5,error=-1", "error must be a finite number of at least 0"),
        ("verification=2,correction=5,error=nan", "error must be a finite number, got nan"),
        ("verification=1,correction=0,error=1", "correction must be a finite number above 0, got 0.0"),
        (
            "verification=2,correction=5,error=9,detection_rate=2",
            "detection_rate must be a number in [0,",
        ),
        ("verification=2,correction=5,errors=9", "use NAME=PRICE for each of verification, "),
        ("verification=2,verification=5", "use NAME=PRICE for each of verification, "),
        ("2,5,200", "use NAME=PRICE for each of verification, "),
    ],
)
def test_refused(one, costs, message):
    assert message in refusal(one, "--costs", costs)


def test_refused_before_any_file_is_read():
    assert "error must be a finite number of at" in refusal(
        "nowhere.csv", "--costs", "verification=2,correction=5,error=-1"
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0.00"), (1234567.891, "1,234,567.89"), (1.005, "1.00"), (0.01234, "0.0123"), (0.5, "0.5")],
)
def test_money(value, text):
    assert money(value) == text


def test_nothing_changes_without_prices(one):
    plain = commands.records(run(one, "--ci", "none", "--format", "json").stdout)[0]
    priced = commands.records(run(one, *PRICES, "--ci", "none", "--format", "json").stdout)[0]
    assert not any("cost" in key or "cheapest" in key for key in plain)
    changed = {key for key in plain if plain[key] != priced[key]}
    assert all(
        key in {"gamma", "delta", "arac_auc_improved", "normalized_arac_auc", "normalized_arp_auc"}
        or key.startswith("performance/")
        for key in changed
    )
    assert np.isfinite(priced["cost_per_1000/cheapest"])


def test_a_limit_that_costs_more_than_checking_everything(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("correct,confidence\n" + "1,0.9\n" * 97 + "0,0.9\n" * 3 + "0,0.1\n" * 100)
    prices = ("--costs", "verification=0.08,correction=0.01,error=12")
    limits = ("--error-rate", 0.02, "--threshold", 0.95)
    # 1,000 outputs: 15 unseen errors, 500 checked and corrected; or all checked, 515 corrected
    here, everything = 15 * 12 + 500 * 0.09, 1000 * 0.08 + 515 * 0.01
    said = run(path, *limits, *prices).stdout.replace("\n", " ")
    assert (
        f"1,000 outputs then cost {here:.2f}, more than with everything checked ({everything:.2f})."
        in said
    )
    assert (
        f"1,000 outputs then cost {everything:.2f}; with everything checked {everything:.2f}." in said
    )
    (record,) = commands.records(run(path, *limits, *prices, "--format", "json").stdout)
    assert record["cost_per_1000/0.02"] == pytest.approx(here)
    assert record["cost_per_1000/threshold/0.95"] == pytest.approx(everything)


def test_models_that_cost_as_little_tie(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text("correct,confidence\n1,0.9\n0,0.1\n")
    prices = ("--costs", "verification=1,correction=1,error=9")
    said = run(tmp_path / "a.csv", tmp_path / "b.csv", *prices).stdout.replace("\n", " ")
    assert "b costs the same: a tie." in said
    assert "To see whether a lead is more than chance, run: fastarac compare" in said


def test_two_prices_are_told_what_to_enter(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("correct,confidence\n1,0.9\n0,0.1\n")
    for more in ("", ",correction=0"):
        costs = f"verification=0.08,error=12{more}"
        assert "a small price of correction, such as 0.0001" in refusal(path, "--costs", costs)


def test_a_stricter_limit_may_be_cheaper(digits):
    model = "svm-rbf", *DATA["svm-rbf"]
    costs = fa.evaluate(*model[1:], max_error_rate=0.02, costs=COSTS).cost_evaluation
    said = run(digits, "--model", "model", "--error-rate", 0.02, *PRICES).stdout
    here, least = (money(1000 * each) for each in (costs.at_limits["0.02"], costs.at_cheapest))
    assert here != least
    assert f"1,000 outputs cost {here} at 2% errors; a stricter limit is cheaper" in " ".join(
        said.split()
    )
    loose = "--costs", "verification=2,correction=5,error=8"
    assert (
        "a stricter limit" not in run(digits, "--model", "model", "--error-rate", 0.02, *loose).stdout
    )
