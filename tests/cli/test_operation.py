"""The commands about what is in use: what they write and print, their statuses and refusals."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace

import numpy as np
import pytest
from commands import refusal, run

import fastarac as fa
from fastarac import operation


def rows(n, seed, shift=0.0):
    rng = np.random.default_rng(seed)
    field, confidence = rng.choice(["date", "name"], n), rng.random(n).round(4)
    correct = rng.random(n) >= np.where(field == "date", 0.05, 0.5) * (1 - confidence) + shift
    return field, confidence, correct


def write(path, n, seed, shift=0.0):
    lines = ["id,field,page,correct,confidence"]
    for i, (field, confidence, correct) in enumerate(zip(*rows(n, seed, shift), strict=True)):
        lines.append(f"{10_000 * seed + i},{field},{i // 4},{correct:d},{confidence}")
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("operation")
    write(folder / "verified.csv", 4000, 0)
    write(folder / "new.csv", 4000, 1)
    write(folder / "worse.csv", 4000, 2, shift=0.05)
    write(folder / "few.csv", 100, 3)
    run("fit", folder / "verified.csv", "--by", "field", "--error-rate", 0.02, "-o", folder / "p.json")
    return folder


@pytest.mark.parametrize("given", [0.95, 95])
def test_a_level_of_confidence_is_no_guarantee(folder, tmp_path, given):
    verified = folder / "verified.csv"
    for command in (
        ("fit", verified, "--error-rate", 0.01, "-o", tmp_path / "q.json"),
        ("plan", "--error-rate", 0.01, "--expect", 0.005),
        ("plan", "--error-rate", 0.01, "--detect", 0.02),
        ("evaluate", verified),
        ("monitor", folder / "p.json", verified),
    ):
        option = "--false-alarm" if command[0] == "monitor" else "--guarantee"
        message = refusal(*command, option, given)
        assert f"{option} must be at most 0.5, got {float(given)}" in message
        assert message.endswith("such as 0.05 for 95% confidence\n")
    assert not (tmp_path / "q.json").exists()


def test_pages_without_a_group_are_pointed_out(folder, tmp_path):
    policy = tmp_path / "one.json"
    note = 'olumn "page" looks like pages or documents'
    fit = "fit", folder / "verified.csv", "--error-rate", 0.02, "-o", policy
    assert note in run(*fit).stdout
    assert note not in run(*fit, "--group", "page").output
    check = "check", policy, folder / "new.csv"
    for options in ((), ("--format", "json")):
        assert note in run(*check, *options, code=None).output
        assert note not in run(*check, *options, "--group", "page", code=None).output


def test_refusals_name_options(folder, tmp_path):
    verified, out = folder / "verified.csv", tmp_path / "a.csv"
    fit = "fit", verified, "-o", tmp_path / "p.json"
    both = refusal(*fit, "--error-rate", 0.1, "--max-risk", 0.1)
    assert "got --error-rate and --max-risk" in both
    goals = "-o", out, "--review", out
    assert "and review must be different files, got" in refusal(
        "apply", folder / "p.json", verified, *goals
    )
    (tmp_path / "book.xlsx").write_text("PK")
    assert "it is a spreadsheet, which cannot be read; save it as CSV" in refusal(
        "evaluate", tmp_path / "book.xlsx"
    )


def test_a_policy_is_written_as_json_alone(folder, tmp_path):
    path = tmp_path / "p.csv"
    message = refusal("fit", folder / "verified.csv", "--error-rate", 0.1, "-o", path)
    assert message.endswith("the name of the policy should end in .json\n")
    assert not path.exists()


class TestFit:
    def test_policy_is_that_of_the_library(self, folder):
        policy = operation.Policy.load(folder / "p.json")
        field, confidence, correct = rows(4000, 0)
        assert policy.columns == {"by": "field"}
        assert replace(policy, columns={}) == operation.fit_policy(
            correct, confidence, by=field, max_error_rate=0.02
        )

    def test_what_is_printed(self, folder, tmp_path):
        out = run(
            "fit", folder / "verified.csv", "--error-rate", 0.02, "-o", tmp_path / "p.json"
        ).stdout
        assert out.startswith("Accept ")
        grouped = run(
            "fit", folder / "verified.csv", "--by", "field", "--group", "page",
            "--error-rate", 0.05, "-o", tmp_path / "p.json",
        )  # fmt: skip
        assert "\ndate    " in grouped.stdout
        assert operation.Policy.load(tmp_path / "p.json").max_group_size == 4

    def test_notes_and_refusals(self, folder, tmp_path):
        few = run("fit", folder / "few.csv", "--error-rate", 0.001, "-o", tmp_path / "p.json", code=3)
        assert "items are too few: even without an error they prove no limit below" in few.stdout
        path = tmp_path / "none.json"
        file = folder / "verified.csv"
        for options, message in (
            ([], "exactly one of --error-rate, --max-risk, got none"),
            (["--error-rate", 0.1, "--guarantee", 0], "--guarantee must be a number strictly between"),
            (
                ["--error-rate", 0.1, "--by", "feld"],
                'there is no column "feld" (did you mean "field"?)',
            ),
        ):
            assert message in refusal("fit", file, *options, "-o", path)
        assert not path.exists()
        nowhere = tmp_path / "no" / "p.json"
        message = refusal("fit", file, "--error-rate", 0.1, "-o", nowhere)
        assert "no/p.json: No such file or directory" in message


@pytest.mark.parametrize(
    "command",
    [
        ["fit", "a.csv", "-o", "p.json", "--error-rate"],
        ["fit", "a.csv", "-o", "p.json", "--max-risk"],
        ["plan", "--error-rate"],
        ["plan", "--error-rate", 0.01, "--expect"],
        ["plan", "--error-rate", 0.01, "--detect"],
        ["evaluate", "a.csv", "--error-rate"],
        ["evaluate", "a.csv", "--max-risk"],
        ["ocr", "a", "b", "--error-rate"],
    ],
)
def test_percentages_are_answered_with_the_rate(command):
    for text, hint in (
        ("1", "write 0.01 for 1%"),
        ("1.0", "write 0.01 for 1%"),
        ("2,5", "write 0.025 for 2.5%"),
        ("1%", "write 0.01 for 1%"),
        ("0,5%", "write 0.005 for 0.5%"),
        ("0,01", "write 0.01 for 1%"),
        ("one", "write 0.01 for 1%"),
        ("nan", "write 0.01 for 1%"),
        ("100", "write 0.01 for 1%"),
    ):
        result = run(*command, text, code=2)
        assert f"{text!r} is not a rate from 0 to below 1; {hint}" in result.stderr
        assert command[-1] in result.stderr


def test_a_policy_is_for_one_model(folder, tmp_path):
    """What two engines read, with their names in one column, is not taken for one model's."""
    header, *lines = (folder / "verified.csv").read_text().splitlines()
    both, policy = tmp_path / "items.csv", tmp_path / "p.json"
    named = [f"{line},{'AB'[i % 2]}" for i, line in enumerate(lines)]
    both.write_text("\n".join([f"{header},model", *named]) + "\n")
    fit = ["fit", both, "--error-rate", 0.02, "-o", policy]
    message = refusal(*fit)
    assert 'column "model" holds "A" and "B", whose confidences may mean different things' in message
    assert not policy.exists()
    run(*fit, "--only", "B")
    accepted, review = (tmp_path / f"{name}.csv" for name in ("accepted", "review"))
    apply = ("apply", policy, both, "-o", accepted, "--review", review)
    assert "give a table of one model's outputs" in refusal(*apply)
    assert not accepted.exists()
    _, confidence, correct = (each[1::2] for each in rows(4000, 0))
    expected = operation.fit_policy(correct, confidence, max_error_rate=0.02)
    assert operation.Policy.load(policy) == expected
    run(*fit, "--by", "model")
    assert operation.Policy.load(policy).fields == ("A", "B")
    run(*apply)
    assert '--only is "C"; column "model" of' in refusal(*fit, "--only", "C")
    fit[1] = folder / "verified.csv"
    assert '--only needs a column "model", which the file lacks' in refusal(*fit, "--only", "B")


