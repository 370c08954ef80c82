"""Weeks of a policy: each step as by hand, nothing counts twice, an interrupt loses nothing."""

from __future__ import annotations

import csv
import os
import shutil
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

import fastarac as fa
from fastarac.operation.monitoring.audit_files import read_logged_audits
from fastarac.weeks import running
from tests.operation.test_documents import Rows

LIMIT, BUDGET = 0.04, 120
N = 700


def outputs(rng, n, *, broken=False):
    confidence = rng.beta(2, 1, n).round(4)
    wrong = rng.random(n) < 0.4 * (1 - confidence) ** 2
    return confidence, ~wrong & ~(broken & (rng.random(n) < 0.2))


@pytest.fixture(scope="module")
def policy():
    confidence, correct = outputs(np.random.default_rng(0), 3000)
    return fa.operation.fit_policy(correct, confidence, max_error_rate=LIMIT)


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """Five weeks of outputs; from the third on, many more are wrong."""
    folder, rng = tmp_path_factory.mktemp("source"), np.random.default_rng(1)
    truth = {}
    for week in range(1, 6):
        confidence, correct = outputs(rng, N, broken=week > 2)
        names = [f"{week}.{i}" for i in range(N)]
        truth |= dict(zip(names, correct.tolist(), strict=True))
        rows = [f"{name},{c}" for name, c in zip(names, confidence, strict=True)]
        (folder / f"{week}.csv").write_text("\n".join(["name,confidence", *rows, ""]))
    return folder, truth


def answer(table, goal, truth, keep=lambda _: True):
    """Fill in the answers to the rows of a table that `keep` chooses."""
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for i, row in enumerate(rows):
        row["correct"] = int(truth[row["name"]]) if keep(i) else ""
    with goal.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return goal


def run(policy, source, root, week, **more):
    files = [] if week is None else [source[0] / f"{week}.csv"]
    return fa.weeks.run_week(policy, files, root, **{"budget": BUDGET, **more})


def answered_weeks(policy, source, root, n):
    """Run n weeks, and answer the audits of each before the next."""
    found = []
    for week in range(1, n + 1):
        found.append(run(policy, source, root, week))
        audits = root / f"week-{week:02d}" / "audits.csv"
        answer(audits, audits, source[1])
    return found


