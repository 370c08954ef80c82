"""Describe monitors and the audits that they count."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastarac._core.text import few_of, listed, percent, percent_range, sentence
from fastarac.answers.answer import Answer
from fastarac.answers.limits import OPTIONS
from fastarac.answers.policies import moved_notes, shift_figures
from fastarac.answers.screen import Note, Screen, Section, Weight
from fastarac.answers.tables import AnswerTable, Column, Said
from fastarac.answers.verification import reader_figures, verification_note
from fastarac.operation.monitoring.words import decision, lately, waiting

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastarac.operation.monitoring.monitor import ErrorRateMonitor
    from fastarac.operation.policy import Policy
    from fastarac.operation.shifts import ConfidenceShift

MOST_NAMES = 4  # maximum number of policy names in a sentence


def monitor_answer(
    policies: Mapping[str, Policy],
    monitors: Mapping[str, ErrorRateMonitor],
    shifts: Mapping[str, ConfidenceShift | None],
    changes: Mapping[str, Sequence[int]],
    *,
    alone: str | None = None,
) -> Answer:
    """Describe the alarms of each policy.

    `changes` holds the updates at which the last files raised change alarms.
    """
    rows, changed = [], []
    notes: list[Note] = []
    for name, monitor in monitors.items():
        of_policy = "" if alone is not None else f"{name}: "
        shift = shifts[name]
        notes += (note._replace(text=f"{of_policy}{note.text}") for note in moved_notes(shift))
        if shift is not None:
            changed.append(Said(f"{of_policy}{sentence(shift)}"))
        notes += (Note(f"{of_policy}{sentence(each)}", Weight.LITTLE) for each in waiting(monitor))
        notes += _change_notes(monitor, changes[name], of_policy)
        notes += _refit_notes(policies[name], monitor, changes[name], of_policy)
        if lately(monitor):
            changed.append(Said(f"{of_policy}{sentence(lately(monitor))}"))
        rows.append({"name": alone or name} | monitor_figures(monitor, changes[name]))
        rows[-1] |= shift_figures(shift)
    readers = dict.fromkeys(each.truth_reader for each in monitors.values())
    notes += (verification_note(each, "An alarm") for each in readers)
    read = [each.of_outputs_read for each in policies.values() if each.of_outputs_read]
    notes += (Note(each, Weight.ASSUMES) for each in read)
    several = alone is None
    details = [Section("Changes", changed)] if changed else []
    said = [_of_several(monitors, changes)]
    if not several:
        said = [_decision(each, changes[name]) for name, each in monitors.items()]
    table = _table(monitors, changes) if several else None
    screen = Screen(said, table, notes=notes, details=details)
    alarms = {name: any(row[name] for row in rows) for name in ("alarm", "changed")}
    return Answer(screen, {**alarms, "policies": rows})


def _decision(monitor: ErrorRateMonitor, changes: Sequence[int]) -> str:
    """Return a sentence on a monitor's alarm, even if the alarm has ended within the last files."""
    if not monitor.audited:
        return sentence(monitor)
    if not changes or monitor.alarm or monitor.changed:
        return sentence(decision(monitor))
    numbers = listed([f"{number:,}" for number in changes])
    limit, rate = percent(monitor.limit), decision(monitor).partition("; ")[2]
    return f"Alarm at update {numbers}: the error rate had risen above the limit of {limit}; {rate}."


def _of_several(monitors: Mapping[str, ErrorRateMonitor], changes: Mapping[str, Sequence[int]]) -> str:
    proved = [name for name, each in monitors.items() if each.alarm]
    lately_alone = [name for name in monitors if changes[name] and name not in proved]
    if not (proved or lately_alone):
        return f"No alarm: none of {len(monitors):,} policies provably exceeds its limit."
    parts = [f"{few_of(proved, MOST_NAMES)} exceed{_s(proved)} the limit"] if proved else []
    if lately_alone:
        verb = "seems" if len(lately_alone) == 1 else "seem"
        parts.append(f"{few_of(lately_alone, MOST_NAMES)} {verb} to have got worse lately")
    return f"Alarm: {'; '.join(parts)}."


def _s(names: Sequence[str]) -> str:
    return "s" if len(names) == 1 else ""


def _table(
    monitors: Mapping[str, ErrorRateMonitor], changes: Mapping[str, Sequence[int]]
) -> AnswerTable:
    every = list(monitors.values())
    alarms = [
        "proved" if each.alarm else "lately" if changes[name] else "none"
        for name, each in monitors.items()
    ]
    ends = [percent_range(each.interval.low, each.interval.high, 3) for each in every]
    rates = [percent(each.interval.estimate, 3) if each.audited else "-" for each in every]
    columns = [
        Column("limit", [percent(each.limit) for each in every]),
        Column("audits", [f"{each.audited:,}" for each in every]),
        Column("errors", [f"{each.errors:,}" for each in every]),
        Column("error rate", rates, below=ends),
        Column("alarm", alarms),
    ]
    return AnswerTable(list(monitors), [columns], "policy")


def _change_notes(monitor: ErrorRateMonitor, changes: Sequence[int], of_policy: str) -> list[Note]:
    """Return a note on the updates that raised change alarms, unless `_decision` already names them."""
    if not changes or not (monitor.alarm or len(changes) > 1):
        return []
    numbers = listed([f"{number:,}" for number in changes])
    text = f"{of_policy}The error rate also seems to have risen lately: alarm at update {numbers}."
    return [Note(text, Weight.DECIDES)]


def _refit_notes(
    policy: Policy, monitor: ErrorRateMonitor, changes: Sequence[int], of_policy: str
) -> list[Note]:
    """Return a note on how to draw outputs for a new policy if there is an alarm."""
    if not (monitor.alarm or monitor.changed or changes):
        return []
    limit = f"{OPTIONS[policy.criterion]} {policy.limit:g}"
    draw = f"fastarac sample new.csv --budget N {limit} -o to_verify.csv"
    text = f"{of_policy}Refit the policy only on outputs drawn after the change: {draw}."
    return [Note(text, Weight.DECIDES)]


def monitor_figures(monitor: ErrorRateMonitor, changes: Sequence[int]) -> dict[str, Any]:
    """Return the alarms, their statistics, and the error rate with its interval."""
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
        **reader_figures(monitor.truth_reader),
        "rate": interval.estimate if monitor.audited else None,
        "low": interval.low,
        "high": interval.high,
    }


def recounted_note(given: int, counted: int) -> list[str]:
    """Return a note if only `counted` of the `given` audits are new."""
    if counted == given:
        return []
    which = f"{given - counted:,} of its {given:,} audits" if counted else f"its {given:,} audits"
    return [f"{which} were counted before and do not count again"]


def late_note(n: int, *, has_deadline: bool) -> list[str]:
    """Return a note on the number of answers that came too late."""
    what = "their deadline" if has_deadline else "their audits were counted"
    return [f"{n:,} answers came after {what} and no longer count"] if n else []


def unanswered_note(n: int) -> list[str]:
    """Return a note that audits without an answer count as right."""
    if not n:
        return []
    note = (
        f"{n:,} audits without an answer count as right for alarms; to wait for answers, use "
        "--deadline TIME and a column drawn_at"
    )
    return [note]
