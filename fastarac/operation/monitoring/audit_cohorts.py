"""Count audits in the order in which their outputs were drawn, not in the order of the answers.

All audits drawn at the same time form a cohort. A cohort is counted as one update when all its audits
have answers, or when its deadline has passed. Cohorts are counted in order. The latest cohort waits,
because more audits may be drawn at its time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac._core import saved
from fastarac._core.checks import real_scalar
from fastarac._core.text import quoted
from fastarac.operation.audit_logs import LogError
from fastarac.operation.monitoring.detectors import Update

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from fastarac.operation.monitoring.deduplication import CountedAudits

SECONDS = 86_400.0
# Number of hexadecimal digits in the fingerprint of an id, or of a group's name.
KEY = 16
# Number of hexadecimal digits in the joint fingerprint of an id and its audit's details.
FINGERPRINT = 24

PENDING = saved.sequence(
    saved.record(
        {
            "drawn_at": saved.number(real_scalar),
            "group": saved.optional(saved.hexadecimal(KEY)),
            "errors": saved.whole(),
            "answered": saved.whole(),
            "open": saved.sequence(saved.hexadecimal(FINGERPRINT)),
        }
    )
)


class DrawnAudit(NamedTuple):
    """One audit: id, time of drawing, details, outcome (None while open) and group."""

    name: str
    drawn_at: float
    details: str
    error: bool | None
    group: str = ""


@dataclass
class Cohort:
    """Audits drawn at the same time; if groups are audited, only the audits of one group.

    For each audit without an answer, `open` maps the fingerprint of its id to that of its details.
    """

    errors: int = 0
    answered: int = 0
    open: dict[str, str] = field(default_factory=dict)


class DrawnAudits:
    """Audits that are not yet counted, by the time at which they were drawn.

    Audits drawn up to the time `closed` are already counted. `cohorts` has one cohort for each later
    time, or one for each later time and group. The key of a group is a fingerprint of its name, or a
    number if the group was given without a name.
    """

    def __init__(self, deadline: float, max_group_size: int | None = None) -> None:
        self.deadline = deadline
        self.max_group_size = max_group_size
        self.closed: float | None = None
        self.cohorts: dict[float, dict[str, Cohort]] = {}

    def __iter__(self) -> Iterator[Cohort]:
        for at_one_time in self.cohorts.values():
            yield from at_one_time.values()

    @property
    def open(self) -> int:
        """The number of audits without an answer whose deadline has not passed."""
        return sum(len(cohort.open) for cohort in self)

    def copy(self) -> DrawnAudits:
        """Return an independent copy."""
        found = DrawnAudits(self.deadline, self.max_group_size)
        found.closed = self.closed
        found.cohorts = {
            at: {
                key: Cohort(each.errors, each.answered, dict(each.open)) for key, each in groups.items()
            }
            for at, groups in self.cohorts.items()
        }
        return found

    def cohort(self, drawn_at: float, key: str = "", row: int = 0) -> Cohort:
        """Return the cohort of a time and a group; raise if the time is not after `closed`."""
        if self.closed is not None and drawn_at <= self.closed:
            why = f"audits drawn up to {self.closed:g} are already counted: give later audits"
            raise LogError("drawn_at", row, f"{drawn_at:g}", why)
        return self.cohorts.setdefault(drawn_at, {}).setdefault(key, Cohort())

    def add(self, drawn_at: float, update: Update) -> None:
        """Add an update of answered audits; each of its groups becomes a cohort."""
        if update.groups is None:
            cohort = self.cohort(drawn_at)
            cohort.errors += update.errors
            cohort.answered += update.audited
        for errors, audited, _ in update.groups or ():
            cohort = self.cohort(drawn_at, str(len(self.cohorts.get(drawn_at, ()))))
            cohort.errors, cohort.answered = errors, audited

    def take(self, audits: Sequence[DrawnAudit], known: CountedAudits) -> tuple[int, int]:
        """Add audits; return how many are new or newly answered, and how many answers are too late."""
        new = late = 0
        for row, audit in enumerate(audits):
            key, like = known.fingerprints(audit.name, _like(audit))
            about = None if audit.error is None else known.fingerprints("", _told(audit))[1]
            before = known.about(key)
            if before is not None:
                # If the audit was counted without an answer, its answer is now too late to count.
                if audit.error is not None and before == like:
                    late += 1
                elif audit.error is not None and before != about:
                    raise _another(row, audit)
                continue
            group = known.fingerprints(audit.group, "")[0] if self.max_group_size is not None else ""
            cohort = self.cohort(audit.drawn_at, group, row)
            if any(key in each.open for each in self if each is not cohort):
                raise _another(row, audit)
            if cohort.open.get(key, like) != like:
                raise _another(row, audit)
            self._require_room(cohort, key, audit, row)
            new += about is not None or key not in cohort.open
            if about is None:
                cohort.open[key] = like
            else:
                cohort.open.pop(key, None)
                cohort.answered += 1
                cohort.errors += bool(audit.error)
                known.note(key, about)
        return new, late

    def release(self, known: CountedAudits) -> list[Update]:
        """Remove the cohorts that can be counted, and return them as updates, earliest first."""
        updates = []
        while self.cohorts:
            first = min(self.cohorts)
            if self.is_waiting(first):
                break
            groups = []
            for cohort in self.cohorts.pop(first).values():
                for key, like in cohort.open.items():
                    known.note(key, like)
                unanswered = len(cohort.open)
                groups.append((cohort.errors, cohort.answered + unanswered, unanswered))
            self.closed = first
            errors, audited, unanswered = (sum(each) for each in zip(*groups, strict=True))
            of_groups = None if self.max_group_size is None else tuple(groups)
            updates.append(Update(errors, audited, of_groups, first, unanswered))
        return updates

    def _require_room(self, cohort: Cohort, key: str, audit: DrawnAudit, row: int) -> None:
        """Raise if a group would exceed `max_group_size`."""
        most = self.max_group_size
        if most is not None and key not in cohort.open and cohort.answered + len(cohort.open) >= most:
            why = f"the group has {most + 1} or more audits, but max_group_size is {most}"
            raise LogError("groups", row, quoted(audit.group), why)

    def is_waiting(self, drawn_at: float) -> bool:
        """Whether a cohort waits for a later cohort, or for an answer before its deadline."""
        latest = max(self.cohorts)
        return drawn_at == latest or (
            any(each.open for each in self.cohorts[drawn_at].values())
            and latest - drawn_at < self.deadline
        )

    def to_list(self) -> list[dict[str, Any]]:
        """Return the cohorts as JSON values, earliest first."""
        return [
            {
                "drawn_at": at,
                "group": key if len(key) == KEY else None,
                "errors": each.errors,
                "answered": each.answered,
                "open": [one + like for one, like in each.open.items()],
            }
            for at, groups in sorted(self.cohorts.items())
            for key, each in groups.items()
        ]

    def read(self, content: Sequence[dict[str, Any]], known: CountedAudits) -> None:
        """Load cohorts from the JSON values of :meth:`to_list`."""
        times = [each["drawn_at"] for each in content]
        # The cohorts of several groups may have the same time, so drop repeated times before the check.
        if self.max_group_size is not None:
            times = [at for i, at in enumerate(times) if not i or at != times[i - 1]]
        if self.closed is not None:
            times.insert(0, self.closed)
            if not content:
                raise ValueError(
                    "pending is empty: it must hold the audits drawn last, because they are counted "
                    "only after a later draw"
                )
        saved.require_rising(tuple(times), "pending.drawn_at")
        for i, each in enumerate(content):
            name = f"pending[{i}]"
            answered = each["answered"]
            saved.require_at_most(each["errors"], f"{name}.errors", answered, "its number answered")
            cohort = Cohort(each["errors"], each["answered"])
            for fingerprint in each["open"]:
                key, like = known.parts_of(fingerprint)
                if known.about(key) is not None or any(key in other.open for other in (cohort, *self)):
                    raise ValueError(
                        f"{name}.open has an audit twice, or an audit that is already counted"
                    )
                cohort.open[key] = like
            if not (cohort.answered or cohort.open):
                raise ValueError(f"{name} must have at least one audit")
            most = self.max_group_size
            if each["group"] is not None and most is None:
                raise saved.unexpected(each["group"], f"{name}.group", "null, like max_group_size")
            if most is not None and cohort.answered + len(cohort.open) > most:
                raise ValueError(f"{name} has more audits than max_group_size, {most}")
            groups = self.cohorts.setdefault(each["drawn_at"], {})
            label = each["group"] or ("" if most is None else str(len(groups)))
            if label in groups:
                raise ValueError(f"{name}.group occurs twice")
            groups[label] = cohort
        if self.cohorts and not self.is_waiting(min(self.cohorts)):
            raise ValueError(
                "pending[0] waits neither for an answer nor for a later draw: it belongs in updates"
            )


def _like(audit: DrawnAudit) -> str:
    return f"{audit.details}\n{audit.group}" if audit.group else audit.details


def _told(audit: DrawnAudit) -> str:
    return f"{_like(audit)}\n{audit.error}"


def _another(row: int, audit: DrawnAudit) -> LogError:
    why = "another audit with this id was counted before: no two audits may share an id"
    return LogError("ids", row, quoted(audit.name), why)


def times_of(drawn_at: Any, n: int) -> NDArray[np.float64]:
    """Return times of drawing as numbers; dates become days since 1970.

    Raises
    ------
    ValueError
        If an entry is neither a finite number nor a date, or the number of entries is wrong.
    """
    given = np.asarray(drawn_at)
    if given.ndim == 0:
        given = np.full(n, given)
    if given.shape != (n,):
        raise ValueError(
            f"drawn_at must be one time, or one for each of {n} audits, got shape {given.shape}"
        )
    if given.dtype.kind in "iuf":
        found = given.astype(np.float64)
    elif given.dtype.kind in "MUO":
        try:
            dates = given.astype("datetime64[us]")
        except (ValueError, TypeError):
            raise ValueError(
                "drawn_at must hold numbers, or dates such as 2026-03-02, got "
                f"{quoted(str(given.flat[0]))}"
            ) from None
        found = np.where(np.isnat(dates), np.nan, dates.astype(np.float64) / (1e6 * SECONDS))
    else:
        raise ValueError(f"drawn_at must hold numbers or dates, got type {given.dtype}")
    bad = ~np.isfinite(found)
    if bad.any():
        row = int(bad.argmax())
        raise LogError("drawn_at", row, str(given[row]), "use a finite number or a date")
    return found


def outcomes_of(outcomes: Any) -> list[bool | None]:
    """Return whether each audit found an error; None for an audit without an answer (None or NaN)."""
    found: list[bool | None] = []
    for row, each in enumerate(list(outcomes)):
        if each is None or each != each:
            found.append(None)
        elif each in (0, 1):
            found.append(bool(each))
        else:
            raise LogError("outcomes", row, repr(each), "use True, False or None (open)")
    return found
