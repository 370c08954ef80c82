"""``fastarac evaluate --max-memory``: files larger than memory, whose figures become bounds."""

from __future__ import annotations

import csv
import io
import re

import commands
import duckdb
import numpy as np
import pytest
from commands import GOOD, reason
from commands import detailed as run

import fastarac as fa


@pytest.fixture
def good(tmp_path):
    path = tmp_path / "good.csv"
    path.write_text(GOOD)
    return path


@pytest.fixture
def large(tmp_path):
    """More outputs than the sketch keeps one by one, and what they are."""
    rng = np.random.default_rng(11)
    n = 150_000
    confidence = rng.random(n)
    correct = rng.random(n) < 0.5 + confidence / 2
    path = tmp_path / "large.parquet"
    with duckdb.connect() as connection:
        table = "SELECT unnest(?::DOUBLE[]) AS confidence, unnest(?::BOOLEAN[]) AS correct"
        connection.execute(f"COPY ({table}) TO '{path}'", [confidence.tolist(), correct.tolist()])
    return path, correct, confidence


def test_few_outputs_are_exact(good):
    text = run("evaluate", good, "--max-memory", "64MB").stdout
    assert "At most 1% errors: accept 40.0% at confidence >= 0.8." in text
    assert "between" not in text.partition("\ngood\n")[2].partition("5 outputs")[0]
    assert re.search(r"^ROC-AUC +0\.833333, exact$", text, re.MULTILINE)
    assert "5 outputs were counted in a stream" in text
    (figures,) = commands.records(
        run("evaluate", good, "--max-memory", "1GB", "--format", "json").stdout
    )
    exact = fa.evaluate([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2]).to_dict()
    assert figures["model"] == "good"
    for name in ("arac_auc", "arp_auc", "roc_auc", "aurc", "augrc", "average_precision"):
        assert figures[f"{name}_low"] == figures[f"{name}_high"] == exact[name]


@pytest.mark.slow
def test_the_ends_contain_the_figures_of_all_outputs(large):
    path, correct, confidence = large
    (figures,) = commands.records(
        run("evaluate", path, "--max-memory", "64MB", "--error-rate", 0.02, "--format", "json").stdout
    )
    exact = fa.evaluate(correct, confidence, max_error_rate=0.02).to_dict()
    assert figures["n"] == len(correct)
    for name in ("arac_auc", "arp_auc", "roc_auc", "aurc", "augrc", "average_precision"):
        assert figures[f"{name}_low"] < exact[name] < figures[f"{name}_high"], name
    assert figures["roc_auc_high"] - figures["roc_auc_low"] < 1e-3
    assert figures["error_rate_high/0.02"] <= 0.02
    most = figures["acceptance_rate_low/0.02"] + figures["acceptance_lost/0.02"]
    assert figures["acceptance_rate_low/0.02"] <= exact["acceptance_rate/0.02"] <= most + 1e-12
    text = run("evaluate", path, "--max-memory", "64MB").stdout
    assert "between 0." in text
    assert "150,000 outputs were counted in a stream" in text


def test_several_files_and_other_formats(good, tmp_path):
    other = tmp_path / "other.tsv"
    other.write_text("prediction\ttruth\tconfidence\na\ta\t3\nb\tc\t1\n")
    text = run("evaluate", good, other, "--max-memory", "100 MB").stdout
    assert text.index("\ngood\n") < text.index("\nother\n")
    rows = list(csv.DictReader(io.StringIO(run(
        "evaluate", good, other, "--max-memory", "64MiB", "--format", "csv"
    ).stdout)))  # fmt: skip
    assert [row["n"] for row in rows] == ["5", "2"]
    assert rows[1]["roc_auc_low"] == "1.0"
    text = run("evaluate", good, other, "--max-memory", "64MB", "--format", "markdown").stdout
    assert "| good | 5 | **60.0%** |" in text
    assert "**other**\n\n| figure" in text
    assert "| ROC-AUC | 1, exact |" in text


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("correct,confidence\n1,0.5\n0,x\n", 'row 2 (line 3): column "confidence" holds "x"'),
        ("correct,confidence\n1,0.5\n,0.5\n", 'row 2 (line 3): column "correct" is empty'),
        ("correct,confidence\n", "there are no rows"),
        ("correct,score\n1,1\n", 'there is no column "confidence"'),
        ("correct,confidence\n1,9007199254740993\n", "expected numbers below 2**53"),
        ("correct,confidence\n1,1,1\n", "row 1 (line 2)"),
    ],
)
def test_bad_files_are_refused(tmp_path, content, problem):
    path = tmp_path / "bad.csv"
    path.write_text(content)
    assert problem in reason("evaluate", path, "--max-memory", "64MB")


def test_a_bad_row_behind_the_first_batch_has_its_number(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("correct,confidence\n" + "1,0.5\n" * 70_000 + "2,0.5\n")
    said = reason("evaluate", path, "--max-memory", "64MB")
    assert 'row 70001 (line 70002): column "correct" holds "2"' in said


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--max-memory", "much"), "--max-memory must be a size such as 500MB or 2GB, got 'much'"),
        (("--max-memory", "1TB2"), "a size such as"),
        (("--max-memory", "1MB"), "must be at least 64MB"),
        (("--max-memory", "1GB", "--ci", "0.9"), "--max-memory cannot go with --ci: leave out one"),
        (("--max-memory", "1GB", "--by", "x"), "--max-memory cannot go with --by: leave out one"),
        (
            ("--max-memory", "1GB", "--plot", "x.png"),
            "--max-memory cannot go with --plot",
        ),
    ],
)
def test_wrong_options_are_refused(good, options, problem):
    assert problem in reason("evaluate", good, *options)
