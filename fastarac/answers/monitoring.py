"""What is said of monitors and the audits they count."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastarac._core.text import listed, sentence
from fastarac.answers.answer import Answer
from fastarac.answers.policies import shift_figures

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastarac.operation.monitoring.monitor import ErrorRateMonitor
    from fastarac.operation.policy import Policy
    from fastarac.operation.shifts import ConfidenceShift


def monitor_answer(
    policies: Mapping[str, Policy],
    monitors: Mapping[str, ErrorRateMonitor],
    shifts: Mapping[str, ConfidenceShift | None],
    changes: Mapping[str, Sequence[int]],
    *,
    alone: str | None = None,
) -> Answer:
    """Say of each policy whether there is an alarm; `changes` are those that the last files gave.

    `alone` is the name of a policy that is watched by itself.
    """
    said, rows = [], []
    for name, monitor in monitors.items():
        head = sentence(monitor) if alone is not None else f"{name}: {monitor}."
        shift = shifts[name]
        said.append(" ".join([head, *_change_sentence(monitor, changes[name])]))
        if shift is not None:
            said[-1] += f" {sentence(shift)}"
        rows.append({"name": alone or name} | monitor_figures(monitor, changes[name]))
        rows[-1] |= shift_figures(shift)
    read = [each.of_outputs_read for each in policies.values() if each.of_outputs_read]
    alarms = {name: any(row[name] for row in rows) for name in ("alarm", "changed")}
    return Answer([*said, *dict.fromkeys(read)], {**alarms, "policies": rows})


def _change_sentence(monitor: ErrorRateMonitor, changes: Sequence[int]) -> list[str]:
    """Say which files gave alarms of a change, where the monitor does not say so itself."""
    if not changes or (monitor.changed and len(changes) == 1):
        return []
    numbers = listed([f"{number:,}" for number in changes])
    return [f"These files gave alarms of a change: {numbers} of all updates."]


def monitor_figures(monitor: ErrorRateMonitor, changes: Sequence[int]) -> dict[str, Any]:
    """Return the alarms, the statistics behind them, and the rate with its interval."""
    interval = monitor.interval
    names = (
        *("change_statistic", "mean_updates_to_false_alarm", "alarm_at", "e_value", "criterion"),
        *("limit", "failure_probability", "errors", "audited", "open", "unanswered"),
    )
    return {
        "alarm": monitor.alarm,
        "changed": bool(changes),
        "changes": list(monitor.changes),
        **{name: getattr(monitor, name) for name in names},
        "rate": interval.estimate if monitor.audited else None,
        "low": interval.low,
        "high": interval.high,
    }


def recounted_note(given: int, counted: int) -> list[str]:
    """Note that audits were counted before."""
    if counted == given:
        return []
    which = f"{given - counted:,} of its {given:,} audits" if counted else f"its {given:,} audits"
    return [f"{which} were counted before, and count once"]


def late_note(n: int, *, has_deadline: bool) -> list[str]:
    """Note that answers came too late."""
    what = "deadline, and" if has_deadline else "audits were counted, and"
    return [f"{n:,} answers came after their {what} count no more"] if n else []


def unanswered_note(n: int) -> list[str]:
    """Note what audits without an answer count as."""
    if not n:
        return []
    note = (
        f"{n:,} audits without an answer count as right for alarms; --drawn-at COLUMN and --deadline "
        "TIME wait for answers"
    )
    return [note]
