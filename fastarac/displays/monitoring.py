"""Pictures of a system's errors in use: by field, and over time."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fastarac._core.text import listed, percent
from fastarac.displays._base import SMALLEST_RANGE, Display, IntervalDisplay, level
from fastarac.displays._style import COLORS, FloatArray, shown_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection
    from matplotlib.lines import Line2D

    from fastarac.displays.decimation import Range
    from fastarac.operation.application_results import AppliedPolicy
    from fastarac.operation.monitoring.monitor import ErrorRateMonitor
    from fastarac.operation.verdicts import PolicyCheck

BESIDE = 0.15  # horizontal distance between the markers of two displays in the same axes
MOST_POINTS = 60  # maximum number of points on a line with markers
MOST_UPRIGHT = 6  # maximum number of field names that are not rotated
ALL = "all"


def _heights(limit: float | None, rates: FloatArray) -> Range:
    """Return the range of an axis for error rates: from 0 to above the limit and above all rates."""
    top = max(3.0 * (limit or 0.0), float(np.nanmax(rates, initial=0.0)) * 1.5, SMALLEST_RANGE)
    return 0.0, min(1.0, top)


@dataclass(eq=False, repr=False)
class MonitorDisplay(IntervalDisplay):
    """Error rate of audits over time with a confidence sequence, drawn by ``from_monitor``.

    Parameters
    ----------
    audited, error_rate, low, high : array_like of shape (k,)
        Number of audits up to each time, in increasing order; the share of errors among them; the ends
        of its interval.
    limit : float
        The allowed error rate or risk; the chance level of :meth:`plot`.
    alarm_at : int, optional
        The number of audits at which the monitor proved that the limit is exceeded.
    changes_at : sequence of int, default=()
        The numbers of audits at which the monitor reported a change.
    name : str, optional
        The legend name.

    Attributes
    ----------
    band_ : matplotlib PolyCollection
        The confidence sequence.
    changes_ : matplotlib Line2D or None
        Triangles that mark the reported changes, if there are any.
    line_, chance_level_, ax_, figure_
        As in :class:`.ARACDisplay`; the chance level is the limit.

    See Also
    --------
    ErrorRateMonitor : Computes the rates and intervals.

    Examples
    --------
    >>> import fastarac as fa
    >>> monitor = fa.operation.ErrorRateMonitor(max_error_rate=0.01)
    >>> for errors in [1, 0, 2, 4, 9]:
    ...     monitor.update(errors, 100)
    >>> display = fa.displays.MonitorDisplay.from_monitor(monitor, name="invoices")
    >>> display.line_.get_label()
    'invoices (alarm at 500 audits, change at 500)'
    >>> from matplotlib import pyplot as plt
    >>> plt.close(display.figure_)
    """

    audited: FloatArray
    error_rate: FloatArray
    low: FloatArray
    high: FloatArray
    _: KW_ONLY
    limit: float
    alarm_at: int | None = None
    changes_at: Sequence[int] = ()
    changes_: Line2D | None = field(init=False, default=None)

    _arrays = ("audited", "error_rate", "low", "high")
    _labels = ("Audits", "Error rate")
    _band = "confidence sequence"
    _legend = "upper right"

    @classmethod
    def from_monitor(
        cls,
        monitor: ErrorRateMonitor,
        *,
        name: str | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Draw the history of a monitor.

        Parameters
        ----------
        monitor : ErrorRateMonitor
            A monitor with at least one update.
        name, ax : str and matplotlib Axes, optional
            The legend name, and the axes; by default a new figure.
        **options
            Keywords of :meth:`.plot`.

        Returns
        -------
        MonitorDisplay

        Raises
        ------
        ValueError
            If the monitor has seen no audit.
        """
        history = monitor.history()
        if len(history.audited) == 0:
            raise ValueError("monitor must have seen at least one audit")
        display = cls(
            history.audited.astype(np.float64), history.error_rate, history.low, history.high,
            limit=monitor.limit, alarm_at=monitor.alarm_at, name=name,
            changes_at=[int(history.audited[number - 1]) for number in monitor.changes],
        )  # fmt: skip
        return display.plot(ax, **options)

    def plot(self, ax: Axes | None = None, **options: Any) -> Self:
        """Draw the error rate and its interval, with the keywords of :meth:`.RocCurveDisplay.plot`."""
        super().plot(ax, **options)
        self.changes_ = None
        if len(self.changes_at):
            heights = self.error_rate[np.searchsorted(self.audited, self.changes_at)]
            color = self.line_.get_color()
            (self.changes_,) = self.ax_.plot(
                self.changes_at, heights, "^", color=color, markersize=9, label="_changes"
            )
        return self

    def _cycle(self) -> dict[str, Any]:
        points = {"marker": "o", "markersize": 4} if len(self.audited) <= MOST_POINTS else {}
        return super()._cycle() | points

    def _label(self, name: str | None) -> str | None:
        label = super()._label(name)
        alarms = [] if self.alarm_at is None else [f"alarm at {self.alarm_at:,} audits"]
        if len(self.changes_at):
            alarms.append(f"change at {listed([f'{each:,}' for each in self.changes_at])}")
        if not alarms:
            return label
        alarm = ", ".join(alarms)
        return alarm if label is None else f"{label} ({alarm})"

    def _view(self) -> tuple[Range, Range]:
        return (0.0, max(1.0, float(self.audited[-1]))), _heights(self.limit, self.error_rate)

    def _chance_level(self) -> dict[str, tuple[FloatArray, ...]]:
        return level(f"Limit: {percent(self.limit)}", self._view()[0], self.limit)


