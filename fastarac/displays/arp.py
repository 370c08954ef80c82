"""The ARP curve: how many of the accepted outputs are right, over how many are accepted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np

from fastarac.displays._base import AcceptanceDisplay
from fastarac.sklearn.areas import auc

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from fastarac.displays._base import FloatArray
    from fastarac.sweep import ThresholdSweep


class ARPDisplay(AcceptanceDisplay):
    """Acceptance rate – precision curve visualization.

    Make it with ``from_predictions`` or ``from_sweep``, which draw it as well.

    Parameters
    ----------
    acceptance_rate : array_like of shape (n,)
        X, the share that goes through unchecked, rising.
    precision : array_like of shape (n,)
        The share of right ones among them.
    name : str, optional
        The name of the model, for the legend.
    area : float, optional
        The ARP-AUC, for the legend.

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
    arp_curve : Computes the curve.
    arp_auc_score : Computes the area, by trapezoids as it is drawn here.

    Notes
    -----
    The vertical axis shows the curve where at least 1 % of the items is accepted; the precision of
    fewer is that of a few. It ends in 1.

    Examples
    --------
    >>> import fastarac as fa
    >>> items = [1, 1, 0, 1], [0.9, 0.8, 0.7, 0.6]
    >>> display = fa.displays.ARPDisplay.from_predictions(*items, name="model")
    >>> display.line_.get_label()
    'model (ARP-AUC = 0.885)'
    >>> from matplotlib import pyplot as plt
    >>> plt.close(display.figure_)
    """

    _band_of = "arp"
    _measure = "ARP-AUC"
    _labels = ("Acceptance rate", "Precision")
    _best = 1.0

    def __init__(
        self,
        acceptance_rate: ArrayLike,
        precision: ArrayLike,
        *,
        name: str | None = None,
        area: float | None = None,
    ) -> None:
        self.acceptance_rate = np.asarray(acceptance_rate, np.float64)
        self.precision = np.asarray(precision, np.float64)
        self.name = name
        self.area = area

    @classmethod
    def _of(cls, sweep: ThresholdSweep, name: str | None) -> Self:
        x, y = sweep.acceptance_rate, sweep.precision
        return cls(x, y, name=name, area=auc(x, y))

    def _curve(self) -> tuple[FloatArray, FloatArray]:
        return self.acceptance_rate, self.precision
