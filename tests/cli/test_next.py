"""The next command: run as printed, one leads to the other, up to the policy."""

from __future__ import annotations

import shlex
from pathlib import Path

import numpy as np
import pytest

import fastarac as fa
from tests.commands import reason, run, write
from tests.files import write_delimited

PLACEHOLDER = "new.csv"


def next_of(printed: str) -> list[str]:
    """Return the arguments of the next command; none where there is none."""
    lines = [line for line in printed.splitlines() if line.startswith("Next: ")]
    return shlex.split(lines[0])[2:] if lines else []


def commands_from(*arguments: object) -> list[list[str]]:
    """Run a command and those that follow, and return them, up to one about files to come."""
    done = [[*map(str, arguments)]]
    while (following := next_of(run(*done[-1], code=None).stdout)) and PLACEHOLDER not in following:
        assert following not in done  # no circle
        done.append(following)
    return done


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    confidence = rng.random(800)
    correct = (rng.random(800) < 0.6 + 0.5 * confidence).astype(int)
    names = [f"i{place}" for place in range(800)]
    for name, noise in (("old", 0.3), ("new_one", 0.05)):
        write(tmp_path / f"{name}.csv", correct, confidence + noise * rng.random(800), id=names)
    return "old.csv", "new_one.csv"


@pytest.fixture
def outputs(files):
    confidence = np.linspace(0.4, 1, 200)
    write_delimited(Path("outputs.csv"), {"confidence": confidence})
    return "outputs.csv"


def test_from_models_to_the_policy_of_the_best(files):
    done = commands_from("evaluate", *files, "--error-rate", 0.05)
    assert [name for name, *_ in done] == ["evaluate", "compare", "evaluate", "fit"]
    assert done[-1][1:4] == [*files, "--choose"]  # the best of two, with one failure probability
    assert done[-1][-2:] == ["-o", "policy.json"]


@pytest.mark.parametrize("guarantee", [0.05, 0.1])
def test_a_policy_promises_what_was_asked_for(files, guarantee):
    done = commands_from("evaluate", files[0], "--error-rate", 0.1, "--guarantee", guarantee)
    assert done[-1][0] == "fit"
    assert ("--guarantee" in done[-1]) == (guarantee != 0.05)


def test_an_id_is_no_column_of_evaluate(files):
    done = commands_from("compare", *files, "--id", "id")
    assert [name for name, *_ in done][:2] == ["compare", "evaluate"]


def test_none_beside_a_table_of_many_models(files, tmp_path):
    many = [tmp_path / f"copy{number}.csv" for number in range(13)]
    for each in many:
        each.write_bytes((tmp_path / files[0]).read_bytes())
    assert next_of(run("evaluate", *many).stdout) == []


def test_what_nobody_has_answered_is_not_evaluated(outputs):
    run("sample", outputs, "--budget", 20, "-o", "to_verify.csv")
    done = run("sample", outputs, "--answers", "to_verify.csv", "-o", "verified.csv")
    assert next_of(done.stdout) == []


def test_the_answers_are_evaluated_with_the_confidence_of_the_outputs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    score = np.linspace(0.4, 1, 200)
    write_delimited(Path("outputs.csv"), {"id": np.arange(200), "score": score})
    named = "--confidence", "score"
    first = next_of(run("sample", "outputs.csv", *named, "--budget", 100, "-o", "drawn.csv").stdout)
    drawn = Path("drawn.csv").read_text(encoding="utf-8").splitlines()
    answered = [drawn[0], *(f"{row}{k % 5 > 0:d}" for k, row in enumerate(drawn[1:]))]
    assert drawn[0].endswith(",correct")
    Path("drawn.csv").write_text("\n".join(answered), encoding="utf-8")
    following = next_of(run(*first).stdout)
    assert following[:2] == ["evaluate", "verified.csv"]
    assert "of 200 outputs are verified" in run(*following).stdout


def test_a_log_without_any_answer_is_refused(outputs):
    policy = fa.operation.fit_policy([1] * 400, np.linspace(0.5, 1, 400), max_error_rate=0.2)
    policy.save("policy.json")
    run("sample", outputs, "--audit", "policy.json", "--budget", 20, "-o", "log.csv")
    assert "has a result; fill in" in reason("check", "policy.json", "log.csv", "--log")


def test_no_guarantee_where_it_is_refused(files):
    limit = "--error-rate", 0.1
    assert "--guarantee" in run("evaluate", files[0], *limit).stdout
    for options in (("--weight", "confidence", *limit), ("--max-memory", "500MB", *limit)):
        assert "--guarantee" not in run("evaluate", files[0], *options).stdout
    grouped = "--group", "id", "--max-risk", 0.1
    assert next_of(run("evaluate", files[0], *grouped).stdout) == []


@pytest.mark.parametrize(("pages", "expected"), [((), "-o"), (("--group", "none"), "--guarantee")])
def test_a_risk_of_pages_is_not_guaranteed(pages, expected):
    sample = Path(fa.__file__).parent / "ocr" / "sample"
    done = run("ocr", sample / "truth", sample / "plain", "--max-risk", 0.05, "--ci", "none", *pages)
    assert next_of(done.stdout)[-2] == expected


def test_a_command_is_copied_whole_however_it_is_printed(files):
    name = "a file with a long name, of some weeks in autumn and of some others in winter.csv"
    Path(files[0]).rename(name)
    wide = next_of(run("evaluate", name, "--error-rate", 0.1).stdout)
    assert name in wide
    for options in ((), ("--format", "markdown")):
        done = run("evaluate", name, "--error-rate", 0.1, *options, env={"COLUMNS": "80"}).stdout
        copied = done[done.index("Next: ") :].replace("\\\n", "")  # as a shell joins lines
        assert shlex.split(copied)[2:] == wide


@pytest.mark.usefixtures("few_samples")
def test_too_few_pages_lead_to_a_plan_in_pages_and_to_no_guarantee(files):
    for name in files:
        table = Path(name).read_text().splitlines()
        rows = [f"{row},{k // 20}" for k, row in enumerate(table[1:])]
        Path(name).write_text("\n".join([f"{table[0]},page", *rows]) + "\n")
    pages = "--group", "page"
    assert next_of(run("compare", *files, *pages).stdout) == []
    limit = "--error-rate", 0.05  # a plan for 1% takes five times as long
    planned = next_of(run("evaluate", *files, *pages, *limit, "--guarantee", 0.05).stdout)
    assert planned[0] == "plan"
    assert planned[-2:] == list(pages)
    assert run(*planned).stdout
