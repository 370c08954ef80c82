"""The format of a monitor's saved state, with a check for each field."""

from __future__ import annotations

from typing import Any

from fastarac._core import saved
from fastarac._core.checks import failure_of, inner_fraction, positive_scalar, real_scalar
from fastarac.operation.monitoring import deduplication
from fastarac.operation.monitoring.audit_cohorts import PENDING
from fastarac.operation.monitoring.detectors import Update
from fastarac.operation.policy_files import CRITERIA, read_reader

VERSION = 2
KIND = "fastarac monitor"
DETECTORS = "both", "proof", "change"
# Minimum value of `mean_updates_to_false_alarm`.
LEAST_UPDATES = 2
# Minimum limit of an error rate, because lower limits might make the e-value overflow.
LOWEST_LIMIT = 1e-9


def limit_of(value: Any, name: str) -> float:
    """Return a limit; raise unless the e-value can be computed for it."""
    limit = inner_fraction(value, name)
    if limit < LOWEST_LIMIT:
        raise ValueError(f"{name} must be at least {LOWEST_LIMIT}, got {limit}")
    return limit


def deadline_of(value: Any, name: str = "deadline") -> float:
    """Return the waiting time for answers; raise unless it is positive."""
    return positive_scalar(value, name, strict=True)


# The file docs/states.md describes these fields.
_GROUP = saved.record({"errors": saved.whole(), "audited": saved.whole(1), "unanswered": saved.whole()})
STATE = saved.record(
    {
        "criterion": saved.word(*CRITERIA),
        "limit": saved.number(limit_of),
        "truth_reader": saved.optional(read_reader),
        "policy_digest": saved.optional(saved.hexadecimal(64)),
        "max_group_size": saved.optional(saved.whole(1)),
        "deadline": saved.optional(saved.number(deadline_of)),
        "detect": saved.word(*DETECTORS),
        "detectors": saved.record(
            {
                "proof": saved.record(
                    {
                        "failure_probability": saved.number(failure_of),
                        "alarm_at": saved.optional(saved.whole(1)),
                    }
                ),
                "change": saved.optional(
                    saved.record(
                        {
                            "mean_updates_to_false_alarm": saved.whole(LEAST_UPDATES),
                            "alarms": saved.sequence(saved.whole(1)),
                        }
                    )
                ),
            }
        ),
        "updates": saved.sequence(
            saved.record(
                {
                    "errors": saved.whole(),
                    "audited": saved.whole(1),
                    "groups": saved.optional(saved.sequence(_GROUP)),
                    "drawn_at": saved.optional(saved.number(real_scalar)),
                    "unanswered": saved.whole(),
                }
            )
        ),
        "pending": PENDING,
        "counted": deduplication.CHECK,
    }
)


def update_of(
    each: dict[str, Any], name: str, max_group_size: int | None, deadline: float | None
) -> Update:
    """Return an update from a file; raise if the counts of its groups contradict its totals."""
    errors, audited, groups = each["errors"], each["audited"], each["groups"]
    saved.require_at_most(errors, f"{name}.errors", audited, f"{name}.audited")
    if (each["drawn_at"] is None) != (deadline is None):
        expected = "null" if deadline is None else "a number"
        raise saved.unexpected(each["drawn_at"], f"{name}.drawn_at", f"{expected} to match deadline")
    unanswered = each["unanswered"]
    most = audited - errors
    saved.require_at_most(unanswered, f"{name}.unanswered", most, "audited - errors")
    if groups is None or max_group_size is None:
        if groups is not None or max_group_size is not None:
            expected = "null" if max_group_size is None else "a list"
            raise saved.unexpected(groups, f"{name}.groups", f"{expected} to match max_group_size")
        return Update(errors, audited, None, each["drawn_at"], unanswered)
    keys = "errors", "audited", "unanswered"
    for g, group in enumerate(groups):
        here = f"{name}.groups[{g}]"
        saved.require_at_most(group["audited"], f"{here}.audited", max_group_size, "max_group_size")
        saved.require_at_most(group["errors"], f"{here}.errors", group["audited"], "its number audited")
        right = group["audited"] - group["errors"]
        name_of = f"{here}.unanswered", "its number of audits without an error"
        saved.require_at_most(group["unanswered"], name_of[0], right, name_of[1])
    for key in keys:
        total = sum(group[key] for group in groups)
        if total != each[key]:
            expected = f"{total}, the sum of its groups"
            raise saved.unexpected(each[key], f"{name}.{key}", expected)
    of_groups = tuple((group["errors"], group["audited"], group["unanswered"]) for group in groups)
    return Update(errors, audited, of_groups, each["drawn_at"], unanswered)
