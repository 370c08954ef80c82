"""The four counts of the reject model, stacked over the acceptance rate."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fastarac.displays._base import ItemDisplay
from fastarac.displays._style import WHOLE, FloatArray
from fastarac.displays.decimation import decimate

if TYPE_CHECKING:
    from matplotlib.patches import Polygon

    from fastarac.sweep import ThresholdSweep

# The stacked areas, from top to bottom. Right items are blue and wrong items red. Accepted items have
# the darker shade.
AREAS = {
    "true_rejects": ("Wrong, rejected (TR)", "#F2B48C"),
    "false_rejects": ("Right, rejected (FR)", "#9CC9E3"),
    "true_accepts": ("Right, accepted (TA)", "#0072B2"),
    "false_accepts": ("Wrong, accepted (FA)", "#C8401E"),
}
SEEN_ON_AREAS = "#F0E442"


@dataclass(eq=False, repr=False)
class ConfusionDisplay(ItemDisplay):
    """The shares of right and wrong items, accepted and rejected, at all acceptance rates.

    ``from_predictions`` and ``from_sweep`` create and draw it.

    Parameters
    ----------
    true_accepts, false_accepts, false_rejects, true_rejects : array_like of shape (n,)
        Counts or shares of the items that are right and accepted, wrong and accepted, right and
        rejected, and wrong and rejected, at increasing acceptance rates.
    name : str, optional
        The name of the model, for the title.

    Attributes
    ----------
    areas_ : dict of str to matplotlib Polygon
        The areas by parameter name, from top to bottom. Each area reaches down to the axis and covers
        the previous areas, so that there are no gaps. Only vertices that make a visible difference are
        kept.
    chance_level_, ax_, figure_
        As in :class:`.ARACDisplay`; the chance level is the share of wrong items when items are
        accepted at random. There is no `line_`.

    See Also
    --------
    ThresholdSweep : Holds the four counts.

    Notes
    -----
    The acceptance rate is X = (TA + FA)/Ω, the number of accepted items divided by the number of all
    items. At each X, the four shares add up to 1. Wrongly accepted items are at the bottom and rightly
    rejected items at the top, where heights are easy to read. The diagonal between them separates
    accepted from rejected items. `curve_kwargs` go to matplotlib's ``fill``.

    Examples
    --------
    >>> import fastarac as fa
    >>> display = fa.displays.ConfusionDisplay.from_predictions([1, 1, 0, 1], [0.9, 0.8, 0.7, 0.6])
    >>> list(display.areas_)
    ['true_rejects', 'false_rejects', 'true_accepts', 'false_accepts']
    >>> from matplotlib import pyplot as plt
    >>> plt.close(display.figure_)
    """

    true_accepts: FloatArray
    false_accepts: FloatArray
    false_rejects: FloatArray
    true_rejects: FloatArray

    areas_: dict[str, Polygon] = field(init=False)

    _arrays = ("true_accepts", "false_accepts", "false_rejects", "true_rejects")
    _labels = ("Acceptance rate", "Share of all outputs")
    _fills_axes = True

    @classmethod
    def _of(cls, sweep: ThresholdSweep) -> Self:
        return cls(*(getattr(sweep, counts) for counts in cls._arrays))

    def _draw(self, label: dict[str, str], style: dict[str, Any], ylim: Any) -> None:
        accepted = self.true_accepts + self.false_accepts
        known = accepted + self.false_rejects
        total = known[0] + self.true_rejects[0]
        x = accepted / total
        tops = {
            "true_rejects": np.array([[0.0, 1.0], [1.0, 1.0]]),
            "false_rejects": _top(x, known / total),
            "true_accepts": np.array([[0.0, 1.0], [0.0, 1.0]]),
            "false_accepts": _top(x, self.false_accepts / total),
        }
        self.areas_ = {}
        for key, (meaning, color) in AREAS.items():
            across, up = tops[key]
            plain: dict[str, Any] = {"facecolor": color, "label": meaning, "linewidth": 0}
            (self.areas_[key],) = self.ax_.fill([0, *across, 1], [0, *up, 0], **plain | style)
        self.ax_.set(xlim=WHOLE, ylim=ylim if isinstance(ylim, tuple) else WHOLE)
        if label:
            self.ax_.set_title(label["label"])

    def _cycle(self) -> dict[str, Any]:
        return {}

    def _chance_level(self) -> dict[str, tuple[FloatArray, ...]]:
        wrong = self.false_accepts[-1] / (self.true_accepts[-1] + self.false_accepts[-1])
        return {"Wrong, at random": (np.array(WHOLE), np.array([0.0, wrong]))}

    def _draw_chance_level(self, style: dict[str, Any]) -> None:
        super()._draw_chance_level({"color": SEEN_ON_AREAS, "linewidth": 1.5} | style)

    def _draw_legend(self) -> None:
        handles, names = self.ax_.get_legend_handles_labels()
        self.ax_.legend(handles, names, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)


def _top(x: FloatArray, y: FloatArray) -> FloatArray:
    vertices = decimate(x, y, xlim=WHOLE, ylim=WHOLE)
    return np.stack([x[vertices], y[vertices]])
