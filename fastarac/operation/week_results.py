"""The results of one week of a policy in use, and whether to go on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastarac._core.results import Result
from fastarac._core.text import percent, percent_range, plural

if TYPE_CHECKING:
    from fastarac._core.interval import Interval
    from fastarac.operation.application_results import AppliedPolicy
    from fastarac.operation.verdicts import PolicyCheck


@dataclass(frozen=True, slots=True, eq=False)
class PolicyWeek(Result):
    """One week of a policy in use: how its files were split, which answers came in, and the results.

    Attributes
    ----------
    number : int
        The number of the week, from 1.
    folder : str
        The week's folder.
    n_files : int
        The number of files given.
    is_new : bool
        Whether the files are new; if they are not, only answers were read.
    applied : AppliedPolicy or None
        The counts of accepted and rejected outputs, if the files are new.
    drawn : int
        Number of outputs drawn for audits in this week.
    answered, reviewed : int
        Numbers of new answers to audits, and to rejected outputs.
    known, late : int
        Numbers of answers that were read before, and of answers to audits of weeks already counted.
    known_files : int
        Number of files of answers that were read before.
    open : int
        Number of audits of all weeks that still have no answer.
    counted : int
        The number of weeks that the check and the monitor have counted; these are the first weeks.
    criterion : {"max_error_rate", "max_risk"}
        The kind of limit.
    limit : float
        The limit of the error rate or risk.
    errors, audited, unanswered : int
        Numbers of errors, of audits, and of audits without an answer at their deadline, as the monitor
        counts them.
    rate : Interval or None
        The error rate or risk, as the limit counts it, with the monitor's interval; None before the
        first audit.
    alarm : bool
        Whether the monitor proves that the limit is exceeded.
    changes : tuple of int
        The weeks in which the monitor gave an alarm of a change.
    changed : bool
        Whether a week that was counted in this run gave an alarm of a change.
    since : int or None
        After an alarm, the week in which the error rate most likely rose.
    check : PolicyCheck or None
        The check of all weeks that were counted.
    check_left_out : bool
        Whether the check was left out because the number of audits is unlikely.
    verified : str
        After an alarm, the file of the outputs that were verified since the change; else empty.
    n_verified : int
        The number of outputs in this file that people verified.
    failure_probability, monitor_failure_probability : float
        δ of the check (the policy's δ), and δ of the monitor.
    notes : tuple of str
        Remarks on the files, one sentence each.
    seconds : float or None
        The seconds that a person needs for one output, if this time was given.
    drawn_documents : int or None
        Number of documents that the drawn outputs belong to, if whole documents are drawn.

    See Also
    --------
    fastarac.weeks.run_week : divide the files of a week, take answers, check and monitor
    fastarac.operation.ErrorRateMonitor : alarms where an error rate is above its limit
    """

    number: int
    folder: str
    n_files: int
    is_new: bool
    applied: AppliedPolicy | None
    drawn: int
    answered: int
    reviewed: int
    known: int
    late: int
    known_files: int
    open: int
    counted: int
    criterion: str
    limit: float
    errors: int
    audited: int
    unanswered: int
    rate: Interval | None
    alarm: bool
    changes: tuple[int, ...]
    changed: bool
    since: int | None
    check: PolicyCheck | None
    check_left_out: bool
    verified: str
    n_verified: int
    failure_probability: float
    monitor_failure_probability: float
    notes: tuple[str, ...] = ()
    seconds: float | None = None
    drawn_documents: int | None = None

    @property
    def unit(self) -> str:
        """The unit that the limit counts: outputs or documents."""
        return "outputs" if self.drawn_documents is None else "documents"

    @property
    def to_people(self) -> int | None:
        """The number of outputs that people look at: rejected outputs and audits."""
        return None if self.applied is None else self.applied.rejected + self.drawn

    @property
    def hours(self) -> float | None:
        """The hours that people need to look at outputs; None if the time per output is unknown."""
        if self.to_people is None or self.seconds is None:
            return None
        return self.to_people * self.seconds / 3600.0

    @property
    def go_on(self) -> bool:
        """Whether outputs may still be accepted: there is no alarm, and no check fails."""
        fails = self.check is not None and self.check.verdict == "fails"
        return not (self.alarm or self.changed or fails)

    @property
    def exit_status(self) -> int:
        """0 to go on, 1 to stop."""
        return int(not self.go_on)

    @property
    def decision(self) -> str:
        """A sentence on whether to go on, and on the next step."""
        return f"{self._verdict}; {self._advice}"

    def __str__(self) -> str:
        return self.decision

    @property
    def _verdict(self) -> str:
        limit = f"the limit of {percent(self.limit)}"
        moved = f"Go on with care: the confidences of week {self.number} have moved"
        if self.rate is None:
            return f"{moved + ';' if self.has_moved else 'Go on:'} no audits are counted yet"
        since = f"most likely since week {self.since}"
        if self.alarm:
            return f"Stop: the error rate exceeds {limit}, {since}"
        if self.changed:
            return f"Stop: the error rate seems to have risen above {limit}, {since}"
        if not self.go_on:
            return f"Stop: the check shows that {limit} fails, {since}"
        holds = self.check is not None and self.check.verdict == "holds"
        shown = "is shown to hold" if holds else "is not shown to be exceeded"
        if self.has_moved:
            return f"{moved}; {limit} {shown}"
        return f"Go on: nothing has changed, and {limit} {shown}"

    @property
    def audits(self) -> str:
        """A sentence on the audits counted so far; empty before the first count."""
        if self.rate is None:
            return ""
        ends = percent_range(self.rate.low, self.rate.high, 3)
        return (
            f"{self.errors:,} of {self.audited:,} {self.unit} drawn at random are accepted and wrong, "
            f"{percent(self.rate.estimate, 3)} ({ends} with {percent(self.rate.confidence_level)} "
            "confidence)"
        )

    @property
    def _advice(self) -> str:
        if not self.go_on:
            return "review all outputs, and fit a new policy to the outputs verified since then"
        if self.open:
            first = " before you use the accepted outputs" if self.has_moved else ""
            return f"answer the {self.open:,} open {plural('audit', self.open)}{first}"
        return "run it again with the next files"

    @property
    def has_moved(self) -> bool:
        """Whether the confidences of the week have shifted since the fit."""
        return self.applied is not None and self.applied.warning is not None

    @property
    def spent(self) -> float:
        """The sum of the failure probabilities of the fit, the checks and the monitor."""
        return 2.0 * self.failure_probability + self.monitor_failure_probability

    @property
    def spending(self) -> str:
        """A sentence on the failure probabilities of the fit, the checks and the monitor."""
        fit, watch, both = map(
            percent, (self.failure_probability, self.monitor_failure_probability, self.spent)
        )
        return (
            f"The probability of a wrong result is at most {fit} for the fit, {fit} for all checks "
            f"together, and {watch} for the monitor: {both} in all; a refit starts again from 0"
        )
