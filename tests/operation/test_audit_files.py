"""Logs of audits in a monitor: accepted outputs that were drawn, and as many of the rejected."""

from __future__ import annotations

import csv

import numpy as np
import pytest

import fastarac as fa
from fastarac.io import DataFileError
from fastarac.operation import ErrorRateMonitor
from fastarac.operation.monitoring.audit_files import is_drawn_log, read_logged_audits

COLUMNS = {"confidence": "confidence", "correct": "correct", "by": None, "groups": None}


@pytest.fixture(scope="module")
def policy():
    rng = np.random.default_rng(0)
    confidence = rng.random(4000)
    return fa.operation.fit_policy(
        rng.random(4000) >= 0.2 * (1 - confidence), confidence, max_error_rate=0.05
    )


def log_of(path, policy, n=1000, share=0.2, seed=1, is_open=0.0):
    """Write the log of one time; the answers of what was drawn, and of nothing else, are filled in."""
    rng = np.random.default_rng(seed)
    confidence = rng.random(n)
    right = rng.random(n) >= 0.2 * (1 - confidence)
    accepted = policy.apply(confidence)
    drawn = accepted & (rng.random(n) < share)
    told = drawn & (rng.random(n) >= is_open)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "confidence", "accepted", "drawn", "audit_probability", "correct"])
        for i in range(n):
            answer = int(right[i]) if told[i] else ""
            probability = share if accepted[i] else 1.0
            writer.writerow(
                [f"{seed}-{i}", confidence[i], int(accepted[i]), int(drawn[i]), probability, answer]
            )
    return accepted, drawn, right


def test_a_log_is_a_plain_sample(policy, tmp_path):
    path = tmp_path / "log.csv"
    accepted, drawn, right = log_of(path, policy, n=5000)
    assert is_drawn_log(path)
    audits = read_logged_audits(path, policy, ids="id", **COLUMNS)
    assert np.array_equal(audits.rows[accepted[audits.rows]], np.flatnonzero(drawn))
    assert np.array_equal(audits.error, (accepted & ~right)[audits.rows])
    rejected = int((~accepted).sum())
    share = (~accepted[audits.rows]).sum() / rejected
    assert share == pytest.approx(0.2, abs=4 * np.sqrt(0.16 / rejected))
    again = read_logged_audits(path, policy, ids="id", **COLUMNS)
    assert np.array_equal(audits.rows, again.rows)


def test_rejected_outputs_have_no_part_in_a_risk(policy, tmp_path):
    import dataclasses

    path = tmp_path / "log.csv"
    accepted, drawn, _ = log_of(path, policy)
    audits = read_logged_audits(
        path, dataclasses.replace(policy, criterion="max_risk"), ids="id", **COLUMNS
    )
    assert np.array_equal(audits.rows, np.flatnonzero(drawn & accepted))


def test_open_answers_are_known_as_such(policy, tmp_path):
    path = tmp_path / "log.csv"
    _, drawn, _ = log_of(path, policy, is_open=0.5)
    audits = read_logged_audits(path, policy, ids="id", **COLUMNS)
    assert 0.3 * drawn.sum() < np.isnan(audits.error).sum() < 0.7 * drawn.sum()


def test_probabilities_that_differ_are_refused_of_accepted_outputs_alone(policy, tmp_path):
    path = tmp_path / "log.csv"
    log_of(path, policy)
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        if float(row["confidence"]) > 0.9:
            row["audit_probability"] = "0.25"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    with pytest.raises(
        DataFileError, match=r'"audit_probability" holds "0\.25"; other rows have 0\.2; use a'
    ):
        read_logged_audits(path, policy, ids="id", **COLUMNS)


class TestOpenAudits:
    """Without a deadline an audit without an answer counts at once, as right for alarms."""

    def test_a_late_answer_changes_nothing(self):
        monitor = ErrorRateMonitor(max_error_rate=0.1)
        assert monitor.count([True, None], details=[0.9, 0.8], ids=["a", "b"]) == 2
        assert (monitor.errors, monitor.audited, monitor.unanswered) == (1, 2, 1)
        assert monitor.count([1.0, 1.0], details=[0.9, 0.8], ids=["a", "b"]) == 0
        assert (monitor.errors, monitor.answered_late) == (1, 1)
        assert "audits without an answer when they were counted (1)" in str(monitor)
        assert ErrorRateMonitor.from_json(monitor.to_json()) == monitor

    def test_another_audit_of_the_id_is_refused(self):
        monitor = ErrorRateMonitor(max_error_rate=0.1)
        monitor.count([None, False], details=[0.9, 0.7], ids=["a", "b"])
        with pytest.raises(ValueError, match="no two audits may share an id"):
            monitor.count([True], details=[0.5], ids=["a"])
        with pytest.raises(ValueError, match="no two audits may share an id"):
            monitor.count([True], details=[0.7], ids=["b"])

    def test_groups(self):
        monitor = ErrorRateMonitor(max_error_rate=0.1, max_group_size=5)
        outcomes = [True, None, False, None]
        monitor.count(outcomes, details=[1, 2, 3, 4], ids=list("abcd"), groups=list("xxyy"))
        assert monitor.to_dict()["updates"][0]["groups"] == [
            {"errors": 1, "audited": 2, "unanswered": 1},
            {"errors": 0, "audited": 2, "unanswered": 1},
        ]
        assert ErrorRateMonitor.from_json(monitor.to_json()) == monitor

    def test_ids_are_needed(self):
        monitor = ErrorRateMonitor(max_error_rate=0.1)
        with pytest.raises(TypeError, match="ids is missing"):
            monitor.count([True, None], details=[0.9, 0.8])

    def test_the_upper_end_counts_them_as_errors(self):
        ends = []
        for second in (None, False, True):
            monitor = ErrorRateMonitor(max_error_rate=0.1)
            monitor.count([False, second], details=[0, 1], ids=["a", "b"])
            ends.append((monitor.interval.low, monitor.interval.high))
        assert ends[0] == (ends[1][0], ends[2][1])
