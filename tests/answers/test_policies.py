"""What is said of policies and their checks, of what they divided, and of monitors."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fastarac import operation
from fastarac.answers import application, monitoring, policies

N = 4000


def outputs(seed, worst=0.1):
    rng = np.random.default_rng(seed)
    confidence = rng.random(N).round(4)
    return rng.random(N) >= worst * (1 - confidence), confidence


@pytest.fixture(scope="module")
def policy():
    return operation.fit_policy(*outputs(0), max_error_rate=0.03)


@pytest.fixture(scope="module")
def check(policy):
    return policy.check(*outputs(1))


def test_a_fit(policy):
    found = policies.fit_answer(policy)
    assert found.sentences[0].startswith("Accept ")
    assert found.sentences[1] == (
        f"Tested on 4,000 outputs: {policy.accepted:,} accepted, {policy.errors:,} errors among them."
    )
    assert found.figures["thresholds"][0]["threshold"] == policy.thresholds[0]
    assert not found.names


def test_a_fit_by_halves_and_in_part(policy):
    by = np.resize(["a", "b"], N)
    halves = operation.fit_policy(*outputs(0), by=by, max_error_rate=0.05)
    assert ", the random half that did not rank them: " in policies.tested_sentence(halves)
    assert policies.fit_answer(halves).names == ["a", "b"]
    part = replace(policy, n_verified=100, errors=2.5)
    assert policies.tested_sentence(part) == (
        f"Tested on 4,000 outputs, of which 100 are verified: {policy.accepted:,} accepted, about 2.5 "
        "errors among them."
    )


def test_a_check(policy, check):
    shift = policy.shift(outputs(1)[1])
    found = policies.check_answer(policy, check, shift)
    share = f"{100 * check.accepted / N:.4g}"
    assert found.sentences[1] == (
        f"{check.accepted:,} of 4,000 outputs are accepted ({share}%). The confidences have not "
        f"visibly moved (p = {shift.pvalue:.2g})."
    )
    assert found.figures["verdict"] == check.verdict
    assert found.figures["shifted"] is False


def test_a_check_with_items_that_are_not_read(check):
    found = replace(check, n_items=1000, accepted=500, n_unread=1000)
    assert policies.accepted_sentence(found) == (
        "500 of 2,000 items are accepted (25%; 50% of the 1,000 that are read, of which the limit is)."
    )


def test_notes_of_a_check(policy, check):
    assert policies.accepted_alone_note(check, policy) == []
    doubtful = replace(policy, accepted=N // 2)
    (note,) = policies.accepted_alone_note(replace(check, accepted=N), doubtful)
    assert note == (
        "all 4,000 are accepted, where the policy accepts 50%: the limit is one of accepted and "
        "rejected ones together; add those that were not accepted, unless there were none"
    )
    assert policies.unknown_fields_note(check) == []
    for documents, fate in ((False, "are rejected"), (True, "decide nothing")):
        (note,) = policies.unknown_fields_note(replace(check, unknown_fields=1, documents=documents))
        assert note == f"1 output of fields that the policy does not know {fate}"


def test_a_log_says_what_it_guarantees(policy):
    correct, confidence = outputs(2)
    sweep = operation.audited_sweep(
        correct, confidence, threshold=policy.thresholds[0], audit_probability=np.ones(N)
    )
    point = policies.point_of_log(policy, sweep)
    found = policies.check_answer(
        policy, policy.check(correct, confidence), policy.shift(confidence), sweep
    )
    assert found.sentences[-1] == f"A threshold fitted to this log: {point}."
    assert policies.point_of_log(replace(policy, criterion="max_risk"), sweep) is None


def test_what_was_divided(policy, tmp_path):
    table = tmp_path / "a.csv"
    table.write_text("confidence\n" + "".join(f"{x}\n" for x in outputs(3)[1] / 2))
    goals = {"accepted": tmp_path / "yes.csv", "review": tmp_path / "no.csv"}
    applied = operation.apply_policy(policy, table, **goals)
    found = application.application_answer(applied, Path("a.csv"), lacks_groups=True)
    assert found.figures["accepted"] == applied.accepted
    assert found.notes == (application.GROUPS_NOTE,)
    assert list(found.warnings) == [
        f"a.csv: {applied.warning}; verify a random sample of them for fastarac check"
    ]


def test_a_monitor(policy):
    monitor = operation.ErrorRateMonitor(max_error_rate=0.03)
    monitor.update(0, 10)
    told = {"policies": {"": policy}, "monitors": {"": monitor}, "shifts": {"": None}}
    found = monitoring.monitor_answer(**told, changes={"": ()}, alone="p")
    assert found.sentences == [f"N{str(monitor)[1:]}."]
    assert found.figures["alarm"] is found.figures["changed"] is False
    assert found.figures["policies"][0]["name"] == "p"
    found = monitoring.monitor_answer(**told, changes={"": (2, 1003)}, alone="p")
    assert found.sentences[0].endswith(
        " These files gave alarms of a change: 2 and 1,003 of all updates."
    )
    assert found.figures["changed"] is True


def test_notes_of_audits():
    assert monitoring.recounted_note(3, 3) == []
    assert monitoring.recounted_note(3, 0) == ["its 3 audits were counted before, and count once"]
    assert monitoring.recounted_note(3, 1) == ["2 of its 3 audits were counted before, and count once"]
    assert monitoring.late_note(0, has_deadline=True) == []
    assert monitoring.late_note(2, has_deadline=True) == [
        "2 answers came after their deadline, and count no more"
    ]
    assert monitoring.late_note(2, has_deadline=False) == [
        "2 answers came after their audits were counted, and count no more"
    ]
    assert monitoring.unanswered_note(0) == []
    (said,) = monitoring.unanswered_note(4)
    assert said == (
        "4 audits without an answer count as right for alarms; --drawn-at COLUMN and --deadline TIME "
        "wait for answers"
    )