def tree(root):
    """The bytes of all files in a folder, by name."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


@pytest.mark.slow
def test_figures_are_those_of_the_steps_by_hand(policy, source, tmp_path):
    root = tmp_path / "weeks"
    found = answered_weeks(policy, source, root, 3)
    hand = tmp_path / "hand"
    hand.mkdir()
    looks = fa.operation.Looks()
    monitor = fa.operation.ErrorRateMonitor(max_error_rate=LIMIT, policy=policy, deadline=4)
    logs, share = [], None
    for week in range(1, 4):
        accepted, review, log = (hand / f"{week}-{name}" for name in ("a.csv", "r.csv", "log.parquet"))
        applied = fa.operation.apply_policy(
            policy, source[0] / f"{week}.csv", accepted=accepted, review=review
        )
        assert applied == found[week - 1].applied
        inside = root / f"week-{week:02d}"
        assert (inside / "accepted.csv").read_bytes() == accepted.read_bytes()
        share = share or BUDGET / applied.accepted
        drawn = fa.partial_truth.sample_outputs(
            [accepted, review], log, share * applied.accepted, policy=policy, random_state=week
        )
        assert int(drawn.selected.sum()) == found[week - 1].drawn
        assert pq.read_table(log).equals(pq.read_table(inside / "log.parquet"))
        logs.append(log)
    for week in range(1, 3):  # the third is not counted yet
        table = pq.read_table(root / "log.parquet").to_pydict()
        rows = [i for i, each in enumerate(table["drawn_at"]) if each <= week]
        part = {name: [column[i] for i in rows] for name, column in table.items()}
        path = tmp_path / "part.csv"
        with path.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(part)
            writer.writerows(zip(*part.values(), strict=True))
        log = fa.operation.read_audits(path, policy=policy)
        check = policy.check(
            log.correct, log.confidence, audit_probability=log.audit_probability, drawn=log.drawn,
            looks=looks,
        )  # fmt: skip
        assert check == found[week].check
        assert check.look == week
    audits = read_logged_audits(
        path, policy, confidence="confidence", correct="correct", by=None, ids="audit_id",
        groups=None, drawn_at="drawn_at",
    )  # fmt: skip
    monitor.count(audits.error, details=audits.details, ids=audits.ids, drawn_at=audits.drawn_at)
    monitor.count([False], details=[0.0], ids=["later"], drawn_at=3)
    assert (monitor.errors, monitor.audited) == (found[2].errors, found[2].audited)
    assert monitor.interval == found[2].rate


@pytest.mark.slow
def test_a_change_stops_and_the_refit_keeps_the_limit(policy, source, tmp_path):
    root = tmp_path / "weeks"
    found = answered_weeks(policy, source, root, 5)
    assert [each.go_on for each in found] == [True] * 3 + [False] * 2
    last = found[-1]
    assert last.since == 3
    assert last.decision.startswith("Stop: ")
    assert "since week 3" in last.decision
    since = pq.read_table(last.verified).to_pydict()
    assert set(since["drawn_at"]) == {3, 4}
    truth, confidence = fa.partial_truth.read_verified(last.verified)
    refit = fa.operation.fit_policy(truth, confidence, max_error_rate=0.2)
    new, correct = outputs(np.random.default_rng(2), 20_000, broken=True)
    assert np.mean(refit.apply(new) & ~correct) <= 0.2


def test_nothing_counts_twice(policy, source, tmp_path):
    root = tmp_path / "weeks"
    run(policy, source, root, 1)
    audits = root / "week-01" / "audits.csv"
    answers = answer(audits, tmp_path / "answers.csv", source[1])
    first = run(policy, source, root, 2, answers=[answers])
    before = tree(root)
    again = run(policy, source, root, 2, answers=[answers])
    assert (again.is_new, again.answered, again.known_files) == (False, 0, 1)
    assert (again.errors, again.audited, again.check) == (first.errors, first.audited, first.check)
    shutil.copy(source[0] / "2.csv", tmp_path / "renamed.csv")
    copied = fa.weeks.run_week(policy, [tmp_path / "renamed.csv"], root)
    assert not copied.is_new
    reordered = tmp_path / "reordered.csv"
    header, *rows = answers.read_text().splitlines()
    reordered.write_text("\n".join([header, *rows[::-1], ""]))
    other = run(policy, source, root, None, answers=[reordered])
    assert (other.answered, other.known) == (0, first.answered)
    changed = {name for name, content in tree(root).items() if content != before[name]}
    assert changed == {"state.json"}  # which knows another file of answers


def test_answers_that_cannot_count_are_refused(policy, source, tmp_path):
    root, one = tmp_path / "weeks", tmp_path / "one.csv"
    run(policy, source, root, 1)
    audits = root / "week-01" / "audits.csv"
    answer(audits, one, source[1], lambda i: i < 5)
    run(policy, source, root, None, answers=[one])
    before = tree(root)
    contrary = {name: not right for name, right in source[1].items()}
    answer(audits, one, contrary, lambda i: i < 7)
    with pytest.raises(fa.io.DataFileError, match=r"already has the answer \d"):
        run(policy, source, root, 2, answers=[one])
    one.write_text("audit_id,correct\n00000000-1,1\n")
    with pytest.raises(fa.io.DataFileError, match="expected the id of an audit"):
        run(policy, source, root, 2, answers=[one])
    one.write_text("id,correct\n00000000-1,1\n")
    with pytest.raises(fa.io.DataFileError, match='no column "audit_id"'):
        run(policy, source, root, 2, answers=[one])
    assert tree(root) == before


@pytest.mark.slow
def test_open_audits_wait_for_their_deadline(policy, source, tmp_path):
    root = tmp_path / "weeks"
    for week in (1, 2):
        found = run(policy, source, root, week, deadline=2)
        assert (found.counted, found.audited) == (0, 0)
        if week == 1:
            audits = root / "week-01" / "audits.csv"
            late = answer(audits, tmp_path / "late.csv", source[1], lambda i: i >= 3)
            answer(audits, audits, source[1], lambda i: i < 3)
    found = run(policy, source, root, 3)
    assert (found.counted, found.check.look) == (1, 1)
    assert found.unanswered == found.check.unanswered == run_of(root, 1) - 3
    found = run(policy, source, root, None, answers=[late])
    assert (found.answered, found.late) == (0, run_of(root, 1) - 3)
    assert found.unanswered == run_of(root, 1) - 3


def run_of(root, week):
    """The number of audits of a week."""
    return len((root / f"week-{week:02d}" / "audits.csv").read_text().splitlines()) - 1


class KilledError(BaseException):
    """What ends a run in the middle."""


@pytest.mark.slow
def test_an_interrupt_at_any_file_loses_nothing(policy, source, tmp_path, monkeypatch):
    small = tmp_path / "small"
    small.mkdir()
    for week in (1, 2):
        lines = (source[0] / f"{week}.csv").read_text().splitlines(keepends=True)
        (small / f"{week}.csv").write_text("".join(lines[:40]))
    source, start = (small, source[1]), tmp_path / "start"
    run(policy, source, start, 1, budget=5)
    audits = start / "week-01" / "audits.csv"
    answer(audits, audits, source[1])
    whole = tmp_path / "whole" / "start"
    shutil.copytree(start, whole)
    monkeypatch.chdir(whole.parent)
    run(policy, source, Path("start"), 2, budget=5)
    expected = tree(whole)
    monkeypatch.chdir(start.parent)
    killed = [0, 0]
    for committed in (
        False,
        True,
    ):  # first while the folder of the week is made, then after it is there
        for step in range(1, 30):
            with monkeypatch.context() as patched:
                stop_at(patched, step)
                try:
                    run(policy, source, Path("start"), 2, budget=5)
                except KilledError:
                    killed[committed] += 1
                    if (start / "week-02").exists() == committed:
                        continue
                break
    assert killed[0] > 8
    assert killed[1] > 3
    run(policy, source, Path("start"), 2, budget=5)
    assert tree(start) == expected


def stop_at(patched, step):
    """Kill the run before the file or folder of this number appears under its name."""
    left = [step]

    def counted(do):
        def done(path, *others):
            left[0] -= 1
            if not left[0]:
                raise KilledError
            return do(path, *others)

        return done

    for name in ("replace", "rename"):
        patched.setattr(os, name, counted(getattr(os, name)))


def test_settings_and_folders_are_kept(policy, source, tmp_path):
    root = tmp_path / "weeks"
    with pytest.raises(TypeError, match="budget is missing"):
        fa.weeks.run_week(policy, [source[0] / "1.csv"], root)
    with pytest.raises(ValueError, match="files is empty"):
        fa.weeks.run_week(policy, [], root, budget=10)
    run(policy, source, root, 1, deadline=3)
    with pytest.raises(ValueError, match="deadline is 2, but was 3"):
        run(policy, source, root, 2, deadline=2)
    with pytest.raises(ValueError, match="1 was given in an earlier week"):
        fa.weeks.run_week(policy, [source[0] / "1.csv", source[0] / "2.csv"], root)
    other = fa.operation.fit_policy([1] * 400, range(400), max_error_rate=0.02)
    with pytest.raises(ValueError, match="weeks of another policy"):
        run(other, source, root, 2)
    documents = fa.operation.fit_policy(
        [1] * 400, range(400), by=["a"] * 400, documents=range(400), max_error_rate=0.02
    )
    with pytest.raises(fa.io.DataFileError, match='there are no columns "field" and "document"'):
        run(documents, source, tmp_path / "other", 1)
    (tmp_path / "low.csv").write_text("confidence\n0\n0\n")
    with pytest.raises(ValueError, match="files has no output that the policy accepts"):
        fa.weeks.run_week(policy, [tmp_path / "low.csv"], root)
    (tmp_path / "has.csv").write_text("confidence,correct\n1,1\n")
    with pytest.raises(fa.io.DataFileError, match='already has the column "correct"'):
        fa.weeks.run_week(policy, [tmp_path / "has.csv"], root)
    assert running.Ledger.load(root).weeks[-1].number == 1


def test_a_state_is_checked(policy, source, tmp_path):
    root = tmp_path / "weeks"
    run(policy, source, root, 1)
    for path in (root / "state.json", root / "week-01" / "state.json"):
        path.write_text(path.read_text().replace('"counted": 0', '"counted": 5'))
    with pytest.raises(ValueError, match=r"counted must be at most \d+ \(the number of weeks"):
        run(policy, source, root, 2)


def test_the_update_since_which_the_rate_rose():
    monitor = fa.operation.ErrorRateMonitor(max_error_rate=0.02)
    assert monitor.changed_since is None
    for errors in (4, 5, 3, 4, 15, 18):
        monitor.update(errors, 300)
    assert monitor.changed_since == 5
    monitor.update(0, 300)
    assert monitor.changed_since == 5


def test_pages_and_words(tmp_path):
    policy = fa.operation.fit_policy([1] * 400, np.linspace(0, 100, 400), max_error_rate=0.02)
    pages = fa.ocr.sample_folders().outputs["plain"]
    week = fa.weeks.run_week(policy, [pages], tmp_path / "weeks", budget=30)
    assert week.drawn == run_of(tmp_path / "weeks", 1)
    assert (tmp_path / "weeks" / "week-01" / "audits.html").exists()
    assert not fa.weeks.run_week(policy, [pages], tmp_path / "weeks").is_new


def test_weeks_of_whole_documents(tmp_path):
    """Whole documents are drawn, checked and kept for a refit, with what was missed in them."""
    policy, root = Rows(1500).fit(optional=["po"]), tmp_path / "weeks"
    truth, errors, found = {}, 0, None
    for week in range(1, 5):
        rows = Rows(300, seed=week)
        rows.correct &= week < 3 or (rows.rejected | (np.arange(900) % 4 > 0))
        documents = [f"d{k}" for k in rows.documents]  # names recur each week
        confidence = np.where(rows.rejected, "", rows.confidence.astype(str))
        table = zip(documents, rows.by, confidence, strict=True)
        path = tmp_path / f"{week}.csv"
        lines = ["document,field,confidence", *(",".join(each) for each in table), ""]
        path.write_text("\n".join(lines))
        truth[week] = dict(zip(zip(documents, rows.by, strict=True), rows.correct, strict=True))
        found = fa.weeks.run_week(policy, [path], root, budget=200)
        inside = root / f"week-{week:02d}"
        drawn: dict[str, bool] = {}
        for name in ("audits.csv", "review.csv"):
            with (inside / name).open(newline="") as file:
                asked = list(csv.DictReader(file))
            for row in asked:
                row["correct"] = int(truth[week][row["document"], row["field"]])
                if name == "audits.csv":
                    drawn[row["document"]] = drawn.get(row["document"], True) and row["correct"] == 1
            with (inside / name).open("w", newline="") as file:
                writer = csv.DictWriter(file, asked[0])
                writer.writeheader()
                writer.writerows(asked)
        assert found.drawn_documents == len(drawn)
        if week < 4:
            errors += sum(not right for right in drawn.values())
    assert found.check.errors == found.errors == errors
    assert found.check.documents
    assert found.check.verdict == "fails"
    assert not found.go_on
    kept = pq.read_table(found.verified).to_pydict()
    assert len(kept["document"]) == 3 * found.n_verified  # each document with all its fields
    for name, field, right in zip(kept["document"], kept["field"], kept["correct"], strict=True):
        week, document = name.split("/")
        assert right == truth[int(week)][document, field]
    accepted = policy.apply(
        np.nan_to_num(np.array(kept["confidence"], float)), by=kept["field"],
        documents=kept["document"], rejected=[each is None for each in kept["confidence"]],
    )  # fmt: skip
    share = accepted.mean()  # a uniform sample: the policy accepts 66% of all documents
    assert abs(share - 0.66) < 3 * np.sqrt(0.66 * 0.34 / found.n_verified)


def test_states_from_before_documents_are_read(policy, source, tmp_path):
    root = tmp_path / "weeks"
    run(policy, source, root, 1)
    for path in (root / "state.json", root / "week-01" / "state.json"):
        text = path.read_text()
        for name in ("documents", "types"):
            text = text.replace(f'   "{name}": null,\n', "")
        assert '"documents"' not in text
        path.write_text(text)
    assert run(policy, source, root, 2).number == 2
