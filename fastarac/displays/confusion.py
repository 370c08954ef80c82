"""The four counts of the reject model, stacked over the acceptance rate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fastarac.displays._base import WHOLE, ItemDisplay
from fastarac.displays._decimation import decimate

if TYPE_CHECKING:
    from matplotlib.patches import Polygon
    from numpy.typing import ArrayLike

    from fastarac.sweep import ThresholdSweep

# From the top down. Blue is right and red is wrong; the dark ones are accepted.
AREAS = {
    "true_rejects": ("Wrong, rejected (TR)", "#F2B48C"),
    "false_rejects": ("Right, rejected (FR)", "#9CC9E3"),
    "true_accepts": ("Right, accepted (TA)", "#0072B2"),
    "false_accepts": ("Wrong, accepted (FA)", "#C8401E"),
}


class ConfusionDisplay(ItemDisplay):
    """Visualization of what is accepted and rejected, rightly and wrongly, at all acceptance rates.

    Make it with ``from_predictions`` or ``from_sweep``, which draw it as well.

    Parameters
    ----------
    true_accepts : array_like of shape (n,)
        Right and accepted items, TA: numbers or shares, at rising acceptance rates.
    false_accepts : array_like of shape (n,)
        Wrong and accepted items, FA.
    false_rejects : array_like of shape (n,)
        Right and rejected items, FR.
    true_rejects : array_like of shape (n,)
        Wrong and rejected items, TR.
    name : str, optional
        The name of the model, for the title.

    Attributes
    ----------
    areas_ : dict of str to matplotlib Polygon
        The areas by the names of the parameters, from the top down. Each is drawn down to the axis,
        over those before it, so that no gap is seen between them. Of long arrays, they have the
        vertices that make a visible difference.
    ax_ : matplotlib Axes
        The axes with the areas.
    figure_ : matplotlib Figure
        The figure with the axes.

    See Also
    --------
    ThresholdSweep : Has the four counts.

    Notes
    -----
    At each acceptance rate X = (TA + FA)/Ω the four shares add up to 1. The wrongly accepted ones are
    at the bottom and the rightly rejected ones at the top, where their heights are easily read; in
    between, the diagonal parts the accepted items from the rejected ones.

    Examples
    --------
    >>> import fastarac as fa
    >>> display = fa.displays.ConfusionDisplay.from_predictions([1, 1, 0, 1], [0.9, 0.8, 0.7, 0.6])
    >>> list(display.areas_)
    ['true_rejects', 'false_rejects', 'true_accepts', 'false_accepts']
    >>> from matplotlib import pyplot as plt
    >>> plt.close(display.figure_)
    """

    def __init__(
        self,
        true_accepts: ArrayLike,
        false_accepts: ArrayLike,
        false_rejects: ArrayLike,
        true_rejects: ArrayLike,
        *,
        name: str | None = None,
    ) -> None:
        self.true_accepts = np.asarray(true_accepts)
        self.false_accepts = np.asarray(false_accepts)
        self.false_rejects = np.asarray(false_rejects)
        self.true_rejects = np.asarray(true_rejects)
        self.name = name

    @classmethod
    def _of(cls, sweep: ThresholdSweep, name: str | None) -> Self:
        return cls(
            sweep.true_accepts,
            sweep.false_accepts,
            sweep.false_rejects,
            sweep.true_rejects,
            name=name,
        )

    def _draw(self, name: str | None, kwargs: dict[str, Any]) -> None:
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
        self.areas_: dict[str, Polygon] = {}
        for key, (label, color) in AREAS.items():
            across, up = tops[key]
            style: dict[str, Any] = {"facecolor": color, "label": label, "linewidth": 0} | kwargs
            (self.areas_[key],) = self.ax_.fill([0, *across, 1], [0, *up, 0], **style)
        self.ax_.set(xlabel="Acceptance rate", ylabel="Share of all outputs", xlim=WHOLE, ylim=WHOLE)
        if name is not None:
            self.ax_.set_title(name.replace("$", r"\$"))
        self.ax_.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)


def _top(x: Any, y: Any) -> Any:
    vertices = decimate(x, y, xlim=WHOLE, ylim=WHOLE)
    return np.stack([x[vertices], y[vertices]])
