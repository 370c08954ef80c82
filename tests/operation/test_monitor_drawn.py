"""Audits counted by when their outputs were drawn: the order of answers decides nothing."""

from __future__ import annotations

import datetime as dt
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastarac import operation


def monitor_of(deadline=14, limit=0.05, **options):
    return operation.ErrorRateMonitor(max_error_rate=limit, deadline=deadline, **options)


def told(monitor, outcomes, ids, drawn_at):
    return monitor.count(outcomes, details=ids, ids=ids, drawn_at=drawn_at)


def test_open_audits_hold_back_what_was_drawn_later():
    monitor = monitor_of()
    assert told(monitor, [True, None, False], ["a", "b", "c"], "2026-03-02") == 3
    assert told(monitor, [False] * 2, ["d", "e"], "2026-03-09") == 2
    assert (monitor.audited, monitor.open) == (0, 1)
    assert "1 audit is open: audits drawn at the same time or later count only " in str(monitor)
    again = operation.ErrorRateMonitor.from_json(monitor.to_json())
    assert again == monitor
    for each in (monitor, again):
        assert told(each, [True, False, False], ["a", "b", "c"], "2026-03-02") == 1
        assert told(each, [True, None, False], ["a", "b", "c"], "2026-03-02") == 0
        assert (each.errors, each.audited, each.open) == (1, 3, 0)
    assert again == monitor
    with pytest.raises(ValueError, match=r'ids\[0\] is "b"; another audit with this id was counted'):
        told(monitor, [True], ["b"], "2026-03-02")
    with pytest.raises(
        ValueError, match=r"drawn_at\[0\] is .*; audits drawn up to .* are already counted"
    ):
        told(monitor, [True], ["z"], "2026-03-02")
    assert monitor == again


def test_after_the_deadline():
    monitor = monitor_of(limit=0.2)
    told(monitor, [True, None, False, None], list("abcd"), 0)
    told(monitor, [False], ["e"], 13.5)
    assert monitor.audited == 0
    told(monitor, [False], ["f"], 14)
    assert (monitor.errors, monitor.audited, monitor.unanswered, monitor.open) == (1, 5, 2, 0)
    plain = operation.ErrorRateMonitor(max_error_rate=0.2)
    plain.update(1, 4)
    plain.update(0, 1)
    worst = operation.ErrorRateMonitor(max_error_rate=0.2)
    worst.update(3, 5)
    assert monitor.e_value == plain.e_value
    assert monitor.change_statistic == plain.change_statistic
    assert (monitor.interval.low, monitor.interval.high) == (plain.interval.low, worst.interval.high)
    assert monitor.history().high[-1] == worst.interval.high
    assert "audits without an answer at their deadline (2) count as right for alarms" in str(monitor)
    assert told(monitor, [True], ["b"], 0) == 0  # too late: it changes nothing, and is said
    assert monitor.answered_late == 1
    assert (monitor.errors, monitor.unanswered) == (1, 2)
    assert operation.ErrorRateMonitor.from_json(monitor.to_json()) == monitor


