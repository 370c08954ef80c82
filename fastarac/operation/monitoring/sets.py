"""Monitors of several policies with one joint failure probability."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

from fastarac._core import saved
from fastarac._core.checks import failure_of, require_type, whole_number
from fastarac._core.files import SavedAsJson
from fastarac._core.text import json_text, quoted
from fastarac.operation.monitoring.monitor import MEAN_UPDATES, ErrorRateMonitor
from fastarac.operation.monitoring.saved_state import DETECTORS, LEAST_UPDATES, VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastarac.operation.monitoring.monitor import Detect

# Parameters that a set determines for its monitors, each with its key in the saved state of a monitor.
_SHARED = {
    "failure_probability": "detectors.proof.failure_probability",
    "detect": "detect",
    "mean_updates_to_false_alarm": "detectors.change.mean_updates_to_false_alarm",
}
MOST_UPDATES = 10**12  # Maximum value of `mean_updates_to_false_alarm` for the whole set.
KIND = "set of fastarac monitors"
_SEVERAL = saved.record(
    {
        "failure_probability": saved.number(failure_of),
        "detect": saved.word(*DETECTORS),
        "mean_updates_to_false_alarm": saved.optional(saved.whole(LEAST_UPDATES)),
        "monitors": saved.mapping(lambda value, _: value),
    }
)


class MonitorSet(SavedAsJson):
    """Monitors of several policies, with one joint probability of a false alarm.

    Parameters
    ----------
    limits : mapping of str to mapping
        For the name of each policy, its limit: ``{"max_error_rate": 0.01}`` or ``{"max_risk": 0.02}``.
        Such an inner mapping may also have the policy itself, under the key ``"policy"``.
    failure_probability : float, default=0.05
        δ for all monitors together; each gets δ divided by their number.
    detect : {"both", "proof", "change"}, default="both"
        As for :class:`ErrorRateMonitor`.
    mean_updates_to_false_alarm : int, default=1000
        N for all monitors together. Each monitor gets N times the number of monitors. So if every
        monitor gets T updates, there are at most T/N false alarms on average in all.

    Raises
    ------
    ValueError, TypeError
        As :class:`ErrorRateMonitor`; ValueError if `limits` is empty.

    See Also
    --------
    ErrorRateMonitor : alarms where an error rate is above its limit
    Policy : which outputs are accepted, under one limit

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
        self,
        limits: Mapping[str, Mapping[str, Any]],
        *,
        failure_probability: float = 0.05,
        detect: Detect = "both",
        mean_updates_to_false_alarm: int = MEAN_UPDATES,
    ) -> None:
        expected = "a mapping of names to limits"
        require_type(limits, Mapping, "limits", expected, shown=False)
        for name, limit in limits.items():
            if not isinstance(limit, Mapping):
                raise TypeError(
                    f"limits[{name!r}] must be a mapping such as {{'max_error_rate': 0.01}}, got "
                    f"{limit!r}"
                )
        if not limits:
            raise ValueError("limits is empty; give the limit of at least one policy")
        self.failure_probability = failure_of(failure_probability)
        name = "mean_updates_to_false_alarm"
        updates = whole_number(mean_updates_to_false_alarm, name, LEAST_UPDATES, MOST_UPDATES)
        share: dict[str, Any] = {
            "failure_probability": self.failure_probability / len(limits),
            "detect": detect,
            name: updates * len(limits),
        }
        self._monitors = {name: ErrorRateMonitor(**limit, **share) for name, limit in limits.items()}
        self.detect = detect
        self.mean_updates_to_false_alarm = None if detect == "proof" else updates

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
        """The names of the policies for which an excess over the limit is proved."""
        return tuple(name for name, monitor in self._monitors.items() if monitor.alarm)

    @property
    def changed(self) -> tuple[str, ...]:
        """The names of the policies whose last update gave an alarm of a change."""
        return tuple(name for name, monitor in self._monitors.items() if monitor.changed)

    def to_json(self) -> str:
        """Return the state of all monitors as the text of a JSON file."""
        content = {
            "kind": KIND,
            "version": VERSION,
            "failure_probability": self.failure_probability,
            "detect": self.detect,
            "mean_updates_to_false_alarm": self.mean_updates_to_false_alarm,
            "monitors": {name: monitor.to_dict() for name, monitor in self._monitors.items()},
        }
        return json_text(content, indent=1) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the monitors written by :meth:`to_json`; raise ValueError for any other text."""
        fields = _SEVERAL(saved.content_of(text, KIND, VERSION), "")
        states = {}
        for name, state in fields["monitors"].items():
            try:
                states[name] = ErrorRateMonitor.from_dict(state)
            except ValueError as error:
                raise ValueError(f"monitors[{quoted(name)}]: {error}") from None
        updates = fields["mean_updates_to_false_alarm"]
        if (updates is None) != (fields["detect"] == "proof"):
            expected = "null" if updates is not None else "an integer"
            raise saved.unexpected(
                updates, "mean_updates_to_false_alarm", f"{expected} for detect={fields['detect']}"
            )
        limits = {name: {state.criterion: state.limit} for name, state in states.items()}
        found = cls(
            limits,
            failure_probability=fields["failure_probability"],
            detect=fields["detect"],
            mean_updates_to_false_alarm=MEAN_UPDATES if updates is None else updates,
        )
        for name, state in states.items():
            for key, what in _SHARED.items():
                given, share = getattr(state, key), getattr(found[name], key)
                if given != share:
                    raise ValueError(
                        f"monitors[{quoted(name)}].{what} must be {share} in this set, got {given}"
                    )
        found._monitors = states
        return found
