"""What is said of policies and their checks, of what they divided, and of monitors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fastarac import operation
from fastarac._core.text import percent, sentence
from fastarac.answers import application, monitoring, policies
from fastarac.operation.logs import AuditColumns

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
    threshold = policy.thresholds[0]
    assert found.screen.answer == [
        (
            f"Accept {percent(policy.acceptance_rate, 3)} of the outputs at confidence >= {threshold}: "
            "with 95% confidence, at most 3% of all outputs are accepted and wrong."
        ),
        (
            f"In this sample, {policy.errors} of 4,000 outputs are accepted and wrong "
            f"({percent(policy.errors / N, 3)})."
        ),
    ]
    assert found.figures["thresholds"][0]["threshold"] == policy.thresholds[0]
    assert found.screen.table is None
    nothing = policies.fit_answer(replace(policy, accepted=0))
    assert nothing.screen.answer == [
        "No threshold keeps the limit of 3% with 95% confidence: review everything."
    ]


def test_a_fit_by_halves_and_in_part(policy):
    by = np.resize(["a", "b"], N)
    halves = operation.fit_policy(*outputs(0), by=by, max_error_rate=0.05)
    assert policies.tested_sentence(halves).startswith(
        "In the half of the sample that tested the limit, "
    )
    table = policies.fit_answer(halves).screen.table
    assert table is not None
    assert table.names == ["a", "b"]


def test_a_fit_in_part_expects_as_many_errors_as_its_policy(policy):
    part = replace(policy, n_verified=100, errors=30.0, errors_by_field=(30.0,), errors_per_group=15.0)
    expected = part.expected_errors([part.accepted]).estimate
    assert expected > 40.0
    assert policies.tested_sentence(part) == (
        f"In this sample, with 100 verified outputs, about {expected:.3g} of 4,000 outputs are "
        f"accepted and wrong ({percent(expected / N, 3)})."
    )
    found = policies.fit_answer(part)
    assert found.figures["errors"] == expected
    assert any("drawn at random, with the given" in each for each in found.sentences())


def test_a_check(policy, check):
    shift = policy.shift(outputs(1)[1])
    found = policies.check_answer(policy, check, shift)
    share = f"{100 * check.accepted / N:.3g}"
    low, rate, high = (
        percent(each, 3) for each in (check.interval.low, check.interval.estimate, check.interval.high)
    )
    first, *_, accepted, moved = found.sentences()
    assert [first, accepted, moved] == [
        (
            f"Too few outputs to tell whether the limit of 3% holds: {rate} of these outputs are "
            f"accepted and wrong; the true rate is {low} to {high} with 90% confidence."
        ),
        f"{check.accepted:,} of 4,000 outputs are accepted ({share}%).",
        f"The confidences have not visibly moved since the fit (p = {shift.pvalue:.2g}).",
    ]
    assert found.figures["verdict"] == check.verdict == "too few"
    for verdict, end in (("holds", f"at most {high}"), ("fails", f"at least {low}")):
        assert replace(check, verdict=verdict).decision == (
            f"the limit of 3% {verdict}: {rate} of these outputs are accepted and wrong, and with 95% "
            f"confidence {end} of all outputs like these"
        )
    assert found.figures["shifted"] is False


def test_a_check_with_items_that_are_not_read(check):
    found = replace(check, n_items=1000, accepted=500, n_unread=1000)
    assert policies.accepted_sentence(found) == (
        "500 of 2,000 items are accepted (25%); the limit applies to the 1,000 items with an output, "
        "of which 50% are accepted."
    )


def test_notes_of_a_check(policy, check):
    assert policies.accepted_alone_note(policy, check.n_items, check.accepted) == []
    doubtful = replace(policy, accepted=N // 2)
    (note,) = policies.accepted_alone_note(doubtful, N, N)
    assert note.text == (
        "All 4,000 outputs here are accepted, but in general the policy accepts 50%: the limit is a "
        "share of all outputs, so add the rejected ones."
    )
    for documents, fate in ((False, "rejects"), (True, "ignores")):
        note = policies.unknown_fields_note(replace(check, unknown_fields=1, documents=documents))
        assert note.text == f"The policy {fate} 1 output of unknown fields."


def test_a_log_says_what_it_guarantees(policy):
    correct, confidence = outputs(2)
    accepted, drawn = confidence >= policy.thresholds[0], np.ones(N, np.bool_)
    log = AuditColumns(correct * 1.0, confidence, np.ones(N), accepted, accepted, None, drawn, None)
    point = policies.point_of_log(policy, log)
    found = policies.check_answer(
        policy, policy.check(correct, confidence), policy.shift(confidence), log
    )
    assert f"A threshold fitted to this log: {point}." in found.sentences()
    assert policies.point_of_log(replace(policy, criterion="max_risk"), log) is None
    # what was drawn has to be known
    assert policies.point_of_log(policy, log._replace(drawn=None)) is None


def test_what_was_divided(policy, tmp_path):
    table = tmp_path / "a.csv"
    table.write_text("confidence\n" + "".join(f"{x}\n" for x in outputs(3)[1] / 2))
    goals = {"accepted": tmp_path / "yes.csv", "review": tmp_path / "no.csv"}
    applied = operation.apply_policy(policy, table, **goals)
    found = application.application_answer(applied, lacks_groups=True)
    assert found.figures["accepted"] == applied.accepted
    assert found.warnings == [
        f"{sentence(applied.warning)} Verify a random sample of these outputs and run fastarac check.",
        application.GROUPS_NOTE,
    ]
    assert found.screen.answer[0].startswith(f"Accept {applied.accepted:,} of 4,000 outputs (")
    expected = f"Expect about {applied.expected_errors:.3g} errors among the accepted ones ("
    assert found.screen.answer[1].startswith(expected)


def test_a_monitor(policy):
    monitor = operation.ErrorRateMonitor(max_error_rate=0.03)
    monitor.update(0, 10)
    told = {"policies": {"": policy}, "monitors": {"": monitor}, "shifts": {"": None}}
    found = monitoring.monitor_answer(**told, changes={"": ()}, alone="p")
    assert found.screen.answer == [
        (
            "No alarm: nothing proves that the error rate exceeds the limit of 3%; 0 of 10 audits "
            f"found an error, 0% (0% to {percent(monitor.interval.high, 3)} with 95% confidence)."
        )
    ]
    assert found.figures["alarm"] is found.figures["changed"] is False
    assert found.figures["policies"][0]["name"] == "p"
    found = monitoring.monitor_answer(**told, changes={"": (2, 1003)}, alone="p")
    assert found.screen.answer[0].startswith(
        "Alarm at update 2 and 1,003: the error rate had risen above the limit of 3%; 0 of 10 audits "
    )
    assert found.figures["changed"] is True


def test_notes_of_audits():
    assert monitoring.recounted_note(3, 3) == []
    assert monitoring.recounted_note(3, 0) == [
        "its 3 audits were counted before and do not count again"
    ]
    assert monitoring.recounted_note(3, 1) == [
        "2 of its 3 audits were counted before and do not count again"
    ]
    assert monitoring.late_note(0, has_deadline=True) == []
    assert monitoring.late_note(2, has_deadline=True) == [
        "2 answers came after their deadline and no longer count"
    ]
    assert monitoring.late_note(2, has_deadline=False) == [
        "2 answers came after their audits were counted and no longer count"
    ]
    assert monitoring.unanswered_note(0) == []
    (said,) = monitoring.unanswered_note(4)
    assert said == (
        "4 audits without an answer count as right for alarms; to wait for answers, use --deadline "
        "TIME and a column drawn_at"
    )