class TestCheck:
    @pytest.mark.parametrize(
        ("file", "code", "words"),
        [
            ("new.csv", 0, "The limit of 2% holds"),
            ("worse.csv", 1, "The limit of 2% fails"),
            ("few.csv", 3, "Too few outputs to tell"),
        ],
    )
    def test_statuses(self, folder, tmp_path, file, code, words):
        own = shutil.copy(folder / "p.json", tmp_path)  # with its own looks
        out = run("check", own, folder / file, code=code).stdout
        assert out.startswith(words)

    def test_json(self, folder, tmp_path):
        done = run(
            "check", shutil.copy(folder / "p.json", tmp_path), folder / "worse.csv",
            "--group", "page", "--format", "json", code=1,
        )  # fmt: skip
        found = json.loads(done.stdout)["check"]
        assert found["verdict"] == "fails"
        assert found["low"] > 0.02
        assert found["shifted"] is False

    @pytest.mark.slow
    def test_fields_and_widths(self, folder, monkeypatch):
        """On a terminal no line is longer than it is wide, and no percentage is torn."""
        for width in (80, 120):
            for name, value in (("FORCE_COLOR", "1"), ("NO_COLOR", "1"), ("TERM", "xterm")):
                monkeypatch.setenv(name, value)
            for command in (
                ["plan", "--error-rate", 0.01, "--expect", 0.005],
                ["check", folder / "p.json", folder / "few.csv"],
                ["monitor", folder / "p.json", folder / "new.csv"],
            ):
                code, env = 3 if "check" in command else 0, {"COLUMNS": str(width)}
                result = run(*command, code=code, env=env)
                lines = re.sub(r"\x1b\[[0-9;]*m", "", result.stdout).splitlines()
                assert max(map(len, lines)) <= width
                assert not any(line.lstrip().startswith("%") for line in lines)
        assert "error rate" in run("check", *command[1:]).stdout

    @pytest.mark.slow
    def test_whole_documents(self, folder, tmp_path):
        policy, page = tmp_path / "p.json", tmp_path / "fit.html"
        options = ["--by", "field", "--document", "page"]
        fitted = run(
            "fit",
            folder / "verified.csv",
            *options,
            "--error-rate",
            0.2,
            "-o",
            policy,
            "--report",
            page,
        ).stdout
        assert " of 500 documents " in fitted
        assert "go straight through" in page.read_text()
        out = run("check", policy, folder / "new.csv", code=None).stdout
        assert " of these documents " in out
        goals = ["-o", tmp_path / "a.csv", "--review", tmp_path / "r.csv"]
        out = run("apply", policy, folder / "new.csv", *goals).stdout
        field, confidence, _ = rows(4000, 1)
        accepted = operation.Policy.load(policy).apply(
            confidence, by=field, documents=np.arange(4000) // 4
        )
        assert out.startswith(f"Accept {accepted.sum() // 4:,} of 1,000 documents (")
        assert len((tmp_path / "a.csv").read_text().splitlines()) == 1 + accepted.sum()
        other = tmp_path / "other.csv"
        other.write_text((folder / "new.csv").read_text().replace("page", "leaf", 1))
        refused = refusal("apply", policy, other, *goals)
        assert 'there is no column "page", which the policy needs' in refused

    def test_refusals(self, folder, tmp_path):
        new = folder / "new.csv"
        path = tmp_path / "p.json"
        assert "p.json: it cannot be read" in refusal("check", path, new)
        path.write_text("{}")
        assert "p.json: it is not the file of a fastarac policy" in refusal("check", path, new)


