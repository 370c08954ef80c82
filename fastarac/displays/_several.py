"""Several models in one picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from fastarac.displays._base import Display, axes_or_new, line_style
from fastarac.displays.precision_recall import PrecisionRecallDisplay

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from fastarac.sweep import ThresholdSweep

DisplayT = TypeVar("DisplayT", bound=Display)

MOST_NAMES_INSIDE = 6  # that a legend inside the axes has room for


def draw_curves(
    display: type[DisplayT],
    sweeps: Mapping[str, ThresholdSweep],
    *,
    ax: Axes | None = None,
    **kwargs: Any,
) -> dict[str, DisplayT]:
    """Draw the curves of several models on the same axes, in colours that anyone can tell apart.

    Parameters
    ----------
    display : type
        The class of the curves, such as `RocCurveDisplay`.
    sweeps : mapping of str to ThresholdSweep
        The models by name, in the order of the legend.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if left out.
    **kwargs : dict
        What the ``from_sweep`` of that class takes by keyword. Chance levels that differ, as those of
        precision–recall curves may, are drawn in the colours of the curves.

    Returns
    -------
    displays : dict of str to display
        The displays by the names of their models.

    Examples
    --------
    >>> import fastarac as fa
    >>> from fastarac.datasets import load_digits_ocr
    >>> from fastarac.displays import draw_curves
    >>> sweeps = {name: fa.threshold_sweep(*items) for name, items in load_digits_ocr().items()}
    >>> displays = draw_curves(fa.displays.RocCurveDisplay, sweeps, plot_chance_level=True)
    >>> displays["svm-rbf"].line_.get_label()
    'svm-rbf (ROC-AUC = 0.766)'
    >>> from matplotlib import pyplot as plt
    >>> plt.close(displays["svm-rbf"].figure_)
    """
    ax = axes_or_new(ax)
    chance = kwargs.pop("plot_chance_level", False)
    rates = {sweep.recognition_rate for sweep in sweeps.values()}
    own_levels = issubclass(display, PrecisionRecallDisplay) and len(rates) > 1
    displays = {}
    for index, (name, sweep) in enumerate(sweeps.items()):
        style = line_style(index) | kwargs
        is_last = index == len(sweeps) - 1
        if chance and own_levels:
            label = "Chance levels" if is_last else "_"
            own = {"color": style["color"], "linewidth": 1, "label": label}
            style["chance_level_kw"] = own | kwargs.get("chance_level_kw", {})
        if chance and (own_levels or is_last):
            style["plot_chance_level"] = True
        displays[name] = display.from_sweep(sweep, name=name, ax=ax, **style)
    if len(sweeps) > MOST_NAMES_INSIDE:
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=2)
    return displays
