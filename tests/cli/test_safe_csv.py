"""Cells that a spreadsheet would take for formulas, in the CSV files that commands write."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from commands import run, write

FORMULAS = ["=1+1", "@SUM(A1)", "+cmd|' /C calc'!A0", "-2+3+cmd|' /C calc'!A0", "\t=1", "-a"]
PLAIN = ["-0.5", "+1e-3", "a=1", "", "-", "'quoted", "b\n=c"]
TEXTS = FORMULAS + PLAIN
N = 390


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(0)
    texts = [TEXTS[i % len(TEXTS)] for i in range(N)]
    confidence = (rng.random(N) - 0.5).round(6)
    write(tmp_path / "a.csv", np.ones(N, int).tolist(), confidence.tolist(), text=texts)
    (tmp_path / "new.csv").write_text(
        "text,confidence\n" + "".join(
            '"{}",{}\n'.format(t.replace('"', '""'), c) for t, c in zip(texts, confidence, strict=True)
        )
    )  # fmt: skip
    run("fit", tmp_path / "a.csv", "--error-rate", "0.1", "-o", tmp_path / "policy.json")
    return tmp_path


def texts_in(path):
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t" if path.suffix == ".tsv" else ","))
    return [row["text"] for row in rows], [row["confidence"] for row in rows]


@pytest.mark.parametrize("ending", [".csv", ".tsv"])
@pytest.mark.parametrize("command", ["apply", "sample", "search"])
def test_formulas_get_an_apostrophe_where_that_is_asked_for(files, command, ending):
    goal = files / f"out{ending}"
    words = {
        "apply": ("apply", files / "policy.json", files / "new.csv", "--review", files / "r.csv"),
        "sample": ("sample", files / "new.csv", "--budget", str(N)),
        "search": ("search", files / "new.csv", "--error-rate", "0.1", "--batch", str(N),
                   "--state", files / "s.json"),
    }[command]  # fmt: skip
    run(*words, "-o", goal)
    as_read, confidence = texts_in(goal)
    assert set(as_read) == set(TEXTS)
    (files / "s.json").unlink(missing_ok=True)
    goal.unlink()
    run("--safe-csv", *words, "-o", goal)
    safe, same = texts_in(goal)
    assert safe == [f"'{text}" if text in FORMULAS else text for text in as_read]
    assert same == confidence


def test_names_of_models_too(files):
    (files / "a.csv").rename(files / "=a.csv")
    for words, name in ((("--safe-csv",), "'=a"), ((), "=a")):
        printed = run(*words, "evaluate", files / "=a.csv", "--format", "csv").stdout
        assert next(iter(csv.DictReader(printed.splitlines())))["model"] == name
