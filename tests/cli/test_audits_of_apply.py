"""What `fastarac apply` wrote, audited: both files become one log, and its check is of all outputs."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

import fastarac as fa
from fastarac.partial_truth import sample_outputs
from tests.commands import reason, run

N = 3000


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A policy, and a file of outputs that it divides; their truth is beside it."""
    folder = tmp_path_factory.mktemp("applied")
    rng = np.random.default_rng(1)
    old, new = rng.random(4000).round(4), rng.random(N).round(4)
    policy = fa.operation.fit_policy(rng.random(4000) >= 0.3 * (1 - old), old, max_error_rate=0.05)
    policy.save(folder / "policy.json")
    np.save(folder / "truth.npy", rng.random(N) >= 0.3 * (1 - new))
    lines = [f"{i},{value}" for i, value in enumerate(new)]
    (folder / "today.csv").write_text("\n".join(["id,confidence", *lines]) + "\n")
    divide(folder, "today.csv", "csv")
    return folder


def divide(folder, path, ending):
    goals = folder / f"accepted.{ending}", folder / f"review.{ending}"
    run("apply", folder / "policy.json", folder / path, "-o", goals[0], "--review", goals[1])
    return goals


def answer(path, goal, truth):
    """Fill in what was drawn; the truth of every other output stays unknown."""
    with path.open(newline="") as file:
        found = list(csv.DictReader(file))
    with goal.open("w", newline="") as file:
        writer = csv.DictWriter(file, found[0])
        writer.writeheader()
        for row in found:
            right = int(truth[int(row["id"])]) if row.get("drawn", "1") == "1" else ""
            writer.writerow(row | {"correct": right})
    return found


def test_both_files_are_a_log_of_all(folder, tmp_path):
    truth = np.load(folder / "truth.npy")
    log, done = tmp_path / "log.csv", tmp_path / "done.csv"
    parts = folder / "accepted.csv", folder / "review.csv"
    policy = folder / "policy.json"
    run("sample", *parts, "--audit", policy, "--budget", 400, "-o", log)
    found = answer(log, done, truth)
    assert sorted(int(row["id"]) for row in found) == list(range(N))
    audits = [row for row in found if row["drawn"] == "1"]
    errors = sum(1 / float(row["audit_probability"]) for row in audits if not truth[int(row["id"])])
    checked = run("check", policy, done, "--log", "--format", "json", code=None)
    check = json.loads(checked.stdout)["check"]
    assert check["n_items"] == N
    assert check["audited"] == len(audits)
    assert check["rate"] == pytest.approx(errors / N, rel=1e-12)
    assert check["shift_pvalue"] > 0.05
    assert checked.stderr == ""


def test_one_of_the_files_alone_is_warned_of(folder, tmp_path):
    truth, log = np.load(folder / "truth.npy"), tmp_path / "log.csv"
    policy = folder / "policy.json"
    drawn = run("sample", folder / "accepted.csv", "--audit", policy, "--budget", 400, "-o", log)
    answer(log, tmp_path / "done.csv", truth)
    checked = run("check", policy, tmp_path / "done.csv", "--log", code=None)
    for done in (drawn, checked):
        assert done.output.count("dd the outputs that it rejected") == 1


def test_what_the_truth_of_rejected_outputs_is_does_not_matter(folder):
    rng = np.random.default_rng(2)
    policy = fa.operation.Policy.load(folder / "policy.json")
    confidence, right = rng.random(N), rng.random(N) < 0.9
    accepted = policy.apply(confidence)
    drawn = accepted & (rng.random(N) < 0.2)
    told = {"audit_probability": 0.2, "drawn": drawn}
    known = policy.check(np.where(drawn | ~accepted, right, np.nan), confidence, **told)
    open_ones = policy.check(np.where(drawn, right, np.nan), confidence, **told)
    assert str(known) == str(open_ones)


def watched(policy, path, *state):
    done = run("monitor", policy, path, *state, "--format", "json")
    return json.loads(done.stdout)["monitor"]["policies"]


