"""Samples of which two people answer a part."""

from __future__ import annotations

import csv

import pytest

from fastarac import partial_truth
from fastarac.partial_truth.double_readings import reader_of_answers


@pytest.fixture
def outputs(tmp_path):
    path = tmp_path / "outputs.csv"
    path.write_text("confidence\n" + "".join(f"{k / 100}\n" for k in range(100)))
    return path


def rows_of(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_share_of_what_is_drawn_is_answered_twice(outputs, tmp_path):
    goal = tmp_path / "drawn.csv"
    sample = partial_truth.sample_outputs(outputs, goal, 40, mix=1.0, double=0.25)
    rows = rows_of(goal)
    drawn = int(sample.selected.sum())
    assert sum(row["double"] == "1" for row in rows) == round(drawn / 4)
    assert {row["second_correct"] for row in rows} == {""}
    again = tmp_path / "again.csv"
    partial_truth.sample_outputs(outputs, again, 40, mix=1.0, double=0.25)
    assert again.read_text() == goal.read_text()


def test_what_both_found_is_counted(tmp_path):
    path = tmp_path / "answers.csv"
    answers = [
        (0, 0, 0.9),
        (0, 1, 0.9),
        (1, 0, 0.2),
        (1, 1, 0.9),
        (0, "", 0.9),
        ("", 0, 0.9),
        (0, 0, 0.1),
    ]
    lines = "".join(f"{first},{second},{c}\n" for first, second, c in answers)
    path.write_text(f"correct,second_correct,confidence\n{lines}")
    assert reader_of_answers(path).double_readings == (2, 1, 1)
    assert reader_of_answers(path, from_confidence=0.5).double_readings == (1, 1, 0)
    path.write_text("correct,confidence\n0,0.5\n")
    assert reader_of_answers(path) is None


def test_double_is_of_a_new_sample(outputs, tmp_path):
    with pytest.raises(ValueError, match="double needs a new sample: leave out answers"):
        partial_truth.sample_outputs(outputs, tmp_path / "b.csv", 40, answers=outputs, double=0.5)
