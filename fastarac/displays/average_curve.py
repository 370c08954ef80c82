"""The mean curve of several folds, with a band of one standard deviation."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fastarac.displays._base import SIDES, Display, with_margin
from fastarac.displays._style import FloatArray, draw_line
from fastarac.displays.acceptance import ARPDisplay, GeneralizedRCDisplay, RCDisplay
from fastarac.displays.arac import ARACDisplay
from fastarac.measures.folds import AverageCurve, average_curves

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D
    from numpy.typing import ArrayLike

    from fastarac.displays._banded import AcceptanceDisplay
    from fastarac.displays.decimation import Range
    from fastarac.sweep import ThresholdSweep

POINTS = 1001  # number of acceptance rates in the default grid
KINDS: dict[str, type[AcceptanceDisplay]] = {
    "arac": ARACDisplay,
    "generalized_rc": GeneralizedRCDisplay,
    "arp": ARPDisplay,
    "rc": RCDisplay,
}


@dataclass(eq=False, repr=False)
class AverageCurveDisplay(Display):
    """Mean curve of several folds, with a band of one standard deviation; drawn by ``from_sweeps``.

    Parameters
    ----------
    average : AverageCurve
        The result of :func:`.average_curves`.
    name : str, optional
        The name of the model, for the legend.
    curve : {"arac", "generalized_rc", "arp", "rc"}
        The kind of curve.

    Attributes
    ----------
    band_ : matplotlib PolyCollection or None
        The band of one standard deviation on either side of the mean, clipped to [0, 1]; None for a
        single fold.
    folds_ : list of matplotlib Line2D
        The curves of the folds, if they are drawn.
    line_, chance_level_, ax_, figure_
        As in :class:`.ARACDisplay`.

    See Also
    --------
    average_curves : Computes mean and standard deviation.

    Examples
    --------
    >>> import fastarac as fa
    >>> folds = [
    ...     fa.threshold_sweep([1, 1, 0, 1], [0.9, 0.8, 0.4, 0.6]),
    ...     fa.threshold_sweep([1, 0, 1, 0], [0.9, 0.7, 0.6, 0.3]),
    ... ]
    >>> display = fa.displays.AverageCurveDisplay.from_sweeps(folds, name="model")
    >>> display.line_.get_label()
    'model (mean of 2 folds)'
    >>> from matplotlib import pyplot as plt
    >>> plt.close(display.figure_)
    """

    average: AverageCurve
    _: KW_ONLY
    curve: str = "arac"

    band_: PolyCollection | None = field(init=False)
    folds_: list[Line2D] = field(init=False)
    _shown: FloatArray = field(init=False)

    @classmethod
    def from_sweeps(
        cls,
        sweeps: Iterable[ThresholdSweep],
        grid: ArrayLike | None = None,
        *,
        along: str = "acceptance",
        curve: str = "arac",
        name: str | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Draw the mean curve of several folds.

        Parameters
        ----------
        sweeps : iterable of ThresholdSweep
            The counts at every threshold, for each fold.
        grid : array_like of shape (g,), optional
            Acceptance rates or thresholds; by default 1001 acceptance rates, or the thresholds of all
            folds.
        along : {"acceptance", "threshold"}
            As for :func:`.average_curves`.
        curve : {"arac", "generalized_rc", "arp", "rc"}
            As for :func:`.average_curves`.
        name, ax : str and matplotlib Axes, optional
            The name of the model, for the legend, and the axes to draw on; by default a new figure.
        **options
            Keywords of :meth:`.plot`.

        Returns
        -------
        display : AverageCurveDisplay
        """
        folds = list(sweeps)
        if grid is None:
            grid = np.linspace(0, 1, POINTS)
            if along == "threshold":
                grid = np.unique(np.concatenate([fold.thresholds for fold in folds]))[::-1]
        average = average_curves(folds, grid, along, curve)
        return cls(average, name=name, curve=curve).plot(ax, **options)

    def plot(self, ax: Axes | None = None, *, plot_folds: bool = False, **options: Any) -> Self:
        """Draw the mean curve and its band.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            The axes to draw on; by default a new figure.
        plot_folds : bool, default=False
            Whether to draw each fold's curve as well, at the mean acceptance rates.
        **options
            Keywords of :meth:`.RocCurveDisplay.plot`.

        Returns
        -------
        display : AverageCurveDisplay
        """
        average = self.average
        self._shown = average.values if plot_folds else np.array([average.mean, *self._ends()])
        super().plot(ax, **options)
        x, view = average.acceptance_rate, self._view()
        thin = {"color": self.line_.get_color(), "linewidth": 0.6, "alpha": 0.6, "label": "_fold"}
        folds = average.values if plot_folds else ()
        self.folds_ = [draw_line(self.ax_, x, values, dict(thin), *view) for values in folds]
        self.band_ = None
        if len(average.values) > 1:
            self.band_ = self._fill(x, *self._ends(), {"label": "± 1 standard deviation"})
            self._draw_legend()
        return self

    def _ends(self) -> tuple[FloatArray, FloatArray]:
        mean, deviation = self.average.mean, self.average.standard_deviation
        return np.clip(mean - deviation, 0, 1), np.clip(mean + deviation, 0, 1)

    def _curve(self) -> tuple[FloatArray, ...]:
        return self.average.acceptance_rate, self.average.mean

    def _label(self, name: str | None) -> str:
        n = len(self.average.values)
        folds = f"mean of {n} folds" if n > 1 else "1 fold"
        label = super()._label(name)
        return folds if label is None else f"{label} ({folds})"

    def _axis_labels(self) -> tuple[str, ...]:
        return "Acceptance rate", KINDS[self.curve]._labels[1]  # noqa: SLF001, its own kind

    def _view(self) -> tuple[Range, Range]:
        return SIDES, with_margin(float(np.nanmin(self._shown)), float(np.nanmax(self._shown)))

    def _chance_level(self) -> dict[str, tuple[FloatArray, ...]]:
        return KINDS[self.curve](*self._curve())._chance_level()  # noqa: SLF001, its own kind
