"""The state of a monitor in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastarac._core.dtype_comparison import most_within
from fastarac._core.text import percent, percent_range
from fastarac.reviewer import premise_of

if TYPE_CHECKING:
    from collections.abc import Iterator


def words_of(monitor: Any) -> str:
    """Return the text that an ErrorRateMonitor prints."""
    if not monitor.audited:
        return "; ".join([f"no audits yet; the limit is {percent(monitor.limit)}", *waiting(monitor)])
    people = "" if monitor.truth_reader is None else premise_of(monitor.truth_reader)
    return "; ".join(filter(None, [decision(monitor), people, lately(monitor), *waiting(monitor)]))


def decision(monitor: Any) -> str:
    """Describe the alarm, if there is one, and the observed rate."""
    found, limit = monitor.interval, f"the limit of {percent(monitor.limit)}"
    if monitor.alarm:
        head = f"alarm: the error rate exceeds {limit}"
    elif monitor.changed:
        head = f"alarm: the error rate seems to have risen above {limit} lately"
    elif monitor.detect == "change":
        head = f"no alarm: the error rate has not visibly risen above {limit} lately"
    else:
        head = f"no alarm: nothing proves that the error rate exceeds {limit}"
    all_of_them = "" if monitor.truth_reader is None else "including overlooked errors "
    return (
        f"{head}; {monitor.errors:,} of {monitor.audited:,} audits found an error, {all_of_them}"
        f"{percent(found.estimate, 3)} ({percent_range(found.low, found.high, 3)} with "
        f"{percent(found.confidence_level)} confidence)"
    )


def lately(monitor: Any) -> str:
    """Describe the last alarm of a change; empty if the monitor does not look for changes."""
    if monitor.mean_updates_to_false_alarm is None:
        return ""
    found = (
        f"statistic {monitor.change_statistic:.3g}; alarm level {monitor.mean_updates_to_false_alarm:,}"
    )
    if monitor.changed:
        return f"changed lately: alarm at update {monitor.changes[-1]:,} ({found})"
    since = f" since the one at update {monitor.changes[-1]:,}" if monitor.changes else ""
    return f"changed lately: no alarm{since} ({found})"


def waiting(monitor: Any) -> Iterator[str]:
    """Yield sentences on open audits and on audits that had no answer at their deadline."""
    if monitor.open:
        open_ = "1 audit is open" if monitor.open == 1 else f"{monitor.open:,} audits are open"
        these = "it is" if monitor.open == 1 else "these are"
        yield f"{open_}: audits drawn at the same time or later count only after {these} answered"
    if monitor.unanswered:
        when = "when they were counted" if monitor.deadline is None else "at their deadline"
        said = (
            f"audits without an answer {when} ({monitor.unanswered:,}) count as right for alarms, and "
            "as errors for the upper end of the interval"
        )
        most = most_within(monitor.limit, monitor.audited)
        if monitor.errors + monitor.unanswered > most >= monitor.errors:
            said += ". If they are errors, the rate may be above the limit"
        yield said
