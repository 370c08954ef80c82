"""`fastarac sample`: rows to verify, their answers, audits."""

from __future__ import annotations

import csv
import json
from typing import get_args

import numpy as np
import pytest

import fastarac as fa
from fastarac.cli._sample import For
from fastarac.partial_truth import (
    draw_verification_sample,
    join_answers,
    read_verified,
    sample_outputs,
)
from fastarac.partial_truth.sampling import Purpose
from tests.commands import reason, refusal, run


def rows(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def outputs(tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "outputs.csv"
    lines = ["answer,page,confidence,judge"]
    lines += [f'"w{i}, x",{i // 10},{rng.random():.4f},{rng.random():.3f}' for i in range(400)]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_there_and_back(outputs, tmp_path):
    goal, verified = tmp_path / "to_verify.csv", tmp_path / "verified.csv"
    done = run("sample", outputs, "--budget", 60, "--judge", "judge", "-o", goal)
    drawn, every = rows(goal), rows(outputs)
    assert done.stdout.startswith(f"Drew {len(drawn)} of 400 outputs")
    confidence, judge = (
        np.array([float(row[name]) for row in every]) for name in ("confidence", "judge")
    )
    sample = draw_verification_sample(confidence, 60, judge=judge, random_state=0)
    assert [int(row["row"]) - 1 for row in drawn] == sample.indices.tolist()
    for row in drawn:
        place = int(row["row"]) - 1
        assert {name: row[name] for name in every[place]} == every[place]
        assert float(row["inclusion_probability"]) == sample.inclusion_probability[place]
        assert row["correct"] == ""
        row["correct"] = place % 2
    drawn[3]["correct"] = ""
    with goal.open("w", newline="") as file:
        writer = csv.DictWriter(file, drawn[0])
        writer.writeheader()
        writer.writerows(drawn[::-1])  # in any order
    done = run("sample", outputs, "--answers", goal, "-o", verified)
    assert "1 answer is open" in done.stdout
    found = rows(verified)
    assert [{name: row[name] for name in every[0]} for row in found] == every
    answers = {int(row["row"]) - 1: row for row in drawn}
    for place, row in enumerate(found):
        assert row["drawn"] == str(int(place in answers))
        expected = str(answers[place]["correct"]) if place in answers else ""
        assert row["correct"] == expected
        assert (row["inclusion_probability"] != "") == (place in answers)
        assert float(row["least_probability"]) == sample.inclusion_probability.min()


def test_guarantees_rest_on_the_least_of_all(outputs, tmp_path):
    """Drawn or not: that no output of the least probability was drawn is seen only afterwards."""
    goal, verified = tmp_path / "to_verify.csv", tmp_path / "verified.csv"
    sample = sample_outputs(outputs, goal, 150, judge="judge")
    least = sample.inclusion_probability.min()
    assert least < sample.inclusion_probability[sample.selected].min()
    drawn = rows(goal)
    for row in drawn:
        row["correct"] = "1"
    with goal.open("w", newline="") as file:
        writer = csv.DictWriter(file, drawn[0])
        writer.writeheader()
        writer.writerows(drawn)
    join_answers(outputs, goal, verified)
    truth, confidence = read_verified(verified)
    assert truth.least_probability == least
    point = fa.guaranteed_operating_point(truth, confidence, max_error_rate=0.3, random_state=0)
    assert point.assumed_probability == least
    assert fa.operation.fit_policy(truth, confidence, max_error_rate=0.3).least_probability == least
    found = rows(verified)
    found[3]["least_probability"] = "0.5"
    with verified.open("w", newline="") as file:
        writer = csv.DictWriter(file, found[0])
        writer.writeheader()
        writer.writerows(found)
    with pytest.raises(ValueError, match="expected one number above 0 and at most 1"):
        read_verified(verified)


def test_two_files_with_one_judge_get_the_same_rows(outputs, tmp_path):
    """So two engines are verified at the same places; without a judge, by one probability of all."""
    other = tmp_path / "other.csv"
    every = rows(outputs)
    for k, row in enumerate(every):
        row["confidence"] = k * 37 % 400 / 400
    with other.open("w", newline="") as file:
        writer = csv.DictWriter(file, every[0])
        writer.writeheader()
        writer.writerows(every)
    for options in (["--judge", "judge"], ["--mix", 1]):
        drawn = []
        for k, path in enumerate((outputs, other)):
            goal = tmp_path / f"{options[0]}-{k}.csv"
            run("sample", path, "--budget", 60, "-o", goal, *options)
            drawn.append([(row["row"], row["inclusion_probability"]) for row in rows(goal)])
        assert drawn[0] == drawn[1]


@pytest.mark.parametrize("options", [[], ["--group", "page"]], ids=["outputs", "pages"])
def test_answers_that_were_deleted_are_missed(outputs, tmp_path, options):
    """Without what is wrong, or cannot be decided, a promise would not hold."""
    goal, verified = tmp_path / "to_verify.csv", tmp_path / "verified.csv"
    run("sample", outputs, "--budget", 60, "-o", goal, *options)
    head, *lines = goal.read_text().splitlines()
    size = len(lines)
    assert {row["sample_size"] for row in rows(goal)} == {str(size)}
    for kept in (lines[:-1], lines[3:]):
        goal.write_text("\n".join([head, *(f"{line}1" for line in kept)]) + "\n")
        why = refusal("sample", outputs, "--answers", goal, "-o", verified)
        assert f"it has {len(kept)} of the {size} rows that were drawn; keep all" in why
        assert not verified.exists()
        why = refusal("sample", outputs, "--budget", 90, "--answers", goal, "-o", verified, *options)
        assert f"it has {len(kept)} of the {size} rows" in why
    why = refusal("evaluate", goal, "--inclusion-probability", "inclusion_probability")
    assert "it has only the drawn outputs, but" in why


@pytest.mark.parametrize("ending", ["jsonl", "parquet", "tsv"])
def test_other_formats(outputs, tmp_path, ending):
    goal = tmp_path / f"to_verify.{ending}"
    sample = sample_outputs(outputs, goal, 50, groups="page")
    drawn, answered = join_answers(outputs, goal, tmp_path / f"all.{ending}")
    assert (drawn, answered) == (int(sample.selected.sum()), 0)
    pages = np.arange(400) // 10
    assert all(len(set(sample.selected[pages == page])) == 1 for page in range(40))


def test_audits_are_a_log(outputs, tmp_path):
    policy = fa.operation.fit_policy([1] * 400, np.linspace(0.5, 1, 400), max_error_rate=0.2)
    policy.save(tmp_path / "policy.json")
    log = tmp_path / "log.csv"
    run("sample", outputs, "--audit", tmp_path / "policy.json", "--budget", 40, "-o", log)
    found = rows(log)
    for row in found:
        accepted = float(row["confidence"]) >= policy.thresholds[0]
        assert row["accepted"] == str(int(accepted))
        assert accepted or row["drawn"] == "0"
        row["correct"] = "1" if row["drawn"] == "1" or not accepted else ""
    assert len({row["audit_probability"] for row in found}) == 2  # 1 where it was rejected
    with log.open("w", newline="") as file:
        writer = csv.DictWriter(file, found[0])
        writer.writeheader()
        writer.writerows(found)
    done = run("check", tmp_path / "policy.json", log, "--log", code=None)
    assert "audit" in done.stdout


@pytest.mark.parametrize("double", [0.0, 0.5])
def test_a_budget_in_money(outputs, tmp_path, double):
    goal, same = tmp_path / "to_verify.csv", tmp_path / "same.csv"
    options = ("--double", double) if double else ()
    done = run("sample", outputs, "--budget", "30/0.25", "-o", goal, *options, "--format", "json")
    found = json.loads(done.stdout)["sample"]
    answers = found["drawn"] + round(double * found["drawn"])
    assert found["price"] == answers * 0.25
    assert found["expected_size"] == pytest.approx(30 / 0.25 / (1.0 + double))
    told = run("sample", outputs, "--budget", 120 / (1.0 + double), "-o", same, *options).stdout
    assert goal.read_text() == same.read_text()
    assert "cost" not in told
    told = run("sample", outputs, "--budget", "30/0.25", "-o", same, *options).stdout
    assert f"The {answers} answers cost {answers / 4:,.2f}." in told


@pytest.mark.parametrize("budget", ["30/0", "30/-1", "30/1/2", "30/", "x"])
def test_what_is_no_budget(outputs, tmp_path, budget):
    done = run("sample", outputs, "--budget", budget, "-o", tmp_path / "to_verify.csv", code=2)
    assert f'such as 60/0.12, got "{budget}"' in done.stderr


def test_refusals(outputs, tmp_path):
    goal = tmp_path / "to_verify.csv"
    to = ("-o", goal)
    assert "--budget is missing" in reason("sample", outputs, *to)
    assert "must be above 0 and at most 400, the number" in reason(
        "sample", outputs, "--budget", 401, *to
    )
    answers = ("sample", outputs, "--answers", goal, *to)
    assert "leave out one" in reason(*answers, "--audit", goal)
    assert "--mix needs --budget" in reason(*answers, "--mix", 1)
    audit = ("sample", outputs, "--budget", 4, "--audit", goal, *to)
    assert "add a --mix below 1" in reason(*audit, "--judge", "judge")
    assert "--group cannot go with --audit" in reason(*audit, "--group", "page")
    evenly = ("sample", outputs, "--budget", 4, "--judge", "judge", "--mix", 1, *to)
    assert "judge needs a mix below 1: with a mix of 1, the default for a policy," in reason(*evenly)
    assert 'no column "jury"' in reason("sample", outputs, "--budget", 4, "--judge", "jury", *to)
    assert ", which is also read: choose another file" in reason(
        "sample", outputs, "--budget", 4, "-o", outputs
    )
    assert "must end in one of" in reason("sample", outputs, "--budget", 4, "-o", tmp_path / "a.txt")
    run("sample", outputs, "--budget", 40, *to)
    text = goal.read_text()
    assert 'column "row", which a sample adds: rename' in reason(
        "sample", goal, "--budget", 4, "-o", tmp_path / "b.csv"
    )
    join = ("sample", outputs, "--answers", goal, "-o", tmp_path / "all.csv")
    header, first, *rest = text.splitlines()
    for lines, message in (
        ([header, first, first, *rest], "each row once"),
        ([header, first.replace(first.split(",")[0], "1000", 1), *rest], "one of the 400 rows"),
        ([header, "1" + first[first.index(",") :], *rest], "the confidence of the same row"),
        ([header, first[:-1] + ",maybe"], "true or false"),
    ):
        goal.write_text("\n".join(lines) + "\n")
        assert message in reason(*join)
    assert not (tmp_path / "all.csv").exists()


def test_more_are_drawn_beside_those_with_answers(outputs, tmp_path):
    first, second, verified = (tmp_path / f"{name}.csv" for name in ("first", "second", "verified"))
    options = ("--judge", "judge", "--seed", 3)
    run("sample", outputs, "--budget", 60, *options, "-o", first)
    before = rows(first)
    for k, row in enumerate(before):
        row["correct"] = "" if k == 5 else str(k % 2)
    with first.open("w", newline="") as file:
        writer = csv.DictWriter(file, before[0])
        writer.writeheader()
        writer.writerows(before)
    larger = ("sample", outputs, "--budget", 150, "--answers", first, "-o", second)
    run(*larger, *options)
    known = {row["row"]: row for row in before}
    found = {row["row"]: row for row in rows(second)}
    assert known.keys() < found.keys()
    confidence, judge = (
        np.array([float(row[name]) for row in rows(outputs)]) for name in ("confidence", "judge")
    )
    sample = draw_verification_sample(confidence, 150, judge=judge, random_state=3)
    assert {int(row) - 1 for row in found} == set(sample.indices.tolist())
    for number, row in found.items():
        assert float(row["inclusion_probability"]) == sample.inclusion_probability[int(number) - 1]
        assert row["correct"] == (known[number]["correct"] if number in known else "")
    done = run("sample", outputs, "--answers", second, "-o", verified)
    assert f"{len(before) - 1} of {len(found)} drawn outputs have an answer" in done.stdout
    third = tmp_path / "third.csv"
    assert "the same options and seed, and no smaller" in reason(
        *larger[:-1], third, "--judge", "judge", "--seed", 4
    )
    assert "the same options and seed, and no smaller" in reason(
        "sample", outputs, "--budget", 50, "--answers", first, *options, "-o", third
    )
    answered = first.read_bytes()
    lost = reason("sample", outputs, "--budget", 60, *options, "-o", first)
    assert f"which has {len(before) - 1} answers in its column correct" in lost
    assert first.read_bytes() == answered


def test_the_least_limit_is_said(outputs, tmp_path):
    """What fewer outputs than a guarantee needs cannot reach is known before anybody verifies."""
    aims = "--budget", 60, "--mix", 0.5, "-o", tmp_path / "a.csv"
    said = " ".join(run("sample", outputs, *aims).stdout.split())
    confidence = np.array([float(row["confidence"]) for row in rows(outputs)])
    sample = draw_verification_sample(confidence, 60, mix=0.5, random_state=0)
    aimed, even = (-np.log(0.05) / (400 * p) for p in (sample.least_probability, 60 / 400))
    assert f"a limit of {100 * aimed:.3g}% at best" in said
    assert f"--for guarantee-new proves {100 * even:.3g}%" in said
    truth = fa.PartialTruth(
        np.where(sample.selected, 1.0, np.nan), inclusion_probability=sample.inclusion_probability
    )
    options = {"failure_probability": 0.05}
    with pytest.warns(fa.SampleTooSmallWarning, match="needs about [0-9]+ without an error"):
        point = fa.guaranteed_operating_point(truth, confidence, max_error_rate=0.9 * aimed, **options)
    assert point.acceptance_rate < 0.1  # so few that some of them may be wrong
    point = fa.guaranteed_operating_point(truth, confidence, max_error_rate=1.5 * aimed, **options)
    assert point.acceptance_rate == 1.0
    plain = run("sample", outputs, "--budget", 60, "-o", tmp_path / "b.csv").stdout
    assert f"a limit of {100 * even:.3g}% at best" in plain
    by_page = run("sample", outputs, "--budget", 60, "--group", "page", "-o", tmp_path / "c.csv").stdout
    assert "at best" not in by_page


def test_the_purpose(outputs, tmp_path):
    """What is said before anybody verifies is what the next command does with right answers."""

    def drawn(name, *options):
        goal = tmp_path / f"{name}.csv"
        said = run("sample", outputs, "--budget", 60, *options, "-o", goal).stdout
        found = run("sample", outputs, "--budget", 60, *options, "-o", goal, "--format", "json").stdout
        return goal, " ".join(said.split()), json.loads(found)["sample"]

    goal, said, figures = drawn("new", "--error-rate", 0.1)
    assert (figures["for"], figures["drawn"]) == ("guarantee-new", 60)
    assert "A limit implies --for guarantee-new: " in said
    assert f"can accept {100 * figures['best_acceptance_rate']:.3g}% of the outputs" in said
    filled = tmp_path / "filled.csv"
    answers = rows(goal)
    with filled.open("w", newline="") as file:
        writer = csv.DictWriter(file, answers[0])
        writer.writeheader()
        writer.writerows(row | {"correct": 1} for row in answers)
    policy = tmp_path / "policy.json"
    next_command = said.rpartition("Next: fastarac ")[2].replace(" \\ ", " ")
    command = next_command.replace(str(goal), str(filled)).replace("policy.json", str(policy))
    run(*command.split())
    confidence = np.array([float(row["confidence"]) for row in rows(outputs)])
    accepted = fa.operation.Policy.load(policy).apply(confidence).mean()
    assert accepted == figures["best_acceptance_rate"]

    _, said, figures = drawn("few", "--error-rate", 0.01)
    assert "these 60 outputs prove nothing at a limit of 1%: fastarac plan --error-rate 0.01 " in said
    assert figures["best_acceptance_rate"] <= 0.01
    _, said, figures = drawn("pages", "--error-rate", 0.01, "--group", "page")
    assert "use a larger --budget, for more groups" in said
    assert figures["drawn"] == 60
    _, said, figures = drawn("aimed", "--error-rate", 0.2, "--judge", "judge", "--for", "estimate")
    assert "--for guarantee-new proves more" in said
    assert figures["best_acceptance_rate"] > 0.2
    _, said, figures = drawn("these", "--max-risk", 0.1, "--for", "guarantee-these")
    assert "Next: fastarac search" in said
    assert "--max-risk 0.1 --budget 60" in said
    _, said, figures = drawn("two", "--for", "comparison")
    assert (figures["for"], figures["best_acceptance_rate"]) == ("comparison", None)
    assert "to get the same rows" in said

    assert [*For] == [*get_args(Purpose)]
    to = ("sample", outputs, "--budget", 60, "-o", tmp_path / "no.csv")
    assert "--open needs --answers" in reason(*to, "--open", "wrong")
    why = reason(*to, "--error-rate", 0.1, "--judge", "judge")
    assert "--judge cannot go with --for guarantee-new (implied by the limit)" in why
    assert "--mix cannot go with --for guarantee-these, which" in reason(
        *to, "--for", "guarantee-these", "--mix", 1
    )
    both = *to, "--error-rate", 0.1, "--max-risk", 0.1
    assert "--error-rate cannot go with --max-risk" in reason(*both)
    assert "--audit cannot go with --error-rate" in reason(*to, "--error-rate", 0.1, "--audit", outputs)