class TestPlan:
    def test_what_is_printed(self, folder):
        out = run("plan", "--error-rate", 0.01, "--expect", 0.005).stdout
        assert out.startswith("Verify 2,185 outputs ")
        assert "At least 299 outputs " in out
        assert "0.75% 8,753 9,409" in " ".join(out.split())
        share = run("plan", "--error-rate", 0.01, "--detect", 0.02, "--outputs", 40_000).stdout
        assert "Audit 1,015 outputs drawn at random (2.54% of" in share
        assert (
            "Audit 1,015 outputs drawn at random: "
            in run("plan", "--error-rate", 0.01, "--detect", 0.02).stdout
        )
        comparison = run("plan", "--difference", 0.01, "--discordance", 0.05).stdout
        assert comparison.startswith("Verify 3,923 outputs ")
        interval = ("--statistic", "roc_auc", "--half-width", 0.01)
        out = run("plan", "--pilot", folder / "verified.csv", *interval).stdout
        assert "interval of roc_auc" in out

    def test_groups_of_a_pilot(self, folder):
        pilot = ("--pilot", folder / "verified.csv", "--group", "page")
        _, confidence, correct = rows(4000, 0)
        pages = np.arange(4000) // 4
        threshold = fa.operating_point(correct, confidence, max_error_rate=0.02).threshold
        effect = operation.design_effect(correct, confidence, groups=pages, threshold=threshold)
        out = " ".join(run("plan", "--error-rate", 0.02, "--detect", 0.03, *pilot).stdout.split())
        assert f"the number of outputs by {effect:.2f}, " in out
        sizes = operation.audit_plan(0.02, 0.03, design_effect=effect)
        assert f"Audit {sizes.stable:,} outputs" in out
        rate = fa.Statistic("acceptance_rate", threshold=0.5)
        for name, statistic in (("roc_auc", "roc_auc"), ("acceptance_rate/threshold/0.5", rate)):
            options = {"statistic": statistic, "half_width": 0.01}
            n = operation.sample_size_for_interval(correct, confidence, groups=pages, **options)
            out = run("plan", "--statistic", name, "--half-width", 0.01, *pilot).stdout
            assert f"Verify {n:,} outputs" in out

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ([], "exactly one of --error-rate, --max-risk,"),
            (["--error-rate", 0.01], "--error-rate needs --pilot or --expect or --detect"),
            (["--error-rate", 0.01, "--expect", 0.02], "--expect must be below the limit"),
            (["--error-rate", 0.01, "--detect", 0.001], "--detect must be above the limit"),
            (["--difference", 0.01], "--difference needs --discordance"),
            (
                ["--difference", 0.01, "--discordance", 0.05, "--guarantee", 0.05],
                "--guarantee needs --error-rate or --max-risk",
            ),
            (
                ["--half-width", 0.02, "--pilot", "a.csv", "--guarantee", 0.01],
                "--guarantee needs --error-rate",
            ),
            (["--difference", 0.1, "--discordance", 0.05], "--discordance must be at least 0.1 (the"),
            (["--half-width", 0.1], "--half-width needs --pilot"),
            (
                ["--error-rate", 0.1, "--detect", 0.2, "--group", "page"],
                "--group needs --pilot",
            ),
            (
                ["--difference", 0.1, "--discordance", 0.2, "--pilot", "a.csv"],
                "--pilot needs --error-rate or --max-risk or --half-width",
            ),
            (
                ["--difference", 0.05, "--discordance", 0.2, "--statistic", "roc_auc"],
                "--statistic needs --half-width",
            ),
            (["--difference", 0.1, "--expect", 0.05], "--expect needs --error-rate"),
            (
                ["--error-rate", 0.1, "--discordance", 0.05],
                "--discordance needs --difference",
            ),
            (
                ["--difference", 0.1, "--discordance", 0.2, "--report", "a.html"],
                "--report needs --expect",
            ),
            (["--difference", 0.1, "--outputs", 9], "--outputs needs --detect"),
            (
                ["--error-rate", 0.01, "--detect", 0.02, "--outputs", 9],
                "--outputs must be at least 1015",
            ),
            (
                ["--error-rate", 0.01, "--expect", 0.001, "--report", "a.txt"],
                "a.txt: the name of the report should end in .html or .htm",
            ),
        ],
    )
    def test_refusals(self, options, message):
        assert message in refusal("plan", *options)


