"""Pictures of planning, calibration, monitoring and shifts."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fastarac._core.text import percent
from fastarac.displays._base import SIDES, SMALLEST_RANGE, Display, with_margin
from fastarac.displays._style import WHOLE
from fastarac.operation.calibration import calibration_table
from fastarac.operation.planning import guarantee_power, sample_size_for_guarantee

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from numpy.typing import ArrayLike

    from fastarac._core.decimation import Range
    from fastarac.displays._style import FloatArray
    from fastarac.operation.shifts import ConfidenceShift

POINTS = 600  # numbers of items at which a power is found, beside the ends of the teeth
BEYOND = 1.5  # of the number from which on the power is reached


@dataclass(eq=False, repr=False)
class PowerDisplay(Display):
    """Power of a guarantee over the number of verified outputs: a saw-tooth.

    Make it with ``from_rates``, which draws it as well.

    Parameters
    ----------
    n_items : array_like of shape (k,)
        Numbers of outputs, rising.
    power : array_like of shape (k,)
        The probability that the limit is guaranteed.
    wanted : float, default=0.8
        The power that is wanted; the chance level of :meth:`plot`.
    name : str, optional
        For the legend.

    Attributes
    ----------
    line_, chance_level_, ax_, figure_
        As of :class:`.ARACDisplay`; the chance level is the power that is wanted.

    See Also
    --------
    guarantee_power : Computes the power.

    Examples
    --------
    >>> import fastarac as fa
    >>> display = fa.displays.PowerDisplay.from_rates(0.05, 0.025)
    >>> display.line_.get_label()
    '5 % where 2.5 % are expected'
    >>> from matplotlib import pyplot as plt
    >>> plt.close(display.figure_)
    """

    n_items: FloatArray
    power: FloatArray
    _: KW_ONLY
    wanted: float = 0.8

    _arrays = ("n_items", "power")
    _labels = ("Verified outputs", "Probability of the guarantee")
    _area = "_none"
    _legend = "lower right"
    _plots_chance_level = True

    @classmethod
    def from_rates(
        cls,
        max_error_rate: float,
        expected_error_rate: float,
        *,
        failure_probability: float = 0.05,
        power: float = 0.8,
        name: str | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Draw the power of a limit for an expected error rate.

        Parameters
        ----------
        max_error_rate, expected_error_rate, failure_probability, power : float
            As :func:`.sample_size_for_guarantee` takes them.
        name : str, optional
            For the legend; the two rates by default.
        ax : matplotlib Axes, optional
            Where to draw; a new figure if left out.
        **options
            What :meth:`.plot` takes by keyword.

        Returns
        -------
        PowerDisplay
            The display, drawn.
        """
        given = {"failure_probability": failure_probability}
        sizes = sample_size_for_guarantee(max_error_rate, expected_error_rate, power=power, **given)
        numbers = np.unique(np.linspace(1, BEYOND * sizes.stable, POINTS).astype(np.int64))
        found = guarantee_power(numbers, max_error_rate, expected_error_rate, **given)
        if name is None:
            name = f"{percent(max_error_rate)} where {percent(expected_error_rate)} are expected"
        return cls(numbers.astype(np.float64), found, wanted=power, name=name).plot(ax, **options)

    def _view(self) -> tuple[Range, Range]:
        return (0.0, float(self.n_items[-1])), SIDES

    def _chance_level(self) -> dict[str, tuple[FloatArray, ...]]:
        ends = np.array([0.0, float(self.n_items[-1])])
        return {f"Wanted: {percent(self.wanted)}": (ends, np.full(2, self.wanted))}


