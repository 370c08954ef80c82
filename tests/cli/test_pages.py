"""Outputs of pages, as ``fastarac ocr -o`` writes them: every command takes the pages as groups."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from commands import detailed as run
from commands import refusal

N_PAGES, WORDS = 40, 50
NOTE = 'ages in column "page" are groups'


def write(path, seed, scale=100.0, models=("B",)):
    """Words of pages, a tenth of which are bad, whose errors have no lower confidence there."""
    rng = np.random.default_rng(seed)
    lines = ["model,id,page,kind,truth,prediction,correct,confidence"]
    bad = rng.random(N_PAGES) < 0.1
    for model in models:
        for page in range(N_PAGES):
            confidence = rng.random(WORDS).round(4)
            correct = rng.random(WORDS) >= np.where(bad[page], 0.3, 0.05 * (1.0 - confidence))
            for word in range(WORDS):
                value = f"{scale * confidence[word]:.4f}"
                lines.append(
                    f"{model},p{page}.{word},p{page},word,a,{'ba'[int(correct[word])]},"
                    f"{correct[word]:d},{value}"
                )
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def words(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    write(folder / "fitted.csv", 0)
    write(folder / "new.csv", 1)
    write(folder / "both.csv", 2, models=("A", "B"))
    write(folder / "small.csv", 3, scale=1.0)
    fit = "fit", folder / "fitted.csv", "--error-rate", 0.08, "--group", "none"
    run(*fit, "-o", folder / "p.json")
    return folder


@pytest.mark.parametrize(
    "command",
    [
        ("evaluate", "new.csv", "--error-rate", 0.05, "--guarantee", 0.05),
        ("compare", "both.csv", "--model", "model", "--id", "id"),
    ],
)
def test_an_id_leaves_the_pages(words, command):
    name, file, *options = command

    def printed(*more):
        text = run(name, words / file, *options, *more).stdout
        return NOTE[1:] in text, text.partition("\nAll ")[2]

    noted, figures = printed()
    assert noted
    assert printed("--group", "page") == (False, figures)
    noted, alone = printed("--group", "none")
    assert not noted
    assert alone != figures


@pytest.mark.usefixtures("few_samples")
def test_a_check_and_a_plan_take_pages(words):
    check = "check", words / "p.json", words / "new.csv"
    found = run(*check, code=None)
    assert NOTE[1:] in found.stdout
    by_page = run(*check, "--group", "page", code=None)
    assert found.stdout.splitlines()[0] == by_page.stdout.splitlines()[0]
    own = shutil.copy(check[1], words / "own.json")  # with its own looks
    alone = run("check", own, *check[2:], "--group", "none", code=None)
    assert NOTE[1:] not in alone.output
    assert found.stdout.splitlines()[0] != alone.stdout.splitlines()[0]
    plan = "plan", "--error-rate", 0.2, "--pilot", words / "fitted.csv"
    found = run(*plan)
    assert NOTE[1:] in found.stdout
    assert "groups (about" in found.stdout
    assert "groups (about" not in run(*plan, "--group", "none").stdout


def test_a_plan_of_an_interval_says_what_it_rests_on(tmp_path):
    pilot = tmp_path / "pilot.csv"
    lines = (write(pilot, 4)).read_text().splitlines()
    pilot.write_text("\n".join(lines[: 1 + 12 * WORDS]) + "\n")
    found = run("plan", "--half-width", 0.01, "--pilot", pilot)
    assert "here are 12 groups" in found.output
    assert "Warning" not in found.output


def test_a_check_is_of_one_model_and_of_one_scale(words):
    check = "check", words / "p.json"
    message = refusal(*check, words / "both.csv")
    assert 'column "model" holds "A" and "B"' in message
    assert "--only NAME takes one" in message
    own = shutil.copy(check[1], words / "A.json")
    one = run(
        "check",
        own,
        words / "both.csv",
        "--only",
        "A",
        "--format",
        "json",
        code=None,
    )
    assert f'"n_items": {N_PAGES * WORDS:,}'.replace(",", "") in one.stdout
    message = refusal("check", own, words / "small.csv")
    assert "had another outcome in an earlier look" in message
    assert "--log cannot go with --only" in refusal(*check, words / "new.csv", "--log", "--only", "A")


def test_a_smaller_scale_is_refused_where_it_lies_in_the_range_of_the_policy(words, tmp_path):
    """Confidences from 0 to 1 are within those from 0 to 100, but below nearly all of them."""
    goals = "-o", tmp_path / "a.csv", "--review", tmp_path / "r.csv"
    message = refusal("apply", words / "p.json", words / "small.csv", *goals)
    assert "the confidences run from 0.0002 to 0.9998," in message
    assert not (tmp_path / "a.csv").exists()
    run("apply", words / "p.json", words / "new.csv", *goals)


def test_rows_that_repeat_are_pointed_out(tmp_path):
    rows = [f"{i},{i % 10 > 0:d},{i / 100}" for i in range(100)]
    once, twice, shared = (tmp_path / f"{name}.csv" for name in ("once", "twice", "shared"))
    once.write_text("\n".join(["id,correct,confidence", *rows]) + "\n")
    twice.write_text("\n".join(["id,correct,confidence", *rows, *rows]) + "\n")
    of_models = [f"{name},{row}" for name in "AB" for row in rows]
    shared.write_text("\n".join(["model,id,correct,confidence", *of_models]) + "\n")
    note = 'olumn "id" has 100 values in 200 rows'
    fit = "--error-rate", 0.2, "-o", tmp_path / "p.json"
    assert note in run("fit", twice, *fit).stdout
    assert note not in run("fit", twice, *fit, "--group", "id").output
    assert note not in run("fit", once, *fit).output
    csv = "--ci", 0.95, "--format", "csv"
    assert note in run("evaluate", twice, *csv).stderr
    assert note not in run("evaluate", shared, "--model", "model", *csv).stderr


def test_a_risk_is_not_guaranteed_by_page(words):
    risk = "evaluate", words / "fitted.csv", "--max-risk", 0.2, "--guarantee", 0.05
    assert "--group none to treat" in refusal(*risk)
    assert run(*risk, "--group", "none").stdout
