"""Labels in a file of their own, joined to the outputs by their ids."""

from __future__ import annotations

import numpy as np
import pytest

import fastarac as fa
from fastarac.io import DataFileError
from fastarac.partial_truth import join_answers, read_verified

OUTPUTS = "id,confidence\n" + "".join(f"q{i},0.{i}\n" for i in range(10))


@pytest.fixture
def outputs(tmp_path):
    path = tmp_path / "outputs.csv"
    path.write_text(OUTPUTS)
    return path


def joined(outputs, labels):
    path, goal = outputs.with_name("labels.csv"), outputs.with_name("joined.csv")
    path.write_text(labels)
    return join_answers(outputs, path, goal), goal


def test_a_random_sample(outputs):
    """In any order; all outputs get the probability k/n, and a warning says so."""
    with pytest.warns(
        fa.UnreliableIntervalWarning, match="4 answers count as a random sample of the 10"
    ):
        counts, goal = joined(outputs, "id,correct\nq7,no\nq0,yes\nq9,yes\nq3,no\n")
    assert counts == (4, 4)
    truth, confidence = read_verified(goal)
    assert confidence.tolist() == [i / 10 for i in range(10)]
    assert truth.correct[[0, 3, 7, 9]].tolist() == [1, 0, 0, 1]
    assert np.isnan(truth.correct).sum() == 6
    assert truth.inclusion_probability.tolist() == [0.4] * 10


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ("q0,1\nq1,0\nq0,1\n", 'column "id" must have each id once, got "q0" 2 times'),
        ("q0,1\nx1,0\nx2,0\n", '2 of its ids, such as "x1", are not in .*outputs.csv'),
        ("q0,1\nq1,maybe\n", 'column "correct" holds "maybe"'),
        ("q0,1\n,0\n", 'column "id" is empty'),
    ],
)
def test_refused(outputs, labels, message):
    with pytest.raises(DataFileError, match=message):
        joined(outputs, "id,correct\n" + labels)
    assert not outputs.with_name("joined.csv").exists()


def test_outputs_without_ids(tmp_path):
    path = tmp_path / "outputs.csv"
    path.write_text("confidence\n0.5\n0.6\n")
    with pytest.raises(DataFileError, match="there are no columns"):
        joined(path, "id,correct\na,1\n")