class TestApply:
    def test_groups(self, folder, tmp_path):
        goals = ["-o", tmp_path / "a.csv", "--review", tmp_path / "r.csv"]
        policy, new = tmp_path / "q.json", folder / "new.csv"
        run("fit", folder / "verified.csv", "--group", "page", "--error-rate", 0.1, "-o", policy)
        done = run("apply", policy, new, *goals)
        pages = len(set(np.loadtxt(new, dtype=str, delimiter=",", skiprows=1, usecols=2)))
        assert f" of 4,000 outputs in {pages:,} groups (" in done.stdout
        assert "fitted with --group" not in done.output
        other = tmp_path / "other.csv"
        other.write_text(new.read_text().replace("page", "leaf", 1))
        assert "fitted with --group" in run("apply", policy, other, *goals).stdout

    def test_two_files_and_a_sentence(self, folder, tmp_path):
        goals = ["-o", tmp_path / "a.csv", "--review", tmp_path / "r.csv"]
        out = run("apply", folder / "p.json", folder / "new.csv", *goals).stdout
        field, confidence, _ = rows(4000, 1)
        accepted = operation.Policy.load(folder / "p.json").apply(confidence, by=field)
        assert out.startswith(f"Accept {accepted.sum():,} of 4,000 outputs (")
        assert " errors among the accepted ones" in out
        header, *lines = (tmp_path / "a.csv").read_text().splitlines()
        assert header == "id,field,page,correct,confidence"
        assert [int(line.partition(",")[0]) - 10_000 for line in lines] == np.flatnonzero(
            accepted
        ).tolist()

    def test_refusals(self, folder, tmp_path):
        arguments = ["apply", folder / "p.json", folder / "new.csv", "-o"]
        one = tmp_path / "a.csv"
        assert "must be different files, got" in refusal(*arguments, one, "--review", one)
        assert "--review must end in one of .csv, .tsv," in refusal(
            *arguments, one, "--review", tmp_path / "r.doc"
        )
        nowhere = tmp_path / "no" / "r.csv"
        assert "no/" in refusal(*arguments, one, "--review", nowhere)
        assert not list(tmp_path.iterdir())

    @pytest.mark.slow
    def test_confidences_that_have_moved(self, folder, tmp_path):
        """It is done, and said in a note and on the page; another scale is refused."""
        header, *lines = (folder / "new.csv").read_text().splitlines()
        moved, page = tmp_path / "moved.csv", tmp_path / "apply.html"
        goals = ["-o", tmp_path / "a.csv", "--review", tmp_path / "r.csv", "--report", page]
        quiet = run("apply", folder / "p.json", folder / "new.csv", *goals)
        assert "moved" not in quiet.stdout
        assert quiet.stderr == ""
        assert "not visibly" in page.read_text()
        parts = [line.rsplit(",", 1) for line in lines]
        moved.write_text("\n".join([header, *(f"{a},{float(c) ** 3}" for a, c in parts)]) + "\n")
        done = run("apply", folder / "p.json", moved, *goals)
        assert "have moved" in done.stdout
        assert "0.0004" in done.stdout
        assert "What went through" in page.read_text()
        assert "Have the confidences moved?" in page.read_text()
        (tmp_path / "a.csv").unlink()
        moved.write_text("\n".join([header, *(f"{a},{100 * float(c)}" for a, c in parts)]) + "\n")
        message = refusal("apply", folder / "p.json", moved, *goals)
        assert "the confidences run from" in message
        assert not (tmp_path / "a.csv").exists()