@dataclass(eq=False, repr=False)
class CalibrationDisplay(Display):
    """Reliability diagram: the share of correct outputs over their confidence, with intervals.

    Make it with ``from_predictions``, which draws it as well.

    Parameters
    ----------
    confidence : array_like of shape (n_bins,)
        The mean confidence of each bin, rising.
    accuracy, low, high : array_like of shape (n_bins,)
        The share of correct outputs, and the interval around it.
    name : str, optional
        The name of the model, for the legend.

    Attributes
    ----------
    band_ : matplotlib PolyCollection
        The intervals.
    line_, chance_level_, ax_, figure_
        As of :class:`.ARACDisplay`; the chance level is perfect calibration, the diagonal.

    See Also
    --------
    calibration_table : Computes the table.

    Examples
    --------
    >>> import fastarac as fa
    >>> from fastarac.datasets import load_digits_ocr
    >>> items = load_digits_ocr()["knn-votes"]
    >>> display = fa.displays.CalibrationDisplay.from_predictions(*items, name="knn")
    >>> display.chance_level_.get_label()
    'Perfectly calibrated'
    >>> from matplotlib import pyplot as plt
    >>> plt.close(display.figure_)
    """

    confidence: FloatArray
    accuracy: FloatArray
    low: FloatArray
    high: FloatArray

    band_: PolyCollection = field(init=False)

    _arrays = ("confidence", "accuracy", "low", "high")
    _labels = ("Confidence", "Share of correct outputs")
    _area = "_none"
    _legend = "lower right"
    _style = {"marker": "o", "markersize": 4}  # noqa: RUF012
    _plots_chance_level = True

    @classmethod
    def from_predictions(
        cls,
        correct: ArrayLike,
        confidence: ArrayLike,
        *,
        n_bins: int | None = None,
        confidence_level: float = 0.95,
        name: str | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Draw the reliability diagram of items.

        Parameters
        ----------
        correct, confidence : array_like of shape (n,)
            Whether each output is right (bool, or 0 and 1), and its confidence.
        n_bins, confidence_level
            As :func:`.calibration_table` takes them.
        name : str, optional
            The name of the model, for the legend.
        ax : matplotlib Axes, optional
            Where to draw; a new figure if left out.
        **options
            What :meth:`.plot` takes by keyword.

        Returns
        -------
        CalibrationDisplay
            The display, drawn.
        """
        table = calibration_table(correct, confidence, n_bins=n_bins, confidence_level=confidence_level)
        ends = table.accuracy_low, table.accuracy_high
        return cls(table.confidence, table.accuracy, *ends, name=name).plot(ax, **options)

    def plot(self, ax: Axes | None = None, **options: Any) -> Self:
        """Draw the shares and their intervals; keywords as of :meth:`.RocCurveDisplay.plot`."""
        super().plot(ax, **options)
        self.band_ = self._fill(self.confidence, self.low, self.high, {"label": "intervals"})
        self._draw_legend()
        return self

    def _vertices(self, _style: dict[str, Any]) -> tuple[FloatArray, FloatArray]:
        return self.confidence, self.accuracy

    def _view(self) -> tuple[Range, Range]:
        least, most = float(self.confidence[0]), float(self.confidence[-1])
        return with_margin(min(0.0, least), max(1.0, most)), SIDES

    def _chance_level(self) -> dict[str, tuple[FloatArray, ...]]:
        diagonal = np.array(WHOLE)
        return {"Perfectly calibrated": (diagonal, diagonal)}


@dataclass(eq=False, repr=False)
class MonitorDisplay(Display):
    """The error rate of audits over time, with a confidence sequence and the limit.

    Make it with ``from_monitor``, which draws it as well.

    Parameters
    ----------
    audited : array_like of shape (k,)
        Audits up to each moment, rising.
    error_rate, low, high : array_like of shape (k,)
        The share of errors among them, and the interval around it.
    limit : float
        The error rate or risk that is to be kept; the chance level of :meth:`plot`.
    alarm_at : int, optional
        The number of audits at which the alarm was given.
    name : str, optional
        For the legend.

    Attributes
    ----------
    band_ : matplotlib PolyCollection
        The confidence sequence.
    line_, chance_level_, ax_, figure_
        As of :class:`.ARACDisplay`; the chance level is the limit.

    See Also
    --------
    ErrorRateMonitor : Computes what is drawn.

    Examples
    --------
    >>> import fastarac as fa
    >>> monitor = fa.operation.ErrorRateMonitor(max_error_rate=0.01)
    >>> for errors in [1, 0, 2, 4, 9]:
    ...     monitor.update(errors, 100)
    >>> display = fa.displays.MonitorDisplay.from_monitor(monitor, name="invoices")
    >>> display.line_.get_label()
    'invoices (alarm at 500 audits)'
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

    band_: PolyCollection = field(init=False)

    _arrays = ("audited", "error_rate", "low", "high")
    _labels = ("Audits", "Error rate")
    _area = "_none"
    _legend = "upper right"
    _plots_chance_level = True

    @classmethod
    def from_monitor(
        cls, monitor: Any, *, name: str | None = None, ax: Axes | None = None, **options: Any
    ) -> Self:
        """Draw what a monitor has seen.

        Parameters
        ----------
        monitor : ErrorRateMonitor
            With at least one update.
        name : str, optional
            For the legend.
        ax : matplotlib Axes, optional
            Where to draw; a new figure if left out.
        **options
            What :meth:`.plot` takes by keyword.

        Returns
        -------
        MonitorDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            Where the monitor has seen nothing.
        """
        history = monitor.history()
        if len(history.audited) == 0:
            message = "monitor has seen no audits; at least one is expected"
            raise ValueError(message)
        display = cls(
            history.audited, history.error_rate, history.low, history.high, limit=monitor.limit,
            alarm_at=monitor.alarm_at, name=name,
        )  # fmt: skip
        return display.plot(ax, **options)

    def plot(self, ax: Axes | None = None, **options: Any) -> Self:
        """Draw the rate and its interval; keywords as of :meth:`.RocCurveDisplay.plot`."""
        super().plot(ax, **options)
        label = {"label": "confidence sequence"}
        self.band_ = self._fill(self.audited, self.low, self.high, label)
        self._draw_legend()
        return self

    def _label(self, name: str | None) -> str | None:
        label = super()._label(name)
        if self.alarm_at is None:
            return label
        alarm = f"alarm at {self.alarm_at:,} audits"
        return alarm if label is None else f"{label} ({alarm})"

    def _vertices(self, _style: dict[str, Any]) -> tuple[FloatArray, FloatArray]:
        return self.audited, self.error_rate

    def _view(self) -> tuple[Range, Range]:
        top = max(3.0 * self.limit, float(self.error_rate.max()) * 1.5, SMALLEST_RANGE)
        return (0.0, max(1.0, float(self.audited[-1]))), (0.0, min(1.0, top))

    def _chance_level(self) -> dict[str, tuple[FloatArray, ...]]:
        ends = np.array([0.0, float(self.audited[-1])])
        return {f"Limit: {percent(self.limit)}": (ends, np.full(2, self.limit))}


@dataclass(eq=False, repr=False)
class ShiftDisplay(Display):
    """Quantiles of new confidences over those before: on the diagonal where nothing has moved.

    Make it with ``from_shift``, which draws it as well.

    Parameters
    ----------
    before, now : array_like of shape (k,)
        Quantiles of the confidences that a policy was fitted on, and of the new ones, rising.
    name : str, optional
        For the legend.

    Attributes
    ----------
    line_, chance_level_, ax_, figure_
        As of :class:`.ARACDisplay`; the chance level is the diagonal.

    See Also
    --------
    Policy.shift : Tests whether they have moved.

    Examples
    --------
    >>> import fastarac as fa
    >>> policy = fa.operation.fit_policy([1] * 400, range(400), max_error_rate=0.01)
    >>> shift = policy.shift(range(100, 500))
    >>> display = fa.displays.ShiftDisplay.from_shift(shift, name="new scanner")
    >>> display.chance_level_.get_label()
    'No change'
    >>> from matplotlib import pyplot as plt
    >>> plt.close(display.figure_)
    """

    before: FloatArray
    now: FloatArray

    _arrays = ("before", "now")
    _labels = ("Confidence before (quantiles)", "Confidence now")
    _area = "_none"
    _legend = "lower right"
    _style = {"marker": "o", "markersize": 4}  # noqa: RUF012
    _plots_chance_level = True

    @classmethod
    def from_shift(
        cls, shift: ConfidenceShift, *, name: str | None = None, ax: Axes | None = None, **options: Any
    ) -> Self:
        """Draw what a test for a shift has compared.

        Parameters
        ----------
        shift : ConfidenceShift
            Of :meth:`.Policy.shift`.
        name : str, optional
            For the legend; the field by default.
        ax : matplotlib Axes, optional
            Where to draw; a new figure if left out.
        **options
            What :meth:`.plot` takes by keyword.

        Returns
        -------
        ShiftDisplay
            The display, drawn.
        """
        if name is None and shift.field is not None:
            name = str(shift.field)
        return cls(shift.before, shift.now, name=name).plot(ax, **options)

    def _ends(self) -> Range:
        both = np.concatenate([self.before, self.now])
        return float(both.min()), float(both.max())

    def _view(self) -> tuple[Range, Range]:
        view = with_margin(*self._ends())
        return view, view

    def _chance_level(self) -> dict[str, tuple[FloatArray, ...]]:
        ends = np.array(self._ends())
        return {"No change": (ends, ends)}
