"""The test vectors: the file is what the reference gives, and the library and the checker agree."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import warnings

import numpy as np
import pytest
import vectors

import fastarac as fa

CHECK = vectors.PATH.with_name("check.py")
DATA = json.loads(vectors.PATH.read_text(encoding="utf-8"))
QUANTITIES = {quantity["name"]: quantity for quantity in DATA["quantities"]}
ULPS = 4  # where a logarithm enters
ABSOLUTE = 1e-15  # where values are weighted, differ by areas with a logarithm, or lie within a tie


def library(quantity: dict, case: dict):
    columns, keywords = DATA["inputs"][case["input"]], case["parameters"]
    weights = {"sample_weight": columns["weight"]} if "weight" in columns else {}
    items = columns["correct"], columns["confidence"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fa.UndefinedMetricWarning)
        warnings.filterwarnings("ignore", "No positive class", UserWarning)
        if quantity["function"] == "VerificationCosts":
            sweep = fa.threshold_sweep(*items, **weights)
            result = getattr(fa.VerificationCosts(**keywords), quantity["field"])(sweep)
        else:
            result = getattr(fa, quantity["function"])(*items, **keywords, **weights)
            if quantity["field"]:
                result = getattr(result, quantity["field"])
    return np.atleast_1d(np.asarray(result, dtype=float))


def in_list(result):
    return result if isinstance(result, list) else [result]


def as_float(value) -> float:
    return np.nan if value is None else float(value["decimal"])


def test_the_file_is_what_the_reference_gives():
    assert vectors.PATH.read_text(encoding="utf-8") == vectors.text()


@pytest.mark.filterwarnings("ignore:max_error_rate is 1:fastarac.QuestionableInputWarning")
@pytest.mark.parametrize("name", QUANTITIES)
def test_the_library_agrees(name):
    quantity = QUANTITIES[name]
    for case in quantity["cases"]:
        result = in_list(case["result"])
        expected = np.array([as_float(value) for value in result])
        rational = all(value is None or "fraction" in value for value in result)
        once = rational and "weight" not in DATA["inputs"][case["input"]]
        once &= not case["parameters"].get("interpolate") and "Costs" not in name
        tolerance = 0.0 if once else ULPS * np.spacing(np.abs(expected)) + ABSOLUTE
        found = library(quantity, case)
        with np.errstate(invalid="ignore"):
            same = (np.abs(found - expected) <= tolerance) | (found == expected)
        same |= np.isnan(found) & np.isnan(expected)
        assert same.all(), (case, found)


def test_definitions_are_there_and_differ():
    definitions = [quantity["definition"] for quantity in QUANTITIES.values()]
    assert all(len(words) > 2 for words in definitions)
    assert len(set(definitions)) == len(definitions)
    numbers = [case["id"] for quantity in QUANTITIES.values() for case in quantity["cases"]]
    assert numbers == list(range(len(numbers)))


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(CHECK), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_checker(tmp_path):
    rows = [
        [case["id"], place, "" if value is None else value["decimal"]]
        for quantity in QUANTITIES.values()
        for case in quantity["cases"]
        for place, value in enumerate(in_list(case["result"]))
    ]
    path = tmp_path / "results.csv"

    def results(changed: list[list]) -> subprocess.CompletedProcess[str]:
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([["id", "place", "value"], *changed])
        return run(path)

    fine = results(rows)
    assert fine.returncode == 0, fine.stdout
    assert fine.stdout == f"{len(rows)} of {len(rows)} values agree\n"
    wrong = results([[*rows[0][:2], "0.5"], *rows[2:]])
    assert wrong.returncode == 1
    assert wrong.stdout.endswith(f"{len(rows) - 2} of {len(rows)} values agree\n")


def test_the_checker_prints_inputs_and_cases():
    inputs = list(csv.DictReader(run("--inputs").stdout.splitlines()))
    assert len(inputs) == sum(len(columns["correct"]) for columns in DATA["inputs"].values())
    cases = list(csv.DictReader(run("--cases").stdout.splitlines()))
    assert cases[0] == {"id": "0", "quantity": "sweep.thresholds", "input": "one", "parameters": "{}"}
    assert "check.py" in run().stdout