class TestMonitor:
    def test_days_until_the_alarm(self, folder, tmp_path):
        state, options = tmp_path / "state.json", ["--state", tmp_path / "state.json"]
        days = [write(tmp_path / f"{i}.csv", 300, 10 + i, shift=0.09 * (i > 1)) for i in range(6)]
        first = run("monitor", folder / "p.json", *days[:2], *options).stdout
        assert first.startswith("No alarm: ")
        assert " of 600 audits " in first
        again = run("monitor", folder / "p.json", *days[:2], *options).stdout
        assert again.splitlines()[0] == first.splitlines()[0]
        out = run("monitor", folder / "p.json", *days, *options, code=1).stdout
        assert out.startswith("Alarm: ")
        done = run("monitor", folder / "p.json", days[0], *options, "--format", "json", code=1)
        (found,) = json.loads(done.stdout)["monitor"]["policies"]
        assert found["audited"] == 1800
        assert found["alarm"]
        other = refusal("monitor", folder / "p.json", days[0], *options, "--false-alarm", 0.1)
        assert "state.json: its --false-alarm is 0.05; use" in other
        state.write_text("{}")
        assert "not the file of a fastarac monitor" in refusal(
            "monitor", folder / "p.json", days[0], *options
        )

    def test_a_state_belongs_to_one_policy(self, folder, tmp_path):
        """Audits of one policy are neither added to another's nor passed over as counted."""
        state, one, other = (tmp_path / f"{name}.json" for name in ("state", "one", "other"))
        for policy, file in ((one, "verified.csv"), (other, "new.csv")):
            run("fit", folder / file, "--error-rate", 0.02, "-o", policy)
        first = run("monitor", one, folder / "few.csv", "--state", state).stdout
        before = state.read_text()
        message = refusal("monitor", other, folder / "few.csv", "--state", state)
        assert f"state.json: it is not the state of {other}, but of another policy; use" in message
        assert "and a new one after each fit" in message
        assert state.read_text() == before
        again = tmp_path / "again.json"  # the same policy under another name
        again.write_bytes(one.read_bytes())
        repeated = run("monitor", again, folder / "few.csv", "--state", state).stdout
        assert repeated.splitlines()[0] == first.splitlines()[0]
        state.write_text(json.dumps(json.loads(before) | {"policy_digest": None}))
        assert "it is not the state of" in refusal("monitor", one, folder / "few.csv", "--state", state)

    @pytest.mark.slow
    def test_policies_of_a_folder_share_their_level(self, folder, tmp_path):
        policies, state = tmp_path / "policies", tmp_path / "state.json"
        policies.mkdir()
        run(
            "fit",
            folder / "verified.csv",
            "--by",
            "field",
            "--error-rate",
            0.02,
            "-o",
            policies / "a.json",
        )
        run("fit", folder / "verified.csv", "--error-rate", 0.02, "-o", policies / "b.json")
        days = []
        for day in range(3):
            of_policies = [rows(400, 50 + day), rows(400, 60 + day, shift=0.06)]
            lines = ["policy,field,correct,confidence"]
            for name, each in zip("ab", of_policies, strict=True):
                lines += [f"{name},{f},{y:d},{c}" for f, c, y in zip(*each, strict=True)]
            days.append(tmp_path / f"{day}.csv")
            days[-1].write_text("\n".join(lines) + "\n")
        options = ["--state", state]
        page = tmp_path / "m.html"
        out = run("monitor", policies, *days, *options, "--report", page, code=1).stdout
        assert out.startswith("Alarm: b ")
        (first, second) = (line.split() for line in out.splitlines() if line.startswith(("a ", "b ")))
        assert (first[-1], second[-1]) == ("none", "proved")
        assert "The monitor of b" in page.read_text()
        done = run("monitor", policies, *days, *options, "--format", "json", code=1)
        found = json.loads(done.stdout)["monitor"]["policies"]
        assert [each["name"] for each in found] == ["a", "b"]
        assert {each["audited"] for each in found} == {1200}
        assert {each["failure_probability"] for each in found} == {0.025}
        for i, each in enumerate(found):
            policy = operation.Policy.load(policies / f"{each['name']}.json")
            wrong = 0
            for day in range(3):
                field, confidence, correct = rows(400, 50 + 10 * i + day, shift=0.06 * i)
                by = field if policy.fields else None
                wrong += int((policy.apply(confidence, by=by) & ~correct).sum())
            assert each["errors"] == wrong
        (policies / "c.json").write_bytes((policies / "a.json").read_bytes())
        assert "it is not the state of" in refusal("monitor", policies, days[0], *options)
        (policies / "c.json").unlink()
        bad = tmp_path / "bad.csv"
        bad.write_text("policy,field,correct,confidence\na,date,1,0.5\nc,date,1,0.5\n")
        message = refusal("monitor", policies, bad, *options)
        assert 'row 2: column "policy" must hold the name of a policy' in message
        one = policies / "b.json"
        other = refusal("monitor", one, bad, "--state", state)
        assert "it is not the file of a fastarac monitor" in other
        empty = tmp_path / "empty"
        empty.mkdir()
        assert "a file whose name ends in .json" in refusal("monitor", empty, bad, *options)