@given(st.integers(0, 10**6))
@settings(max_examples=15, deadline=None)
def test_the_order_of_answers_decides_nothing(seed):
    """Against all answers at once, where none misses its deadline."""
    rng = np.random.default_rng(seed)
    wrong = rng.random((6, 8)) < 0.2
    answered = rng.integers(0, 4, wrong.shape) + np.arange(6)[:, None]
    late, once = monitor_of(4, 0.1), operation.ErrorRateMonitor(max_error_rate=0.1)
    for week in range(10):
        for of in range(min(week + 1, 6)):
            outcomes = [
                bool(w) if at <= week else None for w, at in zip(wrong[of], answered[of], strict=True)
            ]
            told(late, outcomes, [f"{of}-{i}" for i in range(8)], of) if of >= week - 3 else None
        if rng.random() < 0.3:
            late = operation.ErrorRateMonitor.from_json(late.to_json())
    for each in wrong[:5]:  # the last week waits for a later one
        once.update(int(each.sum()), 8)
    assert (late.errors, late.audited, late.unanswered) == (once.errors, once.audited, 0)
    assert (late.e_value, late.changes) == (once.e_value, once.changes)
    for mine, theirs in zip(late.history(), once.history(), strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.slow
@pytest.mark.parametrize("deadline", [6, 2])
def test_late_right_answers_give_no_false_alarms(deadline):
    """A year at the limit; errors are known at once, right outputs four weeks later."""
    rng = np.random.default_rng(2)
    runs, alarms, missed = 60, 0, 0
    for _ in range(runs):
        monitor = monitor_of(deadline, detect="proof")
        wrong = rng.random((52, 20)) < 0.05
        for week in range(52):
            ids = np.array([f"{week}-{i}" for i in range(20)])
            told(monitor, np.where(wrong[week], 1.0, np.nan), ids, week)
            if week >= 4:
                ids = np.array([f"{week - 4}-{i}" for i in range(20)])[~wrong[week - 4]]
                told(monitor, np.zeros(len(ids)), ids, week - 4)
        alarms += monitor.alarm
        history = monitor.history()
        missed += not ((history.low <= 0.05) & (history.high >= 0.05)).all()
    tolerance = 2.5 * math.sqrt(0.05 * 0.95 / runs)
    assert alarms / runs <= 0.05 + tolerance
    assert missed / runs <= 0.05 + tolerance


def test_times():
    for times in (dt.date(2026, 3, 2), np.datetime64("2026-03-02T12:00"), 7, "2026-03-02T08:00"):
        monitor = monitor_of()
        monitor.update(1, 10, drawn_at=times)
        assert monitor.audited == 0
        assert operation.ErrorRateMonitor.from_json(monitor.to_json()) == monitor
    monitor.update(0, 10, drawn_at="2026-03-03", batch="x")
    monitor.update(0, 10, drawn_at="2026-03-03", batch="x")
    assert (monitor.errors, monitor.audited) == (1, 10)
    for given_, error, message in (
        (
            {"drawn_at": "monday"},
            ValueError,
            "drawn_at must hold numbers, or dates such as 2026-03-02, got",
        ),
        ({"drawn_at": math.nan}, ValueError, r"drawn_at\[0\] is nan; use a finite number or a date"),
        (
            {"drawn_at": "2026-03-02"},
            ValueError,
            r"drawn_at\[0\] is 20514; audits drawn up to 20514\.3 are already",
        ),
        ({}, TypeError, "drawn_at is missing"),
    ):
        with pytest.raises(error, match=message):
            monitor.update(1, 10, **given_)
    with pytest.raises(TypeError, match="drawn_at is given, but the monitor has no deadline"):
        operation.ErrorRateMonitor(max_error_rate=0.1).update(1, 2, drawn_at=3)
    with pytest.raises(TypeError, match="ids is missing"):
        monitor.count([True], details=[1], drawn_at=30000)
    with pytest.raises(ValueError, match="outcomes"):
        told(monitor, [2], ["q"], 30000)
    with pytest.raises(ValueError, match="deadline must be a finite number above 0"):
        monitor_of(0)


class TestGroups:
    """Pages that are audited whole, with answers that come late."""

    @staticmethod
    def told(monitor, outcomes, ids, pages, at):
        details = [f"page {page}" for page in pages]
        return monitor.count(outcomes, details=details, ids=ids, groups=pages, drawn_at=at)

    def test_is_that_of_updates_once_all_has_an_answer(self):
        late, once = (
            operation.ErrorRateMonitor(max_error_rate=0.1, max_group_size=3, **options)
            for options in ({"deadline": 4}, {})
        )
        self.told(late, [None, True, None], ["a", "b", "c"], ["p", "p", "q"], 0)
        self.told(late, [True, False], ["d", "e"], ["p", "q"], 1)  # other pages of the same names
        assert (late.audited, late.open) == (0, 2)
        late = operation.ErrorRateMonitor.from_json(late.to_json())
        self.told(late, [False, True], ["a", "c"], ["p", "q"], 0)
        once.update([1, 1], [2, 1])
        assert (late.errors, late.audited, late.e_value) == (2, 3, once.e_value)
        assert (late.change_statistic, late.interval) == (once.change_statistic, once.interval)
        late.update([2, 0], [3, 1], drawn_at=2)
        once.update([1, 0], [1, 1])
        assert late.e_value == once.e_value
        late.update([0], [1], drawn_at=3)
        once.update([2, 0], [3, 1])
        assert late.e_value == once.e_value
        assert operation.ErrorRateMonitor.from_json(late.to_json()) == late

    def test_what_has_no_answer_at_its_deadline(self):
        monitor, right, wrong = (
            operation.ErrorRateMonitor(max_error_rate=0.1, max_group_size=3, **options)
            for options in ({"deadline": 2}, {}, {})
        )
        self.told(monitor, [None, True, None], ["a", "b", "c"], ["p", "p", "q"], 0)
        self.told(monitor, [False], ["d"], ["r"], 2)
        right.update([1, 0], [2, 1])
        wrong.update([2, 1], [2, 1])
        assert (monitor.errors, monitor.audited, monitor.unanswered) == (1, 3, 2)
        assert (monitor.e_value, monitor.interval.low) == (right.e_value, right.interval.low)
        assert monitor.interval.high == wrong.interval.high == 1.0
        assert self.told(monitor, [True], ["a"], ["p"], 0) == 0
        assert monitor.answered_late == 1
        assert operation.ErrorRateMonitor.from_json(monitor.to_json()) == monitor
        assert monitor.history().high.tolist() == [1.0]

    def test_what_is_refused(self):
        monitor = operation.ErrorRateMonitor(max_error_rate=0.1, max_group_size=2, deadline=4)
        self.told(monitor, [None, True], ["a", "b"], ["p", "p"], 0)
        before = monitor.to_json()
        with pytest.raises(ValueError, match=r"groups\[0\] is \"p\"; the group has 3 or more audits"):
            self.told(monitor, [True], ["c"], ["p"], 0)
        with pytest.raises(
            ValueError, match=r"ids\[0\] is \"a\"; another audit with this id was counted"
        ):
            monitor.count([True], details=["page p"], ids=["a"], groups=["q"], drawn_at=0)
        with pytest.raises(TypeError, match="groups is missing"):
            monitor.count([True], details=[1], ids=["c"], drawn_at=0)
        assert monitor.to_json() == before
        state = json.loads(before)
        for change, message in (
            ({"group": "0" * 15}, "group"),
            ({"answered": 5}, r"pending\[0\] has more audits than max_group_size, 2"),
        ):
            changed = {**state, "pending": [{**state["pending"][0], **change}]}
            with pytest.raises(ValueError, match=message):
                operation.ErrorRateMonitor.from_dict(changed)
        with pytest.raises(ValueError, match="group occurs twice"):
            operation.ErrorRateMonitor.from_dict(
                {**state, "pending": [{**each, "open": []} for each in 2 * state["pending"]]}
            )


@pytest.mark.slow
def test_late_right_answers_of_pages_give_no_false_alarms():
    """A year of eight pages a week that are wrong as a whole or not at all, just at the limit."""
    rng = np.random.default_rng(3)
    runs, alarms = 60, 0
    for _ in range(runs):
        monitor = operation.ErrorRateMonitor(
            max_error_rate=0.05, max_group_size=3, deadline=2, detect="proof"
        )
        for week in range(52):
            wrong = np.repeat(rng.random(8) < 0.05, 3)
            monitor.count(
                np.where(wrong, 1.0, np.nan), details=np.zeros(24), drawn_at=week,
                ids=[f"{week}-{i}" for i in range(24)], groups=np.arange(24) // 3,
            )  # fmt: skip
        alarms += monitor.alarm
    assert alarms / runs <= 0.05 + 2.5 * math.sqrt(0.05 * 0.95 / runs)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c.update(deadline=None), r"updates\[0\].drawn_at must be null to match deadline"),
        (lambda c: c.update(pending=[]), "pending is empty: it must hold the audits drawn last"),
        (lambda c: c["pending"][0].update(drawn_at=-5), r"pending\.drawn_at\[1\] must be more than"),
        (lambda c: c["pending"][0].update(errors=9), r"pending\[0\]\.errors must be at most .* \(its"),
        (lambda c: c["pending"][0].update(open=[]), r"pending\[0\] waits neither for an answer"),
        (lambda c: c["pending"][0]["open"].append(c["pending"][0]["open"][0]), "has an audit twice"),
        (lambda c: c["updates"][0].update(unanswered=9), r"must be at most .* \(audited - errors\)"),
        (lambda c: c["pending"][1].update(answered=0), r"pending\[1\] must have at least one audit"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_state_is_named(change, message):
    monitor = monitor_of()
    told(monitor, [True, False], ["a", "b"], 0)
    told(monitor, [True, None], ["c", "d"], 1)
    told(monitor, [False], ["e"], 2)
    content = json.loads(monitor.to_json())
    change(content)
    with pytest.raises(ValueError, match=message):
        operation.ErrorRateMonitor.from_dict(content)
