"""Policies and states from files: each field is checked like an argument, and against the others."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest
from commands import refusal

from bench.fuzz import policies
from fastarac import operation


@pytest.fixture(scope="module")
def policy():
    rng = np.random.default_rng(0)
    confidence = rng.random(1000)
    return operation.fit_policy(
        rng.random(1000) >= 0.2 * (1 - confidence), confidence, max_error_rate=0.1
    )


def changed(saved, **to):
    return json.dumps(json.loads(saved.to_json()) | to)


ALONE: dict[str, None] = {"groups": None}


@pytest.mark.parametrize(
    ("to", "message"),
    [
        ({"failure_probability": 5}, "failure_probability must be a number strictly between 0 and 1,"),
        ({"failure_probability": 0.95}, r"failure_probability must be at most 0\.5, got 0\.95: it is"),
        ({"limit": 2}, r"limit must be a number strictly between 0 and 1, got 2\.0 \(2% is"),
        ({"limit": -1}, r"limit must be a number strictly between 0 and 1, got -1\.0"),
        ({"limit": True}, "limit must be a number, got true"),
        ({"limit": "0.1"}, 'limit must be a number, got "0.1"'),
        ({"limit": 10**400}, "limit must be a finite number, got an integer of 1329 bits"),
        ({"thresholds": [None]}, r"thresholds\[0\] must be a number, got null"),
        ({"thresholds": [float("nan")]}, "it is not valid JSON: JSON does not allow the number NaN"),
        ({"thresholds": []}, r"must have 1 elements \(as many as a rule of one field\), got 0"),
        ({"thresholds": ["inf"]}, r"accepted is \d+, but the thresholds accept nothing"),
        ({"criterion": "max_errors"}, 'criterion must be "max_error_rate" or "max_risk", got'),
        ({"criterion": ["max_risk"]}, 'criterion must be "max_error_rate" or "max_risk", got a list'),
        ({"fields": ["a"]}, "accept"),
        ({"fields": ["b", "a"]}, r'fields\[1\] must be more than "b" \(the value before\), got "a"'),
        ({"fields": ["a", 1]}, "fields must hold only texts"),
        ({"bound": 0.2}, r"bound must be at most 0\.10000000010000001 \(limit\), got 0\.2"),
        ({"accepted": 2000}, r"accepted must be at most 1000 \(n_items\), got 2000"),
        ({"errors": 1.0}, "errors must be an integer, got 1.0"),
        ({"n_items": 0}, "n_items must be an integer of at least 1, got 0"),
        ({"documents": "sum"}, 'documents must be "product" or "least", got "sum"'),
        ({"document_threshold": 3}, "document_threshold must be a number from -1 to 1, or inf, got 3"),
        ({"calibrations": None}, "calibrations must be a list, got null"),
        ({"calibrations": [{}]}, r'"errors" of calibrations\[0\] are missing'),
        (
            {"references": [{"edges": [1, 0], "counts": [1, 1], "quantiles": [0.0] * 11, **ALONE}]},
            r"edges\[1\]",
        ),
        ({"more": 1}, 'it is incomplete or damaged: "more" is unknown'),
        ({"version": 1.0}, "the version of the file must be 1, got 1.0"),
        ({"version": True}, "the version of the file must be 1, got true"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_policy_is_named(policy, to, message):
    if to == {"fields": ["a"]}:  # one threshold of one field is a policy
        assert operation.Policy.from_json(changed(policy, **to)).fields == ("a",)
        return
    with pytest.raises(ValueError, match=message):
        operation.Policy.from_json(changed(policy, **to))


@pytest.mark.parametrize(
    ("of", "to", "message"),
    [
        ("calibrations", {"thresholds": [0.1, 0.9], "n_items": [1, 2], "errors": [0, 1]}, "reversed"),
        ("calibrations", {"thresholds": [0.9, 0.1], "n_items": [2, 2], "errors": [1, 1]}, "must rise"),
        ("calibrations", {"thresholds": [0.9], "n_items": [2], "errors": [3]}, "at most .*n_items"),
        ("calibrations", {"thresholds": [0.9], "n_items": [0], "errors": [0]}, r"n_items\[0\] must"),
        ("calibrations", {"thresholds": [], "n_items": [], "errors": []}, "n_items is empty"),
        ("references", {"edges": [0.5], "counts": [2**60], "quantiles": [0.5] * 11, **ALONE},
         r"at most 9007199254740992 \(2\*\*53\)"),
        ("references", {"edges": [0.5], "counts": [2], "quantiles": [0.5], **ALONE},
         r"11 elements \(as many as probabilities\), got 1"),
        ("references", {"edges": [0.5], "counts": [2], "quantiles": [0.4] * 11, **ALONE},
         "must start at the first edge"),
    ],
)  # fmt: skip
def test_what_is_wrong_inside_is_named(policy, of, to, message):
    with pytest.raises(ValueError, match=message) as found:
        operation.Policy.from_json(changed(policy, **{of: [to]}))
    assert f"{of}[0]" in str(found.value)


@pytest.mark.parametrize("text", ['{"kind": 1, "kind": 2}', "[" * 100_000, "9" * 5000, "\ufeff{}"])
def test_what_is_no_json_of_ours(text):
    with pytest.raises(ValueError, match="not valid JSON"):
        operation.Policy.from_json(text)


@pytest.mark.filterwarnings("ignore::fastarac.SampleTooSmallWarning")
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "uint64", "bool"])
@pytest.mark.parametrize("labels", [None, "int", "str", "bool", "float"])
def test_what_is_fitted_can_be_read(dtype, labels):
    rng = np.random.default_rng(1)
    confidence = rng.random(500)
    correct = rng.random(500) >= 0.2 * (1 - confidence)
    if dtype in ("int64", "uint64"):
        confidence = (confidence * 2**63).astype(dtype)
    elif dtype == "bool":
        confidence = confidence >= 0.5
    else:
        confidence = confidence.astype(dtype)
    by = None if labels is None else rng.integers(2, size=500).astype(labels)
    for limit in ({"max_error_rate": 0.1}, {"max_risk": 0.2}, {"max_error_rate": 1e-6}):
        fitted = operation.fit_policy(correct, confidence, by=by, **limit)
        assert operation.Policy.from_json(fitted.to_json()) == fitted


@pytest.mark.parametrize(
    ("to", "message"),
    [
        ({"limit": 2}, r"limit must be a number strictly between 0 and 1, got 2\.0 \(2% is"),
        ({"limit": 1e-320}, "limit must be at least 1e-09, got 1e-320"),
        ({"updates": [{"errors": -3, "audited": 2}]}, r'"unanswered" of updates\[0\] are'),
        ({"pending": [None]}, r"pending\[0\] must be an object, got null"),
        ({"deadline": 3}, r"updates\[0\].drawn_at must be a number to match deadline, got null"),
        ({"policy_digest": "x"}, 'policy_digest must be a text of 64 hexadecimal digits, got "x"'),
        ({"counted": {"audits": ["0" * 24] * 2, "batches": []}}, "counted.audits has an audit"),
        ({"max_group_size": 9}, r"updates\[0\].groups must be a list to match max_group_size, got"),
        ({"max_group_size": 0}, "max_group_size must be an integer of at least 1, got 0"),
        ({"detect": "all"}, 'detect must be "both" or "proof" or "change", got "all"'),
        ({"detect": "proof"}, "detectors.change must be null for detect=proof, got an object"),
        ({"version": 1}, "the version of the file must be 2, got 1"),
        ({"detectors": {"change": {}}}, '"proof" of detectors is missing'),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_state_is_named(to, message):
    monitor = operation.ErrorRateMonitor(max_error_rate=0.01)
    monitor.update(1, 100)
    with pytest.raises(ValueError, match=message):
        operation.ErrorRateMonitor.from_json(changed(monitor, **to))
    with pytest.raises(ValueError, match=message):
        operation.ErrorRateMonitor.from_dict(monitor.to_dict() | to)


@pytest.mark.parametrize(
    ("errors", "audited", "alarm_at", "message"),
    [
        (-3, 10, None, r"updates\[0\]\.errors must be an integer of at least 0, got -3"),
        (11, 10, None, r"updates\[0\]\.errors must be at most 10 \(updates\[0\]\.audited\), got 11"),
        (50, 100, None, "detectors.proof.alarm_at must be 100 according to the updates, got null"),
        (0, 100, 100, "detectors.proof.alarm_at must be null according to the updates, got 100"),
        (50, 2**60, None, "audited must be at most 1000000000000 including all earlier audits,"),
    ],
)
def test_the_updates_of_a_state_give_its_alarm(errors, audited, alarm_at, message):
    content = operation.ErrorRateMonitor(max_error_rate=0.01).to_dict()
    update = {"errors": errors, "audited": audited, **ALONE, "drawn_at": None}
    content["updates"] = [update | {"unanswered": 0}]
    content["detectors"]["proof"]["alarm_at"] = alarm_at
    with pytest.raises(ValueError, match=message):
        operation.ErrorRateMonitor.from_dict(content)


@pytest.mark.parametrize(
    ("alarms", "message"),
    [
        ([], r"detectors.change.alarms must be \[2, 3\] according to the updates, got \[\]"),
        ([3, 2], r"detectors.change.alarms\[1\] must be more than 3 \(the value before\), got 2"),
        ([1, 2, 3], r"detectors\.change\.alarms must be \[2, 3\] according to the updates, got \[1"),
        ([2, 3, 4], r"detectors\.change\.alarms must be \[2, 3\] according to the updates, got \[2"),
        ([0], r"detectors\.change\.alarms\[0\] must be an integer of at least 1, got 0"),
    ],
)
def test_the_updates_of_a_state_give_its_changes(alarms, message):
    monitor = operation.ErrorRateMonitor(max_error_rate=0.01)
    for errors in (0, 30, 30):
        monitor.update(errors, 200)
    content = monitor.to_dict()
    assert content["detectors"]["change"]["alarms"] == [2, 3]
    content["detectors"]["change"]["alarms"] = alarms
    with pytest.raises(ValueError, match=message):
        operation.ErrorRateMonitor.from_dict(content)


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([[2, 9], [0, 3]], r"updates\[0\].errors must be 2, the sum of its groups, got 3"),
        ([[3, 9], [0, 2]], r"updates\[0\].audited must be 11, the sum of its groups, got 12"),
        ([[3, 12]], r"groups\[0\].audited must be at most 10 \(max_group_size\), got 12"),
        ([[3, 2], [0, 10]], r"groups\[0\].errors must be at most 2 \(its number audited\), got 3"),
        (
            [[3, 9], [0, 3], [0, 0]],
            r"updates\[0\]\.groups\[2\]\.audited must be an integer of at least 1,",
        ),
    ],
)
def test_the_groups_of_a_state_add_up(groups, message):
    monitor = operation.ErrorRateMonitor(max_error_rate=0.01, max_group_size=10)
    monitor.update([3, 0], [9, 3])
    assert operation.ErrorRateMonitor.from_json(monitor.to_json()) == monitor
    content = monitor.to_dict()
    content["updates"][0]["groups"] = [{"errors": s, "audited": m, "unanswered": 0} for s, m in groups]
    with pytest.raises(ValueError, match=message):
        operation.ErrorRateMonitor.from_dict(content)


def test_monitors_of_a_set_have_their_share():
    monitors = operation.MonitorSet({"a": {"max_error_rate": 0.01}, "b": {"max_risk": 0.1}})
    content = json.loads(monitors.to_json())
    content["monitors"]["b"]["detectors"]["proof"]["failure_probability"] = 0.05
    with pytest.raises(ValueError, match=r'monitors\["b"\].* must be 0.025 in this set, got 0.05'):
        operation.MonitorSet.from_json(json.dumps(content))
    content = json.loads(monitors.to_json())
    content["mean_updates_to_false_alarm"] = 400
    expected = r'monitors\["a"\]\.detectors\.change\.mean_updates_to_false_alarm must'
    with pytest.raises(ValueError, match=expected):
        operation.MonitorSet.from_json(json.dumps(content))
    content["monitors"]["b"] = 3
    with pytest.raises(ValueError, match=r'monitors\["b"\]: it is not the file of a fastarac monitor'):
        operation.MonitorSet.from_json(json.dumps(content))


@pytest.mark.parametrize(
    "to", [{"limit": 2}, {"criterion": "x"}, {"failure_probability": 5}, {"more": 1}]
)
def test_commands_refuse_a_policy_by_its_file(policy, tmp_path, to):
    path, rows = tmp_path / "policy.json", tmp_path / "rows.csv"
    path.write_text(changed(policy, **to))
    rows.write_text("confidence,correct\n0.5,1\n")
    for command in (
        ["check", path, rows],
        ["apply", path, rows, "-o", tmp_path / "a.csv", "--review", tmp_path / "r.csv"],
        ["monitor", path, rows],
    ):
        message = refusal(*command)
        assert f"{path}: " in message
        assert next(iter(to)) in message


def test_crafted_policies_and_states():
    for seed in range(600):
        policies.attempt(random.Random(seed))


@pytest.mark.parametrize("probability", [1e-20, 1e-300, 5e-324])
def test_a_policy_that_must_hardly_ever_fail_is_checked(policy, probability):
    """Bounds at such probabilities are extreme, and still numbers."""
    held = operation.Policy.from_json(changed(policy, failure_probability=probability))
    rng = np.random.default_rng(1)
    for n in (4, 2000):
        confidence = rng.random(n)
        interval = held.check(rng.random(n) >= 0.2, confidence).interval
        assert 0.0 <= interval.low <= interval.estimate < interval.high <= 1.0
