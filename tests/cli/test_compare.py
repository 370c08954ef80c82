"""`fastarac compare`: models on the same items, which rows belong together, and what differs."""

from __future__ import annotations

import csv
import io
import itertools
import json
import math
from functools import partial

import commands
import numpy as np
import pytest
from scipy import stats
from strategies import COMPILED

import fastarac as fa
from fastarac.answers import comparison
from fastarac.answers.cost_comparison import CostComparison
from fastarac.cli import _comparison
from fastarac.datasets import load_digits_ocr
from fastarac.io import Outputs, read_outputs

DATA = load_digits_ocr()
RESAMPLES = 300 if COMPILED else 4


@pytest.fixture(autouse=True)
def _few_resamples(monkeypatch):
    monkeypatch.setattr("fastarac.answers.comparison.RESAMPLES", RESAMPLES)


PRICES = ("--costs", "verification=2,correction=5,error=200")


run = partial(commands.detailed, "compare")


def content(*arguments: object):
    """The models and what tells them apart, by the statistic and, in `costs`, by money."""
    printed = run(*arguments, "--format", "json").stdout
    found = json.loads(printed, parse_constant=pytest.fail)
    by_statistic, *costs = found["comparisons"]
    return by_statistic | {"models": found["models"], "costs": costs}


refusal = partial(commands.reason, "compare")


