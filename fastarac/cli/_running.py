"""The commands for every day: apply a policy, and watch it."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from fastarac import io, operation
from fastarac._core.text import json_text
from fastarac.cli import _plot
from fastarac.cli._exit import interrupts_end_at_once
from fastarac.cli._options import RefusalError
from fastarac.cli._policies import columns_for, labels_of, load, refusing
from fastarac.cli._settings import write

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from fastarac.operation import ErrorRateMonitor, Policy

CHUNK = 1 << 20  # bytes of a file that are hashed at a time


def apply(
    policy_file: Path, path: Path, columns: Mapping[str, Any], accepted: Path, review: Path
) -> None:
    """Divide the outputs in a file, and say how many went where."""
    policy = load(policy_file)
    given = columns_for(policy, {**columns, "item": None})
    del given["item"]
    with interrupts_end_at_once():
        done = refusing(
            str(path),
            lambda: operation.apply_policy(policy, path, accepted=accepted, review=review, **given),
        )
    write(f"{done}.\n")


def monitor(
    policy_file: Path,
    paths: Sequence[Path],
    columns: Mapping[str, Any],
    failure_probability: float,
    delivery: tuple[Path | None, Path | None, str],
) -> int:
    """Count the audits in files, each once, and say whether there is an alarm; the exit status."""
    state, plot, form = delivery
    problem = None if plot is None else _plot.problem_with(plot)
    if problem is not None:
        raise RefusalError(problem)
    policy = load(policy_file)
    found = _begun(policy, failure_probability, state)
    for path in paths:
        _count(found, policy, path, columns_for(policy, columns))
        if state is not None:  # after each file, so that an interrupt loses none that is done
            refusing(str(state), lambda: found.save(state))
    if plot is not None and found.audited:
        from fastarac.displays import MonitorDisplay

        display = MonitorDisplay.from_monitor(found, name=policy_file.stem)
        refusing(str(plot), lambda: _plot.write(display.figure_, plot))
    if form == "json":
        interval = found.interval
        content = {
            "alarm": found.alarm,
            "alarm_at": found.alarm_at,
            "e_value": found.e_value,
            "criterion": found.criterion,
            "limit": found.limit,
            "failure_probability": found.failure_probability,
            "errors": found.errors,
            "audited": found.audited,
            "rate": interval.estimate if found.audited else None,
            "low": interval.low,
            "high": interval.high,
        }
        write(json_text(content, indent=2) + "\n")
    else:
        sentence = str(found)
        write(f"{sentence[:1].upper()}{sentence[1:]}.\n")
    return int(found.alarm)


def _begun(policy: Policy, failure_probability: float, state: Path | None) -> ErrorRateMonitor:
    """The monitor in the state file, or a new one; refuses one of another limit."""
    limit: dict[str, Any] = {policy.criterion: policy.limit}
    new: ErrorRateMonitor = refusing(
        "",
        lambda: operation.ErrorRateMonitor(**limit, failure_probability=failure_probability),
    )
    if state is None or not state.exists():
        return new
    try:
        found = operation.ErrorRateMonitor.load(state)
    except ValueError as error:
        raise RefusalError(f"{state}: {error}") from None
    except OSError as error:
        raise RefusalError(f"{state}: it cannot be read: {error.strerror}") from None
    same = ("criterion", "limit", "failure_probability")
    if any(getattr(found, name) != getattr(new, name) for name in same):
        raise RefusalError(
            f"{state}: it is the state of another limit or --guarantee; begin a new one for each policy"
        )
    return found


def _count(monitor: ErrorRateMonitor, policy: Policy, path: Path, columns: Mapping[str, Any]) -> None:
    batch = refusing(str(path), lambda: _digest(path))
    if monitor.has_seen(batch):
        return
    with interrupts_end_at_once():
        outputs = refusing(str(path), lambda: io.read_outputs(path, **columns))
        accepted = refusing(
            str(path),
            lambda: policy.apply(
                outputs.confidence, by=labels_of(outputs.by), documents=labels_of(outputs.item)
            ),
        )
    wrong = int((accepted & ~outputs.correct).sum())
    audited = len(accepted)
    if policy.documents:
        import numpy as np

        codes = outputs.item.codes
        whole = np.bincount(codes, accepted) > 0
        wrong, audited = int((whole & (np.bincount(codes, ~outputs.correct) > 0)).sum()), len(whole)
        accepted = whole
    if policy.criterion == "max_risk":
        audited = int(accepted.sum())
    monitor.update(wrong, audited, batch=batch)


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while part := file.read(CHUNK):
            digest.update(part)
    return digest.hexdigest()
