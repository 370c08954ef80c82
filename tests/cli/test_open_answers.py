"""Outputs that people left open: refused, or counted as wrong where `--open wrong` says so."""

from __future__ import annotations

import csv
import json
import shutil

import numpy as np
import pytest

import fastarac as fa
from fastarac import io
from fastarac.partial_truth import join_answers, read_verified, sample_outputs, search_outputs
from tests.commands import reason, run

N = 400
OPEN = [5, 17, 300]


def written(path, correct, **columns):
    rows = {"confidence": CONFIDENCE, **columns, "correct": correct}
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(rows)
        writer.writerows(zip(*rows.values(), strict=True))
    return path


CONFIDENCE = np.random.default_rng(0).random(N)
RIGHT = (np.random.default_rng(1).random(N) < CONFIDENCE).astype(int)
ANSWERS = ["" if i in OPEN else str(each) for i, each in enumerate(RIGHT)]
AS_WRONG = [0 if i in OPEN else each for i, each in enumerate(RIGHT)]


@pytest.fixture(scope="module")
def at(tmp_path_factory):
    """A file with open answers, and the same with 0 in their places."""
    folder = tmp_path_factory.mktemp("open")
    written(folder / "part.csv", ANSWERS)
    written(folder / "done.csv", AS_WRONG)
    policy = fa.operation.fit_policy(RIGHT, CONFIDENCE, max_error_rate=0.3)
    policy.save(folder / "policy.json")
    return folder


COMMANDS = {
    "evaluate": ("evaluate", "FILE", "--ci", "none"),
    "compare": ("compare", "FILE", "other.csv"),
    "fit": ("fit", "FILE", "--error-rate", 0.3, "-o", "p.json"),
    "check": ("check", "policy.json", "FILE", "--once"),
    "plan": ("plan", "--pilot", "FILE", "--half-width", 0.02),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_commands(at, tmp_path, monkeypatch, command):
    """Refused with the way out; or as if the answers were "wrong", and it is said how many."""
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "other.csv", AS_WRONG)
    found = []
    for name, options in (("part", ("--open", "wrong")), ("done", ())):
        file = tmp_path / "file.csv"
        file.write_bytes((at / f"{name}.csv").read_bytes())
        policy = shutil.copy(at / "policy.json", tmp_path / f"{name}.json")  # with its own looks
        of_file = {"FILE": file, "policy.json": policy}
        arguments = [of_file.get(each, each) for each in COMMANDS[command]]
        if name == "part":
            assert "--open wrong counts outputs without an answer as wrong" in reason(*arguments)
        printed = run(*arguments, *options, "--format", "json", code=None)
        found.append(json.loads(printed.stdout))
    notes = [note.rstrip(".") for note in found[0]["warnings"] if "have no answer" in note]
    assert notes == [f"3 of 400 outputs in {file} have no answer and count as wrong"]
    figures = [{k: v for k, v in each.items() if k not in {"warnings", "decisions"}} for each in found]
    assert figures[0] == figures[1]


def test_the_next_command_has_the_option(at):
    said = " ".join(run("evaluate", at / "part.csv", "--open", "wrong").stdout.split())
    assert "--open wrong" in said.partition("Next:")[2]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_files(tmp_path, ending):
    path = tmp_path / f"a.{ending}"
    values = [True, None, False, True]
    if ending == "csv":
        path.write_text("confidence,correct\n.9,yes\n.8, \n.7,no\n.6,yes\n")
    elif ending == "jsonl":
        rows = [{"confidence": 0.9 - i / 10, "correct": each} for i, each in enumerate(values)]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        pyarrow = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")
        table = pyarrow.table({"confidence": [0.9, 0.8, 0.7, 0.6], "correct": values})
        parquet.write_table(table, path)
    with pytest.raises(io.DataFileError, match="open='wrong' counts"):
        io.read_outputs(path)
    for read in (
        lambda: io.read_outputs(path, open="wrong"),
        lambda: io.read_models({"a": path}, open="wrong").outputs["a"],
    ):
        with pytest.warns(fa.QuestionableInputWarning, match="1 of 4 outputs in .* counts as wrong"):
            outputs = read()
        assert outputs.correct.tolist() == [True, False, False, True]