@pytest.mark.slow
@pytest.mark.parametrize("by_document", [False, True])
def test_outputs_without_a_confidence(folder, tmp_path, by_document):
    """They are never accepted, in no command, even by a policy that accepts everything else."""
    field, confidence, _ = rows(3000, 70)
    if by_document:  # each of which has both fields
        field = np.tile(["date", "name"], 1500)
    empty = np.arange(3000) % 40 == 7
    lines = ["id,field,page,correct,confidence"]
    for i, (f, c) in enumerate(zip(field, confidence, strict=True)):
        lines.append(f"{i},{f},{i // 2},{int(not empty[i])},{'' if empty[i] else c}")
    path, policy = tmp_path / "new.csv", tmp_path / "p.json"
    path.write_text("\n".join(lines) + "\n")
    columns = ["--by", "field", *(["--document", "page"] if by_document else [])]
    columns += ["--allow-empty", "confidence"]
    fit = ["fit", path, "--error-rate", 0.05, "-o", policy, *columns]
    assert "(--allow-empty confidence means that these outputs are never" in refusal(*fit[:-2])
    done = run(*fit)
    assert "75 of 3,000 outputs have no confidence: they are never accepted" in done.stdout
    never = np.repeat(empty.reshape(-1, 2).any(axis=1), 2) if by_document else empty
    goals = ["-o", tmp_path / "a.csv", "--review", tmp_path / "r.csv"]
    out = run("apply", policy, path, *goals).stdout
    assert "have moved" not in out
    kept = [int(line.split(",")[0]) for line in (tmp_path / "a.csv").read_text().splitlines()[1:]]
    assert kept == np.flatnonzero(~never).tolist()  # all others are right, and accepted
    done = run("check", policy, path, "--format", "json", code=3)
    checked = json.loads(done.stdout)["check"]
    found = 1500 if by_document else 3000 - 75
    assert (checked["n_items"], checked["n_unread"]) == (found, 0 if by_document else 75)
    assert checked["accepted"] == (~never).sum() // (2 if by_document else 1)
    assert (checked["errors"], checked["verdict"]) == (0, "too few")
    assert json.loads(done.stdout)["decisions"][0].startswith("No verdict")  # fitted on these
    path.write_text("\n".join(lines[:-12]) + "\n")
    checked = json.loads(run("check", policy, path, "--format", "json").stdout)["check"]
    assert (checked["errors"], checked["verdict"], checked["of_fit"]) == (0, "holds", False)
    path.write_text("\n".join(lines) + "\n")
    done = run("monitor", policy, path, "--format", "json")
    (watched,) = json.loads(done.stdout)["monitor"]["policies"]
    assert (watched["errors"], watched["audited"]) == (0, 1500 if by_document else 3000 - 75)


@pytest.mark.slow
def test_reports(folder, tmp_path):
    page, policy, new = tmp_path / "r.html", folder / "p.json", folder / "new.csv"
    goals = ["-o", tmp_path / "a.csv", "--review", tmp_path / "b.csv"]
    fit = ["fit", folder / "verified.csv", "--error-rate", 0.02, "-o", tmp_path / "p.json"]
    by = ["--by", "field"]
    for command, title in (
        (["plan", "--error-rate", 0.01, "--expect", 0.005], "How many outputs to verify"),
        ([*fit, *by], "The policy"),
        (["apply", policy, new, *goals], "What went through"),
        (["check", policy, new], "Have the confidences moved?"),
        (["monitor", policy, new], "The monitor"),
    ):
        out = run(*command, "--report", page).stdout
        assert str(page) in out
        assert f">{title}</h2>" in page.read_text()
        page.unlink()
    refused = refusal("monitor", policy, new, "--report", tmp_path / "x" / "r.html")
    assert "there is no directory" in refused
