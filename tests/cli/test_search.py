"""`fastarac search`: batches in files, their answers, and whose state it is."""

from __future__ import annotations

import csv

import numpy as np
import pytest

import fastarac as fa
from tests.commands import reason, run


def rows(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def answer(path, correct, *, leave=0):
    found = rows(path)
    for row in found[leave:]:
        row["correct"] = int(correct[int(row["row"]) - 1])
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, found[0])
        writer.writeheader()
        writer.writerows(found[::-1])
    return found


@pytest.fixture
def outputs(tmp_path):
    path = tmp_path / "outputs.csv"
    rng = np.random.default_rng(0)
    confidence = rng.random(400)
    path.write_text("text,confidence\n" + "".join(f'"w, x",{each:.4f}\n' for each in confidence))
    return path, rng.random(400) > 0.5 * (1 - confidence) ** 6


def test_there_and_back(outputs, tmp_path):
    path, correct = outputs
    state, goal = tmp_path / "s.json", tmp_path / "batch.csv"
    command = "search", path, "--error-rate", 0.05, "--state", state, "-o", goal, "--batch", 20
    confidence = np.array([float(row["confidence"]) for row in rows(path)])
    search = fa.partial_truth.AdaptiveThresholdSearch(confidence, max_error_rate=0.05, random_state=0)
    for turn in range(8):
        done = run(*command)
        indices = search.ask(20)
        found = answer(goal, correct)
        assert [int(row["row"]) - 1 for row in found] == sorted(indices)
        assert all(row["text"] == "w, x" for row in found)
        search.tell(indices, correct[indices])
        assert turn == 0 or f"So far {20 * turn} answers" in done.stdout
    done = run(*command)
    assert f">= {search.threshold}: " in done.stdout
    assert search.acceptance_rate > 0.5


def test_open_answers_stay(outputs, tmp_path):
    path, correct = outputs
    state, goal = tmp_path / "s.json", tmp_path / "batch.csv"
    command = "search", path, "--max-risk", 0.05, "--state", state, "-o", goal, "--batch", 20
    run(*command)
    left = [row["row"] for row in answer(goal, correct, leave=3)[:3]]
    run(*command)
    found = [row["row"] for row in rows(goal)]
    assert set(left) <= set(found)
    assert len(found) == 20
    goal.unlink()  # a batch that is lost is written again
    run(*command)
    assert [row["row"] for row in rows(goal)] == found


def test_refusals(outputs, tmp_path):
    path, _ = outputs
    state, goal = tmp_path / "s.json", tmp_path / "batch.csv"
    command = "search", path, "--error-rate", 0.05, "--state", state, "-o", goal
    run(*command)
    before = state.read_bytes()
    other = tmp_path / "other.csv"
    other.write_text(path.read_text().replace("0.", "0.1", 1))
    refused = [
        (("search", other, *command[2:]), "it belongs to other outputs"),
        ((*command[:3], 0.02, *command[4:]), "its max_error_rate is 0.05, but 0.02 is given"),
        ((*command, "--guarantee", 0.1), "its failure_probability is 0.05"),
        ((*command, "--budget", "36/0.12"), "its budget is None, but 300 is given:"),
        (("search", path, "--max-risk", 0.05, *command[4:]), "its criterion is max_error_rate"),
    ]
    found = rows(goal)
    for arguments, problem in refused:
        assert problem in reason(*arguments)
    asked = {row["row"] for row in found}
    found[0]["row"] = next(str(i) for i in range(1, 401) if str(i) not in asked)
    with goal.open("w", newline="") as file:
        writer = csv.DictWriter(file, found[0])
        writer.writeheader()
        writer.writerows(found)
    assert "expected the number of a row in one of the" in reason(*command)
    assert state.read_bytes() == before
