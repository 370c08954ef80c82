"""Risk–coverage curves: how many errors nobody sees, over how many outputs are accepted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np

from fastarac.areas.arac import augrc_loss
from fastarac.displays._base import AcceptanceDisplay
from fastarac.sklearn.areas import auc

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from fastarac.displays._base import FloatArray
    from fastarac.sweep import ThresholdSweep


class RCDisplay(AcceptanceDisplay):
    """Risk–coverage curve visualization.

    Make it with ``from_predictions`` or ``from_sweep``, which draw it as well.

    Parameters
    ----------
    coverage : array_like of shape (n,)
        The share of accepted items, rising.
    risk : array_like of shape (n,)
        The share of errors among them.
    name : str, optional
        The name of the model, for the legend.
    area : float, optional
        The AURC, for the legend.

    Attributes
    ----------
    line_ : matplotlib Line2D
        The curve. Of a long curve, it has the vertices that make a visible difference.
    band_ : matplotlib PolyCollection
        The band around the curve, once :meth:`.plot_band` has drawn it.
    ax_ : matplotlib Axes
        The axes with the curve.
    figure_ : matplotlib Figure
        The figure with the axes.

    See Also
    --------
    rc_curve : Computes the curve.
    aurc_loss : Computes the area, by trapezoids as it is drawn here.

    Notes
    -----
    The vertical axis shows the curve where the coverage is at least 1 %; the risk of fewer items is
    that of a few. It begins in 0.

    Examples
    --------
    >>> import fastarac as fa
    >>> items = [1, 1, 0, 1], [0.9, 0.8, 0.7, 0.6]
    >>> display = fa.displays.RCDisplay.from_predictions(*items, name="model")
    >>> display.line_.get_label()
    'model (AURC = 0.115)'
    >>> from matplotlib import pyplot as plt
    >>> plt.close(display.figure_)
    """

    _band_of = "rc"
    _measure = "AURC"
    _labels = ("Coverage", "Risk")
    _best = 0.0

    def __init__(
        self,
        coverage: ArrayLike,
        risk: ArrayLike,
        *,
        name: str | None = None,
        area: float | None = None,
    ) -> None:
        self.coverage = np.asarray(coverage, np.float64)
        self.risk = np.asarray(risk, np.float64)
        self.name = name
        self.area = area

    @classmethod
    def _of(cls, sweep: ThresholdSweep, name: str | None) -> Self:
        x, y = sweep.acceptance_rate, sweep.risk
        return cls(x, y, name=name, area=auc(x, y))

    def _curve(self) -> tuple[FloatArray, FloatArray]:
        return self.coverage, self.risk


class GeneralizedRCDisplay(AcceptanceDisplay):
    """Generalised risk–coverage curve visualization.

    Make it with ``from_predictions`` or ``from_sweep``, which draw it as well.

    Parameters
    ----------
    coverage : array_like of shape (n,)
        The share of accepted items, rising.
    error_rate : array_like of shape (n,)
        The share of undetected errors among all items.
    name : str, optional
        The name of the model, for the legend.
    area : float, optional
        The AUGRC, for the legend.

    Attributes
    ----------
    line_ : matplotlib Line2D
        The curve. Of a long curve, it has the vertices that make a visible difference.
    band_ : matplotlib PolyCollection
        The band around the curve, once :meth:`.plot_band` has drawn it.
    ax_ : matplotlib Axes
        The axes with the curve.
    figure_ : matplotlib Figure
        The figure with the axes.

    See Also
    --------
    generalized_rc_curve : Computes the curve.
    augrc_loss : Computes the area.

    Examples
    --------
    >>> import fastarac as fa
    >>> sweep = fa.threshold_sweep([1, 1, 0, 1], [0.9, 0.8, 0.7, 0.6])
    >>> display = fa.displays.GeneralizedRCDisplay.from_sweep(sweep, name="model")
    >>> display.line_.get_label()
    'model (AUGRC = 0.0938)'
    >>> from matplotlib import pyplot as plt
    >>> plt.close(display.figure_)
    """

    _band_of = "generalized_rc"
    _measure = "AUGRC"
    _labels = ("Coverage", "Error rate")
    _best = 0.0

    def __init__(
        self,
        coverage: ArrayLike,
        error_rate: ArrayLike,
        *,
        name: str | None = None,
        area: float | None = None,
    ) -> None:
        self.coverage = np.asarray(coverage, np.float64)
        self.error_rate = np.asarray(error_rate, np.float64)
        self.name = name
        self.area = area

    @classmethod
    def _of(cls, sweep: ThresholdSweep, name: str | None) -> Self:
        return cls(sweep.acceptance_rate, sweep.error_rate, name=name, area=augrc_loss(sweep))

    def _curve(self) -> tuple[FloatArray, FloatArray]:
        return self.coverage, self.error_rate
