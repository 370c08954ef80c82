"""Policies and states of monitors: refused with a message, or what their own makers could have made."""

from __future__ import annotations

import copy
import json
import math
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from fastarac import operation

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator

    Kind = Callable[[str], Any]

LONGEST_MESSAGE = 1000
WORDS = (
    "",
    "inf",
    "-inf",
    "nan",
    "max_risk",
    "max_error_rate",
    "product",
    "least",
    "0" * 64,
    "\ud800",
    "ä" * 5000,
)
NUMBERS = (0, 1, -1, 2, 5, 0.5, -0.0, 1e-320, 1e-9, 1e300, 2**53, 2**63, 2**64, -(2**70), 10**400)
SPECIALS = (math.nan, math.inf, -math.inf)
OTHERS = (None, True, False, [], {}, [[]], [None], {"a": 1})


@cache
def valid() -> tuple[tuple[Kind, str], ...]:
    """Policies and states of every kind, as texts, with what reads them."""
    rng = np.random.default_rng(0)
    n = 400
    confidence = rng.random(n).round(2)
    correct = rng.random(n) >= 0.3 * (1 - confidence)
    columns: list[dict[str, Any]] = [
        {"max_error_rate": 0.1},
        {"max_error_rate": 0.008},
        {"max_error_rate": 0.1, "by": rng.choice(["date", "name"], n)},
        {"max_risk": 0.3, "by": rng.integers(3, size=n)},
        {"max_error_rate": 0.3, "documents": np.arange(n) // 2},
        {
            "max_error_rate": 0.3,
            "documents": np.arange(n) // 2,
            "by": np.tile(["date", "name"], n // 2),
            "rejected": (np.arange(n) % 10) == 3,
            "optional": ["name"],
            "types": np.where(np.arange(n) // 2 % 3, "invoice", "receipt"),
        },
    ]
    policies = [operation.fit_policy(correct, confidence, **each) for each in columns]
    texts: list[tuple[Kind, str]] = [(operation.Policy.from_json, each.to_json()) for each in policies]
    one = operation.ErrorRateMonitor(max_error_rate=0.01, policy=policies[0])
    one.update(3, 100, batch="monday")
    one.count([True, False], details=[0.5, 0.7], ids=["a", "b"])
    alarmed = operation.ErrorRateMonitor(max_risk=0.02)
    alarmed.update(20, 100)
    alarmed.update(0, 100)
    pages = operation.ErrorRateMonitor(max_error_rate=0.01, max_group_size=40)
    pages.update([0, 30, 1], [40, 38, 25])
    changes = operation.ErrorRateMonitor(max_error_rate=0.01, detect="change")
    for errors in (0, 9, 9):
        changes.update(errors, 100)
    late = operation.ErrorRateMonitor(max_error_rate=0.1, deadline=2)
    for day in range(3):
        late.count([True, None], details=[0, 1], ids=[f"{day}a", f"{day}b"], drawn_at=day)
    several = operation.MonitorSet({"a": {"max_error_rate": 0.01}, "b": {"max_risk": 0.1}})
    several["b"].count([True] * 12, details=list(range(12)))
    texts += [
        (operation.ErrorRateMonitor.from_json, each.to_json()) for each in (one, alarmed, pages, late)
    ]
    texts.append((operation.ErrorRateMonitor.from_json, changes.to_json()))
    return (*texts, (operation.MonitorSet.from_json, several.to_json()))


def attempt(rng: random.Random) -> None:
    """Read one policy or state that was changed in one to three places."""
    read, text = rng.choice(valid())
    content = json.loads(text)
    for _ in range(rng.randint(1, 3)):
        change(content, rng)
    changed = json.dumps(content, ensure_ascii=rng.random() < 0.5)
    if rng.random() < 0.1:
        changed = damaged(changed, rng)
    refused = ""
    try:
        found = read(changed)
    except ValueError as error:
        refused = str(error)
        found = None
    if found is None:
        assert 10 < len(refused) < LONGEST_MESSAGE, f"a message of {len(refused)} characters"
        return
    if isinstance(found, operation.Policy):
        require_policy(found)
    elif isinstance(found, operation.ErrorRateMonitor):
        require_monitor(found)
    else:
        for name in found:
            require_monitor(found[name])
        share = found.failure_probability / len(found)
        assert all(found[name].failure_probability == share for name in found)
    assert read(found.to_json()).to_json() == found.to_json(), (
        "it is not the same once written and read"
    )


def places(content: Any) -> Iterator[tuple[Any, Any]]:
    """Every key of every object, and every index of every list."""
    keys = (
        content
        if isinstance(content, dict)
        else range(len(content) if isinstance(content, list) else 0)
    )
    for key in keys:
        yield content, key
        yield from places(content[key])


def change(content: Any, rng: random.Random) -> None:
    """Change a value, take one away, or add one."""
    holder, key = rng.choice(list(places(content)))
    kind = rng.random()
    if kind < 0.1:
        del holder[key]
    elif kind < 0.2 and isinstance(holder, dict):
        holder[rng.choice(["version", "more", ""])] = copy.deepcopy(holder[key])
    elif kind < 0.2:
        holder.insert(key, copy.deepcopy(holder[key]))
    elif kind < 0.3 and isinstance(holder, list):
        rng.shuffle(holder)
    elif kind < 0.6 and type(holder[key]) in (int, float):
        holder[key] = rng.choice(
            [holder[key] + 1, holder[key] - 1, -holder[key], 2 * holder[key], str(holder[key])]
        )
    else:
        holder[key] = copy.deepcopy(rng.choice([*WORDS, *NUMBERS, *SPECIALS, *OTHERS]))


def damaged(text: str, rng: random.Random) -> str:
    """Cut a text, repeat a part of it, or nest it deeply."""
    start, end = sorted(rng.randrange(len(text)) for _ in range(2))
    nested = "[" * 100_000 + text
    return rng.choice([text[:start], text[:end] + text[start:], text + text, nested, "9" * 10_000])


def require_policy(policy: operation.Policy) -> None:
    """Raise unless a policy is one that `fit_policy` could have made, and does what it says."""
    n = max(1, len(policy.fields))
    assert len(policy.thresholds) == len(policy.calibrations) == len(policy.references) == n
    assert 0 < policy.limit < 1
    assert 0 < policy.failure_probability <= 0.5
    assert policy.criterion in ("max_error_rate", "max_risk")
    assert 0 <= policy.errors <= policy.accepted <= policy.n_items >= 1
    assert not any(math.isnan(each) for each in (*policy.thresholds, policy.document_threshold))
    assert len(set(policy.fields)) == len(policy.fields)
    for each in policy.calibrations:
        p = each.error_probability
        assert ((p >= 0) & (p <= 1)).all()
        assert (np.diff(p) >= 0).all()
    assert str(policy)
    assert repr(policy)
    confidence = np.array([0.0, 0.2, 0.9, 1.0])
    columns: dict[str, Any] = {}
    if policy.fields:
        columns["by"] = [policy.fields[0]] * 4
    policy.shift(confidence, **columns)
    if policy.types:
        columns["types"] = [policy.types[0].type] * 4
    if policy.documents:
        columns["documents"] = range(4)
    accepted = policy.apply(confidence, **columns)
    if policy.accepted == 0:
        assert not accepted.any(), "it accepts, but says that it accepts nothing"
    assert all(policy.advice)
    columns["fields_complete"] = bool(policy.optional)
    assert policy.check([True, True, False, True], confidence, **columns).verdict


def require_monitor(monitor: operation.ErrorRateMonitor) -> None:
    """Raise unless a monitor is what its constructor and its updates make."""
    if monitor.deadline is not None or monitor.unanswered:  # which are open, fingerprints alone know
        return
    promises: dict[str, Any] = {monitor.criterion: monitor.limit, "detect": monitor.detect}
    if monitor.mean_updates_to_false_alarm is not None:
        promises["mean_updates_to_false_alarm"] = monitor.mean_updates_to_false_alarm
    again = operation.ErrorRateMonitor(
        **promises,
        failure_probability=monitor.failure_probability,
        max_group_size=monitor.max_group_size,
    )
    for update in monitor.to_dict()["updates"]:
        if update["groups"] is None:
            again.update(update["errors"], update["audited"])
        else:
            again.update(*([each[key] for each in update["groups"]] for key in ("errors", "audited")))
    assert (again.errors, again.audited) == (monitor.errors, monitor.audited)
    assert again.alarm_at == monitor.alarm_at, "its alarm is not that of its updates"
    assert again.changes == monitor.changes, "its alarms of changes are not those of its updates"
    assert again.e_value == monitor.e_value
    assert str(again) == str(monitor)
    assert len(monitor.history().audited) <= len(monitor.to_dict()["updates"])
