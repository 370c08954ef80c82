"""Plans of policies on the command line: the sentence of the library, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from commands import refusal, run

from fastarac import operation
from fastarac._core.text import sentence


@pytest.mark.slow
def test_the_sentence_is_that_of_the_library(tmp_path):
    rng = np.random.default_rng(0)
    field, confidence = rng.choice(["date", "name"], 2000), rng.random(2000).round(4)
    correct = rng.random(2000) >= np.where(field == "date", 0.05, 0.5) * (1 - confidence)
    page = np.arange(2000) // 4
    rows = zip(field, page, correct.astype(int), confidence, strict=True)
    lines = ["field,page,correct,confidence", *(f"{a},{b},{c},{d}" for a, b, c, d in rows)]
    path = tmp_path / "pilot.csv"
    path.write_text("\n".join(lines) + "\n")
    limit = {"max_error_rate": 0.05, "method": "gamma", "failure_probability": 0.1, "power": 0.7}
    found = operation.sample_size_for_policy(
        correct, confidence, by=field, groups=page, accept=0.3, **limit
    )
    options = ("--error-rate", 0.05, "--approximate", "--guarantee", 0.1, "--power", 0.7)
    pilot = ("--pilot", path, "--group", "page", "--by", "field", "--accept", 0.3)
    assert run("plan", *options, *pilot).stdout.splitlines()[0] == sentence(found.decision)
    found = operation.sample_size_for_policy(
        expected_error_rate=0.01, icc=0.2, group_sizes=[2, 4], **limit
    )
    model = ("--expect", 0.01, "--icc", 0.2, "--group-sizes", "2,4")
    assert run("plan", *options, *model).stdout.splitlines()[0] == sentence(found.decision)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--max-risk", 0.01], "--max-risk is given without --pilot or --expect;"),
        (
            ["--error-rate", 0.1, "--expect", 0.05, "--group", "page"],
            "--group is given without --pilot;",
        ),
        (
            ["--max-risk", 0.1, "--expect", 0.05, "--group", "page"],
            "--group is given without --pilot;",
        ),
        (["--error-rate", 0.1, "--expect", 0.05, "--by", "field"], "--by is given without --pilot;"),
        (
            ["--max-risk", 0.1, "--expect", 0.05, "--by", "a"],
            "--by is given without --pilot;",
        ),
        (
            ["--max-risk", 0.1, "--expect", 0.05, "--accept", 0.5],
            "--accept is given without --pilot;",
        ),
        (["--error-rate", 0.1, "--audit", 0.2, "--icc", 0.5], "--icc is given without --expect;"),
        (
            ["--max-risk", 0.1, "--expect", 0.05, "--icc", 0.5],
            "but --group-sizes has no group of two",
        ),
        (["--error-rate", 0.1, "--expect", 0.05, "--ci", 0.9], "--ci is given without --half-width or"),
        (
            ["--half-width", 0.1, "--pilot", "a.csv", "--power", 0.9],
            "--power is given without --error-rate or ",
        ),
        (
            ["--error-rate", 0.1, "--expect", 0.05, "--design-effect", 2],
            "--design-effect is given without --audit",
        ),
        (
            ["--max-risk", 0.1, "--expect", 0.05, "--plot", "a.png"],
            "--plot is given beside --max-risk;",
        ),
    ],
)
def test_refusals(options, message):
    assert message in refusal("plan", *options)


def test_sizes_that_are_no_numbers():
    options = ("--error-rate", 0.1, "--expect", 0.05, "--group-sizes", "5,x")
    said = run("plan", *options, code=2).stderr
    assert "'5,x' is no list of whole numbers between commas" in said