def test_monitors_take_a_log_and_refuse_what_is_no_plain_sample(folder, tmp_path):
    truth, policy = np.load(folder / "truth.npy"), folder / "policy.json"
    parts = folder / "accepted.csv", folder / "review.csv"
    drawn, done = tmp_path / "drawn.csv", tmp_path / "done.csv"
    run("sample", *parts, "--budget", 300, "--mix", 0.5, "-o", drawn)
    answer(drawn, done, truth)
    assert "use a uniform sample, as fastarac sample --for guarantee-new draws it" in reason(
        "monitor", policy, done
    )
    drawn.unlink()
    run("sample", *parts, "--budget", 300, "--for", "guarantee-new", "-o", drawn)
    found = answer(drawn, done, truth)
    assert f" of {len(found)} audits " in run("monitor", policy, done).stdout
    drawn.unlink()
    run("sample", *parts, "--audit", policy, "--budget", 300, "-o", drawn)
    found = answer(drawn, done, truth)
    state = "--state", tmp_path / "state.json"
    (all_open,) = watched(policy, drawn)
    half = tmp_path / "half.csv"
    lines = done.read_text().splitlines(keepends=True)
    is_drawn = [i for i, row in enumerate(found, 1) if row["drawn"] == "1"]
    for i in is_drawn[::2]:  # these answers are still to come
        lines[i] = lines[i][: lines[i].rindex(",") + 1] + "\n"
    half.write_text("".join(lines))
    (some,), (later,), (whole,) = (
        watched(policy, path, *of) for path, of in ((half, state), (done, state), (done, ()))
    )
    n = len(is_drawn)
    share = n / sum(row["accepted"] == "1" for row in found)
    assert whole["audited"] == pytest.approx(N * share, rel=0.15)  # as many of the rejected ones
    assert all_open["audited"] == some["audited"] == later["audited"] == whole["audited"]
    assert (all_open["errors"], all_open["unanswered"]) == (0, n)
    assert (some["unanswered"], whole["unanswered"]) == ((n + 1) // 2, 0)
    assert some["errors"] == later["errors"] < whole["errors"]
    late = run("monitor", policy, done, *state).stdout
    assert "were counted before" in late
    wrong = sum(not truth[int(found[i - 1]["id"])] for i in is_drawn)
    assert whole["errors"] == wrong
    log = done.read_text().replace(",drawn,", ",looked_at,", 1)
    done.write_text(log)
    assert "it has the column" in reason("monitor", policy, done)


def test_values_of_json_lines_stay_as_they_are(folder, tmp_path):
    lines = [{"confidence": (i + 0.5) / 40, "box": {"left": i, "at": [1, None]}} for i in range(40)]
    (tmp_path / "all.jsonl").write_text("".join(json.dumps(each) + "\n" for each in lines))
    (tmp_path / "policy.json").write_text((folder / "policy.json").read_text())
    parts = [*divide(tmp_path, "all.jsonl", "jsonl"), tmp_path / "none.jsonl"]
    parts[2].write_text("")  # as of a day on which nothing was rejected
    policy = fa.operation.Policy.load(folder / "policy.json")
    log = tmp_path / "log.jsonl"
    sample_outputs(parts, log, 10, policy=policy)
    written = [json.loads(line) for line in log.read_text().splitlines()]
    found = [{name: row[name] for name in lines[0]} for row in written]
    assert sorted(found, key=lambda row: row["confidence"]) == lines


def test_files_that_do_not_fit_together(folder, tmp_path):
    accepted, other = folder / "accepted.csv", tmp_path / "other.csv"
    sample = "sample", accepted, other, "--audit", folder / "policy.json", "--budget", 9
    goal = "-o", tmp_path / "log.csv"
    other.write_text("id,score\n1,0.2\n")
    assert "other.csv: its columns must be those of /tmp" in reason(*sample, *goal)
    other.write_text("id,confidence\n1,0.2\n2,high\n")
    assert 'other.csv, row 2 (line 3): column "confidence" holds "high"' in reason(*sample, *goal)
    twice = "sample", accepted, accepted, "--budget", 9, *goal
    assert ", got one file twice" in reason(*twice)