def write(path, rows, header="id,prediction,truth,confidence"):
    lines = [header, *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def digits(tmp_path):
    columns = DATA.to_columns()
    return write(tmp_path / "all.csv", zip(*columns.values(), strict=True), ",".join(columns))


ROWS_A = [("x", 1, 1, 0.9), ("y", 2, 2, 0.8), ("z", 3, 4, 0.3)]
ROWS_B = [("z", 4, 4, 0.7), ("x", 1, 1, 0.6), ("y", 1, 2, 0.5)]


@pytest.fixture
def pair(tmp_path):
    return write(tmp_path / "a.csv", ROWS_A), write(tmp_path / "b.csv", ROWS_B)


class TestFigures:
    @pytest.mark.parametrize(
        ("name", "parameters", "method"),
        [
            ("roc_auc", {}, "asymptotic"),
            ("acceptance_at_error_rate", {"max_error_rate": 0.01}, "bootstrap"),
        ],
    )
    def test_json_is_the_comparison(self, digits, name, parameters, method):
        statistic = fa.Statistic(name, **parameters)
        told = ":".join([name, *(f"{key}={value}" for key, value in parameters.items())])
        found = content(digits, "--model", "model", "--statistic", told, "--ci", 0.9)
        expected = fa.compare_models(
            {name: DATA[name] for name in sorted(DATA.models)}, statistic=statistic, method=method,
            confidence_level=0.9, n_resamples=RESAMPLES, random_state=0,
        )  # fmt: skip
        as_dict = expected.to_dict()
        for name in ("statistic", "method", "correction", "confidence_level", "n"):
            assert found[name] == as_dict[name]
        assert found["seed"] == 0
        names = [model["name"] for model in found["models"]]
        for model in found["models"]:
            k = as_dict["model"].index(model.pop("name"))
            assert model == {key: as_dict[key][k] for key in model}
            assert {"estimate", "standard_error", "low", "high", "letters"} < set(model)
        estimates = [model["estimate"] for model in found["models"]]
        assert estimates == sorted(estimates, reverse=True)
        assert [(p["a"], p["b"]) for p in found["pairs"]] == list(itertools.combinations(names, 2))
        for pair in found["pairs"]:
            same = expected.pair(pair["a"], pair["b"])
            assert pair["difference"] == same.difference >= 0
            assert (pair["low"], pair["high"]) == (same.interval.low, same.interval.high)
            assert pair["adjusted_pvalue"] == same.adjusted_pvalue

    def test_losses_are_best_when_least(self, digits):
        found = content(digits, "--model", "model", "--statistic", "augrc")
        estimates = [model["estimate"] for model in found["models"]]
        assert estimates == sorted(estimates)
        assert found["models"][0]["share_of_best"] > 0.5

    @pytest.mark.slow
    def test_csv_and_markdown(self, digits):
        command = digits, "--model", "model", *PRICES
        found = content(*command)
        rows = list(csv.DictReader(io.StringIO(run(*command, "--format", "csv").stdout)))
        models = [row for row in rows if not row["minus"]]
        pairs = [row for row in rows if row["minus"]]
        for row, model in zip(models, found["models"], strict=True):
            assert row["model"] == model["name"]
            assert float(row["estimate"]) == model["estimate"]
            assert row["letters"] == model["letters"]
            assert row["adjusted_pvalue"] == ""
        costs = {model["name"]: model for model in found["models"]}
        assert (
            float(models[0]["cost_per_1000"]) == (costs[models[0]["model"]]["cost_per_1000/cheapest"])
        )
        for row, pair in zip(pairs, found["pairs"], strict=True):
            assert (row["model"], row["minus"]) == (pair["a"], pair["b"])
            assert float(row["estimate"]) == pair["difference"]
            more = [float(costs[row[side]]["cost_per_1000/cheapest"]) for side in ("model", "minus")]
            assert float(row["cost_per_1000"]) == pytest.approx(more[0] - more[1], rel=1e-9)
            assert float(row["cost_low_per_1000"]) < float(row["cost_per_1000"])
        parts = run(*command, "--format", "markdown").stdout.split("\n\n")
        tables = [part.splitlines() for part in parts if part.startswith("|")]
        # the answer's, then all by the statistic and in money
        sizes = [len(models), *[len(models), len(pairs)] * 2]
        assert [len(table) for table in tables] == [2 + size for size in sizes]

    def test_weights(self, tmp_path):
        rng = np.random.default_rng(0)
        weight = rng.integers(0, 4, 200)
        models = {}
        for name in "ab":
            correct, score = rng.random(200) < 0.8, rng.random(200).round(2)
            models[name] = correct, score
            rows = zip(correct.astype(int), score, weight, strict=True)
            write(tmp_path / f"{name}.csv", rows, "correct,confidence,w")
        found = content(tmp_path / "a.csv", tmp_path / "b.csv", "--weight", "w", *PRICES)
        expected = fa.compare_models(models, sample_weight=weight).pair("a", "b")
        (pair,) = found["pairs"]
        sign = 1 if pair["a"] == "a" else -1
        assert pair["difference"] == sign * expected.difference
        assert pair["standard_error"] == expected.standard_error
        costs = {model["name"]: model["cost_per_1000/cheapest"] for model in found["models"]}
        (money,) = found["costs"][0]["pairs"]
        assert money["difference"] == pytest.approx(costs[money["a"]] - costs[money["b"]], rel=1e-9)

    def test_table(self, digits):
        text = run(digits, "--model", "model", *PRICES).stdout
        found = fa.compare_models(DATA)
        pair = found.pair("knn-votes", "svm-rbf")
        assert f"{pair.difference:+.4f}" in text
        for each in found.pairs:
            sides = (each.adjusted_interval, each.reversed().adjusted_interval)
            assert any(f"{side.low:+.4f} to {side.high:+.4f}" in text for side in sides)
        assert any(each.interval.low != each.adjusted_interval.low for each in found.pairs)
        assert "Best by ARAC-AUC: knn-votes, significantly better than svm-rbf, " in text
        assert "adjusted for 6 pairs (Holm)" in text
        assert "shared items: knn-votes, " in text.replace("\n", " ")
        assert text.index("svm-rbf - knn-votes") > text.index("knn-votes - svm-rbf")

    def test_bootstrap_says_so(self, digits):
        options = "--statistic", "equal_error_rate"
        text = run(digits, "--model", "model", *options).stdout
        assert f"from {RESAMPLES} resamples (seed 0)" in text
        assert run(digits, "--model", "model", *options).stdout == text

    def test_not_significant(self, digits):
        text = run(digits, "--model", "model", "--statistic", "recognition_rate").stdout
        assert "Best by recognition rate: svm-rbf, but not significantly better than knn-votes." in text

    def test_undefined(self, tmp_path):
        for name, correct in (("a", [1, 1]), ("b", [1, 0])):
            rows = zip(correct, [0.5, 0.6], strict=True)
            write(tmp_path / f"{name}.csv", rows, "correct,confidence")
        files = tmp_path / "a.csv", tmp_path / "b.csv"
        text = run(*files, "--statistic", "roc_auc").stdout
        assert "undefined for one of the models" in text
        assert "nan" not in text
        assert content(*files, "--statistic", "roc_auc")["pairs"][0]["difference"] is None

    def test_many_models(self, tmp_path):
        rng = np.random.default_rng(1)
        rows = [
            (model, int(rng.random() < 0.8), round(rng.random(), 2))
            for model in range(11)
            for _ in range(30)
        ]
        path = write(tmp_path / "f.csv", rows, "m,correct,confidence")
        text = run(path, "--model", "m").stdout
        assert "--format json has all 55" in text
        assert sum(" - " in line for line in text.splitlines()) == 10
        assert len(content(path, "--model", "m")["pairs"]) == 55

    def test_doubts(self, pair):
        result = run(*pair, "--id", "id", "--format", "csv")
        assert result.stderr.startswith("fastarac: note: 'a' has 1 incorrect item; its diff")
        assert "arac_auc" not in result.stderr


class TestPairing:
    def test_items_are_matched(self, pair):
        found = content(*pair, "--id", "id")
        a = [1, 1, 0], [0.9, 0.8, 0.3]
        b = [1, 0, 1], [0.6, 0.5, 0.7]
        with pytest.warns(fa.UnreliableIntervalWarning):
            expected = fa.compare_models({"a": a, "b": b}).pair("a", "b")
        (only,) = found["pairs"]
        assert {only["a"], only["b"]} == {"a", "b"}
        assert abs(only["difference"]) == abs(expected.difference)
        assert only["standard_error"] == expected.standard_error

    def test_models_of_one_file_are_matched(self, tmp_path):
        rows = [("a", *row) for row in ROWS_A] + [("b", *row) for row in ROWS_B]
        path = write(tmp_path / "f.csv", rows[::-1], "m,id,prediction,truth,confidence")
        found = content(path, "--model", "m", "--id", "id")
        assert found["n"] == 3
        assert "m" not in {model["name"] for model in found["models"]}

    def test_without_identifiers_the_order_counts(self, tmp_path, pair):
        assert 'the truth of output 1 is "1" for a and "4"' in refusal(*pair, "--id", "none")
        same = write(tmp_path / "c.csv", sorted(ROWS_B))
        result = run(pair[0], same, "--id", "none", "--format", "json")
        assert "in the same order, because their truths agree; --id COLUMN" in result.stderr
        for name, rows in (("d", ROWS_A), ("e", ROWS_B)):
            plain = ((int(row[1] == row[2]), row[3]) for row in rows)
            write(tmp_path / f"{name}.csv", plain, "correct,confidence")
        table = run(tmp_path / "d.csv", tmp_path / "e.csv").stdout
        assert "all models have the same items in the same order; --id COLUMN matches items" in table

    def test_a_column_of_ids_is_used_without_being_named(self, tmp_path, pair):
        """Two files of the same items, one of them shuffled, are compared item by item."""
        assert content(*pair) == content(*pair, "--id", "id")
        found = run(*pair, "--format", "json")
        said = 'Column "id" matches the items of all models; --id none takes outputs in the order'
        assert said in found.stderr
        assert said in " ".join(run(*pair).stdout.split())
        other = write(tmp_path / "c.csv", [("v", *ROWS_B[0][1:]), *ROWS_B[1:]])
        message = refusal(pair[0], other)
        assert f'c lacks "{ROWS_B[0][0]}"' in message
        assert "--id id compares the items that all models have, --id none matches outputs" in message

    def test_identifiers_need_no_note(self, pair):
        assert "same order" not in run(*pair, "--id", "id").output

    def test_other_truths(self, tmp_path, pair):
        other = write(tmp_path / "c.csv", [("z", 4, 4, 0.7), ("x", 1, 1, 0.6), ("y", 1, 1, 0.5)])
        assert refusal(pair[0], other, "--id", "id") == (
            'the truth of the item "y" is "2" for a and "1" for c; use the same items'
        )

    def test_missing_items(self, tmp_path, pair):
        fewer = write(tmp_path / "c.csv", [ROWS_B[0], ROWS_B[2]])
        for files in ((pair[0], fewer), (fewer, pair[0])):
            found = run(*files, "--id", "id", "--format", "json")
            assert json.loads(found.stdout)["comparisons"][0]["n"] == 2
            assert 'the models have different items and share only 2: c lacks "x". Only' in (
                found.stderr
            )
        others = write(tmp_path / "d.csv", [("p", 1, 1, 0.5), ("q", 1, 1, 0.5)])
        message = refusal(pair[0], others, "--id", "id")
        assert 'share only 0: a lacks "p" and "q"' in message

    def test_items_twice(self, tmp_path, pair):
        twice = write(tmp_path / "c.csv", [*ROWS_B, ROWS_B[1], ROWS_B[0]])
        for files in ((pair[0], twice), (twice, pair[0])):
            assert refusal(*files, "--id", "id") == (
                'the item "x" is in the outputs of c more than once; keep one'
            )

    def test_unequal_numbers(self, tmp_path):
        for name, n in (("a", 3), ("b", 4)):
            rows = ((1, k) for k in range(n))
            write(tmp_path / f"{name}.csv", rows, "correct,confidence")
        assert refusal(tmp_path / "a.csv", tmp_path / "b.csv") == (
            "the models have different numbers of outputs, 3 of a and 4 of b; use outputs of the "
            "same items (--id COLUMN matches them)"
        )

    def test_other_weights(self, tmp_path):
        for name in "ab":
            rows = [(1, 0.5, 1), (0, 0.6, 2 if name == "a" else 3)]
            write(tmp_path / f"{name}.csv", rows, "correct,confidence,w")
        assert "the weight of output 2 is 2 for a and 3 for b" in refusal(
            tmp_path / "a.csv", tmp_path / "b.csv", "--weight", "w"
        )

    def test_one_model(self, pair):
        assert refusal(pair[0]) == (
            "there is one model, a; give at least two (the files of a folder as FOLDER/*, or see "
            "--model COLUMN)"
        )

    def test_identifiers_that_are_missing(self, tmp_path, pair):
        empty = write(tmp_path / "c.csv", [("x", 1, 1, 0.6), ("", 1, 2, 0.5)])
        assert 'row 2 (line 3): column "id" is empty; expected a name' in refusal(
            pair[0], empty, "--id", "id"
        )
        assert 'there is no column "nr"' in refusal(*pair, "--id", "nr")

    def test_reading(self, pair):
        outputs = read_outputs(pair[0], item="id", keep_truth=True)
        assert [outputs.item.names[code] for code in outputs.item.codes] == ["x", "y", "z"]
        assert [outputs.truth.names[code] for code in outputs.truth.codes] == ["1", "2", "4"]
        assert read_outputs(pair[0]).truth is None


class TestStatistics:
    @pytest.mark.parametrize(
        ("text", "statistic"),
        [
            ("roc_auc", fa.Statistic("roc_auc")),
            ("acceptance_rate:threshold=0.5", fa.Statistic("acceptance_rate", threshold=0.5)),
            ("error_rate/threshold/0.5", fa.Statistic("error_rate", threshold=0.5)),
            ("acceptance_rate/1e-3", fa.Statistic("acceptance_at_error_rate", max_error_rate=1e-3)),
            ("acceptance_rate/risk/0.02", fa.Statistic("acceptance_at_risk", max_risk=0.02)),
            ("aurc:estimator=exact", fa.Statistic("aurc", estimator="exact")),
            (
                "roc_partial_auc:fpr_range=(0, 0.1):standardize=mcclish",
                fa.Statistic("roc_partial_auc", fpr_range=(0, 0.1), standardize="mcclish"),
            ),
        ],
    )
    def test_parameters(self, text, statistic):
        assert _comparison.statistic_of(text) == statistic
        assert _comparison.statistic_of(comparison.named(statistic)) == statistic

    @pytest.mark.parametrize(
        ("options", "found"),
        [
            (
                ("--statistic", "auc"),
                "--statistic 'auc' is unknown (did you mean 'roc_auc'?); it must be one of ",
            ),
            (
                ("--statistic", "arac_auc:x"),
                "--statistic must have PARAMETER=VALUE after a colon, got 'x'",
            ),
            (
                ("--statistic", "acceptance_at_error_rate:max_error_rate=0.1,interpolate=True"),
                "--statistic must have a colon between parameters",
            ),
            (("--statistic", "arac_auc:x=1"), "--statistic 'arac_auc' has no parameter 'x'"),
            (
                ("--statistic", "acceptance_rate"),
                "--statistic acceptance_rate needs threshold, as in acceptance_rate/threshold/0.9",
            ),
            (
                ("--statistic", "error_rate/0.01"),
                "--statistic must be a name, or a key such as acceptance_rate/0.01 or error_rate/",
            ),
            (
                ("--statistic", "acceptance_rate/1.5"),
                "--statistic acceptance_at_error_rate: max_error_rate must be",
            ),
            (("--ci", 95), "--ci must be a number strictly between 0 and 1, got 95.0"),
        ],
    )
    def test_refused_before_any_file_is_read(self, options, found):
        assert refusal("missing.csv", *options).startswith(found)

    def test_bootstrap_takes_all(self, digits):
        command = digits, "--model", "model"
        found = content(*command, "--statistic", "acceptance_at_error_rate:max_error_rate=0.01")
        assert found["parameters"] == {"max_error_rate": 0.01}
        assert found["n_resamples"] == RESAMPLES


def paid(correct, confidence, costs, people, thresholds):
    """What each item costs at each threshold."""
    people = people or fa.Reviewer()
    found, spoiled = people.detection_rate, people.false_alarm_rate
    checked = np.where(
        correct,
        costs.verification + spoiled * (costs.correction + costs.error),
        costs.verification + found * costs.correction + (1 - found) * costs.error,
    )
    accepted = confidence >= np.asarray(thresholds)[..., None]
    return np.where(accepted, np.where(correct, 0.0, costs.error), checked)


def item_costs(correct, confidence, costs, people):
    """What each item costs at the cheapest threshold."""
    point = fa.costs.optimal_operating_point(correct, confidence, costs=costs, reviewer=people)
    return paid(correct, confidence, costs, people, point.threshold)


def left_out_costs(correct, confidence, costs, people):
    """What all items cost at their cheapest threshold, less what all but one do at theirs."""
    every = paid(correct, confidence, costs, people, [*np.unique(confidence), np.inf])
    totals = every.sum(axis=1)
    return totals.min() - np.min(totals[:, None] - every, axis=0)


class TestCosts:
    @pytest.mark.parametrize("people", [None, fa.Reviewer(0.9, 0.005)])
    @pytest.mark.parametrize("name", DATA.models)
    def test_costs_of_items(self, people, name):
        """Their mean is the cost, and their distances from it the influence of the items."""
        costs = fa.VerificationCosts(2, 5, 200)
        of_items = item_costs(*DATA[name], costs, people)
        statistic = fa.Statistic("cost", costs=costs, reviewer=people)
        assert statistic(fa.threshold_sweep(*DATA[name])) == pytest.approx(of_items.mean(), rel=1e-12)
        n = len(of_items)
        np.testing.assert_allclose(
            fa.influence_values(*DATA[name], statistic=statistic),
            (of_items - of_items.mean()),
            atol=1e-9 * n,
        )

    def test_differences(self, digits):
        found = content(digits, "--model", "model", *PRICES, "--ci", 0.9)
        (costs,) = found.pop("costs")
        found |= costs | {
            "models": sorted(found["models"], key=lambda model: model["cost_per_1000/cheapest"])
        }
        names = [model["name"] for model in found["models"]]
        assert len(found["pairs"]) == 6
        raw = []
        for pair in found["pairs"]:
            assert names.index(pair["a"]) > names.index(pair["b"])
            prices = fa.VerificationCosts(2, 5, 200), None
            costs = [1000 * item_costs(*DATA[pair[side]], *prices) for side in ("a", "b")]
            left_out = [1000 * left_out_costs(*DATA[pair[side]], *prices) for side in ("a", "b")]
            contributions = left_out[0] - left_out[1] - np.mean(left_out[0] - left_out[1])
            contributors = np.sum(contributions**2) ** 2 / np.sum(contributions**4)
            degrees = 2 * contributors / (1 - contributors / len(contributions)) - 1
            degrees = min(degrees, contributors)
            degrees = math.floor(degrees) if degrees <= 200 else degrees
            error = np.std(contributions, ddof=1) / math.sqrt(len(contributions))
            assert pair["difference"] == pytest.approx(float(np.mean(costs[0] - costs[1])), rel=1e-9)
            assert pair["standard_error"] == pytest.approx(error, rel=1e-9)
            raw.append(2 * stats.t.sf(abs(pair["difference"] / error), degrees))
            assert pair["pvalue"] == pytest.approx(raw[-1], rel=1e-6)
            reach = stats.t.ppf(0.95, degrees) * error
            assert pair["low"] == pytest.approx(pair["difference"] - reach, rel=1e-9, abs=1e-9)
            assert pair["high"] == pytest.approx(pair["difference"] + reach, rel=1e-9, abs=1e-9)
        order = np.argsort(raw)
        holm = np.minimum(1, np.maximum.accumulate(np.array(raw)[order] * np.arange(6, 0, -1)))
        adjusted = np.array([pair["adjusted_pvalue"] for pair in found["pairs"]])
        np.testing.assert_allclose(adjusted[order], holm, rtol=1e-6)

    @pytest.mark.slow
    def test_coverage(self):
        """The threshold that is cheapest on a sample does not spoil the interval."""
        small = not COMPILED
        rng = np.random.default_rng(11)
        case = fa.synthetic.PAPER_CASES[1]
        prices = fa.VerificationCosts(1, 4, 20), None

        def sample(n):
            correct, first = case.sample(n, random_state=rng)
            second = np.round(first + rng.normal(0, 0.08, n), 3)
            return {"a": Outputs(correct, np.round(first, 3)), "b": Outputs(correct, second)}

        large = sample(20_000 if small else 200_000)
        truth = CostComparison.of(large, *prices, level=0.95, correction=None)
        (expected,) = truth.differences
        trials = 40 if small else 300
        covered = 0
        for _ in range(trials):
            (pair,) = CostComparison.of(sample(1500), *prices, level=0.95, correction=None).differences
            found = (pair if pair.a == expected.a else pair.reversed()).interval
            covered += found.low <= expected.difference <= found.high
        assert stats.binomtest(covered, trials, 0.95).pvalue > 1e-3

    def test_models_that_cost_the_same(self, tmp_path):
        rows = [(1, 0.9), (0, 0.2), (1, 0.8)]
        files = [write(tmp_path / f"{name}.csv", rows, "correct,confidence") for name in "ab"]
        (costs,) = content(*files, *PRICES)["costs"]
        (pair,) = costs["pairs"]
        assert (pair["difference"], pair["standard_error"], pair["pvalue"]) == (0, 0, 1)
        printed = run(*files, *PRICES).stdout
        assert "a and b have the same ARAC-AUC (0.9444): no difference was found." in printed
        assert "a and b (p > 0.99) tie" in printed
        assert "p = 1" not in printed
        assert "-0.0000 " not in printed


@pytest.mark.parametrize("statistic", ["cost", "cost:costs=0.1"])
def test_the_statistic_cost_is_told_where_prices_go(tmp_path, statistic):
    path = tmp_path / "a.csv"
    path.write_text("correct,confidence\n1,1\n0,0\n")
    said = commands.reason("compare", path, path, "--statistic", statistic)
    assert "leave out --statistic and give the prices with --costs" in said


@pytest.mark.parametrize(
    ("rate", "found"),
    [("5", "max_error_rate must be a number"), ("1%", "max_error_rate must hold numbers")],
)
def test_parameters_of_a_statistic_are_no_options(rate, found):
    name = "acceptance_at_error_rate"
    told = f"{name}:max_error_rate={rate}"
    message = commands.reason("compare", "a.csv", "b.csv", "--statistic", told)
    assert message.startswith(f"--statistic {name}: {found}")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (("evaluate", "a.csv", "--format", "xml"), "'--format': 'xml' is not one of"),
        (("ocr", "a", "b", "--fold", "x"), "'--fold': 'x' is not one of"),
        (("check", "a.json", "b.csv", "--looks", 0), "'--looks': it should be at least 1"),
        (("sample", "a.csv", "-o", "b.csv", "--seed", "x"), "'--seed': it should be an integer"),
        (
            ("compare", "a.csv", "b.csv", "--ci", "none"),
            "--ci must be a number such as 0.95 here, got none",
        ),
    ],
)
def test_options_are_refused_in_our_words(command, message):
    error = commands.run(*command, code=2).stderr
    assert message in error
    assert "Value error" not in error
