"""Monitor an error rate by audits, with alarms that are valid at every moment."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

import numpy as np

from fastarac._core import saved
from fastarac._core.checks import choice, exactly_one, failure_of, whole_number
from fastarac._core.files import SavedAsJson
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
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from fastarac.operation.policy import Policy

Detect = Literal["both", "proof", "change"]
# With weekly updates, this gives on average at most one false alarm of a change in about 20 years.
MEAN_UPDATES = 1000
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
    """The history of a monitor: after each update, the totals, the rate with its interval, and E and M.

    `e_value` is E, the evidence from all audits since the start that the rate is above its limit.
    `change_statistic` is M, the evidence for a recent rise, before it restarts after an alarm. M is NaN
    if the monitor does not look for changes. :class:`.ErrorRateMonitor` defines E and M.

    See Also
    --------
    fastarac.operation.ErrorRateMonitor : alarms where an error rate is above its limit
    """

    __slots__ = ()


class ErrorRateMonitor(SavedAsJson):
    r"""Monitor of an error rate, with alarms for a proven excess over the limit and for a recent rise.

    Parameters
    ----------
    max_error_rate : float, optional
        The limit of errors among *all* outputs, in (0, 1). Random outputs must be audited, whether they
        were accepted or not. An error is an accepted output that is wrong.
    max_risk : float, optional
        The limit of errors among the *accepted* outputs. Random accepted outputs must be audited.
    failure_probability : float, default=0.05
        δ, in (0, 0.5]: the probability of ever reporting that a limit is exceeded although it is kept.
    detect : {"both", "proof", "change"}, default="both"
        The alarms: a "proof" from all audits since the start, or a recent "change".
    mean_updates_to_false_alarm : int, default=1000
        N, at least 2. While the limit is kept, the mean number of updates until an alarm of a change is
        at least N, counted from the start or from the previous alarm.
    max_group_size : int, optional
        For audits of whole groups of dependent outputs, such as pages: the largest possible number of
        outputs in a group, fixed beforehand.
    deadline : float, optional
        How long to wait for an answer after `drawn_at`, in the unit of `drawn_at` (days for dates).
    policy : Policy, optional
        The monitored policy; audits of another policy are refused.
    truth_reader : Reviewer, optional
        The people who audit, if they find only a share d of the errors; by default the policy's
        `truth_reader`. Found errors are then tested against the limit ε·d, where ε is the given limit.

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
        `Policy.digest` of the policy, if one was given.
    errors, audited : int
        Numbers of errors and of audits.
    alarm_at : int or None
        The number of audits at which an excess over the limit was proved; None without a proof.
    changes : tuple of int
        The numbers, from 1, of the updates that gave an alarm of a change.
    answered_late : int
        The number of answers that came too late to count, since this object was made or loaded.

    Raises
    ------
    TypeError
        Unless exactly one limit is given.
    ValueError
        For a limit or a probability outside (0, 1), and for a limit below 10⁻⁹.

    See Also
    --------
    MonitorSet : monitors of several policies that share one failure probability
    Policy.check : test in one sample whether the limit holds

    Notes
    -----
    **Proof since the start.** Let ε be the limit. After S errors among t audits, the evidence is

    .. math:: E = \frac{B(a+S,b+t-S)\,(1-I_\varepsilon(a+S,b+t-S))}
        {B(a,b)\,(1-I_\varepsilon(a,b))\,\varepsilon^S(1-\varepsilon)^{t-S}},
        \quad a=\tfrac12, b=\tfrac1{2\varepsilon}.

    where B is the beta function and I is the regularized incomplete beta function. While the rate is at
    most ε, the probability that E ever reaches 1/δ is at most δ [1]_ [2]_. There is an alarm when E
    reaches 1/δ. With a probability of at least 1 − δ, the rate is in `interval` at all times.

    **Recent change** [3]_. After an update of S errors among m audits, for k = 1, …, 8,

    .. math:: R_k \leftarrow (1+R_k)(p_k/\varepsilon)^S((1-p_k)/(1-\varepsilon))^{m-S},
        \quad p_k=\min(\varepsilon 2^{k/2},(1+\varepsilon)/2).

    All :math:`R_k` start at 0. There is an alarm when their mean M reaches N. Then all :math:`R_k`
    restart at 0. Such an alarm does not prove that the rate is above the limit. The number of audits
    per update must be fixed beforehand.

    With a `deadline`, all audits drawn at the same time form one update. Audits without an answer at
    the deadline count as right for the alarms, and as errors for the upper end of `interval`.

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
            The number of errors among the audits; with `max_group_size`, the number in each group.
        audited : int or array_like of shape (n_groups,)
            The number of audits; with `max_group_size`, the number in each group. Zero audits are not
            counted as an update.
        batch : str, optional
            A name for these audits, such as a file's digest. A batch with a known name is not counted
            again, so you may repeat a call after an interruption.
        drawn_at : number or date, optional
            With a `deadline`, the time at which all these audits were drawn. All must have answers.

        Raises
        ------
        ValueError, TypeError
            If a number is not a count, if there are more errors than audits, or if a group has more
            audits than `max_group_size`.

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
        """Count single audits, each only once. All new audits of a call form one update.

        Parameters
        ----------
        outcomes : array_like of shape (n,), bool
            Whether each audit found an error; None or NaN if the audit is open, that is, without an
            answer. Without a `deadline`, an open audit needs an id, and counts at once as an audit
            whose deadline has passed.
        details : array_like of shape (n,) or (n, k)
            The content of each audit, such as its confidence and its result: texts or numbers.
        ids : array_like of shape (n,), optional
            Distinct texts or integers. Without ids, a call is recognized as a repetition if it has the
            same audits as an earlier call, in any order.
        groups : array_like of shape (n,), optional
            The group of each audit, if the monitor has a `max_group_size`. Give all audits of a group
            in one call.
        drawn_at : scalar or array_like of shape (n,), optional
            With a `deadline`, the time at which each output was drawn: a number or a date. Dates count
            in days. `ids` are then required. Give an open audit again when it has an answer.

        Returns
        -------
        n_new : int
            The number of audits counted now. With a `deadline`, the number of audits that were new or
            newly answered.

        Raises
        ------
        ValueError, TypeError
            If an id was counted with another outcome or other details. Without ids, if the call begins
            with all audits of an earlier call of ten or more audits. If a group was partly counted
            before, or is larger than `max_group_size`.

        Notes
        -----
        The last 65,536 audits with ids and the last 4,096 calls are remembered.

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
                "ids is missing: open audits need ids, because they may be given again with an answer"
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
        """Count audits by the times at which their outputs were drawn; after an error, count none."""
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
        """Return the audits not yet counted; raise unless `drawn_at` and a deadline are both given."""
        if self._drawn is None:
            raise TypeError("drawn_at is given, but the monitor has no deadline")
        if drawn_at is None:
            raise TypeError("drawn_at is missing: the monitor has a deadline")
        return self._drawn

    def _add(self, update: Update, *, proved: bool | None = None, change: bool | None = None) -> None:
        """Add an update; `proved` and `change` decide on alarms that depend on rounding."""
        if self.audited + update.audited > MOST_AUDITED:
            raise ValueError(
                f"audited must be at most {MOST_AUDITED} including all earlier audits, got "
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
        """Return whether audits with this name were counted."""
        return deduplication.Batch.named(batch) in self._counted

    @property
    def alarm(self) -> bool:
        """Whether the evidence E was ever large enough (1/δ) to prove an excess over the limit."""
        return self.alarm_at is not None

    @property
    def changed(self) -> bool:
        """Whether the last update gave an alarm of a change."""
        return bool(self.changes) and self.changes[-1] == len(self._updates)

    @property
    def changed_since(self) -> int | None:
        """The number, from 1, of the update at which the error rate most likely rose.

        Consider the updates up to the last alarm or, without an alarm, up to the last update. For each
        possible start, a likelihood ratio compares the rates of the change detector with the limit,
        over all updates from this start on. The result is the start with the largest ratio. None before
        the first update.
        """
        if not self._updates:
            return None
        end = self.changes[-1] if self.changes else len(self._updates)
        if self.alarm_at is not None:
            totals = itertools.accumulate(each.audited for each in self._updates)
            at = next(i for i, total in enumerate(totals, 1) if total >= self.alarm_at)
            end = max(at, self.changes[-1] if self.changes else 0)
        factors = np.array([self._law.log_factors(each) for each in self._updates[:end]])
        evidence = factors[::-1].cumsum(axis=0)[::-1].max(axis=1)
        return int(evidence.argmax()) + 1

    @property
    def open(self) -> int:
        """The number of audits that have no answer and are not yet counted."""
        return 0 if self._drawn is None else self._drawn.open

    @property
    def unanswered(self) -> int:
        """The number of counted audits that had no answer at their deadline."""
        return sum(each.unanswered for each in self._updates)

    @property
    def e_value(self) -> float:
        """E, the evidence of all audits that the rate is above its limit; 1 before the first audit."""
        return math.exp(min(self._law.log_e_value(), LARGEST_EXPONENT))

    @property
    def change_statistic(self) -> float:
        """M, the evidence for a recent rise, before any restart; NaN without a search for changes."""
        return math.nan if self._detector is None else self._detector.statistic

    @property
    def interval(self) -> Interval:
        """The current interval of a two-sided confidence sequence with confidence level 1 − δ."""
        low, high = self._ends(self._law)
        estimate = self.errors / self.audited if self.audited else math.nan
        if self.truth_reader is not None:
            estimate = estimate / self.truth_reader.detection_rate
            estimate = min(1.0, estimate) if self.audited else math.nan
        level = 1.0 - self.failure_probability
        return Interval(estimate, low, high, math.nan, level, self._law.method)

    def _ends(self, law: AuditedOutputs | AuditedGroups) -> tuple[float, float]:
        """Return bounds on the rate of all errors, including those that people overlook."""
        return self._tested.rates(*law.sequence(self._tested.failure_probability))

    def history(self) -> MonitorHistory:
        """Return totals, rate, interval, e-value and change statistic after each update."""
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
        """Return the statistics in their initial state."""
        most, updates = self.max_group_size, self.mean_updates_to_false_alarm
        limit = self._tested.highest
        return (
            AuditedOutputs(limit) if most is None else AuditedGroups(limit, most),
            None if updates is None else ChangeDetector(updates),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the state as JSON values."""
        people = {}
        # Without a truth reader, the state has the same keys as in older versions.
        if self.truth_reader is not None:
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

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> Self:
        """Return the monitor, given the state that :meth:`to_dict` returned.

        Raises
        ------
        ValueError
            If a field is missing, is unknown, has another type, is outside its range, or contradicts
            another field. The message names the field.
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
            raise ValueError("pending must be an empty list, because the monitor has no deadline")
        if proof["alarm_at"] != found.alarm_at:
            expected = f"{saved.shown(found.alarm_at)} according to the updates"
            raise saved.unexpected(proof["alarm_at"], "detectors.proof.alarm_at", expected)
        if changes != found.changes:
            raise ValueError(
                f"detectors.change.alarms must be {list(found.changes)} according to the updates, got "
                f"{list(changes)}"
            )
        return found

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the monitor written by :meth:`to_json`; raise ValueError for any other text."""
        return cls.from_dict(saved.parsed(text))
