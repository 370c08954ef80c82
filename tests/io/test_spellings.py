"""Every way of reading a file takes the same spellings of numbers and labels, and refuses the same."""

from __future__ import annotations

import re

import numpy as np
import pytest
from files import WRITERS, refusal, write_delimited, write_text

import fastarac as fa
from fastarac.io import DataFileError, read_models, read_outputs, sketch_outputs
from fastarac.ocr.mapping import WordColumns, read_table

RIGHT = [True, False, True, True]
NUMBERS = {
    "plain": ["0.76", "0.125", "1", "0.001"],
    "percent": ["76%", "12.5 %", "100\N{NO-BREAK SPACE}%", " 0.1%"],
    "percent with comma": ["76%", "12,5%", "100,0%", "0,1%"],
    "comma": ["0,76", ",125", "1", "1,0e-3"],
}
LABELS = {
    "plain": ("1", "0"),
    "floats": ("1.0", "0"),
    "true": ("TRUE", "False"),
    "yes": ("yes", "NO"),
    "right": (" right", "wrong"),
    "correct": ("Correct", "Incorrect"),
    "ok": ("OK", "error"),
}
SPELLINGS = [
    *((numbers, "plain") for numbers in NUMBERS),
    *(("percent", labels) for labels in LABELS),
]


def columns(numbers="plain", labels="plain", **others):
    confidence = NUMBERS[numbers] if isinstance(numbers, str) else numbers
    if isinstance(labels, str):
        labels = [LABELS[labels][not each] for each in RIGHT]
    n = len(confidence)
    return {
        "id": [f"i{k}" for k in range(n)],
        "document": [f"d{k}" for k in range(n)],
        "field": ["total"] * n,
        "prediction": ["a"] * n,
        "truth": ["a"] * n,
        "correct": labels,
        "confidence": confidence,
        "inclusion_probability": ["1"] * n,
        "audit_probability": ["1"] * n,
        "accepted": ["1"] * n,
        "audited": ["1"] * n,
    } | others


def of_outputs(path):
    found = read_outputs(path, correct="correct")
    return found.correct.tolist(), found.confidence.tolist()


def of_models(path):
    found = read_models({"a": path}, correct="correct").outputs["a"]
    return found.correct.tolist(), found.confidence.tolist()


def of_stream(path):
    return sketch_outputs(path, correct="correct").to_bytes()


def of_part(path):
    found = fa.partial_truth.read_verified(path)
    return found.correct.correct.tolist(), found.confidence.tolist()


def of_audits(path):
    found = fa.operation.read_audits(path, threshold=0.0005)
    return found.correct.tolist(), found.confidence.tolist()


def of_policy(path):
    policy = fa.operation.fit_policy([1] * 400, np.linspace(0.1, 1.0, 400), max_error_rate=0.01)
    goals = {name: path.with_name(f"{name}.csv") for name in ("accepted", "review")}
    fa.operation.apply_policy(policy, path, **goals)
    return [re.findall("^i.", goal.read_text(), re.MULTILINE) for goal in goals.values()]


def of_fields(path):
    return fa.ocr.read_fields(path).confidence.tolist()


def of_words(path):
    found = read_table(path, WordColumns(text="prediction", confidence="confidence", page="document"))
    return [float(word.confidence[0]) for word in found.values()]


WAYS = [of_outputs, of_models, of_stream, of_part, of_audits]
WAYS_OF_NUMBERS = [*WAYS, of_policy, of_fields, of_words]


@pytest.mark.parametrize("name", ["f.csv", "semicolon.csv", "f.tsv", "f.jsonl", "f.parquet"])
def test_every_format(tmp_path, name):
    path = tmp_path / name
    for numbers, labels in SPELLINGS:
        found = of_outputs(WRITERS[name](path, columns(numbers, labels)))
        assert found == (RIGHT, [0.76, 0.125, 1.0, 0.001])


@pytest.mark.parametrize("way", WAYS_OF_NUMBERS)
def test_every_way(tmp_path, way):
    path = tmp_path / "f.csv"
    expected = way(write_delimited(path, columns(), ";"))
    for numbers, labels in SPELLINGS:
        assert way(write_delimited(path, columns(numbers, labels), ";")) == expected


@pytest.mark.parametrize(
    ("written", "row", "like"),
    [
        (["76%", "0.5"], 2, "76%"),
        (["1", "76%"], 1, "76%"),
        (["0.5", "76%"], 2, "0.5"),
        (["0,5", "1.234"], 2, "0,5"),
        (["1", "0.5", "0,5"], 3, "0.5"),
        (["76%", "7,5%", "7.5%"], 3, "7,5%"),
        (["76%", "7_6%"], 2, None),
    ],
)
@pytest.mark.parametrize("way", WAYS_OF_NUMBERS)
def test_numbers_of_two_kinds_are_refused(tmp_path, way, written, row, like):
    path = write_delimited(tmp_path / "f.csv", columns(written, ["1"] * len(written)), ";")
    with pytest.raises(ValueError, match=rf"(row {row}|line {row + 1})\b.*finite number") as caught:
        way(path)
    assert like is None or f'written like "{like}" elsewhere in the column' in str(caught.value)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (["yes", "0"], "yes or no, as elsewhere in the column"),
        (["true", "error"], "true or false, or 1 or 0, as elsewhere"),
        (["ok", "wrong"], "ok or error, as elsewhere"),
        (["right", "maybe"], "right or wrong, as elsewhere"),
    ],
)
@pytest.mark.parametrize("way", WAYS)
def test_labels_of_two_kinds_are_refused(tmp_path, way, written, expected):
    path = write_delimited(tmp_path / "f.csv", columns(["1"] * 2, written))
    with pytest.raises(DataFileError, match="row 2 ") as caught:
        way(path)
    assert expected in str(caught.value)


@pytest.mark.parametrize("name", ["f.csv", "f.parquet"])
@pytest.mark.parametrize("way", [of_outputs, of_models, of_stream])
def test_answers_that_are_missing_look_partly_verified(tmp_path, way, name):
    some, none = ["1", None, "0", None], [None] * 4
    for labels, counted in ((some, "row 2"), (none, "row 1")):
        answers = [each or "" for each in labels] if name == "f.csv" else labels
        with pytest.raises(DataFileError, match=counted) as caught:
            way(WRITERS[name](tmp_path / name, columns(labels=answers)))
        told = "2 of 4 rows" in str(caught.value)
        assert told == ("read_verified(inclusion_probability=COLUMN)" in str(caught.value))
        assert told == (counted == "row 2")


def test_all_missing_columns_are_named(tmp_path):
    path = write_text(tmp_path / "f.csv", "score,label\n1,1\n")
    found = str(refusal(path, confidence="scor", correct="right", by="page"))
    assert 'no columns "scor" (did you mean "score"?), "right" and "page"; the columns are' in found
    found = str(refusal(path, weight="w"))
    assert 'neither a column "correct" nor' in found
    assert 'no columns "confidence" and "w"; the columns are "score", "label"' in found
    with pytest.raises(DataFileError, match='no columns "confidence" and "inclusion_probability";'):
        fa.partial_truth.read_verified(path, correct="label")
