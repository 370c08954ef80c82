"""Audits by when their outputs were drawn: what is open holds back what was drawn later.

Audits that were drawn at one time are a cohort. A cohort is counted, as one update, once one that was
drawn later is known and each of its audits has an answer, or else the deadline has passed; and never
before those that were drawn earlier. So the order in which answers come decides nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac._core import saved
from fastarac._core.checks import real_scalar
from fastarac._core.text import quoted
from fastarac.guarantees.audits import LogError
from fastarac.operation.detectors import Update

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from fastarac.operation.counted import CountedAudits

SECONDS = 86_400.0  # of a day
FINGERPRINT = 24  # hexadecimal digits of an id and of what its audit was like

PENDING = saved.sequence(
    saved.record(
        {
            "drawn_at": saved.number(real_scalar),
            "errors": saved.whole(),
            "answered": saved.whole(),
            "open": saved.sequence(saved.hexadecimal(FINGERPRINT)),
        }
    )
)


class DrawnAudit(NamedTuple):
    """One audit: its id, when it was drawn, what it was like, and whether it is an error or open."""

    name: str
    drawn_at: float
    details: str
    error: bool | None


@dataclass
class Cohort:
    """Audits drawn at one time; the open ones as fingerprints of ids with those of their details."""

    errors: int = 0
    answered: int = 0
    open: dict[str, str] = field(default_factory=dict)


class DrawnAudits:
    """The cohorts that are not counted yet, by when they were drawn, and until when all are counted."""

    def __init__(self, deadline: float) -> None:
        self.deadline = deadline
        self.closed: float | None = None
        self.cohorts: dict[float, Cohort] = {}

    @property
    def open(self) -> int:
        """How many audits have no answer yet, and may still get one that counts."""
        return sum(len(cohort.open) for cohort in self.cohorts.values())

    def copy(self) -> DrawnAudits:
        """Return one that changes by itself."""
        found = DrawnAudits(self.deadline)
        found.closed = self.closed
        found.cohorts = {
            at: Cohort(each.errors, each.answered, dict(each.open)) for at, each in self.cohorts.items()
        }
        return found

    def cohort(self, drawn_at: float, row: int = 0) -> Cohort:
        """Return the cohort of a time, and raise where those of that time were counted."""
        if self.closed is not None and drawn_at <= self.closed:
            why = f"audits drawn until {self.closed:g} are counted; later ones are expected"
            raise LogError("drawn_at", row, f"{drawn_at:g}", why)
        return self.cohorts.setdefault(drawn_at, Cohort())

    def take(self, audits: Sequence[DrawnAudit], known: CountedAudits) -> tuple[int, int]:
        """Take audits; return how many told something new, and how many answers came too late."""
        new = late = 0
        for row, audit in enumerate(audits):
            key, like = known.fingerprints(audit.name, audit.details)
            about = None if audit.error is None else known.fingerprints("", _told(audit))[1]
            before = known.about(key)
            if before is not None:
                if audit.error is not None and before == like:  # uncounted when its deadline passed
                    late += 1
                elif audit.error is not None and before != about:
                    raise _another(row, audit)
                continue
            cohort = self.cohort(audit.drawn_at, row)
            if any(key in each.open for each in self.cohorts.values() if each is not cohort):
                raise _another(row, audit)
            if cohort.open.get(key, like) != like:
                raise _another(row, audit)
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
        """Return the updates that wait for nothing any more, earliest first, and forget them."""
        updates = []
        while self.cohorts:
            first = min(self.cohorts)
            if self.is_waiting(first):
                break
            cohort = self.cohorts.pop(first)
            for key, like in cohort.open.items():
                known.note(key, like)
            self.closed = first
            unanswered = len(cohort.open)
            updates.append(Update(cohort.errors, cohort.answered + unanswered, None, first, unanswered))
        return updates

    def is_waiting(self, drawn_at: float) -> bool:
        """Whether a cohort waits: for a later one, or for an answer before its deadline."""
        latest = max(self.cohorts)
        return drawn_at == latest or (
            bool(self.cohorts[drawn_at].open) and latest - drawn_at < self.deadline
        )

    def to_list(self) -> list[dict[str, Any]]:
        """Return the cohorts, earliest first, in values that JSON has."""
        return [
            {
                "drawn_at": at,
                "errors": each.errors,
                "answered": each.answered,
                "open": [key + like for key, like in each.open.items()],
            }
            for at, each in sorted(self.cohorts.items())
        ]

    def read(self, content: Sequence[dict[str, Any]], known: CountedAudits) -> None:
        """Take what :meth:`to_list` returned, as `PENDING` does."""
        times = [each["drawn_at"] for each in content]
        if self.closed is not None:
            times.insert(0, self.closed)
            if not content:
                raise ValueError("pending is empty; the audits drawn last are expected, which wait")
        saved.require_rising(tuple(times), "pending.drawn_at")
        for i, each in enumerate(content):
            name = f"pending[{i}]"
            saved.require_at_most(each["errors"], f"{name}.errors", each["answered"], "its answered")
            cohort = Cohort(each["errors"], each["answered"])
            for fingerprint in each["open"]:
                key, like = known.parts_of(fingerprint)
                if known.about(key) is not None or any(
                    key in other.open for other in (cohort, *self.cohorts.values())
                ):
                    raise ValueError(f"{name}.open has an audit twice, or one that is counted")
                cohort.open[key] = like
            if not (cohort.answered or cohort.open):
                raise ValueError(f"{name} has no audits; at least one is expected")
            self.cohorts[each["drawn_at"]] = cohort
        if self.cohorts and not self.is_waiting(min(self.cohorts)):
            raise ValueError("pending[0] waits for nothing; it is expected among the updates")


def _told(audit: DrawnAudit) -> str:
    return f"{audit.details}\n{audit.error}"


def _another(row: int, audit: DrawnAudit) -> LogError:
    why = "counted before as another audit; ids that no two audits share are expected"
    return LogError("ids", row, quoted(audit.name), why)


def times_of(drawn_at: Any, n: int) -> NDArray[np.float64]:
    """Return when audits were drawn: numbers as they are, dates in days since 1970.

    Raises
    ------
    ValueError
        For what is neither finite numbers nor dates, and where there is not one for each audit.
    """
    given = np.asarray(drawn_at)
    if given.ndim == 0:
        given = np.full(n, given)
    if given.shape != (n,):
        raise ValueError(
            f"drawn_at has shape {given.shape}; one time, or one for each of {n}, expected"
        )
    if given.dtype.kind in "iuf":
        found = given.astype(np.float64)
    elif given.dtype.kind in "MUO":
        try:
            dates = given.astype("datetime64[us]")
        except (ValueError, TypeError):
            raise ValueError(
                f"drawn_at holds {quoted(str(given.flat[0]))}; numbers, or dates such as 2026-03-02, "
                "are expected"
            ) from None
        found = np.where(np.isnat(dates), np.nan, dates.astype(np.float64) / (1e6 * SECONDS))
    else:
        raise ValueError(f"drawn_at has type {given.dtype}; numbers or dates are expected")
    bad = ~np.isfinite(found)
    if bad.any():
        row = int(bad.argmax())
        raise LogError("drawn_at", row, str(given[row]), "a finite number or a date is expected")
    return found


def outcomes_of(outcomes: Any) -> list[bool | None]:
    """Return whether each audit found an error; None where that is None or NaN: it is open."""
    found: list[bool | None] = []
    for row, each in enumerate(list(outcomes)):
        if each is None or each != each:
            found.append(None)
        elif each in (0, 1):
            found.append(bool(each))
        else:
            raise LogError("outcomes", row, repr(each), "True, False or None (open) is expected")
    return found
