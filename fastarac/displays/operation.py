"""Pictures of the power of a sample, of calibration and of shifts."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fastarac._core.text import percent
from fastarac.displays._base import SIDES, Display, IntervalDisplay, diagonal, level, with_margin
from fastarac.displays._style import WHOLE, FloatArray
from fastarac.operation.calibration import calibration_table
from fastarac.operation.planning import power_curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

    from fastarac.displays.decimation import Range
    from fastarac.operation.shifts import ConfidenceShift
    from fastarac.reviewer import Reviewer


@dataclass(eq=False, repr=False)
class PowerDisplay(Display):
    """Power of a guarantee against the number of verified outputs, created and drawn by ``from_rates``.

    Parameters
    ----------
    n_items, power : array_like of shape (k,)
        Numbers of verified outputs, in increasing order, and for each of them the probability that the
        guarantee can be given.
    wanted : float, default=0.8
        The target power; the chance level of :meth:`plot`.
    name : str, optional
        The legend name.

    Attributes
    ----------
    line_, chance_level_, ax_, figure_
        As in :class:`.ARACDisplay`; the chance level is the target power.

    See Also
    --------
    guarantee_power : Computes the power.

    Examples
    --------
    >>> import fastarac as fa
    >>> display = fa.displays.PowerDisplay.from_rates(0.05, 0.025)
    >>> display.line_.get_label()
    '5% if the error rate is 2.5%'
    >>> from matplotlib import pyplot as plt
    >>> plt.close(display.figure_)
    """

    n_items: FloatArray
    power: FloatArray
    _: KW_ONLY
    wanted: float = 0.8

    _arrays = ("n_items", "power")
    _labels = ("Verified outputs", "Probability of the guarantee")
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
        truth_reader: Reviewer | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Draw the power of a guarantee for a limit and an expected error rate.

        Parameters
        ----------
        max_error_rate, expected_error_rate, failure_probability, power, truth_reader
            As for :func:`.sample_size_for_guarantee`.
        name : str, optional
            The legend name; by default the two rates.
        ax : matplotlib Axes, optional
            The axes to draw on; by default a new figure.
        **options
            Keywords of :meth:`.plot`.

        Returns
        -------
        PowerDisplay
        """
        numbers, found = power_curve(
            max_error_rate, expected_error_rate, power=power, failure_probability=failure_probability,
            truth_reader=truth_reader,
        )  # fmt: skip
        if name is None:
            name = f"{percent(max_error_rate)} if the error rate is {percent(expected_error_rate)}"
        return cls(numbers.astype(np.float64), found, wanted=power, name=name).plot(ax, **options)

    def _view(self) -> tuple[Range, Range]:
        return (0.0, float(self.n_items[-1])), SIDES

    def _chance_level(self) -> dict[str, tuple[FloatArray, ...]]:
        return level(f"Wanted: {percent(self.wanted)}", self._view()[0], self.wanted)


@dataclass(eq=False, repr=False)
class CalibrationDisplay(IntervalDisplay):
    """Reliability diagram with intervals, created and drawn by ``from_predictions``.

    Parameters
    ----------
    confidence, accuracy, low, high : array_like of shape (n_bins,)
        For each bin: the mean confidence, in increasing order; the share of correct outputs; the ends
        of its interval.
    name : str, optional
        The name of the model, for the legend.

    Attributes
    ----------
    band_ : matplotlib PolyCollection
        The intervals.
    line_, chance_level_, ax_, figure_
        As in :class:`.ARACDisplay`; the chance level is the diagonal (perfect calibration).

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

    _arrays = ("confidence", "accuracy", "low", "high")
    _labels = ("Confidence", "Share of correct outputs")
    _band = "intervals"
    _legend = "lower right"
    _style = {"marker": "o", "markersize": 4}  # noqa: RUF012

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
            As for :func:`.calibration_table`.
        name, ax : str and matplotlib Axes, optional
            The name of the model, for the legend, and the axes to draw on; by default a new figure.
        **options
            Keywords of :meth:`.plot`.

        Returns
        -------
        CalibrationDisplay
        """
        table = calibration_table(correct, confidence, n_bins=n_bins, confidence_level=confidence_level)
        ends = table.accuracy_low, table.accuracy_high
        return cls(table.confidence, table.accuracy, *ends, name=name).plot(ax, **options)

    def _view(self) -> tuple[Range, Range]:
        least, most = float(self.confidence[0]), float(self.confidence[-1])
        return with_margin(min(0.0, least), max(1.0, most)), SIDES

    def _chance_level(self) -> dict[str, tuple[FloatArray, ...]]:
        return diagonal("Perfectly calibrated", WHOLE)


@dataclass(eq=False, repr=False)
class ShiftDisplay(Display):
    """Quantiles of new against earlier confidences, created and drawn by ``from_shift``.

    Parameters
    ----------
    before, now : array_like of shape (k,)
        Quantiles of the confidences on which a policy was fitted, and of new confidences, in increasing
        order.
    name : str, optional
        The legend name.

    Attributes
    ----------
    line_, chance_level_, ax_, figure_
        As in :class:`.ARACDisplay`; the chance level is the diagonal (no change).

    See Also
    --------
    Policy.shift : Tests whether the distribution has shifted.

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
    _legend = "lower right"
    _style = {"marker": "o", "markersize": 4}  # noqa: RUF012
    _plots_chance_level = True

    @classmethod
    def from_shift(
        cls, shift: ConfidenceShift, *, name: str | None = None, ax: Axes | None = None, **options: Any
    ) -> Self:
        """Draw the quantiles of a :class:`.ConfidenceShift`.

        Parameters
        ----------
        shift : ConfidenceShift
            The result of :meth:`.Policy.shift`.
        name : str, optional
            The legend name; by default the field.
        ax : matplotlib Axes, optional
            The axes to draw on; by default a new figure.
        **options
            Keywords of :meth:`.plot`.

        Returns
        -------
        ShiftDisplay
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
        return diagonal("No change", self._ends())
