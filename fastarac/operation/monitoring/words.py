"""What a monitor says of itself."""

from __future__ import annotations

from typing import Any

from fastarac._core.dtype_comparison import most_within
from fastarac._core.text import percent, percent_range


def words_of(monitor: Any) -> str:
    """Return what an ErrorRateMonitor prints as."""
    if not monitor.audited:
        return f"no audits yet; the limit is {percent(monitor.limit)}{_waiting(monitor)}"
    found = monitor.interval
    rate = (
        f"{monitor.errors:,} errors among {monitor.audited:,} audits, {percent(found.estimate, 3)} "
        f"(two-sided {percent(found.confidence_level)} interval "
        f"{percent_range(found.low, found.high, 3)})"
    )
    limit = f"the limit of {percent(monitor.limit)}"
    if monitor.alarm:
        head = f"alarm: {limit} is exceeded"
    elif monitor.changed:
        head = f"alarm: the rate seems to have risen above {limit} lately"
        head += "" if monitor.detect == "change" else ", which is not proved since the start"
    elif monitor.detect == "change":
        head = f"no alarm: the rate has not visibly risen above {limit} lately"
    else:
        head = f"no alarm: {limit} is not proved to be exceeded"
    return f"{head}; {rate}{_lately(monitor)}{_waiting(monitor)}"


def _lately(monitor: Any) -> str:
    """What is said of changes, where they are looked for."""
    if monitor.mean_updates_to_false_alarm is None:
        return ""
    found = (
        f"M is {monitor.change_statistic:.3g}, alarms come at {monitor.mean_updates_to_false_alarm:,}"
    )
    if monitor.changed:
        return f"; changed lately: alarm at update {monitor.changes[-1]:,} ({found})"
    since = f" since that at update {monitor.changes[-1]:,}" if monitor.changes else ""
    return f"; changed lately: no alarm{since} ({found})"


def _waiting(monitor: Any) -> str:
    """What is said of audits without an answer."""
    said = ""
    if monitor.open:
        said += f"; {monitor.open:,} audits are open, and hold back what was drawn with them and later"
    if monitor.unanswered:
        when = "when they were counted" if monitor.deadline is None else "at their deadline"
        said += (
            f"; {monitor.unanswered:,} without an answer {when} count as right for alarms, and as "
            "errors for the upper end of the interval"
        )
        most = most_within(monitor.limit, monitor.audited)
        if monitor.errors + monitor.unanswered > most >= monitor.errors:
            said += ": so many that the rate may be above the limit by them alone"
    return said
