"""Watch an error rate by audits, with an alarm that is valid at every moment."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastarac._core import saved
from fastarac._core.checks import exactly_one, failure_of, inner_fraction, whole_number
from fastarac._core.files import read_saved, write_whole
from fastarac._core.interval import Interval
from fastarac._core.results import Table, TupleResult
from fastarac._core.special import log_beta, log_beta_tail
from fastarac._core.text import json_text, percent, quoted
from fastarac._engine.inputs import read_groups
from fastarac.operation import counted
from fastarac.operation.policy_files import CRITERIA

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

    from fastarac.operation.policy import Policy

VERSION = 2
KIND = "fastarac monitor"
KIND_OF_SEVERAL = "set of fastarac monitors"
LOWEST_LIMIT = 1e-9  # to which the e-value is computed without overflow
MOST_AUDITED = 10**12
ROUNDING = 1e-9  # to which an e-value is the same on every machine
HALF = 0.5
STEPS = 200  # of a bisection


def _limit_of(value: Any, name: str) -> float:
    limit = inner_fraction(value, name)
    if limit < LOWEST_LIMIT:
        raise ValueError(f"{name} is {limit}; at least {LOWEST_LIMIT} is expected")
    return limit


# What is null or empty has its place for outcomes that are counted by when the output was drawn, and
# for further detectors; docs/operation.md says what every field is for.
_STATE = saved.record(
    {
        "criterion": saved.word(*CRITERIA),
        "limit": saved.number(_limit_of),
        "policy_digest": saved.optional(saved.hexadecimal(64)),
        "deadline": saved.null,
        "detectors": saved.record(
            {
                "proof": saved.record(
                    {
                        "failure_probability": saved.number(failure_of),
                        "alarm_at": saved.optional(saved.whole(1)),
                    }
                )
            }
        ),
        "updates": saved.sequence(
            saved.record(
                {
                    "errors": saved.whole(),
                    "audited": saved.whole(),
                    "drawn_at": saved.null,
                    "answered_at": saved.null,
                }
            )
        ),
        "pending": saved.sequence(saved.null, most=0),
        "counted": counted.CHECK,
    }
)
_SEVERAL = saved.record(
    {"failure_probability": saved.number(failure_of), "monitors": saved.mapping(lambda value, _: value)}
)


class _MonitorHistory(NamedTuple):
    audited: NDArray[np.int64]
    errors: NDArray[np.int64]
    error_rate: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    e_value: NDArray[np.float64]


class MonitorHistory(Table, TupleResult, _MonitorHistory):
    """What a monitor saw, after each update: totals, the rate with its interval, and the e-value."""

    __slots__ = ()


class ErrorRateMonitor:
    r"""An alarm where audits prove that an error rate is above its limit, valid at every moment.

    Parameters
    ----------
    max_error_rate : float, optional
        The limit of errors among *all* outputs, in (0, 1): audited are random outputs, accepted or
        not, and an error is an output that was accepted and is wrong.
    max_risk : float, optional
        The limit of errors among the *accepted* outputs: audited are random accepted ones.
    failure_probability : float, default=0.05
        δ, in (0, 0.5]: the probability that an alarm is ever given while the limit is kept.
    policy : Policy, optional
        What is watched. Its digest is kept with the state, so that audits of one policy are not added
        to those of another.

    Attributes
    ----------
    policy_digest : str or None
        `Policy.digest` of the policy, where one was given.

    Raises
    ------
    TypeError
        Where not exactly one limit is given.
    ValueError
        For a limit or a probability that is not inside (0, 1), and for a limit below 10⁻⁹.

    Notes
    -----
    A test that is repeated every week at 5 % gives a false alarm sooner or later. Here, after S errors
    among t audits,

    .. math:: E = \frac{B(a+S,\, b+t-S)\,(1 - I_\varepsilon(a+S,\, b+t-S))}
        {B(a, b)\,(1 - I_\varepsilon(a, b))\,\varepsilon^S (1-\varepsilon)^{t-S}}

    with a = 1/2 and b = 1/(2ε): the likelihood of the audits, averaged over the rates above ε with the
    weights of a Beta distribution, over that at ε. While the rate is at most ε, E is a non-negative
    supermartingale that begins at 1, which ever exceeds 1/δ with a probability of at most δ (Ville
    1939; Robbins 1970; Ramdas and others 2023, "Game-theoretic statistics and safe anytime-valid
    inference"). So it may be looked at after each audit, and stopped or gone on with for any reason.
    The alarm, once given, stays. `interval` is the set of rates that the mixture over all rates does
    not refute, a confidence sequence: all of its intervals at once contain the rate with a probability
    of at least 1 − δ.

    It needs audits that are drawn at random, and a rate that does not depend on which are drawn. A
    rate that was below the limit for long and then rises is found later, as the errors before count:
    begin anew with each new policy.

    Examples
    --------
    >>> import fastarac as fa
    >>> monitor = fa.operation.ErrorRateMonitor(max_error_rate=0.01)
    >>> monitor.update(10, 500)
    >>> round(monitor.e_value, 6), monitor.alarm
    (3.510808, False)
    >>> monitor.update(15, 500)
    >>> monitor.alarm
    True
    """

    def __init__(
        self,
        *,
        max_error_rate: float | None = None,
        max_risk: float | None = None,
        failure_probability: float = 0.05,
        policy: Policy | None = None,
    ) -> None:
        self.criterion = exactly_one(max_error_rate=max_error_rate, max_risk=max_risk)
        given = max_error_rate if max_risk is None else max_risk
        self.limit = _limit_of(given, self.criterion)
        self.failure_probability = failure_of(failure_probability)
        self.policy_digest = None if policy is None else policy.digest
        self._updates: list[tuple[int, int]] = []
        self._counted = counted.CountedAudits()
        self.errors = 0
        self.audited = 0
        self.alarm_at: int | None = None

    def __repr__(self) -> str:
        return (
            f"ErrorRateMonitor({self.criterion}={self.limit:g}, {self.errors} errors of "
            f"{self.audited} audits, alarm={self.alarm})"
        )

    def __str__(self) -> str:
        if not self.audited:
            return f"no audits yet; the limit is {percent(self.limit)}"
        found = self.interval
        rate = (
            f"{self.errors:,} errors among {self.audited:,} audits, {percent(found.estimate, 3)} "
            f"({percent(found.confidence_level)} interval {percent(found.low, 3)} to "
            f"{percent(found.high, 3)})"
        )
        if self.alarm:
            return f"alarm: the limit of {percent(self.limit)} is exceeded; {rate}"
        return f"no alarm: the limit of {percent(self.limit)} is not proved to be exceeded; {rate}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ErrorRateMonitor) and self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]  # it changes

    def update(self, errors: int, audited: int, *, batch: str | None = None) -> None:
        """Count more audits.

        Parameters
        ----------
        errors : int
            How many of them were errors.
        audited : int
            How many audits there were, at least as many.
        batch : str, optional
            What names these audits, such as a file's digest. One that was counted before is not
            counted again, so that a program that was interrupted can begin anew.

        Raises
        ------
        ValueError, TypeError
            For numbers that are not counts, or more errors than audits.
        """
        wrong, seen = whole_number(errors, "errors", 0), whole_number(audited, "audited", 0)
        if wrong > seen:
            raise ValueError(f"errors is {wrong}; at most the {seen} that were audited are expected")
        if batch is not None and self.has_seen(batch):
            return
        self._add(wrong, seen)
        if batch is not None:
            self._counted.add(counted.Batch.named(batch))

    def count(self, outcomes: ArrayLike, *, details: ArrayLike, ids: ArrayLike | None = None) -> int:
        """Count single audits, each once however often it is given.

        Parameters
        ----------
        outcomes : array_like of shape (n,), bool
            Whether each audit found an error.
        details : array_like of shape (n,) or (n, k)
            What each audit was like, such as its confidence and what it was found to be: texts or
            numbers.
        ids : array_like of shape (n,), optional
            Texts or integers that no two audits share. Without them, audits that are those of an
            earlier call, in any order, are the same ones.

        Returns
        -------
        n_new : int
            How many of them were counted now.

        Raises
        ------
        ValueError, TypeError
            For an id that was counted with another outcome or other details; without ids, for audits
            of which the first ones are those of an earlier call of at least ten.

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
        wrong = np.asarray(outcomes)
        if wrong.ndim != 1 or (
            len(wrong) and (wrong.dtype.kind not in "biu" or not np.isin(wrong, (0, 1)).all())
        ):
            raise ValueError(
                "outcomes is no sequence of True and False; one for each audit is expected"
            )
        told = np.asarray(details)
        if told.ndim not in (1, 2) or len(told) != len(wrong):
            raise ValueError(
                f"details has shape {told.shape}; a value, or a row of them, for each of the "
                f"{len(wrong)} audits is expected"
            )
        about = [repr(each) for each in zip(told.tolist(), wrong.tolist(), strict=True)]
        names = None
        if ids is not None and len(wrong):
            labels, codes = read_groups(ids, len(wrong), "ids", beside="outcomes")
            names = [str(labels[code]) for code in codes.tolist()]
        new, after = self._counted.new_among(about, names)
        if new.any():
            self._add(int(np.count_nonzero(wrong[new])), int(new.sum()))
        self._counted = after
        return int(new.sum())

    def _add(self, errors: int, audited: int) -> None:
        if self.audited + audited > MOST_AUDITED:
            raise ValueError(
                f"audited is {audited}, {self.audited + audited} with those before; at most "
                f"{MOST_AUDITED} are expected"
            )
        self._updates.append((errors, audited))
        self.errors += errors
        self.audited += audited
        if self.alarm_at is None and self.e_value >= 1.0 / self.failure_probability:
            self.alarm_at = self.audited

    def _take_alarm(self, alarm_at: int | None) -> None:
        """Take an alarm from a file; raise unless the updates give it, whatever their last bits are."""
        if alarm_at == self.alarm_at:
            return
        allowed: set[int | None] = set()
        for errors, audited in accumulate(self._updates, lambda a, b: (a[0] + b[0], a[1] + b[1])):
            ratio = _e_value(errors, audited, self.limit) * self.failure_probability
            if ratio >= 1.0 - ROUNDING:
                allowed.add(audited)
            if ratio >= 1.0 + ROUNDING:
                break
        else:
            allowed.add(None)
        if alarm_at not in allowed:
            expected = f"{saved.shown(self.alarm_at)}, as the updates give it,"
            raise saved.unexpected(alarm_at, "detectors.proof.alarm_at", expected)
        self.alarm_at = alarm_at

    def has_seen(self, batch: str) -> bool:
        """Say whether audits of this name were counted."""
        return counted.Batch.named(batch) in self._counted

    @property
    def alarm(self) -> bool:
        """Whether E ever reached 1/δ after an update."""
        return self.alarm_at is not None

    @property
    def e_value(self) -> float:
        """E after all audits; 1 before the first."""
        return _e_value(self.errors, self.audited, self.limit)

    @property
    def interval(self) -> Interval:
        """The confidence sequence at this moment; two-sided, of level 1 − δ."""
        low, high = _sequence(self.errors, self.audited, self.limit, self.failure_probability)
        estimate = self.errors / self.audited if self.audited else math.nan
        level = 1.0 - self.failure_probability
        return Interval(estimate, low, high, math.nan, level, "beta mixture")

    def history(self) -> MonitorHistory:
        """Return totals, rates, intervals and e-values after each update."""
        counts = np.array(self._updates, np.int64).reshape(-1, 2)
        errors, audited = np.cumsum(counts[:, 0]), np.cumsum(counts[:, 1])
        some = audited > 0
        errors, audited = errors[some], audited[some]
        pairs = list(zip(errors.tolist(), audited.tolist(), strict=True))
        ends = [_sequence(s, t, self.limit, self.failure_probability) for s, t in pairs]
        low, high = np.array(ends, np.float64).reshape(-1, 2).T
        values = np.array([_e_value(s, t, self.limit) for s, t in pairs], np.float64)
        return MonitorHistory(audited, errors, np.asarray(errors / audited), low, high, values)

    def to_dict(self) -> dict[str, Any]:
        """Return the state in values that JSON has."""
        return {
            "kind": KIND,
            "version": VERSION,
            "criterion": self.criterion,
            "limit": self.limit,
            "policy_digest": self.policy_digest,
            "deadline": None,
            "detectors": {
                "proof": {
                    "failure_probability": self.failure_probability,
                    "alarm_at": self.alarm_at,
                }
            },
            "updates": [
                {"errors": errors, "audited": audited, "drawn_at": None, "answered_at": None}
                for errors, audited in self._updates
            ],
            "pending": [],
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
        fields = _STATE(saved.fields_of_kind(content, KIND, VERSION), "")
        proof = fields["detectors"]["proof"]
        limit = {fields["criterion"]: fields["limit"]}
        found = cls(**limit, failure_probability=proof["failure_probability"])
        found.policy_digest = fields["policy_digest"]
        found._counted = counted.CountedAudits.of(fields["counted"])
        for i, update in enumerate(fields["updates"]):
            errors, audited = update["errors"], update["audited"]
            saved.require_at_most(errors, f"updates[{i}].errors", audited, f"updates[{i}].audited")
            found._add(errors, audited)
        found._take_alarm(proof["alarm_at"])
        return found

    @classmethod
    def from_json(cls, text: str) -> ErrorRateMonitor:
        """Return the monitor that :meth:`to_json` wrote; ValueError for any other text."""
        return cls.from_dict(saved.parsed(text))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> ErrorRateMonitor:
        """Read the monitor that :meth:`save` wrote."""
        return read_saved(path, cls.from_json)


class MonitorSet:
    """Monitors of several policies, which share one probability of a false alarm.

    Parameters
    ----------
    limits : mapping of str to mapping
        By the names of the policies, their limit as ``{"max_error_rate": 0.01}`` or
        ``{"max_risk": 0.02}``, and with ``"policy"`` the policy itself.
    failure_probability : float, default=0.05
        δ of all together: each gets δ over their number.

    Raises
    ------
    ValueError, TypeError
        As :class:`ErrorRateMonitor`; ValueError where there are none.

    Examples
    --------
    >>> import fastarac as fa
    >>> limits = {"invoices": {"max_error_rate": 0.01}, "letters": {"max_risk": 0.02}}
    >>> monitors = fa.operation.MonitorSet(limits)
    >>> monitors["invoices"].failure_probability
    0.025
    >>> monitors["invoices"].update(30, 500)
    >>> monitors.alarms
    ('invoices',)
    """

    def __init__(
        self, limits: Mapping[str, Mapping[str, Any]], *, failure_probability: float = 0.05
    ) -> None:
        if not isinstance(limits, Mapping):
            raise TypeError(
                f"limits is a {type(limits).__name__}; a mapping of names to limits is expected"
            )
        for name, limit in limits.items():
            if not isinstance(limit, Mapping):
                raise TypeError(
                    f"limits[{name!r}] is {limit!r}; a mapping such as {{'max_error_rate': 0.01}} is "
                    "expected"
                )
        if not limits:
            raise ValueError("limits is empty; the limit of at least one policy is expected")
        self.failure_probability = failure_of(failure_probability)
        share = self.failure_probability / len(limits)
        self._monitors = {
            name: ErrorRateMonitor(**limit, failure_probability=share) for name, limit in limits.items()
        }

    def __repr__(self) -> str:
        n = len(self._monitors)
        return f"MonitorSet({n} polic{'y' if n == 1 else 'ies'}, alarms={list(self.alarms)})"

    def __str__(self) -> str:
        return "\n".join(f"{name}: {monitor}" for name, monitor in self._monitors.items())

    def __getitem__(self, name: str) -> ErrorRateMonitor:
        return self._monitors[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._monitors)

    def __len__(self) -> int:
        return len(self._monitors)

    @property
    def alarms(self) -> tuple[str, ...]:
        """The names of the policies whose limit is proved to be exceeded."""
        return tuple(name for name, monitor in self._monitors.items() if monitor.alarm)

    def to_json(self) -> str:
        """Return the state of all as the text of a JSON file."""
        content = {
            "kind": KIND_OF_SEVERAL,
            "version": VERSION,
            "failure_probability": self.failure_probability,
            "monitors": {name: monitor.to_dict() for name, monitor in self._monitors.items()},
        }
        return json_text(content, indent=1) + "\n"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the state to a JSON file, whole or not at all."""
        write_whole(path, self.to_json())

    @classmethod
    def from_json(cls, text: str) -> MonitorSet:
        """Return the monitors that :meth:`to_json` wrote; ValueError for any other text."""
        fields = _SEVERAL(saved.content_of(text, KIND_OF_SEVERAL, VERSION), "")
        states = {}
        for name, state in fields["monitors"].items():
            try:
                states[name] = ErrorRateMonitor.from_dict(state)
            except ValueError as error:
                raise ValueError(f"monitors[{quoted(name)}]: {error}") from None
        limits = {name: {state.criterion: state.limit} for name, state in states.items()}
        found = cls(limits, failure_probability=fields["failure_probability"])
        for name, state in states.items():
            share = found[name].failure_probability
            if state.failure_probability != share:
                raise ValueError(
                    f"monitors[{quoted(name)}].detectors.proof.failure_probability is "
                    f"{state.failure_probability}; {share}, its share, is expected"
                )
        found._monitors = states
        return found

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> MonitorSet:
        """Read the monitors that :meth:`save` wrote."""
        return read_saved(path, cls.from_json)


def _e_value(errors: int, audited: int, limit: float) -> float:
    a, b = HALF, HALF / limit
    above = log_beta_tail(a + errors, b + audited - errors, limit)
    before = log_beta_tail(a, b, limit)
    likelihood = errors * math.log(limit) + (audited - errors) * math.log1p(-limit)
    exponent = log_beta(a + errors, b + audited - errors) + above - log_beta(a, b) - before - likelihood
    return math.exp(min(exponent, 700.0))


def _sequence(errors: int, audited: int, limit: float, delta: float) -> tuple[float, float]:
    """The rates at which the mixture over all rates is below 1/δ."""
    a, b = HALF, HALF / limit
    mixture = log_beta(a + errors, b + audited - errors) - log_beta(a, b)
    bound = -math.log(delta)

    def refuted(p: float) -> bool:
        likelihood = (audited - errors) * math.log1p(-p)
        if errors:
            likelihood += errors * math.log(p)
        return mixture - likelihood >= bound

    rate = errors / audited if audited else 0.5

    def end(inside: float, outside: float) -> float:
        for _ in range(STEPS):
            middle = 0.5 * (inside + outside)
            if middle in (inside, outside):
                break
            inside, outside = (inside, middle) if refuted(middle) else (middle, outside)
        return outside

    low = 0.0 if errors == 0 else end(rate, 0.0)
    high = 1.0 if errors == audited else end(rate, 1.0)
    return low, high
