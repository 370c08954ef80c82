"""Watch an error rate by audits, with an alarm that is valid at every moment."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from fastarac._core import saved
from fastarac._core.checks import choice, exactly_one, failure_of, whole_number
from fastarac._core.files import read_saved, write_whole
from fastarac._core.interval import Interval
from fastarac._core.results import Table, TupleResult
from fastarac._core.text import json_text
from fastarac.operation.monitoring import deduplication, observations, saved_state
from fastarac.operation.monitoring.audit_cohorts import DrawnAudit, DrawnAudits, outcomes_of, times_of
from fastarac.operation.monitoring.detectors import (
    LARGEST_EXPONENT,
    ROUNDING,
    AuditedGroups,
    AuditedOutputs,
    ChangeDetector,
    Update,
)
from fastarac.operation.monitoring.saved_state import (
    DETECTORS,
    KIND,
    LEAST_UPDATES,
    VERSION,
    deadline_of,
    limit_of,
)
from fastarac.operation.monitoring.words import words_of
from fastarac.operation.policy_files import written_reader
from fastarac.reviewer import Reviewer, informative, limit_of_found

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from fastarac.operation.policy import Policy

Detect = Literal["both", "proof", "change"]
MEAN_UPDATES = 1000  # to a false alarm of a change: twenty years of weeks
MOST_AUDITED = 10**12


class _MonitorHistory(NamedTuple):
    audited: NDArray[np.int64]
    errors: NDArray[np.int64]
    error_rate: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    e_value: NDArray[np.float64]
    change_statistic: NDArray[np.float64]


class MonitorHistory(Table, TupleResult, _MonitorHistory):
    """What a monitor saw, after each update: totals, the rate with its interval, and both statistics.

    `e_value` is E, of all audits since the start; `change_statistic` is M, before it begins anew at an
    alarm, and NaN where changes are not looked for.

    See Also
    --------
    fastarac.operation.ErrorRateMonitor : alarms where an error rate is above its limit
    """

    __slots__ = ()


class ErrorRateMonitor:
    r"""Alarms where audits prove that an error rate is above its limit, or show that it rose lately.

    Parameters
    ----------
    max_error_rate : float, optional
        The limit of errors among *all* outputs, in (0, 1): audited are random outputs, accepted or not;
        an error is an output that was accepted and is wrong.
    max_risk : float, optional
        The limit of errors among the *accepted* outputs: audited are random accepted ones.
    failure_probability : float, default=0.05
        δ, in (0, 0.5]: the probability that a limit that is kept is ever said to be exceeded.
    detect : {"both", "proof", "change"}, default="both"
        Which alarms are given: "proof" since the start, or a "change" lately.
    mean_updates_to_false_alarm : int, default=1000
        N, at least 2: while the limit is kept, an alarm of a change comes after N updates or more in
        the mean, from the start or from the alarm before.
    max_group_size : int, optional
        For audits of whole groups, such as pages, whose outputs may depend on each other: how many
        outputs a group has at most, said beforehand.
    deadline : float, optional
        How long answers are waited for after `drawn_at`, in days for dates, else in its unit.
    policy : Policy, optional
        What is watched; audits of another policy are refused.
    truth_reader : Reviewer, optional
        The people who audit, where they overlook errors (the limit tested is ε·d); by default the
        policy's.

    Examples
    --------
    >>> import fastarac as fa
    >>> monitor = fa.operation.ErrorRateMonitor(max_error_rate=0.01)
    >>> monitor.update(10, 500)
    >>> round(monitor.e_value, 6), monitor.alarm
    (3.510808, False)
    >>> monitor.update(15, 500)
    >>> monitor.alarm, monitor.changed
    (True, False)

    Attributes
    ----------
    policy_digest : str or None
        `Policy.digest` of the policy, where one was given.
    errors, audited : int
        Among all audits.
    alarm_at : int or None
        The number of audits at which the limit was proved to be exceeded.
    changes : tuple of int
        The numbers of the updates, from 1, that gave an alarm of a change.
    answered_late : int
        How many answers came too late to count since the monitor was made or read.

    Raises
    ------
    TypeError
        Where not exactly one limit is given.
    ValueError
        For a limit or a probability that is not inside (0, 1), and for a limit below 10⁻⁹.

    See Also
    --------
    MonitorSet : Monitors of several policies, which share what they promise.
    Policy.check : Says of one file of audits whether the limit holds.

    Notes
    -----
    **Proved since the start.** After S errors among t audits,

    .. math:: E = \frac{B(a+S,b+t-S)\,(1-I_\varepsilon(a+S,b+t-S))}
        {B(a,b)\,(1-I_\varepsilon(a,b))\,\varepsilon^S(1-\varepsilon)^{t-S}},
        \quad a=\tfrac12, b=\tfrac1{2\varepsilon}.

    While the rate is at most ε, E ever exceeds 1/δ with a probability of at most δ [1]_ [2]_. All
    intervals at once (`interval`) contain the rate with a probability of at least 1 − δ.

    **Changed lately** [3]_. After an update of S errors among m audits, for k = 1, …, 8,

    .. math:: R_k \leftarrow (1+R_k)(p_k/\varepsilon)^S((1-p_k)/(1-\varepsilon))^{m-S},
        \quad p_k=\min(\varepsilon 2^{k/2},(1+\varepsilon)/2),

    with an alarm, which is no proof, where M, the mean of the :math:`R_k` (from 0, and again after an
    alarm), reaches N. Fix the number of audits of an update beforehand.

    With a `deadline`, what was drawn at one time is one update; what has no answer by then counts as
    right for the alarms, and as an error for the upper end of `interval`.

    References
    ----------
    .. [1] J. Ville. Étude critique de la notion de collectif. Gauthier-Villars, 1939.
    .. [2] A. Ramdas, P. Grünwald, V. Vovk and G. Shafer. Game-theoretic statistics and safe
       anytime-valid inference. Statistical Science 38(4), 2023.
    .. [3] J. Shin, A. Ramdas and A. Rinaldo. E-detectors. New England Journal of Statistics in Data
       Science, 2023; e-SR, Definition 2.2 and Theorem 2.4.
    """

    def __init__(
        self,
        *,
        max_error_rate: float | None = None,
        max_risk: float | None = None,
        failure_probability: float = 0.05,
        detect: Detect = "both",
        mean_updates_to_false_alarm: int = MEAN_UPDATES,
        max_group_size: int | None = None,
        deadline: float | None = None,
        policy: Policy | None = None,
        truth_reader: Reviewer | None = None,
    ) -> None:
        self.criterion = exactly_one(max_error_rate=max_error_rate, max_risk=max_risk)
        given = max_error_rate if max_risk is None else max_risk
        self.limit = limit_of(given, self.criterion)
        self.failure_probability = failure_of(failure_probability)
        if truth_reader is None and policy is not None:
            truth_reader = policy.truth_reader
        self._tested = limit_of_found(self.limit, self.failure_probability, truth_reader)
        limit_of(self._tested.highest, self.criterion)
        self.truth_reader = informative(truth_reader)
        choice(detect, "detect", DETECTORS)
        self.detect = detect
        updates = mean_updates_to_false_alarm
        updates = whole_number(updates, "mean_updates_to_false_alarm", LEAST_UPDATES)
        self.mean_updates_to_false_alarm = None if detect == "proof" else updates
        self.max_group_size = max_group_size
        if max_group_size is not None:
            self.max_group_size = whole_number(max_group_size, "max_group_size", 1)
        self.deadline = None if deadline is None else deadline_of(deadline)
        if self.deadline is not None:
            self._drawn: DrawnAudits | None = DrawnAudits(self.deadline, self.max_group_size)
        else:
            self._drawn = None
        self.answered_late = 0
        self._law, self._detector = self._begun()
        self.policy_digest = None if policy is None else policy.digest
        self._updates: list[Update] = []
        self._counted = deduplication.CountedAudits()
        self.errors = 0
        self.audited = 0
        self.alarm_at: int | None = None
        self.changes: tuple[int, ...] = ()

    def __repr__(self) -> str:
        return (
            f"ErrorRateMonitor({self.criterion}={self.limit:g}, {self.errors} errors of "
            f"{self.audited} audits, alarm={self.alarm})"
        )

    def __str__(self) -> str:
        return words_of(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ErrorRateMonitor) and self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]  # it changes

    def update(
        self,
        errors: ArrayLike,
        audited: ArrayLike,
        *,
        batch: str | None = None,
        drawn_at: Any = None,
    ) -> None:
        """Count more audits.

        Parameters
        ----------
        errors : int or array_like of shape (n_groups,)
            How many of them were errors; with `max_group_size`, in each group.
        audited : int or array_like of shape (n_groups,)
            How many audits there were, at least as many. None at all is no update.
        batch : str, optional
            What names these audits, such as a file's digest. One that was counted before is not
            counted again, so that a program that was interrupted can begin anew.
        drawn_at : number or date, optional
            With a `deadline`, when all of these were drawn; all of them have answers.

        Raises
        ------
        ValueError, TypeError
            For numbers that are not counts, more errors than audits, and more audits of a group than
            `max_group_size`.

        Examples
        --------
        >>> import fastarac as fa
        >>> pages = fa.operation.ErrorRateMonitor(max_error_rate=0.01, max_group_size=40)
        >>> pages.update([0, 12, 0, 1], [40, 38, 40, 25])
        >>> pages.errors, pages.audited, round(pages.change_statistic, 3)
        (13, 143, 3.396)
        """
        update = observations.update_of(errors, audited, self.max_group_size)
        if batch is not None and self.has_seen(batch):
            return
        if self._drawn is None and drawn_at is None:
            self._add(update)
        elif update.audited:
            waiting = self._require_drawn(drawn_at).copy()
            waiting.add(float(times_of(drawn_at, 1)[0]), update)
            self._drawn = waiting
            for each in waiting.release(self._counted):
                self._add(each)
        if batch is not None:
            self._counted.add(deduplication.Batch.named(batch))

    def count(
        self,
        outcomes: ArrayLike | Sequence[bool | None],
        *,
        details: ArrayLike,
        ids: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        drawn_at: ArrayLike | None = None,
    ) -> int:
        """Count single audits, each once however often it is given; what is new is one update.

        Parameters
        ----------
        outcomes : array_like of shape (n,), bool
            Whether each audit found an error; None or NaN where that is open. Without a `deadline` an
            open one counts at once as it does when a deadline has passed, and needs an id.
        details : array_like of shape (n,) or (n, k)
            What each audit was like, such as its confidence and what it was found to be: texts or
            numbers.
        ids : array_like of shape (n,), optional
            Texts or integers that no two audits share. Without them, audits that are those of an
            earlier call, in any order, are the same ones.
        groups : array_like of shape (n,), optional
            The group of each audit, where the monitor has a `max_group_size`. All audits of a group
            belong in one call.
        drawn_at : scalar or array_like of shape (n,), optional
            With a `deadline`, when each output was drawn: numbers, or dates, which count in days.
            Then `ids` are needed; an audit is given again once it has an answer.

        Returns
        -------
        n_new : int
            How many of them were counted now; with a `deadline`, told something new.

        Raises
        ------
        ValueError, TypeError
            For an id that was counted with another outcome or other details; without ids, for audits
            of which the first ones are those of an earlier call of at least ten; for a group of which
            a part was counted before, or that is larger than `max_group_size`.

        Notes
        -----
        The last 65,536 audits with ids and the last 4,096 calls are known.

        Examples
        --------
        >>> import fastarac as fa
        >>> monitor = fa.operation.ErrorRateMonitor(max_error_rate=0.01)
        >>> monitor.count([False, True], details=[0.9, 0.4], ids=["a", "b"])
        2
        >>> monitor.count([True, False], details=[0.4, 0.7], ids=["b", "c"])
        1
        """
        if self._drawn is not None or drawn_at is not None:
            return self._count_drawn(outcomes, details, ids, groups, drawn_at)
        told, wrong, is_open = observations.outcomes_of_count(outcomes)
        if is_open.any() and ids is None:
            raise TypeError(
                "ids is missing: open audits need ids, as they may be given again with an answer"
            )
        like = observations.details_of(details, len(wrong))
        about = [repr(each) for each in zip(like, told, strict=True)]
        unanswered = [repr((each, None)) for each in like]
        names = observations.names_of(ids, len(wrong))
        by_group = observations.read_groups_of(groups, len(wrong), self.max_group_size)
        new, late, after = self._counted.new_among(about, names, unanswered)
        if by_group is not None and new.any():
            self._add(observations.update_of_groups(wrong, is_open, new, *by_group))
        elif new.any():
            counts = [int(np.count_nonzero(each)) for each in (wrong[new], new, is_open[new])]
            self._add(Update(counts[0], counts[1], unanswered=counts[2]))
        self._counted = after
        self.answered_late += late
        return int(new.sum())

    def _count_drawn(self, outcomes: Any, details: Any, ids: Any, groups: Any, drawn_at: Any) -> int:
        """Count audits by when their outputs were drawn; all or none."""
        known, waiting = self._counted.copy(), self._require_drawn(drawn_at).copy()
        found = outcomes_of(outcomes)
        n = len(found)
        if n and ids is None:
            raise TypeError("ids is missing: a deadline needs an id for each audit")
        about = map(repr, observations.details_of(details, n))
        names = observations.names_of(ids, n) or []
        times = times_of(drawn_at, n).tolist()
        pages = observations.group_names_of(groups, n, self.max_group_size)
        new, late = waiting.take(list(map(DrawnAudit, names, times, about, found, pages)), known)
        updates = waiting.release(known)
        self._counted, self._drawn = known, waiting
        self.answered_late += late
        for update in updates:
            self._add(update)
        return new

    def _require_drawn(self, drawn_at: Any) -> DrawnAudits:
        """What waits, where audits are counted by when they were drawn."""
        if self._drawn is None:
            raise TypeError("drawn_at is given, but the monitor has no deadline")
        if drawn_at is None:
            raise TypeError("drawn_at is missing: the monitor has a deadline")
        return self._drawn

    def _add(self, update: Update, *, proved: bool | None = None, change: bool | None = None) -> None:
        """Take an update; alarms that only rounding decides are as told, where they are."""
        if self.audited + update.audited > MOST_AUDITED:
            raise ValueError(
                f"audited must be at most {MOST_AUDITED} with all earlier audits, got "
                f"{self.audited + update.audited}"
            )
        if not update.audited:
            return
        self._updates.append(update)
        self.errors += update.errors
        self.audited += update.audited
        self._law.add(update)
        if self.detect != "change" and self.alarm_at is None:
            beyond = self._law.log_e_value() + math.log(self._tested.failure_probability)
            if beyond >= 0.0 if proved is None or abs(beyond) > ROUNDING else proved:
                self.alarm_at = self.audited
        if self._detector is not None and self._detector.add(self._law.log_factors(update), change):
            self.changes = (*self.changes, len(self._updates))

    def has_seen(self, batch: str) -> bool:
        """Say whether audits of this name were counted."""
        return deduplication.Batch.named(batch) in self._counted

    @property
    def alarm(self) -> bool:
        """Whether E ever reached 1/δ after an update: the limit is proved to be exceeded."""
        return self.alarm_at is not None

    @property
    def changed(self) -> bool:
        """Whether the last update gave an alarm of a change: M reached N."""
        return bool(self.changes) and self.changes[-1] == len(self._updates)

    @property
    def open(self) -> int:
        """How many audits are open: without an answer, and not yet counted."""
        return 0 if self._drawn is None else self._drawn.open

    @property
    def unanswered(self) -> int:
        """How many of the audits had no answer at their deadline."""
        return sum(each.unanswered for each in self._updates)

    @property
    def e_value(self) -> float:
        """E after all audits; 1 before the first."""
        return math.exp(min(self._law.log_e_value(), LARGEST_EXPONENT))

    @property
    def change_statistic(self) -> float:
        """M after the last update, before it begins anew where that gave an alarm; else NaN."""
        return math.nan if self._detector is None else self._detector.statistic

    @property
    def interval(self) -> Interval:
        """The confidence sequence at this moment; two-sided, of level 1 − δ."""
        low, high = self._ends(self._law)
        estimate = self.errors / self.audited if self.audited else math.nan
        if self.truth_reader is not None:
            estimate = estimate / self.truth_reader.detection_rate
            estimate = min(1.0, estimate) if self.audited else math.nan
        level = 1.0 - self.failure_probability
        return Interval(estimate, low, high, math.nan, level, self._law.method)

    def _ends(self, law: AuditedOutputs | AuditedGroups) -> tuple[float, float]:
        """The ends of the rate of all errors, those that people overlook among them."""
        return self._tested.rates(*law.sequence(self._tested.failure_probability))

    def history(self) -> MonitorHistory:
        """Return totals, rates, intervals, e-values and M after each update."""
        law, detector = self._begun()
        rows = []
        for i, update in enumerate(self._updates, 1):
            law.add(update)
            if detector is not None:
                detector.add(law.log_factors(update), i in self.changes)
            e_value = math.exp(min(law.log_e_value(), LARGEST_EXPONENT))
            statistic = math.nan if detector is None else detector.statistic
            rows.append((*self._ends(law), e_value, statistic))
        counts = np.array([each[:2] for each in self._updates], np.int64).reshape(-1, 2)
        errors, audited = np.cumsum(counts[:, 0]), np.cumsum(counts[:, 1])
        columns = np.array(rows, np.float64).reshape(-1, 4).T
        d = 1.0 if self.truth_reader is None else self.truth_reader.detection_rate
        rates = np.minimum(1.0, errors / audited / d)
        return MonitorHistory(audited, errors, np.asarray(rates), *columns)

    def _begun(self) -> tuple[AuditedOutputs | AuditedGroups, ChangeDetector | None]:
        """What has seen nothing yet."""
        most, updates = self.max_group_size, self.mean_updates_to_false_alarm
        limit = self._tested.highest
        return (
            AuditedOutputs(limit) if most is None else AuditedGroups(limit, most),
            None if updates is None else ChangeDetector(updates),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the state in values that JSON has."""
        people = {}
        if self.truth_reader is not None:  # states without one stay as they were
            people = {"truth_reader": written_reader(self.truth_reader)}
        return {
            "kind": KIND,
            "version": VERSION,
            "criterion": self.criterion,
            "limit": self.limit,
            **people,
            "policy_digest": self.policy_digest,
            "max_group_size": self.max_group_size,
            "deadline": self.deadline,
            "detect": self.detect,
            "detectors": {
                "proof": {
                    "failure_probability": self.failure_probability,
                    "alarm_at": self.alarm_at,
                },
                "change": None
                if self._detector is None
                else {
                    "mean_updates_to_false_alarm": self.mean_updates_to_false_alarm,
                    "alarms": list(self.changes),
                },
            },
            "updates": [
                {
                    "errors": each.errors,
                    "audited": each.audited,
                    "groups": None
                    if each.groups is None
                    else [
                        dict(zip(("errors", "audited", "unanswered"), group, strict=True))
                        for group in each.groups
                    ],
                    "drawn_at": each.drawn_at,
                    "unanswered": each.unanswered,
                }
                for each in self._updates
            ],
            "pending": [] if self._drawn is None else self._drawn.to_list(),
            "counted": self._counted.to_dict(),
        }

    def to_json(self) -> str:
        """Return the state as the text of a JSON file."""
        return json_text(self.to_dict(), indent=1) + "\n"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the state to a JSON file, whole or not at all."""
        write_whole(path, self.to_json())

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> ErrorRateMonitor:
        """Return the monitor whose :meth:`to_dict` this is.

        Raises
        ------
        ValueError
            Where a field is missing, unknown, of another type, out of its range or contradicts another
            one: the message names it.
        """
        given = {"truth_reader": None} | saved.fields_of_kind(content, KIND, VERSION)
        fields = saved_state.STATE(given, "")
        proof, change = fields["detectors"]["proof"], fields["detectors"]["change"]
        if (change is None) != (fields["detect"] == "proof"):
            expected = f"{'an object' if change is None else 'null'} for detect={fields['detect']}"
            raise saved.unexpected(change, "detectors.change", expected)
        limit = {fields["criterion"]: fields["limit"]}
        name = "mean_updates_to_false_alarm"
        found = cls(
            **limit,
            failure_probability=proof["failure_probability"],
            detect=fields["detect"],
            mean_updates_to_false_alarm=MEAN_UPDATES if change is None else change[name],
            max_group_size=fields["max_group_size"],
            deadline=fields["deadline"],
            truth_reader=fields["truth_reader"],
        )
        found.policy_digest = fields["policy_digest"]
        found._counted = deduplication.CountedAudits.of(fields["counted"])
        changes = () if change is None else change["alarms"]
        saved.require_rising(changes, "detectors.change.alarms")
        for i, each in enumerate(fields["updates"]):
            update = saved_state.update_of(each, f"updates[{i}]", found.max_group_size, found.deadline)
            proved = proof["alarm_at"] == found.audited + update.audited
            found._add(update, proved=proved, change=i + 1 in changes)
        times = tuple(each["drawn_at"] for each in fields["updates"])
        if found._drawn is not None:
            saved.require_rising(times, "updates.drawn_at")
            found._drawn.closed = times[-1] if times else None
            found._drawn.read(fields["pending"], found._counted)
        elif fields["pending"]:
            raise ValueError("pending must be an empty list without a deadline")
        if proof["alarm_at"] != found.alarm_at:
            expected = f"{saved.shown(found.alarm_at)} by the updates"
            raise saved.unexpected(proof["alarm_at"], "detectors.proof.alarm_at", expected)
        if changes != found.changes:
            raise ValueError(
                f"detectors.change.alarms must be {list(found.changes)} by the updates, got "
                f"{list(changes)}"
            )
        return found

    @classmethod
    def from_json(cls, text: str) -> ErrorRateMonitor:
        """Return the monitor that :meth:`to_json` wrote; ValueError for any other text."""
        return cls.from_dict(saved.parsed(text))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> ErrorRateMonitor:
        """Read the monitor that :meth:`save` wrote."""
        return read_saved(path, cls.from_json)