@dataclass(eq=False, repr=False)
class FieldErrorsDisplay(Display):
    """Undetected errors in total and by field, created by ``from_check`` or ``from_applied``.

    Parameters
    ----------
    fields : sequence of str
        The names on the horizontal axis.
    error_rate : array_like of shape (k,)
        The rate to which the limit applies, for each name; NaN if it is undefined.
    low, high : array_like of shape (k,), optional
        The ends of the intervals.
    limit : float
        The limit for all outputs together; the chance level of :meth:`plot`.
    name : str, optional
        The legend name.

    Attributes
    ----------
    intervals_ : matplotlib LineCollection or None
        The intervals.
    line_, chance_level_, ax_, figure_
        As in :class:`.ARACDisplay`; `line_` holds the markers, and the chance level is the limit.

    See Also
    --------
    Policy.check : Counts the errors.
    apply_policy : Estimates the expected errors.

    Examples
    --------
    >>> import fastarac as fa
    >>> policy = fa.operation.fit_policy([1] * 400, range(400), max_error_rate=0.01)
    >>> check = policy.check([1] * 397 + [0] * 3, range(400))
    >>> display = fa.displays.FieldErrorsDisplay.from_check(check)
    >>> display.line_.get_label()
    '3 errors among 400 outputs: too few to tell'
    >>> from matplotlib import pyplot as plt
    >>> plt.close(display.figure_)
    """

    fields: tuple[str, ...]
    error_rate: FloatArray
    low: FloatArray | None = None
    high: FloatArray | None = None
    _: KW_ONLY
    limit: float

    intervals_: LineCollection | None = field(init=False)
    _before: int = field(init=False, default=0)

    _arrays = ("error_rate",)
    _labels = ("", "Error rate")
    _legend = "upper right"
    _style = {"marker": "o", "linestyle": "none"}  # noqa: RUF012
    _plots_chance_level = True

    @classmethod
    def from_check(
        cls, check: PolicyCheck, *, name: str | None = None, ax: Axes | None = None, **options: Any
    ) -> Self:
        """Draw the errors found on verified outputs.

        Parameters
        ----------
        check : PolicyCheck
            The result of :meth:`.Policy.check`.
        name : str, optional
            The legend name; by default the counts and the verdict.
        ax : matplotlib Axes, optional
            The axes to draw on; by default a new figure.
        **options
            Keywords of :meth:`.plot`.

        Returns
        -------
        FieldErrorsDisplay
        """
        if name is None:
            counts = f"{check.errors:,} errors among {check.n_items:,} {check.unit}"
            verdict = f"{check.verdict} to tell" if check.verdict == "too few" else check.verdict
            name = f"{counts}: {verdict}"
        whole = check.interval
        rows = [(whole.estimate, whole.low, whole.high)]
        rows += [(each.rate, each.low, each.high) for each in check.fields]
        fields = (ALL, *(str(each.field) for each in check.fields))
        return cls(fields, *np.transpose(rows), limit=check.limit, name=name).plot(ax, **options)

    @classmethod
    def from_applied(
        cls, applied: AppliedPolicy, *, name: str | None = None, ax: Axes | None = None, **options: Any
    ) -> Self:
        """Draw the expected errors of a policy on outputs without known truth.

        Parameters
        ----------
        applied : AppliedPolicy
            The result of :func:`.apply_policy`.
        name : str, optional
            The legend name; by default the number of expected errors.
        ax : matplotlib Axes, optional
            The axes to draw on; by default a new figure.
        **options
            Keywords of :meth:`.plot`.

        Returns
        -------
        FieldErrorsDisplay
        """
        if name is None:
            name = f"{applied.expected_errors:,.4g} errors expected"
        rates = [applied.expected_rate, *(applied.rate_of(each) for each in applied.fields)]
        fields = (ALL, *(each.field for each in applied.fields))
        return cls(fields, np.array(rates), limit=applied.limit, name=name).plot(ax, **options)

    def plot(self, ax: Axes | None = None, **options: Any) -> Self:
        """Draw the rates and their intervals, with the keywords of :meth:`.RocCurveDisplay.plot`."""
        self._before = 0 if ax is None else sum(line.get_marker() == "o" for line in ax.lines)
        super().plot(ax, **options)
        places = np.arange(len(self.fields))
        names = [shown_name(each) for each in self.fields]
        self.ax_.set_xticks(places, names)
        if len(names) > MOST_UPRIGHT:
            for label in self.ax_.get_xticklabels():
                label.set(rotation=40, ha="right", rotation_mode="anchor")
        self.intervals_ = None
        if self.low is not None and self.high is not None:
            self.intervals_ = self.ax_.vlines(
                self._curve()[0], self.low, self.high, colors=self.line_.get_color(), label="_intervals"
            )
        self._draw_legend()
        return self

    def _cycle(self) -> dict[str, Any]:
        return {"color": COLORS[self._before % len(COLORS)]}

    def _curve(self) -> tuple[FloatArray, ...]:
        places = BESIDE * self._before + np.arange(float(len(self.fields)))
        return places, self.error_rate

    def _view(self) -> tuple[Range, Range]:
        highest = self.error_rate if self.high is None else np.minimum(self.high, 3 * self.error_rate)
        return (-0.5, len(self.fields) - 0.5), _heights(self.limit, np.append(self.error_rate, highest))

    def _chance_level(self) -> dict[str, tuple[FloatArray, ...]]:
        return level(f"Limit of all: {percent(self.limit)}", self._view()[0], self.limit)
