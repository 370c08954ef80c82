"""Plans of policies on the command line: the sentence of the library, and what is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest
from commands import refusal, run

from fastarac import operation
from fastarac._core.text import sentence
from fastarac.operation import pilot_plans


@pytest.mark.slow
@pytest.mark.usefixtures("few_samples")
def test_the_sentence_is_that_of_the_library(tmp_path, monkeypatch):
    monkeypatch.setattr(pilot_plans, "PILOTS", 4)
    rng = np.random.default_rng(0)
    field, confidence = rng.choice(["date", "name"], 2000), rng.random(2000).round(4)
    correct = rng.random(2000) >= np.where(field == "date", 0.05, 0.5) * (1 - confidence)
    page = np.arange(2000) // 4
    rows = zip(field, page, correct.astype(int), confidence, strict=True)
    lines = ["field,page,correct,confidence", *(f"{a},{b},{c},{d}" for a, b, c, d in rows)]
    path = tmp_path / "pilot.csv"
    path.write_text("\n".join(lines) + "\n")
    limit = {"max_error_rate": 0.05, "failure_probability": 0.1, "power": 0.7}
    found = operation.sample_size_for_policy(correct, confidence, by=field, groups=page, **limit)
    options = ("--error-rate", 0.05, "--guarantee", 0.1, "--power", 0.7)
    pilot = ("--pilot", path, "--group", "page", "--by", "field")
    assert run("plan", *options, *pilot).stdout.splitlines()[0] == sentence(found.decision)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--max-risk", 0.01], "--max-risk needs --pilot or --expect"),
        (
            ["--error-rate", 0.1, "--expect", 0.05, "--group", "page"],
            "--group needs --pilot",
        ),
        (
            ["--max-risk", 0.1, "--expect", 0.05, "--group", "page"],
            "--group needs --pilot",
        ),
        (["--error-rate", 0.1, "--expect", 0.05, "--by", "field"], "--by needs --pilot"),
        (
            ["--max-risk", 0.1, "--expect", 0.05, "--by", "a"],
            "--by needs --pilot",
        ),
        (["--error-rate", 0.1, "--expect", 0.05, "--ci", 0.9], "--ci needs --half-width or"),
        (
            ["--half-width", 0.1, "--pilot", "a.csv", "--power", 0.9],
            "--power needs --error-rate or ",
        ),
        (
            ["--max-risk", 0.1, "--expect", 0.05, "--report", "a.html"],
            "--report cannot go with --max-risk",
        ),
    ],
)
def test_refusals(options, message):
    assert message in refusal("plan", *options)


def test_work_is_in_hours_and_people():
    done = run("plan", "--error-rate", 0.01, "--expect", 0.005, "--seconds", 36, "--format", "json")
    figures = json.loads(done.stdout)["plan"]
    assert figures["hours"] == figures["stable"] / 100
    said = " ".join(
        run("plan", "--error-rate", 0.01, "--expect", 0.005, "--seconds", 36).stdout.split()
    )
    assert "2,185 outputs are 21.9 hours of work at 36 seconds an output, or 0.55 people at 40" in said
