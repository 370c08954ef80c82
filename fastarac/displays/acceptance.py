"""Curves over the acceptance rate: precision, risk and error rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from fastarac.areas.arac import augrc_loss
from fastarac.displays._banded import AcceptanceDisplay
from fastarac.dropins.areas import auc

if TYPE_CHECKING:
    from fastarac.displays._style import FloatArray
    from fastarac.sweep import ThresholdSweep


@dataclass(eq=False, repr=False)
class ARPDisplay(AcceptanceDisplay):
    """Acceptance rate – precision curve, created and drawn by ``from_predictions`` or ``from_sweep``.

    Parameters
    ----------
    acceptance_rate, precision : array_like of shape (n,)
        The acceptance rate X, in increasing order, and the share of correct items among the accepted
        ones.
    name, area : str and float, optional
        The name of the model and the ARP-AUC, for the legend.

    Attributes
    ----------
    line_, band_, best_, chance_level_, ax_, figure_
        As in :class:`.ARACDisplay`. The vertical axis is chosen to show the curve at acceptance rates
        of at least 1%.

    See Also
    --------
    arp_curve : Computes the curve.
    arp_auc_score : Computes the area under the curve as drawn here, by trapezoids.

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

    acceptance_rate: FloatArray
    precision: FloatArray

    _arrays = ("acceptance_rate", "precision")
    _labels = ("Acceptance rate", "Precision")
    _measure = "ARP-AUC"
    _band_of = "arp"
    _bounds = "arp_auc"
    _best = 1.0

    @classmethod
    def _of(cls, sweep: ThresholdSweep) -> Self:
        x, y = sweep.acceptance_rate, sweep.precision
        return cls(x, y, area=auc(x, y))

    @staticmethod
    def _height(x: FloatArray, correct: FloatArray) -> FloatArray:
        return correct / x


@dataclass(eq=False, repr=False)
class RCDisplay(AcceptanceDisplay):
    """Risk–coverage curve, created and drawn by ``from_predictions`` or ``from_sweep``.

    Parameters
    ----------
    coverage, risk : array_like of shape (n,)
        The share of accepted items, in increasing order, and the share of errors among them.
    name, area : str and float, optional
        The name of the model and the AURC, for the legend.

    Attributes
    ----------
    line_, band_, best_, chance_level_, ax_, figure_
        As in :class:`.ARACDisplay`. The vertical axis is chosen to show the curve at acceptance rates
        of at least 1%.

    See Also
    --------
    rc_curve : Computes the curve.
    aurc_loss : Computes the area under the curve as drawn here, by trapezoids.

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

    coverage: FloatArray
    risk: FloatArray

    _arrays = ("coverage", "risk")
    _labels = ("Coverage", "Risk")
    _measure = "AURC"
    _band_of = "rc"
    _bounds = "aurc"
    _best = 0.0

    @classmethod
    def _of(cls, sweep: ThresholdSweep) -> Self:
        x, y = sweep.acceptance_rate, sweep.risk
        return cls(x, y, area=auc(x, y))

    @staticmethod
    def _height(x: FloatArray, correct: FloatArray) -> FloatArray:
        return 1 - correct / x


@dataclass(eq=False, repr=False)
class GeneralizedRCDisplay(AcceptanceDisplay):
    """Generalised risk–coverage curve, created and drawn by ``from_predictions`` or ``from_sweep``.

    Parameters
    ----------
    coverage, error_rate : array_like of shape (n,)
        The share of accepted items, in increasing order, and the share of undetected errors among all
        items.
    name, area : str and float, optional
        The name of the model and the AUGRC, for the legend.

    Attributes
    ----------
    line_, band_, best_, chance_level_, ax_, figure_
        As in :class:`.ARACDisplay`.

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

    coverage: FloatArray
    error_rate: FloatArray

    _arrays = ("coverage", "error_rate")
    _labels = ("Coverage", "Error rate")
    _measure = "AUGRC"
    _band_of = "generalized_rc"
    _bounds = "augrc"
    _best = 0.0

    @classmethod
    def _of(cls, sweep: ThresholdSweep) -> Self:
        return cls(sweep.acceptance_rate, sweep.error_rate, area=augrc_loss(sweep))

    @staticmethod
    def _height(x: FloatArray, correct: FloatArray) -> FloatArray:
        return x - correct