def test_bad_input(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("confidence,correct\n.9,\n.8,\n")
    with pytest.raises(io.DataFileError, match="has no answer in any row; expected at least one"):
        io.read_outputs(path, open="wrong")
    with pytest.raises(ValueError, match="open must be one of 'refuse', 'wrong', got 'right'"):
        io.read_outputs(path, open="right")
    path.write_text("confidence,prediction,truth\n.9,a,a\n.8,b,\n")
    with pytest.raises(io.DataFileError, match=r"open='wrong' needs a column of answers, but columns"):
        io.read_outputs(path, open="wrong")
    assert "--open needs --pilot" in reason(
        "plan", "--error-rate", 0.1, "--expect", 0, "--open", "wrong"
    )
    path.write_text("confidence,correct\n.9,1\n.8,maybe\n")
    with pytest.raises(io.DataFileError, match="maybe"):  # not empty, so no open answer
        io.read_outputs(path, open="wrong")


def test_a_cascade(tmp_path):
    """Its file of stages has the option among the columns."""
    written(tmp_path / "part.csv", ANSWERS)
    written(tmp_path / "done.csv", AS_WRONG)
    stages = tmp_path / "stages.toml"
    found = []
    for name, columns in (("part", '[columns]\nopen = "wrong"\n'), ("done", "")):
        models = f'[[stage]]\nname = "engine"\nprice = 0.1\nfile = "{name}.csv"\n'
        people = '[[stage]]\nname = "clerk"\nprice = 2\n'
        if columns:
            stages.write_text(f"max_error_rate = 0.1\n{models}{people}")
            why = reason("cascade", stages)
            assert 'open = "wrong" in [columns] counts outputs without an answer as wrong' in why
        stages.write_text(f"max_error_rate = 0.1\n{columns}{models}{people}")
        found.append(json.loads(run("cascade", stages, "--format", "json").stdout))
    assert any("3 of 400 outputs in" in each for each in found[0]["warnings"])
    assert found[0]["cascade"] == found[1]["cascade"]


def test_a_monitor_waits(at):
    why = reason("monitor", at / "policy.json", at / "part.csv")
    assert "To wait for answers, use --deadline TIME and a column drawn_at" in why
    assert "--open" not in why


def test_samples(tmp_path):
    """Only what was drawn counts as wrong; the joined file has no open answers any more."""
    outputs, drawn = tmp_path / "a.csv", tmp_path / "drawn.csv"
    outputs.write_text("confidence\n" + "".join(f"{each}\n" for each in CONFIDENCE))
    sample = sample_outputs(outputs, drawn, 100)
    head, *lines = drawn.read_text().splitlines()
    answers = ["" if i < 2 else str(i % 3 and 1) for i in range(len(lines))]
    filled = [f"{line}{answer}" for line, answer in zip(lines, answers, strict=True)]
    drawn.write_text("\n".join([head, *filled]) + "\n")
    n = int(sample.selected.sum())

    joined = tmp_path / "joined.csv"
    assert join_answers(outputs, drawn, joined) == (n, n - 2)
    with pytest.raises(io.DataFileError, match="fill in the answer, or open='wrong' counts"):
        read_verified(joined)
    with pytest.warns(fa.QuestionableInputWarning, match=f"2 of {n} outputs in .* count as wrong"):
        truth, _ = read_verified(joined, open="wrong")
    expected = np.full(N, np.nan)
    expected[sample.selected] = [float(answer or 0) for answer in answers]
    np.testing.assert_array_equal(truth.correct, expected)
    columns = "--inclusion-probability", "inclusion_probability"
    assert "or --open wrong counts outputs" in reason("evaluate", joined, *columns)
    said = " ".join(run("evaluate", joined, *columns, "--open", "wrong").stdout.split())
    assert f"2 of {n} outputs in {joined} have no answer and count as wrong" in said

    done = tmp_path / "done.csv"
    printed = run("sample", outputs, "--answers", drawn, "-o", done, "--open", "wrong").stdout
    assert f"2 of {n} outputs in {drawn} have no answer and count as wrong" in " ".join(printed.split())
    np.testing.assert_array_equal(read_verified(done).correct.correct, expected)


def test_a_search(tmp_path):
    """An output that nobody can decide need not stay in every batch."""
    outputs, state, batch = (tmp_path / name for name in ("a.csv", "s.json", "b.csv"))
    outputs.write_text("confidence\n" + "".join(f"{each}\n" for each in CONFIDENCE))
    limit = {"max_error_rate": 0.1, "batch": 10}

    def answer(n_open):
        head, *lines = batch.read_text().splitlines()
        rows = [f"{line}{'' if i < n_open else 1}" for i, line in enumerate(lines)]
        batch.write_text("\n".join([head, *rows]) + "\n")

    search_outputs(outputs, state, batch, **limit)
    with pytest.raises(io.DataFileError, match="has no answer in any row"):
        search_outputs(outputs, state, batch, **limit, open="wrong")
    answer(1)
    assert len(search_outputs(outputs, state, batch, **limit).open) == 10
    answer(1)
    with pytest.warns(fa.QuestionableInputWarning, match="1 of 10 outputs in .* counts as wrong"):
        search = search_outputs(outputs, state, batch, **limit, open="wrong")
    assert (search.n_verified, search.n_errors) == (19, 1)
    answer(2)
    more = "search", outputs, "--error-rate", 0.1, "--batch", 10, "--state", state, "-o", batch
    said = " ".join(run(*more, "--open", "wrong").stdout.split())
    assert f"2 of 10 outputs in {batch} have no answer and count as wrong" in said
